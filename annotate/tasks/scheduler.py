"""The scheduler: chooses each annotator's next question from the campaign, the store and submitted texts."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Row, Select, func, or_, select, update

from annotate.campaigns import (
    FOOLING,
    WRITTEN,
    Campaign,
    Status,
    flagged_items,
    is_verified,
    status_of,
    written_text,
    written_texts,
)
from annotate.errors import RefusedError
from annotate.kinds import (
    BY_RECORD,
    FIND_TARGET,
    FOOL,
    RECORDS,
    REPAIR,
    TASK_KINDS,
    VERIFY,
    WRITE,
    CampaignText,
    Coverage,
    Description,
    DialogueRound,
    FindTarget,
    Fooling,
    Item,
    Kind,
    OwnQuestion,
    Place,
    Progress,
    Question,
    Rating,
    Repair,
    SubmittedText,
)
from annotate.publishing import SETTLED, read_notes
from annotate.records import (
    HOLDS,
    NO_LONGER_ASKED,
    TARGET_SEEN,
    Decision,
    Event,
    Flag,
    Skip,
    Withdrawal,
    is_event_id,
    new_event,
    rejections,
)
from annotate.storage import (
    Claim,
    ClaimScope,
    HoldsMoreError,
    Sighting,
    StandingAnswers,
    Store,
    Wanted,
    chunks,
    claims_table,
    events_table,
    last_seen,
    note_shown,
    read_answered,
    read_standings,
    release,
)
from annotate.tasks.policy import (
    KnownAnswers,
    ScopeFacts,
    Standing,
    Targets,
    TaskFacts,
    TaskFilter,
    TaskScope,
    gold_is_due,
    in_order,
    no_known_answers,
    open_to,
    will_be_offered,
)

CLAIM_SECONDS = 15 * 60.0
AHEAD_SECONDS = 5 * 60.0  # claim on a prefetched question; it expires if the one before takes longer
# Claim of an annotator without an answer, on their only question; the page renews it after five minutes of typing.
FIRST_SECONDS = 6 * 60.0
STALE_SECONDS = 5.0  # longest delay before a newly written text is offered to others

_AT_ONCE = 50  # questions passed to the store in one write
_LOOKS = 50  # attempts when others claim all of these first
_ANYBODY = 1_000_000  # answers wanted: there is always room

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class QuestionPool:
    """The questions of one kind and language, with the gold questions.

    They include the texts ``written`` by annotators, without pairs that are ``held`` for the owner, and ``rejected``
    are the reasons of rejections by annotator; all last read ``at`` a time in seconds since 1970.
    """

    open: list[Question]
    gold: list[Question]
    by_place: dict[Place, Question]
    written: list[SubmittedText]
    held: set[str]
    rejected: dict[str, str]
    at: float


@dataclass(frozen=True)
class ClaimedTask:
    """A question claimed ``since`` a time in seconds since 1970; the one with the lowest ``turn`` is next.

    ``is_asked`` is false if the campaign has changed or dropped the question since. ``undone`` is the id of
    the withdrawn answer that it is claimed again for, or empty.
    """

    claim: Claim
    question: Question
    since: float
    turn: int
    is_asked: bool
    undone: str


@dataclass
class TaskScheduler:
    """The scheduler of one campaign; ``key`` determines every order, ``now`` is the clock of the store's claims."""

    campaign: Campaign
    store: Store
    key: bytes
    now: Callable[[], float] = time.time
    stale_seconds: float = STALE_SECONDS
    _asks: dict[tuple[Kind, str], QuestionPool] = field(default_factory=dict, init=False, repr=False)
    _covered: tuple[float, tuple[Coverage, ...]] | None = field(default=None, init=False, repr=False)
    _looking: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        """Create the pools of written texts and of targets to find."""
        self._submitted = SubmittedTexts(self.campaign, self.store)
        self._targets = Targets(self.campaign)

    def asks(self, kind: Kind, language: str, *, anew: bool = False) -> QuestionPool:
        """Return the current questions; texts, flags and decisions are reread if stale, or at once with ``anew``."""
        known = self._asks.get((kind, language))
        source = {"mended": REPAIR.key, "fooling": FOOL.key}.get(TASK_KINDS[kind].written or "", WRITE.key)
        takes_written = source in self.campaign.kinds and (TASK_KINDS[kind].written or kind == WRITE.key)
        if known is not None and not (anew or self._is_stale(known.at)):
            return known
        with self._looking:
            before, known, now = known, self._asks.get((kind, language)), self.now()
            if known is not None and known is not before and not anew:
                return known  # a concurrent call has read it
            written = [] if not takes_written else self._texts(kind)
            held, rejected = self._submitted.held()
            if known is None or (known.written, known.held) != (written, held):
                open_questions = self.campaign.questions(kind, language, written)
                if kind == WRITE.key:
                    lost = Counter(entry.item for entry in written if entry.text.language == language)
                    open_questions = [
                        replace(question, voices=question.voices + lost[question.item.uid])
                        for question in open_questions
                    ]
                open_questions, gold = (
                    [question for question in questions if question.item.uid not in held]
                    for questions in (open_questions, self.campaign.gold_questions(kind, language))
                )
                by_place = {question.place: question for question in (*open_questions, *gold)}
                known = QuestionPool(open_questions, gold, by_place, written, held, rejected, now)
            pool = self._asks[kind, language] = replace(known, rejected=rejected, at=now)
            return pool

    def _texts(self, kind: Kind) -> list[SubmittedText]:
        """Return the written texts that a kind asks about; for writing, those that were discarded and are missing."""
        written = TASK_KINDS[kind].written
        if written in {"all", "mended", "fooling"}:
            return self._submitted.every(WRITTEN if written == "all" else written)
        return self._submitted.of_status("discarded" if kind == WRITE.key else "accepted")

    def reread(self) -> None:
        """Read questions and coverage again when they are next needed, however fresh they are."""
        self._asks.clear()
        self._covered = None

    def _is_stale(self, at: float) -> bool:
        return self.now() - at >= self.stale_seconds

    def task_filter(self, scope: TaskScope) -> TaskFilter:
        """Return the annotator's filter of tasks, which reads the store once and only if needed."""
        return TaskFilter(scope, self._available)

    def next(self, task_filter: TaskFilter, after: str | None = None, *, spares: bool = False) -> ClaimedTask | None:
        """Return the annotator's next question, or the one after the task ``after``; None when nothing is left.

        ``spares`` leaves out pairs whose target the annotator has yet to find. Concurrent calls return one task: a
        call that finds new claims of the annotator starts over. Before their first answer of this kind, an
        annotator holds one question at a time, for a shorter time.
        """
        scope, seconds = task_filter.scope, CLAIM_SECONDS if after is None else AHEAD_SECONDS
        if not task_filter.read().known.given:
            seconds = FIRST_SECONDS
        while True:
            claims = self.store.claims_of(scope.annotator)
            held = self._fit(scope, claims, lambda: task_filter.read().knows)
            for claimed in held:
                if claimed.claim.token != after:
                    self.keep(claimed, seconds)
                    return claimed
            if held and not task_filter.read().known.given:
                return None
            try:
                return self._take(task_filter, held, seconds, {claim.token for claim in claims}, spares=spares)
            except HoldsMoreError:
                task_filter.forget()

    def _take(
        self,
        task_filter: TaskFilter,
        held: Sequence[ClaimedTask],
        seconds: float,
        knowing: Collection[str],
        *,
        spares: bool,
    ) -> ClaimedTask | None:
        """Claim the question that follows all that the annotator holds; None when nothing is left.

        A question that others hold is never prefetched.
        """
        turn = max((claimed.turn for claimed in held), default=0) + 1
        scope = task_filter.scope
        for _ in range(_LOOKS):
            known = task_filter.read().known
            chunk = list(islice(self._in_order(task_filter, spares=spares), _AT_ONCE))
            shares = bool(chunk) and not known.standing.has_room(chunk[0])
            if not chunk or (shares and held):
                return None
            if gold_is_due(scope, known.number, self.key):
                golds = self.asks(scope.kind, scope.language).gold
                chunk = [*islice(in_order(scope, golds, known.standing, self.key), 1), *chunk]
            wanted = [self._wanted(question, question.voices, turn, shares=shares) for question in chunk]
            claim = self.store.claim(self.claim_scope(scope), wanted, seconds=seconds, knowing=knowing)
            if claim is not None:
                return self._held(claim)
            task_filter.forget()  # others claimed them first
        return None

    def take_one(
        self, scope: TaskScope, question: Question, undone: str = "", *, shares: bool = False
    ) -> ClaimedTask | None:
        """Claim this question, to come before all others that the annotator holds; ``shares`` is that of ``Wanted``.

        The question must want one more answer, unless it is the one whose answer, ``undone``, was withdrawn.
        """
        turn = min((held.turn for held in self.held(scope)), default=1) - 1
        wanted = self._wanted(question, _ANYBODY if undone else question.voices, turn, undone, shares=shares)
        claim = self.store.claim(self.claim_scope(scope), [wanted], seconds=CLAIM_SECONDS)
        return None if claim is None else self._held(claim)

    def choices(self, scope: TaskScope) -> Iterator[tuple[Question, bool]]:
        """Yield the questions to choose from, best first, and whether each is shared with others."""
        task_filter = self.task_filter(scope)
        for question in self._in_order(task_filter, spares=False):
            yield question, not task_filter.read().known.standing.has_room(question)

    def _in_order(self, task_filter: TaskFilter, *, spares: bool) -> Iterator[Question]:
        """Return the questions that the annotator may get, best first; ``spares`` leaves out pairs yet to be found."""
        scope, available = task_filter.scope, task_filter.read()
        spared = available.to_be_found if spares else frozenset()
        asked = self.asks(scope.kind, scope.language).open
        free = [question for question in asked if question.item.target not in spared] if spared else asked
        return in_order(scope, free, available.known.standing, self.key)

    def offered(self, task_filter: TaskFilter, most: int, *, spares: bool = False) -> list[Question]:
        """Return the best choices, at most ``most``, and store that they were shown."""
        scope, offers = task_filter.scope, list(islice(self._in_order(task_filter, spares=spares), most))
        sightings = [Sighting(question.item.uid, question.language, question.skipped_as) for question in offers]
        if sightings:
            self.store.write(lambda on: note_shown(on, self.campaign.name, scope.annotator, sightings))
        return offers

    def held(self, scope: TaskScope) -> list[ClaimedTask]:
        """Return the questions that the annotator holds and may be shown, in the order of their turns."""
        return self._fit(scope, self.store.claims_of(scope.annotator), lambda: self._known_answers(scope.annotator))

    def _fit(
        self, scope: TaskScope, claims: Sequence[Claim], known_answers: Callable[[], KnownAnswers]
    ) -> list[ClaimedTask]:
        about = (self.campaign.name, scope.record, scope.language)
        held = [self._held(claim) for claim in claims if (claim.campaign, claim.kind, claim.language) == about]
        knows = known_answers() if held and TASK_KINDS[scope.kind].hides_target else no_known_answers
        fit = [
            claimed
            for claimed in held
            if claimed is not None and self._may_be_shown(claimed) and not knows(claimed.question)
        ]
        return sorted(fit, key=lambda claimed: (claimed.turn, claimed.claim.token))

    def _may_be_shown(self, held: ClaimedTask) -> bool:
        """Return whether a question is still asked, or was undone by its holder and has its texts and target."""
        question = held.question
        is_whole = self._targets.is_unchanged(question.item) and all(text.text for text in question.texts)
        return held.is_asked or bool(held.undone and is_whole)

    def find(self, token: str, annotator: str) -> ClaimedTask | None:
        """Return the claimed question of a token, expired or not; None if it is answered, another's or unknown."""
        claim = self.store.find_claim(token, annotator=annotator)
        return None if claim is None else self._held(claim)

    def remarks(self, held: ClaimedTask) -> Iterator[str]:
        """Yield the reasons of the flags to store with an answer."""
        if not held.is_asked:
            yield NO_LONGER_ASKED
        if TASK_KINDS[held.question.kind].hides_target and self._known_answers(held.claim.annotator)(held.question):
            yield TARGET_SEEN

    def began(self, held: ClaimedTask) -> float:
        """Return when the annotator can first have seen a task: a prefetched one follows the last answer or skip."""
        with self.store.reading() as connection:
            return max(held.since, last_seen(connection, held.claim.annotator))

    def answered(self, event: Event) -> TaskScope | None:
        """Return the scope of an answer or a skip of this campaign; None for any other record."""
        kind = BY_RECORD.get(_record_of(event)[0])
        if kind is None or event.campaign != self.campaign.name:
            return None
        return TaskScope(event.annotator, kind.key, event.language)

    def question(self, event: Event) -> Question | None:
        """Return the question of an answer or skip; None if it is not asked and cannot be restored."""
        scope = self.answered(event)
        if scope is None:
            return None
        place = (event.item, _record_of(event)[1])
        question = self._current_question(scope.kind, scope.language, place)
        written_text = None if question is not None else self._written_text(place[1])
        kind = TASK_KINDS[scope.kind]
        if written_text is None or kind.written is None or written_text.item != event.item:
            return question
        item = next(item for item in self.campaign.items if item.uid == event.item)
        return kind.question(item, scope.language, 1, written_text.texts(item), author=written_text.author)

    def keep(self, held: ClaimedTask, seconds: float = CLAIM_SECONDS) -> None:
        """Extend a claim to ``seconds`` from now; a longer claim is left as it is."""
        until = self.now() + seconds
        of_token, claims = claims_table.c.token == held.claim.token, claims_table
        longer = update(claims).where(of_token, claims.c.expires < until).values(expires=until)
        self.store.write(lambda connection: connection.execute(longer).rowcount)

    def put_back(self, held: ClaimedTask) -> None:
        """Release a claim."""
        self.store.write(lambda connection: release(connection, held.claim.token))

    def progress(self, task_filter: TaskFilter) -> Progress:
        """Return the progress of an annotator, with the number of questions that will be offered to them."""
        scope, available = task_filter.scope, task_filter.read()
        asks, known = self.asks(scope.kind, scope.language), available.known
        ahead, golds = (open_to(scope, lot, known.standing) for lot in (asks.open, asks.gold))
        findable = [question for question in ahead if question.item.target not in available.to_be_found]
        left, at_once = (will_be_offered(scope, known.number, lot, golds, self.key) for lot in (ahead, findable))
        return Progress(given=known.given, left=len(known.held) + left, kept_back=left - at_once)

    def _available(self, scope: TaskScope) -> TaskFacts:
        """Return the facts of one store snapshot: standing of the scope, and targets to find in any language."""
        hides, find = TASK_KINDS[scope.kind].hides_target, FIND_TARGET.key
        waits = not hides and self._targets.may_wait
        languages = self.campaign.languages if waits else ()
        finding = [replace(scope, kind=find, language=language) for language in languages]
        with self.store.reading() as connection:
            standings = read_standings(connection, [self.claim_scope(each) for each in (scope, *finding)], self.now())
            knows: KnownAnswers = no_known_answers
            if finding or hides:
                knows = self._targets.known_to(connection, scope.annotator)
        known = self._known(scope, standings[0], knows if hides else no_known_answers)
        to_find: list[Question] = []
        for finder, standing in zip(finding, standings[1:], strict=True):
            finder_known = self._known(finder, standing, knows)
            to_find += [
                *finder_known.held,
                *open_to(finder, self.asks(find, finder.language).open, finder_known.standing),
            ]
        return TaskFacts(known, self._targets.waiting(to_find), knows)

    def marks(self) -> list[Event]:
        """Return the flags and the decisions about pairs, without those of rejected people."""
        return self._submitted.marks()

    def coverage(self) -> tuple[Coverage, ...]:
        """Return the coverage of the campaign by kind and language; it may be a few seconds old."""
        if self._covered is None or self._is_stale(self._covered[0]):
            self._covered = (self.now(), tuple(self._cover()))
        return self._covered[1]

    def _cover(self) -> Iterator[Coverage]:
        for kind, language in self.open_kinds():
            open_questions = self.asks(kind, language).open
            with self.store.reading() as connection:
                voices = read_answered(connection, self.campaign.name, TASK_KINDS[kind].record.kind, language)
            answered = sum(min(voices[question.place], question.voices) for question in open_questions)
            yield Coverage(kind, language, answered, sum(question.voices for question in open_questions))

    def open_kinds(self) -> list[tuple[Kind, str]]:
        """Return the kinds and languages with at least one question."""
        asks = ((kind, language) for kind in self.campaign.kinds for language in self.campaign.languages)
        return [ask for ask in asks if self.asks(*ask).open]

    def _known(self, scope: TaskScope, answers: StandingAnswers, knows: KnownAnswers) -> ScopeFacts:
        skips = ((item, *task.partition("/")) for item, task in answers.skipped)
        passed = frozenset((item, aspect) for item, record, _, aspect in skips if record == scope.record)
        asks = self.asks(scope.kind, scope.language).by_place
        known = frozenset(
            place for place, question in asks.items() if knows is not no_known_answers and knows(question)
        )
        held = [asks[place] for place in answers.held if place in asks and place not in known]
        given = len(answers.answered)
        standing = Standing(answers.people, answers.answered | answers.held, passed, known, answers.holds)
        return ScopeFacts(standing, given, held, given + len(held) + len(passed))

    def _known_answers(self, annotator: str) -> KnownAnswers:
        with self.store.reading() as connection:
            return self._targets.known_to(connection, annotator)

    def claim_scope(self, scope: TaskScope) -> ClaimScope:
        """Return a scope as the store names it."""
        return ClaimScope(self.campaign.name, scope.record, scope.language, scope.annotator)

    def _wanted(self, question: Question, voices: int, turn: int, undone: str = "", *, shares: bool = False) -> Wanted:
        context = {
            "since": self.now(),
            "turn": turn,
            "undone": undone,
            "seed": self.campaign.seed,
            "question": snapshot(question),
        }
        return Wanted(question.item.uid, question.aspect, voices, json.dumps(context, ensure_ascii=False), shares)

    def _held(self, claim: Claim) -> ClaimedTask | None:
        """Return a claim with its question as it was shown; None if the campaign or its seed has changed.

        With another seed, the order in which texts and candidates were shown is unknown.
        """
        context, kind = json.loads(claim.context), BY_RECORD[claim.kind].key
        if (claim.campaign, context["seed"]) != (self.campaign.name, self.campaign.seed):
            return None
        current = self._current_question(kind, claim.language, (claim.item, claim.aspect))
        is_asked = current is not None and snapshot(current) == context["question"]
        question = current if current is not None and is_asked else None
        if question is None:
            question = restored(context["question"], kind, claim.language, claim.item, self._written_text)
            question = replace(question, aspect=claim.aspect)  # that of a deleted text is unknown
        return ClaimedTask(claim, question, context["since"], context["turn"], is_asked, context["undone"])

    def _current_question(self, kind: Kind, language: str, place: Place) -> Question | None:
        pool = self.asks(kind, language)
        question = pool.by_place.get(place)
        # A text may be newer in another process, or a flag withdrawn just now.
        if question is None and (place[0] in pool.held or (TASK_KINDS[kind].written and is_event_id(place[1]))):
            question = self.asks(kind, language, anew=True).by_place.get(place)
        return question

    def _written_text(self, id_: str) -> SubmittedText | None:
        """Return an annotator's text, whatever its status; None if it was deleted."""
        event = self.store.event(id_) if is_event_id(id_) else None
        events = [] if event is None else [event]
        records = (Description, Repair, Fooling)
        texts = (text for record in records for text in written_texts(events, self.campaign, record))
        return next(texts, None)


