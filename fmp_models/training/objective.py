"""Writer of a run's models as folders in the Hub's layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch import nn

from fmp_models.hub.models import Kind, save_model
from fmp_models.languages.vocabulary import Vocabulary

Save = Callable[[Path, nn.Module], None]


def saver(kind: Kind, config: Mapping[str, Any], vocabularies: Mapping[str, Vocabulary]) -> Save:
    """Return a function that saves a task's model in full precision, with its configuration and vocabularies."""

    def save(folder: Path, model: nn.Module) -> None:
        save_model(folder, kind, config, model, vocabularies, _CARD.format(kind=kind), half=False)

    return save


_CARD = "# {kind} checkpoint\n\nThe best weights so far in full precision, with their scores in `scores.json`.\n"
