"""Faces are painted over for good; that a detector finds none is shown on real photographs, where there are some."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from annotate.errors import RefusedError
from annotate.photos.decode import read_photograph, to_jpeg
from annotate.photos.face_redaction import DEFAULT_STRENGTH, MAX_FACES, STRENGTHS, private_photograph, without_faces
from annotate.ports import FaceBox
from tests.thoroughness import one_of, thorough

if TYPE_CHECKING:
    from fmp_models.estimators.mediapipe import MediaPipeEstimator

BOX = FaceBox(120, 80, 60, 80)


def stripes(phase: int = 0) -> Image.Image:
    """Fine stripes everywhere, moved by ``phase`` pixels: detail that must not survive."""
    columns = np.where((np.arange(320) + phase) // 4 % 2, 220, 30).astype(np.uint8)
    return Image.fromarray(np.repeat(np.tile(columns, (240, 1))[..., None], 3, axis=2))


def inside(image: Image.Image, box: FaceBox = BOX) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    corners = (box.x, box.y, box.x + box.width, box.y + box.height)
    return np.asarray(image.crop(tuple(map(int, corners))), dtype=np.float64).mean(axis=2)


def amplitude(pixels: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """Of the stripes, which come back every eight pixels."""
    columns = pixels.mean(axis=0)[:56]
    return float(2 * abs(((columns - columns.mean()) * np.exp(2j * np.pi * np.arange(56) / 8)).mean()))


@pytest.mark.parametrize("strength", STRENGTHS)
def test_no_detail_of_a_face_is_left(strength: int) -> None:
    before, after = inside(stripes()), inside(without_faces(stripes(), [BOX], strength))
    assert amplitude(before) > 100
    assert amplitude(after) < 4


def test_two_faces_that_differ_in_detail_alone_cannot_be_told_apart() -> None:
    one, other = (inside(without_faces(stripes(phase), [BOX], 1)).mean() for phase in (0, 4))
    again = inside(without_faces(stripes(), [BOX], 1)).mean()
    assert abs(one - other) < 30
    assert one != again  # the noise is never the same


def test_the_rest_of_the_photograph_stays_as_it_was() -> None:
    before, after = (np.asarray(image) for image in (stripes(), without_faces(stripes(), [BOX], 5)))
    changed = np.argwhere((before != after).any(axis=2))
    assert changed.min(axis=0).tolist() >= [40, 90]
    assert changed.max(axis=0).tolist() <= [200, 210]
    assert (before[:, 215:] == after[:, 215:]).all()


def test_the_whole_box_up_to_its_edges_is_covered() -> None:
    middle_rows = inside(without_faces(stripes(), [BOX], 3))[35:45]
    assert np.abs(middle_rows - inside(stripes())[35:45]).mean(axis=0).min() > 10


def test_several_faces_and_faces_at_the_edge_are_painted_over() -> None:
    boxes = [FaceBox(0, 0, 40, 40), FaceBox(280, 200, 80, 80), FaceBox(-20, 100, 50, 50)]
    redacted = without_faces(stripes(), boxes)
    for box in (FaceBox(5, 5, 25, 25), FaceBox(290, 210, 30, 30), FaceBox(0, 110, 20, 30)):
        assert np.ptp(inside(redacted, box)) < 120


@pytest.mark.parametrize(
    ("code", "boxes", "strength"),
    [
        ("faces_unmarked", [], 3),
        ("faces_too_many", [BOX] * (MAX_FACES + 1), 3),
        ("face_box_unusable", [FaceBox(400, 80, 60, 80)], 3),
        ("face_box_unusable", [FaceBox(-100, 80, 60, 80)], 3),
        ("face_box_unusable", [FaceBox(120, 80, 2, 80)], 3),
        ("face_box_unusable", [FaceBox(120, 80, -60, -80)], 3),
        ("face_box_unusable", [FaceBox(math.nan, 80, 60, 80)], 3),
        ("face_box_unusable", [FaceBox(0, 0, math.inf, 80)], 3),
        ("answer_malformed", [BOX], 0),
        ("answer_malformed", [BOX], 6),
        ("answer_malformed", [BOX], True),
    ],
)
def test_a_photograph_whose_faces_are_not_marked_well_is_refused(
    code: str, boxes: list[FaceBox], strength: int
) -> None:
    with pytest.raises(RefusedError) as refused:
        private_photograph(to_jpeg(stripes()), boxes, strength)
    assert refused.value.code == code


def test_a_box_of_any_size_is_drawn() -> None:
    for box in (FaceBox(-5000, -5000, 10_000, 10_000), FaceBox(1e-9, 0, 8, 8), FaceBox(0, 239, 1e6, 9)):
        assert without_faces(stripes(), [box]).size == (320, 240)


def test_a_box_around_a_head_holds_its_points() -> None:
    points = [(100.0, 50.0), (90.0, 46.0), (112.0, 45.0), (82.0, 50.0), (121.0, 49.0)]
    box = FaceBox.around(points)
    assert all(box.x < x < box.x + box.width and box.y < y < box.y + box.height for x, y in points)
    assert FaceBox.around([(10.0, 10.0)], least=30) == FaceBox(-5, -5, 30, 30)


# Where the heads of the real photographs are: of a person who faces the camera, and of one seen from the side.
HEADS = {"photos/standing.jpg": FaceBox(152, 40, 56, 72), "photos/warrior2.jpg": FaceBox(445, 240, 72, 72)}


def faces_found(data: bytes) -> int:
    """Count the faces that dlib's detector sees (histograms of gradients; from 40 pixels on)."""
    dlib = pytest.importorskip("dlib", reason="dlib-bin is not installed")
    with Image.open(io.BytesIO(data)) as image:
        return len(dlib.get_frontal_face_detector()(np.asarray(image.convert("RGB")), 1))


