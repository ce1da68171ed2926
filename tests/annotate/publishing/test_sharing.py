"""Several processes on one PostgreSQL database, one of them killed."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from annotate.publishing.destinations import FolderDestination
from annotate.publishing.publisher import Publisher
from annotate.publishing.tables import read_shard
from annotate.storage.store import Store
from tests.thoroughness import one_of

ROOT = Path(__file__).resolve().parents[3]
PEOPLE = 6


@pytest.mark.parametrize(("processes", "items"), one_of([(2, 8), (3, 25)]))
def test_processes_that_share_a_database_lose_and_double_nothing(
    postgresql: str, tmp_path: Path, open_here: Callable[..., Store], processes: int, items: int
) -> None:
    folder = tmp_path / "dataset"
    command = [sys.executable, "-m", "tests.annotate.sharing", postgresql, str(folder), str(PEOPLE), str(items)]
    writers = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    killed = writers[0]
    assert killed.stdout is not None
    thanked = [killed.stdout.readline().strip() for _ in range(20)]
    killed.kill()
    thanked += killed.stdout.read().split("\n")[:-1]
    for writer in writers[1:]:
        output, _ = writer.communicate()
        assert writer.returncode == 0
        thanked += output.split()
    killed.wait()
    killed.stdout.close()
    store = open_here(postgresql)
    destination = FolderDestination(folder)
    publisher = Publisher(store, destination)
    publisher.publish_now()
    kept = Counter(one.id for one in store.events())
    assert set(thanked) <= kept.keys()
    assert sorted((one.annotator, one.item) for one in store.live()) == sorted(
        (f"a{person}", f"i{item}") for person in range(PEOPLE) for item in range(items)
    )
    there = Counter(
        one.id for path in destination.contents().shards for one in read_shard(path, destination.read(path))
    )
    assert there == kept
    assert set(there.values()) == {1}
