"""The arrows between packages and rooms, read off the import statements, and who may read the environment."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.imports import imports

ROOT = Path(__file__).resolve().parents[1]

# What each room may import of the others; a dotted name is one module of a room.
ARROWS: dict[str, frozenset[str]] = {
    "app": frozenset({"demo", "fmp_models", "annotate"}),
    "demo": frozenset({"fmp_models", "annotate"}),
    "fmp_models": frozenset(),
    # Both sides know the leaf, and nothing else of each other.
    "annotate": frozenset({"fmp_models.common"}),
    # Cards tell what was measured, in the words and the scale of the evaluation.
    "hub_cards": frozenset(
        {
            "annotate.publishing.publisher",
            "fmp_models.common",
            "fmp_models.data",
            "fmp_models.errors",
            "fmp_models.evaluation.stored_results",
            "fmp_models.evaluation.reports",
            "fmp_models.files",
            "fmp_models.hub",
            "fmp_models.languages",
            "fmp_models.metrics.score_tables",
        }
    ),
}
# A room knows only rooms that stand after it, so that there is no circle. A module beside the rooms of its package is
# one of its own; those of hub_cards are one room.
ORDER = [
    "app",
    "demo.shell",
    "demo.tabs",
    "demo.examples",
    "demo.live",
    "demo.serving",
    "demo.gradio_parts",
    "demo.views",
    "demo.i18n",
    "demo.settings",
    "annotate.__main__",
    "annotate.cli",
    "annotate.tabs",
    "annotate.analysis",
    "annotate.tasks",
    "annotate.publishing",
    "annotate.photos",
    "annotate.storage",
    "annotate.campaigns",
    "annotate.kinds",
    "annotate.records",
    "annotate.identity",
    "annotate.ports",
    "annotate.disks",
    "annotate.errors",
    "hub_cards",
    "fmp_models.__main__",
    "fmp_models.commands",
    "fmp_models.evaluation.paper_tables",
    "fmp_models.evaluation.films",
    "fmp_models.evaluation.real",
    "fmp_models.evaluation",
    "fmp_models.inference.retrieval",
    "fmp_models.inference",
    "fmp_models.coach",
    "fmp_models.training.recipes",
    "fmp_models.training.objectives",
    "fmp_models.metrics.scoring",
    "fmp_models.metrics.task",
    "fmp_models.metrics.ngram",
    "fmp_models.metrics",
    "fmp_models.training.texts",
    "fmp_models.training.samples",
    "fmp_models.sim",
    "fmp_models.sim.wide",
    "fmp_models.sim.capture",
    "fmp_models.sim.drawing",
    "fmp_models.sim.poses",
    "fmp_models.sim.motions",
    "fmp_models.sim.rooms",
    "fmp_models.sim.furniture",
    "fmp_models.sim.people",
    "fmp_models.sim.rendering",
    "fmp_models.data.released",
    "fmp_models.describe",
    "fmp_models.data",
    "fmp_models.estimators",
    "fmp_models.estimators.landmarks",
    "fmp_models.training",
    "fmp_models.hub",
    "fmp_models.networks.retrieving",
    "fmp_models.networks.captioning",
    "fmp_models.networks.estimating",
    "fmp_models.networks.backbones",
    "fmp_models.networks",
    "fmp_models.languages.realiser",
    "fmp_models.geometry.elaboration",
    "fmp_models.geometry.execution",
    "fmp_models.geometry.verdicts",
    "fmp_models.geometry.planning",
    "fmp_models.languages.reader",
    "fmp_models.languages.tags",
    "fmp_models.geometry.shapes",
    "fmp_models.geometry",
    "fmp_models.languages",
    "fmp_models.preprocessing",
    "fmp_models.files",
    "fmp_models.commands.options",
    "fmp_models.common.command_line",
    "fmp_models.pose",
    "fmp_models.errors",
    "fmp_models.common",
]
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
    """Give the source of every module of the project by its path from the root."""
    paths = [path for room in ARROWS for path in (ROOT / f"{room}.py", *(ROOT / room).rglob("*.py")) if path.is_file()]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def imported(source: str) -> Iterator[str]:
    """Give the dotted names a module imports, wherever in it the statement stands; relative ones stay in a room."""
    for node in imports(source):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def forbidden_imports(path: str, source: str) -> list[str]:
    """Name the imports that go against the arrows."""
    room = Path(path).with_suffix("").parts[0]
    known = {*ARROWS, "tests"}
    allowed = {room, *ARROWS[room]}
    return [
        name
        for name in imported(source)
        if name.split(".")[0] in known and not any(f"{name}.".startswith(f"{start}.") for start in allowed)
    ]


def room_of(path: str) -> str:
    """Name the room of a module, or of a package by its ``__init__``."""
    *folders, leaf = Path(path).with_suffix("").parts
    beside = leaf != "__init__" and len(folders) < 2 and folders != ["hub_cards"]
    return ".".join([*folders, leaf] if beside else folders)


def room_named(name: str) -> str | None:
    """Name the room that a dotted name leads into; None where it leads out of the project or to a package alone."""
    parts = name.split(".")
    return next((room for end in range(len(parts), 0, -1) if (room := ".".join(parts[:end])) in ORDER), None)


def upward_imports(path: str, source: str) -> list[str]:
    """Name the imports of rooms that stand before the module's own."""
    if (own := room_of(path)) in ARROWS and own != "hub_cards":  # the package's face, or app itself
        own = "app" if own == "app" else next(room for room in ORDER if room.startswith(f"{own}."))
    rooms = ((name, room_named(name)) for name in imported(source))
    return [name for name, room in rooms if room is not None and ORDER.index(room) < ORDER.index(own)]


