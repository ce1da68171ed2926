"""One worker with a bounded queue before the model that people try to fool; a person's last request replaces others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

from annotate.errors import RefusedError
from annotate.kinds import QuestionView
from annotate.ports import ModelRanking, RankCandidates

MAX_WAITING = 8  # people
PATIENCE_SECONDS = 6.0
_MAX_KNOWN = 256  # rankings


@dataclass(frozen=True)
class ShownRanking:
    """What the page tells of a ranking: the probabilities of the target and of the ``others`` in the order shown."""

    target: float
    others: tuple[float, ...]

    @property
    def leader(self) -> int:
        """The number of the other candidate with the largest probability, from 1."""
        return 1 + self.others.index(max(self.others))

    @property
    def best_first(self) -> list[tuple[float, int]]:
        """The probabilities with the numbers of the other candidates, and 0 for the target."""
        return sorted(((share, number) for number, share in enumerate((self.target, *self.others))), reverse=True)

    @property
    def fooled(self) -> bool:
        """Whether another candidate has a larger probability than the target."""
        return max(self.others) > self.target


@dataclass
class ModelQueue:
    """The queue; a request is refused as ``model_busy`` if there is no room, no answer in time, or a later one came."""

    patience: float = PATIENCE_SECONDS
    _waiting: dict[str, Future[ModelRanking]] = field(default_factory=dict, init=False, repr=False)
    _known: dict[tuple[str, ...], ModelRanking] = field(default_factory=dict, init=False, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)
    _worker: ThreadPoolExecutor | None = field(default=None, init=False, repr=False)

    def ranking(
        self, rank: RankCandidates | None, view: QuestionView, text: str, picture: Callable[[str], bytes]
    ) -> ModelRanking:
        """Return the model's ranking of the candidates of a question; ``picture`` reads a picture by name."""
        item, language = view.question.item, view.question.language
        about, person = (*item.candidates, item.current, language, text), view.annotator
        with self._lock:
            if about in self._known:
                return self._known[about]
            earlier = self._waiting.get(person)
            if rank is None or (earlier is None and len(self._waiting) >= MAX_WAITING):
                raise RefusedError("model_busy")
            if earlier is not None:
                earlier.cancel()
            self._worker = self._worker or ThreadPoolExecutor(1, "fooled-model")
            names = (item.current, *item.candidates)
            answer = self._worker.submit(partial(_timed, rank, names, picture, text, language))
            self._waiting[person] = answer
        answer.add_done_callback(partial(self._done, person, about))
        try:
            return answer.result(self.patience)
        except (TimeoutError, CancelledError):
            answer.cancel()
            raise RefusedError("model_busy") from None

    def _done(self, person: str, about: tuple[str, ...], answer: Future[ModelRanking]) -> None:
        with self._lock:
            if self._waiting.get(person) is answer:
                del self._waiting[person]
            if not answer.cancelled() and answer.exception() is None:
                self._known[about] = answer.result()
                while len(self._known) > _MAX_KNOWN:
                    del self._known[next(iter(self._known))]


def _timed(
    rank: RankCandidates, names: tuple[str, ...], picture: Callable[[str], bytes], text: str, language: str
) -> ModelRanking:
    current, *candidates = map(picture, names)
    start = time.perf_counter()
    found = rank(current, candidates, text, language)
    return replace(found, milliseconds=round(1000 * (time.perf_counter() - start), 1))


def shown(ranking: ModelRanking, view: QuestionView) -> ShownRanking:
    """Return what the page tells of a ranking."""
    probabilities, target = ranking.probabilities, view.question.item.answer or 0
    return ShownRanking(probabilities[target], tuple(probabilities[number] for number in view.candidates))
