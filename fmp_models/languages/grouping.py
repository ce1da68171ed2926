"""Grouping, tags -> groups: collects what belongs to each verb, which comes first or last in the language.

A group ends where the next verb, part or sentence begins. Landmarks ("towards the sofa", "under your chin")
are skipped, except that a part which goes towards one moves. Parts that joints cannot show (fingers, gaze) end
a group without a clause. "It" and "they" refer to the parts named last.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from fmp_models.geometry import Direction, Part, Relation, Side
from fmp_models.languages.language_data import Grammar
from fmp_models.languages.reversal import REVERSED, reverse_tag, with_errors_reversed, with_negated_errors_reversed
from fmp_models.languages.sides import names_a_place, side_of, with_sides_before_parts
from fmp_models.languages.tagging import Tag, with_verbs_last

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
            self.joined = i > 0 and self.tags[i - 1].text in self.words.ands
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
        return all(tag.kind not in _LEADS_ON and tag.text not in self.words.ands for tag in before)

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
        while j < len(self.tags) and (self.tags[j].kind in names or self.tags[j].text in self.words.ands | {","}):
            parts += self.tags[j].kind == "parts"
            joined |= self.tags[j].text in self.words.ands and parts > 0
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
            next_tag is None or next_tag.kind in {"break", "stops"} or next_tag.text in self.words.ands
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
            lambda tag: tag.kind not in {"break", "stops"} and tag.text not in self.words.ands, self.tags[i:]
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
        if self.words.of_things.search(tag.text) and _after_a_thing(self.tags, i, self.words):
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


def _after_a_thing(tags: list[Tag], i: int, words: Grammar) -> bool:
    """Return whether an unknown noun stands right before the tag at ``i``: "facing the brick wall [behind you]"."""
    j = i - 1
    while j >= 0 and tags[j].kind == "word" and tags[j].text not in words.ands:
        j -= 1
    return j < i - 1 and j >= 0 and tags[j].kind == "possessives"


def extend(group: Group, tag: Tag, start: int | None = None) -> None:
    """Extend the text span of the group to include the tag, or the text from ``start`` to the tag's end."""
    begin = tag.start if start is None else start
    group.start = begin if group.start < 0 else min(group.start, begin)
    group.end = max(group.end, tag.end)


# Verbs that another verb can follow about the same part: "let your arm hang", "make your left leg straight".
_HELPERS = frozenset({"", "be", "let"})
_FACING = frozenset({"be", "face", "aim", "point"})


