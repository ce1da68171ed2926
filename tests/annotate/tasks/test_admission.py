"""Admission: rate limits and the qualification test."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.errors import RefusedError
from annotate.records import Qualification
from annotate.tasks.admission import Rate, RateLimit, RateLimits, Rates
from tests.annotate.asking import Clock, MakeRig, ServiceRig, colour, item


def test_a_burst_passes_and_then_a_request_for_each_while() -> None:
    clock = Clock()
    limit = RateLimit(Rate(at_once=3, a_minute=6), clock)
    for _ in range(3):
        limit.spend("ann")

    with pytest.raises(RefusedError) as refusal:
        limit.spend("ann")
    assert refusal.value.code == "too_fast"
    assert refusal.value.details == {"seconds": 10}
    limit.spend("ben")

    clock.pass_by(10)
    limit.spend("ann")
    with pytest.raises(RefusedError):
        limit.spend("ann")


@given(st.lists(st.floats(0, 20), max_size=60))
def test_no_more_pass_than_the_rate_allows(pauses: list[float]) -> None:
    clock = Clock()
    limit = RateLimit(Rate(at_once=5, a_minute=30), clock)
    passed = 0
    for pause in pauses:
        clock.pass_by(pause)
        try:
            limit.spend("ann")
            passed += 1
        except RefusedError:
            pass

    assert passed <= 5 + sum(pauses) * 0.5 + 1e-6
    assert passed >= min(len(pauses), 5)


def test_what_costs_more_takes_more() -> None:
    limit = RateLimit(Rate(at_once=10, a_minute=60), Clock())
    limit.spend("ann", 8)
    with pytest.raises(RefusedError) as refusal:
        limit.spend("ann", 8)
    assert refusal.value.details == {"seconds": 6}
    limit.spend("ann", 2)


def test_a_class_behind_one_address_is_served() -> None:
    """Fifty guests come at once, and answer for ten minutes as fast as somebody who reads nothing: 20 a minute each."""
    clock = Clock()
    limits = RateLimits(clock=clock)
    for _ in range(50):
        limits.admit("192.0.2.1", proved=False)
    for _ in range(200):
        for pupil in range(50):
            limits.spend(f"pupil{pupil}", is_guest=True, address="192.0.2.1")
        clock.pass_by(3)


def test_a_person_who_is_refused_takes_nothing_of_what_all_guests_have_together() -> None:
    limits = RateLimits(Rates(person=Rate(2, 1), together=Rate(4, 1)), Clock())
    limits.spend("ann", is_guest=True)
    limits.spend("ann", is_guest=True)
    for _ in range(98):
        with pytest.raises(RefusedError):
            limits.spend("ann", is_guest=True)
    limits.spend("ben", is_guest=True)
    limits.spend("ben", is_guest=True)
    limits.spend("with a login")
    with pytest.raises(RefusedError):
        limits.spend("cem", is_guest=True)


def test_people_long_gone_are_forgotten() -> None:
    limit = RateLimit(Rate(at_once=1, a_minute=1), Clock())
    for number in range(20_000):
        limit.spend(f"person{number}")

    assert len(limit._buckets) <= 10_000


def test_an_address_that_floods_leaves_room_for_every_other() -> None:
    clock = Clock()
    limits = RateLimits(clock=clock)
    for second in range(600):
        clock.pass_by(1)
        for proved in (False, True) * 10:
            with suppress(RefusedError):
                limits.admit("9.9.9.9", proved=proved)
        if second % 10 == 0:
            limits.admit(f"8.8.8.{second // 10}", proved=False)
            limits.admit(f"8.8.8.{second // 10}", proved=True)


def test_who_hides_their_address_takes_nothing_from_those_who_show_it() -> None:
    limits = RateLimits(clock=Clock())
    for proved in (False, True) * 1000:
        with suppress(RefusedError):
            limits.admit(None, proved=proved)
    with suppress(RefusedError):
        for number in range(10_000):
            limits.spend(f"hidden{number}", is_guest=True)

    limits.admit("8.8.8.8", proved=False)
    limits.admit("8.8.8.8", proved=True)
    limits.spend("ann", is_guest=True, address="8.8.8.8")


def question(name: str, right: int, language: str = "en") -> dict[str, Any]:
    return {
        "id": name,
        "language": language,
        "text": f"Which is {name}?",
        "choices": ["This.", "That.", "Neither."],
        "right": right,
        "why": f"Because of {name}.",
        "current": colour(0, 0),
    }


QUESTIONS = [question(name, right) for name, right in (("left", 1), ("right", 0), ("up", 2))]
TEST = {
    "kinds": ["write", "verify"],
    "pass_mark": 2,
    "tries": 2,
    "questions": [*QUESTIONS, question("left", 1, "hi"), question("up", 0, "hi")],
}


@pytest.fixture
def rig(make_rig: MakeRig) -> ServiceRig:
    return make_rig([item(0), item(1)], qualification=TEST)


def test_a_test_comes_before_some_kinds_alone(rig: ServiceRig) -> None:
    person = rig.person("ann")
    with pytest.raises(RefusedError) as refusal:
        rig.service.next_task(person, "write", "en")
    assert refusal.value.code == "not_qualified"

    assert rig.service.next_task(person, "vote", "en") is not None
    assert rig.service.test(person, "vote", "en") is None


def test_a_test_shows_questions_and_no_answers(rig: ServiceRig) -> None:
    test = rig.service.test(rig.person("ann"), "write", "en")

    assert test is not None
    assert (test.pass_mark, test.tries_left) == (2, 2)
    assert [question.id for question in test.questions] == ["left", "right", "up"]
    assert test.questions[0].current is not None
    assert test.questions[0].current.startswith(b"\xff\xd8\xff")
    assert "Because" not in repr(asdict(test))
    assert set(asdict(test.questions[0])) == {"id", "text", "choices", "current", "target"}


def test_a_person_who_passes_is_asked_and_told_what_was_wrong(rig: ServiceRig) -> None:
    person = rig.person("ann")

    result = rig.service.take_test(person, "en", {"left": 1, "right": 0, "up": 0})

    assert (result.passed, result.right, result.total) == (True, 2, 3)
    assert result.explanations == ("Because of up.",)
    assert rig.service.test(person, "verify", "en") is None
    assert rig.service.next_task(person, "write", "en") is not None
    (event,) = rig.store.live(kind="qualification")
    assert event.payload == Qualification(("left=1", "right=0", "up=0"), passed=True)


def test_each_language_has_its_own_test(rig: ServiceRig) -> None:
    person = rig.person("ann")
    rig.service.take_test(person, "en", {"left": 1, "right": 0, "up": 2})

    assert rig.service.test(person, "write", "hi") is not None
    assert rig.service.take_test(person, "hi", {"left": 1, "up": 0}).passed


def test_tries_come_to_an_end(rig: ServiceRig) -> None:
    person, wrong = rig.person("ann"), {"left": 0, "right": 1, "up": 0}

    assert [rig.service.take_test(person, "en", wrong).tries_left for _ in range(2)] == [1, 0]

    test = rig.service.test(person, "write", "en")
    assert test is not None
    assert test.tries_left == 0
    with pytest.raises(RefusedError) as refusal:
        rig.service.take_test(person, "en", {"left": 1, "right": 0, "up": 2})
    assert refusal.value.code == "no_tries_left"
    assert len(rig.store.events(kind="qualification")) == 2
    assert rig.service.take_test(rig.person("ben"), "en", {"left": 1, "right": 0, "up": 2}).passed


def test_a_second_try_counts(rig: ServiceRig) -> None:
    person = rig.person("ann")
    rig.service.take_test(person, "en", {"left": 0, "right": 1, "up": 0})

    assert rig.service.take_test(person, "en", {"left": 1, "right": 0, "up": 2}).passed
    assert len(rig.store.live(kind="qualification")) == 1
    with pytest.raises(RefusedError):
        rig.service.take_test(person, "en", {"left": 1, "right": 0, "up": 2})


def test_an_attempt_sent_again_is_one_try_and_gets_the_same_result(rig: ServiceRig) -> None:
    person, attempts = rig.person("ann"), ["1" * 32, "2" * 32]
    wrong, right = {"left": 0, "right": 1, "up": 0}, {"left": 1, "right": 0, "up": 0}

    failed = rig.service.take_test(person, "en", wrong, attempts[0])
    assert rig.service.take_test(person, "en", wrong, attempts[0]) == failed
    passed = rig.service.take_test(person, "en", right, attempts[1])
    assert rig.service.take_test(person, "en", right, attempts[1]) == passed
    assert rig.service.take_test(person, "en", right, attempts[0]) == failed

    assert (failed.passed, failed.tries_left) == (False, 1)
    assert (passed.passed, passed.tries_left, passed.explanations) == (True, 0, ("Because of up.",))
    assert len(rig.store.events(kind="qualification")) == 2


def test_no_page_chooses_the_id_of_a_record(rig: ServiceRig) -> None:
    chosen, answers = "a" * 32, {"left": 1, "right": 0, "up": 2}
    for name in ("ann", "ben"):
        assert rig.service.take_test(rig.person(name), "en", answers, chosen).passed
        assert rig.service.tested(rig.person(name), "en", chosen) is not None

    kept = rig.store.events(kind="qualification")
    assert len({event.id for event in kept} - {chosen}) == 2
    assert rig.service.tested(rig.person("carl"), "en", chosen) is None


@pytest.mark.parametrize(
    "choices",
    [
        {},
        None,
        {"left": 1, "right": 0},
        {"left": 1, "right": 0, "up": 3},
        {"left": 1, "right": 0, "up": -1},
        {"left": 1, "right": 0, "up": True},
        {"left": 1, "right": 0, "up": "2"},
        {"left": 1, "right": 0, "up": 2, "more": 0},
    ],
)
def test_answers_that_cannot_be_cost_no_try(rig: ServiceRig, choices: object) -> None:
    with pytest.raises(RefusedError) as refusal:
        rig.service.take_test(rig.person("ann"), "en", choices)

    assert refusal.value.code == "answer_malformed"
    assert rig.store.events() == []


def test_a_language_without_questions_has_no_test_to_take(rig: ServiceRig) -> None:
    with pytest.raises(RefusedError):
        rig.service.take_test(rig.person("ann"), "fr", {})
