"""Scene graph of a pose pair: body parts, how each changes, where each ends, and how they lie to each other.

Nodes have plain English names, such as ``left knee``, ``trunk`` or ``both feet``. The 17 parts of :data:`COUNTED` are
what "how many parts" counts; forearms, the body, both hands and both feet are only meant by name. Objects of the room
are nodes without a part.

A part moves if one of its measures reaches its first threshold, or if the correction says so. In photographs a change
must be certain; what neither surely happens nor surely does not has the truth ``None``: it cannot be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, cached_property
from itertools import chain, permutations, product
from typing import NamedTuple

import numpy as np

from fmp_models.geometry import (
    CERTAIN,
    FORWARD,
    LEFT,
    MEASURES,
    NO_MOVEMENT,
    SOMEWHERE,
    STAYED,
    UP,
    VERTICAL,
    Changes,
    Clause,
    Degree,
    Direction,
    Frame,
    Key,
    Landmark,
    Measure,
    Part,
    Plan,
    Relation,
    Side,
    axes_of,
    changes,
    distance_from_shape,
    elbow_angle,
    knee_angle,
    make_plan,
    possible_relations,
    share_beyond,
    share_within,
    sure_axes,
)
from fmp_models.pose import INDEX, JOINTS, Array, BodySide, Pose, PosePair, body_axes, in_pelvis_frame, joint_distances

Truth = bool | None  # ``None``: cannot be seen


class Attribute(StrEnum):
    """Attribute of a node; ``START`` and ``END`` are the places of a part in the current and in the target pose."""

    SIDE = "side"
    PART = "part"
    CHAIN = "chain"
    MOVES = "moves"
    DIRECTION = "direction"
    DEGREE = "degree"
    START = "start"
    END = "end"
    ANGLE = "angle"


class Edge(StrEnum):
    """How one node lies to another, as the person would say it of their own body."""

    ABOVE = "above"
    BELOW = "below"
    FRONT = "front"
    BEHIND = "behind"
    LEFT = "left"
    RIGHT = "right"
    NEAR = "near"

    @property
    def reverse(self) -> Edge:
        """The relation of the other node to the first."""
        return _REVERSES.get(self, self)


_REVERSES = {Edge.ABOVE: Edge.BELOW, Edge.FRONT: Edge.BEHIND, Edge.LEFT: Edge.RIGHT}
_REVERSES |= {reverse: edge for edge, reverse in _REVERSES.items()}
_AXES = {Edge.ABOVE: UP, Edge.FRONT: FORWARD, Edge.LEFT: LEFT}
_ALIKE = 0.9  # share of the largest change from which two parts change alike
_APART, _NEAR = 0.1, 0.25  # metres: the least difference along an axis, and the most between two near parts
POSES = ("current", "target")
KNOWN_ATTRIBUTES = frozenset({Attribute.SIDE, Attribute.PART, Attribute.CHAIN})  # to everybody
_SURELY_NOT = 1 - CERTAIN


@dataclass(frozen=True)
class Node:
    """A body part on a side, or with neither an object of the room."""

    name: str
    side: Side = Side.NONE
    part: Part | None = None

    @property
    def chain(self) -> str:
        """The limb, ``trunk`` for other parts, ``object`` for objects."""
        if self.part is None:
            return "object"
        return (self.part.limb if self.part.of_limb else Part.TRUNK).value

    @property
    def row(self) -> _PartRow:
        """The facts of its part; those of the body for an object."""
        return _ROWS[self.part or Part.BODY]

    @property
    def parent(self) -> str | None:
        """The name of the next part towards the trunk."""
        part = self.row.parent
        found = node_of(self.side if part.sided else Side.NONE, part) if part else None
        return found.name if found else None

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints that show the part in a picture."""
        return () if self.part is None else self.part.joints(self.side)


def _node(side: Side, part: Part) -> Node:
    return Node(Clause(side, part, Direction.MOVE).part_name, side, part)


