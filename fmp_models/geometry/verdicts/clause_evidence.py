"""Clause evidence for each candidate: a description's clauses, their ends, its shapes, and the body that did it.

Where joints were measured in photographs, everything is a share of the plausible bodies; see
:mod:`fmp_models.geometry.plausibility`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmp_models.geometry.changes import LIMB_OF
from fmp_models.geometry.clauses import Clause, Direction, Part, Plan, Relation, Side
from fmp_models.geometry.plausibility import applies
from fmp_models.geometry.shapes.shape import ARMS, LEGS, TRUNK, NamedShape, nearness
from fmp_models.geometry.shapes.shape import Region as ShapeRegion
from fmp_models.geometry.verdicts.verdicts import axes_of, confidence, excess, holds, shows_end
from fmp_models.pose import INDEX, Array, Pose, PosePair, angle, body_axes

Named = tuple[Side, Part]  # a part that a text speaks of, whatever it says of it

_LEAST, _UNTOLD = 0.05, 0.5  # chances: a clause may be meant otherwise than it was read, or concern what is hidden
_NEAR = 2.0  # slacks by which an end may be missed more before it is a third as likely: people name ends loosely
_LEAST_FOUND = 0.01  # the same of what a retriever finds
_FREE, _FALL = 15.0, 40.0  # degrees of a bone from where doing the text leads: as good as there, and a third as likely
_LEAST_LED = 0.03  # the chance of a bone anywhere else: nobody does all that a text says as others do


class Weights(NamedTuple):
    """What adds up to the log-odds of a candidate: its ``score`` by a retriever, and five sums over the text.

    ``chance`` is the logarithm of the chance that each clause is true, the joints' error considered, ``reached`` the
    same of the ends that they name, and ``shape`` of how surely the target holds each shape that the text names.
    ``done`` and ``kept`` compare bones with those of the current body after doing the text: ``done`` the bones that it
    could move, ``kept`` those that nobody speaks of.
    """

    score: float
    chance: float
    reached: float
    shape: float
    done: float
    kept: float


# Near what fits questions in people's own words about photographs, measured by two pose models.
WEIGHTS = Weights(0.6, 0.9, 0.6, 1.6, 0.25, 0.5)

DECIDING = 0.5  # log-odds by which what a text says speaks for the winner more than for the others


class Candidate(NamedTuple):
    """A candidate: the ``pair`` that it makes with the current pose, and its own pose, the ``target``, by itself.

    A pair says nothing of joints that either photograph hides; where the movement ends the target says alone.
    """

    pair: PosePair
    target: Pose


class Done(NamedTuple):
    """The ``goals`` of a text that could be done, and ``bodies`` (m, 20, 3) that may be meant by it."""

    goals: tuple[Clause | NamedShape, ...]
    bodies: Array


def evidence(
    plan: Plan,
    candidates: Sequence[Candidate | None],
    named: Iterable[Named] = (),
    shapes: Iterable[NamedShape] = (),
    done: Done | None = None,
) -> Array:
    """What a description says of each of k candidates: (k, 5), the sums that :class:`Weights` names.

    ``named`` are further parts that the text speaks of: they need not be kept, nor what ``shapes`` are all about. What
    is said twice counts once, and a clause or shape that the joints of a pair cannot tell is an even chance. Without
    ``done`` nothing is done or kept. A candidate with an unknown pose has the least of the others, so that nobody wins
    by not being seen.
    """
    clauses, held = tuple(dict.fromkeys(plan)), tuple(dict.fromkeys(shapes))
    spoken_of = _spoken_of([*clauses, *held]) | mentioned((*part, None) for part in named)

    def sums(candidate: Candidate) -> list[float]:
        of_clauses = zip(*(_of_clause(clause, candidate) for clause in clauses), strict=True) if clauses else [()] * 2
        return [
            *map(math.fsum, of_clauses),
            math.fsum(_of_shape(shape, candidate.target) for shape in held),
            *((0.0, 0.0) if done is None else _as_done(done, spoken_of, candidate)),
        ]

    return _least([None if one is None else sums(one) for one in candidates], len(WEIGHTS) - 1)


def weighed(scores: ArrayLike, of_clauses: Array, weights: Weights = WEIGHTS) -> Array:
    """The log-odds (..., k) of candidates by a retriever's ``scores`` (..., k) and their :func:`evidence` (k, 5)."""
    odds: Array = weights.score * found(scores) + of_clauses @ np.array(weights[1:])
    return odds


