"""Reproduction of the paper's tables on our dataset, from training to numbers: ``table NAME``.

A plan has the rows of a table, the training runs behind them, and the paper's own numbers. Runs are trained if they
are missing, and evaluated once. The scores of a run's best weights are kept in ``results.json`` in its folder, with
everything that determines them.

The seeds of a new run are added to those that a table's file already holds. ``--real`` adds columns about real
photographs.
"""

from __future__ import annotations

import json
import logging
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import fmp_models.training
from fmp_models.common import replace_file
from fmp_models.data import REAL, dataset_contents, read_rows
from fmp_models.errors import BadInputError
from fmp_models.estimators import PoseEstimator
from fmp_models.evaluation.model_evaluation import (
    JUDGED_ON,
    EvaluationRequest,
    about_dataset,
    evaluate_model,
    model_name,
)
from fmp_models.evaluation.model_scores import POSE_METHODS, UNTRAINED, pose_scores, untrained_scores
from fmp_models.evaluation.pose_estimation import Source
from fmp_models.evaluation.questions import QUESTIONS_FILE, RetrievalQuestion, ask_questions, read_questions
from fmp_models.evaluation.real_pairs import LabelledPairs, read_real_pairs
from fmp_models.evaluation.real_scores import EvaluatedModel, RememberingEstimator, judged_answers, shares
from fmp_models.evaluation.reports import DIFFERENT_DATA
from fmp_models.evaluation.stored_results import KeptTable, read_results
from fmp_models.hub import Kind, load_estimator, resolve_model
from fmp_models.inference import Retrievers, TargetFinder, load_correction_model
from fmp_models.languages import LANGUAGES
from fmp_models.metrics import java_missing, paper_scores
from fmp_models.training import (
    BEST,
    SampleRequirements,
    TrainingOrder,
    built,
    dataset_parts,
    deciding,
    estimated_fingerprint,
    fingerprint,
    laid_over,
    read_dataset,
    train,
    usable,
)

_FOLDER = Path(__file__).parent / "tables"
_CONFIGS = Path(fmp_models.training.__file__).parent / "configs"


@dataclass(frozen=True)
class Run:
    """A training run for each language, for all together or without language, repeated for every seed.

    See ``tables/runs.toml``.
    """

    kind: Kind
    config: str
    speaks: Literal["each", "all", "none"] = "each"
    start: str | None = None
    backbone: str | None = None
    joints: Source = "true"
    changes: dict[str, Any] = field(default_factory=dict)

    def path(self, language: str) -> Path:
        """Return the path of its recipe: the one for the language if there is one."""
        path = _CONFIGS / f"{self.config}_{language}.toml"
        return path if path.is_file() else _CONFIGS / f"{self.config}.toml"


@dataclass(frozen=True)
class PlannedRow:
    """What one row measures: a ``run``, or a bundled captioner with ``joints``; neither if only the paper has values.

    ``run`` may also be a method without training (``UNTRAINED`` or ``POSE_METHODS``). ``character`` restricts the row
    to the pairs of one character. ``paper`` names a row of the paper's captioning scores, or holds its values, by split
    and language if there are several.
    """

    name: str
    run: str | None = None
    joints: Source | None = None
    character: int | None = None
    seeds: tuple[int, ...] = (9595,)
    paper: str | dict[str, Any] | None = None

    def of_paper(self, split: str, language: str) -> dict[str, float] | None:
        """Return the paper's values by column, not multiplied by 100."""
        if isinstance(self.paper, str):
            return paper_scores(split, language).rows[self.paper]
        values = None if self.paper is None else self.paper.get(split, self.paper)
        return values.get(language) if values and {*LANGUAGES} & values.keys() else values


@dataclass(frozen=True)
class Table:
    """One table: every row in every split and language; ``real_columns`` are measured on real photographs.

    A table that is not of ``simulated`` data has no note that says how these differ from the paper's.
    """

    title: str
    splits: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[PlannedRow, ...]
    languages: tuple[str, ...] = LANGUAGES
    real_columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    simulated: bool = True

    @property
    def kind(self) -> Kind:
        """The kind of model of its runs; "captioner" if it has no runs."""
        return next((runs()[row.run].kind for row in self.rows if row.run in runs()), "captioner")

    @property
    def names(self) -> list[str]:
        """The names of the rows, each once."""
        return list(dict.fromkeys(row.name for row in self.rows))


@cache
def plan_of(table: str) -> Table:
    """Return the plan of one of ``commands.training.TABLES``."""
    path = _FOLDER / (f"table{table}.toml" if table.isdigit() else f"{table}.toml")
    table_data = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = tuple(built(PlannedRow, row, path, "rows.") for row in table_data.pop("rows"))
    return replace(built(Table, {**table_data, "rows": []}, path), rows=rows)


