"""A real PostgreSQL server of the tests' own, on a socket in a temporary folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg

OWNER = "postgres"  # the server refuses to run as root


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs; None if there is none."""
    program = None if os.name == "nt" else shutil.which("postgres")
    if program:
        return Path(program).resolve().parent
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4].split(".")[0])
    )
    return debian[-1].parent if debian else None


def owner() -> dict[str, object] | None:
    """Return the user who runs the server, as keywords of ``subprocess``; None if there is no such user."""
    import pwd  # noqa: PLC0415  Windows has none, and finds no server

    if os.geteuid() != 0:
        return {}
    try:
        known = pwd.getpwnam(OWNER)
    except KeyError:
        return None
    return {"user": known.pw_uid, "group": known.pw_gid, "extra_groups": []}


@contextmanager
def running_postgresql(*, synced: bool) -> Iterator[Path]:
    """Run a server and give its folder; ``synced`` commits are on the disk, as everywhere but in most tests."""
    where, who = programs(), owner()
    assert where is not None
    assert who is not None
    folder = Path(tempfile.mkdtemp(prefix="fmp-pg-"))  # short: the path of a socket has at most 107 bytes
    if who:
        os.chown(folder, who["user"], who["group"])
    data = folder / "data"
    make = [where / "initdb", "-D", data, "-U", "fixmypose", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
    subprocess.run(make, check=True, capture_output=True, cwd=folder, **who)
    fsync = "on" if synced else "off"
    settings = ["listen_addresses=", f"fsync={fsync}", "max_connections=100", f"unix_socket_directories={folder}"]
    command = [where / "postgres", "-D", data, *(part for setting in settings for part in ("-c", setting))]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stderr=log, cwd=folder, **who) as server:
        try:
            while not _answers(folder):
                assert server.poll() is None, (folder / "log").read_text()
            yield folder
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()
            shutil.rmtree(folder, ignore_errors=True)


def new_database(folder: Path) -> str:
    """Make an empty database on the server of a folder, and give its address."""
    name = f"t{uuid4().hex}"
    with psycopg.connect(_address(folder, "postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return _address(folder, name)


def _address(folder: Path, database: str) -> str:
    return f"postgresql://fixmypose@/{database}?host={folder}"


def _answers(folder: Path) -> bool:
    try:
        psycopg.connect(_address(folder, "postgres"), connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True
