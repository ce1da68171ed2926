"""Steps: how the page divides a text into steps, the joints that each concerns, and how the figure performs them.

If the model returned steps, these are used; otherwise the clauses that were read in the text become the steps. The
highlighted joints are those of the figures and of the rows of the chart that a step concerns. A demonstration is the
data for the animated figure and the words of its card.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeVar

from demo.views.figures import WordLook
from fmp_models.describe import CheckedClause, StepKind
from fmp_models.geometry import Direction, Part, ShapeRegion, Side
from fmp_models.inference import (
    GEOMETRY,
    Correction,
    DemonstratedStep,
    Demonstration,
    RankedShape,
    Ranking,
)
from fmp_models.languages import SENTENCE_ENDS, as_sentence, grammar
from fmp_models.pose import BODY_PARTS, INDEX, JOINTS


@dataclass(frozen=True)
class HighlightedJoints:
    """Indices of joints in ascending order, and the names of the chart's rows."""

    joints: tuple[int, ...] = ()
    rows: tuple[str, ...] = ()


def highlighted_joints(parts: Iterable[tuple[Side, Part]]) -> HighlightedJoints:
    """Return the joints and rows that clauses about these parts concern."""
    return of_joints(
        {name for side, part in parts if side is not Side.NONE or not part.sided for name in part.joints(side)}
    )


def of_joints(names: AbstractSet[str]) -> HighlightedJoints:
    """Return joints by their names, and the rows that they belong to."""
    rows = tuple(row for row, of_row in BODY_PARTS.items() if names & set(of_row))
    return HighlightedJoints(tuple(sorted(INDEX[name] for name in names)), rows)


_SURE, _FAIRLY_SURE = 0.75, 0.5

Span = tuple[int, int]  # index of the first word, and one past the last
Said = TypeVar("Said", bound=CheckedClause | RankedShape)  # has the words of a text that express it


@dataclass(frozen=True)
class StepWord:
    """One word; ``level`` is "high", "middle" or "low", and empty for punctuation."""

    text: str
    level: str
    percent: int
    look: WordLook | None


@dataclass(frozen=True)
class Step:
    """A sentence and the judged ``clauses`` that it says; a note on unseen parts and general advice have none.

    ``kind`` is a :class:`~fmp_models.describe.trainer_steps.StepKind`; it is empty for a sentence without a clause.
    ``words`` is filled if each word has a confidence of its own. ``added`` marks geometry in a model's answer.
    ``place`` is the span of its words in the text.
    """

    text: str
    kind: str = ""
    words: tuple[StepWord, ...] = ()
    added: bool = False
    place: Span = (0, 0)
    clauses: tuple[CheckedClause, ...] = ()

    @property
    def level(self) -> str:
        """The level of the least certain clause; empty without clauses."""
        return _level(min(clause.confidence for clause in self.clauses)) if self.clauses else ""

    @property
    def verdict(self) -> str:
        """The verdict on the clauses: "yes", "no", "partly" or "unknown"; empty without clauses."""
        return _verdict(self.clauses)

    @property
    def highlighted_joints(self) -> HighlightedJoints:
        """The joints and chart rows that the clauses concern."""
        return highlighted_joints((one.clause.side, one.clause.part) for one in self.clauses)


def steps(correction: Correction, looks: Sequence[WordLook]) -> tuple[Step, ...]:
    """Return the steps of the whole text in order; ``looks`` has one entry for each word, or is empty.

    The result is empty if the geometry has nothing to change.
    """
    words = _step_words(correction, looks)
    if correction.steps:
        return tuple(_told(correction, words))
    if correction.model == GEOMETRY:
        return ()
    warning = grammar(correction.language).pictures_alone  # added by the app: its words have no confidence
    return tuple(
        Step(text)
        if text == warning
        else _step(text, clauses, place, () if _by_geometry(clauses) else words[slice(*place)])
        for text, clauses, place in _checked([word.text for word in words], correction.clauses)
    )


def _told(correction: Correction, words: Sequence[StepWord]) -> Iterator[Step]:
    """Yield the steps of a text and the sentences between them, such as the one that nothing else moved."""
    written = correction.text.split()
    at = 0
    for told in correction.steps:
        first, last = told.words
        if at < first:
            yield Step(" ".join(written[at:first]))
        at = last
        clauses = [correction.clauses[place] for place in told.clauses]
        own = tuple(words[first:last]) if told.by is not None else ()
        added = correction.model != GEOMETRY and _by_geometry(clauses)
        yield replace(_step(told.text, clauses, told.words, own), kind=told.kind, added=added)
    if at < len(written):
        yield Step(" ".join(written[at:]))


def _by_geometry(clauses: Sequence[CheckedClause]) -> bool:
    return bool(clauses) and all(clause.by == GEOMETRY.id for clause in clauses)


@dataclass(frozen=True)
class CheckedStep:
    """A passage of a description, the verdict on its clauses (empty without clauses), and the shapes it names.

    The verdict is that of a step, or "shared": the joints agree, but those of other candidates do so too.
    """

    text: str
    verdict: str
    shapes: tuple[RankedShape, ...]


def checked_steps(ranking: Ranking) -> tuple[CheckedStep, ...]:
    """Return the passages of the ranked description, each checked against the joints of the best candidate."""
    decisive = {ranking.clauses[place] for place in ranking.deciding}
    entries: tuple[CheckedClause | RankedShape, ...] = (*ranking.clauses, *ranking.shapes)
    checked = []
    for text, said, _ in _checked([word.word for word in ranking.words], entries):
        clauses = [entry for entry in said if isinstance(entry, CheckedClause)]
        verdict = _verdict(clauses)
        if verdict == "yes" and not decisive & {*clauses}:
            verdict = "shared"
        checked.append(CheckedStep(text, verdict, tuple(entry for entry in said if isinstance(entry, RankedShape))))
    return tuple(checked)


