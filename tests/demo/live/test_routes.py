"""The live coach over HTTP: pictures or landmarks in, advice out; errors in both languages, and nothing on a disk."""

from __future__ import annotations

import io
import json
import os
import random
import struct
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.testclient import TestClient

from demo.examples.catalogue import EXAMPLES
from demo.i18n import error_text
from demo.live.routes import (
    MAX_FRAME_SIDE_PX,
    MAX_OF_NETWORK,
    SIDE,
    CameraLooks,
    LiveRoutes,
    advice_json,
    read_landmarks,
    small_frame,
)
from demo.live.sessions import MAX_GOALS, MAX_PICTURES, UNUSED_SECONDS, LiveSessions
from fmp_models.coach.coaching import Coach, SpokenCue
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate
from fmp_models.estimators.camera_tilt import TILT_COUNT
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.evaluation.real_scores import RememberingEstimator
from fmp_models.languages.language_data import LANGUAGES, speech_words
from fmp_models.pose import INDEX
from fmp_models.preprocessing import Photograph
from tests.bodies import Arm, Body
from tests.demo.live.test_sessions import StandingStill
from tests.exercises import FEET, RATE, tracked
from tests.thoroughness import thorough

PAIR = next(pair for pair in EXAMPLES if pair.name == "warrior")


def jpeg(image: Image.Image) -> bytes:
    written = io.BytesIO()
    image.save(written, "JPEG", quality=75)
    return written.getvalue()


def file_of(kind: str, image: Image.Image, **more: object) -> bytes:
    written = io.BytesIO()
    image.save(written, kind, **more)
    return written.getvalue()


def claiming(width: int, height: int, precision: int = 8) -> bytes:
    """Return a small JPEG file whose header claims such a size, and so many bits."""
    start = NOBODY.index(b"\xff\xc0") + 4
    return NOBODY[:start] + struct.pack(">BHH", precision, height, width) + NOBODY[start + 5 :]


SMALL = Image.new("RGB", (320, 240))
NOBODY = jpeg(Image.new("RGB", (320, 240), (90, 120, 100)))


@pytest.fixture(scope="module")
def remembering(estimator: MediaPipeEstimator) -> RememberingEstimator:
    """Measures each goal once, however many tests ask for it."""
    return RememberingEstimator(estimator)


@pytest.fixture
def client(estimator: MediaPipeEstimator, remembering: RememberingEstimator) -> Iterator[TestClient]:
    sessions = LiveSessions(2, estimator.new_tracker)
    routes = LiveRoutes(sessions, remembering, {"warrior": PAIR.target}).routes()
    with TestClient(Starlette(routes=routes)) as opened:
        yield opened


def begin(client: TestClient, **goal: object) -> str:
    session = str(client.post("/live/begin").json()["seat"])
    answer = client.post("/live/goal", params={"seat": session, "picture": "warrior"}, **goal)  # type: ignore[arg-type]
    assert answer.json() == {"goals": 1}
    return session


def test_a_goal_leaves_out_the_parts_that_are_named(client: TestClient) -> None:
    session = str(client.post("/live/begin").json()["seat"])
    query = {"seat": session, "picture": "warrior"}
    refused = client.post("/live/goal", params={**query, "leave_out": "left_leg,tail"})
    assert (refused.status_code, refused.json()["code"]) == (422, "unknown_part")
    assert client.post("/live/goal", params={**query, "leave_out": "left_leg,right_leg"}).json() == {"goals": 1}
    told = frames(client, session, PAIR.current, 30)
    assert told[-1]["unseen"] is None
    assert not {INDEX[f"{side}_{name}"] for side in ("left", "right") for name in ("knee", "ankle", "foot")} & {
        joint for advice in told for joint in advice["off"]
    }


def frames(client: TestClient, session: str, picture: bytes, count: int, **query: str) -> list[dict[str, object]]:
    answers = [client.post("/live/frame", params={"seat": session, **query}, content=picture) for _ in range(count)]
    assert {answer.status_code for answer in answers} == {200}
    return [answer.json() for answer in answers]


def test_frames_lead_to_places_and_an_instruction_in_both_languages(client: TestClient) -> None:
    session = begin(client)
    last: dict[str, object] = {}
    for advice in iter(lambda: frames(client, session, PAIR.current, 1)[0], None):
        last = advice
        if advice["instruction"] and advice["off"]:
            break
        time.sleep(0.1)
    assert last["phase"] == "move"
    assert set(last["instruction"]) == {"en", "hi"}  # type: ignore[call-overload]
    assert len(last["joints"]) == len(last["ghost"]) == 20  # type: ignore[arg-type]
    assert last["off"]
    summary = client.post("/live/end", params={"seat": session}).json()
    assert summary["goals"][0]["seconds"] is None
    assert client.post("/live/stay", params={"seat": session}).status_code == 410


