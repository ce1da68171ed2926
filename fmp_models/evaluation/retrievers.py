"""How well a retriever finds the target of a split's questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from fmp_models.data.features import CANDIDATES
from fmp_models.languages.grammar import LANGUAGES
from fmp_models.languages.vocabulary import EOS, Vocabulary
from fmp_models.metrics.retrieval import retrieval_scores
from fmp_models.networks.retriever import Retriever
from fmp_models.networks.seeing import Seeing
from fmp_models.training.retrieval import candidate_scores
from fmp_models.training.samples import Samples
from fmp_models.training.showing import Showing
from fmp_models.training.spoken import Numbers

RETRIEVAL_SCORES = ("accuracy", "recall_3", "recall_5", "mean_rank")


def question_scores(
    retriever: Seeing[Retriever], vocabularies: Mapping[str, Vocabulary], showing: Showing, longest: int
) -> dict[str, dict[str, Any]]:
    """The scores by language, as ``evaluation.json`` has them; one that reads no text has the same in all."""
    samples = showing.samples
    texts: dict[str, Sequence[Numbers]] = {
        language: [tuple(vocabulary.encode(said[0], ends=False, longest=longest)) for said in samples.texts[language]]
        for language, vocabulary in vocabularies.items()
    }
    if not retriever.network.config.text:
        texts = {LANGUAGES[0]: [(EOS,)] * len(samples)}
    with torch.inference_mode():
        found = candidate_scores(retriever, showing, texts)
    each = {language: _told(scores, samples) for language, scores in found.items()}
    return each if retriever.network.config.text else dict.fromkeys(LANGUAGES, each[LANGUAGES[0]])


def random_scores(samples: Samples, seed: int) -> dict[str, Any]:
    """The scores of a guess."""
    guessed = np.random.default_rng(seed).random((len(samples), CANDIDATES))
    return _told(list(guessed), samples)


def _told(scores: Sequence[Sequence[float] | np.ndarray[Any, Any]], samples: Samples) -> dict[str, Any]:
    found = retrieval_scores(scores, samples.answers.tolist())
    return {"n": len(samples), **{name.replace("_at_", "_"): score.value for name, score in found.items()}}
