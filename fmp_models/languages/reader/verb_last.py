"""Gathering where the verb comes last, as in Hindi: it ends what was named before it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TypeGuard

from fmp_models.geometry.changes import LIMB_OF
from fmp_models.geometry.clauses import Part
from fmp_models.languages.grammar import Grammar
from fmp_models.languages.reader.group_builder import (
    FAR,
    MOVE_A_HAND,
    PREVENTED,
    SHARED,
    Group,
    GroupBuilder,
    Object,
    extend,
)
from fmp_models.languages.tags.sides import names_a_place, side_of
from fmp_models.languages.tags.tagging import AND, Tag

_CHANGES = frozenset({"up", "down", "bend"})  # verbs that need no way
_GOES = frozenset({"do", "move", "put", PREVENTED})
_VERTICAL = frozenset({"up", "down"})
_AUXILIARY = frozenset({"be", "do"})
_HOW = frozenset({"degrees", "directions"})  # what may stand before a verb
_WITH = "से"  # "दोनों हाथों से गेंद उठाएं"
_OBJECT = "को"  # stands behind what is moved
_OF_NO_PART = ("रह", "मुड")  # begin verbs that move no part: "नीचे रहने दो", "मुड़ो"
_AND_THEN = ("कर", "करके")  # ends of a verb after which another one follows about the same part
_PERSONS = frozenset({"आप", "तुम"})


class VerbLast(GroupBuilder):
    """Reads Hindi."""

    def __init__(self, tags: list[Tag], words: Grammar) -> None:
        super().__init__(tags, words)
        self.holding: list[Object] = []  # hands that something is moved with
        self.without = False  # what a participle says that follows: "बिना घुटने मोड़े"
        self.certain = False  # that the next verb is that one, since the verb before is done
        self.neither = False  # that the verb before was denied ahead: "न हाथ उठाओ न पैर मोड़ो"
        self.waiting: list[Object] = []  # parts named before that, for the verb after it: "हाथ बिना कोहनी मोड़े उठाएं"

    def acted(self, i: int) -> Iterator[Group]:
        """A verb: the end of its group, which is not done where it is denied or stands with "without"."""
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
        group.replaces = group.asks and not tag.text.startswith(_OF_NO_PART) and self._names_nothing(i)
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
        self.group.joined |= goes_on and tag.text.endswith(_AND_THEN)  # but "मोड़कर रखें" is one verb

    def _stays(self, i: int) -> bool:
        """Whether limbs are to stay as they are, of which the verb at ``i`` is denied: "हाथ मत उठाओ", "नीचे मत करो".

        What is not to go beyond some place may move as far as that.
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
        limbs = bool(group.objects) and all(part in LIMB_OF for _, part in group.objects)
        moves = group.action in _CHANGES or (bool(group.ways) and group.action in _GOES)
        return limbs and moves and not limited and {*group.ways} <= _VERTICAL

    def _before(self, i: int) -> Iterator[Tag]:
        """What belongs to the verb at ``i`` and is said before it, the last first."""
        return itertools.takewhile(lambda tag: tag.kind not in {"break", "stops", "actions"}, reversed(self.tags[:i]))

    def _is_limited(self, i: int, *, at_a_place: bool) -> bool:
        """Whether it is told how far or how fast what the verb at ``i`` denies is not to go.

        So does a place where it is not to be, but for what is not to move at all: "पैर जगह से मत हिलाओ".
        """
        after = itertools.takewhile(lambda tag: tag.kind not in {"break", "stops"}, self.tags[i + 1 :])
        behind = [tag for tag in after if tag.kind != "negations"]
        limit_follows = bool(behind) and all(_is_a_limit(tag) for tag in behind)  # "मत मोड़ो ज़्यादा"
        return limit_follows or any(_is_a_limit(tag) or (at_a_place and names_a_place(tag)) for tag in self._before(i))

    def _names_nothing(self, i: int) -> bool:
        """Whether no word stands before the verb at ``i`` that may name a thing which it is about."""
        return all(tag.kind != "word" or tag.text in self.words.names_nothing for tag in self._before(i))

    def _has_its_verb(self, then: Tag) -> bool:
        return then.kind != "break"

    def _ends_without(self, i: int) -> bool:
        """Whether the verb at ``i`` is what is not done, however it is spelt: "घुटने मोड़ें बिना आगे झुकें"."""
        if not self.words.like_participle.search(self.tags[i].text):
            return False
        then = next((tag for tag in self.tags[i + 2 :] if tag.kind in {"actions", "break", "stops"}), None)
        return then is not None and then.kind == "actions" and not self.words.participle.search(then.text)

    def _another_verb_follows(self, i: int) -> bool:
        """Whether what is spelt as an end of its own is none: "बिना घुटने मोड़ें आगे झुकें"."""
        helper = self.at(i + 1)
        begin = i + 2 if helper is not None and helper.value in _AUXILIARY else i + 1
        until = itertools.takewhile(lambda tag: tag.kind not in {"break", "stops"}, self.tags[begin:])
        then = next((tag for tag in until if tag.kind == "actions" or tag.text in AND), None)
        return then is not None and then.kind == "actions"

    def _is_a_fact(self, i: int) -> bool:
        """Whether the verb at ``i`` tells how it is: "मुड़ा है", "झुक रहे हैं"."""
        helpers = itertools.takewhile(lambda tag: tag.kind in {"word", "actions"}, self.tags[i : i + 3])
        return any(tag.text in self.words.facts for tag in helpers)

    def _means_without(self, tag: Tag | None) -> bool:
        return tag is not None and tag.text in self.words.without

    def _is_negation(self, tag: Tag | None) -> TypeGuard[Tag]:
        return tag is not None and tag.kind == "negations" and not self._means_without(tag)

    def _looks_back(self, i: int) -> bool:
        """Whether the negation at ``i`` is about the verb before it: "स्पर्श न करें", but not "हाथ उठाओ ना"."""
        after = self.at(i + 1)
        return self.tags[i].text not in self.words.negates_ahead or (after is not None and after.kind == "actions")

    def _is_denied(self, i: int) -> bool:
        then = self.at(i + 2)
        ends = then is None or then.kind in {"break", "directions"}
        return self._is_negation(self.at(i + 1)) and ends

    def ended(self, i: int) -> Iterator[Group | None]:
        """The end; but of "ऊपर नहीं, नीचे लाएं" what is meant is told after the comma."""
        before = self.at(i - 2)
        if self.tags[i].text == "," and before is not None and before.kind == "directions" and self._is_denied(i - 2):
            return
        self.waiting, self.without, self.certain = [], False, False
        yield from super().ended(i)

    def met(self, i: int) -> Iterator[Group]:
        """A part, unless it is a place or what something is held with."""
        if i + 1 < len(self.tags) and names_a_place(self.tags[i + 1]):
            if self.tags[i].value == Part.HAND and self.tags[i + 1].text == _WITH and not self._goes_on(i + 2):
                if self.group.action == "whole":
                    yield self.fresh()
                side, _ = side_of(self.tags, i, self.words)
                self.holding = [(side, Part.HAND)]
            return
        _, begin = side_of(self.tags, i, self.words)
        if self.group.specified and (self.group.objects or (begin and self.tags[begin - 1].text in AND)):
            yield self.fresh()
        self.add(i)

    def collect(self, i: int) -> None:
        """Any other word, negations before the verb among them."""
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
            # "न घुटने मोड़ें"; of "हाथ उठाओ ना और ...", nothing that follows is.
            ends_a_verb = before is not None and before.kind == "actions"
            self.group.negated |= (not ends_a_verb or self.neither) and after is not None and after.text not in AND
        elif self._is_negation(tag) and after is not None and after.kind == "directions":
            self.group.negated |= before is not None and before.kind != "directions"  # "हाथ मत नीचे करो"
        elif tag.text == _OBJECT and before is not None and before.kind == "word" and before.text not in _PERSONS:
            # What no pattern knows, and not the part that was named last.
            self.group.hidden |= not (self.group.objects or self.holding)
        super().collect(i)

    def _begin_without(self, i: int) -> None:
        after, then = self.at(i + 1), self.at(i + 2)
        if after is not None and after.kind == "word" and then is not None and then.text.startswith("के"):
            return  # "बिना चिंता के"
        self.without = True
        if self.group.objects and not self.group.specified:
            self.waiting, self.group = self.group.objects, Group()

    def _goes_on(self, i: int) -> bool:
        """Whether a place goes on at ``i``: "हाथ से दूर"."""
        return i < len(self.tags) and self.tags[i].kind == "directions"


def _is_a_limit(tag: Tag) -> bool:
    return tag.kind == "limits" or (tag.kind == "degrees" and tag.value == FAR)
