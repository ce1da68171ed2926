"""Admission: rate limits, guests, the qualification test, consents, and the reveal after which people vote no more."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from annotate.campaigns import Campaign, TestItem
from annotate.errors import RefusedError
from annotate.identity import Annotator, keyed
from annotate.kinds import TASK_KINDS, VOTE, Kind, Progress, QualificationTest, TestQuestion, TestResult, Vote
from annotate.records import MODELS_SEEN, Consent, Event, Qualification, Withdrawal, new_event
from annotate.storage import Store

# Rate limits: token buckets per annotator, per address, and for groups of guests.

_MAX_REMEMBERED_PEOPLE = 10_000  # names whose bucket is kept; the one unused longest is dropped, which refills it


@dataclass(frozen=True)
class Rate:
    """A rate limit: a burst of ``at_once`` requests, and ``a_minute`` requests per minute without end."""

    at_once: int
    a_minute: float


PERSON = Rate(at_once=60, a_minute=60)  # far above the fastest reader, far below a script
ONE_ADDRESS = Rate(at_once=2000, a_minute=2000)  # all guests of one address, such as a class of a hundred or more
TOGETHER = Rate(at_once=3000, a_minute=3000)  # guests without records; also visitors who have not logged in
KNOWN = Rate(at_once=15_000, a_minute=15_000)  # guests with records, kept apart from any flood of others
# Guests never seen before, whose ids cost nothing. One address takes only a part of the limit; once it is used up, a
# proof of work is needed, which has a limit of its own.
NEW_GUESTS = Rate(at_once=200, a_minute=60)
NEW_GUESTS_OF_ADDRESS = Rate(at_once=60, a_minute=20)
PROVED = Rate(at_once=200, a_minute=120)
PROVED_OF_ADDRESS = Rate(at_once=100, a_minute=40)

# Cost of each page action beyond the requests that the service counts itself.
COSTS = {
    "start": 1,
    "results": 5,
    "download": 10,
    "publish": 5,
    "owner": 2,
    "photograph": 4,
    "paint": 2,
    "edits": 0.25,
    "watch": 0.5,
    "rank": 0.5,
    "attempt": 1,
}


class RateLimit:
    """Token buckets by name, in one process; thread-safe."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # requests left, time of that count

    def spend(self, name: str, cost: float = 1) -> None:
        """Count a request of a name.

        Raise :class:`RefusedError` ``too_fast``, with the ``seconds`` to wait, if fewer than ``cost`` requests are
        left.
        """
        now = self._clock()
        with self._lock:
            left, since = self._buckets.pop(name, (float(self._rate.at_once), now))
            left = min(self._rate.at_once, left + (now - since) * self._rate.a_minute / 60)
            self._buckets[name] = (left - cost if left >= cost else left, now)
            while len(self._buckets) > _MAX_REMEMBERED_PEOPLE:
                self._buckets.popitem(last=False)
        if left < cost:
            raise RefusedError("too_fast", seconds=max(1, round((cost - left) * 60 / self._rate.a_minute)))

    def knows(self, name: str) -> bool:
        """Return whether this name has a bucket, that is, has made a request recently."""
        with self._lock:
            return name in self._buckets

    def share_spent(self, name: str) -> float:
        """Return the used share of this name's requests, from 0 to 1."""
        now = self._clock()
        with self._lock:
            left, since = self._buckets.get(name, (float(self._rate.at_once), now))
        left = min(self._rate.at_once, left + (now - since) * self._rate.a_minute / 60)
        return 1 - left / self._rate.at_once


@dataclass(frozen=True)
class Rates:
    """The rates for annotators, addresses and groups of guests."""

    person: Rate = PERSON
    one_address: Rate = ONE_ADDRESS
    together: Rate = TOGETHER
    known: Rate = KNOWN
    new_guests: Rate = NEW_GUESTS
    new_guests_of_address: Rate = NEW_GUESTS_OF_ADDRESS
    proved: Rate = PROVED
    proved_of_address: Rate = PROVED_OF_ADDRESS


