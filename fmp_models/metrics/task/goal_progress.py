"""Execution metric: the share of the way to the target that following a text achieves, after CigTime's metric.

CigTime (NeurIPS 2024) rates a correction by executing it and measuring how much closer the target is. Here a text is
executed on the current joints, see :mod:`fmp_models.geometry.execution`: 1 means the target is reached, 0 no closer,
and below 0 further away. It takes about a tenth of a second per text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmp_models.geometry.execution import execute, progress_towards
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reader.parse import ReadClause, reading
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngram.ngrams import check_lengths
from fmp_models.pose import PosePair


def text_progress(text: str, language: str, pair: PosePair) -> float | None:
    """Return the share (-1 to 1) of a pair's way that a text achieves; ``None`` if nothing moves between the poses."""
    asked = reading(text, grammar(language)).asked
    goals = [piece.clause if isinstance(piece, ReadClause) else piece.named for piece in asked]
    reached = execute(goals, pair.current, corrects=True)
    return progress_towards(pair.current, reached.joints, pair.target)


def goal_progress(
    texts: Sequence[str], language: str, pairs: Sequence[PosePair | None], most: int | None = None
) -> Measurement:
    """Return the mean share of the way for texts (n,); ``nan`` for a pair without joints or without movement.

    If more than ``most`` pairs have joints, that many are measured, evenly spaced; the others are ``nan`` too. Raises
    ``ValueError`` for lengths that differ.
    """
    check_lengths(len(texts), len(pairs))
    known = [row for row, pair in enumerate(pairs) if pair is not None]
    if most is not None and len(known) > most:
        known = [known[round(at)] for at in np.linspace(0, len(known) - 1, most)]
    ways = np.full(len(texts), np.nan)
    for row in known:
        pair = pairs[row]
        way = None if pair is None else text_progress(texts[row], language, pair)
        ways[row] = np.nan if way is None else way
    return Measurement.mean(ways)
