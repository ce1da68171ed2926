"""``edit-oracle`` and ``edit-score``: the figures of COCO-EE and Flickr30K-EE, and files that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fmp_models.editing.scores import read_edit_instances, score_edits
from tests.commands import run_here

INSTANCES = [
    {"sample_id": 7, "Ref-Cap": "A red bus stops .", "GT-Cap": "a blue bus stops ."},
    {"sample_id": 8, "Ref-Cap": "two dogs", "GT-Cap": "two dogs run on sand"},
]
EDITED = {"7": "a blue bus stops .", "8": "two dogs run"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "instances.json"
    path.write_text(json.dumps(INSTANCES), encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "figures"), [("COCO_EE", (5628, 10.37, 130.7)), ("Flickr30K_EE", (4898, 8.83, 93.0))])
def test_the_oracle_and_doing_nothing_have_the_figures_of_the_paper(
    shared: Path, tmp_path: Path, name: str, figures: tuple[int, float, float]
) -> None:
    instances, steps, cider = figures
    path = shared / "data" / "ece" / f"{name}_val.json"
    oracle = json.loads(run_here("edit-oracle", path, "--json").stdout)
    assert (oracle["n"], oracle["reproduced"], round(oracle["mean_es"], 2)) == (instances, instances, steps)
    nothing = json.loads(run_here("edit-score", path, "--json", PATH=tmp_path).stdout)  # without Java
    assert (nothing["n"], nothing["mean_es"], round(nothing["cider_d"], 1)) == (instances, 0, cider)


def test_edited_captions_are_scored_by_id_or_in_order(file: Path, tmp_path: Path) -> None:
    reports = []
    for name, content in (("by_id", EDITED), ("in_order", [*EDITED.values()])):
        predictions = tmp_path / f"{name}.json"
        predictions.write_text(json.dumps(content), encoding="utf-8")
        done = run_here("edit-score", file, "--predictions", predictions, "--json", PATH=tmp_path)
        reports.append(json.loads(done.stdout))
    assert reports[0] == reports[1]
    assert reports[0]["reproduced"] == 1
    assert reports[0]["mean_es"] == 1.5
    assert {f"bleu{order}" for order in range(1, 5)} | {"rouge_l", "cider_d"} <= {*reports[0]}


def test_the_ground_truth_itself_has_full_scores(file: Path) -> None:
    instances = read_edit_instances(file)
    scores = score_edits(instances, [instance.gt for instance in instances])
    assert (scores["bleu1"], scores["rouge_l"]) == pytest.approx((100, 100), abs=1e-3)
    assert scores["reproduced"] == scores["n"] == 2


def test_a_list_of_more_texts_than_instances_is_refused(file: Path, tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.json"
    predictions.write_text(json.dumps([*EDITED.values(), "one more"]), encoding="utf-8")
    done = run_here("edit-score", file, "--predictions", predictions)
    assert (done.returncode, done.stderr.count("must be JSON such as")) == (2, 1)


@pytest.mark.parametrize("command", ["edit-oracle", "edit-score"])
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[]", "contains no pairs"),
        ("{}", "must be JSON such as"),
        ('[{"Ref-Cap": "a bus"}]', "must be JSON such as"),
        ('[{"Ref-Cap": 3, "GT-Cap": "a bus"}]', "must be JSON such as"),
        ('[{"Ref-Cap": "a", "GT-Cap": "b", "sample_id": 1}, {"Ref-Cap": "a", "GT-Cap": "c", "sample_id": 1}]', "twice"),
        ("[" * 100_000, "JSON"),
        ("not json", "not valid JSON"),
    ],
)
def test_a_file_that_is_none_of_captions_is_refused_in_one_sentence(
    tmp_path: Path, command: str, content: str, sentence: str
) -> None:
    path = tmp_path / "broken.json"
    path.write_text(content, encoding="utf-8")
    done = run_here(command, path)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [({"7": "a bus"}, "have no prediction, such as “8”"), (["a bus"], "such as “8”"), ({"7": 1, "8": 2}, "such as")],
)
def test_predictions_that_lack_an_instance_are_refused(
    file: Path, tmp_path: Path, content: object, sentence: str
) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    done = run_here("edit-score", file, "--predictions", path)
    assert done.returncode == 2
    assert sentence in done.stderr
