"""MediaPipe's estimator: photograph or frame -> joints by its pose landmarker.

A first look at the whole picture finds the people. The largest is then measured on squares of several sizes around
them, each plain and mirrored, and the looks that agree are averaged. This makes small people steadier, and a
mirrored photograph gives the mirrored pose. Where looks differ the joints are uncertain, which the pose samples
(``pose_samples``) express; if some looks show a back and others a front, the estimate has both. Each look's joints
get a better depth (:mod:`fmp_models.estimators.landmarks`), and are then levelled by the camera's tilt
(:mod:`fmp_models.estimators.camera_tilt`). If nobody is found at first, overlapping squares are searched, enlarged,
and in a darker and a lighter copy. All crops are square, because MediaPipe distorts tilted people in other shapes.

Native landmarkers are closed by a separate thread after their owner is garbage-collected. Garbage collection can
run anywhere, even while a thread pool holds its locks. Closing a landmarker also uses a thread pool, so closing it
during garbage collection could deadlock.
"""

from __future__ import annotations

import atexit
import itertools
import math
import os
import re
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import IO, NamedTuple

import mediapipe
import numpy as np
from mediapipe.tasks.python import BaseOptions
from mediapipe.tasks.python.vision import PoseLandmarker, PoseLandmarkerOptions, PoseLandmarkerResult, RunningMode
from numpy.typing import NDArray
from PIL import Image, ImageOps, ImageStat

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import Box, PersonPoint, PoseEstimate, box_within, estimate_of, shows_trunk
from fmp_models.estimators.camera_tilt import TiltEvidence, camera_tilt, tilt_by, tilt_evidence
from fmp_models.estimators.landmarks import (
    CERTAIN,
    FoundPerson,
    FrameLandmarks,
    LandmarkTracker,
    Lift,
    TrackedPerson,
    agreed,
    bundled_lifter,
    clear_looks,
    clearest_within,
    disputed_joints,
    landmarks_of,
    looks_at_one,
    other_heads,
    person_from,
    same_body,
)
from fmp_models.estimators.pair_alignment import face_opposite_ways, upside_down
from fmp_models.preprocessing import Photograph

_STANDARD_ERROR = 2
# Threads may write between the level, the message and the end of a line. Errors do not count as notices.
_NOTICE = re.compile(
    rb"(?:(?:INFO|WARNING): )*"
    rb"(?:\[\w+\.cc:\d+\] |Created TensorFlow Lite |Replacing \d+ |Logging before |All log messages before |\s*$)"
    rb"|[IW]\d{4} \d\d:\d\d:\d+\."
)


class HeldNotices:
    """A context that buffers standard error and writes everything except the notices at its end.

    Several threads can be in it at the same time; the last one ends it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads = 0
        self._stream = -1
        self._written: IO[bytes] | None = None

    def __enter__(self) -> None:
        """Redirect standard error to a file, unless there is no standard error or no space for the file."""
        with self._lock, suppress(OSError):
            self._threads += 1
            if self._threads == 1:
                self._stream = os.dup(_STANDARD_ERROR)
                self._written = tempfile.TemporaryFile()
                os.dup2(self._written.fileno(), _STANDARD_ERROR)

    def __exit__(self, *_: object) -> None:
        """Restore standard error, and write all lines that are not notices."""
        with self._lock, suppress(OSError):
            self._threads -= 1
            if self._threads or self._stream < 0:
                return
            os.dup2(self._stream, _STANDARD_ERROR)
            os.close(self._stream)
            self._stream = -1
            if self._written is not None:
                with self._written as written:
                    self._written = None
                    written.seek(0)
                    os.write(_STANDARD_ERROR, b"".join(line for line in written if not _NOTICE.match(line)))


NOTICES_HELD = HeldNotices()


# On Windows MediaPipe has treated absolute paths as relative to its own folder, and misread non-ASCII letters.
_GIVES_BYTES = os.name == "nt"
_gone: SimpleQueue[PoseLandmarker] = SimpleQueue()  # its put is reentrant; garbage collection can run at any time
_open: weakref.WeakSet[PoseLandmarker] = weakref.WeakSet()
_found_somebody = threading.Event()


def base_options(path: Path) -> BaseOptions:
    """Return MediaPipe's options for a model file on the CPU; raise ``pose_model_unreadable``."""
    if not _GIVES_BYTES:
        return BaseOptions(model_asset_path=str(path), delegate=BaseOptions.Delegate.CPU)
    try:
        return BaseOptions(model_asset_buffer=path.read_bytes(), delegate=BaseOptions.Delegate.CPU)
    except OSError:
        raise BadInputError("pose_model_unreadable") from None


