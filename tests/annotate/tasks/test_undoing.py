from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from annotate.errors import RefusedError
from annotate.kinds.task_kind import Kind, Task
from annotate.records import Decision, Flag, Withdrawal
from annotate.storage.queries import IDLE_BELOW_SECONDS
from annotate.tasks.scheduler import CLAIM_SECONDS
from annotate.tasks.service import decide
from tests.annotate.asking import MakeRig, ServiceRig, item, item_to_find, picture, text

VOTE = {"relevant": 2, "fluent": None}


@pytest.fixture
def rig(make_rig: MakeRig) -> ServiceRig:
    """Five pairs with texts of three models, and two targets to find."""
    return make_rig([*(item(number) for number in range(5)), item_to_find(20), item_to_find(21)])


def task(rig: ServiceRig, name: str, kind: Kind = "vote") -> Task:
    assigned = rig.service.next_task(rig.person(name), kind, "en")
    assert assigned is not None
    return assigned


def answer(rig: ServiceRig, name: str, fields: dict[str, Any] = VOTE, kind: Kind = "vote") -> Task:
    """Give this answer to the next task, and return the task."""
    assigned = task(rig, name, kind)
    rig.service.give(rig.person(name), assigned.token, fields)
    rig.clock.pass_by(1)
    return assigned


def undo(rig: ServiceRig, name: str, event: str | None, kind: Kind = "vote") -> Task | None:
    assert event is not None
    return rig.service.undo(rig.person(name), kind, "en", event)


def test_the_task_comes_back_as_it_was_answered(rig: ServiceRig) -> None:
    assigned = answer(rig, "ann")

    again = undo(rig, "ann", assigned.token)

    assert again is not None
    assert (again.texts, again.current, again.answer) == (assigned.texts, assigned.current, VOTE)
    assert rig.store.live(kind="vote") == []
    rig.service.give(rig.person("ann"), again.token, {"relevant": 1, "fluent": 1})
    assert len(rig.store.live(kind="vote")) == 1


def test_an_undo_sent_again_takes_nothing_more_back(rig: ServiceRig) -> None:
    answer(rig, "ann")
    last = answer(rig, "ann").token

    first, again = undo(rig, "ann", last), undo(rig, "ann", last)

    assert first == again
    assert len(rig.store.live(kind="vote")) == 1
    assert len(rig.store.events(kind="withdrawal")) == 1


