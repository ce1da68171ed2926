"""A report as tables that a person reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.agreement import READINGS
from annotate.intervals import CONFIDENCE, Estimate
from annotate.report import Preferences, Report, owed
from annotate.statistics import PAPER_SHARES, QUESTIONS

LANGUAGES = {"en": "English", "hi": "Hindi"}
ABOUT = {"relevant": "relevance", "fluent": "fluency", "rating": "ratings"}

_NONE = "-"

Row = Sequence[str]


def as_text(report: Report) -> str:
    """All tables that the answers allow, and what to bear in mind."""
    parts = [
        _titled(f"Campaign {report.campaign}", _answers(report)),
        *(_titled(f"Votes in {_language(code)}", _preferences(code, one)) for code, one in report.preferences.items()),
        "\n".join(part for part in (_titled("Agreement", _agreement(report)), _readings(report)) if part),
        _titled("Finding the target", _target_finding(report)),
        _titled("Texts", [[status, str(count)] for status, count in sorted(report.statuses.items())]),
        _titled("Owed, in dollars", _ledger(report)),
        _titled("Doubtful answers", _doubtful(report)),
        "\n".join(report.notes),
    ]
    return "\n\n".join(part for part in parts if part)


def _answers(report: Report) -> list[Row]:
    counted = [[one.kind, one.language or _NONE, str(one.answers), str(one.annotators)] for one in report.answers]
    return [["answers", "language", "number", "people"], *counted] if counted else [["no answers yet"]]


def _preferences(language: str, one: Preferences) -> list[Row]:
    interval = f"{CONFIDENCE:.0%} interval"
    titles = [title for question in QUESTIONS for title in (ABOUT[question], interval, "strength", interval)]
    rows: list[Row] = [[f"{one.votes.votes} votes, {len(one.votes.annotators)} people", *titles]]
    for model in one.votes.models:
        estimates = [found for q in QUESTIONS for found in (one.shares[q].of[model], one.strengths[q][model])]
        rows.append([model, *(cell for estimate in estimates for cell in _estimate(estimate))])
    tied = [(*_estimate(one.shares[question].tied), _NONE, _NONE) for question in QUESTIONS]
    rows.append(["tied", *(cell for cells in tied for cell in cells)])
    for model, (relevant, fluent) in PAPER_SHARES.get(language, {}).items():
        blank = (_NONE, _NONE, _NONE)
        rows.append([f"paper, {model}", f"{relevant:.0%}", *blank, f"{fluent:.0%}", *blank])
    return rows


def _agreement(report: Report) -> list[Row]:
    rows: list[Row] = [["about", "language", "questions", "answers", "same", "alpha", "kappa", "kappa is", "reading"]]
    for one in report.agreements:
        numbers = [_NONE if number is None else f"{number:.3f}" for number in (one.same, one.alpha, one.kappa)]
        said = [one.kappa_word or _NONE, one.reading]
        rows.append([ABOUT[one.about], one.language, str(one.units), str(one.answers), *numbers, *said])
    return rows if report.agreements else []


def _readings(report: Report) -> str:
    return "\n".join(
        f"{reading}: {READINGS[reading]}" for reading in dict.fromkeys(one.reading for one in report.agreements)
    )


def _target_finding(report: Report) -> list[Row]:
    rows: list[Row] = [
        ["with", "language", "choices", "people", "right", f"{CONFIDENCE:.0%} interval", "chance", "paper"]
    ]
    for one in report.target_finding:
        paper = _NONE if one.paper is None else f"{one.paper:.0%}"
        counted = [one.language, str(one.choices), str(one.annotators)]
        rows.append([one.mode, *counted, *_estimate(one.right), f"{one.chance:.0%}", paper])
    return rows if report.target_finding else []


def _ledger(report: Report) -> list[Row]:
    rows: list[Row] = [["annotator", "descriptions", "good", "waiting", "pay", "bonus", "total"]]
    for one in report.payments:
        counted = [str(one.descriptions), str(one.good), str(one.waiting)]
        rows.append([one.annotator, *counted, str(one.pay), str(one.bonus), str(one.total)])
    rows.append(["all", *[""] * 5, str(owed(report))])
    return rows if report.payments else []


def _doubtful(report: Report) -> list[Row]:
    said = [[one.annotator, one.doubt, str(one.count), f"{one.of} {one.kind}"] for one in report.concerns]
    return [["annotator", "doubt", "answers", "of"], *said] if said else []


def _estimate(estimate: Estimate) -> tuple[str, str]:
    ends = estimate.interval
    return f"{estimate.value:.1%}", _NONE if ends is None else f"{ends[0]:.1%} to {ends[1]:.1%}"


def _language(code: str) -> str:
    return LANGUAGES.get(code, code)


def _titled(title: str, rows: Sequence[Row]) -> str:
    return "\n".join([title, *_aligned(rows)]) if rows else ""


def _aligned(rows: Sequence[Row]) -> Iterator[str]:
    """Columns as wide as their widest cell, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        others = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        yield "  ".join([row[0].ljust(widths[0]), *others]).rstrip()
