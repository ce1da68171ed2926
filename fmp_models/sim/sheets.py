"""Contact sheets of a dataset: every room, every character, every motion, and pairs with their texts.

They are made of the dataset's own pictures and need no further rendering.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import font_manager
from PIL import Image, ImageDraw, ImageFont

from fmp_models.data import LATIN_FONT, PICTURE_SIZE, Uid, font_of, parse_uid, picture_difference
from fmp_models.languages import LANGUAGES
from fmp_models.sim.motions import MOTIONS

Row = Mapping[str, Any]  # of the captioning schema, pictures as {"bytes", "path"}
SHEETS = ("rooms", "characters", "motions", "pairs", "wide")
_THUMB = (PICTURE_SIZE[0] // 2, PICTURE_SIZE[1] // 2)
_LABEL = 16  # pixels of a label above a picture
_LINE = 20  # pixels of a line of text
_ROOM_COLUMNS, _CHARACTER_COLUMNS, _STRIP = 5, 4, 6
_PAIRS = 8
_WIDE, _WIDE_COLUMNS, _WIDE_CELL = 36, 3, 200  # wide pairs, side by side; pixels of a picture's longer side
_WIDE_LETTERS, _WIDE_LINES = 64, 5
_LETTERS = 60  # of a line of text beside a pair
_PAPER, _INK = (250, 249, 246), (40, 40, 44)


class SheetMaker:
    """Collector of the pictures that the contact sheets need, and renderer of the sheets."""

    def __init__(self) -> None:
        """Start empty."""
        self._rooms: dict[int, bytes] = {}
        self._characters: dict[int, list[bytes]] = {}
        self._strips: dict[int, dict[Uid, tuple[bytes, bytes]]] = {}
        self._pairs: list[tuple[Uid, bytes, bytes, dict[str, str]]] = []
        self._wide: list[tuple[bytes, bytes, str]] = []
        self._wide_seen: dict[str, int] = {}

    def see(self, row: Row) -> None:
        """Process one captioning pair."""
        uid = parse_uid(row["uid"])
        current, target = row["current"]["bytes"], row["target"]["bytes"]
        self._rooms.setdefault(uid.room, current)
        of_character = self._characters.setdefault(uid.character, [])
        if len(of_character) < _CHARACTER_COLUMNS:
            of_character.append(target)
        strip = self._strips.setdefault(uid.animation, {})
        if not strip or (next(iter(strip)).room, next(iter(strip)).character) == (uid.room, uid.character):
            strip[uid] = (current, target)
        if len(self._pairs) < _PAIRS and all(uid.room != pair[0].room for pair in self._pairs):
            self._pairs.append(
                (uid, current, target, {code: " ".join(row[f"descriptions_{code}"][:1]) for code in LANGUAGES})
            )

    def see_wide(self, row: Row) -> None:
        """Process one wide pair; a few of each room and character are kept."""
        uid = parse_uid(row["uid"])
        room_and_character = f"{uid.room % 12} {uid.character % 3}"
        self._wide_seen[room_and_character] = self._wide_seen.get(room_and_character, 0) + 1
        if len(self._wide) < _WIDE and self._wide_seen[room_and_character] % 7 == 1:
            self._wide.append((row["current"]["bytes"], row["target"]["bytes"], f"{uid}: {row['descriptions_en'][0]}"))

    def draw(self, folder: Path) -> list[Path]:
        """Write the sheets (JPEG) of the pairs processed so far and return their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        sheets = {
            "rooms": _grid([(f"room {room}", self._rooms[room]) for room in sorted(self._rooms)], _ROOM_COLUMNS),
            "characters": _grid(
                [(f"character {i}", file) for i, files in sorted(self._characters.items()) for file in files],
                _CHARACTER_COLUMNS,
            ),
            "motions": _grid(list(self._frames()), _STRIP),
            "pairs": _pairs(self._pairs),
            "wide": _wide(self._wide),
        }
        has_captures = {"wide": bool(self._wide)}
        paths = [folder / f"{name}.jpg" for name in SHEETS if has_captures.get(name, bool(self._pairs))]
        for path in paths:
            sheets[path.stem].save(path, quality=85)
        return paths

    def _frames(self) -> Iterable[tuple[str, bytes]]:
        """Yield ``_STRIP`` labelled pictures of every motion, ten frames apart."""
        for animation, strip in sorted(self._strips.items()):
            files = [file for _, pair in sorted(strip.items()) for file in pair][:_STRIP]
            name = MOTIONS[animation].name.replace("_", " ") if animation < len(MOTIONS) else "recorded"
            yield from ((f"{animation} {name}" if i == 0 else "", file) for i, file in enumerate(files))
            yield from (("", b"") for _ in range(_STRIP - len(files)))


