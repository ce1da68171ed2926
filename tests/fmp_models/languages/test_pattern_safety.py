"""Patterns of the languages take no longer than their text is long: no repeated words can be split in two ways."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fmp_models.languages

FILES = sorted(Path(fmp_models.languages.__file__).parent.glob("*/*.toml"))
REPEATED = re.compile(r"\((?:\?:)?([^()]*\|[^()]*)\)[*+]")  # groups of plain alternatives


def made_of(word: str, parts: list[str]) -> bool:
    """Whether a word is two or more parts in a row, or one that stands there twice."""
    return any(
        word.startswith(part) and (word[len(part) :] in parts or made_of(word[len(part) :], parts))
        for part in parts
        if part and part != word
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_no_alternative_of_a_repeated_group_is_made_of_others(file: Path) -> None:
    groups = [group.split("|") for group in REPEATED.findall(file.read_text(encoding="utf-8"))]
    assert [(one, parts) for parts in groups for one in parts if made_of(one, parts) or parts.count(one) > 1] == []


def test_the_check_finds_what_takes_exponential_time() -> None:
    (group,) = REPEATED.findall("(?:reach (?:to |for |reach |reach for )*it)")
    assert [one for one in group.split("|") if made_of(one, group.split("|"))] == ["reach for "]
