"""The words of movements and shapes: complete, alike and grammatical in every language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from string import Formatter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fmp_models.describe.movements import Facts, Movement, movements
from fmp_models.describe.trainer_steps import StepKind, TrainerStep, phrase_of, speak, step_text
from fmp_models.geometry.lexicon import Clause, Degree, Direction, Part, Relation, Side
from fmp_models.geometry.planner import make_plan
from fmp_models.geometry.shapes import (
    ARM_WAYS,
    ELBOWS,
    HAND_HEIGHTS,
    HAND_PLACES,
    KNEE_HEIGHTS,
    KNEES,
    SHAPES,
    SOLE_PLACES,
    THIGHS,
)
from fmp_models.geometry.verdicts import axes_of
from fmp_models.languages.language_data import LANGUAGES, SpeechWords, speech_words
from fmp_models.pose import Pose, PosePair
from tests.bodies import Arm, Body, Leg, bodies, pairs
from tests.fmp_models.geometry.test_pose_values import on_back
from tests.nonempty import nonempty

_RELATIONS = {
    Part.BODY: (Relation.STANDING, Relation.SITTING, Relation.KNEELING, Relation.LYING),
    Part.FOOT: (Relation.CLOSE, Relation.SHOULDER_WIDTH, Relation.WIDE),
    Part.LEG: (Relation.ON_GROUND, Relation.AGAINST_LEG),
}
MEASURED = [
    clause
    for side, part, way, degree in product(Side, Part, Direction, Degree)
    for clause in [Clause(side, part, way, degree)]
    if axes_of(clause)
]
CLAUSES = MEASURED + [
    Clause(clause.side, clause.part, clause.direction, clause.degree, (relation,))
    for clause in MEASURED
    for relation in _RELATIONS.get(clause.part, ())
]
MASCULINE = "हाथ|पैर|घुटना|पंजा|कंधा|तलवा"
FEMININE = "ओर|कोहनी|हथेली"


def lying(body: Body) -> Pose:
    return Pose(on_back(body), np.ones(20))


poses = st.one_of(bodies.map(Body.pose), bodies.map(lying))
any_pairs = st.one_of(pairs, st.builds(PosePair, poses, poses))


def told_once(clauses: list[Clause]) -> tuple[Clause, ...]:
    """Return the clauses without those that repeat or contradict an earlier clause about the same side."""
    plan: list[Clause] = []
    for clause in clauses:
        same = (c for c in plan if c.part is clause.part and clause.direction in {c.direction, c.direction.reverse})
        if not any(set(c.side.each) & set(clause.side.each) for c in same):
            plan.append(clause)
    return tuple(plan)


plans = st.lists(st.sampled_from(CLAUSES), min_size=1, max_size=8).map(told_once)


def keys(table: object) -> object:
    return {key: keys(value) for key, value in table.items()} if isinstance(table, dict) else None


def phrases(table: object) -> Iterator[str]:
    if isinstance(table, str):
        yield table
    elif isinstance(table, Mapping | Sequence):
        for value in table.values() if isinstance(table, Mapping) else table:
            yield from phrases(value)


def blanks(phrase: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(phrase) if name is not None}


@pytest.fixture(params=LANGUAGES)
def words(request: pytest.FixtureRequest) -> SpeechWords:
    return speech_words(request.param)


def test_every_language_words_the_same_movements_ends_and_shapes() -> None:
    # The forms of left and right are a language's own.
    tables = [keys({k: v for k, v in vars(speech_words(code)).items() if k != "sides"}) for code in LANGUAGES]
    assert all(table == tables[0] for table in tables)
    assert all(set(speech_words(code).sides) == {"left", "right"} for code in LANGUAGES)


def test_every_blank_of_a_movement_is_known_and_every_form_of_a_side_has_both(words: SpeechWords) -> None:
    left, right = (words.side_blanks(side.value, side.mirrored.value) for side in (Side.LEFT, Side.RIGHT))
    assert left.keys() == right.keys()
    assert {blank for phrase in phrases(words.say) for blank in blanks(phrase)} <= {"part", "ends", "degree", *left}
    assert {blank for phrase in phrases(words.shapes) for blank in blanks(phrase)} <= {"ends", *left}
    assert not any(blanks(phrase) for table in (words.parts, words.ends, words.tails) for phrase in phrases(table))
    assert (blanks(words.tail), blanks(words.fine), blanks(words.watch)) == ({"tail"}, {"steps"}, {"advice"})
    assert blanks(words.unseen) == {"part", "them"}


def test_every_shape_of_the_table_is_worded_on_each_side_that_can_hold_it(words: SpeechWords) -> None:
    assert {shape.name for shape in SHAPES} <= set(words.shapes)
    for shape in SHAPES:
        for side in shape.sides:
            movement = Movement(shape.name, "shape", side)
            assert_well_formed(phrase_of(movement, words), movement)


def test_every_end_of_a_limb_is_worded(words: SpeechWords) -> None:
    tables = (ARM_WAYS, HAND_PLACES, HAND_HEIGHTS, ELBOWS, KNEES, THIGHS, KNEE_HEIGHTS, SOLE_PLACES)
    assert {end for table in tables for end in table} <= set(words.ends)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("side", [Side.LEFT, Side.RIGHT, Side.BOTH])
@pytest.mark.parametrize("part", ["arm", "forearm", "leg"])
def test_a_limb_that_nobody_saw_is_named(code: str, side: Side, part: str) -> None:
    step = TrainerStep(StepKind.UNSEEN, Movement("unseen", part, side))
    assert speech_words(code).unseen_parts[part][side.value] in str(step_text(step, code))


@settings(max_examples=100, deadline=None)
@given(plans, any_pairs)
def test_whatever_moves_is_worded_in_every_language(plan: tuple[Clause, ...], pair: PosePair) -> None:
    for movement, _ in movements(plan, Facts(pair)):
        for code in LANGUAGES:
            assert_well_formed(phrase_of(movement, speech_words(code)), movement)


@pytest.mark.parametrize("part", Part)
def test_each_measured_change_alone_is_worded_in_every_language(part: Part) -> None:
    reaching = Body(pitch=40, left_arm=Arm(lift=120, bend=90), left_leg=Leg(lift=70, bend=90)).pose()
    lies = lying(Body(right_leg=Leg(lift=60)))
    clauses = [clause for clause in MEASURED if clause.part is part and clause.degree is Degree.PLAIN]
    every_facts = [Facts(PosePair(Body().pose(), reaching)), Facts(PosePair(lies, lies))]
    for clause, facts in nonempty(product(clauses, every_facts)):
        for movement, _ in movements([clause], facts):
            for code, degree in product(LANGUAGES, Degree):
                of_degree = replace(movement, degree=degree)
                assert_well_formed(phrase_of(of_degree, speech_words(code)), of_degree)


def assert_well_formed(phrase: str | None, movement: Movement) -> None:
    assert phrase, movement
    assert not re.search(r"[{}]|\s{2}|^[\s,]|\s[,.।]|[,\s]$", phrase), (movement, phrase)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.builds(Clause, st.sampled_from(Side), st.sampled_from(Part), st.sampled_from(Direction)), max_size=8),
    pairs,
)
def test_what_only_a_captioner_says_is_said_or_left_out(plan: list[Clause], pair: PosePair) -> None:
    plan = [c for c in plan if c.direction is not Direction.UNSEEN and (c.side is Side.NONE or c.part.sided)]
    for code in nonempty(LANGUAGES):
        assert "{" not in speak(tuple(plan), pair, code).text


@settings(max_examples=60, deadline=None)
@given(any_pairs, st.one_of(st.none(), st.integers(0, 9)))
def test_hindi_agrees_and_does_not_begin_with_apne(pair: PosePair, seed: int | None) -> None:
    text = speak(make_plan(pair), pair, "hi", seed).text
    assert not re.search(r"(^|।\s*)अपन[ाेी]\s", text)
    assert_agrees(text)


def test_every_hindi_phrase_agrees_on_either_side() -> None:
    words = speech_words("hi")
    for side in (Side.LEFT, Side.RIGHT):
        sides = words.side_blanks(side.value, side.mirrored.value)
        for phrase in nonempty([*phrases(words.say), *phrases(words.shapes)]):
            assert not phrase.startswith("अपन")
            assert_agrees(phrase.format(part="", ends="", degree="", **sides))
    for phrase in nonempty(phrases(words.parts)):
        assert_agrees(phrase)


def assert_agrees(text: str) -> None:
    """Raise if left or right stands before a noun of another gender, or before one that a postposition follows."""
    for form, nouns, case in (
        ("[बद]ायाँ", MASCULINE, "direct"),
        ("[बद]ा[एई]ं", FEMININE, ""),
        ("[बद]ाएँ", MASCULINE, "oblique"),
    ):
        for noun, then in re.findall(rf"(?<!\S){form} (\S+?)[।,;:]?(?:\s+(\S+)|$)", text):
            assert re.fullmatch(nouns.replace("ना", "न[ाे]"), noun), (form, noun, text)
            followed = then in {"का", "के", "की", "को", "पर", "में", "से"}
            assert not case or followed == (case == "oblique"), (form, noun, then, text)


@pytest.mark.parametrize(
    ("text", "stiff"),
    [
        ("अपने दाहिने हाथ को ऊपर ले जाएं।", False),
        ("घुटने मोड़िए, जब तक जाँघें ज़मीन के बराबर न आ जाएँ।", False),
        ("एक क़दम पीछे जाएँ।", False),
        ("आपका बायाँ पैर आगे है।", True),
        ("बायाँ पैर आगे होना चाहिए।", True),
        ("दोनों हाथ ऊपर उठाए जाएँ।", True),
        ("घुटने मोड़ें, जैसे कि कुर्सी पर।", True),
        ("फिर सीधे हो जाएँ।", True),
    ],
)
def test_passives_statements_and_comparisons_are_stiff_hindi(text: str, stiff: bool) -> None:  # noqa: FBT001
    assert speech_words("hi").is_stiff(text) is stiff
