"""The tab's one endpoint: what a press on the page means, who made it, and what answers it.

A browser is believed nothing: who speaks is found anew for every press, a task is known by its random token alone, and
what is sent back holds nothing but markup, the token, and the name under which a draft is kept.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import anyio.to_thread
import gradio as gr
from anyio import CapacityLimiter

from annotate.errors import RefusedError
from annotate.identity import NOWHERE, Annotator, Caller, IdentitySettings, identify, new_guest_id
from annotate.page_services import PageServices
from annotate.photos import pending
from annotate.publishing.publisher import PublishingState
from annotate.records.api import SKIP_REASONS, Receipt
from annotate.records.fields import LONGEST_TEXT
from annotate.tabs.forms import real_pair
from annotate.tabs.forms.real_pair import RealPairs
from annotate.tabs.forms.task_form import Desk, number, one, read_fields
from annotate.tabs.press import Message, Reply, Visit, refused
from annotate.tabs.results import VIEW, OwnersDesk
from annotate.tabs.start_page import REVEAL_KEYS, agree, terms_text
from annotate.tabs.step_feedback import StepFeedbacks
from annotate.tabs.task_pages import Pages
from annotate.tasks.admission.rate_limit import COSTS
from annotate.tasks.availability import Availability
from annotate.tasks.participants import UNSAID, Participants, PaymentRules, participant_id
from annotate.tasks.service import Collection

TAB = "annotate"
_PARTS = "work newcomer work_checks work_keys work_dialogs work_pictures real_pair re_enact_camera results payment"
SCRIPTS = tuple(f"{part}.js" for part in _PARTS.split())
_PHOTOGRAPHS = frozenset({"photograph", "paint", "watch"})  # presses that may wait for each other
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Workbench:
    """``state`` tells how publishing stands; ``hub_login`` whether people may log in with their account of the Hub.

    ``caller`` tells where a request comes from. ``asked_here`` names the models that whoever comes to the page may ask.
    """

    collection: Collection
    identity: IdentitySettings
    surface: PageServices
    state: Callable[[], PublishingState]
    hub_login: bool = False
    publish: Callable[[], object] = lambda: None  # now, and not at the next interval
    caller: Callable[[gr.Request], Caller] = lambda _: NOWHERE
    asked_here: frozenset[str] = frozenset()
    paying: PaymentRules = UNSAID
    participants: Participants = field(init=False)
    real_pairs: RealPairs = field(init=False)
    owners: OwnersDesk = field(init=False)
    feedback: StepFeedbacks = field(init=False)
    pages: Pages = field(init=False)
    _photograph_threads: CapacityLimiter = field(
        default_factory=lambda: CapacityLimiter(pending.THREADS), init=False, repr=False
    )

    def __post_init__(self) -> None:
        """Photographs wait for approval in this process."""
        object.__setattr__(self, "real_pairs", RealPairs.of(self.collection, self.surface))
        owners = OwnersDesk(self.collection, self.surface, self.state, self.publish, self.asked_here)
        object.__setattr__(self, "owners", owners)
        object.__setattr__(self, "feedback", StepFeedbacks(self.collection, self.surface))
        object.__setattr__(self, "participants", Participants(self.collection, self.paying))
        shared = self.collection, self.surface, self.participants, self.real_pairs, self.owners
        object.__setattr__(self, "pages", Pages(*shared, self.hub_login))

    def build(self) -> None:
        """Lay the tab out in the Blocks context that is open."""
        if self.hub_login:
            gr.LoginButton(visible=False)  # never drawn: it is what makes Gradio take logins
        stage = gr.HTML(
            html_template="${markup}",
            markup=self.surface.render(
                "work.html", reasons=SKIP_REASONS, longest_text=LONGEST_TEXT, parameters=self.paying.parameters
            ),
            js_on_load=self.surface.script(*SCRIPTS),
            apply_default_css=False,
            elem_id="work",
        )
        self._listen(stage, "() => window.FMP.work.lost()")

    def build_feedback(self) -> None:
        """Lay out, in the Blocks context that is open, what takes presses on steps and shows nothing itself."""
        heard = gr.HTML(html_template="", js_on_load=self.surface.script("step_feedback.js"), apply_default_css=False)
        self._listen(heard, "() => document.dispatchEvent(new CustomEvent('fmp:unjudged')) && []")

    def _listen(self, stage: gr.HTML, lost: str) -> None:
        """Answer the presses of a component; ``lost`` is the page's script for one that no answer came to."""
        options = {"api_visibility": "private", "queue": False, "show_progress": "hidden"}
        pressed = stage.act(self.act_aside, None, stage, trigger_mode="multiple", **options)
        pressed.failure(None, None, None, js=lost, **options)

    async def act_aside(
        self, event: gr.EventData, profile: gr.OAuthProfile | None, request: gr.Request | None = None
    ) -> Reply:
        """Answer one press in a thread; those about photographs have threads of their own, and take nobody else's."""
        threads = self._photograph_threads if _message(event).get("action") in _PHOTOGRAPHS else None
        return await anyio.to_thread.run_sync(self.act, event, profile, request, limiter=threads)

    def act(self, event: gr.EventData, profile: gr.OAuthProfile | None, request: gr.Request | None = None) -> Reply:
        """Answer one press of the page."""
        message = _message(event)
        number = message.get("number")
        caller = NOWHERE if request is None else self.caller(request)
        reply = self.answer(message, None if profile is None else str(profile.username), caller)
        return {**reply, "number": number if isinstance(number, int) else 0}

    def answer(self, message: Message, hub_name: str | None, caller: Caller = NOWHERE) -> Reply:
        """The reply to a message; a refusal is one sentence, and a fault of ours is logged and one sentence too."""
        guest: Reply = {}
        try:
            action, participant = self._action(message.get("action")), participant_id(message.get("participant"))
            try:
                annotator, guest = self._annotator(message, hub_name, caller, participant)
            except RefusedError as error:
                if error.code == "login_needed" and message.get("action") in {"start", "sit"}:
                    self.collection.limits.spend_nameless(caller.address)
                    return self.pages.start(message, None)
                raise
            if message.get("action") in COSTS:
                self.collection.spend(annotator, COSTS[str(message["action"])])
            return {**guest, **action(Visit(annotator, message, participant))}
        except RefusedError as error:
            return {**guest, **refused(error, self.surface)}
        except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
            _log.exception("the press was not answered")
            return {**guest, "outcome": "fault"}

    def _annotator(
        self, message: Message, hub_name: str | None, caller: Caller, participant: str = ""
    ) -> tuple[Annotator, Reply]:
        """The annotator who speaks; a guest who comes for the first time is given an id to keep."""
        sender = message.get("guest")
        sender = sender if isinstance(sender, Mapping) else {}
        guest_id, name = sender.get("id"), sender.get("name")
        name = name if isinstance(name, str) else ""
        is_new = hub_name is None and guest_id is None and self.identity.allow_guests
        guest_id = new_guest_id() if is_new else guest_id
        annotator = identify(hub_name, guest_id, self.identity, name, caller, participant)
        # A participant may be known from another browser.
        self.collection.newcomers().welcome(annotator, message.get("proof"), is_new=is_new and not participant)
        return annotator, {"guest": guest_id} if is_new else {}

    # What a press may mean.

    def _action(self, name: object) -> Callable[[Visit], Reply]:
        action = {
            "start": self._start,
            "agree": self._agree,
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
            "download": self.owners.file,
            "publish": self.owners.publish_now,
            "owner": self.owners.refreshed,
            "reveal": self._reveal,
            "judge": self.feedback.judge,
        }.get(str(name))
        if action is None:
            raise RefusedError("answer_malformed", field="action")
        return action

    def _start(self, visit: Visit) -> Reply:
        return self.pages.start(visit.message, visit.annotator, visit.participant)

    def _agree(self, visit: Visit) -> Reply:
        agree(self.collection, self.participants, visit, self.surface)
        return self._sit_down(visit) if visit.text("kind") else self._start(visit)

    def _sit_down(self, visit: Visit) -> Reply:
        return {**self._earlier_thanks(visit), **self._sat_down(visit)}

    def _sat_down(self, visit: Visit) -> Reply:
        if visit.text("kind") == VIEW:
            return self.owners.results(visit)
        if self.participants.has_to_agree(visit.annotator, visit.participant):
            return self._start(visit)
        desk, language = self.pages.desk(visit)
        known = self.collection.availability(visit.annotator, desk.kind, language)
        try:
            if desk.kind == real_pair.KIND:
                return self.pages.real_pair_page(visit, desk, language, known)
            task = self.collection.next_task(visit.annotator, desk.kind, language, spares=visit.spares, known=known)
        except RefusedError as error:
            if error.code == "consent_missing":
                return self._start(visit)
            if error.code == "not_qualified":
                test = self.collection.test(visit.annotator, desk.kind, language)
                result = self.collection.tested(visit.annotator, language, visit.text("sent"))
                return self.pages.test(desk, language, test, result)
            raise
        return self.pages.task(visit, desk, language, task, known)

    def _earlier_thanks(self, visit: Visit) -> Reply:
        """The thanks for an answer whose own were lost, with the page that was loaded again, perhaps."""
        token = visit.text("sent")
        receipt = self.collection.receipt(visit.annotator, token) if token else None
        return {} if receipt is None else _thanks(visit, receipt)

    def _ahead(self, visit: Visit) -> Reply:
        """The task after the one on the page, whole, to be shown as soon as that one is given or skipped."""
        desk, language = self.pages.desk(visit)
        if desk.kind == real_pair.KIND:
            return {"outcome": "told"}
        token, spares = visit.text("token"), visit.spares
        task = self.collection.next_task(visit.annotator, desk.kind, language, after=token, spares=spares)
        if task is None:
            return {"outcome": "told"}
        # The answer to the task on the page will have its token for an id. How far one is will be told with its thanks.
        then = {"undo": token, "progress": None}
        return {**self.pages.task(visit, desk, language, task, **then), "outcome": "ahead"}

    def _give(self, visit: Visit) -> Reply:
        desk, language = self.pages.desk(visit)
        answer, token = desk.answer(read_fields(visit.message.get("fields"))), visit.text("token")
        known = self.collection.availability(visit.annotator, desk.kind, language)
        if desk.kind == real_pair.KIND:
            self.collection.spend(visit.annotator)  # looking for photographs counts, found or not
            before = self.real_pairs.earlier_receipt(visit.annotator, token, answer)
            if before is not None:
                return self._and_then(visit, desk, language, known, _thanks(visit, before))
            answer = self.real_pairs.complete(visit.annotator, token, answer)
        receipt = self.collection.give(visit.annotator, token, answer, known=known)
        if desk.kind == real_pair.KIND:
            self.real_pairs.settle(visit.annotator, token)
        reply = {**_thanks(visit, receipt), **self._completed(visit)}
        return self._and_then(visit, desk, language, known, reply, **_now(receipt))

    def _completed(self, visit: Visit) -> Reply:
        """The code of the batch that an answer finished; where it cannot be kept now, it waits on the start page."""
        try:
            finished = self.participants.finish(visit.annotator, visit.participant)
            return {"completion": self.surface.render("completion.html", **finished._asdict())} if any(finished) else {}
        except RefusedError as error:
            _log.warning("%s", error)
        return {}

    def _skip(self, visit: Visit) -> Reply:
        desk, language = self.pages.desk(visit)
        comment = one(read_fields({"comment": visit.message.get("comment", "")}), "comment")
        known = self.collection.availability(visit.annotator, desk.kind, language)
        token, reason = visit.text("token"), visit.text("reason")
        receipt = self.collection.skip(visit.annotator, token, reason, comment, known=known)
        return self._and_then(visit, desk, language, known, {"skipped": True}, **_now(receipt))

    def _and_then(
        self, visit: Visit, desk: Desk, language: str, known: Availability, reply: Reply, **now: object
    ) -> Reply:
        """The next task, with what was kept; that was kept even where no next one can be had.

        A task that the page fetched ahead is named, and not sent again. What is known ``now`` is not asked for again.
        """
        try:
            if desk.kind == real_pair.KIND:
                return {**reply, **self.pages.real_pair_page(visit, desk, language, known)}
            task = self.collection.next_task(
                visit.annotator, desk.kind, language, counts=False, spares=visit.spares, known=known
            )
            if task is not None and task.token == visit.text("ahead"):
                return {**reply, **self.pages.fetched(visit, desk, language, task, **now)}
            return {**reply, **self.pages.task(visit, desk, language, task, known, **now)}
        except RefusedError as error:
            return {**reply, **refused(error, self.surface)}
        except Exception:  # noqa: BLE001 - logged; what was kept is thanked for all the same
            _log.exception("the next task was not drawn")
            return {**reply, "outcome": "told"}

    def _undo(self, visit: Visit) -> Reply:
        desk, language = self.pages.desk(visit)
        task = self.collection.undo(visit.annotator, desk.kind, language, visit.text("event"))
        if task is None:
            known = self.collection.availability(visit.annotator, desk.kind, language)
            return self._and_then(visit, desk, language, known, {"undone": True})
        return {"undone": True, **self.pages.task(visit, desk, language, task)}

    def _renew(self, visit: Visit) -> Reply:
        self.collection.renew(visit.annotator, visit.text("token"))
        return {"outcome": "told"}

    def _take_test(self, visit: Visit) -> Reply:
        desk, language = self.pages.desk(visit)
        fields = read_fields(visit.message.get("fields"))
        choices = {name: number(fields, name) for name in fields}
        result = self.collection.take_test(visit.annotator, language, choices, visit.text("attempt"))
        test = None if result.passed else self.collection.test(visit.annotator, desk.kind, language)
        return self.pages.test(desk, language, test, result)

    def _forget(self, visit: Visit) -> Reply:
        self.collection.withdraw(visit.annotator)
        self.publish()
        self.real_pairs.forget(visit.annotator)
        return {"forgotten": True, **self.pages.start({**visit.message, "guest": None}, visit.annotator)}

    # Real pairs.

    def _choose(self, visit: Visit) -> Reply:
        desk, language = self.pages.desk(visit)
        task = self.real_pairs.choose(visit.annotator, language, visit.message)
        return self.pages.task(visit, desk, language, task)

    def _put_back(self, visit: Visit) -> Reply:
        desk, language = self.pages.desk(visit)
        self.real_pairs.put_back(visit.annotator, visit.text("token"))
        known = self.collection.availability(visit.annotator, desk.kind, language)
        return self.pages.real_pair_page(visit, desk, language, known)

    def _photograph(self, visit: Visit) -> Reply:
        _, language = self.pages.desk(visit)
        html = self.real_pairs.receive(visit.annotator, language, visit.message)
        return {"outcome": "part", "part": visit.text("which"), "html": html}

    def _paint(self, visit: Visit) -> Reply:
        which, html = self.real_pairs.paint(visit.annotator, visit.message)
        return {"outcome": "part", "part": which, "html": html}

    def _edits(self, visit: Visit) -> Reply:
        _, language = self.pages.desk(visit)
        html = self.real_pairs.edits(visit.annotator, language, visit.message)
        return {"outcome": "part", "part": "edits", "html": html}

    def _watch(self, visit: Visit) -> Reply:
        return {"outcome": "part", "part": "watch", **self.real_pairs.watch(visit.annotator, visit.message)}

    def _reveal(self, visit: Visit) -> Reply:
        (desk, language), annotator = self.pages.desk(visit), visit.annotator
        self.collection.spend(annotator)
        progress = self.collection.progress(annotator, "vote", language)
        terms = terms_text(self.surface, visit.text("page_language"), REVEAL_KEYS)
        self.collection.reveal.look(annotator.pseudonym, progress, terms, language)
        return self.pages.task(visit, desk, language, None)


def _thanks(visit: Visit, receipt: Receipt) -> Reply:
    """The thanks for an answer; a name that a guest left in the browser is a guest's alone."""
    return {"kept": True, "given": receipt.progress.given, "is_guest": visit.annotator.via == "guest"}


def _now(receipt: Receipt) -> Reply:
    """The progress and the undo of a person who has just given or skipped something."""
    # What was sent twice may not be the last any longer.
    last = {} if receipt.repeated else {"undo": receipt.event}
    return {"progress": receipt.progress, **last}


def _message(event: gr.EventData) -> Message:
    """Return what an event carries; nothing where that is no message."""
    data = event._data  # noqa: SLF001  Gradio has no other way to all of it; test_gradio_internals watches it
    return data if isinstance(data, Mapping) else {}
