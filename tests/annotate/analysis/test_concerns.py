from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pandas as pd
import pytest

from annotate.analysis.report import concerns, unjudged
from annotate.campaigns.campaign import Campaign
from annotate.kinds.find_target import FindTarget
from annotate.kinds.verify import Rating
from annotate.kinds.vote import Vote
from annotate.kinds.write import Description
from annotate.records import Event, Payload, live, new_event
from tests.annotate.asking import LONG, MODELS, campaign_json, gold, item, item_to_find, text, write

START = datetime(2026, 1, 1, tzinfo=UTC)
ELSEWHERE = list(range(100, 200))  # items that the campaign has no longer
SHOWN = ("text-0", "text-1", "text-2")  # of a gold item; the first is right
RIGHT, WRONG, TIED = (Vote(chosen, SHOWN, SHOWN, 20) for chosen in (SHOWN[:1], SHOWN[1:2], SHOWN))


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    written = [text("written", "en", LONG, "verify")]
    foreign = {"texts": [text("foreign", "en", "Of another pair.", "verify")], "gold": {"kind": "verify", "most": 2}}
    golds = [gold(30), gold(32), item(31, **foreign), item(33, **foreign)]
    items = [*(item(number) for number in range(25)), item(29, texts=written), *golds]
    return Campaign.open(write(tmp_path_factory.mktemp("campaign"), campaign_json(items)))


def events(payloads: list[Payload], items: list[int] | None = None, apart: float = 60, who: str = "ann") -> list[Event]:
    """Answers of one person, so many seconds apart."""
    return [
        new_event(
            payload,
            annotator=who,
            campaign="small",
            item=f"{number}_0_0_0_0",
            language="en",
            time=START + timedelta(seconds=apart * place),
            id=uuid4().hex,
        )
        for place, (number, payload) in enumerate(zip(items or range(100), payloads, strict=False))
    ]


def vote(place: int, seconds: float = 20) -> Vote:
    return Vote((MODELS[place],), MODELS, MODELS, seconds)


def doubts(concerns_table: pd.DataFrame) -> list[tuple[str, str, int, int]]:
    return list(concerns_table[["doubt", "kind", "count", "of"]].itertuples(index=False, name=None))


def test_careful_answers_raise_no_doubt(campaign: Campaign) -> None:
    votes = events([vote(number % 3) for number in range(20)])
    ratings = events([Rating("reference-1", 1 + number % 4, seconds=8) for number in range(20)])

    assert concerns([*votes, *ratings], campaign).empty
    assert concerns([], campaign).empty


def test_answers_faster_than_anybody_reads_are_doubtful(campaign: Campaign) -> None:
    answers = events([vote(number % 3, seconds=0.6 if number < 5 else 20) for number in range(20)])

    concerns_table = concerns(answers, campaign)

    assert doubts(concerns_table) == [("too_fast", "vote", 5, 20)]
    assert concerns_table["events"].item() == tuple(event.id for event in answers[:5])
    assert concerns_table["annotator"].item() == "ann"


def test_how_fast_is_too_fast_depends_on_the_words(campaign: Campaign) -> None:
    # Three seconds do for fourteen words of a vote, not for writing thirty-four.
    assert concerns(events([vote(number % 3, seconds=3) for number in range(20)]), campaign).empty
    written = [Description(f"{LONG} {number}", words=35, seconds=3) for number in range(20)]
    assert doubts(concerns(events(written), campaign)) == [("too_fast", "description", 20, 20)]


@pytest.mark.parametrize("payload", [vote(1), Vote(MODELS, MODELS, MODELS, 20), Rating("reference-1", 4, seconds=20)])
def test_always_the_same_answer_is_doubtful(campaign: Campaign, payload: Payload) -> None:
    assert doubts(concerns(events([payload] * 20), campaign)) == [("one_sided", payload.kind, 20, 20)]


@pytest.mark.parametrize("payload", [Vote(MODELS, MODELS, MODELS, 20), Rating("reference-1", 4, seconds=20)])
def test_a_few_ties_or_scores_alike_are_no_doubt_and_too_little_to_judge(campaign: Campaign, payload: Payload) -> None:
    answers = events([payload] * 9)

    assert concerns(answers, campaign).empty
    assert "one_sided" in set(unjudged(answers, campaign)["doubt"])


@pytest.mark.parametrize(
    ("votes", "expected"), [(9, [("one_sided", "vote", 9, 9)]), (6, [("one_sided", "vote", 6, 6)])]
)
def test_a_few_votes_for_one_place_are_doubtful_as_soon_as_chance_does_not_do_it(
    campaign: Campaign, votes: int, expected: list[tuple[str, str, int, int]]
) -> None:
    assert doubts(concerns(events([vote(1)] * votes), campaign)) == expected
    assert concerns(events([vote(1)] * 5), campaign).empty
    assert "one_sided" in set(unjudged(events([vote(1)] * 5), campaign)["doubt"])


def test_nine_votes_at_a_speed_at_which_nobody_reads_do_not_pass_unseen(campaign: Campaign) -> None:
    answers = events([vote(number % 3, seconds=0.15) for number in range(9)])

    concerns_table = concerns(answers, campaign)

    assert doubts(concerns_table) == [("too_fast", "vote", 9, 9)]
    assert concerns_table["events"].item() == tuple(event.id for event in answers)


