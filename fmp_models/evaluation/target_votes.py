"""Votes of a retriever on a captioner's texts: the probability that each text leads to the pair's own target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from scipy.special import log_softmax

from fmp_models.hub.models import LoadedModel
from fmp_models.languages.vocabulary import EOS
from fmp_models.networks.backbone import VisionModel
from fmp_models.networks.retriever import AnyRetriever
from fmp_models.training.dataset_samples import Samples
from fmp_models.training.model_inputs import SampleInputs, Views
from fmp_models.training.retriever import candidate_scores

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
