"""Likenesses: implied movements and analogies, each with a measured test that the target must pass.

An implied movement is a result that a person reaches without being told the movement: its test must not hold before.
An analogy says what a pose looks like and follows a clause about one of its parts. Both use features of a pose that
are measured once. Lengths are metres, angles degrees; thresholds leave a margin around uncertain values.
"""

# ruff: noqa: PLR2004 - each threshold is used once, next to its meaning

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from fmp_models.geometry.lexicon import BODY_TURNS, LIMBS, PAIRED, STANCES, TURNS, Direction, Part, Relation
from fmp_models.geometry.pose_values import (
    FORWARD,
    LEFT,
    UP,
    elbow_angle,
    elevation,
    foot_lift,
    hands_distance,
    knee_angle,
    other,
    outward,
    stance_width,
    trunk_tilt,
)
from fmp_models.pose import BODY_SIDES, INDEX, Array, BodySide, in_pelvis_frame


class PoseFeatures:
    """Features of the joints (20, 3) of one pose, measured on first use."""

    def __init__(self, joints: Array) -> None:
        self._joints = joints
        self._body: list[list[float]] = in_pelvis_frame(joints).tolist()

    def up(self, name: str, over: str = "hip") -> float:
        """Return the metres that one joint is above another."""
        return self._along(UP, name, over)

    def ahead(self, name: str, of: str = "hip") -> float:
        """Return the metres that one joint is in front of another."""
        return self._along(FORWARD, name, of)

    def out(self, side: BodySide, name: str, of: str = "hip") -> float:
        """Return the metres that one joint is further out to ``side`` than another."""
        return outward(side) * self._along(LEFT, name, of)

    def gap(self, name: str, to: str) -> float:
        """Return the metres between two joints."""
        return math.dist(self._body[INDEX[name]], self._body[INDEX[to]])

    def level_gap(self, name: str, to: str) -> float:
        """Return the metres between two joints as seen from above."""
        return math.hypot(self._along(LEFT, name, to), self._along(FORWARD, name, to))

    def _along(self, axis: int, name: str, of: str) -> float:
        return self._body[INDEX[name]][axis] - self._body[INDEX[of]][axis]

    @cached_property
    def elbow(self) -> dict[BodySide, float]:
        """Inner angle of each elbow."""
        return {side: float(elbow_angle(self._joints, side)) for side in BODY_SIDES}

    @cached_property
    def knee(self) -> dict[BodySide, float]:
        """Inner angle of each knee."""
        return {side: float(knee_angle(self._joints, side)) for side in BODY_SIDES}

    @cached_property
    def arm(self) -> dict[BodySide, float]:
        """Degrees of each upper arm from hanging."""
        return {side: float(elevation(self._joints, f"{side}_shoulder", f"{side}_elbow")) for side in BODY_SIDES}

    @cached_property
    def forearm(self) -> dict[BodySide, float]:
        """Degrees of each forearm from hanging."""
        return {side: float(elevation(self._joints, f"{side}_elbow", f"{side}_wrist")) for side in BODY_SIDES}

    @cached_property
    def thigh(self) -> dict[BodySide, float]:
        """Degrees of each thigh from hanging."""
        return {side: float(elevation(self._joints, f"{side}_hip", f"{side}_knee")) for side in BODY_SIDES}

    @cached_property
    def lift(self) -> dict[BodySide, float]:
        """Metres of each ankle above the other."""
        return {side: float(foot_lift(self._joints, side)) for side in BODY_SIDES}

    @cached_property
    def tilt(self) -> float:
        """Degrees of the trunk from upright."""
        return float(trunk_tilt(self._joints))

    @cached_property
    def hands(self) -> float:
        """Metres between the wrists."""
        return float(hands_distance(self._joints))

    @cached_property
    def stance(self) -> float:
        """Horizontal metres between the ankles."""
        return float(stance_width(self._joints))

    def carried(self, side: BodySide) -> float:
        """Return the place of the hips between the ankles, seen from above: 1 over this one, 0 over the other."""
        ankle, other_ankle = f"{side}_ankle", f"{other(side)}_ankle"
        along = (self._along(LEFT, ankle, other_ankle), self._along(FORWARD, ankle, other_ankle))
        hips = (self._along(LEFT, "hip", other_ankle), self._along(FORWARD, "hip", other_ankle))
        length = along[0] ** 2 + along[1] ** 2
        return (along[0] * hips[0] + along[1] * hips[1]) / length if length else 0.5


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


