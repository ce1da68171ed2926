from __future__ import annotations

import json
from pathlib import Path

import pytest

from demo.interface_texts import text
from demo.speakers import speakers


def evaluated(folder: Path, name: str, measured: object) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "config.json").write_text("{}")
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


def test_a_folder_of_the_same_name_is_not_told_by_the_figures_of_the_bundled_one(tmp_path: Path) -> None:
    evaluated(tmp_path, "captioner", MEASURED)

    trained, *_ = speakers(("./captioner", "geometry", "captioner"), tmp_path)

    assert trained.reason == text("models.trained_first")
    assert trained.name.default == text("models.trained", name="./captioner").default


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
