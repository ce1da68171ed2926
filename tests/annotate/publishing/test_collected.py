"""Answers of people become a dataset, which is read, and asked about again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from annotate.__main__ import main
from annotate.campaigns.builder import CampaignOrder, make_campaign
from annotate.campaigns.campaign import Campaign
from annotate.kinds.real_pair import RealPair
from annotate.kinds.translate import Translation
from annotate.kinds.verify import Rating
from annotate.kinds.write import Description
from annotate.publishing.collected import collect_descriptions, collect_photographs
from annotate.publishing.destinations import FolderDestination
from annotate.publishing.publisher import Publisher
from annotate.records import Event, Flag, Payload, Withdrawal, new_event
from annotate.storage.store import open_store
from fmp_models.hub.models import load_captioner
from tests.annotate.sample_events import jpeg
from tests.commands import run_here

SAMPLE = Path(__file__).resolve().parents[3] / "fmp_models/data/sample"
JOINTS = [[0.05 * number, 0.1, 2.0] for number in range(20)]
CAPTIONER = """
kind = "captioner"
[data]
languages = ["en", "hi"]
least_seen = 1
batch = 2
longest = 20
[network]
hidden = 16
embedding = 8
[network.backbone]
name = "narrow18"
width = 4
[network.pictures]
size = 64
[sizes.small.engine]
steps = 2
"""
LOAD = """
import json, sys
from datasets import load_dataset
rows = load_dataset(sys.argv[1], sys.argv[2], split=sys.argv[3])
streamed = load_dataset(sys.argv[1], sys.argv[2], split=sys.argv[3], streaming=True)
assert [row["uid"] for row in streamed] == list(rows["uid"])
first = rows[0]
assert first["target"].size[0] > 0
print(json.dumps([list(rows["uid"]), first["descriptions_en"], first["descriptions_hi"], first["current_joints"]]))
"""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    order = CampaignOrder(SAMPLE, "asked", items=3, retrieval_items=1)
    return make_campaign(order, tmp_path_factory.mktemp("campaigns") / "asked")


def answer(campaign: Campaign, payload: Payload, item: str, who: str = "a", language: str = "en") -> Event:
    return new_event(payload, annotator=who, campaign=campaign.name, item=item, language=language)


def described(campaign: Campaign) -> list[str]:
    return [item.uid for item in campaign.items if item.gold is None and item.to_describe and not item.candidates]


def written(campaign: Campaign, item: str, text: str, scores: tuple[int, ...] = (4, 3, 1), **about: str) -> list[Event]:
    """Give a description and what others say of it."""
    description = answer(campaign, Description(text, words=len(text.split())), item, **about)
    ratings = [
        answer(campaign, Rating(description.id, score), item, f"judge {number}", about.get("language", "en"))
        for number, score in enumerate(scores)
    ]
    return [description, *ratings]


def translated(campaign: Campaign, of: Event, text: str) -> Event:
    return answer(campaign, Translation(text, of=of.id), of.item, "translator", "hi")


def test_accepted_texts_and_their_translations_become_rows_of_their_split(campaign: Campaign) -> None:
    first, second, *_ = described(campaign)
    good, bad = written(campaign, first, "Raise one arm."), written(campaign, first, "Do nothing.", (1, 1, 4), who="c")
    later = written(campaign, first, "Bend a knee.", who="b")
    hindi = written(campaign, first, "एक घुटना मोड़ें।", language="hi")
    waiting = written(campaign, second, "Sit.", (4,))
    answers = [*hindi, *good, *bad, *later, *waiting]
    answers += [translated(campaign, later[0], "घुटना मोड़ें।"), translated(campaign, good[0], "एक बाँह उठाएँ।")]
    answers.append(translated(campaign, bad[0], "कुछ न करें।"))

    collected = collect_descriptions(answers, campaign)

    assert list(collected.rows) == ["val_seen"]
    (row,) = collected.rows["val_seen"]
    assert row["uid"] == first
    assert row["descriptions_en"] == ["Raise one arm.", "Bend a knee."]
    assert row["descriptions_hi"] == ["एक बाँह उठाएँ।", "घुटना मोड़ें।", "एक घुटना मोड़ें।"]
    assert len(row["target_joints"]) == 20
    assert collected.left_out == {"text discarded": 1, "text waiting": 1, "translation of a text left out": 1}


def test_a_pair_that_is_set_aside_and_answers_taken_back_are_left_out(campaign: Campaign) -> None:
    first, second, *_ = described(campaign)
    through, taken = written(campaign, first, "Raise one arm."), written(campaign, second, "Bend a knee.")
    withdrawal = new_event(Withdrawal(of=taken[0].id, reason="undo"), annotator="a", supersedes=taken[0].id)
    flag = answer(campaign, Flag("through_object"), first, "judge 0")

    collected = collect_descriptions([*through, *taken, flag, withdrawal], campaign)

    assert collected.rows == {}
    assert collected.left_out == {"text set aside": 1}


def test_a_dataset_of_answers_is_loaded_and_asked_about_again(campaign: Campaign, tmp_path: Path) -> None:
    first, second, *_ = described(campaign)
    description, *ratings = written(campaign, first, "Raise one arm.")
    photographs = RealPair(
        jpeg(),
        jpeg(90),
        first,
        "Lift the arm.",
        checks={which: {"joints_m": JOINTS} for which in ("current", "target")},
    )
    answers = [description, *ratings, translated(campaign, description, "एक बाँह उठाएँ।")]
    answers += [answer(campaign, photographs, first, who) for who in "ab"]
    store = open_store(tmp_path / "answers.sqlite")
    store.add_all(answers)
    Publisher(store, FolderDestination(tmp_path / "published")).publish_now()
    store.close()
    folder, out = str(campaign._folder), tmp_path / "dataset"

    assert main(["dataset", str(out), "--campaign", folder, "--from", str(tmp_path / "published")]) == 0

    card = (out / "README.md").read_text(encoding="utf-8")
    assert "rating in en: 3 answers of 3 people" in card
    assert loaded(out, "captioning", "val_seen")[:3] == [[first], ["Raise one arm."], ["एक बाँह उठाएँ।"]]
    uids, english, hindi, joints = loaded(out, "test_real", "test_real")
    assert (uids[0], english, hindi) == (first, ["Lift the arm."], [])
    assert uids[1] not in uids[:1]
    assert joints[1] == pytest.approx([0.05, 0.1, 2.0])
    for split in ("val_seen", "test_real"):
        again = ["campaign", "new", str(tmp_path / split), "--dataset", str(out), "--split", split, "--items", "1"]
        assert main([*again, "--retrieval-items", "0"]) == 0
        (item,) = [item for item in Campaign.open(tmp_path / split).items if item.gold is None]
        assert (item.split, item.joints is None) == (split, False)
    assert second not in uids


def test_a_captioner_is_trained_on_a_dataset_of_answers(tmp_path: Path) -> None:
    order = CampaignOrder(SAMPLE, "asked", ("train", "val_seen"), items=8, retrieval_items=0, kinds=("write", "verify"))
    campaign = make_campaign(order, tmp_path / "asked")
    store = open_store(tmp_path / "answers.sqlite")
    for number, uid in enumerate(described(campaign)):
        description, *ratings = written(campaign, uid, f"Raise your left arm {number} times and bend a knee.")
        store.add_all([description, *ratings, translated(campaign, description, "अपनी बाईं बाँह उठाएँ।")])
    store.close()
    about = ["--campaign", str(tmp_path / "asked"), "--store", str(tmp_path / "answers.sqlite")]
    assert main(["dataset", str(tmp_path / "dataset"), *about]) == 0

    (tmp_path / "tiny.toml").write_text(CAPTIONER)
    train = ("train", "captioner", tmp_path / "tiny.toml", "--dataset", tmp_path / "dataset", "--out", tmp_path / "run")
    done = run_here(*train)

    assert done.returncode == 0, done.stderr
    model = load_captioner(str(tmp_path / "run" / "best"))
    assert {"raise", "knee"} <= set(model.vocabularies["en"].words)
    assert "उठाएँ" in model.vocabularies["hi"].words


def test_each_description_of_a_re_enacted_pair_becomes_a_text_of_its_photographs(campaign: Campaign) -> None:
    uid = described(campaign)[0]
    both = answer(campaign, RealPair(jpeg(), jpeg(90), uid, "Lift the arm.\n \nRaise it slowly.\n\n\n"), uid)

    collected = collect_photographs([both], campaign)

    (row,) = collected.rows["test_real"]
    assert row["descriptions_en"] == ["Lift the arm.", "Raise it slowly."]


def loaded(folder: Path, config: str, split: str) -> list[object]:
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(folder), config, split], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows: list[object] = json.loads(done.stdout.splitlines()[-1])
    return rows


def test_photographs_of_another_campaign_are_not_taken(campaign: Campaign) -> None:
    uid = described(campaign)[0]
    elsewhere = new_event(RealPair(jpeg(), jpeg(90), uid, "Lift."), annotator="a", campaign="other", item=uid)
    assert collect_photographs([elsewhere], campaign).rows == {}


def test_without_an_accepted_text_there_is_no_dataset(
    campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    open_store(tmp_path / "answers.sqlite").close()
    told = [
        "dataset",
        str(tmp_path / "out"),
        "--campaign",
        str(campaign._folder),
        "--store",
        str(tmp_path / "answers.sqlite"),
    ]
    assert main(told) == 2
    assert "No text was accepted yet" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
