"""Self-critical training of a captioner (Rennie et al. 2017; section 6.1 of the paper) with CIDEr as the reward.

The advantage of a sampled text over the greedy text scales the gradient of its log-probability. Document frequencies
come from all training texts; the released code computes them from the batch, where few n-grams are rare. Clauses can
be rewarded in addition to CIDEr.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from fmp_models.languages.vocabulary import PAD
from fmp_models.metrics.ngrams import Cider
from fmp_models.networks.captioning.decoding import greedy, log_probabilities, sample
from fmp_models.networks.captioning.pair_encoder import EncodedPair
from fmp_models.training.config import Amount, Count
from fmp_models.training.objectives.clause_reward import ClauseReward
from fmp_models.training.objectives.maximum_likelihood import CaptionSamples, MaximumLikelihood
from fmp_models.training.texts.encoded_texts import EncodedTexts, Numbers


@dataclass(frozen=True)
class SelfCriticalConfig:
    """The weights of the mixed loss, by default the paper's; ``samples`` is the number of sampled texts per pair.

    ``clauses`` is the weight of :class:`ClauseReward` relative to CIDEr.
    """

    likelihood: Amount = 0.05  # gamma 1
    reward: Amount = 1.0  # gamma 2
    samples: Count = 1
    clauses: Amount = 0.0


@dataclass
class SelfCritical(MaximumLikelihood):
    """The captioning task with the mixed loss; the captioner should already be trained by maximum likelihood."""

    weights: SelfCriticalConfig = field(default_factory=SelfCriticalConfig)

    def __post_init__(self) -> None:
        """Index the training texts as references, the mirrored ones after the plain ones."""
        super().__post_init__()
        references = {
            language: _references(texts, mirrored=self.variation.mirror > 0) for language, texts in self.spoken.items()
        }
        self._rewards = {language: Cider(texts) for language, texts in references.items()}
        self._clauses = {
            language: ClauseReward(texts, self.spoken[language].vocabulary) for language, texts in references.items()
        }

    def loss(self, batch: CaptionSamples) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the weighted sum of L_ML and L_RL; L_RL is a mean over sampled words and languages."""
        encoded = self.encode(batch.inputs)
        likelihood, parts = self.likelihood(batch, encoded)
        plain = self._plainly_encoded(batch)
        losses = []
        for language in batch.words:
            drawn = sample(self.model.network, encoded, language, self._limit, count=self.weights.samples).words
            best = greedy(self.model.network, plain, language, self._limit).words
            reward, baseline = (self._reward(words, batch.instances, language) for words in (drawn, best))
            gained = (reward - baseline).to(drawn.device)
            likely = log_probabilities(self.model.network, encoded, drawn, language)
            losses.append(-(gained[..., None] * likely).sum() / (drawn != PAD).sum())
            parts |= {f"reward_{language}": reward.mean(), f"baseline_{language}": baseline.mean()}
        parts["gain"] = torch.stack(losses).mean()
        return self.weights.likelihood * likelihood + self.weights.reward * parts["gain"], parts

    @property
    def _limit(self) -> int:
        return self.config.longest - 1

    @torch.no_grad()
    def _plainly_encoded(self, batch: CaptionSamples) -> EncodedPair:
        """Encode the pairs without dropout, for greedy decoding."""
        self.model.eval()
        try:
            return self.encode(batch.inputs)
        finally:
            self.model.train()

    def _reward(self, words: Tensor, instances: Tensor, language: str) -> Tensor:
        """Return the reward (b, q) of texts (b, q, t): CIDEr, plus the weighted clause reward."""
        count = words.shape[1]
        texts = [[word for word in text if word != PAD] for text in words.flatten(0, 1).tolist()]
        pairs = instances.repeat_interleave(count).tolist()
        scores = self._rewards[language].scores(texts, pairs)
        if self.weights.clauses:
            scores = scores + self.weights.clauses * self._clauses[language].scores(texts, pairs)
        return torch.from_numpy(scores).float().view(-1, count)


def _references(texts: EncodedTexts, *, mirrored: bool) -> list[list[Numbers]]:
    """Return the texts of every pair with their end mark, which a truncated text lacks; then the mirrored ones."""
    plain = [[text[1:] for text in of_pair] for of_pair in texts.plain]
    if not mirrored:
        return plain
    # Pairs without a mirrored text are never mirrored in training; their plain texts fill the gap.
    turned = [[text[1:] for text in of_pair] for of_pair in texts.mirrored]
    return plain + [mirrored_texts or plain_texts for mirrored_texts, plain_texts in zip(turned, plain, strict=True)]
