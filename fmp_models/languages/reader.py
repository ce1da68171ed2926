"""The reader, text -> plan: parses generated texts and, as far as possible, human texts.

Tag the words by the longest pattern at each position, group the tags by verb, and resolve each group to
clauses. Pieces of the text that ask for something but gave no clause are unparsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from fmp_models.geometry import (
    HORIZONTAL,
    SOMEWHERE,
    TURNS,
    UNCHANGED,
    BodyAxis,
    Clause,
    Direction,
    Frame,
    NamedShape,
    Part,
    Plan,
    Relation,
    Side,
)
from fmp_models.languages.grouping import Group, groups
from fmp_models.languages.language_data import MARKS, SENTENCE_ENDS, Grammar, normalised
from fmp_models.languages.resolving import SpokenMovement, resolve
from fmp_models.languages.shapes import shapes_in
from fmp_models.languages.sides import lone_side
from fmp_models.languages.tagging import Tag, tagged

_BETWEEN_SPACES = re.compile(r"\S+")
_WAY_TO = {
    Relation.STRAIGHT: Direction.STRAIGHTEN,
    Relation.CLOSE: Direction.TOGETHER,
    Relation.WIDE: Direction.APART,
    Relation.HANGING: Direction.DOWN,
}
_NEAR = 2  # number of clauses on either side of a fact that can undo it
MAX_CHARACTERS = 4000  # length limit of a text; the rest is not read


Span = tuple[int, int]  # the first character of a text, and one past the last
Goal_co = TypeVar("Goal_co", bound=Clause | NamedShape, covariant=True)


@dataclass(frozen=True)
class ReadPiece(Generic[Goal_co]):
    """A clause or named shape, and the part of the text it was read from, with its first character at ``start``."""

    goal: Goal_co
    text: str
    start: int

    @property
    def span(self) -> Span:
        """The place of the part in the text."""
        return self.start, self.start + len(self.text)


ReadClause = ReadPiece[Clause]
ReadShape = ReadPiece[NamedShape]


@dataclass(frozen=True)
class Reading:
    """The clauses and shapes of a text in order, and the parts it mentions, whether or not a clause was read."""

    clauses: tuple[ReadClause, ...]
    named: frozenset[tuple[Side, Part]]
    shapes: tuple[ReadShape, ...] = ()
    beside: tuple[ReadClause, ...] = ()

    @property
    def asked(self) -> tuple[ReadPiece[Clause | NamedShape], ...]:
        """The shapes of the text and the clauses ``beside`` them, in order."""
        return tuple(sorted((*self.beside, *self.shapes), key=lambda piece: piece.start))


def read_text(text: str, words: Grammar) -> Reading:
    """Return the clauses, shapes and parts of a text; skip words that express no movement of a known part."""
    text = text[:MAX_CHARACTERS]
    clauses, parts = _clauses_and_parts(text, words)
    shapes = tuple(ReadShape(named, text[start:end], start) for named, start, end in shapes_in(text, words))
    return Reading(clauses, parts, shapes, _beside(clauses, shapes, text, words))


def _beside(
    clauses: Iterable[ReadClause], shapes: Sequence[ReadShape], text: str, words: Grammar
) -> tuple[ReadClause, ...]:
    """Return the clauses that share no words with a shape.

    For a clause that shares some words, return what its other words say.
    """
    sharing = [clause for clause in clauses if _meets(clause.span, [shape.span for shape in shapes])]
    beside = [clause for clause in clauses if clause not in sharing]
    for shape in shapes:
        start, end = shape.span
        text = text[:start] + "," + " " * (end - start - 1) + text[end:]
    if any(text[slice(*clause.span)].strip(" ,") for clause in sharing):
        rest, _ = _clauses_and_parts(text, words)
        beside += [clause for clause in rest if _meets(clause.span, [whole.span for whole in sharing])]
    return tuple(beside)


def _clauses_and_parts(text: str, words: Grammar) -> tuple[tuple[ReadClause, ...], frozenset[tuple[Side, Part]]]:
    clauses: list[ReadClause] = []
    of_clauses: list[Group] = []
    parts: set[tuple[Side, Part]] = set()
    for group in groups(tagged(text, words), words):
        parts.update(group.objects)
        words_read = text[group.start : group.end].strip(" ,")
        start = text.index(words_read, group.start)
        of_group = [ReadClause(clause, words_read, start) for clause in _clauses(group, words)]
        clauses.extend(entry for entry in of_group if entry not in clauses[-4:])  # "hand and arm up" is one movement
        of_clauses += [group] * (len(clauses) - len(of_clauses))
    entries = [
        entry
        for i, entry in enumerate(clauses)
        if not _specified_elsewhere(entry.goal, clauses)
        and not _taken_back(i, clauses, of_clauses)
        and not _moves_otherwise(i, clauses, of_clauses)
    ]
    return tuple(entries), frozenset(parts)


def read_clauses(text: str, words: Grammar) -> tuple[ReadClause, ...]:
    """Return the clauses of a text in order, without looking for shapes."""
    return _clauses_and_parts(text[:MAX_CHARACTERS], words)[0]


def read_plan(text: str, words: Grammar) -> Plan:
    """Return the clauses of a text without their positions."""
    return tuple(entry.goal for entry in read_clauses(text, words))


def words_at(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the numbers of the space-separated words in a character span: the first, and one beyond the last."""
    places = [word.span() for word in _BETWEEN_SPACES.finditer(text)]
    return sum(last <= start for _, last in places), sum(first < end for first, _ in places)


