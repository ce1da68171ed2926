"""``python -m fmp_models``: in this process, and once for each thing that a program does as people run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageOps

from tests.commands import ROOT, Run, run_command, run_here
from tests.retrievers import TEXTS, save_retriever
from tests.taught_captioners import save_taught
from tests.thoroughness import one_of, thorough

EXAMPLES = ROOT / "demo" / "examples"
CURRENT, TARGET = str(EXAMPLES / "warrior_current.jpg"), str(EXAMPLES / "warrior_target.jpg")


@pytest.mark.parametrize("run", one_of([run_here, run_command]))
def test_json_is_exactly_one_object_on_standard_output(pose_model: Path, run: Run) -> None:
    done = run("correct", CURRENT, TARGET, "--language", "hi", "--json", FMP_POSE_MODEL=pose_model)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["language"] == "hi"
    assert answer["text"]
    assert done.stdout.count("\n") == 1


@thorough
def test_a_trained_captioner_speaks_from_its_folder(pose_model: Path, tmp_path: Path) -> None:
    folder = save_taught(tmp_path / "model", {"en": ["Raise both arms to the sides. Well done."]})
    asked = ("correct", CURRENT, TARGET, "--model", folder)
    done = run_here(*asked, "--json", FMP_POSE_MODEL=pose_model)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [clause["by"] for clause in answer["clauses"]] == ["./model"] + ["geometry"] * (len(answer["clauses"]) - 1)
    assert answer["dropped"] == 0
    assert answer["model"]["id"] == "./model"

    lines = run_here(*asked, FMP_POSE_MODEL=pose_model).stdout.splitlines()
    assert len(lines) == len(answer["steps"])
    assert lines[0].startswith(f"1. {answer['steps'][0]['text']} (")
    refused = run_here(*asked, "--language", "hi", FMP_POSE_MODEL=pose_model)
    assert refused.returncode == 2
    assert refused.stderr.endswith("it supports: en.\n")


def test_the_geometry_speaks_without_torch(pose_model: Path) -> None:
    script = (
        "import sys\n"
        "from fmp_models.__main__ import main\n"
        f"assert main(['correct', {CURRENT!r}, {TARGET!r}, '--model', 'geometry']) == 0\n"
        "assert not {'torch', 'huggingface_hub', 'scipy.stats', 'scipy.spatial'} & sys.modules.keys()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=os.environ | {"FMP_POSE_MODEL": str(pose_model)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_without_json_it_prints_numbered_steps(pose_model: Path) -> None:
    done = run_here("correct", CURRENT, TARGET, FMP_POSE_MODEL=pose_model)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    numbered = [line for line in lines if line[0].isdigit()]
    assert [line.split(".")[0] for line in numbered] == [str(i) for i in range(1, len(numbered) + 1)]
    assert numbered
    assert all("%" in line for line in numbered)
    assert all(line.startswith("– ") for line in lines[len(numbered) :])


def test_a_photograph_that_is_turned_and_mirrored_back_gives_the_answer_of_the_upright_one(
    pose_model: Path, tmp_path: Path
) -> None:
    lying, selfie = tmp_path / "lying.png", tmp_path / "selfie.png"
    with Image.open(CURRENT) as current, Image.open(TARGET) as target:
        ImageOps.mirror(current).transpose(Image.Transpose.ROTATE_90).save(lying)
        ImageOps.mirror(target).save(selfie)
    turned = "--turn-current", "90", "--mirror-current", "--mirror-target"

    upright = run_here("correct", CURRENT, TARGET, FMP_POSE_MODEL=pose_model)
    asked = run_here("correct", lying, selfie, *turned, FMP_POSE_MODEL=pose_model)

    assert asked.returncode == 0, asked.stderr
    assert asked.stdout == upright.stdout
    assert "upside down" not in asked.stderr


def test_of_a_photograph_that_is_upside_down_it_is_told_which_and_what_to_do(pose_model: Path, tmp_path: Path) -> None:
    fallen = tmp_path / "fallen.png"
    with Image.open(CURRENT) as current:
        current.rotate(180).save(fallen)

    noticed = run_here("correct", fallen, TARGET, FMP_POSE_MODEL=pose_model)
    turned = run_here("correct", fallen, TARGET, "--turn-current", "180", FMP_POSE_MODEL=pose_model)

    assert "The current photograph seems to be upside down; if it is, give --turn-current 180." in noticed.stderr
    assert "target" not in noticed.stderr
    assert "upside down" not in turned.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("correct", "no such file.jpg", TARGET), "cannot be read"),
        (("correct", str(EXAMPLES), TARGET), "cannot be read"),
        (("correct", CURRENT, TARGET, "--language", "fr"), "one of: en, hi"),
        (("correct", CURRENT, TARGET, "--leave-out", "legs", "tail"), "no part called “tail”"),
        (("correct", CURRENT, TARGET, "--turn-current", "45"), "--turn-current: invalid choice: 45"),
        (("correct", CURRENT, TARGET, "--turn-target", "half"), "--turn-target: invalid int value"),
        (("correct", CURRENT, TARGET, "--model", "nobody"), "“nobody” is not a model"),
        (("correct", CURRENT, TARGET, "--model", "./nowhere"), "no folder"),
        (("correct", CURRENT, TARGET, "--model", str(EXAMPLES)), "has no file config.json"),
        (("correct", CURRENT, TARGET, "--model", "nobody/nothing"), "not in the cache"),
        (("correct", CURRENT), "Please give two files"),
        (("dance",), "invalid choice"),
        ((), "required"),
        (("correct", "a\nb.jpg", TARGET), "cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments: tuple[str, ...], message: str, pose_model: Path) -> None:
    done = run_here(*arguments, FMP_POSE_MODEL=pose_model)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("run", one_of([run_here, run_command]))
def test_a_file_that_is_no_picture_is_refused_by_its_name(tmp_path: Path, pose_model: Path, run: Run) -> None:
    text = tmp_path / "me.jpg"
    text.write_text("dear diary")
    done = run("correct", CURRENT, text, "--json", FMP_POSE_MODEL=pose_model)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Target photograph:" in done.stderr.splitlines()[-1]
    assert "not a JPEG" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("model", ["/no/such/model.task", "~nobody-here/model.task", __file__])
def test_a_pose_model_that_cannot_be_used_is_told(model: str) -> None:
    done = run_here("correct", CURRENT, TARGET, FMP_POSE_MODEL=model)
    assert done.returncode == 2
    assert "FMP_POSE_MODEL" in done.stderr.splitlines()[-1]


def test_a_data_folder_under_the_home_of_nobody_is_one_line() -> None:
    done = run_here("correct", CURRENT, TARGET, FMP_DATA_DIR="~nobody-here/x")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "“~nobody-here/x” cannot be written or read" in done.stderr


@thorough
def test_retrieve_ranks_files_and_says_in_which_nobody_was_found(pose_model: Path, tmp_path: Path) -> None:
    wall = tmp_path / "wall.png"
    Image.new("RGB", (320, 240), (120, 140, 150)).save(wall)
    retriever = save_retriever(tmp_path / "tiny", "en", "hi", missing=True)
    asked = ["retrieve", CURRENT, TEXTS["hi"], TARGET, wall]

    done = run_command(*asked, "--json", FMP_POSE_MODEL=pose_model, FMP_RETRIEVER=retriever)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {one["candidate"] for one in answer["ranking"]} == {0, 1}
    assert (answer["language"], answer["people"]) == ("hi", [1, 1, 0])
    assert f"No person could be measured in {wall}." in done.stderr

    done = run_here(*asked, "--model", retriever, FMP_POSE_MODEL=pose_model)
    assert {line.partition(" ")[2].partition(" (")[0] for line in done.stdout.splitlines()} == {TARGET, str(wall)}

    (retriever / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1")
    damaged = run_here(*asked, "--model", retriever, FMP_POSE_MODEL=pose_model)
    assert damaged.returncode == 2
    assert "The file model.safetensors of the model" in damaged.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("retrieve", CURRENT, "raise an arm"), "Please give 2 to 20 pictures"),
        (("retrieve", CURRENT, "raise an arm", TARGET, "no such file.jpg"), "cannot be read"),
        (("retrieve", CURRENT, "raise an arm", TARGET, TARGET, "--language", "fr"), "one of: en, hi"),
        (("retrieve", CURRENT, "raise an arm", TARGET, TARGET, "--model", "nobody"), "“nobody” is not a model"),
    ],
)
def test_what_retrieve_cannot_use_is_one_line_and_exit_code_two(
    arguments: tuple[str, ...], message: str, pose_model: Path
) -> None:
    done = run_here(*arguments, FMP_POSE_MODEL=pose_model)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_retrieve_refuses_a_single_candidate(pose_model: Path, tmp_path: Path) -> None:
    retriever = save_retriever(tmp_path / "tiny", "en")

    done = run_here("retrieve", CURRENT, TEXTS["en"], TARGET, "--model", retriever, FMP_POSE_MODEL=pose_model)

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "Please give 2 to 20 pictures to choose from; 1 were received."
