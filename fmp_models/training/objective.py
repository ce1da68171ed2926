"""What the training tasks of all models share: their batches of texts, and saving in the Hub's layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from fmp_models.hub import Kind, save_model
from fmp_models.languages import Vocabulary
from fmp_models.training.batching import of_like_lengths
from fmp_models.training.model_inputs import ModelInputs, SampleInputs, Variation
from fmp_models.training.texts import EncodedTexts, chosen_texts, lengths, mirrorable

Save = Callable[[Path, nn.Module], None]


def saver(kind: Kind, config: Mapping[str, Any], vocabularies: Mapping[str, Vocabulary]) -> Save:
    """Return a function that saves a task's model in full precision, with its configuration and vocabularies."""

    def save(folder: Path, model: nn.Module) -> None:
        save_model(folder, kind, config, model, vocabularies, _CARD.format(kind=kind), half=False)

    return save


_CARD = "# {kind} checkpoint\n\nThe best weights so far in full precision, with their scores in `scores.json`.\n"


class Objective:
    """The base of training tasks: the ``metric`` that selects the best weights, and saving with ``keep``."""

    model: nn.Module
    keep: Save
    metric = "accuracy"
    higher_is_better = True

    def save(self, folder: Path) -> None:
        """Write the model as a folder in the layout of a Hub repository."""
        self.keep(folder, self.model)


class BatchConfig(Protocol):
    """The protocol of a configuration with a batch size."""

    @property
    def batch(self) -> int:
        """The number of samples of a batch."""
        ...


class TextObjective(Objective):
    """The base of tasks on samples with texts in one or several languages."""

    config: BatchConfig
    sample_inputs: SampleInputs
    spoken: Mapping[str, EncodedTexts]
    variation: Variation

    def __post_init__(self) -> None:
        """Compute which samples have a mirror image in every language, and the lengths of their texts."""
        self._mirrorable = mirrorable(self.spoken)
        self._lengths = lengths(self.spoken)

    def order(self, generator: torch.Generator) -> Sequence[Sequence[int]]:
        """Return batches that contain every sample once per epoch."""
        return of_like_lengths(self._lengths, self.config.batch, generator)

    def varied(
        self, samples: Sequence[int], generator: torch.Generator
    ) -> tuple[ModelInputs, dict[str, Tensor], Tensor]:
        """Return varied inputs of b samples, a text of each (b, t) by language, and which are mirrored (b,)."""
        mirrorable_rows = self._mirrorable[torch.tensor(samples)]
        inputs, mirrored = self.sample_inputs.varied(samples, mirrorable_rows, self.variation, generator)
        return inputs, chosen_texts(self.spoken, samples, mirrored, generator), mirrored
