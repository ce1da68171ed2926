"""Payments owed for descriptions by the paper's Appendix B.4, exact to the cent.

Every description is paid 0.18 dollars. A good one, accepted by verification, brings a bonus that grows: 0.02 for each
of the first 25, 0.03 for each of the next 50, 0.04 for each of the 50 after those, and so on.
"""

from __future__ import annotations

from decimal import Decimal

import pandas as pd

PAY = 18  # cents for each description
_FIRST_BONUS = 2  # cents
_FIRST_STEP, _FURTHER_STEPS = 25, 50  # good descriptions


def ledger(texts: pd.DataFrame) -> pd.DataFrame:
    """What each author of the texts of ``frames`` has earned, in the order of their names; money in dollars.

    Of the ``descriptions`` those ``waiting`` may still become ``good``; ``total`` is ``pay`` and ``bonus``.
    """
    written = texts[texts["author"] != ""]
    found = pd.DataFrame(
        {
            "descriptions": written.groupby("author").size(),
            "good": (written["status"] == "accepted").groupby(written["author"]).sum(),
            "waiting": (written["status"] == "waiting").groupby(written["author"]).sum(),
        }
    )
    found["pay"] = [_dollars(PAY * count) for count in found["descriptions"]]
    found["bonus"] = [bonus(count) for count in found["good"]]
    found["total"] = found["pay"] + found["bonus"]
    return found.rename_axis("annotator").reset_index()


def bonus(good: int) -> Decimal:
    """Dollars on top of the pay for that many good descriptions."""
    cents, rate, step = 0, _FIRST_BONUS, _FIRST_STEP
    while good > 0:
        cents += rate * min(good, step)
        good, rate, step = good - step, rate + 1, _FURTHER_STEPS
    return _dollars(cents)


def _dollars(cents: int) -> Decimal:
    return Decimal(cents).scaleb(-2)
