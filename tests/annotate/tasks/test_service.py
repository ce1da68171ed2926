from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from annotate.errors import RefusedError
from annotate.records.api import MODES, Progress, Task
from annotate.records.kinds import Flag, Rating, Skip, TargetChoice, Vote
from annotate.tasks.scheduler import AHEAD_SECONDS, CLAIM_SECONDS
from annotate.tasks.service import Collection
from tests.annotate.asking import (
    HINDI,
    LONG,
    MODELS,
    SENTENCES,
    Asked,
    campaign_json,
    collect,
    gold,
    item,
    item_to_find,
    picture,
    text,
)

VOTE = {"relevant": 0, "fluent": None}


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    """Five pairs with texts of three models, and two targets to find."""
    made = collect(
        tmp_path, campaign_json([*(item(number) for number in range(5)), item_to_find(20), item_to_find(21)])
    )
    yield made
    made.store.close()


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(RefusedError) as refusal:
        yield
    assert refusal.value.code == code
    assert refusal.value.sentence.count("\n") == 0


def task(asked: Asked, name: str, kind: object = "vote", language: str = "en") -> Task:
    given = asked.collection.next_task(asked.person(name), kind, language)
    assert given is not None
    return given


class TestGiving:
    def test_three_different_people_vote_on_every_item_and_nobody_twice(self, asked: Asked) -> None:
        for name in ("ann", "ben", "cem", "dee"):
            person = asked.person(name)
            while (given := asked.collection.next_task(person, "vote", "en")) is not None:
                asked.collection.give(person, given.token, VOTE)

        votes = asked.store.live(kind="vote")
        assert set(Counter(vote.item for vote in votes).values()) == {3}
        assert len({(vote.item, vote.annotator) for vote in votes}) == len(votes) == 15

    def test_a_task_is_the_same_after_a_reload(self, asked: Asked) -> None:
        assert task(asked, "ann") == task(asked, "ann")

    def test_the_next_task_can_be_fetched_ahead(self, asked: Asked) -> None:
        person, first = asked.person("ann"), task(asked, "ann")
        asked.clock.pass_by(1)

        second = asked.collection.next_task(person, "vote", "en", after=first.token)

        assert second is not None
        assert second.token != first.token
        assert asked.collection.next_task(person, "vote", "en", after=first.token) == second
        assert asked.collection.next_task(person, "vote", "en") == first
        asked.collection.give(person, first.token, VOTE)
        assert asked.collection.next_task(person, "vote", "en") == second

    def test_what_was_fetched_ahead_counts_as_left_and_is_free_for_others_when_it_takes_long(
        self, tmp_path: Path
    ) -> None:
        asked = collect(tmp_path, campaign_json([item(0), item(1)], voices={"vote": 1}))
        person, first = asked.person("ann"), task(asked, "ann")
        second = asked.collection.next_task(person, "vote", "en", after=first.token)
        assert second is not None
        assert asked.collection.progress(person, "vote", "en") == Progress(given=0, left=2)
        assert asked.collection.next_task(asked.person("ben"), "vote", "en") is None

        asked.clock.pass_by(AHEAD_SECONDS + 1)

        assert task(asked, "ben").texts
        asked.collection.renew(person, first.token)
        assert asked.collection.give(person, first.token, VOTE).progress == Progress(given=1, left=0)
        asked.store.close()

    def test_one_task_is_fetched_ahead_and_never_two(self, asked: Asked) -> None:
        person, first = asked.person("ann"), task(asked, "ann")
        second = asked.collection.next_task(person, "vote", "en", after=first.token)
        assert second is not None

        for after in (second.token, "0" * 32, first.token):
            asked.collection.next_task(person, "vote", "en", after=after)

        assert len(asked.store.claims_of(person.pseudonym)) == 2

    def test_fetching_ahead_takes_nothing_from_the_time_of_the_task_on_the_page(self, asked: Asked) -> None:
        person, first = asked.person("ann"), task(asked, "ann")
        second = asked.collection.next_task(person, "vote", "en", after=first.token)
        assert second is not None

        asked.collection.next_task(person, "vote", "en", after=second.token)

        (longest,) = (claim.expires for claim in asked.store.claims_of(person.pseudonym) if claim.token == first.token)
        assert longest == asked.clock() + CLAIM_SECONDS

    def test_fewest_voices_come_first_also_where_everybody_fetches_ahead(self, tmp_path: Path) -> None:
        asked = collect(tmp_path, campaign_json([item(number) for number in range(6)], voices={"vote": 3}))
        people = [asked.person(name) for name in ("ann", "ben", "cem")]
        for _ in range(2):
            for person in people:
                first = asked.collection.next_task(person, "vote", "en")
                assert first is not None
                asked.collection.next_task(person, "vote", "en", after=first.token)
                asked.clock.pass_by(1)
                asked.collection.give(person, first.token, VOTE)

        # Six answers and as many fetched ahead, over six pairs.
        held = [claim.item for person in people for claim in asked.store.claims_of(person.pseudonym)]
        voices = Counter([*(vote.item for vote in asked.store.live(kind="vote")), *held])
        assert set(voices.values()) <= {1, 2}
        assert len(voices) == 6
        asked.store.close()

    def test_a_place_counts_in_the_order_shown(self, asked: Asked) -> None:
        given = task(asked, "ann")

        asked.collection.give(asked.person("ann"), given.token, {"relevant": 1, "fluent": None})

        (vote,) = asked.store.live(kind="vote")
        assert isinstance(vote.payload, Vote)
        shown = [MODELS[SENTENCES.index(words)] for words in given.texts]
        assert vote.payload.shown == tuple(shown)
        assert vote.payload.relevant == (shown[1],)
        assert vote.payload.fluent == tuple(shown)

    def test_given_twice_it_is_kept_once(self, asked: Asked) -> None:
        person, given = asked.person("ann"), task(asked, "ann")

        first = asked.collection.give(person, given.token, VOTE)
        second = asked.collection.give(person, given.token, VOTE)

        assert (first.event, first.progress) == (second.event, second.progress)
        assert (first.repeated, second.repeated) == (False, True)
        assert len(asked.store.events(kind="vote")) == 1

    def test_another_answer_to_the_same_token_is_refused(self, asked: Asked) -> None:
        person, given = asked.person("ann"), task(asked, "ann")
        asked.collection.give(person, given.token, VOTE)

        with refused("answer_twice"):
            asked.collection.give(person, given.token, {"relevant": 2, "fluent": None})

    @pytest.mark.parametrize("token", ["", "x", "0" * 32, "0" * 33, "a\x00b", None, 7, {"a": 1}])
    def test_a_made_up_token_is_refused(self, asked: Asked, token: object) -> None:
        with refused("task_unknown"):
            asked.collection.give(asked.person("ann"), token, VOTE)
        with refused("task_unknown"):
            asked.collection.skip(asked.person("ann"), token, "unclear")
        with refused("task_unknown"):
            asked.collection.renew(asked.person("ann"), token)

    def test_the_token_of_another_is_refused(self, asked: Asked) -> None:
        given = task(asked, "ann")
        with refused("task_unknown"):
            asked.collection.give(asked.person("ben"), given.token, VOTE)

        asked.collection.give(asked.person("ann"), given.token, VOTE)
        with refused("task_unknown"):
            asked.collection.give(asked.person("ben"), given.token, VOTE)

    @pytest.mark.parametrize(
        "answer",
        [
            None,
            [],
            {},
            {"relevant": 0},
            {"relevant": 3, "fluent": 0},
            {"relevant": -1, "fluent": 0},
            {"relevant": True, "fluent": 0},
            {"relevant": "0", "fluent": 0},
            {"relevant": 0.0, "fluent": 0},
            {"relevant": 0, "fluent": 0, "model": "model-ash"},
        ],
    )
    def test_an_answer_that_cannot_be_is_refused_and_the_task_stays(self, asked: Asked, answer: object) -> None:
        given = task(asked, "ann")

        with refused("answer_malformed"):
            asked.collection.give(asked.person("ann"), given.token, answer)

        assert task(asked, "ann") == given

    def test_kinds_and_languages_that_are_not_asked_are_refused(self, asked: Asked) -> None:
        with refused("kind_not_asked"):
            task(asked, "ann", kind="sing")
        with refused("language_not_asked"):
            task(asked, "ann", language="fr")

    def test_a_rating_carries_its_flag(self, asked: Asked) -> None:
        given = task(asked, "ann", "verify")
        answer = {"score": 2, "flags": ["through_object"], "comment": "leg in the wall"}

        asked.collection.give(asked.person("ann"), given.token, answer)

        rating, flag = asked.store.live(kind="rating") + asked.store.live(kind="flag")
        assert isinstance(rating.payload, Rating)
        assert (rating.payload.text, rating.payload.score) == ("reference-1", 2)
        assert flag.payload == Flag("through_object", of=rating.id)
        assert flag.item == rating.item

    def test_a_target_is_found_by_its_place(self, asked: Asked) -> None:
        given = task(asked, "ann", "find")
        right = next(place for place, shown in enumerate(given.candidates) if shown == _target(given))

        asked.collection.give(asked.person("ann"), given.token, {"place": right})

        (choice,) = asked.store.live()
        assert isinstance(choice.payload, TargetChoice)
        assert choice.payload.correct
        assert choice.payload.mode == given.mode

    def test_whoever_chose_once_is_not_asked_with_other_clues(self, asked: Asked) -> None:
        person = asked.person("ann")
        for _ in range(2):
            asked.collection.give(person, task(asked, "ann", "find").token, {"place": 0})

        assert asked.collection.next_task(person, "find", "en") is None
        assert len({choice.item for choice in asked.store.live(kind="target_choice")}) == 2

    def test_find_shows_what_its_mode_allows(self, asked: Asked) -> None:
        seen = {}
        for name in "abcdefghi":
            given = asked.collection.next_task(asked.person(name), "find", "en")
            if given is not None:
                seen[given.mode] = given

        assert set(seen) == set(MODES)
        assert all(given.target is None for given in seen.values())
        assert (seen["language"].current, seen["picture"].texts) == (None, ())
        assert seen["everything"].current is not None
        assert seen["everything"].texts == ("Take the third.",)

    def test_seconds_are_counted_from_the_answer_before(self, asked: Asked) -> None:
        person, first = asked.person("ann"), task(asked, "ann")
        second = asked.collection.next_task(person, "vote", "en", after=first.token)
        assert second is not None
        asked.clock.pass_by(30)
        asked.collection.give(person, first.token, VOTE)
        asked.clock.pass_by(5)
        asked.collection.give(person, second.token, VOTE)

        votes = [vote.payload for vote in asked.store.live(kind="vote")]
        assert [vote.seconds for vote in votes if isinstance(vote, Vote)] == [30, 5]

    def test_seconds_of_what_was_fetched_ahead_are_counted_from_a_skip_and_by_every_process(self, asked: Asked) -> None:
        person, first = asked.person("ann"), task(asked, "ann")
        second = asked.collection.next_task(person, "vote", "en", after=first.token)
        assert second is not None
        asked.clock.pass_by(30)
        asked.collection.skip(person, first.token, "other")
        asked.clock.pass_by(5)

        replace(asked.collection).give(person, second.token, VOTE)

        (vote,) = asked.store.live(kind="vote")
        assert isinstance(vote.payload, Vote)
        assert vote.payload.seconds == 5

    def test_too_many_requests_are_refused(self, tmp_path: Path) -> None:
        made = collect(tmp_path, campaign_json([item(0)]))
        limited = Collection(made.collection.campaign, made.store, made.collection.key, made.collection.ports)
        with refused("too_fast"):
            for _ in range(1000):
                limited.next_task(made.person("ann"), "vote", "en")
        made.store.close()