def test_somebody_in_the_pose_holds_it_and_is_done(client: TestClient) -> None:
    session = begin(client)
    for advice in iter(lambda: frames(client, session, PAIR.target, 1, tolerance="easy")[0], None):
        assert advice["phase"] in {"nobody", "move", "hold", "done"}
        if advice["phase"] == "done":
            break
        time.sleep(0.15)  # the pose is held by the clock, however many frames come
    assert client.post("/live/end", params={"seat": session}).json()["goals"][0]["seconds"] is not None


def test_an_empty_picture_has_nobody_to_advise(client: TestClient) -> None:
    (advice,) = frames(client, begin(client), NOBODY, 1)
    assert advice["phase"] == "nobody"
    assert advice["joints"] is advice["ghost"] is advice["instruction"] is None


def test_a_photograph_of_ones_own_is_a_goal_and_one_without_a_person_is_refused(client: TestClient) -> None:
    session = str(client.post("/live/begin").json()["seat"])
    refused = client.post("/live/goal", params={"seat": session}, content=NOBODY)
    assert refused.status_code == 422
    assert refused.json()["code"] == "no_person"
    assert set(refused.json()["text"]) == {"en", "hi"}
    assert client.post("/live/goal", params={"seat": session}, content=PAIR.current).json() == {"goals": 1}


def test_a_visitor_who_prepares_goals_keeps_the_session(remembering: RememberingEstimator) -> None:
    now = 0.0
    sessions = LiveSessions(1, StandingStill, lambda: now)
    with TestClient(Starlette(routes=LiveRoutes(sessions, remembering, {"warrior": PAIR.target}).routes())) as client:
        session = begin(client)
        for number in range(3):
            now += UNUSED_SECONDS - 5
            answer = client.post("/live/goal", params={"seat": session, "picture": "warrior"})
            assert answer.json() == {"goals": number + 2}
        now += UNUSED_SECONDS - 5
        assert client.post("/live/begin", headers={"x-forwarded-for": "1.1.1.1"}).json()["code"] == "live_full"


def test_a_person_who_comes_to_a_full_room_is_told_so(client: TestClient) -> None:
    begin(client), begin(client)
    full = client.post("/live/begin")
    assert full.status_code == 503
    assert full.json()["code"] == "live_full"


def test_a_network_is_known_by_the_address_that_a_proxy_tells_of(client: TestClient) -> None:
    behind = {"x-forwarded-for": "8.8.8.8"}
    assert client.post("/live/begin", headers=behind).status_code == 200
    full = client.post("/live/begin", headers=behind)
    assert (full.status_code, full.json()["code"]) == (503, "live_full_network")
    assert client.post("/live/begin", headers={"x-forwarded-for": "1.1.1.1"}).status_code == 200


def test_behind_a_proxy_that_does_not_tell_whom_it_serves_all_sessions_can_be_had(client: TestClient) -> None:
    behind = TestClient(client.app, client=("10.0.0.7", 50000))
    assert [behind.post("/live/begin").status_code for _ in range(2)] == [200, 200]
    assert behind.post("/live/begin").json()["code"] == "live_full"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "live_frame_other"),
        (b"no picture", "live_frame_other"),
        (NOBODY[: len(NOBODY) // 2], "photo_broken"),
        (jpeg(Image.new("RGB", (4000, 3000))), "live_frame_large"),
        (b'{"[": [[[[', "live_frame_other"),
        (claiming(65_535, 65_535), "live_frame_large"),
        (claiming(10_000, 10_000), "live_frame_large"),
        (claiming(0, 240), "live_frame_other"),
        (claiming(320, 0), "live_frame_other"),
        (claiming(320, 240, precision=12), "live_frame_other"),
        (claiming(320, 240, precision=16), "live_frame_other"),
        (NOBODY[:100], "live_frame_other"),
        (jpeg(Image.new("RGB", (1, 1))), "photo_too_small"),
        (file_of("PNG", Image.new("I;16", (320, 240))), "live_frame_other"),
        (file_of("WEBP", SMALL), "live_frame_other"),
        (file_of("GIF", SMALL, save_all=True, append_images=[Image.new("RGB", (320, 240), "red")]), "live_frame_other"),
    ],
)
def test_what_is_no_small_picture_is_refused_and_the_next_frame_is_answered(
    client: TestClient, content: bytes, code: str
) -> None:
    session = begin(client)
    answer = client.post("/live/frame", params={"seat": session}, content=content)
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert set(answer.json()["text"]) == {"en", "hi"}
    frames(client, session, NOBODY, 1)


