"""Reversal of errors, tags -> tags: a stated or negated error becomes the movement that corrects it.

A negated error is "don't bend so deeply" or "stop leaning forward"; a plain negation ("don't bend") is left
unchanged, since it does not say that the movement is being done. A stated error is "your left arm is higher than
your right", a part that has moved to a wrong place, or a pose that a person is told to come back from. Requests and
the results of movements are left unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fmp_models.geometry import Direction, Relation
from fmp_models.languages.language_data import Grammar
from fmp_models.languages.tagging import Tag, pieces

# The correction for a movement that goes too far.
REVERSED = {
    action: reverse
    for pair in (("up", "down"), ("bend", "straighten"), ("apart", "together"))
    for action, reverse in (pair, pair[::-1])
}
_TOO = {
    Relation.CLOSE: Direction.APART,
    Relation.WIDE: Direction.TOGETHER,
    Relation.ABOVE_HEAD: Direction.DOWN,
    Relation.OVERHEAD: Direction.DOWN,
}


def reverse_tag(tag: Tag, *, leans: bool) -> None:
    """Change a tag to its correction; ``leans`` if a leaning body has no direction in the text."""
    if tag.kind == "whole":
        tag.value = _reversed_whole(tag.value)
    elif tag.kind == "directions":
        tag.value = Direction(tag.value).reverse.value
    elif tag.kind == "actions" and tag.value == "lean" and leans:
        tag.value = "straighten"  # "your back is too hunched"
    elif tag.kind == "actions":
        tag.value = REVERSED.get(tag.value, tag.value)
    elif tag.kind == "relations":
        way = _TOO.get(Relation(tag.value))
        tag.kind, tag.value = ("directions", way.value) if way else ("word", "")
    elif tag.kind == "states":
        tag.kind, tag.value = "actions", "bend"


def _reversed_whole(whole: str) -> str:
    """Return the reverse of a phrase that stands for one clause; unchanged if it has no direction."""
    side, part, way, *_ = whole.split(", ")
    back = Direction(way).reverse
    return whole if ";" in whole or back.value == way else f"{side}, {part}, {back.value}"


_SO = "so"  # the value of words that are an excess only after a negation
_UPRIGHT = "none, trunk, reach, upright"
_SAYS_WAY = frozenset({"directions", "whole", "relations", "states"})
_BOWS = frozenset({"lean", "bend"})


def with_negated_errors_reversed(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Return the tags with the meaning of excessive or stopped movements reversed and their negations removed."""
    new_tags = list(tags)
    for begin, end in _runs(tags, words):
        run = tags[begin:end]
        so = next((i for i, tag in enumerate(run) if tag.kind == "excess" and tag.value == _SO), None)
        denial = next((i for i, tag in enumerate(run) if tag.kind == "negations"), None)
        fault = None if denial is None else _fault(run, denial, so, words)
        if fault is not None and denial is not None:
            run = [*run[: fault[0]], *_back(run, *fault), *run[fault[1] :]]
            run[denial] = replace(run[denial], kind="word")
        new_tags[begin:end] = [_no_excess(tag, ends=fault is None and words.verb_comes == "first") for tag in run]
    return new_tags


def _runs(tags: list[Tag], words: Grammar) -> Iterator[tuple[int, int]]:
    """Yield the pieces of a text, split at "and"."""
    for begin, end in pieces(tags):
        first = begin
        for i in range(begin, end + 1):
            if i == end or tags[i].text in words.ands:
                yield first, i
                first = i + 1


def _fault(run: Sequence[Tag], denial: int, so: int | None, words: Grammar) -> tuple[int, int] | None:
    """Return the start and end of a negated error in a run; None if only a movement is negated."""
    stopped = run[denial].text in words.stopped
    if so is None and not stopped:
        return None
    if words.verb_comes == "first":
        begin, end = denial + 1, len(run)
        at_once = begin < end and run[begin].kind in {"actions", "whole"}
    else:
        end = denial if so is None else len(run)
        before = [i for i in range(denial if so is None else min(so, denial)) if run[i].kind == "actions"]
        at_once = bool(before) and before[-1] == denial - 1
        if so is None:
            before = before[:-1]  # "झुकना बंद करो"
        begin = before[-1] + 1 if before else 0
    if stopped and not at_once:
        return None
    reversible = any(tag.kind in _SAYS_WAY or tag.value in {*REVERSED, *_BOWS} for tag in run[begin:end])
    return (begin, end) if reversible else None


def _back(run: Sequence[Tag], begin: int, end: int) -> Iterator[Tag]:
    """Yield the reversed tags from ``begin`` to ``end``; bowing without a part or direction becomes being upright."""
    bare = not any(tag.kind in _SAYS_WAY or tag.kind == "parts" for tag in run)
    leans = not any(tag.kind in {"directions", "whole"} for tag in run)
    for tag in run[begin:end]:
        reversed_tag = replace(tag)
        if bare and tag.kind == "actions" and tag.value in _BOWS:
            reversed_tag.kind, reversed_tag.value = "whole", _UPRIGHT
        elif tag.value == "keep":
            reversed_tag.value = "let"  # "don't keep your legs so straight"
        else:
            reverse_tag(reversed_tag, leans=leans)
        yield reversed_tag


