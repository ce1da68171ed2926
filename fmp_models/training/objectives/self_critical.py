"""Self-critical training of a captioner (Rennie et al. 2017; section 6.1 of the paper): CIDEr as the reward.

What a drawn text gains over the greedy one makes its words likelier. Document frequencies are those of all training
texts; the released code took them from the batch, where few n-grams are rare. Beside CIDEr, clauses may be rewarded.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from fmp_models.languages.vocabulary import PAD
from fmp_models.metrics.ngram.cider import Cider
from fmp_models.networks.captioning.decoding import greedy, log_probabilities, sample
from fmp_models.networks.captioning.pair_encoder import EncodedPair
from fmp_models.training.config import Amount, Count
from fmp_models.training.objectives.clause_reward import ClauseReward
from fmp_models.training.objectives.maximum_likelihood import CaptionSamples, MaximumLikelihood
from fmp_models.training.texts.encoded_texts import EncodedTexts, Numbers


@dataclass(frozen=True)
class SelfCriticalConfig:
    """The weights of the mixed loss, the paper's by default; ``samples`` are drawn of each pair.

    ``clauses`` is what a :class:`ClauseReward` counts beside CIDEr.
    """

    likelihood: Amount = 0.05  # gamma 1
    reward: Amount = 1.0  # gamma 2
    samples: Count = 1
    clauses: Amount = 0.0


@dataclass
class SelfCritical(MaximumLikelihood):
    """Maximum likelihood's task with the mixed loss; the captioner should have been trained by that before."""

    weights: SelfCriticalConfig = field(default_factory=SelfCriticalConfig)

    def __post_init__(self) -> None:
        """Read the training texts as references, mirrored ones after the plain ones."""
        super().__post_init__()
        references = {
            language: _references(texts, mirrored=self.variation.mirror > 0) for language, texts in self.spoken.items()
        }
        self._rewards = {language: Cider(texts) for language, texts in references.items()}
        self._clauses = {
            language: ClauseReward(texts, self.spoken[language].vocabulary) for language, texts in references.items()
        }

    def loss(self, batch: CaptionSamples) -> tuple[Tensor, dict[str, Tensor]]:
        """L_ML and L_RL by their weights, the latter a mean over drawn words and languages."""
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
        """The pairs without dropout, as greedy texts are read off them."""
        self.model.eval()
        try:
            return self.encode(batch.inputs)
        finally:
            self.model.train()

    def _reward(self, words: Tensor, instances: Tensor, language: str) -> Tensor:
        """The CIDEr (b, q) of texts (b, q, t), and what their clauses are worth."""
        count = words.shape[1]
        texts = [[word for word in text if word != PAD] for text in words.flatten(0, 1).tolist()]
        pairs = instances.repeat_interleave(count).tolist()
        scores = self._rewards[language].scores(texts, pairs)
        if self.weights.clauses:
            scores = scores + self.weights.clauses * self._clauses[language].scores(texts, pairs)
        return torch.from_numpy(scores).float().view(-1, count)


def _references(texts: EncodedTexts, *, mirrored: bool) -> list[list[Numbers]]:
    """The texts of every pair with their end mark, which a text that breaks off lacks; then those of the mirrored."""
    plain = [[text[1:] for text in of_pair] for of_pair in texts.plain]
    if not mirrored:
        return plain
    # Pairs without a mirrored text are never shown mirrored; the plain ones keep their place.
    turned = [[text[1:] for text in of_pair] for of_pair in texts.mirrored]
    return plain + [mirrored_texts or plain_texts for mirrored_texts, plain_texts in zip(turned, plain, strict=True)]
