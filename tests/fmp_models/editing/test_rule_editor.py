"""The rule-based editor: right texts stay, false clauses are made true or deleted, and every edit has its reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.describe.descriptions import describe, describe_in_scene
from fmp_models.editing.edited import clause_verdict
from fmp_models.editing.operations import replay
from fmp_models.editing.rule_editor import edit_text, open_editor
from fmp_models.editing.variants import Variant, clause_variants
from fmp_models.errors import BadInputError
from fmp_models.hub.models import save_speaking
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_clauses, read_plan
from fmp_models.languages.vocabulary import Vocabulary
from fmp_models.networks.backbone import VisionModel
from fmp_models.networks.editor import Editor, EditorConfig
from fmp_models.pose import PosePair
from tests.bodies import Arm, Body, Leg, pairs
from tests.nonempty import nonempty
from tests.thoroughness import examples

# The left arm rises, the right knee bends.
PAIR = PosePair(Body().pose(), Body(left_arm=Arm(lift=90)).pose())


def contradicted(text: str, code: str, pair: PosePair) -> list[str]:
    return [one.text for one in read_clauses(text, grammar(code)) if clause_verdict(one.goal, pair) is False]


@examples(100, 8, deadline=None)
@given(pair=pairs, seed=st.integers(0, 10_000))
def test_a_description_stays_exactly_as_it_is(pair: PosePair, seed: int) -> None:
    for code, told in nonempty(describe_in_scene(pair, (), seed).items()):
        edited = edit_text(told.text, code, pair)
        assert (edited.text, edited.rounds, edited.editing_steps) == (told.text, 0, 0)


@examples(60, 5, deadline=None)
@given(pair=pairs, seed=st.integers(0, 10_000))
def test_no_clause_of_an_edited_text_contradicts_the_joints(pair: PosePair, seed: int) -> None:
    for code, told in nonempty(describe_in_scene(pair, (), seed).items()):
        false = turned_false(told.text, code, pair)[:2]
        texts = [one.text for one in false]
        assert [contradicted(edit_text(text, code, pair).text, code, pair) for text in texts] == [[] for _ in texts]


def turned_false(text: str, code: str, pair: PosePair) -> list[Variant]:
    return [
        variant
        for place in read_clauses(text, grammar(code))
        if clause_verdict(place.goal, pair)
        for variant in clause_variants(text, code, place, lambda goal: clause_verdict(goal, pair) is False)
    ]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Stretch your left arm straight out to the side at shoulder height."),
        ("hi", "बायाँ हाथ कंधे की ऊँचाई पर बगल में सीधा तानिए।"),
    ],
)
def test_to_stretch_an_arm_that_was_straight_and_stays_so_is_not_wrong(code: str, text: str) -> None:
    assert edit_text(text, code, PAIR).text == text


@pytest.mark.parametrize(
    ("code", "text", "mended"),
    [
        ("en", "Raise your right arm. Great job!", "Raise your left arm. Great job!"),
        ("en", "Lower your left arm.", "Raise your left arm."),
        ("en", "Raise your left arm and bend your right knee.", "Raise your left arm."),
        ("en", "Bend your left elbow. Raise your left arm.", "Raise your left arm."),
        ("en", "First, bend both knees. Then raise your left arm.", "Raise your left arm."),
        ("en", "Breathe in, the weather is nice.", "Breathe in, the weather is nice."),
        ("en", "raise your  LEFT arm\nuntil it glows", "raise your  LEFT arm\nuntil it glows"),
        (
            "en",
            "Breathe in. Lift your right arm until the right hand is level with the right shoulder.",
            "Breathe in. Lift your left arm until the left hand is level with the left shoulder.",
        ),
        (
            "en",
            "Keep your right leg still. Raise your right arm and keep your right elbow straight.",
            "Keep your right leg still. Raise your left arm and keep your left elbow straight.",
        ),
        ("hi", "अपनी दाहिनी बांह ऊपर उठाएं।", "अपनी बाईं बांह ऊपर उठाएं।"),
        ("hi", "अपनी बाईं बांह नीचे लाएं।", "अपनी बाईं बांह ऊपर उठाएं।"),
        ("hi", "अपनी बाईं बांह ऊपर उठाएं और अपने दाहिने घुटने को मोड़ें।", "अपनी बाईं बांह ऊपर उठाएं।"),
    ],
)
def test_a_text_is_mended_in_as_few_words_as_possible(code: str, text: str, mended: str) -> None:
    assert edit_text(text, code, PAIR).text == mended


# Both arms rise forward, and both knees bend.
SQUAT = PosePair(
    Body().pose(),
    Body(
        left_arm=Arm(lift=85, swing=90),
        right_arm=Arm(lift=85, swing=90),
        left_leg=Leg(lift=70, bend=90),
        right_leg=Leg(lift=70, bend=90),
    ).pose(),
)


@pytest.mark.parametrize(
    ("code", "text", "mended"),
    [
        ("en", "Keep your knees straight.", "Bend your knees."),
        ("hi", "घुटने सीधे रखें।", "अपने घुटनों को मोड़कर रखें।"),
        ("en", "Bend your knees. KEEP BOTH LEGS STRAIGHT.", "Bend your knees."),
        ("en", "BEND YOUR KNEES AND LOWER YOUR ARMS", "BEND YOUR KNEES AND RAISE YOUR ARMS"),
        ("en", "Stand up tall. Drop your arms to your sides.", "Bring your arms up."),
    ],
)
def test_a_mended_clause_stays_about_its_limb_and_reads_well(code: str, text: str, mended: str) -> None:
    assert edit_text(text, code, SQUAT).text == mended


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_text_without_a_true_step_becomes_the_geometrys_own(code: str) -> None:
    text = {"en": "Keep your left arm still.", "hi": "अपनी बाईं बांह को स्थिर रखें।"}[code]
    edited = edit_text(text, code, PAIR)
    assert contradicted(edited.text, code, PAIR) == []
    assert read_plan(edited.text, grammar(code)) != ()


def test_a_complete_edit_adds_the_missing_changes_with_their_reason() -> None:
    pair = PosePair(Body().pose(), Body(left_arm=Arm(lift=90), right_arm=Arm(bend=90)).pose())
    edited = edit_text("Lower your left arm.", "en", pair, complete=True)
    assert edited.text.startswith("Raise your left arm.")
    reasons = [(one.op, one.token, one.reason) for one in edited.operations if one.op != "KEEP"]
    assert reasons[:2] == [("DELETE", "Lower", "false"), ("ADD", "Raise", "false")]
    assert {reason for op, _, reason in reasons[2:]} == {"missing"}


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_text_of_many_false_steps_becomes_the_geometrys_own_at_once(code: str) -> None:
    step = {"en": "bend your right knee and ", "hi": "अपने दाहिने घुटने को मोड़ें और "}[code]
    assert edit_text(step * 30, code, PAIR).text == describe(PAIR, code).text


@pytest.mark.parametrize(
    "text", ["  Raise your right arm\n\n now ", "raise\tyour right arm.  ", "Raise your right arm \n"]
)
def test_every_space_is_in_the_operations(text: str) -> None:
    edited = edit_text(text, "en", PAIR)
    assert (edited.after(0), edited.after(edited.rounds)) == (text, edited.text)
    assert edited.text == text.replace("right", "left")


def test_operations_replay_to_both_texts_and_name_the_false_words() -> None:
    edited = edit_text("Please raise your right arm now.", "en", PAIR)
    assert (" ".join(replay(edited.operations, 0)), " ".join(replay(edited.operations))) == (edited.given, edited.text)
    assert [(one.op, one.token, one.reason) for one in edited.operations if one.op != "KEEP"] == [
        ("DELETE", "right", "false"),
        ("ADD", "left", "false"),
    ]
    assert [one.text for one in edited.removed] == ["Raise your right arm."]
    assert [one.agrees for one in edited.clauses] == [True]


def test_an_editor_is_the_rules_or_a_trained_one_by_its_folder(tmp_path: Path) -> None:
    vocabularies = {"en": Vocabulary.of(["raise your left arm ."], "en", 1)}
    config = EditorConfig({"en": len(vocabularies["en"].words)}, hidden=8, layers=1, heads=2)
    save_speaking(tmp_path / "editor", VisionModel(Editor(config), None), vocabularies, "# Untrained\n")

    trained = open_editor(str(tmp_path / "editor"), device="cpu")

    assert trained.languages == ("en",)
    assert trained.name != open_editor().name
    assert open_editor().name == open_editor("rules").name
    with pytest.raises(BadInputError, match="rules") as refused:
        open_editor("oracle")
    assert refused.value.code == "model_name_unknown"
