"""The config of a captioner: plain values, as a model folder's ``config.json`` and the training configs hold them."""

from __future__ import annotations

from dataclasses import dataclass, field

from fmp_models.networks.backbones.backbone import BackboneConfig
from fmp_models.networks.body_frame import FRAMES, Frames
from fmp_models.networks.limits import keep, shared_rules
from fmp_models.preprocessing.person_crop import PicturesConfig


@dataclass(frozen=True)
class CaptionerConfig:
    """Sizes and switches of a ``Captioner``; ValueError for a combination that is no model.

    ``vocabulary_sizes`` by language, the special words counted; several languages share all but their words' layers.
    ``vision`` false is the language-only model, ``previous_words`` false the vision-only one (Appendix E.5); vision
    without ``joints`` is the captioner of the released code. ``joint_prediction`` adds the second task, and its joints
    stand in for unknown ones; ``missing`` adds learned stand-ins for an unknown picture or unknown joints.
    ``measures`` adds what the geometry measures between the joints, a vector for each part of the body.
    ``backbone`` says which network makes the positions of ``image_channels`` numbers, where that is not left open;
    ``pictures`` how pictures are cut for it; ``frames`` in which coordinates the joints are given to its layers, see
    :mod:`.body_frame`.
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
        """Refuse what no captioner can be made of."""
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
