"""Corrections of two photographs."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageEnhance

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PersonPoint, PoseEstimate, sampled_joints
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.estimators.pair_alignment import levelled_alike
from fmp_models.hub.references import ModelFolder
from fmp_models.inference.correction import Correction, MeasuredPhotographs
from fmp_models.inference.corrector import CaptionerModel, Corrector, GeometryModel
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.metrics.clause_metrics import text_progress
from fmp_models.pose import INDEX, JOINTS, MIRROR, Pose, pair_as_json
from fmp_models.preprocessing import Orientation, Photograph, upright
from tests.bodies import Arm, Body, Leg
from tests.nonempty import nonempty
from tests.taught_captioners import save_taught
from tests.thoroughness import one_of, thorough

ENGLISH, HINDI = "Raise both arms straight up. Well done.", "अपनी दोनों बांहों को ऊपर उठाएं।"
EXAMPLES = Path(__file__).resolve().parents[3] / "demo" / "examples"


def example(name: str) -> bytes:
    return (EXAMPLES / f"{name}.jpg").read_bytes()


def is_current(photograph: Photograph) -> bool:
    """Whether it is that of the tree's current pose: both of a pair are measured side by side, in any order."""
    with Image.open(BytesIO(example("tree_current"))) as image:
        return photograph.image.tobytes() == image.convert("RGB").tobytes()


@pytest.fixture(scope="module")
def corrector(estimator: MediaPipeEstimator) -> Corrector:
    return Corrector(estimator, [GeometryModel()])


@pytest.fixture(scope="module")
def tree(corrector: Corrector) -> tuple[Correction, MeasuredPhotographs]:
    """Return the geometric correction of the tree pair, in English."""
    return corrector.correct(example("tree_current"), example("tree_target"), with_progress=True)


@pytest.fixture(scope="module")
def correctors(estimator: MediaPipeEstimator, tmp_path_factory: pytest.TempPathFactory) -> Corrector:
    """Return the geometric model and two captioners with one language each."""
    models = tmp_path_factory.mktemp("models")
    correction_models = [
        CaptionerModel(ModelFolder(save_taught(models / name, {language: [text]}), name, "1"))
        for name, language, text in (("english", "en", ENGLISH), ("hindi", "hi", HINDI))
    ]
    return Corrector(estimator, [GeometryModel(), *correction_models])


def test_an_answer_has_all_that_the_format_promises(tree: tuple[Correction, MeasuredPhotographs]) -> None:
    correction, seen = tree
    answer = correction.as_json()
    assert set(answer) == {
        "text",
        "language",
        "words",
        "clauses",
        "model",
        "estimator",
        "people",
        "milliseconds",
        "dropped",
        "carried_out",
        "goal_progress",
        "steps",
        "joints",
        "distances",
    }
    assert answer["text"] == " ".join(step["text"] for step in answer["steps"])
    assert [word["word"] for word in answer["words"]] == answer["text"].split()
    assert all(0 <= word["confidence"] <= 1 for word in answer["words"])
    assert all(set(clause) >= {"text", "part", "direction", "agrees"} for clause in answer["clauses"])
    assert answer["model"] == {"id": "geometry", "revision": "1"}
    assert answer["estimator"].startswith("mediapipe-")
    assert list(answer["people"]) == [1, 1]
    assert {"photographs", "estimator", "describe", "demonstration", "total"} == set(answer["milliseconds"])
    for step in answer["steps"]:
        words = answer["words"][slice(*step["words"])]
        assert " ".join(word["word"] for word in words) == step["text"]
        assert all(answer["clauses"][place]["words"] == step["words"] for place in step["clauses"])
    assert answer["milliseconds"]["total"] > 0
    assert seen.pair.current.joints.shape == (20, 3)
    led = text_progress(answer["text"], "en", seen.pair)
    assert answer["goal_progress"] == answer["carried_out"] == pytest.approx(led, abs=0.0005)
    moving = [tuple(step["words"]) for step in answer["steps"] if step["kind"] in {"step", "fine"}]
    assert [step.words for step in seen.demonstration.steps if step.words is not None] == moving
    assert seen.demonstration.way is None
    assert seen.demonstration.poses[-1] == pytest.approx(seen.demonstration.target)


