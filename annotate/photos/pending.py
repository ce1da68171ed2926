"""Pending photographs of a real pair, from upload to answer: examined, redacted, and held in memory.

No photograph is written to disk here. An upload is decoded to pixels, examined, and held for a while under a
random id of this version. Each change of its boxes or its strength gives a new id, so that exactly the
version that a person approved is stored. A client cannot upload a picture as redacted already.
"""

from __future__ import annotations

import hashlib
import math
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from annotate.errors import RefusedError
from annotate.photos.decode import read_photograph, to_jpeg
from annotate.photos.face_redaction import DEFAULT_STRENGTH, MAX_FACES, STRENGTHS, private_photograph
from annotate.ports import Examine, Examined, FaceBox

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
THREADS = 2 * MAX_WAITING_PHOTOS + 2  # the threads of both queues, and two to answer requests that find them full


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
        """Redact again; raise as :func:`annotate.photos.face_redaction.without_faces`, and as :meth:`receive`."""
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
