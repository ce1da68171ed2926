"""Degenerate scores: metrics that are meaningless for the given texts, and remarks on scores of limited value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np

from fmp_models.languages.scripts import JOINER, canonical
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngram.cider import Cider
from fmp_models.metrics.ngram.ngrams import ORDERS
from fmp_models.metrics.task.body_part_match import body_part_match
from fmp_models.metrics.task.direction_match import direction_match
from fmp_models.metrics.task.moved_joints import MovedGroups
from fmp_models.metrics.task.object_match import object_match
from fmp_models.metrics.task.reference_words import COUNTED_REFERENCES

GOAL_PROGRESS = "goal_progress"
OLD_NAMES = {"carried_out": GOAL_PROGRESS}  # names that stored scores have, and reports for one more version

Value = TypeVar("Value")
_NUMBERS = ("one word", "two words", "three words", "four words")


@dataclass(frozen=True)
class ScoredTexts:
    """What is scored: texts, their tokens, and which joints ``moved``."""

    predicted: Sequence[str]
    referred: Sequence[Sequence[str]]
    predicted_tokens: Sequence[Sequence[str]]
    referred_tokens: Sequence[Sequence[Sequence[str]]]
    language: str
    moved: MovedGroups | None


def with_old_names(scores: Mapping[str, Value]) -> dict[str, Value]:
    """Return the scores, those that have another name now under their old one too."""
    return {**scores, **{old: scores[name] for old, name in OLD_NAMES.items() if name in scores}}


def degenerate_metrics(measured: Mapping[str, Measurement], compared: ScoredTexts) -> dict[str, str]:
    """Return why a metric is meaningless here, one sentence by metric; empty if all metrics are meaningful.

    If a metric is 0, each reference is scored as if it were the prediction; a metric that is then still 0 is
    meaningless.
    """
    found: dict[str, str] = {}
    if not any(compared.predicted_tokens):
        of_words = [name for name in measured if name.startswith("bleu") or name in {"cider", "meteor", "rouge_l"}]
        return dict.fromkeys(of_words, "No prediction contains a word, so metrics that count words are meaningless.")
    texts = {"prediction": compared.predicted_tokens, "reference": [*chain.from_iterable(compared.referred_tokens)]}
    for order in range(1, ORDERS + 1):
        for of, tokens in texts.items():
            if max(map(len, tokens)) < order:
                found[f"bleu{order}"] = f"BLEU-{order} is meaningless: no {of} has a sequence of {_NUMBERS[order - 1]}."
    if measured["cider"].value == 0 and not _cider_of_references(compared).any():
        found["cider"] = (
            "CIDEr is 0 for any prediction: it weights words by how few pairs have them in their references, "
            + ("and there is only one pair." if len(compared.predicted) == 1 else "and all pairs share the same words.")
        )
    for name, (match, lacking) in _matches(compared).items():
        if name in measured and measured[name].value == 0 and not _full(match, compared.referred):
            found[name] = f"{name.replace('_', '-').capitalize()} is 0 even for the references themselves: {lacking}."
    if GOAL_PROGRESS in measured and np.isnan(measured[GOAL_PROGRESS].value):
        found[GOAL_PROGRESS] = "Goal progress is left out: no pair with joints contains a movement."
    return found


def remarks(compared: ScoredTexts) -> Iterator[str]:
    """Yield what limits the scores or makes them differ from the released ones, one sentence each."""
    texts = [*compared.predicted, *chain.from_iterable(compared.referred)]
    respelt = sum(canonical(text, joiners=True) != text for text in texts)
    if respelt:
        yield (
            f"{respelt} of {len(texts)} texts were normalised (letter variants, invisible characters, spaces); the "
            "released scripts treat each variant as a different word."
        )
    joined = sum(JOINER in text for text in texts)
    if joined:
        yield (
            f"{joined} of {len(texts)} texts contain the joiner U+200D, at which the released tokeniser splits a "
            "word; as intended, the word stays whole."
        )
    total = len(compared.predicted)
    wordless = sum(not tokens for tokens in compared.predicted_tokens)
    if 0 < wordless < total:
        yield f"{wordless} of {total} predictions contain no word; ROUGE-L is 1 if a reference contains none either."
    blank = sum(not tokens for tokens in chain.from_iterable(compared.referred_tokens))
    if blank:
        yield f"{blank} of {len(texts) - total} references contain no word but count as references, as released."
    if total == 1:
        yield "A single pair was scored: the numbers are of that pair alone, and no interval follows from it."
    if all(len(set(map(tuple, tokens))) == 1 for tokens in compared.referred_tokens):
        yield "No pair has two different references; BLEU, METEOR and ROUGE-L are lower than with several."
    if total > 1 and len(set(map(tuple, compared.predicted_tokens))) == 1:
        yield f"All {total} predictions are the same text."
    if all(tokens in several for tokens, several in _pairs(compared)):
        yield "Every prediction is one of its own references."


def _pairs(compared: ScoredTexts) -> Iterator[tuple[Sequence[str], Sequence[Sequence[str]]]]:
    return zip(compared.predicted_tokens, compared.referred_tokens, strict=True)


def _cider_of_references(compared: ScoredTexts) -> np.ndarray:
    owners = [number for number, several in enumerate(compared.referred_tokens) for _ in several]
    return Cider(compared.referred_tokens).scores([*chain.from_iterable(compared.referred_tokens)], owners)


_Match = Callable[[Sequence[str]], Measurement]


def _matches(compared: ScoredTexts) -> dict[str, tuple[_Match, str]]:
    """Return the three task metrics as functions of predictions, and why references can score 0."""
    referred, language, moved = compared.referred, compared.language, compared.moved
    matches: dict[str, tuple[_Match, str]] = {
        "object_match": (
            lambda texts: object_match(texts, referred, language),
            "they name no object of its list as a separate word",
        ),
        "direction_match": (
            lambda texts: direction_match(texts, referred, language),
            "it finds no direction of a body part in them",
        ),
    }
    if moved is not None:
        matches["body_part_match"] = (
            lambda texts: body_parts(texts, referred, language, moved, intended=False),
            "they name no body part that moves",
        )
    return matches


def _full(match: _Match, referred: Sequence[Sequence[str]]) -> bool:
    """Return whether any reference scores above 0 as the prediction of its pair."""
    return any(
        match([several[min(number, len(several) - 1)] for several in referred]).value > 0
        for number in range(COUNTED_REFERENCES)
    )


def body_parts(
    predicted: Sequence[str], referred: Sequence[Sequence[str]], language: str, moved: MovedGroups, *, intended: bool
) -> Measurement:
    """Return body-part-match of the pairs with joints; the others are ``nan``."""
    groups = moved.intended_groups if intended else moved.groups
    scores = body_part_match(predicted, referred, groups, language, intended=intended).instances
    return Measurement.mean(np.where(moved.known, scores, np.nan))
