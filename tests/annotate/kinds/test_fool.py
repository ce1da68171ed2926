from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset

from annotate.__main__ import main
from annotate.analysis.outputs import as_text, in_one_table, write_tables
from annotate.analysis.report import as_json, make_report
from annotate.campaigns.builder import CampaignOrder, make_campaign
from annotate.campaigns.campaign import is_verified
from annotate.errors import RefusedError
from annotate.identity import Annotator
from annotate.kinds.task_kind import Task
from annotate.ports import ModelRanking, Ports
from annotate.publishing.destinations import FolderDestination
from annotate.publishing.publisher import Publisher
from annotate.records import Decision
from annotate.storage.store import open_store
from annotate.tabs.controller import AnnotationController
from annotate.tasks.fooling import MAX_WAITING, ModelQueue
from annotate.tasks.service import decide
from demo.tabs.annotate import page_services
from fmp_models.data.statistics import broken_rules
from fmp_models.evaluation.questions import QUESTIONS_FILE, read_questions
from tests.annotate.asking import MakeRig, ServiceRig, item_to_find
from tests.annotate.tabs.test_controller import IDENTITY, Guest
from tests.nonempty import nonempty

SAMPLE = Path(__file__).resolve().parents[3] / "fmp_models" / "data" / "sample"
TRUE = (
    "Lift your left arm until the hand is level with your head, and turn the palm towards the wall beside you, "
    "then bend your right knee a little, as if you were about to sit down on a low chair."
)
FOOLING = TRUE.replace("Lift", "Hoist")
MODEL, REVISION = "secret-retriever", "c0ffee"


@dataclass
class Model:
    """A retriever that only texts with "Hoist" fool; it can be made to wait."""

    asked: list[tuple[bytes, int, str, str]] = field(default_factory=list)
    free: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        """Let it answer at once."""
        self.free.set()

    def __call__(self, current: bytes, candidates: Sequence[bytes], text: str, language: str) -> ModelRanking:
        self.asked.append((current, len(candidates), text, language))
        assert self.free.wait(30)
        full = (0.5, 0.1, 0.3, 0.1) if "Hoist" in text else (0.1, 0.1, 0.7, 0.1)
        return ModelRanking(full, MODEL, REVISION, (0.4, 0.1, 0.1, 0.4), val_unseen=0.75)


def to_fool(number: int) -> dict[str, Any]:
    return {**item_to_find(number), "texts": [], "to_fool": True}


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def rig(make_rig: MakeRig, model: Model) -> ServiceRig:
    rig = make_rig([to_fool(1)], kinds=["find", "fool"], voices={})
    rig.service.ports = Ports(broken_rules, rank=model)
    return rig


def taken(rig: ServiceRig, person: Annotator, kind: str = "fool") -> Task:
    task = rig.service.next_task(person, kind, "en")
    assert task is not None
    return task


def written(rig: ServiceRig, name: str, text: str = FOOLING, guide: str = "unknown_words") -> str:
    person = rig.person(name)
    return rig.service.give(person, taken(rig, person).token, {"text": text, "guide": guide}).event


def choose(rig: ServiceRig, name: str, *, right: bool) -> None:
    person = rig.person(name)
    task = taken(rig, person, "find")
    targets = {rig.service.campaign.picture(item.target) for item in rig.service.campaign.items}
    place = next(place for place, candidate in enumerate(task.candidates) if candidate in targets)
    rig.clock.time += 60
    rig.service.give(person, task.token, {"place": place if right else (place + 1) % 4})