def _checked(words: Sequence[str], clauses: Sequence[Said]) -> Iterator[tuple[str, list[Said], Span]]:
    """Yield the passages of a text, each with its clauses or shapes and its span."""
    by_span = _by_words(clauses)
    for first, last, span in _passages(words, dict(by_span.keys())):
        yield " ".join(words[first:last]), by_span.get(span, []), (first, last)


def _step(text: str, clauses: Sequence[CheckedClause], place: Span, words: tuple[StepWord, ...] = ()) -> Step:
    judged = tuple(clause for clause in clauses if clause.direction != Direction.UNSEEN)
    kind = StepKind.STEP if judged else StepKind.UNSEEN if clauses else ""
    return Step(text, kind, words, _by_geometry(clauses), place, judged)


def _verdict(clauses: Sequence[CheckedClause]) -> str:
    """Return the joints' verdict on clauses that share their words, such as "raise both hands and the left foot".

    It is empty without clauses.
    """
    verdicts = {clause.agrees for clause in clauses}
    if verdicts >= {True, False}:
        return "partly"
    return "no" if False in verdicts else "unknown" if None in verdicts else "yes" if verdicts else ""


def _level(confidence: float) -> str:
    return "high" if confidence >= _SURE else "middle" if confidence >= _FAIRLY_SURE else "low"


def _step_words(correction: Correction, looks: Sequence[WordLook]) -> tuple[StepWord, ...]:
    words = []
    for number, word in enumerate(correction.words):
        is_spoken = any(character.isalnum() for character in word.word)
        words.append(
            StepWord(
                text=word.word,
                level=_level(word.confidence) if is_spoken else "",
                percent=round(word.confidence * 100),
                look=looks[number] if looks and is_spoken else None,
            )
        )
    return tuple(words)


def _by_words(clauses: Sequence[Said]) -> dict[Span, list[Said]]:
    """Return the clauses by span in the order of the text; clauses with overlapping words share a span."""
    by_span: dict[Span, list[Said]] = {}
    for clause in sorted(clauses, key=lambda clause: clause.words):
        first, last = clause.words
        if first == last:  # no word expresses it
            continue
        before = next(reversed(by_span), None)
        if before is not None and first < before[1]:
            by_span[before[0], max(last, before[1])] = [*by_span.pop(before), clause]
        else:
            by_span[first, last] = [clause]
    return by_span


def _passages(words: Sequence[str], ends: Mapping[int, int]) -> Iterator[tuple[int, int, Span]]:
    """Yield the passages of the text: first word, one past the last word, and the span of the clause or (0, 0).

    ``ends`` maps the first word of each clause to one past its last. A clause includes the rest of its sentence: the
    words before it and, for the last clause, the words after it.
    """
    begun = number = 0
    clause = none = (0, 0)
    while number < len(words):
        if number in ends:
            if clause != none:
                yield begun, clause[1], clause
                begun = clause[1]
            clause = (number, ends[number])
            number = ends[number]
        else:
            number += 1
        if words[number - 1][-1] in SENTENCE_ENDS:
            yield begun, number, clause
            begun, clause = number, none
    if begun < len(words):
        yield begun, len(words), clause


_OF_REGIONS = {
    ShapeRegion.ARMS: (Side.BOTH, Part.ARM),
    ShapeRegion.LEGS: (Side.BOTH, Part.LEG),
    ShapeRegion.TRUNK: (Side.NONE, Part.TRUNK),
}


def played(demonstration: Demonstration) -> dict[str, Any]:
    """Return a demonstration in the form that the page plays, ready for ``json.dumps``.

    In addition to the poses it has ``steps``, the steps that move: text, words, first and last pose, and joints.
    Adjacent steps with the same words become one. ``unmoved`` are the texts of steps that cannot be executed.
    """
    data, words = demonstration.as_json(), grammar(demonstration.language)
    steps, unmoved, pose = [], [], 0
    for pieces in _words_of_runs(demonstration.steps):
        carried = [piece for piece in pieces if piece.carried]
        text = as_sentence(pieces[0].text.rstrip(words.stop), words)
        if len(carried) < len(pieces) and text not in unmoved:
            unmoved.append(text)
        if not carried:
            continue
        joints = [
            JOINTS[joint] for joint in highlighted_joints(part for piece in carried for part in _parts(piece)).joints
        ]
        steps.append({"text": text, "words": pieces[0].words, "from": pose, "to": pose + len(carried), "lit": joints})
        pose += len(carried)
    return {**data, "steps": steps, "unmoved": unmoved, "language": demonstration.language}


def _parts(step: DemonstratedStep) -> Iterator[tuple[Side, Part]]:
    """Yield the parts that a step concerns."""
    yield from ((clause.side, clause.part) for clause in step.clauses)
    if step.shape is not None:
        yield from (_OF_REGIONS[region] for region in step.shape.shape.regions)


def _words_of_runs(steps: Sequence[DemonstratedStep]) -> Iterator[list[DemonstratedStep]]:
    """Yield groups of adjacent steps with the same words; skip parts that could not be seen, which ask for nothing."""
    visible = (step for step in steps if all(clause.direction != Direction.UNSEEN for clause in step.clauses))
    for _, group in groupby(visible, key=lambda step: step.words):
        yield list(group)
