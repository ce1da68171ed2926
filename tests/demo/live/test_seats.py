"""Few people exercise at once, each on a seat of their own that is free again when they are gone."""

from __future__ import annotations

import threading

import pytest
from PIL import Image

from demo.i18n import error_text
from demo.live.seats import (
    HANDLED,
    IDLE,
    LONGEST_EXERCISE,
    MAX_NETWORKS,
    MOST_GOALS,
    PAUSED,
    UNUSED,
    WAITING,
    LiveSeats,
)
from fmp_models.coach.coach import Advice, Phase, Tolerance
from fmp_models.errors import BadInputError
from fmp_models.estimators.tracking import TrackedPerson
from tests.bodies import Arm, Body
from tests.exercises import tracked
from tests.thoroughness import thorough

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
    with seats.holding(name) as seat:
        seat.add_goal(GOAL)
    return name


def look(seats: LiveSeats, name: str, frame: Image.Image = FRAME) -> Advice:
    with seats.holding(name) as seat:
        return seats.look(seat, frame.copy(), Tolerance.NORMAL)


def test_the_room_is_full_with_as_many_as_it_has_seats_and_an_end_frees_one() -> None:
    seats, _, trackers = opened()
    first, second = seated(seats), seated(seats)
    assert first != second
    with pytest.raises(BadInputError) as caught:
        seats.begin()
    assert code_of(caught) == "live_full"
    seats.end(first)
    seated(seats)
    assert len(trackers) == 3  # nobody is followed by what followed somebody else


def test_those_from_one_network_leave_a_seat_to_others() -> None:
    seats, _, _ = opened(3)
    first = seats.begin("203.0.113.9")
    seats.begin("203.0.113.9")
    with pytest.raises(BadInputError) as caught:
        seats.begin("203.0.113.9")
    assert code_of(caught) == "live_full_network"
    sentences = error_text(caught.value).by_language.values()  # right for one and for many
    assert not any(character.isdigit() or character == "{" for words in sentences for character in words)
    other = seats.begin("198.51.100.7")
    seats.end(other)
    seats.end(first)
    seats.begin("203.0.113.9")


@pytest.mark.parametrize(("most", "address"), [(1, "203.0.113.9"), (3, "")])
def test_where_there_is_one_seat_or_nobody_comes_over_a_network_all_can_be_had(most: int, address: str) -> None:
    seats, _, _ = opened(most)
    for _ in range(most):
        seats.begin(address)
    with pytest.raises(BadInputError) as caught:
        seats.begin(address)
    assert code_of(caught) == "live_full"


def test_a_tracker_that_cannot_be_made_takes_no_seat() -> None:
    def broken() -> StandingStill:
        raise BadInputError("pose_model_unreadable")

    seats = LiveSeats(1, broken)
    for _ in range(2):
        with pytest.raises(BadInputError) as caught:
            seats.begin()
        assert code_of(caught) == "pose_model_unreadable"


def test_a_seat_without_frames_is_free_again() -> None:
    seats, clock, _ = opened(1)
    name = seated(seats)
    clock.now = IDLE - 1
    look(seats, name)
    clock.now = 2 * IDLE - 2
    seats.stay(name)
    clock.now = 3 * IDLE - 1
    other = seats.begin()
    with pytest.raises(BadInputError) as caught:
        look(seats, name)
    assert code_of(caught) == "live_gone"
    seats.stay(other)


def test_nobody_keeps_a_seat_by_pausing_for_ever() -> None:
    seats, clock, _ = opened(1)
    name = seated(seats)
    for clock.now in range(0, round(PAUSED), 5):
        seats.stay(name)
    clock.now += 10
    with pytest.raises(BadInputError) as caught:
        seats.stay(name)
    assert code_of(caught) == "live_gone"


@thorough
def test_nobody_keeps_a_seat_for_hours() -> None:
    seats, clock, _ = opened(1)
    name = seated(seats)
    for clock.now in range(0, round(LONGEST_EXERCISE), 10):
        look(seats, name)
    clock.now += 20
    with pytest.raises(BadInputError) as caught:
        look(seats, name)
    assert code_of(caught) == "live_gone"


NETWORKS = ("203.0.113.9", "198.51.100.7")
NEWCOMER = "192.0.2.4"


def held_by_two_networks() -> tuple[LiveSeats, Clock, list[str]]:
    """All three seats held without a frame."""
    seats, clock, _ = opened(3)
    return seats, clock, [seats.begin(address) for address in (NETWORKS[0], NETWORKS[0], NETWORKS[1])]


def refused(seats: LiveSeats, address: str) -> str:
    with pytest.raises(BadInputError) as caught:
        seats.begin(address)
    return code_of(caught)


def stayed(seats: LiveSeats, clock: Clock, names: list[str], until: float) -> None:
    """Signs of life without frames, every second."""
    while clock.now < until:
        clock.now += 1
        for name in names:
            seats.stay(name)


def test_a_seat_without_frames_goes_within_seconds_to_another_who_asks() -> None:
    seats, clock, names = held_by_two_networks()
    stayed(seats, clock, names, UNUSED)
    assert refused(seats, NEWCOMER) == "live_full"
    stayed(seats, clock, names, UNUSED + 1)
    seats.begin(NEWCOMER)
    with pytest.raises(BadInputError) as caught:
        seats.stay(names[0])  # the one that was longest without a frame, and no other
    assert code_of(caught) == "live_gone"
    stayed(seats, clock, names[1:], UNUSED + 2)


