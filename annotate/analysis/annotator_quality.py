"""Annotator quality: signs of careless answers, for the owner to review; no answer is dropped because of them.

Pure functions of events and their campaign, with configurable limits. For many answers a share decides. For
few answers, the probability decides with which a careful person gives such answers by chance. Answers too few
even for that are reported as unjudged.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb
from typing import Literal

import pandas as pd

from annotate.campaigns.campaign import Campaign
from annotate.kinds.registry import BY_RECORD, TASK_KINDS
from annotate.kinds.task_kind import Care, Item
from annotate.records.events import Event

Doubt = Literal["too_fast", "one_sided", "wrong_on_gold", "copied", "burst"]


@dataclass(frozen=True)
class Limits:
    """Limits for doubtful answers.

    An answer is too fast if a person had to read more than ``read_a_second`` words or type more than
    ``typed_a_second`` words a second, after ``seconds`` for the quickest look at two pictures. ``fast_share`` and
    ``one_sided_share`` are the shares of answers that are too fast, or fall on the same place or score, of
    ``least`` answers or more; ``wrong_share`` is that of wrong answers to ``least_gold`` gold items or more.
    ``burst`` answers fit in a minute.

    Fewer than ``least`` answers are doubtful if a careful person gives such answers with a probability below
    ``chance``. Such a person is too fast in a share of ``slips`` answers, chooses each place with the same
    probability, and finds texts equally good, or worth the same score, in a share of up to ``alike`` answers.
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
_WITH_GOLD = frozenset(kind.record.kind for kind in TASK_KINDS.values() if kind.has_right_answer)
_JUDGED = ("id", "annotator", "kind", "time", "fast", "side", "luck", "right", "text")
_CONCERNS = ("annotator", "doubt", "kind", "count", "of", "events")
_UNJUDGED = ("annotator", "doubt", "kind", "of")


def concerns(living: Iterable[Event], campaign: Campaign, limits: Limits = LIMITS) -> pd.DataFrame:
    """Return a row for each doubt about one annotator's live answers of one kind.

    Columns: ``annotator``, ``doubt``, ``kind``, the ``count`` of such answers ``of`` how many, and the ids of
    their ``events``. Rows are in the order in which the annotators first answered.
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
    """Return a row for each annotator, kind and doubt with too few answers to judge.

    Columns: ``annotator``, ``doubt``, ``kind``, and ``of``, the number of answers. Nothing would follow from
    these few, whatever they are.
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
    """Return by group whether slips alone are an unlikely reason for so many too fast answers."""
    counts = fast.astype(bool).groupby(group).agg(["sum", "size"])
    small_groups = counts[counts["size"] < limits.least]  # larger groups are judged by the share
    rare = [_at_least(int(count), int(of), limits.slips) < limits.chance for count, of in small_groups.to_numpy()]
    return pd.Series(rare, index=small_groups.index, dtype=bool).reindex(counts.index, fill_value=False)


def _rare(answers: pd.DataFrame, group: pd.Series, limits: Limits) -> pd.Series:
    """Return by group whether answers that all fall on one side are unlikely without a preference for it."""
    grouped = answers.assign(luck=answers["luck"].astype(float)).groupby(group)
    return grouped["luck"].max() ** (grouped.size() - 1) < limits.chance


def _at_least(count: int, of: int, part: float) -> float:
    """Return the binomial probability of at least ``count`` successes in ``of`` trials of probability ``part``."""
    return sum(comb(of, number) * part**number * (1 - part) ** (of - number) for number in range(count, of + 1))


def _judged_rows(living: Iterable[Event], campaign: Campaign, limits: Limits) -> Iterator[tuple[object, ...]]:
    """Yield the rows of :data:`_JUDGED`: each answer with what can be told from it alone."""
    items = {item.uid: item for item in campaign.items}
    for event in living:
        kind, item = BY_RECORD.get(event.kind), items.get(event.item)
        if event.campaign == campaign.name and kind is not None and kind.care is not None:
            care, gold = kind.care(event.payload), None if item is None else item.gold
            words = f"{event.language} {_plain(care.typed)}" if care.typed else None
            right = kind.is_right(event.payload, gold) if gold is not None and gold.kind == kind.key else None
            fast = _is_too_fast(event, care, item, limits)
            luck = limits.alike if care.side and care.luck is None else care.luck
            yield event.id, event.annotator, event.kind, event.time, fast, care.side, luck, right, words


def _copied(answers: pd.DataFrame, group: pd.Series, campaign: Campaign) -> pd.Series:
    """Return whether a text repeats one of the campaign's texts, or an earlier one of the same person."""
    campaign_texts = {f"{text.language} {_plain(text.text)}" for item in campaign.items for text in item.texts}
    texts = answers["text"]
    return texts.isin(campaign_texts) | (texts.notna() & texts.to_frame().assign(group=group).duplicated())


def _in_a_burst(time: pd.Series, group: pd.Series, burst: int) -> pd.Series:
    """Return whether an answer lies in its annotator's first minute with more than ``burst`` answers."""
    minute = pd.Timedelta(minutes=1)
    starts = time.where(time.groupby(group).shift(-burst) - time < minute)
    first = starts.groupby(group).transform("min")
    return (time >= first) & (time < first + minute)


def _is_too_fast(event: Event, care: Care, item: Item | None, limits: Limits) -> bool:
    """Return whether an answer came faster than its words can be read or written; False if it has no duration."""
    seconds = float(getattr(event.payload, "seconds", 0.0))
    if item is None or not seconds:
        return False
    if care.typed:
        return seconds < limits.seconds + len(care.typed.split()) / limits.typed_a_second
    texts = (text for text in item.texts if text.language == event.language and text.id in care.read)
    return seconds < limits.seconds + sum(len(text.text.split()) for text in texts) / limits.read_a_second


def _plain(text: str) -> str:
    return "".join(letter for letter in text.casefold() if unicodedata.category(letter)[0] in "LMN")
