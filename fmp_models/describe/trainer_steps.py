"""Trainer steps: the clauses of a plan in the order, number and kind of steps that a trainer says.

One movement is one step: bending both knees and lowering the body is a squat, raising an arm and
straightening its elbow a stretch. Steps go from the base of the body to its top; what must physically
happen first comes first, and small movements come last. At most ``MAX_STEPS`` are steps; the rest is fine
tuning. The module is independent of language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fmp_models.describe.limb_movements import Entry, Facts, Movement
from fmp_models.describe.movements import movements, region_of
from fmp_models.geometry.changes import change_of
from fmp_models.geometry.clauses import Clause, Direction, Part, Plan, Side
from fmp_models.geometry.lexicon import NO_MOVEMENT, BodyAxis
from fmp_models.geometry.planning.alignment import Axis, place_among, watched_axes
from fmp_models.geometry.pose_values import trunk_tilt
from fmp_models.geometry.shapes.shape import HeldShape
from fmp_models.geometry.verdicts.clause_verdicts import axes_of
from fmp_models.pose import PosePair

MAX_STEPS, MAX_OF_LIMB = 5, 2
_ALONG = 0.25  # weight of a movement's smaller changes


class StepKind(StrEnum):
    """Kinds of steps."""

    STEP = "step"
    FINE = "fine"
    WATCH = "watch"  # general advice for a shape, not measured
    UNSEEN = "unseen"


@dataclass(frozen=True)
class TrainerStep:
    """One step of a trainer and its clauses; general advice has no clauses."""

    kind: StepKind
    movement: Movement
    clauses: Plan = ()


def trainer_steps(plan: Plan, pair: PosePair) -> tuple[TrainerStep, ...]:
    """Return the steps for a plan: steps in the order of doing, fine tuning, advice, and what was not seen."""
    facts = Facts(pair)
    entries = movements([clause for clause in plan if clause.direction not in NO_MOVEMENT], facts)
    watched = watched_axes(pair)
    ranked = _each_limb_twice(
        sorted(entries, key=lambda entry: (not _is_watched(entry, watched), -_salience(entry[1], pair)))
    )
    chosen, rest = ranked[:MAX_STEPS], ranked[MAX_STEPS:]
    steps = [
        TrainerStep(StepKind.STEP, *entry) for entry in sorted(chosen, key=lambda entry: _order(entry, chosen, watched))
    ]
    steps += [TrainerStep(StepKind.FINE, *entry) for entry in sorted(rest, key=lambda entry: entry[0].order)]
    held = next((shape for shape in facts.shapes if _is_advised(shape, pair, chosen)), None)
    if steps and held is not None:
        steps.append(TrainerStep(StepKind.WATCH, Movement(held.shape.name, "shape", held.side)))
    unseen = tuple(clause for clause in plan if clause.direction is Direction.UNSEEN)
    if unseen:
        steps.append(unseen_step(unseen))
    return tuple(steps)


def _is_advised(held: HeldShape, pair: PosePair, chosen: Sequence[Entry]) -> bool:
    """Return whether the advice on a shape fits.

    Advice to sit or stand tall fits neither a leaning body nor a text that already speaks of the lean.
    """
    told = any(c.part is Part.TRUNK and c.direction.axis is BodyAxis.SAGITTAL for _, clauses in chosen for c in clauses)
    return held.shape.name not in _TALL or (not told and float(trunk_tilt(pair.target.joints)) < _TALL_TILT)


_TALL, _TALL_TILT = {"seated", "long_sitting", "cross_legged", "kneeling", "half_kneeling", "lunge"}, 25.0


def unseen_step(unseen: Plan) -> TrainerStep:
    """Return the step about unseen parts, for the part that a trainer would ask about first."""
    first = min(unseen, key=lambda clause: tuple(Part).index(clause.part))
    return TrainerStep(StepKind.UNSEEN, Movement("unseen", first.part.value, first.side), unseen)


def step_of(clause: Clause, off: Collection[Clause], pair: PosePair, shapes: Sequence[HeldShape]) -> TrainerStep:
    """Return the step that says a clause, together with the clauses in ``off`` of the same movement.

    For callers that ask for one thing at a time. Arms and legs have separate steps; one step covers the whole
    body only if the body or the trunk itself has to move. ``shapes`` are those that the target holds.
    """
    region = region_of(clause.part)
    regions = {region} if region else set()
    if clause.part in {Part.BODY, Part.TRUNK}:
        regions |= {of_one for one in off if (of_one := region_of(one.part))}
    together = [one for one in off if one == clause or region_of(one.part) in regions]
    facts = Facts(pair, [held for held in shapes if held.shape.regions <= regions])
    return next(TrainerStep(StepKind.STEP, *entry) for entry in movements(together, facts) if clause in entry[1])


def _each_limb_twice(ranked: Iterable[Entry]) -> list[Entry]:
    """Return the movements, largest first, with at most two for each limb: more cannot be followed."""
    said: Counter[tuple[Side, Part]] = Counter()
    entries = []
    for movement, clauses in ranked:
        limbs = {(side, c.part.limb) for c in clauses if c.part.of_limb for side in c.side.each}
        if all(said[limb] < MAX_OF_LIMB for limb in limbs):
            said.update(limbs)
            entries.append((movement, clauses))
    return entries


def _salience(clauses: Iterable[Clause], pair: PosePair) -> float:
    """Return the salience of a movement: its largest change, plus a share of the others."""
    changes = [change_of(measure, pair) for clause in clauses for measure, _ in axes_of(clause)]
    saliences = sorted((change.salience for change in changes if change is not None), reverse=True)
    return saliences[0] + _ALONG * sum(saliences[1:]) if saliences else 0.0


def _is_watched(entry: Entry, watched: Sequence[Axis]) -> bool:
    """Return whether a teacher watches this movement in the shape that both people hold; it is then never a detail."""
    return any(place_among(watched, clause) < len(watched) for clause in entry[1])


def _order(entry: Entry, chosen: Sequence[Entry], watched: Sequence[Axis]) -> tuple[bool, int]:
    """Return the sort key of a step: what comes first physically, then base to top, small movements last.

    A side bend that is the largest movement starts with the lean.
    """
    movement = entry[0]
    leads = movement.key == "bend_side" and chosen[0] == entry
    small = movement.small and len(chosen) > 1 and not _is_watched(entry, watched)
    return small, 5 if leads else movement.order
