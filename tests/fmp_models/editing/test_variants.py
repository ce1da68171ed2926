"""Variants of texts: one clause changed and every other clause kept, in people's texts and in generated ones."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.describe.descriptions import describe_in_scene
from fmp_models.editing.variants import Variant, clause_variants, without_clause
from fmp_models.geometry.verdicts import axes_of
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import ReadClause, read_clauses, read_plan
from fmp_models.metrics.properties import read_texts
from fmp_models.pose import PosePair
from tests.bodies import pairs
from tests.nonempty import nonempty
from tests.thoroughness import examples, thorough

_FIELDS = {"side": "side", "direction": "direction", "part": "part", "degree": "degree", "landmark": "relations"}


def changes_one_clause(text: str, code: str, place: ReadClause, variant: Variant) -> bool:
    words = grammar(code)
    read = read_clauses(text, words)
    plan = [variant.goal if entry == place else entry.goal for entry in read]
    return (
        list(read_plan(variant.text, words)) == plan
        and getattr(variant.goal, _FIELDS[variant.by]) != getattr(place.goal, _FIELDS[variant.by])
        and variant.text != text
    )


@examples(60, 6, deadline=None)
@given(pair=pairs, seed=st.integers(0, 10_000))
def test_every_variant_of_a_description_is_read_as_its_plan_with_one_clause_changed(pair: PosePair, seed: int) -> None:
    for code, told in nonempty(describe_in_scene(pair, (), seed).items()):
        variants = [
            (place, variant)
            for place in read_clauses(told.text, grammar(code))[:2]
            for variant in clause_variants(told.text, code, place)
        ]
        assert [v.text for place, v in variants if not changes_one_clause(told.text, code, place, v)] == []


@pytest.mark.parametrize(("code", "fewest"), [("en", 0.95), ("hi", 0.92)])
@pytest.mark.parametrize("count", [20, pytest.param(100, marks=thorough)])
def test_nearly_every_movement_of_peoples_texts_has_variants(
    shared: Path, count: int, code: str, fewest: float
) -> None:
    texts = read_texts(shared / "data" / "fixmypose" / "valid_seen_NC.json")[code][:: 1600 // count]
    found: Counter[str] = Counter()
    wrong = []
    for text in nonempty(texts):
        for place in read_clauses(text, grammar(code)):
            if axes_of(place.goal):
                variants = [*clause_variants(text, code, place)]
                wrong += [one.text for one in variants if not changes_one_clause(text, code, place, one)]
                found.update({"clauses", *(one.by for one in variants), *["any"] * bool(variants)})
    sys.stdout.write(
        f"{code} {found['clauses']} clauses, { ({way: round(n / found['clauses'], 3) for way, n in found.items()}) }\n"
    )
    assert wrong == []
    assert found["any"] / found["clauses"] >= fewest


@pytest.mark.parametrize(
    ("code", "text", "by", "changed"),
    [
        ("en", "Raise your left arm.", "side", "Raise your right arm."),
        ("en", "Raise your left arm up.", "direction", "Lower your left arm down."),
        ("en", "Raise your left arm.", "part", "Raise your left leg."),
        ("en", "Raise your left arm.", "degree", "Raise your left arm slightly."),
        ("en", "Raise your left arm to shoulder height.", "landmark", "Raise your left arm to hip height."),
        ("en", "Balance by looking up.", "direction", "Balance by looking down."),
        ("en", "Balance by bringing your hand down.", "direction", "Balance by bringing your hand up."),
        ("hi", "अपने हाथों को नीचे लाने की ज़रूरत है।", "direction", "अपने हाथों को पीछे करने की ज़रूरत है।"),
        ("hi", "अपने बाएं हाथ को ऊपर उठाएं।", "side", "अपने दाहिने हाथ को ऊपर उठाएं।"),
        ("hi", "अपने बाएं हाथ को ऊपर उठाएँ।", "direction", "अपने बाएं हाथ को नीचे लाएं।"),
        ("hi", "अपने बाएं हाथ को ऊपर उठाएं।", "degree", "अपने बाएं हाथ को थोड़ा ऊपर उठाएं।"),
    ],
)
def test_a_variant_changes_the_words_that_carry_the_difference(code: str, text: str, by: str, changed: str) -> None:
    [place] = read_clauses(text, grammar(code))
    assert changed in [one.text for one in clause_variants(text, code, place) if one.by == by]


@pytest.mark.parametrize("code", LANGUAGES)
def test_only_wanted_clauses_have_variants(code: str) -> None:
    text = {"en": "Raise your left arm.", "hi": "अपने बाएं हाथ को ऊपर उठाएं।"}[code]
    [place] = read_clauses(text, grammar(code))
    [goal] = [one.goal for one in clause_variants(text, code, place) if one.by == "side"][:1]
    assert [one.goal for one in clause_variants(text, code, place, goal.__eq__)] == [goal]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Bend both knees. Stretch both arms straight out in front of you. Lean forward."),
        ("hi", "घुटने मोड़िए। दोनों हाथ कंधों की ऊँचाई पर सामने सीधे तानिए। धड़ आगे झुकाइए।"),
        ("hi", "घुटने मोड़िए। दोनों हाथ कंधों की ऊँचाई पर सामने सीधे तानिए।"),
    ],
)
def test_a_removed_clause_leaves_no_space_behind(code: str, text: str) -> None:
    lefts = [without_clause(text, code, place) for place in read_clauses(text, grammar(code))]

    assert lefts
    assert [left for left in lefts if "  " in left or left != left.strip()] == []
