"""What two photographs show surely enough to say, and which limbs they do not show well enough to judge.

Every rule looks at sizes and shares alone, never at signs or sides; see :mod:`fmp_models.describe.planning`. None of
them touches poses whose joints are known: a simulator's texts stay as they are, and datasets keep their fingerprint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fmp_models.describe.changes import BODY_SIDES, LIMBS, Change, Changes, Key, measures_of
from fmp_models.describe.clauses import Clause, Direction, Part, Relation, Side
from fmp_models.describe.measures import Measure
from fmp_models.describe.plausibility import share_within
from fmp_models.describe.pose_values import is_lying
from fmp_models.describe.relations import reached
from fmp_models.describe.repeats import without_repeats
from fmp_models.pose import BodySide, PosePair

_SURE, _SURER = 0.75, 0.9  # shares of the plausible bodies that must bear a change out
_MINOR, _PLAINER = 0.7, 1.3  # measures that weigh less, and where feet stand, must change by so many first steps
_DOUBT, _SLIGHT_DOUBT = 0.35, 0.15  # shares of plausible bodies in which a limb moved plainly, unsaid
_AS_MUCH = 0.6  # of the salience of raising an arm: the way it goes as well is then worth a clause
_STAYED = 1.5  # first steps: most plausible bodies change by less where a part is called still
_LEANS: tuple[Key, Key] = ((Side.NONE, Part.TRUNK, Direction.FORWARD), (Side.NONE, Part.TRUNK, Direction.LEFT))


def sure_changes(measured: Changes, share: float, pair: PosePair) -> Changes:
    """The changes of two photographs that are worth a clause: sure ones that reach a share of their first step."""
    told = _surest_lean({key: change for key, change in measured.items() if _told(change, share, pair)})
    said = without_repeats(told, pair)
    said |= _swings(told, said, pair)
    return {key: change for key, change in said.items() if not _goes_with_arm(key, change, said)}


def _told(change: Change, share: float, pair: PosePair) -> bool:
    """Whether a change is plain and sure; what seldom matters must be plainer than the rest."""
    first = share * change.measure.steps[0]
    lying = is_lying(pair.current.joints) or is_lying(pair.target.joints)
    minor = lying or change.measure.weight < _MINOR or change.measure.needs_feet
    return abs(change.size) >= first * (_PLAINER if minor else 1.0) and change.share >= (_SURER if minor else _SURE)


def _surest_lean(told: Changes) -> Changes:
    """Of leaning forward and aside the larger: where the hips seem a little turned, one looks like the other."""
    smaller = min((key for key in _LEANS if key in told), key=lambda key: abs(told[key].size), default=None)
    both = all(key in told for key in _LEANS)
    return {key: change for key, change in told.items() if not (both and key == smaller)}


def _goes_with_arm(key: Key, change: Change, said: Changes) -> bool:
    """Whether a hand goes where its arm is said to go."""
    side, part, way = key
    arm = said.get((side, Part.ARM, way))
    return part is Part.HAND and arm is not None and arm.direction is change.direction


def _swings(told: Changes, said: Changes, pair: PosePair) -> Changes:
    """The way that raised or lowered arms go as well, where that is much and their ends do not all say it."""
    arms = {s: said[Side(s), Part.ARM, Direction.UP] for s in BODY_SIDES if (Side(s), Part.ARM, Direction.UP) in said}
    found = {}
    for way, relation in ((Direction.OUT, Relation.SIDEWAYS), (Direction.FORWARD, Relation.IN_FRONT)):
        if all(_ends(relation, pair, body_side) for body_side in arms):
            continue
        for body_side, arm in arms.items():
            swings = [(Side(body_side), Part.ARM, one) for one in (Direction.OUT, Direction.FORWARD)]
            key = max((key for key in swings if key in told), key=lambda key: told[key].salience, default=None)
            if key is not None and key[2] is way and told[key].salience >= _AS_MUCH * arm.salience:
                found[key] = told[key]
    return found


def _ends(relation: Relation, pair: PosePair, side: BodySide) -> bool:
    """Whether the arm is there before or after: where raising it says the relation, lowering it needs none."""
    return any(relation in reached(Part.ARM, Direction.REACH, p.joints, side) for p in (pair.current, pair.target))


def unseen_limbs(pair: PosePair, plan: Iterable[Clause]) -> Iterator[Clause]:
    """Limbs that may well have moved plainly, though the ``plan`` says nothing of them; sooner where it is empty."""
    plan = tuple(plan)
    said = frozenset(_limbs_of(plan))
    doubt = _DOUBT if plan else _SLIGHT_DOUBT
    for limb in LIMBS:
        doubtful = [
            side
            for side in (Side.LEFT, Side.RIGHT)
            if (side, limb) not in said
            and max(1 - share_within(m, pair, m.steps[1]) for m in _main_measures(side, limb)) > doubt
        ]
        if doubtful:
            yield Clause(Side.BOTH if len(doubtful) > 1 else doubtful[0], limb, Direction.UNSEEN)


def _main_measures(side: Side, limb: Part) -> list[Measure]:
    """Those of a limb that mean something for every body and matter."""
    return [m for m in measures_of(side, limb) if m.side is side and m.weight > _MINOR and not m.needs_feet]


def _limbs_of(plan: Iterable[Clause]) -> Iterator[tuple[Side, Part]]:
    """The limbs, one side each, that clauses move."""
    for clause in plan:
        limb = next((limb for limb, parts in LIMBS.items() if clause.part in parts), None)
        if limb is not None and clause.direction not in {Direction.KEEP, Direction.UNSEEN}:
            for side in (Side.LEFT, Side.RIGHT) if clause.side is Side.BOTH else (clause.side,):
                yield side, limb


def surely_still(change: Change, pair: PosePair) -> bool:
    """Whether most plausible bodies keep their place along an axis."""
    return share_within(change.measure, pair, _STAYED * change.measure.steps[0]) >= _SURE
