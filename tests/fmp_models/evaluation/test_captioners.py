from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.evaluation import captioners
from fmp_models.evaluation.captioners import CAPTION_SCORES, caption_scores
from fmp_models.metrics.scoring import METRICS
from fmp_models.training.dataset_samples import Samples, read_dataset
from tests.thoroughness import one_of


@pytest.fixture(scope="module")
def pairs() -> Samples:
    return read_dataset(FOLDER, "captioning", ["val_unseen"]).splits["val_unseen"]


def scored(texts: list[str], pairs: Samples, language: str = "en") -> dict[str, object]:
    return caption_scores(texts, language, pairs, lambda _: None)


@pytest.mark.usefixtures("without_java")
@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_the_references_themselves_score_best_and_are_true(pairs: Samples, language: str) -> None:
    own = scored([references[0] for references in pairs.texts[language]], pairs, language)
    others = scored([references[0] for references in pairs.texts[language]][::-1], pairs, language)
    assert own["clause_agreement"] == 1.0
    assert own["bleu4"] == pytest.approx(1.0)
    for name in (
        "bleu4",
        "cider",
        "rouge_l",
        "direction_match",
        "body_part_match",
        "clause_agreement",
        "goal_progress",
    ):
        assert own[name] > others[name], name  # type: ignore[operator]


@pytest.mark.usefixtures("without_java")
def test_every_score_is_there_and_what_could_not_be_measured_is_null_with_a_reason(pairs: Samples) -> None:
    report = scored(["bend your left knee"] * len(pairs), pairs)
    assert set(CAPTION_SCORES) < report.keys()
    assert report["meteor"] is None
    assert report["n"] == report["pairs_carried_out"] == len(pairs)
    assert any("METEOR" in note for note in report["notes"])  # type: ignore[attr-defined]


@pytest.mark.usefixtures("without_java")
def test_characters_are_measured_by_the_scale_of_the_whole_split(
    pairs: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captioners, "MAX_PAIRS", 1)
    texts = [references[0] for references in pairs.texts["en"]][::-1]
    report = scored(texts, pairs)
    characters: dict[str, dict[str, float]] = report["characters"]  # type: ignore[assignment]
    assert sorted(characters) == sorted({str(number) for number in pairs.characters.tolist()})
    assert sum(scores["n"] for scores in characters.values()) == len(pairs)
    mean = sum(scores["n"] * scores["cider"] for scores in characters.values()) / len(pairs)
    assert mean == pytest.approx(report["cider"])


@pytest.mark.usefixtures("without_java")
def test_a_dataset_without_joints_has_every_score_but_those_that_need_them(pairs: Samples) -> None:
    unknown = replace(pairs, joints=np.zeros_like(pairs.joints), known=np.zeros_like(pairs.known))
    report = scored([references[0] for references in pairs.texts["en"]], unknown)
    assert report["body_part_match"] is None
    assert report["clause_agreement"] is None
    assert report["clauses_judged"] == 0
    assert report["goal_progress"] is report["carried_out"] is None
    assert report["pairs_carried_out"] == 0
    assert all(report[name] is not None for name in METRICS if name not in {"meteor", "body_part_match"})


@pytest.mark.usefixtures("without_java")
def test_a_pair_that_a_dataset_has_twice_counts_twice(pairs: Samples) -> None:
    twice = pairs.subset([0, 0, 1])
    assert scored(["bend your left knee"] * 3, twice)["n"] == 3


@pytest.mark.usefixtures("without_java")
def test_of_a_large_split_some_texts_are_carried_out(pairs: Samples, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captioners, "MAX_PAIRS", 2)
    report = scored([references[0] for references in pairs.texts["en"]], pairs)
    assert report["pairs_carried_out"] == 2
    assert report["goal_progress"] == report["carried_out"] is not None
