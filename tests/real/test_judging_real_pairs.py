"""Our judge against the shared one: the same answers to the shared pairs, judged by both."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.describe.descriptions import CheckedClause
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.evaluation.judgement import Judgement, claims, end_states, spoken_slots, verdict
from fmp_models.evaluation.real_pairs import SLOTS, LabelledPairs, read_real_pairs
from fmp_models.evaluation.real_scores import (
    EvaluatedModel,
    RememberingEstimator,
    judged_answers,
    real_result,
    regressions,
)
from fmp_models.evaluation.stored_results import REAL_RESULTS_FILE, RealResult, RealResults, read_results
from fmp_models.geometry.lexicon import Direction, Part, Relation
from fmp_models.hub.references import CHECKPOINTS
from fmp_models.inference.corrector import load_correction_model
from fmp_models.languages.language_data import LANGUAGES, grammar
from tests.named_clauses import named_clause
from tests.thoroughness import thorough

pytestmark = pytest.mark.real

_SCRIPT = "tools/judge_real.py"
# The second movements that end states say, in the English words that the shared judge looks for.
_SECOND = {Relation.SIDEWAYS: "out to the sides", Relation.IN_FRONT: "in front of you"}
_PARTS = [f"{side} {part}" for side in ("left", "right") for part in Part if part.sided] + [
    *(f"both {'feet' if part is Part.FOOT else f'{part}s'}" for part in Part if part.sided),
    *(part.value for part in Part if not part.sided),
]


@pytest.fixture(scope="module")
def shared_judge(shared: Path) -> ModuleType:
    path = shared / _SCRIPT
    spec = importlib.util.spec_from_file_location("judge_real", path) if path.is_file() else None
    if spec is None or spec.loader is None:
        pytest.skip(f"FMP_SHARED: there is no {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pairs(shared: Path) -> LabelledPairs:
    folder = shared / "data" / "realbench"
    if not folder.is_dir():
        pytest.skip(f"FMP_SHARED: there is no folder {folder}")
    return read_real_pairs(folder)


@pytest.fixture(scope="module")
def remembering(estimator: MediaPipeEstimator) -> RememberingEstimator:
    return RememberingEstimator(estimator)


def by_the_shared_judge(judge: ModuleType, judged: list[Judgement], language: str | None = None) -> dict[str, Any]:
    """Its figures for the same clauses; with a ``language``, in English words for what end states say."""
    count, must, hit = Counter[str](), 0, 0
    for one in judged:
        truth = dict(one.pair.truth)
        must += len(one.pair.must)
        if one.answer.correction is None:
            continue
        clauses = [_plain(clause, language) for clause in one.answer.correction.clauses]
        count.update(slot_verdict for clause in clauses if (slot_verdict := judge.verdict(clause, truth)))
        spoken = judge.said(clauses, truth)
        hit += sum((slot, truth[slot]) in spoken for slot in one.pair.must)
    total = sum(count.values())
    shares = {name: round(count[name] / max(1, total), 3) for name in ("right", "opposite")}
    return {"judged": total, **shares, "must": round(hit / max(1, must), 3)}


def _plain(clause: CheckedClause, language: str | None) -> dict[str, Any]:
    fields = clause.as_json()
    if language is not None:
        fields["text"] = ", ".join(_SECOND.get(one, "") for one in end_states(clause, grammar(language)))
    return fields


def figures(real_result: RealResult) -> dict[str, Any]:
    return {name: getattr(real_result, name) for name in ("judged", "right", "opposite", "must")}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("model", ["geometry", "captioner"])
@thorough
def test_the_shared_judge_gives_the_same_figures(
    model: str, language: str, shared_judge: ModuleType, pairs: LabelledPairs, remembering: RememberingEstimator
) -> None:
    asked = EvaluatedModel(remembering, load_correction_model(model), language)
    judged = judged_answers(pairs, asked)
    ours = figures(real_result(judged, asked))
    verbatim = by_the_shared_judge(shared_judge, judged)
    print(f"\n{model} {language}: {ours}, by the shared judge {verbatim}")  # noqa: T201
    assert ours["judged"] > 10
    assert ours == by_the_shared_judge(shared_judge, judged, language)
    if (model, language) == ("geometry", "en"):
        assert ours == verbatim
    else:  # it knows an end state by two English phrases, so that others' words say less to it
        assert {**ours, "must": 0} == {**verbatim, "must": 0}
        assert ours["must"] >= verbatim["must"]


@thorough
@pytest.mark.parametrize("language", LANGUAGES)
def test_corrections_are_no_worse_than_those_that_the_card_tells_of(
    language: str, pairs: LabelledPairs, remembering: RememberingEstimator
) -> None:
    kept = read_results(RealResults, CHECKPOINTS / "captioner" / REAL_RESULTS_FILE)
    asked = EvaluatedModel(remembering, load_correction_model(), language)
    now = real_result(judged_answers(pairs, asked), asked)
    assert now.key in {one.key for one in kept.results}
    assert regressions(kept, RealResults([now])) == []
    assert (now.false_all_clear, now.refused) == ([], [])


@thorough
def test_a_picture_without_a_person_is_a_refusal_in_both_languages(
    pairs: LabelledPairs, remembering: RememberingEstimator
) -> None:
    refused = [
        [one.pair.id for one in judged_answers(pairs, asked) if one.refused]
        for asked in (EvaluatedModel(remembering, load_correction_model(), language) for language in LANGUAGES)
    ]
    assert refused[0] == refused[1]


# The shared judge takes every turn that is not to the left for one to the right; only feet turn out or in.
_WAYS = [way.value for way in Direction if way not in {Direction.TURN_OUT, Direction.TURN_IN}]


@given(
    st.lists(st.tuples(st.sampled_from(_PARTS), st.sampled_from(_WAYS)), max_size=6),
    st.dictionaries(st.sampled_from(SLOTS), st.sampled_from([-1, 0, 1, None])),
)
def test_any_clauses_are_judged_as_by_the_shared_judge(
    shared_judge: ModuleType, said_so: list[tuple[str, str]], truth: Mapping[str, int | None]
) -> None:
    clauses = [CheckedClause("", named_clause(part, way), None, 0.5, (0, 1)) for part, way in said_so]
    for clause in clauses:
        assert verdict(clause, truth) == shared_judge.verdict(clause.as_json(), truth)
    claims_of_clauses = [claim for clause in clauses for claim in claims(clause.clause)]
    theirs = shared_judge.said([clause.as_json() for clause in clauses], truth)
    signs = {(slot, sign) for slot, sign in truth.items() if sign}
    assert spoken_slots(claims_of_clauses, truth) & signs == theirs & signs