def _grid(cells: Sequence[tuple[str, bytes]], columns: int) -> Image.Image:
    width, height = _THUMB
    rows = -(-len(cells) // columns)
    sheet = Image.new("RGB", (columns * width, max(rows, 1) * (height + _LABEL)), _PAPER)
    pen = ImageDraw.Draw(sheet)
    for i, (label, file) in enumerate(cells):
        x, y = i % columns * width, i // columns * (height + _LABEL)
        pen.text((x + 3, y + 2), label, fill=_INK, font=_font(LATIN_FONT, 11))
        if file:
            sheet.paste(_picture(file).resize(_THUMB, Image.Resampling.LANCZOS), (x, y + _LABEL))
    return sheet


def _pairs(pairs: Sequence[tuple[Uid, bytes, bytes, Mapping[str, str]]]) -> Image.Image:
    """Return a sheet with one pair a row: current, target, difference picture; the texts below."""
    width, height = PICTURE_SIZE
    fonts = {code: _font(name, 13 if name == LATIN_FONT else 15) for code in LANGUAGES if (name := font_of(code))}
    captions = [
        [
            (textwrap.wrap(f"{uid}: {texts[code]}" if i == 0 else texts[code], 3 * _LETTERS), font)
            for i, (code, font) in enumerate(fonts.items())
        ]
        for uid, _, _, texts in pairs
    ]
    heights = [height + _LINE * (1 + sum(len(lines) for lines, _ in caption)) for caption in captions]
    sheet = Image.new("RGB", (width * 3, max(sum(heights), 1)), _PAPER)
    pen = ImageDraw.Draw(sheet)
    for i, ((_, current, target, _), caption) in enumerate(zip(pairs, captions, strict=True)):
        y = sum(heights[:i])
        both = _picture(current), _picture(target)
        for column, picture in enumerate((*both, picture_difference(*both))):
            sheet.paste(picture, (column * width, y))
        y += height + 3
        for line, font in ((line, font) for lines, font in caption for line in lines):
            pen.text((6, y), line, fill=_INK, font=font)
            y += _LINE
    return sheet


def _wide(pairs: Sequence[tuple[bytes, bytes, str]]) -> Image.Image:
    """Return a sheet with current and target side by side, of any shape, and the beginning of the text below."""
    width, height = 2 * _WIDE_CELL + 8, _WIDE_CELL + _WIDE_LINES * (_LABEL - 2) + 6
    sheet = Image.new("RGB", (_WIDE_COLUMNS * width, max(-(-len(pairs) // _WIDE_COLUMNS), 1) * height), _PAPER)
    pen = ImageDraw.Draw(sheet)
    for i, (*files, text) in enumerate(pairs):
        x, y = i % _WIDE_COLUMNS * width, i // _WIDE_COLUMNS * height
        for column, file in enumerate(files):
            picture = _picture(file)
            picture.thumbnail((_WIDE_CELL, _WIDE_CELL))
            sheet.paste(picture, (x + column * (_WIDE_CELL + 2), y))
        for line, words in enumerate(textwrap.wrap(text, _WIDE_LETTERS)[:_WIDE_LINES]):
            pen.text((x, y + _WIDE_CELL + 2 + line * (_LABEL - 2)), words, fill=_INK, font=_font(LATIN_FONT, 10))
    return sheet


def _picture(file: bytes) -> Image.Image:
    return Image.open(io.BytesIO(file)).convert("RGB")


def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(font_manager.findfont(name), size)
