"""``edit``: a text made right for two photographs, and inputs that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import ROOT, run_here

EXAMPLES = ROOT / "demo" / "examples"
CURRENT, TARGET = str(EXAMPLES / "warrior_current.jpg"), str(EXAMPLES / "warrior_target.jpg")
FALSE = "Lower both arms to shoulder height. Great job!"


def test_the_edit_is_one_line_below_the_mended_text(pose_model: Path) -> None:
    done = run_here("edit", CURRENT, TARGET, FALSE, FMP_POSE_MODEL=pose_model)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "Raise both arms to shoulder height. Great job!",
        "[-Lower-] {+Raise+} both arms to shoulder height. Great job!",
    ]


def test_a_right_text_is_printed_as_it_is(pose_model: Path) -> None:
    text = "Raise both arms, and think of the sea."
    assert run_here("edit", CURRENT, TARGET, text, FMP_POSE_MODEL=pose_model).stdout == f"{text}\n"


def test_json_has_the_text_every_operation_and_the_clauses_in_the_language_of_the_script(pose_model: Path) -> None:
    done = run_here("edit", CURRENT, TARGET, "अपने दोनों हाथ नीचे लाएं", "--json", FMP_POSE_MODEL=pose_model)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["text"], answer["language"]) == ("अपने दोनों हाथ ऊपर उठाएं", "hi")
    assert (answer["rounds"], answer["editing_steps"], answer["model"]["id"]) == (2, 4, "rules")
    assert [(one["op"], one["token"], one["round"], one["reason"]) for one in answer["operations"]][3:] == [
        ("DELETE", "नीचे", 1, "false"),
        ("DELETE", "लाएं", 1, "false"),
        ("ADD", "ऊपर", 1, "false"),
        ("ADD", "उठाएं", 2, "false"),
    ]
    assert [clause["agrees"] for clause in answer["clauses"]] == [True]
    assert [clause["agrees"] for clause in answer["removed"]] == [False]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "the description is empty"),
        ((" ... ",), "the description is empty"),
        (("a" * 1001,), "longer than 1000 characters"),
        (("подними руку",), "neither in English nor in Hindi"),
        (("हाथ उठाएं", "--language", "en"), "not in the script of “en”"),
        (("raise an arm", "--language", "fr"), "one of: en, hi"),
        (("raise an arm", "--model", "nobody"), "“nobody”"),
        (("raise an arm", "--leave-out", "tail"), "no part called “tail”"),
        ((), "required"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments: tuple[str, ...], message: str, pose_model: Path) -> None:
    done = run_here("edit", CURRENT, TARGET, *arguments, FMP_POSE_MODEL=pose_model)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
