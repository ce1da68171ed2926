"""Slots, end states and the judgement of an answer to a real pair."""

from __future__ import annotations

import logging
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image

from fmp_models.commands.options import json_text, write_results
from fmp_models.describe.descriptions import CheckedClause
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate
from fmp_models.evaluation.judgement import (
    Answer,
    Judgement,
    claims,
    contradicts_itself,
    end_states,
    end_verdicts,
    judge,
    second_movements,
    spoken_slots,
    unseen,
    verdict,
)
from fmp_models.evaluation.real_pairs import OF_A_SIDE, SLOTS, LabelledPair, read_real_pairs
from fmp_models.evaluation.real_scores import EvaluatedModel, RememberingEstimator, judged_answers, real_result
from fmp_models.evaluation.stored_results import RealResults, read_results
from fmp_models.geometry.lexicon import Clause, Direction, Part, Side
from fmp_models.inference.correction import Correction, ModelName
from fmp_models.inference.corrector import GeometryModel
from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_clauses
from fmp_models.pose import Pose
from fmp_models.preprocessing import Photograph
from tests.bodies import Arm, Body
from tests.fmp_models.evaluation.labelled_folders import SQUAT, make_folder
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
    assume(back != clause)
    turned = {slot: None if sign is None else -sign for slot, sign in truth.items()}
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


LABELS = {"left_arm_level": "shoulder", "right_arm_level": "above_head", "left_knee_angle": "right_angle"}


def clause(text: str, language: str) -> CheckedClause:
    """Return the first clause of the text."""
    found = read_clauses(text, grammar(language))[0].goal
    return CheckedClause(text, found, None, 0.5, (0, 1))


def verdicts(text: str, language: str) -> list[bool]:
    one = clause(text, language)
    return end_verdicts(one, end_states(one, grammar(language)), LABELS)


@pytest.mark.parametrize(
    ("english", "hindi", "expected"),
    [
        ("Raise your left arm to shoulder height.", "अपनी बाईं बांह को कंधे की ऊंचाई तक उठाएं।", [True]),
        ("Raise your right arm to shoulder height.", "अपनी दाहिनी बांह को कंधे की ऊंचाई तक उठाएं।", [False]),
        ("Raise both arms to shoulder height.", "अपनी दोनों बांहों को कंधों की ऊंचाई तक उठाएं।", [True, False]),
        ("Raise your right arm straight up.", "अपनी दाहिनी बांह को छत की ओर सीधा उठाएं।", [True]),
        ("Bring your left hand up to head height.", "अपने बाएं हाथ को सिर की ऊंचाई तक उठाएं।", [False]),
        ("Bend your left knee to a right angle.", "अपने बाएं घुटने को समकोण तक मोड़ें।", [True]),
        ("Straighten your left knee all the way.", "अपने बाएं घुटने को पूरी तरह सीधा करें।", [False]),
        ("Bend your right knee to a right angle.", "अपने दाहिने घुटने को समकोण तक मोड़ें।", []),
        ("Raise your left arm.", "अपनी बाईं बांह को ऊपर उठाएं।", []),
        # Of a forearm alone "straight up" does not tell where the hand is.
        ("Raise your left forearm until it points straight up.", "अपनी बाईं निचली बांह को छत की ओर सीधा उठाएं।", []),
    ],
)
def test_end_states_are_judged_in_both_languages(english: str, hindi: str, expected: list[bool]) -> None:
    assert verdicts(english, "en") == expected
    assert verdicts(hindi, "hi") == expected


@pytest.mark.parametrize(
    ("text", "language", "slot"),
    [
        ("Raise both arms out to the sides to shoulder height.", "en", "left_arm_out"),
        ("अपनी दोनों बांहों को बगल की ओर कंधों की ऊंचाई तक उठाएं।", "hi", "left_arm_out"),
        ("Raise both arms in front of you.", "en", "right_arm_forward"),
        ("अपनी दोनों बांहों को शरीर के सामने उठाएं।", "hi", "right_arm_forward"),
    ],
)
def test_an_end_state_says_a_second_movement(text: str, language: str, slot: str) -> None:
    one = clause(text, language)
    found = second_movements(one, end_states(one, grammar(language)))
    assert (slot, 1) in {(claim.slots[0], claim.sign) for claim in found}


def test_words_that_say_another_clause_say_nothing_of_this_one() -> None:
    one = CheckedClause("Bend your left knee to a right angle.", named_clause("left arm", "up"), None, 0.5, (0, 1))
    assert end_states(one, grammar("en")) == ()


def test_what_was_not_seen_has_no_end_state() -> None:
    one = CheckedClause(
        "I could not see your left arm at shoulder height.", named_clause("left arm", "unseen"), None, 0.9, (0, 1)
    )
    assert end_verdicts(one, end_states(one, grammar("en")), LABELS) == []


NOWHERE = Path("none.jpg")


