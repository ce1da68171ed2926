"""Mended texts of a captioner: without what contradicts the rest, an unfinished end, or a wrong all-clear.

Sentences stay as they were written wherever all their clauses stay. Of a sentence that loses some, the others are said
anew, each in a sentence of its own; what cannot be said or would be read back otherwise goes with the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from fmp_models.geometry.clauses import Clause, Degree, Plan
from fmp_models.geometry.planning.consistency import consistent
from fmp_models.languages.grammar import OF_SCENES, Grammar, normalised
from fmp_models.languages.reader.lead_words import in_order
from fmp_models.languages.reader.parse import ReadClause, read, read_plan
from fmp_models.languages.realiser.sentences import realise, sentence
from fmp_models.languages.tags.tagging import tagged

_END = re.compile(r"[.!?।]+(?=\s|$)")  # of a sentence; a point within a number is none
_BEFORE_A_MARK, _WIDE = re.compile(r"[\s,]+(?=[,.!?।]|$)"), re.compile(r"\s{2,}")
_WORD = re.compile(r"[^\s.,;:!?।]+")


@dataclass(frozen=True)
class Sentence:
    """One sentence with its clauses; ``all_clear`` where it says that nothing, or nothing else, has to change."""

    text: str
    clauses: tuple[ReadClause, ...]
    all_clear: bool

    def bare(self, words: Grammar) -> str:
        """The sentence without what scenes add to its clauses: things of a room, "as if", "so that".

        The sentence itself where nothing is added, or where the rest would be read otherwise.
        """
        tags = tagged(self.text, words)
        if not self.clauses or not any(tag.value == OF_SCENES for tag in tags):
            return self.text
        ends = [self.text.index(entry.text) + len(entry.text) for entry in self.clauses]
        ends += [tag.end for tag in tags if tag.kind == "actions"]  # "मोड़कर रखें" is one verb
        left = self.text
        for tag in reversed(tags):
            if tag.value == OF_SCENES:
                # What adds to a whole movement is led to by words that nobody reads: "until", "so that".
                ended = [end for end in ends if end <= tag.start] if tag.kind == "stops" else []
                left = left[: max(ended, default=tag.start)] + left[tag.end :]
        left = sentence(_WIDE.sub(" ", _BEFORE_A_MARK.sub("", left)).strip(" .!?।"), words)
        return left if read_plan(left, words) == tuple(entry.clause for entry in self.clauses) else self.text


class Draft:
    """A text by sentences, and the ``clauses`` read in it; what was not finished is no part of it.

    A last sentence without a closing mark is unfinished where other sentences are closed, and in any case where the
    writer was ``cut`` off by a limit.
    """

    def __init__(self, text: str, words: Grammar, *, cut: bool = False) -> None:
        """Read the sentences one by one."""
        self._words = words
        self.source = text
        self.sentences = tuple(_read(text, start, end, words) for start, end in _finished(text, cut=cut))
        self.clauses = tuple(clause for read_sentence in self.sentences for clause in read_sentence.clauses)

    @property
    def plan(self) -> Plan:
        """The clauses alone."""
        return tuple(entry.clause for entry in self.clauses)

    def consistent(self, worth: Callable[[ReadClause], float], true: Callable[[Clause], bool]) -> set[int]:
        """The places of clauses that are ``true`` and do not contradict each other; those worth more stay."""
        places = [place for place, entry in enumerate(self.clauses) if true(entry.clause)]
        staying = consistent([self.clauses[place].clause for place in places], [worth(self.clauses[p]) for p in places])
        return {places[place] for place in staying}

    def text(self, staying: Collection[int], *, complete: bool, bare: bool = False, ends: bool = True) -> str:
        """The clauses at the places ``staying`` and what else was said; see :func:`mended`.

        ``bare`` leaves out what scenes add: things that nobody may see here. Where more is to be said after it, the
        text never ``ends``.
        """
        stays = {id(self.clauses[place]) for place in staying}
        written: list[str] = []
        gone = False  # what a sentence without a clause would be about
        for read_sentence in self.sentences:
            left = [entry.clause for entry in read_sentence.clauses if id(entry) in stays]
            dropped = read_sentence.all_clear and not complete
            if read_sentence.clauses:
                gone = id(read_sentence.clauses[-1]) not in stays
            if len(left) < len(read_sentence.clauses) or (dropped and left):
                written += _anew(left, self._words)
            elif not dropped and (left or not gone):
                written.append(read_sentence.bare(self._words) if bare else read_sentence.text)
        return " ".join(in_order(written, self._words, ends=ends))


def mended(
    text: str,
    words: Grammar,
    worth: Callable[[ReadClause], float] = lambda _: 0.0,
    *,
    cut: bool = False,
    complete: bool = False,
) -> str:
    """The text in the same language with no two clauses that contradict each other; empty where nothing is left.

    ``worth`` decides which clause of a contradiction stays, and among equals the one said first; it is asked of each
    clause with its place in ``text``. A last sentence that is not finished goes, see :class:`Draft`. A sentence that
    says that nothing (else) has to change goes unless the text is known to be ``complete``. A sentence without any
    clause that follows one that went, "make sure that ...", is about that one and goes with it.
    """
    draft = Draft(text, words, cut=cut)
    return draft.text(draft.consistent(worth, lambda _: True), complete=complete)


def _finished(text: str, *, cut: bool) -> list[tuple[int, int]]:
    """Where the sentences begin and end that are taken for finished."""
    ends = [match.end() for match in _END.finditer(text)]
    if not ends and not cut:
        ends = [len(text)]
    return [(start, end) for start, end in zip([0, *ends], ends, strict=False) if text[start:end].strip()]


def _read(text: str, start: int, end: int, words: Grammar) -> Sentence:
    """One sentence; read by itself, since the reader passes over what a text says twice."""
    sentence_text = text[start:end]
    clauses = tuple(replace(entry, start=entry.start + start) for entry in read(sentence_text, words))
    plain = " ".join(_WORD.findall(normalised(sentence_text)))
    return Sentence(sentence_text.strip(), clauses, words.all_clear.search(plain) is not None)


def _anew(clauses: Sequence[Clause], words: Grammar) -> list[str]:
    """Each clause as a sentence that is read back as that clause; how far it goes may be lost."""
    sayable = [clause for clause in dict.fromkeys(clauses) if _sayable(clause, words)]
    texts = [sentence(fragment, words) for fragment in realise(tuple(sayable), words)]
    pairs = zip(sayable, texts, strict=True)
    return [text for clause, text in pairs if _plain(read_plan(text, words)) == _plain([clause])]


def _sayable(clause: Clause, words: Grammar) -> bool:
    """Whether the language has words for a side and movement that other people's texts may have together."""
    part = clause.part.value
    return clause.side.value in words.parts[part] and clause.direction.value in words.say[part]


def _plain(clauses: Sequence[Clause]) -> list[Clause]:
    return [replace(clause, degree=Degree.PLAIN) for clause in clauses]
