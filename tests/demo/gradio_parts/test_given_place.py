from __future__ import annotations

import pytest

from demo.gradio_parts.given_place import place
from fmp_models.errors import BadInputError


@pytest.mark.parametrize(("given", "where"), [(None, None), ([0, 1], (0.0, 1.0)), ([0.25, 0.5], (0.25, 0.5))])
def test_a_place_is_in_shares_of_the_photograph(given: object, where: tuple[float, float] | None) -> None:
    assert place(given, "current") == where


@pytest.mark.parametrize(
    "given",
    [
        "0.5, 0.5",
        {},
        [],
        [0.5],
        [0.5, 0.5, 0.5],
        [0.5, 1.01],
        [-0.01, 0.5],
        [0.5, None],
        [0.5, "0.5"],
        [True, 0.5],
        [[0.5], 0.5],
        [float("nan"), 0.5],
        [0.5, float("inf")],
        [10**400, 0.5],
        [0.5, -(10**400)],
    ],
)
def test_what_is_no_place_is_refused_in_one_sentence(given: object) -> None:
    with pytest.raises(BadInputError) as refusal:
        place(given, "target")

    assert refusal.value.code == "place_outside"
    assert "\n" not in refusal.value.sentence
