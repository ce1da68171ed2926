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
from annotate.identity import Annotator
from annotate.kinds.find_target import FindTarget
from annotate.kinds.task_kind import MODES, Progress, Task
from annotate.kinds.verify import Rating
from annotate.kinds.vote import Vote
from annotate.records import Flag, Skip
from annotate.storage.queries import IDLE_BELOW_SECONDS
from annotate.tasks.scheduler import AHEAD_SECONDS, CLAIM_SECONDS, FIRST_SECONDS
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
    gold,
    item,
    item_to_find,
    picture,
    text,
)

VOTE = {"relevant": 0, "fluent": None}


@pytest.fixture
def rig(make_rig: MakeRig) -> ServiceRig:
    """Five pairs with texts of three models, and two targets to find."""
    return make_rig([*(item(number) for number in range(5)), item_to_find(20), item_to_find(21)])


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(RefusedError) as refusal:
        yield
    assert refusal.value.code == code
    assert refusal.value.sentence.count("\n") == 0


def task(rig: ServiceRig, name: str, kind: object = "vote", language: str = "en") -> Task:
    assigned = rig.service.next_task(rig.person(name), kind, language)
    assert assigned is not None
    return assigned


def known(rig: ServiceRig, name: str) -> Annotator:
    """Give somebody who has voted already; who has not holds one task alone."""
    person = rig.person(name)
    rig.service.give(person, task(rig, name).token, VOTE)
    return person


