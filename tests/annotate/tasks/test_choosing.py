"""Tasks that a person chooses: how many one may hold, and that one is had by its token however late."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.errors import RefusedError
from annotate.records.api import Task
from annotate.tasks.scheduler import CLAIM_SECONDS
from annotate.tasks.service import MOST_CHOSEN
from tests.annotate.asking import CollectionRig, campaign_json, collect, item, picture

PAIRS = 6


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[CollectionRig]:
    """Pairs to re-enact, each by one person."""
    made = collect(tmp_path, campaign_json([item(number) for number in range(PAIRS)], kinds=["real_pair"]))
    yield made
    made.store.close()


def choose(rig: CollectionRig, name: str) -> Task:
    """What is offered first."""
    person = rig.person(name)
    offer = rig.collection.offers(person, "real_pair", "en")[0]
    return rig.collection.choose(person, "real_pair", "en", offer.id)


def answer(rig: CollectionRig, name: str, token: str) -> None:
    pair_fields = {"current": picture(1, 2, 3), "target": picture(3, 2, 1), "text": "Raise it."}
    rig.collection.give(rig.person(name), token, pair_fields)


def offered(rig: CollectionRig, name: str) -> int:
    return len(rig.collection.offers(rig.person(name), "real_pair", "en"))


def test_whoever_chooses_again_and_again_leaves_the_others_their_pairs(rig: CollectionRig) -> None:
    chosen = [choose(rig, "ann") for _ in range(PAIRS)]

    assert offered(rig, "ben") == PAIRS - MOST_CHOSEN
    for kept in chosen[-MOST_CHOSEN:]:
        answer(rig, "ann", kept.token)
    with pytest.raises(RefusedError) as refused:
        answer(rig, "ann", chosen[0].token)
    assert refused.value.code == "task_unknown"


def test_an_answer_that_was_taken_back_is_not_put_back_for_what_is_chosen_after_it(rig: CollectionRig) -> None:
    person, first = rig.person("ann"), choose(rig, "ann")
    answer(rig, "ann", first.token)
    undone = rig.collection.undo(person, "real_pair", "en", first.token)
    assert undone is not None

    for _ in range(MOST_CHOSEN + 1):
        choose(rig, "ann")

    again = rig.collection.begun(person, "real_pair", "en", undone.token)
    assert again is not None
    assert again.answer == {"text": "Raise it."}


def test_a_chosen_pair_is_had_by_its_token_however_late_and_held_anew(rig: CollectionRig) -> None:
    person, chosen = rig.person("ann"), choose(rig, "ann")
    rig.clock.pass_by(CLAIM_SECONDS + 1)
    assert rig.collection.begun(person, "real_pair", "en") is None

    assert rig.collection.begun(person, "real_pair", "en", chosen.token) == chosen

    rig.clock.pass_by(CLAIM_SECONDS - 1)
    assert rig.collection.begun(person, "real_pair", "en") == chosen
    assert offered(rig, "ben") == PAIRS - 1


def test_each_of_two_chosen_pairs_is_had_by_its_token_and_by_nobody_else(rig: CollectionRig) -> None:
    first, second = choose(rig, "ann"), choose(rig, "ann")
    person = rig.person("ann")

    assert rig.collection.begun(person, "real_pair", "en") == second
    for chosen in (first, second):
        assert rig.collection.begun(person, "real_pair", "en", chosen.token) == chosen
        assert rig.collection.begun(person, "real_pair", "hi", chosen.token) is None
        assert rig.collection.begun(rig.person("ben"), "real_pair", "en", chosen.token) is None
