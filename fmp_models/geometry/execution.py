"""Execution of a text, goal after goal or towards a known target, and the progress that it makes.

This tests a text without a person, which is the idea of CigTime (NeurIPS 2024): execute it and measure the remaining
distance to the target. Each goal is solved by least squares over the turns of the joints that it may move, starting
from the posture that people mean by it. The bearing joints rest on the floor with the weight over them, no joint
exceeds its limits, and earlier results stay true unless the goal contradicts them. A clause is judged by the verdicts
on the resulting pose, a shape by its ranges.

A correction of two photographs knows both bodies, and a person who follows it sees the target too. A step
is therefore done when the bones of its parts point as in the target. Bones keep their lengths, the
bearing joints stay in place, no step undoes an earlier one, and the last pose is the target on the bones
of the current body.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

import numpy as np

from fmp_models.geometry.candidate_evidence import ExecutionResult
from fmp_models.geometry.goals import (
    ASKED,
    Contacts,
    Goal,
    floor_level,
    goals_of_clause,
    goals_of_shape,
    meant,
    put_down,
    set_down,
    stays,
)
from fmp_models.geometry.lexicon import BODY_TURNS, HORIZONTAL, Clause, Degree, Direction, Part, Relation, Side
from fmp_models.geometry.pose_values import is_lying_down, is_sitting, unit
from fmp_models.geometry.relations import Range
from fmp_models.geometry.shape import ARMS, NamedShape, near
from fmp_models.geometry.skeleton import EFFORT, UNKNOWNS, angles, joined, moved, ranges, unknowns_of
from fmp_models.geometry.verdicts import agrees, holds
from fmp_models.pose import (
    BODY_SIDES,
    INDEX,
    PARENTS,
    Array,
    BodySide,
    Pose,
    PosePair,
    bone_lengths,
    pose_pair,
    support_side,
    with_bones,
)

_KEPT = 1.5  # weight of one slack of earlier results
_MARGIN = 0.5  # slacks of margin within a range, and slacks by which an earlier range may be missed
_NATURAL_ENDS = frozenset({0.0, 1.0, 180.0})  # natural limits of distances, cosines and angles, which need no margin
_BEYOND = 3.0  # degrees beyond a joint limit that cost as much as one slack
_OVERDONE, _SLIPPED = 8.0, 0.05  # degrees beyond a joint limit and metres of slip that make a result invalid
_WIDTH, _ROUNDS = 1e-4, 25  # step of the numeric derivatives in radians and metres, and maximum solver iterations
_PRECISION = 1e-3  # relative tolerance of the solver for cost and unknowns
_SCALE = 0.003  # scale of the unknowns, which bounds the first step of the solver
_ANKLES = [INDEX["left_ankle"], INDEX["right_ankle"]]
_MAX_GOALS = 12  # goals of a text executed for retrieval: more would take long
_LEVEL = np.array([1.0, 0.0, 1.0])  # keeps the horizontal part of a vector
_Ranges = Sequence[tuple[Range, BodySide]]


def execute(goals: Sequence[Clause | NamedShape], current: Pose, *, corrects: bool = False) -> Pose:
    """Return the pose after executing the goals; bones keep their lengths."""
    steps = [joints for joints in executed_steps(goals, current, corrects=corrects) if joints is not None]
    return Pose(steps[-1], current.visibility, current.placed) if steps else current


def execute_alone(clause: Clause, current: Pose, joints: Collection[str]) -> Pose | None:
    """Return the pose after a clause if only the bones to these outer joints turn; ``None`` if that cannot be done.

    All other bones keep their directions, no joint exceeds its limits, and the lowest joint stays on the floor.
    """
    (after,) = executed_steps([clause], current)
    if after is None:
        return None
    own, parents, now = [INDEX[name] for name in joints], list(PARENTS), current.joints
    bones = now - now[parents]
    bones[own] = (after - after[parents])[own]
    alone = set_down(joined(bones, now), floor_level(now))
    (low, high), reached = ranges(now), angles(alone)
    possible = (reached > low - _OVERDONE).all() and (reached < high + _OVERDONE).all()
    done = possible and agrees(clause, pose_pair(now, alone)) is True
    return Pose(alone, current.visibility, current.placed) if done else None


def executed_goals(goals: Sequence[Clause | NamedShape], current: Pose) -> ExecutionResult:
    """Return the goals that could be executed and the resulting bodies: two if a side is open."""
    goals = tuple(dict.fromkeys(goals))[:_MAX_GOALS]
    sided = dict.fromkeys(tuple(_on(side, goal) for goal in goals) for side in Side.BOTH.each)
    ways = [executed_steps(way, current) for way in sided]
    possible = tuple(goal for goal, *after in zip(goals, *ways, strict=True) if any(one is not None for one in after))
    steps = [[current.joints, *(after for after in way if after is not None)] for way in ways]
    return ExecutionResult(possible, np.array([way[-1] for way in steps]))


def executed_steps(
    goals: Sequence[Clause | NamedShape], current: Pose, *, corrects: bool = False
) -> list[Array | None]:
    """Return for each goal the joints (20, 3) after it, in sequence; ``None`` if it cannot be done.

    With ``corrects``, a goal moves by the amounts of the measures; else a word without an amount goes as far
    as people usually mean.
    """
    execution = _Execution(current.joints, corrects=corrects)
    return [execution.step(goal) for goal in goals]


def _on(side: Side, goal: Clause | NamedShape) -> Clause | NamedShape:
    """Return the goal on this side if its side is open."""
    sided = goal.part.sided if isinstance(goal, Clause) else len(goal.sides) > 1
    return replace(goal, side=side) if goal.side is Side.NONE and sided else goal


class _Execution:
    """State of an execution: the initial body, the current body, and the goals said and reached."""

    def __init__(self, start: Array, *, corrects: bool) -> None:
        self._start, self._now, self._corrects = start, start, corrects
        self._floor = floor_level(start)
        self._seen = [start]  # bodies whose angles count as within the limits
        self._said: list[Clause] = []
        self._reached: _Ranges = ()

    def step(self, goal: Clause | NamedShape) -> Array | None:
        """Execute a goal if possible, and return the joints after it."""
        if isinstance(goal, Clause) and self._is_so(goal):
            return self._now
        slight = isinstance(goal, Clause) and goal.degree is Degree.SLIGHT
        asked, goal = goal, goal if self._corrects or slight else meant(goal, self._now)
        if asked != goal and isinstance(goal, NamedShape) and near(goal.ranges, self._now, goal.side):
            return self._now
        for way, after in self._ways(goal):
            if after is not None:
                self._now = after
                self._said += [goal] if isinstance(goal, Clause) else []
                self._reached = [*dict.fromkeys([*_true_of(self._reached, after), *way.ranges])]
                return after
        return None

    def _is_so(self, clause: Clause) -> bool:
        """Return whether a part was kept still, or the body already rests as requested."""
        if clause.direction is Direction.KEEP:
            return agrees(clause, pose_pair(self._start, self._now)) is True
        now = pose_pair(self._now, self._now).target
        rests = clause.part is Part.BODY or (clause.direction is Direction.REACH and not self._corrects)
        told = [one for one in clause.relations if clause.part is Part.BODY or one is Relation.ON_GROUND]
        return rests and any(holds(clause, relation, now) for relation in told)

    def _ways(self, goal: Clause | NamedShape) -> Iterator[tuple[Goal, Array | None]]:
        """Yield the goals to try, each with the resulting body, or ``None`` if that does not do what is asked."""
        if isinstance(goal, NamedShape):
            for way, side in goals_of_shape(goal, self._now):
                moving = (side, Part.ARM) if goal.shape.regions == ARMS else (Side.NONE, Part.TRUNK)
                after = self._solved(way, Clause(*moving, Direction.REACH))
                told = goal.shape.ranges if way.ranges else ()
                yield way, after if after is not None and near(told, after, side) else None
        elif goal.direction is not Direction.KEEP:
            one = replace(goal, side=Side.RIGHT) if goal.side is Side.NONE and goal.part.sided else goal
            for way in goals_of_clause(one, self._now, self._said, corrects=self._corrects):
                after = self._solved(way, one)
                true = after is not None and any(
                    agrees(one, pose_pair(before, after)) for before in (self._now, self._start)
                )
                yield way, after if true else None

    def _solved(self, way: Goal, clause: Clause) -> Array | None:
        """Return the body nearest to the initial posture that meets the goal.

        ``None`` if it slips or exceeds joint limits.
        """
        begin = way.begin
        if not way.joints:
            return set_down(begin, self._floor)
        if way.rest is not None:
            begin = set_down(begin, self._floor)
            begin = begin + (self._now - begin)[_ANKLES].mean(axis=0) * _LEVEL
            bearing: Contacts | None = put_down(begin, way.rest, seated=way.seated)
            self._seen.append(begin)
        else:
            bearing = stays(self._now, self._floor, clause)
            if bearing is not None and "shift" in way.joints and bearing.fixed:
                begin = begin + (self._now - begin)[bearing.fixed].mean(axis=0)
        if bearing is None:
            return None
        after = set_down(self._nearest(way, begin, bearing), self._floor)
        (low, high), reached = ranges(*self._seen), angles(after)
        slipped = np.abs(after[bearing.fixed] - bearing.places).max(initial=0.0)
        possible = (reached > low - _OVERDONE).all() and (reached < high + _OVERDONE).all() and slipped < _SLIPPED
        return after if possible else None

    def _nearest(self, way: Goal, begin: Array, bearing: Contacts) -> Array:
        from scipy.optimize import least_squares  # noqa: PLC0415  its import would slow the start

        free = unknowns_of(way.joints)
        kept = _true_of(self._reached, begin)
        low, high = ranges(*self._seen)

        def bodies(numbers: Array) -> Array:
            every = np.zeros((len(numbers), UNKNOWNS))
            every[:, free] = numbers
            return moved(begin, every)

        def residuals(numbers: Array) -> Array:
            tried = bodies(numbers)
            told = [ASKED * _outside(bounds, side, tried) for bounds, side in way.ranges]
            told += [_KEPT * _outside(bounds, side, tried) for bounds, side in kept]
            told += [weight * (value(tried) - goal) for value, goal, weight in way.changes]
            columns = [np.broadcast_to(part, len(tried))[:, None] for part in told]
            degrees = angles(tried)
            beyond = np.maximum(np.maximum(low - degrees, degrees - high), 0.0) / _BEYOND
            return np.concatenate([*columns, beyond, bearing.off(tried, self._floor), EFFORT[free] * numbers], axis=-1)

        def slopes(numbers: Array) -> Array:
            # Central differences, so that a mirrored body has mirrored derivatives where a residual has a kink.
            shifts = _WIDTH * np.eye(len(free))
            ahead, behind = np.split(residuals(np.concatenate([numbers + shifts, numbers - shifts])), 2)
            return np.asarray((ahead - behind).T / (2 * _WIDTH))

        found = least_squares(
            lambda numbers: residuals(numbers[None])[0],
            np.zeros(len(free)),
            slopes,
            method="lm",
            x_scale=_SCALE,
            max_nfev=_ROUNDS,
            ftol=_PRECISION,
            xtol=_PRECISION,
        )
        return np.asarray(bodies(found.x[None])[0])


def _true_of(reached: _Ranges, body: Array) -> list[tuple[Range, BodySide]]:
    """Return the ranges that a body is within, or nearly so."""
    return [(bounds, side) for bounds, side in reached if bounds.excess(body, side) <= _MARGIN]


def _outside(bounds: Range, side: BodySide, bodies: Array) -> Array:
    """Return the residuals (n,) of bodies from well within a range, in slacks; 0 for a yes-or-no condition."""
    if bounds.low == bounds.high:
        return np.zeros(len(bodies))
    inside = min(_MARGIN * bounds.slack, (bounds.high - bounds.low) / 4)
    low = bounds.low + inside * (bounds.low not in _NATURAL_ENDS)
    high = bounds.high - inside * (bounds.high not in _NATURAL_ENDS)
    return replace(bounds, low=low, high=high).excess(bodies, side)


# Execution towards a known target.
ARRIVED = 0.03  # metres of the joint furthest from the target below which nothing is left to move
_FIRST_SHARE = 2 / 3  # share of the way if a later step goes the rest
_SPINE = ("spine", "neck", "left_shoulder", "right_shoulder", "left_hip", "right_hip")
# Parts attached to the trunk that move with it unless a step names them.
_CARRIED = (("head",), *(tuple(f"{side}_{name}" for name in ("elbow", "wrist", "hand")) for side in BODY_SIDES))


def steps_to_target(steps: Sequence[Collection[Clause]], current: Pose, target: Pose) -> list[Array]:
    """Return the joints (20, 3) after each step, in sequence, in the camera frame.

    The last pose is :func:`on_bones_of`. If a joint is further than ``ARRIVED`` from it after the steps, one
    more pose is added.
    """
    goal = on_bones_of(current, target)
    lengths, aims = bone_lengths(current.joints), _directions(goal)
    bearing = bearing_joints(current.joints, goal)
    place, floor = current.joints[bearing].mean(axis=0), current.joints[:, 1].max()
    bones = _directions(current.joints)
    moved: set[int] = set()
    poses = [current.joints]
    for clauses, shares in zip(steps, _shares(steps), strict=True):
        whole_body = {clause.direction for clause in clauses if clause.part is Part.BODY}
        if whole_body & HORIZONTAL:
            place = goal[bearing].mean(axis=0)
        moved |= shares.keys()
        before, bones = bones, _brought(bones, aims, shares)
        if shares.keys() & {INDEX[name] for name in _SPINE}:
            bones = _carried_along(before, bones, None if whole_body & BODY_TURNS else aims * lengths[:, None], moved)
        joints = joined(bones, current.joints)
        shift = place - joints[bearing].mean(axis=0)
        shift[1] = floor - joints[:, 1].max()
        poses.append(joints + shift)
    if np.linalg.norm(poses[-1] - goal, axis=-1).max() > ARRIVED:
        poses.append(goal)
    elif len(poses) > 1:
        poses[-1] = goal
    return poses[1:]


def _shares(steps: Sequence[Collection[Clause]]) -> list[dict[int, float]]:
    """Return for each step the bones that it moves, by their outer joint, and the share of their way that they go.

    The share is 1 unless a later step names no other bones: the earlier steps then leave something for that
    one, of the legs rather than of the trunk.
    """
    trunk = {INDEX[name] for name in _SPINE}
    named = [{INDEX[name] for clause in clauses for name in _joints_of(clause)} for clauses in steps]
    last: dict[int, int] = {}
    for number, joints in enumerate(named):
        if joints <= set().union(*named[:number]):
            last |= dict.fromkeys(joints - trunk or joints, number)
    return [
        {joint: 1.0 if number >= last.get(joint, 0) else _FIRST_SHARE for joint in joints}
        for number, joints in enumerate(named)
    ]


def _brought(bones: Array, aims: Array, shares: Mapping[int, float]) -> Array:
    """Return the directions (20, 3) of bones after some of them moved towards their aims by a share of the way."""
    share = np.array([[shares.get(joint, 0.0)] for joint in range(len(PARENTS))])
    return unit(bones + share * (aims - bones))


def _joints_of(clause: Clause) -> Iterable[str]:
    """Return the joints at the ends of the bones that a clause moves."""
    match clause.part:
        case Part.ARM | Part.FOREARM | Part.HAND | Part.ELBOW | Part.LEG | Part.KNEE | Part.FOOT:
            return [name for side in clause.side.of_body for name in clause.part.limb.joints(Side(side))[1:]]
        case Part.HEAD:
            return ("head",)
        case Part.SHOULDER:
            return clause.part.joints(clause.side)
        case Part.TRUNK:
            return _SPINE
        case Part.BODY | Part.HIPS:
            return [*_SPINE, *(f"{side}_{name}" for side in BODY_SIDES for name in ("knee", "ankle", "foot"))]
        case _:
            assert_never(clause.part)


def _directions(joints: Array) -> Array:
    """Return unit vectors (20, 3) from each joint's parent to it; zero for the root."""
    return unit(joints - joints[list(PARENTS)])


