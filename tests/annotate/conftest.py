"""Stores to try things with: SQLite in a temporary folder and a real PostgreSQL server of the tests' own."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import huggingface_hub.utils._http as hub_http
import psycopg
import pytest

from annotate.databases import FILE_NAME
from annotate.store import Store, open_store
from tests.hub_server import HubServer, reach_from_here, running_hub

_OWNER = "postgres"  # the server refuses to run as root


def _programs() -> Path | None:
    """The folder of PostgreSQL's programs."""
    found = shutil.which("postgres")
    if found:
        return Path(found).resolve().parent
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4].split(".")[0])
    )
    return debian[-1].parent if debian else None


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """Start a server that listens on a socket in its own folder alone, and give that folder."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL: there is no server program; please install the package postgresql")
    owner: dict[str, object] = {}
    folder = Path(tempfile.mkdtemp(prefix="fmp-pg-"))  # short: the path of a socket has at most 107 bytes
    if os.geteuid() == 0:
        try:
            known = pwd.getpwnam(_OWNER)
        except KeyError:
            pytest.skip(f"PostgreSQL: there is no user {_OWNER} to run its server")
        os.chown(folder, known.pw_uid, known.pw_gid)
        owner = {"user": known.pw_uid, "group": known.pw_gid, "extra_groups": []}
    data = folder / "data"
    make = [programs / "initdb", "-D", data, "-U", "fixmypose", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
    subprocess.run(make, check=True, capture_output=True, cwd=folder, **owner)
    settings = ["listen_addresses=", "fsync=off", "max_connections=100", f"unix_socket_directories={folder}"]
    command = [programs / "postgres", "-D", data, *(part for setting in settings for part in ("-c", setting))]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stderr=log, cwd=folder, **owner) as server:
        try:
            while not _answers(folder):
                assert server.poll() is None, (folder / "log").read_text()
            yield str(folder)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()
            shutil.rmtree(folder, ignore_errors=True)


def _address(folder: object, database: str) -> str:
    return f"postgresql://fixmypose@/{database}?host={folder}"


def _answers(folder: object) -> bool:
    try:
        psycopg.connect(_address(folder, "postgres"), connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.fixture
def postgresql(postgresql_server: str) -> str:
    """Give the address of a new, empty database."""
    name = f"t{uuid4().hex}"
    with psycopg.connect(_address(postgresql_server, "postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return _address(postgresql_server, name)


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Where a store may be: both kinds of database, one after the other."""
    if request.param == "sqlite":
        return tmp_path / "data" / FILE_NAME
    address: str = request.getfixturevalue("postgresql")
    return address


@pytest.fixture
def open_here() -> Iterator[Callable[..., Store]]:
    """Open stores that are closed after the test."""
    opened: list[Store] = []

    def make(place: str | Path, **options: object) -> Store:
        opened.append(open_store(place, **options))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(where: str | Path, open_here: Callable[..., Store]) -> Store:
    return open_here(where)


@pytest.fixture
def sqlite_store(tmp_path: Path, open_here: Callable[..., Store]) -> Store:
    return open_here(tmp_path / "data" / FILE_NAME)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A Hub whose client does not wait before it tries again."""
    reach_from_here(monkeypatch)
    monkeypatch.setattr(hub_http, "time", SimpleNamespace(sleep=lambda _: None, time=hub_http.time.time))
    with running_hub() as server:
        yield server
