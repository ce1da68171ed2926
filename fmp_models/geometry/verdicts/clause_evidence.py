"""Clause evidence for each candidate: a description's clauses, the ends that they name, and what it leaves unsaid.

Where joints were measured in photographs, everything is a share of the plausible bodies; see
:mod:`fmp_models.geometry.plausibility`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fmp_models.geometry.changes import LIMB_OF, LIMBS
from fmp_models.geometry.clauses import Clause, Direction, Part, Plan, Relation, Side
from fmp_models.geometry.measures import MEASURES, Measure
from fmp_models.geometry.plausibility import applies, sizes
from fmp_models.geometry.verdicts.verdicts import agrees, axes_of, confidence, excess, holds, shows_end
from fmp_models.pose import Array, PosePair

Named = tuple[Side, Part]  # a part that a text speaks of, whatever it says of it

_LEAST, _UNTOLD = 0.05, 0.5  # chances: a clause may be meant otherwise than it was read, or concern what is hidden
_LEAST_REACHED = 0.1  # the same of an end, which people name less exactly than the way
_STILL = 0.4  # of the middle step: so much may change without being worth a word
_MOST = 2.0  # middle steps beyond which a change is no more remarkable
_TURNED = 0.3  # what a turn of the whole body counts, which another camera makes as well


class Weights(NamedTuple):
    """What adds up to the log-odds of a candidate: its ``score`` by a retriever, and four sums over the text.

    ``verdict`` counts the clauses that the joints bear out less those that they deny; ``chance`` is the logarithm of
    the chance that each is true, the joints' error considered, ``reached`` the same of the ends that they name; and
    ``unsaid`` counts, as less than nothing, what changes plainly without a word, in middle steps.
    """

    score: float
    verdict: float
    chance: float
    reached: float
    unsaid: float


# Near what fits questions of val-unseen whose joints have errors such as photographs bring.
WEIGHTS = Weights(0.2, 0.2, 0.8, 0.8, 0.9)


def evidence(plan: Plan, pairs: Sequence[PosePair | None], named: Iterable[Named] = ()) -> Array:
    """What a description says of each of k pairs: (k, 4), the sums that :class:`Weights` names.

    ``named`` are further parts that the text speaks of: what they do is not unsaid. What is said twice counts once, and
    a clause that the joints of a pair cannot tell is an even chance. Where nothing was read, nothing is unsaid. A pair
    of which somebody's pose is unknown has the least of the others, so that nobody wins by not being seen.
    """
    clauses = tuple(dict.fromkeys(plan))
    statements = [(clause.side, clause.part, clause.direction) for clause in clauses]
    regions = mentioned([*statements, *((*part, None) for part in named)])
    return _least([None if pair is None else _sums(clauses, regions, pair) for pair in pairs], len(WEIGHTS) - 1)


def weighed(scores: ArrayLike, of_clauses: Array, weights: Weights = WEIGHTS) -> Array:
    """The log-odds (..., k) of candidates by a retriever's ``scores`` (..., k) and their :func:`evidence` (k, 4)."""
    odds: Array = weights.score * np.asarray(scores, dtype=np.float64) + of_clauses @ np.array(weights[1:])
    return odds


def end_states(plan: Plan, pairs: Sequence[PosePair | None]) -> Array:
    """How many of the end states that clauses name, "at shoulder height" say, hold less those that do not (k,).

    Nobody looks at the current poses.
    """
    states = [(clause, relation) for clause in plan for relation in clause.relations]
    verdicts = [
        None
        if pair is None
        else [_net([holds(*state, pair.target) if shows_end(*state, pair) else None for state in states])]
        for pair in pairs
    ]
    return _least(verdicts, 1)[:, 0]


def _sums(plan: Plan, regions: frozenset[Region], pair: PosePair) -> list[float]:
    chances = [max(_chance(clause, pair), _LEAST) for clause in plan]
    reached = [_reached(clause, relation, pair) for clause in plan for relation in clause.relations]
    ends = [max(share, _LEAST_REACHED) for share in reached if share is not None]
    return [
        _net([agrees(clause, pair) for clause in plan]),
        math.fsum(map(math.log, chances)),
        math.fsum(map(math.log, ends)),
        -_unsaid(regions, pair) if plan else 0.0,
    ]


