"""What the tab's one endpoint tells a page, asked as a browser would, and as nobody should."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import gradio as gr
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.errors import SENTENCES, RefusedError
from annotate.identity import NOWHERE, Caller, IdentitySettings, new_guest_id
from annotate.kinds.registry import TASK_KINDS
from annotate.kinds.task_kind import TRANSLATING, WRITING, Kind
from annotate.ports import Ports
from annotate.publishing.publisher import FolderDestination, Publisher
from annotate.records import MAX_TEXT_CHARS, SKIP_REASONS
from annotate.storage.queries import IDLE_BELOW_SECONDS
from annotate.tabs.controller import AnnotationController
from annotate.tabs.pages import ANSWER_TERMS
from annotate.tabs.requests import draft_name
from annotate.tasks.scheduler import AHEAD_SECONDS, FIRST_SECONDS
from demo.i18n import interface_texts, text
from demo.tabs.annotate import page_services, refusal
from fmp_models.data.statistics import broken_rules
from tests.annotate.asking import (
    HINDI,
    KEY,
    LONG,
    MODELS,
    ServiceRig,
    campaign_json,
    collect,
    gold,
    item,
    item_to_find,
)
from tests.annotate.asking import SENTENCES as VOICES

IDENTITY = IdentitySettings(KEY, allow_guests=True)

TEST = {
    "kinds": ["translate"],
    "pass_mark": 1,
    "tries": 2,
    "questions": [
        {
            "id": "side",
            "language": language,
            "text": "Whose left?",
            "choices": ["Mine", "The person's"],
            "right": 1,
            "why": "It is the person's.",
        }
        for language in ("en", "hi")
    ],
}


def asking(folder: Path, items: list[dict[str, Any]], **changes: object) -> ServiceRig:
    """Give a collection that keeps the paper's rules."""
    rig = collect(folder, campaign_json(items, **changes))
    rig.service.ports = Ports(broken_rules)
    return rig


class Guest:
    """A browser: what it presses, and what it was shown last."""

    def __init__(
        self,
        controller: AnnotationController,
        hub_name: str | None = None,
        address: str | None = None,
        *,
        is_here: bool = False,
    ) -> None:
        caller = Caller(address, is_here)
        self.controller = controller if caller == NOWHERE else replace(controller, caller=lambda _: caller)
        self.hub_name = hub_name
        self.guest: dict[str, str] = {}
        self.shown: dict[str, Any] = {}
        self.heard: list[dict[str, Any]] = []

    def press(self, action: str, **more: object) -> dict[str, Any]:
        event_data = {"action": action, "number": 7, "guest": self.guest, "language": "en", **more}
        profile = None if self.hub_name is None else SimpleNamespace(username=self.hub_name)
        event = cast("gr.EventData", SimpleNamespace(_data=event_data))
        self.shown = self.controller.act(event, cast("gr.OAuthProfile", profile), cast("gr.Request", SimpleNamespace()))
        assert self.shown["number"] == 7
        self.heard.append(json.loads(json.dumps(self.shown)))
        if "guest" in self.shown:
            self.guest = {"id": self.shown["guest"]}
        return self.shown

    def sit(self, kind: str, **more: object) -> dict[str, Any]:
        self.press("sit", kind=kind, **more)
        if 'name="fmp-agree"' in str(self.shown.get("html")):
            self.press("agree", kind=kind, page_language="hi", **more)
        return self.shown

    def attempt(self) -> str:
        (attempt_id,) = re.findall(r'data-attempt="([^"]*)"', self.shown["html"])
        return str(attempt_id)

    def take_test(self, fields: dict[str, object]) -> dict[str, Any]:
        return self.press("test", kind="translate", fields=fields, attempt=self.attempt())

    def give(self, kind: str, fields: dict[str, object], **more: object) -> dict[str, Any]:
        return self.press("give", kind=kind, token=self.shown["token"], fields=fields, **more)


@pytest.fixture
def small(tmp_path: Path) -> ServiceRig:
    items = [*(item(number) for number in range(1, 5)), item_to_find(20), item_to_find(21), gold(30)]
    rig = asking(tmp_path, items)
    rig.service.consents = dict.fromkeys(rig.service.campaign.kinds, ANSWER_TERMS)
    return rig


@pytest.fixture
def controller(small: ServiceRig, tmp_path: Path) -> AnnotationController:
    publisher = Publisher(small.store, FolderDestination(tmp_path / "published"))
    return AnnotationController(small.service, IDENTITY, page_services(), publisher.state)


