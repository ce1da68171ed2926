"""The pages of the tab: the start page, a task of each desk, a test, and the news of a task fetched ahead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import uuid4

from annotate.errors import RefusedError
from annotate.identity import Annotator, clean_name
from annotate.page_services import PageServices
from annotate.records.api import Kind, QualificationTest, Task, TestResult
from annotate.tabs.forms import real_pair
from annotate.tabs.forms.real_pair import RealPairs
from annotate.tabs.forms.task_form import Desk, draft_name, draft_name_of_test
from annotate.tabs.forms.task_forms import DESKS
from annotate.tabs.press import Message, Reply, Visit, short_text
from annotate.tabs.results import OwnersDesk
from annotate.tabs.start_page import desk_languages, done_values, start_html
from annotate.tasks.availability import Availability
from annotate.tasks.participants import Participants
from annotate.tasks.service import Collection


@dataclass(frozen=True)
class Pages:
    """The pages that a press leads to; ``hub_login`` as of the tab."""

    collection: Collection
    surface: PageServices
    participants: Participants
    real_pairs: RealPairs
    owners: OwnersDesk
    hub_login: bool

    def start(self, message: Message, annotator: Annotator | None, participant: str = "") -> Reply:
        """The start page; without an annotator the one that asks for a login."""
        guest, kind = message.get("guest"), short_text(message, "kind")
        html = start_html(
            self.collection,
            annotator,
            self.surface,
            short_text(message, "language"),
            wanted=kind if kind in DESKS else "",
            guest_name=clean_name(guest.get("name")) if isinstance(guest, Mapping) else "",
            hub_login=self.hub_login,
            owner=self.owners.panel(annotator),
            askable=self.owners.askable(annotator),
            participant=participant,
            payment=self.participants.payment(annotator, participant),
        )
        return {"outcome": "shown", "view": "", "html": html}

    def real_pair_page(self, visit: Visit, desk: Desk, language: str, known: Availability) -> Reply:
        """The page of the pair this person is at, or of those they may choose from; ``known`` as of :meth:`task`."""
        task = self.collection.begun(visit.annotator, desk.kind, language)
        if task is not None:
            return self.task(visit, desk, language, task, known)
        offers = self.real_pairs.offers(visit.annotator, language, known, spares=visit.spares)
        if not offers["offers"]:
            return self.task(visit, desk, language, None, known)
        return self._page(
            "real_choose.html", desk, language, **self._progress_values(visit, desk, language, known, {}), **offers
        )

    def desk(self, visit: Visit) -> tuple[Desk, str]:
        """The desk that was asked for, and a language it has: the one that was asked for, if it has that."""
        kind = visit.text("kind")
        kinds: tuple[Kind, ...] = self.collection.campaign.kinds
        desk = next((desk for desk in DESKS.values() if desk.kind == kind and desk.kind in kinds), None)
        languages = desk_languages(self.collection, desk.kind) if desk else ()
        if desk is None or not languages:
            raise RefusedError("kind_not_asked")
        language = visit.text("language")
        return desk, language if language in languages else languages[0]

    def task(
        self,
        visit: Visit,
        desk: Desk,
        language: str,
        task: Task | None,
        known: Availability | None = None,
        /,
        **then: object,
    ) -> Reply:
        """The page of a task, or where there is none the thanks; what is known already stands in ``then``.

        ``known`` is what the press knows of all that this person may be given.
        """
        values = self._progress_values(visit, desk, language, known, then)
        if task is None:
            done_page = done_values(self.collection, visit.annotator, desk.kind, language, values["progress"])
            return self._page("done.html", desk, language, **values, **done_page)
        guidelines = [self.surface.lent_text(text) for text in self.collection.campaign.guidelines.get(desk.kind, ())]
        about = {**values, "guidelines": guidelines, "mode": task.mode, **desk.shows(task, self.surface)}
        if desk.kind == real_pair.KIND:
            about |= self.real_pairs.shows(visit.annotator, task)
        if desk.kind == "vote":
            about["askable"] = self.owners.askable(visit.annotator)
        reply = self._page(desk.template, desk, language, **about)
        fields = None if task.answer is None else desk.fields(task.answer)
        return {**reply, "token": task.token, "draft": draft_name(task), "fields": fields}

    def fetched(self, visit: Visit, desk: Desk, language: str, task: Task, **now: object) -> Reply:
        """The news of a task since the page fetched it ahead."""
        values = self._progress_values(visit, desk, language, None, now)
        far = self.surface.render("far.html", **values)
        return {"outcome": "fetched", "token": task.token, "undo": values["undo"], "far": far}

    def _progress_values(
        self, visit: Visit, desk: Desk, language: str, known: Availability | None, then: Reply
    ) -> Reply:
        """The progress of this person, and the id to undo; the store is asked for what is not in ``then``."""
        values = {**then, "spares": visit.spares}
        if "progress" not in then:
            values["progress"] = self.collection.progress(visit.annotator, desk.kind, language, known)
        if "undo" not in then:
            values["undo"] = self.collection.last(visit.annotator, desk.kind, language)
        return values

    def test(self, desk: Desk, language: str, test: QualificationTest | None, result: TestResult | None) -> Reply:
        """The page of the test; each showing is an attempt of its own, which counts once however often it is sent."""
        about = {"test": test, "result": result, "attempt": uuid4().hex, "picture_uri": self.surface.picture_uri}
        reply = self._page("test.html", desk, language, **about)
        return {**reply, "draft": None if test is None else draft_name_of_test(test), "tested": result is not None}

    def _page(self, template: str, desk: Desk, language: str, **values: object) -> Reply:
        html = self.surface.render(
            template,
            kind=desk.kind,
            words=desk.words,
            language=language,
            languages=desk_languages(self.collection, desk.kind),
            read_only=self.collection.store.read_only,
            **{"progress": None, "undo": None, "askable": (), "spares": True, "crop": None, **values},
        )
        return {"outcome": "shown", "view": desk.kind, "language": language, "undo": values.get("undo"), "html": html}
