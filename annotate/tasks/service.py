"""The service behind the annotation tab: tasks, answers, undo, progress, and current activity.

Every method takes the :class:`Annotator` that ``identity.identify`` made for the current request. Identity
data from a browser is never trusted. A method returns once the data is durable, or raises
:class:`RefusedError`.

A task's token is the id of its claim and becomes the id of the answer, so an answer that is sent twice is
stored once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from annotate.campaigns import Campaign
from annotate.errors import RefusedError
from annotate.identity import Annotator, keyed
from annotate.kinds import (
    BY_RECORD,
    FOOL,
    TASK_KINDS,
    Answer,
    Coverage,
    FoolingAttempt,
    Kind,
    Offer,
    Progress,
    QualificationTest,
    Question,
    QuestionView,
    Receipt,
    Task,
    TestResult,
    ranked,
)
from annotate.ports import ModelRanking, Ports
from annotate.records import (
    FLAGS,
    MAX_TEXT_CHARS,
    OWNER,
    PROBLEM,
    SKIP_REASONS,
    Decision,
    Event,
    Flag,
    Payload,
    Skip,
    Withdrawal,
    cleaned_text,
    is_event_id,
    new_event,
)
from annotate.storage import Saved, Store, read_at_work, read_last
from annotate.tasks.admission import Consents, GuestAdmission, ProofOfWork, QualificationService, RateLimits, Reveal
from annotate.tasks.fooling import ModelQueue, ShownRanking, shown
from annotate.tasks.policy import TaskFilter, TaskScope
from annotate.tasks.scheduler import ClaimedTask, TaskScheduler, scope_of
from annotate.tasks.study import StudyService

OFFERS = 6
MAX_CHOSEN_TASKS = 2  # chosen tasks that one annotator may have open


@dataclass
class AnnotationService:
    """The annotation service of one campaign over one store.

    ``key`` determines every order and is kept as secret as the pseudonym key, which may be used for it.
    ``consents`` gives, for each kind, the terms that an annotator must agree to first. ``now`` is the clock of
    the store, in seconds since 1970.
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
        """Derive a key for the campaign, so that the orders of two campaigns are independent."""
        self._key = bytes.fromhex(keyed(self.key, "orders", self.campaign.name, str(self.campaign.seed)))
        self.scheduler = TaskScheduler(self.campaign, self.store, self._key, self.now)
        self._qualification = QualificationService(self.campaign, self.store, self.app_version)
        self._proof_of_work = ProofOfWork(bytes.fromhex(keyed(self.key, "newcomers")), self.now)
        self._consents = Consents(self.store, self._time, self.app_version)
        self.reveal = Reveal(self.campaign, self.store, self._consents)
        failed = self._qualification.failed
        self.study = StudyService(self.campaign, self.store, self._time, self.app_version, failed)
        self.fooled = ModelQueue()
        self._undo_service = UndoService(self.store, self.scheduler, self._time, self.app_version)

    def next_task(  # noqa: PLR0913  independent options
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
        """Return the annotator's next task, claimed for 15 minutes; None when nothing is left.

        Before the annotator's first answer of this kind the claim lasts 6 minutes. Repeated and concurrent calls
        return the same task. ``after`` is the token of the task on the page: the task that follows it is returned,
        claimed for a shorter time, for the page to prefetch. Without ``counts`` the request is free, for a task
        that is fetched along with an answer. ``spares`` leaves out pairs that would show the annotator a target
        that they have yet to find. ``tasks`` is the result of :meth:`task_filter`, if the caller has it.

        Raise :class:`RefusedError`: ``kind_not_asked``, ``language_not_asked``, ``consent_missing``,
        ``study_not_open``, ``not_qualified``, ``answers_rejected``, ``too_fast``.
        """
        scope = self._scope(annotator, kind, language, counts=counts)
        self._may_begin(scope)
        over = self.reveal.is_over(scope.annotator, kind)
        held = None if over else self.scheduler.next(self._available(scope, tasks), after, spares=spares)
        return None if held is None else self._task(held)

    def task_filter(self, annotator: Annotator, kind: Kind, language: str) -> TaskFilter:
        """Return the annotator's filter of tasks for one request; it reads the store on first use."""
        return self.scheduler.task_filter(TaskScope(annotator.pseudonym, kind, language))

    def _available(self, scope: TaskScope, tasks: TaskFilter | None) -> TaskFilter:
        return tasks if tasks is not None and tasks.scope == scope else self.scheduler.task_filter(scope)

    def offers(  # noqa: PLR0913  independent options
        self,
        annotator: Annotator,
        kind: Kind,
        language: str,
        most: int = OFFERS,
        *,
        spares: bool = False,
        tasks: TaskFilter | None = None,
    ) -> tuple[Offer, ...]:
        """Return pairs to choose from; only kinds that re-enact them have any.

        Every offered pair counts as shown, so the annotator is not asked to find its target. Raise
        :class:`RefusedError`: ``kind_not_asked``, ``language_not_asked``, ``too_fast``.
        """
        task_filter = self._available(self._scope(annotator, kind, language), tasks)
        most = most if TASK_KINDS[kind].re_enacts else 0
        return tuple(
            Offer(
                self._offer_id(annotator, question),
                self.campaign.picture(question.item.current),
                self.campaign.picture(question.item.target),
                question.texts[0].text,
            )
            for question in self.scheduler.offered(task_filter, most, spares=spares)
        )

    def choose(self, annotator: Annotator, kind: Kind, language: str, offer: str) -> Task:
        """Return the task that the annotator chose from :meth:`offers`.

        Of the tasks chosen earlier, all but the latest are released; a task that an undo gave back is kept. Raise
        :class:`RefusedError` ``task_unknown`` if the offer is unknown or no longer available, else as
        :meth:`next_task`.
        """
        scope = self._scope(annotator, kind, language)
        self._may_begin(scope)
        for question, shares in self.scheduler.choices(scope):
            if TASK_KINDS[kind].re_enacts and self._offer_id(annotator, question) == offer:
                claimed = self.scheduler.take_one(scope, question, shares=shares)
                if claimed is not None:
                    choices = [entry for entry in self.scheduler.held(scope) if not entry.undone]
                    for earlier in choices[MAX_CHOSEN_TASKS:]:
                        self.scheduler.put_back(earlier)
                    return self._task(claimed)
        raise RefusedError("task_unknown")

    def begun(self, annotator: Annotator, kind: Kind, language: str, token: str | None = None) -> Task | None:
        """Return the task that the annotator chose last and has not answered; None if there is none.

        With a ``token``, return the task of that token; an expired claim on it is renewed. Raise as
        :meth:`next_task`.
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
        """Release a chosen task without a reason; it can be chosen again."""
        self.spend(annotator)
        held = self._held(annotator, token)
        if held is None:
            raise RefusedError("task_unknown")
        self.scheduler.put_back(held)

    def renew(self, annotator: Annotator, token: str) -> None:
        """Extend the claim on a task to 15 minutes from now.

        Raise :class:`RefusedError`: ``task_unknown``, or ``task_expired`` if the claim has expired.
        """
        self.spend(annotator)
        held = self._held(annotator, token)
        if held is None:
            raise RefusedError("task_unknown")
        if held.claim.expires <= self.now():
            raise RefusedError("task_expired")
        self.scheduler.keep(held)

    def give(self, annotator: Annotator, token: str, answer: Answer, *, tasks: TaskFilter | None = None) -> Receipt:
        """Store the answer to a task; an answer that is sent twice is stored once.

        ``answer`` holds the values of the kind's fields as the page sends them (``annotate.kinds``). Places count from
        0 in the order of the task, and None means tied. ``flags``, ``comment`` and ``checks`` are optional. A
        finished answer is stored even if its claim has expired, others have answered first or the question is no
        longer asked; it then has the flags of ``records.api``. ``tasks`` is read after the answer is stored, to
        report the progress.

        Raise :class:`RefusedError`: ``task_unknown``, ``answer_malformed`` (``field``), ``answer_twice``,
        ``answer_changed_elsewhere`` if the answer was stored and withdrawn, ``text_missing``, ``text_too_long``,
        ``rules_broken`` (``rules``), and ``store_…``.
        """
        self.spend(annotator)
        held = self._held(annotator, token)
        if held is None:
            return self._earlier_receipt(annotator, token, answer, tasks)
        question, seconds = held.question, max(0.0, self.now() - self.scheduler.began(held))
        payloads = self._read(answer, question, annotator, seconds)
        if isinstance(payloads[0], FoolingAttempt):
            payloads[0] = replace(self._ranked(held, payloads[0])[0], attempts=len(self._attempts(held)))
        remarks = (*self.scheduler.remarks(held), *self.reveal.remarks(annotator.pseudonym, question.kind))
        payloads += [Flag(reason) for reason in remarks]
        return self._receipt(scope_of(held), self._save(held, payloads), tasks)

    def ranking(self, annotator: Annotator, token: str, text: str) -> ShownRanking | None:
        """Return how the model ranks the candidates by a text, and store nothing; None for no text.

        Raise :class:`RefusedError` ``task_unknown``, and ``model_busy``: the text can be given all the same.
        """
        held = self._fooling(annotator, token)
        text = cleaned_text(text).strip()[:MAX_TEXT_CHARS]
        ranking = self._model_ranking(held, text)
        return shown(ranking, self._view(held)) if text else None

    def attempt(self, annotator: Annotator, token: str, answer: Answer) -> ShownRanking | None:
        """Store an attempt to fool the model, once if it is sent twice; None if the model is busy.

        Raise as :meth:`give`.
        """
        held = self._fooling(annotator, token)
        seconds = max(0.0, self.now() - self.scheduler.began(held))
        written = self._read(answer, held.question, annotator, seconds)[0]
        fields = {name: getattr(written, name) for name in ("text", "guide", "words", "seconds")}
        earlier = self._attempts(held)
        tried, ranking = self._ranked(held, FoolingAttempt(**fields, task=token, attempts=len(earlier) + 1))
        last = earlier[-1] if earlier else None
        if last is None or (last.text, last.guide) != (tried.text, tried.guide):
            self.store.add(self._event(held, tried))
        return ranking

    def _fooling(self, annotator: Annotator, token: str) -> ClaimedTask:
        held = self._held(annotator, token)
        if held is None or held.question.kind != FOOL.key:
            raise RefusedError("task_unknown")
        return held

    def _attempts(self, held: ClaimedTask) -> list[FoolingAttempt]:
        claim = held.claim
        about = {"campaign": claim.campaign, "item": claim.item, "annotator": claim.annotator}
        tried = (event.payload for event in self.store.live(kind=FoolingAttempt.kind, **about))
        of_task = (one for one in tried if isinstance(one, FoolingAttempt) and one.task == claim.token)
        return sorted(of_task, key=lambda one: one.attempts)

    def _model_ranking(self, held: ClaimedTask, text: str) -> ModelRanking:
        return self.fooled.ranking(self.ports.rank, self._view(held), text, self.campaign.picture)

    def _ranked(self, held: ClaimedTask, written: FoolingAttempt) -> tuple[FoolingAttempt, ShownRanking | None]:
        """Return an attempt with the model's ranking, and as it is if the model is busy."""
        try:
            ranking = self._model_ranking(held, written.text)
        except RefusedError:
            return written, None
        return replace(written, **ranked(ranking, held.question.item.answer or 0)), shown(ranking, self._view(held))

    def skip(
        self, annotator: Annotator, token: str, reason: str, comment: str = "", tasks: TaskFilter | None = None
    ) -> Receipt:
        """Skip a task for good; it stays open for others. ``reason`` is one of ``SKIP_REASONS``.

        With the reason ``PROBLEM`` and a comment, nothing more is asked about the item until the owner decides. Raise
        :class:`RefusedError`: ``task_unknown``, ``answer_malformed``, ``text_missing``, ``text_too_long``, and
        ``store_…``.
        """
        self.spend(annotator)
        held = self._held(annotator, token)
        if reason not in SKIP_REASONS:
            raise RefusedError("answer_malformed", field="reason")
        if reason == PROBLEM and not comment.strip():
            raise RefusedError("text_missing")
        if held is None:
            return self._earlier_receipt(annotator, token, None, tasks)
        payloads: list[Payload] = [Skip(reason, task=held.question.skipped_as)]
        if comment:
            payloads.append(Flag(PROBLEM if reason == PROBLEM else f"skipped_{reason}", comment))
        return self._receipt(scope_of(held), self._save(held, payloads), tasks)

    def receipt(self, annotator: Annotator, token: str, *, tasks: TaskFilter | None = None) -> Receipt | None:
        """Return the receipt of a stored answer again; None if there is none or it was withdrawn.

        It serves a page that may have missed the first receipt.
        """
        event = self.store.event(token) if is_event_id(token) else None
        scope = None if event is None else self.scheduler.answered(event)
        if event is None or scope is None or event.annotator != annotator.pseudonym:
            return None
        stands = self.store.live(annotator=event.annotator, kind=event.kind, item=event.item)
        return self._receipt(scope, Saved(event, is_new=False), tasks) if event in stands else None

    def last(self, annotator: Annotator, kind: Kind, language: str) -> str | None:
        """Return the id of the annotator's last answer or skip of a kind, which :meth:`undo` would withdraw."""
        over = self.reveal.is_over(annotator.pseudonym, kind)
        return None if over else self._undo_service.last(TaskScope(annotator.pseudonym, kind, language))

    def undo(self, annotator: Annotator, kind: Kind, language: str, event: str) -> Task | None:
        """Withdraw an answer or skip and return its task again; None if it can no longer be asked.

        A repeated undo has no further effect. Raise :class:`RefusedError`: ``task_unknown``, ``votes_over``,
        ``kind_not_asked``, ``language_not_asked``, ``too_fast``, and ``store_…``.
        """
        scope = self._scope(annotator, kind, language)
        if self.reveal.is_over(annotator.pseudonym, kind):
            raise RefusedError("votes_over")
        held = self._undo_service.undo(scope, event)
        return None if held is None else self._task(held)

    def progress(self, annotator: Annotator, kind: Kind, language: str, tasks: TaskFilter | None = None) -> Progress:
        """Return the annotator's progress."""
        return self._progress(TaskScope(annotator.pseudonym, kind, language), tasks)

    def _progress(self, scope: TaskScope, tasks: TaskFilter | None) -> Progress:
        progress = self.scheduler.progress(self._available(scope, tasks))
        return Progress(progress.given, 0) if self.reveal.is_over(scope.annotator, scope.kind) else progress

    def coverage(self) -> tuple[Coverage, ...]:
        """Return the coverage of the campaign.

        Only owners may see it: it does not grow when a gold item is answered, which would give gold items away.
        """
        return self.scheduler.coverage()

    def asks(self) -> list[tuple[Kind, str]]:
        """Return the kinds and languages with at least one question."""
        return self.scheduler.open_kinds()

    def test(self, annotator: Annotator, kind: Kind, language: str) -> QualificationTest | None:
        """Return the qualification test that the annotator has yet to pass for a kind; None if there is none."""
        return self._qualification.test(annotator.pseudonym, kind, language)

    def take_test(
        self, annotator: Annotator, language: str, choices: Mapping[str, int], attempt: str | None = None
    ) -> TestResult:
        """Mark the test and store the result, once for each ``attempt``; ``choices`` are by question id.

        Raise as :meth:`QualificationService.take`, and ``answer_malformed`` if ``attempt`` is not an id.
        """
        self.spend(annotator)
        if attempt is not None and not is_event_id(attempt):
            raise RefusedError("answer_malformed", field="attempt")
        return self._qualification.take(annotator.pseudonym, language, choices, self._attempt(annotator, attempt))

    def tested(self, annotator: Annotator, language: str, attempt: str) -> TestResult | None:
        """Return the stored result of an attempt; None if there is none.

        It serves a page that may have missed the result.
        """
        return self._qualification.result(annotator.pseudonym, language, self._attempt(annotator, attempt))

    def agree(self, annotator: Annotator, version: str, read: str = "", language: str = "") -> None:
        """Store that the annotator agreed to a version of the terms; ``read`` is their text as shown."""
        self.spend(annotator)
        self._consents.agree(annotator.pseudonym, version, read, language)

    def agreed(self, annotator: Annotator, version: str) -> bool:
        """Return whether the annotator agreed to this version of the terms."""
        return self._consents.agreed(annotator.pseudonym, version)

    def record_counts(self, annotator: Annotator) -> dict[str, int]:
        """Return the number of the annotator's records of each kind."""
        return self.store.counts(annotator.pseudonym)

    def withdraw(self, annotator: Annotator) -> None:
        """Delete all records of the annotator."""
        self.spend(annotator)
        self.store.withdraw(annotator=annotator.pseudonym, app_version=self.app_version)

    # Admission.

    def spend(self, annotator: Annotator, cost: float = 1) -> None:
        """Count a request against the rate limits; raise :class:`RefusedError` ``too_fast``.

        The other methods of the service count their requests themselves.
        """
        is_guest = annotator.via == "guest" and not annotator.is_owner
        self.limits.spend(annotator.pseudonym, cost, is_guest=is_guest, address=annotator.address)

    def guest_admission(self) -> GuestAdmission:
        """Return the admission of new guests."""
        return GuestAdmission(self.limits, self.store, self._proof_of_work)

    def _scope(self, annotator: Annotator, kind: Kind, language: str, *, counts: bool = True) -> TaskScope:
        """Return the scope of a request and count the request; raise if the campaign lacks the kind or language."""
        if kind not in self.campaign.kinds:
            raise RefusedError("kind_not_asked")
        if language not in self.campaign.languages:
            raise RefusedError("language_not_asked")
        if counts:
            self.spend(annotator)
        return TaskScope(annotator.pseudonym, kind, language)

    def _may_begin(self, scope: TaskScope) -> None:
        reason = self.scheduler.asks(scope.kind, scope.language).rejected.get(scope.annotator)
        if reason is not None:
            raise RefusedError("answers_rejected", reason=reason)
        terms = self.consents.get(scope.kind)
        if terms is not None and not self._consents.agreed(scope.annotator, terms):
            raise RefusedError("consent_missing")
        if self.study.state(scope.annotator) != "open":
            raise RefusedError("study_not_open")
        if self._qualification.test(scope.annotator, scope.kind, scope.language) is not None:
            raise RefusedError("not_qualified")

    # Tasks.

    def _task(self, held: ClaimedTask) -> Task:
        view = self._view(held)
        answer = self._undo_service.answer(held.undone, view) if held.undone else None
        return view.task(held.claim.token, self.campaign.picture, answer)

    def _view(self, held: ClaimedTask) -> QuestionView:
        return QuestionView(held.question, held.claim.annotator, self._key)

    def _read(self, answer: Answer, question: Question, annotator: Annotator, seconds: float) -> list[Payload]:
        view = QuestionView(question, annotator.pseudonym, self._key)
        return TASK_KINDS[question.kind].read_answer(answer, view, self.ports, seconds)

    def _offer_id(self, annotator: Annotator, question: Question) -> str:
        return keyed(self._key, "offer", annotator.pseudonym, question.language, *question.place)[:32]

    def _attempt(self, annotator: Annotator, attempt: str | None) -> str | None:
        """Return the id under which an attempt is stored; it is keyed, so a page cannot choose another record's id."""
        return None if attempt is None else keyed(self._key, "attempt", annotator.pseudonym, attempt)[:32]

    # Records.

    def _held(self, annotator: Annotator, token: str) -> ClaimedTask | None:
        if not is_event_id(token):
            raise RefusedError("task_unknown")
        return self.scheduler.find(token, annotator.pseudonym)

    def _save(self, held: ClaimedTask, payloads: list[Payload]) -> Saved:
        """Save records; the first becomes the answer, under the claim's token."""
        claim = held.claim
        flagged = (replace(one, of=claim.token) if isinstance(one, Flag) else one for one in payloads)
        events = [self._event(held, one, None if number else claim.token) for number, one in enumerate(flagged)]
        saved = self.store.add_all(events, claim=claim.token)[0]
        self.limits.recognise(held.claim.annotator)
        return saved

    def _event(self, held: ClaimedTask, payload: Payload, id_: str | None = None) -> Event:
        claim = held.claim
        return new_event(
            payload,
            annotator=claim.annotator,
            campaign=claim.campaign,
            item=claim.item,
            language=claim.language,
            app_version=self.app_version,
            id=id_,
            time=self._time(),
        )

    def _earlier_receipt(
        self, annotator: Annotator, token: str, answer: Answer | None, tasks: TaskFilter | None
    ) -> Receipt:
        """Return the receipt of the answer already stored under this token.

        Raise ``answer_twice`` if it differs from ``answer``, as far as that can be determined.
        """
        event = self.store.event(token)
        scope = None if event is None else self.scheduler.answered(event)
        if event is None or scope is None or event.annotator != annotator.pseudonym:
            raise RefusedError("task_unknown")
        if isinstance(event.payload, Skip) != (answer is None):
            raise RefusedError("answer_twice")
        question = self.scheduler.question(event)
        if answer is not None and question is not None:
            seconds = float(getattr(event.payload, "seconds", 0.0))
            if self._read(answer, question, annotator, seconds)[0] != event.payload:
                raise RefusedError("answer_twice")
        receipt = self.receipt(annotator, token, tasks=tasks)
        if receipt is None:
            raise RefusedError("answer_changed_elsewhere")
        return receipt

    def _receipt(self, scope: TaskScope, saved: Saved, tasks: TaskFilter | None) -> Receipt:
        return Receipt(saved.event.id, self._progress(scope, tasks), repeated=not saved.is_new)

    def _time(self) -> datetime:
        return datetime.fromtimestamp(self.now(), UTC)


# Undo: withdraws an answer together with its flags, once however often it is requested.
#
# A withdrawn answer stays a record, with a withdrawal that names it. Its task is given to the same annotator
# again.


@dataclass(frozen=True)
class UndoService:
    """The undo service over one store; ``time`` returns the time of new records."""

    store: Store
    scheduler: TaskScheduler
    time: Callable[[], datetime]
    app_version: str = ""

    def last(self, scope: TaskScope) -> str | None:
        """Return the id of the event that an undo would withdraw now; None if there is none."""
        with self.store.reading() as connection:
            return read_last(connection, self.scheduler.claim_scope(scope))

    def undo(self, scope: TaskScope, event_id: str) -> ClaimedTask | None:
        """Withdraw an answer or skip and return the claim on its task.

        Return None if the question is no longer asked or was answered again. Raise :class:`RefusedError`
        ``task_unknown`` if the annotator has no such event in this scope.
        """
        event = self.store.event(event_id) if is_event_id(event_id) else None
        if event is None or self.scheduler.answered(event) != scope:
            raise RefusedError("task_unknown")
        self._end(event)
        for held in self.scheduler.held(scope):
            if held.undone == event.id:
                return held
        question = self.scheduler.question(event)
        return None if question is None else self.scheduler.take_one(scope, question, undone=event.id)

    def answer(self, undone: str, view: QuestionView) -> Answer | None:
        """Return a withdrawn answer in the format of the page; None if it was deleted or no longer fits."""
        event = self.store.event(undone)
        kind = None if event is None else BY_RECORD.get(event.kind)
        if event is None or kind is None:
            return None
        reasons = [flag.payload.reason for flag in self._along(event) if isinstance(flag.payload, Flag)]
        return kind.show(event.payload, view, [reason for reason in reasons if reason in FLAGS])

    def _end(self, event: Event) -> None:
        """Withdraw an answer and its flags together; do nothing if that was done before."""
        if not self._stands(event):
            return
        ending = [
            new_event(
                Withdrawal(of=answer.id, reason="undo"),
                annotator=event.annotator,
                app_version=self.app_version,
                time=self.time(),
            )
            for answer in (event, *self._along(event, live=True))
        ]
        try:
            self.store.add_all(ending)
        except RefusedError as error:
            if error.code != "answer_changed_elsewhere" or self._stands(event):
                raise

    def _stands(self, event: Event) -> bool:
        filters = {"kind": event.kind, "item": event.item, "annotator": event.annotator, "campaign": event.campaign}
        return any(answer.id == event.id for answer in self.store.live(**filters))

    def _along(self, event: Event, *, live: bool = False) -> list[Event]:
        """Return the flags that were given with an answer."""
        flags = self.store.events(
            campaign=event.campaign, kind=Flag.kind, item=event.item, annotator=event.annotator, live=live
        )
        return [flag for flag in flags if isinstance(flag.payload, Flag) and flag.payload.of == event.id]


def replace_earlier(store: Store, record: Payload | None, kind: str, aspect: str, **about: Any) -> None:  # noqa: ANN401  as new_event
    """Store a record once and instead of its annotator's earlier one of the same aspect; None withdraws that."""
    scope = {name: about.get(name, "") for name in ("campaign", "item", "annotator")}
    earlier = next((event for event in store.live(kind=kind, **scope) if event.payload.aspect == aspect), None)
    if record is None and earlier is not None:
        by = {name: about[name] for name in ("annotator", "app_version") if name in about}
        store.add(new_event(Withdrawal(earlier.id, "undo"), **by))
    elif record is not None and (earlier is None or earlier.payload != record):
        store.add(new_event(record, supersedes=None if earlier is None else earlier.id, **about))


# Decisions of the owner about flagged pairs, careless people and the campaign: events, from the page or a command.


def decide(  # noqa: PLR0913  what is decided about whom, and where
    store: Store, campaign: str, decision: Decision | None, item: str = "", *, person: str = "", app_version: str = ""
) -> None:
    """Store a decision about a pair, a ``person`` or the campaign as :func:`replace_earlier` does."""
    about = {"annotator": OWNER, "campaign": campaign, "item": item, "app_version": app_version}
    replace_earlier(store, decision, Decision.kind, decision.person if decision else person, **about)


# Current activity, for owners only: annotators at work, and questions that still want answers.

RECENT = timedelta(minutes=15)  # the duration of a claim


@dataclass(frozen=True)
class Active:
    """An annotator who gave an answer recently or holds a task, by pseudonym, with the kinds of task.

    ``answers`` counts the recent answers; ``idle`` is the whole minutes since the last one, None without one.
    """

    annotator: str
    kinds: tuple[Kind, ...]
    answers: int
    idle: int | None


def active_people(service: AnnotationService) -> list[Active]:
    """Return the annotators at work, those with the latest answer first."""
    now = service.now()
    moment = datetime.fromtimestamp(now, UTC)
    with service.store.reading() as connection:
        at_work = read_at_work(connection, service.campaign.name, moment - RECENT, now)
    people = []
    for annotator, work in at_work.items():
        kinds = tuple(key for key, kind in TASK_KINDS.items() if kind.record.kind in work.kinds)
        idle = None if work.last is None else max(0, int((moment - work.last).total_seconds() // 60))
        people.append(Active(annotator, kinds, work.answers, idle))
    return sorted(people, key=lambda person: (person.idle is None, person.idle, person.annotator))


def still_wanted(service: AnnotationService) -> Iterator[Coverage]:
    """Return the coverage of the kinds and languages that still want answers."""
    return (coverage for coverage in service.coverage() if coverage.answered < coverage.wanted)
