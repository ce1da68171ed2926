"""Evidence of a description for each candidate: its clauses, end states and shapes, and the executed body.

For joints measured in photographs, all values are shares of the plausible bodies; see
:mod:`fmp_models.geometry.measured_changes`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmp_models.geometry.lexicon import (
    BODY_TURNS,
    LIMBS,
    PAIRED,
    Clause,
    Direction,
    Part,
    Plan,
    Relation,
    ShapeRegion,
    Side,
)
from fmp_models.geometry.measured_changes import applies
from fmp_models.geometry.shape import ARMS, LEGS, TRUNK, NamedShape, nearness
from fmp_models.geometry.verdicts import axes_of, confidence, holds, relation_excess, shows_end
from fmp_models.pose import INDEX, Array, Pose, PosePair, angle, body_axes

SidedPart = tuple[Side, Part]

_MIN_CHANCE, _UNTOLD = 0.05, 0.5  # probabilities: a clause may be misread, or concern a hidden part
_NEAR = 2.0  # further slacks off an end state after which it is a third as likely: people name end states loosely
_MIN_FOUND_CHANCE = 0.01  # the same for a retriever's ranking
_FREE, _FALL = 15.0, 40.0  # degrees of a bone from the executed text: no penalty; a third as likely
_MIN_BONE_CHANCE = 0.03  # minimum probability of a bone: people execute a text in different ways


class EvidenceWeights(NamedTuple):
    """Weights of the terms of a candidate's log-odds: a retriever's ``score`` and five sums over the text.

    ``chance`` is the log-probability that each clause is true, given the joints' error. ``reached`` is the
    same for the end states that the clauses name, and ``shape`` for the shapes that the text names. ``done``
    and ``kept`` compare bones with those of the current body after executing the text: ``done`` those that it
    could move, ``kept`` those that it does not mention.
    """

    score: float
    chance: float
    reached: float
    shape: float
    done: float
    kept: float


# Close to a fit on questions in people's own words about photographs, measured by two pose models.
EVIDENCE_WEIGHTS = EvidenceWeights(0.6, 0.9, 0.6, 1.6, 0.25, 0.5)

DECIDING = 0.5  # log-odds by which a decisive statement supports the winner more than the others


class Candidate(NamedTuple):
    """A candidate: its ``pair`` with the current pose, and its own pose ``target``.

    A pair ignores joints that either photograph hides; end states are read from the target alone.
    """

    pair: PosePair
    target: Pose


class ExecutionResult(NamedTuple):
    """The ``goals`` of a text that could be executed, and the possible resulting ``bodies`` (m, 20, 3)."""

    goals: tuple[Clause | NamedShape, ...]
    bodies: Array


def evidence(
    plan: Plan,
    candidates: Sequence[Candidate | None],
    named: Iterable[SidedPart] = (),
    shapes: Iterable[NamedShape] = (),
    done: ExecutionResult | None = None,
) -> Array:
    """Return the evidence of a description for k candidates: (k, 5), the :class:`EvidenceWeights` after ``score``.

    ``named`` are further parts that the text mentions: neither they nor the regions of ``shapes`` count as
    kept. Duplicates count once. A clause or shape that the joints of a pair cannot judge has an even chance.
    Without ``done`` the last two sums are 0. A candidate with an unknown pose gets the minimum over the
    others, so that it does not win by not being seen.
    """
    clauses, held = tuple(dict.fromkeys(plan)), tuple(dict.fromkeys(shapes))
    spoken_of = _spoken_of([*clauses, *held]) | mentioned_regions((*part, None) for part in named)

    def sums(candidate: Candidate) -> list[float]:
        of_clauses = zip(*(_of_clause(clause, candidate) for clause in clauses), strict=True) if clauses else [()] * 2
        return [
            *map(math.fsum, of_clauses),
            math.fsum(_of_shape(shape, candidate.target) for shape in held),
            *((0.0, 0.0) if done is None else _as_done(done, spoken_of, candidate)),
        ]

    return _least([None if one is None else sums(one) for one in candidates], len(EVIDENCE_WEIGHTS) - 1)


def candidate_log_odds(scores: ArrayLike, of_clauses: Array, weights: EvidenceWeights = EVIDENCE_WEIGHTS) -> Array:
    """Return the log-odds (..., k) of candidates by ``scores`` (..., k) of a retriever and :func:`evidence` (k, 5)."""
    odds: Array = weights.score * retriever_log_probs(scores) + of_clauses @ np.array(weights[1:])
    return odds


def retriever_log_probs(scores: ArrayLike) -> Array:
    """Return the log-probabilities that a retriever's ``scores`` (..., k) give, allowing for a retriever that is wrong.

    A candidate that it cannot rank, with a score of minus infinity, keeps minus infinity.
    """
    odds = np.asarray(scores, dtype=np.float64)
    chances = np.exp(odds - odds.max(axis=-1, keepdims=True))
    likely = np.log(chances / chances.sum(axis=-1, keepdims=True) + _MIN_FOUND_CHANCE)
    return np.where(np.isneginf(odds), odds, likely)


def deciding_statements(
    plan: Sequence[Clause], shapes: Sequence[NamedShape], candidates: Sequence[Candidate | None], winner: int
) -> NDArray[np.bool_]:
    """Return a mask (n,) of the clauses, then the shapes, that separate the winner of k candidates from the others.

    They add at least :data:`DECIDING` more to its log-odds than to the mean of the others.
    """
    of_clauses, of_shape = np.array(EVIDENCE_WEIGHTS[1:3]), EVIDENCE_WEIGHTS.shape
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
    """Return the number of named end states that hold minus those that do not, per candidate (k,).

    An end state is a relation such as "at shoulder height". Current poses are not used.
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


