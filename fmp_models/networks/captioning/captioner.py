"""The paper's captioner (section 6.1, Eq. 1-5): from two poses to the words that correct the first into the second.

The pair is encoded once. Words are then decoded one by one, or all at once if the text is known (teacher forcing).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from fmp_models.networks.attention import attend, attention_weights
from fmp_models.networks.captioning.captioner_config import CaptionerConfig
from fmp_models.networks.captioning.pair_encoder import EncodedPair, PairBatch, PairEncoder, PicturePairEncoder
from fmp_models.networks.captioning.word_decoder import WordDecoder
from fmp_models.networks.layers import linear


@dataclass(frozen=True)
class Attention:
    """Attention weights (b, q, n) of each word, which sum to 1; None if the captioner has no such input.

    In a captioner with joints the positions of both pictures are fused, so ``current`` and ``target`` are equal.
    """

    current: Tensor | None = None
    target: Tensor | None = None
    joints: Tensor | None = None
    differences: Tensor | None = None


@dataclass(frozen=True)
class State:
    """Decoder state of q texts for each of b pairs: the LSTM's ``hidden`` and ``cell`` (b, q, d).

    ``difference_logits`` (b, 20, V) is what each joint's difference can add to the next word's logits (Eq. 5).
    """

    hidden: Tensor
    cell: Tensor
    difference_logits: Tensor | None

    def chosen(self, texts: Tensor) -> State:
        """Return the state of the selected ``texts`` (b, p): indices into each pair's q texts, possibly repeated."""
        index = texts[..., None].expand(-1, -1, self.hidden.shape[-1])
        return replace(self, hidden=self.hidden.gather(1, index), cell=self.cell.gather(1, index))


class Captioner(nn.Module):
    """Eq. 1-5 with the sizes that follow from the paper's parameter counts, and the variants of ``CaptionerConfig``.

    The languages share ``pair_encoder``, ``w_k`` and ``w_measures``; each language has its own ``words[language]``.
    """

    def __init__(self, config: CaptionerConfig) -> None:
        super().__init__()
        self.config = config
        size = config.hidden
        self.pair_encoder: PairEncoder | PicturePairEncoder | None = None
        self.w_k: nn.Linear | None = None
        self.w_measures: nn.Linear | None = None
        if config.vision:
            self.pair_encoder = PairEncoder(config) if config.joints else PicturePairEncoder(config)
            self.w_k = linear(5 * size, size)
        if config.measures:
            # Zero at the start, so that a captioner initialised from one without measures has the same outputs.
            self.w_measures = nn.Linear(3 * size, size)
            nn.init.zeros_(self.w_measures.weight)
            nn.init.zeros_(self.w_measures.bias)
        features = 2 * size if config.joints else size
        self.words = nn.ModuleDict(
            {
                language: WordDecoder(
                    vocabulary_size, config.embedding, size, features, previous_words=config.previous_words
                )
                for language, vocabulary_size in config.vocabulary_sizes.items()
            }
        )

    def encode(self, pair: PairBatch) -> EncodedPair:
        """Encode everything about a pair that is the same for all words; raise ValueError if the pair lacks an input.

        A captioner with joint prediction uses the predicted joints where none are given.
        """
        if self.pair_encoder is None:
            return EncodedPair(pair.rows)
        encoded: EncodedPair = self.pair_encoder(pair)
        return encoded

    def start(self, encoded: EncodedPair, language: str) -> State:
        """Return the state before the first word, with one text for each pair."""
        decoder = self._decoder(language)
        hidden, cell = (values[:, None] for values in decoder.start(encoded.rows))
        return State(hidden, cell, self._difference_logits(encoded, decoder))

    def step(self, encoded: EncodedPair, state: State, words: Tensor, language: str) -> tuple[Tensor, State, Attention]:
        """Process ``words`` (b, q), one for each text; return the next words' logits (b, q, V), state and attention."""
        decoder = self._decoder(language)
        hidden, cell = decoder.step(words.flatten(), (state.hidden.flatten(0, 1), state.cell.flatten(0, 1)))
        state = replace(state, hidden=hidden.view(*words.shape, -1), cell=cell.view(*words.shape, -1))
        logits, attention = self._logits(state.hidden, encoded, state.difference_logits, decoder)
        return logits, state, attention

    def logits(self, encoded: EncodedPair, words: Tensor, language: str) -> Tensor:
        """Return logits (b, s, t, V) after each of ``words`` (b, s, t): s known texts per pair (teacher forcing)."""
        decoder = self._decoder(language)
        states = decoder.forward(words.flatten(0, 1)).reshape(len(words), -1, self.config.hidden)
        logits, _ = self._logits(states, encoded, self._difference_logits(encoded, decoder), decoder)
        return logits.view(*words.shape, -1)

    def forward(self, pair: PairBatch, words: Tensor, language: str) -> Tensor:
        """Return logits (b, t, V) after each of ``words`` (b, t), one text for each pair, begin mark first."""
        return self.logits(self.encode(pair), words[:, None], language)[:, 0]

    def _decoder(self, language: str) -> WordDecoder:
        return cast("WordDecoder", self.words[language])

    def _difference_logits(self, encoded: EncodedPair, decoder: WordDecoder) -> Tensor | None:
        """Return W_s of each J^d_i, so that a word needs only a weighted sum of 20 rows (Eq. 5 is linear in J_t^d)."""
        if encoded.differences is None:
            return None
        return functional.linear(encoded.differences, decoder.w_s.weight[:, self.config.hidden :])

    def _logits(
        self, states: Tensor, encoded: EncodedPair, difference_logits: Tensor | None, decoder: WordDecoder
    ) -> tuple[Tensor, Attention]:
        """Return the logits (b, q, V) for ``states`` (b, q, d) by Eq. 3-5, and the attention of Eq. 3."""
        if self.w_k is None or encoded.first is None or encoded.second is None:
            return decoder.w_s(states), Attention()
        first, first_weights = attend(states, encoded.first)
        second, second_weights = attend(states, encoded.second)
        k = self.w_k(torch.cat([first, second, states, states * first, states * second], dim=-1))  # Eq. 4
        if self.w_measures is not None and encoded.measures is not None:
            measures, _ = attend(states, encoded.measures)
            whole = encoded.measures.mean(dim=1, keepdim=True).expand_as(measures)
            k = k + self.w_measures(torch.cat([measures, states * measures, whole], dim=-1))
        if encoded.differences is None or difference_logits is None:
            return decoder.w_s(k), Attention(first_weights, second_weights)
        difference_weights = attention_weights(states, encoded.differences)
        logits = functional.linear(k, decoder.w_s.weight[:, : self.config.hidden], decoder.w_s.bias)
        attention = Attention(first_weights, first_weights, second_weights, difference_weights)
        return logits + difference_weights @ difference_logits, attention
