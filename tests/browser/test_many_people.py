"""A small crowd of those that ``make bench`` measures, so that it works when it is measured."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.benchmarks.annotators import Crowd, Waits, answered
from tests.postgresql_server import new_database, owner, programs, running_postgresql
from tests.thoroughness import one_of, thorough

CROWD = Crowd(people=25, seconds=4, pause=1.0)


@thorough
@pytest.mark.parametrize("database", one_of(["SQLite", "PostgreSQL"]))
def test_people_who_answer_at_once_are_all_thanked(pose_model: Path, database: str) -> None:
    if database == "SQLite":
        waits = _beside(pose_model)
    elif programs() is None or owner() is None:
        pytest.skip("PostgreSQL: there is no server program here, or nobody to run it")
    else:
        with running_postgresql(synced=False) as server:
            waits = _beside(pose_model, new_database(server))
    assert not waits.faults, waits.faults
    assert CROWD.people <= len(waits.answers) <= len(waits.aheads)
    assert waits.processor > 0


def _beside(pose_model: Path, *database: str) -> Waits:
    """Run the crowd in a thread of its own: the browser of other tests has an event loop in this one."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(answered, pose_model, CROWD, *database).result()
