"""The pages of the tab: start, tasks, the qualification test, thanks, and the owner's results."""

from __future__ import annotations

import base64
import io
import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from annotate.analysis import (
    CONFIDENCE,
    FOOLING,
    PAPER_SHARES,
    QUESTIONS,
    TIED,
    Note,
    Report,
    as_json,
    in_one_table,
    make_report,
    payment_file,
)
from annotate.campaigns import (
    DECLINED,
    PLACEHOLDERS,
    Campaign,
    Ending,
    Study,
    flags_of,
    text_statuses,
    verifications,
    written_texts,
)
from annotate.errors import RefusedError
from annotate.identity import Annotator, clean_name
from annotate.kinds import (
    BY_RECORD,
    TASK_KINDS,
    VOTE,
    CampaignText,
    Coverage,
    Item,
    Kind,
    Progress,
    QualificationTest,
    Rating,
    RealPair,
    Task,
    TaskKind,
    TestResult,
    Vote,
)
from annotate.publishing import PublishingState, export
from annotate.records import HOLDS, Decision, Event, Flag, StepFeedback, counted
from annotate.storage import Store, every_participant
from annotate.tabs.real_pairs import RealPairs
from annotate.tabs.requests import (
    Action,
    Context,
    PageServices,
    PageWords,
    Response,
    draft_name,
    draft_name_of_test,
    short_text,
    shown_values,
)
from annotate.tasks import (
    COSTS,
    PARTICIPANT_TERMS,
    Active,
    AnnotationService,
    Participants,
    SeenText,
    TaskFilter,
    active_people,
    decide,
    still_wanted,
)

# The start page and the thanks page: identity, terms, a card for each kind of task, and what to do next.
#
# The thanks page also shows which model wrote which text if the campaign reveals that.

ANSWER_TERMS = "answers-1"  # version of the terms below; a change asks all annotators again
PARTICIPANT_KEYS = ("consent.participant", "consent.link")  # the latter if the link names a study or session
REVEAL_KEYS = ("reveal.about", "reveal.stands")
TERM_KEYS = ("consent.kept", "consent.used", "consent.yours", "consent.age")


@dataclass(frozen=True)
class Card:
    """The card of one kind of task; ``seconds`` is its duration, ``left`` the number of tasks left for the annotator.

    ``kept_back`` tasks follow once their targets were found, which they would show. The overall ``answered``
    and ``wanted`` answers are for owners only.
    """

    kind: Kind
    seconds: int
    given: int
    left: int
    kept_back: int
    answered: int
    wanted: int


def form_languages(service: AnnotationService, kind: TaskKind) -> tuple[str, ...]:
    """Return the languages of a task form: those of the campaign, without the source language for translation.

    It has none if it needs photographs and nothing can examine them.
    """
    can_be_asked = not kind.re_enacts or service.ports.photographs is not None
    return tuple(filter(kind.is_asked_in, service.campaign.languages if can_be_asked else ()))


def cards(service: AnnotationService, annotator: Annotator, language: str, *, covers: bool = True) -> list[Card]:
    """Return an annotator's cards, each in ``language`` if the kind has it, else in its first one.

    With ``covers``, owners also get the overall progress.
    """
    coverage = service.coverage() if annotator.is_owner and covers else ()
    covered = {(row.kind, row.language): row for row in coverage}
    rows = []
    for kind, form in TASK_KINDS.items():
        languages = form_languages(service, form)
        if kind not in service.campaign.kinds or not languages:
            continue
        form_language = language if language in languages else languages[0]
        progress, voices = service.progress(annotator, kind, form_language), covered.get((kind, form_language))
        answered, wanted = (0, 0) if voices is None else (voices.answered, voices.wanted)
        left = progress.left - progress.kept_back
        rows.append(Card(kind, form.seconds, progress.given, left, progress.kept_back, answered, wanted))
    return rows


def answer_terms(campaign: Campaign) -> str:
    """Return the version of the terms of a campaign, which names those of its study."""
    consent = campaign.study.consent if campaign.study else None
    return f"{ANSWER_TERMS} {campaign.name} {consent.wording}" if consent else ANSWER_TERMS


