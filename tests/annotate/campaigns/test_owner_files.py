from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from pathlib import Path

import pytest
from PIL import Image

from annotate.__main__ import main
from annotate.campaigns.campaign import Campaign
from annotate.campaigns.owner_files import MAX_TOML_BYTES, read_items, read_toml
from annotate.errors import RefusedError

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "annotation.md").read_text(encoding="utf-8")
TOML = re.findall(r"^```toml\n(\[\[question.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]
JSONL = re.findall(r"^```jsonl\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]
QUESTION = '[[question]]\nid = "a"\nkind = "scale"\ntext.en = "x"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the examples of the document, and their pictures."""
    for number, name in enumerate(("one", "two", "three")):
        Image.new("RGB", (40, 30), (80 * number, 90, 60)).save(tmp_path / f"{name}.jpg")
    (tmp_path / "questions.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "items.jsonl").write_text(JSONL, encoding="utf-8")
    return tmp_path


def new(folder: Path, *options: str) -> Campaign:
    assert main(["campaign", "new", str(folder / "own"), "--items-from", str(folder / "items.jsonl"), *options]) == 0
    return Campaign.open(folder / "own")


def test_the_examples_of_the_document_make_a_campaign(folder: Path) -> None:
    campaign = new(folder, "--questions", str(folder / "questions.toml"), "--voices", "questions=2")
    asked = {
        (kind, language): [
            (question.item.uid, *(text.source for text in question.texts if kind != "vote"))
            for question in campaign.questions(kind, language)
        ]
        for kind in campaign.kinds
        for language in campaign.languages
    }

    assert campaign.languages == ("en", "hi", "de")
    assert campaign.kinds == ("vote", "write", "verify", "questions")
    assert asked["vote", "en"] == [("squat",)]
    assert asked["vote", "hi"] == asked["vote", "de"] == asked["verify", "de"] == []
    assert asked["verify", "hi"] == [("squat", "model-a")]
    assert asked["write", "en"] == [("squat",)]
    assert asked["questions", "en"] == [
        ("tree",),
        ("tree", "trainer"),
        ("squat",),
        ("squat", "model-a"),
        ("squat", "model-b"),
        ("flow",),
    ]
    assert asked["questions", "de"] == [("tree",), ("squat",), ("flow",), ("flow", "trainer")]
    assert [len(item.pictures) for item in campaign.items] == [1, 2, 3]
    assert {question.voices for question in campaign.questions("questions", "en")} == {2}


def test_items_without_questions_are_asked_what_a_pair_can_be_asked(folder: Path) -> None:
    assert new(folder, "--languages", "en").kinds == ("vote", "write", "verify")


def test_own_texts_of_pairs_can_be_mended(folder: Path) -> None:
    mended = new(folder, "--kinds", "repair,compare", "--languages", "en").questions("repair", "en")
    assert [(one.item.uid, one.texts[0].source) for one in mended] == [("squat", "model-a"), ("squat", "model-b")]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kinds", "questions"], "--questions"),
        (["--kinds", "real_pair"], "--dataset"),
        (["--kinds", "find"], "--dataset"),
        (["--kinds", "compare"], "repair,compare"),
        (["--texts", "a=a_en.json"], "--items-from"),
        (["--gold", "2"], "--gold"),
        (["--languages", "en", "--write-in", "fr"], "--write-in"),
    ],
)
def test_what_own_items_cannot_be_asked_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert main(["campaign", "new", str(folder / "own"), "--items-from", str(folder / "items.jsonl"), *options]) != 0
    error = capsys.readouterr().err.strip()
    assert said in error
    assert "\n" not in error
    assert not (folder / "own").exists()


def test_files_may_begin_with_a_byte_order_mark(folder: Path) -> None:
    for name in ("items.jsonl", "questions.toml"):
        (folder / name).write_bytes(BOM_UTF8 + (folder / name).read_bytes())
    assert "questions" in new(folder, "--questions", str(folder / "questions.toml")).kinds


@pytest.mark.parametrize("option", ["--items-from", "--questions", "--study", "--guidelines"])
def test_a_file_that_is_not_there_is_said_to_be_unreadable(
    folder: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    files = ["--items-from", str(folder / "items.jsonl"), option, str(folder / "none")]
    assert main(["campaign", "new", str(folder / "own"), *files]) != 0
    assert "it cannot be read" in capsys.readouterr().err


def test_single_pictures_need_questions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "items.jsonl").write_text('{"id": "a", "pictures": ["one.jpg"]}', encoding="utf-8")
    assert main(["campaign", "new", str(folder / "own"), "--items-from", str(folder / "items.jsonl")]) != 0
    assert "--questions" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "question: field required"),
        ("question = []", "at least 1"),
        ("[[question", "not valid TOML"),
        ("#" * (MAX_TOML_BYTES + 1), "larger than 1 MB"),
        (QUESTION * 2, "“a” occurs twice"),
        (QUESTION.replace("scale", "likert"), "question.0.kind"),
        (QUESTION.replace('text.en = "x"', ""), "question.0.text"),
        (QUESTION + 'xyzzy = "y"', "question.0.xyzzy"),
        (QUESTION + "optional = 1", "question.0.optional"),
        (QUESTION + 'low = { en = "l" }', "both ends"),
        (QUESTION.replace("scale", "choice"), "2 to 100 choices"),
        (QUESTION.replace("scale", "choice") + 'choices.a.en = "A"', "2 to 100 choices"),
        (QUESTION + 'choices = { a.en = "A", b.en = "B" }', "2 to 100 choices"),
        ("".join(QUESTION.replace('"a"', f'"a{number}"') for number in range(51)), "at most 50"),
    ],
)
def test_unusable_questions_are_refused_in_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "questions.toml").write_text(text, encoding="utf-8")
    with pytest.raises(RefusedError) as refused:
        read_toml(tmp_path / "questions.toml", "questions")
    assert said in refused.value.sentence
    assert "\n" not in refused.value.sentence


