"""CSV files of a report: one for each table, or all numbers in one.

As in ``publishing.export``, no cell starts like a spreadsheet formula.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from annotate.analysis.bootstrap import CONFIDENCE
from annotate.analysis.report import Report
from annotate.errors import RefusedError
from annotate.publishing.export import spreadsheet_cell

# The tables of a report that become files of that name, and their titles.
TABLES = {
    "answers": "Answers of each kind, and people who gave them",
    "turnout": "Voters in each language, and items that needed no vote",
    "shares": f"Shares of the votes, with {CONFIDENCE:.0%} intervals",
    "strengths": f"Strength of each model (Bradley-Terry), with {CONFIDENCE:.0%} intervals",
    "agreement": "Agreement",
    "target_finding": f"How often people find the target, with {CONFIDENCE:.0%} intervals",
    "texts": "Status of the texts",
    "payments": "Payments owed for descriptions, in dollars",
    "completions": "Payable batches of answers, by pseudonym",
    "quality": "Doubtful answers, by person and reason",
}
_PAYMENT = [
    "participant_id",
    "payable",
    "codes",
    "batches",
    "answers",
    "doubts",
    "owed_for_descriptions",
    "participant",
    "annotator",
]
_ONE = ("table", "language", "about", "name", "value", "low", "high")


def write_tables(folder: Path, report: Report) -> dict[str, str]:
    """Write every table into ``folder``, even if it is empty; return each file's name and title, in order.

    Raise :class:`RefusedError`: ``folder_unusable``.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in TABLES:
            (folder / f"{name}.csv").write_bytes(_csv(getattr(report, name)))
    except (OSError, ValueError):
        raise RefusedError("folder_unusable", path=str(folder)) from None
    return {f"{name}.csv": title for name, title in TABLES.items()}


def in_one_table(report: Report) -> bytes:
    """Return a CSV file with one row for every number of a report; ``low`` and ``high`` are its interval."""
    answer_counts = report.answers.rename(columns={"annotators": "people"})
    doubtful = report.quality.astype(str)
    doubtful = doubtful.assign(
        name=doubtful["doubt"] + " " + doubtful["kind"], value=doubtful["count"] + " of " + doubtful["of"]
    )
    parts = {
        "campaign": pd.DataFrame({"name": ["name"], "value": [report.campaign]}),
        "answers": _one_a_row(answer_counts, ["language", "kind"], ["answers", "people"]),
        "share": report.shares.rename(columns={"question": "about", "model": "name"}),
        "strength": report.strengths.rename(columns={"question": "about", "model": "name"}),
        "target_finding": report.target_finding.assign(about=report.target_finding["mode"], name="right"),
        "agreement": _one_a_row(
            report.agreement, ["language", "about"], ["units", "answers", "same", "alpha", "kappa", "reading"]
        ),
        "texts": report.texts.rename(columns={"status": "about", "count": "value"}).assign(name="count"),
        "ledger": _one_a_row(report.payments, ["annotator"], ["descriptions", "good", "pay", "bonus", "total"]),
        "completions": _one_a_row(report.completions, ["annotator"], ["participant", "batches", "payable", "codes"]),
        "doubtful": doubtful.rename(columns={"annotator": "about"}),
    }
    tables = [part.assign(table=name).reindex(columns=_ONE).astype(object) for name, part in parts.items()]
    return _csv(pd.concat(tables))


def payment_file(report: Report, participants: Mapping[str, str]) -> bytes:
    """Return a CSV file of who can be paid for what, by ids at the payment service; for the owner, never published.

    ``participants`` maps pseudonyms to these ids; an unknown id is left empty. People who are owed for
    descriptions are listed even without a finished batch. Rows are sorted by id, so that all pseudonyms of one
    participant are together. ``doubts`` are those of the report, for the owner to consider before paying.
    """
    owed = dict(zip(report.payments["annotator"], report.payments["total"], strict=True))
    batched = set(report.completions["annotator"])
    unbatched = [
        {"participant": "", "annotator": annotator, "answers": "", "batches": 0, "payable": 0, "codes": ""}
        for annotator in owed
        if annotator in participants and annotator not in batched
    ]
    table = pd.concat([report.completions.astype(object), pd.DataFrame(unbatched, dtype=object)], ignore_index=True)
    participant_ids = [participants.get(annotator, "") for annotator in table["annotator"]]
    amounts = [str(owed.get(annotator, "")) for annotator in table["annotator"]]
    doubts: dict[str, list[str]] = {}
    for row in report.quality.itertuples():
        doubts.setdefault(row.annotator, []).append(f"{row.doubt} {row.kind} {row.count} of {row.of}")
    doubtful = ["; ".join(doubts.get(annotator, ())) for annotator in table["annotator"]]
    payments = table.assign(participant_id=participant_ids, owed_for_descriptions=amounts, doubts=doubtful)[_PAYMENT]
    return _csv(payments.sort_values(["participant_id", "annotator"], kind="stable"))


def write_payment_file(path: Path, report: Report, participants: Mapping[str, str]) -> None:
    """Write :func:`payment_file` into a new file that only its owner may read.

    Raise :class:`RefusedError`: ``file_there``, ``folder_unusable``.
    """
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(payment_file(report, participants))
    except FileExistsError:
        raise RefusedError("file_there", path=str(path)) from None
    except (OSError, ValueError):
        raise RefusedError("folder_unusable", path=str(path)) from None


def _one_a_row(table: pd.DataFrame, about: list[str], names: list[str]) -> pd.DataFrame:
    """Return the columns ``names`` as one row per value; the last of ``about`` is renamed to "about"."""
    long = table.astype(object).melt(about, names, var_name="name", ignore_index=False).sort_index(kind="stable")
    return long.rename(columns={about[-1]: "about"})


def _csv(table: pd.DataFrame) -> bytes:
    """Return a CSV file with a byte order mark, which tells spreadsheets that the text is UTF-8."""
    plain = table.astype(object).map(spreadsheet_cell)
    return str(plain.to_csv(index=False, lineterminator="\r\n")).encode("utf-8-sig")
