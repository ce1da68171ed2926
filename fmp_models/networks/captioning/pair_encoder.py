"""The captioner's encoder of pictures and joints: Eq. 1-2, or the released code's version without joints."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fmp_models.networks.attention import CrossAttention, CrossAttentionStack, fuse
from fmp_models.networks.body_frame import FRAMES, in_frames
from fmp_models.networks.captioning.captioner_config import CaptionerConfig
from fmp_models.networks.captioning.joint_head import JointHead
from fmp_models.networks.change_encoder import ChangeEncoder, measured_changes
from fmp_models.networks.joint_encoder import JointEncoder
from fmp_models.networks.layers import Dropout, MissingEmbedding, linear, without_unknown
from fmp_models.pose import JOINTS


@dataclass(frozen=True)
class PairBatch:
    """b pairs of a current and a target pose: the pictures' positions (b, n, c), joints (b, 20, 3) in metres.

    ``image_known`` and ``joints_known`` (b,) mark the rows that have pictures or joints; None means all rows.
    """

    current_image: Tensor | None = None
    target_image: Tensor | None = None
    current_joints: Tensor | None = None
    target_joints: Tensor | None = None
    image_known: Tensor | None = None
    joints_known: Tensor | None = None

    @property
    def rows(self) -> int:
        """The batch size b; raises ValueError if the batch has neither pictures nor joints."""
        for values in (self.current_image, self.current_joints):
            if values is not None:
                return len(values)
        raise ValueError("a batch of pairs needs pictures or joints")


@dataclass(frozen=True)
class EncodedPair:
    """Input of the word decoder: two sets of features (b, n, d) and J^d (b, 20, d) of ``rows`` = b pairs.

    With joints the sets are f and J of Eq. 2. Without joints they are the cross attention's outputs for the current
    and the target picture. A language-only captioner has none. ``measures`` (b, parts, d) are measurements of the
    joint geometry. ``predicted_joints`` (b, 2, 20, 3) are the second task's output for the current and the target
    pose.
    """

    rows: int
    first: Tensor | None = None
    second: Tensor | None = None
    differences: Tensor | None = None
    measures: Tensor | None = None
    predicted_joints: Tensor | None = None


class ImageEncoder(nn.Module):
    """tanh(W f + b) of a picture's positions, the released code's ``img_fc``; shared by current and target."""

    def __init__(self, channels: int, size: int) -> None:
        super().__init__()
        self.channels = channels
        self.img_fc = linear(channels, size, "tanh")

    def forward(self, image: Tensor) -> Tensor:
        """Encode positions (b, n, c) as (b, n, d); stored positions can have another precision."""
        return torch.tanh(self.img_fc(image.to(self.img_fc.weight.dtype)))


class PicturePairEncoder(nn.Module):
    """The released code's encoder, which has no joints: one cross attention between the two pictures."""

    def __init__(self, config: CaptionerConfig) -> None:
        super().__init__()
        self.image = ImageEncoder(config.image_channels, config.hidden)
        self.attention = CrossAttention(config.hidden)
        self.dropout = Dropout(config.dropout)

    def forward(self, pair: PairBatch) -> EncodedPair:
        """Encode the pairs; raise ValueError if pictures are missing."""
        current, target, _ = _pictures(pair, self.image.channels, may_lack=False)
        current, target = self.attention(self.image(current), self.image(target))
        return EncodedPair(pair.rows, self.dropout(current), self.dropout(target))


