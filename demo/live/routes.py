"""Routes of the live coach, used only by the page: taking a session, its goals, its frames, and the end.

Some sessions are for frames, which the server estimates, and more are for landmarks that a visitor's browser estimated.
A body is read only for the holder of a session. It is limited in size, kept in memory and dropped after the response.
An error is a code and a sentence in every language of the page. The advice on a frame is JSON with points in
thousandths of the frame and texts in every language.

The landmarks of a frame are little-endian floats, accepted only if they are plausible. First the width and height of
the frame. Then, if a person was found, for each of MediaPipe's 33 landmarks: pixel across and down; metres to the
right, down and away; and visibility. Then, in some frames, the log-likelihoods of the camera's tilts from the frame's
upright lines. Forged landmarks affect only their sender.

Another route checks a camera before a photograph is taken: whether the whole body is in the picture, and where its
joints are. A check needs no session: it is short, one runs at a time, and only a few visitors may wait. Its picture is
small, stays in memory and is dropped after the response.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from weakref import WeakValueDictionary

import anyio.to_thread
import numpy as np
from anyio import CapacityLimiter
from PIL import Image
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotate.ports import BodySeen, body_json
from demo.i18n import languages, text
from demo.live.sessions import HOLD_SECONDS, LiveSession, LiveSessions
from demo.serving import LIVE_PREFIX, LOOK_PATH, address_of, answering, pixels_of_jpeg
from demo.views import highlighted_joints
from fmp_models.coach import DEFAULT_HOLD_SECONDS, Advice, SpokenCue, Tolerance
from fmp_models.describe import TrainerStep, step_text, unseen_step
from fmp_models.errors import BadInputError
from fmp_models.estimators import LANDMARK, LANDMARK_VALUES, NOBODY, TILT_COUNT, FrameLandmarks, PoseEstimator
from fmp_models.geometry import Part, joints_left_out
from fmp_models.pose import INDEX, Array, Pose
from fmp_models.preprocessing import Photograph, read_photograph

MAX_FRAME_SIDE_PX = 480  # pixels: longer side of a frame that is estimated
_MAX_FRAME_PIXELS = 1_000_000  # of a frame
_AT_ONCE = 2  # frames estimated concurrently


class LiveRoutes:
    """The routes with the sessions, the estimator of goals, and the pictures of the page."""

    def __init__(
        self,
        sessions: LiveSessions,
        estimator: PoseEstimator,
        pictures: Mapping[str, bytes],
        landmark_sessions: LiveSessions | None = None,
    ) -> None:
        """Use ``sessions`` for frames, and ``landmark_sessions`` for landmarks; None if browsers may not send them."""
        self._sessions = sessions
        self._landmark_sessions = landmark_sessions
        self._estimator = estimator
        self._pictures = pictures
        self._known: dict[str, Pose] = {}  # poses of the page's pictures, estimated on first use
        self._frames, self._others, self._landmarks = CapacityLimiter(_AT_ONCE), CapacityLimiter(1), CapacityLimiter(1)
        self._soon = CapacityLimiter(_AT_ONCE)  # fast requests, which do not wait for the estimation of goals
        self._arriving: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # by network

    def routes(self) -> list[Route]:
        """Return the routes to serve."""
        handlers = {
            "begin": self._begin,
            "goal": self._goal,
            "frame": self._frame,
            "landmarks": self._landmark_frame,
            "go_to": self._go_to,
            "stay": self._stay,
            "end": self._end,
        }
        posted = [Route(LIVE_PREFIX + name, answering(handler), methods=["POST"]) for name, handler in handlers.items()]
        return [*posted, Route(f"{LIVE_PREFIX}picture", self._picture, methods=["GET"])]

    async def _picture(self, request: Request) -> Response:
        """Return one of the page's pictures, fetched when shown: together they are larger than the page."""
        picture = self._pictures.get(request.query_params.get("name", ""))
        if picture is None:
            return Response(status_code=404)
        return Response(picture, media_type="image/jpeg", headers={"cache-control": "public, max-age=86400"})

    async def _begin(self, request: Request) -> dict[str, Any]:
        """Return a session for frames, or for ``landmarks`` if the request asks for it and the app accepts them."""
        address, hold = address_of(request), _hold(request.query_params.get("hold", ""))
        landmarks = request.query_params.get("landmarks") == "true"
        sessions = self._landmark_sessions if landmarks and self._landmark_sessions is not None else self._sessions
        session = await anyio.to_thread.run_sync(sessions.begin, address, hold, limiter=self._others)
        return {"seat": session, "landmarks": sessions is self._landmark_sessions}

    def _sessions_of(self, name: str) -> LiveSessions:
        """Return the sessions that this one belongs to; those for frames if it is not taken."""
        landmark_sessions = self._landmark_sessions
        return landmark_sessions if landmark_sessions is not None and name in landmark_sessions else self._sessions

    async def _goal(self, request: Request) -> dict[str, Any]:
        """Add a goal pose from an uploaded or bundled picture, without the parts in ``leave_out``.

        ``again`` is the number of an earlier goal to add once more.
        """
        name, again = request.query_params.get("picture"), request.query_params.get("again")
        left_out = joints_left_out(filter(None, request.query_params.get("leave_out", "").split(",")))
        sessions = self._sessions_of(_session_of(request))
        with sessions.holding(_session_of(request)) as session:
            session.demand_room()
            if again is not None:
                return {"goals": sessions.add_goal(session, session.goal(_number(again)))}
            if name is None:
                session.count_picture()
                body = await self._body_in_turn(request, session)
                pose = await anyio.to_thread.run_sync(self._measured, body, limiter=self._others)
            else:
                pose = await anyio.to_thread.run_sync(self._bundled, name, limiter=self._others)
            return {"goals": sessions.add_goal(session, pose.without(left_out))}

    async def _body_in_turn(self, request: Request, session: LiveSession) -> bytes:
        """Return the body, which may be large; one at a time is read per network, or per session if that is unknown."""
        async with self._arriving.setdefault(session.address or _session_of(request), asyncio.Lock()):
            return await request.body()

    async def _frame(self, request: Request) -> dict[str, Any]:
        """Return the advice on a frame; the body is read only for the holder of a session, one frame at a time."""
        return await self._advice(request, self._sessions, small_frame, self._frames)

    async def _landmark_frame(self, request: Request) -> dict[str, Any]:
        """Return the advice on the landmarks of a frame, as :meth:`_frame` does for frames."""
        if self._landmark_sessions is None:
            raise BadInputError("live_gone")
        return await self._advice(request, self._landmark_sessions, read_landmarks, self._landmarks)

    @staticmethod
    async def _advice(
        request: Request, sessions: LiveSessions, read: Callable[[bytes], object], limiter: CapacityLimiter
    ) -> dict[str, Any]:
        wanted = request.query_params.get("tolerance", "")
        tolerance = Tolerance(wanted) if wanted in set(Tolerance) else Tolerance.NORMAL
        with sessions.holding(_session_of(request)) as session:
            body = await request.body()

            def advice() -> dict[str, Any]:
                return advice_json(sessions.look(session, read(body), tolerance))

            return await anyio.to_thread.run_sync(advice, limiter=limiter)

    async def _go_to(self, request: Request) -> dict[str, Any]:
        """Start a goal out of order: the previous one, or the next without having reached this one."""
        name = _session_of(request)
        with self._sessions_of(name).holding(name) as session:
            session.go_to(_number(request.query_params.get("goal", "")))
        return {}

    async def _stay(self, request: Request) -> dict[str, Any]:
        name = _session_of(request)
        await anyio.to_thread.run_sync(self._sessions_of(name).stay, name, limiter=self._soon)
        return {}

    async def _end(self, request: Request) -> dict[str, Any]:
        name = _session_of(request)
        return await anyio.to_thread.run_sync(self._sessions_of(name).end, name, limiter=self._soon)

    def _measured(self, picture: bytes) -> Pose:
        try:
            return self._estimator.estimate(read_photograph(picture)).pose
        except BadInputError as error:
            raise error.about("target") from error

    def _bundled(self, name: str) -> Pose:
        if name not in self._pictures:
            raise BadInputError("live_unknown_picture")
        if name not in self._known:
            self._known[name] = self._measured(self._pictures[name])
        return self._known[name]


