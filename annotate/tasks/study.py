"""The study of a campaign: answers of people about themselves, and who is screened out, too many or done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from annotate.campaigns import DECLINED, Campaign, Study
from annotate.kinds import Fields, read_answers, several
from annotate.records import Decision, Demographics, new_event
from annotate.storage import Store, count_answers, count_people

StudyState = Literal["open", "asks", "screened_out", "full", "completed"]


@dataclass(frozen=True)
class StudyService:
    """The study of one campaign; ``failed`` returns whether a person failed the qualification test for good."""

    campaign: Campaign
    store: Store
    time: Callable[[], datetime]
    app_version: str
    failed: Callable[[str], bool] = field(repr=False)

    def state(self, annotator: str, *, out_of_tasks: bool = False) -> StudyState:
        """Return what a person may do: answer, first tell about themselves, or nothing, since they cannot or are done.

        If the campaign is stopped, or they are ``out_of_tasks``, people who have answered are done.
        """
        study, name = self.campaign.study, self.campaign.name
        if study is None:
            return "open"
        told = self._told(annotator)
        excluded = any(told.get(question.id) in question.excludes for question in study.demographics)
        if excluded or (study.screened_out is not None and self.failed(annotator)):
            return "screened_out"
        with self.store.reading() as connection:
            given, people = count_answers(connection, name, annotator), count_people(connection, name)
        stopped, most = self.is_stopped(), study.people
        if given and (stopped or out_of_tasks or (study.answers is not None and given >= study.answers)):
            return "completed"
        if not given and (stopped or (most is not None and people >= most)):
            return "full"
        return "open" if {question.id for question in study.demographics} <= told.keys() else "asks"

    def tell(self, annotator: str, fields: Fields, language: str) -> None:
        """Store what a person tells about themselves, once for each question.

        Raise :class:`RefusedError`: as :func:`read_answers`, or ``text_too_long``.
        """
        told, study = self._told(annotator), self.campaign.study or Study()
        given = {question.id: several(fields, question.id) for question in study.demographics}
        declined = {one.id: DECLINED for one in study.demographics if DECLINED in given[one.id] and not one.excludes}
        asked = [question for question in study.demographics if question.id not in declined]
        read = read_answers(asked, {question.id: "".join(given[question.id]) for question in asked})
        answers = dict.fromkeys(given, "") | declined | {answer.question: answer.value for answer in read}
        new = [Demographics(id_, answer) for id_, answer in answers.items() if id_ not in told]
        about = {"campaign": self.campaign.name, "language": language, "app_version": self.app_version}
        self.store.add_all([new_event(one, annotator=annotator, time=self.time(), **about) for one in new])

    def is_stopped(self) -> bool:
        """Return whether an owner has stopped the campaign."""
        decisions = self.store.live(campaign=self.campaign.name, kind=Decision.kind, item="")
        return any(event.payload == Decision("stop") for event in decisions)

    def _told(self, annotator: str) -> dict[str, str]:
        events = self.store.live(campaign=self.campaign.name, kind=Demographics.kind, annotator=annotator)
        payloads = (event.payload for event in events)
        return {one.question: one.answer for one in payloads if isinstance(one, Demographics)}
