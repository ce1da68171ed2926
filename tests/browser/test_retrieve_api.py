"""Programs that look for a pose: the endpoint, the tool, and the same answer as the command line."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from tests.browser.tools import call_tool, data_uri, uploaded
from tests.browser.visits import App, Pictures
from tests.commands import run_here
from tests.retrievers import RANKING_KEYS, TEXTS
from tests.thoroughness import one_of


@pytest.fixture
def nothing_more_is_stored(app: App) -> Iterator[None]:
    """Check that a test leaves no upload behind; copies on their way to one go a little later."""
    before = app.stored_uploads()
    yield
    deadline = time.monotonic() + 60
    while app.stored_uploads() - before and time.monotonic() < deadline:
        time.sleep(0.2)
    assert app.stored_uploads() <= before


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    return Client(app.url, verbose=False)


def predict(
    client: Client, current: Path, text: str, candidates: list[Path], language: str | None = None
) -> dict[str, Any]:
    files = [handle_file(str(path)) for path in candidates]
    return client.predict(handle_file(str(current)), text, files, language, api_name="/retrieve")


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize(("language", "language_given"), one_of([("en", None), ("hi", "hi")], 1))
def test_retrieve_answers_as_the_command_line_does(  # noqa: PLR0913, PLR0917  what is asked, and of whom
    client: Client, retriever: Path, pose_model: Path, pictures: Pictures, language: str, language_given: str | None
) -> None:
    candidates = [pictures.warrior, pictures.standing, pictures.warrior]
    answer = predict(client, pictures.standing, TEXTS[language], candidates, language_given)

    printed = run_here(
        *("retrieve", pictures.standing, TEXTS[language], *candidates, "--json"),
        *(("--language", language_given) if language_given else ()),
        FMP_POSE_MODEL=pose_model,
        FMP_RETRIEVER=retriever,
    )
    assert printed.returncode == 0, printed.stderr
    printed_ranking = json.loads(printed.stdout)
    assert set(answer) == set(printed_ranking) == RANKING_KEYS
    for key in RANKING_KEYS - {"milliseconds", "ranking", "margin", "words", "parts", "clauses"}:
        assert answer[key] == printed_ranking[key], key
    shares = {one["candidate"]: one["probability"] for one in answer["ranking"]}
    assert shares == pytest.approx(
        {one["candidate"]: one["probability"] for one in printed_ranking["ranking"]}, abs=1e-6
    )
    assert [one["score"] for one in answer["ranking"]] == [one["probability"] for one in answer["ranking"]]
    assert shares[0] == shares[2]
    verdicts, others = ([(one["text"], one["agrees"]) for one in each["clauses"]] for each in (answer, printed_ranking))
    assert verdicts == others != []


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize(
    ("text", "count", "language", "sentence"),
    [
        ("", 2, None, "Please describe what to change"),
        ("Подними руку", 2, None, "This description is neither in English nor in Hindi"),
        (TEXTS["en"], 1, None, "Please give 2 to 20 pictures to choose from; 1 were received."),
        (TEXTS["en"], 21, None, "Please give 2 to 20 pictures to choose from; 21 were received."),
        (TEXTS["hi"], 2, "en", "The description is not in the script of “en”"),
    ],
)
def test_bad_input_is_one_sentence(  # noqa: PLR0913, PLR0917  what is wrong, and what it is asked with
    client: Client, pictures: Pictures, text: str, count: int, language: str | None, sentence: str
) -> None:
    with pytest.raises(AppError) as refusal:
        predict(client, pictures.standing, text, [pictures.warrior] * count, language)

    assert str(refusal.value).startswith(sentence)
    assert "\n" not in str(refusal.value)


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_a_broken_candidate_is_named_and_no_fault_stands_in_the_log(
    client: Client, app: App, pictures: Pictures, tmp_path: Path
) -> None:
    text = tmp_path / "text.jpg"
    text.write_text("no picture", encoding="utf-8")
    printed = len(app.output)

    with pytest.raises(AppError, match=r"^Candidate photograph 2 of 3: This file is not a JPEG"):
        predict(client, pictures.standing, TEXTS["en"], [pictures.warrior, text, pictures.standing])

    assert not [line for line in app.output[printed:] if "Traceback" in line]


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_an_address_of_the_web_is_refused(client: Client, pictures: Pictures) -> None:
    files = [handle_file(str(pictures.warrior)), handle_file("https://example.com/pose.jpg")]

    with pytest.raises(AppError, match=r"^Candidate photograph 2 of 2: Web addresses are not fetched"):
        client.predict(handle_file(str(pictures.standing)), TEXTS["en"], files, None, api_name="/retrieve")


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize("place", ["/etc/hostname", "", "nul\0", "https://example.com/a.jpg", "data:,x", 7, None])
@pytest.mark.parametrize("as_text", one_of([True, False]), ids=["as text", "as a file"])
def test_a_forged_call_tells_nothing_and_does_no_harm(
    app: App,
    pictures: Pictures,
    place: object,
    as_text: bool,  # noqa: FBT001  what pytest gives
) -> None:
    meta = {"_type": "gradio.FileData"}
    with pictures.standing.open("rb") as file:
        upload = httpx.post(f"{app.url}/gradio_api/upload", files={"files": file}, timeout=60).json()[0]
    honest = {"path": upload, "meta": meta}
    forged = place if as_text else {"path": place, "meta": meta}

    asked = {"data": [honest, TEXTS["en"], [forged, forged], None]}
    started = httpx.post(f"{app.url}/gradio_api/call/retrieve", json=asked, timeout=60)
    events = httpx.get(f"{app.url}/gradio_api/call/retrieve/{started.json()['event_id']}", timeout=60).text

    assert "Traceback" not in events
    assert '"ranking"' not in events
    Path(upload).unlink(missing_ok=True)


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_the_tool_answers_with_json(app: App, pictures: Pictures) -> None:
    standing = data_uri(pictures.standing)
    values = {
        "current": standing,
        "description": TEXTS["en"],
        "candidates": [standing, uploaded(app, pictures.warrior)],
    }

    answer = call_tool(app, "retrieve", values)

    assert not answer.isError, answer.content
    assert set(json.loads(answer.content[0].text)) == RANKING_KEYS


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize(
    ("which", "place"), [("current", "Current photograph: "), ("candidates", "Candidate photograph 2 of 2: ")]
)
def test_an_address_is_refused_in_our_words_over_mcp_and_over_the_api(
    app: App, client: Client, pictures: Pictures, which: str, place: str
) -> None:
    standing, address = data_uri(pictures.standing), "https://example.com/pose.jpg"
    values = {"current": standing, "description": TEXTS["en"], "candidates": [standing, standing]}
    values[which] = address if which == "current" else [standing, address]

    refused = call_tool(app, "retrieve", values)
    with pytest.raises(AppError) as refusal:
        client.predict(**values, language=None, api_name="/retrieve")

    sentence = f"{place}Web addresses are not fetched; please send the photograph itself."
    assert refused.isError
    assert refused.content[0].text == str(refusal.value) == sentence
