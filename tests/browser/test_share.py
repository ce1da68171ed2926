"""An answer that is shared: handed on with picture and address, and five seconds of the figure as a file."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from itertools import groupby, pairwise
from pathlib import Path

import httpx
import numpy as np
import pytest
from PIL import Image, ImageSequence
from playwright.sync_api import Locator, Page, Route, expect

from demo.examples.catalogue import FOLDER
from demo.i18n import interface_texts
from demo.serving.request_bodies import LOOP_PATH
from fmp_models.pose import INDEX
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, Pictures, ask
from tests.thoroughness import one_of, thorough

BOTH = [(1280, "en"), (390, "hi")]
WIDE, HIGH = 640, 800  # pixels of a loop
EDGE, SMALL, CORNER = 16, 196, 0.32 * WIDE  # of its photographs: from the edge, and the most of their height and width
STAGE, ABOVE = (0, 240, WIDE, 626), 100  # where the figure alone is drawn, and so far below the top of its drawing
BELOW = (0, 630, WIDE, 742)  # where the words are told
SHARES = """([refusal, takesFiles]) => {
    window.shared = [];
    Object.defineProperty(navigator, 'canShare', { value: ({ files }) => takesFiles || !files, configurable: true });
    Object.defineProperty(navigator, 'share', { configurable: true, value: async (what) => {
        const files = await Promise.all((what.files || []).map(async (file) => {
            const { width, height } = await createImageBitmap(file);
            return [file.name, file.type, width, height];
        }));
        window.shared.push({ ...what, files });
        if (refusal) throw new DOMException('as a test wants it', refusal);
    } });
}"""  # a browser that shares: notes what is handed on, and refuses it where that is wanted
SHARES_NOT = "() => Object.defineProperty(navigator, 'share', { value: undefined, configurable: true })"
COPIED = "() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }"


def answered(page: Page, name: str) -> Locator:
    """Return the answer to an example pair that is uploaded as a visitor's own files."""
    return ask(page, FOLDER / f"{name}_current.jpg", FOLDER / f"{name}_target.jpg")


def loop_of(page: Page, folder: Path, *, faceless: bool = False) -> list[tuple[int, Image.Image]]:
    """Make a loop and save it: the milliseconds and the picture of each of its frames."""
    page.locator("[name=fmp-faceless]").set_checked(faceless)
    with page.expect_download() as download:
        page.locator("[data-action=loop]").click()
    assert download.value.suggested_filename == "fixmypose.webp"
    path = folder / f"{faceless}.webp"
    download.value.save_as(path)
    assert path.stat().st_size < 2_000_000
    frames = []
    with Image.open(path) as loop:
        assert (loop.format, loop.size, loop.info["loop"]) == ("WEBP", (WIDE, HIGH), 0)
        for frame in ImageSequence.Iterator(loop):
            frame.load()
            frames.append((int(frame.info["duration"]), frame.convert("RGB")))
    return frames


def apart(one: Image.Image, other: Image.Image) -> float:
    """How much two pictures differ on average, in grey levels."""
    return float(np.abs(np.asarray(one.convert("L"), float) - np.asarray(other.convert("L"), float)).mean())


def told(frames: list[tuple[int, Image.Image]]) -> list[int]:
    """How many frames each of the captions stands, without what stands at both ends and where there is none."""
    captions = [np.asarray(frame.crop(BELOW).convert("L")) < 110 for _, frame in frames]
    changes = [0, *(int((one ^ other).sum() > 150) for one, other in pairwise(captions))]
    runs = [list(run) for _, run in groupby(range(len(frames)), key=np.cumsum(changes).tolist().__getitem__)]
    return [len(run) for run in runs[1:-1] if captions[run[0]].any()]


