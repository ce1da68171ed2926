"""Annotator quality: what makes somebody's answers doubtful, for the owner to look at; nothing is dropped for it.

Pure functions of events and the campaign they belong to, with limits that can be handed in. Of many answers a share
decides; of few, whether a careful person would give such ones by chance. Where not even that can tell, it is said.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb
from typing import Literal

import pandas as pd

from annotate.campaigns.campaign import Campaign, Item
from annotate.records.events import Event
from annotate.records.kinds import Description, FindTarget, Payload, Rating, Translation, Vote

Doubt = Literal["too_fast", "one_sided", "wrong_on_gold", "copied", "burst"]


@dataclass(frozen=True)
class Limits:
    """Limits from which on answers are doubtful.

    Nobody reads ``read_a_second`` words or types ``typed_a_second``, beside the ``seconds`` that the quickest look at
    two pictures takes. The shares are those of answers that are too fast or fall on the same place or score, of
    ``least`` or more, and of wrong answers to ``least_gold`` gold items or more. ``burst`` answers fit in a minute.

    Fewer than ``least`` are doubtful where a careful person gives such ones with a probability below ``chance``: one in
    ``slips`` answers is too fast for no bad reason, a text stands in each place as often as in any other, and texts may
    well be as good as each other, or deserve one score, in as many as ``alike`` of all answers.
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
    chance: float = 0.01
    slips: float = 0.05
    alike: float = 0.75


LIMITS = Limits()
_ANSWERS = (Vote, Rating, Description, Translation, FindTarget)
_WITH_GOLD = frozenset({Vote.kind, Rating.kind, FindTarget.kind})
_JUDGED = ("id", "annotator", "kind", "time", "fast", "side", "luck", "right", "text")
_CONCERNS = ("annotator", "doubt", "kind", "count", "of", "events")
_UNJUDGED = ("annotator", "doubt", "kind", "of")


def concerns(living: Iterable[Event], campaign: Campaign, limits: Limits = LIMITS) -> pd.DataFrame:
    """Every doubt about one annotator's live answers of one kind.

    Columns ``annotator``, ``doubt``, ``kind``, the ``count`` of such answers and ``of`` how many, and the ids of their
    ``events``; in the order in which people came.
    """
    answers = pd.DataFrame(_judged_rows(living, campaign, limits), columns=_JUDGED)
    group = answers.groupby(["annotator", "kind"], sort=False).ngroup()
    all_answers, of_gold = group.notna(), answers["right"].notna()
    alike = answers.groupby([group, "side"])["id"].transform("size")
    sided = alike >= limits.one_sided_share * group.groupby(group).transform("size")
    wrong = answers["right"].isin([False])
    small = {
        "too_fast": _too_fast_for_chance(group, answers["fast"], limits),
        "one_sided": _rare(answers, group, limits),
    }
    doubts: dict[Doubt, tuple[pd.Series, pd.Series, int, float]] = {
        "too_fast": (answers["fast"].astype(bool), all_answers, limits.least, limits.fast_share),
        "one_sided": (sided, all_answers, limits.least, limits.one_sided_share),
        "wrong_on_gold": (wrong, of_gold, limits.least_gold, limits.wrong_share),
        "copied": (_copied(answers, group, campaign), all_answers, 1, 0.0),
        "burst": (_in_a_burst(answers["time"], group, limits.burst), all_answers, 1, 0.0),
    }
    tables = []
    for doubt, (is_so, judged, least, share) in doubts.items():
        count, of = is_so.groupby(group).sum(), judged.groupby(group).sum()
        doubtful = (count > 0) & (of >= least) & (count >= share * of)
        if doubt in small:
            doubtful |= (count > 0) & (of < least) & small[doubt]
        doubtful_answers = answers[is_so & group.map(doubtful)].groupby(group)
        table = doubtful_answers.agg(
            annotator=("annotator", "first"), kind=("kind", "first"), count=("id", "size"), events=("id", tuple)
        )
        tables.append(table.assign(doubt=doubt, of=of.reindex(table.index)).astype(object))
    return pd.concat(tables).sort_index(kind="stable").reset_index(drop=True)[list(_CONCERNS)].infer_objects()


def unjudged(living: Iterable[Event], campaign: Campaign, limits: Limits = LIMITS) -> pd.DataFrame:
    """Doubts that too few answers are there to judge: a row for each annotator, kind and doubt, with ``of`` how many.

    Columns ``annotator``, ``doubt``, ``kind`` and ``of``; whatever these few were, nothing would follow from them.
    """
    answers = pd.DataFrame(_judged_rows(living, campaign, limits), columns=_JUDGED)
    people = answers.groupby(["annotator", "kind"], sort=False)
    about = people.agg(of=("id", "size"), luck=("luck", "max"), gold=("right", "count")).reset_index()
    about["luck"] = about["luck"].astype(float)
    few = about["of"] < limits.least
    no_sides = few & about["luck"].notna() & ~(about["luck"] ** (about["of"] - 1) < limits.chance)
    too_few: dict[Doubt, tuple[pd.Series, str]] = {
        "too_fast": (few & ~(limits.slips ** about["of"] < limits.chance), "of"),
        "one_sided": (no_sides, "of"),
        "wrong_on_gold": (about["kind"].isin(_WITH_GOLD) & (about["gold"] < limits.least_gold), "gold"),
    }
    tables = [
        pd.DataFrame({"annotator": rows["annotator"], "doubt": doubt, "kind": rows["kind"], "of": rows[column]})
        for doubt, (is_so, column) in too_few.items()
        for rows in (about[is_so],)
    ]
    return pd.concat(tables).reset_index(drop=True)[list(_UNJUDGED)]


