"""Photographs of goals on their way: read for the holder of a seat alone, and of one network one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import httpx
import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware

from demo.examples.catalogue import EXAMPLES
from demo.live.routes import LiveRoutes
from demo.live.sessions import LiveSessions
from demo.serving.request_bodies import BoundBodies
from demo.serving.uploads import UploadFolder, UploadLedger
from fmp_models.estimators.base import PoseEstimate
from fmp_models.preprocessing import Photograph
from tests.bodies import Body
from tests.demo.live.test_sessions import StandingStill
from tests.loops import run_aside

PICTURE = EXAMPLES[0].target
SECONDS = 20  # in which all is answered, or the test fails


class SeesABody:
    """An estimator that sees the same body in every picture."""

    name = "sees-a-body"

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        size = photograph.image.size
        return PoseEstimate(Body().pose(), np.zeros((20, 2)), (0.0, 0.0, float(size[0]), float(size[1])), 1)


class SlowBody:
    """A picture whose last bytes come when they are let; ``begun`` once its first bytes were asked for."""

    def __init__(self) -> None:
        self.begun, self.end = asyncio.Event(), asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Give both pieces."""
        self.begun.set()
        yield PICTURE[:1000]
        await self.end.wait()
        yield PICTURE[1000:]


class Visitors:
    """Visitors from several networks before one app."""

    def __init__(self, folder: Path) -> None:
        routes = LiveRoutes(LiveSessions(3, StandingStill), SeesABody(), {}).routes()
        bounds = Middleware(BoundBodies, folder=UploadFolder(folder, UploadLedger()))
        self._app = Starlette(routes=routes, middleware=[bounds])

    async def post(self, route: str, network: str, session: str = "", body: object = b"") -> httpx.Response:
        transport = httpx.ASGITransport(self._app, client=(network, 50000))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.post(f"/live/{route}", params={"seat": session}, content=body)  # type: ignore[arg-type]

    async def session(self, network: str) -> str:
        return str((await self.post("begin", network)).json()["seat"])


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Callable[[Visitors], Awaitable[None]]], None]:
    """Run what visitors do, within a time."""

    def within(act: Callable[[Visitors], Awaitable[None]]) -> None:
        async def all_of_it() -> None:
            await asyncio.wait_for(act(Visitors(tmp_path)), SECONDS)

        run_aside(all_of_it())

    return within


Run = Callable[[Callable[[Visitors], Awaitable[None]]], None]


def test_slow_bodies_shut_out_nobody_elses_goals(run: Run) -> None:
    async def act(visitors: Visitors) -> None:
        slow = [SlowBody() for _ in range(6)]
        seatless = [visitors.post("goal", "8.8.8.8", "none", body) for body in slow[:5]]
        refused = await asyncio.gather(*seatless)
        assert [answer.json()["code"] for answer in refused] == ["live_gone"] * 5
        assert not any(body.begun.is_set() for body in slow)
        held = asyncio.create_task(visitors.post("goal", "8.8.8.8", await visitors.session("8.8.8.8"), slow[5]))
        await slow[5].begun.wait()
        other = await visitors.session("1.1.1.1")
        assert (await visitors.post("goal", "1.1.1.1", other, PICTURE)).json() == {"goals": 1}
        slow[5].end.set()
        assert (await held).json() == {"goals": 1}

    run(act)


def test_a_session_has_one_goal_on_its_way(run: Run) -> None:
    async def act(visitors: Visitors) -> None:
        session, first, second = await visitors.session(""), SlowBody(), SlowBody()
        held = asyncio.create_task(visitors.post("goal", "", session, first))
        await first.begun.wait()
        refused = await visitors.post("goal", "", session, second)
        assert (refused.status_code, refused.json()["code"]) == (429, "live_busy")
        assert not second.begun.is_set()
        first.end.set()
        assert (await held).json() == {"goals": 1}

    run(act)


def test_goals_of_one_network_come_one_after_the_other(run: Run) -> None:
    async def act(visitors: Visitors) -> None:
        sessions = [await visitors.session("8.8.8.8") for _ in range(2)]
        first, second = SlowBody(), SlowBody()
        held = [asyncio.create_task(visitors.post("goal", "8.8.8.8", sessions[0], first))]
        await first.begun.wait()
        held.append(asyncio.create_task(visitors.post("goal", "8.8.8.8", sessions[1], second)))
        other = await visitors.session("1.1.1.1")
        assert (await visitors.post("goal", "1.1.1.1", other, PICTURE)).json() == {"goals": 1}
        assert not second.begun.is_set()
        first.end.set()
        await second.begun.wait()
        second.end.set()
        assert [(await task).json() for task in held] == [{"goals": 1}] * 2

    run(act)


def test_a_full_exercise_reads_no_further_goal(run: Run) -> None:
    async def act(visitors: Visitors) -> None:
        session, body = await visitors.session(""), SlowBody()
        assert (await visitors.post("goal", "", session, PICTURE)).json() == {"goals": 1}
        assert (await visitors.post("frame", "", session, PICTURE)).status_code == 200
        refused = await visitors.post("goal", "", session, body)
        assert refused.json()["code"] == "live_many_goals"
        assert not body.begun.is_set()

    run(act)
