"""Records: events, and deletions that hold whatever the clocks of writers say."""

from __future__ import annotations

import math
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from annotate.errors import RefusedError
from annotate.kinds.real_pair import RealPair
from annotate.kinds.registry import RECORDS, read_payload
from annotate.kinds.vote import Vote
from annotate.kinds.write import Description
from annotate.publishing.destinations import FolderDestination
from annotate.publishing.publisher import Publisher
from annotate.publishing.tables import read_shard
from annotate.records import (
    MAX_TEXT_CHARS,
    Deletion,
    Event,
    Marks,
    Withdrawal,
    checked_marks,
    cleaned_text,
    covers,
    live,
    merged,
    new_event,
    together,
    with_next,
)
from annotate.storage.event_rows import insert_event
from annotate.storage.store import Store, open_store
from fmp_models.common.edits import text_after, text_before, word_edits
from tests.annotate.sample_events import HOSTILE_TEXTS, PAYLOADS, event, jpeg, of_before
from tests.spaced_texts import SPACED


@given(SPACED, SPACED)
def test_edits_of_texts_as_they_are_kept_survive_being_kept(old: str, new: str) -> None:
    old, new = cleaned_text(old), cleaned_text(new)
    kept = RealPair(b"\xff\xd8\xff", b"\xff\xd8\xff", pair="pair", text="new", edits=word_edits(old, new))
    assert (text_before(kept.edits), text_after(kept.edits)) == (old, new)


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PEOPLE = ("ann", "bob")
SKEWS = (-180, -120, 0, 120, 600)  # seconds that a writer's clock is wrong
ORDERS = tuple(permutations(range(3)))


class Writers:
    """Several stores with clocks of their own that publish to one folder, and what they were told to the letter."""

    def __init__(self, folder: Path, skews: tuple[int, ...]) -> None:
        self.folder = folder
        self.destination = FolderDestination(folder / "dataset")
        self.stores = [open_store(folder / f"{number}.sqlite3") for number in range(len(skews))]
        self.publishers = [self._publisher(store) for store in self.stores]
        self.skews = skews
        self.seconds = 0
        self.given: dict[str, Event] = {}
        self.known: list[set[str]] = [set() for _ in skews]  # the ids that each writer has heard of
        self.published: set[str] = set()
        self.before: dict[str, set[str]] = {}  # what its writer had heard of when an event was given

    def _publisher(self, store: Store) -> Publisher:
        return Publisher(store, self.destination, sleep=lambda _: None)

    def add(self, writer: int, made: Event) -> Event | None:
        """Save an event by the writer's clock; None where it was refused or is no new one."""
        try:
            saved = self.stores[writer].add(made)
        except RefusedError as refused:
            assert refused.code in {"answer_changed_elsewhere", "answer_of_another", "answer_malformed"}  # noqa: PT017
            return None
        if not saved.is_new:
            return None
        self.given[made.id] = saved.event
        self.before[made.id] = set(self.known[writer])
        self.known[writer].add(made.id)
        return saved.event

    def now(self, writer: int) -> datetime:
        """By the writer's clock; a second later every time."""
        self.seconds += 1
        return NOON + timedelta(seconds=self.seconds + self.skews[writer])

    def answer(self, writer: int, person: str, item: str, supersedes: str | None = None) -> Event | None:
        return self.add(writer, event(annotator=person, item=item, time=self.now(writer), supersedes=supersedes))

    def withdraw(self, writer: int, person: str, of: str = "everything", reason: str = "withdrawn") -> Event | None:
        withdrawal = Withdrawal(of=of, reason=reason)
        return self.add(writer, new_event(withdrawal, annotator=person, time=self.now(writer)))

    def sync(self, *writers: int) -> None:
        """Let each read back what is there and publish."""
        for writer in writers:
            self.publishers[writer].flush()
            self.known[writer] |= self.published
            self.published |= self.known[writer]

    def kept(self) -> set[str]:
        """Return the answers that should remain: no deletion names them, or they were given after it."""
        gone: set[str] = set()
        for one in self.given.values():
            if one.deletion is None:
                continue
            if one.withdraws_everything:
                gone |= {
                    other.id
                    for other in self.given.values()
                    if other.annotator == one.annotator and one.id not in self.before[other.id]
                }
            step = one.supersedes
            while step is not None:
                gone.add(step)
                step = self.given[step].supersedes
        return {one.id for one in self.given.values() if one.kind == "withdrawal" or one.id not in gone}

    def there(self) -> Counter[str]:
        """How often each event stands in the published files."""
        paths = sorted(self.destination.contents().shards)
        return Counter(one.id for path in paths for one in read_shard(path, self.destination.read(path)))

    def check(self) -> None:
        """All writers agree with what should be left and with each other, and so do the files and a new store."""
        kept = self.kept()
        fresh = open_store(self.folder / "fresh.sqlite3")
        try:
            assert self._publisher(fresh).import_published()
            for store in (*self.stores, fresh):
                assert {one.id for one in store.events()} == kept
                assert store.live() == live(self.stores[0].events())
        finally:
            fresh.close()
        assert self.there() == Counter(kept)

    def close(self) -> None:
        for store in self.stores:
            store.close()


