"""Contrastive training of the joint embedding space: a text is nearer to its own pose change than to others (InfoNCE).

A text's negatives start at the same pose, like a query's candidates: they lead to the targets of other samples, to
the target's mirror image, back, or nowhere. The other changes of the batch are negatives too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from fmp_models.geometry.measured_changes import pose_changes
from fmp_models.languages.vocabulary import PAD, UNK, Vocabulary
from fmp_models.networks.backbones.vision_model import VisionModel
from fmp_models.networks.mirror import mirrored_joints
from fmp_models.networks.retrieving.pose_space import AnyRetriever, PoseSpace
from fmp_models.preprocessing.joint_origin import centred
from fmp_models.training.batching import shuffled
from fmp_models.training.config import Count, Share
from fmp_models.training.objectives.retrieval import validation_scores
from fmp_models.training.samples.augmentation import JointNoise, noisy
from fmp_models.training.samples.model_inputs import SampleInputs
from fmp_models.training.texts.described_changes import DescribedChanges
from fmp_models.training.texts.encoded_texts import EncodedTexts, padded, spoken
from fmp_models.training.texts.shape_texts import holds
from fmp_models.training.trained_model import Save


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
class Contrast:
    """The contrastive task; in each language a sample occurs at most once per epoch.

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
    metric: str = "accuracy"
    higher_is_better: bool = True

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
        """Write the model as a folder in the layout of a Hub repository."""
        with self._blended():
            self.keep(folder, self.model)

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