class TestTexts:
    def test_a_written_text_is_judged_by_others_alone_and_then_translated(self, asked: Asked) -> None:
        writer = asked.person("ann")
        asked.collection.give(writer, task(asked, "ann", "write").token, {"text": LONG})

        own = _all_texts(asked, "ann", "verify", {"score": 4})
        assert LONG not in own
        for name in ("ben", "cem", "dee"):
            assert LONG in _all_texts(asked, name, "verify", {"score": 4})
        assert LONG not in _all_texts(asked, "ann", "translate", {"text": HINDI}, "hi")
        assert LONG in _all_texts(asked, "ben", "translate", {"text": HINDI * 4}, "hi")

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("", "text_missing"),
            (" \x00\n ", "text_missing"),
            (f"{LONG} @", "rules_broken"),
            (HINDI, "rules_broken"),
            ("a " * 60_000, "text_too_long"),
            (7, "answer_malformed"),
            (None, "answer_malformed"),
        ],
    )
    def test_a_text_that_breaks_a_rule_is_refused_and_the_task_stays(
        self, asked: Asked, text: object, code: str
    ) -> None:
        given = task(asked, "ann", "write")

        with refused(code):
            asked.collection.give(asked.person("ann"), given.token, {"text": text})

        assert task(asked, "ann", "write") == given

    @pytest.mark.parametrize("text", ["अपनी", HINDI * 5, "Apni bain banh ko thoda upar uthaen"])
    def test_a_translation_is_in_its_script_and_about_as_long(self, asked: Asked, text: str) -> None:
        given = task(asked, "ann", "translate", "hi")
        assert given.texts[0].startswith("Raise your left arm")

        with refused("rules_broken"):
            asked.collection.give(asked.person("ann"), given.token, {"text": text})

    def test_texts_that_read_alike_are_shown_once_and_share_the_vote(self, tmp_path: Path) -> None:
        texts = [text("model-ash", "en", "Bend it.", "vote"), text("model-birch", "en", " Bend  it.", "vote")]
        alike = item(0, texts=[*texts, text("model-cedar", "en", "Raise it.", "vote")])
        same = item(1, texts=texts)
        asked = collect(tmp_path, campaign_json([alike, same]))
        given = task(asked, "ann")

        assert sorted(given.texts) == ["Bend it.", "Raise it."]
        asked.collection.give(
            asked.person("ann"), given.token, {"relevant": given.texts.index("Bend it."), "fluent": 0}
        )

        (vote,) = asked.store.live()
        assert isinstance(vote.payload, Vote)
        assert sorted(vote.payload.relevant) == ["model-ash", "model-birch"]
        assert asked.collection.next_task(asked.person("ann"), "vote", "en") is None  # nothing to choose in the other
        asked.store.close()


