"""Photographs of annotators: crops around the person, decoding, redaction of faces, and photographs that wait."""

from __future__ import annotations

import io
import math
import struct
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import floats
from PIL import ExifTags, Image, ImageCms, PngImagePlugin

from annotate.errors import RefusedError
from annotate.photos import (
    DEFAULT_STRENGTH,
    HELD_SECONDS,
    MAX_FACES,
    MAX_PHOTOS,
    MAX_PHOTOS_PER_PERSON,
    MAX_POSE_DISTANCE_M,
    MAX_WAITING_PHOTOS,
    STRENGTHS,
    WHICH,
    CropPosition,
    PendingPhotoStore,
    SeenPerson,
    Which,
    demand_fit,
    drawn_box,
    person_crop,
    private_photograph,
    read_photograph,
    to_jpeg,
    without_faces,
)
from annotate.ports import Examined, FaceBox
from fmp_models.common.picture_files import MAX_BYTES, MAX_SIDE
from tests.annotate.asking import Clock
from tests.hostile_uploads import jpeg_with_hidden_scans, jpeg_with_scans
from tests.thoroughness import one_of, thorough

if TYPE_CHECKING:
    from fmp_models.estimators.mediapipe import MediaPipeEstimator


SIZE = (448, 224)


def shows(square: CropPosition, seen: SeenPerson) -> bool:
    """Whether a person lies within the window."""
    side = 100 * seen.size[0] / square.width
    left, top = -square.left * side / 100, -square.top * side / 100
    x, y, to_x, to_y = seen.box
    return left <= x and top <= y and to_x <= left + side and to_y <= top + side


def test_everybody_lies_within_the_one_square_and_is_larger_than_in_the_whole() -> None:
    seen = [SeenPerson(SIZE, (200, 80, 250, 200)), SeenPerson(SIZE, (150, 60, 220, 205))]

    square = person_crop(seen)

    assert square is not None
    assert all(shows(square, one) for one in seen)
    assert square.width > 200


@pytest.mark.parametrize("box", [(0, 10, 60, 120), (390, 100, 448, 224), (200, 0, 260, 100)])
def test_the_square_stays_within_the_picture(box: tuple[float, ...]) -> None:
    square = person_crop([SeenPerson(SIZE, box)])  # type: ignore[arg-type]

    assert square is not None
    assert square.left <= 0
    assert square.top <= 0
    assert -square.left + 100 <= square.width + 1e-6
    assert -square.top + 100 <= square.width / 2 + 1e-6


@pytest.mark.parametrize(
    "seen",
    [
        [],
        [None],
        [SeenPerson(SIZE, (200, 80, 250, 200)), None],
        [SeenPerson(SIZE, (200, 80, 250, 200)), SeenPerson((224, 224), (100, 80, 150, 200))],
        [SeenPerson(SIZE, (10, 0, 440, 224))],
        [SeenPerson(SIZE, (100, 100, 100, 100))],
    ],
)
def test_pictures_stay_whole_where_no_square_serves_all(seen: list[SeenPerson | None]) -> None:
    assert person_crop(seen) is None


SECRET = b"Anna-at-home"
RED, BLUE = (200, 30, 30), (30, 30, 200)


