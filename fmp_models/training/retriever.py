"""Training of a retriever to score the answer above other candidates (paper section 6.2), or of an embedding space.

In the space a text is nearer to its own pose change than to others (InfoNCE).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field as Within
from torch import Tensor
from torch.nn.functional import cross_entropy

from fmp_models.geometry import pose_changes
from fmp_models.languages import PAD, UNK, Vocabulary
from fmp_models.metrics import retrieval_scores
from fmp_models.networks import (
    AnyRetriever,
    PoseSpace,
    RetrievalBatch,
    Retriever,
    RetrieverConfig,
    VisionModel,
    mirrored_joints,
)
from fmp_models.preprocessing import centred
from fmp_models.training.augmentation import JointNoise, noisy
from fmp_models.training.batching import shuffled
from fmp_models.training.config import Count, Share, built
from fmp_models.training.dataset_samples import Dataset, read_dataset
from fmp_models.training.described_changes import (
    DescribedChanges,
    human_paraphrases,
    of_drawn_poses,
    of_questions,
    of_shapes,
    of_wide_pairs,
)
from fmp_models.training.engine import fit, on_device
from fmp_models.training.estimated_joints import read_estimated_joints
from fmp_models.training.model_inputs import ModelInputs, SampleInputs, Variation, Views
from fmp_models.training.objective import Objective, Save, TextObjective, saver
from fmp_models.training.preparation import (
    ANY_SIZE,
    TRAINED_ON,
    Recipe,
    SampleRequirements,
    TrainingOrder,
    deciding_parts,
    grown,
    load_weights,
    read_recipe,
    set_up_vision,
    usable,
    vocabularies_of,
    with_backbone,
)
from fmp_models.training.recombination import recombined_questions
from fmp_models.training.shape_texts import holds
from fmp_models.training.texts import EncodedTexts, Numbers, padded, spoken

_log = logging.getLogger(__name__)
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
class Retrieval(TextObjective):
    """The retrieval task of one or several languages; every step trains all of them."""

    model: VisionModel[AnyRetriever]
    config: RetrievalConfig
    sample_inputs: SampleInputs
    spoken: Mapping[str, EncodedTexts]
    variation: Variation
    validation: SampleInputs
    validation_spoken: Mapping[str, EncodedTexts]
    keep: Save

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> RetrievalSamples:
        """Return varied queries."""
        inputs, words, _ = self.varied(samples, generator)
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


@dataclass(frozen=True)
class ContrastConfig:
    """The configuration of contrastive training: each text is compared with ``others`` targets from its batch.

    ``mirrored`` is the share of texts and changes that are mirrored. ``unknown`` is the share of words that are
    replaced by the unknown word, so that unseen words do no harm. A share ``estimated`` of the batches uses joints
    from an estimator, with simulated errors where there are none; in the other batches a share ``noisy`` of the
    changes has simulated errors. ``opposites`` false removes the mirror image and the way back from the negatives.
    The saved model has a share ``kept`` of the initial weights, so that less is forgotten (WiSE-FT, Wortsman et al.
    2022).
    """

    batch: Count = 96
    others: Count = 10
    mirrored: Share = 0.5
    noisy: Share = 0.7
    estimated: Share = 0.0
    opposites: bool = True
    kept: Share = 0.0
    unknown: Share = 0.05
    noise: JointNoise = field(default_factory=JointNoise)


@dataclass(frozen=True)
class ContrastBatch:
    """b texts (b, t) in one language, and the ``changes`` (b, c, n) that each is compared with, its own first.

    ``differs`` (b, c) is false where a change is as valid as the text's own: the mirror image of a change that is the
    same on both sides, or a change into the shape that the text names. ``apart`` (b, b) is the same for the texts and
    each other's own changes.
    """

    language: str
    words: Tensor
    changes: Tensor
    differs: Tensor
    apart: Tensor


@dataclass
class Contrast(Objective):
    """The contrastive task of a joint embedding space; in each language a sample occurs at most once per epoch.

    A text's negatives start at the same pose, like a query's candidates: they lead to the targets of other samples, to
    the target's mirror image, back, or nowhere. The other changes of the batch are negatives too.

    A last batch that is not full is left out, unless the language has no full batch.
    """

    model: VisionModel[AnyRetriever]
    config: ContrastConfig
    described_changes: DescribedChanges
    vocabularies: Mapping[str, Vocabulary]
    longest: int
    validation: SampleInputs
    validation_spoken: Mapping[str, EncodedTexts]
    keep: Save
    begun: Mapping[str, Tensor] = field(default_factory=dict)  # initial weights, if training continues a model

    def order(self, generator: torch.Generator) -> Sequence[Sequence[int]]:
        """Return batches of one language each, in random order of languages."""
        batches = [
            [number, *(int(rows[place]) for place in batch)]
            for number, rows in enumerate(self._rows)
            for batch in shuffled(len(rows), self.config.batch, generator)
            if len(batch) == self.config.batch or len(rows) < self.config.batch
        ]
        return [batches[place] for place in torch.randperm(len(batches), generator=generator).tolist()]

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> ContrastBatch:
        """Return a varied batch of texts and changes; the first of ``samples`` is the language's number."""
        (number, *rows), config = samples, self.config
        language = list(self.vocabularies)[number]
        turned = torch.rand(len(rows), generator=generator) < config.mirrored
        texts = self._spoken_texts[language]
        turned &= torch.tensor([bool(texts.mirrored[row]) for row in rows])
        words = [
            (texts.mirrored if mirrored else texts.plain)[row][0] for row, mirrored in zip(rows, turned, strict=True)
        ]
        joints, measured = self._joints(rows, generator)
        joints = torch.where(turned.view(-1, 1, 1, 1), mirrored_joints(joints), joints)
        tokens = padded(words)
        hidden = (torch.rand(tokens.shape, generator=generator) < config.unknown) & (tokens != PAD)
        tokens = tokens.masked_fill(hidden, UNK)
        is_meant = (self.described_changes.meant[rows][:, None] & self._holds[rows]).any(axis=2)
        apart = torch.from_numpy(~is_meant | np.eye(len(rows), dtype=np.bool_))
        targets, differs = self._targets(joints, rows, language, apart, generator)
        currents = joints[:, :1].expand(-1, targets.shape[1], -1, -1).clone()
        # The way back starts where the text's change ends.
        currents[:, -1], targets[:, -1] = joints[:, 1], joints[:, 0]
        rough = (torch.rand(len(rows), generator=generator) < config.noisy) & (not measured)
        both = torch.stack([currents, targets], dim=2)
        both = torch.where(rough.view(-1, 1, 1, 1, 1), noisy(both, config.noise, generator), both)
        pairs = centred(both.numpy(), placed=False)
        changes = torch.from_numpy(pose_changes(pairs[:, :, 0], pairs[:, :, 1]))
        return ContrastBatch(language, tokens, changes, differs, apart)

    def _joints(self, rows: Sequence[int], generator: torch.Generator) -> tuple[Tensor, bool]:
        """Return current and target poses (b, 2, 20, 3), and whether they already have an estimator's errors.

        All poses of a batch have them or none, because the network could otherwise recognise an answer by its errors.
        """
        joints = torch.from_numpy(self.described_changes.joints[rows])
        if torch.rand((), generator=generator) >= self.config.estimated:
            return joints, False
        measured = torch.from_numpy(self.described_changes.measured[rows])
        is_found = ~measured.isnan().flatten(1).any(dim=1).view(-1, 1, 1, 1)
        return torch.where(is_found, measured, noisy(joints, self.config.noise, generator)), True

    def _targets(
        self, joints: Tensor, rows: Sequence[int], language: str, apart: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """Return the candidate poses (b, c, 20, 3) of each text, and which of them are valid negatives (b, c).

        The candidates are its target, other targets, its target's mirror image, no movement, and the way back.
        """
        count = len(joints)
        other_count = min(self.config.others, count - 1)
        steps = 1 + torch.randperm(count - 1, generator=generator)[:other_count]
        places = (torch.arange(count)[:, None] + steps) % count
        targets = joints[:, 1]
        candidates = torch.cat(
            [targets[:, None], targets[places], mirrored_joints(targets)[:, None], joints[:, :1], joints[:, :1]], dim=1
        )
        differs = torch.ones(candidates.shape[:2], dtype=torch.bool)
        differs[:, 1 : 1 + other_count] = apart.gather(1, places)
        mirrored = [self._spoken_texts[language].mirrored[row] for row in rows]
        plain = [self._spoken_texts[language].plain[row] for row in rows]
        differs[:, 1 + other_count] = torch.tensor(
            [bool(turned) and turned[0] != plain_texts[0] for turned, plain_texts in zip(mirrored, plain, strict=True)]
        )
        if not self.config.opposites:
            differs[:, 1 + other_count] = differs[:, -1] = False
        return candidates, differs

    def loss(self, batch: ContrastBatch) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the cross-entropy of texts over changes plus half that of changes over texts, and the accuracy."""
        space = cast("PoseSpace", self.model.network)
        vectors, weights = space.read(batch.words, batch.language)
        texts = torch.einsum("bt,btd->bd", weights, vectors)
        changes = space.moved(batch.changes).sum(dim=2)
        offered = torch.einsum("bd,bcd->bc", texts, changes).masked_fill(~batch.differs, -torch.inf)
        similarities = texts @ changes[:, 0].T
        diagonal = torch.arange(len(texts), device=similarities.device)
        similarities = similarities.masked_fill(~batch.apart, -torch.inf)
        others = similarities.masked_fill(
            torch.eye(len(texts), dtype=torch.bool, device=similarities.device), -torch.inf
        )
        loss = cross_entropy(torch.cat([offered, others], dim=1), torch.zeros_like(diagonal)) + 0.5 * cross_entropy(
            similarities.T, diagonal
        )
        return loss, {"accuracy": (offered.argmax(dim=1) == 0).float().mean()}

    def validate(self) -> dict[str, float]:
        """Return the mean accuracy over languages, and that of each language."""
        with self._blended():
            scores = validation_scores(self.model, self.validation, self.validation_spoken)
        return {name: value for name, value in scores.items() if name.startswith("accuracy")}

    def save(self, folder: Path) -> None:
        """Write the model with its share of the initial weights."""
        with self._blended():
            super().save(folder)

    @contextmanager
    def _blended(self) -> Iterator[None]:
        """Give the model its share of the initial weights within the context."""
        own = {name: value.clone() for name, value in self.model.state_dict().items()}
        share = self.config.kept if self.begun else 0.0
        self.model.load_state_dict(
            {name: value.lerp(self.begun[name].to(value), share) if share else value for name, value in own.items()}
        )
        try:
            yield
        finally:
            self.model.load_state_dict(own)

    @cached_property
    def _rows(self) -> list[NDArray[np.int64]]:
        """The samples that have a text, for each language."""
        return [
            np.flatnonzero([bool(texts) for texts in self.described_changes.texts[language]])
            for language in self.vocabularies
        ]

    @cached_property
    def _holds(self) -> NDArray[np.bool_]:
        """The mask (n, shapes) of the shapes that each target holds."""
        return holds(self.described_changes.joints[:, 1])

    @cached_property
    def _spoken_texts(self) -> dict[str, EncodedTexts]:
        return spoken(self.described_changes, self.vocabularies, ends=False, longest=self.longest, as_meant=True)


@dataclass(frozen=True)
class RetrieverRecipe(Recipe):
    """A retriever's configuration; ``network`` is a ``RetrieverConfig`` without the values that depend on the data."""

    data: RetrievalConfig = field(default_factory=RetrievalConfig)
    contrast: ContrastConfig = field(default_factory=ContrastConfig)
    network: dict[str, Any] = field(default_factory=dict)
    variation: Variation = field(default_factory=Variation)

    @property
    def estimated(self) -> bool:
        """Whether the run uses estimated joints."""
        return self.variation.estimated > 0 or self.contrast.estimated > 0


def train_retriever(order: TrainingOrder) -> None:
    """Train a retriever or resume its run; raise ``BadInputError`` as described in ``train``."""
    recipe = read_recipe(RetrieverRecipe, "retriever", order)
    config = recipe.data
    dataset = read_dataset(order.dataset, *TRAINED_ON["retriever"])
    network_config = built(RetrieverConfig, {**recipe.network, "vocabulary_sizes": ANY_SIZE}, order.config, "network.")
    if network_config.space:
        _train_space(order, recipe, dataset, network_config)
        return
    network_config = with_backbone(network_config, order, needed=network_config.images)
    begun = set_up_vision(order, recipe, dataset, network_config, ("val_unseen", config.validation_questions))
    samples, views, vocabularies = begun.samples, begun.views, begun.vocabularies
    sizes = begun.vocabulary_sizes if network_config.text else {}
    network = replace(network_config, vocabulary_sizes=sizes, image_channels=begun.channels)
    model: VisionModel[AnyRetriever] = VisionModel(Retriever(network), begun.backbone)
    if order.start is not None:
        load_weights(model, order.start)
    if config.recombined:
        samples = samples.joined(
            recombined_questions(samples, dataset.pictures, config.recombined, recipe.engine.seed, order.cache_folder)
        )
    task = Retrieval(
        model,
        config,
        SampleInputs(samples, views, estimated=begun.estimated, partly=network_config.missing),
        spoken(samples, vocabularies, ends=False, longest=config.longest),
        recipe.variation,
        SampleInputs(begun.validation, views),
        spoken(begun.validation, vocabularies, ends=False, longest=config.longest),
        saver("retriever", asdict(network), vocabularies if network_config.text else {}),
    )
    fit(task, recipe.engine, order.out, deciding_parts("retriever", recipe, order, dataset.fingerprint))


def _train_space(
    order: TrainingOrder, recipe: RetrieverRecipe, dataset: Dataset, network_config: RetrieverConfig
) -> None:
    config, seed, cache = recipe.data, recipe.engine.seed, order.cache_folder
    samples = usable(dataset, "train", SampleRequirements(config.languages, pictures=False, joints=True))
    measured_in = cache if recipe.contrast.estimated else None
    estimated = None if measured_in is None else read_estimated_joints(dataset, measured_in)
    changes = of_questions(samples, estimated)
    if config.recombined:
        questions = recombined_questions(samples, dataset.pictures, config.recombined, seed, cache)
        changes = changes.joined(of_questions(questions, estimated))
    if config.wide:
        changes = changes.joined(of_wide_pairs(order.dataset, measured_in))
    if config.drawn:
        changes = changes.joined(of_drawn_poses(config.drawn, seed, cache))
    if config.shapes:
        changes = changes.joined(of_shapes(config.shapes, seed, cache))
    if config.annotations:
        changes = changes.joined(human_paraphrases(Path(config.annotations), changes))
    word_counts = (f"{changes.different_words(code):,} different words in {code}" for code in config.languages)
    _log.info("%s changes of pose, %s", f"{len(changes):,}", ", ".join(word_counts))
    vocabularies = vocabularies_of(changes.texts, config.languages, config.least_seen, order.start)
    if order.start is not None and config.shapes:
        vocabularies = grown(vocabularies, changes.texts, config.least_seen)
    network = replace(
        network_config, vocabulary_sizes={code: len(words) for code, words in vocabularies.items()}, backbone=None
    )
    torch.manual_seed(seed)
    model: VisionModel[AnyRetriever] = VisionModel(PoseSpace(network), None)
    if order.start is not None:
        load_weights(model, order.start, new_words=bool(config.shapes))
    validation = usable(
        dataset,
        "val_unseen",
        SampleRequirements(config.languages, pictures=False, joints=True),
        config.validation_questions,
    )
    task = Contrast(
        model,
        recipe.contrast,
        changes,
        vocabularies,
        config.longest,
        SampleInputs(validation, Views()),
        spoken(validation, vocabularies, ends=False, longest=config.longest),
        saver("retriever", asdict(network), vocabularies),
        {} if order.start is None else {name: value.clone() for name, value in model.state_dict().items()},
    )
    fit(task, recipe.engine, order.out, deciding_parts("retriever", recipe, order, dataset.fingerprint))
