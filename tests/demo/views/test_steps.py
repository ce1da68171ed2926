"""Steps of an answer, the joints that they concern, and their demonstration."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.views.figures import WordLook
from demo.views.steps import HighlightedJoints, checked_steps, highlighted_joints, played, steps
from fmp_models.describe.descriptions import CheckedClause
from fmp_models.geometry.lexicon import Clause, Direction, Part, Side
from fmp_models.inference.correction import GEOMETRY, Correction, CorrectionStep, ModelName, Word
from fmp_models.inference.demonstration import demonstrate, demonstrate_steps
from fmp_models.inference.target_finder import RankedCandidate, RankedShape, Ranking, WeighedWord
from fmp_models.languages.language_data import LANGUAGES, grammar, speech_words
from fmp_models.pose import BODY_PARTS, INDEX, JOINTS, Pose
from tests.demo.views.test_figures import arm_out, standing
from tests.named_clauses import named_clause
from tests.nonempty import nonempty

TRAINED = ModelName("captioner", "abc")
LOOK = WordLook("0z", "z0", "", ("parts.head",), ())


def clause(text: str, words: tuple[int, int], *, agrees: bool | None = True, confidence: float = 0.9) -> CheckedClause:
    return CheckedClause(text, named_clause("left arm", "up"), agrees, confidence, words)


def unseen(text: str, words: tuple[int, int]) -> CheckedClause:
    return CheckedClause(text, named_clause("both legs", "unseen"), None, 0.5, words)


GEOMETRIC = clause("Raise your arm.", (0, 3), agrees=None), clause("Bend it.", (3, 5))


def correction(text: str, *clauses: CheckedClause, model: ModelName = TRAINED, confidence: float = 0.9) -> Correction:
    words = tuple(Word(word, confidence) for word in text.split())
    return Correction(text, "en", words, clauses, model, "estimator", (1, 1), {"total": 1.0})


def ranked(text: str, *clauses: CheckedClause, **more: object) -> Ranking:
    words = tuple(WeighedWord(word, 0.1, None, known=True) for word in text.split())
    given: dict[str, Any] = {"words": words, "parts": (), "clauses": clauses, **more}
    return Ranking(
        (RankedCandidate(0, 0.7), RankedCandidate(1, 0.3)),
        "en",
        0.4,
        model=TRAINED,
        estimator="",
        people=(),
        milliseconds={},
        **given,
    )


def told(answer: Correction, *kinds: str, by: str | None = None) -> Correction:
    """Return the answer in steps of these kinds, one for each clause and then for the words after the last one.

    Without kinds a clause is a step, or what was not seen.
    """
    kinds = kinds or tuple("unseen" if one.direction == "unseen" else "step" for one in answer.clauses)
    words, told_steps, at = answer.text.split(), list[CorrectionStep](), 0
    for number, kind in enumerate(kinds):
        places = (number,) if number < len(answer.clauses) else ()
        span = answer.clauses[number].words if places else (at, len(words))
        at = span[1]
        sureness = answer.clauses[number].confidence if places else None
        told_steps.append(CorrectionStep(" ".join(words[slice(*span)]), kind, places, span, sureness, by))
    return replace(answer, steps=tuple(told_steps))


def test_what_leads_to_a_step_and_what_follows_it_stay_with_it_and_other_sentences_stand_alone() -> None:
    text = "You need to raise your arm, and bend both knees a bit. The sofa is nice. Then stop"

    listed_steps = steps(correction(text, clause("Bend both knees.", (7, 10)), clause("Raise your arm.", (3, 6))), ())

    assert [(step.text, step.verdict) for step in listed_steps] == [
        ("You need to raise your arm,", "yes"),
        ("and bend both knees a bit.", "yes"),
        ("The sofa is nice.", ""),
        ("Then stop", ""),
    ]


@given(st.data())
def test_the_whole_text_is_shown_once_and_in_its_order(data: st.DataObject) -> None:
    words = data.draw(st.lists(st.sampled_from(["raise", "arm,", "hand.", "और", "उठाएं।", "(", "sofa"]), max_size=20))
    ends = st.integers(0, len(words))
    spans = data.draw(st.lists(st.tuples(ends, ends), max_size=6))
    clauses = [clause("Said.", (min(span), max(span))) for span in spans if span[0] != span[1]]

    listed_steps = steps(correction(" ".join(words), *clauses), ())

    assert [word.text for step in listed_steps for word in step.words] == words
    assert bool(clauses) == any(step.verdict for step in listed_steps)


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        ([True, True], "yes"),
        ([False, False], "no"),
        ([True, False], "partly"),
        ([True, False, None], "partly"),
        ([True, None], "unknown"),
        ([False, None], "no"),
    ],
)
def test_clauses_that_share_words_are_one_step_with_one_verdict(verdicts: list[bool | None], verdict: str) -> None:
    clauses = [
        clause("Raise both hands.", (0, 3 + number), agrees=agrees, confidence=0.9 - 0.3 * number)
        for number, agrees in enumerate(verdicts)
    ]

    (step,) = steps(correction("Raise both hands and the foot.", *clauses), ())

    assert step.verdict == verdict
    assert step.level == {2: "middle", 3: "low"}[len(verdicts)]  # that of the least sure clause


@pytest.mark.parametrize(("confidence", "level"), [(0.75, "high"), (0.749, "middle"), (0.5, "middle"), (0.49, "low")])
def test_a_word_says_how_sure_it_is(confidence: float, level: str) -> None:
    (step,) = steps(correction("Look up.", confidence=confidence), ())

    assert {word.level for word in step.words} == {level}
    assert {word.percent for word in step.words} == {round(100 * confidence)}


def test_marks_alone_are_no_words_to_choose() -> None:
    (step,) = steps(correction("Raise – उठाएं।"), (LOOK, LOOK, LOOK))

    assert [(bool(word.level), word.look is LOOK) for word in step.words] == [
        (True, True),
        (False, False),
        (True, True),
    ]


def test_sentences_of_ours_are_kept_whole_and_those_of_a_captioner_word_by_word() -> None:
    answer = correction("Raise your arm. Bend it.", *GEOMETRIC)

    for by in (None, "captioner"):
        assert [(step.text, step.verdict, bool(step.words)) for step in steps(told(answer, by=by), ())] == [
            ("Raise your arm.", "unknown", by is not None),
            ("Bend it.", "yes", by is not None),
        ]


def test_only_words_of_a_captioner_s_own_sentence_have_looks() -> None:
    text = "Raise your arm. Bend it."
    in_words_of_ours, own = told(correction(text, *GEOMETRIC)).steps
    answer = replace(correction(text, *GEOMETRIC), steps=(in_words_of_ours, replace(own, by="captioner")))

    ours, theirs = steps(answer, (LOOK,) * 5)

    assert ours.words == ()
    assert [word.look for word in theirs.words] == [LOOK, LOOK]


TOLD = told(
    correction(
        "Raise your arm. Fine tuning: bend it. Keep in mind: shoulders low. I could not see your legs. The rest stays.",
        clause("Raise your arm.", (0, 3)),
        clause("Bend it.", (3, 7), agrees=None, confidence=0.6),
        model=GEOMETRY,
    ),
    "step",
    "fine",
)
TOLD = replace(
    TOLD,
    clauses=(*TOLD.clauses, unseen("I could not see your legs.", (12, 18))),
    steps=(
        *TOLD.steps,
        CorrectionStep("Keep in mind: shoulders low.", "watch", (), (7, 12), None),
        CorrectionStep("I could not see your legs.", "unseen", (2,), (12, 18), 0.5),
    ),
)


def test_each_step_is_of_its_kind_and_only_what_was_measured_has_a_level_and_a_verdict() -> None:
    assert [(step.text, step.kind, step.level, step.verdict) for step in steps(TOLD, ())] == [
        ("Raise your arm.", "step", "high", "yes"),
        ("Fine tuning: bend it.", "fine", "middle", "unknown"),
        ("Keep in mind: shoulders low.", "watch", "", ""),
        ("I could not see your legs.", "unseen", "", ""),
        ("The rest stays.", "", "", ""),
    ]


@given(st.data())
def test_a_text_told_in_steps_is_shown_whole_and_in_its_order(data: st.DataObject) -> None:
    words = [f"word{number}" for number in range(data.draw(st.integers(1, 12)))]
    ends = sorted(data.draw(st.lists(st.integers(0, len(words)), unique=True, max_size=6)))
    spans = [span for span in pairwise(ends) if data.draw(st.booleans())]
    answer = correction(" ".join(words), *(clause("Said.", span) for span in spans), model=GEOMETRY)

    listed_steps = steps(told(answer), ())

    assert " ".join(step.text for step in listed_steps).split() == (words if spans else [])
    assert [step.place for step in listed_steps if step.kind] == spans


def test_a_step_of_several_clauses_is_as_sure_as_the_least_sure_and_lights_the_joints_of_all() -> None:
    bend = replace(clause("Bend.", (0, 0), confidence=0.6), clause=named_clause("right knee", "up"))
    clauses = clause("Raise your arm.", (0, 0)), bend
    told_step = CorrectionStep("Do it now.", "step", (0, 1), (0, 3), 0.6)
    (step,) = steps(replace(correction("Do it now.", *clauses, model=GEOMETRY), steps=(told_step,)), ())

    assert step.level == "middle"
    assert {INDEX["left_wrist"], INDEX["right_knee"]} <= set(step.highlighted_joints.joints)


def test_only_a_step_that_the_model_had_no_part_in_is_added() -> None:
    own, added = clause("Raise your arm.", (0, 3)), replace(clause("Bend it.", (3, 5)), by=GEOMETRY.id)
    text = "Raise your arm. Bend it."
    both = CorrectionStep(text, "step", (0, 1), (0, 5), 0.9)
    answer = correction(text, replace(own, by="captioner"), added)

    assert [step.added for step in steps(told(answer), ())] == [False, True]
    assert [step.added for step in steps(replace(answer, steps=(both,)), ())] == [False]
    assert not any(step.added for step in steps(told(replace(answer, model=GEOMETRY)), ()))


def test_what_was_not_seen_has_a_kind_of_its_own_and_what_follows_is_said_as_well() -> None:
    text = "Raise your arm. I could not see your legs. Nothing else moved."
    answer = correction(text, clause("Raise your arm.", (0, 3)), unseen("I could not see your legs.", (3, 9)))

    for one in (answer, told(answer), told(replace(answer, model=GEOMETRY))):
        assert [(step.text, step.kind, step.verdict, step.level) for step in steps(one, ())] == [
            ("Raise your arm.", "step", "yes", "high"),
            ("I could not see your legs.", "unseen", "", ""),
            ("Nothing else moved.", "", "", ""),
        ]


def test_a_clause_that_no_word_says_is_not_shown() -> None:
    hidden = clause("Bend it.", (0, 0))

    assert [step.text for step in steps(correction("Raise your arm.", hidden), ())] == ["Raise your arm."]


def test_a_movement_that_shares_its_words_with_what_was_not_seen_keeps_its_verdict() -> None:
    clauses = clause("Raise your arm.", (0, 6)), unseen("I could not see it.", (0, 6))

    (step,) = steps(correction("Raise the arm nobody could see.", *clauses), ())

    assert (step.verdict, step.level) == ("yes", "high")


def test_in_what_somebody_else_wrote_the_joints_cannot_tell_what_was_not_seen() -> None:
    text = "I could not see your legs."

    (step,) = checked_steps(ranked(text, unseen(text, (0, 6))))

    assert step.verdict == "unknown"


@pytest.mark.parametrize(
    ("agrees", "deciding", "verdict"),
    [(True, (0,), "yes"), (True, (), "shared"), (False, (), "no"), (None, (), "unknown")],
)
def test_the_joints_agree_with_what_tells_the_best_candidate_from_the_others(
    agrees: bool | None,  # noqa: FBT001
    deciding: tuple[int, ...],
    verdict: str,
) -> None:
    text = "Squat down and raise your arm."
    squat = RankedShape("squat", "both", (0, 2), 0.8, deciding=True)

    answer = ranked(text, clause("Raise your arm.", (3, 6), agrees=agrees), shapes=(squat,), deciding=deciding)

    assert [(step.text, step.verdict, step.shapes) for step in checked_steps(answer)] == [
        ("Squat down", "", (squat,)),
        ("and raise your arm.", verdict, ()),
    ]


def test_nothing_said_is_no_step() -> None:
    assert steps(correction(""), ()) == ()
    assert steps(correction("", model=GEOMETRY), ()) == ()


def test_a_step_of_the_geometry_has_no_words_of_the_model() -> None:
    own, added = clause("Raise your arm.", (0, 3)), clause("Bend it.", (3, 5))
    sentences = "Raise your arm. Bend it."
    listed_steps = steps(correction(sentences, replace(own, by="captioner"), replace(added, by=GEOMETRY.id)), ())
    assert [(step.text, step.added, bool(step.words)) for step in listed_steps] == [
        ("Raise your arm.", False, True),
        ("Bend it.", True, False),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_only_pictures_were_looked_at_is_said_in_words_of_nobody_s_confidence(language: str) -> None:
    sentence = f"{grammar(language).pictures_alone} Bend it."
    listed_steps = steps(replace(correction(sentence), language=language), ())
    assert [(step.text, bool(step.words)) for step in listed_steps] == [
        (grammar(language).pictures_alone, False),
        ("Bend it.", True),
    ]


def lit(*parts: str) -> HighlightedJoints:
    clauses = [named_clause(part, "move") for part in parts]
    return highlighted_joints((clause.side, clause.part) for clause in clauses)


@pytest.mark.parametrize(
    ("part", "joints", "rows"),
    [
        ("left hand", ["left_wrist", "left_hand"], ("left_hand",)),
        ("both knees", ["right_knee", "left_knee"], ("left_knee", "right_knee")),
        ("both feet", ["right_ankle", "right_foot", "left_ankle", "left_foot"], ("left_foot", "right_foot")),
        ("head", ["head"], ("head",)),
        ("body", list(JOINTS), tuple(BODY_PARTS)),
    ],
)
def test_a_part_has_its_joints_and_its_rows(part: str, joints: list[str], rows: tuple[str, ...]) -> None:
    lit_joints = lit(part)

    assert [JOINTS[number] for number in lit_joints.joints] == joints
    assert lit_joints.rows == rows


def test_clauses_of_one_step_are_lit_together() -> None:
    assert lit("left elbow", "right elbow") == lit("both elbows")
    assert lit().joints == ()


@pytest.mark.parametrize("part", Part)
def test_every_part_that_a_clause_can_name_is_lit(part: Part) -> None:
    for side in nonempty((Side.LEFT, Side.RIGHT, Side.BOTH) if part.sided else (Side.NONE,)):
        lit_joints = highlighted_joints([(side, part)])
        assert lit_joints.joints
        assert lit_joints.rows
        assert set(lit_joints.joints) <= set(INDEX.values())


BODY = Pose(standing(), np.ones(20))
GOAL = Pose(arm_out(), np.ones(20))


def played_json(text: str, language: str = "en", target: Pose | None = GOAL) -> dict[str, object]:
    return json.loads(json.dumps(played(demonstrate(text, language, BODY, target))))


@pytest.mark.parametrize(
    ("text", "language"),
    [("Raise your left arm. Bend both knees.", "en"), ("बाईं बांह उठाएं। दोनों घुटनों को मोड़ें।", "hi")],
)
def test_each_step_has_its_words_its_poses_and_the_joints_that_it_is_about(text: str, language: str) -> None:
    demonstration = played_json(text, language)

    assert [(step["from"], step["to"]) for step in demonstration["steps"]] == [(0, 1), (1, 2)]
    assert " ".join(step["text"] for step in demonstration["steps"]) == text
    assert demonstration["steps"][0]["lit"] == ["left_shoulder", "left_elbow", "left_wrist", "left_hand"]
    assert demonstration["steps"][1]["lit"] == ["right_knee", "left_knee"]
    assert demonstration["unmoved"] == []
    assert demonstration["language"] == language
    assert len(demonstration["poses"]) == 3
    assert np.allclose(demonstration["poses"][0], BODY.joints, atol=0.001)


def test_a_shape_lights_the_parts_that_it_says_all_about() -> None:
    (step,) = played_json("Squat down.", target=None)["steps"]
    assert {"left_knee", "right_ankle"} <= {*step["lit"]}
    assert not {"left_wrist", "head"} & {*step["lit"]}


ARM = Clause(Side.LEFT, Part.ARM, Direction.UP)
KNEES = Clause(Side.BOTH, Part.KNEE, Direction.BEND)
UNSEEN = Clause(Side.RIGHT, Part.ARM, Direction.UNSEEN)


def test_a_step_of_several_clauses_is_one_move_with_the_joints_of_all() -> None:
    text = "Raise your left arm, knees bent. Keep in mind: shoulders low. Bend both knees. I could not see it."
    plans = [((0, 6), (ARM, KNEES)), ((6, 11), ()), ((11, 14), (KNEES,)), ((14, 19), (UNSEEN,))]

    demonstration = played(demonstrate_steps(text, "en", plans, BODY, GOAL))

    assert [(step["text"], step["words"], step["from"], step["to"]) for step in demonstration["steps"]] == [
        ("Raise your left arm, knees bent.", (0, 6), 0, 1),
        ("Bend both knees.", (11, 14), 1, 2),
    ]
    assert {"left_wrist", "left_knee", "right_knee"} <= set(demonstration["steps"][0]["lit"])
    assert demonstration["unmoved"] == []
    assert len(demonstration["poses"]) == 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_steps_leave_is_a_last_step_in_words_of_its_own_that_lights_nothing(language: str) -> None:
    demonstration = played(demonstrate_steps("Bend both knees.", language, [((0, 3), (KNEES,))], BODY, GOAL))

    assert [(step["words"], step["from"], step["to"]) for step in demonstration["steps"]] == [
        ((0, 3), 0, 1),
        (None, 1, 2),
    ]
    assert demonstration["steps"][1]["text"] == speech_words(language).ease
    assert demonstration["steps"][1]["lit"] == []
    assert demonstration["unmoved"] == []
    assert np.allclose(demonstration["poses"][-1], demonstration["target"])


def test_what_shares_its_words_is_one_step() -> None:
    demonstration = played_json("Raise your left hand and your left foot.")

    assert len(demonstration["steps"]) == 1
    assert len(demonstration["poses"]) == 1 + demonstration["steps"][0]["to"]
    assert {"left_hand", "left_foot"} <= set(demonstration["steps"][0]["lit"])


def test_what_cannot_be_carried_out_is_listed_once_and_moves_nothing() -> None:
    demonstration = played_json("Raise your left arm. Sing a song. Sing a song.")

    assert [step["text"] for step in demonstration["steps"]] == ["Raise your left arm."]
    assert demonstration["unmoved"] == ["Sing a song."]
    assert len(demonstration["poses"]) == 2


def test_what_was_not_seen_is_neither_done_nor_reproached() -> None:
    demonstration = played_json("Bend both knees. I could not see your left arm.")

    assert [step["text"] for step in demonstration["steps"]] == ["Bend both knees."]
    assert demonstration["unmoved"] == []


def test_without_a_target_there_is_no_ghost_and_no_way() -> None:
    demonstration = played_json("Raise your left arm.", target=None)

    assert demonstration["target"] is demonstration["way"] is None


def test_a_text_of_ten_steps_is_a_few_kilobytes() -> None:
    text = " ".join(["Raise your left arm.", "Lower your left arm."] * 5)

    assert len(json.dumps(played_json(text))) < 9_500


def test_joints_are_named_as_bodies_are() -> None:
    assert played_json("Raise your left arm.")["joints"] == list(INDEX)
