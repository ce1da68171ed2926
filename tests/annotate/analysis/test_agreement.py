from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from annotate.analysis.agreement import (
    KAPPA_WORDS,
    Counts,
    agreements,
    fleiss_kappa,
    kappa_word,
    krippendorff_alpha,
    reading,
)
from annotate.analysis.frames import frames
from annotate.analysis.report_strings import words
from annotate.campaigns.campaign import Campaign
from annotate.records.events import Event
from tests.annotate.votes import campaign, rating, vote

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
    return agreements(tables.votes, tables.ratings).set_index("about")


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
