"""Reports: their numbers, notes and payments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotate.__main__ import main
from annotate.analysis.outputs import TABLES, _width, as_text, draw_plots
from annotate.analysis.report import Report, as_json, bonus, ledger, make_report
from annotate.analysis.statistics import frames
from annotate.analysis.strings import words
from annotate.campaigns.campaign import FILE, PICTURES, Campaign
from annotate.kinds.write import Description
from annotate.records import OWNER, Decision, Event, Flag, new_event
from annotate.storage.store import open_store, store_path
from tests.annotate.votes import NAME, campaign, choice, description, rating, vote
from tests.thoroughness import thorough


def some_answers(people: int = 12) -> Iterator[Event]:
    rng = np.random.default_rng(2)
    for person in (f"p{number:02}" for number in range(people)):
        for item in range(4):
            relevant = str(rng.choice(["V.L", "V.L", "L-only", ""]))
            yield vote(person, f"item{item}", relevant=relevant, fluent="V.L")
            yield choice(person, f"item{item}", int(rng.choice(3)))
        yield rating(person, "item0", "V.L", int(rng.integers(3, 5)))
    written = description("writer", "item0")
    yield written
    yield from (rating(person, "item0", written.id, 4) for person in ("p00", "p01", "p02"))


@pytest.fixture(scope="module")
def report() -> Report:
    """Return a report on the answers of twelve people."""
    return make_report(some_answers(), campaign(items=4))


def test_a_report_has_every_table_that_the_answers_allow(report: Report) -> None:
    text = as_text(report)
    for phrase in ("Votes: English", "48 votes, 12 people", "Paper: V+L", "48%", "Picture and words", "96%", "0.20"):
        assert phrase in text
    assert "Fleiss’ kappa" in text
    assert "Fluency, English: Nothing can be said" in text  # all found the same text the most fluent
    assert "100.0%–100.0%" not in text
    assert "Votes: Hindi" not in text
    assert not any(line.endswith(" ") or "nan" in line for line in text.splitlines())


def test_the_same_report_in_hindi_holds_the_same_numbers_in_straight_columns(report: Report) -> None:
    english, hindi = (as_text(report, language) for language in ("en", "hi"))
    for phrase in ("वोट: अंग्रेज़ी", "48 वोट, 12 लोग", "शोधपत्र: V+L", "तस्वीर और शब्द", "लगभग सब जवाब एक जैसे"):
        assert phrase in hindi
    assert re.findall(r"\d+\.\d+%", hindi) == re.findall(r"\d+\.\d+%", english)
    own = {"Krippendorff", "alpha", "Fleiss", "kappa", "V", "L", "only", "example", "p", "writer"}
    assert set(re.findall(r"[A-Za-z]+", hindi)) - {"Bradley", "Terry"} <= own
    assert _width("हिन्दी") == len("हनद") + len("िी")


def test_the_same_report_as_json(report: Report) -> None:
    told = json.loads(json.dumps(as_json(report), allow_nan=False))
    assert (told["campaign"], told["owed"], told["texts"]["accepted"]) == (NAME, "0.20", 2)
    relevant = told["votes"]["en"]["relevant"]
    assert sum(share["value"] for share in [*relevant["shares"].values(), relevant["tied"]]) == pytest.approx(1)
    assert sum(strength["value"] for strength in relevant["strengths"].values()) == pytest.approx(1)
    votes = {"kind": "vote", "language": "en", "answers": 48, "annotators": 12, "seconds": None, "hourly": None}
    assert votes in told["answers"]
    assert told["target_finding"][0]["paper"] == 0.96
    assert {one["about"] for one in told["agreement"]} == {"relevant", "fluent", "rating"}


def test_few_annotators_are_said_plainly() -> None:
    notes = as_json(make_report(some_answers(people=3), campaign(items=4)))["notes"]
    assert "English: only 3 people voted, so the intervals are rough." in notes
    alone = make_report(some_answers(people=1), campaign(items=4))
    assert "English: at most one person voted, so there are no intervals." in as_json(alone)["notes"]
    assert words("hi").note(alone.notes[0]).startswith("अंग्रेज़ी: ज़्यादा से ज़्यादा एक व्यक्ति")
    assert alone.shares["low"].isna().all()


def test_a_report_on_nothing_says_so() -> None:
    report = make_report([], campaign())
    assert "no answers yet" in as_text(report)
    assert as_json(report)["owed"] == "0.00"
    assert not report.notes


def test_an_answer_that_was_taken_back_or_is_of_another_campaign_does_not_count() -> None:
    first, again = vote("p", "item0", relevant="V.L"), vote("p", "item0", relevant="L-only")
    report = make_report([first, again], campaign())
    relevant = report.shares[report.shares["question"] == "relevant"].set_index("model")
    assert relevant["value"]["L-only"] == 1
    assert make_report([first], campaign().model_copy(update={"name": "other"})).answers.empty


def test_plots_are_drawn_for_what_there_is(tmp_path: Path, report: Report) -> None:
    drawn = draw_plots(tmp_path / "plots", report)
    assert list(drawn) == ["shares_en.png", "strengths_en.png", "target_finding.png"]
    for name in drawn:
        with Image.open(tmp_path / "plots" / name) as plot:
            assert np.ptp(np.asarray(plot.convert("L"))) > 200
    assert draw_plots(tmp_path / "none", make_report([], campaign())) == {}


@pytest.fixture
def campaign_and_store(tmp_path: Path) -> tuple[Path, Path]:
    """Give a campaign's folder and a store with answers to it."""
    own_campaign = campaign(items=4)
    folder = tmp_path / "campaign"
    (folder / PICTURES).mkdir(parents=True)
    (folder / FILE).write_text(own_campaign.model_dump_json(), encoding="utf-8")
    for name in own_campaign.picture_names():
        Image.new("RGB", (32, 32)).save(folder / PICTURES / name)
    assert Campaign.open(folder).name == NAME
    data = tmp_path / "data"
    store = open_store(store_path(data))
    store.add_all(list(some_answers()))
    store.close()
    return folder, data


