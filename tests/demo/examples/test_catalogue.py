"""The example pictures fit the page, and their routes serve them and the answers to them."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.testclient import TestClient

from demo.examples import catalogue
from demo.examples.catalogue import (
    EXAMPLES,
    FOLDER,
    OPENING,
    OTHER_LEG,
    SALUTATION,
    SIMULATED,
    STUDIO,
    SUN_SALUTATION,
    ExampleRoutes,
    pictures,
)
from demo.examples.render import SALUTATION_SHOTS, SHARE_FILE, SHARE_SIZE, SHOTS
from demo.i18n import interface_texts
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.inference.corrector import Corrector, GeometryModel


def test_every_shot_of_the_studio_is_an_example_of_the_page_and_the_simulator_has_one_too() -> None:
    assert list(STUDIO) == list(SHOTS)
    assert SIMULATED
    assert [example.name for example in EXAMPLES] == [*STUDIO, *SIMULATED]


def test_pictures_are_small_jpeg_files_without_metadata() -> None:
    files = [(example.name, file) for example in EXAMPLES for file in (example.current, example.target)]
    for name, file in files:
        assert len(file) < 60_000
        with Image.open(io.BytesIO(file)) as picture:
            assert (picture.format, picture.mode) == ("JPEG", "RGB")
            assert picture.size == ((480, 640) if name in STUDIO else (448, 224))
            assert not picture.getexif()
    assert sum(len(file) for _, file in files) < 550_000


def test_the_sun_salutation_has_eight_small_pictures_in_the_order_in_which_they_are_drawn() -> None:
    assert len(SUN_SALUTATION) == 8
    others = [pose.name for pose in OTHER_LEG.values()]
    assert [pose.name for pose in SUN_SALUTATION] == list(SALUTATION)
    assert list(SALUTATION) == list(SALUTATION_SHOTS)
    assert {path.stem for path in (FOLDER / "sun_salutation").iterdir()} == {*SALUTATION, *others}
    for pose in (*SUN_SALUTATION, *OTHER_LEG.values()):
        assert len(pose.picture) < 45_000
        with Image.open(io.BytesIO(pose.picture)) as picture:
            assert (picture.format, picture.mode) == ("JPEG", "RGB")
            assert picture.size == SALUTATION_SHOTS[pose.name.removesuffix("_left")].camera.size
            assert not picture.getexif()


@pytest.fixture
def routes(estimator: MediaPipeEstimator) -> ExampleRoutes:
    return ExampleRoutes(Corrector(estimator, [GeometryModel()]))


@pytest.fixture
def client(routes: ExampleRoutes) -> Iterator[TestClient]:
    with TestClient(Starlette(routes=routes.routes())) as opened:
        yield opened


@pytest.mark.parametrize("language", ["en", "hi"])
def test_an_answer_that_was_not_computed_ahead_is_right_and_the_same_from_then_on(
    client: TestClient, language: str
) -> None:
    query = {"name": OPENING, "language": language}
    first, second = (client.get("/examples/answer", params=query) for _ in range(2))
    assert first.status_code == 200
    assert 'data-outcome="correction"' in first.text
    assert f'<span class="fmp-step" lang="{language}">' in first.text
    assert first.text == second.text


def test_every_example_is_answered_ahead_in_every_language(
    routes: ExampleRoutes, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = [pair for pair in EXAMPLES if pair.name in {OPENING, "living_room"}]
    monkeypatch.setattr(catalogue, "EXAMPLES", some)
    monkeypatch.setattr(catalogue, "_PAUSE", 0)
    routes._prepare()
    assert list(routes._answers) == [(name, code) for name in (OPENING, "living_room") for code in interface_texts()]
    assert len(set(routes._answers.values())) == 2 * len(some)


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"name": "warrior"},
        {"name": "warrior", "language": "xx"},
        {"name": "../share", "language": "en"},
        {"name": "x" * 10_000, "language": "en"},
        {"name": "\0", "language": "é"},
    ],
)
@pytest.mark.parametrize("route", ["answer", "picture"])
def test_what_is_not_known_is_refused_in_one_sentence_and_not_kept(
    client: TestClient, routes: ExampleRoutes, route: str, query: dict[str, str]
) -> None:
    got = client.get(f"/examples/{route}", params=query)
    assert (got.status_code, got.text) == (404, interface_texts()["en"]["examples.unknown"])
    assert not routes._answers


def test_a_refusal_is_in_the_language_of_the_visitor(client: TestClient) -> None:
    got = client.get("/examples/answer?name=nobody&language=hi")
    assert got.text == interface_texts()["hi"]["examples.unknown"]


def test_closed_models_answer_no_example() -> None:
    closed = ExampleRoutes(None)
    closed._prepare()
    with TestClient(Starlette(routes=closed.routes())) as client:
        assert client.get("/examples/answer?name=warrior&language=en").status_code == 404
        assert client.get("/examples/share.jpg").status_code == 200


def test_a_fault_is_told_and_tried_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError

    query = {"name": OPENING, "language": "en"}
    with monkeypatch.context() as broken:
        broken.setattr(Corrector, "correct", fails)
        got = client.get("/examples/answer", params=query)
    assert (got.status_code, got.text) == (500, interface_texts()["en"]["faults.ours"])
    assert "an example failed" in caplog.text
    assert client.get("/examples/answer", params=query).status_code == 200


def test_a_picture_of_the_strip_is_small_and_may_be_kept(client: TestClient) -> None:
    whole, small = (client.get(f"/examples/picture?name=warrior_target{size}") for size in ("", "&size=small"))
    assert whole.content == pictures()["warrior_target"]
    assert len(small.content) < 9000
    assert Image.open(io.BytesIO(small.content)).size == (168, 224)
    assert "max-age" in small.headers["cache-control"]


def test_the_picture_of_links_has_its_size_and_is_light() -> None:
    with Image.open(FOLDER / SHARE_FILE) as opened:
        assert opened.size == SHARE_SIZE == (1200, 630)
    assert (FOLDER / SHARE_FILE).stat().st_size < 120_000
