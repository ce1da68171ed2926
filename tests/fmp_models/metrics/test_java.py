"""Java and its jars: missing parts, the PTB tokeniser and METEOR."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocoevalcap.tokenizer import ptbtokenizer

from fmp_models.metrics import java
from fmp_models.metrics.java import (
    METEOR_JAR,
    METEOR_PARAPHRASES,
    PTB_JAR,
    JavaFailedError,
    Tokeniser,
    java_missing,
    meteor,
    path_of,
    run_jar,
    tokenise,
)
from tests.java import needs_java
from tests.thoroughness import thorough

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


each_tokeniser = pytest.mark.parametrize("tokeniser", ["regex", pytest.param("ptb", marks=needs_java)])

TOKENS = {
    "Raise your left arm.": "raise your left arm",
    "turn right, then: stop! (or not?)": "turn right then stop -lrb- or not -rrb-",
    "[a] {b}": "-lsb- a -rsb- -lcb- b -rcb-",
    "“so” ‘so’ \"so\" 'so' `so`": "so so so so so",
    "up – down — left … right -- up ... down .. a": "up down left right up down a",
    "what?! no!!": "what ?! no !!",
    "it's don't you’re I'd've can't": "it 's do n't you 're i 'd 've ca n't",
    "cannot gonna cannots": "can not gon na cannots",
    "at 2 o'clock": "at 2 o'clock",
    "1.5 feet 1,000 10:30am -45 1pm 90° 45%": "1.5 feet 1,000 10:30 am -45 1pm 90 ° 45 %",
    "the floor.the chair": "the floor.the chair",
    "near the t.v. and the t.v.and the t.v": "near the t.v. and the t.v.and the t.v",
    "go to v.": "go to v.",
    "etc. dr. arm.": "etc. dr. arm",
    "the ground., then": "the ground. then",
    "mid-section un-crouching right- -left a--b 90-degree": "mid-section un-crouching right left a b 90-degree",
    "left/right and/or/not a / b & c": "left/right and/or/not a / b & c",
    "a|||b": "a | | | b",
    "naïve café": "naïve café",
    "हाथ ऊपर।नीचे, सिर।": "हाथ ऊपर । नीचे सिर ।",
    "दाएं-बाएं धीरे-धीरे": "दाएं बाएं धीरे धीरे",
    "एक-दूसरे आर-पार अलग-अलग": "एक-द ूसरे आर-प ार अलग-अलग",
    "90-डिग्री १.५": "90-ड िग्री १.५",
    "वह/ताकि": "वह / ताकि",
    "क्\u200dया\u200b है": "क् या है",
    "🙂 a😀b": "a b",
    "*NL* *nl*": "* nl * * nl *",
    "": "",
    " \t ": "",
    "...": "",
}

HOSTILE = [
    *(
        "a\nb",
        "a\r\nb\r",
        "a\x0bb\x0c",
        "a\x85b",
        "a\u2028b\u2029",
        "\n\n\n",
        "a\x00b",
        "\x00",
        "\x1c\x1d\x1e",
        "\ufeff",
    ),
    *(
        "",
        " ",
        "|||",
        "a ||| b",
        "🙂",
        "👩‍👩‍👧",
        "\ud83d",
        "<a href='x'>",
        "<b",
        "&nbsp;",
        "*NL*",
        "\\n",
        "\\",
        "http://a.b/",
    ),
    *(
        "v",
        "v.",
        "e.g.",
        "Mr.",
        "St",
        "etc.",
        "1 1/2",
        "(555) 123 4567",
        "''",
        "``",
        "-LRB-",
        "---",
        "�",
        "\u202e",
        "\u00a0",
    ),
    *("a" * 100_000, "का" * 50_000, "a " * 50_000, "1" * 100_000, "a-" * 50_000, "!" * 100_000),
]


@each_tokeniser
def test_texts_of_every_kind(tokeniser: Tokeniser) -> None:
    tokens_of_text = dict(zip(TOKENS, tokenise(list(TOKENS), tokeniser), strict=True))
    assert tokens_of_text == {text: words.split() for text, words in TOKENS.items()}


@each_tokeniser
def test_no_text_shifts_those_after_it(tokeniser: Tokeniser) -> None:
    texts = [text for i, hostile in enumerate(HOSTILE) for text in (hostile, f"between {i} Words")]
    assert tokenise(texts, tokeniser)[1::2] == [["between", str(i), "words"] for i in range(len(HOSTILE))]


@each_tokeniser
def test_no_texts_have_no_tokens(tokeniser: Tokeniser) -> None:
    assert tokenise([], tokeniser) == []


@given(st.text())
def test_tokens_without_java_are_lower_case_words_without_spaces(text: str) -> None:
    (text_tokens,) = tokenise([text], "regex")
    assert all(token and token == token.lower() and len(token.split()) == 1 for token in text_tokens)
    assert not java._DROPPED.intersection(text_tokens)


@given(st.text(st.sampled_from("aàक1ा.,:-_/'’ n"), max_size=300))
def test_letters_and_digits_all_stay(text: str) -> None:
    (text_tokens,) = tokenise([text], "regex")
    kept = [letter for letter in text if letter.isalnum()]
    assert [letter for letter in "".join(text_tokens) if letter.isalnum()] == kept


# Some of these take minutes where the expression may go back without bound.
@pytest.mark.parametrize("piece", ["a,", "1.", "a.", "n't", "d'", "1,1:", "a/", "क-", "can"])
def test_a_long_text_without_spaces_is_read(piece: str) -> None:
    (text_tokens,) = tokenise([piece * 30_000 + "।"], "regex")
    assert text_tokens[-1] == "।"


def descriptions(oracle: dict[str, Any]) -> list[str]:
    return [text for one in oracle["instances"].values() for text in (one["prediction"], *one["references"])]


@needs_java
def test_descriptions_have_the_tokens_of_pycocoevalcap(
    oracle: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It writes a file beside itself, so it is told that it lies elsewhere.
    monkeypatch.setattr(ptbtokenizer, "STANFORD_CORENLP_3_4_1_JAR", str(java.path_of(java.PTB_JAR)))
    monkeypatch.setattr(ptbtokenizer, "__file__", str(tmp_path / "ptbtokenizer.py"))
    texts = descriptions(oracle)
    released = ptbtokenizer.PTBTokenizer().tokenize({i: [{"caption": text}] for i, text in enumerate(texts)})
    assert len(texts) == 1686
    assert tokenise(texts, "ptb") == [released[i][0].split() for i in range(len(texts))]


@needs_java
def test_descriptions_have_the_same_tokens_without_java(oracle: dict[str, Any]) -> None:
    texts = descriptions(oracle)
    assert tokenise(texts, "regex") == tokenise(texts, "ptb")


@needs_java
def test_the_locale_of_the_machine_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dfile.encoding=ISO-8859-1 -Duser.language=tr -Duser.country=TR")
    assert tokenise(["LIFT दाएँ हाथ।"], "ptb") == [["lift", "दाएँ", "हाथ", "।"]]


PERFECT = (["raise", "your", "left", "arm"], [["sit", "down"], ["raise", "your", "left", "arm"]])
EMPTY_PREDICTION = ([], [["sit", "down"]])
EMPTY_REFERENCE = (["sit", "down"], [[]])
ALL_EMPTY = ([], [[]])


def evaluated_by_the_jar(options: list[str], samples: list[list[str]]) -> list[list[float]]:
    """Return the jar's own scores of samples of its numbers: those of the instances, then the sample's."""
    lines = "".join(" ||| ".join(["EVAL", *sample]) + "\n" for sample in samples)
    command = ["java", "-Xmx2G", "-cp", str(path_of(METEOR_JAR)), "Meteor", "-", "-", "-stdio", *options]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    scores = iter(map(float, done.stdout.split()))
    return [[next(scores) for _ in range(len(sample) + 1)] for sample in samples]


@needs_java
@thorough
def test_human_descriptions_score_as_the_jar_says(
    oracle: dict[str, Any], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle_instances = list(oracle["instances"].values())
    words = iter(
        tokenise([text for one in oracle_instances for text in (one["prediction"], *one["references"])], "ptb")
    )
    instances = [(next(words), [next(words) for _ in one["references"]]) for one in oracle_instances]
    instances += [PERFECT, EMPTY_PREDICTION, EMPTY_REFERENCE, ALL_EMPTY]
    answers: list[str] = []
    monkeypatch.setattr(
        java, "run_jar", lambda *arguments, **options: answers.extend(run_jar(*arguments, **options)) or answers
    )
    measured = meteor(*zip(*instances, strict=True), language)

    real = measured.of_totals(measured.statistics[: len(oracle_instances)].sum(axis=0))
    assert real == pytest.approx(oracle["corpus"]["meteor"], abs=1e-6)

    everyone = np.arange(len(instances))
    drawn = np.random.default_rng(0).choice(everyone, (3, len(everyone)))
    samples = [everyone, *drawn]
    options = {"en": ["-l", "en", "-norm"], "hi": ["-l", "other"]}[language]
    evaluated = evaluated_by_the_jar(options, [[answers[i] for i in sample] for sample in samples])
    values = measured.of_totals(np.stack([measured.statistics[sample].sum(axis=0) for sample in samples]))
    for sample, value, (*alone, together) in zip(samples, values, evaluated, strict=True):
        assert measured.instances[sample] == pytest.approx(alone, abs=1e-12)
        assert value == pytest.approx(together if language == "en" else np.mean(alone), abs=1e-12)


@needs_java
@pytest.mark.parametrize(
    "hostile",
    [
        *(["a|||b"], ["|||"], ["|||||||"], ["a", "||", "|"], ["a\nb"], ["a\r"], ["\u2028"], ["\x00"], ["\ud83d"]),
        *([""], [" "], ["🙂"], ["SCORE"], ["EVAL", "|||", "1"], [f"word{i}" for i in range(3000)]),
    ],
)
def test_no_text_shifts_the_scores_after_it(hostile: list[str]) -> None:
    predictions = [hostile, PERFECT[0], ["x"], hostile, PERFECT[0]]
    references = [[["x"]], PERFECT[1], [hostile, ["y"]], [hostile, hostile], [["raise"]]]
    scores = meteor(predictions, references, "hi").instances
    assert scores[1] == 1
    assert 0 < scores[4] < 1


@needs_java
def test_texts_without_words_score_0() -> None:
    instances = [EMPTY_PREDICTION, PERFECT, EMPTY_REFERENCE, ALL_EMPTY]
    assert meteor(*zip(*instances, strict=True), "hi").instances.tolist() == [0, 1, 0, 0]


@needs_java
def test_the_best_reference_counts() -> None:
    text, near, far = ["a", "b", "c"], ["a", "b", "x"], ["c", "y", "z", "w"]
    together, alone, other = meteor([text] * 3, [[far, near], [near], [far]], "hi").instances
    assert together == alone > other > 0


@needs_java
@thorough
def test_only_english_knows_synonyms_and_capitals_in_any_folder_and_locale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Duser.language=tr -Dfile.encoding=ISO-8859-1")
    folder = tmp_path / "my packages"
    for name in (METEOR_JAR, METEOR_PARAPHRASES, PTB_JAR):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        # Java would follow a link to the jar, out of the folder.
        (shutil.copy if name == METEOR_JAR else os.symlink)(path_of(name), folder / name)
    monkeypatch.setattr(java, "_folder", lambda: folder)
    texts = [["a", "large", "WINDOW"]], [[["a", "big", "window"]]]
    assert meteor(*texts, "en").value > 0.9
    assert meteor(*texts, "hi").value < 0.5


class TestWhatCannotBeScored:
    def test_no_instance(self) -> None:
        with pytest.raises(ValueError, match="no instance"):
            meteor([], [], "en")

    def test_an_instance_without_references(self) -> None:
        with pytest.raises(ValueError, match="instance 1 has no references"):
            meteor([["a"], ["b"]], [[["a"]], []], "en")

    def test_lengths_that_differ(self) -> None:
        with pytest.raises(ValueError, match="2 predictions but references of 1 instances"):
            meteor([["a"], ["b"]], [[["a"]]], "en")

    def test_texts_that_were_not_split_into_tokens(self) -> None:
        with pytest.raises(TypeError, match="sequence of tokens"):
            meteor(["a b"], [[["a", "b"]]], "en")


@pytest.mark.parametrize("answers", [["Error: specify SCORE or EVAL"], ["1.0 2.0"], [" ".join(["1"] * 24)]])
def test_an_answer_that_is_no_statistics_is_an_error(answers: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "run_jar", lambda *_, **__: answers)
    with pytest.raises(JavaFailedError, match=r"^METEOR's jar did not return 23 numbers: "):
        meteor([["a"]], [[["a"]]], "hi")


@given(st.lists(st.lists(st.integers(0, 9), min_size=23, max_size=23), min_size=1))
def test_many_sums_are_scored_as_each_alone(rows: list[list[int]]) -> None:
    counts = np.array(rows, dtype=float)
    together = java._score(java._ENGLISH, counts)
    assert together == pytest.approx([float(java._score(java._ENGLISH, row)) for row in counts])
    assert np.isfinite(together).all()
