"""Photographs from annotators: crops, decoding, face redaction, and storage in memory until the answer."""

from __future__ import annotations

import hashlib
import io
import math
import secrets
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from annotate.errors import RefusedError
from annotate.ports import Examine, Examined, FaceBox
from fmp_models.common import DecodingBudget, PhotographError, read_pixels

# Person crop: one square around the person for all pictures of a question, so that they can be compared.

_REACH = 1.3  # side of the square relative to the joints' box: head, hands and feet reach beyond it
_USELESS = 0.9  # relative to the longer side of a picture: a larger square would hardly enlarge the person


@dataclass(frozen=True)
class SeenPerson:
    """The ``size`` of a picture (width and height in pixels), and the four edges of its largest person's box."""

    size: tuple[int, int]
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class CropPosition:
    """The position of a picture behind a square window: its width, left and top in percent of the window."""

    width: float
    left: float
    top: float


def person_crop(persons: Iterable[SeenPerson | None]) -> CropPosition | None:
    """Return one square for all pictures; None if their sizes differ, a person is missing, or fills the picture."""
    people = list(persons)
    present = [person for person in people if person is not None]
    if not present or len(present) < len(people) or len({person.size for person in present}) > 1:
        return None
    wide, high = present[0].size
    lows = [min(person.box[side] for person in present) for side in (0, 1)]
    highs = [max(person.box[side] for person in present) for side in (2, 3)]
    side = _REACH * max(highs[0] - lows[0], highs[1] - lows[1])
    if not 0 < side < _USELESS * max(wide, high):
        return None
    left, top = (_start(low, far, side, length) for low, far, length in zip(lows, highs, (wide, high), strict=True))
    return CropPosition(100 * wide / side, -100 * left / side, -100 * top / side)


def _start(low: float, far: float, side: float, length: int) -> float:
    """Return where the square begins: centred on the box, and within the picture if possible."""
    middle = (low + far - side) / 2
    return (length - side) / 2 if side >= length else min(max(middle, 0.0), length - side)


# Photograph decoding: an uploaded file becomes bounded, upright RGB pixels, and a JPEG of only these pixels.
#
# The pixels are pasted on a new picture, so that no name, place, date, thumbnail or comment of the file is
# kept. A colour profile is applied and dropped.

# Pixels of one photograph, counted once for each scan: a picture of the maximum size in twelve scans has 0.6 billion.
MAX_DECODED_PIXELS = 1_000_000_000

_QUALITY = 90


def read_photograph(data: bytes) -> Image.Image:
    """Decode one uploaded file to upright RGB, with the longest side at most ``MAX_SIDE`` pixels.

    Raise :class:`RefusedError` with the codes of :func:`fmp_models.common.picture_files.read_pixels`.
    """
    try:
        return read_pixels(data, DecodingBudget(MAX_DECODED_PIXELS))
    except PhotographError as error:
        raise RefusedError(error.code, **error.details) from None


def to_jpeg(image: Image.Image) -> bytes:
    """Return the pixels as a JPEG file without metadata."""
    file, clean = io.BytesIO(), Image.new("RGB", image.size)
    clean.paste(image)
    clean.save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def is_small_jpeg(data: bytes, side: int) -> bool:
    """Return whether this is a JPEG of at most ``side`` pixels in each direction, without decoding it."""
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data), formats=["JPEG"]) as picture:
            return max(picture.size) <= side
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return False


# Irreversible face redaction: each face is covered with a few blurred spots of its mean colours plus noise.
#
# Inside a marked head, the result only depends on the mean colours of the spots. The added noise is not stored,
# so that no sharpening can restore the face. The caller passes the heads, from a pose estimate or drawn by
# hand. A photograph without a marked head is refused; it is never treated as one without faces.

STRENGTHS = (1, 2, 3, 4, 5)
DEFAULT_STRENGTH = 3
MAX_FACES = 20
MIN_BOX_PX = 8  # minimum width and height of a box

_LARGER = math.sqrt(2)  # ratio of the painted ellipse to the box, so that it covers the corners
_FEATHER = 0.15  # width of the soft edge outside of the ellipse, relative to its size
_COLOUR_NOISE, _GRAIN = 14.0, 5.0  # of 255

