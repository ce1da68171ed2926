"""What if: changes of a target pose in words, carried out, and the clauses of its text that are new and gone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from fmp_models.counterfactual.edits import (
    MAX_EDITS,
    Edit,
    Group,
    change_text,
    edit_phrase,
    group_edits,
    movements_said,
    one_sided,
    share_bones,
    updated_clauses,
)
from fmp_models.describe import CheckedClause, describe_plan, speak
from fmp_models.errors import BadInputError
from fmp_models.geometry import UNCHANGED, Clause, Degree, Direction, Plan, Side, execute_alone, make_plan, unit
from fmp_models.inference import read_description
from fmp_models.languages import LANGUAGES, canonical, counterfactual_words, grammar
from fmp_models.pose import BONES, INDEX, Array, Pose, PosePair, joints_as_json

_BY_CLAUSE = {edit.clause: edit for group in Group for edit in group_edits(group)}
LISTED_EDITS = tuple(edit for clause, edit in _BY_CLAUSE.items() if clause.degree is Degree.PLAIN)


@dataclass(frozen=True)
class ImaginedText:
    """The text about a pair whose target is imagined otherwise.

    ``steps`` are its sentences and ``clauses`` its clauses, each with whether it is new. ``gone`` are clauses that only
    the text about the real target says.
    """

    imagined: str
    language: str
    text: str
    steps: tuple[tuple[str, bool], ...]
    clauses: tuple[tuple[CheckedClause, bool], ...]
    gone: tuple[str, ...]
    edits: tuple[Edit, ...]
    target: Pose

    @property
    def changed(self) -> bool:
        """Whether the text follows; else the change is too small, or of joints that nothing certain is said of."""
        return bool(self.gone) or any(new for _, new in self.clauses)

    def as_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries for ``json.dumps``."""
        clauses = [
            {"text": one.text, "part": one.part, "direction": one.direction, "changed": "new" if new else "kept"}
            for one, new in self.clauses
        ]
        said = {"imagined": self.imagined, "outcome": "changed" if self.changed else "unchanged", "text": self.text}
        target = joints_as_json(self.target.joints)
        return {**said, "clauses": clauses, "gone": [*self.gone], "target_joints": target, "language": self.language}


def imagine(pair: PosePair, changes: Sequence[str], language: str) -> ImaginedText:
    """Return the text about a pair after changes of its target such as "left hand at head height".

    What the joints show unchanged is said as before. Raise :class:`BadInputError`: ``unknown_language``,
    ``change_impossible``, and the errors of :func:`read_edits`.
    """
    grammar(language)
    edits = read_edits(changes)
    after = replace(pair, target=_imagined_pose(edits, pair.target, language))
    before, fresh = make_plan(pair), make_plan(after)
    said = movements_said(before)
    updated = updated_clauses(said, movements_said(fresh), pair, after)
    plan = _both_sides(clause for clause in one_sided(before + fresh) if clause in updated)
    plan += tuple(clause for clause in fresh if clause.direction in UNCHANGED)
    gone = _both_sides(clause for clause in one_sided(before) if clause not in updated)
    speech = speak(plan, after, language)
    return ImaginedText(
        imagined=change_text(edits, language),
        language=language,
        text=speech.text,
        steps=tuple((step.text, not movements_said(step.moves) <= said) for step in speech.steps),
        clauses=tuple(
            (one, not movements_said((one.clause,)) <= said) for one in describe_plan(plan, after, language).steps
        ),
        gone=tuple(one.text for one in describe_plan(gone, pair, language).steps),
        edits=edits,
        target=after.target,
    )


def _both_sides(clauses: Iterable[Clause]) -> Plan:
    """Return clauses of one side, those of two equal sides as one."""
    found = dict.fromkeys(clauses)
    return tuple(
        dict.fromkeys(
            replace(clause, side=Side.BOTH)
            if clause.side.mirrored is not clause.side and replace(clause, side=clause.side.mirrored) in found
            else clause
            for clause in found
        )
    )


