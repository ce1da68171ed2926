"""Programs that have a text done on a body: the endpoint, the tool, and what is refused in one sentence."""

from __future__ import annotations

from typing import Any

import httpx
import numpy as np
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from fmp_models.pose import BONES, JOINTS
from tests.browser.tools import call_tool
from tests.browser.visits import App
from tests.demo.views.test_figures import arm_out, standing
from tests.thoroughness import one_of, some

BODY, GOAL = ([[round(float(value), 3) for value in joint] for joint in joints] for joints in (standing(), arm_out()))
TEXTS = {
    "en": "Raise your left arm to the side to shoulder height. Sing a song.",
    "hi": "बाईं बांह को बगल से कंधे की ऊंचाई तक उठाएं। गाना गाएं।",
}


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    return Client(app.url, verbose=False)


def demonstrated(
    client: Client, text: str, current: object = BODY, target: object = None, language: str | None = None
) -> dict[str, Any]:
    return client.predict(text, current, target, language, api_name="/demonstrate")


@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_a_text_is_done_step_by_step_and_told_how_far_it_leads(client: Client, language: str) -> None:
    done = demonstrated(client, TEXTS[language], target=GOAL, language=language)

    assert set(done) == {"joints", "bones", "poses", "steps", "target", "way"}
    assert done["joints"] == list(JOINTS)
    assert done["bones"] == [list(bone) for bone in BONES]
    assert [step["carried"] for step in done["steps"]] == [True, False]
    assert np.array(done["poses"]).shape == (2, len(JOINTS), 3)
    assert np.allclose(done["poses"][0], BODY, atol=0.001)
    assert -1 <= done["way"] <= 1
    assert np.array(done["target"]).shape == (len(JOINTS), 3)


def test_the_language_is_known_by_the_script_and_a_target_need_not_be_given(client: Client) -> None:
    done = demonstrated(client, TEXTS["hi"])

    assert [step["carried"] for step in done["steps"]] == [True, False]
    assert done["target"] is done["way"] is None


def test_the_tool_answers_as_the_endpoint_does(app: App, client: Client) -> None:
    values = {"text": TEXTS["en"], "current": BODY, "target": GOAL, "language": "en"}

    answer = call_tool(app, "demonstrate", values)

    assert not answer.isError, answer.content
    assert httpx.Response(200, text=answer.content[0].text).json() == demonstrated(client, **values)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"text": ""}, "Please describe what to change"),
        ({"text": "Подними руку"}, "This description is neither in English nor in Hindi"),
        ({"text": TEXTS["hi"], "language": "en"}, "The description is not in the script of “en”"),
        ({"text": TEXTS["en"], "language": "fr"}, "The language must be one of"),
        ({"current": None}, "The current joints are not those of a body: there must be 20 lists"),
        ({"current": BODY[:19]}, "The current joints are not those of a body: there must be 20 lists"),
        ({"current": {"path": "/etc/hostname", "meta": {"_type": "gradio.FileData"}}}, "The current joints"),
        ({"current": [[1e9, 0, 0], *BODY[1:]]}, "The current joints are not those of a body: one is more than 100"),
        ({"target": [[0, 0, 0]] * 20}, "The target joints are not those of a body: they span 0.00 metres"),
        ({"target": "me"}, "The target joints are not those of a body: there must be 20 lists"),
    ],
)
def test_bad_input_is_one_sentence_and_no_fault_in_the_log(
    app: App, client: Client, values: dict[str, Any], sentence: str
) -> None:
    printed = len(app.output)

    with pytest.raises(AppError) as refusal:
        demonstrated(client, **{"text": TEXTS["en"], **values})

    assert str(refusal.value).startswith(sentence), refusal.value
    assert "\n" not in str(refusal.value)
    assert not [line for line in app.output[printed:] if "Traceback" in line]


@pytest.mark.parametrize(
    "body",
    some(
        [
            f'{{"data": ["{TEXTS["en"]}", [[NaN, 0, 0]], null, null]}}',
            f'{{"data": ["{TEXTS["en"]}", {"[" * 40}{"]" * 40}, null, null]}}',
            f'{{"data": ["{TEXTS["en"]}", [[1{"0" * 400}, 0, 0]], null, null]}}',
            f'{{"data": [{{}}, [{"[0,0,0]," * 19}[0,0,0]], null, null]}}',
            '{"data": [[], [], [], []]}',
            '{"data": [null]}',
        ],
        3,
    ),
)
@pytest.mark.parametrize("endpoint", ["demonstrate", "try_words"])
def test_a_forged_call_tells_nothing_and_does_no_harm(app: App, client: Client, endpoint: str, body: str) -> None:
    printed = len(app.output)

    started = httpx.post(
        f"{app.url}/gradio_api/call/{endpoint}", content=body, headers={"content-type": "application/json"}
    )
    replies = started.text
    if started.status_code == 200:
        replies += httpx.get(f"{app.url}/gradio_api/call/{endpoint}/{started.json()['event_id']}", timeout=30).text

    assert "Traceback" not in replies
    assert '"poses"' not in replies
    assert not [line for line in app.output[printed:] if "Traceback" in line and "demonstration failed" in line]
    assert demonstrated(client, TEXTS["en"])["steps"]


def test_an_address_in_the_place_of_joints_is_not_fetched(app: App, client: Client) -> None:
    asked: dict[str, Any] = {"path": f"{app.url}/robots.txt", "meta": {"_type": "gradio.FileData"}}
    before = app.stored_uploads()

    with pytest.raises(AppError, match="there must be 20 lists"):
        demonstrated(client, TEXTS["en"], current=[asked] * 20)

    assert app.stored_uploads() == before
