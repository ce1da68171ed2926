"""Ranking of candidates for the page, the command line and the API, with the retriever's reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fmp_models.inference.corrector import CheckedClause
from fmp_models.inference.model_names import ModelName
from fmp_models.languages.vocabulary import written_words
from fmp_models.pose import BODY_PARTS, INDEX, Array

if TYPE_CHECKING:
    from torch import Tensor

    from fmp_models.networks.retriever import Match


@dataclass(frozen=True)
class RankedCandidate:
    """One candidate, counted from 0, with the probability that it is the intended one."""

    candidate: int
    score: float


@dataclass(frozen=True)
class WeighedWord:
    """One word of the description with its weight for the winner; the weights of all words sum to 1.

    ``part`` is the body part that the word attends to most, ``None`` if the retriever uses no joints. ``known`` is
    false for a word outside the retriever's vocabulary.
    """

    word: str
    weight: float
    part: str | None
    known: bool


@dataclass(frozen=True)
class WeighedPart:
    """A body part with the mean weight of its joints' changes for the winner; all weights sum to 1."""

    part: str
    weight: float


@dataclass(frozen=True)
class RankedShape:
    """A named shape in the description, with the winner's confidence (0 to 1) of holding it.

    ``side`` is "none" if either side is accepted. ``words`` are the first and last (exclusive) words of the
    description that name it. ``deciding`` tells whether it distinguishes the winner from the other candidates.
    """

    name: str
    side: str
    words: tuple[int, int]
    share: float
    deciding: bool


@dataclass(frozen=True)
class Ranking:
    """The result of ``retrieve --json``, as in DESIGN; ``margin`` is the winner's score minus the runner-up's.

    ``words`` and ``parts`` are the retriever's reasons for the winner. ``clauses`` and ``shapes`` are the
    description's, judged by the winner's joints. ``deciding`` are the clauses, counted from 0, that distinguish
    the winner from the others. ``agreed`` has for each entry of ``ranking``, in order, the joints' verdict on each
    clause and then on each shape: None if they cannot tell, and an empty tuple without joints.

    ``read_as`` is the transliterated description if it was typed in Latin letters. ``people`` are the numbers of
    people in the current photograph and in each candidate, 0 if no person could be measured.
    """

    ranking: tuple[RankedCandidate, ...]
    language: str
    margin: float
    words: tuple[WeighedWord, ...]
    parts: tuple[WeighedPart, ...]
    clauses: tuple[CheckedClause, ...]
    model: ModelName
    estimator: str
    people: tuple[int, ...]
    milliseconds: dict[str, float]
    read_as: str | None = None
    shapes: tuple[RankedShape, ...] = ()
    deciding: tuple[int, ...] = ()
    agreed: tuple[tuple[bool | None, ...], ...] = ()

    def __str__(self) -> str:
        """Return the candidates by their position in the given list, best first, with their probabilities."""
        return "\n".join(f"candidates[{one.candidate}]: {one.score:.0%}" for one in self.ranking)

    def as_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries for ``json.dumps``; ``score`` is the old name of ``probability``."""
        ranking = [
            {"candidate": ranked.candidate, "probability": ranked.score, "score": ranked.score}
            for ranked in self.ranking
        ]
        clauses = tuple(clause.as_json() for clause in self.clauses)
        return {**asdict(replace(self, clauses=())), "ranking": ranking, "clauses": clauses}


def weighed_words(  # noqa: PLR0913  a match, a candidate and the text
    match: Match, candidate: int, tokens: Sequence[str], known: Sequence[bool], language: str, *, joints: bool
) -> tuple[WeighedWord, ...]:
    """Return the weight of each word of the description for a candidate: the mean over its picture and its joints.

    ``tokens`` are those of the description, ``known`` tells which of them are in the retriever's vocabulary.
    Without ``joints`` of the candidate their weights are omitted, since they hold no information.
    """
    looked = match.joints if joints else None
    gates = [side.words for side in (match.images, looked) if side is not None]
    weights = np.mean([_numbers(gate, candidate) for gate in gates if gate is not None], axis=0)
    looks = None if looked is None or looked.looks is None else _numbers(looked.looks, candidate)
    weighed, begin = [], 0
    for word, count in written_words(tokens, language):
        rows = slice(begin, begin + count)
        part = None if looks is None else max(BODY_PARTS, key=lambda name: _at(looks[rows].sum(axis=0), name))
        weighed.append(WeighedWord(word, float(weights[rows].sum()), part, all(known[rows])))
        begin += count
    return tuple(weighed)


def weighed_parts(match: Match, candidate: int) -> tuple[WeighedPart, ...]:
    """Return the weight of each body part for a candidate, the largest first; empty without joints."""
    if match.joints is None:
        return ()
    places = _numbers(match.joints.places, candidate)
    weights = {part: _at(places, part) for part in BODY_PARTS}
    total = sum(weights.values())
    return tuple(WeighedPart(part, weights[part] / total) for part in sorted(weights, key=lambda part: -weights[part]))


def _at(joints: Array, part: str) -> float:
    """Return the mean over the joints of a part, so that parts with many joints have no advantage."""
    return float(np.mean([joints[INDEX[name]] for name in BODY_PARTS[part]]))


def _numbers(values: Tensor, candidate: int) -> Array:
    return np.asarray(values[0, candidate].double().cpu().numpy())
