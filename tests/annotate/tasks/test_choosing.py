"""Tasks that a person chooses: how many one may hold, and that one is had by its token however late."""

from __future__ import annotations

import pytest

from annotate.errors import RefusedError
from annotate.kinds.task_kind import Task
from annotate.tasks.scheduler import CLAIM_SECONDS
from annotate.tasks.service import MAX_CHOSEN_TASKS
from tests.annotate.asking import MakeRig, ServiceRig, item, picture

PAIRS = 6


@pytest.fixture
def rig(make_rig: MakeRig) -> ServiceRig:
    """Pairs to re-enact, each by one person."""
    return make_rig([item(number) for number in range(PAIRS)], kinds=["real_pair"])


def choose(rig: ServiceRig, name: str) -> Task:
    """Return the task that is offered first."""
    person = rig.person(name)
    offer = rig.service.offers(person, "real_pair", "en")[0]
    return rig.service.choose(person, "real_pair", "en", offer.id)


def answer(rig: ServiceRig, name: str, token: str) -> None:
    pair_fields = {"current": picture(1, 2, 3), "target": picture(3, 2, 1), "text": "Raise it."}
    rig.service.give(rig.person(name), token, pair_fields)


def offered(rig: ServiceRig, name: str) -> int:
    return len(rig.service.offers(rig.person(name), "real_pair", "en"))


def test_a_person_who_chooses_again_and_again_leaves_the_others_their_pairs(rig: ServiceRig) -> None:
    chosen = [choose(rig, "ann") for _ in range(PAIRS)]

    assert offered(rig, "ben") == PAIRS - MAX_CHOSEN_TASKS
    for kept in chosen[-MAX_CHOSEN_TASKS:]:
        answer(rig, "ann", kept.token)
    with pytest.raises(RefusedError) as refused:
        answer(rig, "ann", chosen[0].token)
    assert refused.value.code == "task_unknown"


def test_an_answer_that_was_taken_back_is_not_put_back_for_what_is_chosen_after_it(rig: ServiceRig) -> None:
    person, first = rig.person("ann"), choose(rig, "ann")
    answer(rig, "ann", first.token)
    undone = rig.service.undo(person, "real_pair", "en", first.token)
    assert undone is not None

    for _ in range(MAX_CHOSEN_TASKS + 1):
        choose(rig, "ann")

    again = rig.service.begun(person, "real_pair", "en", undone.token)
    assert again is not None
    assert again.answer == {"text": "Raise it."}


def test_a_chosen_pair_is_had_by_its_token_however_late_and_held_anew(rig: ServiceRig) -> None:
    person, chosen = rig.person("ann"), choose(rig, "ann")
    rig.clock.pass_by(CLAIM_SECONDS + 1)
    assert rig.service.begun(person, "real_pair", "en") is None

    assert rig.service.begun(person, "real_pair", "en", chosen.token) == chosen

    rig.clock.pass_by(CLAIM_SECONDS - 1)
    assert rig.service.begun(person, "real_pair", "en") == chosen
    assert offered(rig, "ben") == PAIRS - 1


def test_each_of_two_chosen_pairs_is_had_by_its_token_and_by_nobody_else(rig: ServiceRig) -> None:
    first, second = choose(rig, "ann"), choose(rig, "ann")
    person = rig.person("ann")

    assert rig.service.begun(person, "real_pair", "en") == second
    for chosen in (first, second):
        assert rig.service.begun(person, "real_pair", "en", chosen.token) == chosen
        assert rig.service.begun(person, "real_pair", "hi", chosen.token) is None
        assert rig.service.begun(rig.person("ben"), "real_pair", "en", chosen.token) is None
