"""Few people exercise at once, each on a seat of their own that is free again when they are gone."""

from __future__ import annotations

import threading

import pytest
from PIL import Image

from demo.i18n import error_text
from demo.live.sessions import (
    HANDLED_SECONDS,
    IDLE_SECONDS,
    MAX_EXERCISE_SECONDS,
    MAX_GOALS,
    MAX_NETWORKS,
    PAUSED_SECONDS,
    UNUSED_SECONDS,
    WAITING_SECONDS,
    LiveSessions,
)
from fmp_models.coach.coaching import Advice, Phase, Tolerance
from fmp_models.errors import BadInputError
from fmp_models.estimators.landmarks import TrackedPerson
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


def opened(most: int = 2) -> tuple[LiveSessions, Clock, list[StandingStill]]:
    clock, trackers = Clock(), []

    def new() -> StandingStill:
        trackers.append(StandingStill())
        return trackers[-1]

    return LiveSessions(most, new, clock), clock, trackers


def seated(sessions: LiveSessions) -> str:
    name = sessions.begin()
    with sessions.holding(name) as session:
        session.add_goal(GOAL)
    return name


def look(sessions: LiveSessions, name: str, frame: Image.Image = FRAME) -> Advice:
    with sessions.holding(name) as session:
        return sessions.look(session, frame.copy(), Tolerance.NORMAL)


def test_the_room_is_full_with_as_many_as_it_has_sessions_and_an_end_frees_one() -> None:
    sessions, _, trackers = opened()
    first, second = seated(sessions), seated(sessions)
    assert first != second
    with pytest.raises(BadInputError) as caught:
        sessions.begin()
    assert code_of(caught) == "live_full"
    sessions.end(first)
    seated(sessions)
    assert len(trackers) == 3  # nobody is followed by what followed somebody else


def test_those_from_one_network_leave_a_session_to_others() -> None:
    sessions, _, _ = opened(3)
    first = sessions.begin("203.0.113.9")
    sessions.begin("203.0.113.9")
    with pytest.raises(BadInputError) as caught:
        sessions.begin("203.0.113.9")
    assert code_of(caught) == "live_full_network"
    sentences = error_text(caught.value).by_language.values()  # right for one and for many
    assert not any(character.isdigit() or character == "{" for words in sentences for character in words)
    other = sessions.begin("198.51.100.7")
    sessions.end(other)
    sessions.end(first)
    sessions.begin("203.0.113.9")


@pytest.mark.parametrize(("most", "address"), [(1, "203.0.113.9"), (3, "")])
def test_where_there_is_one_session_or_nobody_comes_over_a_network_all_can_be_had(most: int, address: str) -> None:
    sessions, _, _ = opened(most)
    for _ in range(most):
        sessions.begin(address)
    with pytest.raises(BadInputError) as caught:
        sessions.begin(address)
    assert code_of(caught) == "live_full"


def test_a_tracker_that_cannot_be_made_takes_no_session() -> None:
    def broken() -> StandingStill:
        raise BadInputError("pose_model_unreadable")

    sessions = LiveSessions(1, broken)
    for _ in range(2):
        with pytest.raises(BadInputError) as caught:
            sessions.begin()
        assert code_of(caught) == "pose_model_unreadable"


def test_a_session_without_frames_is_free_again() -> None:
    sessions, clock, _ = opened(1)
    name = seated(sessions)
    clock.now = IDLE_SECONDS - 1
    look(sessions, name)
    clock.now = 2 * IDLE_SECONDS - 2
    sessions.stay(name)
    clock.now = 3 * IDLE_SECONDS - 1
    other = sessions.begin()
    with pytest.raises(BadInputError) as caught:
        look(sessions, name)
    assert code_of(caught) == "live_gone"
    sessions.stay(other)


def test_nobody_keeps_a_session_by_pausing_for_ever() -> None:
    sessions, clock, _ = opened(1)
    name = seated(sessions)
    for clock.now in range(0, round(PAUSED_SECONDS), 5):
        sessions.stay(name)
    clock.now += 10
    with pytest.raises(BadInputError) as caught:
        sessions.stay(name)
    assert code_of(caught) == "live_gone"


@thorough
def test_nobody_keeps_a_session_for_hours() -> None:
    sessions, clock, _ = opened(1)
    name = seated(sessions)
    for clock.now in range(0, round(MAX_EXERCISE_SECONDS), 10):
        look(sessions, name)
    clock.now += 20
    with pytest.raises(BadInputError) as caught:
        look(sessions, name)
    assert code_of(caught) == "live_gone"


NETWORKS = ("203.0.113.9", "198.51.100.7")
NEWCOMER = "192.0.2.4"


def held_by_two_networks() -> tuple[LiveSessions, Clock, list[str]]:
    """All three seats held without a frame."""
    sessions, clock, _ = opened(3)
    return sessions, clock, [sessions.begin(address) for address in (NETWORKS[0], NETWORKS[0], NETWORKS[1])]


def refused(sessions: LiveSessions, address: str) -> str:
    with pytest.raises(BadInputError) as caught:
        sessions.begin(address)
    return code_of(caught)


def stayed(sessions: LiveSessions, clock: Clock, names: list[str], until: float) -> None:
    """Signs of life without frames, every second."""
    while clock.now < until:
        clock.now += 1
        for name in names:
            sessions.stay(name)


