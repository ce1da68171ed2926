from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from fmp_models.files.bounded import read_bounded
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