def terms(campaign: Campaign, services: PageServices) -> list[PageWords]:
    """Return the terms of answers: the built-in ones, then those of the study, or these alone."""
    consent = campaign.study.consent if campaign.study else None
    keys = () if consent and consent.replaces else TERM_KEYS
    return [*map(services.text, keys), *map(services.lent_text, consent.terms if consent else ())]


def terms_text(services: PageServices, language: str, keys: Sequence[str | PageWords]) -> str:
    """Return the terms as read in a language of the page."""
    # Leave out the participant's id: the text is stored as a hash, from which the id could be guessed.
    texts = [services.text(key, participant="…") if isinstance(key, str) else key for key in keys]
    return "\n".join(one.by_language.get(language) or next(iter(one.by_language.values())) for one in texts)


def agree(service: AnnotationService, participants: Participants, context: Context, services: PageServices) -> None:
    """Store that the annotator agreed to the terms as read, and as which participant they are paid."""
    page_language = context.text("page_language")
    language = page_language if page_language in services.scripts else ""
    read = terms_text(services, language, terms(service.campaign, services))
    service.agree(context.annotator, answer_terms(service.campaign), read, language)
    if participants.has_to_agree(context.annotator, context.participant):
        read = terms_text(services, language, PARTICIPANT_KEYS[: 1 + (" " in context.link)])
        service.agree(context.annotator, PARTICIPANT_TERMS, read, language)
        participants.join(context.annotator, context.link)


def start_html(  # noqa: PLR0913  each is shown separately
    service: AnnotationService,
    annotator: Annotator | None,
    services: PageServices,
    language: str,
    *,
    wanted: str = "",
    guest_name: str = "",
    hub_login: bool = False,
    owner: OwnerPanel | None = None,
    askable: Sequence[str] = (),
    participant: str = "",
    study: Mapping[str, object],
) -> str:
    """Return the markup; ``annotator`` is None before a login, ``wanted`` is the kind to open after agreeing.

    ``owner`` is for owners only, as is ``askable``: models that are voted on and can also be used on this
    page. A ``participant`` of a payment service must agree to additional terms, and then has a ``payment``.
    ``study`` tells what they may do in the study.
    """
    agreed = annotator is not None and service.agreed(annotator, answer_terms(service.campaign))
    title: PageWords = services.lent_text(service.campaign.title)
    return services.render(
        "start.html",
        annotator=annotator,
        guest_name=guest_name,
        hub_login=hub_login,
        title=title,
        languages=service.campaign.languages,
        language=language if language in service.campaign.languages else service.campaign.languages[0],
        agreed=agreed and bool(study["payment"] or not participant),
        terms=terms(service.campaign, services),
        contact=services.contact,
        **study,
        participant=participant,
        wanted=wanted,
        cards=[] if annotator is None else cards(service, annotator, language),
        has_given=annotator is not None and bool(service.record_counts(annotator)),
        read_only=service.store.read_only,
        owner=owner,
        askable=askable,
    )


@dataclass(frozen=True)
class ModelSeen:
    """The number of votes in which a model's text was ``shown``, and was the only choice for content or language."""

    model: str
    shown: int
    relevant: int
    fluent: int


def done_values(
    service: AnnotationService, annotator: Annotator, kind: Kind, language: str, progress: Progress
) -> dict[str, object]:
    """Return the template values of the thanks page, shown after the last task."""
    reveal = service.reveal
    votes = reveal.votes(annotator.pseudonym, language) if kind == VOTE.key else []
    return {
        "next_up": next_up(cards(service, annotator, language, covers=False), kind),
        "may_look": reveal.may_look(annotator.pseudonym, kind, progress),
        "reveal_keys": REVEAL_KEYS,
        "votes": votes,
        "models": models_seen(votes),
    }


