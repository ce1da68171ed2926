"""``python -m fmp_models evaluate-real``: in this process, and once as people run it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Run, run_command, run_here
from tests.fmp_models.evaluation.film_of_body import write_film
from tests.fmp_models.evaluation.labelled_folders import SQUAT, WARRIOR, make_folder
from tests.taught_captioners import save_taught
from tests.thoroughness import one_of, thorough


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "mine", SQUAT, WARRIOR)


def kept(path: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return report


@pytest.mark.parametrize("run", one_of([run_here, run_command]))
def test_json_is_exactly_one_object_and_is_what_is_kept(
    folder: Path, pose_model: Path, tmp_path: Path, run: Run
) -> None:
    out = tmp_path / "new" / "real.json"
    done = run("evaluate-real", folder, "--json", "--verbose", "--out", out, FMP_POSE_MODEL=pose_model)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    report = json.loads(done.stdout)
    assert report == kept(out)
    assert report["command"] == "python -m fmp_models evaluate-real mine --model geometry --language en"
    assert report["data"]["pairs"] == 2
    (result,) = report["results"]
    assert (result["model"], result["pose"], result["language"]) == ("geometry", pose_model.stem, "en")
    assert result["pairs"] == 2
    assert result["judged"] >= 2
    assert result["right"] >= 0.5
    assert result["must"] >= 0.5
    assert result["false_all_clear"] == result["refused"] == []
    assert result["ms_median"] > 0
    assert "squat: " in done.stderr
    assert "2 of 2 pairs" in done.stderr


@thorough
def test_every_model_is_asked_with_every_pose_model_in_every_language(
    folder: Path, pose_model: Path, tmp_path: Path
) -> None:
    texts = {
        "en": ["Lower your left arm and bend"],
        "hi": ["अपने बाएं हाथ को नीचे लाएं।"],
    }  # no English sentence ends by itself
    captioner_folder = save_taught(tmp_path / "taught", texts)
    copy = tmp_path / "other.task"
    copy.write_bytes(pose_model.read_bytes())
    models = ("--model", "geometry", captioner_folder, "--pose-model", pose_model, copy, "--language", "hi", "en")
    done = run_here("evaluate-real", folder, *models, "--json")
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)["results"]
    assert [(one["model"], one["pose"], one["language"]) for one in results] == [
        (model, pose, language)
        for pose in (pose_model.stem, "other")
        for model in ("geometry", "./taught")
        for language in ("hi", "en")
    ]
    by_key = {(one["model"], one["language"]): one for one in results if one["pose"] == "other"}
    assert by_key["./taught", "en"]["broken"] == []  # nothing unfinished is shown
    assert by_key["geometry", "en"]["right"] == by_key["geometry", "hi"]["right"]
    assert by_key["geometry", "en"]["ms_median"] > 1, "a picture that was measured before is counted as if it were not"
    assert str(tmp_path) not in done.stdout


@thorough
def test_what_a_captioner_says_unrepaired_is_judged_as_it_is(folder: Path, pose_model: Path, tmp_path: Path) -> None:
    captioner_folder = save_taught(tmp_path / "taught", {"en": ["Lower your left arm and bend"], "hi": ["सिर झुकाएं।"]})
    done = run_here(
        "evaluate-real", folder, "--model", captioner_folder, "--unrepaired", "--json", FMP_POSE_MODEL=pose_model
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    (result,) = report["results"]
    assert result["model"] == "./taught, unrepaired"
    assert result["broken"] == ["squat", "warrior"]
    assert report["command"].endswith("--model ./taught --unrepaired --language en")


def test_without_json_a_table_is_printed_with_the_pairs_before_it_on_request(folder: Path, pose_model: Path) -> None:
    done = run_here("evaluate-real", folder, "--verbose", FMP_POSE_MODEL=pose_model)
    assert done.returncode == 0, done.stderr
    assert "required said" in done.stdout
    assert "front" in done.stdout
    assert "not said" in done.stdout
    assert done.stdout.index("squat: ") < done.stdout.index("required said")


@thorough
def test_results_that_are_worse_than_before_end_with_one(folder: Path, pose_model: Path, tmp_path: Path) -> None:
    out = tmp_path / "real.json"
    again = ("evaluate-real", folder, "--against", out, "--json")
    assert run_here("evaluate-real", folder, "--out", out, FMP_POSE_MODEL=pose_model).returncode == 0
    same = run_here(*again, FMP_POSE_MODEL=pose_model)
    assert same.returncode == 0, same.stderr
    better = kept(out)
    better["results"][0]["intervals"]["must"] = [1.01, 1.02]
    out.write_text(json.dumps(better), encoding="utf-8")
    worse = run_here(*again, FMP_POSE_MODEL=pose_model)
    assert worse.returncode == 1
    assert json.loads(worse.stdout)["results"]
    assert worse.stderr.splitlines()[-1].startswith(f"Worse than in {out}: must of geometry with {pose_model.stem}")
    make_folder(folder, SQUAT)
    other = run_here(*again, FMP_POSE_MODEL=pose_model)
    assert (other.returncode, other.stdout) == (2, "")
    assert "other pairs" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("NONE",), "There is no folder"),
        (("FOLDER", "--model", "no/such/model/anywhere"), "not a model"),
        (("FOLDER", "--language", "fr"), "The language must be one of: en, hi"),
        (("FOLDER", "--pose-model", "none.task"), "not a readable pose model"),
        (("FOLDER", "--against", "none.json"), "cannot be read"),
        (("FOLDER", "--against", "FOLDER/truth.json"), "cannot be used"),
        (("FOLDER", "--out", "FOLDER"), "cannot be written"),
        (("FOLDER", "--model", "ENGLISH", "--language", "hi"), "does not support this language"),
        (("MADE", "--of-film", "FILM", "--model", "no/such/model/anywhere"), "not a model"),
        (("MADE", "--of-film", "FILM", "--pose-model", "none.task"), "not a readable pose model"),
        (("MADE", "--of-film", "FILM", "--against", "none.json"), "cannot be read"),
        (("MADE", "--of-film", "FILM"), "not a usable film of calibrated cameras"),
        (("FOLDER", "--whom", "cam1=0.5,0.5"), "--whom requires --of-film"),
        (("MADE", "--of-film", "FILM", "--whom", "cam1"), "is not a person's position in a camera"),
        (("MADE", "--of-film", "FILM", "--whom", "cam1=0.5,nan"), "is not a person's position in a camera"),
        (("MADE", "--of-film", "FILM", "--whom", "cam1=1,1", "cam1=1,1"), "is not a person's position in a camera"),
        (("FOLDER", "--of-film", "FILM"), "is not empty"),
        ((), "folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(
    folder: Path, pose_model: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    english = save_taught(tmp_path / "english", {"en": ["Lift."]}) if "ENGLISH" in arguments else tmp_path
    places = {"FOLDER": folder, "NONE": tmp_path / "none", "ENGLISH": english}
    places |= {"MADE": tmp_path / "made", "FILM": tmp_path / "no film"}
    placed = list(arguments)
    for name, place in places.items():
        placed = [word.replace(name, str(place)) for word in placed]
    done = run_here("evaluate-real", *placed, FMP_POSE_MODEL=pose_model)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@thorough
def test_who_found_the_joints_of_a_film_is_said(pose_model: Path, tmp_path: Path) -> None:
    film = write_film(tmp_path / "film", 1)
    done = run_here("evaluate-real", tmp_path / "made", "--of-film", film, FMP_POSE_MODEL=pose_model)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"/{pose_model.stem}+lifter-" in done.stderr
    assert " detects the joints in the film.\n" in done.stderr
    assert "fewer than two moments" in done.stderr.splitlines()[-1]
