"""Shapes as trainers and people at home name them: shapes/ has a table a language, Hindi in Latin letters too.

A line has a text and the shapes that it names, as "squat warrior:left"; none where it names no shape.
"""

import string

import pytest

from fmp_models.geometry.lexicon import Side
from fmp_models.geometry.shapes import SHAPES_BY_NAME
from fmp_models.languages.language_data import LANGUAGES, fill_blanks, grammar, speech_words
from fmp_models.languages.reader import ReadShape, read_text
from fmp_models.languages.scripts import transliterated
from tests.fmp_models.languages.tables import table_lines


def shapes_in(code: str, text: str) -> str:
    """Return the shapes that a text names, as the tables have them."""
    written = transliterated(text) if code == "hi" else None
    read = read_text(text if written is None else written[1], grammar(code))
    return " ".join(
        shape.goal.shape.name + (f":{shape.goal.side}" if shape.goal.side in {"left", "right"} else "")
        for shape in read.shapes
    )


@pytest.mark.parametrize(("code", "text", "expected"), table_lines("shapes", "text", "shapes"))
def test_shapes_are_read_as_people_name_them(code: str, text: str, expected: str) -> None:
    assert shapes_in(code, text) == expected


SAID = [
    (code, name, side)
    for code in LANGUAGES
    for name in speech_words(code).shapes
    for side in SHAPES_BY_NAME[name].sides
]


@pytest.mark.parametrize(("code", "name", "side"), SAID)
def test_what_leads_into_a_shape_names_that_shape_on_its_side(code: str, name: str, side: Side) -> None:
    words = speech_words(code)
    blanks = words.side_blanks(side.value, side.mirrored.value)

    read = [
        [
            (shape.goal.shape.name, shape.goal.side)
            for shape in read_text(fill_blanks(phrase, **blanks), grammar(code)).shapes
        ]
        for phrase in words.shapes[name]["into"]
    ]

    assert read == [[(name, side)]] * len(words.shapes[name]["into"])


MOVES_INTO = {
    "sit": "seated",
    "kneel": "kneeling",
    "lie": "lying",
    "sole_to_leg": "tree",
    "hips_up": "hips_high",
    "sit_up": "sitting",
    "roll": "lying_side",
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_other_movements_that_trainers_say_name_no_shape(code: str) -> None:
    phrases = [
        (key, phrase) for key, ways in speech_words(code).say.items() for several in ways.values() for phrase in several
    ]

    named = {(key, shape.goal.shape.name) for key, phrase in phrases for shape in _shapes(phrase, code)}

    assert {("sit", "seated"), ("kneel", "kneeling"), ("lie", "lying")} <= named <= set(MOVES_INTO.items())


def _shapes(phrase: str, code: str) -> tuple[ReadShape, ...]:
    blanks = {blank: "" for _, blank, _, _ in string.Formatter().parse(phrase) if blank}
    return read_text(phrase.format(**blanks), grammar(code)).shapes
