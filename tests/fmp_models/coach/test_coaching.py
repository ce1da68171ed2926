"""What a person is told from frame to frame, until they hold the pose, and the plot of their course."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.coach.coaching import (
    COURSE_ROWS,
    DEFAULT_HOLD_SECONDS,
    REPEAT,
    Advice,
    Coach,
    Course,
    Nearness,
    Phase,
    SpokenCue,
    Tolerance,
    distances,
)
from fmp_models.geometry.lexicon import Part, Side, joints_left_out
from fmp_models.pose import INDEX, JOINTS
from tests.bodies import Arm, Body, Leg, bodies
from tests.exercises import FEET, RATE, exercise, tracked
from tests.nonempty import nonempty
from tests.thoroughness import one_of, thorough

STANDING = Body()
WIDE = Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90))
KNEE = Body(right_leg=Leg(lift=70, bend=80))
STEP = 1 / RATE


def advices_of(coach: Coach, *way: Body, **how: float) -> list[Advice]:
    """Return the coach's output for the frames of an exercise."""
    return [coach.update(at, person) for at, person in exercise(*way, **how)]  # type: ignore[arg-type]


def sayings(advices: list[Advice]) -> list[SpokenCue]:
    return [saying for advice in advices for saying in advice.sayings]


def held(coach: Coach, body: Body, start: float, seconds: float, **how: float) -> list[Advice]:
    """Standing still in a body from a moment on."""
    frames = exercise(body, still=seconds, **how)  # type: ignore[arg-type]
    return [coach.update(start + at, person) for at, person in frames]


@pytest.fixture(scope="module")
def arms_raised() -> tuple[Coach, list[Advice]]:
    """Run a whole exercise of one pose; return the coach and its output."""
    coach = Coach([WIDE.pose()])
    return coach, advices_of(coach, STANDING, WIDE, still=5.0)


def test_an_exercise_goes_from_the_instruction_over_holding_to_its_end(
    arms_raised: tuple[Coach, list[Advice]],
) -> None:
    coach, advices = arms_raised
    assert sayings(advices) == [SpokenCue.MOVE, SpokenCue.HOLD, SpokenCue.DONE]
    assert [phase for phase, then in pairwise([*[a.phase for a in advices], None]) if phase != then] == [
        Phase.NOBODY,
        Phase.MOVE,
        Phase.HOLD,
        Phase.DONE,
    ]
    holding = [advice for advice in advices if advice.phase is Phase.HOLD]
    assert len(holding) == pytest.approx(DEFAULT_HOLD_SECONDS * RATE, abs=2)
    assert [advice.held for advice in holding] == sorted(advice.held for advice in holding)
    assert coach.summary()[0]["seconds"] == pytest.approx(6.9, abs=0.8)


def test_arms_that_plainly_move_are_what_is_asked_for() -> None:
    advices = advices_of(Coach([WIDE.pose()]), STANDING)
    asked = [advice.instruction for advice in advices if advice.instruction]
    assert {clause.part_name for clause in asked} == {"both arms"}


def test_a_part_that_arrives_is_praised_and_the_next_one_asked_for() -> None:
    both = Body(left_arm=Arm(lift=170), right_arm=Arm(lift=170), right_leg=Leg(lift=70, bend=80))
    arms = Body(left_arm=Arm(lift=170), right_arm=Arm(lift=170))
    advices = advices_of(Coach([both.pose()]), STANDING, arms, both, still=4.0, moving=1.0)
    assert sayings(advices) == [SpokenCue.MOVE, SpokenCue.PRAISE, SpokenCue.MOVE, SpokenCue.HOLD, SpokenCue.DONE]


PRAYER = Body(left_arm=Arm(lift=35, swing=60, bend=115, roll=60), right_arm=Arm(lift=35, swing=60, bend=115, roll=60))
HALFWAY = Body(left_arm=Arm(lift=35, swing=60, bend=30, roll=60), right_arm=Arm(lift=35, swing=60, bend=30, roll=60))


def test_a_movement_of_several_parts_is_said_once_and_praised_when_all_of_it_is_done() -> None:
    goal = PRAYER.change(right_leg=KNEE.right_leg)
    advices = advices_of(Coach([goal.pose()]), STANDING, HALFWAY, PRAYER, goal, still=2.5, moving=1.0)
    steps = [advice.step for advice in advices if SpokenCue.MOVE in advice.sayings]
    assert [step.movement.key for step in steps if step] == ["palms_chest", "lift_knee"]
    assert sayings(advices) == [SpokenCue.MOVE, SpokenCue.PRAISE, SpokenCue.MOVE, SpokenCue.HOLD]