Pixels = NDArray[np.float64]


def private_photograph(data: bytes, faces: Iterable[FaceBox], strength: int = DEFAULT_STRENGTH) -> bytes:
    """Return the JPEG of an uploaded file that may be stored: without metadata, with its marked faces redacted.

    Raise :class:`RefusedError` as :func:`read_photograph` and :func:`without_faces`.
    """
    return to_jpeg(without_faces(read_photograph(data), faces, strength))


def without_faces(image: Image.Image, faces: Iterable[FaceBox], strength: int = DEFAULT_STRENGTH) -> Image.Image:
    """Redact every marked face; of the ``STRENGTHS``, 1 keeps most of the colours, but no face either.

    Raise :class:`RefusedError`: ``faces_unmarked``, ``faces_too_many``, ``face_box_unusable``,
    ``answer_malformed``.
    """
    marked = list(faces)
    if strength not in STRENGTHS or isinstance(strength, bool):
        raise RefusedError("answer_malformed", field="strength")
    if not marked:
        raise RefusedError("faces_unmarked")
    if len(marked) > MAX_FACES:
        raise RefusedError("faces_too_many", limit=MAX_FACES)
    for box in marked:
        _check(box, image)
    pixels = np.asarray(image.convert("RGB"), dtype=np.float64)
    rng = np.random.default_rng()  # unseeded, so that the noise cannot be subtracted
    for box in marked:
        pixels = _painted_over(pixels, box, strength, rng)
    return Image.fromarray(pixels.round().clip(0, 255).astype(np.uint8))


def _check(box: FaceBox, image: Image.Image) -> None:
    sides = (box.x, box.y, box.width, box.height)
    usable = all(isinstance(side, int | float) and math.isfinite(side) for side in sides)
    inside = usable and box.x < image.width and box.y < image.height and box.x + box.width > 0 < box.y + box.height
    if not inside or min(box.width, box.height) < MIN_BOX_PX:
        raise RefusedError("face_box_unusable", limit_px=MIN_BOX_PX)


def _painted_over(pixels: Pixels, box: FaceBox, strength: int, rng: np.random.Generator) -> Pixels:
    """Return ``pixels`` (height, width, 3) with one ellipse of spots; the soft edge lies wholly outside of it."""
    height, width = pixels.shape[:2]
    middle = box.x + box.width / 2, box.y + box.height / 2
    half = _LARGER * box.width / 2, _LARGER * box.height / 2
    reach = 1 + _FEATHER
    left, right = (int(np.clip(middle[0] + side * reach * half[0], 0, width)) for side in (-1, 1))
    top, bottom = (int(np.clip(middle[1] + side * reach * half[1], 0, height)) for side in (-1, 1))
    right, bottom = max(right, left + 1), max(bottom, top + 1)
    left, top = min(left, width - 1), min(top, height - 1)
    part = pixels[top:bottom, left:right]
    down, across = np.mgrid[top : top + part.shape[0], left : left + part.shape[1]]
    away = np.hypot((across + 0.5 - middle[0]) / half[0], (down + 0.5 - middle[1]) / half[1])
    cover = np.clip((reach - away) / _FEATHER, 0, 1)[..., None]
    painted = pixels.copy()
    painted[top:bottom, left:right] = cover * _spots(part, strength, rng) + (1 - cover) * part
    return painted


def _spots(part: Pixels, strength: int, rng: np.random.Generator) -> Pixels:
    """Return a picture of the same size made of a few mean colours with noise; a higher strength gives fewer spots."""
    count = max(STRENGTHS) + 1 - strength  # in each direction
    size = part.shape[1], part.shape[0]
    mosaic = Image.fromarray(part.round().clip(0, 255).astype(np.uint8)).resize((count, count), Image.Resampling.BOX)
    colours = np.asarray(mosaic, dtype=np.float64) + rng.normal(0, _COLOUR_NOISE, (count, count, 3))
    spots = Image.fromarray(colours.round().clip(0, 255).astype(np.uint8)).resize(size, Image.Resampling.BICUBIC)
    soft = spots.filter(ImageFilter.GaussianBlur(max(size) / (2 * count)))
    return np.asarray(soft, dtype=np.float64) + rng.normal(0, _GRAIN, part.shape)


