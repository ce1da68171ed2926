"""Whose turn is what: the questions of a campaign together with what the store knows of people, and claims on them."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sqlalchemy import update

from annotate import tables
from annotate.assignment import Asked, Place, Standing, gold_is_due, golds_ahead, in_order, open_to
from annotate.campaigns import Campaign
from annotate.claims import Asking, Claim, Wanted, release
from annotate.questions import RECORDS, Question, WrittenText, gold_questions, questions
from annotate.standing import ANSWERED, HELD, SKIPPED, read_standing
from annotate.store import Store
from annotate.tasks import Coverage, Kind, Progress
from annotate.verification import text_statuses, written_texts

CLAIM_SECONDS = 15 * 60.0
STALE_SECONDS = 5.0  # how long a text that somebody wrote may be unknown to those who judge texts

_AT_ONCE = 50  # questions offered to the store in one write
_ANYBODY = 1_000_000  # voices: room for whoever asks


@dataclass(frozen=True)
class Asks:
    """What a kind asks in one language: questions, and those whose answer is known."""

    open: list[Question]
    gold: list[Question]
    by_place: dict[Place, Question]


@dataclass(frozen=True)
class Held:
    """A question that a person holds ``since`` a time in seconds since 1970."""

    claim: Claim
    question: Question
    since: float


@dataclass(frozen=True)
class _Known:
    """Of one person in one kind and language: answers ``given``, questions ``held``, and the next one's ``number``."""

    standing: Standing
    given: int
    held: int
    number: int