def test_when_one_arm_has_arrived_the_other_one_is_asked_for_alone() -> None:
    left = Body(left_arm=Arm(lift=90))
    advices = advices_of(Coach([WIDE.pose()]), STANDING, left, WIDE, still=3.0)
    steps = [advice.step for advice in advices if SpokenCue.MOVE in advice.sayings]
    assert [step.movement.side for step in steps if step] == [Side.BOTH, Side.RIGHT]
    assert SpokenCue.PRAISE not in sayings(advices)


@thorough
def test_without_progress_the_instruction_is_said_again_after_six_seconds() -> None:
    coach = Coach([WIDE.pose()])
    spoken = [at for at, person in exercise(STANDING, still=14.0) if SpokenCue.MOVE in coach.update(at, person).sayings]
    assert len(spoken) == 3
    assert all(later - earlier == pytest.approx(REPEAT, abs=2 * STEP) for earlier, later in pairwise(spoken))


def test_a_person_who_leaves_the_pose_holds_it_anew() -> None:
    coach = Coach([WIDE.pose()])
    advices = advices_of(coach, WIDE, STANDING, WIDE, still=2.0, moving=1.0)
    advices += held(coach, WIDE, 8.0, 2.5)
    assert sayings(advices).count(SpokenCue.HOLD) == 2
    assert sayings(advices)[-1] is SpokenCue.DONE
    assert not any(advice.phase is Phase.DONE for advice in advices[: round(7 * RATE)])


def test_poses_that_are_held_shortly_flow_into_one_another() -> None:
    coach = Coach([STANDING.pose(), WIDE.pose()], hold=1.0)
    advices = held(coach, STANDING, 0.0, 4.0)
    assert sayings(advices)[:3] == [SpokenCue.HOLD, SpokenCue.REACHED, SpokenCue.NEXT]
    reached, following = (
        next(at for at, advice in enumerate(advices) if one in advice.sayings)
        for one in (SpokenCue.REACHED, SpokenCue.NEXT)
    )
    assert sum(advice.phase is Phase.HOLD for advice in advices) == pytest.approx(1.0 * RATE, abs=2)
    assert (following - reached) / RATE == pytest.approx(1.0, abs=2 * STEP)


def test_after_a_new_pose_is_named_no_instruction_is_said_for_a_moment() -> None:
    coach = Coach([STANDING.pose(), WIDE.pose()], hold=1.0)
    frames = [(at, coach.update(at, person)) for at, person in exercise(STANDING, still=8.0)]
    named, told = (
        next(at for at, one in frames if saying in one.sayings) for saying in (SpokenCue.NEXT, SpokenCue.MOVE)
    )
    assert told - named >= 2.5 - STEP


def test_a_goal_can_be_begun_before_those_before_it_are_reached_and_once_more() -> None:
    coach = Coach([WIDE.pose(), KNEE.pose(), STANDING.pose()], hold=1.0)
    held(coach, STANDING, 0.0, 2.0)
    coach.go_to(2)
    last = held(coach, STANDING, 2.0, 3.0)[-1]
    assert (last.goal, last.phase) == (2, Phase.DONE)
    coach.go_to(0)
    again = held(coach, STANDING, 5.0, 1.0)[-1]
    assert (again.goal, again.phase) == (0, Phase.MOVE)
    assert [goal["goal"] for goal in coach.summary() if goal["seconds"] is not None] == [2]
    for number in (-1, 3):
        with pytest.raises(ValueError, match="no goal"):
            coach.go_to(number)


def test_somebody_who_comes_near_is_told_so_until_the_pose_is_held(arms_raised: tuple[Coach, list[Advice]]) -> None:
    _, advices = arms_raised
    way = [advice.nearness for advice in advices if advice.phase is Phase.MOVE]
    assert way[0] < 0.2
    assert way[-1] > 0.7
    assert way == sorted(way)
    assert {advice.nearness for advice in advices if advice.phase is Phase.HOLD} == {1.0}


def test_a_pause_is_not_held() -> None:
    coach = Coach([WIDE.pose()])
    held(coach, WIDE, 0.0, 2.0)
    again = coach.update(60.0, tracked(WIDE.pose()))
    assert again.phase is Phase.MOVE
    assert again.seconds < 3
    assert held(coach, WIDE, 60.0 + STEP, 4.5)[-1].phase is Phase.DONE


