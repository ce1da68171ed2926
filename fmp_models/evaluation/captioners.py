"""Captioner evaluation: the texts of a split and their scores (the paper's and two of our own), also per character."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from fmp_models.describe.descriptions import describe
from fmp_models.evaluation.target_votes import TargetVotes
from fmp_models.inference.caption_selection import Decoding, choose_texts
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.languages.vocabulary import Vocabulary
from fmp_models.metrics.body_parts import MovedGroups, moved_groups
from fmp_models.metrics.clause_metrics import clause_agreement, goal_progress
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.scoring import GOAL_PROGRESS, METRICS, score_texts, with_old_names
from fmp_models.networks.backbone import VisionModel
from fmp_models.networks.captioner import Captioner
from fmp_models.training.captioner import pair_batch
from fmp_models.training.dataset_samples import Samples
from fmp_models.training.engine import on_device
from fmp_models.training.model_inputs import SampleInputs

AGREEMENT = "clause_agreement"
CAPTION_SCORES = (*METRICS, AGREEMENT, GOAL_PROGRESS)
MAX_PAIRS = 200  # per split and language whose texts are executed; this takes half a minute
MAX_TEXT_TOKENS = 80  # words, punctuation marks and the end token; the limit of the recipes for two cores

_BATCH = 64
Say = Callable[[str], None]


def texts_of(  # noqa: PLR0913, PLR0917  the model, the pairs and options
    captioner: VisionModel[Captioner],
    vocabularies: Mapping[str, Vocabulary],
    sample_inputs: SampleInputs,
    decoding: Decoding,
    longest: int,
    say: Say,
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
        say(f"{rows.stop} of {len(samples)} pairs described")
    return texts


def texts_of_geometry(samples: Samples, *, placed: bool) -> dict[str, list[str]]:
    """Return the geometric description of each pair by language; the text is empty if the joints are not known."""
    pairs = samples.pose_pairs(placed=placed)
    return {
        language: ["" if pair is None else describe(pair, language).text for pair in pairs] for language in LANGUAGES
    }


def caption_scores(texts: Sequence[str], language: str, samples: Samples, say: Say) -> dict[str, Any]:
    """Return all scores of one text per pair, as in ``evaluation.json``; null if a score could not be measured.

    ``samples`` hold the references and the true joints. ``characters`` holds the scores for the pairs of each
    character; CIDEr's document frequencies are still those of the whole split. In a large split, the texts of
    :data:`MAX_PAIRS` pairs are executed.
    """
    # The dataset may contain the same pair twice.
    numbers = [f"{row} {uid}" for row, uid in enumerate(samples.uids)]
    predictions = dict(zip(numbers, texts, strict=True))
    references = dict(zip(numbers, samples.texts[language], strict=True))
    scores = score_texts(predictions, references, language, moved=_moved_joints(samples), say=say)
    pairs = samples.pose_pairs()
    measurements = {
        **scores.measured,
        AGREEMENT: clause_agreement(texts, language, pairs),
        GOAL_PROGRESS: goal_progress(texts, language, pairs, MAX_PAIRS),
    }
    clause_count = measurements[AGREEMENT].statistics.sum(axis=0)[1]
    return {
        "n": len(samples),
        **with_old_names({name: _value(measurements.get(name)) for name in CAPTION_SCORES}),
        "clauses_judged": int(clause_count),
        "pairs_carried_out": int(np.isfinite(measurements[GOAL_PROGRESS].instances).sum()),
        "tokeniser": scores.tokeniser,
        "intended": {name: _value(measurement) for name, measurement in scores.intended.items()},
        "characters": {
            str(character): _of_rows(measurements, samples.characters == character)
            for character in np.unique(samples.characters).tolist()
        },
        "degenerate": with_old_names(scores.degenerate),
        "notes": list(scores.notes),
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
