"""Picture structure: the decoding work that a GIF, BMP or AVIF file demands, found without decoding.

Decoders trust what a file says. A GIF or a run-length BMP of a few megabytes keeps Pillow busy in Python
for minutes, and an AVIF file that claims 100 x 100 pixels may hold thousands of hidden frames of 16,384 x
16,384. Malformed data raises ``ValueError``, ``IndexError`` or ``struct.error``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from fmp_models.common.refusals import PhotographError

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
