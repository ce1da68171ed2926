"""Where the disk forgets, only what can be published is thanked for; elsewhere answers are taken and it is told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from annotate.errors import RefusedError
from annotate.publishing.destinations import FolderDestination, HubDestination
from annotate.publishing.loss_guard import LossGuard
from annotate.publishing.publisher import STARTING_SECONDS, Publisher
from annotate.storage.store import Store
from tests.annotate.publishing.test_publisher import REPO, ids, on, published
from tests.annotate.sample_events import event
from tests.hub_answers import READER
from tests.hub_server import Fault, HubServer, api_of
from tests.thoroughness import some

LONG = 3600.0  # seconds, in which no test waits
SOON = 60.0


def forgetting(store: Store, destination: HubDestination, patience: float = LONG) -> Publisher:
    guard = LossGuard(store, forgets=True, patience=patience)
    return Publisher(store, destination, sleep=lambda _: None, guard=guard)


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SOON
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def refuses(store: Store) -> str:
    """Give the answer's refusal in words."""
    with pytest.raises(RefusedError) as refused:
        store.add(event(item="late"))
    assert refused.value.code == "store_read_only"
    return refused.value.sentence


@pytest.mark.parametrize("seen_by", ["all", "members"])
@pytest.mark.parametrize("token", [READER, None, "hf_expired"])
def test_nothing_is_taken_before_the_right_to_write_is_proved(
    token: str | None, seen_by: str, sqlite_store: Store, hub: HubServer
) -> None:
    """A token that may only read, none, and one that is no longer known: 403, 401 and 404."""
    hub.add_repo(REPO, kind="dataset", private=seen_by == "members")
    destination = HubDestination(REPO, api_of(hub, token))
    publisher = Publisher(sqlite_store, destination, guard=LossGuard(sqlite_store, forgets=True))
    begin = time.monotonic()
    publisher.start()
    assert time.monotonic() - begin < STARTING_SECONDS / 2
    assert "HF_TOKEN" in refuses(sqlite_store)
    publisher.close(SOON)
    assert len(hub.repos["dataset", REPO].commits) == 1


def test_it_opens_when_the_right_to_write_is_given_and_the_proof_changes_nothing(
    sqlite_store: Store, hub: HubServer
) -> None:
    hub.add_repo(REPO, kind="dataset")
    hub.refuse_writes(Fault(403))
    publisher = forgetting(sqlite_store, on(hub))
    assert not publisher.import_published(proves=True)
    assert sqlite_store.read_only is not None
    assert sqlite_store.read_only.code == "publish_refused"
    hub.heal()
    assert publisher.import_published(proves=True)
    assert sqlite_store.add(event()).is_new
    assert len(hub.repos["dataset", REPO].commits) == 1


@pytest.mark.parametrize("status", some([403, 401, 402, 404, 410], 3))
def test_a_lasting_refusal_closes_the_store_until_a_publishing_succeeds_and_what_was_thanked_for_goes_out(
    status: int, sqlite_store: Store, hub: HubServer, tmp_path: Path, open_here: Callable[..., Store]
) -> None:
    publisher = forgetting(sqlite_store, on(hub))
    assert publisher.import_published(proves=True)
    thanked = [sqlite_store.add(event(item=f"i{n}")).event for n in range(6)]
    hub.refuse_writes(Fault(status))
    for _ in range(2):
        with pytest.raises(RefusedError) as refused:
            publisher.flush()
        assert refused.value.code == "publish_refused"
        assert "HF_TOKEN" in refuses(sqlite_store)
    assert publisher.state().waiting == len(thanked)

    hub.heal()
    publisher.flush()
    thanked.append(sqlite_store.add(event(item="afterwards")).event)
    publisher.flush()

    empty = open_here(tmp_path / "other.sqlite3")
    assert forgetting(empty, on(hub)).import_published(proves=True)
    assert ids(empty.events()) == ids(thanked) == ids(published(on(hub)))