# Pending photographs of a real pair, from upload to answer: examined, redacted, and held in memory.
#
# No photograph is written to disk here. An upload is decoded to pixels, examined, and held for a while under a
# random id of this version. Each change of its boxes or its strength gives a new id, so that exactly the
# version that a person approved is stored. A client cannot upload a picture as redacted already.

Which = Literal["current", "target"]

WHICH: tuple[Which, ...] = ("current", "target")
MIN_PERSON_PX = 128  # pixels of a person's longer side; simulated people have about 130
# Mean joint distance in metres. On simulated pictures and photographs, a person in the same pose as the simulated one
# is up to 0.14 away, the estimator's error between viewpoints. A lunge with raised arms is 0.25 and more
# away from standing, bending and sitting poses.
MAX_POSE_DISTANCE_M = 0.20
# Metres by which the mirror image, or the other pose of the pair, must fit better to be reported. In the
# sample's pairs no correct picture is that much nearer to the other pose, and swapped pictures are found if the poses
# are 15 cm apart (tests/real/test_photographs_of_a_pair.py).
CLEAR_DIFFERENCE_M = 0.05
HELD_SECONDS = 27 * 60.0  # the page says half an hour, and deletion takes up to a tenth longer
MAX_PHOTOS = 120  # of all people together; each takes up to half a megabyte, twice
MAX_PHOTOS_PER_PERSON = 4  # the photographs of two pairs
MAX_WAIT_SECONDS = 15.0  # seconds that a photograph waits in the queue
MAX_WAITING_PHOTOS = 6  # in the decoding queue, and as many in the redaction queue
PHOTO_THREADS = 2 * MAX_WAITING_PHOTOS + 2  # the threads of both queues, and two to answer requests that find them full


@dataclass(frozen=True)
class PendingPhoto:
    """One version of a photograph; ``private`` is the redacted JPEG to store, None while no face is marked."""

    id: str
    annotator: str
    task: str
    which: Which
    until: float
    original: bytes = field(repr=False)
    size: tuple[int, int]
    detected: tuple[FaceBox, ...]
    checks: Mapping[str, Any]
    digest: str
    drawn: tuple[FaceBox, ...] = ()
    strength: int = DEFAULT_STRENGTH
    private: bytes | None = field(default=None, repr=False)

    @property
    def marked(self) -> tuple[FaceBox, ...]:
        """Every box that is redacted."""
        return (*self.detected, *self.drawn)


