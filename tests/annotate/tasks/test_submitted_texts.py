"""What is known of annotators' texts is what a reading of all events tells, whatever came and went."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from annotate.campaigns.campaign import Campaign
from annotate.campaigns.text_status import text_statuses, written_texts
from annotate.kinds.verify import Rating
from annotate.kinds.write import Description
from annotate.publishing.destinations import FolderDestination
from annotate.publishing.publisher import Publisher
from annotate.publishing.restore import import_published
from annotate.records.events import new_event
from annotate.records.kinds import Flag, Payload, Withdrawal
from annotate.storage.store import Store
from annotate.tasks.submitted_texts import SubmittedTexts
from tests.annotate.asking import campaign_json, item, write
from tests.thoroughness import one_of

PEOPLE = ("ann", "ben", "cem", "dee")


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    voices = {"verify": 2}
    return Campaign.open(
        write(tmp_path / "campaign", campaign_json([item(number) for number in range(3)], voices=voices))
    )


def check(written: SubmittedTexts, store: Store, campaign: Campaign) -> int:
    """Compare with a reading of everything; how many texts are accepted."""
    living = store.live()
    assert sorted(one.text.id for one in written.every()) == sorted(
        one.text.id for one in written_texts(living, campaign)
    )
    accepted = {one.text.id for one in text_statuses(living, campaign) if one.author and one.status == "accepted"}
    assert {one.text.id for one in written.accepted()} == accepted
    return len(accepted)


def something(store: Store, chance: random.Random) -> None:
    """Somebody writes, judges, flags, changes, takes back or deletes something."""
    who, number = chance.choice(PEOPLE), chance.randrange(4)  # the campaign has three items
    texts = store.live(kind="description")
    own = store.live(annotator=who)
    payload: Payload = Description(
        f"Raise it {chance.random()}", words=3, flags=("through_object",) if chance.random() < 0.1 else ()
    )
    about, supersedes = f"{number}_0_0_0_0", None
    what = chance.random()
    if what < 0.6 and texts:
        text = chance.choice(texts)
        payload, about = Rating(text.id, chance.choice([1, 4, 4])), text.item
    elif what < 0.62:
        payload = Flag(chance.choice(["through_object", "no_clear_difference"]))
    elif what < 0.72 and own:
        payload = Withdrawal(chance.choice(own).id, chance.choice(["undo", "withdrawn"]))
        about = ""
    elif what < 0.74:
        payload, about = Withdrawal("everything", "withdrawn"), ""
    elif what < 0.84 and (mine := [one for one in own if one.kind == "description"]):
        supersedes, about = mine[0].id, mine[0].item
    place = {"campaign": "small", "item": about, "language": "en"} if about else {}
    store.add(new_event(payload, annotator=who, supersedes=supersedes, **place))


@pytest.mark.parametrize("every", one_of([10, 3]))
def test_what_comes_and_goes_is_followed(
    where: str | Path, open_here: Callable[..., Store], campaign: Campaign, every: int
) -> None:
    store, chance = open_here(where), random.Random(5)
    written, most = SubmittedTexts(campaign, store), 0
    for step in range(150):
        something(store, chance)
        if step % every == 0:
            most = max(most, check(written, store, campaign))
            check(SubmittedTexts(campaign, store), store, campaign)
    assert most > 1, "no text was ever accepted"


@pytest.mark.parametrize("rounds", one_of([6, 15]))
def test_what_another_writer_gave_and_deleted_is_followed(
    tmp_path: Path, open_here: Callable[..., Store], campaign: Campaign, rounds: int
) -> None:
    destination, chance = FolderDestination(tmp_path / "dataset"), random.Random(7)
    stores = [open_here(tmp_path / f"{number}.sqlite3") for number in range(2)]
    writers = [(store, SubmittedTexts(campaign, store), Publisher(store, destination)) for store in stores]
    most = 0
    for _ in range(rounds):
        for store, written, publisher in writers:
            for _ in range(4):
                something(store, chance)
            check(written, store, campaign)
            publisher.publish_now()
            import_published(store, destination)
            most = max(most, check(written, store, campaign))
    for store, written, _ in writers:
        import_published(store, destination)
        check(written, store, campaign)
    assert most > 1, "no text was ever accepted"
