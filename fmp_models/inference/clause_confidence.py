"""Clause confidence of a captioner: its own probability combined with the joints' confidence."""

from __future__ import annotations

import math
from typing import NamedTuple

_MIN_CHANCE = 0.02  # clipping distance from 0 and 1: 64 pose samples resolve no more


class Odds(NamedTuple):
    """Logistic weights of a clause.

    Its log-odds are ``base`` plus ``joints`` times the joints' log-odds plus ``own`` times the captioner's.
    """

    base: float
    joints: float
    own: float


# Both fitted by logistic regression to clauses of the bundled captioner about simulated pictures, with joints measured
# by MediaPipe's full model and truth from the simulator. SHOWN: clauses left by the repair. ALONE: clauses from
# pictures alone, where the captioner's probability carries no information. Made by simulate DATASET --pairs 240
# --seed 7, then python -m fmp_models calibrate captioner DATASET --split train --pairs 60
SHOWN = Odds(0.109, 1.144, 0.345)
ALONE = Odds(-0.863, 0.0, 0.0)


def clause_confidence(own: float, share: float | None) -> float:
    """Return the probability (0 to 1) that a clause is true.

    ``own`` is the captioner's probability of its words; ``share`` is the joints' confidence, ``None`` without
    joints.
    """
    odds = ALONE if share is None else SHOWN
    return 1 / (1 + math.exp(-odds.base - odds.joints * log_odds(share or 0.0) - odds.own * log_odds(own)))


def log_odds(chance: float) -> float:
    """Return the log-odds of a probability (0 to 1), which is clipped away from 0 and 1."""
    clipped = min(max(chance, _MIN_CHANCE), 1 - _MIN_CHANCE)
    return math.log(clipped / (1 - clipped))