def found(scores: ArrayLike) -> Array:
    """The logarithm of the chance that a retriever's ``scores`` (..., k) give, where it may be wrong altogether.

    What it cannot rank, by a score of minus infinity, has none.
    """
    odds = np.asarray(scores, dtype=np.float64)
    chances = np.exp(odds - odds.max(axis=-1, keepdims=True))
    likely = np.log(chances / chances.sum(axis=-1, keepdims=True) + _LEAST_FOUND)
    return np.where(np.isneginf(odds), odds, likely)


def deciding(
    plan: Sequence[Clause], shapes: Sequence[NamedShape], candidates: Sequence[Candidate | None], winner: int
) -> NDArray[np.bool_]:
    """Which clauses, and then which shapes, tell the winner of k candidates from the others (n,).

    They add more to its log-odds than to the mean of the others' by :data:`DECIDING`.
    """
    of_clauses, of_shape = np.array(WEIGHTS[1:3]), WEIGHTS.shape
    added = _least(
        [
            None
            if one is None
            else [
                *(float(of_clauses @ _of_clause(clause, one)) for clause in plan),
                *(of_shape * _of_shape(shape, one.target) for shape in shapes),
            ]
            for one in candidates
        ],
        len(plan) + len(shapes),
    )
    others = np.delete(added, winner, axis=0)
    return added[winner] >= others.mean(axis=0) + DECIDING if len(others) else np.zeros(added.shape[1], dtype=np.bool_)


def end_states(plan: Plan, candidates: Sequence[Candidate | None]) -> Array:
    """How many of the end states that clauses name, "at shoulder height" say, hold less those that do not (k,).

    Nobody looks at the current poses.
    """
    states = [(clause, relation) for clause in plan for relation in clause.relations]
    ends = [None if one is None else PosePair(one.target, one.target) for one in candidates]
    verdicts = [
        None
        if end is None
        else [_net([holds(*state, end.target) if shows_end(*state, end) else None for state in states])]
        for end in ends
    ]
    return _least(verdicts, 1)[:, 0]


def share_held(named: NamedShape, pose: Pose) -> float:
    """How surely (0 to 1) a pose holds a shape, of the sides that it may be held on the better.

    Where a joint that tells it is not seen, that lies half-way to an even chance.
    """
    shares = [(nearness(named.ranges, pose, side), named.shape.seen(pose, side)) for side in named.sides]
    return max(share if seen else math.sqrt(_UNTOLD * max(share, _LEAST)) for share, seen in shares)


def _of_clause(clause: Clause, candidate: Candidate) -> tuple[float, float]:
    """What a clause adds to ``chance`` and ``reached``."""
    pair, end = candidate.pair, PosePair(candidate.target, candidate.target)
    reached = [_reached(clause, relation, end) for relation in clause.relations]
    ends = [max(share, _LEAST) for share in reached if share is not None]
    return math.log(max(_chance(clause, pair), _LEAST)), math.fsum(map(math.log, ends))


def _of_shape(named: NamedShape, target: Pose) -> float:
    """What a shape adds to ``shape``."""
    return math.log(max(share_held(named, target), _LEAST))


def _chance(clause: Clause, pair: PosePair) -> float:
    """The chance that a clause is true; of a part whose side nobody names, the better side's."""
    if clause.side is Side.NONE and clause.part.sided:
        return max(_chance(replace(clause, side=side), pair) for side in (*Side.BOTH.each, Side.BOTH))
    if clause.direction is Direction.KEEP:
        return confidence(clause, pair)
    axes = axes_of(clause)
    return confidence(clause, pair) if axes and all(applies(measure, pair) for measure, _ in axes) else _UNTOLD


def _reached(clause: Clause, relation: Relation, end: PosePair) -> float | None:
    """How near (0 to 1) the plausible bodies at the end come to a relation, on average; 1 where it holds of all.

    Nobody nearly lies or sits. ``None`` where joints cannot tell.
    """
    beyond = excess(clause, relation, end.plausible[1][0]) if shows_end(clause, relation, end) else None
    if beyond is None:
        return None
    missed = np.maximum(beyond - 1.0, 0.0)
    return float(np.mean(missed == 0 if clause.part is Part.BODY else np.exp(-missed / _NEAR)))