@contextmanager
def writers_in(folder: Path, *skews: int) -> Iterator[Writers]:
    made = Writers(folder, skews)
    try:
        yield made
    finally:
        made.close()


@pytest.mark.parametrize("skew", [-120, 120])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_what_was_deleted_is_gone_though_the_other_writers_clock_is_two_minutes_wrong(
    skew: int, order: tuple[int, int], tmp_path: Path
) -> None:
    with writers_in(tmp_path, 0, skew) as writers:
        writers.answer(1, "ann", "i1")
        writers.answer(1, "bob", "i1")
        writers.sync(1, 0)
        writers.answer(1, "ann", "i2")  # not heard of by the other
        writers.withdraw(0, "ann")
        for _ in range(3):
            writers.sync(*order)
        files = writers.destination.contents().shards
        writers.check()
        writers.sync(*order)
        assert writers.destination.contents().shards == files


@pytest.mark.parametrize("skew", [-120, 120])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_what_was_given_anew_stays_though_the_clock_of_its_writer_is_two_minutes_wrong(
    skew: int, order: tuple[int, int], tmp_path: Path
) -> None:
    with writers_in(tmp_path, 0, skew) as writers:
        writers.answer(0, "ann", "i1")
        writers.withdraw(0, "ann")
        writers.sync(0, 1)
        anew = [writers.answer(writer, "ann", f"i{writer}") for writer in (0, 1)]
        for _ in range(3):
            writers.sync(*order)
        writers.check()
        assert all(one is not None and one.id in writers.kept() for one in anew)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_edit_that_was_deleted_before_it_was_published_takes_what_it_replaced_along(
    order: tuple[int, int], tmp_path: Path
) -> None:
    with writers_in(tmp_path, 0, 0) as writers:
        first = writers.answer(0, "ann", "i1")
        assert first is not None
        writers.sync(0, 1)
        edit = writers.answer(1, "ann", "i1", supersedes=first.id)
        assert edit is not None
        gone = writers.withdraw(1, "ann", of=edit.id)
        assert gone is not None
        assert gone.payload == Withdrawal(edit.id, "withdrawn", (edit.id, first.id))
        for _ in range(3):
            writers.sync(*order)
        writers.check()


@st.composite
def presses(draw: st.DrawFn) -> list[tuple[str, int, str, int]]:
    """Draw actions, each with its writer, its person, and the item or the answer that it is about."""
    doing = st.sampled_from(["answer", "answer", "answer", "edit", "undo", "delete", "everything", "sync", "sync"])
    writer, person, number = st.integers(0, 2), st.sampled_from(PEOPLE), st.integers(0, 3)
    return draw(st.lists(st.tuples(doing, writer, person, number), min_size=4, max_size=18))