def test_a_pair_of_one_camera_is_levelled_by_what_both_photographs_show_of_its_tilt(
    corrector: Corrector, tree: tuple[Correction, MeasuredPhotographs]
) -> None:
    _, seen = tree
    alone = tuple(corrector.estimator.estimate(photograph) for photograph in seen.photographs)
    together = levelled_alike(seen.photographs, alone)
    for shown, levelled, by_itself in nonempty(zip(seen.estimates, together, alone, strict=True)):
        assert np.array_equal(shown.pose.joints, levelled.pose.joints)
        assert not np.array_equal(shown.pose.joints, by_itself.pose.joints)


class Blind:
    """Sees somebody stand still, their left leg outside the picture."""

    name = "blind"

    def __init__(self) -> None:
        self.nod = 0.0

    def estimate(self, _: Photograph) -> PoseEstimate:
        self.nod += 1.0
        pose = Body(nod=self.nod).pose()
        inside = np.array(["left" not in name or "knee" not in name for name in JOINTS])
        inside[[INDEX["left_ankle"], INDEX["left_foot"]]] = False
        visibility = inside.astype(float)
        pose_samples = sampled_joints(pose.joints[None], visibility, inside)
        return PoseEstimate(
            replace(pose, visibility=visibility, pose_samples=pose_samples), pose.joints[:, :2], (0, 0, 1, 1), 1
        )


def test_photographs_are_turned_and_mirrored_back_as_their_owner_says() -> None:
    orientations = Orientation(90), Orientation(mirrored=True)
    given = example("tree_current"), example("tree_target")
    corrector = Corrector(Blind(), [GeometryModel()])
    _, plain = corrector.correct(*given)
    _, seen = corrector.correct(*given, orientations=orientations)
    for photograph, taken, orientation in nonempty(zip(seen.photographs, plain.photographs, orientations, strict=True)):
        assert np.array_equal(photograph.image, upright(taken, orientation).image)
        assert not np.array_equal(photograph.image, taken.image)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_not_seen_is_said_with_a_mark_of_its_own_and_every_word_has_a_confidence(language: str) -> None:
    correction, _ = Corrector(Blind(), [GeometryModel()]).correct(
        example("tree_current"), example("tree_target"), language=language
    )
    (clause,) = correction.clauses
    assert (clause.part, clause.direction, clause.agrees) == ("left leg", "unseen", None)
    assert correction.text.endswith(grammar(language).unchanged_elsewhere)
    assert [word.word for word in correction.words] == correction.text.split()


