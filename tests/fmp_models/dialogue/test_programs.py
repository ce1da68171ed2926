"""Programs over a scene graph: written and read back, total, and the same in a mirror."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fmp_models.dialogue import SceneGraph
from fmp_models.dialogue.programs import Program, Round, execute, parse_program
from fmp_models.dialogue.scene_graph import BY_NAME, COUNTED, Attribute, node_of
from fmp_models.errors import BadInputError
from fmp_models.geometry import Direction, Side
from tests.dialogues import graph_of, lunge, pair_of, random_program

SEEDS = st.integers(0, 2**32)


@given(SEEDS)
@settings(max_examples=300, deadline=None)
def test_every_well_typed_program_is_read_back_and_has_an_answer(seed: int) -> None:
    program = random_program("question", Random(seed))
    history = [Round("left knee", ("left knee", "head")), Round(None, ("left arm", "right arm"))]
    assert parse_program(str(program)) == program
    answers = [execute(program, lunge(), so_far) for so_far in (history, [])]
    assert {answer.outcome for answer in answers} <= {"answer", "none", "unseen"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "parts()",
        "count(node(head))",
        "count(parts()",
        "count(filter(direction, sideways, parts()))",
        "seek(colour, node(head))",
        "import(os)",
        "count(parts()) count(parts())",
        "count(" * 400,
        "count(" + "except(parts(), " * 20 + "parts()" + ")" * 21,
        "गिनो()",
    ],
)
def test_what_is_no_question_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(BadInputError, match="is not a program"):
        parse_program(text)


@pytest.mark.parametrize(
    ("text", "outcome", "value"),
    [
        ("which(filter(direction, bend, each(knee)))", "answer", "right knee"),
        ("seek(direction, node(left foot))", "answer", "backward, out, turn out"),
        ("seek(direction, node(left knee))", "none", ""),
        ("seek(end, node(left arm))", "answer", "straight up"),
        ("exist(filter(end, straight, these(right knee)))", "answer", "no"),
        ("seek(direction, other(node(left foot)))", "answer", "forward, out"),
        ("name(parent(node(left hand)))", "answer", "left elbow"),
        ("seek(direction, node(third arm))", "none", ""),
        ("seek(direction, focus())", "none", ""),
        ("compare(node(right knee), node(left knee))", "answer", "right knee"),
        ("count(except(each(foot), these(left foot)))", "answer", "1"),
        ("count(these(left foot; head; left foot))", "answer", "2"),
        ("which(relate(above, target, node(head)))", "answer", "left hand, right hand"),
    ],
)
def test_a_program_tells_what_the_poses_show(text: str, outcome: str, value: str) -> None:
    answer = execute(parse_program(text), lunge())
    assert (answer.outcome, answer.value) == (outcome, value)


def _mirrored(name: str) -> str:
    node = BY_NAME[name]
    found = node_of(node.side.mirrored, node.part) if node.part and node.side in Side.BOTH.each else node
    assert found is not None
    return found.name


def test_a_mirrored_pair_has_the_mirrored_graph() -> None:
    poses = ("standing, feet apart, left arm out", "triangle left")
    graph, mirror = graph_of(*poses), SceneGraph.of_pair(pair_of(*poses).mirrored)
    names = [node.name for node in COUNTED]
    directions = {name: graph.values(name, Attribute.DIRECTION) or () for name in names}
    assert {_mirrored(name): mirror.values(name, Attribute.DIRECTION) or () for name in names} == {
        name: tuple(Direction(value).mirrored.value for value in values) for name, values in directions.items()
    }
    assert any(directions.values())
    above = Program("which", (Program("relate", ("above", "target", Program("node", ("head",)))),))
    assert {_mirrored(name) for name in execute(above, mirror).nodes} == set(execute(above, graph).nodes) != set()
