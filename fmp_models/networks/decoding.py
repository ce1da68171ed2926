"""Decoding of texts: greedy, by beam search or by sampling; and log-probabilities of given words.

All functions process b pairs with q texts each at once. Padding, begin mark and unknown word are never generated, and
all probabilities are relative to the remaining words, as in the released code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from fmp_models.languages import BOS, EOS, PAD, UNK
from fmp_models.networks.captioner import Attention, Captioner, EncodedPair, State

_UNSAID = [PAD, BOS, UNK]
_NEVER = float("-inf")

Choice = Callable[[Tensor], Tensor]  # from log-probabilities (b, q, V) to words (b, q)


@dataclass(frozen=True)
class Hypothesis:
    """One text: its ``words`` (t, without the end mark), the probability of each, and the attention of each.

    ``attention`` holds (t, n) weights; ``ended`` is false for a text cut at the limit.
    """

    words: tuple[int, ...]
    probabilities: tuple[float, ...]
    log_probability: float
    score: float
    ended: bool
    attention: Attention


@dataclass(frozen=True)
class Sequences:
    """q texts for each of b pairs: ``words`` (b, q, t) with end mark and padding, and their log-probabilities.

    ``log_probabilities`` (b, q, t) are 0 at padding. ``scores`` (b, q) rank the texts; a beam returns the best first.
    ``attention`` holds (b, q, t, n) weights, which are meaningless at padding.
    """

    words: Tensor
    log_probabilities: Tensor
    scores: Tensor
    attention: Attention

    def hypotheses(self) -> list[list[Hypothesis]]:
        """Return the texts of each pair; beam entries with a score of minus infinity are left out."""
        lengths = _lengths(self.words).tolist()
        scores = self.scores.tolist()
        return [
            [self._hypothesis(row, text, length) for text, length in enumerate(texts) if scores[row][text] > _NEVER]
            for row, texts in enumerate(lengths)
        ]

    def _hypothesis(self, row: int, text: int, length: int) -> Hypothesis:
        words, log_probabilities = self.words[row, text, :length], self.log_probabilities[row, text, :length]
        ended = bool(words[-1] == EOS)
        word_count = length - ended
        return Hypothesis(
            tuple(words[:word_count].tolist()),
            tuple(log_probabilities[:word_count].exp().tolist()),
            float(log_probabilities.sum()),
            float(self.scores[row, text]),
            ended,
            _map_weights(lambda weights: weights[row, text, :word_count], self.attention),
        )


def greedy(captioner: Captioner, encoded: EncodedPair, language: str, limit: int = 60) -> Sequences:
    """Choose the likeliest next word at each step: one text for each pair, at most ``limit`` words with the end mark.

    The score is the log-probability.
    """
    return _decode(captioner, encoded, language, 1, limit, lambda log_probabilities: log_probabilities.argmax(-1))


def sample(  # noqa: PLR0913  inputs and sampling options
    captioner: Captioner,
    encoded: EncodedPair,
    language: str,
    limit: int = 60,
    *,
    count: int = 1,
    temperature: float = 1.0,
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
) -> Sequences:
    """Sample ``count`` texts for each pair, of at most ``limit`` words with the end mark.

    Each word is drawn at ``temperature`` from the smallest set of likeliest words with a total probability of at
    least ``top_p``. The returned log-probabilities are the captioner's own. Self-critical training samples with
    temperature and ``top_p`` of 1 from an ``encoded`` that keeps its graph: ``log_probabilities`` from the same
    ``encoded`` then equals the sampling probabilities, dropout included, and carries gradients. Raises ValueError
    unless ``temperature`` is positive and ``top_p`` lies in (0, 1].
    """
    if temperature <= 0 or not 0 < top_p <= 1:
        raise ValueError(f"temperature must be positive and top_p in (0, 1], not {temperature} and {top_p}")

    def draw(log_probabilities: Tensor) -> Tensor:
        probabilities = torch.softmax(log_probabilities / temperature, dim=-1)
        if top_p < 1:
            ordered, order = probabilities.sort(dim=-1, descending=True)
            before = ordered.cumsum(-1) - ordered
            probabilities = torch.zeros_like(probabilities).scatter(-1, order, ordered * (before < top_p))
        drawn = torch.multinomial(probabilities.flatten(0, 1), 1, generator=generator)
        return drawn.view(log_probabilities.shape[:2])

    return _decode(captioner, encoded, language, count, limit, draw)


@torch.no_grad()
def beam(  # noqa: PLR0913  inputs and search options
    captioner: Captioner,
    encoded: EncodedPair,
    language: str,
    limit: int = 60,
    *,
    width: int = 5,
    length_power: float = 0.7,
) -> Sequences:
    """Return the best ``width`` texts of each pair that a beam search of that width finds, best first.

    Finished texts stay in the beam and compete with unfinished ones. The score is the log-probability divided by the
    number of words, end mark included, to the power ``length_power`` (a length norm as in Wu et al. 2016).
    """
    state = captioner.start(encoded, language)
    device = state.hidden.device
    words = torch.full((encoded.rows, 1), BOS, device=device)
    totals = torch.zeros(encoded.rows, 1, device=device)
    lengths = torch.zeros(encoded.rows, 1, device=device)
    steps: list[_Step] = []
    ended = words == EOS
    while len(steps) < limit and not (steps and ended.all()):
        logits, state, attention = captioner.step(encoded, state, words, language)
        log_probabilities = _after_end(_log_probabilities(logits), ended)
        grown = totals[..., None] + log_probabilities
        size = (lengths + ~ended)[..., None]
        scores = (grown / size**length_power).flatten(1)
        best = scores.topk(min(width, scores.shape[1])).indices
        parents, words = best // logits.shape[-1], best % logits.shape[-1]
        steps.append(_Step(words, parents, log_probabilities.flatten(1).gather(1, best), attention))
        state = state.chosen(parents)
        totals = grown.flatten(1).gather(1, best)
        lengths = size[..., 0].gather(1, parents)
        ended = (words == EOS) | (words == PAD)
    return _traced(steps, totals / lengths**length_power)


def log_probabilities(captioner: Captioner, encoded: EncodedPair, words: Tensor, language: str) -> Tensor:
    """Return the log-probability of each of ``words`` (b, s, t) given those before it, with gradients; 0 at padding.

    ``words`` are complete texts as in ``Sequences``: no begin mark, an end mark, then padding.
    """
    before = torch.cat([torch.full_like(words[..., :1], BOS), words[..., :-1]], dim=-1)
    every = _log_probabilities(captioner.logits(encoded, before, language))
    padding = words == PAD
    return every.gather(-1, words.masked_fill(padding, EOS)[..., None])[..., 0].masked_fill(padding, 0.0)


@dataclass(frozen=True)
class _Step:
    """One step of a beam: the chosen words, the texts that they extend, and those texts' attention."""

    words: Tensor
    parents: Tensor
    log_probabilities: Tensor
    attention: Attention


