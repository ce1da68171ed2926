"""Plain files, replaced files, locks and the temporary folder, here and as on Windows."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fmp_models.common import files as files_module
from fmp_models.common.files import PREFIX, open_plain, private_folder, read_plain, remove_dead, try_lock
from tests.without_unix import unix_alone, windows_locks, windows_os


@unix_alone
@pytest.mark.parametrize("place", ["", "missing", "pipe", "/dev/zero"])
def test_what_is_no_plain_file_is_not_opened(tmp_path: Path, place: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    held = len(list(Path("/dev/fd").iterdir()))
    for _ in range(3):
        with pytest.raises(OSError):  # noqa: PT011  whatever the system says
            open_plain(tmp_path / place)
    assert len(list(Path("/dev/fd").iterdir())) == held


def test_a_file_is_read_one_byte_further_than_it_may_be_long(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(bytes(100))

    assert len(read_plain(tmp_path / "long", 10)) == 11
    assert len(read_plain(tmp_path / "long", 100)) == 100


def test_a_file_is_put_in_place_where_only_what_is_open_for_writing_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "os", windows_os())
    files_module.replace_file(tmp_path / "it", lambda new: new.write_text("whole", encoding="utf-8"))
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("it", "whole")]


@pytest.fixture(params=["here", "windows"])
def files(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """One file, opened twice, on this system or as on Windows."""
    if request.param == "windows":
        monkeypatch.setattr(files_module, "_system", windows_locks())
    opened = [os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2)]
    yield opened[0], opened[1]
    for file in opened:
        os.close(file)


def test_one_at_a_time_holds_a_lock(files: tuple[int, int]) -> None:
    assert try_lock(files[0])
    assert not try_lock(files[1])


def test_a_lock_ends_with_its_file(files: tuple[int, int], tmp_path: Path) -> None:
    with (tmp_path / "lock").open("rb+") as third:
        assert try_lock(third.fileno(), waits=True)
        assert not try_lock(files[0])
    assert try_lock(files[0], waits=True)


def test_what_cannot_be_locked_is_told(tmp_path: Path) -> None:
    file = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    os.close(file)
    with pytest.raises(OSError) as refused:  # noqa: PT011  told by its number
        try_lock(file)
    assert refused.value.errno == errno.EBADF


ROOT = Path(__file__).resolve().parents[3]
LIVING = """
import sys, tempfile
from pathlib import Path
from fmp_models.common.files import private_folder
with private_folder() as folder:
    (Path(tempfile.mkdtemp()) / "photograph.jpg").write_bytes(b"of somebody")
    print(folder, flush=True)
    sys.stdin.read()
"""

# As matplotlib does where the home of a user cannot be written.
REMOVES_ITS_OWN = """
import atexit, shutil, tempfile
from fmp_models.common.command_line import end_process
from fmp_models.common.files import private_folder
with private_folder():
    atexit.register(shutil.rmtree, tempfile.mkdtemp())
print("done")
end_process(3)
"""


@pytest.fixture(params=["here", "windows"])
def way(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """How another process of this system, or as of Windows, is started; this one is alike."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    if request.param == "here":
        return ("-c",)
    monkeypatch.setattr(files_module, "os", windows_os())
    monkeypatch.setattr(files_module, "_system", windows_locks())
    return ("-m", "tests.without_unix", "-c")


@contextmanager
def living(around: Path, way: tuple[str, ...]) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Yield a process that keeps a photograph in its folder."""
    with subprocess.Popen(
        [sys.executable, *way, LIVING],
        cwd=ROOT,
        env=os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(around)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().strip())


@pytest.mark.usefixtures("way")
def test_everything_temporary_lies_in_the_folder_and_goes_with_it(tmp_path: Path) -> None:
    with private_folder() as folder:
        older_folder = tempfile.mkdtemp()
        assert folder.parent == tmp_path
        assert Path(older_folder).parent == folder
        assert os.name == "nt" or folder.stat().st_mode & 0o077 == 0

    assert list(tmp_path.iterdir()) == []
    assert tempfile.gettempdir() == str(tmp_path)


def test_the_folder_of_a_killed_process_goes_and_that_of_a_living_one_stays(
    tmp_path: Path, way: tuple[str, ...]
) -> None:
    with living(tmp_path, way) as (_, living_one), living(tmp_path, way) as (killed, dead_one):
        assert len(list(tmp_path.iterdir())) == 2
        killed.kill()
        killed.wait(30)
        assert list(dead_one.rglob("*.jpg"))

        with private_folder():
            assert not dead_one.exists()
            assert list(living_one.rglob("*.jpg"))


@pytest.mark.usefixtures("way")
def test_nothing_else_is_removed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "letter").write_text("mine")
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    (tmp_path / f"{PREFIX}file").write_text("no folder")
    (tmp_path / "fixmypose").mkdir()

    remove_dead(tmp_path)

    assert [path.name for path in elsewhere.iterdir()] == ["letter"]
    assert len(list(tmp_path.iterdir())) == 4


def test_many_that_start_at_once_keep_their_own_folders(tmp_path: Path, way: tuple[str, ...]) -> None:
    with living(tmp_path, way) as (_, one), living(tmp_path, way) as (_, other), living(tmp_path, way) as (_, third):
        for _ in range(20):
            with private_folder() as mine:
                assert all(list(folder.rglob("*.jpg")) for folder in (one, other, third))
                assert mine.exists()


@pytest.mark.usefixtures("way")
def test_a_library_that_removes_its_own_folder_at_the_end_is_not_heard(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", REMOVES_ITS_OWN],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "done\n", "")
    assert list(tmp_path.iterdir()) == []
