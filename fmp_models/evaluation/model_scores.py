"""Scores of captioners and retrievers on a split: the paper's and our own, also per character.

A retriever's own scores are followed by those with the clause evidence added, as the page, the command and the API
do it.

A retriever can vote on a captioner's texts: with the probability that each text leads to the pair's own target.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

from fmp_models.data import CANDIDATE_COUNT
from fmp_models.describe import describe
from fmp_models.evaluation.change_scores import CHANGE_SCORES, change_groups, change_measurements
from fmp_models.geometry import (
    EVIDENCE_WEIGHTS,
    Candidate,
    EvidenceWeights,
    Plan,
    candidate_log_odds,
    distance_to_target,
    end_states,
    evidence,
    executed_goals,
    retriever_log_probs,
)
from fmp_models.hub import LoadedModel
from fmp_models.inference import Decoding, choose_texts
from fmp_models.languages import EOS, LANGUAGES, Vocabulary, grammar, read_plan
from fmp_models.metrics import (
    GOAL_PROGRESS,
    METRICS,
    OWN_METRICS,
    Measurement,
    MovedGroups,
    clause_agreement,
    goal_progress,
    moved_groups,
    performed,
    retrieval_scores,
    score_texts,
    with_old_names,
)
from fmp_models.networks import AnyRetriever, Captioner, VisionModel
from fmp_models.pose import Array, bone_lengths, pose_pair, with_bones
from fmp_models.training import (
    NO_PICTURE,
    UNKNOWN,
    Numbers,
    SampleInputs,
    Samples,
    Views,
    candidate_scores,
    on_device,
    pair_batch,
    spread,
)

OTHERS = 9  # with the pair's own target, as many candidates as in the paper's questions
MAX_DESCRIPTION_WORDS = 100  # words of a description that a retriever reads; the value of the recipes


@dataclass(frozen=True)
class TargetVotes:
    """Votes of the retriever of one ``language`` for texts of ``samples``; ``views`` give it their pictures.

    Each pose has its own origin, as in photographs: the person's position in the room would reveal too much.
    """

    loaded: LoadedModel[VisionModel[AnyRetriever]]
    samples: Samples
    views: Views
    language: str

    def __call__(self, rows: Sequence[int], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return the log-probability of each row's own target, by each of its ``texts``.

        The other candidates are the targets of the next pairs of the split; they share the room and the person if
        there are enough such pairs.
        """
        row_texts = [(row, text) for row, of_row in zip(rows, texts, strict=True) for text in of_row]
        if not row_texts:
            return [[] for _ in rows]
        vocabulary = self.loaded.vocabularies[self.language]
        # A text without words is only its end token.
        numbers = [
            tuple(vocabulary.encode(text, ends=False, longest=MAX_DESCRIPTION_WORDS)) or (EOS,) for _, text in row_texts
        ]
        questions = self._questions([row for row, _ in row_texts])
        with torch.inference_mode():
            sample_inputs = SampleInputs(questions, self.views, placed=False)
            scores = candidate_scores(self.loaded.network, sample_inputs, {self.language: numbers})[self.language]
        votes = iter(log_softmax(np.array(scores), axis=1)[:, 0].tolist())
        return [[next(votes) for _ in of_row] for of_row in texts]

    def _questions(self, rows: Sequence[int]) -> Samples:
        """Return one question for each row: its current pose, its target, and the targets of the next pairs."""
        pairs = self.samples
        indices = np.asarray(rows, dtype=np.int64)
        candidates = (indices[:, None] + np.arange(1 + min(OTHERS, len(pairs) - 1))) % len(pairs)
        return replace(
            pairs.subset(rows),
            pictures=np.concatenate([pairs.pictures[indices, :1], pairs.pictures[candidates, 1]], axis=1),
            joints=np.concatenate([pairs.joints[indices, :1], pairs.joints[candidates, 1]], axis=1),
            known=np.concatenate([pairs.known[indices, :1], pairs.known[candidates, 1]], axis=1),
            answers=np.zeros(len(indices), dtype=np.int64),
        )


AGREEMENT = "clause_agreement"
CAPTION_SCORES = (*METRICS, AGREEMENT, *OWN_METRICS)
MAX_PAIRS = 200  # per split and language whose texts are executed; this takes half a minute
MAX_TEXT_TOKENS = 80  # words, punctuation marks and the end token; the limit of the recipes for two cores

