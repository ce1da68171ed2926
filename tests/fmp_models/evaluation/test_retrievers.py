from __future__ import annotations

import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.evaluation.retrievers import random_scores
from fmp_models.training.samples import read_dataset


def test_a_guess_finds_one_answer_in_ten_and_is_the_same_for_a_seed() -> None:
    samples = read_dataset(FOLDER, "retrieval", ["test_unseen"]).splits["test_unseen"].taken([0, 1] * 2000)
    told = random_scores(samples, 5)
    assert told["accuracy"] == pytest.approx(0.1, abs=0.02)
    assert told["mean_rank"] == pytest.approx(5.5, abs=0.15)
    assert told == random_scores(samples, 5) != random_scores(samples, 6)
