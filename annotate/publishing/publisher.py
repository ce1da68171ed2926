"""Publisher of the store's events to the Hub or a folder, as whole shards in one commit per interval.

It first imports what is published already. Until that succeeds the store is read-only, so that an app on an
empty disk does not continue as if there were no answers. Shards are named in the store before they are sent,
and looked up by name before they are sent again, so that every event arrives exactly once; see ``outbox``.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import math
import random
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from huggingface_hub import HfApi
from sqlalchemy import Connection, select

from annotate.campaigns import Campaign
from annotate.errors import RefusedError
from annotate.kinds import FindTarget, Fooling
from annotate.publishing import outbox
from annotate.publishing.asked import unpublished
from annotate.publishing.destinations import Contents, Destination, FolderDestination, HubDestination
from annotate.publishing.outbox import CommitPlan, import_published
from annotate.publishing.participants import keep_participants
from annotate.publishing.tables import CARD, UNREADABLE, VERIFIED, card_of, kind_of, verified_table, write_shard
from annotate.records import Decision, Flag, ParticipantId
from annotate.storage import Store, events_table, every_participant, read_campaigns
from fmp_models.common import one_line

# Guard against data loss: on a disk that does not persist, answers are accepted only while publishing works.

MAX_FAILING_SECONDS = 1200.0  # publishing may fail this long before the store becomes read-only


class LossGuard:
    """Guard that makes a store read-only while publishing fails, if the disk ``forgets``; otherwise it does nothing.

    The answers at risk are at most those of one publishing interval plus ``patience`` seconds.
    """

    def __init__(self, store: Store, *, forgets: bool, patience: float = MAX_FAILING_SECONDS) -> None:
        self.forgets = forgets
        self._store = store
        self._patience = patience
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None  # runs since the first attempt without success
        self._reason: RefusedError | None = None

    @property
    def has_closed(self) -> bool:
        """Whether this guard has made the store read-only."""
        return self._reason is not None

    def watch(self, reason: Callable[[], RefusedError]) -> None:
        """Make the store read-only for ``reason`` unless publishing succeeds in time, even if an attempt never ends."""
        with self._lock:
            if self.forgets and self._timer is None:
                self._timer = threading.Timer(self._patience, lambda: self.close(reason()))
                self._timer.daemon = True
                self._timer.start()

    def close(self, reason: RefusedError) -> None:
        """Make the store read-only; answers that were accepted stay and are published later."""
        with self._lock:
            if self._timer is not None and self._store.read_only is None:  # a late timer finds no timer set
                self._store.read_only = self._reason = reason

    def reopen(self) -> None:
        """Make the store writable again after publishing has succeeded."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._reason is not None and self._store.read_only is self._reason:
                self._store.read_only = None
            self._timer = self._reason = None


# The publisher, and the destination that it chooses.

CLOSING_SECONDS = 5.0  # a Space is killed ten seconds after it is told to stop, and the page needs some
STARTING_SECONDS = 10.0
FOLDER_NAME = "dataset"

_ATTEMPTS = 8
_FIRST_DELAY = 1.0
_MAX_DELAY_SECONDS = 120.0
_LAST_DELAY = 0.3  # seconds between attempts while closing
_HARMLESS = UNREADABLE | {"participants_encrypted", "participants_lost"}
_LASTING = frozenset(
    {
        "publish_refused",
        "folder_unusable",
        "disk_full",
        "disk_read_only",
        "repo_name_malformed",
        "event_malformed",
        *UNREADABLE,
    }
)

Answer = TypeVar("Answer")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PublishingState:
    """The state of publishing for the owner; times are UTC, None if there was none yet.

    ``saved`` events are in the store; ``waiting`` of them are not published yet, counted by kind in
    ``waiting_kinds``. ``leaving`` files are still to be deleted.
    """

    saved: int
    waiting: int
    waiting_kinds: Mapping[str, int]
    published: int
    leaving: int
    destination: str
    keeps_history: bool
    last_commit: str | None
    last_commit_time: datetime | None
    last_error: str | None
    next_time: datetime | None
    read_only: RefusedError | None


def choose_destination(repo: str, data_dir: Path, api: HfApi | None = None) -> Destination:
    """Return the dataset on the Hub if one is named, else the folder ``dataset`` in the data folder."""
    return HubDestination(repo, api) if repo else FolderDestination(data_dir / FOLDER_NAME)


