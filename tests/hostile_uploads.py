"""Files that somebody might upload by mistake or to do harm: the same list of (name, bytes) on every run.

Names are file names with the extension a browser would believe. The families: every format cut short, with bits
flipped, with holes, with rubbish behind it; headers that promise far more pixels than there are; small files that do
hold very many pixels; other types under a picture's name; two types in one file; animations; odd sizes and modes.
"""

from __future__ import annotations

import functools
import io
import random
import struct
import zipfile
import zlib
from collections.abc import Iterator

import numpy as np
import pillow_heif
from PIL import Image, ImageDraw, TiffImagePlugin

Upload = tuple[str, bytes]

pillow_heif.register_heif_opener()

_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LARGE = (7200, 7200)  # just below what is accepted: such a file has to be decoded in full
_SIZE = (240, 180)


def hostile_uploads(*, vast: bool = True) -> Iterator[Upload]:
    """Give every file once; well over two hundred. Without ``vast``, of those that take long to decode only one."""
    yield from _damaged()
    yield from _lying_headers()
    if vast:
        yield from _vast_bombs()
    yield from _bombs()
    yield from _other_types()
    yield from _polyglots()
    yield from _animations()
    yield from _odd_sizes_and_modes()
    yield from _hostile_gif()
    yield from _hostile_bmp()
    yield from _hostile_avif()


@functools.cache
def sound_pictures() -> dict[str, bytes]:
    """Return one sound picture in every accepted encoding, by file name."""
    picture = _picture()
    return {
        "plain.jpg": encoded(picture, "JPEG", quality=85),
        "progressive.jpg": encoded(picture, "JPEG", quality=85, progressive=True),
        "plain.png": encoded(picture, "PNG"),
        "lossy.webp": encoded(picture, "WEBP", quality=80),
        "lossless.webp": encoded(picture, "WEBP", lossless=True),
        "plain.heic": encoded(picture, "HEIF", quality=70),
        "plain.avif": encoded(picture, "AVIF", quality=80),
        "plain.gif": encoded(picture, "GIF"),
        "plain.bmp": encoded(picture, "BMP"),
    }


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    """Encode an image with Pillow."""
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def png_chunk(kind: bytes, body: bytes) -> bytes:
    """Frame one PNG chunk with its length and check sum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(  # noqa: PLR0913  the fields of a header
    width: int, height: int, *, depth: int = 8, colour: int = 2, pixels: bytes = b"", before: bytes = b""
) -> bytes:
    """Build a PNG of any header; ``pixels`` are compressed, ``before`` are chunks ahead of them."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    body = png_chunk(b"IHDR", header) + before + png_chunk(b"IDAT", zlib.compress(pixels, 1)) + png_chunk(b"IEND", b"")
    return _PNG_SIGNATURE + body


def jpeg_with_scans(scans: int) -> bytes:
    """Build a progressive JPEG whose last scan is repeated: a few bytes more, a full decode more each time."""
    data = encoded(Image.new("RGB", (4000, 4000), (90, 3, 200)), "JPEG", quality=30, progressive=True)
    last = data.rfind(b"\xff\xda")
    return data[:last] + data[last:-2] * scans + data[-2:]


def jpeg_with_hidden_scans(scans: int) -> bytes:
    """Build a progressive JPEG whose last scan is repeated behind a marker that is no segment, though it looks long.

    A decoder that looks there for where the picture goes on steps over the marker alone, and on to the scans.
    """
    image = Image.new("RGB", (4000, 4000), (90, 3, 200))
    data = encoded(image, "JPEG", quality=30, progressive=True, restart_marker_rows=1)
    last = data.rfind(b"\xff\xda")
    restart = data.find(b"\xff\xd0", last)
    header = data[last : last + 2 + int.from_bytes(data[last + 2 : last + 4], "big")]
    hidden = (header * scans).ljust(65_533, b"\0")
    return data[:restart] + b"\xff\x02\xff\xff" + hidden + data[restart + 2 :]


def gif(blocks: bytes = b"", *, screen: tuple[int, int] = (200, 200), frame: tuple[int, int] = (200, 200)) -> bytes:
    """Build a GIF of one grey frame, with ``blocks`` ahead of it."""
    sound = encoded(Image.new("L", frame, 90), "GIF")
    start = 13 + (3 << (sound[10] & 7) + 1)
    return _patched(sound[:start], 6, struct.pack("<HH", *screen)) + blocks + sound[start:]


