"""What a page is told while the app cannot do as asked: too much was asked, or the answers cannot be reached."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import psycopg
import pytest

from annotate.errors import RefusedError
from annotate.identity import IdentitySettings
from annotate.ports import Photographs, Ports
from annotate.rates import Limits, Rate
from annotate.tabs.start_page import TERMS
from annotate.tabs.workbench import Workbench
from demo.annotate_tab import surface
from demo.interface_texts import interface_texts, text
from fmp_models.data.writing_rules import broken_rules
from tests.annotate.asking import KEY, Asked, collect, item, told
from tests.annotate.tabs.test_workbench import IDENTITY, Guest

VOTE: dict[str, object] = {"relevant": "0", "fluent": "1"}
FEW = Rate(at_once=20, a_minute=1)


def bench_over(asked: Asked, identity: IdentitySettings = IDENTITY) -> Workbench:
    asked.collection.consents = dict.fromkeys(asked.collection.campaign.kinds, TERMS)
    return Workbench(asked.collection, identity, surface(), cast("Any", None))


def small(folder: Path, where: str | None = None) -> Asked:
    return collect(folder, told([item(number) for number in range(1, 4)]), where)


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
def test_whoever_asks_for_too_much_waits_and_nobody_else_does(
    action: str, more: dict[str, object], tmp_path: Path
) -> None:
    asked = small(tmp_path)
    asked.collection.limits = Limits(person=FEW)
    bench = bench_over(asked)
    hasty, other = Guest(bench), Guest(bench)
    hasty.press("start")
    other.press("start")

    assert 0 < refusals(hasty, 100, action, **more) < 100

    assert other.press("start")["outcome"] == "shown"
    assert other.sit("vote")["token"]
    asked.store.close()


def test_who_has_not_logged_in_meets_a_bound_and_who_has_does_not(tmp_path: Path) -> None:
    asked = small(tmp_path)
    asked.collection.limits = Limits(together=FEW)
    bench = bench_over(asked, IdentitySettings(KEY))

    assert refusals(Guest(bench), 100, "start") == 80
    assert Guest(bench, "Ada").sit("vote")["token"]
    asked.store.close()


def test_a_new_name_for_every_press_gains_nothing_and_takes_nothing_from_others(tmp_path: Path) -> None:
    asked = small(tmp_path)
    asked.collection.limits = Limits(newcomers=FEW, together=Rate(at_once=40, a_minute=1))
    bench = bench_over(asked)
    known = Guest(bench)
    known.press("start")

    assert sum(Guest(bench).press("start").get("code") == "too_fast" for _ in range(100)) == 81
    assert known.sit("vote")["token"]
    asked.store.close()


def told_away(shown: dict[str, Any]) -> bool:
    sentence = text("refused.store_away").default
    return (shown["outcome"], shown.get("code")) == ("refused", "store_away") and sentence in shown["html"]


def test_a_store_that_is_closed_is_one_sentence_and_no_fault(tmp_path: Path) -> None:
    asked = small(tmp_path)
    guest = Guest(bench_over(asked))
    guest.sit("vote")
    asked.store.close()

    assert told_away(guest.give("vote", VOTE))


def test_a_database_that_goes_away_is_one_sentence_until_it_is_back(
    postgresql: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked = small(tmp_path, postgresql)
    guest = Guest(bench_over(asked))
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
    assert len(asked.store.live(kind="vote")) == 1
    asked.store.close()


@pytest.mark.parametrize("kind", ["vote", "write", "verify", "translate", "find", "real_pair"])
def test_every_desk_says_that_nothing_can_be_saved(kind: str, tmp_path: Path) -> None:
    asked = small(tmp_path)
    asked.collection.ports = Ports(
        broken_rules, Photographs(lambda *_: pytest.fail("nothing was given"), lambda _: b"")
    )
    guest = Guest(bench_over(asked))
    guest.sit(kind, language="hi")
    said = interface_texts()["en"]["annotate.read_only"]
    assert said not in guest.sit(kind, language="hi")["html"]

    asked.store.read_only = RefusedError("import_running")

    assert said in guest.sit(kind, language="hi")["html"]
    asked.store.close()
