from __future__ import annotations

import json
from pathlib import Path

import pytest

from demo.interface_texts import text
from demo.speakers import short_name, speakers


def evaluated(folder: Path, name: str, measured: object) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "evaluation.json").write_text(json.dumps(measured), encoding="utf-8")


MEASURED = {"splits": {"test_unseen": {"en": {"clause_agreement": 0.914}, "hi": {"clause_agreement": 0.885}}}}


def test_the_default_says_why_with_what_was_measured(tmp_path: Path) -> None:
    evaluated(tmp_path, "captioner", MEASURED)

    trained, geometry = speakers(("captioner", "geometry"), tmp_path)

    assert geometry.reason is None
    assert trained.reason is not None
    assert "91 % in English, 88 % in Hindi" in trained.reason.by_language["en"]
    assert "अंग्रेज़ी में 91 %" in trained.reason.by_language["hi"]


def test_the_geometry_says_what_was_measured_of_the_other(tmp_path: Path) -> None:
    evaluated(tmp_path, "captioner", MEASURED)

    geometry, trained = speakers(("geometry", "captioner"), tmp_path)

    assert trained.reason is None
    assert geometry.reason is not None
    assert "91 %" in geometry.reason.default


def test_a_model_in_a_folder_of_its_own_is_measured_there(tmp_path: Path) -> None:
    evaluated(tmp_path, "mine", MEASURED)

    trained, _ = speakers((str(tmp_path / "mine"), "geometry"), tmp_path / "none")

    assert trained.reason is not None
    assert "91 %" in trained.reason.default
    assert trained.name.default == text("models.trained", name="mine").default


@pytest.mark.parametrize(
    "measured",
    [
        {},
        [],
        {"splits": {}},
        {"splits": {"test_unseen": {"en": {}}}},
        {"splits": {"test_unseen": {"en": {"clause_agreement": None}}}},
        {"splits": {"test_unseen": {"en": {"clause_agreement": "much"}}}},
    ],
)
def test_no_number_is_told_that_nobody_measured(tmp_path: Path, measured: object) -> None:
    evaluated(tmp_path, "captioner", measured)

    told = [*speakers(("captioner", "geometry"), tmp_path), *speakers(("other", "geometry"), tmp_path)]

    assert [speaker.reason for speaker in told if speaker.id != "geometry"] == [text("models.trained_first")] * 2


def test_one_model_is_no_choice() -> None:
    assert speakers(("geometry",)) == ()


def test_a_folder_is_named_without_those_before_it() -> None:
    assert short_name("/home/someone/models/mine") == "mine"
    assert short_name("org/name") == "org/name"
    assert short_name("captioner") == "captioner"
