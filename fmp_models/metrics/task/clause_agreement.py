"""Clause agreement: the share of a text's clauses that the joints of both pictures confirm. A metric of our own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmp_models.geometry.verdicts import agrees
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reader.parse import read_plan
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngram.ngrams import check_lengths
from fmp_models.pose import Array, PosePair


def verdicts(text: str, language: str, pair: PosePair) -> list[bool]:
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
        [] if pair is None else verdicts(text, language, pair) for text, pair in zip(texts, pairs, strict=True)
    ]
    counts = np.array(
        [[sum(verdicts_of_text), len(verdicts_of_text)] for verdicts_of_text in text_verdicts], dtype=np.float64
    )
    return Measurement(_share(counts), counts, _share)


def _share(counts: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(counts[..., 0] / counts[..., 1])
