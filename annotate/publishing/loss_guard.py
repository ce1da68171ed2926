"""Guard against data loss: on a disk that does not persist, answers are accepted only while publishing works."""

from __future__ import annotations

import threading
from collections.abc import Callable

from annotate.errors import RefusedError
from annotate.storage.store import Store

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
