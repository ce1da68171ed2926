"""History of a dialogue: what each round mentioned, what is known after it, and how a question depends on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from fmp_models.dialogue.programs import REFERENCES, Answer, Program, Round, execute, resolved
from fmp_models.dialogue.scene_graph import KNOWN_ATTRIBUTES, Attribute, Edge, Node, SceneGraph, Truth
from fmp_models.geometry import Degree, Direction, Relation

Dependence = Literal["none", "all", "coref"]
# All values of the attributes that a dialogue reveals.
_VALUES: Mapping[Attribute, tuple[str, ...]] = {
    Attribute.MOVES: ("yes", "no"),
    Attribute.DIRECTION: tuple(Direction),
    Attribute.DEGREE: tuple(Degree),
    Attribute.START: tuple(Relation),
    Attribute.END: tuple(Relation),
}


def round_of(program: Program, answer: Answer, graph: SceneGraph, history: Sequence[Round] = ()) -> Round:
    """Return what a round mentions: the node its question is about, and the nodes that it is about or found."""
    plain = resolved(program, graph, history)
    named = [step.args[0] for step in plain.walk() if step.op == "node"]
    focus = str(named[0]) if named else None
    revealed = program.op not in {"count", "exist"} or not answer.nodes
    return Round(focus, answer.nodes, revealed)


def dependence(program: Program, graph: SceneGraph, history: Sequence[Round]) -> tuple[Dependence, int]:
    """Return how a question depends on the rounds before it, and the distance in rounds of what it refers to.

    ``all`` means that it needs all nodes that were mentioned, as in "how many other parts move". The distance of a
    coreference is that to the last round that mentions it, 1 for the round before; without one it is 0.
    """
    steps = list(program.walk())
    if not any(step.op in REFERENCES for step in steps):
        return "none", 0
    whole = any(step.op == "except" and step.args[1] == Program("mentioned") for step in steps)
    named = {
        str(resolved(step, graph, history).args[0])
        for step in steps
        if step.returns == "node" and step.op != "node" and any(inner.op in REFERENCES for inner in step.walk())
    }
    if not named:
        return ("all", 0) if whole else ("coref", 1)
    return "coref", max(_distance(name, history) for name in named)


def _distance(name: str, history: Sequence[Round]) -> int:
    """Return the number of rounds back to the last one that mentions a node; the length of the history if none does."""
    back = (n for n, each in enumerate(reversed(history), 1) if name in each.nodes or name == each.focus)
    return next(back, len(history))


class Knowledge:
    """What a dialogue has revealed of a graph; sides, parts and chains are known to everybody."""

    def __init__(self, graph: SceneGraph) -> None:
        """Begin with nothing revealed."""
        self._graph = graph
        self._facts: dict[tuple[str, Attribute, str], bool] = {}
        self._edges: dict[tuple[str, Edge, str, str], bool] = {}
        self._answered: dict[str, Answer] = {}

    @property
    def by_name(self) -> Mapping[str, Node]:
        """The nodes by their names."""
        return self._graph.by_name

    @property
    def counted(self) -> tuple[str, ...]:
        """The names of the parts that are counted."""
        return self._graph.counted

    @property
    def objects(self) -> tuple[str, ...]:
        """The names of the objects of the room."""
        return self._graph.objects

    def has(self, name: str, attribute: Attribute, value: str) -> Truth:
        """Return whether a node is known to have a value of an attribute."""
        if attribute in KNOWN_ATTRIBUTES:
            return self._graph.has(name, attribute, value)
        return self._facts.get((name, attribute, value))

    def values(self, name: str, attribute: Attribute) -> tuple[str, ...] | None:
        """Return all values of an attribute; ``None`` unless every one is known."""
        if attribute in KNOWN_ATTRIBUTES:
            return self._graph.values(name, attribute)
        known = all((name, attribute, value) in self._facts for value in _VALUES.get(attribute, ("",)))
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
        plain = resolved(program, self._graph, history)
        if str(plain) in self._answered or (
            program.op == "exist" and str(Program("count", plain.args)) in self._answered
        ):
            return True
        return execute(program, self, history, partial=True).outcome == "answer"

    def uses_only_revealed(self, program: Program, history: Sequence[Round]) -> bool:
        """Return whether all nodes that a question refers to follow from what was revealed."""
        references = [
            step
            for step in program.walk()
            if step.returns == "node" and any(inner.op in REFERENCES for inner in step.walk())
        ]
        return all(
            execute(Program("name", (step,)), self, history, partial=True)
            == execute(Program("name", (step,)), self._graph, history)
            for step in references
        )

    def learn(self, program: Program, answer: Answer, history: Sequence[Round] = ()) -> None:
        """Add what the answer of a question reveals."""
        if answer.outcome not in {"answer", "none"}:
            return
        plain = resolved(program, self._graph, history)
        self._answered[str(plain)] = answer
        inner = plain.args[-1]
        if plain.op == "seek":
            self._reveal(answer.nodes[0], Attribute(str(plain.args[0])))
        elif plain.op == "name":
            most = isinstance(program.args[0], Program) and program.args[0].op == "most"
            if most:
                self._fact(answer.value, Attribute.MOVES, "yes")
        elif plain.op == "which" or (plain.op in {"count", "exist"} and answer.value in {"0", "no"}):
            self._reveal_set(inner)

    def _reveal_set(self, found: str | Program) -> None:
        """Learn for every member of the base of a set whether it belongs to the set."""
        if not isinstance(found, Program):
            return
        if (
            found.op == "filter"
            and isinstance(found.args[2], Program)
            and found.args[2].op in {"parts", "these", "each"}
        ):
            base = execute(Program("which", (found.args[2],)), self._graph).nodes
            for name in base:
                self._fact(name, Attribute(str(found.args[0])), str(found.args[1]))
        elif found.op == "relate" and isinstance(found.args[2], Program):
            edge, pose, other = Edge(str(found.args[0])), str(found.args[1]), str(found.args[2].args[0])
            for name in self._graph.counted:
                self._edges[name, edge, other, pose] = bool(self._graph.edge(name, edge, other, pose))
                self._edges[other, edge.reverse, name, pose] = self._edges[name, edge, other, pose]

    def _reveal(self, name: str, attribute: Attribute) -> None:
        """Learn all values of an attribute of a node."""
        for value in _VALUES.get(attribute, ()):
            self._fact(name, attribute, value)
        if attribute in {Attribute.DIRECTION, Attribute.DEGREE}:
            self._fact(name, Attribute.MOVES, "yes")

    def _fact(self, name: str, attribute: Attribute, value: str) -> None:
        truth = self._graph.has(name, attribute, value)
        if truth is not None:
            self._facts[name, attribute, value] = truth
        if attribute is Attribute.MOVES:
            self._facts[name, attribute, "no" if value == "yes" else "yes"] = not truth
