"""The write queue: one thread puts everything that waits into one transaction, so that one disk sync serves many.

Each piece of work stands in a savepoint of its own and is refused alone. Nobody is answered before the commit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from annotate.errors import RefusedError
from annotate.storage.engine import is_disconnect, refusal, writing

Result = TypeVar("Result")

LONGEST_WAIT = 30.0  # seconds

_LARGEST_BATCH = 256


@dataclass
class _Work:
    do: Callable[[Connection], Any]
    done: Future[Any] = field(default_factory=Future)


class Writer:
    """Commits work in batches; ``run`` may be called from any thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: SimpleQueue[_Work | None] = SimpleQueue()
        self._closed = False
        self._closing = threading.Lock()
        self._thread = threading.Thread(target=self._serve, name="annotate-writer", daemon=True)
        self._thread.start()

    def run(self, do: Callable[[Connection], Result]) -> Result:
        """Do this in a transaction and return its result once it is on the disk.

        Raise what it raised, or :class:`RefusedError` for what the store cannot do: ``store_busy`` where that takes too
        long, of which the work may still be done; ``store_full``, ``store_unwritable``, ``store_closed``.
        """
        work = _Work(do)
        with self._closing:
            if self._closed:
                raise RefusedError("store_closed")
            self._waiting.put(work)
        try:
            result: Result = work.done.result(LONGEST_WAIT)
        except TimeoutError:
            work.done.cancel()
            raise RefusedError("store_busy") from None
        return result

    def close(self) -> None:
        """Finish what waits, and end."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._waiting.put(None)
        self._thread.join(LONGEST_WAIT)

    def _serve(self) -> None:
        while (work := self._waiting.get()) is not None:
            batch = [work]
            last = False
            while len(batch) < _LARGEST_BATCH and not last:
                try:
                    more = self._waiting.get_nowait()
                except Empty:
                    break
                if more is None:
                    last = True
                else:
                    batch.append(more)
            self._commit([one for one in batch if one.done.set_running_or_notify_cancel()])
            if last:
                return

    def _commit(self, batch: list[_Work]) -> None:
        """Answer each of them, whatever happens."""
        try:
            outcomes = self._attempt(batch)
        except Exception as error:  # noqa: BLE001  every waiting thread is told
            if len(batch) > 1:  # one of them may spoil the others
                for one in batch:
                    self._commit([one])
            else:
                for one in batch:
                    one.done.set_exception(refusal(error, self._engine))
            return
        for one, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, _Refused):
                one.done.set_exception(outcome.error)
            else:
                one.done.set_result(outcome)

    def _attempt(self, batch: list[_Work]) -> list[Any]:
        """Once more where the connection broke: all work can be repeated, since events are known by their ids."""
        try:
            return self._all_in_one(batch)
        except SQLAlchemyError as error:
            if not is_disconnect(error):
                raise
            return self._all_in_one(batch)

    def _all_in_one(self, batch: list[_Work]) -> list[Any]:
        outcomes: list[Any] = []
        with writing(self._engine) as connection:
            for one in batch:
                try:
                    with connection.begin_nested():
                        outcomes.append(one.do(connection))
                except SQLAlchemyError:
                    raise
                except Exception as error:  # noqa: BLE001  it belongs to whoever waits
                    outcomes.append(_Refused(error))
        return outcomes


@dataclass(frozen=True)
class _Refused:
    error: Exception
