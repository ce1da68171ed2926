"""Goals: what a clause or a shape asks of a body, and the joints that bear it meanwhile.

A goal is an initial posture, ranges and changes of measures. Contacts are the joints that rest on the floor; they give
residuals of resting and of the weight's place over them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np

from fmp_models.geometry.lexicon import (
    BODY_TURNS,
    HORIZONTAL,
    Clause,
    Degree,
    Direction,
    Part,
    Relation,
    ShapeRegion,
    Side,
)
from fmp_models.geometry.measures import MEASURES, Measure
from fmp_models.geometry.planner import SAYS_HOW_FAR
from fmp_models.geometry.pose_values import (
    FORWARD,
    LEFT,
    centre_of_weight,
    elevation,
    facing_up,
    floor,
    foot_lift,
    is_kneeling,
    is_lying,
    is_sitting,
    stance_width,
    trunk_tilt,
)
from fmp_models.geometry.relations import Range, ranges_of
from fmp_models.geometry.shape import ARMS, TRUNK, NamedShape
from fmp_models.geometry.shapes import SHAPES_BY_NAME
from fmp_models.geometry.skeleton import Posture, frames, joined, posed, postures, rest_of
from fmp_models.geometry.verdicts import axes_of
from fmp_models.pose import (
    BODY_SIDES,
    CAMERA_UP,
    INDEX,
    JOINTS,
    PARENTS,
    Array,
    BodySide,
    body_axes,
    in_pelvis_frame,
    rotations,
)

ASKED = 3.0  # weight of one slack or middle threshold of the request
_UNSAID = 0.4  # weight of one middle threshold in an axis without a clause: unmentioned parts stay
_EXTENT = 1.6  # "far" has no upper threshold: it ends at this multiple of the last one
_CAUTION = 0.4  # position within a degree's range of sizes: small changes are more common
_WIDEST = 1.8  # a degree's range ends at this multiple of its start: a slight turn is nearer 20 than 60
WIDE, LIFTED = 0.45, 0.12  # metres between feet that are apart, and of a lifted foot over the other
_TILTED = 55.0  # degrees of the trunk from upright beyond which arms are measured relative to the trunk
_ON_FLOOR = 0.25  # metres of the hips over the floor below which a body sits on it
_HANGING = 45.0  # degrees of arms from hanging below which they are at rest
_ROUND = 180.0  # degrees of a turn without a direction
_LEGS = frozenset({"body", "shift", *(f"{side}_{name}" for side in BODY_SIDES for name in ("hip", "knee", "ankle"))})
_AROUND = BODY_TURNS | {Direction.TURN}
_KNEES = frozenset({f"{side}_knee" for side in BODY_SIDES})
_SPINE = frozenset({"waist", "spine"})
Value = Callable[[Array], Array]


@dataclass(frozen=True)
class Goal:
    """An initial body, the conditions to meet, and the joints that may turn.

    ``ranges`` have the side they apply to. ``changes`` are (value in middle thresholds of a measure, goal,
    weight). ``rest`` are the joints that bear the body at the end, anywhere along the floor; ``None`` means
    that the resting joints of now go on resting.
    """

    begin: Array
    joints: frozenset[str]
    ranges: tuple[tuple[Range, BodySide], ...] = ()
    changes: tuple[tuple[Value, float, float], ...] = ()
    rest: tuple[int, ...] | None = None
    seated: bool = False


def goals_of_shape(named: NamedShape, now: Array) -> Iterator[tuple[Goal, Side]]:
    """Yield goals for a shape, each with its side; of two sides the nearer one comes first."""
    shape, table = named.shape, postures()
    row = _first(table, [f"{shape.name}{state}" for state in _states(now)])
    hang = all(elevation(now, f"{side}_shoulder", f"{side}_elbow") < _HANGING for side in BODY_SIDES)
    if not (hang or ShapeRegion.ARMS in shape.regions or {"hand", "elbow"} & {*row.get("rest", ())}):
        row = {name: angles for name, angles in row.items() if name != "arm"}  # raised arms stay raised
    ways = []
    for side in named.sides[::-1]:
        body_side: BodySide = "right" if side is Side.RIGHT else "left"
        ranges = tuple((bounds, of_side) for bounds in shape.ranges for of_side in side.of_body)
        if shape.regions == ARMS:
            # If the trunk is far from upright, ranges do not describe the arms: only the posture does.
            arm = {name: row[name] for name in ("arm", "other_arm") if name in row}
            told = ranges if float(trunk_tilt(now)) < _TILTED else ()
            ways.append((Goal(posed(now, arm, body_side, side.of_body), _arms(side.of_body), told), side))
        if "pelvis" in row or shape.regions != ARMS:
            legs = _LEGS - _KNEES if shape.regions == TRUNK else _LEGS
            joints = legs | _SPINE | (_arms(BODY_SIDES) if "arm" in row else frozenset())
            rest = rest_of(row, body_side) if "leg" in row else None
            seated = shape.name in {"seated", "sitting"}
            ways.append((Goal(posed(now, row, body_side), joints, ranges, (), rest, seated), side))
    yield from sorted(ways, key=lambda way: round(float(np.abs(way[0].begin - now).sum()), 3))


def goals_of_clause(clause: Clause, now: Array, said: Collection[Clause], *, corrects: bool) -> Iterator[Goal]:
    """Yield goals for a clause: as people do it without an amount, and by the amount of the measures."""
    everyday = not (corrects or clause.relations or clause.degree is Degree.SLIGHT)
    if everyday and (clause.part, clause.direction) == (Part.FOOT, Direction.TOGETHER):
        clause = replace(clause, relations=(Relation.CLOSE,))
    row = _row(clause, now) if everyday or corrects or clause.relations else {}
    usual = _ROUND if clause.direction is Direction.TURN else row.get("by") if everyday else None
    if clause.part is Part.BODY and clause.direction in HORIZONTAL | _AROUND:
        yield Goal(_gone(clause, now, usual), frozenset())
        return
    measured = _measured(clause, now, said, usual)
    ways = [] if measured is None else [measured]
    if {*row} - {"by"}:
        side: BodySide = "right" if _is_to_the_right(clause.direction) else "left"
        rest = rest_of(row, "left") if clause.part is Part.BODY and clause.relations else None
        joints = _joints(clause) | (_LEGS | _SPINE if "pelvis" in row else frozenset())
        changes = measured.changes if measured is not None and "by" in row else ()
        begin = posed(now, row, side, clause.side.of_body)
        ways.insert(
            len(ways) if corrects else 0,
            Goal(begin, joints, _ranges(clause), changes, rest, Relation.SITTING in clause.relations),
        )
    yield from ways


def meant(goal: Clause | NamedShape, now: Array) -> Clause | NamedShape:
    """Return what people mean by a goal in the current way of resting: a lying person who gets up sits."""
    if isinstance(goal, Clause):
        row = _row(goal, now)
    else:
        row = _first(postures(), [f"{goal.shape.name}{state}" for state in _states(now)])
    if "clause" in row:
        part, way = row["clause"].split()
        return Clause(goal.side, Part(part), Direction(way))
    if "shape" not in row:
        return goal
    shape = SHAPES_BY_NAME[row["shape"]]
    return NamedShape(shape, goal.side if shape.sided else Side.BOTH)


def _states(now: Array) -> list[str]:
    """Return the suffixes of row names for how a body rests, the most specific first, the general one last."""
    states: list[str] = []
    if is_lying(now):
        states = [" supine" if facing_up(now) > 0 else " prone"]
    elif is_sitting(now):
        states = [" floor"] * bool(-floor(in_pelvis_frame(now)) < _ON_FLOOR) + [" seat"]
    elif is_kneeling(now):
        states = [" kneel"]
    elif trunk_tilt(now) > _TILTED:
        states = [" fold"]
    return [*states, ""]


def _first(table: Mapping[str, Posture], names: Iterable[str]) -> Posture:
    return next((table[name] for name in names if name in table), {})


def _row(clause: Clause, now: Array) -> Posture:
    """Return the table row for the end state of a clause, or for its movement if it has no end state."""
    part, states = clause.part.value, _states(now)
    if clause.part in {Part.FOOT, Part.KNEE} and all(foot_lift(now, side) > LIFTED for side in clause.side.of_body):
        states = [*(f"{state} lifted" for state in states), *states]
    parts = [part + "s", part] if clause.side is Side.BOTH else [part]
    if clause.part is Part.KNEE and states == [""] and float(stance_width(now)) > WIDE:
        states = [" apart", ""]
    way = clause.mirrored.direction if _is_to_the_right(clause.direction) else clause.direction
    ends = [relation.value for relation in clause.relations]
    ends = ends or [f"{way.value} far"] * (clause.degree is Degree.FAR) + [way.value]
    return _first(postures(), [f"{name} {end}{state}" for name in parts for state in states for end in ends])


def _is_to_the_right(direction: Direction) -> bool:
    return direction in {Direction.RIGHT, Direction.TURN_RIGHT}


def _gone(clause: Clause, now: Array, usual: float | None) -> Array:
    """Return the body that turns or walks as a whole."""
    if clause.direction is Direction.TURN:
        clause = replace(clause, direction=Direction.TURN_LEFT)
    ((measure, sign),) = axes_of(clause)
    amount = sign * (usual or _amount(clause, measure))
    left, _, ahead = body_axes(now)
    if clause.direction in HORIZONTAL:
        return np.asarray(now + amount * (left if measure.direction is Direction.LEFT else ahead))
    middle = now[[INDEX["left_ankle"], INDEX["right_ankle"]]].mean(axis=0)
    return np.asarray((now - middle) @ rotations(np.radians(amount) * CAMERA_UP[None])[0].T + middle)


def _measured(clause: Clause, now: Array, said: Collection[Clause], usual: float | None) -> Goal | None:
    """Return the goal by the clause's own measures and relations; ``None`` if joints cannot do it."""
    axes = [(measure, sign) for measure, sign in axes_of(clause) if not measure.of_faces]  # joints have no face
    sizes = [sign * (usual or _amount(clause, measure)) for measure, sign in axes]
    asked = [
        (_change(measure, now), size / measure.thresholds[1], ASKED)
        for (measure, _), size in zip(axes, sizes, strict=True)
    ]
    ranges, joints = _ranges(clause), _joints(clause)
    if not (asked or ranges):
        return None
    begin = now
    if clause.part is Part.SHOULDER:  # a shrug moves hanging arms along
        bones = now - now[list(PARENTS)]
        for size, side in zip(sizes, clause.side.of_body, strict=True):
            bones[INDEX[f"{side}_shoulder"]] += size * frames(now)[1][1]
        begin = joined(bones, now)
    return Goal(begin, joints, ranges, (*asked, *_silent(clause, now, said, joints)) if asked else ())


