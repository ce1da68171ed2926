"""What a person has finished is kept, whatever became of the question; their texts are read as they come."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotate.campaigns.campaign import Campaign, text_statuses, written_texts
from annotate.errors import RefusedError
from annotate.kinds.find_target import FindTarget
from annotate.kinds.task_kind import Kind, Task
from annotate.kinds.translate import Translation
from annotate.kinds.verify import Rating
from annotate.kinds.vote import Vote
from annotate.kinds.write import Description
from annotate.publishing.destinations import FolderDestination
from annotate.publishing.outbox import import_published
from annotate.publishing.publisher import Publisher
from annotate.records import NO_LONGER_ASKED, Flag, Payload, Withdrawal, new_event
from annotate.storage.store import Store, open_store
from annotate.tasks.scheduler import SubmittedTexts
from annotate.tasks.service import AnnotationService
from tests.annotate.asking import (
    HINDI,
    LONG,
    MODELS,
    SENTENCES,
    MakeRig,
    ServiceRig,
    campaign_json,
    collect,
    item,
    item_to_find,
    write,
)
from tests.thoroughness import one_of

BARE = {"texts": []}  # nothing is asked of it but what people write
HINDI_LONG = HINDI * 4
VOTE = {"relevant": 1, "fluent": None}


@pytest.fixture
def rig(make_rig: MakeRig) -> ServiceRig:
    """Return a pair with an accepted text by ann that three people judged."""
    made = make_rig([item(0, **BARE)], voices={"verify": 5})
    made.service.give(made.person("ann"), shown_task(made, "ann", "write").token, {"text": LONG})
    for name in ("ben", "cem", "dee"):
        made.service.give(made.person(name), shown_task(made, name, "verify").token, {"score": 4})
        made.clock.pass_by(1)
    return made


def shown_task(rig: ServiceRig, name: str, kind: Kind, service: AnnotationService | None = None) -> Task:
    language = "hi" if kind == "translate" else "en"
    given = (service or rig.service).next_task(rig.person(name), kind, language)
    assert given is not None
    return given


def set_aside(rig: ServiceRig) -> None:
    """Somebody finds, later than the others, that the body goes through an object."""
    rating_fields = {"score": 1, "flags": ["through_object"]}
    rig.service.give(rig.person("gus"), shown_task(rig, "gus", "verify").token, rating_fields)


def taken_back(rig: ServiceRig) -> None:
    written = rig.service.last(rig.person("ann"), "write", "en")
    assert written is not None
    rig.service.undo(rig.person("ann"), "write", "en", written)


def deleted(rig: ServiceRig) -> None:
    rig.service.withdraw(rig.person("ann"))


def flags(rig: ServiceRig, name: str) -> list[str]:
    payloads = [event.payload for event in rig.store.live(kind="flag", annotator=rig.person(name).pseudonym)]
    return [flag.reason for flag in payloads if isinstance(flag, Flag)]


@pytest.mark.parametrize("becomes", [set_aside, taken_back, deleted])
def test_a_translation_is_kept_though_its_text_is_translated_no_longer(rig: ServiceRig, becomes: Any) -> None:  # noqa: ANN401
    person, assigned = rig.person("fay"), shown_task(rig, "fay", "translate")
    becomes(rig)
    assert rig.service.next_task(rig.person("hal"), "translate", "hi") is None

    receipt = rig.service.give(person, assigned.token, {"text": HINDI_LONG})

    assert receipt.progress.given == 1
    (translation,) = rig.store.live(kind="translation")
    assert isinstance(translation.payload, Translation)
    assert translation.payload.text == HINDI_LONG
    assert translation.payload.of
    assert flags(rig, "fay") == [NO_LONGER_ASKED]
    assert rig.service.give(person, assigned.token, {"text": HINDI_LONG}).repeated


@pytest.mark.parametrize("becomes", [taken_back, deleted])
def test_a_rating_is_kept_though_its_text_is_judged_no_longer(rig: ServiceRig, becomes: Any) -> None:  # noqa: ANN401
    person, assigned = rig.person("fay"), shown_task(rig, "fay", "verify")
    becomes(rig)

    rig.service.give(person, assigned.token, {"score": 2, "comment": "too short"})

    (rating,) = rig.store.live(kind="rating", annotator=person.pseudonym)
    assert isinstance(rating.payload, Rating)
    assert (rating.payload.score, rating.payload.comment) == (2, "too short")
    assert flags(rig, "fay") == [NO_LONGER_ASKED]
    assert rig.service.give(person, assigned.token, {"score": 2, "comment": "too short"}).repeated


def test_a_translation_still_keeps_the_rules_of_its_text(rig: ServiceRig) -> None:
    assigned = shown_task(rig, "fay", "translate")
    set_aside(rig)

    with pytest.raises(RefusedError, match="too_much_shorter"):
        rig.service.give(rig.person("fay"), assigned.token, {"text": "अपनी"})
    with pytest.raises(RefusedError, match="script"):
        rig.service.give(rig.person("fay"), assigned.token, {"text": LONG})


def test_what_its_writer_deleted_stands_nowhere_in_the_store_and_is_shown_to_nobody(
    rig: ServiceRig, tmp_path: Path
) -> None:
    shown_task(rig, "fay", "translate")
    shown_task(rig, "fay", "verify")
    deleted(rig)

    assert rig.service.next_task(rig.person("fay"), "translate", "hi") is None
    assert rig.service.next_task(rig.person("fay"), "verify", "en") is None
    assert len(rig.store.claims_of(rig.person("fay").pseudonym)) == 2
    rig.store.close()
    assert LONG.encode() not in (tmp_path / "store.sqlite").read_bytes()


def test_an_answer_to_what_is_asked_is_not_marked(rig: ServiceRig) -> None:
    rig.service.give(rig.person("fay"), shown_task(rig, "fay", "translate").token, {"text": HINDI_LONG})

    assert flags(rig, "fay") == []


def test_what_one_process_learned_of_is_answered_through_another(make_rig: MakeRig) -> None:
    """The other has looked for texts a moment ago, before this one was written."""
    rig = make_rig([item(0, **BARE)])
    other = replace(rig.service)
    other.scheduler.stale_seconds = 1e9
    assert other.next_task(rig.person("fay"), "verify", "en") is None
    rig.service.give(rig.person("ann"), shown_task(rig, "ann", "write").token, {"text": LONG})
    assigned = shown_task(rig, "fay", "verify")

    other.give(rig.person("fay"), assigned.token, {"score": 3})

    assert flags(rig, "fay") == []
    assert len(rig.store.live(kind="rating")) == 1


def test_an_answer_to_what_is_asked_no_longer_can_be_changed(rig: ServiceRig) -> None:
    person, assigned = rig.person("fay"), shown_task(rig, "fay", "translate")
    rig.service.give(person, assigned.token, {"text": HINDI_LONG})
    set_aside(rig)

    first, again = (rig.service.undo(person, "translate", "hi", assigned.token) for _ in range(2))

    assert first is not None
    assert first == again == shown_task(rig, "fay", "translate")
    assert first.answer == {"text": HINDI_LONG}
    rig.service.give(person, first.token, {"text": f"{HINDI_LONG} {HINDI}"})
    assert flags(rig, "fay") == [NO_LONGER_ASKED]


def test_what_was_taken_back_is_not_shown_again_once_its_text_is_deleted(rig: ServiceRig) -> None:
    person, assigned = rig.person("fay"), shown_task(rig, "fay", "translate")
    rig.service.give(person, assigned.token, {"text": HINDI_LONG})
    rig.service.undo(person, "translate", "hi", assigned.token)
    deleted(rig)

    assert rig.service.next_task(person, "translate", "hi") is None
    assert rig.service.undo(person, "translate", "hi", assigned.token) is None


def test_a_discarded_text_keeps_its_late_ratings_in_the_count(rig: ServiceRig) -> None:
    assigned = shown_task(rig, "fay", "verify")
    set_aside(rig)
    rig.service.give(rig.person("fay"), assigned.token, {"score": 1})

    (status,) = text_statuses(rig.store.live(), rig.service.campaign)
    assert sorted(status.scores) == [1, 1, 4, 4, 4]


class TestChangedCampaign:
    @staticmethod
    def changed(rig: ServiceRig, folder: Path, **changes: object) -> AnnotationService:
        """Return an annotation service over the same store after the owner changed the campaign's file."""
        path = folder / "campaign" / "campaign.json"
        campaign_fields = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(campaign_fields | changes), encoding="utf-8")
        service = AnnotationService(
            Campaign.open(path.parent), rig.store, rig.service.key, rig.service.ports, now=rig.clock
        )
        service.scheduler.stale_seconds = 0
        return service

    @staticmethod
    def reworded() -> dict[str, Any]:
        made = item(0)
        made["texts"] = [{**one, "text": f"{one['text']} Slowly."} for one in made["texts"]]
        return made

    @pytest.mark.parametrize("items", [[reworded()], [item(1)], [item(0, target=item(0)["current"])]])
    def test_a_vote_means_what_was_shown(self, make_rig: MakeRig, tmp_path: Path, items: list[dict[str, Any]]) -> None:
        rig = make_rig([item(0), item(1)])
        person = rig.person("ann")
        assigned = shown_task(rig, "ann", "vote")
        while assigned.current != rig.service.campaign.picture(item(0)["current"]):
            rig.service.skip(person, assigned.token, "other")
            assigned = shown_task(rig, "ann", "vote")
        changed = self.changed(rig, tmp_path, items=items)

        changed.give(person, assigned.token, VOTE)

        (vote,) = rig.store.live(kind="vote")
        assert isinstance(vote.payload, Vote)
        assert vote.payload.relevant == (MODELS[SENTENCES.index(assigned.texts[1])],)
        assert vote.item == item(0)["uid"]
        assert flags(rig, "ann") == [NO_LONGER_ASKED]

    def test_a_choice_means_what_was_shown(self, make_rig: MakeRig, tmp_path: Path) -> None:
        rig = make_rig([item_to_find(20)])
        person, assigned = rig.person("ann"), shown_task(rig, "ann", "find")
        right = rig.service.campaign.items[0].target
        place = assigned.candidates.index(rig.service.campaign.picture(right))
        fewer = item_to_find(20)
        fewer.update(candidates=fewer["candidates"][1:], answer=1)
        changed = self.changed(rig, tmp_path, items=[fewer])

        changed.give(person, assigned.token, {"place": place})

        (choice,) = rig.store.live(kind="target_choice")
        assert isinstance(choice.payload, FindTarget)
        assert choice.payload.correct
        assert flags(rig, "ann") == [NO_LONGER_ASKED]

    def test_what_was_changed_is_not_shown_again_and_others_get_the_new(
        self, make_rig: MakeRig, tmp_path: Path
    ) -> None:
        rig = make_rig([item(0)])
        assigned = shown_task(rig, "ann", "vote")
        changed = self.changed(rig, tmp_path, items=[self.reworded()])

        assert changed.next_task(rig.person("ann"), "vote", "en") is None
        assert shown_task(rig, "ben", "vote", changed).texts != assigned.texts

    def test_an_answer_whose_places_nobody_can_tell_any_longer_is_refused(
        self, make_rig: MakeRig, tmp_path: Path
    ) -> None:
        rig = make_rig([item(0)])
        assigned = shown_task(rig, "ann", "vote")
        changed = self.changed(rig, tmp_path, seed=1)

        with pytest.raises(RefusedError) as refusal:
            changed.give(rig.person("ann"), assigned.token, VOTE)
        assert refusal.value.code == "task_unknown"
        assert changed.next_task(rig.person("ann"), "vote", "en") is None

    def test_a_vote_on_what_reads_otherwise_now_is_taken_back_without_its_places(
        self, make_rig: MakeRig, tmp_path: Path
    ) -> None:
        rig = make_rig([item(0)])
        assigned = shown_task(rig, "ann", "vote")
        rig.service.give(rig.person("ann"), assigned.token, VOTE)
        fewer = item(0)
        fewer["texts"] = fewer["texts"][1:]
        changed = self.changed(rig, tmp_path, items=[fewer])

        again = changed.undo(rig.person("ann"), "vote", "en", assigned.token)

        assert again is not None
        assert (len(again.texts), again.answer) == (2, None)