@settings(max_examples=settings.default.max_examples // 5, deadline=None)  # each lets three stores write and read
@given(presses(), st.tuples(*[st.sampled_from(SKEWS)] * 3), st.sampled_from(ORDERS), st.sampled_from(ORDERS))
def test_three_writers_agree_on_what_was_deleted_whatever_their_clocks_say(
    pressed: list[tuple[str, int, str, int]],
    skews: tuple[int, int, int],
    order: tuple[int, ...],
    last_order: tuple[int, ...],
) -> None:
    with tempfile.TemporaryDirectory() as folder, writers_in(Path(folder), *skews) as writers:
        for doing, writer, person, number in pressed:
            theirs = [one.id for one in writers.stores[writer].events(annotator=person, kind="rating")]
            old = theirs[number % len(theirs)] if theirs else None
            match doing:
                case "sync":
                    writers.sync(writer)
                case "everything":
                    writers.withdraw(writer, person)
                case "undo" | "delete" if old:
                    writers.withdraw(writer, person, of=old, reason="undo" if doing == "undo" else "withdrawn")
                case "edit" if old:
                    writers.answer(writer, person, writers.given[old].item, supersedes=old)
                case _:
                    writers.answer(writer, person, f"i{number}")
        for each in (order, last_order, last_order):
            writers.sync(*each)
        writers.check()
        files = writers.destination.contents().shards
        writers.sync(*order)
        assert writers.destination.contents().shards == files


def test_a_deletion_that_was_published_before_there_were_marks_is_read_by_its_time(tmp_path: Path) -> None:
    with writers_in(tmp_path, 0, 0, 0) as writers:
        first, second, third = writers.stores
        early, late = (event(annotator="ann", item=f"i{n}", time=NOON + timedelta(hours=n)) for n in (1, 3))
        old = new_event(Withdrawal("everything", "withdrawn"), annotator="ann", time=NOON + timedelta(hours=2))
        first.add_all([early, late])
        writers.publishers[0].publish_now()
        second.add(old)
        Publisher(second, FolderDestination(tmp_path / "apart")).publish_now()
        for path in FolderDestination(tmp_path / "apart").contents().shards:
            (tmp_path / "dataset" / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "dataset" / path).write_bytes(of_before((tmp_path / "apart" / path).read_bytes()))
        for path in writers.destination.contents().shards:
            (tmp_path / "dataset" / path).write_bytes(of_before(writers.destination.read(path)))
        for publisher in (writers.publishers[2], writers.publishers[0]):
            publisher.publish_now()
        assert [one.id for one in third.live()] == [one.id for one in first.live()] == [late.id]
        anew = third.add(event(annotator="ann", item="i4", time=NOON)).event  # by a clock that is hours behind
        for publisher in (writers.publishers[2], writers.publishers[0]):
            publisher.publish_now()
        assert {one.id for one in first.live()} == {one.id for one in third.live()} == {late.id, anew.id}


def test_what_an_old_deletion_erased_here_alone_is_named_when_it_comes_again(tmp_path: Path) -> None:
    with writers_in(tmp_path, 0, 120) as writers:
        given = writers.answer(1, "ann", "i1")
        assert given is not None
        writers.sync(1, 0)
        gone = writers.withdraw(0, "ann")
        assert gone is not None
        forget_marks(writers.stores[0])  # as if it had been made before
        for _ in range(3):
            writers.sync(0, 1)
        assert all(store.live() == [] for store in writers.stores)
        assert given.id not in writers.there()
        files = writers.destination.contents().shards
        writers.sync(0, 1)
        assert writers.destination.contents().shards == files


def forget_marks(store: Store) -> None:
    """Let deletions of a store be as they were kept before there were marks."""

    def do(on: Connection) -> None:
        on.exec_driver_sql("UPDATE events SET after = ''")
        on.exec_driver_sql(
            """UPDATE events SET version = 1, payload = '{"of": "everything", "reason": "withdrawn"}'"""
            " WHERE kind = 'withdrawal' AND supersedes IS NULL"
        )

    store.write(do)


def test_a_store_from_before_there_were_marks_is_opened_and_keeps_what_is_given_after_its_deletions(
    where: str | Path, open_here: Callable[..., Store], tmp_path: Path
) -> None:
    old = open_here(where)
    old.add_all([event(), event(annotator="bob")])
    old.add(new_event(Withdrawal("everything", "withdrawn"), annotator="ann", time=NOON + timedelta(days=9999)))
    forget_marks(old)
    for change in ("ALTER TABLE events DROP COLUMN after", "DROP TABLE deletions", "DROP TABLE awaited"):
        old.write(lambda on, change=change: on.exec_driver_sql(change))  # type: ignore[misc]
    old.close()
    store = open_here(where)
    assert [one.annotator for one in store.live()] == ["bob"]
    anew = store.add(event()).event  # its time is before the deletion's
    store.add(event(annotator="eve"))
    other = open_here(tmp_path / "other.sqlite3")
    other.add(event(annotator="ann", item="i2"))  # given before, as far as anybody can know
    destination = FolderDestination(tmp_path / "dataset")
    for each in (store, other, store, other):
        Publisher(each, destination).publish_now()
    assert {(one.annotator, one.item) for one in store.live()} == {("ann", "i1"), ("bob", "i1"), ("eve", "i1")}
    assert anew in store.live()
    assert other.live() == store.live()


def test_nobody_deletes_what_another_gave_by_naming_it(tmp_path: Path) -> None:
    with writers_in(tmp_path, 0, 0) as writers:
        theirs = writers.answer(0, "bob", "i1")
        assert theirs is not None
        named = Withdrawal(of=theirs.id, reason="withdrawn", erases=(theirs.id,))
        writers.stores[1].write(lambda on: insert_event(on, new_event(named, annotator="ann"), live=False))
        for _ in range(2):
            writers.sync(1, 0)
        assert [store.live() for store in writers.stores] == [[theirs], [theirs]]


def test_what_a_page_says_was_erased_is_not_believed(tmp_path: Path) -> None:
    with writers_in(tmp_path, 0) as writers:
        mine, other = (writers.answer(0, "ann", item) for item in ("i1", "i2"))
        assert mine is not None
        assert other is not None
        gone = writers.stores[0].add(new_event(Withdrawal(mine.id, "withdrawn", (other.id,)), annotator="ann")).event
        assert gone.payload == Withdrawal(mine.id, "withdrawn", (mine.id,))
        assert writers.stores[0].live() == [other]


@pytest.mark.parametrize("raw_marks", ["a:1", ["a"], ["g" * 16 + ":1"], ["a" * 16 + ":0"], [1], {"a" * 16: 1}])
def test_marks_that_nobody_wrote_are_refused(raw_marks: object) -> None:
    with pytest.raises(RefusedError) as refused:
        checked_marks(raw_marks)
    assert refused.value.code == "answer_malformed"


WRITERS = ("a" * 16, "b" * 16, "c" * 16)
marks = st.dictionaries(st.sampled_from(WRITERS), st.integers(1, 4)).map(
    lambda numbers: merged(tuple(f"{writer}:{number}" for writer, number in numbers.items()))
)


@given(st.lists(marks, min_size=2, max_size=4), marks, st.sampled_from(WRITERS))
def test_marks_say_who_knew_of_what(several: list[Marks], known: Marks, writer: str) -> None:
    together_known = merged(*several)
    assert all(covers(together_known, one) for one in several)
    later = with_next(known, writer)
    assert covers(later, known)
    assert not covers(known, later)
    deletions = [Deletion("ann", frozenset(), with_next(one, writer)) for one in several]
    record = replace(event(), after=known)
    assert any(one.erases(record) for one in deletions) == any(one.erases(record) for one in together(deletions))


EARLY = datetime(2026, 1, 1, tzinfo=UTC)


@given(st.text(alphabet=st.characters(), max_size=200))
def test_a_cleaned_text_can_be_kept_anywhere_and_is_cleaned_once(text: str) -> None:
    kept = cleaned_text(text)
    kept.encode("utf-8")
    assert "\0" not in kept
    assert cleaned_text(kept) == kept


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_a_hostile_text_is_kept_as_it_was_written(text: str) -> None:
    assert event("description", text=text).payload.text == text


def test_null_characters_go_and_lone_surrogates_are_marked() -> None:
    assert event("description", text="a\0b\ud83dc\x1bd\r\ne").payload.text == "ab\ufffdcd\ne"


@pytest.mark.parametrize("text", ["x" * (MAX_TEXT_CHARS + 1), "=" * 100_000])
def test_a_text_that_is_too_long_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(RefusedError, match="longer than 10000 characters") as refused:
        event("description", text=text)
    assert refused.value.code == "text_too_long"


@pytest.mark.parametrize("text", ["", " \n\t", "\0"])
def test_a_description_without_words_is_refused(text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        event("description", text=text)
    assert refused.value.code == "text_missing"


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("rating", {"score": 0}),
        ("rating", {"score": 5}),
        ("rating", {"score": True}),
        ("rating", {"score": "3"}),
        ("rating", {"text": ""}),
        ("rating", {"text": "a\0b"}),
        ("rating", {"text": "x" * 201}),
        ("rating", {"seconds": -1}),
        ("rating", {"seconds": math.nan}),
        ("rating", {"seconds": 10**400}),
        ("rating", {"comment": b"x"}),
        ("vote", {"relevant": ()}),
        ("vote", {"relevant": "b"}),
        ("vote", {"relevant": ("z",)}),
        ("vote", {"fluent": ("a", "a")}),
        ("target_choice", {"mode": "both"}),
        ("target_choice", {"correct": False}),
        ("real_pair", {"edits": (("MOVE", "arm"),)}),
        ("real_pair", {"edits": ("ADD",)}),
        ("real_pair", {"checks": {"x": math.inf}}),
        ("real_pair", {"checks": {"x": "\ud83d"}}),
        ("real_pair", {"checks": ["x"]}),
        ("real_pair", {"current": "x"}),
        ("withdrawal", {"reason": "bored"}),
        ("withdrawal", {"of": "something"}),
        ("qualification", {"passed": "yes"}),
    ],
)
def test_a_value_that_cannot_be_is_refused(kind: str, changed: dict[str, Any]) -> None:
    with pytest.raises(RefusedError) as refused:
        event(kind, **changed)
    assert refused.value.code == "answer_malformed"


