"""Progress counts what will really be offered, is not made smaller by other work, and comes to its end."""

from __future__ import annotations

import random
from typing import Any

import pytest

from annotate.kinds.task_kind import Kind, Progress
from tests.annotate.asking import (
    LONG,
    MODELS,
    SENTENCES,
    MakeRig,
    ServiceRig,
    gold,
    item,
    item_to_find,
    text,
)
from tests.nonempty import nonempty

ANSWERS: dict[Kind, dict[str, Any]] = {
    "vote": {"relevant": 0, "fluent": None},
    "find": {"place": 0},
    "write": {"text": LONG},
}


def both(number: int) -> dict[str, Any]:
    """Give a pair that is voted on, described and to be found."""
    to_find = item_to_find(number)
    votes = [text(model, "en", words, "vote") for model, words in zip(MODELS, SENTENCES, strict=True)]
    return {**to_find, "to_describe": True, "texts": [*to_find["texts"], *votes]}


@pytest.fixture
def rig(make_rig: MakeRig) -> ServiceRig:
    """Two pairs to find alone, two of which everything is asked, three that are never to be found, and a gold vote."""
    items = [*map(item_to_find, (4, 12)), *map(both, (20, 28)), *map(item, range(3)), gold(36)]
    return make_rig(items, voices={"vote": 5, "find": 5, "write": 5})


def work(rig: ServiceRig, kind: Kind, most: int = 100, *, spares: bool = True) -> list[int]:
    """Do what is offered, and give what was left before each and after the last."""
    person = rig.person("ann")

    def left() -> int:
        told_now = rig.service.progress(person, kind, "en")
        return told_now.left - (told_now.kept_back if spares else 0)

    numbers_left = [left()]
    while len(numbers_left) <= most and (task := rig.service.next_task(person, kind, "en", spares=spares)) is not None:
        rig.service.give(person, task.token, ANSWERS[kind])
        numbers_left.append(left())
    return numbers_left


@pytest.mark.parametrize("kind", sorted(ANSWERS))
def test_as_many_tasks_come_as_were_counted_at_the_start(rig: ServiceRig, kind: Kind) -> None:
    left = work(rig, kind, spares=False)

    assert len(left) > 1
    assert left == list(range(len(left) - 1, -1, -1))


def test_a_target_counts_once_whichever_of_its_three_ways_it_is_asked_in(rig: ServiceRig) -> None:
    assert rig.service.progress(rig.person("ann"), "find", "en") == Progress(given=0, left=4)


@pytest.mark.parametrize("kind", ["vote", "write"])
def test_what_is_left_to_find_is_not_made_less_by_other_work(rig: ServiceRig, kind: Kind) -> None:
    person = rig.person("ann")

    done = work(rig, kind)

    assert done[-1] == 0
    assert rig.service.progress(person, "find", "en").left == 4
    assert rig.service.progress(person, kind, "en").kept_back in {2, 3}  # a gold vote may come between


def test_pairs_kept_back_come_as_soon_as_they_were_found(rig: ServiceRig) -> None:
    person = rig.person("ann")
    work(rig, "vote")
    before = rig.service.progress(person, "vote", "en")

    work(rig, "find")

    after = rig.service.progress(person, "vote", "en")
    assert before.kept_back >= 2
    assert after.kept_back == 0
    assert work(rig, "vote")[0] == before.left


def test_a_target_of_a_claimed_task_is_not_given_away_by_other_work(rig: ServiceRig) -> None:
    person = rig.person("ann")
    work(rig, "find", most=3)
    assert rig.service.next_task(person, "find", "en") is not None

    work(rig, "vote")

    assert rig.service.progress(person, "find", "en").left == 1


def test_a_person_who_wants_them_all_the_same_gets_the_pairs_that_were_kept_back(rig: ServiceRig) -> None:
    person = rig.person("ann")
    work(rig, "vote")

    assert rig.service.next_task(person, "vote", "en", spares=True) is None
    work(rig, "vote", spares=False)

    assert rig.service.progress(person, "vote", "en").left == 0
    assert rig.service.progress(person, "find", "en").left == 2


def test_what_a_press_asks_once_is_told_as_if_it_were_asked_again(rig: ServiceRig) -> None:
    service, chance = rig.service, random.Random(3)

    def told_of(progress: Progress, *, spares: bool) -> tuple[int, int]:
        return progress.given, progress.left - (progress.kept_back if spares else 0)

    told_and_asked: list[tuple[object, object]] = []
    for _ in range(150):
        person, kind, spares = rig.person(chance.choice("ab")), chance.choice(sorted(ANSWERS)), chance.random() < 0.6
        tasks = service.task_filter(person, kind, "en")
        task = service.next_task(person, kind, "en", spares=spares, tasks=tasks)
        told_now = service.progress(person, kind, "en", tasks)
        assert told_of(told_now, spares=spares) == told_of(service.progress(person, kind, "en"), spares=spares)
        if task is not None:
            tasks = service.task_filter(person, kind, "en")
            receipt = service.give(person, task.token, ANSWERS[kind], tasks=tasks)
            told_and_asked.append((receipt.progress, service.progress(person, kind, "en")))
            then = service.next_task(person, kind, "en", spares=spares, tasks=tasks)
            told_and_asked.append((then, service.next_task(person, kind, "en", spares=spares)))
    for told, asked in nonempty(told_and_asked):
        assert told == asked
    assert service.progress(rig.person("a"), "find", "en").given > 0
