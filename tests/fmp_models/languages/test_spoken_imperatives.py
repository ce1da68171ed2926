"""What people at home and trainers ask for in spoken Hindi, in both scripts. Run with ``-s`` for the figures.

``spoken_imperatives.json`` has sixty phrases with the clauses they mean, in the words of ``tests.asked_clauses``. All
were written before the tables of the reader were read, and the ``held`` half was used for the figure alone.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.asked_clauses import Tally
from tests.fmp_models.languages.test_everyday_instructions import as_typed

_PHRASES = json.loads(Path(__file__).with_name("spoken_imperatives.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("script", "half", "bounds"),  # least right, least found
    [
        ("latin", "worked_on", (0.0, 0.0)),
        ("latin", "held", (0.0, 0.0)),
        ("devanagari", "worked_on", (0.0, 0.0)),
        ("devanagari", "held", (0.0, 0.0)),
    ],
)
def test_spoken_imperatives_are_read_as_meant(script: str, half: str, bounds: tuple[float, float]) -> None:
    phrases = _PHRASES[script][half]

    tally = Tally.of([(as_typed(text, "hi"), meant) for text, meant in phrases.items()])

    print(f"\n{script}, {half} half of {len(phrases)} phrases: {tally}")  # noqa: T201 - the figures
    assert tally.precision >= bounds[0]
    assert tally.recall >= bounds[1]
    assert tally.opposite == 0
