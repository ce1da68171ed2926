from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from annotate.analysis.outputs import as_text
from annotate.analysis.report import as_json, make_report
from annotate.errors import RefusedError
from annotate.kinds.compare import Comparison
from annotate.kinds.repair import REPAIR, Repair
from annotate.kinds.task_kind import CampaignText, QuestionView, Task
from annotate.ports import Ports
from annotate.publishing.destinations import FolderDestination
from annotate.publishing.publisher import Publisher
from annotate.records import Event, Payload, new_event
from fmp_models.common.edits import text_after, text_before, word_edits
from fmp_models.data.statistics import broken_rules
from tests.annotate.asking import KEY, MakeRig, ServiceRig, item, text
from tests.annotate.sample_events import HOSTILE_TEXTS
from tests.nonempty import nonempty

DRAFT = "Raise your left arm."
LEFT_TO_RIGHT = [["KEEP", "Raise"], ["KEEP", "your"], ["DELETE", "left"], ["ADD", "right"], ["KEEP", "arm."]]
PORTS = Ports(broken_rules)
UNEDITED = [["KEEP", word] for word in DRAFT.split()]
WORDS = st.text(st.sampled_from("abक।\u200d🙂.,"), min_size=1, max_size=4)
DRAFTS = st.lists(st.one_of(WORDS, st.sampled_from([" ", "\n", "  \n", "\t"])), min_size=1, max_size=8).map("".join)


def drafts(number: int = 1, *kinds: str) -> dict[str, Any]:
    texts = [text("d-ash", "en", DRAFT, *(kinds or ("repair",)), source="ash")]
    return item(number, texts=texts, to_describe=False)


@pytest.fixture
def rig(make_rig: MakeRig) -> ServiceRig:
    return make_rig([drafts()], kinds=["repair", "compare"], languages=["en"], voices={"compare": 2})


def view(words: str, *kinds: str) -> QuestionView:
    about = {"id": "d", "language": "en", "source": "ash", "text": words, "kinds": kinds}
    question = REPAIR.question(None, "en", 1, (CampaignText.model_construct(**about),))  # type: ignore[arg-type]
    return QuestionView(question, "ann", KEY)


def read(edits: object, words: str = DRAFT, *kinds: str) -> Repair:
    (record,) = REPAIR.read_answer({"edits": edits}, view(words, *kinds), PORTS, 5.0)
    assert isinstance(record, Repair)
    return record


def give(rig: ServiceRig, name: str, kind: str, answer: dict[str, object]) -> Task:
    person = rig.person(name)
    task = rig.service.next_task(person, kind, "en")
    assert task is not None
    rig.service.give(person, task.token, answer)
    return task


@given(DRAFTS.filter(str.strip), st.data())
def test_any_edits_word_by_word_are_kept_and_replay_to_the_letter(draft: str, data: st.DataObject) -> None:
    edits: list[list[str]] = []
    for operation, word in json.loads(REPAIR.values["unedited"](draft)):  # type: ignore[operator]
        edits += [["ADD", added] for added in data.draw(st.lists(WORDS, max_size=2))]
        edits.append([data.draw(st.sampled_from(["KEEP", "DELETE"])), word])
        assert operation == "KEEP"
    assume(any(word.strip() for operation, word in edits if operation != "DELETE"))

    record = read(edits, draft)

    assert (text_before(record.edits), text_after(record.edits)) == (draft, record.text)
    assert record.draft == draft
    assert record.editing_steps == sum(operation != "KEEP" for operation, _ in edits)
    shown = REPAIR.show(record, view(draft), ())
    assert shown == {"edits": edits}
    assert REPAIR.answer({key: str(value) for key, value in REPAIR.shown_fields(shown).items()}) == shown


@given(DRAFTS.filter(str.strip), DRAFTS.filter(str.strip), DRAFTS.filter(str.strip))
def test_edits_of_another_text_are_refused(draft: str, other: str, after: str) -> None:
    assume(draft != other)
    with pytest.raises(RefusedError, match="do not lead"):
        read([list(edit) for edit in word_edits(other, after)], draft)