def next_up(all_cards: Sequence[Card], kind: Kind) -> Card | None:
    """Return the next card after a kind: finding targets if tasks were kept back for that, else the next in order."""
    place = next((number for number, card in enumerate(all_cards) if card.kind == kind), -1)
    waits = place >= 0 and all_cards[place].kept_back > 0
    order = [*all_cards[place + 1 :], *all_cards[: max(place, 0)]]
    left = [card for card in order if card.left]
    return next((card for card in left if waits and TASK_KINDS[card.kind].hides_target), left[0] if left else None)


def models_seen(votes: Sequence[Sequence[SeenText]]) -> list[ModelSeen]:
    """Return the votes of each model, the one chosen alone most often first; texts that read alike share a choice."""
    shown, relevant, fluent = Counter[str](), Counter[str](), Counter[str]()
    for texts in votes:
        shown.update(text.model for text in texts)
        for count, flags in ((relevant, [t.relevant for t in texts]), (fluent, [t.fluent for t in texts])):
            if not all(flags):
                count.update(text.model for text, is_so in zip(texts, flags, strict=True) if is_so)
    models = [ModelSeen(model, shown[model], relevant[model], fluent[model]) for model in shown]
    return sorted(models, key=lambda row: (-row.relevant, -row.fluent, row.model))


# The pages of tasks and of the qualification test, and updates of prefetched tasks.


