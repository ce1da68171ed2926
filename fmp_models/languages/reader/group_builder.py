"""Group builder: collects the tags that belong to the current verb, for languages with the verb first or last."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field

from fmp_models.geometry.lexicon import Direction, Part, Relation, Side
from fmp_models.languages.grammar import Grammar
from fmp_models.languages.tags.reversing import REVERSED, reverse_tag
from fmp_models.languages.tags.sides import side_of
from fmp_models.languages.tags.tagging import AND, Tag

Object = tuple[Side, Part]
MOVE_A_HAND = frozenset({"up", "down", "move", "put", "together"})  # verbs that treat a palm as a hand
# Verbs that can apply to the part named before them: "raise your arm and bend it".
SHARED = frozenset({"up", "down", "bend", "straighten", "move", "put", "apart", "together", "turn", "lean", "uncross"})
FAR = "far"  # the degree of a large movement
_LEADS_ON = frozenset({"actions", "whole", "with", "stops"})
_NAMED = "named"  # the side in a phrase that takes the side named before
PREVENTED = "prevented"  # verbs for what must not happen: "मत गिरने दो"


@dataclass
class Group:
    """The tags that belong to one verb; ``also`` holds earlier verbs that share its objects."""

    action: str = ""
    objects: list[Object] = field(default_factory=list)
    ways: list[str] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    also: tuple[str, ...] = ()
    verb: str = ""  # as written in the text
    degree: str = "plain"
    start: int = -1
    end: int = -1
    towards: bool = False  # towards something that is not a body part
    palms: bool = False  # about palms, which count as hands only with a verb that moves them
    hidden: bool = False  # about a part that joints cannot show
    negated: bool = False  # "do not bend"
    forbidden: bool = False  # the movement is forbidden, so its parts are kept: "do not bend your knees"
    limited: bool = False  # a limit for the forbidden movement is given: "not too far", "not below your hip"
    instead: bool = False  # denied; a later verb can say what its parts do instead: "मत उठाओ, नीचे करो"
    replaces: bool = False  # its verb can be that later verb: asks for a movement of no other thing ("गेंद उठाओ")
    joined: bool = False  # joined to the previous words by "and"
    closed: bool = False  # its parts come before its verb: "with your knees bent"
    stated: bool = False  # states a fact, not a request: "your arm is bent"
    opens: bool = False  # starts its sentence without an introduction
    at_the_end: bool = False  # ends its piece; no later verb can belong to it
    carried: bool = False  # reuses the previous group's verb: "raise your left arm high and your right arm"

    @property
    def asks(self) -> bool:
        """Whether the verb asks for something."""
        return bool(self.action) and not self.stated

    @property
    def specified(self) -> bool:
        """Whether the group has a direction, relation or state."""
        return bool(self.ways or self.relations or self.states)


class GroupBuilder(ABC):
    """Base class of the group builders; keeps the current group and the parts named last."""

    def __init__(self, tags: list[Tag], words: Grammar) -> None:
        self.tags = tags
        self.words = words
        self.group = Group()
        self.named: list[Object] = []  # the parts that "it" refers to
        self.joined = False

    def all(self) -> Iterator[Group | None]:
        """Yield every group in order, and None at the end of each sentence."""
        for i, tag in enumerate(self.tags):
            self.joined = i > 0 and self.tags[i - 1].text in AND
            if tag.kind in {"break", "stops", "hidden"}:
                yield from self.ended(i)
            elif tag.kind == "whole":
                if i == 0 or self.tags[i - 1].kind != "negations":
                    yield from self.whole(tag)
            elif tag.kind == "excess":
                self.exceeded(i)
            elif tag.kind == "actions":
                yield from self.acted(i)
            elif tag.kind in {"parts", "palms"} or (tag.kind == "pronouns" and self.named):
                yield from self.met(i)
            elif tag.kind == "with":
                if self.group.objects:
                    yield self.fresh()
            else:
                self.collect(i)
        self.group.at_the_end = True
        yield self.group

    @abstractmethod
    def acted(self, i: int) -> Iterator[Group]:
        """Process the verb at ``i`` and yield the groups that it completes."""

    @abstractmethod
    def met(self, i: int) -> Iterator[Group]:
        """Process the part or pronoun at ``i`` and yield the groups that it completes."""

    def at(self, i: int) -> Tag | None:
        """Return the tag at ``i``, or None outside the text."""
        return self.tags[i] if 0 <= i < len(self.tags) else None

    def opens(self, i: int) -> bool:
        """Return whether the verb at ``i`` is the first of its sentence, without an introduction such as "so that"."""
        before = itertools.takewhile(lambda tag: tag.kind != "break", reversed(self.tags[:i]))
        return all(tag.kind not in _LEADS_ON and tag.text not in AND for tag in before)

    def ended(self, i: int) -> Iterator[Group | None]:
        """Process the end of a clause or sentence, or a part that joints cannot show.

        A comma between listed parts does not end a clause.
        """
        if self._in_a_list(i):
            return
        self.group.at_the_end = True
        yield self.fresh()
        if self.tags[i].kind == "hidden":
            self.named = []
            self.group.hidden = True
        if self.tags[i].kind == "break" and self.tags[i].text != ",":
            yield None

    def _in_a_list(self, i: int) -> bool:
        """Return whether a comma stands between parts of one verb: "turn your knees, body and head to the left"."""
        tag, before = self.tags[i], self.at(i - 1)
        comma = tag.text == "," or (tag.kind == "break" and tag.end - tag.start > 1)  # or spaces instead of it
        if not comma or before is None or before.kind != "parts" or not self.group.objects or self.group.specified:
            return False
        names = {"sides", "fillers", "possessives", "parts"}
        parts, joined, j = 0, False, i + 1
        while j < len(self.tags) and (self.tags[j].kind in names or self.tags[j].text in AND | {","}):
            parts += self.tags[j].kind == "parts"
            joined |= self.tags[j].text in AND and parts > 0
            j += 1
        then = self.at(j)
        return joined and parts > 1 and then is not None and self._has_its_verb(then)

    @abstractmethod
    def _has_its_verb(self, then: Tag) -> bool:
        """Return whether the listed parts before the tag ``then`` can belong to one verb."""

    def exceeded(self, i: int) -> None:
        """Reverse the meaning of an excess, stated or denied: "too low", "not so far forward"."""
        group, tag = self.group, self.tags[i]
        j = i + 1
        while (next_tag := self.at(j)) is not None and next_tag.kind == "degrees":
            j += 1
        if tag.value == "limit" and group.action not in {"", "be"}:  # "raise your arm, not too high"
            if next_tag is not None and next_tag.kind in {"directions", "relations", "states"}:
                next_tag.kind = "word"
        elif (
            next_tag is None or next_tag.kind in {"break", "stops"} or next_tag.text in AND
        ):  # "you are leaning forward too much"
            group.action = REVERSED.get(group.action, group.action)
            group.ways = [Direction(way).reverse.value for way in group.ways]
            group.relations.clear()
        else:
            if next_tag.kind == "directions":
                group.action = REVERSED.get(group.action, group.action)
            reverse_tag(next_tag, leans=not group.ways)

    def fresh(self, action: str = "", verb: str = "") -> Group:
        """Start a new group and return the previous one."""
        group, self.group = self.group, Group(action, verb=verb, joined=self.joined)
        return group

    def add(self, i: int) -> None:
        """Add the part at ``i`` with its side, or the parts that a pronoun stands for."""
        tag = self.tags[i]
        if tag.kind == "pronouns":
            self.group.objects = list(self.named)
            extend(self.group, tag)
            return
        side, begin = side_of(self.tags, i, self.words)
        part = Part(tag.value or Part.HAND)
        self.group.palms |= tag.kind == "palms"
        if not part.sided:
            side = Side.NONE
        elif side is Side.NONE and self.group.objects:
            side = self.group.objects[-1][0]  # "your right hand and arm"
        elif side is Side.NONE:
            # "Bend the elbow" takes the side named before; "the back knee" does not.
            if all(tag_between.kind != "fillers" for tag_between in self.tags[begin:i]):
                side = self._side_of_its_limb(part, side)
        elif side is Side.BOTH and self.words.several_of_one.search(tag.text):
            side = self._side_of_its_limb(part, side)  # "turn your right foot so that your toes ..."
        if part.sided and side is Side.NONE and self._are_both_meant(i, begin):
            side = Side.BOTH
        self.group.objects.append((side, part))
        self.named = self.group.objects
        extend(self.group, tag, self.tags[begin].start)

    def _are_both_meant(self, i: int, begin: int) -> bool:
        """Return whether the part at ``i`` means both sides although it is spelt as a singular: "हाथ ऊपर करो"."""
        if any(tag.kind != "possessives" for tag in self.tags[begin:i]):
            return False  # "दूसरा हाथ", "बायां या दायां हाथ"
        before = f"{self.tags[i - 1].text} " if i else ""
        rest = itertools.takewhile(
            lambda tag: tag.kind not in {"break", "stops"} and tag.text not in AND, self.tags[i:]
        )
        line = before + " ".join(tag.text for tag in rest)
        return self.words.bare_plural.match(line, len(before)) is not None

    def _named_side(self, part: Part) -> Side:
        """Return the side named just before: "raise your left arm and reach for the sky"; otherwise both sides."""
        return self._side_of_its_limb(part, Side.BOTH) if self.joined else Side.BOTH

    def _side_of_its_limb(self, part: Part, otherwise: Side) -> Side:
        return next((side for side, named_part in self.named if _same_limb(part, named_part)), otherwise)

    @abstractmethod
    def _is_denied(self, i: int) -> bool:
        """Return whether the direction or end state at ``i`` is negated: "up, not down"."""

    def collect(self, i: int) -> None:
        """Add a direction, an end state or a degree to the group; ignore other words."""
        group, tag = self.group, self.tags[i]
        if group.carried and (tag.kind == "states" or (group.closed and tag.kind in {"directions", "relations"})):
            group.action = ""  # "your knees bent and your back straight"
        if self.words.of_things.search(tag.text) and _after_a_thing(self.tags, i):
            return
        if tag.kind == "directions":
            if self._is_denied(i):
                return
            group.ways.append(tag.value)
        elif tag.kind == "relations" and not self._is_denied(i):
            group.relations.append(Relation(tag.value))
        elif tag.kind == "states":
            group.states.append(tag.value)
        elif tag.kind == "degrees":
            group.degree = tag.value
        elif tag.kind == "towards":
            group.towards = True
            return
        elif tag.kind != "closers" or not group.objects:
            return
        extend(group, tag)

    def whole(self, tag: Tag) -> Iterator[Group]:
        """Yield the groups of a phrase that stands for whole clauses: "sit down", "bend over".

        A degree before the phrase applies to it if the group holds nothing else.
        """
        degree = Group.degree if self.group.objects or self.group.specified or self.group.action else self.group.degree
        for clause in tag.value.split("; "):
            yield self.fresh("whole")
            self.group.degree = degree
            side, part_name, way, *relations = clause.split(", ")
            part = Part(part_name)
            self.group.objects.append((self._named_side(part) if side == _NAMED else Side(side), part))
            self.group.ways.append(way)
            self.group.relations += [Relation(relation) for relation in relations]
            extend(self.group, tag)


def _same_limb(part: Part, other_part: Part) -> bool:
    return part.of_limb and part.limb is other_part.limb


def _after_a_thing(tags: list[Tag], i: int) -> bool:
    """Return whether an unknown noun stands right before the tag at ``i``: "facing the brick wall [behind you]"."""
    j = i - 1
    while j >= 0 and tags[j].kind == "word" and tags[j].text not in AND:
        j -= 1
    return j < i - 1 and j >= 0 and tags[j].kind == "possessives"


def extend(group: Group, tag: Tag, start: int | None = None) -> None:
    """Extend the text span of the group to include the tag, or the text from ``start`` to the tag's end."""
    begin = tag.start if start is None else start
    group.start = begin if group.start < 0 else min(group.start, begin)
    group.end = max(group.end, tag.end)
