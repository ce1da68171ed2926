"""Evaluation of text editors on the texts to edit of a dataset: ``evaluate-edits EDITOR... DATASET``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode
from tqdm import tqdm

from fmp_models.common import text_after, word_edits
from fmp_models.data import EDITING, EDITING_FEATURES, MOMENTS, read_rows
from fmp_models.editing import (
    EditInstance,
    NeuralEditor,
    clause_verdict,
    edit_text,
    in_rounds,
    replay_edits,
    score_edits,
    score_oracle,
)
from fmp_models.errors import BadInputError
from fmp_models.evaluation.examples import write_edit_examples
from fmp_models.evaluation.model_evaluation import (
    EvaluationRequest,
    about_dataset,
    evaluate_model,
    model_name,
)
from fmp_models.evaluation.pose_estimation import Source, kept_joints
from fmp_models.hub import load_editor
from fmp_models.inference import Corrector
from fmp_models.languages import LANGUAGES, grammar, read_plan
from fmp_models.metrics import aligned_rows, cider, clause_agreement
from fmp_models.pose import PosePair
from fmp_models.training import read_dataset, spread

ROUNDS = 5
_COUNTED = 32  # texts whose multiply-adds are counted
_PER_CENT = 100
Row = Mapping[str, Any]
# Texts of one language and their pairs -> each text after 1 to ROUNDS rounds, then the edited text.
Editor = Callable[[Sequence[Row], Sequence[PosePair | None]], list[list[str]]]

# CIDEr-D on the test set of COCO-EE (Wang et al., ECCV 2022).
PAPER = {
    "doing nothing": "129.9",
    "V-LaserTagger": "127.1",
    "V-Felix": "139.5",
    "V-EditNTS": "149.0",
    "TIger after 1 to 4 rounds": "180.2 / 189.8 / 193.9 / 194.8",
}
_COLUMNS = {
    "cider_d": "CIDEr-D",
    "bleu4": "BLEU-4",
    "rouge_l": "ROUGE-L",
    "clause_agreement": "clauses true",
    "left": "right left",
    "mended": "false mended",
    "mean_es": "ES",
    "es_ratio": "ES / oracle",
    "milliseconds": "ms",
    "multiply_adds": "multiply-adds",
}


@dataclass(frozen=True)
class EditsRequest:
    """A request: the editors, the dataset and its split, and the joints that editors are given.

    With ``pairs``, only so many pairs are evaluated, evenly spread. The file ``pose_model`` finds MediaPipe's joints,
    as in photographs of the page. ``folder`` takes the table and ``examples``, edited texts with pictures, for a card.
    """

    editors: tuple[str, ...]
    dataset: Path
    split: str = "test_unseen"
    joints: Source = "true"
    pose_model: Path | None = None
    pairs: int | None = None
    examples: int = 0
    folder: Path = Path()


def evaluate_edits(request: EditsRequest, cache: Path) -> dict[str, Any]:
    """Return the scores of every editor by language, with the time and multiply-adds of a text.

    Raise :class:`BadInputError`: ``editing_missing``, and the errors of ``evaluate_model`` and of loading an editor.
    """
    dataset = read_dataset(request.dataset, "captioning", [request.split])
    samples = dataset.splits[request.split]
    if request.pairs is not None:
        samples = samples.subset(spread(np.arange(len(samples)), request.pairs))
    uids = frozenset(samples.uids)
    rows = [
        row for row in read_rows(request.dataset, EDITING, request.split, [*EDITING_FEATURES]) if row["uid"] in uids
    ]
    if not rows:
        raise BadInputError("editing_missing", path=str(request.dataset), split=request.split)
    editors = {model_name(name): _editor(name, request, uids, cache) for name in request.editors}
    true = given = dict(zip(samples.uids, samples.pose_pairs(), strict=True))
    if request.joints == "mediapipe":
        given = _photographed(request, uids)
    elif request.joints == "estimated":
        estimates = kept_joints(dataset, cache)
        given = dict(zip(samples.uids, estimates.of(samples).pose_pairs(placed=estimates.placed), strict=True))
    languages = {code: [row for row in rows if row["language"] == code] for code in LANGUAGES}
    scores: dict[str, dict[str, Any]] = {}
    last: dict[str, list[str]] = {}  # the edited texts of every editor
    for name, edit in editors.items():
        start = time.perf_counter()
        edited = {code: edit(told, [given[row["uid"]] for row in told]) for code, told in languages.items() if told}
        milliseconds = (time.perf_counter() - start) * 1000 / len(rows)
        few = next(iter(languages[code] for code in edited))[:_COUNTED]
        multiply_adds = _multiply_adds(partial(edit, few, [given[row["uid"]] for row in few])) / len(few)
        cost = {"milliseconds": milliseconds, "multiply_adds": multiply_adds or None}
        scores[name] = {
            code: edit_scores(languages[code], texts, [true[row["uid"]] for row in languages[code]]) | cost
            for code, texts in edited.items()
        }
        last[name] = [after[-1] for texts in edited.values() for after in texts]
    report = {
        "dataset": about_dataset(request.dataset, [("captioning", request.split), (EDITING, request.split)]),
        "split": request.split,
        "joints": request.joints,
        "pairs": len(uids),
        "editors": scores,
    }
    if request.examples:
        told = [row for of_language in languages.values() for row in of_language]
        _write_examples(request, told, last, edits_table(report))
    return report


def _write_examples(request: EditsRequest, rows: Sequence[Row], texts: Mapping[str, Sequence[str]], table: str) -> None:
    """Write a few of the texts that need an edit, evenly spread, with every editor's."""
    of_edits = [number for number, row in enumerate(rows) if row["kind"] != "unchanged"]
    chosen = [of_edits[at] for at in spread(np.arange(len(of_edits)), min(request.examples, len(of_edits)))]
    shown = [rows[number] for number in chosen]
    told = {editor: [of_editor[number] for number in chosen] for editor, of_editor in texts.items() if editor != "none"}
    uids = {row["uid"] for row in shown}
    pictures = read_rows(request.dataset, "captioning", request.split, ["uid", *MOMENTS])
    write_edit_examples(request.folder, shown, told, {row["uid"]: row for row in pictures if row["uid"] in uids}, table)