Region = tuple[Side, Part]
_TURNS = frozenset({Direction.TURN_LEFT, Direction.TURN_RIGHT})
_STANCE = frozenset({Direction.APART, Direction.TOGETHER})
OF_TRUNK, OF_HEIGHT, OF_TURN = ((Side.NONE, part) for part in (Part.TRUNK, Part.HIPS, Part.BODY))
_POSTURE = frozenset({OF_HEIGHT, *((side, Part.LEG) for side in Side.BOTH.each)})
_ABOUT: dict[frozenset[ShapeRegion], frozenset[Region]] = {  # what is spoken of where a shape is
    ARMS: frozenset({(side, Part.ARM) for side in Side.BOTH.each}),
    LEGS: _POSTURE,
    TRUNK: frozenset({OF_TRUNK, OF_HEIGHT}),
}
_BONES: tuple[tuple[Region, str, str], ...] = (
    (OF_TRUNK, "hip", "neck"),
    (OF_TRUNK, "right_shoulder", "left_shoulder"),
    *(
        ((side, part), f"{side.value}_{start}", f"{side.value}_{end}")
        for side in Side.BOTH.each
        for part, *joints in ((Part.ARM, "shoulder", "elbow", "wrist"), (Part.LEG, "hip", "knee", "ankle"))
        for start, end in pairwise(joints)
    ),
)
_STARTS, _ENDS = [INDEX[start] for _, start, _ in _BONES], [INDEX[end] for *_, end in _BONES]


def mentioned(statements: Iterable[tuple[Side, Part, Direction | None]]) -> frozenset[Region]:
    """The regions of the body that somebody speaks of."""
    regions: set[Region] = set()
    for side, part, direction in statements:
        limb = Part.ARM if part is Part.SHOULDER else LIMB_OF.get(part)
        if limb is not None:
            regions |= {(each_side, limb) for each_side in (Side.BOTH if side is Side.NONE else side).each}
            if part is Part.KNEE or (limb is Part.LEG and direction in _STANCE):
                regions.add(OF_HEIGHT)  # who bends a knee or spreads the feet goes down
        elif part is Part.TRUNK:
            regions.add(OF_TRUNK)
        elif part in {Part.BODY, Part.HIPS}:
            regions |= (
                {OF_TURN}
                if direction in _TURNS
                else {OF_HEIGHT, OF_TRUNK, *((each_side, Part.LEG) for each_side in Side.BOTH.each)}
            )
    return frozenset(regions)


def _spoken_of(goals: Sequence[Clause | NamedShape]) -> frozenset[Region]:
    """The regions that clauses and shapes are about."""
    clauses = [(goal.side, goal.part, goal.direction) for goal in goals if isinstance(goal, Clause)]
    shapes = [goal.shape.regions for goal in goals if isinstance(goal, NamedShape)]
    return mentioned(clauses).union(*(of for regions in shapes for about, of in _ABOUT.items() if about <= regions))


def _as_done(done: Done, spoken_of: frozenset[Region], candidate: Candidate) -> tuple[float, float]:
    """What a candidate adds to ``done`` and ``kept``: the log-chances of its bones, by the body that is meant best."""
    target = candidate.target
    bodies = target.joints[None] if target.plausible is None else target.plausible
    beyond = np.maximum(angle(_directions(bodies), _directions(done.bodies)[:, None]) - _FREE, 0.0)  # (m, n, bones)
    chances = np.log(np.maximum(np.exp(-beyond / _FALL).mean(axis=1), _LEAST_LED))
    could = _spoken_of(done.goals)
    led, kept = (
        np.array([(region in regions) is wanted for region, *_ in _BONES]) & ~(hidden[_STARTS] | hidden[_ENDS])
        for regions, wanted, hidden in (
            (could, True, PosePair(target, target).unseen),
            (spoken_of | could, False, candidate.pair.unseen),
        )
    )
    best = chances[np.argmax((chances * (led | kept)).sum(axis=-1))]
    return float(best[led].sum()), float(best[kept].sum())


def _directions(bodies: Array) -> Array:
    """The directions (..., bones, 3) of bones as (left, up, forward), whichever way a body is turned round."""
    return np.asarray((bodies[..., _ENDS, :] - bodies[..., _STARTS, :]) @ np.swapaxes(body_axes(bodies), -1, -2))


def _net(verdicts: Sequence[bool | None]) -> float:
    return float(verdicts.count(True) - verdicts.count(False))


def _least(values: Sequence[list[float] | None], columns: int) -> Array:
    """Rows of numbers, the least of the others where there is none."""
    rows = [row for row in values if row is not None]
    least = np.min(rows, axis=0) if rows else np.zeros(columns)
    return np.array([least if row is None else row for row in values], dtype=np.float64).reshape(len(values), columns)
