"""Contrastive training of one space: a text is nearer to its change of pose than to others (InfoNCE).

For every text the other changes begin at the same pose, as a question's candidates do: they lead to the targets of
other samples, to the target's mirror image, back, or nowhere. The other changes of the batch count too.
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

from fmp_models.geometry.change_features import pose_changes
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
    """The configuration of contrast: each text is compared with ``others`` targets of its batch beside its own.

    ``mirrored`` texts and changes are shown in its mirror, ``unknown`` words are hidden, so that a word nobody has
    learned does no harm. ``estimated`` batches have the poses as an estimator measured them, with errors of our own
    where it did not; of the other batches' changes ``noisy`` have such errors. Without ``opposites`` a text is not
    told from the mirror image of its change and from the way back. What is saved has a share ``kept`` of the weights
    that training began from, so that less is forgotten (WiSE-FT, Wortsman et al. 2022).
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
    """b texts (b, t) in one language, and of each the ``changes`` (b, c, n) it is compared with; the first is its own.

    ``differs`` (b, c) is false where a change is as good as its own: a mirror image of what is the same on both sides,
    or one into the shape that the text names. ``apart`` (b, b) is so of the texts and each other's own changes.
    """

    language: str
    words: Tensor
    changes: Tensor
    differs: Tensor
    apart: Tensor


@dataclass
class Contrast:
    """The contrastive task; every sample of every language is met once an epoch."""

    model: VisionModel[AnyRetriever]
    config: ContrastConfig
    described_changes: DescribedChanges
    vocabularies: Mapping[str, Vocabulary]
    longest: int
    validation: SampleInputs
    validation_spoken: Mapping[str, EncodedTexts]
    keep: Save
    begun: Mapping[str, Tensor] = field(default_factory=dict)  # weights; none unless an earlier model is gone on from
    metric: str = "accuracy"
    higher_is_better: bool = True

    def order(self, generator: torch.Generator) -> Sequence[Sequence[int]]:
        """Batches of one language each, the languages in random turn."""
        batches = [
            [number, *(int(rows[place]) for place in batch)]
            for number, rows in enumerate(self._rows)
            for batch in shuffled(len(rows), self.config.batch, generator)
            if len(batch) == self.config.batch or len(rows) < self.config.batch
        ]
        return [batches[place] for place in torch.randperm(len(batches), generator=generator).tolist()]

    def batch(self, samples: Sequence[int], generator: torch.Generator) -> ContrastBatch:
        """Texts and changes as they are shown this time; the first number of ``samples`` is the language's."""
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
        # The way back begins where the text's change ends.
        currents[:, -1], targets[:, -1] = joints[:, 1], joints[:, 0]
        rough = (torch.rand(len(rows), generator=generator) < config.noisy) & (not measured)
        both = torch.stack([currents, targets], dim=2)
        both = torch.where(rough.view(-1, 1, 1, 1, 1), noisy(both, config.noise, generator), both)
        pairs = centred(both.numpy(), placed=False)
        changes = torch.from_numpy(pose_changes(pairs[:, :, 0], pairs[:, :, 1]))
        return ContrastBatch(language, tokens, changes, differs, apart)

    def _joints(self, rows: Sequence[int], generator: torch.Generator) -> tuple[Tensor, bool]:
        """Current and target poses (b, 2, 20, 3), and whether they have an estimator's errors already.

        All of a batch have or none: an answer among poses of another kind would be found by its kind.
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
        """The poses of a text's changes (b, c, 20, 3): its target, others, its target's mirror image, nowhere, back."""
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
        """The cross-entropy of each text over its changes and the others' own, and of each change over the texts."""
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
        """The mean accuracy over languages, and each one's."""
        with self._blended():
            scores = validation_scores(self.model, self.validation, self.validation_spoken)
        return {name: value for name, value in scores.items() if name.startswith("accuracy")}

    def save(self, folder: Path) -> None:
        """Write the model as a folder that loads like one of the Hub."""
        with self._blended():
            self.keep(folder, self.model)

    @contextmanager
    def _blended(self) -> Iterator[None]:
        """The model with its share of the weights that it began from."""
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
        """The shapes that each target holds (n, shapes)."""
        return holds(self.described_changes.joints[:, 1])

    @cached_property
    def _spoken_texts(self) -> dict[str, EncodedTexts]:
        return spoken(self.described_changes, self.vocabularies, ends=False, longest=self.longest, as_meant=True)
