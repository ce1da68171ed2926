"""A refusal keeps its code, and whatever it says fits into one sentence."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.errors import RefusedError
from fmp_models.common.coded_errors import PHOTO_SENTENCES, CodedError, PhotographError, one_line
from fmp_models.errors import BadInputError

KINDS = [BadInputError, RefusedError, PhotographError]


@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_is_the_same_in_another_process(kind: type[CodedError]) -> None:
    refusal = kind("photo_too_small", limit_px=64)
    error = pickle.loads(pickle.dumps(refusal))  # noqa: S301  our own
    assert type(error) is type(refusal)
    assert isinstance(error, kind)
    assert (error.code, error.details) == ("photo_too_small", {"limit_px": 64})
    assert error.sentence == "This picture is smaller than 64 pixels on a side; please give a larger one."


@pytest.mark.parametrize("kind", KINDS)
def test_a_code_that_has_no_sentence_is_a_fault(kind: type[CodedError]) -> None:
    with pytest.raises(KeyError):
        kind("photo_of_nothing")


@pytest.mark.parametrize("code", PHOTO_SENTENCES)
def test_what_is_wrong_with_a_photograph_can_be_said_on_both_sides(code: str) -> None:
    refusal = PhotographError(code, limit_mb=20, limit_mp=52, limit_px=64)
    for kind in (BadInputError, RefusedError):
        error = kind(refusal.code, **refusal.details)
        assert error.code == code
        assert "{" not in error.sentence


def test_a_reason_is_one_line_without_a_full_stop() -> None:
    assert one_line(ValueError("  Not a\n\tnumber. ")) == "Not a number"
    error = BadInputError("joints_unreadable", path="here", reason=one_line("line 3\nis short."))
    assert error.sentence == "The joints in “here” cannot be used: line 3 is short."


@given(st.text(max_size=400))
def test_any_reason_is_short_and_on_one_line(reason: str) -> None:
    line = one_line(reason)
    assert len(line) <= 160
    assert len(line.splitlines()) <= 1


def test_a_cut_reason_shows_that_it_is_cut() -> None:
    assert one_line("long " * 100).endswith("…")