@pytest.fixture
def guest(controller: AnnotationController) -> Guest:
    return Guest(controller)


def controller_with_test(tmp_path: Path) -> AnnotationController:
    """Give a bench whose translations come after a test."""
    rig = asking(tmp_path / "tested", [item(1)], qualification=TEST)
    return AnnotationController(rig.service, IDENTITY, page_services(), cast("Any", None))


GIVEN: dict[str, dict[str, object]] = {
    "write": {"text": LONG, "flags": ["through_object"]},
    "verify": {"score": "3", "comment": "nearly"},
    "translate": {"text": HINDI},
    "vote": {"relevant": "1", "fluent": "tied"},
    "find": {"place": "2"},
}
LANGUAGE = {"translate": "hi"}


@pytest.mark.parametrize("kind", sorted(GIVEN))
def test_an_answer_is_kept_and_the_next_task_comes_with_the_thanks(guest: Guest, small: ServiceRig, kind: str) -> None:
    first = guest.sit(kind)
    reply = guest.give(kind, GIVEN[kind])

    assert reply["kept"]
    assert reply["given"] == 1
    assert reply["outcome"] == "shown"
    assert reply.get("token") != first["token"]
    (kept,) = (event for event in small.store.live() if event.id == first["token"])
    assert kept.language == LANGUAGE.get(kind, "en")
    assert guest.guest["id"] not in str(kept)


@pytest.mark.parametrize("kind", sorted(GIVEN))
def test_an_undo_brings_the_task_back_with_its_fields(guest: Guest, kind: str) -> None:
    guest.sit(kind)
    guest.give(kind, GIVEN[kind])

    reply = guest.press("undo", kind=kind, event=guest.shown["undo"])

    assert reply["undone"]
    kept = {name: value for name, value in reply["fields"].items() if value}
    assert kept == {name: value for name, value in GIVEN[kind].items() if value}
    assert reply["undo"] is None
    assert 'data-action="undo"' not in reply["html"]


@pytest.mark.parametrize("kind", sorted(GIVEN))
def test_what_was_taken_back_is_there_again_after_a_reload(guest: Guest, kind: str) -> None:
    guest.sit(kind)
    event = guest.give(kind, GIVEN[kind])["undo"]
    undone = guest.press("undo", kind=kind, event=event)

    again = guest.sit(kind)

    assert (again["token"], again["fields"]) == (undone["token"], undone["fields"])


def test_an_undo_sent_twice_takes_one_answer_back(guest: Guest, small: ServiceRig) -> None:
    guest.sit("vote")
    for _ in range(2):
        small.clock.pass_by(5)
        guest.give("vote", GIVEN["vote"])
    event = guest.shown["undo"]

    first, again = (guest.press("undo", kind="vote", event=event) for _ in range(2))

    assert again["undone"]
    assert (again["token"], again["fields"], again["undo"]) == (first["token"], first["fields"], first["undo"])
    assert len(small.store.live(kind="vote")) == 1


@pytest.mark.parametrize("kind", sorted(GIVEN.keys() - {"find"}))  # of which there are two here
def test_the_next_task_is_fetched_ahead_and_only_named_later(guest: Guest, small: ServiceRig, kind: str) -> None:
    token = guest.sit(kind)["token"]
    assert guest.press("ahead", kind=kind, token=token)["outcome"] == "told"  # who gave nothing holds one task
    first = guest.press("give", kind=kind, token=token, fields=GIVEN[kind])
    ahead = guest.press("ahead", kind=kind, token=first["token"])
    assert ahead["outcome"] == "ahead"
    assert 'data-action="undo"' in ahead["html"]
    assert guest.press("ahead", kind=kind, token=first["token"])["token"] == ahead["token"]
    small.clock.pass_by(20)

    reply = guest.press("give", kind=kind, token=first["token"], fields=GIVEN[kind], ahead=ahead["token"])

    assert (reply["outcome"], reply["token"], reply["given"]) == ("fetched", ahead["token"], 2)
    assert reply["undo"] == first["token"]
    assert "html" not in reply
    assert text("annotate.far", given=2).default in reply["far"]
    assert guest.sit(kind)["token"] == ahead["token"]


def test_what_was_fetched_ahead_and_ran_out_is_not_named(guest: Guest, small: ServiceRig) -> None:
    guest.sit("vote")
    first = guest.give("vote", GIVEN["vote"])
    ahead = guest.press("ahead", kind="vote", token=first["token"])
    small.clock.pass_by(AHEAD_SECONDS + 1)

    reply = guest.press("give", kind="vote", token=first["token"], fields=GIVEN["vote"], ahead=ahead["token"])

    assert reply["kept"]
    assert reply["outcome"] == "shown"
    assert reply["token"] != ahead["token"]


