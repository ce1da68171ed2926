"""Programs over a scene graph: typed, total, written as text, such as ``count(filter(direction, up, parts()))``.

Sets: ``parts()`` and ``objects()``; ``each(knee)``, the left and the right one; ``these(left knee; head)``;
``filter(ATTRIBUTE, VALUE, SET)``; ``relate(EDGE, POSE, NODE)``, the parts that lie so to a node; ``group(ATTRIBUTE,
NODE)``, the other parts that share a value with a node; ``except(SET, SET)``. Of the conversation: ``last()``, what the
last round found or was about; ``mentioned()``, all that was named; ``early()``, what was before the last round and not
in it.

Nodes: ``node(left knee)``; ``unique(SET)``; ``most(SET)``, the part that changes most (``name(most(SET))`` names all
that change alike); ``other(NODE)``, the one of the other side; ``parent(NODE)``; ``focus()``, the node that the last
question was about; ``first(SET)``, the one that was mentioned first.

Questions: ``count(SET)``, ``exist(SET)``, ``which(SET)``, ``name(NODE)``, ``seek(ATTRIBUTE, NODE)`` and
``compare(NODE, NODE)``, which of two parts changes more.

A set holds its sure members and its possible ones. A question that needs to know more has the outcome ``unseen`` in
photographs, and ``unknown`` on what a dialogue has revealed so far. Where a node does not exist it is ``none``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from fmp_models.dialogue.scene_graph import POSES, Attribute, Edge, SceneGraph, Truth, node_of
from fmp_models.errors import BadInputError
from fmp_models.geometry import Degree, Direction, Part, Relation, Side

if TYPE_CHECKING:
    from fmp_models.dialogue.history import Knowledge

Graph: TypeAlias = "SceneGraph | Knowledge"  # whole, or what is known of it: ``None`` is what is not seen or known
Outcome = Literal["answer", "none", "unseen", "unknown"]
Kind = Literal["set", "node", "question"]
MAX_CHARS, MAX_DEPTH = 500, 12


@dataclass(frozen=True)
class Program:
    """An operation with its arguments: words, such as ``up``, and programs."""

    op: str
    args: tuple[str | Program, ...] = ()

    def __str__(self) -> str:
        """Return the text that :func:`parse_program` reads."""
        return f"{self.op}({', '.join(map(str, self.args))})"

    @property
    def returns(self) -> Kind:
        """What the program is: a set, a node or a question."""
        return _SIGNATURES[self.op][1]

    def mapped(self, changed: Callable[[Program], Program]) -> Program:
        """Return the operation with each of the programs in it changed."""
        return Program(self.op, tuple(changed(arg) if isinstance(arg, Program) else arg for arg in self.args))

    def walk(self) -> Iterable[Program]:
        """Yield the program and all programs in it, inner ones first."""
        for arg in self.args:
            if isinstance(arg, Program):
                yield from arg.walk()
        yield self


class Answer(NamedTuple):
    """The outcome of a question, its value as stable text, and the nodes that it found or was about."""

    outcome: Outcome
    value: str = ""
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Round:
    """What one round mentioned: the node that it was about, and the nodes that it was about or found.

    ``revealed`` is false if only the number or existence of the nodes was told. ``program`` is the question with
    explicit nodes.
    """

    focus: str | None = None
    nodes: tuple[str, ...] = ()
    revealed: bool = True
    program: Program | None = None

    @cached_property
    def told(self) -> tuple[str, ...]:
        """The nodes that were named in the round."""
        return tuple(dict.fromkeys((*filter(None, (self.focus,)), *(self.nodes if self.revealed else ()))))


_WORDS: Mapping[str, frozenset[str]] = {
    "attribute": frozenset(Attribute),
    "edge": frozenset(Edge),
    "pose": frozenset(POSES),
    "part": frozenset(Part),
}
VALUES: Mapping[Attribute, tuple[str, ...]] = {
    Attribute.SIDE: Side.BOTH.each,
    Attribute.PART: tuple(Part),
    Attribute.CHAIN: ("arm", "leg", "trunk", "object"),
    Attribute.MOVES: ("yes", "no"),
    Attribute.DIRECTION: tuple(Direction),
    Attribute.DEGREE: tuple(Degree),
    Attribute.START: tuple(Relation),
    Attribute.END: tuple(Relation),
    Attribute.ANGLE: tuple(str(degrees) for degrees in range(0, 190, 10)),
}
_SIGNATURES: Mapping[str, tuple[tuple[str, ...], Kind]] = {
    **dict.fromkeys(("parts", "objects", "last", "mentioned", "early"), ((), "set")),
    "each": (("part",), "set"),
    "these": (("names",), "set"),
    "filter": (("attribute", "value", "set"), "set"),
    "relate": (("edge", "pose", "node"), "set"),
    "group": (("attribute", "node"), "set"),
    "except": (("set", "set"), "set"),
    "node": (("name",), "node"),
    "focus": ((), "node"),
    **dict.fromkeys(("unique", "most", "first"), (("set",), "node")),
    **dict.fromkeys(("other", "parent"), (("node",), "node")),
    **dict.fromkeys(("count", "exist", "which"), (("set",), "question")),
    "name": (("node",), "question"),
    "seek": (("attribute", "node"), "question"),
    "compare": (("node", "node"), "question"),
}
REFERENCES = frozenset({"last", "mentioned", "early", "focus", "first"})  # what needs the conversation
_WRITTEN = re.compile(r"[a-z0-9;_(),\s-]*")


def parse_program(text: str) -> Program:
    """Return the program that a text says; raise :class:`BadInputError` (``bad_program``) unless it is a question."""
    if len(text) <= MAX_CHARS and _WRITTEN.fullmatch(text):
        tokens = [piece.strip() for piece in re.split("([(),])", text) if piece.strip()]
        try:
            program, rest = _parsed(tokens, 0)
            if rest == len(tokens) and checked(program) == "question":
                return program
        except (IndexError, KeyError, ValueError):
            pass
    raise BadInputError("bad_program", program=text[:80])


def _parsed(tokens: Sequence[str], at: int, depth: int = 0) -> tuple[Program, int]:
    """Return the program that begins at a token, and the index of the token after it."""
    if depth > MAX_DEPTH or tokens[at + 1] != "(":
        raise ValueError
    op, at = tokens[at], at + 2
    args: list[str | Program] = []
    while tokens[at] != ")":
        if args:
            if tokens[at] != ",":
                raise ValueError
            at += 1
        if tokens[at + 1] == "(":
            program, at = _parsed(tokens, at, depth + 1)
            args.append(program)
        else:
            args.append(tokens[at])
            at += 1
    return Program(op, tuple(args)), at + 1


def checked(program: Program) -> Kind:
    """Return what a program is; raise :class:`ValueError` or :class:`KeyError` where its arguments do not fit."""
    types, returns = _SIGNATURES[program.op]
    for kind, arg in zip(types, program.args, strict=True):
        if isinstance(arg, Program):
            fits = checked(arg) == kind
        elif kind == "value":
            fits = arg in VALUES[Attribute(str(program.args[0]))]
        else:
            fits = kind in {"name", "names"} or arg in _WORDS[kind]
        if not fits:
            raise ValueError(program.op)
    return returns


class _StoppedError(Exception):
    """A node that does not exist or is not known; the outcome is its argument."""


class _Set(NamedTuple):
    sure: tuple[str, ...]
    possible: tuple[str, ...]


def execute(program: Program, graph: Graph, history: Sequence[Round] = (), *, partial: bool = False) -> Answer:
    """Return the answer of a question; on a ``partial`` graph, what is missing is unknown instead of unseen."""
    run = _Execution(graph, history, "unknown" if partial else "unseen")
    try:
        return run.question(program)
    except _StoppedError as stopped:
        return Answer(stopped.args[0])


def resolved(program: Program, graph: Graph, history: Sequence[Round] = ()) -> Program:
    """Return the program with explicit nodes in place of those that the conversation or a description gives.

    A node that does not exist or cannot be seen stays as it is described.
    """
    run = _Execution(graph, history, "unseen")
    try:
        if program.returns == "node":
            return Program("node", (run.node(program),))
        if program.op in REFERENCES:
            return Program("these", ("; ".join(run.set(program).possible),))
    except _StoppedError:
        return program
    return program.mapped(lambda inner: resolved(inner, graph, history))


class _Execution:
    """One run of a program on a graph."""

    def __init__(self, graph: Graph, history: Sequence[Round], missing: Outcome) -> None:
        self.graph, self.history, self._missing = graph, history, missing

    def question(self, program: Program) -> Answer:
        """Return the answer of a question."""
        args: Any = program.args
        match program.op:
            case "count" | "exist" | "which":
                return self._of_set(program.op, self.set(args[0]))
            case "name":
                names = self.most(*args[0].args) if args[0].op == "most" else (self.node(args[0]),)
                return Answer("answer" if names else "none", ", ".join(names), names)
            case "seek":
                name = self.node(args[1])
                values = self.graph.values(name, Attribute(args[0]))
                if not values:
                    return Answer(self._missing if values is None else "none", nodes=(name,))
                return Answer("answer", ", ".join(values), (name,))
            case "compare":
                return self._compared(self.node(args[0]), self.node(args[1]))
        raise KeyError(program.op)

    def _of_set(self, op: str, found: _Set) -> Answer:
        known = len(found.sure) == len(found.possible)
        if op == "exist" and (found.sure or known):
            return Answer("answer", "yes" if found.sure else "no", found.sure)
        if not known:
            return Answer(self._missing, nodes=found.sure)
        if op == "which":
            return Answer("answer" if found.sure else "none", ", ".join(found.sure), found.sure)
        return Answer("answer", str(len(found.sure)), found.sure)

    def _compared(self, a: str, b: str) -> Answer:
        most = self.graph.most((a, b))
        if most is None:
            return Answer(self._missing, nodes=(a, b))
        return Answer("answer", "neither" if not most else most[0] if len(most) == 1 else "same", (a, b))

    def set(self, program: Program) -> _Set:
        """Return the members of a set."""
        return _SETS[program.op](self, *program.args)

    def node(self, program: Program) -> str:
        """Return the name of a node."""
        return self._existing(_NODES[program.op](self, *program.args))

    def most(self, program: Program) -> tuple[str, ...]:
        """Return the members of a set that change most, of those that photographs show: several if alike."""
        members = self.known(program)
        if self._missing == "unseen":
            members = tuple(name for name in members if self.graph.values(name, Attribute.MOVES) is not None) or members
        most = self.graph.most(members)
        if most is None:
            raise _StoppedError(self._missing)
        return most

    def oldest(self, program: Program) -> str | None:
        """Return the member of a set that was mentioned first."""
        members = self.known(program)
        return next((name for each in self.history for name in each.told if name in members), None)

    def known(self, program: Program) -> tuple[str, ...]:
        """Return the members of a set that is known wholly."""
        found = self.set(program)
        if len(found.sure) != len(found.possible):
            raise _StoppedError(self._missing)
        return found.sure

    def named(self, name: str) -> str:
        """Return a name if there is such a node."""
        return self._existing(name if name in self.graph.by_name else None)

    @staticmethod
    def _existing(name: str | None) -> str:
        if name is None:
            raise _StoppedError("none")
        return name

    def last(self) -> _Set:
        """Return what the last round found, or else was about; on a partial graph it may be any part if not told."""
        if not self.history:
            return _sure(())
        last = self.history[-1]
        if self._missing == "unknown" and not last.revealed:
            return _Set((), tuple(self.graph.counted))
        return _sure(last.nodes or last.told)

    def early(self) -> _Set:
        """Return what was named before the last round, and not in it."""
        recent = self.history[-1].told if self.history else ()
        return _where(_told(self.history[:-1]), lambda name: name not in recent)

    def alike(self, attribute: Attribute, name: str) -> _Set:
        """Return the other parts that share a value with a node."""
        values = self.graph.values(name, attribute)
        if not values:
            raise _StoppedError(self._missing if values is None else "none")
        others = _sure(other for other in self.graph.counted if other != name)

        def shares(other: str) -> Truth:
            truths = [self.graph.has(other, attribute, value) for value in values]
            return True if True in truths else None if None in truths else False

        return _where(others, shares)


def _only(names: Sequence[str]) -> str | None:
    return names[0] if len(names) == 1 else None


def _sure(names: Iterable[str]) -> _Set:
    members = tuple(dict.fromkeys(names))
    return _Set(members, members)


def _told(rounds: Sequence[Round]) -> _Set:
    return _sure(name for each in rounds for name in each.told)


def _where(found: _Set, holds: Callable[[str], Truth]) -> _Set:
    """Return the members of a set for which something holds, surely or possibly."""
    truths = {name: holds(name) for name in found.possible}
    return _Set(
        tuple(name for name in found.sure if truths[name]),
        tuple(name for name in found.possible if truths[name] is not False),
    )


def nodes_of_part(part: str) -> Iterable[str]:
    """Return the names of a part: of the left and the right one, or of the only one."""
    nodes = (node_of(side, Part(part)) for side in (*Side.BOTH.each, Side.NONE))
    return (node.name for node in nodes if node is not None)


def _filtered(run: _Execution, attribute: str, value: str, among: Program) -> _Set:
    return _where(run.set(among), lambda name: run.graph.has(name, Attribute(attribute), value))


def _related(run: _Execution, edge: str, pose: str, to: Program) -> _Set:
    node = run.node(to)
    return _where(_sure(run.graph.counted), lambda name: run.graph.edge(name, Edge(edge), node, pose))


def _without(run: _Execution, whole: Program, without: Program) -> _Set:
    members, others = run.set(whole), run.set(without)
    return _Set(
        tuple(name for name in members.sure if name not in others.possible),
        tuple(name for name in members.possible if name not in others.sure),
    )


def _other(run: _Execution, of: Program) -> str | None:
    node = run.graph.by_name[run.node(of)]
    found = node_of(node.side.mirrored, node.part) if node.part and node.side in Side.BOTH.each else None
    return found.name if found else None


_SETS: Mapping[str, Callable[..., _Set]] = {
    "parts": lambda run: _sure(run.graph.counted),
    "objects": lambda run: _sure(run.graph.objects),
    "each": lambda _, part: _sure(nodes_of_part(part)),
    "these": lambda run, names: _sure(run.named(name) for name in names.split("; ") if name),
    "last": lambda run: run.last(),
    "mentioned": lambda run: _told(run.history),
    "early": lambda run: run.early(),
    "filter": _filtered,
    "relate": _related,
    "group": lambda run, attribute, node: run.alike(Attribute(attribute), run.node(node)),
    "except": _without,
}
_NODES: Mapping[str, Callable[..., str | None]] = {
    "node": lambda run, name: run.named(name),
    "focus": lambda run: run.history[-1].focus if run.history else None,
    "other": _other,
    "parent": lambda run, node: run.graph.by_name[run.node(node)].parent,
    "unique": lambda run, among: _only(run.known(among)),
    "most": lambda run, among: _only(run.most(among)),
    "first": lambda run, among: run.oldest(among),
}
