"""Corrected facts leave no unparsed text; wordings/ has what they mean."""

import pytest

from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import find_unparsed, read_clauses


@pytest.mark.parametrize(
    ("code", "text"), [("en", "Your arm is bent, straighten it."), ("hi", "दायां घुटना मुड़ा है, उसे सीधा करो।")]
)
def test_a_fact_that_is_taken_back_is_no_request_that_was_passed_over(code: str, text: str) -> None:
    words = grammar(code)
    assert find_unparsed(text, words, read_clauses(text, words)) == ()
