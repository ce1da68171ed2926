"""Outputs of a report: printed text in either language of the page, CSV files, and plots."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from annotate.analysis.report import Report, records
from annotate.analysis.statistics import CONFIDENCE, FOOLING_COLUMNS, PAPER_SHARES, QUESTIONS, TIED
from annotate.analysis.strings import ENGLISH, Words, words
from annotate.errors import RefusedError
from annotate.publishing import spreadsheet_cell
from annotate.records import HOLDS
from fmp_models.common import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Printed reports: text tables in either language of the page.

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
        _titled(say("results.repairs"), _repairs(report, say)),
        _titled(say("results.dialogues"), _dialogues(report, say)),
        _titled(say("results.fooling"), _fooling(report, say)),
        _titled(say("results.questions"), _own_questions(report, say)),
        _titled(say("results.texts"), texts),
        _titled(say("results.flagged"), _flagged(report, say)),
        _titled(say("report.owed"), _ledger(report, say)),
        _titled(say("results.completions"), _completions(report, say)),
        _titled(say("results.doubts"), _doubtful(report, say)),
        _titled(say("results.rejected"), _rejected(report, say)),
        "\n".join(say.note(note) for note in report.notes),
    ]
    return "\n\n".join(part for part in parts if part)


def as_remarks(report: Report) -> list[str]:
    """Return what the card of a dataset says about its answers: people by kind, and their agreement."""
    people = [
        f"{row.kind.replace('_', ' ')} in {row.language}: {row.answers} answers of {row.annotators} people"
        for row in report.answers.itertuples()
    ]
    agreement = [
        f"{row.about} in {row.language}: Krippendorff's alpha {row.alpha:.2f}, over {row.units} questions that two "
        "people or more answered"
        for row in report.agreement.itertuples()
        if not isnan(row.alpha)
    ]
    parts = [("Answers", people), ("Agreement", agreement)]
    return [f"{title}: {'; '.join(lines)}." for title, lines in parts if lines]


def _titles(say: Words, *keys: str) -> Row:
    return [say(key, confidence=round(100 * CONFIDENCE)) for key in keys]


def _answers(report: Report, say: Words) -> list[Row]:
    lines = [
        [
            *(say(f"results.kind_{row.kind}"), say.named(row.language) or _NONE, str(row.answers), str(row.annotators)),
            *(
                _NONE if isnan(row.seconds) else f"{row.seconds:.0f} s",
                _NONE if isnan(row.hourly) else f"${row.hourly:.2f}",
            ),
        ]
        for row in report.answers.itertuples()
    ]
    keys = ("results.kind", "results.language", "report.number", "report.people", "results.seconds", "results.hourly")
    titles = _titles(say, *keys)
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


def _repairs(report: Report, say: Words) -> list[Row]:
    keys = ("writer", "language", "repaired", "people", "steps", "mended", "seconds", "comparisons", "won", "interval")
    rows: list[Row] = [_titles(say, *(f"{'report' if key == 'people' else 'results'}.{key}" for key in keys))]
    for row in report.repairs.itertuples():
        cells = [str(row.repairs), str(row.annotators), f"{row.steps:.2f}", f"{row.mended:.0%}"]
        seconds = _NONE if isnan(row.seconds) else f"{row.seconds:.0f} s"
        won = _estimate(row.value, row.low, row.high)
        rows.append([row.model or _NONE, say.named(row.language), *cells, seconds, str(row.comparisons), *won])
    return [] if report.repairs.empty else rows


def _dialogues(report: Report, say: Words) -> list[Row]:
    keys = ("group", "language", "units", "verdicts", "people", "cannot_tell", "right", "interval")
    rows: list[Row] = [_titles(say, *(f"{'report' if key == 'people' else 'results'}.{key}" for key in keys))]
    for row in report.dialogues.itertuples():
        cells = [say.named(row.language), str(row.questions), str(row.verdicts), str(row.annotators)]
        cells += [f"{row.cannot_tell:.1%}", *_estimate(row.value, row.low, row.high)]
        rows.append([f"{say(f'results.by_{row.by}')} {row.group}".rstrip(), *cells])
    return [] if report.dialogues.empty else rows


_FORMS: dict[str, tuple[str, ...]] = {
    "{:.0f}": ("texts", "annotators", "decided", "finds", "expert_finds"),
    "{:.1f}": ("attempts", "minutes", "rank", "language_rank"),
}
# The measures of texts against a model in order, each with how its number is shown.
FOOLING: Mapping[str, str] = {
    name: next((form for form, names in _FORMS.items() if name in names), "{:.0%}")
    for name in (*FOOLING_COLUMNS[2:-2], "value", "low", "high", *FOOLING_COLUMNS[-2:])
}


def _fooling(report: Report, say: Words) -> list[Row]:
    columns = records(report.fooling)
    rows: list[Row] = [[say("results.guide"), *(say(f"results.guide_{one['guide'] or 'all'}") for one in columns)]]
    rows.append([say("results.language"), *(say.named(one["language"]) for one in columns)])
    for name, form in FOOLING.items():
        numbers = [_NONE if one[name] is None else form.format(one[name]) for one in columns]
        rows.append([*_titles(say, f"fooled.{name}"), *numbers])
    return rows if columns else []


def _own_questions(report: Report, say: Words) -> list[Row]:
    keys = ("question", "about_text", "language", "given", "mean", "spread")
    rows: list[Row] = [_titles(say, *(f"results.{key}" for key in keys))]
    for row in report.questions.itertuples():
        mean = _NONE if isnan(row.mean) else f"{row.mean:.2f}"
        spread = ", ".join(f"{value}: {count}" for value, count in row.counts.items())
        rows.append([row.question, row.source or _NONE, say.named(row.language), str(row.answers), mean, spread])
    return [] if report.questions.empty else rows


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


def _flagged(report: Report, say: Words) -> list[Row]:
    rows = [
        [
            *(str(row[name]) for name in ("item", *HOLDS, "people")),
            say(f"results.pair_{row['decision'] or 'waits'}"),
            one_line(row["reasons"]),
        ]
        for row in records(report.flags)
    ]
    keys = ("results.pair", *(f"results.flag_{flag}" for flag in HOLDS), "report.people", "results.decision")
    return [_titles(say, *keys, "results.reason"), *rows] if rows else []


def _rejected(report: Report, say: Words) -> list[Row]:
    paid = {True: "results.paid", False: "results.unpaid"}
    rows = [[row.annotator, say(paid[row.pays]), row.reason] for row in report.rejected.itertuples()]
    return [_titles(say, "results.person", "results.pay", "results.reason"), *rows] if rows else []


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


# CSV files of a report: one for each table, or all numbers in one.
#
# As in exports, no cell starts like a spreadsheet formula.

# The tables of a report that become files of that name, and their titles.
TABLES = {
    "answers": "Answers of each kind, and people who gave them",
    "turnout": "Voters in each language, and items that needed no vote",
    "shares": f"Shares of the votes, with {CONFIDENCE:.0%} intervals",
    "strengths": f"Strength of each model (Bradley-Terry), with {CONFIDENCE:.0%} intervals",
    "agreement": "Agreement",
    "target_finding": f"How often people find the target, with {CONFIDENCE:.0%} intervals",
    "repairs": f"Repairs by model of the draft, and how often they win over it, with {CONFIDENCE:.0%} intervals",
    "dialogues": f"Answers in dialogues that people find right, with {CONFIDENCE:.0%} intervals",
    "fooling": f"Texts against a model, and how often people find the target, with {CONFIDENCE:.0%} intervals",
    "questions": "Answers to own questions: number, mean and counts",
    "texts": "Status of the texts",
    "payments": "Payments owed for descriptions, in dollars",
    "completions": "Payable batches of answers, by pseudonym",
    "quality": "Doubtful answers, by person and reason",
    "flags": "Flagged pairs, and the owner's decisions",
    "rejected": "People whose answers the owner rejected",
}
_IDS = ("participant_id", "study_id", "session_id")
_PAYMENT = [
    *_IDS,
    "payable",
    "codes",
    "batches",
    "answers",
    "doubts",
    "owed_for_descriptions",
    "participant",
    "annotator",
]
_ENDS = ["value", "low", "high"]
_ONE = ("table", "language", "about", "name", *_ENDS)


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
        "answers": _one_a_row(answer_counts, ["language", "kind"], ["answers", "people", "seconds", "hourly"]),
        "share": report.shares.rename(columns={"question": "about", "model": "name"}),
        "strength": report.strengths.rename(columns={"question": "about", "model": "name"}),
        "target_finding": report.target_finding.assign(about=report.target_finding["mode"], name="right"),
        "repairs": _one_a_row(
            report.repairs.drop(columns=_ENDS),
            ["language", "model"],
            ["repairs", "steps", "mended", "seconds", "comparisons"],
        ),
        "dialogues": report.dialogues.assign(
            about=(report.dialogues["by"] + " " + report.dialogues["group"]).str.rstrip(), name="right"
        ),
        "fooling": _one_a_row(
            report.fooling.assign(about=report.fooling["guide"]).rename(columns={"value": "found"}),
            ["language", "about"],
            ["found" if name == "value" else name for name in FOOLING],
        ),
        "repairs won": report.repairs.rename(columns={"model": "about"}).assign(name="won"),
        "agreement": _one_a_row(
            report.agreement, ["language", "about"], ["units", "answers", "same", "alpha", "kappa", "reading"]
        ),
        "questions": _one_a_row(
            report.questions.assign(about=report.questions["question"] + " " + report.questions["source"]),
            ["language", "about"],
            ["answers", "mean", "counts"],
        ),
        "texts": report.texts.rename(columns={"status": "about", "count": "value"}).assign(name="count"),
        "ledger": _one_a_row(report.payments, ["annotator"], ["descriptions", "good", "pay", "bonus", "total"]),
        "completions": _one_a_row(report.completions, ["annotator"], ["participant", "batches", "payable", "codes"]),
        "doubtful": doubtful.rename(columns={"annotator": "about"}),
        "flags": _one_a_row(report.flags, ["item"], [*HOLDS, "people", "reasons", "decision"]),
        "rejected": _one_a_row(report.rejected, ["annotator"], ["reason", "pays"]),
    }
    tables = [part.assign(table=name).reindex(columns=_ONE).astype(object) for name, part in parts.items()]
    return _csv(pd.concat(tables))


def payment_file(report: Report, participants: Mapping[str, str]) -> bytes:
    """Return a CSV file of who can be paid for what, by ids at the payment service; for the owner, never published.

    ``participants`` maps pseudonyms to the ids of participant, study and session, separated by spaces; unknown ids are
    left empty. People who are owed for
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
    rows = [(*participants.get(annotator, "").split(" "), "", "") for annotator in table["annotator"]]
    ids = {name: [row[place] for row in rows] for place, name in enumerate(_IDS)}
    amounts = [str(owed.get(annotator, "")) for annotator in table["annotator"]]
    doubts: dict[str, list[str]] = {}
    for row in report.quality.itertuples():
        doubts.setdefault(row.annotator, []).append(f"{row.doubt} {row.kind} {row.count} of {row.of}")
    for row in report.rejected.itertuples():
        doubts.setdefault(row.annotator, []).append(f"rejected: {row.reason}")
    doubtful = ["; ".join(doubts.get(annotator, ())) for annotator in table["annotator"]]
    payments = table.assign(**ids, owed_for_descriptions=amounts, doubts=doubtful)[_PAYMENT]
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


