"""The tab "Live": one instruction at a time, from a camera or a video, until a target pose is held."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import gradio as gr
from starlette.routing import Route

from demo.examples import EXAMPLES, OTHER_LEG, SUN_SALUTATION
from demo.i18n import page_file, render, script
from demo.live import (
    MAX_FRAME_SIDE_PX,
    MAX_PICTURES,
    WEB_BUILD,
    LiveRoutes,
    LiveSessions,
    WebBuild,
    fetch_web_build,
    is_whole_build,
)
from fmp_models.coach import COURSE_ROWS, DEFAULT_HOLD_SECONDS, Tolerance
from fmp_models.common import MAX_BYTES
from fmp_models.errors import BadInputError
from fmp_models.estimators import LandmarkTrackingEstimator, PoseEstimator, TrackingEstimator
from fmp_models.geometry import SINGLE_EXCLUDABLE_PARTS
from fmp_models.pose import BONES

_SCRIPTS = (
    "live_stage.js",
    "live_frames.js",
    "faces.js",
    "live_joints.js",
    "live_overlay.js",
    "live_words.js",
    "live_sequence.js",
    "live_card.js",
    "live_summary.js",
    "live.js",
)
_FLOW_HOLD = 1.5  # seconds in each pose of a flowing sequence
_WORKER = ("landmark_worker.js", "upright_lines.js")


@dataclass(frozen=True)
class LiveTab:
    """The tab and its routes.

    ``most`` visitors can exercise at once by sending frames, and ``most_in_browser`` with pose estimation in their own
    browser. The latter uses MediaPipe's web build from the environment or the folder ``fetched``.
    """

    name: ClassVar[str] = "live"
    styles: ClassVar[tuple[str, ...]] = ("live.css",)
    estimator: PoseEstimator
    most: int
    most_in_browser: int = 0
    fetched: Path = WEB_BUILD

    @property
    def _tracking(self) -> TrackingEstimator | None:
        """The estimator if it can track people; None if the tab is closed."""
        return self.estimator if self.most and isinstance(self.estimator, TrackingEstimator) else None

    @property
    def is_open(self) -> bool:
        """Whether the tab can be used: the estimator tracks people and at least one visitor is allowed."""
        return self._tracking is not None

    @property
    def _landmark_tracking(self) -> LandmarkTrackingEstimator | None:
        """The estimator if it can track landmarks sent by browsers; None if browsers may not send them."""
        open_for_them = self._tracking is not None and self.most_in_browser
        return self.estimator if open_for_them and isinstance(self.estimator, LandmarkTrackingEstimator) else None

    @property
    def _web_build(self) -> WebBuild | None:
        """The files for pose estimation in a browser; None if browsers may not send landmarks."""
        if (estimator := self._landmark_tracking) is None:
            return None
        return WebBuild(estimator.pose_model, tuple(map(page_file, _WORKER)), (WEB_BUILD, self.fetched))

    def fetch(self) -> None:
        """Start to download the web build if it is missing; without it browsers send frames."""
        build = self._web_build

        def fetch() -> None:
            with suppress(BadInputError):
                fetch_web_build(self.fetched)

        if build is not None and not any(map(is_whole_build, build.folders)):
            threading.Thread(target=fetch, name="web build", daemon=True).start()

    def build(self) -> None:
        """Add the tab's components to the current Blocks context."""
        web = self._web_build
        here = web and {"address": web.address, "megabytes": web.megabytes}
        markup = render(
            "live.html",
            goals=[pair.name for pair in EXAMPLES],
            sequences={"sun_salutation": [pose.name for pose in SUN_SALUTATION]},
            other_leg=json.dumps({name: pose.name for name, pose in OTHER_LEG.items()}),
            flow_hold=_FLOW_HOLD,
            most_pictures=MAX_PICTURES,
            tolerances=[one.value for one in Tolerance],
            rows=list(COURSE_ROWS),
            parts=tuple(SINGLE_EXCLUDABLE_PARTS),
            settings=json.dumps(
                {
                    "bones": BONES,
                    "longest": MAX_FRAME_SIDE_PX,
                    "hold": DEFAULT_HOLD_SECONDS,
                    "pictures": MAX_PICTURES,
                    "here": here,
                }
            ),
            limit_mb=MAX_BYTES // 1_000_000,
        )
        gr.HTML(markup, js_on_load=script(*_SCRIPTS), apply_default_css=False, elem_id="live")

    def routes(self) -> list[Route]:
        """Return the routes to serve in addition to Gradio's."""
        if self._tracking is None:
            return []
        poses = {pose.name: pose.picture for pose in (*SUN_SALUTATION, *OTHER_LEG.values())}
        pictures = {pair.name: pair.target for pair in EXAMPLES} | poses
        sessions = LiveSessions(self.most, self._tracking.new_tracker)
        web, tracking = self._web_build, self._landmark_tracking
        if web is None or tracking is None:
            return LiveRoutes(sessions, self.estimator, pictures).routes()
        landmark_sessions = LiveSessions(self.most_in_browser, tracking.new_landmark_tracker)
        return [*LiveRoutes(sessions, self.estimator, pictures, landmark_sessions).routes(), web.route()]