def test_a_picture_that_is_no_jpeg_or_too_large_is_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        event("real_pair", current=b"GIF89a")
    assert refused.value.code == "picture_not_jpeg"
    with pytest.raises(RefusedError) as refused:
        event("real_pair", current=jpeg() + bytes(8_000_000))
    assert refused.value.code == "picture_too_large"


@pytest.mark.parametrize(
    "changed",
    [
        {"id": "x"},
        {"id": "0" * 31 + "G"},
        {"time": EARLY.replace(tzinfo=None)},
        {"annotator": ""},
        {"annotator": "x\ny"},
        {"item": None},
        {"supersedes": "that one"},
    ],
)
def test_an_event_about_nobody_or_nothing_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(RefusedError):
        event(**changed)


@pytest.mark.parametrize(
    ("code", "kind", "version", "payload"),
    [
        ("unknown_kind", "song", 1, {"text": "t1", "score": 3}),
        ("event_version", "rating", 2, {"text": "t1", "score": 3}),
        ("event_malformed", "rating", 1, {"text": "t1"}),
        ("event_malformed", "rating", 1, {"text": "t1", "score": 3, "colour": "red"}),
        ("answer_malformed", "rating", 1, {"text": "t1", "score": "3"}),
    ],
)
def test_a_record_of_another_make_is_refused(code: str, kind: str, version: int, payload: dict[str, Any]) -> None:
    with pytest.raises(RefusedError) as refused:
        read_payload(kind, version, payload)
    assert refused.value.code == code


