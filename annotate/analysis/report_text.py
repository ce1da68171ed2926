"""A report as tables that a person reads, in either language of the page."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from annotate.analysis.bootstrap import CONFIDENCE, Estimate
from annotate.analysis.report import Preferences, Report, owed
from annotate.analysis.report_strings import ENGLISH, Words, words
from annotate.analysis.votes import PAPER_SHARES, QUESTIONS

_NONE = "-"

Row = Sequence[str]


def as_text(report: Report, language: str = ENGLISH) -> str:
    """All tables that the answers allow, and what to bear in mind."""
    say = words(language)
    votes = [
        _titled(say("results.votes", language=say.named(code)), _preferences(code, one, say))
        for code, one in report.preferences.items()
    ]
    texts = [[say(f"results.status_{status}"), str(count)] for status, count in sorted(report.statuses.items())]
    parts = [
        _titled(say("report.campaign", name=report.campaign), _answers(report, say)),
        *votes,
        "\n".join(
            part
            for part in (_titled(say("results.agreement"), _agreement(report, say)), _readings(report, say))
            if part
        ),
        _titled(say("results.finding"), _target_finding(report, say)),
        _titled(say("results.texts"), texts),
        _titled(say("report.owed"), _ledger(report, say)),
        _titled(say("results.doubts"), _doubtful(report, say)),
        "\n".join(say.note(note) for note in report.notes),
    ]
    return "\n\n".join(part for part in parts if part)


def _titles(say: Words, *keys: str) -> Row:
    return [say(key, confidence=round(100 * CONFIDENCE)) for key in keys]


def _answers(report: Report, say: Words) -> list[Row]:
    counted = [
        [say(f"results.kind_{one.kind}"), say.named(one.language) or _NONE, str(one.answers), str(one.annotators)]
        for one in report.answers
    ]
    titles = _titles(say, "results.kind", "results.language", "report.number", "report.people")
    return [titles, *counted] if counted else [[say("report.no_answers")]]


def _preferences(language: str, one: Preferences, say: Words) -> list[Row]:
    titles = [
        title
        for question in QUESTIONS
        for title in _titles(
            say, f"results.about_{question}", "results.interval", "results.strength", "results.interval"
        )
    ]
    counted = say("report.votes_by", votes=one.votes.votes, people=len(one.votes.annotators))
    rows: list[Row] = [[counted, *titles]]
    for model in one.votes.models:
        estimates = [found for q in QUESTIONS for found in (one.shares[q].of[model], one.strengths[q][model])]
        rows.append([model, *(cell for estimate in estimates for cell in _estimate(estimate))])
    tied = [(*_estimate(one.shares[question].tied), _NONE, _NONE) for question in QUESTIONS]
    rows.append([say("results.tied"), *(cell for cells in tied for cell in cells)])
    for model, (relevant, fluent) in PAPER_SHARES.get(language, {}).items():
        blank = (_NONE, _NONE, _NONE)
        rows.append([say("results.paper", model=model), f"{relevant:.0%}", *blank, f"{fluent:.0%}", *blank])
    return rows


def _agreement(report: Report, say: Words) -> list[Row]:
    keys = ("about", "language", "units", "answers_of", "same", "alpha", "kappa")
    rows: list[Row] = [_titles(say, *(f"results.{key}" for key in keys))]
    for one in report.agreements:
        same, alpha, kappa = (
            _NONE if number is None else f"{number:.3f}" for number in (one.same, one.alpha, one.kappa)
        )
        said = say(f"results.kappa_{one.kappa_word.replace(' ', '_')}") if one.kappa_word else ""
        counted = [say.named(one.language), str(one.units), str(one.answers), same, alpha]
        rows.append([say(f"results.about_{one.about}"), *counted, f"{kappa} ({said})" if said else kappa])
    return rows if report.agreements else []


def _readings(report: Report, say: Words) -> str:
    return "\n".join(
        f"{say(f'results.about_{one.about}')}, {say.named(one.language)}: {say(f'results.reading_{one.reading}')}"
        for one in report.agreements
    )


def _target_finding(report: Report, say: Words) -> list[Row]:
    people = "report.people"
    keys = ("with", "language", "choices", people, "right", "interval", "chance", "in_paper")
    rows: list[Row] = [_titles(say, *(key if key == people else f"results.{key}" for key in keys))]
    for one in report.target_finding:
        paper = _NONE if one.paper is None else f"{one.paper:.0%}"
        counted = [say.named(one.language), str(one.choices), str(one.annotators)]
        rows.append([say(f"results.mode_{one.mode}"), *counted, *_estimate(one.right), f"{one.chance:.0%}", paper])
    return rows if report.target_finding else []


def _ledger(report: Report, say: Words) -> list[Row]:
    keys = ("person", "descriptions", "good", "waiting", "pay", "bonus", "total")
    rows: list[Row] = [_titles(say, *(f"results.{key}" for key in keys))]
    for one in report.payments:
        counted = [str(one.descriptions), str(one.good), str(one.waiting)]
        rows.append([one.annotator, *counted, str(one.pay), str(one.bonus), str(one.total)])
    rows.append([say("results.all"), *[""] * 5, str(owed(report))])
    return rows if report.payments else []


def _doubtful(report: Report, say: Words) -> list[Row]:
    said = [
        [one.annotator, say(f"results.doubt_{one.doubt}"), f"{one.count} / {one.of}", say(f"results.kind_{one.kind}")]
        for one in report.concerns
    ]
    titles = _titles(say, "results.person", "results.doubt", "results.answers_of", "results.kind")
    return [titles, *said] if said else []


def _estimate(estimate: Estimate) -> tuple[str, str]:
    ends = estimate.interval
    return f"{estimate.value:.1%}", _NONE if ends is None else f"{ends[0]:.1%}–{ends[1]:.1%}"


def _titled(title: str, rows: Sequence[Row]) -> str:
    return "\n".join([title, *_aligned(rows)]) if rows else ""


def _aligned(rows: Sequence[Row]) -> Iterator[str]:
    """Columns as wide as their widest cell, the first to the left and the others to the right."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        spaces = [" " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        others = (space + cell for cell, space in zip(row[1:], spaces[1:], strict=True))
        yield "  ".join([row[0] + spaces[0], *others]).rstrip()


def _width(cell: str) -> int:
    """Places on a terminal: signs of Devanagari that stand above, below or within another take none."""
    return sum(unicodedata.category(letter) not in {"Mn", "Me", "Cf"} for letter in cell)
