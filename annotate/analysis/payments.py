"""Payments owed for descriptions by the paper's Appendix B.4, exact to the cent.

Every description is paid 0.18 dollars. A good one, accepted by verification, brings a bonus that grows: 0.02 for each
of the first 25, 0.03 for each of the next 50, 0.04 for each of the 50 after those, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from annotate.campaigns.text_status import TextStatus

PAY = 18  # cents for each description
_FIRST_BONUS = 2  # cents
_FIRST_STEP, _FURTHER_STEPS = 25, 50  # good descriptions


@dataclass(frozen=True)
class Payment:
    """What one annotator has earned; ``waiting`` descriptions may still become good. Money in dollars."""

    annotator: str
    descriptions: int
    good: int
    waiting: int
    pay: Decimal
    bonus: Decimal

    @property
    def total(self) -> Decimal:
        """Pay and bonus."""
        return self.pay + self.bonus


def ledger(statuses: Iterable[TextStatus]) -> list[Payment]:
    """A payment for each annotator who wrote one of the texts, in the order of their names."""
    written: dict[str, list[str]] = {}
    for one in statuses:
        if one.author:
            written.setdefault(one.author, []).append(one.status)
    return [
        Payment(
            annotator,
            len(given),
            given.count("accepted"),
            given.count("waiting"),
            _dollars(PAY * len(given)),
            bonus(given.count("accepted")),
        )
        for annotator, given in sorted(written.items())
    ]


def bonus(good: int) -> Decimal:
    """Dollars on top of the pay for that many good descriptions."""
    cents, rate, step = 0, _FIRST_BONUS, _FIRST_STEP
    while good > 0:
        cents += rate * min(good, step)
        good, rate, step = good - step, rate + 1, _FURTHER_STEPS
    return _dollars(cents)


def _dollars(cents: int) -> Decimal:
    return Decimal(cents).scaleb(-2)