def test_a_seat_with_frames_is_not_taken_from_anybody() -> None:
    seats, clock, _ = opened(1)
    name = seated(seats)
    for clock.now in range(0, round(3 * UNUSED), 5):
        look(seats, name)
    assert refused(seats, NEWCOMER) == "live_full"
    look(seats, name)


def test_a_seat_whose_goals_come_is_not_taken_from_anybody() -> None:
    seats, clock, _ = opened(1)
    name = seats.begin()
    for _ in range(3):
        with seats.holding(name) as seat:
            clock.now += UNUSED + 1
            assert refused(seats, NEWCOMER) == "live_full"
            seats.add_goal(seat, GOAL)
        assert refused(seats, NEWCOMER) == "live_full"
    assert len(seats.stay(name).goals) == 3


def test_a_goal_that_never_comes_keeps_no_seat() -> None:
    seats, clock, _ = opened(1)
    with seats.holding(seats.begin()):
        clock.now = HANDLED + 1
        seats.begin(NEWCOMER)


def test_a_pause_with_nobody_waiting_keeps_the_seat() -> None:
    seats, clock, names = held_by_two_networks()
    stayed(seats, clock, names, PAUSED - 1)
    assert len({id(seats.stay(name)) for name in names}) == len(names)


def test_networks_that_held_a_seat_come_after_whoever_waits() -> None:
    seats, clock, names = held_by_two_networks()
    clock.now = 1
    assert refused(seats, NEWCOMER) == "live_full"
    for name in names[:2]:
        seats.end(name)
    seats.begin(NETWORKS[1])  # there are two, and one waits
    assert [refused(seats, address) for address in NETWORKS] == ["live_full"] * 2
    clock.now = 2
    seats.begin(NEWCOMER)


def test_a_seat_is_kept_for_who_waits_no_longer_than_they_come_back() -> None:
    seats, clock, _ = opened(1)
    name = seats.begin(NETWORKS[0])
    assert refused(seats, NEWCOMER) == "live_full"
    seats.end(name)
    clock.now = WAITING
    assert refused(seats, NETWORKS[0]) == "live_full"
    clock.now = WAITING + 1
    seats.begin(NETWORKS[0])


def test_a_network_with_its_share_gets_a_seat_of_its_own_alone() -> None:
    seats, clock, names = held_by_two_networks()
    seats.end(names[0])
    clock.now = UNUSED - 5
    seats.stay(names[1])
    mate = seats.begin(NETWORKS[0])
    for name in names[1:]:
        seats.stay(name)
    clock.now = UNUSED + 1
    seats.begin(NETWORKS[0])
    assert refused(seats, NETWORKS[0]) == "live_full"
    seats.stay(mate)
    seats.stay(names[2])


def test_no_more_networks_are_remembered_than_a_few() -> None:
    seats, _, _ = held_by_two_networks()
    assert {refused(seats, f"192.0.2.{number}") for number in range(2 * MAX_NETWORKS)} == {"live_full"}
    assert len(seats._waiting) == MAX_NETWORKS  # nothing else tells of it


def test_frames_lead_to_advice() -> None:
    seats, clock, trackers = opened()
    name = seated(seats)
    for number in range(20):
        clock.now = number / 10
        advice = look(seats, name)
    assert advice.phase is Phase.MOVE
    assert advice.instruction is not None
    assert len(trackers[0].sizes) == 20
    ended = seats.end(name)
    assert len(ended["goals"]) == 1
    assert seats.end(name) == {"goals": []}


def test_one_request_of_a_visitor_is_answered_at_a_time() -> None:
    seats, _, trackers = opened()
    name = seated(seats)
    trackers[0].go_on.clear()
    thread = threading.Thread(target=lambda: look(seats, name))
    thread.start()
    assert trackers[0].looking.wait(30)
    with pytest.raises(BadInputError) as caught:
        look(seats, name)
    assert code_of(caught) == "live_busy"
    trackers[0].go_on.set()
    thread.join(30)
    look(seats, name)


def test_goals_come_before_the_first_frame_and_are_not_many() -> None:
    seats, _, _ = opened()
    name = seats.begin()
    with pytest.raises(BadInputError) as caught:
        look(seats, name)
    assert code_of(caught) == "live_no_goal"
    with seats.holding(name) as seat:
        for number in range(MOST_GOALS):
            seat.demand_room()
            assert seat.add_goal(GOAL) == number + 1
        with pytest.raises(BadInputError) as caught:
            seat.demand_room()
    assert code_of(caught) == "live_many_goals"
    other = seated(seats)
    look(seats, other)
    with seats.holding(other) as seat, pytest.raises(BadInputError) as caught:
        seat.demand_room()
    assert code_of(caught) == "live_many_goals"


def test_a_name_that_nobody_was_given_has_no_seat() -> None:
    seats, _, _ = opened()
    for name in ("", "x", "\ud800"):
        with pytest.raises(BadInputError) as caught:
            seats.stay(name)
        assert code_of(caught) == "live_gone"
