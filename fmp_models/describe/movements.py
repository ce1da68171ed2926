"""Movements as a trainer says them, each for one or several clauses: arms, legs and trunk separately.

A movement has the key of its words, the end states that it surely reaches and the other actions of the same limb. A
limb has one or two movements; equal movements of left and right are one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from fmp_models.geometry import (
    ARM_WAYS,
    BODY_TURNS,
    ELBOWS,
    FORWARD,
    HAND_HEIGHTS,
    HAND_PLACES,
    HORIZONTAL,
    KNEE_HEIGHTS,
    KNEES,
    LEFT,
    PAIRED,
    SOLE_PLACES,
    STANCES,
    THIGHS,
    UP,
    VERTICAL,
    Clause,
    Degree,
    Direction,
    HeldShape,
    Part,
    Plan,
    Range,
    Relation,
    ShapeRegion,
    Side,
    along,
    face_up,
    held_among,
    held_shapes,
    is_lying,
    is_standing,
    knee_angle,
    lean,
    over_floor,
    surely_holds,
    trunk_tilt,
    trunk_twist,
)
from fmp_models.pose import BODY_SIDES, BodySide, PosePair

_BOWED, _BENT_OVER = 35.0, 60.0  # degrees of the trunk: beyond them elbows are drawn up; heights mean little
FACING = 0.3  # cosine of the chest's front with up or down from which a body lies on its back or belly
_FREE = 0.25  # trunk lengths of one foot above the other from which it carries no weight
_BENT = 130.0  # degrees at the knee
_KNEE_AHEAD = 0.15  # trunk lengths of a knee in front of its hip from which the knee counts as lifted

Ends = Mapping[str, tuple[Range, ...]]


@dataclass(frozen=True)
class Movement:
    """One movement: ``key`` names the words, ``part`` the body part, ``ends`` the end states.

    ``tails`` are added about the same limb; ``order`` sorts movements from the base of the body to its top.
    """

    key: str
    part: str = ""
    side: Side = Side.NONE
    degree: Degree = Degree.PLAIN
    ends: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()
    order: int = 0

    @property
    def small(self) -> bool:
        """True if the movement is a detail."""
        return self.degree is Degree.SLIGHT and not self.ends


Entry = tuple[Movement, Plan]


class Facts:
    """A pair and the target's ``shapes`` that may be named, the most specific first; all held shapes by default."""

    def __init__(self, pair: PosePair, shapes: Sequence[HeldShape] | None = None) -> None:
        self.pair = pair
        self.shapes = held_shapes(pair.target) if shapes is None else shapes

    @cached_property
    def _before(self) -> frozenset[tuple[str, Side]]:
        """The shapes that the current pose already holds."""
        shapes = tuple(dict.fromkeys(held.shape for held in self.shapes))
        return frozenset((held.shape.name, held.side) for held in held_among(shapes, self.pair.current))

    @cached_property
    def new_shapes(self) -> dict[ShapeRegion, HeldShape]:
        """The most specific shape of each region that the target holds and the current pose does not."""
        found: dict[ShapeRegion, HeldShape] = {}
        for held in self.shapes:
            if (held.shape.name, held.side) in self._before:
                continue
            for region in held.shape.regions:
                found.setdefault(region, held)
        return found

    @cached_property
    def lies(self) -> tuple[bool, bool]:
        """Whether the body lies, before and after."""
        return bool(is_lying(self.pair.current.joints)), bool(is_lying(self.pair.target.joints))

    @cached_property
    def sits_up(self) -> bool:
        """True if a lying body sits up."""
        return self.lies == (True, False) and any(held.shape.name in AT_REST for held in self.shapes)

    def new_place(self, side: Side, *, alike: bool) -> tuple[str, ...]:
        """Return the place that the hand surely reaches and does not surely hold yet; empty for a body that lies.

        Also empty if both arms move ``alike`` and only one hand surely reaches a place: the text would separate
        them.
        """
        parts = alike and not self.end(HAND_PLACES, side.mirrored)
        place = () if any(self.lies) or parts else self.end(HAND_PLACES, side)
        return tuple(name for name in place if not surely_holds(HAND_PLACES[name], self.pair.current, side))

    def end(self, ends: Ends, side: Side) -> tuple[str, ...]:
        """Return the first of the end states that the target surely reaches, or none."""
        return next(((name,) for name, ranges in ends.items() if surely_holds(ranges, self.pair.target, side)), ())


