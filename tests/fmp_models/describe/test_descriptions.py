"""Training texts of a room: true of the joints and the objects, long enough, the same plan in every language."""

import os
import subprocess
import sys
from statistics import mean

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fmp_models.data.statistics import broken_rules
from fmp_models.describe.descriptions import describe_in_scene
from fmp_models.errors import BadInputError
from fmp_models.geometry.content_selection import Elaboration, ElaborationKind, landmark_agrees
from fmp_models.geometry.landmarks import Bearing, Landmark, sights, still_faced
from fmp_models.geometry.lexicon import Clause, Direction, Part, Relation, Side
from fmp_models.geometry.likenesses import ANALOGIES, IMPLIED, PoseFeatures
from fmp_models.geometry.verdicts import agrees
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_plan
from fmp_models.pose import INDEX, Pose, PosePair
from tests.bodies import Arm, Body, Leg, bodies, random_pairs
from tests.nonempty import nonempty

KINDS = sorted(grammar("en").scene.objects)
HIPS_AT = (0.0, 0.0, 4.0)


def placed(body: Body, at: tuple[float, float, float] = HIPS_AT) -> Pose:
    return body.pose(placed=True, at=at)


coordinates = st.floats(-3, 3, allow_nan=False, width=32)
places = st.builds(lambda x, y, z: (x, y, z + 4), coordinates, coordinates, coordinates)
objects = st.builds(Landmark, st.sampled_from(KINDS), places, st.floats(0.05, 1.0))
rooms = st.lists(objects, max_size=9)
steps = st.builds(lambda x, z: (x, 0.0, 4 + z), st.floats(-0.6, 0.6), st.floats(-0.6, 0.6))
pairs = st.builds(lambda a, b, at: PosePair(placed(a), placed(b, at)), bodies, bodies, steps)
seeds = st.integers(0, 10_000)


@settings(deadline=None)
@given(pairs, rooms, seeds)
def test_everything_said_is_true_and_the_same_in_every_language(
    pair: PosePair, room: list[Landmark], seed: int
) -> None:
    descriptions = describe_in_scene(pair, room, seed)
    assert set(descriptions) == set(LANGUAGES)
    assert len({(description.clauses, description.elaborations) for description in descriptions.values()}) == 1
    description = descriptions["en"]
    assert all(agrees(clause, pair) is True for clause in description.clauses)
    for entry in description.elaborations:
        assert entry.clause is None or entry.clause in description.clauses


@settings(deadline=None)
@given(pairs, rooms, seeds)
def test_a_landmark_that_is_named_lies_there_and_is_the_only_one_of_its_kind(
    pair: PosePair, room: list[Landmark], seed: int
) -> None:
    entries = describe_in_scene(pair, room, seed)["en"].elaborations
    named = [entry for entry in entries if entry.kind is ElaborationKind.LANDMARK]
    assume(named)
    for entry in nonempty(named):
        assert landmark_agrees(entry, pair, room)
        assert sum(landmark.kind == entry.landmark for landmark in room) == 1


@settings(deadline=None)
@given(pairs, rooms, seeds)
def test_a_text_keeps_the_writing_rules_and_reads_back_as_its_plan(
    pair: PosePair, room: list[Landmark], seed: int
) -> None:
    for code, description in nonempty(describe_in_scene(pair, room, seed).items()):
        assert broken_rules(description.text) == ()
        assert "{" not in description.text
        assert "  " not in description.text
        assert sorted(read_plan(description.text, grammar(code))) == sorted(description.clauses)


@settings(deadline=None)
@given(pairs, rooms, seeds)
def test_a_seed_gives_the_same_texts_again(pair: PosePair, room: list[Landmark], seed: int) -> None:
    assert describe_in_scene(pair, room, seed) == describe_in_scene(pair, room, seed)


def test_another_process_writes_the_same_bytes() -> None:
    lines = (
        "import sys",
        "from tests.bodies import random_pairs",
        "from fmp_models.describe.descriptions import describe_in_scene",
        "found = describe_in_scene(random_pairs(1, 4)[0], [], 9)",
        "sys.stdout.buffer.write('\\n'.join(found[code].text for code in ('en', 'hi')).encode())",
    )
    here = describe_in_scene(random_pairs(1, 4)[0], [], 9)
    there = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "5"},
    )
    assert there.stdout.decode() == "\n".join(here[code].text for code in ("en", "hi"))


def test_seeds_vary_words_clauses_and_additions() -> None:
    pair = random_pairs(1, 8, least=0.2)[0]
    descriptions = [describe_in_scene(pair, [], seed)["en"] for seed in range(12)]
    assert len({description.text for description in descriptions}) == 12
    assert len({description.clauses for description in descriptions}) > 4
    assert len({description.elaborations for description in descriptions}) > 2