def read_edits(changes: Sequence[str]) -> tuple[Edit, ...]:
    """Return the edits that changes ask for, each in any language.

    Raise :class:`BadInputError`: ``changes_count``, ``change_unknown``, ``changes_together``, and the errors of
    ``read_description``.
    """
    asked = [edits for change in changes[: MAX_EDITS + 1] for edits in _read_change(change)]
    if not 0 < len(asked) <= MAX_EDITS:
        raise BadInputError("changes_count", most=MAX_EDITS)
    edits = tuple(edit for each in asked for edit in each)
    if share_bones(edits):
        raise BadInputError("changes_together")
    return edits


def _read_change(change: str) -> list[tuple[Edit, ...]]:
    """Return the edits of each clause of a change: one, or one for each side."""
    listed = _edits_by_phrase().get(_as_phrase(change))
    if listed is not None:
        return [(listed,)]
    clauses = read_description(change, None).reading.clauses
    found = [_edits_of(one.goal) for one in clauses]
    if not found or not all(found):
        raise BadInputError("change_unknown", change=canonical(change).strip())
    return found


def _edits_of(clause: Clause) -> tuple[Edit, ...]:
    """Return the edits of a clause's part or limb, on each of its sides, that lead to the first end that has any."""
    degree = Degree.SLIGHT if clause.degree is Degree.SLIGHT else Degree.PLAIN
    ends = [*((Direction.REACH, Degree.PLAIN, (end,)) for end in clause.relations), (clause.direction, degree, ())]
    for end, part, sides in product(ends, (clause.part, clause.part.limb), ((clause.side,), clause.side.each)):
        edits = [_BY_CLAUSE.get(Clause(side, part, *end)) for side in sides]
        if all(edits):
            return tuple(filter(None, edits))
    return ()


@cache
def _edits_by_phrase() -> dict[str, Edit]:
    return {_as_phrase(edit_phrase(edit, language)): edit for language in LANGUAGES for edit in _BY_CLAUSE.values()}


def _as_phrase(text: str) -> str:
    phrase = " ".join(canonical(text).casefold().split())
    for language in LANGUAGES:
        phrase = phrase.removeprefix(counterfactual_words(language)["article"])
    return phrase


def _imagined_pose(edits: Sequence[Edit], target: Pose, language: str) -> Pose:
    """Return a pose after edits.

    In every plausible body, the bones that an edit turns point as it says; all others are as uncertain as before.
    """
    for edit in edits:
        after = execute_alone(edit.clause, target, edit.joints)
        if after is None:
            raise BadInputError("change_impossible", change=edit_phrase(edit, language))
        turned = _shoulders_and_head(after.joints).T @ _shoulders_and_head(target.joints)
        bodies = target.pose_samples
        if bodies is not None and edit.group is Group.TURN:
            bodies = bodies @ turned.T
        elif bodies is not None:
            bodies = _with_bones_of(after.joints, edit.joints, bodies)
        gazes = None if target.gazes is None else target.gazes @ turned.T
        target = replace(target, joints=after.joints, pose_samples=bodies, gazes=gazes)
    return target


def _with_bones_of(joints: Array, outer: Collection[str], bodies: Array) -> Array:
    """Return bodies (m, 20, 3) whose bones to the ``outer`` joints are those of one body."""
    changed, own = np.array(bodies), {INDEX[name] for name in outer}
    for parent, child in BONES:
        bone = joints[child] - joints[parent] if child in own else bodies[:, child] - bodies[:, parent]
        changed[:, child] = changed[:, parent] + bone
    return changed


def _shoulders_and_head(joints: Array) -> Array:
    """Return axes of the shoulders and the head, which turn with the face, as the rows of a matrix."""
    ends = (("right_shoulder", "left_shoulder"), ("neck", "head"))
    across, up = (joints[INDEX[end]] - joints[INDEX[start]] for start, end in ends)
    up = unit(up)
    left = unit(across - (across @ up) * up)
    return np.stack([left, up, np.cross(left, up)])
