"""Tagging, text -> tags: the longest grammar pattern at each word, and the meaning of a bare "left" in context.

For languages with the verb last, "झुको आगे" is put in the order "आगे झुको".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fmp_models.languages.language_data import KINDS, MARKS, Grammar, normalised
from fmp_models.languages.spelling import corrected

# A point or comma between digits does not end a clause: "1.5 feet".
_WORD = re.compile(rf"\d+[.,]\d+|[^\s{MARKS}()\"“”]+|[{MARKS}]|\s{{2,}}|\n")
_BREAKS = frozenset(f"{MARKS}\n")


@dataclass
class Tag:
    """A piece of a text (characters ``start`` to ``end``) with its meaning: kind and ``value`` as in the grammar."""

    kind: str
    value: str
    text: str  # normalised spelling
    start: int
    end: int
    bare: bool = False  # a side without a part after it


def tagged(text: str, words: Grammar) -> list[Tag]:
    """Return the tags of a text in order; words without a pattern are tagged ``word``."""
    tags = _without_origins(list(_without_analogies(_tags(text, words))), words)
    return _with_directions(tags, words)


def pieces(tags: list[Tag]) -> Iterator[tuple[int, int]]:
    """Yield the start and end (exclusive) of each run of tags between punctuation and words that end a clause."""
    begin = 0
    for i in range(len(tags) + 1):
        if i == len(tags) or tags[i].kind in {"break", "stops"}:
            if i > begin:
                yield begin, i
            begin = i + 1


def _without_analogies(tags: Iterator[Tag]) -> Iterator[Tag]:
    """Remove comparisons such as "as if you were sitting on a chair", which are not instructions."""
    compared = False
    for tag in tags:
        if tag.kind in {"break", "stops"}:
            compared = False
        elif tag.kind == "analogies":
            compared = True
            yield replace(tag, kind="stops")
        if not compared:
            yield tag


def _without_origins(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Remove the relation of an origin ("down from above your head"), which is not an end state."""
    for i, tag in enumerate(tags):
        before = tags[i - 1].text if i else None
        after = tags[i + 1].text if i + 1 < len(tags) else None
        if tag.kind == "relations" and (before == words.from_before or after == words.from_after):
            tag.kind = "word"
    return tags


def _tags(text: str, words: Grammar) -> Iterator[Tag]:
    spans = [(m.start(), m.end()) for m in _WORD.finditer(text)]
    tokens = [corrected(normalised(text[a:b]), words) if text[a:b].strip() else "." for a, b in spans]
    run = 0
    while run < len(tokens):
        if tokens[run] in _BREAKS:
            yield Tag("break", "", tokens[run], *spans[run])
            run += 1
            continue
        last = run
        while last < len(tokens) and tokens[last] not in _BREAKS:
            last += 1
        yield from _tag_run(tokens[run:last], spans[run:last], words)
        run = last


def _tag_run(tokens: list[str], spans: list[tuple[int, int]], words: Grammar) -> Iterator[Tag]:
    if words.spoken_to:
        person, stated, read = words.spoken_to
        tokens = [*tokens[:-1], read] if person in tokens and tokens[-1] == stated else tokens
    line = " ".join(tokens)
    starts = [0]
    for token in tokens[:-1]:
        starts.append(starts[-1] + len(token) + 1)
    place = 0
    while place < len(tokens):
        best = _longest(line, starts[place], words)
        if best is None:
            yield Tag("word", "", tokens[place], *spans[place])
            place += 1
            continue
        end = sum(start < best[0] for start in starts)
        yield Tag(best[2], best[3], line[starts[place] : best[0]], spans[place][0], spans[end - 1][1])
        place = end


def _longest(line: str, start: int, words: Grammar) -> tuple[int, int, str, str] | None:
    """Return the longest match that starts at ``start``: its end, the rank of its kind, its kind and value."""
    best: tuple[int, int, str, str] | None = None
    for batch in words.batches:
        if not batch.any_of_them.match(line, start):
            continue
        for kind, value, pattern in batch.patterns:
            match = pattern.match(line, start)
            if match and match.end() > start:
                rank = (match.end(), -KINDS.index(kind))
                if best is None or rank > best[:2]:
                    best = (*rank, kind, value)
    return best


def _with_directions(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Convert a bare "left" or "right" without a part to a direction; two sides before a part both belong to it."""
    for i, tag in enumerate(tags):
        if tag.kind != "sides":
            continue
        j = i + 1
        between = words.ands | words.alternatives
        while j < len(tags) and (tags[j].kind in {"sides", "fillers", "possessives"} or tags[j].text in between):
            j += 1
        if j == len(tags) or tags[j].kind not in {"parts", "palms", "hidden"}:
            # "in line with your left", "बाएं को अंदर लाएं"
            tag.bare = tag.value != "both"
            other_limb = (i > 0 and tags[i - 1].kind == "possessives") or (
                j < len(tags) and tags[j].text in words.cases
            )
            tag.kind = "word" if tag.value in {"both", "other"} or other_limb else "directions"
    return tags


_SAYS_MORE = frozenset({"directions", "relations", "degrees", "states"})
_NAMES = frozenset({"parts", "sides", "possessives", "fillers", "landmark_after"})


def with_verbs_last(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Return the tags with each verb moved behind the words that belong to it."""
    return [tag for segment in _segments(tags, words) for tag in _ordered(segment)]


def _segments(tags: Sequence[Tag], words: Grammar) -> Iterator[list[Tag]]:
    """Yield the runs of tags that can belong to one verb, and the separators between them."""
    segment: list[Tag] = []
    for tag in tags:
        if tag.kind in {"break", "stops"} or tag.text in words.ands:
            yield segment
            yield [tag]
            segment = []
        else:
            segment.append(tag)
    yield segment


def _ordered(segment: list[Tag]) -> list[Tag]:
    """Return the segment with its verb and helper verbs moved behind the words for place and direction."""
    verbs = [i for i, tag in enumerate(segment) if tag.kind == "actions"]
    if not verbs or verbs[-1] - verbs[0] != len(verbs) - 1:
        return segment
    head, verb, tail = segment[: verbs[0]], segment[verbs[0] : verbs[-1] + 1], segment[verbs[-1] + 1 :]
    kinds = {tag.kind for tag in tail}
    says_more = any(tag.kind in _SAYS_MORE - {"degrees"} for tag in head)
    names_part = any(tag.kind == "parts" for tag in head)
    if (
        not tail
        or says_more
        or not kinds <= (_SAYS_MORE if names_part else _SAYS_MORE | _NAMES)
        or kinds <= {"degrees"}
    ):
        return segment
    return [*head, *tail, *verb]
