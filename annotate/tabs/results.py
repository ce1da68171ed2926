"""Results and other pages for owners; all other annotators see only their own progress.

An annotator who may still vote must not learn which model wrote a text or which one leads, or the vote
would not be blind. So the models' names, shares and data about single annotators are for owners only, and
the page says so. An owner who may still vote is asked first. Overall progress is for owners too: it does
not grow with answers to gold items, which would give them away.
"""

from __future__ import annotations

import base64
import io
import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

from annotate.analysis.bootstrap import CONFIDENCE
from annotate.analysis.report import Report, as_json, make_report
from annotate.analysis.report_strings import Note
from annotate.analysis.report_tables import in_one_table, payment_file
from annotate.analysis.votes import PAPER_SHARES, QUESTIONS, TIED
from annotate.campaigns.text_status import text_statuses
from annotate.errors import RefusedError
from annotate.identity import Annotator
from annotate.kinds.real_pair import RealPair
from annotate.kinds.registry import TASK_KINDS
from annotate.page_services import PageServices, PageWords
from annotate.publishing.export import export
from annotate.publishing.publisher import PublishingState
from annotate.records.api import Coverage, Kind
from annotate.records.events import Event
from annotate.records.kinds import StepFeedback
from annotate.storage.participants import every_participant
from annotate.storage.store import Store
from annotate.tabs.actions import Context, Response
from annotate.tasks.activity import Active, active_people, still_wanted
from annotate.tasks.admission.rate_limit import COSTS
from annotate.tasks.service import AnnotationService

VIEW = "results"
FORMS = ("json", "csv", "answers", "payments")
MAX_DOWNLOAD_BYTES = 30_000_000  # bytes of a file sent within a response


@dataclass(frozen=True)
class OwnProgress:
    """The progress of one annotator in a kind and language."""

    kind: Kind
    language: str
    given: int


class FeedbackCount(NamedTuple):
    """The number of a model's steps, in one language and with one verdict, judged ``right`` and ``wrong``."""

    model: str
    language: str
    verdict: str
    right: int
    wrong: int


@dataclass(frozen=True)
class File:
    """A file for the browser to save; ``data`` is base64."""

    name: str
    type: str
    data: str


@dataclass(frozen=True)
class OwnerPanel:
    """The owner's panel: the state of publishing, answers still wanted, and annotators at work."""

    state: PublishingState
    wanted: Sequence[Coverage]
    active: Sequence[Active]
    pays: bool = False  # whether there are participants of payment services


@dataclass(frozen=True)
class OwnerPages:
    """The pages for owners; ``publish`` starts publishing without waiting, ``state`` returns its state.

    ``asked_here`` names the models that every visitor of the page may use.
    """

    service: AnnotationService
    services: PageServices
    state: Callable[[], PublishingState]
    publish: Callable[[], object]
    asked_here: frozenset[str]

    def askable(self, annotator: Annotator | None) -> tuple[str, ...]:
        """Return the models that are voted on and can also be used on this page; empty unless for an owner."""
        if annotator is None or not annotator.is_owner:
            return ()
        return tuple(sorted(self.service.campaign.models_compared() & self.asked_here))

    def panel(self, annotator: Annotator | None) -> OwnerPanel | None:
        """Return the panel of an owner; None for all others."""
        if annotator is None or not annotator.is_owner:
            return None
        wanted, active = tuple(still_wanted(self.service)), active_people(self.service)
        return OwnerPanel(self.state(), wanted, active, pays=bool(participants_of(self.service)))

    def results(self, context: Context) -> Response:
        """Return the page of results; an owner who may still vote is asked before it names any model."""
        annotator = context.annotator
        self.service.spend(annotator, COSTS[VIEW])
        asks = annotator.is_owner and context.action.get("unblind") is not True and may_vote(self.service, annotator)
        if annotator.is_owner and not asks:
            self.service.reveal.open_results(annotator.pseudonym)
        panel, askable = self.panel(annotator), self.askable(annotator)
        html = results_html(self.service, annotator, self.services, panel, askable, asks=asks)
        return {"outcome": "shown", "view": VIEW, "html": html}

    def publish_now(self, context: Context) -> Response:
        """Publish pending answers and return the updated panel; raise :class:`RefusedError` ``owners_only``."""
        if context.annotator.is_owner:
            self.publish()
        return self.refreshed(context)

    def refreshed(self, context: Context) -> Response:
        """Return the updated panel; raise :class:`RefusedError` ``owners_only``."""
        panel = self.panel(context.annotator)
        if panel is None:
            raise RefusedError("owners_only")
        html = self.services.render("owner_panel.html", owner=panel)
        waiting = panel.state.waiting + panel.state.leaving
        return {"outcome": "part", "part": "owner", "html": html, "waiting": waiting}

    def file(self, context: Context) -> Response:
        """Return a file of results for the browser to save."""
        file = download(self.service, context.annotator, context.text("form"))
        if context.text("form") != "payments":  # payments name no models
            self.service.reveal.open_results(context.annotator.pseudonym)
        return {"outcome": "part", "part": "file", "name": file.name, "type": file.type, "data": file.data}


def may_vote(service: AnnotationService, annotator: Annotator) -> bool:
    """Return whether the annotator has votes left."""
    votes = (ask for ask in service.asks() if TASK_KINDS[ask[0]].compares_models)
    return any(service.progress(annotator, *ask).left for ask in votes)


