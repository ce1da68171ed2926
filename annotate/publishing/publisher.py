"""The publisher: what waits in the store goes to the Hub, or to a folder, as whole shards in one commit per interval.

Before anything else it reads back what is there; until that has succeeded the store is read-only, so that an app on an
empty disk never goes on as if nobody had answered. Shards are named in the store before they are sent and looked for by
their names before they are sent again, so every event arrives once, whatever was answered; see ``outbox``.
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
from sqlalchemy import Connection

from annotate.errors import RefusedError
from annotate.publishing import outbox
from annotate.publishing.dataset_card import CARD, card_of
from annotate.publishing.destinations import Contents, Destination, FolderDestination, HubDestination
from annotate.publishing.loss_guard import LossGuard
from annotate.publishing.outbox import CommitPlan
from annotate.publishing.restore import import_published
from annotate.publishing.shards import UNREADABLE, kind_of, write_shard
from annotate.storage.store import Store
from fmp_models.common.refusals import one_line

CLOSING_SECONDS = 5.0  # a Space is killed ten seconds after it is asked to stop, and the page takes some to close
STARTING_SECONDS = 10.0
FOLDER_NAME = "dataset"

_ATTEMPTS = 8
_FIRST_DELAY = 1.0
_MAX_DELAY_SECONDS = 120.0
_LAST_DELAY = 0.3  # between attempts while there is little time left
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
    """The state of publishing as the owner sees it; times are UTC, None where it never came to it.

    ``saved`` events are in the store, ``waiting`` of them not yet published, by their ``waiting_kinds``; ``leaving``
    files are still to be deleted.
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
    """The dataset of the Hub where one is named, else the folder ``dataset`` below the data folder."""
    return HubDestination(repo, api) if repo else FolderDestination(data_dir / FOLDER_NAME)