@cache
def runs() -> dict[str, Run]:
    """Return the training runs by name."""
    path = _FOLDER / "runs.toml"
    runs_data = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: built(Run, run, path, f"{name}.") for name, run in runs_data.items()}


RESULTS = "results.json"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunStore:
    """The place of training runs: the dataset, the folder, and the size of their recipes.

    ``backbone`` is a model whose backbone they use. ``cache`` keeps what is computed from the pictures.
    ``changes`` are applied to all recipes.
    """

    dataset: Path
    runs: Path
    size: str
    backbone: str | None
    cache: Path
    changes: Mapping[str, Any] = field(default_factory=dict)

    def scores(self, name: str, language: str, seed: int, splits: Sequence[str]) -> dict[str, Any]:
        """Return the scores of a run by split and language; train the run first if necessary.

        Raises the errors of training and evaluation.
        """
        run = runs()[name]
        folder = self._folder(name, language, seed)
        order = self._order(run, folder, language, seed)
        about = deciding(run.kind, order)
        results = _read_results(folder)
        if results.get("about") != about:
            _log.info("%s: training", folder.name)
            train(run.kind, order)
            results = {"about": about, "splits": {}}
        revision = resolve_model(str(folder / BEST)).revision
        if results.get("revision") != revision:  # just trained, trained further in the meantime, or replaced
            results |= {"revision": revision, "splits": {}}
            _write_results(folder, results)
        task, _ = JUDGED_ON[run.kind]
        joints_fingerprint = "" if run.joints == "true" else f", joints: {run.joints}"
        joints_fingerprint += f" {estimated_fingerprint(self.dataset)}" if run.joints == "estimated" else ""
        shards = {
            split: fingerprint(self.dataset, dataset_parts(task, [split])) + joints_fingerprint for split in splits
        }
        results_of_split: dict[str, Any] = results["splits"]
        missing = tuple(split for split in splits if not _is_complete(results_of_split.get(split), shards[split]))
        if missing:
            _log.info("%s: evaluating on %s", folder.name, ", ".join(missing))
            longest = about["data"]["longest"]
            request = EvaluationRequest(str(folder / BEST), self.dataset, missing, run.joints, longest=longest)
            scores = evaluate_model(request, self.cache).report["splits"]
            results_of_split |= {split: {"fingerprint": shards[split], "scores": scores[split]} for split in missing}
            _write_results(folder, results)
        return {split: results_of_split[split]["scores"] for split in splits}

    def weights(self, name: str, language: str, seed: int) -> Path:
        """Return the folder of a run's best weights, once it was trained."""
        return self._folder(name, language, seed) / BEST

    def _folder(self, name: str, language: str, seed: int) -> Path:
        suffix = f"-{language}" if runs()[name].speaks == "each" else ""
        return self.runs / f"{name}{suffix}-s{seed}"

    def _order(self, run: Run, folder: Path, language: str, seed: int) -> TrainingOrder:
        """Return the order of a run; the run that it starts from is trained first."""
        alone = {"data": {"languages": [language]}} if run.speaks == "each" else {}
        changes = laid_over(laid_over(self.changes, alone), run.changes)
        start = None
        if run.start is not None:
            self.scores(run.start, language, seed, ())
            start = str(self.weights(run.start, language, seed))
        backbone = self.backbone if run.backbone is None else run.backbone or None
        backbone = backbone if start is None else None
        return TrainingOrder(
            run.path(language), self.dataset, folder, self.size, seed, start, backbone, self.cache, changes
        )


def _is_complete(results: dict[str, Any] | None, shards: str) -> bool:
    """Return whether scores are of these shards and have METEOR if Java is there: it may have been too slow before."""
    if results is None or results.get("fingerprint") != shards:
        return False
    return java_missing() is not None or all(
        scores.get("meteor", 0) is not None for scores in results["scores"].values()
    )


def _read_results(folder: Path) -> dict[str, Any]:
    """Return a run's stored results; empty if the file is missing or damaged."""
    try:
        results = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return results if isinstance(results, dict) and isinstance(results.get("splits"), dict) else {}


def _write_results(folder: Path, results: Mapping[str, Any]) -> None:
    text = json.dumps(results, ensure_ascii=False, indent=2)
    replace_file(folder / RESULTS, lambda new: new.write_text(f"{text}\n", encoding="utf-8"))


