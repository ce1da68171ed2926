"""Maximum likelihood training of a captioner: predict the reference's next word (L_ML, paper section 6.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import torch
from pydantic import Field as Within
from torch import Tensor
from torch.nn.functional import cross_entropy

from fmp_models.languages.vocabulary import PAD
from fmp_models.networks.backbones.vision_model import VisionModel
from fmp_models.networks.captioning.captioner import Captioner
from fmp_models.networks.captioning.pair_encoder import EncodedPair, PairBatch
from fmp_models.training.batching import of_like_lengths
from fmp_models.training.config import Amount, Count
from fmp_models.training.objectives.captioner_validation import CaptionerValidation
from fmp_models.training.samples.model_inputs import ModelInputs, SampleInputs, Variation
from fmp_models.training.texts.encoded_texts import EncodedTexts, chosen_texts, lengths, mirrorable
from fmp_models.training.trained_model import Save


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


@dataclass(frozen=True)
class CaptionSamples:
    """b pairs and one text of each (b, t) by language; ``instances`` (b,) number the plain and the mirrored pairs."""

    inputs: ModelInputs
    words: dict[str, Tensor]
    instances: Tensor


@dataclass
class MaximumLikelihood:
    """The captioning task of one or several languages; every step trains all of them."""

    model: VisionModel[Captioner]
    config: CaptioningConfig
    sample_inputs: SampleInputs
    spoken: Mapping[str, EncodedTexts]
    variation: Variation
    validation: CaptionerValidation
    keep: Save
    metric: str = "cider"
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        """Compute which pairs have a mirror image in every language, and the lengths of their texts."""
        self._mirrorable = mirrorable(self.spoken)
        self._lengths = lengths(self.spoken)

    def order(self, generator: torch.Generator) -> Sequence[Sequence[int]]:
        """Return batches that contain every pair once per epoch."""
        return of_like_lengths(self._lengths, self.config.batch, generator)

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> CaptionSamples:
        """Return varied pairs, and one text of each in every language."""
        rows = torch.tensor(samples)
        inputs, mirrored = self.sample_inputs.varied(samples, self._mirrorable[rows], self.variation, generator)
        words = chosen_texts(self.spoken, samples, mirrored, generator)
        return CaptionSamples(inputs, words, rows + mirrored * len(self.sample_inputs.samples))

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

    def save(self, folder: Path) -> None:
        """Write the model as a folder in the layout of a Hub repository."""
        self.keep(folder, self.model)


def pair_batch(inputs: ModelInputs, model: VisionModel[Captioner]) -> PairBatch:
    """Convert inputs of pairs (k = 2) to the captioner's batch, without what the captioner has no input for."""
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
