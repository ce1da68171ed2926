"""Somebody who comes while a script makes up guests by the hundred."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from annotate.tasks.admission import NEW_GUESTS
from demo.i18n import interface_texts
from tests.browser.pressing import Presser
from tests.browser.test_accessibility import findings
from tests.browser.visits import App
from tests.thoroughness import one_of, thorough

PROXIED = {"X-Forwarded-For": "192.0.2.9"}  # so that nobody is taken for the owner of this machine


@thorough
@pytest.mark.parametrize(("language", "width"), one_of([("en", 1280), ("hi", 390)], 1))
def test_the_page_solves_a_proof_of_work_and_the_guest_is_admitted(
    app: App, open_page: Callable[..., Page], language: str, width: int
) -> None:
    flood = Presser(app, PROXIED)
    fill(flood)
    page = open_page(language=language, width=width, extra_http_headers=PROXIED)
    held: list[Route] = []

    def while_it_is_full(route: Route) -> None:
        """Pass the first press on when there is no room, a little of which comes back every second; hold the proof."""
        if '"proof"' in (route.request.post_data or ""):
            held.append(route)
            return
        for _ in range(20):
            fill(flood)
            answer = route.fetch()
            if "proof_needed" in answer.text():
                route.fulfill(response=answer)
                return
        pytest.fail("there is room for every newcomer")

    page.route("**/gradio_api/run/**", while_it_is_full)
    with page.expect_request(lambda asked: '"proof"' in (asked.post_data or "")):
        page.locator("#tab-annotate").click()
    expect(page.locator("#work .fmp-alert")).to_contain_text(interface_texts()[language]["refused.proof_needed"])
    for route in held:
        route.continue_()
    page.unroute("**/gradio_api/run/**")

    expect(page.locator(".fmp-start")).to_be_visible()
    expect(page.locator("[data-action=sit]").first).to_be_visible()
    expect(page.locator("#work .fmp-alert")).to_be_empty()
    assert findings(page) == []


def fill(flood: Presser) -> None:
    """Make up guests until there is no room for newcomers."""
    for _ in range(2 * NEW_GUESTS.at_once):
        flood.guest.clear()
        if flood.press("edits")["code"] == "proof_needed":
            return
    pytest.fail("a script makes up as many guests as it likes")
