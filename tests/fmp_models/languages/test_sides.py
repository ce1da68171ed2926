"""Sides that do not stand before their part leave no unparsed text; wordings/ has what they mean."""

import pytest

from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import find_unparsed, read_clauses


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Raise your arm. The left one."),
        ("en", "Raise your right arm. No, the left one."),
        ("hi", "हाथ उठाओ। बायां वाला।"),
        ("hi", "दायां हाथ उठाओ। नहीं, बायां।"),
    ],
)
def test_such_a_side_is_no_request_that_was_passed_over(code: str, text: str) -> None:
    words = grammar(code)
    assert find_unparsed(text, words, read_clauses(text, words)) == ()
