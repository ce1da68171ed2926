"""A campaign's report: everything that its answers say so far, one object for tables, JSON and plots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotate.analysis.agreement import FEW_UNITS, Agreement, agreements
from annotate.analysis.annotator_quality import Concern, concerns
from annotate.analysis.bootstrap import CONFIDENCE, FEW, Estimate
from annotate.analysis.bradley_terry import strengths
from annotate.analysis.payments import Payment, ledger
from annotate.analysis.report_strings import Note, words
from annotate.analysis.target_accuracy import Accuracy, accuracies
from annotate.analysis.votes import QUESTIONS, Ballots, Question, Shares, ballots, shares
from annotate.campaigns.campaign import Campaign
from annotate.campaigns.text_status import text_statuses
from annotate.records.events import Event, live


@dataclass(frozen=True)
class Preferences:
    """Of the votes in one language: who got which share, and how strong each model is."""

    votes: Ballots
    shares: dict[Question, Shares]
    strengths: dict[Question, dict[str, Estimate]]


@dataclass(frozen=True)
class Answers:
    """How many answers of a kind stand in one language, and of how many people."""

    kind: str
    language: str
    answers: int
    annotators: int


@dataclass(frozen=True)
class Report:
    """One campaign at one time; ``statuses`` counts what became of its texts, ``notes`` are what to bear in mind."""

    campaign: str
    answers: tuple[Answers, ...]
    preferences: dict[str, Preferences]
    agreements: tuple[Agreement, ...]
    target_finding: tuple[Accuracy, ...]
    statuses: dict[str, int]
    payments: tuple[Payment, ...]
    concerns: tuple[Concern, ...]
    notes: tuple[Note, ...]


def make_report(events: Iterable[Event], campaign: Campaign, seed: int = 0) -> Report:
    """Compute everything anew; ``seed`` draws the annotators of the intervals."""
    living = [event for event in live(events) if event.campaign == campaign.name]
    cast = {language: ballots(living, campaign, language) for language in campaign.languages}
    preferences = {
        language: Preferences(
            votes,
            {question: shares(votes, question, seed) for question in QUESTIONS},
            {question: strengths(votes, question, seed) for question in QUESTIONS},
        )
        for language, votes in cast.items()
        if votes.cast
    }
    agreed = agreements(living, campaign, cast)
    found = accuracies(living, campaign, seed)
    texts = text_statuses(living, campaign)
    doubtful = tuple(concerns(living, campaign))
    return Report(
        campaign.name,
        tuple(_answers(living)),
        preferences,
        tuple(agreed),
        tuple(found),
        dict(Counter(one.status for one in texts)),
        tuple(ledger(texts)),
        doubtful,
        tuple(_notes(cast, agreed, found, doubtful)),
    )


def _answers(living: Iterable[Event]) -> Iterator[Answers]:
    people: dict[tuple[str, str], list[str]] = {}
    for event in living:
        people.setdefault((event.kind, event.language), []).append(event.annotator)
    for (kind, language), who in sorted(people.items()):
        yield Answers(kind, language, len(who), len(set(who)))


def _notes(
    cast: dict[str, Ballots], agreed: list[Agreement], found: list[Accuracy], doubtful: tuple[Concern, ...]
) -> Iterator[Note]:
    for language, votes in cast.items():
        if votes.cast and len(votes.annotators) < FEW:
            yield _few("results.note_few", len(votes.annotators), language)
        if votes.cast and votes.tied_items:
            yield Note("results.note_tied", {"items": votes.tied_items, "language": language})
        if votes.unknown:
            yield Note("results.note_unknown", {"votes": votes.unknown, "language": language})
    for language in dict.fromkeys(one.language for one in found):
        people = min(one.annotators for one in found if one.language == language)
        if people < FEW:
            yield _few("results.note_few_found", people, language)
    if any(one.units < FEW_UNITS for one in agreed):
        yield Note("results.note_units", {"units": FEW_UNITS})
    if agreed:
        yield Note("results.note_prevalence")
    if doubtful:
        yield Note("results.note_doubtful", {"people": len({one.annotator for one in doubtful})})


def _few(key: str, people: int, language: str) -> Note:
    if people < 2:  # noqa: PLR2004
        return Note(key.replace("few", "one"), {"language": language})
    return Note(key, {"people": people, "language": language})


def as_json(report: Report) -> dict[str, Any]:
    """The object that ``report --json`` prints: parts of 1, money as exact decimals in dollars."""
    return {
        "campaign": report.campaign,
        "confidence": CONFIDENCE,
        "answers": [vars(one) for one in report.answers],
        "votes": {language: _preferences_json(one) for language, one in report.preferences.items()},
        "agreement": [
            {
                **vars(one),
                "reading": one.reading,
                "reading_says": words()(f"results.reading_{one.reading}"),
                "kappa_word": one.kappa_word,
            }
            for one in report.agreements
        ],
        "target_finding": [
            {**vars(one), "right": _estimate_json(one.right), "paper": one.paper} for one in report.target_finding
        ],
        "texts": report.statuses,
        "ledger": [
            {**vars(one), "pay": str(one.pay), "bonus": str(one.bonus), "total": str(one.total)}
            for one in report.payments
        ],
        "owed": str(owed(report)),
        "doubtful": [{**vars(one), "events": list(one.events)} for one in report.concerns],
        "notes": [words().note(note) for note in report.notes],
    }


def owed(report: Report) -> Decimal:
    """Dollars to all annotators together."""
    return sum((one.total for one in report.payments), Decimal("0.00"))


def _preferences_json(one: Preferences) -> dict[str, Any]:
    return {
        "votes": one.votes.votes,
        "annotators": len(one.votes.annotators),
        "tied_items": one.votes.tied_items,
        **{
            question: {
                "shares": {model: _estimate_json(share) for model, share in one.shares[question].of.items()},
                "tied": _estimate_json(one.shares[question].tied),
                "strengths": {model: _estimate_json(found) for model, found in one.strengths[question].items()},
            }
            for question in QUESTIONS
        },
    }


def _estimate_json(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "interval": None if estimate.interval is None else list(estimate.interval)}
