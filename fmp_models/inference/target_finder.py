"""Target finder: photograph, description and candidates -> a ranking of the candidates, with reasons.

The score combines a retriever's score with the joints' verdict on every clause of the description. Every distinct
picture is measured and encoded once, in an order independent of the given one. The same pictures always get the
same scores, and a picture that is given twice gets the same score twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from fmp_models.common import MAX_CANDIDATES, MIN_CANDIDATES, DecodingBudget
from fmp_models.describe import CheckedClause
from fmp_models.errors import BadInputError
from fmp_models.estimators import NOBODY, PersonPoint, PoseEstimator, estimate_person, facing_as, open_estimator
from fmp_models.geometry import (
    SURELY_HELD,
    Candidate,
    Clause,
    NamedShape,
    agrees,
    candidate_log_odds,
    confidence,
    deciding_statements,
    evidence,
    executed_goals,
    share_held,
)
from fmp_models.inference.clause_check import judged_clauses
from fmp_models.inference.correction import ModelName, Stopwatch
from fmp_models.inference.demonstration import ReadDescription, read_description
from fmp_models.inference.retrievers import (
    Key,
    PhotographCache,
    Retrievers,
    SeenCandidates,
    SeenPhotograph,
    file_key,
    needs_joints,
    present,
)
from fmp_models.languages import UNK, words_at, written_words
from fmp_models.pose import BODY_PARTS, INDEX, Array, Pose, PosePair
from fmp_models.preprocessing import Photograph, Picture, picture_bytes, read_photograph

if TYPE_CHECKING:
    from torch import Tensor

    from fmp_models.networks import Match
if TYPE_CHECKING:
    from fmp_models.hub import LoadedModel
    from fmp_models.inference.gallery import GallerySearch
    from fmp_models.networks import AnyRetriever, Match, VisionModel

    Matching = Callable[..., tuple[Match, bool]]  # given a language, words, photographs, and a device if no GPU is lent


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
    """The result of ``retrieve --json``; ``margin`` is the winner's score minus the runner-up's.

    ``words`` and ``parts`` are the retriever's reasons for the winner. ``clauses`` and ``shapes`` are the
    description's, judged by the winner's joints. ``deciding`` are the clauses, counted from 0, that distinguish
    the winner from the others. ``agreed`` has for each entry of ``ranking``, in order, the joints' verdict on each
    clause and then on each shape: None if they cannot tell, and an empty tuple without joints.

    ``read_as`` is the transliterated description if it was typed in Latin letters. ``people`` are the numbers of
    people in the current photograph and in each candidate, 0 if no person could be measured. ``gpu_refused`` tells
    that the retriever ran on the processor, because no GPU was lent; it is not part of the JSON.
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
    gpu_refused: bool = False

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
        plain = {**asdict(replace(self, clauses=())), "ranking": ranking, "clauses": clauses}
        del plain["gpu_refused"]
        return plain


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


@dataclass(frozen=True)
class _File:
    """A decoded file and its earlier measurement; ``None`` if it is not measured yet."""

    key: Key
    photograph: Photograph
    measured: SeenPhotograph | None = None