def _photographed(request: EditsRequest, uids: frozenset[str]) -> dict[str, PosePair | None]:
    """Return the poses that the corrector measures in the pictures of each pair; ``None`` without a person."""
    corrector = Corrector.from_pretrained(pose_model=request.pose_model)
    pairs: dict[str, PosePair | None] = {}
    for row in tqdm(read_rows(request.dataset, "captioning", request.split, ["uid", *MOMENTS]), unit=" pairs"):
        if row["uid"] in uids:
            pairs[row["uid"]] = None
            with suppress(BadInputError):
                pairs[row["uid"]] = corrector.measure(
                    *((row[moment] or {"bytes": b""})["bytes"] for moment in MOMENTS)
                ).pair
    return pairs


def _multiply_adds(run: Callable[[], object]) -> float:
    """Return the number of multiply-adds of networks in a run; 0 without networks."""
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)  # fused operations are not counted
    try:
        with FlopCounterMode(display=False) as counter:
            run()
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
    return float(counter.get_total_flops() / 2)


def edit_scores(
    rows: Sequence[Row], edited: Sequence[Sequence[str]], pairs: Sequence[PosePair | None]
) -> dict[str, Any]:
    """Return the scores of edited texts in one language, in per cent; null for a score that nothing measures.

    ``edited`` are the results of an editor, ``pairs`` the true poses. ``left`` is the share of right texts that stay as
    they are, ``mended`` that of single false clauses, ``es_ratio`` the editing steps by those of the oracle; ``rounds``
    has CIDEr-D after each round.
    """
    *rounds, texts = zip(*edited, strict=True)
    scores = _text_scores(rows, texts, pairs)
    right = [text == row["gt_cap"] for row, text in zip(rows, texts, strict=True) if row["kind"] == "unchanged"]
    single = [
        is_mended(row, text, pair)
        for row, text, pair in zip(rows, texts, pairs, strict=True)
        if len(row["turned"]) == 1 and pair is not None
    ]
    references = [[one.gt_tokens] for one in _instances(rows)]
    oracle_es = score_oracle(_instances(rows))["mean_es"]
    kinds = {kind: [row["kind"] == kind for row in rows] for kind in sorted({row["kind"] for row in rows})}
    return {
        **scores,
        "left": _share(right),
        "mended": _share(single),
        "oracle_es": oracle_es,
        "es_ratio": scores["mean_es"] / oracle_es if oracle_es else None,
        "rounds": [_PER_CENT * cider([text.lower().split() for text in after], references).value for after in rounds],
        "kinds": {
            kind: _text_scores(*([*compress(values, of_kind)] for values in (rows, texts, pairs)))
            for kind, of_kind in kinds.items()
        },
    }


