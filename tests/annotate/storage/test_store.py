from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, update

from annotate.errors import RefusedError
from annotate.kinds.registry import RECORDS
from annotate.records import Withdrawal, live, new_event
from annotate.storage import database
from annotate.storage import store as store_module
from annotate.storage.event_rows import insert_event
from annotate.storage.queries import ClaimScope, Wanted, read_answered, read_standings
from annotate.storage.store import Store
from tests.annotate.databases import on_databases
from tests.annotate.sample_events import HOSTILE_TEXTS, event, undo_of
from tests.nonempty import nonempty
from tests.thoroughness import one_of, some


@pytest.mark.parametrize(
    ("where", "kind"), on_databases(some(sorted(RECORDS.keys() - {"withdrawal"}), 3)), indirect=["where"]
)
def test_an_answer_is_there_after_the_store_was_opened_again(
    kind: str, where: str | Path, open_here: Callable[..., Store]
) -> None:
    given = event(kind)
    first = open_here(where)
    assert first.add(given).is_new
    first.close()
    again = open_here(where)
    assert again.event(given.id) == given
    assert again.events() == again.live() == [given]


@pytest.mark.parametrize(
    ("where", "text"),
    on_databases(some(HOSTILE_TEXTS.values(), 4)),
    indirect=["where"],
    ids=[f"{kind}-{name}" for kind in ("sqlite", "postgresql") for name in HOSTILE_TEXTS],
)
def test_a_hostile_text_is_kept_as_it_was_written(text: str, store: Store) -> None:
    given = event("description", text=text, item=text.replace("\n", " ").replace("\t", " "))
    store.add(given)
    assert store.events(item=given.item) == [given]


def test_an_answer_that_comes_twice_is_kept_once(store: Store) -> None:
    given = event()
    assert [store.add(given).is_new for _ in range(3)] == [True, False, False]
    assert store.events() == [given]


def test_another_answer_to_the_same_question_is_the_first_one(store: Store) -> None:
    first = event(score=4)
    store.add(first)
    saved = store.add(event(score=1))
    assert (saved.is_new, saved.event) == (False, first)
    assert store.events() == [first]


def test_one_id_for_two_answers_is_refused(store: Store) -> None:
    first = event()
    store.add(first)
    with pytest.raises(RefusedError) as refused:
        store.add(event(id=first.id, item="i2"))
    assert refused.value.code == "answer_twice"


def test_an_edit_replaces_and_both_are_kept(store: Store) -> None:
    first = event(score=4)
    edit = event(score=1, supersedes=first.id)
    store.add_all([first, edit])
    assert store.live() == [edit]
    assert store.events() == [first, edit]
    with pytest.raises(RefusedError) as refused:
        store.add(event(score=2, supersedes=first.id))
    assert refused.value.code == "answer_changed_elsewhere"


def test_after_an_undo_the_question_can_be_answered_again(store: Store) -> None:
    first = event()
    store.add(first)
    store.add(undo_of(first.id))
    assert store.live() == []
    with pytest.raises(RefusedError) as refused:
        store.add(undo_of(first.id))
    assert refused.value.code == "answer_changed_elsewhere"
    again = event(score=1)
    assert store.add(again).is_new
    assert store.live() == [again]


@pytest.mark.parametrize("reason", ["undo", "withdrawn"])
def test_nobody_takes_back_what_another_gave(reason: str, store: Store) -> None:
    theirs = event(annotator="bob")
    store.add(theirs)
    for unknown in (theirs.id, "0" * 32):
        with pytest.raises(RefusedError) as refused:
            store.add(new_event(Withdrawal(of=unknown, reason=reason), annotator="ann"))
        assert refused.value.code == "answer_of_another"
    assert store.live() == [theirs]


def test_an_edit_of_another_question_is_refused(store: Store) -> None:
    first = event()
    store.add(first)
    with pytest.raises(RefusedError) as refused:
        store.add(event(item="i2", supersedes=first.id))
    assert refused.value.code == "answer_malformed"
    assert store.live() == [first]