def test_an_undo_sent_again_by_many_threads_at_once_is_one(rig: ServiceRig) -> None:
    answer(rig, "ann")
    last = answer(rig, "ann").token
    told_of: list[object] = []

    def take_back() -> None:
        try:
            told_of.append(undo(rig, "ann", last))
        except RefusedError as error:
            told_of.append(error)

    threads = [threading.Thread(target=take_back) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert len(told_of) == 8
    assert not any(isinstance(one, RefusedError) for one in told_of)
    assert len(rig.store.events(kind="withdrawal")) == 1
    assert len(rig.store.live(kind="vote")) == 1


def test_an_undo_sent_again_after_a_new_answer_leaves_that_alone(rig: ServiceRig) -> None:
    last = answer(rig, "ann").token
    again = undo(rig, "ann", last)
    assert again is not None
    rig.service.give(rig.person("ann"), again.token, VOTE)

    assert undo(rig, "ann", last) is None
    assert [vote.id for vote in rig.store.live(kind="vote")] == [again.token]


def test_the_last_one_is_known_and_the_one_before_after_each_undo(rig: ServiceRig) -> None:
    shown = [answer(rig, "ann") for _ in range(3)]
    person, back = rig.person("ann"), []

    while (last := rig.service.last(person, "vote", "en")) is not None:
        back.append(undo(rig, "ann", last))

    assert [assigned and assigned.current for assigned in back] == [assigned.current for assigned in reversed(shown)]


def test_what_was_taken_back_comes_before_what_was_being_done(rig: ServiceRig) -> None:
    first = answer(rig, "ann")
    current = task(rig, "ann")
    person = rig.person("ann")
    ahead = rig.service.next_task(person, "vote", "en", after=current.token)
    again = undo(rig, "ann", first.token)
    assert again is not None

    assert task(rig, "ann") == again  # after a reload
    assert rig.service.next_task(person, "vote", "en", after=again.token) == current
    rig.service.give(person, again.token, VOTE)
    assert task(rig, "ann") == current
    rig.service.give(person, current.token, VOTE)
    assert task(rig, "ann") == ahead


@pytest.mark.parametrize("event", ["", "x", "0" * 32, None, 7])
def test_what_nobody_gave_is_not_taken_back(rig: ServiceRig, event: object) -> None:
    answer(rig, "ann")

    with pytest.raises(RefusedError, match="not assigned to you"):
        rig.service.undo(rig.person("ann"), "vote", "en", event)  # type: ignore[arg-type]


def test_nobody_undoes_an_answer_of_another_person_or_task_form(rig: ServiceRig) -> None:
    assigned = answer(rig, "ann")

    with pytest.raises(RefusedError, match="not assigned to you"):
        undo(rig, "ben", assigned.token)
    with pytest.raises(RefusedError, match="not assigned to you"):
        undo(rig, "ann", assigned.token, "verify")
    with pytest.raises(RefusedError, match="not assigned to you"):
        rig.service.undo(rig.person("ann"), "vote", "hi", assigned.token)
    assert len(rig.store.live(kind="vote")) == 1


def test_a_flag_goes_with_its_rating_and_is_told_again_however_often_it_is_asked(rig: ServiceRig) -> None:
    assigned = answer(rig, "ann", {"score": 1, "flags": ["through_object"]}, "verify")

    first, again = (undo(rig, "ann", assigned.token, "verify") for _ in range(2))

    assert first is not None
    assert first == again
    assert first.answer == {"score": 1, "comment": "", "flags": ["through_object"]}
    assert rig.store.live() == []


def test_a_flag_of_another_text_of_the_pair_stays(make_rig: MakeRig) -> None:
    rating_fields = {"score": 2, "flags": ["through_object"], "comment": ""}
    texts = [text(f"written-{number}", "en", f"Lift {number} arms.", "verify") for number in range(2)]
    both = make_rig([item(0, texts=texts)])
    first = answer(both, "ann", rating_fields, "verify")
    decide(both.store, "small", Decision("keep"), "0_0_0_0_0")
    second = answer(both, "ann", rating_fields, "verify")
    assert len(both.store.live(kind="flag")) == 2

    again = undo(both, "ann", second.token, "verify")

    assert again is not None
    assert again.answer == rating_fields
    (flag,) = both.store.live(kind="flag")
    assert isinstance(flag.payload, Flag)
    assert flag.payload.of == first.token


def test_nobody_is_thanked_for_what_they_took_back(rig: ServiceRig) -> None:
    assigned = answer(rig, "ann")
    undo(rig, "ann", assigned.token)

    with pytest.raises(RefusedError) as refused:
        rig.service.give(rig.person("ann"), assigned.token, VOTE)

    assert refused.value.code == "answer_changed_elsewhere"
    assert rig.store.live(kind="vote") == []


def test_a_skip_is_taken_back_and_its_comment_too(rig: ServiceRig) -> None:
    assigned = task(rig, "ann")
    rig.service.skip(rig.person("ann"), assigned.token, "other", "too dark")

    again = undo(rig, "ann", rig.service.last(rig.person("ann"), "vote", "en"))

    assert again is not None
    assert (again.current, again.answer) == (assigned.current, None)
    assert rig.store.live() == []


def test_an_undone_item_can_be_answered_though_others_filled_it(make_rig: MakeRig) -> None:
    rig = make_rig([item(0)], voices={"vote": 1})
    again = undo(rig, "ann", answer(rig, "ann").token)

    assert again is not None
    assert rig.service.next_task(rig.person("ben"), "vote", "en") is None
    rig.clock.pass_by(CLAIM_SECONDS - IDLE_BELOW_SECONDS)
    answer(rig, "ben")
    rig.service.give(rig.person("ann"), again.token, VOTE)
    assert len(rig.store.live(kind="vote")) == 2


def test_seconds_begin_anew(rig: ServiceRig) -> None:
    rig.clock.pass_by(1000)
    assigned = answer(rig, "ann")
    rig.clock.pass_by(1000)
    again = undo(rig, "ann", assigned.token)
    assert again is not None
    rig.clock.pass_by(7)
    rig.service.give(rig.person("ann"), again.token, VOTE)

    (vote,) = rig.store.live(kind="vote")
    assert vote.payload.seconds == 7  # type: ignore[attr-defined]


def test_a_claim_that_ran_out_after_an_undo_is_had_again_by_the_same_undo(rig: ServiceRig) -> None:
    assigned = answer(rig, "ann")
    undo(rig, "ann", assigned.token)
    rig.clock.pass_by(CLAIM_SECONDS + 1)

    again = undo(rig, "ann", assigned.token)

    assert again is not None
    assert again.answer == VOTE
    assert len(rig.store.events(kind="withdrawal")) == 1


def test_a_pair_that_was_chosen_is_taken_back_though_another_was_chosen_since(rig: ServiceRig) -> None:
    person, tasks = rig.person("ann"), []
    for _ in range(2):
        offer = rig.service.offers(person, "real_pair", "en")[0]
        tasks.append(rig.service.choose(person, "real_pair", "en", offer.id))
        if len(tasks) == 1:
            pair_fields = {"current": picture(1, 2, 3), "target": picture(3, 2, 1), "text": "Raise it."}
            rig.service.give(person, tasks[0].token, pair_fields)

    again = undo(rig, "ann", tasks[0].token, "real_pair")

    assert again is not None
    assert rig.service.begun(person, "real_pair", "en") == again
    assert rig.service.begun(person, "real_pair", "en") != tasks[1]


def test_what_the_campaign_asks_no_longer_is_taken_back_without_a_task(rig: ServiceRig) -> None:
    assigned = answer(rig, "ann")
    other = [one for one in rig.service.campaign.items if one.uid != rig.store.live()[0].item]
    smaller = replace(rig.service, campaign=rig.service.campaign.model_copy(update={"items": tuple(other)}))

    assert smaller.last(rig.person("ann"), "vote", "en") == assigned.token
    assert smaller.undo(rig.person("ann"), "vote", "en", assigned.token) is None
    assert rig.store.live(kind="vote") == []
    assert [event.payload for event in rig.store.events(kind="withdrawal")] == [Withdrawal(assigned.token, "undo")]
