"""Reports of a campaign: all results so far as tables, the source of the files, JSON and plots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pandas as pd

from annotate.analysis.agreement import FEW_UNITS, agreements
from annotate.analysis.annotator_quality import concerns, unjudged
from annotate.analysis.bootstrap import CONFIDENCE, FEW_ANNOTATORS
from annotate.analysis.bradley_terry import strengths
from annotate.analysis.frames import NOBODY, Frames, frames
from annotate.analysis.payments import completions, ledger
from annotate.analysis.report_strings import Note, words
from annotate.analysis.target_accuracy import accuracies
from annotate.analysis.votes import QUESTIONS, TIED, Question, shares
from annotate.campaigns.campaign import Campaign
from annotate.kinds.vote import Vote
from annotate.records.events import Event, live

Measure = Callable[[pd.DataFrame, Question, int], pd.DataFrame]

_ENDS = ("value", "low", "high")


@dataclass(frozen=True)
class Report:
    """The results of one campaign at one time, as tables, with ``notes`` on how to read them.

    ``answers``: the number of answers of a kind in one language, and of their annotators. ``turnout``: for each
    language of the campaign the ``votes`` and their ``annotators``, the ``tied_items`` with identical texts, and
    the ``unknown`` votes for texts that the campaign lacks. ``shares`` and ``strengths``: by language and
    question. ``texts``: the number with each status. The other tables are described in the modules of the same
    name.
    """

    campaign: str
    answers: pd.DataFrame
    turnout: pd.DataFrame
    shares: pd.DataFrame
    strengths: pd.DataFrame
    agreement: pd.DataFrame
    target_finding: pd.DataFrame
    texts: pd.DataFrame
    payments: pd.DataFrame
    completions: pd.DataFrame
    quality: pd.DataFrame
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


def make_report(events: Iterable[Event], campaign: Campaign, seed: int = 0) -> Report:
    """Compute the report of these events; ``seed`` draws the annotators for the intervals."""
    living = live(events)
    tables = frames(living, campaign)
    turnout = _turnout(tables, campaign)
    agreed = agreements(tables.votes, tables.ratings)
    accuracy = accuracies(tables.choices, campaign.languages, seed)
    doubtful = concerns(living, campaign)
    finished = completions([event for event in living if event.campaign == campaign.name])
    answer_counts = tables.answers.groupby(["kind", "language"])["annotator"].agg(answers="size", annotators="nunique")
    return Report(
        campaign.name,
        answer_counts.reset_index(),
        turnout,
        _of_each(shares, tables.votes, seed),
        _of_each(strengths, tables.votes, seed),
        agreed,
        accuracy,
        tables.texts.groupby("status").size().reset_index(name="count"),
        ledger(tables.texts),
        finished,
        doubtful,
        (
            *_notes(turnout, agreed, accuracy, doubtful),
            *_unjudged_notes(unjudged(living, campaign)),
            *_participant_notes(finished),
        ),
    )


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
    agreed, target_finding = records(report.agreement), records(report.target_finding)
    return {
        "campaign": report.campaign,
        "confidence": CONFIDENCE,
        "answers": records(report.answers),
        "votes": {row["language"]: _votes_json(report, row) for row in records(report.turnout) if row["votes"]},
        "agreement": [{**row, "reading_says": words()(f"results.reading_{row['reading']}")} for row in agreed],
        "target_finding": [
            {**{name: value for name, value in row.items() if name not in _ENDS}, "right": _estimate_json(row)}
            for row in target_finding
        ],
        "texts": dict(zip(report.texts["status"], report.texts["count"].tolist(), strict=True)),
        "ledger": records(report.payments.astype(dict.fromkeys(("pay", "bonus", "total"), str))),
        "owed": str(report.owed),
        "completions": records(report.completions),
        "doubtful": [{**row, "events": list(row["events"])} for row in records(report.quality)],
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


def _estimate_json(row: dict[str, Any]) -> dict[str, Any]:
    return {"value": row["value"], "interval": None if row["low"] is None else [row["low"], row["high"]]}
