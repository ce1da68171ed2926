"""A description, read once: its language and script, its words, and its clauses."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fmp_models.common.limits import MAX_DESCRIPTION_CHARS
from fmp_models.errors import BadInputError
from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import Reading, read_text
from fmp_models.languages.scripts import is_foreign, language_of, transliterated
from fmp_models.languages.vocabulary import text_of, tokenise

_LINE = re.compile(r"(?<=[^\s.,;:!?।])\s*\n\s*")  # a line end also ends a sentence


@dataclass(frozen=True)
class ReadDescription:
    """``words`` are the tokens of the description, ``text`` joins them, and ``reading`` holds the parsed clauses.

    ``read_as`` is the transliterated text of Hindi in Latin letters, and None for other texts.
    """

    language: str
    words: tuple[str, ...]
    text: str
    reading: Reading
    read_as: str | None


def read_description(description: str, language: str | None) -> ReadDescription:
    """Read a description in a language, or in the language of its script if none is given.

    Raise :class:`BadInputError`: ``unknown_language``, ``description_empty``, ``description_too_long``,
    ``description_foreign``, ``description_other_language``.
    """
    language, description, read_as = _in_own_script(description, language)
    language = _language(description, language)
    words = tuple(tokenise(_LINE.sub(". ", description.strip()), language))
    text = text_of(words, language)
    return ReadDescription(language, words, text, read_text(text, grammar(language)), read_as)


def _in_own_script(description: str, language: str | None) -> tuple[str | None, str, str | None]:
    """Return language, text and transliteration of a text in Latin letters; else language, description and None."""
    if len(description) <= MAX_DESCRIPTION_CHARS:
        in_script = transliterated(description)
        if in_script is not None and language in {None, in_script[0]}:
            return *in_script, in_script[1]
    return language, description, None


def _language(description: str, language: str | None) -> str:
    """Return the language to read the description in; raise BadInputError if it is not written in one."""
    if language is not None:
        grammar(language)
    if not any(letter.isalpha() for letter in description):
        raise BadInputError("description_empty")
    if len(description) > MAX_DESCRIPTION_CHARS:
        raise BadInputError("description_too_long", limit=MAX_DESCRIPTION_CHARS)
    if language is None:
        language = language_of(description)
        if language is None:
            raise BadInputError("description_foreign")
    elif is_foreign(description, language):
        raise BadInputError("description_other_language", language=language)
    return language
