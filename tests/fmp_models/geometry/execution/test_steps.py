import numpy as np
import pytest

from fmp_models.geometry.clauses import Clause, Degree, Direction, Part, Relation, Side
from fmp_models.geometry.execution.steps import carry_out
from fmp_models.geometry.planning.planner import make_plan
from fmp_models.geometry.pose_values import elbow_angle
from fmp_models.pose import BONES, INDEX, PosePair
from tests.bodies import Arm, Body, distance_left, random_pairs


def test_an_empty_plan_changes_nothing() -> None:
    pose = Body().pose()
    assert carry_out((), pose) is pose


def test_bending_an_elbow_to_a_right_angle_does_that_and_little_else() -> None:
    plan = (Clause(Side.LEFT, Part.ELBOW, Direction.BEND, Degree.PLAIN, (Relation.RIGHT_ANGLE,)),)
    before = Body().pose()
    after = carry_out(plan, before)
    assert elbow_angle(after.joints, "left") == pytest.approx(90, abs=15)
    moved = np.linalg.norm(after.joints - before.joints, axis=-1)
    assert moved[[INDEX["right_wrist"], INDEX["left_ankle"], INDEX["right_ankle"]]].max() < 0.05


def test_bones_keep_their_lengths() -> None:
    pair = PosePair(Body().pose(), Body(left_arm=Arm(lift=100), pitch=20).pose())
    after = carry_out(make_plan(pair), pair.current)
    for a, b in BONES:
        before = np.linalg.norm(pair.current.joints[a] - pair.current.joints[b])
        assert np.linalg.norm(after.joints[a] - after.joints[b]) == pytest.approx(before, abs=1e-9)


def test_doing_what_is_said_comes_closer_to_the_target_on_nearly_all_pairs() -> None:
    left = [distance_left(pair) for pair in random_pairs(60, seed=11)]
    closer = np.mean(np.array(left) < 1)
    print(f"\nrandom pairs: {closer:.1%} of {len(left)} closer, {np.mean(left):.2f} of it left")  # noqa: T201
    assert closer >= 0.95
