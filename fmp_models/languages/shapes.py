"""Named shapes: detection of the shapes that a text names, with their sides and their words.

``<code>/shapes.toml`` has the patterns. The product's own phrases (``speech.toml``) are used as literal
patterns.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fmp_models.geometry import SHAPES_BY_NAME, NamedShape, Side
from fmp_models.languages.language_data import (
    MARKS,
    SENTENCE_ENDS,
    Grammar,
    Pattern,
    grammar,
    normalised,
    speech_words,
)
from fmp_models.languages.spelling import corrected

_HERE = Path(__file__).parent
_TOKEN = re.compile(rf"[^\s{MARKS}()\"“”]+|[{MARKS}\n]|\s{{2,}}")  # two or more spaces end a sentence
_ACCENTS = re.compile("[\u0300-\u036f]")
_ENDS = frozenset(f"{SENTENCE_ENDS};\n")
_MIN_WORDS_SAID = 3  # of a product phrase used as a literal pattern; "sit down" is ambiguous next to other words
_END = f"(?= [{MARKS}\n]|$)"
_SIDES = (Side.LEFT, Side.RIGHT)

Cue = tuple[Side, Pattern]


@dataclass(frozen=True)
class _ShapeWords:
    """One language's patterns: ``any_shape`` matches where any of ``shapes`` does; ``cues`` by shape tell its side."""

    any_shape: Pattern
    shapes: tuple[tuple[str, Side, Pattern], ...]
    cues: Mapping[str, tuple[Cue, ...]]
    denied_before: Pattern
    denied_after: Pattern
    pieces: frozenset[str]
    connectors: frozenset[str]


