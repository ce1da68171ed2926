"""Cards of models: the content of a model folder, its measured scores as tables, and the filled templates.

Scores stand beside the paper's, and in the ``model-index`` that the Hub reads. Numbers come only from the files of the
checkpoint; missing ones are not shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from huggingface_hub import EvalResult, ModelCardData
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from safetensors import SafetensorError, safe_open

from fmp_models.errors import BadInputError
from fmp_models.evaluation import (
    DIFFERENT_DATA,
    EXAMPLES,
    QUESTION_RESULTS_FILE,
    REAL_RESULTS_FILE,
    KeptTable,
    QuestionsResult,
    QuestionsResults,
    RealResult,
    RealResults,
    current_score_name,
    read_results,
    score_text,
    score_title,
    scores_text,
)
from fmp_models.hub import CARD, CHECKPOINTS, CONFIG, TRAINING, WEIGHTS, TrainingRecord, bundled_names, resolve_model
from fmp_models.languages import LANGUAGES, SPECIALS, grammar
from fmp_models.metrics import paper_columns, paper_scores, paper_splits

EVALUATION, TABLES = "evaluation.json", "tables"


@dataclass(frozen=True)
class Evaluated:
    """Content of ``evaluation.json``: the scores of one model by split and, if it has languages, by language."""

    revision: str
    dataset: Mapping[str, str]
    command: str
    splits: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Described:
    """Content of ``config.json``: the ``kind``, the vocabulary size by language, and the network's configuration."""

    kind: Literal["captioner", "retriever", "editor", "estimator", "lifter"]
    vocabularies: Mapping[str, int]
    network: Mapping[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """A model folder; a missing result is None or empty.

    ``parameters`` is the number of values in its tensors, ``weight_bytes`` the size of their files.
    """

    folder: Path
    name: str
    revision: str
    parameters: int
    weight_bytes: int
    described: Described
    training: TrainingRecord | None = None
    evaluated: Evaluated | None = None
    tables: tuple[KeptTable, ...] = field(default=())
    real: RealResults | None = None
    asked: QuestionsResults | None = None

    @property
    def sort(self) -> str:
        """Name of its card template: that of its kind, or ``vision-only``, ``language-only``, ``space``."""
        network = self.described.network
        if self.described.kind != "captioner":
            return "space" if network.get("space") else self.described.kind
        if not network.get("vision", True):
            return "language-only"
        return "captioner" if network.get("previous_words", True) else "vision-only"


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read everything except the weights; raise ``BadInputError``: ``results_damaged``, or as ``resolve_model`` does.

    Raise ``model_incomplete`` if there are no weights, and ``model_damaged`` if their header cannot be read.
    """
    found = resolve_model(str(folder.resolve()))
    weights = sorted(folder.glob(WEIGHTS))
    if not weights:
        raise BadInputError("model_incomplete", model=folder.name, file="model.safetensors")
    return Checkpoint(
        folder,
        folder.resolve().name,
        found.revision,
        sum(_tensor_values(file, folder) for file in weights),
        sum(file.stat().st_size for file in weights),
        read_results(Described, folder / CONFIG),
        read_results(TrainingRecord, folder / TRAINING) if (folder / TRAINING).is_file() else None,
        read_results(Evaluated, folder / EVALUATION) if (folder / EVALUATION).is_file() else None,
        _tables(folder),
        read_results(RealResults, folder / REAL_RESULTS_FILE) if (folder / REAL_RESULTS_FILE).is_file() else None,
        read_results(QuestionsResults, folder / QUESTION_RESULTS_FILE)
        if (folder / QUESTION_RESULTS_FILE).is_file()
        else None,
    )


def tables_beside(folder: Path) -> list[KeptTable]:
    """Return the tables of the other models in the parent folder."""
    own = folder.resolve()
    models = (config.parent for config in sorted(own.parent.glob(f"*/{CONFIG}")))
    return [table for other in models if other != own for table in _tables(other)]


def _tables(folder: Path) -> tuple[KeptTable, ...]:
    return tuple(read_results(KeptTable, path) for path in sorted((folder / TABLES).glob("*.json")))


def bundled_folders(bundled: Path = CHECKPOINTS) -> list[Path]:
    """Return the folders of the bundled models."""
    return [bundled / name for name in bundled_names(bundled)]


def _tensor_values(file: Path, folder: Path) -> int:
    try:
        with safe_open(file, framework="numpy") as tensors:
            return sum(math.prod(tensors.get_slice(name).get_shape()) for name in tensors.keys())  # noqa: SIM118  not a dict
    except (OSError, SafetensorError) as error:
        raise BadInputError("model_damaged", model=folder.name, file=file.name, reason=str(error)) from None


DATASET, DATASET_NAME = "fixmypose-sim", "FixMyPose-Sim"

_NONE = "-"
_FEWER = "; a row without ± has one seed only, which is a further difference"
_COUNT = "n"
_WHOLE = "photographs"
_COUNTS = {
    "clauses_judged": "clauses that could be judged",
    "pairs_carried_out": "pairs whose texts were executed",
    "joints_found": "pairs in which joints were found",
    "photographs_found": "whole pictures in which a person was found",
}
_MORE = {
    "photographs_error": "error in whole pictures (m)",
    "photographs_pixels": "off in whole pictures (pixels)",
}
# Rows of the paper to show beside a model; the first that a split has is used.
_PAPER_ROWS = {
    "captioner": ("V+L, multilingual", "V+L"),
    "vision-only": ("V-only",),
    "language-only": ("L-only",),
}
_REAL = {
    "right": "steps right",
    "opposite": "opposite direction",
    "must": "required changes said",
    "must_said_or_unseen": "said, or reported as not visible",
}
_REAL_LISTS = {"false_all_clear": "“no difference” wrongly", "refused": "refused"}
_COUNTED = {
    "captioner": "pairs",
    "retriever": "questions",
    "editor": "texts",
    "estimator": "pictures",
    "lifter": "looks",
}
_TASKS = {
    "captioner": ("image-to-text", "pose-correctional captioning", "captioning"),
    "retriever": ("zero-shot-image-classification", "target pose retrieval", "retrieval"),
    "editor": ("text-generation", "caption editing for poses", "editing"),
    "estimator": ("keypoint-detection", "body joints from one picture", "captioning"),
    "lifter": ("keypoint-detection", "joints from MediaPipe's landmarks", "captioning"),
}


@dataclass(frozen=True)
class CardTable:
    """A table of a card: ``columns`` and ``rows`` as printed, and the text above and below it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    above: str = ""
    notes: tuple[str, ...] = ()


def task_of(checkpoint: Checkpoint) -> tuple[str, str, str]:
    """Return the Hub's name of the task, its readable name, and the dataset configuration for evaluation."""
    return _TASKS[checkpoint.described.kind]


def eval_results(checkpoint: Checkpoint) -> list[EvalResult]:
    """Return every number of the evaluation as measured."""
    evaluated = checkpoint.evaluated
    if evaluated is None:
        return []
    task, name, config = task_of(checkpoint)
    return [
        EvalResult(
            task_type=task,
            task_name=name,
            dataset_type=DATASET,
            dataset_name=DATASET_NAME,
            dataset_config=config,
            dataset_split=split,
            dataset_args={"fingerprint": evaluated.dataset.get("fingerprint", "")},
            metric_type=metric,
            metric_name=title_of(metric) if language is None else f"{title_of(metric)}, {language_name(language)}",
            metric_value=round(value, 4),
        )
        for split, scores in evaluated.splits.items()
        for language, values in _by_language(scores).items()
        for metric, value in _metric_values(values).items()
        if metric != _COUNT
    ]


def evaluation_tables(checkpoint: Checkpoint) -> list[CardTable]:
    """Return one table per split of the evaluation: a metric per line, each language beside the paper's row."""
    if checkpoint.evaluated is None:
        return []
    return [_evaluated(split, scores, checkpoint) for split, scores in checkpoint.evaluated.splits.items()]


def paper_table(table: KeptTable) -> CardTable:
    """Return a table of the paper: each model measured here, and below it the paper's own numbers."""
    several = len({row.split for row in table.rows}) > 1
    rows: list[tuple[str, ...]] = []
    for row in table.rows:
        where = (language_name(row.language), *([f"`{row.split}`"] if several else []))
        if any(row.values.values()):
            rows.append((row.name, *where, *(scores_text(name, row.values.get(name, ())) for name in table.columns)))
        if row.paper is not None:
            theirs = (printed(name, row.paper.get(name)) for name in table.columns)
            rows.append((f"*{row.name}, the paper's*", *where, *theirs))
    seeds = max((len(row.seeds) for row in table.rows), default=0)
    fewer = any(0 < len(row.seeds) < seeds for row in table.rows)
    return CardTable(
        f"Table {table.table}: {table.title}" if table.table.isdigit() else table.title,
        ("model", "language", *(["split"] if several else []), *(title_of(column) for column in table.columns)),
        tuple(rows),
        f"By `{table.command}`" + (f", split `{table.split}`." if table.split and not several else "."),
        (
            *([f"{seeds} seeds: mean ± standard deviation{_FEWER if fewer else ''}."] if seeds > 1 else []),
            *(note for note in table.notes if note != DIFFERENT_DATA),  # the card says it below
        ),
    )


def real_table(results: RealResults, checkpoint: Checkpoint) -> CardTable:
    """Return the judgements of corrections of real photographs, for this model and those evaluated together with it."""
    rows = tuple(
        (
            f"`{result.model}`",
            f"`{result.pose}`",
            language_name(result.language),
            str(result.pairs),
            str(result.judged),
            *(_real_share(result, name) for name in _REAL),
            *(str(len(getattr(result, name))) for name in _REAL_LISTS),
        )
        for result in results.results
    )
    others = {one.revision for one in results.results if one.model == checkpoint.name} - {checkpoint.revision}
    return CardTable(
        "On real photographs",
        ("model", "joints by", "language", "pairs", "steps judged", *_REAL.values(), *_REAL_LISTS.values()),
        rows,
        "Photographs of people, labelled by eye and not in this repo. A step counts if its change was "
        f"labelled. By\n\n```\n{results.command}\n```",
        (
            "In parentheses 95 % intervals, by a bootstrap over pairs. Shares are in percent.",
            *(["**These results are for other weights than those in this folder.**"] if others else []),
        ),
    )


def questions_table(results: QuestionsResults) -> CardTable:
    """Return how often real photographs were found by people's own words."""
    return CardTable(
        "Real photographs, people's own words",
        ("retriever", "language", "questions", "the answer first", "in three", "refused"),
        tuple(
            (
                f"`{result.model}`",
                language_name(result.language),
                str(result.questions),
                *(_share(result, name) for name in ("first", "in_three")),
                str(len(result.refused)),
            )
            for result in results.results
        ),
        "Photographs of people, not in this repo: a current one, candidates, and a text in a person's own words. By\n\n"
        f"```\n{results.command}\n```",
        ("In parentheses Wilson's 95 % intervals. Shares are in percent; clauses count too, as on the page.",),
    )


def title_of(metric: str) -> str:
    """Return the readable name of a metric; without a title, its name with spaces."""
    return _COUNTS.get(metric) or _MORE.get(metric) or _given_title(metric) or metric.replace("_", " ")


def language_name(language: str | None) -> str:
    """Return the English name of a language."""
    if language is None:
        return _NONE
    return grammar(language).english_name if language in LANGUAGES else language


def printed(metric: str, value: float | None) -> str:
    """Return a number in the scale of the paper, with shares times 100."""
    if value is None:
        return _NONE
    if metric == _COUNT or metric in _COUNTS:
        return f"{value:,.0f}"
    return score_text(metric, value) if _given_title(metric) else f"{value:.3f}"


def _real_share(result: RealResult, name: str) -> str:
    if not (result.judged if name in {"right", "opposite"} else result.pairs):
        return _NONE
    return _share(result, name)


def _share(result: RealResult | QuestionsResult, name: str) -> str:
    """Return a share in percent, with its interval if it has one."""
    value, ends = f"{100 * getattr(result, name):.0f}", result.intervals.get(name)
    return value if ends is None else f"{value} ({100 * ends[0]:.0f} to {100 * ends[1]:.0f})"


def _given_title(metric: str) -> str | None:
    try:
        return score_title(metric)
    except KeyError:
        return None


def _evaluated(split: str, scores: Mapping[str, Any], checkpoint: Checkpoint) -> CardTable:
    columns: list[tuple[str, Mapping[str, float]]] = []
    measured: dict[str, None] = {}  # metrics in order of first occurrence
    for language, values in _by_language(scores).items():
        numbers = _metric_values(values)
        measured |= dict.fromkeys(numbers)
        columns.append(("here" if language is None else language_name(language), numbers))
        if paper := _of_paper(split, language, checkpoint.sort):
            columns.append(paper)
    counted = _COUNTED[checkpoint.described.kind]
    rows = [
        (counted if metric == _COUNT else title_of(metric), *(printed(metric, of.get(metric)) for _, of in columns))
        for metric in measured
    ]
    return CardTable(f"`{split}`", ("", *(title for title, _ in columns)), tuple(rows))


def _of_paper(split: str, language: str | None, sort: str) -> tuple[str, Mapping[str, float]] | None:
    """Return the title and the numbers of the paper's row, with the number of its pairs; None if there is none."""
    if language is None or split not in paper_splits() or sort not in _PAPER_ROWS:
        return None
    scores = paper_scores(split, language)
    for name in _PAPER_ROWS[sort]:
        if name in scores.rows:
            known = {column: scores.rows[name][column] for column in paper_columns() if column in scores.rows[name]}
            return f"paper, {name}", {_COUNT: scores.instances, **known}
    return None


def _by_language(scores: Mapping[str, Any]) -> dict[str | None, Mapping[str, Any]]:
    """Return the scores of a split by language; under the key None if the model has no language."""
    found: dict[str | None, Mapping[str, Any]] = {
        code: scores[code] for code in LANGUAGES if isinstance(scores.get(code), Mapping)
    }
    return found or {None: scores}


def _metric_values(values: Mapping[str, Any], about: str = "") -> dict[str, float]:
    """Return the scalar values, and an estimator's results on whole ``photographs``; omit values for programs only."""
    found: dict[str, float] = {}
    for name, value in values.items():
        if current_score_name(name) != name and current_score_name(name) in values:
            continue
        if name == _WHOLE and isinstance(value, Mapping):
            whole = _metric_values(value, f"{_WHOLE}_")
            found |= {key: number for key, number in whole.items() if key in {**_COUNTS, **_MORE}}
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found[f"{about}{name}"] = float(value)
    return found


_TEMPLATES = Path(__file__).parent / "templates"
# Metrics that the Hub knows; the dataset has no id there.
_HUB_METRICS = {
    **{f"bleu{n}": "bleu" for n in range(1, 5)},
    "meteor": "meteor",
    "rouge_l": "rouge",
    "accuracy": "accuracy",
}
_BLANK_LINES = re.compile(r"\n{3,}")
_TAGS = {
    "captioner": ["human-pose", "image-captioning", "fitness"],
    "retriever": ["human-pose", "image-retrieval", "fitness"],
    "editor": ["human-pose", "caption-editing", "fitness"],
    "estimator": ["human-pose", "pose-estimation"],
    "lifter": ["human-pose", "pose-estimation", "pose-lifting"],
}


def card_of(checkpoint: Checkpoint) -> str:
    """Return the text of README.md, with the tables of neighbouring models, which may include this one."""
    described, network = checkpoint.described, checkpoint.described.network
    languages = list(described.vocabularies)
    tables = [*checkpoint.tables, *tables_beside(checkpoint.folder)]
    retrieval = described.kind == "retriever"
    shown = [table for table in tables if ("accuracy" in table.columns) == retrieval]
    evaluated = checkpoint.evaluated
    text = (
        _environment()
        .get_template(f"{checkpoint.sort}.md")
        .render(
            front=_front(checkpoint, languages),
            name=checkpoint.name,
            network=network,
            backbone=network.get("backbone"),
            languages=[language_name(language) for language in languages],
            first_language=languages[0] if languages else "",
            words=" and ".join(
                f"{count - len(SPECIALS):,} {language_name(code)} ones"
                for code, count in described.vocabularies.items()
            ),
            parameters=f"{checkpoint.parameters:,}",
            weights=f"{checkpoint.weight_bytes / 1_000_000:.1f} MB",
            training=checkpoint.training,
            evaluated=evaluated,
            stale=evaluated is not None and evaluated.revision != checkpoint.revision,
            evaluation=evaluation_tables(checkpoint),
            different_data=DIFFERENT_DATA,
            tables=[paper_table(table) for table in shown] if described.kind in {"captioner", "retriever"} else [],
            examples="".join(path.read_text(encoding="utf-8") for path in checkpoint.folder.glob(f"{EXAMPLES}.md")),
            real=_before_real_photographs(checkpoint),
        )
    )
    return _BLANK_LINES.sub("\n\n", text).strip() + "\n"


def render(folders: Iterable[Path], *, check: bool = False) -> list[Path]:
    """Write the card of every model folder and return the cards that were out of date.

    With ``check`` nothing is written. Raise ``BadInputError``: ``card_outdated`` with ``check``, ``folder_unusable``,
    and what :func:`read_checkpoint` raises.
    """
    checkpoints = [read_checkpoint(folder) for folder in folders]
    changed = []
    for checkpoint in checkpoints:
        text = card_of(checkpoint)
        card = checkpoint.folder / CARD
        try:
            if card.is_file() and card.read_bytes() == text.encode():
                continue
            changed.append(card)
            if not check:
                card.write_text(text, encoding="utf-8", newline="\n")
        except OSError:
            raise BadInputError("folder_unusable", path=str(checkpoint.folder)) from None
    if check and changed:
        raise BadInputError("card_outdated", names=", ".join(card.parent.name for card in changed))
    return changed


def _before_real_photographs(checkpoint: Checkpoint) -> CardTable | None:
    if checkpoint.real is not None:
        return real_table(checkpoint.real, checkpoint)
    return None if checkpoint.asked is None else questions_table(checkpoint.asked)


def _front(checkpoint: Checkpoint, languages: list[str]) -> str:
    """Return the YAML front matter for the Hub."""
    results = eval_results(checkpoint)
    measured = [result.metric_type for result in results]
    return ModelCardData(
        language=languages or None,
        license="mit",
        library_name="pytorch",
        pipeline_tag="text-generation" if checkpoint.sort == "language-only" else task_of(checkpoint)[0],
        tags=["fixmypose", *_TAGS[checkpoint.described.kind]],
        metrics=list(dict.fromkeys(_HUB_METRICS[name] for name in measured if name in _HUB_METRICS)) or None,
        model_name=checkpoint.name,
        eval_results=results or None,
    ).to_yaml()


def _environment() -> Environment:
    """Return the template environment.

    Markdown is not HTML, so nothing is escaped; a missing value is an error rather than blank.
    """
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701
    )
