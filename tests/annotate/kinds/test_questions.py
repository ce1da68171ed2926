from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from annotate.analysis.report import as_json, make_report
from annotate.errors import RefusedError
from annotate.kinds.questions import OwnAnswer, OwnQuestion, Questions, read_answers
from annotate.kinds.task_kind import Task
from annotate.publishing.destinations import FolderDestination
from annotate.publishing.publisher import Publisher
from tests.annotate.asking import MakeRig, ServiceRig, colour, item, text

ASKED: list[dict[str, Any]] = [
    {"id": "hard", "kind": "scale", "text": {"en": "How hard is the pose?"}},
    {"id": "clear", "kind": "scale", "text": {"en": "How clear?"}, "about": "each_text"},
    {"id": "follow", "kind": "yes_no", "text": {"en": "Can you follow it?"}, "about": "first_text"},
    {"id": "note", "kind": "text", "text": {"en": "Why?"}, "about": "each_text", "optional": True},
]
TEXTS = [text("model-ash", "en", "Raise it.", "questions"), text("model-birch", "en", "Lift it.", "questions")]
CHOICES = {"left": {"en": "Left"}, "right": {"en": "Right"}}


@pytest.fixture
def rig(make_rig: MakeRig) -> ServiceRig:
    voices = {"questions": 2}
    return make_rig([item(1, texts=TEXTS, to_describe=False)], own_questions=ASKED, languages=["en"], voices=voices)


def own(**changes: object) -> OwnQuestion:
    return OwnQuestion.model_validate_json(json.dumps({"id": "q", "kind": "scale", "text": {"en": "Well?"}, **changes}))


def ids(task: Task | None) -> list[str]:
    return [] if task is None else [question.id for question in task.asked]


def answer_all(rig: ServiceRig, name: str, **answers: str) -> list[list[str]]:
    """Answer every form of a person; return the questions of each."""
    person, forms = rig.person(name), []
    while task := rig.service.next_task(person, "questions", "en"):
        forms.append(ids(task))
        rig.service.give(person, task.token, {"answers": {id_: answers[id_] for id_ in ids(task) if id_ in answers}})
    return forms


@pytest.mark.parametrize(
    ("changes", "given", "value", "number"),
    [
        ({}, "4", "4", 4.0),
        ({"kind": "yes_no"}, "yes", "yes", 1.0),
        ({"kind": "yes_no"}, "no", "no", 0.0),
        ({"kind": "choice", "choices": CHOICES}, "right", "right", None),
        ({"kind": "number"}, " -2.5 ", "-2.5", -2.5),
        ({"kind": "text"}, " =1+1 ", "=1+1", None),
    ],
)
def test_an_answer_has_its_value_and_a_number_where_it_is_one(
    changes: dict[str, object], given: str, value: str, number: float | None
) -> None:
    asked = own(**changes)
    assert read_answers((asked,), {"q": given}) == (OwnAnswer("q", asked.kind, value, number),)


