"""Programs: one public endpoint, one tool, the same answer as the command line, and nothing left behind."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from PIL import Image
from playwright.sync_api import Page

from fmp_models import correct_joints
from fmp_models.pose import BODY_PARTS, INDEX, JOINTS, joint_distances, pose_pair
from tests.bodies import Arm, Body, Leg
from tests.browser.tools import call_tool, data_uri, uploaded
from tests.browser.visits import App, Pictures, ask
from tests.commands import ROOT, run_here
from tests.thoroughness import one_of, some, thorough

KEYS = {
    *("text", "language", "words", "clauses", "model", "estimator", "people", "milliseconds"),
    *("joints", "distances", "dropped", "carried_out", "goal_progress", "steps"),
}
STANDING = Body()
WARRIOR = Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90), left_leg=Leg(lift=60, swing=10, bend=60))


@pytest.fixture
def nothing_more_is_stored(app: App) -> Iterator[None]:
    """Check that a test leaves no upload behind; what a test that cut the connection left is swept later."""
    before = app.stored_uploads()
    yield
    assert app.stored_uploads() <= before


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    return Client(app.url, verbose=False)


def predict(client: Client, current: Path, target: Path, language: str = "en") -> dict[str, Any]:
    return client.predict(handle_file(str(current)), handle_file(str(target)), language, api_name="/correct")


@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_correct_answers_as_the_command_line_does(
    client: Client, pose_model: Path, pictures: Pictures, language: str
) -> None:
    answer = predict(client, pictures.standing, pictures.warrior, language)

    asked = ("correct", pictures.standing, pictures.warrior, "--language", language, "--json")
    run = run_here(*asked, FMP_POSE_MODEL=pose_model)
    assert run.returncode == 0, run.stderr
    printed = json.loads(run.stdout)
    assert set(answer) == set(printed) == KEYS
    assert -1 <= answer["goal_progress"] == answer["carried_out"] <= 1  # of the text alone
    for key in KEYS - {"milliseconds"}:
        assert answer[key] == printed[key], key


def test_joints_of_another_program_are_corrected_without_a_photograph(client: Client) -> None:
    bodies = [{"format": "fixmypose-20", "joints": body.pose().joints.tolist()} for body in (STANDING, WARRIOR)]
    asked = {"language": "hi", "current_joints": bodies[0], "target_joints": bodies[1]}
    answer = client.predict(None, None, **asked, api_name="/correct")
    assert set(answer) == KEYS
    assert answer["text"] == correct_joints(*bodies, language="hi").text
    with pytest.raises(AppError, match="target"):
        client.predict(
            None, None, current_joints=bodies[0], target_joints={**bodies[1], "units": "feet"}, api_name="/correct"
        )


def test_only_what_is_told_to_programs_is_public(client: Client, app: App) -> None:
    described = client.view_api(return_format="dict", print_info=False)
    assert list(described["named_endpoints"]) == ["/correct", "/edit", "/ask", "/imagine", "/demonstrate", "/retrieve"]
    assert described["unnamed_endpoints"] == {}
    parameters = described["named_endpoints"]["/correct"]["parameters"]
    assert [one["parameter_name"] for one in parameters] == [
        *("current", "target", "language", "model"),
        *("current_person", "target_person", "leave_out", "current_orientation", "target_orientation"),
        *("current_joints", "target_joints"),
    ]
    parameters = described["named_endpoints"]["/retrieve"]["parameters"]
    assert [one["parameter_name"] for one in parameters] == [
        *("current", "description", "candidates", "language"),
        *("current_person", "page"),
    ]

    parameters = described["named_endpoints"]["/edit"]["parameters"]
    assert [one["parameter_name"] for one in parameters] == [
        *("current", "target", "text", "language", "current_person", "target_person"),
        *("leave_out", "current_orientation", "target_orientation"),
    ]
    parameters = described["named_endpoints"]["/ask"]["parameters"]
    assert [one["parameter_name"] for one in parameters] == [
        *("current", "target", "question", "history", "language", "current_person", "target_person"),
        *("leave_out", "current_orientation", "target_orientation"),
    ]
    parameters = described["named_endpoints"]["/imagine"]["parameters"]
    assert [one["parameter_name"] for one in parameters] == [
        *("current", "target", "changes", "language", "current_person", "target_person"),
        *("leave_out", "current_orientation", "target_orientation"),
    ]
    parameters = described["named_endpoints"]["/demonstrate"]["parameters"]
    assert [one["parameter_name"] for one in parameters] == ["text", "current", "target", "language"]

    tools = httpx.get(f"{app.url}/gradio_api/mcp/schema").json()
    assert [tool["name"] for tool in tools] == ["correct", "edit", "ask", "imagine", "demonstrate", "retrieve"]
    for tool in tools:
        properties = tool["inputSchema"]["properties"]
        assert properties["language"]["enum"] == ["en", "hi"]
        assert all(one["description"] for one in properties.values())
    for tool in (tool for tool in tools if tool["name"] != "demonstrate"):
        properties = tool["inputSchema"]["properties"]
        assert "web addresses are not fetched" in tool["description"]
        assert properties["current"] == {
            "type": "string",
            "format": "Gradio File Input - a data URI, or the address that this app gave an uploaded file",
            "description": "Photograph of the pose the person has now.",
        }
        assert "http or https" not in json.dumps(tool)


def test_programs_are_told_every_parameter_in_whole_sentences_and_no_class(client: Client, app: App) -> None:
    described = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    told = client.view_api(return_format="str", print_info=False)
    tools = {f"/{tool['name']}": tool for tool in httpx.get(f"{app.url}/gradio_api/mcp/schema").json()}

    assert set(tools) == set(described)
    parts = [parameter for endpoint in described.values() for parameter in endpoint["parameters"]]
    assert {part["component"] for part in parts} == {
        *("Photograph", "Photographs", "Text", "Language", "Model", "Place", "Body parts", "Orientation", "Joints"),
        *("Earlier questions", "Changes", "Page"),
    }
    for name, endpoint in described.items():
        properties = tools[name]["inputSchema"]["properties"]
        sentences = [tools[name]["description"], *(one["description"] for one in properties.values())]
        assert list(properties) == [one["parameter_name"] for one in endpoint["parameters"]]
        assert [sentence for sentence in sentences if not sentence.endswith(".") or ",," in sentence] == []
        for parameter in endpoint["parameters"]:
            assert parameter["python_type"]["description"] == properties[parameter["parameter_name"]]["description"]
            assert parameter["python_type"]["description"] in told
        assert endpoint["returns"][0]["python_type"]["description"] in tools[name]["description"]
    for classes in ("Filesofprograms", "Uploadsonly", "any valid json"):
        assert classes not in told


@thorough
@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize("watching", one_of([False, True], 1))
@pytest.mark.parametrize("language", one_of(["en", "hi"]))
def test_the_tool_gives_the_answer_of_the_endpoint_as_json(
    app: App,
    client: Client,
    pictures: Pictures,
    language: str,
    watching: bool,  # noqa: FBT001  a case
) -> None:
    photographs = {  # both ways a tool can hand a picture over
        "current": data_uri(pictures.standing),
        "target": uploaded(app, pictures.warrior),
        "language": language,
    }

    answer = call_tool(app, "correct", photographs, watching=watching)

    assert not answer.isError, answer.content
    reply = json.loads(answer.content[0].text)
    expected = predict(client, pictures.standing, pictures.warrior, language)
    assert {key: reply[key] for key in KEYS - {"milliseconds"}} == {
        key: expected[key] for key in KEYS - {"milliseconds"}
    }
    assert set(reply) == KEYS


def call(app: App, endpoint: str, *data: object) -> str:
    """Return the app's response to values that are sent by hand."""
    started = httpx.post(f"{app.url}/gradio_api/call/{endpoint}", json={"data": data}, timeout=60)
    return httpx.get(f"{app.url}/gradio_api/call/{endpoint}/{started.json()['event_id']}", timeout=60).text


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_who_leaves_out_the_last_values_gets_their_defaults_and_the_log_has_nothing_of_what_was_sent(
    app: App, pictures: Pictures
) -> None:
    printed, pair = len(app.output), [data_uri(pictures.standing), data_uri(pictures.warrior)]

    event, data = call(app, "correct", *pair).splitlines()[:2]
    assert event == "event: complete"
    (answer,) = json.loads(data.removeprefix("data: "))
    assert (answer["language"], answer["model"]["id"]) == ("en", "geometry")

    for few, sentence in ((pair[:1], "Target photograph: Please give"), ([], "Current photograph: Please give")):
        assert sentence in call(app, "correct", *few)
    assert "Please give 2 to 20 pictures to choose from" in call(app, "retrieve", *pair[:1])
    assert not [line for line in app.output[printed:] if "Traceback" in line or "base64" in line]