# Resting shapes, described as new only if the body surely changes its way of resting.
AT_REST = {"seated", "kneeling", "long_sitting", "cross_legged", "lying_back", "lying_front"}


def legs(plan: Sequence[Clause], facts: Facts) -> list[Entry]:
    """Return the movements of legs, feet and hips."""
    entries = _of_sides([c for c in plan if c.part.limb is Part.LEG], _leg, facts)
    for clause in plan:
        if clause.part is Part.FOOT and clause.direction in PAIRED:
            ends = tuple(relation.name.lower() for relation in clause.relations if relation in STANCES)
            entries.append(
                (Movement(f"feet_{clause.direction.value}", degree=clause.degree, ends=ends, order=10), (clause,))
            )
        elif clause.part is Part.HIPS:
            entries.append((Movement(f"hips_{clause.direction.value}", degree=clause.degree, order=15), (clause,)))
    return _one_foot_steps(entries, facts)


def _one_foot_steps(entries: list[Entry], facts: Facts) -> list[Entry]:
    """Return the movements with one step of one foot where two of them describe the same change between the feet.

    One foot forward is the other one back, and a foot that steps out or is put down sets the feet apart. The
    standing foot does not step while the other one is held off the floor.
    """
    steps = {(movement.key, movement.side): (movement, clauses) for movement, clauses in entries}
    for (key, side), (movement, clauses) in steps.items():
        other_side = side.mirrored
        other_steps = [
            steps[other_key, of_side]
            for other_key in _SAME_STEP.get(key, ())
            for of_side in (other_side, Side.NONE)
            if (other_key, of_side) in steps
        ]
        alone = side in {Side.LEFT, Side.RIGHT} and (key, other_side) not in steps
        if not alone or not other_steps or any(entry not in entries for entry in other_steps):
            continue
        (other_movement, other_clauses), *_ = other_steps
        entries.remove((other_movement, other_clauses))
        if other_movement.side is not Side.NONE and _is_free(other_side.of_body[0], facts):
            step = replace(other_movement, key=f"free_{other_movement.key}")
        else:
            step = replace(movement, ends=other_movement.ends)
        entries[entries.index(steps[key, side])] = step, (*clauses, *other_clauses)
    return entries


def _is_free(side: BodySide, facts: Facts) -> bool:
    return float(along(UP, "{side}_ankle", "{other}_ankle")(facts.pair.target.joints, side)) > _FREE


_SAME_STEP = {
    "foot_forward": ("foot_backward",),
    "foot_out": ("feet_apart",),
    "foot_in": ("feet_together",),
    "put_down": ("feet_together", "feet_apart"),
}
Limb = dict[tuple[Part, Direction], Clause]