def test_the_clock_stands_while_nobody_is_there() -> None:
    coach = Coach([WIDE.pose()])
    before = advices_of(coach, STANDING)[-1]
    away = [coach.update(2.0 + n * STEP, None) for n in range(round(8 * RATE))]
    assert sayings(away) == [SpokenCue.NOBODY]
    assert away[-1].phase is Phase.NOBODY
    assert away[-1].instruction is away[-1].drawn is None
    back = held(coach, STANDING, 10.0, 2.0)
    assert back[-1].phase is Phase.MOVE
    assert back[-1].seconds - before.seconds < 4.5


@thorough
def test_a_person_who_leaves_out_the_legs_is_told_of_none_and_may_hide_them() -> None:
    """A wheelchair user before a goal of somebody who stands with raised arms."""
    seated = Body(left_leg=Leg(lift=88, bend=92), right_leg=Leg(lift=88, bend=92))
    raised = seated.change(left_arm=WIDE.left_arm, right_arm=WIDE.right_arm)
    coach = Coach([WIDE.pose().without(joints_left_out(["legs"]))])
    advices = [
        coach.update(at, tracked(person.pose, [*FEET, "left_knee", "right_knee"]))
        for at, person in exercise(seated, raised, still=5.0)
    ]
    assert {advice.outside for advice in advices} == {None}
    told = {clause.part for advice in advices for clause in (*advice.off, advice.instruction, advice.covered) if clause}
    assert told <= {Part.ARM, Part.FOREARM, Part.HAND, Part.ELBOW}
    assert sayings(advices) == [SpokenCue.MOVE, SpokenCue.HOLD, SpokenCue.DONE]
    assert {advice.distances["legs"] for advice in advices if advice.distances} == {0.0}


def test_feet_outside_the_picture_are_asked_for_and_nothing_is_done_without_them() -> None:
    coach = Coach([WIDE.pose()])
    advices = [coach.update(n * STEP, tracked(WIDE.pose(), FEET)) for n in range(round(9 * RATE))]
    assert SpokenCue.UNSEEN in sayings(advices)
    assert sayings(advices).count(SpokenCue.UNSEEN) == 1
    assert advices[-1].outside == "feet"
    assert advices[-1].phase is Phase.MOVE
    assert held(coach, WIDE, 9.0, 5.0)[-1].phase is Phase.DONE


@thorough
def test_goals_are_taken_one_after_the_other() -> None:
    coach = Coach([WIDE.pose(), KNEE.pose()])
    advices = advices_of(coach, STANDING, WIDE, KNEE, still=4.5)
    heard = sayings(advices)
    assert [one for one in heard if one not in {SpokenCue.MOVE, SpokenCue.PRAISE}] == [
        SpokenCue.HOLD,
        SpokenCue.REACHED,
        SpokenCue.NEXT,
        SpokenCue.HOLD,
        SpokenCue.DONE,
    ]
    assert [advice.goal for advice in advices] == sorted(advice.goal for advice in advices)
    summary = coach.summary()
    assert [goal["seconds"] is not None for goal in summary] == [True, True]


def test_the_summary_tells_how_far_each_part_was_over_time(arms_raised: tuple[Coach, list[Advice]]) -> None:
    coach, _ = arms_raised
    (goal,) = coach.summary()
    assert goal["times"] == sorted(goal["times"])
    assert {len(values) for values in goal["rows"].values()} == {len(goal["times"])}
    assert goal["rows"]["arms"][0] > 20
    assert goal["rows"]["arms"][-1] < 12
    assert max(goal["rows"]["legs"]) < 15


def test_the_best_moment_is_the_nearest_one() -> None:
    coach = Coach([WIDE.pose()])
    every = advices_of(coach, STANDING, WIDE, STANDING, still=0.5, moving=1.5)
    advices = [advice for advice in every if advice.distances]
    last = [advice for advice in advices if advice.best][-1]
    assert sum(last.distances.values()) == pytest.approx(min(sum(a.distances.values()) for a in advices), abs=1.5)


def test_a_strict_coach_sees_what_an_easy_one_lets_pass() -> None:
    nearly = Body(left_arm=Arm(lift=68), right_arm=Arm(lift=90))
    phases = {}
    for tolerance in Tolerance:
        coach = Coach([WIDE.pose()])
        frames = exercise(nearly, still=3.0, noise=0.3)
        phases[tolerance] = [coach.update(at, person, tolerance) for at, person in frames][-1].phase
    assert phases[Tolerance.STRICT] is Phase.MOVE
    assert phases[Tolerance.EASY] is Phase.HOLD


