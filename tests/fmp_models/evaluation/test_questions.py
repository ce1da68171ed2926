from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fmp_models.__main__ import main
from fmp_models.errors import BadInputError
from fmp_models.evaluation.questions import QUESTIONS_FILE, ask_questions, question_lines, read_questions
from fmp_models.evaluation.stored_results import QuestionsResult
from fmp_models.inference.retrievers import Retrievers
from fmp_models.inference.target_finder import TargetFinder
from tests.retrievers import TEXTS, ColourEstimator, picture, save_retriever

COLOURS = [(200, 30, 40), (30, 180, 60), (20, 60, 220), (120, 120, 10)]


def folder_of(path: Path, **changes: Any) -> Path:  # noqa: ANN401
    names = []
    for number, colour in enumerate(COLOURS):
        names.append(f"{number}.png")
        (path / names[-1]).write_bytes(picture(*colour))
    (path / "black.png").write_bytes(picture(0, 0, 0))
    question = {"id": "one", "current": names[0], "candidates": names[1:], "answer": 2, "texts": TEXTS, **changes}
    (path / QUESTIONS_FILE).write_text(json.dumps([question]), encoding="utf-8")
    return path


def test_every_question_is_asked_in_a_language_and_its_answer_has_a_rank(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    save_retriever(tmp_path / "tiny", "en", "hi")
    finder = TargetFinder(ColourEstimator(), Retrievers(str(tmp_path / "tiny")))
    questions, fingerprint = read_questions(folder / QUESTIONS_FILE, folder)
    ranking, _ = finder.find(
        (folder / "0.png").read_bytes(), TEXTS["en"], [(folder / f"{n}.png").read_bytes() for n in (1, 2, 3)]
    )

    found = ask_questions(questions, folder, finder, "en")

    rank = 1 + [one.candidate for one in ranking.ranking].index(2)
    assert found.ranks == {"one": rank}
    assert (found.first, found.in_three) == (float(rank == 1), 1.0)
    assert found.refused == []
    assert 0 <= found.intervals["in_three"][0] < found.intervals["in_three"][1] <= 1
    assert "in three 100%, refused 0 of 1" in question_lines([found])
    (folder / "1.png").write_bytes(picture(9, 9, 9))
    assert read_questions(folder / QUESTIONS_FILE, folder)[1] != fingerprint


def test_a_refused_question_is_not_answered_and_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = folder_of(tmp_path, current="black.png")
    save_retriever(tmp_path / "tiny", "en")
    finder = TargetFinder(ColourEstimator(), Retrievers(str(tmp_path / "tiny")))

    found = ask_questions(read_questions(folder / QUESTIONS_FILE, folder)[0], folder, finder, "en")

    assert (found.ranks, found.first, found.refused, found.ms_median) == ({"one": None}, 0.0, ["one"], None)
    assert caplog.messages[0].startswith("one: No person")


def test_answers_are_counted_by_the_kind_of_question(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, kind="seated")
    (one,) = json.loads((folder / QUESTIONS_FILE).read_text(encoding="utf-8"))
    refused = {**one, "id": "two", "current": "black.png"}
    other = {**one, "id": "three", "kind": "standing"}
    plain = {name: value for name, value in one.items() if name != "kind"} | {"id": "four"}
    (folder / QUESTIONS_FILE).write_text(json.dumps([one, refused, other, plain]), encoding="utf-8")
    save_retriever(tmp_path / "tiny", "en")
    finder = TargetFinder(ColourEstimator(), Retrievers(str(tmp_path / "tiny")))

    found = ask_questions(read_questions(folder / QUESTIONS_FILE, folder)[0], folder, finder, "en")

    first = int(found.ranks["one"] == 1)
    assert found.kinds == {"seated": (first, 1, 2), "standing": (first, 1, 1)}
    assert f"\n  seated: the answer first {first}, in three 1 of 2\n" in question_lines([found])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"answer": 3}, "the answer is not the index"),
        ({"candidates": ["1.png"]}, "2 to 20 candidates"),
        ({"texts": {}}, "texts must be in"),
        ({"texts": {"fr": "levez"}}, "texts must be in"),
        ({"texts": {"en": "  "}}, "texts must be in"),
        ({"answer": "first"}, "answer"),
    ],
    ids=str,
)
def test_a_question_that_cannot_be_asked_is_one_sentence(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    folder = folder_of(tmp_path, **changes)

    with pytest.raises(BadInputError) as refusal:
        read_questions(folder / QUESTIONS_FILE, folder)

    assert refusal.value.code == "questions_unusable"
    assert reason in refusal.value.sentence


@pytest.mark.parametrize(("name", "code"), [("lost.png", "picture_missing"), ("../../etc/passwd", "picture_outside")])
def test_a_picture_that_is_not_in_the_folder_is_refused(tmp_path: Path, name: str, code: str) -> None:
    folder = folder_of(tmp_path, current=name)

    with pytest.raises(BadInputError) as refusal:
        read_questions(folder / QUESTIONS_FILE, folder)
    assert refusal.value.code == code


def test_the_command_ends_with_2_without_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate-questions", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.strip().count("\n") == 0


def test_a_language_without_questions_is_said_and_has_no_share() -> None:
    none = QuestionsResult(
        model="", estimator="", language="hi", questions=0, first=0, in_three=0, refused=[], ranks={}
    )
    assert question_lines([none]) == "hi: no question has a text in this language."