def _leg(limb: Limb, side: BodySide, facts: Facts) -> Iterator[tuple[Movement, list[Clause]]]:
    """Yield the movements of one leg: lifting or lowering it, bending or stretching its knee, moving its foot."""
    this = Side(side)
    up, down = limb.pop((Part.LEG, Direction.UP), None), limb.pop((Part.LEG, Direction.DOWN), None)
    bend = limb.pop((Part.KNEE, Direction.BEND), None)
    stretch = limb.pop((Part.KNEE, Direction.STRAIGHTEN), None)
    ways = (Direction.FORWARD, Direction.BACKWARD, Direction.OUT, Direction.IN)
    feet = [limb.pop((Part.FOOT, way)) for way in ways if (Part.FOOT, way) in limb]
    knee = facts.end(KNEES, this)
    if up is not None:
        clauses = [clause for clause in (up, bend, stretch, *feet) if clause is not None]
        yield _lifted(up, stretch or bend, side, facts), clauses
    elif down is not None:
        ground: tuple[str, ...] = ("on_ground",) if Relation.ON_GROUND in down.relations else ()
        tails = ("knee_straight",) if knee == ("straight",) and (stretch or not bend) else ()
        lowers = any(facts.lies) or not ground
        key, part, ends = ("lower_leg", "leg", ground) if lowers else ("put_down", "foot", ())
        clauses = [clause for clause in (down, stretch, *feet) if clause is not None]
        yield Movement(key, part, this, down.degree, ends, tails, 12), clauses
        if bend is not None:
            yield Movement("bend", "knee", this, bend.degree, knee if knee == ("right_angle",) else (), (), 12), [bend]
    else:
        for clause in feet:
            yield Movement(f"foot_{clause.direction.value}", "foot", this, clause.degree, (), (), 10), [clause]
        if bend is not None:
            yield Movement("bend", "knee", this, bend.degree, knee if knee == ("right_angle",) else (), (), 12), [bend]
        if stretch is not None:
            ends = knee if knee != ("right_angle",) else ()
            yield Movement("stretch", "knee", this, stretch.degree, ends, (), 12), [stretch]
    for (part, direction), clause in limb.items():
        if part is Part.FOOT and direction in {Direction.TURN_OUT, Direction.TURN_IN}:
            yield (
                Movement(f"toes_{direction.value.removeprefix('turn ')}", "foot", this, clause.degree, (), (), 16),
                [clause],
            )


def _lifted(up: Clause, of_knee: Clause | None, side: BodySide, facts: Facts) -> Movement:
    this = Side(side)
    joints = facts.pair.target.joints
    if Relation.AGAINST_LEG in up.relations:
        return Movement("sole_to_leg", "leg", this, ends=facts.end(SOLE_PLACES, this), order=12)
    bent = float(knee_angle(joints, side)) < _BENT
    if any(facts.lies):
        bends = bent and of_knee is not None and of_knee.direction is Direction.BEND
        if bends and float(face_up(joints, side)) < -FACING:
            return Movement("heel_back", "foot", this, up.degree, (), (), 12)
        stretches = of_knee is not None and of_knee.direction is Direction.STRAIGHTEN and not bent
        tails = ("knee_bent",) if bends else ("knee_straight",) if stretches else ()
        return Movement("lift_leg", "leg", this, up.degree, (), tails, 12)
    ahead, out = (float(along(axis, "{side}_ankle", "{side}_hip")(joints, side)) for axis in (FORWARD, LEFT))
    if bent:
        height = facts.end(KNEE_HEIGHTS, this)
        forward = float(along(FORWARD, "{side}_knee", "{side}_hip")(joints, side))
        key = "lift_knee" if height or forward > _KNEE_AHEAD else "heel_back"
        tails = ("knee_right_angle",) if key == "lift_knee" and facts.end(KNEES, this) == ("right_angle",) else ()
        return Movement(key, "knee" if key == "lift_knee" else "foot", this, up.degree, height, tails, 12)
    way = "side" if out > abs(ahead) else "front" if ahead > 0 else "back"
    tails = ("knee_straight",) if facts.end(KNEES, this) == ("straight",) else ()
    return Movement(f"lift_{way}", "leg", this, up.degree, (), tails, 12)


def arms(plan: Sequence[Clause], facts: Facts) -> list[Entry]:
    """Return the movements of arms and hands."""
    moved = [c for c in plan if c.part.limb is Part.ARM]
    of_sides = {side: {(c.part, c.direction) for c in moved if side in c.side.each} for side in (Side.LEFT, Side.RIGHT)}
    entries = _of_sides(moved, partial(_arm, of_sides=of_sides), facts)
    for clause in plan:
        if clause.part is Part.HAND and clause.direction in PAIRED:
            entries.append((Movement(f"hands_{clause.direction.value}", degree=clause.degree, order=34), (clause,)))
    return entries