@torch.no_grad()
def _decode(  # noqa: PLR0913, PLR0917  greedy decoding and sampling share all of these
    captioner: Captioner, encoded: EncodedPair, language: str, texts: int, limit: int, choose: Choice
) -> Sequences:
    """Let ``choose`` select the next word of each text until all have ended."""
    state: State = captioner.start(encoded, language)
    state = state.chosen(torch.zeros(encoded.rows, texts, dtype=torch.long, device=state.hidden.device))
    words = torch.full((encoded.rows, texts), BOS, device=state.hidden.device)
    ended = words == EOS
    chosen_words: list[Tensor] = []
    likely: list[Tensor] = []
    looked: list[Attention] = []
    while len(chosen_words) < limit and not (chosen_words and ended.all()):
        logits, state, attention = captioner.step(encoded, state, words, language)
        log_probabilities = _log_probabilities(logits)
        words = choose(log_probabilities).masked_fill(ended, PAD)
        chosen = log_probabilities.gather(-1, words[..., None])[..., 0]
        chosen_words.append(words)
        likely.append(chosen.masked_fill(ended, 0.0))
        looked.append(attention)
        ended = ended | (words == EOS)
    likelihood = torch.stack(likely, dim=-1)
    return Sequences(torch.stack(chosen_words, dim=-1), likelihood, likelihood.sum(-1), _join(looked))


def _traced(steps: list[_Step], scores: Tensor) -> Sequences:
    """Trace the final texts of a beam back to their first words."""
    texts = torch.arange(scores.shape[1], device=scores.device).expand_as(scores)
    chosen_words: list[Tensor] = []
    likely: list[Tensor] = []
    looked: list[Attention] = []
    for step in reversed(steps):
        chosen_words.append(step.words.gather(1, texts))
        likely.append(step.log_probabilities.gather(1, texts))
        texts = step.parents.gather(1, texts)
        looked.append(_of_texts(step.attention, texts))
    return Sequences(
        torch.stack(chosen_words[::-1], dim=-1), torch.stack(likely[::-1], dim=-1), scores, _join(looked[::-1])
    )


def _log_probabilities(logits: Tensor) -> Tensor:
    """Return log-probabilities (b, q, V); words that are never generated have minus infinity."""
    mask = torch.zeros(logits.shape[-1], dtype=torch.bool, device=logits.device)
    mask[_UNSAID] = True
    return torch.log_softmax(logits.float().masked_fill(mask, _NEVER), dim=-1)


def _after_end(log_probabilities: Tensor, ended: Tensor) -> Tensor:
    """Return the log-probabilities with padding as the only continuation, at no cost, of texts that have ended."""
    masked = log_probabilities.masked_fill(ended[..., None], _NEVER)
    masked[..., PAD] = masked[..., PAD].masked_fill(ended, 0.0)
    return masked


def _lengths(words: Tensor) -> Tensor:
    """Return the number of words (b, q), end mark included."""
    return (words != PAD).sum(-1)


def _map_weights(change: Callable[[Tensor], Tensor], attention: Attention) -> Attention:
    weights = ((field.name, getattr(attention, field.name)) for field in fields(attention))
    return Attention(**{name: value if value is None else change(value) for name, value in weights})


def _of_texts(attention: Attention, texts: Tensor) -> Attention:
    """Select the weights of ``texts`` (b, p), indices along the second axis."""
    return _map_weights(
        lambda weights: weights.gather(1, texts[..., None].expand(-1, -1, weights.shape[-1])),
        attention,
    )


def _join(attentions: list[Attention]) -> Attention:
    """Stack the weights (b, q, n) of all steps as (b, q, t, n)."""
    every = {field.name: [getattr(attention, field.name) for attention in attentions] for field in fields(Attention)}
    return Attention(
        **{name: None if weights[0] is None else torch.stack(weights, dim=2) for name, weights in every.items()}
    )
