"""Somebody who presses many times at once, in one process or in two that share a store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from annotate.identity import Annotator
from tests.annotate.asking import MakeRig, ServiceRig, campaign_json, collect, item

PRESSES = 24


def at_once(ask: Callable[[int], str]) -> set[str]:
    """Give what as many presses at one moment are told."""
    ready = threading.Barrier(PRESSES)

    def press(number: int) -> str:
        ready.wait(30)
        return ask(number)

    with ThreadPoolExecutor(PRESSES) as pool:
        return set(pool.map(press, range(PRESSES), timeout=120))


def test_a_person_who_presses_many_times_at_once_holds_one_task_and_one_ahead(
    tmp_path: Path, where: str | Path
) -> None:
    campaign = campaign_json([item(number) for number in range(1, 31)])
    apps = [collect(tmp_path / name, campaign, where) for name in ("one", "other")]
    ann = apps[0].person("ann")
    begun = apps[0].service.next_task(ann, "vote", "en")
    assert begun is not None
    apps[0].service.give(ann, begun.token, {"relevant": 0, "fluent": None})  # who gave nothing holds one alone

    def next_of(rig: ServiceRig, after: str | None = None) -> str:
        task = rig.service.next_task(ann, "vote", "en", after=after)
        assert task is not None
        return task.token

    (first,) = at_once(lambda number: next_of(apps[number % 2]))
    (ahead,) = at_once(lambda number: next_of(apps[number % 2], first))
    mixed = at_once(lambda number: next_of(apps[number % 2], (None, first, ahead, "f" * 32)[number % 4]))

    assert first != ahead
    assert mixed == {first, ahead}
    assert held_by(apps[0], ann) == {first, ahead}
    assert held_by(apps[0], apps[0].person("ben")) == set()
    for rig in apps:
        rig.store.close()


def test_what_somebody_holds_of_other_work_is_apart(make_rig: MakeRig, where: str | Path) -> None:
    rig = make_rig([item(number) for number in range(1, 5)], where)
    ann = rig.person("ann")

    for kind in ("vote", "verify", "write"):
        for _ in range(2):
            assert rig.service.next_task(ann, kind, "en") is not None

    assert len(held_by(rig, ann)) == 3


def held_by(rig: ServiceRig, annotator: Annotator) -> set[str]:
    return {claim.token for claim in rig.store.claims_of(annotator.pseudonym)}