def environment_reads(path: str, source: str) -> list[str]:
    """Name the places that read the environment outside the one module that may; setting a variable is no read."""
    if path.startswith(READS_ENVIRONMENT) or not any(name in source for name in ENVIRONMENT_NAMES):
        return []
    nodes = list(ast.walk(ast.parse(source)))
    written = {id(node.value) for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)}
    named = [node.attr for node in nodes if isinstance(node, ast.Attribute) and id(node) not in written]
    named += [name.rsplit(".", 1)[-1] for name in imported(source)]
    return [name for name in named if name in ENVIRONMENT_NAMES]


def test_rooms_import_only_along_the_arrows() -> None:
    sources = modules()
    assert any(path.startswith("fmp_models/") for path in sources)
    assert {path: names for path, source in sources.items() if (names := forbidden_imports(path, source))} == {}


def test_every_room_has_its_place_in_the_order() -> None:
    rooms = {room_of(path) for path in modules()} - {"demo", "annotate", "fmp_models"}
    assert rooms == {*ORDER}
    assert len(ORDER) == len(rooms)


def test_a_room_knows_only_rooms_that_stand_after_it() -> None:
    assert {path: names for path, source in modules().items() if (names := upward_imports(path, source))} == {}


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("fmp_models/geometry/measures.py", "from fmp_models.languages.reader import read_text"),
        ("fmp_models/geometry/measures.py", "def late():\n    from fmp_models import inference"),
        ("annotate/records.py", "import annotate.storage.store"),
        ("annotate/errors.py", "from annotate import identity"),
        ("annotate/kinds/vote.py", "from annotate.tabs.requests import PageServices"),
        ("demo/views/steps.py", "from demo.tabs.correct import correct_tab"),
        ("fmp_models/pose.py", "from fmp_models.errors import BadInputError\nimport fmp_models.geometry"),
        ("fmp_models/common/coded_errors.py", "from fmp_models.errors import BadInputError"),
    ],
)
def test_an_import_of_a_room_that_stands_before_is_found(path: str, source: str) -> None:
    assert upward_imports(path, source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("fmp_models/pose.py", "import demo"),
        ("fmp_models/pose.py", "def late():\n    from annotate.storage.store import Store"),
        ("annotate/kinds/vote.py", "import fmp_models.inference.corrector as p"),
        ("annotate/errors.py", "from fmp_models.errors import BadInputError"),
        ("annotate/errors.py", "from fmp_models import common, errors"),
        ("demo/shell.py", "from app import main"),
        ("demo/shell.py", "from tests.conftest import ROOT"),
        ("hub_cards/cards.py", "from fmp_models import pipelines"),
        ("demo/shell.py", "import hub_cards.pushing"),
        ("fmp_models/hub/publishing.py", "from hub_cards.cards import render"),
    ],
)
def test_an_import_against_the_arrows_is_found(path: str, source: str) -> None:
    assert forbidden_imports(path, source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("demo/shell.py", "from fmp_models.inference.corrector import Corrector\nimport annotate.kinds.vote"),
        ("fmp_models/describe/plan.py", "from ..pose import JOINTS\nfrom . import clauses\nimport numpy"),
        ("hub_cards/cards.py", "from fmp_models.hub import load\nfrom annotate.publishing import publisher"),
        ("demo/views/figures.py", "import demographics"),
        ("annotate/errors.py", "from fmp_models.common.coded_errors import CodedError"),
    ],
)
def test_an_import_along_the_arrows_is_not_found(path: str, source: str) -> None:
    assert forbidden_imports(path, source) == []


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
    rooms = {path.split("/", 1)[0] for path in modules()}
    assert rooms - set(checked) == set()
