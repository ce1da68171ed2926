"""The controller of the annotation tab and the feedback on single steps of corrections.

Nothing from a browser is trusted. The only endpoint of the tab identifies the annotator for every request, a
task is known only by its random token, and a response contains only markup, the token and the name under
which a draft is kept.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import anyio.to_thread
import gradio as gr
from anyio import CapacityLimiter

from annotate.errors import RefusedError
from annotate.identity import NOWHERE, Annotator, Caller, IdentitySettings, identify, keyed, new_guest_id
from annotate.kinds import VOTE, Receipt, TaskKind, number, one
from annotate.photos import PHOTO_THREADS
from annotate.publishing import PublishingState
from annotate.records import MAX_TEXT_CHARS, SKIP_REASONS, StepFeedback
from annotate.tabs.pages import REVEAL_KEYS, VIEW, OwnerPages, TaskPages, agree, answer_terms, terms_text
from annotate.tabs.real_pairs import RealPairs
from annotate.tabs.requests import Action, Context, PageServices, Response, read_fields, refusal_response
from annotate.tasks import (
    COSTS,
    UNSAID,
    AnnotationService,
    Participants,
    PaymentRules,
    ShownRanking,
    TaskFilter,
    participant_id,
    replace_earlier,
)

_PARTS = (
    "work proof_of_work work_checks work_keys work_dialogs work_pictures real_pair re_enact_camera repair fool results "
    "payment"
)
SCRIPTS = tuple(f"{part}.js" for part in _PARTS.split())
_PHOTOGRAPHS = frozenset({"photograph", "paint", "watch", "rank", "attempt"})  # slow, with threads of their own
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class AnnotationController:
    """The controller; ``state`` returns the state of publishing, ``hub_login`` allows logins with a Hub account.

    ``caller`` returns the origin of a request. ``asked_here`` names the models that every visitor of the page
    may use.
    """

    name: ClassVar[str] = "annotate"
    styles: ClassVar[tuple[str, ...]] = ("work.css", "real_pair.css", "repair.css", "fool.css", "results.css")
    service: AnnotationService
    identity: IdentitySettings
    services: PageServices
    state: Callable[[], PublishingState]
    hub_login: bool = False
    publish: Callable[[], object] = lambda: None  # publishes at once, before the next interval
    caller: Callable[[gr.Request], Caller] = lambda _: NOWHERE
    asked_here: frozenset[str] = frozenset()
    paying: PaymentRules = UNSAID
    participants: Participants = field(init=False)
    real_pairs: RealPairs = field(init=False)
    owners: OwnerPages = field(init=False)
    feedback: StepFeedbacks = field(init=False)
    pages: TaskPages = field(init=False)
    _photograph_threads: CapacityLimiter = field(
        default_factory=lambda: CapacityLimiter(PHOTO_THREADS), init=False, repr=False
    )

    def __post_init__(self) -> None:
        """Create the parts of the controller; photographs waiting for approval are kept in this process."""
        object.__setattr__(self, "real_pairs", RealPairs.of(self.service, self.services))
        owners = OwnerPages(self.service, self.services, self.state, self.publish, self.asked_here)
        object.__setattr__(self, "owners", owners)
        object.__setattr__(self, "feedback", StepFeedbacks(self.service, self.services))
        object.__setattr__(self, "participants", Participants(self.service, self.paying))
        shared = self.service, self.services, self.participants, self.real_pairs, self.owners
        object.__setattr__(self, "pages", TaskPages(*shared, self.hub_login))

    def build(self) -> None:
        """Add the tab to the open Blocks context."""
        if self.hub_login:
            gr.LoginButton(visible=False)  # never shown; Gradio handles logins only if it exists
        stage = gr.HTML(
            html_template="${markup}",
            markup=self.services.render(
                "work.html",
                reasons=SKIP_REASONS,
                longest_text=MAX_TEXT_CHARS,
                parameters=self.paying.parameters,
                contact=self.services.contact,
            ),
            js_on_load=self.services.script(*SCRIPTS),
            apply_default_css=False,
            elem_id="work",
        )
        self._listen(stage, "() => window.FMP.work.lost()")

    def build_feedback(self) -> None:
        """Add the invisible component that receives feedback on steps to the open Blocks context."""
        heard = gr.HTML(html_template="", js_on_load=self.services.script("step_feedback.js"), apply_default_css=False)
        self._listen(heard, "() => document.dispatchEvent(new CustomEvent('fmp:unjudged')) && []")

    def _listen(self, stage: gr.HTML, lost: str) -> None:
        """Handle the requests of a component; the page runs the script ``lost`` if a request gets no response."""
        options = {"api_visibility": "private", "queue": False, "show_progress": "hidden"}
        pressed = stage.act(self.act_aside, None, stage, trigger_mode="multiple", **options)
        pressed.failure(None, None, None, js=lost, **options)

    async def act_aside(
        self, event: gr.EventData, profile: gr.OAuthProfile | None, request: gr.Request | None = None
    ) -> Response:
        """Handle a request in a thread; those about photographs have their own threads and block no others."""
        threads = self._photograph_threads if _message(event).get("action") in _PHOTOGRAPHS else None
        return await anyio.to_thread.run_sync(self.act, event, profile, request, limiter=threads)

    def act(self, event: gr.EventData, profile: gr.OAuthProfile | None, request: gr.Request | None = None) -> Response:
        """Handle a request of the page."""
        action = _message(event)
        number = action.get("number")
        caller = NOWHERE if request is None else self.caller(request)
        response = self.answer(action, None if profile is None else str(profile.username), caller)
        return {**response, "number": number if isinstance(number, int) else 0}

    def answer(self, action: Action, hub_name: str | None, caller: Caller = NOWHERE) -> Response:
        """Return the response to an action; an error becomes one sentence, and an internal error is also logged."""
        guest: Response = {}
        try:
            handler, participant = self._handler(action.get("action")), participant_id(action.get("participant"))
            try:
                annotator, guest = self._annotator(action, hub_name, caller, participant)
            except RefusedError as error:
                if error.code == "login_needed" and action.get("action") in {"start", "sit"}:
                    self.service.limits.spend_nameless(caller.address)
                    return self.pages.start(action, None)
                raise
            if action.get("action") in COSTS:
                self.service.spend(annotator, COSTS[str(action["action"])])
            return {**guest, **handler(Context(annotator, action, participant))}
        except RefusedError as error:
            return {**guest, **refusal_response(error, self.services)}
        except Exception:  # noqa: BLE001 - logged with its traceback, never shown to a visitor
            _log.exception("the request failed")
            return {**guest, "outcome": "fault"}

    def _annotator(
        self, action: Action, hub_name: str | None, caller: Caller, participant: str = ""
    ) -> tuple[Annotator, Response]:
        """Return the annotator of a request, and the new id for the browser of a first-time guest to keep."""
        sender = action.get("guest")
        sender = sender if isinstance(sender, Mapping) else {}
        guest_id, name = sender.get("id"), sender.get("name")
        name = name if isinstance(name, str) else ""
        is_new = hub_name is None and guest_id is None and self.identity.allow_guests
        guest_id = new_guest_id() if is_new else guest_id
        annotator = identify(hub_name, guest_id, self.identity, name, caller, participant)
        # A participant may be known from another browser.
        self.service.guest_admission().welcome(annotator, action.get("proof"), is_new=is_new and not participant)
        return annotator, {"guest": guest_id} if is_new else {}

    # Actions.

    def _handler(self, name: object) -> Callable[[Context], Response]:
        handler = {
            "start": self._start,
            "agree": self._agree,
            "tell": self._tell,
            "sit": self._sit_down,
            "give": self._give,
            "skip": self._skip,
            "ahead": self._ahead,
            "undo": self._undo,
            "renew": self._renew,
            "test": self._take_test,
            "forget": self._forget,
            "choose": self._choose,
            "put_back": self._put_back,
            "photograph": self._photograph,
            "paint": self._paint,
            "edits": self._edits,
            "watch": self._watch,
            "rank": self._rank,
            "attempt": self._attempt,
            "download": self.owners.file,
            "publish": self.owners.publish_now,
            "stop": self.owners.stop,
            "owner": self.owners.refreshed,
            "decide": self.owners.decide,
            "answers": self.owners.answers,
            "reveal": self._reveal,
            "judge": self.feedback.judge,
        }.get(str(name))
        if handler is None:
            raise RefusedError("answer_malformed", field="action")
        return handler

    def _start(self, context: Context) -> Response:
        return self.pages.start(context.action, context.annotator, context.participant)

    def _agree(self, context: Context) -> Response:
        agree(self.service, self.participants, context, self.services)
        return self._sit_down(context) if context.text("kind") else self._start(context)

    def _tell(self, context: Context) -> Response:
        self.service.spend(context.annotator)
        if not self.service.agreed(context.annotator, answer_terms(self.service.campaign)):
            raise RefusedError("consent_missing")
        language = context.text("page_language") if context.text("page_language") in self.services.scripts else ""
        self.service.study.tell(context.annotator.pseudonym, read_fields(context.action.get("fields")), language)
        return self._start(context)

    def _sit_down(self, context: Context) -> Response:
        return {**self._earlier_thanks(context), **self._sat_down(context)}

    def _sat_down(self, context: Context) -> Response:
        if context.text("kind") == VIEW:
            return self.owners.results(context)
        if self.participants.has_to_agree(context.annotator, context.participant):
            return self._start(context)
        form, language = self.pages.form(context)
        tasks = self.service.task_filter(context.annotator, form.key, language)
        try:
            if form.re_enacts:
                return self.pages.real_pair_page(context, form, language, tasks)
            task = self.service.next_task(context.annotator, form.key, language, spares=context.spares, tasks=tasks)
        except RefusedError as error:
            if error.code in {"consent_missing", "study_not_open"}:
                return self._start(context)
            if error.code == "not_qualified":
                test = self.service.test(context.annotator, form.key, language)
                result = self.service.tested(context.annotator, language, context.text("sent"))
                return self.pages.test(form, language, test, result)
            raise
        return self.pages.task(context, form, language, task, tasks)

    def _earlier_thanks(self, context: Context) -> Response:
        """Return the thanks for an answer again, for a page that was reloaded before it received them."""
        token = context.text("sent")
        receipt = self.service.receipt(context.annotator, token) if token else None
        return {} if receipt is None else _thanks(context, receipt)

    def _ahead(self, context: Context) -> Response:
        """Return the task after the one on the page, complete, for display once that one is answered or skipped."""
        form, language = self.pages.form(context)
        if form.re_enacts:
            return {"outcome": "told"}
        token, spares = context.text("token"), context.spares
        task = self.service.next_task(context.annotator, form.key, language, after=token, spares=spares)
        if task is None:
            return {"outcome": "told"}
        # The answer to the task on the page will have its token as id. The progress comes with its thanks.
        then = {"undo": token, "progress": None}
        return {**self.pages.task(context, form, language, task, **then), "outcome": "ahead"}

    def _give(self, context: Context) -> Response:
        form, language = self.pages.form(context)
        answer, token = form.answer(read_fields(context.action.get("fields"))), context.text("token")
        tasks = self.service.task_filter(context.annotator, form.key, language)
        if form.re_enacts:
            self.service.spend(context.annotator)  # the search for photographs counts, whether any are found or not
            before = self.real_pairs.earlier_receipt(context.annotator, token, answer)
            if before is not None:
                return self._and_then(context, form, language, tasks, _thanks(context, before))
            answer = self.real_pairs.complete(context.annotator, token, answer)
        receipt = self.service.give(context.annotator, token, answer, tasks=tasks)
        if form.re_enacts:
            self.real_pairs.settle(context.annotator, token)
        response = {**_thanks(context, receipt), **self._completed(context)}
        return self._and_then(context, form, language, tasks, response, **_now(receipt))

    def _completed(self, context: Context) -> Response:
        """Return the code of the batch that an answer finished; if it cannot be stored, it is shown later."""
        try:
            finished = self.participants.finish(context.annotator, context.participant)
            return (
                {"completion": self.services.render("completion.html", **finished._asdict())} if any(finished) else {}
            )
        except RefusedError as error:
            _log.warning("%s", error)
        return {}

    def _skip(self, context: Context) -> Response:
        form, language = self.pages.form(context)
        comment = one(read_fields({"comment": context.action.get("comment", "")}), "comment")
        tasks = self.service.task_filter(context.annotator, form.key, language)
        token, reason = context.text("token"), context.text("reason")
        receipt = self.service.skip(context.annotator, token, reason, comment, tasks=tasks)
        return self._and_then(context, form, language, tasks, {"skipped": True}, **_now(receipt))

    def _and_then(
        self, context: Context, form: TaskKind, language: str, tasks: TaskFilter, response: Response, **now: object
    ) -> Response:
        """Return the next task together with ``response``, which is returned even if there is no next task.

        A task that the page has prefetched is named but not sent again. Values in ``now`` are not read again.
        """
        try:
            if form.re_enacts:
                return {**response, **self.pages.real_pair_page(context, form, language, tasks)}
            task = self.service.next_task(
                context.annotator, form.key, language, counts=False, spares=context.spares, tasks=tasks
            )
            if task is not None and task.token == context.text("ahead"):
                return {**response, **self.pages.fetched(context, form, language, task, **now)}
            return {**response, **self.pages.task(context, form, language, task, tasks, **now)}
        except RefusedError as error:
            if error.code == "study_not_open":
                return {**response, **self._start(context)}
            return {**response, **refusal_response(error, self.services)}
        except Exception:  # noqa: BLE001 - logged; saved answers are confirmed all the same
            _log.exception("the next task could not be shown")
            return {**response, "outcome": "told"}

    def _undo(self, context: Context) -> Response:
        form, language = self.pages.form(context)
        task = self.service.undo(context.annotator, form.key, language, context.text("event"))
        if task is None:
            tasks = self.service.task_filter(context.annotator, form.key, language)
            return self._and_then(context, form, language, tasks, {"undone": True})
        return {"undone": True, **self.pages.task(context, form, language, task)}

    def _renew(self, context: Context) -> Response:
        self.service.renew(context.annotator, context.text("token"))
        return {"outcome": "told"}

    def _take_test(self, context: Context) -> Response:
        form, language = self.pages.form(context)
        fields = read_fields(context.action.get("fields"))
        choices = {name: number(fields, name) for name in fields}
        result = self.service.take_test(context.annotator, language, choices, context.text("attempt"))
        if self.service.study.state(context.annotator.pseudonym) != "open":
            return self._start(context)
        test = None if result.passed else self.service.test(context.annotator, form.key, language)
        return self.pages.test(form, language, test, result)

    def _forget(self, context: Context) -> Response:
        self.service.withdraw(context.annotator)
        self.publish()
        self.real_pairs.forget(context.annotator)
        return {"forgotten": True, **self.pages.start({**context.action, "guest": None}, context.annotator)}

    # Real pairs.

    def _choose(self, context: Context) -> Response:
        form, language = self.pages.form(context)
        task = self.real_pairs.choose(context.annotator, language, context.action)
        return self.pages.task(context, form, language, task)

    def _put_back(self, context: Context) -> Response:
        form, language = self.pages.form(context)
        self.real_pairs.put_back(context.annotator, context.text("token"))
        tasks = self.service.task_filter(context.annotator, form.key, language)
        return self.pages.real_pair_page(context, form, language, tasks)

    def _photograph(self, context: Context) -> Response:
        _, language = self.pages.form(context)
        html = self.real_pairs.receive(context.annotator, language, context.action)
        return {"outcome": "part", "part": context.text("which"), "html": html}

    def _paint(self, context: Context) -> Response:
        which, html = self.real_pairs.paint(context.annotator, context.action)
        return {"outcome": "part", "part": which, "html": html}

    def _edits(self, context: Context) -> Response:
        _, language = self.pages.form(context)
        html = self.real_pairs.edits(context.annotator, language, context.action)
        return {"outcome": "part", "part": "edits", "html": html}

    def _watch(self, context: Context) -> Response:
        return {"outcome": "part", "part": "watch", **self.real_pairs.watch(context.annotator, context.action)}

    def _rank(self, context: Context) -> Response:
        text = one(read_fields({"text": context.action.get("text", "")}), "text")
        return self._ranking(self.service.ranking(context.annotator, context.text("token"), text), text)

    def _attempt(self, context: Context) -> Response:
        form, _ = self.pages.form(context)
        answer = form.answer(read_fields(context.action.get("fields")))
        return self._ranking(self.service.attempt(context.annotator, context.text("token"), answer))

    def _ranking(self, ranking: ShownRanking | None, asked: str = "an attempt") -> Response:
        html = self.services.render("fool_ranking.html", ranking=ranking, asked=asked.strip())
        return {"outcome": "part", "part": "ranking", "html": html, "settled": ranking is None or ranking.fooled}

    def _reveal(self, context: Context) -> Response:
        (form, language), annotator = self.pages.form(context), context.annotator
        self.service.spend(annotator)
        progress = self.service.progress(annotator, VOTE.key, language)
        terms = terms_text(self.services, context.text("page_language"), REVEAL_KEYS)
        self.service.reveal.look(annotator.pseudonym, progress, terms, language)
        return self.pages.task(context, form, language, None)


def _thanks(context: Context, receipt: Receipt) -> Response:
    """Return the thanks for an answer; a name kept in the browser applies only to guests."""
    return {"kept": True, "given": receipt.progress.given, "is_guest": context.annotator.via == "guest"}


def _now(receipt: Receipt) -> Response:
    """Return the progress and the undo of an annotator who has just answered or skipped."""
    # A repeated answer may no longer be the last one.
    last = {} if receipt.repeated else {"undo": receipt.event}
    return {"progress": receipt.progress, **last}


def _message(event: gr.EventData) -> Action:
    """Return what an event carries; nothing where that is no message."""
    data = event._data  # noqa: SLF001  Gradio has no public access to it; test_gradio_internals checks it
    return data if isinstance(data, Mapping) else {}


# Feedback on single steps of a correction: "Was this right?", asked of the person who gave the photographs.
#
# A correction carries its data under a seal that only this app's key can make, and the page sends it back
# with the feedback. So the server stores nothing of it before the person agrees, and a step that was never
# given cannot be judged. The records belong to no campaign; their item is the seal of the correction.

STEP_FEEDBACK_TERMS = (
    "step-feedback-1"  # version of the texts of `STEP_FEEDBACK_KEYS`; a change asks all annotators again
)
STEP_FEEDBACK_KEYS = ("feedback.terms",)
_SEALED = re.compile(r"([A-Za-z0-9_-]{1,60000}={0,2})\.([0-9a-f]{32})", re.ASCII)


@dataclass(frozen=True)
class StepFeedbacks:
    """The feedback on steps in one app."""

    service: AnnotationService
    services: PageServices

    def seal(self, answer: Mapping[str, Any]) -> str | None:
        """Return the sealed data of a correction for the page to send back; None if it has no steps.

        ``answer`` has the ``model``, the ``language``, ``joints_m``, and ``steps`` by position, each with
        ``text``, ``confidence``, ``verdict`` and ``clauses``.
        """
        if not answer["steps"]:
            return None
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        content = base64.urlsafe_b64encode(text.encode()).decode("ascii")
        return f"{content}.{self._mark(content)}"

    def judge(self, context: Context) -> Response:
        """Store whether a step was ``right``, or withdraw the feedback if it is null; repeated feedback is stored once.

        Raise :class:`RefusedError`: ``answer_malformed``, ``step_unknown``, ``consent_missing``, ``too_fast``, and
        ``store_…``.
        """
        self.service.spend(context.annotator)
        right = context.action.get("right")
        if not isinstance(right, bool | None):
            raise RefusedError("answer_malformed", field="right")
        item, answer = self._unsealed(context.action.get("sealed"))
        step = context.text("step")
        if step not in answer["steps"]:
            raise RefusedError("step_unknown")
        if right is not None:
            self._demand_consent(context)
        feedback = None if right is None else _feedback(answer, step, right=right)
        about = {"annotator": context.annotator.pseudonym, "item": item, "language": answer["language"]}
        version = self.service.app_version
        replace_earlier(self.service.store, feedback, StepFeedback.kind, step, **about, app_version=version)
        return {"outcome": "told"}

    def _demand_consent(self, context: Context) -> None:
        """Store the consent in a request; raise :class:`RefusedError` if there is none, now or earlier."""
        if context.action.get("agrees") is True:
            page_language = context.text("page_language")
            language = page_language if page_language in self.services.scripts else ""
            read = terms_text(self.services, language, STEP_FEEDBACK_KEYS)
            self.service.agree(context.annotator, STEP_FEEDBACK_TERMS, read, language)
        elif not self.service.agreed(context.annotator, STEP_FEEDBACK_TERMS):
            raise RefusedError("consent_missing")

    def _unsealed(self, sealed: object) -> tuple[str, dict[str, Any]]:
        """Return the seal and content of a correction sealed here; raise :class:`RefusedError` for anything else."""
        match = _SEALED.fullmatch(sealed) if isinstance(sealed, str) else None
        if match is None or not hmac.compare_digest(match[2], self._mark(match[1])):
            raise RefusedError("step_unknown")
        try:
            answer: dict[str, Any] = json.loads(base64.urlsafe_b64decode(match[1]))
        except (binascii.Error, ValueError):
            raise RefusedError("step_unknown") from None
        return match[2], answer

    def _mark(self, content: str) -> str:
        return keyed(self.service.key, "spoken", content)[:32]


def _feedback(answer: Mapping[str, Any], step: str, *, right: bool) -> StepFeedback:
    """Return the record of a step of a sealed correction."""
    said = dict(answer["steps"][step])
    measured = {"clauses": said.pop("clauses"), "joints_m": answer["joints_m"]}
    return StepFeedback(right=right, step=step, model=answer["model"], measured=measured, **said)
