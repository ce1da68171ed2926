"""Corrections of 125 pairs of exercise pictures that we labelled by eye, and of pictures that are cut at the thighs."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import NOBODY
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.evaluation.real_pairs import LabelledPairs, read_real_pairs
from fmp_models.evaluation.real_scores import EvaluatedModel, RememberingEstimator, judged_answers, real_result
from fmp_models.geometry.lexicon import Direction
from fmp_models.inference.corrector import Corrector, GeometryModel
from fmp_models.pose import BODY_SIDES, INDEX
from fmp_models.preprocessing import read_photograph
from tests.thoroughness import thorough

pytestmark = pytest.mark.real

LABELS = Path(__file__).with_name("labels_of_exercise_pairs.json")
# Standing people who are seen from head to foot in both pictures.
WHOLE = [
    "Dumbbell_Scaption",
    "Standing_Front_Barbell_Raise_Over_Head",
    "Barbell_Side_Bend",
    "Speed_Squats",
    "Jerk_Dip_Squat",
    "Chest_Push_with_Run_Release",
    "One-Arm_Kettlebell_Military_Press_To_The_Side",
    "Log_Lift",
    "Squat_with_Plate_Movers",
    "Dumbbell_Rear_Lunge",
]
OF_LEGS = {"leg", "legs", "knee", "knees", "foot", "feet", "hips", "body"}
_TURNS = {Direction.TURN_LEFT, Direction.TURN_RIGHT}


@pytest.fixture(scope="module")
def pictures(shared: Path) -> Path:
    folder = shared / "data" / "exercises"
    if not folder.is_dir():
        pytest.skip(f"FMP_SHARED: there is no folder {folder}")
    return folder


@pytest.fixture(scope="module")
def pairs(pictures: Path, tmp_path_factory: pytest.TempPathFactory) -> LabelledPairs:
    folder = tmp_path_factory.mktemp("exercise_pairs")
    shutil.copy(LABELS, folder / "truth.json")
    for name in {pair[which] for pair in json.loads(LABELS.read_text()) for which in ("current", "target")}:
        shutil.copy(pictures / name, folder)
    return read_real_pairs(folder)


@thorough
def test_what_is_said_is_right_surely_and_most_of_what_anybody_would_say(
    pairs: LabelledPairs, estimator: MediaPipeEstimator
) -> None:
    interviewee = EvaluatedModel(RememberingEstimator(estimator), GeometryModel(), "en")
    found = real_result(judged_answers(pairs, interviewee), interviewee)
    assert found.right >= 0.88
    assert found.opposite <= 0.02
    assert found.must >= 0.8
    assert found.calibration.error is not None
    assert found.calibration.error <= 0.05


def cut_at_the_thighs(estimator: MediaPipeEstimator, path: Path) -> bytes:
    """Return the picture above the middle of the higher thigh."""
    photograph = read_photograph(path.read_bytes())
    places = estimator.estimate(photograph).image_joints
    rows = [places[[INDEX[f"{side}_hip"], INDEX[f"{side}_knee"]], 1].mean() for side in BODY_SIDES]
    cut = io.BytesIO()
    photograph.image.crop((0, 0, photograph.image.width, round(float(min(rows))))).save(cut, "PNG")
    return cut.getvalue()


def said_of_legs(estimator: MediaPipeEstimator, pictures: Path, exercise: str) -> list[str] | None:
    """Return the text about legs, feet or height for a pair cut at the thighs; ``None`` if no person is measured."""
    current, target = (cut_at_the_thighs(estimator, pictures / f"{exercise}_{number}.jpg") for number in (0, 1))
    try:
        correction, _ = Corrector(estimator, [GeometryModel()]).correct(current, target)
    except BadInputError as error:
        if error.code not in NOBODY:
            raise
        return None
    return [
        clause.text
        for clause in correction.clauses
        if clause.direction not in {Direction.UNSEEN, *_TURNS} and clause.part.split()[-1] in OF_LEGS
    ]


@pytest.mark.parametrize("exercises", [WHOLE[:2], pytest.param(WHOLE, marks=thorough)])
def test_nothing_is_said_of_legs_feet_or_height_where_the_picture_ends_at_the_thighs(
    exercises: list[str], pictures: Path, estimator: MediaPipeEstimator
) -> None:
    """Whoever is refused as hidden is told nothing; most are measured."""
    said = [said_of_legs(estimator, pictures, exercise) for exercise in exercises]
    assert sum(words is not None for words in said) >= len(exercises) / 2
    assert [words for words in said if words] == []
