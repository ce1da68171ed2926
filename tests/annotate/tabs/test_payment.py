"""Who comes by the link of a payment service: their id apart from the answers, codes for batches, who can be paid."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import re
from pathlib import Path
from typing import Any

import pytest

from annotate.__main__ import main
from annotate.errors import RefusedError
from annotate.identity import IdentitySettings
from annotate.publishing.publisher import FolderDestination, Publisher
from annotate.storage.queries import every_participant
from annotate.storage.store import open_store
from annotate.tabs.controller import AnnotationController
from annotate.tabs.pages import ANSWER_TERMS
from annotate.tasks.participants import PARTICIPANT_TERMS, PaymentRules
from demo.i18n import text
from demo.tabs.annotate import page_services
from tests.annotate.asking import KEY, MakeRig, ServiceRig, campaign_json, collect, item
from tests.annotate.tabs.test_controller import GIVEN, Guest
from tests.thoroughness import some

RAW = "5f3a9c0e1b2d4f6a8c0e1b2d"  # as those of Prolific look
BATCH = 2
CODE = re.compile(r"<code>([0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4})</code>")


class Participant(Guest):
    """A browser that came by the link of a payment service."""

    def __init__(
        self, controller: AnnotationController, participant: object = RAW, hub_name: str | None = None
    ) -> None:
        super().__init__(controller, hub_name)
        self.participant = participant

    def press(self, action: str, **more: object) -> dict[str, Any]:
        return super().press(action, participant=self.participant, **more)

    def vote(self) -> str:
        """Give a vote, and the code that it brings, or nothing."""
        if not self.shown.get("token"):
            self.sit("vote")
        codes = CODE.findall(str(self.give("vote", GIVEN["vote"]).get("completion", "")))
        return codes[0] if codes else ""

    def codes(self) -> list[str]:
        """Return the codes on the start page."""
        return CODE.findall(str(self.press("start")["html"]))


@pytest.fixture
def small(make_rig: MakeRig) -> ServiceRig:
    return make_rig([item(number) for number in range(1, 9)], terms=ANSWER_TERMS)


@pytest.fixture
def controller(small: ServiceRig, tmp_path: Path) -> AnnotationController:
    publisher = Publisher(small.store, FolderDestination(tmp_path / "published"))
    identity = IdentitySettings(KEY, admins=frozenset({"olga"}), allow_guests=True)
    rules = PaymentRules(answers=BATCH, seconds=0)
    return AnnotationController(
        small.service, identity, page_services(), publisher.state, publish=publisher.publish_now, paying=rules
    )


def participants(rig: ServiceRig) -> list[str]:
    with rig.store.reading() as connection:
        return sorted(every_participant(connection).values())


def payments(controller: AnnotationController) -> list[dict[str, str]]:
    """Return the payment file that the owner saves from the page."""
    reply = Guest(controller, "olga").press("download", form="payments")
    return list(csv.DictReader(io.StringIO(base64.b64decode(reply["data"]).decode("utf-8-sig"))))


def files_with(folder: Path, words: str) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]


def test_the_link_is_kept_only_once_its_terms_were_agreed_to(
    controller: AnnotationController, small: ServiceRig
) -> None:
    guest = Participant(controller)
    start = str(guest.press("start")["html"])
    assert text("consent.participant", participant=RAW).default in start
    guest.press("sit", kind="vote")
    assert 'name="fmp-agree"' in guest.shown["html"]
    assert participants(small) == []

    guest.press("agree", kind="vote", page_language="en")

    assert participants(small) == [RAW]
    agreed = {event.payload.wording for event in small.store.live(kind="consent")}
    assert agreed == {ANSWER_TERMS, PARTICIPANT_TERMS}
    # Consents are published: no id can be tried against the hash of what was read.
    read = text("consent.participant", participant=RAW).by_language["en"]
    hashes = {event.payload.wording_hash for event in small.store.live(kind="consent")}
    assert hashlib.sha256(read.encode()).hexdigest() not in hashes


def test_who_came_without_a_link_is_asked_nothing_more_and_has_no_code(
    controller: AnnotationController, small: ServiceRig
) -> None:
    guest = Participant(controller, "")
    assert "consent.participant" not in str(guest.press("start")["html"])
    assert [guest.vote() for _ in range(2 * BATCH)] == [""] * (2 * BATCH)
    assert (guest.codes(), participants(small), payments(controller)) == ([], [], [])


def test_an_account_that_agreed_before_agrees_to_the_link_as_well(
    controller: AnnotationController, small: ServiceRig
) -> None:
    Participant(controller, "", "ben").sit("vote")
    ben = Participant(controller, RAW, "ben")

    assert 'name="fmp-agree"' in str(ben.press("sit", kind="vote")["html"])
    assert ben.press("agree", kind="vote", page_language="en")["token"]
    assert participants(small) == [RAW]


def test_each_finished_batch_brings_a_code_of_its_own_once(controller: AnnotationController, small: ServiceRig) -> None:
    guest, other = Participant(controller), Participant(controller, "another-one")

    codes = [guest.vote() for _ in range(2 * BATCH + 1)]

    assert [bool(code) for code in codes] == [False, True, False, True, False]
    assert guest.codes() == [codes[1], codes[3]]
    assert text("payment.left", left=1, answers=BATCH).default in str(guest.press("start")["html"])
    others = [other.vote() for _ in range(BATCH)]
    assert len({*codes, *others} - {""}) == 3
    kept = {event.payload.code for event in small.store.live(kind="completion")}
    assert kept == {codes[1], codes[3], others[1]}


def test_answers_given_before_coming_by_the_link_bring_no_codes(
    controller: AnnotationController, small: ServiceRig
) -> None:
    volunteer = Guest(controller, "ben")
    for _ in range(2 * BATCH + 1):
        if not volunteer.shown.get("token"):
            volunteer.sit("vote")
        assert volunteer.give("vote", GIVEN["vote"])["kept"]
    small.clock.pass_by(60)
    guest = Participant(controller, RAW, "ben")
    guest.press("agree", kind="vote", page_language="en")

    assert guest.codes() == []
    assert text("payment.left", left=BATCH, answers=BATCH).default in str(guest.shown["html"])
    codes = [guest.vote() for _ in range(BATCH)]

    assert [bool(code) for code in codes] == [False, True]
    (row,) = payments(controller)
    assert (row["batches"], row["payable"], row["codes"]) == ("1", "1", codes[-1])
    guest.press("undo", kind="vote", event=guest.shown["undo"])
    (row,) = payments(controller)
    assert (row["payable"], row["codes"]) == ("0", "")  # those before do not stand in for it


def test_a_batch_taken_back_brings_no_second_code_and_is_not_payable_until_it_is_given_again(
    controller: AnnotationController,
) -> None:
    guest = Participant(controller)
    guest.vote()
    code = guest.vote()
    (row,) = payments(controller)
    assert (row["participant_id"], row["payable"], row["codes"]) == (RAW, "1", code)

    guest.press("undo", kind="vote", event=guest.shown["undo"])
    (row,) = payments(controller)
    assert (row["batches"], row["payable"], row["codes"]) == ("1", "0", "")

    assert guest.vote() == ""
    (row,) = payments(controller)
    assert (row["payable"], row["codes"]) == ("1", code)
    assert guest.codes() == [code]


def test_an_answer_is_thanked_for_though_its_code_cannot_be_kept_and_the_start_page_has_it_then(
    controller: AnnotationController, small: ServiceRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = Participant(controller)
    guest.vote()

    def refuse(*_: object, **__: object) -> None:
        raise RefusedError("store_full")

    with monkeypatch.context() as full:
        full.setattr(small.store, "add", refuse)  # answers go by `add_all`
        assert guest.vote() == ""
        assert guest.shown["kept"]
    assert len(guest.codes()) == 1


@pytest.fixture
def timed(make_rig: MakeRig, tmp_path: Path) -> tuple[AnnotationController, ServiceRig]:
    """Batches of ten that take their least time."""
    rig = make_rig([item(number) for number in range(1, 33)], terms=ANSWER_TERMS)
    publisher = Publisher(rig.store, FolderDestination(tmp_path / "published"))
    identity = IdentitySettings(KEY, admins=frozenset({"olga"}), allow_guests=True)
    return AnnotationController(rig.service, identity, page_services(), publisher.state), rig


def test_thirty_tied_votes_in_eleven_seconds_bring_their_codes_late_and_their_doubts_at_once(
    timed: tuple[AnnotationController, ServiceRig],
) -> None:
    controller, rig = timed
    script = Participant(controller)
    script.sit("vote")
    told_now = []
    for _ in range(30):
        rig.clock.pass_by(11 / 30)
        told_now.append(str(script.give("vote", {"relevant": "tied", "fluent": "tied"}).get("completion", "")))

    assert CODE.findall("".join(told_now)) == []
    assert text("payment.wait", seconds=27).default in told_now[9]  # of 30 for ten votes, as soon as they are given
    codes = []
    for seconds in (0, 18.5, 1, 29, 1, 30):
        rig.clock.pass_by(seconds)
        codes.append(len(script.codes()))
    assert codes == [0, 0, 1, 1, 2, 3]
    (row,) = payments(controller)
    assert (row["payable"], row["doubts"]) == ("3", "too_fast vote 30 of 30; one_sided vote 30 of 30")


def test_a_quick_and_careful_participant_waits_for_no_code_and_has_no_doubts(
    timed: tuple[AnnotationController, ServiceRig],
) -> None:
    controller, rig = timed
    quick = Participant(controller)
    quick.sit("vote")
    codes = []
    for number in range(20):
        rig.clock.pass_by(4)
        answer = {"relevant": str(number % 3), "fluent": str((number + 1) % 3)}
        codes += CODE.findall(str(quick.give("vote", answer).get("completion", "")))

    assert len(codes) == 2
    assert quick.codes() == codes
    (row,) = payments(controller)
    assert (row["payable"], row["doubts"]) == ("2", "")


def test_a_clock_that_was_set_back_makes_nobody_wait_for_more_than_the_least_time(
    timed: tuple[AnnotationController, ServiceRig],
) -> None:
    controller, rig = timed
    careful = Participant(controller)
    careful.sit("vote")
    for number in range(30):
        rig.clock.pass_by(4 + {2: 3600, 24: -3600}.get(number, 0))
        careful.give("vote", {"relevant": str(number % 3), "fluent": str((number + 1) % 3)})
    rig.clock.pass_by(60)

    assert len(careful.codes()) == 3


HOSTILE = [
    "x" * 101,
    "x" * 1_000_000,
    "a\x00b",
    "a\nb",
    "a\u202eb",
    "<script>alert(1)</script>",
    "{{%PROLIFIC_PID%}}",
    "${workerId}",
    "=1+1",
    "../../etc/passwd",
    "'; DROP TABLE participants;--",
    " ",
    "\ud83d",
    5,
    True,
    ["a"],
    {"a": "b"},
]


@pytest.mark.parametrize("participant_id", some(HOSTILE, 6), ids=range(len(HOSTILE)))
@pytest.mark.parametrize("action", ["start", "sit", "agree", "give"])
def test_an_id_that_can_be_none_meets_one_sentence_and_is_kept_nowhere(
    controller: AnnotationController, small: ServiceRig, tmp_path: Path, participant_id: object, action: str
) -> None:
    reply = Participant(controller, participant_id).press(
        action, kind="vote", page_language="en", token="0" * 32, fields={}
    )

    assert (reply["outcome"], reply["code"]) == ("refused", "participant_unusable")
    assert text("refused.participant_unusable", limit=100).default in reply["html"].replace("&#39;", "'")
    assert "<script" not in str(reply)
    assert "guest" not in reply
    assert participants(small) == []
    assert files_with(tmp_path, "DROP TABLE") == []


def test_no_account_is_two_participants(controller: AnnotationController, small: ServiceRig) -> None:
    guest = Participant(controller, RAW, "ben")
    guest.vote()
    guest.participant = "somebody-else"

    for action in ("start", "sit", "agree"):
        assert guest.press(action, kind="vote", page_language="en")["code"] == "participant_other"
    assert participants(small) == [RAW]


def test_the_raw_id_is_in_the_owners_file_alone(
    controller: AnnotationController, small: ServiceRig, tmp_path: Path
) -> None:
    guest = Participant(controller)
    guest.vote()
    code = guest.vote()
    olga = Guest(controller, "olga")
    assert olga.press("publish")["waiting"] == 0
    store = str(small.store.engine.url.database)
    assert main(["export", str(tmp_path / "out"), "--store", store, "--format", "json"]) == 0
    report = ["report", "--campaign", str(tmp_path / "campaign"), "--store", store, "--out", str(tmp_path / "tables")]
    assert main([*report, "--payments", str(tmp_path / "own.csv")]) == 0

    assert files_with(tmp_path / "out", code) == ["completion.json"]
    assert files_with(tmp_path / "tables", code) == ["completions.csv"]
    assert list((tmp_path / "published").rglob("completion/*.parquet"))
    for folder in ("out", "published", "tables"):
        assert files_with(tmp_path / folder, RAW) == []
    assert RAW not in str(olga.press("sit", kind="results", unblind=True)["html"])
    assert code in olga.shown["html"]
    for form in ("json", "csv"):
        assert RAW.encode() not in base64.b64decode(olga.press("download", form=form)["data"])

    (row,) = csv.DictReader(io.StringIO((tmp_path / "own.csv").read_text("utf-8-sig")))
    assert (row["participant_id"], row["codes"]) == (RAW, code)
    assert os.name == "nt" or (tmp_path / "own.csv").stat().st_mode & 0o077 == 0
    assert main([*report, "--payments", str(tmp_path / "own.csv")]) == 2  # what is there stays


def test_who_is_owed_for_descriptions_alone_is_in_the_payment_file(controller: AnnotationController) -> None:
    last, first = Participant(controller, "b-writer"), Participant(controller, "a-voter")
    last.sit("write")
    assert last.give("write", GIVEN["write"])["kept"]
    for _ in range(BATCH):
        first.vote()

    voter, writer = payments(controller)

    assert (voter["participant_id"], voter["payable"]) == ("a-voter", "1")
    assert (writer["participant_id"], writer["payable"], writer["codes"]) == ("b-writer", "0", "")
    assert writer["owed_for_descriptions"] == "0.18"


def test_a_participant_goes_on_in_another_browser_where_they_were(
    controller: AnnotationController, small: ServiceRig
) -> None:
    first, second = Participant(controller), Participant(controller)
    codes = [first.vote() for _ in range(BATCH + 1)]
    on_the_desk = first.sit("vote")["token"]

    assert 'name="fmp-agree"' not in str(second.press("start")["html"])  # they have agreed
    assert second.codes() == codes[BATCH - 1 : BATCH]
    assert text("payment.left", left=BATCH - 1, answers=BATCH).default in str(second.press("start")["html"])
    assert second.sit("vote")["token"] == on_the_desk
    codes += [second.vote() for _ in range(BATCH - 1)]

    assert bool(codes[-1])
    assert first.codes() == second.codes() == [code for code in codes if code]
    (row,) = payments(controller)
    assert (row["participant_id"], row["batches"], row["payable"]) == (RAW, "2", "2")
    given = [(event.annotator, event.item) for event in small.store.live(kind="vote")]
    assert len({annotator for annotator, _ in given}) == 1
    assert len(set(given)) == 2 * BATCH  # nobody was asked the same twice


def test_what_a_participant_deletes_in_one_browser_is_gone_in_the_other(
    controller: AnnotationController, small: ServiceRig
) -> None:
    first, second = Participant(controller), Participant(controller)
    for _ in range(BATCH):
        first.vote()

    second.press("forget")

    assert first.codes() == []
    assert 'name="fmp-agree"' in str(first.press("start")["html"])
    assert (participants(small), small.store.live(kind="vote")) == ([], [])


def test_a_participant_with_a_guests_id_of_somebody_else_stays_who_they_are(controller: AnnotationController) -> None:
    volunteer, guest = Guest(controller), Participant(controller)
    volunteer.sit("vote")
    guest.vote()
    guest.guest = volunteer.guest
    assert text("payment.left", left=BATCH - 1, answers=BATCH).default in str(guest.press("start")["html"])


def test_one_participant_with_two_accounts_is_told_of_in_the_results_under_a_pseudonym(
    controller: AnnotationController,
) -> None:
    once, first, second = Participant(controller, "once"), Participant(controller), Participant(controller, RAW, "ben")
    for one in (once, first):
        for _ in range(BATCH):
            one.vote()
    olga, notice = Guest(controller, "olga"), "finished batches from 2 browsers or accounts"
    assert notice not in str(olga.press("sit", kind="results", unblind=True)["html"])
    for _ in range(BATCH):
        second.vote()

    reply = str(olga.press("sit", kind="results", unblind=True)["html"])

    assert notice in reply
    assert RAW not in reply
    assert [row["participant_id"] for row in payments(controller)] == [RAW, RAW, "once"]


def test_nobody_but_the_owner_has_the_payment_file(controller: AnnotationController) -> None:
    guest = Participant(controller)
    guest.vote()
    assert guest.press("download", form="payments")["code"] == "owners_only"
    assert 'data-form="payments"' not in str(guest.press("start")["html"])
    assert 'data-form="payments"' in str(Guest(controller, "olga").press("start")["html"])


def test_a_deletion_takes_the_participants_id_and_codes_along(
    controller: AnnotationController, small: ServiceRig, tmp_path: Path
) -> None:
    guest = Participant(controller)
    guest.vote()
    code = guest.vote()
    guest.press("forget")

    assert participants(small) == []
    assert small.store.live(kind="completion") == []
    assert payments(controller) == []
    small.store.close()
    assert files_with(tmp_path, RAW) == []
    assert files_with(tmp_path / "published", code) == []


def test_a_deletion_elsewhere_takes_the_id_along_that_is_here(tmp_path: Path) -> None:
    """Two apps publish to one place; a person deletes everything at the one they did not come to by the link."""
    place = tmp_path / "published"
    here, elsewhere = (open_store(tmp_path / name / "store.sqlite") for name in ("here", "elsewhere"))
    try:
        rig = collect(tmp_path / "asked", campaign_json([item(1)]), tmp_path / "here" / "store.sqlite")
        ben = rig.person("ben")
        controller = AnnotationController(rig.service, IdentitySettings(KEY), page_services(), lambda: None)  # type: ignore[arg-type,return-value]
        controller.participants.join(ben, RAW)
        assert participants(rig) == [RAW]
        elsewhere.withdraw(annotator=ben.pseudonym)
        Publisher(elsewhere, FolderDestination(place)).publish_now()
        Publisher(here, FolderDestination(place)).publish_now()
        assert participants(rig) == []
        rig.store.close()
    finally:
        here.close()
        elsewhere.close()


def test_a_store_from_before_there_were_participants_opens(tmp_path: Path) -> None:
    rig = collect(tmp_path, campaign_json([item(1)]))
    rig.store.write(lambda on: on.exec_driver_sql("DROP TABLE participants"))
    rig.store.close()

    again = open_store(tmp_path / "store.sqlite")
    with again.reading() as connection:
        assert every_participant(connection) == {}
    again.close()
