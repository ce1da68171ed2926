"""Grouping, tags -> groups: collects what belongs to each verb, which comes first in English and last in Hindi.

A group ends where the next verb, part or sentence begins. Landmarks ("towards the sofa", "under your chin")
are skipped, except that a part which goes towards one moves. Parts that joints cannot show (fingers, gaze) end
a group without a clause. "It" and "they" refer to the parts named last.
"""

from __future__ import annotations

from collections.abc import Iterator

from fmp_models.geometry.lexicon import Part, Side
from fmp_models.languages.grammar import Grammar
from fmp_models.languages.reader.group_builder import MOVE_A_HAND, SHARED, Group, Object
from fmp_models.languages.reader.verb_first import VerbFirst
from fmp_models.languages.reader.verb_last import VerbLast
from fmp_models.languages.tags.errors import with_errors_reversed
from fmp_models.languages.tags.negated_errors import with_negated_errors_reversed
from fmp_models.languages.tags.order import with_verbs_last
from fmp_models.languages.tags.sides import with_sides_before_parts
from fmp_models.languages.tags.tagging import Tag

# The part that moves if the verb names none: "lean forward", "turn to the left", "look up".
_ALONE = {
    "lean": Part.TRUNK,
    "bend": Part.TRUNK,
    "turn": Part.BODY,
    "look": Part.HEAD,
    "step": Part.BODY,
    "face": Part.BODY,
}
_GOES = frozenset({"do", "be"})  # after a stated fact, about its part: "नीचे करो", "but should be up"
_CHANGES = frozenset({"up", "down", "bend", "straighten", "apart", "together"})  # verbs that need no direction
_CLAPS = "clap"  # moves both hands, even if they are not named


def groups(tags: list[Tag], words: Grammar) -> Iterator[Group]:
    """Yield the groups of a text in order, each with its parts; groups without parts are omitted."""
    tags = with_negated_errors_reversed(with_sides_before_parts(tags, words), words)
    tags = with_errors_reversed(tags, words)
    if words.verb_comes == "last":
        tags = with_verbs_last(tags)
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
    return group.action in _CHANGES or (group.action in SHARED | _GOES and group.specified)


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
    shares = group.action in SHARED or (after_a_fact and group.action in _GOES and bool(group.ways))
    if words.shares_its_object.search(group.verb) and shares and (group.joined or group.specified or after_a_fact):
        return list(last)
    return []