def _arm(
    limb: Limb, side: BodySide, facts: Facts, of_sides: Mapping[Side, set[tuple[Part, Direction]]]
) -> Iterator[tuple[Movement, list[Clause]]]:
    """Yield one arm's movement: where the hand ends, which way the arm goes, and what the elbow does."""
    this = Side(side)
    of_other = of_sides[this.mirrored]

    def first(*directions: Direction) -> Clause | None:
        parts = (Part.ARM, Part.HAND, Part.FOREARM)
        return next((limb[part, d] for part in parts for d in directions if (part, d) in limb), None)

    vertical = first(Direction.UP, Direction.DOWN)
    swing = first(Direction.OUT, Direction.IN, Direction.FORWARD, Direction.BACKWARD)
    elbow = limb.get((Part.ELBOW, Direction.BEND)) or limb.get((Part.ELBOW, Direction.STRAIGHTEN))
    clauses = list(limb.values())
    place = facts.new_place(this, alike=bool(of_other & limb.keys()))
    trunk = float(trunk_tilt(facts.pair.target.joints))
    upright = trunk < _BENT_OVER
    height = facts.end(HAND_HEIGHTS, this) if upright else ()
    straight = facts.end(ELBOWS, this)
    tails = () if elbow is None else _elbow_tail(elbow, straight)
    if height == ("overhead",) and set(tails) & set(_SENSES[1]):
        height = ("above_head",)  # an arm straight up is not bent
    if place and (vertical or swing or elbow):
        yield Movement("hand_to", "hand", this, ends=place, order=30), clauses
    elif drawn := _drawn(vertical, swing, elbow, bowed=trunk > _BOWED, lies=any(facts.lies)):
        ends = straight if straight == ("right_angle",) else ()
        yield Movement(drawn, "elbow", this, Degree.PLAIN, ends, (), 30), clauses
    elif vertical is not None and (elbow is None or (Part.ARM, vertical.direction) in {*limb, *of_other}):
        key = "raise" if vertical.direction is Direction.UP else "lower"
        if key == "lower" and height == ("hanging",):
            yield Movement("lower", "arm", this, ends=height, order=30), clauses
            return
        ways = facts.end(ARM_WAYS, this) if key == "raise" and upright and height != ("overhead",) else ()
        if not ways and swing is not None:
            tails = (f"arm_{swing.direction.value}", *tails)
        height = tuple(end for end in height if end != "hanging" and (key, end) not in _NEVER)
        yield Movement(key, "arm", this, vertical.degree, (*ways, *height), tails, 30), clauses
    elif vertical is None and swing is not None:
        yield Movement(f"arm_{swing.direction.value}", "arm", this, swing.degree, (), tails, 31), clauses
    elif elbow is not None:
        yield replace(_by_elbow(elbow, vertical, swing, height, straight), side=this), clauses


_NEVER = {("raise", "hip"), ("lower", "overhead"), ("lower", "above_head")}


def _by_elbow(
    elbow: Clause,
    vertical: Clause | None,
    swing: Clause | None,
    height: tuple[str, ...],
    straight: tuple[str, ...],
) -> Movement:
    """Return the movement of an elbow, which may raise or lower the hand."""
    bend = elbow.direction is Direction.BEND
    key = "bend" if bend else "stretch"
    if vertical is None:
        reached = straight if straight == (("right_angle",) if bend else ("straight",)) else ()
        return Movement(key, "elbow", Side.NONE, elbow.degree, reached, (), 33)
    ways = () if swing is None or swing.degree is Degree.SLIGHT else (f"arm_{swing.direction.value}",)
    ends = tuple(end for end in height if end != "hanging")
    return Movement(f"{key}_hand_{vertical.direction.value}", "elbow", Side.NONE, elbow.degree, ends, ways, 30)


def _drawn(
    vertical: Clause | None, swing: Clause | None, elbow: Clause | None, *, bowed: bool, lies: bool
) -> str | None:
    """Return the key of an elbow that is drawn up or back, as in a row; ``None`` for any other bend."""
    if elbow is None or elbow.direction is not Direction.BEND or lies:
        return None
    if vertical is not None:
        lifts = bowed and (vertical.part, vertical.direction) == (Part.ARM, Direction.UP)
        return "draw_up" if lifts else None
    is_back = swing is not None and (swing.part, swing.direction) == (Part.ARM, Direction.BACKWARD)
    return "draw_back" if is_back else None


