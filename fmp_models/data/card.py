"""The card of a dataset folder: description, plots, figures next to the paper's, and instructions for loading."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fmp_models.data.features import CAPTIONING_FEATURES, EDITING, EDITING_FEATURES, REAL
from fmp_models.data.folder import (
    ShardWriter,
    complete_contents,
    dataset_contents,
    estimated_rows,
    head,
    read_rows,
    refresh_card,
)
from fmp_models.data.pairs import TEXT_COLUMNS
from fmp_models.data.statistics import COLUMNS, Statistics, TextStatistics, common_words, measure
from fmp_models.errors import BadInputError
from fmp_models.languages import LANGUAGES, grammar, text_properties
from fmp_models.pose import JOINTS

_HERE = Path(__file__).parent
LATIN_FONT = "DejaVu Sans"
_NONE = "–"
_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)

_ESTIMATED = (
    "`estimated_joints` is another configuration with one row a picture, keyed by the name and hash of its file: "
    "`estimated_joints` (20 x 3 float32, metres from the hip in the frame of the tilted camera; null if no person "
    "was found), `image_joints` (20 x 2, pixels) and `visibility`, as {estimator} measured them."
)

PerSplit = Mapping[str, Mapping[str, Statistics]]


def write_simulated_card(  # noqa: PLR0913 - each is a fact about the build
    out: Path,
    pairs: int,
    seed: int,
    flaws: Mapping[str, int],
    recordings: Sequence[str] = (),
    *,
    acknowledged: bool = False,
) -> None:
    """Write ``README.md`` and ``plots/`` of a simulated dataset.

    ``flaws`` counts the captures left out, by reason. ``recordings`` are the names of the motion captures used.
    ``acknowledged`` adds the acknowledgement that one of their databases asks for.
    """
    remarks = [f"Left out while making it: {_listed(flaws)}."] if flaws else []
    if recordings:
        remarks.append(
            f"Motion captures in addition to the 20 movements, with licences of their own: {', '.join(recordings)}."
        )
    if acknowledged:
        remarks.append(" ".join(_words()["simulated"]["acknowledgement"].split()))
    added = "".join(f" --bvh {name}" for name in recordings)
    _write(out, "simulated", {"pairs": str(pairs), "seed": str(seed), "recordings": added}, remarks)


def write_official_card(out: Path, findings: Sequence[str]) -> None:
    """Write ``README.md`` and ``plots/`` of the imported release; ``findings`` are the lines of the importer."""
    _write(out, "official", {}, [f"Found while importing: {finding}." for finding in findings])


def write_pairs_card(out: Path, languages: Sequence[str], findings: Sequence[str], section: str = "pairs") -> None:
    """Write ``README.md`` of an image-difference set; ``findings`` are remarks, ``section`` has the words."""
    words, name = _words()[section], out.resolve().name
    sizes = complete_contents(out)["captioning"]
    about = {
        "pretty_name": name,
        "license": words["license"],
        "language": [*languages],
        "task_categories": ["image-to-text"],
        "size_categories": [_size(sum(size.rows for size in sizes.values()))],
        "tags": words["tags"],
    }
    table = _markdown(["split", "pairs"], [[f"`{split}`", f"{size.rows:,}"] for split, size in sizes.items()])
    remarks = "".join(f"- {finding}.\n" for finding in findings)
    body = f"# {name}\n{words['what']}\n\n{table}\n\n{remarks}\nMade by `{words['again']}`.\n"
    (out / "README.md").write_text(head(out, about) + body, encoding="utf-8")


def write_collected_dataset(
    out: Path, rows: Mapping[str, Sequence[Mapping[str, Any]]], command: str, remarks: Sequence[str]
) -> None:
    """Write rows that people described as a dataset folder with its card; ``remarks`` tell about the answers.

    ``rows`` are by split, with any of the columns of ``captioning``; joints of another skeleton are left out. Raise
    :class:`BadInputError`: ``folder_not_empty``, ``nothing_collected``.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInputError("folder_not_empty", path=str(out))
    if not any(rows.values()):
        raise BadInputError("nothing_collected")
    for split, of_split in rows.items():
        with ShardWriter(out, REAL if split == REAL else "captioning", split) as writer:
            for row in of_split:
                writer.add(_collected_row(row))
    _write(out, "collected", {"command": command}, remarks)