# Analogies.
_LEG_PARTS = LIMBS[Part.LEG]
_LOWERED = frozenset({Part.KNEE, Part.BODY, Part.TRUNK})
_DOWN = frozenset({Direction.DOWN, Direction.BEND, Direction.FORWARD})
_UPWARD = frozenset({Direction.UP, Direction.BEND, Direction.FORWARD, Direction.STRAIGHTEN})


def _sideways(f: PoseFeatures, s: BodySide) -> bool:
    return 72 < f.arm[s] < 108 and f.elbow[s] > 150 and f.out(s, f"{s}_wrist", f"{s}_shoulder") > 0.38


def _forward(f: PoseFeatures, s: BodySide) -> bool:
    return 68 < f.arm[s] < 112 and f.elbow[s] > 148 and f.ahead(f"{s}_wrist", f"{s}_shoulder") > 0.38


def _guarded(f: PoseFeatures, s: BodySide) -> bool:
    high = -0.18 < f.up(f"{s}_wrist", f"{s}_shoulder") < 0.25
    return high and f.elbow[s] < 95 and f.arm[s] < 80 and f.ahead(f"{s}_wrist", f"{s}_shoulder") > 0.06


def _overhead(f: PoseFeatures, s: BodySide) -> bool:
    return f.up(f"{s}_wrist", "head") > 0.2 and f.elbow[s] > 145


def _hangs(f: PoseFeatures, s: BodySide) -> bool:
    return f.arm[s] < 22 and f.forearm[s] < 25


def _standing(f: PoseFeatures) -> bool:
    return all(f.knee[s] > 155 for s in BODY_SIDES)


def _on_hip(f: PoseFeatures, s: BodySide) -> bool:
    hand = f.gap(f"{s}_hand", f"{s}_hip") < 0.24 and f.up(f"{s}_wrist") > -0.05
    return hand and f.elbow[s] < 125 and f.out(s, f"{s}_elbow", f"{s}_wrist") > 0.06


def _at_ear(f: PoseFeatures, s: BodySide) -> bool:
    return f.gap(f"{s}_hand", "head") < 0.22 and f.elbow[s] < 75


def _cane(f: PoseFeatures, s: BodySide) -> bool:
    beside = 0.02 < f.out(s, f"{s}_wrist", f"{s}_hip") < 0.32 and -0.08 < f.ahead(f"{s}_wrist") < 0.32
    return f.arm[s] < 38 and 115 < f.elbow[s] < 162 and -0.16 < f.up(f"{s}_wrist") < 0.14 and beside


def _box(f: PoseFeatures, _: BodySide) -> bool:
    ahead = all(f.ahead(f"{s}_wrist", f"{s}_shoulder") > 0.15 and 60 < f.elbow[s] < 135 for s in BODY_SIDES)
    height = [f.up(f"{s}_wrist", f"{s}_shoulder") for s in BODY_SIDES]
    return ahead and 0.2 < f.hands < 0.5 and all(-0.4 < up < 0.02 for up in height) and abs(height[0] - height[1]) < 0.1


def _bow(f: PoseFeatures, s: BodySide) -> bool:
    drawn = other(s)
    pulled = f.elbow[drawn] < 75 and 62 < f.arm[drawn] < 118 and f.out(drawn, f"{drawn}_elbow", f"{drawn}_shoulder") > 0
    return f.elbow[s] > 148 and 72 < f.arm[s] < 108 and pulled


