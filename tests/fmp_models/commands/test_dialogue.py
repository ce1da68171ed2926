"""``ask`` and ``dialogue asked``: a conversation about two photographs, and inputs that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import ROOT, run_here

EXAMPLES = ROOT / "demo" / "examples"
CURRENT, TARGET = str(EXAMPLES / "warrior_current.jpg"), str(EXAMPLES / "warrior_target.jpg")


def test_a_conversation_is_answered_question_by_question(pose_model: Path) -> None:
    done = run_here(
        "ask", CURRENT, TARGET, "Which way does my left arm go?", "and the other one?", FMP_POSE_MODEL=pose_model
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "Which way does my left arm go?",
        "and the other one?",
    ]
    assert lines[1].startswith("  Raise your left arm.")
    assert "  Raise your right arm." in lines[4]


def test_json_has_the_replies_in_the_language_of_the_first_question(pose_model: Path) -> None:
    done = run_here(
        "ask", CURRENT, TARGET, "बायां हाथ किस ओर जाएगा?", "joote utaar du?", "--json", FMP_POSE_MODEL=pose_model
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["language"] == "hi"
    first, second = said["replies"]
    assert (first["outcome"], first["program"], first["parts"]) == (
        "answer",
        "seek(direction, node(left hand))",
        ["left hand"],
    )
    assert (second["outcome"], len(second["suggestions"])) == ("unread", 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "1 to 500 characters"),
        (("how far?",) * 51, "at most 50 questions"),
        (("how far?", "--language", "fr"), "en, hi"),
        (("how far?", "--leave-out", "tail"), "no part called “tail”"),
        ((), "required"),
    ],
)
def test_what_cannot_be_asked_is_told_in_one_sentence(
    arguments: tuple[str, ...], message: str, pose_model: Path
) -> None:
    done = run_here("ask", CURRENT, TARGET, *arguments, FMP_POSE_MODEL=pose_model)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_the_reading_of_questions_asked_by_hand_is_measured() -> None:
    done = run_here("dialogue", "asked", "--half", "development", "--json")
    assert done.returncode == 0, done.stderr
    shares = json.loads(done.stdout)
    assert shares["en"]["development"]["true"]["questions"] > 300
    assert min(of["development"]["own"]["answer"] for of in shares.values()) >= 85
