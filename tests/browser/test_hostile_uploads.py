"""Hundreds of files that mean harm, through the running app: each a sentence or an answer, never a crash."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from playwright.sync_api import Page

from demo.i18n import interface_texts
from fmp_models.common.picture_files import MAX_BYTES
from fmp_models.errors import SENTENCES
from tests.browser.visits import App, Pictures, ask, give
from tests.hostile_uploads import hostile_uploads
from tests.thoroughness import thorough

MEMORY_MB = 700  # what the largest accepted picture needs while it is decoded, with room
SHOWN = 12  # files that a visitor's browser gives as well


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("hostile")
    written = []
    for number, (name, data) in enumerate(hostile_uploads()):
        path = folder / f"{number:03}_{name}"
        path.write_bytes(data)
        written.append(path)
    return written


def ask_program(client: Client, current: Path, target: Path) -> dict[str, Any]:
    return client.predict(handle_file(str(current)), handle_file(str(target)), "en", api_name="/correct")


@thorough
@pytest.mark.parametrize("step", [8, 3])  # every eighth file, and every third
def test_hostile_files_are_answered_or_refused_in_our_words(
    app: App, pictures: Pictures, files: list[Path], step: int
) -> None:
    assert len(files) >= 200
    client = Client(app.url, verbose=False)
    ask_program(client, pictures.standing, pictures.warrior)
    before, printed, stored = app.memory_mb(), len(app.output), app.stored_uploads()
    sentences = [sentence.partition("{")[0] for sentence in SENTENCES.values()]
    openings = tuple(f"{start}{sentence}" for sentence in sentences for start in ("", "Current photograph: "))
    highest, astonishing = before, []

    for file in files[::step]:
        try:
            reply = str(ask_program(client, file, pictures.warrior)["text"])
            good = bool(reply)
        except AppError as error:
            reply = str(error)
            good = reply.startswith(openings) and "\n" not in reply
        except ValueError as error:  # too large: the client already refuses what the server's limit forbids
            reply = str(error)
            good = "exceeds the maximum file size" in reply and file.stat().st_size > MAX_BYTES
        if not good:
            astonishing.append((file.name, reply))
        highest = max(highest, app.memory_mb())

    assert not astonishing, astonishing
    assert app.process.poll() is None
    assert highest - before < MEMORY_MB
    assert not [line for line in app.output[printed:] if "Traceback" in line]
    assert app.stored_uploads() <= stored


@thorough
def test_a_visitor_who_gives_hostile_files_reads_sentences(
    open_page: Callable[..., Page], pictures: Pictures, files: list[Path]
) -> None:
    page = open_page(language="hi")
    words = interface_texts()["hi"]
    starts = {value.partition("{")[0] for key, value in words.items() if key.startswith("errors.")} - {""}
    sentences, refusals = (*starts, words["which.current"]), {}

    for file in files[:: len(files) // SHOWN]:
        give(page, file, pictures.warrior)
        number = page.locator(".fmp-answer").get_attribute("data-number")
        page.locator("[data-action=submit]").click()
        page.locator(f".fmp-answer:not([data-number='{number}']), .fmp-alert p").first.wait_for()
        if page.locator(".fmp-answer[data-outcome=refusal]").count():
            refusals[file.name] = page.locator(".fmp-alert p, .fmp-problem p").first.inner_text()
    assert refusals
    assert {name: told for name, told in refusals.items() if not any(sentence in told for sentence in sentences)} == {}
    ask(page, pictures.standing, pictures.warrior)
