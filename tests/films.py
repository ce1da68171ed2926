"""Camera films of a simulated person who stands, moves into a target, holds it and goes away, with its true joints.

Chromium's fake camera plays them (:func:`camera_arguments`) from the moment a page opens the camera, round and round,
at the rate that the file names. :func:`recorded` gives what MediaPipe measures in them frame by frame, for tests that
need no browser.
"""

from __future__ import annotations

import atexit
import functools
import io
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fmp_models.estimators.landmarks import TrackedPerson
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.pose import JOINTS
from fmp_models.sim.capture import dressed
from fmp_models.sim.light import Camera, project, to_camera
from fmp_models.sim.motions import along_arcs
from fmp_models.sim.posing import Arm, BodyPose, Leg, Turn, arm_to_vector, vector_to_arm
from fmp_models.sim.rooms import make_room
from fmp_models.sim.stage import Stage

RATE = 10  # frames a second
STANDS, MOVES, HOLDS, GONE = 7, 3, 6, 4  # seconds of each part; a page counts down before it looks
SECONDS = STANDS + MOVES + HOLDS + GONE
HELD = (STANDS + MOVES) * RATE  # the first frame in which the target is reached
PORTRAIT, LANDSCAPE = (480, 640), (640, 480)
HEIGHT = 2.6  # metres that fit into the picture where the person stands
QUALITY = 90
_ROOM, _SPOT, _CHARACTER = 4, 0, 4
_SWAY = 0.004  # leg lengths that somebody who stands still sways to either side, once a second

Array = NDArray[np.float64]
_UNKNOWN: Array = np.full((len(JOINTS), 3), np.nan)

_HANGING = Arm(upper=(0.20, -1.0, 0.02), bend=14, crease=(-0.1, 0.0, 1.0), palm=(-1.0, 0.0, 0.0))
_SIDEWAYS = Arm(upper=(1.0, 0.02, 0.0), bend=3, crease=(0.0, 0.0, 1.0), palm=(0.0, -1.0, 0.1))
_AHEAD = Arm(upper=(0.04, 0.60, 1.0), bend=4, crease=(-0.5, 0.5, 0.0), palm=(-0.4, -1.0, 0.0))
_STANDS = Leg((0.14, 0.0, 0.0), toes=(0.2, 0.0, 1.0))
_WIDE = Leg((0.25, 0.0, 0.10), knee=(0.45, 0.0, 1.0), toes=(0.35, 0.0, 1.0))


def _both(arm: Arm) -> dict[str, Arm]:
    return {"L": arm, "R": arm}


@dataclass(frozen=True)
class _Part:
    """Who plays what: the pose at the beginning and the one to come to."""

    current: BodyPose
    target: BodyPose


_STANDING = BodyPose(0.985, _both(_HANGING), {"L": _STANDS, "R": _STANDS}, heading=12)
_ASTRIDE = BodyPose(0.93, _both(_HANGING), {"L": _WIDE, "R": _WIDE}, pelvis=Turn(3), chest=Turn(3), heading=-30)
PARTS = {
    "arms": _Part(_STANDING, replace(_STANDING, arms=_both(_SIDEWAYS))),
    "squat": _Part(
        _ASTRIDE,
        replace(
            _ASTRIDE,
            hip_height=0.52,
            hip_shift=(0.0, -0.12),
            arms=_both(_AHEAD),
            pelvis=Turn(26),
            chest=Turn(32),
            head=Turn(8),
        ),
    ),
}


@dataclass(frozen=True)
class Film:
    """A film: the file, its frames, where the joints (n, 20, 3) are meant to be, and a still of the target (JPEG).

    Joints are metres in the camera frame and NaN while nobody is there; ``spots`` (n, 20, 2) are their pixels.
    """

    path: Path
    frames: tuple[Image.Image, ...]
    joints: Array
    spots: Array
    target: bytes
    current: bytes

    @property
    def times(self) -> Array:
        """Seconds (n,) from the opening of the camera to each frame."""
        return np.arange(len(self.frames)) / RATE

    @property
    def present(self) -> NDArray[np.bool_]:
        """Return whether (n,) a person is in the frame."""
        return np.asarray(np.isfinite(self.joints[:, 0, 0]))


@dataclass(frozen=True)
class Recording:
    """What the tracker of live pictures measured: whom it saw in each of the n frames, ``times`` (n,) in seconds."""

    times: Array
    people: tuple[TrackedPerson | None, ...]

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Return whether (n,) it saw a person."""
        return np.array([person is not None for person in self.people])

    @property
    def joints(self) -> Array:
        """Return metres (n, 20, 3) from the hips in the camera frame, NaN where no person was seen."""
        return np.stack([_UNKNOWN if person is None else person.pose.joints for person in self.people])

    @property
    def spots(self) -> Array:
        """Return pixels (n, 20, 2), NaN where no person was seen."""
        return np.stack([_UNKNOWN[:, :2] if one is None else one.places * one.size for one in self.people])


def camera_arguments(film: Film) -> tuple[str, ...]:
    """Return the arguments, beside the fake device, that make Chromium's camera show the film."""
    return (f"--use-file-for-fake-video-capture={film.path}",)


