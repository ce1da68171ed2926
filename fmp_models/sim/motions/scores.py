"""The written form of a motion: phrases of keys in TOML, combined into one score with a track for each body part.

A key names only what is fixed at its frame. A part that it does not name moves on towards that part's next key, and
``"="`` repeats the part's previous value. Feet are different: a foot stays in place until ``step`` frames before its
next key, then moves there on an arc. A phrase may be mirrored.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fmp_models.pose import Array
from fmp_models.sim.motions.limbs import Foot
from fmp_models.sim.people.posing import Arm, Reach

Table = dict[str, Any]

CATALOGUE = Path(__file__).parent / "catalogue"
SHARED_ARMS = "arms.toml"
# The size of each part, and which of its numbers change sign in a mirror.
NUMBERS: dict[str, tuple[int, tuple[int, ...]]] = {
    "hip": (1, ()),
    "shift": (2, (0,)),
    "pelvis": (3, (1, 2)),
    "chest": (3, (1, 2)),
    "head": (3, (1, 2)),
    "heading": (1, (0,)),
}
START: dict[str, list[float]] = {"hip": [0.985], "shift": [0, 0], "pelvis": [], "chest": [], "head": [], "heading": [0]}
PAIRED = {"arms": "arm", "feet": "foot"}
SIDE_NAMES = {"left": "L", "right": "R"}
HELD = "="
STEP = 8  # frames of a step unless the key sets them
KNEE_UP = 0.7  # upward share of a knee's direction: straight ahead is undefined for a level thigh
LIFT, LIFT_SHARE = 0.05, 0.12  # leg lengths that a foot rises in a step, plus this share of the step's length


@dataclass(frozen=True)
class ArmKey:
    """An arm at a frame; ``level`` means that its directions are those of an upright trunk."""

    frame: float
    arm: Arm | Reach
    level: bool


@dataclass(frozen=True)
class FootKey:
    """A foot at a frame: it sets off ``step`` frames before and rises by ``lift`` leg lengths on its way."""

    frame: float
    foot: Foot
    step: float
    lift: float | None


@dataclass(frozen=True)
class Score:
    """All keys of a motion by part, in the order of time."""

    numbers: Mapping[str, tuple[tuple[float, Array], ...]]
    arms: Mapping[str, tuple[ArmKey, ...]]
    feet: Mapping[str, tuple[FootKey, ...]]


def read_score(table: Table) -> Score:
    """Return the score of a motion's TOML table; raise ``KeyError`` for an unknown arm or phrase."""
    with (CATALOGUE / SHARED_ARMS).open("rb") as stream:
        arms = {**tomllib.load(stream), **table.get("arms", {})}
    keys = _played(table)
    tracks: dict[str, dict[float, Any]] = {}
    for key in keys:
        for part, value in _parts(key).items():
            track = tracks.setdefault(part, {})
            track[key["at"]] = track[max(track)] if value == HELD else value
    numbers = {
        part: tuple((frame, _padded(value, size)) for frame, value in tracks.get(part, {0: START[part]}).items())
        for part, (size, _) in NUMBERS.items()
    }
    return Score(
        numbers,
        {
            side: tuple(_arm_key(frame, arms[name]) for frame, name in tracks[f"{word}_arm"].items())
            for word, side in SIDE_NAMES.items()
        },
        {
            side: tuple(_foot_key(frame, foot) for frame, foot in tracks[f"{word}_foot"].items())
            for word, side in SIDE_NAMES.items()
        },
    )


def _played(table: Table) -> list[Table]:
    """Return the keys of all phrases one after the other, with frames counted from the start of the motion."""
    keys: list[Table] = []
    start = 0.0
    for line in table.get("sequence", list(table["phrases"])):
        name, _, mirrored = line.partition(" ")
        phrase = table["phrases"][name]
        keys += [{**(_mirrored(key) if mirrored else key), "at": start + key["at"]} for key in phrase["keys"]]
        start += phrase["length"]
    return keys


def _parts(key: Table) -> Table:
    """Return the parts that a key fixes; pairs are split into sides, and a value for one side overrides the pair."""
    parts: Table = {}
    for name, value in key.items():
        if name in PAIRED:
            parts = {f"{word}_{PAIRED[name]}": value for word in SIDE_NAMES} | parts
        elif name != "at":
            parts[name] = value
    return parts


def _mirrored(key: Table) -> Table:
    mirrored: Table = {}
    for name, value in key.items():
        word, _, part = name.partition("_")
        if part:
            mirrored[f"{'right' if word == 'left' else 'left'}_{part}"] = value
        elif name in NUMBERS and value != HELD:
            size, flipped = NUMBERS[name]
            values = _padded(value, size)
            values[list(flipped)] *= -1.0
            mirrored[name] = values.tolist()
        else:
            mirrored[name] = value
    return mirrored


def _padded(value: float | list[float], size: int) -> Array:
    numbers = np.atleast_1d(np.array(value, dtype=np.float64))
    return np.concatenate([numbers, np.zeros(size - len(numbers))])


def _arm_key(frame: float, table: Table) -> ArmKey:
    values: Table = {
        name: tuple(part) if isinstance(part, list) else part for name, part in table.items() if name != "level"
    }
    return ArmKey(frame, Reach(**values) if "wrist" in values else Arm(**values), table.get("level", False))


def _foot_key(frame: float, table: Table) -> FootKey:
    out, forward = table["at"]
    turn = np.radians(table.get("turn", 10.0))
    ahead = (float(np.sin(turn)), 0.0, float(np.cos(turn)))
    foot = Foot(
        (out, table.get("up", 0.0), forward),
        tuple(table.get("knee", (ahead[0], KNEE_UP, ahead[2]))),
        tuple(table.get("toes", ahead)),
        tuple(table.get("sole", (0.0, -1.0, 0.0))),
        table.get("heel", 0.0),
    )
    return FootKey(frame, foot, table.get("step", STEP), table.get("lift"))
