"""Plots of a report: shares of the votes, strengths, and how often people find the target.

Their text is English only: Matplotlib cannot shape Devanagari. The page draws its own plots in HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from annotate.analysis.bootstrap import CONFIDENCE
from annotate.analysis.report import Report
from annotate.analysis.report_strings import words
from annotate.analysis.votes import QUESTIONS, TIED
from annotate.errors import RefusedError

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
        plots["target_finding"] = _target_finding(report.target_finding), title
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
    figure = Figure(figsize=(9, _ROUND + _ROW * table["model"].nunique()), layout="constrained")
    for axes, question in zip(figure.subplots(1, len(QUESTIONS), sharey=True), QUESTIONS, strict=True):
        of_question = table[table["question"] == question]
        is_tied = of_question["model"] == TIED
        names = of_question["model"].mask(is_tied, words()("results.tied"))
        _bars(axes, names.tolist(), of_question, np.where(is_tied, _ASIDE, _BAR).tolist())
        axes.set(title=words()(f"results.about_{question}"), xlabel=scale)
    return figure


def _target_finding(table: pd.DataFrame) -> Figure:
    figure = Figure(figsize=(9, _ROUND + _ROW * len(table)), layout="constrained")
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
