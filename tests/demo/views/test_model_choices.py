from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from demo.i18n import text
from demo.views.model_choices import speakers


def measured(folder: Path, name: str, results: object) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "config.json").write_text("{}")
    (folder / name / "real_pairs.json").write_text(json.dumps(results), encoding="utf-8")


def result(model: str, language: str, right: float, pose: str = "full", judged: int = 100) -> dict[str, Any]:
    shares = {"right": right, "opposite": 0.0, "must": 0.5, "pairs": 12, "judged": judged}
    return {"model": model, "pose": pose, "language": language, **shares}


MEASURED = {
    "results": [
        result("geometry", "en", 0.914),
        result("geometry", "hi", 0.885),
        result("captioner", "en", 0.511),
        result("captioner", "hi", 0.423),
        result("geometry", "en", 0.1, pose="lite"),
        result("captioner", "en", 0.2, pose="lite"),
    ]
}


def test_the_default_says_how_it_and_the_other_did_before_real_photographs(tmp_path: Path) -> None:
    measured(tmp_path, "captioner", MEASURED)

    trained, geometry = speakers(("captioner", "geometry"), tmp_path)

    assert geometry.reason is None
    assert trained.reason is not None
    english, hindi = (trained.reason.by_language[code] for code in ("en", "hi"))
    assert "12 pairs" in english
    assert (
        "judged by eye: 51 of 100 in English, 42 of 100 in Hindi. Geometry: 91 of 100 in English, 88 of 100 in Hindi"
        in english
    )
    assert hindi.index("अंग्रेज़ी में 100 में से 51") < hindi.index("अंग्रेज़ी में 100 में से 91")


def test_the_geometry_as_default_names_its_own_figures_first(tmp_path: Path) -> None:
    measured(tmp_path, "captioner", MEASURED)

    geometry, trained = speakers(("geometry", "captioner"), tmp_path)

    assert trained.reason is None
    assert geometry.reason is not None
    assert geometry.reason.default.index("91 of") < geometry.reason.default.index("51 of")


def test_a_folder_of_the_same_name_is_not_told_by_the_figures_of_the_bundled_one(tmp_path: Path) -> None:
    measured(tmp_path, "captioner", MEASURED)

    trained, *_ = speakers(("./captioner", "geometry", "captioner"), tmp_path)

    assert trained.reason == text("models.trained_first")
    assert trained.name.default == text("models.trained_named", name="./captioner").default


def test_one_captioner_alone_needs_no_name_of_its_own() -> None:
    geometry, trained = speakers(("geometry", "captioner"))

    assert geometry.name == text("models.geometry")
    assert trained.name == text("models.trained")


@pytest.mark.parametrize(
    "results",
    [
        {},
        [],
        {"results": []},
        {"results": [result("captioner", "en", 0.9)]},
        {"results": [result("captioner", "en", 0.9), result("geometry", "en", 0.0, judged=0)]},
        {"results": [{**result("captioner", "en", 0.9), "right": "much"}, result("geometry", "en", 0.9)]},
        {"results": [{**result("captioner", "en", 0.9), "right": None}, result("geometry", "en", 0.9)]},
    ],
)
def test_no_number_is_told_that_nobody_measured(tmp_path: Path, results: object) -> None:
    measured(tmp_path, "captioner", results)

    speakers_listed = [*speakers(("captioner", "geometry"), tmp_path), *speakers(("other", "geometry"), tmp_path)]

    assert [speaker.reason for speaker in speakers_listed if speaker.id != "geometry"] == [
        text("models.trained_first")
    ] * 2


def test_one_model_is_no_choice() -> None:
    assert speakers(("geometry",)) == ()
