"""Real pairs from a film: the most different moments, as each camera saw them, with labels measured by all cameras.

A film is a folder in Pose2Sim's layout: ``videos`` with one file for each camera, all started at the same time, and
``calibration`` with a ``.qca.txt`` whose camera names are those of the files. The output is pictures and a
``truth.json`` as in ``docs/real_pairs.md``; both pictures of a pair are from the same camera. In a film of several
people, one person is chosen by a point in each camera's picture, and the pictures are cropped to that person.

The cameras come from Qualisys' calibration files, whose room has its z axis up. The lens model is OpenCV's with two
radial and two tangential terms.

The joints of one moment are triangulated from several pictures. If a camera confused left and right, its sides are
swapped back. If one camera sees a joint far from where the others place it, that camera is left out for this joint.

Labels are what changes between two moments, in the slots of ``docs/real_pairs.md``. Joints are metres in a room
whose z axis is up. Nothing here uses the product's own measurements: each slot is an angle or a length defined
here. A change between small and clear has no label, since labelling by eye would give none.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import cv2
import numpy as np
from PIL import Image

from fmp_models.errors import BadInputError
from fmp_models.estimators import Box, PersonPoint, PoseEstimate, PoseEstimator, TargetedEstimator, estimate_if_seen
from fmp_models.evaluation.real_pairs import SIDES, TRUTH, Truth
from fmp_models.files import demand_empty, read_bounded, read_within, shown
from fmp_models.pose import INDEX, MIRROR, Array, body_axes
from fmp_models.preprocessing import read_photograph

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


MIN_CAMERAS = 3  # with two cameras it is unknown which of them is wrong
_SIDED = [INDEX[f"{side}_{part}"] for side in ("left", "right") for part in ("shoulder", "elbow", "hip", "ankle")]
_FAR = 0.013  # maximum reprojection error in picture heights before a camera is left out
_BETTER = 0.5  # a camera is wrong if less than this share of the error remains without it
_EXCHANGED = 0.9  # sides were confused if less than this share of the error remains after swapping


@dataclass(frozen=True)
class TriangulatedMoment:
    """Joints (20, 3) in metres of the room, and the ``error`` of each (20,) in picture heights.

    An error is the mean reprojection error over the cameras.
    """

    joints: Array
    error: Array


def triangulated(cameras: Sequence[FilmCamera], places: Array, heights: Array) -> TriangulatedMoment:
    """Triangulate joints from pixels ``places`` (cameras, 20, 2) of at least ``MIN_CAMERAS`` cameras.

    ``heights`` (cameras,) are those of their pictures in pixels.
    """
    trials = [_with_sides_exchanged(places, camera) for camera in range(len(cameras))]
    left = [_error_of_sides(cameras, trial, heights) for trial in trials]
    best = int(np.argmin(left))
    if left[best] < _EXCHANGED * _error_of_sides(cameras, places, heights):
        places = trials[best]
    joints = [_agreed(cameras, places[:, joint], heights) for joint in range(len(INDEX))]
    return TriangulatedMoment(np.array([point for point, _ in joints]), np.array([off for _, off in joints]))


def _with_sides_exchanged(places: Array, camera: int) -> Array:
    """Return the places with left and right swapped for one camera."""
    changed = places.copy()
    changed[camera] = places[camera][list(MIRROR)]
    return changed


def _error_of_sides(cameras: Sequence[FilmCamera], places: Array, heights: Array) -> float:
    """Return the summed reprojection error of the joints that have a side, over all cameras."""
    joint_pixels = (places[:, joint] for joint in _SIDED)
    return float(sum(_seen_off(cameras, pixels, _point(cameras, pixels), heights).sum() for pixels in joint_pixels))


def _agreed(cameras: Sequence[FilmCamera], pixels: Array, heights: Array) -> tuple[Array, float]:
    """Return one joint and its mean reprojection error, by all cameras or all but one that contradicts the rest."""
    point = _point(cameras, pixels)
    off = _seen_off(cameras, pixels, point, heights)
    if off.max() > _FAR and len(cameras) > MIN_CAMERAS:
        trials: list[tuple[Array, Array]] = []
        for numbers in map(list, combinations(range(len(cameras)), len(cameras) - 1)):
            fewer = [cameras[number] for number in numbers]
            seen_point = _point(fewer, pixels[numbers])
            trials.append((seen_point, _seen_off(fewer, pixels[numbers], seen_point, heights[numbers])))
        best, best_off = min(trials, key=lambda trial: trial[1].max())
        if best_off.max() < _BETTER * off.max():
            point, off = best, best_off
    return point, float(off.mean())


def _point(cameras: Sequence[FilmCamera], pixels: Array) -> Array:
    """Return the point that cameras see at pixels (cameras, 2), by the direct linear transform."""
    rows = []
    for camera, pixel in zip(cameras, pixels, strict=True):
        x, y = camera.rays(pixel)
        projection = camera.projection
        rows += [x * projection[2] - projection[0], y * projection[2] - projection[1]]
    *_, solution = np.linalg.svd(np.array(rows))[2]
    return np.asarray(solution[:3] / solution[3])


def _seen_off(cameras: Sequence[FilmCamera], pixels: Array, point: Array, heights: Array) -> Array:
    """Return the reprojection error (cameras,) of a point, in heights of each camera's picture."""
    views = zip(cameras, pixels, strict=True)
    return np.array([np.linalg.norm(camera.pixels(point) - pixel) for camera, pixel in views]) / heights


