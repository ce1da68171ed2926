"""Annotator quality: what makes somebody's answers doubtful, for the owner to look at; nothing is dropped for it.

Pure functions of events and the campaign they belong to, with limits that can be handed in.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from annotate.campaigns.campaign import Campaign, Item
from annotate.records.events import Event, live
from annotate.records.kinds import Description, Payload, Rating, TargetChoice, Translation, Vote

Doubt = Literal["too_fast", "one_sided", "wrong_on_gold", "copied", "burst"]


@dataclass(frozen=True)
class Limits:
    """From where on answers are doubtful.

    Nobody reads ``read_a_second`` words or types ``typed_a_second``, beside the ``seconds`` that the quickest look at
    two pictures takes. The shares are those of answers that are too fast or fall on the same place or score, of
    ``least`` or more, and of wrong answers to ``least_gold`` gold items or more. ``burst`` answers fit in a minute.
    """

    read_a_second: float = 12.0
    typed_a_second: float = 3.0
    seconds: float = 1.0
    least: int = 10
    fast_share: float = 0.2
    one_sided_share: float = 0.9
    least_gold: int = 2
    wrong_share: float = 0.34
    burst: int = 30


@dataclass(frozen=True)
class Concern:
    """One doubt about one annotator's answers of one kind: ``count`` of ``of`` answers, whose ids are ``events``."""

    annotator: str
    doubt: Doubt
    kind: str
    count: int
    of: int
    events: tuple[str, ...]


LIMITS = Limits()


def concerns(events: Iterable[Event], campaign: Campaign, limits: Limits = LIMITS) -> list[Concern]:
    """Every doubt about the answers that stand, by annotator and kind."""
    items = {item.uid: item for item in campaign.items}
    answers: dict[tuple[str, str], list[Event]] = {}
    for event in live(events):
        if event.campaign == campaign.name and isinstance(event.payload, _ANSWERS):
            answers.setdefault((event.annotator, event.kind), []).append(event)
    texts = frozenset((text.language, _plain(text.text)) for item in campaign.items for text in item.texts)
    return [concern for given in answers.values() for concern in _concerns(given, items, texts, limits)]


_ANSWERS = (Vote, Rating, Description, Translation, TargetChoice)


def _concerns(
    given: Sequence[Event], items: dict[str, Item], texts: AbstractSet[tuple[str, str]], limits: Limits
) -> Iterator[Concern]:
    """Of one annotator's answers of one kind, in order of time; ``texts`` are the campaign's, as they are compared."""

    def concern(doubt: Doubt, of: int, found: Sequence[Event]) -> Concern:
        first = given[0]
        return Concern(first.annotator, doubt, first.kind, len(found), of, tuple(event.id for event in found))

    fast = [event for event in given if _is_too_fast(event, items.get(event.item), limits)]
    if len(given) >= limits.least and len(fast) >= limits.fast_share * len(given):
        yield concern("too_fast", len(given), fast)
    sided = _largest_side(given)
    if len(given) >= limits.least and len(sided) >= limits.one_sided_share * len(given):
        yield concern("one_sided", len(given), sided)
    gold = [(event, right) for event in given if (right := is_right(event, items.get(event.item))) is not None]
    wrong = [event for event, right in gold if not right]
    if len(gold) >= limits.least_gold and len(wrong) >= limits.wrong_share * len(gold):
        yield concern("wrong_on_gold", len(gold), wrong)
    if copied := _copies(given, texts):
        yield concern("copied", len(given), copied)
    if dense := _densest_minute(given, limits.burst):
        yield concern("burst", len(given), dense)


def is_right(event: Event, item: Item | None) -> bool | None:
    """Whether an answer to a gold item is right; None for any other."""
    gold = item.gold if item is not None else None
    said = event.payload
    if gold is None:
        return None
    if gold.kind == "vote" and isinstance(said, Vote):
        # Whoever calls all texts tied has missed that some are of another pair.
        return set(said.relevant) <= set(gold.relevant)
    if gold.kind == "verify" and isinstance(said, Rating):
        return gold.least <= said.score <= gold.most
    # With less to go by than everything there is no answer that an attentive person must find.
    if gold.kind == "find" and isinstance(said, TargetChoice) and said.mode == "everything":
        return said.correct
    return None


def _is_too_fast(event: Event, item: Item | None, limits: Limits) -> bool:
    """Against what had to be read, or written; a record without its time is no matter of speed."""
    seconds = float(getattr(event.payload, "seconds", 0.0))
    if item is None or not seconds:
        return False
    said = event.payload
    if isinstance(said, Description | Translation):
        return seconds < limits.seconds + len(said.text.split()) / limits.typed_a_second
    return seconds < limits.seconds + _words_read(said, item, event.language) / limits.read_a_second


def _words_read(payload: Payload, item: Item, language: str) -> int:
    read = {payload.text} if isinstance(payload, Rating) else set(payload.shown) if isinstance(payload, Vote) else set()
    return sum(len(text.text.split()) for text in item.texts if text.language == language and text.id in read)


def _largest_side(given: Sequence[Event]) -> list[Event]:
    """The answers that fall on the most frequent place of a text, or on the most frequent score."""

    def side(event: Event) -> object:
        said = event.payload
        if isinstance(said, Vote):
            return "tied" if len(said.relevant) == len(said.shown) else said.shown.index(said.relevant[0])
        return said.score if isinstance(said, Rating) else None

    counted = Counter(side(event) for event in given)
    del counted[None]
    if not counted:
        return []
    most, _ = counted.most_common(1)[0]
    return [event for event in given if side(event) == most]


def _copies(given: Sequence[Event], texts: AbstractSet[tuple[str, str]]) -> list[Event]:
    """Texts that repeat one of the campaign's, or one that the same person gave before."""
    own: set[tuple[str, str]] = set()
    found = []
    for event in given:
        if isinstance(event.payload, Description | Translation):
            said = (event.language, _plain(event.payload.text))
            if said in texts or said in own:
                found.append(event)
            own.add(said)
    return found


def _plain(text: str) -> str:
    return "".join(letter for letter in text.casefold() if unicodedata.category(letter)[0] in "LMN")


def _densest_minute(given: Sequence[Event], burst: int) -> list[Event]:
    """The answers of a minute with more than ``burst``, if there is one."""
    for start, end in zip(given, given[burst:], strict=False):
        if end.time - start.time < timedelta(minutes=1):
            first = given.index(start)
            return [event for event in given[first:] if event.time - start.time < timedelta(minutes=1)]
    return []
