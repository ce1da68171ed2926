"""Untrusted pictures: checks before decoding, then an upright RGB image of bounded size; the limits of one request.

The order of the checks provides the safety: first the number of bytes, then the type by content, then the pixels
and frames that the header claims, and only then the decoder. Any later error of a decoder means a damaged picture,
so :func:`read_pixels` raises nothing but :class:`PhotographError`. One picture takes at most about 1 GB of memory:
a WebP of ``MAX_PIXELS``, which Pillow holds five times over while it opens it. TIFF is not read: it is a container
of many codecs, and no phone writes it.

Decoders trust what a file says. A GIF or a run-length BMP of a few megabytes keeps Pillow busy in Python for
minutes, and an AVIF file that claims 100 x 100 pixels may hold thousands of hidden frames of 16,384 x 16,384.
Malformed data raises ``ValueError``, ``IndexError`` or ``struct.error``.

A file of a few bytes can demand a lot of work: many pixels, each visited again by every scan of a JPEG. Each file
may be within the limits of one photograph, and twenty of them in one request would still block all other requests.
"""

from __future__ import annotations

import io
import re
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pillow_heif
from PIL import AvifImagePlugin, ExifTags, Image, ImageCms, ImageOps

from fmp_models.common.coded_errors import PhotographError

MIN_CANDIDATES, MAX_CANDIDATES = 2, 20
MAX_DESCRIPTION_CHARS = 1000
MAX_DECODED_PIXELS = 4_000_000_000  # twenty-one progressive JPEGs of 12 megapixels with ten scans each are 2.5 billion
MAX_DECODING_SECONDS = 15.0  # processor time, so a busy machine rejects no more than an idle one

# Cost of a pixel in each format, relative to a plain JPEG.
_WEIGHTS = {"AVIF": 4, "HEIF": 4, "WEBP": 4, "PNG": 2}


class DecodingBudget:
    """Remaining budget of one request; not thread-safe."""

    def __init__(self, pixels: int = MAX_DECODED_PIXELS, seconds: float = MAX_DECODING_SECONDS) -> None:
        self._pixels = pixels
        self._seconds = seconds

    @contextmanager
    def decoding(self, pixels: int, kind: str, scans: int) -> Iterator[None]:
        """Decode a picture of a ``kind`` as Pillow names it, or raise :class:`PhotographError` (``photo_too_slow``).

        The check comes before decoding, since a running decoder cannot be stopped.
        """
        self._pixels -= pixels * max(scans, _WEIGHTS.get(kind, 1))
        if self._pixels < 0 or self._seconds <= 0:
            raise PhotographError("photo_too_slow")
        begun = time.thread_time()
        try:
            yield
        finally:
            self._seconds -= time.thread_time() - begun


_MAX_EXTENSIONS = 2000  # extension blocks, such as comments, of a GIF
_MAX_BLOCKS = 300_000  # data blocks of a GIF; twenty megabytes in full-length blocks are 80,000
_MAX_BOXES = 1000
_MAX_EXTENTS = 4096
_MAX_UNITS = 5000  # of all coded pictures; a picture of 200 tiles has 600
_MAX_FRAMES = 8  # of one coded picture; a layered one has four
_MAX_RUN_LENGTH_BYTES, _MAX_RUN_LENGTH_PIXELS = 1_000_000, 4_000_000
_RUN_LENGTH = (1, 2)  # compressions of a BMP
_AV1 = b"av01"
_SEQUENCE_HEADER, _FRAMES = 1, (3, 6, 7)  # types of AV1 units


def check_gif(data: bytes) -> None:
    """Raise :class:`PhotographError` ``photo_animated`` on a second picture, ``ValueError`` on too many blocks."""
    at = 13 + _palette(data[10])
    extensions = blocks = frames = 0
    while at < len(data) and data[at] != ord(";"):
        if data[at] == ord(","):
            frames += 1
            if frames > 1:
                raise PhotographError("photo_animated")
            at += 11 + _palette(data[at + 9])
        elif data[at] == ord("!"):
            extensions += 1
            at += 2
        else:  # junk after the picture
            break
        while at < len(data) and data[at]:
            at += 1 + data[at]
            blocks += 1
            extensions += frames == 0
        at += 1
        if extensions > _MAX_EXTENSIONS or blocks > _MAX_BLOCKS:
            raise ValueError
    if not frames:
        raise ValueError


def check_bmp(data: bytes, pixels: int, compression: object) -> None:
    """Raise :class:`PhotographError` ``photo_too_slow`` on large run-length coding, which Pillow decodes in Python."""
    if compression in _RUN_LENGTH and (len(data) > _MAX_RUN_LENGTH_BYTES or pixels > _MAX_RUN_LENGTH_PIXELS):
        raise PhotographError("photo_too_slow")


def coded_pixels(data: bytes) -> tuple[int, int]:
    """Return the pixels of the largest frame of an AVIF still, and of all its frames together, hidden ones included."""
    start, end = next((start, end) for kind, start, end in _boxes(data, 0, len(data)) if kind == b"meta")
    meta = _only(_boxes(data, start + 4, end), {b"iinf", b"iloc", b"idat"})
    coded = _coded_items(data, *meta[b"iinf"])
    largest = total = units = 0
    for item in _item_data(data, meta[b"iloc"][0], meta.get(b"idat", (0, 0)), coded):
        pixels = frames = 0
        for kind, payload in _units(item):
            units += 1
            if kind == _SEQUENCE_HEADER:
                pixels = max(pixels, _frame_pixels(payload))
            frames += kind in _FRAMES
        if not pixels or frames > _MAX_FRAMES or units > _MAX_UNITS:
            raise ValueError
        largest, total = max(largest, pixels), total + pixels * frames
    if not total:
        raise ValueError
    return largest, total