def test_the_writer_sees_current_target_and_the_others_and_how_each_stands(rig: ServiceRig, model: Model) -> None:
    ann = rig.person("ann")
    task, item = taken(rig, ann), rig.service.campaign.items[0]
    pictures = [rig.service.campaign.picture(name) for name in item.candidates]
    assert (task.current, task.target) == (rig.service.campaign.picture(item.current), pictures[2])
    assert sorted(task.candidates) == sorted(pictures[:2] + pictures[3:])

    standing = rig.service.ranking(ann, task.token, FOOLING)

    assert standing is not None
    assert (standing.target, standing.fooled) == (0.3, True)
    assert task.candidates[standing.leader - 1] == pictures[0]
    assert standing.best_first[0] == (0.5, standing.leader)
    assert rig.service.ranking(ann, task.token, "") is None
    assert [text for _, _, text, _ in model.asked] == [FOOLING, ""]
    assert rig.store.events() == []


def test_every_attempt_is_kept_once_with_what_the_model_answered(rig: ServiceRig) -> None:
    ann = rig.person("ann")
    token = taken(rig, ann).token
    for text, guide in ((TRUE, "shared_detail"), (TRUE, "shared_detail"), (FOOLING, "unknown_words")):
        rig.service.attempt(ann, token, {"text": text, "guide": guide})
    rig.service.give(ann, token, {"text": FOOLING, "guide": "unknown_words"})

    tried = [event.payload for event in rig.store.live(kind="fooling_attempt")]
    first, second = sorted(tried, key=lambda attempt: attempt.attempts)
    (final,) = rig.store.live(kind="fooling")
    assert (first.text, first.guide, first.attempts, first.task, first.fooled) == (
        TRUE,
        "shared_detail",
        1,
        token,
        False,
    )
    assert (second.text, second.attempts, second.fooled) == (FOOLING, 2, True)
    assert (final.id, final.payload.text, final.payload.attempts) == (token, FOOLING, 2)
    assert final.payload.ranking == (0, 2, 1, 3)
    assert final.payload.probabilities == (0.5, 0.1, 0.3, 0.1)
    assert (final.payload.rank, final.payload.language_rank, round(final.payload.margin, 6)) == (2, 3, -0.2)
    assert (final.payload.model, final.payload.revision, final.payload.val_unseen) == (MODEL, REVISION, 0.75)
    assert final.payload.milliseconds >= 0
    assert rig.service.give(ann, token, {"text": FOOLING, "guide": "unknown_words"}).repeated
    with pytest.raises(RefusedError, match="first version"):
        rig.service.give(ann, token, {"text": TRUE, "guide": "unknown_words"})


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"text": "Hoist it.", "guide": "unknown_words"}, "rules_broken"),
        ({"text": " ", "guide": "unknown_words"}, "text_missing"),
        ({"text": TRUE, "guide": "none"}, "answer_malformed"),
        ({"text": TRUE}, "answer_malformed"),
        ({"text": TRUE, "guide": "unknown_words", "rank": 2}, "answer_malformed"),
        ({"text": "x" * 20_000, "guide": "unknown_words"}, "text_too_long"),
    ],
)
def test_a_text_that_breaks_a_rule_is_no_attempt(rig: ServiceRig, answer: dict[str, Any], code: str) -> None:
    ann = rig.person("ann")
    token = taken(rig, ann).token
    with pytest.raises(RefusedError) as tried:
        rig.service.attempt(ann, token, answer)
    with pytest.raises(RefusedError) as given:
        rig.service.give(ann, token, answer)
    assert (tried.value.code, given.value.code) == (code, code)
    assert rig.store.events() == []


def test_a_busy_or_missing_model_takes_the_text_all_the_same(rig: ServiceRig, model: Model) -> None:
    ann = rig.person("ann")
    token = taken(rig, ann).token
    model.free.clear()
    rig.service.fooled.patience = 0.05
    with pytest.raises(RefusedError) as refused:
        rig.service.ranking(ann, token, FOOLING)
    assert refused.value.code == "model_busy"
    assert rig.service.attempt(ann, token, {"text": FOOLING, "guide": "unknown_words"}) is None
    rig.service.give(ann, token, {"text": FOOLING, "guide": "unknown_words"})
    model.free.set()
    (final,) = rig.store.live(kind="fooling")
    assert (final.payload.text, final.payload.rank, final.payload.ranking, final.payload.model) == (FOOLING, 0, (), "")


