"""Minimal pairs: a pose pair, and the same with an edited target, whose texts and rankings should follow the edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, cycle
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from fmp_models.counterfactual.edits import (
    MAX_EDITS,
    Edit,
    change_text,
    draw_edits,
    follows,
    movements_said,
    updated_clauses,
)
from fmp_models.data import MOMENTS, dataset_contents, read_rows
from fmp_models.describe import describe
from fmp_models.errors import BadInputError
from fmp_models.estimators import PoseEstimate
from fmp_models.geometry import Clause
from fmp_models.inference import MeasuredPhotographs, change_scores, load_correction_model
from fmp_models.languages import LANGUAGES
from fmp_models.metrics import aligned_rows
from fmp_models.pose import JOINTS, PosePair, pose_pair
from fmp_models.preprocessing import Photograph, read_photograph

_PER_CENT = 100
_SMALL, _LARGE = 0.2, 0.5  # metres of the joint that an edit moves furthest
_UNKNOWN = np.full((len(JOINTS), 2), np.nan)  # places of joints in a picture that nothing measured
_TRIED = 100  # pairs for each edit before the search ends
_AIMS = {"captioner": 90, "retriever": 85}


@dataclass(frozen=True)
class MinimalPair:
    """A pose pair, the same with an edited target, and the edits."""

    uid: str
    before: PosePair
    after: PosePair
    edits: tuple[Edit, ...]

    @property
    def kinds(self) -> tuple[tuple[str, str], ...]:
        """The groups, their number and the size: what the shares are listed by."""
        moved = np.linalg.norm(self.after.target.joints - self.before.target.joints, axis=-1).max()
        size = "small" if moved < _SMALL else "large" if moved > _LARGE else "medium"
        groups = tuple(("group", edit.group.value) for edit in self.edits)
        return (*groups, ("groups", str(len(self.edits))), ("size", size))


def draw_minimal_pairs(
    pairs: Mapping[str, PosePair], count: int, seed: int = 0
) -> tuple[list[MinimalPair], Counter[str]]:
    """Draw minimal pairs, about as many with one, two and three edits; return what was dropped, too."""
    generator, dropped = np.random.default_rng(seed), Counter[str]()
    found: list[MinimalPair] = []
    with tqdm(total=count, desc="edits", unit=" edits") as progress:
        for uid, _ in zip(cycle(pairs), range(_TRIED * count)):
            number = 1 + len(found) % MAX_EDITS
            drawn = draw_edits(pairs[uid], number, generator, dropped)
            if drawn is not None:
                found.append(MinimalPair(uid, pairs[uid], replace(pairs[uid], target=drawn[1]), drawn[0]))
                progress.update()
            if len(found) == count:
                break
    return found, dropped


def measure_minimal_pairs(  # noqa: PLR0913, PLR0917  options of the command
    dataset: Path, split: str, count: int, seed: int, language: str = LANGUAGES[0], captioner: str | None = None
) -> dict[str, Any]:
    """Return how often texts and rankings follow edits of a split, in per cent, in all and by kind of edit.

    The ``captioner`` is given the pictures of the pair with the joints of each target. Raise :class:`BadInputError`:
    ``dataset_without``, ``pairs_without_joints``, and the errors of reading and loading.
    """
    columns = [f"{moment}_joints" for moment in MOMENTS]
    rows = [row for row in read_rows(dataset, "captioning", split, ["uid", *columns]) if all(map(row.get, columns))]
    if split not in dataset_contents(dataset).get("captioning", ()):
        raise BadInputError("dataset_without", path=str(dataset), split=f"captioning/{split}")
    pairs = {row["uid"]: pose_pair(*(row[column] for column in columns)) for row in rows}
    found, dropped = draw_minimal_pairs(pairs, count, seed)
    if not found:
        raise BadInputError("pairs_without_joints", path=str(dataset), split=split)
    results = {"retriever": _ranked(found, language)}
    if captioner is not None:
        results |= _captioned(found, captioner, language, _pictures(dataset, split, {one.uid for one in found}))
    kinds = [("all", "edits"), *sorted({kind for one in found for kind in one.kinds})]
    shares: dict[str, dict[str, float]] = {}
    for kind in kinds:
        these = [kind[0] == "all" or kind in one.kinds for one in found]
        means = {name: _PER_CENT * float(np.mean([*compress(values, these)])) for name, values in results.items()}
        shares[": ".join(kind)] = {"edits": sum(these), "geometry": float(_PER_CENT), **means}
    examples = [change_text(one.edits, language) for one in found[:MAX_EDITS]]
    return {"dropped": dict(dropped), "shares": shares, "examples": examples}


def minimal_pairs_table(report: Mapping[str, Any]) -> str:
    """Return a report as lines of text."""
    columns = [*next(iter(report["shares"].values()))]
    rows = [["", *(column.replace("_", " ") for column in columns)]]
    for kind, shares in report["shares"].items():
        rows.append([kind, *(f"{shares[column]:.{int(column != 'edits')}f}" for column in columns)])
    dropped = ", ".join(f"{count} {why}" for why, count in sorted(report["dropped"].items()))
    aims = ", ".join(f"{name} {aim} %" for name, aim in _AIMS.items())
    return "\n".join([*report["examples"], "", *aligned_rows(rows), "", f"dropped: {dropped}; aims: {aims}"])


def _ranked(found: Sequence[MinimalPair], language: str) -> list[float]:
    """Return for each minimal pair how many of its two texts rank their own target first, as a share."""
    shares = []
    for one in found:
        both = (one.before, one.after)
        joints = np.array([[pair.current.joints, pair.target.joints] for pair in both])
        scores = change_scores(language, [describe(pair, language).text for pair in both], joints)
        shares.append(float(np.mean(scores.argmax(axis=0) == np.arange(len(both)))))
    return shares


def _pictures(dataset: Path, split: str, uids: set[str]) -> dict[str, tuple[bytes, bytes]]:
    rows = read_rows(dataset, "captioning", split, ["uid", *MOMENTS])
    files = {row["uid"]: [(row[moment] or {"bytes": b""})["bytes"] for moment in MOMENTS] for row in rows}
    return {uid: (current, target) for uid, (current, target) in files.items() if uid in uids}


def _captioned(
    found: Sequence[MinimalPair], captioner: str, language: str, pictures: Mapping[str, tuple[bytes, bytes]]
) -> dict[str, list[float]]:
    """Return for each minimal pair whether the captioner's text changes in the edited groups and in no other.

    A text written anew (``fresh``) words much else in another way. In the ``captioner``'s updated text, what the joints
    show unchanged is said as before, and the rest as in the new text; ``fresh_edited`` ignores the other groups.
    """
    model, known = load_correction_model(captioner), dict[str, frozenset[Clause]]()
    model.load()
    results: dict[str, list[float]] = {name: [] for name in ("captioner", "fresh", "fresh_edited")}
    for one in tqdm(found, desc="captions", unit=" edits"):
        current, target = map(read_photograph, pictures[one.uid])

        def written(
            pair: PosePair, photographs: tuple[Photograph, Photograph] = (current, target)
        ) -> frozenset[Clause]:
            first, second = (
                PoseEstimate(pose, _UNKNOWN, (0, 0, *photograph.image.size), 1)
                for pose, photograph in zip((pair.current, pair.target), photographs, strict=True)
            )
            correction = model.generate(MeasuredPhotographs(photographs, (first, second)), language)
            return movements_said(tuple(clause.clause for clause in correction.clauses))

        if one.uid not in known:
            known[one.uid] = written(one.before)
        before, fresh = known[one.uid], written(one.after)
        updated = updated_clauses(before, fresh, one.before, one.after)
        edited, alone = follows(one.edits, before, fresh)
        results["captioner"].append(all(follows(one.edits, before, updated)))
        results["fresh"].append(edited and alone)
        results["fresh_edited"].append(edited)
    return results