def _elbow_tail(elbow: Clause, straight: tuple[str, ...]) -> tuple[str, ...]:
    slight = elbow.degree is Degree.SLIGHT
    if elbow.direction is Direction.STRAIGHTEN:
        return ("elbow_straight" if straight == ("straight",) else f"elbow_{'bit_' * slight}straighter",)
    return ("elbow_right_angle" if straight == ("right_angle",) else "elbow_bit_bent" if slight else "elbow_bent",)


def _of_sides(
    clauses: Sequence[Clause],
    of_side: Callable[[Limb, BodySide, Facts], Iterator[tuple[Movement, list[Clause]]]],
    facts: Facts,
) -> list[Entry]:
    """Return the movements of left and right, merged where both sides can be described as one."""
    entries: list[Entry] = []
    for side in (Side.LEFT, Side.RIGHT):
        limb: Limb = {(c.part, c.direction): c for c in clauses if side in c.side.each and c.direction not in PAIRED}
        for movement, said in of_side(limb, side.of_body[0], facts):
            twin = next(
                (entry for entry in entries if entry[0].side is not side and entry[0].key == movement.key), None
            )
            both = None if twin is None else _of_both(twin[0], movement)
            if twin is None or both is None:
                entries.append((movement, tuple(said)))
            else:
                entries[entries.index(twin)] = both, tuple(dict.fromkeys([*twin[1], *said]))
    return entries


def _of_both(left: Movement, right: Movement) -> Movement | None:
    """Return one movement for both sides, or ``None`` if they end in different places.

    End states and tails of one side only are left out.
    """
    bent = [bool(set(movement.tails) & set(_SENSES[1])) for movement in (left, right)]
    if left.part != right.part or bent[0] is not bent[1]:
        return None
    ends = left.ends
    if left.ends != right.ends:
        ends = tuple(end for end in left.ends if end in right.ends)
        high = all(set(movement.ends) & _HIGH for movement in (left, right))
        if high:
            ends = (*(end for end in ends if end not in _HIGH), "above_head")
        elif left.ends and right.ends and not ends and left.key in {"raise", "lower", "hand_to"}:
            return None
    tails = tuple(tail for tail in left.tails if tail in right.tails)
    for sense in _SENSES:
        if not tails and all(set(movement.tails) & set(sense) for movement in (left, right)):
            tails = (sense[-1],)
    degrees = {left.degree, right.degree}
    degree = left.degree if len(degrees) == 1 else Degree.PLAIN
    return replace(left, side=Side.BOTH, ends=ends, tails=tails, degree=degree)


_HIGH = {"overhead", "above_head"}
_SENSES = (
    ("elbow_straight", "elbow_bit_straighter", "elbow_straighter"),
    ("elbow_right_angle", "elbow_bit_bent", "elbow_bent"),
)


_UPRIGHT = 12.0  # degrees of the trunk from upright below which it does not lean
_LEVEL_BACK, _FOLDED = (75.0, 108.0), 112.0  # degrees of the trunk from upright
_AS_ONE = 20.0  # degrees between legs and trunk, within which the whole body leans in one line
_HELD_UP, _IN_PLACE = 0.4, 0.45  # trunk lengths of shoulders over supporting hands, and of these hands from the floor


def movements(plan: Sequence[Clause], facts: Facts) -> list[Entry]:
    """Return the movements for the clauses of a plan; each side of a clause is in one of them."""
    left = list(plan)
    entries: list[Entry] = []
    for find in (_shapes, _push_up, _lean_as_one, _whole_body, legs, _trunk, arms, _others):
        found = find(left, facts)
        entries += found
        said = {clause for _, clauses in found for clause in clauses}
        left = [clause for clause in left if clause not in said]
    return entries


