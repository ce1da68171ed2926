"""MediaPipe's estimator, photograph -> joints by its pose landmarker.

How a person is measured. One look at the whole picture finds the people. The largest is then looked at on squares of
several sizes cut around them, each plain and mirrored, and the looks are averaged: a small person comes out steadier,
and a mirrored photograph gives the mirrored pose. Where the looks differ the joints are doubtful, as the ``plausible``
bodies of the pose say; where some see a back and others a front, the estimate has both. The joints are levelled by the
camera's tilt (:mod:`fmp_models.estimators.camera_tilt`), and before that each look's are given a better depth
(:mod:`fmp_models.estimators.landmarks.lifting`). Whoever is not found at once is looked for in overlapping
squares, enlarged, and in a darker and a lighter copy. Every look is at a square, because MediaPipe skews tilted people
in any other shape of picture.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import mediapipe
import numpy as np
from mediapipe.tasks.python.vision import PoseLandmarker, PoseLandmarkerOptions
from PIL import Image, ImageOps

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import TRUNK, Box, Head, Place, PoseEstimate, box_within, estimate_of
from fmp_models.estimators.camera_tilt import TiltEvidence, tilt_by, tilt_evidence
from fmp_models.estimators.facing import face_opposite_ways
from fmp_models.estimators.landmark_joints import FoundPerson, landmarks_of, person_from
from fmp_models.estimators.landmarks.landmarkers import base_options, open_landmarker
from fmp_models.estimators.landmarks.lifting import bundled_lifter
from fmp_models.estimators.tracking import MediaPipeTracker
from fmp_models.preprocessing.photograph import Photograph

Square = tuple[int, int, int, int]  # left, top, right, bottom in whole pixels; may reach outside the picture

_AT_ONCE = 2  # looks side by side; each needs a core and the model in memory
_MOST_PEOPLE = 5
_DETECTION = 0.3  # MediaPipe's own 0.5 misses small people in rendered rooms
_CLEAR = 0.7  # mean visibility of the limbs of a person seen clearly; furniture taken for a person stays below
_RIVAL = 0.8  # and of a second person, in shares of the clearest one's
ZOOMS = (
    1.6,
    2.0,
    2.6,
    3.3,
)  # sides of the squares around a person, in lengths of the person
_KNOWN_ZOOM = 2.0  # the same where the person's place is known
_RESCALE = 1.25  # a person this many times longer or shorter than first thought is measured once more
_ALIKE = 0.2  # metres that joints may differ on average between two looks at one pose
_SEARCHED = (1.0, 0.7)  # sides of the squares that are searched, in shares of the picture's shorter side
_MOST_STEPS = 6  # half squares side by side; nobody is looked for in longer strips
_ENLARGED = 512  # pixels that the side of a square is enlarged to where somebody small may be in it
_LIGHTS = (1.0, 2.0, 0.5)  # powers of the light: as it is, darker for what is overexposed, lighter for what is dark
_TRIED = 3  # of what a search found, by clarity


class Closer(NamedTuple):
    """Closer looks at one person, whether most of them are ``steady``, and everybody whom they ``saw``."""

    looks: list[FoundPerson]
    steady: bool
    saw: list[FoundPerson]


class Measured(NamedTuple):
    """The ``people`` in a picture, ``looks`` at the one who was measured, and all who were ``seen``, surely or not."""

    people: list[FoundPerson]
    looks: list[FoundPerson]
    seen: list[FoundPerson]


class MediaPipeEstimator:
    """MediaPipe's pose landmarker on the CPU, read from ``model_path`` at first use; safe to share between threads."""

    def __init__(self, model_path: Path, *, lifts: bool = True) -> None:
        """``model_path``: a ``pose_landmarker_*.task`` file, see :mod:`fmp_models.estimators.assets`.

        Unless it ``lifts``, joints are as deep as MediaPipe has them. Raises what :func:`bundled_lifter` does.
        """
        lifter = bundled_lifter() if lifts else None
        self._lift = None if lifter is None else lifter.joints
        lifted = "" if lifter is None else f"+lifter-{lifter.revision}"
        self.name = f"mediapipe-{mediapipe.__version__}/{model_path.stem}{lifted}"
        self._model_path = model_path
        self._idle: list[PoseLandmarker] = []  # a landmarker is not re-entrant: whoever looks has one of their own
        self._free = threading.Semaphore(_AT_ONCE)
        self._threads = ThreadPoolExecutor(_AT_ONCE, "pose")

    def load(self) -> None:
        """Open the pose model now, which is else opened at the first look; raise ``pose_model_unreadable``."""
        with self._landmarker():
            pass

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Measure the largest person.

        Raise :class:`BadInputError`: ``no_person``, ``body_hidden`` (the trunk or half of the limbs cannot be seen),
        ``pose_model_unreadable``. The first two say "given" for which photograph; a caller that has two knows better.
        """
        return self._estimate_of(photograph, None)

    def estimate_near(self, photograph: Photograph, place: Place) -> PoseEstimate:
        """As :meth:`estimate`, of the person whose box has its middle nearest to the place."""
        width, height = photograph.image.size
        return self._estimate_of(photograph, (place[0] * width, place[1] * height))

    def new_tracker(self) -> MediaPipeTracker:
        """What follows one person over the frames of a live picture."""
        return MediaPipeTracker(self._model_path, self._lift)

    def _estimate_of(self, photograph: Photograph, whom: tuple[float, float] | None) -> PoseEstimate:
        measured = self._measured(photograph.image, whom)
        person = _agreed(measured.looks)
        evidence = tilt_evidence(photograph.image, person.metres, person.pixels)
        size, people, seen = photograph.image.size, measured.people, measured.seen
        estimate = _pose_estimate(measured.looks, size, evidence, people, seen)
        turned = [look for look in measured.looks if face_opposite_ways(look.metres, person.metres)]
        if not turned:
            return estimate
        try:
            other_way = _pose_estimate(turned, size, evidence, people, seen)
        except BadInputError:  # so they see too little of a body to say how it stands
            return estimate
        return replace(estimate, turned=other_way, turned_share=len(turned) / len(measured.looks))

    def estimate_at(self, photograph: Photograph, box: Box, mirrored: Sequence[bool] = (False, True)) -> PoseEstimate:
        """As :meth:`estimate`, of the person whose joints the ``box`` holds, for who has many pictures to measure.

        One look for each of ``mirrored`` serves where all see one and the same body there; else all looks of
        :meth:`estimate` are taken, but nobody is searched for elsewhere. Before they are lifted the joints of two looks
        lie on average two centimetres from those of :meth:`estimate`, and of one four.
        """
        image = photograph.image
        looks = self.looks_at(image, box, [(_KNOWN_ZOOM, is_mirrored) for is_mirrored in mirrored])
        if len(looks) < len(mirrored) or len(_alike(looks)) < len(mirrored):
            looks = self.looks_at(image, box, [(zoom, is_mirrored) for zoom in ZOOMS for is_mirrored in (False, True)])
            if not looks:
                raise BadInputError("no_person", which="given")
        person = _agreed(looks)
        return _pose_estimate(looks, image.size, tilt_evidence(image, person.metres, person.pixels))

    def looks_at(self, image: Image.Image, box: Box, views: Sequence[tuple[float, bool]]) -> list[FoundPerson]:
        """The person whose trunk the ``box`` holds, as each of the ``views`` shows them, where it shows them.

        A view is the side of a square in lengths of the box, and whether it is mirrored.
        """
        return self._in_box(image, box, [(_square_around(box, zoom), mirrored) for zoom, mirrored in views])

    def _in_box(self, image: Image.Image, box: Box, views: Sequence[tuple[Square, bool]]) -> list[FoundPerson]:
        """Who is seen in the box, in each of the ``views`` that sees somebody there."""
        looks = [_inside(box, people_seen) for people_seen in self._looks(image, views)]
        return [look for look in looks if look is not None]

    def _measured(self, image: Image.Image, whom: tuple[float, float] | None = None) -> Measured:
        """Everybody in the picture, and closer looks at the one at the pixel ``whom``, else at the largest of them.

        Where closer looks see nobody there, or each something else, the picture is searched square by square. So many
        looks take a plant for a person now and then; who is found so late must be clear.
        """
        seen = self._look(image, _square_around((0.0, 0.0, *image.size), 1.0))
        people = _distinct(seen)
        looks: list[FoundPerson] = []
        chosen = _chosen_person(people, whom, image.size) if people else None
        if chosen is not None:
            looks, steady, saw = self._closely(image, chosen)
            seen = [*seen, *saw]
            if steady:
                return Measured(people, looks, seen)
        for power, share in itertools.product(_LIGHTS, _SEARCHED):
            light = _relit(image, power)
            people_seen = self._looks(light, [(square, False) for square in _squares_over(image.size, share)])
            for person in sorted(itertools.chain(*people_seen), key=lambda look: look.clarity, reverse=True)[:_TRIED]:
                if whom is not None and chosen is not None and not person.is_same(chosen):
                    continue  # somebody else, who was not chosen
                closer, steady, saw = self._closely(light, person)
                if steady and _agreed(closer).clarity >= _CLEAR:
                    return Measured(_distinct([*people, _agreed(closer)]), closer, [*seen, *saw])
        if not looks:
            raise BadInputError("no_person", which="given")
        return Measured(people, looks, seen)

    def _closely(self, image: Image.Image, person: FoundPerson) -> Closer:
        """Looks at one person, steady where they see one and the same body; none where nobody is seen again."""
        looks, saw = self._around(image, person)
        if looks:
            again = _agreed(looks)
            if max(again.length, person.length) > _RESCALE * min(again.length, person.length):
                again_looks, also = self._around(image, again)
                looks, saw = again_looks or looks, [*saw, *also]
        return Closer(looks, bool(looks) and len(_alike(looks)) > len(ZOOMS), saw)

    def _around(self, image: Image.Image, person: FoundPerson) -> tuple[list[FoundPerson], list[FoundPerson]]:
        """The person as squares of every zoom show them, plain and mirrored, and everybody in these."""
        views = [(_square_around(person.box, zoom), mirrored) for zoom in ZOOMS for mirrored in (False, True)]
        every = self._looks(image, views)
        looks = [_same_person(person, people_seen) for people_seen in every]
        return [look for look in looks if look is not None], [*itertools.chain(*every)]

    def _looks(self, image: Image.Image, views: Sequence[tuple[Square, bool]]) -> list[list[FoundPerson]]:
        """Everybody in each square, plain or mirrored, looked at side by side."""
        return list(self._threads.map(lambda view: self._look(image, view[0], mirrored=view[1]), views))

    @contextmanager
    def _landmarker(self) -> Iterator[PoseLandmarker]:
        """One that nobody else uses meanwhile."""
        with self._free:
            try:
                landmarker = self._idle.pop()
            except IndexError:
                landmarker = open_landmarker(self, _options(self._model_path))
            try:
                yield landmarker
            finally:
                self._idle.append(landmarker)

    def _look(self, image: Image.Image, square: Square, *, mirrored: bool = False) -> list[FoundPerson]:
        """Everybody MediaPipe finds in a square of the picture, in the picture's own pixels and handedness."""
        cut = image.crop(square)
        side = cut.width
        if side < _ENLARGED:  # its own enlarging is too coarse for the joints of somebody small
            cut = cut.resize((_ENLARGED, _ENLARGED), Image.Resampling.BICUBIC)
        pixels = np.ascontiguousarray(np.asarray(ImageOps.mirror(cut) if mirrored else cut))
        with self._landmarker() as landmarker:
            result = landmarker.detect(mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=pixels))
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
    """What looks at one person say together, who is one of the ``people`` and of whoever was ``seen``."""
    person = _agreed(looks)
    others = tuple(other.box for other in people if not other.is_same(person))
    heads = _other_heads(person, sorted(seen, key=lambda look: look.clarity, reverse=True))
    metres = np.array([person.metres, *(look.metres for look in looks)])
    tilt = tilt_by([evidence])
    joints, *bodies = tilt.levelled(metres)
    estimate = estimate_of(
        joints, person.pixels, person.visibility, person.box, size, others, heads=heads, looks=bodies
    )
    return replace(estimate, tilt=tilt, tilt_evidence=evidence)