class VerbFirst(GroupBuilder):
    """Group builder for languages with the verb before its parts."""

    denied = False  # whether the previous verb was negated: "don't bend or lean"

    def acted(self, i: int) -> Iterator[Group]:
        """Process the verb at ``i``: complete the previous group unless the verbs form a unit or share their parts."""
        tag, before, group = self.tags[i], self.at(i - 1), self.group
        if self._is_let(group) and (before is None or before.text not in self.words.alternatives):
            extend(group, tag)
            return
        passive = group.action == tag.value and before is not None and before.kind == "actions"  # "be" before "raised"
        helped = group.action in _HELPERS and not group.specified
        # "Relax your shoulders and raise your arm": parts without a verb before "and" do not take the verb after it.
        # The same holds for stated facts: "keep your left arm where it is and raise your right one".
        # "Keep your arms where they are and step forward"; but "they are straight and point forward".
        asks = tag.value in SHARED or (group.stated and tag.value not in _FACING)
        helped &= group.action not in {"", "be"} or not self.joined or not asks
        # "Put your left hand back and your right hand needs to come up": the second part does not take the first verb.
        participle = self.words.shares_its_object.search(tag.text) is not None
        has_subject = participle or tag.value == "be" or (before is not None and before.text in self.words.modals)
        helped |= has_subject and group.carried and bool(group.objects) and not group.specified
        # "Keep your knees bent": the participle is their end state.
        helped |= participle and group.action == "keep" and bool(group.objects) and not group.specified
        hidden = False
        if self.joined and group.action in SHARED and self.tags[i - 2].kind == "actions" and not group.objects:
            group.also = (*group.also, group.action)  # "lift and bend your left leg"
        elif not (helped or passive) and (
            group.action or group.specified or not group.objects or (self.joined and tag.value in SHARED)
        ):
            yield self.fresh()
        elif helped and not group.action and not group.objects:
            hidden = group.hidden and tag.value in _FACING  # "your palm should be facing the wall"
            yield self.fresh()
        self.group.action, self.group.verb, self.group.hidden = tag.value, tag.text, hidden
        self.group.carried = False
        self.group.closed = bool(self.group.objects)
        helped = before is not None and before.text in self.words.facts
        self.group.stated |= helped or tag.text in self.words.facts
        self.group.opens |= self.opens(i - 1 if helped else i)
        goes_on = self.denied and before is not None and before.text in self.words.alternatives
        # In "don't let your arm hang" both verbs are negated.
        self.group.negated |= goes_on or (before is not None and before.kind == "negations") or tag.value == PREVENTED
        self.denied = self.group.negated or self.words.negations.search(tag.text) is not None  # "do not bend" = "keep"
        kept_so = tag.value == "keep" and self.denied
        self.group.forbidden = kept_so and self.words.holds_still.search(tag.text) is None
        extend(self.group, tag)

    def _is_let(self, group: Group) -> bool:
        """Return whether the verb says what must not happen to the group's parts: "don't let your arms [drop]"."""
        let = group.action == "keep" and self.denied and self.words.lets.search(group.verb) is not None
        return let and bool(group.objects) and not (group.specified or self.joined)

    def exceeded(self, i: int) -> None:
        """Ignore an excess that is only forbidden, since a smaller amount is allowed."""
        if not self._is_limited():
            super().exceeded(i)

    def collect(self, i: int) -> None:
        """Process any other word; a limit of a movement cancels its negation."""
        tag, before = self.tags[i], self.at(i - 1)
        from_there = before is not None and before.text == self.words.from_before
        passes = tag.kind != "word" and not from_there and self.words.beyond.match(tag.text) is not None
        if passes or tag.kind == "limits" or (tag.kind == "degrees" and tag.value == FAR):
            self._is_limited()
        super().collect(i)

    def _is_limited(self) -> bool:
        """Return whether the group denies a movement, and mark it as limited if so."""
        self.group.limited |= self.group.action == "keep" and self.denied
        return self.group.limited

    def met(self, i: int) -> Iterator[Group]:
        """Process the part at ``i``; it belongs to the previous verb unless it is a place, negated or a new clause."""
        _, begin = side_of(self.tags, i, self.words)
        before = self.at(begin - 1)
        if before is not None and (names_a_place(before) or before.value == "aim"):
            return  # "in front of your chest", "facing your left foot"
        group = self.group
        if before is not None and before.kind == "negations":
            if group.objects:
                yield self.fresh()  # "and not your right arm"
            self.group.negated = True
        elif before is not None and before.kind == "word" and before.text in self.words.unmoving:
            yield self.fresh()  # "and relax your right arm"
        elif (group.specified and (group.objects or (before is not None and before.text in self.words.ands))) or (
            group.closed and before is not None and before.text in self.words.ands
        ):
            goes_on, closed = self.tags[i].kind != "palms" and group.action != "whole", group.closed
            yield self.fresh(*((group.action, group.verb) if goes_on else ()))
            self.group.carried, self.group.closed = goes_on, closed
        self.add(i)

    def _has_its_verb(self, then: Tag) -> bool:
        return bool(self.group.action) and then.kind != "actions"

    def _is_denied(self, i: int) -> bool:
        before, after = self.at(i - 1), self.at(i + 1)
        says_less = after is not None and after.text in self.words.enough  # "not high enough"
        return before is not None and before.kind == "negations" and not says_less


_CHANGES = frozenset({"up", "down", "bend"})  # verbs that need no direction
_GOES = frozenset({"do", "move", "put", PREVENTED})
_VERTICAL = frozenset({"up", "down"})
_AUXILIARY = frozenset({"be", "do"})
_HOW = frozenset({"degrees", "directions"})  # allowed before a verb