@thorough
@pytest.mark.usefixtures("nothing_more_is_stored")
def test_of_two_people_the_one_is_measured_whose_place_is_given(client: Client, app: App, pictures: Pictures) -> None:
    def joints(*people: object) -> np.ndarray:
        values = (handle_file(pictures.two_people), handle_file(pictures.warrior), "en", "geometry", *people)
        return np.asarray(client.predict(*values, api_name="/correct")["joints"]["current"])

    assert np.array_equal(joints(), joints([0.25, 0.5]))  # the larger, on the left
    assert not np.array_equal(joints(), joints([0.75, 0.6], None))
    named = {
        "current": data_uri(pictures.two_people),
        "target": data_uri(pictures.warrior),
        "current_person": [0.75, 0.6],
    }
    reply = json.loads(call_tool(app, "correct", named).content[0].text)
    assert np.allclose(reply["joints"]["current"], joints([0.75, 0.6]), atol=0.05)


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_a_photograph_that_is_said_to_be_turned_is_measured_upright(
    client: Client, pictures: Pictures, tmp_path: Path
) -> None:
    fallen = tmp_path / "fallen.png"
    with Image.open(pictures.standing) as picture:
        picture.rotate(180).save(fallen)
    files = [handle_file(str(path)) for path in (fallen, pictures.standing, pictures.warrior)]

    turned = client.predict(files[0], files[2], current_orientation={"turned_by": 180}, api_name="/correct")

    assert turned["joints"] == client.predict(files[1], files[2], api_name="/correct")["joints"]
    with pytest.raises(AppError, match="Current photograph: An orientation is an object"):
        client.predict(files[0], files[2], current_orientation={"turned_by": 45}, api_name="/correct")


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize("place", some([[0.5], [0.5, 2], ["a", "b"], "left", {"x": 1}, [True, False], [-0.1, 0.5]], 3))
def test_what_is_no_place_is_one_sentence(client: Client, app: App, pictures: Pictures, place: object) -> None:
    printed = len(app.output)
    with pytest.raises(AppError, match="Target photograph: The place of a person is two shares"):
        client.predict(
            handle_file(pictures.standing),
            handle_file(pictures.warrior),
            target_person=place,
            api_name="/correct",
        )
    assert not [line for line in app.output[printed:] if "Traceback" in line]