def test_the_command_prints_tables(campaign_and_store: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder, data = campaign_and_store
    assert main(["report", "--campaign", str(folder), "--store", str(data)]) == 0
    assert "Votes: English" in capsys.readouterr().out
    assert main(["report", "--campaign", str(folder), "--store", str(data), "--language", "hi"]) == 0
    assert "वोट: अंग्रेज़ी" in capsys.readouterr().out


def test_the_command_prints_one_json_object_and_writes_tables_and_plots_beside(
    campaign_and_store: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder, data = campaign_and_store
    out = tmp_path / "out"
    assert main(["report", "--campaign", str(folder), "--store", str(data), "--json", "--out", str(out)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["votes"]["en"]["votes"] == 48
    assert {Path(path) for path in (*report["tables"], *report["plots"])} == {*out.iterdir()}
    assert {path.stem for path in out.glob("*.csv")} == TABLES.keys()


@thorough
def test_the_command_names_the_files_that_it_wrote(
    campaign_and_store: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder, data = campaign_and_store
    out = tmp_path / "out"
    assert main(["report", "--campaign", str(folder), "--store", str(data), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "Votes: English" in printed
    assert [path.name for path in out.iterdir() if f"\n{path}: " not in printed] == []


def test_the_command_refuses_in_one_line(
    campaign_and_store: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder, data = campaign_and_store
    (tmp_path / "file").touch()
    for arguments in (
        ["--campaign", str(tmp_path / "nowhere"), "--store", str(data)],
        ["--campaign", str(folder), "--store", str(data), "--pay", "write=-1"],
        ["--campaign", str(folder), "--store", str(data), "--pay", "sing=1"],
        ["--campaign", str(folder), "--store", str(tmp_path / "nowhere")],
        ["--campaign", str(folder), "--store", str(data), "--out", str(tmp_path / "file")],
    ):
        assert main(["report", *arguments]) == 2
        output = capsys.readouterr()
        assert (output.out, output.err.count("\n")) == ("", 1)


@pytest.mark.parametrize(
    ("good", "dollars"),
    [
        (0, "0.00"),
        (1, "0.02"),
        (25, "0.50"),  # 25 x 0.02
        (26, "0.53"),  # and 1 x 0.03
        (75, "2.00"),  # 25 x 0.02 and 50 x 0.03
        (76, "2.04"),  # and 1 x 0.04
        (125, "4.00"),  # and 50 x 0.04
        (126, "4.05"),
        (1000, "120.00"),  # 0.50, then 19 steps of 50 at 0.03 to 0.21 (114.00), and 25 at 0.22
    ],
)
def test_the_bonus_grows_as_the_paper_says(good: int, dollars: str) -> None:
    assert bonus(good) == Decimal(dollars)


def test_every_description_is_paid_and_the_accepted_ones_bring_a_bonus() -> None:
    paid_campaign = campaign(items=4, voices=3)
    written = [description("writer", f"item{number}") for number in range(3)] + [description("other", "item3")]
    scores = [(4, 4, 3), (1, 2, 4), (4,)]
    rated = [
        rating(f"p{person}", event.item, event.id, score)
        for event, answers in zip(written, scores, strict=False)
        for person, score in enumerate(answers)
    ]
    other, writer = ledger(frames([*written, *rated], paid_campaign).texts).itertuples()
    assert (writer.annotator, writer.descriptions, writer.good, writer.waiting) == ("writer", 3, 1, 1)
    assert (writer.pay, writer.bonus, writer.total) == (Decimal("0.54"), Decimal("0.02"), Decimal("0.56"))
    assert (other.good, other.waiting, str(other.total)) == (0, 1, "0.18")


def test_amounts_are_exact_for_many() -> None:
    paid_campaign = campaign(items=101)
    written = [description("writer", f"item{number}") for number in range(101)]
    assert str(ledger(frames(written, paid_campaign).texts)["total"].item()) == "18.18"


def test_the_pay_per_hour_stands_beside_each_kind_whose_pay_is_known() -> None:
    timed = [
        new_event(replace(event.payload, seconds=seconds), annotator=who, campaign=NAME, item=event.item, language="en")
        for who, seconds in (("ann", 10.0), ("ben", 30.0), ("cem", 500.0))
        for event in (vote(who, "item0", relevant="V.L"), description(who, "item1"))
    ]
    by_kind = {row["kind"]: row for row in as_json(make_report(timed, campaign()))["answers"]}
    assert (by_kind["vote"]["seconds"], by_kind["vote"]["hourly"]) == (30, None)
    assert by_kind["description"]["hourly"] == 21.6  # 120 descriptions in an hour, at 0.18 dollars

    paid = make_report(timed, campaign(), pay={"vote": Decimal("0.1"), "write": Decimal("0.25")})
    assert "$12.00" in as_text(paid)
    assert str(paid.owed) == "0.75"


def test_flags_of_a_pair_are_counted_with_what_the_owner_decided() -> None:
    flagged = [
        new_event(payload, annotator=who, campaign=NAME, item=item)
        for who, item, payload in (
            ("ann", "item0", Flag("through_object")),
            ("ben", "item1", Flag("through_object")),
            ("cem", "item1", Description("Same.", words=1, flags=("no_clear_difference",))),
            ("ann", "item1", Flag("skipped_other", "dull")),
            ("dev", "item1", Flag("problem", "black")),
            (OWNER, "item0", Decision("keep")),
        )
    ]
    told = as_json(make_report(flagged, campaign()))["flags"]
    assert told == [
        {"item": "item1", "no_clear_difference": 1, "through_object": 1, "problem": 1}
        | {"people": 3, "reasons": "black", "decision": ""},
        {"item": "item0", "no_clear_difference": 0, "through_object": 1, "problem": 0}
        | {"people": 1, "reasons": "", "decision": "keep"},
    ]
    assert "waits for the owner" in as_text(make_report(flagged, campaign()))


def test_nobody_is_owed_for_the_campaigns_own_texts() -> None:
    assert ledger(frames([], campaign()).texts).empty
