"""Generated dialogues: question kinds as data, their wording, and what the beam promises."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from fmp_models.data import sample_rows
from fmp_models.dialogue import generation
from fmp_models.dialogue.generation import (
    DIALOGUES,
    ROUNDS,
    Dialogue,
    captions,
    generate,
    keeps_limits,
    kind_table,
    next_questions,
    phrasings,
    slots_of,
)
from fmp_models.dialogue.history import Knowledge, dependence, round_of
from fmp_models.dialogue.programs import execute, parse_program
from fmp_models.dialogue.scene_graph import SceneGraph
from fmp_models.languages import LANGUAGES, dialogue_words, language_data
from fmp_models.pose import pose_pair
from tests.nonempty import nonempty

PAPER = {
    *("count-all", "count-other", "count-all-group", "count-attribute", "count-attribute-group", "count-obj-rel-imm"),
    *("count-obj-rel-imm2", "count-obj-rel-early", "count-obj-exclude-imm", "count-obj-exclude-early"),
    *("exist-other", "exist-attribute", "exist-attribute-group", "exist-obj-rel-imm", "exist-obj-rel-imm2"),
    *("exist-obj-rel-early", "exist-obj-exclude-imm", "exist-obj-exclude-early"),
    *("seek-attr-imm", "seek-attr-imm2", "seek-attr-early", "seek-attr-sim-early", "seek-attr-rel-imm"),
    "seek-attr-rel-early",
}


@pytest.fixture(scope="module")
def graph() -> SceneGraph:
    row = sample_rows("captioning", "train")[1]
    return SceneGraph.of_pair(pose_pair(row["current_joints"], row["target_joints"]))


@pytest.fixture(scope="module")
def dialogues(graph: SceneGraph) -> Iterator[list[Dialogue]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generation, "BEAM", 25)  # as good as the whole one for what is promised
        yield generate(graph, (0, "first"))


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put copies of the folders of kinds and languages in place of these."""
    caches = (generation.kind_table, generation.slots_of, generation.phrasings, generation._slot_words, dialogue_words)
    for module, name in ((generation, "_KINDS"), (language_data, "_HERE")):
        copy = tmp_path / name.lower()
        shutil.copytree(getattr(module, name), copy, ignore=shutil.ignore_patterns("*.py*", "__pycache__"))
        monkeypatch.setattr(module, name, copy)
    for cache in caches:
        cache.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    for cache in caches:
        cache.cache_clear()


