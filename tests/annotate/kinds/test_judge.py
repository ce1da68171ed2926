from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotate.__main__ import main
from annotate.analysis.outputs import as_text, in_one_table, write_tables
from annotate.analysis.report import as_json, concerns, make_report
from annotate.campaigns.builder import CampaignOrder, make_campaign
from annotate.campaigns.campaign import Campaign
from annotate.errors import RefusedError
from annotate.kinds.judge import DialogueJudged
from annotate.publishing.destinations import FolderDestination
from annotate.publishing.publisher import Publisher
from annotate.records import Event, new_event
from tests.annotate.asking import MakeRig, ServiceRig, item
from tests.annotate.dialogues import CAPTIONS, ROUNDS, text_to_judge, with_dialogues
from tests.annotate.sample_events import PAYLOADS
from tests.nonempty import nonempty

SPLITS = ("val_seen", "val_unseen", "test_unseen")


def judged(number: int = 1, rounds: int = 5) -> dict[str, Any]:
    uid = f"{number}_0_0_0_0"
    texts = [text_to_judge(uid, language, place) for language in ("en", "hi") for place in range(rounds)]
    return item(number, texts=texts, to_describe=False)


@pytest.fixture
def rig(make_rig: MakeRig) -> ServiceRig:
    return make_rig([judged()], kinds=["judge"], voices={"judge": 2})


def test_an_answer_is_shown_after_its_own_dialogue_and_stored_with_what_the_dataset_tells(rig: ServiceRig) -> None:
    ann, seen = rig.person("ann"), Counter[int]()
    for _ in ROUNDS["hi"]:
        task = rig.service.next_task(ann, "judge", "hi")
        assert task is not None
        assert task.dialogue is not None
        place = task.dialogue.round - 1
        seen[place] += 1
        question, answer, *_ = ROUNDS["hi"][place]
        assert task.texts == (f"{question} {answer}",)
        assert (task.dialogue.caption, task.dialogue.question, task.dialogue.answer) == (
            CAPTIONS["hi"],
            question,
            answer,
        )
        assert task.dialogue.earlier == tuple(one[:2] for one in ROUNDS["hi"][:place])
        assert None not in {task.current, task.target}
        rig.service.give(ann, task.token, {"verdict": "right", "comment": f"round {place + 1}"})

    assert rig.service.next_task(ann, "judge", "hi") is None
    assert seen == Counter(range(5))
    first = next(event for event in rig.store.live(kind="dialogue_judged") if event.payload.round == 3)
    assert (first.item, first.language) == ("1_0_0_0_0", "hi")
    assert first.payload == DialogueJudged(
        text="round-3",
        verdict="right",
        dialogue_id="1_0_0_0_0/hi/0",
        round=3,
        question="वह किस ओर जाता है?",
        answer="ऊपर",
        program="seek(direction, focus())",
        question_kind="seek",
        dependence="coref",
        distance=1,
        comment="round 3",
        seconds=first.payload.seconds,
    )


def test_a_verdict_is_undone_changed_and_kept_after_its_round_is_no_longer_asked(rig: ServiceRig) -> None:
    ann, ben = rig.person("ann"), rig.person("ben")
    task, other = (rig.service.next_task(person, "judge", "en") for person in (ann, ben))
    assert task is not None
    assert other is not None
    rig.service.give(ann, task.token, {"verdict": "wrong", "comment": ""})
    last = rig.service.last(ann, "judge", "en")
    assert last is not None
    again = rig.service.undo(ann, "judge", "en", last)
    assert again is not None
    assert again.answer == {"verdict": "wrong", "comment": ""}
    rig.service.give(ann, again.token, {"verdict": "cannot_tell"})

    rig.service.scheduler.campaign = rig.service.campaign.model_copy(update={"items": ()})
    rig.service.scheduler._asks.clear()
    rig.service.give(ben, other.token, {"verdict": "right"})

    events = rig.store.live(kind="dialogue_judged")
    assert Counter(event.payload.verdict for event in events) == {"cannot_tell": 1, "right": 1}
    assert all(event.payload.program for event in nonempty(events))


@pytest.mark.parametrize(
    "answer", [{}, {"verdict": "yes"}, {"verdict": None}, {"verdict": "right", "score": 3}, "right"]
)
def test_another_verdict_is_refused_in_one_sentence(rig: ServiceRig, answer: object) -> None:
    task = rig.service.next_task(rig.person("ann"), "judge", "en")
    assert task is not None
    with pytest.raises(RefusedError) as refused:
        rig.service.give(rig.person("ann"), task.token, answer)  # type: ignore[arg-type]
    assert refused.value.code == "answer_malformed"
    assert rig.store.live(kind="dialogue_judged") == []


