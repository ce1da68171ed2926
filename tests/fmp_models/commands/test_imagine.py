"""``imagine``: the text about an imagined target, and changes that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import run_here
from tests.fmp_models.commands.test_dialogue import CURRENT, TARGET


def test_new_and_gone_lines_of_the_text_are_marked(pose_model: Path) -> None:
    done = run_here("imagine", CURRENT, TARGET, "left hand above the head", FMP_POSE_MODEL=pose_model)
    assert done.returncode == 0, done.stderr
    first, *lines = done.stdout.splitlines()
    assert first == "Imagine the left hand above the head."
    assert [line for line in lines if line.startswith("+ ") and "left arm" in line]
    assert [line for line in lines if line.startswith("- ") and "left arm" in line]
    assert [line for line in lines if line.startswith("  ")]


def test_json_is_in_the_language_of_the_first_change(pose_model: Path) -> None:
    changes = ("बायां हाथ सिर की ऊंचाई पर है", "right knee straight")
    done = run_here("imagine", CURRENT, TARGET, *changes, "--json", FMP_POSE_MODEL=pose_model)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["language"], said["outcome"]) == ("hi", "changed")
    assert said["imagined"].startswith("कल्पना कीजिए")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "description is empty"),
        (("dance",), "“dance” cannot be imagined"),
        (("left knee straight",) * 4, "One to 3 changes"),
        (("left knee straight", "--language", "fr"), "en, hi"),
        ((), "required"),
    ],
)
def test_what_cannot_be_imagined_is_told_in_one_sentence_before_anything_is_measured(
    arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    done = run_here("imagine", CURRENT, TARGET, *arguments, FMP_POSE_MODEL=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
