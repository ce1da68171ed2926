"""Metrics of our own, from the clauses of a text: clause agreement and goal progress.

Clause agreement is the share of a text's clauses that the joints of both pictures confirm. Goal progress follows
CigTime (NeurIPS 2024), which rates a correction by executing it and measuring how much closer the target is. Here a
text is executed on the current joints, see :mod:`fmp_models.geometry.execution`: 1 means the target is reached, 0 no
closer, and below 0 further away. It takes about a tenth of a second per text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmp_models.geometry import agrees, execute, progress_towards
from fmp_models.languages import grammar, read_plan, read_text
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngrams import check_lengths
from fmp_models.pose import Pose, PosePair


def judge_text(text: str, language: str, pair: PosePair) -> list[bool]:
    """Return for each clause that the joints can judge whether it agrees with them."""
    agreements = (agrees(clause, pair) for clause in read_plan(text, grammar(language)))
    return [verdict for verdict in agreements if verdict is not None]


def clause_agreement(texts: Sequence[str], language: str, pairs: Sequence[PosePair | None]) -> Measurement:
    """Return the agreement of texts (n,) with their pairs; all clauses have equal weight.

    A pair without joints has no judged clauses, and an instance without judged clauses is ``nan``. Raises
    ``ValueError`` for lengths that differ.
    """
    check_lengths(len(texts), len(pairs))
    text_verdicts = [
        [] if pair is None else judge_text(text, language, pair) for text, pair in zip(texts, pairs, strict=True)
    ]
    counts = np.array(
        [[sum(verdicts_of_text), len(verdicts_of_text)] for verdicts_of_text in text_verdicts], dtype=np.float64
    )
    return Measurement.share(counts)


def performed(text: str, language: str, current: Pose) -> Pose:
    """Return the pose of a person who performs a text."""
    goals = [piece.goal for piece in read_text(text, grammar(language)).asked]
    return execute(goals, current, corrects=True)


def text_progress(text: str, language: str, pair: PosePair) -> float | None:
    """Return the share (-1 to 1) of a pair's way that a text achieves; ``None`` if nothing moves between the poses."""
    return progress_towards(pair.current, performed(text, language, pair.current).joints, pair.target)


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
