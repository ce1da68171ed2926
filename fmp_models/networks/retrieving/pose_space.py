"""A joint embedding space of texts and pose changes: a text is near the change that it describes (as in CLIP).

Each word of a text has a vector and a weight, and each part of the body has a vector. The score of a change is the
sum of their products over words and parts, so the share of each word and each part is known. Pictures are not used.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from fmp_models.geometry.measured_changes import FEATURE_PARTS
from fmp_models.languages.vocabulary import PAD
from fmp_models.networks.change_encoder import ChangeEncoder, measured_changes
from fmp_models.networks.layers import Dropout
from fmp_models.networks.retrieving.retriever import Match, Reasons, RetrievalBatch, Retriever, both_ways
from fmp_models.networks.retrieving.retriever_config import RetrieverConfig
from fmp_models.pose import INDEX, JOINTS


class WeighedWords(nn.Module):
    """A BiLSTM that gives a vector and a weight for each word."""

    def __init__(self, vocabulary_size: int, embedding: int, size: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding)
        self.dropout = Dropout(dropout)
        self.lstm = nn.LSTM(embedding, size // 2, batch_first=True, bidirectional=True)
        self.vector = nn.Linear(size, size)
        self.weight = nn.Linear(size, 1)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Encode ``words`` (b, t), padded at the end, as vectors (b, t, d) and weights (b, t) that sum to 1."""
        there = words != PAD
        states = self.dropout(both_ways(self.lstm, self.dropout(self.embedding(words)), there.sum(dim=1)))
        weights = self.weight(states).squeeze(-1).masked_fill(~there, -torch.inf).softmax(dim=1)
        return self.vector(states), weights


class PoseSpace(nn.Module):
    """A network that scores pose changes by texts; it replaces a ``Retriever`` that uses joints only."""

    def __init__(self, config: RetrieverConfig) -> None:
        super().__init__()
        self.config = config
        size = config.hidden
        self.texts = nn.ModuleDict(
            {
                name: WeighedWords(words, config.embedding, size, config.dropout)
                for name, words in config.vocabulary_sizes.items()
            }
        )
        self.moved = ChangeEncoder(size, config.dropout)
        self.scale = nn.Parameter(torch.tensor(1 / math.sqrt(size)))

    def read(self, words: Tensor, language: str) -> tuple[Tensor, Tensor]:
        """Return the vectors (b, t, d) and weights (b, t) of the words (b, t)."""
        vectors, weights = self.texts[language](words)
        return vectors * self.scale, weights

    def forward(self, batch: RetrievalBatch, language: str | None = None) -> Tensor:
        """Return the scores (b, k) of ``match``."""
        return self.match(batch, language).scores

    def match(self, batch: RetrievalBatch, language: str | None = None) -> Match:
        """Score every candidate; raise ValueError without a text, its language or joints.

        A candidate with unknown joints, or with a current pose that is unknown, gets the lowest score of its query's
        known candidates (0 if there are none).
        """
        if batch.words is None or batch.joints is None or (language is None and len(self.texts) > 1):
            raise ValueError("this retriever needs a text, its language and joints")
        vectors, weights = self.read(batch.words, language or next(iter(self.texts)))
        parts = self.moved(measured_changes(batch.joints[:, :1], batch.joints[:, 1:]).to(vectors))
        contributions = torch.einsum("bt,btd,bkpd->bktp", weights, vectors, parts)
        scores = contributions.sum(dim=(2, 3))
        known = torch.ones_like(scores, dtype=torch.bool)
        if batch.joints_known is not None:
            known = batch.joints_known[:, 1:] & batch.joints_known[:, :1]
            least = scores.masked_fill(~known, torch.inf).amin(dim=1, keepdim=True)
            scores = torch.where(known, scores, torch.where(least.isfinite(), least, 0.0))
        if batch.present is not None:
            scores = scores.masked_fill(~batch.present, -torch.inf)
        return Match(scores, None, _reasons(weights, contributions))


AnyRetriever = Retriever | PoseSpace


def make_retriever(config: RetrieverConfig) -> AnyRetriever:
    """Build the untrained network that a configuration describes."""
    return PoseSpace(config) if config.space else Retriever(config)


def _reasons(weights: Tensor, contributions: Tensor) -> Reasons:
    """Return the shares of words and joints in the scores.

    ``weights`` (b, t) are the words' weights, ``contributions`` (b, k, t, p) the products of words and parts.
    """
    amounts = contributions.abs()
    by_word = amounts.sum(dim=3) + 1e-9 * weights[:, None]
    by_joint = amounts @ _spread(contributions)
    return Reasons(
        by_word / by_word.sum(dim=2, keepdim=True),
        _shares(by_joint.sum(dim=2)),
        _shares(by_joint),
    )


def _shares(amounts: Tensor) -> Tensor:
    total = amounts.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, amounts / total.clamp_min(1e-12), 1 / amounts.shape[-1])


def _spread(like: Tensor) -> Tensor:
    """Return a matrix (p, 20) that gives each joint of a part the part's full share; the hips belong to the trunk."""
    spread = like.new_zeros(len(FEATURE_PARTS), len(JOINTS))
    for number, (joints, _) in enumerate(FEATURE_PARTS.values()):
        spread[number, [INDEX[name] for name in joints]] = 1.0
    return spread
