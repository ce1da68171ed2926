"""Changes of photographed poses: which are sure enough for a clause, and which limbs cannot be judged.

Every rule looks at sizes and shares alone, never at signs or sides; see
:mod:`fmp_models.geometry.planning.planner`. None of them touches poses whose joints are known: a simulator's texts stay
as they are, and datasets keep their fingerprint.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from fmp_models.geometry.changes import ENOUGH, LIMBS, Change, Changes, Key
from fmp_models.geometry.clauses import SWINGS, Clause, Direction, Part, Side
from fmp_models.geometry.measures import MEASURES, Measure
from fmp_models.geometry.planning.repeats import arm_swings, without_repeats
from fmp_models.geometry.plausibility import share_within
from fmp_models.geometry.pose_values import hand_over_shoulder, is_lying
from fmp_models.geometry.relations import reached
from fmp_models.pose import BODY_SIDES, BodySide, PosePair, support_side

# Shares of the plausible bodies that must bear out a plain change, a slight one, and a slight one that seldom matters.
# Where cameras measured the truth, what this says beyond 0.8 and 0.88 is right in four clauses of five.
_SURE, _SURER, _SUREST = 0.7, 0.8, 0.93
CERTAIN = 0.8  # of what must not fail: that a part stays, or has come to the end that is named
_MINOR, _PLAINER = 0.7, 1.3  # measures that weigh less, and where feet stand, must change by so many first steps
_LIKELY = 0.6  # share of the plausible bodies that is more than a guess
_DOUBT = 0.25  # share of plausible bodies in which a limb moved plainly, unsaid
_AS_MUCH = 0.6  # of the salience of raising an arm: the way it goes as well is then worth a clause
_ALIKE = 0.8  # of the salience of another way that an arm goes: neither alone tells where it goes
_STAYED = 1.5  # first steps: most plausible bodies change by less where a part is called still
_SIDES = Side.BOTH.each
_TURNS: tuple[Key, Key] = (
    (Side.NONE, Part.BODY, Direction.TURN_LEFT),
    (Side.NONE, Part.TRUNK, Direction.TURN_LEFT),
)
_STEPS = {(Part.FOOT, Direction.OUT), (Part.FOOT, Direction.FORWARD)}
_END_OF = {direction: relation for relation, direction in SWINGS.items()}


def sure_changes(measured: Changes, share: float, pair: PosePair) -> Changes:
    """The changes of two photographs that are worth a clause: sure ones that reach a share of their first step."""
    sure = {key: change for key, change in measured.items() if is_sure(change, pair, share)}
    remaining = without_repeats(sure, pair)
    remaining |= _swings(sure, remaining, pair)
    remaining = {key: change for key, change in remaining.items() if not _goes_with_arm(key, change, remaining)}
    _leave_one_way(remaining)
    return remaining | _lacking_swings(sure, remaining, pair)


def _leave_one_way(remaining: Changes) -> None:
    """Leave out arms, forearms and hands, or turns, of which one goes the other way."""
    for side in _SIDES:
        for part in (Part.FOREARM, Part.HAND):
            _without_opposites(remaining, (side, Part.ARM, Direction.UP), (side, part, Direction.UP))
    _without_opposites(remaining, *_TURNS)


def sure_axes(measured: Changes, pair: PosePair) -> Changes:
    """Every change that is sure enough to be said, those that repeat each other too.

    Left out are the smaller of two that a reader takes for opposites, and steps of a foot that carries the body.
    """
    sure = {key: change for key, change in measured.items() if is_sure(change, pair)}
    _leave_one_way(sure)
    support = support_side(pair)
    standing = {side for side in _SIDES if support is None or side == support}
    return {key: sure[key] for key in sure if not (key[0] in standing and key[1:] in _STEPS)}


def likeliest_changes(measured: Changes) -> Changes:
    """What to say where nothing is sure, so that nobody is told that all is well: the likeliest plain change.

    Empty where nothing changed by a first step, or nothing more likely than not.
    """
    likely = {key: change for key, change in measured.items() if change.steps and change.share >= _LIKELY}
    most = max((change.share for change in likely.values()), default=1.0)
    return {key: change for key, change in likely.items() if change.share == most}


def _without_opposites(remaining: Changes, first_key: Key, second_key: Key) -> None:
    """Of two that a reader takes for opposites leave the larger, and ``first_key`` of two that are as large.

    An upper arm that goes up while its hand goes down, or hips that turn one way and shoulders back the other, is most
    often one joint that was seen wrongly.
    """
    first, second = remaining.get(first_key), remaining.get(second_key)
    if first is not None and second is not None and (first.size > 0) != (second.size > 0):
        remaining.pop(second_key if first.salience >= second.salience else first_key)


def is_sure(change: Change, pair: PosePair, share: float = 1.0) -> bool:
    """Whether a change of a ``share`` of its first step is plain or surer; what seldom matters must be plainer."""
    first, plain, _ = change.measure.steps
    lying = is_lying(pair.current.joints) or is_lying(pair.target.joints)
    minor = lying or change.measure.weight < _MINOR or change.measure.needs_feet
    least = share * first * (_PLAINER if minor else 1.0)
    sure = _SURE if abs(change.size) >= plain else _SUREST if minor else _SURER
    return abs(change.size) >= least and change.share >= sure and not _carried(change, pair)


def _carried(change: Change, pair: PosePair) -> bool:
    """Whether a hand is higher or lower only because the trunk has carried its shoulder there."""
    measure = change.measure
    if (measure.part, measure.direction) != (Part.HAND, Direction.UP):
        return False
    before, after = (hand_over_shoulder(pose.joints, measure.side.of_body[0]) for pose in (pair.current, pair.target))
    rise = float(after - before)
    return (rise if change.size > 0 else -rise) < ENOUGH * measure.steps[0]


def _goes_with_arm(key: Key, change: Change, remaining: Changes) -> bool:
    """Whether a hand goes where its arm is said to go."""
    side, part, direction = key
    arm = remaining.get((side, Part.ARM, direction))
    return part is Part.HAND and arm is not None and arm.direction is change.direction


def _swings(sure: Changes, remaining: Changes, pair: PosePair) -> Changes:
    """The way that raised or lowered arms go as well, where that is much and their ends do not all say it."""
    arms = {
        s: remaining[Side(s), Part.ARM, Direction.UP]
        for s in BODY_SIDES
        if (Side(s), Part.ARM, Direction.UP) in remaining
    }
    swung = {}
    for direction in SWINGS.values():
        if all(_ends(direction, pair, body_side) for body_side in arms):
            continue
        for body_side, arm in arms.items():
            swings = arm_swings(Side(body_side))
            key = max((key for key in swings if key in sure), key=lambda key: sure[key].salience, default=None)
            if key is not None and key[2] is direction and sure[key].salience >= _AS_MUCH * arm.salience:
                swung[key] = sure[key]
    return swung


def _lacking_swings(sure: Changes, remaining: Changes, pair: PosePair) -> Changes:
    """The way that an arm goes where nothing of it is left, where it goes further than up, and the other of two alike.

    Swings are left out beside a raised arm, and that may have been left out itself, or be the least of all.
    """
    lacking = {}
    for side in _SIDES:
        swings = arm_swings(side)
        candidates = [key for key in swings if key in sure and key not in remaining]
        if not candidates:
            continue
        key = max(candidates, key=lambda key: sure[key].salience)
        raised = remaining.get((side, Part.ARM, Direction.UP))
        least = [_ALIKE * remaining[swing].salience for swing in swings if swing in remaining]
        if raised is not None:
            if raised.steps > 1 and _ends(key[2], pair, side.of_body[0]):
                continue
            least.append(raised.salience / _ALIKE)
        if (side, Part.HAND, key[2]) not in remaining and sure[key].salience >= max(least, default=0.0):
            lacking[key] = sure[key]
    return lacking


def _ends(direction: Direction, pair: PosePair, side: BodySide) -> bool:
    """Whether an arm is where a swing leads before or after: raising it says so then, and lowering it need not."""
    return any(
        _END_OF[direction] in reached(Part.ARM, Direction.REACH, p.joints, side) for p in (pair.current, pair.target)
    )


def unseen_limbs(pair: PosePair, plan: Iterable[Clause]) -> Iterator[Clause]:
    """Limbs and forearms that may well have moved plainly, though the ``plan`` says nothing of them."""
    plan = tuple(plan)

    def mentioned(side: Side, parts: Collection[Part]) -> bool:
        return any(clause.part in parts and side in clause.side.each for clause in plan)

    def doubtful(side: Side, parts: Collection[Part]) -> bool:
        shares = (1 - share_within(m, pair, m.steps[1]) for m in _main(side, parts))
        return not mentioned(side, parts) and max(shares) > _DOUBT

    for limb, parts in LIMBS.items():
        yield from _unseen(limb, [side for side in _SIDES if doubtful(side, parts)])
    # An arm that is spoken of may still have an elbow that nobody could see.
    yield from _unseen(
        Part.FOREARM,
        [
            s
            for s in _SIDES
            if mentioned(s, {Part.ARM}) and not mentioned(s, {Part.FOREARM, Part.HAND}) and doubtful(s, {Part.ELBOW})
        ],
    )


def _unseen(part: Part, sides: Sequence[Side]) -> Iterator[Clause]:
    if sides:
        yield Clause(Side.BOTH if len(sides) > 1 else sides[0], part, Direction.UNSEEN)


def _main(side: Side, parts: Collection[Part]) -> list[Measure]:
    """Measures of a side that matter, mean something for every body and do not depend on the other side's limb."""
    return [
        m
        for m in MEASURES
        if m.part in parts and m.side is side and m.weight > _MINOR and not m.needs_feet
        if all(name.startswith(side.value) or name.endswith("hip") for name in m.joints)
    ]


def surely_still(change: Change, pair: PosePair) -> bool:
    """Whether most plausible bodies keep their place along an axis."""
    return share_within(change.measure, pair, _STAYED * change.measure.steps[0]) >= CERTAIN