def small_frame(body: bytes) -> Image.Image:
    """Return a decoded frame; raise ``live_frame_other`` or ``live_frame_large`` if it is not a small JPEG file."""
    pixels = pixels_of_jpeg(body)
    if pixels is None:
        raise BadInputError("live_frame_other")
    if pixels > _MAX_FRAME_PIXELS:
        raise BadInputError("live_frame_large")
    frame = read_photograph(body).image
    frame.thumbnail((MAX_FRAME_SIDE_PX, MAX_FRAME_SIDE_PX), Image.Resampling.BILINEAR)
    return frame


def _session_of(request: Request) -> str:
    return request.query_params.get("seat", "")


def _number(written: str) -> int:
    """Return the number of a goal; for any other text, a number that no goal has."""
    return int(written) if written.isascii() and written.isdigit() and len(written) < 4 else -1  # noqa: PLR2004  figures


def _hold(written: str) -> float:
    """Return the seconds to hold each pose; the default if the text is not a number within the limits."""
    try:
        seconds = float(written)
    except ValueError:
        return DEFAULT_HOLD_SECONDS
    return seconds if HOLD_SECONDS[0] <= seconds <= HOLD_SECONDS[1] else DEFAULT_HOLD_SECONDS


SIDE = 480  # pixels: longer side of the picture that is estimated
MAX_WAITING = 6  # pending checks, including the running one
MAX_OF_NETWORK = 3  # pending checks from one network
_SEEN = 0.5  # minimum visibility of a joint that the camera sees