@thorough
def test_an_answer_has_the_joints_and_how_far_each_part_moves(client: Client, pictures: Pictures) -> None:
    answer = predict(client, pictures.standing, pictures.warrior)

    joints, distances = answer["joints"], answer["distances"]
    assert joints["names"] == list(JOINTS)
    assert np.asarray(joints["current"]).shape == np.asarray(joints["target"]).shape == (len(JOINTS), 3)
    moved = joint_distances(pose_pair(joints["current"], joints["target"])) * 100
    assert distances["left_hand"] == pytest.approx(max(moved[INDEX[name]] for name in BODY_PARTS["left_hand"]), abs=0.3)
    assert set(distances) == set(BODY_PARTS)


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize("which", one_of(["current", "target"], 1))
@pytest.mark.parametrize(
    "address", ["https://example.com/pose.jpg", "HTTP://example.com/pose.jpg", "ftp://example.com"]
)
def test_an_address_is_refused_in_our_words_over_mcp_and_over_the_api(
    app: App, client: Client, pictures: Pictures, which: str, address: str
) -> None:
    sentence = f"{which.capitalize()} photograph: Web addresses are not fetched; please send the photograph"
    honest = data_uri(pictures.standing)

    refused = call_tool(app, "correct", {"current": honest, "target": honest, which: address})
    with pytest.raises(AppError) as refusal:
        client.predict(**({"current": honest, "target": honest} | {which: address}), api_name="/correct")

    assert refused.isError
    assert refused.content[0].text.startswith(sentence)
    assert str(refusal.value).startswith(sentence)


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_the_tool_refuses_a_path_and_a_broken_picture_in_one_sentence(app: App, pictures: Pictures) -> None:
    honest, printed = data_uri(pictures.standing), len(app.output)

    for photographs, sentence in (
        ("/etc/hostname", "This is text, not a photograph"),
        ("data:,x", "This picture is damaged"),
    ):
        refused = call_tool(app, "correct", {"current": honest, "target": photographs})
        assert refused.isError
        assert refused.content[0].text.startswith(f"Target photograph: {sentence}")

    assert not [line for line in app.output[printed:] if "Traceback" in line]


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize(
    ("language", "sentence"), [("fr", "The language must be one of"), ("", "The language must be")]
)
def test_an_unknown_language_is_one_sentence(client: Client, pictures: Pictures, language: str, sentence: str) -> None:
    with pytest.raises(AppError, match=sentence):
        predict(client, pictures.standing, pictures.warrior, language)


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize("which", ["current", "target"])
def test_bad_input_is_one_sentence_that_says_which_and_no_fault_in_the_log(
    client: Client, app: App, pictures: Pictures, tmp_path: Path, which: str
) -> None:
    text = tmp_path / "text.jpg"
    text.write_text("no picture", encoding="utf-8")
    values = {"current": pictures.standing, "target": pictures.warrior} | {which: text}
    printed = len(app.output)

    with pytest.raises(AppError) as refusal:
        predict(client, **values)

    opening = f"{which.capitalize()} photograph: This file is not a JPEG, PNG, WebP, HEIC, AVIF, GIF or BMP picture"
    assert str(refusal.value).startswith(opening)
    assert "\n" not in str(refusal.value)
    assert not [line for line in app.output[printed:] if "Traceback" in line]


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_a_file_over_the_limit_is_not_stored(app: App, tmp_path: Path) -> None:
    big = tmp_path / "big.jpg"
    big.write_bytes(bytes(25_000_000))

    with big.open("rb") as file:
        answer = httpx.post(f"{app.url}/gradio_api/upload", files={"files": file}, timeout=60)

    assert answer.status_code == 413


