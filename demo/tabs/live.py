"""The tab "Live": before a camera or a film, one instruction at a time until a target pose is held."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import gradio as gr
from starlette.routing import Route

from demo.examples import EXAMPLES
from demo.live.routes import LiveRoutes
from demo.live.seats import LONGEST, LiveSeats
from demo.views.templating import jpeg_uri, render, script
from fmp_models.coach.coach import HOLD, Tolerance
from fmp_models.coach.progress import ROWS
from fmp_models.common.hostile_photograph import MAX_BYTES
from fmp_models.estimators.base import PoseEstimator
from fmp_models.estimators.tracking import TrackingEstimator
from fmp_models.pose import BONES

TAB = "live"
_SCRIPTS = ("live_stage.js", "live_summary.js", "live.js")
_DELAY = 5  # seconds to step back from the camera that photographs a goal


@dataclass(frozen=True)
class LiveTab:
    """The tab and its routes; ``most`` visitors exercise at once."""

    estimator: PoseEstimator
    most: int
    _pictures: Mapping[str, bytes] = field(default_factory=lambda: {pair.name: pair.target for pair in EXAMPLES})

    def build(self) -> None:
        """Lay the tab out in the Blocks context that is open; without a tracker it says what is missing."""
        if not isinstance(self.estimator, TrackingEstimator) or not self.most:
            gr.HTML(render("live_closed.html"), js_on_load=None, apply_default_css=False)
            return
        markup = render(
            "live.html",
            goals=[{"name": name, "picture": jpeg_uri(picture)} for name, picture in self._pictures.items()],
            tolerances=[one.value for one in Tolerance],
            rows=list(ROWS),
            settings=json.dumps({"bones": BONES, "longest": LONGEST, "hold": HOLD, "maxBytes": MAX_BYTES}),
            max_bytes=MAX_BYTES,
            limit_mb=MAX_BYTES // 1_000_000,
            delay=_DELAY,
        )
        gr.HTML(markup, js_on_load=script(*_SCRIPTS), apply_default_css=False, elem_id="live")

    def routes(self) -> list[Route]:
        """What the app serves for it, beside Gradio."""
        if not isinstance(self.estimator, TrackingEstimator) or not self.most:
            return []
        seats = LiveSeats(self.most, self.estimator.new_tracker)
        return LiveRoutes(seats, self.estimator, self._pictures).routes()
