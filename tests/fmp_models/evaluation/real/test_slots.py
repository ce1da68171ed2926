from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.evaluation.real.pairs import OF_A_SIDE, SLOTS
from fmp_models.evaluation.real.slots import claims, contradicts_itself, spoken_slots, unseen, verdict
from fmp_models.geometry.lexicon import Clause, Direction, Part, Side
from fmp_models.inference.corrector import CheckedClause
from tests.named_clauses import named_clause

_CROSSWISE = {"foot_side", "trunk_left", "trunk_twist_left", "body_turn_left", "head_left_tilt", "head_turn_left"}

clauses = st.builds(
    Clause, st.sampled_from(list(Side)), st.sampled_from(list(Part)), st.sampled_from(list(Direction))
).filter(lambda clause: clause.part.sided is (clause.side is not Side.NONE))
truths = st.dictionaries(st.sampled_from(SLOTS), st.sampled_from([-1, 0, 1, None]))


def step(part: str, direction: str) -> CheckedClause:
    return checked(named_clause(part, direction))


def checked(clause: Clause) -> CheckedClause:
    return CheckedClause(f"{clause.part_name}: {clause.direction}.", clause, None, 0.5, (0, 1))


def mirrored(slot: str) -> str:
    side, _, rest = slot.partition("_")
    return f"{ {'left': 'right', 'right': 'left'}[side] }_{rest}" if rest in OF_A_SIDE else slot


def mirrored_sign(slot: str) -> int:
    return -1 if slot in _CROSSWISE or slot.partition("_")[2] in _CROSSWISE & set(OF_A_SIDE) else 1


def mirrored_truth(truth: dict[str, int | None]) -> dict[str, int | None]:
    return {mirrored(slot): None if sign is None else sign * mirrored_sign(slot) for slot, sign in truth.items()}


@given(clauses, truths)
def test_a_mirror_changes_no_verdict(clause: Clause, truth: dict[str, int | None]) -> None:
    assert verdict(checked(clause.mirrored), mirrored_truth(truth)) == verdict(checked(clause), truth)


@given(st.lists(clauses, max_size=6), truths)
def test_a_mirror_changes_nothing_in_what_is_said(plan: list[Clause], truth: dict[str, int | None]) -> None:
    def slots(some: list[Clause], seen: dict[str, int | None]) -> frozenset[tuple[str, int]]:
        return spoken_slots([claim for c in some for claim in claims(c)], seen)

    there = slots(plan, truth)
    back = slots([clause.mirrored for clause in plan], mirrored_truth(truth))
    assert back == {(mirrored(slot), sign * mirrored_sign(slot)) for slot, sign in there}


@given(st.lists(clauses, max_size=6))
def test_a_mirror_changes_no_contradiction(plan: list[Clause]) -> None:
    there, back = ([checked(one) for one in some] for some in (plan, [clause.mirrored for clause in plan]))
    assert contradicts_itself(there) == contradicts_itself(back) == contradicts_itself(there[::-1])


@given(clauses, truths)
def test_the_way_back_is_right_where_the_way_was_the_opposite(clause: Clause, truth: dict[str, int | None]) -> None:
    back = Clause(clause.side, clause.part, clause.direction.reverse)
    turned = {slot: None if sign is None else -sign for slot, sign in truth.items()}
    if back != clause:
        assert verdict(checked(back), turned) == verdict(checked(clause), truth)


@pytest.mark.parametrize(
    ("part", "direction", "truth", "expected"),
    [
        ("left arm", "up", {"left_arm_up": 1}, "right"),
        ("left arm", "up", {"left_arm_up": 0}, "wrong"),
        ("left arm", "up", {"left_arm_up": -1}, "opposite"),
        ("left arm", "up", {"left_arm_up": None}, None),
        ("left arm", "up", {"right_arm_up": 1}, None),
        ("left arm", "up", {"left_arm_up": 0, "left_hand_up": 1}, "right"),
        ("left forearm", "up", {"left_hand_up": -1, "left_arm_up": 0}, "opposite"),
        ("both knees", "bend", {"left_knee_bend": 1, "right_knee_bend": 1}, "right"),
        ("both knees", "bend", {"left_knee_bend": 1, "right_knee_bend": 0}, "wrong"),
        ("both knees", "bend", {"left_knee_bend": 0, "right_knee_bend": -1}, "opposite"),
        ("both knees", "bend", {"left_knee_bend": 1, "right_knee_bend": None}, "right"),
        ("right arm", "right", {"right_arm_out": 1}, "right"),
        ("right hand", "left", {"right_arm_out": 1}, "opposite"),
        ("left foot", "out", {"left_foot_side": 1}, "right"),
        ("right foot", "out", {"right_foot_side": 1}, "opposite"),
        ("right foot", "left", {"right_foot_side": 1}, "right"),
        ("both feet", "apart", {"feet_apart": 1}, "right"),
        ("both feet", "together", {"feet_apart": 1}, "opposite"),
        ("body", "down", {"hips_down": 1}, "right"),
        ("hips", "up", {"hips_down": 0}, "wrong"),
        ("trunk", "turn left", {"trunk_twist_left": None, "body_turn_left": 1}, "right"),
        ("body", "turn left", {"trunk_twist_left": 1, "body_turn_left": 0}, "wrong"),
        ("head", "left", {"head_left_tilt": 1}, "right"),
        ("head", "turn right", {"head_turn_left": 1}, "opposite"),
        ("left arm", "keep", {"left_arm_up": 1}, None),
        ("left arm", "reach", {"left_arm_up": 1}, None),
        ("left arm", Direction.UNSEEN.value, {"left_arm_up": 1}, None),
    ],
)
def test_a_clause_is_judged_by_its_worse_side(
    part: str, direction: str, truth: dict[str, int | None], expected: str | None
) -> None:
    assert verdict(step(part, direction), truth) == expected