class VerbLast(GroupBuilder):
    """Group builder for languages with the verb after its parts."""

    def __init__(self, tags: list[Tag], words: Grammar) -> None:
        super().__init__(tags, words)
        self.holding: list[Object] = []  # hands that move an object
        self.without = False  # the following participle is negated: "बिना घुटने मोड़े"
        self.certain = False  # that the next verb is that participle, since the previous verb is not negated
        self.neither = False  # that the previous verb was negated and another negation follows: "न हाथ उठाओ न पैर मोड़ो"
        self.waiting: list[Object] = []  # parts named before "without", for the main verb: "हाथ बिना कोहनी मोड़े उठाएं"

    def acted(self, i: int) -> Iterator[Group]:
        """Process the verb at ``i``: end its group, and mark it as negated after a negation or "without"."""
        tag, group = self.tags[i], self.group
        group.action, group.verb = tag.value, tag.text
        if self.holding and not group.objects and not group.hidden and tag.value in MOVE_A_HAND:
            group.objects = self.holding
        self.holding = []
        before, after = self.at(i - 1), self.at(i + 1)
        group.stated, group.opens = self._is_a_fact(i), self.opens(i)
        participle = self.words.participle.search(tag.text) is not None
        aside = (self.without and (self.certain or participle or self._another_verb_follows(i))) or (
            self._means_without(after) and (participle or self._ends_without(i))
        )
        denied = self._is_negation(before) or (self._is_negation(after) and self._looks_back(i + 1))
        denied |= after is not None and after.kind == "stops" and after.text in self.words.rather
        denied |= tag.value == PREVENTED
        group.negated |= (denied and tag.value not in {"keep", "unseen"}) or aside
        if tag.value == "keep" and self.words.negations.search(tag.text):
            group.forbidden = self.words.holds_still.search(tag.text) is None
            group.limited = self._is_limited(i, at_a_place=group.forbidden)
        elif group.negated and not (aside or group.stated) and self._stays(i):
            group.action, group.ways, group.negated, group.forbidden = "keep", [], False, True
        group.instead = group.forbidden or (group.negated and not aside and tag.value != "be")
        group.replaces = group.asks and not self.words.moves_no_part.match(tag.text) and self._names_nothing(i)
        if not aside:
            group.objects = [*self.waiting, *group.objects]
            self.waiting = []
        elif not self.without:
            self.waiting = group.objects[:-1]  # "हाथ कोहनी मोड़े बिना उठाएं"
        self.without = self.certain = False
        denied = group.negated or group.forbidden
        self.neither = denied and after is not None and after.text in self.words.negates_ahead
        extend(group, tag)
        yield self.fresh()
        then = next((next_tag for next_tag in self.tags[i + 1 :] if next_tag.kind not in _HOW), None)
        goes_on = then is not None and then.kind == "actions" and then.value in SHARED - {"put"}
        self.group.joined |= goes_on and self.words.chained.search(tag.text) is not None  # "मोड़कर रखें" is one verb

    def _stays(self, i: int) -> bool:
        """Return whether a negated verb asks for its limbs to stay as they are: "हाथ मत उठाओ", "नीचे मत करो".

        A limb that must not go beyond a place can move up to it, so it does not stay.
        """
        group, after = self.group, self.at(i + 1)
        around = [*self._before(i), *([] if after is None else [after])]
        denials = {tag.text for tag in around if tag.kind == "negations"}
        then = self.at(i + 2) if after is not None and after.kind == "negations" else None
        if not (denials <= self.words.forbids and (denials or group.action == PREVENTED)):
            return False  # "मोड़ने की ज़रूरत नहीं"
        if then is not None and then.value == "be":
            return False  # "मोड़ नहीं होना चाहिए"
        limited = bool(group.relations or group.states) or self._is_limited(i, at_a_place=True)
        limbs = bool(group.objects) and all(part.of_limb for _, part in group.objects)
        moves = group.action in _CHANGES or (bool(group.ways) and group.action in _GOES)
        return limbs and moves and not limited and {*group.ways} <= _VERTICAL

    def _before(self, i: int) -> Iterator[Tag]:
        """Yield the tags before the verb at ``i`` that belong to it, the last first."""
        return itertools.takewhile(lambda tag: tag.kind not in {"break", "stops", "actions"}, reversed(self.tags[:i]))

    def _is_limited(self, i: int, *, at_a_place: bool) -> bool:
        """Return whether a limit in distance or speed is given for the movement that the verb at ``i`` denies.

        With ``at_a_place``, a place also counts as a limit. It does not in a request to stay still: "पैर जगह से मत
        हिलाओ".
        """
        after = itertools.takewhile(lambda tag: tag.kind not in {"break", "stops"}, self.tags[i + 1 :])
        behind = [tag for tag in after if tag.kind != "negations"]
        limit_follows = bool(behind) and all(_is_a_limit(tag) for tag in behind)  # "मत मोड़ो ज़्यादा"
        return limit_follows or any(_is_a_limit(tag) or (at_a_place and names_a_place(tag)) for tag in self._before(i))

    def _names_nothing(self, i: int) -> bool:
        """Return whether no word before the verb at ``i`` can name another object of it."""
        return all(tag.kind != "word" or tag.text in self.words.names_nothing for tag in self._before(i))

    def _has_its_verb(self, then: Tag) -> bool:
        return then.kind != "break"

    def _ends_without(self, i: int) -> bool:
        """Return whether "without" negates the verb at ``i``, in any spelling: "घुटने मोड़ें बिना आगे झुकें"."""
        if not self.words.like_participle.search(self.tags[i].text):
            return False
        then = next((tag for tag in self.tags[i + 2 :] if tag.kind in {"actions", "break", "stops"}), None)
        return then is not None and then.kind == "actions" and not self.words.participle.search(then.text)

    def _another_verb_follows(self, i: int) -> bool:
        """Return whether a verb follows one that looks final: "बिना घुटने मोड़ें आगे झुकें"."""
        helper = self.at(i + 1)
        begin = i + 2 if helper is not None and helper.value in _AUXILIARY else i + 1
        until = itertools.takewhile(lambda tag: tag.kind not in {"break", "stops"}, self.tags[begin:])
        then = next((tag for tag in until if tag.kind == "actions" or tag.text in self.words.ands), None)
        return then is not None and then.kind == "actions"

    def _is_a_fact(self, i: int) -> bool:
        """Return whether the verb at ``i`` states a fact: "मुड़ा है", "झुक रहे हैं"."""
        helpers = itertools.takewhile(lambda tag: tag.kind in {"word", "actions"}, self.tags[i : i + 3])
        return any(tag.text in self.words.facts for tag in helpers)

    def _means_without(self, tag: Tag | None) -> bool:
        return tag is not None and tag.text in self.words.without

    def _is_negation(self, tag: Tag | None) -> TypeGuard[Tag]:
        return tag is not None and tag.kind == "negations" and not self._means_without(tag)

    def _looks_back(self, i: int) -> bool:
        """Return whether the negation at ``i`` applies to the verb before it: "स्पर्श न करें", but not "हाथ उठाओ ना"."""
        after = self.at(i + 1)
        return self.tags[i].text not in self.words.negates_ahead or (after is not None and after.kind == "actions")

    def _is_denied(self, i: int) -> bool:
        then = self.at(i + 2)
        ends = then is None or then.kind in {"break", "directions"}
        return self._is_negation(self.at(i + 1)) and ends

    def ended(self, i: int) -> Iterator[Group | None]:
        """Process the end of a clause; in "ऊपर नहीं, नीचे लाएं" the comma does not end it."""
        before = self.at(i - 2)
        if self.tags[i].text == "," and before is not None and before.kind == "directions" and self._is_denied(i - 2):
            return
        self.waiting, self.without, self.certain = [], False, False
        yield from super().ended(i)

    def met(self, i: int) -> Iterator[Group]:
        """Process the part at ``i``, unless it is a place or the hand that holds something."""
        if i + 1 < len(self.tags) and names_a_place(self.tags[i + 1]):
            moves_a_thing = self.tags[i + 1].text in self.words.instrument and not self._goes_on(i + 2)
            if self.tags[i].value == Part.HAND and moves_a_thing:
                if self.group.action == "whole":
                    yield self.fresh()
                side, _ = side_of(self.tags, i, self.words)
                self.holding = [(side, Part.HAND)]
            return
        _, begin = side_of(self.tags, i, self.words)
        if self.group.specified and (self.group.objects or (begin and self.tags[begin - 1].text in self.words.ands)):
            yield self.fresh()
        self.add(i)

    def collect(self, i: int) -> None:
        """Process any other word, including negations before the verb."""
        tag, before, after = self.tags[i], self.at(i - 1), self.at(i + 1)
        if self._means_without(tag):
            if before is None or before.kind != "actions":
                self._begin_without(i)
            elif not (self.words.participle.search(before.text) or self._ends_without(i - 1)):
                self._begin_without(i)
                self.certain = self.without
        elif self.without and tag.kind == "word" and self.words.participle.search(tag.text):
            self.without = False  # "बिना रुके"
        elif self._is_negation(tag) and not (self.group.specified or self.group.objects):
            # "न घुटने मोड़ें" is negated; in "हाथ उठाओ ना और ..." the following words are not.
            ends_a_verb = before is not None and before.kind == "actions"
            goes_on = after is not None and after.text not in self.words.ands
            self.group.negated |= (not ends_a_verb or self.neither) and goes_on
        elif self._is_negation(tag) and after is not None and after.kind == "directions":
            self.group.negated |= before is not None and before.kind != "directions"  # "हाथ मत नीचे करो"
        elif tag.text in self.words.after_objects and before is not None and before.kind == "word":
            # An unknown object, not the part named last.
            named = self.group.objects or self.holding or before.text in self.words.persons
            self.group.hidden |= not named
        super().collect(i)

    def _begin_without(self, i: int) -> None:
        after, then = self.at(i + 1), self.at(i + 2)
        noun = after is not None and after.kind == "word"
        if noun and then is not None and self.words.without_a_thing.match(then.text):
            return  # "बिना चिंता के"
        self.without = True
        if self.group.objects and not self.group.specified:
            self.waiting, self.group = self.group.objects, Group()

    def _goes_on(self, i: int) -> bool:
        """Return whether a place phrase continues at ``i``: "हाथ से दूर"."""
        return i < len(self.tags) and self.tags[i].kind == "directions"


