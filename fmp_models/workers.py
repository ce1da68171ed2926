"""Work items in this process, in several processes of this machine, or on a Dask cluster.

Work and items are pickled. A failing item is reported with its error, and the items of a killed worker run again.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from typing import TypeVar

from fmp_models.common import end_with_parent
from fmp_models.errors import BadInputError, needs_extra

MAX_TRIES = 3  # of an item whose worker is killed
_AHEAD, _CLUSTER_AHEAD = 4, 512  # items handed over at once: for each process, and to a cluster
_SECONDS = 10  # to connect to a scheduler

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Workers:
    """``processes`` of this machine, 0 for this process itself, or the cluster of a Dask ``scheduler``.

    Workers of a cluster need the same version of this package, and the named files at the same paths.
    """

    processes: int = 0
    scheduler: str | None = None

    def completed(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[tuple[int, Future[Result]], None, None]:
        """Yield the number of each item and its finished future, in the order in which they finish.

        The future of a failed item raises its error: BadInputError (``worker_killed``) if its worker was killed
        each time. Items are read a few ahead. Raise BadInputError (``scheduler_*``).
        """
        source = enumerate(items)
        if not self.processes and self.scheduler is None:
            yield from ((number, _run(work, item)) for number, item in source)
            return
        ahead = _AHEAD * self.processes if self.scheduler is None else _CLUSTER_AHEAD
        again: list[tuple[int, Item]] = []  # run one at a time, which finds the item that ends its worker
        tries: Counter[int] = Counter()
        broken = True
        while broken:
            broken = False
            with self._pool() as pool:
                jobs: dict[Future[Result], tuple[int, Item, bool]] = {}
                while not broken or jobs:
                    alone = bool(again)
                    room = 0 if broken or (alone and jobs) else 1 if alone else ahead - len(jobs)
                    for number, item in [again.pop()] if alone and room else [*islice(source, room)]:
                        try:
                            jobs[pool.submit(work, item)] = number, item, alone
                        except BrokenExecutor:
                            broken = True
                            again.append((number, item))
                    if not jobs:
                        break
                    for job in wait(jobs, return_when=FIRST_COMPLETED).done:
                        number, item, alone = jobs.pop(job)
                        if not _killed(job):
                            yield number, job
                            continue
                        broken = True
                        tries[number] += alone
                        if self.scheduler is None and tries[number] < MAX_TRIES:
                            again.append((number, item))
                        else:
                            yield number, _failed(BadInputError("worker_killed", tries=MAX_TRIES))

    def in_order(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Future[Result], None, None]:
        """Yield the futures of :meth:`completed` in the order of the items."""
        early: dict[int, Future[Result]] = {}
        following = 0
        for number, job in self.completed(work, items):
            early[number] = job
            while following in early:
                yield early.pop(following)
                following += 1

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Result, None, None]:
        """Yield the results in the order of the items; raise the error of the first that failed."""
        return (job.result() for job in self.in_order(work, items))

    @contextmanager
    def _pool(self) -> Iterator[Executor]:
        """Open the processes or the connection; work that has not begun at an error is cancelled."""
        if self.scheduler is None:
            pool = ProcessPoolExecutor(self.processes, mp_context=get_context("spawn"), initializer=_begin)
            finished = False
            try:
                yield pool
                finished = True
            finally:
                pool.shutdown(wait=finished, cancel_futures=True)
            return
        with needs_extra("scheduler_missing"):
            from distributed import Client  # noqa: PLC0415  an optional extra
        try:
            client = Client(self.scheduler, timeout=_SECONDS, set_as_default=False)
        except (OSError, ValueError):
            raise BadInputError("scheduler_unreachable", address=self.scheduler) from None
        with client:
            yield client.get_executor()


HERE = Workers()


def _begin() -> None:
    """Prepare a process before it imports numbers: one thread, since the processes already use all cores."""
    end_with_parent()
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LP_NUM_THREADS"):
        os.environ[variable] = "1"


def _run(work: Callable[[Item], Result], item: Item) -> Future[Result]:
    job: Future[Result] = Future()
    try:
        job.set_result(work(item))
    except Exception as error:  # noqa: BLE001  the future raises it
        job.set_exception(error)
    return job


def _failed(error: Exception) -> Future[Result]:
    job: Future[Result] = Future()
    job.set_exception(error)
    return job


def _killed(job: Future[Result]) -> bool:
    """Return whether an item failed with its worker, not with an error of its own; a lost scheduler is an error."""
    if job.cancelled():
        raise BadInputError("scheduler_lost")
    error = job.exception()
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"
