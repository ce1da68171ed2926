from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from gradio import processing_utils
from gradio.data_classes import FileData

from demo.gradio_parts.components import (
    ApiText,
    Form,
    GivenFile,
    GivenFiles,
    NoPhotograph,
    UploadedPhotograph,
    UploadedPhotographs,
    UploadsOnly,
)


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
