from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.geometry.measured_changes import pose_changes
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.languages.vocabulary import PAD, UNK, Vocabulary
from fmp_models.networks.backbone import VisionModel
from fmp_models.networks.retriever import PoseSpace, RetrieverConfig
from fmp_models.preprocessing import centred
from fmp_models.training.config import EngineConfig
from fmp_models.training.dataset_samples import read_dataset
from fmp_models.training.described_changes import (
    DescribedChanges,
    human_paraphrases,
    of_drawn_poses,
    of_questions,
    of_wide_pairs,
)
from fmp_models.training.engine import fit
from fmp_models.training.estimated_joints import EstimatedJoints
from fmp_models.training.model_inputs import SampleInputs, Views
from fmp_models.training.retriever import Contrast, ContrastConfig
from fmp_models.training.shape_texts import holds
from fmp_models.training.texts import spoken
from tests.bodies import Arm, Body, Leg
from tests.thoroughness import thorough

STANDING = Body().pose().joints
LIFTED = {
    f"{side}_{limb}": Body(**{f"{side}_{limb}": one}).pose().joints
    for side in ("left", "right")
    for limb, one in (("arm", Arm(lift=90, bend=0)), ("leg", Leg(lift=60, bend=60)))
}


def keep(folder: Path, model: nn.Module) -> None:
    folder.mkdir()
    torch.save(model.state_dict(), folder / "weights")


@pytest.fixture(scope="module")
def drawn_changes(tmp_path_factory: pytest.TempPathFactory) -> DescribedChanges:
    return of_drawn_poses(14, 1, tmp_path_factory.mktemp("cache"))


def task(changes: DescribedChanges, **config: float) -> Contrast:
    torch.manual_seed(3)
    words = {
        code: Vocabulary.of((text for texts_of_change in changes.texts[code] for text in texts_of_change), code, 1)
        for code in LANGUAGES
    }
    network = RetrieverConfig(
        {code: len(one) for code, one in words.items()}, hidden=32, embedding=16, dropout=0.0, images=False, space=True
    )
    questions = read_dataset(FOLDER, "retrieval", ["val_unseen"]).splits["val_unseen"]
    texts = spoken(questions, words, ends=False, longest=100)
    sample_inputs = SampleInputs(questions, Views())
    model = VisionModel(PoseSpace(network), None)
    return Contrast(model, ContrastConfig(**config), changes, words, 100, sample_inputs, texts, keep)  # type: ignore[arg-type]


def test_every_text_is_met_once_an_epoch_in_batches_of_one_language(drawn_changes: DescribedChanges) -> None:
    order = task(drawn_changes, batch=3).order(torch.Generator().manual_seed(1))

    for number in range(len(LANGUAGES)):
        rows = [row for language, *rows in order if language == number for row in rows]
        assert len(set(rows)) == len(rows) == len(drawn_changes) // 3 * 3
    assert {len(batch) for batch in order} == {4}


def test_each_text_is_compared_with_changes_from_the_same_pose(drawn_changes: DescribedChanges) -> None:
    batch = task(drawn_changes, batch=4, others=2, mirrored=0.0, noisy=0.0, unknown=0.0).batch(
        [0, 0, 1, 2, 3], torch.Generator().manual_seed(1)
    )

    assert batch.changes.shape[:2] == (4, 1 + 2 + 3)  # its own, others, the mirror image, nowhere, back
    assert batch.differs[:, [0, 1, 2, 4, 5]].all()
    assert (batch.words != UNK).all()


def test_a_change_alike_on_both_sides_has_no_mirror_image_to_be_told_from() -> None:
    both = np.stack([STANDING, Body(left_arm=Arm(lift=90, bend=0), right_arm=Arm(lift=90, bend=0)).pose().joints])
    one = np.stack([STANDING, LIFTED["left_arm"]])
    texts = ("Raise both arms.", "Raise your left arm.")
    changes = DescribedChanges(
        np.stack([both, one]).astype(np.float32),
        {"en": tuple((text,) for text in texts), "hi": (("दोनों बाँहें उठाएं।",), ("बाईं बांह उठाएं।",))},
    )

    batch = task(changes, batch=2, others=1, mirrored=0.0).batch([0, 0, 1], torch.Generator().manual_seed(1))

    assert batch.differs[:, 2].tolist() == [False, True]


def test_without_opposites_neither_mirror_image_nor_way_back_is_wrong(drawn_changes: DescribedChanges) -> None:
    batch = task(drawn_changes, batch=4, others=2, mirrored=0.0, opposites=False).batch(
        [0, 0, 1, 2, 3], torch.Generator().manual_seed(1)
    )

    assert batch.differs.tolist() == [[True, True, True, False, True, False]] * 4


