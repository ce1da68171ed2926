"""Reports of a campaign: all results so far as tables, with payments and signs of careless answers."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import comb, nan
from typing import Any, Literal

import pandas as pd

from annotate.analysis.statistics import (
    CONFIDENCE,
    FEW_ANNOTATORS,
    FEW_UNITS,
    NOBODY,
    QUESTIONS,
    TIED,
    Frames,
    Question,
    accuracies,
    agreements,
    dialogue_answers,
    fooling,
    frames,
    judged_texts,
    repairs,
    shares,
    strengths,
)
from annotate.analysis.strings import Note, words
from annotate.campaigns import Campaign, flags_of
from annotate.kinds import BY_RECORD, TASK_KINDS, WRITE, Care, Item, Kind, OwnAnswer, Questions, Vote
from annotate.records import HOLDS, Completion, Decision, Event, Flag, counted, live, rejections

Measure = Callable[[pd.DataFrame, Question, int], pd.DataFrame]

PAY: Mapping[Kind, Decimal] = {WRITE.key: Decimal("0.18")}  # dollars for each answer of a kind, as in the paper

_ENDS = ("value", "low", "high")


@dataclass(frozen=True)
class Report:
    """The results of one campaign at one time, as tables, with ``notes`` on how to read them.

    ``answers``: the number of answers of a kind in one language and of their annotators, the median duration in
    ``seconds``, and the dollars that this makes in an hour if the pay of the kind is known. ``turnout``: for each
    language of the campaign the ``votes`` and their ``annotators``, the ``tied_items`` with identical texts, and
    the ``unknown`` votes for texts that the campaign lacks. ``shares`` and ``strengths``: by language and
    question. ``questions``: by own question, language and source of the text, the number of ``answers``, their
    ``mean`` (for yes and no the share of yes) and ``counts`` of the values to choose. ``texts``: the number with
    each status. ``flags``: each flagged pair with its number of flags and of the
    ``people`` who gave them, their ``reasons`` in words, and the owner's decision, empty while it waits.
    ``rejected``: the people whose answers the owner rejected. The other tables are described in the modules of the
    same name.
    """

    campaign: str
    answers: pd.DataFrame
    turnout: pd.DataFrame
    shares: pd.DataFrame
    strengths: pd.DataFrame
    agreement: pd.DataFrame
    target_finding: pd.DataFrame
    repairs: pd.DataFrame
    dialogues: pd.DataFrame
    fooling: pd.DataFrame
    questions: pd.DataFrame
    texts: pd.DataFrame
    payments: pd.DataFrame
    completions: pd.DataFrame
    quality: pd.DataFrame
    flags: pd.DataFrame
    rejected: pd.DataFrame
    notes: tuple[Note, ...]

    @property
    def preferences(self) -> pd.DataFrame:
        """The shares with the strength of each model in columns ending in ``_strength``, which are empty for ties."""
        keys = ["language", "question", "model"]
        return self.shares.merge(self.strengths, on=keys, how="left", suffixes=("", "_strength"))

    @property
    def owed(self) -> Decimal:
        """The dollars owed to all annotators together."""
        return sum(self.payments["total"], Decimal("0.00"))


def make_report(
    events: Iterable[Event],
    campaign: Campaign,
    seed: int = 0,
    *,
    pay: Mapping[Kind, Decimal] = PAY,
    without_doubtful: bool = False,
) -> Report:
    """Compute the report of these events; ``seed`` draws the annotators for the intervals.

    ``pay`` is what an answer of a kind pays, in dollars. ``without_doubtful`` leaves out all answers of people whose
    answers are doubtful, except from payments.
    """
    events = [event for event in live(events) if event.campaign == campaign.name]
    answers, paid = (counted(events, campaign.name, paid=with_paid) for with_paid in (False, True))
    doubtful = concerns(answers, campaign)
    suspects = set(doubtful["annotator"]) if without_doubtful else set[str]()
    living = [event for event in answers if event.annotator not in suspects]
    tables = frames(living, campaign)
    turnout = _turnout(tables, campaign)
    agreed = agreements(tables.votes, tables.ratings, tables.judged)
    accuracy = accuracies(tables.choices, campaign.languages, seed)
    finished = completions(events, paid)
    texts = tables.texts if len(paid) == len(living) else judged_texts(paid, campaign)
    rejected = [(person, rejection.reason, rejection.pays) for person, rejection in rejections(events).items()]
    return Report(
        campaign.name,
        _answer_counts(tables.answers, pay),
        turnout,
        _of_each(shares, tables.votes, seed),
        _of_each(strengths, tables.votes, seed),
        agreed,
        accuracy,
        repairs(living, campaign, seed),
        dialogue_answers(tables.judged, seed),
        fooling(living, seed),
        own_answers(living, campaign),
        tables.texts.groupby("status").size().reset_index(name="count"),
        ledger(texts, pay.get(WRITE.key, PAY[WRITE.key])),
        finished,
        doubtful,
        _flag_counts(answers),
        pd.DataFrame(rejected, columns=["annotator", "reason", "pays"]),
        (
            *_left_out_notes([event for event in answers if event.annotator in suspects]),
            *_notes(turnout, agreed, accuracy, doubtful[:0] if without_doubtful else doubtful),
            *_unjudged_notes(unjudged(living, campaign)),
            *_participant_notes(finished),
        ),
    )


def _answer_counts(answers: pd.DataFrame, pay: Mapping[Kind, Decimal]) -> pd.DataFrame:
    counts = {"answers": ("id", "size"), "annotators": ("annotator", "nunique"), "seconds": ("seconds", "median")}
    table = answers.groupby(["kind", "language"]).agg(**counts).reset_index()
    dollars = table["kind"].map({TASK_KINDS[kind].record.kind: float(sum_) for kind, sum_ in pay.items()})
    return table.assign(hourly=(3600 * dollars.astype(float) / table["seconds"]).round(2))


def _flag_counts(answers: Iterable[Event]) -> pd.DataFrame:
    answers = list(answers)
    flagged = [(event, flag) for event in answers for flag in flags_of(event.payload)]
    counts = Counter((event.item, flag) for event, flag in flagged)
    choices = {event.item: event.payload.choice for event in answers if isinstance(event.payload, Decision)}
    items = {item: -sum(counts[item, flag] for flag in HOLDS) for item in [*choices, *(item for item, _ in counts)]}
    rows = []
    for item in sorted(items, key=lambda item: items[item]):
        flags = [event for event, _ in flagged if event.item == item]
        reasons = [
            event.payload.comment for event in flags if isinstance(event.payload, Flag) and event.payload.comment
        ]
        people = len({event.annotator for event in flags})
        rows.append((item, *(counts[item, flag] for flag in HOLDS), people, "; ".join(reasons), choices.get(item, "")))
    return pd.DataFrame(rows, columns=["item", *HOLDS, "people", "reasons", "decision"])


def _turnout(tables: Frames, campaign: Campaign) -> pd.DataFrame:
    by_people = tables.votes["annotator"] != NOBODY
    people, tied = tables.votes[by_people].groupby("language"), tables.votes[~by_people].groupby("language")
    vote_answers = tables.answers[(tables.answers["kind"] == Vote.kind) & ~tables.answers["gold"].astype(bool)]
    votes = people["vote"].nunique()
    counts = {
        "votes": votes,
        "annotators": people["annotator"].nunique(),
        "tied_items": tied["item"].nunique(),
        "unknown": vote_answers.groupby("language").size().sub(votes, fill_value=0),
    }
    languages = pd.Index(campaign.languages, name="language")
    return pd.DataFrame(counts).reindex(languages).fillna(0).astype(int).reset_index()


def own_answers(living: Iterable[Event], campaign: Campaign) -> pd.DataFrame:
    """Return the table ``questions`` of a report, in the campaign's order of questions."""
    sources = {(item.uid, text.language, text.id): text.source for item in campaign.items for text in item.texts}
    given: dict[tuple[str, str, str], list[OwnAnswer]] = {}
    for event in living:
        if isinstance(event.payload, Questions) and event.campaign == campaign.name:
            source = sources.get((event.item, event.language, event.payload.text), event.payload.text)
            for answer in event.payload.answers:
                given.setdefault((answer.question, event.language, source), []).append(answer)
    rows = []
    for question in campaign.own_questions:
        for id_, language, source in sorted(given):
            if id_ == question.id:
                answers = given[id_, language, source]
                numbers = [nan if answer.number is None else answer.number for answer in answers]
                times = Counter(answer.value for answer in answers)
                counts = {value: times[value] for value in question.choosable}
                rows.append((language, id_, source, len(answers), sum(numbers) / len(numbers), counts))
    return pd.DataFrame(rows, columns=["language", "question", "source", "answers", "mean", "counts"])


