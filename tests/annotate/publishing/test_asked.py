"""What was asked is published beside the answers: once, and with nothing that gives an answer away."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from annotate.__main__ import main
from annotate.campaigns.builder import CampaignOrder, Source, make_campaign
from annotate.campaigns.campaign import READY_CAMPAIGNS, Campaign
from annotate.kinds.vote import Vote
from annotate.publishing.destinations import FolderDestination, HubDestination
from annotate.publishing.publisher import Publisher
from annotate.records import Event, new_event
from annotate.storage.store import Store, open_store, store_path
from tests.annotate.asking import MODELS, campaign_json, item, item_to_find, write
from tests.annotate.asking import gold as gold_item
from tests.hub_server import HubServer, api_of
from tests.nonempty import nonempty

SAMPLE = Path(__file__).resolve().parents[3] / "fmp_models/data/sample"
TEXTS = READY_CAMPAIGNS / "texts"
SOURCES = [Source(name, "en", TEXTS / f"{name}_en.json") for name in ("captioner", "geometry")]
SHOWN = """
print("pictures", *current.size, *target.size)
print("pair", campaign, item)
"""


def small(folder: Path, *more: dict[str, object], **changes: object) -> Campaign:
    """Return a campaign as earlier versions made it, whose texts to vote on have the names of models."""
    items = [item(1), item(2), item_to_find(20), gold_item(30), *more]
    return Campaign.open(write(folder, campaign_json(items, **changes)))


def cast(campaign: Campaign, most: int = 100) -> list[Event]:
    """Vote for the first text of each question."""
    return [
        new_event(
            Vote((question.texts[0].id,), (question.texts[0].id,), tuple(text.id for text in question.texts)),
            annotator="ann",
            campaign=campaign.name,
            item=question.item.uid,
            language="en",
        )
        for question in campaign.questions("vote", "en")[:most]
    ]


def rows(folder: Path, kind: str) -> list[dict[str, object]]:
    return [row for path in sorted(folder.glob(f"data/{kind}/*")) for row in pq.read_table(path).to_pylist()]


def publish(store: Store, folder: Path, campaigns: Sequence[Campaign], *revealed: str) -> set[str]:
    """Publish, and return the files that were not there before."""
    before = set(folder.rglob("*.parquet"))
    Publisher(store, FolderDestination(folder), campaigns=campaigns, revealed=revealed).publish_now()
    return {path.parent.name for path in set(folder.rglob("*.parquet")) - before}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "published"


def test_items_are_published_once_and_one_that_is_added_by_itself(
    sqlite_store: Store, tmp_path: Path, folder: Path
) -> None:
    campaign = small(tmp_path / "first")
    other = small(tmp_path / "other", name="unanswered")
    sqlite_store.add_all(cast(campaign))

    assert publish(sqlite_store, folder, [campaign, other]) == {"vote", "items"}
    assert sorted(str(row["item"]) for row in rows(folder, "items")) == ["1_0_0_0_0", "2_0_0_0_0"]
    assert publish(sqlite_store, folder, [campaign, other]) == set()

    fresh = open_store(tmp_path / "fresh.sqlite")
    assert publish(fresh, folder, [campaign]) == set()
    fresh.close()
    assert publish(sqlite_store, folder, [small(tmp_path / "more", item(3))]) == {"items"}
    assert sorted(str(row["item"]) for row in rows(folder, "items")) == [f"{number}_0_0_0_0" for number in (1, 2, 3)]
    (first, *_) = rows(folder, "items")
    assert first["current"]["bytes"].startswith(b"\xff\xd8")  # type: ignore[index]


def test_nothing_that_is_published_before_the_end_tells_a_model_or_a_right_answer(
    sqlite_store: Store, tmp_path: Path, folder: Path
) -> None:
    campaign = small(tmp_path / "first")
    order = CampaignOrder(SAMPLE, "new", items=2, retrieval_items=1, sources=tuple(SOURCES))
    made = make_campaign(order, tmp_path / "new")
    sqlite_store.add_all([*cast(campaign), *cast(made)])
    publish(sqlite_store, folder, [campaign, made])

    told = json.dumps(rows(folder, "items"), default=str)
    assert [name for name in (*MODELS, "captioner", "geometry") if name in told] == []
    assert [row["item"] for row in rows(folder, "items") if row["candidates"] or row["is_gold"]] == []
    votes = [row for row in rows(folder, "vote") if row["campaign"] == "new"]
    assert [name for name in ("captioner", "geometry") if name in json.dumps(votes, default=str)] == []
    ids = {text["id"] for row in rows(folder, "items") for text in row["texts"]}  # type: ignore[attr-defined]
    for vote in nonempty(votes):
        assert set(vote["shown"]) <= ids  # type: ignore[call-overload]


def test_the_owner_reveals_models_and_right_answers_by_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FMP_DATA_DIR", str(tmp_path / "app"))
    campaign = small(tmp_path / "small")
    store = open_store(store_path(tmp_path / "app"))
    store.add_all(cast(campaign))
    store.close()
    folder, told = tmp_path / "app" / "dataset", ["publish", "--reveal", str(tmp_path / "small")]
    monkeypatch.setenv("FMP_CAMPAIGN", str(tmp_path / "small"))
    assert main(["publish"]) == 0
    assert rows(folder, "models") == []

    assert main(told) == 0
    assert "please let nobody vote there any more" in capsys.readouterr().out
    assert main(told) == 0

    models = {(row["item"], row["text"]): row["model"] for row in rows(folder, "models")}
    items = rows(folder, "items")
    assert len(items) == len(campaign.items)
    voted = campaign.items[0]
    (row,) = [row for row in items if row["item"] == voted.uid]
    texts = {text["text"]: models.get((voted.uid, text["id"])) for text in row["texts"]}  # type: ignore[attr-defined]
    assert [texts[text.text] for text in voted.texts_for("vote", "en")] == list(MODELS)
    assert main(["publish", "--reveal", str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_photographs_of_people_are_not_copied(sqlite_store: Store, tmp_path: Path, folder: Path) -> None:
    campaign = small(tmp_path / "real", item(5, split="test_real"))
    sqlite_store.add_all(cast(campaign))
    publish(sqlite_store, folder, [campaign])
    (row,) = [row for row in rows(folder, "items") if row["split"] == "test_real"]
    assert (row["current"], row["target"], row["candidates"]) == (None, None, [])
    assert row["texts"]


def test_many_items_reach_the_hub_in_commits_of_bounded_size(
    sqlite_store: Store, tmp_path: Path, hub: HubServer
) -> None:
    campaign = small(tmp_path / "large", *(item(7, uid=f"many_{number}") for number in range(130)))
    sqlite_store.add_all(cast(campaign, 1))
    destination = HubDestination("me/annotations", api_of(hub))
    Publisher(sqlite_store, destination, campaigns=[campaign]).publish_now()
    commits = hub.count("POST", "/commit/")
    assert (len(destination.contents().shards), commits) == (1 + 14, 3)
    Publisher(sqlite_store, destination, campaigns=[campaign]).publish_now()
    assert hub.count("POST", "/commit/") == commits


def test_the_example_of_the_card_joins_votes_with_texts_and_pictures(
    sqlite_store: Store, tmp_path: Path, folder: Path
) -> None:
    order = CampaignOrder(SAMPLE, "new", items=3, retrieval_items=0, real_items=0, sources=tuple(SOURCES))
    campaign = make_campaign(order, tmp_path / "new")
    (vote, *others) = cast(campaign)
    sqlite_store.add_all([vote, *others])
    again = new_event(vote.payload, annotator="bea", campaign="new", item=vote.item, language="en")
    sqlite_store.add(again)
    publish(sqlite_store, folder, [campaign])
    card = (folder / "README.md").read_text(encoding="utf-8")
    about = yaml.safe_load(card.split("---")[1])
    assert (about["license"], about["task_categories"]) == ("cc-by-4.0", ["image-to-text", "translation"])
    assert [entry["config_name"] for entry in about["configs"]] == ["vote", "items"]
    *_, example = re.findall(r"```python\n(.*?)```", card, re.DOTALL)

    environment = {**os.environ, "HF_HOME": str(tmp_path / "home"), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", example + SHOWN]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)

    assert done.returncode == 0, done.stderr
    assert f"pair new {vote.item}" in done.stdout
    assert re.search(r"pictures( \d{2,}){4}\n", done.stdout)
    (text,) = [text for text in campaign.questions("vote", "en")[0].texts if text.id in vote.payload.relevant]  # type: ignore[attr-defined]
    assert text.text[:30] in done.stdout


def test_what_was_asked_is_exported_with_the_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FMP_DATA_DIR", str(tmp_path / "app"))
    campaign = small(tmp_path / "small")
    store = open_store(store_path(tmp_path / "app"))
    store.add_all(cast(campaign))
    store.close()
    about = ["--campaign", str(tmp_path / "small")]

    assert main(["export", str(tmp_path / "csv"), *about]) == 0
    assert f"{len(campaign.items)} items" in capsys.readouterr().out
    assert main(["export", str(tmp_path / "parquet"), *about, "--format=parquet"]) == 0
    assert main(["export", str(tmp_path / "one"), *about, "--kind=vote"]) == 0

    text = (tmp_path / "csv" / "items.csv").read_text(encoding="utf-8-sig")
    pictures = set(re.findall(r"pictures/[0-9a-f]+\.jpg", text))
    assert len(pictures) > len(campaign.items)
    assert all((tmp_path / "csv" / name).is_file() for name in pictures)
    assert {row["model"] for row in pq.read_table(tmp_path / "parquet" / "models.parquet").to_pylist()} == set(MODELS)
    assert pq.read_table(tmp_path / "parquet" / "items.parquet").num_rows == len(campaign.items)
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["vote.csv"]
