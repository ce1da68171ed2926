"""A training configuration: a TOML file with one table for each part of a recipe, and its sizes.

    kind = "captioner"
    [engine]
    rate = 1e-4
    [sizes.small.engine]
    batch = 32

The tables below ``sizes.<name>`` override the others, so a recipe is written once and its sizes hold the differences.
A configuration can name another file of its folder with ``extends = "captioner_en.toml"`` and override it.
"""

from __future__ import annotations

import json
import tomllib
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field as Within
from pydantic import TypeAdapter, ValidationError

from fmp_models.common import SEEDS
from fmp_models.errors import BadInputError
from fmp_models.files import read_within

Count = Annotated[int, Within(ge=1)]
Whole = Annotated[int, Within(ge=0)]
Amount = Annotated[float, Within(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Within(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Within(ge=0, le=1)]

Table = Mapping[str, Any]
Config = TypeVar("Config")

_MAX_BYTES = 1_000_000
_MAX_BASES = 8  # length of a chain of ``extends``
_SHOWN = 200  # characters of an invalid change in an error message


@dataclass(frozen=True)
class EngineConfig:
    """The configuration of the training loop; defaults are the released code's where it has them."""

    seed: Annotated[int, Within(ge=0, lt=SEEDS)] = 9595
    epochs: Count = 500
    steps: Count | None = None  # optimiser steps, if fewer than the epochs give
    minutes: Positive | None = None  # training time over all starts; the run then ends with a complete checkpoint
    optimiser: Literal["adam", "adamw"] = "adam"
    rate: Positive = 1e-4
    weight_decay: Amount = 0.0
    schedule: Literal["constant", "cosine"] = "constant"
    warmup: Annotated[int, Within(ge=0)] = 0  # steps in which the learning rate rises from 0
    clip: Positive = 5.0  # maximum norm of all gradients
    accumulate: Count = 1  # batches per step
    average: Annotated[float, Within(gt=0, lt=1)] | None = None  # decay of a moving average of the weights
    precision: Literal["no", "bf16", "fp16"] = "no"
    ahead: Annotated[int, Within(ge=0)] = 0  # threads that prepare the next batches
    validate_every: Count | None = None  # steps; None: once per epoch
    patience: Count | None = None  # validations without a new best before training stops
    log_every: Count = 50  # steps
    save_minutes: Amount = 10.0  # between checkpoints


def read_config(path: Path, kind: str, size: str, changes: Table | None = None) -> dict[str, Any]:
    """Return the tables of a configuration at one of its sizes, overridden by ``changes``, for :func:`built`.

    Raises ``BadInputError`` for a file that cannot be read, is not TOML, trains another kind of model or lacks the
    size.
    """
    tables = read_tables(path)
    named_kind = tables.pop("kind", "unknown")
    if named_kind != kind:
        raise BadInputError("config_other_kind", path=str(path), found=str(named_kind), kind=kind)
    sizes = tables.pop("sizes", {})
    if not isinstance(sizes, dict) or not all(isinstance(of_size, dict) for of_size in sizes.values()):
        raise BadInputError(
            "config_wrong_value", path=str(path), key="sizes", reason="it must hold a table for each size"
        )
    if size not in sizes:
        raise BadInputError("config_unknown_size", path=str(path), size=size, known=", ".join(sizes) or "none")
    return laid_over(laid_over(tables, sizes[size]), changes or {})


def read_tables(path: Path) -> dict[str, Any]:
    """Read all tables of a configuration and those it extends; raise ``BadInputError`` for a file that is not TOML."""
    tables = _tables(path)
    for _ in range(_MAX_BASES):
        base = tables.pop("extends", None)
        if base is None:
            return tables
        tables = laid_over(_tables(path.parent / str(base)), tables)
    raise BadInputError("config_wrong_value", path=str(path), key="extends", reason="the chain of extends is too long")


def read_changes(texts: Sequence[str]) -> dict[str, Any]:
    """Parse ``texts`` such as ``data.languages = ["hi"]`` to tables of changes; later texts override earlier ones.

    Raises ``BadInputError`` (``change_not_toml``).
    """
    changes: dict[str, Any] = {}
    for text in texts:
        try:
            changes = laid_over(changes, tomllib.loads(text))
        except (ValueError, RecursionError) as error:
            raise BadInputError("change_not_toml", text=text[:_SHOWN], reason=str(error)) from None
    return changes


def laid_over(table: Table, changes: Table) -> dict[str, Any]:
    """Return ``table`` with the values of ``changes`` instead of its own; nested tables are merged likewise."""
    both = {
        key: laid_over(table[key], change) if isinstance(change, dict) and isinstance(table.get(key), dict) else change
        for key, change in changes.items()
    }
    return {**table, **both}


def built(of: type[Config], table: Table, path: Path, inside: str = "") -> Config:
    """Build the data class of a table, nested ones included; ``inside`` is the table's path, such as ``engine.``.

    Raises ``BadInputError`` that names the key that is unknown, missing, or holds a value of the wrong type.
    """
    known: dict[str, Field[Any]] = {field.name: field for field in fields(of)}  # type: ignore[arg-type]  # a dataclass
    for key in table:
        if key not in known:
            raise BadInputError("config_unknown_key", path=str(path), key=f"{inside}{key}", known=", ".join(known))
    for key, field in known.items():
        if key not in table and field.default is MISSING and field.default_factory is MISSING:
            raise BadInputError("config_missing_key", path=str(path), key=f"{inside}{key}")
    hints = typing.get_type_hints(of, include_extras=True)
    values = {key: _value(hints[key], value, path, f"{inside}{key}") for key, value in table.items()}
    try:
        return of(**values)
    except ValueError as error:
        raise BadInputError("config_wrong_value", path=str(path), key=inside.rstrip("."), reason=str(error)) from None


def _tables(path: Path) -> dict[str, Any]:
    data = read_within(path, _MAX_BYTES)
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise BadInputError("not_utf8", path=str(path)) from None
    except (ValueError, RecursionError) as error:
        raise BadInputError("config_not_toml", path=str(path), reason=str(error)) from None


def _value(hint: Any, value: object, path: Path, key: str) -> Any:  # noqa: ANN401  any value of a TOML file
    nested = next((type_option for type_option in (hint, *typing.get_args(hint)) if is_dataclass(type_option)), None)
    if nested is not None and isinstance(value, dict):
        return built(typing.cast("type[Any]", nested), value, path, f"{key}.")
    try:
        # JSON, because a TOML list can be a tuple here; strict, so that "3" and 3.0 are not accepted as integers.
        return TypeAdapter(hint).validate_json(json.dumps(value, default=str), strict=True)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise BadInputError(
            "config_wrong_value", path=str(path), key=key, reason=reason[:1].lower() + reason[1:]
        ) from None
