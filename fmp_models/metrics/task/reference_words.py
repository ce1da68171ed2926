"""Reference selection: the first references of each pair, over which the three task metrics average."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fmp_models.languages.scripts import canonical
from fmp_models.metrics.ngram.ngrams import check_lengths, reference_counts

COUNTED_REFERENCES = 3


def with_first_references(
    predictions: Sequence[str], references: Sequence[Sequence[str]]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each prediction and its first three references, all ``canonical``, which changes no released score.

    The released scripts read the first three references and divide by three. Here a score is divided by the number of
    references, which is the same if there are three. Raises ``ValueError`` for lengths that differ, and for an
    instance without references.
    """
    check_lengths(len(predictions), len(references))
    reference_counts(references)  # raises for an instance without references
    for prediction, texts in zip(predictions, references, strict=True):
        yield canonical(prediction), [canonical(text) for text in texts[:COUNTED_REFERENCES]]
