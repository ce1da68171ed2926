"""Variants of a text: one clause changed in one way, in as few words as possible, and all others kept.

A variant rewords only the words that carry the side, direction, part, landmark or degree. Where no such words are
found, the clause's own words are replaced by those of the changed clause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, pairwise, product
from typing import Literal

from fmp_models.common import KEEP, fewest_edits
from fmp_models.geometry import BodyAxis, Clause, Degree, Direction, Part, Side, axes_of, possible_relations
from fmp_models.languages import (
    SENTENCE_ENDS,
    Draft,
    Exchange,
    Grammar,
    ReadClause,
    Span,
    cased,
    grammar,
    grammar_of_scenes,
    in_form_of,
    in_order,
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
_WORDINGS = 24  # of each changed clause

_SENTENCE_END = re.compile(rf"[{SENTENCE_ENDS}]+(\s+|$)|\s{{2,}}")  # as the reader cuts

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
    plan, number = list(read_plan(text, words)), read_clauses(text, words).index(place)
    start, end = _near(text, place, words)
    here = replace(place, start=place.start - start)
    for variant in _variants_alone(text[start:end], here, words, wanted):
        whole = replace(variant, text=text[:start] + variant.text + text[end:])
        if _changed_clause(read_plan(whole.text, words), plan, number) == variant.goal:
            yield whole


def _variants_alone(
    text: str, place: ReadClause, words: Grammar, wanted: Callable[[Clause], bool]
) -> Iterator[Variant]:
    """Yield the variants of a part of a text, as :func:`clause_variants`."""
    read = read_clauses(text, words)
    plan, number = [entry.goal for entry in read], read.index(place)
    known = {place.goal}
    for by, changed in reworded(text, place, words):
        goal = _changed_clause(read_plan(changed, words), plan, number)
        if goal is None or goal in known or _way(place.goal, goal) != by or not _possible(goal, place.goal):
            continue
        if wanted(goal):
            known.add(goal)
            yield Variant(changed, goal, by)
    together = [entry for entry in read if entry.span == place.span]
    if (span := _sentence_like(text, place, words)) is None:
        return
    worded = []
    for by, goal in _changed(place.goal):
        if goal not in known and wanted(goal):
            known.add(goal)
            goals = [goal if entry == place else entry.goal for entry in together]
            texts = _realised(text, span, place.text, goals, words)
            exact = (one for one in texts if _changed_clause(read_plan(one, words), plan, number) == goal)
            worded += [Variant(found, goal, by) for found in islice(exact, 1)]
    yield from sorted(worded, key=lambda variant: count_edits(text, variant.text))


def _sentence_like(text: str, place: ReadClause, words: Grammar) -> Span | None:
    """Return the words of a clause with all of their verb; ``None`` where no sentence can stand, as after "with"."""
    start, end = place.span
    tags = tagged(text, words)
    if any(tag.kind == "with" and text[tag.end : start].isspace() for tag in tags):
        return None
    for tag in tags if words.verb_comes == "last" else ():  # "उठा रहने दीजिए"
        if tag.kind == "actions" and tag.start >= end and text[end : tag.start].isspace():
            end = tag.end
    return start, end


def _near(text: str, place: ReadClause, words: Grammar) -> Span:
    """Return the sentence of a clause with its neighbours, if the clause is read the same there; else all the text."""
    spans = sentence_spans(text)
    number = max(i for i, span in enumerate(spans) if span[0] <= place.start)
    start, end = spans[max(0, number - 1)][0], spans[min(len(spans) - 1, number + 1)][1]
    moved = replace(place, start=place.start - start)
    return (start, end) if moved in read_clauses(text[start:end], words) else (0, len(text))


def sentence_spans(text: str) -> list[Span]:
    """Return the places of the sentences, each with the white space after it; together they are the text."""
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    return [(start, end) for start, end in pairwise(ends) if start < end]


def without_clause(
    text: str, language: str, place: ReadClause, false: Callable[[Clause], bool | None] = lambda _: False
) -> str:
    """Return the text without a clause, and without the sentences after it that only refer to it.

    Other clauses of the same words go with it if they are ``false`` or cannot be said alone. The rest of its sentence
    is reworded where it cannot stand alone.
    """
    words = grammar(language)
    read = read_clauses(text, words)
    spans = sentence_spans(text)
    number = max(i for i, span in enumerate(spans) if span[0] <= place.start)
    start, end = spans[number]
    sentence = text[start:end]
    here = [entry for entry in read if start <= entry.start < end]
    if len(here) > 1:
        first, last = (at - start for at in place.span)
        tags = tagged(sentence, words)
        following = min((entry.start - start for entry in here if entry.start - start >= last), default=None)
        marks = (tag.start for tag in tags if tag.start >= last and tag.kind in {"break", "stops"})
        mark = min(marks, default=len(sentence.rstrip()))
        led = first
        for tag in reversed([tag for tag in tags if tag.end <= first]):
            if tag.text != "," and tag.text not in words.ands and tag.kind not in {"stops", "with"}:
                break
            led = tag.start
        whole = (len(sentence[:led].rstrip()), mark)
        leads = following is not None and (mark > following or not sentence[:led].strip())
        cuts = [(first, following) if leads and following is not None else whole, (first, last)]
        rests = [cased(sentence[:a] + sentence[b:], sentence) for a, b in cuts]
        states = [tag for tag in tags if tag.kind == "relations" and first <= tag.start and tag.end <= last]
        rests[:0] = [_without(sentence, tag.start, tag.end) for tag in states]
        draft = Draft(sentence, words)
        staying = [i for i, entry in enumerate(draft.clauses) if entry.goal != place.goal]
        rests.append(draft.text(staying, complete=True) + sentence[len(sentence.rstrip()) :])
        texts = [_joined(text[:start], rest, text[end:], words) for rest in rests]
        plans = [list(read_plan(one, words)) for one in texts]
        together = [entry for entry in read if entry.span == place.span]
        for gone in ([place], [entry for entry in together if entry == place or false(entry.goal)], together):
            left = [entry.goal for entry in read if entry not in gone]
            if left in plans:
                return texts[plans.index(left)]
        return texts[-1]
    refers = {"parts", "sides", "pronouns"}
    while number + 1 < len(spans) and not any(
        spans[number + 1][0] <= entry.start < spans[number + 1][1] for entry in read
    ):
        number += 1
        if not refers & {tag.kind for tag in tagged(text[slice(*spans[number])], words)}:
            break
        end = spans[number][1]
    return _joined(text[:start], "", text[end:], words)


def _joined(before: str, rest: str, after: str, words: Grammar) -> str:
    """Return a text with the ``rest`` of a sentence; without any, also without its space and what led to the next."""
    if any(map(str.isalnum, rest)):
        return before + rest + after
    if not after.strip():
        return before.rstrip()
    if not before.strip():
        length = sentence_spans(after)[0][1]
        after = next(in_order([after[:length], ""], words)) + after[length:]
    return before + (after.lstrip(" ") if before[-1:].isspace() else after)


def _changed_clause(new: Sequence[Clause], plan: Sequence[Clause], number: int) -> Clause | None:
    """Return the clause of that number in a new plan that has all other clauses of the old one; else ``None``."""
    same = len(new) == len(plan) and all(i == number or new[i] == clause for i, clause in enumerate(plan))
    return new[number] if same else None


def count_edits(text: str, changed: str) -> int:
    """Return the number of words deleted and added between two texts."""
    return sum(operation != KEEP for operation, _ in fewest_edits(text.split(), changed.split()))


def _way(old: Clause, new: Clause) -> Way | None:
    """Return the one thing that differs between two clauses; ``None`` for several."""
    ways = [way for name, way in _WAY_OF.items() if getattr(old, name) != getattr(new, name)]
    return ways[0] if len(ways) == 1 else None


def _possible(goal: Clause, old: Clause) -> bool:
    """Return whether the body has such a movement and its end states, as far as it had the old one."""
    states = {name for choices in possible_relations(goal.part, goal.direction) for name, _ in choices}
    return (bool(axes_of(goal)) or not axes_of(old)) and {*goal.relations} - {*old.relations} <= states


def reworded(text: str, place: ReadClause, words: Grammar) -> Iterator[tuple[Way, str]]:
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
    relations = [tag for tag in tags if tag.kind == "relations"]
    yield from (("landmark", _without(text, tag.start, tag.end)) for tag in relations)
    said = [tag for tag in tags if tag.kind == "degrees"]
    yield from (("degree", _without(text, tag.start, tag.end)) for tag in said)
    gaps = [(tag.start, tag.end, "") for tag in said] or [
        *((tag.start, tag.start, " ") for tag in tags if tag.kind == "directions"),
        *([(end, end, "")] if words.verb_comes == "first" else []),
        *((tag.start, tag.start, " ") for tag in tags[-1:] if words.verb_comes == "last"),
    ]
    for table, (first, last, after) in product((words.distances, words.degrees), [] if relations else gaps):
        before = " " if first == end else ""
        for phrases in table.values():
            yield "degree", text[:first] + before + phrases[0] + after + text[last:]


def _without(text: str, start: int, end: int) -> str:
    before, after = text[:start].rstrip(" "), text[end:]
    if _SENTENCE_END.match(after) or not after:
        before = before.rstrip(", ")
    return before + after if before else after.lstrip()


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


def _realised(text: str, span: Span, like: str, goals: Sequence[Clause], words: Grammar) -> list[str]:
    """Return texts with words replaced by wordings of clauses in the form of ``like``; fewest changed words first."""
    if not all(sayable(goal, words) for goal in goals):
        return []
    start, end = span
    grammars = [(words, None), *((grammar_of_scenes(words.code), seed) for seed in range(_WORDINGS))]
    texts = {words.joiners[0].join(realise(tuple(goals), those, seed)) for those, seed in grammars}
    texts = {in_form_of(one, like, words.code) for one in texts}
    texts = {text[:start] + cased(one, text[start:end]) + text[end:] for one in texts}
    return sorted(texts, key=lambda one: (count_edits(text, one), one))