def pair(
    id_: str = "a", view: str | None = None, must: tuple[str, ...] = ("left_arm_up",), **truth: int
) -> LabelledPair:
    return LabelledPair(id_, NOWHERE, NOWHERE, {"left_arm_up": 1, **truth}, must, {"left_arm_level": "shoulder"}, view)


def answer(*clauses: tuple[str, str, str, float], text: str | None = None, ms: float = 100.0) -> Answer:
    said = tuple(
        CheckedClause(words, named_clause(part, way), None, sure, (0, 1)) for words, part, way, sure in clauses
    )
    whole = " ".join(clause.text for clause in said) if text is None else text
    return Answer(Correction(whole, "en", (), said, ModelName("m", "1"), "e", (1, 1), {}), milliseconds=ms)


UP = ("Raise your left arm to shoulder height.", "left arm", "up", 0.9)
DOWN = ("Lower your left arm.", "left arm", "down", 0.8)
KEEP = ("Keep both legs where they are.", "both legs", "keep", 0.7)
HIDDEN = ("I could not see your left forearm.", "left forearm", "unseen", 0.6)


def judged(one: LabelledPair, said: Answer) -> Judgement:
    return judge(one, said, grammar("en"))


@pytest.fixture
def asked() -> EvaluatedModel:
    return EvaluatedModel(RememberingEstimator(Staring()), GeometryModel(), "en")


class Staring:
    """Sees somebody who stands, in pictures that are bright enough, and counts how often it looked."""

    name = "program-1/staring"

    def __init__(self) -> None:
        self.looked = 0

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        self.looked += 1
        brightness = photograph.image.convert("L").resize((1, 1)).getpixel((0, 0))
        assert isinstance(brightness, int)
        if brightness < 10:
            raise BadInputError("no_person", which="given")
        body = Body(left_arm=Arm(lift=90.0 if brightness > 200 else 5.0))
        pose: Pose = body.pose()
        return PoseEstimate(pose, pose.joints[:, :2], (0, 0, 9, 9), 1)


def test_a_right_answer_has_a_verdict_its_must_and_its_end_state() -> None:
    found = judged(pair(), answer(UP, KEEP))
    assert found.verdicts == ("right", None)
    assert found.mentioned == {"left_arm_up"}
    assert found.ends == (True,)
    assert found.missed == []
    assert not any((found.false_all_clear, found.contradictory, found.broken, found.refused))


def test_only_what_stays_is_a_false_all_clear_where_something_must_be_said() -> None:
    assert judged(pair(), answer(KEEP)).false_all_clear
    assert judged(pair(), answer(text="There is no clear difference.")).false_all_clear
    assert not judged(pair(must=()), answer(KEEP)).false_all_clear
    assert not judged(pair(), answer(KEEP, HIDDEN)).false_all_clear
    assert not judged(pair(), Answer(None, "no_person")).false_all_clear


def test_what_was_not_seen_counts_for_its_slots_and_is_never_right_or_wrong() -> None:
    one = pair(must=("left_hand_up", "left_arm_up"), left_hand_up=1)
    found = judged(one, answer(HIDDEN))
    assert found.verdicts == (None,)
    assert (found.mentioned, found.unseen, found.missed) == (set(), {"left_hand_up"}, ["left_arm_up"])


def test_who_says_the_opposite_has_not_admitted_anything() -> None:
    lowered = ("Lower your left hand.", "left hand", "down", 0.5)
    found = judged(pair(must=("left_hand_up",), left_hand_up=1), answer(HIDDEN, lowered))
    assert found.unseen == set()
    assert found.missed == ["left_hand_up"]


@pytest.mark.parametrize("text", ["Raise it.", "Raise it!", "Raise it? ", "उठाएं।", "उठाएं।\n"])
def test_a_whole_sentence_ends_with_a_mark(text: str) -> None:
    assert not judged(pair(), answer(UP, text=text)).broken


@pytest.mark.parametrize("text", ["Raise your left", "", "Raise,", "बाएं हाथ को"])
def test_a_text_that_breaks_off_is_found(text: str) -> None:
    assert judged(pair(), answer(UP, text=text)).broken


def test_shares_are_of_all_clauses_and_lists_name_pairs(asked: EvaluatedModel) -> None:
    found = real_result(
        [
            judged(pair("a", "front"), answer(UP, KEEP, ms=100)),
            judged(pair("b", "front"), answer(DOWN, UP, ms=200)),
            judged(pair("c", "side"), answer(KEEP, text="Keep", ms=300)),
            judged(pair("d"), Answer(None, "no_person")),
        ],
        asked,
    )
    assert (found.pairs, found.judged, found.not_judged) == (4, 3, 2)
    assert (found.right, found.wrong, found.opposite) == (0.667, 0.0, 0.333)
    assert (found.must, found.must_slots, found.must_unseen, found.must_said_or_unseen) == (0.5, 4, 0.0, 0.5)
    assert found.false_all_clear == ["c"]
    assert found.contradictory == ["b"]
    assert found.broken == ["c"]
    assert found.refused == ["d"]
    assert found.refusals == {"d": "no_person"}
    assert (found.end.right, found.end.wrong) == (2, 0)
    assert (found.ms_median, found.ms_p95) == (200.0, 290.0)
    assert found.key == ("geometry", "staring", "en")
    assert list(found.views) == ["front", "not said", "side"]
    assert (found.views["front"].right, found.views["front"].judged, found.views["front"].pairs) == (0.667, 3, 2)
    assert found.views["side"].judged == 0