class Publisher:
    """Publishes in a thread of its own once it is started; ``flush`` does it now, from any thread.

    ``sleep`` waits between two attempts; by default it ends early when the publisher is closed. ``guard`` by
    default takes the disk for one that keeps what is on it.
    """

    def __init__(
        self,
        store: Store,
        destination: Destination,
        *,
        minutes: float = 10.0,
        sleep: Callable[[float], object] | None = None,
        guard: LossGuard | None = None,
    ) -> None:
        self.store = store
        self.destination = destination
        self.writer = uuid4().hex[:8]
        self._interval = minutes * 60
        self._stopping = threading.Event()
        self._woken = threading.Event()
        self._imported = threading.Event()
        self._begun = threading.Event()  # imported, or refused in a way that trying again does not mend
        self._guard = guard or LossGuard(store, forgets=False)
        self._has_sent = False
        self._lacks_proof = False  # of the right to write
        self._sleep = sleep or self._stopping.wait
        self._deadline = math.inf
        self._busy = threading.Lock()
        self._thread: threading.Thread | None = None
        self._last_error: RefusedError | None = None
        self._told: str | None = None
        self._next_time: datetime | None = None

    def start(self) -> None:
        """Read back what was published, then publish at every interval.

        Returns once it was read back or refused for good, or after a few seconds while that goes on;
        ``store.read_only`` tells which.
        """
        self.store.read_only = RefusedError("import_running")
        self._thread = threading.Thread(target=self._serve, name="annotate-publisher", daemon=True)
        self._thread.start()
        self._begun.wait(STARTING_SECONDS)

    def close(self, seconds: float = CLOSING_SECONDS) -> bool:
        """Publish what waits and end, within ``seconds``; whether all was published. The store stays open."""
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
        """Publish now instead of at the next time."""
        self._woken.set()

    def import_published(self, *, proves: bool = False) -> bool:
        """Read back what is there and let the store be written; False where that fails, the reason in ``read_only``.

        With ``proves`` the right to write is tried too. Where the disk keeps what is given, the owner is told that it
        is missing, and the store is written all the same.
        """
        imported, unproved = False, None
        try:
            with self._alone():
                self.destination.prepare()
                import_published(self.store, self.destination)
                imported = True
                unproved = self._unproved() if proves else None
        except Exception as error:  # noqa: BLE001  what cannot be read back must not be written over, whatever it is
            if not isinstance(error, RefusedError):
                _log.exception("reading back failed")
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
        """Return why a commit would be refused, where that does not matter at once; raise where it does."""
        try:
            self.destination.prove_writable()
        except RefusedError as error:
            if self._guard.forgets:
                raise
            return error
        return None

    def flush(self) -> None:
        """Publish what waits now, in one commit unless that would be too large.

        Raise :class:`RefusedError`: ``publish_failed`` after several attempts, ``publish_refused``,
        ``folder_unusable``, ``publish_elsewhere``, ``store_…``. What was not published waits for the next time. Of a
        file that is ``shards.UNREADABLE``, after all else is published.
        """
        try:
            with self._alone():
                self._guard.watch(self._trouble)
                unread = self._keep_up()
                if self._lacks_proof or self._guard.has_closed:
                    self.destination.prove_writable()  # there may be nothing to send
                while not (plan := self.store.write(lambda on: outbox.plan(on, self.writer))).is_empty:
                    self._patiently(partial(self._send, plan))
                    if not plan.more and not self._ask(outbox.has_leaving):
                        break  # what came meanwhile has its time at the next interval
        except RefusedError as error:
            self._note_error(error)
            if error.code in _LASTING:
                self._guard.close(error)
            raise
        self._guard.reopen()
        self._lacks_proof = False
        if unread is not None:
            self._note_error(unread)
            raise unread
        self._last_error = None
        self.store.write(lambda on: outbox.note(on, last_error=""))

    def _keep_up(self) -> RefusedError | None:
        """Learn what other writers published and deleted; why a file cannot be read, where nothing hangs on it.

        While closing there is no time for that, unless there is something to delete, which they may hold too.
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

    def publish_now(self) -> None:
        """Read back what is there, then publish all that waits, in this thread; raise as :meth:`flush`."""
        if not self.import_published() and self.store.read_only is not None:
            raise self.store.read_only
        self.flush()

    def state(self) -> PublishingState:
        """The state, counted and read now; what another process that shares the store did last is in it too."""
        numbers, notes = self._ask(lambda on: (outbox.numbers(on), outbox.notes(on)))
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
        """No other thread or process publishes from this store meanwhile."""
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
            except Exception as error:  # noqa: BLE001  whatever it is, the next time may succeed
                _log.exception("publishing failed")
                self._note_error(RefusedError("publish_failed", target=self.destination.name, reason=one_line(error)))
            if last:
                return
            self._wait()

    def _wait(self) -> None:
        is_well = self._last_error is None or self._last_error.code in UNREADABLE
        at_risk = self._guard.forgets and not (self._has_sent and is_well)
        seconds = min(self._interval, _MAX_DELAY_SECONDS) if at_risk else self._interval
        coming = datetime.now(UTC) + timedelta(seconds=seconds)
        self._next_time = coming
        with contextlib.suppress(RefusedError):
            self.store.write(lambda on: outbox.note(on, next_time=coming.isoformat()))
        self._woken.wait(seconds)
        if not self._stopping.is_set():
            self._woken.clear()

    def _patiently(self, do: Callable[[], object]) -> None:
        """Try until it is done, a few times, or while closing until the time is up; each looks what is there."""
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
            self.store.write(lambda on: outbox.forget(on, plan.leaving))
            return
        files = dict(added)
        card = self._card(contents, added, deleted)
        if card is not None:
            files[CARD] = card.encode()
        # An attempt that was given up may still land. With its parent named it does so before the next commit, which
        # is then refused and sees it, or never: so what was deleted meanwhile cannot come back.
        commit = self.destination.commit(files, deleted, contents.revision)
        self._has_sent = True
        now = datetime.now(UTC).isoformat()

        def mark(on: Connection) -> None:
            outbox.confirm(on, added)
            outbox.forget(on, plan.leaving)
            outbox.note(on, last_commit=commit, last_commit_time=now, last_error="")

        self.store.write(mark)

    def _written(self, paths: list[str]) -> dict[str, bytes]:
        shards = {}
        for path in paths:
            kind = kind_of(path)
            events = self._ask(partial(outbox.events_of, path=path))
            if events and kind is not None:
                shards[path] = write_shard(kind, events)
        return shards

    def _card(self, contents: Contents, added: Collection[str], deleted: Collection[str]) -> str | None:
        """The new card where it has to change, else nothing."""
        kinds = {kind_of(path) for path in (contents.shards | set(added)) - set(deleted)}
        card = card_of({kind for kind in kinds if kind is not None}, self.destination.name, contents.card)
        return None if card == contents.card else card

    def _note_error(self, error: RefusedError) -> None:
        """Note an error for the owner; that another process is publishing is none."""
        if error.code == "publish_elsewhere":
            return
        self._last_error = error
        with contextlib.suppress(RefusedError):
            self.store.write(lambda on: outbox.note(on, last_error=error.sentence))

    def _trouble(self) -> RefusedError:
        """Return why nothing is published."""
        reason = "it does not answer"
        return self._last_error or RefusedError("publish_failed", target=self.destination.name, reason=reason)

    def _tell(self, error: RefusedError) -> None:
        """Say in the terminal why publishing fails, once for each reason."""
        if error.code != "publish_elsewhere" and error.sentence != self._told:
            self._told = error.sentence
            _log.warning("%s", error)


def _jittered(seconds: float) -> float:
    """A pause of random length, so that writers that failed together do not come back together."""
    return seconds * random.uniform(0.5, 1.5)  # noqa: S311  it guards nothing