def _shapes(plan: Sequence[Clause], facts: Facts) -> list[Entry]:
    """Return new shapes whose regions change; the shape's name covers all clauses of its regions."""
    entries: list[Entry] = []
    said: set[Clause] = set()
    for held in dict.fromkeys(facts.new_shapes.values()):
        clauses = tuple(
            clause
            for clause in plan
            if clause.part.region in held.shape.regions and clause.direction not in BODY_TURNS and clause not in said
        )
        sides = {side for clause in clauses for side in clause.side.each} - {Side.NONE}
        one_sided = not held.shape.sided and sides != {Side.LEFT, Side.RIGHT}
        alone = one_sided and not any(clause.part is Part.BODY for clause in clauses)
        body = ShapeRegion.ARMS not in held.shape.regions
        if not clauses or alone or (body and not _rests(clauses) and (len(clauses) == 1 or held.shape.name in AT_REST)):
            continue
        if held.shape.name == "seated" and facts.sits_up:
            continue  # "sit up" covers it
        if held.shape.name == "tree" and _foot_leaves_leg(clauses, held.side):
            continue
        order = 2 if ShapeRegion.LEGS in held.shape.regions else 32
        ends = facts.end(THIGHS, Side.BOTH) if held.shape.name == "squat" else ()
        entries.append((Movement(held.shape.name, "shape", held.side, ends=ends, order=order), clauses))
        said.update(clauses)
    return entries


def _foot_leaves_leg(clauses: Sequence[Clause], side: Side) -> bool:
    """Return whether the lifted foot moves forward and no clause places it against the other leg."""
    touches = any(Relation.AGAINST_LEG in clause.relations for clause in clauses)
    forward = [c for c in clauses if (c.part, c.direction) == (Part.FOOT, Direction.FORWARD) and side in c.side.each]
    return bool(forward) and not touches


def _rests(clauses: Sequence[Clause]) -> bool:
    return any(relation in _RESTS for clause in clauses for relation in clause.relations)


_RESTS = {Relation.STANDING: "stand", Relation.SITTING: "sit", Relation.KNEELING: "kneel", Relation.LYING: "lie"}


def _push_up(plan: Sequence[Clause], facts: Facts) -> list[Entry]:
    """Return the movement of a chest that goes down or up between fixed hands; it covers all clauses of the arms."""
    bends = {side: clause for clause in plan if clause.part is Part.ELBOW for side in clause.side.each}
    ways = {clause.direction for clause in bends.values()}
    if len(bends) != len(BODY_SIDES) or len(ways) != 1 or not _is_on_hands(facts):
        return []
    down = ways == {Direction.BEND}
    moved = {Direction.FORWARD, Direction.BACKWARD, Direction.DOWN if down else Direction.UP}
    along_with = [c for c in plan if c.part in {Part.BODY, Part.TRUNK} and c.direction in moved]
    of_arms = [c for c in plan if c.part.limb is Part.ARM]
    degree = max((clause.degree for clause in bends.values()), key=_DEGREES.index)
    key = "chest_to_floor" if down else "chest_from_floor"
    return [(Movement(key, degree=degree, order=30), (*of_arms, *along_with))]


def _is_on_hands(facts: Facts) -> bool:
    """Return whether the body faces the floor on both hands, before and after."""
    poses = [pose.joints for pose in (facts.pair.current, facts.pair.target)]
    held, hands = (
        [sum(float(height(joints, side)) / len(BODY_SIDES) for side in BODY_SIDES) for joints in poses]
        for height in (_SHOULDER_OVER_HAND, _HAND_OVER_FLOOR)
    )
    in_place = max(map(abs, hands)) < _IN_PLACE and abs(hands[1] - hands[0]) < abs(held[1] - held[0]) / 2
    down = all(float(face_up(joints, "left")) < -FACING for joints in poses)
    return all(facts.lies) and down and in_place and max(held) > _HELD_UP


_SHOULDER_OVER_HAND, _HAND_OVER_FLOOR = along(UP, "{side}_shoulder", "{side}_wrist"), over_floor("{side}_wrist")