def kept_rows(path: Path, head: Mapping[str, Any], plan: Table) -> list[dict[str, Any]]:
    """Return the rows of a table's file, to be merged with the rows of a new table with ``head`` and ``plan``.

    Raises ``BadInputError``: ``table_other`` if the file is about other data, options or rows,
    ``results_damaged``, ``file_unreadable``.
    """
    earlier = read_results(KeptTable, path)
    differing = [key for key in ("table", "dataset", "split", "size", "columns") if getattr(earlier, key) != head[key]]
    if _options(earlier.command) != _options(head["command"]):
        differing.append("command")
    splits = head["split"].split(", ")
    if any(
        row.name not in plan.names or row.language not in plan.languages or row.split not in splits
        for row in earlier.rows
    ):
        differing.append("rows")
    if differing:
        raise BadInputError("table_other", path=str(path), what=", ".join(differing))
    for row in earlier.rows:
        for column in earlier.columns:
            if row.seeds and len(row.values.get(column, ())) != len(row.seeds):
                reason = f"the row {row.name} lacks a value of {column} for some seed"
                raise BadInputError("results_damaged", path=str(path), reason=reason)
    return [asdict(row) for row in earlier.rows]


def merge_rows(earlier: Sequence[Mapping[str, Any]], measured: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of both tables; a row in both gets the seeds of both, and a repeated seed its new values."""
    rows = {_place(row): dict(row) for row in earlier}
    for row in measured:
        rows[_place(row)] = _joined(rows.get(_place(row)), row)
    return list(rows.values())


def _place(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["name"], row["language"], row["split"]


def _joined(earlier: Mapping[str, Any] | None, row: Mapping[str, Any]) -> dict[str, Any]:
    if earlier is None or not row["seeds"]:
        return dict(row)
    columns: dict[str, list[float | None]] = {}
    for column, values in row["values"].items():
        # A seed keeps its position, so that all columns have the same order of seeds.
        by_seed = dict(zip(earlier["seeds"], earlier["values"][column], strict=True))
        by_seed |= dict(zip(row["seeds"], values, strict=True))
        columns[column] = list(by_seed.values())
    return {**row, "seeds": list(dict.fromkeys([*earlier["seeds"], *row["seeds"]])), "values": columns}


def _options(command: str) -> list[str] | None:
    """Return the words of a command without its seeds and rows; None if the text is not a command."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    left_out = {at + offset for at, word in enumerate(words) if word in ("--seeds", "--only") for offset in (0, 1)}
    return [word for at, word in enumerate(words) if at not in left_out]


_SIMULATED = "test_unseen"  # the split of the pairs that people re-enact
REAL_PHOTOGRAPHS = "real photographs"  # the name of this column group in place of a split's


@dataclass(frozen=True)
class RealPhotographs:
    """Labelled pairs for captioners, or questions for retrievers, about the pictures in ``folder``."""

    folder: Path
    questions: Path | None
    estimator: RememberingEstimator
    pairs_or_questions: LabelledPairs | list[RetrievalQuestion]

    def columns(self, model: Path, language: str) -> Mapping[str, float]:
        """Return shares from 0 to 1 by column: of a captioner's unrepaired clauses, or of a target finder's answers."""
        if isinstance(self.pairs_or_questions, LabelledPairs):
            correction_model = load_correction_model(str(model), repairs=False)
            pair_shares = shares(
                judged_answers(self.pairs_or_questions, EvaluatedModel(self.estimator, correction_model, language))
            )
            return {"right": pair_shares.right, "opposite": pair_shares.opposite, "must": pair_shares.must}
        finder = TargetFinder(self.estimator, Retrievers(str(model)))
        result = ask_questions(self.pairs_or_questions, self.folder, finder, language)
        return {"first": result.first, "in_three": result.in_three}


def read_real_photographs(
    kind: Kind, folder: Path, questions: Path | None, estimator: PoseEstimator
) -> RealPhotographs:
    """Read the pairs or questions for a kind of model; raises as ``read_real_pairs`` and ``read_questions``."""
    if kind == "captioner":
        return RealPhotographs(folder, None, RememberingEstimator(estimator), read_real_pairs(folder))
    retrieval_questions, _ = read_questions(questions or folder / QUESTIONS_FILE, folder)
    return RealPhotographs(folder, questions, RememberingEstimator(estimator), retrieval_questions)


@dataclass(frozen=True)
class TableRequest:
    """Which table to make, or which of its rows (``only``); ``seeds`` replace those of each row.

    ``model`` and ``estimator`` are the captioner and the estimator of the table of joints. With ``real``, tables
    that have such columns evaluate their runs on real photographs too. ``photographs`` is the dataset whose
    ``test_real`` is compared with the pairs that it re-enacts, by default the one of the runs.
    """

    table: str
    only: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    model: str = "captioner"
    estimator: str = "estimator"
    real: RealPhotographs | None = None
    photographs: Path | None = None


def reproduce(request: TableRequest, run_store: RunStore, results: Path | None = None) -> dict[str, Any]:
    """Return the table in its stored form; with ``results``, the rows and seeds in that file are merged into it.

    Raises ``table_without_row``, the errors of ``kept_rows`` and ``load_estimator``, and those of training and
    evaluation.
    """
    plan = plan_of(request.table)
    for row in request.only:
        if row not in plan.names:
            raise BadInputError("table_without_row", table=request.table, row=row, known=", ".join(plan.names))
    on_photographs = request.real is not None
    splits = [*plan.splits, *[REAL_PHOTOGRAPHS] * on_photographs]
    table = {
        "table": request.table,
        "title": plan.title,
        "command": _command(request, run_store),
        "dataset": about_dataset(run_store.dataset, _benchmark(plan, run_store.dataset)),
        "split": ", ".join(splits),
        "size": run_store.size,
        "columns": [*plan.columns, *plan.real_columns * on_photographs],
        "rows": [],
        "notes": [*plan.notes, *[DIFFERENT_DATA] * plan.simulated],
    }
    # Raise before hours of training, not after.
    if REAL in plan.splits:
        _reenacted(request, run_store)
    before = kept_rows(results, table, plan) if results is not None else []
    trains = REAL not in plan.splits or "train" in dataset_contents(run_store.dataset).get("captioning", ())
    rows = [row for row in plan.rows if row.name in request.only or (not request.only and (trains or row.run is None))]
    if any(row.joints == "learned" for row in rows):
        load_estimator(request.estimator)
    lines = [line for row in rows for line in _lines(row, plan, request, run_store)]
    if before:
        lines = merge_rows(before, lines)
        table["command"] = _command(_request_of(lines, plan, request), run_store)
    # Sorted by split and language, as in the paper.
    ranks = {"split": splits, "language": plan.languages, "name": plan.names}
    lines.sort(key=lambda line: [ranked.index(line[key]) for key, ranked in ranks.items()])
    return {**table, "rows": lines}


def _benchmark(plan: Table, dataset: Path) -> list[tuple[str, str]] | None:
    """Return the (config, split) that a table is evaluated on; None if the fingerprint must cover the whole dataset.

    Pairs that are only for training may grow without changing the benchmark.
    """
    if plan.real_columns:
        return None
    task, _ = JUDGED_ON[plan.kind]
    parts: list[tuple[str, str]] = [(task, split) for split in dataset_contents(dataset).get(task, ())]
    return [*parts, (REAL, REAL)] if REAL in plan.splits else parts


def _lines(row: PlannedRow, plan: Table, request: TableRequest, run_store: RunStore) -> Iterator[dict[str, Any]]:
    """Yield a row in every split and language."""
    seeds = request.seeds or row.seeds if row.run is not None else ()
    seed_scores = [_of_run(str(row.run), seed, plan, request, run_store) for seed in seeds]
    if request.real is not None:
        for seed, scores_of_seed in zip(seeds, seed_scores, strict=True):
            scores_of_seed[REAL_PHOTOGRAPHS] = {
                language: request.real.columns(run_store.weights(str(row.run), language, seed), language)
                for language in plan.languages
            }
    if row.joints is not None:
        seed_scores = [_of_model(request.model, row.joints, plan, request, run_store)]
    columns = (*plan.columns, *plan.real_columns) if request.real is not None else plan.columns
    for split in (*plan.splits, REAL_PHOTOGRAPHS) if request.real is not None else plan.splits:
        for language in plan.languages:
            if any(language not in scores_of_seed[split] for scores_of_seed in seed_scores):
                continue  # a captioner of the table of joints that does not support this language
            scores = [scores_of_seed[split][language] for scores_of_seed in seed_scores]
            if row.character is not None:
                # A small split may lack this character.
                scores = [score["characters"].get(str(row.character), {}) for score in scores]
            yield {
                "name": row.name,
                "language": language,
                "split": split,
                "seeds": list(seeds),
                "values": {column: [score.get(column) for score in scores] for column in columns},
                "paper": row.of_paper(split, language),
            }


def _reenacted(request: TableRequest, run_store: RunStore) -> tuple[Path, frozenset[str]]:
    """Return the dataset with people's photographs, and the uids of the simulated pairs that they re-enact.

    Raises ``BadInputError`` (``table_needs_real``).
    """
    folder = request.photographs or run_store.dataset
    real, simulated = (
        {row["uid"] for row in read_rows(*part, ["uid"])}
        for part in ((folder, REAL, REAL), (run_store.dataset, "captioning", _SIMULATED))
    )
    if not real:
        raise BadInputError("table_needs_real", table=request.table, path=str(folder))
    return folder, frozenset(real & simulated)


def _of_model(
    model: str, joints: Source, plan: Table, request: TableRequest, run_store: RunStore
) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Return a model's scores by split and language; ``test_sim`` has the pairs that the photographs re-enact."""
    question = EvaluationRequest(model, run_store.dataset, plan.splits, joints, request.estimator)
    if REAL not in plan.splits:
        return dict(evaluate_model(question, run_store.cache).report["splits"])
    folder, uids = _reenacted(request, run_store)
    real = evaluate_model(replace(question, dataset=folder, splits=(REAL,)), run_store.cache).report["splits"]
    if not uids:
        return {"test_sim": {}, **real}
    simulated = evaluate_model(replace(question, splits=(_SIMULATED,), uids=uids), run_store.cache).report["splits"]
    return {"test_sim": simulated[_SIMULATED], **real}


def _of_run(
    run: str, seed: int, plan: Table, request: TableRequest, run_store: RunStore
) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Return scores by split and language."""
    if run in {*UNTRAINED, *POSE_METHODS}:
        poses = run in POSE_METHODS
        training = ["train"] * (run == "mean-pose")
        dataset = read_dataset(run_store.dataset, "captioning" if poses else "retrieval", [*training, *plan.splits])
        needs_of = {
            language: SampleRequirements((language,), pictures=False, joints=poses) for language in plan.languages
        }
        return {
            split: {
                language: pose_scores(run, usable(dataset, split, needs), language, dataset.splits.get("train"))
                if poses
                else untrained_scores(run, usable(dataset, split, needs), language, seed)
                for language, needs in needs_of.items()
            }
            for split in plan.splits
        }
    scores: dict[str, dict[str, Any]] = {}
    for language in plan.languages:
        scores[language] = run_store.scores(run, language, seed, () if REAL in plan.splits else plan.splits)
        if REAL in plan.splits:
            model = str(run_store.weights(run, language, seed))
            scores[language] = _of_model(model, runs()[run].joints, plan, request, run_store)
    return {split: {code: of[split][code] for code, of in scores.items() if code in of[split]} for split in plan.splits}


def _request_of(lines: Sequence[Mapping[str, Any]], plan: Table, request: TableRequest) -> TableRequest:
    """Return a request that gives all these lines at once; it may ask for more seeds of a row than the lines have."""
    present = {line["name"] for line in lines}
    planned = {row.name: {*row.seeds} for row in plan.rows if row.run is not None}
    as_planned = all({*line["seeds"]} == planned.get(line["name"], set()) for line in lines)
    seeds = () if as_planned else tuple(dict.fromkeys(seed for line in lines for seed in line["seeds"]))
    only = () if present == {*plan.names} else tuple(name for name in plan.names if name in present)
    return replace(request, only=only, seeds=seeds)


def _command(request: TableRequest, run_store: RunStore) -> str:
    """Return the command line that makes the table again."""
    words = ["table", request.table, "--dataset", run_store.dataset.name, "--runs", "RUNS", "--size", run_store.size]
    words += ["--backbone", model_name(run_store.backbone)] if run_store.backbone is not None else []
    words += [word for change in _settings(run_store.changes) for word in ("--set", change)]
    of_model = any(row.joints is not None for row in plan_of(request.table).rows)
    options = {"--model": request.model, "--estimator": request.estimator} if of_model else {}
    words += [word for option, model in options.items() for word in (option, model_name(model))]
    words += ["--seeds", ",".join(map(str, request.seeds))] if request.seeds else []
    words += [word for row in request.only for word in ("--only", row)]
    words += [] if request.photographs is None else ["--real", request.photographs.resolve().name]
    if request.real is not None:
        words += ["--real", request.real.folder.resolve().name]
        words += ["--questions", request.real.questions.name] if request.real.questions is not None else []
    return shlex.join(["python", "-m", "fmp_models", *words])


def _settings(changes: Mapping[str, Any], inside: str = "") -> Iterator[str]:
    """Yield changes as ``--set`` options, one for each key; lists and strings are the same in JSON and TOML."""
    for key, value in changes.items():
        if isinstance(value, dict):
            yield from _settings(value, f"{inside}{key}.")
        else:
            shown_value = Path(value).name if (inside, key) == ("data.", "annotations") else value  # no local path
            yield f"{inside}{key}={json.dumps(shown_value, ensure_ascii=False)}"
