"""Accuracy of reading: the questions that people asked by hand, and the dialogues of a dataset."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from fmp_models.dialogue.conversation import joint_round
from fmp_models.dialogue.programs import Program, Round, execute, parse_program, resolved
from fmp_models.dialogue.question_reader import read_question
from fmp_models.dialogue.scene_graph import SceneGraph
from fmp_models.pose import pose_pair

_ASKED = Path(__file__).parent / "asked"
_NONE = {"", "?"}  # in place of a program: joints do not show it, or no program says it
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


def asked_shares(language: str, half: str) -> dict[str, dict[str, int]]:
    """Return how many questions of a half are read as the intended program, and how many get its answer."""
    shares = {}
    for name, true_history in (("true", True), ("own", False)):
        read = read_asked(language, half, true_history=true_history)
        same, alike = sum(one.same_program for one in read), sum(one.same_answer for one in read)
        shares[name] = {"questions": len(read), "program": same, "answer": alike}
    return shares


def _read_conversation(
    rows: Sequence[Mapping[str, Any]], graph: SceneGraph, language: str, *, true_history: bool
) -> Iterator[AskedQuestion]:
    history: list[Round] = []
    for row in rows:
        read = read_question(row["question"], language, graph, history) or ()
        plain = [_canonical(program, graph, history) for program in read]
        intended = [
            _canonical(parse_program(text), graph) for text in (row["program"], *row["also"]) if text not in _NONE
        ]
        same = (bool(plain) and all(program in intended for program in plain)) or not (plain or intended)
        answers = {execute(program, graph)[:2] for program in intended}
        alike = same or (bool(plain) and all(execute(program, graph)[:2] in answers for program in plain))
        yield AskedQuestion(row["question"], row["program"], "; ".join(map(str, plain)), same, alike)
        followed = read if same or not true_history else intended[:1]
        if followed:
            history.append(joint_round(followed, graph, history))


def _canonical(program: Program, graph: SceneGraph, history: Sequence[Round] = ()) -> Program:
    """Return a program with explicit nodes, and the names of sets that are left and right."""
    plain = resolved(program, graph, history)
    if plain.op == "each":
        return Program("these", ("; ".join(execute(Program("which", (plain,)), graph).nodes),))
    args = (_canonical(arg, graph) if isinstance(arg, Program) else arg for arg in plain.args)
    return Program(plain.op, tuple(args))