@dataclass
class Turns:
    """Gives questions to people; ``key`` decides every order, ``now`` tells the time of the store's claims."""

    campaign: Campaign
    store: Store
    key: bytes
    now: Callable[[], float] = time.time
    stale_seconds: float = STALE_SECONDS
    _asks: dict[tuple[Kind, str], tuple[float, Asks]] = field(default_factory=dict, init=False, repr=False)

    def asks(self, kind: Kind, language: str) -> Asks:
        """What is asked now; texts of annotators are looked for every few seconds."""
        known = self._asks.get((kind, language))
        takes_written = kind in {"verify", "translate"} and "write" in self.campaign.kinds
        if known is None or (takes_written and self.now() - known[0] >= self.stale_seconds):
            written = self._written(kind) if takes_written else []
            every = questions(self.campaign, kind, language, written)
            gold = gold_questions(self.campaign, kind, language)
            asks = Asks(every, gold, {question.place: question for question in (*every, *gold)})
            known = self._asks[kind, language] = (self.now(), asks)
        return known[1]

    def _written(self, kind: Kind) -> list[WrittenText]:
        living = self.store.live(campaign=self.campaign.name, kind="description")
        if kind == "verify":
            return written_texts(living, self.campaign)
        for judged in ("rating", "flag"):
            living += self.store.live(campaign=self.campaign.name, kind=judged)
        return [
            WrittenText(one.item, one.text, one.author)
            for one in text_statuses(living, self.campaign)
            if one.author and one.status == "accepted"
        ]

    def take(self, asked: Asked) -> Held | None:
        """Claim what this person is to do next; None when nothing is left."""
        asks, known = self.asks(asked.kind, asked.language), self._known(asked)
        order = in_order(asked, asks.open, known.standing, self.key)
        if order and gold_is_due(asked, known.number, self.key):
            order = in_order(asked, asks.gold, known.standing, self.key)[:1] + order
        for start in range(0, len(order), _AT_ONCE):
            wanted = [self._wanted(question, question.voices) for question in order[start : start + _AT_ONCE]]
            claim = self.store.claim(self._asking(asked), wanted, seconds=CLAIM_SECONDS)
            if claim is not None:
                return self._held(claim)
        return None

    def take_one(self, asked: Asked, question: Question, *, with_room: bool) -> Held | None:
        """Claim this very question, ``with_room`` only where it wants one voice more."""
        wanted = self._wanted(question, question.voices if with_room else _ANYBODY)
        claim = self.store.claim(self._asking(asked), [wanted], seconds=CLAIM_SECONDS)
        return None if claim is None else self._held(claim)

    def choices(self, asked: Asked) -> list[Question]:
        """What this person may choose from, the best first."""
        return in_order(asked, self.asks(asked.kind, asked.language).open, self._known(asked).standing, self.key)

    def held(self, asked: Asked) -> list[Held]:
        """What this person holds, the longest held first."""
        about = (self.campaign.name, RECORDS[asked.kind], asked.language)
        claims = self.store.claims_of(asked.annotator)
        found = [self._held(claim) for claim in claims if (claim.campaign, claim.kind, claim.language) == about]
        return sorted((one for one in found if one is not None), key=lambda one: (one.since, one.claim.token))

    def find(self, token: str, annotator: str) -> Held | None:
        """What a token stands for, expired or not; None for another's, an answered or a made-up one."""
        claim = self.store.find_claim(token, annotator=annotator)
        return None if claim is None else self._held(claim)

    def question(self, record: str, language: str, place: Place) -> Question | None:
        """The question that a kind of record answers; None where it is asked no longer."""
        kind = _KINDS.get(record)
        return None if kind is None else self.asks(kind, language).by_place.get(place)

    def keep(self, held: Held) -> None:
        """Hold it as long again from now on."""
        mine = tables.claims.c.token == held.claim.token
        longer = update(tables.claims).where(mine).values(expires=self.now() + CLAIM_SECONDS)
        self.store.write(lambda connection: connection.execute(longer).rowcount)

    def put_back(self, held: Held) -> None:
        """Hold it no longer."""
        self.store.write(lambda connection: release(connection, held.claim.token))

    def progress(self, asked: Asked) -> Progress:
        """How far this person has come."""
        asks, known = self.asks(asked.kind, asked.language), self._known(asked)
        ahead = len(open_to(asked, asks.open, known.standing))
        golds = len(open_to(asked, asks.gold, known.standing))
        ahead += golds_ahead(asked, known.number, ahead, golds, self.key)
        return Progress(given=known.given, left=known.held + ahead)

    def coverage(self) -> Iterator[Coverage]:
        """How far the campaign has come, by kind and language; what asks nothing is left out."""
        for kind in self.campaign.kinds:
            for language in self.campaign.languages:
                every = self.asks(kind, language).open
                said = self.store.voices(campaign=self.campaign.name, kind=RECORDS[kind], language=language)
                voices = Counter((voice.item, voice.aspect) for voice in said if voice.answered)
                if every:
                    answered = sum(min(voices[question.place], question.voices) for question in every)
                    yield Coverage(kind, language, answered, sum(question.voices for question in every))

    def _known(self, asked: Asked) -> _Known:
        said = read_standing(self.store.engine, self._asking(asked), self.now())
        taken = [(place, annotator) for what, place, annotator in said if what != SKIPPED]
        mine = [what for what, _, annotator in said if annotator == asked.annotator]
        passed = frozenset(
            (item, task.partition("/")[2])
            for what, (item, task), _ in said
            if what == SKIPPED and task.partition("/")[0] == RECORDS[asked.kind]
        )
        standing = Standing(taken, passed, self._met(asked))
        given, held = mine.count(ANSWERED), mine.count(HELD)
        return _Known(standing, given, held, given + held + len(passed))

    def _met(self, asked: Asked) -> frozenset[str]:
        """The items whose target this person has seen, or may have; asked only where a target is to be found."""
        if asked.kind != "find":
            return frozenset()
        return frozenset(
            item
            for kind in self.campaign.kinds
            for language in self.campaign.languages
            if (kind, language) != (asked.kind, asked.language)
            for what, (item, _), annotator in read_standing(
                self.store.engine, self._asking(Asked(asked.annotator, kind, language)), self.now()
            )
            if annotator == asked.annotator and what != SKIPPED
        )

    def _asking(self, asked: Asked) -> Asking:
        return Asking(self.campaign.name, RECORDS[asked.kind], asked.language, asked.annotator)

    def _wanted(self, question: Question, voices: int) -> Wanted:
        context = json.dumps({"since": self.now(), "shown": _digest(question)})
        return Wanted(question.item.uid, question.aspect, voices, context)

    def _held(self, claim: Claim) -> Held | None:
        """A claim with its question; None where the campaign asks it no longer, or shows something else for it."""
        if claim.campaign != self.campaign.name:
            return None
        question = self.question(claim.kind, claim.language, (claim.item, claim.aspect))
        context = json.loads(claim.context)
        if question is None or context["shown"] != _digest(question):
            return None
        return Held(claim, question, context["since"])


_KINDS: dict[str, Kind] = {record: kind for kind, record in RECORDS.items()}


def _digest(question: Question) -> str:
    """Of all that is shown: the places of an answer mean nothing where it has changed."""
    item = question.item
    shown = [item.current, item.target, *item.candidates, *(f"{text.id} {text.text}" for text in question.texts)]
    return hashlib.sha256("\n".join(shown).encode()).hexdigest()[:16]