_NO_JOINTS = "Clause agreement and goal progress are left out: none of the pairs has joints."
_BATCH = 64
_log = logging.getLogger(__name__)


def texts_of(  # noqa: PLR0913, PLR0917  the model, the pairs and options
    captioner: VisionModel[Captioner],
    vocabularies: Mapping[str, Vocabulary],
    sample_inputs: SampleInputs,
    decoding: Decoding,
    longest: int,
    votes: Mapping[str, TargetVotes] | None = None,
) -> dict[str, list[str]]:
    """Return one text for each pair, by language; ``sample_inputs`` holds the joints that the captioner is given.

    ``votes`` by language help to choose among several texts.
    """
    texts: dict[str, list[str]] = {language: [] for language in vocabularies}
    samples = sample_inputs.samples
    device = next(captioner.parameters()).device
    for begin in range(0, len(samples), _BATCH):
        rows = range(begin, min(begin + _BATCH, len(samples)))
        pairs = samples.subset(rows).pose_pairs(placed=sample_inputs.placed)
        with torch.inference_mode():
            encoded = captioner.network.encode(pair_batch(on_device(sample_inputs.plain(rows), device), captioner))
            for language, vocabulary in vocabularies.items():
                voting = None if votes is None else partial(votes[language], rows)
                choices = choose_texts(captioner.network, encoded, vocabulary, pairs, decoding, longest - 1, voting)
                texts[language] += [choice.text for choice in choices]
        _log.info("%d of %d pairs described", rows.stop, len(samples))
    return texts


def predicted_joint_error(
    captioner: VisionModel[Captioner], sample_inputs: SampleInputs, samples: Samples
) -> float | None:
    """Return the mean error in metres, from the hip, of the joints that a captioner predicts from pictures.

    ``samples`` hold the true joints. None if it predicts none, or no pair has both pictures and true joints.
    """
    known = (samples.known & (samples.pictures != NO_PICTURE)).all(axis=1)
    if not captioner.network.config.joint_prediction or not known.any():
        return None
    device = next(captioner.parameters()).device
    bodies = samples.joints - samples.joints[:, :, :1]
    errors = []
    for begin in range(0, len(samples), _BATCH):
        rows = range(begin, min(begin + _BATCH, len(samples)))
        with torch.inference_mode():
            encoded = captioner.network.encode(pair_batch(on_device(sample_inputs.plain(rows), device), captioner))
        if encoded.predicted_joints is not None:
            off = encoded.predicted_joints.float().cpu().numpy() - bodies[begin : rows.stop]
            errors.append(np.linalg.norm(off, axis=-1).mean(axis=(1, 2))[known[begin : rows.stop]])
    return float(np.concatenate(errors).mean())


def texts_of_geometry(samples: Samples, languages: Sequence[str], *, placed: bool) -> dict[str, list[str]]:
    """Return the geometric description of each pair by language; the text is empty if the joints are not known."""
    pairs = samples.pose_pairs(placed=placed)
    return {
        language: ["" if pair is None else describe(pair, language).text for pair in pairs] for language in languages
    }


