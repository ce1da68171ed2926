"""BLEU, CIDEr and ROUGE-L score any texts as pycocoevalcap does, which the released evaluation calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider as TheirCider
from pycocoevalcap.rouge.rouge import Rouge

from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngrams import Cider, bleu, cider, rouge_l
from tests.captions import INSTANCES, Instance, theirs
from tests.thoroughness import thorough

Pair = tuple[list[Measurement], list[tuple[float, list[float]]]]


def of_bleu(instances: list[Instance]) -> Pair:
    return bleu(*zip(*instances, strict=True)), list(zip(*theirs(Bleu(4), instances, verbose=0), strict=True))


def of_cider(instances: list[Instance]) -> Pair:
    return [cider(*zip(*instances, strict=True))], [theirs(TheirCider(), instances)]


def of_cider_as_a_reward(instances: list[Instance]) -> Pair:
    predictions, references = zip(*instances, strict=True)
    return [Measurement.mean(Cider(references).scores(predictions))], [theirs(TheirCider(), instances)]


def of_rouge(instances: list[Instance]) -> Pair:
    return [rouge_l(*zip(*instances, strict=True))], [theirs(Rouge(), instances)]


metrics = pytest.mark.parametrize("metric", [of_bleu, of_cider, of_cider_as_a_reward, of_rouge])


def agrees(metric: Callable[[list[Instance]], Pair], instances: list[Instance]) -> None:
    ours, expected = metric(instances)
    for measured, (value, of_instances) in zip(ours, expected, strict=True):
        assert measured.value == pytest.approx(value, rel=0, abs=1e-9)
        assert measured.instances == pytest.approx(of_instances, rel=0, abs=1e-9)


@metrics
@given(instances=INSTANCES)
def test_any_texts(metric: Callable[[list[Instance]], Pair], instances: list[Instance]) -> None:
    agrees(metric, instances)


@metrics
@thorough
def test_human_descriptions(metric: Callable[[list[Instance]], Pair], oracle: dict[str, Any]) -> None:
    oracle_instances = oracle["instances"].values()
    agrees(
        metric, [(one["prediction"].split(), [text.split() for text in one["references"]]) for one in oracle_instances]
    )


@metrics
@thorough
def test_long_texts_of_a_vocabulary_beyond_the_packed_numbers(metric: Callable[[list[Instance]], Pair]) -> None:
    words = np.random.default_rng(0).integers(0, 60_000, (20, 3, 600)).astype(str).tolist()
    agrees(metric, [(first[:200] + second[200:], [first, second, third]) for first, second, third in words])


@metrics
def test_more_texts_than_are_compared_at_once(metric: Callable[[list[Instance]], Pair]) -> None:
    rng = np.random.default_rng(0)
    texts = [rng.choice(list("abcdefgh"), size).tolist() for size in rng.integers(0, 15, 1500)]
    agrees(metric, [(texts[i], texts[i + 1 : i + 3]) for i in range(0, len(texts) - 2, 2)])
