"""The study of a campaign: answers of people about themselves, and who is screened out, too many or done."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from annotate.campaigns import DECLINED, Campaign, PersonQuestion, Study
from annotate.errors import RefusedError
from annotate.kinds import Fields, several
from annotate.records import CampaignStop, Demographics, new_event
from annotate.storage import Store, count_answers, count_people

MAX_ANSWER_CHARS = 500
_OWNERS = "owner"  # the annotator of a stop, which holds even if its owner deletes their own answers

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
        excluded = any(told.get(id_) in question.excludes for id_, question in study.demographics.items())
        if excluded or (study.screened_out is not None and self.failed(annotator)):
            return "screened_out"
        with self.store.reading() as connection:
            given, people = count_answers(connection, name, annotator), count_people(connection, name)
        stopped, most = self.is_stopped(), study.people
        if given and (stopped or out_of_tasks or (study.answers is not None and given >= study.answers)):
            return "completed"
        if not given and (stopped or (most is not None and people >= most)):
            return "full"
        return "open" if study.demographics.keys() <= told.keys() else "asks"

    def tell(self, annotator: str, fields: Fields, language: str) -> None:
        """Store what a person tells about themselves, once for each question.

        Raise :class:`RefusedError`: ``answer_malformed``, ``about_you_…``, ``text_too_long``.
        """
        told, study = self._told(annotator), self.campaign.study or Study()
        answers = {id_: _answer(id_, question, fields) for id_, question in study.demographics.items()}
        new = [Demographics(id_, answer) for id_, answer in answers.items() if id_ not in told]
        about = {"campaign": self.campaign.name, "language": language, "app_version": self.app_version}
        self.store.add_all([new_event(one, annotator=annotator, time=self.time(), **about) for one in new])

    def is_stopped(self) -> bool:
        """Return whether an owner has stopped the campaign."""
        stops = self.store.live(campaign=self.campaign.name, kind=CampaignStop.kind)
        return any(isinstance(event.payload, CampaignStop) and event.payload.stopped for event in stops)

    def stop(self, *, stopped: bool) -> None:
        """Store that an owner stops the campaign, or opens it again."""
        about = {"annotator": _OWNERS, "campaign": self.campaign.name, "app_version": self.app_version}
        earlier = [event.id for event in self.store.live(campaign=self.campaign.name, kind=CampaignStop.kind)]
        self.store.add(
            new_event(CampaignStop(stopped), time=self.time(), supersedes=earlier[-1] if earlier else None, **about)
        )

    def _told(self, annotator: str) -> dict[str, str]:
        events = self.store.live(campaign=self.campaign.name, kind=Demographics.kind, annotator=annotator)
        payloads = (event.payload for event in events)
        return {one.question: one.answer for one in payloads if isinstance(one, Demographics)}


def _answer(id_: str, question: PersonQuestion, fields: Fields) -> str:
    """Return an answer as it is stored: the id of a choice, a number, a text, ``DECLINED``, or empty if left out."""
    values = several(fields, id_)
    answer = DECLINED if DECLINED in values else "".join(values).strip()
    if answer in {"", DECLINED}:
        if question.excludes:
            raise RefusedError("about_you_missing")
    elif len(answer) > MAX_ANSWER_CHARS:
        raise RefusedError("text_too_long", limit=MAX_ANSWER_CHARS)
    elif question.choices and answer not in question.choices:
        raise RefusedError("answer_malformed", field=id_)
    elif question.between is not None:
        least, most = question.between
        if not re.fullmatch("[0-9]{1,7}", answer) or not least <= int(answer) <= most:
            raise RefusedError("about_you_number", least=least, most=most)
    return answer
