"""Publishing exactly once, whatever fails, and the guard against answers that would be lost."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from huggingface_hub.constants import HF_HUB_CACHE
from huggingface_hub.utils import close_session

from annotate.errors import RefusedError
from annotate.kinds.registry import RECORDS
from annotate.publishing import outbox
from annotate.publishing.destinations import Destination, FolderDestination, HubDestination
from annotate.publishing.outbox import import_published
from annotate.publishing.publisher import LossGuard, Publisher, choose_destination
from annotate.publishing.tables import kind_of, read_shard
from annotate.records import Event, live
from annotate.storage.queries import ClaimScope, Wanted, read_sightings
from annotate.storage.store import Store
from tests.annotate.counting import counted
from tests.annotate.sample_events import event, jpeg, undo_of
from tests.hub_answers import READER, Request, answer
from tests.hub_server import Fault, HubServer, api_of, said_with
from tests.thoroughness import one_of, some, thorough

REPO = "me/annotations"


@pytest.fixture(params=["folder", "hub"])
def destination(request: pytest.FixtureRequest, tmp_path: Path) -> Destination:
    if request.param == "folder":
        return FolderDestination(tmp_path / "dataset")
    return on(request.getfixturevalue("hub"))


def on(hub: HubServer) -> HubDestination:
    return HubDestination(REPO, api_of(hub))


def publisher_of(store: Store, destination: Destination) -> Publisher:
    """One that does not wait between attempts."""
    return Publisher(store, destination, sleep=lambda _: None)


def published(destination: Destination) -> list[Event]:
    """Every row of every shard there is."""
    paths = sorted(destination.contents().shards)
    return [one for path in paths if kind_of(path) in RECORDS for one in read_shard(path, destination.read(path))]


def two_writers(
    folder: Path, destination: Destination, open_here: Callable[..., Store]
) -> tuple[list[Store], list[Publisher]]:
    """Two stores of their own, and what publishes each of them to the same place."""
    stores = [open_here(folder / f"{number}.sqlite3") for number in range(2)]
    return stores, [publisher_of(store, destination) for store in stores]


def ids(events: list[Event]) -> Counter[str]:
    return Counter(one.id for one in events)


def test_every_kind_arrives_as_it_was_given(sqlite_store: Store, destination: Destination) -> None:
    given = [event(kind) for kind in RECORDS if kind not in {"withdrawal", "participant_id"}]
    sqlite_store.add_all(given)
    sqlite_store.add(undo_of(given[0].id))
    publisher = publisher_of(sqlite_store, destination)
    publisher.publish_now()
    assert ids(published(destination)) == ids(sqlite_store.events())
    assert {one.id: one for one in published(destination)} == {one.id: one for one in sqlite_store.events()}
    state = publisher.state()
    assert (state.saved, state.published, state.waiting) == (len(RECORDS) - 1, len(RECORDS) - 1, 0)
    assert state.last_commit
    assert state.last_commit_time is not None
    assert state.last_error is None


def test_what_is_published_is_never_sent_again(sqlite_store: Store, destination: Destination) -> None:
    publisher = publisher_of(sqlite_store, destination)
    sqlite_store.add(event())
    publisher.publish_now()
    first = destination.contents()
    publisher.flush()
    assert destination.contents() == first
    sqlite_store.add(event(item="i2"))
    publisher.flush()
    then = destination.contents()
    assert first.shards < then.shards
    assert then.card == first.card


def test_a_repo_is_made_private(sqlite_store: Store, hub: HubServer) -> None:
    sqlite_store.add(event())
    publisher_of(sqlite_store, on(hub)).publish_now()
    assert hub.repos["dataset", REPO].private


def test_the_card_changes_when_a_kind_first_appears_and_keeps_what_its_owner_wrote(
    sqlite_store: Store, hub: HubServer
) -> None:
    card = b"---\nlicense: cc-by-4.0\n---\n# Mine\n\nWritten by hand.\n"
    hub.add_repo(REPO, {"README.md": card, "notes.txt": b"x"}, kind="dataset")
    publisher = publisher_of(sqlite_store, on(hub))
    for kind in ("vote", "rating"):
        sqlite_store.add(event(kind))
        publisher.publish_now()
        head = on(hub).contents().card or ""
        assert f"data/{kind}/*.parquet" in head
        assert "license: cc-by-4.0" in head
        assert head.endswith("# Mine\n\nWritten by hand.\n")
    titles = len(hub.repos["dataset", REPO].commits)
    sqlite_store.add(event("vote", item="i2"))
    publisher.flush()
    (_, before), (_, after) = (
        (one.sha, one.files["README.md"]) for one in hub.repos["dataset", REPO].commits[titles - 1 :]
    )
    assert before == after


FAULTS = [
    Fault(409),
    Fault(412),
    Fault(429),
    Fault(500),
    Fault(503),
    Fault(504),
    Fault(cut=True),
    Fault(500, after=True),
    Fault(504, after=True),
    Fault(cut=True, after=True),
]


@pytest.mark.parametrize("fault", some(FAULTS, 4), ids=str)
def test_a_fault_of_the_hub_doubles_and_loses_nothing(fault: Fault, sqlite_store: Store, hub: HubServer) -> None:
    publisher = publisher_of(sqlite_store, on(hub))
    assert publisher.import_published()
    sqlite_store.add_all([event(item=f"i{n}") for n in range(5)])
    hub.fail("POST", "/commit/", fault, fault)
    publisher.flush()
    assert ids(published(on(hub))) == ids(sqlite_store.events())
    assert publisher.state().waiting == 0
    assert hub.count("POST", "/commit/") == (1 if fault.after else 3)  # a commit that was made is not sent again


def test_what_cannot_be_sent_waits_and_the_owner_sees_why(sqlite_store: Store, hub: HubServer) -> None:
    publisher = publisher_of(sqlite_store, on(hub))
    assert publisher.import_published()
    sqlite_store.add(event())
    hub.fail("POST", "/commit/", *[Fault(503)] * 100)
    with pytest.raises(RefusedError, match="the Hub answered 503") as refused:
        publisher.flush()
    assert refused.value.code == "publish_failed"
    state = publisher.state()
    assert (state.saved, state.waiting, state.last_error) == (1, 1, refused.value.sentence)
    hub.fault = lambda _: None
    publisher.flush()
    assert publisher.state().last_error is None
    assert publisher.state().waiting == 0


def test_without_the_right_to_write_it_is_said_and_not_tried_again(sqlite_store: Store, hub: HubServer) -> None:
    hub.add_repo(REPO, kind="dataset")
    publisher = publisher_of(sqlite_store, HubDestination(REPO, api_of(hub, READER)))
    assert publisher.import_published()
    sqlite_store.add(event())
    with pytest.raises(RefusedError, match="HF_TOKEN") as refused:
        publisher.flush()
    assert refused.value.code == "publish_refused"
    assert hub.count("POST", "/preupload/") == 1


def hostile(hub: HubServer, chance: random.Random, most: int) -> Callable[[], int]:
    """Let half of all requests fail in one of many ways, until ``most`` did; how many did."""
    faults = [
        Fault(409),
        Fault(412),
        Fault(429),
        Fault(500),
        Fault(500, after=True),
        Fault(503),
        Fault(cut=True),
        Fault(cut=True, after=True),
        Fault(seconds=0.01),
    ]
    made = 0
    lock = threading.Lock()

    def fault(_: Request) -> Fault | None:
        nonlocal made
        with lock:
            if made >= most or chance.random() > 0.5:
                return None
            made += 1
            return chance.choice(faults)

    hub.fault = fault
    return lambda: made


@thorough
@pytest.mark.parametrize("faults", [100, pytest.param(1000, marks=thorough)])
def test_two_writers_to_one_repo_lose_and_double_nothing_through_faults(
    tmp_path: Path, hub: HubServer, open_here: Callable[..., Store], faults: int
) -> None:
    hub.add_repo(REPO, kind="dataset")
    stores = [open_here(tmp_path / f"{n}.sqlite3") for n in range(2)]
    made = hostile(hub, random.Random(3), faults)
    kinds = ("rating", "vote", "flag", "skip")

    def write(number: int) -> list[Event]:
        publisher, given = publisher_of(stores[number], on(hub)), []
        while not publisher.import_published():
            pass
        rounds = 0
        while made() < faults:
            kind = kinds[min(rounds // 5, len(kinds) - 1)]
            some = [event(kind, annotator=f"a{number}", item=f"{rounds} {n}") for n in range(3)]
            given += [saved.event for saved in stores[number].add_all(some)]
            rounds += 1
            try:
                publisher.flush()
            except RefusedError as refused:
                assert refused.code == "publish_failed"  # noqa: PT017
        publisher.flush()
        return given

    with ThreadPoolExecutor(2) as pool:
        given = [one for some in pool.map(write, range(2)) for one in some]
    assert made() == faults
    there = ids(published(on(hub)))
    assert there == ids(given)
    assert set(there.values()) == {1}
    for store in stores:
        import_published(store, on(hub))
        assert ids(store.events()) == there
    card = on(hub).contents().card or ""
    assert all(f"data/{kind_of(path)}/*.parquet" in card for path in on(hub).contents().shards)


def test_an_empty_store_gets_back_all_that_was_published(
    sqlite_store: Store, destination: Destination, where: str | Path, open_here: Callable[..., Store], tmp_path: Path
) -> None:
    first = event()
    edit = event(score=1, supersedes=first.id)
    gone = event("vote")
    sqlite_store.add_all([first, edit, gone, *(event(kind) for kind in ("real_pair", "description", "consent"))])
    sqlite_store.add(undo_of(gone.id))
    publisher_of(sqlite_store, destination).publish_now()
    other = open_here(tmp_path / "other.sqlite3" if isinstance(where, Path) else where)
    publisher = publisher_of(other, destination)
    assert publisher.import_published()
    assert other.events() == sqlite_store.events()
    assert other.live() == sqlite_store.live()
    assert publisher.state().waiting == 0
    assert import_published(other, destination).files == 0
    assert other.add(first).is_new is False
    publisher.flush()
    assert ids(published(destination)) == ids(sqlite_store.events())


def test_what_is_read_back_leaves_no_copy_on_this_machine(
    sqlite_store: Store, hub: HubServer, tmp_path: Path, open_here: Callable[..., Store]
) -> None:
    sqlite_store.add(event())
    publisher_of(sqlite_store, on(hub)).publish_now()
    assert publisher_of(open_here(tmp_path / "other.sqlite3"), on(hub)).import_published()
    assert hub.count("GET", "/resolve/") > 0
    assert not (Path(HF_HUB_CACHE) / f"datasets--{REPO.replace('/', '--')}").exists()


def test_the_store_is_read_only_until_the_hub_was_read(sqlite_store: Store, hub: HubServer) -> None:
    down = True
    hub.fault = lambda _: Fault(503) if down else None
    tried = threading.Event()

    def sleep(_: float) -> None:
        tried.set()
        time.sleep(0.01)

    publisher = Publisher(sqlite_store, on(hub), sleep=sleep)
    thread = threading.Thread(target=publisher.start)
    thread.start()
    assert tried.wait(60)
    with pytest.raises(RefusedError, match="the Hub answered 503") as refused:
        sqlite_store.add(event())
    assert refused.value.code == "store_read_only"
    assert publisher.state().read_only is not None
    down = False
    thread.join(60)
    assert sqlite_store.read_only is None
    sqlite_store.add(event())
    assert publisher.close(60)
    assert ids(published(on(hub))) == ids(sqlite_store.events())


def test_a_damaged_shard_keeps_the_store_read_only(sqlite_store: Store, tmp_path: Path) -> None:
    shard = tmp_path / "data" / "rating" / "20260101-0-1.parquet"
    shard.parent.mkdir(parents=True)
    shard.write_bytes(b"PAR1 no more")
    publisher = publisher_of(sqlite_store, FolderDestination(tmp_path))
    assert not publisher.import_published()
    assert sqlite_store.read_only is not None
    assert str(shard.relative_to(tmp_path)) in sqlite_store.read_only.sentence
    with pytest.raises(RefusedError):
        publisher.publish_now()


def test_what_is_no_shard_of_ours_is_left_alone(sqlite_store: Store, tmp_path: Path) -> None:
    for name in ("data/songs/a.parquet", "data/rating/notes.txt", "x.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    publisher_of(sqlite_store, FolderDestination(tmp_path)).publish_now()
    assert sqlite_store.events() == []


def test_what_a_person_deleted_leaves_the_shards_in_one_commit(sqlite_store: Store, destination: Destination) -> None:
    photograph = jpeg(77)
    theirs = [event(annotator="bob", item=f"i{n}") for n in range(3)]
    sqlite_store.add_all([*theirs, event(), event("real_pair", current=photograph, text="my own secret")])
    publisher = publisher_of(sqlite_store, destination)
    publisher.publish_now()
    old = destination.contents().shards
    sqlite_store.withdraw(annotator="ann")
    assert publisher.state().leaving == 2
    publisher.flush()
    there = destination.contents()
    assert not there.shards & old
    assert ids(published(destination)) == ids(sqlite_store.events())
    assert {one.annotator for one in published(destination) if one.kind != "withdrawal"} == {"bob"}
    assert all(photograph not in destination.read(path) for path in there.shards)
    assert "real_pair" not in (there.card or "")
    assert publisher.state().leaving == 0


def test_the_old_file_goes_in_the_commit_that_brings_the_new_one(sqlite_store: Store, hub: HubServer) -> None:
    sqlite_store.add_all([event(), event(annotator="bob")])
    publisher = publisher_of(sqlite_store, on(hub))
    publisher.publish_now()
    before = hub.repos["dataset", REPO].head
    sqlite_store.withdraw(annotator="ann")
    hub.fail("POST", "/commit/", Fault(500, after=True), Fault(503))
    publisher.flush()
    commits = hub.repos["dataset", REPO].commits
    assert commits[-2] is before
    rows = [path for path in commits[-1].files if kind_of(path) == "rating"]
    assert len(rows) == 1
    assert rows[0] not in before.files


def test_a_deletion_reaches_what_another_writer_published(
    tmp_path: Path, destination: Destination, open_here: Callable[..., Store]
) -> None:
    (here, there), publishers = two_writers(tmp_path, destination, open_here)
    assert all(publisher.import_published() for publisher in publishers)
    here.add_all([event(item="i1"), event(item="i1", annotator="bob")])
    there.add_all([event(item="i2"), event(item="i2", annotator="bob")])
    for publisher in publishers:
        publisher.flush()
    here.withdraw(annotator="ann")
    publishers[0].flush()
    rows = published(destination)
    assert sorted((one.item, one.annotator) for one in rows if one.kind == "rating") == [("i1", "bob"), ("i2", "bob")]
    assert set(ids(rows).values()) == {1}
    again = open_here(tmp_path / "again.sqlite3")
    assert publisher_of(again, destination).import_published()
    assert again.live() == here.live()
    assert publishers[1].import_published()
    publishers[1].flush()
    assert there.live() == here.live()
    assert ids(published(destination)) == ids(rows)


def test_a_writer_that_goes_on_learns_of_answers_and_deletions_elsewhere_when_it_publishes_next(
    tmp_path: Path, destination: Destination, open_here: Callable[..., Store]
) -> None:
    (here, there), publishers = two_writers(tmp_path, destination, open_here)
    assert all(publisher.import_published() for publisher in publishers)
    here.add_all([event(item="i1"), event(item="i1", annotator="bob")])
    for publisher in publishers:
        publisher.flush()
    assert there.live() == here.live()
    here.withdraw(annotator="ann")
    for publisher in publishers:
        publisher.flush()
    assert {one.annotator for one in there.live() if one.kind == "rating"} == {"bob"}
    assert there.live() == here.live()
    assert publishers[1].state().leaving == 0


def test_a_crash_between_reading_a_deletion_and_doing_it_is_made_up_for(
    tmp_path: Path, open_here: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    destination = FolderDestination(tmp_path / "dataset")
    (here, there), publishers = two_writers(tmp_path, destination, open_here)
    here.add_all([event(), event(annotator="bob")])
    there.add(event(item="i2"))
    for publisher in publishers:
        publisher.publish_now()
    here.withdraw(annotator="ann")
    publishers[0].flush()

    def crash(*_: object) -> None:
        message = "out of memory"
        raise MemoryError(message)

    with monkeypatch.context() as broken:
        broken.setattr("annotate.publishing.outbox.mark_live", crash)
        with pytest.raises(MemoryError):
            import_published(there, destination)
    assert import_published(there, destination).files == 0
    assert {one.annotator for one in there.live() if one.kind == "rating"} == {"bob"}
    assert there.live() == here.live()


@pytest.mark.parametrize("most", one_of([300, 1000]))
def test_reading_back_looks_at_what_came_and_not_at_everything_that_is_there(
    tmp_path: Path, open_here: Callable[..., Store], most: int
) -> None:
    read = {}
    for many in (20, most):
        destination = FolderDestination(tmp_path / str(many))
        here, there = (open_here(tmp_path / f"{many}-{n}.sqlite3") for n in range(2))
        here.add_all([event(item=f"i{n}") for n in range(many)])
        there.add(event(item="first", annotator="bob"))
        for store in (there, here):
            publisher_of(store, destination).publish_now()
        there.add_all([event(item=f"i{n}", annotator="bob") for n in range(3)])
        publisher_of(there, destination).publish_now()
        with counted(here) as counts:
            assert import_published(here, destination).events == 3
        assert here.live() == live(here.events() + there.events())
        read[many] = counts.rows
    assert read[most] == read[20] > 0


def test_what_a_person_holds_and_was_shown_goes_where_their_deletion_is_read_back(
    tmp_path: Path, open_here: Callable[..., Store]
) -> None:
    destination = FolderDestination(tmp_path / "dataset")
    here, there = (open_here(tmp_path / f"{n}.sqlite3", now=lambda: 1_000_000.0) for n in range(2))
    for name in ("ann", "bob"):
        there.claim(ClaimScope("c", "vote", "en", name), [Wanted("i1", voices=9)], seconds=60)
    here.withdraw(annotator="ann")
    publisher_of(here, destination).publish_now()
    publisher_of(there, destination).publish_now()
    assert [len(there.claims_of(name)) for name in ("ann", "bob")] == [0, 1]
    with there.reading() as connection:
        assert [bool(read_sightings(connection, "c", name)) for name in ("ann", "bob")] == [False, True]


def test_who_was_asked_again_after_deleting_everything_keeps_what_they_hold(
    tmp_path: Path, open_here: Callable[..., Store]
) -> None:
    destination = FolderDestination(tmp_path / "dataset")
    here, there = (open_here(tmp_path / f"{n}.sqlite3", now=lambda: 1_000_000.0) for n in range(2))
    here.withdraw(annotator="ann")
    for store in (here, there):
        publisher_of(store, destination).publish_now()
    there.claim(ClaimScope("c", "vote", "en", "ann"), [Wanted("i1")], seconds=60)
    here.add(event(annotator="ann"))  # more of this person is read back
    for store in (here, there):
        publisher_of(store, destination).publish_now()
    assert len(there.claims_of("ann")) == 1
    with there.reading() as connection:
        assert read_sightings(connection, "c", "ann")


def test_what_others_wrote_and_nobody_can_read_keeps_no_answer_from_being_published(
    sqlite_store: Store, tmp_path: Path, open_here: Callable[..., Store]
) -> None:
    publisher = publisher_of(sqlite_store, FolderDestination(tmp_path))
    publisher.publish_now()
    shard = tmp_path / "data" / "rating" / "20260101-0-1.parquet"
    shard.parent.mkdir(parents=True)
    shard.write_bytes(b"PAR1 no more")
    other = open_here(tmp_path / "other.sqlite3")
    theirs = event("vote", annotator="bob")
    other.add(theirs)
    with pytest.raises(RefusedError, match=shard.name):  # it cannot be read by them either
        publisher_of(other, FolderDestination(tmp_path)).flush()
    sqlite_store.add(event())
    with pytest.raises(RefusedError, match=shard.name):
        publisher.flush()
    state = publisher.state()
    assert (state.waiting, sqlite_store.read_only) == (0, None)
    assert theirs in sqlite_store.live()
    assert shard.name in (state.last_error or "")


def test_what_is_deleted_while_it_is_being_sent_does_not_stay(sqlite_store: Store, hub: HubServer) -> None:
    publisher = publisher_of(sqlite_store, on(hub))
    assert publisher.import_published()
    sqlite_store.add_all([event(), event(annotator="bob")])
    withdrawn = threading.Event()

    def fault(request: Request) -> Fault | None:
        if "/commit/" in request.path and not withdrawn.is_set():
            withdrawn.set()
            sqlite_store.withdraw(annotator="ann")
        return None

    hub.fault = fault
    publisher.flush()
    assert ids(published(on(hub))) == ids(sqlite_store.events())
    assert publisher.state().leaving == 0


@pytest.mark.parametrize("place", one_of(range(0, 16, 2), 4))
def test_a_commit_that_was_given_up_and_lands_later_brings_back_nothing(
    place: int, sqlite_store: Store, hub: HubServer
) -> None:
    """It lands before one of the requests with which a deletion is published, or after the last of them."""
    publisher = publisher_of(sqlite_store, on(hub))
    undone = event(annotator="carl", item="i2")
    sqlite_store.add_all([event(annotator="carl"), undone])
    sqlite_store.add(undo_of(undone.id, "carl"))
    publisher.publish_now()  # of every kind that follows, so that the card changes no more
    sqlite_store.add_all([event(), event(annotator="bob")])
    given_up: list[Request] = []

    def give_up(request: Request) -> Fault | None:
        if "/commit/" not in request.path:
            return None
        given_up.append(request)
        return Fault(504)

    hub.fault = give_up
    with pytest.raises(RefusedError, match="504"):
        publisher.flush()
    sqlite_store.withdraw(annotator="ann")
    requests_awaited = len(hub.asked) + place + 1

    def land(_: Request) -> None:
        if len(hub.asked) == requests_awaited:
            answer(hub, given_up[0])

    hub.fault = land
    publisher.flush()
    assert len(hub.asked) >= requests_awaited or answer(hub, given_up[0]).status == 412
    assert ids(published(on(hub))) == ids(sqlite_store.events())
    assert publisher.state().leaving == 0


def test_closing_publishes_what_waits(sqlite_store: Store, destination: Destination) -> None:
    publisher = Publisher(sqlite_store, destination, minutes=600)
    publisher.start()
    sqlite_store.add_all([event(item=f"i{n}") for n in range(20)])
    assert publisher.close(60)
    assert ids(published(destination)) == ids(sqlite_store.events())


def test_closing_tries_again_while_there_is_time(sqlite_store: Store, hub: HubServer) -> None:
    publisher = Publisher(sqlite_store, on(hub), minutes=600)
    publisher.start()
    while publisher.state().next_time is None:
        time.sleep(0.01)
    sqlite_store.add(event())
    refused: list[Request] = []

    def fault(request: Request) -> Fault | None:
        if "/commit/" not in request.path or len(refused) == 2:
            return None
        refused.append(request)
        return Fault(status=503)

    hub.fault = fault
    assert publisher.close(60)
    assert len(refused) == 2
    assert ids(published(on(hub))) == ids(sqlite_store.events())


def test_a_woken_publisher_publishes_before_its_time(sqlite_store: Store, tmp_path: Path) -> None:
    publisher = Publisher(sqlite_store, FolderDestination(tmp_path), minutes=600)
    publisher.start()
    while publisher.state().next_time is None:
        time.sleep(0.01)
    sqlite_store.add(event())
    publisher.wake()
    while publisher.state().waiting:
        time.sleep(0.01)
    publisher.close(60)


def test_closing_does_not_wait_for_a_hub_that_does_not_answer(sqlite_store: Store, hub: HubServer) -> None:
    publisher = Publisher(sqlite_store, on(hub), minutes=600)
    publisher.start()
    sqlite_store.add(event())
    released = threading.Event()

    def hold(_: Request) -> None:
        released.wait()

    hub.fault = hold
    try:
        assert not publisher.close(0.2)
    finally:
        released.set()
        close_session()
    assert len(sqlite_store.live()) == 1


def test_a_large_backlog_goes_in_several_commits_of_bounded_size(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MAX_ROWS", 3)
    monkeypatch.setattr(outbox, "MAX_SHARDS", 2)
    sqlite_store.add_all([event(item=f"i{n}") for n in range(20)])
    destination = FolderDestination(tmp_path)
    publisher_of(sqlite_store, destination).publish_now()
    sqlite_store.withdraw(annotator="ann", of=sqlite_store.live()[0].id)
    publisher_of(sqlite_store, destination).publish_now()
    assert ids(published(destination)) == ids(sqlite_store.events())


def test_another_destination_gets_everything(sqlite_store: Store, tmp_path: Path, hub: HubServer) -> None:
    sqlite_store.add_all([event(), event("vote")])
    publisher_of(sqlite_store, FolderDestination(tmp_path)).publish_now()
    publisher_of(sqlite_store, on(hub)).publish_now()
    assert ids(published(on(hub))) == ids(sqlite_store.events())


def test_a_destination_is_the_named_repo_or_a_folder_of_the_data_folder(tmp_path: Path) -> None:
    assert choose_destination("", tmp_path).name == str(tmp_path / "dataset")
    assert choose_destination(REPO, tmp_path).name == REPO
    with pytest.raises(RefusedError, match="an example is org/name"):
        choose_destination("no name", tmp_path)


FETCH = """
from annotate.publishing.destinations import HubDestination
from annotate.errors import RefusedError

