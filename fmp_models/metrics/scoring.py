"""All scores of a set of corrections against human references, in one language, and the reader of the scored files.

A metric's score is the released evaluation's. A second score, ``intended``, corrects that evaluation's mistakes; it
is reported in addition and never replaces the first. Metrics that are meaningless for the given texts are named, and
remarks say what limits the scores.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from fmp_models.errors import BadInputError
from fmp_models.files import read_json, shown
from fmp_models.languages import JOINER, LANGUAGES, canonical, is_foreign, share_in_script
from fmp_models.metrics.body_parts import MovedGroups, body_part_match
from fmp_models.metrics.clause_metrics import goal_progress
from fmp_models.metrics.directions import direction_match
from fmp_models.metrics.java import JavaFailedError, Tokeniser, java_missing, meteor, tokenise
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngrams import ORDERS, Cider, bleu, cider, rouge_l
from fmp_models.metrics.properties import property_shares
from fmp_models.metrics.word_lists import COUNTED_REFERENCES, LANGUAGES_WITH_WORDS, object_match
from fmp_models.pose import PosePair

GOAL_PROGRESS = "goal_progress"
OLD_NAMES = {"carried_out": GOAL_PROGRESS}  # names that stored scores have, and reports for one more version
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
OWN_METRICS = (GOAL_PROGRESS,)  # metrics that the paper does not have

_log = logging.getLogger(__name__)


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
    properties: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # of predictions and references


def score_texts(  # noqa: PLR0913  texts and options
    predictions: Mapping[str, str],
    references: Mapping[str, Sequence[str]],
    language: str,
    *,
    moved: MovedGroups | None = None,
    pairs: Sequence[PosePair | None] | None = None,
    tokeniser: Tokeniser | None = None,
) -> Scores:
    """Score texts by uid; both mappings have the same uids, and every uid has a reference.

    ``moved`` and ``pairs`` are in the order of ``predictions``. Without ``moved`` body-part-match is left out,
    without ``pairs`` the goal progress. Raises ``ValueError`` for uids that differ or lack a reference, and
    ``BadInputError`` (``tokeniser_failed``) if the requested tokeniser needs Java and Java fails.
    """
    if predictions.keys() != references.keys() or not predictions:
        raise ValueError(f"{len(predictions)} predictions and {len(references)} references are not of the same pairs")
    uids = tuple(predictions)
    predicted = [predictions[uid] for uid in uids]
    referred = [list(references[uid]) for uid in uids]
    counted = _of_words(predicted, referred, language, tokeniser)
    measurements = dict(counted.measurements)
    matches = _matches(predicted, referred, language, moved)
    measurements |= {name: released for name, (released, _) in matches.items()}
    if pairs is not None and any(pairs) and language in LANGUAGES:
        _log.info("Executing %d texts, about 0.1 s each.", sum(pair is not None for pair in pairs))
        measurements[GOAL_PROGRESS] = goal_progress(predicted, language, pairs)
    intended = {name: as_meant for name, (_, as_meant) in matches.items()}
    texts = [*predicted, *(text for several in referred for text in several)]
    if any(JOINER in text for text in texts):
        whole = [canonical(text) for text in predicted], [[canonical(text) for text in several] for several in referred]
        intended |= _of_words(*whole, language, tokeniser).measurements
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
        properties={
            name: property_shares(of, language)
            for name, of in (("predictions", predicted), ("references", [*chain.from_iterable(referred)]))
        },
    )


class _Counted(NamedTuple):
    """N-gram metrics, the tokens that they use, and why the PTB tokeniser or METEOR is left out."""

    measurements: dict[str, Measurement]
    predicted: list[list[str]]
    referred: list[list[list[str]]]
    without_ptb: str | None
    without_meteor: str | None


def _of_words(
    predicted: Sequence[str], referred: Sequence[Sequence[str]], language: str, tokeniser: Tokeniser | None
) -> _Counted:
    """Compute BLEU, CIDEr, ROUGE-L and, if Java is available, METEOR."""
    texts = [*predicted, *(text for several in referred for text in several)]
    _log.info("Tokenising %d texts.", len(texts))
    tokens, without_ptb = _tokenised(texts, tokeniser)
    words = iter(tokens)
    predicted_tokens = [next(words) for _ in predicted]
    reference_tokens = [[next(words) for _ in several] for several in referred]
    compared = predicted_tokens, reference_tokens
    measurements = {f"bleu{n}": measurement for n, measurement in enumerate(bleu(*compared), 1)}
    measurements |= {"cider": cider(*compared), "rouge_l": rouge_l(*compared)}
    without_meteor = java_missing()
    if without_meteor is None:
        _log.info("Scoring with METEOR, which takes long for texts that repeat a word.")
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
    for name, (match, lacking) in _task_matches(compared).items():
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


def _task_matches(compared: ScoredTexts) -> dict[str, tuple[_Match, str]]:
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


MAX_BYTES = 50_000_000
MAX_REFERENCES = 50  # per pair; the release has three
MAX_CHARS = 5_000  # per text; the longest human text has 1,500

Predictions = dict[str, str]
References = dict[str, list[str]]


def read_submission(predictions: Path, references: Path, language: str) -> tuple[Predictions, References]:
    """Return predictions ``{uid: text}`` and references ``{uid: [text, ...]}``, in the order of the references.

    Odd and short texts are scored. An empty prediction is an error, because a file with gaps is more often a mistake
    than a result. Blank references next to others count as references, as in the release.
    Raises :class:`BadInputError` if a file or a text is not valid.
    """
    predicted = _read(predictions, _is_text, '{"13_19_4_13_1": "bend your knees"}')
    referred = _read(references, _is_list_of_texts, '{"13_19_4_13_1": ["bend your knees", "go down"]}')
    _check_uids(predicted, referred)
    for uid, text in predicted.items():
        if not canonical(text).strip():
            raise BadInputError("prediction_empty", uid=shown(uid))
    for uid, texts in referred.items():
        if not any(canonical(text).strip() for text in texts):
            raise BadInputError("references_missing", uid=shown(uid))
        if len(texts) > MAX_REFERENCES:
            raise BadInputError("references_too_many", uid=shown(uid), limit=MAX_REFERENCES)
    _check_texts(predictions, {uid: [text] for uid, text in predicted.items()}, language)
    _check_texts(references, referred, language)
    return {uid: predicted[uid] for uid in referred}, referred


def _read(path: Path, is_value: Callable[[object], bool], example: str) -> dict[str, Any]:
    content = read_json(path, MAX_BYTES, example)
    if not isinstance(content, dict) or not all(_is_text(uid) for uid in content):
        raise BadInputError("json_unexpected", path=str(path), example=example)
    if not content:
        raise BadInputError("json_empty", path=str(path))
    for uid, value in content.items():
        if not is_value(value):
            raise BadInputError("json_value_unexpected", path=str(path), uid=shown(uid), example=example)
    return content


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(_is_text(text) for text in value)


def _check_uids(predictions: Mapping[str, object], references: Mapping[str, object]) -> None:
    for code, needed, present in (
        ("predictions_lacking", references, predictions),
        ("references_lacking", predictions, references),
    ):
        lacking = [uid for uid in needed if uid not in present]
        if lacking:
            raise BadInputError(code, count=len(lacking), total=len(needed), uid=shown(lacking[0]))


def _check_texts(path: Path, texts: Mapping[str, Sequence[str]], language: str) -> None:
    for uid, uid_texts in texts.items():
        for text in uid_texts:
            if len(text) > MAX_CHARS:
                raise BadInputError("text_too_long", path=str(path), uid=shown(uid), limit=MAX_CHARS)
            if is_foreign(text, language):
                raise BadInputError("text_foreign", path=str(path), uid=shown(uid), language=language)
    # The release itself has a few untranslated texts in its Hindi part.
    if share_in_script("".join(text for uid_texts in texts.values() for text in uid_texts), language) < 1 / 2:
        raise BadInputError("texts_foreign", path=str(path), language=language)
