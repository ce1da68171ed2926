"""What the README promises is what there is: settings, Space header, files, commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from pydantic.fields import FieldInfo

import annotate.__main__
import fmp_models.__main__
import hub_cards.__main__
from demo.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LONGEST_SHORT_DESCRIPTION = 60  # characters; the Hub refuses more


@pytest.fixture(scope="module")
def header() -> dict[str, Any]:
    """Give the Space header, the YAML between the first two lines of dashes."""
    fields = yaml.safe_load(README.split("---\n")[1])
    assert isinstance(fields, dict)
    return fields


def variable(name: str, field: FieldInfo) -> str:
    """Name the environment variable that a setting is read from."""
    return str(field.validation_alias or f"FMP_{name}".upper())


def test_the_table_names_every_setting_of_ours_once() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)
    settings = [variable(name, field) for name, field in Settings.model_fields.items()]
    assert sorted(rows) == sorted(name for name in settings if name.startswith("FMP_"))


@pytest.mark.parametrize(
    ("name", "default"),
    [
        (variable(name, field), field.default)
        for name, field in Settings.model_fields.items()
        if isinstance(field.default, str | int) and field.default != "" and variable(name, field).startswith("FMP_")
    ],
)
def test_the_table_tells_the_default(name: str, default: str | int) -> None:
    row = re.search(rf"^\| `{name}` \| `([^`]*)` \|", README, re.MULTILINE)
    assert row is not None
    assert row[1] == (str(default).lower() if isinstance(default, bool) else str(default))


def test_a_space_runs_the_gradio_that_is_required(header: dict[str, Any]) -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    gradio = next(Requirement(line) for line in lines if line.startswith("gradio["))
    assert gradio.specifier.contains(header["sdk_version"])
    assert header["sdk"] == "gradio"


def test_the_space_header_is_one_the_hub_accepts(header: dict[str, Any]) -> None:
    assert (ROOT / header["app_file"]).is_file()
    assert len(header["short_description"]) <= LONGEST_SHORT_DESCRIPTION
    colours = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
    assert {header["colorFrom"], header["colorTo"]} <= colours
    # A number would lose its last zero one day: 3.10 is 3.1.
    assert isinstance(header["python_version"], str)


def test_pictures_of_the_readme_are_there() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert pictures
    assert [name for name in pictures if not (ROOT / name).is_file()] == []


def test_commands_of_the_readme_are_accepted() -> None:
    parsers = {
        "annotate": annotate.__main__._parser(),
        "fmp_models": fmp_models.__main__._parser(),
        "hub_cards": hub_cards.__main__._parser(None),
    }
    commands = re.findall(r"^\.venv/bin/python -m (annotate|fmp_models|hub_cards) (.+)$", README, re.MULTILINE)
    assert {room for room, _ in commands} == set(parsers)
    for room, arguments in commands:
        assert parsers[room].parse_args(shlex.split(arguments, comments=True)).run


def test_recipes_of_the_readme_are_there() -> None:
    named = set(re.findall(r"fmp_models/training/configs/\w+\.toml", README))
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).is_file()] == []


def test_make_targets_of_the_readme_are_there() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = re.findall(r"`make ([a-z-]+)[^`]*`|^make ([a-z-]+) +#", README, re.MULTILINE)
    assert named
    assert {quoted or listed for quoted, listed in named} <= set(targets)
