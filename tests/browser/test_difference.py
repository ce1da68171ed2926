"""Two pictures without a person: their difference is offered and described where a captioner of pictures is set."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from demo.i18n import error_text, interface_texts
from fmp_models.errors import BadInputError
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.tools import call_tool, data_uri
from tests.browser.visits import App, Pictures, ask, running_app
from tests.taught_captioners import save_taught
from tests.thoroughness import one_of

TEXTS = {"en": ["The red chair is further left."], "hi": ["लाल कुर्सी अब बाईं ओर है।"]}
REFUSED = "refusal"


@pytest.fixture(scope="module")
def captioner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_taught(tmp_path_factory.mktemp("models") / "pictures", TEXTS, joints=False)


@pytest.fixture(scope="module")
def walls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return two pictures without people."""
    folder = tmp_path_factory.mktemp("walls")
    for name in ("white", "grey"):
        Image.new("RGB", (300, 400), name).save(folder / f"{name}.png")
    return folder / "white.png", folder / "grey.png"


@pytest.fixture(scope="module")
def describing(pose_model: Path, captioner: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app whose owner set a captioner of differences."""
    folders = tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads")
    with running_app(pose_model, *folders, FMP_DIFFERENCE_CAPTIONER=str(captioner)) as running:
        yield running


@pytest.fixture(scope="module")
def client(describing: App) -> Client:
    return Client(describing.url, verbose=False)


def difference(client: Client, pictures: tuple[Path, Path], **more: object) -> dict[str, Any]:
    return client.predict(*(handle_file(str(one)) for one in pictures), **more, api_name="/difference")


@pytest.mark.parametrize(("language", "width"), one_of([("en", 1280), ("hi", 390), ("en", 390), ("hi", 1280)], 1))
def test_pictures_without_a_person_are_refused_as_ever_and_their_difference_is_told_on_request(
    describing: App, browser: Browser, walls: tuple[Path, Path], language: str, width: int
) -> None:
    words = interface_texts()[language]
    with visitors(describing, browser) as open_page:
        page = open_page(language=language, width=width)
        ask(page, *walls, REFUSED)
        alert = page.locator("[data-which=current] .fmp-alert")
        sentence = error_text(BadInputError("no_person", which="current")).by_language[language]
        expect(alert).to_contain_text(sentence)
        expect(alert).to_contain_text(words["difference.offer"])
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width

        alert.get_by_role("button", name=words["difference.submit"]).press("Enter")

        told = page.locator(".fmp-answer[data-outcome=difference]")
        expect(told.locator("h2")).to_be_focused()
        expect(told.locator("h2")).to_have_text(words["difference.heading"])
        expect(told.locator(f".fmp-plain[lang={language}]")).to_have_text(TEXTS[language])
        expect(told.get_by_role("note")).to_have_text(words["difference.caution"])
        expect(page.locator("#correct-form .fmp-status")).to_have_text(words["difference.ready"])
        expect(alert).to_be_empty()
        expect(page.locator("#about-answer")).to_be_hidden()
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width

        other = "en" if language == "hi" else "hi"
        page.locator(f".fmp-language[data-language={other}]").click()
        expect(page.locator(f".fmp-plain[lang={other}]")).to_have_text(TEXTS[other])


def test_where_one_picture_has_a_person_the_offer_is_in_the_place_of_the_other_and_ends_with_it(
    describing: App, browser: Browser, pictures: Pictures, walls: tuple[Path, Path]
) -> None:
    with visitors(describing, browser) as open_page:
        page = open_page()
        ask(page, pictures.standing, walls[0], REFUSED)
        offer = page.locator("[data-which=target] .fmp-alert .fmp-offer")
        expect(offer).to_be_visible()
        page.locator("[data-which=target] input[type=file]").set_input_files(pictures.warrior)
        expect(page.locator(".fmp-offer:visible")).to_have_count(0)


def test_nothing_is_offered_where_no_captioner_of_differences_is_set(
    open_page: Callable[..., Page], walls: tuple[Path, Path]
) -> None:
    page = open_page()
    ask(page, *walls, REFUSED)
    expect(page.locator("[data-which=current] .fmp-alert p")).to_have_count(1)
    assert page.locator(".fmp-offer").count() == 0


@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_a_program_gets_the_difference_in_its_language(
    client: Client, captioner: Path, walls: tuple[Path, Path], language: str
) -> None:
    told = difference(client, walls, language=language)
    assert set(told) == {"text", "language", "model"}
    assert (told["text"], told["language"]) == (TEXTS[language][0], language)
    assert told["model"]["id"] == f"./{captioner.name}"


def test_the_tool_answers_as_the_endpoint_does_and_is_described(
    describing: App, client: Client, walls: tuple[Path, Path]
) -> None:
    answer = call_tool(describing, "difference", dict(zip(("current", "target"), map(data_uri, walls), strict=True)))
    assert not answer.isError, answer.content
    assert json.loads(answer.content[0].text) == difference(client, walls)
    (tool,) = (
        one for one in httpx.get(f"{describing.url}/gradio_api/mcp/schema").json() if one["name"] == "difference"
    )
    assert list(tool["inputSchema"]["properties"]) == ["current", "target", "language"]
    assert all(one["description"].endswith(".") for one in tool["inputSchema"]["properties"].values())
    page = httpx.get(f"{describing.url}/programs").text
    assert "<code>/difference</code>" in page
    assert interface_texts()["en"]["programs.answers_difference"] in page


@pytest.mark.parametrize(
    ("target", "language", "sentence"),
    [
        ("wall", "fr", "The language must be one of"),
        ("text", "en", "Target photograph: This file is not a JPEG"),
        ("text", "hi", interface_texts()["hi"]["form.target"]),
        (None, "en", "Target photograph: Please give a photograph"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(  # noqa: PLR0913, PLR0917  a case and its places
    describing: App,
    client: Client,
    walls: tuple[Path, Path],
    tmp_path: Path,
    target: str | None,
    language: str,
    sentence: str,
) -> None:
    (tmp_path / "text.txt").write_text("no picture")
    files = {"wall": walls[1], "text": tmp_path / "text.txt"}
    printed, before = len(describing.output), describing.stored_uploads()
    with pytest.raises(AppError) as refusal:
        client.predict(
            handle_file(str(walls[0])),
            None if target is None else handle_file(str(files[target])),
            language,
            api_name="/difference",
        )
    assert str(refusal.value).startswith(sentence), refusal.value
    assert "\n" not in str(refusal.value)
    assert not [line for line in describing.output[printed:] if "Traceback" in line]
    assert describing.stored_uploads() <= before
