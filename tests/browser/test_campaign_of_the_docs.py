"""The way from a dataset to votes, command by command as docs/annotation.md has it, with a vote given on the page."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import annotate.__main__
import fmp_models.__main__
from annotate.campaigns.campaign import Campaign
from demo.i18n import interface_texts
from tests.browser.conftest import visitors
from tests.browser.visits import ROOT, agree_and_vote, running_app
from tests.thoroughness import thorough

PAGE = (ROOT / "docs" / "annotation.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```", PAGE.partition("\n## A campaign\n")[2], re.MULTILINE | re.DOTALL)
WAY, SIMULATION = (block.splitlines() for block in BLOCKS[:2])
PROGRAMS = {"annotate": annotate.__main__.main, "fmp_models": fmp_models.__main__.main}
SAMPLE = "fmp_models/data/sample"
EN = interface_texts()["en"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder from which the sample is reached by the path in the docs."""
    (tmp_path / SAMPLE).parent.mkdir(parents=True)
    (tmp_path / SAMPLE).symlink_to(ROOT / SAMPLE, target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FMP_DATA_DIR", str(tmp_path / "data"))
    return tmp_path


def run(line: str) -> int:
    """Run one line of the page in this process."""
    python, *options, program = shlex.split(line)[:3]
    assert (python, options) == (".venv/bin/python", ["-m"])
    return PROGRAMS[program](shlex.split(line)[3:])


def vote(pose_model: Path, browser: Browser, here: Path, line: str) -> None:
    """Start the app with the settings of this line, and give a vote there."""
    *set_to, make, target = shlex.split(line)
    assert (make, target) == ("make", "run")
    settings = dict(one.split("=") for one in set_to)
    settings["FMP_CAMPAIGN"] = str(here / settings["FMP_CAMPAIGN"])  # the test starts the app in another folder
    (here / "uploads").mkdir()
    with (
        running_app(pose_model, here / "data", here / "uploads", **settings) as app,
        visitors(app, browser) as open_page,
    ):
        page = open_page(language="en")
        page.goto(f"{app.url}/#annotate/vote")
        agree_and_vote(page)
        expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.thanks"].format(given=1))


def walk(lines: list[str], pose_model: Path, browser: Browser, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Go the whole way, and see that each command tells of the vote that was given."""
    printed_by: dict[str, str] = {}
    for line in lines:
        if line.endswith("make run"):
            vote(pose_model, browser, here, line)
        else:
            assert run(line) == 0, line
        words = shlex.split(line)
        printed_by[words[3] if len(words) > 3 else "run"] = capsys.readouterr().out

    campaign = Campaign.open(here / "my-campaign")
    assert campaign.models_compared() == {"captioner", "geometry"}
    assert {"vote en:", "vote hi:"} <= {" ".join(part.split()[:2]) for part in printed_by["campaign"].splitlines()}
    assert "my-campaign" in printed_by["report"]
    assert re.search(r"^captioner +", printed_by["report"], re.MULTILINE)
    with (here / "answers" / "vote.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["campaign"] == "my-campaign"
    assert "“my-campaign” (1 answer)" in printed_by["publish"]
    assert list((here / "data" / "dataset").rglob("vote/*.parquet"))


@thorough
def test_the_way_from_a_dataset_to_votes_is_gone_on_the_sample_as_it_stands(
    pose_model: Path, browser: Browser, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walk(WAY, pose_model, browser, here, capsys)


@pytest.mark.long
def test_the_way_from_a_dataset_to_votes_is_gone_on_a_simulated_set(
    pose_model: Path, browser: Browser, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walk([*SIMULATION, *(line.replace(SAMPLE, "my-dataset") for line in WAY)], pose_model, browser, here, capsys)
