"""Body as a tree of rigid bones: positions of joints after rotations of the bones beyond each pivot.

Turns are rotation vectors in the axes of the camera; the last three numbers are a translation in metres.
Bone lengths are preserved exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fmp_models.common.rotations import rotations
from fmp_models.pose import BODY_SIDES, INDEX, JOINTS, PARENTS, Array


class JointTurn(NamedTuple):
    """A rotation of the joints ``carried``, relative to that of ``within`` (an index of :data:`TURNS`, or -1 for none).

    ``effort`` is the cost of one radian: limbs move first, the trunk last.
    """

    name: str
    carried: frozenset[str]
    within: int
    effort: float = 0.1


def _turns() -> tuple[JointTurn, ...]:
    arms, legs = (
        [[f"{side}_{name}" for name in names] for side in BODY_SIDES]
        for names in (("shoulder", "elbow", "wrist", "hand"), ("hip", "knee", "ankle", "foot"))
    )
    chest = frozenset({"neck", "head", *arms[0], *arms[1]})
    turns = [
        JointTurn("body", frozenset(JOINTS[1:]), -1, 0.6),
        JointTurn("waist", chest | {"spine"}, 0, 0.6),
        JointTurn("spine", chest, 1, 0.8),
        JointTurn("neck", frozenset({"head"}), 2, 0.3),
    ]
    turns += [JointTurn(f"{side}_girdle", frozenset(arm), 2, 0.8) for side, arm in zip(BODY_SIDES, arms, strict=True)]
    for chain, root, count in ((arms[0], 4, 2), (arms[1], 5, 2), (legs[0], 0, 3), (legs[1], 0, 3)):
        for place in range(count):
            within = root if place == 0 else len(turns) - 1
            turns.append(JointTurn(chain[place], frozenset(chain[place + 1 :]), within))
    return tuple(turns)


TURNS = _turns()
UNKNOWNS = 3 * len(TURNS) + 3
_SHIFT_EFFORT = 0.3  # cost of one metre of translation
EFFORT: Array = np.append(np.repeat([turn.effort for turn in TURNS], 3), 3 * [_SHIFT_EFFORT])
_INNERMOST = [max((i for i, turn in enumerate(TURNS) if joint in turn.carried), default=0) for joint in JOINTS]


def unknowns_of(names: frozenset[str]) -> list[int]:
    """Return the indices of the numbers that turn about these pivots; ``shift`` stands for the translation."""
    numbered = enumerate([*(turn.name for turn in TURNS), "shift"])
    return [3 * i + axis for i, name in numbered if name in names for axis in range(3)]


def moved(joints: Array, numbers: Array) -> Array:
    """Return the bodies (n, 20, 3) that result from joints (20, 3) by turns and translations (n, UNKNOWNS)."""
    turned = rotations(numbers[:, :-3].reshape(-1, 3)).reshape(len(numbers), len(TURNS), 3, 3)
    for i, turn in enumerate(TURNS):
        if turn.within >= 0:
            turned[:, i] = turned[:, turn.within] @ turned[:, i]
    bones = joints - joints[list(PARENTS)]
    bodies = (turned[:, _INNERMOST] @ bones[:, :, None])[..., 0]
    bodies[:, INDEX["hip"]] = joints[0] + numbers[:, -3:]
    for joint in range(1, len(JOINTS)):
        bodies[:, joint] += bodies[:, PARENTS[joint]]
    return bodies
