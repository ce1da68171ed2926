from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
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


def test_no_version_of_requests_that_sends_passwords_elsewhere_is_admitted() -> None:
    requests = declared("requirements.txt")["requests"]

    assert "2.32.3" not in requests.specifier  # CVE-2024-47081
    assert "2.32.4" in requests.specifier