def figure_at(page: Page, pose: str) -> Image.Image:
    """Return a picture of the card's figure in a pose, in the size of the loop."""
    address = page.locator(".fmp-see canvas").evaluate(
        """(canvas, pose) => {
            const played = JSON.parse(document.querySelector('[data-played]').dataset.played);
            const letters = { left: window.FMP.say('done.letter_left'), right: window.FMP.say('done.letter_right') };
            canvas.style.cssText = 'width: 640px; height: 486px; max-height: none; max-width: none; aspect-ratio: auto';
            canvas.figure.figure.draw(pose === 'current' ? played.poses[0] : played.target, { letters });
            const paper = document.createElement('canvas'), draw = paper.getContext('2d');
            Object.assign(paper, { width: canvas.width, height: canvas.height });
            draw.fillStyle = '#fffefb';
            draw.fillRect(0, 0, paper.width, paper.height);
            draw.drawImage(canvas, 0, 0);
            return paper.toDataURL();
        }""",
        pose,
    )
    return Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))).convert("RGB")


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH))
def test_the_loop_goes_from_the_current_pose_to_the_goal_in_five_seconds(
    open_page: Callable[..., Page], tmp_path: Path, width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    answer = answered(page, "squat")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.url.startswith("http") else None)

    frames = loop_of(page, tmp_path)

    expect(answer.locator(".fmp-answer-status")).to_have_text(interface_texts()[language]["share.loop_saved"])
    assert [address.partition("?")[0].removesuffix(LOOP_PATH) for address in sent] == [
        page.url.partition("#")[0].rstrip("/")
    ]
    durations = [milliseconds for milliseconds, _ in frames]
    assert sum(durations) == pytest.approx(5000, abs=200)
    assert min(durations[0], durations[-1]) >= 5 * max(durations[1:-1])  # both ends are held
    current, goal = (figure_at(page, pose).crop((0, ABOVE, WIDE, 486)) for pose in ("current", "target"))
    first, last = (frames[at][1].crop(STAGE) for at in (0, -1))
    assert apart(first, current) < 3 < apart(first, goal)
    assert apart(last, goal) < 3 < apart(last, current)
    moves = [apart(one.crop(STAGE), other.crop(STAGE)) for (_, one), (_, other) in pairwise(frames)]
    assert max(moves) < apart(first, last) / 2  # no pose is jumped to


@thorough
@pytest.mark.parametrize(("name", "captions"), [("side_stretch", 3), ("warrior", 1)])
def test_the_loop_tells_at_most_the_first_three_steps(
    open_page: Callable[..., Page], tmp_path: Path, name: str, captions: int
) -> None:
    page = open_page(language="en")
    answer = answered(page, name)
    assert min(3, answer.locator(".fmp-steps li[data-words]:not(.fmp-aside)").count()) == captions

    lengths = told(loop_of(page, tmp_path))

    assert len(lengths) == captions
    assert min(lengths) > 5  # a third of a second at least