def _collected_row(row: Mapping[str, Any]) -> dict[str, Any]:
    columns = {name: row.get(name) for name in CAPTIONING_FEATURES}
    known = {f"descriptions_{language}": columns[f"descriptions_{language}"] or [] for language in LANGUAGES}
    poses = {name: columns[name] for name in ("current_joints", "target_joints")}
    joints = {name: pose if pose and np.shape(pose) == (len(JOINTS), 3) else None for name, pose in poses.items()}
    return {**columns, **known, **joints}


def _words() -> dict[str, Any]:
    return tomllib.loads((_HERE / "card_words.toml").read_text(encoding="utf-8"))


def _write(out: Path, kind: str, values: Mapping[str, str], remarks: Iterable[str]) -> None:
    table = _words()
    words, paper = table[kind], table["paper"]
    per_split = {
        config: {split: measure(read_rows(out, config, split, COLUMNS), _properties_of) for split in splits}
        for config, splits in dataset_contents(out).items()
    }
    whole = {config: reduce(add, splits.values()) for config, splits in per_split.items()}
    first = next(iter(per_split))
    plots = draw_plots(out / "plots", whole, per_split[first])
    missing_fonts = [
        f"The plot of {words.english_name} words is left out: no {words.script} font was installed."
        for words in map(grammar, LANGUAGES)
        if font_of(words.code) is None
    ]
    measured = next((row["estimator"] for row in estimated_rows(out)), None)
    remarks = [*remarks, *([] if measured is None else [_ESTIMATED.format(estimator=measured)])]
    about = {
        "pretty_name": words["name"],
        "license": words["license"],
        "language": list(LANGUAGES),
        "task_categories": ["image-to-text"],
        "size_categories": [_size(sum(statistics.pairs for statistics in whole.values()))],
        "tags": words["tags"],
    }
    body = Template((_HERE / "card_template.md").read_text(encoding="utf-8")).substitute(
        name=words["name"],
        what=words["what"],
        made=words["made"],
        limits=words["limits"],
        again=Template(words["again"]).substitute(values),
        text_columns=", ".join(f"`{column}`" for column in TEXT_COLUMNS),
        joints=", ".join(joint.replace("_", " ") for joint in JOINTS),
        splits=_splits(per_split, paper),
        numbers=_numbers(whole, paper["section_5"]),
        properties=_properties(whole, paper["properties"]),
        balance=_balance_table(per_split),
        pictures=_pictures(out, plots),
        remarks="".join(f"- {remark}\n" for remark in [*remarks, *missing_fonts]),
        config=first,
        configs=" or ".join(f'"{config}"' for config in per_split),
        split=next(iter(per_split[first])),
    )
    (out / "README.md").write_text(head(out, about) + body + _editing_section(out), encoding="utf-8")


_EDITING_TITLE = "\n## Texts to edit\n"
_EXAMPLES = 10


def write_editing_card(out: Path) -> None:
    """Add the texts to edit to a dataset's card, or describe them again."""
    refresh_card(out, lambda body: body.partition(_EDITING_TITLE)[0].rstrip() + "\n" + _editing_section(out))


_COUNTERFACTUAL_TITLE = "\n## What if\n"


