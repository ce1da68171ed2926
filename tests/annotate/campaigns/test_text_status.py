from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.campaigns.campaign import Campaign
from annotate.campaigns.text_status import WRITTEN, text_statuses
from annotate.kinds.verify import Rating
from annotate.kinds.write import Description
from annotate.records.events import Event, new_event
from annotate.records.kinds import Flag, Payload
from tests.annotate.asking import campaign_json, gold, item, write

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return Campaign.open(write(tmp_path_factory.mktemp("campaign"), campaign_json([item(0), item(1), gold(30)])))


def event(payload: Payload, who: str = "ann", number: int = 0, minutes: int = 0) -> Event:
    time = START + timedelta(minutes=minutes)
    return new_event(payload, annotator=who, campaign="small", item=f"{number}_0_0_0_0", language="en", time=time)


def rated(*scores: int) -> list[Event]:
    return [event(Rating("reference-1", score), who=f"person{number}") for number, score in enumerate(scores)]


def status(events: list[Event], campaign: Campaign) -> str:
    return text_statuses(events, campaign)[0].status


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((), "waiting"),
        ((4,), "waiting"),
        ((1,), "waiting"),
        ((4, 1), "waiting"),
        ((3, 3), "accepted"),
        ((2, 2), "discarded"),
        ((4, 4, 1), "accepted"),
        ((2, 4, 2), "discarded"),
        ((1, 1, 1), "discarded"),
        ((2, 2, 3, 3), "accepted"),
        ((2, 2, 2, 3, 3), "accepted"),
        ((2, 2, 2, 2, 3, 3), "discarded"),
    ],
)
def test_two_of_three_below_three_discard(campaign: Campaign, scores: tuple[int, ...], expected: str) -> None:
    assert {status(rated(*order), campaign) for order in permutations(scores)} == {expected}


@given(scores=st.lists(st.integers(1, 4), min_size=3, max_size=3))
def test_what_is_decided_early_stays_decided(campaign: Campaign, scores: list[int]) -> None:
    statuses = [status(rated(*scores[:count]), campaign) for count in range(4)]

    decided = [one for one in statuses if one != "waiting"]
    assert len(set(decided)) == 1
    assert statuses[-1] == decided[0] == ("discarded" if sum(score < 3 for score in scores) >= 2 else "accepted")


@pytest.mark.parametrize("flag", [Flag("through_object"), Description("Bend it.", words=2, flags=("through_object",))])
def test_a_flagged_pair_is_set_aside_whatever_its_ratings(campaign: Campaign, flag: Payload) -> None:
    first, second, *_ = text_statuses([*rated(4, 4, 4), event(flag, who="ben")], campaign)

    assert (first.status, first.scores) == ("set_aside", (4, 4, 4))
    assert second.status == "waiting"


@pytest.mark.parametrize(
    "flag", [Flag("skipped_other", "dull"), Description("Bend it.", words=2, flags=("no_clear_difference",))]
)
def test_other_flags_set_nothing_aside(campaign: Campaign, flag: Payload) -> None:
    assert status([*rated(4, 4, 4), event(flag, who="ben")], campaign) == "accepted"


def test_texts_of_annotators_follow_with_their_authors(campaign: Campaign) -> None:
    late, early = (event(Description(f"Bend {who}.", words=2), who, minutes=5 - len(who)) for who in ("a", "abc"))
    ratings = [event(Rating(early.id, 4), who) for who in ("x", "y", "z")]

    *_, first, second = text_statuses([late, early, *ratings], campaign)

    assert [(one.text.id, one.author, one.text.source, one.status) for one in (first, second)] == [
        (early.id, "abc", WRITTEN, "accepted"),
        (late.id, "a", WRITTEN, "waiting"),
    ]


def test_gold_items_and_foreign_ratings_have_no_say(campaign: Campaign) -> None:
    other = new_event(Rating("reference-1", 1), annotator="ann", campaign="other", item="0_0_0_0_0", language="en")
    hindi = new_event(Rating("reference-1", 1), annotator="ann", campaign="small", item="0_0_0_0_0", language="hi")

    statuses = text_statuses([other, hindi, *rated(4, 4)], campaign)

    assert [(one.item, one.scores) for one in statuses] == [("0_0_0_0_0", (4, 4)), ("1_0_0_0_0", ())]


def test_an_edited_rating_counts_once(campaign: Campaign) -> None:
    first, *others = rated(1, 1, 4)
    edited = new_event(
        Rating("reference-1", 4),
        annotator=first.annotator,
        campaign="small",
        item=first.item,
        language="en",
        supersedes=first.id,
    )

    assert status([first, *others, edited], campaign) == "accepted"
