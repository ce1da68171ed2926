"""Training of a retriever to score the answer above the other candidates (section 6.2 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import torch
from pydantic import Field as Within
from torch import Tensor
from torch.nn.functional import cross_entropy

from fmp_models.metrics.retrieval import retrieval_scores
from fmp_models.networks.backbones.vision_model import VisionModel
from fmp_models.networks.retrieving.pose_space import AnyRetriever
from fmp_models.networks.retrieving.retriever import RetrievalBatch
from fmp_models.training.batching import of_like_lengths
from fmp_models.training.config import Count
from fmp_models.training.engine import on_device
from fmp_models.training.samples.model_inputs import ModelInputs, SampleInputs, Variation
from fmp_models.training.texts.encoded_texts import EncodedTexts, Numbers, chosen_texts, lengths, mirrorable, padded
from fmp_models.training.trained_model import Save

_BATCH = 16


@dataclass(frozen=True)
class RetrievalConfig:
    """The configuration of retrieval: what is trained and on what; defaults are the released code's.

    Texts have no begin and end marks, as in the released code. In training each query gets ``others`` more
    candidates: the answers of the next queries of its batch. ``recombined`` is the number of new queries of the same
    pictures, with generated texts. A joint embedding space is also trained on ``wide`` pairs, on ``drawn`` changes
    without pictures, on changes into ``shapes`` that their texts name, and on the texts of the released captions in
    the folder ``annotations``.
    """

    languages: Annotated[tuple[str, ...], Within(min_length=1)] = ("en",)
    batch: Count = 15
    longest: Count = 100
    least_seen: Count = 3
    others: Annotated[int, Within(ge=0)] = 0
    recombined: Annotated[int, Within(ge=0)] = 0
    wide: bool = False
    drawn: Annotated[int, Within(ge=0)] = 0
    shapes: Annotated[int, Within(ge=0)] = 0
    annotations: str = ""
    validation_questions: Count | None = None  # None: all


@dataclass(frozen=True)
class RetrievalSamples:
    """b queries: inputs, the text of each (b, t) by language, and the index of the answer among the candidates (b,)."""

    inputs: ModelInputs
    words: dict[str, Tensor]
    answers: Tensor


@dataclass
class Retrieval:
    """The retrieval task of one or several languages; every step trains all of them."""

    model: VisionModel[AnyRetriever]
    config: RetrievalConfig
    sample_inputs: SampleInputs
    spoken: Mapping[str, EncodedTexts]
    variation: Variation
    validation: SampleInputs
    validation_spoken: Mapping[str, EncodedTexts]
    keep: Save
    metric: str = "accuracy"
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        """Compute which queries have a mirror image in every language, and the lengths of their texts."""
        self._mirrorable = mirrorable(self.spoken)
        self._lengths = lengths(self.spoken)

    def order(self, generator: torch.Generator) -> Sequence[Sequence[int]]:
        """Return batches that contain every query once per epoch."""
        return of_like_lengths(self._lengths, self.config.batch, generator)

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> RetrievalSamples:
        """Return varied queries."""
        rows = torch.tensor(samples)
        inputs, mirrored = self.sample_inputs.varied(samples, self._mirrorable[rows], self.variation, generator)
        words = chosen_texts(self.spoken, samples, mirrored, generator)
        return RetrievalSamples(inputs, words, _answers(self.sample_inputs, samples))

    def loss(self, batch: RetrievalSamples) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the cross-entropy over candidates and the accuracy, both as means over languages."""
        answers = batch.answers
        by_language = scored(self.model, batch, min(self.config.others, len(answers) - 1))
        losses = [cross_entropy(scores.float(), answers) for scores in by_language.values()]
        accuracies = [(scores.argmax(dim=1) == answers).float().mean() for scores in by_language.values()]
        return torch.stack(losses).mean(), {"accuracy": torch.stack(accuracies).mean()}

    def validate(self) -> dict[str, float]:
        """Return the scores of the validation queries."""
        return validation_scores(self.model, self.validation, self.validation_spoken)

    def save(self, folder: Path) -> None:
        """Write the model as a folder in the layout of a Hub repository."""
        self.keep(folder, self.model)


def validation_scores(
    model: VisionModel[AnyRetriever], sample_inputs: SampleInputs, spoken: Mapping[str, EncodedTexts]
) -> dict[str, float]:
    """Return accuracy, recall and mean rank as means over languages; with several, also each one's accuracy."""
    texts = {language: of_language.first(range(len(sample_inputs.samples))) for language, of_language in spoken.items()}
    answers = sample_inputs.samples.answers.tolist()
    by_language = candidate_scores(model, sample_inputs, texts)
    metrics_by_language = {language: retrieval_scores(scores, answers) for language, scores in by_language.items()}
    names = next(iter(metrics_by_language.values()))
    means = {
        name: sum(scores[name].value for scores in metrics_by_language.values()) / len(metrics_by_language)
        for name in names
    }
    if len(metrics_by_language) == 1:
        return means
    return means | {
        f"accuracy_{language}": scores["accuracy"].value for language, scores in metrics_by_language.items()
    }


def candidate_scores(
    model: VisionModel[AnyRetriever], sample_inputs: SampleInputs, texts: Mapping[str, Sequence[Numbers]]
) -> dict[str, list[list[float]]]:
    """Return the scores of the candidates of all n queries, by language; ``texts`` hold one text per query."""
    by_language: dict[str, list[list[float]]] = {language: [] for language in texts}
    count = len(sample_inputs.samples)
    device = next(model.parameters()).device
    for begin in range(0, count, _BATCH):
        rows = range(begin, min(begin + _BATCH, count))
        words = {language: padded([of_language[row] for row in rows]) for language, of_language in texts.items()}
        questions = RetrievalSamples(sample_inputs.plain(rows), words, _answers(sample_inputs, rows))
        for language, scores in scored(model, on_device(questions, device), 0).items():
            by_language[language] += scores.float().tolist()
    return by_language


def scored(model: VisionModel[AnyRetriever], batch: RetrievalSamples, others: int) -> dict[str, Tensor]:
    """Return the scores (b, k + others) of the candidates, by language."""
    config, inputs = model.network.config, batch.inputs
    features = inputs.seen_by(model) if config.images else None

    def offered(values: Tensor | None) -> Tensor | None:
        """Return the values of all poses, with those of the next queries' answers; joints keep their own origin."""
        if values is None or not others:
            return values
        answers = values[torch.arange(len(values), device=values.device), 1 + batch.answers]
        return torch.cat([values, *(answers.roll(-step, 0)[:, None] for step in range(1, others + 1))], dim=1)

    question_batch = RetrievalBatch(
        None,
        offered(features),
        offered(inputs.joints) if config.joints else None,
        offered(inputs.image_known) if config.missing else None,
        offered(inputs.joints_known) if config.missing else None,
    )
    return {
        language: model.network(replace(question_batch, words=words), language)
        for language, words in batch.words.items()
    }


def _answers(sample_inputs: SampleInputs, rows: Sequence[int]) -> Tensor:
    return torch.from_numpy(sample_inputs.samples.answers[list(rows)])