class TestTime:
    def test_a_claim_that_ran_out_is_given_to_another_and_a_late_answer_is_one_voice_more(self, tmp_path: Path) -> None:
        asked = collect(tmp_path, campaign_json([item(0)], voices={"vote": 1}))
        late = task(asked, "ann")
        assert asked.collection.next_task(asked.person("ben"), "vote", "en") is None

        asked.clock.pass_by(CLAIM_SECONDS + 1)
        asked.collection.give(asked.person("ben"), task(asked, "ben").token, VOTE)

        assert not asked.collection.give(asked.person("ann"), late.token, VOTE).repeated
        assert asked.collection.give(asked.person("ann"), late.token, VOTE).repeated
        assert len(asked.store.live(kind="vote")) == 2
        assert asked.store.claims_of(asked.person("ann").pseudonym) == []
        asked.store.close()

    def test_what_ran_out_is_not_renewed(self, asked: Asked) -> None:
        late = task(asked, "ann")
        asked.clock.pass_by(CLAIM_SECONDS + 1)

        with refused("task_expired"):
            asked.collection.renew(asked.person("ann"), late.token)

    def test_a_claim_is_renewed(self, asked: Asked) -> None:
        given = task(asked, "ann")
        for _ in range(3):
            asked.clock.pass_by(CLAIM_SECONDS - 1)
            asked.collection.renew(asked.person("ann"), given.token)

        assert task(asked, "ann") == given

    def test_no_item_is_stuck_after_everybody_left(self, asked: Asked) -> None:
        for name in "abcdefghijklmno":
            assert asked.collection.next_task(asked.person(name), "vote", "en") is not None
        assert asked.collection.next_task(asked.person("p"), "vote", "en") is None

        asked.clock.pass_by(CLAIM_SECONDS + 1)

        for name in "pqr":
            person = asked.person(name)
            while (given := asked.collection.next_task(person, "vote", "en")) is not None:
                asked.collection.give(person, given.token, VOTE)
        assert len(asked.store.live(kind="vote")) == 15


