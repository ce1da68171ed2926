"""The one reader of photographs that strangers send: checked before they are decoded, then upright, RGB and bounded.

The order is the safety: first the number of bytes, then the type by content, then what the header says about pixels and
frames, and only then the decoder. Whatever a decoder raises after that means a damaged picture, so nothing but
:class:`PhotographError` ever leaves :func:`read_pixels`. The most memory one picture can take is about 1 GB, for a WebP
of ``MAX_PIXELS``, which Pillow holds five times over while it opens it. TIFF is not read: it is a container of many
codecs, and no telephone writes it.
"""

from __future__ import annotations

import io
import re

import numpy as np
import pillow_heif
from PIL import AvifImagePlugin, ExifTags, Image, ImageCms, ImageOps

from fmp_models.common.decoding_budget import DecodingBudget
from fmp_models.common.picture_structure import check_bmp, check_gif, coded_pixels
from fmp_models.common.refusals import PhotographError

MAX_BYTES = 20_000_000
MAX_PIXELS = 52_000_000  # telephones of "50 megapixels" give a little more
MIN_SIDE = 64
MAX_SIDE = 1280

_MAX_SCANS = 64  # a JPEG has one scan, a progressive one about ten; a hostile one as many as fit, each a full decode
_MAX_SEGMENTS = 2000
# The others carry no segment: they are data, or a decoder that looks for where it may go on steps over them alone.
_JPEG_MARKER = re.compile(rb"\xff[\xc0-\xcf\xd8-\xfe]")
_END_OF_IMAGE, _START_OF_SCAN = 0xD9, 0xDA

_HEIC_STILL = (b"heic", b"heix", b"heim", b"heis", b"mif1")
_AVIF = b"avif"
_SEQUENCES = (b"hevc", b"hevx", b"hevm", b"hevs", b"msf1", b"avis")
_SRGB = ImageCms.createProfile("sRGB")
_MAX_PROFILE = 4_000_000

AvifImagePlugin.DEFAULT_MAX_THREADS = 1  # so that the decoding budget counts all of its time
pillow_heif.register_heif_opener(thumbnails=False, depth_images=False, aux_images=False)


def read_pixels(data: bytes, budget: DecodingBudget) -> Image.Image:
    """Check and decode one file: RGB, upright, longest side at most ``MAX_SIDE`` pixels, without any metadata.

    Raise :class:`PhotographError`: ``photo_empty``, ``photo_too_many_bytes``, ``photo_unknown_type``,
    ``photo_too_many_pixels``, ``photo_too_small``, ``photo_animated``, ``photo_broken``, ``photo_too_slow``.
    """
    if not data:
        raise PhotographError("photo_empty")
    if len(data) > MAX_BYTES:
        raise PhotographError("photo_too_many_bytes", limit_mb=MAX_BYTES // 1_000_000)
    kind = _kind(data)
    try:
        scans, decoded = _check_structure(data, kind)
        with Image.open(io.BytesIO(data), formats=[kind]) as opened:
            _check_header(opened, kind)
            if kind == "BMP":
                check_bmp(data, opened.width * opened.height, opened.info.get("compression"))
            with budget.decoding(max(decoded, opened.width * opened.height), kind, scans):
                return _normalised(opened, kind)
    except PhotographError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise PhotographError("photo_too_many_pixels", limit_mp=MAX_PIXELS // 1_000_000) from None
    except Exception:  # noqa: BLE001 - on hostile bytes decoders raise anything at all
        raise PhotographError("photo_broken") from None


def _kind(data: bytes) -> str:
    """Pillow's name of the format that the first bytes announce."""
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
    """Pillow's name of what is in the container of HEIC and AVIF."""
    brand, others = data[8:12], data[16 : min(int.from_bytes(data[:4], "big"), 200)]
    if brand in _SEQUENCES:
        raise PhotographError("photo_animated")
    if brand == _AVIF or (brand in _HEIC_STILL and _AVIF in others and b"heic" not in others):
        return "AVIF"
    if brand in _HEIC_STILL:
        return "HEIF"
    raise PhotographError("photo_unknown_type")


def _check_structure(data: bytes, kind: str) -> tuple[int, int]:
    """Return the scans of a picture, and the pixels of all its frames where they are more than it shows, else 0."""
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
    """How often a JPEG asks to be decoded, where that is bounded: a scan costs it a few bytes and us all its pixels."""
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
    """Refuse by what the header says; nothing has been decoded yet."""
    if opened.width * opened.height > MAX_PIXELS:
        raise PhotographError("photo_too_many_pixels", limit_mp=MAX_PIXELS // 1_000_000)
    if min(opened.size) < MIN_SIDE:
        raise PhotographError("photo_too_small", limit_px=MIN_SIDE)
    # JPEG and HEIC may carry further stills (depth, a second lens); their first picture is the photograph.
    if kind in ("PNG", "WEBP", "AVIF") and getattr(opened, "is_animated", False):
        raise PhotographError("photo_animated")


def _normalised(opened: Image.Image, kind: str) -> Image.Image:
    if kind == "JPEG":
        opened.draft(None, (MAX_SIDE, MAX_SIDE))  # decodes a large picture at half, a quarter or an eighth
    opened.load()
    orientation, profile = _orientation(opened), opened.info.get("icc_profile")
    image = _to_rgb(_on_white(_shrunk(_plain_mode(opened))), profile)
    clean = Image.new("RGB", image.size)
    clean.paste(image)
    return _upright(clean, orientation)


def _orientation(opened: Image.Image) -> int | None:
    """The EXIF orientation; a damaged EXIF block is no reason to refuse a sound picture."""
    try:
        orientation = opened.getexif().get(ExifTags.Base.Orientation)
    except Exception:  # noqa: BLE001 - parsers of hostile EXIF raise anything at all
        return None
    return orientation if isinstance(orientation, int) else None


def _upright(image: Image.Image, orientation: int | None) -> Image.Image:
    if orientation is None or not 1 < orientation <= 8:  # noqa: PLR2004 - 1 is upright, more than 8 means nothing
        return image
    image.getexif()[ExifTags.Base.Orientation] = orientation
    return ImageOps.exif_transpose(image)


def _plain_mode(image: Image.Image) -> Image.Image:
    """The picture in a mode that can be resized: L, LA, RGB, RGBA or CMYK."""
    if image.mode.startswith("I"):  # 16 bits of grey, which Pillow would clip to white
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
    """The picture in sRGB by its own colour profile, or as it is where that is missing or cannot be used."""
    if isinstance(profile, bytes) and 0 < len(profile) <= _MAX_PROFILE:
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            converted = ImageCms.profileToProfile(image, source, _SRGB, outputMode="RGB")
        except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
            return image.convert("RGB")
        if converted is not None:
            return converted
    return image.convert("RGB")
