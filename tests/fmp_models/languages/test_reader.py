"""Pieces of a text that ask for something but give no clause are named."""

from __future__ import annotations

import pytest

from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import find_unparsed, read_clauses


def unread(text: str, language: str) -> list[str]:
    words = grammar(language)
    return [text[slice(*span)] for span in find_unparsed(text, words, read_clauses(text, words))]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Great job! Now raise your left arm. Keep breathing and hold this pose for three seconds.", "en"),
        ("If you can, bend your knees, and relax. Well done.", "en"),
        ("बहुत अच्छा! बायां हाथ ऊपर उठाएं। सांस लेते रहें। इसी मुद्रा में रहें।", "hi"),
        ("Raise your left arm. There is nothing else to change.", "en"),
        ("Raise your left arm. You're almost there. You are doing great.", "en"),
        ("बायां हाथ उठाएं। चिंता न करें। धीरे-धीरे करें, आराम से खड़े रहें।", "hi"),
    ],
)
def test_what_is_said_beside_instructions_is_not_reproached(text: str, language: str) -> None:
    assert unread(text, language) == []


@pytest.mark.parametrize(("text", "language"), [("Great job!", "en"), ("शाबाश।", "hi")])
def test_where_nothing_else_is_said_it_is_what_was_passed_over(text: str, language: str) -> None:
    assert unread(text, language) == [text[:-1]]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Raise your left arm and wiggle your fingers.", []),
        ("Raise your left arm. Jump about! Great.", ["Jump about"]),
        ("Raise your left arm. Relax your shoulders.", ["Relax your shoulders"]),
        ("Raise your left arm. You are now too low.", ["You are now too low"]),
        (
            "Raise your left arm. You're doing great but puff out your cheeks.",
            ["You're doing great but puff out your cheeks"],
        ),
        ("Raise your left arm, try not to lean forward.", ["try not to lean forward"]),
        ("Raise your left arm. There is no need to bend your knees.", ["There is no need to bend your knees"]),
    ],
)
def test_what_is_asked_for_and_not_read_is_passed_over(text: str, left: list[str]) -> None:
    assert unread(text, "en") == left