def _chosen_person(
    people: Sequence[FoundPerson], whom: tuple[float, float] | None, size: tuple[int, int]
) -> FoundPerson:
    """The person at this pixel, by the middle of their box as it was shown, or the largest."""
    if whom is None:
        return max(people, key=lambda person: person.area)

    def away(person: FoundPerson) -> float:
        left, top, right, bottom = box_within(person.box, size)
        return math.dist(((left + right) / 2, (top + bottom) / 2), whom)

    return min(people, key=away)


def _inside(box: Box, people: Sequence[FoundPerson]) -> FoundPerson | None:
    """The clearest of ``people`` whose trunk lies in the box."""
    left, top, right, bottom = box

    def there(person: FoundPerson) -> bool:
        x, y = person.pixels[TRUNK].mean(axis=0)
        return bool(left <= x <= right and top <= y <= bottom)

    return max((person for person in people if there(person)), key=lambda person: person.clarity, default=None)


def _distinct(looks: Sequence[FoundPerson]) -> list[FoundPerson]:
    """Each person once, clearest first; doubtful finds only where there is nobody clear."""
    people: list[FoundPerson] = []
    for person in sorted(looks, key=lambda look: look.clarity, reverse=True):
        if people and person.clarity < max(_CLEAR, _RIVAL * people[0].clarity):
            break
        if not any(person.is_same(known) for known in people):
            people.append(person)
    return people