def test_the_kinds_are_those_of_the_paper_and_more() -> None:
    names = {kind.name for kind in kind_table().kinds}
    assert names >= PAPER
    assert {name for name in names if name.startswith("compare")}
    assert {kind.family for kind in kind_table().kinds} == {"count", "exist", "seek", "compare"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_program_of_every_kind_can_be_put_as_three_questions(language: str) -> None:
    lot = Random(0)
    fewest: dict[str, int] = {}
    for kind in kind_table().kinds:
        for _ in range(60):
            text = str(generation._drawn(kind.program, {}, lot))
            parse_program(text)
            said = phrasings(kind, text, language)
            fewest[kind.name] = min(fewest.get(kind.name, 99), len(said))
            assert all("{" not in question and question == question.strip() for question in nonempty(said)), text
    assert {name: count for name, count in fewest.items() if count < 3} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_of_another_shape_is_no_question_of_the_kind(language: str) -> None:
    by_name = {kind.name: kind for kind in kind_table().kinds}
    assert slots_of(by_name["count-attribute"].program, "count(filter(direction, up, parts()))") is not None
    assert phrasings(by_name["count-attribute"], "count(filter(direction, up, last()))", language) == ()
    assert phrasings(by_name["seek-attr-imm"], "seek(colour, focus())", language) == ()


@pytest.mark.usefixtures("own_folders")
def test_a_kind_is_added_by_files_alone(own_folders: Path, graph: SceneGraph) -> None:
    kind = '[[kinds]]\nname = "which-chain"\nfamily = "seek"\nprogram = "which(filter({whose}, parts()))"\n'
    (own_folders / "_kinds" / "kinds_more.toml").write_text(kind, encoding="utf-8")
    for code in LANGUAGES:
        entry = f'[[questions]]\nkinds = ["which-chain"]\nsay = ["Which parts {{are}} {code}?"]\n'
        (own_folders / "_here" / code / "dialogue_more.toml").write_text(entry, encoding="utf-8")
    added = next(kind for kind in kind_table().kinds if kind.name == "which-chain")
    program = "which(filter(side, left, parts()))"
    assert phrasings(added, program, "en") == ("Which parts are on my left side en?",)
    assert phrasings(added, program, "hi")[0].endswith("hi?")
    assert execute(parse_program(program), graph).outcome == "answer"


def test_a_pair_has_five_dialogues_of_ten_questions(dialogues: list[Dialogue]) -> None:
    assert [len(dialogue.turns) for dialogue in dialogues] == [ROUNDS] * DIALOGUES
    assert len({dialogue.caption.kind.name for dialogue in dialogues}) > 1


def test_dialogues_depend_on_the_seed_alone(graph: SceneGraph, dialogues: list[Dialogue]) -> None:
    asked = [[str(turn.program) for turn in dialogue.turns] for dialogue in dialogues]
    assert [[str(turn.program) for turn in one.turns] for one in generate(graph, (0, "first"))] == asked
    assert [[str(turn.program) for turn in one.turns] for one in generate(graph, (0, "second"))] != asked


def test_a_question_uses_what_was_revealed_and_asks_for_what_is_not_known(
    graph: SceneGraph, dialogues: list[Dialogue]
) -> None:
    for dialogue in nonempty(dialogues):
        known = Knowledge(graph)
        known.learn(dialogue.caption.program, dialogue.caption.answer)
        history = [round_of(dialogue.caption.program, dialogue.caption.answer, graph)]
        for n, turn in nonempty(enumerate(dialogue.turns, 1)):
            assert execute(turn.program, graph, history) == turn.answer
            assert turn.answer.outcome == "answer"
            assert known.uses_only_revealed(turn.program, history)
            assert not known.knows(turn.program, history)
            assert dependence(turn.program, graph, history) == (turn.dependence, turn.distance)
            assert turn.distance <= n
            assert keeps_limits([(one.kind.family, one.dependence) for one in dialogue.turns[:n]])
            known.learn(turn.program, turn.answer, history)
            history.append(round_of(turn.program, turn.answer, graph, history))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_caption_is_put_in_words(language: str, dialogues: list[Dialogue]) -> None:
    for dialogue in nonempty(dialogues):
        caption = dialogue.caption
        said = captions(caption.kind, caption.program, caption.answer, language)
        assert len(said) >= 3
        assert all("{" not in text for text in said)


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ([("seek", "coref")] * 4, True),
        ([("seek", "coref")] * 5, False),
        ([("count", "coref"), ("exist", "all"), ("compare", "coref"), ("compare", "coref")], True),
        ([("count", "coref")] * 2, False),
        ([("count", "none"), ("exist", "none")], False),
        ([("count", "none"), ("exist", "all"), ("count", "coref"), ("count", "none")], False),
        ([("exist", "all"), ("count", "coref"), *[("seek", "coref")] * 3, ("exist", "coref")], True),
    ],
)
def test_the_numbers_of_questions_are_limited_by_round(asked: list[tuple[str, str]], *, kept: bool) -> None:
    assert keeps_limits(asked) is kept


@pytest.mark.parametrize("language", LANGUAGES)
def test_suggestions_can_be_asked_and_are_not_known_yet(
    language: str, graph: SceneGraph, dialogues: list[Dialogue]
) -> None:
    first = next_questions(graph, language, (), Knowledge(graph))
    assert len({*first}) == len(first) == 3
    later = dialogues[0]
    said = next_questions(graph, language, later.history[:3], dialogues[0].known)
    assert said == next_questions(graph, language, later.history[:3], dialogues[0].known)
    assert max(len(question.split()) for question in nonempty(said)) <= 12