@pytest.mark.parametrize("kind", sorted(GIVEN))
def test_the_thanks_that_a_reload_lost_are_said_after_it(guest: Guest, kind: str) -> None:
    token = guest.sit(kind)["token"]
    assert "kept" not in guest.sit(kind, sent=token)
    guest.give(kind, GIVEN[kind])

    reply = guest.sit(kind, sent=token)

    assert (reply["kept"], reply["given"]) == (True, 1)


def test_nobody_is_thanked_for_what_another_gave_or_what_was_taken_back(controller: AnnotationController) -> None:
    one, other = Guest(controller), Guest(controller)
    token = one.sit("vote")["token"]
    one.give("vote", GIVEN["vote"])

    assert "kept" not in other.sit("vote", sent=token)
    one.press("undo", kind="vote", event=token)
    assert "kept" not in one.sit("vote", sent=token)
    assert "kept" not in one.sit("vote", sent="x")


def test_a_campaigns_own_guidelines_stand_in_place_of_the_papers(tmp_path: Path) -> None:
    own = {"vote": [{"en": "Mind the <feet>.", "hi": "पैरों पर ध्यान दें।"}, {"en": "Take your time."}]}
    rig = asking(tmp_path / "guided", [item(1)], guidelines=own)
    guest = Guest(AnnotationController(rig.service, IDENTITY, page_services(), cast("Any", None)))

    html_of_desk = guest.sit("vote")["html"]
    assert "Mind the &lt;feet&gt;." in html_of_desk
    assert "पैरों पर ध्यान दें।" in html_of_desk
    assert "Take your time." in html_of_desk
    assert text("guide.sides").default in html_of_desk
    assert text("vote.how_tied").default not in html.unescape(html_of_desk)
    assert text("verify.how_all").default in html.unescape(guest.sit("verify")["html"])
    rig.store.close()


@pytest.mark.parametrize("reason", SKIP_REASONS)
def test_a_skip_with_a_reason_brings_another_task(guest: Guest, reason: str) -> None:
    first = guest.sit("vote")

    reply = guest.press("skip", kind="vote", token=first["token"], reason=reason, comment="<b>why</b>")

    assert reply["skipped"]
    assert reply["token"] != first["token"]


def test_a_remark_to_a_skip_is_kept_whole_or_refused_whole(guest: Guest, small: ServiceRig) -> None:
    token = guest.sit("vote")["token"]

    long = guest.press("skip", kind="vote", token=token, reason="other", comment="x" * (MAX_TEXT_CHARS + 1))
    assert (long["outcome"], long["code"]) == ("refused", "text_too_long")
    assert small.store.live(kind="skip") == []
    assert guest.press("skip", kind="vote", token=token, reason="other", comment="y" * MAX_TEXT_CHARS)["skipped"]

    (flag,) = small.store.live(kind="flag")
    assert getattr(flag.payload, "comment", None) == "y" * MAX_TEXT_CHARS


def test_who_changes_a_word_after_the_thanks_were_lost_hears_what_was_kept_and_takes_it_back(
    guest: Guest, small: ServiceRig
) -> None:
    token = guest.sit("write")["token"]
    guest.press("give", kind="write", token=token, fields={"text": LONG})

    refused = guest.press("give", kind="write", token=token, fields={"text": f"{LONG} Slowly."})
    assert refused["code"] == "answer_twice"
    assert html.escape(text("refused.answer_twice").default) in refused["html"]
    undone = guest.press("undo", kind="write", event=token)

    assert undone["fields"]["text"] == LONG
    assert guest.give("write", {"text": f"{LONG} Slowly."})["kept"]
    (kept,) = small.store.live(kind="description")
    assert getattr(kept.payload, "text", None) == f"{LONG} Slowly."


def test_a_reload_brings_the_same_task_and_the_same_name_for_its_draft(guest: Guest) -> None:
    first = guest.sit("vote")
    again = guest.sit("vote")

    assert (first["token"], first["draft"]) == (again["token"], again["draft"])
    assert first["draft"] != guest.sit("write")["draft"]


