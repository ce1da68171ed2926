"""What the reader makes of people's descriptions, against what a person reads in them. Run with ``-s`` for the figures.

``clauses_of_descriptions.json`` has, by pair and number of its description, the clauses that somebody wrote down before
the reader had read it. The reader was mended by what it did with the ``first`` and the ``second`` sample; of the
``fresh`` one nothing was mended.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_plan
from tests.asked_clauses import Tally

pytestmark = pytest.mark.real

_ASKED = json.loads((Path(__file__).parent / "clauses_of_descriptions.json").read_text(encoding="utf-8"))


_KEYS = {"en": "sents", "hi": "sents_hindi"}


@pytest.mark.parametrize(
    ("code", "sample", "bounds"),  # least right, most opposite, least found
    [
        ("en", "first", (0.93, 0.01, 0.89)),
        ("en", "second", (0.93, 0.01, 0.87)),
        ("en", "fresh", (0.95, 0.02, 0.87)),
        ("hi", "first", (0.95, 0.01, 0.90)),
        ("hi", "second", (0.95, 0.01, 0.91)),
        ("hi", "fresh", (0.93, 0.02, 0.88)),
    ],
)
def test_what_is_read_is_what_was_asked_for(
    shared: Path, code: str, sample: str, bounds: tuple[float, float, float]
) -> None:
    entries = json.loads((shared / "data" / "fixmypose" / "valid_seen_NC.json").read_text(encoding="utf-8"))
    texts = {f"{entry['uid']} {i}": text for entry in entries for i, text in enumerate(entry[_KEYS[code]])}
    asked = _ASKED[code][sample]

    tally = Tally.of([(read_plan(texts[name], grammar(code)), written) for name, written in asked.items()])

    print(f"\n{code}, {sample} sample of {len(asked)} descriptions: {tally}")  # noqa: T201 - the figures are the result
    right, opposite, least_recall = bounds
    assert tally.precision >= right
    assert tally.opposite <= opposite
    assert tally.recall >= least_recall