def _other_heads(person: FoundPerson, seen: Sequence[FoundPerson]) -> tuple[Head, ...]:
    """Each head once that is not the person's own, however doubtful: people who hold each other have one trunk."""
    heads = [person.head]
    for x, y, radius in (look.head for look in seen):
        if all(math.dist((x, y), known[:2]) > max(radius, known[2]) / 2 for known in heads):
            heads.append((x, y, radius))
    return tuple(heads[1:])


def _same_person(person: FoundPerson, people: Sequence[FoundPerson]) -> FoundPerson | None:
    """The clearest of ``people`` that is ``person``."""
    return max((look for look in people if look.is_same(person)), key=lambda look: look.clarity, default=None)


def _agreed(looks: Sequence[FoundPerson]) -> FoundPerson:
    """The mean of looks at one person; of those like the clearest, where they see poses whose mean would be neither."""
    alike = _alike(looks)
    left, top, right, bottom = np.mean([look.box for look in alike], axis=0)
    return FoundPerson(
        pixels=np.mean([look.pixels for look in alike], axis=0),
        metres=np.mean([look.metres for look in alike], axis=0),
        visibility=np.mean([look.visibility for look in alike], axis=0),
        box=(float(left), float(top), float(right), float(bottom)),
    )


def _alike(looks: Sequence[FoundPerson]) -> list[FoundPerson]:
    """The looks that see the body that the clearest one sees."""
    clearest = max(looks, key=lambda look: look.clarity)
    return [look for look in looks if np.linalg.norm(look.metres - clearest.metres, axis=1).mean() < _ALIKE]


