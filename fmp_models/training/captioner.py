"""Training of a captioner: maximum likelihood or self-critical, in one or several languages; validation, recipe."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Annotated, Any, Literal

import numpy as np
import torch
from pydantic import Field as Within
from torch import Tensor
from torch.nn.functional import cross_entropy

from fmp_models.geometry import UNCHANGED, Clause, Direction, Part, Side
from fmp_models.languages import PAD, Vocabulary, grammar, read_plan, tokenise
from fmp_models.metrics import Cider, clause_agreement, text_progress
from fmp_models.networks import (
    Captioner,
    CaptionerConfig,
    Editor,
    EncodedPair,
    PairBatch,
    VisionModel,
    greedy,
    log_probabilities,
    sample,
)
from fmp_models.pose import Array, mirrored_joints, pose_pair
from fmp_models.training.config import Amount, Count, built
from fmp_models.training.dataset_samples import Samples, read_dataset
from fmp_models.training.engine import fit, on_device
from fmp_models.training.model_inputs import ModelInputs, SampleInputs, Variation
from fmp_models.training.objective import Save, TextObjective, saver
from fmp_models.training.preparation import (
    ANY_SIZE,
    Recipe,
    TrainingOrder,
    deciding_parts,
    load_weights,
    read_recipe,
    set_up_vision,
    with_backbone,
)
from fmp_models.training.recombination import drawn_samples, recombined
from fmp_models.training.texts import EncodedTexts, Numbers, spoken, swapped


@dataclass(frozen=True)
class CaptioningConfig:
    """The configuration of captioning: what is trained and on what; defaults are the paper's.

    ``longest`` is the maximum length of a text in tokens, begin and end marks included; ``least_seen`` the minimum
    count of a word in the vocabulary. ``wide`` adds the simulator's wide pairs. ``swap`` adds the way back of every
    pair, ``recombined`` that many new pairs of the same pictures, and ``drawn`` that many pairs of drawn poses
    without pictures; the texts of these three are generated. ``trained`` can be the word layers only, as the paper
    ends the training of its multilingual captioner.
    """

    objective: Literal["maximum_likelihood", "self_critical"] = "maximum_likelihood"
    languages: Annotated[tuple[str, ...], Within(min_length=1)] = ("en",)
    batch: Count = 45
    longest: Annotated[int, Within(ge=3)] = 40
    least_seen: Count = 3
    wide: bool = False
    swap: bool = False
    recombined: Annotated[int, Within(ge=0)] = 0
    drawn: Annotated[int, Within(ge=0)] = 0
    joint_weight: Amount = 1.0  # weight of the second task's mean error in metres
    trained: Literal["all", "words"] = "all"
    own_joints: bool = False  # validate with the second task's joints instead of the true ones
    validation_pairs: Count | None = None  # None: all
    validation: Literal["val_seen", "val_unseen"] = "val_seen"  # the split that chooses the best weights


@dataclass(frozen=True)
class CaptionSamples:
    """b pairs and one text of each (b, t) by language; ``instances`` (b,) number the plain and the mirrored pairs."""

    inputs: ModelInputs
    words: dict[str, Tensor]
    instances: Tensor


@dataclass
class MaximumLikelihood(TextObjective):
    """The task of predicting the reference's next word (L_ML, paper section 6.1); every step trains all languages."""

    model: VisionModel[Captioner]
    config: CaptioningConfig
    sample_inputs: SampleInputs
    spoken: Mapping[str, EncodedTexts]
    variation: Variation
    validation: CaptionerValidation
    keep: Save
    metric = "cider"

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> CaptionSamples:
        """Return varied pairs, and one text of each in every language."""
        inputs, words, mirrored = self.varied(samples, generator)
        return CaptionSamples(inputs, words, torch.tensor(samples) + mirrored * len(self.sample_inputs.samples))

    def loss(self, batch: CaptionSamples) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the mean cross-entropy over languages, plus the joint error if joints are predicted, and its parts."""
        return self.likelihood(batch, self.encode(batch.inputs))

    def encode(self, inputs: ModelInputs) -> EncodedPair:
        """Encode the pairs as input of the word decoder."""
        return self.model.network.encode(pair_batch(inputs, self.model))

    def _with_own_joints(self, inputs: ModelInputs) -> EncodedPair:
        return self.encode(replace(inputs, joints_known=torch.zeros_like(inputs.joints_known)))

    def likelihood(self, batch: CaptionSamples, encoded: EncodedPair) -> tuple[Tensor, dict[str, Tensor]]:
        """Compute :meth:`loss` for pairs that are already encoded."""
        parts = {}
        for language, words in batch.words.items():
            logits = self.model.network.logits(encoded, words[:, None, :-1], language)
            parts[f"words_{language}"] = cross_entropy(
                logits.flatten(0, 2).float(), words[:, 1:].flatten(), ignore_index=PAD
            )
        loss = torch.stack(list(parts.values())).mean()
        if encoded.predicted_joints is not None:
            parts["joints"] = _joint_error(encoded.predicted_joints, batch.inputs)
            loss = loss + self.config.joint_weight * parts["joints"]
        return loss, parts

    def validate(self) -> dict[str, float]:
        """Return CIDEr and the share of clauses that agree with the joints."""
        encode = self._with_own_joints if self.config.own_joints else self.encode
        return self.validation.scores(encode, self.model.network)


def pair_batch(inputs: ModelInputs, model: VisionModel[Captioner] | VisionModel[Editor]) -> PairBatch:
    """Convert inputs of pairs (k = 2) to the network's batch, without what the network has no input for."""
    config = model.network.config
    features = inputs.seen_by(model) if config.vision else None
    return PairBatch(
        None if features is None else features[:, 0],
        None if features is None else features[:, 1],
        inputs.joints[:, 0],
        inputs.joints[:, 1],
        inputs.image_known.all(dim=1) if config.missing else None,
        inputs.joints_known.all(dim=1) if config.missing or config.joint_prediction else None,
    )


