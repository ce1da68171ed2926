from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fmp_models.pose import INDEX, JOINTS, MIRROR
from fmp_models.sim.body import at_rest, embody, faces
from fmp_models.sim.characters import CHARACTERS
from fmp_models.sim.clothes import second_colour
from fmp_models.sim.dressing import DressedBody, bind, bone_heads, dress, spread
from fmp_models.sim.head import LEVELS
from fmp_models.sim.posing import Arm, BodyPose, Leg, Reach, Turn
from tests.nonempty import nonempty
from tests.thoroughness import examples

Array = NDArray[np.float64]

HANGING = Arm(upper=(0.20, -1.0, 0.02), bend=14, crease=(-0.1, 0.0, 1.0), palm=(-1.0, 0.0, 0.0))
RAISED = Arm(upper=(0.25, 1.0, 0.0), bend=40, crease=(-1.0, 0.0, 0.0), palm=(-1.0, 0.0, 0.2))
FIST = Reach(wrist=(0.1, -0.2, 0.5), elbow=(1.0, -1.0, 0.0), palm=(-1.0, 0.0, 0.0))
PLANTED = Leg((0.16, 0.0, 0.02), toes=(0.3, 0.0, 1.0))
LIFTED = Leg((0.10, 0.40, 0.30), sole=(0.0, -0.9, -0.4), toes=(0.0, -0.4, 0.9))
STANDING = BodyPose(0.98, {"L": HANGING, "R": HANGING}, {"L": PLANTED, "R": PLANTED})
TWISTED = BodyPose(
    0.80,
    {"L": RAISED, "R": FIST},
    {"L": Leg((0.3, 0.0, 0.2), knee=(0.6, 0.0, 1.0)), "R": LIFTED},
    pelvis=Turn(10, 5, 10),
    chest=Turn(30, 20, 30),
    head=Turn(-10, 10, 50),
    hip_shift=(0.05, 0.02),
    heading=70,
)
TURNS = st.builds(Turn, st.floats(-20, 40), st.floats(-25, 25), st.floats(-30, 30))
STANCES = st.builds(
    BodyPose,
    hip_height=st.floats(0.5, 0.92),
    arms=st.just({"L": HANGING, "R": RAISED}),
    legs=st.just({"L": PLANTED, "R": PLANTED}),
    pelvis=st.builds(Turn, st.floats(-10, 25), st.floats(-8, 8), st.floats(-15, 15)),
    chest=TURNS,
    head=TURNS,
    hip_shift=st.tuples(st.floats(-0.08, 0.08), st.floats(-0.12, 0.05)),
    heading=st.just(0.0),
)


@functools.cache
def dressed(number: int) -> DressedBody:
    return dress(CHARACTERS[number])


def joint(joints: Array, name: str) -> Array:
    return joints[INDEX[name]]


class TestCharacters:
    def test_are_numbered_from_nought_to_five(self) -> None:
        assert [character.number for character in CHARACTERS] == list(range(6))
        assert len({character.name for character in CHARACTERS}) == 6

    @pytest.mark.parametrize("half", [CHARACTERS[:3], CHARACTERS[3:]], ids=["even rooms", "odd rooms"])
    def test_each_half_of_the_rooms_meets_both_genders_three_ages_and_three_origins(
        self, half: Sequence[object]
    ) -> None:
        for attribute, kinds in (("gender", 2), ("age", 3), ("origin", 3), ("build_words", 3)):
            assert len({getattr(character, attribute) for character in half}) == kinds

    def test_are_as_tall_as_people(self) -> None:
        for character in nonempty(CHARACTERS):
            rest = at_rest(character.build).rest[np.unique(faces("skin"))]
            assert 1.5 < np.ptp(rest[:, 2]) < 1.85, character.name

    def test_no_two_look_alike(self) -> None:
        looks = [(c.looks.style, c.top.cloth.colour, c.bottoms.cloth.colour) for c in CHARACTERS]
        assert len(set(looks)) == 6
        assert any(style in LEVELS for style, _, _ in looks), "somebody has longer hair"
        assert {character.shoes is None for character in CHARACTERS} == {True, False}


