"""All measures, of joints and of faces, and an index by side, part and direction."""

from __future__ import annotations

from fmp_models.geometry.clauses import Direction, Part, Side
from fmp_models.geometry.gaze import GAZE_MEASURES
from fmp_models.geometry.measures import MEASURES, Measure

ALL_MEASURES: tuple[Measure, ...] = (*MEASURES, *GAZE_MEASURES)

BY_AXIS: dict[tuple[Side, Part, Direction], tuple[Measure, float]] = {
    (measure.side, measure.part, direction): (measure, sign)
    for measure in ALL_MEASURES
    for direction, sign in ((measure.direction, 1.0), (measure.direction.reverse, -1.0))
}
