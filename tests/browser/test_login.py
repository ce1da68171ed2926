"""A Space as its visitors meet it: nobody answers without the Hub's word for who they are, and it is never kept."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, Request, expect

from annotate.kinds.registry import RECORDS
from annotate.publishing.tables import kind_of, read_shard
from demo.i18n import interface_texts
from tests.annotate.asking import campaign_json, item, write
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import STOP_SECONDS, App, running_app
from tests.hub_server import HubServer, running_hub
from tests.openid_provider import OpenIdProvider, open_id_provider
from tests.thoroughness import thorough

EN = interface_texts()["en"]
REPO = "me/annotations"
OF_GRADIO = frozenset(
    {"huggingface.co", "fonts.googleapis.com"}
)  # on a Space it draws the Hub's head line over the page


@dataclass(frozen=True)
class Space:
    """The app as it runs on a Space, and the Hub that it speaks to."""

    app: App
    hub: HubServer
    door: OpenIdProvider


@pytest.fixture
def space(pose_model: Path, tmp_path: Path) -> Iterator[Space]:
    folders = tmp_path / "data", tmp_path / "temporary"
    folders[1].mkdir()
    campaign = write(tmp_path, campaign_json([item(number) for number in range(1, 5)], kinds=["verify"]))
    with running_hub() as hub, open_id_provider() as door:
        settings = {
            **hub.environment,
            **door.environment,
            "FMP_HOST": "127.0.0.1",
            "FMP_DATASET_REPO": REPO,
            "FMP_PSEUDONYM_KEY": "a key of the tests alone",
            "FMP_ADMINS": "Olga",
            "FMP_CAMPAIGN": str(campaign),
        }
        with running_app(pose_model, *folders, **settings) as app:
            yield Space(app, hub, door)


@pytest.fixture
def open_start(space: Space, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open the start page as somebody who was never here."""
    with visitors(space.app, browser, OF_GRADIO) as open_page:

        def open_one(**options: object) -> Page:
            page = open_page(alone=True, **options)
            page.goto(f"{space.app.url}/#annotate")
            page.locator(".fmp-start").wait_for()
            return page

        yield open_one


def press_login(page: Page) -> Page:
    """Press the login, and give the tab in which it opens: browsers keep no cookies of a page in the Hub's frame."""
    with page.expect_popup() as opened:
        page.get_by_role("link", name=EN["annotate.login"]).click()
    return opened.value


def sign_in(page: Page, space: Space, name: str) -> Page:
    space.door.visitor = name
    page = press_login(page)
    page.get_by_role("link", name=EN["annotate.logout"]).wait_for()
    expect(page.locator(".fmp-who")).to_contain_text(name)
    return page


def verify_one(page: Page) -> Request:
    """Agree, rate one text, and give back the request that carried it."""
    page.locator("#panel-annotate input[name=fmp-agree]").check()
    page.locator("[data-action=agree]").click()
    page.locator("[data-action=sit][data-kind=verify]").click()
    page.locator("input[name=score][value='3']").check(force=True)
    with page.expect_request(
        lambda asked: "/gradio_api/run" in asked.url and '"give"' in (asked.post_data or "")
    ) as sent:
        page.locator("[data-action=give]").click()
    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.thanks"].format(given=1))
    return sent.value


@thorough
def test_only_who_the_hub_vouches_for_answers_and_no_name_is_kept(
    space: Space, open_start: Callable[..., Page]
) -> None:
    page = open_start()
    expect(page.locator(".fmp-start")).to_contain_text(EN["annotate.login_needed"])
    expect(page.locator("[data-action=sit]")).to_have_count(0)
    assert findings(page) == []

    page = sign_in(page, space, "alice-of-the-hub")
    sent = verify_one(page)

    # The same request from outside, without the session, with a made-up one, and as a guest of a laptop.
    posted_body = json.loads(sent.post_data or "{}")
    guest = {**posted_body, "event_data": {**posted_body["event_data"], "guest": {"id": "0" * 32}}}
    for cookies, posted in (({}, posted_body), ({"session": "eyJvYXV0aF9pbmZvIjp7fX0=.x.y"}, posted_body), ({}, guest)):
        answered = httpx.post(sent.url, json=posted, cookies=cookies)
        assert EN["refused.login_needed"] in answered.text
        assert "fmp-task-form" not in answered.text

    page.goto(f"{space.app.url}/#annotate")
    page.get_by_role("link", name=EN["annotate.logout"]).click()
    page.get_by_role("link", name=EN["annotate.login"]).wait_for()
    expect(page.locator(".fmp-start")).to_contain_text(EN["annotate.login_needed"])

    page = sign_in(page, space, "olga")
    expect(page.locator(".fmp-owner")).to_contain_text(REPO)

    space.app.process.send_signal(signal.SIGTERM)
    assert space.app.process.wait(timeout=STOP_SECONDS) == 0
    repo = space.hub.repos["dataset", REPO]
    assert repo.private
    shards = {path: file.data for path, file in repo.head.files.items() if kind_of(path)}
    events = [event for path, data in shards.items() if kind_of(path) in RECORDS for event in read_shard(path, data)]
    assert sorted(event.kind for event in events) == ["consent", "rating"]
    assert not any(name in data.lower() for data in shards.values() for name in (b"alice", b"olga"))


@thorough
def test_who_is_not_let_in_is_back_where_the_login_was_and_owns_nothing_after_it(
    space: Space, open_start: Callable[..., Page]
) -> None:
    page = open_start(viewport={"width": 390, "height": 900})
    for space.door.refuses, space.door.is_away in ((True, False), (False, True)):
        page = press_login(page)
        page.wait_for_url(f"{space.app.url}/#annotate")
        page.locator(".fmp-start").wait_for()
        expect(page.locator(".fmp-start")).to_contain_text(EN["annotate.login_needed"])
    assert sum("A login failed" in line for line in space.app.output) == 2

    space.door.is_away = False
    page = sign_in(page, space, "bob")
    expect(page.locator(".fmp-owner")).to_have_count(0)
    assert REPO not in page.content()
    assert findings(page) == []