def _silent(
    clause: Clause, now: Array, said: Collection[Clause], joints: frozenset[str]
) -> Iterator[tuple[Value, float, float]]:
    """Yield the changes that shall be zero in arms, or in trunk and legs; axes of earlier clauses weigh more.

    A hand follows its arm: while it moves, the other axes of the arm are free.
    """
    arms = not joints & (_SPINE | {"shift"})
    free = {*clause.side.each, clause.side} if clause.part is Part.HAND else set()
    of_clause = {id(measure) for measure, _ in axes_of(clause)}
    spoken = {id(measure) for one in said for measure, _ in axes_of(one)}
    for measure in MEASURES:
        silent = measure.weight and (measure.group == "arms") is arms and id(measure) not in of_clause
        if silent and not (arms and measure.side in free):
            yield _change(measure, now), 0.0, ASKED / 2 if id(measure) in spoken else _UNSAID


def _change(measure: Measure, now: Array) -> Value:
    change = measure.changes_from(now)
    return lambda joints: change(joints) / measure.thresholds[1]


def _ranges(clause: Clause) -> tuple[tuple[Range, BodySide], ...]:
    return tuple(
        (bounds, side)
        for relation in clause.relations
        for bounds in ranges_of(clause.part, clause.direction, relation)
        for side in clause.side.of_body
    )


