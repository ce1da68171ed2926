"""Rooms and their doors, where the import contracts of pyproject.toml end; and who reads the environment."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from grimp import ImportGraph

from tests.doors import imports_past_doors
from tests.imports import imports

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("demo", "annotate", "fmp_models", "hub_cards")
# The app reads it in one place; a command line is an entry of its own and cannot know the app's room.
READS_ENVIRONMENT = (
    "demo/settings.py",
    "fmp_models/common/command_line.py",
    "fmp_models/commands/",
    "annotate/__main__.py",
    "annotate/cli.py",
)
ENVIRONMENT_NAMES = frozenset({"environ", "environb", "getenv", "getenvb", "BaseSettings"})


@cache
def modules() -> Mapping[str, str]:
    """Return the source of every module of the product by its path from the root."""
    paths = [ROOT / "app.py", *(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def environment_reads(path: str, source: str) -> list[str]:
    """Name the places that read the environment outside the one module that may; setting a variable is no read."""
    if path.startswith(READS_ENVIRONMENT) or not any(name in source for name in ENVIRONMENT_NAMES):
        return []
    nodes = list(ast.walk(ast.parse(source)))
    written = {id(node.value) for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)}
    named = [node.attr for node in nodes if isinstance(node, ast.Attribute) and id(node) not in written]
    named += [alias.name for node in imports(source) for alias in node.names]
    return [name for name in named if name in ENVIRONMENT_NAMES]


def doors() -> list[Path]:
    """Return the lists of names that rooms offer to others."""
    return sorted(path for package in PACKAGES for path in (ROOT / package).glob("*/__init__.pyi"))


@pytest.mark.parametrize("door", doors(), ids=lambda door: door.parent.relative_to(ROOT).as_posix())
def test_every_name_in_a_door_is_there(door: Path) -> None:
    room = import_module(".".join(door.parent.relative_to(ROOT).parts))
    assert room.__all__
    assert [name for name in room.__all__ if not hasattr(room, name)] == []


def test_every_name_in_a_door_is_imported_from_another_room() -> None:
    offered = {
        (".".join(door.parent.relative_to(ROOT).parts), alias.name)
        for door in doors()
        for node in imports(door.read_text(encoding="utf-8"))
        for alias in node.names
    }
    asked = {
        (node.module, alias.name)
        for source in modules().values()
        for node in imports(source)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert offered
    assert sorted(offered - asked) == []


def test_an_import_past_a_door_is_found() -> None:
    graph = ImportGraph()
    graph.add_import(importer="demo.views.steps", imported="fmp_models.geometry")
    graph.add_import(importer="demo.views.steps", imported="demo.views.figures")
    graph.add_import(importer="demo.shell", imported="fmp_models.pose")
    assert imports_past_doors(graph) == []
    graph.add_import(importer="demo.views.steps", imported="fmp_models.geometry.clauses")
    assert imports_past_doors(graph) == [("demo.views.steps", "fmp_models.geometry.clauses")]


def test_only_the_settings_and_the_command_line_read_the_environment() -> None:
    assert {path: names for path, source in modules().items() if (names := environment_reads(path, source))} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.environ['FMP_PORT']",
        "import os as o\no.getenv('FMP_PORT')",
        "import os\nos.environ.setdefault('FMP_PORT', '1')",
        "from os import environ",
        "from os import getenv as ask",
        "from pydantic_settings import BaseSettings",
        "import pydantic_settings\nclass More(pydantic_settings.BaseSettings): ...",
    ],
)
def test_a_read_of_the_environment_is_found(source: str) -> None:
    assert environment_reads("fmp_models/hub.py", source)
    assert environment_reads("demo/settings.py", source) == []


def test_setting_a_variable_for_a_library_is_no_read() -> None:
    assert environment_reads("demo/shell.py", "import os\nos.environ['GRADIO_TEMP_DIR'] = 'here'") == []


def test_nobody_outside_its_room_touches_the_engine_of_the_store() -> None:
    touching = [
        path
        for path, source in modules().items()
        if path.startswith(("annotate/", "demo/", "app")) and not path.startswith("annotate/storage/")
        if ".engine" in source
        and any(isinstance(node, ast.Attribute) and node.attr == "engine" for node in ast.walk(ast.parse(source)))
    ]
    assert touching == []


def test_every_room_is_checked_for_types() -> None:
    checked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["files"]
    assert {path.split("/", 1)[0] for path in modules()} - set(checked) == set()
