"""The tab "Live": before a camera or a film, one instruction at a time until a target pose is held."""

from __future__ import annotations

import json
from dataclasses import dataclass

import gradio as gr
from starlette.routing import Route

from demo.examples import EXAMPLES, OTHER_LEG, SUN_SALUTATION
from demo.live.routes import LiveRoutes
from demo.live.seats import LONGEST, MOST_PICTURES, LiveSeats
from demo.views.templating import render, script
from fmp_models.coach.coach import HOLD, Tolerance
from fmp_models.coach.course import ROWS
from fmp_models.common.hostile_photograph import MAX_BYTES
from fmp_models.estimators.base import PoseEstimator
from fmp_models.estimators.tracking import TrackingEstimator
from fmp_models.geometry.left_out import SINGLE_PARTS
from fmp_models.pose import BONES

TAB = "live"
_SCRIPTS = (
    "live_stage.js",
    "live_frames.js",
    "live_overlay.js",
    "live_words.js",
    "live_sequence.js",
    "live_card.js",
    "live_summary.js",
    "live.js",
)
_FLOW_HOLD = 1.5  # seconds in each pose of a sequence that flows


@dataclass(frozen=True)
class LiveTab:
    """The tab and its routes; ``most`` visitors exercise at once."""

    estimator: PoseEstimator
    most: int

    @property
    def _tracking(self) -> TrackingEstimator | None:
        """The estimator as one that follows people; None where the tab is closed."""
        return self.estimator if self.most and isinstance(self.estimator, TrackingEstimator) else None

    @property
    def is_open(self) -> bool:
        """Whether anybody can exercise: there is a tracker, and a place for at least one."""
        return self._tracking is not None

    def build(self) -> None:
        """Lay the tab out in the Blocks context that is open."""
        markup = render(
            "live.html",
            goals=[pair.name for pair in EXAMPLES],
            sequences={"sun_salutation": [pose.name for pose in SUN_SALUTATION]},
            other_leg=json.dumps({name: pose.name for name, pose in OTHER_LEG.items()}),
            flow_hold=_FLOW_HOLD,
            most_pictures=MOST_PICTURES,
            tolerances=[one.value for one in Tolerance],
            rows=list(ROWS),
            parts=tuple(SINGLE_PARTS),
            settings=json.dumps({"bones": BONES, "longest": LONGEST, "hold": HOLD, "pictures": MOST_PICTURES}),
            limit_mb=MAX_BYTES // 1_000_000,
        )
        gr.HTML(markup, js_on_load=script(*_SCRIPTS), apply_default_css=False, elem_id="live")

    def routes(self) -> list[Route]:
        """What the app serves for it, beside Gradio."""
        if self._tracking is None:
            return []
        poses = {pose.name: pose.picture for pose in (*SUN_SALUTATION, *OTHER_LEG.values())}
        pictures = {pair.name: pair.target for pair in EXAMPLES} | poses
        return LiveRoutes(LiveSeats(self.most, self._tracking.new_tracker), self.estimator, pictures).routes()
