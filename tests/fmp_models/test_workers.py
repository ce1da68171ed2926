from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from fmp_models.workers import HERE, MAX_TRIES, Workers
from tests.worked_items import always_ended, doubled, ended_once, imported


@pytest.mark.parametrize("workers", [HERE, Workers(2)], ids=["here", "processes"])
def test_results_come_in_order_and_a_failing_item_is_reported(workers: Workers) -> None:
    jobs = [*workers.in_order(doubled, range(30))]
    assert [number for number, job in enumerate(jobs) if job.exception()] == [3]
    assert [job.result() for job in jobs if not job.exception()] == [2 * item for item in range(30) if item != 3]
    with pytest.raises(BadInputError, match="No person"):
        list(workers.map(doubled, range(30)))


def test_the_items_of_a_killed_process_run_again(tmp_path: Path) -> None:
    found = {number: job.result()[0] for number, job in Workers(2).completed(partial(ended_once, tmp_path), range(20))}
    assert found == {number: number for number in range(20)}
    assert (tmp_path / "killed").exists()


def test_an_item_that_kills_its_process_each_time_is_reported_alone() -> None:
    jobs = [*Workers(2).in_order(always_ended, range(12))]
    assert {number: str(job.exception()) for number, job in enumerate(jobs) if job.exception()} == {
        2: str(BadInputError("worker_killed", tries=MAX_TRIES))
    }
    assert len(jobs) == 12


def test_items_are_read_a_few_ahead_and_the_rest_is_left_when_it_stops() -> None:
    read: list[int] = []
    results = Workers(1).map(abs, (read.append(item) or item for item in count()))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    results.close()
    assert len(read) < 20


def test_a_process_has_one_thread_for_numbers_before_it_imports_them() -> None:
    assert [*Workers(1).map(imported, [0])] == [(False, "1")]
