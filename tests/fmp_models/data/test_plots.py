"""Plots of the card: any word and any number of rooms can be drawn."""

from __future__ import annotations

import io
from collections import Counter

import numpy as np

from fmp_models.data import plots
from fmp_models.data.statistics import Statistics


def of_numbers(count: int) -> Statistics:
    """Pairs of so many characters, rooms and animations, and nothing else known."""
    numbers = Counter(range(count))
    return Statistics(count, np.zeros((0, 3)), {}, numbers, numbers, numbers)


def test_a_word_of_a_million_letters_is_shown_by_its_beginning() -> None:
    figure = plots._common_words([("x" * 1_000_000, 2), ("knee", 1)], "en")
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [f"{'x' * 29}…", "knee"]


def test_dollars_in_a_word_are_no_formula() -> None:
    figure = plots._common_words([("a$^$b", 1)], "en")
    figure.savefig(io.BytesIO())
    assert figure.axes[0].get_yticklabels()[0].get_text() == "a$^$b"


def test_the_balance_of_thousands_of_rooms_shows_the_first_and_says_so() -> None:
    figure = plots._balance({"train": of_numbers(3_000), "val_seen": of_numbers(20)})
    assert [len(axes.patches) for axes in figure.axes] == [200, 200, 200]
    assert figure.axes[1].get_xlabel() == "room, the first 100 of 3,000"


def test_the_balance_of_a_release_shows_all() -> None:
    figure = plots._balance({"train": of_numbers(25)})
    assert [len(axes.patches) for axes in figure.axes] == [25, 25, 25]
    assert figure.axes[1].get_xlabel() == "room"
