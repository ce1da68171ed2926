"""Unparsed requests: pieces of a text that ask for something but gave no clause."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fmp_models.languages.grammar import Grammar, normalised
from fmp_models.languages.reader.parse import ReadClause, ReadShape
from fmp_models.languages.tags.sides import lone_side
from fmp_models.languages.tags.tagging import AND, Tag, tagged

_ENDS = frozenset(".;!?।\n")
_WORD = re.compile(r"[^\s.,;:!?।]+")
Span = tuple[int, int]


def find_unparsed(text: str, words: Grammar, clauses: Sequence[ReadClause | ReadShape]) -> tuple[Span, ...]:
    """Return the spans (start, end exclusive) where the text asks for something that none of the ``clauses`` covers.

    These are pieces between commas and "and" with a verb of movement that state no fact, and sentences without any
    clause. Sentences that say that nothing has to change are not included. Remarks beside instructions ("great
    job", "if you can") ask for nothing; they are included only if the text has no clause at all.
    """
    read = [(clause.start, clause.start + len(clause.text)) for clause in clauses]

    def asks(tags: Sequence[Tag]) -> bool:
        plain = _plain(tags, text)
        beside = clauses and (words.asides.fullmatch(plain) or lone_side(tags, words))
        aside = words.all_clear.search(plain) or beside
        return any(map(str.isalpha, plain)) and not aside

    missed: list[Span] = []
    for sentence in _cut(tagged(text, words), _ENDS):
        pieces = [piece for piece in _cut(sentence, frozenset({*AND, ","})) if asks(piece)]
        moving = [
            _span(piece)
            for piece in pieces
            if any(tag.kind == "actions" for tag in piece) and all(tag.text not in words.facts for tag in piece)
        ]
        asking = [span for span in moving if not _meets(span, read)]
        if asking or _meets(_span(sentence), read):
            missed += asking
        elif pieces and asks(sentence):
            missed.append(_span(sentence))
    return tuple(missed)


def _cut(tags: Sequence[Tag], at: frozenset[str]) -> Iterator[list[Tag]]:
    """Yield the non-empty runs of tags between separators whose text is in ``at``."""
    run: list[Tag] = []
    for tag in tags:
        if tag.text in at and tag.kind in {"break", "word", "fillers"}:
            if run:
                yield run
            run = []
        else:
            run.append(tag)
    if run:
        yield run


def _span(tags: Sequence[Tag]) -> Span:
    return tags[0].start, tags[-1].end


def _meets(span: Span, spans: Sequence[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in spans)


def _plain(tags: Sequence[Tag], text: str) -> str:
    """Return the text under the tags, normalised and without punctuation."""
    return " ".join(_WORD.findall(normalised(text[slice(*_span(tags))])))
