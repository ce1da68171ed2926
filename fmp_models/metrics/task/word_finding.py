"""Word search by the entries of a word list in a text: as the released scripts look for them, and as words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

Phrase = tuple[str, ...]

_BREAKS = re.compile(r"[\s.,;:!?।॥\"“”()\[\]/\u200b]+")


def released_entries(text: str, entries: Iterable[str]) -> Iterator[str]:
    """The entries that are a part of the text, in order and each once, as object-match and body-part-match look.

    The entry need not be a word of its own, so "can" is found in "candle"; and once an entry of several words is found,
    its second word is not looked for any more.
    """
    covered: set[str] = set()
    for entry in entries:
        if entry not in covered and entry in text:
            covered.update((entry, *entry.split()[1:2]))
            yield entry


def plain_words(text: str) -> list[str]:
    """The words of a text in lower case, without the marks around them; what the intended metrics read."""
    return [word for word in _BREAKS.split(text.lower()) if word]


def phrases_in(words: Sequence[str], phrases: Collection[Phrase]) -> Iterator[tuple[int, Phrase]]:
    """The phrases that stand in the words, with the place of their first word; the longest, where one holds another."""
    longest = max(map(len, phrases))
    i = 0
    while i < len(words):
        for end in range(i + longest, i, -1):
            phrase = tuple(words[i:end])
            if phrase in phrases:
                yield i, phrase
                i += len(phrase) - 1
                break
        i += 1
