"""How a body comes to rest: named only where both ways of resting are sure, and never downwards from lying."""

from __future__ import annotations

import numpy as np

from fmp_models.geometry.clauses import Direction, Part, Relation
from fmp_models.geometry.planning.planner import make_plan
from fmp_models.geometry.relations import rest_of
from fmp_models.pose import PosePair
from tests.bodies import Arm, Body, Leg
from tests.fmp_models.geometry.test_attitudes import KNEELING, SITTING, STANDING, on_back, photographed
from tests.fmp_models.geometry.test_heights import FLAT, LONG_SIT, bridge, plank


def rests(current: np.ndarray, target: np.ndarray) -> set[tuple[Direction, Relation]]:
    plan = make_plan(PosePair(photographed(current), photographed(target)))
    return {(c.direction, relation) for c in plan if c.part is Part.BODY for relation in c.relations}


def test_nobody_is_lowered_until_they_sit_who_lies() -> None:
    for lying in (on_back(STANDING), on_back(FLAT), bridge(25), plank(0)):
        for seat in (LONG_SIT, SITTING.change(yaw=90.0).pose().joints):
            assert not {relation for direction, relation in rests(lying, seat) if direction is Direction.DOWN}
            assert not {relation for direction, relation in rests(seat, lying) if direction is Direction.UP}


def test_a_rest_is_named_where_it_is_sure_alone() -> None:
    sitting = SITTING.change(yaw=90.0).pose().joints
    standing = STANDING.change(yaw=90.0).pose().joints
    assert (Direction.DOWN, Relation.SITTING) in rests(standing, sitting)
    squat = Body(yaw=90.0, left_leg=Leg(lift=75, bend=90), right_leg=Leg(lift=75, bend=90)).pose().joints
    assert not rests(standing, squat)


def test_knees_drawn_up_under_a_bar_are_no_seat() -> None:
    up = {"left_arm": Arm(lift=175), "right_arm": Arm(lift=175), "yaw": 90.0}
    assert not rests(STANDING.change(**up).pose().joints, SITTING.change(**up).pose().joints)


def test_the_way_a_body_rests_is_told_apart_or_not_at_all() -> None:
    known = {Relation.SITTING: SITTING, Relation.KNEELING: KNEELING, Relation.STANDING: STANDING}
    for relation, body in known.items():
        assert rest_of(photographed(body.change(yaw=90.0).pose().joints)) is relation
    assert rest_of(photographed(LONG_SIT)) is Relation.SITTING
    assert rest_of(photographed(on_back(STANDING))) is Relation.LYING
    for between in (Leg(lift=75, bend=95), Leg(lift=60, bend=80)):
        assert rest_of(photographed(Body(yaw=90.0, left_leg=between, right_leg=between).pose().joints)) is None
