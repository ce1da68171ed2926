"""Descriptions of two poses: short sentences with confidence, or training texts in a room.

:func:`describe` is the whole geometry model. :func:`describe_in_scene` words one plan and its elaborations in every
language from a seed. Its texts are as long and as rich as the paper's (Sections 5.1 and 5.2) and follow its writing
rules (Appendix B.3).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from fmp_models.data import MIN_UNIQUE_SHARE, MIN_WORDS
from fmp_models.errors import BadInputError
from fmp_models.geometry import (
    Clause,
    ClauseSelection,
    Direction,
    Elaboration,
    ElaborationChoice,
    ElaborationKind,
    Landmark,
    Plan,
    agrees,
    confidence,
    draw_elaborations,
    elaborate,
    extended_selection,
    implied_movements,
    make_plan,
    one_for_each_clause,
    select_clauses,
)
from fmp_models.languages import (
    LANGUAGES,
    MARKS,
    as_sentence,
    compose_text,
    grammar,
    grammar_of_scenes,
    realise,
    scene_text,
    words_at,
)
from fmp_models.pose import PosePair

GEOMETRY_ID = "geometry"  # the model whose sentences these are


@dataclass(frozen=True)
class CheckedClause:
    """One clause of a text; ``agrees`` is the geometry's verdict, ``None`` if the joints cannot tell.

    ``words`` are the first and last (exclusive) words of the text for this clause; one word can belong to
    several clauses, and (0, 0) means that no step says it. ``by`` is the id of the model, ``None`` for a person's
    text.
    """

    text: str
    clause: Clause
    agrees: bool | None
    confidence: float
    words: tuple[int, int]
    by: str | None = None

    @property
    def part(self) -> str:
        """The part with its side in plain English, as in ``--json``."""
        return self.clause.part_name

    @property
    def direction(self) -> str:
        """The direction as in ``--json``."""
        return self.clause.direction.value

    def as_json(self) -> dict[str, Any]:
        """Return all fields, with ``part`` and ``direction`` in place of the clause."""
        text, *others = ((one.name, getattr(self, one.name)) for one in fields(self) if one.name != "clause")
        return dict([text, ("part", self.part), ("direction", self.direction), *others])


@dataclass(frozen=True)
class PairDescription:
    """The whole text and its steps, most salient body part first; no steps if nothing moved."""

    text: str
    steps: tuple[CheckedClause, ...]


def describe(pair: PosePair, language: str, seed: int | None = None) -> PairDescription:
    """Describe in ``language`` how to get from the current pose to the target; equal seeds give equal texts.

    Raise :class:`BadInputError` (``unknown_language``).
    """
    plan = make_plan(pair)
    description = describe_plan(plan, pair, language, seed)
    if not plan or any(clause.direction is not Direction.UNSEEN for clause in plan):
        return description
    return PairDescription(f"{description.text} {grammar(language).unchanged_elsewhere}", description.steps)


def describe_plan(plan: Plan, pair: PosePair, language: str, seed: int | None = None) -> PairDescription:
    """Describe only the clauses of a ``plan``, judged by the pair; raise as :func:`describe`."""
    words = grammar(language)
    fragments = realise(plan, words, seed)
    text = compose_text(fragments, words, seed)
    steps = tuple(
        CheckedClause(
            text=as_sentence(fragment, words),
            clause=clause,
            agrees=agrees(clause, pair),
            confidence=round(confidence(clause, pair), 3),
            words=words_at(text, *span),
            by=GEOMETRY_ID,
        )
        for fragment, clause, span in zip(fragments, plan, _spans(fragments, text), strict=True)
    )
    return PairDescription(text, steps)


def _spans(fragments: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each fragment in the composed text, where its first letter may be a capital."""
    end = 0
    for fragment in fragments:
        start = text.index(fragment[1:], end) - 1
        end = start + len(fragment)
        yield start, end


# Targets; many pairs have less to say, so texts come out near the 49 words (sd 17) of Section 5.1 and Figure 14.
_MEAN_WORDS, _SD_WORDS = 72.0, 26.0
_MAX_WORDS = 110.0
_WORDS_PER_CLAUSE = 6.3
_WORDS_OF = {ElaborationKind.LANDMARK: 4.0, ElaborationKind.IMPLIED: 9.0, ElaborationKind.ANALOGY: 10.0}
_WITHIN_WORDING = 6  # words by which two wordings of one plan can differ
_WORDINGS = 6  # wordings to try before another clause is added


