"""New pairs and queries of the same pictures, and drawn pairs without pictures: described truly and reproducibly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fmp_models.data.features import acceptable, mean_distance
from fmp_models.data.pairs import parse_picture, parse_uid, retrieval_split
from fmp_models.errors import BadInputError
from fmp_models.geometry.lexicon import Direction, Part
from fmp_models.geometry.verdicts import agrees
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_plan
from fmp_models.pose import pose_pair
from fmp_models.training.dataset_samples import NO_PICTURE, Dataset, PictureList, Samples
from fmp_models.training.recombination import (
    STILLEST,
    DrawnPairs,
    described_drawn_pairs,
    drawn_samples,
    recombined,
    recombined_questions,
)
from tests.nonempty import nonempty


@pytest.fixture
def samples(captioning: Dataset) -> Samples:
    """Give the pairs of the sample as if two movements of one person had been taken at one spot."""
    pairs = captioning.splits["train"]
    return replace(pairs, uids=tuple(f"{row % 2}_0_0_{row}_0" for row in range(len(pairs))))


@pytest.fixture
def scene(captioning: Dataset) -> tuple[Samples, PictureList]:
    """Give questions of thirty poses of two movements that are some decimetres apart, before one camera."""
    generator = np.random.default_rng(7)
    base = captioning.splits["train"].joints[0, 0]
    joints = (base + generator.normal(0, 0.12, (30, 20, 3))).astype(np.float32)
    pictures = PictureList(tuple(f"current_{i % 2}_0_0_{i}_0" for i in range(30)), joints, np.ones(30, np.bool_))
    shown = np.arange(30, dtype=np.int64).reshape(3, 10)
    shown = np.concatenate([shown[:, :1], shown], axis=1)
    ones = np.zeros(3, np.int64)
    texts = dict.fromkeys(LANGUAGES, (("",),) * 3)
    names = tuple(f"0_0_0_{row}_0" for row in range(3))
    known = np.ones((3, 11), np.bool_)
    return Samples(names, shown, joints[shown], known, texts, ones, ones, ones, ones + 5), pictures


def test_a_new_pair_has_two_pictures_of_one_movement_that_were_no_pair(samples: Samples, tmp_path: Path) -> None:
    new_pairs = recombined(samples, 12, 3, tmp_path)
    assert len(new_pairs) == 12
    movement = {
        number: parse_uid(name).animation
        for name, row in zip(samples.uids, samples.pictures, strict=True)
        for number in row
    }
    old = {frozenset(pair) for pair in samples.pictures.tolist()}
    pairs = [tuple(pair) for pair in new_pairs.pictures.tolist()]
    assert len(set(pairs)) == 12
    for current, target in pairs:
        assert movement[current] == movement[target]
        assert frozenset((current, target)) not in old
    assert (mean_distance(new_pairs.joints[:, 0], new_pairs.joints[:, 1]) >= STILLEST).all()


def test_what_is_told_of_a_new_pair_is_true_of_its_joints(samples: Samples, tmp_path: Path) -> None:
    new_pairs = recombined(samples, 6, 3, tmp_path)
    for code in nonempty(LANGUAGES):
        for joints, (text,) in nonempty(zip(new_pairs.joints, new_pairs.texts[code], strict=True)):
            plan = read_plan(text, grammar(code))
            assert plan
            assert False not in [agrees(clause, pose_pair(*joints)) for clause in plan]


def test_pictures_and_joints_of_a_new_pair_belong_together(samples: Samples, tmp_path: Path) -> None:
    of_picture = {
        number: samples.joints[row, moment]
        for row, numbers in enumerate(samples.pictures.tolist())
        for moment, number in enumerate(numbers)
    }
    new_pairs = recombined(samples, 12, 3, tmp_path)
    for numbers, joints in nonempty(zip(new_pairs.pictures.tolist(), new_pairs.joints, strict=True)):
        assert all((of_picture[number] == pose).all() for number, pose in zip(numbers, joints, strict=True))


def test_texts_are_read_back_from_the_cache(samples: Samples, tmp_path: Path) -> None:
    first = recombined(samples, 4, 3, tmp_path)
    (kept,) = tmp_path.glob("retold-*.json")
    kept.write_text(kept.read_text().replace("a", "b"))
    assert recombined(samples, 4, 3, tmp_path).texts["en"] == tuple(
        (text.replace("a", "b"),) for (text,) in first.texts["en"]
    )
    assert recombined(samples, 4, 4, tmp_path).texts != first.texts


def test_where_there_are_too_few_different_pairs_there_are_fewer(samples: Samples, tmp_path: Path) -> None:
    few = samples.subset([0, 2])  # of one movement: four pictures, eight ordered pairs across the two rows
    assert 1 <= len(recombined(few, 100, 3, tmp_path)) <= 8
    alone = samples.subset([0])
    assert len(recombined(alone, 5, 3, tmp_path)) == 0


def test_pairs_without_known_joints_give_nothing(samples: Samples, tmp_path: Path) -> None:
    blind = replace(samples, known=np.zeros_like(samples.known))
    assert len(recombined(blind, 5, 3, tmp_path)) == 0


def test_a_new_question_keeps_the_rules_of_candidates(scene: tuple[Samples, PictureList], tmp_path: Path) -> None:
    samples, pictures = scene
    new_questions = recombined_questions(samples, pictures, 20, 3, tmp_path)
    assert len(new_questions) == 20
    for row, numbers in enumerate(new_questions.pictures.tolist()):
        current, candidates = numbers[0], numbers[1:]
        answer = candidates[new_questions.answers[row]]
        assert len(set(candidates)) == 10
        assert current in candidates
        assert answer != current
        names = [parse_picture(pictures.names[number]) for number in (current, answer)]
        assert names[0].uid.animation == names[1].uid.animation == new_questions.animations[row]
        others = [number for number in candidates if number != answer]
        assert acceptable(pictures.joints[current], pictures.joints[answer], pictures.joints[others]).all()
        assert (new_questions.joints[row] == pictures.joints[numbers]).all()


def test_movements_that_are_held_out_are_asked_by_no_new_question(
    scene: tuple[Samples, PictureList], tmp_path: Path
) -> None:
    samples, pictures = scene
    held_out = replace(
        pictures, names=tuple(name.replace("_1_", "_6_", 1) for name in pictures.names[:15]) + pictures.names[15:]
    )
    assert any(retrieval_split(parse_picture(name).uid) != "train" for name in held_out.names)
    new_questions = recombined_questions(samples, held_out, 20, 3, tmp_path)
    assert len(new_questions)
    shown = {parse_picture(held_out.names[number]).uid.animation for number in new_questions.pictures.ravel()}
    assert shown == {0, 1}


def test_a_picture_whose_name_says_nothing_is_asked_by_no_new_question(
    scene: tuple[Samples, PictureList], tmp_path: Path
) -> None:
    samples, pictures = scene
    named = replace(pictures, names=("photograph", *pictures.names[1:]))
    new_questions = recombined_questions(samples, named, 20, 3, tmp_path)
    assert len(new_questions)
    assert 0 not in new_questions.pictures


def test_answers_of_new_questions_lie_anywhere(scene: tuple[Samples, PictureList], tmp_path: Path) -> None:
    new_questions = recombined_questions(*scene, 60, 3, tmp_path)
    assert len(set(new_questions.answers.tolist())) > 6


def test_what_is_asked_is_told_of_the_current_pose_and_the_answer(
    scene: tuple[Samples, PictureList], tmp_path: Path
) -> None:
    new_questions = recombined_questions(*scene, 5, 3, tmp_path)
    for row, (text,) in nonempty(enumerate(new_questions.texts["en"])):
        pair = pose_pair(new_questions.joints[row, 0], new_questions.joints[row, 1 + new_questions.answers[row]])
        plan = read_plan(text, grammar("en"))
        assert plan
        assert False not in [agrees(clause, pair) for clause in plan]


def test_a_scene_with_too_few_pictures_asks_nothing(scene: tuple[Samples, PictureList], tmp_path: Path) -> None:
    samples, pictures = scene
    apart = replace(pictures, names=tuple(f"current_0_{i}_0_{i}_0" for i in range(30)))
    assert len(recombined_questions(samples, apart, 5, 3, tmp_path)) == 0


def test_a_cache_that_cannot_be_written_is_refused_in_words(samples: Samples, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="cannot be written or read"):
        recombined(samples, 2, 3, tmp_path / "file")


COUNT = 40


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def drawn(cache: Path) -> DrawnPairs:
    return described_drawn_pairs(COUNT, 3, cache)


def test_drawn_poses_are_told_truly_and_the_same_again(drawn: DrawnPairs, cache: Path) -> None:
    again = described_drawn_pairs(COUNT, 3, cache)
    assert (drawn.joints == again.joints).all()
    assert drawn.texts == again.texts
    for joints, (text,) in zip(drawn.joints, drawn.texts["en"], strict=True):
        pair = pose_pair(*joints, placed=False)
        assert all(agrees(clause, pair) is not False for clause in read_plan(text, grammar("en")))


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_text_of_drawn_poses_tells_a_step(drawn: DrawnPairs, code: str) -> None:
    clauses = [clause for (text,) in drawn.texts[code] for clause in read_plan(text, grammar(code))]
    ways = {Direction.FORWARD, Direction.BACKWARD, Direction.LEFT, Direction.RIGHT}
    assert clauses
    assert not [clause for clause in clauses if clause.part is Part.BODY and clause.direction in ways]


def test_cameras_tilt_poses_and_leave_them_whole(drawn: DrawnPairs) -> None:
    def lengths(joints: np.ndarray) -> np.ndarray:
        return np.linalg.norm(joints[:, :, 1:] - joints[:, :, :-1], axis=-1)

    assert np.allclose(lengths(drawn.camera_joints), lengths(drawn.joints), atol=1e-4)
    assert np.linalg.norm(drawn.camera_joints - drawn.joints, axis=-1).max() > 0.1


def test_samples_of_drawn_poses_have_joints_and_no_pictures(drawn: DrawnPairs, cache: Path) -> None:
    samples = drawn_samples(COUNT, 3, cache)
    assert len(samples) == COUNT
    assert (samples.pictures == NO_PICTURE).all()
    assert samples.known.all()
    assert not samples.placed.any()
    assert (samples.joints == drawn.camera_joints).all()
    assert samples.texts == drawn.texts
