"""Programs that ask about two photographs: the endpoint, the tool, the history, and what is refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from fmp_models.dialogue import SceneGraph, ask_about
from fmp_models.estimators import open_estimator
from fmp_models.inference import Corrector, load_correction_model
from tests.browser.tools import call_tool, data_uri
from tests.browser.visits import App, Pictures
from tests.thoroughness import one_of

KEYS = {
    *("question", "answer", "outcome", "program", "kind", "parts", "joints"),
    *("explanation", "suggestions", "language", "milliseconds"),
}
EARLIER = {"en": "Which way does my left knee move?", "hi": "मेरा बायाँ घुटना किस ओर जाएगा?"}
QUESTION = {"en": "And the other one?", "hi": "और दूसरा?"}


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    return Client(app.url, verbose=False)


def ask(client: Client, pictures: Pictures, question: object, **more: object) -> dict[str, Any]:
    photographs = handle_file(str(pictures.standing)), handle_file(str(pictures.warrior))
    return client.predict(*photographs, question, **more, api_name="/ask")


@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_a_program_is_answered_as_in_a_conversation(
    client: Client, pictures: Pictures, pose_model: Path, language: str
) -> None:
    reply = ask(client, pictures, QUESTION[language], history=[EARLIER[language]])

    corrector = Corrector(open_estimator(str(pose_model)), [load_correction_model("geometry")])
    pair = corrector.measure(pictures.standing.read_bytes(), pictures.warrior.read_bytes()).pair
    assert pair is not None
    expected = ask_about(SceneGraph.of_pair(pair), QUESTION[language], language, [EARLIER[language]])
    assert set(reply) == KEYS
    assert reply["language"] == language
    assert reply["parts"] == ["right knee"]
    said = {name: reply[name] for name in KEYS - {"language", "milliseconds", "parts", "joints", "suggestions"}}
    assert said == {name: getattr(expected, name) for name in said}
    assert (tuple(reply["joints"]), tuple(reply["suggestions"])) == (expected.joints, expected.suggestions)
    assert ask(client, pictures, QUESTION[language])["parts"] != ["right knee"]


def test_the_tool_answers_as_the_endpoint_does(app: App, client: Client, pictures: Pictures) -> None:
    given = {"current": data_uri(pictures.standing), "target": data_uri(pictures.warrior), "question": EARLIER["en"]}

    answer = call_tool(app, "ask", given)

    assert not answer.isError, answer.content
    told, expected = json.loads(answer.content[0].text), ask(client, pictures, EARLIER["en"])
    assert {**told, "milliseconds": 0} == {**expected, "milliseconds": 0}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"question": " \n"}, "A question has 1 to 500 characters"),
        ({"question": 7}, "A question has 1 to 500 characters"),
        ({"question": "a" * 501}, "A question has 1 to 500 characters"),
        ({"history": "What?"}, "The history is a list of earlier questions"),
        ({"history": {"What?": 1}}, "The history is a list of earlier questions"),
        ({"history": [None]}, "The history is a list of earlier questions"),
        ({"history": ["a" * 501]}, "A question has 1 to 500 characters"),
        ({"history": ["What moves?"] * 50}, "A conversation has at most 50 questions"),
        ({"language": "fr"}, "The language must be one of"),
        ({"leave_out": ["tail"]}, "There is no part called “tail”"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    app: App, client: Client, pictures: Pictures, values: dict[str, Any], sentence: str
) -> None:
    printed, before = len(app.output), app.stored_uploads()

    with pytest.raises(AppError) as refusal:
        ask(client, pictures, **{"question": EARLIER["en"], **values})

    assert str(refusal.value).startswith(sentence), refusal.value
    assert "\n" not in str(refusal.value)
    assert not [line for line in app.output[printed:] if "Traceback" in line]
    assert app.stored_uploads() <= before
