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

from fmp_models.dialogue.generation import kind_table, parsed, phrasings
from fmp_models.dialogue.history import described, round_of
from fmp_models.dialogue.programs import Program, Round, execute
from fmp_models.dialogue.scene_graph import BY_NAME, POSES, Attribute, Edge, Node, SceneGraph, direction_of, node_of
from fmp_models.geometry import NO_MOVEMENT, PAIRED, SOMEWHERE, STANCES, Clause, Degree, Direction, Part, Relation, Side
from fmp_models.languages import (
    MARKS,
    SENTENCE_ENDS,
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
_PLACES = {Attribute.START, Attribute.END}
_SHAPES = {"straight", "bent"}  # of a limb, by which one of two is picked
_OF_SETS = {"exist", "count", "which"}
_NAMING = {"parts", "palms"}  # kinds of tags that name a part
_PARTS, _LAST, _MENTIONED = Program("parts"), Program("last"), Program("mentioned")
_MOVING = Program("filter", ("moves", "yes", _PARTS))
_WAYS = set(Direction) - SOMEWHERE - NO_MOVEMENT
_CHOICES = {*_WAYS, Direction.KEEP, "lean", "look", "turn"}
_MOVED = _CHOICES - PAIRED - {"bend", "straighten"}
_FEW_WORDS = 8  # of a question in which a side alone means a part
_SHORT = 2  # letters of a word too short to be taken for one that sounds alike
_MIN_LETTERS, _ALIKE = 4, 0.88  # of a word that is taken for a cue word with a slip
_SENTENCE = re.compile(f"[^{SENTENCE_ENDS}]+[{SENTENCE_ENDS}]*")
_WORD = re.compile(rf"[^\s{MARKS}()\"“”]+")
# What a part does to reach a place.
_TO_REACH = {"straight": "straighten", "at a right angle": "bend", "close together": "together", "wide apart": "apart"}
_TO_REACH |= {"straight up": "up", "on the ground": "down"}
# Part of a verb that names none, and its way.
_ALONE = {"lean": (Part.TRUNK, "forward"), "look": (Part.HEAD, ""), "turn": (Part.BODY, "")}


class Guess(tuple[Program, ...]):
    """Programs about the parts that a question names, when the rest of it could not be read."""

    __slots__ = ()


@cache
class _Cues:
    """The expressions of a language: cues, and words to replace or to take away before an instruction is read."""

    def __init__(self, code: str) -> None:
        reading, spellings = dialogue_words(code)["reading"], spellings_of(code)
        self.sounds = str.maketrans(*reading["sounds"])
        known = sorted({normalised(word) for word in spellings.words.values()}) if spellings else []
        self.cues = {name: _words(phrases) for name, phrases in reading["cues"].items()}
        self.instead = [(_words([phrase]), word) for phrase, word in reading["instead"]]
        self.scaffold, self.pronoun = _words(reading["scaffold"]), _words([reading["pronoun"]])
        self.breaks = re.compile(reading["breaks"], re.IGNORECASE)
        self.picks = {edge: re.compile(f"({normalised(words)})$") for edge, words in reading["picks"].items()}
        self.edges = {edge: _words([words]) for edge, words in reading["edges"].items()}
        self.between = {edge: _words(phrases) for edge, phrases in reading["between"].items()}
        self.intended = [normalised(word) for word in reading["mended"]]
        self.by_sound = {word.translate(self.sounds): word for word in known if len(word) > _SHORT}
        self.by_sound |= dict(zip(known, known, strict=True))

    def mended(self, word: str) -> str:
        """Return the cue word that a word with a slip means, or the known word that sounds alike, or the word."""
        word = self.by_sound.get(word) or self.by_sound.get(word.translate(self.sounds), word)
        near = get_close_matches(word, self.intended, 1, _ALIKE) if len(word) >= _MIN_LETTERS else []
        return near[0] if near else word


def _words(phrases: Sequence[str]) -> re.Pattern[str]:
    """Return an expression for any of the phrases as whole words; ``~`` is any ending."""
    return re.compile(f"(?<![^ ])(?:{normalised('|'.join(phrases)).replace('~', '[^ ]*')})(?![^ ])")


@cache
def _phrased(language: str) -> Mapping[str, tuple[Program, ...]]:
    """Return the programs of all questions that dialogues ask, by their words."""
    found: dict[str, dict[Program, None]] = {}
    for kind in kind_table().kinds:
        for program in _filled_in(kind.program):
            for question in phrasings(kind, program, language):
                found.setdefault(" ".join(_WORD.findall(normalised(question))), {})[parsed(program)] = None
    return {question: tuple(programs) for question, programs in found.items()}


def _of_phrasing(question: str, language: str, graph: SceneGraph, history: Sequence[Round]) -> tuple[Program, ...]:
    """Return the program of a question in the words of a generated one; "and that arm?" asks what was asked last."""
    last = history[-1].program if history else None
    programs = _phrased(language).get(" ".join(_WORD.findall(normalised(question))), ())
    alike = [one for one in programs if last and one.op == last.op == "seek" and one.args[0] == last.args[0]]
    answers = ((one, execute(one, graph, history)) for one in (*alike, *programs))
    return tuple(one for one, answer in answers if answer.nodes or answer.outcome != "none")[:1]


def _filled_in(template: str) -> Iterator[str]:
    """Yield a program with every value in its slots."""
    before, slot, after = template.partition("{")
    name, _, after = after.partition("}")
    for value in kind_table().slots[name] if slot else ():
        yield from _filled_in(f"{before}{value}{after}")
    yield from () if slot else (template,)


def read_question(
    question: str,
    language: str,
    graph: SceneGraph,
    history: Sequence[Round] = (),
    *,
    phrasings_known: bool = True,
) -> tuple[Program, ...] | None:
    """Return the programs of a question after the rounds of a conversation.

    ``None`` if the question cannot be read; empty if it asks for what joints do not show. A question in the words of a
    generated one is read as that, unless ``phrasings_known`` is false.
    """
    phrased = _of_phrasing(question, language, graph, history) if phrasings_known else ()
    if phrased:
        return phrased
    spellings = spellings_of(language)
    own = spellings.in_own_script(question, 1) if spellings else None
    code, text = (language, own) if own else transliterated(question) or (language_of(question) or language, question)
    text = _Cues(code).breaks.sub(". ", text)
    pieces = [piece for piece in _SENTENCE.findall(text) if _WORD.search(piece)]
    said, found = [*history], dict[bool, tuple[Program, ...]]()
    for piece in pieces if len(pieces) > 1 else ():
        asked = _Question(piece, code, graph, said)
        read = asked.programs()
        if read == () and piece.endswith("?"):
            return ()
        if read and not isinstance(read, Guess):
            found.setdefault(piece.endswith("?"), tuple(described(one, graph, said) for one in read))
        if read and asked.named:
            said.append(round_of(read[0], execute(read[0], graph, said), graph, said))
    return found.get(True) or found.get(False) or _Question(text, code, graph, history).programs()


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

    def seek(self, attribute: Attribute) -> tuple[Program, ...]:
        """Return one question a part for an attribute."""
        return tuple(Program("seek", (attribute.value, node)) for node in self.nodes[:_MAX_SOUGHT])


class _Question:
    """One question with its cues, tags, and what it is about."""

    def __init__(self, text: str, code: str, graph: SceneGraph, history: Sequence[Round]) -> None:
        self.graph, self.history = graph, history
        self.words, self.patterns = grammar(code), _Cues(code)
        line = " ".join(self.patterns.mended(word) for word in _WORD.findall(normalised(text).replace("-", " ")))
        for several, one in self.patterns.instead:
            line = re.sub(" +", " ", several.sub(one, line)).strip()
        self.line = line
        self.last = (history[-1].program if history else None) or Program("")
        self.cues = {name for name, pattern in self.patterns.cues.items() if pattern.search(line)}
        self.tags = tagged(line, self.words)
        self.spoken_of = tuple(dict.fromkeys(name for each in reversed(history) for name in each.nodes))
        self.named = tuple(self._named(self.tags, line))
        self.beyond = self._beyond()
        self.opposed = self.beyond[0] if self.beyond and not self.beyond[1] else ""
        self.beyond = None if self.opposed else self.beyond
        self.meant = self._meant()
        self.rest = self._rest()
        self.clauses = self._read_clauses()
        self.meant = self.meant or self._of_verb()

    def programs(self) -> tuple[Program, ...] | None:
        """Return the programs of the question; see :func:`read_question`."""
        if "hidden" in self.cues:
            return ()
        if "whole" in self.cues or self._is_lost():
            return None
        ways = (self._counted, self._lies, self._named_first, self._compared, self._largest, self._sought)
        later = (self._of_half, self._chosen)
        return next(filter(None, (way() for way in (*ways, *later))), None) or self._whether()

    def _counted(self) -> tuple[Program, ...]:
        degree = "degree" in self.cues and not self.rest and self.last.op in {"exist", "seek"}
        return _asking("count", self._found()) if "count" in self.cues and not degree else ()

    def _lies(self) -> tuple[Program, ...]:
        """Return how two parts lie to each other: "which hand is higher?", "do they touch?", "above the other"."""
        meant = self.meant or self._them()
        part = (BY_NAME[meant.names[0]].part if meant else None) or Part.BODY
        if meant is None or not self.opposed or (self.opposed == Edge.NEAR and part.end is Part.FOOT):
            return ()
        several = len(self.named) > 1 and "other" not in self.cues
        names = [each[0] for each in self.named] if several else meant.names
        a = names[0].replace(part.value, (part.end or part).value)
        pair = (a, names[1]) if several else sorted(_both(a), key=lambda one: one != a)
        if len(pair) == 1:
            return ()
        asked = "which" if "which" in self.cues or (several and "than" in self.cues) else "exist"
        first, second = (_asking(asked, self._beside_one(self.opposed, *each)) for each in (pair, pair[::-1]))
        found = asked == "exist" or execute(first[0], self.graph, self.history).nodes
        return first if found else second

    def _beside_one(self, edge: str, name: str, other: str) -> Program:
        """Return a part if it lies so to another one, or is as high."""
        lying, above, below = (self._related(one, other) for one in (edge, Edge.ABOVE, Edge.BELOW))
        level = Program("except", (Program("except", (Program("these", (name,)), above)), below))
        return _of_node(self.graph.by_name[name], lying) if edge in set(Edge) else level

    def _related(self, edge: str, other: str) -> Program:
        return Program("relate", (edge, POSES[self._pose() == Attribute.END], Program("node", (other,))))

    def _named_first(self) -> tuple[Program, ...]:
        asks = {"early", "which"} <= self.cues and not self.clauses
        return _asking("name", self.meant.nodes[0]) if asks and self.meant else ()

    def _compared(self) -> tuple[Program, ...]:
        names = [name for names in self.named for name in names] or (self.meant.names if self.meant else ())
        asks = "same" in self.cues or {"more", "than"} <= self.cues
        several = len(self.named) != 1 or self.cues & {"which", "same"} or any(tag.bare for tag in self.tags)
        pair = names if len(names) != 1 or "same" in self.cues else _both(names[0])
        whole = asks and several and len(pair) == len(Side.BOTH.each)
        return _asking("compare", *_Meant.of(pair).nodes) if whole else ()

    def _largest(self) -> tuple[Program, ...]:
        if "most" not in self.cues and not {"more", "which"} <= self.cues:
            return ()
        among = self._among() if "which" in self.cues or not self.named else _PARTS
        pair = self.history and "most" not in self.cues and len(self.history[-1].nodes) == len(Side.BOTH.each)
        among = _LAST if pair and among == _PARTS else among
        among = Program("except", (among, _MENTIONED)) if "else" in self.cues else among
        first = execute(Program("name", (Program("most", (among,)),)), self.graph, self.history).nodes
        among = Program("except", (among, _Meant.of(first).whole)) if "second" in self.cues and first else among
        return _asking("name", Program("most", (among,)))

    def _sought(self) -> tuple[Program, ...]:
        """Return the programs of a question for the attribute of parts, such as "how far?"; empty for another one."""
        attribute = self._attribute()
        feet = _Meant.of(_both("left foot")) if "apart" in self.cues else None
        meant = self.meant or feet or (None if "which" in self.cues else self._it() or self._them())
        if attribute is None or meant is None:
            return ()
        if attribute is Attribute.END:
            attribute = Attribute(self._pose())
            pair = _pair(BY_NAME[meant.names[0]].part or Part.BODY) if "apart" in self.cues else None
            meant = _Meant.of((pair.name,)) if pair else meant
        said = self._said(meant) if attribute in {Attribute.DEGREE, Attribute.DIRECTION} else None
        if said is not None and self.meant is not None and not self._measured(*said[:2], meant.whole):
            whole = self._as_measured(*said, meant)[2]
            meant = _Meant.of(execute(Program("which", (whole,)), self.graph, self.history).nodes or meant.names)
        known = any(self.graph.values(name, attribute) for name in meant.names)
        hinges = any(name in self.graph.angles for name in meant.names)
        if ("high" in self.cues and not known) or (attribute is Attribute.ANGLE and not hinges):
            attribute = Attribute.DEGREE
        if attribute is Attribute.END and not known and BY_NAME[meant.names[0]].chain == Part.TRUNK.value:
            attribute = Attribute.DIRECTION
        return meant.seek(attribute)

    def _attribute(self) -> Attribute | None:
        """Return the attribute that is asked for; "up or down?" asks for the direction."""
        kinds = {"directions", "states", "towards", "relations"}
        ways = {tag.value for tag in self.tags if tag.kind in kinds or (tag.value in _CHOICES and tag.kind != "sides")}
        ways -= {*Side.BOTH.each} if "which" in self.cues else set()
        chooses = len(ways) > 1 and any(tag.text in self.words.alternatives for tag in self.tags)
        asked = (attribute for cue, attribute in _SEEKS.items() if cue in self.cues)
        placed = "bent" in self.cues or (self._pose() == Attribute.START and not ways & _MOVED)
        chosen = Attribute.END if placed else Attribute.DIRECTION
        return next(asked, chosen if chooses else None)

    def _subjects(self) -> int:
        """Return the number of parts that are named otherwise than as the place of others."""
        return sum(self.beyond is None or self.beyond[1] not in names for names in self.named)

    def _chosen(self) -> tuple[Program, ...]:
        if not self.cues & {"which", "else"} and (
            "any" not in self.cues or self._subjects() > ("besides" in self.cues)
        ):
            return ()
        return _asking("which" if self.cues & {"which", "enough", "rest"} else "exist", self._found())

    def _whether(self) -> tuple[Program, ...] | None:
        """Return the programs of a question to be answered by yes or no, or of one that repeats the last question."""
        meant = self.meant or self._it() or self._them()
        if meant is None:
            return None
        said = self._said(meant)
        if self.beyond and not (said and said[0] in _PLACES and self._measured(*self._as_measured(*said, meant))):
            return _asking("exist", self._beside(self.beyond, meant))
        if said is None and {"only", "moves"} <= self.cues and self.named:
            return _asking("which", _MOVING)
        if said is None and not self.cues & {"enough", "stays", "moves"}:
            guess = Guess(meant.seek(Attribute.DIRECTION)) if self.named else None
            return self._again(meant) if self._repeats() else guess
        attribute, value, whole = self._as_measured(*said, meant) if said else ("moves", "yes", meant.whole)
        measured = self._measured(attribute, value, whole)
        if not measured and value != Relation.STRAIGHT:
            return Guess(meant.seek(Attribute(attribute)))
        if not measured or (said is None and self.cues & {"enough", "stays"}):
            attribute, value = "moves", "no"
        several = "both" in self.cues and not str(whole).startswith("these(both")
        return _asking("which" if several else "exist", self._held(attribute, value, whole))

    def _held(self, attribute: str, value: str, whole: Program) -> Program:
        """Return those of a set that have a value, or that need no more of it: "bent enough?", "still bent?"."""
        enough = "enough" in self.cues and "excess" not in self.cues | {tag.kind for tag in self.tags}
        if "bent" in self.cues and "excess" not in self.cues and value == Direction.BEND:
            unbent = (self._pose(), "straight", whole)
            return (_filter if "not" in self.cues else _unlike)(*unbent)
        if enough and attribute != "moves":
            return _unlike("direction" if value in _TO_REACH else attribute, _TO_REACH.get(value, value), whole)
        return _filter(attribute, value, whole)

    def _again(self, meant: _Meant) -> tuple[Program, ...]:
        """Return the last question about something else; which way it goes if that question does not fit."""
        last = Program("exist", self.last.args) if self.last.op == "which" and "too" in self.cues else self.last
        if "only" in self.cues and self.named:
            return _asking("which", _MOVING)
        if "too" in self.cues and last.op == "seek":
            return _asking("exist", _filter("moves", "yes", meant.whole))
        if "both" in self.cues and last.op in _OF_SETS:
            return (Program("which", last.args),)
        posed = self.cues & {"now", "target"} and not self.named and "other" not in self.cues
        alike = last.op == "exist" or (last.op == "which" and (posed or len(meant.names) > 1))
        if alike and self._fits(last, meant):
            text = str(_about(last, meant.whole))
            if posed:
                text = re.sub(r"\b(start|end)(?=,)", self._pose(), text)
                text = re.sub(r"\b(current|target)(?=,)", POSES[self._pose() == Attribute.END], text)
            return (parsed(text),)
        attribute = Attribute(str(last.args[0])) if last.op == "seek" else Attribute.DIRECTION
        return meant.seek(Attribute(self._pose()) if posed and attribute in _PLACES else attribute)

    def _fits(self, program: Program, meant: _Meant) -> bool:
        """Return whether the values that a program filters by are measured of the parts meant."""
        filters = [step.args[:2] for step in program.walk() if step.op == "filter"]
        fits = all(self._measured(str(attribute), str(value), meant.whole) for attribute, value in filters)
        return fits and bool(filters) and _PARTS not in program.walk()

    def _is_lost(self) -> bool:
        """Return whether the question asks for parts by words that nothing explains."""
        told = self.named or self.beyond or self.cues & {"early", "most", "more", "else"} or self._attribute()
        return (
            bool(self.cues & {"count", "which"}) and not (told or self._said(self.meant)) and self._has_unknown_words()
        )

    def _repeats(self) -> bool:
        """Return whether the question only names something else to ask the last question about."""
        if any(tag.kind == "actions" and tag.value in _CHOICES for tag in self.tags):
            return False
        return not self._has_unknown_words() or ("also" in self.cues and len(self.line.split()) < _FEW_WORDS)

    def _has_unknown_words(self) -> bool:
        known = self.words.cases | self.words.ones
        words = [tag.text for tag in tagged(self.rest, self.words) if tag.kind == "word" and tag.text not in known]
        return any(not any(cue.fullmatch(word) for cue in self.patterns.cues.values()) for word in words)

    def _named(self, tags: Sequence[Tag], line: str) -> Iterator[tuple[str, ...]]:
        """Yield the names of each part that the tags name: of both sides where none or both are said."""
        sides: set[Side] = set()
        for tag, after in zip(tags, (*tags, None)[1:], strict=True):
            if after is not None and after.kind == "towards":
                continue
            if tag.kind == "sides" and tag.value in set(Side):
                sides.add(Side(tag.value))
            elif tag.kind in _NAMING:
                part = Part.HAND if tag.kind == "palms" else Part(tag.value)
                side = sides.pop() if len(sides) == 1 else Side.BOTH
                each = side.each if part.sided else (Side.NONE,)
                names = tuple(node.name for one in each if (node := node_of(one, part)) is not None)
                if names:
                    yield self._picked(names, line[: tag.start])
                sides = set()

    def _picked(self, names: tuple[str, ...], before: str) -> tuple[str, ...]:
        """Return the one of two parts that is "front", "back", "raised" or "standing" now."""
        picks = [edge for edge, pattern in self.patterns.picks.items() if pattern.search(before.strip())]
        part = self.graph.by_name[names[0]].part
        if len(names) != len(Side.BOTH.each) or not picks or part is None:
            return names
        if picks[0] in _SHAPES:
            hinges = [f"{side.value} {(part.hinge or part).value}" for side in Side.BOTH.each]
            straight = [self.graph.places.get((one, Attribute.START, Relation.STRAIGHT)) for one in hinges]
            shapes = zip(names, straight, strict=True)
            return tuple(name for name, one in shapes if one == (picks[0] == "straight"))[:1] or names
        ends = [f"{side.value} {(part.end or part).value}" for side in Side.BOTH.each]
        pairs = [*zip(names, ends, reversed(ends), strict=True)]
        poses = ((pose, *pair) for pose in POSES for pair in pairs)
        found = (name for pose, name, end, other in poses if self.graph.edge(end, Edge(picks[0]), other, pose))
        return tuple(found)[:1] or names

    def _meant(self) -> _Meant | None:
        """Return what the question names or points at; ``None`` if it does neither."""
        named = self.named[0] if self.named else ()
        among = _Meant.of(named).whole if named else _MENTIONED
        early = self._one(Program("first", (among,))) if "early" in self.cues else None
        pointed = early or self._other(named) or self._bridged(named) or self._owned(named)
        if pointed is not None:
            return pointed
        if named and not self._subjects():
            return self._them() if "them" in self.cues else self._it() or self._them()
        if named and "besides" not in self.cues:
            together = not self.beyond and "and" in self.cues
            return _Meant.of([name for names in self.named for name in names] if together else named)
        it = self._them() if "them" in self.cues else self._it() if "it" in self.cues else None
        leans = any(_ALONE.get(tag.value, ("", ""))[1] for tag in self.tags if tag.kind == "actions")
        return None if leans and it and self.graph.by_name[it.names[0]].side is not Side.NONE else it

    def _owned(self, named: Sequence[str]) -> _Meant | None:
        """Return the part that another one or a side tells: "the knee of the lifted leg", "my left or right knee"."""
        if len(self.named) == 1 and "either" in self.cues:
            self.cues |= {"which"}
            return _Meant.of(_both(named[0]))
        one = BY_NAME[next((names[0] for names in self.named if len(names) == 1), Part.BODY.value)]
        nodes = [BY_NAME[name] for names in self.named if len(names) > 1 for name in names]
        owned = [node.name for node in nodes if (node.side, node.chain) == (one.side, one.chain)]
        if self._one_side():
            owned = [name for name in named if len(named) > 1 and name.startswith(self._one_side())]
        return _Meant.of(owned) if owned and not (self.beyond or self.cues & {"and", "than"}) else None

    def _other(self, named: Sequence[str]) -> _Meant | None:
        """Return the part of another side than the one that was spoken of: "the other one", "the left one"."""
        bridged = self._bridged(named) if named and "other" in self.cues else None
        recent = self._recent(named) or (bridged.nodes[0] if bridged else None)
        if recent is None:
            return None
        if "other" in self.cues and len(named) != 1 and not self.opposed:
            return self._one(Program("other", (recent,)))
        both = _both(self._name(recent))
        side = next((tag.value for tag in self.tags if self._side_alone(tag)), None)
        if not named and side is not None:
            return next((_Meant.of((name,)) for name in both if name.startswith(side)), None)
        picked = self._picked(both, self.line.partition(" one")[0]) if not named and "one" in self.cues else both
        return _Meant.of(picked) if len(picked) < len(both) else None

    def _bridged(self, named: Sequence[str]) -> _Meant | None:
        """Return the part without a side that belongs to what was spoken of: "does the knee bend?", "that elbow"."""
        if len(named) != len(Side.BOTH.each) or "which" in self.cues:
            return None
        it, tag = self._it(), next(tag for tag in self.tags if tag.kind in _NAMING)
        own = self.patterns.cues["own"].search(self.line[: tag.start]) or self.words.plural.search(tag.text)
        limb = self.graph.by_name[it.names[0]] if it and not own else None
        if limb is not None and limb.side in Side.BOTH.each and limb.name not in named:
            names = [name for name in named if name.startswith(limb.side.value)]
            if "aside" in self.cues or self.graph.by_name[names[0]].chain == limb.chain:
                return _Meant.of(names)
        recent = self._recent(named) if "that" in self.cues else None
        return self._one(recent) if recent else None

    def _side_alone(self, tag: Tag) -> bool:
        short = len(self.line.split()) < _FEW_WORDS or self.line[tag.end :].startswith(" one")
        return tag.bare and (tag.kind == "word" or short)

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
        node = Program("focus") if last.focus is not None else Program("unique", (_LAST,))
        return self._one(node) if last.focus is not None or len(last.nodes) == 1 else None

    def _them(self) -> _Meant | None:
        """Return what "they" means: the last parts that were spoken of together, or one after the other."""
        it = self._it()
        both = _both(it.names[0]) if it else ()
        if len(both) > 1 and ("both" in self.cues or set(both) <= set(self.spoken_of)):
            return _Meant.of(both)
        nodes = next((each.nodes for each in reversed(self.history) if len(each.nodes) > 1), ())
        if not nodes or (it is not None and self.graph.by_name[it.names[0]].side is Side.BOTH):
            return it
        whole = _LAST if nodes == self.history[-1].nodes else _Meant.of(nodes).whole
        return _Meant(_Meant.of(nodes).nodes, nodes, whole)

    def _of_verb(self) -> _Meant | None:
        """Return the part of a verb that names none: "which way do I lean", "how deep do I squat"."""
        it = self._it() or self._them()
        pointing = {"it", "them", "other", "early"} if it and self._meant() else set()
        if self.named or self.cues & {"which", "count", "any", *pointing}:
            return None
        verbs = [tag.value for tag in self.tags if tag.kind == "actions" and not (it and tag.value == "turn")]
        parts = [(clause.side, clause.part) for clause in self.clauses]
        parts += [(Side.NONE, _ALONE[verb][0]) for verb in verbs if verb in _ALONE]
        moves = any(tag.value in _WAYS for tag in self.tags) and ("self" in self.cues or not it)
        parts += [(Side.NONE, Part.BODY)] * (moves or any(tag.value in STANCES for tag in self.tags))
        names = [node.name for side, part in parts[:1] for one in (side, *side.each) if (node := node_of(one, part))]
        return _Meant.of(names[:1] if names[0].startswith("both") else tuple(dict.fromkeys(names))) if names else None

    def _rest(self) -> str:
        """Return the question without the parts that are meant and without the words of a question."""
        rest = self.line
        gone = [tag for tag in self.tags if self._side_alone(tag)]
        if self.named:
            last = next(tag.end for tag in self.tags if tag.kind in _NAMING)
            picks = [tag for tag in self.tags if any(one.match(tag.text) for one in self.patterns.picks.values())]
            gone = [tag for tag in self.tags if (tag.kind in {*_NAMING, "sides"} or tag in picks) and tag.end <= last]
        for tag in reversed(gone):
            rest = rest[: tag.start] + rest[tag.end :]
        rest = self.patterns.pronoun.sub("", re.sub(" +", " ", rest))
        return re.sub(" +", " ", self.patterns.scaffold.sub("", rest)).strip()

    def _read_clauses(self) -> tuple[Clause, ...]:
        """Return the question as an instruction to the parts meant."""
        node = self.graph.by_name[self.meant.names[0]] if self.meant else None
        side = Side.BOTH if node and self.meant and len(self.meant.names) > 1 else node.side if node else Side.NONE
        said = self.words.parts[node.part.value].get(side.value, [""])[0] if node and node.part else ""
        read = (piece.goal for piece in read_clauses(f"{said} {self.rest}".strip(), self.words))
        return tuple(clause for clause in read if clause.direction not in SOMEWHERE)

    def _pose(self) -> str:
        return Attribute.START.value if "target" not in self.cues and "now" in self.cues else Attribute.END.value

    def _said(self, meant: _Meant | None) -> tuple[str, str, Program] | None:
        """Return the attribute and value that the question asks for, and the parts that it is asked of."""
        whole = meant.whole if meant else _PARTS
        options = [*self._of_clauses(meant), *((*each, whole) for each in self._of_tags())]
        known = [one for one in options if meant and self._measured(*self._as_measured(*one, meant))]
        said = next(iter([one for one in known if one[0] in _PLACES] or known or options), None)
        if said is None and any(clause.direction is Direction.KEEP for clause in self.clauses):
            return "moves", "no", whole
        if said is None and "apart" in self.cues and meant is not None:
            pair = _pair(self.graph.by_name[meant.names[0]].part or Part.BODY)
            return ("direction", self._turned(Direction.APART), Program("these", (pair.name,))) if pair else None
        degrees = [tag.value for tag in self.tags if tag.kind == "degrees" and tag.value in set(Degree)]
        measured = "moves" in self.cues or (bool(self.history) and len(self.line.split()) < _FEW_WORDS)
        return ("degree", degrees[0], whole) if said is None and degrees and measured else said

    def _of_clauses(self, meant: _Meant | None) -> Iterator[tuple[str, str, Program]]:
        """Yield what the clauses say, first those with a place if the question says one."""
        stated = any(tag.kind in {"relations", "states"} for tag in self.tags)
        for clause in sorted(self.clauses, key=lambda clause: not (stated and clause.relations)):
            of = self._as_in(clause, meant) if meant else _PARTS
            if clause.relations and (stated or clause.direction in NO_MOVEMENT):
                yield self._pose(), clause.relations[0].value, of
            elif clause.direction not in NO_MOVEMENT:
                yield "direction", self._turned(clause.direction), of

    def _of_tags(self) -> Iterator[tuple[str, str]]:
        """Yield the values of single words: "up?", "straight?"."""
        excess = any(tag.kind == "excess" and tag.value for tag in self.tags)
        for tag in self.tags:
            if tag.kind in {"relations", "states"} and tag.value in set(Relation):
                yield self._pose(), tag.value
            elif tag.kind == "actions" and _ALONE.get(tag.value, ("", ""))[1]:
                yield "direction", _ALONE[tag.value][1]
            elif tag.kind in {"directions", "actions"} and tag.value in _WAYS and not self._side_alone(tag):
                direction = Direction(tag.value)
                yield "direction", direction.reverse.value if excess else self._turned(direction)

    def _turned(self, direction: Direction) -> str:
        """Return the direction, or its reverse if there is too much of it and the reader of clauses has not seen so."""
        unseen = all(tag.kind != "excess" for tag in tagged(self.rest, self.words))
        return (direction.reverse if "excess" in self.cues and unseen else direction).value

    def _as_in(self, clause: Clause, meant: _Meant) -> Program:
        """Return the parts meant, as the measured parts of a clause about them: a leg that goes out is its foot."""
        if clause.direction in PAIRED or set(clause.relations) & STANCES:
            pair = _pair(clause.part)
            return Program("these", (pair.name,)) if pair else meant.whole
        return self._with_part(clause.part, meant) or meant.whole

    def _with_part(self, part: Part | None, meant: _Meant) -> Program | None:
        """Return another part on the sides of the parts meant; ``None`` without one, and if nothing changes."""
        sides = [self.graph.by_name[name].side if part and part.sided else Side.NONE for name in meant.names]
        nodes = [node_of(side, part) for side in sides if part]
        names = tuple(dict.fromkeys(node.name for node in nodes if node is not None))
        return _Meant.of(names).whole if names and names != meant.names else None

    def _as_measured(self, attribute: str, value: str, whole: Program, meant: _Meant) -> tuple[str, str, Program]:
        """Return a filter with the parts for which its value is measured: an arm that goes up for its elbow."""
        part = self.graph.by_name[meant.names[0]].part or Part.BODY
        others = (part.hinge, part.end, part.limb, *((Part.HIPS, Part.BODY) if not part.sided else ()))
        near = (self._with_part(other, meant) for other in others)
        found = (one for one in (whole, meant.whole, *filter(None, near)) if self._measured(attribute, value, one))
        return attribute, value, next(found, whole)

    def _measured(self, attribute: str, value: str, whole: Program) -> bool:
        """Return whether a direction or place is measured of some of these parts."""
        names = execute(Program("which", (whole,)), self.graph, self.history).nodes
        if attribute == Attribute.DIRECTION:
            return any((name, direction_of(self.graph.by_name[name], value)) in self.graph.directions for name in names)
        return attribute not in _PLACES or any((name, attribute, value) in self.graph.places for name in names)

    def _beyond(self) -> tuple[str, str] | None:
        """Return how something lies to a part that is named, and that part: "above my head"."""
        last = self.words.verb_comes == "last"
        for edge in (edge for edge, words in self.patterns.between.items() if words.search(self.line)):
            return edge, ""
        for edge, pattern in self.patterns.edges.items():
            found = pattern.search(self.line)
            side = self.line[: found.start()] if found and last else self.line[found.end() :] if found else ""
            named = list(self._named(tagged(side, self.words), side))
            near = " ".join(side.split()[-2:] if last else side.split()[:3])
            one = self.patterns.cues["other"].search(near) or any(tag.bare for tag in tagged(near, self.words))
            if one and not (named and len(named[-1 if last else 0]) == 1):
                return edge, ""
            if named:
                return edge, named[-1 if last else 0][0].replace(Part.BODY.value, Part.TRUNK.value)
        return None

    def _beside(self, beyond: tuple[str, str], meant: _Meant | None) -> Program:
        """Return those of the parts meant, or of all, that lie so to a part."""
        edge, other = beyond
        node = self.graph.by_name[meant.names[0]] if meant else Node("")
        side = node.side if meant and len(meant.names) == 1 else Side.NONE
        told = len(self.named) > 1 and len(self.named[-1]) == 1
        if side in Side.BOTH.each and not told:  # "is my left hand above my shoulder?"
            others = [name for name in _both(other) if name != node.name]
            other = next((name for name in others if name.startswith(side.value)), others[0])
        return _of_node(Node(node.name, side, node.part), self._related(edge, other))

    def _one_side(self) -> str:
        """Return the side of the body that the question is about, as a whole or after one about the other side."""
        halves = "filter(side, " in str(self.last) and not self._it()
        alone = {tag.value for tag in self.tags if halves and (tag.kind == "directions" or self._side_alone(tag))}
        return next((side for side in Side.BOTH.each if f"on{side.value}side" in self.line or side in alone), "")

    def _half(self, parts: Program = _PARTS) -> Program | None:
        """Return those parts that are on one side, above or below the waist, if the question says so of no part."""
        side, legs = self._one_side(), _filter("chain", Part.LEG.value, parts)
        if self.named or not (side or "half" in self.cues):
            return None
        above = Program("except", (parts, legs))
        return _filter("side", side, parts) if side else legs if "onbottom" in self.line else above

    def _of_half(self) -> tuple[Program, ...]:
        """Return the last question about a half of the body, or for another value: "on the left side?", "and down?"."""
        half, it, said = self._half(), self._it(), None if self.meant else self._said(None)
        goes_on = said is not None and _PARTS in self.last.walk() and self.last.op in _OF_SETS
        if not (half or goes_on) or self.cues & {"which", "any", "count", "else", "most"}:
            return ()
        names = [name for name in _both(it.names[0]) if name.startswith(self._one_side() or " ")] if it else []
        asked = self.last if self.last.op in _OF_SETS else Program("which", (_MOVING,))
        asked = asked if half or said is None else Program(asked.op, (_filter(*said),))
        return self._again(_Meant.of(names)) if names else (_about(asked, half or _PARTS),)

    def _among(self) -> Program:
        """Return the set that the question chooses from."""
        half = self._half(_LAST if "them" in self.cues else _PARTS)
        if half is not None:
            return half
        if self.meant is not None and (self.named or "them" in self.cues):
            node = self.graph.by_name[self.meant.names[0]]
            if "within" in self.cues and node.chain in {Part.ARM.value, Part.LEG.value}:
                limb = _filter("chain", node.chain, _PARTS)
                return _filter("side", node.side.value, limb) if len(self.meant.names) == 1 else limb
            whole = node.part is Part.BODY or "besides" in self.cues or (self.beyond and not self._subjects())
            return _PARTS if whole else self.meant.whole
        if "them" in self.cues or ("one" in self.cues and len(self.spoken_of) > 1):
            return _LAST if self.history and len(self.history[-1].nodes) > 1 else _MENTIONED
        return _PARTS

    def _of_last(self, meant: _Meant) -> Program | None:
        """Return the parts meant that have what the last question asked for."""
        asked = (step for step in self.last.walk() if step.op == "filter" and step.args[0] in {"direction", *_PLACES})
        found = next(((str(step.args[0]), str(step.args[1])) for step in asked), None)
        filtered = self._as_measured(*found, meant.whole, meant) if found else None
        return _filter(*filtered) if filtered and self._measured(*filtered) else None

    def _found(self) -> Program:
        """Return the set that the question asks for."""
        among = self._among()
        if self.history and not (self.named or self.rest or self.cues & {"moves", "stays", "else", "them"}):
            if "not" in self.cues:
                return _filter("moves", "no" if "moves, yes" in str(self.last) else "yes", _PARTS)
            return self.last.args[0] if self.last.op in _OF_SETS else _LAST  # type: ignore[return-value]
        still = "else" not in self.cues and self.cues & {"stays", "enough"}
        found = _filter("moves", "no" if still else "yes", among)
        meant = self.meant if self.meant and among == self.meant.whole else None
        said = self._said(meant)
        if said and meant:
            said = self._as_measured(*said, meant)
        if self.beyond and not (said and said[0] in _PLACES and self._measured(*said)):
            found = self._beside(self.beyond, None if among == _PARTS else self.meant)
        elif meant and not said and self.history and not self.cues & {"moves", "stays", "else"}:
            found = self._of_last(meant) or found
        elif "them" in self.cues and "within" not in self.cues and among.op == "filter":
            found = among
        elif said:
            attribute, value, whole = said
            base = among if whole == _PARTS else whole
            bent = "bent" in self.cues and value == Direction.BEND and self._pose() == Attribute.START
            unlike = "not" in self.cues and attribute in _PLACES
            attribute, value = ("start", "straight") if bent else (attribute, value)
            found = (_unlike if bent or unlike else _filter)(attribute, value, base)
        if "besides" in self.cues and self.named:
            told = (self._recent(names) if len(names) > 1 else None for names in self.named)
            each = [(self._name(one),) if one else names for one, names in zip(told, self.named, strict=True)]
            return Program("except", (found, _Meant.of([name for names in each for name in names]).whole))
        return Program("except", (found, _MENTIONED)) if "else" in self.cues and self.history else found


def _asking(op: str, *about: Program) -> tuple[Program, ...]:
    return (Program(op, about),)


def _of_node(node: Node, whole: Program) -> Program:
    """Return the members of a set that are a part, or the end of its limb, on its side."""
    if node.part is not None:
        part = node.part.end if node.part.of_limb and node.part.end else node.part
        whole = _filter("part", part.value, whole)
    return _filter("side", node.side.value, whole) if node.side in Side.BOTH.each else whole


def _pair(part: Part) -> Node | None:
    return node_of(Side.BOTH, part) or node_of(Side.BOTH, part.end or part)


def _filter(attribute: str, value: str, whole: Program) -> Program:
    return Program("filter", (attribute, value, whole))


def _unlike(attribute: str, value: str, whole: Program) -> Program:
    return Program("except", (whole, _filter(attribute, value, whole)))


def _both(name: str) -> tuple[str, ...]:
    """Return a part and the one of the other side, left first."""
    part = name.removeprefix("left ").removeprefix("right ")
    return tuple(one for one in (f"left {part}", f"right {part}", part) if one in BY_NAME)


def _about(program: Program, whole: Program) -> Program:
    """Return a program with another set in place of those that name parts."""
    if program.op in {"these", "each", "last", "parts"}:
        return whole
    changed = program.mapped(lambda inner: _about(inner, whole))
    return whole if changed.args[:1] in {("side",), ("chain",)} and changed.args[-1] == whole else changed
