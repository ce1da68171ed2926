"""What an owner's pages offer: publishing now, what waits, who is at work; and that results are not opened unasked."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from annotate.analysis.statistics import frames
from annotate.errors import RefusedError
from annotate.identity import IdentitySettings
from annotate.publishing.publisher import FolderDestination, Publisher
from annotate.records import MODELS_SEEN
from annotate.tabs.controller import AnnotationController
from annotate.tabs.pages import ANSWER_TERMS
from annotate.tasks.admission import Reveal
from annotate.tasks.service import active_people
from demo.i18n import text
from demo.tabs.annotate import page_services
from tests.annotate.asking import KEY, LONG, MODELS, MakeRig, ServiceRig, item
from tests.annotate.asking import text as text_of
from tests.annotate.dialogues import text_to_judge
from tests.annotate.sample_events import event
from tests.annotate.tabs.test_controller import GIVEN, Guest
from tests.thoroughness import one_of

ASKS = 'data-action="unblind"'


@pytest.fixture
def small(make_rig: MakeRig) -> ServiceRig:
    return make_rig([item(1), item(2)], terms=ANSWER_TERMS, voices={"vote": 2, "verify": 3, "write": 2})


@pytest.fixture
def publisher(small: ServiceRig, tmp_path: Path) -> Publisher:
    return Publisher(small.store, FolderDestination(tmp_path / "published"))


@pytest.fixture
def controller(small: ServiceRig, publisher: Publisher) -> AnnotationController:
    identity = IdentitySettings(KEY, admins=frozenset({"olga"}), allow_guests=True)
    return AnnotationController(
        small.service, identity, page_services(), publisher.state, publish=publisher.publish_now
    )


@pytest.fixture
def olga(controller: AnnotationController) -> Guest:
    return Guest(controller, "olga")


def results(guest: Guest, **more: object) -> str:
    return str(guest.press("sit", kind="results", **more)["html"])


def vote(guest: Guest) -> dict[str, Any]:
    guest.sit("vote")
    return guest.give("vote", GIVEN["vote"])


def test_an_owner_who_may_still_vote_is_asked_before_results_name_anybody(
    olga: Guest, controller: AnnotationController
) -> None:
    vote(olga)
    vote(Guest(controller, "ben"))

    question_shown = results(olga)
    assert ASKS in question_shown
    for secret in (*MODELS, "V+L", 'data-action="download"'):
        assert secret not in question_shown, secret
    for no_word in ("yes", 1, "true", None):
        assert results(olga, unblind=no_word) == question_shown

    opened = results(olga, unblind=True)
    assert ASKS not in opened
    assert all(model in opened for model in MODELS)


@pytest.mark.parametrize(
    ("press", "part"),
    one_of(
        [
            ({"action": "sit", "kind": "results", "unblind": True}, None),
            ({"action": "download", "form": "csv"}, "file"),
            ({"action": "download", "form": "answers"}, "file"),
        ]
    ),
)
def test_an_owner_who_opened_the_results_votes_no_more_and_is_not_asked_again(
    small: ServiceRig, olga: Guest, controller: AnnotationController, press: dict[str, Any], part: str | None
) -> None:
    vote(olga)
    assert olga.press(**press).get("part") == part

    assert MODELS[0] in results(olga)
    assert "token" not in olga.sit("vote")
    vote(Guest(controller, "ben"))
    voters = {one.annotator for one in small.store.live(kind="vote")}
    restarted = Reveal(small.service.campaign, small.store, small.service.reveal.consents)
    assert sorted(map(restarted.is_over, voters)) == [False, True]
    assert frames(list(small.store.live()), small.service.campaign).votes.annotator.nunique() == 2


def test_a_vote_that_was_on_its_way_while_results_were_opened_is_kept_and_does_not_count(
    small: ServiceRig, olga: Guest
) -> None:
    token = olga.sit("vote")["token"]
    results(olga, unblind=True)
    olga.press("give", kind="vote", token=token, fields=GIVEN["vote"])

    assert any(getattr(one.payload, "reason", "") == MODELS_SEEN for one in small.store.live())
    assert frames(list(small.store.live()), small.service.campaign).votes.empty


def test_neither_asking_nor_the_file_of_payments_ends_the_votes_of_an_owner(olga: Guest) -> None:
    vote(olga)
    results(olga)
    olga.press("download", form="payments")

    assert "token" in olga.sit("vote")


def test_results_are_shown_of_a_store_that_can_keep_nothing(
    small: ServiceRig, olga: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    vote(olga)
    monkeypatch.setattr(small.store, "read_only", RefusedError("store_full"))

    assert MODELS[0] in results(olga, unblind=True)


def test_an_owner_with_no_vote_left_is_not_asked(olga: Guest) -> None:
    vote(olga)
    vote(olga)

    assert ASKS not in results(olga)
    assert MODELS[0] in results(olga)


def test_nobody_else_opens_results_by_saying_so(controller: AnnotationController) -> None:
    ben = Guest(controller, "ben")
    vote(ben)

    reply = results(ben, unblind=True)
    assert not any(model in reply for model in MODELS)


def test_an_owner_publishes_now(olga: Guest, publisher: Publisher) -> None:
    vote(olga)
    waiting = publisher.state()
    assert (waiting.waiting, dict(waiting.waiting_kinds)) == (2, {"vote": 1, "consent": 1})
    start = str(olga.press("start")["html"])
    assert 'data-action="publish"' in start
    assert text("results.kind_vote").default in start

    reply = olga.press("publish")

    assert (reply["part"], reply["waiting"]) == ("owner", 0)
    assert text("owner.nothing_waits").default in reply["html"]
    assert publisher.state().published == 2
    assert not publisher.state().waiting_kinds


@pytest.mark.parametrize("action", ["publish", "owner"])
def test_nobody_else_publishes_or_sees_who_is_at_work(
    controller: AnnotationController, publisher: Publisher, action: str
) -> None:
    ben = Guest(controller, "ben")
    vote(ben)

    reply = ben.press(action)

    assert reply["code"] == "owners_only"
    assert publisher.state().published == 0
    assert "fmp-owner" not in str(ben.press("start")["html"])


def test_the_owner_sees_what_still_waits_for_people(olga: Guest) -> None:
    vote(olga)
    assert text("owner.wanted_voices", answered=1, wanted=4).default in str(olga.press("owner")["html"])
    vote(olga)
    assert text("owner.wanted_voices", answered=2, wanted=4).default in str(olga.press("owner")["html"])


def test_the_owner_sees_who_is_at_work_just_now(
    olga: Guest, controller: AnnotationController, small: ServiceRig
) -> None:
    assert text("owner.nobody_active").default in str(olga.press("owner")["html"])
    ben, cleo = Guest(controller, "ben"), Guest(controller, "cleo")
    vote(ben)
    small.clock.pass_by(180)
    cleo.sit("write")

    html = str(olga.press("owner")["html"])

    assert small.person("ben").pseudonym[:12] in html
    assert text("owner.active_gave", answers=1, minutes=3).default in html
    assert text("owner.active_begun").default in html
    people = [(one.annotator, one.kinds, one.answers, one.idle) for one in active_people(small.service)]
    assert people == [
        (small.person("ben").pseudonym, ("vote",), 1, 3),
        (small.person("cleo").pseudonym, ("write",), 0, None),
    ]

    small.clock.pass_by(3600)
    assert active_people(small.service) == []


def test_a_person_who_only_agreed_or_answered_elsewhere_is_not_at_work(small: ServiceRig) -> None:
    ben = small.person("ben")
    small.service.agree(ben, ANSWER_TERMS)
    elsewhere = event("vote", campaign="other", annotator=ben.pseudonym)
    small.store.add(replace(elsewhere, time=datetime.fromtimestamp(small.clock(), UTC)))

    assert active_people(small.service) == []


FLAGGED = {"text": LONG, "flags": ["no_clear_difference"]}


def test_an_owner_decides_about_flagged_pairs_where_they_wait(
    small: ServiceRig, olga: Guest, controller: AnnotationController
) -> None:
    ben = Guest(controller, "ben")
    ben.sit("write")
    ben.give("write", FLAGGED)
    (flagged,) = small.store.live(kind="description")
    waiting = str(olga.press("owner")["html"])
    assert f'data-item="{flagged.item}" data-choice="keep"' in waiting
    assert not any(model in waiting for model in MODELS), "an owner may still vote"

    decided = olga.press("decide", item=flagged.item, choice="keep")
    assert flagged.item not in str(decided["html"])
    assert f'data-item="{flagged.item}" data-choice="undo"' in str(olga.press("answers", of="flagged")["html"])
    olga.press("decide", item=flagged.item, choice="undo")
    assert flagged.item in str(olga.press("owner")["html"])
    for wrong in ({"item": "9_9_9_9_9", "choice": "keep"}, {"item": flagged.item, "choice": "reject"}, {}):
        assert olga.press("decide", **wrong)["outcome"] == "refused"
    assert ben.press("decide", item=flagged.item, choice="drop")["outcome"] == "refused"
    assert ben.press("answers")["outcome"] == "refused"


def test_a_pair_that_the_owner_keeps_is_asked_about_at_once(
    small: ServiceRig, olga: Guest, controller: AnnotationController
) -> None:
    ben = Guest(controller, "ben")
    ben.sit("write")
    ben.give("write", FLAGGED)
    (flagged,) = small.store.live(kind="description")

    def asked() -> set[str]:
        return {question.item.uid for question in small.service.scheduler.asks("write", "en").open}

    assert flagged.item not in asked()
    small.service.scheduler.stale_seconds = 1e9
    olga.press("decide", item=flagged.item, choice="keep")
    assert flagged.item in asked()
    olga.press("decide", item=flagged.item, choice="drop")
    assert flagged.item not in asked()


def test_single_answers_are_shown_by_pair_with_votes_of_each_model(
    olga: Guest, controller: AnnotationController
) -> None:
    assert "nothing to show" in str(olga.press("answers")["html"])
    ben = Guest(controller, "ben")
    vote(ben)
    ben.sit("verify")
    ben.give("verify", GIVEN["verify"])

    shown = str(olga.press("answers")["html"])
    assert shown.count("<article") >= 1
    assert all(model in shown for model in MODELS)
    assert shown.count("data:image/jpeg") == 2 * shown.count("<article")
    assert re.search(r"<td>[01] / 1</td>", shown)
    only = str(olga.press("answers", of="rating", page=-3)["html"])
    assert only.count("<li>") == 1
    for odd in ({"of": "x" * 9}, {"of": "vote", "page": 10**9}, {"of": "vote", "page": "1"}):
        assert olga.press("answers", **odd)["outcome"] == "part"


def test_answers_to_own_questions_are_shown_with_the_text_and_all_pictures_of_their_item(
    make_rig: MakeRig, tmp_path: Path
) -> None:
    asked = [{"id": "clear", "kind": "text", "text": {"en": "What is unclear?"}, "about": "each_text"}]
    texts = [text_of("model-ash", "en", "Raise it.", "questions")]
    pictures = [item(number)["current"] for number in (1, 20, 39)]
    of_three = item(1, texts=texts, to_describe=False, target=pictures[1], further=[pictures[2]])
    rig = make_rig([of_three], own_questions=asked, languages=["en"], terms=ANSWER_TERMS, voices={"questions": 2})
    publisher = Publisher(rig.store, FolderDestination(tmp_path / "published"))
    identity = IdentitySettings(KEY, admins=frozenset({"olga"}), allow_guests=True)
    controller = AnnotationController(rig.service, identity, page_services(), publisher.state)
    ben = Guest(controller, "ben")
    ben.sit("questions")
    ben.give("questions", {"answers.clear": "Which <arm>?"})

    shown = str(Guest(controller, "olga").press("answers", of="questions")["html"])

    assert "<code>clear</code>" in shown
    assert "Which &lt;arm&gt;?" in shown
    assert "Raise it." in shown
    assert shown.count("data:image/jpeg") == 3


def test_repairs_are_shown_with_their_edits_and_results_with_wins_by_model(make_rig: MakeRig, tmp_path: Path) -> None:
    draft = [text_of("draft", "en", "Raise <it>.", "repair", source="model-ash")]
    about = {"kinds": ["repair", "compare"], "languages": ["en"], "terms": ANSWER_TERMS}
    rig = make_rig([item(1, texts=draft, to_describe=False)], **about)
    publisher = Publisher(rig.store, FolderDestination(tmp_path / "published"))
    identity = IdentitySettings(KEY, admins=frozenset({"olga"}), allow_guests=True)
    controller = AnnotationController(rig.service, identity, page_services(), publisher.state)
    ben, cara, olga = (Guest(controller, name) for name in ("ben", "cara", "olga"))
    ben.sit("repair")

    refused = ben.give("repair", {"edits": '[["KEEP","Raise"],["KEEP","<them>."]]'})
    ben.sit("repair")
    ben.give("repair", {"edits": '[["KEEP","Raise"],["DELETE","<it>."],["ADD","<both>."]]'})
    form = str(cara.sit("compare")["html"])
    cara.give("compare", {"better": str(int(form.index("Raise &lt;both") > form.index("Raise &lt;it")))})
    single, shown = str(olga.press("answers")["html"]), results(olga, unblind=True)

    assert str(refused["outcome"]) == "refused"
    assert "do not lead from this text to yours" in str(refused["html"])
    assert re.search(r"<del>&lt;it&gt;\. .*</del> <ins>&lt;both&gt;\. .*</ins>", single)
    assert text("results.mended_text").default in single
    assert "model-ash" in re.findall(r'<th scope="row">([^<]*)</th>', shown[shown.index("fmp-r-repairs") :])
    assert "<strong>100 %</strong>" in shown
    assert "model-ash" not in form


def test_verdicts_are_shown_with_question_and_answer_and_as_shares(make_rig: MakeRig, tmp_path: Path) -> None:
    asked = text_to_judge("1_0_0_0_0", "en", 2, question="Which <way>?", earlier=[["<b>Is it?", "yes"]])
    about = {"kinds": ["judge"], "languages": ["en"], "terms": ANSWER_TERMS}
    rig = make_rig([item(1, texts=[asked], to_describe=False)], **about)
    publisher = Publisher(rig.store, FolderDestination(tmp_path / "published"))
    identity = IdentitySettings(KEY, admins=frozenset({"olga"}), allow_guests=True)
    controller = AnnotationController(rig.service, identity, page_services(), publisher.state)
    ben, olga = Guest(controller, "ben"), Guest(controller, "olga")

    form = str(ben.sit("judge")["html"])
    refused = ben.give("judge", {"verdict": "yes", "comment": ""})
    ben.sit("judge")
    ben.give("judge", {"verdict": "wrong", "comment": "<down>"})
    single, shown = str(olga.press("answers")["html"]), results(olga)

    assert "Which &lt;way&gt;? <strong>up</strong>" in form
    assert "&lt;b&gt;Is it? <strong>yes</strong>" in form
    assert "seek" not in form
    assert str(refused["outcome"]) == "refused"
    assert text("judge.verdict_wrong").default in single
    assert "&lt;down&gt;" in single
    assert "Which &lt;way&gt;? up" in single
    assert "<strong>0 %</strong>" in shown[shown.index("fmp-r-dialogues") :]
