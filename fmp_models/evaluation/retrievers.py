"""Retrieval scores of a split: of a retriever, of geometric evidence for the text's clauses, or of chance.

A retriever's own scores are followed by those with the clause evidence added, as the page, the command and
the API do it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

from fmp_models.data.features import CANDIDATES
from fmp_models.geometry.candidate_evidence import (
    EVIDENCE_WEIGHTS,
    Candidate,
    EvidenceWeights,
    candidate_log_odds,
    end_states,
    evidence,
    retriever_log_probs,
)
from fmp_models.geometry.execution import executed_goals
from fmp_models.geometry.lexicon import Plan
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_plan
from fmp_models.languages.vocabulary import EOS, Vocabulary
from fmp_models.metrics.retrieval import retrieval_scores
from fmp_models.networks.backbone import VisionModel
from fmp_models.networks.retriever import AnyRetriever
from fmp_models.pose import Array, pose_pair
from fmp_models.training.dataset_samples import Samples
from fmp_models.training.model_inputs import SampleInputs
from fmp_models.training.retriever import candidate_scores
from fmp_models.training.texts import Numbers

# Methods without training: a random guess, the evidence of the clauses, and the end states that they name.
UNTRAINED = ("chance", "clauses", "end-states")
RETRIEVAL_SCORES = ("accuracy", "recall_3", "recall_5", "mean_rank")
WITH_CLAUSES = {name: f"{name}_clauses" for name in ("accuracy", "mean_rank")}


def question_scores(
    retriever: VisionModel[AnyRetriever],
    vocabularies: Mapping[str, Vocabulary],
    sample_inputs: SampleInputs,
    longest: int,
) -> dict[str, dict[str, Any]]:
    """Return the scores by language, as in ``evaluation.json``; the same for all if the retriever reads no text."""
    samples = sample_inputs.samples
    texts: dict[str, Sequence[Numbers]] = {
        language: [
            tuple(vocabulary.encode(texts_of_pair[0], ends=False, longest=longest))
            for texts_of_pair in samples.texts[language]
        ]
        for language, vocabulary in vocabularies.items()
    }
    if not retriever.network.config.text:
        texts = {LANGUAGES[0]: [(EOS,)] * len(samples)}
    with torch.inference_mode():
        scores_of = candidate_scores(retriever, sample_inputs, texts)
    if not retriever.network.config.text:
        return dict.fromkeys(LANGUAGES, _scores_report(scores_of[LANGUAGES[0]], samples))
    reports = {}
    for language, scores in scores_of.items():
        of_clauses = judged(evidence_as_done, samples, language, placed=sample_inputs.placed)
        odds = [
            candidate_log_odds(text_odds, clause_odds)
            for text_odds, clause_odds in zip(scores, of_clauses, strict=True)
        ]
        with_clauses = _scores_report(odds, samples)
        reports[language] = _scores_report(scores, samples) | {
            key: with_clauses[name] for name, key in WITH_CLAUSES.items()
        }
        if any(evidence_of_pair.any() for evidence_of_pair in of_clauses):
            reports[language]["best_weights"] = fitted(scores, of_clauses, samples.answers)._asdict()
    return reports


def fitted(
    scores: Sequence[Sequence[float]], of_clauses: Sequence[Array], answers: NDArray[np.int64]
) -> EvidenceWeights:
    """Return the non-negative weights that maximize the likelihood of the answers of n questions."""
    features = np.concatenate(
        [retriever_log_probs(np.array(scores))[..., None], np.array(of_clauses)], axis=2
    )  # (n, k, 6)
    rows = np.arange(len(features))

    def surprise(weights: Array) -> tuple[float, Array]:
        """Return the cross-entropy over the candidates, and its gradient."""
        odds = log_softmax(features @ weights, axis=1)
        slope = (np.exp(odds)[..., None] * features).sum(axis=1) - features[rows, answers]
        return -odds[rows, answers].mean(), slope.mean(axis=0)

    solution = minimize(
        surprise, np.array(EVIDENCE_WEIGHTS), jac=True, bounds=[(0, None)] * len(EVIDENCE_WEIGHTS), method="L-BFGS-B"
    )
    return EvidenceWeights(*(round(float(weight), 3) for weight in solution.x))


def untrained_scores(retriever: str, samples: Samples, language: str, seed: int) -> dict[str, Any]:
    """Return the scores of one method of :data:`UNTRAINED`; only "chance" depends on the ``seed``."""
    if retriever == "chance":
        return _scores_report(list(np.random.default_rng(seed).random((len(samples), CANDIDATES))), samples)
    if retriever == "end-states":
        return _scores_report(judged(end_states, samples, language), samples)
    nothing, of_clauses = np.zeros(CANDIDATES), judged(evidence_as_done, samples, language)
    return _scores_report([candidate_log_odds(nothing, evidence_of_pair) for evidence_of_pair in of_clauses], samples)


def evidence_as_done(plan: Plan, candidates: Sequence[Candidate | None]) -> Array:
    """Return the evidence of a text for its candidates, including the result of executing it on the current pose."""
    current = next((one.pair.current for one in candidates if one is not None), None)
    done = executed_goals(plan, current) if plan and current is not None else None
    return evidence(plan, candidates, done=done)


def judged(
    judge: Callable[[Plan, Sequence[Candidate | None]], Array], samples: Samples, language: str, *, placed: bool = True
) -> list[Array]:
    """Return what ``judge`` gives for each question's text and candidates, by the joints of the samples."""
    words = grammar(language)
    scores = []
    for (text, *_), poses, known in zip(samples.texts[language], samples.joints, samples.known, strict=True):
        pairs = [
            pose_pair(poses[0], pose, placed=placed) if known[0] and candidate_known else None
            for pose, candidate_known in zip(poses[1:], known[1:], strict=True)
        ]
        candidates = [None if pair is None else Candidate(pair, pair.target) for pair in pairs]
        scores.append(judge(read_plan(text, words), candidates))
    return scores


def _scores_report(scores: Sequence[Sequence[float] | Array], samples: Samples) -> dict[str, Any]:
    metrics = retrieval_scores(scores, samples.answers.tolist())
    return {"n": len(samples), **{name.replace("_at_", "_"): score.value for name, score in metrics.items()}}