def test_a_draft_is_named_by_what_is_shown_in_its_order(small: ServiceRig, controller: AnnotationController) -> None:
    guest = Guest(controller)
    guest.sit("vote")
    annotator, _ = controller._annotator({"guest": guest.guest}, None, NOWHERE)
    task = small.service.next_task(annotator, "vote", "en")
    assert task is not None

    assert draft_name(task) == draft_name(replace(task, token="0" * 32))
    assert draft_name(task) != draft_name(replace(task, texts=task.texts[::-1]))


def test_the_terms_come_before_the_first_task_and_are_kept_as_they_were_read(guest: Guest, small: ServiceRig) -> None:
    refused = guest.press("sit", kind="vote")
    assert refused["view"] == ""
    assert 'data-kind="vote"' in refused["html"]

    assert guest.press("agree", kind="vote", page_language="hi")["view"] == "vote"
    (consent,) = small.store.live(kind="consent")
    assert consent.payload.wording == ANSWER_TERMS  # type: ignore[attr-defined]
    assert consent.language == "hi"
    assert 'name="fmp-agree"' not in guest.press("start")["html"]


def test_a_raw_post_without_the_terms_gives_nothing(guest: Guest, small: ServiceRig) -> None:
    guest.press("start")

    for action in ("give", "skip", "undo", "renew"):
        guest.press(action, kind="vote", token="0" * 32, fields=GIVEN["vote"], reason="other")

    assert small.store.live() == []


def test_nobody_answers_with_the_task_of_another(controller: AnnotationController, small: ServiceRig) -> None:
    one, other = Guest(controller), Guest(controller)
    token = one.sit("vote")["token"]
    other.sit("vote")

    reply = other.press("give", kind="vote", token=token, fields=GIVEN["vote"])

    assert (reply["outcome"], reply["code"]) == ("refused", "task_unknown")
    assert small.store.live(kind="vote") == []


def test_without_a_login_a_space_shows_how_to_log_in_and_takes_nothing(
    controller: AnnotationController, small: ServiceRig
) -> None:
    closed = replace(controller, identity=replace(IDENTITY, allow_guests=False), hub_login=True)
    stranger = Guest(closed)

    assert "login/huggingface" in stranger.press("start")["html"]
    assert "login/huggingface" in stranger.press("sit", kind="vote")["html"]
    for action in ("give", "skip", "undo", "agree", "forget", "test", "renew"):
        reply = stranger.press(action, kind="vote", token="0" * 32, guest={"id": new_guest_id()})
        assert (reply["outcome"], reply["code"]) == ("refused", "login_needed")
    assert small.store.live() == []

    member = Guest(closed, "Ada")
    assert member.sit("vote")["token"]
    assert member.give("vote", GIVEN["vote"])["kept"]
    assert "Ada" not in str(small.store.live())


def test_only_owners_see_how_publishing_stands(controller: AnnotationController) -> None:
    assert "fmp-owner" not in Guest(controller).press("start")["html"]

    owned = replace(controller, identity=replace(IDENTITY, admins=frozenset({"ada"})))
    assert "fmp-owner" in Guest(owned, "Ada").press("start")["html"]
    assert "fmp-owner" not in Guest(owned, "Eve").press("start")["html"]


def test_an_answer_that_could_not_be_published_is_the_reason_on_the_page(guest: Guest, small: ServiceRig) -> None:
    small.store.read_only = RefusedError("publish_refused", target="me/answers")
    for page in (guest.press("start")["html"], guest.press("sit", kind="vote", language="en")["html"]):
        assert text("annotate.read_only_unpublished").default in page
        assert text("annotate.read_only").default not in page


def test_who_finds_all_held_reads_that_others_are_at_the_last_ones_until_they_are_idle(
    controller: AnnotationController, small: ServiceRig
) -> None:
    guests = (Guest(controller) for _ in range(60))
    late = next(guest for guest in guests if "<form" not in guest.sit("vote")["html"])

    assert text("annotate.taken").default in late.shown["html"]
    assert text("annotate.done_heading").default not in late.shown["html"]
    small.clock.pass_by(FIRST_SECONDS - IDLE_BELOW_SECONDS)
    assert "<form" in late.sit("vote")["html"]


def test_read_only_is_said_and_nothing_is_lost_over_it(guest: Guest, small: ServiceRig) -> None:
    guest.sit("vote")
    small.store.read_only = RefusedError("import_running")

    reply = guest.give("vote", GIVEN["vote"])
    assert (reply["outcome"], reply["code"]) == ("refused", "store_read_only")
    assert "kept" not in reply
    start = guest.press("start")["html"]
    assert text("annotate.read_only").default in start
    assert 'data-action="sit"' not in start

    small.store.read_only = None
    assert guest.sit("vote")["token"]