class SeatedBeforeStanding:
    """Sees somebody sit who is to stand up with raised arms."""

    name = "seated"

    def __init__(self) -> None:
        sitting = Leg(lift=88, bend=92)
        self._bodies = [
            Body(left_leg=sitting, right_leg=sitting),
            Body(left_arm=Arm(lift=165), right_arm=Arm(lift=165)),
        ]

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        pose = self._bodies[not is_current(photograph)].pose()
        everything = np.ones(len(JOINTS))
        pose_samples = sampled_joints(pose.joints[None], everything, everything)
        return PoseEstimate(replace(pose, pose_samples=pose_samples), pose.joints[:, :2], (0, 0, 1, 1), 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_what_is_left_out_neither_clauses_nor_distances_nor_figures_tell(language: str) -> None:
    corrector = Corrector(SeatedBeforeStanding(), [GeometryModel()])
    pictures = example("tree_current"), example("tree_target")
    correction, measurements = corrector.correct(*pictures, language=language, leave_out=["legs"])
    assert {clause.part for clause in correction.clauses} == {"both arms"}
    legs = {
        part: way
        for part, way in pair_as_json(measurements.pair)["distances"].items()
        if part.endswith(("knee", "foot"))
    }
    assert max(legs.values()) == pytest.approx(0, abs=0.1)
    everything, _ = corrector.correct(*pictures, language=language)
    assert {"both knees", "body"} & {clause.part for clause in everything.clauses}


def test_an_unknown_part_is_refused_before_a_photograph_is_read() -> None:
    with pytest.raises(BadInputError, match="tail"):
        Corrector(Blind(), [GeometryModel()]).correct(b"", b"", leave_out=["tail"])


def test_a_captioner_gives_the_same_format_and_where_it_looked(correctors: Corrector) -> None:
    correction, _ = correctors.correct(example("tree_current"), example("tree_target"), model="english")
    answer = json.loads(json.dumps(correction.as_json()))
    assert answer["text"] == " ".join(step["text"] for step in answer["steps"])
    assert "Well done" not in answer["text"]  # which is no step
    assert [word["word"] for word in answer["words"]] == answer["text"].split()
    assert [clause["part"] for clause in answer["clauses"] if clause["by"] == "english"] == ["both arms"]
    assert {clause["by"] for clause in answer["clauses"][1:]} == {"geometry"}
    assert answer["model"]["id"] == "english"
    assert set(answer["milliseconds"]) == {"photographs", "estimator", "captioner", "check", "demonstration", "total"}
    assert len(correction.looks) == len(answer["words"])
    assert correction.squares is not None
    assert all(square.side < 2000 for square in correction.squares)


@thorough
def test_the_first_speaker_speaks_where_nobody_chose(correctors: Corrector) -> None:
    pictures = example("tree_current"), example("tree_target")
    assert correctors.models == ("geometry", "english", "hindi")
    assert correctors.correct(*pictures)[0].model.id == "geometry"
    assert correctors.correct(*pictures)[0].looks == ()
    hindi, _ = correctors.correct(*pictures, model="hindi", language="hi")
    assert hindi.model.id == "hindi"
    assert "hindi" in {clause.by for clause in hindi.clauses}


def test_an_unknown_model_is_refused_with_the_known_ones(correctors: Corrector) -> None:
    with pytest.raises(BadInputError, match="one of: geometry, english, hindi"):
        correctors.correct(b"", b"", model="oracle")
    with pytest.raises(BadInputError, match="no model called “”"):
        correctors.correct(b"", b"", model="")


def test_a_language_that_a_model_does_not_speak_is_refused_before_any_work(correctors: Corrector) -> None:
    with pytest.raises(BadInputError, match="“english” does not support this language; it supports: en"):
        correctors.correct(b"", b"", model="english", language="hi")


def test_a_corrector_needs_somebody_to_speak(estimator: MediaPipeEstimator) -> None:
    with pytest.raises(ValueError, match="at least one model"):
        Corrector(estimator, [])


@thorough
def test_visitors_with_different_models_get_their_own_answers(correctors: Corrector) -> None:
    asked = [(name, *who) for name in ("warrior", "tree") for who in (("english", "en"), ("hindi", "hi"), (None, "hi"))]

    def ask(name: str, model: str | None, language: str) -> tuple[object, ...]:
        pictures = example(f"{name}_current"), example(f"{name}_target")
        correction, _ = correctors.correct(*pictures, model=model, language=language)
        places = tuple(tuple(look.differences.tolist()) for look in correction.looks if look.differences is not None)
        return correction.text, correction.words, correction.clauses, correction.model, places, correction.squares

    alone = [ask(*one) for one in asked]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda one: ask(*one), asked * 2)) == alone * 2


def test_both_languages_give_the_same_steps(corrector: Corrector, tree: tuple[Correction, MeasuredPhotographs]) -> None:
    english, _ = tree
    hindi, _ = corrector.correct(example("tree_current"), example("tree_target"), language="hi")
    assert [(c.part, c.direction) for c in english.clauses] == [(c.part, c.direction) for c in hindi.clauses]
    assert english.text != hindi.text


def test_a_correction_is_said_in_another_language_as_if_it_had_been_asked_for_and_nothing_is_measured_again(
    corrector: Corrector, tree: tuple[Correction, MeasuredPhotographs]
) -> None:
    pictures = example("tree_current"), example("tree_target")
    hindi, seen = corrector.correct(*pictures, language="hi")
    unmeasuring = Corrector(Blind(), [GeometryModel()])

    said, shown = unmeasuring.in_language(*tree, "hi")

    asked_for = replace(hindi, estimator=said.estimator, milliseconds=said.milliseconds)
    assert said == asked_for
    assert shown.demonstration is not None
    assert seen.demonstration is not None
    assert shown.demonstration.as_json() == seen.demonstration.as_json()
    assert shown.languages == ("en", "hi")
    with pytest.raises(BadInputError, match="language"):
        unmeasuring.in_language(*tree, "no_such")