def _too_fast_for_chance(group: pd.Series, fast: pd.Series, limits: Limits) -> pd.Series:
    """Whether, by group, so many answers as are too fast would hardly be so by slips alone."""
    counts = fast.astype(bool).groupby(group).agg(["sum", "size"])
    small_groups = counts[counts["size"] < limits.least]  # of more a share decides, and their sums would be long
    rare = [_at_least(int(count), int(of), limits.slips) < limits.chance for count, of in small_groups.to_numpy()]
    return pd.Series(rare, index=small_groups.index, dtype=bool).reindex(counts.index, fill_value=False)


def _rare(answers: pd.DataFrame, group: pd.Series, limits: Limits) -> pd.Series:
    """Whether, by group, answers that all fall on one side would hardly do so without a preference for it."""
    grouped = answers.assign(luck=answers["luck"].astype(float)).groupby(group)
    return grouped["luck"].max() ** (grouped.size() - 1) < limits.chance


def _at_least(count: int, of: int, part: float) -> float:
    """The probability of so many or more of so many, each with a probability of ``part``."""
    return sum(comb(of, number) * part**number * (1 - part) ** (of - number) for number in range(count, of + 1))


def _judged_rows(living: Iterable[Event], campaign: Campaign, limits: Limits) -> Iterator[tuple[object, ...]]:
    """The rows of :data:`_JUDGED`: each answer with what is to be seen from it alone."""
    items = {item.uid: item for item in campaign.items}
    for event in living:
        if event.campaign == campaign.name and isinstance(event.payload, _ANSWERS):
            item, payload = items.get(event.item), event.payload
            words = (
                f"{event.language} {_plain(payload.text)}" if isinstance(payload, Description | Translation) else None
            )
            fast, right = _is_too_fast(event, item, limits), _is_right(event, item)
            luck = _luck(payload, limits)
            yield event.id, event.annotator, event.kind, event.time, fast, _side(payload), luck, right, words


def _copied(answers: pd.DataFrame, group: pd.Series, campaign: Campaign) -> pd.Series:
    """Texts that repeat one of the campaign's, or one that the same person gave before."""
    campaign_texts = {f"{text.language} {_plain(text.text)}" for item in campaign.items for text in item.texts}
    texts = answers["text"]
    return texts.isin(campaign_texts) | (texts.notna() & texts.to_frame().assign(group=group).duplicated())


def _in_a_burst(time: pd.Series, group: pd.Series, burst: int) -> pd.Series:
    """The answers of everybody's first minute with more than ``burst``."""
    minute = pd.Timedelta(minutes=1)
    starts = time.where(time.groupby(group).shift(-burst) - time < minute)
    first = starts.groupby(group).transform("min")
    return (time >= first) & (time < first + minute)


def _is_right(event: Event, item: Item | None) -> bool | None:
    """Whether an answer to a gold item is right; None for any other."""
    gold = item.gold if item is not None else None
    payload = event.payload
    if gold is None:
        return None
    if gold.kind == "vote" and isinstance(payload, Vote):
        # Whoever calls all texts tied has missed that some are of another pair.
        return set(payload.relevant) <= set(gold.relevant)
    if gold.kind == "verify" and isinstance(payload, Rating):
        return gold.least <= payload.score <= gold.most
    # With less to go by than everything there is no answer that an attentive person must find.
    if gold.kind == "find" and isinstance(payload, FindTarget) and payload.mode == "everything":
        return payload.correct
    return None


def _is_too_fast(event: Event, item: Item | None, limits: Limits) -> bool:
    """Whether an answer came faster than its words can be read, or written; never one without its time."""
    seconds = float(getattr(event.payload, "seconds", 0.0))
    if item is None or not seconds:
        return False
    payload = event.payload
    if isinstance(payload, Description | Translation):
        return seconds < limits.seconds + len(payload.text.split()) / limits.typed_a_second
    return seconds < limits.seconds + _words_read(payload, item, event.language) / limits.read_a_second


def _words_read(payload: Payload, item: Item, language: str) -> int:
    text_ids = (
        {payload.text} if isinstance(payload, Rating) else set(payload.shown) if isinstance(payload, Vote) else set()
    )
    return sum(len(text.text.split()) for text in item.texts if text.language == language and text.id in text_ids)


def _side(payload: Payload) -> str | None:
    """The place of a text that an answer falls on, or the score; None for any other kind."""
    if isinstance(payload, Vote):
        return (
            "tied"
            if len(payload.relevant) == len(payload.shown)
            else f"place {payload.shown.index(payload.relevant[0])}"
        )
    return f"score {payload.score}" if isinstance(payload, Rating) else None


def _luck(payload: Payload, limits: Limits) -> float | None:
    """The probability with which a careful answer falls on the same side as the one before it."""
    if isinstance(payload, Vote) and len(payload.relevant) < len(payload.shown):
        return len(payload.relevant) / len(payload.shown)
    return limits.alike if isinstance(payload, Vote | Rating) else None


def _plain(text: str) -> str:
    return "".join(letter for letter in text.casefold() if unicodedata.category(letter)[0] in "LMN")