def _lean_as_one(plan: Sequence[Clause], facts: Facts) -> list[Entry]:
    """Return a lean from the ankles: hips and trunk move forward together over straight legs."""
    parts = {clause.part: clause for clause in plan if clause.direction is Direction.FORWARD}
    if not {Part.HIPS, Part.TRUNK} <= parts.keys() or any(facts.lies):
        return []
    joints = facts.pair.target.joints
    of_trunk = float(lean(joints, "hip", "neck", FORWARD))
    of_legs = [float(lean(joints, f"{side}_ankle", "hip", FORWARD)) for side in BODY_SIDES]
    if min(of_legs) < _UPRIGHT or max(abs(of_trunk - of_leg) for of_leg in of_legs) > _AS_ONE:
        return []
    clauses = (parts[Part.TRUNK], parts[Part.HIPS])
    return [(Movement("lean_as_one", degree=clauses[0].degree, order=14), clauses)]


def _whole_body(plan: Sequence[Clause], facts: Facts) -> list[Entry]:
    """Return getting up or down, turning, and hips that sink or rise with both knees."""
    entries: list[Entry] = []
    body = [clause for clause in plan if clause.part is Part.BODY]
    for clause in body:
        if clause.direction in BODY_TURNS:
            side = Side.LEFT if clause.direction is Direction.TURN_LEFT else Side.RIGHT
            key = "roll" if all(facts.lies) else "turn"
            entries.append((Movement(key, side=side, degree=clause.degree, order=1), (clause,)))
    height = next((clause for clause in body if clause.direction in VERTICAL), None)
    if height is not None and height.direction is Direction.UP and facts.sits_up:
        return entries  # covered with the trunk
    leans = [c for c in plan if c.part is Part.TRUNK and c.direction in {Direction.FORWARD, Direction.BACKWARD}]
    lies_down = facts.lies == (False, True) and _lying_on(facts) == "on_back"
    if height is not None and height.direction is Direction.DOWN and leans and lies_down:
        entries.append((Movement("lie", ends=("on_back",), order=0), (height, *leans)))
        return entries
    rest = next((_RESTS[r] for r in height.relations if r in _RESTS), None) if height else None
    if height is not None and rest is not None:
        legs = [c for c in plan if c.side is Side.BOTH and c.part in {Part.KNEE, Part.LEG}]
        ends: tuple[str, ...] = (_lying_on(facts),) if rest == "lie" else ()
        entries.append((Movement(rest, ends=ends, order=0), (height, *legs)))
        return entries
    knees = {side: clause for clause in plan if clause.part is Part.KNEE for side in clause.side.each}
    ways = {clause.direction for clause in knees.values()}
    lifted = any(clause.part is Part.LEG for clause in plan)
    if len(knees) > 1 and len(ways) == 1 and not any(facts.lies) and not lifted:
        down = ways == {Direction.BEND}
        along = [height] if height and (height.direction is Direction.DOWN) == down else []
        back = Direction.BACKWARD if down else Direction.FORWARD
        along += [clause for clause in plan if clause.part is Part.HIPS and clause.direction is back]
        stood = (facts.pair.current if down else facts.pair.target).joints
        if along or bool(is_standing(stood)):  # else the knees move in the air, or the person sits
            ends = facts.end(THIGHS, Side.BOTH) if down else facts.end(_STRAIGHT_KNEES, Side.BOTH)
            degree = max((clause.degree for clause in knees.values()), key=_DEGREES.index)
            clauses = tuple(dict.fromkeys([*knees.values(), *along]))
            return [*entries, (Movement("sink" if down else "rise", degree=degree, ends=ends, order=11), clauses)]
    hips = next((c for c in plan if (c.part, c.direction) == (Part.HIPS, Direction.BACKWARD)), None)
    if height is not None and height.direction is Direction.DOWN and hips is not None and not any(facts.lies):
        entries.append((Movement("hips_down_backward", degree=height.degree, order=11), (height, hips)))
    elif height is not None:
        same = Direction.STRAIGHTEN if height.direction is Direction.UP else Direction.BEND
        of_knees = [c for c in knees.values() if c.direction is same] if not any(facts.lies) else []
        slight = all(clause.degree is Degree.SLIGHT for clause in (height, *of_knees))
        key = "hips" if any(facts.lies) else "body"
        word = f"{key}_{'up' if height.direction is Direction.UP else 'down'}"
        entries.append((Movement(word, degree=height.degree, order=14), (height, *(of_knees if slight else ()))))
    return entries


