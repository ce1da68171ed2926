from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from annotate.publishing.destinations import FolderDestination
from annotate.publishing.publisher import Publisher
from annotate.publishing.tables import read_shard
from annotate.storage.store import open_store, store_path
from tests.thoroughness import thorough
from tests.without_unix import unix_alone

ROOT = Path(__file__).resolve().parents[3]


@unix_alone
@pytest.mark.parametrize("kills", [10, pytest.param(100, marks=thorough)])
def test_no_thanked_answer_is_missing_or_doubled_after_kills(kills: int, tmp_path: Path) -> None:
    chance = random.Random(20)
    command = [sys.executable, "-m", "tests.annotate.crashing", str(tmp_path)]
    thanked: list[str] = []
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        for _ in range(kills):
            writer.stdin.write("go\n")
            writer.stdin.flush()
            child, last = 0, chance.randrange(12)
            thanks = 0
            for line in writer.stdout:
                word = line.strip()
                if word.startswith("child"):
                    child = int(word.split()[1])
                elif word == "dead":
                    break
                else:
                    thanked.append(word)
                    thanks += 1
                if child and thanks >= last:
                    os.kill(child, signal.SIGKILL)
                    last = sys.maxsize
        writer.stdin.close()
    assert len(thanked) > kills
    store = open_store(store_path(tmp_path))
    try:
        kept = Counter(one.id for one in store.events())
        assert set(thanked) <= kept.keys()
        assert set(kept.values()) == {1}
        destination = FolderDestination(tmp_path / "dataset")
        publisher = Publisher(store, destination)
        publisher.publish_now()
        assert publisher.state().waiting == 0
        files = destination.contents().shards
        assert Counter(one.id for path in files for one in read_shard(path, destination.read(path))) == kept
    finally:
        store.close()