class TestGiving:
    def test_three_different_people_vote_on_every_item_and_nobody_twice(self, rig: ServiceRig) -> None:
        for name in ("ann", "ben", "cem", "dee"):
            person = rig.person(name)
            while (assigned := rig.service.next_task(person, "vote", "en")) is not None:
                rig.service.give(person, assigned.token, VOTE)

        votes = rig.store.live(kind="vote")
        assert set(Counter(vote.item for vote in votes).values()) == {3}
        assert len({(vote.item, vote.annotator) for vote in votes}) == len(votes) == 15

    def test_a_task_is_the_same_after_a_reload(self, rig: ServiceRig) -> None:
        assert task(rig, "ann") == task(rig, "ann")

    def test_the_next_task_can_be_fetched_ahead(self, rig: ServiceRig) -> None:
        person, first = known(rig, "ann"), task(rig, "ann")
        rig.clock.pass_by(1)

        second = rig.service.next_task(person, "vote", "en", after=first.token)

        assert second is not None
        assert second.token != first.token
        assert rig.service.next_task(person, "vote", "en", after=first.token) == second
        assert rig.service.next_task(person, "vote", "en") == first
        rig.service.give(person, first.token, VOTE)
        assert rig.service.next_task(person, "vote", "en") == second

    def test_what_was_fetched_ahead_counts_as_left_and_is_free_for_others_when_it_takes_long(
        self, make_rig: MakeRig
    ) -> None:
        rig = make_rig([item(number) for number in (0, 12, 24, 36)], voices={"vote": 1})
        person, first = known(rig, "ann"), task(rig, "ann")
        second = rig.service.next_task(person, "vote", "en", after=first.token)
        assert second is not None
        assert rig.service.progress(person, "vote", "en") == Progress(given=1, left=3)
        assert task(rig, "ben").current not in {first.current, second.current}

        rig.clock.pass_by(AHEAD_SECONDS + 1)

        assert task(rig, "cem").current == second.current
        rig.service.renew(person, first.token)
        assert rig.service.give(person, first.token, VOTE).progress == Progress(given=2, left=2)

    def test_one_task_is_fetched_ahead_and_never_two(self, rig: ServiceRig) -> None:
        person, first = known(rig, "ann"), task(rig, "ann")
        second = rig.service.next_task(person, "vote", "en", after=first.token)
        assert second is not None

        for after in (second.token, "0" * 32, first.token):
            rig.service.next_task(person, "vote", "en", after=after)

        assert len(rig.store.claims_of(person.pseudonym)) == 2

    def test_fetching_ahead_takes_nothing_from_the_time_of_the_task_on_the_page(self, rig: ServiceRig) -> None:
        person, first = known(rig, "ann"), task(rig, "ann")
        second = rig.service.next_task(person, "vote", "en", after=first.token)
        assert second is not None

        rig.service.next_task(person, "vote", "en", after=second.token)

        (longest,) = (claim.expires for claim in rig.store.claims_of(person.pseudonym) if claim.token == first.token)
        assert longest == rig.clock() + CLAIM_SECONDS

    def test_fewest_voices_come_first_also_where_everybody_fetches_ahead(self, make_rig: MakeRig) -> None:
        rig = make_rig([item(number) for number in range(6)], voices={"vote": 3})
        people = [rig.person(name) for name in ("ann", "ben", "cem")]
        for _ in range(2):
            for person in people:
                first = rig.service.next_task(person, "vote", "en")
                assert first is not None
                rig.service.next_task(person, "vote", "en", after=first.token)
                rig.clock.pass_by(1)
                rig.service.give(person, first.token, VOTE)

        # Six answers and as many fetched ahead, over six pairs.
        held = [claim.item for person in people for claim in rig.store.claims_of(person.pseudonym)]
        voices = Counter([*(vote.item for vote in rig.store.live(kind="vote")), *held])
        assert set(voices.values()) <= {1, 2}
        assert len(voices) == 6

    def test_a_place_counts_in_the_order_shown(self, rig: ServiceRig) -> None:
        assigned = task(rig, "ann")

        rig.service.give(rig.person("ann"), assigned.token, {"relevant": 1, "fluent": None})

        (vote,) = rig.store.live(kind="vote")
        assert isinstance(vote.payload, Vote)
        shown = [MODELS[SENTENCES.index(words)] for words in assigned.texts]
        assert vote.payload.shown == tuple(shown)
        assert vote.payload.relevant == (shown[1],)
        assert vote.payload.fluent == tuple(shown)

    def test_given_twice_it_is_kept_once(self, rig: ServiceRig) -> None:
        person, assigned = rig.person("ann"), task(rig, "ann")

        first = rig.service.give(person, assigned.token, VOTE)
        second = rig.service.give(person, assigned.token, VOTE)

        assert (first.event, first.progress) == (second.event, second.progress)
        assert (first.repeated, second.repeated) == (False, True)
        assert len(rig.store.events(kind="vote")) == 1

    def test_another_answer_to_the_same_token_is_refused(self, rig: ServiceRig) -> None:
        person, assigned = rig.person("ann"), task(rig, "ann")
        rig.service.give(person, assigned.token, VOTE)

        with refused("answer_twice"):
            rig.service.give(person, assigned.token, {"relevant": 2, "fluent": None})

    @pytest.mark.parametrize("token", ["", "x", "0" * 32, "0" * 33, "a\x00b", None, 7, {"a": 1}])
    def test_a_made_up_token_is_refused(self, rig: ServiceRig, token: object) -> None:
        with refused("task_unknown"):
            rig.service.give(rig.person("ann"), token, VOTE)
        with refused("task_unknown"):
            rig.service.skip(rig.person("ann"), token, "unclear")
        with refused("task_unknown"):
            rig.service.renew(rig.person("ann"), token)

    def test_the_token_of_another_is_refused(self, rig: ServiceRig) -> None:
        assigned = task(rig, "ann")
        with refused("task_unknown"):
            rig.service.give(rig.person("ben"), assigned.token, VOTE)

        rig.service.give(rig.person("ann"), assigned.token, VOTE)
        with refused("task_unknown"):
            rig.service.give(rig.person("ben"), assigned.token, VOTE)

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
    def test_an_answer_that_cannot_be_is_refused_and_the_task_stays(self, rig: ServiceRig, answer: object) -> None:
        assigned = task(rig, "ann")

        with refused("answer_malformed"):
            rig.service.give(rig.person("ann"), assigned.token, answer)

        assert task(rig, "ann") == assigned

    def test_kinds_and_languages_that_are_not_asked_are_refused(self, rig: ServiceRig) -> None:
        with refused("kind_not_asked"):
            task(rig, "ann", kind="sing")
        with refused("language_not_asked"):
            task(rig, "ann", language="fr")

    def test_a_rating_carries_its_flag(self, rig: ServiceRig) -> None:
        assigned = task(rig, "ann", "verify")
        answer = {"score": 2, "flags": ["through_object"], "comment": "leg in the wall"}

        rig.service.give(rig.person("ann"), assigned.token, answer)

        rating, flag = rig.store.live(kind="rating") + rig.store.live(kind="flag")
        assert isinstance(rating.payload, Rating)
        assert (rating.payload.text, rating.payload.score) == ("reference-1", 2)
        assert flag.payload == Flag("through_object", of=rating.id)
        assert flag.item == rating.item

    def test_a_target_is_found_by_its_place(self, rig: ServiceRig) -> None:
        assigned = task(rig, "ann", "find")
        right = next(place for place, shown in enumerate(assigned.candidates) if shown == _target(assigned))

        rig.service.give(rig.person("ann"), assigned.token, {"place": right})

        (choice,) = rig.store.live()
        assert isinstance(choice.payload, FindTarget)
        assert choice.payload.correct
        assert choice.payload.mode == assigned.mode

    def test_a_person_who_chose_once_is_not_asked_with_other_clues(self, rig: ServiceRig) -> None:
        person = rig.person("ann")
        for _ in range(2):
            rig.service.give(person, task(rig, "ann", "find").token, {"place": 0})

        assert rig.service.next_task(person, "find", "en") is None
        assert len({choice.item for choice in rig.store.live(kind="target_choice")}) == 2

    def test_find_shows_what_its_mode_allows(self, rig: ServiceRig) -> None:
        seen = {}
        for name in "abcdefghi":
            assigned = rig.service.next_task(rig.person(name), "find", "en")
            if assigned is not None:
                seen[assigned.mode] = assigned

        assert set(seen) == set(MODES)
        assert all(assigned.target is None for assigned in seen.values())
        assert (seen["language"].current, seen["picture"].texts) == (None, ())
        assert seen["everything"].current is not None
        assert seen["everything"].texts == ("Take the third.",)

    def test_seconds_are_counted_from_the_answer_before(self, rig: ServiceRig) -> None:
        person, first = known(rig, "ann"), task(rig, "ann")
        second = rig.service.next_task(person, "vote", "en", after=first.token)
        assert second is not None
        rig.clock.pass_by(30)
        rig.service.give(person, first.token, VOTE)
        rig.clock.pass_by(5)
        rig.service.give(person, second.token, VOTE)

        votes = [vote.payload for vote in rig.store.live(kind="vote")]
        assert [vote.seconds for vote in votes if isinstance(vote, Vote)] == [0, 30, 5]

    def test_seconds_of_what_was_fetched_ahead_are_counted_from_a_skip_and_by_every_process(
        self, rig: ServiceRig
    ) -> None:
        person, first = known(rig, "ann"), task(rig, "ann")
        second = rig.service.next_task(person, "vote", "en", after=first.token)
        assert second is not None
        rig.clock.pass_by(30)
        rig.service.skip(person, first.token, "other")
        rig.clock.pass_by(5)

        replace(rig.service).give(person, second.token, VOTE)

        (_, vote) = rig.store.live(kind="vote")
        assert isinstance(vote.payload, Vote)
        assert vote.payload.seconds == 5

    def test_too_many_requests_are_refused(self, make_rig: MakeRig) -> None:
        made = make_rig([item(0)])
        limited = AnnotationService(made.service.campaign, made.store, made.service.key, made.service.ports)
        with refused("too_fast"):
            for _ in range(1000):
                limited.next_task(made.person("ann"), "vote", "en")