def test_the_same_pictures_give_the_same_text(
    corrector: Corrector, tree: tuple[Correction, MeasuredPhotographs]
) -> None:
    again, _ = corrector.correct(example("tree_current"), example("tree_target"))
    assert again.text == tree[0].text


@thorough
def test_a_seed_words_it_differently_and_repeatably(corrector: Corrector) -> None:
    pictures = example("side_stretch_current"), example("side_stretch_target")
    texts = {seed: corrector.correct(*pictures, seed=seed)[0].text for seed in range(1, 5)}
    assert len(set(texts.values())) > 1
    assert corrector.correct(*pictures, seed=2)[0].text == texts[2]


@thorough
def test_visitors_at_once_get_their_own_answers(corrector: Corrector) -> None:
    names = ["warrior", "squat", "tree", "lunge"]
    alone = {name: corrector.correct(example(f"{name}_current"), example(f"{name}_target"))[0].text for name in names}

    def ask(name: str) -> str:
        return corrector.correct(example(f"{name}_current"), example(f"{name}_target"))[0].text

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, names * 3)) == [alone[name] for name in names * 3]


@pytest.mark.parametrize("which", ["current", "target"])
def test_a_refusal_says_which_photograph_is_meant(corrector: Corrector, which: str) -> None:
    empty_room = BytesIO()
    Image.new("RGB", (400, 300), (120, 150, 130)).save(empty_room, "JPEG")
    for bad, code in (
        (b"", "photo_empty"),
        (b"not a picture", "photo_unknown_type"),
        (empty_room.getvalue(), "no_person"),
    ):
        pictures = {"current": example("tree_current"), "target": example("tree_current"), which: bad}
        with pytest.raises(BadInputError) as refusal:
            corrector.correct(pictures["current"], pictures["target"])
        assert refusal.value.code == code
        assert refusal.value.details["which"] == which


def test_an_unknown_language_is_refused_before_any_work(corrector: Corrector) -> None:
    with pytest.raises(BadInputError, match="one of: en, hi"):
        corrector.correct(b"", b"", language="tlh")