def test_the_server_cannot_be_made_to_read_its_own_files(app: App) -> None:
    meta = {"_type": "gradio.FileData"}
    stolen = {"path": "/etc/hostname", "meta": meta}

    started = httpx.post(f"{app.url}/gradio_api/call/correct", json={"data": [stolen, stolen, "en", None]})
    events = httpx.get(f"{app.url}/gradio_api/call/correct/{started.json()['event_id']}", timeout=30).text

    assert "event: error" in events
    assert httpx.get(f"{app.url}/gradio_api/file={ROOT / 'app.py'}").status_code == 404


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_an_address_of_the_web_is_refused_and_the_other_photograph_forgotten(
    client: Client, pictures: Pictures
) -> None:
    with pytest.raises(AppError, match=r"^Target photograph: Web addresses are not fetched"):
        client.predict(
            handle_file(str(pictures.standing)), handle_file("https://example.com/pose.jpg"), "en", api_name="/correct"
        )


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize(
    ("method", "route"),
    [
        ("GET", "file=https://example.com/"),
        ("GET", "file=/etc/hostname"),
        ("GET", "file//etc/hostname"),
        ("GET", "proxy=https://example.com/"),
        ("GET", "deep_link?session_hash=x"),
        ("POST", "process_recording"),
        ("POST", "component_server"),
        ("POST", "vibe-edit"),
    ],
)
def test_a_route_without_use_here_is_closed_and_keeps_nothing(app: App, method: str, route: str) -> None:
    files = {"video": ("a.mp4", b"film")} if method == "POST" else None

    answer = httpx.request(method, f"{app.url}/gradio_api/{route}", files=files)

    assert (answer.status_code, answer.text) == (404, "Not found")


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize(
    "place", one_of(["/etc/hostname", "/etc", "", "nul\0", "{uploads}", "{uploads}/..", "http://[", 7, None], 5)
)
@pytest.mark.parametrize("endpoint", one_of(["answer", "correct", "empty_answer_html"], 1))
def test_a_forged_call_tells_nothing_and_does_no_harm(
    app: App, pictures: Pictures, endpoint: str, place: object
) -> None:
    upload = Path(httpx.post(f"{app.url}/gradio_api/upload", files={"files": ("a.jpg", b"picture")}).json()[0])
    uploads = str(upload.parents[1])
    path = place.replace("{uploads}", uploads) if isinstance(place, str) else place
    forged, honest = ({"path": one, "meta": {"_type": "gradio.FileData"}} for one in (path, str(upload)))
    data = {
        "answer": [{"current": forged, "target": honest, "language": "en"}],
        "correct": [forged, honest, "en", None],
        "empty_answer_html": [],
    }

    started = httpx.post(f"{app.url}/gradio_api/call/{endpoint}", json={"data": data[endpoint]})
    address = f"{app.url}/gradio_api/call/{endpoint}/{started.json()['event_id']}"
    events = httpx.get(address, timeout=30).text

    assert "Traceback" not in events
    assert uploads not in events
    assert 'data-outcome=\\"correction' not in events
    upload.unlink(missing_ok=True)
    assert predict(Client(app.url, verbose=False), pictures.standing, pictures.warrior)["text"]