class TestTexts:
    def test_a_written_text_is_judged_by_others_alone_and_then_translated(self, rig: ServiceRig) -> None:
        writer = rig.person("ann")
        rig.service.give(writer, task(rig, "ann", "write").token, {"text": LONG})

        own = _all_texts(rig, "ann", "verify", {"score": 4})
        assert LONG not in own
        for name in ("ben", "cem", "dee"):
            assert LONG in _all_texts(rig, name, "verify", {"score": 4})
        assert LONG not in _all_texts(rig, "ann", "translate", {"text": HINDI}, "hi")
        assert LONG in _all_texts(rig, "ben", "translate", {"text": HINDI * 4}, "hi")

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
        self, rig: ServiceRig, text: object, code: str
    ) -> None:
        assigned = task(rig, "ann", "write")

        with refused(code):
            rig.service.give(rig.person("ann"), assigned.token, {"text": text})

        assert task(rig, "ann", "write") == assigned

    @pytest.mark.parametrize("text", ["अपनी", HINDI * 5, "Apni bain banh ko thoda upar uthaen"])
    def test_a_translation_is_in_its_script_and_about_as_long(self, rig: ServiceRig, text: str) -> None:
        assigned = task(rig, "ann", "translate", "hi")
        assert assigned.texts[0].startswith("Raise your left arm")

        with refused("rules_broken"):
            rig.service.give(rig.person("ann"), assigned.token, {"text": text})

    def test_texts_that_read_alike_are_shown_once_and_share_the_vote(self, make_rig: MakeRig) -> None:
        texts = [text("model-ash", "en", "Bend it.", "vote"), text("model-birch", "en", " Bend  it.", "vote")]
        alike = item(0, texts=[*texts, text("model-cedar", "en", "Raise it.", "vote")])
        same = item(1, texts=texts)
        rig = make_rig([alike, same])
        assigned = task(rig, "ann")

        assert sorted(assigned.texts) == ["Bend it.", "Raise it."]
        rig.service.give(rig.person("ann"), assigned.token, {"relevant": assigned.texts.index("Bend it."), "fluent": 0})

        (vote,) = rig.store.live()
        assert isinstance(vote.payload, Vote)
        assert sorted(vote.payload.relevant) == ["model-ash", "model-birch"]
        assert rig.service.next_task(rig.person("ann"), "vote", "en") is None  # nothing to choose in the other