def open_landmarker(owner: object, options: PoseLandmarkerOptions) -> PoseLandmarker:
    """Open a landmarker that is closed after its ``owner`` is collected; raise ``pose_model_unreadable``."""
    _start_closing()
    try:
        with NOTICES_HELD:
            landmarker = PoseLandmarker.create_from_options(options)
    except (RuntimeError, ValueError, OSError):
        raise BadInputError("pose_model_unreadable") from None
    _open.add(landmarker)
    weakref.finalize(owner, _gone.put, landmarker).atexit = False
    return landmarker


def detected(detect: Callable[..., PoseLandmarkerResult], *arguments: object) -> PoseLandmarkerResult:
    """Return what a method of a landmarker finds; there are notices until the first person in a process is found."""
    if _found_somebody.is_set():
        return detect(*arguments)
    with NOTICES_HELD:
        result = detect(*arguments)
    if result.pose_landmarks:
        _found_somebody.set()
    return result


def open_video_landmarker(owner: object, model: Path, certain: float) -> PoseLandmarker:
    """As :func:`open_landmarker`, for one person over frames; ``certain`` is the least confidence of a detection."""
    options = PoseLandmarkerOptions(
        base_options=base_options(model),
        running_mode=RunningMode.VIDEO,
        min_pose_detection_confidence=certain,
        min_tracking_confidence=certain,
    )
    return open_landmarker(owner, options)


def picture(pixels: NDArray[np.uint8]) -> mediapipe.Image:
    """Return MediaPipe's picture of RGB pixels (h, w, 3) that lie in one piece."""
    return mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=pixels)


@cache
def _start_closing() -> None:
    threading.Thread(target=_close_on, name="landmarkers", daemon=True).start()
    atexit.register(_leave_open)


def _close_on() -> None:
    while True:
        landmarker = _gone.get()
        try:
            with NOTICES_HELD:
                landmarker.close()
        except RuntimeError:  # the process exits, which frees the native model
            landmarker._handle = None  # noqa: SLF001
        del landmarker


def _leave_open() -> None:
    """Let the exiting process free open landmarkers.

    MediaPipe's own threads end before they could be closed, and a destructor would print a traceback.
    """
    for landmarker in list(_open):
        landmarker._handle = None  # noqa: SLF001


Square = tuple[int, int, int, int]  # left, top, right, bottom in whole pixels; may reach outside the picture
View = tuple[Square, bool]  # square, and whether it is mirrored

SEARCHED = (1.0, 0.7)  # sides of the searched squares, as shares of the picture's shorter side
_MAX_STEPS = 6  # maximum steps of half a square; on longer strips the squares are wider apart
LIGHTS = (1.0, 2.0, 0.5)  # brightness exponents: unchanged, darker for overexposed and lighter for dark pictures
_DARK, _BRIGHT = 50, 200  # mean grey levels beyond which another brightness is tried first


def lights_for(image: Image.Image) -> Sequence[float]:
    """Return the brightness exponents for searching a picture, the likeliest first."""
    brightness = ImageStat.Stat(image.convert("L")).mean[0]
    plain, darker, lighter = LIGHTS
    if brightness < _DARK:
        return lighter, plain, darker
    if brightness > _BRIGHT:
        return darker, plain, lighter
    return (plain, lighter, darker) if brightness < (_DARK + _BRIGHT) / 2 else (plain, darker, lighter)


def squares_over(size: tuple[int, int], share: float) -> list[Square]:
    """Return overlapping squares that cover a picture, with side ``share`` times its shorter side."""
    side = max(1, round(share * min(size)))
    columns, rows = (_starts(length, side) for length in size)
    return [(left, top, left + side, top + side) for top in rows for left in columns]


def _starts(length: int, side: int) -> list[int]:
    """Return the starts of squares of this side that cover a length and half overlap; wider apart on a long strip."""
    steps = min(math.ceil(2 * (length - side) / side), _MAX_STEPS)
    return [round(start) for start in np.linspace(0, length - side, steps + 1)]


def relit(image: Image.Image, power: float) -> Image.Image:
    """Return the picture with its brightness (0 to 1) raised to a power."""
    return image.point([round(255 * (value / 255) ** power) for value in range(256)] * 3)