def results_html(  # noqa: PLR0913  each is shown separately
    service: AnnotationService,
    annotator: Annotator,
    services: PageServices,
    owner: OwnerPanel | None = None,
    askable: Sequence[str] = (),
    *,
    asks: bool = False,
) -> str:
    """Return the markup: all results for an owner, own progress for others or if it ``asks`` the owner first.

    ``askable`` are models that are voted on and can also be used on this page.
    """
    report = _report(service) if annotator.is_owner and not asks else None
    return services.render(
        "results.html",
        title=services.lent_text(service.campaign.title),
        asks=asks,
        own=[] if report else list(_own_progress(service, annotator)),
        coverage=service.coverage() if report else (),
        report=report,
        lines={} if report is None else _lines(report),
        tied=TIED,
        notes=[] if report is None else [(note.key, _places(note, services)) for note in report.notes],
        questions=QUESTIONS,
        paper=PAPER_SHARES,
        named=lambda language: _language_name(language, services),
        percent=percent,
        ends=ends,
        bar=bar,
        isnan=isnan,
        confidence=round(100 * CONFIDENCE),
        feedback=feedback_counts(service.store) if report else (),
        owner=owner,
        askable=askable if annotator.is_owner else (),
    )


def download(service: AnnotationService, annotator: Annotator, form: str) -> File:
    """Return a file of results or of all answers.

    Raise :class:`RefusedError`: ``owners_only``, ``answer_malformed``, ``download_too_large``.
    """
    if not annotator.is_owner:
        raise RefusedError("owners_only")
    if form not in FORMS:
        raise RefusedError("answer_malformed", field="form")
    name = f"{service.campaign.name}-{form}"
    if form == "payments":
        return _file(f"{name}.csv", "text/csv", payment_file(_report(service), participants_of(service)))
    if form == "answers":
        data = _answers(service)
        if len(data) > MAX_DOWNLOAD_BYTES:
            raise RefusedError("download_too_large")
        return _file(f"{name}.zip", "application/zip", data)
    report = _report(service)
    if form == "json":
        text = json.dumps(as_json(report), ensure_ascii=False, indent=1)
        return _file(f"{service.campaign.name}-results.json", "application/json", text.encode())
    return _file(f"{service.campaign.name}-results.csv", "text/csv", in_one_table(report))


def feedback_counts(store: Store) -> list[FeedbackCount]:
    """Count the feedback on steps by model, language and verdict."""
    given = Counter(
        (payload.model, event.language, payload.verdict, payload.right)
        for event in store.live(kind=StepFeedback.kind)
        if isinstance(payload := event.payload, StepFeedback)
    )
    rows = sorted({about[:3] for about in given})
    return [FeedbackCount(*row, given[*row, True], given[*row, False]) for row in rows]


def participants_of(service: AnnotationService) -> dict[str, str]:
    """Return the participants of payment services by pseudonym; only for the owner's files, never for a page."""
    with service.store.reading() as connection:
        return every_participant(connection)


def percent(part: float) -> str:
    """Return a fraction in whole per cent, as in the paper's tables; a dash for NaN."""
    return "–" if isnan(part) else f"{100 * part:.0f} %"


def ends(low: float, high: float) -> str:
    """Return an interval of fractions in whole per cent; a dash for NaN."""
    return "–" if isnan(low) else f"{100 * low:.0f}–{100 * high:.0f} %"


def bar(value: float, low: float, high: float) -> str:
    """Return the CSS custom properties of a bar with its interval."""
    low, high = (value, value) if isnan(low) else (low, high)
    return f"--w: {100 * value:.1f}%; --from: {100 * low:.1f}%; --to: {100 * high:.1f}%"


def _report(service: AnnotationService) -> Report:
    return make_report(_standing(service), service.campaign)


def _standing(service: AnnotationService) -> list[Event]:
    """Return the live answers, without their pictures."""
    return service.store.events(campaign=service.campaign.name, live=True, pictures=False)


def _own_progress(service: AnnotationService, annotator: Annotator) -> Iterator[OwnProgress]:
    for kind, language in service.asks():
        yield OwnProgress(kind, language, service.progress(annotator, kind, language).given)


def _lines(report: Report) -> dict[Hashable, list[Any]]:
    """Return the rows of preferences, by language and question."""
    groups = report.preferences.groupby(["language", "question"], sort=False)
    return {about: list(lines.itertuples()) for about, lines in groups}


def _places(note: Note, services: PageServices) -> dict[str, object]:
    """Return the placeholder values of a note, in the languages of the page."""
    return {
        name: _language_name(str(value), services) if name == "language" else value
        for name, value in note.places.items()
    }


def _language_name(language: str, services: PageServices) -> PageWords | str:
    """Return the name of a language in each language of the page; its code if the page does not know it."""
    return services.text(f"languages.{language}") if language in services.scripts else language


def _answers(service: AnnotationService) -> bytes:
    """Return a zip of all answers in tables, without photographs, which ``python -m annotate export`` writes."""
    events = [event for event in _standing(service) if event.kind != RealPair.kind]
    statuses = {entry.text.id: entry.status for entry in text_statuses(events, service.campaign) if entry.author}
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        export(events, Path(folder), "csv", statuses)
        for path in sorted(Path(folder).iterdir()):
            archive.write(path, path.name)
    return packed.getvalue()


def _file(name: str, kind: str, data: bytes) -> File:
    return File(name, kind, base64.b64encode(data).decode("ascii"))