@pytest.mark.parametrize(
    ("part", "direction", "truth", "slot", "sign"),
    [
        ("left hand", "up", {}, "left_arm_up", 1),
        ("left arm", "down", {}, "left_hand_up", -1),
        ("hips", "down", {}, "stand", -1),
        ("body", "up", {}, "stand", 1),
        ("body", "turn left", {}, "trunk_twist_left", 1),
        ("body", "down", {"left_knee_bend": 1, "right_knee_bend": 1}, "left_knee_bend", 1),
        ("body", "up", {"left_knee_bend": -1, "right_knee_bend": -1}, "right_knee_bend", -1),
        ("both knees", "bend", {"hips_down": 1}, "hips_down", 1),
        ("left leg", "up", {"left_leg_up": 1, "left_foot_forward": -1}, "left_foot_forward", -1),
        ("left foot", "forward", {"left_leg_up": 1, "left_foot_forward": 1}, "left_leg_up", 1),
    ],
)
def test_a_fair_twin_is_said_along(
    part: str, direction: str, truth: dict[str, int | None], slot: str, sign: int
) -> None:
    assert (slot, sign) in spoken_slots(claims(named_clause(part, direction)), truth)


@pytest.mark.parametrize(
    ("part", "direction", "truth", "slot"),
    [
        ("body", "down", {"left_knee_bend": 1, "right_knee_bend": 0}, "left_knee_bend"),
        ("left knee", "bend", {"hips_down": 1}, "hips_down"),
        ("left leg", "up", {"left_leg_up": 1, "left_foot_forward": 0}, "left_foot_forward"),
        ("left leg", "down", {"left_leg_up": 1, "left_foot_forward": 1}, "left_foot_forward"),
        ("left arm", "up", {}, "right_arm_up"),
        ("left elbow", "up", {}, "left_elbow_bend"),
    ],
)
def test_what_is_no_twin_is_not_said_along(part: str, direction: str, truth: dict[str, int | None], slot: str) -> None:
    assert slot not in {one for one, _ in spoken_slots(claims(named_clause(part, direction)), truth)}


@pytest.mark.parametrize(
    ("part", "hidden", "others"),
    [
        ("left arm", {"left_arm_up", "left_arm_out", "left_hand_up", "left_elbow_bend"}, {"right_arm_up"}),
        ("left forearm", {"left_hand_up", "left_elbow_bend"}, {"left_arm_up", "left_arm_out"}),
        ("both arms", {"left_arm_forward", "right_hand_up"}, {"trunk_forward"}),
        ("left leg", {"left_knee_bend", "left_leg_up", "left_foot_side"}, {"right_leg_up", "hips_down"}),
        ("both feet", {"left_leg_up", "right_foot_forward", "feet_apart"}, {"left_knee_bend"}),
        ("trunk", {"trunk_forward", "trunk_left", "hips_down", "stand"}, {"head_up", "left_arm_up"}),
        ("head", {"head_up", "head_left_tilt", "head_turn_left"}, {"trunk_left"}),
        ("body", set(SLOTS), set()),
    ],
)
def test_a_part_that_was_not_seen_hides_its_own_slots(part: str, hidden: set[str], others: set[str]) -> None:
    found = unseen([step(part, Direction.UNSEEN.value), step("right knee", "bend")])
    assert hidden <= found
    assert not others & found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("left arm", "up"), ("left arm", "down")),
        (("both arms", "up"), ("left arm", "down")),
        (("left arm", "up"), ("left elbow", "down")),
        (("left arm", "left"), ("left hand", "in")),
        (("hips", "down"), ("body", "up")),
        (("hips", "forward"), ("hips", "backward")),
        (("both hands", "apart"), ("both hands", "together")),
        (("left arm", "keep"), ("both arms", "up")),
        (("trunk", "keep"), ("trunk", "left")),
    ],
)
def test_a_text_that_cannot_be_followed_is_found(first: tuple[str, str], second: tuple[str, str]) -> None:
    assert contradicts_itself([step(*first), step("head", "up"), step(*second)])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("left arm", "up"), ("right arm", "down")),
        (("left arm", "up"), ("left hand", "down")),
        (("left arm", "keep"), ("right arm", "up")),
        (("left arm", "keep"), ("left arm", "keep")),
        (("left arm", "keep"), ("left arm", Direction.UNSEEN.value)),
        (("left arm", "up"), ("left arm", Direction.UNSEEN.value)),
        (("left arm", "up"), ("left arm", "up")),
    ],
)
def test_a_text_that_can_be_followed_is_none(first: tuple[str, str], second: tuple[str, str]) -> None:
    assert not contradicts_itself([step(*first), step("head", "up"), step(*second)])
