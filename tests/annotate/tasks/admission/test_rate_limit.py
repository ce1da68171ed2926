from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.errors import RefusedError
from annotate.tasks.admission.rate_limit import Rate, RateLimit, RateLimits, Rates
from tests.annotate.asking import Clock


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
    for number in range(100):
        if number < 2:
            limits.spend("ann", is_guest=True)
        else:
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
