"""Shapes in people's descriptions: what stands in a room, and what a text compares with, is no pose."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from fmp_models.languages.language_data import grammar
from fmp_models.languages.shapes import shapes_in

pytestmark = pytest.mark.real

# Names of poses that are things too; nobody asks for one of them in the released descriptions.
THINGS = {"tree", "chair", "boat", "bridge", "star", "triangle", "cobra", "camel", "standing", "goddess", "plank"}


@pytest.mark.parametrize(
    ("code", "key", "things", "bounds"),
    [("en", "sents", set(), (100, 190)), ("hi", "sents_hindi", {"plank"}, (25, 100))],  # "पुशअप स्थिति में"
)
def test_things_of_a_room_are_no_shapes(
    shared: Path, code: str, key: str, things: set[str], bounds: tuple[int, int]
) -> None:
    entries = json.loads((shared / "data" / "fixmypose" / "valid_seen_NC.json").read_text(encoding="utf-8"))
    texts = [text for entry in entries for text in entry[key]]

    named = Counter(shape.shape.name for text in texts for shape, _, _ in shapes_in(text, grammar(code)))

    print(f"\n{code}: {named.total()} shapes in {len(texts)} descriptions: {named.most_common()}")  # noqa: T201
    assert THINGS & named.keys() == things
    assert bounds[0] <= named.total() <= bounds[1]
