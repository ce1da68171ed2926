"""Participants of payment services: the link that brought them, and a code for each finished batch of answers.

A link names the participant; it is trusted no more than a guest's id. The participant's id is stored apart
from the answers, after its own terms were agreed to; events contain only a pseudonym of it. A code is made
with the pseudonym key, so it cannot be forged without doing the work. Answers given before the annotator
came by a link are not paid. A batch takes a minimum time: a code that is finished sooner is delayed, not
lost.
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

    ``wait`` is the number of seconds until a finished code may be shown; 0 if none is waiting.
    """

    participant: str
    codes: tuple[str, ...]
    left: int
    answers: int
    wait: int = 0


class Finished(NamedTuple):
    """A finished batch: its code, or the seconds to ``wait`` for it; both are empty if no batch is finished."""

    code: str = ""
    wait: int = 0


def participant_id(value: object) -> str:
    """Return the participant id of a link, empty for none.

    Raise :class:`RefusedError` ``participant_unusable`` for a malformed id.
    """
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise RefusedError("participant_unusable", limit=MAX_ID_CHARS)
    return value


@dataclass(frozen=True)
class Participants:
    """The participants of one annotation service."""

    service: AnnotationService
    rules: PaymentRules = UNSAID

    def has_to_agree(self, annotator: Annotator, participant: str) -> bool:
        """Return whether the annotator came as a participant and is not yet stored as one.

        Raise :class:`RefusedError` ``participant_other`` if they are stored as another participant.
        """
        return bool(participant) and not self._known(annotator, participant)

    def join(self, annotator: Annotator, participant: str) -> None:
        """Store the annotator's participant id for good; they have agreed to that."""
        if self.service.store.read_only is not None:
            raise RefusedError("store_read_only", reason=self.service.store.read_only.sentence)
        self.service.store.write(lambda on: store_participant(on, annotator.pseudonym, participant))

    def finish(self, annotator: Annotator, participant: str) -> Finished:
        """Return the code of the batch that the last answer finished and store it for good, unless it came too soon."""
        if not participant or not self._known(annotator, participant):
            return Finished()
        answers, codes = self._answers(annotator), self._codes(annotator)
        if answers // self.rules.answers <= len(codes):
            return Finished()
        number = len(codes) + 1
        wait = math.ceil(self._due(annotator, number) - self.service.now())
        if wait > 0:
            return Finished(wait=wait)
        code = self._code(annotator, number)
        pseudonym = keyed(self.service.key, "participant", participant)[:32]
        before = self._standing(annotator) - answers
        completion = Completion(pseudonym, code, number, before + number * self.rules.answers)
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

    def payment(self, annotator: Annotator | None, participant: str) -> Payment | None:
        """Return the payment of a participant who agreed to the terms; None for all others.

        Finished batches without a code get theirs now.
        """
        if annotator is None or not participant or not self._known(annotator, participant):
            return None
        finished = Finished()
        while self.service.store.read_only is None and (finished := self.finish(annotator, participant)).code:
            pass
        codes, size = self._codes(annotator), self.rules.answers
        left = max(0, size * (len(codes) + 1) - self._answers(annotator))
        return Payment(participant, tuple(codes), left, size, finished.wait)

    def _known(self, annotator: Annotator, participant: str) -> bool:
        with self.service.store.reading() as connection:
            participant_there = participant_of(connection, annotator.pseudonym)
        if participant_there not in {"", participant}:
            raise RefusedError("participant_other")
        return bool(participant_there)

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

    def _due(self, annotator: Annotator, number: int) -> float:
        """Return the earliest time for the code of a batch, in seconds since 1970.

        Each batch takes its minimum time from when its first task was shown, or from when the batch before was
        due. If the clock that recorded a batch was ahead of now, only the minimum time counts.
        """
        since, size, due = self._agreed(annotator), self.rules.answers, 0.0
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
        words = ("completion", self.service.campaign.name, annotator.pseudonym, str(number))
        letters = keyed(self.service.key, *words)[:12].upper()
        return "-".join(letters[at : at + 4] for at in range(0, 12, 4))