def test_a_tiny_change_and_none_at_all_still_make_whole_texts() -> None:
    still = placed(Body())
    nudged = placed(Body(left_arm=Arm(lift=9)))
    for target in (still, nudged):
        for description in nonempty(describe_in_scene(PosePair(still, target), [], 3).values()):
            assert broken_rules(description.text) == ()
            assert all(agrees(clause, PosePair(still, target)) for clause in description.clauses)


def test_texts_are_about_as_long_as_the_papers() -> None:
    texts = [describe_in_scene(pair, [], seed)["en"].text for seed, pair in enumerate(random_pairs(60, 2, least=0.15))]
    assert 40 < mean(len(text.split()) for text in texts) < 60


def test_a_landmark_without_words_is_refused() -> None:
    with pytest.raises(BadInputError, match="no words for the landmark “dragon”"):
        describe_in_scene(REACH, [Landmark("dragon", (0.0, 0.0, 2.0), 0.3)], 1)


REACH = PosePair(placed(Body()), placed(Body(right_arm=Arm(lift=90, swing=90, bend=0))))
FORWARD = Clause(Side.RIGHT, Part.HAND, Direction.FORWARD)
# A person at the origin of the room who faces the camera looks towards smaller z; their right is smaller x.
AHEAD = Landmark("sofa", (-0.2, 0.0, 2.0), 0.3)
BEHIND = Landmark("lamp", (-0.2, 0.0, 7.0), 0.3)
BESIDE = Landmark("door", (3.0, 0.0, 4.0), 0.3)


def test_what_lies_ahead_is_gone_towards_and_what_lies_behind_away_from() -> None:
    bearings = {sight.kind: sight.bearing for sight in sights(FORWARD, REACH, [AHEAD, BEHIND, BESIDE])}
    assert bearings == {"sofa": Bearing.TOWARDS, "lamp": Bearing.AWAY}


def test_two_of_a_kind_are_never_named() -> None:
    twin = Landmark("sofa", (2.0, 0.0, 5.0), 0.3)
    assert sights(FORWARD, REACH, [AHEAD, twin]) == []
    entry = Elaboration(ElaborationKind.LANDMARK, Bearing.TOWARDS, FORWARD, Side.RIGHT, "sofa")
    assert landmark_agrees(entry, REACH, [AHEAD])
    assert not landmark_agrees(entry, REACH, [AHEAD, twin])


def test_poses_without_a_common_room_name_no_object() -> None:
    apart = PosePair(Pose(REACH.current.joints, np.ones(20)), Pose(REACH.target.joints, np.ones(20)))
    assert sights(FORWARD, apart, [AHEAD]) == []
    assert still_faced(apart, [AHEAD]) == []


def test_a_part_that_is_carried_the_other_way_goes_towards_nothing() -> None:
    carried = PosePair(REACH.current, placed(Body(right_arm=Arm(lift=90, swing=90, bend=0)), (0.0, 0.0, 5.5)))
    assert sights(FORWARD, carried, [AHEAD, BEHIND]) == []


@pytest.mark.parametrize("degrees", [60, -60])
def test_a_turn_faces_what_it_ends_at(degrees: float) -> None:
    pair = PosePair(placed(Body()), placed(Body(yaw=degrees)))
    way = Direction.TURN_LEFT if degrees > 0 else Direction.TURN_RIGHT
    sideways = 1.0 if degrees > 0 else -1.0
    window = Landmark("window", (sideways * 3 * np.sin(np.pi / 3), 0.0, 4 - 3 * np.cos(np.pi / 3)), 0.4)
    opposite = Landmark("mirror", (-window.place[0], 0.0, 8 - window.place[2]), 0.4)
    turn = Clause(Side.NONE, Part.BODY, way)
    bearings = {sight.kind: sight.bearing for sight in sights(turn, pair, [window, opposite, AHEAD])}
    assert bearings == {"window": Bearing.FACING, "mirror": Bearing.BACK}
    facing = Elaboration(ElaborationKind.LANDMARK, Bearing.FACING, turn, Side.NONE, "window")
    assert landmark_agrees(facing, pair, [window])
    assert not landmark_agrees(facing, pair.swapped, [window])
    assert not landmark_agrees(
        Elaboration(ElaborationKind.LANDMARK, Bearing.BACK, turn, Side.NONE, "window"), pair, [window]
    )


def test_a_straight_arm_points_at_what_it_is_in_line_with() -> None:
    up = Clause(Side.RIGHT, Part.ARM, Direction.UP, relations=(Relation.IN_FRONT,))
    assert [sight.bearing for sight in sights(up, REACH, [AHEAD])] == [Bearing.POINTING]
    entry = Elaboration(ElaborationKind.LANDMARK, Bearing.POINTING, up, Side.RIGHT, "sofa")
    assert landmark_agrees(entry, REACH, [AHEAD])
    assert not landmark_agrees(entry, REACH, [Landmark("sofa", BESIDE.place, 0.3)])