def test_hidden_words_are_unknown_and_padding_stays(drawn_changes: DescribedChanges) -> None:
    plain, hidden = (
        task(drawn_changes, batch=4, unknown=unknown).batch([0, 0, 1, 2, 3], torch.Generator().manual_seed(1)).words
        for unknown in (0.0, 0.9)
    )

    assert ((plain == PAD) == (hidden == PAD)).all()
    assert (hidden[plain != PAD] == UNK).float().mean() > 0.8
    assert (plain != UNK).all()


@thorough
def test_training_finds_the_changes_that_texts_tell(drawn_changes: DescribedChanges, tmp_path: Path) -> None:
    learning = task(drawn_changes, batch=8, others=5, noisy=0.0, mirrored=0.3)
    every = [0, *range(min(8, len(drawn_changes)))]

    def accuracy() -> float:
        batch = learning.batch(every, torch.Generator().manual_seed(5))
        return float(learning.loss(batch)[1]["accuracy"])

    before = accuracy()
    fit(learning, EngineConfig(epochs=25, rate=3e-3), tmp_path / "run", {"kind": "test"})

    assert accuracy() > max(before, 0.6)
    assert set(learning.validate()) == {"accuracy", "accuracy_en", "accuracy_hi"}


def test_questions_give_the_change_to_their_answer() -> None:
    samples = read_dataset(FOLDER, "retrieval", ["train"]).splits["train"]

    answer_changes = of_questions(samples)

    assert len(answer_changes) == len(samples)
    for row in range(len(answer_changes)):
        assert (answer_changes.joints[row, 1] == samples.joints[row, 1 + samples.answers[row]]).all()
    assert answer_changes.texts["en"] == samples.texts["en"]
    assert len(of_wide_pairs(FOLDER)) >= 1


def test_batches_have_measured_poses_or_errors_of_our_own_where_nobody_was_found(
    drawn_changes: DescribedChanges,
) -> None:
    seen = drawn_changes.joints * np.float32(1.1)
    seen[3] = np.nan

    def own(changes: DescribedChanges, estimated: float) -> torch.Tensor:
        learning = task(changes, batch=4, others=2, estimated=estimated, mirrored=0.0, noisy=0.0)
        return learning.batch([0, 0, 1, 2, 3], torch.Generator().manual_seed(1)).changes[:, 0]

    def expected(joints: NDArray[np.float32]) -> torch.Tensor:
        pairs = centred(joints[:4], placed=False)
        return torch.from_numpy(pose_changes(pairs[:, 0], pairs[:, 1]))

    measured = own(replace(drawn_changes, measured=seen), 1.0)

    torch.testing.assert_close(measured[:3], expected(seen)[:3])
    torch.testing.assert_close(own(replace(drawn_changes, measured=seen), 0.0), expected(drawn_changes.joints))
    assert 0.005 < (measured[3] - expected(drawn_changes.joints)[3]).abs().mean() < 0.3


def test_changes_are_seen_as_they_were_measured_in_their_pictures() -> None:
    dataset = read_dataset(FOLDER, "retrieval", ["train"])
    samples, count = dataset.splits["train"], len(dataset.pictures)
    joints = np.random.default_rng(1).normal(size=(count, 20, 3)).astype(np.float32)
    known = np.ones(count, dtype=np.bool_)
    known[samples.pictures[0, 0]] = False

    answer_changes = of_questions(samples, EstimatedJoints(joints, np.zeros((count, 20, 2), np.float32), known))

    lost = np.isnan(answer_changes.measured).any(axis=(1, 2, 3))
    assert lost[0]
    for row in np.flatnonzero(~lost):
        assert (answer_changes.measured[row, 0] == joints[samples.pictures[row, 0]]).all()
        assert (answer_changes.measured[row, 1] == joints[samples.pictures[row, 1 + samples.answers[row]]]).all()
    assert np.isnan(of_questions(samples).measured).all()
    both = answer_changes.joined(of_questions(samples))
    assert len(both.measured) == len(both) == 2 * len(samples)


def annotated(folder: Path, texts: dict[str, list[str]]) -> Path:
    name = "10_7_3_1_0"
    entry = {
        "uid": name,
        "img0": f"current_{name}.png",
        "img1": f"target_{name}.png",
        "sents": texts["en"],
        "sents_hindi": texts["hi"],
    }
    (folder / "valid_seen_NC.json").write_text(json.dumps([entry]), encoding="utf-8")
    return folder


