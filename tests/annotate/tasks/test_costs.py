"""What one press reads of the store does not grow with what everybody gave before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from annotate.identity import IdentitySettings
from annotate.kinds.verify import Rating
from annotate.kinds.vote import Vote
from annotate.kinds.write import Description
from annotate.ports import Photographs, Ports
from annotate.publishing.publisher import FolderDestination, Publisher
from annotate.records import Event, Payload, new_event
from annotate.storage import queries
from annotate.storage.database import reading
from annotate.storage.event_rows import insert_event
from annotate.storage.queries import ClaimScope, Wanted, take
from annotate.storage.store import Store
from annotate.tabs.controller import AnnotationController
from annotate.tabs.pages import cards
from annotate.tasks.policy import TaskScope
from demo.tabs.annotate import page_services
from fmp_models.data.statistics import broken_rules
from tests.annotate.asking import (
    HINDI,
    KEY,
    LONG,
    MODELS,
    MakeRig,
    ServiceRig,
    campaign_json,
    collect,
    item,
    item_to_find,
)
from tests.annotate.counting import counted, statements_to
from tests.annotate.databases import on_databases
from tests.nonempty import nonempty
from tests.thoroughness import one_of, thorough

ITEMS = range(1, 29)


def campaign_of(folder: Path) -> ServiceRig:
    voices = {"vote": 100, "verify": 100, "write": 100}
    return collect(folder, campaign_json([item(number) for number in ITEMS], voices=voices))


def answer_event(payload: Payload, number: int, who: str) -> Event:
    return new_event(payload, annotator=who, campaign="small", item=f"{number}_0_0_0_0", language="en")


def put(rig: ServiceRig, events: list[Event]) -> None:
    rig.store.write(lambda on: [insert_event(on, event, live=True) for event in events])


def answered_by(rig: ServiceRig, people: int) -> None:
    """Everybody votes on every item, and rates the text that somebody wrote about it."""
    texts = [answer_event(Description(LONG, words=30), number, "writer") for number in ITEMS]
    put(rig, texts)
    for who in map(str, range(people)):
        put(rig, [answer_event(Vote(MODELS[:1], MODELS[:1], MODELS), number, who) for number in ITEMS])
        put(rig, [answer_event(Rating(text.id, 4), number, who) for number, text in zip(ITEMS, texts, strict=True)])


def presses(rig: ServiceRig) -> dict[str, Callable[[], object]]:
    service, ann = rig.service, rig.person("ann")

    def give(kind: object, answer: dict[str, object]) -> object:
        task = service.next_task(ann, kind, "en")
        assert task is not None
        return service.give(ann, task.token, answer)

    return {
        "vote": lambda: give("vote", {"relevant": 0, "fluent": None}),
        "verify": lambda: give("verify", {"score": 3, "flags": [], "comment": ""}),
        "translate": lambda: service.next_task(ann, "translate", "hi"),
        "progress": lambda: service.progress(ann, "verify", "en"),
        "start": lambda: cards(service, ann, "en"),
    }


@pytest.mark.parametrize("press", one_of(["vote", "verify", "translate", "progress", "start"]))
def test_a_press_reads_as_much_after_5000_answers_as_after_100(press: str, tmp_path: Path) -> None:
    read = {}
    for people in (2, 90):
        rig = campaign_of(tmp_path / str(people))
        answered_by(rig, people)
        do = presses(rig)[press]
        do()  # what was written is read once
        with counted(rig.store) as counts:
            do()
        read[people] = counts.rows
        rig.store.close()
    assert read[90] == read[2] > 0


def test_a_claim_on_a_text_that_was_taken_back_lets_nobody_read_all_texts_again(tmp_path: Path) -> None:
    read = {}
    for writers in (2, 50):
        rig = campaign_of(tmp_path / str(writers))
        service, ann, ben = rig.service, rig.person("ann"), rig.person("ben")
        task = service.next_task(ben, "write", "en")
        assert task is not None
        service.give(ben, task.token, {"text": LONG, "flags": []})
        for who in map(str, range(writers)):
            put(rig, [answer_event(Description(LONG, words=30), number, who) for number in ITEMS])
        ann_asks = TaskScope(ann.pseudonym, "verify", "en")
        texts = service.scheduler.asks("verify", "en").open
        for text in nonempty(text for text in texts if text.author == ben.pseudonym):
            assert service.scheduler.take_one(ann_asks, text) is not None
        service.undo(ben, "write", "en", task.token)
        service.next_task(ann, "verify", "en")
        with counted(rig.store) as counts:
            service.next_task(ann, "verify", "en")
        read[writers] = counts.rows
        rig.store.close()
    assert read[50] == read[2] > 0


def test_a_store_that_was_made_before_an_index_gets_it_when_it_is_opened(
    where: str | Path, open_here: Callable[..., object]
) -> None:
    first = open_here(where)
    first.write(lambda on: [on.exec_driver_sql(f"DROP INDEX {name}") for name in NEW])
    first.close()
    with reading(open_here(where).engine) as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'index'"
        if connection.dialect.name == "postgresql":
            query = "SELECT indexname FROM pg_indexes WHERE tablename = 'events'"
        assert {*connection.exec_driver_sql(query).scalars()} >= set(NEW)


NEW = ("events_standing", "events_by_superseded")


def rows_touched(plan: dict[str, Any]) -> float:
    """Give how many rows a PostgreSQL plan and all below it read, kept or dropped."""
    names = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter")
    own = plan["Actual Loops"] * sum(plan.get(name, 0) for name in names)
    return own + sum(rows_touched(below) for below in plan.get("Plans", []))


@thorough
def test_a_new_postgresql_database_does_not_compare_every_claim_with_every_answer(
    postgresql: str, open_here: Callable[..., Store]
) -> None:
    store, many = open_here(postgresql), 600
    for table in ("events", "claims"):  # as in the first minute, before the server has looked at them
        store.write(lambda on, table=table: on.exec_driver_sql(f"ALTER TABLE {table} SET (autovacuum_enabled = off)"))
    answers = [answer_event(Vote(MODELS[:1], MODELS[:1], MODELS), number, f"giver{number}") for number in range(many)]
    store.write(lambda on: [insert_event(on, event, live=True) for event in answers])

    def hold(on: Connection) -> None:
        for number in range(many):
            asking = ClaimScope("small", "vote", "en", f"holder{number}")
            assert take(on, asking, [Wanted(f"{number}_0_0_0_0", voices=2)], now=0.0, seconds=60.0) is not None

    store.write(hold)
    about = {"campaign": "small", "kind0": "vote", "language0": "en", "annotator": "ann", "now": 1.0}
    asked = queries._statement(1).params(**about).compile(store.engine, compile_kwargs={"literal_binds": True})
    with reading(store.engine) as connection:
        (told_by,) = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {asked}").scalar_one()
    assert many < rows_touched(told_by["Plan"]) < 20 * many


def test_an_answer_and_the_task_fetched_ahead_ask_the_store_few_questions(make_rig: MakeRig, tmp_path: Path) -> None:
    rig = make_rig([item(number) for number in ITEMS], kinds=["verify"], voices={"verify": 100})
    rig.service.scheduler.stale_seconds = 60
    publisher = Publisher(rig.store, FolderDestination(tmp_path / "published"))
    controller = AnnotationController(rig.service, IdentitySettings(KEY), page_services(), publisher.state)

    def press(action: str, **more: object) -> tuple[dict[str, Any], int]:
        with counted(rig.store) as counts:
            shown = controller.answer({"action": action, "kind": "verify", "language": "en", **more}, "ann")
        return shown, sum(not statement.startswith("BEGIN") for statement in counts.statements)

    shown, _ = press("sit")
    shown, _ = press("give", token=shown["token"], fields={"score": "3"})
    for _ in range(2):
        ahead, for_ahead = press("ahead", token=shown["token"])
        shown, for_answer = press("give", token=shown["token"], fields={"score": "3"}, ahead=ahead["token"])
        assert (ahead["outcome"], shown["outcome"], shown["kept"]) == ("ahead", "fetched", True)
        # How far one is, and what an undo takes back, is told with the thanks and asked for once.
        assert (for_ahead, for_answer) == (9, 10)


FIELDS: dict[str, dict[str, str]] = {
    "write": {"text": LONG},
    "verify": {"score": "3"},
    "translate": {"text": HINDI},
    "vote": {"relevant": "0", "fluent": "1"},
    "find": {"place": "0"},
    "real_pair": {},
}


def asked_in_every_way(number: int) -> dict[str, Any]:
    """Give a pair whose target is to be found, and which other work would give away."""
    to_find = item_to_find(number)
    return {**to_find, "to_describe": True, "texts": [*item(number)["texts"], *to_find["texts"]]}


@pytest.mark.parametrize(("where", "kind"), on_databases(FIELDS), indirect=["where"])
def test_a_press_asks_once_what_is_still_to_be_had(
    kind: str, make_rig: MakeRig, tmp_path: Path, where: str | Path
) -> None:
    items = [*map(item, range(12)), *map(asked_in_every_way, range(12, 24))]
    rig = make_rig(items, where, voices=dict.fromkeys(FIELDS, 100))
    rig.service.scheduler.stale_seconds = 60
    rig.service.ports = Ports(broken_rules, Photographs(lambda *_: pytest.fail("no photograph is given"), Path))
    publisher = Publisher(rig.store, FolderDestination(tmp_path / "published"))
    controller = AnnotationController(rig.service, IdentitySettings(KEY), page_services(), publisher.state)
    language = "hi" if kind == "translate" else "en"

    def press(action: str, outcome: str, most: int, **more: object) -> dict[str, Any]:
        with statements_to(rig.store) as statements:
            shown = controller.answer({"action": action, "kind": kind, "language": language, **more}, "ann")
        assert shown["outcome"] == outcome, shown
        asking = [statement for statement in statements if "UNION ALL" in statement]
        assert (action, len(asking)) == (action, 1)
        assert len(statements) <= most, (action, len(statements))
        return shown

    rig.service.progress(rig.person("ben"), "find", "en")  # what was written is read once
    shown = press("sit", "shown", 20)
    if kind != "real_pair":  # of which photographs are given
        shown = press("sit", "shown", 7)
        shown = press("give", "shown", 22, token=shown["token"], fields=FIELDS[kind])
        ahead = press("ahead", "ahead", 12, token=shown["token"])
        shown = press("give", "fetched", 16, token=shown["token"], fields=FIELDS[kind], ahead=ahead["token"])
        press("skip", "shown", 19, token=shown["token"], reason="unclear")
