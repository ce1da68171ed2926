"""Statistics of answers: frames, intervals, shares, strengths, accuracy and agreement."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from annotate.analysis.statistics import (
    KAPPA_WORDS,
    NOBODY,
    RESAMPLES,
    TIED,
    Counts,
    Question,
    accuracies,
    agreements,
    estimates,
    fleiss_kappa,
    frames,
    kappa_word,
    krippendorff_alpha,
    log_strengths,
    reading,
    resampled,
    share_estimates,
    shares,
    strengths,
)
from annotate.analysis.strings import words
from annotate.campaigns.campaign import Campaign
from annotate.records import Event, Flag, new_event
from tests.annotate.votes import MODELS, NAME, campaign, cast, choice, description, rating, vote
from tests.nonempty import nonempty
from tests.thoroughness import one_of


def test_a_vote_has_a_row_for_each_model_that_it_was_shown() -> None:
    votes = frames([vote("p", "item0", relevant="V.L"), vote("q", "item1", relevant="")], campaign()).votes
    assert votes["model"].tolist() == [*MODELS, *MODELS]
    assert votes["annotator"].tolist() == ["p"] * 3 + ["q"] * 3
    assert votes["relevant"].tolist() == [0, 0, 1, *[1 / 3] * 3]
    assert votes["relevant_tied"].tolist() == [False] * 3 + [True] * 3
    assert votes["fluent_tied"].all()


def test_votes_of_one_language_are_numbered_apart_from_those_of_another() -> None:
    answers = [vote("p", "item0", relevant="V.L", language="hi"), vote("p", "item0", relevant="L-only")]
    votes = frames(answers, campaign()).votes
    assert votes["language"].tolist() == ["en"] * 3 + ["hi"] * 3  # the campaign's order
    assert votes.loc[votes["relevant"] == 1, "model"].tolist() == ["L-only", "V.L"]


def test_an_item_whose_texts_read_alike_has_the_voices_that_it_wants_of_nobody() -> None:
    votes = frames([vote("p", "item0", relevant="V.L")], campaign(items=2, voices=3, alike=1)).votes
    nobodys = votes[votes["annotator"] == NOBODY]
    assert (nobodys["item"].unique().tolist(), nobodys["vote"].nunique()) == (["item1"], 3)
    assert nobodys["relevant_tied"].all()
    assert frames([], campaign(items=2, alike=1)).votes.empty


def test_gold_items_and_texts_that_the_campaign_lacks_are_no_votes_ratings_or_choices() -> None:
    answers = [
        vote("p", "gold", relevant="V.L"),
        vote("p", "gone", relevant="V.L"),
        rating("p", "gold", "V.L", 4),
        choice("p", "gold", 0),
        choice("p", "gone", 0),
    ]
    tables = frames(answers, campaign(gold=True))
    assert tables.answers["gold"].tolist() == [True, False, True, True, False]
    assert tables.votes.empty
    assert tables.ratings.empty
    assert tables.choices.empty


def test_a_target_that_was_seen_before_is_no_choice() -> None:
    seen, unseen = choice("p", "item0", 0), choice("q", "item0", 3)
    flag = new_event(Flag("target_seen", of=seen.id), annotator="p", campaign=NAME, item="item0", language="en")
    choices = frames([seen, unseen, flag], campaign()).choices
    assert choices[["annotator", "correct", "chance"]].to_numpy().tolist() == [["q", False, 0.1]]


def test_texts_have_their_authors_and_what_became_of_them() -> None:
    written = description("writer", "item0")
    answers = [written, *(rating(f"p{person}", "item0", written.id, 4) for person in range(3))]
    texts = frames(answers, campaign()).texts.set_index("text")
    assert texts.loc[written.id, ["author", "status"]].tolist() == ["writer", "accepted"]
    assert (texts["author"] == "").sum() == len(texts) - 1  # the campaign's own


def covered(people: int, times: int, seed: int) -> float:
    """How often the interval of a share holds the truth, for people who each differ and answer twenty times."""
    rng, truth, hits = np.random.default_rng(seed), 0.4, 0
    for _ in range(times):
        inclined = rng.beta(4 * truth, 4 * (1 - truth), size=people)  # each has a leaning of their own
        totals = np.stack([rng.binomial(20, inclined), np.full(people, 20)], axis=1).astype(np.float64)
        drawn = resampled(totals, seed=int(rng.integers(2**31)))
        table = estimates(totals[:, :1].sum(axis=0) / totals[:, 1].sum(), drawn[:, :1] / drawn[:, 1:], people)
        hits += int(table["low"].item() <= truth <= table["high"].item())
    return hits / times


@pytest.mark.parametrize("people", one_of([8, 40]))
def test_intervals_hold_the_truth_as_often_as_they_say(people: int) -> None:
    # Of 400 simulations 95 % give 380; the standard deviation of that is 4.4.
    assert 0.92 <= covered(people, times=400, seed=7) <= 0.98


def test_answers_of_one_person_are_not_taken_for_many() -> None:
    of_many = np.tile([[10.0, 20.0], [0.0, 20.0]], (20, 1))  # forty people of two leanings
    of_few = np.array([[200.0, 400.0], [0.0, 400.0]])  # the same answers by two
    widths = []
    for totals in (of_many, of_few):
        drawn = resampled(totals)
        table = estimates(np.array([0.25]), drawn[:, :1] / drawn[:, 1:], len(totals))
        widths.append(table["high"].item() - table["low"].item())
    assert widths[1] > 2 * widths[0]


def test_one_person_has_no_interval() -> None:
    totals = np.array([[3.0, 4.0]])
    table = estimates(np.array([0.75]), resampled(totals)[:, :1] / 4, 1)
    assert table["value"].tolist() == [0.75]
    assert table[["low", "high"]].isna().all(axis=None)


def test_people_who_all_agree_may_still_be_followed_by_others_who_do_not() -> None:
    drawn = np.tile([0.0, 1.0, 0.5], (RESAMPLES, 1))
    none, everyone, half = share_estimates(np.array([0.0, 1.0, 0.5]), drawn, 10)[["low", "high"]].to_numpy()
    # Of ten people none: the exact bound is 1 - 0.025 ** (1 / 10).
    assert none == pytest.approx((0, 0.3085), abs=1e-4)
    assert everyone == pytest.approx((0.6915, 1), abs=1e-4)
    assert np.isnan(half).all()
    assert estimates(np.array([0.0]), drawn[:, :1], 10)["low"].isna().all()
    assert share_estimates(np.array([0.0]), drawn[:, :1], 1)["low"].isna().all()


def test_the_same_seed_draws_the_same_people() -> None:
    totals = np.random.default_rng(0).random((7, 3, 2))
    assert resampled(totals, 5).shape == (RESAMPLES, 3, 2)
    assert np.array_equal(resampled(totals, 5), resampled(totals, 5))
    assert not np.array_equal(resampled(totals, 5), resampled(totals, 6))


def test_many_people_are_drawn_in_parts() -> None:
    totals = np.ones((5000, 1))  # more draws than are held at a time
    assert np.array_equal(resampled(totals), np.full((RESAMPLES, 1), 5000.0))


SHOWN = ("L-only", "V-only", "V.L")
BEST = (*((model,) for model in SHOWN), SHOWN)  # one of them, or a tie


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
    of = shares_of(cast(("p", SHOWN, ("L-only", "V.L"))))
    assert of["value"].to_dict() == {"L-only": 0.5, "V-only": 0, "V.L": 0.5, TIED: 0}


def test_a_model_that_was_shown_less_often_is_measured_by_what_it_could_get() -> None:
    of = shares_of(cast(("p", ("L-only", "V.L"), ("V.L",)), ("q", ("L-only", "V-only"), ("V-only",))))
    assert of["value"].to_dict() == {"L-only": 0, "V-only": 1, "V.L": 1, TIED: 0}


def test_items_whose_texts_all_read_alike_count_as_tied_though_nobody_was_asked() -> None:
    answers = [vote(f"p{person}", "item0", relevant="V.L") for person in range(3)]
    of = shares_of(frames(answers, campaign(items=2, voices=3, alike=1)).votes)
    assert (of["value"]["V.L"], of["value"][TIED]) == (0.5, 0.5)


def test_shares_by_hand_of_two_annotators_are_the_mean_over_their_votes() -> None:
    of = shares_of(cast(*[("busy", SHOWN, ("V.L",))] * 3, ("quick", SHOWN, ("L-only",))))
    assert of["value"]["V.L"] == pytest.approx(3 / 4)
    assert of.loc["V.L", ["low", "high"]].tolist() == [0, 1]  # either person may be drawn alone


def test_the_truth_lies_within_the_intervals_about_as_often_as_promised() -> None:
    rng, hits, times = np.random.default_rng(3), 0, 60
    truth = dict(zip(SHOWN, (0.2, 0.1, 0.5), strict=True))
    for _ in range(times):
        answers = []
        for person in range(20):
            leaning = rng.dirichlet([2.0, 1.0, 5.0, 2.0])
            choices = rng.choice(4, size=10, p=leaning)
            answers += [(f"p{person:02}", SHOWN, BEST[choice]) for choice in choices]
        of = shares_of(cast(*answers))
        hits += sum(of["low"][model] <= truth[model] <= of["high"][model] for model in SHOWN)
    assert 0.90 <= hits / (3 * times) <= 0.995


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
    assert {team: beside_baltimore[team] for team in ABILITIES} == pytest.approx(ABILITIES, abs=1e-4)


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


def test_accuracy_of_each_mode_stands_beside_the_papers() -> None:
    answers = [
        *(choice(f"p{n % 4}", f"item{n}", 0 if n else 3) for n in range(25)),
        *(choice(f"p{n % 4}", f"item{n}", 0 if n < 10 else 5, "language") for n in range(25)),
        *(choice(f"p{n % 4}", f"item{n}", 0 if n < 5 else 5, "picture") for n in range(25)),
        choice("p0", "item0", 0, language="hi"),
    ]
    own_campaign = campaign(items=25)
    table = accuracies(frames(answers, own_campaign).choices, own_campaign.languages)
    assert table[["language", "mode", "value"]].to_numpy().tolist() == [
        ["en", "everything", 0.96],
        ["en", "language", 0.4],
        ["en", "picture", 0.2],
        ["hi", "everything", 1],
    ]
    assert table["paper"].tolist() == [0.96, 0.38, 0.22, 0.96]
    assert table[["choices", "annotators"]].to_numpy().tolist() == [[25, 4], [25, 4], [25, 4], [1, 1]]
    first, *_, last = table.itertuples()
    assert first.low <= 0.96 <= first.high
    assert np.isnan(last.low)
    assert first.chance == pytest.approx(0.1)


def test_nothing_is_said_of_modes_and_languages_in_which_nobody_chose() -> None:
    own_campaign = campaign()
    assert accuracies(frames([], own_campaign).choices, own_campaign.languages).empty
    answers = frames([choice("p", "item0", 3, language="fr")], own_campaign).choices
    assert accuracies(answers, own_campaign.languages).empty


# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section C: four observers, twelve units.
OBSERVERS = """
    1 2 3 3 2 1 4 1 2 * * *
    1 2 3 3 2 2 4 1 2 5 * 3
    * 3 3 3 2 3 4 2 2 5 1 *
    1 2 3 3 2 4 4 1 2 5 1 *