def scope_of(held: ClaimedTask) -> TaskScope:
    """Return the scope of a claimed question: its annotator, kind and language."""
    return TaskScope(held.claim.annotator, held.question.kind, held.question.language)


def _record_of(event: Event) -> tuple[str, str]:
    """Return the kind of record that was asked for, and its aspect."""
    if isinstance(event.payload, Skip):
        record, _, aspect = event.payload.task.partition("/")
        return record, aspect
    return event.kind, event.payload.aspect


# Snapshots of questions: stored with their claims, so that a question can be answered after it was dropped.
#
# Annotators' texts are not copied: they are stored only in their events and are deleted with them.

Snapshot = Mapping[str, Any]


def snapshot(question: Question) -> Snapshot:
    """Return the snapshot of a question as JSON values: everything that an answer may refer to."""
    item = question.item
    # Claims of earlier versions lack these keys.
    own = {"further": list(item.further), "asked": [entry.model_dump_json() for entry in question.asked]}
    own["dialogue"] = [text.dialogue.model_dump_json() for text in question.texts if text.dialogue]
    return {
        "pictures": [item.current, item.target, *item.candidates],
        "answer": item.answer,
        "mode": question.mode,
        "texts": [
            [text.id, None if question.author and is_event_id(text.id) else text.text] for text in question.texts
        ],
        **{name: values for name, values in own.items() if values},
    }


