"""What people say of single steps: kept with their consent alone, changed, taken back, deleted, published, counted."""

from __future__ import annotations

import base64
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.errors import RefusedError
from annotate.publishing.destinations import FolderDestination
from annotate.publishing.publisher import Publisher
from annotate.records import StepFeedback
from annotate.storage.store import open_store
from annotate.tabs.controller import STEP_FEEDBACK_TERMS, AnnotationController
from annotate.tabs.pages import FeedbackCount, feedback_counts, results_html
from demo.i18n import interface_texts
from demo.tabs.annotate import page_services
from tests.annotate.asking import MakeRig, ServiceRig, campaign_json, collect, item
from tests.annotate.tabs.test_controller import IDENTITY, Guest

JOINTS = {"current": [[0.0, 0.25, -0.125]] * 20, "target": [[0.5, 0.25, -0.125]] * 20}
CLAUSE = {"part": "left arm", "direction": "up", "text": "Raise your left arm.", "agrees": True, "by": "captioner"}
STEPS = {
    "0 4": {"text": "Raise your left arm.", "confidence": 0.875, "verdict": "yes", "clauses": [CLAUSE]},
    "4 8": {"text": "Bend your knees deeply.", "confidence": 0.5, "verdict": "no", "clauses": [CLAUSE]},
}
ANSWER = {"model": "captioner", "language": "hi", "joints_m": JOINTS, "steps": STEPS}


def bench_of(rig: ServiceRig, folder: Path) -> AnnotationController:
    publisher = Publisher(rig.store, FolderDestination(folder))
    return AnnotationController(rig.service, IDENTITY, page_services(), publisher.state)


@pytest.fixture
def rig(make_rig: MakeRig, where: str | Path) -> ServiceRig:
    return make_rig([item(1)], where)


@pytest.fixture
def controller(rig: ServiceRig, tmp_path: Path) -> AnnotationController:
    return bench_of(rig, tmp_path / "published")


@pytest.fixture
def quick(make_rig: MakeRig, tmp_path: Path) -> AnnotationController:
    """Give a bench over SQLite alone."""
    return bench_of(make_rig([item(1)]), tmp_path / "published")


def sealed_of(controller: AnnotationController, answer: dict[str, Any] = ANSWER) -> str:
    seal = controller.feedback.seal(answer)
    assert seal is not None
    return seal


def judge(guest: Guest, right: object, step: object = "0 4", **more: object) -> dict[str, Any]:
    return guest.press("judge", **{"sealed": sealed_of(guest.controller), "step": step, "right": right, **more})


def kept(controller: AnnotationController) -> list[StepFeedback]:
    events = controller.service.store.live(kind="step_feedback")
    return [event.payload for event in events if isinstance(event.payload, StepFeedback)]


def test_nothing_is_kept_before_somebody_agreed_and_the_agreement_is_kept_as_it_was_read(
    controller: AnnotationController,
) -> None:
    guest = Guest(controller)
    assert judge(guest, right=True)["code"] == "consent_missing"
    assert controller.service.store.events() == []

    assert judge(guest, right=True, agrees=True, page_language="hi")["outcome"] == "told"
    assert judge(guest, right=False, step="4 8")["outcome"] == "told"

    assert [payload.right for payload in kept(controller)] == [True, False]
    (consent,) = controller.service.store.live(kind="consent")
    assert (consent.payload.aspect, consent.language) == (STEP_FEEDBACK_TERMS, "hi")


def test_a_thumb_is_kept_with_what_was_said_and_both_stick_figures(controller: AnnotationController) -> None:
    guest = Guest(controller)
    judge(guest, right=False, step="4 8", agrees=True)

    (event,) = controller.service.store.live(kind="step_feedback")
    assert event.payload == StepFeedback(
        right=False,
        text="Bend your knees deeply.",
        step="4 8",
        model="captioner",
        confidence=0.5,
        verdict="no",
        measured={"clauses": [CLAUSE], "joints_m": JOINTS},
    )
    assert (event.campaign, event.language) == ("", "hi")
    assert event.item == sealed_of(controller).rpartition(".")[2]
    assert guest.guest["id"] not in str(event)


def test_a_change_replaces_the_thumb_and_the_same_press_again_adds_nothing(controller: AnnotationController) -> None:
    guest = Guest(controller)
    judge(guest, right=True, agrees=True)
    (first,) = controller.service.store.live(kind="step_feedback")

    for _ in range(2):
        judge(guest, right=False)

    (second,) = controller.service.store.live(kind="step_feedback")
    assert (second.supersedes, second.payload.aspect) == (first.id, "0 4")
    assert [payload.right for payload in kept(controller)] == [False]
    assert len(controller.service.store.events(kind="step_feedback")) == 2


def test_what_is_taken_back_no_longer_counts_and_can_be_given_again(controller: AnnotationController) -> None:
    guest = Guest(controller)
    judge(guest, right=True, agrees=True)
    for _ in range(2):
        assert judge(guest, right=None)["outcome"] == "told"
    assert kept(controller) == []
    assert len(controller.service.store.events(kind="withdrawal")) == 1

    judge(guest, right=True)
    assert [payload.right for payload in kept(controller)] == [True]