def test_all_events_of_one_answer_are_saved_or_none(store: Store) -> None:
    with pytest.raises(RefusedError):
        store.add_all([event(), event("flag", supersedes="0" * 32)])
    assert store.events() == []


def test_an_answer_sent_again_later_is_the_same_answer(store: Store) -> None:
    first = event(seconds=4.0)
    again = event(id=first.id, seconds=29.0)
    assert [store.add(one).is_new for one in (first, again)] == [True, False]
    assert store.events() == [first]
    with pytest.raises(RefusedError) as refused:
        store.add(event(id=first.id, score=first.payload.score % 4 + 1))
    assert refused.value.code == "answer_twice"


def test_withdrawing_everything_leaves_nothing_of_a_person_but_the_withdrawal(store: Store) -> None:
    mine, theirs = [event(kind) for kind in RECORDS if kind != "withdrawal"], event(annotator="bob")
    store.add_all([*mine, theirs])
    store.claim(ClaimScope("c", "vote", "en", "ann"), [Wanted("i9")], seconds=60)
    gone = store.withdraw(annotator="ann").event
    assert store.events() == [theirs, gone]
    assert store.live() == [theirs]
    assert store.claims_of("ann") == []
    assert store.counts("ann") == {}
    with store.engine.connect() as connection:
        kept = connection.exec_driver_sql("SELECT payload FROM events WHERE erased").scalars().all()
        assert set(kept) == {"{}"}
        assert connection.exec_driver_sql("SELECT count(*) FROM pictures").scalar() == 0
        people = connection.exec_driver_sql("SELECT count(*) FROM events WHERE annotator = 'ann'").scalar()
    assert people == 1


def test_what_was_deleted_does_not_come_back_under_its_id(store: Store) -> None:
    first = event()
    store.add(first)
    store.withdraw(annotator="ann")
    with pytest.raises(RefusedError) as refused:
        store.add(first)
    assert refused.value.code == "answer_changed_elsewhere"


def test_who_deleted_everything_may_come_back_and_do_so_again(store: Store) -> None:
    store.add(event())
    store.withdraw(annotator="ann")
    again = store.add(event())
    assert again.is_new
    assert store.live() == [again.event]
    assert store.withdraw(annotator="ann").is_new
    assert store.live() == []


def test_deleting_one_answer_deletes_what_it_replaced_too(store: Store) -> None:
    first = event("real_pair")
    edit = event("real_pair", text="Lower it", supersedes=first.id)
    other = event("real_pair", item="i2")
    store.add_all([first, edit, other])
    store.withdraw(annotator="ann", of=edit.id)
    assert [one.id for one in store.events(kind="real_pair")] == [other.id]


def test_an_undone_answer_can_still_be_deleted(store: Store) -> None:
    first = event()
    store.add(first)
    store.add(undo_of(first.id))
    store.withdraw(annotator="ann", of=first.id)
    assert store.event(first.id) is None


def test_a_read_only_store_refuses_answers_with_the_reason(store: Store) -> None:
    store.read_only = RefusedError("import_failed", reason="the Hub answered 503")
    with pytest.raises(RefusedError, match="the Hub answered 503") as refused:
        store.add(event())
    assert refused.value.code == "store_read_only"
    assert store.events() == []


def test_a_closed_store_refuses(sqlite_store: Store) -> None:
    sqlite_store.close()
    with pytest.raises(RefusedError) as refused:
        sqlite_store.add(event())
    assert refused.value.code == "store_closed"