class _PartRow(NamedTuple):
    """Facts of a part: the sides it is named on, the next part towards the trunk, and where it is in a pose.

    ``points`` are the joints whose mean is its place; whole limbs lie nowhere in particular. ``angle`` is that of a
    hinge. ``places`` are the named places of its limb that it has; ``None`` for those of the part itself.
    """

    sides: tuple[Side, ...]
    parent: Part | None = None
    points: tuple[str, ...] = ()
    angle: Callable[[Array, BodySide], Array] | None = None
    places: frozenset[Relation] | None = None
    counted: bool = True


_ALONE, _EACH, _AND_BOTH = (Side.NONE,), Side.BOTH.each, (*Side.BOTH.each, Side.BOTH)
_ROWS: Mapping[Part, _PartRow] = {
    Part.HEAD: _PartRow(_ALONE, Part.TRUNK, ("head",)),
    Part.TRUNK: _PartRow(_ALONE, points=("spine", "neck")),
    Part.HIPS: _PartRow(_ALONE, Part.TRUNK, ("hip",)),
    Part.SHOULDER: _PartRow(_EACH, Part.TRUNK, ("shoulder",)),
    Part.ARM: _PartRow(_EACH),
    Part.ELBOW: _PartRow(_EACH, Part.SHOULDER, ("elbow",), elbow_angle),
    Part.HAND: _PartRow(_AND_BOTH, Part.ELBOW, ("wrist", "hand")),
    Part.LEG: _PartRow(_EACH, places=frozenset({Relation.HIP_HEIGHT})),
    Part.KNEE: _PartRow(_EACH, Part.HIPS, ("knee",), knee_angle),
    Part.FOOT: _PartRow(_AND_BOTH, Part.KNEE, ("ankle",), places=frozenset({Relation.ON_GROUND, Relation.AGAINST_LEG})),
    Part.FOREARM: _PartRow(_EACH, counted=False),
    Part.BODY: _PartRow(_ALONE, counted=False),
}
BY_NAME: Mapping[str, Node] = {
    node.name: node for part, row in _ROWS.items() for node in (_node(side, part) for side in row.sides)
}
COUNTED = tuple(node for node in BY_NAME.values() if node.side is not Side.BOTH and node.row.counted)
_PLACED = tuple(node for node in COUNTED if node.row.points)


def node_of(side: Side, part: Part) -> Node | None:
    """Return the node of a part on a side; ``None`` if there is none."""
    return BY_NAME.get(_node(side, part).name)


@dataclass(frozen=True)
class Movement:
    """One measured change of a part: its direction, size (degrees or metres) and degree, by salience."""

    direction: Direction
    size: float
    in_degrees: bool
    degree: Degree
    salience: float


