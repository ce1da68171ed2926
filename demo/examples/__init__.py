"""The example pairs of the page: pictures of rendered people, current pose and target pose.

Licence: the bodies come from Anny (code Apache-2.0, data CC0); the pictures are ours, under the MIT licence of this
project. ``python -m demo.examples.render`` draws them again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class ExamplePair:
    """A pair by name; both pictures are JPEG files of one person before one camera."""

    name: str
    current: Path
    target: Path


EXAMPLES: tuple[ExamplePair, ...] = tuple(
    ExamplePair(name, FOLDER / f"{name}_current.jpg", FOLDER / f"{name}_target.jpg")
    for name in ("warrior", "squat", "tree", "side_stretch", "lunge")
)