# Plots of a report: shares of the votes, strengths, and how often people find the target.
#
# Their text is English only: Matplotlib cannot shape Devanagari. The page draws its own plots in HTML.

_INK, _BAR, _ASIDE, _PAPER = "#1b2a2e", "#79b3b5", "#c3c7c3", "#b3311a"
_ROW = 0.42  # inches
_ROUND = 1.45  # inches for titles and scale
_DOTS = 160  # dots per inch


def draw_plots(folder: Path, report: Report) -> dict[str, str]:
    """Write the plots that the answers allow into ``folder``; return each file's name and title, in order.

    Raise :class:`RefusedError`: ``folder_unusable``.
    """
    plots: dict[str, tuple[Figure, str]] = {}
    for language in report.shares["language"].unique():
        name = words().named(language)
        title = f"Shares of the votes in {name}, with {CONFIDENCE:.0%} intervals"
        plots[f"shares_{language}"] = _by_question(report.shares, language, "% of votes"), title
        title = f"Strength of each model in {name} (Bradley-Terry), with {CONFIDENCE:.0%} intervals"
        scale = "strength; all models together have 100"
        plots[f"strengths_{language}"] = _by_question(report.strengths, language, scale), title
    if not report.target_finding.empty:
        title = f"How often people find the target, with {CONFIDENCE:.0%} intervals and the paper's numbers"
        plots["target_finding"] = _draw_target_finding(report.target_finding), title
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, (figure, title) in plots.items():
            figure.suptitle(title, x=0.01, ha="left", fontsize=11.5, fontweight="bold", color=_INK)
            figure.savefig(folder / f"{name}.png", dpi=_DOTS, metadata={"Software": None})
    except (OSError, ValueError):
        raise RefusedError("folder_unusable", path=str(folder)) from None
    return {f"{name}.png": title for name, (_, title) in plots.items()}