class TestSkinning:
    @pytest.mark.parametrize("pose", [STANDING, TWISTED], ids=["standing", "twisted"])
    def test_bare_skin_moves_as_the_body_model_moves_it(self, pose: BodyPose) -> None:
        body, model = at_rest(CHARACTERS[4].build), embody(CHARACTERS[4].build, pose)
        used = np.unique(faces("skin"))
        rotations = body.skeleton.pose(pose)
        binding = bind(body.skeleton, body.rest[used], np.ones((len(used), 3)), body.weights[used])
        points, _ = binding.carry(rotations, bone_heads(body.skeleton, rotations))
        assert np.linalg.norm(points - model.posed[used], axis=1).max() < 0.0015

    def test_normals_stay_unit_and_turn_with_the_body(self) -> None:
        front, turned = (dressed(0).place(replace(STANDING, heading=heading), (0, 0)) for heading in (0.0, 90.0))
        assert np.allclose(np.linalg.norm(front.normals, axis=1), 1, atol=1e-4)
        quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        assert np.allclose(front.normals @ quarter.T, turned.normals, atol=1e-3)
        assert np.allclose(front.points @ quarter.T, turned.points, atol=1e-3)

    def test_spreading_weights_evens_out_neighbours_and_leaves_the_rest(self) -> None:
        square = np.array([[0, 1, 2], [2, 1, 3]])
        weights = np.array([[1, 0], [0, 1], [0, 1], [0, 1]], dtype=np.float32)
        evened_weights = spread(weights, square, 1, np.array([1.0, 1.0, 0.5, 0.0]))
        assert np.allclose(evened_weights, [[0, 1], [1 / 3, 2 / 3], [1 / 6, 5 / 6], [0, 1]], atol=1e-6)


class TestDressing:
    def test_one_mesh_has_a_colour_and_a_gloss_for_every_point(self) -> None:
        body = dressed(0)
        placed = body.place(STANDING, (0, 0))
        count = len(placed.points)
        assert body.colours.shape == placed.normals.shape == (count, 3)
        assert body.gloss.shape == (count,)
        assert body.triangles.min() == 0
        assert body.triangles.max() == count - 1
        assert body.colours.min() >= 0
        assert body.colours.max() <= 1

    def test_dressing_again_gives_the_same_body(self) -> None:
        first, again = dressed(4), dress(CHARACTERS[4])
        assert np.array_equal(first.triangles, again.triangles)
        assert np.array_equal(first.colours, again.colours)
        assert np.array_equal(first.place(TWISTED, (1, 2)).points, again.place(TWISTED, (1, 2)).points)

    def test_limbs_are_as_long_as_the_joints_say(self) -> None:
        body = dressed(4)
        joints = body.place(TWISTED, (0, 0)).joints
        for length, chain in (
            (body.leg_length, ("left_hip", "left_knee", "left_ankle")),
            (body.arm_length, ("right_shoulder", "right_elbow", "right_wrist")),
        ):
            places = [joint(joints, name) for name in chain]
            steps = [float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(places)]
            assert sum(steps) == pytest.approx(length, abs=0.01)


class TestJoints:
    def test_who_looks_along_minus_y_has_their_left_at_plus_x(self) -> None:
        joints = dressed(0).place(STANDING, (0, 0)).joints
        assert joints.shape == (20, 3)
        for name in ("shoulder", "elbow", "wrist", "hand", "hip", "knee", "ankle", "foot"):
            assert joint(joints, f"left_{name}")[0] > 0 > joint(joints, f"right_{name}")[0]
        for side in ("left", "right"):
            assert joint(joints, f"{side}_foot")[1] < joint(joints, f"{side}_ankle")[1] - 0.1

    def test_the_trunk_joints_are_where_the_estimator_puts_them(self) -> None:
        joints = dressed(4).place(TWISTED, (0.3, -0.4)).joints
        hips = (joint(joints, "left_hip") + joint(joints, "right_hip")) / 2
        shoulders = (joint(joints, "left_shoulder") + joint(joints, "right_shoulder")) / 2
        assert np.allclose(joint(joints, "hip"), hips)
        assert np.allclose(joint(joints, "spine"), (hips + shoulders) / 2)
        assert np.allclose(joint(joints, "neck"), 0.8 * shoulders + 0.2 * joint(joints, "head"))

    def test_joints_lie_inside_the_body_that_is_seen(self) -> None:
        placed = dressed(4).place(TWISTED, (0, 0))
        for name, place in nonempty(zip(JOINTS, placed.joints, strict=True)):
            near = placed.points[np.linalg.norm(placed.points - place, axis=1) < 0.25]
            assert (near.min(axis=0) - 0.01 <= place).all(), name
            assert (place <= near.max(axis=0) + 0.01).all(), name

    def test_the_mirrored_pose_has_the_mirrored_joints(self) -> None:
        def swap(turn: Turn) -> Turn:
            return Turn(turn.forward, -turn.side, -turn.round)

        mirrored = replace(
            TWISTED,
            arms={"L": TWISTED.arms["R"], "R": TWISTED.arms["L"]},
            legs={"L": TWISTED.legs["R"], "R": TWISTED.legs["L"]},
            pelvis=swap(TWISTED.pelvis),
            chest=swap(TWISTED.chest),
            head=swap(TWISTED.head),
            hip_shift=(-TWISTED.hip_shift[0], TWISTED.hip_shift[1]),
            heading=-TWISTED.heading,
        )
        joints = dressed(4).place(TWISTED, (0, 0)).joints
        other = dressed(4).place(mirrored, (0, 0)).joints
        assert np.allclose(other, joints[list(MIRROR)] * [-1, 1, 1], atol=0.003)