def test_the_configuration_names_no_place_on_the_server(app: App) -> None:
    configuration = httpx.get(f"{app.url}/config").text + httpx.get(app.url).text

    assert str(app.temporary) not in configuration
    assert str(ROOT) not in configuration


@thorough
@pytest.mark.usefixtures("nothing_more_is_stored")
def test_many_programs_with_the_same_files_at_once_all_get_their_answer(app: App, pictures: Pictures) -> None:
    def one(number: int) -> str:
        return str(
            predict(Client(app.url, verbose=False), pictures.standing, pictures.warrior, ("en", "hi")[number % 2])[
                "language"
            ]
        )

    with ThreadPoolExecutor(6) as pool:
        spoken = list(pool.map(one, range(12)))

    assert spoken == ["en", "hi"] * 6


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_nothing_a_visitor_gave_is_left_after_the_answer_or_a_refusal(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path
) -> None:
    page = open_page()
    ask(page, pictures.standing, pictures.warrior)

    text = tmp_path / "text.jpg"
    text.write_text("no picture", encoding="utf-8")
    ask(page, pictures.standing, text, outcome="refusal")


def test_an_answer_carries_no_address_of_a_stored_file(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()
    ask(page, pictures.standing, pictures.warrior)

    sources = page.locator(".fmp-answer img").evaluate_all("(images) => images.map((image) => image.src.slice(0, 5))")
    assert sources
    assert set(sources) == {"data:"}


def test_the_app_prints_its_address_once_and_no_other(app: App) -> None:
    addresses = re.compile(r"https?://(?!errors\.pydantic\.dev)")  # which pydantic adds to what a forged call gave
    assert [line for line in app.output if addresses.search(line)] == [f"FixMyPose is ready: {app.owner_url}\n"]


@thorough
def test_the_lines_of_python_that_are_shown_are_answered(
    app: App, pictures: Pictures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "space.md").read_text(encoding="utf-8")
    lines = "".join(re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    endpoints = {"/correct", "/edit", "/ask", "/imagine", "/retrieve", "/demonstrate"}
    assert set(re.findall(r'api_name="(/\w+)"', lines)) == endpoints
    for name, picture in {"me": pictures.standing, "warrior": pictures.warrior, "one": pictures.warrior}.items():
        shutil.copy(picture, tmp_path / f"{name}.jpg")
    shutil.copy(pictures.standing, tmp_path / "two.jpg")
    monkeypatch.chdir(tmp_path)
    exec(compile(lines.replace("http://127.0.0.1:7860", app.url), "space.md", "exec"), {})  # noqa: S102  as it is shown
    printed = capsys.readouterr().out
    assert re.search(r"\bknee\b", printed)
    edited, replied, followed, ranking, done = (line for line in printed.splitlines() if "[" in line)
    assert replied.startswith("answer ['right knee'] ")
    assert followed.startswith("Imagine the left hand at head height. ['")
    mended, edits, removed = re.fullmatch(r"(.*\barms?\b.*) (\d+) (\[.*\])", edited).groups()  # type: ignore[union-attr]
    assert (
        bool(int(edits))
        == (mended != "raise your left arm and bend your right knee")
        == bool(ast.literal_eval(removed))
    )
    assert {one["candidate"] for one in ast.literal_eval(ranking)} == {0, 1}
    way, steps = done.split(" ", 1)
    assert 0 < float(way) <= 1
    assert [carried for _, carried in ast.literal_eval(steps)] == [True, True]