def test_the_ghost_of_a_pose_that_is_reached_lies_on_the_person() -> None:
    coach = Coach([WIDE.pose()])
    advice = advices_of(coach, WIDE, noise=0.0)[-1]
    assert advice.drawn is not None
    assert advice.drawn.ghost is not None
    assert np.abs(advice.drawn.ghost - advice.drawn.places).max() < 0.02


@given(body=bodies, goal=bodies)
def test_any_body_before_any_goal_gets_advice_that_can_be_drawn(body: Body, goal: Body) -> None:
    coach = Coach([goal.pose()])
    for n in range(8):
        advice = coach.update(n * 0.2, tracked(body.pose()))
    assert advice.drawn is not None
    ghost = advice.drawn.ghost
    assert ghost is not None
    assert np.isfinite(ghost).all()
    # The ghost stands where the person stands: its lowest joint on their floor.
    feet = [INDEX[f"{side}_{name}"] for side in ("left", "right") for name in ("ankle", "foot")]
    assert ghost[:, 1].max() == pytest.approx(advice.drawn.places[feet, 1].max(), abs=1e-6)


def test_an_exercise_without_a_goal_is_refused() -> None:
    with pytest.raises(ValueError, match="goal"):
        Coach([])


def test_a_person_who_leaves_between_two_poses_goes_on_with_the_next_one() -> None:
    coach = Coach([WIDE.pose(), KNEE.pose()])
    reached = held(coach, WIDE, 0.0, 5.0)
    assert reached[-1].phase is Phase.REACHED
    away = [coach.update(5.0 + n * STEP, None) for n in range(round(2 * RATE))]
    assert away[-1].phase is Phase.NOBODY
    back = held(coach, KNEE, 7.0, 8.0)
    assert sayings(back)[0] is SpokenCue.NEXT
    assert back[-1].phase is Phase.DONE
    assert [(goal["goal"], goal["seconds"] is not None) for goal in coach.summary()] == [(0, True), (1, True)]


