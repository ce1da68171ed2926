"""The judge counts what is done, tells what is missed, and draws figures with those that miss something in red."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from tests.everyday.contact_sheet import Cell, draw_sheet, save_sheet
from tests.everyday.expectations import missed
from tests.everyday.judge import Outcome, Phrase, judge, phrases, report
from tests.everyday.starts import STARTS

STANDING, RAISED = STARTS["standing"], STARTS["standing, arms overhead"]
PHRASE = Phrase("en-000", "en", "Arms up", "standing", ["hand_high both", "upright"])
DONE = Outcome(PHRASE, RAISED, missed(PHRASE.expect, STANDING, RAISED), ["done: Arms up"])
MISSED = Outcome(PHRASE, STANDING, missed(PHRASE.expect, STANDING, STANDING), ["unread: Arms up"])


def test_the_report_counts_what_is_done_and_tells_what_is_missed_with_its_value() -> None:
    count, line = report([DONE, MISSED], counts_only=False)
    assert count == "en: 1 of 2 done as expected"
    assert "hand_high both (-0.75)" in line
    assert "unread: Arms up" in line


def test_of_phrases_held_back_only_counts_are_told() -> None:
    assert list(report([DONE, MISSED], counts_only=True)) == ["en: 1 of 2 done as expected"]


def test_the_halves_share_no_phrase() -> None:
    assert {phrase.text for phrase in phrases()} & {phrase.text for phrase in phrases(held=True)} == set()


def test_a_text_that_is_refused_leaves_the_body_where_it_is() -> None:
    outcome = judge(PHRASE._replace(text="12345"))
    assert outcome.steps == ["refused: description_empty"]
    assert [fault.expectation for fault in outcome.missed] == ["hand_high both"]


def test_a_figure_that_misses_something_is_framed_in_red(tmp_path: Path) -> None:
    sheet = draw_sheet([DONE.cell, MISSED.cell], columns=2)
    width = sheet.width // 2
    frames = [sheet.getpixel((x, sheet.height // 2)) for x in (1, width + 1)]
    assert frames == [(252, 252, 250), (206, 40, 40)]
    save_sheet(sheet, tmp_path / "sheet.png")
    assert Image.open(tmp_path / "sheet.png").size == sheet.size


def test_the_goal_is_drawn_behind_the_end() -> None:
    without, with_goal = (draw_sheet([Cell("", STANDING, STANDING, goal)], columns=1) for goal in (None, RAISED))
    green = (150, 214, 160)
    assert green not in {colour for _, colour in without.getcolors(1 << 16) or []}
    assert green in {colour for _, colour in with_goal.getcolors(1 << 16) or []}