def write_counterfactual_card(out: Path, audits: Mapping[str, Mapping[str, Any]]) -> None:
    """Add the questions about imagined changes to a dataset's card with their audits, or describe them again."""
    biases = [*dict.fromkeys(name for audit in audits.values() for name in audit if isinstance(audit[name], float))]
    rows = [[split, f"{audit['n']:,}", *(f"{audit[bias]:.1f} %" for bias in biases)] for split, audit in audits.items()]
    table = _markdown(["split", "questions", *(bias.replace("_", " ") for bias in biases)], rows)
    said = "\n".join(_words()["counterfactual"]["what"].strip().splitlines())

    def changed(body: str) -> str:
        start = body.partition(_EDITING_TITLE)[0].partition(_COUNTERFACTUAL_TITLE)[0].rstrip()
        return f"{start}\n{_COUNTERFACTUAL_TITLE}\n{said}\n\n{table}\n{_editing_section(out)}"

    refresh_card(out, changed)


def _editing_section(out: Path) -> str:
    """Return the last section of the card; empty for a dataset without texts to edit."""
    splits = complete_contents(out).get(EDITING, {})
    rows = {split: [*read_rows(out, EDITING, split, list(EDITING_FEATURES))] for split in splits}
    if not any(rows.values()):
        return ""
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for split, of_split in rows.items():
        for row in of_split:
            groups.setdefault((split, row["language"], row["kind"]), []).append(row)
    table = [
        [
            *(f"`{name}`" for name in key),
            f"{len(of_group):,}",
            *(f"{np.mean([len(row[column].split()) for row in of_group]):.1f}" for column in ("ref_cap", "gt_cap")),
            f"{np.mean([row['editing_steps'] for row in of_group]):.2f}",
        ]
        for key, of_group in groups.items()
    ]
    last = [row for row in [*rows.values()][-1] if row["editing_steps"]]
    shown = [last[i * len(last) // _EXAMPLES] for i in range(min(_EXAMPLES, len(last)))]
    examples = "\n\n".join(
        "\n".join(f"    {name}: {' '.join(row[name].split())}" for name in ("kind", "ref_cap", "gt_cap"))
        for row in shown
    )
    titles = ("split", "language", "kind", "texts", "words of Ref-Cap", "words of GT-Cap", "mean ES")
    said = "\n".join(_words()["editing"]["what"].strip().splitlines())
    return f"{_EDITING_TITLE}\n{said}\n\n{_markdown(titles, table)}\n\nExamples of the last split:\n\n{examples}\n"


def write_dialogue_card(out: Path, about: Mapping[str, Any], figures: Mapping[str, Any]) -> None:
    """Write the card of a dataset of dialogues with its figures and plots; ``about`` is the head of the pairs' card."""
    words, late, paper = _words()["dialogue"], figures["after_round_3"], figures["paper"]
    rows = [
        [
            "mean distance of coreference (rounds)",
            f"{figures['mean_coreference_distance']:.2f}",
            paper["mean_coreference_distance"],
        ],
        *(
            [
                f"mean question length (words), {grammar(code).english_name}",
                f"{of_code['mean_question_length']:.1f}",
                paper["mean_question_length"],
            ]
            for code, of_code in figures["languages"].items()
        ),
        *(
            [f"{name} after round 3", f"{100 * share:.1f} %", paper["after_round_3"].get(name, _NONE)]
            for name, share in late.items()
        ),
        *([f"dependence `{name}`", f"{100 * figures[name]:.1f} %", _NONE] for name in ("none", "all", "coref")),
        ["different questions", f"{figures['unique_questions']:,} of {figures['questions']:,}", _NONE],
    ]
    kinds = [
        [f"`{kind}`", f"{count:,}", f"{100 * figures['commonest_answer'][kind]:.0f} %"]
        for kind, count in figures["kinds"].items()
    ]
    (out / "plots").mkdir(exist_ok=True)
    for name, figure in (
        ("distances", _distances_plot(figures["distances"])),
        ("rounds", _rounds_plot(figures["by_round"])),
    ):
        figure.savefig(out / "plots" / f"{name}.png", dpi=110, metadata={"Software": None})
    head_of = {
        **{key: value for key, value in about.items() if key not in {"configs", "dataset_info"}},
        "pretty_name": words["name"],
        "task_categories": ["visual-question-answering"],
    }
    table = _markdown(["", "here", "CLEVR-Dialog"], [list(map(str, row)) for row in rows])
    body = (
        f"# {words['name']}\n\n{words['what'].strip()}\n\n{table}\n\n"
        "![Distances of coreference](plots/distances.png)\n\n![Questions by round](plots/rounds.png)\n\n"
        f"{_markdown(['kind', 'questions', 'commonest answer'], kinds)}\n"
    )
    (out / "README.md").write_text(head(out, head_of) + body, encoding="utf-8")


def _distances_plot(distances: Mapping[int, int]) -> Figure:
    figure, axes = _figure(7, 3.2)
    axes.bar([*distances], [100 * count / sum(distances.values()) for count in distances.values()], color=_COLOURS[0])
    axes.set(xlabel="rounds back to what is meant", ylabel="% of coreferences")
    return figure


def _rounds_plot(by_round: Sequence[Mapping[str, float]]) -> Figure:
    figure, axes = _figure(7, 3.2)
    below = np.zeros(len(by_round))
    for name, colour in zip(
        sorted({name for shares in by_round for name in shares}), (*_COLOURS, "#999999"), strict=False
    ):
        heights = np.array([100 * shares.get(name, 0) for shares in by_round])
        axes.bar(range(1, len(by_round) + 1), heights, bottom=below, label=name, color=colour)
        below += heights
    axes.set(xlabel="round", ylabel="% of questions")
    axes.legend(frameon=False, ncols=5, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def _splits(per_split: PerSplit, paper: Mapping[str, Any]) -> str:
    rows = []
    for config, splits in per_split.items():
        for split, statistics in splits.items():
            texts = [f"{statistics.texts[language].texts:,}" for language in LANGUAGES]
            theirs = [_thousands(paper[kind].get(config, {}).get(split)) for kind in ("pairs", "descriptions")]
            rows.append([f"`{config}`", f"`{split}`", f"{statistics.pairs:,}", *texts, *theirs])
    columns = [f"descriptions {LANGUAGES[0]}", *LANGUAGES[1:]]
    titles = ["configuration", "split", "pairs", *columns, "paper: pairs", "paper: descriptions"]
    return _markdown(titles, rows)


def _numbers(whole: Mapping[str, Statistics], paper: Mapping[str, str]) -> str:
    columns = [_section_5(statistics) for statistics in whole.values()]
    rows = [[label, *cells, theirs] for (label, theirs), *cells in zip(paper.items(), *columns, strict=True)]
    return _markdown(["", *(f"`{config}`" for config in whole), "paper"], rows)


def _section_5(statistics: Statistics) -> list[str]:
    """Return one column of the table, in the order of ``[paper.section_5]``."""
    distance, english, hindi = statistics.joint_distance, statistics.texts["en"], statistics.texts["hi"]
    return [
        *([_NONE] * 4 if distance is None else [f"{metres:.2f}" for metres in distance]),
        _thousands(len(english.tokens) or None),
        _thousands(len(hindi.tokens) or None),
        _length(english),
        _length(hindi),
        _percent(english, english.well_written),
    ]


def _length(texts: TextStatistics) -> str:
    mean, deviation, least, most = texts.length
    return f"{mean:.2f} ± {deviation:.2f} ({least}–{most})" if texts.texts else _NONE


def _percent(texts: TextStatistics, count: int) -> str:
    return f"{100 * texts.share(count):.1f} %" if texts.texts else _NONE


def _properties(whole: Mapping[str, Statistics], paper: Mapping[str, Mapping[str, str]]) -> str:
    rows = [
        [
            entry["said"],
            *(
                _percent(statistics.texts["en"], statistics.texts["en"].properties[name])
                for statistics in whole.values()
            ),
            entry["share"],
        ]
        for name, entry in paper.items()
    ]
    return _markdown(["", *(f"`{config}`" for config in whole), "paper"], rows)


def _balance_table(per_split: PerSplit) -> str:
    numbers = sorted(
        {number for splits in per_split.values() for statistics in splits.values() for number in statistics.characters}
    )
    rows = [
        [f"`{config}`", f"`{split}`", *(f"{statistics.characters[number]:,}" for number in numbers)]
        for config, splits in per_split.items()
        for split, statistics in splits.items()
    ]
    return _markdown(["configuration", "split", *(f"character {number}" for number in numbers)], rows)


def _pictures(out: Path, plots: Mapping[str, str]) -> str:
    figures = [f"![{caption}](plots/{name})" for name, caption in plots.items()]
    sheets = [
        f"![{path.stem.replace('_', ' ').capitalize()}](sheets/{path.name})"
        for path in sorted((out / "sheets").glob("*.jpg"))
    ]
    sections = [("### Plots", figures), ("## Contact sheets", sheets)]
    return "".join(f"\n{title}\n\n" + "\n\n".join(lines) + "\n" for title, lines in sections if lines) + "\n"


def _markdown(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in sorted(counts.items()))


def _thousands(number: int | None) -> str:
    return _NONE if number is None else f"{number:,}"


def _size(rows: int) -> str:
    return next((name for below, name in _SIZES if rows < below), "n>10M")


def _properties_of(text: str, language: str) -> Iterable[str]:
    return text_properties(text, grammar(language))


_COLOURS = ("#2a5c8a", "#d9822b", "#5b8c5a", "#8a4f7d")
_MAX_WORD_CHARS = 30  # characters shown
_MAX_BARS = 100  # of a balance plot; the paper has 20 animations and 25 rooms
_FURTHEST = 2.0  # metres shown; larger distances are counted in the last bar


def draw_plots(
    folder: Path, of_configs: Mapping[str, Statistics], of_splits: Mapping[str, Statistics]
) -> dict[str, str]:
    """Write the plots that the data allows into ``folder``; return their captions by file name, in order.

    ``of_configs`` are the statistics of whole configurations, ``of_splits`` those of the splits of the first one. Words
    of a language are drawn only if a font of its script is installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    first = next(iter(of_configs.values()))
    drawn: dict[str, tuple[Figure, str]] = {}
    if any(len(statistics.distances) for statistics in of_configs.values()):
        drawn["joint_distances"] = _joint_distances(of_configs), "Mean joint distance between the two poses of a pair"
    drawn["description_lengths"] = _description_lengths(first.texts), "Words in a description"
    for language in LANGUAGES:
        words, font = common_words(first.texts[language], language), font_of(language)
        if words and font:
            caption = f"The {len(words)} most common {grammar(language).english_name} words without stop words"
            drawn[f"common_words_{language}"] = _common_words(words, font), caption
    drawn["balance"] = _balance_plot(of_splits), "Pairs of each character, room and animation"
    for name, (figure, _) in drawn.items():
        figure.savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})
    return {f"{name}.png": caption for name, (_, caption) in drawn.items()}


def font_of(language: str) -> str | None:
    """Return the name of an installed font with the script of a language; None if there is none."""
    script = grammar(language).script
    name = LATIN_FONT if script == "Latin" else f"Noto Sans {script}"
    return name if name in font_manager.get_font_names() else None


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
            label = f"{grammar(language).english_name}: mean {statistics.length[0]:.1f}"
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


def _common_words(words: Sequence[tuple[str, int]], font: str) -> Figure:
    figure, axes = _figure(7, 6.4)
    places = range(len(words))
    axes.barh(places, [count for _, count in words], color=_COLOURS[0], height=0.7)
    # Matplotlib would read text between two dollar signs as a formula.
    axes.set_yticks(places, [_shortened(word) for word, _ in words], parse_math=False)
    axes.invert_yaxis()
    axes.margins(y=0.01)
    axes.set_xlabel("times")
    for label in axes.get_yticklabels():
        label.set_fontfamily([font])
    return figure


def _shortened(word: str) -> str:
    return word if len(word) <= _MAX_WORD_CHARS else f"{word[: _MAX_WORD_CHARS - 1]}…"


def _balance_plot(of_splits: Mapping[str, Statistics]) -> Figure:
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
