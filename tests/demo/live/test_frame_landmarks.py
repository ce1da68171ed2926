"""Landmarks that browsers send: what can be true is read, and anything else refused in one sentence."""

from __future__ import annotations

import numpy as np
import pytest

from demo.i18n import error_text
from demo.live.frame_landmarks import read_landmarks
from fmp_models.errors import BadInputError
from fmp_models.estimators.camera_tilt import TILTS

SIZE, ONE = [480.0, 640.0], [100.0, 200.0, 0.1, -0.4, 0.2, 0.9]
BODY = [*SIZE, *ONE * 33]


def packed(numbers: list[float]) -> bytes:
    return np.array(numbers, "<f4").tobytes()


def changed(place: int, value: float) -> bytes:
    return packed([*BODY[:place], value, *BODY[place + 1 :]])


def test_landmarks_are_read_as_they_were_sent() -> None:
    frame = read_landmarks(packed(BODY))
    assert frame is not None
    assert frame.size == (480, 640)
    assert frame.points.shape == (33, 2)
    assert frame.metres[7].tolist() == pytest.approx(ONE[2:5])
    assert frame.visibility.tolist() == pytest.approx([0.9] * 33)
    assert frame.lines is None


def test_lines_come_along_now_and_then_and_a_size_alone_means_nobody() -> None:
    frame = read_landmarks(packed([*BODY, *[-1.5] * TILTS]))
    assert frame is not None
    assert frame.lines is not None
    assert frame.lines.tolist() == [-1.5] * TILTS
    assert read_landmarks(packed(SIZE)) is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no landmarks",
        b'{"landmarks": []}',
        packed(BODY)[:-1],
        packed(BODY) + b"\0",
        packed(BODY[:-6]),
        packed([*BODY, *ONE]),
        packed([*BODY, *[0.0] * (TILTS - 1)]),
        packed(BODY) * 400,
        packed([0.0, 640.0]),
        packed([-480.0, 640.0]),
        packed([480.0, 1e9]),
        packed([float("nan"), 640.0]),
        *(changed(2, value) for value in (float("nan"), float("inf"), -1e6, 1e30)),
        *(changed(5, value) for value in (float("nan"), float("-inf"), 11.0, -11.0)),
        *(changed(7, value) for value in (float("nan"), -0.1, 1.1)),
        packed([*BODY, *[float("nan")] * TILTS]),
        packed([*BODY, *[1e30] * TILTS]),
    ],
)
def test_what_cannot_be_landmarks_is_refused(body: bytes) -> None:
    with pytest.raises(BadInputError) as refused:
        read_landmarks(body)
    assert refused.value.code == "live_landmarks_other"
    assert set(error_text(refused.value).by_language) == {"en", "hi"}
