"""Joints that a photograph does not show: nothing is said of them, and nothing that is said depends on them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fmp_models.describe.descriptions import describe
from fmp_models.estimators.base import sampled_joints
from fmp_models.geometry.candidate_evidence import Candidate, evidence
from fmp_models.geometry.lexicon import Clause, Direction, Part, Relation, Side
from fmp_models.geometry.measured_changes import changes
from fmp_models.geometry.measures import BY_AXIS
from fmp_models.geometry.planner import clauses_beyond, make_plan
from fmp_models.geometry.relations import possible_relations
from fmp_models.geometry.verdicts import Findings, agrees, confidence
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.pose import INDEX, JOINTS, Pose, PosePair
from tests.bodies import Arm, Body, Leg, bodies
from tests.nonempty import nonempty

LIMBS = [
    tuple(f"{side}_{name}" for name in names[start:])
    for names in (("elbow", "wrist", "hand"), ("knee", "ankle", "foot"))
    for side in ("left", "right")
    for start in range(3)
]
LEGS = [f"{side}_{name}" for side in ("left", "right") for name in ("knee", "ankle", "foot")]
# What a person would look at to tell whether a clause of this part is true; "{}" is its side.
SHOWN_BY = {
    Part.ARM: {"{}_shoulder", "{}_elbow"},
    Part.FOREARM: {"{}_elbow", "{}_wrist"},
    Part.ELBOW: {"{}_shoulder", "{}_elbow", "{}_wrist"},
    Part.HAND: {"{}_wrist"},
    Part.SHOULDER: {"{}_shoulder"},
    Part.KNEE: {"{}_hip", "{}_knee", "{}_ankle"},
    Part.LEG: {"left_ankle", "right_ankle"},
    Part.FOOT: {"left_ankle", "right_ankle"},
    Part.HEAD: {"head"},
    Part.TRUNK: {"left_hip", "right_hip", "left_shoulder", "right_shoulder"},
    Part.HIPS: {"left_ankle", "right_ankle"},
    Part.BODY: {"left_hip", "right_hip"},
}
SHOWN_AT = {
    Relation.NEAR_HEAD: {"head"},
    Relation.ABOVE_HEAD: {"head"},
    Relation.HEAD_HEIGHT: {"head"},
    Relation.NEAR_KNEE: {"{}_knee"},
    Relation.NEAR_FOOT: {"{}_ankle"},
    Relation.AGAINST_LEG: {"left_knee", "right_knee"},
    **{
        key: {f"{side}_{name}" for side in ("left", "right") for name in ("knee", "ankle")}
        for key in (Relation.SITTING, Relation.KNEELING, Relation.LYING, Relation.STANDING)
    },
}
CLAUSES = [
    *(Clause(*axis) for axis in BY_AXIS),
    *(
        Clause(side, part, direction, relations=(relation,))
        for side, part, direction in BY_AXIS
        for choices in possible_relations(part, direction)
        for relation, _ in choices
    ),
    *(Clause(side, part, Direction.KEEP) for side, part in {(side, part) for side, part, _ in BY_AXIS}),
]
unseen_joints = st.one_of(
    st.sets(st.sampled_from(JOINTS), min_size=1, max_size=8),
    st.lists(st.sampled_from(LIMBS), min_size=1, max_size=4).map(
        lambda limbs: {name for limb in limbs for name in limb}
    ),
)


def photographed(joints: np.ndarray, outside: set[str]) -> Pose:
    """Return the pose as one estimate gives it; ``outside`` are the joints beyond the edge of the picture."""
    inside = np.array([name not in outside for name in JOINTS])
    visibility = inside.astype(float)
    return Pose(joints, visibility, pose_samples=sampled_joints(joints[None], visibility, inside))


def elsewhere(pose: Pose, names: set[str], seed: int) -> Pose:
    """Return the pose with the joints ``names`` in other places."""
    places = [INDEX[name] for name in names]
    dice, joints, pose_samples = np.random.default_rng(seed), np.array(pose.joints), np.array(pose.pose_samples)
    joints[places] = dice.normal(0, 1, (len(places), 3))
    pose_samples[:, places] = dice.normal(0, 1, (len(pose_samples), len(places), 3))
    return replace(pose, joints=joints, pose_samples=pose_samples)


def shown_by(clause: Clause) -> Iterator[str]:
    """Yield the joints that a photograph must show for the clause to be said."""
    names = set(SHOWN_BY[clause.part])
    if clause.part is Part.BODY and clause.direction in {Direction.UP, Direction.DOWN}:
        names |= {"left_ankle", "right_ankle"}
    for relation in clause.relations:
        names |= SHOWN_AT.get(relation, set())
    for side in clause.side.of_body:
        yield from (name.format(side) for name in names)


@given(bodies, bodies, unseen_joints, unseen_joints)
def test_no_clause_speaks_of_a_joint_that_either_photograph_does_not_show(
    current: Body, target: Body, before: set[str], after: set[str]
) -> None:
    pair = PosePair(photographed(current.pose().joints, before), photographed(target.pose().joints, after))
    findings = Findings(pair)
    told = [clause for clause in make_plan(pair) if clause.direction is not Direction.UNSEEN]
    told += [clause for share in (0.5, 1.0) for clause, _ in clauses_beyond(changes(pair), share, pair)]
    told += [clause for clause in CLAUSES if findings.bears_out(clause) or agrees(clause, pair) is not None]
    assume(told)
    for clause in nonempty(told):
        assert not set(shown_by(clause)) & (before | after), clause


@given(bodies, bodies, unseen_joints, st.sampled_from([0, 1]), st.integers(0, 99))
def test_nothing_that_is_said_depends_on_where_an_unseen_joint_lies(
    current: Body,
    target: Body,
    unseen: set[str],
    which: int,
    seed: int,
) -> None:
    """Whether it is hidden in the current photograph or in the target's, both pictures show it nowhere."""
    outside = [unseen if number == which else set[str]() for number in (0, 1)]
    poses = [photographed(body.pose().joints, names) for body, names in zip((current, target), outside, strict=True)]
    pair, other = PosePair(*poses), PosePair(*(elsewhere(pose, unseen, seed + n) for n, pose in enumerate(poses)))
    findings, other_findings = Findings(pair), Findings(other)
    assert make_plan(pair) == make_plan(other)
    for language in LANGUAGES:
        assert describe(pair, language) == describe(other, language)
    assert clauses_beyond(changes(pair), 1.2, pair) == clauses_beyond(changes(other), 1.2, other)
    for clause in CLAUSES:
        assert agrees(clause, pair) == agrees(clause, other)
        assert confidence(clause, pair) == confidence(clause, other)
        assert findings.bears_out(clause) == other_findings.bears_out(clause)
    candidates = ([Candidate(of_two, of_two.target)] for of_two in (pair, other))
    np.testing.assert_array_equal(*(evidence(CLAUSES, candidate) for candidate in candidates))


