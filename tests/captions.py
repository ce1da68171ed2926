"""Tokenised captions for tests, and what pycocoevalcap scores them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

Instance = tuple[list[str], list[list[str]]]  # a prediction and its references

# Few words, so that n-grams repeat within and between texts, and empty texts among them. At least one reference of a
# set has a word: pycocoevalcap's CIDEr fails where none has.
TEXT = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12)
INSTANCES = st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=4)), min_size=1, max_size=6).filter(
    lambda instances: any(any(texts) for _, texts in instances)
)


def varied(seed: int, instances: int = 8) -> list[Instance]:
    """Give instances of three references, in words as they stand in descriptions."""
    rng = np.random.default_rng(seed)
    words = ["move", "your", "left", "right", "hand", "up", "down", "a", "bit", "and", "turn", "the", "knee", "out"]
    texts = [[rng.choice(words, rng.integers(3, 14)).tolist() for _ in range(4)] for _ in range(instances)]
    return [(first, rest) for first, *rest in texts]


def theirs(metric: Any, instances: list[Instance], **options: object) -> tuple[Any, Any]:  # noqa: ANN401  no types
    """Give what a metric of pycocoevalcap scores: the value of the corpus, and of each instance."""
    predictions = {i: [" ".join(prediction)] for i, (prediction, _) in enumerate(instances)}
    references = {i: [" ".join(text) for text in texts] for i, (_, texts) in enumerate(instances)}
    return metric.compute_score(references, predictions, **options)