def test_what_is_written_is_written_by_the_thread_that_asked(store: Store) -> None:
    before = set(threading.enumerate())

    assert store.write(lambda _: threading.current_thread()) is threading.current_thread()
    assert set(threading.enumerate()) <= before


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for others no longer than a moment."""
    for module in (database, store_module):
        monkeypatch.setattr(module, "BUSY_SECONDS", 0.2)


@pytest.mark.usefixtures("impatient")
def test_of_what_had_to_wait_too_long_for_another_process_nothing_is_done(
    where: str | Path, open_here: Callable[..., Store]
) -> None:
    here, another = open_here(where), open_here(where)
    with database.writing(another.engine), pytest.raises(RefusedError) as refused:
        here.add(event(item="refused"))
    assert refused.value.code == "store_busy"
    assert here.add(event(item="then")).is_new
    assert [one.item for one in here.events()] == ["then"]


@pytest.mark.usefixtures("impatient")
def test_of_what_had_to_wait_too_long_in_this_process_nothing_is_done(store: Store) -> None:
    writing, written = threading.Event(), threading.Event()

    def hold(_: object) -> bool:
        writing.set()
        return written.wait(30)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(store.write, hold)
        assert writing.wait(30)
        with pytest.raises(RefusedError) as refused:
            store.add(event(item="refused"))
        written.set()
        assert holding.result(30)
    assert refused.value.code == "store_busy"
    assert store.add(event(item="then")).is_new
    assert [one.item for one in store.events()] == ["then"]


def test_closing_finishes_what_is_being_written_and_refuses_what_waits(
    where: str | Path, open_here: Callable[..., Store]
) -> None:
    store, given = open_here(where), event()
    writing, go_on = threading.Event(), threading.Event()

    def slowly(connection: Connection) -> bool:
        writing.set()
        insert_event(connection, given, live=True)
        return go_on.wait(30)

    with ThreadPoolExecutor(2) as pool:
        kept = pool.submit(store.write, slowly)
        assert writing.wait(30)
        closing = pool.submit(store.close)
        with pytest.raises(TimeoutError):
            closing.result(0.2)
        go_on.set()
        assert kept.result(30)
        closing.result(30)
    with pytest.raises(RefusedError) as refused:
        store.add(event(item="late"))
    assert refused.value.code == "store_closed"
    assert open_here(where).events() == [given]


def test_a_record_of_a_kind_that_is_not_known_is_refused_by_name(sqlite_store: Store) -> None:
    sqlite_store.add(event())
    sqlite_store.write(lambda on: on.execute(update(database.events_table).values(kind="song")))

    with pytest.raises(RefusedError) as refused:
        sqlite_store.events()
    assert "song" in refused.value.sentence


@pytest.mark.parametrize("steps", one_of([40, 150]))
def test_the_marks_of_the_store_agree_with_the_rule(store: Store, steps: int) -> None:
    """Random answers, edits, undos and deletions; the store keeps live what the pure function says."""
    chance = random.Random(7)
    for _ in nonempty(range(steps)):
        annotator, item = chance.choice(["ann", "bob", "eve"]), f"i{chance.randrange(4)}"
        known = [one.id for one in store.events(annotator=annotator) if one.kind == "rating"]
        old = chance.choice([*known, None, None])
        try:
            match chance.randrange(12):
                case 0:
                    store.withdraw(annotator=annotator)
                case 1 | 2 | 3 if old:
                    store.add(undo_of(old, annotator))
                case 4 if old:
                    store.withdraw(annotator=annotator, of=old)
                case _:
                    store.add(event(annotator=annotator, item=item, score=chance.randint(1, 4), supersedes=old))
        except RefusedError as refused:
            assert refused.code in {"answer_changed_elsewhere", "answer_malformed"}  # noqa: PT017
        assert store.live() == live(store.events())


@pytest.mark.parametrize(
    ("where", "broken"),
    on_databases(["", "no JSON", "[]", "{}", '{"text": 1}', "[" * 100_000]),
    indirect=["where"],
)
def test_a_record_that_cannot_be_read_is_named_in_one_sentence_and_is_in_nobody_elses_way(
    broken: str, store: Store
) -> None:
    good, bad = event(annotator="bob"), event()
    store.add_all([good, bad])
    store.write(
        lambda on: on.execute(
            update(database.events_table).where(database.events_table.c.id == bad.id).values(payload=broken)
        )
    )
    for read in (store.events, lambda: store.event(bad.id)):
        with pytest.raises(RefusedError, match=f"A record cannot be read .rating {bad.id}") as refused:
            read()
        assert "\n" not in refused.value.sentence
    assert store.live(annotator="bob") == [good]
    assert store.add(event(annotator="eve")).is_new


def test_many_threads_save_every_answer_once(store: Store) -> None:
    answers = [event(annotator=f"a{n % 8}", item=f"i{n // 8}") for n in range(200)]
    with ThreadPoolExecutor(16) as pool:
        saved = list(pool.map(store.add, [*answers, *answers]))
    assert sum(one.is_new for one in saved) == len(answers)
    assert {one.id for one in store.live()} == {one.id for one in answers}


def test_of_many_answers_at_once_to_one_question_one_is_kept(store: Store) -> None:
    with ThreadPoolExecutor(16) as pool:
        saved = list(pool.map(store.add, [event(score=1 + n % 4) for n in range(40)]))
    assert len({one.event.id for one in saved}) == len(store.events()) == 1


def test_one_refused_answer_does_not_spoil_those_that_come_at_the_same_time(store: Store) -> None:
    answers = [event(item=f"i{n}", supersedes="0" * 32 if n % 3 == 0 else None) for n in range(30)]

    def add(n: int) -> bool:
        try:
            return store.add(answers[n]).is_new
        except RefusedError as refused:
            assert refused.code == "answer_of_another"  # noqa: PT017
            return False

    with ThreadPoolExecutor(30) as pool:
        saved = list(pool.map(add, range(30)))
    assert saved == [n % 3 != 0 for n in range(30)]
    assert len(store.events()) == 20


def test_an_item_has_room_for_as_many_people_as_it_wants_voices(store: Store) -> None:
    wanted = [Wanted("i1", voices=2, context="secret"), Wanted("i2", voices=1)]

    def claim(annotator: str) -> str | None:
        claimed = store.claim(ClaimScope("c", "vote", "en", annotator), wanted, seconds=60)
        return claimed and claimed.item

    store.add(event("vote", annotator="bob", item="i1"))
    assert [claim(name) for name in ("bob", "ann", "ann", "eve")] == ["i2", "i1", None, None]
    assert [one.context for one in store.claims_of("ann")] == ["secret"]
    with store.reading() as connection:
        (standing,) = read_standings(connection, [ClaimScope("c", "vote", "en", "bob")], time.time())
    assert standing.people == {("i1", ""): 2, ("i2", ""): 1}
    assert (standing.answered, standing.held) == ({("i1", "")}, {("i2", "")})
    with store.reading() as connection:
        assert read_answered(connection, "c", "vote", "en") == {("i1", ""): 1}


def test_a_claim_ends_with_its_answer(store: Store) -> None:
    claim = store.claim(ClaimScope("c", "vote", "en", "ann"), [Wanted("i1")], seconds=60)
    assert claim is not None
    assert store.find_claim(claim.token, annotator="bob") is None
    assert store.find_claim(claim.token, annotator="ann") == claim
    store.add(event("vote"), claim=claim.token)
    assert store.find_claim(claim.token, annotator="ann") is None


def test_an_expired_claim_makes_room_and_still_takes_its_answer(
    where: str | Path, open_here: Callable[..., Store]
) -> None:
    clock = [1000.0]
    store = open_here(where, now=lambda: clock[0])
    claim = store.claim(ClaimScope("c", "vote", "en", "ann"), [Wanted("i1")], seconds=60)
    assert claim is not None
    assert store.claim(ClaimScope("c", "vote", "en", "bob"), [Wanted("i1")], seconds=60) is None
    clock[0] += 61
    assert store.claim(ClaimScope("c", "vote", "en", "bob"), [Wanted("i1")], seconds=60) is not None
    assert store.claims_of("ann") == []
    assert store.find_claim(claim.token, annotator="ann") == claim


def test_no_room_is_given_away_twice(where: str | Path, open_here: Callable[..., Store]) -> None:
    """Two stores on one database, as two processes have them, and many people at once."""
    stores = [open_here(where), open_here(where)]
    wanted = [Wanted(f"i{n}", voices=3) for n in range(10)]

    def claim(n: int) -> str | None:
        claimed = stores[n % 2].claim(ClaimScope("c", "vote", "en", f"a{n}"), wanted, seconds=60)
        return claimed and claimed.item

    with ThreadPoolExecutor(16) as pool:
        given = list(pool.map(claim, range(40)))
    assert sorted(item for item in given if item) == sorted(3 * [one.item for one in wanted])
    assert given.count(None) == 10