class PairEncoder(nn.Module):
    """The paper's encoder (Eq. 1-2): pictures and joints in one cross attention stack, then fused."""

    def __init__(self, config: CaptionerConfig) -> None:
        super().__init__()
        size = config.hidden
        self.image = ImageEncoder(config.image_channels, size)
        self.frames = config.frames
        self.joints = JointEncoder(size, FRAMES[config.frames])
        self.stack = CrossAttentionStack(size)
        self.dropout = Dropout(config.dropout)
        # The paper calls both W_c; its parameter counts imply two.
        self.w_c_image = linear(3 * size, size)
        self.w_c_joints = linear(3 * size, size)
        self.joint_head = JointHead(size) if config.joint_prediction else None
        self.moved = ChangeEncoder(size, config.dropout) if config.measures else None
        names = ("image", "joints", "differences", *["measures"] * config.measures) if config.missing else ()
        self.stand_ins = nn.ModuleDict({name: MissingEmbedding(size) for name in names})

    def forward(self, pair: PairBatch) -> EncodedPair:
        """Encode the pairs; raise ValueError if pictures or joints are missing and the config has no replacement."""
        missing = bool(self.stand_ins)
        current, target, image_known = _pictures(pair, self.image.channels, may_lack=missing)
        f_current, f_target = (self._stand_in("image", self.image(image), image_known) for image in (current, target))
        predicted = None
        if self.joint_head is not None:
            predicted = torch.stack([self.joint_head(f_current), self.joint_head(f_target)], dim=1)
        joints, joints_known = self._joints(pair, predicted, image_known)
        measures = None
        if self.moved is not None:
            measured = measured_changes(joints[:, 0], joints[:, 1]).to(self.image.img_fc.weight.dtype)
            measures = self._stand_in("measures", self.moved(measured), joints_known)
        joints = in_frames(joints, self.frames, facing=joints[:, :1])
        j_current, j_target = (self._stand_in("joints", self.joints(joints[:, i]), joints_known) for i in (0, 1))
        differences = self._stand_in("differences", self.joints(joints[:, 1] - joints[:, 0]), joints_known)
        f_current, j_current, f_target, j_target = map(
            self.dropout, self.stack(f_current, j_current, f_target, j_target)
        )
        first, second = self.w_c_image(fuse(f_current, f_target)), self.w_c_joints(fuse(j_current, j_target))
        return EncodedPair(pair.rows, first, second, differences, measures, predicted)

    def _joints(
        self, pair: PairBatch, predicted: Tensor | None, image_known: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return joints (b, 2, 20, 3) and the rows that have any; predicted joints replace unknown ones."""
        known = pair.joints_known
        if pair.current_joints is None or pair.target_joints is None:
            joints = self.joints.places.new_zeros(pair.rows, 2, len(JOINTS), 3)
            known = torch.zeros(pair.rows, dtype=torch.bool, device=joints.device)
        else:
            joints = torch.stack([pair.current_joints, pair.target_joints], dim=1)
        if known is None:
            return joints, None
        # Detached: the loss of the words must not change the predicted joints, which are in metres.
        instead = torch.zeros_like(joints) if predicted is None else predicted.detach()
        joints = torch.where(known[:, None, None, None], joints, instead)
        if predicted is not None:
            known = None if image_known is None else known | image_known
        if known is not None and not self.stand_ins:
            _refuse_unless(bool(known.all()), "joints")
        return joints, known

    def _stand_in(self, name: str, features: Tensor, known: Tensor | None) -> Tensor:
        filled: Tensor = self.stand_ins[name](features, known) if name in self.stand_ins else features
        return filled


def _pictures(pair: PairBatch, channels: int, *, may_lack: bool) -> tuple[Tensor, Tensor, Tensor | None]:
    """Return both pictures' positions, with zeros for unknown ones, and the mask of known rows."""
    current, target, known = pair.current_image, pair.target_image, pair.image_known
    if current is None or target is None:
        _refuse_unless(may_lack, "pictures")
        # One position is enough: all would hold the same vector.
        joints = pair.current_joints
        device = None if joints is None else joints.device
        nothing = torch.zeros(pair.rows, 1, channels, device=device)
        return nothing, nothing, torch.zeros(pair.rows, dtype=torch.bool, device=device)
    if known is not None and not may_lack:
        _refuse_unless(bool(known.all()), "pictures")
    return without_unknown(current, known), without_unknown(target, known), known


def _refuse_unless(allowed: bool, requirement: str) -> None:  # noqa: FBT001  the function's name says what it is
    if not allowed:
        raise ValueError(f"this captioner needs {requirement} of every pair")
