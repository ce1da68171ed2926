"""The card's plots: joint distances, description lengths, common words, balance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fmp_models.data.statistics import Statistics, TextStatistics, common_words

DEVANAGARI = "Noto Sans Devanagari"
LANGUAGE_NAMES = {"en": "English", "hi": "Hindi"}

_COLOURS = ("#2a5c8a", "#d9822b", "#5b8c5a", "#8a4f7d")
_MAX_WORD_CHARS = 30  # characters shown
_MAX_BARS = 100  # of a balance plot; the paper has 20 animations and 25 rooms
_FURTHEST = 2.0  # metres shown; larger distances are counted in the last bar


def draw_plots(
    folder: Path, of_configs: Mapping[str, Statistics], of_splits: Mapping[str, Statistics]
) -> dict[str, str]:
    """Write the plots that the data allows into ``folder``; return their captions by file name, in order.

    ``of_configs`` are the statistics of whole configurations, ``of_splits`` those of the splits of the first one. Hindi
    words are drawn only if a Devanagari font is installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    first = next(iter(of_configs.values()))
    drawn: dict[str, tuple[Figure, str]] = {}
    if any(len(statistics.distances) for statistics in of_configs.values()):
        drawn["joint_distances"] = _joint_distances(of_configs), "Mean joint distance between the two poses of a pair"
    drawn["description_lengths"] = _description_lengths(first.texts), "Words in a description"
    for language, name in LANGUAGE_NAMES.items():
        words = common_words(first.texts[language], language)
        if words and (language != "hi" or has_devanagari()):
            caption = f"The {len(words)} most common {name} words without stop words"
            drawn[f"common_words_{language}"] = _common_words(words, language), caption
    drawn["balance"] = _balance(of_splits), "Pairs of each character, room and animation"
    for name, (figure, _) in drawn.items():
        figure.savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})
    return {f"{name}.png": caption for name, (_, caption) in drawn.items()}


def has_devanagari() -> bool:
    """Return whether a Devanagari font is installed."""
    return DEVANAGARI in font_manager.get_font_names()


def _joint_distances(of_configs: Mapping[str, Statistics]) -> Figure:
    figure, axes = _figure(7, 3.2)
    for (config, statistics), colour in zip(of_configs.items(), _COLOURS, strict=False):
        if len(statistics.distances):
            means = statistics.distances[:, 0]
            axes.hist(
                np.minimum(means, _FURTHEST),
                bins=np.linspace(0, _FURTHEST, 81).tolist(),
                weights=np.full(len(means), 100 / len(means)),
                histtype="step",
                linewidth=1.6,
                color=colour,
                label=f"{config}: mean {means.mean():.2f} m",
            )
    axes.set(xlabel="mean distance over the 20 joints (m)", ylabel="% of pairs", xlim=(0, _FURTHEST))
    axes.legend(frameon=False)
    return figure


def _description_lengths(texts: Mapping[str, TextStatistics]) -> Figure:
    figure, axes = _figure(7, 3.2)
    longest = max([100, *(max(statistics.lengths, default=0) for statistics in texts.values())])
    for (language, statistics), colour in zip(texts.items(), _COLOURS, strict=False):
        if statistics.texts:
            label = f"{LANGUAGE_NAMES[language]}: mean {statistics.length[0]:.1f}"
            axes.hist(
                list(statistics.lengths),
                bins=list(range(0, longest + 5, 4)),
                weights=[100 * statistics.share(count) for count in statistics.lengths.values()],
                histtype="step",
                linewidth=1.6,
                color=colour,
                label=label,
            )
    axes.set(xlabel="words", ylabel="% of descriptions", xlim=(0, longest + 4))
    axes.legend(frameon=False)
    return figure


def _common_words(words: Sequence[tuple[str, int]], language: str) -> Figure:
    figure, axes = _figure(7, 6.4)
    places = range(len(words))
    axes.barh(places, [count for _, count in words], color=_COLOURS[0], height=0.7)
    # Matplotlib would read text between two dollar signs as a formula.
    axes.set_yticks(places, [_shortened(word) for word, _ in words], parse_math=False)
    axes.invert_yaxis()
    axes.margins(y=0.01)
    axes.set_xlabel("times")
    if language == "hi":
        for label in axes.get_yticklabels():
            label.set_fontfamily([DEVANAGARI])
    return figure


def _shortened(word: str) -> str:
    return word if len(word) <= _MAX_WORD_CHARS else f"{word[: _MAX_WORD_CHARS - 1]}…"


def _balance(of_splits: Mapping[str, Statistics]) -> Figure:
    figure = Figure(figsize=(7, 6.4), layout="constrained")
    panels: list[Axes] = list(figure.subplots(3, 1))
    for axes, column in zip(panels, ("characters", "rooms", "animations"), strict=True):
        counts = {split: getattr(statistics, column) for split, statistics in of_splits.items()}
        every = sorted({number for count in counts.values() for number in count})
        numbers = every[:_MAX_BARS]
        below = np.zeros(len(numbers))
        for (split, count), colour in zip(counts.items(), _COLOURS, strict=False):
            heights = np.array([count[number] for number in numbers])
            axes.bar([str(number) for number in numbers], heights, bottom=below, color=colour, label=split)
            below += heights
        shown = f"{column[:-1]}, the first {_MAX_BARS} of {len(every):,}" if len(every) > len(numbers) else column[:-1]
        axes.set(xlabel=shown, ylabel="pairs")
        _plain(axes)
    panels[0].legend(frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    _plain(axes)
    return figure, axes


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