def test_two_people_judge_the_same_step_each_for_themselves(controller: AnnotationController) -> None:
    one, other = Guest(controller), Guest(controller)
    judge(one, right=True, agrees=True)
    judge(other, right=False, agrees=True)
    judge(one, right=None)

    assert [payload.right for payload in kept(controller)] == [False]


def test_a_deletion_of_everything_takes_thumbs_along_here_and_in_what_was_published(
    controller: AnnotationController, tmp_path: Path
) -> None:
    publisher = Publisher(controller.service.store, FolderDestination(tmp_path / "published"))
    stays, goes = Guest(controller), Guest(controller)
    judge(stays, right=True, agrees=True)
    judge(goes, right=False, agrees=True)
    publisher.flush()

    assert goes.press("forget")["forgotten"]
    publisher.flush()

    assert [payload.right for payload in kept(controller)] == [True]
    with closing(open_store(tmp_path / "other.sqlite3")) as other:
        assert Publisher(other, FolderDestination(tmp_path / "published")).import_published()
        assert [event.payload for event in other.live(kind="step_feedback")] == kept(controller)


def test_published_thumbs_are_read_back_as_they_were_given(controller: AnnotationController, tmp_path: Path) -> None:
    guest = Guest(controller)
    judge(guest, right=True, agrees=True)
    judge(guest, right=False)
    judge(guest, right=False, step="4 8")
    judge(guest, right=None, step="4 8")
    Publisher(controller.service.store, FolderDestination(tmp_path / "published")).flush()

    with closing(open_store(tmp_path / "other.sqlite3")) as other:
        assert Publisher(other, FolderDestination(tmp_path / "published")).import_published()
        assert other.events() == controller.service.store.events()
        assert other.live() == controller.service.store.live()


def forged() -> dict[str, str]:
    content = base64.urlsafe_b64encode(json.dumps(ANSWER).encode()).decode()
    return {
        "without a seal": content,
        "another seal": f"{content}.{'0' * 32}",
        "no JSON": f"e30=.{'f' * 32}",
        "very long": f"{'A' * 100_000}.{'0' * 32}",
        "empty": "",
        "markup": "<script>alert(1)</script>",
        "surrogates": "\ud800.\udfff",
    }


@pytest.mark.parametrize("sealed", [*forged().values(), None, 7, [], {"a": {}}], ids=str)
def test_a_step_that_was_never_said_cannot_be_judged(quick: AnnotationController, sealed: object) -> None:
    reply = judge(Guest(quick), right=True, agrees=True, sealed=sealed)

    assert (reply["outcome"], reply["code"]) == ("refused", "step_unknown")
    assert quick.service.store.events() == []


def test_a_word_changed_under_a_seal_breaks_it(quick: AnnotationController) -> None:
    content, _, mark = sealed_of(quick).partition(".")
    changed = base64.urlsafe_b64encode(base64.urlsafe_b64decode(content).replace(b"captioner", b"our-rival")).decode()

    assert judge(Guest(quick), right=True, agrees=True, sealed=f"{changed}.{mark}")["code"] == "step_unknown"


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5)


@given(
    step=JSON.filter(lambda step: not isinstance(step, str) or step not in STEPS), right=JSON, agrees=JSON, guest=JSON
)
def test_whatever_is_sent_is_answered_in_one_sentence(
    step: object, right: object, agrees: object, guest: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("feedback")
    controller = bench_of(collect(folder, campaign_json([item(1)])), folder / "published")
    message = {"action": "judge", "sealed": sealed_of(controller), "step": step, "right": right, "agrees": agrees}
    reply = controller.answer({**message, "guest": {"id": guest}}, None)

    assert reply["outcome"] in {"refused", "told"}
    assert kept(controller) == []
    controller.service.store.close()


def test_an_answer_without_steps_is_not_judged_and_while_nothing_can_be_kept_a_sentence_says_so(
    quick: AnnotationController,
) -> None:
    sealed = sealed_of(quick)
    quick.service.store.read_only = RefusedError("import_running")
    reply = judge(Guest(quick), right=True, agrees=True, sealed=sealed)
    assert reply["outcome"] == "refused"
    assert "<p" in reply["html"]

    assert quick.service.store.events() == []
    assert quick.feedback.seal({**ANSWER, "steps": {}}) is None


def test_an_owner_reads_how_often_steps_of_each_model_language_and_verdict_were_right(
    controller: AnnotationController,
) -> None:
    one, other = Guest(controller), Guest(controller)
    judge(one, right=True, agrees=True)
    judge(other, right=False, agrees=True)
    judge(other, right=False, step="4 8")
    store, service = controller.service.store, controller.service

    assert feedback_counts(store) == [
        FeedbackCount("captioner", "hi", "no", 0, 1),
        FeedbackCount("captioner", "hi", "yes", 1, 1),
    ]
    rig = ServiceRig(service, store, service.now)  # type: ignore[arg-type]  a clock, as it was made with
    heading = interface_texts()["en"]["results.feedback"]
    assert heading in results_html(service, rig.person("boss", is_owner=True), page_services())
    assert heading not in results_html(service, rig.person("ann"), page_services())
