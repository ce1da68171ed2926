"""Types of fields: each cleans or refuses a value of an answer at the border, and reads it back from JSON.

One rule for texts: control characters other than line breaks and tabs are left out (NUL among them), lone surrogates
become U+FFFD, and what is then too long is refused. Everything else, markup or formula or direction mark, is kept as it
was written; whoever shows or exports a text makes it harmless there.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotate.errors import RefusedError

Value = Any  # whatever a page, a file or a dataset holds

LONGEST_TEXT = 10_000  # characters
LONGEST_NAME = 200
MOST_NAMES = 200
MOST_SECONDS = 7 * 24 * 3600.0
LARGEST_PICTURE_MB = 8
OPERATIONS = ("KEEP", "DELETE", "ADD")

_JPEG = b"\xff\xd8\xff"
_MEGABYTE = 1_000_000


def cleaned_text(text: str) -> str:
    """A text by the rule above; every line break is a line feed."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = "".join(letter for letter in text if letter in "\n\t" or unicodedata.category(letter) != "Cc")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _has_surrogates(text) else text


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def checked_name(name: object, what: str, *, empty: bool = False) -> str:
    """An id or a short code, as it is; a name that nobody could have been given is refused."""
    usable = isinstance(name, str) and len(name) <= LONGEST_NAME and (name or empty)
    if not usable or any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in str(name)):
        raise RefusedError("answer_malformed", field=what)
    return str(name)


@dataclass(frozen=True)
class Column:
    """One type; ``clean`` gives the value to keep or raises :class:`RefusedError`."""

    def clean(self, value: Value, what: str) -> Value:
        """The value to keep."""
        raise NotImplementedError

    def read(self, value: Value, what: str) -> Value:
        """The value out of what ``write`` gave."""
        return self.clean(value, what)

    def write(self, value: Value) -> Value:
        """The value as JSON has it."""
        return value


@dataclass(frozen=True)
class Name(Column):
    """An id or a short code."""

    empty: bool = False

    def clean(self, value: Value, what: str) -> str:
        """As :func:`checked_name`."""
        return checked_name(value, what, empty=self.empty)


@dataclass(frozen=True)
class Names(Column):
    """Several of them, in order."""

    least: int = 0
    most: int = MOST_NAMES

    def clean(self, value: Value, what: str) -> tuple[str, ...]:
        """Refuse a bare string, and too many or too few."""
        if not isinstance(value, list | tuple) or not self.least <= len(value) <= self.most:
            raise RefusedError("answer_malformed", field=what)
        return tuple(checked_name(name, what) for name in value)

    def write(self, value: Value) -> list[str]:
        """As a list."""
        return list(value)


@dataclass(frozen=True)
class Choice(Column):
    """One of a few codes."""

    options: tuple[str, ...]

    def clean(self, value: Value, what: str) -> str:
        """Refuse any other."""
        if value not in self.options:
            raise RefusedError("answer_malformed", field=what)
        return str(value)


@dataclass(frozen=True)
class Words(Column):
    """Free text."""

    empty: bool = True

    def clean(self, value: Value, what: str) -> str:
        """By the rule of this module."""
        if not isinstance(value, str):
            raise RefusedError("answer_malformed", field=what)
        text = cleaned_text(value)
        if len(text) > LONGEST_TEXT:
            raise RefusedError("text_too_long", limit=LONGEST_TEXT)
        if not (self.empty or text.strip()):
            raise RefusedError("text_missing")
        return text


@dataclass(frozen=True)
class Whole(Column):
    """A whole number from ``least`` to ``most``."""

    least: int = 0
    most: int = 1_000_000

    def clean(self, value: Value, what: str) -> int:
        """Refuse others, booleans among them."""
        if isinstance(value, bool) or not isinstance(value, int) or not self.least <= value <= self.most:
            raise RefusedError("answer_malformed", field=what)
        return value


@dataclass(frozen=True)
class Truth(Column):
    """Yes or no."""

    def clean(self, value: Value, what: str) -> bool:
        """Refuse what is neither."""
        if not isinstance(value, bool):
            raise RefusedError("answer_malformed", field=what)
        return value


@dataclass(frozen=True)
class Seconds(Column):
    """How long an answer took; beyond a week it says no more than a week."""

    def clean(self, value: Value, what: str) -> float:
        """Refuse what is no length of time."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
            raise RefusedError("answer_malformed", field=what)
        return min(float(value), MOST_SECONDS)


@dataclass(frozen=True)
class Picture(Column):
    """A JPEG as bytes, already without metadata and with its faces blurred."""

    def clean(self, value: Value, what: str) -> bytes:
        """Refuse other types and large ones."""
        if not isinstance(value, bytes):
            raise RefusedError("answer_malformed", field=what)
        if not value.startswith(_JPEG):
            raise RefusedError("picture_not_jpeg")
        if len(value) > LARGEST_PICTURE_MB * _MEGABYTE:
            raise RefusedError("picture_too_large", limit_mb=LARGEST_PICTURE_MB)
        return value

    def read(self, value: Value, what: str) -> bytes:
        """Out of base64."""
        try:
            return self.clean(base64.b64decode(value, validate=True), what)
        except (TypeError, ValueError, binascii.Error):
            raise RefusedError("answer_malformed", field=what) from None

    def write(self, value: Value) -> str:
        """As base64."""
        return base64.b64encode(value).decode()


@dataclass(frozen=True)
class Edits(Column):
    """Word edits: pairs of an operation and the word it keeps, deletes or adds."""

    def clean(self, value: Value, what: str) -> tuple[tuple[str, str], ...]:
        """Refuse other operations, and more text than a text may have."""
        if not isinstance(value, list | tuple) or len(value) > LONGEST_TEXT:
            raise RefusedError("answer_malformed", field=what)
        edits = []
        for edit in value:
            if not isinstance(edit, list | tuple) or len(edit) != 2 or edit[0] not in OPERATIONS:  # noqa: PLR2004
                raise RefusedError("answer_malformed", field=what)
            edits.append((str(edit[0]), Words().clean(edit[1], what)))
        if sum(len(word) for _, word in edits) > 2 * LONGEST_TEXT:  # the old text and the new one
            raise RefusedError("text_too_long", limit=LONGEST_TEXT)
        return tuple(edits)

    def write(self, value: Value) -> list[list[str]]:
        """As lists."""
        return [list(edit) for edit in value]


@dataclass(frozen=True)
class Facts(Column):
    """What a program measured, by name: anything that JSON can say, within the length of a text."""

    def clean(self, value: Value, what: str) -> dict[str, Any]:
        """Refuse what JSON cannot say."""
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            raise RefusedError("answer_malformed", field=what)
        try:
            said = json.dumps(dict(value), ensure_ascii=False, allow_nan=False, sort_keys=True)
        except (TypeError, ValueError, RecursionError):
            raise RefusedError("answer_malformed", field=what) from None
        if len(said) > LONGEST_TEXT or _has_surrogates(said) or "\\u0000" in said:
            raise RefusedError("answer_malformed", field=what)
        facts: dict[str, Any] = json.loads(said)
        return facts


def typed(column: Column, **default: Value) -> Value:
    """A field of a payload with its type; ``default`` or ``default_factory`` as ``dataclasses.field`` has them."""
    return field(metadata={"column": column}, **default)
