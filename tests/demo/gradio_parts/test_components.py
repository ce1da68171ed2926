"""Values of forms and programs: photographs, joints, points, body parts and orientations."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from gradio import processing_utils
from gradio.data_classes import FileData
from hypothesis import given
from hypothesis import strategies as st

from demo.gradio_parts.components import (
    ApiJoints,
    ApiText,
    Form,
    GivenFile,
    GivenFiles,
    NoPhotograph,
    UploadedPhotograph,
    UploadedPhotographs,
    UploadsOnly,
    read_body,
    read_orientation,
    read_point,
)
from demo.i18n import error_text
from fmp_models.errors import BadInputError
from fmp_models.inference.demonstration import demonstrate
from fmp_models.preprocessing import Orientation
from tests.demo.views.test_figures import standing


@pytest.fixture(params=[UploadedPhotograph, Form])
def component(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UploadsOnly:
    monkeypatch.setattr(processing_utils, "async_ssrf_protected_download", lambda *_, **__: pytest.fail("it fetched"))
    made: UploadsOnly = request.param()
    made.GRADIO_CACHE = str(tmp_path / "uploads")
    return made


def taken(component: UploadsOnly, place: str) -> str | None:
    with ThreadPoolExecutor(1) as pool:  # a browser test of the same process may own this thread's loop
        return pool.submit(asyncio.run, component.async_move_resource_to_block_cache(place)).result()


def stored_upload(component: UploadsOnly) -> Path:
    path = Path(component.GRADIO_CACHE) / "hash" / "my photo.jpg"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"picture")
    return path


def test_an_upload_is_taken_by_its_path(component: UploadsOnly) -> None:
    upload = stored_upload(component)

    assert taken(component, str(upload)) == str(upload)
    assert str(upload) in component.temp_files


def test_an_upload_is_taken_by_its_address_here(component: UploadsOnly) -> None:
    upload = stored_upload(component)

    assert taken(component, f"https://pose.example/gradio_api/file={quote(str(upload))}") == str(upload)


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/pose.jpg",
        "http://127.0.0.1/gradio_api/file=",
        "http://127.0.0.1/gradio_api/file=/etc/hostname",
        "http://127.0.0.1/gradio_api/file={uploads}/../hostname",
    ],
)
def test_any_other_address_is_neither_fetched_nor_opened(component: UploadsOnly, address: str) -> None:
    address = address.replace("{uploads}", component.GRADIO_CACHE)

    assert taken(component, address) == address
    assert not component.temp_files


@pytest.mark.parametrize("place", ["{uploads}", "{uploads}/gone.jpg", "{uploads}/nul\0"])
def test_what_is_no_file_never_reaches_the_sweep(component: UploadsOnly, place: str) -> None:
    stored_upload(component)

    taken(component, place.replace("{uploads}", component.GRADIO_CACHE))

    assert not component.temp_files


ADDRESS, TEXT, BROKEN = (NoPhotograph(f"photo_{code}") for code in ("is_address", "is_text", "broken"))


@pytest.mark.parametrize(
    ("given_value", "read"),
    [
        ("data:image/jpeg;base64,cGljdHVyZQ==", b"picture"),
        ("data:image/jpeg;base64,cGljdHVyZQ", b"picture"),
        ("data:image/jpeg;base64,é", BROKEN),
        ("data:no comma", BROKEN),
        ("/etc/hostname", TEXT),
        ("my photo.jpg", TEXT),
        ("", NoPhotograph("photo_missing")),
        ("https://example.com/pose.jpg", ADDRESS),
        ("HTTPS://example.com/pose.jpg", ADDRESS),
        ("file:///etc/hostname", ADDRESS),
        ("www.example.com/pose.jpg", ADDRESS),
        ("https://pose.example/gradio_api/file={uploads}/hash/my%20photo.jpg", "{uploads}/hash/my photo.jpg"),
        ("https://pose.example/gradio_api/file=/etc/hostname", ADDRESS),
        ("https://pose.example/gradio_api/file={uploads}/../hostname", ADDRESS),
        ({"path": "https://example.com/pose.jpg"}, ADDRESS),
        ({"url": "https://example.com/pose.jpg"}, ADDRESS),
        ({"path": "https://example.com/pose.jpg", "meta": {"_type": "gradio.FileData"}}, ADDRESS),
        ({"path": "/etc/hostname"}, TEXT),
        ({"path": "{uploads}/one", "meta": {"_type": "gradio.FileData"}}, "{uploads}/one"),
        ({"path": 7, "meta": {"_type": "gradio.FileData"}}, None),
        ({}, None),
        (7, None),
        (None, None),
    ],
)
def test_what_a_program_gives_is_a_picture_or_an_upload_but_a_text_is_never_a_path(
    tmp_path: Path, given_value: object, read: object
) -> None:
    def here(value: object) -> object:
        if isinstance(value, dict):
            return {key: here(each) for key, each in value.items()}
        return value.replace("{uploads}", str(tmp_path)) if isinstance(value, str) else value

    one, several = UploadedPhotograph(), UploadedPhotographs()
    one.GRADIO_CACHE = several.GRADIO_CACHE = str(tmp_path)
    as_gradio_does = {"validate_meta": True}

    assert one.preprocess(GivenFile.model_validate(here(given_value), context=as_gradio_does)) == here(read)
    assert several.preprocess(GivenFiles.model_validate([here(given_value)], context=as_gradio_does)) == [here(read)]


@pytest.mark.parametrize("kind", [GivenFile, GivenFiles])
def test_nothing_that_was_given_is_kept_with_the_session(kind: type[GivenFile | GivenFiles]) -> None:
    assert kind.model_validate("data:image/jpeg;base64,cGljdHVyZQ==").model_dump() is None


def test_a_file_that_a_program_forgot_to_put_into_a_list_is_a_list_of_one(tmp_path: Path) -> None:
    stored = FileData(path=str(tmp_path / "one"))
    component = UploadedPhotographs()

    assert component.preprocess(GivenFiles.model_validate(stored)) == [stored.path]
    assert component.preprocess(GivenFiles.model_validate([None, stored])) == [None, stored.path]
    assert component.preprocess(None) == []


@pytest.mark.parametrize("sent", [["a"], {"a": 1}, 5, None, True])
def test_what_is_no_text_is_not_read_as_one(sent: object) -> None:
    assert ApiText().preprocess(sent) is None  # type: ignore[arg-type]
    assert ApiText().preprocess("raise your arm") == "raise your arm"


JOINTS = [[float(value) for value in joint] for joint in standing()]


def with_first(value: object) -> list[object]:
    """Return a body whose first number is changed."""
    return [[value, *JOINTS[0][1:]], *JOINTS[1:]]


def test_a_body_is_its_joints() -> None:
    assert np.allclose(read_body(JOINTS, "current").joints, JOINTS)
    assert read_body(JOINTS, "current", [0.5] * 20).visibility.tolist() == [0.5] * 20
    assert read_body(JOINTS, "current", [float("nan")] * 20).visibility.tolist() == [1.0] * 20


@pytest.mark.parametrize(
    "given_joints",
    [
        None,
        "joints",
        {},
        [],
        JOINTS[:19],
        [*JOINTS, JOINTS[0]],
        [[*joint, 0.0] for joint in JOINTS],
        with_first(float("nan")),
        with_first(float("inf")),
        with_first(10**400),
        with_first(1e308),
        with_first("0"),
        with_first(None),
        with_first(True),  # noqa: FBT003  a value
        with_first([[[]]]),
        [[value * 1000 for value in joint] for joint in JOINTS],  # millimetres
        [[0.0, 0.0, 0.0]] * 20,
        [[value * 0.01 for value in joint] for joint in JOINTS],
        [JOINTS[0], JOINTS[0], *JOINTS[2:]],
    ],
)
def test_what_is_no_body_is_refused_in_one_sentence(given_joints: object) -> None:
    with pytest.raises(BadInputError) as refusal:
        read_body(given_joints, "target")

    assert refusal.value.code.startswith("joints_")
    assert refusal.value.sentence.startswith("The target joints are not those of a body: ")
    assert "\n" not in refusal.value.sentence
    assert error_text(refusal.value).by_language["hi"].startswith("“आपका लक्ष्य” वाली फ़ोटो में")


numbers = st.floats() | st.integers() | st.booleans() | st.none() | st.text(max_size=3)
hostile = st.recursive(numbers, lambda inner: st.lists(inner, max_size=4), max_leaves=10)
points = st.lists(st.floats(-3, 3, width=32), min_size=3, max_size=3)
scattered = st.lists(points, min_size=20, max_size=20)


@given(hostile | st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=20, max_size=20))
def test_whatever_is_sent_is_a_body_or_refused(sent: object) -> None:
    with suppress(BadInputError):
        assert np.isfinite(read_body(sent, "current").joints).all()


@given(scattered, st.none() | scattered)
def test_a_text_is_done_on_any_joints_that_pass_for_a_body(current: list[object], target: list[object] | None) -> None:
    try:
        bodies = read_body(current, "current"), None if target is None else read_body(target, "target")
    except BadInputError:
        return
    done = demonstrate("Raise your left arm and bend both knees.", "en", *bodies).as_json()

    assert np.isfinite(np.array(done["poses"])).all()
    assert done["way"] is None or -1 <= done["way"] <= 1


def test_programs_are_told_to_send_lists_of_numbers() -> None:
    schema = ApiJoints(label="current").api_info()

    assert schema["type"] == "array"
    assert schema["items"]["items"]["type"] == "number"


@pytest.mark.parametrize(("value", "where"), [(None, None), ([0, 1], (0.0, 1.0)), ([0.25, 0.5], (0.25, 0.5))])
def test_a_place_is_in_shares_of_the_photograph(value: object, where: tuple[float, float] | None) -> None:
    assert read_point(value, "current") == where


@pytest.mark.parametrize(
    "value",
    [
        "0.5, 0.5",
        {},
        [],
        [0.5],
        [0.5, 0.5, 0.5],
        [0.5, 1.01],
        [-0.01, 0.5],
        [0.5, None],
        [0.5, "0.5"],
        [True, 0.5],
        [[0.5], 0.5],
        [float("nan"), 0.5],
        [0.5, float("inf")],
        [10**400, 0.5],
        [0.5, -(10**400)],
    ],
)
def test_what_is_no_place_is_refused_in_one_sentence(value: object) -> None:
    with pytest.raises(BadInputError) as refusal:
        read_point(value, "target")

    assert refusal.value.code == "place_outside"
    assert "\n" not in refusal.value.sentence


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        (None, Orientation()),
        ({}, Orientation()),
        ({"turned_by": 270}, Orientation(270)),
        ({"mirrored": True}, Orientation(mirrored=True)),
        ({"turned_by": 90, "mirrored": False}, Orientation(90)),
    ],
)
def test_an_orientation_names_how_a_photograph_is_turned_and_whether_it_is_mirrored(
    value: object, meant: Orientation
) -> None:
    assert read_orientation(value, "current") == meant


@pytest.mark.parametrize(
    "value",
    [
        90,
        "90",
        '{"turned_by": 90}',
        [90, True],
        True,
        {"turned_by": 45},
        {"turned_by": -90},
        {"turned_by": 360},
        {"turned_by": "90"},
        {"turned_by": 90.0},
        {"turned_by": None},
        {"turned_by": False},
        {"turned_by": [90]},
        {"mirrored": 1},
        {"mirrored": "true"},
        {"mirrored": None},
        {"turned_by": 90, "tilted": 3},
        {"turned": 90},
    ],
)
def test_what_is_no_orientation_is_refused_in_one_sentence_about_its_photograph(value: object) -> None:
    with pytest.raises(BadInputError) as refusal:
        read_orientation(value, "target")

    assert (refusal.value.code, refusal.value.details["which"]) == ("orientation_unknown", "target")
    assert "\n" not in refusal.value.sentence
