"""Looks at a camera over HTTP: what is missing of a body, hostile pictures refused in words, and few at once."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.testclient import TestClient

from demo.examples import EXAMPLES
from demo.live.camera_looks import MAX_OF_NETWORK, SIDE, CameraLooks
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.preprocessing.photograph import Photograph
from tests.demo.live.test_routes import NOBODY, SMALL, claiming, file_of, jpeg, nothing_written

STANDING = Image.open(io.BytesIO(EXAMPLES[0].current)).convert("RGB")


@pytest.fixture(scope="module")
def client(estimator: MediaPipeEstimator) -> Iterator[TestClient]:
    with TestClient(Starlette(routes=CameraLooks(estimator).routes())) as opened:
        yield opened


def look(client: TestClient, picture: bytes) -> dict[str, object]:
    reply = client.post("/live/look", content=picture)
    assert reply.status_code == 200
    return dict(reply.json())


def test_a_body_from_head_to_feet_is_whole_and_its_joints_are_told(client: TestClient) -> None:
    seen = look(client, jpeg(STANDING))

    assert (seen["seen"], seen["whole"], seen["missing"]) == (True, True, None)
    assert np.asarray(seen["points"]).shape == (20, 2)


def test_what_lies_outside_the_picture_is_named(client: TestClient) -> None:
    wide, high = STANDING.size
    without_feet = look(client, jpeg(STANDING.crop((0, 0, wide, high * 7 // 10))))

    assert (without_feet["whole"], without_feet["missing"]) == (False, "feet")
    head_and_shoulders = look(client, jpeg(STANDING.crop((0, 0, wide, high * 3 // 10))))
    assert (head_and_shoulders["seen"], head_and_shoulders["missing"]) == (True, "body")


def test_an_empty_room_shows_nobody(client: TestClient) -> None:
    assert look(client, NOBODY) == {"seen": False, "whole": False, "missing": None, "points": []}


def test_a_look_never_touches_the_disk(client: TestClient, tmp_path: Path) -> None:
    with nothing_written(tmp_path):
        assert look(client, jpeg(STANDING))["seen"]


@pytest.mark.parametrize(
    ("picture", "code"),
    [
        (b"", "live_frame_other"),
        (b"\xff\xd8" + bytes(5000), "live_frame_other"),
        (file_of("PNG", SMALL), "live_frame_other"),
        (claiming(40_000, 40_000), "live_frame_large"),
    ],
)
def test_what_is_no_small_picture_of_a_camera_is_refused_in_both_languages(
    client: TestClient, picture: bytes, code: str
) -> None:
    reply = client.post("/live/look", content=picture)

    assert (reply.status_code, reply.json()["code"]) == (422, code)
    assert set(reply.json()["text"]) == {"en", "hi"}


class SlowEstimator:
    """Looks at a picture for as long as it is held, and sees nobody."""

    name = "slow"

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.sizes: list[tuple[int, int]] = []

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        self.sizes.append(photograph.image.size)
        assert self.go_on.wait(30)
        raise BadInputError("no_person", which="given")


def test_of_one_network_a_few_looks_are_on_their_way_and_others_are_let_in() -> None:
    estimator, replied = SlowEstimator(), threading.Event()
    large, codes = jpeg(Image.new("RGB", (900, 900))), []
    with TestClient(Starlette(routes=CameraLooks(estimator).routes())) as client:

        def ask(network: str) -> None:
            reply = client.post("/live/look", content=large, headers={"x-forwarded-for": network})
            codes.append((network, reply.status_code))
            replied.set()

        threads = [threading.Thread(target=ask, args=("8.8.8.8",)) for _ in range(MAX_OF_NETWORK + 1)]
        for thread in threads:
            thread.start()
        assert replied.wait(30)  # the others are held
        assert codes == [("8.8.8.8", 429)]
        threads.append(threading.Thread(target=ask, args=("9.9.9.9",)))
        threads[-1].start()
        estimator.go_on.set()
        for thread in threads:
            thread.join(30)

    assert sorted(codes) == [*[("8.8.8.8", 200)] * MAX_OF_NETWORK, ("8.8.8.8", 429), ("9.9.9.9", 200)]
    assert {max(size) for size in estimator.sizes} == {SIDE}
