"""Bundling of a training run: its best weights in half precision, with a record of how they were trained."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fmp_models.errors import BadInputError
from fmp_models.hub.references import CHECKPOINTS, ModelFolder, resolve

TRAINING = "training.json"

_RUN, _BEST, _SCORES = "config.json", "best", "scores.json"
_CARD = "# {name}\n\nIts card is written by `python -m hub_cards render`.\n"


@dataclass(frozen=True)
class TrainingRecord:
    """The content of ``training.json``: the ``commands`` that made the weights, in order, and the last run's settings.

    ``size`` is the recipe's size, ``dataset`` the fingerprint of the data. ``validation`` holds the scores for
    which these weights were kept, and their step. ``recipe`` holds every table of the run's configuration.
    """

    commands: tuple[str, ...]
    size: str
    dataset: str
    validation: Mapping[str, float]
    recipe: Mapping[str, Any]


def bundle(run: Path, name: str, commands: Sequence[str], bundled: Path = CHECKPOINTS) -> ModelFolder:
    """Copy the best weights of a run's folder to ``bundled/name`` and replace any model and results there.

    Raise ``BadInputError``: ``run_incomplete`` if ``run`` is not a folder made by ``train``, and the errors of
    loading and saving a model.
    """
    begun, scores = _noted(run, run / _RUN), _noted(run, run / _BEST / _SCORES)
    training = TrainingRecord(tuple(commands), str(begun.pop("size", "")), str(begun.pop("dataset", "")), scores, begun)
    folder = bundled / name
    _save(str((run / _BEST).resolve()), folder, _CARD.format(name=name))
    text = json.dumps(asdict(training), ensure_ascii=False, indent=2)
    (folder / TRAINING).write_text(f"{text}\n", encoding="utf-8")
    return resolve(name, bundled=bundled)


def _noted(run: Path, file: Path) -> dict[str, Any]:
    try:
        noted = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        noted = None
    if not isinstance(noted, dict):
        raise BadInputError("run_incomplete", path=str(run), file=file.relative_to(run).as_posix())
    return noted


def _save(best: str, folder: Path, card: str) -> None:
    # Imported here because they load torch, which reading a training record does not need.
    from fmp_models.hub.folders import kind_of, save_model  # noqa: PLC0415
    from fmp_models.hub.models import (  # noqa: PLC0415
        load_captioner,
        load_estimator,
        load_lifter,
        load_retriever,
        save_speaking,
    )

    kind = kind_of(resolve(best))
    if kind in {"estimator", "lifter"}:
        network = load_estimator(best).network if kind == "estimator" else load_lifter(best).network
        save_model(folder, kind, asdict(network.config), network, {}, card)
        return
    loaded = load_captioner(best) if kind == "captioner" else load_retriever(best)
    save_speaking(folder, loaded.network, loaded.vocabularies, card)
