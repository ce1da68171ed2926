from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ExifTags, Image, ImageCms, PngImagePlugin

from annotate.errors import RefusedError
from annotate.photos.decode import read_photograph, to_jpeg
from fmp_models.common.hostile_photograph import MAX_BYTES, MAX_SIDE
from tests.hostile_uploads import jpeg_with_hidden_scans, jpeg_with_scans

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
