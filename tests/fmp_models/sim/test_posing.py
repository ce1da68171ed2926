"""Bodies in the poses of the example pictures stand as people do, and a pose means what it says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from demo.examples.render import SHOTS
from fmp_models.sim.body import Body, embody, model
from fmp_models.sim.posing import Arm, BodyPose, Leg, Skeleton, Turn
from tests.nonempty import nonempty
from tests.thoroughness import some

POSES = [(name, which) for name, shot in SHOTS.items() for which in shot.poses]
ON_THE_FLOOR = 0.005  # metres


@pytest.fixture(scope="module")
def bodies() -> dict[tuple[str, str], Body]:
    return {(name, which): embody(SHOTS[name].person.build, SHOTS[name].poses[which]) for name, which in POSES}


def lowest_point(body: Body, side: str) -> float:
    """Height of the lowest skin of one foot."""
    anny = model()
    of_foot = np.array([name.startswith(("foot", "toe")) and name.endswith(side) for name in body.skeleton.names])
    share = (anny.vertex_bone_weights.numpy() * of_foot[anny.vertex_bone_indices.numpy()]).sum(axis=1)
    return float(body.posed[share > 0.5, 2].min())


def joint(body: Body, bone: str) -> np.ndarray:
    return body.carry(bone, body.skeleton.at(bone)[None])[0]


@pytest.mark.parametrize(("name", "which"), some(POSES, 5))
def test_feet_that_carry_the_body_stand_on_one_floor(
    name: str, which: str, bodies: dict[tuple[str, str], Body]
) -> None:
    body = bodies[name, which]
    heights = {side: lowest_point(body, side) for side in "LR"}
    planted = [side for side in "LR" if (name, which, side) != ("tree", "target", "L")]
    for side in nonempty(planted):
        assert heights[side] == pytest.approx(min(heights.values()), abs=ON_THE_FLOOR)


@pytest.mark.parametrize(("name", "which"), some(POSES, 5))
def test_no_knee_bends_backwards(name: str, which: str, bodies: dict[tuple[str, str], Body]) -> None:
    body = bodies[name, which]
    for side in ("L", "R"):
        hip, knee, ankle = (joint(body, f"{bone}.{side}") for bone in ("upperleg01", "lowerleg01", "foot"))
        thigh = body.bone_transforms[body.skeleton.names.index(f"upperleg02.{side}"), :3, :3]
        towards_kneecap = thigh @ np.array([0.0, -1.0, 0.0])
        on_the_line = hip + (ankle - hip) * ((knee - hip) @ (ankle - hip)) / ((ankle - hip) @ (ankle - hip))
        assert (knee - on_the_line) @ towards_kneecap > 0


@pytest.mark.parametrize(("name", "which"), some(POSES, 5))
def test_posing_keeps_the_length_of_every_limb(name: str, which: str, bodies: dict[tuple[str, str], Body]) -> None:
    body = bodies[name, which]
    for start, end in (("upperarm02", "lowerarm01"), ("lowerarm02", "wrist"), ("upperleg02", "lowerleg01")):
        for side in ("L", "R"):
            first, second = f"{start}.{side}", f"{end}.{side}"
            rest = np.linalg.norm(body.skeleton.at(second) - body.skeleton.at(first))
            assert np.linalg.norm(joint(body, second) - joint(body, first)) == pytest.approx(rest, abs=1e-6)


def test_an_arm_points_where_the_pose_says_seen_from_a_leaning_turned_chest(
    bodies: dict[tuple[str, str], Body],
) -> None:
    skeleton = bodies["warrior", "current"].skeleton
    sideways = Arm(upper=(1.0, 0.0, 0.0), bend=0, crease=(0.0, 0.0, 1.0), palm=(0.0, -1.0, 0.0))
    leg = Leg((0.14, 0.0, 0.0))
    chest = Turn(forward=20, side=15, round=30)
    pose = BodyPose(0.98, {"L": sideways, "R": sideways}, {"L": leg, "R": leg}, chest=chest, heading=50)

    turned = dict(zip(skeleton.names, skeleton.pose(pose), strict=True))

    upper_arm = skeleton.at("lowerarm01.L") - skeleton.at("upperarm01.L")
    pointing = turned["upperarm02.L"] @ (upper_arm / np.linalg.norm(upper_arm))
    expected = Rotation.from_euler("ZYX", [50 + 30, 15, 20], degrees=True)
    np.testing.assert_allclose(pointing, expected.apply([1.0, 0.0, 0.0]), atol=1e-9)


def test_a_foot_out_of_reach_is_refused(bodies: dict[tuple[str, str], Body]) -> None:
    skeleton: Skeleton = bodies["warrior", "current"].skeleton
    hanging = Arm(upper=(0.2, -1.0, 0.0), bend=10, crease=(0.0, 0.0, 1.0), palm=(-1.0, 0.0, 0.0))
    near, far = Leg((0.14, 0.0, 0.0)), Leg((1.5, 0.0, 0.0))

    with pytest.raises(ValueError, match="cannot reach"):
        skeleton.pose(BodyPose(0.9, {"L": hanging, "R": hanging}, {"L": near, "R": far}))
