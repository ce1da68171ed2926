"""A guard against loss: where the disk forgets, answers are taken only while they can be published."""

from __future__ import annotations

import threading
from collections.abc import Callable

from annotate.errors import RefusedError
from annotate.storage.store import Store

MAX_FAILING_SECONDS = 1200.0  # publishing may fail for so long before no more answers are taken


class LossGuard:
    """Closes the store on a disk that ``forgets`` and opens it again; on another disk it does nothing.

    The answers at risk are at most those of one publishing interval and of ``patience`` seconds.
    """

    def __init__(self, store: Store, *, forgets: bool, patience: float = MAX_FAILING_SECONDS) -> None:
        self.forgets = forgets
        self._store = store
        self._patience = patience
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None  # runs from the first attempt that has not succeeded yet
        self._reason: RefusedError | None = None

    @property
    def has_closed(self) -> bool:
        """Whether the store takes no answers because of this guard."""
        return self._reason is not None

    def watch(self, reason: Callable[[], RefusedError]) -> None:
        """Close the store for ``reason`` unless a publishing succeeds in time, even where an attempt never ends."""
        with self._lock:
            if self.forgets and self._timer is None:
                self._timer = threading.Timer(self._patience, lambda: self.close(reason()))
                self._timer.daemon = True
                self._timer.start()

    def close(self, reason: RefusedError) -> None:
        """Take no more answers; those that were taken stay and are published later."""
        with self._lock:
            if self._timer is not None and self._store.read_only is None:  # a late timer finds none
                self._store.read_only = self._reason = reason

    def reopen(self) -> None:
        """Take answers again after a publishing has succeeded."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._reason is not None and self._store.read_only is self._reason:
                self._store.read_only = None
            self._timer = self._reason = None