"""
# Fleiss (1971), Table 1: six psychiatrists' diagnoses of thirty patients, in five categories.
DIAGNOSES = """
    00060 03003 01401 00006 03030 20400 00402 20310 20040 00006
    10050 11040 03300 10050 02031 00501 30012 51000 02040 10203
    00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
# The example of many textbooks: fourteen raters, ten subjects, five categories.
FOURTEEN_RATERS = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]


def table(rows: object) -> Counts:
    return np.array(rows, dtype=np.int64)


def observed() -> Counts:
    units = zip(*(line.split() for line in OBSERVERS.split("\n") if line.strip()), strict=True)
    return table([[unit.count(str(value)) for value in range(1, 6)] for unit in units])


def diagnosed() -> Counts:
    return table([[int(count) for count in patient] for patient in DIAGNOSES.split()])


def test_alpha_of_krippendorffs_own_example() -> None:
    assert krippendorff_alpha(observed(), "nominal") == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(observed(), "ordinal") == pytest.approx(0.815, abs=5e-4)


def test_alpha_of_two_observers_of_ten_units() -> None:
    # Section A of the same paper: binary data of two observers, alpha 0.095.
    pairs = zip("0100000010", "1110010000", strict=True)
    assert krippendorff_alpha(
        table([[pair.count("0"), pair.count("1")] for pair in pairs]), "nominal"
    ) == pytest.approx(0.095, abs=5e-4)


