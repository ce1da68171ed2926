from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from annotate.analysis.bradley_terry import log_strengths, strengths
from annotate.analysis.votes import Question
from tests.annotate.votes import cast
from tests.nonempty import nonempty

# Agresti, Categorical Data Analysis (2002), Table 10.10: wins of row over column, American League baseball 1987.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
BASEBALL = """
    0 7 9 7 7 9 11
    6 0 7 5 11 9 9
    4 6 0 7 7 8 12
    6 8 6 0 6 7 10
    6 2 6 7 0 7 12
    4 4 5 6 6 0 6
    2 4 1 3 1 7 0
"""
ABILITIES = {"Boston": 1.1077, "Cleveland": 0.6839, "Detroit": 1.4364, "Milwaukee": 1.5814, "New York": 1.2476}

# Stigler (1994), citations among Biometrika, Communications in Statistics, JASA and JRSS-B; a journal beats those that
# cite it. Row: cited, column: citing, the diagonal left out.
CITATIONS = """
    0 730 498 221
    33 0 68 17
    320 813 0 142
    284 276 325 0
"""
PAIR = ("a", "b")


def wins(table: str) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([[float(number) for number in line.split()] for line in table.split("\n") if line.strip()])


def votes(*best: tuple[str, ...], shown: tuple[str, ...] = PAIR, people: int = 4) -> pd.DataFrame:
    return cast(*((f"p{number % people}", shown, one) for number, one in enumerate(best)))


def strengths_of(answers: pd.DataFrame, question: Question = "relevant") -> pd.DataFrame:
    return strengths(answers, question).set_index("model")


def test_abilities_of_agrestis_baseball_teams() -> None:
    abilities = log_strengths(wins(BASEBALL), prior=0)
    beside_baltimore = dict(zip(TEAMS, abilities - abilities[-1], strict=True))
    for team, ability in ABILITIES.items():
        assert beside_baltimore[team] == pytest.approx(ability, abs=1e-4)


def test_abilities_of_the_statistics_journals() -> None:
    abilities = log_strengths(wins(CITATIONS), prior=0)
    assert abilities[1:] - abilities[0] == pytest.approx([-2.94907, -0.47957, 0.26895], abs=1e-4)


def test_many_tables_at_once_give_what_each_gives_alone() -> None:
    tables = np.stack([wins(CITATIONS), 10 * np.eye(4)[::-1], np.zeros((4, 4))])
    together = log_strengths(tables)
    for table, alone in nonempty(zip(tables, together, strict=True)):
        assert alone == pytest.approx(log_strengths(table), abs=1e-8)


def test_a_tie_is_half_a_win_for_each() -> None:
    values = strengths_of(votes(*[("a",)] * 3, ("b",), PAIR, PAIR))["value"]
    as_wins = log_strengths(np.array([[0.0, 4.0], [2.0, 0.0]]))
    odds = values["a"] / values["b"]
    assert odds == pytest.approx(np.exp(as_wins[0] - as_wins[1]))
    assert 1.5 < odds < 2  # a little nearer to even than 4 to 2


def test_a_model_that_was_never_beaten_stays_finite() -> None:
    values = strengths_of(votes(*[("a",)] * 400))["value"]
    assert 0.9 < values["a"] < 1
    assert values["b"] > 0
    assert values.sum() == pytest.approx(1)


def test_all_tied_is_all_equal() -> None:
    shown = ("a", "b", "c")
    assert strengths_of(votes(shown, shown, shown, shown=shown), "fluent")["value"].tolist() == pytest.approx(
        [1 / 3] * 3
    )


def test_the_best_of_three_beat_both_others_which_did_not_meet() -> None:
    values = strengths_of(votes(*[("a",)] * 6, *[("b",)] * 2, shown=("a", "b", "c")))["value"]
    assert values["a"] > values["b"] > values["c"]


def test_models_that_never_met_are_measured_by_those_whom_both_met() -> None:
    answers = cast(*[("p", ("a", "b"), ("a",))] * 3, *[("q", ("b", "c"), ("b",))] * 3)
    values = strengths_of(answers)["value"]
    assert values["a"] > values["b"] > values["c"]


def test_strengths_come_with_intervals_over_annotators() -> None:
    rng = np.random.default_rng(1)
    answers = votes(*[(PAIR[int(rng.random() < 0.3)],) for _ in range(200)], people=20)
    for one in strengths_of(answers).itertuples():
        assert 0 < one.low < one.value < one.high < 1
    assert strengths_of(votes(("a",), people=1))[["low", "high"]].isna().all(axis=None)


def test_strengths_that_made_the_votes_are_found_again() -> None:
    rng, truth = np.random.default_rng(5), np.array([0.5, 0.3, 0.2])
    shown = ("a", "b", "c")
    answers = votes(*[(shown[n],) for n in rng.choice(3, size=3000, p=truth)], shown=shown, people=30)
    again = strengths_of(answers)
    assert again["value"].tolist() == pytest.approx(truth, abs=0.03)
    assert again["low"].notna().all()
