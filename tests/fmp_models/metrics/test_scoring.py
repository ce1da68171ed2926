"""All scores together: parity with the released scripts, left-out metrics, and the reader of the scored files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.errors import BadInputError
from fmp_models.metrics.body_parts import MovedGroups
from fmp_models.metrics.java import Tokeniser
from fmp_models.metrics.scoring import MAX_CHARS, METRICS, Scores, read_submission, score_texts
from tests.java import needs_java
from tests.thoroughness import thorough
from tests.without_unix import unix_alone

CORPUS = {"bleu1": 1e-4, "bleu2": 1e-4, "bleu3": 1e-4, "bleu4": 1e-4, "cider": 1e-4, "rouge_l": 1e-4, "meteor": 1e-3}
CORPUS |= {"object_match": 1e-6, "direction_match": 1e-6}
INSTANCE = {"bleu4": 1e-4, "cider": 1e-4, "rouge_l": 1e-4, "object_match": 1e-6, "direction_match": 1e-6}

PREDICTIONS = {"a": "bend your knees and raise your left hand", "b": "turn to the right"}
REFERENCES = {"a": ["bend both knees.", "raise the left hand"], "b": ["turn your body to the right.", "turn right"]}


def score_oracle(oracle: dict[str, Any], language: str, tokeniser: Tokeniser) -> Scores:
    instances = oracle["instances"]
    moved = MovedGroups(*(np.ones(shape, dtype=np.bool_) for shape in (562, (562, 22), (562, 22))))
    return score_texts(
        {uid: instance["prediction"] for uid, instance in instances.items()},
        {uid: instance["references"] for uid, instance in instances.items()},
        language,
        moved=moved,
        tokeniser=tokeniser,
    )


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide every program of the machine; without them METEOR, which takes ten seconds to begin, is left out."""
    monkeypatch.setenv("PATH", str(tmp_path))


@needs_java
@thorough
def test_every_score_of_human_texts_is_the_released_one(oracle: dict[str, Any], language: str) -> None:
    scores = score_oracle(oracle, language, "ptb")
    values = {name: measurement.value for name, measurement in scores.measured.items()}
    assert set(values) == set(METRICS)
    for name, slack in CORPUS.items():
        print(f"{language} {name}: {values[name]:.6f}, released {oracle['corpus'][name]:.6f}")  # noqa: T201
        assert values[name] == pytest.approx(oracle["corpus"][name], abs=slack), name
    assert values["body_part_match"] == pytest.approx(oracle["corpus"]["body_part_match_all_moved"], abs=1e-6)
    for name, slack in INSTANCE.items():
        released = [oracle["instances"][uid]["scores"][name] for uid in scores.uids]
        np.testing.assert_allclose(scores.measured[name].instances, released, atol=slack, err_msg=name)


@pytest.mark.usefixtures("no_java")
def test_without_the_released_tokeniser_scores_stay_near(oracle: dict[str, Any], language: str) -> None:
    scores = score_oracle(oracle, language, "regex")
    for name in ("bleu4", "cider", "rouge_l"):
        assert scores.measured[name].value == pytest.approx(oracle["corpus"][name], abs=2e-3), name
    assert any("tokenise" in note.lower() for note in scores.notes)


@pytest.mark.usefixtures("no_java")
def test_a_prediction_that_is_a_reference_scores_full() -> None:
    scores = score_texts(
        {"a": "bend your left knee a lot"}, {"a": ["bend your left knee a lot", "kneel"]}, "en", tokeniser="regex"
    )
    assert scores.measured["bleu4"].value == pytest.approx(1, abs=1e-6)
    assert scores.measured["rouge_l"].value == pytest.approx(1)


@pytest.mark.usefixtures("no_java")
def test_without_java_texts_are_cut_otherwise_and_meteor_is_left_out_in_words() -> None:
    scores = score_texts(PREDICTIONS, REFERENCES, "en")
    assert scores.tokeniser == "regex"
    assert "meteor" not in scores.measured
    assert "METEOR is left out: Java is not installed." in scores.notes


