"""The example pairs of the page: pictures of rendered people, current pose and target pose.

Most are drawn for the page by ``python -m demo.examples.render``; the last comes from the sample of the simulator's
dataset. Licence: the bodies come from Anny (code Apache-2.0, data CC0); the pictures are ours, under the MIT licence of
this project.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fmp_models.data.sample import sample_rows

FOLDER = Path(__file__).parent
STUDIO = ("warrior", "squat", "tree", "side_stretch", "lunge")
SIMULATED = {"living_room": "0_0_0_0_0"}  # pairs of the sample's captioning configuration


@dataclass(frozen=True)
class ExamplePair:
    """A pair by name; both pictures are JPEG files of one person before one camera."""

    name: str
    current: bytes
    target: bytes


def _from_studio(name: str) -> ExamplePair:
    return ExamplePair(name, *((FOLDER / f"{name}_{which}.jpg").read_bytes() for which in ("current", "target")))


def _from_sample() -> list[ExamplePair]:
    rows = {row["uid"]: row for row in sample_rows("captioning", "train")}
    return [
        ExamplePair(name, rows[uid]["current"]["bytes"], rows[uid]["target"]["bytes"])
        for name, uid in SIMULATED.items()
    ]


EXAMPLES: tuple[ExamplePair, ...] = (*map(_from_studio, STUDIO), *_from_sample())
