"""Negated errors, tags -> tags: reverses the meaning of "don't bend so deeply" and "stop leaning forward".

A plain negation ("don't bend") is left unchanged, since it does not say that the movement is being done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fmp_models.languages.grammar import Grammar
from fmp_models.languages.tags.reversing import REVERSED, reverse_tag
from fmp_models.languages.tags.tagging import AND, Tag, pieces

_SO = "so"  # the value of words that are an excess only after a negation
_UPRIGHT = "none, trunk, reach, upright"
_SAYS_WAY = frozenset({"directions", "whole", "relations", "states"})
_BOWS = frozenset({"lean", "bend"})


def with_negated_errors_reversed(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Return the tags with the meaning of excessive or stopped movements reversed and their negations removed."""
    new_tags = list(tags)
    for begin, end in _runs(tags):
        run = tags[begin:end]
        so = next((i for i, tag in enumerate(run) if tag.kind == "excess" and tag.value == _SO), None)
        denial = next((i for i, tag in enumerate(run) if tag.kind == "negations"), None)
        fault = None if denial is None else _fault(run, denial, so, words)
        if fault is not None and denial is not None:
            run = [*run[: fault[0]], *_back(run, *fault), *run[fault[1] :]]
            run[denial] = replace(run[denial], kind="word")
        new_tags[begin:end] = [_no_excess(tag, ends=fault is None and words.verb_comes == "first") for tag in run]
    return new_tags


def _runs(tags: list[Tag]) -> Iterator[tuple[int, int]]:
    """Yield the pieces of a text, split at "and"."""
    for begin, end in pieces(tags):
        first = begin
        for i in range(begin, end + 1):
            if i == end or tags[i].text in AND:
                yield first, i
                first = i + 1


def _fault(run: Sequence[Tag], denial: int, so: int | None, words: Grammar) -> tuple[int, int] | None:
    """Return the start and end of a negated error in a run; None if only a movement is negated."""
    stopped = run[denial].text in words.stopped
    if so is None and not stopped:
        return None
    if words.verb_comes == "first":
        begin, end = denial + 1, len(run)
        at_once = begin < end and run[begin].kind in {"actions", "whole"}
    else:
        end = denial if so is None else len(run)
        before = [i for i in range(denial if so is None else min(so, denial)) if run[i].kind == "actions"]
        at_once = bool(before) and before[-1] == denial - 1
        if so is None:
            before = before[:-1]  # "झुकना बंद करो"
        begin = before[-1] + 1 if before else 0
    if stopped and not at_once:
        return None
    reversible = any(tag.kind in _SAYS_WAY or tag.value in {*REVERSED, *_BOWS} for tag in run[begin:end])
    return (begin, end) if reversible else None


def _back(run: Sequence[Tag], begin: int, end: int) -> Iterator[Tag]:
    """Yield the reversed tags from ``begin`` to ``end``; bowing without a part or direction becomes being upright."""
    bare = not any(tag.kind in _SAYS_WAY or tag.kind == "parts" for tag in run)
    leans = not any(tag.kind in {"directions", "whole"} for tag in run)
    for tag in run[begin:end]:
        reversed_tag = replace(tag)
        if bare and tag.kind == "actions" and tag.value in _BOWS:
            reversed_tag.kind, reversed_tag.value = "whole", _UPRIGHT
        elif tag.value == "keep":
            reversed_tag.value = "let"  # "don't keep your legs so straight"
        else:
            reverse_tag(reversed_tag, leans=leans)
        yield reversed_tag


def _no_excess(tag: Tag, *, ends: bool) -> Tag:
    """Return the tag with an excess as a plain word, or as a stop if it ``ends`` the clause: "so high that"."""
    if tag.kind != "excess" or tag.value != _SO:
        return tag
    return replace(tag, kind="stops" if ends else "word", value="")