def _lunge(f: PoseFeatures, s: BodySide) -> bool:
    wide = f.ahead(f"{s}_ankle", f"{other(s)}_ankle") > 0.5
    return wide and f.knee[s] < 130 and f.knee[other(s)] > 145 and f.lift[s] < 0.05


def _waving(f: PoseFeatures, s: BodySide) -> bool:
    return f.up(f"{s}_wrist", f"{s}_shoulder") > 0.15 and f.elbow[s] < 125 and f.out(s, f"{s}_elbow") > 0.3


def _namaste(f: PoseFeatures, _: BodySide) -> bool:
    before = all(f.ahead(f"{s}_wrist", f"{s}_shoulder") > 0.1 and f.elbow[s] < 110 for s in BODY_SIDES)
    return before and f.hands < 0.15 and -0.28 < f.up("left_wrist", "left_shoulder") < 0.05


def _tray(f: PoseFeatures, s: BodySide) -> bool:
    ahead = f.ahead(f"{s}_wrist", f"{s}_elbow") > 0.17
    return ahead and 75 < f.elbow[s] < 112 and 72 < f.forearm[s] < 112 and f.arm[s] < 32


def _round(f: PoseFeatures, s: BodySide) -> bool:
    return 50 < f.arm[s] < 102 and 85 < f.elbow[s] < 148 and f.ahead(f"{s}_wrist", f"{s}_shoulder") > 0.22


def _throwing(f: PoseFeatures, s: BodySide) -> bool:
    behind = f.ahead(f"{s}_wrist", f"{s}_shoulder") < -0.08
    return behind and f.up(f"{s}_wrist", f"{s}_shoulder") > 0.1 and f.elbow[s] < 115


def _kick(f: PoseFeatures, s: BodySide) -> bool:
    return f.lift[s] > 0.22 and f.knee[s] > 142 and f.ahead(f"{s}_ankle") > 0.35


def _flamingo(f: PoseFeatures, s: BodySide) -> bool:
    return f.lift[s] > 0.22 and f.knee[s] < 105 and f.knee[other(s)] > 155


def _stair(f: PoseFeatures, s: BodySide) -> bool:
    return 0.14 < f.lift[s] < 0.4 and 65 < f.knee[s] < 140 and f.ahead(f"{s}_ankle") > 0.12 and f.tilt < 25


def _attention(f: PoseFeatures, _: BodySide) -> bool:
    return _standing(f) and all(_hangs(f, s) for s in BODY_SIDES) and f.stance < 0.22 and f.tilt < 8


def _pick_up(f: PoseFeatures, s: BodySide) -> bool:
    low = f.up(f"{s}_hand", f"{s}_knee") < 0.08 or f.up(f"{s}_hand", f"{s}_ankle") < 0.35
    return f.tilt > 38 and f.ahead("neck") > 0.25 and low


def _skier(f: PoseFeatures, _: BodySide) -> bool:
    hands = all(f.elbow[s] < 140 and f.ahead(f"{s}_wrist") > 0.12 and f.up(f"{s}_wrist") < 0.35 for s in BODY_SIDES)
    return hands and 18 < f.tilt < 60 and f.ahead("neck") > 0.12 and all(70 < f.knee[s] < 142 for s in BODY_SIDES)


def _ballet(f: PoseFeatures, _: BodySide) -> bool:
    round_arms = all(f.up(f"{s}_wrist", "head") > 0.06 and 85 < f.elbow[s] < 150 for s in BODY_SIDES)
    return round_arms and f.hands < 0.45


def _rowing(f: PoseFeatures, _: BodySide) -> bool:
    return all(f.ahead(f"{s}_elbow", f"{s}_shoulder") < -0.1 and f.elbow[s] < 115 and f.arm[s] < 75 for s in BODY_SIDES)


def _tightrope(f: PoseFeatures, _: BodySide) -> bool:
    in_line = abs(f.out("left", "left_ankle", "right_ankle")) < 0.12
    return in_line and f.stance > 0.22 and all(_sideways(f, s) for s in BODY_SIDES)