class TestTime:
    def test_a_claim_that_ran_out_is_given_to_another_and_a_late_answer_is_one_voice_more(
        self, make_rig: MakeRig
    ) -> None:
        rig = make_rig([item(0)], voices={"vote": 1})
        late = task(rig, "ann")

        rig.clock.pass_by(CLAIM_SECONDS + 1)
        rig.service.give(rig.person("ben"), task(rig, "ben").token, VOTE)

        assert not rig.service.give(rig.person("ann"), late.token, VOTE).repeated
        assert rig.service.give(rig.person("ann"), late.token, VOTE).repeated
        assert len(rig.store.live(kind="vote")) == 2
        assert rig.store.claims_of(rig.person("ann").pseudonym) == []

    def test_what_ran_out_is_not_renewed(self, rig: ServiceRig) -> None:
        late = task(rig, "ann")
        rig.clock.pass_by(CLAIM_SECONDS + 1)

        with refused("task_expired"):
            rig.service.renew(rig.person("ann"), late.token)

    def test_a_claim_is_renewed(self, rig: ServiceRig) -> None:
        person, assigned = known(rig, "ann"), task(rig, "ann")
        for _ in range(3):
            rig.clock.pass_by(CLAIM_SECONDS - 1)
            rig.service.renew(person, assigned.token)

        assert task(rig, "ann") == assigned

    def test_no_item_is_stuck_after_everybody_left(self, rig: ServiceRig) -> None:
        for name in "abcdefghijklmno":
            assert rig.service.next_task(rig.person(name), "vote", "en") is not None

        rig.clock.pass_by(CLAIM_SECONDS + 1)

        for name in "pqr":
            person = rig.person(name)
            while (assigned := rig.service.next_task(person, "vote", "en")) is not None:
                rig.service.give(person, assigned.token, VOTE)
        assert len(rig.store.live(kind="vote")) == 15


