"""Baselines on questions about imagined changes: responses alone, all text, and text with the poses, beside CoSIm's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fmp_models.data import COUNTERFACTUAL, COUNTERFACTUAL_FEATURES, read_rows
from fmp_models.editing import read_pairs
from fmp_models.errors import BadInputError
from fmp_models.geometry import Clause, Direction, agrees, execute
from fmp_models.inference import change_scores
from fmp_models.languages import LANGUAGES, counterfactual_words, grammar, read_plan
from fmp_models.metrics import ChoiceQuestion, aligned_rows, audit_choices
from fmp_models.pose import Pose, PosePair, pose_pair

# CoSIm, accuracy on validation (Kim et al., NAACL 2022), with trained models; people on the whole question.
PAPER = {"responses": 38.37, "text": 44.62, "full": 49.25, "people": 98.0}
_PER_CENT = 100


def choice_scores(dataset: Path, split: str) -> dict[str, Any]:
    """Return the accuracy of each baseline in per cent with the audits, by language; nothing is trained for it.

    The bundled retriever scores each choice for a change of pose. ``responses``: none, on one body for all.
    ``text``: what the initial response and the change ask of it. ``full``: from the current pose to the
    target after the change that is read from the text. ``geometry`` counts the clauses of a choice that the same two
    poses confirm, ``edited`` those of the true edited pose. Raise :class:`BadInputError`:
    ``counterfactual_missing``, ``pairs_without_joints``, and the errors of reading and loading.
    """
    rows = [*read_rows(dataset, COUNTERFACTUAL, split, [*COUNTERFACTUAL_FEATURES])]
    if not rows:
        raise BadInputError("counterfactual_missing", path=str(dataset), split=split)
    pairs = {one.uid: one.pair for one in read_pairs(dataset, split) if one.pair is not None}
    if not pairs:
        raise BadInputError("pairs_without_joints", path=str(dataset), split=split)
    same = next(iter(pairs.values())).current
    scores: dict[str, Any] = {}
    for language in LANGUAGES:
        of_language = [row for row in rows if row["language"] == language and row["uid"] in pairs]
        if of_language:
            right = [_right(row, pairs[row["uid"]], same) for row in of_language]
            means = {name: _PER_CENT * float(np.mean([one[name] for one in right])) for name in right[0]}
            scores[language] = {
                "questions": len(right),
                **means,
                "audits": audit_choices([*map(_question, of_language)]),
            }
    return {"split": split, "paper": PAPER, "scores": scores}


def choice_scores_table(report: Mapping[str, Any]) -> str:
    """Return a report as lines of text."""
    columns = [*dict.fromkeys(name for of in report["scores"].values() for name in of if name != "audits"), "people"]
    rows = [["", *columns]]
    for name, of in [*report["scores"].items(), ("CoSIm, validation", report["paper"])]:
        rows.append([name, *(f"{of[column]:.4g}" if column in of else "-" for column in columns)])
    return "\n".join(aligned_rows(rows))


def _question(row: Mapping[str, Any]) -> ChoiceQuestion:
    return ChoiceQuestion(row["question"], row["response"], row["change"], tuple(row["choices"]), row["answer"])


def _right(row: Mapping[str, Any], pair: PosePair, same: Pose) -> dict[str, float]:
    """Return the points of each baseline: 1, 0, or a share if equal scores tie."""
    language, words = row["language"], grammar(row["language"])
    change = read_plan(row["change"].removeprefix(counterfactual_words(language)["imagine"].partition("{")[0]), words)
    imagined = PosePair(pair.current, execute(change, pair.target))
    told = PosePair(same, execute([*read_plan(row["response"], words), *change], same))
    edited = pose_pair(pair.current.joints, row["edited_joints"])
    bodies = np.array([[one.current.joints, one.target.joints] for one in (PosePair(same, same), told, imagined)])
    scores = dict(zip(("responses", "text", "full"), change_scores(language, row["choices"], bodies), strict=True))
    for name, poses in (("geometry", imagined), ("edited", edited)):
        plans = [read_plan(choice, words) for choice in row["choices"]]
        verdicts = [[_true(clause, poses) for clause in plan] for plan in plans]
        scores[name] = np.array(
            [np.mean([{True: 1, None: 0.5, False: 0}[one] for one in of] or [0.5]) for of in verdicts]
        )
    best = {name: np.isclose(values, values.max()) for name, values in scores.items()}
    return {name: float(first[row["answer"]] / first.sum()) for name, first in best.items()}


def _true(clause: Clause, pair: PosePair) -> bool | None:
    """Return whether a movement happens, or a place is reached in either pose, as a reason may be about both."""
    now = agrees(clause, PosePair(pair.current, pair.current)) if clause.direction is Direction.REACH else False
    return now or agrees(clause, pair)
