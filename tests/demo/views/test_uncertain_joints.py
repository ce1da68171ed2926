from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from demo.views.uncertain_joints import Mask, uncertain_joints
from fmp_models.estimators.pose_samples import sampled_joints
from fmp_models.geometry.measured_changes import VISIBLE
from fmp_models.inference.corrector import CheckedClause
from fmp_models.pose import INDEX, JOINTS, Array, Pose, PosePair
from tests.demo.views.test_figures import arm_out, standing
from tests.named_clauses import named_clause


def photographed(joints: Array, visibility: Array, inside: Array | None = None, *looks: Array) -> Pose:
    """Return a pose as an estimator gives it."""
    inside = np.ones(20, dtype=bool) if inside is None else inside
    bodies = sampled_joints(np.stack([joints, *looks]), visibility, inside)
    return Pose(joints, np.where(inside, visibility, 0.0), pose_samples=bodies)


def without(*names: str) -> Array:
    return np.array([name not in names for name in JOINTS])


def named(mask: Mask) -> set[str]:
    return {JOINTS[number] for number in np.flatnonzero(mask)}


def unseen(part: str) -> CheckedClause:
    return CheckedClause("I could not see it.", named_clause(part, "unseen"), None, 0.5, (0, 5))


SEEN = photographed(standing(), np.ones(20))
ARM = {"left_elbow", "left_wrist", "left_hand"}


def test_what_lies_outside_the_picture_is_unsure_there_and_only_there() -> None:
    cut = photographed(arm_out(), np.ones(20), without("left_hand", "left_wrist"))

    current, target = uncertain_joints(PosePair(SEEN, cut), ())

    assert named(current) == set()
    assert named(target) == {"left_hand", "left_wrist"}


def test_joints_that_looks_find_at_different_places_are_unsure() -> None:
    elsewhere = standing()
    elsewhere[INDEX["right_knee"]] += (0.4, 0.0, 0.0)

    current, _ = uncertain_joints(PosePair(photographed(standing(), np.ones(20), None, elsewhere), SEEN), ())

    assert named(current) == {"right_knee"}


def test_a_hidden_joint_whose_place_is_known_is_drawn_as_the_text_speaks_of_it() -> None:
    visibility = np.ones(20)
    visibility[[INDEX[name] for name in ARM]] = VISIBLE - 0.3
    moved = CheckedClause("Raise your left arm.", named_clause("left arm", "up"), True, 0.97, (0, 4))  # noqa: FBT003  the verdict

    current, target = uncertain_joints(PosePair(photographed(standing(), visibility), SEEN), [moved])

    assert named(current) == named(target) == set()


@pytest.mark.parametrize(
    ("part", "joints"),
    [
        ("left arm", ARM),
        ("left forearm", ARM - {"left_elbow"}),
        ("both legs", {f"{side}_{name}" for side in ("left", "right") for name in ("knee", "ankle", "foot")}),
        ("both forearms", {f"{side}_{name}" for side in ("left", "right") for name in ("wrist", "hand")}),
    ],
)
def test_a_limb_that_the_text_could_not_judge_is_unsure_where_it_is_seen_less(part: str, joints: set[str]) -> None:
    visibility = np.full(20, 0.2)

    current, target = uncertain_joints(PosePair(SEEN, photographed(standing(), visibility)), [unseen(part)])

    assert named(current) == set()
    assert named(target) == joints
    back, there = uncertain_joints(PosePair(photographed(standing(), visibility), SEEN), [unseen(part)])
    assert (named(back), named(there)) == (joints, set())


def test_a_limb_that_is_doubted_alike_in_both_photographs_is_unsure_in_both() -> None:
    current, target = uncertain_joints(PosePair(SEEN, photographed(standing(), np.ones(20))), [unseen("left arm")])

    assert named(current) == named(target) == ARM


def test_joints_of_which_nobody_says_what_else_is_plausible_are_unsure_where_they_are_hidden() -> None:
    visibility = np.full(20, VISIBLE)
    visibility[INDEX["head"]] -= 0.01
    known = Pose(standing(), visibility)

    current, target = uncertain_joints(PosePair(known, replace(known, visibility=np.ones(20))), ())

    assert named(current) == {"head"}
    assert named(target) == set()
