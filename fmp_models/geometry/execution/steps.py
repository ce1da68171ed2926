"""Execution of a plan: the pose nearest to the current one in which every clause has come true.

This is how a text is tested without a person (the idea of CigTime, NeurIPS 2024): do what it says and measure what is
left to the target. The body is a tree of stiff bones; the joint angles are found by least squares over the same
measures that the plan was made from, so a clause means here exactly what it means everywhere else.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from fmp_models.geometry.clauses import Clause, Degree, Direction, Plan, Side
from fmp_models.geometry.measures import MEASURES
from fmp_models.geometry.planning.planner import SAYS_HOW_FAR
from fmp_models.geometry.relations import ranges_of
from fmp_models.geometry.verdicts.verdicts import agrees, axes_of
from fmp_models.pose import INDEX, PARENTS, Array, BodySide, Pose, PosePair

# Joints that turn: each carries everything further out. The hip is the root and turns the whole body.
_TURNING = tuple(
    INDEX[name]
    for name in (
        "hip",
        "spine",
        "neck",
        "right_shoulder",
        "right_elbow",
        "left_shoulder",
        "left_elbow",
        "right_hip",
        "right_knee",
        "right_ankle",
        "left_hip",
        "left_knee",
        "left_ankle",
    )
)
_STIFFNESS = 0.12  # cost of one radian in a joint, against one middle step of a measure
_UNSAID = 0.25  # cost of one middle step in an axis that no clause speaks of: what is not said stays
_EXTENT = 1.6  # "far" has no upper step: it is taken to end at this many times the last one
_CAUTION = 0.15  # where in its range of sizes a degree is carried out: small changes are the common ones


def carry_out(plan: Plan, current: Pose) -> Pose:
    """The current pose after doing what the plan says; bones keep their lengths."""
    if not plan:
        return current
    unknowns = 3 * len(_TURNING) + 3
    start = np.zeros(unknowns)
    stiffness = np.full(unknowns, _STIFFNESS)
    stiffness[[0, 2]] = 1.0  # the hips turn about the vertical; they tip only with the whole body
    said = {id(measure) for clause in plan for measure, _ in axes_of(clause)}
    silent = [measure for measure in MEASURES if measure.weight and id(measure) not in said]

    def cost(batch: Array) -> Array:
        joints = _bent(current.joints, batch)
        parts = [_distance_from(clause, current.joints, joints) for clause in plan]
        unsaid = [_UNSAID * m.change(current.joints, joints)[..., None] / m.steps[1] for m in silent]
        return np.concatenate([*parts, *unsaid, batch * stiffness], axis=-1)

    def slopes(values: Array) -> Array:
        width = 1e-4
        steps = np.vstack([values, values + width * np.eye(unknowns)])
        found = cost(steps)
        return np.asarray((found[1:] - found[0]).T / width)

    solution = least_squares(lambda values: cost(values[None])[0], start, jac=slopes, max_nfev=12)
    return Pose(_bent(current.joints, solution.x[None])[0], current.visibility, current.placed)


def _bent(joints: Array, batch: Array) -> Array:
    """Joints (n, 20, 3) after turning each of ``_TURNING`` by rotation vectors (n, 3 * turning) and moving the root."""
    count = len(batch)
    turns = Rotation.from_rotvec(batch[:, :-3].reshape(-1, 3)).as_matrix().reshape(count, len(_TURNING), 3, 3)
    frames = np.empty((count, len(PARENTS), 3, 3))
    moved = np.empty((count, len(PARENTS), 3))
    order = {joint: i for i, joint in enumerate(_TURNING)}
    for joint, parent in enumerate(PARENTS):
        if joint == parent:
            frames[:, joint] = turns[:, order[joint]]
            moved[:, joint] = joints[joint] + batch[:, -3:]
            continue
        frames[:, joint] = frames[:, parent] @ turns[:, order[joint]] if joint in order else frames[:, parent]
        # A bone turns with the joint at its inner end: shoulder and hip bones with the trunk, a forearm with its elbow.
        moved[:, joint] = moved[:, parent] + np.einsum("nij,j->ni", frames[:, parent], joints[joint] - joints[parent])
    return moved


def _distance_from(clause: Clause, current: Array, joints: Array) -> Array:
    """Residuals (n, k): how far the joints (n, 20, 3) are from what the clause asks, in middle steps and slacks."""
    relations = [
        (r, side)
        for relation in clause.relations
        for r in ranges_of(clause.part, clause.direction, relation)
        for side in _sides(clause)
    ]
    wanted = [r.excess(joints, side) for r, side in relations]
    for measure, sign in axes_of(clause):
        change = sign * measure.change(current, joints)
        if SAYS_HOW_FAR & set(clause.relations):
            # The relation says where it ends; the direction must still be right.
            wanted.append(np.maximum(measure.steps[0] - change, 0.0) / measure.steps[1])
        else:
            wanted.append((change - _amount(clause.degree, measure.steps)) / measure.steps[1])
    if not wanted or clause.direction is Direction.KEEP:
        return np.zeros((len(joints), 0))
    return np.stack(wanted, axis=-1)


def _amount(degree: Degree, steps: tuple[float, float, float]) -> float:
    slight, plain, far = steps
    low, high = {Degree.SLIGHT: (slight, plain), Degree.PLAIN: (plain, far), Degree.FAR: (far, _EXTENT * far)}[degree]
    return low + _CAUTION * (high - low)


def _sides(clause: Clause) -> tuple[BodySide, ...]:
    if clause.side is Side.LEFT:
        return ("left",)
    return ("right",) if clause.side is Side.RIGHT else ("left", "right")


def carried_steps(plan: Plan | list[Clause], current: Pose) -> list[Array | None]:
    """For each clause the joints (20, 3) after it, one following the other; ``None`` where it cannot be carried out."""
    found: list[Array | None] = []
    before = Pose(current.joints, np.ones(len(PARENTS)), placed=True)
    at = before
    for clause in plan:
        after = carry_out((clause,), at)
        done = any(agrees(clause, PosePair(start, after)) for start in (before, at))
        found.append(after.joints if done else None)
        at = after if done else at
    return found
