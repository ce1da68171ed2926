from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.evaluation.target_votes import OTHERS, TargetVotes
from fmp_models.hub.models import load_retriever
from fmp_models.training.dataset_samples import Samples, read_dataset
from fmp_models.training.model_inputs import Views

RAISE, BEND = "Raise your left arm.", "Bend both of your knees."


@pytest.fixture
def pairs() -> Samples:
    return read_dataset(FOLDER, "captioning", ["val_seen"]).splits["val_seen"]


@pytest.fixture
def votes(models: Path, pairs: Samples) -> TargetVotes:
    return TargetVotes(load_retriever(str(models / "retriever")), pairs, Views(), "en")


def test_every_text_of_every_pair_has_a_log_probability(votes: TargetVotes) -> None:
    log_probabilities = votes([2, 0], [[RAISE, BEND, ""], [RAISE]])
    assert [len(several) for several in log_probabilities] == [3, 1]
    assert all(vote <= 0 and math.isfinite(vote) for several in log_probabilities for vote in several)
    assert votes([], []) == []
    assert votes([1], [[]]) == [[]]


def test_a_vote_depends_on_the_pair_and_the_text_alone(votes: TargetVotes) -> None:
    (first,), (second,) = votes([0, 1], [[RAISE], [BEND]])
    assert votes([1, 0], [[BEND], [RAISE]]) == [[pytest.approx(second)], [pytest.approx(first)]]


def test_the_own_target_stands_first_among_different_ones(votes: TargetVotes, pairs: Samples) -> None:
    asked = votes._questions([0, len(pairs) - 1])
    choice = min(1 + OTHERS, len(pairs))
    assert asked.pictures.shape == (2, 1 + choice)
    for row, shown in zip((0, len(pairs) - 1), asked.pictures, strict=True):
        assert shown[:2].tolist() == pairs.pictures[row].tolist()
        assert len(np.unique(shown[1:])) == len(np.unique(pairs.pictures[:, 1][(row + np.arange(choice)) % len(pairs)]))
    assert (asked.joints[0, 1] == pairs.joints[0, 1]).all()