def restored(
    stored: Snapshot, kind: Kind, language: str, uid: str, written: Callable[[str], SubmittedText | None]
) -> Question:
    """Return the question of a snapshot; ``written`` finds an annotator's text by id.

    A text that was deleted since is empty; answers about it can still be stored.
    """
    current, target, *candidates = stored["pictures"]
    # Validated when its campaign was read.
    item = Item.model_construct(
        uid=uid,
        current=current,
        target=target,
        candidates=tuple(candidates),
        answer=stored["answer"],
        texts=(),
        further=tuple(stored.get("further", ())),
    )
    task_kind, texts, author = TASK_KINDS[kind], list[CampaignText](), ""
    dialogue = next(map(DialogueRound.model_validate_json, stored.get("dialogue", ())), None)
    for id_, words in stored["texts"]:
        written_text = written(id_) if words is None else None
        author = written_text.author if written_text else author
        own = {"id": id_, "language": task_kind.text_language(language), "source": "", "text": words or "", "kinds": ()}
        own_text = CampaignText.model_construct(**own, dialogue=dialogue)
        texts.append(written_text.text if written_text else own_text)
    question = task_kind.question(item, language, 1, tuple(texts), stored["mode"], author=author)
    return replace(question, asked=tuple(map(OwnQuestion.model_validate_json, stored.get("asked", ()))))