def test_kappa_of_fleiss_own_example() -> None:
    assert diagnosed().sum(axis=0).tolist() == [26, 26, 30, 55, 43]
    assert fleiss_kappa(diagnosed()) == pytest.approx(0.430, abs=5e-4)


def test_kappa_of_the_textbook_example() -> None:
    assert fleiss_kappa(table(FOURTEEN_RATERS)) == pytest.approx(0.210, abs=5e-4)


def test_a_unit_with_one_answer_changes_nothing() -> None:
    alone = np.vstack([diagnosed(), table([[1, 0, 0, 0, 0]])])
    assert fleiss_kappa(alone) == fleiss_kappa(diagnosed())
    assert krippendorff_alpha(alone, "nominal") == krippendorff_alpha(diagnosed(), "nominal")


def test_perfect_agreement_is_one_and_systematic_disagreement_below_zero() -> None:
    same, different = table([[3, 0], [0, 3], [3, 0]]), table([[1, 1], [1, 1], [1, 1]])
    assert (krippendorff_alpha(same, "nominal"), fleiss_kappa(same)) == (1, 1)
    assert (krippendorff_alpha(different, "nominal") or 0) < 0
    assert fleiss_kappa(different) == -1


@pytest.mark.parametrize("counts", [[[3, 0], [3, 0]], [[1, 0], [0, 1]], [[0, 0]]])
def test_where_nothing_can_be_compared_there_is_no_coefficient_and_no_warning(counts: list[list[int]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert krippendorff_alpha(table(counts), "ordinal") is None
        assert fleiss_kappa(table(counts)) is None


@pytest.mark.parametrize(
    ("alpha", "words_key"),
    [(None, "unknown"), (-0.2, "chance"), (0, "chance"), (0.5, "unreliable"), (0.7, "tentative"), (0.8, "reliable")],
)
def test_alpha_is_read_in_krippendorffs_words(alpha: float | None, words_key: str) -> None:
    assert reading(alpha) == words_key
    assert words()(f"results.reading_{words_key}")


def test_kappa_is_read_in_landis_and_kochs_words() -> None:
    assert [kappa_word(kappa) for kappa in (None, -0.1, 0.1, 0.3, 0.5, 0.7, 0.9)] == [
        "",
        "poor",
        *(words_key for _, words_key in KAPPA_WORDS[::-1]),
    ]


def agreed(answers: list[Event], voted_campaign: Campaign) -> pd.DataFrame:
    tables = frames(answers, voted_campaign)
    return agreements(tables.votes, tables.ratings, tables.judged).set_index("about")


def test_votes_and_ratings_of_the_same_things_are_compared() -> None:
    voted_campaign = campaign(items=3)
    answers = [
        *(vote(f"p{person}", f"item{item}", relevant="V.L") for person in range(3) for item in range(2)),
        vote("p0", "item2", relevant="L-only"),
        vote("p1", "item2", relevant=""),
        *(rating(f"p{person}", "item0", "V.L", score) for person, score in enumerate((4, 4, 3))),
        *(rating(f"p{person}", "item1", "V.L", score) for person, score in enumerate((1, 1, 2))),
        rating("p0", "item2", "V.L", 4),
    ]
    agreement = agreed(answers, voted_campaign)
    relevant, rated = agreement.loc["relevant"], agreement.loc["rating"]
    assert (relevant.level, relevant.units, relevant.answers) == ("nominal", 3, 8)
    assert relevant.same == pytest.approx(2 / 3)
    assert (rated.level, rated.units, rated.answers) == ("ordinal", 2, 6)
    assert rated.alpha > rated.kappa  # near misses count for something
    assert (np.isnan(agreement.loc["fluent"].alpha), agreement.loc["fluent"].reading) == (True, "unknown")


def test_ties_agree_in_whatever_order_the_texts_stood() -> None:
    voted_campaign = campaign(items=3)
    answers = [vote(f"p{person}", f"item{item}", relevant="") for person in range(3) for item in range(2)]
    answers += [vote(f"p{person}", "item2", relevant="V.L") for person in range(3)]
    turned = [
        replace(
            event,
            payload=replace(event.payload, relevant=event.payload.relevant[::-1], shown=event.payload.shown[::-1]),
        )
        if event.annotator.endswith("1")
        else event
        for event in answers
    ]
    agreement = agreed(turned, voted_campaign)
    assert agreement.loc["relevant", ["same", "alpha"]].tolist() == [1, 1]


def test_gold_items_are_no_part_of_it() -> None:
    voted_campaign = campaign(items=2, gold=True)
    answers = [rating(f"p{person}", "gold", "V.L", 1 + 3 * person) for person in range(2)]
    assert agreed(answers, voted_campaign).empty
