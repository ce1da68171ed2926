import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fmp_models.metrics.ngram import java
from fmp_models.metrics.ngram.java import (
    METEOR_JAR,
    METEOR_PARAPHRASES,
    PTB_JAR,
    JavaFailedError,
    java_missing,
    run_jar,
)

Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a shell script in the place of Java; it starts, and then does as told."""
    if sys.platform == "win32":
        pytest.skip("Windows runs no shell script in the place of Java")
    package = tmp_path / "pycocoevalcap"
    for name in (PTB_JAR, METEOR_JAR, METEOR_PARAPHRASES):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).touch()
    monkeypatch.setattr(java, "_folder", lambda: package)

    def write(script: str) -> None:
        program = tmp_path / "bin" / "java"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\n[ "$1" = -version ] && exit 0\n{script}\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")

    return write


class TestWhatIsMissing:
    def test_nothing(self, install: Install) -> None:
        install("cat")
        assert java_missing() is None

    def test_java(self, install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        install("cat")
        monkeypatch.setenv("PATH", str(tmp_path))
        assert java_missing() == "Java is not installed."
        with pytest.raises(JavaFailedError, match=r"^Java is not installed\.$"):
            run_jar(PTB_JAR, ["Main"], ["a"])

    def test_a_java_that_is_only_a_shell(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        program = tmp_path / "java"
        program.write_text("#!/bin/sh\necho 'Unable to locate a Java Runtime.' >&2\nexit 1\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        assert java_missing() == f"The Java at {program} does not start."

    def test_pycocoevalcap(self, install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
        install("cat")
        monkeypatch.setattr(java, "_folder", lambda: None)
        assert java_missing() == "pycocoevalcap is not installed."
        with pytest.raises(JavaFailedError, match=r"^pycocoevalcap is not installed\.$"):
            run_jar(PTB_JAR, ["Main"], ["a"])

    @pytest.mark.parametrize("name", [PTB_JAR, METEOR_JAR, METEOR_PARAPHRASES])
    def test_a_file_of_pycocoevalcap(self, install: Install, name: str) -> None:
        install("cat")
        java.path_of(name).unlink()
        assert java_missing() == f"pycocoevalcap has no file {name}."


class TestOneRun:
    def test_answers_each_line_in_order(self, install: Install) -> None:
        install("cat")
        assert run_jar(PTB_JAR, ["Main"], ["one", "", "दो"]) == ["one", "", "दो"]

    @pytest.mark.parametrize("end", ["\n", "\r", "\x0b", "\x0c", "\u2028", "\u2029"])
    def test_keeps_a_line_with_line_ends_one_line(self, install: Install, end: str) -> None:
        install("cat")
        assert run_jar(PTB_JAR, ["Main"], [f"a{end}b{end}", "c"]) == ["a b ", "c"]

    def test_writes_half_a_surrogate_pair_as_a_question_mark(self, install: Install) -> None:
        install("cat")
        assert run_jar(PTB_JAR, ["Main"], ["a \ud83d b"]) == ["a ? b"]

    def test_hands_over_the_class_the_jar_and_the_heap(self, install: Install) -> None:
        install('read line; echo "$*"')
        (command,) = run_jar(METEOR_JAR, ["Meteor", "-stdio"], [""], heap="2G")
        assert command.startswith("-Xmx2G -Dfile.encoding=UTF-8 ")
        assert command.endswith(f" -cp {java.path_of(METEOR_JAR)} Meteor -stdio")

    def test_takes_any_amount_of_complaints(self, install: Install) -> None:
        install("head -c 1000000 /dev/zero >&2; cat")
        lines = ["a" * 1000] * 1000
        assert run_jar(PTB_JAR, ["Main"], lines) == lines


class TestARunThatFails:
    def test_names_the_error_that_stopped_java(self, install: Install) -> None:
        install(
            "echo 'Picked up JAVA_TOOL_OPTIONS: -Xmx1g' >&2\n"
            "echo 'Exception in thread \"main\" java.lang.UnsupportedClassVersionError: Main' >&2\n"
            "echo '  at java.lang.ClassLoader.defineClass1(Native Method)' >&2\nexit 1"
        )
        with pytest.raises(JavaFailedError, match=r"^Java stopped in stanford.*: Exception .*VersionError: Main\.$"):
            run_jar(PTB_JAR, ["Main"], ["a"])

    def test_tells_the_status_where_java_says_nothing(self, install: Install) -> None:
        install("exit 3")
        with pytest.raises(JavaFailedError, match=r"^Java stopped in meteor-1.5.jar: exit status 3\.$"):
            run_jar(METEOR_JAR, ["Meteor"], ["a" * 1_000_000])

    @pytest.mark.parametrize(("script", "lines"), [("cat >/dev/null", 0), ("cat; echo more", 3)])
    def test_refuses_another_number_of_answers(self, install: Install, script: str, lines: int) -> None:
        install(script)
        with pytest.raises(JavaFailedError, match=f"^Java answered {lines} lines to 2 in "):
            run_jar(PTB_JAR, ["Main"], ["a", "b"])

    def test_ends_after_the_time_limit(self, install: Install) -> None:
        install("exec sleep 60")
        with pytest.raises(JavaFailedError, match=r"^Java did not finish meteor-1.5.jar within 0.2 seconds.$"):
            run_jar(METEOR_JAR, ["Meteor"], ["a"], seconds=0.2)
