from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from sqlalchemy import event as engine_event
from sqlalchemy import inspect

from annotate.disks import close_to_others, network_file_system
from annotate.errors import RefusedError
from annotate.publishing.destinations import FolderDestination
from annotate.storage import database
from annotate.storage.store import Store, open_store
from fmp_models.common import files
from tests.annotate.sample_events import event
from tests.thoroughness import one_of, thorough
from tests.without_unix import unix_alone, windows_locks

ROOT = Path(__file__).resolve().parents[3]
MOUNTS = """\
/dev/vda / ext4 rw,relatime 0 0
tmpfs /tmp tmpfs rw 0 0
server:/export /mnt/shared nfs4 rw,vers=4.2 0 0
//box/share /mnt/my\\040box cifs rw 0 0
s3fs /data fuse.s3fs rw 0 0
hf /bucket fuse rw 0 0
drvfs /mnt/c 9p rw 0 0
/dev/sdb1 /mnt/stick fuseblk rw 0 0
overlay /var/lib/box fuse.fuse-overlayfs rw 0 0
/dev/vdb /mnt/shared/local ext4 rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/data", None),
        ("/mnt", None),
        ("/mnt/shared/data", "nfs4"),
        ("/mnt/my box/data", "cifs"),
        ("/data", "fuse.s3fs"),
        ("/bucket/a/b", "fuse"),
        ("/mnt/c/Users", "9p"),
        ("/mnt/stick/data", None),
        ("/var/lib/box/data", None),
        ("/mnt/shared/local/data", None),
        ("/mnt/sharedother/data", None),
    ],
)
def test_network_file_systems_are_known_by_the_mount_a_path_lies_on(
    path: str, kind: str | None, tmp_path: Path
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS, encoding="utf-8")
    assert network_file_system(Path(path), mounts) == kind
    assert network_file_system(Path(path), tmp_path / "none") is None


def test_sqlite_on_a_network_file_system_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "network_file_system", lambda _: "nfs4")
    with pytest.raises(RefusedError, match="SQLite may lose answers on a network file system") as refused:
        open_store(tmp_path / "a.sqlite3")
    assert refused.value.code == "store_on_network"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", ["text", "head", "middle"])
def test_a_damaged_file_is_refused_in_one_sentence(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    store = open_store(path)
    store.add_all([event(item=f"i{n}", comment="x" * 5000) for n in range(40)])
    store.close()
    whole = path.read_bytes()
    path.write_bytes(
        {
            "text": b"these are my notes, not a database " * 200,
            "head": bytes(100) + whole[100:],
            "middle": whole[:8192] + bytes(len(whole) // 2) + whole[8192 + len(whole) // 2 :],
        }[damage]
    )
    with pytest.raises(RefusedError, match="is damaged or not an SQLite database") as refused:
        open_store(path)
    assert refused.value.code == "store_damaged"


def test_a_folder_that_cannot_be_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RefusedError) as refused:
        open_store(tmp_path / "file" / "a.sqlite3")
    assert refused.value.code == "store_folder_unusable"


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("mysql://me@here/name", "store_url_unusable"),
        ("postgresql://", "store_unreachable"),
        ("postgresql://me@127.0.0.1:1/name", "store_unreachable"),
        ("postgresql://me@127.0.0.1:port/name", "store_url_unusable"),
    ],
)
def test_an_address_that_cannot_serve_is_refused_in_one_sentence(address: str, code: str) -> None:
    with pytest.raises(RefusedError) as refused:
        open_store(address)
    assert refused.value.code == code


def test_without_the_driver_of_postgresql_sqlite_works_and_an_address_is_refused(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from annotate.errors import RefusedError\n"
        "from annotate.storage.store import open_store\n"
        f"open_store({str(tmp_path / 'a.sqlite3')!r}).close()\n"
        "try: open_store('postgresql://me@127.0.0.1:1/name')\n"
        "except RefusedError as error: print(error.code)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ended.stdout == "store_driver_missing\n"
    assert (tmp_path / "a.sqlite3").is_file()


def test_a_store_of_another_version_is_refused(sqlite_store: Store) -> None:
    path = str(sqlite_store.engine.url.database)
    sqlite_store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE notes SET value = '99' WHERE name = 'schema'")
    with pytest.raises(RefusedError) as refused:
        open_store(path)
    assert refused.value.code == "store_other_version"


def _with_setting(store: Store, setting: str) -> None:
    """Let every connection from now on have a setting of SQLite."""

    def set_up(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA {setting}")

    engine_event.listen(store.engine, "connect", set_up)
    store.engine.dispose()


@pytest.mark.parametrize(
    ("setting", "code"), [("max_page_count = 1", "store_full"), ("query_only = ON", "store_unwritable")]
)
def test_nobody_is_thanked_when_the_disk_is_full_or_locked(
    setting: str, code: str, sqlite_store: Store, open_here: Callable[..., Store]
) -> None:
    sqlite_store.add(event(item="before"))
    _with_setting(sqlite_store, setting)  # SQLite never takes fewer pages than there are
    for n in range(3):
        with pytest.raises(RefusedError) as refused:
            sqlite_store.add(event("description", item=f"i{n}", text="x" * 9000))
        assert refused.value.code == code
    again = open_here(str(sqlite_store.engine.url.database))
    assert [one.item for one in again.events()] == ["before"]


def test_every_commit_of_sqlite_is_synced_and_read_beside(sqlite_store: Store) -> None:
    with sqlite_store.engine.connect() as connection:
        pragmas = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert pragmas == ["wal", 2, 1]


def test_the_store_goes_on_after_the_server_dropped_its_connections(
    postgresql: str, open_here: Callable[..., Store]
) -> None:
    store, other = open_here(postgresql), open_here(postgresql)
    store.add(event(item="before"))
    with other.engine.connect() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert store.add(event(item="after")).is_new
    assert len(store.live()) == 2


# The disk is one of this process's own, of 2 MB; what stands on it is said before it is filled or closed.
ON_A_SMALL_DISK = """
import sys
from pathlib import Path
from annotate.errors import RefusedError
from annotate.identity import pseudonym_key
from annotate.storage.store import open_store, store_path
from tests.annotate.sample_events import event
data = Path(sys.argv[1])
try:
    pseudonym_key("", data)
    store = open_store(store_path(data))
    store.add(event("description", item=str(data.stat().st_mtime_ns), text="x" * 9000))
    store.close()
