"""Texts that name shapes, as a trainer or as people say them, with the names of ``shape_names.toml``."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from fmp_models.describe import TrainerStep, speak
from fmp_models.geometry import (
    FEET_LEVEL,
    HIPS_DOWN,
    HIPS_HIGH,
    KNEE_STRAIGHT,
    LEGS,
    LEVEL_TRUNK,
    OTHER_KNEE_STRAIGHT,
    SHAPES,
    UP,
    Range,
    Shape,
    ShapeRegion,
    Side,
    above,
    along,
    below,
    distance_from_shape,
    face_up,
    make_plan,
    tilt,
)
from fmp_models.languages import LANGUAGES, as_sentence, fill_blanks, grammar, speech_words
from fmp_models.pose import pose_pair
from fmp_models.training.texts import Texts, one_of_each

# Shapes that people name but the trainer does not.
_OWN = (
    Shape(
        "one_leg",
        LEGS,
        (above(along(UP, "{side}_ankle", "{other}_ankle"), 0.3, 0.12), OTHER_KNEE_STRAIGHT, HIPS_HIGH),
        sided=True,
    ),
    Shape("standing", LEGS, (KNEE_STRAIGHT, FEET_LEVEL, HIPS_HIGH, below(tilt, 25, 10))),
    Shape("lying_side", LEGS, (LEVEL_TRUNK, HIPS_DOWN, Range(face_up, -0.4, 0.4, 0.15))),
)
NAMED = tuple({shape.name: shape for shape in (*_OWN, *SHAPES)}.values())
_HELD = 1.0  # maximum distance from a held shape's ranges, in slacks
_SPEAKS = 0.5  # share of texts in the trainer's words
_OWN_NAMES = 0.5  # share of these in which shapes have people's names
_SECOND = 0.5  # share of other texts that also name a shape of the arms
_SENTENCES = 0.6  # share of names that are sentences of their own


@dataclass(frozen=True)
class ShapeTexts:
    """Texts by language, and the meaning of names: ``meant`` (n, shapes) in the order of :data:`NAMED`."""

    texts: Texts
    meant: NDArray[np.bool_]


def holds(joints: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return the mask (n, shapes) of the shapes of :data:`NAMED` that bodies (n, 20, 3) hold, on either side."""
    return np.asarray(_away(joints).min(axis=2) <= _HELD)


def shape_texts(joints: NDArray[np.float32], seed: int) -> ShapeTexts:
    """Return a text of every pair (n, 2, 20, 3) whose target holds a shape; reproducible by seed and row."""
    new = (_away(joints[:, 1]) <= _HELD) & (_away(joints[:, 0]) > _HELD)
    texts: dict[str, list[str]] = {code: [] for code in LANGUAGES}
    meant = np.zeros((len(joints), len(NAMED)), dtype=np.bool_)
    for row, pair in enumerate(tqdm(joints, desc="texts of shapes", unit=" rows")):
        lots = random.Random(f"{seed} {row}")
        places = [(int(shape), (Side.LEFT, Side.RIGHT)[side]) for shape, side in np.argwhere(new[row])]
        speaks = lots.random() < _SPEAKS or not places
        chosen = lots.sample(places, len(places))
        arms = [place for place in chosen if ShapeRegion.ARMS in NAMED[place[0]].regions]
        chosen = [chosen[0], *(arms[:1] if lots.random() < _SECOND and chosen[0] not in arms else [])] if chosen else []
        own = lots.random() < _OWN_NAMES
        for code in LANGUAGES:
            if speaks:
                texts[code].append(_spoken(pair, row + seed, code, lots if own else None))
                continue
            said = [name_of(NAMED[shape], side, code, lots) for shape, side in chosen]
            texts[code].append(" ".join(as_sentence(phrase, grammar(code)) for phrase, _ in said))
            if len(said) == 1:
                meant[row] |= [shape.name in said[0][1] for shape in NAMED]
    return ShapeTexts(one_of_each(texts), meant)


def name_of(shape: Shape, side: Side, code: str, lots: random.Random) -> tuple[str, frozenset[str]]:
    """Return a random name of a shape held on a side, and the shapes that the name can mean."""
    names = _names(code)
    nouns, sentences = names["names"].get(shape.name, []), names["say"].get(shape.name, [])
    if sentences and (not nouns or lots.random() < _SENTENCES):
        phrase = lots.choice(sentences)
        meant = _shapes_of(code, "say", phrase)
    else:
        noun = lots.choice(nouns)
        meant = _shapes_of(code, "names", noun)
        phrase = lots.choice(names["templates"]).format(name=noun)
    words = speech_words(code)
    return fill_blanks(phrase, **words.side_blanks(side.value, side.mirrored.value)), meant


def _spoken(pair: NDArray[np.float32], seed: int, code: str, lots: random.Random | None) -> str:
    """Return the trainer's text of a pair; with ``lots`` every shape has a name that people use."""
    measured = pose_pair(*pair, placed=False)

    def own_words(step: TrainerStep) -> str | None:
        shape = _by_name().get(step.movement.key) if step.movement.part == "shape" else None
        if shape is None or lots is None or not step.clauses:
            return None
        return as_sentence(name_of(shape, step.movement.side, code, lots)[0], grammar(code))

    return speak(make_plan(measured), measured, code, seed, own_words).text


def _away(joints: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the distance of bodies from every shape on each side (n, shapes, 2), in slacks."""
    sides = {True: (Side.LEFT, Side.RIGHT), False: (Side.BOTH, Side.BOTH)}
    bodies = joints.astype(np.float64)
    away = [[distance_from_shape(shape.ranges, bodies, side) for side in sides[shape.sided]] for shape in NAMED]
    return np.asarray(np.moveaxis(np.array(away), -1, 0))


@cache
def _by_name() -> Mapping[str, Shape]:
    return {shape.name: shape for shape in NAMED}


@cache
def _names(code: str) -> dict[str, Any]:
    names = tomllib.loads(Path(__file__).with_name("shape_names.toml").read_text(encoding="utf-8"))
    return dict(names[code])


@cache
def _shapes_of(code: str, kind: str, phrase: str) -> frozenset[str]:
    return frozenset(name for name, phrases in _names(code)[kind].items() if phrase in phrases)