class Publisher:
    """Publisher with a thread of its own after ``start``; ``flush`` publishes at once, from any thread.

    ``sleep`` waits between two attempts; by default the wait ends early when the publisher is closed. The default
    ``guard`` assumes a disk that persists. ``key`` is the pseudonym key: if the disk does not persist and the dataset
    is private, participants of payment services are published, encrypted by it. What those of the ``campaigns`` asked
    that have answers is published too, and with the names of models if they are ``revealed``.
    """

    def __init__(  # noqa: PLR0913  each is a choice of the app
        self,
        store: Store,
        destination: Destination,
        *,
        minutes: float = 10.0,
        sleep: Callable[[float], object] | None = None,
        guard: LossGuard | None = None,
        key: bytes | None = None,
        campaigns: Collection[Campaign] = (),
        revealed: Collection[str] = (),
    ) -> None:
        self.store = store
        self._campaigns = {campaign.name: campaign for campaign in campaigns}  # not published yet
        self._revealed = revealed
        self.destination = destination
        self.writer = uuid4().hex[:8]
        self._interval = minutes * 60
        self._stopping = threading.Event()
        self._woken = threading.Event()
        self._imported = threading.Event()
        self._begun = threading.Event()  # imported, or failed for good
        self._guard = guard or LossGuard(store, forgets=False)
        self._key = key
        self._held: tuple[str, ...] = ()  # kinds that are not published
        self._has_sent = False
        self._lacks_proof = False  # write permission is unproved
        self._sleep = sleep or self._stopping.wait
        self._deadline = math.inf
        self._busy = threading.Lock()
        self._thread: threading.Thread | None = None
        self._last_error: RefusedError | None = None
        self._told: str | None = None
        self._next_time: datetime | None = None

    def start(self) -> None:
        """Import what was published, then publish at every interval.

        Returns when the import is done or has failed permanently, or after a few seconds while it continues;
        ``store.read_only`` tells which.
        """
        self.store.read_only = RefusedError("import_running")
        self._thread = threading.Thread(target=self._serve, name="annotate-publisher", daemon=True)
        self._thread.start()
        self._begun.wait(STARTING_SECONDS)

    def close(self, seconds: float = CLOSING_SECONDS) -> bool:
        """Publish waiting events and stop within ``seconds``; return whether all are published.

        The store stays open.
        """
        self._deadline = time.monotonic() + seconds
        self._stopping.set()
        self._woken.set()
        if self._thread is not None:
            self._thread.join(seconds)
        try:
            return self.state().waiting == 0
        except RefusedError:
            return False

    def wake(self) -> None:
        """Publish now instead of at the end of the interval."""
        self._woken.set()

    def import_published(self, *, proves: bool = False) -> bool:
        """Import what is published and make the store writable; return False on failure (reason: ``read_only``).

        With ``proves`` the write permission is checked too. If it is missing and the disk persists, the owner is
        told, and the store becomes writable all the same.
        """
        imported, unproved = False, None
        try:
            with self._alone():
                self.destination.prepare()
                import_published(self.store, self.destination)
                imported = True
                self._keep_participants()
                unproved = self._unproved() if proves else None
        except Exception as error:  # noqa: BLE001  never overwrite what cannot be read back, whatever the error
            if not isinstance(error, RefusedError):
                _log.exception("restoring failed")
                error = RefusedError("publish_failed", target=self.destination.name, reason=one_line(error))
            self._note_error(error)
            as_it_is = imported or error.code == "publish_elsewhere"
            self.store.read_only = error if as_it_is else RefusedError("import_failed", reason=str(error))
            return False
        self.store.read_only = None
        self._last_error = None
        if unproved is not None:
            self._lacks_proof = True
            self._note_error(unproved)
            self._tell(unproved)
        self._imported.set()
        return True

    def _unproved(self) -> RefusedError | None:
        """Return why commits would be refused, if the disk persists; raise if it does not."""
        try:
            self.destination.prove_writable()
        except RefusedError as error:
            if self._guard.forgets:
                raise
            return error
        return None

    def flush(self) -> None:
        """Publish waiting events now, in one commit unless it would be too large.

        Raise :class:`RefusedError`: ``publish_failed`` after several attempts, ``publish_refused``,
        ``folder_unusable``, ``publish_elsewhere``, ``store_…``. Events that were not published wait for the next
        time. The error of a file that is ``tables.UNREADABLE`` is raised after everything else is published.
        """
        try:
            with self._alone():
                self._guard.watch(self._trouble)
                unread = self._keep_up()
                lost = self._keep_participants()
                if self._lacks_proof or self._guard.has_closed:
                    self.destination.prove_writable()  # there may be nothing to send
                if self._ask(outbox.has_leaving):
                    self._patiently(self._send_verified)  # deleted texts leave this table first
                while not (plan := self.store.write(lambda on: outbox.plan(on, self.writer, held=self._held))).is_empty:
                    self._patiently(partial(self._send, plan))
                    if not plan.more and not self._ask(outbox.has_leaving):
                        break  # events that came meanwhile wait for the next interval
                self._patiently(self._send_verified)
                for name in self._campaigns.keys() & self._ask(read_campaigns):
                    self._patiently(partial(self._send_asked, self._campaigns[name]))
                    del self._campaigns[name]
        except RefusedError as error:
            self._note_error(error)
            if error.code in _LASTING:
                self._guard.close(error)
            raise
        self._guard.reopen()
        self._lacks_proof = False
        if (remark := unread or lost) is not None:
            self._note_error(remark)
            raise remark
        self._last_error = None
        self.store.write(lambda on: outbox.write_notes(on, last_error=""))

    def _keep_up(self) -> RefusedError | None:
        """Import what other writers published and deleted; return the error of an unreadable file.

        The error is raised instead if shards have to be deleted.

        While closing this is skipped, unless shards have to be deleted: other writers' shards may hold the same
        events.
        """
        deletes = self._ask(outbox.has_leaving)
        if self._stopping.is_set() and not deletes:
            return None
        try:
            self._patiently(lambda: import_published(self.store, self.destination))
        except RefusedError as error:
            if deletes or error.code not in UNREADABLE:
                raise
            return error
        return None

    def _keep_participants(self) -> RefusedError | None:
        """Restore participants, and encrypt them for the dataset; return why some are lost with the disk."""
        private, forgets = self.destination.is_private, self._guard.forgets
        self._held = () if private else (ParticipantId.kind,)
        if self._key is None:
            return None
        writer = self.writer if private and forgets else ""
        undecrypted = self.store.write(partial(keep_participants, key=self._key, writer=writer))
        if undecrypted:
            return RefusedError("participants_encrypted", count=undecrypted)
        lost = 0 if private or not forgets else len(self._ask(every_participant))
        return RefusedError("participants_lost", count=lost, target=self.destination.name) if lost else None

    def publish_now(self) -> None:
        """Import what is published, then publish all waiting events, in this thread; raise as :meth:`flush`."""
        if not self.import_published() and self.store.read_only is not None:
            raise self.store.read_only
        self.flush()

    def state(self) -> PublishingState:
        """Return the current state, including the last actions of other processes that share the store."""
        numbers, notes = self._ask(lambda on: (outbox.numbers(on, self._held), outbox.read_notes(on)))
        committed, coming = notes.get("last_commit_time"), notes.get("next_time")
        return PublishingState(
            saved=numbers.saved,
            waiting=numbers.waiting,
            waiting_kinds=numbers.kinds,
            published=numbers.published,
            leaving=numbers.leaving,
            destination=self.destination.name,
            keeps_history=self.destination.keeps_history,
            last_commit=notes.get("last_commit"),
            last_commit_time=datetime.fromisoformat(committed) if committed else None,
            last_error=(self._last_error and self._last_error.sentence) or notes.get("last_error") or None,
            next_time=self._next_time or (datetime.fromisoformat(coming) if coming else None),
            read_only=self.store.read_only,
        )

    def _ask(self, question: Callable[[Connection], Answer]) -> Answer:
        with self.store.reading() as connection:
            return question(connection)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock against other threads and processes that publish from this store."""
        with self._busy, self.store.only_one("publishing") as acquired:
            if not acquired:
                raise RefusedError("publish_elsewhere")
            yield

    def _serve(self) -> None:
        delay = _FIRST_DELAY
        while not self.import_published(proves=True) and not self._stopping.is_set():
            if self.store.read_only is not None:
                self._tell(self.store.read_only)
            if self._last_error is not None and self._last_error.code in _LASTING:
                self._begun.set()
            self._sleep(_jittered(delay))
            delay = min(2 * delay, _MAX_DELAY_SECONDS)
        self._begun.set()
        while self._imported.is_set():
            last = self._stopping.is_set()
            try:
                self.flush()
                self._told = None
            except RefusedError as error:
                self._tell(error)
            except Exception as error:  # noqa: BLE001  any error; a later attempt may succeed
                _log.exception("publishing failed")
                self._note_error(RefusedError("publish_failed", target=self.destination.name, reason=one_line(error)))
            if last:
                return
            self._wait()

    def _wait(self) -> None:
        is_well = self._last_error is None or self._last_error.code in _HARMLESS
        at_risk = self._guard.forgets and not (self._has_sent and is_well)
        seconds = min(self._interval, _MAX_DELAY_SECONDS) if at_risk else self._interval
        coming = datetime.now(UTC) + timedelta(seconds=seconds)
        self._next_time = coming
        with contextlib.suppress(RefusedError):
            self.store.write(lambda on: outbox.write_notes(on, next_time=coming.isoformat()))
        self._woken.wait(seconds)
        if not self._stopping.is_set():
            self._woken.clear()

    def _patiently(self, do: Callable[[], object]) -> None:
        """Retry with backoff up to a number of attempts, or while closing until the deadline."""
        delay = _FIRST_DELAY
        for attempt in itertools.count(1):
            try:
                do()
            except RefusedError as error:
                stopping = self._stopping.is_set()
                late = time.monotonic() + _LAST_DELAY > self._deadline if stopping else attempt == _ATTEMPTS
                if error.code in _LASTING or late:
                    raise
                self._note_error(error)
                if stopping:
                    time.sleep(_LAST_DELAY)
                else:
                    self._sleep(_jittered(delay))
                delay = min(2 * delay, _MAX_DELAY_SECONDS)
            else:
                return

    def _send(self, plan: CommitPlan) -> None:
        contents = self.destination.contents()
        landed = contents.shards.intersection(plan.planned)
        self.store.write(lambda on: outbox.confirm(on, landed))
        added = self._written([path for path in plan.planned if path not in landed])
        deleted = sorted(contents.shards.intersection(plan.leaving))
        if not added and not deleted:
            self.store.write(lambda on: outbox.forget_shards(on, plan.leaving))
            return
        files = dict(added)
        card = self._card(contents, added, deleted)
        if card is not None:
            files[CARD] = card.encode()
        # An abandoned attempt may still succeed. As it names its parent, this happens before the next commit, which is
        # then refused and sees it, or not at all. So what was deleted meanwhile cannot come back.
        commit = self.destination.commit(files, deleted, contents.revision)
        self._has_sent = True
        now = datetime.now(UTC).isoformat()

        def mark(on: Connection) -> None:
            outbox.confirm(on, added)
            outbox.forget_shards(on, plan.leaving)
            outbox.write_notes(on, last_commit=commit, last_commit_time=now, last_error="")

        self.store.write(mark)

    def _send_verified(self) -> None:
        """Publish which texts against a model are verified, instead of the earlier table; do nothing without any."""
        events = events_table.c
        if self._ask(lambda on: on.execute(select(events.id).where(events.kind == Fooling.kind).limit(1)).first()):
            kinds = (Fooling.kind, FindTarget.kind, Flag.kind, Decision.kind)
            table = verified_table([event for kind in kinds for event in self.store.live(kind=kind)])
            contents = self.destination.contents()
            known = {path for path in contents.shards if kind_of(path) == VERIFIED}
            if known != table.keys():
                deleted = sorted(known - table.keys())
                card = self._card(contents, table, deleted)
                files = table | ({} if card is None else {CARD: card.encode()})
                self.destination.commit(files, deleted, contents.revision)

    def _send_asked(self, campaign: Campaign) -> None:
        """Publish what a campaign asked, as far as it is not at the destination."""
        contents, revealed = self.destination.contents(), campaign.name in self._revealed
        files = unpublished(campaign, contents.shards, revealed=revealed)
        while added := dict(itertools.islice(files, outbox.MAX_SHARDS)):
            card = self._card(contents, added, ())
            self.destination.commit(added | ({} if card is None else {CARD: card.encode()}), [], contents.revision)
            contents = self.destination.contents()

    def _written(self, paths: list[str]) -> dict[str, bytes]:
        shards = {}
        for path in paths:
            kind = kind_of(path)
            events = self._ask(partial(outbox.events_of, path=path))
            if events and kind is not None:
                shards[path] = write_shard(kind, events)
        return shards

    def _card(self, contents: Contents, added: Collection[str], deleted: Collection[str]) -> str | None:
        """Return the new card if it has to change, else None."""
        kinds = {kind_of(path) for path in (contents.shards | set(added)) - set(deleted)}
        card = card_of({kind for kind in kinds if kind is not None}, self.destination.name, contents.card)
        return None if card == contents.card else card

    def _note_error(self, error: RefusedError) -> None:
        """Store an error for the owner; another process that is publishing is not an error."""
        if error.code == "publish_elsewhere":
            return
        self._last_error = error
        with contextlib.suppress(RefusedError):
            self.store.write(lambda on: outbox.write_notes(on, last_error=error.sentence))

    def _trouble(self) -> RefusedError:
        """Return the reason why publishing fails."""
        reason = "it does not respond"
        return self._last_error or RefusedError("publish_failed", target=self.destination.name, reason=reason)

    def _tell(self, error: RefusedError) -> None:
        """Log why publishing fails, once for each reason."""
        if error.code != "publish_elsewhere" and error.sentence != self._told:
            self._told = error.sentence
            _log.warning("%s", error)


def _jittered(seconds: float) -> float:
    """Return a random delay, so that writers that failed together do not retry together."""
    return seconds * random.uniform(0.5, 1.5)  # noqa: S311  not used for security
