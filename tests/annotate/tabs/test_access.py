"""What a page is told while the app cannot do as asked: too much was asked, or the answers cannot be reached."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from contextlib import suppress
from typing import Any, cast

import psycopg
import pytest

from annotate.errors import RefusedError
from annotate.identity import IdentitySettings, new_guest_id
from annotate.ports import Photographs, Ports
from annotate.tabs.controller import AnnotationController
from annotate.tabs.pages import ANSWER_TERMS
from annotate.tasks.admission import MAX_PUZZLE_BITS, MIN_PUZZLE_BITS, PUZZLE_SECONDS, Rate, RateLimits, Rates
from demo.i18n import interface_texts, text
from demo.tabs.annotate import page_services
from fmp_models.data.statistics import broken_rules
from tests.annotate.asking import KEY, Clock, MakeRig, ServiceRig, item
from tests.annotate.tabs.test_controller import IDENTITY, Guest

VOTE: dict[str, object] = {"relevant": "0", "fluent": "1"}
FEW = Rate(at_once=20, a_minute=1)


def bench_over(rig: ServiceRig, identity: IdentitySettings = IDENTITY) -> AnnotationController:
    rig.service.consents = dict.fromkeys(rig.service.campaign.kinds, ANSWER_TERMS)
    return AnnotationController(rig.service, identity, page_services(), cast("Any", None))


@pytest.fixture
def rig(make_rig: MakeRig) -> ServiceRig:
    return make_rig([item(number) for number in range(1, 4)])


def refusals(guest: Guest, presses: int, action: str, **more: object) -> int:
    """How many of these presses were too many."""
    return sum(guest.press(action, **more).get("code") == "too_fast" for _ in range(presses))


@pytest.mark.parametrize(
    ("action", "more"),
    [
        ("start", {}),
        ("sit", {"kind": "results"}),
        ("download", {"form": "json"}),
        ("photograph", {"kind": "real_pair", "which": "current", "upload": "x"}),
        ("paint", {"kind": "real_pair", "photo": "x"}),
        ("edits", {"kind": "real_pair", "token": "x", "text": "Sit."}),
    ],
)
def test_a_person_who_asks_for_too_much_waits_and_nobody_else_does(
    action: str, more: dict[str, object], rig: ServiceRig
) -> None:
    rig.service.limits = RateLimits(Rates(person=FEW))
    controller = bench_over(rig)
    hasty, other = Guest(controller), Guest(controller)
    hasty.press("start")
    other.press("start")

    assert 0 < refusals(hasty, 100, action, **more) < 100

    assert other.press("start")["outcome"] == "shown"
    assert other.sit("vote")["token"]


def test_who_has_not_logged_in_meets_a_bound_and_who_has_does_not(rig: ServiceRig) -> None:
    rig.service.limits = RateLimits(Rates(together=FEW))
    controller = bench_over(rig, IdentitySettings(KEY))

    assert refusals(Guest(controller), 100, "start") == 80
    assert Guest(controller, "Ada").sit("vote")["token"]


def guests(controller: AnnotationController, count: int, address: str | None = None, **more: object) -> list[str]:
    """Return the outcomes of as many presses, each by a new visitor."""
    reply = [Guest(controller, address=address).press("start", **more) for _ in range(count)]
    return [str(one.get("code", one["outcome"])) for one in reply]


def solve(puzzle: str) -> dict[str, str]:
    """Do what the page does when it is given a puzzle."""
    bits = int(puzzle[:2])
    for answer in itertools.count():
        if int.from_bytes(hashlib.sha256(f"{puzzle}:{answer}".encode()).digest()) >> (256 - bits) == 0:
            return {"puzzle": puzzle, "answer": str(answer)}
    raise AssertionError


def test_a_new_name_for_every_press_gains_nothing_and_takes_nothing_from_others(rig: ServiceRig) -> None:
    rig.service.limits = RateLimits(Rates(new_guests=FEW, together=Rate(at_once=40, a_minute=1)))
    controller = bench_over(rig)
    known = Guest(controller)
    known.press("start")

    assert Counter(guests(controller, 100)) == {"shown": 19, "proof_needed": 81}
    assert known.sit("vote")["token"]


def test_a_new_guest_is_admitted_during_a_flood_of_made_up_guests(rig: ServiceRig) -> None:
    """Two minutes of 240 made-up guests, from one address and from where none can be told, half with made-up ids."""
    clock = Clock()
    rig.service.limits = RateLimits(clock=clock)
    controller = bench_over(rig)
    for _ in range(120):
        clock.pass_by(1)
        for number in range(4):
            flood = Guest(controller, address="9.9.9.9" if number % 2 else None)
            flood.guest = {} if number < 2 else {"id": new_guest_id()}
            flood.press("edits")  # as cheap as any

    assert Guest(controller, address="8.8.8.8").sit("vote")["token"]  # elsewhere nobody notices
    for address in ("9.9.9.9", None):
        with suppress(RefusedError):
            for _ in range(200):
                rig.service.limits.admit(address, proved=False)
    for address in ("9.9.9.9", None):  # a neighbour of the flood
        newcomer = Guest(controller, address=address)
        refused = newcomer.press("start")
        assert refused["code"] == "proof_needed"
        assert text("refused.proof_needed").default in refused["html"]
        assert newcomer.press("start", proof=solve(refused["puzzle"]))["outcome"] == "shown"
        assert newcomer.sit("vote")["token"]


def test_a_proof_lets_one_in_once_and_no_made_up_one_does(rig: ServiceRig) -> None:
    rig.service.limits = RateLimits(Rates(new_guests=Rate(at_once=1, a_minute=0.001)))
    controller = bench_over(rig)
    Guest(controller).press("start")
    puzzle = Guest(controller).press("start")["puzzle"]
    good = solve(puzzle)
    easier = solve(f"01{puzzle[2:]}")
    wrong = [easier, {**good, "answer": "-1"}, {**good, "answer": 7}, {"puzzle": puzzle}, puzzle, [good], {}, 7, ""]

    assert {code for proof in wrong for code in guests(controller, 1, proof=proof)} == {"proof_needed"}
    assert guests(controller, 3, proof=good) == ["shown", "proof_needed", "proof_needed"]

    late = solve(Guest(controller).press("start")["puzzle"])
    rig.clock.pass_by(PUZZLE_SECONDS + 1)
    assert guests(controller, 1, proof=late) == ["proof_needed"]


def test_a_proof_is_harder_the_more_come_with_one(rig: ServiceRig) -> None:
    limits = rig.service.limits = RateLimits(Rates(new_guests=Rate(1, 0.001), proved=Rate(10, 0.001)))
    controller = bench_over(rig)
    Guest(controller).press("start")

    asks = []
    for _ in range(11):
        asks.append(int(Guest(controller).press("start")["puzzle"][:2]))
        with suppress(RefusedError):
            limits.admit(None, proved=True)

    assert asks == sorted(asks)
    assert (asks[0], asks[-1]) == (MIN_PUZZLE_BITS, MAX_PUZZLE_BITS)
    assert guests(controller, 1, proof=solve(bench_puzzle(controller))) == ["too_fast"]


def bench_puzzle(controller: AnnotationController) -> str:
    return str(Guest(controller).press("start")["puzzle"])


def test_earlier_annotators_have_a_limit_of_their_own_beside_that_of_new_guests(rig: ServiceRig) -> None:
    controller = bench_over(rig)
    known = Guest(controller, address="9.9.9.9")
    known.sit("vote")
    known.give("vote", VOTE)

    # The app starts again, and a flood of newcomers takes all that they have.
    rig.service.limits = RateLimits(Rates(new_guests=FEW, new_guests_of_address=FEW, together=FEW))
    assert guests(controller, 40, address="9.9.9.9").count("shown") <= FEW.at_once
    assert guests(controller, 40).count("shown") <= FEW.at_once

    assert known.press("start")["outcome"] == "shown"
    for _ in range(40):
        assert known.press("start")["outcome"] == "shown"


def test_one_address_takes_a_part_of_the_room_alone(rig: ServiceRig) -> None:
    rig.service.limits = RateLimits(Rates(one_address=FEW, new_guests_of_address=FEW))
    controller = bench_over(rig)

    loud = [Guest(controller, address="9.9.9.9") for _ in range(2)]
    codes = [guest.press("start").get("code") for _ in range(20) for guest in loud]
    nameless = bench_over(rig, IdentitySettings(KEY))
    codes += [Guest(nameless, address="9.9.9.9").press("start").get("code")]

    assert codes.count("too_fast") == 21
    assert Guest(controller, address="8.8.8.8").press("start")["outcome"] == "shown"
    assert Guest(nameless, address="8.8.8.8").press("start")["outcome"] == "shown"


def test_the_owner_at_the_machine_is_no_new_guest(rig: ServiceRig) -> None:
    none = Rate(at_once=0, a_minute=1)
    rig.service.limits = RateLimits(Rates(new_guests=none, together=none))
    controller = bench_over(rig, IdentitySettings(KEY, allow_guests=True, guests_are_owners=True))

    owner = Guest(controller, address="127.0.0.1", is_here=True)
    assert owner.press("download", form="json")["outcome"] == "part"
    assert Guest(controller, address="127.0.0.1").press("start")["code"] == "proof_needed"


def told_away(reply: dict[str, Any]) -> bool:
    sentence = text("refused.store_away").default
    return (reply["outcome"], reply.get("code")) == ("refused", "store_away") and sentence in reply["html"]


def test_a_store_that_is_closed_is_one_sentence_and_no_fault(rig: ServiceRig) -> None:
    guest = Guest(bench_over(rig))
    guest.sit("vote")
    rig.store.close()

    assert told_away(guest.give("vote", VOTE))


def test_a_database_that_goes_away_is_one_sentence_until_it_is_back(
    postgresql: str, make_rig: MakeRig, caplog: pytest.LogCaptureFixture
) -> None:
    rig = make_rig([item(1)], postgresql)
    guest = Guest(bench_over(rig))
    token = guest.sit("vote")["token"]
    name = postgresql.partition("@/")[2].partition("?")[0]

    with psycopg.connect(postgresql.replace(f"@/{name}?", "@/postgres?"), autocommit=True) as server:
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        assert told_away(guest.press("give", kind="vote", token=token, fields=VOTE))
        assert told_away(guest.press("start"))
        assert "FMP_DATABASE_URL" in caplog.text
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

    assert guest.press("give", kind="vote", token=token, fields=VOTE)["kept"]
    assert len(rig.store.live(kind="vote")) == 1


@pytest.mark.parametrize("kind", ["vote", "write", "verify", "translate", "find", "real_pair"])
def test_every_task_form_says_that_nothing_can_be_saved(kind: str, rig: ServiceRig) -> None:
    rig.service.ports = Ports(broken_rules, Photographs(lambda *_: pytest.fail("nothing was given"), lambda _: b""))
    guest = Guest(bench_over(rig))
    guest.sit(kind, language="hi")
    notice = interface_texts()["en"]["annotate.read_only"]
    assert notice not in guest.sit(kind, language="hi")["html"]

    rig.store.read_only = RefusedError("import_running")

    assert notice in guest.sit(kind, language="hi")["html"]