@thorough
def test_the_loop_tells_what_the_answer_says_now(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page(language="en")
    answer = answered(page, "warrior")
    page.locator(".fmp-language[data-language=hi]").click()
    step = answer.locator(".fmp-step[lang=hi]").first
    step.wait_for()
    page.evaluate(
        """() => {
            const { prototype } = CanvasRenderingContext2D, fillText = prototype.fillText;
            window.drawn = [];
            prototype.fillText = function (...given) { window.drawn.push(given[0]); fillText.apply(this, given); };
        }"""
    )

    loop_of(page, tmp_path)

    words = " ".join(step.inner_text().split())
    assert any(len(line) > 10 and words.startswith(line) for line in page.evaluate("window.drawn"))


@thorough
def test_faces_are_blurred_in_the_loop_and_nothing_else(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path
) -> None:
    page, words = open_page(language="en"), interface_texts()["en"]
    answer = ask(page, pictures.standing, pictures.warrior)
    plain, blurred = (loop_of(page, tmp_path, faceless=wanted) for wanted in (False, True))
    expect(answer.locator(".fmp-answer-status")).to_have_text(words["share.loop_saved_faceless"].format(count=2))

    assert len(plain) == len(blurred)
    coarse = 4  # pixels: finer ones differ by how they are compressed
    one, other = (np.asarray(frames[0][1].reduce(coarse), np.int16) for frames in (plain, blurred))
    changed = np.abs(one - other).max(axis=-1) > 24
    figures = answer.locator(".fmp-joints .fmp-figure > .fmp-stack svg").evaluate_all(
        """(drawings, head) => drawings.map((drawing) => {
            const { width, height } = drawing.viewBox.baseVal;
            const dot = drawing.querySelector(`circle[data-joint="${head}"]`);
            return [width, height, Number(dot.getAttribute('cx')), Number(dot.getAttribute('cy'))];
        })""",
        INDEX["head"],
    )
    near = np.zeros(changed.shape, bool)
    rows, columns = np.indices(changed.shape) * coarse + coarse / 2
    for number, (across, down, x, y) in enumerate(figures):
        scale = min(SMALL / down, CORNER / across)
        left = WIDE - EDGE - across * scale if number else EDGE
        around = np.hypot(columns - left - x * scale, rows - EDGE - y * scale) < 0.22 * down * scale
        assert changed[around].sum() > 3  # the face is no more what it was
        near |= around
    assert not changed[~near].any()


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 1))
def test_making_a_loop_can_be_stopped_and_a_refusal_is_said_in_one_sentence(
    open_page: Callable[..., Page], tmp_path: Path, width: int, language: str
) -> None:
    page, words = open_page(width=width, language=language), interface_texts()[language]
    answer = answered(page, "warrior")
    button, status = answer.locator("[data-action=loop]"), answer.locator(".fmp-answer-status")
    held: list[Route] = []

    def hold(route: Route) -> None:  # never answered
        held.append(route)

    page.route(f"**{LOOP_PATH}", hold)

    button.click()
    expect(button).to_have_text(words["share.loop_cancel"])
    expect(answer.get_by_role("progressbar", name=words["share.loop_progress"])).to_be_visible()
    assert findings(page) == []
    button.press("Enter")
    expect(status).to_have_text(words["share.loop_cancelled"])
    expect(button).to_have_text(words["share.loop"])
    expect(answer.get_by_role("progressbar")).to_be_hidden()

    page.unroute(f"**{LOOP_PATH}")
    refusal = {code: texts["errors.loop_busy"] for code, texts in interface_texts().items()}
    page.route(f"**{LOOP_PATH}", lambda route: route.fulfill(status=429, json={"code": "loop_busy", "text": refusal}))
    button.click()
    expect(status).to_have_text(words["errors.loop_busy"])
    page.unroute(f"**{LOOP_PATH}")
    page.route(f"**{LOOP_PATH}", lambda route: route.abort())
    button.click()
    expect(status).to_have_text(words["share.loop_failed"])
    page.unroute(f"**{LOOP_PATH}")
    assert loop_of(page, tmp_path)


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH))
def test_where_no_figure_moves_no_loop_is_made(open_page: Callable[..., Page], width: int, language: str) -> None:
    page = open_page(width=width, language=language)
    answer = ask(page, FOLDER / "warrior_current.jpg", FOLDER / "warrior_current.jpg")
    button = answer.locator("[data-action=loop]")
    expect(button).to_have_attribute("aria-disabled", "true")
    button.press("Enter")
    expect(answer.locator(".fmp-answer-status")).to_have_text(interface_texts()[language]["share.loop_nothing"])


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 1))
def test_an_answer_is_handed_on_as_a_picture_with_its_steps_and_the_address(
    open_page: Callable[..., Page], tmp_path: Path, width: int, language: str
) -> None:
    page, words = open_page(width=width, language=language), interface_texts()[language]
    page.evaluate(SHARES, ["", True])
    answer = answered(page, "squat")
    status = answer.locator(".fmp-answer-status")

    answer.get_by_role("button", name=words["share.share"], exact=True).click()

    expect(status).to_have_text(words["share.shared"])
    (shared,) = page.evaluate("window.shared")
    ((name, kind, across, down),) = shared["files"]
    assert (name, kind, across) == ("fixmypose.jpg", "image/jpeg", 1080)
    assert down > across  # portrait
    assert [line[:2] for line in shared["text"].splitlines()[:3]] == ["1.", "2.", "3."]
    assert shared["text"].endswith(page.url.partition("#")[0])

    loop_of(page, tmp_path)
    assert findings(page) == []
    answer.get_by_role("button", name=words["share.loop_share"]).click()
    page.wait_for_function("window.shared.length === 2")
    assert page.evaluate("window.shared[1].files") == [["fixmypose.webp", "image/webp", WIDE, HIGH]]


