from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.imports import imports

ROOT = Path(__file__).resolve().parents[1]
OWN = frozenset({"annotate", "app", "demo", "fmp_models", "hub_cards", "tests"})
# What the app never imports: the simulator and what draws with it, training, tests.
BESIDE_THE_APP = (
    "demo/examples/render.py",
    "demo/examples/studio.py",
    "fmp_models/sim/",
    "fmp_models/training/",
    "tests/",
)


def declared(name: str) -> dict[str, Requirement]:
    """Give the requirements of one file by the names of their packages."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    requirements = [Requirement(line) for line in lines if line and not line.startswith(("#", "-"))]
    return {canonicalize_name(one.name): one for one in requirements}


def foreign(source: str) -> Iterator[str]:
    """Name the modules of others that a module imports, wherever in it the statement stands."""
    for node in imports(source):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            names = [] if node.level else [node.module or ""]
        yield from {name.split(".")[0] for name in names} - OWN - sys.stdlib_module_names


def imported(*, by_the_app: bool) -> dict[str, set[str]]:
    """Give the packages that hold what is imported, by the import's name; one that lacks here is its own."""
    packages = packages_distributions()
    paths = [ROOT / "app.py", *(path for room in sorted(OWN - {"app"}) for path in (ROOT / room).rglob("*.py"))]
    names = {
        name
        for path in paths
        if path.relative_to(ROOT).as_posix().startswith(BESIDE_THE_APP) is not by_the_app
        for name in foreign(path.read_text(encoding="utf-8"))
    }
    return {name: {canonicalize_name(one) for one in packages.get(name, [name])} for name in names}


@pytest.mark.parametrize(
    ("by_the_app", "files"), [(True, ["requirements.txt"]), (False, ["requirements.txt", "requirements-dev.txt"])]
)
def test_whatever_is_imported_is_declared(by_the_app: bool, files: list[str]) -> None:  # noqa: FBT001
    asked = imported(by_the_app=by_the_app)
    assert {"numpy", "PIL"} <= asked.keys()
    there = {name for file in files for name in declared(file)}
    assert sorted(name for name, packages in asked.items() if not packages & there) == []


def test_an_import_is_found_wherever_it_stands() -> None:
    source = "import os\nimport warp as w\nfrom . import own\ndef late():\n    from torch.nn import Linear\nimport demo"
    assert sorted(foreign(source)) == ["torch", "warp"]


@pytest.mark.parametrize(
    ("name", "open_to_attack", "mended"),
    [
        ("fastapi", "0.109.0", "0.109.1"),  # CVE-2024-24762
        ("jinja2", "3.1.5", "3.1.6"),  # CVE-2025-27516
        ("mcp", "1.28.0", "1.28.1"),  # CVE-2026-59950
        ("requests", "2.32.3", "2.32.4"),  # CVE-2024-47081
        ("starlette", "1.3.0", "1.3.1"),  # CVE-2026-54283
    ],
)
def test_no_version_that_is_open_to_a_known_attack_is_admitted(name: str, open_to_attack: str, mended: str) -> None:
    specifier = declared("requirements.txt")[name].specifier
    assert (open_to_attack in specifier, mended in specifier) == (False, True)
    assert version(name) in specifier


def test_an_environment_begins_with_a_pip_that_is_open_to_no_known_attack() -> None:
    script = (ROOT / ".ci" / "make-venv").read_text(encoding="utf-8")
    pip = Requirement(re.findall(r"'(pip\W[^']+)'", script)[0])
    assert script.index(str(pip)) < script.index('"${arguments[@]}"')
    # CVE-2023-5752, CVE-2025-8869, CVE-2026-1703 and CVE-2026-3219
    assert {one for one in ("23.2.1", "25.2", "25.3", "26.0.1", "26.1") if one in pip.specifier} == {"26.1"}