def test_a_text_that_is_given_while_another_is_ranked_is_ranked_too_and_replaces_those_between(
    rig: ServiceRig, model: Model
) -> None:
    ann = rig.person("ann")
    token = taken(rig, ann).token
    rig.service.fooled.patience = 30
    model.free.clear()
    refused: list[str] = []

    def ask(text: str) -> None:
        try:
            rig.service.ranking(ann, token, text)
        except RefusedError as error:
            refused.append(f"{error.code} {text}")

    first, second = (threading.Thread(target=ask, args=(text,)) for text in ("one", "two"))
    first.start()
    while not (model.asked and ann.pseudonym in rig.service.fooled._waiting):
        threading.Event().wait(0.01)
    waiting = rig.service.fooled._waiting[ann.pseudonym]
    second.start()
    while rig.service.fooled._waiting[ann.pseudonym] is waiting:
        threading.Event().wait(0.01)
    third = threading.Thread(target=rig.service.attempt, args=(ann, token, {"text": FOOLING, "guide": "unknown_words"}))
    third.start()
    second.join()
    model.free.set()
    first.join()
    third.join()
    assert refused == ["model_busy two"]
    assert [text for _, _, text, _ in model.asked] == ["one", FOOLING]
    (tried,) = rig.store.live(kind="fooling_attempt")
    assert (tried.payload.text, tried.payload.rank) == (FOOLING, 2)
    assert not rig.service.fooled._waiting


def test_the_queue_before_the_model_is_bounded_and_serves_one_at_a_time(rig: ServiceRig, model: Model) -> None:
    queue, ann = ModelQueue(patience=30), rig.person("ann")
    view = rig.service._view(rig.service._fooling(ann, taken(rig, ann).token))
    model.free.clear()

    def ask(number: int) -> ModelRanking:
        return queue.ranking(
            model, replace(view, annotator=str(number)), f"text {number}", rig.service.campaign.picture
        )

    waiting = [threading.Thread(target=ask, args=(number,)) for number in range(MAX_WAITING)]
    for thread in waiting:
        thread.start()
    while len(queue._waiting) < MAX_WAITING:
        threading.Event().wait(0.01)
    with pytest.raises(RefusedError) as full:
        ask(99)
    assert full.value.code == "model_busy"
    assert len(model.asked) == 1
    model.free.set()
    for thread in waiting:
        thread.join()
    assert sorted(text for _, _, text, _ in model.asked) == sorted(f"text {number}" for number in range(MAX_WAITING))
    assert ask(99).model == MODEL


@pytest.mark.parametrize(
    ("choices", "verified"), [("", None), ("r", True), ("w", None), ("wr", True), ("ww", False), ("rw", True)]
)
def test_a_text_is_verified_by_another_person_and_in_doubt_by_a_third(choices: str, *, verified: bool | None) -> None:
    assert is_verified([choice == "r" for choice in choices]) is verified


def test_others_find_the_target_by_the_text_and_never_its_writer(rig: ServiceRig) -> None:
    event = written(rig, "ann")
    assert rig.service.next_task(rig.person("ann"), "find", "en") is None
    task = taken(rig, rig.person("ben"), "find")
    assert (task.texts, task.mode, task.target, len(task.candidates)) == ((FOOLING,), "everything", None, 4)

    choose(rig, "ben", right=False)
    choose(rig, "cara", right=True)

    assert rig.service.next_task(rig.person("dev"), "find", "en") is None
    finds = [found.payload for found in rig.store.live(kind="target_choice")]
    assert [(found.text, found.correct, found.mode) for found in nonempty(finds)] == [
        (event, False, "everything"),
        (event, True, "everything"),
    ]


