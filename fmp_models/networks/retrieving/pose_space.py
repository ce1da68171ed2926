"""One space of texts and changes of pose: a text is near the change that it asks for (as CLIP has pictures and texts).

Each word of a text is a vector with a weight, each part of the body a vector; the score of a change is the sum over
words and parts of their products, so that every word and every part says what it gave. Nobody looks at pictures.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from fmp_models.geometry.change_features import PARTS
from fmp_models.languages.vocabulary import PAD
from fmp_models.networks.change_encoder import ChangeEncoder, measured_changes
from fmp_models.networks.layers import Dropout
from fmp_models.networks.retrieving.retriever import Match, Reasons, RetrievalBatch, Retriever, both_ways
from fmp_models.networks.retrieving.retriever_config import RetrieverConfig
from fmp_models.pose import INDEX, JOINTS


class WeighedWords(nn.Module):
    """A BiLSTM whose states are a vector and a weight for each word."""

    def __init__(self, vocabulary_size: int, embedding: int, size: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding)
        self.dropout = Dropout(dropout)
        self.lstm = nn.LSTM(embedding, size // 2, batch_first=True, bidirectional=True)
        self.vector = nn.Linear(size, size)
        self.weight = nn.Linear(size, 1)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """``words`` (b, t) that end in PAD to vectors (b, t, d) and weights (b, t) that sum to 1."""
        there = words != PAD
        states = self.dropout(both_ways(self.lstm, self.dropout(self.embedding(words)), there.sum(dim=1)))
        weights = self.weight(states).squeeze(-1).masked_fill(~there, -torch.inf).softmax(dim=1)
        return self.vector(states), weights


class PoseSpace(nn.Module):
    """Scores changes of pose by texts; it takes the place of a ``Retriever`` of joints."""

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
        """The words (b, t) as vectors (b, t, d), and what each weighs (b, t)."""
        vectors, weights = self.texts[language](words)
        return vectors * self.scale, weights

    def forward(self, batch: RetrievalBatch, language: str | None = None) -> Tensor:
        """Scores (b, k) of ``match``."""
        return self.match(batch, language).scores

    def match(self, batch: RetrievalBatch, language: str | None = None) -> Match:
        """Score every candidate; ValueError without a text, its language, or joints.

        A candidate whose joints are not known, or of a current pose that is not known, has the least score of its
        question's others.
        """
        if batch.words is None or batch.joints is None or (language is None and len(self.texts) > 1):
            message = "this retriever needs a text, its language and joints"
            raise ValueError(message)
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
    """The network that a configuration describes, untrained."""
    return PoseSpace(config) if config.space else Retriever(config)


def _reasons(weights: Tensor, contributions: Tensor) -> Reasons:
    """What words (b, t) and what words and parts together (b, k, t, p) gave, as shares of words and joints."""
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
    """Parts to joints (p, 20): what a part gave, each of its joints has in full, the hips' among the trunk's."""
    spread = like.new_zeros(len(PARTS), len(JOINTS))
    for number, (joints, _) in enumerate(PARTS.values()):
        spread[number, [INDEX[name] for name in joints]] = 1.0
    return spread