def bmp(width: int, height: int, data: bytes, *, bits: int = 8, compression: int = 0) -> bytes:
    """Build a BMP of any header, with a palette of 256 greys."""
    palette = b"".join(bytes([grey, grey, grey // 2, 0]) for grey in range(256))
    header = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, compression, len(data), 0, 0, 256, 0)
    return b"BM" + struct.pack("<IHHI", 54 + 1024 + len(data), 0, 0, 54 + 1024) + header + palette + data


def avif(*, claimed: tuple[int, int] | None = None, frames: int = 1, shown: tuple[int, int] | None = None) -> bytes:
    """Build an AVIF still whose frame claims another size than the file shows, or comes many times."""
    sound = encoded(_picture(), "AVIF")
    start = sound.find(b"mdat") + 4
    length = sound[start + 3]  # of the sequence header, behind the unit that begins a picture and two bytes of its own
    sequence, frame = sound[start + 4 : start + 4 + length], sound[start + 4 + length :]
    if claimed is not None:
        bits = f"0001100000{15:04b}{15:04b}{claimed[0] - 1:016b}{claimed[1] - 1:016b}".ljust(8 * length, "0")
        sequence = int(bits, 2).to_bytes(len(bits) // 8, "big")
    item = sound[start : start + 3] + bytes([len(sequence)]) + sequence + frame * frames
    head = _patched(sound[:start], start - 8, struct.pack(">I", len(item) + 8))
    head = _patched(head, head.find(b"iloc") + 22, struct.pack(">I", len(item)))
    if shown is not None:
        head = _patched(head, head.find(b"ispe") + 8, struct.pack(">II", *shown))
    return head + item


def _picture() -> Image.Image:
    across, down = np.meshgrid(np.linspace(0, 1, _SIZE[0]), np.linspace(0, 1, _SIZE[1]))
    grain = np.random.default_rng(0).normal(0, 6, (*across.shape, 3))
    colours = np.stack([across * 255, down * 255, (1 - across * down) * 255], axis=-1) + grain
    image = Image.fromarray(colours.clip(0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    draw.ellipse((100, 20, 140, 60), fill="tan")
    draw.line((120, 60, 120, 120, 90, 170), fill="navy", width=12)
    return image


def _damaged() -> Iterator[Upload]:
    dice = random.Random(20)
    for name, data in sound_pictures().items():
        for percent in (1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 97):
            yield f"cut-{percent:02}-{name}", data[: max(1, len(data) * percent // 100)]
        yield f"cut-last-byte-{name}", data[:-1]
        for flips in (1, 3, 10, 30, 100, 1000):
            yield f"flipped-{flips}-{name}", _flipped(data, flips, dice, 0)
        yield f"flipped-behind-header-{name}", _flipped(data, 20, dice, 200)
        yield f"flipped-header-{name}", _flipped(data[:200], 12, dice, 12) + data[200:]
        for at in (0, 16, 100, len(data) // 2):
            yield f"hole-{at}-{name}", data[:at] + bytes(64) + data[at + 64 :]
        yield f"rubbish-behind-{name}", data + dice.randbytes(5000)
        yield f"shuffled-{name}", data[:32] + data[len(data) // 2 :] + data[32 : len(data) // 2]
        yield f"only-signature-{name}", data[:12]
        yield f"signature-then-zeros-{name}", data[:12] + bytes(4000)


def _flipped(data: bytes, count: int, dice: random.Random, start: int) -> bytes:
    changed = bytearray(data)
    for _ in range(count):
        changed[dice.randrange(min(start, len(data) - 1), len(data))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _lying_headers() -> Iterator[Upload]:
    sound = sound_pictures()
    for width, height in (
        (0, 0),
        (0, 100),
        (2**31 - 1, 2**31 - 1),
        (2**32 - 1, 1),
        (100_000, 100_000),
        (30_000, 30_000),
    ):
        yield f"header-{width}x{height}.png", png(width, height, pixels=bytes(1000))
    yield "header-7000x7000.png", png(7000, 7000, pixels=bytes(1000))
    for depth, colour in ((3, 2), (16, 3), (8, 9), (0, 0), (255, 255)):
        yield f"header-depth-{depth}-colour-{colour}.png", png(200, 200, depth=depth, colour=colour, pixels=bytes(9000))
    frame = sound["plain.jpg"].find(b"\xff\xc0") + 5
    for height, width in ((65_535, 65_535), (0, 0), (7000, 7000), (0, 200), (20_000, 20_000)):
        yield f"header-{width}x{height}.jpg", _patched(sound["plain.jpg"], frame, struct.pack(">HH", height, width))
    yield "header-200-components.jpg", _patched(sound["plain.jpg"], frame + 4, b"\xc8")
    yield "header-long-segment.jpg", _patched(sound["plain.jpg"], 4, b"\xff\xff")
    for side in (2**24 - 1, 16_383, 7000):
        canvas = struct.pack("<I", side)[:3] if side == 2**24 - 1 else struct.pack("<I", side - 1)[:3]
        extended = b"VP8X" + struct.pack("<I", 10) + bytes(4) + canvas * 2
        yield f"header-{side}-canvas.webp", _riff(extended + sound["lossy.webp"][12:])
    yield "header-16383.webp", _patched(sound["lossy.webp"], 26, struct.pack("<HH", 16_383, 16_383))
    yield "header-16384-lossless.webp", _patched(sound["lossless.webp"], 21, struct.pack("<I", 0x0FFF_FFFF))
    yield "header-size-field.webp", _patched(sound["lossy.webp"], 4, struct.pack("<I", 0xFFFF_FFFF))
    size = sound["plain.heic"].find(b"ispe") + 8
    for width, height in ((2**31 - 1, 2**31 - 1), (0, 0), (65_535, 65_535), (7000, 7000), (100, 100)):
        yield f"header-{width}x{height}.heic", _patched(sound["plain.heic"], size, struct.pack(">II", width, height))
    yield "header-box-of-4-gigabytes.heic", _patched(sound["plain.heic"], 28, b"\xff\xff\xff\xff")
    yield "header-65535.gif", _patched(encoded(_picture(), "GIF"), 6, b"\xff\xff\xff\xff")


def _patched(data: bytes, at: int, value: bytes) -> bytes:
    return data[:at] + value + data[at + len(value) :]


def _riff(body: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def _vast_bombs() -> Iterator[Upload]:
    width, height = _LARGE
    see_through = Image.new("RGBA", _LARGE, (9, 9, 9, 9))
    yield "bomb-rgba.png", encoded(see_through, "PNG", compress_level=1)
    yield "bomb.webp", encoded(see_through, "WEBP", lossless=True, method=0, quality=0)
    yield "bomb-bits.png", png(width, height, depth=1, colour=0, pixels=bytes((width // 8 + 1) * height))
    yield "bomb-16-bit.png", png(width, height, depth=16, colour=0, pixels=bytes((2 * width + 1) * height))
    yield "bomb.avif", encoded(see_through, "AVIF", speed=10, subsampling="4:4:4")
    yield "bomb.gif", encoded(Image.new("P", _LARGE), "GIF")
    yield "bomb-bits.bmp", bmp(width, height, bytes(width // 8 * height), bits=1)
    yield "bomb-progressive-cmyk.jpg", encoded(Image.new("CMYK", _LARGE), "JPEG", quality=5, progressive=True)


def _bombs() -> Iterator[Upload]:
    yield "bomb.jpg", encoded(Image.new("RGB", _LARGE), "JPEG", quality=5)
    yield "bomb-too-many-pixels.png", png(40_000, 20_000, depth=1, colour=0, pixels=bytes(5001 * 20_000))
    yield "bomb-more-rows-than-said.png", png(200, 200, colour=0, pixels=bytes(50_000_000))
    yield "bomb-too-many-pixels.jpg", encoded(Image.new("L", (10_000, 10_000)), "JPEG", quality=5)
    yield "bomb-of-scans.jpg", jpeg_with_scans(3000)
    yield "bomb-of-seemingly-one-scan.jpg", jpeg_with_hidden_scans(4000)
    yield "bomb-of-segments.jpg", b"\xff\xd8" + b"\xff\xe1\x00\x02" * 1_000_000 + sound_pictures()["plain.jpg"][2:]
    yield (
        "bomb-too-many-pixels.webp",
        encoded(Image.new("L", (16_383, 4000)), "WEBP", lossless=True, method=0, quality=0),
    )
    comment = png_chunk(b"zTXt", b"Comment\x00\x00" + zlib.compress(bytes(60_000_000), 1))
    profile = png_chunk(b"iCCP", b"ICC\x00\x00" + zlib.compress(bytes(60_000_000), 1))
    rows = bytes(1 + 3 * 200) * 200
    yield "bomb-in-text.png", png(200, 200, pixels=rows, before=comment)
    yield "bomb-in-many-texts.png", png(200, 200, pixels=rows, before=comment * 20)
    yield "bomb-in-profile.png", png(200, 200, pixels=rows, before=profile)
    yield "bomb-of-chunks.png", png(200, 200, pixels=rows, before=png_chunk(b"teSt", b"") * 100_000)
    yield "too-many-bytes.png", sound_pictures()["plain.png"] + bytes(20_000_000)


def _other_types() -> Iterator[Upload]:
    yield "empty.jpg", b""
    yield "one-zero.png", b"\x00"
    yield "zeros.jpg", bytes(100_000)
    yield "noise.webp", random.Random(3).randbytes(100_000)
    yield "text.jpg", b"This is not a photograph.\n" * 40
    yield "hindi.jpg", "यह तस्वीर नहीं है।\n".encode() * 40
    page = b"<!doctype html><html><body><script>alert(document.cookie)</script></body></html>"
    yield "page.jpg", page
    yield "page.html", page
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>'
    yield "drawing.svg", drawing
    yield "drawing.png", b'<?xml version="1.0"?>' + drawing
    entity = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><svg>&b;</svg>'
    yield "entities.svg", entity
    yield "paper.pdf", b"%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n%%EOF"
    yield "letter.ps", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 200 200\n(%pipe%id) (w) file\nshowpage\n"
    yield "archive.jpg", _zip()
    yield "program.png", b"\x7fELF\x02\x01\x01" + bytes(2000)
    yield "program.jpg", b"MZ" + bytes(2000)
    yield "film.heic", b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + bytes(4000)
    yield "film.mov", b"\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00qt  " + bytes(4000)
    yield "still.avif", b"\x00\x00\x00\x1cftypavif\x00\x00\x00\x00mif1avifmiaf" + bytes(4000)
    yield "sound.webp", b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(100)
    yield "pickle.png", b"\x80\x04\x95\x1a\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94."
    for kind, extension in (
        ("TIFF", "tiff"),
        ("ICO", "ico"),
        ("TGA", "tga"),
        ("PPM", "ppm"),
    ):
        data = encoded(_picture(), kind)
        yield f"other.{extension}", data
        yield f"other-{extension}.jpg", data
    yield "other.jp2", encoded(_picture(), "JPEG2000")


def _zip() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("../../outside.txt", "x")
    return stream.getvalue()


def _polyglots() -> Iterator[Upload]:
    sound = sound_pictures()
    script = b"<script>alert(1)</script>"
    comment = b"\xff\xfe" + struct.pack(">H", len(script) + 2) + script
    yield "script-in-comment.jpg", sound["plain.jpg"][:2] + comment + sound["plain.jpg"][2:]
    yield "script-in-text.png", sound["plain.png"][:33] + png_chunk(b"tEXt", b"x\0" + script) + sound["plain.png"][33:]
    yield "archive-behind.jpg", sound["plain.jpg"] + _zip()
    yield "scans-behind.jpg", sound["plain.jpg"] + b"\xff\xda" * 1000
    yield "archive-behind.png", sound["plain.png"] + _zip()
    yield "page-behind.webp", sound["lossy.webp"] + script
    yield "jpeg-named.png", sound["plain.jpg"]
    yield "png-named.heic", sound["plain.png"]
    yield "heic-named.jpg", sound["plain.heic"]
    yield "gif-then-jpeg.jpg", encoded(_picture(), "GIF") + sound["plain.jpg"]
    yield "page-then-jpeg.jpg", b"<html>" + sound["plain.jpg"]
    exif = Image.Exif()
    exif[0x010E], exif[0x0112] = "'; DROP TABLE events; --" + script.decode(), 99
    yield "hostile-exif.jpg", encoded(_picture(), "JPEG", exif=exif)
    # A directory of tags that is its own child.
    loop = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x87\x69\0\x04\0\0\0\x01\0\0\0\x08\0\0\0\x08"
    yield "exif-loop.jpg", encoded(_picture(), "JPEG", exif=loop)
    yield "exif-cut.webp", encoded(_picture(), "WEBP", exif=b"Exif\0\0II*\0\xff\xff\xff\xff")
    yield "profile-rubbish.jpg", encoded(_picture(), "JPEG", icc_profile=random.Random(5).randbytes(3000))
    yield "profile-rubbish.png", encoded(_picture(), "PNG", icc_profile=b"\0\0\x0b\xb8lcms" + bytes(2992))


def _animations() -> Iterator[Upload]:
    frames = [Image.new("RGB", _SIZE, colour) for colour in ("red", "green", "blue")]
    yield "animated.gif", encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    yield "animated.png", encoded(frames[0], "PNG", save_all=True, append_images=frames[1:], duration=100)
    yield "animated.webp", encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:], duration=100)
    many = [Image.new("RGB", _SIZE, (i % 256, i // 256, 0)) for i in range(400)]
    yield "animated-400.webp", encoded(many[0], "WEBP", save_all=True, append_images=many[1:], duration=10, method=0)
    yield "animated.jpg", encoded(frames[0], "PNG", save_all=True, append_images=frames[1:], duration=100)
    heic = sound_pictures()["plain.heic"]
    for brand in (b"hevc", b"msf1"):
        yield f"sequence-{brand.decode()}.heic", _patched(heic, 8, brand)
    pages = encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    yield "pages.tiff", pages


def _odd_sizes_and_modes() -> Iterator[Upload]:
    for width, height in ((1, 1), (1, 60_000), (60_000, 1), (63, 300), (300, 63), (64, 64), (64, 60_000), (65_000, 70)):
        yield f"size-{width}x{height}.png", encoded(Image.new("RGB", (width, height)), "PNG")
    yield "size-1x1.jpg", encoded(Image.new("RGB", (1, 1)), "JPEG")
    yield "size-65500x64.jpg", encoded(Image.new("L", (65_500, 64)), "JPEG")
    yield "size-1x1.webp", encoded(Image.new("RGB", (1, 1)), "WEBP")
    yield "size-16383x64.webp", encoded(Image.new("RGB", (16_383, 64)), "WEBP")
    yield "size-64x64.heic", encoded(Image.new("RGB", (64, 64)), "HEIF")
    picture = _picture()
    for mode in ("1", "L", "LA", "P", "RGBA"):
        yield f"mode-{mode}.png", encoded(picture.convert(mode), "PNG")
    yield "mode-16-bit.png", encoded(Image.fromarray(np.asarray(picture.convert("L")).astype(np.uint16) * 257), "PNG")
    yield "mode-16-bit-colour.png", png(200, 100, depth=16, pixels=(b"\0" + bytes(range(240)) * 5) * 100)
    yield "mode-palette-see-through.png", encoded(picture.convert("P"), "PNG", transparency=0)
    yield "mode-colour-see-through.png", encoded(picture, "PNG", transparency=(0, 0, 0))
    yield "mode-palette-missing.png", png(200, 100, colour=3, pixels=(b"\0" + bytes(200)) * 100)
    yield "mode-no-pixels.png", png(200, 100)
    yield "mode-L.jpg", encoded(picture.convert("L"), "JPEG")
    yield "mode-CMYK.jpg", encoded(picture.convert("CMYK"), "JPEG")
    yield "mode-RGBA.webp", encoded(picture.convert("RGBA"), "WEBP")
    yield "mode-L.heic", encoded(picture.convert("L"), "HEIF")
    yield "mode-RGBA.heic", encoded(picture.convert("RGBA"), "HEIF")
    turned = Image.Exif()
    turned[TiffImagePlugin.IMAGEWIDTH], turned[0x0112] = 4_000_000_000, 6
    yield "turned.jpg", encoded(picture, "JPEG", exif=turned)


def _hostile_gif() -> Iterator[Upload]:
    yield "bomb-of-short-blocks.gif", gif(b"!\xff" + b"\x01x" * 2_000_000 + b"\0")
    yield "bomb-of-comments.gif", gif((b"!\xfe" + (b"\xff" + bytes(255)) * 20 + b"\0") * 1000)
    yield "bomb-of-a-long-comment.gif", gif(b"!\xfe" + (b"\xff" + bytes(255)) * 40_000 + b"\0")
    yield "frame-larger-than-screen.gif", gif(screen=(100, 100))
    start = gif().find(b",")
    yield "header-frame-65535.gif", _patched(gif(), start + 5, b"\xff\xff\xff\xff")
    yield "junk-codes.gif", gif()[: start + 11] + (b"\xff" + random.Random(8).randbytes(255)) * 20_000 + b"\0;"
    yield (
        "only-clear-codes.gif",
        gif()[: start + 11] + (b"\xff" + b"\x00\x01\x02\x04" * 63 + bytes(3)) * 60_000 + b"\0;",
    )
    frame = gif()[start:-1]
    yield "animated-20000.gif", gif()[:start] + frame * 20_000 + b";"
    for mode in ("1", "L", "RGBA", "LA"):
        yield f"mode-{mode}.gif", encoded(_picture().convert(mode), "GIF")
    yield "size-1x1.gif", encoded(Image.new("L", (1, 1)), "GIF")


def _hostile_bmp() -> Iterator[Upload]:
    for width, height in ((65_535, 65_535), (2**31 - 1, 2**31 - 1), (-200, 200), (0, 0), (7000, 7000)):
        yield f"header-{width}x{height}.bmp", bmp(width, height, bytes(1000))
    for bits, compression in ((0, 0), (7, 0), (64, 0), (8, 3), (24, 1), (8, 4), (8, 99)):
        yield (
            f"header-bits-{bits}-compression-{compression}.bmp",
            bmp(200, 200, bytes(40_000), bits=bits, compression=compression),
        )
    yield "bomb-run-length.bmp", bmp(7200, 7200, b"\x01\x02\x00\x00" * 7200, compression=1)
    yield "bomb-run-length-4.bmp", bmp(7200, 7200, b"\xff\x12" * 210_000, bits=4, compression=2)
    yield "bomb-run-length-of-nothing.bmp", bmp(64, 800_000, b"\x00\x03\x01\x02\x03\x00" * 3_000_000, compression=1)
    yield "run-length-jumps.bmp", bmp(1000, 1000, b"\x00\x02\x01\xff" * 1000, compression=1)
    yield "mode-run-length.bmp", bmp(200, 200, (b"\xc8\x42\x00\x00") * 200, compression=1)
    yield "mode-from-the-top.bmp", bmp(200, -200, bytes(40_000))
    yield "mode-16-bit.bmp", bmp(200, 200, bytes(80_000), bits=16)
    for mode in ("1", "L", "P", "RGBA"):
        yield f"mode-{mode}.bmp", encoded(_picture().convert(mode), "BMP")
    yield "size-63x300.bmp", encoded(Image.new("RGB", (63, 300)), "BMP")


def _hostile_avif() -> Iterator[Upload]:
    yield "bomb-behind-a-small-picture.avif", avif(claimed=(65_535, 65_535), shown=(200, 200))
    yield "bomb-of-hidden-frames.avif", avif(frames=2000)
    yield "header-65535x65535.avif", avif(shown=(65_535, 65_535))
    yield "header-0x0.avif", avif(shown=(0, 0))
    yield "header-7000x7000.avif", avif(shown=(7000, 7000))
    sound = sound_pictures()["plain.avif"]
    yield "header-count-of-items.avif", _patched(sound, sound.find(b"iloc") + 10, b"\xff\xff")
    yield "header-count-of-extents.avif", _patched(sound, sound.find(b"iloc") + 16, b"\xff\xff")
    yield "bomb-of-boxes.avif", sound[:32] + b"\0\0\0\x08free" * 500_000 + sound[32:]
    films = encoded(_picture(), "AVIF", save_all=True, append_images=[_picture().rotate(90)])
    yield "animated.avif", films
    yield "still-in-a-film.avif", _patched(films, 8, b"avif")
    for mode in ("L", "LA", "RGBA"):
        yield f"mode-{mode}.avif", encoded(_picture().convert(mode), "AVIF")
    yield "size-64x64.avif", encoded(Image.new("RGB", (64, 64)), "AVIF")
    yield "size-1x64.avif", encoded(Image.new("RGB", (1, 64)), "AVIF")
    yield "brand-of-heic.avif", _patched(sound, 8, b"mif1")
