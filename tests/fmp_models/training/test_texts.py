"""Samples told otherwise are still true of their joints."""

import pytest

from fmp_models.geometry.verdicts import agrees
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_plan
from fmp_models.pose import PosePair, pose_pair
from fmp_models.training.dataset_samples import Dataset, Samples
from fmp_models.training.texts import mirrored_texts, paraphrase, swapped
from tests.nonempty import nonempty
from tests.plans import mirror_plan


def pair_of(samples: Samples, row: int) -> PosePair:
    return pose_pair(*samples.joints[row])


@pytest.fixture
def samples(captioning: Dataset) -> Samples:
    return captioning.splits["train"]


def test_every_text_of_the_sample_has_a_mirror_image_true_of_the_mirrored_pair(samples: Samples) -> None:
    for code, texts in nonempty(mirrored_texts(samples).items()):
        for row, mirror_texts in enumerate(nonempty(texts)):
            for text, original in nonempty(zip(mirror_texts, samples.texts[code][row], strict=True)):
                assert text is not None
                plan = read_plan(text, grammar(code))
                assert plan == mirror_plan(read_plan(original, grammar(code)))
                assert False not in [agrees(clause, pair_of(samples, row).mirrored) for clause in plan]


def test_the_way_back_is_described_in_true_clauses(samples: Samples) -> None:
    back = swapped(samples, seed=3)
    assert back.uids == samples.uids
    assert (back.joints == samples.joints[:, ::-1]).all()
    assert (back.pictures == samples.pictures[:, ::-1]).all()
    for code in LANGUAGES:
        for row in range(len(back)):
            plan = read_plan(back.texts[code][row][0], grammar(code))
            assert plan
            assert False not in [agrees(clause, pair_of(back, row)) for clause in plan]


def test_pairs_without_known_joints_have_no_way_back(samples: Samples) -> None:
    samples.known.setflags(write=False)
    known = samples.known.copy()
    known[0, 1] = False
    some = Samples(**{**vars(samples), "known": known})
    assert swapped(some, seed=3).uids == samples.uids[1:]


def test_the_same_seed_tells_the_same_and_another_something_else(samples: Samples) -> None:
    assert paraphrase(samples.joints[0], 1) == paraphrase(samples.joints[0], 1)
    assert len({paraphrase(samples.joints[0], seed)["hi"] for seed in range(8)}) > 4
    assert swapped(samples, 1).texts == swapped(samples, 1).texts
    assert swapped(samples, 1).texts != swapped(samples, 2).texts


def test_what_is_told_of_one_row_does_not_hang_on_the_others(samples: Samples) -> None:
    # A pair keeps its text when pairs after it are added or lost, so that a training with more data is comparable.
    assert swapped(samples.subset([0, 1]), 5).texts["en"] == swapped(samples, 5).texts["en"][:2]
