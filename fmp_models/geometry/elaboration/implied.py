"""Implied movements: results that a person reaches without being told the movement, each with a measured test.

The test must hold in the target and must not hold before: only then does the result imply a movement.
Lengths are metres, angles degrees; thresholds leave a margin around uncertain values.
"""

# ruff: noqa: PLR2004 - each threshold is used once, next to its meaning

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from fmp_models.geometry.clauses import Direction, Part, Relation
from fmp_models.geometry.elaboration.pose_features import PoseFeatures
from fmp_models.geometry.lexicon import BODY_TURNS, LIMBS, PAIRED, STANCES, TURNS
from fmp_models.geometry.pose_values import other
from fmp_models.pose import BODY_SIDES, BodySide

Question = Callable[[PoseFeatures, BodySide], bool]


@dataclass(frozen=True)
class Likeness:
    """A likeness: a name that has words in every language, the parts whose clauses it may follow, and its test."""

    name: str
    parts: AbstractSet[Part]
    holds: Question
    sided: bool = True  # said of one side, or of both if it holds for both
    ways: AbstractSet[Direction] = frozenset()  # only after these directions; empty means after any
    repeats: AbstractSet[Relation] = frozenset()  # not after a clause with one of these, which already says it


_ARMS = LIMBS[Part.ARM]
_LEGS = LIMBS[Part.LEG] | {Part.HIPS, Part.BODY}
_FEET = LIMBS[Part.LEG] - {Part.KNEE}
_TRUNK = frozenset({Part.TRUNK, Part.HIPS})
_LOWER_ARM = _ARMS - {Part.ARM}
_HIGH = frozenset({Relation.OVERHEAD, Relation.ABOVE_HEAD, Relation.NEAR_HEAD})
_LOW = frozenset({Relation.HANGING, Relation.NEAR_HIP})
_NOT_DOWN = frozenset(Direction) - PAIRED - {Direction.DOWN}
_NOT_UP = frozenset(Direction) - PAIRED - {Direction.UP}
# A foot that turns in place does not step.
_STEPS = frozenset(Direction) - (TURNS - BODY_TURNS)


def _on_one_leg(f: PoseFeatures) -> bool:
    return max(f.lift.values()) > 0.12


def _balanced(f: PoseFeatures, s: BodySide) -> bool:
    return f.lift[s] > 0.12 and f.up(f"{s}_foot", f"{other(s)}_foot") > 0.08


def _feet_below_hips(f: PoseFeatures, _: BodySide) -> bool:
    below = all(f.level_gap("hip", f"{s}_ankle") < 0.25 for s in BODY_SIDES)
    return below and f.stance < 0.24 and f.tilt < 40 and not _on_one_leg(f)


def _knee_over_foot(f: PoseFeatures, s: BodySide) -> bool:
    return f.knee[s] < 140 and f.level_gap(f"{s}_knee", f"{s}_foot") < 0.14 and f.lift[s] < 0.05


def _leaning_over_leg(f: PoseFeatures, s: BodySide) -> bool:
    near, far = f.level_gap("neck", f"{s}_knee"), f.level_gap("neck", f"{other(s)}_knee")
    return f.tilt > 18 and near + 0.12 < far and near < 0.35 and f.lift[s] < 0.05


def _by_thigh(f: PoseFeatures, s: BodySide) -> bool:
    return -0.3 < f.up(f"{s}_wrist", f"{s}_hip") < 0.0 and f.level_gap(f"{s}_hand", f"{s}_hip") < 0.25


def _across(f: PoseFeatures, s: BodySide) -> bool:
    return f.out(s, f"{s}_wrist") < -0.05 and f.ahead(f"{s}_wrist") > 0.08


def _elbow_out(f: PoseFeatures, s: BodySide) -> bool:
    return 45 < f.arm[s] < 120 and f.elbow[s] < 140 and f.out(s, f"{s}_elbow", f"{s}_shoulder") > 0.19


def _straight_line(f: PoseFeatures, s: BodySide) -> bool:
    return f.elbow[s] > 165 and f.out(s, f"{s}_wrist", f"{s}_shoulder") > 0.45 and 75 < f.arm[s] < 105