@dataclass
class PhotoLimiter:
    """A limiter of work on photographs: one at a time, a short queue with a timeout, one photograph per person."""

    most: int = MAX_WAITING_PHOTOS
    patience: float = MAX_WAIT_SECONDS
    _people: set[str] = field(default_factory=set, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _work: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @contextmanager
    def turn(self, person: str) -> Iterator[None]:
        """Wait in the queue and hold the lock; raise :class:`RefusedError` ``photo_another``, ``photo_busy``."""
        with self._lock:
            if person in self._people:
                raise RefusedError("photo_another")
            if len(self._people) >= self.most:
                raise RefusedError("photo_busy")
            self._people.add(person)
        try:
            with self.working(self.patience):
                yield
        finally:
            with self._lock:
                self._people.discard(person)

    @contextmanager
    def working(self, patience: float) -> Iterator[None]:
        """Hold the lock, after at most ``patience`` seconds of waiting; raise :class:`RefusedError` ``photo_busy``."""
        if not self._work.acquire(timeout=patience):
            raise RefusedError("photo_busy")
        try:
            yield
        finally:
            self._work.release()


@dataclass
class PendingPhotoStore:
    """The photographs that wait for approval; ``now`` returns the time in seconds."""

    examine: Examine
    now: Callable[[], float] = time.time
    _held: OrderedDict[tuple[str, str, Which], PendingPhoto] = field(
        default_factory=OrderedDict, init=False, repr=False
    )
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _opening: PhotoLimiter = field(default_factory=PhotoLimiter, init=False, repr=False)  # a large one takes a gigabyte
    _painting: PhotoLimiter = field(default_factory=PhotoLimiter, init=False, repr=False)
    # One thread, since the allocator keeps freed memory for each thread: hundreds of megabytes.
    _decoder: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1), init=False, repr=False)
    _sweeping: bool = field(default=False, init=False, repr=False)

    def receive(
        self, annotator: str, task: str, which: Which, data: bytes, pair: Mapping[Which, bytes]
    ) -> PendingPhoto:
        """Examine an uploaded file against the pictures of the pair; it replaces the photograph uploaded before.

        Raise :class:`RefusedError`: ``photo_…``, among them ``photo_several_people``, ``photo_person_small``,
        ``photo_pose_mirrored``, ``photo_pose_other``, ``photo_pose_far``, ``photo_busy``, ``photo_another``.
        """
        with self._opening.turn(annotator):
            image = self._decoder.submit(read_photograph, data).result()
            original = to_jpeg(image)
            examined = self.examine(original, pair[which], pair["target" if which == "current" else "current"])
            demand_fit(examined, max(image.size))
            photo = PendingPhoto(
                id="",
                annotator=annotator,
                task=task,
                which=which,
                until=0.0,
                original=original,
                size=image.size,
                detected=examined.faces,
                checks=_checks(examined),
                digest=hashlib.sha256(original).hexdigest(),
            )
            return self._redact(photo)

    def paint(self, photo: PendingPhoto, *, strength: int, drawn: tuple[FaceBox, ...]) -> PendingPhoto:
        """Redact again; raise as :func:`without_faces`, and as :meth:`receive`."""
        with self._painting.turn(photo.annotator):
            return self._redact(replace(photo, strength=strength, drawn=drawn))

    def find(self, annotator: str, id: str) -> PendingPhoto:  # noqa: A002  the usual name of this argument
        """Return the photograph with this id; raise ``photo_gone`` if it is another's, an older version or expired."""
        with self._lock:
            self._forget_old()
            for photo in self._held.values():
                if (photo.annotator, photo.id) == (annotator, id) and photo.original:
                    return photo
        raise RefusedError("photo_gone")

    def of(self, annotator: str, task: str) -> dict[Which, PendingPhoto]:
        """Return the photographs that are held for a task."""
        with self._lock:
            self._forget_old()
            photos = ((which, self._held.get((annotator, task, which))) for which in WHICH)
            return {which: photo for which, photo in photos if photo is not None}

    def answer(self, annotator: str, task: str, approved: Collection[str]) -> dict[str, Any]:
        """Return the two approved photographs and their measurements, as fields of the answer.

        Raise :class:`RefusedError`: ``photo_gone``, ``faces_unapproved``, ``photo_twice``.
        """
        photos = self.of(annotator, task)
        if len(photos) < len(WHICH):
            raise RefusedError("photo_gone")
        pictures: dict[str, bytes] = {}
        for which, photo in photos.items():
            if photo.private is None or photo.id not in approved:
                raise RefusedError("faces_unapproved")
            pictures[which] = photo.private
        if len({photo.digest for photo in photos.values()}) == 1:
            raise RefusedError("photo_twice")
        checks = {
            which: {
                **photo.checks,
                "faces_found": len(photo.detected),
                "faces_drawn": len(photo.drawn),
                "strength": photo.strength,
            }
            for which, photo in photos.items()
        }
        return {**pictures, "checks": checks}

    def settle(self, annotator: str, task: str) -> None:
        """Drop the originals once the answer is saved; approved versions stay until they expire, for a retry."""
        with self._lock:
            for place in [(annotator, task, which) for which in WHICH]:
                if place in self._held:
                    self._held[place] = replace(self._held[place], original=b"")

    def drop(self, annotator: str, task: str | None = None) -> None:
        """Drop the photographs of a person, or of one of their tasks."""
        with self._lock:
            for place in [place for place in self._held if place[0] == annotator and task in {None, place[1]}]:
                del self._held[place]

    def _redact(self, photo: PendingPhoto) -> PendingPhoto:
        private = None
        if photo.marked:
            private = private_photograph(photo.original, photo.marked, photo.strength)
        redacted = replace(photo, id=secrets.token_hex(16), private=private, until=self.now() + HELD_SECONDS)
        with self._lock:
            self._held.pop((photo.annotator, photo.task, photo.which), None)
            self._held[photo.annotator, photo.task, photo.which] = redacted
            self._forget_beyond(photo.annotator)
            self._forget_old()
            self._sweep_later()
        return redacted

    def _sweep_later(self) -> None:
        """Schedule the deletion of expired photographs, which must not depend on further requests."""
        if self._held and not self._sweeping:
            self._sweeping = True
            timer = threading.Timer(HELD_SECONDS / 10, self._sweep)
            timer.daemon = True
            timer.start()

    def _sweep(self) -> None:
        with self._lock:
            self._sweeping = False
            self._forget_old()
            self._sweep_later()

    def _forget_beyond(self, annotator: str) -> None:
        """Drop a person's photographs beyond the limit: those of saved answers first, then the oldest."""
        places = [place for place in self._held if place[0] == annotator]
        places.sort(key=lambda place: bool(self._held[place].original))
        for place in places[: max(0, len(places) - MAX_PHOTOS_PER_PERSON)]:
            del self._held[place]

    def _forget_old(self) -> None:
        """Drop expired photographs and those beyond the limit; the oldest come first."""
        while self._held:
            place, photo = next(iter(self._held.items()))
            if photo.until > self.now() and len(self._held) <= MAX_PHOTOS:
                return
            del self._held[place]

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Hold the decoding lock for a photograph that is not stored; raise ``photo_busy`` at once if it is taken."""
        with self._opening.working(patience=0.0):
            yield


def demand_fit(examined: Examined, side: int) -> None:
    """Raise unless the photograph shows one person, large enough and in the pose to re-enact.

    ``side`` is the longer side of the picture in pixels. The picture was scaled down, so errors give shares of
    it.
    """
    if examined.people > 1:
        raise RefusedError("photo_several_people", people=examined.people)
    if examined.size < MIN_PERSON_PX:
        raise RefusedError("photo_person_small", limit_percent=min(100, math.ceil(100 * MIN_PERSON_PX / side)))
    if examined.pose_distance is None:
        return
    if examined.other is not None and examined.other <= min(
        MAX_POSE_DISTANCE_M, examined.pose_distance - CLEAR_DIFFERENCE_M
    ):
        raise RefusedError("photo_pose_other")
    if examined.pose_distance <= MAX_POSE_DISTANCE_M:
        return
    if examined.mirrored is not None and examined.mirrored <= min(
        MAX_POSE_DISTANCE_M, examined.pose_distance - CLEAR_DIFFERENCE_M
    ):
        raise RefusedError("photo_pose_mirrored")
    raise RefusedError(
        "photo_pose_far", apart_cm=round(100 * examined.pose_distance), limit_cm=round(100 * MAX_POSE_DISTANCE_M)
    )


def drawn_box(value: object, size: tuple[int, int]) -> FaceBox:
    """Return a box drawn by hand, in pixels; raise ``answer_malformed`` if it is not four numbers.

    ``value`` is left, top, width and height as shares of the picture.
    """
    numbers = value if isinstance(value, list) and len(value) == 4 else [math.nan] * 4  # noqa: PLR2004
    if not all(
        isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number) for number in numbers
    ):
        raise RefusedError("answer_malformed", field="box")
    x, y, width, height = (float(max(-1, min(number, 2))) for number in numbers)
    return FaceBox(x * size[0], y * size[1], width * size[0], height * size[1])


def with_box(drawn: tuple[FaceBox, ...], box: FaceBox, detected: int) -> tuple[FaceBox, ...]:
    """Return the drawn boxes with one more; raise ``faces_too_many`` beyond the limit."""
    if len(drawn) + detected >= MAX_FACES:
        raise RefusedError("faces_too_many", limit=MAX_FACES)
    return (*drawn, box)


def checked_strength(value: object) -> int:
    """Return one of the strengths; raise ``answer_malformed`` for other values."""
    if isinstance(value, bool) or not isinstance(value, int) or value not in STRENGTHS:
        raise RefusedError("answer_malformed", field="strength")
    return value


def _checks(examined: Examined) -> dict[str, Any]:
    return {
        "estimator": examined.estimator,
        "person_px": round(examined.size),
        "apart_m": None if examined.pose_distance is None else round(examined.pose_distance, 3),
        # Measured before the face was redacted, since without it an estimator may confuse left and right.
        "joints_m": examined.joints,
    }