@dataclass(frozen=True)
class SceneGraph:
    """Body parts and objects with their attributes and edges; see :meth:`of_pair`."""

    nodes: tuple[Node, ...]
    movements: Mapping[str, tuple[Movement, ...]]  # of each part, most salient first
    moves: Mapping[str, Truth]
    directions: Mapping[tuple[str, Direction], Truth]
    places: Mapping[tuple[str, Attribute, Relation], Truth]
    angles: Mapping[str, tuple[int, int] | None]  # degrees in both poses
    edges: Mapping[tuple[str, Edge, str, str], Truth] = field(repr=False, default_factory=dict)
    counted = tuple(node.name for node in COUNTED)

    @classmethod
    def of_pair(cls, pair: PosePair, landmarks: Sequence[Landmark] = ()) -> SceneGraph:
        """Return the graph of two poses, with the objects of the room if both share its coordinates."""
        objects = {mark.kind: mark for mark in landmarks} if pair.placed else {}
        plan, measured = make_plan(pair), changes(pair)
        movements, directions = _movements(pair, plan, measured)
        parts = tuple(BY_NAME.values())
        return cls(
            (*parts, *map(Node, objects)),
            movements,
            {node.name: _moves(node, pair, measured, movements, directions) for node in parts},
            directions,
            _places(pair, plan),
            {node.name: _angles(node, pair) for node in parts if node.row.angle},
            _edges(pair, objects),
        )

    @cached_property
    def by_name(self) -> Mapping[str, Node]:
        """The nodes by their names."""
        return {node.name: node for node in self.nodes}

    @cached_property
    def objects(self) -> tuple[str, ...]:
        """The names of the objects of the room."""
        return tuple(node.name for node in self.nodes if node.part is None)

    def has(self, name: str, attribute: Attribute, value: str) -> Truth:
        """Return whether a node has a value of an attribute."""
        if attribute is Attribute.DIRECTION:
            return self.directions.get((name, direction_of(self.by_name[name], value)), False)
        if attribute in {Attribute.START, Attribute.END}:
            return self.places.get((name, attribute, Relation(value)), False)
        values = self.values(name, attribute)
        return None if values is None else value in values

    def values(self, name: str, attribute: Attribute) -> tuple[str, ...] | None:
        """Return all values of an attribute, most salient first; ``None`` if they cannot be seen."""
        moves = self.moves.get(name, False)
        match attribute:
            case Attribute.MOVES:
                return None if moves is None else ("yes" if moves else "no",)
            case Attribute.DIRECTION | Attribute.DEGREE:
                movements = self.movements.get(name, ())
                if not movements and moves is None:
                    return None
                directions = tuple(dict.fromkeys(movement.direction.value for movement in movements))
                return directions if attribute is Attribute.DIRECTION else tuple(m.degree.value for m in movements[:1])
            case Attribute.START | Attribute.END:
                truths = {key[2].value: truth for key, truth in self.places.items() if key[:2] == (name, attribute)}
                reached = tuple(value for value, truth in truths.items() if truth)
                return None if not reached and None in truths.values() else reached
            case Attribute.ANGLE:
                angles = self.angles.get(name, ())
                return None if angles is None else tuple(map(str, angles[1:]))
        return tuple(filter(None, (_fixed(self.by_name[name], attribute),)))

    def edge(self, name: str, edge: Edge, other: str, pose: str) -> Truth:
        """Return whether a node lies so to another one in the ``current`` or ``target`` pose."""
        return self.edges.get((name, edge, other, pose), False)

    def most(self, names: Iterable[str]) -> tuple[str, ...] | None:
        """Return the nodes that change most: several if they change alike, none if none changes; ``None`` if unseen."""
        found = list(names)
        if any(self.moves.get(name, False) is None for name in found):
            return None
        saliences = {name: self.movements[name][0].salience for name in found if name in self.movements}
        least = _ALIKE * max(saliences.values(), default=0.0)
        return tuple(name for name, salience in saliences.items() if salience >= least)


def _fixed(node: Node, attribute: Attribute) -> str:
    if attribute is Attribute.SIDE:
        return node.side.value if node.side in Side.BOTH.each else ""
    return node.chain if attribute is Attribute.CHAIN else node.part.value if node.part else ""


@cache
def direction_of(node: Node, value: str) -> Direction:
    """Return a direction as the measures of the node name it: ``LEFT`` leads a left hand ``OUT``."""
    direction = Direction(value)
    if node.part is not None and node.part.sided and node.side in Side.BOTH.each:
        return direction.of_part(node.side)
    return direction.within(Frame.PAIR) if node.side is Side.BOTH else direction


def _movements(
    pair: PosePair, plan: Plan, measured: Changes
) -> tuple[dict[str, tuple[Movement, ...]], dict[tuple[str, Direction], Truth]]:
    """Return the movements of each part, and for each of its directions whether it is one of them."""
    said = {
        (axis.side, axis.part, axis.direction): (sign, None if clause.relations else clause.degree)
        for clause in plan
        if clause.direction not in NO_MOVEMENT | SOMEWHERE
        for axis, sign in axes_of(clause)
    }
    sure = sure_axes(measured, pair) if pair.uncertain else measured
    movements: dict[str, list[Movement]] = {}
    directions: dict[tuple[str, Direction], Truth] = {}
    for key, change in measured.items():
        node = node_of(*key[:2])
        if node is None:
            continue
        sign, degree = said.get(key, (0.0, None))
        degree = degree or tuple(Degree)[max(change.thresholds_reached, 1) - 1]  # a place says how far, in a correction
        if sign or (key in sure and change.thresholds_reached):
            towards = (sign or change.size) > 0
            direction = change.measure.direction if towards else change.measure.direction.reverse
            in_degrees = change.measure.thresholds[0] > 1
            movement = Movement(direction, abs(change.size), in_degrees, degree, change.salience)
            movements.setdefault(node.name, []).append(movement)
            directions |= {(node.name, direction): True, (node.name, direction.reverse): False}
        else:
            for direction in (key[2], key[2].reverse):
                directions[node.name, direction] = _happens(change.measure, direction, pair)
    _fill_in(pair, said, movements, directions)
    for part in (Part.HAND, Part.FOOT):
        for movement in movements.get(_node(Side.BOTH, part).name, ()):
            _spread(movement, part, measured, movements, directions)
    ordered = {name: tuple(sorted(found, key=lambda one: -one.salience)) for name, found in movements.items()}
    return ordered, directions


