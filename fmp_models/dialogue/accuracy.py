"""Accuracy of answers: to questions that people asked by hand, and in the dialogues of a dataset.

Questions are answered with the true history, or with the system's own reading of the questions before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import numpy as np

from fmp_models.dialogue.conversation import joint_round
from fmp_models.dialogue.history import round_of
from fmp_models.dialogue.programs import Program, Round, execute, parse_program, resolved
from fmp_models.dialogue.question_reader import read_question
from fmp_models.dialogue.scene_graph import SceneGraph
from fmp_models.dialogue.wording import value_text
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
    return plain.mapped(lambda inner: _canonical(inner, graph))


# Published figures of CLEVR-Dialog: scenes of up to ten objects, networks trained on its templates.
PUBLISHED = {
    "NSVD, true history": 0.9972,
    "NSVD, own history": 0.9972,
    "MAC with history, true history": 0.9734,
    "MAC with history, own history": 0.4110,
    "CorefNMN": "35 points above a guess from the question alone, 30 points lower with coreference than without",
}
_TRUE, _OWN = "true history", "own history"
_RANDOM, _RANDOM_Q = "random", "random answer of the question's kind"
_WITHOUT, _UNPHRASED = "without history", "without the phrasings"


def dialogue_accuracy(dialogues: Iterable[tuple[SceneGraph, Sequence[Mapping[str, Any]]]]) -> dict[str, Any]:
    """Return the accuracy of answers with true and own history, by distance and kind, and those of three baselines."""
    told = [(graph, list(rows)) for graph, rows in dialogues]
    of_kind: dict[tuple[str, str], list[str]] = {}
    for _, rows in told:
        for row in rows:
            of_kind.setdefault((row["language"], row["kind"]), []).append(row["answer"])
    choice = Random(0)
    right: dict[str, list[tuple[Mapping[str, Any], bool]]] = {}
    for graph, rows in told:
        for way in (_TRUE, _OWN, _WITHOUT, _UNPHRASED):
            right.setdefault(way, []).extend(zip(rows, _right_answers(graph, rows, way), strict=True))
        for row in rows:
            kinds = {kind: answers for (code, kind), answers in of_kind.items() if code == row["language"]}
            among = {
                _RANDOM: {answer for answers in kinds.values() for answer in answers},
                _RANDOM_Q: {*kinds[row["kind"]]},
            }
            for way, answers in among.items():
                same = choice.choice(sorted(answers)) == row["answer"]
                right.setdefault(way, []).append((row, same))
    return {
        "dialogues": len(told),
        "questions": len(right.get(_TRUE, ())),
        "answers": {way: _shares(found) for way, found in right.items()},
        "published": PUBLISHED,
    }


def _right_answers(graph: SceneGraph, rows: Sequence[Mapping[str, Any]], way: str) -> Iterator[bool]:
    """Yield for each question of a dialogue whether it is answered rightly."""
    caption = parse_program(rows[0]["caption_program"])
    history = [round_of(caption, execute(caption, graph), graph)]
    for row in rows:
        before = history if way != _WITHOUT else []
        known = way != _UNPHRASED
        read = read_question(row["question"], row["language"], graph, before, phrasings_known=known) or ()
        answers = [execute(program, graph, before) for program in read]
        texts = {value_text(answer, program, row["language"]) for answer, program in zip(answers, read, strict=True)}
        yield texts == {row["answer"]}
        true = parse_program(row["program"])
        if way == _OWN and len(read) > 1:
            history.append(joint_round(read, graph, history))
        else:
            followed = true if way != _OWN else read[0] if read else None
            if followed is not None:
                history.append(round_of(followed, execute(followed, graph, history), graph, history))


def _shares(found: Sequence[tuple[Mapping[str, Any], bool]]) -> dict[str, Any]:
    """Return the accuracy of answers, by kind, dependence and distance, and the mean round of the first wrong one."""
    by: dict[str, dict[str, list[bool]]] = {"by_distance": {}, "by_kind": {}, "by_dependence": {}, "by_language": {}}
    first: dict[str, int] = {}
    for row, right in found:
        keys = (str(row["distance"]), row["kind"], row["dependence"], row["language"])
        for table, key in zip(by.values(), keys, strict=True):
            table.setdefault(key, []).append(right)
        first[row["dialogue_id"]] = first.get(row["dialogue_id"]) or (0 if right else row["round"])
    failed = [number for number in first.values() if number]
    return {
        "accuracy": fmean(right for _, right in found),
        "first_failure": fmean(failed) if failed else None,
        "dialogues_without_failure": len(first) - len(failed),
        **{name: {key: fmean(values) for key, values in sorted(table.items())} for name, table in by.items()},
    }