def test_what_was_kept_is_said_even_where_no_further_task_can_be_had(guest: Guest, small: ServiceRig) -> None:
    guest.sit("vote")
    small.service.consents = {"vote": "other-terms"}

    reply = guest.give("vote", GIVEN["vote"])

    assert reply["kept"]
    assert (reply["outcome"], reply["code"]) == ("refused", "consent_missing")
    assert len(small.store.live(kind="vote")) == 1


def test_an_answer_sent_twice_is_kept_once(guest: Guest, small: ServiceRig) -> None:
    token = guest.sit("vote")["token"]

    for _ in range(2):
        assert guest.press("give", kind="vote", token=token, fields=GIVEN["vote"])["kept"]

    assert len(small.store.live(kind="vote")) == 1


def test_deleting_takes_everything_away(guest: Guest, small: ServiceRig) -> None:
    guest.sit("vote")
    guest.give("vote", GIVEN["vote"])
    assert 'data-action="delete"' in guest.press("start")["html"]

    reply = guest.press("forget")

    assert reply["forgotten"]
    assert small.store.live(kind="vote") == []
    assert 'name="fmp-agree"' in reply["html"]


def test_when_nothing_is_left_that_is_said(guest: Guest) -> None:
    reply = guest.sit("vote", language="hi")

    assert text("annotate.done_heading").default in reply["html"]
    assert "token" not in reply


def test_a_task_form_works_in_a_language_that_it_has(guest: Guest) -> None:
    assert guest.sit("translate", language="en")["language"] == "hi"
    assert guest.sit("write", language="fr")["language"] == "en"
    assert guest.sit("write", language="hi")["language"] == "hi"


def test_broken_rules_are_named(guest: Guest, small: ServiceRig) -> None:
    guest.sit("write")

    reply = guest.give("write", {"text": "I see the image & the target."})

    assert reply["code"] == "rules_broken"
    page_text = re.sub(r"<[^>]+>", " ", reply["html"])
    for rule in ("symbols", "term_image", "term_i", "term_target"):
        assert text(f"checks.{rule}", symbols=" ".join(page_services().rules.symbols)).default in page_text.replace(
            "&amp;", "&"
        )
    assert small.store.live(kind="description") == []


def test_the_test_comes_first_says_why_and_opens_the_task_form(tmp_path: Path) -> None:
    guest = Guest(controller_with_test(tmp_path))

    answer = guest.sit("translate", language="hi")
    assert "token" not in answer
    failed = guest.take_test({"side": "0"})
    assert "It is the person&#39;s." in failed["html"]
    passed = guest.take_test({"side": "1"})
    assert 'data-action="sit"' in passed["html"]
    assert guest.sit("translate", language="hi")["token"]


def test_who_fails_too_often_is_told_so(tmp_path: Path) -> None:
    guest = Guest(controller_with_test(tmp_path))
    guest.sit("translate", language="hi")

    for _ in range(2):
        last = guest.take_test({"side": "0"})

    assert text("test.over").default in last["html"]
    assert guest.press("test", kind="translate", fields={"side": "1"}, attempt="0" * 32)["code"] == "no_tries_left"


def test_a_test_sent_twice_costs_one_try(tmp_path: Path) -> None:
    controller = controller_with_test(tmp_path)
    guest = Guest(controller)
    guest.sit("translate", language="hi")
    attempt = guest.attempt()

    first, again = (
        guest.press("test", kind="translate", fields={"side": "0"}, attempt=attempt)["html"] for _ in range(2)
    )

    assert text("test.tries", tries=1).default in first
    assert text("test.tries", tries=1).default in again
    assert len(controller.service.store.events(kind="qualification")) == 1
    loaded_again = guest.sit("translate", language="hi", sent=attempt)["html"]
    assert text("test.failed", right=0, total=1).default in loaded_again
    assert text("test.tries", tries=1).default in loaded_again


def test_a_test_as_long_as_a_campaign_may_have_one_can_be_sent(tmp_path: Path) -> None:
    (question,) = (one for one in TEST["questions"] if one["language"] == "en")
    questions = [{**question, "id": f"side-{number}"} for number in range(100)]
    test = {"kinds": ["write"], "pass_mark": 100, "tries": 1, "questions": questions}
    rig = asking(tmp_path, [item(1)], qualification=test, languages=["en"])
    guest = Guest(AnnotationController(rig.service, IDENTITY, page_services(), cast("Any", None)))
    guest.sit("write")

    sent = {one["id"]: "1" for one in questions}
    reply = guest.press("test", kind="write", fields=sent, attempt=guest.attempt())

    assert text("test.passed", right=100, total=100).default in reply["html"]
    rig.store.close()


