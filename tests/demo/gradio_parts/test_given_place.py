from __future__ import annotations

import pytest

from demo.gradio_parts.given_place import place
from fmp_models.errors import BadInputError


@pytest.mark.parametrize(("value", "where"), [(None, None), ([0, 1], (0.0, 1.0)), ([0.25, 0.5], (0.25, 0.5))])
def test_a_place_is_in_shares_of_the_photograph(value: object, where: tuple[float, float] | None) -> None:
    assert place(value, "current") == where


@pytest.mark.parametrize(
    "value",
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
def test_what_is_no_place_is_refused_in_one_sentence(value: object) -> None:
    with pytest.raises(BadInputError) as refusal:
        place(value, "target")

    assert refusal.value.code == "place_outside"
    assert "\n" not in refusal.value.sentence
