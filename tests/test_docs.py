"""Tests of what ``docs/architecture.md`` and the recipes of ``CONTRIBUTING.md`` name."""

from __future__ import annotations

import ast
import re

import pytest

from tests.test_rooms import ROOT, modules

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## ([^\n]+)\n\n(.*?)(?=^## |\Z)", CONTRIBUTING, re.MULTILINE | re.DOTALL))


def test_every_module_has_a_docstring_that_starts_with_one_sentence() -> None:
    first_lines = {
        path: (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0] for path, source in modules().items()
    }
    assert {path: line for path, line in first_lines.items() if not line.endswith(".")} == {}


def test_the_picture_names_every_room() -> None:
    picture = (ROOT / "docs" / "rooms.svg").read_text(encoding="utf-8")
    shown = set(re.findall(r"\w+", " ".join(re.findall(r"<text[^>]*>([^<]+)</text>", picture))))
    names = {part for path in modules() for part in path.split("/")[:-1][:2]}
    assert names - shown == set()


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_names_files_that_exist(recipe: str) -> None:
    named = re.findall(r"`((?:annotate|demo|fmp_models|hub_cards|tests|docs)/[^`\s]+)`", RECIPES[recipe])
    assert named
    # Capitals stand for a name that the contributor chooses: CODE, NAME.
    assert [path for path in named if not re.search(r"[A-Z]{4}", path) and not (ROOT / path).exists()] == []


def test_a_recipe_names_what_the_files_hold() -> None:
    sources = "\n".join(modules().values())
    quoted = re.findall(
        r"`(_?[A-Z]{4,}[A-Z_]*|[A-Z][a-z]+[A-Z]\w+|_[a-z]+|load_\w+|as_answer)`", "\n".join(RECIPES.values())
    )
    assert quoted
    assert [name for name in quoted if not re.search(rf"\b{name}\b", sources)] == []
