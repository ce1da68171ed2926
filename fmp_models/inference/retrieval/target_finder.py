"""The target finder: photograph, description and candidates -> which candidate is meant, and why.

A retriever scores the candidates, and what the joints say of every clause of the description counts too.

Every distinct picture is measured and seen once, in an order that does not depend on the one they were given in: the
same pictures always have the same scores, and a picture that was given twice has the same score twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fmp_models.common.decoding_budget import DecodingBudget
from fmp_models.common.stopwatch import Stopwatch
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import NOBODY, Place, PoseEstimator, estimate_if_seen, estimate_whom
from fmp_models.estimators.facing import facing_as
from fmp_models.geometry.clauses import Clause
from fmp_models.geometry.verdicts.clause_evidence import evidence, weighed
from fmp_models.geometry.verdicts.verdicts import confidence
from fmp_models.hub.models import Loaded
from fmp_models.inference.clause_check import judged_clauses
from fmp_models.inference.corrector import CheckedClause, ModelName
from fmp_models.inference.read_description import ReadDescription, read_description
from fmp_models.inference.retrieval.candidate_scores import match, needs_joints, present
from fmp_models.inference.retrieval.ranking import Ranked, Ranking, weighed_parts, weighed_words
from fmp_models.inference.retrieval.retriever_registry import Retrievers
from fmp_models.inference.retrieval.seen_photographs import SeenCandidates, SeenPhotograph
from fmp_models.languages.vocabulary import UNK
from fmp_models.networks.backbones.seeing import Seeing
from fmp_models.networks.retrieving.pose_space import AnyRetriever
from fmp_models.networks.retrieving.retriever import Match
from fmp_models.pose import PosePair
from fmp_models.preprocessing.photograph import Photograph, read_photograph

LEAST, MOST = 2, 20  # candidates


Matching = Callable[[str, Sequence[int], Sequence[SeenPhotograph]], Match]


class TargetFinder:
    """Ranks candidates by a description. One instance serves any number of visitors at once."""

    def __init__(
        self,
        estimator: PoseEstimator,
        retrievers: Retrievers,
        on_gpu: Callable[[Matching], Matching] = lambda work: work,
    ) -> None:
        """``estimator`` finds the joints; nothing is kept from one call to the next but what was loaded.

        ``on_gpu`` is given what runs a retriever, and may run it elsewhere.
        """
        self.estimator = estimator
        self.retrievers = retrievers
        self._matched = on_gpu(self._match)

    def find(  # noqa: PLR0913  what is given, and how it is to be looked at
        self,
        current: bytes,
        description: str,
        candidates: Sequence[bytes],
        *,
        language: str | None = None,
        whom: Place | None = None,
        measuring: Callable[[int, int], object] = lambda *_: None,
    ) -> tuple[Ranking, SeenCandidates]:
        """Rank 2 to 20 ``candidates`` (the bytes of picture files) by how well each shows what was described.

        ``description`` says how to get from the pose in ``current`` to the one that is meant; its language is known by
        its script where none is given, and Hindi in Latin letters by its words. A candidate in which nobody is found is
        ranked by its picture alone, or last where the retriever needs joints; where nobody is found in the current
        photograph, all are ranked by their pictures. ``whom`` says where in the current photograph the person is who is
        meant, else it is the largest. ``measuring`` hears, before it is measured, which candidate it is (counted from
        1) of how many.

        Raises :class:`BadInputError`: ``description_*``, ``unknown_language``, ``candidates_count``, what
        ``Retrievers.reading`` and ``read_photograph`` do, ``no_person`` and ``body_hidden`` of the current photograph
        where no retriever can do without its joints or nobody is found in any picture, and
        ``candidates_without_people`` where nobody is left to rank.
        """
        read = read_description(description, language)
        language = read.language
        if not LEAST <= len(candidates) <= MOST:
            raise BadInputError("candidates_count", least=LEAST, most=MOST, found=len(candidates))
        loaded = self.retrievers.reading(language)
        words = _words(read, loaded)
        clock = Stopwatch()
        by_pictures = self.retrievers.seeing(language) if needs_joints(loaded) else loaded
        budget = DecodingBudget()
        photograph = _checked(current, budget, "current")
        clock.lap("photographs")
        first, refusal = self._first(photograph, whom, needed=by_pictures is None)
        clock.lap("estimator")
        photographs = _all_checked(candidates, budget, {current: photograph})
        clock.lap("photographs")
        question = self._measured_candidates(first, photographs, measuring)
        if refusal is not None and not any(candidate.people for candidate in question.candidates):
            raise refusal
        if question.current.estimate is None and by_pictures is not None:
            loaded = by_pictures
            words = _words(read, loaded)
        clock.lap("estimator")
        distinct = {candidate.key: candidate for candidate in question.candidates}
        keys = sorted(distinct)
        places = [keys.index(candidate.key) for candidate in question.candidates]
        poses = [question.current, *(distinct[key] for key in keys)]
        if not present(loaded, poses).any():
            raise BadInputError("candidates_without_people")
        matched = self._matched(language, words, poses)
        clock.lap("retriever")
        plan = tuple(read_clause.clause for read_clause in read.reading.clauses)
        of_clauses = evidence(plan, [question.pair(distinct[key]) for key in keys], read.reading.named)
        shares = _shares(weighed(matched.scores[0].double().numpy(), of_clauses), places)
        ranked = sorted(enumerate(shares), key=lambda numbered_share: -numbered_share[1])
        winner = ranked[0][0]
        pair = question.pair(question.candidates[winner])
        measured = pair is not None
        ranking = Ranking(
            ranking=tuple(Ranked(*numbered_share) for numbered_share in ranked),
            language=language,
            margin=ranked[0][1] - ranked[1][1],
            words=weighed_words(
                matched,
                places[winner],
                read.words,
                [number != UNK for number in words],
                language,
                joints=measured,
            ),
            parts=weighed_parts(matched, places[winner]) if measured else (),
            clauses=() if pair is None else _checked_clauses(read, pair),
            model=ModelName(loaded.folder.shown_id, loaded.folder.revision),
            estimator=self.estimator.name,
            people=(question.current.people, *(candidate.people for candidate in question.candidates)),
            milliseconds={},
            read_as=read.read_as,
        )
        clock.lap("check")
        return replace(ranking, milliseconds=clock.laps()), question

    def _match(self, language: str, words: Sequence[int], poses: Sequence[SeenPhotograph]) -> Match:
        """All that runs a retriever: the pictures after the first as what the description makes of the first."""
        loaded = self.retrievers.reading(language)
        if poses[0].estimate is None and needs_joints(loaded):
            loaded = self.retrievers.seeing(language) or loaded
        return match(loaded, language, words, poses)

    def _first(
        self, photograph: Photograph, whom: Place | None, *, needed: bool
    ) -> tuple[SeenPhotograph, BadInputError | None]:
        """The current photograph measured, before any other is decoded.

        Where nobody is found in it that is refused if somebody is ``needed``, and else the refusal is told.
        """
        try:
            return SeenPhotograph(photograph, estimate_whom(self.estimator, photograph, whom)), None
        except BadInputError as error:
            refusal = error.about("current")
            if needed or error.code not in NOBODY:
                raise refusal from error
            return SeenPhotograph(photograph, None), refusal

    def _measured_candidates(
        self, first: SeenPhotograph, candidates: Sequence[Photograph], measuring: Callable[[int, int], object]
    ) -> SeenCandidates:
        """Every distinct picture measured once, whoever is doubtful in it facing as in the first."""
        known = {first.key: first}
        in_order = []
        for number, photograph in enumerate(candidates, 1):
            measuring(number, len(candidates))
            unmeasured = SeenPhotograph(photograph, None)
            if unmeasured.key not in known:
                candidate = facing_as(first.estimate, estimate_if_seen(self.estimator, photograph))
                known[unmeasured.key] = SeenPhotograph(photograph, candidate)
            in_order.append(known[unmeasured.key])
        return SeenCandidates(first, tuple(in_order))


def _words(read: ReadDescription, loaded: Loaded[Seeing[AnyRetriever]]) -> list[int]:
    """The numbers of the description's tokens, one for each; refuses one of which the retriever knows no word."""
    numbers = loaded.vocabularies[read.language].numbers_as_meant(read.words)
    token_numbers = zip(read.words, numbers, strict=True)
    if not any(number != UNK for token, number in token_numbers if any(letter.isalpha() for letter in token)):
        raise BadInputError("description_unknown")
    return numbers