def _fill_in(
    pair: PosePair,
    said: Container[Key],
    movements: dict[str, list[Movement]],
    directions: dict[tuple[str, Direction], Truth],
) -> None:
    """Add the axes that are not measured for these poses, the hips that rise with the body, and the lifted head."""
    moved = dict(zip(JOINTS, joint_distances(pair), strict=True))
    for measure in MEASURES:  # an axis that is not measured here
        node = node_of(measure.side, measure.part)
        if node is not None and measure.weight and not measure.needs_room:
            stays = not pair.uncertain and max(moved[name] for name in node.joints) < _APART
            directions.setdefault((node.name, measure.direction), False if stays else None)
            directions.setdefault((node.name, measure.direction.reverse), False if stays else None)
    hips, body = (_node(Side.NONE, part).name for part in (Part.HIPS, Part.BODY))
    for movement in movements.get(body, ()):  # "lift your hips" lifts the body
        if movement.direction in VERTICAL and (Side.NONE, Part.BODY, Direction.UP) in said:
            movements.setdefault(hips, []).append(movement)
            directions |= {(hips, movement.direction): True, (hips, movement.direction.reverse): False}
    head = _node(Side.NONE, Part.HEAD).name
    for direction, tilt in ((Direction.UP, Direction.BACKWARD), (Direction.DOWN, Direction.FORWARD)):
        directions.setdefault((head, direction), directions[head, tilt])
        if directions[head, direction] and not directions[head, tilt.reverse]:  # one instruction says both
            directions[head, tilt] = True


def _spread(
    movement: Movement,
    part: Part,
    measured: Changes,
    movements: dict[str, list[Movement]],
    directions: dict[tuple[str, Direction], Truth],
) -> None:
    """Add the movement of two hands or feet to each of them that goes at least half as far as the other."""
    towards = movement.direction.within(Frame.PART)
    own = {side: measured.get((side, part, Direction.OUT)) for side in Side.BOTH.each}
    sizes = {side: change.size * towards.sign for side, change in own.items() if change is not None}
    for side, size in sizes.items():
        name = _node(side, part).name
        if size >= max(sizes.values()) / 2 > 0 and directions.get((name, towards)) is not True:
            movements.setdefault(name, []).append(replace(movement, direction=towards, size=size))
            directions |= {(name, towards): True, (name, towards.reverse): False}


def _happens(measure: Measure, direction: Direction, pair: PosePair) -> Truth:
    """Return ``False`` if a change that is not certain surely does not happen, else ``None``."""
    if not pair.uncertain:
        return False
    least = measure.thresholds[0] * (1 if direction is measure.direction else -1)
    return False if share_beyond(measure, pair, least) <= _SURELY_NOT else None


def _moves(
    node: Node,
    pair: PosePair,
    measured: Changes,
    movements: Mapping[str, tuple[Movement, ...]],
    directions: Mapping[tuple[str, Direction], Truth],
) -> Truth:
    """Return whether a part moves; ``None`` if photographs show neither that it does nor that it keeps its place."""
    if node.name in movements:
        return True
    truths = [truth for (name, _), truth in directions.items() if name == node.name]
    if not pair.uncertain:
        return None if all(truth is None for truth in truths) else False
    still = [change.measure for key, change in measured.items() if node_of(*key[:2]) == node]
    surely = all(share_within(measure, pair, STAYED * measure.thresholds[0]) >= CERTAIN for measure in still)
    return False if still and surely and None not in truths else None