def _is_a_limit(tag: Tag) -> bool:
    return tag.kind == "limits" or (tag.kind == "degrees" and tag.value == FAR)


# The part that moves if the verb names none: "lean forward", "turn to the left", "look up".
_ALONE = {
    "lean": Part.TRUNK,
    "bend": Part.TRUNK,
    "turn": Part.BODY,
    "look": Part.HEAD,
    "step": Part.BODY,
    "face": Part.BODY,
}
_GOES_AFTER_A_FACT = frozenset({"do", "be"})  # after a stated fact, about its part: "नीचे करो", "but should be up"
_NEEDS_NO_WAY = frozenset({"up", "down", "bend", "straighten", "apart", "together"})  # verbs that need no direction
_CLAPS = "clap"  # moves both hands, even if they are not named


def groups(tags: list[Tag], words: Grammar) -> Iterator[Group]:
    """Yield the groups of a text in order, each with its parts; groups without parts are omitted."""
    tags = with_negated_errors_reversed(with_sides_before_parts(tags, words), words)
    tags = with_errors_reversed(tags, words)
    if words.verb_comes == "last":
        tags = with_verbs_last(tags, words)
    grouping = (VerbLast if words.verb_comes == "last" else VerbFirst)(tags, words)
    last: list[Object] = []  # parts named in this sentence, for a verb without parts
    stated = False  # whether a fact about those parts is stated
    denied: list[Object] = []  # parts whose movement was denied just before, also in the previous sentence
    for item in grouping.all():
        if item is None:
            last, stated = [], False
            continue
        if item.action == _CLAPS:
            item.action = "together"
            item.objects = item.objects or [(Side.BOTH, Part.HAND)]
        # "Don't raise your arm above your head" allows the movement up to that limit.
        limits = item.limited or (item.forbidden and bool(item.relations))
        denied = _with_denied_objects(item, denied, words)
        if item.negated or limits or (item.palms and item.action not in MOVE_A_HAND):
            continue
        if not item.objects:
            item.objects = [] if item.hidden else _own_objects(item, last, words, after_a_fact=stated)
        else:
            last = item.objects
        stated = item.stated if item.action else stated
        if item.objects:
            yield item


