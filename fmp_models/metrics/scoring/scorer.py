"""All scores of a set of corrections against human references, in one language.

The number of a metric is the released evaluation's. What that evaluation does by mistake is mended in a second number,
``intended``, which stands beside the first and never in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fmp_models.errors import BadInputError
from fmp_models.languages.grammar import LANGUAGES
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngram.bleu import bleu
from fmp_models.metrics.ngram.cider import cider
from fmp_models.metrics.ngram.java import JavaFailedError, java_missing
from fmp_models.metrics.ngram.meteor import meteor
from fmp_models.metrics.ngram.rouge import rouge_l
from fmp_models.metrics.ngram.tokens import Tokeniser, tokenise
from fmp_models.metrics.task.body_part_match import body_part_match
from fmp_models.metrics.task.carried_out import carried_out
from fmp_models.metrics.task.direction_match import direction_match
from fmp_models.metrics.task.moved_joints import Moved
from fmp_models.metrics.task.object_match import object_match
from fmp_models.metrics.task.word_lists import LANGUAGES_WITH_WORDS
from fmp_models.pose import PosePair

METRICS = (
    "bleu1",
    "bleu2",
    "bleu3",
    "bleu4",
    "cider",
    "meteor",
    "rouge_l",
    "object_match",
    "direction_match",
    "body_part_match",
)
# Metrics that the paper has not; they need the poses of the pairs.
CARRIED_OUT = "carried_out"
OWN_METRICS = (CARRIED_OUT,)

Say = Callable[[str], None]


@dataclass(frozen=True)
class Scores:
    """``measured`` and ``intended`` hold a measurement by metric; one that is left out is said why in ``notes``."""

    uids: tuple[str, ...]
    language: str
    tokeniser: Tokeniser
    references: tuple[int, ...]  # how many each instance has
    measured: dict[str, Measurement]
    intended: dict[str, Measurement]
    notes: tuple[str, ...]


def score(  # noqa: PLR0913  what is compared, and how
    predictions: Mapping[str, str],
    references: Mapping[str, Sequence[str]],
    language: str,
    *,
    moved: Moved | None = None,
    pairs: Sequence[PosePair | None] | None = None,
    tokeniser: Tokeniser | None = None,
    say: Say = lambda _: None,
) -> Scores:
    """Score texts by uid; both mappings have the same uids, and every uid has a reference.

    ``moved`` and ``pairs`` are in the order of ``predictions``; without the one body-part-match is left out, without
    the other how far the texts lead. ``say`` hears what is being done, as it takes seconds. Raises ``ValueError`` for
    uids that differ or lack a reference, and ``BadInputError`` (``tokeniser_failed``) where the tokeniser that was
    asked for needs Java and Java fails.
    """
    if predictions.keys() != references.keys() or not predictions:
        message = f"{len(predictions)} predictions and {len(references)} references are not of the same pairs"
        raise ValueError(message)
    uids = tuple(predictions)
    predicted = [predictions[uid] for uid in uids]
    referred = [list(references[uid]) for uid in uids]
    texts = [*predicted, *(text for texts in referred for text in texts)]
    say(f"Cutting {len(texts)} texts into tokens.")
    tokens, without_ptb = _tokenised(texts, tokeniser)
    words = iter(tokens)
    predicted_tokens = [next(words) for _ in predicted]
    reference_tokens = [[next(words) for _ in texts] for texts in referred]
    measurements = {
        f"bleu{n}": measurement for n, measurement in enumerate(bleu(predicted_tokens, reference_tokens), 1)
    }
    measurements |= {
        "cider": cider(predicted_tokens, reference_tokens),
        "rouge_l": rouge_l(predicted_tokens, reference_tokens),
    }
    without_meteor = java_missing()
    if without_meteor is None:
        say("Scoring with METEOR, which takes long for texts that repeat a word.")
        try:
            measurements["meteor"] = meteor(predicted_tokens, reference_tokens, language)
        except JavaFailedError as error:
            without_meteor = str(error)
    matches = _matches(predicted, referred, language, moved)
    measurements |= {name: released for name, (released, _) in matches.items()}
    if pairs is not None and any(pairs) and language in LANGUAGES:
        say(f"Carrying out {sum(pair is not None for pair in pairs)} texts, about a tenth of a second each.")
        measurements[CARRIED_OUT] = carried_out(predicted, language, pairs)
    return Scores(
        uids=uids,
        language=language,
        tokeniser="ptb" if without_ptb is None else "regex",
        references=tuple(len(texts) for texts in referred),
        measured={name: measurements[name] for name in (*METRICS, *OWN_METRICS) if name in measurements},
        intended={name: matches[name][1] for name in METRICS if name in matches},
        notes=tuple(_notes(without_ptb, without_meteor, language, moved)),
    )


def _tokenised(texts: Sequence[str], tokeniser: Tokeniser | None) -> tuple[list[list[str]], str | None]:
    """The tokens, and why they were not cut by the PTB tokeniser; ``None`` where they were."""
    if tokeniser == "regex":
        return tokenise(texts, "regex"), "as was asked for."
    try:
        return tokenise(texts, "ptb"), None
    except JavaFailedError as error:
        if tokeniser is not None:
            raise BadInputError("tokeniser_failed", reason=str(error)) from error
        return tokenise(texts, "regex"), str(error)


def _matches(
    predicted: Sequence[str], referred: Sequence[Sequence[str]], language: str, moved: Moved | None
) -> dict[str, tuple[Measurement, Measurement]]:
    """The three task-specific metrics as released and as intended; empty where there are no word lists."""
    if language not in LANGUAGES_WITH_WORDS:
        return {}
    matches = {
        name: (match(predicted, referred, language), match(predicted, referred, language, intended=True))
        for name, match in (("object_match", object_match), ("direction_match", direction_match))
    }
    if moved is not None and moved.known.any():
        matches["body_part_match"] = (
            _body_parts(predicted, referred, language, moved, intended=False),
            _body_parts(predicted, referred, language, moved, intended=True),
        )
    return matches


def _body_parts(
    predicted: Sequence[str], referred: Sequence[Sequence[str]], language: str, moved: Moved, *, intended: bool
) -> Measurement:
    """Body-part-match of the pairs with joints; the others are ``nan``."""
    groups = moved.intended_groups if intended else moved.groups
    scores = body_part_match(predicted, referred, groups, language, intended=intended).instances
    return Measurement.mean(np.where(moved.known, scores, np.nan))


def _notes(without_ptb: str | None, without_meteor: str | None, language: str, moved: Moved | None) -> Iterator[str]:
    """What was left out or done otherwise than in the released evaluation, a sentence each."""
    if without_ptb is not None:
        yield f"Tokenised by rules of our own, not by the released PTB tokeniser: {without_ptb}"
    if without_meteor is not None:
        yield f"METEOR is left out: {without_meteor}"
    if language not in LANGUAGES_WITH_WORDS:
        yield f"The task-specific metrics are left out: the release has no word lists for {language}."
    elif moved is None:
        yield "Body-part-match is left out: it needs the joints of both pictures."
    elif not moved.known.any():
        yield "Body-part-match is left out: none of the pairs has joints."
    elif not moved.known.all():
        yield f"Body-part-match is of the {moved.known.sum()} of {len(moved.known)} pairs that have joints."
