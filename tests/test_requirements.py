from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.imports import imports

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OWN = frozenset({"annotate", "app", "demo", "fmp_models", "hub_cards", "tests"})
# The extra whose packages the code in a folder may import, besides those of the core; the longest path decides.
EXTRAS = {
    "app.py": "app",
    "annotate/": "annotate",
    "annotate/storage/database.py": "postgres",
    "annotate/tabs/": "app",
    "demo/": "app",
    "demo/examples/render.py": "sim",
    "fmp_models/": "",
    "fmp_models/evaluation/": "evaluate",
    "fmp_models/sim/": "sim",
    "fmp_models/training/": "train",
    "fmp_models/workers.py": "cluster",
    "hub_cards/": "app",
    "tests/": "dev",
}


def requirements(lines: Iterable[str]) -> dict[str, Requirement]:
    """Return the requirements by the names of their packages."""
    return {canonicalize_name(one.name): one for one in map(Requirement, lines)}


def declared(name: str) -> dict[str, Requirement]:
    """Return the requirements of one file by the names of their packages."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return requirements(line for line in lines if line and not line.startswith(("#", "-")))


def of_extras(*extras: str) -> dict[str, Requirement]:
    """Return the requirements of the core and of some extras, with the extras that they name."""
    found = requirements(PROJECT["dependencies"])
    for extra in filter(None, extras):
        own = requirements(PROJECT["optional-dependencies"][extra])
        named = own.pop(PROJECT["name"], None)
        found |= own | (of_extras(*named.extras) if named else {})
    return found


def foreign(source: str) -> Iterator[str]:
    """Name the modules of others that a module imports, wherever in it the statement stands."""
    for node in imports(source):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            names = [] if node.level else [node.module or ""]
        yield from {name.split(".")[0] for name in names} - OWN - sys.stdlib_module_names


@cache
def imported() -> dict[str, dict[str, frozenset[str]]]:
    """Return by extra what its folders import: the import's name, and the packages that may hold it."""
    packages = packages_distributions()
    found: dict[str, dict[str, frozenset[str]]] = {extra: {} for extra in EXTRAS.values()}
    for path in [ROOT / "app.py", *(path for room in sorted(OWN - {"app"}) for path in (ROOT / room).rglob("*.py"))]:
        place = path.relative_to(ROOT).as_posix()
        extra = EXTRAS[max((start for start in EXTRAS if place.startswith(start)), key=len)]
        for name in foreign(path.read_text(encoding="utf-8")):
            found[extra][name] = frozenset(map(canonicalize_name, packages.get(name, [name])))
    return found


@pytest.mark.parametrize("extra", sorted(set(EXTRAS.values())))
def test_whatever_is_imported_is_declared_by_the_core_or_the_extra(extra: str) -> None:
    asked = imported()[extra]
    assert asked
    there = of_extras(extra).keys()
    assert sorted(name for name, packages in asked.items() if not packages & there) == []


def test_the_requirement_files_and_the_extras_agree() -> None:
    app = of_extras("app", "annotate", "postgres")
    everything = of_extras(*PROJECT["optional-dependencies"])
    assert declared("requirements.txt") == app
    assert declared("requirements-dev.txt") == {name: one for name, one in everything.items() if name not in app}


def locked() -> list[Requirement]:
    """Return the pins of the lock, some of them for one version of Python or one system."""
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return [Requirement(line.rstrip("\\ ")) for line in lines if line[:1].isalnum()]


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_the_lock_pins_what_the_requirement_files_admit(name: str) -> None:
    asked = declared(name)
    pins = [pin for pin in locked() if canonicalize_name(pin.name) in asked]
    assert {canonicalize_name(pin.name) for pin in pins} == asked.keys(), "run `make lock`"
    stale = [
        pin for pin in pins if next(iter(pin.specifier)).version not in asked[canonicalize_name(pin.name)].specifier
    ]
    assert list(map(str, stale)) == [], "run `make lock`"


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("python", ["3.11", "3.12"])
def test_the_lock_names_each_package_once_for_a_system(system: str, python: str) -> None:
    place = {"sys_platform": system, "python_version": python, "python_full_version": f"{python}.9"}
    names = [pin.name for pin in locked() if pin.marker is None or pin.marker.evaluate(place)]
    assert {"gradio", "numpy", "torch"} <= set(names)
    assert len(names) == len(set(names))


def test_the_lock_names_hashes_and_neither_an_index_nor_a_path() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    packages = len(locked())
    assert packages > 100
    assert sum(line.endswith(" \\") and line[:1].isalnum() for line in lines) == packages
    other = [line for line in lines if not re.fullmatch(r"\w.*==.*\\|    --hash=sha256:[0-9a-f]{64}( \\)?|#.*", line)]
    assert other == []
    assert not any("://" in line or line.startswith("#    /") for line in lines)


def test_commits_are_checked_by_the_ruff_of_the_requirements() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    asked = str(declared("requirements-dev.txt")["ruff"])
    assert [hook["additional_dependencies"] for hook in hooks if hook["id"].startswith("ruff")] == [[asked], [asked]]


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