@pytest.mark.real
@pytest.mark.parametrize("strength", one_of(STRENGTHS))
def test_a_detector_of_faces_finds_none_any_more(
    shared_photograph_bytes: Callable[[str], bytes], strength: int
) -> None:
    photograph = shared_photograph_bytes("photos/standing.jpg")
    assert faces_found(to_jpeg(read_photograph(photograph))) == 1
    assert faces_found(private_photograph(photograph, [HEADS["photos/standing.jpg"]], strength)) == 0


PAINTINGS = 9  # each has noise of its own, and so has what is read from it


@thorough
@pytest.mark.real
@pytest.mark.parametrize("strength", one_of([DEFAULT_STRENGTH, max(STRENGTHS)]))
@pytest.mark.parametrize("name", one_of(list(HEADS)))
def test_the_body_can_still_be_read(
    shared_photograph_bytes: Callable[[str], bytes], estimator: MediaPipeEstimator, name: str, strength: int
) -> None:
    """One body is found, every time, and the limbs where they were: the middle joint moves by under a 20th of its size.

    From the side, a face is what tells front from back: MediaPipe often takes the left limbs for the right ones without
    it. So limbs are compared there as they lie, whatever their names; of whoever faces the camera the names stay too.
    """
    from fmp_models.preprocessing.photograph import read_photograph as read  # noqa: PLC0415  heavy

    photograph = shared_photograph_bytes(name)
    before = estimator.estimate(read(photograph))
    left, top, right, bottom = before.box
    moved = []
    for _ in range(PAINTINGS):
        after = estimator.estimate(read(private_photograph(photograph, [HEADS[name]], strength)))
        assert before.people == after.people == 1
        names_stay = name == "photos/standing.jpg"
        moved.append(np.median(distances(before.image_joints, after.image_joints, names_stay=names_stay)))
    assert np.median(moved) < 0.05 * max(right - left, bottom - top)


Points = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def distances(before: Points, after: Points, *, names_stay: bool) -> Points:
    """Of every joint; where names need not stay, both arms or both legs may have changed theirs."""
    from fmp_models.pose import JOINTS, MIRROR  # noqa: PLC0415  heavy

    moved = np.linalg.norm(before - after, axis=1)
    changed = np.linalg.norm(before - after[list(MIRROR)], axis=1)
    for parts in (("shoulder", "elbow", "wrist", "hand"), ("_hip", "knee", "ankle", "foot")):
        limbs = [place for place, joint in enumerate(JOINTS) if joint.endswith(parts)]
        if not names_stay and changed[limbs].mean() < moved[limbs].mean():
            moved[limbs] = changed[limbs]
    return moved