# Parts of a body that may be missing, most important first, and the joints that show them.
_PARTS: dict[str, tuple[str, ...]] = {
    "feet": ("left_ankle", "right_ankle", "left_knee", "right_knee"),
    "head": ("head",),
    "hands": ("left_wrist", "right_wrist"),
}


class CameraLooks:
    """The route of camera checks with its estimator."""

    def __init__(self, estimator: PoseEstimator) -> None:
        self._estimator = estimator
        self._one = CapacityLimiter(1)
        self._waiting: Counter[str] = Counter()  # by network, empty if unknown

    def routes(self) -> list[Route]:
        """Return the routes to serve."""
        return [Route(LOOK_PATH, answering(self._look), methods=["POST"])]

    async def _look(self, request: Request) -> dict[str, Any]:
        with self._turn(address_of(request)):
            body = await request.body()
            return await anyio.to_thread.run_sync(self._seen, body, limiter=self._one)

    def _seen(self, body: bytes) -> dict[str, Any]:
        return body_json(body_in(self._estimator, small_frame(body)))

    @contextmanager
    def _turn(self, address: str) -> Iterator[None]:
        """Reserve one of the pending checks; raise ``live_busy`` if there are too many."""
        if self._waiting.total() >= MAX_WAITING or (address and self._waiting[address] >= MAX_OF_NETWORK):
            raise BadInputError("live_busy")
        self._waiting[address] += 1
        try:
            yield
        finally:
            self._waiting[address] -= 1
            self._waiting += Counter()  # drop networks with no pending check


def body_in(estimator: PoseEstimator, frame: Image.Image) -> BodySeen | None:
    """Return the body in one frame of a camera; None if it shows no person."""
    frame.thumbnail((SIDE, SIDE), Image.Resampling.BILINEAR)
    try:
        estimate = estimator.estimate(Photograph(frame))
    except BadInputError as error:
        if error.code not in NOBODY:
            raise
        return BodySeen("body", ()) if error.code == "body_hidden" else None
    wide, high = frame.size
    inside = np.all((estimate.image_joints >= 0) & (estimate.image_joints <= (wide, high)), axis=1)
    visible = np.where(inside, estimate.pose.visibility, 0.0)
    points = tuple((round(float(x) / high, 4), round(float(y) / high, 4)) for x, y in estimate.image_joints)
    return BodySeen(next((part for part, joints in _PARTS.items() if _is_missing(visible, joints)), None), points)


def _is_missing(visible: np.ndarray[Any, np.dtype[np.float64]], joints: tuple[str, ...]) -> bool:
    """Return whether a joint is outside the picture, or none is visible; the body itself may hide one of two."""
    seen = visible[[INDEX[name] for name in joints]]
    return bool((seen == 0).any() or seen.max() < _SEEN)


