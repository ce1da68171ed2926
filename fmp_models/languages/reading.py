"""Text -> plan: reads back what the realisers write and, as far as it can, what people write.

The words are tagged by the longest pattern of the grammar at each place, grouped around their verb (which comes first
in English and last in Hindi), and each group is resolved to clauses. Landmarks ("towards the sofa", "under your chin")
are passed over; parts that joints cannot show (palms, gaze) end a group without a clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fmp_models.describe.clauses import Clause, Part, Plan, Relation, Side
from fmp_models.languages.grammar import KINDS, Grammar, normalised
from fmp_models.languages.resolving import Movement, resolve

_WORD = re.compile(r"[^\s.,;:!?।()\"“”]+|[.,;:!?।]|\s{2,}|\n")
_BETWEEN_SPACES = re.compile(r"\S+")
_BREAKS = frozenset(".,;:!?।\n")
MAX_CHARACTERS = 4000  # of a text; what lies beyond is not read


@dataclass(frozen=True)
class ReadClause:
    """A clause and the part of the text it was read from, which has its first character at ``start``."""

    clause: Clause
    text: str
    start: int


@dataclass
class _Tag:
    kind: str
    value: str
    text: str
    start: int
    end: int


@dataclass
class _Group:
    """What belongs to one verb so far."""

    action: str = ""
    objects: list[tuple[Side, Part]] = field(default_factory=list)
    ways: list[str] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    degree: str = "plain"
    start: int = -1
    end: int = -1

    @property
    def told(self) -> bool:
        return bool(self.ways or self.relations)


def read(text: str, words: Grammar) -> list[ReadClause]:
    """The clauses of a text in its order; words that mean no movement of a known part are passed over."""
    text = text[:MAX_CHARACTERS]
    tags = _with_directions(list(_tags(text, words)))
    grouped = _verb_last if words.verb_comes == "last" else _verb_first
    found: list[ReadClause] = []
    for group in grouped(tags, words.plural):
        for side, part in group.objects:
            movement = Movement(
                group.action,
                tuple(group.ways),
                tuple(group.relations),
                group.degree,
                sideways_turns=words.bend_sideways_is_turn,
            )
            said = text[group.start : group.end].strip(" ,")
            start = text.index(said, group.start)
            clauses = (ReadClause(clause, said, start) for clause in resolve(side, part, movement))
            found.extend(entry for entry in clauses if entry not in found[-4:])  # "hand and arm up" is one movement
    return found


def read_plan(text: str, words: Grammar) -> Plan:
    """The clauses alone."""
    return tuple(entry.clause for entry in read(text, words))


def words_at(text: str, start: int, end: int) -> tuple[int, int]:
    """Characters ``start`` to ``end`` as words between spaces: the number of the first, and one beyond the last's."""
    places = [word.span() for word in _BETWEEN_SPACES.finditer(text)]
    return sum(last <= start for _, last in places), sum(first < end for first, _ in places)


def _tags(text: str, words: Grammar) -> Iterator[_Tag]:
    """Longest match at each word; words that no pattern knows are tagged ``word``."""
    spans = [(m.start(), m.end()) for m in _WORD.finditer(text)]
    tokens = [normalised(text[a:b]) if text[a:b].strip() else "." for a, b in spans]
    run = 0
    while run < len(tokens):
        if tokens[run] in _BREAKS:
            yield _Tag("break", "", tokens[run], *spans[run])
            run += 1
            continue
        last = run
        while last < len(tokens) and tokens[last] not in _BREAKS:
            last += 1
        yield from _tag_run(tokens[run:last], spans[run:last], words)
        run = last


def _tag_run(tokens: list[str], spans: list[tuple[int, int]], words: Grammar) -> Iterator[_Tag]:
    line = " ".join(tokens)
    starts = [0]
    for token in tokens[:-1]:
        starts.append(starts[-1] + len(token) + 1)
    place = 0
    while place < len(tokens):
        best = _longest(line, starts[place], words)
        if best is None:
            yield _Tag("word", "", tokens[place], *spans[place])
            place += 1
            continue
        end = sum(start < best[0] for start in starts)
        yield _Tag(best[2], best[3], line[starts[place] : best[0]], spans[place][0], spans[end - 1][1])
        place = end