def _checked(data: bytes, budget: DecodingBudget, which: str, **counted: int) -> Photograph:
    """A photograph; a refusal says which one it is about, counted as people count."""
    try:
        return read_photograph(data, budget)
    except BadInputError as error:
        raise error.about(which, **counted) from error


def _all_checked(
    candidates: Sequence[bytes], budget: DecodingBudget, known: dict[bytes, Photograph]
) -> list[Photograph]:
    """The candidates, each file that is not ``known`` decoded once however often it was given."""
    for number, data in enumerate(candidates, 1):
        if data not in known:
            known[data] = _checked(data, budget, "candidate", number=number, of=len(candidates))
    return [known[data] for data in candidates]


def _checked_clauses(read: ReadDescription, pair: PosePair) -> tuple[CheckedClause, ...]:
    """What the description says, each as sure as its measures are."""

    def sureness(clause: Clause, _: tuple[int, int]) -> float:
        return confidence(clause, pair)

    return judged_clauses(read.reading.clauses, read.text, read.language, pair, sureness)


def _shares(scores: NDArray[np.float64], places: Sequence[int]) -> list[float]:
    """The softmax over all that were given, equal ones counted as often as they were, in an order of its own."""
    odds = np.exp(scores - scores.max())
    total = float(sum(odds * np.bincount(places, minlength=len(odds))))
    return [float(odds[place]) / total for place in places]
