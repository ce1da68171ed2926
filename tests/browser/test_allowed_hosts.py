"""Who owns the app on this machine, asked over real connections."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from demo.i18n import interface_texts
from tests.browser.pressing import Presser
from tests.browser.visits import App, running_app
from tests.thoroughness import thorough

EN = interface_texts()["en"]


@pytest.mark.parametrize("headers", [{}, {"Host": "localhost:1"}, {"Origin": "own"}], ids=str)
def test_a_person_who_sits_there_owns_the_app_and_may_have_its_answers(app: App, headers: dict[str, str]) -> None:
    sent = {name: app.url if header == "own" else header for name, header in headers.items()}

    guest = Presser(app, sent)
    owner = Presser(app, sent).open_as_owner()

    assert "fmp-owner" not in guest.press("start")["html"]
    assert guest.press("download", form="answers")["code"] == "owners_only"
    assert "fmp-owner" in owner.press("start")["html"]
    assert owner.press("download", form="answers")["part"] == "file"


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", "CF-Connecting-IP", "X-Forwarded-Host"]
)
def test_a_person_who_comes_through_a_proxy_owns_nothing(app: App, header: str) -> None:
    visitor = Presser(app, {header: "127.0.0.1"}).open_as_owner()

    assert "fmp-owner" not in visitor.press_with_proof("start")["html"]
    assert visitor.press_with_proof("download", form="answers")["code"] == "owners_only"


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        ({"Host": "evil.example"}, EN["hosts.other_name"]),
        ({"Host": "evil.example:7860", "Origin": "http://evil.example:7860"}, EN["hosts.other_name"]),
        ({"Origin": "https://evil.example"}, EN["hosts.other_page"]),
        ({"Origin": "null"}, EN["hosts.other_page"]),
    ],
)
def test_a_page_of_somebody_else_gets_nothing_by_the_browser_of_the_owner(
    app: App, headers: dict[str, str], sentence: str
) -> None:
    refused = Presser(app, headers).send("download", form="answers")

    assert (refused.status_code, refused.text.splitlines()[0]) == (403, sentence)
    tools = httpx.post(f"{app.url}/gradio_api/mcp/", json={}, headers=headers)
    assert tools.status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:7860"])
def test_the_page_is_not_served_under_another_name(app: App, host: str) -> None:
    assert httpx.get(app.url, headers={"Host": host}).status_code == 403


@thorough
def test_a_name_that_is_set_is_served_and_owns_nothing(pose_model: Path, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    with running_app(
        pose_model, tmp_path / "data", tmp_path / "temporary", FMP_PUBLIC_HOSTS="Poses.example.org, other.example"
    ) as app:
        port = urlsplit(app.url).port
        for headers in (
            {"Host": "poses.example.org", "Origin": "https://poses.example.org"},
            {"Host": f"other.example:{port}", "Origin": f"http://other.example:{port}"},
            {"Host": f"127.0.0.1:{port}", "Origin": "https://poses.example.org"},
            {"Host": f"127.0.0.1:{port}"},  # a program's, through a proxy that forwards nothing
            {"Host": f"127.0.0.1:{port}", "Origin": f"http://127.0.0.1:{port}"},
        ):
            visitor = Presser(app, headers).open_as_owner()
            assert httpx.get(app.url, headers={"Host": headers["Host"]}).status_code == 200
            assert "fmp-owner" not in visitor.press("start")["html"]
            assert visitor.press("download", form="answers")["code"] == "owners_only"