def _joints(clause: Clause) -> frozenset[str]:
    """Return the joints that may turn for a clause; a limb moves alone."""
    match clause.part:
        case Part.ARM | Part.FOREARM | Part.HAND | Part.ELBOW:
            return _arms(clause.side.of_body)
        case Part.SHOULDER:
            return frozenset(f"{side}_girdle" for side in clause.side.of_body)
        case Part.HEAD:
            return frozenset({"neck"})
        case Part.TRUNK:
            return _SPINE if clause.direction in _AROUND else _SPINE | _LEGS - _KNEES
        case Part.BODY | Part.HIPS:
            return _LEGS | _SPINE
        case Part.LEG | Part.KNEE | Part.FOOT:
            return _LEGS
        case _:
            assert_never(clause.part)


def _arms(sides: tuple[BodySide, ...]) -> frozenset[str]:
    return frozenset(f"{side}_{name}" for side in sides for name in ("shoulder", "elbow"))


def _amount(clause: Clause, measure: Measure) -> float:
    """Return how far a clause goes along a measure, in its unit."""
    slight, plain, far = measure.thresholds
    if SAYS_HOW_FAR & {*clause.relations}:
        return slight
    steps = {Degree.SLIGHT: (slight, plain), Degree.PLAIN: (plain, far), Degree.FAR: (far, _EXTENT * far)}
    low, high = steps[clause.degree]
    return low + _CAUTION * (min(high, _WIDEST * low) - low)


