"""Squares cover a picture, and its light is changed towards what it lacks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fmp_models.estimators.landmarks.views import LIGHTS, SEARCHED, lights_for, relit, squares_over


@given(st.integers(1, 1280), st.integers(1, 1280), st.sampled_from(SEARCHED))
def test_searched_squares_cover_a_picture_and_stay_inside(width: int, height: int, share: float) -> None:
    squares = squares_over((width, height), share)
    side = max(1, round(share * min(width, height)))
    assert all((right - left, bottom - top) == (side, side) for left, top, right, bottom in squares)
    for length, starts in ((width, {square[0] for square in squares}), (height, {square[1] for square in squares})):
        places = sorted(starts)
        assert (places[0], places[-1] + side) == (0, length)
        if length <= 3 * side:  # longer strips are searched wider apart
            assert all(after - before <= side / 2 + 1 for before, after in itertools.pairwise(places))


@pytest.mark.parametrize("power", LIGHTS)
def test_a_relit_picture_keeps_black_white_and_the_order_of_its_greys(power: float) -> None:
    greys = Image.fromarray(np.arange(256, dtype=np.uint8).reshape(1, -1).repeat(3, axis=0)).convert("RGB")
    lit = np.asarray(relit(greys, power))[0, :, 0]
    assert (lit[0], lit[-1]) == (0, 255)
    assert (np.diff(lit.astype(int)) >= 0).all()
    assert (lit[128] > 128) == (power < 1) or power == 1


@pytest.mark.parametrize(("grey", "first", "second"), [(10, 0.5, 1), (90, 1, 0.5), (170, 1, 2), (240, 2, 1)])
def test_dark_pictures_are_searched_lighter_and_overexposed_ones_darker(grey: int, first: float, second: float) -> None:
    lights = lights_for(Image.new("RGB", (20, 20), (grey, grey, grey)))
    assert tuple(lights[:2]) == (first, second)
    assert sorted(lights) == sorted(LIGHTS)
