"""Reader of people's questions: question -> programs, by cue words and the reader of corrections.

The words of ``dialogue.toml`` say what is asked (which way, how far, how many, which, where, whether), the tags of a
correction say what it is about, and the conversation says what "it", "them", "the other one" and "the left one" mean.
"How far?" or "and my head?" repeat the last question about something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from fmp_models.dialogue.programs import Program, Round, execute
from fmp_models.dialogue.scene_graph import BY_NAME, Attribute, Edge, Node, SceneGraph, direction_of, node_of
from fmp_models.geometry import (
    NO_MOVEMENT,
    PAIRED,
    SOMEWHERE,
    STANCES,
    Clause,
    Degree,
    Direction,
    Part,
    Relation,
    Side,
)
from fmp_models.languages import (
    MARKS,
    Tag,
    dialogue_words,
    grammar,
    language_of,
    normalised,
    read_clauses,
    spellings_of,
    tagged,
    transliterated,
)

_SEEKS = {"angle": Attribute.ANGLE, "where": Attribute.END, "way": Attribute.DIRECTION, "degree": Attribute.DEGREE}
_MAX_SOUGHT = 4  # parts of one question, each with a program of its own
_FEW_WORDS = 6  # of a question in which a side alone means a part
_MIN_LETTERS, _ALIKE = 4, 0.88  # of a word that is taken for a cue word with a slip
_WORD = re.compile(rf"[^\s{MARKS}()\"“”]+")
# What a part does to reach a place.
_TO_REACH = {
    "straight": ("direction", "straighten"),
    "at a right angle": ("direction", "bend"),
    "close together": ("direction", "together"),
    "wide apart": ("direction", "apart"),
    "straight up": ("direction", "up"),
    "on the ground": ("direction", "down"),
}
_ALONE = {
    "lean": (Part.TRUNK, "forward"),
    "look": (Part.HEAD, ""),
    "turn": (Part.BODY, ""),
}  # part of a verb that names none, and its way


@dataclass(frozen=True)
class _Cues:
    """The expressions of a language: cues, and words to replace or to take away before an instruction is read."""

    cues: Mapping[str, re.Pattern[str]]
    instead: tuple[tuple[re.Pattern[str], str], ...]
    scaffold: re.Pattern[str]
    pronoun: re.Pattern[str]
    picks: Mapping[str, re.Pattern[str]]
    edges: Mapping[str, re.Pattern[str]]
    intended: tuple[str, ...]

    def mended(self, word: str) -> str:
        """Return the cue word that a word with a slip means, or the word itself."""
        near = get_close_matches(word, self.intended, 1, _ALIKE) if len(word) >= _MIN_LETTERS else []
        return near[0] if near else word


@cache
def _cues(code: str) -> _Cues:
    reading = dialogue_words(code)["reading"]
    return _Cues(
        {name: _words(phrases) for name, phrases in reading["cues"].items()},
        tuple((_words([phrase]), word) for phrase, word in reading["instead"]),
        _words(reading["scaffold"]),
        _words([reading["pronoun"]]),
        {edge: re.compile(f"({normalised(words)})$") for edge, words in reading["picks"].items()},
        {edge: _words([words]) for edge, words in reading["edges"].items()},
        tuple(normalised(word) for word in reading["mended"]),
    )


def _words(phrases: Sequence[str]) -> re.Pattern[str]:
    """Return an expression for any of the phrases as whole words; ``~`` is any ending."""
    return re.compile(f"(?<![^ ])(?:{normalised('|'.join(phrases)).replace('~', '[^ ]*')})(?![^ ])")


def read_question(
    question: str,
    language: str,
    graph: SceneGraph,
    history: Sequence[Round] = (),
) -> tuple[Program, ...] | None:
    """Return the programs of a question after the rounds of a conversation.

    ``None`` if the question cannot be read; empty if it asks for what joints do not show.
    """
    spellings = spellings_of(language)
    own = spellings.in_own_script(question, 1) if spellings else None
    code, text = (language, own) if own else transliterated(question) or (language_of(question) or language, question)
    return _Question(text, code, graph, history).programs()


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

    def __init__(self, text: str, code: str, graph: SceneGraph, history: Sequence[Round]) -> None:
        self.graph, self.history = graph, history
        self.words, self.patterns = grammar(code), _cues(code)
        line = " ".join(self.patterns.mended(word) for word in _WORD.findall(normalised(text)))
        for several, one in self.patterns.instead:
            line = re.sub(" +", " ", several.sub(one, line)).strip()
        self.line = line
        self.cues = {name for name, pattern in self.patterns.cues.items() if pattern.search(line)}
        self.tags = tagged(line, self.words)
        self.spoken_of = tuple(dict.fromkeys(name for each in reversed(history) for name in each.nodes))
        self.named = tuple(self._named(self.tags, line))
        self.beyond = self._beyond()
        self.meant = self._meant()
        self.rest = self._rest()
        subject = re.sub(" +", " ", f"{self._subject()} {self.rest}").strip()
        read = (piece.goal for piece in read_clauses(subject, self.words))
        self.clauses = tuple(clause for clause in read if clause.direction not in SOMEWHERE)
        self.meant = self.meant or self._of_verb()

    # ---------------------------------------------------------------- what is asked

    def programs(self) -> tuple[Program, ...] | None:
        """Return the programs of the question; see :func:`read_question`."""
        cues = self.cues
        if cues & {"hidden", "whole"}:
            return () if "hidden" in cues else None
        sought = next((attribute for cue, attribute in _SEEKS.items() if cue in cues), None)
        if sought is None and self._chooses():
            sought = Attribute.DIRECTION
        if cues & {"count", "which"} and not cues & {"early", "most", "more"} and not (self._filters(self.meant) or self.beyond or sought) and self._unknown():
            return None
        if "count" in cues:
            return (Program("count", (self._found(),)),)
        if "angle" in cues and self.meant and not any(name in self.graph.angles for name in self.meant.names):
            sought = Attribute.DEGREE
        if {"early", "which"} <= cues and not self.clauses:
            first = self.meant or self._one(Program("first", (Program("mentioned"),)))
            return (Program("name", first.nodes[:1]),) if first else None
        if self._compares():
            return self._compares()
        if "most" in cues or {"more", "which"} <= cues:
            among = self._among() if "which" in cues or not self.named else Program("parts")
            if "else" in cues:
                among = Program("except", (among, Program("mentioned")))
            return (Program("name", (Program("most", (among,)),)),)
        if sought is not None and (self.meant or "which" not in cues):
            return self._sought(sought)
        if cues & {"which", "else"} or ("any" in cues and not self.named):
            some = not cues & {"which", "enough", "rest"}
            return (Program("exist" if some else "which", (self._found(),)),)
        return self._whether()

    def _compares(self) -> tuple[Program, ...]:
        """Return the comparison of two parts that the question asks for."""
        names = [name for names in self.named for name in names] or list(self.meant.names if self.meant else ())
        if len(names) == 1 and {"more", "than"} <= self.cues and any(tag.bare for tag in self.tags):
            names += [name for name in _both(names[0]) if name not in names]
        if len(names) != len(Side.BOTH.each) or not ({"same"} & self.cues or {"more", "than"} <= self.cues):
            return ()
        return (Program("compare", tuple(Program("node", (name,)) for name in names)),)

    def _sought(self, attribute: Attribute) -> tuple[Program, ...] | None:
        meant = self.meant or self._it() or self._them()
        if meant is None:
            return None
        if attribute is Attribute.END:
            if "target" not in self.cues and "now" in self.cues:
                attribute = Attribute.START
            part = self.graph.by_name[meant.names[0]].part
            pair = node_of(Side.BOTH, part) if part is not None and "apart" in self.cues else None
            meant = _Meant.of((pair.name,)) if pair else meant
        if "high" in self.cues and not any(self.graph.values(name, attribute) for name in meant.names):
            attribute = Attribute.DEGREE
        return tuple(Program("seek", (attribute.value, node)) for node in meant.nodes[:_MAX_SOUGHT])

    def _whether(self) -> tuple[Program, ...] | None:
        """Return the programs of a question to be answered by yes or no, or of one that repeats the last question."""
        meant = self.meant or self._it() or self._them()
        if meant is None:
            return None
        filters = [self._as_measured(*each, meant) for each in self._filters(meant)]
        if self.beyond and not any(clause.relations for clause in self.clauses):
            return (Program("exist", (self._beside(self.beyond, meant),)),)
        if any(not self._measured(attribute, value, whole) for attribute, value, whole in filters):
            if filters[0][1] != Relation.STRAIGHT:
                return ()
            filters = [("moves", "no", meant.whole)]
        if not filters and not self.cues & {"enough", "stays", "moves"}:
            return None if self._unknown() else self._again(meant)
        attribute, value, whole = filters[0] if filters else ("moves", "yes", meant.whole)
        if "bent" in self.cues and "excess" not in self.cues and value == Direction.BEND:
            pose = self._pose()
            return (Program("exist", (Program("except", (whole, Program("filter", (pose, "straight", whole)))),)),)
        if "enough" in self.cues and filters and "excess" not in self.cues | {tag.kind for tag in self.tags}:
            attribute, value = _TO_REACH.get(value, (attribute, value))
            return (Program("exist", (Program("except", (whole, Program("filter", (attribute, value, whole)))),)),)
        if not filters and self.cues & {"enough", "stays"}:
            value = "no"
        op = "which" if "both" in self.cues else "exist"
        return (Program(op, (Program("filter", (attribute, value, whole)),)),)

    def _unknown(self) -> bool:
        """Return whether the question has words that nothing explains."""
        explained = self.words.cases | self.words.ones
        words = [tag.text for tag in tagged(self.rest, self.words) if tag.kind == "word" and tag.text not in explained]
        return any(not any(cue.fullmatch(word) for cue in self.patterns.cues.values()) for word in words)

    def _again(self, meant: _Meant) -> tuple[Program, ...] | None:
        """Return the last question about something else; which way it goes if that question does not fit."""
        last = self.history[-1].program if self.history else None
        if last is not None and "both" in self.cues and last.op in {"exist", "count", "which"}:
            return (Program("which", last.args),)
        if last is not None and last.op == "exist" and self._fits(last, meant):
            return (_about(last, meant.whole),)
        attribute = last.args[0] if last is not None and last.op == "seek" else "direction"
        return tuple(Program("seek", (attribute, node)) for node in meant.nodes[:_MAX_SOUGHT])

    def _fits(self, program: Program, meant: _Meant) -> bool:
        """Return whether the values that a program filters by are measured of the parts meant."""
        if any(step.op == "parts" for step in program.walk()):
            return False
        filters = [step.args[:2] for step in program.walk() if step.op == "filter"]
        return bool(filters) and all(self._measured(str(a), str(value), meant.whole) for a, value in filters)

    def _as_measured(self, attribute: str, value: str, whole: Program, meant: _Meant) -> tuple[str, str, Program]:
        """Return a filter with the parts for which its value is measured: an arm that goes up for its elbow."""
        if self._measured(attribute, value, whole):
            return attribute, value, whole
        nodes = [self.graph.by_name[name] for name in meant.names]
        part = nodes[0].part or Part.BODY
        for other in (part.hinge, part.end, part.limb):
            found = [one for node in nodes if other and (one := node_of(node.side, other)) is not None]
            near = _Meant.of([one.name for one in found]).whole if found else whole
            if self._measured(attribute, value, near):
                return attribute, value, near
        return attribute, value, whole

    def _measured(self, attribute: str, value: str, whole: Program) -> bool:
        """Return whether a direction or place is measured of some of these parts."""
        names = execute(Program("which", (whole,)), self.graph, self.history).nodes
        if attribute == Attribute.DIRECTION:
            return any((name, direction_of(self.graph.by_name[name], value)) in self.graph.directions for name in names)
        places = {Attribute.START.value, Attribute.END.value}
        return attribute not in places or any((name, attribute, value) in self.graph.places for name in names)

    # ---------------------------------------------------------------- what it is about

    def _named(self, tags: Sequence[Tag], line: str) -> Iterator[tuple[str, ...]]:
        """Yield the names of each part that the tags name: of both sides where none or both are said."""
        sides: list[Side] = []
        for tag in tags:
            if tag.kind == "sides" and tag.value in set(Side):
                sides.append(Side(tag.value))
            elif tag.kind in {"parts", "palms"}:
                part = Part.HAND if tag.kind == "palms" else Part(tag.value)
                side = sides[0] if len(set(sides)) == 1 else Side.BOTH
                each = side.each if part.sided else (Side.NONE,)
                names = tuple(node.name for one in each if (node := node_of(one, part)) is not None)
                if names:
                    yield self._picked(names, line[: tag.start])
                sides = []

    def _picked(self, names: tuple[str, ...], before: str) -> tuple[str, ...]:
        """Return the one of two parts that is "front", "back", "raised" or "standing" now."""
        picks = [
            edge for edge in Edge if edge in self.patterns.picks and self.patterns.picks[edge].search(before.strip())
        ]
        part = self.graph.by_name[names[0]].part
        if len(names) != len(Side.BOTH.each) or not picks or part is None:
            return names
        ends = [node_of(side, part.end or part) for side in Side.BOTH.each]
        for name, end, other in zip(names, ends, reversed(ends), strict=True):
            if end and other and self.graph.edge(end.name, picks[0], other.name, "current"):
                return (name,)
        return names

    def _meant(self) -> _Meant | None:
        """Return what the question names or points at; ``None`` if it does neither."""
        named = self.named[0] if self.named else ()
        if "early" in self.cues and self.history:
            among = _Meant.of(named).whole if named else Program("mentioned")
            first = self._one(Program("first", (among,)))
            if first is not None:
                return first
        side = next((tag.value for tag in self.tags if self._side_alone(tag)), None)
        recent = self._recent(named)
        if "other" in self.cues and recent is not None and (len(named) != 1):
            return self._one(Program("other", (recent,)))
        if not named and side is not None and recent is not None:
            part = self._name(recent).split(" ", 1)[-1]
            return _Meant.of((f"{side} {part}",)) if f"{side} {part}" in self.graph.by_name else None
        if not named and "one" in self.cues and recent is not None:
            picked = self._picked(_both(self._name(recent)), self.line.partition(" one")[0])
            if len(picked) == 1 and len(_both(picked[0])) > 1:
                return _Meant.of(picked)
        if len(named) > 1 and (it := self._it()) is not None and self._hangs_on(it.names[0], named):
            named = tuple(name for name in named if self.graph.by_name[name].side is self.graph.by_name[it.names[0]].side)
        if named and len(named) > 1 and "that" in self.cues and recent is not None and "which" not in self.cues:
            return self._one(recent)
        if len(self.named) > 1 and not self.beyond and "and" in self.cues and "besides" not in self.cues:
            return _Meant.of([name for names in self.named for name in names])
        if named and "besides" not in self.cues:
            return _Meant.of(named)
        if "them" in self.cues:
            return self._them()
        return self._it() if "it" in self.cues else None

    def _hangs_on(self, name: str, named: Sequence[str]) -> bool:
        """Return whether a part without a side belongs to the limb that was spoken of: "does the knee bend?"."""
        limb, tag = self.graph.by_name[name], next(tag for tag in self.tags if tag.kind in {"parts", "palms"})
        possessive = self.patterns.cues["own"].search(self.line[: tag.start])
        one = limb.side in Side.BOTH.each and not self.words.plural.search(tag.text) and not possessive
        return one and limb.chain == self.graph.by_name[named[0]].chain and name not in named and "which" not in self.cues

    def _side_alone(self, tag: Tag) -> bool:
        return tag.bare and (tag.kind == "word" or len(self.line.split()) < _FEW_WORDS)

    def _recent(self, named: Sequence[str]) -> Program | None:
        """Return the part that was spoken of last, among ``named`` if any."""
        it = self._it()
        if it is not None and (not named or it.names[0] in named):
            return it.nodes[0]
        name = next((name for name in self.spoken_of if not named or name in named), None)
        return Program("node", (name,)) if name else None

    def _name(self, node: Program) -> str:
        return execute(Program("name", (node,)), self.graph, self.history).value

    def _one(self, node: Program) -> _Meant | None:
        name = self._name(node)
        return _Meant((node,), (name,), Program("these", (name,))) if name else None

    def _it(self) -> _Meant | None:
        """Return what "it" means: what the last question was about, or the only part that it found."""
        last = self.history[-1] if self.history else Round()
        if last.focus is not None:
            return self._one(Program("focus"))
        return self._one(Program("unique", (Program("last"),))) if len(last.nodes) == 1 else None

    def _them(self) -> _Meant | None:
        it = self._it()
        both = _both(it.names[0]) if it else ()
        if set(both) <= set(self.spoken_of) and len(both) > 1:
            return _Meant.of(both)
        nodes = next((each.nodes for each in reversed(self.history) if len(each.nodes) > 1), ())
        if not nodes or (it is not None and self.graph.by_name[it.names[0]].side is Side.BOTH):
            return it
        whole = Program("last") if nodes == self.history[-1].nodes else Program("these", ("; ".join(nodes),))
        return _Meant(tuple(Program("node", (name,)) for name in nodes), nodes, whole)

    # ---------------------------------------------------------------- what is said of it

    def _rest(self) -> str:
        """Return the question without the parts that are meant and without the words of a question."""
        rest = self.line
        gone = [tag for tag in self.tags if self._side_alone(tag)]
        if self.named:
            last = next(tag.end for tag in self.tags if tag.kind in {"parts", "palms"})
            gone = [tag for tag in self.tags if tag.kind in {"parts", "palms", "sides"} and tag.end <= last]
        for tag in reversed(gone):
            rest = rest[: tag.start] + rest[tag.end :]
        rest = self.patterns.pronoun.sub("", re.sub(" +", " ", rest))
        return re.sub(" +", " ", self.patterns.scaffold.sub("", rest)).strip()

    def _subject(self) -> str:
        """Return the parts meant as the words of an instruction."""
        if self.meant is None:
            return ""
        nodes = [self.graph.by_name[name] for name in self.meant.names if name in self.graph.by_name]
        part = nodes[0].part if nodes else None
        if part is None:
            return ""
        side = nodes[0].side if len(nodes) == 1 else Side.BOTH
        return self.words.parts[part.value].get(side.value, [""])[0]

    def _of_verb(self) -> _Meant | None:
        """Return the part of a verb that names none: "which way do I lean", "how deep do I squat"."""
        if self.named or self.cues & {"it", "them", "other", "early", "which", "count", "any"}:
            return None
        whole = Clause(Side.NONE, Part.BODY, Direction.MOVE) if "self" in self.cues and self._directions() else None
        verbs = [_ALONE[tag.value][0] for tag in self.tags if tag.kind == "actions" and tag.value in _ALONE]
        clauses = [*self.clauses, *(Clause(Side.NONE, part, Direction.MOVE) for part in verbs), *filter(None, [whole])]
        for clause in clauses:
            sides = dict.fromkeys((clause.side, *clause.side.each))
            names = [node.name for side in sides if (node := node_of(side, clause.part)) is not None]
            return _Meant.of(names[:1] if names[0].startswith("both") else names)
        return None

    def _directions(self) -> list[str]:
        """Return the directions that the question says, without a side that means a part."""
        said = [tag for tag in self.tags if tag.kind in {"directions", "actions"} and not self._side_alone(tag)]
        return [tag.value for tag in said if tag.value in set(Direction) - SOMEWHERE - NO_MOVEMENT]

    def _pose(self) -> str:
        return Attribute.START.value if "target" not in self.cues and "now" in self.cues else Attribute.END.value

    def _beyond(self) -> tuple[str, str] | None:
        """Return how something lies to a part that is named, and that part: "above my head"."""
        last = self.words.verb_comes == "last"
        for edge, pattern in self.patterns.edges.items():
            found = pattern.search(self.line)
            side = self.line[: found.start()] if found and last else self.line[found.end() :] if found else ""
            named = list(self._named(tagged(side, self.words), side))
            if named:
                return edge, named[-1 if last else 0][0].replace(Part.BODY.value, Part.TRUNK.value)
        return None

    def _beside(self, beyond: tuple[str, str], meant: _Meant | None) -> Program:
        """Return those of the parts meant, or of all, that lie so to a part."""
        edge, other = beyond
        pose = "target" if self._pose() == Attribute.END else "current"
        nodes = [self.graph.by_name[name] for name in meant.names if name in self.graph.by_name] if meant else []
        part = nodes[0].part if nodes else None
        same = node_of(nodes[0].side, self.graph.by_name[other].part or Part.BODY) if len(nodes) == 1 else None
        if same is not None and self.named and len(self.named[-1]) > 1:
            other = same.name
        found = Program("relate", (edge, pose, Program("node", (other,))))
        if part is not None:
            found = Program("filter", ("part", (part.end or part if part.of_limb else part).value, found))
        return (
            Program("filter", ("side", nodes[0].side.value, found))
            if len(nodes) == 1 and part and part.sided
            else found
        )

    def _chooses(self) -> bool:
        """Return whether the question offers two directions: "up or down"."""
        directions = [tag for tag in self.tags if tag.kind == "directions"]
        return len(directions) > 1 and any(tag.text in self.words.alternatives for tag in self.tags)

    def _filters(self, meant: _Meant | None) -> list[tuple[str, str, Program]]:
        """Return the attribute and value that the question asks for, each with the parts that it is asked of."""
        whole = meant.whole if meant else Program("parts")
        pose = self._pose()
        stated = any(tag.kind in {"relations", "states"} for tag in self.tags)
        excess = "excess" in self.cues and all(tag.kind != "excess" for tag in tagged(self.rest, self.words))
        for clause in sorted(self.clauses, key=lambda clause: not (stated and clause.relations)):
            of = self._as_in(clause, meant) if meant else whole
            if clause.relations and (stated or clause.direction in NO_MOVEMENT):
                return [(pose, clause.relations[0].value, of)]
            if clause.direction not in NO_MOVEMENT:
                return [("direction", (clause.direction.reverse if excess else clause.direction).value, of)]
        for tag in self.tags:
            if tag.kind == "directions" and excess and not self._side_alone(tag):
                return [("direction", Direction(tag.value).reverse.value, whole)]
            if tag.kind == "directions" and not self._side_alone(tag):
                return [("direction", tag.value, whole)]
            if tag.kind in {"relations", "states"} and tag.value in set(Relation):
                return [(pose, tag.value, whole)]
            if tag.kind == "actions" and _ALONE.get(tag.value, ("", ""))[1]:
                return [("direction", _ALONE[tag.value][1], whole)]
            if tag.kind == "actions" and tag.value in set(Direction) - SOMEWHERE - NO_MOVEMENT:
                return [("direction", tag.value, whole)]
        if any(clause.direction is Direction.KEEP for clause in self.clauses):
            return [("moves", "no", whole)]
        if "apart" in self.cues and meant is not None:
            part = self.graph.by_name[meant.names[0]].part
            pair = node_of(Side.BOTH, part) if part is not None else None
            return [("direction", "apart", Program("these", (pair.name,)))] if pair else []
        degrees = [tag.value for tag in self.tags if tag.kind == "degrees" and tag.value in set(Degree)]
        return [("degree", degrees[0], whole)] if degrees and "moves" in self.cues else []

    def _as_in(self, clause: Clause, meant: _Meant) -> Program:
        """Return the parts meant, as the measured parts of a clause about them: a leg that goes out is its foot."""
        if clause.direction in PAIRED or (clause.relations[:1] and clause.relations[0] in STANCES):
            pair = node_of(Side.BOTH, clause.part)
            return Program("these", (pair.name,)) if pair else meant.whole
        nodes = [self.graph.by_name[name] for name in meant.names if name in self.graph.by_name]
        of = [node_of(node.side if clause.part.sided else Side.NONE, clause.part) for node in nodes]
        names = tuple(dict.fromkeys(node.name for node in of if node is not None))
        return meant.whole if not names or names == meant.names else _Meant.of(names).whole

    # ---------------------------------------------------------------- sets

    def _among(self) -> Program:
        """Return the set that the question chooses from."""
        parts = Program("parts")
        for side in Side.BOTH.each:
            if f"on{side.value}side" in self.line:
                return Program("filter", ("side", side.value, Program("last") if "them" in self.cues else parts))
        if self.meant is not None and (self.named or "them" in self.cues):
            nodes = [self.graph.by_name[name] for name in self.meant.names]
            if "within" in self.cues and nodes[0].chain in {Part.ARM.value, Part.LEG.value}:
                limb = Program("filter", ("chain", nodes[0].chain, parts))
                return Program("filter", ("side", nodes[0].side.value, limb)) if len(nodes) == 1 else limb
            whole = nodes[0].part is Part.BODY or "besides" in self.cues or (self.beyond and len(self.named) == 1)
            return parts if whole else self.meant.whole
        if "them" in self.cues or ("one" in self.cues and len(self.spoken_of) > 1):
            recent = self.history[-1].nodes if self.history else ()
            return Program("last" if len(recent) > 1 else "mentioned")
        return parts

    def _found(self) -> Program:
        """Return the set that the question asks for."""
        among = self._among()
        if self.history and not self.named and not self.rest and not self.cues & {"moves", "stays", "else", "them"}:
            last = self.history[-1].program
            asked = last is not None and last.op in {"exist", "count", "which"}
            return last.args[0] if last is not None and asked else Program("last")
        filters = self._filters(self.meant if among == (self.meant and self.meant.whole) else None)
        still = "else" not in self.cues and self.cues & {"stays", "enough"}
        if self.meant is not None and among == self.meant.whole:
            filters = [self._as_measured(*each, self.meant) for each in filters]
        if self.beyond:
            found = self._beside(self.beyond, None if among == Program("parts") else self.meant)
        elif "them" in self.cues and among.op == "filter":
            found = among
        elif filters:
            attribute, value, whole = filters[0]
            base = among if whole == Program("parts") else whole
            found = Program("filter", (attribute, value, base))
            if "bent" in self.cues and value == Direction.BEND and self._pose() == Attribute.START:
                found = Program("except", (base, Program("filter", ("start", "straight", base))))
        else:
            found = Program("filter", ("moves", "no" if still else "yes", among))
        if "besides" in self.cues and self.named:
            return Program("except", (found, _Meant.of([n for names in self.named for n in names]).whole))
        return Program("except", (found, Program("mentioned"))) if "else" in self.cues and self.history else found


def _both(name: str) -> tuple[str, ...]:
    """Return a part and the one of the other side, left first."""
    node = BY_NAME.get(name, Node(name))
    sides = Side.BOTH.each if node.side in Side.BOTH.each else (node.side,)
    return tuple(one.name for side in sides if node.part and (one := node_of(side, node.part)) is not None)


def _about(program: Program, whole: Program) -> Program:
    """Return a program with another set in place of those that name parts."""
    if program.op in {"these", "each", "last", "parts"}:
        return whole
    return Program(program.op, tuple(_about(arg, whole) if isinstance(arg, Program) else arg for arg in program.args))
