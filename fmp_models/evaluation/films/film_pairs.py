"""Real pairs from a film: the most different moments, as each camera saw them, with labels measured by all cameras.

A film is a folder in Pose2Sim's layout: ``videos`` with one file for each camera, all started at the same
time, and ``calibration`` with a ``.qca.txt`` whose camera names are those of the files. The output is
pictures and a ``truth.json`` as in ``docs/real_pairs.md``; both pictures of a pair are from the same camera.
In a film of several people, one person is chosen by a point in each camera's picture, and the pictures are
cropped to that person.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import (
    Box,
    PersonPoint,
    PoseEstimate,
    PoseEstimator,
    TargetedEstimator,
    estimate_if_seen,
)
from fmp_models.evaluation.films.cameras import FilmCamera, read_calibration
from fmp_models.evaluation.films.measured_truth import measured_truth
from fmp_models.evaluation.films.triangulation import MIN_CAMERAS, TriangulatedMoment, triangulated
from fmp_models.evaluation.real.pairs import TRUTH
from fmp_models.files.json_files import shown
from fmp_models.pose import Array, body_axes
from fmp_models.preprocessing import read_photograph

MOMENTS = 12  # chosen from a film; every two of them are a pair
_LOOKED_AT = 34  # moments that are measured, evenly spread over the film
MAX_FRAME_PIXELS = 16_000_000  # the frame size of 5.3K cameras; one frame of each camera is in memory at a time
_TRUSTED = 0.02  # maximum mean triangulation error of a moment, in picture heights
_QUALITY = 92  # JPEG quality
_AROUND = 0.1  # margin around a person's box in a crop, in lengths of the box

Say = Callable[[str], object]


@dataclass(frozen=True)
class _View:
    """One camera's picture of a moment: a JPEG file, and the joints in the uncropped picture, (20, 2) pixels."""

    picture: bytes
    places: Array


def write_film_pairs(
    film: Path, folder: Path, estimator: PoseEstimator, say: Say, person_points: Mapping[str, PersonPoint] | None = None
) -> int:
    """Write the pairs of a ``film`` into a new ``folder``, and return their number.

    ``estimator`` finds the joints in each picture; only its image joints are used. ``person_points`` has a point
    on the person for each camera to use; without it all cameras are used, and the largest person in each. Raises
    :class:`BadInputError`: ``folder_not_empty``, ``folder_unusable``, ``film_unusable``, ``file_unreadable``,
    ``file_too_large``, ``whom_unusable``.
    """
    try:
        filled = folder.exists() and any(folder.iterdir())
    except OSError:  # a file, or a folder that may not be read
        raise BadInputError("folder_unusable", path=str(folder)) from None
    if filled:
        raise BadInputError("folder_not_empty", path=str(folder))
    if person_points is not None and not isinstance(estimator, TargetedEstimator):
        raise BadInputError("whom_unusable", reason=f"{estimator.name} cannot measure a chosen person")
    cameras, videos = _cameras_of(film, person_points)
    places = [None if person_points is None else person_points[name] for name in videos]
    moments: list[tuple[int, TriangulatedMoment, list[_View]]] = []
    for frame, pictures in _frames(film, videos):
        views = [_view(picture, estimator, place) for picture, place in zip(pictures, places, strict=True)]
        say(f"{film.name}: frame {frame}")
        clear = [view for view in views if view is not None]
        if len(clear) < len(views):
            continue
        heights = np.array([picture.height for picture in pictures])
        moment = triangulated(cameras, np.stack([view.places for view in clear]), heights)
        if moment.error.mean() < _TRUSTED:
            moments.append((frame, moment, clear))
    if len(moments) < 2:  # noqa: PLR2004  a pair
        raise BadInputError("film_unusable", path=str(film), reason="fewer than two moments show a whole person")
    chosen_moments = [moments[number] for number in _most_different([moment.joints for _, moment, _ in moments])]
    try:
        return _write(folder, list(videos), chosen_moments)
    except OSError:
        raise BadInputError("folder_unusable", path=str(folder)) from None


def _cameras_of(
    film: Path, person_points: Mapping[str, PersonPoint] | None
) -> tuple[Sequence[FilmCamera], Mapping[str, Path]]:
    """Return the used cameras, and their videos by name in the same order."""
    calibrations = sorted((film / "calibration").glob("*.qca.txt"))
    if len(calibrations) != 1:
        raise BadInputError("film_unusable", path=str(film), reason="calibration must have exactly one *.qca.txt file")
    cameras = read_calibration(calibrations[0])
    paths = [path for path in sorted((film / "videos").glob("*")) if path.stem in cameras and path.is_file()]
    videos = {path.stem: path for path in paths}
    for path in paths:
        if videos[path.stem] != path:
            names = f"{shown(path.name)} and {shown(videos[path.stem].name)}"
            reason = f"videos must hold one file for each camera, not {names}"
            raise BadInputError("film_unusable", path=str(film), reason=reason)
    if len(videos) < MIN_CAMERAS:
        reason = f"videos must have files for at least {MIN_CAMERAS} of its cameras"
        raise BadInputError("film_unusable", path=str(film), reason=reason)
    if person_points is not None:
        for name in person_points:
            if name not in videos:
                known = ", ".join(shown(video) for video in videos)
                raise BadInputError(
                    "whom_unusable", reason=f"{shown(name)} is not a camera of the film; its cameras are {known}"
                )
        if len(person_points) < MIN_CAMERAS:
            reason = f"{len(person_points)} cameras are too few to measure a person"
            raise BadInputError("whom_unusable", reason=reason)
        videos = {name: path for name, path in videos.items() if name in person_points}
    return [cameras[name] for name in videos], videos


