"""Pending photographs of a real pair, from arrival to answer: examined, faces painted over, held in memory.

Nothing of a photograph is written down here. What arrives is made into pixels alone, looked at, and kept for a while
under a random id that names this very version: each change of its boxes or its strength gives a new id, so that what a
person approved is exactly what is kept. Nobody can hand in a picture as painted over already.
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
MIN_PERSON_PX = 128  # pixels of the longer side of a person; the simulated ones have about 130
# Metres of the mean joint. On pictures of the simulator and photographs, a person who stands as the simulated one does
# is up to 0.14 away, which is what the estimator errs by from another side; a lunge with lifted arms is 0.25 and more
# away from standing, bending and sitting poses.
MAX_POSE_DISTANCE_M = 0.20
# Metres by which the mirror image, or the other pose of the pair, must fit better before anybody is told so. Of the
# sample's pairs no right picture is nearer to the other pose by so much, and exchanged ones are noticed where the poses
# are 15 cm apart (tests/real/test_photographs_of_a_pair.py).
CLEAR_DIFFERENCE_M = 0.05
HELD_SECONDS = 27 * 60.0  # people are told half an hour, and it takes up to a tenth longer until one goes
MAX_PHOTOS = 120  # photographs of all people together; one takes up to half a megabyte, twice
MAX_PHOTOS_PER_PERSON = 4  # photographs of one person: those of two pairs
MAX_WAIT_SECONDS = 15.0  # seconds that a photograph waits for those before it
MAX_WAITING_PHOTOS = 6  # photographs that are opened or wait for it; as many that are painted or wait for that
THREADS = 2 * MAX_WAITING_PHOTOS + 2  # that these take at most, and two for those who are told that there is no room


@dataclass(frozen=True)
class PendingPhoto:
    """One photograph as it is now: ``private`` is what may be kept, None while no face is marked."""

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
        """Every box that is painted over."""
        return (*self.detected, *self.drawn)


@dataclass
class PhotoLimiter:
    """A limiter of work on photographs: one at a time, few that wait and only so long, one of each person."""

    most: int = MAX_WAITING_PHOTOS
    patience: float = MAX_WAIT_SECONDS
    _people: set[str] = field(default_factory=set, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _work: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @contextmanager
    def turn(self, person: str) -> Iterator[None]:
        """Wait for one's turn and have it; raise :class:`RefusedError` ``photo_another``, ``photo_busy``."""
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
        """Work alone, after at most ``patience`` seconds; raise :class:`RefusedError` ``photo_busy``."""
        if not self._work.acquire(timeout=patience):
            raise RefusedError("photo_busy")
        try:
            yield
        finally:
            self._work.release()


@dataclass
class PendingPhotoStore:
    """The photographs that wait for approval; ``now`` tells the time in seconds."""

    examine: Examine
    now: Callable[[], float] = time.time
    _held: OrderedDict[tuple[str, str, Which], PendingPhoto] = field(
        default_factory=OrderedDict, init=False, repr=False
    )
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _opening: PhotoLimiter = field(default_factory=PhotoLimiter, init=False, repr=False)  # a large one takes a gigabyte
    _painting: PhotoLimiter = field(default_factory=PhotoLimiter, init=False, repr=False)
    # One thread, since the allocator keeps for each what it had freed there: hundreds of megabytes.
    _decoder: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1), init=False, repr=False)
    _sweeping: bool = field(default=False, init=False, repr=False)

    def receive(
        self, annotator: str, task: str, which: Which, data: bytes, pair: Mapping[Which, bytes]
    ) -> PendingPhoto:
        """Examine an uploaded file against the pictures of the pair; it takes the place of the one given before.

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
        """Paint anew; raises as :func:`annotate.photos.face_redaction.without_faces`, and as :meth:`receive`."""
        with self._painting.turn(photo.annotator):
            return self._redact(replace(photo, strength=strength, drawn=drawn))

    def find(self, annotator: str, id: str) -> PendingPhoto:  # noqa: A002  the name that it has everywhere
        """The photograph of that id; ``photo_gone`` for another's, an older version, and one held too long."""
        with self._lock:
            self._forget_old()
            for photo in self._held.values():
                if (photo.annotator, photo.id) == (annotator, id) and photo.original:
                    return photo
        raise RefusedError("photo_gone")

    def of(self, annotator: str, task: str) -> dict[Which, PendingPhoto]:
        """The photographs that are held for a task."""
        with self._lock:
            self._forget_old()
            photos = ((which, self._held.get((annotator, task, which))) for which in WHICH)
            return {which: photo for which, photo in photos if photo is not None}

    def answer(self, annotator: str, task: str, approved: Collection[str]) -> dict[str, Any]:
        """The two photographs as they were approved, and what was measured: fields of the answer.

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
        """The answer is kept: forget the originals; what was approved stays until its time, should it be sent again."""
        with self._lock:
            for place in [(annotator, task, which) for which in WHICH]:
                if place in self._held:
                    self._held[place] = replace(self._held[place], original=b"")

    def drop(self, annotator: str, task: str | None = None) -> None:
        """Forget what is held of a person, or of one task of theirs."""
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
        """See to it that a photograph goes at its time, even when nobody asks for another."""
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
        """A person's own photographs make room for their next one: those of kept answers first, then the oldest."""
        places = [place for place in self._held if place[0] == annotator]
        places.sort(key=lambda place: bool(self._held[place].original))
        for place in places[: max(0, len(places) - MAX_PHOTOS_PER_PERSON)]:
            del self._held[place]

    def _forget_old(self) -> None:
        """The oldest stand first."""
        while self._held:
            place, photo = next(iter(self._held.items()))
            if photo.until > self.now() and len(self._held) <= MAX_PHOTOS:
                return
            del self._held[place]

    @contextmanager
    def looking(self) -> Iterator[None]:
        """A look at what is not held, where nothing else is looked at meanwhile; ``photo_busy`` at once otherwise."""
        with self._opening.working(patience=0.0):
            yield


def demand_fit(examined: Examined, side: int) -> None:
    """Refuse what does not show one person large enough in the pose to re-enact.

    ``side`` is the longer side of the picture in pixels. It was made smaller, so a refusal speaks of shares of it.
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
    """A box drawn by hand, as left, upper edge, width and height in parts of the picture, or ``face_box_unusable``."""
    numbers = value if isinstance(value, list) and len(value) == 4 else [math.nan] * 4  # noqa: PLR2004
    if not all(
        isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number) for number in numbers
    ):
        raise RefusedError("answer_malformed", field="box")
    x, y, width, height = (float(max(-1, min(number, 2))) for number in numbers)
    return FaceBox(x * size[0], y * size[1], width * size[0], height * size[1])


def with_box(drawn: tuple[FaceBox, ...], box: FaceBox, detected: int) -> tuple[FaceBox, ...]:
    """One box more, or ``faces_too_many``."""
    if len(drawn) + detected >= MAX_FACES:
        raise RefusedError("faces_too_many", limit=MAX_FACES)
    return (*drawn, box)


def checked_strength(value: object) -> int:
    """One of the strengths, or ``answer_malformed``."""
    if isinstance(value, bool) or not isinstance(value, int) or value not in STRENGTHS:
        raise RefusedError("answer_malformed", field="strength")
    return value


def _checks(examined: Examined) -> dict[str, Any]:
    return {
        "estimator": examined.estimator,
        "person_px": round(examined.size),
        "apart_m": None if examined.pose_distance is None else round(examined.pose_distance, 3),
        # Measured before the face was painted over, without which an estimator may take left for right.
        "joints_m": examined.joints,
    }
