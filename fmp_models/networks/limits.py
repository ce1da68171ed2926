"""Limits on network sizes, because configs can be untrusted and networks are built before weights are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fmp_models.languages.language_data import LANGUAGES
from fmp_models.languages.vocabulary import SPECIALS

MAX_FEATURES = 2048  # size of a state, an embedding or a position; the paper has 512, 256 and 2048
MAX_WORDS = 50_000  # of all languages together; the paper has 3554

Rule = tuple[bool, str]  # whether the rule holds, and the error message if not


def keep(rules: Iterable[Rule]) -> None:
    """Raise ValueError with the message of the first rule that does not hold."""
    for kept, flaw in rules:
        if not kept:
            raise ValueError(flaw)


def shared_rules(
    vocabulary_sizes: Mapping[str, int], hidden: int, embedding: int, channels: int, dropout: float
) -> tuple[Rule, ...]:
    """Return the rules that captioners and retrievers share."""
    sizes = (hidden, embedding, channels)
    return (
        (vocabulary_sizes.keys() <= set(LANGUAGES), f"languages must be among {', '.join(LANGUAGES)}"),
        (min(vocabulary_sizes.values(), default=MAX_WORDS) > len(SPECIALS), "every language needs words"),
        (sum(vocabulary_sizes.values()) <= MAX_WORDS, f"there must be at most {MAX_WORDS} words"),
        (min(sizes) > 0 and hidden % 2 == 0, "sizes must be positive, and hidden even"),
        (max(sizes) <= MAX_FEATURES, f"sizes must be at most {MAX_FEATURES}"),
        (0 <= dropout < 1, "dropout must be at least 0 and less than 1"),
    )
