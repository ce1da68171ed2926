"""Participants on a Space without a database: their ids in the private dataset, encrypted, and back after a restart."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from annotate.__main__ import main
from annotate.errors import RefusedError
from annotate.identity import pseudonym_key
from annotate.publishing.destinations import FolderDestination, HubDestination
from annotate.publishing.publisher import LossGuard, Publisher
from annotate.publishing.tables import kind_of, read_shard
from annotate.records import ParticipantId, new_event
from annotate.storage.database import participants_table
from annotate.storage.queries import every_participant, store_participant
from annotate.storage.store import Store
from tests.annotate.asking import campaign_json, item, write
from tests.annotate.sample_events import event
from tests.hub_server import HubServer, api_of

REPO = "me/annotations"
WORDS = "the secret of the Space"
KEY = pseudonym_key(WORDS, Path())
RAW = "5f3a9c0e1b2d4f6a8c0e1b2d"
NAMED = {"ann": RAW, "bob": "6f3a9c0e1b2d4f6a8c0e1b2e"}
Open = Callable[..., Store]


def space(store: Store, hub: HubServer, key: bytes = KEY) -> Publisher:
    """Return what publishes from the disk of a Space, which is lost at a restart."""
    destination = HubDestination(REPO, api_of(hub))
    return Publisher(store, destination, sleep=lambda _: None, guard=LossGuard(store, forgets=True), key=key)


def join(store: Store, annotator: str = "ann") -> None:
    store.write(lambda on: store_participant(on, annotator, NAMED[annotator]))


def known(store: Store) -> dict[str, str]:
    with store.reading() as connection:
        return every_participant(connection)


def copies(hub: HubServer) -> list[str]:
    """Return the owners of the encrypted ids in the dataset."""
    files = {path: file.data for path, file in hub.repos["dataset", REPO].head.files.items()}
    shards = [read_shard(path, data) for path, data in files.items() if kind_of(path) == ParticipantId.kind]
    return [one.annotator for shard in shards for one in shard]


@pytest.fixture
def first(open_here: Open, tmp_path: Path, hub: HubServer) -> Store:
    """Return the store of a Space that has published an answer of each of two participants."""
    store = open_here(tmp_path / "first.sqlite3")
    store.add_all([event(annotator=annotator) for annotator in NAMED])
    for annotator in NAMED:
        join(store, annotator)
    space(store, hub).publish_now()
    return store


def test_a_restart_on_an_empty_disk_knows_the_participants(
    first: Store, open_here: Open, tmp_path: Path, hub: HubServer
) -> None:
    again = open_here(tmp_path / "again.sqlite3")
    commits = len(hub.repos["dataset", REPO].commits)
    space(again, hub).publish_now()
    assert known(again) == known(first) == NAMED
    assert len(hub.repos["dataset", REPO].commits) == commits  # nothing is encrypted again
    contents = [file.data for commit in hub.repos["dataset", REPO].commits for file in commit.files.values()]
    assert not [data for data in contents if any(raw.encode() in data for raw in NAMED.values())]
    assert all(RAW not in str(one.payload) for one in first.events())


def test_a_row_that_changed_replaces_its_copy(first: Store, open_here: Open, tmp_path: Path, hub: HubServer) -> None:
    changed = participants_table.update().where(participants_table.c.annotator == "ann").values(participant="another")
    first.write(lambda on: on.execute(changed))
    space(first, hub).publish_now()
    again = open_here(tmp_path / "again.sqlite3")
    space(again, hub).publish_now()
    assert known(again) == {**NAMED, "ann": "another"}
    assert sorted(one.annotator for one in again.live(kind=ParticipantId.kind)) == ["ann", "bob"]


@pytest.mark.usefixtures("first")
def test_another_key_is_told_in_one_sentence_and_takes_no_answer_away(
    open_here: Open, tmp_path: Path, hub: HubServer
) -> None:
    again = open_here(tmp_path / "again.sqlite3")
    publisher = space(again, hub, bytes(32))
    again.write(lambda on: store_participant(on, "cem", "new"))
    with pytest.raises(RefusedError, match=r"ids of participants \(2\) are encrypted by another pseudonym key"):
        publisher.publish_now()
    assert "FMP_PSEUDONYM_KEY" in (publisher.state().last_error or "")
    assert (len(again.live(kind="rating")), known(again), again.read_only) == (2, {"cem": "new"}, None)
    assert sorted(copies(hub)) == ["ann", "bob", "cem"]

    right = open_here(tmp_path / "right.sqlite3")
    with pytest.raises(RefusedError, match=r"participants \(1\)"):
        space(right, hub).publish_now()
    assert known(right) == NAMED


def test_a_dataset_that_becomes_public_loses_them(first: Store, hub: HubServer) -> None:
    hub.repos["dataset", REPO].private = False
    join(first)
    publisher = space(first, hub)
    with pytest.raises(RefusedError, match="“me/annotations” is public") as refused:
        publisher.publish_now()
    assert refused.value.details["count"] == 2
    assert (copies(hub), known(first)) == ([], NAMED)
    state = publisher.state()
    assert (state.waiting, state.published, state.read_only) == (0, 2, None)

    hub.repos["dataset", REPO].private = True
    publisher.publish_now()
    assert sorted(copies(hub)) == ["ann", "bob"]


def test_neither_a_public_dataset_nor_a_lasting_disk_gets_any(
    sqlite_store: Store, hub: HubServer, tmp_path: Path, first: Store
) -> None:
    Publisher(first, FolderDestination(tmp_path / "sent"), key=KEY).publish_now()
    assert {kind_of(f"data/{path.parent.name}/{path.name}") for path in tmp_path.glob("sent/data/*/*")} == {"rating"}
    del hub.repos["dataset", REPO]
    hub.add_repo(REPO, kind="dataset")
    sqlite_store.add(event())
    join(sqlite_store)
    with pytest.raises(RefusedError, match="is public"):
        space(sqlite_store, hub).publish_now()
    Publisher(sqlite_store, HubDestination(REPO, api_of(hub)), key=KEY).publish_now()
    hub.repos["dataset", REPO].private = True
    Publisher(sqlite_store, HubDestination(REPO, api_of(hub)), key=KEY).publish_now()
    assert copies(hub) == []


def test_a_deletion_takes_the_encrypted_id_along(first: Store, open_here: Open, tmp_path: Path, hub: HubServer) -> None:
    elsewhere = open_here(tmp_path / "elsewhere.sqlite3")
    space(elsewhere, hub).publish_now()
    elsewhere.withdraw(annotator="ann")
    space(elsewhere, hub).publish_now()
    assert copies(hub) == ["bob"]
    space(first, hub).publish_now()
    assert known(first) == known(elsewhere) == {"bob": NAMED["bob"]}

    join(first)  # they come back
    space(first, hub).publish_now()
    space(elsewhere, hub).publish_now()
    assert known(elsewhere) == NAMED
    assert sorted(copies(hub)) == ["ann", "bob"]


def test_nobody_is_paid_with_the_copy_of_another_or_a_forged_one(
    first: Store, open_here: Open, tmp_path: Path, hub: HubServer
) -> None:
    (copy,) = (one.payload for one in first.live(kind=ParticipantId.kind) if one.annotator == "bob")
    forger = open_here(tmp_path / "forger.sqlite3")
    forger.add_all([new_event(copy, annotator="eve"), new_event(ParticipantId("ab" * 60), annotator="ann")])
    Publisher(forger, HubDestination(REPO, api_of(hub))).publish_now()
    again, later = (open_here(tmp_path / f"{name}.sqlite3") for name in ("again", "later"))
    with pytest.raises(RefusedError, match=r"participants \(2\)"):
        space(again, hub).publish_now()
    assert known(again) == {"bob": NAMED["bob"]}
    with pytest.raises(RefusedError, match=r"participants \(1\)"):
        space(first, hub).publish_now()
    with pytest.raises(RefusedError, match=r"participants \(1\)"):
        space(later, hub).publish_now()
    assert known(later) == NAMED


@pytest.mark.parametrize(("secret", "paid"), [(WORDS, RAW), ("wrong", ""), ("", "")])
def test_the_payment_file_of_published_answers_has_the_ids_if_the_key_is_there(  # noqa: PLR0913, PLR0917  all are needed
    secret: str,
    paid: str,
    sqlite_store: Store,
    hub: HubServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sqlite_store.add_all([event(campaign="small"), event("completion", campaign="small", number=1, answers=1)])
    join(sqlite_store)
    space(sqlite_store, hub).publish_now()
    for path, file in hub.repos["dataset", REPO].head.files.items():
        (tmp_path / "got" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "got" / path).write_bytes(file.data)
    campaign = write(tmp_path / "campaign", campaign_json([item(1)]))
    monkeypatch.setenv("FMP_PSEUDONYM_KEY", secret)
    report = ["report", "--json", "--campaign", str(campaign), "--from", str(tmp_path / "got")]

    assert main(report) == 0
    assert "encrypted" not in capsys.readouterr().err
    assert main([*report, "--payments", str(tmp_path / "payments.csv")]) == 0
    (row,) = csv.DictReader((tmp_path / "payments.csv").read_text("utf-8-sig").splitlines())
    assert row["participant_id"] == paid
    assert ("participants (1) are encrypted" in capsys.readouterr().err) == (not paid)
