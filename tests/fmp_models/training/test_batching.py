from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.training.batching import BatchShares, batches_from, count_batches, of_like_lengths, shuffled

Batch = tuple[tuple[int, ...], int]


class Numbers:
    """Seven samples in batches of two; a batch holds its samples and a number drawn by chance."""

    def order(self, generator: torch.Generator) -> Sequence[Sequence[int]]:
        return shuffled(7, 2, generator)

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> Batch:
        return tuple(samples), int(torch.randint(10**9, (1,), generator=generator))


def read(steps: range, *, accumulate: int = 1, processes: int = 1, index: int = 0, ahead: int = 0) -> list[Batch]:
    return list(batches_from(Numbers(), 5, BatchShares(accumulate, processes, index), steps, ahead))


def test_every_sample_comes_once_an_epoch_in_an_order_of_its_own() -> None:
    assert count_batches(Numbers(), 5) == 4
    batches = read(range(8))
    epochs = [[sample for samples, _ in batches[begin : begin + 4] for sample in samples] for begin in (0, 4)]
    assert [sorted(epoch) for epoch in epochs] == [list(range(7))] * 2
    assert epochs[0] != epochs[1]
    assert len({chance for _, chance in batches}) == 8


@pytest.mark.parametrize("start", [1, 3, 4, 7])
@pytest.mark.parametrize("ahead", [0, 2])
def test_a_run_that_goes_on_reads_what_the_unbroken_one_would_have(start: int, ahead: int) -> None:
    assert read(range(start, 10), ahead=ahead) == read(range(10))[start:]


@given(st.lists(st.integers(1, 90), max_size=150), st.integers(1, 7), st.integers(0, 99))
def test_batches_of_like_lengths_hold_every_sample_once(lengths: list[int], batch: int, seed: int) -> None:
    batches = of_like_lengths(lengths, batch, torch.Generator().manual_seed(seed))
    assert sorted(sample for samples in batches for sample in samples) == list(range(len(lengths)))
    assert [len(samples) for samples in batches].count(batch) == len(lengths) // batch
    assert len(batches) == -(-len(lengths) // batch)


def test_batches_of_like_lengths_hold_little_padding_and_differ_between_epochs() -> None:
    drawn = torch.Generator().manual_seed(1)
    lengths = torch.randint(20, 100, (1600,), generator=drawn).tolist()
    first, second = (of_like_lengths(lengths, 16, drawn) for _ in range(2))
    padded = [sum(16 * max(lengths[sample] for sample in samples) for samples in order) for order in (first, second)]
    assert max(padded) < 1.15 * sum(lengths)
    assert {frozenset(samples) for samples in first}.isdisjoint(frozenset(samples) for samples in second)
    longest = [max(lengths[sample] for sample in samples) for samples in first]
    assert longest != sorted(longest)


def test_processes_share_what_one_reads_alone_and_the_rest_of_an_epoch_is_left_out() -> None:
    alone = read(range(4), accumulate=2)
    shared = [read(range(4), processes=2, index=index) for index in (0, 1)]
    assert [batch for pair in zip(*shared, strict=True) for batch in pair] == alone
    assert len(read(range(2), accumulate=3)) == 6


def test_batches_prepared_ahead_stop_when_nobody_wants_them_any_more() -> None:
    batches = batches_from(Numbers(), 5, BatchShares(1), range(1000), ahead=2)
    assert next(batches) == read(range(1))[0]
    batches.close()  # type: ignore[attr-defined]
    assert list(batches) == []


def test_a_fault_in_a_thread_that_prepares_reaches_the_run() -> None:
    class Broken(Numbers):
        def batch(self, samples: Sequence[int], generator: torch.Generator) -> Batch:
            raise RuntimeError(samples, generator)

    with pytest.raises(RuntimeError, match="Generator object"):
        list(batches_from(Broken(), 5, BatchShares(1), range(2), ahead=2))
