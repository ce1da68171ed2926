from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from fmp_models.training.config import Count, EngineConfig, built, read_config

PATH = Path("captioner.toml")
TEXT = """
kind = "captioner"
[engine]
rate = 0.01
seed = 1
[sizes.small.engine]
seed = 2
[sizes.paper]
"""


@dataclass(frozen=True)
class Inner:
    size: Count
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a size."""
        if self.size == 13:
            message = "13 is no size"
            raise ValueError(message)


@dataclass(frozen=True)
class Outer:
    inner: Inner
    maybe: Inner | None = None


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_size_is_laid_over_the_recipe(tmp_path: Path) -> None:
    path = written(tmp_path, TEXT)
    assert read_config(path, "captioner", "small") == {"engine": {"rate": 0.01, "seed": 2}}
    assert read_config(path, "captioner", "paper") == {"engine": {"rate": 0.01, "seed": 1}}


def test_a_table_becomes_its_data_class_with_nested_ones() -> None:
    table = {"inner": {"size": 3, "names": ["a", "b"]}, "maybe": {"size": 4}}
    assert built(Outer, table, PATH) == Outer(Inner(3, ("a", "b")), Inner(4))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('kind = "retriever"', "trains “retriever”, not “captioner”"),
        ("[sizes.large]", "no size “small”; please choose one of: large"),
        ("[sizes]\nsmall = 3", "sizes"),
        ("kind = ", "is not TOML"),
    ],
)
def test_a_file_that_is_no_configuration_of_this_kind_is_refused(tmp_path: Path, change: str, message: str) -> None:
    text = change if change.startswith("kind") else f'kind = "captioner"\n{change}'
    with pytest.raises(BadInputError, match=message):
        read_config(written(tmp_path, text), "captioner", "small")


def test_a_missing_file_and_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        read_config(tmp_path / "none.toml", "captioner", "small")
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInputError, match="UTF-8"):
        read_config(tmp_path / "config.toml", "captioner", "small")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"sead": 1}, "no key “engine.sead”.*seed, epochs"),
        ({"seed": "1"}, "engine.seed.*valid integer"),
        ({"seed": 1.0}, "engine.seed.*valid integer"),
        ({"seed": True}, "engine.seed.*valid integer"),
        ({"rate": -1.0}, "engine.rate.*greater than 0"),
        ({"rate": float("nan")}, "engine.rate.*"),
        ({"precision": "bf17"}, "engine.precision.*'no', 'bf16' or 'fp16'"),
        ({"average": 1.0}, "engine.average.*less than 1"),
        ({"epochs": {"a": 1}}, "engine.epochs.*valid integer"),
    ],
)
def test_what_a_key_may_not_hold_is_refused_by_name(table: dict[str, object], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        built(EngineConfig, table, PATH, "engine.")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "has no key “inner”"),
        ({"inner": {}}, "has no key “inner.size”"),
        ({"inner": {"size": 0}}, "inner.size.*greater than or equal to 1"),
        ({"inner": {"size": 13}}, "“inner”.*13 is no size"),
        ({"inner": {"size": 1}, "maybe": {"sise": 1}}, "no key “maybe.sise”"),
        ({"inner": 3}, "“inner”"),
    ],
)
def test_nested_faults_are_named_by_their_place(table: dict[str, object], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        built(Outer, table, PATH)