def is_mended(row: Row, text: str, pair: PosePair) -> bool:
    """Return whether a text lacks the words of the one turned clause, and says nothing false about its part."""
    words = grammar(row["language"])
    plans = (read_plan(row[column], words) for column in ("ref_cap", "gt_cap"))
    part = next((false.part for false, true in zip(*plans, strict=False) if false != true), None)
    said = [clause for clause in read_plan(text, words) if clause.part is part]
    return row["turned"][0]["text"] not in text and not any(clause_verdict(clause, pair) is False for clause in said)


def _text_scores(rows: Sequence[Row], texts: Sequence[str], pairs: Sequence[PosePair | None]) -> dict[str, Any]:
    language = rows[0]["language"]
    agreement = clause_agreement(texts, language, pairs).value
    return {
        **score_edits(_instances(rows), texts, language, java=False),
        "clause_agreement": None if math.isnan(agreement) else _PER_CENT * agreement,
    }


def _instances(rows: Sequence[Row]) -> list[EditInstance]:
    return [EditInstance.of(row["sample_id"], row["ref_cap"], row["gt_cap"]) for row in rows]


def _share(right: Sequence[bool]) -> float | None:
    return _PER_CENT * sum(right) / len(right) if right else None


def _editor(name: str, request: EditsRequest, uids: frozenset[str], cache: Path) -> Editor:
    """Return the editor of a name for some pairs; raise the errors of loading it."""
    if name == "none":
        return lambda rows, _: [_replaced(row, row["ref_cap"]) for row in rows]
    if name == "rules":
        return lambda rows, pairs: [
            _replaced(row, row["ref_cap"] if pair is None else edit_text(row["ref_cap"], row["language"], pair).text)
            for row, pair in zip(rows, pairs, strict=True)
        ]
    if name == "captioner":
        asked = EvaluationRequest(
            name, request.dataset, (request.split,), request.joints, pose_model=request.pose_model
        )
        predicted = lru_cache(partial(evaluate_model, replace(asked, uids=uids, scores=False), cache))
        return lambda rows, _: [
            _replaced(row, predicted().predictions[request.split, row["language"]].get(row["uid"], row["ref_cap"]))
            for row in rows
        ]
    editor = NeuralEditor(load_editor(name))

    def edited(rows: Sequence[Row], pairs: Sequence[PosePair | None]) -> list[list[str]]:
        known = [(row["ref_cap"], pair) for row, pair in zip(rows, pairs, strict=True) if pair is not None]
        texts = iter(editor.texts_after_rounds(known, rows[0]["language"], ROUNDS))
        return [
            _replaced(row, row["ref_cap"]) if pair is None else next(texts)[1:]
            for row, pair in zip(rows, pairs, strict=True)
        ]

    return edited


def _replaced(row: Row, text: str) -> list[str]:
    """Return the text after each round of the fewest edits that lead to it, then the text."""
    operations = in_rounds(word_edits(row["ref_cap"], text))
    return [*(text_after(replay_edits(operations, rounds)) for rounds in range(1, ROUNDS + 1)), text]


def edits_table(report: Mapping[str, Any]) -> str:
    """Return the scores of every language as tables, and those of the paper on COCO-EE."""
    editors = report["editors"]
    lines = []
    for language in dict.fromkeys(language for scores in editors.values() for language in scores):
        scores = {name: of[language] for name, of in editors.items() if language in of}
        about = next(iter(scores.values()))
        kinds = [*about["kinds"]]
        rows = [["", *_COLUMNS.values(), *(f"CIDEr-D, {kind}" for kind in kinds)]]
        rounds = [["CIDEr-D after", *(f"round {number}" for number in range(1, ROUNDS + 1))]]
        for name, of in scores.items():
            values = [*(of[column] for column in _COLUMNS), *(of["kinds"][kind]["cider_d"] for kind in kinds)]
            rows.append([name, *("-" if value is None else f"{value:.5g}" for value in values)])
            rounds.append([name, *(f"{score:.2f}" for score in of["rounds"])])
        title = (
            f"{language}: {about['n']} texts of {report['pairs']} pairs, {report['split']}, {report['joints']} joints"
        )
        lines += [title, "", *aligned_rows(rows), "", *aligned_rows(rounds), ""]
    paper = ", ".join(f"{name} {score}" for name, score in PAPER.items())
    return "\n".join([*lines, f"The paper's CIDEr-D on COCO-EE (test), other pictures and texts: {paper}."])
