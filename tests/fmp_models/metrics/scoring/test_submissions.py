"""What is refused of the two files, and what is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.errors import BadInputError
from fmp_models.metrics.scoring.submissions import MAX_CHARS, read_submission

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
