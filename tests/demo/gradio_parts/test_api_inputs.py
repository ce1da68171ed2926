from __future__ import annotations

import pytest

from demo.gradio_parts.api_inputs import orientation, place
from fmp_models.errors import BadInputError
from fmp_models.preprocessing.photograph import Orientation


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


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        (None, Orientation()),
        ({}, Orientation()),
        ({"turned_by": 270}, Orientation(270)),
        ({"mirrored": True}, Orientation(mirrored=True)),
        ({"turned_by": 90, "mirrored": False}, Orientation(90)),
    ],
)
def test_an_orientation_names_how_a_photograph_is_turned_and_whether_it_is_mirrored(
    value: object, meant: Orientation
) -> None:
    assert orientation(value, "current") == meant


@pytest.mark.parametrize(
    "value",
    [
        90,
        "90",
        '{"turned_by": 90}',
        [90, True],
        True,
        {"turned_by": 45},
        {"turned_by": -90},
        {"turned_by": 360},
        {"turned_by": "90"},
        {"turned_by": 90.0},
        {"turned_by": None},
        {"turned_by": False},
        {"turned_by": [90]},
        {"mirrored": 1},
        {"mirrored": "true"},
        {"mirrored": None},
        {"turned_by": 90, "tilted": 3},
        {"turned": 90},
    ],
)
def test_what_is_no_orientation_is_refused_in_one_sentence_about_its_photograph(value: object) -> None:
    with pytest.raises(BadInputError) as refusal:
        orientation(value, "target")

    assert (refusal.value.code, refusal.value.details["which"]) == ("orientation_unknown", "target")
    assert "\n" not in refusal.value.sentence
