"""Photograph decoding: what a person gives becomes pixels alone, upright, RGB, bounded, and a JPEG of nothing else.

The number of bytes comes first, then the kind by content, then the size that the header names, and only then the
decoder. What leaves here is drawn on a new picture, so that no name, place, date, thumbnail or comment of the file can
come along; a colour profile is used and dropped.
"""

from __future__ import annotations

import io
import re
import warnings

import numpy as np
import pillow_heif
from PIL import ExifTags, Image, ImageCms, ImageOps

from annotate.errors import RefusedError

MAX_BYTES = 20_000_000
MAX_PIXELS = 52_000_000  # telephones of "50 megapixels" give a little more
MIN_SIDE = 64
MAX_SIDE = 1280

_QUALITY = 90
_KINDS = (
    ("JPEG", re.compile(rb"\xff\xd8\xff")),
    ("PNG", re.compile(rb"\x89PNG\r\n\x1a\n")),
    ("WEBP", re.compile(rb"RIFF....WEBP", re.DOTALL)),
    ("HEIF", re.compile(rb"....ftyp(?:hei[cxms]|mif1)", re.DOTALL)),
)
_MAX_SCANS = 64  # a progressive JPEG has about ten; a hostile one as many as fit, each a full decode
_START_OF_SCAN = b"\xff\xda"
_SRGB = ImageCms.createProfile("sRGB")
_MAX_PROFILE = 4_000_000

pillow_heif.register_heif_opener(thumbnails=False, depth_images=False, aux_images=False)


def read_photograph(data: bytes) -> Image.Image:
    """Decode one uploaded file: RGB, upright, the longest side at most ``MAX_SIDE`` pixels.

    Raise :class:`RefusedError`: ``photo_empty``, ``photo_too_many_bytes``, ``photo_unknown_type``,
    ``photo_too_many_pixels``, ``photo_too_small``, ``photo_animated``, ``photo_broken``.
    """
    if not data:
        raise RefusedError("photo_empty")
    if len(data) > MAX_BYTES:
        raise RefusedError("photo_too_many_bytes", limit_mb=MAX_BYTES // 1_000_000)
    kind = next((name for name, start in _KINDS if start.match(data)), None)
    if kind is None:
        raise RefusedError("photo_unknown_type")
    if kind == "JPEG" and data.count(_START_OF_SCAN) > _MAX_SCANS:  # compressed data never holds these two bytes
        raise RefusedError("photo_broken")
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data), formats=[kind]) as opened:
            _check_header(opened, kind)
            return _plain(opened)
    except RefusedError:
        raise
    except Image.DecompressionBombError:
        raise RefusedError("photo_too_many_pixels", limit_mp=MAX_PIXELS // 1_000_000) from None
    except Exception:  # noqa: BLE001 - on hostile bytes decoders raise anything at all
        raise RefusedError("photo_broken") from None


def to_jpeg(image: Image.Image) -> bytes:
    """The pixels as a JPEG file, and nothing but the pixels."""
    file = io.BytesIO()
    _pixels_of(image).save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def _check_header(opened: Image.Image, kind: str) -> None:
    """Refuse by what the header says; nothing has been decoded yet."""
    if opened.width * opened.height > MAX_PIXELS:
        raise RefusedError("photo_too_many_pixels", limit_mp=MAX_PIXELS // 1_000_000)
    if min(opened.size) < MIN_SIDE:
        raise RefusedError("photo_too_small", limit_px=MIN_SIDE)
    # JPEG and HEIC may carry further stills (depth, a second lens); their first picture is the photograph.
    if kind in {"PNG", "WEBP"} and getattr(opened, "is_animated", False):
        raise RefusedError("photo_animated")


def _plain(opened: Image.Image) -> Image.Image:
    opened.draft(None, (MAX_SIDE, MAX_SIDE))  # decodes a large JPEG at half, a quarter or an eighth
    orientation = _orientation(opened)
    image = _on_white(opened) if opened.has_transparency_data else _in_srgb(opened)
    image.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS, reducing_gap=2.0)
    clean = _pixels_of(image)
    if orientation is None:
        return clean
    clean.getexif()[ExifTags.Base.Orientation] = orientation
    return _pixels_of(ImageOps.exif_transpose(clean))


def _orientation(opened: Image.Image) -> int | None:
    """The EXIF orientation; a damaged EXIF block is no reason to refuse a sound picture."""
    try:
        orientation = opened.getexif().get(ExifTags.Base.Orientation)
    except Exception:  # noqa: BLE001 - parsers of hostile EXIF raise anything at all
        return None
    return orientation if isinstance(orientation, int) and 1 < orientation <= 8 else None  # noqa: PLR2004


def _on_white(image: Image.Image) -> Image.Image:
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")


def _in_srgb(image: Image.Image) -> Image.Image:
    """By its own colour profile, or as it is where that is missing or cannot be used."""
    if image.mode.startswith("I"):  # 16 bits of grey, which Pillow would clip to white
        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8)).convert("RGB")
    profile = image.info.get("icc_profile")
    if isinstance(profile, bytes) and 0 < len(profile) <= _MAX_PROFILE:
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            converted = ImageCms.profileToProfile(image, source, _SRGB, outputMode="RGB")
        except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
            return image.convert("RGB")
        if converted is not None:
            return converted
    return image.convert("RGB")


def _pixels_of(image: Image.Image) -> Image.Image:
    clean = Image.new("RGB", image.size)
    clean.paste(image)
    return clean
