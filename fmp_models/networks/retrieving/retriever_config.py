"""The config of a retriever: plain values, as a model folder's ``config.json`` and the training configs hold them."""

from __future__ import annotations

from dataclasses import dataclass, field

from fmp_models.networks.backbones.backbone import BackboneConfig
from fmp_models.networks.body_frame import FRAMES, Frames
from fmp_models.networks.limits import keep, shared_rules
from fmp_models.preprocessing.person_crop import PicturesConfig


@dataclass(frozen=True)
class RetrieverConfig:
    """Sizes and switches of a ``Retriever``; ValueError for a combination that is no model.

    ``vocabulary_sizes`` by language, the special words counted; several languages share all but their text encoders.
    ``text`` false is the vision-only model, which compares the candidates with the current pose; ``current`` false is
    the language-only one, which compares them with the text. ``images`` or ``joints`` false leaves that side out; the
    released code has no joints. ``missing`` adds learned stand-ins for unknown pictures and joints.
    ``joint_places`` adds the positional encoding to the differences of joints as the captioner does: the paper's
    formula of the retriever has none, but without it nothing says which joint a difference is of.
    ``space`` is another network than the paper's, one space of texts and changes of joints; see ``pose_space``.
    ``backbone`` says which network makes the positions of ``image_channels`` numbers, where that is not left open;
    ``pictures`` how pictures are cut for it; ``frames`` in which coordinates the joints are given to its layers, see
    :mod:`.body_frame`.
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
        """Refuse what no retriever can be made of."""
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
