"""Vocabularies: tokenisation of texts, and the numbered words of a language for the networks.

A token is a lower-case word, a number or one punctuation mark. Apostrophes, hyphens and Devanagari signs stay
inside their word. A full stop in any spelling becomes the language's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fmp_models.errors import BadInputError
from fmp_models.files import read_bounded
from fmp_models.languages.language_data import MARKS, SENTENCE_ENDS, grammar, normalised
from fmp_models.languages.scripts import canonical
from fmp_models.languages.spelling import corrected

PAD, BOS, EOS, UNK = range(4)
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")
MIN_COUNT = 3  # minimum occurrences of a word in the training texts, as in the released code

_MARKS = r"!-/:-@\[-`{-~।॥…“”„‘’«»–—"
_WORD = rf"[^\s{_MARKS}]+"
_TOKEN = re.compile(rf"\d+(?:[.,]\d+)+|{_WORD}(?:['-]{_WORD})*|[.।|]+|[^\s]")
_STOP = re.compile(r"[.।|]+")
_CLOSING = frozenset(f"{MARKS})")
_ENDS = frozenset(SENTENCE_ENDS)
_MAX_BYTES = 4_000_000  # size limit of a vocabulary file; the largest released one has 2126 words


def tokenise(text: str, language: str) -> list[str]:
    """Return the tokens of a text; raise :class:`BadInputError` (``unknown_language``)."""
    stop = grammar(language).stop
    plain = canonical(text.lower()).replace("’", "'")
    plain_tokens = [stop if _STOP.fullmatch(token) else token for token in _TOKEN.findall(plain)]
    # Repeated stops count as one.
    return [
        token
        for token, before in zip(plain_tokens, ["", *plain_tokens], strict=False)
        if token != stop or before != stop
    ]


def token_spans(text: str, language: str) -> list[tuple[str, int, int]]:
    """Return the tokens of a text as in :func:`tokenise`, repeated stops included, each with its character span."""
    matches = _TOKEN.finditer(text.replace("’", "'"))
    return [("".join(tokenise(match[0], language)) or match[0], *match.span()) for match in matches]


def text_of(words: Sequence[str], language: str) -> str:
    """Return the text of the tokens: no space before a stop or comma, a capital at the start of each sentence."""
    return " ".join(word for word, _ in written_words(words, language))


def written_words(words: Sequence[str], language: str) -> list[tuple[str, int]]:
    """Return the space-separated words of :func:`text_of`, each with the number of tokens in it."""
    grammar(language)
    spelt_words: list[tuple[str, int]] = []
    begins = True
    for word in words:
        spelt = word[:1].upper() + word[1:] if begins else word
        if spelt_words and (word in _CLOSING or spelt_words[-1][0].endswith("(")):
            before, made_of = spelt_words.pop()
            spelt_words.append((before + spelt, made_of + 1))
        else:
            spelt_words.append((spelt, 1))
        begins = word in _ENDS
    return spelt_words


@dataclass(frozen=True)
class Vocabulary:
    """The numbered words of a language, :data:`SPECIALS` first.

    Raise ``ValueError`` for an invalid list of words.
    """

    language: str
    words: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raise ``ValueError`` if the words are not a valid vocabulary."""
        grammar(self.language)
        fault = _fault(self.words, self.language)
        if fault:
            raise ValueError(fault)

    def __len__(self) -> int:
        """Return the number of words, including the special ones."""
        return len(self.words)

    @classmethod
    def of(cls, texts: Iterable[str], language: str, least: int = MIN_COUNT) -> Vocabulary:
        """Return a vocabulary of the tokens that occur at least ``least`` times, the most frequent first."""
        counts = Counter(token for text in texts for token in tokenise(text, language))
        words = sorted(
            (word for word, times in counts.items() if times >= least), key=lambda word: (-counts[word], word)
        )
        return cls(language, (*SPECIALS, *words))

    def encode(self, text: str, *, ends: bool = True, longest: int | None = None) -> list[int]:
        """Return the token numbers, between BOS and EOS if ``ends``, truncated to at most ``longest`` numbers.

        An unknown spelling counts as a known word that differs only in nukta, chandrabindu or similar signs.
        """
        room = None if longest is None else max(longest - 2 * ends, 0)
        numbers = [self._number(token) for token in tokenise(text, self.language)][:room]
        return [BOS, *numbers, EOS] if ends else numbers

    def numbers_as_meant(self, typed: Iterable[str]) -> list[int]:
        """Return the numbers of the tokens; misspellings and polite forms count as the intended words."""
        words = grammar(self.language)
        numbered = ((self._number(token), token) for token in typed)
        return [
            number if number != UNK else self._number(corrected(normalised(token), words)) for number, token in numbered
        ]

    def decode(self, numbers: Iterable[int]) -> str:
        """Return the text of the words before the first EOS."""
        return text_of(self.tokens_of(numbers), self.language)

    def tokens_of(self, numbers: Iterable[int]) -> list[str]:
        """Return the words before the first EOS, without PAD and BOS; raise ``IndexError`` for an unknown number."""
        words: list[str] = []
        for number in numbers:
            if number == EOS:
                break
            if number not in {PAD, BOS}:
                words.append(self.words[number])
        return words

    def save(self, folder: Path) -> Path:
        """Write ``vocabulary.<language>.txt``, one word a line, and return its path."""
        path = vocabulary_path(folder, self.language)
        path.write_text("".join(f"{word}\n" for word in self.words), encoding="utf-8", newline="\n")
        return path

    @classmethod
    def load(cls, folder: Path, language: str) -> Vocabulary:
        """Read the file of :meth:`save`; raise :class:`BadInputError` (``file_unreadable``, ``vocabulary_damaged``)."""
        path = vocabulary_path(folder, language)
        data = read_bounded(path, _MAX_BYTES)
        try:
            lines = data.decode("utf-8").split("\n")
        except UnicodeDecodeError:
            raise BadInputError("vocabulary_damaged", path=str(path), reason="it is not UTF-8 text") from None
        words = tuple(lines[:-1])
        fault = "it is too long" if len(data) > _MAX_BYTES else "its end is missing" if lines[-1] else ""
        fault = fault or _fault(words, language)
        if fault:
            raise BadInputError("vocabulary_damaged", path=str(path), reason=fault)
        return cls(language, words)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def _spelt_alike(self) -> dict[str, int]:
        """Map each normalised spelling to the number of its most frequent word."""
        return {normalised(self.words[number]): number for number in reversed(range(len(SPECIALS), len(self.words)))}

    def _number(self, token: str) -> int:
        exact = self._numbers.get(token)
        return exact if exact is not None else self._spelt_alike.get(normalised(token), UNK)


def vocabulary_path(folder: Path, language: str) -> Path:
    """Return the path of a language's vocabulary in a folder; raise :class:`BadInputError` (``unknown_language``)."""
    grammar(language)
    return folder / f"vocabulary.{language}.txt"


def _fault(words: Sequence[str], language: str) -> str:
    """Return what is wrong with a list of words, or an empty string."""
    if tuple(words[: len(SPECIALS)]) != SPECIALS:
        return f"it does not begin with {', '.join(SPECIALS)}"
    twice = [word for word, times in Counter(words).items() if times > 1]
    if twice:
        return f"“{twice[0][:40]}” stands in it twice"
    odd = [word for word in words[len(SPECIALS) :] if tokenise(word, language) != [canonical(word).strip(" ")]]
    return f"“{odd[0][:40]}” is not one word" if odd else ""