except RefusedError as error:
    print(error.code, error.sentence)
else:
    print("kept")
"""
FILL = "dd if=/dev/zero of={disk}/filler bs=1k 2>/dev/null; "
CLOSE = "mount -o remount,ro {disk}; "


def on_a_small_disk(disk: Path, *before: str) -> list[str]:
    """Return the output of several starts of a store, each after a shell command."""
    disk.mkdir()
    start = f"{sys.executable} -c '{ON_A_SMALL_DISK}' {disk}/data; "
    commands = "".join(one.format(disk=disk) + start for one in before)
    script = f"mount -t tmpfs -o size=2m tmpfs {disk} && {{ {commands} }}"
    alone = ["unshare", "-rm", "sh", "-c", script]
    tried = [*alone[:4], f"mount -t tmpfs tmpfs {disk}"]
    if shutil.which("unshare") is None or subprocess.run(tried, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a disk of their own")
    ended = subprocess.run(alone, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in ended.stderr, ended.stderr
    return ended.stdout.splitlines()


@unix_alone
@pytest.mark.parametrize("before", [(), pytest.param(("",), marks=thorough)], ids=["new", "used"])
@pytest.mark.parametrize(("trouble", "about"), one_of([(FILL, "full"), (CLOSE, "is read-only")]))
def test_what_is_wrong_with_the_disk_is_said_and_no_advice_changes_anybodys_pseudonym(
    trouble: str, about: str, before: tuple[str, ...], tmp_path: Path
) -> None:
    *kept, message = on_a_small_disk(tmp_path / "disk", *before, trouble)
    assert kept == ["kept"] * len(before)
    assert "The disk " in message
    assert about in message
    assert "KEY" not in message


@unix_alone
def test_the_store_and_what_lies_beside_it_are_its_owners_alone_also_where_they_were_not(
    tmp_path: Path, open_here: Callable[..., Store]
) -> None:
    path = tmp_path / "data" / database.FILE_NAME
    before = os.umask(0o022)
    try:
        first = open_here(path)
        first.add(event())
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in (path.parent, *path.parent.iterdir())}
        assert len(modes) == 4
        assert {name: mode for name, mode in modes.items() if mode != 0o600} == {"data": 0o700}
        for one in path.parent.iterdir():
            one.chmod(0o644)
        (path.parent / f"{path.name}-publishing").touch()
        open_here(path).add(event(item="i2"))
        assert len(list(path.parent.iterdir())) == 4
        assert {stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()} == {0o600}
    finally:
        os.umask(before)


@unix_alone
def test_a_folder_that_was_there_is_closed_to_others_unless_many_share_it(tmp_path: Path) -> None:
    mine, everybodys = tmp_path / "mine", tmp_path / "everybodys"
    for folder, mode in ((mine, 0o755), (everybodys, 0o1777)):
        folder.mkdir()
        folder.chmod(mode)
        close_to_others(folder)
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (mine, everybodys)] == [0o700, 0o1777]


@pytest.mark.parametrize("open_it", [open_store, FolderDestination])
def test_a_path_under_the_home_of_nobody_is_refused_in_one_sentence(open_it: Callable[[Path], object]) -> None:
    with pytest.raises(RefusedError, match="the home folder of a user that this machine does not know") as refused:
        open_it(Path("~nobody-here/x"))
    assert refused.value.code == "home_unknown"


@pytest.mark.parametrize("name", ["events", "notes"])
def test_a_table_of_another_program_is_left_alone_and_said(
    name: str, where: str | Path, open_here: Callable[..., Store]
) -> None:
    empty = database.open_engine(where)
    with database.writing(empty) as connection:
        connection.exec_driver_sql(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, happened TEXT)")
    with pytest.raises(RefusedError, match=f"has a table “{name}” of another program") as refused:
        open_here(where)
    assert refused.value.code == "store_foreign"
    assert inspect(empty).get_table_names() == [name]
    empty.dispose()


def test_a_store_that_is_locked_at_the_start_is_said_to_be_and_nothing_of_answers(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(sqlite_store.engine.url.database)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    with database.writing(sqlite_store.engine), pytest.raises(RefusedError) as refused:
        open_store(path)
    assert refused.value.code == "store_locked"
    assert "saved" not in refused.value.sentence


@pytest.mark.parametrize("locks", [None, windows_locks()], ids=["here", "windows"])
def test_only_one_of_two_may_do_what_one_may_do(
    locks: ModuleType | None, where: str | Path, open_here: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    if locks is not None:
        monkeypatch.setattr(files, "_system", locks)
    first, second = open_here(where), open_here(where)
    with database.only_one(first.engine, "publishing") as taken:
        assert taken
        with database.only_one(second.engine, "publishing") as taken_too:
            assert not taken_too
    with database.only_one(second.engine, "publishing") as taken_then:
        assert taken_then
