import numpy as np
import pytest
from hypothesis import given

from fmp_models.geometry.execution.joint_limits import LIMITS, angles, ranges
from fmp_models.pose import PosePair
from tests.bodies import Arm, Body, Leg, bodies
from tests.thoroughness import examples

NAMES = [limit.name for limit in LIMITS]


def angle_of(body: Body, name: str) -> float:
    return float(angles(body.pose().joints)[NAMES.index(name)])


def inside(body: Body) -> list[str]:
    """Give the names of the angles that lie beyond their limits."""
    degrees = angles(body.pose().joints)
    return [one.name for one, value in zip(LIMITS, degrees, strict=True) if not one.low <= value <= one.high]


@pytest.mark.parametrize(
    "body",
    [
        Body(),
        Body(pitch=80),
        Body(left_arm=Arm(lift=175), right_arm=Arm(lift=175, swing=90)),
        Body(left_arm=Arm(lift=90, swing=90, bend=140), right_arm=Arm(lift=90, bend=90)),
        Body(left_leg=Leg(lift=90, bend=90), right_leg=Leg(lift=30, swing=0)),
        Body(left_leg=Leg(lift=100, bend=130), right_leg=Leg(lift=100, bend=130)),
    ],
)
def test_what_people_do_lies_within_the_limits(body: Body) -> None:
    assert inside(body) == []


def test_an_elbow_or_knee_that_bends_backwards_lies_beyond_the_limits() -> None:
    assert "left upper arm turned out" in inside(Body(left_arm=Arm(lift=10, bend=-60)))
    assert "right thigh turned out" in inside(Body(right_leg=Leg(lift=5, bend=-50)))


@pytest.mark.parametrize(
    ("body", "name", "degrees"),
    [
        (Body(left_arm=Arm(bend=70)), "left elbow flexion", 70),
        (Body(right_leg=Leg(lift=60, bend=70)), "right knee flexion", 70),
        (Body(right_leg=Leg(lift=60, bend=70)), "right hip flexion", 60),
        (Body(left_leg=Leg(lift=40, swing=0)), "left hip outward", 40),
        (Body(twist=30), "spine twist", 30),
        (Body(nod=25), "neck forward", 25),
        (Body(pitch=40, nod=25), "neck forward", 25),
    ],
)
def test_an_angle_is_read_off_the_joints(body: Body, name: str, degrees: float) -> None:
    assert angle_of(body, name) == pytest.approx(degrees, abs=3)


@examples(30)
@given(bodies, bodies)
def test_a_mirrored_body_has_the_mirrored_angles(one: Body, other: Body) -> None:
    pair = PosePair(one.pose(), other.pose())
    of_sides = [NAMES.index(name.replace("left", "X").replace("right", "left").replace("X", "right")) for name in NAMES]
    signs = np.array([-1 if name in {"spine aside", "spine twist", "neck aside"} else 1 for name in NAMES])
    for pose, mirrored in ((pair.current, pair.mirrored.current), (pair.target, pair.mirrored.target)):
        assert angles(mirrored.joints) == pytest.approx(angles(pose.joints)[of_sides] * signs, abs=1e-6)


def test_a_body_that_starts_beyond_a_limit_may_stay_there_and_go_no_further() -> None:
    start = Body(left_arm=Arm(lift=10, bend=-60)).pose().joints
    low, high = ranges(start)
    now = angles(start)
    assert ((low <= now) & (now <= high)).all()
    knee = NAMES.index("left knee flexion")
    assert (low[knee], high[knee]) == (0, 150)
