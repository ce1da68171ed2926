"""Java and the jars of pycocoevalcap: what is missing, and one run of a jar over many lines."""

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

# Both jars start in seconds and answer a hundred lines a second, unless a text repeats one word hundreds of times; on a
# machine that trains beside it, they have taken twenty times as long.
_START_S = 60.0
_LINE_S = 0.5

# All that either jar takes for the end of a line.
_LINE_END = re.compile("[\n\r\x0b\x0c\u2028\u2029]")

# Where the jars name none, they take the machine's encoding and letters: in Turkish, I is not a capital i.
_LOCALE = ("-Dfile.encoding=UTF-8", "-Duser.language=en")


class JavaFailedError(Exception):
    """Java or a jar is missing, stopped early, took too long or answered something else; the text is one sentence."""


def java_missing() -> str | None:
    """What METEOR and the PTB tokeniser lack on this machine, as a sentence; ``None`` when all is there."""
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
    """The path of one file of pycocoevalcap, such as ``METEOR_JAR``; raise ``JavaFailedError`` when it is absent."""
    folder = _folder()
    if folder is None:
        complaint = "pycocoevalcap is not installed."
        raise JavaFailedError(complaint)
    return folder / name


def run_jar(
    jar: str, arguments: Sequence[str], lines: Sequence[str], *, seconds: float | None = None, heap: str | None = None
) -> list[str]:
    """The answer of a jar's class to each line: ``arguments`` begin with the class, ``heap`` is such as ``2G``.

    A line end inside a line becomes a space, so that each line is answered by one. ``seconds`` is the limit, by default
    one that grows with the lines. Raise ``JavaFailedError`` where Java is missing or fails.
    """
    complaint = java_missing()
    if complaint is not None:
        raise JavaFailedError(complaint)
    memory = [f"-Xmx{heap}"] if heap else []
    command = ["java", *memory, *_LOCALE, "-cp", str(path_of(jar)), *arguments]
    limit = _START_S + _LINE_S * len(lines) if seconds is None else seconds
    lines_sent = "".join(_LINE_END.sub(" ", line) + "\n" for line in lines)
    try:
        process = subprocess.run(  # noqa: S603  a fixed program; texts reach it through its input only
            command,
            # Half of a surrogate pair cannot be written as UTF-8; it becomes a question mark.
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
    """The folder of pycocoevalcap, a package without an ``__init__.py``."""
    spec = find_spec("pycocoevalcap")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


@cache
def _starts(java: str) -> bool:
    """Whether this is a real Java: macOS has a ``java`` that only asks to install one."""
    try:
        probe = subprocess.run([java, "-version"], capture_output=True, timeout=60, check=False)  # noqa: S603  its path
    except (OSError, subprocess.TimeoutExpired):
        return False
    return probe.returncode == 0


def _reason(process: subprocess.CompletedProcess[bytes]) -> str:
    """The line of Java's complaints that names the error, else the last one, else the exit status."""
    complaints = [line.strip() for line in process.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    error_lines = [line for line in complaints if "Error" in line or "Exception" in line]
    return next(iter(error_lines or complaints[-1:]), f"exit status {process.returncode}").rstrip(".")
