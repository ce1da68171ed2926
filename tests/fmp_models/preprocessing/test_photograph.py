"""A photograph that was turned or mirrored is turned and mirrored back."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageOps

from fmp_models.preprocessing.photograph import AS_TAKEN, Orientation, Photograph, upright

PICTURE = Image.fromarray(np.random.default_rng(0).integers(0, 256, (4, 6, 3), dtype=np.uint8))


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
@pytest.mark.parametrize("mirrored", [False, True])
def test_what_was_done_to_a_photograph_is_undone(degrees: int, *, mirrored: bool) -> None:
    taken = (ImageOps.mirror(PICTURE) if mirrored else PICTURE).rotate(-degrees, expand=True)  # clockwise
    restored = upright(Photograph(taken), Orientation(degrees, mirrored))
    assert np.array_equal(np.asarray(restored.image), np.asarray(PICTURE))


def test_a_photograph_as_taken_stays_itself() -> None:
    photograph = Photograph(PICTURE)
    assert upright(photograph, AS_TAKEN) is photograph


@pytest.mark.parametrize("degrees", [45, -90, 360])
def test_other_turns_are_refused(degrees: int) -> None:
    with pytest.raises(ValueError, match="one of \\[0, 90"):
        Orientation(degrees)
