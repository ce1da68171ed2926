"""Clause agreement: the share of what texts say that the joints of both pictures bear out. A metric of our own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmp_models.geometry.verdicts.clause_verdicts import agrees
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reader.parse import read_plan
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngram.ngrams import check_lengths
from fmp_models.pose import Array, PosePair


def verdicts(text: str, language: str, pair: PosePair) -> list[bool]:
    """Of each clause of a text that the joints can judge, whether it agrees with them."""
    agreements = (agrees(clause, pair) for clause in read_plan(text, grammar(language)))
    return [verdict for verdict in agreements if verdict is not None]


def clause_agreement(texts: Sequence[str], language: str, pairs: Sequence[PosePair | None]) -> Measurement:
    """The agreement of texts (n,) with their pairs, of all clauses alike; a pair without joints judges none.

    An instance in which nothing can be judged is ``nan``. Raises ``ValueError`` for lengths that differ.
    """
    check_lengths(len(texts), len(pairs))
    text_verdicts = [
        [] if pair is None else verdicts(text, language, pair) for text, pair in zip(texts, pairs, strict=True)
    ]
    counts = np.array(
        [[sum(verdicts_of_text), len(verdicts_of_text)] for verdicts_of_text in text_verdicts], dtype=np.float64
    )
    return Measurement(_share(counts), counts, _share)


def _share(counts: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(counts[..., 0] / counts[..., 1])
