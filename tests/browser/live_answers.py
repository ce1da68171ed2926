"""Answers of the live coach that a test makes up, so that the page is seen in any state of an exercise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page

from fmp_models.pose import JOINTS
from tests.browser.test_live import live_visitors
from tests.browser.visits import App

# Of somebody who stands: thousandths of the frame, in the order of the joints.
STANDING = [[500, 500], [500, 400], [500, 300], [500, 220]]
STANDING += [[440, 310], [420, 400], [410, 490], [405, 520], [560, 310], [580, 400], [590, 490], [595, 520]]
STANDING += [[460, 510], [455, 680], [450, 850], [440, 880], [540, 510], [545, 680], [550, 850], [560, 880]]
assert len(STANDING) == len(JOINTS)
TEXTS = {
    "en": "Stretch both arms out to the sides until they are level with your shoulders.",
    "hi": "दोनों हाथ बगल में फैलाइए, जब तक वे कंधों के बराबर न आ जाएँ।",
}
ADVICE = {
    "phase": "move",
    "goal": 0,
    "instruction": TEXTS,
    "unseen": None,
    "said": 0,
    "sayings": [],
    "held": 0,
    "seconds": 4.2,
    "distances": {"arms": 30.0, "legs": 2.0, "trunk": 1.0, "head": 1.0},
    "best": True,
    "nearness": 0.2,
    "joints": STANDING,
    "ghost": STANDING,
    "hidden": [],
    "off": [5, 6, 7],
}

# Frames are answered in the page from `window.advice` after `window.late` milliseconds; `window.asked` notes each
# request of the coach. A pose that is gone to out of turn is the goal of all answers after it.
_ANSWERED = """(advice) => {
    const ask = window.fetch;
    Object.assign(window, { advice, late: 0, asked: [] });
    window.fetch = async (address, ...more) => {
        const { pathname, searchParams } = new URL(address, location.href), route = pathname.split("/live/")[1];
        if (route) window.asked.push({ route, ...Object.fromEntries(searchParams) });
        if (route === "go_to") window.advice = { ...window.advice, goal: Number(searchParams.get("goal")) };
        if (route !== "frame") return ask(address, ...more);
        await new Promise((done) => setTimeout(done, window.late));
        return new Response(JSON.stringify(window.advice), { headers: { "content-type": "application/json" } });
    };
}"""


def answer_frames(page: Page, **advice: object) -> None:
    """Answer the frames that the page sends by ``ADVICE``, changed by ``advice``."""
    page.evaluate(_ANSWERED, {**ADVICE, **advice})


def now_answer(page: Page, **advice: object) -> None:
    """Change the answers to come."""
    page.evaluate("(more) => { window.advice = { ...window.advice, ...more }; }", advice)


@contextmanager
def answered_visitors(app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Give what opens the live tab as a new visitor whose frames are answered by the test."""
    with live_visitors(app, browser) as open_one:

        def open_page(**how: object) -> Page:
            page = open_one(**how)
            answer_frames(page)
            return page

        yield open_page
