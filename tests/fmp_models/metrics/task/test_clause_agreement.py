from __future__ import annotations

import numpy as np
import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.languages.grammar import LANGUAGES
from fmp_models.metrics.task.clause_agreement import clause_agreement, verdicts
from fmp_models.training.samples.dataset_samples import Samples, read_dataset


@pytest.fixture(scope="module")
def pairs() -> Samples:
    return read_dataset(FOLDER, "captioning", ["val_seen"]).splits["val_seen"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_of_a_pair_agrees_and_of_its_way_back_does_not(pairs: Samples, language: str) -> None:
    texts = [references[0] for references in pairs.texts[language]]
    poses = pairs.pose_pairs()
    assert clause_agreement(texts, language, poses).value == 1.0
    assert clause_agreement(texts, language, [pair.swapped for pair in poses if pair]).value < 0.3


def test_the_value_is_of_all_clauses_alike_and_not_of_texts(pairs: Samples) -> None:
    pair = pairs.pose_pairs()[0]
    assert pair is not None
    true = pairs.texts["en"][0][0]
    back = clause_agreement([true], "en", [pair.swapped])
    measurement = clause_agreement([true, true], "en", [pair, pair.swapped])
    count = len(verdicts(true, "en", pair))
    false = len(verdicts(true, "en", pair.swapped))
    assert count > 1
    assert measurement.instances.tolist() == [1.0, back.value]
    assert measurement.value == pytest.approx((count + back.value * false) / (count + false))


def test_what_cannot_be_judged_counts_neither_way(pairs: Samples) -> None:
    pair = pairs.pose_pairs()[0]
    true = pairs.texts["en"][0][0]
    measurement = clause_agreement([true, true, "nothing of a body", ""], "en", [pair, None, pair, pair])
    assert measurement.value == 1.0
    assert np.isnan(measurement.instances[1:]).all()
    assert np.isnan(clause_agreement([true], "en", [None]).value)


def test_lengths_that_differ_are_refused(pairs: Samples) -> None:
    with pytest.raises(ValueError, match="2 predictions"):
        clause_agreement(["a", "b"], "en", pairs.pose_pairs()[:1])