def _longest(line: str, start: int, words: Grammar) -> tuple[int, int, str, str] | None:
    """The longest match that begins at ``start``: where it ends, the rank of its kind, its kind and its value."""
    best: tuple[int, int, str, str] | None = None
    for sheaf in words.sheaves:
        if not sheaf.any_of_them.match(line, start):
            continue
        for kind, value, pattern in sheaf.patterns:
            match = pattern.match(line, start)
            if match and match.end() > start:
                rank = (match.end(), -KINDS.index(kind))
                if best is None or rank > best[:2]:
                    best = (*rank, kind, value)
    return best


def _with_directions(tags: list[_Tag]) -> list[_Tag]:
    """A bare "left" or "right" that no part follows is a direction; two sides before one part mean both."""
    for i, tag in enumerate(tags):
        if tag.kind != "sides":
            continue
        j = i + 1
        while j < len(tags) and (
            tags[j].kind in {"sides", "fillers", "possessives"} or tags[j].text in {"and", "और", "&"}
        ):
            j += 1
        if j == len(tags) or tags[j].kind not in {"parts", "hidden"}:
            tag.kind = "directions" if tag.value != "both" else "word"
    return tags


def _side_of(tags: list[_Tag], i: int, *, plural: bool) -> tuple[Side, int]:
    """The side named before the part at ``i`` and where its phrase begins."""
    sides = set()
    j = i - 1
    while j >= 0 and (
        tags[j].kind in {"sides", "fillers", "possessives"}
        or (tags[j].text in {"and", "और", "&"} and j and tags[j - 1].kind == "sides")
    ):
        if tags[j].kind == "sides":
            sides.add(tags[j].value)
        j -= 1
    if "both" in sides or {"left", "right"} <= sides:
        return Side.BOTH, j + 1
    if sides:
        return Side(sides.pop()), j + 1
    return (Side.BOTH if plural else Side.NONE), j + 1


def _verb_first(tags: list[_Tag], plural: re.Pattern[str]) -> Iterator[_Group]:
    group = _Group()
    for i, tag in enumerate(tags):
        if tag.kind in {"break", "stops", "hidden"}:
            yield group
            group = _Group()
        elif tag.kind == "actions":
            passive = group.action == tag.value and tags[i - 1].kind == "actions"  # "should be" before "raised"
            if (group.action or group.told or not group.objects) and not passive:
                yield group
                group = _Group()
            group.action = tag.value
            _extend(group, tag)
        elif tag.kind == "parts":
            side, begin = _side_of(tags, i, plural=bool(plural.search(tag.text)))
            before = tags[begin - 1] if begin else None
            if before is not None and before.kind == "landmark_before" and (group.objects or before.text != "with"):
                continue
            if group.told and group.objects:
                yield group
                group = _Group(action=group.action)
            _add_object(group, side, Part(tag.value))
            _extend(group, tag, tags[begin].start)
        else:
            _collect(group, tag)
    yield group


def _verb_last(tags: list[_Tag], plural: re.Pattern[str]) -> Iterator[_Group]:
    group = _Group()
    for i, tag in enumerate(tags):
        if tag.kind in {"break", "stops", "hidden"}:
            yield group
            group = _Group()
        elif tag.kind == "actions":
            group.action = tag.value
            _extend(group, tag)
            yield group
            group = _Group()
        elif tag.kind == "parts":
            if i + 1 < len(tags) and tags[i + 1].kind == "landmark_after":
                continue
            side, begin = _side_of(tags, i, plural=bool(plural.search(tag.text)))
            if group.told and group.objects:
                yield group
                group = _Group()
            _add_object(group, side, Part(tag.value))
            _extend(group, tag, tags[begin].start)
        else:
            _collect(group, tag)
    yield group


def _add_object(group: _Group, side: Side, part: Part) -> None:
    if not part.sided:
        side = Side.NONE
    elif side is Side.NONE and group.objects:
        side = group.objects[-1][0]  # "your right hand and arm"
    group.objects.append((side, part))


def _collect(group: _Group, tag: _Tag) -> None:
    if tag.kind == "directions":
        group.ways.append(tag.value)
    elif tag.kind == "relations":
        group.relations.append(Relation(tag.value))
    elif tag.kind == "degrees":
        group.degree = tag.value
    elif tag.kind != "closers" or not group.objects:
        return
    _extend(group, tag)


def _extend(group: _Group, tag: _Tag, start: int | None = None) -> None:
    begin = tag.start if start is None else start
    group.start = begin if group.start < 0 else min(group.start, begin)
    group.end = max(group.end, tag.end)
