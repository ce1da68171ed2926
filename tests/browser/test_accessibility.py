"""axe-core finds nothing serious on the page: before and after an answer, with an error, narrow, dark, in Hindi."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.visits import Pictures, ask
from tests.thoroughness import one_of, thorough

# Of the results violations alone are worked out in full; what passed is most of them.
GRAVE = """async () => {
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations.filter((one) => ["serious", "critical"].includes(one.impact)).flatMap(
        (one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 200)}`));
}"""


def findings(page: Page) -> list[str]:
    """Return the violations that axe-core calls serious or critical on the page."""
    if page.evaluate("!window.axe"):
        page.evaluate(Axe().axe_script)
    faults: list[str] = page.evaluate(GRAVE)
    return faults


@thorough
@pytest.mark.parametrize(
    ("width", "language", "scheme"),
    one_of([(1280, "en", "light"), (390, "hi", "light"), (1280, "hi", "dark"), (390, "en", "dark")], 3),
)
def test_axe_finds_nothing_grave(
    open_page: Callable[..., Page],
    pictures: Pictures,
    width: int,
    language: str,
    scheme: str,
) -> None:
    page = open_page(width=width, language=language, color_scheme=scheme)
    assert findings(page) == []

    page.locator("[data-action=submit]").click()
    page.locator(".fmp-alert p").first.wait_for()
    assert findings(page) == []

    ask(page, pictures.standing, pictures.warrior)
    assert findings(page) == []


def test_every_control_has_a_name_and_room_for_a_finger(open_page: Callable[..., Page]) -> None:
    page = open_page(width=390)

    small = page.evaluate(
        """() => [...document.querySelectorAll('.gradio-container button')].filter((node) => {
            const box = node.getBoundingClientRect();
            return box.width && (box.height < 44 || box.width < 44 || !(node.ariaLabel || node.textContent.trim()));
        }).map((node) => node.outerHTML)"""
    )

    assert small == []
