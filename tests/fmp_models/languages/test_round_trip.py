"""What the realisers write, the reader reads back; English and Hindi say the same."""

import re

import pytest
from hypothesis import given

from fmp_models.errors import BadInputError
from fmp_models.geometry.lexicon import Clause, Direction, Part, Plan, Side
from fmp_models.geometry.planner import make_plan
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_clauses, read_plan
from fmp_models.languages.realiser import compose_text, realise
from fmp_models.pose import PosePair
from tests.bodies import pairs
from tests.plans import BOTH_TOO, SAYABLE, plans, seeds


@pytest.mark.parametrize("code", LANGUAGES)
@given(plan=plans, seed=seeds)
def test_a_text_reads_back_as_its_plan(code: str, plan: Plan, seed: int | None) -> None:
    words = grammar(code)
    assert read_plan(compose_text(realise(plan, words, seed), words, seed), words) == plan


@given(pairs, seeds)
def test_both_languages_mean_the_same_of_a_pair(pair: PosePair, seed: int | None) -> None:
    plan = make_plan(pair)
    meant = {
        code: read_plan(compose_text(realise(plan, grammar(code), seed), grammar(code), seed), grammar(code))
        for code in LANGUAGES
    }
    assert meant["en"] == meant["hi"] == plan


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("clause", [Clause(side, part, way) for side, part, way in [*SAYABLE, *BOTH_TOO]], ids=str)
def test_every_movement_has_at_least_three_wordings(code: str, clause: Clause) -> None:
    words = grammar(code)
    assert len({compose_text(realise((clause,), words, seed), words, seed) for seed in range(60)}) >= 3


@pytest.mark.parametrize("code", LANGUAGES)
@given(plan=plans, seed=seeds)
def test_the_same_seed_gives_the_same_text(code: str, plan: Plan, seed: int | None) -> None:
    words = grammar(code)
    assert realise(plan, words, seed) == realise(plan, words, seed)
    assert compose_text(realise(plan, words, seed), words, seed) == compose_text(
        realise(plan, words, seed), words, seed
    )


@pytest.mark.parametrize("code", LANGUAGES)
@given(plan=plans)
def test_every_clause_is_said_as_one_sentence_without_a_seed(code: str, plan: Plan) -> None:
    words = grammar(code)
    text = compose_text(realise(plan, words), words)
    assert text.count(words.stop) == len(plan)
    assert "  " not in text
    assert "{" not in text


def test_hindi_is_written_in_devanagari_and_english_is_not() -> None:
    plan = (Clause(Side.LEFT, Part.KNEE, Direction.BEND),)
    assert compose_text(realise(plan, grammar("en")), grammar("en")) == "Bend your left knee."
    assert compose_text(realise(plan, grammar("hi")), grammar("hi")) == "अपने बाएं घुटने को मोड़ें।"


@given(pairs, seeds)
def test_the_english_of_the_mirrored_pair_exchanges_left_and_right(pair: PosePair, seed: int | None) -> None:
    words = grammar("en")

    def text(of: PosePair) -> str:
        return compose_text(realise(make_plan(of), words, seed), words, seed)

    other = {"left": "right", "right": "left"}
    exchanged = re.sub(r"\b(left|right)\b(?! angle)", lambda match: other[match[0]], text(pair))
    assert text(pair.mirrored) == exchanged


@pytest.mark.parametrize("code", LANGUAGES)
def test_an_empty_plan_is_one_clear_sentence(code: str) -> None:
    text = compose_text((), grammar(code))
    assert text
    assert read_plan(text, grammar(code)) == ()


@pytest.mark.parametrize("code", ["fr", "", "EN", "../en", "en\0"])
def test_an_unknown_language_is_refused(code: str) -> None:
    with pytest.raises(BadInputError, match="one of: en, hi"):
        grammar(code)


@pytest.mark.parametrize(
    "text", ["Bend your left knee a bit less", "Flex both elbows less", "Bend your right knee less"]
)
def test_a_clause_that_takes_a_bend_back_is_shown_with_the_word_that_does(text: str) -> None:
    (found,) = read_clauses(f"{text}, then lower your head.", grammar("en"))[:1]
    assert (found.text, found.goal.direction) == (text, Direction.STRAIGHTEN)