def _palette(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 128 else 0


class _Cursor:
    """Sequential reader of big-endian numbers."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    def number(self, size: int) -> int:
        """Return the next number of ``size`` bytes; 0 for a size of 0."""
        self._at += size
        if self._at > len(self._data):
            raise ValueError
        return int.from_bytes(self._data[self._at - size : self._at], "big")


def _boxes(data: bytes, at: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield the type, the start and the end of each box's content."""
    count = 0
    while at < end:
        count += 1
        size, kind = struct.unpack_from(">I4s", data, at)
        head = 8
        if size == 1:
            size, head = struct.unpack_from(">Q", data, at + 8)[0], 16
        elif size == 0:
            size = end - at
        if size < head or at + size > end or count > _MAX_BOXES:
            raise ValueError
        yield kind, at + head, at + size
        at += size


def _only(boxes: Iterator[tuple[bytes, int, int]], kinds: set[bytes]) -> dict[bytes, tuple[int, int]]:
    """Return the places of boxes of these kinds; raise ``ValueError`` on a second box of a kind.

    The decoder might use the second box where this check uses the first.
    """
    found: dict[bytes, tuple[int, int]] = {}
    for kind, start, end in boxes:
        if kind in kinds and found.setdefault(kind, (start, end)) != (start, end):
            raise ValueError
    return found


def _coded_items(data: bytes, start: int, end: int) -> set[int]:
    """Return the numbers of the items that are coded pictures."""
    entries = start + (6 if data[start] == 0 else 8)
    coded = set()
    for kind, at, _ in _boxes(data, entries, end):
        if kind == b"infe" and data[at] in (2, 3):
            wide = data[at] == 3  # noqa: PLR2004 - the version with numbers of four bytes
            number = _Cursor(data, at + 4).number(4 if wide else 2)
            if data.startswith(_AV1, at + 4 + (6 if wide else 4)):
                coded.add(number)
    return coded


def _item_data(data: bytes, at: int, idat: tuple[int, int], wanted: set[int]) -> Iterator[bytes]:
    """Yield the bytes of the wanted items; the box of their locations is at ``at``."""
    version, sizes = data[at], data[at + 4 : at + 6]
    offset_size, length_size, base_size, index_size = sizes[0] >> 4, sizes[0] & 15, sizes[1] >> 4, sizes[1] & 15
    cursor = _Cursor(data, at + 6)
    wide = 2 if version < 2 else 4  # noqa: PLR2004 - the version with numbers of four bytes
    extents, left = 0, 4 * len(data)
    for _ in range(cursor.number(wide)):
        number = cursor.number(wide)
        method = cursor.number(2) & 15 if version else 0
        cursor.number(2)
        base = cursor.number(base_size)
        pieces = []
        for _ in range(cursor.number(2)):
            cursor.number(index_size if version else 0)
            start, length = base + cursor.number(offset_size), cursor.number(length_size)
            extents += 1
            left -= length
            start, end = (start, len(data)) if method == 0 else (idat[0] + start, idat[1])
            if extents > _MAX_EXTENTS or left < 0 or start + length > end or method > 1:
                raise ValueError
            pieces.append((start, length))
        if number in wanted:
            yield b"".join(data[start : start + length] for start, length in pieces)


def _units(item: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the type and the first bytes of each AV1 unit."""
    at = 0
    while at < len(item):
        header = item[at]
        at += 2 if header & 4 else 1
        size = shift = 0
        if not header & 2:
            size = len(item) - at
        while header & 2:
            size |= (item[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if item[at - 1] < 128:  # noqa: PLR2004 - the last byte of the number
                break
        if at + size > len(item):
            raise ValueError
        yield header >> 3 & 15, item[at : at + min(size, 100)]
        at += size


def _frame_pixels(payload: bytes) -> int:
    """Return the largest number of pixels that a frame after this sequence header may have."""
    bits = f"{int.from_bytes(payload, 'big'):0{len(payload) * 8}b}"
    at = 0

    def take(count: int) -> int:
        nonlocal at
        at += count
        return int(bits[at - count : at], 2)

    take(4)  # the profile and the still-picture flag
    is_reduced = take(1)
    if is_reduced:
        take(5)
    else:
        if take(1):  # timing, which a still does not have
            raise ValueError
        has_delay = take(1)
        for _ in range(take(5) + 1):
            take(12)
            if take(5) > 7:  # noqa: PLR2004 - levels above have a tier
                take(1)
            if has_delay and take(1):
                take(4)
    width_bits, height_bits = take(4) + 1, take(4) + 1
    pixels = (take(width_bits) + 1) * (take(height_bits) + 1)
    # Unless the header is reduced, each frame may give its own size in the same number of bits.
    return pixels if is_reduced else max(pixels, (1 << width_bits + height_bits) // 4)


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


def picture_file(picture: Image.Image) -> bytes:
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
