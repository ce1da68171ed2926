"""The paper's captioner (section 6.1, Eq. 1-5): a pair of poses to the words that correct the first into the second.

The pair is encoded once; words are then read off it, one after the other or all at once when they are known.
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
    """Where each word looks: weights (b, q, n) that sum to 1, None where the captioner has no such input.

    With joints the pictures' positions are fused, so ``current`` and ``target`` are one and the same.
    """

    current: Tensor | None = None
    target: Tensor | None = None
    joints: Tensor | None = None
    differences: Tensor | None = None


@dataclass(frozen=True)
class State:
    """q texts of each of b pairs so far: the LSTM's ``hidden`` and ``cell`` (b, q, d).

    ``difference_logits`` (b, 20, V) is what each joint's difference would add to the next word's (Eq. 5).
    """

    hidden: Tensor
    cell: Tensor
    difference_logits: Tensor | None

    def chosen(self, texts: Tensor) -> State:
        """The state that goes on from ``texts`` (b, p), indices of the q texts of each pair, with repeats."""
        index = texts[..., None].expand(-1, -1, self.hidden.shape[-1])
        return replace(self, hidden=self.hidden.gather(1, index), cell=self.cell.gather(1, index))


class Captioner(nn.Module):
    """Eq. 1-5 with the sizes that the paper's parameter counts imply, and the variants of ``CaptionerConfig``.

    Shared by the languages: ``pair_encoder``, ``w_k`` and ``w_measures``; each language's own: ``words[language]``.
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
            # It starts at zero, so that a captioner that goes on from one without measures first says what that said.
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
        """Everything of a pair that does not change from word to word; ValueError where the pair lacks what is needed.

        Joints that are not given are the predicted ones in a captioner with joint prediction.
        """
        if self.pair_encoder is None:
            return EncodedPair(pair.rows)
        encoded: EncodedPair = self.pair_encoder(pair)
        return encoded

    def start(self, encoded: EncodedPair, language: str) -> State:
        """The state before the first word of one text for each pair."""
        decoder = self._decoder(language)
        hidden, cell = (values[:, None] for values in decoder.start(encoded.rows))
        return State(hidden, cell, self._difference_logits(encoded, decoder))

    def step(self, encoded: EncodedPair, state: State, words: Tensor, language: str) -> tuple[Tensor, State, Attention]:
        """Read one more word of each text, ``words`` (b, q): the next one's logits (b, q, V), and where they look."""
        decoder = self._decoder(language)
        hidden, cell = decoder.step(words.flatten(), (state.hidden.flatten(0, 1), state.cell.flatten(0, 1)))
        state = replace(state, hidden=hidden.view(*words.shape, -1), cell=cell.view(*words.shape, -1))
        logits, attention = self._logits(state.hidden, encoded, state.difference_logits, decoder)
        return logits, state, attention

    def logits(self, encoded: EncodedPair, words: Tensor, language: str) -> Tensor:
        """Logits (b, s, t, V) after each of ``words`` (b, s, t), s known texts of each pair (teacher forcing)."""
        decoder = self._decoder(language)
        states = decoder.forward(words.flatten(0, 1)).reshape(len(words), -1, self.config.hidden)
        logits, _ = self._logits(states, encoded, self._difference_logits(encoded, decoder), decoder)
        return logits.view(*words.shape, -1)

    def forward(self, pair: PairBatch, words: Tensor, language: str) -> Tensor:
        """Logits (b, t, V) of the word after each of ``words`` (b, t), one text of each pair, the begin mark first."""
        return self.logits(self.encode(pair), words[:, None], language)[:, 0]

    def _decoder(self, language: str) -> WordDecoder:
        return cast("WordDecoder", self.words[language])

    def _difference_logits(self, encoded: EncodedPair, decoder: WordDecoder) -> Tensor | None:
        """W_s of each J^d_i: the words then need only a weighted sum of these 20 (Eq. 5 is linear in J_t^d)."""
        if encoded.differences is None:
            return None
        return functional.linear(encoded.differences, decoder.w_s.weight[:, self.config.hidden :])

    def _logits(
        self, states: Tensor, encoded: EncodedPair, difference_logits: Tensor | None, decoder: WordDecoder
    ) -> tuple[Tensor, Attention]:
        """Logits (b, q, V) of the words after ``states`` (b, q, d): Eq. 3-5, and the attention of Eq. 3."""
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