def _with_denied_objects(group: Group, denied: list[Object], words: Grammar) -> list[Object]:
    """Return the parts whose movement was denied, for the next verb; give earlier ones to this group if it needs them.

    In "बायां हाथ मत उठाओ, नीचे करो" both verbs are about one arm.
    """
    if group.instead:
        return group.objects or denied
    if group.negated or not group.asks:
        return denied
    if denied and _is_done_instead(group, words):
        bends = group.action == "bend"  # Hindi has one word for hand and arm; only an arm bends
        group.objects = [(side, Part.ARM if bends and part is Part.HAND else part) for side, part in denied]
    return []


def _is_done_instead(group: Group, words: Grammar) -> bool:
    """Return whether a verb without a part applies to the part whose movement was denied before."""
    if group.objects or group.hidden or not group.replaces:
        return False
    if words.alone.search(group.verb) and (group.action != "bend" or group.specified):
        return False  # "आगे झुको", "पीछे जाओ"
    return group.action in _NEEDS_NO_WAY or (group.action in SHARED | _GOES_AFTER_A_FACT and group.specified)


def _own_objects(group: Group, last: list[Object], words: Grammar, *, after_a_fact: bool) -> list[Object]:
    """Return the parts of a group that names none."""
    alone = _ALONE.get(group.action)
    specified = group.ways or group.towards or group.action in words.alone_without_a_way
    if alone and specified and words.alone.search(group.verb):
        if words.bend_sideways_is_turn and group.action == "bend" and {"left", "right"} & {*group.ways}:
            alone = Part.BODY
        return [(Side.NONE, alone)]
    placed = not (group.action or group.ways) and bool(group.relations)  # "raise your left arm, next to your head"
    if placed and (group.at_the_end or words.verb_comes == "first"):
        return list(last)
    shares = group.action in SHARED or (after_a_fact and group.action in _GOES_AFTER_A_FACT and bool(group.ways))
    if words.shares_its_object.search(group.verb) and shares and (group.joined or group.specified or after_a_fact):
        return list(last)
    return []