@settings(deadline=None)
@given(pairs, objects)
def test_up_and_down_go_towards_no_object(pair: PosePair, landmark: Landmark) -> None:
    for way in (Direction.UP, Direction.DOWN):
        for part in (Part.HAND, Part.LEG, Part.FOREARM):
            assert sights(Clause(Side.LEFT, part, way), pair, [landmark]) == []


def holds(name: str, body: Body, side: str = "left") -> bool:
    likeness = next(one for one in (*IMPLIED, *ANALOGIES) if one.name == name)
    return likeness.holds(PoseFeatures(placed(body).joints), side)


OUT = Arm(lift=90, swing=0, bend=0)
AT_FRONT = Arm(lift=90, swing=90, bend=0)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("airplane", Body(left_arm=OUT, right_arm=OUT)),
        ("stop", Body(left_arm=AT_FRONT)),
        ("sleepwalker", Body(left_arm=AT_FRONT, right_arm=AT_FRONT)),
        ("goal", Body(left_arm=Arm(lift=172, bend=0), right_arm=Arm(lift=172, bend=0))),
        ("ceiling", Body(left_arm=Arm(lift=172, bend=0))),
        ("flamingo", Body(left_leg=Leg(lift=80, bend=110))),
        ("kick", Body(left_leg=Leg(lift=60, bend=3))),
        ("bowing", Body(pitch=40)),
        ("sitting down", Body(pitch=25, left_leg=Leg(lift=60, bend=80), right_leg=Leg(lift=60, bend=80))),
        ("attention", Body(left_leg=Leg(lift=0, bend=0), right_leg=Leg(lift=0, bend=0))),
        ("elbow level with shoulder", Body(left_arm=OUT)),
        ("arm in line", Body(left_arm=OUT)),
        ("balance on leg", Body(left_leg=Leg(lift=60, bend=80))),
        ("chest to floor", Body(pitch=60)),
        ("back upright", Body()),
    ],
)
def test_a_likeness_knows_its_figure(name: str, body: Body) -> None:
    assert holds(name, body)
    other = Body(pitch=20, left_arm=Arm(lift=40, swing=60, bend=50), right_arm=Arm(lift=40, swing=60, bend=50))
    assert not holds(name, other)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("hips closer to floor", Body(left_leg=Leg(lift=70, bend=100))),  # one foot is lifted; nobody sinks
        ("feet below hips", Body(left_leg=Leg(lift=85, bend=5), right_leg=Leg(lift=85, bend=5))),  # sits on the floor
        ("elbow behind back", Body(pitch=70)),  # the shoulders are far forward, not the elbows behind
        ("knee over foot", Body()),
    ],
)
def test_a_likeness_does_not_hold_of_a_figure_that_its_words_would_be_false_of(name: str, body: Body) -> None:
    assert not holds(name, body)


@given(bodies)
def test_implied_heights_are_heights_in_the_picture(body: Body) -> None:
    joints = placed(body).joints
    heights = (
        ("hand above elbow", "left_wrist", "left_elbow"),
        ("hand below elbow", "left_elbow", "left_wrist"),
        ("hand above shoulder", "left_wrist", "left_shoulder"),
        ("hand higher than head", "left_wrist", "head"),
    )
    implied = [(upper, lower) for name, upper, lower in heights if holds(name, body)]
    assume(implied)
    for upper, lower in nonempty(implied):
        assert joints[INDEX[upper], 1] < joints[INDEX[lower], 1] - 0.08


@settings(deadline=None)
@given(pairs, seeds)
def test_an_implied_movement_is_new_in_the_target(pair: PosePair, seed: int) -> None:
    entries = [e for e in describe_in_scene(pair, [], seed)["en"].elaborations if e.kind is ElaborationKind.IMPLIED]
    assume(entries)
    before, after = PoseFeatures(pair.current.joints), PoseFeatures(pair.target.joints)
    for entry in nonempty(entries):
        likeness = next(one for one in IMPLIED if one.name == entry.name)
        sides = ("left", "right") if entry.side in {Side.BOTH, Side.NONE} else (entry.side.value,)
        assert any(likeness.holds(after, side) for side in sides)
        assert not any(likeness.holds(before, side) for side in sides)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_words_for_everything(code: str) -> None:
    scene = grammar(code).scene
    assert sorted(scene.objects) == KINDS
    assert len(KINDS) == 45
    assert {likeness.name for likeness in ANALOGIES} == set(scene.analogies)
    assert {likeness.name for likeness in IMPLIED} == set(scene.implied)
    assert {*scene.bearings, *scene.bearings_alone} == set(Bearing)
    english = grammar("en").scene.analogies
    assert {name: len(phrases) for name, phrases in scene.analogies.items()} == {
        name: len(phrases) for name, phrases in english.items()
    }
