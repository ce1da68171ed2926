"""Planner, two poses -> a plan: measure all axes, drop redundant changes, merge sides, keep the most salient.

All rules use the sizes of changes only, never their sign or the names of sides. The plan of the reverse
pair is therefore the reverse plan, and the plan of the mirrored pair the mirror image.

For photographs the plan has only certain movements, and then the limbs that could not be judged; see
:mod:`fmp_models.geometry.significant_changes`.

If two photographed people very probably hold the same shape, their differences are within one pose. What a teacher
checks in that shape, its alignment points, then has a finer first threshold and comes first. Since it is uncertain
whether a learner holds the shape, one of the two must hold it surely and the other nearly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from fmp_models.geometry.lexicon import SWINGS, UNCHANGED, Clause, Degree, Direction, Part, Plan, Relation, Side
from fmp_models.geometry.measured_changes import VISIBLE, Change, Changes, Key, changes, means_anything, measures_of
from fmp_models.geometry.measures import Group
from fmp_models.geometry.pose_values import point
from fmp_models.geometry.relations import newly_reached
from fmp_models.geometry.shape import HEIGHT, HELD, LEAN, Shape, near, share_holding
from fmp_models.geometry.shapes import SHAPES
from fmp_models.geometry.significant_changes import (
    LIKELY,
    likeliest_changes,
    sure_changes,
    surely_still,
    unseen_limbs,
    without_repeats,
)
from fmp_models.pose import INDEX, Array, BodySide, Pose, PosePair, joint_distances

MIN_CLAUSES, MAX_CLAUSES = 3, 8
MAX_SURE_CLAUSES = 12  # for photographs, whose changes are merged into fewer steps
_METRES_PER_CLAUSE = 0.05  # mean joint movement for each clause above the minimum
_NEARLY = 0.7  # share of the first threshold that is worth a clause if there are few others
_STILL = 0.6  # share of the first threshold below which a part has kept its place
_DEGREES = (Degree.SLIGHT, Degree.PLAIN, Degree.FAR)
_PART_ORDER = tuple(Part)
_DIRECTION_ORDER = tuple(Direction)

# Relations that already state how far; the text and therefore the plan omit the degree.
SAYS_HOW_FAR = frozenset(Relation) - SWINGS.keys()

# Parts that can be said to stay, in this order. One side alone would need a rule for which
# comes first, and the direction of a head cannot be seen.
STILL_PARTS: tuple[tuple[Side, Part], ...] = (
    (Side.BOTH, Part.LEG),
    (Side.BOTH, Part.ARM),
    (Side.NONE, Part.TRUNK),
)


def make_plan(pair: PosePair) -> Plan:
    """Return the clauses to say, most salient body part first; empty if all parts were seen and none moved."""
    if all(np.array_equal(*bodies) for bodies in zip(*map(_measured, (pair.current, pair.target)), strict=True)):
        return ()  # one picture given twice: nothing can have moved, seen or not
    measured = changes(pair)
    watched = watched_axes(pair)
    points = alignment_points(measured, watched, pair)
    clauses = _clauses(measured, 1.0, pair, points)
    if not clauses if pair.uncertain else 0 < len(clauses) < MIN_CLAUSES:
        clauses = _clauses(measured, _NEARLY, pair)
    if not clauses and pair.uncertain:
        likely = likeliest_point(measured, watched, pair, LIKELY) or likeliest_changes(measured)
        clauses = _joined(likely, pair)
    if not clauses:
        return unseen_limbs(pair, ()) if pair.uncertain else ()
    few = min(MAX_CLAUSES, MIN_CLAUSES + int(joint_distances(pair).mean() / _METRES_PER_CLAUSE))
    room = MAX_SURE_CLAUSES if pair.uncertain else few
    aligned = [entry for entry in clauses if place_among(watched, entry[0]) < len(watched)]
    others = [entry for entry in clauses if entry not in aligned]
    aligned.sort(key=lambda entry: (place_among(watched, entry[0]), _rank(entry)))
    chosen = [*aligned, *_ordered(_most_salient(others, room - len(aligned)))]
    plan = tuple(clause for clause, _, _ in chosen)
    unseen = unseen_limbs(pair, plan) if pair.uncertain else ()
    return (*plan, *_still_clauses(measured, MIN_CLAUSES - len(plan), pair, (*plan, *unseen)), *unseen)


def _measured(pose: Pose) -> tuple[Array, Array]:
    """Return the measured data of a pose: joints and gazes."""
    return pose.joints, np.zeros(0) if pose.gazes is None else pose.gazes


def clauses_beyond(measured: Changes, share: float, pair: PosePair) -> tuple[tuple[Clause, float], ...]:
    """Return the clauses of changes that reach a ``share`` of their first threshold, and their salience, largest first.

    Still and unseen parts are omitted. For callers that ask many times a second.
    """
    return tuple((clause, salience) for clause, salience, _ in sorted(_clauses(measured, share, pair), key=_rank))


def says_all(clauses: Iterable[Clause], pair: PosePair) -> bool:
    """Return whether the clauses mention all limbs and parts of the body that the plan of a pair moves."""
    return _moving_limbs(make_plan(pair)) <= _moving_limbs(clauses)


def _moving_limbs(plan: Iterable[Clause]) -> set[tuple[Side, Part]]:
    """Return the limbs and parts that move, one side each."""
    return {
        (side, Part.BODY if clause.part is Part.HIPS else clause.part.limb)
        for clause in plan
        if clause.direction not in UNCHANGED
        for side in clause.side.each
    }


def _most_salient(clauses: list[_Entry], room: int) -> list[_Entry]:
    """Return the first ``room`` entries; ties at the end are all kept or all dropped.

    No choice between ties would survive the reversal of the pair.
    """
    if len(clauses) <= room:
        return clauses
    least = sorted((salience for _, salience, _ in clauses), reverse=True)[room - 1]
    entries = [entry for entry in clauses if entry[1] >= least]
    return entries if len(entries) <= max(room, MAX_CLAUSES) else [entry for entry in clauses if entry[1] > least]


def _clauses(measured: Changes, share: float, pair: PosePair, points: Collection[Key] = ()) -> list[_Entry]:
    """Return the clauses of changes that reach a share of their first threshold, or are at alignment ``points``."""
    if pair.uncertain:
        return _joined(sure_changes(measured, share, pair, points), pair)
    significant = {
        key: change for key, change in measured.items() if abs(change.size) >= share * change.measure.thresholds[0]
    }
    return _joined(without_repeats(significant, pair), pair)


def stayed(side: Side, part: Part, measured: Changes, pair: PosePair) -> bool:
    """Return whether all ``measured`` axes of a part changed by so little that the part counts as still."""
    axis_changes = [
        measured.get((m.side, m.part, m.direction)) for m in measures_of(side, part) if means_anything(m, pair)
    ]
    return bool(axis_changes) and all(
        change is not None
        and abs(change.size) < _STILL * change.measure.thresholds[0]
        and (not pair.uncertain or surely_still(change, pair))
        for change in axis_changes
    )


def _still_clauses(measured: Changes, room: int, pair: PosePair, plan: Plan) -> list[Clause]:
    """Return clauses on still parts to fill a short correction: what must not move is as useful as what must.

    Legs and trunk are skipped if the whole body moves: they keep their place within the body, but people do
    not say so.
    """
    clauses: list[Clause] = []
    body_moves = any(clause.part is Part.BODY for clause in plan)
    unseen = {clause.part for clause in plan if clause.direction is Direction.UNSEEN}
    for side, part in STILL_PARTS:
        if len(clauses) >= room:
            break
        barred = part in unseen or (body_moves and part in {Part.LEG, Part.TRUNK})
        if not barred and stayed(side, part, measured, pair):
            clauses.append(Clause(side, part, Direction.KEEP))
    return clauses


_Entry = tuple[Clause, float, Group]  # clause, salience, group


def _joined(remaining: Changes, pair: PosePair) -> list[_Entry]:
    """Return clauses with their salience and group; equal changes of left and right become one clause."""
    clauses: list[_Entry] = []
    joined_keys: set[Key] = set()
    for key, change in remaining.items():
        side, part, direction = key
        if key in joined_keys:
            continue
        joined_keys.add(key)
        twin_key = (side.mirrored, part, direction)
        twin = remaining.get(twin_key) if twin_key != key else None
        salience, mean = change.salience, change
        if (
            twin is not None
            and twin.direction is change.direction
            and abs(twin.thresholds_reached - change.thresholds_reached) <= 1
        ):
            joined_keys.add(twin_key)
            side = Side.BOTH
            salience = max(salience, twin.salience)
            mean = replace(change, size=(change.size + twin.size) / 2)
        by_side = [
            newly_reached(part, change.direction, pair, s) if _limb_seen(part, s, pair) else () for s in side.of_body
        ]
        relations = tuple(r for r in by_side[0] if all(r in side_relations for side_relations in by_side[1:]))
        degree = Degree.PLAIN if SAYS_HOW_FAR & set(relations) else _DEGREES[max(mean.thresholds_reached, 1) - 1]
        clauses.append((Clause(side, part, change.direction, degree, relations), salience, change.measure.group))
    return clauses


def _limb_seen(part: Part, side: BodySide, pair: PosePair) -> bool:
    """Return whether the whole limb is visible, since relations depend on its far end too."""
    hand = (f"{side}_hand",) if part.limb is Part.ARM else ()
    names = (*part.ends(Side(side)), *hand)
    return all(pair.target.visibility[INDEX[name]] >= VISIBLE for name in names)


def _rank(entry: _Entry) -> tuple[object, ...]:
    """Return the sort key: most salient first; ties by part and direction before side, so a mirror keeps the order."""
    clause, salience, _ = entry
    return (-salience, *_tie(clause))


def _tie(clause: Clause) -> tuple[object, ...]:
    return (
        _PART_ORDER.index(clause.part),
        _DIRECTION_ORDER.index(clause.direction),
        clause.degree,
        clause.relations,
        clause.side,
    )


def _ordered(clauses: list[_Entry]) -> list[_Entry]:
    """Return the entries grouped by body region, the group with the largest change first."""
    first = {group: min(_rank(entry) for entry in clauses if entry[2] == group) for group in {e[2] for e in clauses}}
    return sorted(clauses, key=lambda entry: (first[entry[2]], _rank(entry)))


PartAxis = tuple[Part, Direction]  # a part and its positive direction

# Alignment points of a shape that both people hold.
_NEAR_SLACKS = 1.5  # by which the less certain of two bodies may miss the ranges of a shape
_ALIGNED_DEGREES, _ALIGNED_LEGS = 8.0, 1 / 12  # smallest relevant difference, in degrees and in leg lengths
# Shares of the plausible bodies that must confirm a difference. Differences of hips and knees are seldom wrong in
# one shape; the height of the hips and the lean of the trunk are measured by many joints in any pair.
_SHARES: dict[Group, float] = {"legs": 0.65, "body": 0.65, "trunk": 0.7, "arms": 0.75}
_ALWAYS: dict[PartAxis, float] = {LEAN: 0.75, HEIGHT: 0.7}
_EVEN = 0.5
_FIRST_DEGREES = 1.0  # a measure with a smaller first threshold is a length


def shared_shapes(pair: PosePair) -> tuple[Shape, ...]:
    """Return the shapes that both poses very probably hold, on the same side of the body, the most specific first."""
    return tuple(shape for shape in SHAPES if any(_shared(shape, side, pair) for side in shape.sides))


def watched_axes(pair: PosePair) -> tuple[PartAxis, ...]:
    """Return the axes that a teacher checks in two photographs of one shape, most important first."""
    shapes = shared_shapes(pair) if pair.uncertain else ()
    return tuple(dict.fromkeys(axis for shape in shapes for axis in shape.watched))


def alignment_points(measured: Changes, axes: Sequence[PartAxis], pair: PosePair) -> Changes:
    """Return the large and certain changes along watched ``axes`` between two people in one pose.

    A lean and the height of the hips count in any pair, but need a larger share of plausible bodies.
    """
    found = {}
    for key, change in _counting(measured, (*axes, *_ALWAYS), pair).items():
        share = _SHARES[change.measure.group] if key[1:] in axes else _ALWAYS[key[1:]]
        if change.share >= share:
            found[key] = change
    return found


def likeliest_point(measured: Changes, axes: Sequence[PartAxis], pair: PosePair, least: float) -> Changes:
    """Return the most probable relevant changes, if at least a share ``least`` of the plausible bodies confirms them.

    Hips that are higher or lower by a first threshold need only an even chance, so that a seated person whose
    target stands is not told that all is well.
    """
    likely = {
        key: change
        for key, change in _counting(measured, (*axes, HEIGHT), pair).items()
        if change.share >= (_EVEN if key[1:] == HEIGHT and change.thresholds_reached else least)
    }
    most = max((change.share for change in likely.values()), default=1.0)
    return {key: change for key, change in likely.items() if change.share == most}


def place_among(axes: Sequence[PartAxis], clause: Clause) -> int:
    """Return the index of a clause among the watched ``axes``, or their number if it is not watched."""
    ways = ((clause.part, clause.direction), (clause.part, clause.direction.reverse))
    return next((place for place, axis in enumerate(axes) if axis in ways), len(axes))


def _shared(shape: Shape, side: Side, pair: PosePair) -> bool:
    poses = (pair.current, pair.target)
    if not all(shape.seen(pose, side) and near(shape.ranges, pose.joints, side, _NEAR_SLACKS) for pose in poses):
        return False
    surely = any(
        near(shape.ranges, pose.joints, side) and share_holding(shape.ranges, pose, side) >= HELD for pose in poses
    )
    return surely and all(share_holding(shape.ranges, pose, side, _NEAR_SLACKS) >= HELD for pose in poses)


def _counting(measured: Changes, axes: Sequence[PartAxis], pair: PosePair) -> Changes:
    return {key: change for key, change in measured.items() if key[1:] in axes and _counts(change, pair)}


def _counts(change: Change, pair: PosePair) -> bool:
    if change.measure.thresholds[0] >= _FIRST_DEGREES:
        return abs(change.size) >= _ALIGNED_DEGREES
    return abs(change.size) >= _ALIGNED_LEGS * _leg_length(pair)


def _leg_length(pair: PosePair) -> float:
    """Return the length of a leg in metres: the longer leg of each body, averaged over both bodies."""
    lengths = []
    for pose in (pair.current, pair.target):
        legs = [[point(pose.joints, f"{side}_{part}") for part in ("hip", "knee", "ankle")] for side in Side.BOTH.each]
        lengths.append(max(float(np.linalg.norm(np.diff(leg, axis=0), axis=-1).sum()) for leg in legs))
    return sum(lengths) / 2
