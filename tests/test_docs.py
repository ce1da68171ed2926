"""docs/architecture.md names every room and every module with its first line as it stands."""

from __future__ import annotations

import re

import pytest

from tests.module_list import MARK, PAGE, first_line, module_list, renewed
from tests.test_rooms import ORDER, ROOT, modules

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## ([^\n]+)\n\n(.*?)(?=^## |\Z)", CONTRIBUTING, re.MULTILINE | re.DOTALL))
LONGEST_RECIPE = 10  # lines


def test_every_module_is_listed_in_its_room_with_its_first_line() -> None:
    listed = PAGE.read_text(encoding="utf-8").partition(MARK)[2].strip().splitlines()
    there = module_list().strip().splitlines()
    assert listed == there, "renew docs/architecture.md with `make docs`: it lacks, or has otherwise,\n" + "\n".join(
        line for line in there if line not in listed
    )


def test_the_list_holds_every_module_once() -> None:
    entries = [line for line in module_list().splitlines() if line]
    assert len(entries) == len(modules())


def test_every_module_says_in_one_line_what_it_is() -> None:
    assert {path for path, source in modules().items() if not first_line(source).endswith(".")} == set()


def test_a_page_without_the_mark_is_not_written_over() -> None:
    with pytest.raises(ValueError, match="lacks the line"):
        renewed("# Architecture\n")


def test_what_stands_above_the_list_stays() -> None:
    assert renewed(f"# Above\n\n{MARK}old\n").startswith(f"# Above\n\n{MARK}\n**`app`** ")


def test_the_picture_names_every_room() -> None:
    picture = (ROOT / "docs" / "rooms.svg").read_text(encoding="utf-8")
    shown = set(re.findall(r"\w+", " ".join(re.findall(r"<text[^>]*>([^<]+)</text>", picture))))
    names = {part for room in ORDER for part in room.split(".")[:2] if part != "__main__"}
    assert names - shown == set()


@pytest.mark.parametrize("added", ["A language", "A task for annotators", "A model", "A metric", "A refusal"])
def test_a_recipe_is_short_and_names_files_that_are_there(added: str) -> None:
    named = re.findall(r"`((?:annotate|demo|fmp_models|hub_cards|tests)/[^`\s]+)`", RECIPES[added])
    assert named
    # What is yet to be made stands in capitals: CODE, NAME.
    assert [path for path in named if not re.search(r"[A-Z]{4}", path) and not (ROOT / path).exists()] == []
    assert len(RECIPES[added].strip().splitlines()) <= LONGEST_RECIPE


def test_a_recipe_names_what_the_files_hold() -> None:
    sources = "\n".join(modules().values())
    quoted = re.findall(
        r"`(_?[A-Z]{4,}[A-Z_]*|[A-Z][a-z]+[A-Z]\w+|_[a-z]+|load_\w+|as_answer)`", "\n".join(RECIPES.values())
    )
    assert quoted
    assert [name for name in quoted if not re.search(rf"\b{name}\b", sources)] == []
