"""Tasks that a person chooses: how many one may hold, and that one is had by its token however late."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.errors import RefusedError
from annotate.records.api import Task
from annotate.tasks.scheduler import CLAIM_SECONDS
from annotate.tasks.service import MOST_CHOSEN
from tests.annotate.asking import Asked, campaign_json, collect, item, picture

PAIRS = 6


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    """Pairs to re-enact, each by one person."""
    made = collect(tmp_path, campaign_json([item(number) for number in range(PAIRS)], kinds=["real_pair"]))
    yield made
    made.store.close()


def choose(asked: Asked, name: str) -> Task:
    """What is offered first."""
    person = asked.person(name)
    offer = asked.collection.offers(person, "real_pair", "en")[0]
    return asked.collection.choose(person, "real_pair", "en", offer.id)


def answer(asked: Asked, name: str, token: str) -> None:
    pair_fields = {"current": picture(1, 2, 3), "target": picture(3, 2, 1), "text": "Raise it."}
    asked.collection.give(asked.person(name), token, pair_fields)


def offered(asked: Asked, name: str) -> int:
    return len(asked.collection.offers(asked.person(name), "real_pair", "en"))


def test_whoever_chooses_again_and_again_leaves_the_others_their_pairs(asked: Asked) -> None:
    chosen = [choose(asked, "ann") for _ in range(PAIRS)]

    assert offered(asked, "ben") == PAIRS - MOST_CHOSEN
    for kept in chosen[-MOST_CHOSEN:]:
        answer(asked, "ann", kept.token)
    with pytest.raises(RefusedError) as refused:
        answer(asked, "ann", chosen[0].token)
    assert refused.value.code == "task_unknown"


def test_an_answer_that_was_taken_back_is_not_put_back_for_what_is_chosen_after_it(asked: Asked) -> None:
    person, first = asked.person("ann"), choose(asked, "ann")
    answer(asked, "ann", first.token)
    undone = asked.collection.undo(person, "real_pair", "en", first.token)
    assert undone is not None

    for _ in range(MOST_CHOSEN + 1):
        choose(asked, "ann")

    again = asked.collection.begun(person, "real_pair", "en", undone.token)
    assert again is not None
    assert again.answer == {"text": "Raise it."}


def test_a_chosen_pair_is_had_by_its_token_however_late_and_held_anew(asked: Asked) -> None:
    person, chosen = asked.person("ann"), choose(asked, "ann")
    asked.clock.pass_by(CLAIM_SECONDS + 1)
    assert asked.collection.begun(person, "real_pair", "en") is None

    assert asked.collection.begun(person, "real_pair", "en", chosen.token) == chosen

    asked.clock.pass_by(CLAIM_SECONDS - 1)
    assert asked.collection.begun(person, "real_pair", "en") == chosen
    assert offered(asked, "ben") == PAIRS - 1


def test_each_of_two_chosen_pairs_is_had_by_its_token_and_by_nobody_else(asked: Asked) -> None:
    first, second = choose(asked, "ann"), choose(asked, "ann")
    person = asked.person("ann")

    assert asked.collection.begun(person, "real_pair", "en") == second
    for chosen in (first, second):
        assert asked.collection.begun(person, "real_pair", "en", chosen.token) == chosen
        assert asked.collection.begun(person, "real_pair", "hi", chosen.token) is None
        assert asked.collection.begun(asked.person("ben"), "real_pair", "en", chosen.token) is None
