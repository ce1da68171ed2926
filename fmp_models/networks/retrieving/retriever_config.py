"""The configuration of a retriever, as stored in a model folder's ``config.json`` and in training configs."""

from __future__ import annotations

from dataclasses import dataclass, field

from fmp_models.networks.backbones.backbone import BackboneConfig
from fmp_models.networks.body_frame import FRAMES, Frames
from fmp_models.networks.limits import keep, shared_rules
from fmp_models.preprocessing.person_crop import PicturesConfig


@dataclass(frozen=True)
class RetrieverConfig:
    """Sizes and options of a ``Retriever``; raises ValueError for an invalid combination.

    ``vocabulary_sizes`` gives each language's number of words, special words included; languages share everything
    except the text encoders. ``text`` false gives the vision-only model, which compares candidates with the current
    pose; ``current`` false the language-only one, which compares them with the text. ``images`` or ``joints`` false
    leaves that input out; the released code has no joints. ``missing`` adds learned embeddings for unknown pictures
    and joints. ``joint_places`` adds the positional encoding to joint differences, as the captioner does. The paper's
    formula for the retriever has none, but without it the network cannot tell which joint a difference belongs to.
    ``space`` replaces the paper's network by a joint embedding space of texts and joint changes; see ``pose_space``.
    ``backbone`` is the network that computes positions of ``image_channels`` features; None leaves it open.
    ``pictures`` sets how pictures are cropped for it, and ``frames`` the coordinates in which the network receives
    joints, see :mod:`.body_frame`.
    """

    vocabulary_sizes: dict[str, int] = field(default_factory=dict)
    hidden: int = 512
    embedding: int = 256
    dropout: float = 0.5
    image_channels: int = 1024
    backbone: BackboneConfig | None = None
    pictures: PicturesConfig = field(default_factory=PicturesConfig)
    text: bool = True
    current: bool = True
    images: bool = True
    joints: bool = True
    joint_places: bool = True
    missing: bool = False
    space: bool = False
    frames: Frames = "camera"

    def __post_init__(self) -> None:
        """Raise ValueError if the values do not describe a retriever."""
        shared = shared_rules(self.vocabulary_sizes, self.hidden, self.embedding, self.image_channels, self.dropout)
        rules = (
            (bool(self.vocabulary_sizes) or not self.text, "a retriever of texts needs words"),
            (self.text or self.current, "a retriever needs text or current"),
            (self.images or self.joints, "a retriever needs images or joints"),
            (
                not self.space or (self.text and self.current and self.joints and not self.images and not self.missing),
                "a space of texts and changes of joints needs text, current and joints, no images and nothing missing",
            ),
            (self.frames in FRAMES, f"frames must be among {', '.join(FRAMES)}"),
        )
        keep([*shared, *rules])
