"""``curves.png``: a plot of a run's log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fmp_models.files.atomic_write import replace_file

Line = Mapping[str, Any]

_ABOUT = frozenset({"step", "epoch", "seconds", "best"})  # keys of every line that are not plotted
_SHOWN = 6  # maximum number of curves per panel


def draw_curves(log: Sequence[Line], metric: str, path: Path) -> None:
    """Plot losses and learning rate above, scores below, over steps; do nothing if the log is empty.

    ``log`` are the lines of ``log.jsonl`` in order; ``metric`` is the score that selects the best weights.
    """
    training = [line for line in log if "best" not in line]
    validation = [line for line in log if "best" in line]
    if not log:
        return
    figure = Figure(figsize=(8, 6.4), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    _draw(above, training, _names(training, first="loss", without={"rate", "gradient"}))
    above.set_ylabel("loss in training")
    _draw(below, validation, _names(validation, first=metric))
    for line in validation[::-1]:
        if line["best"]:
            below.axvline(line["step"], color="#888888", linewidth=0.8)
            below.set_title(f"best {metric} {line[metric]:.4g} at step {line['step']}", fontsize=10)
            break
    below.set(xlabel="step", ylabel="score in validation")
    replace_file(path, lambda new: figure.savefig(new, format="png", dpi=110, metadata={"Software": None}))


def _names(lines: Sequence[Line], first: str, without: frozenset[str] | set[str] = frozenset()) -> list[str]:
    """Return the names of the values to plot, the most important first."""
    names = dict.fromkeys([first] if lines else [])
    names.update(dict.fromkeys(key for line in lines for key in line if key not in _ABOUT | without))
    return list(names)[:_SHOWN]


def _draw(axes: Axes, lines: Sequence[Line], names: Sequence[str]) -> None:
    for name in names:
        points = [(line["step"], line[name]) for line in lines if name in line]
        axes.plot(*zip(*points, strict=True), label=name, linewidth=1.6 if name == names[0] else 1.0, marker=".")
    axes.spines[["top", "right"]].set_visible(False)
    if names:
        axes.legend(frameon=False, fontsize=8)
