"""Group builder for languages with the verb first, such as English: parts follow their verb until the next verb."""

from __future__ import annotations

from collections.abc import Iterator

from fmp_models.languages.reader.group_builder import (
    FAR,
    PREVENTED,
    SHARED,
    Group,
    GroupBuilder,
    extend,
)
from fmp_models.languages.tags.sides import names_a_place, side_of
from fmp_models.languages.tags.tagging import AND, Tag

# Verbs that another verb can follow about the same part: "let your arm hang", "make your left leg straight".
_HELPERS = frozenset({"", "be", "let"})
_MODALS = frozenset({"must", "should", "can", "will", "may"})
_FACING = frozenset({"be", "face", "aim", "point"})


class VerbFirst(GroupBuilder):
    """Group builder for English."""

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
        has_subject = participle or tag.value == "be" or (before is not None and before.text in _MODALS)
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
        elif (group.specified and (group.objects or (before is not None and before.text in AND))) or (
            group.closed and before is not None and before.text in AND
        ):
            goes_on, closed = self.tags[i].kind != "palms" and group.action != "whole", group.closed
            yield self.fresh(*((group.action, group.verb) if goes_on else ()))
            self.group.carried, self.group.closed = goes_on, closed
        self.add(i)

    def _has_its_verb(self, then: Tag) -> bool:
        return bool(self.group.action) and then.kind != "actions"

    def _is_denied(self, i: int) -> bool:
        before, after = self.at(i - 1), self.at(i + 1)
        says_less = after is not None and after.text == "enough"  # "not high enough"
        return before is not None and before.kind == "negations" and not says_less
