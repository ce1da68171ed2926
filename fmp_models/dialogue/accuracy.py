"""Accuracy of reading: the questions that people asked by hand, and the dialogues of a dataset."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from fmp_models.dialogue.history import round_of
from fmp_models.dialogue.programs import Program, Round, execute, parse_program, resolved
from fmp_models.dialogue.question_reader import read_question
from fmp_models.dialogue.scene_graph import SceneGraph
from fmp_models.pose import pose_pair

_ASKED = Path(__file__).parent / "asked"
HALVES = ("development", "test")


@dataclass(frozen=True)
class AskedQuestion:
    """One question of a person with its intended program, and the reading of the system."""

    question: str
    intended: str
    read: str
    same_program: bool
    same_answer: bool


def read_asked(language: str, half: str | None = None, *, true_history: bool = True) -> list[AskedQuestion]:
    """Return how the questions of a language, or of one half of them, are read.

    With ``true_history``, the questions before are taken as intended; else as the system read them.
    """
    poses = json.loads((_ASKED / "poses.json").read_text(encoding="utf-8"))
    lines = (_ASKED / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if half in {None, row["half"]}]
    found: list[AskedQuestion] = []
    for _, conversation in groupby(rows, lambda row: row["conversation"]):
        questions = list(conversation)
        pair = pose_pair(*(np.array(poses[questions[0][which]]) for which in ("current", "target")))
        found += _read_conversation(questions, SceneGraph.of_pair(pair), language, true_history=true_history)
    return found


def _read_conversation(
    rows: Sequence[Mapping[str, Any]], graph: SceneGraph, language: str, *, true_history: bool
) -> Iterator[AskedQuestion]:
    history: list[Round] = []
    before: list[tuple[Program, ...]] = []
    for row in rows:
        read = read_question(row["question"], language, graph, history, before) or ()
        plain = tuple(resolved(program, graph, history) for program in read)
        said = "; ".join(map(str, plain))
        intended = [parse_program(text) for text in (row["program"], *row["also"]) if text not in {"", "?"}]
        same = (bool(plain) and all(program in intended for program in plain)) or not (plain or intended)
        answers = {execute(program, graph)[:2] for program in intended}
        alike = same or (bool(plain) and all(execute(program, graph)[:2] in answers for program in plain))
        yield AskedQuestion(row["question"], row["program"], said, same, alike)
        followed = tuple(intended[:1]) if true_history else plain
        if followed:
            history.append(joint_round(followed, graph, history))
            before.append(followed)


def joint_round(programs: Sequence[Program], graph: SceneGraph, history: Sequence[Round]) -> Round:
    """Return what a round mentions whose question has several programs, one a part."""
    rounds = [round_of(program, execute(program, graph, history), graph, history) for program in programs]
    nodes = tuple(dict.fromkeys(name for each in rounds for name in each.nodes))
    return Round(rounds[0].focus if len(rounds) == 1 else None, nodes, rounds[0].revealed)