def test_the_draft_of_a_test_has_one_name_until_the_test_was_taken(tmp_path: Path) -> None:
    guest = Guest(controller_with_test(tmp_path))

    first, again = (guest.sit("translate", language="hi") for _ in range(2))
    assert first["draft"] == again["draft"]
    assert not again["tested"]
    failed = guest.take_test({"side": "0"})
    assert (failed["tested"], failed["draft"]) == (True, first["draft"])
    passed = guest.take_test({"side": "1"})
    assert (passed["tested"], passed["draft"]) == (True, None)


@pytest.mark.parametrize("attempt", ["", "x", None, 7])
def test_a_test_without_an_attempt_of_its_own_is_refused(tmp_path: Path, attempt: object) -> None:
    guest = Guest(controller_with_test(tmp_path))
    guest.sit("translate", language="hi")

    reply = guest.press("test", kind="translate", fields={"side": "1"}, attempt=attempt)

    assert (reply["outcome"], reply["code"]) == ("refused", "answer_malformed")


def test_no_answer_tells_models_gold_items_or_what_is_right(
    controller: AnnotationController, small: ServiceRig
) -> None:
    heard = []
    for name in ("eva", "fay", "gus", "hal"):
        guest = Guest(controller, name)
        for kind in ("vote", "find", "verify", "write", "translate"):
            guest.sit(kind)
            for _ in range(8):
                if "token" not in guest.shown:
                    break
                guest.give(kind, GIVEN[kind])
        guest.press("start")
        heard += guest.heard
    replies = json.dumps(heard)

    assert len(small.store.live(kind="target_choice")) == 6
    assert any(event.item == "30_0_0_0_0" for event in small.store.live(kind="vote")), "no gold item was met"
    for campaign_item in small.service.campaign.items:
        assert campaign_item.uid not in replies
        assert campaign_item.target not in replies
    for secret in (*MODELS, "reference", "text-0", "gold", "relevant_ids", "answer_place"):
        assert secret not in replies, secret
    assert any(words in replies for words in VOICES)


def test_texts_are_shown_as_text(tmp_path: Path) -> None:
    hostile = '<img src=x onerror="alert(1)">{{7*7}}${7*7}'
    texts = [{**one, "text": hostile} for one in item(1)["texts"] if "verify" in one["kinds"]]
    rig = asking(tmp_path / "hostile", [item(1, texts=texts)])
    reply = Guest(AnnotationController(rig.service, IDENTITY, page_services(), cast("Any", None))).sit("verify")

    assert "<img src=x" not in reply["html"]
    assert "&lt;img src=x" in reply["html"]
    assert "49" not in reply["html"].split("&lt;img")[1][:80]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["action", "kind", "language", "token", "fields", "guest", "reason", "comment", "number", "event"]
)
ACTIONS = st.sampled_from(["start", "sit", "ahead", "give", "skip", "undo", "renew", "test", "agree", "forget"])


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> AnnotationController:
    rig = asking(tmp_path_factory.mktemp("lasting"), [item(1), item_to_find(20)])
    return AnnotationController(rig.service, IDENTITY, page_services(), cast("Any", None))


@given(event_data=st.dictionaries(NAMES, JSON, max_size=6) | JSON, action=ACTIONS, kind=st.sampled_from([*TASK_KINDS]))
def test_whatever_is_sent_is_answered_in_our_words(
    lasting: AnnotationController, event_data: object, action: str, kind: Kind
) -> None:
    if isinstance(event_data, dict) and len(event_data) % 2:
        event_data = {"action": action, "kind": kind, **event_data}

    reply = lasting.act(cast("gr.EventData", SimpleNamespace(_data=event_data)), None)

    assert reply["outcome"] in {"shown", "ahead", "refused", "told"}


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_every_refusal_of_the_page_is_said_in_each_language(code: str) -> None:
    places = dict.fromkeys(re.findall(r"\{(\w+)\}", SENTENCES[code]), 1)

    assert all(refusal(code, **places).by_language.values())


@pytest.mark.parametrize("code", [*WRITING, *TRANSLATING])
def test_every_rule_has_its_words(code: str) -> None:
    assert all(f"checks.{code}" in texts for texts in interface_texts().values())