@dataclass(frozen=True)
class _Line:
    """A text as single-spaced words and marks: the start of each in the line, and its character span in the text."""

    text: str
    starts: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the character span of the original text for a span of the line."""
        inside = [span for begin, span in zip(self.starts, self.spans, strict=True) if start <= begin < end]
        return inside[0][0], inside[-1][1]


def shapes_in(text: str, words: Grammar) -> Iterator[tuple[NamedShape, int, int]]:
    """Yield the shapes that a text names, in order, each with its start and end (exclusive) in the text."""
    patterns = _shape_words(words.code)
    line = _line(text, words)
    place = 0
    while match := patterns.any_shape.search(line.text, place):
        found = [
            (shape_match.end(), name, side)
            for name, side, pattern in patterns.shapes
            if (shape_match := pattern.match(line.text, match.start()))
        ]
        end, name, side = max(found, key=lambda entry: entry[0])
        start, place = match.start(), end
        if _is_denied(line.text, start, end, patterns):
            continue
        shape = SHAPES_BY_NAME[name]
        if not shape.sided:
            side = Side.BOTH
        elif side is Side.NONE:
            side, start, end = _side(line.text, start, end, patterns.cues.get(name, ()), patterns.connectors)
        place = max(place, end)
        yield NamedShape(shape, side), *line.span(start, end)


def _line(text: str, words: Grammar) -> _Line:
    spans = [match.span() for match in _TOKEN.finditer(text)]
    tokens = [corrected(normalised(text[a:b]), words) if text[a:b].strip() else "." for a, b in spans]
    tokens = [_ACCENTS.sub("", token) for token in tokens]
    starts, place = [], 0
    for token in tokens:
        starts.append(place)
        place += len(token) + 1
    return _Line(" ".join(tokens), tuple(starts), tuple(spans))


def _is_denied(line: str, start: int, end: int, patterns: _ShapeWords) -> bool:
    """Return whether the words around a shape in its piece of a sentence negate it: "don't squat"."""
    before, after = line[:start].split(), line[end:].split()
    ends = {*patterns.pieces, *MARKS, "\n"}
    first = next((i + 1 for i in range(len(before) - 1, -1, -1) if before[i] in ends), 0)
    last = next((i for i, word in enumerate(after) if word in ends), len(after))
    led = " ".join([*before[first:], ">", line[start:end].partition(" ")[0]])
    return bool(patterns.denied_before.search(led) or patterns.denied_after.search(" ".join(after[:last])))


def _side(line: str, start: int, end: int, cues: Iterable[Cue], connectors: frozenset[str]) -> tuple[Side, int, int]:
    """Return the side of the nearest cue in the sentence, and the span of the shape extended by that cue.

    Only a cue directly next to the shape extends the span.
    """
    ends = [i for i, letter in enumerate(line) if letter in _ENDS]
    first = max((i + 1 for i in ends if i < start), default=0)
    last = min((i for i in ends if i >= end), default=len(line))
    found = [
        (max(match.start() - end, start - match.end(), 0), match.start(), match.end(), side)
        for side, cue in cues
        for match in cue.finditer(line, first, last)
    ]
    if not found:
        return Side.NONE, start, end
    found.sort(key=lambda entry: entry[:2])
    side = found[0][3]
    for _, cue_start, cue_end, named in found:
        between = line[end:cue_start] if cue_start > end else line[cue_end:start]
        if named is side and all(word in connectors for word in between.split()):
            start, end = min(start, cue_start), max(end, cue_end)
    return side, start, end


@cache
def _shape_words(code: str) -> _ShapeWords:
    data = _data(code)
    sides = {side: _one_of(data["sides"][side.value]) for side in _SIDES}
    either = _one_of(sides.values())
    shapes = list(_said(code))
    for source in (code, *data["also"]):
        shapes += [(name, Side.NONE, _expression(phrase, either)) for name, phrase in _listed(code, source)]
    return _ShapeWords(
        any_shape=_among_words("|".join(expression for _, _, expression in shapes)),
        shapes=tuple((name, side, _among_words(expression)) for name, side, expression in shapes),
        cues={name: tuple(_cues(group, sides)) for group in data["cues"].values() for name in group["shapes"]},
        denied_before=_among_words(_expression("|".join(data["denied_before"]), either)),
        denied_after=_among_words(_expression("|".join(data["denied_after"]), either)),
        pieces=frozenset(map(normalised, data["pieces"])),
        connectors=frozenset(map(normalised, data["connectors"])),
    )


def _cues(group: Mapping[str, list[str]], sides: Mapping[Side, str]) -> Iterator[Cue]:
    for side in _SIDES:
        for named, key in ((side, "same"), (side.mirrored, "other"), (Side.BOTH, "both")):
            yield from ((named, _among_words(_expression(cue, sides[side]))) for cue in group.get(key, ()))


@cache
def _data(code: str) -> Mapping[str, Any]:
    return tomllib.loads((_HERE / code / "shapes.toml").read_text(encoding="utf-8"))


def _listed(code: str, source: str) -> Iterator[tuple[str, str]]:
    """Yield the shape names and patterns that a language takes from its own or another language's ``shapes.toml``."""
    data, own = _data(source), _data(code)
    for name, phrases in data["phrases"].items():
        yield from ((name, _filled(phrase, data)) for phrase in phrases)
    frames = {_filled(frame, of) for of in (data, own) for frame in of["frames"]}
    for name, nouns in data["names"].items():
        yield from ((name, frame.replace("{name}", _one_of(nouns))) for frame in sorted(frames))


def _filled(pattern: str, data: Mapping[str, Any]) -> str:
    """Return a pattern with its blanks (except sides) filled and each word replaced by itself or its synonyms."""
    for word, others in data["alike"].items():
        pattern = re.sub(rf"\b{word}\b", _one_of((word, *others)), pattern)
    return pattern.replace("{begin}", data["begin"]).replace("{end}", _END)


def _said(code: str) -> Iterator[tuple[str, Side, str]]:
    """Yield the product's phrases for each shape as patterns, with the side that they name."""
    words, reading = speech_words(code), grammar(code)
    for name, phrases in words.shapes.items():
        sides = _SIDES if SHAPES_BY_NAME[name].sided else (Side.NONE,)
        for side in sides:
            blanks = words.side_blanks(side.value, side.mirrored.value)
            for phrase in (*phrases.get("into", ()), *phrases.get("reached", ())):
                line = _line(phrase.partition("{ends}")[0].format(**blanks), reading).text.rstrip(" ,")
                if len(line.split()) >= _MIN_WORDS_SAID:
                    yield name, side, re.escape(line)


def _one_of(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


def _expression(pattern: str, side: str) -> str:
    """Return a pattern of ``shapes.toml`` in normalised spelling; ``~`` matches any ending of a word."""
    return normalised(pattern.replace("{side}", side)).replace("~", "[^ ]*")


def _among_words(expression: str) -> Pattern:
    """Return an expression that matches whole words."""
    return re.compile(f"(?<![^ ])(?:{expression})(?![^ ])")