def square_around(box: tuple[float, float, float, float], scale: float) -> Square:
    """Return a square centred on ``box``, with ``scale`` times its longer side."""
    left, top, right, bottom = box
    side = max(1, round(scale * max(right - left, bottom - top)))
    x, y = round((left + right - side) / 2), round((top + bottom - side) / 2)
    return x, y, x + side, y + side


_AT_ONCE = 2  # parallel looks; each needs a core and the model in memory
_MAX_PEOPLE = 5
_DETECTION = 0.3  # MediaPipe's own 0.5 misses small people in rendered rooms
_CLEAR = 0.7  # minimum mean limb visibility of a clear person; furniture mistaken for a person stays below
_PROBABLE = 0.4  # minimum to take a closer look at a person, and to count one in two such looks
_SMALL = 0.45  # share of the picture's longer side; next to a smaller person, others may be too small to see
_CROWD = 1  # number of other people from which still smaller ones are searched for
_MAX_OTHERS = 8  # people other than the measured one
MAX_LOOKS = 48  # per picture
_LOOKS_AT_CHOSEN = 16  # additional looks at a person chosen out of several
CROP_ZOOMS = (
    1.6,
    2.0,
    2.6,
    3.3,
)  # square sides in person lengths
_KNOWN_ZOOM = 2.0  # the same if the person's place is known
_PROBES = ((_KNOWN_ZOOM, False), (_KNOWN_ZOOM, True))  # zooms, plain and mirrored, that tell a person from a thing
_RESCALE = 1.25  # a person this many times longer or shorter than first estimated is measured again
_ENLARGED = 512  # smaller squares are enlarged to this side in pixels, for small people
_TRIED = 3  # clearest detections of a search that get a closer look


class MeasuredPeople(NamedTuple):
    """The ``people`` in a picture, the ``looks`` at the measured person, and all people ``seen``, certain or not."""

    people: list[FoundPerson]
    looks: list[FoundPerson]
    seen: list[FoundPerson]


class Examination:
    """All looks at one picture: every person in them, and the number of looks left."""

    def __init__(self, look_at: Callable[[Image.Image, Sequence[View]], list[list[FoundPerson]]]) -> None:
        """Start without looks; ``look_at`` returns the people in each view of a picture."""
        self._look_at = look_at
        self.seen: list[FoundPerson] = []
        self.looks_left = MAX_LOOKS

    def looks(self, image: Image.Image, views: Sequence[View]) -> list[list[FoundPerson]]:
        """Return the people in each view, or in the first views if too few looks are left."""
        every = self._look_at(image, views[: self.looks_left])
        self.looks_left -= len(every)
        self.seen += itertools.chain(*every)
        return every


