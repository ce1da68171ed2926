"""Printed reports: text tables in either language of the page."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

from annotate.analysis.bootstrap import CONFIDENCE
from annotate.analysis.report import Report
from annotate.analysis.report_strings import ENGLISH, Words, words
from annotate.analysis.votes import PAPER_SHARES, QUESTIONS, TIED

_NONE = "-"

Row = Sequence[str]


def as_text(report: Report, language: str = ENGLISH) -> str:
    """Return all tables that the answers allow, followed by the notes."""
    say = words(language)
    votes = [
        _titled(say("results.votes", language=say.named(row.language)), _preferences(report, row, say))
        for row in report.turnout.itertuples()
        if row.votes
    ]
    texts = [[say(f"results.status_{row.status}"), str(row.count)] for row in report.texts.itertuples()]
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
        _titled(say("results.completions"), _completions(report, say)),
        _titled(say("results.doubts"), _doubtful(report, say)),
        "\n".join(say.note(note) for note in report.notes),
    ]
    return "\n\n".join(part for part in parts if part)


def _titles(say: Words, *keys: str) -> Row:
    return [say(key, confidence=round(100 * CONFIDENCE)) for key in keys]


def _answers(report: Report, say: Words) -> list[Row]:
    lines = [
        [say(f"results.kind_{row.kind}"), say.named(row.language) or _NONE, str(row.answers), str(row.annotators)]
        for row in report.answers.itertuples()
    ]
    titles = _titles(say, "results.kind", "results.language", "report.number", "report.people")
    return [titles, *lines] if lines else [[say("report.no_answers")]]


def _preferences(report: Report, turnout: Any, say: Words) -> list[Row]:  # noqa: ANN401  a row of the turnout
    titles = [
        title
        for question in QUESTIONS
        for title in _titles(
            say, f"results.about_{question}", "results.interval", "results.strength", "results.interval"
        )
    ]
    rows: list[Row] = [[say("report.votes_by", votes=turnout.votes, people=turnout.annotators), *titles]]
    preferences = report.preferences[report.preferences["language"] == turnout.language]
    for model, lines in preferences.groupby("model", sort=False):
        cells = [
            cell
            for row in lines.itertuples()
            for estimate in ((row.value, row.low, row.high), (row.value_strength, row.low_strength, row.high_strength))
            for cell in _estimate(*estimate)
        ]
        rows.append([say("results.tied") if model == TIED else str(model), *cells])
    for model, (relevant, fluent) in PAPER_SHARES.get(turnout.language, {}).items():
        blank = (_NONE, _NONE, _NONE)
        rows.append([say("results.paper", model=model), f"{relevant:.0%}", *blank, f"{fluent:.0%}", *blank])
    return rows


def _agreement(report: Report, say: Words) -> list[Row]:
    keys = ("about", "language", "units", "answers_of", "same", "alpha", "kappa")
    rows: list[Row] = [_titles(say, *(f"results.{key}" for key in keys))]
    for row in report.agreement.itertuples():
        same, alpha, kappa = (
            _NONE if isnan(number) else f"{number:.3f}" for number in (row.same, row.alpha, row.kappa)
        )
        kappa_word = say(f"results.kappa_{row.kappa_word.replace(' ', '_')}") if row.kappa_word else ""
        cells = [say.named(row.language), str(row.units), str(row.answers), same, alpha]
        rows.append([say(f"results.about_{row.about}"), *cells, f"{kappa} ({kappa_word})" if kappa_word else kappa])
    return [] if report.agreement.empty else rows


def _readings(report: Report, say: Words) -> str:
    return "\n".join(
        f"{say(f'results.about_{row.about}')}, {say.named(row.language)}: {say(f'results.reading_{row.reading}')}"
        for row in report.agreement.itertuples()
    )


def _target_finding(report: Report, say: Words) -> list[Row]:
    people = "report.people"
    keys = ("with", "language", "choices", people, "right", "interval", "chance", "in_paper")
    rows: list[Row] = [_titles(say, *(key if key == people else f"results.{key}" for key in keys))]
    for row in report.target_finding.itertuples():
        paper = _NONE if isnan(row.paper) else f"{row.paper:.0%}"
        cells = [say.named(row.language), str(row.choices), str(row.annotators)]
        rows.append(
            [
                say(f"results.mode_{row.mode}"),
                *cells,
                *_estimate(row.value, row.low, row.high),
                f"{row.chance:.0%}",
                paper,
            ]
        )
    return [] if report.target_finding.empty else rows


def _ledger(report: Report, say: Words) -> list[Row]:
    keys = ("person", "descriptions", "good", "waiting", "pay", "bonus", "total")
    rows: list[Row] = [_titles(say, *(f"results.{key}" for key in keys))]
    for row in report.payments.itertuples():
        cells = [str(row.descriptions), str(row.good), str(row.waiting)]
        rows.append([row.annotator, *cells, str(row.pay), str(row.bonus), str(row.total)])
    rows.append([say("results.all"), *[""] * 5, str(report.owed)])
    return [] if report.payments.empty else rows


def _completions(report: Report, say: Words) -> list[Row]:
    keys = ("participant", "person", "answers_of", "batches", "payable", "codes")
    rows: list[Row] = [_titles(say, *(f"results.{key}" for key in keys))]
    rows += [
        [row.participant, row.annotator, str(row.answers), str(row.batches), str(row.payable), row.codes]
        for row in report.completions.itertuples()
    ]
    return [] if report.completions.empty else rows


def _doubtful(report: Report, say: Words) -> list[Row]:
    rows = [
        [row.annotator, say(f"results.doubt_{row.doubt}"), f"{row.count} / {row.of}", say(f"results.kind_{row.kind}")]
        for row in report.quality.itertuples()
    ]
    titles = _titles(say, "results.person", "results.doubt", "results.answers_of", "results.kind")
    return [titles, *rows] if rows else []


def _estimate(value: float, low: float, high: float) -> tuple[str, str]:
    return _NONE if isnan(value) else f"{value:.1%}", _NONE if isnan(low) else f"{low:.1%}–{high:.1%}"


def _titled(title: str, rows: Sequence[Row]) -> str:
    return "\n".join([title, *_aligned(rows)]) if rows else ""


def _aligned(rows: Sequence[Row]) -> Iterator[str]:
    """Yield rows with columns as wide as their widest cell, the first aligned left and the others right."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        spaces = [" " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = (space + cell for cell, space in zip(row[1:], spaces[1:], strict=True))
        yield "  ".join([row[0] + spaces[0], *cells]).rstrip()


def _width(cell: str) -> int:
    """Return the width on a terminal: combining signs of Devanagari take no column."""
    return sum(unicodedata.category(letter) not in {"Mn", "Me", "Cf"} for letter in cell)