def two_halves(size: tuple[int, int] = (200, 120), mode: str = "RGB") -> Image.Image:
    """Red above, blue below."""
    image = Image.new("RGB", size, RED)
    image.paste(BLUE, (0, size[1] // 2, *size))
    return image.convert(mode)


def saved(image: Image.Image, kind: str = "JPEG", **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def with_everything() -> dict[str, bytes]:
    """Files that tell who, where and when, in every place that their format has for it."""
    exif = Image.Exif()
    exif[ExifTags.Base.Artist] = SECRET.decode()
    exif[ExifTags.Base.ImageDescription] = SECRET.decode()
    exif.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitudeRef] = SECRET.decode()
    xmp = b"<x:xmpmeta>" + SECRET + b"</x:xmpmeta>"
    text = PngImagePlugin.PngInfo()
    text.add_text("Author", SECRET.decode())
    text.add_itxt("Comment", SECRET.decode())
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    image = two_halves()
    return {
        "JPEG": saved(image, exif=exif, comment=SECRET, xmp=xmp, icc_profile=profile) + SECRET,
        "PNG": saved(image, "PNG", exif=exif, pnginfo=text, icc_profile=profile) + SECRET,
        "WEBP": saved(image, "WEBP", exif=exif, xmp=xmp),
        "HEIF": saved(image, "HEIF", exif=exif.tobytes(), xmp=xmp),
    }


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "HEIF"])
def test_nothing_but_pixels_is_kept(kind: str) -> None:
    given_file = with_everything()[kind]
    assert SECRET in given_file
    kept = to_jpeg(read_photograph(given_file))
    assert SECRET not in kept
    assert b"Exif" not in kept
    assert b"http" not in kept
    with Image.open(io.BytesIO(kept)) as opened:
        assert (opened.format, opened.mode, opened.size) == ("JPEG", "RGB", (200, 120))
        assert not opened.getexif()
        assert not opened.info.keys() - {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_metadata_that_was_put_on_a_picture_later_is_not_written() -> None:
    image = two_halves()
    image.getexif()[ExifTags.Base.Artist] = SECRET.decode()
    image.info |= {"exif": SECRET, "comment": SECRET, "icc_profile": SECRET}
    assert SECRET not in to_jpeg(image)


@pytest.mark.parametrize(
    ("orientation", "size", "red_at"),
    [(1, (200, 120), (100, 10)), (3, (200, 120), (100, 110)), (6, (120, 200), (110, 9))],
)
def test_a_photograph_is_turned_upright(orientation: int, size: tuple[int, int], red_at: tuple[int, int]) -> None:
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    image = read_photograph(saved(two_halves(), exif=exif))
    assert image.size == size
    red, _, blue = image.getpixel(red_at)
    assert red > 150 > blue


def test_a_large_photograph_is_made_smaller() -> None:
    image = read_photograph(saved(two_halves((3000, 2000))))
    assert image.size == (MAX_SIDE, 853)


@pytest.mark.parametrize("mode", ["L", "P", "CMYK", "RGBA", "LA", "I;16", "1"])
def test_every_mode_becomes_rgb(mode: str) -> None:
    if mode == "I;16":
        image = Image.fromarray(np.full((100, 100), 40_000, dtype=np.uint16))
    else:
        image = two_halves((100, 100), mode)
    photograph = read_photograph(saved(image, "JPEG" if mode == "CMYK" else "PNG"))
    assert (photograph.mode, photograph.size) == ("RGB", (100, 100))
    assert 20 < np.asarray(photograph).mean() < 235


def test_what_can_be_seen_through_stands_on_white() -> None:
    clear = Image.new("RGBA", (80, 80), (0, 0, 0, 0))
    assert read_photograph(saved(clear, "PNG")).getpixel((40, 40)) == (255, 255, 255)


def bomb() -> bytes:
    """Return a PNG whose header promises 40,000 x 40,000 pixels."""
    chunks = [b"IHDR" + struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0), b"IDAT" + zlib.compress(bytes(100))]
    framed = [struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


@pytest.mark.parametrize(
    ("code", "make"),
    [
        ("photo_empty", lambda: b""),
        ("photo_too_many_bytes", lambda: b"\xff\xd8\xff" + bytes(MAX_BYTES)),
        ("photo_unknown_type", lambda: saved(two_halves(), "TIFF")),
        ("photo_unknown_type", lambda: b"<svg onload='alert(1)'/>"),
        ("photo_too_many_pixels", bomb),
        ("photo_too_small", lambda: saved(two_halves((300, 20)))),
        (
            "photo_animated",
            lambda: saved(two_halves(), "WEBP", save_all=True, append_images=[Image.new("RGB", (200, 120))]),
        ),
        (
            "photo_animated",
            lambda: saved(two_halves(), "PNG", save_all=True, append_images=[Image.new("RGB", (200, 120))]),
        ),
        ("photo_broken", lambda: saved(two_halves())[:600]),
        ("photo_broken", lambda: b"\xff\xd8\xff" + b"\xff\xda\x00\x02" * 100),
        ("photo_broken", lambda: jpeg_with_scans(3000)),
        ("photo_broken", lambda: jpeg_with_hidden_scans(3000)),
        ("photo_too_slow", lambda: jpeg_with_scans(55)),  # 64 scans of 16 megapixels
        ("photo_animated", lambda: saved(two_halves(), "HEIF").replace(b"ftypheic", b"ftyphevc", 1)),
    ],
)
def test_what_is_no_photograph_is_refused_in_a_sentence(code: str, make: Callable[[], bytes]) -> None:
    with pytest.raises(RefusedError) as refused:
        read_photograph(make())
    assert refused.value.code == code
    assert refused.value.sentence.endswith(".")


STARTS = st.sampled_from(
    [b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF\x10\x00\x00\x00WEBP", b"\x00\x00\x00\x18ftypheic"]
)


@given(STARTS, st.binary(max_size=300))
def test_hostile_bytes_are_refused_and_nothing_else_happens(start: bytes, rest: bytes) -> None:
    with pytest.raises(RefusedError):
        read_photograph(start + rest)


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
    from fmp_models.preprocessing import read_photograph as read  # noqa: PLC0415  heavy

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


FACE = FaceBox(40, 20, 30, 30)
JOINTS = ((0.0, 0.9, 0.1), (0.1, 0.5, 0.0))
SEEN = Examined(
    people=1, size=150, faces=(FACE,), pose_distance=0.1, mirrored=0.3, other=0.3, joints=JOINTS, estimator="fake"
)
PAIR: Mapping[Which, bytes] = {"current": b"one", "target": b"two"}


def photograph(red: int = 0) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (120, 160), (red, 90, 200)).save(made, "JPEG", exif=_exif())
    return made.getvalue()


def _exif() -> Image.Exif:
    exif = Image.Exif()
    exif[0x010E] = "at home"
    return exif


def photos(seen: Examined = SEEN, now: Callable[[], float] | None = None) -> PendingPhotoStore:
    return PendingPhotoStore(lambda *_: seen, now or Clock())


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"people": 2}, "photo_several_people"),
        ({"size": 90.0}, "photo_person_small"),
        ({"pose_distance": 0.3, "mirrored": 0.28}, "photo_pose_far"),
        ({"pose_distance": 0.3, "mirrored": 0.1}, "photo_pose_mirrored"),
        ({"pose_distance": 0.15, "other": 0.08}, "photo_pose_other"),
        ({"pose_distance": 0.4, "mirrored": 0.1, "other": 0.15}, "photo_pose_other"),
        ({"pose_distance": 0.45, "other": 0.3}, "photo_pose_far"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, float], code: str) -> None:
    with pytest.raises(RefusedError) as refused:
        demand_fit(replace(SEEN, **changed), 1280)  # type: ignore[arg-type]

    assert refused.value.code == code


