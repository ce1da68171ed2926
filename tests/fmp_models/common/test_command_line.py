"""The exit codes of every command line of the project, run as people run it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
from argparse import Namespace
from pathlib import Path

import pytest

from annotate.errors import RefusedError
from fmp_models.common.coded_errors import CodedError
from fmp_models.common.command_line import OneSentenceParser, log_to_standard_error, run_command
from fmp_models.common.files import PREFIX
from fmp_models.errors import BadInputError
from tests.commands import ROOT

# A command that does as it is told by the statement in its first argument.
COMMAND = """
import logging, os, sys
from fmp_models.common.command_line import OneSentenceParser, run_command
parser = OneSentenceParser()
parser.add_argument("statement")
parser.set_defaults(run=lambda options: exec(options.statement) or 0)
sys.exit(run_command(parser, None))
"""
SOON = 60  # seconds


def command(statement: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, statement],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_command_writes_into_a_folder_of_its_own_and_removes_what_a_killed_one_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = tmp_path / f"{PREFIX}dead"
    dead.mkdir()
    (dead / "fetched.parquet").write_bytes(b"answers")
    folders: list[Path] = []

    def work(_: Namespace) -> int:
        folders.append(Path(tempfile.mkdtemp()).parent)
        return 0

    parser = OneSentenceParser()
    parser.set_defaults(run=work)

    assert run_command(parser, []) == 0

    (folder,) = folders
    assert folder.parent == tmp_path
    assert folder.name.startswith(PREFIX)
    assert list(tmp_path.iterdir()) == []


def test_a_command_runs_where_no_temporary_folder_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    parser = OneSentenceParser()
    parser.set_defaults(run=lambda _: 7)

    assert run_command(parser, []) == 7


@pytest.mark.parametrize("name", ["__main__", "annotate.cli", "app", "demo.shell", "fmp_models.hub", "hub_cards"])
def test_only_a_command_prints_progress_and_it_prints_it_once(
    name: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def work(_: Namespace | None = None) -> int:
        logging.getLogger(name).info("50% done")
        return 0

    parser = OneSentenceParser()
    parser.set_defaults(run=work)

    work()
    assert capsys.readouterr() == ("", "")
    assert run_command(parser, []) == 0
    assert capsys.readouterr() == ("", "50% done\n")
    assert caplog.messages == ["50% done"]
    work()
    assert capsys.readouterr() == ("", "")


def test_progress_goes_nowhere_without_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with log_to_standard_error():
        logging.getLogger("fmp_models").info("half done")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("program", [COMMAND, "import logging, sys; exec(sys.argv[1])"])
def test_a_warning_is_printed_once_by_a_command_and_by_the_library(program: str) -> None:
    words = [sys.executable, "-c", program, "logging.getLogger('fmp_models').warning('Something is wrong.')"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "Something is wrong.\n")


@pytest.mark.parametrize("letters", [1, 10_000_000])
def test_a_reader_that_has_seen_enough_is_no_fault(letters: int) -> None:
    with command(f"sys.stdin.read(); print('a' * {letters})") as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.close()  # which is what the command waits for
        assert process.wait(SOON) == 0
        assert process.stderr.read() == ""


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-16", ""])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_every_letter_can_be_written_whatever_the_console(encoding: str, stream: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, f"print('हिन्दी – é \\udcff', file=sys.{stream})"],
        cwd=ROOT,
        env=os.environ | ({"PYTHONIOENCODING": encoding} if encoding else {"LC_ALL": "C"}),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "हिन्दी – é \\udcff\n".encode())


def test_a_reader_that_has_seen_enough_is_no_fault_in_the_words_of_windows() -> None:
    gone = (
        "import errno, fmp_models.common.command_line as it\n"
        "it._NO_READER = {errno.EPIPE, errno.EINVAL}\n"
        "sys.stdout = type('Gone', (), {'flush': lambda self: None, 'fileno': lambda self: 1})()\n"
        "type(sys.stdout).write = lambda self, text: (_ for _ in ()).throw(OSError(22, 'Invalid argument'))\n"
        "print('much')"
    )
    with command(gone) as process:
        assert process.communicate(timeout=SOON) == ("", "")
    assert process.returncode == 0


def test_another_pipe_that_broke_is_a_fault() -> None:
    with command("ends = os.pipe(); os.close(ends[0]); os.write(ends[1], b'lost')") as process:
        _, errors = process.communicate(timeout=SOON)
    assert process.returncode == 1
    assert "BrokenPipeError" in errors


@pytest.mark.parametrize("kind", [BadInputError, RefusedError])
def test_the_refusals_of_either_side_are_one_line_and_exit_code_two(
    kind: type[CodedError], capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_: object) -> int:
        raise kind("folder_unusable", path="over\nthere")

    parser = OneSentenceParser()
    parser.set_defaults(run=refuse)
    assert run_command(parser, []) == 2
    output = capsys.readouterr()
    assert (output.out, output.err.count("\n")) == ("", 1)
    assert "“over there” cannot be written or read" in output.err


def test_arguments_that_cannot_be_used_are_one_line_and_exit_code_two(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        run_command(OneSentenceParser(prog="it"), ["--surely-not"])
    assert end.value.code == 2
    assert capsys.readouterr().err == "Unrecognized arguments: --surely-not; see it --help.\n"


@pytest.mark.parametrize(
    "words",
    [["a", "b", "c", "--json"], ["a", "--json", "b", "c"], ["a", "b", "--json", "c"], ["--json", "a", "b", "c"]],
)
@pytest.mark.parametrize("number", ["*", "+"])
def test_options_may_stand_anywhere_between_arguments_of_any_number(words: list[str], number: str) -> None:
    parser = OneSentenceParser()
    command = parser.add_subparsers(parser_class=OneSentenceParser).add_parser("do")
    command.add_argument("first")
    command.add_argument("others", nargs=number)
    command.add_argument("--json", action="store_true")
    assert vars(parser.parse_args(["do", *words])) == {"first": "a", "others": ["b", "c"], "json": True}