def film(name: str, size: tuple[int, int] = PORTRAIT) -> Film:
    """Return the film of this name (see :data:`PARTS`), made once per process and deleted with it."""
    return _made(name, size)


def recorded(name: str, pose_model: Path, size: tuple[int, int] = PORTRAIT) -> Recording:
    """Return a film as MediaPipe's VIDEO mode sees it, frame after frame; measured once per process."""
    return _tracked(name, pose_model, size)


@functools.cache
def _made(name: str, size: tuple[int, int]) -> Film:
    part, stage, body = PARTS[name], _stage(size), dressed(_CHARACTER)
    spot = make_room(_ROOM).spots[_SPOT]
    drawn: dict[tuple[float, float] | None, tuple[Image.Image, Array, Array]] = {}
    drawn[None] = Image.fromarray(stage._empty), _UNKNOWN, _UNKNOWN[:, :2]
    shown = []
    for number in range(SECONDS * RATE):
        moment = _moment(number / RATE)
        if moment not in drawn:
            assert moment is not None
            pose = _between(part, *moment)
            placed = body.place(replace(pose, heading=pose.heading + spot.heading), spot.at)
            drawn[moment] = (
                stage.photograph(body, placed),
                to_camera(placed.joints, stage.camera),
                project(placed.joints, stage.camera),
            )
        shown.append(drawn[moment])
    frames, joints, spots = zip(*shown, strict=True)
    path = _folder() / f"{name}_{size[0]}x{size[1]}.y4m"
    _write(path, frames, size)
    return Film(path, frames, np.stack(joints), np.stack(spots), _jpeg(frames[HELD]), _jpeg(frames[0]))


@functools.cache
def _tracked(name: str, pose_model: Path, size: tuple[int, int]) -> Recording:
    shown, tracker = film(name, size), MediaPipeEstimator(pose_model).new_tracker()
    people = [tracker.track(frame, time) for frame, time in zip(shown.frames, shown.times.tolist(), strict=True)]
    return Recording(shown.times, tuple(people))


def _moment(time: float) -> tuple[float, float] | None:
    """Return the progress to the target, 0 to 1, and the sway, -1 to 1; None if the frame is empty."""
    if time >= STANDS + MOVES + HOLDS:
        return None
    share = float(np.clip((time - STANDS) / MOVES, 0.0, 1.0))
    smooth = share * share * (3 - 2 * share)
    return round(smooth, 6), round(float(np.sin(2 * np.pi * time)), 6) + 0.0


def _between(part: _Part, share: float, sway: float) -> BodyPose:
    """Return the interpolated pose: arms on arcs, all else straight."""

    def mixed(one: float, other: float) -> float:
        return one + share * (other - one)

    def turn(one: Turn, other: Turn) -> Turn:
        return Turn(mixed(one.forward, other.forward), mixed(one.side, other.side), mixed(one.round, other.round))

    def arm(side: str) -> Arm:
        ends = np.stack([arm_to_vector(pose.arms[side]) for pose in (start, end)])
        ends[:, :4], ends[:, 5:] = along_arcs(ends[:, :4]), along_arcs(ends[:, 5:])
        now = ends[0] + share * (ends[1] - ends[0])
        return vector_to_arm(now, now, now)

    start, end = part.current, part.target
    left, forward = (mixed(one, other) for one, other in zip(start.hip_shift, end.hip_shift, strict=True))
    return replace(
        start,
        hip_height=mixed(start.hip_height, end.hip_height),
        hip_shift=(left + _SWAY * sway, forward),
        arms={side: arm(side) for side in "LR"},
        pelvis=turn(start.pelvis, end.pelvis),
        chest=turn(start.chest, end.chest),
        head=turn(start.head, end.head),
    )


@functools.cache
def _stage(size: tuple[int, int]) -> Stage:
    room = make_room(_ROOM)
    seen: Camera = replace(room.spots[_SPOT].camera, size=size, height=HEIGHT)
    return Stage(room.shell, room.items, seen)


@functools.cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="fixmypose-films-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _jpeg(frame: Image.Image) -> bytes:
    file = io.BytesIO()
    frame.save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def _write(path: Path, frames: tuple[Image.Image, ...], size: tuple[int, int]) -> None:
    """Return a YUV4MPEG2 file, which unlike concatenated JPEG files states its frame rate."""
    known: dict[int, bytes] = {}
    with path.open("wb") as file:
        file.write(f"YUV4MPEG2 W{size[0]} H{size[1]} F{RATE}:1 Ip A1:1 C420jpeg\n".encode())
        for frame in frames:
            if id(frame) not in known:
                known[id(frame)] = _planes(frame)
            file.write(b"FRAME\n" + known[id(frame)])


def _planes(frame: Image.Image) -> bytes:
    """Y, then U and V of every second row and column, in the range of video (BT.601)."""
    red, green, blue = np.moveaxis(np.asarray(frame, dtype=np.float32) / 255, -1, 0)
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    planes = [16 + 219 * luma]
    for colour, scale in ((blue, 1.772), (red, 1.402)):
        height, width = luma.shape
        halved = ((colour - luma) / scale).reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3))
        planes.append(128 + 224 * halved)
    return b"".join(np.clip(np.rint(plane), 0, 255).astype(np.uint8).tobytes() for plane in planes)
