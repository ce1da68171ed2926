"""Analogies: what a pose looks like, each with a measured test that the target must pass.

Lengths are metres, angles degrees. An analogy follows a clause about one of its parts.
"""

# ruff: noqa: PLR2004 - each threshold is used once, next to its meaning

from __future__ import annotations

from fmp_models.geometry.clauses import Direction, Part
from fmp_models.geometry.elaboration.implied import Likeness, Question
from fmp_models.geometry.elaboration.pose_features import PoseFeatures
from fmp_models.geometry.lexicon import LIMBS
from fmp_models.geometry.pose_values import other
from fmp_models.pose import BODY_SIDES, BodySide

_ARMS = LIMBS[Part.ARM]
_LEGS = LIMBS[Part.LEG]
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
        _ARMS | _LEGS | {Part.TRUNK},
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
    Likeness("kick", _LEGS, _kick, ways=_UPWARD),
    Likeness("flamingo", _LEGS, _flamingo, ways=_UPWARD),
    Likeness("stair", _LEGS, _stair, ways=_UPWARD),
    Likeness("lunge", _LEGS, _lunge, ways={Direction.FORWARD, Direction.APART, Direction.BEND}),
)