class RateLimits:
    """The rate limits of one process: one per annotator, and shared ones for guests.

    A limit per annotator keeps one from using up the capacity of others. Guests are also counted by address if
    it is known. Guests without a known address share separate limits, so hiding an address gains nothing. A
    class may share one address, so the limit of an address is high.
    """

    def __init__(self, rates: Rates = Rates(), clock: Callable[[], float] = time.monotonic) -> None:
        self._person = RateLimit(rates.person, clock)
        self._address = RateLimit(rates.one_address, clock)
        self._groups = {"known": RateLimit(rates.known, clock)}
        self._groups |= dict.fromkeys(("guests", "nameless"), RateLimit(rates.together, clock))
        self._new_guests = RateLimit(rates.new_guests, clock), RateLimit(rates.new_guests_of_address, clock)
        self._proved = RateLimit(rates.proved, clock), RateLimit(rates.proved_of_address, clock)
        self._known: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def spend(self, pseudonym: str, cost: float = 1, *, is_guest: bool = False, address: str | None = None) -> None:
        """Count a request of an annotator; raise as :meth:`RateLimit.spend`, at no cost to others."""
        self._person.spend(pseudonym, cost)
        if is_guest:
            with self._lock:
                group = "known" if pseudonym in self._known else "guests"
            self._spend_in(group, cost, address)

    def spend_nameless(self, address: str | None = None) -> None:
        """Count a request of a visitor who has not logged in; raise as :meth:`spend`."""
        self._spend_in("nameless", 1, address)

    def _spend_in(self, group: str, cost: float, address: str | None) -> None:
        if address is not None:
            self._address.spend(address, cost)
        self._groups[group].spend(group if address is not None else f"{group} from nowhere", cost)

    def admit(self, address: str | None, *, proved: bool) -> None:
        """Count a new guest; raise :class:`RefusedError` ``too_fast`` if the limit is used up."""
        everybody, of_one = self._proved if proved else self._new_guests
        if address is not None:
            of_one.spend(address)
        everybody.spend("" if address is None else "placed")

    def crowded(self, address: str | None) -> float:
        """Return the used share of the limit for guests with a proof of work, from 0 to 1."""
        return self._proved[0].share_spent("" if address is None else "placed")

    def met(self, pseudonym: str) -> bool:
        """Return whether this annotator has made a request recently."""
        return self._person.knows(pseudonym)

    def recognise(self, pseudonym: str) -> None:
        """Add an annotator to those with records, whose requests are limited separately."""
        with self._lock:
            self._known[pseudonym] = None
            self._known.move_to_end(pseudonym)
            while len(self._known) > _MAX_REMEMBERED_PEOPLE:
                self._known.popitem(last=False)


# Admission of new guests: free while there is capacity, and for a proof of work when there is none.
#
# A new guest id costs nothing, so a script could create any number and use up the capacity of others. A
# puzzle takes a browser about a second, once, and asks nothing of the person's sight, hearing or movement. A
# script that wants thousands of guests needs hours. The more guests arrive, the harder the puzzles are.

MIN_PUZZLE_BITS = 16  # bits: 65,000 hashes on average, 0.1 s in a browser on a computer and up to 1 s on a phone
MAX_PUZZLE_BITS = 20  # sixteen times as long
PUZZLE_SECONDS = 600.0  # seconds

_PUZZLE = re.compile(r"([0-9]{2})-([0-9a-f]{8})-([0-9a-f]{12})-([0-9a-f]{16})")
_ANSWER = re.compile(r"[0-9]{1,10}")


