"""Untrusted pictures are decoded within limits, or refused."""

from __future__ import annotations

import io
import time

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageCms, ImageOps

from fmp_models.common import picture_files
from fmp_models.common.coded_errors import PhotographError
from fmp_models.common.picture_files import (
    MAX_BYTES,
    MAX_CANDIDATES,
    MAX_PIXELS,
    MAX_SIDE,
    MIN_SIDE,
    DecodingBudget,
    read_pixels,
)
from fmp_models.errors import BadInputError
from fmp_models.inference import corrector, target_finder
from fmp_models.inference.retrievers import Retrievers
from fmp_models.inference.target_finder import TargetFinder
from fmp_models.preprocessing import Photograph, read_photograph
from tests.hostile_uploads import (
    avif,
    bmp,
    encoded,
    gif,
    jpeg_with_hidden_scans,
    jpeg_with_scans,
    png,
    sound_pictures,
)
from tests.nonempty import nonempty
from tests.retrievers import TEXTS, ColourEstimator, picture, save_retriever
from tests.thoroughness import thorough

SOUND, OTHER = picture(90, 60, 30), picture(200, 30, 40)


@pytest.fixture(scope="module")
def scans() -> bytes:
    """Return a JPEG of a hundred kilobytes whose sixteen megapixels are decoded in sixty passes."""
    return jpeg_with_scans(53)


