import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.metrics.ngram import java
from fmp_models.metrics.ngram import meteor as room
from fmp_models.metrics.ngram.java import (
    METEOR_JAR,
    METEOR_PARAPHRASES,
    PTB_JAR,
    JavaFailedError,
    path_of,
    run_jar,
)
from fmp_models.metrics.ngram.meteor import meteor
from fmp_models.metrics.ngram.tokens import tokenise
from tests.java import needs_java
from tests.thoroughness import thorough

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
        room, "run_jar", lambda *arguments, **options: answers.extend(run_jar(*arguments, **options)) or answers
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
    monkeypatch.setattr(room, "run_jar", lambda *_, **__: answers)
    with pytest.raises(JavaFailedError, match=r"^METEOR's jar did not return 23 numbers: "):
        meteor([["a"]], [[["a"]]], "hi")


@given(st.lists(st.lists(st.integers(0, 9), min_size=23, max_size=23), min_size=1))
def test_many_sums_are_scored_as_each_alone(rows: list[list[int]]) -> None:
    counts = np.array(rows, dtype=float)
    together = room._score(room._ENGLISH, counts)
    assert together == pytest.approx([float(room._score(room._ENGLISH, row)) for row in counts])
    assert np.isfinite(together).all()
