"""Clause confidence of a captioner: what the joints say of a clause and its own chance, weighed into one."""

from __future__ import annotations

import math
from typing import NamedTuple

_MIN_CHANCE = 0.02  # chances are taken to lie this far from 0 and 1: 64 plausible bodies tell no more


class Odds(NamedTuple):
    """What adds up to the log-odds of a clause: ``joints`` times those of the joints' share, ``own`` times its own."""

    base: float
    joints: float
    own: float


# Both fitted by logistic regression to clauses of the bundled captioner about simulated pictures, the joints measured
# by MediaPipe's full model and the truth told by the simulator's own: of what the repair leaves, and of what is said of
# pictures alone, where the captioner's own chance says nothing. By simulate DATASET --pairs 240 --seed 7, and then
# python -m fmp_models calibrate captioner DATASET --split train --pairs 60
SHOWN = Odds(0.109, 1.144, 0.345)
ALONE = Odds(-0.863, 0.0, 0.0)


def clause_confidence(own: float, share: float | None) -> float:
    """The chance (0 to 1) that a clause is true.

    ``own`` is the captioner's chance of its words; ``share`` how sure the joints are, ``None`` where there are none.
    """
    odds = ALONE if share is None else SHOWN
    return 1 / (1 + math.exp(-odds.base - odds.joints * log_odds(share or 0.0) - odds.own * log_odds(own)))


def log_odds(chance: float) -> float:
    """Of a chance (0 to 1), which is never taken for certain."""
    clipped = min(max(chance, _MIN_CHANCE), 1 - _MIN_CHANCE)
    return math.log(clipped / (1 - clipped))
