"""Whatever an error says fits into the sentence around it."""

from hypothesis import given
from hypothesis import strategies as st

from fmp_models.errors import BadInputError, one_line


def test_a_reason_is_one_line_without_a_full_stop() -> None:
    assert one_line(ValueError("  Not a\n\tnumber. ")) == "Not a number"
    error = BadInputError("joints_unreadable", path="here", reason=one_line("line 3\nis short."))
    assert error.sentence == "The joints in “here” cannot be used: line 3 is short."


@given(st.text(max_size=400))
def test_any_reason_is_short_and_on_one_line(said: str) -> None:
    line = one_line(said)
    assert len(line) <= 161
    assert len(line.splitlines()) <= 1


def test_a_cut_reason_shows_that_it_is_cut() -> None:
    assert one_line("long " * 100).endswith("…")
