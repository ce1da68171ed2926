from __future__ import annotations

from decimal import Decimal

import pytest

from annotate.analysis.frames import frames
from annotate.analysis.payments import bonus, ledger
from tests.annotate.votes import campaign, description, rating


@pytest.mark.parametrize(
    ("good", "dollars"),
    [
        (0, "0.00"),
        (1, "0.02"),
        (25, "0.50"),  # 25 x 0.02
        (26, "0.53"),  # and 1 x 0.03
        (75, "2.00"),  # 25 x 0.02 and 50 x 0.03
        (76, "2.04"),  # and 1 x 0.04
        (125, "4.00"),  # and 50 x 0.04
        (126, "4.05"),
        (1000, "120.00"),  # 0.50, then 19 steps of 50 at 0.03 to 0.21 (114.00), and 25 at 0.22
    ],
)
def test_the_bonus_grows_as_the_paper_says(good: int, dollars: str) -> None:
    assert bonus(good) == Decimal(dollars)


def test_every_description_is_paid_and_the_accepted_ones_bring_a_bonus() -> None:
    paid_campaign = campaign(items=4, voices=3)
    written = [description("writer", f"item{number}") for number in range(3)] + [description("other", "item3")]
    scores = [(4, 4, 3), (1, 2, 4), (4,)]
    rated = [
        rating(f"p{person}", event.item, event.id, score)
        for event, answers in zip(written, scores, strict=False)
        for person, score in enumerate(answers)
    ]
    other, writer = ledger(frames([*written, *rated], paid_campaign).texts).itertuples()
    assert (writer.annotator, writer.descriptions, writer.good, writer.waiting) == ("writer", 3, 1, 1)
    assert (writer.pay, writer.bonus, writer.total) == (Decimal("0.54"), Decimal("0.02"), Decimal("0.56"))
    assert (other.good, other.waiting, str(other.total)) == (0, 1, "0.18")


def test_amounts_are_exact_for_many() -> None:
    paid_campaign = campaign(items=101)
    written = [description("writer", f"item{number}") for number in range(101)]
    assert str(ledger(frames(written, paid_campaign).texts)["total"].item()) == "18.18"


def test_nobody_is_owed_for_the_campaigns_own_texts() -> None:
    assert ledger(frames([], campaign()).texts).empty
