"""Queries: whoever was shown a pair, whatever became of it, is not asked to find its target."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from annotate.analysis.statistics import frames
from annotate.kinds.find_target import FindTarget
from annotate.kinds.task_kind import Kind, Task
from annotate.records import TARGET_SEEN, Flag
from annotate.storage.store import open_store
from annotate.tasks.scheduler import CLAIM_SECONDS
from annotate.tasks.service import AnnotationService
from tests.annotate.asking import HINDI, LONG, MODELS, SENTENCES, MakeRig, ServiceRig, item, item_to_find, picture, text
from tests.annotate.databases import on_databases
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
def rig(make_rig: MakeRig, where: str | Path) -> ServiceRig:
    """One pair of which everything is asked."""
    return make_rig([SHOWS_ALL], where, voices=dict.fromkeys((*ANSWERS, "find", "real_pair"), 9))


def shown_task(rig: ServiceRig, kind: Kind, name: str = "ann") -> Task:
    given = rig.service.next_task(rig.person(name), kind, "hi" if kind == "translate" else "en")
    assert given is not None
    return given


def finds(rig: ServiceRig, name: str = "ann", service: AnnotationService | None = None) -> list[Task]:
    """Return the items that this person is asked to find, in each language."""
    given = [(service or rig.service).next_task(rig.person(name), "find", code) for code in ("en", "hi")]
    return [one for one in given if one is not None]


def look(rig: ServiceRig, kind: Kind) -> None:
    shown_task(rig, kind)


def give(rig: ServiceRig, kind: Kind) -> Task:
    given = shown_task(rig, kind)
    rig.service.give(rig.person("ann"), given.token, ANSWERS[kind])
    return given


def skip(rig: ServiceRig, kind: Kind) -> None:
    rig.service.skip(rig.person("ann"), shown_task(rig, kind).token, "other")


def run_out(rig: ServiceRig, kind: Kind) -> None:
    shown_task(rig, kind)
    rig.clock.pass_by(CLAIM_SECONDS + 1)


def give_and_undo(rig: ServiceRig, kind: Kind) -> None:
    given = give(rig, kind)
    rig.clock.pass_by(1)
    rig.service.undo(rig.person("ann"), kind, given.language, given.token)
    rig.clock.pass_by(CLAIM_SECONDS + 1)


@pytest.mark.parametrize(
    ("where", "kind", "way"),
    on_databases(some(product(sorted(ANSWERS), [look, give, skip, run_out, give_and_undo]), 9)),
    indirect=["where"],
)
def test_who_was_shown_a_pair_does_not_get_it_to_find(
    rig: ServiceRig, kind: Kind, way: Callable[[ServiceRig, Kind], None]
) -> None:
    way(rig, kind)

    assert finds(rig) == []
    assert rig.service.progress(rig.person("ann"), "find", "en").left == 0
    assert finds(rig, "ben") != []


def test_all_pairs_to_choose_from_are_shown_whichever_is_chosen(make_rig: MakeRig) -> None:
    items = [{**SHOWS_ALL, "uid": f"{number}_0_0_0_0"} for number in range(4)]
    for number, one in enumerate(items):
        pictures = item_to_find(4 + 8 * number)
        one.update({name: pictures[name] for name in ("current", "target", "candidates", "answer")})
    rig = make_rig(items)
    person = rig.person("ann")

    offers = rig.service.offers(person, "real_pair", "en", most=3)

    left = rig.service.progress(person, "find", "en").left
    assert (len(offers), left) == (3, 1)  # the fourth, in whichever mode it comes
    (find_task, *_) = finds(rig)
    assert find_task.candidates
    assert not {offer.target for offer in offers} & set(find_task.candidates)


def test_a_task_fetched_ahead_is_shown(make_rig: MakeRig) -> None:
    rig = make_rig([item(0), item(1), SHOWS_ALL])
    person = rig.person("ann")
    rig.service.give(person, shown_task(rig, "vote").token, {"relevant": 0, "fluent": None})
    first = shown_task(rig, "vote")
    assert rig.service.next_task(person, "vote", "en", after=first.token) is not None

    assert finds(rig) == []


def test_who_passed_over_a_mode_is_not_asked_with_other_clues(rig: ServiceRig) -> None:
    skip(rig, "find")

    assert finds(rig) == []


def test_what_ran_out_is_given_to_the_same_person_again_with_the_same_clues(rig: ServiceRig) -> None:
    first = shown_task(rig, "find")
    rig.clock.pass_by(CLAIM_SECONDS + 1)

    again = shown_task(rig, "find")

    assert (again.mode, again.candidates) == (first.mode, first.candidates)
    assert rig.service.next_task(rig.person("ann"), "find", "hi") is None


def test_a_pair_is_known_by_its_target_under_whatever_name(make_rig: MakeRig) -> None:
    gold = {
        "uid": "20_0_0_0_0.a",
        "current": PAIR["current"],
        "target": PAIR["target"],
        "texts": [text(f"text-{place}", "en", words, "vote") for place, words in enumerate(SENTENCES)],
    }
    rig = make_rig([PAIR, gold])
    look(rig, "vote")

    assert finds(rig) == []
    assert finds(rig, "ben") != []


def test_a_store_that_was_filled_anew_knows_what_its_events_tell(rig: ServiceRig, tmp_path: Path) -> None:
    give_and_undo(rig, "vote")
    fresh = open_store(tmp_path / "fresh.sqlite", now=rig.clock)
    fresh.add_all(rig.store.events())
    campaign, key = rig.service.campaign, rig.service.key
    again = AnnotationService(campaign, fresh, key, rig.service.ports, now=rig.clock)

    assert finds(rig, service=again) == []
    assert finds(rig, "ben", service=again) != []
    fresh.close()


def test_a_person_who_deletes_what_they_gave_is_unknown(rig: ServiceRig) -> None:
    look(rig, "vote")

    rig.service.withdraw(rig.person("ann"))

    assert finds(rig) != []


def test_a_target_shown_while_it_was_looked_for_is_given_no_more_and_a_choice_is_marked(rig: ServiceRig) -> None:
    person, looked_for = rig.person("ann"), shown_task(rig, "find")
    look(rig, "vote")

    assert rig.service.next_task(person, "find", "en") is None
    rig.service.give(person, looked_for.token, {"place": 0})

    choice, flag = rig.store.live(kind="target_choice") + rig.store.live(kind="flag")
    assert isinstance(choice.payload, FindTarget)
    assert flag.payload == Flag(TARGET_SEEN, of=choice.id)
    assert frames(rig.store.live(), rig.service.campaign).choices.empty


def test_a_choice_by_anybody_who_saw_nothing_else_counts(rig: ServiceRig) -> None:
    rig.service.give(rig.person("ann"), shown_task(rig, "find").token, {"place": 0})

    assert rig.store.live(kind="flag") == []
    assert len(frames(rig.store.live(), rig.service.campaign).choices) == 1


def test_photographs_of_a_pair_show_it_too(rig: ServiceRig) -> None:
    person = rig.person("ann")
    (offer,) = rig.service.offers(person, "real_pair", "en")
    chosen = rig.service.choose(person, "real_pair", "en", offer.id)
    pair_fields = {"current": picture(1, 2, 3), "target": picture(3, 2, 1), "text": "Raise it."}
    rig.service.give(person, chosen.token, pair_fields)

    assert finds(rig) == []
