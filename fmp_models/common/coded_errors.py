"""Coded errors: a code that an interface can translate, details, and one English sentence that says what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

# Photograph errors have the same codes and sentences everywhere.
PHOTO_SENTENCES: dict[str, str] = {
    "photo_empty": "This file is empty; please choose the photograph again.",
    "photo_too_many_bytes": "This file is larger than {limit_mb} MB; please give a smaller photograph.",
    "photo_too_many_pixels": "This picture is larger than {limit_mp} megapixels; please make it smaller and try again.",
    "photo_too_slow": "This picture takes too long to read; please give a smaller one, saved as a plain JPEG.",
    "photo_too_small": "This picture is smaller than {limit_px} pixels on a side; please give a larger one.",
    "photo_unknown_type": (
        "This file is not a JPEG, PNG, WebP, HEIC, AVIF, GIF or BMP picture; please save it as one of these."
    ),
    "photo_broken": "This picture is damaged or incomplete; please save or send it again.",
    "photo_animated": "This is an animation; please give a single still picture.",
}

_MAX_REASON_CHARS = 160  # characters


class CodedError(Exception):
    """Base of input errors; each package derives its own class with its own ``sentences``."""

    sentences: ClassVar[Mapping[str, str]] = {}

    def __init__(self, code: str, **details: str | float) -> None:
        """Raise ``KeyError`` if the class has no sentence for ``code``."""
        self.code = code
        self.details = details
        super().__init__(self.sentences[code].format(**details))

    def __reduce__(self) -> tuple[object, ...]:
        """Rebuild the error from code and details when it is unpickled in another process.

        By default the sentence would be passed as the code.
        """
        return _again, (type(self), self.code, self.details)

    @property
    def sentence(self) -> str:
        """The English sentence."""
        return str(self)


class PhotographError(CodedError):
    """Unreadable photograph; each package raises it again as its own kind of error."""

    sentences = PHOTO_SENTENCES


def one_line(error: object) -> str:
    """Return an error's message as a ``reason`` within a sentence: one line, no full stop, limited length."""
    text = " ".join(str(error).split()).rstrip(".")
    return text if len(text) <= _MAX_REASON_CHARS else f"{text[: _MAX_REASON_CHARS - 1]}…"


def _again(kind: type[CodedError], code: str, details: dict[str, str | float]) -> CodedError:
    return kind(code, **details)