class TestSkipping:
    def test_what_was_skipped_does_not_come_back_and_stays_open_for_others(self, tmp_path: Path) -> None:
        asked = collect(tmp_path, campaign_json([item(0)]))
        given = task(asked, "ann")

        asked.collection.skip(asked.person("ann"), given.token, "unclear", "too dark")

        assert asked.collection.next_task(asked.person("ann"), "vote", "en") is None
        assert task(asked, "ben").texts
        skip, flag = asked.store.live(kind="skip") + asked.store.live(kind="flag")
        assert skip.payload == Skip("unclear", task="vote")
        assert flag.payload == Flag("skipped_unclear", "too dark", of=skip.id)
        asked.store.close()

    def test_every_comment_on_a_pair_is_kept(self, tmp_path: Path) -> None:
        asked, comments = collect(tmp_path, campaign_json([item(0)])), {"vote": "too dark", "verify": "another room"}
        for kind, comment in comments.items():
            given = task(asked, "ann", kind)
            asked.collection.skip(asked.person("ann"), given.token, "unclear", comment)

        assert {event.payload.comment for event in asked.store.live(kind="flag")} == set(comments.values())
        asked.store.close()

    def test_texts_of_one_item_are_skipped_one_by_one(self, tmp_path: Path) -> None:
        texts = [text(name, "en", name, "verify") for name in ("one", "two")]
        asked = collect(tmp_path, campaign_json([item(0, texts=texts)]))
        first = task(asked, "ann", "verify")
        asked.collection.skip(asked.person("ann"), first.token, "language")

        assert task(asked, "ann", "verify").texts != first.texts
        asked.store.close()

    def test_what_was_skipped_is_not_answered_with_the_same_token_nor_the_other_way_round(self, asked: Asked) -> None:
        person, first = asked.person("ann"), task(asked, "ann")
        asked.collection.skip(person, first.token, "other")
        assert asked.collection.skip(person, first.token, "other").repeated
        with refused("answer_twice"):
            asked.collection.give(person, first.token, VOTE)

        second = task(asked, "ann")
        asked.collection.give(person, second.token, VOTE)
        with refused("answer_twice"):
            asked.collection.skip(person, second.token, "other")

    def test_a_reason_must_be_one_of_those_shown(self, asked: Asked) -> None:
        with refused("answer_malformed"):
            asked.collection.skip(asked.person("ann"), task(asked, "ann").token, "boring")