def test_a_session_without_frames_goes_within_seconds_to_another_who_asks() -> None:
    sessions, clock, names = held_by_two_networks()
    stayed(sessions, clock, names, UNUSED_SECONDS)
    assert refused(sessions, NEWCOMER) == "live_full"
    stayed(sessions, clock, names, UNUSED_SECONDS + 1)
    sessions.begin(NEWCOMER)
    with pytest.raises(BadInputError) as caught:
        sessions.stay(names[0])  # the one that was longest without a frame, and no other
    assert code_of(caught) == "live_gone"
    stayed(sessions, clock, names[1:], UNUSED_SECONDS + 2)


def test_a_session_with_frames_is_not_taken_from_anybody() -> None:
    sessions, clock, _ = opened(1)
    name = seated(sessions)
    for clock.now in range(0, round(3 * UNUSED_SECONDS), 5):
        look(sessions, name)
    assert refused(sessions, NEWCOMER) == "live_full"
    look(sessions, name)


def test_a_session_whose_goals_come_is_not_taken_from_anybody() -> None:
    sessions, clock, _ = opened(1)
    name = sessions.begin()
    for _ in range(3):
        with sessions.holding(name) as session:
            clock.now += UNUSED_SECONDS + 1
            assert refused(sessions, NEWCOMER) == "live_full"
            sessions.add_goal(session, GOAL)
        assert refused(sessions, NEWCOMER) == "live_full"
    assert len(sessions.stay(name).goals) == 3


def test_a_goal_that_never_comes_keeps_no_session() -> None:
    sessions, clock, _ = opened(1)
    with sessions.holding(sessions.begin()):
        clock.now = HANDLED_SECONDS + 1
        sessions.begin(NEWCOMER)


def test_a_pause_with_nobody_waiting_keeps_the_session() -> None:
    sessions, clock, names = held_by_two_networks()
    stayed(sessions, clock, names, PAUSED_SECONDS - 1)
    assert len({id(sessions.stay(name)) for name in names}) == len(names)


def test_networks_that_held_a_session_come_after_anybody_who_waits() -> None:
    sessions, clock, names = held_by_two_networks()
    clock.now = 1
    assert refused(sessions, NEWCOMER) == "live_full"
    for name in names[:2]:
        sessions.end(name)
    sessions.begin(NETWORKS[1])  # there are two, and one waits
    assert [refused(sessions, address) for address in NETWORKS] == ["live_full"] * 2
    clock.now = 2
    sessions.begin(NEWCOMER)


def test_a_session_is_kept_for_who_waits_no_longer_than_they_come_back() -> None:
    sessions, clock, _ = opened(1)
    name = sessions.begin(NETWORKS[0])
    assert refused(sessions, NEWCOMER) == "live_full"
    sessions.end(name)
    clock.now = WAITING_SECONDS
    assert refused(sessions, NETWORKS[0]) == "live_full"
    clock.now = WAITING_SECONDS + 1
    sessions.begin(NETWORKS[0])


def test_a_network_with_its_share_gets_a_session_of_its_own_alone() -> None:
    sessions, clock, names = held_by_two_networks()
    sessions.end(names[0])
    clock.now = UNUSED_SECONDS - 5
    sessions.stay(names[1])
    mate = sessions.begin(NETWORKS[0])
    for name in names[1:]:
        sessions.stay(name)
    clock.now = UNUSED_SECONDS + 1
    sessions.begin(NETWORKS[0])
    assert refused(sessions, NETWORKS[0]) == "live_full"
    sessions.stay(mate)
    sessions.stay(names[2])


def test_no_more_networks_are_remembered_than_a_few() -> None:
    sessions, _, _ = held_by_two_networks()
    assert {refused(sessions, f"192.0.2.{number}") for number in range(2 * MAX_NETWORKS)} == {"live_full"}
    assert len(sessions._waiting) == MAX_NETWORKS  # nothing else tells of it


def test_frames_lead_to_advice() -> None:
    sessions, clock, trackers = opened()
    name = seated(sessions)
    for number in range(20):
        clock.now = number / 10
        advice = look(sessions, name)
    assert advice.phase is Phase.MOVE
    assert advice.instruction is not None
    assert len(trackers[0].sizes) == 20
    ended = sessions.end(name)
    assert len(ended["goals"]) == 1
    assert sessions.end(name) == {"goals": []}


def test_one_request_of_a_visitor_is_answered_at_a_time() -> None:
    sessions, _, trackers = opened()
    name = seated(sessions)
    trackers[0].go_on.clear()
    thread = threading.Thread(target=lambda: look(sessions, name))
    thread.start()
    assert trackers[0].looking.wait(30)
    with pytest.raises(BadInputError) as caught:
        look(sessions, name)
    assert code_of(caught) == "live_busy"
    trackers[0].go_on.set()
    thread.join(30)
    look(sessions, name)


def test_goals_come_before_the_first_frame_and_are_not_many() -> None:
    sessions, _, _ = opened()
    name = sessions.begin()
    with pytest.raises(BadInputError) as caught:
        look(sessions, name)
    assert code_of(caught) == "live_no_goal"
    with sessions.holding(name) as session:
        for number in range(MAX_GOALS):
            session.demand_room()
            assert session.add_goal(GOAL) == number + 1
        with pytest.raises(BadInputError) as caught:
            session.demand_room()
    assert code_of(caught) == "live_many_goals"
    other = seated(sessions)
    look(sessions, other)
    with sessions.holding(other) as session, pytest.raises(BadInputError) as caught:
        session.demand_room()
    assert code_of(caught) == "live_many_goals"


def test_a_name_that_nobody_was_given_has_no_session() -> None:
    sessions, _, _ = opened()
    for name in ("", "x", "\ud800"):
        with pytest.raises(BadInputError) as caught:
            sessions.stay(name)
        assert code_of(caught) == "live_gone"