class MediaPipeEstimator:
    """MediaPipe's pose landmarker on the CPU, loaded from ``model_path`` at first use; thread-safe."""

    def __init__(self, model_path: Path, *, lifts: bool = True) -> None:
        """Create an estimator from a ``pose_landmarker_*.task`` file, see :mod:`fmp_models.estimators.pose_models`.

        If ``lifts`` is false, joints keep MediaPipe's depth. Raise the errors of :func:`bundled_lifter`.
        """
        lifter = bundled_lifter() if lifts else None
        self._lift = None if lifter is None else lifter.joints
        lifted = "" if lifter is None else f"+lifter-{lifter.revision}"
        self.name = f"mediapipe-{mediapipe.__version__}/{model_path.stem}{lifted}"
        self.pose_model = model_path
        self._idle: list[PoseLandmarker] = []  # a landmarker is not re-entrant, so each look uses its own
        self._free = threading.Semaphore(_AT_ONCE)
        self._threads = ThreadPoolExecutor(_AT_ONCE, "pose")

    def load(self) -> None:
        """Open the pose model now instead of at the first look; raise ``pose_model_unreadable``."""
        with self._landmarker():
            pass

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Measure the largest person.

        Raise :class:`BadInputError`: ``no_person``, ``body_hidden`` (the trunk or half of the limbs are not visible),
        ``pose_model_unreadable``. The first two name the photograph as "given"; a caller with two photographs replaces
        that.
        """
        return self._estimate_of(photograph, None)

    def estimate_near(self, photograph: Photograph, place: PersonPoint) -> PoseEstimate:
        """Measure the person whose box has its middle nearest to the place; raise the errors of :meth:`estimate`."""
        width, height = photograph.image.size
        return self._estimate_of(photograph, (place[0] * width, place[1] * height))

    def new_tracker(self) -> MediaPipeTracker:
        """Return a tracker of one person over the frames of a video stream."""
        return MediaPipeTracker(self.pose_model, self._lift)

    def new_landmark_tracker(self) -> LandmarkTracker:
        """Return a tracker of landmarks that this pose model found elsewhere."""
        return LandmarkTracker(self._lift)

    def _estimate_of(self, photograph: Photograph, person_point: tuple[float, float] | None) -> PoseEstimate:
        measured = self._measured(photograph.image, person_point)
        looks = clear_looks(measured.looks)
        person = agreed(looks)
        evidence = tilt_evidence(photograph.image, person.metres, person.pixels)
        size, people, seen = photograph.image.size, measured.people, measured.seen
        turned = [look for look in looks if face_opposite_ways(look.metres, person.metres)]
        facing = [look for look in looks if not face_opposite_ways(look.metres, person.metres)]
        estimate = _pose_estimate(facing, size, evidence, people, seen)
        if not turned:
            return estimate
        try:
            other_way = _pose_estimate(turned, size, evidence, people, seen)
        except BadInputError:  # too little of a body is visible in these looks
            return estimate
        return replace(estimate, turned=other_way, turned_share=len(turned) / len(looks))

    def estimate_at(self, photograph: Photograph, box: Box, mirrored: Sequence[bool] = (False, True)) -> PoseEstimate:
        """Measure the person whose joints lie in the ``box``; faster than :meth:`estimate` for many pictures.

        One look for each of ``mirrored`` is enough if all show the same body there. Otherwise all looks of
        :meth:`estimate` are taken, without a search elsewhere. Before lifting, the joints of two looks differ from
        those of :meth:`estimate` by two centimetres on average, and those of one look by four.
        """
        image = photograph.image
        looks = self.looks_at(image, box, [(_KNOWN_ZOOM, is_mirrored) for is_mirrored in mirrored])
        if len(looks) < len(mirrored) or len(same_body(looks)) < len(looks) or disputed_joints(looks).any():
            looks = self.looks_at(
                image, box, [(zoom, is_mirrored) for zoom in CROP_ZOOMS for is_mirrored in (False, True)]
            )
            if not looks:
                raise BadInputError("no_person", which="given")
        person = agreed(looks)
        return _pose_estimate(looks, image.size, tilt_evidence(image, person.metres, person.pixels))

    def looks_at(self, image: Image.Image, box: Box, views: Sequence[tuple[float, bool]]) -> list[FoundPerson]:
        """Return the person whose trunk lies in the ``box``, in each of the ``views`` that shows them.

        A view is the side of a square in box lengths, and whether it is mirrored.
        """
        return self._in_box(image, box, [(square_around(box, zoom), mirrored) for zoom, mirrored in views])

    def _in_box(self, image: Image.Image, box: Box, views: Sequence[View]) -> list[FoundPerson]:
        """Return the person in the box, in each of the ``views`` that shows one."""
        looks = [clearest_within(box, people_seen) for people_seen in self._looks(image, views)]
        return [look for look in looks if look is not None]

    def _measured(self, image: Image.Image, person_point: tuple[float, float] | None = None) -> MeasuredPeople:
        """Return all people, and closer looks at the one nearest to pixel ``person_point``, else at the largest.

        If closer looks show no person, or contradict each other, the picture is searched square by square. With so
        many looks a plant is sometimes mistaken for a person, so a person found this late must be clear.
        """
        examination = Examination(self._looks)
        (first,) = examination.looks(image, [(square_around((0.0, 0.0, *image.size), 1.0), False)])
        people = _distinct(first)
        looks = self._closely(examination, image, max(people, key=lambda one: one.area)) if people else []
        if not _steady(looks):
            looks = self._searched(examination, image, looks)
        if not looks:
            raise BadInputError("no_person", which="given")
        people = [agreed(looks), *self._others(examination, image, agreed(looks))]
        if person_point is not None and (chosen := _person_at(people, person_point, image.size)) is not people[0]:
            examination.looks_left += _LOOKS_AT_CHOSEN
            looks = self._closely(examination, image, chosen) or [chosen]
        return MeasuredPeople(people, looks, examination.seen)

    def _searched(self, examination: Examination, image: Image.Image, looks: list[FoundPerson]) -> list[FoundPerson]:
        """Return looks at a clear person in squares of the picture; else the given ``looks``.

        All looks at one person are kept. Stopping as soon as some looks agree would accept chance agreement.
        """
        for power, share in itertools.product(lights_for(image), SEARCHED):
            light = relit(image, power)
            squares = [(square, False) for square in squares_over(image.size, share)]
            found = itertools.chain(*examination.looks(light, squares))
            for person in sorted(found, key=lambda look: look.clarity, reverse=True)[:_TRIED]:
                if len(probes := self._probes(examination, light, person)) < len(_PROBES):
                    continue
                closer = self._closely(examination, light, agreed(probes))
                if looks and closer and agreed(closer).is_same(agreed(looks)):
                    looks = [*looks, *closer]
                    if _steady(looks):
                        return looks
                elif _steady(closer) and agreed(closer).clarity >= _CLEAR:
                    return closer
        return looks

    def _others(self, examination: Examination, image: Image.Image, person: FoundPerson) -> list[FoundPerson]:
        """Return the other people that two closer looks confirm, including people near them in these looks.

        Small people are searched for in squares of the picture if there is a sign of others.
        """
        known, others = [person], list[FoundPerson]()
        self._count(examination, image, known, others)
        if len(known) > 1 or person.length < _SMALL * max(image.size):
            for share, least in zip(SEARCHED, (0, _CROWD), strict=True):
                if len(others) >= least:
                    examination.looks(image, [(square, False) for square in squares_over(image.size, share)])
                    self._count(examination, image, known, others)
        return others

    def _count(
        self, examination: Examination, image: Image.Image, known: list[FoundPerson], others: list[FoundPerson]
    ) -> None:
        """Take closer looks at each seen person who is not ``known``, and add confirmed ones to ``others``."""
        while len(others) < _MAX_OTHERS:
            doubtful = [look for look in examination.seen if not any(look.is_same(one) for one in known)]
            if not doubtful:
                break
            known.append(max(doubtful, key=lambda look: look.clarity))
            probes = self._probes(examination, image, known[-1])
            if len(probes) < len(_PROBES) or len(same_body(probes)) < len(probes):
                continue
            other, (person, *_) = agreed(probes), known
            least = _CLEAR if other.within(person) else _PROBABLE
            if other.clarity >= least and not any(other.is_same(one) for one in (person, *others)):
                others.append(other)
                known.append(other)

    def _probes(self, examination: Examination, image: Image.Image, person: FoundPerson) -> list[FoundPerson]:
        """Return those of two closer looks that show the person."""
        every = examination.looks(image, [(square_around(person.box, zoom), mirrored) for zoom, mirrored in _PROBES])
        return [look for look in looks_at_one(person, every) if look.clarity >= _PROBABLE]

    def _closely(self, examination: Examination, image: Image.Image, person: FoundPerson) -> list[FoundPerson]:
        """Return looks at one person, repeated if the first size was wrong; empty if no look shows a person.

        If a body is cut off, MediaPipe sees a face in a shirt on wide squares; the first looks then agree better.
        """
        looks = self._around(examination, image, person)
        if looks:
            again = agreed(looks)
            if max(again.length, person.length) > _RESCALE * min(again.length, person.length):
                looks = max(self._around(examination, image, again), looks, key=lambda some: len(same_body(some)))
        return looks

    def _around(self, examination: Examination, image: Image.Image, person: FoundPerson) -> list[FoundPerson]:
        """Return the person in squares of every zoom, plain and mirrored."""
        views = [(square_around(person.box, zoom), mirrored) for zoom in CROP_ZOOMS for mirrored in (False, True)]
        return looks_at_one(person, examination.looks(image, views))

    def _looks(self, image: Image.Image, views: Sequence[View]) -> list[list[FoundPerson]]:
        """Return the people in each square, plain or mirrored; looks run in parallel."""
        return list(self._threads.map(lambda view: self._look(image, view[0], mirrored=view[1]), views))

    @contextmanager
    def _landmarker(self) -> Iterator[PoseLandmarker]:
        """Provide a landmarker for exclusive use."""
        with self._free:
            try:
                landmarker = self._idle.pop()
            except IndexError:
                landmarker = open_landmarker(self, _options(self.pose_model))
            try:
                yield landmarker
            finally:
                self._idle.append(landmarker)

    def _look(self, image: Image.Image, square: Square, *, mirrored: bool = False) -> list[FoundPerson]:
        """Return the people in a square of the picture, in the picture's own pixels and handedness."""
        cut = image.crop(square)
        side = cut.width
        if side < _ENLARGED:  # MediaPipe's own scaling is too coarse for small people
            cut = cut.resize((_ENLARGED, _ENLARGED), Image.Resampling.BICUBIC)
        pixels = np.ascontiguousarray(np.asarray(ImageOps.mirror(cut) if mirrored else cut))
        with self._landmarker() as landmarker:
            result = detected(landmarker.detect, picture(pixels))
        people = []
        for points, metres, visibility in landmarks_of(result, side):
            if mirrored:
                points, metres = points * (-1, 1) + (side, 0), metres * (-1, 1, 1)  # noqa: PLW2901
            people.append(person_from(points + square[:2], metres, visibility, mirrored=mirrored, lift=self._lift))
        return people


