"""Reader of people's questions: question -> programs, by cue words and the reader of corrections.

The words of ``dialogue.toml`` say what is asked (which way, how far, how many, which, where, whether), the tags of a
correction say what it is about, and the conversation says what "it", "them", "the other one" and "the left one" mean.
"How far?" or "and my head?" repeat the last question about something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from fmp_models.dialogue.programs import Program, Round
from fmp_models.dialogue.scene_graph import Attribute, SceneGraph, node_of
from fmp_models.geometry import Part, Side
from fmp_models.languages import (
    dialogue_words,
    grammar,
    language_of,
    normalised,
    tagged,
    transliterated,
)

_SEEKS = {"angle": Attribute.ANGLE, "where": Attribute.END, "way": Attribute.DIRECTION, "degree": Attribute.DEGREE}
_MAX_SOUGHT = 4  # parts of one question, each with a program of its own
_ALONE = {"lean": Part.TRUNK, "look": Part.HEAD, "step": Part.FOOT}  # parts of verbs that name none


@dataclass(frozen=True)
class _Cues:
    """The expressions of a language: cues, and words to replace or to take away before an instruction is read."""

    cues: Mapping[str, re.Pattern[str]]
    instead: tuple[tuple[re.Pattern[str], str], ...]
    scaffold: re.Pattern[str]
    pronoun: re.Pattern[str]


@cache
def _cues(code: str) -> _Cues:
    reading = dialogue_words(code)["reading"]
    return _Cues(
        {name: _words(phrases) for name, phrases in reading["cues"].items()},
        tuple((_words([phrase]), word) for phrase, word in reading["instead"]),
        _words(reading["scaffold"]),
        _words([reading["pronoun"]]),
    )


def _words(phrases: Sequence[str]) -> re.Pattern[str]:
    """Return an expression for any of the phrases as whole words; ``~`` is any ending."""
    return re.compile(f"(?<![^ ])({normalised('|'.join(phrases)).replace('~', '[^ ]*')})(?![^ ])")


def read_question(
    question: str,
    language: str,
    graph: SceneGraph,
    history: Sequence[Round] = (),
    read: Sequence[Sequence[Program]] = (),
) -> tuple[Program, ...] | None:
    """Return the programs of a question after the rounds ``history``, whose questions were read as ``read``.

    ``None`` if the question cannot be read; empty if it asks for what joints do not show.
    """
    own = transliterated(question)
    code, text = own or (language_of(question) or language, question)
    return _Question(text, code, graph, history, read).programs()


@dataclass(frozen=True)
class _Meant:
    """What a question is about: each part as a node, their names now, and all of them as a set."""

    nodes: tuple[Program, ...]
    names: tuple[str, ...]
    whole: Program

    @classmethod
    def of(cls, names: Sequence[str]) -> _Meant:
        """Return parts that are called by their names."""
        part = names[0].removeprefix("left ")
        both = tuple(names) == (f"left {part}", f"right {part}")
        whole = Program("each", (part,)) if both else Program("these", ("; ".join(names),))
        return cls(tuple(Program("node", (name,)) for name in names), tuple(names), whole)


class _Question:
    """One question with its cues, tags, and what it is about."""

    def __init__(
        self, text: str, code: str, graph: SceneGraph, history: Sequence[Round], read: Sequence[Sequence[Program]]
    ) -> None:
        self.graph, self.history, self.read = graph, history, read
        self.words, self.patterns = grammar(code), _cues(code)
        line = " ".join(re.findall(r"[^\s.!?।;:,\"“”()]+", normalised(text)))
        for several, one in self.patterns.instead:
            line = several.sub(one, line)
        self.line, self.code = line, code
        self.cues = {name for name, pattern in self.patterns.cues.items() if pattern.search(line)}
        self.tags = tagged(line, self.words)
        self.last = history[-1].nodes if history else ()
        self.named = tuple(self._named())
        self.meant = self._meant()

    def programs(self) -> tuple[Program, ...] | None:  # noqa: PLR0911
        """Return the programs of the question."""
        cues, meant = self.cues, self.meant
        if "hidden" in cues:
            return ()
        if "count" in cues:
            return (Program("count", (self._set(),)),)
        if "most" in cues:
            return (Program("name", (Program("most", (self._base(),)),)),)
        sought = next((attribute for cue, attribute in _SEEKS.items() if cue in cues), None)
        if sought is None and ("which" in cues or ("any" in cues and not self.named)):
            return (Program("which" if "which" in cues else "exist", (self._set(),)),)
        meant = meant or self._it() or self._them()
        if sought is not None:
            return tuple(Program("seek", (sought.value, node)) for node in meant.nodes[:_MAX_SOUGHT]) if meant else None
        content = self._content(meant)
        if content is None and meant and self.read and "yes_no" not in cues:
            return self._again(meant)
        if content is not None and meant is not None:
            return (Program("exist", (content,)),)
        if "yes_no" in cues and meant is not None:
            return tuple(Program("seek", ("moves", node)) for node in meant.nodes)
        return None

    def _named(self) -> Iterator[tuple[str, ...]]:
        """Yield the names of each part that the question names."""
        side = Side.NONE
        for tag in self.tags:
            if tag.kind == "sides" and tag.value in set(Side):
                side = Side(tag.value)
            elif tag.kind in {"parts", "palms"}:
                part = Part.HAND if tag.kind == "palms" else Part(tag.value)
                sides = (Side.NONE,) if not part.sided else side.each if side is not Side.NONE else Side.BOTH.each
                yield tuple(node.name for each in sides if (node := node_of(each, part)) is not None)
                side = Side.NONE

    def _meant(self) -> _Meant | None:
        return _Meant.of(self.named[0]) if self.named else None

    def _it(self) -> _Meant | None:
        return (
            _Meant((Program("focus"),), self.last[:1], Program("last"))
            if self.history and self.history[-1].focus
            else None
        )

    def _them(self) -> _Meant | None:
        if not self.last:
            return None
        nodes = tuple(Program("node", (name,)) for name in self.last)
        return _Meant(nodes, self.last, Program("last"))

    def _base(self) -> Program:
        return self.meant.whole if self.meant else Program("parts")

    def _set(self) -> Program:
        return Program("filter", ("moves", "no" if "stays" in self.cues else "yes", self._base()))

    def _content(self, meant: _Meant | None) -> Program | None:
        return None

    def _again(self, meant: _Meant) -> tuple[Program, ...]:
        return tuple(Program("seek", ("direction", node)) for node in meant.nodes)