@pytest.mark.parametrize(
    ("edits", "code"),
    [
        (LEFT_TO_RIGHT[1:], "edits_unfit"),
        ([["KEEP", "Raise your"], *LEFT_TO_RIGHT[2:]], "edits_unfit"),
        ([*UNEDITED, ["ADD", "and hold"]], "edits_unfit"),
        ([*UNEDITED, ["ADD", ""]], "edits_unfit"),
        ([*UNEDITED, ["ADD", "\n"]], "edits_unfit"),
        ([], "text_missing"),
        ([["DELETE", word] for word in DRAFT.split()], "text_missing"),
        ([*UNEDITED, ["ADD", "x" * 10_001]], "text_too_long"),
        ([["MOVE", "Raise"]], "answer_malformed"),
        ([["KEEP"]], "answer_malformed"),
        ({"KEEP": "Raise"}, "answer_malformed"),
        ("KEEP", "answer_malformed"),
        (None, "answer_malformed"),
        ([[[], "Raise"]], "answer_malformed"),
    ],
)
def test_a_trace_that_does_not_replay_is_refused_in_one_sentence(edits: object, code: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(edits)
    assert refused.value.code == code
    assert refused.value.sentence.count(". ") == 0


@pytest.mark.parametrize("sent", ["", "{", "[" * 100_000, "nan", '[["KEEP","Raise"]'])
def test_a_field_that_is_no_trace_is_refused(sent: str) -> None:
    with pytest.raises(RefusedError):
        REPAIR.read_answer(REPAIR.answer({"edits": sent}), view(DRAFT), PORTS, 1.0)


@pytest.mark.parametrize("draft", [*HOSTILE_TEXTS.values(), "one\x1ctwo\r\nthree", "half \ud83d of one"])
def test_a_hostile_draft_can_be_left_as_it_is(draft: str) -> None:
    record = read(json.loads(REPAIR.values["unedited"](draft)), draft)  # type: ignore[operator]
    assert (record.text, record.editing_steps) == (record.draft, 0)


def test_a_stored_record_replays_or_is_refused() -> None:
    record = read(LEFT_TO_RIGHT)
    assert (record.draft, record.text, record.editing_steps) == (DRAFT, "Raise your right arm.", 2)
    changes: Sequence[dict[str, Any]] = ({"text": DRAFT}, {"draft": "Raise it."}, {"editing_steps": 1}, {"edits": ()})
    for change in nonempty(changes):
        with pytest.raises(RefusedError, match="do not lead"):
            replace(record, **change)


def test_the_model_is_kept_unless_people_judge_the_same_text_without_knowing_it() -> None:
    assert read(LEFT_TO_RIGHT, DRAFT, "repair", "verify").model == "ash"
    assert read(LEFT_TO_RIGHT, DRAFT, "repair", "vote").model == ""
    assert read(LEFT_TO_RIGHT, DRAFT, "repair", "questions").model == ""


def test_others_compare_a_repair_with_its_draft_and_its_mender_never_does(rig: ServiceRig) -> None:
    ann, ben = rig.person("ann"), rig.person("ben")
    assert rig.service.next_task(ben, "compare", "en") is None
    assert give(rig, "ann", "repair", {"edits": LEFT_TO_RIGHT}).texts == (DRAFT,)

    task = rig.service.next_task(ben, "compare", "en")

    assert task is not None
    assert set(task.texts) == {DRAFT, "Raise your right arm."}
    assert rig.service.next_task(ann, "compare", "en") is None
    assert rig.service.progress(ann, "compare", "en").left == 0
    rig.service.give(ben, task.token, {"better": task.texts.index("Raise your right arm.")})
    (repair,), (comparison,) = rig.store.live(kind="repair"), rig.store.live(kind="comparison")
    assert isinstance(comparison.payload, Comparison)
    assert comparison.payload.better == (comparison.payload.of,) == (repair.id,)
    assert rig.service.next_task(ben, "compare", "en") is None


def test_the_order_of_both_texts_differs_between_people(make_rig: MakeRig) -> None:
    rig = make_rig(
        [drafts(number) for number in range(1, 13)],
        kinds=["repair", "compare"],
        languages=["en"],
        voices={"compare": 2},
    )
    for _ in range(12):
        give(rig, "ann", "repair", {"edits": LEFT_TO_RIGHT})
    firsts = [give(rig, "ben", "compare", {"better": None}).texts[0] for _ in range(12)]
    assert 1 <= firsts.count(DRAFT) <= 11


def test_a_person_who_mended_the_draft_otherwise_does_not_compare_it(make_rig: MakeRig) -> None:
    kinds, voices = ["repair", "compare"], {"repair": 2, "compare": 3}
    rig = make_rig([drafts()], kinds=kinds, languages=["en"], voices=voices)
    give(rig, "ann", "repair", {"edits": LEFT_TO_RIGHT})
    give(rig, "ben", "repair", {"edits": UNEDITED})

    assert [rig.service.next_task(rig.person(name), "compare", "en") for name in ("ann", "ben")] == [None, None]
    assert rig.service.next_task(rig.person("cara"), "compare", "en") is not None


def test_a_text_in_which_nothing_was_wrong_is_not_compared(rig: ServiceRig) -> None:
    give(rig, "ann", "repair", {"edits": UNEDITED})
    assert rig.service.next_task(rig.person("ben"), "compare", "en") is None


def test_a_comparison_can_be_sent_and_undone_after_the_repair_was_taken_back(rig: ServiceRig) -> None:
    ann, ben = rig.person("ann"), rig.person("ben")
    give(rig, "ann", "repair", {"edits": LEFT_TO_RIGHT})
    task = rig.service.next_task(ben, "compare", "en")
    assert task is not None
    last = rig.service.last(ann, "repair", "en")
    assert last is not None

    again = rig.service.undo(ann, "repair", "en", last)
    rig.service.give(ben, task.token, {"better": None})

    assert again is not None
    assert again.answer == {"edits": LEFT_TO_RIGHT}
    assert [flag.payload.reason for flag in rig.store.live(kind="flag")] == ["no_longer_asked"]
    assert rig.service.next_task(rig.person("cara"), "compare", "en") is None


def test_a_deleted_repair_takes_its_words_along(rig: ServiceRig) -> None:
    ann, ben = rig.person("ann"), rig.person("ben")
    give(rig, "ann", "repair", {"edits": LEFT_TO_RIGHT})
    assert rig.service.next_task(ben, "compare", "en") is not None
    rig.service.withdraw(ann)
    with rig.store.reading() as connection:
        rows = connection.exec_driver_sql("select context from claims union select payload from events").scalars().all()
    assert rows
    assert not any("right" in row for row in rows)


def events() -> list[Event]:
    """Give repairs of two models by one person, and comparisons by others."""

    def one(payload: Payload, annotator: str, number: int, id_: str) -> Event:
        about = {"campaign": "small", "item": f"{number}_0_0_0_0", "language": "en", "id": id_ * 32}
        return new_event(payload, annotator=annotator, **about)

    made = [
        one(replace(read(LEFT_TO_RIGHT), of="d-ash", seconds=30.0), "ann", 1, "1"),
        one(replace(read(UNEDITED), of="d-ash", seconds=10.0), "ann", 2, "2"),
        one(replace(read([*UNEDITED, ["ADD", "Now."]]), of="d-birch", model=""), "ann", 3, "3"),
    ]
    for place, (person, better) in enumerate([("ben", "1"), ("cara", "1"), ("dev", "d"), ("eve", "1d")]):
        ids = tuple({"1": "1" * 32, "d": "d-ash"}[which] for which in better)
        comparison = Comparison("1" * 32, ids, ("1" * 32, "d-ash"), 4.0)
        made.append(one(comparison, person, 1, "abcdef"[place]))
    return made


def test_the_report_has_steps_shares_and_wins_by_model(make_rig: MakeRig) -> None:
    birch = item(3, texts=[text("d-birch", "en", DRAFT, "repair", "vote", source="birch")])
    rig = make_rig([drafts(1), drafts(2), birch], kinds=["repair", "compare", "vote"], languages=["en"])

    report = make_report(events(), rig.service.campaign)
    ash, other = as_json(report)["repairs"]

    counts = {"repairs": 2, "annotators": 1, "steps": 1.0, "mended": 0.5, "seconds": 20.0, "comparisons": 4}
    assert {name: ash[name] for name in ("model", *counts)} == {"model": "ash", **counts}
    assert ash["won"]["value"] == 2.5 / 4
    low, high = ash["won"]["interval"]
    assert 0 <= low < 2.5 / 4 < high <= 1
    assert (other["model"], other["steps"], other["mended"], other["comparisons"]) == ("birch", 1.0, 1.0, 0)
    assert other["won"] == {"value": None, "interval": None}
    printed = as_text(report, "hi")
    assert "62.5%" in next(line for line in printed.splitlines() if line.startswith("ash"))


def test_repairs_are_published_with_draft_model_edits_and_steps(rig: ServiceRig, tmp_path: Path) -> None:
    give(rig, "ann", "repair", {"edits": LEFT_TO_RIGHT})
    Publisher(rig.store, FolderDestination(tmp_path), campaigns=[rig.service.campaign]).publish_now()

    (shard,) = (tmp_path / "data" / "repair").glob("*.parquet")
    (row,) = pq.read_table(shard).to_pylist()

    published = {"of": "d-ash", "draft": DRAFT, "model": "ash", "text": "Raise your right arm.", "editing_steps": 2}
    assert {name: row[name] for name in published} == published
    assert [[edit["operation"], edit["word"]] for edit in row["edits"]] == LEFT_TO_RIGHT
    assert "config_name: repair" in (tmp_path / "README.md").read_text(encoding="utf-8")