def advice_json(advice: Advice) -> dict[str, Any]:
    """Return advice as plain lists and dictionaries, ready for ``json.dumps``."""
    # If the whole body is off, only the hips are highlighted rather than every joint.
    off = ((one.side, Part.HIPS if one.part is Part.BODY else one.part) for one in advice.off)
    drawn = advice.drawn
    return {
        "phase": advice.phase.value,
        "goal": advice.goal,
        "instruction": None if advice.step is None else _texts(advice.step),
        "unseen": _unseen(advice),
        "said": advice.said,
        "sayings": [_words(saying, advice) for saying in advice.sayings],
        "held": round(advice.held, 3),
        "seconds": advice.seconds,
        "distances": advice.distances,
        "best": advice.best,
        "nearness": advice.nearness,
        "joints": None if drawn is None else _places(drawn.places),
        "ghost": None if drawn is None else _places(drawn.ghost),
        "hidden": [] if drawn is None else np.flatnonzero(drawn.hidden).tolist(),
        "off": list(highlighted_joints(off).joints),
    }


def _unseen(advice: Advice) -> dict[str, str] | None:
    """Return the texts about what the camera does not show; None if it shows everything."""
    if advice.outside is not None:
        return text(f"live.outside_{advice.outside}").by_language
    return None if advice.covered is None else _texts(unseen_step((advice.covered,)))


def _texts(step: TrainerStep) -> dict[str, str]:
    """Return a step as a sentence in every language."""
    return {language: step_text(step, language) or "" for language in languages()}


def _words(saying: SpokenCue, advice: Advice) -> dict[str, str]:
    if saying is SpokenCue.MOVE and advice.step is not None:
        return _texts(advice.step)
    if saying is SpokenCue.COVERED and advice.covered is not None:
        return _texts(unseen_step((advice.covered,)))
    if saying is SpokenCue.UNSEEN:
        return text(f"live.outside_{advice.outside}").by_language
    return text(f"live.say_{saying.value}").by_language


def _places(places: Array | None) -> list[list[int]] | None:
    """Return points in thousandths; points far outside, where nothing is drawn, are clipped."""
    return None if places is None else np.clip(np.round(places * 1000), -9999, 9999).astype(int).tolist()


_SIZE, _LANDMARKS = 2, len(LANDMARK) * LANDMARK_VALUES  # floats
LENGTHS = {4 * count for count in (_SIZE, _SIZE + _LANDMARKS, _SIZE + _LANDMARKS + TILT_COUNT)}  # bytes
_MAX_PIXELS = 10_000.0  # of a side of the frame
_MAX_OUTSIDE = 10.0  # distance of a landmark from the frame's origin, in longer sides of the frame
_MAX_METRES = 10.0  # from the hips
_MAX_LIKELIHOOD = 10_000.0


def read_landmarks(body: bytes) -> FrameLandmarks | None:
    """Return the landmarks; None if the browser found no person. Raise ``live_landmarks_other`` if they are invalid."""
    if len(body) not in LENGTHS:
        raise BadInputError("live_landmarks_other")
    numbers = np.frombuffer(body, "<f4").astype(np.float64)
    size, landmarks, lines = np.split(numbers, [_SIZE, _SIZE + _LANDMARKS])
    points, metres, visibility = np.split(landmarks.reshape(-1, LANDMARK_VALUES), [2, 5], axis=1)
    true = (
        (size >= 1).all()
        and (size <= _MAX_PIXELS).all()
        and (np.abs(points) <= _MAX_OUTSIDE * size.max()).all()  # comparisons with NaN are false
        and (np.abs(metres) <= _MAX_METRES).all()
        and ((visibility >= 0) & (visibility <= 1)).all()
        and (np.abs(lines) <= _MAX_LIKELIHOOD).all()
    )
    if not true:
        raise BadInputError("live_landmarks_other")
    if not len(landmarks):
        return None
    width, height = map(round, size.tolist())
    return FrameLandmarks(points, metres, visibility[:, 0], (width, height), lines if len(lines) else None)