def test_a_text_found_at_once_asks_nobody_else_until_its_answer_is_undone(rig: ServiceRig) -> None:
    written(rig, "ann")
    choose(rig, "ben", right=True)
    assert rig.service.next_task(rig.person("cara"), "find", "en") is None
    last = rig.service.last(rig.person("ben"), "find", "en")
    assert last is not None
    rig.service.undo(rig.person("ben"), "find", "en", last)
    rig.service.skip(rig.person("ben"), taken(rig, rig.person("ben"), "find").token, "unclear")
    assert taken(rig, rig.person("cara"), "find").texts == (FOOLING,)


def test_raw_requests_tell_neither_the_model_nor_gold_nor_the_answers_of_others(
    make_rig: MakeRig, model: Model
) -> None:
    known = {**to_fool(30), "uid": "secret_gold", "to_fool": False, "gold": {"kind": "find"}}
    rig = make_rig([to_fool(1), known], kinds=["find", "fool"], voices={})
    rig.service.ports = Ports(broken_rules, rank=model)
    controller = AnnotationController(rig.service, IDENTITY, page_services(), state=lambda: None)  # type: ignore[arg-type, return-value]
    ann, ben = Guest(controller, "ann"), Guest(controller, "ben")
    token = ann.sit("fool")["token"]
    ann.press("rank", kind="fool", token=token, text=FOOLING)
    assert "Fooled" in ann.shown["html"]
    ann.press("attempt", kind="fool", token=token, fields={"text": TRUE, "guide": "unknown_words"})
    assert ann.shown["settled"] is False
    ann.press("give", kind="fool", token=token, fields={"text": FOOLING, "guide": "unknown_words"})

    for action in ("rank", "attempt", "give"):
        fields = {"text": FOOLING, "guide": "unknown_words"}
        assert ben.press(action, kind="fool", token=token, text=FOOLING, fields=fields)["code"] == "task_unknown"
    shown = ben.sit("find")
    assert FOOLING in shown["html"]
    assert "answers" not in {one.get("outcome") for one in ben.heard}
    for action in ("rank", "attempt"):
        fields = {"text": FOOLING, "guide": "unknown_words"}
        assert (
            ben.press(action, kind="fool", token=shown["token"], text=FOOLING, fields=fields)["code"] == "task_unknown"
        )
    while "token" in (found := ben.sit("find")):
        ben.press("give", kind="find", token=found["token"], fields={"place": "0"})
    assert "token" not in ben.sit("fool")
    for name in ("answers", "owner", "download"):
        assert ben.press(name, kind="results", of="fooling")["code"] == "owners_only"
    said = json.dumps([*ann.heard, *ben.heard], ensure_ascii=False)
    assert not re.search(f"{MODEL}|{REVISION}|probabilit|gold|val_unseen|verified", said)
    assert TRUE not in json.dumps(ben.heard)
    target = rig.service.campaign.items[0].target
    assert target not in said


def test_a_campaign_asks_for_texts_about_its_own_pairs_and_others_to_find_them(tmp_path: Path) -> None:
    about = {"dataset": SAMPLE, "name": "made", "items": 1, "retrieval_items": 1, "kinds": ("fool", "find")}
    campaign = make_campaign(CampaignOrder(**about), tmp_path / "made")
    asked = {language: campaign.questions("fool", language) for language in ("en", "hi")}
    assert [len(questions) for questions in asked.values()] == [1, 1]
    assert {len(question.item.candidates) for question in asked["hi"]} == {10}
    assert {question.voices for question in asked["en"]} == {1}
    found = {question.item.target for question in campaign.questions("find", "en")}
    assert not found & {question.item.target for question in asked["en"]}
    alone = make_campaign(CampaignOrder(**{**about, "retrieval_items": 0, "items": 9}), tmp_path / "alone")
    assert len(alone.questions("fool", "en")) == 2
    with pytest.raises(RefusedError, match="fool,find"):
        make_campaign(CampaignOrder(**{**about, "kinds": ("fool",)}), tmp_path / "lacking")
    assert "fool" not in make_campaign(CampaignOrder(**{**about, "kinds": ()}), tmp_path / "usual").kinds


