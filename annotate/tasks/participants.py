"""Participants of payment services: the link that brought them, and a code for each finished batch of answers.

A link names the participant; it is trusted no more than a guest's id. The participant's id is stored apart
from the answers, after its own terms were agreed to; events contain only a pseudonym of it. A code is made
with the pseudonym key, so it cannot be forged without doing the work. Answers given before the annotator
came by a link are not paid. A batch takes a minimum time: a code that is finished sooner is delayed, not
lost. A study with a code or an address of its own pays once, at its end, instead of for batches.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from annotate.errors import RefusedError
from annotate.identity import Annotator, keyed
from annotate.kinds import BY_RECORD
from annotate.records import Completion, Consent, Event, new_event
from annotate.storage import count_answers, participant_of, store_participant
from annotate.tasks.service import AnnotationService

PARTICIPANT_TERMS = "participant-1"  # terms of participants, needed besides those of answers before anything counts
MAX_ID_CHARS = 100  # characters; Prolific ids have 24, Mechanical Turk ids 14
MAX_LINK_ID_CHARS = 49  # of a study or session: with the participant's, they fit into a row; Mechanical Turk's have 30

_ID = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._@+~-]{{0,{MAX_ID_CHARS - 1}}}")


@dataclass(frozen=True)
class PaymentRules:
    """The rules of payment: ``parameters`` are the link parameters that may name a participant.

    A batch has ``answers`` answers and takes at least ``seconds``; None stands for the sum of
    ``TaskKind.min_seconds`` over its answers.
    """

    parameters: tuple[str, ...] = ("participant",)
    answers: int = 10
    seconds: float | None = None


UNSAID = PaymentRules()  # the default


@dataclass(frozen=True)
class Payment:
    """The payment shown to a participant: their id, their codes, and the number of answers left to the next code.

    ``wait`` is the number of seconds until a finished code may be shown; 0 if none is waiting. ``once`` tells that
    there is one code, at the end of the study.
    """

    participant: str
    codes: tuple[str, ...]
    left: int
    answers: int
    wait: int = 0
    once: bool = False


class Finished(NamedTuple):
    """A finished batch: its code, or the seconds to ``wait`` for it; both are empty if no batch is finished."""

    code: str = ""
    wait: int = 0


def participant_id(value: object, limit: int = MAX_ID_CHARS) -> str:
    """Return the id of a participant, study or session in a link, empty for none.

    Raise :class:`RefusedError` ``participant_unusable`` for a malformed id.
    """
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or not _ID.fullmatch(value) or len(value) > limit:
        raise RefusedError("participant_unusable", limit=limit)
    return value


@dataclass(frozen=True)
class Participants:
    """The participants of one annotation service."""

    service: AnnotationService
    rules: PaymentRules = UNSAID

    @property
    def once(self) -> bool:
        """Whether the study pays at its end, with a code or an address of its own."""
        study = self.service.campaign.study
        return study is not None and bool(study.completion.code or study.completion.redirect)

    def has_to_agree(self, annotator: Annotator, participant: str) -> bool:
        """Return whether the annotator came as a participant and is not yet stored as one.

        Raise :class:`RefusedError` ``participant_other`` if they are stored as another participant.
        """
        return bool(participant) and not self._known(annotator, participant)

    def join(self, annotator: Annotator, link: str) -> None:
        """Store the ids of the annotator's link for good; they have agreed to that."""
        if self.service.store.read_only is not None:
            raise RefusedError("store_read_only", reason=self.service.store.read_only.sentence)
        self.service.store.write(lambda on: store_participant(on, annotator.pseudonym, link))

    def finish(self, annotator: Annotator, participant: str, *, over: bool = False) -> Finished:
        """Return the code of the batch that the last answer finished and store it for good, unless it came too soon.

        A study that pays once has one batch: all answers when it is ``over``.
        """
        if not participant or not self._known(annotator, participant):
            return Finished()
        answers, codes = self._answers(annotator), self._codes(annotator)
        size = max(1, answers) if self.once else self.rules.answers
        if answers // size <= len(codes) or (self.once and (codes or not over)):
            return Finished()
        number = len(codes) + 1
        wait = math.ceil(self._due(annotator, number, size) - self.service.now())
        if wait > 0:
            return Finished(wait=wait)
        code = self._code(annotator, number)
        pseudonym = keyed(self.service.key, "participant", participant)[:32]
        before = self._standing(annotator) - answers
        completion = Completion(pseudonym, code, number, before + number * size)
        service = self.service
        service.store.add(
            new_event(
                completion,
                annotator=annotator.pseudonym,
                campaign=service.campaign.name,
                app_version=service.app_version,
                time=datetime.fromtimestamp(service.now(), UTC),
            )
        )
        return Finished(code)

    def payment(self, annotator: Annotator | None, link: str, *, over: bool = False) -> Payment | None:
        """Return the payment of a participant who agreed to the terms; None for all others.

        Finished batches without a code get theirs now; see :meth:`finish` for ``over``.
        """
        participant = link.partition(" ")[0]
        if annotator is None or not participant or not (known := self._known(annotator, participant)):
            return None
        if link not in {participant, known} and self.service.store.read_only is None:
            self.join(annotator, link)  # of another session
        finished = Finished()
        while (
            self.service.store.read_only is None and (finished := self.finish(annotator, participant, over=over)).code
        ):
            pass
        codes, study = self._codes(annotator), self.service.campaign.study
        size = (study.answers or 0) if study and self.once else self.rules.answers
        left = max(0, size * (1 if self.once else len(codes) + 1) - self._answers(annotator))
        return Payment(participant, tuple(codes), left, size, finished.wait, self.once)

    def _known(self, annotator: Annotator, participant: str) -> str:
        """Return the stored ids of the annotator's link; empty if there are none."""
        with self.service.store.reading() as connection:
            participant_there = participant_of(connection, annotator.pseudonym)
        if participant_there and participant_there.partition(" ")[0] != participant:
            raise RefusedError("participant_other")
        return participant_there

    def _answers(self, annotator: Annotator) -> int:
        """Return the number of live answers since the annotator agreed to the payment terms."""
        since = self._agreed(annotator)
        return 0 if since is None else self._standing(annotator, since)

    def _agreed(self, annotator: Annotator) -> datetime | None:
        """Return the time when the annotator last agreed to the payment terms; None for never."""
        consents = self.service.store.live(kind=Consent.kind, annotator=annotator.pseudonym)
        agreed = (
            one.time
            for one in consents
            if isinstance(one.payload, Consent) and one.payload.wording == PARTICIPANT_TERMS
        )
        return max(agreed, default=None)

    def _due(self, annotator: Annotator, number: int, size: int) -> float:
        """Return the earliest time for the code of a batch, in seconds since 1970.

        Each batch takes its minimum time from when its first task was shown, or from when the batch before was
        due. If the clock that recorded a batch was ahead of now, only the minimum time counts.
        """
        since, due = self._agreed(annotator), 0.0
        events = self.service.store.events(
            campaign=self.service.campaign.name, annotator=annotator.pseudonym, live=True, pictures=False
        )
        paid = [event for event in events if event.kind in BY_RECORD and (since is None or event.time >= since)]
        for start in range(0, number * size, size):
            batch = paid[start : start + size]
            begun = batch[0].time.timestamp() - float(getattr(batch[0].payload, "seconds", 0.0)) if batch else 0.0
            due = max(due, begun if begun <= self.service.now() else 0.0) + self._least_seconds(batch)
        return due

    def _least_seconds(self, batch: list[Event]) -> float:
        if self.rules.seconds is not None:
            return self.rules.seconds
        return sum(BY_RECORD[event.kind].min_seconds for event in batch)

    def _standing(self, annotator: Annotator, since: datetime | None = None) -> int:
        """Return the number of the annotator's live answers, all of them or those ``since`` a time."""
        with self.service.store.reading() as connection:
            return count_answers(connection, self.service.campaign.name, annotator.pseudonym, since)

    def _codes(self, annotator: Annotator) -> list[str]:
        events = self.service.store.live(
            campaign=self.service.campaign.name, kind=Completion.kind, annotator=annotator.pseudonym
        )
        completions = sorted(
            (event.payload for event in events if isinstance(event.payload, Completion)),
            key=lambda completion: completion.number,
        )
        return [completion.code for completion in completions]

    def _code(self, annotator: Annotator, number: int) -> str:
        study = self.service.campaign.study
        if study is not None and study.completion.code:
            return study.completion.code
        words = ("completion", self.service.campaign.name, annotator.pseudonym, str(number))
        letters = keyed(self.service.key, *words)[:12].upper()
        return "-".join(letters[at : at + 4] for at in range(0, 12, 4))