@pytest.mark.usefixtures("no_java")
def test_a_tokeniser_that_was_asked_for_is_not_replaced() -> None:
    with pytest.raises(BadInputError, match=r"Java is not installed\. Omit --tokeniser"):
        score_texts(PREDICTIONS, REFERENCES, "en", tokeniser="ptb")


@unix_alone
def test_a_java_that_fails_costs_no_other_score(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program of that name which knows its version and nothing else."""
    fake = tmp_path / "java"
    fake.write_text('#!/bin/sh\n[ "$1" = -version ] && exit 0\necho "Error: no memory" >&2\nexit 1\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    scores = score_texts(PREDICTIONS, REFERENCES, "en")
    assert scores.tokeniser == "regex"
    assert scores.measured["bleu1"].value > 0
    assert any("Error: no memory" in note for note in scores.notes)


@pytest.mark.usefixtures("no_java")
def test_body_part_match_is_of_the_pairs_with_joints() -> None:
    known = np.array([True, False])
    moved = MovedGroups(known, np.ones((2, 22), dtype=np.bool_), np.ones((2, 22), dtype=np.bool_))
    scores = score_texts(PREDICTIONS, REFERENCES, "en", moved=moved, tokeniser="regex")
    measured = scores.measured["body_part_match"]
    assert measured.value == measured.instances[0] > 0
    assert np.isnan(measured.instances[1])
    assert "Body-part-match is of the 1 of 2 pairs that have joints." in scores.notes


def test_a_language_without_word_lists_keeps_the_other_scores() -> None:
    scores = score_texts({"a": "pliez les genoux"}, {"a": ["pliez un genou"]}, "fr", tokeniser="regex")
    assert "object_match" not in scores.measured
    assert "rouge_l" in scores.measured
    assert any("word lists" in note for note in scores.notes)


@pytest.mark.parametrize(("predictions", "references"), [({}, {}), ({"a": "x"}, {"b": ["x"]}), ({"a": "x"}, {"a": []})])
def test_what_does_not_match_is_refused(predictions: dict[str, str], references: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match=r"pairs|reference"):
        score_texts(predictions, references, "en", tokeniser="regex")


GOOD = {"1_0_0_0_0": "bend your knees"}
MEANT = {"1_0_0_0_0": ["bend both knees", "go down"]}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "predictions.json", tmp_path / "references.json"


def write(path: Path, content: object) -> None:
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def test_predictions_come_in_the_order_of_the_references(files: tuple[Path, Path]) -> None:
    write(files[0], {"b": "go up", "a": "go down"})
    write(files[1], {"a": ["down"], "b": ["up", "rise"]})
    predictions, references = read_submission(*files, "en")
    assert list(predictions.items()) == [("a", "go down"), ("b", "go up")]
    assert references == {"a": ["down"], "b": ["up", "rise"]}


def test_a_byte_order_mark_and_an_empty_reference_beside_another_are_no_fault(files: tuple[Path, Path]) -> None:
    write(files[0], b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    write(files[1], {"1_0_0_0_0": ["", "go down"]})
    assert read_submission(*files, "en")[0] == GOOD


def test_untranslated_texts_among_hindi_ones_are_no_fault(files: tuple[Path, Path]) -> None:
    write(files[0], {"a": "अपने घुटने मोड़ें।", "b": "घुटने मोड़ें"})
    write(files[1], {"a": ["अपने घुटनों को मोड़ें।"], "b": ["knees down", "अपने घुटनों को मोड़ें।"]})
    assert len(read_submission(*files, "hi")[0]) == 2


@pytest.mark.parametrize(
    ("predictions", "references", "language", "code"),
    [
        (None, MEANT, "en", "file_unreadable"),
        (b"", MEANT, "en", "json_broken"),
        (b"{", MEANT, "en", "json_broken"),
        (b"\xff\xfe{\x00}\x00", MEANT, "en", "not_utf8"),
        (json.dumps(GOOD).replace("knees", "kn\xe9es").encode("latin-1"), MEANT, "en", "not_utf8"),
        ({}, MEANT, "en", "json_empty"),
        (GOOD, {}, "en", "json_empty"),
        ([GOOD], MEANT, "en", "json_unexpected"),
        ("bend", MEANT, "en", "json_unexpected"),
        (b"[" * 100_000, MEANT, "en", "json_unexpected"),
        (b'{"a": ' + b"9" * 10_000 + b"}", MEANT, "en", "json_unexpected"),
        ({"1_0_0_0_0": ["bend"]}, MEANT, "en", "json_value_unexpected"),
        ({"1_0_0_0_0": None}, MEANT, "en", "json_value_unexpected"),
        (b'{"1_0_0_0_0": "\\ud800"}', MEANT, "en", "json_value_unexpected"),
        (b'{"\\udfff": "bend"}', MEANT, "en", "json_unexpected"),
        (GOOD, {"1_0_0_0_0": "bend both knees"}, "en", "json_value_unexpected"),
        (GOOD, {"1_0_0_0_0": ["bend", 3]}, "en", "json_value_unexpected"),
        (b'{"a": "bend", "a": "lift"}', {"a": ["bend"]}, "en", "uid_twice"),
        ({"2_0_0_0_0": "bend"}, MEANT, "en", "predictions_lacking"),
        ({**GOOD, "2_0_0_0_0": "bend"}, MEANT, "en", "references_lacking"),
        (GOOD, {**MEANT, "2_0_0_0_0": ["bend"]}, "en", "predictions_lacking"),
        ({"1_0_0_0_0": " \n"}, MEANT, "en", "prediction_empty"),
        (GOOD, {"1_0_0_0_0": []}, "en", "references_missing"),
        (GOOD, {"1_0_0_0_0": ["", " "]}, "en", "references_missing"),
        (GOOD, {"1_0_0_0_0": ["bend"] * 51}, "en", "references_too_many"),
        ({"1_0_0_0_0": "bend " * 1_001}, MEANT, "en", "text_too_long"),
        ({"1_0_0_0_0": "अपने घुटने मोड़ें।"}, MEANT, "en", "text_foreign"),
        (GOOD, {"1_0_0_0_0": ["अपने घुटने मोड़ें।", "bend"]}, "en", "text_foreign"),
        (GOOD, {"1_0_0_0_0": ["अपने घुटनों को मोड़ें।"]}, "hi", "texts_foreign"),
        (GOOD, MEANT, "fr", "unknown_language"),
    ],
)
def test_a_fault_of_a_file_is_told_in_one_sentence(
    predictions: object, references: object, language: str, code: str, files: tuple[Path, Path]
) -> None:
    for path, content in zip(files, (predictions, references), strict=True):
        if content is not None:
            write(path, content)
    with pytest.raises(BadInputError) as refused:
        read_submission(*files, language)
    assert refused.value.code == code
    assert "\n" not in refused.value.sentence
    assert refused.value.sentence.endswith(".")
    assert len(refused.value.sentence) < 400


def test_a_file_that_is_too_large_is_not_read_to_its_end(files: tuple[Path, Path]) -> None:
    with files[0].open("wb") as file:
        file.truncate(10**12)  # a hole, which takes no space
    write(files[1], MEANT)
    with pytest.raises(BadInputError, match="larger than 50 MB"):
        read_submission(*files, "en")


def test_a_name_in_a_refusal_cannot_steer_a_terminal(files: tuple[Path, Path]) -> None:
    write(files[0], {"\u001b[31m\n\u202ered": "bend"})
    write(files[1], MEANT)
    with pytest.raises(BadInputError) as refused:
        read_submission(*files, "en")
    assert refused.value.sentence.isprintable()


def test_the_longest_text_that_is_allowed_is_read(files: tuple[Path, Path]) -> None:
    write(files[0], {"a": "x" * MAX_CHARS})
    write(files[1], {"a": ["x"]})
    assert read_submission(*files, "en")


@given(
    st.binary(max_size=60) | st.recursive(st.none() | st.text() | st.floats(), st.lists).map(json.dumps).map(str.encode)
)
def test_no_bytes_at_all_do_more_than_be_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("bytes", numbered=True)
    predictions, references = folder / "p.json", folder / "r.json"
    predictions.write_bytes(data)
    write(references, MEANT)
    with pytest.raises(BadInputError):
        read_submission(predictions, references, "en")