def states_held(plan: Plan, bodies: Array) -> Array:
    """Return the number of named end states that hold minus those that do not, per body (n,) of exact joints."""
    net = np.zeros(len(bodies))
    for clause in plan:
        for relation in clause.relations:
            beyond = relation_excess(clause, relation, bodies)
            net += 0 if beyond is None else np.where(beyond <= 1.0, 1, -1)
    return net


def share_held(named: NamedShape, pose: Pose) -> float:
    """Return how surely (0 to 1) a pose holds a shape, on the better of its possible sides.

    If a joint of the shape is not seen, it is the geometric mean of that and an even chance.
    """
    shares = [(nearness(named.ranges, pose, side), named.shape.seen(pose, side)) for side in named.sides]
    return max(share if seen else math.sqrt(_UNTOLD * max(share, _MIN_CHANCE)) for share, seen in shares)


def _of_clause(clause: Clause, candidate: Candidate) -> tuple[float, float]:
    """Return the terms of a clause in ``chance`` and ``reached``."""
    pair, end = candidate.pair, PosePair(candidate.target, candidate.target)
    reached = [_reached(clause, relation, end) for relation in clause.relations]
    ends = [max(share, _MIN_CHANCE) for share in reached if share is not None]
    return math.log(max(_chance(clause, pair), _MIN_CHANCE)), math.fsum(map(math.log, ends))


def _of_shape(named: NamedShape, target: Pose) -> float:
    """Return the term of a shape in ``shape``."""
    return math.log(max(share_held(named, target), _MIN_CHANCE))


def _chance(clause: Clause, pair: PosePair) -> float:
    """Return the probability that a clause is true; for a part without a stated side, the larger one over the sides."""
    if clause.side is Side.NONE and clause.part.sided:
        return max(_chance(replace(clause, side=side), pair) for side in (*Side.BOTH.each, Side.BOTH))
    if clause.direction is Direction.KEEP:
        return confidence(clause, pair)
    axes = axes_of(clause)
    return confidence(clause, pair) if axes and all(applies(measure, pair) for measure, _ in axes) else _UNTOLD


def _reached(clause: Clause, relation: Relation, end: PosePair) -> float | None:
    """Return how near (0 to 1) the plausible end bodies come to a relation, on average; 1 if it holds for all.

    Lying and sitting have no near misses. ``None`` if joints cannot tell.
    """
    beyond = relation_excess(clause, relation, end.pose_samples[1][0]) if shows_end(clause, relation, end) else None
    if beyond is None:
        return None
    missed = np.maximum(beyond - 1.0, 0.0)
    return float(np.mean(missed == 0 if clause.part is Part.BODY else np.exp(-missed / _NEAR)))