def _carried_along(before: Array, directions: Array, aims: Array | None, but: Collection[int]) -> Array:
    """Turn unmoved arms and an unmoved head with the chest; with ``aims``, only those that come nearer to them.

    A hanging arm stays hanging while the trunk bends, and an arm held overhead moves with the trunk.
    """
    turn = _chest(directions).T @ _chest(before)
    carried = directions.copy()
    for names in _CARRIED:
        bones = [INDEX[name] for name in names if INDEX[name] not in but]
        along = before[bones] @ turn.T
        if aims is None or np.sum(along * aims[bones]) > np.sum(directions[bones] * aims[bones]):
            carried[bones] = along
    return carried


def _chest(directions: Array) -> Array:
    """Return the axes (3, 3) of the chest as rows: across, forward, and along the trunk."""
    along = directions[INDEX["neck"]]
    ahead = np.cross(directions[INDEX["left_shoulder"]] - directions[INDEX["right_shoulder"]], along)
    ahead /= max(float(np.linalg.norm(ahead)), 1e-9)
    return np.stack([np.cross(along, ahead), ahead, along])


# Progress: both ends first get the bones of the current body, so differences of body size do not count. Joints are
# compared with the hips aligned, in the axes of the room and not of each pelvis: "turn to your left" is part of a
# correction and must count. A joint that is hardly visible in a photograph is a guess and has less weight.
_MOVED = 0.01  # metres of mean distance below which there is nothing to move