try:
    HubDestination("org/answers").read("data/answers.parquet")
except RefusedError as error:
    print(error.code)
"""


@thorough
def test_a_storage_of_large_files_that_does_not_answer_is_said(hub: HubServer, tmp_path: Path) -> None:
    hub.add_repo("org/answers", {"data/answers.parquet": b"rows" * 999}, kind="dataset")
    hub.storage = "http://127.0.0.1:9"
    done = said_with(hub, FETCH, tmp_path, HF_HUB_DISABLE_XET="0", HF_XET_CLIENT_RETRY_MAX_ATTEMPTS="1")
    assert done.stdout.strip() == "publish_failed", done.stderr
    assert hub.count("GET", "/xet-read-token/") > 0


def test_a_login_page_on_the_way_is_said(hub: HubServer) -> None:
    hub.fail("GET", "/api/", Fault(200, page=b"<html>Please log in to the hotel</html>"))
    with pytest.raises(RefusedError) as error:
        HubDestination("org/answers", api_of(hub)).contents()
    assert error.value.code == "publish_failed"


def test_a_folder_that_cannot_be_written_is_said(sqlite_store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    publisher = publisher_of(sqlite_store, FolderDestination(tmp_path / "file" / "dataset"))
    assert not publisher.import_published()
    assert "cannot be written or read" in (publisher.state().last_error or "")


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
    token: str | None, seen_by: str, sqlite_store: Store, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token that may only read, none, and one that is no longer known: 403, 401 and 404."""
    hub.add_repo(REPO, kind="dataset", private=seen_by == "members")
    destination = HubDestination(REPO, api_of(hub, token))
    publisher = Publisher(sqlite_store, destination, guard=LossGuard(sqlite_store, forgets=True))
    monkeypatch.setattr("annotate.publishing.publisher.STARTING_SECONDS", LONG)
    starting = threading.Thread(target=publisher.start, daemon=True)
    starting.start()
    starting.join(SOON)
    assert not starting.is_alive()
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
