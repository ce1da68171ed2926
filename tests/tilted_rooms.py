"""Pictures of a room of upright posts, as cameras of known tilt see it."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from fmp_models.data.pictures import tilted_joints

SIZE = (480, 640)
NOWHERE = np.full((20, 2), -1000.0)  # joints of a person who hides nothing of the room
_FOCAL = 0.9 * SIZE[1]


def room(pitch: float, roll: float, posts: int = 14, *, light: int = 170) -> Image.Image:
    """Return a room of upright posts as a camera of this tilt sees it, four metres away and three to either side."""
    image = Image.new("RGB", SIZE, (light, light, light))
    draw = ImageDraw.Draw(image)
    for number, across in enumerate(np.linspace(-3, 3, posts)):
        ends = np.array(
            [[across, -4.0, 4.0], [across, 4.0, 4.0], [across + 0.12, 4.0, 4.0], [across + 0.12, -4.0, 4.0]]
        )
        # Places along the post, of which those before the camera are drawn.
        sides = [np.linspace(ends[a], ends[b], 40) for a, b in ((0, 1), (2, 3))]
        local = tilted_joints(np.concatenate(sides), pitch, roll)
        seen = local[local[:, 2] > 0.5]
        places = seen[:, :2] / seen[:, 2:] * _FOCAL + np.array(SIZE) / 2
        draw.polygon([tuple(place) for place in places], fill=(40 + 9 * number,) * 3)
    return image
