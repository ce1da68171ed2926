"""Uploaded files: how they are parsed, the answers that need them, and the limits of their folder.

Gradio's own parser leaves partial files if the connection breaks, reads texts of any length into memory, and stores
files of equal content under one path, where the end of one answer can delete the file of the next. Here every upload
has a path of its own.

The ledger counts the pending answers for each path, since a program may name a path again; the last answer deletes the
file. The sweep deletes files that no request ever named, partial files of broken connections, and files left for any
other reason.

No network can fill the folder for the others: each may hold at most half of it. If it is full, the oldest files that no
request names, of the network that holds most, are deleted for a network that holds less.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import secrets
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import quote, unquote
from uuid import uuid4

from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException

from demo.gradio_parts import NoPhotograph, Sent, is_address, replace, route_utils
from fmp_models.common import MAX_BYTES
from fmp_models.errors import BadInputError
from fmp_models.files import read_bounded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send


_MANY = 1000  # entries after which the ledger drops deleted paths
GIVER = "fixmypose.network"  # key in the scope of an upload: the sender's network


class UploadLedger:
    """The ledger of uploads: the number of pending answers for each file."""

    def __init__(self) -> None:
        self._needed: Counter[str] = Counter()
        self._givers: dict[str, str] = {}
        self._lock = threading.Lock()

    def received(self, path: str, giver: str = "") -> None:
        """Register an upload stored at ``path`` from the network ``giver``; one more answer needs it."""
        with self._lock:
            if len(self._needed) > _MANY:
                self._needed = Counter({known: count for known, count in self._needed.items() if Path(known).exists()})
                self._givers = {known: giver for known, giver in self._givers.items() if known in self._needed}
            self._needed[path] += 1
            self._givers[path] = giver

    def giver(self, path: str) -> str | None:
        """Return the network that an upload came from: empty if unknown, None if ``path`` is not an upload."""
        return self._givers.get(path)

    def waits(self, path: str) -> bool:
        """Return whether a pending answer needs an upload stored at ``path``."""
        with self._lock:
            return self._needed[path] > 0

    def used(self, path: str) -> None:
        """Count down ``path`` for one answer; delete the file if no other answer needs it."""
        with self._lock:
            self._needed[path] -= 1
            if self._needed[path] > 0:
                return
            del self._needed[path]
            self._givers.pop(path, None)
            file = Path(path)
            with contextlib.suppress(OSError, ValueError):  # swept, not a file, or folder not empty
                file.unlink(missing_ok=True)
                file.parent.rmdir()

    def drop(self, path: str) -> None:
        """Remove ``path`` from the ledger for all answers: the sweep deletes the file."""
        with self._lock:
            self._needed.pop(path, None)
            self._givers.pop(path, None)

    def forget(self, uploads: Iterable[Sent]) -> None:
        """Count down all paths of one answer; skip photographs that came without a file."""
        for path in uploads:
            if isinstance(path, str):
                self.used(path)


def read_upload(path: Sent, which: str, **counted: int) -> bytes:
    """Return the bytes of an upload; bytes are returned unchanged.

    Of a file that is too large, only one byte more than allowed is read, which is enough to reject it.

    Raise :class:`BadInputError` about the photograph (see its ``about``): ``photo_missing``, ``photo_is_address``, or
    the code of a :class:`NoPhotograph`.
    """
    if isinstance(path, bytes):
        return path
    if isinstance(path, NoPhotograph):
        raise BadInputError(path.code).about(which, **counted)
    if path is None:
        raise BadInputError("photo_missing").about(which, **counted)
    if is_address(path):
        raise BadInputError("photo_is_address").about(which, **counted)
    try:
        return read_bounded(Path(path), MAX_BYTES)
    except BadInputError:
        raise BadInputError("photo_missing").about(which, **counted) from None


class CountUploads:
    """ASGI middleware that registers each path returned by Gradio's upload route in the ledger."""

    def __init__(self, app: ASGIApp, ledger: UploadLedger) -> None:
        self._app = app
        self._ledger = ledger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; read the response of a successful upload."""
        if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].endswith("/upload"):
            await self._app(scope, receive, send)
            return
        body = bytearray()
        good = False

        async def read_along(message: Message) -> None:
            nonlocal good
            if message["type"] == "http.response.start":
                good = message["status"] == 200  # noqa: PLR2004 - the HTTP status
            elif message["type"] == "http.response.body":
                body.extend(message.get("body", b""))
                if good and not message.get("more_body", False):
                    for path in json.loads(bytes(body)):
                        self._ledger.received(str(path), str(scope.get(GIVER, "")))
            await send(message)

        # Without a query string Gradio keeps no progress of the upload, which it would never delete.
        await self._app({**scope, "query_string": b""}, receive, read_along)


MAX_FILES = 32  # in one upload
MAX_TEXT_BYTES = 64_000  # bytes of all fields that are not files

_NAMELESS = "photograph"
_MAX_NAME_BYTES = 200  # bytes


class UploadParser(route_utils.GradioMultiPartParser):
    """A parser of one upload."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  as Gradio has them
        super().__init__(*arguments, **{**options, "max_files": MAX_FILES, "max_fields": MAX_FILES})
        self._text = 0

    def on_headers_finished(self) -> None:
        """Start a part; replace a file name that is not usable."""
        super().on_headers_finished()
        file = self._current_part.file
        if not isinstance(file, route_utils.GradioUploadFile):
            return
        file.sha.update(secrets.token_bytes(16))  # makes the name of its folder unique
        if not _is_plain(Path(file.filename or "").name):
            file.filename = _NAMELESS

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        """Process a piece of a file or of a text."""
        if self._current_part.file is not None:
            super().on_part_data(data, start, end)
            return
        self._text += end - start
        if self._text > MAX_TEXT_BYTES:
            raise MultiPartException(
                f"The text of an upload exceeds the maximum allowed size of {MAX_TEXT_BYTES} bytes."
            )
        self._current_part.data += data[start:end]

    async def parse(self) -> FormData:
        """Return the files and texts; delete all files if the upload is incomplete."""
        try:
            return await super().parse()
        except BaseException:
            self._forget()
            raise

    def _forget(self) -> None:
        for file in self._files_to_close_on_error:
            file.close()
            Path(file.name).unlink(missing_ok=True)


def _is_plain(name: str) -> bool:
    """Return whether the name is usable as a file name."""
    return bool(name.strip(" .")) and name.isprintable() and len(name.encode()) <= _MAX_NAME_BYTES


def install_upload_parser() -> None:
    """Make every page launched from now on read uploads this way."""
    replace("upload parser", UploadParser)


KEPT_SECONDS = 150.0  # seconds that an unneeded file stays; with the sweep interval it is gone within three minutes
SWEEP_SECONDS = 20.0  # maximum seconds between sweeps
MAX_FOLDER_BYTES = 1_000_000_000
MAX_FOLDER_FILES = 4000  # a sweep checks each
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
    keep_seconds: float = field(default_factory=lambda: KEPT_SECONDS)
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
            if giver and (share.files >= MAX_FOLDER_FILES // 2 or share.held + coming > self.most_bytes // 2):
                return False
            if not self._fits(coming):
                self._make_room(coming, giver)
            if not self._fits(coming):
                return False
            for counted in (self._all, share):
                counted.add(1, size)
            return True

    def _fits(self, coming: int) -> bool:
        return self._all.files < MAX_FOLDER_FILES and self._all.held + coming <= self.most_bytes

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
        lacking = "files" if self._all.files >= MAX_FOLDER_FILES else "held"
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


def upload_url(path: Path) -> str:
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