class TargetFinder:
    """Ranking of candidates by a description. One instance serves concurrent requests."""

    def __init__(
        self,
        estimator: PoseEstimator,
        retrievers: Retrievers,
        on_gpu: Callable[[Matching], Matching] = lambda work: work,
    ) -> None:
        """Create a finder; ``estimator`` finds the joints, and its results are cached, see ``PhotographCache``.

        ``on_gpu`` wraps the function that runs a retriever, and can run it elsewhere; see ``Corrector``.
        """
        self.estimator = estimator
        self.retrievers = retrievers
        self._cache = PhotographCache()
        self._matched = on_gpu(self._match)
        self.gallery: GallerySearch | None = None  # a collection that is searched if no candidates are given

    @classmethod
    def from_pretrained(
        cls,
        model: str | Path | None = None,
        *,
        revision: str | None = None,
        pose_model: str | Path | PoseEstimator | None = None,
        device: str | None = None,
        cache_dir: str | Path | None = None,
    ) -> Self:
        """Load a finder; ``model`` is a bundled name, a folder, or "org/name" of the Hub.

        The default is the bundled model of each language. The other arguments are those of
        ``Corrector.from_pretrained``.
        """
        cache = None if cache_dir is None else Path(cache_dir)
        retrievers = Retrievers(str(model or ""), revision=revision, device=device, cache=cache)
        retrievers.load()
        return cls(open_estimator(pose_model, cache), retrievers)

    def __call__(
        self, current: Picture, description: str, candidates: Sequence[Picture], *, language: str | None = None
    ) -> Ranking:
        """Rank 2 to 20 ``candidates`` by how well each shows the described pose; see :meth:`find`.

        A photograph is a path, the bytes of a file or a ``PIL.Image``.
        """
        if not isinstance(candidates, Sequence) or isinstance(candidates, str | bytes):
            raise BadInputError("candidates_count", least=MIN_CANDIDATES, most=MAX_CANDIDATES, found=1)
        files = []
        for number, picture in enumerate((current, *candidates)):
            try:
                files.append(picture_bytes(picture))
            except BadInputError as error:
                which = (
                    error.about("candidate", number=number, of=len(candidates)) if number else error.about("current")
                )
                raise which from None
        return self.find(files[0], description, files[1:], language=language)[0]

    def find(  # noqa: PLR0913  inputs and options
        self,
        current: bytes,
        description: str,
        candidates: Sequence[bytes],
        *,
        language: str | None = None,
        person_point: PersonPoint | None = None,
        measuring: Callable[[int, int], object] = lambda *_: None,
    ) -> tuple[Ranking, SeenCandidates]:
        """Rank 2 to 20 ``candidates`` (the bytes of picture files) by how well each shows the described pose.

        ``description`` says how to get from the pose in ``current`` to the intended one. Without ``language``, it is
        detected by the script, and Hindi in Latin letters by its words. A candidate without a person is ranked by its
        picture alone, or last if the retriever needs joints. If the current photograph has no person, all candidates
        are ranked by their pictures. ``person_point`` is the person to measure in the current photograph; the
        default is the largest. ``measuring`` is called before each candidate is measured, with its number (from 1) and
        the total.

        Raise :class:`BadInputError`: ``description_*``, ``unknown_language``, ``candidates_count``, the errors of
        ``Retrievers.reading`` and ``read_photograph``, ``no_person`` and ``body_hidden`` for the current photograph if
        every retriever needs its joints or no picture shows a person, and ``candidates_without_people`` if no
        candidate can be ranked.
        """
        read = read_description(description, language)
        language = read.language
        if not MIN_CANDIDATES <= len(candidates) <= MAX_CANDIDATES:
            raise BadInputError("candidates_count", least=MIN_CANDIDATES, most=MAX_CANDIDATES, found=len(candidates))
        loaded = self.retrievers.reading(language)
        words = description_numbers(read, loaded)
        clock = Stopwatch()
        by_pictures = self.retrievers.seeing(language) if needs_joints(loaded) else loaded
        budget = DecodingBudget()
        current_file = self._open(current, budget, "current", person_point)
        clock.lap("photographs")
        first = self._measured(current_file)
        if first.refusal and by_pictures is None:
            raise BadInputError(first.refusal, which="current")
        clock.lap("estimator")
        files = self._all_opened(candidates, budget, {current: current_file})
        clock.lap("photographs")
        question = self._measured_candidates(first, files, measuring)
        if first.refusal and not any(candidate.people for candidate in question.candidates):
            raise BadInputError(first.refusal, which="current")
        if question.current.estimate is None and by_pictures is not None:
            loaded = by_pictures
            words = description_numbers(read, loaded)
        clock.lap("estimator")
        distinct = {candidate.key: candidate for candidate in question.candidates}
        keys = sorted(distinct)
        places = [keys.index(candidate.key) for candidate in question.candidates]
        poses = [question.current, *(distinct[key] for key in keys)]
        if not present(loaded, poses).any():
            raise BadInputError("candidates_without_people")
        matched, gpu_refused = self._matched(language, words, poses)
        clock.lap("retriever")
        plan = tuple(read_clause.goal for read_clause in read.reading.beside)
        shapes = tuple(read_shape.goal for read_shape in read.reading.shapes)
        compared = [question.candidate(distinct[key]) for key in keys]
        estimate = question.current.estimate
        of_clauses = text_evidence(read, None if estimate is None else estimate.pose, compared)
        scores = matched.scores[0].double().numpy()
        # The joints' verdicts on clauses compare with the current pose, which a language-only retriever does not see.
        odds = candidate_log_odds(scores, of_clauses) if loaded.network.network.config.current else scores
        shares = _shares(odds, places)
        ranked = sorted(enumerate(shares), key=lambda numbered_share: -numbered_share[1])
        winner = ranked[0][0]
        best = compared[places[winner]]
        measured = best is not None
        told_apart = deciding_statements(plan, shapes, compared, places[winner])
        ranking = Ranking(
            ranking=tuple(RankedCandidate(*numbered_share) for numbered_share in ranked),
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
            clauses=() if best is None else _checked_clauses(read, best.pair),
            model=ModelName(loaded.folder.shown_id, loaded.folder.revision),
            estimator=self.estimator.name,
            people=(question.current.people, *(candidate.people for candidate in question.candidates)),
            milliseconds={},
            read_as=read.read_as,
            shapes=() if best is None else _ranked_shapes(read, best.target, told_apart[len(plan) :]),
            deciding=() if best is None else tuple(np.flatnonzero(told_apart[: len(plan)]).tolist()),
            agreed=tuple(_agreed(plan, shapes, compared[places[number]]) for number, _ in ranked),
            gpu_refused=gpu_refused,
        )
        clock.lap("check")
        return replace(ranking, milliseconds=clock.laps()), question

    def prepare(self, current: bytes, candidates: Sequence[bytes]) -> None:
        """Measure the photographs of a request to come; raise the errors of ``read_photograph``."""
        budget = DecodingBudget()
        file = self._open(current, budget, "current")
        self._measured_candidates(
            self._measured(file), self._all_opened(candidates, budget, {current: file}), lambda *_: None
        )

    def _match(
        self, language: str, words: Sequence[int], poses: Sequence[SeenPhotograph], device: str | None = None
    ) -> tuple[Match, bool]:
        """Score each picture after the first as the described change of the first; tell whether no GPU was lent."""
        from fmp_models.inference.candidate_scores import match  # noqa: PLC0415  loads torch

        retrievers = self.retrievers if device is None else self.retrievers.on_device(device)
        loaded = retrievers.reading(language)
        if poses[0].estimate is None and needs_joints(loaded):
            loaded = retrievers.seeing(language) or loaded
        return match(loaded, language, words, poses), device is not None

    def _open(
        self, data: bytes, budget: DecodingBudget, which: str, person_point: PersonPoint | None = None, **counted: int
    ) -> _File:
        """Return a file from the cache, or decode it; an error names the photograph and its number from 1."""
        key = file_key(data, person_point)
        known = self._cache.get(key)
        if known is not None:
            return _File(key, known.photograph, known)
        try:
            return _File(key, read_photograph(data, budget))
        except BadInputError as error:
            raise error.about(which, **counted) from error

    def _all_opened(
        self, candidates: Sequence[bytes], budget: DecodingBudget, known: dict[bytes, _File]
    ) -> list[_File]:
        """Return the candidates, decoding each file that is not ``known`` once."""
        for number, data in enumerate(candidates, 1):
            if data not in known:
                known[data] = self._open(data, budget, "candidate", number=number, of=len(candidates))
        return [known[data] for data in candidates]

    def _measured(self, file: _File) -> SeenPhotograph:
        """Return the measured photograph, measuring it now if necessary."""
        if file.measured is not None:
            return file.measured
        try:
            seen = SeenPhotograph(file.photograph, estimate_person(self.estimator, file.photograph, file.key[1]))
        except BadInputError as error:
            if error.code not in NOBODY:
                raise
            seen = SeenPhotograph(file.photograph, None, error.code)
        self._cache.put(file.key, seen)
        return seen

    def _measured_candidates(
        self, first: SeenPhotograph, files: Sequence[_File], measuring: Callable[[int, int], object]
    ) -> SeenCandidates:
        """Measure every distinct picture once; an uncertain person faces the same way as in the first picture."""
        known = {first.key: first}
        for number, file in enumerate(files, 1):
            measuring(number, len(files))
            if file.photograph.key not in known:
                seen = self._measured(file)
                known[seen.key] = replace(seen, estimate=facing_as(first.estimate, seen.estimate))
        return SeenCandidates(first, tuple(known[file.photograph.key] for file in files))


