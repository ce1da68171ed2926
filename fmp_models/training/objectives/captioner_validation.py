"""Captioner validation on greedy texts: CIDEr against the references, and clause agreement with the true joints."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fmp_models.languages.vocabulary import Vocabulary, tokenise
from fmp_models.metrics.clause_metrics import clause_agreement
from fmp_models.metrics.ngrams import Cider
from fmp_models.networks.captioning.captioner import Captioner
from fmp_models.networks.captioning.decoding import greedy
from fmp_models.networks.captioning.pair_encoder import EncodedPair
from fmp_models.training.engine import on_device
from fmp_models.training.samples.dataset_samples import Samples
from fmp_models.training.samples.model_inputs import ModelInputs, SampleInputs

_BATCH = 64


@dataclass(frozen=True)
class CaptionerValidation:
    """The pairs of a split with their references; ``longest`` limits texts in words, end mark included."""

    sample_inputs: SampleInputs
    vocabularies: Mapping[str, Vocabulary]
    longest: int
    _cider: dict[str, Cider] = field(default_factory=dict, repr=False)  # references are indexed once

    def scores(self, encode: Callable[[ModelInputs], EncodedPair], captioner: Captioner) -> dict[str, float]:
        """Return ``cider`` and ``agreement``, with several languages as means and for each ``<name>_<language>``.

        Agreement is the share of agreeing clauses among those that the joints can judge; 0 if there are none.
        """
        by_language = self._texts(encode, captioner)
        scores: dict[str, float] = {}
        for language, texts in by_language.items():
            cider = self._cider.setdefault(language, Cider(self._references(language)))
            predictions = [tokenise(text, language) for text in texts]
            scores[f"cider_{language}"] = float(cider.scores(predictions).mean())
            scores[f"agreement_{language}"] = agreement(texts, language, self.sample_inputs.samples)
        means = {
            name: float(np.mean([scores[f"{name}_{language}"] for language in by_language]))
            for name in ("cider", "agreement")
        }
        return {**means, **scores} if len(by_language) > 1 else means

    def _texts(self, encode: Callable[[ModelInputs], EncodedPair], captioner: Captioner) -> dict[str, list[str]]:
        by_language: dict[str, list[str]] = {language: [] for language in self.vocabularies}
        device = next(captioner.parameters()).device
        for rows in _lots(len(self.sample_inputs.samples)):
            encoded = encode(on_device(self.sample_inputs.plain(rows), device))
            for language, vocabulary in self.vocabularies.items():
                words = greedy(captioner, encoded, language, self.longest - 1).words[:, 0]
                by_language[language] += [vocabulary.decode(text) for text in words.tolist()]
        return by_language

    def _references(self, language: str) -> list[list[list[str]]]:
        return [[tokenise(text, language) for text in texts] for texts in self.sample_inputs.samples.texts[language]]


def agreement(texts: Sequence[str], language: str, samples: Samples) -> float:
    """Return the share of clauses in texts (n,) that agree with the joints of n pairs, of those that can be judged."""
    value = clause_agreement(texts, language, samples.pose_pairs()).value
    return 0.0 if math.isnan(value) else value


def _lots(count: int) -> Iterator[range]:
    return (range(begin, min(begin + _BATCH, count)) for begin in range(0, count, _BATCH))
