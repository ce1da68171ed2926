"""Whoever was shown a pair, in whatever way and whatever became of it, is not asked to find its target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from annotate.analysis.frames import frames
from annotate.records.api import TARGET_SEEN, Kind, Task
from annotate.records.kinds import Flag, TargetChoice
from annotate.storage.store import open_store
from annotate.tasks.scheduler import CLAIM_SECONDS
from annotate.tasks.service import Collection
from tests.annotate.asking import (
    HINDI,
    LONG,
    MODELS,
    SENTENCES,
    Asked,
    campaign_json,
    collect,
    item,
    item_to_find,
    picture,
    text,
)
from tests.thoroughness import some

PAIR = item_to_find(20)
SHOWS_ALL = {
    **PAIR,
    "to_describe": True,
    "texts": [
        *PAIR["texts"],
        text("reference-find", "hi", HINDI, "find"),
        *(text(model, "en", words, "vote") for model, words in zip(MODELS, SENTENCES, strict=True)),
        text("reference-1", "en", SENTENCES[0], "verify", "translate", "real_pair"),
    ],
}
ANSWERS: dict[Kind, dict[str, Any]] = {
    "write": {"text": LONG},
    "verify": {"score": 2},
    "translate": {"text": HINDI},
    "vote": {"relevant": 0, "fluent": 0},
}


@pytest.fixture
def asked(tmp_path: Path, where: str | Path) -> Iterator[Asked]:
    """One pair of which everything is asked."""
    made = collect(
        tmp_path, campaign_json([SHOWS_ALL], voices=dict.fromkeys((*ANSWERS, "find", "real_pair"), 9)), where
    )
    yield made
    made.store.close()


def shown(asked: Asked, kind: Kind, name: str = "ann") -> Task:
    given = asked.collection.next_task(asked.person(name), kind, "hi" if kind == "translate" else "en")
    assert given is not None
    return given


def finds(asked: Asked, name: str = "ann", collection: Collection | None = None) -> list[Task]:
    """What this person is given to find, in each language."""
    given = [(collection or asked.collection).next_task(asked.person(name), "find", code) for code in ("en", "hi")]
    return [one for one in given if one is not None]


def look(asked: Asked, kind: Kind) -> None:
    shown(asked, kind)


def give(asked: Asked, kind: Kind) -> Task:
    given = shown(asked, kind)
    asked.collection.give(asked.person("ann"), given.token, ANSWERS[kind])
    return given


def skip(asked: Asked, kind: Kind) -> None:
    asked.collection.skip(asked.person("ann"), shown(asked, kind).token, "other")


def run_out(asked: Asked, kind: Kind) -> None:
    shown(asked, kind)
    asked.clock.pass_by(CLAIM_SECONDS + 1)


def give_and_undo(asked: Asked, kind: Kind) -> None:
    given = give(asked, kind)
    asked.clock.pass_by(1)
    asked.collection.undo(asked.person("ann"), kind, given.language, given.token)
    asked.clock.pass_by(CLAIM_SECONDS + 1)


@pytest.mark.parametrize(("kind", "way"), some(product(sorted(ANSWERS), [look, give, skip, run_out, give_and_undo]), 9))
def test_who_was_shown_a_pair_does_not_get_it_to_find(
    asked: Asked, kind: Kind, way: Callable[[Asked, Kind], None]
) -> None:
    way(asked, kind)

    assert finds(asked) == []
    assert asked.collection.progress(asked.person("ann"), "find", "en").left == 0
    assert finds(asked, "ben") != []


def test_all_pairs_to_choose_from_are_shown_whichever_is_chosen(tmp_path: Path) -> None:
    items = [{**SHOWS_ALL, "uid": f"{number}_0_0_0_0"} for number in range(4)]
    for number, one in enumerate(items):
        pictures = item_to_find(4 + 8 * number)
        one.update({name: pictures[name] for name in ("current", "target", "candidates", "answer")})
    asked = collect(tmp_path, campaign_json(items))
    person = asked.person("ann")

    offers = asked.collection.offers(person, "real_pair", "en", most=3)

    left = asked.collection.progress(person, "find", "en").left
    assert (len(offers), left) == (3, 1)  # the fourth, in whichever mode it comes
    (found, *_) = finds(asked)
    assert found.candidates
    assert not {offer.target for offer in offers} & set(found.candidates)
    asked.store.close()


def test_a_task_fetched_ahead_is_shown(tmp_path: Path) -> None:
    asked = collect(tmp_path, campaign_json([item(0), SHOWS_ALL]))
    first = shown(asked, "vote")
    assert asked.collection.next_task(asked.person("ann"), "vote", "en", after=first.token) is not None

    assert finds(asked) == []
    asked.store.close()


def test_who_passed_over_a_mode_is_not_asked_with_other_clues(asked: Asked) -> None:
    skip(asked, "find")

    assert finds(asked) == []


def test_what_ran_out_is_given_to_the_same_person_again_with_the_same_clues(asked: Asked) -> None:
    first = shown(asked, "find")
    asked.clock.pass_by(CLAIM_SECONDS + 1)

    again = shown(asked, "find")

    assert (again.mode, again.candidates) == (first.mode, first.candidates)
    assert asked.collection.next_task(asked.person("ann"), "find", "hi") is None


def test_a_pair_is_known_by_its_target_under_whatever_name(tmp_path: Path) -> None:
    gold = {
        "uid": "20_0_0_0_0.a",
        "current": PAIR["current"],
        "target": PAIR["target"],
        "texts": [text(f"text-{place}", "en", words, "vote") for place, words in enumerate(SENTENCES)],
    }
    asked = collect(tmp_path, campaign_json([PAIR, gold]))
    look(asked, "vote")

    assert finds(asked) == []
    assert finds(asked, "ben") != []
    asked.store.close()


def test_a_store_that_was_filled_anew_knows_what_its_events_tell(asked: Asked, tmp_path: Path) -> None:
    give_and_undo(asked, "vote")
    fresh = open_store(tmp_path / "fresh.sqlite", now=asked.clock)
    fresh.add_all(asked.store.events())
    campaign, key = asked.collection.campaign, asked.collection.key
    again = Collection(campaign, fresh, key, asked.collection.ports, now=asked.clock)

    assert finds(asked, collection=again) == []
    assert finds(asked, "ben", collection=again) != []
    fresh.close()


def test_whoever_deletes_what_they_gave_is_unknown(asked: Asked) -> None:
    look(asked, "vote")

    asked.collection.withdraw(asked.person("ann"))

    assert finds(asked) != []


def test_a_target_shown_while_it_was_looked_for_is_given_no_more_and_a_choice_is_marked(asked: Asked) -> None:
    person, looked_for = asked.person("ann"), shown(asked, "find")
    look(asked, "vote")

    assert asked.collection.next_task(person, "find", "en") is None
    asked.collection.give(person, looked_for.token, {"place": 0})

    choice, flag = asked.store.live(kind="target_choice") + asked.store.live(kind="flag")
    assert isinstance(choice.payload, TargetChoice)
    assert flag.payload == Flag(TARGET_SEEN, of=choice.id)
    assert frames(asked.store.live(), asked.collection.campaign).choices.empty


def test_a_choice_by_whoever_saw_nothing_else_counts(asked: Asked) -> None:
    asked.collection.give(asked.person("ann"), shown(asked, "find").token, {"place": 0})

    assert asked.store.live(kind="flag") == []
    assert len(frames(asked.store.live(), asked.collection.campaign).choices) == 1


def test_photographs_of_a_pair_show_it_too(asked: Asked) -> None:
    person = asked.person("ann")
    (offer,) = asked.collection.offers(person, "real_pair", "en")
    chosen = asked.collection.choose(person, "real_pair", "en", offer.id)
    pair_fields = {"current": picture(1, 2, 3), "target": picture(3, 2, 1), "text": "Raise it."}
    asked.collection.give(person, chosen.token, pair_fields)

    assert finds(asked) == []
