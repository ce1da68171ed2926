"""Texts that are canonically equal, or differ in what is not seen, have equal scores by every metric."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.languages.scripts import canonical
from fmp_models.languages.vocabulary import SPECIALS, Vocabulary
from fmp_models.metrics.body_parts import MovedGroups
from fmp_models.metrics.scoring import Scores, score_texts
from tests.commands import run_here
from tests.thoroughness import examples, thorough

NUKTA = {chr(0x958 + at): unicodedata.normalize("NFD", chr(0x958 + at)) for at in range(8)}
WORDS = ["बाएं", "दाहिने", "हाथ", "घुटने", "को", "मोड़ें", "ऊपर", "उठाएं", "कुर्सी", "की", "ओर", "पैर", "पढ़ें", "।"]
LETTERS = "".join(NUKTA) + "कखगऩऱऴ़्ािीुंँ १.,-"
TEXT = st.lists(st.sampled_from(WORDS) | st.text(LETTERS, max_size=6), min_size=1, max_size=8).map(" ".join)
INSTANCES = st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=3)
UNSEEN = "\u200c\u2060\ufeff\u00ad"


def precomposed(text: str) -> str:
    for single, several in NUKTA.items():
        text = text.replace(several, single)
    return text


def mixed(text: str) -> str:
    return "".join(precomposed(word) if at % 2 else unicodedata.normalize("NFD", word) for at, word in _words(text))


def _words(text: str) -> list[tuple[int, str]]:
    return list(enumerate(word for part in text.split(" ") for word in (part, " ")))[:-1]


def sprinkled(mark: str) -> Callable[[str], str]:
    return lambda text: mark.join(unicodedata.normalize("NFC", text))


def of(instances: list[tuple[str, list[str]]], respell: Callable[[str], str] = str) -> Scores:
    """Scores without Java; the references keep their spelling."""
    count = len(instances)
    moved = MovedGroups(*(np.ones(shape, dtype=np.bool_) for shape in (count, (count, 22), (count, 22))))
    return score_texts(
        {str(at): respell(text) for at, (text, _) in enumerate(instances)},
        {str(at): several for at, (_, several) in enumerate(instances)},
        "hi",
        moved=moved,
        tokeniser="regex",
    )


def values(scores: Scores) -> dict[str, list[float]]:
    both = {**scores.measured, **{f"intended {name}": one for name, one in scores.intended.items()}}
    return {name: one.instances.tolist() for name, one in both.items()}


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("no_java")
class TestWithoutJava:
    @given(instances=INSTANCES)
    @examples(100, quick=15)
    def test_canonically_equal_texts_score_as_equal(self, instances: list[tuple[str, list[str]]]) -> None:
        expected = values(of(instances))
        for respell in (lambda text: unicodedata.normalize("NFC", text), precomposed, mixed, *map(sprinkled, UNSEEN)):
            assert values(of(instances, respell)) == expected
        # The released tokeniser cuts a word at a joiner; every other number is the same.
        joined = of(instances, sprinkled("\u200d"))
        matches = {name: value for name, value in expected.items() if "match" in name}
        assert {name: values(joined)[name] for name in matches} == matches
        for name in ("bleu4", "cider", "rouge_l"):
            assert values(joined).get(f"intended {name}", expected[name]) == expected[name]


@pytest.mark.usefixtures("no_java")
def test_a_joiner_is_said_and_its_word_is_whole_as_intended() -> None:
    plain = [("घुटने मोड़ें क्या", ["घुटने मोड़ें क्या"]), ("हाथ उठाएं", ["सिर झुकाएं"])]
    joined = [("घुटने मोड़ें क्\u200dया", ["घुटने मोड़ें क्या"]), plain[1]]
    scores, expected = of(joined), of(plain)
    assert scores.measured["bleu1"].value < expected.measured["bleu1"].value
    assert scores.intended["bleu1"].value == expected.measured["bleu1"].value
    assert any("1 of 4 texts contain the joiner" in note for note in scores.notes)


@pytest.mark.usefixtures("no_java")
def test_respelt_texts_are_said() -> None:
    notes = of([("पढ़ें", ["पढ़ें"])], precomposed).notes
    assert any("1 of 2 texts were normalised" in note for note in notes)
    assert not any("of 2 texts" in note for note in of([("पढ़ें", ["पढ़ें"])]).notes)


@pytest.mark.parametrize(
    "text", ["caf\u00e9\u00a0noir", "cafe\u0301 noir", "caf\u00e9\u3000no\u00adir", "café\u200bnoir"]
)
def test_latin_and_spaces_have_one_spelling_too(text: str) -> None:
    assert canonical(text) == "caf\u00e9 noir"


def test_the_vocabulary_reads_every_spelling_alike(tmp_path: Path) -> None:
    meant = Vocabulary("hi", (*SPECIALS, "पढ़ें", "क्या"))
    for text in ("पढ़ें क्या", precomposed("पढ़ें क्या"), "पढ़ें क्\u200dया", "पढ़ें\u00a0क्\u200cया"):
        assert meant.encode(text, ends=False) == [4, 5]
    other = Vocabulary("hi", (*SPECIALS, precomposed("पढ़ें"), "क्\u200dया"))
    other.save(tmp_path)
    assert Vocabulary.load(tmp_path, "hi").encode("पढ़ें क्या", ends=False) == [4, 5]


def test_a_prediction_of_what_is_not_seen_is_empty(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text('{"a": "\\u200d \\u200b\\ufeff"}')
    (tmp_path / "r.json").write_text('{"a": ["bend"]}')
    done = run_here("score", tmp_path / "p.json", tmp_path / "r.json", "--language", "en")
    assert done.returncode == 2
    assert "is empty" in done.stderr


@thorough
def test_the_field_files_score_as_their_references_do(shared: Path, tmp_path: Path) -> None:
    field = shared / "data" / "field"
    asked = (field / "nukta_r.json", "--language", "hi", "--tokeniser", "regex", "--json")
    composed, single = (
        json.loads(run_here("score", field / f"nukta_self{name}.json", *asked, PATH=tmp_path).stdout)
        for name in ("", "_pre")
    )
    assert composed.pop("notes") != single.pop("notes")
    assert single == composed
    assert single["bleu1"] == pytest.approx(1)
