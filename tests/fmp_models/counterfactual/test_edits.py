"""Edits of a target pose: bones, limits and the floor hold, other bones stay, and the text changes there alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fmp_models.counterfactual.edits import (
    GROUPS,
    MAX_EDITS,
    Edit,
    Group,
    apart,
    change_text,
    draw_edits,
    edited,
    follows,
    group_edits,
    movements_said,
)
from fmp_models.geometry import Clause, Degree, Direction, Part, Relation, Side, execute_alone, make_plan
from fmp_models.geometry.skeleton import angles, ranges
from fmp_models.languages import LANGUAGES, grammar, read_plan
from fmp_models.pose import INDEX, JOINTS, PARENTS, Pose, PosePair, bone_lengths
from tests.bodies import Arm, Body, random_pairs
from tests.nonempty import nonempty

EDITS = [edit for group in Group for edit in group_edits(group)]
STANDING = Body(left_arm=Arm(lift=30, bend=20), right_arm=Arm(lift=60, swing=60, bend=60)).pose()
HAND_AT_HEAD = Edit(Group.ARM, Clause(Side.LEFT, Part.HAND, Direction.REACH, Degree.PLAIN, (Relation.HEAD_HEIGHT,)))
Drawn = tuple[PosePair, tuple[Edit, ...], Pose]


@pytest.fixture(scope="module")
def drawn() -> list[Drawn]:
    generator = np.random.default_rng(4)
    found = []
    for number, pair in enumerate(random_pairs(24, seed=8)):
        edits = draw_edits(pair, 1 + number % MAX_EDITS, generator)
        if edits is not None:
            found.append((pair, *edits))
    return nonempty(found)


def bone_vectors(pose: Pose) -> np.ndarray:
    return np.asarray(pose.joints - pose.joints[list(PARENTS)])


def test_bones_limits_and_the_floor_hold(drawn: list[Drawn]) -> None:
    for pair, _, target in nonempty(drawn):
        np.testing.assert_allclose(bone_lengths(target.joints), bone_lengths(pair.target.joints), atol=1e-9)
        assert target.joints[:, 1].max() == pytest.approx(pair.target.joints[:, 1].max(), abs=1e-9)
        low, high = ranges(pair.target.joints)
        assert (angles(target.joints) > low - 10).all()
        assert (angles(target.joints) < high + 10).all()


def test_bones_of_other_groups_stay(drawn: list[Drawn]) -> None:
    for pair, edits, target in nonempty(one for one in drawn if all(e.group is not Group.TURN for e in one[1])):
        turned = {INDEX[name] for edit in edits for name in edit.joints}
        stay = [joint for joint in range(len(JOINTS)) if joint not in turned]
        np.testing.assert_allclose(bone_vectors(target)[stay], bone_vectors(pair.target)[stay], atol=1e-9)


def test_the_text_of_the_geometry_changes_in_the_edited_groups_and_in_no_other(drawn: list[Drawn]) -> None:
    numbers = set()
    for pair, edits, target in nonempty(drawn):
        before, after = (movements_said(make_plan(one)) for one in (pair, replace(pair, target=target)))
        changed = before ^ after
        assert all(any(edit.covers(clause) for edit in edits) for clause in changed)
        assert all(any(edit.covers(clause) for clause in changed) for edit in edits)
        assert apart(edits)
        numbers.add(len(edits))
    assert len(numbers) > 1


def test_the_same_seed_draws_the_same_edits() -> None:
    pair = random_pairs(1, seed=8)[0]
    first, second = (draw_edits(pair, 2, np.random.default_rng(2)) for _ in range(2))
    assert first is not None
    assert second is not None
    assert first[0] == second[0]
    np.testing.assert_array_equal(first[1].joints, second[1].joints)


def test_a_hand_at_head_height_is_there_and_the_rest_of_the_body_is_not_moved() -> None:
    target, _ = edited(PosePair(STANDING, STANDING), [HAND_AT_HEAD])
    assert target is not None
    wrist, head = (target.joints[INDEX[name], 1] for name in ("left_wrist", "head"))
    assert wrist == pytest.approx(head, abs=0.12)
    moved = np.linalg.norm(target.joints - STANDING.joints, axis=-1) > 1e-9
    assert {JOINTS[joint] for joint in np.flatnonzero(moved)} <= {f"left_{name}" for name in ("elbow", "wrist", "hand")}


def test_what_a_body_cannot_do_is_no_edit() -> None:
    nowhere = Clause(Side.BOTH, Part.HAND, Direction.MOVE)
    assert execute_alone(nowhere, STANDING, HAND_AT_HEAD.joints) is None
    assert edited(PosePair(STANDING, STANDING), [Edit(Group.ARM, nowhere)]) == (None, False)


def test_every_group_has_edits_and_those_that_share_bones_are_not_combined() -> None:
    assert {edit.group for edit in EDITS} == {*Group} == {*GROUPS}
    forearm = Edit(Group.FOREARM, Clause(Side.LEFT, Part.ELBOW, Direction.BEND))
    assert not apart((HAND_AT_HEAD, forearm))
    assert not apart((forearm, forearm))
    assert apart((HAND_AT_HEAD, replace(forearm, clause=forearm.clause.mirrored)))


def test_a_text_that_changes_elsewhere_or_not_at_all_does_not_follow() -> None:
    left, right = (frozenset({Clause(side, Part.HAND, Direction.UP)}) for side in Side.BOTH.each)
    assert follows([HAND_AT_HEAD], frozenset(), left) == (True, True)
    assert follows([HAND_AT_HEAD], frozenset(), left | right) == (True, False)
    assert follows([HAND_AT_HEAD], left, left) == (False, True)


def test_a_change_is_said_in_both_languages() -> None:
    assert change_text([HAND_AT_HEAD], "en") == "Imagine the left hand at head height."
    assert change_text([HAND_AT_HEAD], "hi") == "कल्पना कीजिए कि बायां हाथ सिर की ऊंचाई पर है।"
    elbow = Edit(Group.FOREARM, Clause(Side.RIGHT, Part.ELBOW, Direction.BEND, Degree.SLIGHT))
    assert change_text([HAND_AT_HEAD, elbow], "en") == (
        "Imagine the left hand at head height and the right elbow a little more bent."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_edit_has_words_of_its_own_about_its_part(language: str) -> None:
    texts = [change_text([edit], language) for edit in EDITS]
    assert len({*zip([edit.clause.part in GROUPS[Group.LEG].said for edit in EDITS], texts, strict=True)}) == len(EDITS)
    assert all("{" not in text and "  " not in text for text in texts)
    frame = texts[0][: texts[0].index(" ")]
    read = [read_plan(text.removeprefix(frame).removeprefix(" कीजिए कि"), grammar(language)) for text in texts]
    understood = [
        any(clause.part.limb is edit.clause.part.limb and clause.side is edit.clause.side for clause in plan)
        for edit, plan in zip(EDITS, read, strict=True)
    ]
    assert np.mean(understood) > 0.85
