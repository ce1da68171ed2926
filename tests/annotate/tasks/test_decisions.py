"""What an owner decides: a flagged pair waits for it, and rejected answers count for nothing and are asked again."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.__main__ import main
from annotate.analysis.report import as_json, make_report
from annotate.campaigns.campaign import text_statuses
from annotate.errors import RefusedError
from annotate.kinds.registry import TASK_KINDS
from annotate.kinds.task_kind import Task
from annotate.publishing.destinations import FolderDestination
from annotate.publishing.outbox import import_published
from annotate.publishing.publisher import Publisher
from annotate.publishing.tables import export
from annotate.records import Completion, Decision, counted, new_event
from annotate.storage.store import Store
from annotate.tasks.service import decide
from tests.annotate.asking import LONG, MakeRig, ServiceRig, item, item_to_find

PAIR, CAMPAIGN = "0_0_0_0_0", "small"
FLAGGED = {
    "write": {"text": LONG, "flags": ["no_clear_difference"]},
    "verify": {"score": 4, "flags": ["through_object"]},
}
VOTE = {"relevant": 0, "fluent": None}


@pytest.fixture
def rig(make_rig: MakeRig, where: str | Path) -> ServiceRig:
    """Return one pair that one person votes on and two write about and judge."""
    return make_rig([item(0)], where, voices={"vote": 1, "write": 2, "verify": 2})


def task(rig: ServiceRig, name: str, kind: str) -> Task | None:
    return rig.service.next_task(rig.person(name), kind, "en")


def answer(rig: ServiceRig, name: str, kind: str, fields: dict[str, object]) -> str:
    assigned = task(rig, name, kind)
    assert assigned is not None
    rig.service.give(rig.person(name), assigned.token, fields)
    rig.clock.pass_by(1)
    return assigned.token


def reject(rig: ServiceRig, name: str, *, pays: bool = False) -> None:
    decide(rig.store, CAMPAIGN, Decision("reject", rig.person(name).pseudonym, "always the first text", pays))


@pytest.mark.parametrize("kind", FLAGGED)
def test_nothing_more_is_asked_about_a_flagged_pair_until_the_owner_keeps_it(rig: ServiceRig, kind: str) -> None:
    answer(rig, "ann", kind, FLAGGED[kind])
    asked = [task(rig, "ben", each) for each in ("vote", "write", "verify", "real_pair")]
    assert asked == [None] * 4
    assert not rig.service.asks()

    decide(rig.store, CAMPAIGN, Decision("keep"), PAIR)
    assert task(rig, "ben", "vote") is not None
    decide(rig.store, CAMPAIGN, None, PAIR)
    assert task(rig, "cem", "vote") is None
    decide(rig.store, CAMPAIGN, Decision("drop"), PAIR)
    assert task(rig, "cem", "write") is None


@pytest.mark.parametrize("kind", ["vote", "verify", "write", "translate", "fool", "find", "repair"])
def test_a_problem_named_at_any_task_holds_its_item_until_the_owner_decides(
    make_rig: MakeRig, tmp_path: Path, kind: str
) -> None:
    to_find = {**item_to_find(20), "to_fool": True}
    rig = make_rig([item(0), to_find], kinds=[*TASK_KINDS.keys() - {"questions", "judge", "real_pair"}], voices={})
    language = "hi" if kind == "translate" else "en"
    assigned = rig.service.next_task(rig.person("ann"), kind, language)
    assert assigned is not None
    about = rig.store.find_claim(assigned.token, annotator=rig.person("ann").pseudonym)
    assert about is not None
    with pytest.raises(RefusedError, match="write something"):
        rig.service.skip(rig.person("ann"), assigned.token, "problem", " ")
    rig.service.skip(rig.person("ann"), assigned.token, "problem", "the picture is black")

    def is_given(rig: ServiceRig, name: str) -> bool:
        others = rig.service.next_task(rig.person(name), kind, language)
        claim = others and rig.store.find_claim(others.token, annotator=rig.person(name).pseudonym)
        return claim is not None and claim.item == about.item

    assert not is_given(rig, "ben")
    restarted = replace(rig, service=replace(rig.service))
    assert not is_given(restarted, "ben")
    (row,) = as_json(make_report(rig.store.live(), rig.service.campaign))["flags"]
    assert (row["item"], row["problem"], row["people"], row["reasons"], row["decision"]) == (
        *(about.item, 1, 1, "the picture is black", ""),
    )
    decide(rig.store, CAMPAIGN, Decision("keep"), about.item)
    assert is_given(rig, "cem")
    decide(rig.store, CAMPAIGN, Decision("drop"), about.item)
    assert not is_given(rig, "dev")
    out = tmp_path / "export"
    export(rig.store.live(), out, "json")
    (flag,) = json.loads((out / "flag.json").read_text(encoding="utf-8"))
    assert (flag["item"], flag["reason"], flag["comment"]) == (about.item, "problem", "the picture is black")


def test_a_problem_that_is_taken_back_or_of_a_rejected_person_holds_nothing(rig: ServiceRig) -> None:
    assigned = task(rig, "ann", "vote")
    assert assigned is not None
    event = rig.service.skip(rig.person("ann"), assigned.token, "problem", "black").event
    assert task(rig, "ben", "write") is None
    rig.service.undo(rig.person("ann"), "vote", "en", event)
    assert task(rig, "ben", "write") is not None
    other = task(rig, "cem", "verify")
    assert other is not None
    rig.service.skip(rig.person("cem"), other.token, "problem", "everything is wrong")
    assert task(rig, "dev", "write") is None
    reject(rig, "cem")
    assert task(rig, "dev", "write") is not None


def test_a_flag_that_is_taken_back_holds_nothing_and_its_task_comes_again(rig: ServiceRig) -> None:
    token = answer(rig, "ann", "write", FLAGGED["write"])
    again = rig.service.undo(rig.person("ann"), "write", "en", token)
    assert again is not None
    assert again.answer == FLAGGED["write"]
    assert task(rig, "ben", "vote") is not None


@pytest.mark.parametrize(("choice", "status"), [(None, "set_aside"), ("keep", "accepted"), ("drop", "set_aside")])
def test_texts_of_a_pair_through_an_object_are_set_aside_unless_it_is_kept(
    rig: ServiceRig, choice: str | None, status: str
) -> None:
    answer(rig, "ann", "verify", FLAGGED["verify"])
    if choice is not None:
        decide(rig.store, CAMPAIGN, Decision(choice), PAIR)
    (text,) = text_statuses(rig.store.live(), rig.service.campaign)
    assert text.status == status
    assert {entry.text.id for entry in rig.service.scheduler._submitted.of_status("accepted")} == set()


def test_rejected_answers_do_not_count_and_are_asked_again(rig: ServiceRig) -> None:
    answer(rig, "ann", "vote", VOTE)
    answer(rig, "ann", "write", FLAGGED["write"])
    assert task(rig, "ben", "vote") is None

    reject(rig, "ann")
    assert [row.answered for row in rig.service.coverage()] == [0] * len(rig.service.coverage())
    assert task(rig, "ben", "vote") is not None
    assert rig.service.scheduler._submitted.every() == []
    with pytest.raises(RefusedError, match="rejected your answers: always the first text"):
        task(rig, "ann", "vote")
    told = as_json(make_report(rig.store.live(), rig.service.campaign))
    assert [row["kind"] for row in told["answers"]] == []
    assert told["rejected"] == [
        {"annotator": rig.person("ann").pseudonym, "reason": "always the first text", "pays": False}
    ]

    decide(rig.store, CAMPAIGN, None, person=rig.person("ann").pseudonym)
    assert len(counted(rig.store.live(), CAMPAIGN)) == 2
    assert task(rig, "cem", "vote") is None


@pytest.mark.parametrize(("pays", "payable", "owed"), [(False, 0, "0.00"), (True, 1, "0.18")])
def test_rejected_answers_are_paid_only_if_the_owner_says_so(
    rig: ServiceRig, *, pays: bool, payable: int, owed: str
) -> None:
    answer(rig, "ann", "write", {"text": LONG})
    batch = Completion(participant="ab" * 16, code="A1", number=1, answers=1)
    rig.store.add(new_event(batch, annotator=rig.person("ann").pseudonym, campaign=CAMPAIGN))
    reject(rig, "ann", pays=pays)
    told = as_json(make_report(rig.store.live(), rig.service.campaign))
    assert (told["completions"][0]["payable"], told["owed"]) == (payable, owed)
    assert not told["texts"].get("accepted")


def test_the_last_decision_holds_here_and_where_it_is_published(
    rig: ServiceRig, tmp_path: Path, open_here: type[Store]
) -> None:
    for choice in ("keep", "keep", "drop"):
        decide(rig.store, CAMPAIGN, Decision(choice), PAIR)
    assert len(rig.store.events(kind="decision")) == 2
    destination = FolderDestination(tmp_path / "published")
    Publisher(rig.store, destination).publish_now()
    other = open_here(tmp_path / "other.sqlite")
    import_published(other, destination)
    (decision,) = other.live(kind="decision")
    assert decision.payload == Decision("drop")


def test_the_commands_decide_for_a_running_app(
    make_rig: MakeRig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rig = make_rig([item(0)], voices={"vote": 1, "write": 2})
    answer(rig, "ann", "write", FLAGGED["write"])
    place = ["--campaign", str(tmp_path / "campaign"), "--store", str(tmp_path / "store.sqlite")]
    person = rig.person("ann").pseudonym

    assert main(["pair", "keep", PAIR, *place]) == 0
    assert task(rig, "ben", "vote") is not None
    assert main(["pair", "undo", PAIR, *place]) == 0
    assert main(["reject", person[:6], "--reason", "copied", "--pay", *place]) == 0
    assert capsys.readouterr().out == f"{person}: 1 answer rejected\n"
    assert main(["report", "--payments", str(tmp_path / "payments.csv"), *place]) == 0
    assert "copied" in capsys.readouterr().out
    assert main(["reject", person, "--undo", *place]) == 0
    assert task(rig, "cem", "vote") is None, "the flag counts again"

    for refused in (
        ["pair", "keep", "9_9_9_9_9"],
        ["reject", "ffff", "--reason", "copied"],
        ["reject", "owner", "--reason", "copied"],
        ["reject", person, "--reason", " "],
    ):
        assert main([*refused, *place]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_doubtful_people_are_left_out_of_results_and_counted(
    make_rig: MakeRig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rig = make_rig([item(number) for number in range(12)], voices={"vote": 3})
    for _ in range(12):
        assigned = task(rig, "ann", "vote")
        assert assigned is not None
        rig.clock.pass_by(0.3)  # faster than anybody reads
        rig.service.give(rig.person("ann"), assigned.token, VOTE)
    place = ["--campaign", str(tmp_path / "campaign"), "--store", str(tmp_path / "store.sqlite")]
    assert main(["report", *place]) == 0
    assert "Faster than a person can read" in capsys.readouterr().out
    assert main(["report", "--without-doubtful", *place]) == 0
    assert "1 (answers: 12)" in capsys.readouterr().out
    left = make_report(rig.store.live(), rig.service.campaign, without_doubtful=True)
    assert left.answers.empty
    assert not left.quality.empty


def test_a_payment_file_tells_who_was_rejected_and_why(make_rig: MakeRig, tmp_path: Path) -> None:
    rig = make_rig([item(0)], voices={"write": 2})
    answer(rig, "ann", "write", {"text": LONG})
    batch = Completion(participant="ab" * 16, code="A1", number=1, answers=1)
    rig.store.add(new_event(batch, annotator=rig.person("ann").pseudonym, campaign=CAMPAIGN))
    reject(rig, "ann")
    place = ["--campaign", str(tmp_path / "campaign"), "--store", str(tmp_path / "store.sqlite")]
    assert main(["report", "--payments", str(tmp_path / "payments.csv"), *place]) == 0
    with (tmp_path / "payments.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["payable"], row["doubts"]) == ("0", "rejected: always the first text")