@pytest.mark.parametrize("sides", [10_000, 65_535])
def test_a_frame_that_claims_to_be_large_is_refused_without_changing_the_warnings_of_other_threads(
    monkeypatch: pytest.MonkeyPatch, sides: int
) -> None:
    with monkeypatch.context() as patch:
        patch.delattr(warnings, "catch_warnings")
        with pytest.raises(BadInputError, match="too large"):
            small_frame(claiming(sides, sides))


@pytest.mark.parametrize(
    "content",
    [
        jpeg(Image.new("CMYK", (320, 240))),
        jpeg(Image.new("L", (320, 240))),
        jpeg(Image.new("RGB", (64, 15_000))),
        file_of("MPO", SMALL, save_all=True, append_images=[SMALL] * 3),
    ],
)
def test_a_sound_jpeg_file_of_another_kind_is_answered(client: TestClient, content: bytes) -> None:
    assert frames(client, begin(client), content, 1)[0]["phase"] == "nobody"


@thorough
def test_a_frame_with_damaged_bytes_is_answered_or_refused(client: TestClient) -> None:
    session, chance = begin(client), random.Random(20)
    statuses = set()
    for source in [NOBODY, file_of("MPO", SMALL, save_all=True, append_images=[SMALL])] * 100:
        content = bytearray(source)
        for _ in range(chance.randint(1, 6)):
            content[chance.randrange(2, 600)] = chance.randrange(256)
        statuses.add(client.post("/live/frame", params={"seat": session}, content=bytes(content)).status_code)
    assert statuses <= {200, 422}


@pytest.mark.parametrize("query", [{}, {"seat": ""}, {"seat": "x" * 5000}, {"seat": "\u0000"}, {"tolerance": "none"}])
def test_a_frame_without_a_session_is_refused(client: TestClient, query: dict[str, str]) -> None:
    answer = client.post("/live/frame", params=query, content=NOBODY)
    assert (answer.status_code, answer.json()["code"]) == (410, "live_gone")


