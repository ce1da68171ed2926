"""An array on disk is built once, goes on after a kill, and is never seen before it is whole."""

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fmp_models.errors import BadInputError
from fmp_models.training.samples import stored_arrays as module
from fmp_models.training.samples.stored_arrays import stored


def counting(array: NDArray[Any], first: int) -> Iterator[int]:
    for row in range(first, len(array)):
        array[row] = row
        yield row + 1


def refuses(array: NDArray[Any], first: int) -> Iterator[int]:
    message = f"{array.shape} from {first}"
    raise AssertionError(message)
    yield 0


class KilledError(Exception):
    pass


def fails_at(row: int, starts: list[int]) -> module.Fill:
    def fill(array: NDArray[Any], first: int) -> Iterator[int]:
        starts.append(first)
        for done in counting(array, first):
            if done > row:
                raise KilledError
            yield done

    return fill


def test_it_is_built_once_and_read_only(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "rows.npy"
    array = stored(path, (5, 2), np.int16, counting)
    assert array.tolist() == [[row, row] for row in range(5)]
    assert (stored(path, (5, 2), np.int16, refuses) == array).all()
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux tells what is mapped")
def test_a_file_is_renamed_when_nothing_maps_it_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped, rename = list[bool](), Path.replace

    def watched(path: Path, target: Path) -> Path:
        mapped.append(str(path) in Path("/proc/self/maps").read_text(encoding="utf-8"))
        return rename(path, target)

    monkeypatch.setattr(Path, "replace", watched)
    stored(tmp_path / "array.npy", (5, 2), np.int16, counting)
    assert mapped == [False]


def test_a_build_that_ended_early_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.0)
    path, starts = tmp_path / "rows.npy", list[int]()
    with pytest.raises(KilledError):
        stored(path, (9,), np.int64, fails_at(6, starts))
    assert not path.exists()
    assert stored(path, (9,), np.int64, fails_at(9, starts)).tolist() == list(range(9))
    assert starts == [0, 6]
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".lock", ".npy"]


@pytest.mark.parametrize("left", [b"", b"nonsense", b"-1", b"99"])
def test_a_damaged_note_begins_anew(left: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.0)
    path, starts = tmp_path / "rows.npy", list[int]()
    with pytest.raises(KilledError):
        stored(path, (9,), np.int64, fails_at(6, starts))
    (tmp_path / "rows.npy.done").write_bytes(left)
    assert stored(path, (9,), np.int64, fails_at(9, starts)).tolist() == list(range(9))
    assert starts == [0, 0]


def test_what_was_left_of_another_shape_is_not_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.0)
    path, starts = tmp_path / "rows.npy", list[int]()
    with pytest.raises(KilledError):
        stored(path, (9,), np.int64, fails_at(6, starts))
    assert stored(path, (4, 2), np.int64, fails_at(9, starts)).shape == (4, 2)
    assert starts == [0, 0]


def test_a_process_killed_at_work_leaves_what_another_finishes(tmp_path: Path) -> None:
    path, root = tmp_path / "rows.npy", Path(__file__).resolve().parents[4]
    script = f"""
        import time
        from pathlib import Path
        from fmp_models.training.samples import stored_arrays as module
        module._SECONDS = 0.0
        def slow(array, first):
            for row in range(first, len(array)):
                array[row] = row
                yield row + 1
                time.sleep(0.01)
        module.stored(Path({str(path)!r}), (100_000,), "int64", slow)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    worker = subprocess.Popen(command, cwd=root, env={**os.environ, "PYTHONPATH": str(root)})
    note = tmp_path / "rows.npy.done"
    until = time.monotonic() + 60
    while not (note.is_file() and int(note.read_text() or 0) > 3) and time.monotonic() < until:
        assert worker.poll() is None, "the building process ended by itself"
        time.sleep(0.01)
    worker.kill()
    worker.wait()
    assert not path.exists()
    starts: list[int] = []
    array = stored(path, (100_000,), np.int64, fails_at(100_000, starts))
    assert starts[0] > 3
    assert (array == np.arange(100_000)).all()


def test_of_two_at_once_one_builds_and_both_read(tmp_path: Path) -> None:
    starts: list[int] = []

    def slow(array: NDArray[Any], first: int) -> Iterator[int]:
        starts.append(first)
        for done in counting(array, first):
            time.sleep(0.01)
            yield done

    with ThreadPoolExecutor(2) as pool:
        arrays = list(pool.map(lambda _: stored(tmp_path / "rows.npy", (8,), np.int64, slow).tolist(), range(2)))
    assert arrays == [list(range(8))] * 2
    assert starts == [0]


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="cannot be written"):
        stored(tmp_path / "file" / "rows.npy", (2,), np.int64, counting)