def _frames(film: Path, videos: Mapping[str, Path]) -> Iterator[tuple[int, list[Image.Image]]]:
    """Yield numbered frames, evenly spread over the film and one at a time, each with the pictures of all cameras."""
    length = min(_length(film, path) for path in videos.values())
    if not length:
        raise BadInputError("film_unusable", path=str(film), reason="a video cannot be read")
    frame_numbers = {*np.linspace(0, length - 1, min(length, _LOOKED_AT)).round().astype(int).tolist()}
    captures = [_opened(film, path) for path in videos.values()]
    try:
        for number in range(length):
            for capture in captures:
                capture.grab()
            if number not in frame_numbers:
                continue
            frames = [capture.retrieve() for capture in captures]
            if all(whole for whole, _ in frames):
                yield number, [Image.fromarray(np.ascontiguousarray(frame[..., ::-1])) for _, frame in frames]
    finally:
        for capture in captures:
            capture.release()


def _opened(film: Path, path: Path) -> cv2.VideoCapture:
    """Open a video; raise :class:`BadInputError` before decoding if its frames would take too much memory."""
    capture = cv2.VideoCapture(str(path))
    width, height = (int(capture.get(side)) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
    if width * height > MAX_FRAME_PIXELS:
        capture.release()
        most = MAX_FRAME_PIXELS // 1_000_000
        reason = f"frames of {shown(path.name)} are {width} by {height} pixels; the limit is {most} megapixels"
        raise BadInputError("film_unusable", path=str(film), reason=reason)
    return capture


def _length(film: Path, path: Path) -> int:
    """Return how many frames can be read; the number that the file declares may be wrong or missing."""
    capture = _opened(film, path)
    length = 0
    while capture.grab():
        length += 1
    capture.release()
    return length


def _view(picture: Image.Image, estimator: PoseEstimator, person_points: PersonPoint | None) -> _View | None:
    """Return the picture and its joints, or None without a person; with ``person_points`` the picture is cropped."""
    data = _as_file(picture)
    photograph = read_photograph(data)
    estimate = estimate_if_seen(estimator, photograph, person_points)
    if estimate is None:
        return None
    scale = picture.width / photograph.image.width
    shown_data = data if person_points is None else _as_file(picture.crop(_around(estimate, scale, picture.size)))
    return _View(shown_data, estimate.image_joints * scale)


def _as_file(picture: Image.Image) -> bytes:
    file = BytesIO()
    picture.save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def _around(estimate: PoseEstimate, scale: float, size: tuple[int, int]) -> Box:
    """Return the square box around a person, clipped to the picture."""
    left, top, right, bottom = (scale * edge for edge in estimate.box)
    half = (0.5 + _AROUND) * max(right - left, bottom - top)
    x, y = (left + right) / 2, (top + bottom) / 2
    return (
        max(0, round(x - half)),
        max(0, round(y - half)),
        min(size[0], round(x + half)),
        min(size[1], round(y + half)),
    )


def _most_different(bodies: Sequence[Array]) -> list[int]:
    """Return the indices of the most different moments in order of time, by farthest-point selection from the first."""
    turned = np.stack([_own_frame(body) for body in bodies])
    numbers = [0]
    while len(numbers) < min(MOMENTS, len(bodies)):
        away = np.min([np.linalg.norm(turned - turned[number], axis=-1).mean(axis=1) for number in numbers], axis=0)
        numbers.append(int(away.argmax()))
    return sorted({*numbers})


def _own_frame(room: Array) -> Array:
    """Return joints (20, 3) of the room in the body's own frame."""
    camera_frame = (room - room[0]) @ np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]).T
    return np.asarray(camera_frame @ body_axes(camera_frame).T)


def _write(folder: Path, names: Sequence[str], moments: Sequence[tuple[int, TriangulatedMoment, list[_View]]]) -> int:
    (folder / "images").mkdir(parents=True, exist_ok=True)
    pairs: list[dict[str, object]] = []
    for camera, name in enumerate(names):
        for frame, _, views in moments:
            (folder / "images" / f"{name}_{frame:05d}.jpg").write_bytes(views[camera].picture)
        for number, (first, second) in enumerate(combinations(moments, 2)):
            current, target = (first, second) if number % 2 else (second, first)
            truth, must = measured_truth(current[1].joints, target[1].joints)
            pairs.append(
                {
                    "id": f"{name}_{current[0]:05d}_{target[0]:05d}",
                    "current": f"images/{name}_{current[0]:05d}.jpg",
                    "target": f"images/{name}_{target[0]:05d}.jpg",
                    "view": name,
                    "same_camera": True,
                    "truth": dict(truth),
                    "must": list(must),
                }
            )
    (folder / TRUTH).write_text(json.dumps(pairs, indent=1), encoding="utf-8")
    return len(pairs)
