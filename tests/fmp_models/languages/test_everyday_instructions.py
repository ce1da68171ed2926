"""What people at home, teachers of yoga and physiotherapists say, against what they mean. Run with ``-s`` for figures.

``everyday_instructions.json`` has, for each instruction, the clauses that somebody wrote down before the reader had
read any of them, in the words of ``tests.asked_clauses``; Hindi may be in Latin letters. The reader was mended by what
it did with the ``first`` to the ``sixth`` sample; of the ``fresh`` one nothing was mended.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fmp_models.geometry.lexicon import Plan
from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_plan
from fmp_models.languages.scripts import transliterated
from tests.asked_clauses import Tally

_ASKED = json.loads(Path(__file__).with_name("everyday_instructions.json").read_text(encoding="utf-8"))


def as_typed(text: str, code: str) -> Plan:
    """Return the parsed clauses, for either script."""
    written_code, written = (transliterated(text) if code == "hi" and text.isascii() else None) or (code, text)
    assert written_code == code
    return read_plan(written, grammar(code))


@pytest.mark.parametrize(
    ("code", "sample", "bounds"),  # least right, most opposite, least found
    [
        ("en", "first", (0.97, 0.01, 0.97)),
        ("en", "second", (0.91, 0.02, 0.93)),
        ("en", "third", (0.96, 0.01, 0.96)),
        ("en", "fourth", (0.97, 0.01, 0.96)),
        ("en", "fifth", (0.93, 0.01, 0.88)),
        ("en", "sixth", (0.90, 0.01, 0.84)),
        ("en", "fresh", (0.87, 0.02, 0.66)),
        ("hi", "first", (0.97, 0.01, 0.97)),
        ("hi", "second", (0.96, 0.01, 0.96)),
        ("hi", "third", (0.97, 0.01, 0.97)),
        ("hi", "fourth", (0.95, 0.01, 0.94)),
        ("hi", "fifth", (0.94, 0.01, 0.90)),
        ("hi", "sixth", (0.98, 0.01, 0.69)),
        ("hi", "fresh", (0.90, 0.06, 0.62)),
    ],
)
def test_everyday_instructions_are_read_as_meant(code: str, sample: str, bounds: tuple[float, float, float]) -> None:
    instructions = _ASKED[code][sample]

    tally = Tally.of([(as_typed(text, code), meant) for text, meant in instructions.items()])

    print(f"\n{code}, {sample} sample of {len(instructions)} instructions: {tally}")  # noqa: T201 - the figures
    right, opposite, found = bounds
    assert tally.precision >= right
    assert tally.opposite <= opposite
    assert tally.recall >= found