@pytest.fixture(scope="module")
def finder(tmp_path_factory: pytest.TempPathFactory) -> TargetFinder:
    folder = save_retriever(tmp_path_factory.mktemp("finder") / "tiny", "en")
    return TargetFinder(ColourEstimator(), Retrievers(str(folder)))


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Every file that is decoded from now on, in that order."""
    files_read: list[bytes] = []

    def read(data: bytes, budget: DecodingBudget | None = None) -> Photograph:
        files_read.append(data)
        return read_photograph(data, budget)

    for module in (corrector, target_finder):
        monkeypatch.setattr(module, "read_photograph", read)
    return files_read


def test_pixels_are_counted_once_for_each_scan_of_a_jpeg_and_refused_before_they_are_decoded(scans: bytes) -> None:
    budget = DecodingBudget(pixels=16_000_000 * 100)
    read_photograph(scans, budget)

    begun = time.thread_time()
    with pytest.raises(BadInputError) as refused:
        read_photograph(scans, budget)

    assert refused.value.code == "photo_too_slow"
    assert time.thread_time() - begun < 0.1


def test_many_plain_photographs_are_within_the_budget() -> None:
    budget = DecodingBudget()
    for _ in range(MAX_CANDIDATES + 1):
        with budget.decoding(12_000_000, "JPEG", 10):
            pass


def test_the_time_of_the_processor_is_counted() -> None:
    budget = DecodingBudget(seconds=0.05)
    with budget.decoding(1, "PNG", 1):
        begun = time.thread_time()
        while time.thread_time() - begun < 0.06:
            pass

    with pytest.raises(PhotographError), budget.decoding(1, "PNG", 1):
        raise AssertionError


@thorough
def test_twenty_different_pictures_of_many_scans_are_refused_after_a_few(
    scans: bytes, decoded: list[bytes], finder: TargetFinder
) -> None:
    hostile = [scans[:-2] + bytes([0xFF, 0xFE, 0, 3, number]) + scans[-2:] for number in range(MAX_CANDIDATES)]

    with pytest.raises(BadInputError) as refused:
        finder.find(SOUND, TEXTS["en"], hostile)

    assert refused.value.code == "photo_too_slow"
    assert refused.value.details["which"] == "candidate"
    assert len(decoded) < 8


def test_the_current_photograph_is_checked_before_any_other(decoded: list[bytes], finder: TargetFinder) -> None:
    with pytest.raises(BadInputError) as refused:
        finder.find(b"no picture", TEXTS["en"], [SOUND] * MAX_CANDIDATES)

    assert refused.value.details["which"] == "current"
    assert decoded == [b"no picture"]


def test_a_file_that_is_given_often_is_decoded_once(decoded: list[bytes], finder: TargetFinder) -> None:
    finder.find(SOUND, TEXTS["en"], [bytes(bytearray(one)) for one in [OTHER, SOUND] * (MAX_CANDIDATES // 2)])

    assert decoded == [SOUND, OTHER]


ORIENTATION = 0x0112
GPS = 0x8825
FORMATS = sorted(sound_pictures())


def picture() -> Image.Image:
    """Red, green, blue and grey quarters: no two ways of turning it look alike."""
    image = Image.new("RGB", (160, 120), (128, 128, 128))
    for colour, corner in (("red", (0, 0)), ("lime", (80, 0)), ("blue", (0, 60))):
        image.paste(colour, (*corner, corner[0] + 80, corner[1] + 60))
    return image


def read(data: bytes) -> Image.Image:
    return read_pixels(data, DecodingBudget())


def refusal(data: bytes) -> str:
    with pytest.raises(PhotographError) as refused:
        read_pixels(data, DecodingBudget())
    return refused.value.code


def difference(one: Image.Image, other: Image.Image) -> float:
    assert one.size == other.size
    return float(np.asarray(ImageChops.difference(one, other)).mean())


@pytest.mark.parametrize("name", FORMATS)
def test_every_accepted_format_is_read_as_it_looks(name: str) -> None:
    original = Image.open(io.BytesIO(sound_pictures()["plain.png"]))
    assert difference(read(sound_pictures()[name]), original) < 6


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "HEIF", "AVIF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_photographs_are_turned_upright(kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    turned = read(encoded(picture(), kind, exif=exif.tobytes()))
    upright = picture()
    upright.getexif()[ORIENTATION] = orientation
    assert difference(turned, ImageOps.exif_transpose(upright)) < 4


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "HEIF", "AVIF"])
def test_nothing_but_pixels_is_kept(kind: str) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    exif[0x010F] = "Maker of cameras"
    exif.get_ifd(GPS)[1] = "N"
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    metadata = {"exif": exif.tobytes(), "icc_profile": profile, "xmp": b"<x:xmpmeta>secret</x:xmpmeta>"}
    image = read(encoded(picture(), kind, **metadata))
    assert image.info == {}
    assert dict(image.getexif()) == {}
    again = Image.open(io.BytesIO(encoded(image, "PNG")))
    again.load()
    assert again.info == {}


@pytest.mark.parametrize(
    ("size", "expected"), [((3000, 2000), (1280, 853)), ((90, 2560), (45, 1280)), ((200, 100), (200, 100))]
)
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF", "GIF", "BMP"])
def test_large_pictures_are_made_smaller_and_small_ones_left(
    kind: str, size: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert read(encoded(Image.new("RGB", size, "teal"), kind)).size == expected


@thorough
def test_a_smaller_copy_still_looks_the_same() -> None:
    large = picture().resize((4000, 3000), Image.Resampling.NEAREST)
    small = picture().resize((MAX_SIDE, MAX_SIDE * 3 // 4), Image.Resampling.NEAREST)
    for kind, mode in (("JPEG", "RGB"), ("PNG", "RGB"), ("PNG", "RGBA"), ("WEBP", "RGB")):
        assert difference(read(encoded(large.convert(mode), kind)), small) < 2, (kind, mode)


@pytest.mark.parametrize("mode", ["CMYK", "L"])
def test_jpeg_modes_become_rgb(mode: str) -> None:
    image = read(encoded(picture().convert(mode), "JPEG", quality=95))
    assert difference(image, picture().convert(mode).convert("RGB")) < 4


@pytest.mark.parametrize("mode", ["1", "L", "P"])
def test_png_modes_become_rgb(mode: str) -> None:
    assert difference(read(encoded(picture().convert(mode), "PNG")), picture().convert(mode).convert("RGB")) == 0


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    ("kind", "mode"),
    [("PNG", "RGBA"), ("PNG", "LA"), ("PNG", "P"), ("WEBP", "RGBA"), ("HEIF", "RGBA"), ("AVIF", "RGBA"), ("GIF", "P")],
)
def test_see_through_parts_become_white(kind: str, mode: str, *, large: bool) -> None:
    size = (2600, 200) if large else (200, 100)
    image = Image.new("RGBA", size, (0, 0, 0, 0))
    image.paste((0, 0, 0, 255), (0, 0, size[0] // 2, size[1]))
    options = {}
    if mode == "P":
        image, options = Image.new("P", size, 0), {"transparency": 0}
        image.putpalette([10, 20, 30, 0, 0, 0])
        image.paste(1, (0, 0, size[0] // 2, size[1]))
    pixels = np.asarray(read(encoded(image.convert(mode), kind, **options)))
    middle, width = pixels.shape[0] // 2, pixels.shape[1]
    assert pixels[middle, width // 4].max() <= 5
    assert pixels[middle, 3 * width // 4].min() >= 250


def test_half_see_through_is_mixed_with_white() -> None:
    image = read(encoded(Image.new("RGBA", (100, 100), (0, 0, 0, 128)), "PNG"))
    assert image.getpixel((50, 50)) == (127, 127, 127)


def test_sixteen_bits_of_grey_keep_their_shades() -> None:
    shades = np.tile(np.linspace(0, 65_535, 256).astype(np.uint16), (80, 1))
    pixels = np.asarray(read(encoded(Image.fromarray(shades), "PNG")))
    assert np.abs(pixels[0, :, 0].astype(int) - np.arange(256)).max() <= 1
    assert (pixels[..., 0] == pixels[..., 2]).all()


def test_sixteen_bits_of_colour_keep_their_shades() -> None:
    row = b"\0" + np.array([65_535, 32_768, 0] * 100, dtype=">u2").tobytes()
    image = read(png(100, 100, depth=16, pixels=row * 100))
    assert image.getpixel((50, 50)) == (255, 128, 0)


def test_a_colour_profile_is_followed() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    swapped = profile.replace(b"rXYZ", b"____").replace(b"gXYZ", b"rXYZ").replace(b"____", b"gXYZ")
    assert read(encoded(Image.new("RGB", (99, 99), "red"), "PNG", icc_profile=profile)).getpixel((9, 9)) == (255, 0, 0)
    red, green, blue = read(encoded(Image.new("RGB", (99, 99), "red"), "PNG", icc_profile=swapped)).getpixel((9, 9))
    assert green > 250
    assert max(red, blue) < 10


@pytest.mark.parametrize("profile", [b"no profile at all", b"\0\0\x0b\xb8lcms" + bytes(2992)])
def test_a_damaged_colour_profile_is_left_out(profile: bytes) -> None:
    assert difference(read(encoded(picture(), "PNG", icc_profile=profile)), picture()) == 0


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data")
@pytest.mark.parametrize("exif", [b"rubbish", b"Exif\0\0II*\0\xff\xff\xff\xff", b"Exif\0\0MM\0*\0\0\0\x08\xff\xff"])
@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_damaged_exif_is_no_reason_to_refuse(kind: str, exif: bytes) -> None:
    assert read(encoded(picture(), kind, exif=exif)).size == picture().size


def test_a_second_lens_or_depth_picture_behind_the_first_is_ignored() -> None:
    others = [Image.new("RGB", (160, 120), "black"), Image.new("RGB", (80, 60), "white")]
    for kind in ("MPO", "HEIF"):
        assert difference(read(encoded(picture(), kind, save_all=True, append_images=others)), picture()) < 4


def test_files_that_are_no_picture_of_ours_are_told_so() -> None:
    assert refusal(b"") == "photo_empty"
    assert refusal(b"words, words, words") == "photo_unknown_type"
    assert refusal(encoded(picture(), "TIFF")) == "photo_unknown_type"


def test_the_limit_of_bytes_is_exact() -> None:
    data = sound_pictures()["plain.png"]
    assert read(data + bytes(MAX_BYTES - len(data))).mode == "RGB"
    assert refusal(data + bytes(MAX_BYTES - len(data) + 1)) == "photo_too_many_bytes"


def test_the_limit_of_pixels_is_exact_and_known_without_decoding() -> None:
    # No pixels follow either header, so the allowed one is refused later, for what it lacks.
    assert refusal(png(MAX_PIXELS // 1000, 1000)) == "photo_broken"
    assert refusal(png(MAX_PIXELS // 1000 + 1, 1000)) == "photo_too_many_pixels"
    assert refusal(png(2**31 - 1, 2**31 - 1)) == "photo_too_many_pixels"


def test_the_smallest_side_is_exact() -> None:
    assert read(encoded(Image.new("RGB", (MIN_SIDE, 300)), "PNG")).size == (MIN_SIDE, 300)
    assert refusal(encoded(Image.new("RGB", (300, MIN_SIDE - 1)), "PNG")) == "photo_too_small"


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "GIF", "AVIF"])
def test_animations_are_refused(kind: str) -> None:
    frames = [Image.new("RGB", (100, 100), colour) for colour in ("red", "blue")]
    assert refusal(encoded(frames[0], kind, save_all=True, append_images=frames[1:], duration=100)) == "photo_animated"
    assert read(encoded(frames[0], kind, save_all=True)).getpixel((5, 5)) == pytest.approx((255, 0, 0), abs=3)


def test_image_sequences_in_heic_are_refused() -> None:
    heic = sound_pictures()["plain.heic"]
    assert refusal(heic[:8] + b"hevc" + heic[12:]) == "photo_animated"


@pytest.mark.parametrize("name", FORMATS)
def test_truncated_files_are_refused_wherever_they_end(name: str) -> None:
    data = sound_pictures()[name]
    for end in nonempty(np.linspace(16, len(data) * 0.95, 40).astype(int)):
        assert refusal(data[:end]) == "photo_broken", end


def test_a_jpeg_that_asks_to_be_decoded_thousands_of_times_is_refused_before_it_is_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ordinary, hostile = jpeg_with_scans(1), jpeg_with_scans(3000)
    assert len(hostile) < 1_000_000
    assert read(ordinary).mode == "RGB"
    monkeypatch.setattr(picture_files.Image, "open", lambda *_, **__: pytest.fail("opened"))
    assert refusal(hostile) == "photo_broken"


def test_scans_behind_a_marker_that_decoders_step_over_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(jpeg_with_hidden_scans(20)).mode == "RGB"
    monkeypatch.setattr(picture_files.Image, "open", lambda *_, **__: pytest.fail("opened"))
    assert refusal(jpeg_with_hidden_scans(100)) == "photo_broken"


def test_what_looks_like_scans_behind_the_end_is_not_counted() -> None:
    # As in the film that telephones put behind a photograph.
    assert read(sound_pictures()["progressive.jpg"] + b"\xff\xda" * 1000).size == (240, 180)


def test_any_fault_inside_a_decoder_is_a_damaged_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr(picture_files.Image, "open", fail)
    assert refusal(sound_pictures()["plain.png"]) == "photo_broken"


BOUNDED = [
    ("short blocks", gif(b"!\xff" + b"\x01x" * 2_000_000 + b"\0"), "photo_broken"),
    ("a long comment", gif(b"!\xfe" + (b"\xff" + bytes(255)) * 40_000 + b"\0"), "photo_broken"),
    ("runs", bmp(7200, 7200, b"\x01\x02\x00\x00" * 7200, compression=1), "photo_too_slow"),
    ("runs of nothing", bmp(64, 64, b"\x00\x03\x01\x02\x03\x00" * 2_000_000, compression=1), "photo_too_slow"),
    ("hidden frames", avif(frames=2000), "photo_broken"),
    ("a hidden size", avif(claimed=(65_535, 65_535), shown=(200, 200)), "photo_too_many_pixels"),
]


@pytest.mark.parametrize(("data", "code"), [pytest.param(data, code, id=name) for name, data, code in BOUNDED])
def test_what_would_keep_a_decoder_busy_is_refused_before_it_is_decoded(data: bytes, code: str) -> None:
    begun = time.thread_time()

    assert refusal(data) == code
    assert time.thread_time() - begun < 1


def test_a_run_length_bmp_of_some_size_is_read() -> None:
    assert read(bmp(200, 200, b"\xc8\x42\x00\x00" * 200, compression=1)).size == (200, 200)


def test_a_still_in_the_container_of_a_film_is_read_and_a_film_is_refused() -> None:
    film = encoded(picture(), "AVIF", save_all=True, append_images=[picture().rotate(90)])
    assert refusal(film) == "photo_animated"
    assert read(film[:8] + b"avif" + film[12:]).size == picture().size
