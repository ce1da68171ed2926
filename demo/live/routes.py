"""Routes of the live coach, used only by the page: taking a session, its goals, its frames, and the end.

Some sessions are for frames, which the server estimates, and more are for landmarks that a visitor's browser estimated.
A body is read only for the holder of a session. It is limited in size, kept in memory and dropped after the response.
An error is a code and a sentence in every language of the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakValueDictionary

import anyio.to_thread
from anyio import CapacityLimiter
from PIL import Image
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from demo.live.advice_json import advice_json
from demo.live.frame_landmarks import read_landmarks
from demo.live.sessions import HOLD_SECONDS, LiveSession, LiveSessions
from demo.serving.uploads.own_routes import answering, pixels_of_jpeg
from demo.serving.uploads.request_bodies import LIVE_PREFIX
from demo.serving.visitors import address_of
from fmp_models.coach.coaching import DEFAULT_HOLD_SECONDS, Tolerance
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimator
from fmp_models.geometry.lexicon import joints_left_out
from fmp_models.pose import Pose
from fmp_models.preprocessing.photograph import read_photograph

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
