"""Which model was which is told after the last vote of a campaign that allows it, and ends the voting of who looks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from annotate.analysis.statistics import frames
from annotate.campaigns.campaign import Campaign
from annotate.errors import RefusedError
from annotate.identity import Annotator
from annotate.records import MODELS_SEEN, Flag
from tests.annotate.asking import HINDI, MODELS, MakeRig, ServiceRig, gold, item, text

VOTE = {"relevant": 0, "fluent": None}


@pytest.fixture
def ask(make_rig: MakeRig) -> Callable[..., ServiceRig]:
    """Open a collection of two pairs and a gold one."""
    return lambda **changes: make_rig(**{"items": [item(1), item(2), gold(30)], "voices": {"vote": 9}, **changes})


@pytest.fixture
def rig(ask: Callable[..., ServiceRig]) -> ServiceRig:
    return ask(reveals_models=True)


def vote(rig: ServiceRig, person: Annotator, most: int = 100) -> None:
    for _ in range(most):
        task = rig.service.next_task(person, "vote", "en")
        if task is None:
            return
        rig.service.give(person, task.token, VOTE)


def look(rig: ServiceRig, person: Annotator) -> None:
    progress = rig.service.progress(person, "vote", "en")
    rig.service.reveal.look(person.pseudonym, progress, "what was read", "en")


def test_models_are_named_after_the_last_vote_and_gold_items_are_not(rig: ServiceRig) -> None:
    person = rig.person("ann")
    vote(rig, person)
    assert rig.service.reveal.votes(person.pseudonym, "en") == []

    look(rig, person)

    votes = rig.service.reveal.votes(person.pseudonym, "en")
    assert [{text.model for text in texts} for texts in votes] == [set(MODELS)] * 2
    assert [[text.relevant for text in texts] for texts in votes] == [[True, False, False]] * 2
    assert all(text.fluent for texts in votes for text in texts)


def test_nothing_is_told_before_the_last_vote(rig: ServiceRig) -> None:
    person = rig.person("ann")
    for assigned in (0, 1):
        vote(rig, person, most=assigned)
        with pytest.raises(RefusedError) as refusal:
            look(rig, person)
        assert refusal.value.code == "votes_left"
    assert rig.service.reveal.votes(person.pseudonym, "en") == []


def test_a_campaign_tells_nothing_unless_it_says_so(ask: Callable[..., ServiceRig]) -> None:
    rig = ask()
    person = rig.person("ann")
    vote(rig, person)

    with pytest.raises(RefusedError) as refusal:
        look(rig, person)

    assert refusal.value.code == "votes_left"
    assert not Campaign.model_fields["reveals_models"].default


def test_who_has_looked_neither_changes_votes_nor_gives_more(rig: ServiceRig) -> None:
    person = rig.person("ann")
    vote(rig, person)
    last = rig.service.last(person, "vote", "en")
    look(rig, person)

    assert last is not None
    assert rig.service.last(person, "vote", "en") is None
    with pytest.raises(RefusedError) as refusal:
        rig.service.undo(person, "vote", "en", last)
    assert refusal.value.code == "votes_over"
    assert rig.service.next_task(person, "vote", "en") is None
    assert rig.service.next_task(rig.person("ben"), "vote", "en") is not None


def test_a_vote_that_was_on_its_way_is_kept_and_does_not_count(ask: Callable[..., ServiceRig]) -> None:
    in_hindi = [text(model, "hi", f"{HINDI} {model}", "vote") for model in MODELS]
    rig = ask(items=[item(1), item(2, texts=in_hindi)], reveals_models=True)
    person = rig.person("ann")
    on_its_way = rig.service.next_task(person, "vote", "hi")
    assert on_its_way is not None
    vote(rig, person)
    look(rig, person)

    rig.service.give(person, on_its_way.token, VOTE)

    living = list(rig.store.live())
    assert Flag(MODELS_SEEN, of=on_its_way.token) in [event.payload for event in living]
    assert {row.language for row in frames(living, rig.service.campaign).votes.itertuples()} == {"en"}


@pytest.mark.parametrize("reveals", [True, False])
def test_votes_of_who_deleted_everything_are_flagged_where_models_may_have_been_seen(
    ask: Callable[..., ServiceRig], *, reveals: bool
) -> None:
    rig = ask(reveals_models=reveals)
    person, other = rig.person("ann"), rig.person("ben")
    vote(rig, person)
    if reveals:
        look(rig, person)
    rig.service.withdraw(person)

    vote(rig, person, most=1)
    vote(rig, other, most=1)

    flags = [
        event for event in rig.store.live() if event.payload == Flag(MODELS_SEEN, of=getattr(event.payload, "of", ""))
    ]
    assert [event.annotator for event in flags] == [person.pseudonym] * reveals
