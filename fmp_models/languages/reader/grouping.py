"""Grouping, tags -> groups: what belongs to one verb, which comes first in English and last in Hindi.

A group ends where the next verb, part or sentence begins. Landmarks ("towards the sofa", "under your chin") are passed
over but for this: what goes towards one moves. Parts that joints cannot show (fingers, gaze) end a group without a
clause.
"It" and "they" are the parts that were named last.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from fmp_models.geometry.changes import LIMB_OF
from fmp_models.geometry.clauses import Part, Relation, Side
from fmp_models.languages.grammar import Grammar
from fmp_models.languages.reader.tagging import AND, Tag

Object = tuple[Side, Part]
# What moves where a verb names nothing: "lean forward", "turn to the left", "look up".
_ALONE = {
    "lean": Part.TRUNK,
    "bend": Part.TRUNK,
    "turn": Part.BODY,
    "look": Part.HEAD,
    "step": Part.BODY,
    "face": Part.BODY,
}
# Verbs that another one may follow about the same part: "let your arm hang", "make your left leg straight".
_HELPERS = frozenset({"", "be", "let"})
_MOVE_A_HAND = frozenset({"up", "down", "move", "put", "together"})
_FACING = frozenset({"be", "face", "aim", "point"})
_SHARED = frozenset({"up", "down", "bend", "straighten", "move", "put", "apart", "together", "turn", "lean"})


@dataclass
class Group:
    """What belongs to one verb so far; ``also`` are verbs before it that share its object."""

    action: str = ""
    objects: list[Object] = field(default_factory=list)
    ways: list[str] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    also: tuple[str, ...] = ()
    verb: str = ""  # as it was said
    degree: str = "plain"
    start: int = -1
    end: int = -1
    towards: bool = False  # something that the body does not name
    palms: bool = False  # about palms, which are hands only where they are moved
    hidden: bool = False  # about a part that joints cannot show
    negated: bool = False  # "do not bend"
    joined: bool = False  # to what was said before, by "and"

    @property
    def told(self) -> bool:
        """Whether anything is said of the objects."""
        return bool(self.ways or self.relations or self.states)


_WITH = "से"  # "दोनों हाथों से गेंद उठाएं"


def groups(tags: list[Tag], words: Grammar) -> Iterator[Group]:
    """The groups of a text in its order, each with the parts that it is about; those about none are left out."""
    grouping = (_VerbLast if words.verb_comes == "last" else _VerbFirst)(tags, words)
    last: list[Object] = []  # of this sentence, for a verb that names none
    for item in grouping.all():
        if item is None:
            last = []
            continue
        if item.negated or (item.palms and item.action not in _MOVE_A_HAND):
            continue
        if not item.objects:
            item.objects = [] if item.hidden else _meant(item, last, words)
        else:
            last = item.objects
        if item.objects:
            yield item


def _meant(group: Group, last: list[Object], words: Grammar) -> list[Object]:
    """The parts that a group without any is about."""
    alone = _ALONE.get(group.action)
    told = group.ways or group.towards or group.action in words.alone_without_a_way
    if alone and told and words.alone.search(group.verb):
        if words.bend_sideways_is_turn and group.action == "bend" and {"left", "right"} & {*group.ways}:
            alone = Part.BODY
        return [(Side.NONE, alone)]
    if words.shares_its_object.search(group.verb) and group.action in _SHARED and (group.joined or group.told):
        return list(last)
    return []


class _Grouping(ABC):
    """The group that is being gathered, and the parts named last."""

    def __init__(self, tags: list[Tag], words: Grammar) -> None:
        self.tags = tags
        self.words = words
        self.group = Group()
        self.named: list[Object] = []  # what "it" means
        self.joined = False

    def all(self) -> Iterator[Group | None]:
        """Every group in its order, and None where a sentence ends."""
        for i, tag in enumerate(self.tags):
            self.joined = i > 0 and self.tags[i - 1].text in AND
            if tag.kind in {"break", "stops", "hidden"}:
                yield from self.ended(tag)
            elif tag.kind == "whole":
                if i == 0 or self.tags[i - 1].kind != "negations":
                    yield from self.whole(tag)
            elif tag.kind == "actions":
                yield from self.acted(i)
            elif tag.kind in {"parts", "palms"} or (tag.kind == "pronouns" and self.named):
                yield from self.met(i)
            elif tag.kind == "with":
                if self.group.objects:
                    yield self.fresh()
            else:
                self.collect(i)
        yield self.group

    @abstractmethod
    def acted(self, i: int) -> Iterator[Group]:
        """A verb."""

    @abstractmethod
    def met(self, i: int) -> Iterator[Group]:
        """A part, or a word that stands for one."""

    def ended(self, tag: Tag) -> Iterator[Group | None]:
        """The end of a clause or sentence, or a part that joints cannot show."""
        yield self.fresh()
        if tag.kind == "hidden":
            self.named = []
            self.group.hidden = True
        if tag.kind == "break":
            yield None

    def fresh(self, action: str = "", verb: str = "") -> Group:
        """The group so far; a new one begins."""
        done, self.group = self.group, Group(action, verb=verb, joined=self.joined)
        return done

    def add(self, i: int) -> None:
        """The part at ``i``, with its side, or the parts that a pronoun stands for."""
        tag = self.tags[i]
        if tag.kind == "pronouns":
            self.group.objects = list(self.named)
            _extend(self.group, tag)
            return
        side, begin = _side_of(self.tags, i, plural=bool(self.words.plural.search(tag.text)))
        part = Part(tag.value or Part.HAND)
        self.group.palms |= tag.kind == "palms"
        if not part.sided:
            side = Side.NONE
        elif side is Side.NONE and self.group.objects:
            side = self.group.objects[-1][0]  # "your right hand and arm"
        elif side is Side.NONE:
            side = next((whose for whose, other in self.named if _same_limb(part, other)), side)  # "bend the elbow"
        self.group.objects.append((side, part))
        self.named = self.group.objects
        _extend(self.group, tag, self.tags[begin].start)

    @abstractmethod
    def _is_denied(self, i: int) -> bool:
        """Whether the direction at ``i`` is named as the wrong one: "up, not down"."""

    def collect(self, i: int) -> None:
        """A direction, an end state or a degree; other words are passed over."""
        group, tag = self.group, self.tags[i]
        if self.words.of_things.search(tag.text) and _after_a_thing(self.tags, i):
            return
        if tag.kind == "directions":
            if self._is_denied(i):
                return
            group.ways.append(tag.value)
        elif tag.kind == "relations":
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
        _extend(group, tag)

    def whole(self, tag: Tag) -> Iterator[Group]:
        """A phrase that says whole clauses: "sit down", "bend over"."""
        for clause in tag.value.split("; "):
            yield self.fresh("whole")
            side, part, way, *relations = clause.split(", ")
            self.group.objects.append((Side(side), Part(part)))
            self.group.ways.append(way)
            self.group.relations += [Relation(one) for one in relations]
            _extend(self.group, tag)


class _VerbFirst(_Grouping):
    denied = False  # whether the verb before was: "don't bend or lean"

    def acted(self, i: int) -> Iterator[Group]:
        tag, before, group = self.tags[i], self.tags[i - 1] if i else None, self.group
        passive = group.action == tag.value and before is not None and before.kind == "actions"  # "be" before "raised"
        helped = group.action in _HELPERS and not group.told
        # "Relax your shoulders and raise your arm": what has no verb before "and" gets none after it.
        helped &= bool(group.action) or not self.joined or tag.value not in _SHARED
        hidden = False
        if self.joined and group.action in _SHARED and self.tags[i - 2].kind == "actions" and not group.objects:
            group.also = (*group.also, group.action)  # "lift and bend your left leg"
        elif not (helped or passive) and (
            group.action or group.told or not group.objects or (self.joined and tag.value in _SHARED)
        ):
            yield self.fresh()
        elif helped and not group.action and not group.objects:
            hidden = group.hidden and tag.value in _FACING  # "your palm should be facing the wall"
            yield self.fresh()
        self.group.action, self.group.verb, self.group.hidden = tag.value, tag.text, hidden
        goes_on = self.denied and before is not None and before.text in self.words.alternatives
        # Of "don't let your arm hang", both verbs are.
        self.group.negated |= goes_on or (before is not None and before.kind == "negations")
        self.denied = self.group.negated or self.words.negations.search(tag.text) is not None  # "do not bend", to keep
        _extend(self.group, tag)

    def met(self, i: int) -> Iterator[Group]:
        _, begin = _side_of(self.tags, i, plural=False)
        before = self.tags[begin - 1] if begin else None
        if before is not None and (_names_a_place(before) or before.value == "aim"):
            return  # "in front of your chest", "facing your left foot"
        group = self.group
        if before is not None and before.kind == "negations":
            if group.objects:
                yield self.fresh()  # "and not your right arm"
            self.group.negated = True
        elif (
            before is not None and before.kind == "word" and group.objects and self.tags[max(begin - 2, 0)].text in AND
        ):
            yield self.fresh()  # "and relax your right arm", whatever that means
        elif group.told and (group.objects or (before is not None and before.text in AND)):
            goes_on = self.tags[i].kind != "palms" and group.action != "whole"
            yield self.fresh(*((group.action, group.verb) if goes_on else ()))
        self.add(i)

    def _is_denied(self, i: int) -> bool:
        return i > 0 and self.tags[i - 1].kind == "negations"


class _VerbLast(_Grouping):
    def __init__(self, tags: list[Tag], words: Grammar) -> None:
        super().__init__(tags, words)
        self.holding: list[Object] = []  # hands that something is moved with
        self.without = False  # what a participle says that follows: "बिना घुटने मोड़े"
        self.waiting: list[Object] = []  # parts named before that, for the verb after it: "हाथ बिना कोहनी मोड़े उठाएं"

    def acted(self, i: int) -> Iterator[Group]:
        tag, group = self.tags[i], self.group
        group.action, group.verb = tag.value, tag.text
        if self.holding and not group.objects and not group.hidden and tag.value in _MOVE_A_HAND:
            group.objects = self.holding
        self.holding = []
        before, after = self._at(i - 1), self._at(i + 1)
        participle = self.words.participle.search(tag.text) is not None
        aside = participle and (self.without or self._means_without(after))
        aside |= self.without and self._another_verb_follows(i)
        denied = self._is_negation(before) or (self._is_negation(after) and self._looks_back(i + 1))
        group.negated |= (denied and tag.value not in {"keep", "unseen"}) or aside
        if not aside:
            group.objects = [*self.waiting, *group.objects]
            self.waiting = []
        elif not self.without:
            self.waiting = group.objects[:-1]  # "हाथ कोहनी मोड़े बिना उठाएं"
        self.without = False
        _extend(group, tag)
        yield self.fresh()

    def _another_verb_follows(self, i: int) -> bool:
        """Whether what is spelt as an end of its own is none: "बिना घुटने मोड़ें आगे झुकें". Right behind it one helps."""
        until = itertools.takewhile(lambda tag: tag.kind not in {"break", "stops"}, self.tags[i + 2 :])
        then = next((tag for tag in until if tag.kind == "actions" or tag.text in AND), None)
        return then is not None and then.kind == "actions"

    def _at(self, i: int) -> Tag | None:
        return self.tags[i] if 0 <= i < len(self.tags) else None

    def _means_without(self, tag: Tag | None) -> bool:
        return tag is not None and tag.text == self.words.without

    def _is_negation(self, tag: Tag | None) -> TypeGuard[Tag]:
        return tag is not None and tag.kind == "negations" and not self._means_without(tag)

    def _looks_back(self, i: int) -> bool:
        """Whether the negation at ``i`` is about the verb before it: "स्पर्श न करें", but not "हाथ उठाओ ना"."""
        after = self._at(i + 1)
        return self.tags[i].text not in self.words.negates_ahead or (after is not None and after.kind == "actions")

    def _is_denied(self, i: int) -> bool:
        then = self._at(i + 2)
        return self._is_negation(self._at(i + 1)) and then is not None and then.kind in {"break", "directions"}

    def ended(self, tag: Tag) -> Iterator[Group | None]:
        """The end; but what is denied before a comma, "ऊपर नहीं, नीचे लाएं", is told right after it."""
        before = self._at(self.tags.index(tag) - 1)
        if not (tag.text == "," and self._is_negation(before) and self.group.objects and not self.group.action):
            self.waiting, self.without = [], False
            yield from super().ended(tag)

    def met(self, i: int) -> Iterator[Group]:
        if i + 1 < len(self.tags) and _names_a_place(self.tags[i + 1]):
            if self.tags[i].value == Part.HAND and self.tags[i + 1].text == _WITH and not self._goes_on(i + 2):
                if self.group.action == "whole":
                    yield self.fresh()
                side, _ = _side_of(self.tags, i, plural=bool(self.words.plural.search(self.tags[i].text)))
                self.holding = [(side, Part.HAND)]
            return
        _, begin = _side_of(self.tags, i, plural=False)
        if self.group.told and (self.group.objects or (begin and self.tags[begin - 1].text in AND)):
            yield self.fresh()
        self.add(i)

    def collect(self, i: int) -> None:
        tag, before, after = self.tags[i], self._at(i - 1), self._at(i + 1)
        if self._means_without(tag):
            if before is None or not self.words.participle.search(before.text):
                self._begin_without(i)
        elif self.without and tag.kind == "word" and self.words.participle.search(tag.text):
            self.without = False  # "बिना रुके"
        elif self._is_negation(tag) and not (self.group.told or self.group.objects):
            # "न घुटने मोड़ें"; of "हाथ उठाओ ना और ...", nothing that follows is.
            ends_a_verb = before is not None and before.kind == "actions"
            self.group.negated |= not ends_a_verb and after is not None and after.text not in AND
        super().collect(i)

    def _begin_without(self, i: int) -> None:
        after, then = self._at(i + 1), self._at(i + 2)
        if after is not None and after.kind == "word" and then is not None and then.text.startswith("के"):
            return  # "बिना चिंता के"
        self.without = True
        if self.group.objects and not self.group.told:
            self.waiting, self.group = self.group.objects, Group()

    def _goes_on(self, i: int) -> bool:
        """Whether a place goes on at ``i``: "हाथ से दूर"."""
        return i < len(self.tags) and self.tags[i].kind in {"directions", "relations"}


def _side_of(tags: list[Tag], i: int, *, plural: bool) -> tuple[Side, int]:
    """The side named before the part at ``i`` and where its phrase begins."""
    sides = set()
    j = i - 1
    while j >= 0 and (
        tags[j].kind in {"sides", "fillers", "possessives"}
        or (tags[j].text in AND and j and tags[j - 1].kind == "sides")
    ):
        if tags[j].kind == "sides":
            sides.add(tags[j].value)
        j -= 1
    if "both" in sides or {"left", "right"} <= sides:
        return Side.BOTH, j + 1
    if sides:
        return Side(sides.pop()), j + 1
    return (Side.BOTH if plural else Side.NONE), j + 1


def _names_a_place(tag: Tag) -> bool:
    """Whether the part beside it is where something else goes or is."""
    return tag.kind in {"landmark_before", "landmark_after"} or (tag.kind == "towards" and not tag.value)


def _same_limb(one: Part, other: Part) -> bool:
    return one in LIMB_OF and LIMB_OF[one] is LIMB_OF.get(other)


def _after_a_thing(tags: list[Tag], i: int) -> bool:
    """Whether a noun that no pattern knows stands right before: "facing the brick wall [behind you]"."""
    j = i - 1
    while j >= 0 and tags[j].kind == "word" and tags[j].text not in AND:
        j -= 1
    return j < i - 1 and j >= 0 and tags[j].kind == "possessives"


def _extend(group: Group, tag: Tag, start: int | None = None) -> None:
    begin = tag.start if start is None else start
    group.start = begin if group.start < 0 else min(group.start, begin)
    group.end = max(group.end, tag.end)
