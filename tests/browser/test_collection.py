"""The way of a visitor who looks for a pose in the owner's collection: no candidates, drawn poses, more of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from demo.examples.catalogue import FOLDER as EXAMPLES
from demo.examples.catalogue import RETRIEVAL
from demo.i18n import interface_texts
from tests.bodies import random_pairs
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, running_app
from tests.thoroughness import one_of

CURRENT, POSES = EXAMPLES / "tree_current.jpg", 23


@pytest.fixture(scope="module")
def app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("collection")
    joints = [random_pairs(1, seed)[0].target.joints.tolist() for seed in range(POSES)]
    kind = pa.list_(pa.list_(pa.float32()))
    names = [f"{number}<b>.jpg" for number in range(POSES)]
    pq.write_table(pa.table({"picture": names, "estimated_joints": pa.array(joints, kind)}), folder / "joints.parquet")
    folders = tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads")
    with running_app(pose_model, *folders, FMP_GALLERY=str(folder / "joints.parquet")) as running:
        yield running


@pytest.fixture
def open_page(app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    with visitors(app, browser) as open_one:
        yield open_one


@pytest.mark.parametrize(("width", "language"), one_of([(390, "hi"), (1280, "en"), (390, "en"), (1280, "hi")]))
def test_the_collection_is_searched_without_candidates_and_shows_more_poses_when_asked(
    open_page: Callable[..., Page], app: App, width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    page.locator("#tab-retrieve").click()
    words, stored = interface_texts()[language], app.stored_uploads()
    search = page.get_by_role("button", name=words["find.collection"])

    search.click()
    expect(page.locator("#panel-retrieve .fmp-alert p").first).to_have_text(words["form.missing_current"])
    page.locator("[data-which=start] input[type=file]").set_input_files(CURRENT)
    page.locator("textarea[name=fmp-description]").fill(RETRIEVAL.descriptions[language])
    search.click()
    answer = page.locator(".fmp-ranking[data-outcome=collection]")
    answer.wait_for()

    expect(answer.locator("h2")).to_be_focused()
    poses, more = answer.locator(".fmp-collection > li:visible"), answer.locator("[data-action=more]")
    expect(poses).to_have_count(10)
    expect(poses.first).to_contain_text("<b>.jpg")
    expect(answer).to_contain_text(words["collection.hint"].format(count=POSES, size=POSES))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert findings(page) == []
    more.click()
    expect(poses.nth(10)).to_be_focused()
    expect(poses).to_have_count(20)
    more.click()
    expect(poses).to_have_count(POSES)
    expect(more).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert app.stored_uploads() <= stored

    page.locator("textarea[name=fmp-description]").fill(RETRIEVAL.descriptions[language] + ".")
    expect(answer.get_by_role("button", name=words["answer.again"])).to_be_visible()
    page.reload()
    expect(page.locator(".fmp-ranking[data-outcome=collection] .fmp-collection > li:visible")).to_have_count(10)


def test_a_photograph_without_a_person_is_told_in_its_place(open_page: Callable[..., Page], tmp_path: Path) -> None:
    Image.new("RGB", (300, 400), (90, 120, 60)).save(tmp_path / "empty.png")
    page = open_page(width=390)
    page.locator("#tab-retrieve").click()
    page.locator("[data-which=start] input[type=file]").set_input_files(tmp_path / "empty.png")
    page.locator("textarea[name=fmp-description]").fill(RETRIEVAL.descriptions["en"])
    page.locator("[data-action=collection]").click()
    expect(page.locator("#panel-retrieve [data-which=start] .fmp-alert p")).to_contain_text("person")
