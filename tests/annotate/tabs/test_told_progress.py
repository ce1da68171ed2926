"""What somebody is told of how far they are goes by their own answers alone, whatever others do meanwhile."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.identity import IdentitySettings
from annotate.publishing.publisher import FolderDestination, Publisher
from annotate.tabs.controller import AnnotationController
from demo.i18n import interface_texts
from demo.tabs.annotate import page_services
from tests.annotate.asking import KEY, MakeRig, ServiceRig, campaign_json, collect, gold, item, item_to_find
from tests.annotate.tabs.test_controller import GIVEN, Guest
from tests.nonempty import nonempty
from tests.thoroughness import examples

KINDS = ("vote", "verify", "find", "write")
ITEMS = [*map(item_to_find, (20, 28)), *map(item, range(1, 6)), gold(36)]

moves = st.tuples(st.sampled_from("abc"), st.sampled_from(KINDS), st.sampled_from(["give", "hold", "undo", "wait"]))


@pytest.fixture
def rig(make_rig: MakeRig) -> ServiceRig:
    return make_rig(ITEMS, voices=dict.fromkeys(KINDS, 1))


def bench_over(rig: ServiceRig, folder: Path) -> AnnotationController:
    publisher = Publisher(rig.store, FolderDestination(folder / "published"))
    return AnnotationController(rig.service, IdentitySettings(KEY, allow_guests=True), page_services(), publisher.state)


def numbers(html: str) -> list[str]:
    """Every number that a person reads of how far they are: on a desk, at its end, and beside the kinds of work."""
    where = (
        r'<p class="fmp-small" id="fmp-left-.*?</p>',
        r'<div class="fmp-far">.*?</div>',
        r'<div class="fmp-card fmp-done">.*?</div>',
    )
    parts = [piece for one in where for piece in re.findall(one, html, re.DOTALL)]
    bars = re.findall(r"<progress[^>]*>", html)
    return re.findall("[0-9]+", " ".join([*(re.sub(r"<[^>]*>", " ", part) for part in parts), *bars]))


@examples(8, 3)
@given(done=st.lists(moves, min_size=1, max_size=20))
def test_no_number_that_somebody_is_told_of_their_way_is_made_by_others(done: list[tuple[str, str, str]]) -> None:
    with TemporaryDirectory() as name:
        rig = collect(Path(name), campaign_json(ITEMS, voices=dict.fromkeys(KINDS, 1)))
        controller = bench_over(rig, Path(name))
        people = {who: Guest(controller) for who in "abc"}
        for person in people.values():
            person.sit("vote")  # and agree
        ann, given = people["a"], dict.fromkeys(KINDS, 0)
        for who, kind, move in nonempty(done):
            change = act(rig, people[who], kind, move)
            given[kind] += change if who == "a" else 0
            assert numbers(str(ann.press("start")["html"])) == []
            told_there = numbers(str(ann.sit(kind)["html"]))
            # Whoever gave nothing and is given nothing is told no number.
            assert told_there == [str(given[kind])] or (told_there, given[kind], ann.shown.get("token")) == (
                [],
                0,
                None,
            )
        rig.store.close()


def act(rig: ServiceRig, guest: Guest, kind: str, move: str) -> int:
    """Give an answer, hold a task, take the last answer back, or let all that is held run out; answers more or less."""
    if move == "wait":
        rig.clock.pass_by(3600)
        return 0
    reply = guest.sit(kind)
    if move == "give" and reply.get("token"):
        assert guest.give(kind, GIVEN[kind])["kept"]
        return 1
    if move == "undo" and reply.get("undo"):
        assert guest.press("undo", kind=kind, event=reply["undo"])["undone"]
        return -1
    return 0


@pytest.mark.parametrize("language", ["en", "hi"])
def test_no_words_of_an_annotator_have_a_place_for_what_is_left(language: str) -> None:
    words = interface_texts()[language]
    told_to_people = [key for key in words if key.split(".")[0] in {"annotate", "reveal"}]
    assert told_to_people
    assert {key for key in told_to_people if re.search(r"\{(mine|left|waiting)\}", words[key])} == set()


def test_where_others_have_filled_everything_it_is_said_that_nothing_is_left(rig: ServiceRig, tmp_path: Path) -> None:
    controller = bench_over(rig, tmp_path)
    ann, ben = Guest(controller), Guest(controller)
    assert 'data-action="sit" data-kind="verify"' in str(ann.press("start")["html"])
    ben.sit("verify")
    while ben.shown.get("token"):
        ben.give("verify", GIVEN["verify"])

    start = str(ann.press("start")["html"])

    assert 'data-action="sit" data-kind="verify"' not in start
    assert interface_texts()["en"]["annotate.none_left"] in start
