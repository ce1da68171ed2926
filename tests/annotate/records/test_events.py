from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.errors import RefusedError
from annotate.kinds.real_pair import RealPair
from annotate.kinds.registry import RECORDS, read_payload
from annotate.kinds.vote import Vote
from annotate.kinds.write import Description
from annotate.records.events import Event, live, new_event
from annotate.records.fields import MAX_TEXT_CHARS, cleaned_text
from annotate.records.kinds import Withdrawal
from tests.annotate.sample_events import HOSTILE_TEXTS, PAYLOADS, event, jpeg

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
        "withdrawal": 2,
    }
    assert isinstance(PAYLOADS["vote"], Vote)
    assert isinstance(PAYLOADS["description"], Description)
    assert isinstance(PAYLOADS["real_pair"], RealPair)
