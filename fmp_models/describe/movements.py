"""Movements as a trainer says them, each for one or several clauses: arms, legs and trunk separately.

A movement has the key of its words and the end states that it surely reaches; equal movements of left and
right are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from fmp_models.describe.limb_movements import AT_REST, FACING, Entry, Facts, Movement, arms, legs
from fmp_models.geometry.attitudes import is_standing
from fmp_models.geometry.clauses import Clause, Degree, Direction, Part, Relation, Side
from fmp_models.geometry.lexicon import BODY_TURNS, HORIZONTAL, VERTICAL
from fmp_models.geometry.pose_values import FORWARD, LEFT, UP, lean, trunk_tilt, trunk_twist
from fmp_models.geometry.shapes.shape import Region
from fmp_models.geometry.shapes.table import (
    KNEES,
    THIGHS,
)
from fmp_models.geometry.shapes.values import along, face_up, over_floor
from fmp_models.pose import BODY_SIDES

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


def region_of(part: Part) -> Region | None:
    """Return the region of shapes that a part belongs to; ``None`` for heads and shoulders."""
    match part:
        case Part.ARM | Part.FOREARM | Part.HAND | Part.ELBOW:
            return Region.ARMS
        case Part.LEG | Part.KNEE | Part.FOOT | Part.BODY | Part.HIPS:
            return Region.LEGS
        case Part.TRUNK:
            return Region.TRUNK
        case Part.HEAD | Part.SHOULDER:
            return None
        case _:
            assert_never(part)


def _shapes(plan: Sequence[Clause], facts: Facts) -> list[Entry]:
    """Return new shapes whose regions change; the shape's name covers all clauses of its regions."""
    entries: list[Entry] = []
    said: set[Clause] = set()
    for held in dict.fromkeys(facts.new_shapes.values()):
        clauses = tuple(
            clause
            for clause in plan
            if region_of(clause.part) in held.shape.regions
            and clause.direction not in BODY_TURNS
            and clause not in said
        )
        sides = {side for clause in clauses for side in clause.side.each} - {Side.NONE}
        one_sided = not held.shape.sided and sides != {Side.LEFT, Side.RIGHT}
        alone = one_sided and not any(clause.part is Part.BODY for clause in clauses)
        body = Region.ARMS not in held.shape.regions
        if not clauses or alone or (body and not _rests(clauses) and (len(clauses) == 1 or held.shape.name in AT_REST)):
            continue
        if held.shape.name == "seated" and facts.sits_up:
            continue  # "sit up" covers it
        if held.shape.name == "tree" and _foot_leaves_leg(clauses, held.side):
            continue
        order = 2 if Region.LEGS in held.shape.regions else 32
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
