"""The everyday phrases are well formed, and what is expected of them can be met and missed."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fmp_models.pose import BODY_SIDES, Array, mirrored_joints
from tests.bodies import Arm, Body, Leg
from tests.everyday.expectations import ALWAYS, EXPECTATIONS, missed, parse
from tests.everyday.starts import STARTS

FOLDER = Path(__file__).parent
HALVES = [json.loads((FOLDER / name).read_text(encoding="utf-8")) for name in ("phrases.json", "phrases_held.json")]
MORE = json.loads((FOLDER / "phrases_more.json").read_text(encoding="utf-8"))
PHRASES: list[dict[str, Any]] = [*HALVES[0], *HALVES[1], *MORE]
_SIDES = {*BODY_SIDES, "both", "one", "other"}

# Bodies that do what a bystander expects of a text of the development half, by the words of the expectations.
_UP, _STRAIGHT_OUT, _BENT = Arm(172), Arm(90), Leg(80, 70, 95)
DONE: dict[str, tuple[list[str], Body]] = {
    "arms overhead": (["hand_high both", "upright", "feet_stay"], Body(left_arm=_UP, right_arm=_UP)),
    "left arm up": (["hand_high left", "arm_stays right", "arm_straight left"], Body(left_arm=_UP)),
    "right arm out": (["points right arm out", "arm_stays left", "trunk_stays"], Body(right_arm=_STRAIGHT_OUT)),
    "squat": (["hips_drop", "knee_bend both 55..150", "foot_down both"], Body(left_leg=_BENT, right_leg=_BENT)),
    "left knee up": (["knee_high left", "foot_up left", "foot_down right"], Body(left_leg=Leg(88, 88, 90))),
    "either knee up": (["foot_up one", "foot_down other", "leg_straight other"], Body(left_leg=Leg(88, 88, 90))),
    "left step": (["foot_ahead left", "leg_straight both"], Body(left_leg=Leg(35, 90), right_leg=Leg(10, -90))),
    "bend forward": (["leans forward 60..120", "back_level", "chest_down"], Body(pitch=88)),
    "lean to the left": (["leans left", "foot_down both"], Body(lean=25)),
    "twist to the left": (["twisted left", "feet_stay", "upright"], Body(twist=40)),
    "turn to the right": (["turned right", "upright"], Body(yaw=-80)),
    "chin down": (["head_tips forward", "trunk_stays"], Body(nod=30)),
    "head to the right": (["head_tips right", "trunk_stays"], Body(tip=-25)),
    "right hand at the head": (["hand_at right head 0..0.25", "arm_stays left"], Body(right_arm=Arm(100, 0, 150, 0))),
}
_MIRRORED = {"left": "right", "right": "left"}


def _on_the_floor(body: Body) -> Array:
    """Joints of the body with its feet where those of the standing one are."""
    joints = body.pose().joints
    return joints + np.array([0, STARTS["standing"][:, 1].max() - joints[:, 1].max(), 0])


def test_each_language_has_a_hundred_phrases_half_of_them_held_back() -> None:
    counts = [Counter(phrase["language"] for phrase in half) for half in HALVES]
    assert counts == [{"en": 50, "hi": 50}] * 2


def test_each_language_has_sixty_further_phrases_for_development() -> None:
    assert Counter(phrase["language"] for phrase in MORE) == {"en": 60, "hi": 60}


def test_no_phrase_is_there_twice() -> None:
    assert len({phrase["id"] for phrase in PHRASES}) == len(PHRASES)
    assert len({" ".join(phrase["text"].casefold().split()) for phrase in PHRASES}) == len(PHRASES)


def test_every_start_and_expectation_is_known() -> None:
    assert {phrase["start"] for phrase in PHRASES} == set(STARTS)
    parsed = [parse(text) for phrase in PHRASES for text in phrase["expect"]]
    assert {*ALWAYS, *(name for name, *_ in parsed)} == set(EXPECTATIONS)
    assert [words for name, words, *_ in parsed if EXPECTATIONS[name].sided and words[0] not in _SIDES] == []
    assert [name for name, _, low, high in parsed if low > high or low == -high == -math.inf] == []


def test_who_does_not_move_does_only_what_asks_to_keep_still() -> None:
    unmoved = [p for p in PHRASES if not missed(p["expect"], STARTS[p["start"]], STARTS[p["start"]])]
    assert [phrase["expect"] for phrase in unmoved] == [["still"]] * 2


@pytest.mark.parametrize("name", DONE)
def test_a_body_that_does_it_meets_what_is_expected(name: str) -> None:
    expected, body = DONE[name]
    assert missed(expected, STARTS["standing"], _on_the_floor(body)) == []


@pytest.mark.parametrize("name", [name for name in DONE if "right" in name or "left" in name])
def test_the_mirrored_body_meets_what_is_expected_of_the_other_side_alone(name: str) -> None:
    expected, body = DONE[name]
    swapped = [" ".join(_MIRRORED.get(word, word) for word in text.split()) for text in expected]
    mirrored = mirrored_joints(_on_the_floor(body))
    assert missed(swapped, STARTS["standing"], mirrored) == []
    assert missed(expected, STARTS["standing"], mirrored) != []