# Up to the first threshold a change counts as none, from the second as a change, from the third as one to mention.
_DEGREES, _LENGTH = (10.0, 20.0, 45.0), (0.05, 0.12, 0.25)
_LEAN, _HEIGHT = (6.0, 14.0, 25.0), (0.04, 0.09, 0.25)
_STEPS: Mapping[str, tuple[float, float, float]] = {
    "arm_up": _DEGREES,
    "elbow_bend": _DEGREES,
    "knee_bend": _DEGREES,
    "trunk_forward": _LEAN,
    "trunk_left": _LEAN,
    "trunk_twist_left": _DEGREES,
    "body_turn_left": _DEGREES,
    "hips_down": _HEIGHT,
}
_STANCE, _FEET_AHEAD = "feet_apart", (("left_foot_forward", 1), ("right_foot_forward", -1))
# People mention these first in a description; foot positions, arm directions and trunk turns come later.
_MENTIONED = ("arm_up", "hand_up", "elbow_bend", "knee_bend", "leg_up", _STANCE, "trunk_forward", "trunk_left")
_MAX_REQUIRED = 4
_HALF_TURN = 180.0


def measured_truth(current: Array, target: Array) -> tuple[Truth, tuple[str, ...]]:
    """Return the label of every measured slot, and the slots to mention first, by decreasing size of the change.

    If an upper arm and its hand move in different directions, out or forward, that slot has no label. If a stride
    moves the feet more forward or backward than apart, ``feet_apart`` has no label.
    """
    before, after = _values(current), _values(target)
    truth: dict[str, int | None] = {}
    sizes: dict[str, float] = {}
    for slot, (value, *also) in before.items():
        changes = [_wrapped(slot, new - old) for old, new in zip((value, *also), after[slot], strict=True)]
        nothing, surely, much = _steps(slot)
        signs = {0 if abs(change) <= nothing else int(np.sign(change)) for change in changes}
        clear = abs(changes[0]) <= nothing or abs(changes[0]) >= surely
        truth[slot] = signs.pop() if clear and len(signs) == 1 else None
        sizes[slot] = abs(changes[0]) / much
    stride = sum(sign * (after[slot][0] - before[slot][0]) for slot, sign in _FEET_AHEAD)
    if truth[_STANCE] and abs(stride) > abs(after[_STANCE][0] - before[_STANCE][0]):
        truth[_STANCE] = None
    must: list[str] = []
    for slot in sorted(sizes, key=lambda name: -sizes[name]):
        if sizes[slot] >= 1 and truth[slot] and _plain(slot) in _MENTIONED and not _repeats(slot, must):
            must.append(slot)
    return truth, tuple(must[:_MAX_REQUIRED])


def _plain(slot: str) -> str:
    return next((slot.removeprefix(f"{side}_") for side in SIDES if slot.startswith(f"{side}_")), slot)


def _steps(slot: str) -> tuple[float, float, float]:
    return _STEPS.get(_plain(slot), _LENGTH)


def _repeats(slot: str, mentioned: list[str]) -> bool:
    """Return whether the arm of this hand, or the hand of this arm, is mentioned already."""
    twin = slot.replace("hand_up", "arm_up") if slot.endswith("hand_up") else slot.replace("arm_up", "hand_up")
    return twin != slot and twin in mentioned


def _wrapped(slot: str, change: float) -> float:
    turns = slot in {"trunk_twist_left", "body_turn_left"}
    return _HALF_TURN - (_HALF_TURN - change) % (2 * _HALF_TURN) if turns else change


