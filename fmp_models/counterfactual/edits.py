"""Edits of a target pose: clauses that are carried out on one group of the body, while all other bones stay.

An edit names a group, such as the left arm, and where it ends. The pose is what the execution of its clause makes of
the group's bones: limits hold, bones keep their lengths, and the feet stay on the floor. The text of a pose pair should
change in the edited groups and nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fmp_models.geometry import (
    BODY_TURNS,
    PAIRED,
    UNCHANGED,
    Clause,
    Degree,
    Direction,
    Part,
    Plan,
    Relation,
    Side,
    axes_of,
    change_of,
    execute_alone,
    holds,
    make_plan,
)
from fmp_models.languages import counterfactual_words, fill_blanks
from fmp_models.pose import JOINTS, Pose, PosePair

MAX_EDITS = 3
_TRIES = 12
_ENOUGH = 1 / 3  # share of the first threshold from which a measured change is another one


class Group(StrEnum):
    """Group of the body that an edit changes."""

    ARM = "arm"
    FOREARM = "forearm"
    LEG = "leg"
    KNEE = "knee"
    HEAD = "head"
    TRUNK = "trunk"
    TURN = "turn"
    STANCE = "stance"


class GroupRow(NamedTuple):
    """Sides, outer joints of the bones that turn, parts whose clauses speak of the group, and ends of its parts."""

    sides: tuple[Side, ...]
    joints: tuple[str, ...]
    said: frozenset[Part]
    ends: Mapping[Part, tuple[Relation | Direction, ...]]


_D, _R, _EACH, _NO_SIDE = Direction, Relation, Side.BOTH.each, (Side.NONE,)
_OF_ARM, _LEG = (
    frozenset(part for part in Part if part.of_limb and part.limb is limb) for limb in (Part.ARM, Part.LEG)
)
_ARM_ENDS = (_R.HANGING, _R.SHOULDER_HEIGHT, _R.OVERHEAD, _R.SIDEWAYS, _R.IN_FRONT)
_ARM_WAYS = (_D.UP, _D.DOWN, _D.FORWARD, _D.BACKWARD, _D.OUT, _D.IN)
_HAND_ENDS = (_R.ABOVE_HEAD, _R.NEAR_HEAD, _R.HEAD_HEIGHT, _R.SHOULDER_HEIGHT, _R.CHEST_HEIGHT, _R.HIP_HEIGHT)
_HINGE = (_R.RIGHT_ANGLE, _R.STRAIGHT, _D.BEND, _D.STRAIGHTEN)
_LEANS, _TURNS = (_D.FORWARD, _D.BACKWARD, _D.LEFT, _D.RIGHT), (_D.TURN_LEFT, _D.TURN_RIGHT)
_FEET = (_R.CLOSE, _R.SHOULDER_WIDTH, _R.WIDE, _D.APART, _D.TOGETHER)
_SPINE = ("spine", "neck", "head", "left_shoulder", "right_shoulder")
_ARM, _SHANK = ("elbow", "wrist", "hand"), ("knee", "ankle", "foot")
GROUPS: Mapping[Group, GroupRow] = {
    Group.ARM: GroupRow(
        _EACH, _ARM, _OF_ARM, {Part.ARM: (*_ARM_ENDS, *_ARM_WAYS), Part.HAND: (*_HAND_ENDS, _R.NEAR_HIP)}
    ),
    Group.FOREARM: GroupRow(
        _EACH, _ARM[1:], _OF_ARM - {Part.ARM}, {Part.ELBOW: _HINGE, Part.FOREARM: (_R.OVERHEAD, _R.HANGING)}
    ),
    Group.LEG: GroupRow(_EACH, _SHANK, _LEG, {Part.LEG: (_R.HIP_HEIGHT, _R.ON_GROUND, _D.UP)}),
    Group.KNEE: GroupRow(_EACH, _SHANK, _LEG, {Part.KNEE: _HINGE}),
    Group.HEAD: GroupRow(_NO_SIDE, ("head",), frozenset({Part.HEAD}), {Part.HEAD: _LEANS}),
    Group.TRUNK: GroupRow(
        _NO_SIDE, _SPINE, frozenset({Part.TRUNK, Part.SHOULDER}), {Part.TRUNK: (*_LEANS, *_TURNS, _R.UPRIGHT)}
    ),
    Group.TURN: GroupRow(_NO_SIDE, JOINTS, frozenset({Part.BODY}), {Part.BODY: _TURNS}),
    Group.STANCE: GroupRow((Side.BOTH,), _SHANK, frozenset({Part.FOOT, Part.HIPS, Part.BODY}), {Part.FOOT: _FEET}),
}


@dataclass(frozen=True)
class Edit:
    """One edit: a group, and the clause that is carried out on it."""

    group: Group
    clause: Clause

    @property
    def joints(self) -> tuple[str, ...]:
        """The outer joints of the bones that turn."""
        names, side = GROUPS[self.group].joints, self.clause.side
        return names if side is Side.NONE else tuple(f"{each}_{name}" for each in side.of_body for name in names)

    def covers(self, clause: Clause) -> bool:
        """Return whether a clause of a text, on one side, speaks of what is edited."""
        turns = clause.part is Part.BODY and clause.direction in BODY_TURNS
        either = bool({self.clause.side, clause.side} & {Side.BOTH, Side.NONE})
        said = clause.part in GROUPS[self.group].said and turns is (self.group is Group.TURN)
        return said and (either or self.clause.side is clause.side)


def group_edits(group: Group) -> tuple[Edit, ...]:
    """Return every edit of a group: on each side, each end, and each way slightly and plainly."""
    return tuple(
        Edit(group, Clause(side, part, *movement))
        for side in GROUPS[group].sides
        for part, ends in GROUPS[group].ends.items()
        for end in ends
        for movement in _movements(end)
    )


def _movements(end: Relation | Direction) -> Iterator[tuple[Direction, Degree, tuple[Relation, ...]]]:
    if isinstance(end, Relation):
        yield Direction.REACH, Degree.PLAIN, (end,)
    else:
        yield from ((end, degree, ()) for degree in (Degree.SLIGHT, Degree.PLAIN))


def apart(edits: Sequence[Edit]) -> bool:
    """Return whether edits are of different groups that share no bone."""
    return len({edit.group for edit in edits}) == len(edits) and not share_bones(edits)


def share_bones(edits: Sequence[Edit]) -> bool:
    """Return whether two edits turn the same bone; a turn of the whole body shares none with others."""
    bones = [{edit.group} if edit.group is Group.TURN else {*edit.joints} for edit in edits]
    return any(first & second for first, second in combinations(bones, 2))


def change_text(edits: Sequence[Edit], language: str) -> str:
    """Return the sentence that asks to imagine the edits: "Imagine the left hand at head height."."""
    words = counterfactual_words(language)
    phrases = [edit_phrase(edit, language) for edit in edits]
    listed = words["and"].join(filter(None, (words["comma"].join(phrases[:-1]), phrases[-1])))
    return str(words["imagine"].format(changes=listed))


def part_words(edit: Edit, language: str) -> str:
    """Return the part of an edit in words: "left hand"."""
    words, clause = counterfactual_words(language), edit.clause
    return fill_blanks(words["parts"][clause.part.value], **words["sides"].get(clause.side.value, {}))


def edit_phrase(edit: Edit, language: str) -> str:
    """Return an edit as a part of a sentence: "the left hand at head height"."""
    words, clause = counterfactual_words(language), edit.clause
    end = clause.relations[0] if clause.relations else clause.direction
    blanks = {"degree": words["degrees"][clause.degree.value], **words["sides"].get(clause.side.value, {})}
    return fill_blanks(words["ends"][clause.part.value][end.value], **blanks)


def movements_said(plan: Plan) -> frozenset[Clause]:
    """Return the clauses of a plan that move something, one side each."""
    return frozenset(one_sided(plan))


def one_sided(plan: Plan) -> Iterator[Clause]:
    """Yield the same in the order of the plan."""
    for clause in plan:
        if clause.direction not in UNCHANGED:
            for side in (clause.side,) if clause.direction in PAIRED else clause.side.each:
                yield replace(clause, side=side)


def follows(edits: Sequence[Edit], before: frozenset[Clause], after: frozenset[Clause]) -> tuple[bool, bool]:
    """Return whether what two texts say differs in every edited group, and whether it differs in no other."""
    differing = before ^ after
    return (
        all(any(edit.covers(clause) for clause in differing) for edit in edits),
        all(any(edit.covers(clause) for edit in edits) for clause in differing),
    )


def updated_clauses(
    before: frozenset[Clause], fresh: frozenset[Clause], pair: PosePair, after: PosePair
) -> frozenset[Clause]:
    """Return what is said ``before`` of a pair if its joints stay the same ``after`` edits, and else what is fresh."""
    return frozenset(
        clause
        for said, differs in ((before, False), (fresh, True))
        for clause in said
        if _altered(clause, pair, after) is differs
    )


def _altered(clause: Clause, *pairs: PosePair) -> bool:
    """Return whether the joints of two pairs differ in what a clause says: in its movement, or in its end."""
    for measure, _ in axes_of(clause):
        before, after = (0.0 if (found := change_of(measure, pair)) is None else found.size for pair in pairs)
        if abs(after - before) > _ENOUGH * measure.thresholds[0]:
            return True
    return any(len({holds(clause, relation, pair.target) for pair in pairs}) > 1 for relation in clause.relations)


def edited(pair: PosePair, edits: Sequence[Edit]) -> tuple[Pose | None, bool]:
    """Return the target pose after the edits, and whether the geometry's text changes in their groups and no other.

    The pose is ``None`` if an edit cannot be carried out.
    """
    target: Pose | None = pair.target
    for edit in edits:
        target = None if target is None else execute_alone(edit.clause, target, edit.joints)
    if target is None:
        return None, False
    before, after = (movements_said(make_plan(one)) for one in (pair, replace(pair, target=target)))
    return target, all(follows(edits, before, after))


def draw_edits(
    pair: PosePair, number: int, generator: np.random.Generator, dropped: Counter[str] | None = None
) -> tuple[tuple[Edit, ...], Pose] | None:
    """Draw edits of so many groups that the geometry's text follows, each alone and all together.

    Return them with the edited target, ``None`` if there are none within some tries. ``dropped`` counts edits that are
    ``impossible``, and those whose ``text`` changes in another group or not in theirs.
    """
    kept: tuple[Edit, ...] = ()
    dropped = Counter() if dropped is None else dropped
    for _ in range(_TRIES):
        group = group_edits([*Group][generator.integers(len(Group))])
        drawn = group[generator.integers(len(group))]
        if not apart((*kept, drawn)):
            continue
        for edits in dict.fromkeys([(drawn,), (*kept, drawn)]):
            target, followed = edited(pair, edits)
            if target is None or not followed:
                dropped["impossible" if target is None else "text"] += 1
                break
        else:
            kept = (*kept, drawn)
            if target is not None and len(kept) == number:
                return kept, target
    return None