def _pose_estimate(
    looks: Sequence[FoundPerson],
    size: tuple[int, int],
    evidence: TiltEvidence,
    people: Sequence[FoundPerson] = (),
    seen: Sequence[FoundPerson] = (),
) -> PoseEstimate:
    """Return the estimate from looks at one person, who is one of ``people`` and ``seen``."""
    person = agreed(looks)
    others = tuple(other.box for other in people if not other.is_same(person))
    heads = other_heads(person, sorted(seen, key=lambda look: look.clarity, reverse=True))
    metres = np.array([person.metres, *(look.metres for look in looks)])
    tilt = tilt_by([evidence])
    joints, *bodies = tilt.levelled(metres)
    faces = [look.gaze for look in looks]
    gazes = None if any(face is None for face in faces) else tilt.levelled(np.array(faces))
    estimate = estimate_of(
        joints,
        person.pixels,
        person.visibility,
        person.box,
        size,
        others,
        heads=heads,
        looks=bodies,
        gazes=gazes,
        disputed=disputed_joints(looks),
    )
    return replace(estimate, turned_by=180 if upside_down(joints) else 0, tilt=tilt, tilt_evidence=evidence)


def _person_at(people: Sequence[FoundPerson], place: tuple[float, float], size: tuple[int, int]) -> FoundPerson:
    """Return the person whose displayed box has its middle nearest to the pixel."""

    def away(person: FoundPerson) -> float:
        left, top, right, bottom = box_within(person.box, size)
        return math.dist(((left + right) / 2, (top + bottom) / 2), place)

    return min(people, key=away)


