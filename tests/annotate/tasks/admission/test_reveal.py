"""Which model was which is told after the last vote of a campaign that allows it, and ends the voting of who looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotate.analysis.frames import frames
from annotate.campaigns.campaign import Campaign
from annotate.errors import RefusedError
from annotate.identity import Annotator
from annotate.records.api import MODELS_SEEN
from annotate.records.kinds import Flag
from tests.annotate.asking import HINDI, MODELS, Asked, campaign_json, collect, gold, item, text

VOTE = {"relevant": 0, "fluent": None}


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Callable[..., Asked]]:
    """Open a collection of two pairs and a gold one."""
    opened: list[Asked] = []

    def one(**changes: object) -> Asked:
        items = [item(1), item(2), gold(30)]
        about = {"items": items, "voices": {"vote": 9}, **changes}
        opened.append(collect(tmp_path, campaign_json(**about)))
        return opened[-1]

    yield one
    for made in opened:
        made.store.close()


@pytest.fixture
def asked(ask: Callable[..., Asked]) -> Asked:
    return ask(reveals_models=True)


def vote(asked: Asked, person: Annotator, most: int = 100) -> None:
    for _ in range(most):
        task = asked.collection.next_task(person, "vote", "en")
        if task is None:
            return
        asked.collection.give(person, task.token, VOTE)


def look(asked: Asked, person: Annotator) -> None:
    progress = asked.collection.progress(person, "vote", "en")
    asked.collection.reveal.look(person.pseudonym, progress, "what was read", "en")


def test_models_are_named_after_the_last_vote_and_gold_items_are_not(asked: Asked) -> None:
    person = asked.person("ann")
    vote(asked, person)
    assert asked.collection.reveal.votes(person.pseudonym, "en") == []

    look(asked, person)

    votes = asked.collection.reveal.votes(person.pseudonym, "en")
    assert [{text.model for text in texts} for texts in votes] == [set(MODELS)] * 2
    assert [[text.relevant for text in texts] for texts in votes] == [[True, False, False]] * 2
    assert all(text.fluent for texts in votes for text in texts)


def test_nothing_is_told_before_the_last_vote(asked: Asked) -> None:
    person = asked.person("ann")
    for given in (0, 1):
        vote(asked, person, most=given)
        with pytest.raises(RefusedError) as refusal:
            look(asked, person)
        assert refusal.value.code == "votes_left"
    assert asked.collection.reveal.votes(person.pseudonym, "en") == []


def test_a_campaign_tells_nothing_unless_it_says_so(ask: Callable[..., Asked]) -> None:
    asked = ask()
    person = asked.person("ann")
    vote(asked, person)

    with pytest.raises(RefusedError) as refusal:
        look(asked, person)

    assert refusal.value.code == "votes_left"
    assert not Campaign.model_fields["reveals_models"].default


def test_who_has_looked_neither_changes_votes_nor_gives_more(asked: Asked) -> None:
    person = asked.person("ann")
    vote(asked, person)
    last = asked.collection.last(person, "vote", "en")
    look(asked, person)

    assert last is not None
    assert asked.collection.last(person, "vote", "en") is None
    with pytest.raises(RefusedError) as refusal:
        asked.collection.undo(person, "vote", "en", last)
    assert refusal.value.code == "votes_over"
    assert asked.collection.next_task(person, "vote", "en") is None
    assert asked.collection.next_task(asked.person("ben"), "vote", "en") is not None


def test_a_vote_that_was_on_its_way_is_kept_and_does_not_count(ask: Callable[..., Asked]) -> None:
    in_hindi = [text(model, "hi", f"{HINDI} {model}", "vote") for model in MODELS]
    asked = ask(items=[item(1), item(2, texts=in_hindi)], reveals_models=True)
    person = asked.person("ann")
    on_its_way = asked.collection.next_task(person, "vote", "hi")
    assert on_its_way is not None
    vote(asked, person)
    look(asked, person)

    asked.collection.give(person, on_its_way.token, VOTE)

    living = list(asked.store.live())
    assert Flag(MODELS_SEEN, of=on_its_way.token) in [event.payload for event in living]
    assert {row.language for row in frames(living, asked.collection.campaign).votes.itertuples()} == {"en"}


@pytest.mark.parametrize("reveals", [True, False])
def test_votes_of_who_deleted_everything_are_flagged_where_models_may_have_been_seen(
    ask: Callable[..., Asked], *, reveals: bool
) -> None:
    asked = ask(reveals_models=reveals)
    person, other = asked.person("ann"), asked.person("ben")
    vote(asked, person)
    if reveals:
        look(asked, person)
    asked.collection.withdraw(person)

    vote(asked, person, most=1)
    vote(asked, other, most=1)

    flags = [
        event for event in asked.store.live() if event.payload == Flag(MODELS_SEEN, of=getattr(event.payload, "of", ""))
    ]
    assert [event.annotator for event in flags] == [person.pseudonym] * reveals