def test_how_small_a_person_is_is_said_in_shares_since_the_photograph_was_made_smaller() -> None:
    with pytest.raises(RefusedError, match="less than 10 % of the photograph's longer side"):
        demand_fit(replace(SEEN, size=90.0), 1280)


def test_a_pose_that_cannot_be_measured_in_its_picture_stands_in_nobodys_way() -> None:
    demand_fit(replace(SEEN, pose_distance=None, mirrored=None, other=0.01), 1280)
    demand_fit(replace(SEEN, other=None), 1280)


def test_a_pose_between_both_of_the_pair_is_good_enough() -> None:
    demand_fit(replace(SEEN, pose_distance=0.14, other=0.1), 1280)


def nearest_to_own(own: float, mirrored: float, other: float) -> Examined:
    return replace(SEEN, pose_distance=own, mirrored=max(own, mirrored), other=max(own, other))


@given(own=floats(0, MAX_POSE_DISTANCE_M), mirrored=floats(0, 1), other=floats(0, 1))
def test_who_is_near_to_the_pose_and_nearer_to_no_other_is_not_refused(
    own: float, mirrored: float, other: float
) -> None:
    demand_fit(nearest_to_own(own, mirrored, other), 1280)


@given(own=floats(MAX_POSE_DISTANCE_M, 1, exclude_min=True), mirrored=floats(0, 1), other=floats(0, 1))
def test_who_is_nearest_to_the_pose_itself_is_never_told_of_another(own: float, mirrored: float, other: float) -> None:
    seen = nearest_to_own(own, mirrored, other)
    with pytest.raises(RefusedError) as refused:
        demand_fit(seen, 1280)
    assert refused.value.code == "photo_pose_far"


def test_a_photograph_is_compared_with_its_own_pose_first() -> None:
    compared = []

    def examine(_: bytes, *pair: bytes) -> Examined:
        compared.append(pair)
        return SEEN

    dark = PendingPhotoStore(examine, Clock())
    for which in WHICH:
        dark.receive("ann", "task", which, photograph(), PAIR)
    assert compared == [(b"one", b"two"), (b"two", b"one")]


def test_only_what_was_approved_as_it_is_becomes_an_answer() -> None:
    dark = photos()
    first = dark.receive("ann", "task", "current", photograph(), PAIR)
    again = dark.paint(first, strength=5, drawn=(FACE,))
    target = dark.receive("ann", "task", "target", photograph(200), PAIR)

    for approved in ([], [first.id, target.id], [again.id]):
        with pytest.raises(RefusedError, match="tick"):
            dark.answer("ann", "task", approved)
    answer = dark.answer("ann", "task", [again.id, target.id])

    assert answer["current"] == again.private
    assert b"at home" not in answer["current"]
    assert answer["checks"]["current"] == {
        "estimator": "fake",
        "person_px": 150,
        "apart_m": 0.1,
        "joints_m": JOINTS,
        "faces_found": 1,
        "faces_drawn": 1,
        "strength": 5,
    }
    dark.settle("ann", "task")
    assert dark.answer("ann", "task", [again.id, target.id]) == answer
    assert not any(photo.original for photo in dark.of("ann", "task").values())


