"""What the product itself says is read back: each way into a shape as that shape, on its side, and nothing else so."""

import string

import pytest

from fmp_models.geometry.lexicon import Side
from fmp_models.geometry.shapes import SHAPES_BY_NAME
from fmp_models.languages.grammar import LANGUAGES, grammar
from fmp_models.languages.reader.parse import ReadShape, reading
from fmp_models.languages.speech import filled, speech_words

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
            (shape.named.shape.name, shape.named.side)
            for shape in reading(filled(phrase, **blanks), grammar(code)).shapes
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

    named = {(key, shape.named.shape.name) for key, phrase in phrases for shape in _shapes(phrase, code)}

    assert {("sit", "seated"), ("kneel", "kneeling"), ("lie", "lying")} <= named <= set(MOVES_INTO.items())


def _shapes(phrase: str, code: str) -> tuple[ReadShape, ...]:
    blanks = {blank: "" for _, blank, _, _ in string.Formatter().parse(phrase) if blank}
    return reading(phrase.format(**blanks), grammar(code)).shapes
