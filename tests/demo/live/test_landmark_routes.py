"""Landmarks of browsers over HTTP: seats of their own, advice as on frames, and refusals in both languages."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from demo.examples.catalogue import EXAMPLES
from demo.live.routes import LiveRoutes
from demo.live.sessions import LiveSessions
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.evaluation.real_scores import RememberingEstimator
from fmp_models.preprocessing import read_photograph

PAIR = next(pair for pair in EXAMPLES if pair.name == "warrior")


@pytest.fixture(scope="module")
def bodies(estimator: MediaPipeEstimator) -> tuple[bytes, bytes]:
    """Return the payload that a browser sends of the current and the target picture."""

    def found(picture: bytes) -> bytes:
        photograph = read_photograph(picture)
        (person,) = estimator.looks_at(photograph.image, estimator.estimate(photograph).box, [(2.0, False)])
        assert person.landmarks is not None
        return np.array([*photograph.image.size, *person.landmarks.ravel()], "<f4").tobytes()

    return found(PAIR.current), found(PAIR.target)


def served(estimator: MediaPipeEstimator, landmark_sessions: LiveSessions | None) -> TestClient:
    sessions, remembering = LiveSessions(1, estimator.new_tracker), RememberingEstimator(estimator)
    routes = LiveRoutes(sessions, remembering, {"warrior": PAIR.target}, landmark_sessions)
    return TestClient(Starlette(routes=routes.routes()))


@pytest.fixture
def client(estimator: MediaPipeEstimator) -> Iterator[TestClient]:
    glances = itertools.count()  # at a clock that goes on at each, however fast the machine is
    with served(estimator, LiveSessions(2, estimator.new_landmark_tracker, lambda: next(glances) / 40)) as opened:
        yield opened


def begin(client: TestClient) -> str:
    answer = client.post("/live/begin", params={"landmarks": "true"}).json()
    assert answer["landmarks"] is True
    session = str(answer["seat"])
    assert client.post("/live/goal", params={"seat": session, "picture": "warrior"}).json() == {"goals": 1}
    return session


def test_landmarks_lead_to_the_advice_that_frames_do(client: TestClient, bodies: tuple[bytes, bytes]) -> None:
    session = begin(client)

    def advice(body: bytes) -> dict[str, object]:
        answer = client.post("/live/landmarks", params={"seat": session}, content=body)
        assert answer.status_code == 200
        return dict(answer.json())

    told = [advice(bodies[0]) for _ in range(30)]
    assert told[-1]["phase"] == "move"
    assert told[-1]["off"]
    assert len(told[-1]["joints"]) == 20  # type: ignore[arg-type]
    assert sum(told[-1]["distances"].values()) > 2 * sum(advice(bodies[1])["distances"].values())  # type: ignore[attr-defined]
    assert client.post("/live/stay", params={"seat": session}).json() == {}
    assert client.post("/live/end", params={"seat": session}).json()["goals"][0]["times"]


@pytest.mark.parametrize("body", [b"", b"no landmarks", b'{"[": [[[[', b"\xff" * 800, b"\0" * 800, b"\0" * 300_000])
def test_what_is_no_landmarks_is_refused_and_the_next_one_is_answered(
    client: TestClient, bodies: tuple[bytes, bytes], body: bytes
) -> None:
    session = begin(client)
    answer = client.post("/live/landmarks", params={"seat": session}, content=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "live_landmarks_other")
    assert set(answer.json()["text"]) == {"en", "hi"}
    assert client.post("/live/landmarks", params={"seat": session}, content=bodies[0]).status_code == 200


def test_a_session_takes_what_it_is_for(client: TestClient, bodies: tuple[bytes, bytes]) -> None:
    own, other = begin(client), str(client.post("/live/begin").json()["seat"])
    for route, session, body in (("frame", own, PAIR.current), ("landmarks", other, bodies[0])):
        answer = client.post(f"/live/{route}", params={"seat": session}, content=body)
        assert (answer.status_code, answer.json()["code"]) == (410, "live_gone")


def test_where_browsers_may_not_look_themselves_they_get_a_session_for_frames(
    estimator: MediaPipeEstimator, bodies: tuple[bytes, bytes]
) -> None:
    with served(estimator, None) as client:
        answer = client.post("/live/begin", params={"landmarks": "true"}).json()
        assert answer["landmarks"] is False
        refused = client.post("/live/landmarks", params={"seat": answer["seat"]}, content=bodies[0])
        assert (refused.status_code, refused.json()["code"]) == (410, "live_gone")
