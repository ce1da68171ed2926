"""Variants of a text: one clause changed in one way, in as few words as possible, and all others kept.

A variant rewords only the words that carry the side, direction, part, landmark or degree. Where no such words are
found, the clause's own words are replaced by those of the changed clause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Literal

from fmp_models.common import KEEP, word_edits
from fmp_models.geometry import BodyAxis, Clause, Degree, Direction, Part, Side, axes_of, possible_relations
from fmp_models.languages import (
    Exchange,
    Grammar,
    ReadClause,
    grammar,
    grammar_of_scenes,
    read_clauses,
    read_plan,
    realise,
    sayable,
    tagged,
    word_swaps,
)

Way = Literal["side", "direction", "part", "degree", "landmark"]
_WAY_OF: dict[str, Way] = {
    "side": "side",
    "part": "part",
    "direction": "direction",
    "degree": "degree",
    "relations": "landmark",
}
# Kinds of words that say a direction along an axis: a head goes forward where it is lowered.
_WORDS_OF_AXIS: dict[BodyAxis | None, tuple[Exchange, ...]] = {
    BodyAxis.VERTICAL: ("vertical",),
    BodyAxis.SAGITTAL: ("sagittal", "vertical"),
    BodyAxis.LATERAL: ("lateral", "side"),
    BodyAxis.BEND: ("bend",),
    BodyAxis.YAW: ("side", "lateral"),
}
_MAX_WORDS = 3  # words exchanged at once, unless all of one kind are
_WORDINGS = 8  # of each changed clause

Swap = tuple[int, int, str]


@dataclass(frozen=True)
class Variant:
    """A text in which one clause has become ``goal``, ``by`` the one thing that differs."""

    text: str
    goal: Clause
    by: Way


def clause_variants(
    text: str, language: str, place: ReadClause, wanted: Callable[[Clause], bool] = lambda _: True
) -> Iterator[Variant]:
    """Yield the variants of a text in one of its clauses, read at ``place``, with one text for each wanted clause.

    Variants by few words come first, and those of fewest changed words before others. Each is read back as the
    plan of the text with that one clause changed. Raise :class:`BadInputError` (``unknown_language``).
    """
    words = grammar(language)
    read = read_clauses(text, words)
    plan, number = [entry.goal for entry in read], read.index(place)
    known = {place.goal}

    def goal_of(changed: str) -> Clause | None:
        """Return the clause that alone differs in a changed text."""
        new = list(read_plan(changed, words))
        if len(new) != len(plan) or new[:number] + new[number + 1 :] != plan[:number] + plan[number + 1 :]:
            return None
        return new[number]

    for by, changed in _reworded(text, place, words):
        goal = goal_of(changed)
        if goal is None or goal in known or _way(place.goal, goal) != by or not _possible(goal, place.goal):
            continue
        if wanted(goal):
            known.add(goal)
            yield Variant(changed, goal, by)
    together = [entry for entry in read if entry.span == place.span]
    worded = []
    for by, goal in _changed(place.goal):
        if goal not in known and wanted(goal):
            known.add(goal)
            texts = _realised(text, place, [goal if entry == place else entry.goal for entry in together], words)
            if (found := next((changed for changed in texts if goal_of(changed) == goal), None)) is not None:
                worded.append(Variant(found, goal, by))
    yield from sorted(worded, key=lambda variant: count_edits(text, variant.text))


def count_edits(text: str, changed: str) -> int:
    """Return the number of words deleted and added between two texts."""
    return sum(operation != KEEP for operation, _ in word_edits(text, changed))


def _way(old: Clause, new: Clause) -> Way | None:
    """Return the one thing that differs between two clauses; ``None`` for several."""
    ways = [way for name, way in _WAY_OF.items() if getattr(old, name) != getattr(new, name)]
    return ways[0] if len(ways) == 1 else None


def _possible(goal: Clause, old: Clause) -> bool:
    """Return whether the body has such a movement and its end states, as far as it had the old one."""
    states = {name for choices in possible_relations(goal.part, goal.direction) for name, _ in choices}
    return (bool(axes_of(goal)) or not axes_of(old)) and {*goal.relations} - {*old.relations} <= states


def _reworded(text: str, place: ReadClause, words: Grammar) -> Iterator[tuple[Way, str]]:
    """Yield texts with few words of a clause exchanged, added or removed; all words of an axis before some of them."""
    start, end = place.span
    kinds = _WORDS_OF_AXIS.get(place.goal.direction.axis, ())
    of_kind: dict[Exchange, list[Swap]] = {
        kind: [swap for swap in word_swaps(text, words.code, kind) if start <= swap[0] and swap[1] <= end]
        for kind in ("side", *kinds, "part", "landmark")
    }
    yield from (("side", changed) for changed in _exchanged(text, of_kind["side"]))
    yield from (("direction", _with(text, of_kind[kind])) for kind in kinds if len(of_kind[kind]) > 1)
    swaps = [swap for kind in kinds for swap in of_kind[kind]]
    yield from (("direction", changed) for changed in _exchanged(text, swaps))
    yield from (("part", _with(text, [swap])) for swap in of_kind["part"])
    yield from (("landmark", _with(text, [swap])) for swap in of_kind["landmark"])
    tags = [tag for tag in tagged(text, words) if start <= tag.start and tag.end <= end]
    yield from (("landmark", _without(text, tag.start, tag.end)) for tag in tags if tag.kind == "relations")
    said = [tag for tag in tags if tag.kind == "degrees"]
    yield from (("degree", _without(text, tag.start, tag.end)) for tag in said)
    gaps = [(tag.start, tag.end, "") for tag in said] or [
        *((tag.start, tag.start, " ") for tag in tags if tag.kind == "directions"),
        *([(end, end, "")] if words.verb_comes == "first" else []),
        *((tag.start, tag.start, " ") for tag in tags[-1:] if words.verb_comes == "last"),
    ]
    for table, (first, last, after) in product((words.distances, words.degrees), gaps):
        before = " " if first == end else ""
        for phrases in table.values():
            yield "degree", text[:first] + before + phrases[0] + after + text[last:]


def _without(text: str, start: int, end: int) -> str:
    return text[:start].rstrip(" ") + text[end:] if text[:start].strip() else text[end:].lstrip()


def _exchanged(text: str, swaps: Sequence[Swap]) -> Iterator[str]:
    for count in range(1, min(len(swaps), _MAX_WORDS) + 1):
        for chosen in combinations(swaps, count):
            yield _with(text, chosen)


def _with(text: str, swaps: Iterable[Swap]) -> str:
    for start, end, word in sorted(swaps, reverse=True):
        text = text[:start] + word + text[end:]
    return text


def _changed(old: Clause) -> Iterator[tuple[Way, Clause]]:
    """Yield the clauses that differ from a clause in one thing, without end states that they cannot have."""
    others: list[tuple[Way, Clause]] = [
        *(("side", replace(old, side=side)) for side in Side if Side.NONE not in {side, old.side}),
        ("direction", replace(old, direction=old.direction.reverse)),
        *(("direction", replace(old, direction=direction)) for direction in Direction),
        *(("part", replace(old, part=part)) for part in Part if part.sided is old.part.sided),
        *(("degree", replace(old, degree=degree)) for degree in Degree),
    ]
    for choices in possible_relations(old.part, old.direction):
        names = [name for name, _ in choices]
        for state in {*names} & {*old.relations}:
            at = old.relations.index(state)
            before, after = old.relations[:at], old.relations[at + 1 :]
            others += [("landmark", replace(old, relations=(*before, other, *after))) for other in names]
    for by, goal in others:
        states = {name for choices in possible_relations(goal.part, goal.direction) for name, _ in choices}
        if goal != old:
            yield by, replace(goal, relations=tuple(state for state in goal.relations if state in states))


def _realised(text: str, place: ReadClause, goals: Sequence[Clause], words: Grammar) -> list[str]:
    """Return texts with the words of a clause replaced by wordings of other clauses; fewest changed words first."""
    if not all(sayable(goal, words) for goal in goals):
        return []
    start, end = place.span
    grammars = [(words, None), *((grammar_of_scenes(words.code), seed) for seed in range(_WORDINGS))]
    texts = {words.joiners[0].join(realise(tuple(goals), those, seed)) for those, seed in grammars}
    cased = {one[:1].upper() + one[1:] if text[start].isupper() else one for one in texts}
    return sorted((text[:start] + one + text[end:] for one in cased), key=lambda one: (count_edits(text, one), one))