def caption_scores(
    texts: Sequence[str], language: str, samples: Samples, changes: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Return all scores of one text per pair, as in ``evaluation.json``; null if a score could not be measured.

    ``samples`` hold the references and the true joints. ``characters`` holds the scores for the pairs of each
    character; CIDEr's document frequencies are still those of the whole split. In a large split, the texts of
    :data:`MAX_PAIRS` pairs are executed. ``changes`` are the rows of simulate-changes for the pairs, and give
    :data:`CHANGE_SCORES`; their ``groups`` are scored by type, and with and without changes of light or view.
    """
    # The dataset may contain the same pair twice.
    numbers = [f"{row} {uid}" for row, uid in enumerate(samples.uids)]
    predictions = dict(zip(numbers, texts, strict=True))
    references = dict(zip(numbers, samples.texts[language], strict=True))
    scores = score_texts(predictions, references, language, moved=_moved_joints(samples))
    pairs = samples.pose_pairs()
    measurements = {
        **scores.measured,
        AGREEMENT: clause_agreement(texts, language, pairs),
        GOAL_PROGRESS: goal_progress(texts, language, pairs, MAX_PAIRS),
    }
    measurements |= change_measurements(texts, language, changes) if changes else {}
    clause_count = measurements[AGREEMENT].statistics.sum(axis=0)[1]
    return {
        "n": len(samples),
        **with_old_names({name: _value(measurements.get(name)) for name in CAPTION_SCORES}),
        **{name: _value(measurements[name]) for name in CHANGE_SCORES if name in measurements},
        **(
            {"groups": {name: _of_rows(measurements, rows) for name, rows in change_groups(changes).items()}}
            if changes
            else {}
        ),
        "clauses_judged": int(clause_count),
        "pairs_carried_out": int(np.isfinite(measurements[GOAL_PROGRESS].instances).sum()),
        "tokeniser": scores.tokeniser,
        "intended": {name: _value(measurement) for name, measurement in scores.intended.items()},
        "characters": {
            str(character): _of_rows(measurements, samples.characters == character)
            for character in np.unique(samples.characters).tolist()
            if character != UNKNOWN
        },
        "properties": scores.properties,
        "degenerate": with_old_names(scores.degenerate),
        "notes": [*scores.notes, *([] if samples.known.any() else [_NO_JOINTS])],
    }


def _of_rows(measurements: Mapping[str, Measurement], mask: np.ndarray[Any, Any]) -> dict[str, Any]:
    values = {
        name: float(measurement.of_totals(measurement.statistics[mask].sum(axis=0)))
        for name, measurement in measurements.items()
    }
    return {
        "n": int(mask.sum()),
        **with_old_names({name: None if math.isnan(value) else value for name, value in values.items()}),
    }


def _value(measurement: Measurement | None) -> float | None:
    return None if measurement is None or math.isnan(measurement.value) else measurement.value


def _moved_joints(samples: Samples) -> MovedGroups:
    """Return which joint groups move in each pair by the dataset's own joints; none if the joints are not known."""
    known = np.asarray(samples.known.all(axis=1))
    released, intended = (
        moved_groups(samples.joints[:, 0], samples.joints[:, 1], intended=intended) & known[:, None]
        for intended in (False, True)
    )
    return MovedGroups(known, released, intended)


# Methods without training that give a target pose: the current one, the mean of the training pairs, the text performed.
POSE_METHODS = ("stay", "mean-pose", "performed")


def pose_scores(method: str, samples: Samples, language: str, training: Samples | None) -> dict[str, Any]:
    """Return the mean ``pose_error`` in metres of the poses that one of :data:`POSE_METHODS` gives for n pairs.

    Of a large split, :data:`MAX_PAIRS` evenly spaced pairs with their first texts are used. ``training`` are the pairs
    whose mean target is the mean pose.
    """
    rows = spread(np.arange(len(samples)), MAX_PAIRS)
    pairs = samples.subset(rows).pose_pairs()
    mean = None
    if method == "mean-pose" and training is not None:
        targets = training.joints[training.known.all(axis=1), 1].astype(np.float64)
        mean = (targets - targets[:, :1]).mean(axis=0)
    errors = []
    for row, pair in zip(rows, pairs, strict=True):
        if pair is not None:
            reached = pair.current.joints
            if method == "performed":
                reached = performed(samples.texts[language][row][0], language, pair.current).joints
            elif mean is not None:
                reached = with_bones(mean, bone_lengths(reached))
            errors.append(distance_to_target(pair.current, reached, pair.target))
    return {"n": len(errors), "pose_error": float(np.mean(errors))}


# Methods without training: a random guess, the evidence of the clauses, and the end states that they name.
UNTRAINED = ("chance", "clauses", "end-states")
RETRIEVAL_SCORES = ("accuracy", "recall_3", "recall_5", "mean_rank")
TEXT_ALONE = "accuracy_text_alone"  # of "end-states", which reads the text and the candidates but no current pose
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
        reports[language] |= text_alone(samples, language)
        if any(evidence_of_pair.any() for evidence_of_pair in of_clauses):
            reports[language]["best_weights"] = fitted_weights(scores, of_clauses, samples.answers)._asdict()
    return reports


def text_alone(samples: Samples, language: str) -> dict[str, float | None]:
    """Return the accuracy that needs no current pose, to show beside that of a retriever; null without joints."""
    known = samples.known.any() and all(samples.texts[language])
    return {TEXT_ALONE: untrained_scores("end-states", samples, language, 0)["accuracy"] if known else None}


def fitted_weights(
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
        return _scores_report(list(np.random.default_rng(seed).random((len(samples), CANDIDATE_COUNT))), samples)
    if retriever == "end-states":
        return _scores_report(judged(end_states, samples, language), samples)
    nothing, of_clauses = np.zeros(CANDIDATE_COUNT), judged(evidence_as_done, samples, language)
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