def _values(room: Array) -> dict[str, tuple[float, ...]]:
    """Return degrees and metres by slot; if a slot has a second number, both must change in the same direction."""
    left = (room[INDEX["left_hip"]] - room[INDEX["right_hip"]]) * [1, 1, 0]
    left = left / np.linalg.norm(left)
    axes = np.stack([left, [0.0, 0.0, 1.0], np.cross(left, [0.0, 0.0, 1.0])])  # left, up, forward
    body = (room - room[INDEX["hip"]]) @ axes.T
    joint = {name: body[number] for name, number in INDEX.items()}
    floor = min(joint[f"{side}_{part}"][1] for side in SIDES for part in ("ankle", "foot"))
    values: dict[str, tuple[float, ...]] = {}
    for side, outward in zip(SIDES, (1, -1), strict=True):
        arm = joint[f"{side}_elbow"] - joint[f"{side}_shoulder"]
        hand = (joint[f"{side}_wrist"] + joint[f"{side}_hand"]) / 2 - joint[f"{side}_shoulder"]
        ankle = joint[f"{side}_ankle"]
        values |= {
            f"{side}_arm_up": (float(np.degrees(np.arctan2(arm[1], np.hypot(arm[0], arm[2])))),),
            f"{side}_hand_up": (hand[1],),
            f"{side}_arm_out": (hand[0] * outward, 2 * arm[0] * outward),
            f"{side}_arm_forward": (hand[2], 2 * arm[2]),
            f"{side}_elbow_bend": (_bend(joint, side, "shoulder", "elbow", "wrist"),),
            f"{side}_knee_bend": (_bend(joint, side, "hip", "knee", "ankle"),),
            f"{side}_leg_up": (ankle[1] - floor,),
            f"{side}_foot_side": (ankle[0],),
            f"{side}_foot_forward": (ankle[2],),
        }
    trunk = joint["neck"]
    hips, shoulders = (_heading(room, part) for part in ("hip", "shoulder"))
    return values | {
        _STANCE: (abs(joint["left_ankle"][0] - joint["right_ankle"][0]),),
        "hips_down": (floor,),  # heights are relative to the hips
        "trunk_forward": (float(np.degrees(np.arctan2(trunk[2], trunk[1]))),),
        # Relative to both other axes: for a trunk bent below level, "up" alone would make a slight lean half a turn.
        "trunk_left": (float(np.degrees(np.arctan2(trunk[0], np.hypot(trunk[1], trunk[2])))),),
        "trunk_twist_left": (shoulders - hips,),
        "body_turn_left": (hips,),
    }


def _bend(joint: Mapping[str, Array], side: str, upper: str, middle: str, lower: str) -> float:
    first, second = (joint[f"{side}_{end}"] - joint[f"{side}_{middle}"] for end in (upper, lower))
    cosine = first @ second / (np.linalg.norm(first) * np.linalg.norm(second))
    return _HALF_TURN - float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


def _heading(room: Array, part: str) -> float:
    across = room[INDEX[f"left_{part}"]] - room[INDEX[f"right_{part}"]]
    return float(np.degrees(np.arctan2(across[1], across[0])))


MOMENTS = 12  # chosen from a film; every two of them are a pair
_LOOKED_AT = 34  # moments that are measured, evenly spread over the film
MAX_FRAME_PIXELS = 16_000_000  # the frame size of 5.3K cameras; one frame of each camera is in memory at a time
_TRUSTED = 0.02  # maximum mean triangulation error of a moment, in picture heights
_QUALITY = 92  # JPEG quality
_AROUND = 0.1  # margin around a person's box in a crop, in lengths of the box

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _View:
    """One camera's picture of a moment: a JPEG file, and the joints in the uncropped picture, (20, 2) pixels."""

    picture: bytes
    places: Array


def write_film_pairs(
    film: Path, folder: Path, estimator: PoseEstimator, person_points: Mapping[str, PersonPoint] | None = None
) -> int:
    """Write the pairs of a ``film`` into a new ``folder``, and return their number.

    ``estimator`` finds the joints in each picture; only its image joints are used. ``person_points`` has a point
    on the person for each camera to use; without it all cameras are used, and the largest person in each. Raises
    :class:`BadInputError`: ``folder_not_empty``, ``folder_unusable``, ``film_unusable``, ``file_unreadable``,
    ``file_too_large``, ``whom_unusable``.
    """
    demand_empty(folder)
    if person_points is not None and not isinstance(estimator, TargetedEstimator):
        raise BadInputError("whom_unusable", reason=f"{estimator.name} cannot measure a chosen person")
    cameras, videos = _cameras_of(film, person_points)
    places = [None if person_points is None else person_points[name] for name in videos]
    moments: list[tuple[int, TriangulatedMoment, list[_View]]] = []
    for frame, pictures in _frames(film, videos):
        views = [_view(picture, estimator, place) for picture, place in zip(pictures, places, strict=True)]
        _log.info("%s: frame %s", film.name, frame)
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


def film_frames(path: Path, step: float) -> Iterator[tuple[float, Image.Image]]:
    """Yield a film's frames that are at least ``step`` seconds apart, with their times in seconds.

    Raises :class:`BadInputError`: ``file_unreadable``, ``film_unreadable``, ``film_unusable``.
    """
    read_bounded(path, 1)
    capture, due = _opened(path, path), 0.0
    try:
        while capture.grab():
            seconds = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            if seconds >= due and (found := capture.retrieve())[0]:
                due = seconds + step
                yield seconds, Image.fromarray(np.ascontiguousarray(found[1][..., ::-1]))
    finally:
        capture.release()
    if not due:
        raise BadInputError("film_unreadable", path=str(path))


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