def _squares_over(size: tuple[int, int], share: float) -> list[Square]:
    """Overlapping squares that cover a picture, their side a ``share`` of its shorter side."""
    side = max(1, round(share * min(size)))
    columns, rows = (_starts(length, side) for length in size)
    return [(left, top, left + side, top + side) for top in rows for left in columns]


def _starts(length: int, side: int) -> list[int]:
    """Where squares of this side begin that cover a length and half overlap; few and wide apart on a long strip."""
    steps = min(math.ceil(2 * (length - side) / side), _MOST_STEPS)
    return [round(start) for start in np.linspace(0, length - side, steps + 1)]


def _relit(image: Image.Image, power: float) -> Image.Image:
    """The picture with its light, between 0 and 1, raised to a power."""
    return image.point([round(255 * (value / 255) ** power) for value in range(256)] * 3)


def _square_around(box: Box, scale: float) -> Square:
    """A square with the middle of ``box``, its side ``scale`` times the longer side of it."""
    left, top, right, bottom = box
    side = max(1, round(scale * max(right - left, bottom - top)))
    x, y = round((left + right - side) / 2), round((top + bottom - side) / 2)
    return x, y, x + side, y + side


def _options(path: Path) -> PoseLandmarkerOptions:
    return PoseLandmarkerOptions(
        base_options=base_options(path),
        num_poses=_MOST_PEOPLE,
        min_pose_detection_confidence=_DETECTION,
    )