def test_a_claim_lives_through_a_restart(tmp_path: Path) -> None:
    rig = collect(tmp_path, campaign_json([item(0)]))
    assigned = shown_task(rig, "ann", "vote")
    rig.store.close()
    store = open_store(tmp_path / "store.sqlite", now=rig.clock)
    again = AnnotationService(rig.service.campaign, store, rig.service.key, rig.service.ports, now=rig.clock)

    assert again.next_task(rig.person("ann"), "vote", "en") == assigned
    again.give(rig.person("ann"), assigned.token, VOTE)
    assert store.live(kind="flag") == []
    store.close()


def test_a_text_that_is_discarded_is_asked_of_somebody_else(make_rig: MakeRig) -> None:
    rig = make_rig([item(0, **BARE)], voices={"write": 1, "verify": 2})
    rig.service.give(rig.person("ann"), shown_task(rig, "ann", "write").token, {"text": LONG})
    rig.clock.pass_by(60)
    assert rig.service.next_task(rig.person("ben"), "write", "en") is None
    for name in ("cem", "dee"):
        rig.service.give(rig.person(name), shown_task(rig, name, "verify").token, {"score": 1})
    rig.clock.pass_by(60)

    assert rig.service.next_task(rig.person("ann"), "write", "en") is None  # who has written it already
    rig.service.give(rig.person("ben"), shown_task(rig, "ben", "write").token, {"text": f"{LONG} And hold it."})
    rig.clock.pass_by(60)
    assert rig.service.next_task(rig.person("gus"), "write", "en") is None


def test_people_write_in_the_languages_that_the_campaign_names(make_rig: MakeRig) -> None:
    rig = make_rig([item(0, **BARE)], writing=["en"])
    assert rig.service.next_task(rig.person("ann"), "write", "hi") is None
    assert rig.service.next_task(rig.person("ann"), "write", "en") is not None


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
    assert {one.text.id for one in written.of_status("accepted")} == accepted
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
