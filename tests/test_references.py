"""Tests that names and files mentioned in docstrings, comments and documents exist.

Names are looked up in the source, nothing is imported. A dotted name may leave out its first packages:
``hub.references.resolve`` stands for ``fmp_models.hub.references.resolve``.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.test_rooms import ROOT

ROLE = re.compile(r":(?:class|mod|func|meth|data|attr|exc|const):`([^`]+)`")
LITERAL = re.compile(r"(?<!`)``([^`\s]+)``(?!`)")
CODE = re.compile(r"(?<!`)`([^`\s]+)`(?!`)")
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
CAPITALISED = re.compile(r"_?[A-Z]\w*[A-Za-z]\w*")
PATH = re.compile(r"(?<![\w/.:{-])(?:[\w.-]+/)+[\w.-]+\.(?:py|md|toml|html|js|css|svg|tsv)\b")
COMMENT = re.compile(r"(?:^|\s)#\s.*", re.MULTILINE)
SUFFIXES = "bvh|css|csv|html|jpg|js|json|jsonl|lock|md|npy|npz|parquet|png|py|svg|task|toml|tsv|txt|webp|xml|zip"
FILE = re.compile(rf".*\.(?:{SUFFIXES})")
SOURCES = ("app.py", "annotate", "demo", "fmp_models", "hub_cards", "tests")
ENVIRONMENT = frozenset({"HF_ENDPOINT", "PYTHONIOENCODING"})  # variables of other programs
PAGES = ("README.md", "CONTRIBUTING.md", "docs/*.md")


class Index:
    """Names that the source defines, and words that its code holds."""

    def __init__(self, trees: dict[str, ast.Module]) -> None:
        self.defined: set[str] = set()
        self.members: set[str] = set()
        self.derived: set[str] = set()  # classes with bases, which may inherit a member
        self.words: set[str] = set(vars(builtins))
        for path, tree in trees.items():
            module = Path(path).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
            self._define(module)
            self._read(tree, module)

    def resolves(self, name: str) -> bool:
        """Return whether a name is defined, inherited, a builtin or one of an installed package."""
        name = name.lstrip("~.").removesuffix("()")
        if name in self.defined or name in vars(builtins) or name.split(".")[0] in installed():
            return True
        owner, _, member = name.rpartition(".")
        if owner.rpartition(".")[2] in self.derived:
            return owner in self.defined and member in self.members
        # A variable and its attribute; a constant is one of a module or a class, which are known.
        return owner.islower() and owner.isidentifier() and {owner, member} <= self.members and not member.isupper()

    def mentions(self, name: str) -> bool:
        """Return whether the code holds a name; an environment variable of ours is a setting in lower case."""
        setting = name.removeprefix("FMP_").lower() if name.startswith("FMP_") else name
        return name in ENVIRONMENT or any(setting in names for names in (self.defined, self.members, self.words))

    def _define(self, name: str) -> None:
        parts = name.split(".")
        self.defined.update(".".join(parts[start:]) for start in range(len(parts)))
        self.members.add(parts[-1])

    def _read(self, node: ast.AST, scope: str) -> None:
        for inner in ast.iter_child_nodes(node):
            below = scope
            if isinstance(inner, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                below = f"{scope}.{inner.name}"
                self._define(below)
                if getattr(inner, "bases", None):
                    self.derived.add(inner.name)
            elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                self._define(f"{scope}.{inner.id}")
            elif isinstance(inner, ast.arg):
                self._define(f"{scope}.{inner.arg}")
            elif isinstance(inner, ast.alias):
                self._define(f"{scope}.{inner.asname or inner.name}")
            elif isinstance(inner, ast.Attribute):
                self.members.add(inner.attr)
            elif isinstance(inner, ast.Constant) and isinstance(inner.value, str) and "\n" not in inner.value:
                self.words.update(re.findall(r"\w+", inner.value))
            self._read(inner, below)


@cache
def installed() -> frozenset[str]:
    """Return the names of packages that can be imported, those of the project left out."""
    return (sys.stdlib_module_names | packages_distributions().keys()) - {Path(source).stem for source in SOURCES}


@cache
def sources() -> dict[str, str]:
    """Return the text of every module by its path from the root."""
    paths = [path for start in SOURCES for path in (ROOT / start, *(ROOT / start).rglob("*.py")) if path.is_file()]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


@cache
def trees() -> dict[str, ast.Module]:
    """Return the syntax tree of every module of the product by its path from the root."""
    return {path: ast.parse(source) for path, source in sources().items() if not path.startswith("tests/")}


@cache
def index() -> Index:
    """Return the index of the product and of the modules of its tests."""
    return Index({path: trees().get(path, ast.Module([], [])) for path in sources()})


@cache
def files() -> frozenset[str]:
    """Return every file of the project, from the root and from each of the folders above it."""
    starts = [ROOT / start for start in (*SOURCES, "docs", ".github", ".ci", *PAGES[:2])]
    paths = [path.relative_to(ROOT).parts for start in starts for path in (start, *start.rglob("*")) if path.is_file()]
    return frozenset("/".join(parts[start:]) for parts in paths for start in range(len(parts)))


def docstrings(tree: ast.Module) -> Iterator[str]:
    """Yield every docstring of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
            text := ast.get_docstring(node, clean=False)
        ):
            yield text