def test_nothing_is_decoded_for_anybody_who_has_no_session(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[object] = []
    monkeypatch.setattr("demo.live.routes.read_photograph", decoded.append)
    assert client.post("/live/frame", params={"seat": "none"}, content=PAIR.current).status_code == 410
    assert decoded == []


def test_a_goal_is_begun_out_of_turn_and_taken_once_more(client: TestClient) -> None:
    session = begin(client)
    assert client.post("/live/goal", params={"seat": session, "again": "0"}).json() == {"goals": 2}
    assert client.post("/live/go_to", params={"seat": session, "goal": "1"}).json() == {}
    assert frames(client, session, PAIR.current, 1)[0]["goal"] == 1
    assert client.post("/live/go_to", params={"seat": session, "goal": "0"}).json() == {}
    assert frames(client, session, PAIR.current, 1)[0]["goal"] == 0


@pytest.mark.parametrize("number", ["", "1", "-1", "x", "9" * 5000, "\u0661", "0.0"])
def test_a_goal_that_there_is_not_is_refused(client: TestClient, number: str) -> None:
    session = begin(client)
    for refused in (
        client.post("/live/go_to", params={"seat": session, "goal": number}),
        client.post("/live/goal", params={"seat": session, "again": number}),
    ):
        assert (refused.status_code, refused.json()["code"]) == (422, "live_unknown_goal")
        assert set(refused.json()["text"]) == {"en", "hi"}
    frames(client, session, NOBODY, 1)


@pytest.mark.parametrize(
    ("hold", "seconds"), [("1.5", 1.5), ("10", 10.0), ("", 3.0), ("0", 3.0), ("11", 3.0), ("nan", 3.0), ("x", 3.0)]
)
def test_poses_are_held_as_long_as_is_asked_for_within_bounds(
    remembering: RememberingEstimator, hold: str, seconds: float
) -> None:
    sessions = LiveSessions(1, StandingStill)
    with TestClient(Starlette(routes=LiveRoutes(sessions, remembering, {}).routes())) as client:
        name = client.post("/live/begin", params={"hold": hold}).json()["seat"]
    assert sessions.stay(name).hold == seconds


def test_an_exercise_has_few_pictures_of_ones_own_and_rounds_of_them(client: TestClient) -> None:
    session = str(client.post("/live/begin").json()["seat"])
    for _ in range(MAX_PICTURES):
        assert client.post("/live/goal", params={"seat": session}, content=PAIR.current).status_code == 200
    refused = client.post("/live/goal", params={"seat": session}, content=PAIR.current)
    assert (refused.status_code, refused.json()["code"]) == (422, "live_many_pictures")
    for _ in range(MAX_PICTURES, MAX_GOALS):
        assert client.post("/live/goal", params={"seat": session, "again": "0"}).status_code == 200
    refused = client.post("/live/goal", params={"seat": session, "again": "0"})
    assert refused.json()["code"] == "live_many_goals"


def test_an_unknown_picture_is_refused(client: TestClient) -> None:
    session = str(client.post("/live/begin").json()["seat"])
    answer = client.post("/live/goal", params={"seat": session, "picture": "../../etc/passwd"})
    assert answer.json()["code"] == "live_unknown_picture"


_opened: list[str] | None = None


def _note(event: str, arguments: tuple[object, ...]) -> None:
    """Note what is opened for writing, by whatever means; an audit hook cannot be taken away again."""
    if _opened is not None and event == "open":
        path, mode, flags = arguments
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if writes or (isinstance(mode, str) and any(letter in mode for letter in "wax+")):
            _opened.append(str(path))


@contextmanager
def nothing_written(folder: Path) -> Iterator[None]:
    """Assert that nothing is opened for writing meanwhile."""
    global _opened  # noqa: PLW0603  the hook is there for good
    sys.addaudithook(_note)
    _opened = []
    (folder / "proof").write_bytes(b"the hook notes what is written")
    assert set(_opened) == {str(folder / "proof")}
    _opened = []
    try:
        yield
        assert _opened == []
    finally:
        _opened = None


def test_a_frame_never_touches_the_disk(client: TestClient, tmp_path: Path) -> None:
    session = begin(client)
    with nothing_written(tmp_path):
        frames(client, session, PAIR.current, 3)


def test_large_frames_are_looked_at_small() -> None:
    assert small_frame(jpeg(Image.new("RGB", (1200, 800)))).size == (MAX_FRAME_SIDE_PX, MAX_FRAME_SIDE_PX * 2 // 3)


STANDING = Image.open(io.BytesIO(EXAMPLES[0].current)).convert("RGB")


@pytest.fixture(scope="module")
def look_client(estimator: MediaPipeEstimator) -> Iterator[TestClient]:
    with TestClient(Starlette(routes=CameraLooks(estimator).routes())) as opened:
        yield opened


def look(look_client: TestClient, picture: bytes) -> dict[str, object]:
    reply = look_client.post("/live/look", content=picture)
    assert reply.status_code == 200
    return dict(reply.json())


def test_a_body_from_head_to_feet_is_whole_and_its_joints_are_told(look_client: TestClient) -> None:
    seen = look(look_client, jpeg(STANDING))

    assert (seen["seen"], seen["whole"], seen["missing"]) == (True, True, None)
    assert np.asarray(seen["points"]).shape == (20, 2)


def test_what_lies_outside_the_picture_is_named(look_client: TestClient) -> None:
    wide, high = STANDING.size
    without_feet = look(look_client, jpeg(STANDING.crop((0, 0, wide, high * 7 // 10))))

    assert (without_feet["whole"], without_feet["missing"]) == (False, "feet")
    head_and_shoulders = look(look_client, jpeg(STANDING.crop((0, 0, wide, high * 3 // 10))))
    assert (head_and_shoulders["seen"], head_and_shoulders["missing"]) == (True, "body")


def test_an_empty_room_shows_nobody(look_client: TestClient) -> None:
    assert look(look_client, NOBODY) == {"seen": False, "whole": False, "missing": None, "points": []}


def test_a_look_never_touches_the_disk(look_client: TestClient, tmp_path: Path) -> None:
    with nothing_written(tmp_path):
        assert look(look_client, jpeg(STANDING))["seen"]


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
    look_client: TestClient, picture: bytes, code: str
) -> None:
    reply = look_client.post("/live/look", content=picture)

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
    with TestClient(Starlette(routes=CameraLooks(estimator).routes())) as look_client:

        def ask(network: str) -> None:
            reply = look_client.post("/live/look", content=large, headers={"x-forwarded-for": network})
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


COVERED = ["left_elbow", "left_wrist", "left_hand"]


def test_what_the_camera_does_not_show_is_shown_and_said_in_every_language() -> None:
    body = Body().pose()
    coach = Coach([body])
    advices = [coach.update(number / RATE, tracked(body, covered=COVERED)) for number in range(3 * RATE)]
    (advice_of_page,) = [advice_json(advice) for advice in advices if SpokenCue.COVERED in advice.sayings]
    assert advice_of_page["unseen"] == advice_of_page["sayings"][-1]
    for language in LANGUAGES:
        assert speech_words(language).unseen_parts["arm"]["left"] in advice_of_page["unseen"][language]
    json.dumps(advice_of_page, allow_nan=False)


def test_what_is_shown_and_said_is_the_whole_movement_in_every_language() -> None:
    goal = Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90)).pose()
    coach = Coach([goal])
    advices = [coach.update(number / RATE, tracked(Body().pose())) for number in range(3 * RATE)]
    (advice,) = [advice for advice in advices if SpokenCue.MOVE in advice.sayings]
    advice_of_page = advice_json(advice)
    assert advice_of_page["instruction"] == advice_of_page["sayings"][-1]
    for language in LANGUAGES:
        said = speech_words(language).shapes["arms_t"]["into"][0]
        assert advice_of_page["instruction"][language].casefold().startswith(said.casefold())


def test_what_lies_outside_the_picture_comes_before_what_is_covered() -> None:
    body = Body().pose()
    coach = Coach([body])
    advices = [coach.update(number / RATE, tracked(body, FEET, COVERED)) for number in range(3 * RATE)]
    assert advice_json(advices[-1])["unseen"]["en"] == "Step back. I cannot see your feet."


@thorough
def test_whenever_an_arm_is_covered_every_frame_up_to_the_end_can_be_told() -> None:
    person = Body().pose()
    people = tracked(person), tracked(person, covered=COVERED)
    for first in range(61):
        coach = Coach([person])
        advices = [coach.update(number / RATE, people[number >= first]) for number in range(61)]
        advices_of_page = [advice_json(advice) for advice in advices]
        assert advices_of_page[-1]["phase"] == "done"
        json.dumps(advices_of_page, allow_nan=False)


SIZE, ONE = [480.0, 640.0], [100.0, 200.0, 0.1, -0.4, 0.2, 0.9]
BODY = [*SIZE, *ONE * 33]


def packed(numbers: list[float]) -> bytes:
    return np.array(numbers, "<f4").tobytes()


def changed(place: int, value: float) -> bytes:
    return packed([*BODY[:place], value, *BODY[place + 1 :]])


def test_landmarks_are_read_as_they_were_sent() -> None:
    frame = read_landmarks(packed(BODY))
    assert frame is not None
    assert frame.size == (480, 640)
    assert frame.points.shape == (33, 2)
    assert frame.metres[7].tolist() == pytest.approx(ONE[2:5])
    assert frame.visibility.tolist() == pytest.approx([0.9] * 33)
    assert frame.lines is None


def test_lines_come_along_now_and_then_and_a_size_alone_means_nobody() -> None:
    frame = read_landmarks(packed([*BODY, *[-1.5] * TILT_COUNT]))
    assert frame is not None
    assert frame.lines is not None
    assert frame.lines.tolist() == [-1.5] * TILT_COUNT
    assert read_landmarks(packed(SIZE)) is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no landmarks",
        b'{"landmarks": []}',
        packed(BODY)[:-1],
        packed(BODY) + b"\0",
        packed(BODY[:-6]),
        packed([*BODY, *ONE]),
        packed([*BODY, *[0.0] * (TILT_COUNT - 1)]),
        packed(BODY) * 400,
        packed([0.0, 640.0]),
        packed([-480.0, 640.0]),
        packed([480.0, 1e9]),
        packed([float("nan"), 640.0]),
        *(changed(2, value) for value in (float("nan"), float("inf"), -1e6, 1e30)),
        *(changed(5, value) for value in (float("nan"), float("-inf"), 11.0, -11.0)),
        *(changed(7, value) for value in (float("nan"), -0.1, 1.1)),
        packed([*BODY, *[float("nan")] * TILT_COUNT]),
        packed([*BODY, *[1e30] * TILT_COUNT]),
    ],
)
def test_what_cannot_be_landmarks_is_refused(body: bytes) -> None:
    with pytest.raises(BadInputError) as refused:
        read_landmarks(body)
    assert refused.value.code == "live_landmarks_other"
    assert set(error_text(refused.value).by_language) == {"en", "hi"}
