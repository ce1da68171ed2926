"""Photographic effects of a phone: crop, tilt and lens distortion, light, blur, grain, compression.

All effects depend on a random generator alone. The stored joint positions pass through the same lens.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter, map_coordinates

from fmp_models.pose import Array

_ASPECTS = (0.56, 1.78)  # width divided by height: a phone upright, and on its side
_LONG_SIDES = (190, 420)  # pixels of the longer side
_ROOM = (1.12, 2.1)  # height or width of the crop in sizes of the person, if the rendered picture is large enough
_MIN_PART_PIXELS = 36.0  # minimum width and height in pixels assumed for the person
_MARGIN = 3.0  # pixels between joints and edge
_SOLVED = 8  # iterations that invert the lens distortion
_ROLL, _BENT = 3.5, 0.05  # standard deviations: degrees, and bend of straight lines as a share of the half diagonal


@dataclass(frozen=True)
class PictureCrop:
    """A crop of a rendered picture: its centre and size in source pixels, the output's size, roll and bend."""

    middle: tuple[float, float]
    shown: tuple[float, float]
    size: tuple[int, int]
    roll: float  # degrees clockwise
    bend: float

    def source(self, places: Array) -> Array:
        """Return the positions in the rendered picture that positions (..., 2) of the output come from."""
        half = np.array(self.size) / 2
        local = (places - half) * (np.array(self.shown) / np.array(self.size))
        radius = (local**2).sum(axis=-1, keepdims=True) / (np.hypot(*self.shown) / 2) ** 2
        local = local * (1 + self.bend * (radius - 0.5))
        c, s = np.cos(np.radians(self.roll)), np.sin(np.radians(self.roll))
        turned = np.stack([c * local[..., 0] - s * local[..., 1], s * local[..., 0] + c * local[..., 1]], axis=-1)
        return np.asarray(turned + np.array(self.middle))

    def places(self, drawn: Array) -> Array:
        """Return the positions in the output of positions (..., 2) in the rendered picture."""
        c, s = np.cos(np.radians(self.roll)), np.sin(np.radians(self.roll))
        moved = drawn - np.array(self.middle)
        wanted = np.stack([c * moved[..., 0] + s * moved[..., 1], c * moved[..., 1] - s * moved[..., 0]], axis=-1)
        local = wanted.copy()
        for _ in range(_SOLVED):
            radius = (local**2).sum(axis=-1, keepdims=True) / (np.hypot(*self.shown) / 2) ** 2
            local = wanted / (1 + self.bend * (radius - 0.5))
        return np.asarray(local * (np.array(self.size) / np.array(self.shown)) + np.array(self.size) / 2)

    def holds(self, places: Array) -> bool:
        """Return whether joints at these positions (..., 2) of the rendered picture are all in the output."""
        output_places = self.places(places)
        return bool((output_places > _MARGIN).all() and (output_places < np.array(self.size) - _MARGIN).all())


@dataclass(frozen=True)
class Film:
    """The settings of a camera that turn light into a file; they stay the same between its pictures."""

    gains: tuple[float, float, float]
    gamma: float
    contrast: float
    saturation: float
    vignette: float
    blur: float  # pixels
    shake: float  # pixels of motion
    grain: float
    coarse: float  # size of a grain in pixels
    quality: int


def part_for(random: np.random.Generator, places: Array, drawn: tuple[int, int]) -> PictureCrop | None:
    """Return a crop that holds people whose joints lie at ``places`` (..., 2), or ``None`` if no try finds one."""
    flat = places.reshape(-1, 2)
    low, high = flat.min(axis=0), flat.max(axis=0)
    person = np.maximum(high - low, _MIN_PART_PIXELS)
    for _ in range(12):
        aspect = float(np.exp(random.uniform(*np.log(_ASPECTS))))
        room = float(random.uniform(*_ROOM))
        height = max(float(person[1]) * room, float(person[0]) * room / aspect)
        height = min(height, drawn[1] * 0.96, drawn[0] * 0.96 / aspect)
        extent = np.array([height * aspect, height])
        free = (extent - person) / 2
        middle = (low + high) / 2 + np.clip(random.normal(0, 0.35, 2), -0.8, 0.8) * np.maximum(free, 0)
        half = extent / 2
        middle = np.clip(middle, half, np.array(drawn) - half)
        longest = float(random.uniform(*_LONG_SIDES))
        size = np.maximum(np.round(extent * longest / extent.max()), 64).astype(int)
        part = PictureCrop(
            (float(middle[0]), float(middle[1])),
            (float(extent[0]), float(extent[1])),
            (int(size[0]), int(size[1])),
            float(random.normal(0, _ROLL)),
            float(np.clip(random.normal(0, _BENT), -0.12, 0.12)),
        )
        if part.holds(flat):
            return part
    return None