def _places(pair: PosePair, plan: Plan) -> dict[tuple[str, Attribute, Relation], Truth]:
    """Return whether each part is in each place that has a name, before and after.

    A place that the correction asks a part to reach is not where it starts.
    """
    places: dict[tuple[str, Attribute, Relation], Truth] = {}
    for node in BY_NAME.values():
        part, both = node.part or Part.BODY, node.side is Side.BOTH
        named = None if both else node.row.places
        part = part if named is None else part.limb
        direction = Direction.TOGETHER if both and part is Part.HAND else Direction.REACH
        for relation, ranges in chain.from_iterable(possible_relations(part, direction)):
            needed = {name.format(side=side) for each in ranges for name in each.joints for side in node.side.of_body}
            for attribute, pose in zip((Attribute.START, Attribute.END), (pair.current, pair.target), strict=True):
                if named is None or relation in named:
                    within = np.mean(distance_from_shape(ranges, _bodies(pose), node.side) <= 0)
                    places[node.name, attribute, relation] = (
                        _by_share(float(within)) if _shows(pose, needed, pair) else None
                    )
    reached = {
        (_node(side, clause.part).name, Attribute.START, relation)
        for clause in plan
        for side in clause.side.each
        for relation in clause.relations
    }
    return places | dict.fromkeys(reached & places.keys(), False)


def _shows(pose: Pose, joints: Iterable[str], pair: PosePair) -> bool:
    """Return whether a picture shows all these joints; exact poses show every one."""
    return not pair.uncertain or all(pose.visibility[INDEX[name]] > 0 for name in joints)


def _bodies(pose: Pose) -> Array:
    """Return the plausible bodies (m, 20, 3) of a pose."""
    return pose.joints[None] if pose.pose_samples is None else pose.pose_samples


def _by_share(share: float) -> Truth:
    """Return the truth of what a share of the plausible bodies shows."""
    return True if share >= CERTAIN else False if share <= _SURELY_NOT else None


def _angles(node: Node, pair: PosePair) -> tuple[int, int] | None:
    """Return the inner angle of an elbow or knee in both poses, to ten degrees."""
    measure, side = node.row.angle, node.side.of_body[0]
    if node.part is None or measure is None or pair.unseen_names.intersection(node.part.limb.joints(node.side)[:3]):
        return None
    before, after = (round(float(measure(pose.joints, side)) / 10) * 10 for pose in (pair.current, pair.target))
    return before, after


def _edges(pair: PosePair, objects: Mapping[str, Landmark]) -> dict[tuple[str, Edge, str, str], Truth]:
    """Return how all counted parts and objects lie to each other in both poses."""
    edges: dict[tuple[str, Edge, str, str], Truth] = {}
    names = [*(node.name for node in _PLACED), *objects]
    for which, pose in zip(POSES, (pair.current, pair.target), strict=True):
        bodies = _bodies(pose)
        own, hips, axes = in_pelvis_frame(bodies), bodies[:, INDEX["hip"]], body_axes(bodies)
        places = [own[:, [INDEX[name] for name in _point_joints(node)]].mean(axis=1) for node in _PLACED]
        places += [np.einsum("mij,mj->mi", axes, np.asarray(mark.place) - hips) for mark in objects.values()]
        points = np.stack(places, axis=1)
        seen = [*(_shows(pose, _point_joints(node), pair) for node in _PLACED), *(True for _ in objects)]
        between = points[:, :, None] - points[:, None]  # (m, n, n, 3)
        shares = {edge: np.mean(between[..., axis] > _APART, axis=0) for edge, axis in _AXES.items()}
        shares |= {edge.reverse: share.T for edge, share in shares.items()}
        shares[Edge.NEAR] = np.mean(np.linalg.norm(between, axis=-1) < _NEAR, axis=0)
        for (edge, share), (i, j) in product(shares.items(), permutations(range(len(names)), 2)):
            truth = _by_share(float(share[i, j])) if seen[i] and seen[j] else None
            edges[names[i], edge, names[j], which] = truth
    return edges


def _point_joints(node: Node) -> tuple[str, ...]:
    return node.row.points if node.side is Side.NONE else tuple(f"{node.side.value}_{name}" for name in node.row.points)
