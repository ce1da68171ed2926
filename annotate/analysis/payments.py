"""Payments: the sums owed for descriptions by the paper's Appendix B.4, exact to the cent, and finished batches.

Every description is paid 0.18 dollars. A good one, accepted by verification, earns a bonus that grows: 0.02
for each of the first 25, 0.03 for each of the next 50, 0.04 for each of the 50 after those, and so on. The
pay for a batch is agreed between the owner and the payment service.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

import pandas as pd

from annotate.kinds.registry import BY_RECORD
from annotate.records.events import Event
from annotate.records.kinds import Completion

PAY = 18  # cents for each description
_FIRST_BONUS = 2  # cents
_FIRST_STEP, _FURTHER_STEPS = 25, 50  # good descriptions


def ledger(texts: pd.DataFrame) -> pd.DataFrame:
    """Return what each author of the texts of ``frames`` has earned, sorted by name, in dollars.

    ``waiting`` descriptions may still become ``good``; ``total`` is ``pay`` plus ``bonus``.
    """
    written = texts[texts["author"] != ""]
    table = pd.DataFrame(
        {
            "descriptions": written.groupby("author").size(),
            "good": (written["status"] == "accepted").groupby(written["author"]).sum(),
            "waiting": (written["status"] == "waiting").groupby(written["author"]).sum(),
        }
    )
    table["pay"] = [_dollars(PAY * count) for count in table["descriptions"]]
    table["bonus"] = [bonus(count) for count in table["good"]]
    table["total"] = table["pay"] + table["bonus"]
    return table.rename_axis("annotator").reset_index()


def completions(living: Sequence[Event]) -> pd.DataFrame:
    """Return who can be paid for finished batches, sorted by name, from the live events of one campaign.

    A batch is ``payable`` while its ``answers`` still stand; ``codes`` are those of payable batches, separated by
    spaces. ``participant`` is a pseudonym of the person's id at the payment service.
    """
    answers = Counter(event.annotator for event in living if event.kind in BY_RECORD)
    finished: dict[tuple[str, str], list[Completion]] = {}
    for event in living:
        if isinstance(event.payload, Completion):
            finished.setdefault((event.payload.participant, event.annotator), []).append(event.payload)
    rows = []
    for (participant, annotator), batches in sorted(finished.items()):
        standing = answers[annotator]
        payable = [batch.code for batch in sorted(batches, key=lambda batch: batch.number) if batch.answers <= standing]
        rows.append((participant, annotator, standing, len(batches), len(payable), " ".join(payable)))
    return pd.DataFrame(rows, columns=["participant", "annotator", "answers", "batches", "payable", "codes"])


def bonus(good: int) -> Decimal:
    """Return the dollars in addition to the pay for that many good descriptions."""
    cents, rate, step = 0, _FIRST_BONUS, _FIRST_STEP
    while good > 0:
        cents += rate * min(good, step)
        good, rate, step = good - step, rate + 1, _FURTHER_STEPS
    return _dollars(cents)


def _dollars(cents: int) -> Decimal:
    return Decimal(cents).scaleb(-2)
