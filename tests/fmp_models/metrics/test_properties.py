"""Shares of linguistic properties: of any file of texts, and in the output of the commands that score."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from fmp_models.metrics.properties import property_shares, read_texts
from tests.commands import run_here

ENGLISH = ["Move your left foot back away from the sofa.", "Bend your knee as if you kick a ball."]
HINDI = "अपने दाहिने हाथ को सोफ़े की ओर ले जाएं।"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("texts.json", json.dumps({"a": ENGLISH, "b": HINDI})),
        ("texts.json", json.dumps([{"uid": "a b c", "sents": ENGLISH, "sents_hindi": [HINDI]}])),
        ("texts.jsonl", "\n".join(json.dumps({"text": text, "by": "somebody"}) for text in [*ENGLISH, HINDI])),
        ("texts.txt", "\n\n".join([*ENGLISH, HINDI])),
    ],
)
def test_texts_of_any_file_are_read_by_their_language(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert read_texts(path) == {"en": ENGLISH, "hi": [HINDI]}
    printed = run_here("properties", path).stdout
    assert "texts" in printed.splitlines()[0]
    assert f"{name} en" in printed
    assert printed.splitlines()[-1].split() == [
        "paper,",
        "by",
        "hand,",
        "English",
        "50",
        "100.0",
        "52.0",
        "58.0",
        "18.0",
    ]
    shares = json.loads(run_here("properties", path, "--json").stdout)[str(path)]["en"]
    assert shares == {"n": 2, "egocentric": 1, "environmental": 0.5, "implied": 0, "analogous": 0.5}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("texts.json", b"", "not valid JSON"),
        ("texts.json", b"[" * 100_000, "must be JSON"),
        ("texts.jsonl", b"{}\n{", "from line 2"),
        ("texts.txt", b"", "contains no text"),
        ("texts.txt", b"\xff\xfe", "not UTF-8"),
        ("texts.txt", "Поднимите руку".encode(), "contains no text"),
        ("texts.txt", b"left " * 2000, "longer than 5000"),
        ("texts.json", b"[1, null, {}]", "contains no text"),
    ],
)
def test_what_holds_no_texts_is_refused_in_one_sentence(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInputError, match=message):
        read_texts(path)


def test_a_score_tells_the_properties_of_predictions_and_references(tmp_path: Path) -> None:
    predictions, references = tmp_path / "predictions.json", tmp_path / "references.json"
    predictions.write_text(json.dumps({"a": ENGLISH[0]}), encoding="utf-8")
    references.write_text(json.dumps({"a": ENGLISH}), encoding="utf-8")
    words = ("score", predictions, references, "--language", "en", "--tokeniser", "regex")
    shares = json.loads(run_here(*words, "--json").stdout)["properties"]
    assert {name: (of["n"], of["analogous"]) for name, of in shares.items()} == {
        "predictions": (1, 0),
        "references": (2, 0.5),
    }
    assert "paper, by hand, English" in run_here(*words).stdout


def test_a_language_without_signs_has_no_shares() -> None:
    assert property_shares(["tourne la tête"], "fr") == {}


def test_people_refer_to_themselves_and_the_room_about_as_often_as_the_paper_counted(shared: Path) -> None:
    texts = read_texts(shared / "data" / "fixmypose" / "valid_seen_NC.json")
    assert [round(100 * share, 1) for share in property_shares(texts["en"], "en").values()][1:] == [
        98.7,
        45.0,
        58.4,
        12.7,
    ]