def line(**changes: object) -> str:
    return json.dumps({"id": "a", "pictures": ["one.jpg"], **changes})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no lines"),
        ("{", "line 1: "),
        ("[1]", "line 1: "),
        (f"{line()}\n\n{line()}", "line 3: “a” occurs twice"),
        (line(id="../a"), "line 1: id"),
        (line(pictures=[]), "line 1: pictures"),
        (line(pictures=["one.jpg"] * 11), "line 1: pictures"),
        (line(pictures=["none.jpg"]), "line 1: “none.jpg” is not a picture"),
        (line(pictures=["../outside.jpg"]), "line 1: “../outside.jpg” is not a picture"),
        (line(pictures=["link.jpg"]), "line 1: “link.jpg” is not a picture"),
        (line(pictures=["/etc/passwd"]), "line 1: “/etc/passwd” is not a picture"),
        (line(pictures=["items.jsonl"]), "line 1: “items.jsonl” is not a picture"),
        (line(pictures=["a\0b"]), "is not a picture"),
        (line(texts={"m": ""}), "line 1: texts.m"),
        (line(texts={"m": "x" * 4001}), "line 1: texts.m"),
        (line(language="<b>"), "line 1: language"),
        (line(joints=[]), "line 1: joints"),
    ],
)
def test_an_unusable_line_is_refused_by_its_number(folder: Path, text: str, said: str) -> None:
    Image.new("RGB", (9, 9)).save(folder.parent / "outside.jpg")
    (folder / "link.jpg").symlink_to(folder.parent / "outside.jpg")
    (folder / "items.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(RefusedError) as refused:
        read_items(folder / "items.jsonl", lambda _: "x.jpg")
    assert said in refused.value.sentence
    assert "\n" not in refused.value.sentence
