"""Scores on real pairs, and whether they got worse."""

from __future__ import annotations

from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from fmp_models.evaluation.real_scores import demand_comparable, regressions
from fmp_models.evaluation.stored_results import Interval, Pictures, RealResult, RealResults

PATH = Path("earlier.json")


def results(
    right: float = 0.7,
    opposite: float = 0.1,
    must: float = 0.5,
    intervals: dict[str, Interval | None] | None = None,
    model: str = "geometry",
) -> RealResults:
    one = RealResult(right, opposite, must, intervals=intervals or {}, model=model, pose="full", language="en")
    return RealResults([one], data=Pictures("mine", 10, "abc"))


EARLIER = results(intervals={"right": (0.6, 0.8), "opposite": (0.05, 0.2), "must": (0.4, 0.6)})


@pytest.mark.parametrize("now", [EARLIER, results(0.6, 0.2, 0.4), results(1.0, 0.0, 1.0)])
def test_what_lies_in_the_interval_or_is_better_is_no_regression(now: RealResults) -> None:
    assert regressions(EARLIER, now) == []


@pytest.mark.parametrize(
    ("now", "name", "verb"),
    [
        (results(0.599), "right", "fell"),
        (results(opposite=0.201), "opposite", "rose"),
        (results(must=0.399), "must", "fell"),
    ],
)
def test_what_is_worse_than_the_interval_is_named(now: RealResults, name: str, verb: str) -> None:
    (said,) = regressions(EARLIER, now)
    assert said.startswith(f"{name} of geometry with full in en {verb} from ")


def test_without_an_interval_the_share_itself_is_the_bound() -> None:
    assert regressions(results(), results()) == []
    assert len(regressions(results(), results(0.69, 0.11, 0.49))) == 3
    assert len(regressions(results(intervals={"right": None}), results(0.69))) == 1


def test_other_speakers_are_passed_over() -> None:
    assert regressions(EARLIER, results(0.0, 1.0, 0.0, model="captioner")) == []


def test_other_pairs_or_none_of_the_speakers_cannot_be_compared() -> None:
    keys = {("geometry", "full", "en")}
    demand_comparable(EARLIER, "abc", keys, PATH)
    demand_comparable(RealResults(EARLIER.results), "abc", keys, PATH)
    for fingerprint, asked in (("other", keys), ("abc", {("geometry", "lite", "en")}), ("abc", set())):
        with pytest.raises(BadInputError) as error:
            demand_comparable(EARLIER, fingerprint, asked, PATH)
        assert error.value.code == "against_other"
