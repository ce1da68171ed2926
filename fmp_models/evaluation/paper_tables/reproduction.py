"""Reproduction of one table of the paper on our dataset, from training to numbers: ``table NAME``."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fmp_models.data.folder import contents
from fmp_models.errors import BadInputError
from fmp_models.evaluation.datasets import about_dataset
from fmp_models.evaluation.model_evaluation import JUDGED_ON, EvaluationRequest, evaluate, model_name
from fmp_models.evaluation.paper_tables.merge_results import kept_rows, merge_rows
from fmp_models.evaluation.paper_tables.plans import PlannedRow, Table, plan_of
from fmp_models.evaluation.paper_tables.runs import RunStore
from fmp_models.evaluation.reading_out import DIFFERENT_DATA
from fmp_models.evaluation.real.model_columns import REAL_PHOTOGRAPHS, RealPhotographs
from fmp_models.evaluation.retrievers import UNTRAINED, untrained_scores
from fmp_models.hub.models import load_estimator
from fmp_models.training.dataset_samples import read_dataset
from fmp_models.training.preparation import SampleRequirements, usable

Say = Callable[[str], None]


@dataclass(frozen=True)
class TableRequest:
    """Which table to make, or which of its rows (``only``); ``seeds`` replace those of each row.

    ``model`` and ``estimator`` are the captioner and the estimator of the table of joints. With ``real``, tables
    that have such columns evaluate their runs on real photographs too.
    """

    table: str
    only: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    model: str = "captioner"
    estimator: str = "estimator"
    real: RealPhotographs | None = None


def reproduce(request: TableRequest, run_store: RunStore, say: Say, results: Path | None = None) -> dict[str, Any]:
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
        "notes": [*plan.notes, DIFFERENT_DATA],
    }
    # Raise before hours of training, not after.
    before = kept_rows(results, table, plan) if results is not None else []
    rows = [row for row in plan.rows if not request.only or row.name in request.only]
    if any(row.joints == "learned" for row in rows):
        load_estimator(request.estimator)
    lines = [line for row in rows for line in _lines(row, plan, request, run_store, say)]
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
    return [(task, split) for split in contents(dataset).get(task, ())]


def _lines(
    row: PlannedRow, plan: Table, request: TableRequest, run_store: RunStore, say: Say
) -> Iterator[dict[str, Any]]:
    """Yield a row in every split and language."""
    seeds = request.seeds or row.seeds if row.run is not None else ()
    seed_scores = [_of_run(str(row.run), seed, plan, run_store, say) for seed in seeds]
    if request.real is not None:
        for seed, scores_of_seed in zip(seeds, seed_scores, strict=True):
            scores_of_seed[REAL_PHOTOGRAPHS] = {
                language: request.real.columns(run_store.weights(str(row.run), language, seed), language, say)
                for language in plan.languages
            }
    if row.joints is not None:
        question = EvaluationRequest(request.model, run_store.dataset, plan.splits, row.joints, request.estimator)
        seed_scores = [evaluate(question, run_store.cache, say).report["splits"]]
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


def _of_run(run: str, seed: int, plan: Table, run_store: RunStore, say: Say) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Return scores by split and language."""
    if run in UNTRAINED:
        dataset = read_dataset(run_store.dataset, "retrieval", plan.splits)
        needs_of = {
            language: SampleRequirements((language,), pictures=False, joints=False) for language in plan.languages
        }
        return {
            split: {
                language: untrained_scores(run, usable(dataset, split, needs), language, seed)
                for language, needs in needs_of.items()
            }
            for split in plan.splits
        }
    scores = {language: run_store.scores(run, language, seed, plan.splits, say) for language in plan.languages}
    return {split: {language: scores[language][split][language] for language in scores} for split in plan.splits}


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
    options = {"--model": request.model, "--estimator": request.estimator} if request.table == "joints" else {}
    words += [word for option, model in options.items() for word in (option, model_name(model))]
    words += ["--seeds", ",".join(map(str, request.seeds))] if request.seeds else []
    words += [word for row in request.only for word in ("--only", row)]
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
