"""Systems other than Linux: the commands where the project finds what Windows has, and consoles that are not UTF-8."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import yaml

from annotate.storage.store import open_store, store_path
from demo.examples.catalogue import FOLDER as EXAMPLES
from tests.annotate.sample_events import event
from tests.commands import ROOT
from tests.thoroughness import one_of, thorough
from tests.without_unix import names_on

CURRENT, TARGET, OTHER = (
    str(EXAMPLES / f"{name}.jpg") for name in ("warrior_current", "warrior_target", "tree_target")
)
HINDI = "हिन्दी"
SOON = 120  # seconds


def run(*arguments: str, **environment: str) -> tuple[int, str, str]:
    """Run Python on a console that is not UTF-8; what it writes is read as UTF-8."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "cp1252"} | environment,
        capture_output=True,
        check=False,
        timeout=SOON,
    )
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def as_on_windows(*arguments: str, **environment: str) -> str:
    """Run a module where the project finds what Windows has, and return what it writes.

    Its temporary folder is of its own, since it takes those of others for dead: their locks are not those of Windows.
    """
    with tempfile.TemporaryDirectory() as temporary:
        code, output, errors = run("-m", "tests.without_unix", *arguments, TMPDIR=temporary, **environment)
    assert code == 0, errors
    return output


def answered(data: Path) -> str:
    """Return a data folder with two answers."""
    store = open_store(store_path(data))
    store.add_all([event(), event("vote")])
    store.close()
    return str(data)


@pytest.mark.parametrize(
    ("module", "lacks", "has"),
    [
        ("os", "geteuid", "getpid"),
        ("os", "O_CLOEXEC", "O_RDONLY"),
        ("os", "posix_fallocate", "fsync"),
        ("signal", "SIGHUP", "SIGTERM"),
        ("socket", "AF_UNIX", "SO_REUSEADDR"),
    ],
)
def test_what_windows_lacks_is_known(module: str, lacks: str, has: str) -> None:
    assert {lacks, has} <= names_on("linux", module)
    assert {lacks, has} & names_on("win32", module) == {has}


def test_photographs_are_corrected_as_on_windows(pose_model: Path) -> None:
    said = as_on_windows(
        "fmp_models", "correct", CURRENT, TARGET, "--language", "hi", "--json", FMP_POSE_MODEL=str(pose_model)
    )
    correction = json.loads(said)
    assert correction["steps"]
    assert "घुटना" in correction["text"]


@thorough
def test_photographs_are_found_as_on_windows(pose_model: Path) -> None:
    words = "Raise both arms to your sides to shoulder height and bend your left knee."
    said = as_on_windows(
        "fmp_models", "retrieve", CURRENT, words, OTHER, TARGET, "--json", FMP_POSE_MODEL=str(pose_model)
    )
    assert json.loads(said)["ranking"][0]["candidate"] == 1


@thorough
def test_texts_are_scored_as_on_windows(tmp_path: Path) -> None:
    predictions, references = tmp_path / "predictions.json", tmp_path / "references.json"
    predictions.write_text('{"1": "raise your left arm"}', encoding="utf-8")
    references.write_text('{"1": ["raise your left arm"]}', encoding="utf-8")
    said = as_on_windows(
        "fmp_models", "score", str(predictions), str(references), "--language", "en", "--tokeniser", "regex", "--json"
    )
    assert json.loads(said)


def test_answers_are_published_as_on_windows(tmp_path: Path) -> None:
    said = as_on_windows("annotate", "publish", "--store", answered(tmp_path / "data"), "--to", str(tmp_path / HINDI))
    assert said.startswith(f"2 of 2 events are published at {tmp_path / HINDI}.")
    assert len(list((tmp_path / HINDI).rglob("*.parquet"))) == 2


@thorough
@pytest.mark.parametrize(
    "arguments", ["campaign check sample", "campaign list", "export OUT --store DATA", "report --store DATA"]
)
def test_other_commands_for_answers_work_as_on_windows(arguments: str, tmp_path: Path) -> None:
    places = {"OUT": str(tmp_path / "out"), "DATA": answered(tmp_path / "data")}
    assert as_on_windows("annotate", *(places.get(word, word) for word in arguments.split()))


@thorough
def test_an_upload_is_read_as_on_windows() -> None:
    read = f"from demo.serving.uploads import read_upload\nprint(len(read_upload({CURRENT!r}, 'current')))"
    assert int(as_on_windows("-c", read)) == Path(CURRENT).stat().st_size


@pytest.mark.parametrize("changed", one_of([{}, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "utf-16"}]))
def test_hindi_is_written_by_the_command_for_answers(changed: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / HINDI
    code, output, errors = run(
        "-m", "annotate", "publish", "--store", answered(tmp_path / "data"), "--to", str(folder), **changed
    )
    assert (code, errors) == (0, "")
    assert str(folder) in output


def test_hindi_is_written_by_the_command_for_cards(tmp_path: Path) -> None:
    code, output, errors = run("-m", "hub_cards", "render", "--space", str(tmp_path / HINDI))
    assert (code, errors) == (0, "")
    assert output.strip() == str(tmp_path / HINDI / "README.md")


def test_hindi_is_written_by_the_app() -> None:
    code, output, errors = run("app.py", FMP_PORT=HINDI)
    assert (code, output) == (2, "")
    assert errors == f"FMP_PORT must be a number from 1 to 65535, not “{HINDI}”.\n"


def test_other_systems_run_tests_that_are_there_and_need_no_browser() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    jobs = workflow["jobs"]
    assert jobs["every-test"]["steps"][-1]["run"] == ".ci/run"
    named = jobs["fast-tests"]["steps"][-1]["run"].split()
    tests = [word for word in named if word.startswith("tests/")]
    assert tests
    assert [path for path in tests if path.startswith("tests/browser") or not (ROOT / path).exists()] == []