@dataclass(frozen=True)
class SceneDescription:
    """One language's ``text``, its ``clauses`` in text order, and its elaborations."""

    text: str
    clauses: Plan
    elaborations: tuple[Elaboration, ...]


def describe_in_scene(pair: PosePair, landmarks: Sequence[Landmark], seed: int) -> dict[str, SceneDescription]:
    """Return each language's text of the same plan and elaborations; equal seeds give equal texts.

    ``landmarks`` are named only if both poses are placed and no other of their kind is given. Raise
    :class:`BadInputError` (``unknown_landmark``) for a kind that a language has no words for.
    """
    known = set.intersection(*(set(grammar_of_scenes(code).scene.objects) for code in LANGUAGES))
    for landmark in landmarks:
        if landmark.kind not in known:
            raise BadInputError("unknown_landmark", kind=landmark.kind, known=", ".join(sorted(known)))
    choice = random.Random(f"scene {seed}")
    chosen_kinds = draw_elaborations(choice)
    wanted = min(max(choice.gauss(_MEAN_WORDS, _SD_WORDS), MIN_WORDS), _MAX_WORDS)
    wished = [kind for kind in ElaborationKind if getattr(chosen_kinds, kind.value)]
    count = max(round((wanted - sum(_WORDS_OF[kind] for kind in wished)) / _WORDS_PER_CLAUSE), 2)
    drawn = choice.getrandbits(32)
    planned = select_clauses(pair, drawn)
    chosen_kinds = replace(chosen_kinds, spare=max(count - len(planned.order), 0))
    plan: Plan = ()
    for plan in _plans(planned, count, pair):
        elaborations = elaborate(plan, pair, landmarks, chosen_kinds, random.Random(drawn))
        if texts := _worded(plan, elaborations, seed):
            return _described(plan, elaborations, texts)
    return _lengthened(plan, pair, landmarks, chosen_kinds, seed)


def _plans(planned: ClauseSelection, count: int, pair: PosePair) -> Iterator[Plan]:
    """Yield plans to try: nearly the wanted number of clauses first, everything there is to say last."""
    for tried in sorted(range(1, len(planned.order) + 1), key=lambda tried: abs(tried - count)):
        yield planned.first(tried)
    more = extended_selection(planned, pair)
    for tried in range(len(planned.order) + 1, len(more.order) + 1):
        yield more.first(tried)


def _lengthened(
    plan: Plan, pair: PosePair, landmarks: Sequence[Landmark], chosen_kinds: ElaborationChoice, seed: int
) -> dict[str, SceneDescription]:
    """Return texts of all clauses with as many implied movements as needed.

    A text that is still too short gets a closing sentence.
    """
    elaborations = elaborate(plan, pair, landmarks, chosen_kinds, random.Random(f"long {seed}"))
    for extra in one_for_each_clause(implied_movements(plan, pair)):
        if any(extra.clause == other.clause or extra.name == other.name for other in elaborations):
            continue
        elaborations = (*elaborations, extra)
        if texts := _worded(plan, elaborations, seed):
            return _described(plan, elaborations, texts)
    texts = _worded(plan, elaborations, seed, ends=True) or _worded_once(plan, elaborations, seed, 0, ends=True)
    return _described(plan, elaborations, texts)


def _described(plan: Plan, elaborations: tuple[Elaboration, ...], texts: dict[str, str]) -> dict[str, SceneDescription]:
    return {code: SceneDescription(texts[code], plan, elaborations) for code in LANGUAGES}


def _worded(
    plan: Plan, elaborations: tuple[Elaboration, ...], seed: int, *, ends: bool = False
) -> dict[str, str] | None:
    """Return the first wording that is long and varied enough in every language; ``None`` if there is none."""
    for attempt in range(_WORDINGS):
        texts = _worded_once(plan, elaborations, seed, attempt, ends=ends)
        words = [text.split() for text in texts.values()]
        if any(len(words_of_text) < MIN_WORDS - _WITHIN_WORDING for words_of_text in words):
            return None
        if all(
            len(words_of_text) >= MIN_WORDS and _unique(words_of_text) >= MIN_UNIQUE_SHARE for words_of_text in words
        ):
            return texts
    return None


def _worded_once(
    plan: Plan, elaborations: tuple[Elaboration, ...], seed: int, attempt: int, *, ends: bool
) -> dict[str, str]:
    return {
        code: scene_text(plan, elaborations, grammar_of_scenes(code), f"{seed} {attempt}", ends=ends)
        for code in LANGUAGES
    }


def _unique(words: Sequence[str]) -> float:
    return len({word.strip(MARKS).lower() for word in words}) / len(words)