# Regions of the body that a text can mention.
OF_TRUNK: SidedPart = (Side.NONE, Part.TRUNK)
OF_HEIGHT: SidedPart = (Side.NONE, Part.HIPS)
OF_TURN: SidedPart = (Side.NONE, Part.BODY)
_POSTURE = frozenset({OF_HEIGHT, *((side, Part.LEG) for side in Side.BOTH.each)})
_ABOUT: dict[frozenset[ShapeRegion], frozenset[SidedPart]] = {  # regions that a shape mentions
    ARMS: frozenset({(side, Part.ARM) for side in Side.BOTH.each}),
    LEGS: _POSTURE,
    TRUNK: frozenset({OF_TRUNK, OF_HEIGHT}),
}
_BONES: tuple[tuple[SidedPart, str, str], ...] = (
    (OF_TRUNK, "hip", "neck"),
    (OF_TRUNK, "right_shoulder", "left_shoulder"),
    *(
        ((side, limb), start, end)
        for side in Side.BOTH.each
        for limb in LIMBS
        for start, end in pairwise(limb.joints(side)[:3])
    ),
)
_STARTS, _ENDS = [INDEX[start] for _, start, _ in _BONES], [INDEX[end] for *_, end in _BONES]


def mentioned_regions(statements: Iterable[tuple[Side, Part, Direction | None]]) -> frozenset[SidedPart]:
    """Return the regions of the body that the statements mention."""
    regions: set[SidedPart] = set()
    for side, part, direction in statements:
        match part:
            case Part.ARM | Part.FOREARM | Part.HAND | Part.ELBOW | Part.SHOULDER | Part.LEG | Part.KNEE | Part.FOOT:
                limb = Part.ARM if part is Part.SHOULDER else part.limb
                regions |= {(each_side, limb) for each_side in (Side.BOTH if side is Side.NONE else side).each}
                if part is Part.KNEE or (limb is Part.LEG and direction in PAIRED):
                    regions.add(OF_HEIGHT)  # bending a knee or spreading the feet lowers the body
            case Part.TRUNK:
                regions.add(OF_TRUNK)
            case Part.BODY | Part.HIPS:
                regions |= {OF_TURN} if direction in BODY_TURNS else _POSTURE | {OF_TRUNK}
            case Part.HEAD:
                pass  # no bone shows it
            case _:
                assert_never(part)
    return frozenset(regions)


def _spoken_of(goals: Sequence[Clause | NamedShape]) -> frozenset[SidedPart]:
    """Return the regions that clauses and shapes are about."""
    clauses = [(goal.side, goal.part, goal.direction) for goal in goals if isinstance(goal, Clause)]
    shapes = [goal.shape.regions for goal in goals if isinstance(goal, NamedShape)]
    return mentioned_regions(clauses).union(
        *(of for regions in shapes for about, of in _ABOUT.items() if about <= regions)
    )


def _as_done(done: ExecutionResult, spoken_of: frozenset[SidedPart], candidate: Candidate) -> tuple[float, float]:
    """Return the terms ``done`` and ``kept`` of a candidate: log-probabilities of its bones, for its best body."""
    target = candidate.target
    bodies = target.joints[None] if target.pose_samples is None else target.pose_samples
    beyond = np.maximum(angle(_directions(bodies), _directions(done.bodies)[:, None]) - _FREE, 0.0)  # (m, n, bones)
    chances = np.log(np.maximum(np.exp(-beyond / _FALL).mean(axis=1), _MIN_BONE_CHANCE))
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
    """Return the directions (..., bones, 3) of bones as (left, up, forward), independent of yaw."""
    return np.asarray((bodies[..., _ENDS, :] - bodies[..., _STARTS, :]) @ np.swapaxes(body_axes(bodies), -1, -2))


def _net(verdicts: Sequence[bool | None]) -> float:
    return float(verdicts.count(True) - verdicts.count(False))


def _least(values: Sequence[list[float] | None], columns: int) -> Array:
    """Return the rows as an array; a missing row is the minimum over the others."""
    rows = [row for row in values if row is not None]
    least = np.min(rows, axis=0) if rows else np.zeros(columns)
    return np.array([least if row is None else row for row in values], dtype=np.float64).reshape(len(values), columns)