@pytest.mark.parametrize(("fast", "of", "doubtful"), [(1, 1, False), (2, 2, True), (1, 9, False), (3, 9, True)])
def test_a_slip_is_no_doubt_and_few_answers_are_measured_against_slips(
    campaign: Campaign, fast: int, of: int, *, doubtful: bool
) -> None:
    answers = events([vote(number % 3, seconds=0.15 if number < fast else 20) for number in range(of)])

    assert doubts(concerns(answers, campaign)) == ([("too_fast", "vote", fast, of)] if doubtful else [])


def test_what_too_few_answers_are_there_to_judge_is_told(campaign: Campaign) -> None:
    answers = [*events([vote(0)]), *events([vote(number % 3) for number in range(20)], who="ben")]

    told_of = {tuple(row) for row in unjudged(answers, campaign).itertuples(index=False)}

    assert told_of == {
        ("ann", "too_fast", "vote", 1),
        ("ann", "one_sided", "vote", 1),
        ("ann", "wrong_on_gold", "vote", 0),
        ("ben", "wrong_on_gold", "vote", 0),
    }
    assert unjudged([], campaign).empty
    enough = [*events([RIGHT, RIGHT], [30, 32]), *events([vote(number % 3) for number in range(20)])]
    assert unjudged(enough, campaign).empty


def test_always_the_same_model_in_other_places_is_no_doubt(campaign: Campaign) -> None:
    orders = [(*MODELS[number % 3 :], *MODELS[: number % 3]) for number in range(21)]

    assert concerns(events([Vote(("model-ash",), order, order, 20) for order in orders]), campaign).empty


@pytest.mark.parametrize(
    ("answers", "wrong"),
    [
        ([WRONG, TIED], 2),
        ([RIGHT, WRONG], 1),
        ([RIGHT, RIGHT], 0),
        ([WRONG], 0),
    ],
)
def test_wrong_votes_on_gold_items_are_doubtful(campaign: Campaign, answers: list[Payload], wrong: int) -> None:
    doubts_found = doubts(concerns(events(answers, [30, 32]), campaign))

    assert doubts_found == ([("wrong_on_gold", "vote", wrong, 2)] if wrong else [])


@pytest.mark.parametrize(("scores", "wrong"), [((4, 3), 2), ((2, 4), 1), ((2, 1), 0)])
def test_wrong_ratings_of_gold_items_are_doubtful(campaign: Campaign, scores: tuple[int, ...], wrong: int) -> None:
    answers = events([Rating("foreign", score, seconds=20) for score in scores], [31, 33])

    assert doubts(concerns(answers, campaign)) == ([("wrong_on_gold", "rating", wrong, 2)] if wrong else [])


@pytest.mark.parametrize(("mode", "wrong"), [("everything", 2), ("language", 0), ("picture", 0)])
def test_wrong_choices_of_gold_targets_are_doubtful_where_everything_was_shown(
    tmp_path: Path, mode: str, wrong: int
) -> None:
    golden = [{**item_to_find(number), "gold": {"kind": "find"}} for number in (20, 21)]
    campaign = Campaign.open(write(tmp_path, campaign_json(golden)))
    answers = events([FindTarget(0, 2, mode, correct=False, seconds=20) for _ in golden], [20, 21])

    assert doubts(concerns(answers, campaign)) == ([("wrong_on_gold", "target_choice", wrong, 2)] if wrong else [])


def test_copied_texts_are_doubtful(campaign: Campaign) -> None:
    copies = [
        Description(f"  {LONG.upper()} ", words=34, seconds=90),
        Description("My own words, all of them.", words=5, seconds=90),
        Description("my own words all of them", words=5, seconds=90),
    ]

    assert doubts(concerns(events(copies), campaign)) == [("copied", "description", 2, 3)]


def test_two_people_may_write_the_same(campaign: Campaign) -> None:
    description = Description("Bend it.", words=2, seconds=90)

    assert concerns([*events([description], who="ann"), *events([description], [1], who="ben")], campaign).empty


def test_a_burst_is_doubtful(campaign: Campaign) -> None:
    calm = [vote(number % 3) for number in range(80)]

    assert doubts(concerns(events(calm, ELSEWHERE, apart=1.5), campaign)) == [("burst", "vote", 40, 80)]
    assert concerns(events(calm, ELSEWHERE, apart=2.1), campaign).empty


def test_answers_taken_back_or_of_other_campaigns_raise_no_doubt(campaign: Campaign) -> None:
    answers = events([vote(1)] * 20)
    elsewhere = [
        new_event(one.payload, annotator="ben", campaign="other", item=one.item, language="en") for one in answers
    ]
    later = [
        new_event(vote(0), annotator="ann", campaign="small", item="0_0_0_0_0", language="en", supersedes=answers[0].id)
    ]

    concerns_table = concerns(live([*answers, *elsewhere, *later]), campaign)
    assert concerns_table[["annotator", "count"]].to_numpy().tolist() == [["ann", 19]]


def test_doubts_stand_in_the_order_in_which_people_came(campaign: Campaign) -> None:
    late, early = events([vote(1, seconds=0.6)] * 20, who="ann"), events([vote(1, seconds=0.6)] * 20, who="zoe")
    concerns_table = concerns([*early, *late], campaign)
    assert concerns_table[["annotator", "doubt"]].to_numpy().tolist() == [
        [who, doubt] for who in ("zoe", "ann") for doubt in ("too_fast", "one_sided")
    ]
