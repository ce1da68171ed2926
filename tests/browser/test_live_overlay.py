"""The overlay of the live coach: joints are drawn where they are by now, and nothing that is drawn hides a limb."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from demo.i18n import script
from tests.films import MOVES, RATE, STANDS, film, recorded

# The joints of every answer drawn ahead, given those up to it: [[{at, joints}], lead] -> joints.
_PREDICTED = (
    f"(calls) => {{ {script('live_overlay.js')}; return calls.map(([answers, lead]) => predicted(answers, lead)); }}"
)
STILL = range(10, STANDS * RATE - 2)  # frames in which the person stands
MOVING = range(STANDS * RATE + 4, (STANDS + MOVES) * RATE - 4)


@pytest.fixture(scope="module")
def away(browser: Browser, pose_model: Path) -> dict[tuple[str, int], tuple[float, float]]:
    """Of the film's parts, and milliseconds late: how far joints are drawn from the true ones, without and with."""
    shown, size = film("arms"), np.array(film("arms").frames[0].size) / 1000
    true, measured = shown.spots / size, recorded("arms", pose_model).spots / size
    page = browser.new_page()
    result = {}
    for part, frames in (("still", STILL), ("moving", MOVING)):
        for late in (100, 200):
            calls = [
                [[{"at": 1000 * at / RATE, "joints": measured[at].tolist()} for at in range(now - 4, now + 1)], late]
                for now in frames
            ]
            truth = np.stack([true[now + round(late / 1000 * RATE)] for now in frames])
            ways = measured[list(frames)], np.array(page.evaluate(_PREDICTED, calls))
            without, drawn = (float(np.linalg.norm(way - truth, axis=-1)[:, _ARMS].mean()) for way in ways)
            result[part, late] = without, drawn
    page.close()
    return result


_ARMS = [5, 6, 7, 9, 10, 11]  # elbows, wrists and hands, which move


@pytest.mark.parametrize("late", [100, 200])
def test_joints_that_move_are_drawn_nearer_to_where_they_are_by_now(
    away: dict[tuple[str, int], tuple[float, float]], late: int
) -> None:
    without, drawn = away["moving", late]
    print(f"\n{late} ms late: {without:.1f} thousandths of the picture off, drawn ahead {drawn:.1f}")  # noqa: T201
    assert drawn < 0.75 * without


@pytest.mark.parametrize("late", [100, 200])
def test_joints_of_anybody_who_stands_still_do_not_tremble(
    away: dict[tuple[str, int], tuple[float, float]], late: int
) -> None:
    without, drawn = away["still", late]
    assert drawn < without + 0.5
