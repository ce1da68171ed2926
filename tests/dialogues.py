"""Scene graphs of poses that people were asked about, and random programs over them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

import fmp_models.dialogue
from fmp_models.dialogue.programs import Program
from fmp_models.dialogue.scene_graph import BY_NAME, Attribute, Edge, SceneGraph
from fmp_models.geometry import Degree, Direction, Part, Relation
from fmp_models.pose import PosePair, pose_pair

_VALUES = {
    Attribute.SIDE: ("left", "right"),
    Attribute.CHAIN: ("arm", "leg", "trunk"),
    Attribute.MOVES: ("yes", "no"),
    Attribute.DIRECTION: tuple(Direction),
    Attribute.DEGREE: tuple(Degree),
    Attribute.END: tuple(Relation),
}


@cache
def pair_of(current: str, target: str) -> PosePair:
    """Return two of the poses that people were asked about."""
    poses = json.loads((Path(fmp_models.dialogue.__file__).parent / "asked" / "poses.json").read_text(encoding="utf-8"))
    return pose_pair(np.array(poses[current]), np.array(poses[target]))


@cache
def graph_of(current: str, target: str) -> SceneGraph:
    """Return the scene graph of two of these poses."""
    return SceneGraph.of_pair(pair_of(current, target))


def lunge() -> SceneGraph:
    """Return the graph of a step into warrior one: arms up, right knee bent, feet apart."""
    return graph_of("standing, right arm up", "warrior one right")


def random_program(kind: str, choice: Random, depth: int = 4) -> Program:
    """Return a random well-typed set, node or question."""
    if kind == "question":
        op = choice.choice(("count", "exist", "which", "name", "seek", "compare"))
        if op == "seek":
            return Program(op, (choice.choice(list(Attribute)).value, random_program("node", choice, depth)))
        return Program(op, tuple(random_program(arg, choice, depth) for arg in _ARGUMENTS[op]))
    ends = {"set": ("parts", "objects", "last", "mentioned", "early", "each", "these"), "node": ("node", "focus")}[kind]
    inner = {"set": ("filter", "relate", "group", "except"), "node": ("unique", "most", "other", "parent", "first")}
    op = choice.choice(ends if depth == 0 else inner[kind] + ends)
    values = {
        "each": list(Part),
        "these": [*BY_NAME],
        "node": [*BY_NAME],
        "relate": list(Edge),
        "group": list(Attribute),
        "filter": [*_VALUES],
    }
    words = [str(choice.choice(values[op]))] if op in values else []
    if op == "filter":
        words.append(str(choice.choice(_VALUES[Attribute(words[0])])))
    if op == "relate":
        words.append(choice.choice(("current", "target")))
    return Program(op, (*words, *(random_program(arg, choice, depth - 1) for arg in _ARGUMENTS.get(op, ()))))


_ARGUMENTS = {
    **dict.fromkeys(("count", "exist", "which", "unique", "most", "first"), ("set",)),
    **dict.fromkeys(("name", "other", "parent"), ("node",)),
    "compare": ("node", "node"),
    "except": ("set", "set"),
    "filter": ("set",),
    **dict.fromkeys(("relate", "group"), ("node",)),
}