def progress_towards(current: Pose, reached: Array, target: Pose) -> float | None:
    """Return the share (-1 to 1) of the way to the target that the joints ``reached`` (20, 3) cover; 1 is the target.

    ``None`` if the target differs from the current pose by less than a centimetre.
    """
    before, after = (distance_to_target(current, joints, target) for joints in (current.joints, reached))
    return None if before < _MOVED else max(1.0 - after / before, -1.0)


def distance_to_target(current: Pose, reached: Array, target: Pose) -> float:
    """Return the mean distance in metres of the joints ``reached`` (20, 3) to the target on the current body's bones.

    The hips are aligned, and joints that are barely visible count less.
    """
    weights = PosePair(current, target).visibility
    weights = weights if weights.any() else np.ones_like(weights)
    goal = _centred(with_bones(target.joints, bone_lengths(current.joints)))
    return float(np.average(np.linalg.norm(_centred(reached) - goal, axis=-1), weights=weights))


def on_bones_of(current: Pose, target: Pose) -> Array:
    """Return the target's joints (20, 3) with the bones of the current body, on its floor.

    If the two poses do not share a room, the bearing joints are placed where those of the current body are.
    """
    joints = with_bones(target.joints, bone_lengths(current.joints))
    if current.placed and target.placed:
        shift = target.joints[INDEX["hip"]] - joints[INDEX["hip"]]
    else:
        bearing = bearing_joints(current.joints, joints)
        shift = current.joints[bearing].mean(axis=0) - joints[bearing].mean(axis=0)
    shift[1] = current.joints[:, 1].max() - joints[:, 1].max()
    return np.asarray(joints + shift)


def bearing_joints(current: Array, goal: Array) -> list[int]:
    """Return the joints that bear a body between two poses: the hips if it sits or lies, else the standing foot.

    Both feet bear it if neither is the standing foot.
    """
    if all(is_sitting(joints) or is_lying_down(joints) for joints in (current, goal)):
        return [INDEX["hip"]]
    side = support_side(pose_pair(current, goal))
    return [INDEX[f"{foot}_ankle"] for foot in (BODY_SIDES if side is None else (side,))]


def _centred(joints: Array) -> Array:
    return np.asarray(joints - joints[INDEX["hip"]])
