"""A report's plots: shares of the votes, strengths, and how often people find the target."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from annotate.errors import RefusedError
from annotate.intervals import CONFIDENCE, Estimate
from annotate.report import Preferences, Report
from annotate.report_text import ABOUT, LANGUAGES
from annotate.statistics import QUESTIONS
from annotate.target_finding import Accuracy

_COLOURS = ("#2a5c8a", "#d9822b", "#5b8c5a")
_ROW = 0.34  # inches


def draw_plots(folder: Path, report: Report) -> dict[str, str]:
    """Write the plots that the answers allow into ``folder``; file name and what it shows, in order.

    Raise :class:`RefusedError`: ``folder_unusable``.
    """
    drawn: dict[str, tuple[Figure, str]] = {}
    for language, one in report.preferences.items():
        name = LANGUAGES.get(language, language)
        drawn[f"shares_{language}"] = _shares(one), f"Shares of the votes in {name}, with {CONFIDENCE:.0%} intervals"
        said = f"Strength of each model in {name} (Bradley-Terry), with {CONFIDENCE:.0%} intervals"
        drawn[f"strengths_{language}"] = _strengths(one), said
    if report.target_finding:
        said = f"How often people find the target, with {CONFIDENCE:.0%} intervals and the paper's numbers"
        drawn["target_finding"] = _target_finding(report.target_finding), said
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, (figure, _) in drawn.items():
            figure.savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})
    except (OSError, ValueError):
        raise RefusedError("folder_unusable", path=str(folder)) from None
    return {f"{name}.png": said for name, (_, said) in drawn.items()}


def _shares(one: Preferences) -> Figure:
    figure, panels = _panels(len(one.votes.models) + 1)
    for axes, question in zip(panels, QUESTIONS, strict=True):
        found = one.shares[question]
        _bars(axes, [*one.votes.models, "tied"], [*found.of.values(), found.tied], _COLOURS[0])
        axes.set(title=ABOUT[question], xlabel="% of votes", xlim=(0, 100))
    return figure


def _strengths(one: Preferences) -> Figure:
    figure, panels = _panels(len(one.votes.models))
    for axes, question in zip(panels, QUESTIONS, strict=True):
        found = one.strengths[question]
        _bars(axes, list(found), list(found.values()), _COLOURS[2])
        axes.set(title=ABOUT[question], xlabel="strength, all together 100", xlim=(0, 100))
    return figure


def _target_finding(found: Sequence[Accuracy]) -> Figure:
    figure = Figure(figsize=(7, 1.2 + _ROW * len(found)), layout="constrained")
    axes = figure.add_subplot()
    _bars(axes, [f"{one.mode}, {one.language}" for one in found], [one.right for one in found], _COLOURS[0])
    paper = [(100 * one.paper, row) for row, one in enumerate(found) if one.paper is not None]
    if paper:
        axes.plot(*zip(*paper, strict=True), "D", color=_COLOURS[1], label="paper")
    axes.plot([100 * one.chance for one in found], range(len(found)), "|", color="black", markersize=12, label="chance")
    axes.set(xlabel="% right", xlim=(0, 101))
    axes.legend(frameon=False, ncols=2, loc="lower left", bbox_to_anchor=(0, 1))
    return figure


def _panels(rows: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(9, 1.2 + _ROW * rows), layout="constrained")
    return figure, list(figure.subplots(1, len(QUESTIONS), sharey=True))


def _bars(axes: Axes, names: Sequence[str], found: Sequence[Estimate], colour: str) -> None:
    values = np.array([100 * one.value for one in found])
    ends = np.array([100 * np.array(one.interval or (one.value, one.value)) for one in found]).T
    # The value of many draws may lie a hair beyond the ends of its interval.
    spread = np.maximum([values - ends[0], ends[1] - values], 0)
    rows = range(len(names))
    axes.barh(rows, values, xerr=spread, color=colour, height=0.6, error_kw={"capsize": 3, "linewidth": 1.2})
    axes.set_yticks(rows, names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.spines[["top", "right"]].set_visible(False)
