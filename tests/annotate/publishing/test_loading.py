"""What is published is read with ``datasets``, as people read it: in a process of its own, by name or by folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from annotate.kinds.registry import RECORDS
from annotate.publishing.destinations import FolderDestination, HubDestination
from annotate.publishing.publisher import Publisher
from annotate.storage.store import Store
from tests.annotate.sample_events import event, of_before, undo_of
from tests.hub_server import HubServer, api_of, said_with
from tests.thoroughness import thorough

REPO = "me/annotations"
LOAD = """
import json
from datasets import load_dataset
read = {{}}
for kind in {kinds}:
    rows = load_dataset({where!r}, kind, split="train")
    assert len(rows) == (4 if kind == "questions" else 2), kind  # a row for each of two answers
    first = rows[0]
    pictures = [name for name, value in first.items() if hasattr(value, "convert")]
    for name in pictures:
        assert first[name].convert("RGB").size == (24, 32)
    read[kind] = [sorted(first), pictures]
print(json.dumps(read))
"""


def fill(store: Store) -> None:
    """Two events of each kind, in two shards."""
    taken_back = []
    for item in ("i1", "i2"):
        store.add_all(
            [event(kind, item=item, wording=item) if kind == "consent" else event(kind, item=item) for kind in others()]
        )
        undone = event("skip", item=f"{item} undone")
        store.add(undone)
        taken_back.append(undone.id)
    for one in taken_back:
        store.add(undo_of(one))


def others() -> list[str]:
    return [kind for kind in RECORDS if kind not in {"withdrawal", "skip"}]


def loaded(output: subprocess.CompletedProcess[str]) -> dict[str, tuple[list[str], list[str]]]:
    assert output.returncode == 0, output.stderr
    columns_of_kind: dict[str, tuple[list[str], list[str]]] = json.loads(output.stdout.splitlines()[-1])
    return columns_of_kind


@thorough
def test_every_kind_loads_from_a_folder(sqlite_store: Store, tmp_path: Path) -> None:
    destination = FolderDestination(tmp_path / "dataset")
    publisher = Publisher(sqlite_store, destination)
    fill(sqlite_store)
    publisher.publish_now()
    script = LOAD.format(kinds=[kind for kind in RECORDS if kind != "participant_id"], where=destination.name)
    environment = {**os.environ, "HF_HOME": str(tmp_path / "home"), "PYTHONIOENCODING": "utf-8"}
    output = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, encoding="utf-8", check=False
    )
    columns_of_kind = loaded(output)
    assert columns_of_kind["real_pair"][1] == ["current", "target"]
    assert set(columns_of_kind["vote"][0]) >= {
        "id",
        "time",
        "annotator",
        "supersedes",
        "relevant",
        "fluent",
        "shown",
        "seconds",
    }


def test_every_kind_loads_from_the_hub(sqlite_store: Store, hub: HubServer, tmp_path: Path) -> None:
    publisher = Publisher(sqlite_store, HubDestination(REPO, api_of(hub)))
    fill(sqlite_store)
    publisher.publish_now()
    columns_of_kind = loaded(said_with(hub, LOAD.format(kinds=list(RECORDS), where=REPO), tmp_path / "home"))
    assert columns_of_kind["real_pair"][1] == ["current", "target"]
    assert columns_of_kind.keys() == RECORDS.keys()


@thorough
def test_files_from_before_deletions_had_marks_load_with_newer_ones(
    sqlite_store: Store, hub: HubServer, tmp_path: Path
) -> None:
    destination = HubDestination(REPO, api_of(hub))
    publisher = Publisher(sqlite_store, destination)
    sqlite_store.add_all([event(), event(annotator="bob")])
    sqlite_store.withdraw(annotator="bob")
    publisher.publish_now()
    old = {path: of_before(destination.read(path)) for path in destination.contents().shards}
    destination.commit(old, [], destination.contents().revision)
    sqlite_store.add(event(annotator="bob"))
    sqlite_store.withdraw(annotator="eve")
    publisher.flush()
    assert len(destination.contents().shards) == 2 * len(old)
    columns_of_kind = loaded(said_with(hub, LOAD.format(kinds=["rating", "withdrawal"], where=REPO), tmp_path / "home"))
    assert "after" in columns_of_kind["rating"][0]
    assert "erases" in columns_of_kind["withdrawal"][0]


@thorough
def test_the_others_still_load_after_the_last_of_a_kind_was_deleted(
    sqlite_store: Store, hub: HubServer, tmp_path: Path
) -> None:
    publisher = Publisher(sqlite_store, HubDestination(REPO, api_of(hub)))
    sqlite_store.add_all([event("real_pair"), *(event(annotator="bob", item=item) for item in ("i1", "i2"))])
    publisher.publish_now()
    sqlite_store.withdraw(annotator="ann")
    publisher.flush()
    columns_of_kind = loaded(said_with(hub, LOAD.format(kinds=["rating"], where=REPO), tmp_path / "home"))
    assert columns_of_kind.keys() == {"rating"}
