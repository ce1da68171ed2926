"""View of a demonstration: data for the animated figure and the words of its card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from demo.views.highlighted_joints import highlighted_joints
from fmp_models.geometry.lexicon import Direction, Part, Side
from fmp_models.geometry.shape import ShapeRegion
from fmp_models.inference.demonstration import DemonstratedStep, Demonstration
from fmp_models.languages.grammar import grammar
from fmp_models.languages.realiser.sentences import sentence
from fmp_models.pose import JOINTS

_OF_REGIONS = {
    ShapeRegion.ARMS: (Side.BOTH, Part.ARM),
    ShapeRegion.LEGS: (Side.BOTH, Part.LEG),
    ShapeRegion.TRUNK: (Side.NONE, Part.TRUNK),
}


def played(demonstration: Demonstration) -> dict[str, Any]:
    """Return a demonstration in the form that the page plays, ready for ``json.dumps``.

    In addition to the poses it has ``steps``, the steps that move: text, words, first and last pose, and joints.
    Adjacent steps with the same words become one. ``unmoved`` are the texts of steps that cannot be executed.
    """
    data, words = demonstration.as_json(), grammar(demonstration.language)
    steps, unmoved, pose = [], [], 0
    for pieces in _by_words(demonstration.steps):
        carried = [piece for piece in pieces if piece.carried]
        text = sentence(pieces[0].text.rstrip(words.stop), words)
        if len(carried) < len(pieces) and text not in unmoved:
            unmoved.append(text)
        if not carried:
            continue
        joints = [
            JOINTS[joint] for joint in highlighted_joints(part for piece in carried for part in _parts(piece)).joints
        ]
        steps.append({"text": text, "words": pieces[0].words, "from": pose, "to": pose + len(carried), "lit": joints})
        pose += len(carried)
    return {**data, "steps": steps, "unmoved": unmoved, "language": demonstration.language}


def _parts(step: DemonstratedStep) -> Iterator[tuple[Side, Part]]:
    """Yield the parts that a step concerns."""
    yield from ((clause.side, clause.part) for clause in step.clauses)
    if step.shape is not None:
        yield from (_OF_REGIONS[region] for region in step.shape.shape.regions)


def _by_words(steps: Sequence[DemonstratedStep]) -> Iterator[list[DemonstratedStep]]:
    """Yield groups of adjacent steps with the same words; skip parts that could not be seen, which ask for nothing."""
    visible = (step for step in steps if all(clause.direction != Direction.UNSEEN for clause in step.clauses))
    for _, group in groupby(visible, key=lambda step: step.words):
        yield list(group)