@dataclass
class ProofOfWork:
    """Proof-of-work puzzles, signed with ``key`` and accepted once; ``now`` returns seconds since 1970.

    The answer is a number. The SHA-256 of the puzzle, a colon and the number begins with as many zero bits as
    the puzzle says.
    """

    key: bytes = field(repr=False)
    now: Callable[[], float] = time.time
    _used: OrderedDict[str, float] = field(default_factory=OrderedDict, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def make(self, bits: int) -> str:
        """Return a new puzzle; with its answer it fits into one block of SHA-256."""
        content = f"{bits:02d}-{int(self.now() + PUZZLE_SECONDS):08x}-{secrets.token_hex(6)}"
        return f"{content}-{self._mark(content)}"

    def take(self, proof: object) -> bool:
        """Return whether ``proof`` solves a puzzle that was made here, has not expired and was not used before."""
        puzzle, answer = (proof.get("puzzle"), proof.get("answer")) if isinstance(proof, Mapping) else (None, None)
        match = _PUZZLE.fullmatch(puzzle) if isinstance(puzzle, str) else None
        if match is None or not isinstance(answer, str) or not _ANSWER.fullmatch(answer):
            return False
        bits, until = int(match[1]), int(match[2], 16)
        digest = hashlib.sha256(f"{puzzle}:{answer}".encode()).digest()
        solved = int.from_bytes(digest) >> (256 - bits) == 0
        made_here = hmac.compare_digest(match[4], self._mark(match[0].rpartition("-")[0]))
        return solved and made_here and until > self.now() and self._is_first(match[3], until)

    def _is_first(self, name: str, until: float) -> bool:
        with self._lock:
            while self._used and next(iter(self._used.values())) <= self.now():
                self._used.popitem(last=False)
            if name in self._used:
                return False
            self._used[name] = until
            return True

    def _mark(self, content: str) -> str:
        return keyed(self.key, "puzzle", content)[:16]


@dataclass(frozen=True)
class GuestAdmission:
    """The admission of guests; logins, owners and guests with records are always admitted."""

    limits: RateLimits
    store: Store
    proof_of_work: ProofOfWork

    def welcome(self, annotator: Annotator, proof: object, *, is_new: bool) -> None:
        """Admit the annotator of a request; ``is_new`` if their id was made for this request.

        Raise :class:`RefusedError`: ``proof_needed`` with a ``puzzle``, or ``too_fast``.
        """
        if annotator.via != "guest" or annotator.is_owner or self.limits.met(annotator.pseudonym):
            return
        if not is_new and self.store.counts(annotator.pseudonym):
            self.limits.recognise(annotator.pseudonym)
            return
        if proof is not None and self.proof_of_work.take(proof):
            self.limits.admit(annotator.address, proved=True)
            return
        try:
            self.limits.admit(annotator.address, proved=False)
        except RefusedError:
            crowded = self.limits.crowded(annotator.address)
            puzzle = self.proof_of_work.make(MIN_PUZZLE_BITS + round((MAX_PUZZLE_BITS - MIN_PUZZLE_BITS) * crowded))
            raise RefusedError("proof_needed", puzzle=puzzle) from None


# The qualification test, which annotators must pass before some kinds of task.


@dataclass(frozen=True)
class QualificationService:
    """The test of a campaign, taken and stored separately for each language."""

    campaign: Campaign
    store: Store
    app_version: str = ""

    def test(self, annotator: str, kind: Kind, language: str) -> QualificationTest | None:
        """Return the test that the annotator has yet to pass for a kind; None if there is none."""
        test = self.campaign.qualification
        if test is None or kind not in test.kinds:
            return None
        attempts = self._attempts(annotator, language)
        if _passed(attempts):
            return None
        questions = tuple(self._test_question(question) for question in self._questions(language))
        return QualificationTest(language, questions, test.pass_mark, max(0, test.tries - len(attempts)))

    def take(self, annotator: str, language: str, choices: Mapping[str, int], attempt: str | None = None) -> TestResult:
        """Mark the answers and store the attempt; an ``attempt`` id that is sent twice counts as one try.

        Raise :class:`RefusedError`: ``answer_malformed`` unless there is one choice for every question,
        ``no_tries_left``, ``task_unknown`` if there is no test or it was passed before.
        """
        test, questions, attempts = (
            self.campaign.qualification,
            self._questions(language),
            self._attempts(annotator, language),
        )
        known = self.result(annotator, language, attempt)
        if known is not None:
            return known
        if test is None or not questions or _passed(attempts):
            raise RefusedError("task_unknown")
        if len(attempts) >= test.tries:
            raise RefusedError("no_tries_left")
        chosen = [_choice(question, choices) for question in questions]
        if len(choices) != len(questions):
            raise RefusedError("answer_malformed", field="choices")
        right = sum(question.right == choice for question, choice in zip(questions, chosen, strict=True))
        answers = tuple(_answer(question, choice) for question, choice in zip(questions, chosen, strict=True))
        event = new_event(
            Qualification(answers, passed=right >= test.pass_mark),
            annotator=annotator,
            campaign=self.campaign.name,
            language=language,
            app_version=self.app_version,
            supersedes=attempts[-1].id if attempts else None,
            id=attempt,
        )
        return _result(self.store.add(event).event, questions, test.tries - len(attempts) - 1)

    def result(self, annotator: str, language: str, attempt: str | None) -> TestResult | None:
        """Return the result of an attempt stored before; None if there is none of that id."""
        test = self.campaign.qualification
        for number, event in enumerate(self._attempts(annotator, language)):
            if event.id == attempt and test is not None:
                return _result(event, self._questions(language), test.tries - number - 1)
        return None

    def failed(self, annotator: str) -> bool:
        """Return whether the annotator has no tries left in a language and has passed in none."""
        attempts = self.store.events(campaign=self.campaign.name, kind=Qualification.kind, annotator=annotator)
        tries = Counter(event.language for event in attempts).values()
        test = self.campaign.qualification
        return test is not None and not _passed(attempts) and max(tries, default=0) >= test.tries

    def _questions(self, language: str) -> list[TestItem]:
        test = self.campaign.qualification
        return [question for question in test.questions if question.language == language] if test else []

    def _test_question(self, question: TestItem) -> TestQuestion:
        pictures = (
            None if name is None else self.campaign.picture(name) for name in (question.current, question.target)
        )
        return TestQuestion(question.id, question.text, question.choices, *pictures)

    def _attempts(self, annotator: str, language: str) -> list[Event]:
        """Return every attempt, oldest first."""
        return self.store.events(
            campaign=self.campaign.name, kind="qualification", annotator=annotator, language=language
        )


def _passed(attempts: list[Event]) -> bool:
    return any(isinstance(event.payload, Qualification) and event.payload.passed for event in attempts)


def _result(event: Event, questions: list[TestItem], tries_left: int) -> TestResult:
    """Return the result of a stored attempt."""
    attempt = event.payload
    if not isinstance(attempt, Qualification):
        raise RefusedError("task_unknown")
    wrong = tuple(question.why for question in questions if _answer(question, question.right) not in attempt.answers)
    return TestResult(attempt.passed, len(questions) - len(wrong), len(questions), tries_left, wrong)


def _answer(question: TestItem, choice: int) -> str:
    """Return an answer in the format of its record."""
    return f"{question.id}={choice}"


def _choice(question: TestItem, choices: Mapping[str, int]) -> int:
    choice = choices.get(question.id) if isinstance(choices, Mapping) else None
    if isinstance(choice, bool) or not isinstance(choice, int) or not 0 <= choice < len(question.choices):
        raise RefusedError("answer_malformed", field=question.id)
    return choice


# Consents: the terms that a person agreed to, with a hash of the text that was shown.


@dataclass(frozen=True)
class Consents:
    """The consents in one store; ``time`` returns the time of new records."""

    store: Store
    time: Callable[[], datetime]
    app_version: str = ""

    def agree(self, annotator: str, version: str, read: str = "", language: str = "") -> None:
        """Store that a person agreed to a version of the terms; ``read`` is their text as it was shown."""
        consent = Consent(version, hashlib.sha256(read.encode()).hexdigest())
        about = {"annotator": annotator, "language": language, "app_version": self.app_version}
        self.store.add(new_event(consent, time=self.time(), **about))

    def who_agreed(self, version: str) -> set[str]:
        """Return the pseudonyms of all who agreed to this version of the terms."""
        consents = self.store.live(kind=Consent.kind)
        return {
            event.annotator
            for event in consents
            if isinstance(event.payload, Consent) and event.payload.wording == version
        }

    def agreed(self, annotator: str, version: str) -> bool:
        """Return whether a person agreed to this version of the terms."""
        consents = self.store.live(kind=Consent.kind, annotator=annotator)
        return any(isinstance(event.payload, Consent) and event.payload.wording == version for event in consents)


# The reveal: tells annotators after their last vote which model wrote which text; then they vote no more.
#
# It happens only in campaigns that allow it. A consent to vote no more is stored, so it holds after a
# restart and on every page. A vote that was in transit meanwhile is stored and flagged. So is every vote of
# an annotator who deleted all their records, since the deletion also removed whether they had looked. Owners
# who have opened the results, which name the models, also vote no more.


@dataclass(frozen=True)
class SeenText:
    """A text of a vote with its model, and whether the voter chose it; if tied, all texts are chosen."""

    model: str
    text: str
    relevant: bool
    fluent: bool


@dataclass(frozen=True)
class Reveal:
    """The reveal of one campaign."""

    campaign: Campaign
    store: Store
    consents: Consents
    _opened: set[str] = field(default_factory=set, init=False)  # owners

    def __post_init__(self) -> None:
        """Load the owners who have opened the results."""
        self._opened.update(self.consents.who_agreed(self._opening))

    @property
    def _wording(self) -> str:
        return f"votes-over-1 {self.campaign.name}"

    @property
    def _opening(self) -> str:
        return f"results-opened-1 {self.campaign.name}"

    def is_over(self, annotator: str, kind: Kind = VOTE.key) -> bool:
        """Return whether the annotator knows the models of the texts and gives no more answers of that kind."""
        return TASK_KINDS[kind].compares_models and (annotator in self._opened or self._has_looked(annotator))

    def _has_looked(self, annotator: str) -> bool:
        return self.campaign.reveals_models and self.consents.agreed(annotator, self._wording)

    def remarks(self, annotator: str, kind: Kind) -> Iterator[str]:
        """Yield the reasons of the flags to store with an answer."""
        began_anew = TASK_KINDS[kind].compares_models and self.campaign.reveals_models and self._began_anew(annotator)
        if began_anew or self.is_over(annotator, kind):
            yield MODELS_SEEN

    def open_results(self, annotator: str) -> None:
        """Store that an owner has seen results, and so which model leads.

        If the store cannot be written, the results are still shown, and this is remembered until the app ends.
        """
        if annotator not in self._opened:
            self._opened.add(annotator)
            with suppress(RefusedError):
                self.consents.agree(annotator, self._opening)

    def _began_anew(self, annotator: str) -> bool:
        """Return whether the annotator once deleted everything: then it is unknown whether they had looked."""
        withdrawals = self.store.events(kind=Withdrawal.kind, annotator=annotator, pictures=False)
        return any(event.withdraws_everything for event in withdrawals)

    def may_look(self, annotator: str, kind: Kind, progress: Progress) -> bool:
        """Return whether the annotator may look: the campaign allows it, the last vote is given, no look was taken."""
        has_voted = kind == VOTE.key and bool(progress.given) and not progress.left
        return has_voted and self.campaign.reveals_models and not self.is_over(annotator)

    def look(self, annotator: str, progress: Progress, read: str, language: str) -> None:
        """Store that the annotator looks; ``read`` is the notice that they were shown.

        Raise :class:`RefusedError` ``votes_left`` if votes are left.
        """
        if self.is_over(annotator):
            return
        if not self.may_look(annotator, VOTE.key, progress):
            raise RefusedError("votes_left")
        self.consents.agree(annotator, self._wording, read, language)

    def votes(self, annotator: str, language: str) -> list[list[SeenText]]:
        """Return the annotator's votes in a language with the texts' models, oldest first, without gold items."""
        if not self._has_looked(annotator):
            return []
        items = {item.uid: item for item in self.campaign.items if item.gold is None}
        votes = []
        for event in self.store.live(campaign=self.campaign.name, kind=Vote.kind, annotator=annotator):
            cast, item = event.payload, items.get(event.item)
            if isinstance(cast, Vote) and item is not None and event.language == language:
                texts = {text.id: text for text in item.texts_for(VOTE.key, language)}
                votes.append(
                    [
                        SeenText(texts[id_].source, texts[id_].text, id_ in cast.relevant, id_ in cast.fluent)
                        for id_ in cast.shown
                        if id_ in texts
                    ]
                )
        return votes
