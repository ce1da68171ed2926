"""Search for the entries of a word list in a text: as substrings, as in the released scripts, or as words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

Phrase = tuple[str, ...]

_BREAKS = re.compile(r"[\s.,;:!?।॥\"“”()\[\]/\u200b]+")


def released_entries(text: str, entries: Iterable[str]) -> Iterator[str]:
    """Yield the entries that are substrings of the text, in order and once each, as the released scripts do.

    Object-match and body-part-match search like this. An entry need not be a separate word, so "can" is found in
    "candle". Once an entry of several words is found, its second word is no longer searched.
    """
    covered: set[str] = set()
    for entry in entries:
        if entry not in covered and entry in text:
            covered.update((entry, *entry.split()[1:2]))
            yield entry


def plain_words(text: str) -> list[str]:
    """Return the words of a text in lower case without punctuation, as the intended metrics read them."""
    return [word for word in _BREAKS.split(text.lower()) if word]


def phrases_in(words: Sequence[str], phrases: Collection[Phrase]) -> Iterator[tuple[int, Phrase]]:
    """Yield the phrases in the words with the index of their first word; of overlapping phrases, the longest."""
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
