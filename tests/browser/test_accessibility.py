"""axe-core finds nothing serious on the page: before and after an answer, with an error, narrow, dark, in Hindi."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.visits import Pictures, ask

GRAVE = {"serious", "critical"}


def findings(page: Page) -> list[str]:
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in Axe().run(page).response["violations"]
        if violation["impact"] in GRAVE
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize(
    ("width", "language", "scheme"),
    [(1280, "en", "light"), (390, "hi", "light"), (1280, "hi", "dark"), (390, "en", "dark")],
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