def test_without_a_face_nothing_can_be_approved_until_one_is_drawn() -> None:
    dark = photos(replace(SEEN, faces=()))
    photo = dark.receive("ann", "task", "current", photograph(), PAIR)
    assert photo.private is None

    assert dark.paint(photo, strength=3, drawn=(drawn_box([0.2, 0.1, 0.3, 0.3], photo.size),)).private is not None


@pytest.mark.parametrize("box", [None, [1, 2, 3], ["a", 0, 1, 1], [float("nan"), 0, 1, 1], [True, 0, 1, 1]])
def test_what_is_no_box_is_refused(box: object) -> None:
    with pytest.raises(RefusedError):
        drawn_box(box, (100, 100))


def test_the_same_photograph_twice_is_refused() -> None:
    dark = photos()
    ids = [dark.receive("ann", "task", which, photograph(), PAIR).id for which in ("current", "target")]

    with pytest.raises(RefusedError) as refused:
        dark.answer("ann", "task", ids)
    assert refused.value.code == "photo_twice"


def test_nobody_reaches_anothers_photograph_and_none_is_held_for_long() -> None:
    clock = Clock()
    dark = photos(now=clock)
    photo = dark.receive("ann", "task", "current", photograph(), PAIR)
    with pytest.raises(RefusedError):
        dark.find("ben", photo.id)
    assert dark.find("ann", photo.id) == photo

    clock.pass_by(HELD_SECONDS)

    with pytest.raises(RefusedError):
        dark.find("ann", photo.id)
    assert dark.of("ann", "task") == {}


def test_only_so_many_are_held() -> None:
    dark = photos()
    for number in range(MAX_PHOTOS + 1):
        dark.receive(f"{number}", "task", "current", photograph(), PAIR)

    assert dark.of("0", "task") == {}
    assert dark.of("1", "task")


def test_a_person_who_gives_many_photographs_pushes_out_only_their_own() -> None:
    dark = photos()
    dark.receive("ann", "task", "current", photograph(), PAIR)
    for number in range(MAX_PHOTOS):
        dark.receive("mallory", f"{number // 2}", WHICH[number % 2], photograph(), PAIR)

    assert dark.of("ann", "task")
    last = range(MAX_PHOTOS // 2 - MAX_PHOTOS_PER_PERSON // 2, MAX_PHOTOS // 2)
    assert [number for number in range(MAX_PHOTOS // 2) if dark.of("mallory", f"{number}")] == list(last)


def test_photographs_of_a_kept_answer_make_room_before_those_that_wait_for_approval() -> None:
    dark = photos()
    for task in ("waiting", "kept"):
        for which in WHICH:
            dark.receive("ann", task, which, photograph(), PAIR)
    dark.settle("ann", "kept")

    dark.receive("ann", "next", "current", photograph(), PAIR)

    assert set(dark.of("ann", "waiting")) == set(WHICH)
    assert set(dark.of("ann", "kept")) == {"target"}


def test_few_wait_while_one_photograph_is_looked_at_and_others_are_told_so_at_once() -> None:
    begun, go_on, looked = threading.Event(), threading.Event(), []

    def examine(*_: bytes) -> Examined:
        looked.append(threading.get_ident())
        begun.set()
        assert go_on.wait(30)
        return SEEN

    dark, people, presses = PendingPhotoStore(examine, Clock()), MAX_WAITING_PHOTOS + 6, 14
    answers: Counter[str] = Counter()

    def give(person: int) -> None:
        try:
            dark.receive(f"{person}", "task", "current", photograph(), PAIR)
            answers["kept"] += 1
        except RefusedError as error:
            answers[error.code] += 1

    with ThreadPoolExecutor(people * presses) as pool:
        first = pool.submit(give, 0)
        assert begun.wait(30)
        others = [pool.submit(give, person) for _ in range(presses) for person in range(people)]
        told = threading.Event()
        while sum(answers.values()) < people * presses - MAX_WAITING_PHOTOS + 1 and not told.wait(0.01):
            assert not first.done()
        assert answers["kept"] == 0
        go_on.set()
        for one in (first, *others):
            one.result(30)

    assert answers["kept"] == MAX_WAITING_PHOTOS == len(looked)
    assert answers["photo_another"] >= presses
    assert answers["photo_busy"] >= 6 * presses
    dark.receive("0", "task", "target", photograph(), PAIR)  # there is room again
