"""Clauses are judged by the joints, and drafts repaired by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.describe.descriptions import CheckedClause, describe
from fmp_models.estimators.base import sampled_joints
from fmp_models.geometry.lexicon import Clause, Direction, Plan, Side
from fmp_models.geometry.verdicts import Findings, agrees, confidence, contradictions
from fmp_models.inference.clause_check import checked_clauses, repaired
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.mirroring import mirrored_text
from fmp_models.languages.reader import read_plan
from fmp_models.languages.realiser import compose_text, realise
from fmp_models.pose import Pose, PosePair
from tests.bodies import Arm, Body, pairs
from tests.named_clauses import named_clause
from tests.plans import plans
from tests.thoroughness import examples

STANDING = Body().pose()
LEFT_UP, RIGHT_UP = (Body(**{f"{side}_arm": Arm(lift=90, bend=0)}).pose() for side in ("left", "right"))
TO = {name: PosePair(STANDING, pose) for name, pose in (("left", LEFT_UP), ("right", RIGHT_UP), ("none", STANDING))}


def test_an_end_state_without_a_movement_is_an_even_chance() -> None:
    (checked,) = checked_clauses(
        "Your left arm should be at shoulder height.", "en", TO["left"], lambda one, _: confidence(one, TO["left"])
    )

    assert (checked.agrees, checked.direction, checked.confidence) == (True, "reach", 0.5)


@pytest.mark.parametrize(
    ("text", "language"),
    [("Stand well. Raise your left arm.", "en"), ("अच्छे से खड़े रहें। अपनी बाईं बांह उठाएं।", "hi")],
)
def test_each_clause_is_told_with_its_place_its_verdict_and_how_sure_it_is(text: str, language: str) -> None:
    places = []

    def sureness(clause: Clause, place: tuple[int, int]) -> float:
        places.append(place)
        return 0.12345 if clause.side is Side.LEFT else 0.0

    (checked,) = checked_clauses(text, language, TO["left"], sureness)
    (denied,) = checked_clauses(text, language, TO["right"], sureness)

    assert (checked.agrees, denied.agrees) == (True, False)
    assert checked.confidence == 0.123
    assert places == [checked.words] * 2
    assert text.split()[slice(*checked.words)] == text.split()[-4:]


def test_a_clause_is_written_with_the_names_of_its_part_and_direction() -> None:
    checked = CheckedClause("Bend your knees.", named_clause("both knees", "bend"), True, 0.5, (0, 3), "m")  # noqa: FBT003

    assert list(checked.as_json().items()) == [
        ("text", "Bend your knees."),
        ("part", "both knees"),
        ("direction", "bend"),
        ("agrees", True),
        ("confidence", 0.5),
        ("words", (0, 3)),
        ("by", "m"),
    ]


RIGHT = "Raise your right arm out to the side to shoulder height."
SIDEWAYS = "Raise both arms out to the sides to shoulder height."
BOTH_UP = PosePair(STANDING, Body(left_arm=Arm(lift=90, bend=0), right_arm=Arm(lift=90, bend=0)).pose())
STILL = PosePair(STANDING, STANDING)


def photographed(pair: PosePair) -> PosePair:
    """Return the pair as an estimator gives it, with equally plausible pose samples."""

    def clearly_seen(pose: Pose) -> Pose:
        return replace(pose, pose_samples=sampled_joints(pose.joints[None], pose.visibility, np.ones(20, dtype=bool)))

    return PosePair(clearly_seen(pair.current), clearly_seen(pair.target))


few = examples(30, 5)  # each measures thousands of plausible bodies
drafted = st.tuples(pairs, plans, st.sampled_from(LANGUAGES), st.booleans())


def text_of(plan: Plan, language: str) -> str:
    words = grammar(language)
    return compose_text(realise(plan, words), words)


@few
@given(drafted)
def test_no_repaired_text_says_what_the_joints_deny_or_contradicts_itself(
    given_draft: tuple[PosePair, Plan, str, bool],
) -> None:
    pair, plan, language, by_photograph = given_draft
    pair = photographed(pair) if by_photograph else pair
    repaired_draft = repaired(text_of(plan, language), language, pair)
    read_clauses = read_plan(repaired_draft.text, grammar(language))
    assert [clause for clause in read_clauses if agrees(clause, pair) is False] == []
    assert contradictions(read_clauses) == ()


@few
@given(drafted)
def test_a_repaired_text_needs_no_further_repair(given_draft: tuple[PosePair, Plan, str, bool]) -> None:
    pair, plan, language, by_photograph = given_draft
    pair = photographed(pair) if by_photograph else pair
    once = repaired(text_of(plan, language), language, pair)
    again = repaired(once.text, language, pair)
    assert again.text == once.text, (once, again, read_plan(once.text, grammar(language)))


def test_one_side_of_what_the_geometry_says_of_both_is_kept() -> None:
    # Which end is sure is asked of both elbows at once; of the left one alone fewer plausible bodies reach it.
    target = Body(pitch=16.0, left_arm=Arm(bend=20), right_arm=Arm(bend=0)).pose()
    pair = photographed(PosePair(Body(left_arm=Arm(bend=51), right_arm=Arm(bend=27)).pose(), target))
    draft = "Straighten your right elbow all the way. Straighten your left elbow all the way."
    assert repaired(draft, "en", pair).own == draft


@few
@given(drafted)
def test_the_mirrored_draft_of_the_mirrored_pair_is_repaired_to_the_mirrored_text(
    given_draft: tuple[PosePair, Plan, str, bool],
) -> None:
    pair, plan, language, by_photograph = given_draft
    pair = photographed(pair) if by_photograph else pair
    text = text_of(plan, language)
    mirrored = mirrored_text(text, language)
    assert mirrored is not None
    repaired_text = repaired(mirrored, language, pair.mirrored).text
    assert repaired_text == mirrored_text(repaired(text, language, pair).text, language)


@few
@given(pairs, st.sampled_from(LANGUAGES), st.booleans())
def test_what_the_geometry_says_needs_no_repair(pair: PosePair, language: str, by_photograph: bool) -> None:  # noqa: FBT001
    pair = photographed(pair) if by_photograph else pair
    text = describe(pair, language).text
    repaired_draft = repaired(text, language, pair)
    assert (repaired_draft.text, repaired_draft.dropped) == (text, 0)


@few
@given(drafted)
def test_all_that_the_geometry_is_sure_of_is_said(given_draft: tuple[PosePair, Plan, str, bool]) -> None:
    pair, plan, language, by_photograph = given_draft
    pair = photographed(pair) if by_photograph else pair
    repaired_draft = repaired(text_of(plan, language), language, pair)
    read_clauses = read_plan(repaired_draft.text, grammar(language))
    assert Findings(pair).unsaid(read_clauses) == ()


@pytest.mark.parametrize(
    ("draft", "text", "dropped"),
    [
        ("Lower both arms. Raise your arms to the sides.", "Raise your arms to the sides.", 1),
        ("Raise your arms to the sides. Nothing else has to change.",) * 2 + (0,),
        ("Raise your left arm sideways. Nothing else has to change.", f"Raise your left arm sideways. {RIGHT}", 0),
        ("Raise your arms sideways, then bend your right knee. Look at", "Raise both arms out to the sides.", 1),
        ("Raise both hands.", SIDEWAYS, 0),
        ("Raise your arms to the sides", "Raise your arms to the sides.", 0),
        ("Look at the sofa.", SIDEWAYS + " Keep both legs where they are. Keep your upper body where it is.", 0),
    ],
)  # fmt: skip
def test_a_draft_is_repaired(draft: str, text: str, dropped: int) -> None:
    repaired_draft = repaired(draft, "en", BOTH_UP)
    assert (repaired_draft.text, repaired_draft.dropped) == (text, dropped)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_is_told_that_all_is_well_unless_it_is(language: str) -> None:
    unchanged = grammar(language).unchanged
    assert repaired(unchanged, language, STILL).text == unchanged
    assert unchanged not in repaired(unchanged, language, BOTH_UP).text
    assert repaired("", language, photographed(STILL)).text == unchanged


def test_a_limb_that_nobody_saw_is_named_once() -> None:
    inside = np.array([True] * 20)
    inside[[13, 14, 15]] = False
    seen = inside.astype(float)
    hidden = replace(
        STANDING,
        visibility=seen,
        pose_samples=sampled_joints(STANDING.joints[None], seen, inside),
    )
    pair = PosePair(
        hidden,
        replace(BOTH_UP.target, pose_samples=hidden.pose_samples + BOTH_UP.target.joints - STANDING.joints),
    )
    repaired_draft = repaired("Raise your arms to the sides. Nothing else has to change.", "en", pair)
    assert repaired_draft.text.count("could not see") == 1
    assert "Nothing else" not in repaired_draft.text
    assert [step.clause.direction for step in repaired_draft.added][-1:] == [Direction.UNSEEN]
    assert repaired(repaired_draft.text, "en", pair).text == repaired_draft.text


def test_steps_of_the_geometry_stand_where_their_words_say() -> None:
    repaired_draft = repaired("Raise your left arm to the side.", "en", BOTH_UP)
    assert repaired_draft.text.startswith(repaired_draft.own)
    words = repaired_draft.text.split()
    assert repaired_draft.added
    assert [" ".join(words[slice(*step.words)]) for step in repaired_draft.added] == [
        step.text for step in repaired_draft.added
    ]
