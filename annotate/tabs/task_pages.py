"""The pages of the tab: the start page, tasks, the qualification test, and updates of prefetched tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import uuid4

from annotate.errors import RefusedError
from annotate.identity import Annotator, clean_name
from annotate.kinds.registry import TASK_KINDS
from annotate.kinds.task_kind import TaskKind
from annotate.page_services import PageServices
from annotate.records.api import QualificationTest, Task, TestResult
from annotate.tabs.actions import Action, Context, Response, short_text
from annotate.tabs.real_pairs import RealPairs
from annotate.tabs.results import OwnerPages
from annotate.tabs.start_page import done_values, form_languages, start_html
from annotate.tabs.task_form import draft_name, draft_name_of_test, shown_values
from annotate.tasks.participants import Participants
from annotate.tasks.service import AnnotationService
from annotate.tasks.task_filter import TaskFilter


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
            payment=self.participants.payment(annotator, participant),
        )
        return {"outcome": "shown", "view": "", "html": html}

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
        if task is None:
            done_page = done_values(self.service, context.annotator, form.key, language, values["progress"])
            return self._page("done.html", form, language, **values, **done_page)
        guidelines = [self.services.lent_text(text) for text in self.service.campaign.guidelines.get(form.key, ())]
        about = {**values, "guidelines": guidelines, **shown_values(task, self.services)}
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