def test_a_refusal_to_read_closes_it_too_and_reading_alone_does_not_open_it(
    sqlite_store: Store, hub: HubServer
) -> None:
    publisher = forgetting(sqlite_store, on(hub))
    assert publisher.import_published(proves=True)
    hub.fault = lambda _: Fault(401)
    with pytest.raises(RefusedError):
        publisher.flush()
    assert sqlite_store.read_only is not None
    hub.refuse_writes(Fault(403))
    with pytest.raises(RefusedError):
        publisher.flush()
    assert sqlite_store.read_only is not None
    hub.heal()
    publisher.flush()
    assert sqlite_store.read_only is None


@pytest.mark.parametrize("status", some([503, 429, 500, 504], 2))
def test_trouble_that_passes_closes_it_only_when_it_lasts(status: int, sqlite_store: Store, hub: HubServer) -> None:
    patient, impatient = forgetting(sqlite_store, on(hub)), forgetting(sqlite_store, on(hub), patience=0.01)
    assert patient.import_published(proves=True)
    sqlite_store.add(event())
    hub.refuse_writes(Fault(status))
    with pytest.raises(RefusedError):
        patient.flush()
    sqlite_store.add(event(item="meanwhile"))
    with pytest.raises(RefusedError):
        impatient.flush()
    wait_until(lambda: sqlite_store.read_only is not None)
    assert refuses(sqlite_store)
    hub.heal()
    impatient.flush()
    assert sqlite_store.read_only is None
    assert impatient.state().waiting == 0


def test_a_hub_that_never_answers_closes_it(sqlite_store: Store, hub: HubServer) -> None:
    publisher = forgetting(sqlite_store, on(hub), patience=0.1)
    assert publisher.import_published(proves=True)
    sqlite_store.add(event())
    hub.refuse_writes(Fault(seconds=0.5))
    publishing = threading.Thread(target=publisher.flush)
    publishing.start()
    wait_until(lambda: sqlite_store.read_only is not None)
    assert "does not respond" in refuses(sqlite_store)
    hub.heal()
    publishing.join(SOON)
    assert sqlite_store.read_only is None


def test_a_success_in_time_keeps_it_open(sqlite_store: Store, hub: HubServer) -> None:
    guard = LossGuard(sqlite_store, forgets=True, patience=0.05)
    publisher = Publisher(sqlite_store, on(hub), sleep=lambda _: None, guard=guard)
    assert publisher.import_published(proves=True)
    late = RefusedError("publish_failed", target=REPO, reason="late")
    guard.watch(lambda: late)
    guard.reopen()
    guard.close(late)  # as a timer does that had begun before
    assert sqlite_store.read_only is None


def test_a_disk_that_keeps_them_takes_answers_and_the_owner_is_told(
    sqlite_store: Store, hub: HubServer, caplog: pytest.LogCaptureFixture
) -> None:
    hub.add_repo(REPO, kind="dataset")
    publisher = Publisher(sqlite_store, HubDestination(REPO, api_of(hub, READER)), sleep=lambda _: None)
    publisher.start()
    assert sqlite_store.read_only is None
    sqlite_store.add(event())
    assert not publisher.close(SOON)
    assert "HF_TOKEN" in (publisher.state().last_error or "")
    assert [record.message for record in caplog.records] == [publisher.state().last_error]


def test_a_hub_that_refuses_at_the_start_is_told_once(
    sqlite_store: Store, hub: HubServer, caplog: pytest.LogCaptureFixture
) -> None:
    hub.fault = lambda _: Fault(403)
    tries = threading.Semaphore(0)

    def sleep(_: float) -> None:
        tries.release()
        time.sleep(0.01)

    publisher = Publisher(sqlite_store, on(hub), sleep=sleep)
    publisher.start()
    for _ in range(3):
        assert tries.acquire(timeout=SOON)
    publisher.close(SOON)
    (record,) = caplog.records
    assert "HF_TOKEN" in record.message


def test_a_folder_proves_that_it_can_be_written(tmp_path: Path) -> None:
    FolderDestination(tmp_path).prove_writable()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RefusedError):
        FolderDestination(tmp_path / "missing").prove_writable()
