"""A study on a Space, from the pushed files to the dataset of its answers, with a restart on an empty disk between."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from annotate.__main__ import main as annotate
from annotate.campaigns.campaign import Campaign
from fmp_models.data.sample import FOLDER
from hub_cards.__main__ import main as cards
from tests.annotate.asking import LONG
from tests.browser.visits import STOP_SECONDS, App, running_app
from tests.hub_server import HubServer, api_of, said_with
from tests.openid_provider import OpenIdProvider, open_id_provider
from tests.thoroughness import thorough

HOST = "org-space.hf.space"
ANSWERS = "org/answers"
KEY = "a key of the tests alone"
WRITER, FIRST, SECOND = (f"{number}f3a9c0e1b2d4f6a8c0e1b2d" for number in (5, 6, 7))  # as those of Prolific look
TRANSLATED = (
    "अपनी बाईं बाँह तब तक उठाएँ जब तक कोहनी कंधे के बराबर न आ जाए, फिर दूसरा पैर लकड़ी के फ़र्श पर सपाट रखते हुए वह घुटना "
    "धीरे-धीरे मोड़ें, और अपनी छाती को खिड़की की ओर घुमाएँ।"
)
GIVEN = {"write": {"text": LONG}, "verify": {"score": "4"}, "translate": {"text": TRANSLATED}}
LOAD = """
import json
from datasets import load_dataset
written = load_dataset({answers!r}, "description", split="train")
pairs = load_dataset({dataset!r}, "captioning", split="val_seen")
assert pairs[0]["current"].size[0] > 0
texts = [[text for pair in pairs[f"descriptions_{{language}}"] for text in pair] for language in ("en", "hi")]
print(json.dumps([list(written["text"]), *texts]))
"""


@dataclass
class Visitor:
    """A browser in front of the Space, which the Hub's proxy passes on: of a participant, or one with a ``cookie``."""

    space: Space
    participant: str = ""
    cookie: str = ""
    guest: dict[str, str] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)

    def press(self, action: str, **more: object) -> dict[str, Any]:
        data = {"action": action, "language": "en", "number": 1, "guest": self.guest, "participant": self.participant}
        body = {**self.space.endpoint, "session_hash": self.participant or "owner", "event_data": {**data, **more}}
        answer = self.space.client.post("/gradio_api/run/predict", json=body, headers={"Cookie": self.cookie})
        self.shown = answer.raise_for_status().json()["data"][0]
        self.guest |= {"id": self.shown["guest"]} if "guest" in self.shown else {}
        return self.shown

    def work(self, kind: str, language: str = "en") -> int:
        """Agree, pass the test, and give answers until there is nothing to do any more; return their number."""
        about, given = {"kind": kind, "language": language}, 0
        self.press("sit", **about)
        if 'name="fmp-agree"' in self.shown["html"]:
            self.press("agree", page_language="en", **about)
        if attempt := re.search(r'data-attempt="([^"]+)"', self.shown["html"]):
            self.press("test", fields=self.space.right(language), attempt=attempt[1], **about)
            self.press("sit", **about)
        while token := self.shown.get("token"):
            given += bool(self.press("give", token=token, fields=GIVEN[kind], **about).get("kept"))
        return given

    def codes(self) -> list[str]:
        return re.findall(r"<code>([0-9A-F-]{14})</code>", self.press("start")["html"])


@dataclass
class Space:
    """The app as it runs on a Space."""

    app: App
    campaign: Campaign
    client: httpx.Client
    endpoint: dict[str, Any]

    def right(self, language: str) -> dict[str, str]:
        """Return the right answers of the test."""
        test = self.campaign.qualification
        return {one.id: str(one.right) for one in (test.questions if test else ()) if one.language == language}

    def owner(self, door: OpenIdProvider) -> Visitor:
        """Return the owner, who logs in at the Hub."""
        door.visitor = "olga"
        left = self.client.get("/login/huggingface")
        back = urlsplit(httpx.get(left.headers["location"]).headers["location"])
        assert (back.scheme, back.hostname) == ("https", HOST)
        cookie = {"Cookie": left.headers["set-cookie"].partition(";")[0]}
        returned = self.client.get(f"{back.path}?{back.query}", headers=cookie)
        return Visitor(self, cookie=returned.headers["set-cookie"].partition(";")[0])


def push(hub: HubServer, kind: str, *what: object) -> str:
    """Push with the command, and return the repo at its commit."""
    assert cards(["push", kind, *map(str, what), "--repo", f"org/{kind}", "--yes"], api=api_of(hub)) == 0
    return f"org/{kind}@{hub.repos[kind if kind in {'model', 'space'} else 'dataset', f'org/{kind}'].head.sha}"