def _by_question(table: pd.DataFrame, language: str, scale: str) -> Figure:
    """Draw a panel of shares or strengths for each question."""
    table = table[table["language"] == language]
    figure = _figure(table["model"].nunique())
    for axes, question in zip(figure.subplots(1, len(QUESTIONS), sharey=True), QUESTIONS, strict=True):
        of_question = table[table["question"] == question]
        is_tied = of_question["model"] == TIED
        names = of_question["model"].mask(is_tied, words()("results.tied"))
        _bars(axes, names.tolist(), of_question, np.where(is_tied, _ASIDE, _BAR).tolist())
        axes.set(title=words()(f"results.about_{question}"), xlabel=scale)
    return figure


def _draw_target_finding(table: pd.DataFrame) -> Figure:
    figure = _figure(len(table))
    axes = figure.add_subplot()
    rows = np.arange(len(table))
    names = [f"{words()(f'results.mode_{row.mode}')}, {words().named(row.language)}" for row in table.itertuples()]
    _bars(axes, names, table, [_BAR] * len(table))
    in_paper = table["paper"].notna().to_numpy()
    if in_paper.any():
        paper = 100 * table["paper"].to_numpy()
        axes.plot(paper[in_paper], rows[in_paper], "D", color=_PAPER, markersize=7, label=words()("results.in_paper"))
    axes.plot(100 * table["chance"], rows, "|", color=_INK, markersize=18, label=words()("results.chance"))
    axes.set(xlabel="% right")
    axes.legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1, 1))
    return figure


def _figure(rows: int) -> Figure:
    from matplotlib.figure import Figure  # noqa: PLC0415  the page writes tables without plots

    return Figure(figsize=(9, _ROUND + _ROW * rows), layout="constrained")


def _bars(axes: Axes, names: Sequence[str], table: pd.DataFrame, colours: Sequence[str]) -> None:
    """Draw bars with their intervals, and their values at the right."""
    values = 100 * table["value"].to_numpy()
    # A value may lie slightly outside of its interval; a missing interval has no error bar.
    spread = np.nan_to_num(np.maximum([values - 100 * table["low"], 100 * table["high"] - values], 0))
    rows = range(len(names))
    whiskers = {"capsize": 4, "linewidth": 1.5, "ecolor": _INK}
    axes.barh(rows, values, xerr=spread, color=colours, height=0.62, error_kw=whiskers)
    for row, value in zip(rows, values, strict=True):
        axes.text(102, row, f"{value:.0f} %", va="center", color=_INK, clip_on=False)
    axes.set_yticks(rows, names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, 100)
    axes.grid(axis="x", color="#e4e0d8")
    axes.set_axisbelow(True)
    axes.tick_params(length=0, colors=_INK)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
