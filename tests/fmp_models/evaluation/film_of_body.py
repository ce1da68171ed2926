"""Films for tests: a body in a room before calibrated cameras, as a calibration, videos, and an estimator that sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate
from fmp_models.evaluation.films import FilmCamera
from fmp_models.pose import MIRROR, Array, Pose
from fmp_models.preprocessing import Photograph
from tests.bodies import Body

SIZE = (240, 320)
STEP = 40  # grey levels from one moment to the next, by which the estimator knows them


def in_room(body: Body) -> Array:
    """Joints in a room whose z axis is up; who faces the camera at yaw 0 looks along -y."""
    x, down, away = np.moveaxis(body.pose().joints, -1, 0)
    return np.stack([x, away, 1.0 - down], axis=-1)


def camera_at(angle: float, *, lens: Sequence[float] = (0, 0, 0, 0)) -> FilmCamera:
    """Return a camera that looks at the body from this many degrees to the side of its front."""
    turn = np.radians(angle)
    place = np.array([4 * np.sin(turn), -4 * np.cos(turn), 1.6])
    away = np.array([0.0, 0.0, 1.0]) - place
    away /= np.linalg.norm(away)
    right = np.cross(away, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(away, right), away])
    matrix = np.array([[300.0, 0, SIZE[0] / 2], [0, 300.0, SIZE[1] / 2], [0, 0, 1]])
    return FilmCamera(matrix, np.array(lens, dtype=float), rotation, place)


def enlarged(camera: FilmCamera, times: float) -> FilmCamera:
    """Return the camera with pictures of so many times the width and height."""
    return replace(camera, matrix=np.diag([times, times, 1]) @ camera.matrix)


CAMERAS = {f"cam{number}": camera_at(angle) for number, angle in enumerate((-40, 20, 110, 200), 1)}


def calibration(cameras: dict[str, FilmCamera]) -> str:
    """As Qualisys writes it."""
    rows = []
    for name, camera in cameras.items():
        axes = camera.rotation * np.array([[1], [-1], [-1]])
        transform = " ".join(f'r{a + 1}{b + 1}="{axes[a, b]}"' for a in range(3) for b in range(3))
        place = " ".join(f'{axis}="{value * 1000}"' for axis, value in zip("xyz", camera.place, strict=True))
        lens = dict(zip(("radial1", "radial2", "tangental1", "tangental2"), camera.lens * 64, strict=True))
        inner = " ".join(f'{key[:-1]}Distortion{key[-1]}="{value}"' for key, value in lens.items())
        for row, axis in enumerate("UV"):
            inner += f' focalLength{axis}="{camera.matrix[row, row] * 64}"'
            inner += f' centerPoint{axis}="{camera.matrix[row, 2] * 64}"'
        inner += ' skew="none"'  # no number, as Qualisys writes what it does not know
        rows.append(f'<camera serial="{name}"><transform {transform} {place}/><intrinsic {inner}/></camera>')
    return f"<?xml version='1.0' encoding='ASCII'?><calibration><cameras>{''.join(rows)}</cameras></calibration>"


def write_film(folder: Path, frames: int, cameras: dict[str, FilmCamera] = CAMERAS) -> Path:
    """Return a film of even frames, each a step lighter than the one before."""
    (folder / "calibration").mkdir(parents=True)
    (folder / "videos").mkdir()
    (folder / "calibration" / "room.qca.txt").write_text(calibration(cameras))
    for number, (name, camera) in enumerate(cameras.items()):
        width, height = (int(2 * middle) for middle in camera.matrix[:2, 2])
        path = folder / "videos" / f"{name}.avi"
        video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (width, height))
        for frame in range(frames):
            # Blue tells the camera, and the red that is as bright the moment.
            video.write(np.full((height, width, 3), (20 + STEP * number, 100, 20 + STEP * frame), dtype=np.uint8))
        video.release()
    return folder


def claim_length(video: Path, frames: int) -> None:
    """Have an AVI file say that it has so many frames, whatever it holds."""
    content = bytearray(video.read_bytes())
    for chunk, place in ((b"avih", 16), (b"strh", 32)):
        start = content.index(chunk) + 8 + place
        content[start : start + 4] = frames.to_bytes(4, "little")
    video.write_bytes(content)


class SeesTheBody:
    """An estimator that knows where the joints of a film are seen, and nothing of their depth."""

    name = "sees-the-body"

    def __init__(
        self, bodies: Sequence[Body], backwards: Sequence[tuple[int, int]] = (), nobody: int = -1, off: float = 0.0
    ) -> None:
        """``backwards`` are the (camera, moment) in which left and right are exchanged, ``nobody`` an empty moment.

        Joints are seen about ``off`` pixels beside where they are.
        """
        self._bodies = [in_room(body) for body in bodies]
        self._backwards, self._nobody, self._off = backwards, nobody, off

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        red, _, blue = np.asarray(photograph.image).mean(axis=(0, 1))
        moment, camera = round((red - 20) / STEP), round((blue - 20) / STEP)
        if moment == self._nobody:
            raise BadInputError("no_person", which="given")
        places = [*CAMERAS.values()][camera].pixels(self._bodies[moment])
        if (camera, moment) in self._backwards:
            places = places[list(MIRROR)]
        places = places + np.random.default_rng((moment, camera)).normal(0, self._off, places.shape)
        scale = photograph.image.width / SIZE[0]
        (left, top), (right, bottom) = (places * scale).min(axis=0), (places * scale).max(axis=0)
        box = (float(left), float(top), float(right), float(bottom))
        return PoseEstimate(Pose(np.zeros((20, 3)), np.ones(20)), places * scale, box, 1)
