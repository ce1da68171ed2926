"""Clause agreement and goal progress judge a text by the joints of both pictures."""

from __future__ import annotations

import numpy as np
import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.describe.descriptions import describe
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.metrics.clause_metrics import clause_agreement, goal_progress, judge_text, text_progress
from fmp_models.pose import PosePair
from fmp_models.training.dataset_samples import Samples, read_dataset
from tests.bodies import random_pairs
from tests.thoroughness import one_of


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
    count = len(judge_text(true, "en", pair))
    false = len(judge_text(true, "en", pair.swapped))
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


PAIRS = random_pairs(6, seed=21)


@pytest.mark.parametrize(("language", "count"), one_of([("en", 2), *((language, 6) for language in LANGUAGES)]))
def test_what_the_geometry_says_leads_towards_the_target_and_its_reverse_away(language: str, count: int) -> None:
    pairs = PAIRS[:count]
    there = goal_progress([describe(pair, language).text for pair in pairs], language, pairs)
    back = goal_progress([describe(pair.swapped, language).text for pair in pairs], language, pairs)
    print(f"\nway of {len(pairs)} texts, {language}: {there.value:.2f}, of their reverse {back.value:.2f}")  # noqa: T201
    assert there.value > 0.2
    assert back.value < 0
    assert there.value == pytest.approx(np.mean(there.instances))


def test_a_text_that_says_nothing_leads_nowhere() -> None:
    assert text_progress("What a lovely room!", "en", PAIRS[0]) == pytest.approx(0)


def test_pairs_without_joints_or_without_a_movement_are_not_measured() -> None:
    still = PosePair(PAIRS[0].current, PAIRS[0].current)
    measurement = goal_progress(["Raise your left arm."] * 3, "en", [None, still, PAIRS[0]])
    assert np.isnan(measurement.instances).tolist() == [True, True, False]
    assert measurement.value == measurement.instances[2]
    assert np.isnan(goal_progress(["Raise your left arm."], "en", [None]).value)


def test_of_many_pairs_as_many_as_wanted_are_measured_evenly_spread() -> None:
    measurement = goal_progress(["Raise your left arm."] * 7, "en", [*PAIRS[:3], None, *PAIRS[3:]], most=3)
    assert np.flatnonzero(np.isfinite(measurement.instances)).tolist() == [0, 2, 6]


def test_lengths_that_differ_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="2"):
        goal_progress(["a", "b"], "en", PAIRS[:1])