class TestLook:
    def test_cloth_between_the_legs_does_not_hang_out_below_a_squat(self) -> None:
        deep = Leg((0.25, 0.0, 0.24), knee=(0.45, 0.0, 1.0), toes=(0.35, 0.0, 1.0))
        squat = replace(STANDING, hip_height=0.5, legs={"L": deep, "R": deep}, pelvis=Turn(28), chest=Turn(34))
        placed = dressed(0).place(squat, (0, 0))
        hips = joint(placed.joints, "hip")
        near = placed.points[np.linalg.norm(placed.points - hips, axis=1) < 0.30]
        aside = np.abs(near[:, 0] - hips[0])
        assert near[aside < 0.012, 2].min() > near[np.abs(aside - 0.04) < 0.012, 2].min()


class TestStanding:
    @examples(25)
    @given(STANCES)
    def test_planted_ankles_do_not_slide_when_hips_and_trunk_move(self, pose: BodyPose) -> None:
        body = dressed(0)
        still, moved = body.place(STANDING, (1, 2)).joints, body.place(pose, (1, 2)).joints
        for name in ("left_ankle", "right_ankle"):
            assert np.linalg.norm(joint(moved, name) - joint(still, name)) < 0.005

    @examples(15)
    @given(STANCES, st.floats(-180, 180), st.sampled_from([0, 4]))
    def test_planted_soles_rest_on_the_floor_shod_or_bare(self, pose: BodyPose, heading: float, number: int) -> None:
        placed = dressed(number).place(replace(pose, heading=heading), (0, 0))
        for side in ("left", "right"):
            foot = joint(placed.joints, f"{side}_ankle")[:2]
            below = placed.points[np.linalg.norm(placed.points[:, :2] - foot, axis=1) < 0.15, 2]
            assert below.min() == pytest.approx(0, abs=0.004)

    def test_a_lifted_foot_leaves_the_floor_and_the_other_stays(self) -> None:
        lifted = replace(STANDING, legs={"L": PLANTED, "R": LIFTED})
        joints = dressed(0).place(lifted, (0, 0)).joints
        rise = joint(joints, "right_ankle")[2] - joint(joints, "left_ankle")[2]
        assert rise == pytest.approx(0.40 * dressed(0).leg_length, abs=0.005)

    def test_ankles_stand_where_the_pose_says_whatever_the_heading(self) -> None:
        body = dressed(0)
        for heading, left, forward in ((0.0, (1, 0), (0, -1)), (90.0, (0, 1), (1, 0))):
            pose = replace(STANDING, heading=heading, hip_shift=(0.04, 0.03))
            ankle = joint(body.place(pose, (3, -1)).joints, "left_ankle")[:2]
            want = np.array([3, -1]) + body.leg_length * (0.16 * np.array(left) + 0.02 * np.array(forward))
            assert np.allclose(ankle, want, atol=0.003)

    def test_moving_the_place_moves_everything_alike(self) -> None:
        here, there = (dressed(4).place(TWISTED, at) for at in ((0.0, 0.0), (1.5, -2.0)))
        assert np.allclose(there.points - here.points, [1.5, -2.0, 0.0], atol=1e-5)
        assert np.allclose(there.joints - here.joints, [1.5, -2.0, 0.0])

    def test_a_foot_out_of_reach_is_refused(self) -> None:
        far = replace(STANDING, legs={"L": Leg((1.5, 0.0, 0.0)), "R": PLANTED})
        with pytest.raises(ValueError, match="cannot reach"):
            dressed(0).place(far, (0, 0))


class TestPatterns:
    def test_every_pattern_shows_both_colours_on_a_shirt_or_on_trousers(self) -> None:
        body = at_rest(CHARACTERS[0].build)
        used = np.unique(faces("helper-tights"))
        place, arm = body.rest[used], body.arm_share[used]
        for pattern in ("stripes", "hoops", "check", "dots", "raglan", "side_stripe"):
            share = second_colour(pattern, body.skeleton, place, arm)
            assert share.min() == pytest.approx(0), pattern
            assert share.max() > 0.9, pattern
            assert share.max() < 1.001, pattern

    def test_a_side_stripe_runs_down_the_outside_of_either_leg(self) -> None:
        body = at_rest(CHARACTERS[3].build)
        hip, knee = body.skeleton.at("upperleg01.L"), body.skeleton.at("lowerleg01.L")
        middle = (hip + knee) / 2
        outside, inside = np.add(middle, [0.08, 0, 0]), np.subtract(middle, [0.05, 0, 0])
        place = np.stack([outside, inside, outside * [-1, 1, 1], inside * [-1, 1, 1]])
        assert second_colour("side_stripe", body.skeleton, place, np.zeros(4)).tolist() == [1, 0, 1, 0]

    def test_a_raglan_shirt_has_sleeves_of_the_second_colour(self) -> None:
        body = at_rest(CHARACTERS[0].build)
        place = np.zeros((2, 3))
        assert second_colour("raglan", body.skeleton, place, np.array([0.0, 1.0])).tolist() == [0, 1]