@dataclass(frozen=True)
class TaskPages:
    """The pages that actions lead to; ``hub_login`` is that of the tab."""

    service: AnnotationService
    services: PageServices
    participants: Participants
    real_pairs: RealPairs
    owners: OwnerPages
    hub_login: bool

    def start(self, action: Action, annotator: Annotator | None, participant: str = "") -> Response:
        """Return the start page; without an annotator, it asks for a login."""
        guest, kind = action.get("guest"), short_text(action, "kind")
        study = {} if annotator is None else self._study(Context(annotator, action, participant))
        html = start_html(
            self.service,
            annotator,
            self.services,
            short_text(action, "language"),
            wanted=kind if kind in TASK_KINDS else "",
            guest_name=clean_name(guest.get("name")) if isinstance(guest, Mapping) else "",
            hub_login=self.hub_login,
            owner=self.owners.panel(annotator),
            askable=self.owners.askable(annotator),
            participant=participant,
            study={"state": "open", "payment": None, **study},
        )
        return {"outcome": "shown", "view": "", "html": html}

    def _study(self, context: Context) -> dict[str, object]:
        """Return what a person may do in the study, what they get when they can do nothing more, and their payment."""
        annotator, link, study = context.annotator, context.link, self.service.campaign.study
        own_cards = cards(self.service, annotator, context.text("language"), covers=False) if study else ()
        out_of_tasks = not any(card.left or card.kept_back for card in own_cards)
        study = study or Study()
        state = self.service.study.state(annotator.pseudonym, out_of_tasks=out_of_tasks)
        payment = self.participants.payment(annotator, link, over=state == "completed")
        endings = {"screened_out": study.screened_out, "full": study.full, "completed": study.completion}
        ending, code = endings.get(state) or Ending(), ""
        if state != "completed":
            code = ending.code if link else ""
        elif payment and payment.once and payment.codes:
            code = payment.codes[-1]
        ids = zip(PLACEHOLDERS, (code, *link.split(" "), "", ""), strict=False)
        return {
            "state": state,
            "study": study,
            "ending": ending,
            "code": code,
            "redirect": ending.link(**dict(ids)) if code or (link and state != "completed") else "",
            "payment": payment,
            "term_keys": PARTICIPANT_KEYS[: len(link.split(" ", 1))] if link else (),
            "lent": self.services.lent_text,
            "declined": DECLINED,
        }

    def real_pair_page(self, context: Context, form: TaskKind, language: str, tasks: TaskFilter) -> Response:
        """Return the page of the annotator's pair, or of pairs to choose from; ``tasks`` as in :meth:`task`."""
        task = self.service.begun(context.annotator, form.key, language)
        if task is not None:
            return self.task(context, form, language, task, tasks)
        offers = self.real_pairs.offers(context.annotator, language, tasks, spares=context.spares)
        if not offers["offers"]:
            return self.task(context, form, language, None, tasks)
        return self._page(
            "real_choose.html", form, language, **self._progress_values(context, form, language, tasks, {}), **offers
        )

    def form(self, context: Context) -> tuple[TaskKind, str]:
        """Return the requested task form, and its requested language or else its first one.

        Raise :class:`RefusedError` ``kind_not_asked`` if the campaign has no such form.
        """
        kind = context.text("kind")
        form = TASK_KINDS.get(kind) if kind in self.service.campaign.kinds else None
        languages = form_languages(self.service, form) if form else ()
        if form is None or not languages:
            raise RefusedError("kind_not_asked")
        language = context.text("language")
        return form, language if language in languages else languages[0]

    def task(
        self,
        context: Context,
        form: TaskKind,
        language: str,
        task: Task | None,
        tasks: TaskFilter | None = None,
        /,
        **then: object,
    ) -> Response:
        """Return the page of a task, or of the thanks if ``task`` is None.

        ``tasks`` is the annotator's filter of tasks for this request. ``then`` holds template values that need not
        be read again.
        """
        values = self._progress_values(context, form, language, tasks, then)
        campaign = self.service.campaign
        if task is None:
            if campaign.study and not campaign.reveals_models and self._study(context)["state"] == "completed":
                return self.start(context.action, context.annotator, context.participant)
            done_page = done_values(self.service, context.annotator, form.key, language, values["progress"])
            return self._page("done.html", form, language, **values, **done_page)
        guidelines = [self.services.lent_text(text) for text in campaign.guidelines.get(form.key, ())]
        about = {**values, "guidelines": guidelines, **shown_values(task, self.services)}
        about["of_poses"] = campaign.pose_rules
        if form.re_enacts:
            about |= self.real_pairs.shows(context.annotator, task)
        if form.compares_models:
            about["askable"] = self.owners.askable(context.annotator)
        response = self._page(form.template, form, language, **about)
        fields = None if task.answer is None else form.shown_fields(task.answer)
        return {**response, "token": task.token, "draft": draft_name(task), "fields": fields}

    def fetched(self, context: Context, form: TaskKind, language: str, task: Task, **now: object) -> Response:
        """Return the update of a task that the page has prefetched."""
        values = self._progress_values(context, form, language, None, now)
        far = self.services.render("far.html", **values)
        return {"outcome": "fetched", "token": task.token, "undo": values["undo"], "far": far}

    def _progress_values(
        self, context: Context, form: TaskKind, language: str, tasks: TaskFilter | None, then: Response
    ) -> Response:
        """Return the annotator's progress and the id to undo; only values not in ``then`` are read from the store."""
        values = {**then, "spares": context.spares}
        if "progress" not in then:
            values["progress"] = self.service.progress(context.annotator, form.key, language, tasks)
        if "undo" not in then:
            values["undo"] = self.service.last(context.annotator, form.key, language)
        return values

    def test(
        self, form: TaskKind, language: str, test: QualificationTest | None, result: TestResult | None
    ) -> Response:
        """Return the page of the test.

        Each display is a new attempt, which counts once however often it is sent.
        """
        about = {"test": test, "result": result, "attempt": uuid4().hex, "picture_uri": self.services.picture_uri}
        response = self._page("test.html", form, language, **about)
        return {**response, "draft": None if test is None else draft_name_of_test(test), "tested": result is not None}

    def _page(self, template: str, form: TaskKind, language: str, **values: object) -> Response:
        html = self.services.render(
            template,
            kind=form.key,
            words=form.name,
            language=language,
            languages=form_languages(self.service, form),
            read_only=self.service.store.read_only,
            **{"progress": None, "undo": None, "askable": (), "spares": True, "crop": None, **values},
        )
        return {"outcome": "shown", "view": form.key, "language": language, "undo": values.get("undo"), "html": html}


