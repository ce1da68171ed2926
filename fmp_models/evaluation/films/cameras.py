"""Calibrated cameras of a film, read from Qualisys' calibration files, and their projections.

The room has its z axis up. The lens model is OpenCV's with two radial and two tangential terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from fmp_models.errors import BadInputError
from fmp_models.files.bounded import read_within
from fmp_models.files.json_files import shown
from fmp_models.pose import Array

_MAX_BYTES = 1_000_000
_PER_PIXEL = 64.0  # the file's units per pixel
_ITERATIONS = 5  # of undistortion; the second one changes a hundredth of a pixel


@dataclass(frozen=True)
class FilmCamera:
    """One camera: ``matrix`` (3, 3) in pixels, four ``lens`` terms, ``rotation`` (3, 3) and ``place`` (3,) in metres.

    The rows of ``rotation`` are the directions right, down and forward of the camera in the room.
    """

    matrix: Array
    lens: Array
    rotation: Array
    place: Array

    def pixels(self, points: Array) -> Array:
        """Return the pixels (..., 2) at which the camera sees points (..., 3) of the room."""
        local = (points - self.place) @ self.rotation.T
        return _bent(local[..., :2] / local[..., 2:], self.lens) @ self.matrix[:2, :2].T + self.matrix[:2, 2]

    def rays(self, pixels: Array) -> Array:
        """Return the undistorted coordinates (..., 2) of pixels (..., 2) in the plane one metre away."""
        on_plane = (pixels - self.matrix[:2, 2]) / np.diag(self.matrix)[:2]
        plain = on_plane
        for _ in range(_ITERATIONS):
            plain = plain + on_plane - _bent(plain, self.lens)
        return np.asarray(plain)

    @property
    def projection(self) -> Array:
        """The matrix (3, 4) from homogeneous points of the room to the plane one metre away."""
        return np.column_stack([self.rotation, -self.rotation @ self.place])


def read_calibration(path: Path) -> Mapping[str, FilmCamera]:
    """Return the cameras of a ``.qca.txt`` file by name.

    Raises :class:`BadInputError`: ``film_unusable``, ``file_unreadable``, ``file_too_large``.
    """
    try:
        root = ET.fromstring(read_within(path, _MAX_BYTES))  # noqa: S314  expat bounds the growth of entities since 2.4.1
        cameras = {camera.attrib["serial"]: _camera(camera) for camera in root.iterfind("cameras/camera")}
    except (ET.ParseError, KeyError, ValueError, AttributeError, OSError):
        raise BadInputError("film_unusable", path=str(path), reason="it is not a camera calibration") from None
    for name, camera in cameras.items():
        numbers = np.concatenate([part.ravel() for part in (camera.matrix, camera.lens, camera.rotation, camera.place)])
        if not np.isfinite(numbers).all() or not (np.diag(camera.matrix) > 0).all():
            reason = f"its camera {shown(name)} has invalid values"
            raise BadInputError("film_unusable", path=str(path), reason=reason)
    return cameras


def _camera(element: ET.Element) -> FilmCamera:
    placed = {name: float(value) for name, value in _child(element, "transform").items()}
    inner = {name: float(value) for name, value in _child(element, "intrinsic").items()}
    matrix = np.eye(3)
    for row, axis in enumerate("UV"):
        matrix[row, row] = inner[f"focalLength{axis}"] / _PER_PIXEL
        matrix[row, 2] = inner[f"centerPoint{axis}"] / _PER_PIXEL
    lens = np.array([inner[f"{kind}Distortion{n}"] for kind in ("radial", "tangental") for n in "12"]) / _PER_PIXEL
    axes = np.array([[placed[f"r{row}{column}"] for column in "123"] for row in "123"])
    # Qualisys' cameras look along their -z and have y up.
    return FilmCamera(matrix, lens, axes * np.array([[1], [-1], [-1]]), np.array([placed[a] for a in "xyz"]) / 1000)


def _child(element: ET.Element, name: str) -> Mapping[str, str]:
    child = element.find(name)
    if child is None:
        raise KeyError(name)
    return {key: value for key, value in child.attrib.items() if value.replace(".", "").lstrip("-")[:1].isdigit()}


def _bent(plain: Array, lens: Array) -> Array:
    """Apply the lens distortion to coordinates in the plane one metre away."""
    x, y = plain[..., 0], plain[..., 1]
    square = x * x + y * y
    first, second, across, down = lens
    radial = 1 + first * square + second * square**2
    return np.stack(
        [
            x * radial + 2 * across * x * y + down * (square + 2 * x * x),
            y * radial + across * (square + 2 * y * y) + 2 * down * x * y,
        ],
        axis=-1,
    )