def _chance(clause: Clause, pair: PosePair) -> float:
    """The chance that a clause is true; of a part whose side nobody names, the better side's."""
    if clause.side is Side.NONE and clause.part.sided:
        return max(_chance(replace(clause, side=side), pair) for side in (*Side.BOTH.each, Side.BOTH))
    if clause.direction is Direction.KEEP:
        return confidence(clause, pair)
    axes = axes_of(clause)
    return confidence(clause, pair) if axes and all(applies(measure, pair) for measure, _ in axes) else _UNTOLD


def _reached(clause: Clause, relation: Relation, pair: PosePair) -> float | None:
    """The share of the target's plausible bodies of which the relation holds; ``None`` where joints cannot tell."""
    beyond = excess(clause, relation, pair.plausible[1][0]) if shows_end(clause, relation, pair) else None
    return None if beyond is None else float(np.mean(beyond <= 1.0))


Region = tuple[Side, Part]
_TURNS = frozenset({Direction.TURN_LEFT, Direction.TURN_RIGHT})
_STANCE = frozenset({Direction.APART, Direction.TOGETHER})
_TRUNK, _HEIGHT, _TURN = ((Side.NONE, part) for part in (Part.TRUNK, Part.HIPS, Part.BODY))
_LIMB_REGIONS = [(side, limb) for side in Side.BOTH.each for limb in LIMBS]
REGIONS: dict[Region, tuple[Measure, ...]] = {
    **{
        (side, limb): tuple(m for m in MEASURES if m.side is side and LIMB_OF.get(m.part) is limb and m.weight > 0.5)  # noqa: PLR2004  what seldom matters
        for side, limb in _LIMB_REGIONS
    },
    _TRUNK: tuple(m for m in MEASURES if m.part is Part.TRUNK and m.weight),
    _HEIGHT: tuple(m for m in MEASURES if (m.part, m.direction) == (Part.BODY, Direction.UP)),
    _TURN: tuple(m for m in MEASURES if (m.part, m.direction) == (Part.BODY, Direction.TURN_LEFT)),
}


def mentioned(statements: Iterable[tuple[Side, Part, Direction | None]]) -> frozenset[Region]:
    """The regions of the body that somebody speaks of."""
    regions: set[Region] = set()
    for side, part, direction in statements:
        limb = Part.ARM if part is Part.SHOULDER else LIMB_OF.get(part)
        if limb is not None:
            regions |= {(each_side, limb) for each_side in (Side.BOTH if side is Side.NONE else side).each}
            if part is Part.KNEE or (limb is Part.LEG and direction in _STANCE):
                regions.add(_HEIGHT)  # who bends a knee or spreads the feet goes down
        elif part is Part.TRUNK:
            regions.add(_TRUNK)
        elif part in {Part.BODY, Part.HIPS}:
            regions |= (
                {_TURN}
                if direction in _TURNS
                else {_HEIGHT, _TRUNK, *((each_side, Part.LEG) for each_side in Side.BOTH.each)}
            )
    return frozenset(regions)


def _unsaid(regions: frozenset[Region], pair: PosePair) -> float:
    """What changes plainly in regions that nobody speaks of: the most of each, in middle steps, summed."""
    total = 0.0
    for region, measures in REGIONS.items():
        if region not in regions:
            most = max((float(remarkable(m, sizes(m, pair)).mean()) for m in measures if applies(m, pair)), default=0.0)
            total += most * (_TURNED if region == _TURN else 1.0)
    return total


def remarkable(measure: Measure, changes: Array) -> Array:
    """By how many middle steps ``changes`` (...,) of a measure go beyond what stays unremarked."""
    steps = np.abs(changes) / measure.steps[1] - _STILL
    return np.asarray(np.clip(steps, 0.0, _MOST) * min(measure.weight, 1.0))


def _net(verdicts: Sequence[bool | None]) -> float:
    return float(verdicts.count(True) - verdicts.count(False))


def _least(values: Sequence[list[float] | None], columns: int) -> Array:
    """Rows of numbers, the least of the others where there is none."""
    known = np.array([row for row in values if row is not None], dtype=np.float64).reshape(-1, columns)
    least = known.min(axis=0) if len(known) else np.zeros(columns)
    return np.array([least if row is None else row for row in values]).reshape(-1, columns)