@pytest.fixture
def told(make_rig: MakeRig, model: Model) -> ServiceRig:
    """Three texts: one fools the model and is found at once, one in doubt, one by nobody; one waits."""
    rig = make_rig([to_fool(number) for number in (2, 14, 26, 38)], kinds=["find", "fool"], voices={})
    rig.service.ports = Ports(broken_rules, rank=model)
    ann = rig.person("ann")
    for text, guide in zip(
        (FOOLING, TRUE, FOOLING, TRUE), ("unknown_words", "unknown_words", *["shared_detail"] * 2), strict=True
    ):
        token = taken(rig, ann).token
        rig.service.attempt(ann, token, {"text": text, "guide": guide})
        rig.clock.time += 60
        rig.service.give(ann, token, {"text": text, "guide": guide})
    return rig


def test_the_report_tells_who_was_fooled_verified_and_how_the_model_fares(told: ServiceRig, tmp_path: Path) -> None:
    texts = {event.id: event.payload for event in told.store.live(kind="fooling")}
    for name in ("ben", "cara", "dev"):
        person = told.person(name)
        while (task := told.service.next_task(person, "find", "en")) is not None:
            claim = told.store.find_claim(task.token, annotator=person.pseudonym)
            assert claim is not None
            text, item = texts[claim.aspect], next(one for one in told.service.campaign.items if one.uid == claim.item)
            right = text.text == FOOLING if text.guide == "unknown_words" or name != "ben" else False
            place = task.candidates.index(told.service.campaign.picture(item.target))
            told.clock.time += 1
            told.service.give(person, task.token, {"place": place if right else (place + 1) % 4})

    report = make_report(told.store.events(), told.service.campaign)
    rows = {row["guide"]: row for row in as_json(report)["fooling"]}

    everything = rows[""]
    assert {name: everything[name] for name in ("texts", "annotators", "attempts", "decided", "finds")} == {
        "texts": 4,
        "annotators": 1,
        "attempts": 1.0,
        "decided": 4,
        "finds": 7,
    }
    assert everything["minutes"] >= 1
    assert (everything["fooled"], everything["language_fooled"]) == (0.5, 1.0)
    assert (everything["verified"], everything["fooled_and_verified"], everything["model_right"]) == (0.5, 0.5, 0.0)
    assert everything["found"]["value"] == 2 / 7
    assert (everything["rank"], everything["language_rank"], everything["val_unseen"]) == (1.5, 3.0, 0.75)
    assert (everything["expert_finds"], everything["experts_right"]) == (0, None)
    assert (rows["unknown_words"]["finds"], rows["shared_detail"]["finds"]) == (3, 4)
    assert report.target_finding.empty
    lines = {language: as_text(report, language).splitlines() for language in ("en", "hi")}
    assert next(line.split()[-3:] for line in lines["en"] if line.startswith("Fooled  ")) == ["50%", "50%", "50%"]
    assert next(line.split()[-1] for line in lines["hi"] if line.startswith("val-unseen")) == "75%"
    assert "fooling,en,unknown_words,fooled,0.5" in in_one_table(report).decode()
    assert "fooling.csv" in write_tables(tmp_path, report)


