"""Vocabularies: tokens of a text and back, and the numbered words of a language, as the networks have them.

A token is a word in lower case, a number, or one mark. Apostrophes, hyphens and the signs of Devanagari stay inside
their word. A full stop, whichever sign it was typed with, becomes the language's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fmp_models.errors import BadInputError
from fmp_models.files.bounded import read_bounded
from fmp_models.languages.grammar import grammar, normalised
from fmp_models.languages.scripts import canonical
from fmp_models.languages.spelling import corrected

PAD, BOS, EOS, UNK = range(4)
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")
MIN_COUNT = 3  # of a word in the training texts: released code

_MARKS = r"!-/:-@\[-`{-~।॥…“”„‘’«»–—"
_WORD = rf"[^\s{_MARKS}]+"
_TOKEN = re.compile(rf"\d+(?:[.,]\d+)+|{_WORD}(?:['-]{_WORD})*|[.।|]+|[^\s]")
_STOP = re.compile(r"[.।|]+")
_CLOSING = frozenset(".,;:!?।)")
_ENDS = frozenset(".!?।")
_MAX_BYTES = 4_000_000  # of a vocabulary file; the largest released one has 2126 words


def tokens(text: str, language: str) -> list[str]:
    """The tokens of a text; raises :class:`BadInputError` (``unknown_language``)."""
    stop = grammar(language).stop
    plain = canonical(text.lower()).replace("’", "'")
    plain_tokens = [stop if _STOP.fullmatch(token) else token for token in _TOKEN.findall(plain)]
    # One stop ends a sentence as well as two.
    return [
        token
        for token, before in zip(plain_tokens, ["", *plain_tokens], strict=False)
        if token != stop or before != stop
    ]


def text_of(words: Sequence[str], language: str) -> str:
    """Tokens as a person writes them: no space before a stop or comma, a capital at the start of a sentence."""
    return " ".join(word for word, _ in written(words, language))


def written(words: Sequence[str], language: str) -> list[tuple[str, int]]:
    """What stands between the spaces of :func:`text_of`, each with the number of tokens it is made of."""
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
    """The words of a language by number, :data:`SPECIALS` first; ``ValueError`` for anything else."""

    language: str
    words: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check what every reader relies on."""
        grammar(self.language)
        fault = _fault(self.words, self.language)
        if fault:
            raise ValueError(fault)

    def __len__(self) -> int:
        """How many words there are, specials included."""
        return len(self.words)

    @classmethod
    def of(cls, texts: Iterable[str], language: str, least: int = MIN_COUNT) -> Vocabulary:
        """The tokens that are seen at least ``least`` times, the most frequent first."""
        counts = Counter(token for text in texts for token in tokens(text, language))
        words = sorted(
            (word for word, times in counts.items() if times >= least), key=lambda word: (-counts[word], word)
        )
        return cls(language, (*SPECIALS, *words))

    def encode(self, text: str, *, ends: bool = True, longest: int | None = None) -> list[int]:
        """Numbers of the tokens, between BOS and EOS if ``ends``; at most ``longest`` numbers, the rest is cut off.

        A word that is unknown as it is spelt counts as the one that differs in nukta, chandrabindu or the like alone.
        """
        room = None if longest is None else max(longest - 2 * ends, 0)
        numbers = [self._number(token) for token in tokens(text, self.language)][:room]
        return [BOS, *numbers, EOS] if ends else numbers

    def numbers_as_meant(self, typed: Iterable[str]) -> list[int]:
        """The numbers of tokens; slips of the pen and polite forms count as the words that are meant."""
        words = grammar(self.language)
        numbered = ((self._number(token), token) for token in typed)
        return [
            number if number != UNK else self._number(corrected(normalised(token), words)) for number, token in numbered
        ]

    def decode(self, numbers: Iterable[int]) -> str:
        """The text of the words up to the first EOS."""
        return text_of(self.tokens_of(numbers), self.language)

    def tokens_of(self, numbers: Iterable[int]) -> list[str]:
        """The words up to the first EOS, without PAD and BOS; ``IndexError`` for a number that has no word."""
        words: list[str] = []
        for number in numbers:
            if number == EOS:
                break
            if number not in {PAD, BOS}:
                words.append(self.words[number])
        return words

    def save(self, folder: Path) -> Path:
        """Write ``vocabulary.<language>.txt``, one word a line, and return where."""
        path = vocabulary_path(folder, self.language)
        path.write_text("".join(f"{word}\n" for word in self.words), encoding="utf-8", newline="\n")
        return path

    @classmethod
    def load(cls, folder: Path, language: str) -> Vocabulary:
        """Read what :meth:`save` wrote; :class:`BadInputError` (``file_unreadable``, ``vocabulary_damaged``)."""
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
        """The most frequent word of each evened-out spelling."""
        return {normalised(self.words[number]): number for number in reversed(range(len(SPECIALS), len(self.words)))}

    def _number(self, token: str) -> int:
        exact = self._numbers.get(token)
        return exact if exact is not None else self._spelt_alike.get(normalised(token), UNK)


def vocabulary_path(folder: Path, language: str) -> Path:
    """Where a folder keeps the vocabulary of a language; raises :class:`BadInputError` (``unknown_language``)."""
    grammar(language)
    return folder / f"vocabulary.{language}.txt"


def _fault(words: Sequence[str], language: str) -> str:
    """What is wrong with a list of words, or nothing."""
    if tuple(words[: len(SPECIALS)]) != SPECIALS:
        return f"it does not begin with {', '.join(SPECIALS)}"
    twice = [word for word, times in Counter(words).items() if times > 1]
    if twice:
        return f"“{twice[0][:40]}” stands in it twice"
    odd = [word for word in words[len(SPECIALS) :] if tokens(word, language) != [canonical(word).strip(" ")]]
    return f"“{odd[0][:40]}” is not one word" if odd else ""
