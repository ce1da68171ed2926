"""The only reader of untrusted photographs: checks before decoding, then an upright RGB image of bounded size.

The order of the checks provides the safety: first the number of bytes, then the type by content, then the
pixels and frames that the header claims, and only then the decoder. Any later error of a decoder means a
damaged picture, so :func:`read_pixels` raises nothing but :class:`PhotographError`. One picture takes at
most about 1 GB of memory: a WebP of ``MAX_PIXELS``, which Pillow holds five times over while it opens it.
TIFF is not read: it is a container of many codecs, and no phone writes it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pillow_heif
from PIL import AvifImagePlugin, ExifTags, Image, ImageCms, ImageOps

from fmp_models.common.decoding_budget import DecodingBudget
from fmp_models.common.picture_structure import check_bmp, check_gif, coded_pixels
from fmp_models.common.refusals import PhotographError

MAX_BYTES = 20_000_000
MAX_PIXELS = 52_000_000  # phones of "50 megapixels" give a little more
MIN_SIDE = 64
MAX_SIDE = 1280

_MAX_SCANS = 64  # a plain JPEG has one scan, a progressive one about ten; each scan is a full decode
_MAX_SEGMENTS = 2000
# The other markers carry no segment: they are data, or a decoder that resynchronises skips them by themselves.
_JPEG_MARKER = re.compile(rb"\xff[\xc0-\xcf\xd8-\xfe]")
_END_OF_IMAGE, _START_OF_SCAN = 0xD9, 0xDA

_HEIC_STILL = (b"heic", b"heix", b"heim", b"heis", b"mif1")
_AVIF = b"avif"
_SEQUENCES = (b"hevc", b"hevx", b"hevm", b"hevs", b"msf1", b"avis")
_SRGB = ImageCms.createProfile("sRGB")
_MAX_PROFILE = 4_000_000

AvifImagePlugin.DEFAULT_MAX_THREADS = 1  # one thread, so the decoding budget counts all of its time
pillow_heif.register_heif_opener(thumbnails=False, depth_images=False, aux_images=False)


def read_pixels(data: bytes, budget: DecodingBudget) -> Image.Image:
    """Check and decode one file: RGB, upright, longest side at most ``MAX_SIDE`` pixels, without metadata.

    Raise :class:`PhotographError`: ``photo_empty``, ``photo_too_many_bytes``, ``photo_unknown_type``,
    ``photo_too_many_pixels``, ``photo_too_small``, ``photo_animated``, ``photo_broken``, ``photo_too_slow``.
    """
    if not data:
        raise PhotographError("photo_empty")
    if len(data) > MAX_BYTES:
        raise PhotographError("photo_too_many_bytes", limit_mb=MAX_BYTES // 1_000_000)
    kind = _kind(data)
    with _refusals():
        scans, decoded = _check_structure(data, kind)
        with Image.open(io.BytesIO(data), formats=[kind]) as opened:
            _check_header(opened, kind)
            if kind == "BMP":
                check_bmp(data, opened.width * opened.height, opened.info.get("compression"))
            with budget.decoding(max(decoded, opened.width * opened.height), kind, scans):
                return _normalised(opened, kind)


def file_of(picture: Image.Image) -> bytes:
    """Return an opened picture as a file for :func:`read_pixels`, normalised as it does; raise what it raises."""
    file = io.BytesIO()
    with _refusals():
        _check_header(picture, "")
        _normalised(picture, "").save(file, "PNG", compress_level=1)
    return file.getvalue()


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn whatever a decoder raises into :class:`PhotographError`."""
    try:
        yield
    except PhotographError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise PhotographError("photo_too_many_pixels", limit_mp=MAX_PIXELS // 1_000_000) from None
    except Exception:  # noqa: BLE001 - on hostile bytes decoders raise any exception
        raise PhotographError("photo_broken") from None


def _kind(data: bytes) -> str:
    """Return Pillow's name of the format that the first bytes announce."""
    if data.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "GIF"
    if data.startswith(b"BM") and data[6:10] == bytes(4):
        return "BMP"
    if data[4:8] == b"ftyp":
        return _heif_kind(data)
    raise PhotographError("photo_unknown_type")


def _heif_kind(data: bytes) -> str:
    """Return Pillow's name of the format in a HEIC or AVIF container."""
    brand, others = data[8:12], data[16 : min(int.from_bytes(data[:4], "big"), 200)]
    if brand in _SEQUENCES:
        raise PhotographError("photo_animated")
    if brand == _AVIF or (brand in _HEIC_STILL and _AVIF in others and b"heic" not in others):
        return "AVIF"
    if brand in _HEIC_STILL:
        return "HEIF"
    raise PhotographError("photo_unknown_type")


def _check_structure(data: bytes, kind: str) -> tuple[int, int]:
    """Return the number of scans, and the pixels of all frames of an AVIF file (0 for other formats)."""
    if kind == "JPEG":
        scans = _scans(data)
        if scans is None:
            raise PhotographError("photo_broken")
        return scans, 0
    if kind == "GIF":
        check_gif(data)
    if kind == "AVIF":
        largest, total = coded_pixels(data)
        if largest > MAX_PIXELS:
            raise PhotographError("photo_too_many_pixels", limit_mp=MAX_PIXELS // 1_000_000)
        return 1, total
    return 1, 0


def _scans(data: bytes) -> int | None:
    """Return the number of scans in a JPEG; ``None`` if there are too many.

    A scan costs the sender a few bytes and the decoder a pass over all pixels.
    """
    position, scans = 2, 0
    for _ in range(_MAX_SEGMENTS):
        marker = _JPEG_MARKER.search(data, position)
        if marker is None or data[marker.end() - 1] == _END_OF_IMAGE:
            return scans
        scans += data[marker.end() - 1] == _START_OF_SCAN
        if scans > _MAX_SCANS:
            return None
        position = marker.end() + int.from_bytes(data[marker.end() : marker.end() + 2], "big")
    return None


def _check_header(opened: Image.Image, kind: str) -> None:
    """Raise :class:`PhotographError` by what the header says; nothing has been decoded yet."""
    if opened.width * opened.height > MAX_PIXELS:
        raise PhotographError("photo_too_many_pixels", limit_mp=MAX_PIXELS // 1_000_000)
    if min(opened.size) < MIN_SIDE:
        raise PhotographError("photo_too_small", limit_px=MIN_SIDE)
    # JPEG and HEIC may carry more stills (depth, a second lens); the first picture is the photograph.
    if kind in ("PNG", "WEBP", "AVIF") and getattr(opened, "is_animated", False):
        raise PhotographError("photo_animated")


def _normalised(opened: Image.Image, kind: str) -> Image.Image:
    if kind == "JPEG":
        opened.draft(None, (MAX_SIDE, MAX_SIDE))  # decodes a large picture at 1/2, 1/4 or 1/8 of its size
    opened.load()
    orientation, profile = _orientation(opened), opened.info.get("icc_profile")
    image = _to_rgb(_on_white(_shrunk(_plain_mode(opened))), profile)
    clean = Image.new("RGB", image.size)
    clean.paste(image)
    return _upright(clean, orientation)


def _orientation(opened: Image.Image) -> int | None:
    """Return the EXIF orientation; ``None`` if EXIF is missing or damaged, which does not make a picture unreadable."""
    try:
        orientation = opened.getexif().get(ExifTags.Base.Orientation)
    except Exception:  # noqa: BLE001 - parsers of hostile EXIF raise any exception
        return None
    return orientation if isinstance(orientation, int) else None


def _upright(image: Image.Image, orientation: int | None) -> Image.Image:
    if orientation is None or not 1 < orientation <= 8:  # noqa: PLR2004 - 1 is upright, values above 8 are undefined
        return image
    image.getexif()[ExifTags.Base.Orientation] = orientation
    return ImageOps.exif_transpose(image)


def _plain_mode(image: Image.Image) -> Image.Image:
    """Return the picture in a mode that can be resized: L, LA, RGB, RGBA or CMYK."""
    if image.mode.startswith("I"):  # 16-bit grey, which Pillow would clip to white
        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    if image.mode in ("LA", "RGBA"):
        return image
    if image.has_transparency_data:
        return image.convert("RGBA")
    return image if image.mode in ("L", "RGB", "CMYK") else image.convert("RGB")


def _shrunk(image: Image.Image) -> Image.Image:
    scale = MAX_SIDE / max(image.size)
    if scale >= 1:
        return image
    width, height = (max(1, round(side * scale)) for side in image.size)
    return image.resize((width, height), Image.Resampling.BICUBIC, reducing_gap=2.0)


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode not in ("LA", "RGBA"):
        return image
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")


def _to_rgb(image: Image.Image, profile: object) -> Image.Image:
    """Convert the picture to sRGB by its colour profile; without a usable profile convert its mode only."""
    if isinstance(profile, bytes) and 0 < len(profile) <= _MAX_PROFILE:
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            converted = ImageCms.profileToProfile(image, source, _SRGB, outputMode="RGB")
        except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
            return image.convert("RGB")
        if converted is not None:
            return converted
    return image.convert("RGB")