def test_two_experts_look_at_verified_texts_after_others_if_more_people_are_wanted(
    make_rig: MakeRig, model: Model
) -> None:
    rig = make_rig([to_fool(1)], kinds=["find", "fool"], voices={"find": 3})
    rig.service.ports = Ports(broken_rules, rank=model)
    written(rig, "ann")
    for name, right in (("ben", False), ("cara", True), ("dev", True), ("eve", False)):
        choose(rig, name, right=right)
    assert rig.service.next_task(rig.person("fay"), "find", "en") is None
    rows = as_json(make_report(rig.store.events(), rig.service.campaign))["fooling"]
    assert [(row["guide"], row["expert_finds"], row["experts_right"]) for row in nonempty(rows)] == [
        ("", 2, 0.5),
        ("unknown_words", 2, 0.5),
    ]
    place = next(item.uid for item in rig.service.campaign.items)
    decide(rig.store, rig.service.campaign.name, Decision("drop"), place)
    assert as_json(make_report(rig.store.events(), rig.service.campaign))["fooling"] == []


def published(rig: ServiceRig, folder: Path) -> dict[str, dict[str, Any]]:
    """Publish, and return the rows that ``load_dataset`` gives of the configuration, by id."""
    Publisher(rig.store, FolderDestination(folder)).publish_now()
    rows = load_dataset(str(folder), "fooling", split="train", cache_dir=str(folder.parent / "cache"))
    return {row["id"]: row for row in rows}


def test_what_is_published_tells_which_texts_are_verified_as_people_find_them(told: ServiceRig, tmp_path: Path) -> None:
    folder = tmp_path / "published"
    first = published(told, folder)
    assert [row["verified"] for row in nonempty(list(first.values()))] == [""] * 4
    choose(told, "ben", right=True)
    choose(told, "ben", right=False)
    (right,) = (event.payload.text for event in told.store.live(kind="target_choice") if event.payload.correct)
    second = published(told, folder)
    assert {id_ for id_, row in second.items() if row["verified"] == "yes"} == {right}
    assert (second[right]["model"], second[right]["revision"], second[right]["attempts"]) == (MODEL, REVISION, 1)
    assert len(second[right]["probabilities"]) == 4
    files = set(folder.rglob("*.parquet"))
    published(told, folder)
    assert set(folder.rglob("*.parquet")) == files
    trail = load_dataset(str(folder), "fooling_attempt", split="train", cache_dir=str(tmp_path / "cache"))
    assert {row["task"] for row in trail} == set(second)

    other = open_store(tmp_path / "other.sqlite")
    Publisher(other, FolderDestination(folder)).publish_now()
    assert set(folder.rglob("*.parquet")) == files
    assert {event.id for event in other.live(kind="fooling")} == set(second)
    other.withdraw(annotator=told.person("ann").pseudonym)
    Publisher(other, FolderDestination(folder)).publish_now()
    other.close()
    assert not [path for path in folder.rglob("*.parquet") if path.parent.name in {"fooling", "verified"}]


def test_verified_texts_are_exported_and_read_back_as_questions(
    told: ServiceRig, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(told, "ben", right=True)
    choose(told, "ben", right=False)
    (right,) = (event.payload.text for event in told.store.live(kind="target_choice") if event.payload.correct)
    path = told.store.engine.url.database
    assert path is not None
    monkeypatch.setenv("FMP_CAMPAIGN", str(told.service.campaign._folder))

    assert main(["export", str(tmp_path / "q"), "--store", path, "--format", "questions"]) == 0
    assert "1 verified" in capsys.readouterr().out
    questions, _ = read_questions(tmp_path / "q" / QUESTIONS_FILE, tmp_path / "q")
    assert [(one.id, one.answer, len(one.candidates), list(one.texts)) for one in questions] == [(right, 2, 4, ["en"])]

    assert main(["export", str(tmp_path / "t"), "--store", path, "--format", "json"]) == 0
    rows = json.loads((tmp_path / "t" / "fooling.json").read_text(encoding="utf-8-sig"))
    assert {row["verified"] for row in rows if row["id"] == right} == {"yes"}
    assert {row["verified"] for row in rows if row["id"] != right} == {""}
    assert {row["task"] for row in json.loads((tmp_path / "t" / "fooling_attempt.json").read_text())} == {
        row["id"] for row in rows
    }
