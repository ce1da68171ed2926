"""A report's plots: shares of the votes, strengths, and how often people find the target.

They speak English alone: what draws them cannot join the letters of Devanagari. The page draws its own, in HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from annotate.analysis.bootstrap import CONFIDENCE, Estimate
from annotate.analysis.report import Preferences, Report
from annotate.analysis.report_strings import words
from annotate.analysis.target_accuracy import Accuracy
from annotate.analysis.votes import QUESTIONS
from annotate.errors import RefusedError

_INK, _BAR, _ASIDE, _PAPER = "#1b2a2e", "#79b3b5", "#c3c7c3", "#b3311a"
_ROW = 0.42  # inches
_ROUND = 1.45  # inches of titles and scale
_DOTS = 160  # an inch


def draw_plots(folder: Path, report: Report) -> dict[str, str]:
    """Write the plots that the answers allow into ``folder``; file name and what it shows, in order.

    Raise :class:`RefusedError`: ``folder_unusable``.
    """
    drawn: dict[str, tuple[Figure, str]] = {}
    for language, one in report.preferences.items():
        name = words().named(language)
        drawn[f"shares_{language}"] = _shares(one), f"Shares of the votes in {name}, with {CONFIDENCE:.0%} intervals"
        said = f"Strength of each model in {name} (Bradley-Terry), with {CONFIDENCE:.0%} intervals"
        drawn[f"strengths_{language}"] = _strengths(one), said
    if report.target_finding:
        said = f"How often people find the target, with {CONFIDENCE:.0%} intervals and the paper's numbers"
        drawn["target_finding"] = _target_finding(report.target_finding), said
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, (figure, said) in drawn.items():
            figure.suptitle(said, x=0.01, ha="left", fontsize=11.5, fontweight="bold", color=_INK)
            figure.savefig(folder / f"{name}.png", dpi=_DOTS, metadata={"Software": None})
    except (OSError, ValueError):
        raise RefusedError("folder_unusable", path=str(folder)) from None
    return {f"{name}.png": said for name, (_, said) in drawn.items()}


def _shares(one: Preferences) -> Figure:
    figure, panels = _panels(len(one.votes.models) + 1)
    for axes, question in zip(panels, QUESTIONS, strict=True):
        found = one.shares[question]
        colours = [*[_BAR] * len(one.votes.models), _ASIDE]
        _bars(axes, [*one.votes.models, words()("results.tied")], [*found.of.values(), found.tied], colours)
        axes.set(title=words()(f"results.about_{question}"), xlabel="% of votes")
    return figure


def _strengths(one: Preferences) -> Figure:
    figure, panels = _panels(len(one.votes.models))
    for axes, question in zip(panels, QUESTIONS, strict=True):
        found = one.strengths[question]
        _bars(axes, list(found), list(found.values()), [_BAR] * len(found))
        axes.set(title=words()(f"results.about_{question}"), xlabel="strength; all models together have 100")
    return figure


def _target_finding(found: Sequence[Accuracy]) -> Figure:
    figure = Figure(figsize=(9, _ROUND + _ROW * len(found)), layout="constrained")
    axes = figure.add_subplot()
    names = [f"{words()(f'results.mode_{one.mode}')}, {words().named(one.language)}" for one in found]
    _bars(axes, names, [one.right for one in found], [_BAR] * len(found))
    paper = [(100 * one.paper, row) for row, one in enumerate(found) if one.paper is not None]
    if paper:
        axes.plot(*zip(*paper, strict=True), "D", color=_PAPER, markersize=7, label=words()("results.in_paper"))
    chance = [100 * one.chance for one in found]
    axes.plot(chance, range(len(found)), "|", color=_INK, markersize=18, label=words()("results.chance"))
    axes.set(xlabel="% right")
    axes.legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1, 1))
    return figure


def _panels(rows: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(9, _ROUND + _ROW * rows), layout="constrained")
    return figure, list(figure.subplots(1, len(QUESTIONS), sharey=True))


def _bars(axes: Axes, names: Sequence[str], found: Sequence[Estimate], colours: Sequence[str]) -> None:
    """Bars with their intervals, and their values at the right."""
    values = np.array([100 * one.value for one in found])
    ends = np.array([100 * np.array(one.interval or (one.value, one.value)) for one in found]).T
    # The value of many draws may lie a hair beyond the ends of its interval.
    spread = np.maximum([values - ends[0], ends[1] - values], 0)
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
