"""The batches of a run; their randomness depends only on seed, epoch and number, so a run can start at any step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
import torch

Batch_co = TypeVar("Batch_co", covariant=True)
_ORDER, _CONTENT, _CHANCE = range(3)  # purposes of random numbers
_STRETCH = 16  # batches whose samples are sorted by length together


class BatchSource(Protocol[Batch_co]):
    """The protocol of a source of batches."""

    def order(self, generator: torch.Generator) -> Sequence[Sequence[int]]:
        """Return the batches of one epoch, each as sample numbers; every epoch has the same number of batches."""
        ...

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> Batch_co:
        """Return one batch, on the CPU; several threads may call this at once."""
        ...


@dataclass(frozen=True)
class BatchShares:
    """How batches are divided: ``accumulate`` per step for each of ``processes``; ``index`` is this process.

    Batches at the end of an epoch that do not fill a step are left out; they differ with every order.
    """

    accumulate: int
    processes: int = 1
    index: int = 0

    @property
    def together(self) -> int:
        """The number of batches of one step, over all processes."""
        return self.accumulate * self.processes


def shuffled(count: int, batch: int, generator: torch.Generator) -> list[list[int]]:
    """Return the numbers below ``count`` in random order, in batches; the last batch can be smaller."""
    order = torch.randperm(count, generator=generator).tolist()
    return [order[begin : begin + batch] for begin in range(0, count, batch)]


def of_like_lengths(lengths: Sequence[int], batch: int, generator: torch.Generator) -> list[list[int]]:
    """Return batches as ``shuffled`` does, with samples of similar text length together, which reduces padding.

    The samples of a few batches at a time are sorted. Which samples these are, and the order of the batches, is
    random.
    """
    order = shuffled(len(lengths), _STRETCH * batch, generator)
    sorted_ = [sorted(stretch, key=lengths.__getitem__) for stretch in order]
    batches = [stretch[begin : begin + batch] for stretch in sorted_ for begin in range(0, len(stretch), batch)]
    return [batches[number] for number in torch.randperm(len(batches), generator=generator).tolist()]


def seed_chance(seed: int, *key: int) -> None:
    """Seed dropout and sampling on all devices."""
    torch.manual_seed(_number(seed, _CHANCE, *key))


def count_batches(source: BatchSource[object], seed: int) -> int:
    """Return the number of batches of one epoch."""
    return len(_order(source, seed, 0))


def batches_from(
    source: BatchSource[Batch_co], seed: int, shares: BatchShares, steps: range, ahead: int = 0
) -> Iterator[Batch_co]:
    """Yield the batches of ``steps`` for one process, in order, ``accumulate`` for each step.

    ``ahead`` threads prepare the next batches; this changes no batch.
    """
    makers = _makers(source, seed, shares, steps)
    if not ahead:
        yield from (make() for make in makers)
        return
    with ThreadPoolExecutor(ahead) as pool:
        waiting: deque[Future[Batch_co]] = deque()
        try:
            for make in makers:
                waiting.append(pool.submit(make))
                if len(waiting) > 2 * ahead:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _makers(
    source: BatchSource[Batch_co], seed: int, shares: BatchShares, steps: range
) -> Iterator[Callable[[], Batch_co]]:
    per_epoch = count_batches(source, seed) // shares.together
    epoch, order = -1, list[Sequence[int]]()
    for step in steps:
        if step // per_epoch != epoch:
            epoch = step // per_epoch
            order = list(_order(source, seed, epoch))
        begin = step % per_epoch * shares.together
        for number in range(begin + shares.index, begin + shares.together, shares.processes):
            yield partial(source.batch, order[number], _generator(seed, _CONTENT, epoch, number))


def _order(source: BatchSource[object], seed: int, epoch: int) -> Sequence[Sequence[int]]:
    return source.order(_generator(seed, _ORDER, epoch))


def _generator(seed: int, *key: int) -> torch.Generator:
    return torch.Generator().manual_seed(_number(seed, *key))


def _number(seed: int, *key: int) -> int:
    """Return one number for a seed and a key, different for other keys."""
    return int(np.random.SeedSequence([seed, *key]).generate_state(1, np.uint64)[0] >> 1)
