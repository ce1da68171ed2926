"""A ranking of candidates as the page, the command line and the API give it, and the reasons a retriever had for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fmp_models.inference.corrector import CheckedClause, ModelName
from fmp_models.languages.vocabulary import written
from fmp_models.pose import BODY_PARTS, INDEX, Array

if TYPE_CHECKING:
    from torch import Tensor

    from fmp_models.networks.retrieving.retriever import Match


@dataclass(frozen=True)
class RankedCandidate:
    """One candidate, counted from 0, and the probability that it is the one that is meant."""

    candidate: int
    score: float


@dataclass(frozen=True)
class WeighedWord:
    """One word of the description with what it weighed for the winner; the weights of all words sum to 1.

    ``part`` is the body part that the word belongs to most, ``None`` where the retriever has no joints to look at.
    ``known`` is false for a word that the retriever never learned.
    """

    word: str
    weight: float
    part: str | None
    known: bool


@dataclass(frozen=True)
class WeighedPart:
    """A body part with what the change of its joints weighed for the winner, on average; all weights sum to 1."""

    part: str
    weight: float


@dataclass(frozen=True)
class RankedShape:
    """A named shape that the description asks for, and how surely (0 to 1) the winner holds it.

    ``side`` is "none" where either will do; ``words`` are the first and one beyond the last of the description's
    words that name it. ``deciding`` says whether it tells the winner from the other candidates.
    """

    name: str
    side: str
    words: tuple[int, int]
    share: float
    deciding: bool


@dataclass(frozen=True)
class Ranking:
    """The answer of ``retrieve --json``; ``margin`` is the winner's score minus the runner-up's.

    ``words`` and ``parts`` are the retriever's reasons for the winner, ``clauses`` and ``shapes`` what the winner's
    joints say of the description. ``deciding`` are the clauses, counted from 0, that tell the winner from the others.
    ``agreed`` has for each entry of ``ranking``, in its order, what the joints say of each clause and then of each
    shape: None where they cannot tell, and nothing where there are no joints.

    ``read_as`` is the description as it was read, where it was typed in the letters of another language.
    ``people`` are those in the current photograph and in each candidate, 0 where nobody could be measured.
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
        """Return the candidates by their places in the list that was given, best first, with their probabilities."""
        return "\n".join(f"candidates[{one.candidate}]: {one.score:.0%}" for one in self.ranking)

    def as_json(self) -> dict[str, Any]:
        """Plain lists and dictionaries, ready for ``json.dumps``; ``score`` is ``probability`` by its old name."""
        ranking = [
            {"candidate": ranked.candidate, "probability": ranked.score, "score": ranked.score}
            for ranked in self.ranking
        ]
        return {**asdict(self), "ranking": ranking}


def weighed_words(  # noqa: PLR0913  whose weights, of which words, seen in what
    match: Match, candidate: int, tokens: Sequence[str], known: Sequence[bool], language: str, *, joints: bool
) -> tuple[WeighedWord, ...]:
    """What each word of the one description weighed for a candidate: the mean of its pictures and its joints.

    ``tokens`` are those of the description, ``known`` which of them the retriever has learned. Without ``joints`` of
    the candidate theirs are left out, for then there was nothing to see in them.
    """
    looked = match.joints if joints else None
    gates = [side.words for side in (match.images, looked) if side is not None]
    weights = np.mean([_numbers(gate, candidate) for gate in gates if gate is not None], axis=0)
    looks = None if looked is None or looked.looks is None else _numbers(looked.looks, candidate)
    weighed, begin = [], 0
    for word, count in written(tokens, language):
        rows = slice(begin, begin + count)
        part = None if looks is None else max(BODY_PARTS, key=lambda name: _at(looks[rows].sum(axis=0), name))
        weighed.append(WeighedWord(word, float(weights[rows].sum()), part, all(known[rows])))
        begin += count
    return tuple(weighed)


def weighed_parts(match: Match, candidate: int) -> tuple[WeighedPart, ...]:
    """What each body part weighed for a candidate, the heaviest first; nothing where there are no joints."""
    if match.joints is None:
        return ()
    places = _numbers(match.joints.places, candidate)
    weights = {part: _at(places, part) for part in BODY_PARTS}
    total = sum(weights.values())
    return tuple(WeighedPart(part, weights[part] / total) for part in sorted(weights, key=lambda part: -weights[part]))


def _at(joints: Array, part: str) -> float:
    """The mean over the joints of a part, so that one of many has no advantage."""
    return float(np.mean([joints[INDEX[name]] for name in BODY_PARTS[part]]))


def _numbers(values: Tensor, candidate: int) -> Array:
    return np.asarray(values[0, candidate].double().cpu().numpy())
