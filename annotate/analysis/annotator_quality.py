"""Annotator quality: what makes somebody's answers doubtful, for the owner to look at; nothing is dropped for it.

Pure functions of events and the campaign they belong to, with limits that can be handed in.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from annotate.campaigns.campaign import Campaign, Item
from annotate.records.events import Event
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


LIMITS = Limits()
_ANSWERS = (Vote, Rating, Description, Translation, TargetChoice)
_JUDGED = ("id", "annotator", "kind", "time", "fast", "side", "right", "said")
_CONCERNS = ("annotator", "doubt", "kind", "count", "of", "events")


def concerns(living: Iterable[Event], campaign: Campaign, limits: Limits = LIMITS) -> pd.DataFrame:
    """Every doubt about one annotator's live answers of one kind.

    Columns ``annotator``, ``doubt``, ``kind``, the ``count`` of such answers and ``of`` how many, and the ids of their
    ``events``; in the order in which people came.
    """
    answers = pd.DataFrame(_judged(living, campaign, limits), columns=_JUDGED)
    who = answers.groupby(["annotator", "kind"], sort=False).ngroup()
    every, of_gold = who.notna(), answers["right"].notna()
    alike = answers.groupby([who, "side"])["id"].transform("size")
    sided = alike >= limits.one_sided_share * who.groupby(who).transform("size")
    wrong = answers["right"].isin([False])
    doubts: dict[Doubt, tuple[pd.Series, pd.Series, int, float]] = {
        "too_fast": (answers["fast"].astype(bool), every, limits.least, limits.fast_share),
        "one_sided": (sided, every, limits.least, limits.one_sided_share),
        "wrong_on_gold": (wrong, of_gold, limits.least_gold, limits.wrong_share),
        "copied": (_copied(answers, who, campaign), every, 1, 0.0),
        "burst": (_in_a_burst(answers["time"], who, limits.burst), every, 1, 0.0),
    }
    found = []
    for doubt, (is_so, asked, least, share) in doubts.items():
        count, of = is_so.groupby(who).sum(), asked.groupby(who).sum()
        doubtful = (count > 0) & (of >= least) & (count >= share * of)
        some = answers[is_so & who.map(doubtful)].groupby(who)
        told = some.agg(
            annotator=("annotator", "first"), kind=("kind", "first"), count=("id", "size"), events=("id", tuple)
        )
        found.append(told.assign(doubt=doubt, of=of.reindex(told.index)).astype(object))
    return pd.concat(found).sort_index(kind="stable").reset_index(drop=True)[list(_CONCERNS)].infer_objects()


def _judged(living: Iterable[Event], campaign: Campaign, limits: Limits) -> Iterator[tuple[object, ...]]:
    """Each answer with what is to be seen from it alone."""
    items = {item.uid: item for item in campaign.items}
    for event in living:
        if event.campaign == campaign.name and isinstance(event.payload, _ANSWERS):
            item, said = items.get(event.item), event.payload
            words = f"{event.language} {_plain(said.text)}" if isinstance(said, Description | Translation) else None
            fast, right = _is_too_fast(event, item, limits), _is_right(event, item)
            yield event.id, event.annotator, event.kind, event.time, fast, _side(said), right, words


def _copied(answers: pd.DataFrame, who: pd.Series, campaign: Campaign) -> pd.Series:
    """Texts that repeat one of the campaign's, or one that the same person gave before."""
    there = {f"{text.language} {_plain(text.text)}" for item in campaign.items for text in item.texts}
    said = answers["said"]
    return said.isin(there) | (said.notna() & said.to_frame().assign(who=who).duplicated())


def _in_a_burst(time: pd.Series, who: pd.Series, burst: int) -> pd.Series:
    """The answers of everybody's first minute with more than ``burst``."""
    minute = pd.Timedelta(minutes=1)
    starts = time.where(time.groupby(who).shift(-burst) - time < minute)
    first = starts.groupby(who).transform("min")
    return (time >= first) & (time < first + minute)


def _is_right(event: Event, item: Item | None) -> bool | None:
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


def _side(said: Payload) -> str | None:
    """On which place of a text an answer falls, or on which score."""
    if isinstance(said, Vote):
        return "tied" if len(said.relevant) == len(said.shown) else f"place {said.shown.index(said.relevant[0])}"
    return f"score {said.score}" if isinstance(said, Rating) else None


def _plain(text: str) -> str:
    return "".join(letter for letter in text.casefold() if unicodedata.category(letter)[0] in "LMN")