def _joint_error(predicted: Tensor, inputs: ModelInputs) -> Tensor:
    """Return the mean error in metres of predicted joints (b, 2, 20, 3) where there are a picture and true joints."""
    known = inputs.image_known & inputs.joints_known
    distances = (predicted.float() - inputs.bodies).norm(dim=-1).mean(dim=2)
    error: Tensor = (distances * known).sum() / known.sum().clamp(min=1)
    return error


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


@dataclass(frozen=True)
class SelfCriticalConfig:
    """The weights of the mixed loss, by default the paper's; ``samples`` is the number of sampled texts per pair.

    ``clauses`` is the weight of :class:`ClauseReward` relative to CIDEr, ``execution`` that of goal progress: the share
    of the way to the target, by the true joints, that a body goes which follows the text alone.
    """

    likelihood: Amount = 0.05  # gamma 1
    reward: Amount = 1.0  # gamma 2
    samples: Count = 1
    clauses: Amount = 0.0
    execution: Amount = 0.0


@dataclass
class SelfCritical(MaximumLikelihood):
    """The captioning task with the mixed loss (Rennie et al. 2017; paper section 6.1), with CIDEr as the reward.

    The captioner should already be trained by maximum likelihood. The advantage of a sampled text over the greedy text
    scales the gradient of its log-probability. Document frequencies come from all training texts; the released code
    computes them from the batch, where few n-grams are rare.
    """

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
        """Return the reward (b, q) of texts (b, q, t): CIDEr, plus the weighted rewards of clauses and execution."""
        count = words.shape[1]
        texts = [[word for word in text if word != PAD] for text in words.flatten(0, 1).tolist()]
        pairs = instances.repeat_interleave(count).tolist()
        scores = self._rewards[language].scores(texts, pairs)
        if self.weights.clauses:
            scores = scores + self.weights.clauses * self._clauses[language].scores(texts, pairs)
        if self.weights.execution:
            decode = self.spoken[language].vocabulary.decode
            progress = [self._progress(decode(text), language, pair) for text, pair in zip(texts, pairs, strict=True)]
            scores = scores + self.weights.execution * np.array(progress)
        return torch.from_numpy(scores).float().view(-1, count)

    def _progress(self, text: str, language: str, instance: int) -> float:
        """Return the goal progress of a text, from -1 to 1; 0 if the joints of the pair cannot tell."""
        samples = self.sample_inputs.samples
        mirrored, row = divmod(instance, len(samples))
        if not samples.known[row].all():
            return 0.0
        joints = mirrored_joints(samples.joints[row]) if mirrored else samples.joints[row]
        progress = text_progress(text, language, pose_pair(*joints, placed=bool(samples.placed[row])))
        return 0.0 if progress is None else max(progress, -1.0)


def _references(texts: EncodedTexts, *, mirrored: bool) -> list[list[Numbers]]:
    """Return the texts of every pair with their end mark, which a truncated text lacks; then the mirrored ones."""
    plain = [[text[1:] for text in of_pair] for of_pair in texts.plain]
    if not mirrored:
        return plain
    # Pairs without a mirrored text are never mirrored in training; their plain texts fill the gap.
    turned = [[text[1:] for text in of_pair] for of_pair in texts.mirrored]
    return plain + [mirrored_texts or plain_texts for mirrored_texts, plain_texts in zip(turned, plain, strict=True)]


Movement = tuple[Side, Part, Direction]  # a movement of one side of the body