def test_intervals_hold_the_share_are_the_same_again_and_narrow_with_more_pairs(asked: EvaluatedModel) -> None:
    mixed = [judged(pair(str(i)), answer(UP if i % 3 else DOWN)) for i in range(12)]
    few, many = real_result(mixed, asked), real_result(mixed * 8, asked)
    for one in (few, many):
        assert real_result(mixed, asked).intervals == few.intervals
        for name in ("right", "opposite", "must"):
            ends = one.intervals[name]
            assert ends is not None
            assert 0 <= ends[0] < getattr(one, name) < ends[1] <= 1
    widths = [ends[1] - ends[0] for one in (few, many) if (ends := one.intervals["right"])]
    assert widths[1] < widths[0] / 2


def test_where_all_pairs_agree_the_interval_still_has_a_width(asked: EvaluatedModel) -> None:
    found = real_result([judged(pair(str(i)), answer(UP)) for i in range(10)], asked)
    assert found.intervals["right"] == (0.692, 1.0)  # Clopper and Pearson: 0.025 ** (1 / 10)
    assert found.intervals["opposite"] == (0.0, 0.308)


def test_one_pair_or_nothing_judged_has_no_interval(asked: EvaluatedModel) -> None:
    assert real_result([judged(pair(), answer(UP))], asked).intervals["right"] is None
    nothing = real_result([judged(pair(str(i)), answer(KEEP)) for i in range(5)], asked)
    assert (nothing.judged, nothing.right, nothing.intervals["right"]) == (0, 0.0, None)
    assert nothing.calibration.error is None


def test_confidence_is_compared_with_what_is_right_in_ten_bins(asked: EvaluatedModel) -> None:
    answers = [answer(UP), answer(UP), answer(UP), answer(DOWN)]
    found = real_result([judged(pair(str(i)), said) for i, said in enumerate(answers)], asked).calibration
    assert len(found.bins) == 10
    assert [one.clauses for one in found.bins] == [0, 0, 0, 0, 0, 0, 0, 1, 3, 0]
    assert (found.bins[8].confidence, found.bins[8].right) == (0.9, 1.0)
    assert found.error == pytest.approx((3 * 0.1 + 1 * 0.8) / 4)


@pytest.mark.parametrize("sure", [0.0, 1.0])
def test_every_confidence_has_a_bin(asked: EvaluatedModel, sure: float) -> None:
    found = real_result([judged(pair(), answer((*UP[:3], sure)))], asked).calibration
    assert sum(one.clauses for one in found.bins) == 1


def test_a_picture_is_measured_once_and_its_time_is_counted_as_if_it_were_fresh() -> None:
    staring = Staring()
    remembering = RememberingEstimator(staring)
    bright, dark = (Photograph(Image.new("RGB", (64, 64), colour)) for colour in ("white", "black"))
    assert remembering.estimate(bright) is remembering.estimate(Photograph(bright.image.copy()))
    assert staring.looked == 1
    assert remembering.saved > 0
    for _ in range(2):
        with pytest.raises(BadInputError, match="No person"):
            remembering.estimate(dark)
    assert staring.looked == 2
    remembering.estimate(Photograph(Image.new("RGB", (32, 128), "white")))
    assert staring.looked == 3, "the same pixels in another shape are another picture"


def test_a_refused_pair_is_an_answer_and_the_next_one_is_asked(
    asked: EvaluatedModel, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fmp_models")
    folder = make_folder(tmp_path, *({**SQUAT, "id": name, "current": f"{name}.png"} for name in ("dark", "torn", "a")))
    Image.new("RGB", (99, 99), "black").save(folder / "dark.png")
    Image.new("RGB", (99, 99), "grey").save(folder / "a.png")
    (folder / "torn.png").write_bytes((folder / "a.png").read_bytes()[:60])
    found = judged_answers(read_real_pairs(folder), asked)
    assert [one.answer.refusal for one in found] == ["no_person", "photo_broken", ""]
    assert [one.refused for one in found] == [True, True, False]
    assert caplog.messages == ["geometry, staring, en: 3 of 3 pairs"]


def test_results_are_read_back_as_they_were_written(asked: EvaluatedModel, tmp_path: Path) -> None:
    told = RealResults([real_result([judged(pair(), answer(UP)), judged(pair("b"), answer(DOWN))], asked)], "command")
    kept = tmp_path / "kept.json"
    write_results({kept: asdict(told)})
    assert json_text(asdict(read_results(RealResults, kept))) == json_text(asdict(told))
