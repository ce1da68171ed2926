"""Reader of the scored files: predictions ``{uid: text}`` and references ``{uid: [text, ...]}``, with checks.

Every error is one sentence. Odd and short texts are scored. An empty prediction is an error, because a file with gaps
is more often a mistake than a result. Blank references next to others count as references, as in the release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fmp_models.errors import BadInputError
from fmp_models.files.json_files import read_json, shown
from fmp_models.languages.scripts import canonical, is_foreign, share_in_script

MAX_BYTES = 50_000_000
MAX_REFERENCES = 50  # per pair; the release has three
MAX_CHARS = 5_000  # per text; the longest human text has 1,500

Predictions = dict[str, str]
References = dict[str, list[str]]


def read_submission(predictions: Path, references: Path, language: str) -> tuple[Predictions, References]:
    """Return predictions and references of the same uids, in the order of the references.

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
