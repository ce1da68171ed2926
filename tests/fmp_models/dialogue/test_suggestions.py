"""Suggested questions of a conversation about photographs: each has an answer, and none was answered before."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo.examples.catalogue import FOLDER
from fmp_models.dialogue import SceneGraph, ask_about, converse, first_questions
from fmp_models.estimators import open_estimator
from fmp_models.inference import Corrector, load_correction_model
from tests.thoroughness import one_of


@pytest.fixture(scope="module", params=one_of(["warrior", "squat", "tree", "side_stretch"], 1))
def graph(request: pytest.FixtureRequest, pose_model: Path) -> SceneGraph:
    corrector = Corrector(open_estimator(str(pose_model)), [load_correction_model("geometry")])
    files = ((FOLDER / f"{request.param}_{moment}.jpg").read_bytes() for moment in ("current", "target"))
    pair = corrector.measure(*files).pair
    assert pair is not None
    return SceneGraph.of_pair(pair)


@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_visitor_who_only_presses_suggestions_is_always_answered(
    graph: SceneGraph, language: str, place: int
) -> None:
    asked, suggested = [], first_questions(graph, language)
    for _ in range(4):
        asked.append(suggested[place])
        suggested = ask_about(graph, asked[-1], language, asked[:-1]).suggestions

    replies = converse(graph, asked, language)

    assert {len(set(reply.suggestions)) for reply in replies} == {3}
    assert [(reply.question, reply.outcome) for reply in replies] == [(question, "answer") for question in asked]
    assert not [reply for reply in replies if reply.question in reply.suggestions]


def test_after_a_part_its_other_side_is_suggested(graph: SceneGraph) -> None:
    (name, *_) = (one for one in graph.counted if one.startswith("left") and one in graph.movements)

    suggested = ask_about(graph, f"Which way does my {name} move?", "en").suggestions

    assert "And the other one?" in suggested


def test_the_first_questions_are_said_by_the_visitor_and_refer_to_nothing_before(graph: SceneGraph) -> None:
    first = first_questions(graph, "en")
    assert not [text for text in first if "your" in text or "other" in text]


def test_what_changes_most_is_answered_from_what_the_photographs_show(graph: SceneGraph) -> None:
    reply = ask_about(graph, "What changes most?", "en")
    assert reply.outcome == "answer"
    assert reply.answer.startswith("Of what the photographs show: your ")
