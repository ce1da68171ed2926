"""METEOR 1.5 (Denkowski and Lavie, 2014): its jar matches the words; the score is computed here from its counts.

The released evaluation calls the jar with ``-l en -norm`` for English and uses its corpus score; for Hindi it calls
``-l other`` and uses the mean of the instances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngram.java import METEOR_JAR, METEOR_PARAPHRASES, JavaFailedError, path_of, run_jar
from fmp_models.metrics.ngram.ngrams import number
from fmp_models.pose import Array

# The order of the jar's numbers: four lengths, four numbers for each matcher, then these.
_PREDICTION, _REFERENCE, _PREDICTION_FUNCTION, _REFERENCE_FUNCTION = range(4)
_MATCHES = slice(4, 20)
_CHUNKS, _PREDICTION_MATCHED, _REFERENCE_MATCHED = 20, 21, 22
_WIDTH = 23


@dataclass(frozen=True)
class _Parameters:
    """The jar's parameters for a language; ``matchers`` weighs exact, stem, synonym and paraphrase matches."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    matchers: tuple[float, float, float, float]


# The jar's parameters for English, tuned for ranking translations, and for languages that it does not know.
_ENGLISH = _Parameters(alpha=0.85, beta=0.2, gamma=0.6, delta=0.75, matchers=(1.0, 0.6, 0.8, 0.6))
_OTHER = _Parameters(alpha=0.75, beta=1.4, gamma=0.7, delta=0.5, matchers=(1.0, 0.5, 0.5, 0.5))


def meteor(
    predictions: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]], language: str
) -> Measurement:
    """Return METEOR of tokenised texts; each instance is scored with the reference that gives the highest score.

    For English ``statistics`` are the jar's 23 numbers of each instance, and the value of a sample follows from their
    sum; for other languages the value is the mean. An instance without words scores 0. Raises ValueError if there is
    no instance, if an instance has no references, or if lengths differ; ``JavaFailedError`` if Java or the jar fails.
    """
    number(predictions, references)  # raises for the same input as the other metrics
    english = language == "en"
    # The jar finds the paraphrases itself, except in a folder with a space in its path.
    options = ["-l", "en", "-norm", "-a", str(path_of(METEOR_PARAPHRASES))] if english else ["-l", "other"]
    questions = [_question(*texts) for texts in zip(predictions, references, strict=True)]
    counts = _read(run_jar(METEOR_JAR, ["Meteor", "-", "-", "-stdio", *options], questions, heap="2G"))
    if english:
        score = partial(_score, _ENGLISH)
        return Measurement(score(counts), counts, score)
    return Measurement.mean(_score(_OTHER, counts))


def _question(prediction: Sequence[str], references: Sequence[Sequence[str]]) -> str:
    """Return the jar's input line for one instance; texts cannot add separators to it."""
    return " ||| ".join(["SCORE", *(" ".join(tokens).replace("|||", "") for tokens in [*references, prediction])])


def _read(answers: Sequence[str]) -> Array:
    """Return the jar's numbers (n, 23), with the chunk count set to 0 where prediction and reference are identical."""
    try:
        counts = np.array([answer.split() for answer in answers], dtype=np.float64).reshape(len(answers), _WIDTH)
    except ValueError as error:
        odd = next((answer for answer in answers if len(answer.split()) != _WIDTH), answers[0])
        strange = f"METEOR's jar did not return {_WIDTH} numbers: {odd}."
        raise JavaFailedError(strange) from error
    matches = counts[:, _MATCHES].reshape(-1, 8, 2).sum(axis=1)
    whole = (matches == counts[:, [_PREDICTION, _REFERENCE]]).all(axis=1) & (counts[:, _CHUNKS] == 1)
    counts[whole, _CHUNKS] = 0
    return counts


def _score(parameters: _Parameters, counts: Array) -> Array:
    """Return METEOR (...) of the jar's numbers (..., 23), of one instance or summed: Denkowski and Lavie, section 2.

    Precision and recall weigh content words by delta and function words by 1 - delta.
    """
    kinds = np.array([parameters.delta, 1 - parameters.delta])
    # Axes: matcher, content or function words, prediction or reference.
    matches = counts[..., _MATCHES].reshape(*counts.shape[:-1], 4, 2, 2)
    matched = np.einsum("...mkt,m,k->...t", matches, np.array(parameters.matchers), kinds)
    function_words = counts[..., [_PREDICTION_FUNCTION, _REFERENCE_FUNCTION]]
    content_words = counts[..., [_PREDICTION, _REFERENCE]] - function_words
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = matched / (kinds[0] * content_words + kinds[1] * function_words)
        mean = 1 / ((1 - parameters.alpha) / shares[..., 0] + parameters.alpha / shares[..., 1])
        fragmentation = 2 * counts[..., _CHUNKS] / (counts[..., _PREDICTION_MATCHED] + counts[..., _REFERENCE_MATCHED])
        score = mean * (1 - parameters.gamma * fragmentation**parameters.beta)
    return np.asarray(np.maximum(np.nan_to_num(score, nan=0.0), 0.0))
