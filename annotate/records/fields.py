"""Field types of records: pydantic cleans or rejects each value by them.

Texts follow one rule: control characters other than line breaks and tabs (including NUL) are removed, lone
surrogates become U+FFFD, and a text that is then too long is rejected. Everything else, such as markup,
formulas and direction marks, is kept as written; code that shows or exports a text must escape it.
"""

from __future__ import annotations

import json
import unicodedata
from dataclasses import fields
from typing import Annotated, Any, ClassVar, LiteralString, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.dataclasses import dataclass
from pydantic_core import PydanticCustomError

from annotate.errors import SENTENCES, RefusedError
from annotate.records.word_edits import Edit, Operation

MAX_TEXT_CHARS = 10_000  # characters
MAX_NAME_CHARS = 200
MAX_NAMES = 200
MAX_SECONDS = 7 * 24 * 3600.0
MAX_PICTURE_MB = 8

_JPEG = b"\xff\xd8\xff"
_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Checked:
    """The base of a data class with these field types; it raises :class:`RefusedError` for the first invalid field."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _refuse(cls, value: object, make: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return make(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            if first["type"] in SENTENCES:
                raise RefusedError(first["type"], **first.get("ctx", {})) from None
            place = first["loc"][0]  # a number for a positional argument
            name = fields(cls)[place].name if isinstance(place, int) else place
            raise RefusedError("answer_malformed", field=name) from None


def _refusal(code: LiteralString, **details: int) -> PydanticCustomError:
    """Return the error that a validator raises for a value that is not just malformed."""
    return PydanticCustomError(code, code, details)


def cleaned_text(text: str) -> str:
    """Return a text cleaned by the rule above, with line feeds as line breaks."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = "".join(letter for letter in text if letter in "\n\t" or unicodedata.category(letter) != "Cc")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _has_surrogates(text) else text


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _cleaned(value: object) -> object:
    return cleaned_text(value) if isinstance(value, str) else value


def _of_length(text: str) -> str:
    if len(text) > MAX_TEXT_CHARS:
        raise _refusal("text_too_long", limit=MAX_TEXT_CHARS)
    return text


def _with_words(text: str) -> str:
    if not text.strip():
        raise _refusal("text_missing")
    return text


def _listed(value: object) -> object:
    """Return a list as a tuple: JSON and Parquet read lists, records hold tuples."""
    return tuple(value) if isinstance(value, list) else value


def _prepared(picture: bytes) -> bytes:
    if not picture.startswith(_JPEG):
        raise _refusal("picture_not_jpeg")
    if len(picture) > MAX_PICTURE_MB * _MEGABYTE:
        raise _refusal("picture_too_large", limit_mb=MAX_PICTURE_MB)
    return picture


def _not_long_together(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    if sum(len(word) for _, word in edits) > 2 * MAX_TEXT_CHARS:  # old and new text
        raise _refusal("text_too_long", limit=MAX_TEXT_CHARS)
    return edits


def _as_json_says(facts: dict[str, Any]) -> dict[str, Any]:
    """Return facts as JSON reads them back.

    Raise ``ValueError`` for values that JSON cannot represent, or facts longer than a text may be.
    """
    try:
        text = json.dumps(facts, ensure_ascii=False, allow_nan=False, sort_keys=True)
    except (TypeError, RecursionError) as error:
        raise ValueError from error
    if len(text) > MAX_TEXT_CHARS or _has_surrogates(text) or "\\u0000" in text:
        raise ValueError
    values: dict[str, Any] = json.loads(text)
    return values


# An id or a short code, without control characters.
MaybeName = Annotated[str, StringConstraints(max_length=MAX_NAME_CHARS, pattern=r"^\P{Cc}*$")]
Name = Annotated[MaybeName, StringConstraints(min_length=1)]
ManyNames = Annotated[tuple[Name, ...], BeforeValidator(_listed)]
Names = Annotated[ManyNames, Field(max_length=MAX_NAMES)]
MaybeWords = Annotated[str, BeforeValidator(_cleaned), AfterValidator(_of_length)]
Words = Annotated[MaybeWords, AfterValidator(_with_words)]
Whole = Annotated[int, Field(ge=0, le=1_000_000)]
# Duration of an answer, capped at a week.
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False), AfterValidator(lambda seconds: min(seconds, MAX_SECONDS))]
# A JPEG, already without metadata and with its faces blurred.
Picture = Annotated[bytes, AfterValidator(_prepared)]
Edits = Annotated[
    tuple[Annotated[tuple[Operation, MaybeWords], BeforeValidator(_listed)], ...],
    BeforeValidator(_listed),
    Field(max_length=MAX_TEXT_CHARS),
    AfterValidator(_not_long_together),
]
# Measurements of a program, by name.
Facts = Annotated[dict[str, Any], AfterValidator(_as_json_says)]

_NAMES = {False: TypeAdapter[str](Name), True: TypeAdapter[str](MaybeName)}


def checked_name(name: object, field: str, *, empty: bool = False) -> str:
    """Return a valid ``Name``, or with ``empty`` a ``MaybeName``; raise :class:`RefusedError` for others."""
    try:
        return _NAMES[empty].validate_python(name, strict=True)
    except ValidationError:
        raise RefusedError("answer_malformed", field=field) from None
