"""Who speaks where nobody chose is whoever did best before real photographs, by what is kept beside the captioner."""

from __future__ import annotations

from collections.abc import Mapping

from fmp_models.evaluation.stored_results import REAL_RESULTS_FILE, RealResults, read_results
from fmp_models.hub.references import CHECKPOINTS
from fmp_models.inference.correction import CAPTIONER, DEFAULT_MODEL, GEOMETRY


def standing(results: RealResults) -> Mapping[str, tuple[float, float, bool]]:
    """By model: clauses right and salient changes said, the mean over languages; of equals the geometry, which is fast.

    Two decimals, since thousandths of a few dozen clauses are nobody's merit.
    """
    models = {one.model for one in results.results}
    standings = {}
    for model in models:
        own = [one for one in results.results if one.model == model]
        right, must = (round(sum(getattr(one, name) for one in own) / len(own), 2) for name in ("right", "must"))
        standings[model] = right, must, model == GEOMETRY.id
    return standings


def test_the_default_is_who_measures_best_before_real_photographs() -> None:
    results = read_results(RealResults, CHECKPOINTS / CAPTIONER / REAL_RESULTS_FILE)
    measured = standing(results)
    assert set(measured) >= {GEOMETRY.id, CAPTIONER}
    assert max(measured, key=lambda model: measured[model]) == DEFAULT_MODEL


def test_the_results_compare_the_speakers_fairly() -> None:
    results = read_results(RealResults, CHECKPOINTS / CAPTIONER / REAL_RESULTS_FILE).results
    asked = {
        model: {(one.pose, one.language, one.pairs) for one in results if one.model == model}
        for model in (GEOMETRY.id, CAPTIONER)
    }
    assert asked[GEOMETRY.id] == asked[CAPTIONER]
