"""What if: changes in words are carried out on a target, and the text follows them and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.counterfactual.edits import MAX_EDITS, Group, change_text, edit_phrase, group_edits
from fmp_models.counterfactual.imagining import LISTED_EDITS, imagine, read_edits
from fmp_models.errors import BadInputError
from fmp_models.geometry import Direction, agrees, execute_alone
from fmp_models.languages import LANGUAGES
from fmp_models.pose import INDEX, JOINTS, Pose, PosePair
from tests.bodies import Arm, Body, random_pairs
from tests.nonempty import nonempty

EDITS = [edit for group in Group for edit in group_edits(group)]
LOW, RAISED = (Body(left_arm=Arm(lift=lift), right_arm=Arm(lift=lift)).pose() for lift in (5, 80))
PAIR = PosePair(LOW, RAISED)


def measured(pose: Pose, spread: float = 0.01) -> Pose:
    """Return the pose as an estimator gives it: with bodies that fit as well."""
    noise = np.random.default_rng(3).normal(0, spread, (32, len(JOINTS), 3))
    return replace(pose, pose_samples=pose.joints + noise)


PHOTOGRAPHS = PosePair(measured(LOW), measured(RAISED))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_edit_is_read_from_its_own_words(language: str) -> None:
    assert [read_edits([edit_phrase(edit, language)]) for edit in EDITS] == [(edit,) for edit in EDITS]
    assert len(LISTED_EDITS) > 70


@pytest.mark.parametrize(
    ("text", "imagined"),
    [
        ("Left hand at head height", "Imagine the left hand at head height."),
        ("raise your left hand above your head", "Imagine the left hand above the head."),
        ("Lift your right hand.", "Imagine the right arm higher."),
        ("put your hands on your hips", "Imagine the left hand next to the hip and the right hand next to the hip."),
        ("bend your left knee a little", "Imagine the left knee a little more bent."),
        ("baayan ghutna modo", "Imagine the left knee more bent."),
        ("बाईं कोहनी सीधी करें", "Imagine the left elbow straighter."),
    ],
)
def test_a_change_may_be_worded_freely(text: str, imagined: str) -> None:
    assert change_text(read_edits([text]), "en") == imagined


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ([], "changes_count"),
        (["left knee straight"] * (MAX_EDITS + 1), "changes_count"),
        (["bend your left knee and lower your left arm", "lower your right arm and lean forward"], "changes_count"),
        (["  "], "description_empty"),
        (["a" * 1001], "description_too_long"),
        (["подними руку"], "description_foreign"),
        (["dance"], "change_unknown"),
        (["raise your arm"], "change_unknown"),
        (["left hand above the head", "left elbow straight"], "changes_together"),
        (["whole body turned further to the left", "whole body turned further to the right"], "changes_together"),
        (["both knees straight", "feet close together"], "changes_together"),
    ],
)
def test_what_cannot_be_imagined_is_refused(changes: list[str], code: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        imagine(PAIR, changes, "en")
    assert refusal.value.code == code


def told(changes: list[str]) -> str:
    """Return the sentence for changes, or the one that refuses them."""
    try:
        return imagine(PAIR, changes, "en").imagined
    except BadInputError as refusal:
        return refusal.sentence


@given(st.lists(st.text(max_size=40), max_size=4))
def test_any_text_is_imagined_or_refused_in_one_sentence(changes: list[str]) -> None:
    assert told(changes).endswith(".")


@pytest.mark.parametrize("pair", [PAIR, PHOTOGRAPHS], ids=["joints", "photographs"])
def test_the_text_follows_the_change_and_keeps_the_rest(pair: PosePair) -> None:
    said = imagine(pair, ["left arm hanging down"], "en").as_json()

    assert said["imagined"] == "Imagine the left arm hanging down."
    assert said["outcome"] == "changed"
    assert {clause["changed"] for clause in said["clauses"] if clause["part"].startswith("right")} == {"kept"}
    assert not [clause for clause in said["clauses"] if clause["part"] == "left arm"]
    assert any("left arm" in clause for clause in nonempty(said["gone"]))
    assert not [clause for clause in said["gone"] if "right" in clause]
    assert np.shape(said["target_joints"]) == (len(JOINTS), 3)


@pytest.mark.parametrize("language", LANGUAGES)
def test_new_clauses_are_true_and_their_steps_are_marked(language: str) -> None:
    said = imagine(PHOTOGRAPHS, ["left hand above the head", "right knee more bent"], language)

    new = [one.clause for one, is_new in said.clauses if is_new]
    after = replace(PHOTOGRAPHS, target=said.target)
    assert {clause.part.limb.value for clause in new} >= {"arm", "leg"}
    assert all(agrees(clause, after) is not False for clause in new)
    assert [text for text, is_new in said.steps if is_new]
    assert said.text == " ".join(text for text, _ in said.steps)


def test_only_what_the_edited_groups_say_is_new_for_most_changes() -> None:
    counts = {True: 0, False: 0}
    for number, pair in enumerate(random_pairs(12, seed=4)):
        edit = LISTED_EDITS[number * 7 % len(LISTED_EDITS)]
        if execute_alone(edit.clause, pair.target, edit.joints) is None:
            continue
        said = imagine(pair, [edit_phrase(edit, "en")], "en")
        new = [one.clause for one, is_new in said.clauses if is_new]
        counts[all(edit.covers(clause) for clause in new)] += 1
    assert counts[True] > 3 * counts[False]


def test_a_change_that_is_so_already_leaves_the_text() -> None:
    said = imagine(PHOTOGRAPHS, ["left knee straight"], "en")
    assert (said.changed, said.gone, said.as_json()["outcome"]) == (False, (), "unchanged")


def test_what_a_body_cannot_do_is_named() -> None:
    impossible = next(edit for edit in EDITS if execute_alone(edit.clause, RAISED, edit.joints) is None)
    with pytest.raises(BadInputError) as refusal:
        imagine(PAIR, [edit_phrase(impossible, "en")], "hi")
    assert refusal.value.code == "change_impossible"
    assert refusal.value.details["change"] == edit_phrase(impossible, "hi")


def test_the_imagined_limb_is_certain_and_the_others_are_as_uncertain_as_before() -> None:
    target = replace(measured(RAISED, 0.15), gazes=np.tile([0.0, 0.0, -1.0], (33, 1)))
    said = imagine(
        PosePair(measured(LOW), target), ["left hand above the head", "whole body turned further to the left"], "en"
    )

    def spread(pose: Pose, joint: str, parent: str) -> float:
        assert pose.pose_samples is not None
        return float(np.std(pose.pose_samples[:, INDEX[joint]] - pose.pose_samples[:, INDEX[parent]], axis=0).sum())

    assert spread(said.target, "left_hand", "left_elbow") == pytest.approx(0, abs=1e-9)
    assert spread(said.target, "right_hand", "right_elbow") > 0.5 * spread(target, "right_hand", "right_elbow")
    assert said.target.gazes is not None
    assert np.linalg.norm(said.target.gazes, axis=-1) == pytest.approx(1)
    assert np.abs(said.target.gazes - target.gazes).max() > 0.1  # type: ignore[operator]


def test_nothing_is_said_of_parts_that_are_left_out() -> None:
    arms = [f"{side}_{joint}" for side in ("left", "right") for joint in ("elbow", "wrist", "hand")]
    pair = PosePair(*(pose.without(arms) for pose in (PHOTOGRAPHS.current, PHOTOGRAPHS.target)))
    said = imagine(pair, ["left hand above the head"], "en")
    assert not said.changed
    assert not [
        one
        for one, _ in said.clauses
        if one.clause.part.limb.value == "arm" and one.clause.direction is not Direction.UNSEEN
    ]