def test_the_time_is_kept_in_utc() -> None:
    there = datetime(2026, 1, 1, 5, 30, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    assert event(time=there).time.isoformat() == "2026-01-01T00:00:00+00:00"


def test_of_an_edited_answer_the_edit_is_live() -> None:
    first = event(time=EARLY)
    edit = event(score=1, supersedes=first.id)
    assert live([edit, first]) == [edit]


def test_an_undone_edit_does_not_bring_the_first_answer_back() -> None:
    first = event(time=EARLY)
    edit = event(score=1, supersedes=first.id)
    undo = new_event(Withdrawal(of=edit.id, reason="undo"), annotator="ann")
    assert undo.supersedes == edit.id
    assert live([first, edit, undo]) == []


def test_nobody_takes_back_what_another_gave() -> None:
    theirs = event(annotator="bob")
    assert live([theirs, new_event(Withdrawal(of=theirs.id, reason="undo"), annotator="ann")]) == [theirs]


def test_of_two_answers_to_one_question_the_last_is_live() -> None:
    first, second = event(time=EARLY), event(time=EARLY + timedelta(seconds=1), score=1)
    assert live([second, first]) == [second]


def test_other_texts_modes_and_languages_are_other_questions() -> None:
    answers = [
        event(),
        event(text="t2"),
        event(language="hi"),
        event(item="i2"),
        event("target_choice"),
        event("target_choice", mode="picture"),
    ]
    assert len(live(answers)) == len(answers)


def test_what_was_given_before_everything_was_withdrawn_is_gone_and_what_came_later_is_not() -> None:
    before, after = event(time=EARLY), event(time=EARLY + timedelta(days=2))
    gone = new_event(Withdrawal(of="everything", reason="withdrawn"), annotator="ann", time=EARLY + timedelta(days=1))
    theirs = event(annotator="bob", time=EARLY)
    assert live([after, gone, before, theirs]) == [theirs, after]


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Return answers of two people in order of time, with edits, undos and full withdrawals."""
    history: list[Event] = []
    for second in range(draw(st.integers(0, 12))):
        about = {"annotator": draw(st.sampled_from(["ann", "bob"])), "time": EARLY + timedelta(seconds=second)}
        old = draw(st.sampled_from([None, *history]))
        match draw(st.integers(0, 3)):
            case 0 if old:
                history.append(new_event(Withdrawal(of=old.id, reason="undo"), **about))
            case 1:
                history.append(new_event(Withdrawal(of="everything", reason="withdrawn"), **about))
            case _:
                item = draw(st.sampled_from(["i1", "i2"]))
                history.append(event(item=item, supersedes=old and old.id, **about))
    return history


@given(histories(), st.randoms(use_true_random=False))
def test_order_and_repetition_do_not_change_what_is_live(history: list[Event], chance: random.Random) -> None:
    shuffled = [*history, *history]
    chance.shuffle(shuffled)
    living = live(history)
    assert live(shuffled) == living
    assert live(living) == living
    assert len({one.key for one in living}) == len(living)


def test_a_withdrawal_is_no_answer() -> None:
    assert live([event("withdrawal")]) == []
    assert event("withdrawal").key is None


def test_every_kind_has_a_version_and_a_name_of_its_own() -> None:
    assert {kind: payload.version for kind, payload in PAYLOADS.items()} == {
        **dict.fromkeys(RECORDS, 1),
        "target_choice": 2,
        "withdrawal": 2,
    }
    assert isinstance(PAYLOADS["vote"], Vote)
    assert isinstance(PAYLOADS["description"], Description)
    assert isinstance(PAYLOADS["real_pair"], RealPair)
