"""The end of a kind as a page is told it: what is kept back, what comes next, and when the next one is offered."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from annotate.kinds.task_kind import Kind
from annotate.tabs.controller import AnnotationController
from annotate.tabs.pages import Card, next_up
from demo.i18n import interface_texts
from demo.tabs.annotate import page_services
from tests.annotate.asking import HINDI, MODELS, item, item_to_find, text
from tests.annotate.tabs.test_controller import GIVEN, IDENTITY, Guest, asking

EN = interface_texts()["en"]


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    """Somebody of whom one vote is asked, and another on a pair that is to be found as well."""
    shared = {**item_to_find(20), "texts": [*item_to_find(20)["texts"], *item(20)["texts"][:3]]}
    rig = asking(tmp_path, [item(1), shared], kinds=["vote", "find"], voices={"vote": 5, "find": 5})
    return Guest(AnnotationController(rig.service, IDENTITY, page_services(), cast("Any", None)))


def test_votes_that_would_give_a_target_away_wait_and_the_page_leads_to_finding_it(guest: Guest) -> None:
    guest.sit("vote")
    reply = guest.give("vote", GIVEN["vote"])

    assert "token" not in reply
    assert EN["annotate.kept_back"] in reply["html"]
    assert EN["annotate.go_on"].format(kind=EN["work.find"]) in reply["html"]
    assert EN["annotate.later"] in guest.press("start")["html"]

    guest.sit("find")
    after = guest.give("find", GIVEN["find"])
    assert EN["annotate.go_on"].format(kind=EN["work.vote"]) in after["html"]
    assert guest.sit("vote")["token"]


def test_who_asks_for_them_all_the_same_gets_them_and_is_asked_to_find_them_no_more(guest: Guest) -> None:
    guest.sit("vote")
    guest.give("vote", GIVEN["vote"])

    assert guest.sit("vote", unsparing=True)["token"]
    last = guest.give("vote", GIVEN["vote"], unsparing=True)

    assert EN["annotate.done_all"] in last["html"]
    assert "token" not in guest.sit("find")


def test_a_page_cannot_be_told_which_model_is_which_where_the_campaign_does_not_say_so(guest: Guest) -> None:
    guest.sit("vote")
    guest.give("vote", GIVEN["vote"])
    guest.sit("vote", unsparing=True)
    reply = guest.give("vote", GIVEN["vote"], unsparing=True)

    assert 'data-action="reveal"' not in reply["html"]
    assert guest.press("reveal", kind="vote")["code"] == "votes_left"
    assert not any("model-ash" in str(heard) for heard in guest.heard)


def test_the_offer_to_look_is_gone_once_it_was_taken_in_the_other_language_too(tmp_path: Path) -> None:
    in_hindi = [text(model, "hi", f"{HINDI} {model}", "vote") for model in MODELS]
    items = [item(1), item(2, texts=in_hindi)]
    rig = asking(tmp_path, items, kinds=["vote"], voices={"vote": 5}, reveals_models=True)
    guest = Guest(AnnotationController(rig.service, IDENTITY, page_services(), cast("Any", None)))
    guest.sit("vote")
    assert 'data-action="reveal"' in guest.give("vote", GIVEN["vote"])["html"]

    assert 'data-action="reveal"' not in guest.press("reveal", kind="vote", page_language="en")["html"]

    reply = guest.press("sit", kind="vote", language="hi")
    assert EN["annotate.back"] in reply["html"]
    assert 'data-action="reveal"' not in reply["html"]


def test_a_page_is_told_whether_it_thanks_a_guest_whose_name_it_may_have_kept(guest: Guest) -> None:
    member = Guest(guest.controller, "ben")
    for one, expected in ((guest, True), (member, False)):
        one.sit("vote")
        assert one.give("vote", GIVEN["vote"])["is_guest"] is expected


@pytest.mark.parametrize(
    ("left", "kept_back", "after", "expected"),
    [
        ({"vote": 0, "write": 2, "find": 3}, 0, "vote", "write"),
        ({"vote": 0, "write": 2, "find": 3}, 1, "vote", "find"),
        ({"vote": 4, "write": 0, "find": 0}, 0, "find", "vote"),
        ({"vote": 0, "write": 0, "find": 0}, 0, "vote", None),
    ],
)
def test_the_next_kind_is_one_with_something_left(
    left: dict[Kind, int], kept_back: int, after: Kind, expected: str | None
) -> None:
    cards = [Card(kind, 10, 1, count, kept_back if kind == after else 0, 0, 0) for kind, count in left.items()]

    offered = next_up(cards, after)

    assert (None if offered is None else offered.kind) == expected