def command(hub: HubServer, project: Path, home: Path, *words: object) -> str:
    """Run a command of the pushed program, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "annotate", *map(str, words)],
        cwd=project,
        env={**os.environ, **hub.environment, "HF_HOME": str(home), "FMP_PSEUDONYM_KEY": KEY},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def started_space(disk: Path, project: Path, campaign: Campaign, pose_model: Path, **settings: str) -> Iterator[Space]:
    """Start the app of the project on an empty disk."""
    for name in ("data", "temporary"):
        (disk / name).mkdir(parents=True)
    settings |= {"HF_HOME": str(disk / "hub"), "HOME": str(disk)}
    proxied = {"Host": HOST, "X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
    with (
        running_app(pose_model, disk / "data", disk / "temporary", project=project, **settings) as app,
        httpx.Client(base_url=app.url, headers=proxied, timeout=STOP_SECONDS) as client,
    ):
        config = client.get("/config").json()
        act = next(one for one in config["dependencies"] if one["targets"] and one["targets"][0][1] == "act")
        yield Space(app, campaign, client, {"data": [], "fn_index": act["id"], "trigger_id": act["targets"][0][0]})


@thorough
def test_a_study_on_a_space_outlives_its_disk_and_becomes_a_dataset(
    pose_model: Path, hub: HubServer, tmp_path: Path
) -> None:
    project, study = tmp_path / "project", tmp_path / "study"
    with open_id_provider() as door:
        model = push(hub, "model", "captioner")
        push(hub, "dataset", FOLDER)
        api_of(hub).snapshot_download("org/dataset", repo_type="dataset", local_dir=tmp_path / "poses")
        new = [
            "campaign",
            "new",
            str(study),
            "--dataset",
            str(tmp_path / "poses"),
            "--items",
            "1",
            "--retrieval-items",
            "0",
        ]
        assert annotate([*new, "--kinds", "write,verify,translate", "--voices", "write=1,verify=3,translate=1"]) == 0
        asked = push(hub, "campaign", study)
        push(hub, "space")
        api_of(hub).snapshot_download("org/space", repo_type="space", local_dir=project)
        settings = {
            **hub.environment,
            **door.environment,
            "SPACE_ID": "org/space",
            "SPACE_HOST": HOST,
            "FMP_CAMPAIGN": asked,
            "FMP_CAPTIONER": model,
            "FMP_DATASET_REPO": ANSWERS,
            "FMP_PSEUDONYM_KEY": KEY,
            "FMP_ADMINS": "olga",
            "FMP_ALLOW_GUESTS": "true",
            "FMP_BATCH_ANSWERS": "3",
            "FMP_BATCH_SECONDS": "0",
        }
        campaign = Campaign.open(study)

        with started_space(tmp_path / "disk", project, campaign, pose_model, **settings) as space:
            assert Visitor(space, WRITER).work("write") == 3
            assert Visitor(space, FIRST).work("verify") > 0
            (code,) = Visitor(space, WRITER).codes()
            owner = space.owner(door)
            owner.press("publish")
            space.app.wait_until(lambda: owner.press("owner")["waiting"] == 0)
            space.app.process.kill()
            space.app.process.wait(STOP_SECONDS)

        with started_space(tmp_path / "other disk", project, campaign, pose_model, **settings) as space:
            writer = Visitor(space, WRITER)
            assert writer.codes() == [code]
            assert 'name="fmp-agree"' not in writer.shown["html"]
            assert writer.work("write") == 0
            assert Visitor(space, SECOND).work("verify") > 0
            translated = Visitor(space, SECOND).work("translate", "hi")
            assert translated > 0
            paid = base64.b64decode(space.owner(door).press("download", form="payments")["data"]).decode("utf-8-sig")
            ids = [row["participant_id"] for row in csv.DictReader(io.StringIO(paid))]
            assert ids == sorted([WRITER, FIRST, SECOND])

        published = [file.data for commit in hub.repos["dataset", ANSWERS].commits for file in commit.files.values()]
        assert not [data for data in published if any(raw.encode() in data for raw in ids)]
        payments, out = tmp_path / "payments.csv", tmp_path / "dataset"
        published_study = ("--campaign", asked, "--from", ANSWERS)
        report = json.loads(
            command(hub, project, tmp_path, "report", "--json", "--payments", payments, *published_study)
        )
        assert [row["payable"] for row in report["completions"]]
        rows = list(csv.DictReader(payments.read_text("utf-8-sig").splitlines()))
        assert [row["participant_id"] for row in rows] == ids
        assert code in rows[0]["codes"]
        assert "val_seen: 3 pairs" in command(hub, project, tmp_path, "dataset", out, *published_study)
        loaded = said_with(hub, LOAD.format(answers=ANSWERS, dataset=str(out)), tmp_path / "home")
    assert loaded.returncode == 0, loaded.stderr
    written, english, hindi = json.loads(loaded.stdout)
    assert (written, english.count(LONG), hindi.count(TRANSLATED)) == ([LONG] * 3, 3, translated)
