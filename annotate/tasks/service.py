"""The service that the tabs call: what is asked next, what was answered, and how far everyone has come.

Every method takes the :class:`Annotator` that ``identity.identify`` made for this very request; nothing a browser sends
is believed to say who speaks. A method returns when what was given is durable, or raises :class:`RefusedError`.

A task's token is the id of its claim, and becomes the id of the answer: sent twice, it is kept once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from annotate.campaigns.campaign import Campaign
from annotate.campaigns.questions import Question
from annotate.errors import RefusedError
from annotate.identity import Annotator, keyed
from annotate.ports import Ports
from annotate.records.api import (
    SKIP_REASONS,
    Coverage,
    Kind,
    Offer,
    Progress,
    QualificationTest,
    Receipt,
    Task,
    TestResult,
)
from annotate.records.events import is_event_id
from annotate.records.kinds import Flag, Payload, Skip
from annotate.storage.consents import Consents
from annotate.storage.store import Saved, Store
from annotate.tasks.admission.guest_admission import GuestAdmission, ProofOfWork
from annotate.tasks.admission.qualification import QualificationService
from annotate.tasks.admission.rate_limit import RateLimits
from annotate.tasks.admission.reveal import Reveal
from annotate.tasks.answers import Answer, as_events, read_answer
from annotate.tasks.policy import QuestionView, TaskScope
from annotate.tasks.scheduler import ClaimedTask, TaskScheduler, scope_of
from annotate.tasks.task_filter import TaskFilter
from annotate.tasks.undo import UndoService

OFFERS = 6
MAX_CHOSEN_TASKS = 2  # tasks that one person may have chosen and not done; others are offered the rest


@dataclass
class AnnotationService:
    """The collection of one campaign's answers, over one store.

    ``key`` decides every order and is kept as secret as that of pseudonyms, which will do. ``consents`` names the terms
    that have to be agreed to before a kind is asked. ``now`` is the clock of the store, in seconds since 1970.
    """

    campaign: Campaign
    store: Store
    key: bytes = field(repr=False)
    ports: Ports
    app_version: str = ""
    consents: Mapping[Kind, str] = field(default_factory=dict)
    now: Callable[[], float] = time.time
    limits: RateLimits = field(default_factory=RateLimits)

    def __post_init__(self) -> None:
        """Orders of two campaigns have nothing to do with each other."""
        self._key = bytes.fromhex(keyed(self.key, "orders", self.campaign.name, str(self.campaign.seed)))
        self.scheduler = TaskScheduler(self.campaign, self.store, self._key, self.now)
        self._qualification = QualificationService(self.campaign, self.store, self.app_version)
        self._proof_of_work = ProofOfWork(bytes.fromhex(keyed(self.key, "newcomers")), self.now)
        self._consents = Consents(self.store, self._time, self.app_version)
        self.reveal = Reveal(self.campaign, self.store, self._consents)
        self._undo_service = UndoService(self.store, self.scheduler, self._time, self.app_version)

    def next_task(  # noqa: PLR0913  each is a thing of its own
        self,
        annotator: Annotator,
        kind: Kind,
        language: str,
        after: str | None = None,
        *,
        counts: bool = True,
        spares: bool = False,
        tasks: TaskFilter | None = None,
    ) -> Task | None:
        """The task that this person is to do next, claimed for 15 minutes; None when nothing is left for them.

        Asked again, after a reload for example, or many times at once, it gives the same task. ``after`` is the token
        of the task on the page: then the one that follows it is given, claimed for a shorter time, to be fetched ahead.
        What comes with an answer ``counts`` no more than the answer. ``spares`` the pairs whose target this person has
        yet to find, and would see. ``tasks`` is what the press knows already, as :meth:`task_filter` gives it.

        Raise :class:`RefusedError`: ``kind_not_asked``, ``language_not_asked``, ``consent_missing``, ``not_qualified``,
        ``too_fast``.
        """
        scope = self._scope(annotator, kind, language, counts=counts)
        self._may_begin(scope)
        over = self.reveal.is_over(scope.annotator, kind)
        held = None if over else self.scheduler.next(self._available(scope, tasks), after, spares=spares)
        return None if held is None else self._task(held)

    def task_filter(self, annotator: Annotator, kind: Kind, language: str) -> TaskFilter:
        """The availability for this person, to be known for a press; it is read when it is first needed."""
        return self.scheduler.task_filter(TaskScope(annotator.pseudonym, kind, language))

    def _available(self, scope: TaskScope, tasks: TaskFilter | None) -> TaskFilter:
        return tasks if tasks is not None and tasks.scope == scope else self.scheduler.task_filter(scope)

    def offers(  # noqa: PLR0913  each is a thing of its own
        self,
        annotator: Annotator,
        kind: Kind,
        language: str,
        most: int = OFFERS,
        *,
        spares: bool = False,
        tasks: TaskFilter | None = None,
    ) -> tuple[Offer, ...]:
        """Pairs to choose from, where a person may: those to re-enact. Raises as :meth:`next_task`.

        All of them count as shown, chosen or not: nobody who saw a pair is asked to find its target.
        """
        task_filter = self._available(self._scope(annotator, kind, language), tasks)
        return tuple(
            Offer(
                self._offer_id(annotator, question),
                self.campaign.picture(question.item.current),
                self.campaign.picture(question.item.target),
                question.texts[0].text,
            )
            for question in self.scheduler.offered(task_filter, most if kind == "real_pair" else 0, spares=spares)
        )

    def choose(self, annotator: Annotator, kind: Kind, language: str, offer: str) -> Task:
        """The task that was chosen of :meth:`offers`; ``task_unknown`` where it was not or is no longer offered.

        Of those chosen before, all but the last are put back; what an undo gave back stays.
        """
        scope = self._scope(annotator, kind, language)
        self._may_begin(scope)
        for question, shares in self.scheduler.choices(scope):
            if question.kind == "real_pair" and self._offer_id(annotator, question) == offer:
                claimed = self.scheduler.take_one(scope, question, shares=shares)
                if claimed is not None:
                    choices = [entry for entry in self.scheduler.held(scope) if not entry.undone]
                    for earlier in choices[MAX_CHOSEN_TASKS:]:
                        self.scheduler.put_back(earlier)
                    return self._task(claimed)
        raise RefusedError("task_unknown")

    def begun(self, annotator: Annotator, kind: Kind, language: str, token: str | None = None) -> Task | None:
        """The task that this person chose last and has not answered yet; None where there is none. Raises as above.

        With a ``token`` it is the task of that token, held anew where its time was over.
        """
        scope = self._scope(annotator, kind, language)
        self._may_begin(scope)
        claimed = None if token is None else self._held(annotator, token)
        if claimed is not None:
            self.scheduler.keep(claimed)
        held = [claimed for claimed in self.scheduler.held(scope) if token in {None, claimed.claim.token}]
        if not held:
            return None
        self.scheduler.keep(held[0])
        return self._task(held[0])

    def put_back(self, annotator: Annotator, token: str) -> None:
        """Leave a chosen task to others, without a reason; it can be chosen again."""
        self.spend(annotator)
        held = self._held(annotator, token)
        if held is None:
            raise RefusedError("task_unknown")
        self.scheduler.put_back(held)

    def renew(self, annotator: Annotator, token: str) -> None:
        """Keep a task for 15 minutes more; ``task_unknown``, ``task_expired`` when its time was over."""
        self.spend(annotator)
        held = self._held(annotator, token)
        if held is None:
            raise RefusedError("task_unknown")
        if held.claim.expires <= self.now():
            raise RefusedError("task_expired")
        self.scheduler.keep(held)

    def give(self, annotator: Annotator, token: str, answer: Answer, *, tasks: TaskFilter | None = None) -> Receipt:
        """Keep the answer to a task. Giving it twice keeps it once.

        ``answer`` is a plain mapping as the page sends it, places counted from 0 in the order of the task:

        - write: ``{"text": str, "flags": [str, ...]}``
        - verify: ``{"score": 1..4, "flags": [str, ...], "comment": str}``
        - translate: ``{"text": str}``
        - vote: ``{"relevant": place or None, "fluent": place or None}``, None for tied
        - find: ``{"place": place}``
        - real_pair: ``{"current": JPEG, "target": JPEG, "text": str, "checks": {...}}``, the photographs as bytes
          without metadata and faces; the word edits are computed here

        ``flags``, ``comment`` and ``checks`` may be left out. What a person has finished is kept, although its 15
        minutes were over, others were quicker or the question is asked no longer, as a voice more than was wanted and
        flagged as ``records.api`` has it. ``tasks`` is not read before that, and tells how far the person is.

        Raise :class:`RefusedError`: ``task_unknown``, ``answer_malformed`` (``field``), ``answer_twice``,
        ``answer_changed_elsewhere`` where it was kept and taken back, ``text_missing``, ``text_too_long``,
        ``rules_broken`` (``rules``), and ``store_…``.
        """
        self.spend(annotator)
        held = self._held(annotator, token)
        if held is None:
            return self._earlier_receipt(annotator, token, answer, tasks)
        question, seconds = held.question, max(0.0, self.now() - self.scheduler.began(held))
        payloads = read_answer(answer, self._view(question, annotator), self.ports, seconds)
        remarks = (*self.scheduler.remarks(held), *self.reveal.remarks(annotator.pseudonym, question.kind))
        payloads += [Flag(reason) for reason in remarks]
        return self._receipt(scope_of(held), self._save(held, payloads), tasks)

    def skip(
        self, annotator: Annotator, token: str, reason: str, comment: str = "", tasks: TaskFilter | None = None
    ) -> Receipt:
        """Pass over a task for good; it stays open for others. ``reason`` is one of ``SKIP_REASONS``.

        Raise :class:`RefusedError`: ``task_unknown``, ``answer_malformed``, ``text_too_long``, and ``store_…``.
        """
        self.spend(annotator)
        held = self._held(annotator, token)
        if reason not in SKIP_REASONS:
            raise RefusedError("answer_malformed", field="reason")
        if held is None:
            return self._earlier_receipt(annotator, token, None, tasks)
        payloads: list[Payload] = [Skip(reason, task=held.question.skipped_as)]
        if comment:
            payloads.append(Flag(f"skipped_{reason}", comment))
        return self._receipt(scope_of(held), self._save(held, payloads), tasks)

    def receipt(self, annotator: Annotator, token: str, *, tasks: TaskFilter | None = None) -> Receipt | None:
        """The receipt once more, for whoever may not have heard the thanks; None where nothing was kept or stands."""
        event = self.store.event(token) if is_event_id(token) else None
        scope = None if event is None else self.scheduler.answered(event)
        if event is None or scope is None or event.annotator != annotator.pseudonym:
            return None
        stands = self.store.live(annotator=event.annotator, kind=event.kind, item=event.item)
        return self._receipt(scope, Saved(event, is_new=False), tasks) if event in stands else None

    def last(self, annotator: Annotator, kind: Kind, language: str) -> str | None:
        """The id of what :meth:`undo` would take back now: this person's last answer or skip of a kind."""
        over = self.reveal.is_over(annotator.pseudonym, kind)
        return None if over else self._undo_service.last(TaskScope(annotator.pseudonym, kind, language))

    def undo(self, annotator: Annotator, kind: Kind, language: str, event: str) -> Task | None:
        """Take back this answer or skip, and give its task again; None where that can be asked no longer.

        Doing it twice does it once. Raise :class:`RefusedError`: ``task_unknown``, ``votes_over``,
        ``kind_not_asked``, ``language_not_asked``, ``too_fast``, and ``store_…``.
        """
        scope = self._scope(annotator, kind, language)
        if self.reveal.is_over(annotator.pseudonym, kind):
            raise RefusedError("votes_over")
        held = self._undo_service.undo(scope, event)
        return None if held is None else self._task(held)

    def progress(self, annotator: Annotator, kind: Kind, language: str, tasks: TaskFilter | None = None) -> Progress:
        """The progress of this person."""
        return self._progress(TaskScope(annotator.pseudonym, kind, language), tasks)

    def _progress(self, scope: TaskScope, tasks: TaskFilter | None) -> Progress:
        progress = self.scheduler.progress(self._available(scope, tasks))
        return Progress(progress.given, 0) if self.reveal.is_over(scope.annotator, scope.kind) else progress

    def coverage(self) -> tuple[Coverage, ...]:
        """The coverage of the campaign; for owners alone, since it stands still while gold items are answered."""
        return self.scheduler.coverage()

    def asks(self) -> list[tuple[Kind, str]]:
        """The kinds and languages in which something is asked."""
        return self.scheduler.open_kinds()

    def test(self, annotator: Annotator, kind: Kind, language: str) -> QualificationTest | None:
        """The qualification test that this person has yet to pass for a kind; None when nothing is in the way."""
        return self._qualification.test(annotator.pseudonym, kind, language)

    def take_test(
        self, annotator: Annotator, language: str, choices: Mapping[str, int], attempt: str | None = None
    ) -> TestResult:
        """Mark the test, ``choices`` by question id, and keep the result, once for each ``attempt``.

        Raises as :meth:`QualificationService.take`, and ``answer_malformed`` for an ``attempt`` that is no id.
        """
        self.spend(annotator)
        if attempt is not None and not is_event_id(attempt):
            raise RefusedError("answer_malformed", field="attempt")
        return self._qualification.take(annotator.pseudonym, language, choices, self._attempt(annotator, attempt))

    def tested(self, annotator: Annotator, language: str, attempt: str) -> TestResult | None:
        """The result of an attempt once more, for whoever may not have heard it; None where none was kept."""
        return self._qualification.result(annotator.pseudonym, language, self._attempt(annotator, attempt))

    def agree(self, annotator: Annotator, version: str, read: str = "", language: str = "") -> None:
        """Keep that this person agreed to the terms of that version; ``read`` is their text as it was shown."""
        self.spend(annotator)
        self._consents.agree(annotator.pseudonym, version, read, language)

    def agreed(self, annotator: Annotator, version: str) -> bool:
        """Whether this person agreed to the terms of that version."""
        return self._consents.agreed(annotator.pseudonym, version)

    def record_counts(self, annotator: Annotator) -> dict[str, int]:
        """The number of records of each kind that there are of this person."""
        return self.store.counts(annotator.pseudonym)

    def withdraw(self, annotator: Annotator) -> None:
        """Delete everything that this person gave."""
        self.spend(annotator)
        self.store.withdraw(annotator=annotator.pseudonym, app_version=self.app_version)

    # Who may.

    def spend(self, annotator: Annotator, cost: float = 1) -> None:
        """Count a request; ``too_fast``. What is asked of a collection counts itself."""
        is_guest = annotator.via == "guest" and not annotator.is_owner
        self.limits.spend(annotator.pseudonym, cost, is_guest=is_guest, address=annotator.address)

    def guest_admission(self) -> GuestAdmission:
        """The admission of guests who were never seen."""
        return GuestAdmission(self.limits, self.store, self._proof_of_work)

    def _scope(self, annotator: Annotator, kind: Kind, language: str, *, counts: bool = True) -> TaskScope:
        """The asker, in a kind and language that the campaign has; counts the request."""
        if kind not in self.campaign.kinds:
            raise RefusedError("kind_not_asked")
        if language not in self.campaign.languages:
            raise RefusedError("language_not_asked")
        if counts:
            self.spend(annotator)
        return TaskScope(annotator.pseudonym, kind, language)

    def _may_begin(self, scope: TaskScope) -> None:
        terms = self.consents.get(scope.kind)
        if terms is not None and not self._consents.agreed(scope.annotator, terms):
            raise RefusedError("consent_missing")
        if self._qualification.test(scope.annotator, scope.kind, scope.language) is not None:
            raise RefusedError("not_qualified")

    # What is shown.

    def _task(self, held: ClaimedTask) -> Task:
        view = QuestionView(held.question, held.claim.annotator, self._key)
        answer = self._undo_service.answer(held.undone, view) if held.undone else None
        return view.task(held.claim.token, self.campaign.picture, answer)

    def _view(self, question: Question, annotator: Annotator) -> QuestionView:
        return QuestionView(question, annotator.pseudonym, self._key)

    def _offer_id(self, annotator: Annotator, question: Question) -> str:
        return keyed(self._key, "offer", annotator.pseudonym, question.language, *question.place)[:32]

    def _attempt(self, annotator: Annotator, attempt: str | None) -> str | None:
        """The id under which an attempt is kept: no page may choose that of somebody else's record."""
        return None if attempt is None else keyed(self._key, "attempt", annotator.pseudonym, attempt)[:32]

    # What is kept.

    def _held(self, annotator: Annotator, token: str) -> ClaimedTask | None:
        if not is_event_id(token):
            raise RefusedError("task_unknown")
        return self.scheduler.find(token, annotator.pseudonym)

    def _save(self, held: ClaimedTask, payloads: list[Payload]) -> Saved:
        """Save records; the first of them becomes the answer, under the claim's token."""
        events = as_events(payloads, held.claim, self._time(), self.app_version)
        saved = self.store.add_all(events, claim=held.claim.token)[0]
        self.limits.recognise(held.claim.annotator)
        return saved

    def _earlier_receipt(
        self, annotator: Annotator, token: str, answer: Answer | None, tasks: TaskFilter | None
    ) -> Receipt:
        """The receipt of what was kept under this token already, when it says the same as far as that can be told."""
        event = self.store.event(token)
        scope = None if event is None else self.scheduler.answered(event)
        if event is None or scope is None or event.annotator != annotator.pseudonym:
            raise RefusedError("task_unknown")
        if isinstance(event.payload, Skip) != (answer is None):
            raise RefusedError("answer_twice")
        question = self.scheduler.question(event)
        if answer is not None and question is not None:
            seconds = float(getattr(event.payload, "seconds", 0.0))
            if read_answer(answer, self._view(question, annotator), self.ports, seconds)[0] != event.payload:
                raise RefusedError("answer_twice")
        receipt = self.receipt(annotator, token, tasks=tasks)
        if receipt is None:
            raise RefusedError("answer_changed_elsewhere")
        return receipt

    def _receipt(self, scope: TaskScope, saved: Saved, tasks: TaskFilter | None) -> Receipt:
        return Receipt(saved.event.id, self._progress(scope, tasks), repeated=not saved.is_new)

    def _time(self) -> datetime:
        return datetime.fromtimestamp(self.now(), UTC)
