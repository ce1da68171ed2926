"""The walks that ``make bench BENCH_ARGS=--walks`` measures: each leads there, in no more steps than it took."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser

from tests.benchmarks import walks
from tests.browser.visits import App, Pictures
from tests.thoroughness import thorough


@pytest.fixture
def two(pictures: Pictures) -> tuple[Path, Path]:
    return pictures.standing, pictures.warrior


@thorough
def test_at_home_an_address_two_pictures_and_a_press_bring_the_correction(
    app: App, browser: Browser, two: tuple[Path, Path]
) -> None:
    assert walks.at_home(app, browser, two).steps == 6


@thorough
def test_a_first_visit_needs_no_press_to_an_answer(app: App, browser: Browser) -> None:
    assert walks.first_visit(app, browser).steps == 1


@thorough
def test_a_result_is_handed_on_and_saved_as_a_loop_by_two_presses(
    app: App, browser: Browser, two: tuple[Path, Path], tmp_path: Path
) -> None:
    assert walks.handed_on(app, browser, two, tmp_path).steps == 8
    with Image.open(tmp_path / "loop.webp") as loop:
        assert getattr(loop, "is_animated", False)


@thorough
def test_by_keys_alone_the_answer_is_few_stops_away(app: App, browser: Browser, two: tuple[Path, Path]) -> None:
    assert walks.by_ear(app, browser, two).steps <= 32


@thorough
def test_an_annotator_needs_no_mouse_to_the_first_thanks(app: App, browser: Browser) -> None:
    assert walks.annotator(app, browser).steps <= 12


@thorough
def test_an_owner_has_the_answers_in_a_file(app: App, browser: Browser, tmp_path: Path) -> None:
    assert walks.annotator(app, browser).steps
    assert walks.owner(app, browser, tmp_path).steps <= 4
    with zipfile.ZipFile(tmp_path / "answers.zip") as answers:
        assert "vote.csv" in {Path(name).name for name in answers.namelist()}


@thorough
def test_a_program_and_a_tool_need_one_call(app: App, two: tuple[Path, Path]) -> None:
    assert [walk(app, two).steps for walk in (walks.by_api, walks.by_tool)] == [1, 1]