def test_the_way_back_and_the_mirrored_pair_hide_the_same_joints() -> None:
    pair = PosePair(
        photographed(Body().pose().joints, {"left_wrist", "left_hand"}),
        photographed(Body(left_arm=Arm(lift=120), right_leg=Leg(lift=60, bend=90)).pose().joints, {"right_ankle"}),
    )
    assert pair.unseen_names == pair.swapped.unseen_names == {"left_wrist", "left_hand", "right_ankle"}
    assert pair.mirrored.unseen_names == {"right_wrist", "right_hand", "left_ankle"}
    for name in ("left_wrist", "right_ankle"):
        np.testing.assert_allclose(pair.mirrored.mirrored.current.joints, pair.current.joints, err_msg=name)


@pytest.mark.parametrize("legs_in", ["neither", "current"])
def test_half_a_body_that_raises_its_arms_is_told_of_its_arms_alone(legs_in: str) -> None:
    current = Body().pose().joints
    target = Body(left_arm=Arm(lift=165), right_arm=Arm(lift=165), left_leg=Leg(lift=70, bend=100)).pose().joints
    pair = PosePair(
        photographed(current, set() if legs_in == "current" else set(LEGS)), photographed(target, set(LEGS))
    )
    plan = make_plan(pair)
    assert {clause.part for clause in plan if clause.direction is not Direction.UNSEEN} <= {Part.ARM, Part.TRUNK}
    # Of legs that one photograph shows a trainer would ask; of those that neither does, nobody would.
    asked = [Clause(Side.BOTH, Part.LEG, Direction.UNSEEN)] if legs_in == "current" else []
    assert [clause for clause in plan if clause.direction is Direction.UNSEEN] == asked


@given(bodies, bodies, unseen_joints, unseen_joints)
def test_at_most_one_line_says_what_could_not_be_seen_and_it_is_the_last(
    current: Body, target: Body, before: set[str], after: set[str]
) -> None:
    plan = make_plan(PosePair(photographed(current.pose().joints, before), photographed(target.pose().joints, after)))
    assert [clause.direction is Direction.UNSEEN for clause in plan[:-1]].count(True) == 0


@given(bodies, bodies, st.sets(st.sampled_from(LIMBS), min_size=1))
def test_of_joints_that_are_left_out_not_even_that_is_said(current: Body, target: Body, limbs: set[tuple[str]]) -> None:
    names = {name for limb in limbs for name in limb}
    pair = PosePair(*(photographed(body.pose().joints, set()).without(names) for body in (current, target)))
    parts = {Part.ARM if "elbow" in name or "wrist" in name else Part.LEG for name in names}
    assert not [
        c for c in make_plan(pair) if c.direction is Direction.UNSEEN and c.part in parts and _all_out(c, names)
    ]
    assert pair.unseen_names == names == pair.left_out


def _all_out(clause: Clause, names: set[str]) -> bool:
    ends = {Part.ARM: ("elbow", "wrist"), Part.LEG: ("knee", "ankle")}[clause.part]
    return any(f"{side}_{end}" in names for side in clause.side.of_body for end in ends)


def test_a_session_that_stays_carries_the_body() -> None:
    sitting = Body(left_leg=Leg(lift=88, bend=92), right_leg=Leg(lift=88, bend=92))
    stretched = sitting.change(left_leg=Leg(lift=88, bend=10), right_leg=Leg(lift=88, bend=10))
    pair = PosePair(*(photographed(body.pose().joints, set()) for body in (sitting, stretched)))
    assert {clause.part for clause in make_plan(pair)} & {Part.BODY, Part.HIPS} == set()
    assert ("both knees", "straighten") in {(clause.part_name, clause.direction.value) for clause in make_plan(pair)}
