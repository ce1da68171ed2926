"""The reader over what people wrote: the released val-seen descriptions. Run with ``-s`` to see the figures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fmp_models.geometry.lexicon import Direction, Part, Side
from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_clauses
from tests.thoroughness import thorough

pytestmark = pytest.mark.real

_SENTENCE_END = re.compile(r"[.।\n]|\s{2,}")


@thorough
@pytest.mark.parametrize(("language", "key", "least"), [("en", "sents", 0.88), ("hi", "sents_hindi", 0.85)])
def test_most_human_sentences_yield_a_clause(shared: Path, language: str, key: str, least: float) -> None:
    entries = json.loads((shared / "data" / "fixmypose" / "valid_seen_NC.json").read_text(encoding="utf-8"))
    descriptions = [text for entry in entries for text in entry[key] if text.strip()]
    sentences = [part for text in descriptions for part in _SENTENCE_END.split(text) if len(part.split()) > 1]
    words = grammar(language)
    read_sentences = sum(bool(read_clauses(sentence, words)) for sentence in sentences)
    read_descriptions = sum(bool(read_clauses(text, words)) for text in descriptions)
    print(  # noqa: T201 - the figure is the result
        f"\n{language}: {read_sentences} of {len(sentences)} sentences ({read_sentences / len(sentences):.1%}) and "
        f"{read_descriptions} of {len(descriptions)} descriptions ({read_descriptions / len(descriptions):.1%}) "
        "yield at least one clause"
    )
    assert read_sentences / len(sentences) >= least


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "en",
            (
                "rotate your torso to the right. turn your head to the right. lift your left hand to the level of your "
                "face with the fingers directed upward and palm forward. lower your right hand and point it at the "
                "left hand."
            ),
            [
                (Side.NONE, Part.TRUNK, Direction.TURN_RIGHT),
                (Side.NONE, Part.HEAD, Direction.TURN_RIGHT),
                (Side.LEFT, Part.HAND, Direction.UP),
                (Side.RIGHT, Part.HAND, Direction.DOWN),
            ],
        ),
        (
            "en",
            (
                "slide your left foot slightly forwards and to the left. bring your hands in so that they are right "
                "over your shoulders with your elbows out and down. twist your torso slightly to the left."
            ),
            [
                (Side.LEFT, Part.FOOT, Direction.FORWARD),
                (Side.LEFT, Part.FOOT, Direction.OUT),
                (Side.NONE, Part.TRUNK, Direction.TURN_LEFT),
            ],
        ),
        (
            "hi",
            "अपने धड़ को बाईं ओर थोड़ा मोड़ें। अपने बाएं घुटने को मोड़ें। अपनी बाईं बांह को ऊपर लाएँ।",
            [
                (Side.NONE, Part.TRUNK, Direction.TURN_LEFT),
                (Side.LEFT, Part.KNEE, Direction.BEND),
                (Side.LEFT, Part.ARM, Direction.UP),
            ],
        ),
        ("hi", "अपने दोनों पैरों को सीधा करें।", [(Side.BOTH, Part.KNEE, Direction.STRAIGHTEN)]),
    ],
)
def test_human_sentences_are_read_as_meant(
    language: str, text: str, expected: list[tuple[Side, Part, Direction]]
) -> None:
    clauses = {(e.goal.side, e.goal.part, e.goal.direction) for e in read_clauses(text, grammar(language))}
    assert {*expected} - clauses == set()