class TestSkipping:
    def test_what_was_skipped_does_not_come_back_and_stays_open_for_others(self, make_rig: MakeRig) -> None:
        rig = make_rig([item(0)])
        assigned = task(rig, "ann")

        rig.service.skip(rig.person("ann"), assigned.token, "unclear", "too dark")

        assert rig.service.next_task(rig.person("ann"), "vote", "en") is None
        assert task(rig, "ben").texts
        skip, flag = rig.store.live(kind="skip") + rig.store.live(kind="flag")
        assert skip.payload == Skip("unclear", task="vote")
        assert flag.payload == Flag("skipped_unclear", "too dark", of=skip.id)

    def test_every_comment_on_a_pair_is_kept(self, make_rig: MakeRig) -> None:
        rig, comments = make_rig([item(0)]), {"vote": "too dark", "verify": "another room"}
        for kind, comment in comments.items():
            assigned = task(rig, "ann", kind)
            rig.service.skip(rig.person("ann"), assigned.token, "unclear", comment)

        assert {event.payload.comment for event in rig.store.live(kind="flag")} == set(comments.values())

    def test_texts_of_one_item_are_skipped_one_by_one(self, make_rig: MakeRig) -> None:
        texts = [text(name, "en", name, "verify") for name in ("one", "two")]
        rig = make_rig([item(0, texts=texts)])
        first = task(rig, "ann", "verify")
        rig.service.skip(rig.person("ann"), first.token, "language")

        assert task(rig, "ann", "verify").texts != first.texts

    def test_what_was_skipped_is_not_answered_with_the_same_token_nor_the_other_way_round(
        self, rig: ServiceRig
    ) -> None:
        person, first = known(rig, "ann"), task(rig, "ann")
        rig.service.skip(person, first.token, "other")
        assert rig.service.skip(person, first.token, "other").repeated
        with refused("answer_twice"):
            rig.service.give(person, first.token, VOTE)

        second = task(rig, "ann")
        rig.service.give(person, second.token, VOTE)
        with refused("answer_twice"):
            rig.service.skip(person, second.token, "other")

    def test_a_reason_must_be_one_of_those_shown(self, rig: ServiceRig) -> None:
        with refused("answer_malformed"):
            rig.service.skip(rig.person("ann"), task(rig, "ann").token, "boring")


class TestBlindness:
    def test_a_task_tells_nothing_but_pictures_and_texts(self, make_rig: MakeRig) -> None:
        rig = make_rig([*(item(number) for number in range(12)), *map(gold, range(30, 36))])
        person, seen = rig.person("ann"), []
        while (assigned := rig.service.next_task(person, "vote", "en")) is not None:
            seen.append(assigned)
            rig.service.give(person, assigned.token, VOTE)

        assert len(seen) > 12
        for assigned in seen:
            task_text = json.dumps(asdict(assigned), default=repr)
            assert not any(word in task_text for word in (*MODELS, "gold", "text-0", "small", "_0_0_0_0"))
            assert sorted(assigned.texts) == sorted(SENTENCES)
            assert {type(value) for value in asdict(assigned).values()} <= {str, bytes, tuple, type(None)}

        gold_votes = [vote for vote in rig.store.live(kind="vote") if int(vote.item.split("_")[0]) >= 30]
        assert len(gold_votes) == len(seen) - 12 == len({vote.item for vote in gold_votes})

    def test_what_is_left_falls_by_one_with_every_answer(self, make_rig: MakeRig) -> None:
        rig = make_rig([*(item(number) for number in range(12)), *map(gold, range(30, 36))])
        person, left = rig.person("ann"), []
        while (assigned := rig.service.next_task(person, "vote", "en")) is not None:
            progress = rig.service.give(person, assigned.token, VOTE).progress
            left.append((progress.given, progress.left))

        assert left == [(number + 1, len(left) - number - 1) for number in range(len(left))]

    def test_places_of_the_answer_differ_between_people(self, rig: ServiceRig) -> None:
        places = set()
        for name in "abcdef":
            assigned = rig.service.next_task(rig.person(name), "find", "en")
            if assigned is not None:
                places.add(assigned.candidates.index(_target(assigned)))

        assert len(places) > 1


class TestAgreeing:
    def test_terms_come_before_the_first_task(self, rig: ServiceRig) -> None:
        rig.service.consents = {"vote": "2026-01"}
        person = rig.person("ann")
        with refused("consent_missing"):
            rig.service.next_task(person, "vote", "en")

        rig.service.agree(person, "2025-12")
        assert not rig.service.agreed(person, "2026-01")
        rig.service.agree(person, "2026-01", "All is public.", "en")
        rig.service.agree(person, "2026-01", "All is public.", "en")

        assert rig.service.agreed(person, "2026-01")
        assert rig.service.next_task(person, "vote", "en") is not None
        assert len(rig.store.live(kind="consent")) == 2

    def test_everything_given_is_deleted_on_request(self, rig: ServiceRig) -> None:
        person = rig.person("ann")
        rig.service.give(person, task(rig, "ann").token, VOTE)
        assert rig.service.record_counts(person) == {"vote": 1}

        rig.service.withdraw(person)

        assert rig.store.live(annotator=person.pseudonym) == []
        assert rig.service.next_task(person, "vote", "en") is not None