IMPLIED: tuple[Likeness, ...] = (
    Likeness(
        "hand above elbow",
        _ARMS,
        lambda f, s: f.up(f"{s}_wrist", f"{s}_elbow") > 0.1,
        repeats=_HIGH,
        ways=_NOT_DOWN,
    ),
    Likeness(
        "hand below elbow", _LOWER_ARM, lambda f, s: f.up(f"{s}_wrist", f"{s}_elbow") < -0.1, repeats=_LOW, ways=_NOT_UP
    ),
    Likeness(
        "hand above shoulder",
        _ARMS,
        lambda f, s: f.up(f"{s}_wrist", f"{s}_shoulder") > 0.12 and f.arm[s] < 150,
        repeats=_HIGH | {Relation.HEAD_HEIGHT},
        ways=_NOT_DOWN,
    ),
    Likeness(
        "hand level with shoulder",
        _ARMS,
        lambda f, s: abs(f.up(f"{s}_wrist", f"{s}_shoulder")) < 0.06,
        repeats={Relation.SHOULDER_HEIGHT},
    ),
    Likeness(
        "hand higher than head",
        _ARMS,
        lambda f, s: f.up(f"{s}_wrist", "head") > 0.15,
        repeats=_HIGH,
        ways=_NOT_DOWN,
    ),
    Likeness(
        "elbow level with shoulder",
        _ARMS,
        lambda f, s: abs(f.up(f"{s}_elbow", f"{s}_shoulder")) < 0.05,
        repeats={Relation.SHOULDER_HEIGHT},
    ),
    Likeness(
        "elbow close to waist",
        _ARMS,
        lambda f, s: f.arm[s] < 30 and f.elbow[s] < 130 and abs(f.ahead(f"{s}_elbow", "spine")) < 0.15,
    ),
    Likeness("elbow points out", _ARMS, _elbow_out, repeats=_HIGH),
    Likeness("elbow behind back", _ARMS, lambda f, s: f.tilt < 30 and f.ahead(f"{s}_elbow", f"{s}_shoulder") < -0.13),
    Likeness("forearm level", _ARMS, lambda f, s: 78 < f.forearm[s] < 102, repeats={Relation.SHOULDER_HEIGHT}),
    Likeness(
        "forearm upright", _ARMS, lambda f, s: f.forearm[s] > 155 and f.arm[s] < 140, repeats=_HIGH, ways=_NOT_DOWN
    ),
    Likeness("forearm down", _LOWER_ARM, lambda f, s: f.forearm[s] < 22, repeats=_LOW, ways=_NOT_UP),
    Likeness("arm in line", _ARMS, _straight_line, repeats={Relation.SHOULDER_HEIGHT}),
    Likeness("hand near thigh", _ARMS, _by_thigh, repeats=_LOW, ways=_NOT_UP),
    Likeness("hand across the middle", _ARMS, _across, repeats=_HIGH | {Relation.CLOSE}),
    Likeness("hands almost touch", _ARMS, lambda f, _: f.hands < 0.14, sided=False, repeats={Relation.CLOSE}),
    Likeness("knee over foot", _LEGS, _knee_over_foot),
    Likeness(
        "knee as high as hip",
        _LEGS,
        lambda f, s: f.up(f"{s}_knee", f"{s}_hip") > -0.06,
        repeats={Relation.HIP_HEIGHT},
        ways={Direction.UP, Direction.BEND},
    ),
    Likeness("thigh level", _LEGS, lambda f, s: 72 < f.thigh[s] < 108, repeats={Relation.HIP_HEIGHT}),
    Likeness("leg in line", _LEGS, lambda f, s: f.knee[s] > 168, repeats={Relation.STRAIGHT}),
    Likeness(
        "weight on leg",
        _LEGS | _TRUNK,
        lambda f, s: f.lift[s] < 0.04 and not _on_one_leg(f) and f.stance > 0.3 and f.carried(s) > 0.72,
    ),
    Likeness("balance on leg", {Part.LEG, Part.KNEE}, _balanced, ways={Direction.UP, Direction.BEND}),
    Likeness("leaning over leg", _TRUNK, _leaning_over_leg, ways={Direction.FORWARD, Direction.LEFT, Direction.RIGHT}),
    Likeness(
        "foot in front",
        _FEET,
        lambda f, s: f.ahead(f"{s}_ankle", f"{other(s)}_ankle") > 0.25 and f.lift[s] + f.lift[other(s)] < 0.12,
        ways=_STEPS,
    ),
    Likeness(
        "room between feet",
        _FEET,
        lambda f, _: f.stance > 0.55 and not _on_one_leg(f),
        sided=False,
        repeats=STANCES,
        ways=_STEPS,
    ),
    Likeness(
        "feet below hips",
        _FEET,
        _feet_below_hips,
        sided=False,
        repeats=STANCES,
        ways=_STEPS,
    ),
    Likeness(
        "toes point out",
        _FEET,
        lambda f, s: f.out(s, f"{s}_foot", f"{s}_ankle") > 0.1,
        ways={Direction.TURN_OUT},
    ),
    Likeness("chest to floor", _TRUNK, lambda f, _: f.tilt > 48 and f.ahead("neck") > 0.3, sided=False),
    Likeness("back upright", _TRUNK, lambda f, _: f.tilt < 8, sided=False, repeats={Relation.UPRIGHT}),
    Likeness(
        "shoulder higher",
        {Part.TRUNK, Part.SHOULDER},
        lambda f, s: f.up(f"{s}_shoulder", f"{other(s)}_shoulder") > 0.08,
    ),
    Likeness(
        "chin to chest", {Part.HEAD}, lambda f, _: f.ahead("head", "neck") > f.ahead("neck", "spine") + 0.1, sided=False
    ),
    Likeness(
        "hips closer to floor",
        {Part.BODY, Part.KNEE},
        lambda f, _: min(f.up("left_ankle"), f.up("right_ankle")) > -0.62,
        sided=False,
        ways={Direction.DOWN, Direction.BEND},
    ),
)
