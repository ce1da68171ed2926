"""Thoroughness: what `make test` tries of many cases alike; `make test-all` tries the others, and long proofs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

thorough = pytest.mark.thorough


def some(cases: Iterable[Any], most: int) -> list[Any]:
    """Return all cases as parameters: at most ``most``, evenly spaced, for `make test`; mark the others thorough."""
    every = list(cases)
    chosen = {round(number * (len(every) - 1) / max(1, most - 1)) for number in range(min(most, len(every)))}
    return [parameter(case) if at in chosen else parameter(case, thorough) for at, case in enumerate(every)]


def one_of(cases: Iterable[Any], at: int = 0) -> list[Any]:
    """Return all cases as parameters: the one at this index for `make test`; mark the others thorough.

    Tests take turns at languages and widths, so that most of the page is tried with each.
    """
    return [parameter(case) if number == at else parameter(case, thorough) for number, case in enumerate(cases)]


def examples(most: int, quick: int = 10, **others: Any) -> settings:  # noqa: ANN401  as Hypothesis has them
    """Return settings for a property with slow examples: at most ``quick`` for `make test`, ``most`` for all."""
    here = min(quick, most) if settings.get_current_profile_name() == "quick" else most
    return settings(max_examples=here, **others)


def parameter(case: Any, *marks: pytest.MarkDecorator) -> Any:  # noqa: ANN401  as pytest has them
    """Return a case as a pytest parameter: the values of a tuple are several arguments."""
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=marks)
