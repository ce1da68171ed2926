"""The view of a demonstration: what the moving figure plays, and the words of its card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from demo.views.lit_joints import lit
from fmp_models.geometry.clauses import Direction
from fmp_models.inference.demonstration import DemonstratedStep, Demonstration, ToldStep
from fmp_models.languages.grammar import grammar
from fmp_models.languages.realiser.realiser import sentence
from fmp_models.pose import JOINTS

_Pair = tuple[ToldStep, DemonstratedStep]


def played(told: Sequence[ToldStep], shown: Demonstration, language: str) -> dict[str, Any]:
    """What a script needs to play it, ready for ``json.dumps``; ``told`` are the steps that ``shown`` carries out.

    Beside the bodies, the ``steps`` that move: their words, the first and the last pose, and the joints they are about;
    what shares its words is one step. ``unmoved`` are the words of those that cannot be carried out.
    """
    given = shown.as_json()
    steps, unmoved, pose = [], [], 0
    for pairs in _by_words(zip(told, shown.steps, strict=True)):
        carried = [one for one, step in pairs if step.carried]
        text = sentence(pairs[0][0].text, grammar(language))
        if len(carried) < len(pairs) and text not in unmoved:
            unmoved.append(text)
        if not carried:
            continue
        parts = (one.clause.part_name for one in carried if one.clause is not None)
        joints = [JOINTS[joint] for joint in lit(parts).joints]
        steps.append({"text": text, "words": pairs[0][0].words, "from": pose, "to": pose + len(carried), "lit": joints})
        pose += len(carried)
    return {**given, "steps": steps, "unmoved": unmoved, "language": language}


def _by_words(pairs: Iterator[_Pair]) -> Iterator[list[_Pair]]:
    """Neighbours that share their words together; what could not be seen asks for nothing."""
    asked = (pair for pair in pairs if pair[0].clause is None or pair[0].clause.direction != Direction.UNSEEN)
    for _, those in groupby(asked, key=lambda pair: pair[0].words):
        yield list(those)