def order(dataset: Path, **changes: object) -> CampaignOrder:
    plain = {"dataset": dataset, "name": "made", "splits": SPLITS, "items": 4, "kinds": ("judge",)}
    return CampaignOrder(**{**plain, **changes})


def test_a_campaign_asks_about_one_dialogue_of_each_pair_and_about_false_answers_of_others(tmp_path: Path) -> None:
    dataset = with_dialogues(tmp_path / "dataset")
    campaign = make_campaign(order(dataset), tmp_path / "made")

    for language in ("en", "hi"):
        asked, gold = campaign.questions("judge", language), campaign.gold_questions("judge", language)
        assert len(asked) == 4 * 5
        assert {question.voices for question in asked} == {3}
        dialogues = {(one.item.uid, text.dialogue and text.dialogue.dialogue_id) for one in asked for text in one.texts}
        assert len(dialogues) == 4
        shown = {(text.dialogue.question, text.dialogue.answer) for one in gold for text in one.texts if text.dialogue}
        assert {question for question, _ in shown} == {one[0] for one in ROUNDS[language] if one[3] != "seek"}
        assert not shown & {one[:2] for one in ROUNDS[language]}
        assert not {one.item.target for one in gold} & {one.item.target for one in asked}
    assert make_campaign(order(dataset), tmp_path / "again").items == campaign.items
    both = make_campaign(order(dataset, kinds=("verify", "judge"), items=2, gold=1), tmp_path / "both")
    assert len(both.questions("judge", "en")) == 2 * 5
    assert len(both.questions("verify", "en")) == 2
    assert "judge" not in make_campaign(order(dataset, kinds=(), retrieval_items=1), tmp_path / "usual").kinds


def test_the_command_makes_the_campaign_of_the_docs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset = with_dialogues(tmp_path / "dataset")
    words = ["campaign", "new", str(tmp_path / "made"), "--dataset", str(dataset), "--kinds", "judge", "--items", "2"]
    assert main([*words, "--split", "test_unseen", "--languages", "hi", "--gold", "1"]) == 0
    assert "judge hi: 10 questions, 30 answers wanted, 4 gold" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"answer": None}, "answer"),
        ({"program": None}, "program"),
        ({"round": None}, "round"),
        ({"answer": " "}, "answer"),
        ({"distance": -1}, "distance"),
        ({"question": "x" * 5000}, "at most 4000"),
    ],
)
def test_a_damaged_dialogue_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, object], expected: str
) -> None:
    dataset = with_dialogues(tmp_path / "dataset", **changes)
    words = ["--dataset", str(dataset), "--kinds", "judge", "--items", "2", "--split", "test_unseen"]
    assert main(["campaign", "new", str(tmp_path / "made"), *words]) == 2
    said = capsys.readouterr().err
    assert expected in said
    assert said.count("\n") == 1
    assert not (tmp_path / "made").exists()


def test_a_dataset_without_dialogues_or_without_a_language_is_refused(tmp_path: Path) -> None:
    english = with_dialogues(tmp_path / "english", languages=("en",))
    with pytest.raises(RefusedError, match="no pair with dialogues in en, hi"):
        make_campaign(order(english), tmp_path / "made")
    with pytest.raises(RefusedError, match="has no split val_seen of dialogue"):
        make_campaign(order(Path(__file__).parents[3] / "fmp_models" / "data" / "sample"), tmp_path / "made")
    assert len(make_campaign(order(english, languages=("en",)), tmp_path / "made").questions("judge", "en")) == 20


# verdicts of four people on five rounds of one dialogue: r right, w wrong, c cannot tell
VERDICTS = {"ann": "rrrrr", "ben": "rrwrr", "cara": "rrcrr", "dev": "rrrwr"}
WORDS = {"r": "right", "w": "wrong", "c": "cannot_tell"}


def events(campaign: Campaign, language: str = "en") -> list[Event]:
    made = []
    for question in campaign.questions("judge", language):
        (text,) = question.texts
        assert text.dialogue is not None
        about = text.dialogue.model_dump(exclude={"caption", "earlier"})
        for person, given in VERDICTS.items():
            payload = replace(
                PAYLOADS["dialogue_judged"], text=text.id, verdict=WORDS[given[about["round"] - 1]], **about
            )
            made.append(
                new_event(payload, annotator=person, campaign="small", item=question.item.uid, language=language)
            )
    return made


