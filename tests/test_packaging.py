"""The wheel: what it holds, and what it does where nothing but its core is installed.

An environment made anew takes minutes, so the quick tests take the packages of the other extras away from this one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email.parser import Parser
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import fmp_models
from tests.test_requirements import PROJECT, of_extras

ROOT = Path(__file__).resolve().parents[1]
PICTURES = [str(ROOT / "demo" / "examples" / f"squat_{which}.jpg") for which in ("current", "target")]
# Begins a program for which the packages ``closed`` are not installed and the wheel lies in ``place``.
WITHOUT = """\
import sys
from importlib.machinery import PathFinder
class Open(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {closed!r} else super().find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(PathFinder)] = Open
sys.path.insert(0, {place!r})
"""
COMMAND = """\
from importlib.metadata import entry_points
(command,) = entry_points(group="console_scripts", name="fixmypose")
sys.exit(command.load()())
"""
THREE_LINES = """\
from fmp_models import Corrector
corrector = Corrector.from_pretrained()
print(corrector({0!r}, {1!r}, language="hi"))
"""


@dataclass(frozen=True)
class Environment:
    """A place where the wheel is installed: how a program of Python begins there, and how the command does."""

    python: tuple[str, ...]
    beginning: str
    command: tuple[str, ...]

    def run(self, program: str) -> subprocess.CompletedProcess[str]:
        """Run a program."""
        return _ended([*self.python, self.beginning + program])

    def fixmypose(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command."""
        return _ended([*self.command, *arguments])


def _ended(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "FMP_POSE_MODEL": os.environ.get("TESTS_POSE_MODEL", "")}
    environment.pop("PYTHONPATH", None)
    return subprocess.run(
        command, cwd=Path(ROOT.anchor), env=environment, capture_output=True, encoding="utf-8", check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*pip, "--target", folder, wheel], check=True, capture_output=True)
    return folder


def with_what_they_need(names: Iterable[str]) -> set[str]:
    """Return the packages with all that they require here, one through another."""
    found: set[str] = set()
    waiting = [Requirement(name) for name in names]
    while waiting:
        asked = waiting.pop()
        name = canonicalize_name(asked.name)
        if name in found:
            continue
        found.add(name)
        try:
            needed = map(Requirement, requires(name) or [])
        except PackageNotFoundError:  # of another system
            continue
        extras = asked.extras or {""}
        waiting += [
            one
            for one in needed
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras)
        ]
    return found


def without_extras(place: Path, *kept: str) -> Environment:
    """Return this environment without what neither the core nor the extras ``kept`` require."""
    there = with_what_they_need(map(str, of_extras(*kept).values()))
    closed = sorted(
        name
        for name, packages in packages_distributions().items()
        if not name.startswith("_") and not {canonicalize_name(one) for one in packages} & there
    )
    beginning = WITHOUT.format(closed=set(closed), place=str(place))
    python = (sys.executable, "-I", "-c")
    return Environment(python, beginning, (*python, beginning + COMMAND))


def empty(wheel: Path, folder: Path) -> Environment:
    """Return a new environment with the wheel in it, its packages out of the package index."""
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([scripts / "python", "-m", "pip", "install", "--quiet", wheel], check=True)
    return Environment((str(scripts / "python"), "-I", "-c"), "import sys\n", (str(scripts / "fixmypose"),))


@pytest.fixture(scope="module", params=["core", pytest.param("empty", marks=pytest.mark.long)])
def installed(
    request: pytest.FixtureRequest, wheel: Path, unpacked: Path, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    return without_extras(unpacked) if request.param == "core" else empty(wheel, tmp_path_factory.mktemp("venv"))


def test_the_wheel_holds_both_packages_with_all_their_files_and_nothing_else(wheel: Path) -> None:
    git = shutil.which("git")
    assert git
    listed = subprocess.run(
        [
            git,
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            "annotate",
            "fmp_models",
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout.split("\0")
    files = {name for name in listed if name and (ROOT / name).is_file()}
    assert {"annotate/py.typed", "fmp_models/py.typed", "fmp_models/languages/hi/grammar.toml"} <= files
    assert sum(name.endswith(".safetensors") for name in files) > 5
    with zipfile.ZipFile(wheel) as archive:
        assert {name for name in archive.namelist() if ".dist-info/" not in name} == files


def test_the_wheel_says_what_the_project_says(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        told = Parser().parsestr(archive.read(name).decode("utf-8"))
    assert (told["Name"], told["Version"], told["License-Expression"]) == ("fixmypose", fmp_models.__version__, "MIT")
    assert sorted(told.get_all("Provides-Extra", [])) == sorted(PROJECT["optional-dependencies"])


def test_the_citation_and_the_changelog_name_the_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == fmp_models.__version__
    assert f"## [{fmp_models.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_packages_of_the_other_extras_are_away(installed: Environment) -> None:
    ended = installed.run("import fmp_models, numpy\nprint(fmp_models.__file__)\nimport gradio\n")
    assert str(ROOT) not in ended.stdout
    assert ended.stdout.strip().endswith("__init__.py")
    assert "No module named 'gradio'" in ended.stderr


def test_the_command_corrects_two_photographs(installed: Environment) -> None:
    ended = installed.fixmypose("correct", *PICTURES)
    assert ended.returncode == 0, ended.stderr
    assert len(ended.stdout.split()) > 3


def test_three_lines_of_python_correct_two_photographs(installed: Environment) -> None:
    ended = installed.run(THREE_LINES.format(*PICTURES))
    assert ended.returncode == 0, ended.stderr
    assert any("\u0900" <= letter <= "\u097f" for letter in ended.stdout)


def test_the_command_finds_the_photograph_that_a_text_means(installed: Environment) -> None:
    other = str(ROOT / "demo" / "examples" / "warrior_target.jpg")
    ended = installed.fixmypose("retrieve", PICTURES[0], "bend your knees", other, PICTURES[1])
    assert ended.returncode == 0, ended.stderr
    assert PICTURES[1] in ended.stdout.splitlines()[0]


def test_the_command_scores_corrections(installed: Environment, tmp_path: Path) -> None:
    for name, content in {"said": {"1": "bend your knees"}, "meant": {"1": ["bend both knees"]}}.items():
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    ended = installed.fixmypose("score", str(tmp_path / "said"), str(tmp_path / "meant"), "--language", "en")
    assert ended.returncode == 0, ended.stderr
    assert "BLEU-4" in ended.stdout


def test_a_store_is_read_without_the_app_and_without_the_driver_of_postgresql(unpacked: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "store.sqlite3")
    program = f"""\
from annotate.__main__ import main
from annotate.storage.store import open_store
open_store({store!r}).close()
sys.exit(main(["export", "--store", {store!r}, "--help"]))
"""
    ended = without_extras(unpacked, "annotate").run(program)
    assert ended.returncode == 0, ended.stderr
    assert "usage: " in ended.stdout
