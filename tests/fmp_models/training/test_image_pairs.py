"""A captioner of pairs of pictures of anything, without joints: from files to scores."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from tests.commands import ROOT, run_here
from tests.thoroughness import thorough

CONFIG = ROOT / "fmp_models" / "training" / "configs" / "captioner_pairs.toml"
TINY = (
    'network.backbone={name="narrow18", width=8, frozen=false, pretrained=false}',
    "network.pictures.size=64",
    "network.hidden=16",
    "network.embedding=16",
    "data.batch=4",
    "data.least_seen=1",
    "engine.steps=6",
    'engine.precision="no"',
)
COLOURS = ("red", "green", "blue", "white")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a dataset of squares that change their colour, imported from the files of three splits."""
    folder = tmp_path_factory.mktemp("squares")
    for colour in COLOURS:
        image = Image.new("RGB", (96, 64))
        ImageDraw.Draw(image).rectangle((30, 20, 60, 50), fill=colour)
        image.save(folder / f"{colour}.png")
    changes = [(before, after) for before in COLOURS for after in COLOURS if before != after]
    files = []
    for split, of_split in (("train", changes), ("valid", changes[::2]), ("test", changes[1::2])):
        pairs = [
            {"img0": f"{before}.png", "img1": f"{after}.png", "sents": [f"the square turned {after}"] * 2}
            for before, after in of_split
        ]
        files.append(folder / f"{split}.json")
        files[-1].write_text(json.dumps(pairs))
    done = run_here("import-pairs", *files, folder / "out", "--images", folder)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@thorough
def test_a_captioner_learns_from_pairs_without_joints_and_is_scored_without_them(
    imported: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    changes = [word for change in TINY for word in ("--set", change)]
    done = run_here("train", "captioner", CONFIG, "--dataset", imported, "--out", run, *changes)
    assert done.returncode == 0, done.stderr
    done = run_here("evaluate", run / "best", imported, "--out", tmp_path / "evaluation.json", PATH="")
    assert done.returncode == 0, done.stderr
    assert "Clause agreement and goal progress are left out: none of the pairs has joints." in done.stdout
    assert "Body-part-match is left out: none of the pairs has joints." in done.stdout
    scores = json.loads((tmp_path / "evaluation.json").read_text(encoding="utf-8"))["splits"]
    assert {split: of["en"]["n"] for split, of in scores.items()} == {"val_seen": 6, "test_unseen": 6}
    of_test = scores["test_unseen"]["en"]
    assert of_test["rouge_l"] > 0
    assert of_test["clause_agreement"] is of_test["goal_progress"] is None
    assert of_test["characters"] == {}
    assert "simulated" not in done.stdout


@thorough
def test_table_4_has_ours_beside_its_language_only_twin_and_the_papers_rows(imported: Path, tmp_path: Path) -> None:
    changes = [word for change in TINY for word in ("--set", change)]
    done = run_here("table", "4", "--dataset", imported, "--runs", tmp_path / "runs", *changes, PATH="")
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"^ours, without joints +en +test_unseen +1 +[\d.]+ +[\d.]+ +- +[\d.]+( +-){2}$", done.stdout, re.MULTILINE
    )
    assert re.search(r"^ours, language-only +en +test_unseen +1 ", done.stdout, re.MULTILINE)
    assert re.search(
        r"^CLEVR-Change \(SC\), paper +en +test_unseen +44.00 +98.70 +33.40 +65.50( +-){2}$", done.stdout, re.MULTILINE
    )
    assert "simulated" not in done.stdout


@thorough
def test_geometry_says_that_pairs_without_joints_have_none(imported: Path) -> None:
    done = run_here("evaluate", "geometry", imported, PATH="")
    assert done.returncode == 2
    assert "joints" in done.stderr
