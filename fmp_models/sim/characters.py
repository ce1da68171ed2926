"""The six characters: their builds, looks and clothes.

A release shows characters 0 to 2 in even rooms and 3 to 5 in odd ones, so each half has both genders, three ages and
three origins.
"""

from __future__ import annotations

from dataclasses import dataclass

from fmp_models.sim.body import Build
from fmp_models.sim.clothes import Bottoms, Cloth, Shoes, Top
from fmp_models.sim.head import Appearance


@dataclass(frozen=True)
class Character:
    """A person of the simulator; ``shoes=None`` means bare feet, and ``build_words`` describes ``build``."""

    number: int
    name: str
    gender: str
    age: str
    build_words: str
    origin: str
    build: Build
    looks: Appearance
    top: Top
    bottoms: Bottoms
    shoes: Shoes | None = None


def _build(origin: tuple[float, float, float], **rest: float) -> Build:
    """Return a build with African, Asian and European shares, and Anny's other phenotypes."""
    african, asian, european = origin
    return Build({"african": african, "asian": asian, "caucasian": european, **rest})


CHARACTERS: tuple[Character, ...] = (
    Character(
        0,
        "Meera",
        "female",
        "teen",
        "slim",
        "south asian",
        _build((0.1, 0.4, 0.5), gender=1.0, age=0.55, muscle=0.5, weight=0.42, height=0.45),
        Appearance(skin=(0.66, 0.46, 0.34), hair=(0.09, 0.07, 0.06), style="long", lips=(0.58, 0.29, 0.27)),
        Top(
            Cloth((0.93, 0.91, 0.86), (0.87, 0.85, 0.80), stripe=(0.86, 0.33, 0.36), pattern="raglan", loose=0.006),
            sleeve=0.90,
            hem=0.05,
            hang=0.004,
        ),
        Bottoms(Cloth((0.20, 0.22, 0.32), (0.16, 0.17, 0.26), loose=0.003), hem=1.85),
        Shoes((0.92, 0.92, 0.90), sole=(0.85, 0.62, 0.62)),
    ),
    Character(
        1,
        "Kwame",
        "male",
        "adult",
        "muscular",
        "african",
        _build((1.0, 0.0, 0.0), gender=0.0, age=0.68, muscle=0.8, weight=0.52, height=0.28),
        Appearance(
            skin=(0.36, 0.24, 0.17), hair=(0.05, 0.045, 0.04), style="cropped", lips=(0.38, 0.21, 0.18), beard=0.25
        ),
        Top(
            Cloth((0.90, 0.90, 0.87), (0.20, 0.42, 0.38), stripe=(0.20, 0.42, 0.38), pattern="hoops", loose=0.006),
            sleeve=0.55,
            hem=0.045,
        ),
        Bottoms(Cloth((0.26, 0.28, 0.30), (0.22, 0.24, 0.26), loose=0.010), hem=0.85, flare=0.014),
        Shoes((0.75, 0.28, 0.20)),
    ),
    Character(
        2,
        "Ruth",
        "female",
        "older",
        "full",
        "european",
        _build((0.0, 0.0, 1.0), gender=1.0, age=0.92, muscle=0.42, weight=0.72, height=0.32),
        Appearance(skin=(0.86, 0.68, 0.58), hair=(0.76, 0.75, 0.73), style="bob", lips=(0.72, 0.43, 0.41)),
        Top(
            Cloth((0.28, 0.34, 0.56), (0.22, 0.27, 0.47), stripe=(0.92, 0.90, 0.84), pattern="dots", loose=0.010),
            sleeve=1.85,
            hem=0.03,
            hang=0.010,
        ),
        Bottoms(Cloth((0.78, 0.72, 0.62), (0.72, 0.66, 0.56), loose=0.008), hem=1.80, flare=0.014),
    ),
    Character(
        3,
        "Jun",
        "male",
        "teen",
        "lean",
        "east asian",
        _build((0.0, 1.0, 0.0), gender=0.0, age=0.54, muscle=0.48, weight=0.40, height=0.5),
        Appearance(skin=(0.82, 0.63, 0.49), hair=(0.08, 0.07, 0.07), style="short", lips=(0.68, 0.42, 0.37)),
        Top(Cloth((0.93, 0.75, 0.28), (0.84, 0.64, 0.18), loose=0.010), sleeve=0.62, hem=0.04, hang=0.008),
        Bottoms(
            Cloth(
                (0.22, 0.34, 0.52), (0.18, 0.28, 0.45), stripe=(0.93, 0.93, 0.91), pattern="side_stripe", loose=0.008
            ),
            hem=1.86,
            flare=0.008,
        ),
        Shoes((0.16, 0.17, 0.19)),
    ),
    Character(
        4,
        "Lucia",
        "female",
        "adult",
        "strong",
        "latin american",
        _build((0.15, 0.35, 0.5), gender=1.0, age=0.70, muscle=0.60, weight=0.58, height=0.38),
        Appearance(skin=(0.73, 0.53, 0.40), hair=(0.22, 0.13, 0.08), style="curly", lips=(0.68, 0.32, 0.32)),
        Top(Cloth((0.22, 0.55, 0.48), (0.16, 0.45, 0.39), loose=0.004), sleeve=0.10, hem=0.05, neck=-0.02),
        Bottoms(Cloth((0.42, 0.22, 0.44), (0.35, 0.17, 0.37), loose=0.003), hem=1.50),
    ),
    Character(
        5,
        "Thomas",
        "male",
        "middle-aged",
        "heavy",
        "african and european",
        _build((0.55, 0.0, 0.45), gender=0.0, age=0.82, muscle=0.35, weight=1.0, height=0.26),
        Appearance(
            skin=(0.52, 0.36, 0.27), hair=(0.30, 0.29, 0.28), style="receding", lips=(0.52, 0.29, 0.26), beard=0.7
        ),
        Top(
            Cloth((0.90, 0.86, 0.78), (0.62, 0.18, 0.16), stripe=(0.66, 0.20, 0.18), pattern="check", loose=0.010),
            sleeve=0.75,
            hem=0.03,
            hang=0.010,
        ),
        Bottoms(Cloth((0.47, 0.43, 0.33), (0.42, 0.38, 0.29), loose=0.009), hem=1.86, flare=0.010),
        Shoes((0.35, 0.24, 0.16), sole=(0.85, 0.82, 0.76)),
    ),
)