@thorough
def test_who_thinks_better_of_sharing_is_told_that_nothing_was_shared(open_page: Callable[..., Page]) -> None:
    page = open_page(language="en")
    page.evaluate(COPIED)
    page.evaluate(SHARES, ["AbortError", True])
    answer = answered(page, "warrior")
    answer.locator("[data-action=share]").click()
    expect(answer.locator(".fmp-answer-status")).to_have_text(interface_texts()["en"]["share.unshared"])
    assert page.evaluate("window.copied") is None


@thorough
def test_where_files_cannot_be_shared_the_steps_and_the_address_are(open_page: Callable[..., Page]) -> None:
    page = open_page(language="en")
    page.evaluate(SHARES, ["", False])
    answer = answered(page, "warrior")
    answer.locator("[data-action=share]").click()
    expect(answer.locator(".fmp-answer-status")).to_have_text(interface_texts()["en"]["share.shared"])
    (shared,) = page.evaluate("window.shared")
    assert shared["files"] == []
    assert page.url.partition("#")[0] in shared["text"]


@thorough
@pytest.mark.parametrize("refusal", [None, "NotAllowedError"])
@pytest.mark.parametrize(("width", "language"), one_of(BOTH))
def test_where_nothing_can_be_shared_text_and_address_are_copied(
    open_page: Callable[..., Page], width: int, language: str, refusal: str | None
) -> None:
    page = open_page(width=width, language=language)
    page.evaluate(COPIED)
    page.evaluate(SHARES, [refusal, True]) if refusal else page.evaluate(SHARES_NOT)
    answer = answered(page, "warrior")
    answer.locator("[data-action=share]").click()
    expect(answer.locator(".fmp-answer-status")).to_have_text(interface_texts()[language]["share.copied"])
    copied = page.evaluate("window.copied")
    assert copied.startswith("1. ")
    assert copied.endswith(page.url.partition("#")[0])


@thorough
def test_the_address_of_an_example_leads_to_it_until_other_photographs_are_given(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page(language="en")
    page.evaluate(COPIED)
    page.evaluate(SHARES_NOT)
    page.locator("[data-action=example][data-name=tree]").click()
    page.locator("[data-which=target] .fmp-filled img").wait_for()
    page.locator("[data-action=submit]").click()
    answer = page.locator(".fmp-answer[data-outcome=correction]")
    answer.locator("[data-action=share]").click()
    page.wait_for_function("window.copied")
    home = page.url.partition("#")[0]
    assert page.evaluate("window.copied").endswith(f"{home}#correct/tree")

    page.locator("[data-which=target] input[type=file]").set_input_files(pictures.warrior)
    page.locator(".fmp-answer[data-outdated]").wait_for()
    page.evaluate("window.copied = ''")
    page.locator("[data-action=submit]").click()
    page.locator(".fmp-answer:not([data-outdated]) [data-action=share]").click()
    page.wait_for_function("window.copied")
    assert page.evaluate("window.copied").endswith(home)


@thorough
def test_a_loop_of_another_page_or_of_no_pictures_is_refused(app: App) -> None:
    refused = httpx.post(f"{app.url}{LOOP_PATH}", headers={"Origin": "https://evil.example"}, content=b"x", timeout=30)
    assert (refused.status_code, refused.text.splitlines()[0]) == (403, interface_texts()["en"]["hosts.other_page"])
    refused = httpx.post(f"{app.url}{LOOP_PATH}", content=json.dumps({"pictures": []}), timeout=30)
    assert (refused.status_code, refused.json()["code"]) == (422, "loop_pictures")