# Results and other pages for owners; all other annotators see only their own progress.
#
# An annotator who may still vote must not learn which model wrote a text or which one leads, or the vote
# would not be blind. So the models' names, shares and data about single annotators are for owners only, and
# the page says so. An owner who may still vote is asked first. Overall progress is for owners too: it does
# not grow with answers to gold items, which would give them away.

VIEW = "results"
FORMS = ("json", "csv", "answers", "payments")
WAITING, FLAGGED = "waiting", "flagged"  # pairs, besides those with answers of a kind
PAIRS_AT_ONCE = 5
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
    """The owner's panel: the state of publishing, answers still wanted, annotators at work, and ``flagged`` pairs.

    Only the first of the pairs that wait for a decision have values for a template.
    """

    state: PublishingState
    wanted: Sequence[Coverage]
    active: Sequence[Active]
    pays: bool = False  # whether there are participants of payment services
    stopped: bool | None = None  # None if the campaign has no study
    flagged: Sequence[Mapping[str, object]] = ()
    waiting_pairs: int = 0


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
        stopped = None if self.service.campaign.study is None else self.service.study.is_stopped()
        pairs = AnsweredPairs(self.service, self.services, self.service.scheduler.marks())
        flagged = pairs.of(WAITING)
        shown = [pairs.values(item) for item in flagged[:PAIRS_AT_ONCE]]
        pays = bool(participants_of(self.service))
        return OwnerPanel(self.state(), wanted, active, pays, stopped, shown, len(flagged))

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

    def stop(self, context: Context) -> Response:
        """Stop the campaign or open it again, and return the updated panel; raise ``owners_only``."""
        return self._decided(context, Decision("stop") if context.action.get("stopped") is True else None)

    def refreshed(self, context: Context) -> Response:
        """Return the updated panel; raise :class:`RefusedError` ``owners_only``."""
        panel = self.panel(context.annotator)
        if panel is None:
            raise RefusedError("owners_only")
        html = self.services.render("owner_panel.html", owner=panel)
        waiting = panel.state.waiting + panel.state.leaving
        return {"outcome": "part", "part": "owner", "html": html, "waiting": waiting}

    def decide(self, context: Context) -> Response:
        """Store or withdraw the decision about a pair and return the updated panel; raise as :meth:`refreshed`."""
        uid, choice = context.text("item"), context.text("choice")
        choices = {"keep": Decision("keep"), "drop": Decision("drop"), "undo": None}
        known = choice in choices and uid in {item.uid for item in self.service.campaign.items}
        if context.annotator.is_owner and not known:
            raise RefusedError("answer_malformed", field="choice")
        return self._decided(context, choices.get(choice), uid)

    def _decided(self, context: Context, decision: Decision | None, item: str = "") -> Response:
        service = self.service
        if context.annotator.is_owner:
            decide(service.store, service.campaign.name, decision, item, app_version=service.app_version)
            service.scheduler.reread()  # a pair that is kept is offered at once
        return self.refreshed(context)

    def answers(self, context: Context) -> Response:
        """Return a page of single answers, by pair; raise :class:`RefusedError` ``owners_only``."""
        if not context.annotator.is_owner:
            raise RefusedError("owners_only")
        self.service.reveal.open_results(context.annotator.pseudonym)
        of, page = context.text("of"), context.action.get("page")
        pairs = AnsweredPairs(self.service, self.services, counted(_standing(self.service), self.service.campaign.name))
        items = pairs.of(of)
        last = max(0, len(items) - 1) // PAIRS_AT_ONCE
        page = min(max(page, 0), last) if isinstance(page, int) else 0
        shown = [pairs.values(item, of) for item in items[page * PAIRS_AT_ONCE :][:PAIRS_AT_ONCE]]
        kinds = [kind for kind in BY_RECORD if any(event.kind == kind for event in pairs.events)]
        about = {"of": of, "page": page, "last": last, "count": len(items), "kinds": kinds, "crop": None}
        about["picture_uri"] = self.services.picture_uri
        html = self.services.render("answers.html", pairs=shown, **about)
        return {"outcome": "part", "part": "answers", "html": html}

    def file(self, context: Context) -> Response:
        """Return a file of results for the browser to save."""
        file = download(self.service, context.annotator, context.text("form"))
        if context.text("form") != "payments":  # payments name no models
            self.service.reveal.open_results(context.annotator.pseudonym)
        return {"outcome": "part", "part": "file", "name": file.name, "type": file.type, "data": file.data}


