"""All scores of a set of corrections against human references, in one language.

A metric's score is the released evaluation's. A second score, ``intended``, corrects that evaluation's mistakes; it
is reported in addition and never replaces the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fmp_models.errors import BadInputError
from fmp_models.languages.grammar import LANGUAGES
from fmp_models.languages.scripts import JOINER, canonical
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngram.bleu import bleu
from fmp_models.metrics.ngram.cider import cider
from fmp_models.metrics.ngram.java import JavaFailedError, java_missing
from fmp_models.metrics.ngram.meteor import meteor
from fmp_models.metrics.ngram.rouge import rouge_l
from fmp_models.metrics.ngram.tokens import Tokeniser, tokenise
from fmp_models.metrics.scoring.degenerate import GOAL_PROGRESS, ScoredTexts, body_parts, degenerate_metrics, remarks
from fmp_models.metrics.task.direction_match import direction_match
from fmp_models.metrics.task.goal_progress import goal_progress
from fmp_models.metrics.task.moved_joints import MovedGroups
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
OWN_METRICS = (GOAL_PROGRESS,)  # metrics that the paper does not have; they need the poses of the pairs

Say = Callable[[str], None]


@dataclass(frozen=True)
class Scores:
    """Scores by metric: ``measured`` and ``intended``; ``notes`` say why a metric is left out.

    ``degenerate`` gives by metric the reason why it is meaningless here; ``notes`` contain these sentences as well.
    """

    uids: tuple[str, ...]
    language: str
    tokeniser: Tokeniser
    references: tuple[int, ...]  # number of references of each instance
    measured: dict[str, Measurement]
    intended: dict[str, Measurement]
    notes: tuple[str, ...]
    degenerate: Mapping[str, str] = field(default_factory=dict)


def score(  # noqa: PLR0913  texts and options
    predictions: Mapping[str, str],
    references: Mapping[str, Sequence[str]],
    language: str,
    *,
    moved: MovedGroups | None = None,
    pairs: Sequence[PosePair | None] | None = None,
    tokeniser: Tokeniser | None = None,
    say: Say = lambda _: None,
) -> Scores:
    """Score texts by uid; both mappings have the same uids, and every uid has a reference.

    ``moved`` and ``pairs`` are in the order of ``predictions``. Without ``moved`` body-part-match is left out,
    without ``pairs`` the goal progress. ``say`` receives progress messages, because scoring takes
    seconds. Raises ``ValueError`` for uids that differ or lack a reference, and ``BadInputError``
    (``tokeniser_failed``) if the requested tokeniser needs Java and Java fails.
    """
    if predictions.keys() != references.keys() or not predictions:
        raise ValueError(f"{len(predictions)} predictions and {len(references)} references are not of the same pairs")
    uids = tuple(predictions)
    predicted = [predictions[uid] for uid in uids]
    referred = [list(references[uid]) for uid in uids]
    counted = _of_words(predicted, referred, language, tokeniser, say)
    measurements = dict(counted.measurements)
    matches = _matches(predicted, referred, language, moved)
    measurements |= {name: released for name, (released, _) in matches.items()}
    if pairs is not None and any(pairs) and language in LANGUAGES:
        say(f"Executing {sum(pair is not None for pair in pairs)} texts, about 0.1 s each.")
        measurements[GOAL_PROGRESS] = goal_progress(predicted, language, pairs)
    intended = {name: as_meant for name, (_, as_meant) in matches.items()}
    texts = [*predicted, *(text for several in referred for text in several)]
    if any(JOINER in text for text in texts):
        whole = [canonical(text) for text in predicted], [[canonical(text) for text in several] for several in referred]
        intended |= _of_words(*whole, language, tokeniser, say).measurements
    compared = ScoredTexts(predicted, referred, counted.predicted, counted.referred, language, moved)
    degenerate = degenerate_metrics(measurements, compared)
    if GOAL_PROGRESS in degenerate:
        del measurements[GOAL_PROGRESS]
    return Scores(
        uids=uids,
        language=language,
        tokeniser="ptb" if counted.without_ptb is None else "regex",
        references=tuple(len(texts) for texts in referred),
        measured={name: measurements[name] for name in (*METRICS, *OWN_METRICS) if name in measurements},
        intended={name: intended[name] for name in METRICS if name in intended},
        notes=(
            *_notes(counted.without_ptb, counted.without_meteor, language, moved),
            *remarks(compared),
            *dict.fromkeys(degenerate.values()),
        ),
        degenerate=degenerate,
    )


class _Counted(NamedTuple):
    """N-gram metrics, the tokens that they use, and why the PTB tokeniser or METEOR is left out."""

    measurements: dict[str, Measurement]
    predicted: list[list[str]]
    referred: list[list[list[str]]]
    without_ptb: str | None
    without_meteor: str | None


def _of_words(
    predicted: Sequence[str], referred: Sequence[Sequence[str]], language: str, tokeniser: Tokeniser | None, say: Say
) -> _Counted:
    """Compute BLEU, CIDEr, ROUGE-L and, if Java is available, METEOR."""
    texts = [*predicted, *(text for several in referred for text in several)]
    say(f"Tokenising {len(texts)} texts.")
    tokens, without_ptb = _tokenised(texts, tokeniser)
    words = iter(tokens)
    predicted_tokens = [next(words) for _ in predicted]
    reference_tokens = [[next(words) for _ in several] for several in referred]
    compared = predicted_tokens, reference_tokens
    measurements = {f"bleu{n}": measurement for n, measurement in enumerate(bleu(*compared), 1)}
    measurements |= {"cider": cider(*compared), "rouge_l": rouge_l(*compared)}
    without_meteor = java_missing()
    if without_meteor is None:
        say("Scoring with METEOR, which takes long for texts that repeat a word.")
        try:
            measurements["meteor"] = meteor(*compared, language)
        except JavaFailedError as error:
            without_meteor = str(error)
    return _Counted(measurements, *compared, without_ptb, without_meteor)


def _tokenised(texts: Sequence[str], tokeniser: Tokeniser | None) -> tuple[list[list[str]], str | None]:
    """Return the tokens, and why the PTB tokeniser was not used; ``None`` if it was."""
    if tokeniser == "regex":
        return tokenise(texts, "regex"), "as requested."
    try:
        return tokenise(texts, "ptb"), None
    except JavaFailedError as error:
        if tokeniser is not None:
            raise BadInputError("tokeniser_failed", reason=str(error)) from error
        return tokenise(texts, "regex"), str(error)


def _matches(
    predicted: Sequence[str], referred: Sequence[Sequence[str]], language: str, moved: MovedGroups | None
) -> dict[str, tuple[Measurement, Measurement]]:
    """Return the three task metrics as released and as intended; empty for a language without word lists."""
    if language not in LANGUAGES_WITH_WORDS:
        return {}
    matches = {
        name: (match(predicted, referred, language), match(predicted, referred, language, intended=True))
        for name, match in (("object_match", object_match), ("direction_match", direction_match))
    }
    if moved is not None and moved.known.any():
        matches["body_part_match"] = (
            body_parts(predicted, referred, language, moved, intended=False),
            body_parts(predicted, referred, language, moved, intended=True),
        )
    return matches


def _notes(
    without_ptb: str | None, without_meteor: str | None, language: str, moved: MovedGroups | None
) -> Iterator[str]:
    """Yield what is left out or differs from the released evaluation, one sentence each."""
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
