"""Training runs behind the tables: trained if they are missing, and evaluated once.

The scores of a run's best weights are kept in ``results.json`` in its folder, with everything that determines
them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fmp_models.evaluation.model_evaluation import JUDGED_ON, EvaluationRequest, evaluate
from fmp_models.evaluation.paper_tables.plans import Run, runs
from fmp_models.files.atomic_write import replace_file
from fmp_models.hub.references import resolve_model
from fmp_models.metrics.java import java_missing
from fmp_models.training.config import laid_over
from fmp_models.training.dataset_samples import dataset_parts, fingerprint
from fmp_models.training.estimated_joints import estimated_fingerprint
from fmp_models.training.preparation import TrainingOrder
from fmp_models.training.recipes import deciding, train
from fmp_models.training.run_folder import BEST

RESULTS = "results.json"
Say = Callable[[str], None]


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

    def scores(self, name: str, language: str, seed: int, splits: Sequence[str], say: Say) -> dict[str, Any]:
        """Return the scores of a run by split and language; train the run first if necessary.

        Raises the errors of training and evaluation.
        """
        run = runs()[name]
        folder = self._folder(name, language, seed)
        order = self._order(run, folder, language, seed, say)
        about = deciding(run.kind, order)
        results = _read_results(folder)
        if results.get("about") != about:
            say(f"{folder.name}: training")
            train(run.kind, order, say)
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
            say(f"{folder.name}: evaluating on {', '.join(missing)}")
            longest = about["data"]["longest"]
            request = EvaluationRequest(str(folder / BEST), self.dataset, missing, run.joints, longest=longest)
            scores = evaluate(request, self.cache, say).report["splits"]
            results_of_split |= {split: {"fingerprint": shards[split], "scores": scores[split]} for split in missing}
            _write_results(folder, results)
        return {split: results_of_split[split]["scores"] for split in splits}

    def weights(self, name: str, language: str, seed: int) -> Path:
        """Return the folder of a run's best weights, once it was trained."""
        return self._folder(name, language, seed) / BEST

    def _folder(self, name: str, language: str, seed: int) -> Path:
        suffix = f"-{language}" if runs()[name].speaks == "each" else ""
        return self.runs / f"{name}{suffix}-s{seed}"

    def _order(self, run: Run, folder: Path, language: str, seed: int, say: Say) -> TrainingOrder:
        """Return the order of a run; the run that it starts from is trained first."""
        alone = {"data": {"languages": [language]}} if run.speaks == "each" else {}
        changes = laid_over(laid_over(self.changes, alone), run.changes)
        start = None
        if run.start is not None:
            self.scores(run.start, language, seed, (), say)
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
