"""The configuration of a captioner, as stored in a model folder's ``config.json`` and in training configs."""

from __future__ import annotations

from dataclasses import dataclass, field

from fmp_models.networks.backbones.backbone import BackboneConfig
from fmp_models.networks.body_frame import FRAMES, Frames
from fmp_models.networks.limits import keep, shared_rules
from fmp_models.preprocessing.person_crop import PicturesConfig


@dataclass(frozen=True)
class CaptionerConfig:
    """Sizes and options of a ``Captioner``; raises ValueError for an invalid combination.

    ``vocabulary_sizes`` gives each language's number of words, special words included; languages share everything
    except the word layers. ``vision`` false gives the language-only model, ``previous_words`` false the vision-only
    one (Appendix E.5); vision without ``joints`` is the captioner of the released code. ``joint_prediction`` adds the
    second task, whose joints replace unknown ones; ``missing`` adds learned embeddings for an unknown picture or
    unknown joints. ``measures`` adds measurements of the joint geometry, one vector for each part of the body.
    ``backbone`` is the network that computes positions of ``image_channels`` features; None leaves it open.
    ``pictures`` sets how pictures are cropped for it, and ``frames`` the coordinates in which the network receives
    joints, see :mod:`.body_frame`.
    """

    vocabulary_sizes: dict[str, int]
    hidden: int = 512
    embedding: int = 256
    dropout: float = 0.5
    image_channels: int = 2048
    backbone: BackboneConfig | None = None
    pictures: PicturesConfig = field(default_factory=PicturesConfig)
    vision: bool = True
    joints: bool = True
    previous_words: bool = True
    joint_prediction: bool = False
    missing: bool = False
    frames: Frames = "camera"
    measures: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError if the values do not describe a captioner."""
        shared = shared_rules(self.vocabulary_sizes, self.hidden, self.embedding, self.image_channels, self.dropout)
        rules = (
            (bool(self.vocabulary_sizes), "a captioner needs words"),
            (self.vision or self.previous_words, "a captioner needs vision or previous_words"),
            (self.vision or not self.joints, "joints need vision"),
            (
                self.joints or not (self.joint_prediction or self.missing or self.measures),
                "joint_prediction, missing and measures need joints",
            ),
            (self.frames in FRAMES, f"frames must be among {', '.join(FRAMES)}"),
        )
        keep([*shared, *rules])