class ClauseReward:
    """The reward of clauses that match those of the references, for texts in one language.

    For CIDEr a left instead of a right is one wrong word among forty, but a person who follows the text moves the
    wrong arm. ``references`` (n) are each pair's texts, with or without end marks.
    """

    def __init__(self, references: Sequence[Sequence[Numbers]], vocabulary: Vocabulary) -> None:
        self._references, self._vocabulary = references, vocabulary
        self._grammar = grammar(vocabulary.language)
        self._meant: dict[int, frozenset[Movement]] = {}  # movements of the references, parsed on first use

    def scores(self, texts: Sequence[Sequence[int]], instances: Sequence[int]) -> Array:
        """Return the reward of each text (n,) of the pairs ``instances``, from -1 to 1.

        It is the F1 of the text's movements minus the share of its movements in the opposite direction. Clauses
        without change are not movements. If neither side has a movement, the F1 is 1.
        """
        return np.array([self._score(text, instance) for text, instance in zip(texts, instances, strict=True)])

    def _score(self, text: Sequence[int], instance: int) -> float:
        movements, reference_movements = self._movements(text), self._meant_by(instance)
        if not movements or not reference_movements:
            return float(not movements and not reference_movements)
        right = len(movements & reference_movements)
        opposite = sum(
            (side, part, way.reverse) in reference_movements and (side, part, way) not in reference_movements
            for side, part, way in movements
        )
        return 2 * right / (len(movements) + len(reference_movements)) - opposite / len(movements)

    def _meant_by(self, instance: int) -> frozenset[Movement]:
        if instance not in self._meant:
            text_movements = (self._movements(text) for text in self._references[instance])
            self._meant[instance] = frozenset[Movement]().union(*text_movements)
        return self._meant[instance]

    def _movements(self, text: Sequence[int]) -> frozenset[Movement]:
        plan = read_plan(self._vocabulary.decode(text), self._grammar)
        return frozenset(movement for clause in plan for movement in _movements(clause))


def _movements(clause: Clause) -> list[Movement]:
    if clause.direction in UNCHANGED:
        return []
    return [(side, clause.part, clause.direction) for side in clause.side.each]


# Layers that a captioner without measures lacks and that can be added later.
_OF_MEASURES = tuple(
    f"network.{part}." for part in ("w_measures", "pair_encoder.moved", "pair_encoder.stand_ins.measures")
)


@dataclass(frozen=True)
class CaptionerRecipe(Recipe):
    """A captioner's configuration; ``network`` is a ``CaptionerConfig`` without the values that depend on the data."""

    data: CaptioningConfig = field(default_factory=CaptioningConfig)
    network: dict[str, Any] = field(default_factory=dict)
    variation: Variation = field(default_factory=Variation)
    self_critical: SelfCriticalConfig = field(default_factory=SelfCriticalConfig)

    @property
    def estimated(self) -> bool:
        """Whether the run uses estimated joints."""
        return self.variation.estimated > 0


def train_captioner(order: TrainingOrder) -> None:
    """Train a captioner or resume its run; raise ``BadInputError`` as described in ``train``."""
    recipe = read_recipe(CaptionerRecipe, "captioner", order)
    config = recipe.data
    dataset = read_dataset(order.dataset, "captioning", ("train", config.validation), wide=config.wide)
    network_config = built(CaptionerConfig, {**recipe.network, "vocabulary_sizes": ANY_SIZE}, order.config, "network.")
    network_config = with_backbone(network_config, order, needed=network_config.vision)
    begun = set_up_vision(order, recipe, dataset, network_config, (config.validation, config.validation_pairs))
    samples, views, vocabularies = begun.samples, begun.views, begun.vocabularies
    network = replace(network_config, vocabulary_sizes=begun.vocabulary_sizes, image_channels=begun.channels)
    model = VisionModel(Captioner(network), begun.backbone)
    if order.start is not None:
        load_weights(model, order.start, _OF_MEASURES if network.measures else ())
    if config.trained == "words":
        model.requires_grad_(requires_grad=False)
        model.network.words.requires_grad_()
    additions = [swapped(samples, recipe.engine.seed)] if config.swap else []
    if config.recombined:
        additions.append(recombined(samples, config.recombined, recipe.engine.seed, order.cache_folder))
    if config.drawn:
        additions.append(drawn_samples(config.drawn, recipe.engine.seed, order.cache_folder))
    for addition in additions:
        samples = samples.joined(addition)
    task = MaximumLikelihood(
        model,
        config,
        SampleInputs(samples, views, estimated=begun.estimated, partly=network_config.missing),
        spoken(samples, vocabularies, ends=True, longest=config.longest),
        recipe.variation,
        CaptionerValidation(SampleInputs(begun.validation, views), vocabularies, config.longest),
        saver("captioner", asdict(network), vocabularies),
    )
    if config.objective == "self_critical":
        task = SelfCritical(
            **{part.name: getattr(task, part.name) for part in fields(task)}, weights=recipe.self_critical
        )
    fit(task, recipe.engine, order.out, deciding_parts("captioner", recipe, order, dataset.fingerprint))
