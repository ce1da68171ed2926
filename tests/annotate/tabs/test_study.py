"""A lab's study in the tab: its terms, questions about people, who gets no tasks, and what participants hand in."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset

from annotate.identity import IdentitySettings
from annotate.publishing.publisher import FolderDestination, Publisher
from annotate.tabs.controller import AnnotationController
from annotate.tabs.pages import ANSWER_TERMS, answer_terms
from annotate.tasks.participants import PaymentRules
from demo.i18n import text
from demo.tabs.annotate import page_services
from tests.annotate.asking import KEY, MakeRig, ServiceRig, item
from tests.annotate.tabs.test_controller import GIVEN, Guest

RAW, STUDY, SESSION = "5f3a9c0e1b2d4f6a8c0e1b2d", "6a0000000000000000000001", "7b0000000000000000000002"
AGE = {"id": "age", "kind": "number", "text": {"en": "How old are you?"}, "between": [18, 99]}
SPORT = {"id": "sport", "kind": "text", "text": {"en": "Which sport?", "hi": "कौन-सा खेल?"}}
FIT = {"id": "fit", "kind": "yes_no", "text": {"en": "Are you fit?"}, "excludes": ["no"], "optional": False}
PROLIFIC = "https://app.prolific.com/submissions/complete?cc={code}"


class Visitor(Guest):
    """A browser that came by a link; without a participant, one that just came."""

    def __init__(self, controller: AnnotationController, participant: str = RAW, **link: str) -> None:
        super().__init__(controller)
        self.link = {"participant": participant, **link} if participant else {}

    def press(self, action: str, **more: object) -> dict[str, Any]:
        return super().press(action, **self.link, **more)

    def start(self) -> str:
        return str(self.press("start")["html"])

    def vote(self) -> str:
        """Give a vote, and return the page that it leads to."""
        if not self.shown.get("token"):
            self.sit("vote")
        return str(self.give("vote", GIVEN["vote"])["html"])


Open = Callable[..., tuple[AnnotationController, ServiceRig]]


@pytest.fixture
def open_study(make_rig: MakeRig, tmp_path: Path) -> Open:
    """Open a study with these parts over eight pairs to vote on."""

    def open_with(
        study: dict[str, Any], contact: dict[str, str] | None = None, seconds: float = 0, **campaign: object
    ) -> tuple[AnnotationController, ServiceRig]:
        rig = make_rig([item(number) for number in range(1, 9)], kinds=["vote"], study=study, **campaign)
        rig.service.consents = {"vote": answer_terms(rig.service.campaign)}
        identity = IdentitySettings(KEY, admins=frozenset({"olga"}), allow_guests=True)
        publisher = Publisher(rig.store, FolderDestination(tmp_path / "published"))
        controller = AnnotationController(
            rig.service,
            identity,
            page_services(contact=contact),
            publisher.state,
            publish=publisher.publish_now,
            paying=PaymentRules(answers=2, seconds=seconds),
        )
        return controller, rig

    return open_with


def payments(controller: AnnotationController) -> list[dict[str, str]]:
    reply = Guest(controller, "olga").press("download", form="payments")
    return list(csv.DictReader(io.StringIO(base64.b64decode(reply["data"]).decode("utf-8-sig"))))


@pytest.mark.parametrize("replaces", [False, True])
def test_the_consent_names_the_terms_of_the_study_that_were_agreed_to(open_study: Open, *, replaces: bool) -> None:
    terms = [{"en": "We keep it <ten> years.", "hi": "दस साल।"}, {"en": "The board agreed."}]
    controller, rig = open_study({"consent": {"version": "v2", "terms": terms, "replaces": replaces}})
    guest = Visitor(controller, "")

    page = guest.start()
    assert "We keep it &lt;ten&gt; years." in page
    assert (text("consent.used").default in page) is not replaces
    guest.press("agree", kind="vote", page_language="hi")
    assert guest.shown["token"]

    (consent,) = rig.store.live(kind="consent")
    wording, of_terms = consent.payload.wording, rig.service.campaign.study.consent.wording  # type: ignore[attr-defined, union-attr]
    assert wording == f"{ANSWER_TERMS} small {of_terms}"
    assert of_terms.startswith("v2 ")
    built_in = (
        [] if replaces else [text(f"consent.{key}").by_language["hi"] for key in ("kept", "used", "yours", "age")]
    )
    read = "\n".join([*built_in, "दस साल।", "The board agreed."])
    assert consent.payload.wording_hash == hashlib.sha256(read.encode()).hexdigest()  # type: ignore[attr-defined]


def test_terms_that_changed_are_asked_again(open_study: Open) -> None:
    controller, rig = open_study({"consent": {"version": "1", "terms": [{"en": "Old."}]}})
    Visitor(controller, RAW).sit("vote")
    wordings = {event.payload.wording for event in rig.store.live(kind="consent")}  # type: ignore[attr-defined]
    controller, rig = open_study({"consent": {"version": "1", "terms": [{"en": "New."}]}})

    assert answer_terms(rig.service.campaign) not in wordings
    assert 'name="fmp-agree"' in Visitor(controller, RAW).start()


def test_people_tell_about_themselves_once_and_may_leave_out_or_decline(open_study: Open, tmp_path: Path) -> None:
    controller, rig = open_study({"demographics": [FIT, AGE, SPORT, {**SPORT, "id": "other"}]})
    guest = Visitor(controller, "")

    page = str(guest.sit("vote")["html"])
    assert "fmp-about-you" in page
    assert text("about_you.declined").default in page
    assert guest.press("tell", fields={"age": "30"})["code"] == "question_open"
    assert guest.press("tell", fields={"fit": "prefer_not_to_say"})["code"] == "answer_malformed"
    assert guest.press("tell", fields={"fit": "perhaps"})["code"] == "answer_malformed"
    for age in ("17", "100", "-1", "3e1", "३०", "9" * 5000):
        guest.press("tell", fields={"fit": "yes", "age": age})
    assert {reply.get("code") for reply in guest.heard[-6:]} == {"number_outside"}
    assert rig.store.live(kind="demographics") == []

    told = {"fit": "yes", "age": ["", "prefer_not_to_say"], "sport": " =chess\0 "}
    assert 'data-action="sit"' in str(guest.press("tell", fields=told, page_language="hi")["html"])
    guest.press("tell", fields={"fit": "no"})
    assert guest.sit("vote")["token"]

    controller.publish()
    rows = load_dataset(str(tmp_path / "published"), "demographics", split="train", cache_dir=str(tmp_path / "cache"))
    answers = dict(zip(rows["question"], rows["answer"], strict=True))
    assert answers == {"fit": "yes", "age": "prefer_not_to_say", "sport": "=chess", "other": ""}
    assert set(rows["language"]) == {"hi"}
    guest.press("forget")
    assert rig.store.live(kind="demographics") == []
    assert list((tmp_path / "published" / "data" / "demographics").glob("*")) == []


def test_nobody_tells_anything_before_they_agree(open_study: Open) -> None:
    controller, rig = open_study({"demographics": [SPORT]})

    assert Visitor(controller, "").press("tell", fields={"sport": "chess"})["code"] == "consent_missing"
    assert rig.store.live(kind="demographics") == []


def test_who_is_screened_out_gets_the_code_for_that_and_no_task(open_study: Open) -> None:
    study = {"demographics": [FIT], "screened_out": {"code": "OUT1", "redirect": PROLIFIC}}
    controller, _ = open_study(study)
    guest, other = Visitor(controller), Visitor(controller, "")

    guest.sit("vote")
    page = str(guest.press("tell", fields={"fit": "no"})["html"])
    assert text("ended.screened_out").default in page
    assert "<code>OUT1</code>" in page
    assert 'href="https://app.prolific.com/submissions/complete?cc=OUT1" target="_blank"' in page
    guest.press("tell", fields={"fit": "yes"})
    assert "OUT1" in str(guest.sit("vote")["html"])
    assert "token" not in guest.shown
    # A visitor without a link has nothing to hand in.
    other.sit("vote")
    page = str(other.press("tell", fields={"fit": "no"})["html"])
    assert text("ended.screened_out").default in page
    assert "OUT1" not in page


def test_who_fails_the_test_for_good_is_screened_out(open_study: Open) -> None:
    question = {"id": "one", "language": "en", "text": "Which?", "choices": ["a", "b"], "right": 0, "why": "So."}
    test = {"kinds": ["vote"], "pass_mark": 1, "tries": 2, "questions": [question, {**question, "language": "hi"}]}
    controller, _ = open_study({"screened_out": {"code": "OUT1"}}, qualification=test)
    guest = Visitor(controller)

    guest.sit("vote")
    first = guest.press("test", kind="vote", fields={"one": "1"}, attempt=guest.attempt())
    assert "OUT1" not in str(first["html"])
    last = guest.press("test", kind="vote", fields={"one": "1"}, attempt=guest.attempt())
    assert "<code>OUT1</code>" in str(last["html"])
    assert "OUT1" in str(guest.sit("vote")["html"])


def test_participants_end_with_one_code_and_the_ids_of_their_link_are_in_the_payment_file(open_study: Open) -> None:
    study = {
        "answers": 3,
        "debriefing": [{"en": "It was about texts."}],
        "completion": {"code": "DONE", "redirect": PROLIFIC},
    }
    controller, rig = open_study(study)
    guest = Visitor(controller, study=STUDY, session=SESSION)

    assert text("consent.link").default in guest.start()
    pages = [guest.vote() for _ in range(3)]
    assert ["DONE" in page for page in pages] == [False, False, True]
    assert "It was about texts." in pages[-1]
    assert 'href="https://app.prolific.com/submissions/complete?cc=DONE"' in pages[-1]
    assert "completion" not in guest.shown
    assert "token" not in guest.sit("vote")
    assert guest.start().count("<code>DONE</code>") == 1

    (paid,) = payments(controller)
    assert [paid[name] for name in ("participant_id", "study_id", "session_id")] == [RAW, STUDY, SESSION]
    assert (paid["codes"], paid["payable"], paid["answers"]) == ("DONE", "1", "3")
    stored = repr(rig.store.events())
    assert [id_ for id_ in (RAW, STUDY, SESSION) if id_ in stored] == []


def test_a_code_of_ones_own_and_the_ids_go_into_the_address(open_study: Open) -> None:
    redirect = "https://example.org/done?c={code}&p={participant}&s={study}&a={session}"
    controller, _ = open_study({"answers": 1, "completion": {"redirect": redirect}})
    one, two = Visitor(controller, "one", study="S"), Visitor(controller, "two", session="A")

    addresses = [re.findall(r'href="(https://example[^"]+)"', guest.vote()) for guest in (one, two)]

    codes = [row["codes"] for row in payments(controller)]
    assert len(set(codes)) == 2
    assert addresses == [
        [f"https://example.org/done?c={codes[0]}&amp;p=one&amp;s=S&amp;a="],
        [f"https://example.org/done?c={codes[1]}&amp;p=two&amp;s=&amp;a=A"],
    ]


def test_the_session_of_the_last_link_is_kept_and_a_wrong_one_is_refused(open_study: Open) -> None:
    controller, _ = open_study({"answers": 1, "completion": {"code": "DONE"}})
    Visitor(controller, RAW, session="first").vote()
    Visitor(controller, RAW, session="second").start()
    Visitor(controller, RAW).start()

    assert [row["session_id"] for row in payments(controller)] == ["second"]
    refused = Visitor(controller, RAW, session="a b").press("start")
    assert refused["code"] == "participant_unusable"


def test_a_quick_participant_waits_for_the_code(open_study: Open) -> None:
    controller, rig = open_study({"answers": 2, "completion": {"code": "DONE"}}, seconds=60)
    guest = Visitor(controller)

    page = [guest.vote() for _ in range(2)][-1]
    assert text("ended.wait", seconds=60).default in page
    assert "DONE" not in page
    rig.clock.pass_by(61)
    assert "<code>DONE</code>" in guest.start()


def test_who_has_no_task_left_is_done(open_study: Open) -> None:
    controller, _ = open_study({"completion": {"code": "DONE"}, "debriefing": [{"en": "It was about texts."}]})
    guest = Visitor(controller)

    pages = [guest.vote() for _ in range(8)]
    assert ["DONE" in page for page in pages] == [False] * 7 + [True]
    assert "It was about texts." in pages[-1]


def test_no_more_people_than_wanted_are_admitted(open_study: Open) -> None:
    controller, rig = open_study({"people": 1, "full": {"message": {"en": "We have enough."}, "code": "FULL"}})
    early, late = Visitor(controller, "early"), Visitor(controller, "late")
    early.vote()

    page = late.start()
    assert "We have enough." in page
    assert "<code>FULL</code>" in page
    assert 'name="fmp-agree"' not in page
    rig.service.agree(rig.person("late"), answer_terms(rig.service.campaign))
    assert early.sit("vote")["token"]
    assert "token" not in late.press("sit", kind="vote")


def test_an_owner_stops_the_campaign_and_opens_it_again(open_study: Open) -> None:
    controller, _ = open_study({"completion": {"code": "DONE"}, "full": {"code": "FULL"}})
    begun, new, olga = Visitor(controller, "begun"), Visitor(controller, "new"), Guest(controller, "olga")
    begun.vote()
    assert new.press("stop", stopped=True)["code"] == "owners_only"

    assert text("owner.stopped").default in str(olga.press("stop", stopped=True)["html"])
    assert "<code>DONE</code>" in begun.vote()  # an answer on its way is kept
    assert "<code>FULL</code>" in new.start()
    olga.press("forget")
    assert "<code>FULL</code>" in new.start()
    assert text("owner.stop_about").default in str(olga.press("stop", stopped=False)["html"])
    assert new.sit("vote")["token"]
    assert [row["codes"] for row in payments(controller)] == ["DONE"]


def test_whom_to_ask_is_told_in_the_consent_and_where_nobody_gets_on(open_study: Open) -> None:
    controller, _ = open_study({}, contact={"en": "Asha <asha@lab.org>"})
    line = text("annotate.contact", contact="Asha <asha@lab.org>").default.replace("<", "&lt;").replace(">", "&gt;")
    assert "Asha &lt;asha@lab.org&gt;" in Visitor(controller, "").start()
    assert line in Visitor(controller, "a b").press("start")["html"]
    guest = Visitor(controller, "")
    guest.sit("vote")
    assert line not in guest.press("give", kind="vote", token="0" * 32, fields=GIVEN["vote"])["html"]
