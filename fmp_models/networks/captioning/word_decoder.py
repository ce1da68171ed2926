"""The layers of the captioner that each language has for itself: embedding, LSTM and output layer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fmp_models.languages.vocabulary import BOS
from fmp_models.networks.layers import linear

Hidden = tuple[Tensor, Tensor]  # the LSTM's hidden state and cell, (r, d) each


class WordDecoder(nn.Module):
    """Embedding, LSTM (section 6.1) and W_s (Eq. 5); without ``previous_words`` every input is the begin mark."""

    def __init__(
        self, vocabulary_size: int, embedding: int, hidden: int, features: int, *, previous_words: bool
    ) -> None:
        super().__init__()
        self.previous_words = previous_words
        self.embedding = nn.Embedding(vocabulary_size if previous_words else BOS + 1, embedding)
        self.lstm = nn.LSTM(embedding, hidden, batch_first=True)
        self.w_s = linear(features, vocabulary_size)

    def start(self, rows: int) -> Hidden:
        """Return the zero state of ``rows`` texts."""
        zeros = self.embedding.weight.new_zeros(rows, self.lstm.hidden_size)
        return zeros, zeros

    def forward(self, words: Tensor) -> Tensor:
        """Return the hidden states (r, t, d) after each of ``words`` (r, t), starting from the zero state."""
        states: Tensor = self.lstm(self._embed(words))[0]
        return states

    def step(self, words: Tensor, hidden: Hidden) -> Hidden:
        """Return the state after one more word for each text: ``words`` (r,)."""
        return torch.lstm_cell(self._embed(words), hidden, *self.lstm.all_weights[0])

    def _embed(self, words: Tensor) -> Tensor:
        embedded: Tensor = self.embedding(words if self.previous_words else torch.full_like(words, BOS))
        return embedded