def test_the_report_has_shares_of_right_answers_by_kind_dependence_and_distance(
    rig: ServiceRig, tmp_path: Path
) -> None:
    campaign = rig.service.campaign
    report = make_report([*events(campaign), *events(campaign, "hi")[:8]], campaign)

    rows = {(row["language"], row["by"], row["group"]): row for row in as_json(report)["dialogues"]}

    everything = rows["en", "all", ""]
    counts = {"questions": 5, "verdicts": 20, "annotators": 4, "cannot_tell": 0.05}
    assert {name: everything[name] for name in counts} == counts
    assert everything["right"]["value"] == 17 / 19
    low, high = everything["right"]["interval"]
    assert 0 < low < 17 / 19 < high <= 1
    assert {
        group: rows["en", "question_kind", group]["right"]["value"] for group in ("count_direction", "exist", "seek")
    } == {
        "count_direction": 7 / 8,
        "exist": 1.0,
        "seek": 2 / 3,
    }
    assert rows["en", "dependence", "coref"]["right"]["value"] == 6 / 7
    assert {group for language, by, group in rows if (language, by) == ("en", "distance")} == {"1", "4–6"}
    assert rows["en", "distance", "1"]["cannot_tell"] == 0.25
    assert rows["hi", "all", ""]["verdicts"] == 8
    (agreement, _) = as_json(report)["agreement"]
    assert (agreement["about"], agreement["units"], agreement["answers"]) == ("dialogue_judged", 5, 19)

    for language, expected in (("en", "Kind: seek"), ("hi", "प्रकार: seek")):
        line = next(line for line in as_text(report, language).splitlines() if line.startswith(expected))
        assert "66.7%" in line
        assert "25.0%" in line
    assert "dialogues,en,question_kind seek,right,0.66" in in_one_table(report).decode()
    assert "dialogues.csv" in write_tables(tmp_path, report)
    assert make_report([], campaign).dialogues.empty


def test_gold_answers_tell_careless_people_and_are_not_in_the_shares(make_rig: MakeRig) -> None:
    gold = {"kind": "judge", "verdict": "wrong"}
    items = [judged(), *({**judged(number), "gold": gold} for number in (2, 3))]
    campaign = make_rig(items, kinds=["judge"], languages=["en"]).service.campaign
    payload = replace(PAYLOADS["dialogue_judged"], text="round-1")
    about = {"campaign": "small", "language": "en"}
    given = [
        new_event(replace(payload, verdict=verdict), annotator=person, item=f"{number}_0_0_0_0", **about)
        for person, verdict in (("ann", "right"), ("ben", "wrong"), ("cara", "cannot_tell"))
        for number in (2, 3)
    ]

    doubts = concerns(given, campaign)

    assert doubts[["annotator", "doubt"]].to_numpy().tolist() == [["ann", "wrong_on_gold"]]
    assert make_report(given, campaign).dialogues.empty


def test_published_verdicts_load_by_name(rig: ServiceRig, tmp_path: Path) -> None:
    ann = rig.person("ann")
    for verdict in ("right", "cannot_tell"):
        task = rig.service.next_task(ann, "judge", "en")
        assert task is not None
        rig.service.give(ann, task.token, {"verdict": verdict, "comment": "=1"})
    out = tmp_path / "published"
    Publisher(rig.store, FolderDestination(out), campaigns=[rig.service.campaign]).publish_now()

    script = (
        "import json, sys; from datasets import load_dataset;"
        "rows = load_dataset(sys.argv[1], 'dialogue_judged', split='train').remove_columns(['time']);"
        "print(json.dumps(rows.to_list()))"
    )
    environment = {"HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1", "PYTHONIOENCODING": "utf-8"}
    loaded = subprocess.run(
        [sys.executable, "-c", script, str(out)], env=environment, capture_output=True, encoding="utf-8", check=False
    )

    assert loaded.returncode == 0, loaded.stderr
    rows = json.loads(loaded.stdout.splitlines()[-1])
    assert Counter(row["verdict"] for row in rows) == {"right": 1, "cannot_tell": 1}
    for row in nonempty(rows):
        place = row["round"] - 1
        asked = [row[name] for name in ("question", "answer", "program", "question_kind", "dependence", "distance")]
        assert tuple(asked) == ROUNDS["en"][place]
        assert row["dialogue_id"] == "1_0_0_0_0/en/0"