# The texts that annotators wrote, with their ratings and flags; after the first read, only new events are read.
#
# Rows of the store are numbered in the order in which they are written, and an event that ends another names
# it. So the rows after a number tell all changes, except in two cases: an annotator deleted everything, or
# published answers of other writers were restored, whose events may be older than the known ones. Then the
# ids of the live events are compared.

_TEXTS = {Description.kind, Repair.kind, Fooling.kind}
_KINDS = (*_TEXTS, Rating.kind, FindTarget.kind, Flag.kind, Decision.kind)
_events = events_table.c
_COLUMNS = (
    _events.id,
    _events.kind,
    _events.campaign,
    _events.item,
    _events.annotator,
    _events.language,
    _events.aspect,
)
_WHOLE: Select[Any] = select(*_COLUMNS, _events.payload, _events.supersedes, _events.live_key)

_About = tuple[str, str, str]  # item, language and id of a text


@dataclass
class SubmittedTexts:
    """The texts that annotators of one campaign wrote; safe to use from several threads."""

    campaign: Campaign
    store: Store
    _texts: dict[str, SubmittedText] = field(default_factory=dict, init=False, repr=False)
    _marks: dict[str, Event] = field(default_factory=dict, init=False, repr=False)  # flags and decisions
    _rated: dict[str, _About] = field(default_factory=dict, init=False, repr=False)
    _scores: dict[_About, dict[str, tuple[str, int]]] = field(default_factory=dict, init=False, repr=False)
    _sequence: int = field(default=0, init=False, repr=False)
    _settled: str | None = field(default=None, init=False, repr=False)
    _by_status: dict[Status, list[SubmittedText]] = field(default_factory=dict, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        """Collect the campaign's items; texts about other items are ignored."""
        self._items = {item.uid for item in self.campaign.items}

    def every(self, source: str = WRITTEN) -> list[SubmittedText]:
        """Return the live texts of a source; those against a model want answers until they are verified or not."""
        with self._lock:
            self._catch_up()
            rejected = rejections(self._marks.values())
            texts = (text for text in self._texts.values() if text.text.source == source)
            living = [text for text in texts if text.author not in rejected]
            return living if source != FOOLING else [replace(one, voices=self._wanted(one, rejected)) for one in living]

    def _wanted(self, text: SubmittedText, rejected: Collection[str]) -> int:
        given = self._scores.get((text.item, text.text.language, text.text.id), {})
        flags = (mark.payload for mark in self._marks.values() if isinstance(mark.payload, Flag))
        spoiled = {flag.of for flag in flags if flag.reason == TARGET_SEEN}
        right = [bool(one) for id_, (by, one) in given.items() if id_ not in spoiled and by not in rejected]
        if is_verified(right):  # then further people as wanted
            return len(given) + max(0, right.index(True) + self.campaign.voices_for(FIND_TARGET.key) - len(right))
        return len(given) + (is_verified(right) is None)

    def held(self) -> tuple[set[str], dict[str, str]]:
        """Return the items about which nothing more is asked, and the reasons of rejections by annotator."""
        with self._lock:
            self._catch_up()
            rejected = rejections(self._marks.values())
            return flagged_items(self._standing(), HOLDS), {
                person: rejection.reason for person, rejection in rejected.items()
            }

    def of_status(self, status: Status) -> list[SubmittedText]:
        """Return the texts of one status, such as those that enough annotators rated as good; see ``text_statuses``."""
        with self._lock:
            self._catch_up()
            if not self._by_status:
                voices, aside = self.campaign.voices_for(VERIFY.key), flagged_items(self._standing())
                rejected = rejections(self._marks.values())
                for text in self._texts.values():
                    if text.author not in rejected and text.text.source == WRITTEN:
                        rated = self._scores.get((text.item, text.text.language, text.text.id), {}).values()
                        scores = [score for annotator, score in rated if annotator not in rejected]
                        found = status_of(scores, voices, is_aside=text.item in aside)
                        self._by_status.setdefault(found, []).append(text)
            return self._by_status.get(status, [])

    def marks(self) -> list[Event]:
        """Return the flags and the decisions about pairs, without those of rejected people."""
        with self._lock:
            self._catch_up()
            return self._standing()

    def _standing(self) -> list[Event]:
        rejected = rejections(self._marks.values())
        return [mark for mark in self._marks.values() if mark.item and mark.annotator not in rejected]

    def _catch_up(self) -> None:
        with self.store.reading() as connection:
            last = connection.execute(select(func.max(_events.sequence))).scalar() or 0
            settled = read_notes(connection).get(SETTLED, "")
            is_first = self._settled is None
            doubtful = not is_first and settled != self._settled
            if last > self._sequence:
                for row in connection.execute(self._since()).all():
                    self._end(row.supersedes)
                    self._take(row)
                    doubtful |= row.kind == Withdrawal.kind and row.supersedes is None and not is_first
            if doubtful:
                self._compare(connection)
        self._sequence, self._settled = last, settled

    def _since(self) -> Select[Any]:
        tells = or_(_events.live_key.is_not(None), _events.supersedes.is_not(None), _events.kind == Withdrawal.kind)
        kinds = (*_KINDS, Withdrawal.kind)
        return _WHOLE.where(_events.sequence > self._sequence, _events.kind.in_(kinds), tells).order_by(
            _events.sequence
        )

    def _compare(self, connection: Connection) -> None:
        """Drop events that are no longer live, and read live ones that are missing."""
        about = (_events.campaign == self.campaign.name, _events.kind.in_(_KINDS), _events.live_key.is_not(None))
        standing = set(connection.execute(select(_events.id).where(*about)).scalars())
        known = {*self._texts, *self._marks, *self._rated}
        for id_ in known - standing:
            self._end(id_)
        for chunk in chunks(sorted(standing - known)):
            for row in connection.execute(_WHOLE.where(_events.id.in_(chunk), *about)):
                self._take(row)

    def _end(self, id_: str | None) -> None:
        """Drop an event that is no longer live."""
        if id_ is None:
            return
        self._texts.pop(id_, None)
        self._marks.pop(id_, None)
        self._by_status = {}
        about = self._rated.pop(id_, None)
        if about is not None:
            del self._scores[about][id_]

    def _take(self, row: Row[Any]) -> None:
        """Add an event if it is live and about an item of the campaign."""
        is_about = row.item in self._items or (row.kind == Decision.kind and not row.item)
        if row.live_key is None or row.campaign != self.campaign.name or not is_about:
            return
        self._by_status = {}
        try:
            values = dict(json.loads(row.payload))
            self._note(row, values)
        except (RefusedError, ValueError, TypeError, KeyError):  # a broken row must not stop the others
            _log.exception("the record %s cannot be read", row.id)

    def _note(self, row: Row[Any], values: dict[str, Any]) -> None:
        if row.kind in _TEXTS:
            self._texts[row.id] = written_text(row.id, row.item, row.language, values, row.annotator)
        if row.kind in {Flag.kind, Decision.kind} or values.get("flags"):
            self._marks[row.id] = new_event(RECORDS[row.kind](**values), annotator=row.annotator, item=row.item)
        if row.kind in {Rating.kind, FindTarget.kind} and values.get("text"):
            about = self._rated[row.id] = (row.item, row.language, values["text"])
            self._scores.setdefault(about, {})[row.id] = (
                row.annotator,
                values["score" if row.kind == Rating.kind else "correct"],
            )
