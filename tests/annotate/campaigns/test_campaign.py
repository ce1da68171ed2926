"""Campaign files, refused with one sentence if anything is wrong, and the status of their texts."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from annotate.campaigns.campaign import (
    FILE,
    PICTURES,
    READY_CAMPAIGNS,
    WRITTEN,
    Campaign,
    find_campaign,
    picture_name,
    ready_campaigns,
    text_statuses,
)
from annotate.errors import RefusedError
from annotate.kinds.verify import Rating
from annotate.kinds.vote import tied_by_themselves
from annotate.kinds.write import Description
from annotate.records import Event, Flag, Payload, new_event
from tests.annotate.asking import campaign_json, colour, gold, item, item_to_find, text, write
from tests.nonempty import nonempty
from tests.thoroughness import examples


def question(**changes: object) -> dict[str, Any]:
    plain = {
        "id": "q",
        "language": "en",
        "text": "Whose left?",
        "choices": ["Mine", "Theirs"],
        "right": 1,
        "why": "So.",
    }
    return {**plain, **changes}


def refusal(folder: Path) -> RefusedError:
    with pytest.raises(RefusedError) as refused:
        Campaign.open(folder)
    assert refused.value.sentence.count("\n") == 0
    assert len(refused.value.sentence) < 500
    return refused.value


def test_a_campaign_reads_back_as_it_was_written(tmp_path: Path) -> None:
    test = {"kinds": ["write"], "pass_mark": 1, "questions": [question(), question(language="hi")]}
    own = {"write": [{"en": "Write slowly.", "hi": "धीरे लिखें।"}]}
    written = campaign_json([item(0), item_to_find(20), gold(30)], qualification=test, guidelines=own)

    campaign = Campaign.open(write(tmp_path, written))

    read = json.loads(campaign.model_dump_json(exclude_none=True))
    assert {key: read[key] for key in ("name", "title", "kinds", "languages", "voices")} == {
        key: written[key] for key in ("name", "title", "kinds", "languages", "voices")
    }
    assert [one["texts"] for one in read["items"]] == [one["texts"] for one in written["items"]]
    assert (campaign.voices_for("vote"), campaign.voices_for("find")) == (3, 1)
    assert campaign.picture(campaign.items[0].current).startswith(b"\xff\xd8\xff")


CHANGES: list[Callable[[dict[str, Any]], object]] = [
    lambda fields: fields.update(version=2),
    lambda fields: fields.update(version="1"),
    lambda fields: fields.update(name="../etc"),
    lambda fields: fields.update(name="a\nb"),
    lambda fields: fields.update(title={}),
    lambda fields: fields.update(title="Small"),
    lambda fields: fields.update(kinds=["sing"]),
    lambda fields: fields.update(kinds=["vote", "vote"]),
    lambda fields: fields.update(languages=["English"]),
    lambda fields: fields.update(voices={"vote": 0}),
    lambda fields: fields.update(voices={"vote": 3.0}),
    lambda fields: fields.update(voices={"vote": True}),
    lambda fields: fields.update(items=[]),
    lambda fields: fields.update(items=[item(0), item(0)]),
    lambda fields: fields.update(surprise=1),
    lambda fields: fields.update(seed=-1),
    lambda fields: fields.pop("items"),
    lambda fields: fields["items"][0].update(uid="<b>"),
    lambda fields: fields["items"][0].update(current="../campaign.json"),
    lambda fields: fields["items"][0].update(current="/etc/passwd"),
    lambda fields: fields["items"][0].update(current="a.png"),
    lambda fields: fields["items"][0].update(current="a.jpg\n"),
    lambda fields: fields["items"][0].update(current=None),
    lambda fields: fields["items"][0].update(answer=0),
    lambda fields: fields["items"][0].update(candidates=[fields["items"][0]["target"]], answer=0),
    lambda fields: fields["items"][0].update(candidates=[colour(0, 0), colour(0, 1)], answer=0),
    lambda fields: fields["items"][0].update(candidates=[colour(0, 0), colour(0, 1)], answer=2),
    lambda fields: fields["items"][0]["texts"].append(text("model-ash", "en", "Again.", "vote")),
    lambda fields: fields["items"][0]["texts"].append(text("other", "en", "", "vote")),
    lambda fields: fields["items"][0]["texts"].append(text("other", "en", "x" * 5000, "vote")),
    lambda fields: fields["items"][0]["texts"].append(text("other", "en", "Write.", "write")),
    lambda fields: fields["items"][0].update(texts=[text(f"t{i}", "en", "Text.", "vote") for i in range(200)]),
    lambda fields: fields["items"][0].update(gold={"kind": "vote"}),
    lambda fields: fields["items"][0].update(gold={"kind": "vote", "relevant": ["nobody"]}),
    lambda fields: fields["items"][0].update(gold={"kind": "verify"}),
    lambda fields: fields["items"][0].update(gold={"kind": "verify", "least": 4, "most": 2}),
    lambda fields: fields["items"][0].update(gold={"kind": "find"}),
    lambda fields: fields.update(guidelines="paper"),
    lambda fields: fields.update(guidelines={"sing": [{"en": "Sing."}]}),
    lambda fields: fields.update(guidelines={"write": [{}]}),
    lambda fields: fields.update(guidelines={"write": ["Write."]}),
    lambda fields: fields.update(guidelines={"write": [{"en": " "}]}),
    lambda fields: fields.update(guidelines={"write": [{"en": "Write."}] * 100}),
    lambda fields: fields.update(qualification={"kinds": ["write"], "pass_mark": 1, "questions": [question(right=2)]}),
    lambda fields: fields.update(qualification={"kinds": ["write"], "pass_mark": 1, "questions": [question()]}),
    lambda fields: fields.update(qualification={"kinds": ["write"], "pass_mark": 1, "questions": []}),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_does_not_belong_is_refused_in_one_sentence(tmp_path: Path, change: Callable[[Any], object]) -> None:
    fields = campaign_json([item(0)])
    change(fields)

    assert refusal(write(tmp_path, fields)).code == "campaign_malformed"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"version": 1}', b"[" * 100_000, b'{"name": "\\ud800"}', b"NaN"],
)
def test_a_file_that_is_no_campaign_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)

    assert refusal(tmp_path).code == "campaign_malformed"


@examples(25)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=5))
def test_any_value_in_any_place_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    folder = tmp_path_factory.mktemp("campaign")
    for key in nonempty(campaign_json([])):
        (folder / FILE).write_text(json.dumps({**campaign_json([]), key: value}), encoding="utf-8")
        assert refusal(folder).code == "campaign_malformed"  # the one without items anyway


def test_a_missing_campaign_and_a_huge_one_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nowhere").code == "campaign_missing"
    assert refusal(tmp_path / "a\x00b").code == "campaign_missing"
    with (tmp_path / FILE).open("wb") as file:
        file.truncate(100_000_000)
    assert refusal(tmp_path).code == "campaign_too_large"


def _link_out(path: Path) -> None:
    outside = path.parents[1] / "outside.jpg"
    path.rename(outside)
    path.symlink_to(outside)


def _wide(path: Path) -> None:
    made = io.BytesIO()
    Image.new("L", (5000, 1)).save(made, "JPEG")
    path.write_bytes(made.getvalue())


@pytest.mark.parametrize(
    "spoil",
    [
        Path.unlink,
        _link_out,
        _wide,
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"GIF89a" + bytes(100)),
        lambda path: path.write_bytes(b"\xff\xd8\xff"),
        lambda path: path.write_bytes(path.read_bytes() + bytes(3_000_000)),
    ],
)
def test_a_picture_that_is_none_is_refused(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    write(tmp_path, campaign_json([item(0)]))
    spoil(tmp_path / PICTURES / item(0)["current"])

    assert refusal(tmp_path).code == "campaign_picture"


def test_only_pictures_of_a_campaign_can_be_read(tmp_path: Path) -> None:
    campaign = Campaign.open(write(tmp_path, campaign_json([item(0)])))

    for name in ("../campaign.json", "/etc/passwd", "missing.jpg"):
        with pytest.raises(RefusedError):
            campaign.picture(name)


def test_names_of_pictures_tell_nothing() -> None:
    assert picture_name(b"one") == picture_name(b"one") != picture_name(b"two")


def test_questions_follow_from_items(tmp_path: Path) -> None:
    campaign = Campaign.open(write(tmp_path, campaign_json([item(0), item_to_find(20), gold(30)])))

    expected = {
        "write": [("0_0_0_0_0", "")],
        "verify": [("0_0_0_0_0", "reference-1")],
        "translate": [],
        "vote": [("0_0_0_0_0", "")],
        "find": [("20_0_0_0_0", mode) for mode in ("everything", "language", "picture")],
        "real_pair": [("0_0_0_0_0", "")],
    }

    assert {kind: [question.place for question in campaign.questions(kind, "en")] for kind in expected} == expected
    assert [question.place for question in campaign.questions("translate", "hi")] == [("0_0_0_0_0", "reference-1")]
    assert [question.place for question in campaign.gold_questions("vote", "en")] == [("30_0_0_0_0", "")]


def test_a_gold_target_is_to_be_found_with_everything_alone(tmp_path: Path) -> None:
    """By the words or the picture alone, even an attentive person finds what they find by chance."""
    golden = {**item_to_find(20), "gold": {"kind": "find"}}
    campaign = Campaign.open(write(tmp_path, campaign_json([item_to_find(21), golden])))

    assert [question.mode for question in campaign.gold_questions("find", "en")] == ["everything"]
    assert {question.item.uid for question in campaign.questions("find", "en")} == {"21_0_0_0_0"}


def test_items_whose_texts_read_alike_are_tied_by_themselves(tmp_path: Path) -> None:
    same = [text(name, "en", words, "vote") for name, words in (("one", "Bend it."), ("two", "Bend  it. "))]
    campaign = Campaign.open(write(tmp_path, campaign_json([item(0), item(1, texts=same)])))

    assert tied_by_themselves(campaign.items, "en") == {"1_0_0_0_0": ("one", "two")}
    assert tied_by_themselves(campaign.items, "hi") == {}


def test_the_ready_campaign_asks_everything_in_both_languages() -> None:
    assert ready_campaigns() == ["sample"]
    campaign = Campaign.open(find_campaign("sample"))

    for kind in ("vote", "write", "verify", "translate", "find", "real_pair"):
        for language in ("en", "hi"):
            assert bool(campaign.questions(kind, language)) == ((kind, language) != ("translate", "en"))
    assert all(campaign.gold_questions(kind, language) for kind in ("vote", "verify") for language in ("en", "hi"))
    assert campaign.qualification is not None
    assert {question.language for question in campaign.qualification.questions} == {"en", "hi"}


def test_the_ready_campaign_is_small_and_its_pictures_are_all_used() -> None:
    folder = READY_CAMPAIGNS / "sample"
    campaign = Campaign.open(folder)

    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= 1_500_000
    assert {path.name for path in (folder / PICTURES).iterdir()} == campaign.picture_names()
    for name in campaign.picture_names():
        assert not Image.open(io.BytesIO(campaign.picture(name))).getexif()


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