def text_evidence(read: ReadDescription, current: Pose | None, candidates: Sequence[Candidate | None]) -> Array:
    """Return the evidence (k, 5) of the joints of candidates for what a description asks."""
    goals = tuple(piece.goal for piece in read.reading.asked)
    return evidence(
        tuple(clause.goal for clause in read.reading.beside),
        candidates,
        read.reading.named,
        tuple(shape.goal for shape in read.reading.shapes),
        executed_goals(goals, current) if goals and current is not None else None,
    )


def description_numbers(read: ReadDescription, loaded: LoadedModel[VisionModel[AnyRetriever]]) -> list[int]:
    """Return the numbers of the description's tokens; raise BadInputError if nothing in it can be read."""
    numbers = loaded.vocabularies[read.language].numbers_as_meant(read.words)
    token_numbers = zip(read.words, numbers, strict=True)
    learned = any(number != UNK for token, number in token_numbers if any(letter.isalpha() for letter in token))
    if not (learned or read.reading.clauses or read.reading.shapes):
        raise BadInputError("description_unknown")
    return numbers


def _checked_clauses(read: ReadDescription, pair: PosePair) -> tuple[CheckedClause, ...]:
    """Return the clauses of the description with the confidence of their measurements."""

    def sureness(clause: Clause, _: tuple[int, int]) -> float:
        return confidence(clause, pair)

    return judged_clauses(read.reading.beside, read.text, read.language, pair, sureness)