class AnsweredPairs:
    """The pairs of a campaign with the answers, flags and decisions among ``events``."""

    def __init__(self, service: AnnotationService, services: PageServices, events: Sequence[Event]) -> None:
        self.service, self.services, self.events = service, services, events
        raised = {(event.item, flag, event.annotator) for event in self.events for flag in flags_of(event.payload)}
        self.flags = Counter((item, flag) for item, flag, _ in raised)  # people
        self.decisions = {e.item: e.payload.choice for e in self.events if isinstance(e.payload, Decision)}

    def of(self, kind: str) -> list[Item]:
        """Return the pairs with answers of a kind of record, or of any, or those that wait for a decision."""
        flagged = {item for item, _ in self.flags}
        waiting, decided = flagged - self.decisions.keys(), flagged | self.decisions.keys()
        uids = {WAITING: waiting, FLAGGED: decided}.get(kind)
        if uids is None:
            uids = {event.item for event in self.events if event.kind in BY_RECORD and kind in {"", event.kind}}
        return [item for item in self.service.campaign.items if item.uid in uids]

    def values(self, item: Item, kind: str = "") -> dict[str, object]:
        """Return the template values of a pair: pictures, flags, its texts with their votes, and its answers."""
        events = [event for event in self.events if event.item == item.uid and event.kind in BY_RECORD]
        written = [entry.text for entry in written_texts(events, self.service.campaign)]
        picture, uri = self.service.campaign.picture, self.services.picture_uri
        return {
            "item": item,
            "current": uri(picture(item.current)),
            "target": uri(picture(item.target)),
            "pictures": [uri(picture(name)) for name in item.pictures],
            "flags": {flag: self.flags[item.uid, flag] for flag in HOLDS if self.flags[item.uid, flag]},
            "reasons": [
                event.payload.comment
                for event in self.events
                if event.item == item.uid and isinstance(event.payload, Flag) and flags_of(event.payload)
            ],
            "decision": self.decisions.get(item.uid, ""),
            "texts": [(text, *votes_of(text, events)) for text in (*item.texts, *written)],
            "answers": [
                self.service.store.event(event.id) if event.kind == RealPair.kind else event
                for event in events
                if kind not in BY_RECORD or event.kind == kind
            ],
        }


def votes_of(text: CampaignText, events: Iterable[Event]) -> tuple[int, int, int, list[int]]:
    """Return in how many votes a text was shown, chosen for relevance and for fluency without a tie, and its points."""
    here = [event.payload for event in events if event.language == text.language]
    votes = [vote for vote in here if isinstance(vote, Vote) and text.id in vote.shown]
    relevant, fluent = (
        sum(text.id in chosen and len(chosen) < len(vote.shown) for vote, chosen in zip(votes, chosen_ids, strict=True))
        for chosen_ids in ([vote.relevant for vote in votes], [vote.fluent for vote in votes])
    )
    return len(votes), relevant, fluent, [r.score for r in here if isinstance(r, Rating) and r.text == text.id]


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
        fooling=FOOLING,
        feedback=feedback_counts(service.store) if report else (),
        crop=None,
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
    statuses: dict[str, str] = {
        entry.text.id: entry.status for entry in text_statuses(events, service.campaign) if entry.author
    }
    statuses |= verifications(events)
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        export(events, Path(folder), "csv", statuses)
        for path in sorted(Path(folder).iterdir()):
            archive.write(path, path.name)
    return packed.getvalue()


def _file(name: str, kind: str, data: bytes) -> File:
    return File(name, kind, base64.b64encode(data).decode("ascii"))
