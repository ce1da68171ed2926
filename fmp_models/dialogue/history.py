"""History of a dialogue: what each round mentioned, what is known after it, and how a question depends on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from fmp_models.dialogue.programs import REFERENCES, VALUES, Answer, Program, Round, execute, resolved
from fmp_models.dialogue.scene_graph import KNOWN_ATTRIBUTES, Attribute, Edge, SceneGraph, Truth, direction_of
from fmp_models.geometry import Direction

Dependence = Literal["none", "all", "coref"]


def round_of(program: Program, answer: Answer, graph: SceneGraph, history: Sequence[Round] = ()) -> Round:
    """Return what a round mentions: the node its question is about, and the nodes that it is about or found.

    It is about the first node it names, else about the only one that it finds.
    """
    plain = _plain(program, graph, history)
    revealed = program.op not in {"count", "exist"} or not answer.nodes
    named = [str(step.args[0]) for step in plain.walk() if step.op in {"node", "these"} and program.op != "name"]
    found = [name for name in named if name in graph.by_name] or (answer.nodes if len(answer.nodes) == 1 else ())
    return Round(found[0] if found and (named or revealed) else None, answer.nodes, revealed, plain)


def _plain(program: Program, graph: SceneGraph, history: Sequence[Round]) -> Program:
    """Return a question with explicit nodes, or with the set of the question before if it is about just that."""
    before = history[-1].program if history else None
    if program.args == (Program("last"),) and before and before.op in {"count", "exist", "which"}:
        return Program(program.op, before.args)
    return described(program, graph, history)


def described(program: Program, graph: SceneGraph, history: Sequence[Round]) -> Program:
    """Return a question with explicit nodes; one for a name keeps how it describes the part."""
    sought = program.args[0]
    if program.op == "name" and isinstance(sought, Program):
        return Program("name", (sought.mapped(lambda inner: resolved(inner, graph, history)),))
    return resolved(program, graph, history)


def dependence(program: Program, graph: SceneGraph, history: Sequence[Round]) -> tuple[Dependence, int]:
    """Return how a question depends on the rounds before it, and the distance in rounds of what it refers to.

    ``all`` means that it needs all nodes that were mentioned, as in "how many other parts move". The distance of a
    coreference is that to the last round that mentions it, 1 for the round before; without one it is 0.
    """
    found = [*_references(program)]
    distances = [1] * (Program("last") in found)
    for step in found:
        if step.returns == "node":
            distances.append(rounds_since(str(resolved(step, graph, history)), history))
    return ("coref", max(distances)) if distances else ("all" if found else "none", 0)


def _references(program: Program) -> Iterator[Program]:
    """Yield the innermost parts of a program that stand for something mentioned: nodes, or whole sets."""
    inner = program.args[-1] if program.args else program
    while isinstance(inner, Program) and inner.op == "filter":
        inner = inner.args[-1]
    node_of_set = program.returns == "node" and isinstance(inner, Program) and inner.returns == "set"
    if program.op in REFERENCES or (node_of_set and isinstance(inner, Program) and inner.op in REFERENCES):
        yield program
        return
    for arg in program.args:
        if isinstance(arg, Program):
            yield from _references(arg)


def rounds_since(name: str, history: Sequence[Round]) -> int:
    """Return the number of rounds back to the last one that names a node; the length of the history if none does."""
    name = name.removeprefix("node(").removesuffix(")")
    return next((n for n, each in enumerate(reversed(history), 1) if name in each.told), len(history))


class Knowledge:
    """What a dialogue has revealed of a graph; sides, parts and chains are known to everybody."""

    def __init__(self, graph: SceneGraph) -> None:
        """Begin with nothing revealed."""
        self._graph = graph
        self.by_name, self.counted, self.objects = graph.by_name, graph.counted, graph.objects
        self._facts: dict[tuple[str, Attribute, str], bool] = {}
        self._edges: dict[tuple[str, Edge, str, str], bool] = {}
        self._answered: set[str] = set()

    def has(self, name: str, attribute: Attribute, value: str) -> Truth:
        """Return whether a node is known to have a value of an attribute."""
        if attribute in KNOWN_ATTRIBUTES:
            return self._graph.has(name, attribute, value)
        return self._facts.get(self._key(name, attribute, value))

    def _key(self, name: str, attribute: Attribute, value: str) -> tuple[str, Attribute, str]:
        """Return a fact as it is kept: the left hand's way to the left is its way out."""
        if attribute is Attribute.DIRECTION:
            value = direction_of(self._graph.by_name[name], value)
        return name, attribute, value

    def values(self, name: str, attribute: Attribute) -> tuple[str, ...] | None:
        """Return all values of an attribute; ``None`` unless every one is known."""
        if attribute in KNOWN_ATTRIBUTES:
            return self._graph.values(name, attribute)
        known = all(self.has(name, attribute, value) is not None for value in VALUES[attribute])
        return self._graph.values(name, attribute) if known else None

    def edge(self, name: str, edge: Edge, other: str, pose: str) -> Truth:
        """Return whether a node is known to lie so to another one in a pose."""
        return self._edges.get((name, edge, other, pose))

    def most(self, names: Iterable[str]) -> tuple[str, ...] | None:
        """Return the nodes that change most; ``None`` unless none or only one of them may move."""
        moving = [name for name in names if self.has(name, Attribute.MOVES, "yes") is not False]
        return None if len(moving) > 1 else tuple(moving)

    def knows(self, program: Program, history: Sequence[Round] = ()) -> bool:
        """Return whether the answer of a question is already known."""
        plain = _plain(program, self._graph, history)
        return str(plain) in self._answered or execute(plain, self, history, partial=True).outcome == "answer"

    def uses_only_revealed(self, program: Program, history: Sequence[Round]) -> bool:
        """Return whether all nodes that a question refers to follow from what was revealed."""
        references = [
            step
            for step in program.walk()
            if step.returns == "node"
            and not (program.op == "name" and step is program.args[0])
            and any(inner.op in REFERENCES for inner in step.walk())
        ]
        return all(
            execute(Program("name", (step,)), self, history, partial=True)
            == execute(Program("name", (step,)), self._graph, history)
            for step in references
        )

    def copy(self) -> Knowledge:
        """Return a copy that learns on its own."""
        other = Knowledge(self._graph)
        other._facts, other._edges, other._answered = {**self._facts}, {**self._edges}, {*self._answered}
        return other

    def learn(self, program: Program, answer: Answer, history: Sequence[Round] = ()) -> None:
        """Add what the answer of a question reveals."""
        if answer.outcome not in {"answer", "none"}:
            return
        plain = _plain(program, self._graph, history)
        settled = {"which": ("which", "count", "exist"), "count": ("count", "exist")}.get(plain.op, (plain.op,))
        settled = ("count", "exist") if plain.op == "exist" and answer.value == "no" else settled
        self._answered.update(str(Program(op, plain.args)) for op in settled)
        if plain.op == "seek" and answer.nodes:
            self._reveal(answer.nodes[0], Attribute(str(plain.args[0])))
        elif plain.op == "name" and isinstance(program.args[0], Program):
            if program.args[0].op == "most":
                for name in answer.nodes:
                    self._fact(name, Attribute.MOVES, "yes")
            elif program.args[0].op == "unique" and isinstance(plain.args[0], Program):
                self._reveal_set(plain.args[0].args[0], answer)
        elif plain.op in {"which", "count", "exist"}:
            self._reveal_set(plain.args[-1], answer)

    def _reveal_set(self, found: str | Program, answer: Answer) -> None:
        """Learn for every member of the base of a set whether it belongs to the set, where the answer tells it."""
        if not isinstance(found, Program) or not found.args:
            return
        inner = found.args[-1]
        told = answer.value not in {"yes", *map(str, range(1, 100))}
        left: tuple[str, ...] = ()
        if found.op == "except" and isinstance(inner, Program) and isinstance(found.args[0], Program):
            left = execute(Program("which", (inner,)), self._graph).nodes
            found = found.args[0]
            inner = found.args[-1] if found.args else ""
        if found.op == "filter" and isinstance(inner, Program) and inner.op in {"parts", "these", "each"}:
            base = [name for name in execute(Program("which", (inner,)), self._graph).nodes if name not in left]
            if told or len(base) == 1 or answer.value == str(len(base)):
                for name in base:
                    self._fact(name, Attribute(str(found.args[0])), str(found.args[1]))
        elif found.op == "relate" and told and isinstance(inner, Program) and inner.op == "node":
            edge, pose, other = Edge(str(found.args[0])), str(found.args[1]), str(inner.args[0])
            for name in self._graph.counted:
                self._edges[name, edge, other, pose] = bool(self._graph.edge(name, edge, other, pose))
                self._edges[other, edge.reverse, name, pose] = self._edges[name, edge, other, pose]

    def _reveal(self, name: str, attribute: Attribute) -> None:
        """Learn all values of an attribute of a node."""
        for value in VALUES[attribute]:
            self._fact(name, attribute, value)

    def _fact(self, name: str, attribute: Attribute, value: str) -> None:
        """Learn whether a node has a value, and what follows: a part that bends moves, and does not straighten."""
        truth = self._graph.has(name, attribute, value)
        if truth is None:
            return
        self._facts[self._key(name, attribute, value)] = truth
        if attribute is Attribute.MOVES:
            moves = truth is (value == "yes")
            self._facts |= {(name, attribute, each): moves is (each == "yes") for each in VALUES[attribute]}
            if not moves:
                self._reveal(name, Attribute.DIRECTION)
                self._reveal(name, Attribute.DEGREE)
        elif truth and attribute in {Attribute.DIRECTION, Attribute.DEGREE}:
            self._facts |= {(name, Attribute.MOVES, each): each == "yes" for each in VALUES[Attribute.MOVES]}
            if attribute is Attribute.DIRECTION:
                self._facts[self._key(name, attribute, Direction(value).reverse)] = False