def film_for(random: np.random.Generator) -> Film:
    """Return a random camera: its colour balance, exposure, sharpness, grain and compression."""
    warmth, tint = random.normal(0, 0.07), random.normal(0, 0.03)
    exposure = float(np.clip(np.exp(random.normal(0, 0.14)), 0.68, 1.3))
    return Film(
        (
            float(exposure * (1 + warmth)),
            float(exposure * (1 + tint)),
            float(exposure * (1 - warmth)),
        ),
        float(np.clip(np.exp(random.normal(0, 0.14)), 0.7, 1.45)),
        float(np.clip(np.exp(random.normal(0, 0.12)), 0.75, 1.3)),
        float(np.clip(random.normal(1.0, 0.2), 0.3, 1.5)) if random.random() > 0.04 else 0.0,  # noqa: PLR2004
        float(max(random.normal(0.08, 0.12), 0.0)),
        float(min(random.gamma(1.2, 0.4), 1.5)),
        float(min(random.gamma(1.0, 1.6), 4.0)) if random.random() < 0.2 else 0.0,  # noqa: PLR2004
        float(min(random.gamma(1.5, 0.012), 0.06)),
        float(random.uniform(0.0, 0.9)),
        int(random.integers(38, 94)),
    )


def developed(picture: Image.Image, part: PictureCrop, film: Film, random: np.random.Generator) -> bytes:
    """Return the JPEG file of a crop of a rendered picture."""
    width, height = part.size
    columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    source = part.source(np.stack([columns, rows], axis=-1)) - 0.5
    pixels = np.asarray(picture, dtype=np.float32)
    # A picture that is scaled down is first blurred to the size of its new pixels.
    step = part.shown[1] / part.size[1]
    if step > 1.0:
        pixels = gaussian_filter(pixels, (0.4 * step, 0.4 * step, 0))
    at = source[..., 1], source[..., 0]
    taken = np.stack([map_coordinates(pixels[..., i], at, order=1, mode="nearest") for i in range(3)], axis=-1)
    light = np.power(np.clip(taken / 255, 0, 1), film.gamma) * np.array(film.gains, dtype=np.float32)
    light = (light - 0.5) * film.contrast + 0.5
    grey = light.mean(axis=-1, keepdims=True)
    light = grey + (light - grey) * film.saturation
    radius = ((columns / width - 0.5) ** 2 + (rows / height - 0.5) ** 2)[..., None] * 2
    light = light * (1 - film.vignette * radius)
    light = _blurred(light.astype(np.float32), film, random)
    light += _grain(random, (height, width), film)
    file = io.BytesIO()
    Image.fromarray((np.clip(light, 0, 1) * 255 + 0.5).astype(np.uint8)).save(file, "JPEG", quality=film.quality)
    return file.getvalue()


def _blurred(light: NDArray[np.float32], film: Film, random: np.random.Generator) -> NDArray[np.float32]:
    blurred = gaussian_filter(light, (film.blur, film.blur, 0)) if film.blur > 0.2 else light  # noqa: PLR2004
    angle = random.uniform(0, np.pi)
    if film.shake > 1.0:
        steps = np.linspace(-0.5, 0.5, 5) * film.shake
        shifts = [(round(step * np.sin(angle)), round(step * np.cos(angle))) for step in steps]
        blurred = np.mean([np.roll(blurred, shift, axis=(0, 1)) for shift in shifts], axis=0)
    return np.asarray(blurred, dtype=np.float32)


def _grain(random: np.random.Generator, size: tuple[int, int], film: Film) -> NDArray[np.float32]:
    """Return noise in brightness with a little colour."""
    noise = random.standard_normal((*size, 3)).astype(np.float32) * 0.5 + random.standard_normal((*size, 1)).astype(
        np.float32
    )
    if film.coarse > 0.3:  # noqa: PLR2004
        noise = gaussian_filter(noise, (film.coarse, film.coarse, 0))
        noise /= max(float(noise.std()), 1e-6)
    return np.asarray(noise * film.grain, dtype=np.float32)
