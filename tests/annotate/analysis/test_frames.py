from __future__ import annotations

from annotate.analysis.frames import NOBODY, frames
from annotate.records.events import new_event
from annotate.records.kinds import Flag
from tests.annotate.votes import MODELS, NAME, campaign, choice, description, rating, vote


def test_a_vote_has_a_row_for_each_model_that_it_was_shown() -> None:
    votes = frames([vote("p", "item0", relevant="V.L"), vote("q", "item1", relevant="")], campaign()).votes
    assert votes["model"].tolist() == [*MODELS, *MODELS]
    assert votes["annotator"].tolist() == ["p"] * 3 + ["q"] * 3
    assert votes["relevant"].tolist() == [0, 0, 1, *[1 / 3] * 3]
    assert votes["relevant_tied"].tolist() == [False] * 3 + [True] * 3
    assert votes["fluent_tied"].all()


def test_votes_of_one_language_are_numbered_apart_from_those_of_another() -> None:
    answers = [vote("p", "item0", relevant="V.L", language="hi"), vote("p", "item0", relevant="L-only")]
    votes = frames(answers, campaign()).votes
    assert votes["language"].tolist() == ["en"] * 3 + ["hi"] * 3  # the campaign's order
    assert votes.loc[votes["relevant"] == 1, "model"].tolist() == ["L-only", "V.L"]


def test_an_item_whose_texts_read_alike_has_the_voices_that_it_wants_of_nobody() -> None:
    votes = frames([vote("p", "item0", relevant="V.L")], campaign(items=2, voices=3, alike=1)).votes
    nobodys = votes[votes["annotator"] == NOBODY]
    assert (nobodys["item"].unique().tolist(), nobodys["vote"].nunique()) == (["item1"], 3)
    assert nobodys["relevant_tied"].all()
    assert frames([], campaign(items=2, alike=1)).votes.empty


def test_gold_items_and_texts_that_the_campaign_lacks_are_no_votes_ratings_or_choices() -> None:
    answers = [
        vote("p", "gold", relevant="V.L"),
        vote("p", "gone", relevant="V.L"),
        rating("p", "gold", "V.L", 4),
        choice("p", "gold", 0),
        choice("p", "gone", 0),
    ]
    tables = frames(answers, campaign(gold=True))
    assert tables.answers["gold"].tolist() == [True, False, True, True, False]
    assert tables.votes.empty
    assert tables.ratings.empty
    assert tables.choices.empty


def test_a_target_that_was_seen_before_is_no_choice() -> None:
    seen, unseen = choice("p", "item0", 0), choice("q", "item0", 3)
    flag = new_event(Flag("target_seen", of=seen.id), annotator="p", campaign=NAME, item="item0", language="en")
    choices = frames([seen, unseen, flag], campaign()).choices
    assert choices[["annotator", "correct", "chance"]].to_numpy().tolist() == [["q", False, 0.1]]


def test_texts_have_their_authors_and_what_became_of_them() -> None:
    written = description("writer", "item0")
    answers = [written, *(rating(f"p{person}", "item0", written.id, 4) for person in range(3))]
    texts = frames(answers, campaign()).texts.set_index("text")
    assert texts.loc[written.id, ["author", "status"]].tolist() == ["writer", "accepted"]
    assert (texts["author"] == "").sum() == len(texts) - 1  # the campaign's own