@pytest.mark.parametrize(
    ("changes", "given", "code"),
    [
        ({}, {"q": "6"}, "answer_malformed"),
        ({}, {"q": "3", "other": "3"}, "answer_malformed"),
        ({}, {"q": " "}, "question_open"),
        ({}, {}, "question_open"),
        ({"kind": "yes_no"}, {"q": "perhaps"}, "answer_malformed"),
        ({"kind": "choice", "choices": CHOICES}, {"q": "both"}, "answer_malformed"),
        ({"kind": "number"}, {"q": "nan"}, "answer_malformed"),
        ({"kind": "number"}, {"q": "1e400"}, "answer_malformed"),
        ({"kind": "number", "between": [18, 99]}, {"q": "17.9"}, "number_outside"),
        ({"kind": "number", "between": [18, 99]}, {"q": "old"}, "number_outside"),
    ],
)
def test_a_value_that_cannot_be_chosen_and_a_missing_answer_are_refused(
    changes: dict[str, object], given: dict[str, str], code: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        read_answers((own(**changes),), given)
    assert refused.value.code == code


def test_a_form_asks_about_the_pictures_or_about_one_text(rig: ServiceRig) -> None:
    forms = answer_all(rig, "ann", hard="2", clear="4", follow="yes")
    assert sorted(forms) == [["clear", "follow", "note"], ["clear", "note"], ["hard"]]


def test_a_form_without_any_answer_is_refused(make_rig: MakeRig) -> None:
    rig = make_rig([item(1)], own_questions=[{**ASKED[0], "optional": True}])
    ann = rig.person("ann")
    task = rig.service.next_task(ann, "questions", "en")
    assert task is not None
    with pytest.raises(RefusedError, match="at least one"):
        rig.service.give(ann, task.token, {"answers": {"hard": ""}})


def test_an_undone_form_comes_back_filled_in_and_does_not_count(rig: ServiceRig) -> None:
    answer_all(rig, "ann", hard="2", clear="4", follow="yes", note="the knee")
    ann = rig.person("ann")
    last = rig.service.last(ann, "questions", "en")
    assert last is not None
    kept = rig.store.event(last)
    assert kept is not None
    assert isinstance(kept.payload, Questions)

    task = rig.service.undo(ann, "questions", "en", last)

    assert task is not None
    assert task.answer == {"answers": {answer.question: answer.value for answer in kept.payload.answers}}
    assert len(rig.store.live(kind="questions")) == 2
    rig.service.withdraw(ann)
    assert rig.store.live(kind="questions") == []


def test_a_form_is_answered_after_its_question_was_dropped(rig: ServiceRig, make_rig: MakeRig) -> None:
    ann = rig.person("ann")
    task = rig.service.next_task(ann, "questions", "en")
    assert task is not None
    changed = make_rig([item(1)], own_questions=[{"id": "new", "kind": "text", "text": {"en": "New?"}}])

    given = {question.id: "yes" if question.kind == "yes_no" else "3" for question in task.asked}
    changed.service.give(ann, task.token, {"answers": given})

    (event,) = changed.store.live(kind="questions")
    assert isinstance(event.payload, Questions)
    assert {answer.question for answer in event.payload.answers} == given.keys()
    assert [one.payload.reason for one in changed.store.live(kind="flag")] == ["no_longer_asked"]


def test_every_answer_is_a_published_row_and_counts_in_the_report(rig: ServiceRig, tmp_path: Path) -> None:
    answer_all(rig, "ann", hard="2", clear="4", follow="yes", note="the knee")
    answer_all(rig, "ben", hard="3", clear="5", follow="no")
    publisher = Publisher(rig.store, FolderDestination(tmp_path / "published"))
    publisher.publish_now()

    (shard,) = (tmp_path / "published" / "data" / "questions").glob("*.parquet")
    rows = pq.read_table(shard).to_pylist()
    clear = sorted((row["text"], row["number"], row["value"]) for row in rows if row["question"] == "clear")
    figures = {
        (row["question"], row["source"]): (row["answers"], row["mean"], row["counts"])
        for row in as_json(make_report(rig.store.events(live=True), rig.service.campaign))["questions"]
    }

    assert len(rows) == 10
    assert clear == [(model, float(value), value) for model in ("model-ash", "model-birch") for value in ("4", "5")]
    assert figures["hard", ""] == (2, 2.5, {"1": 0, "2": 1, "3": 1, "4": 0, "5": 0})
    assert figures["follow", "model-ash"] == (2, 0.5, {"yes": 1, "no": 1})
    assert figures["note", "model-birch"] == (1, None, {})
    assert list(figures) == [
        ("hard", ""),
        ("clear", "model-ash"),
        ("clear", "model-birch"),
        ("follow", "model-ash"),
        ("note", "model-ash"),
        ("note", "model-birch"),
    ]


def test_one_picture_is_shown_once_and_further_ones_follow(make_rig: MakeRig) -> None:
    alone = item(1, target=colour(1, 0), to_describe=False, texts=[])
    three = item(2, further=[colour(3, 0)], to_describe=False, texts=[])
    rig = make_rig([alone, three], own_questions=ASKED[:1], languages=["en"])
    ann, shown = rig.person("ann"), []
    while task := rig.service.next_task(ann, "questions", "en"):
        shown.append((task.target is None, len(task.further)))
        rig.service.give(ann, task.token, {"answers": {"hard": "1"}})
    assert sorted(shown) == [(False, 1), (True, 0)]
