"""The questions that people asked by hand: each intended program gives the stated answer on its pair of poses."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fmp_models.dialogue
from fmp_models.dialogue import SceneGraph
from fmp_models.dialogue.programs import REFERENCES, execute, parse_program
from fmp_models.pose import JOINTS, Pose, PosePair
from tests.nonempty import nonempty

ASKED = Path(fmp_models.dialogue.__file__).parent / "asked"
CODES = ("en", "hi")
NO_PROGRAM = {"": "unread", "?": "?"}  # joints cannot show it, or no program says it


@cache
def asked(code: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (ASKED / f"{code}.jsonl").read_text(encoding="utf-8").splitlines()]


@cache
def graph_of(current: str, target: str) -> SceneGraph:
    poses = json.loads((ASKED / "poses.json").read_text(encoding="utf-8"))
    seen = np.ones(len(JOINTS))
    return SceneGraph.of_pair(PosePair(*(Pose(np.array(poses[name]), seen) for name in (current, target))))


def answer_of(row: dict[str, Any]) -> str:
    if row["program"] in NO_PROGRAM:
        return NO_PROGRAM[row["program"]]
    found = execute(parse_program(row["program"]), graph_of(row["current"], row["target"]))
    return found.value if found.outcome == "answer" else found.outcome


def programs_of(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [text for row in rows for text in (row["program"], *row["also"]) if text not in NO_PROGRAM]


@pytest.mark.parametrize("code", CODES)
def test_every_intended_program_gives_the_stated_answer(code: str) -> None:
    rows = asked(code)
    assert [(row["question"], answer_of(row)) for row in rows] == [(row["question"], row["answer"]) for row in rows]


@pytest.mark.parametrize("code", CODES)
def test_programs_are_in_their_own_form_and_need_no_conversation(code: str) -> None:
    programs = nonempty(programs_of(asked(code)))
    parsed = [parse_program(text) for text in programs]
    assert [str(program) for program in parsed] == programs
    assert REFERENCES.isdisjoint(step.op for program in parsed for step in program.walk())


@pytest.mark.parametrize("code", CODES)
def test_twenty_conversations_are_kept_for_the_figure(code: str) -> None:
    rows = asked(code)
    conversations = len(rows) // 5
    assert [(row["conversation"], row["round"]) for row in rows] == [
        (conversation, number) for conversation in range(1, conversations + 1) for number in range(1, 6)
    ]
    assert {row["conversation"] for row in rows if row["half"] == "test"} == {
        *range(21, 31),
        *range(conversations - 9, conversations + 1),
    }
    assert {row["half"] for row in rows if row["half"] != "test"} == {"development"}
    tested = {(row["current"], row["target"]) for row in rows[:150]}
    assert len(tested) == 30
    unread = Counter(row["half"] for row in rows if not row["program"])
    assert unread.keys() == {"development", "test"}


def test_a_quarter_of_the_hindi_questions_is_in_latin_letters() -> None:
    latin = [row["half"] for row in asked("hi") if row["question"].isascii()]
    assert 0.2 <= len(latin) / len(asked("hi")) <= 0.3
    assert set(latin) == {"development", "test"}