class TestBlindness:
    def test_a_task_tells_nothing_but_pictures_and_texts(self, tmp_path: Path) -> None:
        asked = collect(tmp_path, campaign_json([*(item(number) for number in range(12)), *map(gold, range(30, 36))]))
        person, seen = asked.person("ann"), []
        while (given := asked.collection.next_task(person, "vote", "en")) is not None:
            seen.append(given)
            asked.collection.give(person, given.token, VOTE)

        assert len(seen) > 12
        for given in seen:
            task_text = json.dumps(asdict(given), default=repr)
            assert not any(word in task_text for word in (*MODELS, "gold", "text-0", "small", "_0_0_0_0"))
            assert sorted(given.texts) == sorted(SENTENCES)
            assert {type(value) for value in asdict(given).values()} <= {str, bytes, tuple, type(None)}

        gold_votes = [vote for vote in asked.store.live(kind="vote") if int(vote.item.split("_")[0]) >= 30]
        assert len(gold_votes) == len(seen) - 12 == len({vote.item for vote in gold_votes})
        asked.store.close()

    def test_what_is_left_falls_by_one_with_every_answer(self, tmp_path: Path) -> None:
        asked = collect(tmp_path, campaign_json([*(item(number) for number in range(12)), *map(gold, range(30, 36))]))
        person, left = asked.person("ann"), []
        while (given := asked.collection.next_task(person, "vote", "en")) is not None:
            progress = asked.collection.give(person, given.token, VOTE).progress
            left.append((progress.given, progress.left))

        assert left == [(number + 1, len(left) - number - 1) for number in range(len(left))]
        asked.store.close()

    def test_places_of_the_answer_differ_between_people(self, asked: Asked) -> None:
        places = set()
        for name in "abcdef":
            given = asked.collection.next_task(asked.person(name), "find", "en")
            if given is not None:
                places.add(given.candidates.index(_target(given)))

        assert len(places) > 1