class TestChoosing:
    def test_a_pair_to_re_enact_is_chosen_from_several(self, rig: ServiceRig) -> None:
        person = rig.person("ann")
        offers = rig.service.offers(person, "real_pair", "en", most=3)
        assert len({offer.id for offer in offers}) == 3

        chosen = rig.service.choose(person, "real_pair", "en", offers[1].id)

        assert (chosen.current, chosen.texts) == (offers[1].current, (offers[1].text,))
        answer = {"current": picture(1, 2, 3), "target": picture(3, 2, 1), "text": "Raise it."}
        rig.service.give(person, chosen.token, answer)
        assert len(rig.store.live(kind="real_pair")) == 1

    def test_an_offer_to_another_is_refused(self, rig: ServiceRig) -> None:
        offers = rig.service.offers(rig.person("ann"), "real_pair", "en")
        with refused("task_unknown"):
            rig.service.choose(rig.person("ben"), "real_pair", "en", offers[0].id)


def test_coverage_counts_each_voice_once(rig: ServiceRig) -> None:
    rig.service.give(rig.person("ann"), task(rig, "ann").token, VOTE)

    (votes,) = [coverage for coverage in rig.service.coverage() if coverage.kind == "vote"]

    assert (votes.language, votes.answered, votes.wanted) == ("en", 1, 15)


def test_a_text_that_a_person_wrote_is_not_translated_into_its_own_language(make_rig: MakeRig) -> None:
    rig = make_rig([item(0)], voices={"verify": 1, "write": 1})
    rig.service.give(rig.person("ann"), task(rig, "ann", "write").token, {"text": LONG, "flags": []})
    while (assigned := rig.service.next_task(rig.person("ben"), "verify", "en")) is not None:
        rig.service.give(rig.person("ben"), assigned.token, {"score": 4})

    wanted = {one.language: one.wanted for one in rig.service.coverage() if one.kind == "translate"}
    assert wanted["hi"] > 0
    assert not wanted.get("en")
    assert rig.service.next_task(rig.person("ben"), "translate", "en") is None


def test_threads_that_ask_at_once_give_every_item_its_voices_and_nobody_one_twice(
    make_rig: MakeRig, where: str | Path
) -> None:
    rig = make_rig([item(number) for number in range(5)], where)
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            person = rig.person(name)
            while (assigned := rig.service.next_task(person, "vote", "en")) is not None:
                rig.service.give(person, assigned.token, VOTE)
        except BaseException as error:  # noqa: BLE001  told after the join
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"person{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    votes = rig.store.live(kind="vote")
    assert failures == []
    # The last ones are answered by two where one asks while the other holds them.
    voices = Counter(vote.item for vote in votes)
    assert len(voices) == 5
    assert min(voices.values()) >= 3
    assert len({(vote.item, vote.annotator) for vote in votes}) == len(votes)


