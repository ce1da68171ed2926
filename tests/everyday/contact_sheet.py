"""Contact sheets of bodies as stick figures: where each began, where it ended, and the goal if there is one."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib import font_manager
from PIL import Image, ImageDraw, ImageFont

from fmp_models.data.card import LATIN_FONT, font_of
from fmp_models.languages.scripts import language_of
from fmp_models.pose import BONES, INDEX, JOINTS, Array

_VIEW = (112, 118)  # pixels of one view; the front is to the left, the side that shows the person's left to the right
_SCALE = 52  # pixels a metre where both bodies fit
_MARGIN, _FLOOR = 6, 8  # pixels around a view, and below the floor
_LINES, _LETTERS, _LINE = 3, 38, 12  # lines of a title, letters in one, pixels of one
_FINE = 2  # drawn this much larger and then reduced
_COLOURS = 24  # of the palette
_PAPER, _INK, _GROUND = (252, 252, 250), (40, 40, 44), (190, 186, 178)
_START, _GOAL, _FAILED = (214, 214, 214), (150, 214, 160), (206, 40, 40)
_SIDES = {"left": (30, 100, 190), "right": (222, 120, 20)}


class Cell(NamedTuple):
    """One figure of a sheet: joints (20, 3) in the camera frame. ``fault`` says what is wrong and frames it in red."""

    title: str
    start: Array
    end: Array
    goal: Array | None = None
    fault: str = ""


def draw_sheet(cells: Sequence[Cell], columns: int) -> Image.Image:
    """Draw the figures in rows, each from the front and from its side, with the title below."""
    width, height = 2 * _VIEW[0], _VIEW[1] + (_LINES + 1) * _LINE + 4
    rows = -(-len(cells) // columns)
    sheet = Image.new("RGB", (columns * width, max(rows, 1) * height), _PAPER)
    for number, cell in enumerate(cells):
        sheet.paste(_cell(cell, width, height), (number % columns * width, number // columns * height))
    return sheet


def save_sheet(sheet: Image.Image, path: Path) -> None:
    """Write the sheet as a PNG with a palette."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def _cell(cell: Cell, width: int, height: int) -> Image.Image:
    large = Image.new("RGB", (width * _FINE, _VIEW[1] * _FINE), _PAPER)
    pen = ImageDraw.Draw(large)
    for view, axis in enumerate(((1, 0, 0), (0, 0, -1))):
        _draw_view(pen, cell, np.array(axis), view * _VIEW[0] * _FINE)
    picture = Image.new("RGB", (width, height), _PAPER)
    picture.paste(large.resize((width, _VIEW[1]), Image.Resampling.LANCZOS))
    pen = ImageDraw.Draw(picture)
    for line, words in enumerate(textwrap.wrap(cell.title, _LETTERS)[:_LINES]):
        pen.text((4, _VIEW[1] + line * _LINE), words, fill=_INK, font=_font(language_of(words) == "hi"))
    if cell.fault:
        pen.text((4, height - _LINE - 3), cell.fault[:_LETTERS], fill=_FAILED, font=_font(devanagari=False))
        pen.rectangle((1, 1, width - 2, height - 2), outline=_FAILED, width=2)
    return picture


def _draw_view(pen: ImageDraw.ImageDraw, cell: Cell, across: Array, left: int) -> None:
    """Draw the bodies seen against ``across`` and down, in one scale and on the floor of the first."""
    flat = {
        name: np.stack([joints @ across, joints[:, 1] - cell.start[:, 1].max()], axis=-1)
        for name, joints in (("start", cell.start), ("goal", cell.goal), ("end", cell.end))
        if joints is not None
    }
    points = np.concatenate([*flat.values()])
    middle = (points[:, 0].min() + points[:, 0].max()) / 2
    room = np.array(_VIEW) - 2 * _MARGIN - [0, _FLOOR]
    extent = np.maximum([np.ptp(points[:, 0]), -points[:, 1].min()], 0.1)
    scale = _FINE * min(_SCALE, *(room / extent))
    ground = (_VIEW[1] - _FLOOR) * _FINE
    pen.line((left + _FINE * _MARGIN, ground, left + _FINE * (_VIEW[0] - _MARGIN), ground), fill=_GROUND, width=_FINE)
    place = np.array([left + _FINE * _VIEW[0] / 2, ground])
    for name, body in flat.items():
        seen = place + scale * (body - [middle, 0])
        for parent, child in BONES:
            side = JOINTS[child].split("_")[0]
            colour = {"start": _START, "goal": _GOAL}.get(name, _SIDES.get(side, _INK))
            thickness = _FINE * (5 if name == "goal" else 2)
            pen.line((*seen[parent], *seen[child]), fill=colour, width=thickness)
        radius = max(0.09 * scale, 2)
        x, y = seen[INDEX["head"]]
        outline = {"start": _START, "goal": _GOAL}.get(name, _INK)
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), outline=outline, width=_FINE)


@cache
def _font(devanagari: bool) -> ImageFont.FreeTypeFont:  # noqa: FBT001  of two fonts
    name = (font_of("hi") if devanagari else None) or LATIN_FONT
    return ImageFont.truetype(font_manager.findfont(name), 11 if devanagari else 10)
