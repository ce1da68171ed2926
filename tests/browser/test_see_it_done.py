"""The figure beside the pictures does what the steps say, is turned and stopped, and tries a person's own words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from demo.examples.catalogue import FOLDER
from demo.i18n import interface_texts
from fmp_models.common.picture_files import MAX_DESCRIPTION_CHARS
from fmp_models.pose import BONES, INDEX, JOINTS
from tests.bodies import Body, Leg
from tests.browser.test_accessibility import findings
from tests.browser.visits import ask
from tests.commands import ROOT
from tests.thoroughness import one_of, thorough

BOTH = [(1280, "en"), (390, "hi")]
OWN = {
    "en": "Raise your left arm straight up. Bend both knees a lot. Sing a song.",
    "hi": "बाईं बांह को सीधे ऊपर उठाएं। दोनों घुटनों को काफ़ी मोड़ें। गाना गाएं।",
}
STEPS = 10  # poses between two of the text, at least
MOVING, STILL = "no-preference", "reduce"


def opened(open_page: Callable[..., Page], motion: str = STILL, **options: object) -> tuple[Page, Locator]:
    """Return the page with an answer, and the answer."""
    page = open_page(**options)
    page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
    ask(page, FOLDER / "squat_current.jpg", FOLDER / "squat_target.jpg")  # in three steps
    card = page.locator("#answer .fmp-answer")
    card.locator(".fmp-see canvas").scroll_into_view_if_needed()
    return page, card


def now(card: Locator) -> dict[str, Any]:
    state: dict[str, Any] = card.locator(".fmp-see canvas").evaluate("(canvas) => canvas.figure.now()")
    return state


def camera(card: Locator) -> tuple[float, float]:
    angles = card.locator(".fmp-see canvas").evaluate("(canvas) => canvas.figure.figure.camera")
    return angles["yaw"], angles["pitch"]


def until(card: Locator, condition: str) -> None:
    """Wait for a condition on ``now``, what the figure shows."""
    card.page.wait_for_function(
        f"() => {{ const now = document.querySelector('.fmp-see canvas').figure.now(); return {condition}; }}"
    )


def places(card: Locator, act: str, frames: int = 400) -> list[dict[str, Any]]:
    """Return the figure in each frame after ``act``, until it rests or so many frames have passed."""
    shapes: list[dict[str, Any]] = card.evaluate(
        f"""async (card) => {{
            const shown = [], canvas = card.querySelector('.fmp-see canvas');
            card.querySelector('[data-action={act}]').click();
            for (let frame = 0; frame < {frames}; frame += 1) {{
                await new Promise(requestAnimationFrame);
                shown.push(canvas.figure.now());
                if (frame > 5 && shown.at(-1).at === shown.at(-5).at && !shown.at(-1).playing) break;
            }}
            return shown;
        }}"""
    )
    return shapes


def lengths(pose: list[list[float]]) -> np.ndarray:
    joints = np.array(pose)
    return np.array([np.linalg.norm(joints[child] - joints[parent]) for parent, child in BONES])


@thorough
def test_it_plays_by_itself_once_and_each_step_is_lit_while_it_happens(open_page: Callable[..., Page]) -> None:
    page, card = opened(open_page, MOVING)
    until(card, "now.playing && now.at > 0")  # nobody pressed anything
    steps = card.locator("[data-action=light]")
    step_text = card.locator(".fmp-see-now")

    for number in range(steps.count()):
        page.wait_for_function(
            """(number) => {
                const step = document.querySelectorAll('[data-action=light]')[number];
                const told = document.querySelector('.fmp-see-now').textContent.trim();
                return step.ariaPressed === 'true' && told === `Step ${number + 1} of 3`
                    && document.querySelectorAll('.fmp-steps li.fmp-highlighted').length === 1
                    && document.querySelectorAll('.fmp-joints circle.fmp-highlighted').length > 0;
            }""",
            arg=number,
        )
    card.locator("[name=fmp-see-speed]").select_option("2")
    until(card, f"!now.playing && now.at === {steps.count()}")

    expect(step_text).to_contain_text(interface_texts()["en"]["done.arrived"])
    expect(card.locator(".fmp-highlighted")).to_have_count(0)
    expect(card.locator("[data-action=play]")).to_have_text(interface_texts()["en"]["done.again"])
    expect(card.locator(".fmp-see-status")).to_be_empty()  # what plays by itself is not spoken


@thorough
def test_a_bone_keeps_its_length_on_the_way_and_nobody_jumps(open_page: Callable[..., Page]) -> None:
    _, card = opened(open_page)
    card.page.emulate_media(reduced_motion=MOVING)

    poses_shown = places(card, "forward")

    assert len({one["at"] for one in poses_shown}) > 5
    assert poses_shown[-1]["at"] == 1
    first = lengths(poses_shown[0]["pose"])
    for one in poses_shown:
        assert np.abs(lengths(one["pose"]) - first).max() < 0.004  # metres
    ways = [
        np.linalg.norm(np.array(after["pose"]) - np.array(before["pose"]), axis=1).max()
        for before, after in pairwise(poses_shown)
    ]
    assert max(ways) < 0.3


@thorough
def test_nobody_who_lies_sinks_into_the_floor_on_the_way_or_slides_along_it(open_page: Callable[..., Page]) -> None:
    on_back = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    start, end = (
        body.pose().joints @ on_back for body in (Body(), Body(left_leg=Leg(lift=80), right_leg=Leg(lift=80)))
    )
    end = end + start[0] - end[0]
    end[:, 1] += start[:, 1].max() - end[:, 1].max()
    script = (ROOT / "demo" / "page" / "body_motion.js").read_text(encoding="utf-8")

    on_the_way = open_page().evaluate(
        f"([body, from, to]) => {{ {script} const at = bodyMotion.between(body, from, to);"
        " return Array.from({ length: 21 }, (_, index) => at(index / 20)); }",
        [{"joints": list(JOINTS), "bones": [list(bone) for bone in BONES]}, start.tolist(), end.tolist()],
    )

    shown = np.array(on_the_way)
    assert shown[..., 1].max(axis=1) == pytest.approx(start[:, 1].max())  # y points down
    assert np.ptp(shown[:, 0, [0, 2]], axis=0) == pytest.approx(0, abs=1e-6)
    assert np.ptp(shown[:, INDEX["left_ankle"]], axis=0).max() > 0.5


@thorough
def test_it_pauses_goes_on_and_goes_step_by_step(open_page: Callable[..., Page]) -> None:
    _, card = opened(open_page, MOVING)
    play = card.locator("[data-action=play]")
    words = interface_texts()["en"]
    until(card, "now.playing && now.at > 0.1")
    expect(play).to_have_text(words["done.pause"])

    play.click()

    assert not now(card)["playing"]
    rested = now(card)["at"]
    card.evaluate("() => new Promise((go_on) => requestAnimationFrame(() => requestAnimationFrame(go_on)))")
    assert now(card)["at"] == rested
    expect(play).to_have_text(words["done.play"])
    card.locator("[data-action=forward]").click()  # on from the first step, which was not done to its end
    until(card, "now.at === 2 && !now.playing")
    expect(card.locator(".fmp-see-status")).to_contain_text(card.locator(".fmp-step").nth(1).inner_text())
    card.locator("[data-action=backward]").click()
    until(card, "now.at === 1")
    card.locator("[data-action=light]").nth(2).click()
    until(card, "now.at === 3 && !now.playing")
    card.locator("[data-action=play]").click()
    until(card, "now.playing")


@thorough
def test_where_nothing_may_move_by_itself_it_steps(open_page: Callable[..., Page]) -> None:
    _, card = opened(open_page)
    card.evaluate("() => new Promise((go_on) => requestAnimationFrame(() => requestAnimationFrame(go_on)))")
    assert now(card)["at"] == 0
    assert not now(card)["playing"]

    poses_shown = places(card, "forward")
    assert {one["at"] for one in poses_shown} == {1}
    poses_shown = places(card, "play", frames=60)

    assert all(one["at"] == int(one["at"]) for one in poses_shown)
    assert poses_shown[-1]["playing"]
    until(card, "now.at >= 3")


@thorough
def test_keys_turn_it_play_it_and_go_step_by_step(open_page: Callable[..., Page]) -> None:
    page, card = opened(open_page)
    canvas = card.locator(".fmp-see canvas")
    canvas.focus()
    straight = camera(card)
    assert straight[0] == 0  # as the camera saw it

    page.keyboard.press("ArrowLeft")
    turned = camera(card)
    page.keyboard.press("ArrowRight")
    assert turned[0] != 0
    assert camera(card)[0] == pytest.approx(0)
    page.keyboard.press("ArrowUp")
    assert camera(card)[1] > straight[1]
    for _ in range(40):
        page.keyboard.press("ArrowUp")
    assert camera(card)[1] < 1.5  # nobody is seen from below through the floor
    page.keyboard.press("Home")
    assert camera(card) == straight
    page.keyboard.press(".")
    assert now(card)["at"] == 1
    page.keyboard.press(",")
    assert now(card)["at"] == 0
    page.keyboard.press(" ")
    assert now(card)["playing"]
    page.keyboard.press(" ")
    assert not now(card)["playing"]


@thorough
def test_it_is_turned_by_mouse_by_finger_and_by_buttons(open_page: Callable[..., Page]) -> None:
    page, card = opened(open_page)
    box = card.locator(".fmp-see canvas").bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = pixels(card)

    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 120, middle[1])
    page.mouse.up()
    page.mouse.move(middle[0] - 200, middle[1])  # let go: it stays

    dragged = camera(card)[0]
    assert dragged < -0.5
    assert pixels(card) != before
    card.locator("[data-action=front]").click()
    assert camera(card)[0] == 0
    card.locator("[data-action=turn-left]").click()
    assert camera(card)[0] == pytest.approx(np.pi / 4)
    card.locator("[data-action=turn-right]").click()
    assert camera(card)[0] == pytest.approx(0)
    card.locator(".fmp-see canvas").evaluate(
        """(canvas) => {
            canvas.setPointerCapture = () => {};
            const finger = { pointerId: 5, pointerType: 'touch', bubbles: true };
            for (const [type, clientX] of [['pointerdown', 100], ['pointermove', 160], ['pointerup', 160]])
                canvas.dispatchEvent(new PointerEvent(type, { ...finger, clientX }));
        }"""
    )
    assert camera(card)[0] < -0.3
    assert card.locator(".fmp-see canvas").evaluate("(canvas) => getComputedStyle(canvas).touchAction") == "pan-y"


def pixels(card: Locator) -> str:
    return str(card.locator(".fmp-see canvas").evaluate("(canvas) => canvas.toDataURL()"))


def reddish(card: Locator) -> int:
    """How many pixels are as red as the rim of the ghost."""
    red_pixels: int = card.locator(".fmp-see canvas").evaluate(
        """(canvas) => {
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            let found = 0;
            for (let at = 0; at < data.length; at += 4)
                if (data[at + 3] > 150 && data[at] > 150 && data[at + 1] < 90 && data[at + 2] < 80) found += 1;
            return found;
        }"""
    )
    return red_pixels


@thorough
def test_the_goal_is_a_ghost_with_a_rim_and_is_drawn_where_the_figure_is_turned_to(
    open_page: Callable[..., Page],
) -> None:
    _, card = opened(open_page)
    front = reddish(card)
    assert front > 150

    card.locator("[data-action=turn-left]").click()
    card.locator("[data-action=turn-left]").click()

    assert 50 < reddish(card) != front


def try_words(card: Locator, text: str) -> None:
    unfolded(card).fill(text)
    card.locator(".fmp-see-own button").click()
    expect(card.locator(".fmp-see-whose")).to_be_visible()


def unfolded(card: Locator) -> Locator:
    """Where own words are typed."""
    if not card.locator(".fmp-try-own[open]").count():
        card.locator(".fmp-try-own summary").click()
    return card.locator("textarea")


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 1))
def test_the_answers_figure_ends_on_the_goal_and_has_no_gauge(
    open_page: Callable[..., Page], width: int, language: str
) -> None:
    _, card = opened(open_page, width=width, language=language)

    card.locator("[data-action=light]").last.click()

    played = json.loads(card.locator(".fmp-see").get_attribute("data-played") or "")
    until(card, f"now.at === {len(played['steps'])}")
    assert np.allclose(now(card)["pose"], played["target"], atol=0.03)
    expect(card.locator(".fmp-see-way")).to_be_hidden()


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 1))
def test_how_far_own_words_lead_is_said_in_words_and_as_a_number(
    open_page: Callable[..., Page], width: int, language: str
) -> None:
    page, card = opened(open_page, width=width, language=language)
    words = interface_texts()[language]
    try_words(card, OWN[language])

    bar = card.get_by_role("meter", name=words["done.way_heading"])
    percent = int(bar.get_attribute("aria-valuenow") or -1)
    way_text = card.locator(".fmp-see-way-said")
    assert 0 < percent <= 100
    expect(way_text).to_contain_text(f"{percent} ")
    assert any(words[f"done.way_{how}"] in way_text.inner_text() for how in ("there", "most", "half", "some", "hardly"))
    expect(bar).to_have_attribute("aria-valuetext", way_text.inner_text())
    share_shown = bar.evaluate("(bar) => bar.firstElementChild.offsetWidth / bar.clientWidth")
    assert share_shown * 100 == pytest.approx(percent, abs=1.5)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"]))
def test_every_length_of_the_way_has_its_words(open_page: Callable[..., Page], language: str) -> None:
    page, card = opened(open_page, language=language)
    words = interface_texts()[language]
    page.evaluate(
        """() => document.addEventListener('fmp:own-words', (event) => event.stopImmediatePropagation(), true)"""
    )  # the server is not asked

    for way, key, percent in (
        (-0.034, "away", "−3"),
        (0.004, "hardly", "0"),
        (0.25, "some", "25"),
        (0.398, "half", "40"),
        (0.5, "half", "50"),
        (0.8, "most", "80"),
        (1, "there", "100"),
        (None, "", ""),
    ):
        page.evaluate(
            """(way) => {
                const see = document.querySelector('.fmp-see'), played = { ...JSON.parse(see.dataset.played), way };
                const own = document.querySelector('.fmp-see-own');
                own.querySelector('textarea').value = 'words';
                own.requestSubmit();
                document.dispatchEvent(new CustomEvent('fmp:tried', { detail: JSON.stringify({ played }) }));
            }""",
            way,
        )
        if way is None:
            expect(card.locator(".fmp-see-way-said")).to_have_text(words["done.way_unknown"])
            expect(card.locator("[role=meter]")).to_be_hidden()
        else:
            sentence = words["done.way_backward" if way < 0 else "done.way_value"]
            way_text = sentence.format(words=words[f"done.way_{key}"], percent=percent)
            expect(card.locator(".fmp-see-way-said")).to_have_text(way_text)
            expect(card.locator("[role=meter]")).to_have_attribute("aria-valuenow", str(max(0, round(way * 100))))


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH))
def test_a_persons_own_words_are_done_on_the_same_joints_and_the_answers_text_comes_back(
    open_page: Callable[..., Page], width: int, language: str
) -> None:
    page, card = opened(open_page, width=width, language=language)
    words = interface_texts()[language]
    start, answers = now(card)["pose"], card.locator(".fmp-told").inner_text()

    card.locator(".fmp-try-own summary").press("Enter")
    card.get_by_label(words["done.own_label"]).fill(OWN[language])
    card.get_by_role("button", name=words["done.own_submit"], exact=True).click()

    steps = card.locator(".fmp-see-steps span")
    expect(steps).to_have_count(2)
    assert steps.first.get_attribute("lang") == language
    assert " ".join(steps.all_inner_texts()) == OWN[language].rsplit(re.findall("[.।]", OWN[language])[0], 2)[0] + (
        "।" if language == "hi" else "."
    )
    unmoved = card.locator(".fmp-see-unmoved")
    expect(unmoved).to_contain_text(words["done.unmoved"])
    expect(unmoved.locator("li")).to_have_count(1)
    until(card, "now.at === 2")
    reached = np.array(now(card)["pose"])
    hand, shoulder = reached[INDEX["left_hand"]], reached[INDEX["left_shoulder"]]
    assert hand[1] < shoulder[1] - 0.2  # the y axis points down
    expect(page.locator(".fmp-told")).to_be_hidden()  # they are not the answer's
    expect(card.locator(".fmp-see-way-said")).to_be_visible()
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    buttons = card.locator(".fmp-player button")
    expect(buttons.nth(1)).to_have_text(words["done.again"])
    assert len(set(buttons.evaluate_all("(all) => all.map((one) => one.offsetHeight)"))) == 1  # each on one line

    card.get_by_role("button", name=words["done.own_back"]).click()

    assert card.locator(".fmp-told").inner_text() == answers
    assert now(card)["pose"] == start
    expect(card.locator(".fmp-see-way")).to_be_hidden()
    expect(card.locator(".fmp-see-steps")).to_be_hidden()
    expect(unmoved).to_be_hidden()


@thorough
def test_the_answers_own_text_typed_again_leads_on_but_no_further_than_the_goal(open_page: Callable[..., Page]) -> None:
    page, card = opened(open_page)

    try_words(card, page.locator(".fmp-answer").get_attribute("data-text") or "")

    assert 0 < int(card.get_by_role("meter").get_attribute("aria-valuenow") or -1) <= 100


@thorough
def test_words_of_the_other_language_than_the_pages_are_done_too(open_page: Callable[..., Page]) -> None:
    _, card = opened(open_page, language="en")

    unfolded(card).fill(OWN["hi"])
    card.locator(".fmp-see-own button").click()

    expect(card.locator(".fmp-see-steps span")).to_have_count(2)
    expect(card.locator(".fmp-see-steps span").first).to_have_attribute("lang", "hi")


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 1))
def test_what_cannot_be_read_is_refused_in_one_sentence_of_the_page(
    open_page: Callable[..., Page], width: int, language: str
) -> None:
    page, card = opened(open_page, width=width, language=language)
    words = interface_texts()[language]
    answers = card.locator(".fmp-told").inner_text()
    alert = card.locator(".fmp-try-own [role=alert]")

    for text, key in (
        ("", "errors.description_empty"),
        ("x" * (MAX_DESCRIPTION_CHARS + 1), "errors.description_too_long"),
        ("Подними руку", "errors.description_foreign"),
        ("7, 8!", "errors.description_empty"),
    ):
        unfolded(card).fill(text)
        card.locator(".fmp-see-own button").click()
        expect(alert).to_have_text(words[key].format(limit=MAX_DESCRIPTION_CHARS))
        expect(card.locator("textarea")).to_be_focused()
        assert card.locator(".fmp-told").inner_text() == answers
    assert findings(page) == []

    card.locator("textarea").fill("pizza" if language == "en" else "पिज़्ज़ा")
    card.locator(".fmp-see-own button").click()
    expect(alert).to_have_text(words["done.nothing_moves"])
    assert now(card)["at"] == 0
    expect(card.locator("[data-action=play]")).to_be_disabled()


@thorough
def test_a_lost_connection_is_said_beside_the_words(open_page: Callable[..., Page]) -> None:
    page, card = opened(open_page)
    page.route("**/queue/join*", lambda route: route.abort())

    unfolded(card).fill(OWN["en"])
    card.locator(".fmp-see-own button").click()

    expect(card.locator(".fmp-try-own [role=alert]")).to_have_text(interface_texts()["en"]["faults.busy"])
    expect(card.locator(".fmp-see-busy")).to_be_empty()


@pytest.mark.parametrize(
    ("width", "language", "scheme"), one_of([(1280, "en", "light"), (390, "hi", "dark"), (390, "en", "light")])
)
def test_the_card_says_what_the_figure_shows_and_nothing_grave_is_found(
    open_page: Callable[..., Page], width: int, language: str, scheme: str
) -> None:
    page, card = opened(open_page, width=width, language=language, color_scheme=scheme)
    words = interface_texts()[language]
    figure = card.locator(".fmp-see").get_by_role("img").first
    steps = card.locator("li:has([data-action=light]) .fmp-step")
    expect(figure).to_have_attribute("aria-label", words["done.figure_start"].format(of=steps.count()))

    card.locator("[data-action=forward]").click()

    expect(figure).to_have_attribute(
        "aria-label",
        words["done.figure_step"].format(number=1, of=steps.count(), text=steps.first.inner_text()),
    )
    expect(figure).to_have_accessible_description(re.compile(re.escape(words["done.legend"])))
    assert findings(page) == []
    small = card.locator("button, select, summary").evaluate_all(
        """(controls) => controls.filter((control) => control.checkVisibility()).map((control) => {
            const { width, height } = control.getBoundingClientRect();
            return width < 44 || height < 44 ? control.outerHTML : '';
        }).filter(Boolean)"""
    )
    assert small == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@thorough
def test_words_of_the_figure_follow_the_language_of_the_page(open_page: Callable[..., Page]) -> None:
    page, card = opened(open_page, language="en")
    before = pixels(card)  # letters at the hands

    page.locator(".fmp-language[data-language=hi]").click()

    label = interface_texts()["hi"]["done.figure_start"].format(of=card.locator("[data-action=light]").count())
    expect(card.locator(".fmp-see canvas")).to_have_attribute("aria-label", label)
    assert pixels(card) != before


@thorough
def test_it_is_as_sharp_as_the_screen(open_page: Callable[..., Page]) -> None:
    _, card = opened(open_page, width=390, device_scale_factor=3)

    sizes = card.locator(".fmp-see canvas").evaluate("(canvas) => [canvas.width, canvas.clientWidth]")

    assert sizes[0] == 3 * sizes[1]


@thorough
def test_it_moves_smoothly_on_a_slow_phone(open_page: Callable[..., Page]) -> None:
    page, card = opened(open_page, width=390, device_scale_factor=3)
    page.emulate_media(reduced_motion=MOVING)
    page.bring_to_front()
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})

    frames, drawn = card.evaluate(
        """async (card) => {
            const { figure } = card.querySelector('.fmp-see canvas');
            if (!figure.now().playing) card.querySelector('[data-action=play]').click();
            const begun = performance.now(), gaps = [];
            let before = begun, last = 0;
            while (performance.now() - begun < 20000 && gaps.length < 60) {
                await new Promise(requestAnimationFrame);
                const { at } = figure.now();
                if (at !== last && at % 1) gaps.push(performance.now() - before);
                before = performance.now();
                last = at;
            }
            return [1000 / gaps.sort((one, other) => one - other)[Math.floor(gaps.length / 2)], gaps.length];
        }"""
    )

    print(f"{frames:.0f} frames a second, {drawn} drawn")  # noqa: T201  what is measured
    assert drawn > STEPS  # it goes over many poses in between, and does not leap


@thorough
def test_a_printed_answer_has_the_figure_and_no_controls(open_page: Callable[..., Page]) -> None:
    page, card = opened(open_page)

    page.emulate_media(media="print")

    expect(card.locator(".fmp-see canvas")).to_be_visible()
    for hidden in (".fmp-player", ".fmp-see-own", "[data-action=turn-left]", "#fmp-see-hint"):
        expect(card.locator(hidden)).to_be_hidden()


@thorough
def test_the_figure_is_there_again_after_a_reload(open_page: Callable[..., Page]) -> None:
    page, card = opened(open_page)

    page.reload()
    page.locator(".fmp-see").wait_for()

    card.locator("[data-action=forward]").click()
    assert now(card)["at"] == 1


@thorough
def test_joints_that_are_no_body_are_a_fault_and_no_answer(open_page: Callable[..., Page]) -> None:
    page, card = opened(open_page)
    page.evaluate(
        """() => document.addEventListener('fmp:own-words', ({ detail }) => { detail.current = [[1e308]]; }, true)"""
    )

    unfolded(card).fill(OWN["en"])
    card.locator(".fmp-see-own button").click()

    expect(card.locator(".fmp-try-own [role=alert]")).to_have_text(interface_texts()["en"]["faults.ours"])