class TestSharing:
    """What is merely held, once nothing else is left."""

    def test_what_idle_people_hold_is_given_all_the_same_longest_held_first_and_both_answers_are_kept(
        self, tmp_path: Path, where: str | Path
    ) -> None:
        folders = [tmp_path / name for name in ("one", "other")]
        campaign = campaign_json([item(number) for number in (0, 16, 32)])
        apps = [collect(folder, campaign, where) for folder in folders]
        rig = apps[0]
        held = []
        for number in range(9):  # three pairs with three voices each
            held.append((f"idle{number}", task(rig, f"idle{number}")))
            for app in apps:
                app.clock.pass_by(1)
        by_pair = list(dict.fromkeys(assigned.current for _, assigned in held))
        newcomer = rig.person("other0")
        assert rig.service.next_task(newcomer, "vote", "en") is None  # nobody is idle yet
        assert rig.service.progress(newcomer, "vote", "en").left > 0
        for app in apps:
            app.clock.pass_by(FIRST_SECONDS - IDLE_BELOW_SECONDS)

        others = [task(apps[number % 2], f"other{number}") for number in range(3)]

        assert [assigned.current for assigned in others] == by_pair
        for number, assigned in enumerate(others):
            app, person = apps[number % 2], rig.person(f"other{number}")
            assert app.service.progress(person, "vote", "en").left > 0
            assert app.service.next_task(person, "vote", "en") == assigned  # after a reload
            app.service.give(person, assigned.token, VOTE)
        for name, assigned in held:
            assert task(apps[1], name) == assigned
            apps[1].service.give(rig.person(name), assigned.token, VOTE)
        assert len(rig.store.live(kind="vote")) == 12
        assert rig.store.live(kind="flag") == []
        # All have their voices by answers alone: now nothing is left.
        assert rig.service.next_task(rig.person("late"), "vote", "en") is None
        for app in apps:
            app.store.close()

    def test_nothing_is_shared_while_anything_is_free_or_to_be_fetched_ahead(self, rig: ServiceRig) -> None:
        person = known(rig, "ann")
        for number in range(12):
            assert task(rig, f"idle{number}").texts
        free = task(rig, "ann")
        held = Counter(
            claim.item for name in range(12) for claim in rig.store.claims_of(_pseudonym(rig, f"idle{name}"))
        )
        assert sum(held.values()) == 12

        assert task(rig, "idle12").texts  # the last of fifteen, with the vote and the one that ann holds
        assert rig.service.next_task(person, "vote", "en", after=free.token) is None
        rig.service.give(person, free.token, VOTE)
        assert rig.service.next_task(person, "vote", "en") is None
        rig.clock.pass_by(FIRST_SECONDS - IDLE_BELOW_SECONDS)
        assert task(rig, "ann").texts

    def test_a_crowd_that_answers_at_once_gives_no_more_answers_than_are_wanted(self, rig: ServiceRig) -> None:
        people = [rig.person(f"busy{number}") for number in range(40)]

        given = [(person, rig.service.next_task(person, "vote", "en")) for person in people]
        for person, assigned in given:
            if assigned is not None:
                rig.service.give(person, assigned.token, VOTE)

        assert len(rig.store.live(kind="vote")) == 15
        assert rig.service.next_task(people[-1], "vote", "en") is None

    def test_who_gave_nothing_yet_holds_one_task_and_briefly(self, rig: ServiceRig) -> None:
        new, first = rig.person("new"), task(rig, "new")

        assert rig.service.next_task(new, "vote", "en", after=first.token) is None
        (claim,) = rig.store.claims_of(new.pseudonym)
        assert claim.expires == rig.clock() + FIRST_SECONDS < rig.clock() + CLAIM_SECONDS
        rig.clock.pass_by(FIRST_SECONDS - 1)
        rig.service.renew(new, first.token)  # who types goes on
        rig.clock.pass_by(FIRST_SECONDS)
        assert task(rig, "new") == first
        rig.service.give(new, first.token, VOTE)
        second = task(rig, "new")
        assert rig.service.next_task(new, "vote", "en", after=second.token) is not None

    def test_a_chosen_pair_is_shared_only_where_no_other_is_left(self, make_rig: MakeRig) -> None:
        rig = make_rig([item(0), item(1)], voices={"real_pair": 1})
        ann, ben, cem = map(rig.person, ("ann", "ben", "cem"))
        for person in (ann, ben):
            (offer, *_) = rig.service.offers(person, "real_pair", "en")
            rig.service.choose(person, "real_pair", "en", offer.id)
        assert not rig.service.offers(cem, "real_pair", "en")
        rig.clock.pass_by(CLAIM_SECONDS - IDLE_BELOW_SECONDS)
        assert len(rig.service.offers(cem, "real_pair", "en")) == 2

        (offer, *_) = rig.service.offers(cem, "real_pair", "en")
        assert rig.service.choose(cem, "real_pair", "en", offer.id).texts


def _pseudonym(rig: ServiceRig, name: str) -> str:
    return rig.person(name).pseudonym


def _target(assigned: Task) -> bytes:
    """Return the right candidate of an item of ``item_to_find``, by its colour."""
    return next(shown for shown in assigned.candidates if shown in {picture(20, 120, 7), picture(21, 120, 7)})


def _all_texts(rig: ServiceRig, name: str, kind: object, answer: dict[str, Any], language: str = "en") -> list[str]:
    """Answer everything that somebody is given, and return the texts."""
    person, seen = rig.person(name), []
    while (assigned := rig.service.next_task(person, kind, language)) is not None:
        seen += assigned.texts
        try:
            rig.service.give(person, assigned.token, answer)
        except RefusedError:
            rig.service.skip(person, assigned.token, "other")
    return seen