def _clauses(group: Group, words: Grammar) -> Iterator[Clause]:
    for side, part in group.objects:
        for action in (*group.also, group.action):
            movement = SpokenMovement(
                action,
                tuple(group.ways),
                tuple(group.relations),
                tuple(group.states),
                group.degree,
                group.towards,
                sideways_turns=words.bend_sideways_is_turn,
            )
            yield from resolve(side, part, movement)


def _taken_back(i: int, clauses: Sequence[ReadClause], of_clauses: Sequence[Group]) -> bool:
    """Return whether a stated fact is not a request, since a nearby clause undoes it: "it is bent, straighten it".

    The same holds for a stated error that a nearby clause corrects: "it is too high, lower it".
    """
    if not (of_clauses[i].stated and of_clauses[i].opens):
        return False
    near = slice(max(0, i - _NEAR), i + 1 + _NEAR)
    return any(
        group.asks and _undoes(entry.goal, clauses[i].goal)
        for entry, group in zip(clauses[near], of_clauses[near], strict=True)
    )


def _moves_otherwise(i: int, clauses: Sequence[ReadClause], of_clauses: Sequence[Group]) -> bool:
    """Return whether a limb kept by a negated verb is also asked to move: "raise it and don't bend it"."""
    return of_clauses[i].forbidden and any(
        not group.forbidden and _of_one_limb(entry.goal, clauses[i].goal)
        for entry, group in zip(clauses, of_clauses, strict=True)
    )


def _of_one_limb(first: Clause, second: Clause) -> bool:
    return first.part.limb is second.part.limb and bool({*first.side.of_body} & {*second.side.of_body})


def _undoes(asked: Clause, fact: Clause) -> bool:
    """Return whether the request reverses the stated fact or repeats its clause."""
    if not _of_one_limb(asked, fact):
        return False
    if Relation.UPRIGHT in asked.relations and fact.direction in HORIZONTAL | {Direction.BEND}:
        return True
    placed = asked.direction is Direction.REACH and not {Relation.STRAIGHT, Relation.RIGHT_ANGLE} & {*asked.relations}
    if placed and fact.direction.axis is not BodyAxis.BEND and fact.direction is not Direction.REACH:
        return True  # "your arms are crossed, let them hang"
    way = _way(fact)
    if (asked.side, asked.part, _way(asked)) == (fact.side, fact.part, way):
        return True
    return _way(asked) is way.reverse is not way


def _way(clause: Clause) -> Direction:
    """Return the direction of a clause, or that of its end state if it has none; both limbs moving in come together."""
    way = next((_WAY_TO[end] for end in clause.relations if end in _WAY_TO), clause.direction)
    return way.within(Frame.PAIR) if clause.side is Side.BOTH and way.frame is Frame.PART else way


def _specified_elsewhere(clause: Clause, clauses: list[ReadClause]) -> bool:
    """Return whether the direction of an unspecific movement or turn is given elsewhere in the text."""
    return clause.direction in SOMEWHERE and any(
        (read_clause.goal.side, read_clause.goal.part) == (clause.side, clause.part)
        and read_clause.goal.direction not in SOMEWHERE | UNCHANGED
        and (read_clause.goal.direction in TURNS or clause.direction is Direction.MOVE)
        for read_clause in clauses
    )


_ENDS = frozenset(f"{SENTENCE_ENDS};\n")
_WORD = re.compile(rf"[^\s{MARKS}]+")


def find_unparsed(text: str, words: Grammar, clauses: Sequence[ReadPiece[Clause | NamedShape]]) -> tuple[Span, ...]:
    """Return the spans (start, end exclusive) where the text asks for something that none of the ``clauses`` covers.

    These are pieces between commas and "and" with a verb of movement that state no fact, and sentences without any
    clause. Sentences that say that nothing has to change are not included. Remarks beside instructions ("great
    job", "if you can") ask for nothing; they are included only if the text has no clause at all.
    """
    read = [clause.span for clause in clauses]

    def asks(tags: Sequence[Tag]) -> bool:
        plain = _plain(tags, text)
        beside = clauses and (words.asides.fullmatch(plain) or lone_side(tags, words))
        aside = words.all_clear.search(plain) or beside
        return any(map(str.isalpha, plain)) and not aside

    missed: list[Span] = []
    for sentence in _cut(tagged(text, words), _ENDS):
        pieces = [piece for piece in _cut(sentence, words.ands | {","}) if asks(piece)]
        moving = [
            _span(piece)
            for piece in pieces
            if any(tag.kind == "actions" for tag in piece) and all(tag.text not in words.facts for tag in piece)
        ]
        asking = [span for span in moving if not _meets(span, read)]
        if asking or _meets(_span(sentence), read):
            missed += asking
        elif pieces and asks(sentence):
            missed.append(_span(sentence))
    return tuple(missed)


def _cut(tags: Sequence[Tag], at: frozenset[str]) -> Iterator[list[Tag]]:
    """Yield the non-empty runs of tags between separators whose text is in ``at``."""
    run: list[Tag] = []
    for tag in tags:
        if tag.text in at and tag.kind in {"break", "word", "fillers"}:
            if run:
                yield run
            run = []
        else:
            run.append(tag)
    if run:
        yield run


def _span(tags: Sequence[Tag]) -> Span:
    return tags[0].start, tags[-1].end


def _meets(span: Span, spans: Sequence[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in spans)


def _plain(tags: Sequence[Tag], text: str) -> str:
    """Return the text under the tags, normalised and without punctuation."""
    return " ".join(_WORD.findall(normalised(text[slice(*_span(tags))])))