def _ranked_shapes(read: ReadDescription, target: Pose, told_apart: NDArray[np.bool_]) -> tuple[RankedShape, ...]:
    """Return the shapes that the description names, with the target's confidence of holding each."""
    return tuple(
        RankedShape(
            name=shape.goal.shape.name,
            side=shape.goal.side.value,
            words=words_at(read.text, *shape.span),
            share=round(share_held(shape.goal, target), 3),
            deciding=bool(decides),
        )
        for shape, decides in zip(read.reading.shapes, told_apart, strict=True)
    )


def _agreed(
    plan: Sequence[Clause], shapes: Sequence[NamedShape], candidate: Candidate | None
) -> tuple[bool | None, ...]:
    """Return the verdict of a candidate's joints on each clause and on each named shape."""
    if candidate is None:
        return ()
    shares = [share_held(shape, candidate.target) for shape in shapes]
    held = [True if share >= SURELY_HELD else False if share <= 1 - SURELY_HELD else None for share in shares]
    return (*(agrees(clause, candidate.pair) for clause in plan), *held)


def _shares(scores: NDArray[np.float64], places: Sequence[int]) -> list[float]:
    """Return the softmax over all given candidates; equal pictures count as often as given, in a fixed order."""
    odds = np.exp(scores - scores.max())
    total = float(sum(odds * np.bincount(places, minlength=len(odds))))
    return [float(odds[place]) / total for place in places]