# Contacts.
_DOWN = 1  # the axis of the camera that points down
# Metres over the floor: a joint may rest below the first; a resting joint is at the second.
_REACH = {"ankle": 0.13, "foot": 0.08, "knee": 0.12, "hip": 0.2, "wrist": 0.15, "hand": 0.13, "elbow": 0.08}
_FLESH = {"knee": 0.04, "hip": 0.09, "hand": 0.01, "elbow": 0.03, "shoulder": 0.08, "head": 0.09}
_LYING = 0.2  # metres over the floor below which a trunk or head lies on it
_SOLE = 0.29  # height of an ankle over the floor as a share of the foot's length, for a flat foot
_OFF_PLACE, _OFF_BALANCE = 0.01, 0.02  # metres that cost as much as one slack of a range
_HEEL, _BESIDE, _INSIDE = 0.05, 0.03, 0.06  # metres of a foot behind and beside its ankle; margin of the weight
_SMOOTH = 0.01  # metres over which the smooth maximum changes from one foot to the other
_FALLS = 0.15  # metres of the weight outside the support from which a body falls
_ARM, _FOOT, _LEG = ("elbow", "wrist", "hand"), ("ankle", "foot"), ("knee", "ankle", "foot")


@dataclass(frozen=True)
class Contacts:
    """Joints that ``rest`` at ``heights`` over the floor, and the ``fixed`` ones that stay at ``places``.

    If ``balanced``, only feet bear the body: its weight is over them, within the metres ``allowed``.
    """

    rest: Sequence[int]
    heights: Array
    fixed: Sequence[int]
    places: Array
    balanced: bool
    allowed: Array | float = 0.0

    def off(self, bodies: Array, floor: float) -> Array:
        """Return the residuals (n, k) of resting bodies (n, 20, 3) in slacks: height, place, sinking and balance."""
        height = floor - bodies[..., _DOWN]
        parts = [height[:, self.rest] - self.heights, (bodies[:, self.fixed] - self.places).reshape(len(bodies), -1)]
        parts.append(np.maximum(-np.delete(height, self.rest, axis=-1), 0.0))
        parts = [part / _OFF_PLACE for part in parts]
        if self.balanced:
            parts.append(np.maximum(self.off_balance(bodies) - self.allowed, 0.0) / _OFF_BALANCE)
        return np.concatenate(parts, axis=-1)

    def off_balance(self, bodies: Array) -> Array:
        """Return the metres (n, 2) of the weight outside the support, sideways and forward, with a small margin."""
        axes = body_axes(bodies)[:, [LEFT, FORWARD]]
        places = np.einsum("nij,nkj->nki", axes, bodies[:, self.rest])
        weight = np.einsum("nij,nj->ni", axes, centre_of_weight(bodies))
        low, high = -_smooth_max(-places) - (_BESIDE, _HEEL), _smooth_max(places) + np.array([_BESIDE, 0.0])
        inside = np.minimum(0.25 * (high - low), _INSIDE)
        return np.asarray(np.maximum(np.maximum(low + inside - weight, weight - high + inside), 0.0))


def floor_level(joints: Array) -> float:
    """Return the floor under a body (20, 3), as metres down in the camera frame."""
    return float(joints[:, _DOWN].max())


def set_down(joints: Array, floor: float) -> Array:
    """Return the body with its lowest joint on the floor."""
    return np.asarray(joints + np.array([0.0, floor - floor_level(joints), 0.0]))


def put_down(body: Array, rest: Sequence[int], *, seated: bool) -> Contacts:
    """Return the contacts of a body that rests on these joints, anywhere along the floor."""
    soles = {
        joint: _SOLE * float(np.linalg.norm(body[joint + 1] - body[joint])) for joint in rest if _is(joint, "ankle")
    }
    heights = np.array([soles.get(joint, _FLESH.get(_kind(joint), 0.0)) for joint in rest])
    return Contacts(rest, heights, [], body[[]], _on_feet(rest) and not seated)


