"""What a person has finished is kept, whatever became of the question meanwhile, and the record says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotate.campaigns.campaign import Campaign
from annotate.campaigns.text_status import text_statuses
from annotate.errors import RefusedError
from annotate.records.api import NO_LONGER_ASKED, Kind, Task
from annotate.records.kinds import Flag, Rating, TargetChoice, Translation, Vote
from annotate.storage.store import open_store
from annotate.tasks.service import Collection
from tests.annotate.asking import HINDI, LONG, MODELS, SENTENCES, Asked, campaign_json, collect, item, item_to_find

BARE = {"texts": []}  # nothing is asked of it but what people write
HINDI_LONG = HINDI * 4
VOTE = {"relevant": 1, "fluent": None}


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    """A pair about which ann has written; the text is accepted, and judged by three."""
    made = collect(tmp_path, campaign_json([item(0, **BARE)], voices={"verify": 5}))
    made.collection.give(made.person("ann"), shown(made, "ann", "write").token, {"text": LONG})
    for name in ("ben", "cem", "dee"):
        made.collection.give(made.person(name), shown(made, name, "verify").token, {"score": 4})
        made.clock.pass_by(1)
    yield made
    made.store.close()


def shown(asked: Asked, name: str, kind: Kind, collection: Collection | None = None) -> Task:
    language = "hi" if kind == "translate" else "en"
    given = (collection or asked.collection).next_task(asked.person(name), kind, language)
    assert given is not None
    return given


def set_aside(asked: Asked) -> None:
    """Somebody finds, later than the others, that the body goes through an object."""
    rating_fields = {"score": 1, "flags": ["through_object"]}
    asked.collection.give(asked.person("gus"), shown(asked, "gus", "verify").token, rating_fields)


def taken_back(asked: Asked) -> None:
    written = asked.collection.last(asked.person("ann"), "write", "en")
    assert written is not None
    asked.collection.undo(asked.person("ann"), "write", "en", written)


def deleted(asked: Asked) -> None:
    asked.collection.withdraw(asked.person("ann"))


def flags(asked: Asked, name: str) -> list[str]:
    payloads = [event.payload for event in asked.store.live(kind="flag", annotator=asked.person(name).pseudonym)]
    return [flag.reason for flag in payloads if isinstance(flag, Flag)]


@pytest.mark.parametrize("becomes", [set_aside, taken_back, deleted])
def test_a_translation_is_kept_though_its_text_is_translated_no_longer(asked: Asked, becomes: Any) -> None:  # noqa: ANN401
    person, given = asked.person("fay"), shown(asked, "fay", "translate")
    becomes(asked)
    assert asked.collection.next_task(asked.person("hal"), "translate", "hi") is None

    receipt = asked.collection.give(person, given.token, {"text": HINDI_LONG})

    assert receipt.progress.given == 1
    (translation,) = asked.store.live(kind="translation")
    assert isinstance(translation.payload, Translation)
    assert translation.payload.text == HINDI_LONG
    assert translation.payload.of
    assert flags(asked, "fay") == [NO_LONGER_ASKED]
    assert asked.collection.give(person, given.token, {"text": HINDI_LONG}).repeated


@pytest.mark.parametrize("becomes", [taken_back, deleted])
def test_a_rating_is_kept_though_its_text_is_judged_no_longer(asked: Asked, becomes: Any) -> None:  # noqa: ANN401
    person, given = asked.person("fay"), shown(asked, "fay", "verify")
    becomes(asked)

    asked.collection.give(person, given.token, {"score": 2, "comment": "too short"})

    (rating,) = asked.store.live(kind="rating", annotator=person.pseudonym)
    assert isinstance(rating.payload, Rating)
    assert (rating.payload.score, rating.payload.comment) == (2, "too short")
    assert flags(asked, "fay") == [NO_LONGER_ASKED]
    assert asked.collection.give(person, given.token, {"score": 2, "comment": "too short"}).repeated


def test_a_translation_still_keeps_the_rules_of_its_text(asked: Asked) -> None:
    given = shown(asked, "fay", "translate")
    set_aside(asked)

    with pytest.raises(RefusedError, match="too_much_shorter"):
        asked.collection.give(asked.person("fay"), given.token, {"text": "अपनी"})
    with pytest.raises(RefusedError, match="script"):
        asked.collection.give(asked.person("fay"), given.token, {"text": LONG})


def test_what_its_writer_deleted_stands_nowhere_in_the_store_and_is_shown_to_nobody(
    asked: Asked, tmp_path: Path
) -> None:
    shown(asked, "fay", "translate")
    shown(asked, "fay", "verify")
    deleted(asked)

    assert asked.collection.next_task(asked.person("fay"), "translate", "hi") is None
    assert asked.collection.next_task(asked.person("fay"), "verify", "en") is None
    assert len(asked.store.claims_of(asked.person("fay").pseudonym)) == 2
    asked.store.close()
    assert LONG.encode() not in (tmp_path / "store.sqlite").read_bytes()


def test_an_answer_to_what_is_asked_is_not_marked(asked: Asked) -> None:
    asked.collection.give(asked.person("fay"), shown(asked, "fay", "translate").token, {"text": HINDI_LONG})

    assert flags(asked, "fay") == []


def test_what_one_process_learned_of_is_answered_through_another(tmp_path: Path) -> None:
    """The other has looked for texts a moment ago, before this one was written."""
    asked = collect(tmp_path, campaign_json([item(0, **BARE)]))
    other = replace(asked.collection)
    other.turns.stale_seconds = 1e9
    assert other.next_task(asked.person("fay"), "verify", "en") is None
    asked.collection.give(asked.person("ann"), shown(asked, "ann", "write").token, {"text": LONG})
    given = shown(asked, "fay", "verify")

    other.give(asked.person("fay"), given.token, {"score": 3})

    assert flags(asked, "fay") == []
    assert len(asked.store.live(kind="rating")) == 1
    asked.store.close()


def test_an_answer_to_what_is_asked_no_longer_can_be_changed(asked: Asked) -> None:
    person, given = asked.person("fay"), shown(asked, "fay", "translate")
    asked.collection.give(person, given.token, {"text": HINDI_LONG})
    set_aside(asked)

    first, again = (asked.collection.undo(person, "translate", "hi", given.token) for _ in range(2))

    assert first is not None
    assert first == again == shown(asked, "fay", "translate")
    assert first.answer == {"text": HINDI_LONG}
    asked.collection.give(person, first.token, {"text": f"{HINDI_LONG} {HINDI}"})
    assert flags(asked, "fay") == [NO_LONGER_ASKED]


def test_what_was_taken_back_is_not_shown_again_once_its_text_is_deleted(asked: Asked) -> None:
    person, given = asked.person("fay"), shown(asked, "fay", "translate")
    asked.collection.give(person, given.token, {"text": HINDI_LONG})
    asked.collection.undo(person, "translate", "hi", given.token)
    deleted(asked)

    assert asked.collection.next_task(person, "translate", "hi") is None
    assert asked.collection.undo(person, "translate", "hi", given.token) is None


def test_a_discarded_text_keeps_its_late_ratings_in_the_count(asked: Asked) -> None:
    given = shown(asked, "fay", "verify")
    set_aside(asked)
    asked.collection.give(asked.person("fay"), given.token, {"score": 1})

    (status,) = text_statuses(asked.store.live(), asked.collection.campaign)
    assert sorted(status.scores) == [1, 1, 4, 4, 4]


class TestChangedCampaign:
    @staticmethod
    def changed(asked: Asked, folder: Path, **changes: object) -> Collection:
        """A collection over the same store after the owner changed the campaign's file."""
        path = folder / "campaign" / "campaign.json"
        campaign_fields = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(campaign_fields | changes), encoding="utf-8")
        collection = Collection(
            Campaign.open(path.parent), asked.store, asked.collection.key, asked.collection.ports, now=asked.clock
        )
        collection.turns.stale_seconds = 0
        return collection

    @staticmethod
    def reworded() -> dict[str, Any]:
        made = item(0)
        made["texts"] = [{**one, "text": f"{one['text']} Slowly."} for one in made["texts"]]
        return made

    @pytest.mark.parametrize("items", [[reworded()], [item(1)], [item(0, target=item(0)["current"])]])
    def test_a_vote_means_what_was_shown(self, tmp_path: Path, items: list[dict[str, Any]]) -> None:
        asked = collect(tmp_path, campaign_json([item(0), item(1)]))
        person = asked.person("ann")
        given = shown(asked, "ann", "vote")
        while given.current != asked.collection.campaign.picture(item(0)["current"]):
            asked.collection.skip(person, given.token, "other")
            given = shown(asked, "ann", "vote")
        changed = self.changed(asked, tmp_path, items=items)

        changed.give(person, given.token, VOTE)

        (vote,) = asked.store.live(kind="vote")
        assert isinstance(vote.payload, Vote)
        assert vote.payload.relevant == (MODELS[SENTENCES.index(given.texts[1])],)
        assert vote.item == item(0)["uid"]
        assert flags(asked, "ann") == [NO_LONGER_ASKED]
        asked.store.close()

    def test_a_choice_means_what_was_shown(self, tmp_path: Path) -> None:
        asked = collect(tmp_path, campaign_json([item_to_find(20)]))
        person, given = asked.person("ann"), shown(asked, "ann", "find")
        right = asked.collection.campaign.items[0].target
        place = given.candidates.index(asked.collection.campaign.picture(right))
        fewer = item_to_find(20)
        fewer.update(candidates=fewer["candidates"][1:], answer=1)
        changed = self.changed(asked, tmp_path, items=[fewer])

        changed.give(person, given.token, {"place": place})

        (choice,) = asked.store.live(kind="target_choice")
        assert isinstance(choice.payload, TargetChoice)
        assert choice.payload.correct
        assert flags(asked, "ann") == [NO_LONGER_ASKED]
        asked.store.close()

    def test_what_was_changed_is_not_shown_again_and_others_get_the_new(self, tmp_path: Path) -> None:
        asked = collect(tmp_path, campaign_json([item(0)]))
        given = shown(asked, "ann", "vote")
        changed = self.changed(asked, tmp_path, items=[self.reworded()])

        assert changed.next_task(asked.person("ann"), "vote", "en") is None
        assert shown(asked, "ben", "vote", changed).texts != given.texts
        asked.store.close()

    def test_an_answer_whose_places_nobody_can_tell_any_longer_is_refused(self, tmp_path: Path) -> None:
        asked = collect(tmp_path, campaign_json([item(0)]))
        given = shown(asked, "ann", "vote")
        changed = self.changed(asked, tmp_path, seed=1)

        with pytest.raises(RefusedError) as refusal:
            changed.give(asked.person("ann"), given.token, VOTE)
        assert refusal.value.code == "task_unknown"
        assert changed.next_task(asked.person("ann"), "vote", "en") is None
        asked.store.close()

    def test_a_vote_on_what_reads_otherwise_now_is_taken_back_without_its_places(self, tmp_path: Path) -> None:
        asked = collect(tmp_path, campaign_json([item(0)]))
        given = shown(asked, "ann", "vote")
        asked.collection.give(asked.person("ann"), given.token, VOTE)
        fewer = item(0)
        fewer["texts"] = fewer["texts"][1:]
        changed = self.changed(asked, tmp_path, items=[fewer])

        again = changed.undo(asked.person("ann"), "vote", "en", given.token)

        assert again is not None
        assert (len(again.texts), again.answer) == (2, None)
        asked.store.close()


def test_a_claim_lives_through_a_restart(tmp_path: Path) -> None:
    asked = collect(tmp_path, campaign_json([item(0)]))
    given = shown(asked, "ann", "vote")
    asked.store.close()
    store = open_store(tmp_path / "store.sqlite", now=asked.clock)
    again = Collection(asked.collection.campaign, store, asked.collection.key, asked.collection.ports, now=asked.clock)

    assert again.next_task(asked.person("ann"), "vote", "en") == given
    again.give(asked.person("ann"), given.token, VOTE)
    assert store.live(kind="flag") == []
    store.close()
