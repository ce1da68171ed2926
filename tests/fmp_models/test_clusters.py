from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from distributed import LocalCluster

from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.workers import Workers
from tests.commands import run_here
from tests.nonempty import nonempty
from tests.thoroughness import thorough
from tests.worked_items import doubled, ended_once


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as started:
        yield started.scheduler_address


@thorough
def test_nothing_is_lost_and_nothing_comes_twice_when_a_worker_of_a_cluster_is_killed(
    cluster: str, tmp_path: Path
) -> None:
    completed = [*Workers(scheduler=cluster).completed(partial(ended_once, tmp_path), range(60))]
    assert sorted(number for number, _ in completed) == list(range(60))
    assert all(job.result()[0] == number for number, job in nonempty(completed))
    assert (tmp_path / "killed").exists()


@thorough
def test_an_error_of_an_item_comes_back_from_a_cluster(cluster: str) -> None:
    jobs = [*Workers(scheduler=cluster).in_order(doubled, range(9))]
    assert [number for number, job in enumerate(jobs) if isinstance(job.exception(), BadInputError)] == [3]
    assert jobs[4].result() == 8


@thorough
def test_a_cluster_makes_the_same_bytes(cluster: str, tmp_path: Path) -> None:
    for name, where in (("here", ("--processes", 1)), ("cluster", ("--scheduler", cluster))):
        done = run_here("dialogue", "generate", FOLDER, tmp_path / name, "--pairs", 2, *where)
        assert done.returncode == 0, done.stderr
    files = sorted(path.relative_to(tmp_path / "here") for path in (tmp_path / "here").rglob("*.parquet"))
    assert len(files) > 1
    assert [(tmp_path / "here" / file).read_bytes() for file in files] == [
        (tmp_path / "cluster" / file).read_bytes() for file in files
    ]


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere://127.0.0.1:1"])
def test_a_scheduler_that_does_not_answer_is_refused_in_one_sentence(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fmp_models.workers._SECONDS", 1)
    done = run_here("dialogue", "generate", FOLDER, tmp_path / "out", "--pairs", 1, "--scheduler", address)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"No Dask scheduler answers at “{address}”")
