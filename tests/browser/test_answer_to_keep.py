"""The answer as a thing to keep: one picture, a printed page, the last answers of this device, both figures large."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from demo.i18n import interface_texts
from fmp_models.pose import INDEX
from tests.browser.test_accessibility import findings
from tests.browser.visits import Pictures, ask
from tests.thoroughness import one_of, thorough

BOTH = [(1280, "en"), (390, "hi")]
EDGE, GAP, WIDE, TALLEST = 40, 24, 1080, 760  # pixels of the picture, and the most of the photographs in it


def saved(page: Page, folder: Path, *, faceless: bool) -> Image.Image:
    """Return the answer as one picture."""
    page.locator("[name=fmp-faceless]").set_checked(faceless)
    with page.expect_download() as download:
        page.locator("[data-action=save]").click()
    assert download.value.suggested_filename == "fixmypose.jpg"
    path = folder / f"{faceless}.jpg"
    download.value.save_as(path)
    return Image.open(io.BytesIO(path.read_bytes())).convert("RGB")


def placed(sizes: list[tuple[float, float]]) -> tuple[float, list[float]]:
    """How tall the photographs are in the picture, and where each begins from the left."""
    aspects = [across / down for across, down in sizes]
    tall = min(TALLEST, (WIDE - 2 * EDGE - GAP) / sum(aspects))
    first = (WIDE - GAP - tall * sum(aspects)) / 2
    return tall, [first, first + tall * aspects[0] + GAP]


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH))
def test_the_answer_is_saved_as_one_picture_and_without_faces_on_request(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path, width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    answer = ask(page, pictures.standing, pictures.warrior)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.url.startswith("http") else None)

    status, words = answer.locator(".fmp-answer-status"), interface_texts()[language]
    saved_picture = saved(page, tmp_path, faceless=False)
    expect(status).to_have_text(words["share.saved"])
    faceless = saved(page, tmp_path, faceless=True)
    expect(status).to_have_text(words["share.saved_faceless"].format(count=2))

    assert saved_picture.size == faceless.size
    assert saved_picture.width == WIDE
    assert sent == []
    changed = np.abs(np.asarray(saved_picture, np.int16) - np.asarray(faceless, np.int16)).max(axis=-1) > 24
    figures = answer.locator(".fmp-joints .fmp-figure svg").evaluate_all(
        """(drawings, head) => drawings.map((drawing) => {
            const { width, height } = drawing.viewBox.baseVal;
            const dot = drawing.querySelector(`circle[data-joint="${head}"]`);
            return [width, height, Number(dot.getAttribute('cx')), Number(dot.getAttribute('cy'))];
        })""",
        INDEX["head"],
    )
    high, lefts = placed([(across, down) for across, down, _, _ in figures])
    for left, (across, down, x, y) in zip(lefts, figures, strict=True):
        scale = high / down
        middle = left + x * scale, EDGE + y * scale
        rows, columns = np.nonzero(changed[:, round(left) : round(left + across * scale)])
        assert len(rows) > 50  # the face is no more what it was
        assert np.hypot(columns + left - middle[0], rows - middle[1]).max() < 0.2 * high  # and nothing else changed
    steps = np.asarray(saved_picture.convert("L"))[round(high) + 240 : -100]
    assert (steps < 100).sum() > 1000  # there are letters


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 1))
def test_everybodys_face_is_blurred_who_was_found_and_the_words_say_how_many(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path, width: int, language: str
) -> None:
    with Image.open(pictures.standing) as opened:
        one = opened.convert("RGB").crop((opened.width // 4, 0, opened.width * 3 // 4, opened.height))
    both = Image.new("RGB", (2 * one.width, one.height))
    for left in (0, one.width):  # twice the same, so that both faces are alike
        both.paste(one, (left, 0))
    together = tmp_path / "together.png"
    both.save(together)
    page, words = open_page(width=width, language=language), interface_texts()[language]
    answer = ask(page, together, pictures.warrior)
    expect(answer.locator(".fmp-blurring")).to_have_text(words["share.faces"])

    saved_picture, faceless = (saved(page, tmp_path, faceless=wanted).convert("L") for wanted in (False, True))

    expect(answer.locator(".fmp-answer-status")).to_have_text(words["share.saved_faceless"].format(count=3))
    figures = answer.locator(".fmp-joints .fmp-figure > .fmp-stack").evaluate_all(
        """(stacks, head) => stacks.map((stack) => {
            const svg = stack.querySelector('svg'), { width, height } = svg.viewBox.baseVal;
            const dot = svg.querySelector(`circle[data-joint="${head}"]`);
            const [other] = JSON.parse(stack.dataset.heads);
            return [width, height, Number(dot.getAttribute('cx')), Number(dot.getAttribute('cy')), other];
        })""",
        INDEX["head"],
    )
    high, lefts = placed([(across, down) for across, down, *_ in figures])
    scale = high / figures[0][1]
    _, _, x, y, (beside, level, radius) = figures[0]
    assert figures[1][4] is None  # the other photograph shows one person
    assert abs(level - y) < radius / 2 < radius < abs(beside - x)

    def face(picture: Image.Image, across: float, down: float) -> np.ndarray:
        middle, half = (lefts[0] + across * scale, EDGE + down * scale), radius * scale / 2
        return np.asarray(picture.crop((*(round(at - half) for at in middle), *(round(at + half) for at in middle))))

    for place in ((x, y), (beside, level)):
        before, after = face(saved_picture, *place).astype(float), face(faceless, *place).astype(float)
        assert np.abs(before - after).mean() > 8


@thorough
def test_a_face_at_the_edge_of_the_photograph_is_blurred_up_to_the_edge(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path
) -> None:
    page = open_page(language="en")
    answer = ask(page, pictures.standing, pictures.warrior)
    across, down, radius = answer.locator(".fmp-joints .fmp-figure > .fmp-stack").first.evaluate(
        """async (stack) => {
            const svg = stack.querySelector('svg'), { width, height } = svg.viewBox.baseVal;
            const place = (joint, x, y) => {
                const dot = svg.querySelector(`circle[data-joint="${joint}"]`);
                dot.setAttribute('cx', x);
                dot.setAttribute('cy', y);
            };
            const apart = height / 7; // of crown and neck, the crown upon the upper edge
            place(3, width / 2, 0);
            for (const joint of [2, 4, 8]) place(joint, width / 2, apart);
            for (const drawn of [...svg.children]) drawn.style.display = 'none'; // so that nothing else is in the way
            const canvas = document.createElement('canvas'), draw = canvas.getContext('2d');
            Object.assign(canvas, { width, height });
            draw.fillStyle = '#fff';
            draw.fillRect(0, 0, width, height);
            draw.fillStyle = '#000';
            for (let x = 0; x < width; x += 16) draw.fillRect(x, 0, 8, height); // stripes: what must not be seen
            const image = stack.querySelector('img');
            image.src = canvas.toDataURL();
            await image.decode();
            return [width, height, 1.4 * apart];
        }"""
    )

    saved_picture, faceless = (saved(page, tmp_path, faceless=wanted).convert("L") for wanted in (False, True))

    figures = answer.locator(".fmp-joints .fmp-figure svg").evaluate_all(
        "(drawings) => drawings.map(({ viewBox: { baseVal: { width, height } } }) => [width, height])"
    )
    high, lefts = placed(figures)
    scale = high / down
    middle, reach = lefts[0] + across * scale / 2, radius * scale
    edge = (round(middle - reach / 2), EDGE + 2, round(middle + reach / 2), EDGE + round(reach / 12))
    assert np.asarray(saved_picture.crop(edge)).std() > 80
    assert np.asarray(faceless.crop(edge)).std() < 30


@thorough
def test_the_number_of_a_step_lights_it_though_text_is_marked(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    answer = ask(open_page(language="en"), pictures.standing, pictures.warrior)
    number = answer.locator("button.fmp-number").first
    answer.locator("h2").evaluate("(heading) => getSelection().selectAllChildren(heading)")

    number.press("Enter")

    expect(number).to_have_attribute("aria-pressed", "true")


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 1))
def test_a_printed_page_has_the_answer_alone(
    open_page: Callable[..., Page], pictures: Pictures, width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    answer = ask(page, pictures.standing, pictures.warrior)
    page.evaluate("window.print = () => { window.printed = true; }")

    page.get_by_role("button", name=interface_texts()[language]["share.print"]).click()
    assert page.evaluate("window.printed")
    page.emulate_media(media="print")

    shown = ".fmp-answer h2", ".fmp-step", ".fmp-joints .fmp-stack", ".fmp-chart", ".fmp-red", ".fmp-source dl"
    for selector in (*shown, ".fmp-notes p:last-child"):
        expect(page.locator(f"{selector} >> visible=true").first).to_be_visible()
    for gone in (".fmp-header", ".fmp-tabs", "#panel-correct .fmp-form", ".fmp-earlier", ".fmp-footer"):
        expect(page.locator(gone).first).to_be_hidden()
    assert answer.locator("button:visible").count() == answer.locator("button.fmp-number").count()


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 1))
def test_the_last_ten_answers_are_kept_on_this_device_until_they_are_deleted(
    open_page: Callable[..., Page], pictures: Pictures, width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    words = interface_texts()[language]
    earlier = page.locator(".fmp-earlier details")
    expect(earlier).to_be_hidden()
    first = ask(page, pictures.standing, pictures.warrior)
    text, html = first.get_attribute("data-text"), first.evaluate("(node) => node.outerHTML")
    page.evaluate(  # as many more as fill it
        """async (html) => {
            for (let number = 0; number < 10; number += 1) {
                const detail = { html: number === 9 ? html : '', first: `${number}`, lang: 'en' };
                document.dispatchEvent(new CustomEvent('fmp:answer', { detail }));
                await new Promise((go_on) => setTimeout(go_on, 20));
            }
        }""",
        html,
    )
    rows = earlier.locator("li button")
    expect(rows).to_have_count(10)

    page.reload()  # they are there for who comes again
    page.locator("[data-action=submit]").first.wait_for()
    page.locator("[data-action=clear]").click()
    page.locator(".fmp-answer[data-outcome=empty]").wait_for()
    earlier.locator("summary").click()
    expect(rows).to_have_count(10)
    expect(rows.first).to_contain_text("9")
    assert findings(page) == []

    rows.first.click()
    answer = page.locator(".fmp-answer[data-outcome=correction]")
    expect(answer).to_have_attribute("data-text", text or "")
    expect(answer.locator("h2")).to_be_focused()
    expect(answer.locator(".fmp-outdated")).to_be_visible()  # nothing is given that it would be about

    earlier.get_by_role("button", name=words["earlier.delete"]).click()
    expect(earlier).to_be_hidden()
    expect(page.locator(".fmp-earlier [role=status]")).to_have_text(words["earlier.deleted"])
    expect(page.locator(".fmp-earlier [role=status]")).to_be_focused()
    page.reload()
    page.locator("[data-action=submit]").first.wait_for()
    expect(earlier).to_be_hidden()


def transforms(page: Page) -> list[str]:
    sources: list[str] = page.locator(".fmp-views img").evaluate_all(
        "(pictures) => pictures.map((picture) => new DOMMatrix(getComputedStyle(picture).transform).a.toFixed(2))"
    )
    return sources


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH))
def test_both_figures_open_large_and_zoom_together_by_keys_and_by_pinch(
    open_page: Callable[..., Page], pictures: Pictures, width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    answer = ask(page, pictures.standing, pictures.warrior)
    small = _height(answer.locator(".fmp-joints .fmp-stack").first)

    answer.locator("button[data-action=enlarge]").click()

    large = page.get_by_role("dialog", name=interface_texts()[language]["enlarge.label"])
    stacks = large.locator(".fmp-stack")
    expect(stacks).to_have_count(2)
    for stack in stacks.all():
        expect(stack).to_be_in_viewport(ratio=0.99)
    assert _height(stacks.first) > small
    assert transforms(page) == ["1.00", "1.00"]
    assert findings(page) == []

    page.keyboard.press("+")
    assert transforms(page) == ["1.25", "1.25"]
    page.keyboard.press("ArrowLeft")
    assert large.evaluate("(node) => node.style.getPropertyValue('--x')") == "8.00%"
    page.keyboard.press("0")
    assert transforms(page) == ["1.00", "1.00"]

    stacks.first.hover()
    page.mouse.wheel(0, -100)
    page.wait_for_function("document.querySelector('.fmp-large').style.getPropertyValue('--zoom') === '1.250'")
    page.keyboard.press("0")

    stacks.nth(1).evaluate(
        """(stack) => {
            stack.setPointerCapture = () => {};
            const more = { clientY: 300, bubbles: true, cancelable: true };
            const at = (type, pointerId, clientX) => {
                stack.dispatchEvent(new PointerEvent(type, { pointerId, clientX, ...more }));
            };
            at('pointerdown', 1, 100);
            at('pointerdown', 2, 200);
            at('pointermove', 2, 300);
            at('pointerup', 1, 100);
            at('pointerup', 2, 300);
        }"""
    )
    assert transforms(page) == ["2.00", "2.00"]

    stacks.first.evaluate(
        """(stack) => {
            stack.setPointerCapture = () => {};
            stack.dispatchEvent(new PointerEvent('pointerdown', { pointerId: 7, clientX: 100, bubbles: true }));
        }"""
    )
    page.keyboard.press("Escape")
    expect(large).to_be_hidden()
    answer.locator("button[data-action=enlarge]").click()
    stacks.first.evaluate(
        """(stack) => {
            stack.setPointerCapture = () => {};
            for (const [type, clientX] of [['pointerdown', 200], ['pointermove', 300]])
                stack.dispatchEvent(new PointerEvent(type, { pointerId: 8, clientX, bubbles: true }));
        }"""
    )
    assert transforms(page) == ["1.00", "1.00"]  # one finger alone is no pinch
    page.keyboard.press("Escape")
    expect(large).to_be_hidden()


def _height(stack: Locator) -> float:
    box = stack.bounding_box()
    assert box is not None
    return box["height"]