def unknown_names(text: str, known: Index) -> list[str]:
    """Return the names in a docstring that exist nowhere."""
    roles = [name for name in ROLE.findall(text) if not known.resolves(name)]
    literals = [name.removesuffix("()") for name in LITERAL.findall(text)]
    dotted = [
        name
        for name in literals
        if DOTTED.fullmatch(name) and not FILE.fullmatch(name) and not known.resolves(name) and name not in known.words
    ]
    bare = [name for name in literals if CAPITALISED.fullmatch(name) and not known.mentions(name)]
    return [*roles, *dotted, *bare]


def unknown_files(text: str) -> list[str]:
    """Return the paths in a text that lead to no file of the project; capitals stand for a name to be chosen."""
    return [
        path for path in PATH.findall(text) if not re.search(r"[A-Z]{4}", path) and path.lstrip("./") not in files()
    ]


def test_names_in_docstrings_and_comments_exist() -> None:
    texts = {path: [*docstrings(tree), *COMMENT.findall(sources()[path])] for path, tree in trees().items()}
    assert sum(map(len, texts.values())) > len(texts)
    unknown = {path: [name for text in read for name in unknown_names(text, index())] for path, read in texts.items()}
    assert {path: names for path, names in unknown.items() if names} == {}


def test_paths_in_docstrings_and_comments_exist() -> None:
    texts = {
        path: [*COMMENT.findall(source), *re.findall(r'"""(.*?)"""', source, re.DOTALL)]
        for path, source in sources().items()
    }
    assert texts
    unknown = {path: [file for text in read for file in unknown_files(text)] for path, read in texts.items()}
    assert {path: names for path, names in unknown.items() if names} == {}


@pytest.mark.parametrize("page", [path.relative_to(ROOT).as_posix() for page in PAGES for path in ROOT.glob(page)])
def test_names_and_paths_in_documents_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    dotted = [name for name in CODE.findall(text) if DOTTED.fullmatch(name) and not FILE.fullmatch(name)]
    # Capitals stand for a name that the contributor chooses.
    assert [name for name in dotted if not re.search(r"[A-Z]{4}", name) and not index().resolves(name)] == []
    assert unknown_files(text) == []


SHAPES = """
from enum import Enum

LIMIT = 3

class Colour(Enum):
    RED = "red"

class Box(Colour):
    width: int

    def area(self, scale):
        self.drawn = scale
        return "left_over"
"""


@pytest.fixture(scope="module")
def shapes() -> Index:
    """Return the index of a project of one module."""
    return Index({"room/shapes.py": ast.parse(SHAPES)})


@pytest.mark.parametrize(
    "text",
    [
        ":class:`Box`",
        ":meth:`~room.shapes.Box.area`",
        ":func:`Box.area()` and :mod:`room.shapes`",
        ":meth:`Box.drawn` of the instance and :class:`json.JSONDecoder` of an installed package",
        "``shapes.LIMIT``, ``LIMIT``, ``Colour.RED`` and ``Box.RED``",
        "``scale``, ``left_over``, ``KeyError``, ``config.json`` and ``any text at all``",
    ],
)
def test_a_name_that_exists_is_not_reported(text: str, shapes: Index) -> None:
    assert unknown_names(text, shapes) == []


@pytest.mark.parametrize(
    "name", ["Bax", "Box.volume", "room.shapes.MOST", "shapes.MOST", "room.colours", "shape.Box", "other.Box.area"]
)
def test_a_name_that_does_not_exist_is_reported(name: str, shapes: Index) -> None:
    assert unknown_names(f"Drawn by :class:`{name}`.", shapes) == [name]
    assert unknown_names(f"Drawn by ``{name}``.", shapes) == [name]


def test_a_path_that_leads_nowhere_is_reported() -> None:
    assert (
        unknown_files("see tests/test_rooms.py, languages/CODE/speech.toml, https://host/a/b.md, ./docs/space.md") == []
    )
    assert unknown_files("see docs/DESIGNS.md and `fmp_models/geometry/no_such_module.py`") == [
        "fmp_models/geometry/no_such_module.py"
    ]
    assert unknown_files("docs/nowhere.md") == ["docs/nowhere.md"]
