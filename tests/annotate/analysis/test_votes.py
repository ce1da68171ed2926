from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from annotate.analysis.frames import frames
from annotate.analysis.votes import TIED, Question, shares
from tests.annotate.votes import campaign, cast, vote

MODELS = ("L-only", "V-only", "V.L")
BEST = (*((model,) for model in MODELS), MODELS)  # one of them, or a tie


def shares_of(votes: pd.DataFrame, question: Question = "relevant") -> pd.DataFrame:
    return shares(votes, question).set_index("model")


def test_shares_are_those_of_the_votes_as_in_the_papers_table() -> None:
    chosen = ["V.L"] * 48 + ["L-only"] * 15 + ["V-only"] * 4 + [""] * 33
    answers = [vote(f"p{number % 10}", f"item{number // 10}", relevant=model) for number, model in enumerate(chosen)]
    of = shares_of(frames(answers, campaign(items=10)).votes)
    assert of["value"].to_dict() == {"L-only": 0.15, "V-only": 0.04, "V.L": 0.48, TIED: 0.33}
    assert ((of["low"] >= 0) & (of["low"] <= of["value"]) & (of["value"] <= of["high"]) & (of["high"] <= 1)).all()


def test_relevance_and_fluency_are_counted_apart() -> None:
    votes = frames([vote("p", "item0", relevant="V.L", fluent="L-only")], campaign()).votes
    assert shares_of(votes)["value"]["V.L"] == 1
    assert shares_of(votes, "fluent")["value"]["L-only"] == 1
    assert np.isnan(shares_of(votes, "fluent")["low"]["V.L"])  # one person


def test_a_vote_for_texts_that_read_alike_is_divided() -> None:
    of = shares_of(cast(("p", MODELS, ("L-only", "V.L"))))
    assert of["value"].to_dict() == {"L-only": 0.5, "V-only": 0, "V.L": 0.5, TIED: 0}


def test_a_model_that_was_shown_less_often_is_measured_by_what_it_could_get() -> None:
    of = shares_of(cast(("p", ("L-only", "V.L"), ("V.L",)), ("q", ("L-only", "V-only"), ("V-only",))))
    assert of["value"].to_dict() == {"L-only": 0, "V-only": 1, "V.L": 1, TIED: 0}


def test_items_whose_texts_all_read_alike_count_as_tied_though_nobody_was_asked() -> None:
    answers = [vote(f"p{person}", "item0", relevant="V.L") for person in range(3)]
    of = shares_of(frames(answers, campaign(items=2, voices=3, alike=1)).votes)
    assert (of["value"]["V.L"], of["value"][TIED]) == (0.5, 0.5)


def test_shares_by_hand_of_two_annotators_are_the_mean_over_their_votes() -> None:
    of = shares_of(cast(*[("busy", MODELS, ("V.L",))] * 3, ("quick", MODELS, ("L-only",))))
    assert of["value"]["V.L"] == pytest.approx(3 / 4)
    assert of.loc["V.L", ["low", "high"]].tolist() == [0, 1]  # either person may be drawn alone


def test_the_truth_lies_within_the_intervals_about_as_often_as_promised() -> None:
    rng, hits, times = np.random.default_rng(3), 0, 60
    truth = dict(zip(MODELS, (0.2, 0.1, 0.5), strict=True))
    for _ in range(times):
        answers = []
        for person in range(20):
            leaning = rng.dirichlet([2.0, 1.0, 5.0, 2.0])
            choices = rng.choice(4, size=10, p=leaning)
            answers += [(f"p{person:02}", MODELS, BEST[choice]) for choice in choices]
        of = shares_of(cast(*answers))
        hits += sum(of["low"][model] <= truth[model] <= of["high"][model] for model in MODELS)
    assert 0.90 <= hits / (3 * times) <= 0.995
