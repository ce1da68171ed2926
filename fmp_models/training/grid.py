"""``train --grid``: a run for each combination of settings, and the choice among them by the validation measure."""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from fmp_models.errors import BadInputError
from fmp_models.metrics import aligned_rows
from fmp_models.networks import CaptionerConfig, RetrieverConfig
from fmp_models.training.config import built, laid_over, read_changes
from fmp_models.training.preparation import ANY_SIZE, TrainingOrder, read_recipe
from fmp_models.training.recipes import RECIPES, train
from fmp_models.training.run_folder import BEST, SCORES, TRAINING

MAX_RUNS = 64
_NETWORKS = {"captioner": CaptionerConfig, "retriever": RetrieverConfig}  # read only when training begins
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class GridPoint:
    """A trained combination: its order, its validation score ``score`` of ``metric``, the step of it, and the hours."""

    values: Mapping[str, Any]
    order: TrainingOrder
    metric: str = ""
    score: float = math.nan
    step: int = 0
    hours: float = 0.0


def read_grid(texts: Sequence[str], kind: str, order: TrainingOrder) -> list[GridPoint]:
    """Return the untrained combinations of texts such as ``dropout=0.3,0.5``; a key without its table must be unique.

    Raises ``BadInputError``: ``change_not_toml``, ``grid_unknown_key``, ``grid_too_large``, and as ``read_recipe``.
    """
    settings = dict(_settings(asdict(read_recipe(RECIPES[kind], kind, order))))
    choices: dict[str, list[Any]] = {}
    for text in texts:
        name, _, values = (part.strip() for part in text.partition("="))
        matching = [key for key in settings if key == name or key.endswith(f".{name}")]
        if not matching and name.startswith("network."):  # a default that the recipe does not name
            matching = [name]
        if len(matching) != 1:
            raise BadInputError("grid_unknown_key", key=name[:80], found=", ".join(matching) or "none")
        given = map(json.dumps, read_changes([f"values = [{values}]"])["values"])
        choices[matching[0]] = list(dict.fromkeys([*choices.get(matching[0], ()), *given]))
    if not 1 <= math.prod(map(len, choices.values())) <= MAX_RUNS:
        raise BadInputError("grid_too_large", most=MAX_RUNS)
    points = (dict(zip(choices, map(json.loads, values), strict=True)) for values in product(*choices.values()))
    return [GridPoint(values, _order(order, values)) for values in points]


def train_grid(kind: str, order: TrainingOrder, points: Sequence[GridPoint]) -> list[GridPoint]:
    """Train every combination, or resume it; return them from best to worst. All are read before the first is trained.

    Raises ``BadInputError`` as ``read_recipe`` and ``train`` do.
    """
    for point in points:
        recipe: Any = read_recipe(RECIPES[kind], kind, point.order)
        if kind in _NETWORKS:
            built(_NETWORKS[kind], {**recipe.network, "vocabulary_sizes": ANY_SIZE}, order.config, "network.")
    trained = []
    for point in points:
        _log.info("%s", point.order.out.relative_to(order.out))
        train(kind, point.order)
        note = json.loads((point.order.out / TRAINING).read_text(encoding="utf-8"))
        step = json.loads((point.order.out / BEST / SCORES).read_text(encoding="utf-8"))["step"]
        chosen = note["chosen"]
        sign = -1 if chosen["higher_is_better"] else 1
        trained.append(
            (
                sign * chosen["best"],
                replace(point, metric=chosen["metric"], score=chosen["best"], step=step, hours=note["hours"]),
            )
        )
    return [point for _, point in sorted(trained, key=lambda entry: entry[0])]


def grid_table(points: Sequence[GridPoint]) -> str:
    """Return the table of trained combinations; the chosen one is first."""
    names = list(points[0].values)
    rows = [[*names, points[0].metric, "step", "hours"]]
    for point in points:
        values = [json.dumps(point.values[name], ensure_ascii=False) for name in names]
        rows.append([*values, f"{point.score:.4g}", str(point.step), f"{point.hours:.2f}"])
    return "\n".join(aligned_rows(rows))


def _settings(table: Mapping[str, Any], inside: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        yield from _settings(value, f"{inside}{key}.") if isinstance(value, dict) else [(f"{inside}{key}", value)]


def _order(order: TrainingOrder, values: Mapping[str, Any]) -> TrainingOrder:
    """Return the order of one combination, in a folder of ``order.out`` that is named after it."""
    changes = dict(order.changes)
    for key, value in values.items():
        nested: Any = value
        for part in reversed(key.split(".")):
            nested = {part: nested}
        changes = laid_over(changes, nested)
    name = "_".join(f"{key.rpartition('.')[2]}-{json.dumps(value)}" for key, value in values.items())
    folder = order.out / re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    return replace(order, out=folder, cache=order.cache_folder, changes=changes)