def _no_excess(tag: Tag, *, ends: bool) -> Tag:
    """Return the tag with an excess as a plain word, or as a stop if it ``ends`` the clause: "so high that"."""
    if tag.kind != "excess" or tag.value != _SO:
        return tag
    return replace(tag, kind="stops" if ends else "word", value="")


_LEADS_ON = frozenset({"with", "negations", "excess"})
_LEADS = _LEADS_ON | {"actions", "whole"}  # kinds that do not precede a stated fact
_WAYS = frozenset({"directions", "whole"})
# Kinds between a fact and the object of its comparison. An excess is reversed separately.
_BETWEEN = frozenset({"degrees", "word", "directions", "actions"})


def with_errors_reversed(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Return the tags with the directions of comparisons between limbs, and of parts gone astray, reversed."""
    new_tags = _with_returns(tags, words)
    for begin, end in pieces(tags):
        if begin and tags[begin - 1].text in words.relative:
            fact = next((i for i in range(begin, end) if tags[i].text in words.facts), begin - 1)
            new_tags[begin : fact + 1] = [_part_alone(tag) for tag in tags[begin : fact + 1]]
        if begin and tags[begin - 1].kind == "stops":
            continue  # "so that your left arm is higher than your right"
        for place in [*_of_errors(tags[begin:end], words), *_of_strays(tags[begin:end], words)]:
            new_tags[begin + place] = _reversed(tags[begin + place])
    return new_tags


def _with_returns(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Return the tags with the directions stated next to a piece such as "come back" reversed."""
    new_tags = list(tags)
    runs = list(pieces(tags))
    for place, (begin, end) in enumerate(runs):
        if not words.returns.fullmatch(" ".join(tag.text for tag in tags[begin:end])):
            continue
        beside = [run for run in runs[max(0, place - 1) : place + 2] if run != (begin, end)]
        ways = [i for run in beside for i in _ways_of_a_fact(tags, *run, words)]
        if ways:
            new_tags[begin:end] = [_part_alone(tag) for tag in new_tags[begin:end]]
        for way in ways:
            new_tags[way] = _reversed(tags[way])
    return new_tags


def _ways_of_a_fact(tags: Sequence[Tag], begin: int, end: int, words: Grammar) -> list[int]:
    """Return the indices of directions and reversible verbs in a piece that states a fact without an introduction."""
    run = tags[begin:end]
    first = next((tag for tag in run if tag.kind == "actions" or tag.text in words.facts), None)
    stated = first is not None and (first.text in words.facts or words.verb_comes == "last")
    stated &= any(tag.text in words.facts for tag in run)
    led = (begin > 0 and tags[begin - 1].kind == "stops") or any(tag.kind in _LEADS_ON for tag in run)
    ways = [begin + i for i, tag in enumerate(run) if tag.kind in _WAYS or tag.value in REVERSED]
    return ways if stated and not led else []


def _of_errors(piece: Sequence[Tag], words: Grammar) -> list[int]:
    """Return the indices of directions in a statement that one limb is further than another; empty for other pieces."""
    fact = next((i for i, tag in enumerate(piece) if tag.text in words.facts), None)
    than = next((i for i, tag in enumerate(piece) if tag.text in words.than and _compares(piece, i, words)), None)
    if fact is None or than is None:
        return []
    first, last = sorted((fact, than))
    names_part = any(tag.kind == "parts" for tag in piece[:first])
    if not names_part or any(tag.kind in _LEADS for tag in piece[:first]):
        return []
    between = range(first + 1, last)
    if any(piece[i].kind not in _BETWEEN for i in between):
        return []
    return [i for i in between if piece[i].kind == "directions" or piece[i].value in REVERSED]


def _of_strays(piece: Sequence[Tag], words: Grammar) -> list[int]:
    """Return the indices of the direction and verb in a piece that ends with a part gone astray: "कंधा ऊपर उठ गया है"."""
    verb = next((i for i, tag in enumerate(piece) if words.strayed.search(tag.text)), None)
    if verb is None or len(piece) != verb + 3 or any(tag.text in words.ands for tag in piece):
        return []
    if piece[-2].text not in words.has or piece[-1].text not in words.facts:
        return []
    ways = [i for i in range(verb) if piece[i].kind == "directions"]
    return [*ways, verb] if piece[verb].value in REVERSED else ways or [verb]


def _compares(piece: Sequence[Tag], than: int, words: Grammar) -> bool:
    """Return whether a limb stands next to the comparison word, which in Hindi also means "from" and "with"."""
    if words.verb_comes == "first":
        return True
    beside = piece[than - 1] if than else None
    if beside is None:
        return False
    parts = {tag.value for tag in piece[: than - 1] if tag.kind == "parts"}
    return beside.bare or (beside.kind == "parts" and beside.value in parts)


def _part_alone(tag: Tag) -> Tag:
    """Return the tag if it names the part; make any other tag of a relative clause a plain word: "जो घुटना आगे है"."""
    return tag if tag.kind in {"parts", "sides", "possessives"} else replace(tag, kind="word", value="")


def _reversed(tag: Tag) -> Tag:
    if tag.kind in _WAYS:
        reversed_tag = replace(tag)
        reverse_tag(reversed_tag, leans=False)
        return reversed_tag
    return replace(tag, value=REVERSED.get(tag.value, "straighten"))