def _of_each(measure: Measure, votes: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return a measure of the votes for each language and question, in one table."""
    measures = {
        (language, question): measure(cast, question, seed)
        for language, cast in votes.groupby("language", sort=False)
        for question in QUESTIONS
    }
    if not measures:
        return pd.DataFrame(columns=["language", "question", "model", "value", "low", "high"])
    return (
        pd.concat(measures, names=["language", "question"]).reset_index(["language", "question"]).reset_index(drop=True)
    )


def _notes(
    turnout: pd.DataFrame, agreed: pd.DataFrame, accuracy: pd.DataFrame, doubtful: pd.DataFrame
) -> Iterator[Note]:
    for row in turnout.itertuples():
        if row.votes and row.annotators < FEW_ANNOTATORS:
            yield _few_people_note("results.note_few", row.annotators, row.language)
        if row.tied_items:
            yield Note("results.note_tied", {"items": row.tied_items, "language": row.language})
        if row.unknown:
            yield Note("results.note_unknown", {"votes": row.unknown, "language": row.language})
    for language, people in accuracy.groupby("language", sort=False)["annotators"].min().items():
        if people < FEW_ANNOTATORS:
            yield _few_people_note("results.note_few_found", people, str(language))
    if (agreed["units"] < FEW_UNITS).any():
        yield Note("results.note_units", {"units": FEW_UNITS})
    if not agreed.empty:
        yield Note("results.note_prevalence")
    if not doubtful.empty:
        yield Note("results.note_doubtful", {"people": doubtful["annotator"].nunique()})


def _left_out_notes(left_out: Sequence[Event]) -> Iterator[Note]:
    if left_out:
        people, given = {event.annotator for event in left_out}, [e for e in left_out if e.kind in BY_RECORD]
        yield Note("results.note_left_out", {"people": len(people), "answers": len(given)})


def _unjudged_notes(doubts: pd.DataFrame) -> Iterator[Note]:
    """Yield notes on the doubts that could not be judged, with the number of people."""
    for doubt, people in doubts.groupby("doubt", sort=False)["annotator"].nunique().items():
        yield Note(f"results.note_unjudged_{doubt}", {"people": int(people)})


def _participant_notes(finished: pd.DataFrame) -> Iterator[Note]:
    """Yield notes on participants who count as several people because they used several browsers or accounts."""
    for participant, people in finished.groupby("participant")["annotator"].nunique().items():
        if people > 1:
            yield Note("results.note_several", {"participant": str(participant), "people": int(people)})


def _few_people_note(key: str, people: int, language: str) -> Note:
    if people < 2:  # noqa: PLR2004
        return Note(key.replace("few", "one"), {"language": language})
    return Note(key, {"people": people, "language": language})


def as_json(report: Report) -> dict[str, Any]:
    """Return the object that ``report --json`` prints: shares from 0 to 1, money as exact decimals in dollars."""
    agreed = records(report.agreement)
    return {
        "campaign": report.campaign,
        "confidence": CONFIDENCE,
        "answers": records(report.answers),
        "votes": {row["language"]: _votes_json(report, row) for row in records(report.turnout) if row["votes"]},
        "agreement": [{**row, "reading_says": words()(f"results.reading_{row['reading']}")} for row in agreed],
        "target_finding": _with_estimates(report.target_finding, "right"),
        "repairs": _with_estimates(report.repairs, "won"),
        "dialogues": _with_estimates(report.dialogues, "right"),
        "fooling": _with_estimates(report.fooling, "found"),
        "questions": records(report.questions),
        "texts": dict(zip(report.texts["status"], report.texts["count"].tolist(), strict=True)),
        "ledger": records(report.payments.astype(dict.fromkeys(("pay", "bonus", "total"), str))),
        "owed": str(report.owed),
        "completions": records(report.completions),
        "doubtful": [{**row, "events": list(row["events"])} for row in records(report.quality)],
        "flags": records(report.flags),
        "rejected": records(report.rejected),
        "notes": [words().note(note) for note in report.notes],
    }


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as plain objects, with None for missing numbers."""
    plain = table.astype(object)
    return [
        {str(name): value for name, value in row.items()} for row in plain.where(plain.notna(), None).to_dict("records")
    ]


def _votes_json(report: Report, turnout: dict[str, Any]) -> dict[str, Any]:
    of_it: dict[str, Any] = {name: turnout[name] for name in ("votes", "annotators", "tied_items")}
    for question in QUESTIONS:
        model_shares, model_strengths = (
            {
                row["model"]: _estimate_json(row)
                for row in records(table)
                if (row["language"], row["question"]) == (turnout["language"], question)
            }
            for table in (report.shares, report.strengths)
        )
        of_it[question] = {"tied": model_shares.pop(TIED), "shares": model_shares, "strengths": model_strengths}
    return of_it


def _with_estimates(table: pd.DataFrame, name: str) -> list[dict[str, Any]]:
    plain = [{key: value for key, value in row.items() if key not in _ENDS} for row in records(table)]
    return [{**about, name: _estimate_json(row)} for about, row in zip(plain, records(table), strict=True)]


def _estimate_json(row: dict[str, Any]) -> dict[str, Any]:
    return {"value": row["value"], "interval": None if row["low"] is None else [row["low"], row["high"]]}


# Payments: the sums owed for descriptions by the paper's Appendix B.4, exact to the cent, and finished batches.
#
# Every description is paid 0.18 dollars. A good one, accepted by verification, earns a bonus that grows: 0.02
# for each of the first 25, 0.03 for each of the next 50, 0.04 for each of the 50 after those, and so on. The
# pay for a batch is agreed between the owner and the payment service.

_FIRST_BONUS = 2  # cents
_FIRST_STEP, _FURTHER_STEPS = 25, 50  # good descriptions


def ledger(texts: pd.DataFrame, pay: Decimal = PAY[WRITE.key]) -> pd.DataFrame:
    """Return what each author of the texts of ``frames`` has earned at ``pay``, sorted by name, in dollars.

    ``waiting`` descriptions may still become ``good``; ``total`` is ``pay`` plus ``bonus``.
    """
    written = texts[texts["author"] != ""]
    table = pd.DataFrame(
        {
            "descriptions": written.groupby("author").size(),
            "good": (written["status"] == "accepted").groupby(written["author"]).sum(),
            "waiting": (written["status"] == "waiting").groupby(written["author"]).sum(),
        }
    )
    table["pay"] = [pay * count for count in table["descriptions"]]
    table["bonus"] = [bonus(count) for count in table["good"]]
    table["total"] = table["pay"] + table["bonus"]
    return table.rename_axis("annotator").reset_index()


def completions(living: Sequence[Event], paid: Iterable[Event]) -> pd.DataFrame:
    """Return who can be paid for finished batches, sorted by name, from the live events of one campaign.

    A batch is ``payable`` while its ``answers`` are still among the ``paid`` events; ``codes`` are those of payable
    batches, separated by spaces. ``participant`` is a pseudonym of the person's id at the payment service.
    """
    answers = Counter(event.annotator for event in paid if event.kind in BY_RECORD)
    finished: dict[tuple[str, str], list[Completion]] = {}
    for event in living:
        if isinstance(event.payload, Completion):
            finished.setdefault((event.payload.participant, event.annotator), []).append(event.payload)
    rows = []
    for (participant, annotator), batches in sorted(finished.items()):
        standing = answers[annotator]
        payable = [batch.code for batch in sorted(batches, key=lambda batch: batch.number) if batch.answers <= standing]
        rows.append((participant, annotator, standing, len(batches), len(payable), " ".join(payable)))
    return pd.DataFrame(rows, columns=["participant", "annotator", "answers", "batches", "payable", "codes"])


def bonus(good: int) -> Decimal:
    """Return the dollars in addition to the pay for that many good descriptions."""
    cents, rate, step = 0, _FIRST_BONUS, _FIRST_STEP
    while good > 0:
        cents += rate * min(good, step)
        good, rate, step = good - step, rate + 1, _FURTHER_STEPS
    return _dollars(cents)


def _dollars(cents: int) -> Decimal:
    return Decimal(cents).scaleb(-2)


# Annotator quality: signs of careless answers, for the owner to review; no answer is dropped because of them.
#
# Pure functions of events and their campaign, with configurable limits. For many answers a share decides. For
# few answers, the probability decides with which a careful person gives such answers by chance. Answers too few
# even for that are reported as unjudged.

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