_DEGREES = tuple(Degree)
_STRAIGHT_KNEES = {name: KNEES[name] for name in ("straight", "nearly_straight")}


def _lying_on(facts: Facts) -> str:
    up = float(face_up(facts.pair.target.joints, "left"))
    return "on_back" if up > FACING else "on_front" if up < -FACING else "on_side"


def _trunk(plan: Sequence[Clause], facts: Facts) -> list[Entry]:
    """Return leans, folds, side bends, twists and straightening up."""
    joints = facts.pair.target.joints
    before, after = (float(trunk_tilt(pose.joints)) for pose in (facts.pair.current, facts.pair.target))
    clauses = {clause.direction: clause for clause in plan if clause.part is Part.TRUNK}
    entries: list[Entry] = []
    leans = [c for d, c in clauses.items() if d in HORIZONTAL]
    rises = [c for c in plan if facts.sits_up and (c.part, c.direction) == (Part.BODY, Direction.UP)]
    if facts.sits_up and (rises or leans):
        entries.append((Movement("sit_up", order=1), (*rises, *leans)))
        leans = []
    elif leans and after < _UPRIGHT and before > after:
        entries.append((Movement("upright", order=20), tuple(leans)))
        leans = []
    for clause in leans:
        forward = clause.direction is Direction.FORWARD
        if clause.direction in {Direction.LEFT, Direction.RIGHT}:
            now = float(lean(joints, "hip", "neck", LEFT)) * (1 if clause.direction is Direction.LEFT else -1)
            key = "bend_side" if now > _UPRIGHT / 2 else "from_side"
            entries.append(
                (Movement(key, side=Side(clause.direction.value), degree=clause.degree, order=20), (clause,))
            )
        elif any(facts.lies):
            up = float(face_up(joints, "left"))
            key = ("curl_up" if forward else "lie_back") if up > -FACING else ("chest_down" if forward else "chest_up")
            entries.append((Movement(key, degree=clause.degree, order=20), (clause,)))
        elif forward:
            ends = ("back_level",) if _LEVEL_BACK[0] < after < _LEVEL_BACK[1] else ()
            key = (
                "fold"
                if after > _FOLDED
                else "lean_forward"
                if float(lean(joints, "hip", "neck", FORWARD)) > 0
                else "from_back"
            )
            entries.append((Movement(key, degree=clause.degree, ends=ends, order=20), (clause,)))
        else:
            key = "lean_back" if float(lean(joints, "hip", "neck", FORWARD)) < -_UPRIGHT / 2 else "chest_higher"
            entries.append((Movement(key, degree=clause.degree, order=20), (clause,)))
    for direction in BODY_TURNS & clauses.keys():
        sign = 1 if direction is Direction.TURN_LEFT else -1
        key = "twist" if float(trunk_twist(joints)) * sign > _UPRIGHT else "untwist"
        side = Side.LEFT if sign > 0 else Side.RIGHT
        entries.append((Movement(key, side=side, degree=clauses[direction].degree, order=21), (clauses[direction],)))
    return entries


def _others(plan: Sequence[Clause], facts: Facts) -> list[Entry]:  # noqa: ARG001  same signature as the others
    """Return the movements of heads, shoulders and all remaining clauses."""
    order = {Part.SHOULDER: 29, Part.HEAD: 40}
    return [
        (
            Movement(
                f"{c.part.value}_{c.direction.value}".replace(" ", "_"),
                c.part.value,
                c.side,
                c.degree,
                order=order.get(c.part, 35),
            ),
            (c,),
        )
        for c in plan
    ]
