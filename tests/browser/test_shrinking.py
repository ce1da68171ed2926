"""Photographs are made small in the browser before they are sent; what it cannot read goes as it is."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pillow_heif
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from demo.i18n import interface_texts
from tests.browser.visits import Pictures, give
from tests.thoroughness import one_of, thorough

MAX_SIDE = 1280
ORIENTATION, ARTIST = 0x0112, 0x013B


def listen(page: Page) -> None:
    """Remember the files of every upload from now on: the browser tells nobody else what is in one."""
    page.evaluate(
        """() => {
            window.sent = [];
            const remember = (body) => {
                if (!(body instanceof FormData)) return;
                window.sent.push(...[...body.values()].filter((one) => one instanceof File));
            };
            const { fetch } = window, { send } = XMLHttpRequest.prototype;
            window.fetch = (...request) => { remember(request[1]?.body); return fetch(...request); };
            XMLHttpRequest.prototype.send = function (body) { remember(body); return send.call(this, body); };
        }"""
    )


def sent_files(page: Page) -> list[bytes]:
    """Return the files that :func:`listen` recorded."""
    files: list[list[int]] = page.evaluate(
        "async () => Promise.all(window.sent.map(async (file) => [...new Uint8Array(await file.arrayBuffer())]))"
    )
    return [bytes(file) for file in files]


@pytest.fixture
def of_a_phone(pictures: Pictures, tmp_path: Path) -> Path:
    """Return a large photograph as a phone writes it: on its side, with an orientation tag and the owner's name."""
    with Image.open(pictures.standing) as opened:
        upright = opened.convert("RGB")
    scale = 3000 / upright.height
    large = upright.resize((round(upright.width * scale), 3000)).rotate(90, expand=True)
    exif = Image.Exif()
    exif[ORIENTATION], exif[ARTIST] = 6, "Asha"
    path = tmp_path / "phone.jpg"
    large.save(path, exif=exif, quality=95)
    return path


def test_a_large_photograph_is_sent_small_upright_and_without_what_the_camera_wrote(
    open_page: Callable[..., Page], pictures: Pictures, of_a_phone: Path
) -> None:
    page = open_page()
    listen(page)
    give(page, of_a_phone, pictures.warrior)
    name = re.compile(r"phone\.jpg, \d+ by 3000 pixels")
    expect(page.locator("[data-which=current] .fmp-filled img")).to_have_attribute("alt", name)

    page.locator("[data-action=submit]").click()

    page.locator(".fmp-answer[data-outcome=correction]").wait_for()
    files = sent_files(page)
    assert len(files) == 2
    for file in files:
        with Image.open(io.BytesIO(file)) as picture:
            assert picture.format == "JPEG"
            assert max(picture.size) <= MAX_SIDE
            assert not picture.getexif()
    portrait = [file for file in files if (size := Image.open(io.BytesIO(file)).size) and size[1] == MAX_SIDE > size[0]]
    assert len(portrait) == 1
    assert len(portrait[0]) < of_a_phone.stat().st_size / 3


@thorough
def test_what_the_browser_cannot_read_is_sent_as_it_is(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path
) -> None:
    with Image.open(pictures.standing) as opened:
        buffer = io.BytesIO()
        pillow_heif.from_pillow(opened.convert("RGB")).save(buffer)
    (tmp_path / "phone.heic").write_bytes(buffer.getvalue())
    page = open_page()
    listen(page)
    give(page, tmp_path / "phone.heic", pictures.warrior)

    page.locator("[data-action=submit]").click()

    page.locator(".fmp-answer[data-outcome=correction]").wait_for()
    assert buffer.getvalue() in sent_files(page)


@thorough
def test_what_there_is_no_memory_to_draw_is_sent_as_it_is(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()
    listen(page)
    page.evaluate("() => { HTMLCanvasElement.prototype.toBlob = () => { throw new RangeError('no memory'); }; }")
    give(page, pictures.standing, pictures.warrior)
    expect(page.locator(".fmp-filled img:visible")).to_have_count(2)

    page.locator("[data-action=submit]").click()

    page.locator(".fmp-answer[data-outcome=correction]").wait_for()
    assert set(sent_files(page)) == {pictures.standing.read_bytes(), pictures.warrior.read_bytes()}


@thorough
def test_a_photograph_that_fails_does_not_keep_the_form_shut(open_page: Callable[..., Page]) -> None:
    page = open_page()

    page.evaluate("window.FMP.forms.correct.settled(Promise.reject(new RangeError('no memory')))")

    expect(page.locator("[data-action=submit]")).to_have_attribute("aria-disabled", "false")
    expect(page.locator("#correct-form .fmp-form")).to_have_attribute("aria-busy", "false")


def test_a_long_picture_is_not_made_so_small_that_it_is_called_too_small(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path
) -> None:
    Image.new("L", (540, 20_000), 200).save(tmp_path / "long.png")
    page = open_page()
    listen(page)
    give(page, tmp_path / "long.png", pictures.warrior)

    page.locator("[data-action=submit]").click()

    page.locator(".fmp-answer[data-outcome=refusal]").wait_for()
    assert "64" not in page.locator("#panel-correct .fmp-alert:visible").first.inner_text()
    assert min(Image.open(io.BytesIO(file)).width for file in sent_files(page)) == 64


@pytest.mark.parametrize("kind", one_of(["GIF", "WEBP", "PNG", "AVIF"], 1))
def test_an_animation_is_refused_on_the_page_as_elsewhere(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path, kind: str
) -> None:
    with Image.open(pictures.standing) as opened:
        standing = opened.convert("RGB")
    path = tmp_path / f"moving.{kind.lower()}"
    standing.save(path, kind, save_all=True, append_images=[standing.rotate(90)], duration=100)
    page = open_page()
    give(page, path, pictures.warrior)

    page.locator("[data-action=submit]").click()

    alert = page.locator("#panel-correct [role=alert]:visible").first
    expect(alert).to_contain_text(interface_texts()["en"]["errors.photo_animated"])


@pytest.mark.parametrize("kind", one_of(["GIF", "AVIF", "BMP"], 1))
def test_a_still_of_any_kind_that_is_read_can_be_chosen_and_is_answered(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"standing.{kind.lower()}"
    with Image.open(pictures.standing) as opened:
        opened.convert("RGB").save(path, kind)
    page = open_page()
    inputs = page.locator("input[type=file][accept*='image/jpeg']")
    accepted = [node.get_attribute("accept") for node in inputs.all()]
    assert accepted
    assert all(f"image/{kind.lower()}" in str(types) for types in accepted)
    give(page, path, pictures.warrior)

    page.locator("[data-action=submit]").click()

    page.locator(".fmp-answer[data-outcome=correction]").wait_for()
