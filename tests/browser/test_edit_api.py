"""Programs that have a text edited: the endpoint, the tool, and what is refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from PIL import Image

from fmp_models.common.edits import text_after, text_before
from tests.browser.tools import call_tool, data_uri
from tests.browser.visits import App, Pictures
from tests.thoroughness import one_of

KEYS = {
    *("text", "given", "language", "operations", "rounds", "editing_steps"),
    *("clauses", "removed", "model", "milliseconds"),
}
WRONG = {  # from standing to warrior two, the left arm goes up and the feet go apart
    "en": "Lower your left arm, and spread your feet wide apart.",
    "hi": "अपनी बाईं बांह को नीचे करें। अपने पैरों को फैलाएं।",
}


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    return Client(app.url, verbose=False)


def edit(client: Client, pictures: Pictures, text: str, **more: object) -> dict[str, Any]:
    photographs = handle_file(str(pictures.standing)), handle_file(str(pictures.warrior))
    return client.predict(*photographs, text, **more, api_name="/edit")


@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_a_wrong_text_is_mended_and_the_mended_text_stays(client: Client, pictures: Pictures, language: str) -> None:
    mended = edit(client, pictures, WRONG[language])

    assert set(mended) == KEYS
    assert mended["language"] == language
    edits = [(one["op"], one["token"]) for one in mended["operations"]]
    assert text_before(edits) == mended["given"] == WRONG[language]
    assert text_after(edits) == mended["text"]
    assert mended["editing_steps"] == sum(op != "KEEP" for op, _ in edits) > 0
    assert mended["rounds"] == max(one["round"] for one in mended["operations"]) > 0
    assert [clause["agrees"] for clause in mended["removed"]] == [False]
    assert False not in [clause["agrees"] for clause in mended["clauses"]]
    again = edit(client, pictures, mended["text"], language=language)
    assert (again["text"], again["rounds"], again["editing_steps"]) == (mended["text"], 0, 0)


def test_the_tool_answers_as_the_endpoint_does(app: App, client: Client, pictures: Pictures) -> None:
    given = {"current": data_uri(pictures.standing), "target": data_uri(pictures.warrior), "text": WRONG["en"]}

    answer = call_tool(app, "edit", given)

    assert not answer.isError, answer.content
    told, expected = json.loads(answer.content[0].text), edit(client, pictures, WRONG["en"])
    assert told["operations"] == expected["operations"]
    assert {**told, "milliseconds": 0} == {**expected, "milliseconds": 0}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"text": " \n"}, "Please describe what to change"),
        ({"text": "a" * 1001}, "The description is longer than 1000 characters"),
        ({"text": "Подними руку"}, "This description is neither in English nor in Hindi"),
        ({"text": WRONG["hi"], "language": "en"}, "The description is not in the script of “en”"),
        ({"leave_out": ["tail"]}, "There is no part called “tail”"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    app: App, client: Client, pictures: Pictures, values: dict[str, Any], sentence: str
) -> None:
    printed, before = len(app.output), app.stored_uploads()

    with pytest.raises(AppError) as refusal:
        edit(client, pictures, **{"text": WRONG["en"], **values})

    assert str(refusal.value).startswith(sentence), refusal.value
    assert "\n" not in str(refusal.value)
    assert not [line for line in app.output[printed:] if "Traceback" in line]
    assert app.stored_uploads() <= before


def test_a_photograph_without_a_person_is_named(client: Client, pictures: Pictures, tmp_path: Path) -> None:
    empty = tmp_path / "wall.png"
    Image.new("RGB", (300, 400), "white").save(empty)

    with pytest.raises(AppError, match="in the target photograph"):
        client.predict(handle_file(str(pictures.standing)), handle_file(str(empty)), WRONG["en"], api_name="/edit")