@pytest.mark.parametrize(
    "name", one_of(["warrior_target", "squat_current", "tree_target", "side_stretch_target", "lunge_current"])
)
def test_the_same_pose_photographed_again_needs_no_correction(corrector: Corrector, name: str) -> None:
    picture = Image.open(BytesIO(example(name)))
    width, height = picture.size
    again = picture.crop((width // 50, height // 100, width, height)).resize((width * 4 // 5, height * 4 // 5))
    brighter = BytesIO()
    ImageEnhance.Brightness(again).enhance(1.15).save(brighter, "JPEG", quality=80)
    correction, _ = corrector.correct(example(name), brighter.getvalue())
    assert {clause.direction for clause in correction.clauses} <= {"unseen"}  # a far arm may be hidden in it
    assert "no clear difference" in correction.text


class Sees:
    """Refuses the current and the target picture by these codes; finds a body where there is none."""

    name = "sees"

    def __init__(self, current: str | None, target: str | None) -> None:
        self._current, self._target = current, target

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        code = self._current if is_current(photograph) else self._target
        if code is not None:
            raise BadInputError(code, which="given")
        pose = Body().pose()
        return PoseEstimate(pose, pose.joints[:, :2], (0, 0, 1, 1), 1)


@pytest.fixture(scope="module")
def seeing_alone(tmp_path_factory: pytest.TempPathFactory) -> CaptionerModel:
    """Return a captioner that works without joints."""
    texts = {"en": ["Bend both knees."], "hi": ["अपने दोनों घुटनों को मोड़ें।"]}
    folder = save_taught(tmp_path_factory.mktemp("alone") / "alone", texts, missing=True)
    return CaptionerModel(ModelFolder(folder, "alone", "1"))


@pytest.mark.parametrize("outcomes", [(None, "no_person"), ("body_hidden", None), ("body_hidden", "no_person")])
@pytest.mark.parametrize("language", LANGUAGES)
def test_where_joints_cannot_be_measured_a_captioner_answers_from_the_pictures(
    seeing_alone: CaptionerModel, outcomes: tuple[str | None, str | None], language: str
) -> None:
    correction, seen = Corrector(Sees(*outcomes), [seeing_alone]).correct(
        example("tree_current"), example("tree_target"), language=language
    )
    assert seen.pair is None
    assert correction.text.startswith(grammar(language).pictures_alone)
    assert [clause.part for clause in correction.clauses] == ["both knees"]
    assert correction.people == tuple(int(outcome is None) for outcome in outcomes)
    assert pair_as_json(seen.pair) == {"joints": None, "distances": None}


def test_two_pictures_without_anybody_are_refused_by_every_model(seeing_alone: CaptionerModel) -> None:
    with pytest.raises(BadInputError) as refusal:
        Corrector(Sees("no_person", "no_person"), [seeing_alone]).correct(
            example("tree_current"), example("tree_target")
        )
    assert (refusal.value.code, refusal.value.details["which"]) == ("no_person", "current")


@pytest.mark.parametrize("outcomes", [(None, "no_person"), ("body_hidden", None)])
def test_the_geometry_refuses_what_it_cannot_measure(outcomes: tuple[str | None, str | None]) -> None:
    with pytest.raises(BadInputError) as refusal:
        Corrector(Sees(*outcomes), [GeometryModel()]).correct(example("tree_current"), example("tree_target"))
    assert refusal.value.code in outcomes


class Choosy:
    """Measures whom it is told to: the body is bent the further the more to the right they are."""

    name = "choosy"

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        return self.estimate_near(photograph, (0.0, 0.0))

    @staticmethod
    def estimate_near(_: Photograph, place: PersonPoint) -> PoseEstimate:
        pose = Body(nod=90 * place[0]).pose()
        return PoseEstimate(pose, pose.joints[:, :2], (0, 0, 1, 1), 2, ((1, 0, 2, 1),))


def test_of_several_people_the_one_is_measured_who_was_chosen() -> None:
    pictures = example("tree_current"), example("tree_target")
    corrector = Corrector(Choosy(), [GeometryModel()])

    largest, _ = corrector.correct(*pictures)
    chosen, seen = corrector.correct(*pictures, person_points=(None, (0.9, 0.5)))

    assert chosen.people == (2, 2)
    assert seen.pair is not None
    assert np.allclose(seen.pair.current.joints, Body(nod=0).pose().joints)
    assert np.allclose(seen.pair.target.joints, Body(nod=81).pose().joints)
    assert [clause.part for clause in chosen.clauses] != [clause.part for clause in largest.clauses]


def test_an_estimator_that_sees_one_person_measures_that_one_whatever_was_chosen() -> None:
    pictures = example("tree_current"), example("tree_target")

    correction, _ = Corrector(Sees(None, None), [GeometryModel()]).correct(*pictures, person_points=((0.9, 0.5), None))

    assert correction.people == (1, 1)


class Doubtful:
    """Sees the current person from the front, and the target's from behind in most looks and from the front in some."""

    name = "doubtful"

    @staticmethod
    def estimate(photograph: Photograph) -> PoseEstimate:
        joints = Body().pose().joints
        front, back = (
            PoseEstimate(Pose(way, np.ones(len(JOINTS))), way[:, :2], (0, 0, 1, 1), 1)
            for way in (joints, joints[list(MIRROR)] * np.array([1.0, 1.0, -1.0]))
        )
        return front if is_current(photograph) else replace(back, turned=front, turned_share=0.4)


def test_a_person_who_may_be_seen_from_either_side_faces_as_in_the_other_photograph() -> None:
    corrector = Corrector(Doubtful(), [GeometryModel()])
    _, measurements = corrector.correct(example("tree_current"), example("tree_target"))
    assert measurements.pair is not None
    assert np.allclose(measurements.pair.target.joints, Body().pose().joints)