def _hands_up(f: PoseFeatures, s: BodySide) -> bool:
    return 65 < f.arm[s] < 115 and f.forearm[s] > 145 and f.out(s, f"{s}_elbow", f"{s}_shoulder") > 0.18


def _sitting(f: PoseFeatures, _: BodySide) -> bool:
    return f.tilt > 12 and f.ahead("neck") > 0.08 and all(60 < f.knee[s] < 128 and f.lift[s] < 0.1 for s in BODY_SIDES)


def _bowing(f: PoseFeatures, _: BodySide) -> bool:
    return 22 < f.tilt < 60 and f.ahead("neck") > 0.18 and _standing(f) and all(f.arm[s] < 50 for s in BODY_SIDES)


def _shading(f: PoseFeatures, s: BodySide) -> bool:
    return f.gap(f"{s}_hand", "head") < 0.25 and f.up(f"{s}_hand", "head") > 0 and f.ahead(f"{s}_hand", "head") > 0.05


def _punch(f: PoseFeatures, s: BodySide) -> bool:
    return _guarded(f, other(s)) and _forward(f, s)


def _of_both(question: Question) -> Question:
    """Return the test applied to both the left and the right side."""
    return lambda f, _: all(question(f, s) for s in BODY_SIDES)


# Specific analogies precede general ones: the first that fits is the one a person would think of.
ANALOGIES: tuple[Likeness, ...] = (
    Likeness("tightrope", _ARMS, _tightrope, sided=False),
    Likeness("airplane", _ARMS, _of_both(_sideways), sided=False),
    Likeness("goal", _ARMS, _of_both(_overhead), sided=False),
    Likeness("ballet", _ARMS, _ballet, sided=False),
    Likeness("hands up", _ARMS, _of_both(_hands_up), sided=False),
    Likeness("sleepwalker", _ARMS, _of_both(_forward), sided=False),
    Likeness("namaste", _ARMS, _namaste, sided=False),
    Likeness("hands on hips", _ARMS, _of_both(_on_hip), sided=False),
    Likeness("boxer", _ARMS, _of_both(_guarded), sided=False),
    Likeness("box", _ARMS, _box, sided=False),
    Likeness("hugging", _ARMS, _of_both(_round), sided=False),
    Likeness("rowing", _ARMS, _rowing, sided=False),
    Likeness(
        "attention",
        _ARMS | _LEG_PARTS | {Part.TRUNK},
        _attention,
        sided=False,
        ways={Direction.DOWN, Direction.STRAIGHTEN, Direction.TOGETHER, Direction.IN, Direction.BACKWARD},
    ),
    Likeness("bow", _ARMS, _bow),
    Likeness("punch", _ARMS, _punch),
    Likeness("stop", _ARMS, _forward),
    Likeness("phone", _ARMS, _at_ear),
    Likeness("shading eyes", _ARMS, _shading),
    Likeness("ceiling", _ARMS, _overhead),
    Likeness("throwing", _ARMS, _throwing),
    Likeness("waving", _ARMS, _waving),
    Likeness("tray", _ARMS, _tray),
    Likeness("cane", _ARMS, _cane),
    Likeness("picking up", _ARMS | {Part.TRUNK}, _pick_up, ways=_DOWN),
    Likeness("skier", _LOWERED, _skier, sided=False, ways=_DOWN),
    Likeness("sitting down", _LOWERED, _sitting, sided=False, ways=_DOWN),
    Likeness("bowing", {Part.TRUNK}, _bowing, sided=False, ways=_DOWN),
    Likeness("kick", _LEG_PARTS, _kick, ways=_UPWARD),
    Likeness("flamingo", _LEG_PARTS, _flamingo, ways=_UPWARD),
    Likeness("stair", _LEG_PARTS, _stair, ways=_UPWARD),
    Likeness("lunge", _LEG_PARTS, _lunge, ways={Direction.FORWARD, Direction.APART, Direction.BEND}),
)
