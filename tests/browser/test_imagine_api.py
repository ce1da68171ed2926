"""Programs that imagine a target otherwise: the endpoint, the tool, and what is refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from fmp_models.counterfactual import imagine
from fmp_models.estimators import open_estimator
from fmp_models.inference import Corrector, load_correction_model
from tests.browser.tools import call_tool, data_uri
from tests.browser.visits import App, Pictures
from tests.thoroughness import one_of

KEYS = {"imagined", "outcome", "text", "clauses", "gone", "target_joints", "language", "milliseconds"}
CHANGE = {"en": "left hand at hip height", "hi": "बायां हाथ कूल्हे की ऊंचाई पर है"}


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    return Client(app.url, verbose=False)


def ask(client: Client, pictures: Pictures, changes: object, **more: object) -> dict[str, Any]:
    photographs = handle_file(str(pictures.standing)), handle_file(str(pictures.warrior))
    return client.predict(*photographs, changes, **more, api_name="/imagine")


@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_a_program_gets_the_text_that_follows(
    client: Client, pictures: Pictures, pose_model: Path, language: str
) -> None:
    said = ask(client, pictures, [CHANGE[language]])

    corrector = Corrector(open_estimator(str(pose_model)), [load_correction_model("geometry")])
    pair = corrector.measure(pictures.standing.read_bytes(), pictures.warrior.read_bytes()).pair
    assert pair is not None
    assert set(said) == KEYS
    assert {**said, "milliseconds": 0} == {**imagine(pair, [CHANGE[language]], language).as_json(), "milliseconds": 0}
    assert said["outcome"] == "changed"
    assert np.shape(said["target_joints"]) == (20, 3)


def test_the_tool_answers_as_the_endpoint_does(app: App, client: Client, pictures: Pictures) -> None:
    given = {"current": data_uri(pictures.standing), "target": data_uri(pictures.warrior), "changes": [CHANGE["en"]]}

    answer = call_tool(app, "imagine", given)

    assert not answer.isError, answer.content
    told, expected = json.loads(answer.content[0].text), ask(client, pictures, CHANGE["en"])
    assert {**told, "milliseconds": 0} == {**expected, "milliseconds": 0}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"changes": None}, "The changes are a list of texts"),
        ({"changes": 7}, "The changes are a list of texts"),
        ({"changes": {"left hand": 1}}, "The changes are a list of texts"),
        ({"changes": [["left hand at hip height"]]}, "The changes are a list of texts"),
        ({"changes": []}, "One to 3 changes"),
        ({"changes": ["left hand at hip height"] * 4}, "One to 3 changes"),
        ({"changes": [" "]}, "Please describe what to change"),
        ({"changes": ["a" * 1001]}, "The description is longer"),
        ({"changes": ["<img src=x onerror=alert(1)>"]}, "“<img src=x onerror=alert(1)>” cannot be imagined"),
        ({"changes": ["left hand at hip height", "left elbow straight"]}, "Two of these changes move the same limb"),
        ({"language": "fr"}, "The language must be one of"),
        ({"leave_out": ["tail"]}, "There is no part called “tail”"),
        ({"target_person": [2, 2]}, "Target photograph: The place of a person"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    app: App, client: Client, pictures: Pictures, values: dict[str, Any], sentence: str
) -> None:
    printed, before = len(app.output), app.stored_uploads()

    with pytest.raises(AppError) as refusal:
        ask(client, pictures, **{"changes": [CHANGE["en"]], **values})

    assert str(refusal.value).startswith(sentence), refusal.value
    assert "\n" not in str(refusal.value)
    assert not [line for line in app.output[printed:] if "Traceback" in line]
    assert app.stored_uploads() <= before
