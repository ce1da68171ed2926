"""Cleanup of captioner texts: removes contradictions, an unfinished end and a wrong all-clear.

Sentences stay as written if all their clauses stay. If a sentence loses some clauses, each remaining clause is
reworded as a sentence of its own. A clause that has no wording, or whose wording would be read differently, is
removed too. Lead words ("first", "then", "finally") are removed where they no longer fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from fmp_models.geometry import Clause, Degree, Plan, consistent_clauses
from fmp_models.languages.language_data import MARKS, OF_SCENES, SENTENCE_ENDS, Grammar, normalised
from fmp_models.languages.reader import ReadClause, read_clauses, read_plan
from fmp_models.languages.realiser import as_sentence, realise
from fmp_models.languages.tagging import tagged

_END = re.compile(rf"[{SENTENCE_ENDS}]+(?=\s|$)")  # end of a sentence; a decimal point does not count
_BEFORE_A_MARK, _WIDE = re.compile(rf"[\s,]+(?=[,{SENTENCE_ENDS}]|$)"), re.compile(r"\s{2,}")
_WORD = re.compile(rf"[^\s{MARKS}]+")


@dataclass(frozen=True)
class Sentence:
    """One sentence with its clauses; ``all_clear`` if it says that nothing, or nothing else, has to change."""

    text: str
    clauses: tuple[ReadClause, ...]
    all_clear: bool

    def bare(self, words: Grammar) -> str:
        """Return the sentence without scene additions: objects of a room, "as if", "so that".

        Return it unchanged if nothing was added or if the rest would be read differently.
        """
        tags = tagged(self.text, words)
        if not self.clauses or not any(tag.value == OF_SCENES for tag in tags):
            return self.text
        ends = [self.text.index(entry.text) + len(entry.text) for entry in self.clauses]
        ends += [tag.end for tag in tags if tag.kind == "actions"]  # "मोड़कर रखें" is one verb
        left = self.text
        for tag in reversed(tags):
            if tag.value == OF_SCENES:
                # Additions to a whole movement start with words that are not tagged: "until", "so that".
                ended = [end for end in ends if end <= tag.start] if tag.kind == "stops" else []
                left = left[: max(ended, default=tag.start)] + left[tag.end :]
        left = as_sentence(_WIDE.sub(" ", _BEFORE_A_MARK.sub("", left)).strip(f" {SENTENCE_ENDS}"), words)
        return left if read_plan(left, words) == tuple(entry.goal for entry in self.clauses) else self.text


class Draft:
    """A text by sentences, and the ``clauses`` read in it, without an unfinished end.

    A last sentence without a closing mark is unfinished if other sentences have one, and always if the text was
    ``cut`` off by a length limit.
    """

    def __init__(self, text: str, words: Grammar, *, cut: bool = False) -> None:
        """Read the sentences one by one."""
        self._words = words
        self.source = text
        self.sentences = tuple(_read(text, start, end, words) for start, end in _finished(text, cut=cut))
        self.clauses = tuple(clause for read_sentence in self.sentences for clause in read_sentence.clauses)

    @property
    def plan(self) -> Plan:
        """The clauses without their positions."""
        return tuple(entry.goal for entry in self.clauses)

    def consistent(self, worth: Callable[[ReadClause], float], true: Callable[[Clause], bool]) -> set[int]:
        """Return the indices of ``true`` clauses without contradictions; of two, the one worth more stays."""
        places = [place for place, entry in enumerate(self.clauses) if true(entry.goal)]
        staying = consistent_clauses(
            [self.clauses[place].goal for place in places], [worth(self.clauses[p]) for p in places]
        )
        return {places[place] for place in staying}

    def text(self, staying: Collection[int], *, complete: bool, bare: bool = False, ends: bool = True) -> str:
        """Return the text with the clauses at the indices ``staying`` and the other sentences; see :func:`mend_text`.

        ``bare`` removes scene additions, which refer to things that are not visible here. If ``ends`` is false, more
        text follows, so no closing lead word is kept.
        """
        stays = {id(self.clauses[place]) for place in staying}
        written: list[str] = []
        gone = False  # whether the clause that a sentence without clauses refers to was removed
        for read_sentence in self.sentences:
            left = [entry.goal for entry in read_sentence.clauses if id(entry) in stays]
            dropped = read_sentence.all_clear and not complete
            if read_sentence.clauses:
                gone = id(read_sentence.clauses[-1]) not in stays
            if len(left) < len(read_sentence.clauses) or (dropped and left):
                written += _anew(left, self._words)
            elif not dropped and (left or not gone):
                written.append(read_sentence.bare(self._words) if bare else read_sentence.text)
        return " ".join(in_order(written, self._words, ends=ends))


def mend_text(
    text: str,
    words: Grammar,
    worth: Callable[[ReadClause], float] = lambda _: 0.0,
    *,
    cut: bool = False,
    complete: bool = False,
) -> str:
    """Return the text without contradicting clauses, in the same language; empty if nothing is left.

    ``worth`` decides which clause of a contradiction stays; if equal, the earlier one does. It is called for each
    clause with its position in ``text``. An unfinished last sentence is removed, see :class:`Draft`. A sentence
    that says that nothing (else) has to change is removed unless the text is known to be ``complete``. A sentence
    without a clause after a removed clause ("make sure that ...") refers to that clause and is removed with it.
    """
    draft = Draft(text, words, cut=cut)
    return draft.text(draft.consistent(worth, lambda _: True), complete=complete)


def _finished(text: str, *, cut: bool) -> list[tuple[int, int]]:
    """Return the spans of the finished sentences."""
    ends = [match.end() for match in _END.finditer(text)]
    if not ends and not cut:
        ends = [len(text)]
    return [(start, end) for start, end in zip([0, *ends], ends, strict=False) if text[start:end].strip()]


def _read(text: str, start: int, end: int, words: Grammar) -> Sentence:
    """Return one sentence with its clauses; it is read separately, since the reader skips repetitions within a text."""
    sentence_text = text[start:end]
    clauses = tuple(replace(entry, start=entry.start + start) for entry in read_clauses(sentence_text, words))
    plain = " ".join(_WORD.findall(normalised(sentence_text)))
    return Sentence(sentence_text.strip(), clauses, words.all_clear.search(plain) is not None)


def _anew(clauses: Sequence[Clause], words: Grammar) -> list[str]:
    """Return a sentence for each clause that is read back as that clause; its degree may be lost."""
    worded = [clause for clause in dict.fromkeys(clauses) if sayable(clause, words)]
    texts = [as_sentence(fragment, words) for fragment in realise(tuple(worded), words)]
    pairs = zip(worded, texts, strict=True)
    return [text for clause, text in pairs if _plain(read_plan(text, words)) == _plain([clause])]


def sayable(clause: Clause, words: Grammar) -> bool:
    """Return whether the language can word the clause; human texts may combine sides and movements that it cannot."""
    part = clause.part.value
    return clause.side.value in words.parts[part] and clause.direction.value in words.say[part]


def _plain(clauses: Sequence[Clause]) -> list[Clause]:
    return [replace(clause, degree=Degree.PLAIN) for clause in clauses]


def in_order(sentences: Sequence[str], words: Grammar, *, ends: bool = True) -> Iterator[str]:
    """Yield the sentences without lead words that do not fit their position.

    A "first" word fits the first of several sentences, a "next" word any later one, a "last" word the last of
    several. If ``ends`` is false, more sentences follow.
    """
    last = len(sentences) - 1
    for place, text in enumerate(sentences):
        belongs = {
            "first": place == 0 and (last > 0 or not ends),
            "next": place > 0,
            "last": 0 < place == last and ends,
        }
        wrong = [lead for kind, fits in belongs.items() if not fits for lead in words.scene.leads[kind] if lead]
        yield _without(text, wrong, words)


def _without(text: str, leads: Sequence[str], words: Grammar) -> str:
    for lead in sorted(leads, key=len, reverse=True):
        text_after = text[len(lead) :]
        if text.lower().startswith(lead) and text_after and text_after.split()[0] not in words.scene.no_lead_before:
            return text_after[:1].upper() + text_after[1:]
    return text
