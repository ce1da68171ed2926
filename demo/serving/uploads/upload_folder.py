"""Upload folder: limits on its content in total and per network, and removal of files that no pending request needs.

A file is deleted with the answer that needs it, see :mod:`demo.gradio_parts.uploads`. The sweep deletes files that no
request ever named, partial files of broken connections, and files left for any other reason.

No network can fill the folder for the others: each may hold at most half of it. If it is full, the oldest files that no
request names, of the network that holds most, are deleted for a network that holds less.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote
from uuid import uuid4

from demo.gradio_parts.uploads import UploadLedger

KEPT_SECONDS = 150.0  # seconds that an unneeded file stays; with the sweep interval it is gone within three minutes
SWEEP_SECONDS = 20.0  # maximum seconds between sweeps
MAX_FOLDER_BYTES = 1_000_000_000
MAX_FILES = 4000  # a sweep checks each
COUNT_SECONDS = (
    0.5  # seconds that a count of the files is reused; otherwise a flood of uploads would count all the time
)

_BLOCK = 4096  # bytes of disk space of the smallest file
_ADDRESS = "http://localhost/gradio_api/file="  # only its path is read
_log = logging.getLogger(__name__)


@dataclass
class _Share:
    """The part of the folder that one network holds, or all networks together."""

    files: int = 0
    held: int = 0  # bytes

    def add(self, files: int, size: int) -> None:
        """Add to both counts."""
        self.files += files
        self.held += size


@dataclass
class UploadFolder:
    """One folder of uploads; ``owned`` returns the texts of pending requests, which name the files they need."""

    path: Path
    ledger: UploadLedger
    most_bytes: int = MAX_FOLDER_BYTES
    keep_seconds: float = KEPT_SECONDS
    owned: Callable[[], Iterable[str]] = tuple
    swept: Callable[[], object] = lambda: None  # called after each sweep
    fresh: float = COUNT_SECONDS
    _all: _Share = field(default_factory=_Share)  # at the last count, plus uploads admitted since
    _shares: dict[str, _Share] = field(default_factory=lambda: defaultdict(_Share))  # by network
    _counted_at: float = -math.inf
    _counting: threading.Lock = field(default_factory=threading.Lock)
    _arriving: dict[object, tuple[float, str, int, int]] = field(default_factory=dict)  # start, network, files, bytes
    _ended: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Sweep from now on, until :meth:`close`."""
        threading.Thread(target=self._sweep_on, name="uploads", daemon=True).start()

    def close(self) -> None:
        """Stop sweeping."""
        self._ended.set()

    def let_in(self, coming: int = 0, giver: str = "") -> bool:
        """Return whether a network may store one more file, of ``coming`` bytes if known; if so, count it at once."""
        size = max(coming, _BLOCK)
        with self._counting:
            if time.monotonic() - self._counted_at > self.fresh:
                self._count()
            share = self._shares.setdefault(giver, _Share())
            if giver and (share.files >= MAX_FILES // 2 or share.held + coming > self.most_bytes // 2):
                return False
            if not self._fits(coming):
                self._make_room(coming, giver)
            if not self._fits(coming):
                return False
            for counted in (self._all, share):
                counted.add(1, size)
            return True

    def _fits(self, coming: int) -> bool:
        return self._all.files < MAX_FILES and self._all.held + coming <= self.most_bytes

    def _count(self) -> None:
        self._all, self._shares = _Share(), defaultdict(_Share)
        for path, size, _ in self._files():
            giver = self.ledger.giver(str(path))
            for counted in (self._all,) if giver is None else (self._all, self._shares[giver]):
                counted.add(1, max(size, _BLOCK))
        for _, giver, files, size in list(self._arriving.values()):
            self._shares[giver].add(files, size)
        self._counted_at = time.monotonic()

    def _make_room(self, coming: int, giver: str) -> None:
        """Delete the oldest files of the network that holds most, while it holds more than ``giver`` will.

        Compare the number of files if that is at its limit, else bytes.
        """
        lacking = "files" if self._all.files >= MAX_FILES else "held"
        mine = getattr(self._shares[giver], lacking) + (1 if lacking == "files" else coming)
        if all(getattr(share, lacking) <= mine for share in self._shares.values()):
            return
        owned_texts = list(self.owned())
        removable = defaultdict[str, list[tuple[Path, int]]](list)  # oldest last
        for path, size, _ in sorted(self._files(), key=lambda file: -file[2]):
            whose = self.ledger.giver(str(path))
            if whose not in {None, giver} and not any(str(path) in text for text in owned_texts):
                removable[str(whose)].append((path, max(size, _BLOCK)))
        while removable and not self._fits(coming):
            most = max(removable, key=lambda whose: getattr(self._shares[whose], lacking))
            if getattr(self._shares[most], lacking) <= mine:
                return
            path, size = removable[most].pop()
            if not removable[most]:
                del removable[most]
            self.ledger.drop(str(path))
            path.unlink(missing_ok=True)
            for counted in (self._all, self._shares[most]):
                counted.add(-1, -size)

    @contextlib.contextmanager
    def arriving(self, giver: str = "", files: int = 0, size: int = 0) -> Iterator[None]:
        """Mark an upload as arriving: its partial files are kept, and its declared size counts for its network."""
        key = object()
        self._arriving[key] = time.time(), giver, files, size
        try:
            yield
        finally:
            del self._arriving[key]

    def new_file(self, giver: str = "") -> tuple[BinaryIO, Path]:
        """Return a new open file for one answer, and its path."""
        path = self.path / uuid4().hex / "photograph"
        path.parent.mkdir()
        self.ledger.received(str(path), giver)
        return path.open("wb"), path

    def sweep(self) -> None:
        """Delete every file that is older than ``keep_seconds`` and not needed, and every old empty folder."""
        now = time.time()
        begun = min((begun for begun, *_ in list(self._arriving.values())), default=now)
        owned_texts: list[str] | None = None
        for path, _, touched in self._files():
            if now - touched <= self.keep_seconds or (path.parent == self.path and touched >= begun):
                continue
            if owned_texts is None:
                owned_texts = list(self.owned())
            if not any(str(path) in text for text in owned_texts):
                self.ledger.drop(str(path))
                path.unlink(missing_ok=True)
        for folder in self.path.iterdir():
            with contextlib.suppress(OSError):  # not empty, or not a folder
                if now - folder.stat().st_mtime > self.keep_seconds:
                    folder.rmdir()

    def _sweep_on(self) -> None:
        while not self._ended.wait(min(SWEEP_SECONDS, self.keep_seconds / 4)):
            try:
                self.sweep()
                self.swept()
            except FileNotFoundError:  # the folder was deleted with the page
                if not self.path.is_dir():
                    return
            except Exception:  # noqa: BLE001 - logged; the next sweep may do better
                _log.exception("old uploads could not be deleted")

    def _files(self) -> Iterator[tuple[Path, int, float]]:
        """Yield every file with its size in bytes and the time when it was last written or moved."""
        for folder, _, names in os.walk(self.path):  # folders may be deleted meanwhile, which would end pathlib's walk
            for name in names:
                path = Path(folder, name)
                with contextlib.suppress(FileNotFoundError):
                    status = path.lstat()
                    yield path, status.st_size, max(status.st_mtime, status.st_ctime)


def address_of(path: Path) -> str:
    """Return the URL by which a call names an upload, as if it had received it."""
    return f"{_ADDRESS}{quote(str(path))}"


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a JSON value, as it is and, if it contains escapes, unquoted like a URL."""
    if isinstance(value, str):
        yield value
        if "%" in value:
            yield unquote(value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_in(item)
