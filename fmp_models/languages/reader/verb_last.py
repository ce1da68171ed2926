"""Group builder for languages with the verb last, such as Hindi: the verb ends the group of words before it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TypeGuard

from fmp_models.geometry.lexicon import Part
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

_CHANGES = frozenset({"up", "down", "bend"})  # verbs that need no direction
_GOES = frozenset({"do", "move", "put", PREVENTED})
_VERTICAL = frozenset({"up", "down"})
_AUXILIARY = frozenset({"be", "do"})
_HOW = frozenset({"degrees", "directions"})  # allowed before a verb
_WITH = "से"  # "दोनों हाथों से गेंद उठाएं"
_OBJECT = "को"  # follows the object that is moved
_OF_NO_PART = ("रह", "मुड")  # prefixes of verbs that move no part: "नीचे रहने दो", "मुड़ो"
_AND_THEN = ("कर", "करके")  # endings of a verb that another verb about the same part follows
_PERSONS = frozenset({"आप", "तुम"})


class VerbLast(GroupBuilder):
    """Group builder for Hindi."""

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
        self.group.joined |= goes_on and tag.text.endswith(_AND_THEN)  # "मोड़कर रखें" is one verb

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
        then = next((tag for tag in until if tag.kind == "actions" or tag.text in AND), None)
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
            self.group.negated |= (not ends_a_verb or self.neither) and after is not None and after.text not in AND
        elif self._is_negation(tag) and after is not None and after.kind == "directions":
            self.group.negated |= before is not None and before.kind != "directions"  # "हाथ मत नीचे करो"
        elif tag.text == _OBJECT and before is not None and before.kind == "word" and before.text not in _PERSONS:
            # An unknown object, not the part named last.
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
        """Return whether a place phrase continues at ``i``: "हाथ से दूर"."""
        return i < len(self.tags) and self.tags[i].kind == "directions"


def _is_a_limit(tag: Tag) -> bool:
    return tag.kind == "limits" or (tag.kind == "degrees" and tag.value == FAR)