@pytest.mark.parametrize("seconds", one_of([10, 20]))
def test_only_frames_that_show_the_pose_count_as_held(seconds: int) -> None:
    coach = Coach([WIDE.pose()])
    for n in range(round(seconds * RATE)):  # half of them in the pose, which would be enough
        # In the pose for 0.6 seconds and out of it for as long.
        body = WIDE if (n // 7) % 2 == 0 else STANDING
        advice = coach.update(n * STEP, tracked(body.pose()))
    assert advice.phase is not Phase.DONE

    coach = Coach([WIDE.pose()])
    held(coach, WIDE, 0.0, 3.0)
    away = [coach.update(3.0 + n * STEP, None) for n in range(round(0.9 * RATE))]
    assert coach.update(4.0, tracked(STANDING.pose())).phase is not Phase.DONE
    assert {advice.phase for advice in away} == {Phase.HOLD}
    assert away[-1].held == away[0].held


@thorough
@given(misses=st.lists(st.booleans(), min_size=60, max_size=90))
def test_the_ring_is_never_less_than_empty_or_more_than_full(misses: list[bool]) -> None:
    coach = Coach([WIDE.pose()])
    person = tracked(WIDE.pose())
    for n, missed in enumerate(nonempty(misses)):
        advice = coach.update(n * STEP, None if missed else person)
        assert 0 <= advice.held <= 1


def test_frames_that_now_and_then_miss_the_person_do_not_keep_the_coach_waiting() -> None:
    coach = Coach([WIDE.pose()])
    person = tracked(STANDING.pose())
    advices = [coach.update(n * STEP, None if n % 5 == 4 else person) for n in range(round(3 * RATE))]
    assert advices[-1].phase is Phase.MOVE
    assert all(advice.drawn is not None for advice in advices)


def test_a_slow_connection_is_coached_as_well() -> None:
    coach = Coach([WIDE.pose()])
    advices = [coach.update(n * 1.6, tracked(STANDING.pose())) for n in range(6)]
    assert advices[-1].instruction is not None


@thorough
@pytest.mark.parametrize("lift", [71, 72, 73, 74, 75])
def test_a_limb_at_the_edge_of_the_tolerance_does_not_flicker(lift: float) -> None:
    coach = Coach([WIDE.pose()])
    still = Body(left_arm=Arm(lift=lift), right_arm=Arm(lift=90))
    shown = [coach.update(at, person).off for at, person in exercise(still, still=10.0)]
    assert sum(before != after for before, after in pairwise(shown)) <= 6


@thorough
def test_a_pause_is_no_want_of_progress() -> None:
    both = Body(left_arm=Arm(lift=170), right_arm=Arm(lift=170), right_leg=Leg(lift=70, bend=80))
    coach = Coach([both.pose()])
    before = held(coach, STANDING, 0.0, 3.0)[-1].instruction
    assert before is not None
    assert {advice.instruction for advice in held(coach, STANDING, 60.0, 3.0)} == {before}


def test_where_the_feet_are_not_in_the_picture_nobody_is_told_to_hold_the_pose() -> None:
    coach = Coach([WIDE.pose()])
    advices = [coach.update(n * STEP, tracked(WIDE.pose(), FEET)) for n in range(round(3 * RATE))]
    assert SpokenCue.HOLD not in sayings(advices)


@thorough
def test_stepping_back_is_asked_for_alone() -> None:
    coach = Coach([WIDE.pose()])
    spoken = [
        (n * STEP, advice.sayings)
        for n in range(round(8 * RATE))
        if (advice := coach.update(n * STEP, tracked(STANDING.pose(), FEET))).sayings
    ]
    assert all(len(together) == 1 for _, together in spoken)
    assert all(later - earlier >= 0.8 for (earlier, _), (later, _) in pairwise(spoken))


def still(coach: Coach, body: Body, seconds: float, **how: list[str]) -> list[Advice]:
    """Standing still in a body of which something is not seen."""
    frames = enumerate(exercise(body, still=seconds))
    return [coach.update(number / RATE, tracked(person.pose, **how)) for number, (_, person) in frames]


def test_an_arm_that_is_covered_is_not_said_to_be_well() -> None:
    advices = still(Coach([STANDING.pose()]), STANDING, 5.0, covered=["left_elbow", "left_wrist", "left_hand"])
    assert sayings(advices) == [SpokenCue.HOLD, SpokenCue.COVERED, SpokenCue.DONE]
    covered_limbs = [advice.covered for advice in advices if advice.covered is not None]
    assert {(clause.side, clause.part) for clause in covered_limbs} == {(Side.LEFT, Part.ARM)}
    assert advices[-1].covered is None


@thorough
def test_what_the_goal_does_not_show_either_is_no_matter() -> None:
    joints = ["left_elbow", "left_wrist", "left_hand"]
    goal = tracked(STANDING.pose(), covered=joints).pose
    assert sayings(still(Coach([goal]), STANDING, 5.0, covered=joints)) == [SpokenCue.HOLD, SpokenCue.DONE]


def test_while_something_is_off_that_alone_is_told() -> None:
    advices = still(Coach([KNEE.pose()]), STANDING, 5.0, covered=["left_elbow", "left_wrist", "left_hand"])
    assert sayings(advices) == [SpokenCue.MOVE]


ARM = ["left_elbow", "left_wrist", "left_hand"]


def covered_from(number: int, *goals: Body, body: Body = STANDING, count: int) -> list[Advice]:
    """Standing still without noise, with an arm that is covered from a frame on."""
    coach = Coach([goal.pose() for goal in goals])
    people = tracked(body.pose()), tracked(body.pose(), covered=ARM)
    return [coach.update(n * STEP, people[n >= number]) for n in range(count)]


@thorough
def test_an_arm_is_not_said_to_be_covered_at_the_moment_when_all_is_done() -> None:
    done = next(n for n, one in enumerate(covered_from(99, STANDING, count=61)) if SpokenCue.DONE in one.sayings)
    for before in range(16, 22):  # so that it has been covered for long just before, then and just after
        last = covered_from(done - before, STANDING, count=done + 1)[-1]
        assert (last.phase, last.covered, last.sayings) == (Phase.DONE, None, (SpokenCue.DONE,))


@thorough
def test_at_a_new_goal_what_is_off_is_told_before_what_is_covered() -> None:
    heard = sayings(covered_from(0, STANDING, WIDE, count=round(12 * RATE)))
    assert heard == [SpokenCue.HOLD, SpokenCue.COVERED, SpokenCue.REACHED, SpokenCue.NEXT, SpokenCue.MOVE]


@thorough
def test_at_a_new_goal_a_limb_has_to_be_covered_for_a_while_again() -> None:
    nearly = Body(left_arm=Arm(lift=2))
    advices = covered_from(0, STANDING, nearly, count=round(12 * RATE))
    spoken = [number * STEP for number, advice in enumerate(advices) if SpokenCue.COVERED in advice.sayings]
    begun = next(number * STEP for number, advice in enumerate(advices) if SpokenCue.NEXT in advice.sayings)
    assert len(spoken) == 2
    assert spoken[1] - begun >= 1.5


@thorough
def test_a_person_who_fidgets_before_the_pose_is_not_told_what_is_covered() -> None:
    coach = Coach([STANDING.pose()])
    fidgeting = [Body(right_arm=Arm(lift=60)), Body(right_leg=Leg(lift=60, bend=60))]
    people = [tracked(body.pose(), covered=ARM) for body in fidgeting]
    advices = [coach.update(n * STEP, people[n // 3 % 2]) for n in range(round(5 * RATE))]
    assert SpokenCue.COVERED not in sayings(advices)
    assert not any(advice.covered for advice in advices)


STANDING_JOINTS = Body().pose().joints
EVERYTHING = np.ones(len(STANDING_JOINTS), dtype=bool)


def apart(centimetres: float) -> dict[str, float]:
    return dict.fromkeys(COURSE_ROWS, centimetres)


@pytest.mark.parametrize(
    ("body", "row"), [(Body(left_arm=Arm(lift=60)), "arms"), (Body(right_leg=Leg(lift=60, bend=60)), "legs")]
)
def test_a_limb_that_is_moved_is_apart_in_its_own_row(body: Body, row: str) -> None:
    by_row = distances(body.pose().joints, STANDING_JOINTS, EVERYTHING)
    assert set(by_row) == set(COURSE_ROWS)
    assert max(by_row, key=by_row.__getitem__) == row
    assert by_row[row] > 5


def test_distances_are_centimetres_of_the_joints_of_a_row_on_mean() -> None:
    moved = STANDING_JOINTS.copy()
    moved[INDEX["left_wrist"], 0] += 0.4
    assert distances(moved, STANDING_JOINTS, EVERYTHING) == {
        "arms": 6.7,
        "legs": 0.0,
        "trunk": 0.0,
        "head": 0.0,
    }  # of six joints


def test_joints_that_are_not_wanted_make_no_distance() -> None:
    wanted = np.array([not name.startswith("left_") for name in JOINTS])
    moved = Body(left_arm=Arm(lift=90), left_leg=Leg(lift=60)).pose().joints
    assert set(distances(moved, STANDING_JOINTS, wanted).values()) == {0.0}
    assert distances(moved, STANDING_JOINTS, np.zeros(20, dtype=bool)) == dict.fromkeys(COURSE_ROWS, 0.0)


def test_points_of_the_plot_are_a_quarter_of_a_second_apart_and_end_after_ten_minutes() -> None:
    course = Course()
    for frame in range(12 * 660):
        course.add(frame / 12, apart(10.0))
    assert len(course.times) == 2400
    assert np.diff(course.times).min() == pytest.approx(0.25, abs=0.011)
    assert {len(values) for values in course.rows.values()} == {len(course.times)}


def test_the_best_moment_is_nearer_than_all_before_also_between_two_points() -> None:
    course = Course()
    moments = [(0.0, 30.0), (0.1, 20.0), (0.2, 20.0), (0.3, 25.0), (0.4, 10.0)]
    assert [course.add(at, apart(centimetres)) for at, centimetres in moments] == [True, True, False, False, True]
    assert course.times == [0.0, 0.3]


def settled(away: float) -> float:
    """How near somebody counts who stands as far away in every row for a while."""
    nearness = Nearness()
    for number in range(40):
        nearness.update(number / 10, apart(away))
    return nearness.share


def test_the_nearer_the_nearer_it_is_shown() -> None:
    shares = [settled(away) for away in range(40, -1, -1)]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(set(shares)) > 10


def test_nearness_does_not_flicker_with_what_is_measured() -> None:
    nearness, dice, shown = Nearness(), np.random.default_rng(3), []
    for number in range(120):
        nearness.update(number / 12, {row: 15 + float(dice.normal(0, 1.5)) for row in COURSE_ROWS})
        shown.append(nearness.share)
    assert sum(one != other for one, other in pairwise(shown[12:])) <= 4
    assert max(shown[12:]) - min(shown[12:]) <= 0.1
