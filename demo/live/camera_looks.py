"""Checks of a camera before a photograph is taken: whether the whole body is in the picture, and where its joints are.

A check needs no session: it is short, one runs at a time, and only a few visitors may wait. Its picture is small, stays
in memory and is dropped after the response.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio.to_thread
import numpy as np
from anyio import CapacityLimiter
from PIL import Image
from starlette.requests import Request
from starlette.routing import Route

from annotate.ports import BodySeen, body_json
from demo.live.routes import small_frame
from demo.serving.uploads.own_routes import answering
from demo.serving.uploads.request_bodies import LOOK_PATH
from demo.serving.visitors import address_of
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import NOBODY, PoseEstimator
from fmp_models.pose import INDEX
from fmp_models.preprocessing.photograph import Photograph

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
