"""Preview picture of links to the page: both poses of an example with an arrow between them."""

from __future__ import annotations

import io
import sys

from PIL import Image, ImageDraw, ImageFont, ImageOps

from demo.examples import EXAMPLES, FOLDER

SIZE = (1200, 630)
FILE = FOLDER / "share.jpg"
_SHOWN = "warrior"
_GROUND, _INK, _SOFT, _ACCENT, _RED = "#f5f2ec", "#1b2a2e", "#4d5f64", "#0b5a63", "#b3311a"
_LINES = ("See what to change", "in a pose,", "step by step.")
_QUALITY = 84
_CARD = (300, 400)


def share_picture() -> Image.Image:
    """Draw the picture."""
    pair = next(pair for pair in EXAMPLES if pair.name == _SHOWN)
    image = Image.new("RGB", SIZE, _GROUND)
    draw = ImageDraw.Draw(image)
    draw.text((64, 130), "FixMyPose", _INK, ImageFont.load_default(76))
    for number, line in enumerate(_LINES):
        draw.text((64, 246 + 54 * number), line, _SOFT, ImageFont.load_default(42))
    draw.text((64, 446), "English · Hindi · live coach", _ACCENT, ImageFont.load_default(30))
    for left, file, edge in ((520, pair.current, _ACCENT), (852, pair.target, _RED)):
        with Image.open(io.BytesIO(file)) as opened:
            card = ImageOps.fit(opened, _CARD)
        place = (left, 115, left + _CARD[0], 115 + _CARD[1])
        image.paste(card, place[:2])
        draw.rectangle(place, outline=edge, width=6)
    draw.ellipse((806, 285, 866, 345), fill=_GROUND, outline=_RED, width=5)
    draw.line((820, 315, 848, 315), fill=_RED, width=6)
    draw.polygon(((844, 302), (859, 315), (844, 328)), fill=_RED)
    return image


def main() -> None:
    """Write the file."""
    share_picture().save(FILE, quality=_QUALITY, optimize=True)
    sys.stdout.write(f"{FILE}  {FILE.stat().st_size / 1000:.0f} kB\n")


if __name__ == "__main__":
    main()
