"""Java and the jars of pycocoevalcap: a check for missing parts, and runs of a jar on many lines."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

PTB_JAR = "tokenizer/stanford-corenlp-3.4.1.jar"
METEOR_JAR = "meteor/meteor-1.5.jar"
METEOR_PARAPHRASES = "meteor/data/paraphrase-en.gz"

# Both jars start in seconds and process 100 lines a second, unless a text repeats one word hundreds of times. On a
# machine that trains a model at the same time, they have taken twenty times as long.
_START_S = 60.0
_LINE_S = 0.5

# All characters that either jar treats as a line end.
_LINE_END = re.compile("[\n\r\x0b\x0c\u2028\u2029]")

# The jars otherwise use the machine's encoding and locale: in Turkish, I is not a capital i.
_LOCALE = ("-Dfile.encoding=UTF-8", "-Duser.language=en")


class JavaFailedError(Exception):
    """Java or a jar is missing, crashed, timed out or gave unexpected output; the message is one sentence."""


def java_missing() -> str | None:
    """Return what METEOR and the PTB tokeniser lack on this machine, as a sentence; ``None`` if nothing is missing."""
    java = shutil.which("java")
    if java is None:
        return "Java is not installed."
    if not _starts(java):
        return f"The Java at {java} does not start."
    if _folder() is None:
        return "pycocoevalcap is not installed."
    for name in (PTB_JAR, METEOR_JAR, METEOR_PARAPHRASES):
        if not path_of(name).is_file():
            return f"pycocoevalcap has no file {name}."
    return None


def path_of(name: str) -> Path:
    """Return the path of a file of pycocoevalcap, such as ``METEOR_JAR``; raise ``JavaFailedError`` if it is absent."""
    folder = _folder()
    if folder is None:
        complaint = "pycocoevalcap is not installed."
        raise JavaFailedError(complaint)
    return folder / name


def run_jar(
    jar: str, arguments: Sequence[str], lines: Sequence[str], *, seconds: float | None = None, heap: str | None = None
) -> list[str]:
    """Run a class of a jar on ``lines`` and return one output line for each.

    ``arguments`` begin with the class; ``heap`` is a size such as ``2G``. A line end inside a line becomes a space,
    so that each line gives one output line. ``seconds`` is the timeout; by default it grows with the number of lines.
    Raises ``JavaFailedError`` if Java is missing or fails.
    """
    complaint = java_missing()
    if complaint is not None:
        raise JavaFailedError(complaint)
    memory = [f"-Xmx{heap}"] if heap else []
    command = ["java", *memory, *_LOCALE, "-cp", str(path_of(jar)), *arguments]
    limit = _START_S + _LINE_S * len(lines) if seconds is None else seconds
    lines_sent = "".join(_LINE_END.sub(" ", line) + "\n" for line in lines)
    try:
        process = subprocess.run(  # noqa: S603  a fixed program; texts are passed through its standard input only
            command,
            # A lone surrogate cannot be encoded as UTF-8; it becomes a question mark.
            input=lines_sent.encode("utf-8", "replace"),
            capture_output=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        slow = f"Java did not finish {Path(jar).name} within {limit:g} seconds."
        raise JavaFailedError(slow) from error
    except OSError as error:
        refused = f"Java could not be started: {error.strerror}."
        raise JavaFailedError(refused) from error
    if process.returncode != 0:
        stopped = f"Java stopped in {Path(jar).name}: {_reason(process)}."
        raise JavaFailedError(stopped)
    answers = process.stdout.decode("utf-8", "replace").split("\n")[:-1]
    if len(answers) != len(lines):
        uneven = f"Java answered {len(answers)} lines to {len(lines)} in {Path(jar).name}: {_reason(process)}."
        raise JavaFailedError(uneven)
    return [answer.rstrip("\r") for answer in answers]


def _folder() -> Path | None:
    """Return the folder of pycocoevalcap, a package without an ``__init__.py``, or None if it is not installed."""
    spec = find_spec("pycocoevalcap")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


@cache
def _starts(java: str) -> bool:
    """Return whether this Java runs: macOS has a ``java`` that only offers to install one."""
    try:
        probe = subprocess.run([java, "-version"], capture_output=True, timeout=60, check=False)  # noqa: S603  Java's path
    except (OSError, subprocess.TimeoutExpired):
        return False
    return probe.returncode == 0


def _reason(process: subprocess.CompletedProcess[bytes]) -> str:
    """Return the line of Java's error output that names the error, else the last line, else the exit status."""
    complaints = [line.strip() for line in process.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    error_lines = [line for line in complaints if "Error" in line or "Exception" in line]
    return next(iter(error_lines or complaints[-1:]), f"exit status {process.returncode}").rstrip(".")
