"""Edited texts: what was given, what it became, every operation between, and the interface of their editors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from fmp_models.common import ADD, DELETE, KEEP, text_after, word_edits
from fmp_models.describe import CheckedClause
from fmp_models.editing.operations import EditOperation, Reason, count_rounds, editing_steps, in_rounds, replay_edits
from fmp_models.errors import BadInputError
from fmp_models.geometry import (
    Clause,
    Degree,
    Direction,
    Relation,
    agrees,
    axes_of,
    change_of,
    confidence,
    relation_excess,
)
from fmp_models.inference import MeasuredPhotographs, ModelName, checked_clauses
from fmp_models.pose import PosePair


@dataclass(frozen=True)
class EditedText:
    """A ``given`` text and its edited ``text``; ``operations`` replay to both to the letter.

    ``clauses`` are those of the edited text and ``removed`` the clauses of the given one that contradict the joints,
    with their words in the given text.
    """

    given: str
    text: str
    language: str
    operations: tuple[EditOperation, ...]
    clauses: tuple[CheckedClause, ...]
    removed: tuple[CheckedClause, ...]
    model: ModelName
    milliseconds: dict[str, float] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        """The number of rounds; 0 if the given text was right."""
        return count_rounds(self.operations)

    @property
    def editing_steps(self) -> int:
        """The number of words deleted and added."""
        return editing_steps(self.operations)

    def after(self, rounds: int) -> str:
        """Return the text after that many rounds; 0 gives the given text."""
        return text_after(replay_edits(self.operations, rounds))

    def as_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries for ``json.dumps``."""
        return {
            "text": self.text,
            "given": self.given,
            "language": self.language,
            "operations": [asdict(operation) for operation in self.operations],
            "rounds": self.rounds,
            "editing_steps": self.editing_steps,
            "clauses": [clause.as_json() for clause in self.clauses],
            "removed": [clause.as_json() for clause in self.removed],
            "model": asdict(self.model),
            "milliseconds": self.milliseconds,
        }


def edited_text(given: str, text: str, language: str, pair: PosePair, model: ModelName) -> EditedText:
    """Return the edit between two texts about a pair, with the clauses of the edited one and the reasons."""
    clauses, before = (
        tuple(
            replace(one, agrees=clause_verdict(one.clause, pair))
            for one in checked_clauses(written, language, pair, lambda clause, _: confidence(clause, pair))
        )
        for written in (text, given)
    )
    said, left = ({one.clause for one in of} for of in (before, clauses))
    removed = tuple(one for one in before if one.agrees is False and one.clause not in left)
    if pair.uncertain:  # contradicted too weakly to delete it
        clauses = tuple(replace(one, agrees=None) if not one.agrees and one.clause in said else one for one in clauses)
    operations = with_reasons(
        in_rounds(word_edits(given, text)), removed, [one for one in clauses if one.clause not in said]
    )
    return EditedText(given, text, language, operations, clauses, removed, model)


def with_reasons(
    operations: Iterable[EditOperation], removed: Sequence[CheckedClause], new: Sequence[CheckedClause]
) -> tuple[EditOperation, ...]:
    """Return operations of any editor with their reasons.

    ``removed`` are the clauses of the given text that contradict the joints, ``new`` those of the edited text that
    the given one lacks. A new clause that shares two of side, part and direction with a removed one replaces it;
    the others were missing.
    """
    missing = list(new)
    for old in removed:
        replaced = max(missing, key=lambda one: _alike(one.clause, old.clause), default=None)
        if replaced is not None and _alike(replaced.clause, old.clause) > 1:
            missing.remove(replaced)
    explained, place = [], [0, 0]  # of the next word in the given text and in the edited one
    for operation in operations:
        reason: Reason | None = None if operation.op == KEEP else "wording"
        if any(start <= place[0] < end + (operation.op == ADD) for start, end in (one.words for one in removed)):
            reason = reason and "false"
        if operation.op == ADD and any(start <= place[1] < end for start, end in (one.words for one in missing)):
            reason = "missing"
        explained.append(replace(operation, reason=reason))
        written = not operation.token.isspace()
        place[0] += written and operation.op != ADD
        place[1] += written and operation.op != DELETE
    return tuple(explained)


def _alike(one: Clause, other: Clause) -> int:
    return (one.side is other.side) + (one.part is other.part) + (one.direction is other.direction)


_DEGREES = (Degree.SLIGHT, Degree.PLAIN, Degree.FAR)
# Probability above which a clause that estimated joints contradict is left undecided. With 0.3 and MediaPipe's joints,
# 9 in 10 right texts of a simulated dataset's validation pairs stay as they are, and 6 in 10 false clauses are found.
_UNDECIDED = 0.3
SURELY = 0.1  # the same for a step that would have to be deleted


def clause_verdict(clause: Clause, pair: PosePair, undecided: float = _UNDECIDED) -> bool | None:
    """Return whether a clause is true by the joints; ``None`` if they cannot tell.

    "Slightly" and "far" are false of a change of the other size. Estimated joints must contradict a clause clearly:
    above the probability ``undecided`` they do not.
    To stretch a limb that ends straight is never false, even if it was straight before.
    """
    verdict = agrees(clause, pair)
    if verdict is False and clause.direction is Direction.STRAIGHTEN:
        stretched = replace(clause, direction=Direction.REACH, relations=(Relation.STRAIGHT,))
        if agrees(stretched, pair):
            return None
    if verdict is False and pair.uncertain:
        kept = clause.direction is Direction.KEEP  # people keep their feet in place while they bend their knees
        if kept or _probability(clause, pair) > undecided:
            return None
    sizes = [change_of(measure, pair) for measure, _ in axes_of(clause)]
    reached = [max(size.thresholds_reached, 1) - 1 for size in sizes if size is not None]
    opposite = len(_DEGREES) - 1
    if verdict and reached and all(abs(_DEGREES.index(clause.degree) - one) == opposite for one in reached):
        return False
    return verdict


def _probability(clause: Clause, pair: PosePair) -> float:
    """Return the probability of a movement and of its end states, by the plausible bodies."""
    targets = pair.pose_samples[1][0]
    beyond = [relation_excess(clause, relation, targets) for relation in clause.relations]
    shares = [float((distance <= 1).mean()) for distance in beyond if distance is not None]
    return min([*shares, confidence(clause, pair)] if axes_of(clause) or not shares else shares)


def known_pair(measurements: MeasuredPhotographs) -> PosePair:
    """Return both poses; raise :class:`BadInputError` (``no_person``) without the joints of either."""
    if measurements.pair is None:
        raise BadInputError("no_person", which="current" if measurements.estimates[0] is None else "target")
    return measurements.pair


class TextEditor(Protocol):
    """An editor of texts about two poses; one instance serves concurrent requests."""

    @property
    def name(self) -> ModelName:
        """The name of the editor."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """The language codes of the editor."""
        ...

    def edit(self, text: str, language: str, measurements: MeasuredPhotographs) -> EditedText:
        """Return the text with the edits that make it right for measured photographs.

        Raise :class:`BadInputError` for an empty or too long text, and for photographs without joints.
        """
        ...
