"""Answers judged, and the numbers made of them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
from PIL import Image

from fmp_models.commands.results_file import json_text, write_results
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate
from fmp_models.evaluation.paper_tables.kept_tables import read_results
from fmp_models.evaluation.real.answers import EvaluatedModel, RememberingEstimator, judged_answers
from fmp_models.evaluation.real.judgement import Answer, Judgement, judge
from fmp_models.evaluation.real.pairs import LabelledPair, read_real_pairs
from fmp_models.evaluation.real.results import RealResults
from fmp_models.evaluation.real.scoring import result
from fmp_models.inference.backends import GeometryModel
from fmp_models.inference.corrector import CheckedClause, Correction
from fmp_models.inference.model_names import ModelName
from fmp_models.languages.language_data import grammar
from fmp_models.pose import Pose
from fmp_models.preprocessing import Photograph
from tests.bodies import Arm, Body
from tests.fmp_models.evaluation.real.folders import SQUAT, make_folder
from tests.named_clauses import named_clause

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
    found = result(
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
    few, many = result(mixed, asked), result(mixed * 8, asked)
    for one in (few, many):
        assert result(mixed, asked).intervals == few.intervals
        for name in ("right", "opposite", "must"):
            ends = one.intervals[name]
            assert ends is not None
            assert 0 <= ends[0] < getattr(one, name) < ends[1] <= 1
    widths = [ends[1] - ends[0] for one in (few, many) if (ends := one.intervals["right"])]
    assert widths[1] < widths[0] / 2


def test_where_all_pairs_agree_the_interval_still_has_a_width(asked: EvaluatedModel) -> None:
    found = result([judged(pair(str(i)), answer(UP)) for i in range(10)], asked)
    assert found.intervals["right"] == (0.692, 1.0)  # Clopper and Pearson: 0.025 ** (1 / 10)
    assert found.intervals["opposite"] == (0.0, 0.308)


def test_one_pair_or_nothing_judged_has_no_interval(asked: EvaluatedModel) -> None:
    assert result([judged(pair(), answer(UP))], asked).intervals["right"] is None
    nothing = result([judged(pair(str(i)), answer(KEEP)) for i in range(5)], asked)
    assert (nothing.judged, nothing.right, nothing.intervals["right"]) == (0, 0.0, None)
    assert nothing.calibration.error is None


def test_confidence_is_compared_with_what_is_right_in_ten_bins(asked: EvaluatedModel) -> None:
    answers = [answer(UP), answer(UP), answer(UP), answer(DOWN)]
    found = result([judged(pair(str(i)), said) for i, said in enumerate(answers)], asked).calibration
    assert len(found.bins) == 10
    assert [one.clauses for one in found.bins] == [0, 0, 0, 0, 0, 0, 0, 1, 3, 0]
    assert (found.bins[8].confidence, found.bins[8].right) == (0.9, 1.0)
    assert found.error == pytest.approx((3 * 0.1 + 1 * 0.8) / 4)


@pytest.mark.parametrize("sure", [0.0, 1.0])
def test_every_confidence_has_a_bin(asked: EvaluatedModel, sure: float) -> None:
    found = result([judged(pair(), answer((*UP[:3], sure)))], asked).calibration
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


def test_a_refused_pair_is_an_answer_and_the_next_one_is_asked(asked: EvaluatedModel, tmp_path: Path) -> None:
    folder = make_folder(tmp_path, *({**SQUAT, "id": name, "current": f"{name}.png"} for name in ("dark", "torn", "a")))
    Image.new("RGB", (99, 99), "black").save(folder / "dark.png")
    Image.new("RGB", (99, 99), "grey").save(folder / "a.png")
    (folder / "torn.png").write_bytes((folder / "a.png").read_bytes()[:60])
    said: list[str] = []
    found = judged_answers(read_real_pairs(folder), asked, said.append)
    assert [one.answer.refusal for one in found] == ["no_person", "photo_broken", ""]
    assert [one.refused for one in found] == [True, True, False]
    assert said == ["geometry, staring, en: 3 of 3 pairs"]


def test_results_are_read_back_as_they_were_written(asked: EvaluatedModel, tmp_path: Path) -> None:
    told = RealResults([result([judged(pair(), answer(UP)), judged(pair("b"), answer(DOWN))], asked)], "command")
    kept = tmp_path / "kept.json"
    write_results({kept: asdict(told)})
    assert json_text(asdict(read_results(RealResults, kept))) == json_text(asdict(told))