class TestAgreeing:
    def test_terms_come_before_the_first_task(self, asked: Asked) -> None:
        asked.collection.consents = {"vote": "2026-01"}
        person = asked.person("ann")
        with refused("consent_missing"):
            asked.collection.next_task(person, "vote", "en")

        asked.collection.agree(person, "2025-12")
        assert not asked.collection.agreed(person, "2026-01")
        asked.collection.agree(person, "2026-01", "All is public.", "en")
        asked.collection.agree(person, "2026-01", "All is public.", "en")

        assert asked.collection.agreed(person, "2026-01")
        assert asked.collection.next_task(person, "vote", "en") is not None
        assert len(asked.store.live(kind="consent")) == 2

    def test_everything_given_is_deleted_on_request(self, asked: Asked) -> None:
        person = asked.person("ann")
        asked.collection.give(person, task(asked, "ann").token, VOTE)
        assert asked.collection.record_counts(person) == {"vote": 1}

        asked.collection.withdraw(person)

        assert asked.store.live(annotator=person.pseudonym) == []
        assert asked.collection.next_task(person, "vote", "en") is not None


class TestChoosing:
    def test_a_pair_to_re_enact_is_chosen_from_several(self, asked: Asked) -> None:
        person = asked.person("ann")
        offers = asked.collection.offers(person, "real_pair", "en", most=3)
        assert len({offer.id for offer in offers}) == 3

        chosen = asked.collection.choose(person, "real_pair", "en", offers[1].id)

        assert (chosen.current, chosen.texts) == (offers[1].current, (offers[1].text,))
        answer = {"current": picture(1, 2, 3), "target": picture(3, 2, 1), "text": "Raise it."}
        asked.collection.give(person, chosen.token, answer)
        assert len(asked.store.live(kind="real_pair")) == 1

    def test_an_offer_to_another_is_refused(self, asked: Asked) -> None:
        offers = asked.collection.offers(asked.person("ann"), "real_pair", "en")
        with refused("task_unknown"):
            asked.collection.choose(asked.person("ben"), "real_pair", "en", offers[0].id)


def test_coverage_counts_each_voice_once(asked: Asked) -> None:
    asked.collection.give(asked.person("ann"), task(asked, "ann").token, VOTE)

    (votes,) = [coverage for coverage in asked.collection.coverage() if coverage.kind == "vote"]

    assert (votes.language, votes.answered, votes.wanted) == ("en", 1, 15)


def test_a_text_that_a_person_wrote_is_not_translated_into_its_own_language(tmp_path: Path) -> None:
    asked = collect(tmp_path, campaign_json([item(0)], voices={"verify": 1, "write": 1}))
    asked.collection.give(asked.person("ann"), task(asked, "ann", "write").token, {"text": LONG, "flags": []})
    while (given := asked.collection.next_task(asked.person("ben"), "verify", "en")) is not None:
        asked.collection.give(asked.person("ben"), given.token, {"score": 4})

    wanted = {one.language: one.wanted for one in asked.collection.coverage() if one.kind == "translate"}
    assert wanted["hi"] > 0
    assert not wanted.get("en")
    assert asked.collection.next_task(asked.person("ben"), "translate", "en") is None
    asked.store.close()


def test_threads_that_ask_at_once_give_every_item_its_voices_and_no_more(tmp_path: Path, where: str | Path) -> None:
    asked = collect(tmp_path, campaign_json([item(number) for number in range(5)]), where)
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            person = asked.person(name)
            while (given := asked.collection.next_task(person, "vote", "en")) is not None:
                asked.collection.give(person, given.token, VOTE)
        except BaseException as error:  # noqa: BLE001  told after the join
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"person{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    votes = asked.store.live(kind="vote")
    assert failures == []
    assert set(Counter(vote.item for vote in votes).values()) == {3}
    assert len({(vote.item, vote.annotator) for vote in votes}) == len(votes) == 15
    asked.store.close()


def _target(given: Task) -> bytes:
    """The right candidate of an item of ``item_to_find``, by its colour."""
    return next(shown for shown in given.candidates if shown in {picture(20, 120, 7), picture(21, 120, 7)})


def _all_texts(asked: Asked, name: str, kind: object, answer: dict[str, Any], language: str = "en") -> list[str]:
    """Answer everything that somebody is given, and return the texts."""
    person, seen = asked.person(name), []
    while (given := asked.collection.next_task(person, kind, language)) is not None:
        seen += given.texts
        try:
            asked.collection.give(person, given.token, answer)
        except RefusedError:
            asked.collection.skip(person, given.token, "other")
    return seen
