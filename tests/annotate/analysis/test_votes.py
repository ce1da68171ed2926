from __future__ import annotations

import numpy as np
import pytest

from annotate.analysis.votes import Ballot, Ballots, ballots, shares
from tests.annotate.votes import campaign, vote

MODELS = ("L-only", "V-only", "V.L")


def test_shares_are_those_of_the_votes_as_in_the_papers_table() -> None:
    chosen = ["V.L"] * 48 + ["L-only"] * 15 + ["V-only"] * 4 + [""] * 33
    given = [vote(f"p{number % 10}", f"item{number // 10}", relevant=model) for number, model in enumerate(chosen)]
    found = shares(ballots(given, campaign(items=10), "en"), "relevant")
    assert {model: share.value for model, share in found.of.items()} == {"L-only": 0.15, "V-only": 0.04, "V.L": 0.48}
    assert found.tied.value == 0.33
    for share in (*found.of.values(), found.tied):
        assert share.interval is not None
        assert 0 <= share.interval[0] <= share.value <= share.interval[1] <= 1


def test_relevance_and_fluency_are_counted_apart() -> None:
    votes = ballots([vote("p", "item0", relevant="V.L", fluent="L-only")], campaign(), "en")
    assert shares(votes, "relevant").of["V.L"].value == 1
    assert shares(votes, "fluent").of["L-only"].value == 1
    assert shares(votes, "fluent").of["V.L"].interval is None  # one person


def test_languages_are_counted_apart() -> None:
    given = [vote("p", "item0", relevant="V.L"), vote("p", "item0", relevant="L-only", language="hi")]
    found = [shares(ballots(given, campaign(), language), "relevant").of["V.L"].value for language in ("en", "hi")]
    assert found == [1, 0]


def test_a_vote_for_texts_that_read_alike_is_divided() -> None:
    ballot = Ballot("p", "item0", MODELS, relevant=("L-only", "V.L"), fluent=MODELS)
    found = shares(Ballots("en", (ballot,), MODELS, ("p",), 0, 0), "relevant")
    assert [share.value for share in found.of.values()] == [0.5, 0, 0.5]
    assert found.tied.value == 0


def test_a_model_that_was_shown_less_often_is_measured_by_what_it_could_get() -> None:
    both = Ballot("p", "item0", ("L-only", "V.L"), ("V.L",), ("V.L",))
    other = Ballot("q", "item1", ("L-only", "V-only"), ("V-only",), ("L-only",))
    found = shares(Ballots("en", (both, other), MODELS, ("p", "q"), 0, 0), "relevant")
    assert {model: share.value for model, share in found.of.items()} == {"L-only": 0, "V-only": 1, "V.L": 1}


def test_items_whose_texts_all_read_alike_count_as_tied_though_nobody_was_asked() -> None:
    given = [vote(f"p{person}", "item0", relevant="V.L") for person in range(3)]
    votes = ballots(given, campaign(items=2, voices=3, alike=1), "en")
    found = shares(votes, "relevant")
    assert (votes.votes, votes.tied_items, votes.annotators) == (3, 1, ("p0", "p1", "p2"))
    assert (found.of["V.L"].value, found.tied.value) == (0.5, 0.5)


def test_gold_items_and_texts_that_the_campaign_lacks_are_no_votes() -> None:
    given = [vote("p", "gold", relevant="V.L"), vote("p", "gone", relevant="V.L")]
    votes = ballots(given, campaign(gold=True), "en")
    assert (votes.cast, votes.unknown) == ((), 1)


def test_shares_by_hand_of_two_annotators_are_the_mean_over_their_votes() -> None:
    given = [vote("busy", f"item{number}", relevant="V.L") for number in range(3)]
    given.append(vote("quick", "item0", relevant="L-only"))
    found = shares(ballots(given, campaign(items=3), "en"), "relevant")
    assert found.of["V.L"].value == pytest.approx(3 / 4)
    assert found.of["V.L"].interval == (0, 1)  # either person may be drawn alone


def test_the_truth_lies_within_the_intervals_about_as_often_as_promised() -> None:
    rng, hits, times = np.random.default_rng(3), 0, 60
    truth = dict(zip(MODELS, (0.2, 0.1, 0.5), strict=True))
    for _ in range(times):
        cast = []
        for person in range(20):
            leaning = rng.dirichlet([2.0, 1.0, 5.0, 2.0])
            for choice in rng.choice(4, size=10, p=leaning):
                best = MODELS if choice == 3 else (MODELS[choice],)
                cast.append(Ballot(f"p{person:02}", "item", MODELS, best, best))
        people = tuple(f"p{person:02}" for person in range(20))
        for model, share in shares(Ballots("en", tuple(cast), MODELS, people, 0, 0), "relevant").of.items():
            assert share.interval is not None
            hits += share.interval[0] <= truth[model] <= share.interval[1]
    assert 0.90 <= hits / (3 * times) <= 0.995
