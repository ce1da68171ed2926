"""A campaign about pairs of pictures of anything, made from a file and asked on the page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.__main__ import main
from annotate.campaigns.campaign import Campaign
from demo.serving.startup import open_answers
from demo.serving.uploads import UploadLedger
from demo.settings import Settings
from demo.tabs.annotate import open_annotation
from fmp_models.__main__ import main as fmp_models
from tests.annotate.tabs.test_controller import NOWHERE, Guest
from tests.fmp_models.data.test_image_pairs import picture
from tests.retrievers import ColourEstimator

SHORT = "The mug is gone."
NAMES = [str(number) for number in range(8)]


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """Give a folder with pairs of pictures of anything, and texts of two models."""
    for name in NAMES:
        picture(tmp_path / "images" / f"{name}.png")
        picture(tmp_path / "images" / f"{name}_2.png")
    pairs = [{"img_id": name, "sentences": [f"thing {name} is gone"]} for name in NAMES]
    (tmp_path / "things.json").write_text(json.dumps(pairs))
    for model in ("one", "two"):
        texts = {f"{name}_{number}": f"{model} says {name}" for number, name in enumerate(NAMES)}
        (tmp_path / f"{model}_en.json").write_text(json.dumps(texts))
    return tmp_path


def new(given: Path, *more: str) -> int:
    texts = [f"--texts={model}={given / model}_en.json" for model in ("one", "two")]
    origin = [] if "--dataset" in more else ["--pairs", str(given / "things.json"), "--images", str(given / "images")]
    return main(["campaign", "new", str(given / "made"), *origin, *texts, "--items=4", "--languages=en", *more])


@pytest.mark.parametrize("rules", [(), ("--pose-rules",)], ids=["of anything", "with the rules of poses"])
def test_short_texts_about_anything_are_taken_unless_the_rules_of_poses_are_asked_for(
    given: Path, rules: tuple[str, ...]
) -> None:
    assert new(given, *rules) == 0
    settings = Settings.model_construct(
        **{**Settings().model_dump(), "data_dir": given / "data", "campaign": str(given / "made")}
    )
    annotation = open_annotation(settings, open_answers(settings), ColourEstimator(), UploadLedger())
    try:
        guest = Guest(replace(annotation.controller, caller=lambda _: NOWHERE), "Ada")
        form = guest.sit("write")["html"]
        assert "what has changed from the first to the second" in form
        assert ('data-rule="too_short"' in form, "their left hand is on your right" in form) == (bool(rules),) * 2
        given_text = guest.give("write", {"text": SHORT, "flags": []})
        assert given_text.get("code") == ("rules_broken" if rules else None)
    finally:
        annotation.close()


def test_pairs_of_anything_are_voted_on_but_neither_re_enacted_nor_found(
    given: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert new(given) == 0
    assert "re-enact" not in capsys.readouterr().err
    campaign = Campaign.open(given / "made")
    assert not {"real_pair", "find"} & {*campaign.kinds}
    assert (campaign.pose_rules, campaign.qualification) == (False, None)
    (question, *others) = campaign.questions("vote", "en")
    assert len(others) == 3
    assert {text.source for text in question.texts} == {"one", "two"}


def test_an_imported_folder_makes_such_a_campaign_too(given: Path) -> None:
    command = ["import-pairs", given / "things.json", given / "out", "--images", given / "images", "--split", "val"]
    assert fmp_models([*map(str, command)]) == 0
    assert new(given, "--dataset", str(given / "out"), "--no-pose-rules") == 0
    assert not Campaign.open(given / "made").pose_rules


def test_pairs_without_pictures_or_pictures_without_pairs_are_refused(
    given: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert new(given, "--images", str(given / "images" / "none")) == 2
    assert "no folder" in capsys.readouterr().err
    (given / "images").rename(given / "elsewhere")
    assert main(["campaign", "new", str(given / "made"), "--pairs", str(given / "things.json")]) == 2
    assert "None of the 8 pairs has both pictures" in capsys.readouterr().err
    new_of_dataset = ["campaign", "new", str(given / "made"), "--dataset", str(given), "--images", str(given)]
    assert main(new_of_dataset) == 2
    assert "--pairs" in capsys.readouterr().err
    assert not (given / "made").exists()
