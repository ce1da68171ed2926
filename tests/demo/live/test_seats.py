"""Few people exercise at once, each on a seat of their own that is free again when they are gone."""

from __future__ import annotations

import threading

import pytest
from PIL import Image

from demo.live.seats import IDLE, LONGEST, MOST_GOALS, LiveSeats
from fmp_models.coach.coach import Phase, Tolerance
from fmp_models.errors import BadInputError
from fmp_models.estimators.tracking import TrackedPerson
from tests.bodies import Arm, Body
from tests.exercises import tracked

GOAL = Body(left_arm=Arm(lift=90)).pose()
FRAME = Image.new("RGB", (320, 480))


class StandingStill:
    """Follows somebody who stands and does not move."""

    def __init__(self) -> None:
        self.sizes: list[tuple[int, int]] = []
        self.go_on = threading.Event()
        self.go_on.set()
        self.looking = threading.Event()

    def track(self, frame: Image.Image, at: float) -> TrackedPerson | None:
        self.sizes.append(frame.size)
        self.looking.set()
        assert self.go_on.wait(30)
        return tracked(Body().pose()) if at >= 0 else None


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def code_of(error: pytest.ExceptionInfo[BadInputError]) -> str:
    return error.value.code


def opened(most: int = 2) -> tuple[LiveSeats, Clock, list[StandingStill]]:
    clock, trackers = Clock(), []

    def new() -> StandingStill:
        trackers.append(StandingStill())
        return trackers[-1]

    return LiveSeats(most, new, clock), clock, trackers


def seated(seats: LiveSeats) -> str:
    name = seats.begin()
    seats.add_goal(name, GOAL)
    return name


def test_the_room_is_full_with_as_many_as_it_has_seats_and_an_end_frees_one() -> None:
    seats, _, trackers = opened()
    first, second = seated(seats), seated(seats)
    assert first != second
    with pytest.raises(BadInputError) as caught:
        seats.begin()
    assert code_of(caught) == "live_full"
    seats.end(first)
    seated(seats)
    assert len(trackers) == 2  # the tracker of the first serves whoever comes next


def test_a_seat_without_frames_is_free_again() -> None:
    seats, clock, _ = opened(1)
    name = seated(seats)
    clock.now = IDLE - 1
    seats.look(name, FRAME.copy(), Tolerance.NORMAL)
    clock.now = 2 * IDLE - 2
    seats.stay(name)
    clock.now = 3 * IDLE - 1
    other = seats.begin()
    with pytest.raises(BadInputError) as caught:
        seats.look(name, FRAME.copy(), Tolerance.NORMAL)
    assert code_of(caught) == "live_gone"
    seats.stay(other)


def test_frames_lead_to_advice_and_large_ones_are_looked_at_small() -> None:
    seats, clock, trackers = opened()
    name = seated(seats)
    for number in range(20):
        clock.now = number / 10
        advice = seats.look(name, Image.new("RGB", (1200, 900)), Tolerance.NORMAL)
    assert advice.phase is Phase.MOVE
    assert advice.instruction is not None
    assert trackers[0].sizes[0] == (LONGEST, LONGEST * 3 // 4)
    ended = seats.end(name)
    assert len(ended["goals"]) == 1
    assert seats.end(name) == {"goals": []}


def test_one_frame_of_a_visitor_is_looked_at_at_a_time() -> None:
    seats, _, trackers = opened()
    name = seated(seats)
    trackers[0].go_on.clear()
    thread = threading.Thread(target=lambda: seats.look(name, FRAME.copy(), Tolerance.NORMAL))
    thread.start()
    assert trackers[0].looking.wait(30)
    with pytest.raises(BadInputError) as caught:
        seats.look(name, FRAME.copy(), Tolerance.NORMAL)
    assert code_of(caught) == "live_busy"
    trackers[0].go_on.set()
    thread.join(30)
    seats.look(name, FRAME.copy(), Tolerance.NORMAL)


def test_goals_come_before_the_first_frame_and_are_not_many() -> None:
    seats, _, _ = opened()
    name = seats.begin()
    with pytest.raises(BadInputError) as caught:
        seats.look(name, FRAME.copy(), Tolerance.NORMAL)
    assert code_of(caught) == "live_no_goal"
    assert [seats.add_goal(name, GOAL) for _ in range(MOST_GOALS)] == list(range(1, MOST_GOALS + 1))
    with pytest.raises(BadInputError) as caught:
        seats.add_goal(name, GOAL)
    assert code_of(caught) == "live_many_goals"
    other = seated(seats)
    seats.look(other, FRAME.copy(), Tolerance.NORMAL)
    with pytest.raises(BadInputError) as caught:
        seats.add_goal(other, GOAL)
    assert code_of(caught) == "live_many_goals"


def test_a_name_that_nobody_was_given_has_no_seat() -> None:
    seats, _, _ = opened()
    for name in ("", "x", "\ud800"):
        with pytest.raises(BadInputError) as caught:
            seats.stay(name)
        assert code_of(caught) == "live_gone"