def _distinct(looks: Sequence[FoundPerson]) -> list[FoundPerson]:
    """Return each person once, clearest first; uncertain detections only if none is clear."""
    people: list[FoundPerson] = []
    for person in sorted(looks, key=lambda look: look.clarity, reverse=True):
        if people and person.clarity < _CLEAR:
            break
        if not any(person.is_same(known) for known in people):
            people.append(person)
    return people


def _steady(looks: Sequence[FoundPerson]) -> bool:
    """Return whether there are enough looks and more than half of them show one body with a visible trunk."""
    return (
        len(looks) > len(CROP_ZOOMS)
        and 2 * len(same_body(looks)) > len(looks)
        and shows_trunk(agreed(looks).visibility)
    )


def _options(path: Path) -> PoseLandmarkerOptions:
    return PoseLandmarkerOptions(
        base_options=base_options(path),
        num_poses=_MAX_PEOPLE,
        min_pose_detection_confidence=_DETECTION,
    )


class MediaPipeTracker:
    """MediaPipe's pose landmarker over one sequence of frames; not thread-safe."""

    def __init__(self, model_path: Path, lift: Lift | None) -> None:
        """Open a ``pose_landmarker_*.task`` file; raise ``pose_model_unreadable``.

        ``lift`` is that of :func:`person_from`.
        """
        self._landmarker = open_video_landmarker(self, model_path, CERTAIN)
        self._landmarks = LandmarkTracker(lift)
        self._last = -1

    def track(self, frame: Image.Image, at: float) -> TrackedPerson | None:
        """Return the person as in :class:`Tracker`; a time not after the last one counts as a millisecond after it."""
        self._last = max(self._last + 1, round(at * 1000))
        side = max(frame.size)
        square = np.ascontiguousarray(np.asarray(frame.crop((0, 0, side, side))))
        seen = detected(self._landmarker.detect_for_video, picture(square), self._last)
        found = next(landmarks_of(seen, side), None)
        if found is None:
            return None
        return self._landmarks.track_in(
            FrameLandmarks(*found, frame.size),
            self._last / 1000,
            lambda person: camera_tilt(frame, person.metres, person.pixels),
        )