def test_peoples_words_are_given_to_changes_that_bear_them_out(tmp_path: Path) -> None:
    joints = np.stack([np.stack([STANDING, LIFTED[name]]) for name in LIFTED]).astype(np.float32)
    simulated = DescribedChanges(joints, {"en": (("x",),) * 4, "hi": ((),) * 4})
    texts = {
        "en": [
            "now raise your left arm. you should bring that left hand up",
            "wiggle your ears",
            "raise your right arm",
        ],
        "hi": ["अपनी दाईं बांह उठाएं। अपना दायां हाथ ऊपर उठाएं।"] * 3,
    }

    changes = human_paraphrases(annotated(tmp_path, texts), simulated)

    change_of_text = {
        code: {
            (texts_of_change[0], int(np.flatnonzero((joints == one).all(axis=(1, 2, 3)))[0]))
            for one, texts_of_change in zip(changes.joints, changes.texts[code], strict=True)
            if texts_of_change
        }
        for code in LANGUAGES
    }
    names = list(LIFTED)
    assert change_of_text["en"] == {(texts["en"][0], names.index("left_arm"))}
    assert change_of_text["hi"] == {(texts["hi"][0], names.index("right_arm"))}


def test_of_a_text_that_no_change_bears_out_whole_its_longest_parts_are_told(tmp_path: Path) -> None:
    joints = np.stack([np.stack([STANDING, LIFTED[name]]) for name in LIFTED]).astype(np.float32)
    simulated = DescribedChanges(joints, {"en": (("x",),) * 4, "hi": ((),) * 4})
    first, second = "Raise your left arm! Bring that left hand up.", "Raise your right arm, and lift your right hand."
    texts = {"en": [f"{first} {second}", "Raise your left arm.", "Sit. Raise your head."], "hi": ["कूदें।"] * 3}

    changes = human_paraphrases(annotated(tmp_path, texts), simulated)

    assert sorted({text for texts_of_change in changes.texts["en"] for text in texts_of_change}) == sorted(
        [first, second]
    )
    for one, texts_of_change in zip(changes.joints, changes.texts["en"], strict=True):
        assert (one == joints[list(LIFTED).index("left_arm" if texts_of_change == (first,) else "right_arm")]).all()


def test_the_different_words_of_changes_are_counted_by_language() -> None:
    texts = {"en": (("Raise your arm.",), (), ("Lower your arm.",)), "hi": ((), ("हाथ उठाएं।",), ())}
    changes = DescribedChanges(np.zeros((3, 2, 20, 3), np.float32), texts)

    assert {code: changes.different_words(code) for code in LANGUAGES} == {"en": 4, "hi": 2}


def test_a_folder_without_captions_is_refused(tmp_path: Path) -> None:
    changes = DescribedChanges(np.zeros((1, 2, 20, 3), np.float32), {"en": ((),), "hi": ((),)})

    with pytest.raises(BadInputError) as refusal:
        human_paraphrases(tmp_path, changes)
    assert refusal.value.code == "annotations_missing"
    assert str(tmp_path) in refusal.value.sentence


def test_a_change_into_the_named_shape_is_no_other_change(drawn_changes: DescribedChanges) -> None:
    meant = holds(drawn_changes.joints[:, 1])
    rows = np.flatnonzero(meant.any(axis=1))[:4].tolist()
    same = DescribedChanges(
        drawn_changes.joints[[rows[0], rows[0], *rows[1:]]],
        {
            code: tuple(texts[row] for row in (rows[0], rows[0], *rows[1:]))
            for code, texts in drawn_changes.texts.items()
        },
        meant=np.concatenate([meant[rows[:1]], np.zeros_like(meant[rows])]),
    )

    batch = task(same, others=2, mirrored=0.0).batch([0, 0, 1, 2], torch.Generator().manual_seed(1))

    assert batch.apart[0, 0]
    assert not batch.apart[0, 1], "the second leads into the same shape"
    assert batch.apart[1].all(), "the second text means no shape by name alone"
    assert not batch.differs[0, 1:3].all()
    assert batch.differs[1, 1:3].all()


def test_what_is_saved_has_a_share_of_the_weights_that_training_began_from(
    drawn_changes: DescribedChanges, tmp_path: Path
) -> None:
    trained = task(drawn_changes, kept=0.25)
    own = {name: value.clone() for name, value in trained.model.state_dict().items()}
    trained.begun = {name: value + 1 for name, value in own.items()}

    trained.save(tmp_path / "kept")

    saved = torch.load(tmp_path / "kept" / "weights")
    assert own
    assert all(torch.allclose(saved[name], value + 0.25, atol=1e-5) for name, value in own.items())
    assert all(torch.equal(value, own[name]) for name, value in trained.model.state_dict().items())
