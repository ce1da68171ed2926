"""Reference selection: the first references of each pair, over which the three task metrics take their mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fmp_models.languages.scripts import canonical
from fmp_models.metrics.ngram.ngrams import check_lengths, reference_counts

COUNTED_REFERENCES = 3


def with_first_references(
    predictions: Sequence[str], references: Sequence[Sequence[str]]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Each prediction and its first three references, all ``canonical``, which changes no released score.

    ``ValueError`` for lengths that differ, or for no reference.

    The released scripts look at the first three and divide by three. A score is divided by the number of references
    here, which is the same where there are three.
    """
    check_lengths(len(predictions), len(references))
    reference_counts(references)  # refuses an instance without any
    for prediction, texts in zip(predictions, references, strict=True):
        yield canonical(prediction), [canonical(text) for text in texts[:COUNTED_REFERENCES]]