def stays(body: Array, floor: float, clause: Clause) -> Contacts | None:
    """Return the contacts that persist while a clause is executed; ``None`` if nothing would bear the body."""
    rest, seated = _resting(body, floor), bool(is_sitting(body))
    seat = [INDEX["left_hip"], INDEX["right_hip"]] if seated and clause.part not in {Part.BODY, Part.HIPS} else []
    lifted = _lifted(clause, body, seated=seated or bool(is_lying(body)))
    bearing = [joint for joint in dict.fromkeys([*rest, *seat]) if JOINTS[joint] not in lifted]
    if not bearing or (len(bearing) < len(rest) and _falls(body, bearing)):
        return None
    turned = clause.direction in {Direction.TURN_OUT, Direction.TURN_IN}  # on the heel
    sliding = _names(clause, ("foot",) if turned else _FOOT) if clause.part is Part.FOOT else []
    fixed = [joint for joint in bearing if JOINTS[joint] not in sliding]
    heights = floor - body[bearing, _DOWN]
    found = Contacts(bearing, heights, fixed, body[fixed], _on_feet(bearing) and not seated)
    return replace(found, allowed=found.off_balance(body[None])[0])


def _resting(body: Array, floor: float) -> list[int]:
    """Return the joints that rest on the floor; hands do not count if the weight is over the feet."""
    lies = bool(is_lying(body))
    reach = [_REACH.get(_kind(joint), _LYING if lies else 0.0) for joint in range(len(JOINTS))]
    rest = [joint for joint, metres in enumerate(reach) if floor - body[joint, _DOWN] < metres]
    on_hands = lies or _falls(body, [joint for joint in rest if _is(joint, *_FOOT)])
    return [joint for joint in rest if on_hands or not _is(joint, *_ARM)]


def _lifted(clause: Clause, body: Array, *, seated: bool) -> list[str]:
    """Return the joints that bear nothing while a clause is executed."""
    if clause.part.limb is Part.ARM:
        return _names(clause, _ARM)
    # One knee bends by lifting its foot, unless the feet are far apart; both knees bend by lowering the hips.
    bends = clause.direction is Direction.BEND or Relation.RIGHT_ANGLE in clause.relations
    one = bends and len(clause.side.of_body) == 1 and float(stance_width(body)) < WIDE
    if clause.part is Part.LEG or (clause.part is Part.KNEE and (seated or one)):
        return _names(clause, _LEG)
    return [joint for i, joint in enumerate(JOINTS) if _is(i, *_middle(clause.part))]


def _middle(part: Part) -> tuple[str, ...]:
    """Return the kinds of joints that bear nothing while the middle of the body moves."""
    match part:
        case Part.TRUNK | Part.HEAD | Part.SHOULDER:
            return ("head", "neck", "spine", "shoulder")
        case Part.BODY | Part.HIPS:
            return ("spine", "hip", "knee")
        case Part.ARM | Part.FOREARM | Part.HAND | Part.ELBOW | Part.LEG | Part.KNEE | Part.FOOT:
            return ()
        case _:
            assert_never(part)


def _falls(body: Array, bearing: Sequence[int]) -> bool:
    """Return whether the weight of a body is far from the joints that bear it."""
    found = Contacts(bearing, np.zeros(len(bearing)), [], body[[]], balanced=True)
    return not bearing or bool(found.off_balance(body[None]).max() > _FALLS)


def _smooth_max(places: Array) -> Array:
    """Return smooth maxima (n, k) of places (n, m, k); a kink where two places are level would break symmetry."""
    top = places.max(axis=1)
    return np.asarray(top + _SMOOTH * np.log(np.exp((places - top[:, None]) / _SMOOTH).sum(axis=1)))


def _names(clause: Clause, parts: Sequence[str]) -> list[str]:
    return [f"{side}_{part}" for side in clause.side.of_body for part in parts]


def _on_feet(rest: Sequence[int]) -> bool:
    return all(_is(joint, *_FOOT) for joint in rest)


def _is(joint: int, *kinds: str) -> bool:
    return _kind(joint) in kinds


def _kind(joint: int) -> str:
    return JOINTS[joint].rpartition("_")[2]
