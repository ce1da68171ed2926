"""A unit at work: where its joints lie, what is left out, and whether its texts are true of its joints and its room."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from fmp_models.data.writing_rules import broken_rules
from fmp_models.describe.descriptions import SceneDescription
from fmp_models.geometry.content_selection import ElaborationKind, landmark_agrees
from fmp_models.geometry.verdicts import agrees
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_plan
from fmp_models.pose import INDEX
from fmp_models.sim.capture.render_job import RenderedPair, RenderJob, describe_pair, within
from fmp_models.sim.capture.schedule import Unit, captures_of
from fmp_models.sim.rooms import PlacedObject
from tests.nonempty import nonempty
from tests.thoroughness import thorough

Told = tuple[RenderedPair, dict[str, SceneDescription]]


@pytest.fixture(scope="module")
def shoot() -> RenderJob:
    return RenderJob(Unit(19, 4))


def usable(shoot: RenderJob, every: int) -> list[RenderedPair]:
    """Every n-th capture that has no flaw, without its pictures."""
    taken = [shoot.take(capture, pictures=False) for capture in captures_of(shoot.unit, 0)[::every]]
    pairs = [pair for pair in taken if pair.flaw is None]
    assert len(pairs) > 0.85 * len(taken)
    return pairs


@pytest.fixture(scope="module")
def pairs(shoot: RenderJob) -> list[RenderedPair]:
    return usable(shoot, 1)


@pytest.fixture(scope="module", params=[5, pytest.param(1, marks=thorough)], ids=["every fifth", "all"])
def told(request: pytest.FixtureRequest, shoot: RenderJob) -> list[Told]:
    """Pairs with what is told of them by language."""
    return [
        (pair, describe_pair(pair.poses, shoot.landmarks, pair.capture.uid, 0, 0))
        for pair in usable(shoot, request.param)
    ]


@thorough
def test_everybody_stands_upright_before_the_camera(pairs: list[RenderedPair]) -> None:
    for pair in nonempty(pairs):
        for joints in pair.joints:
            assert (joints[:, 2] > 1.5).all()
            ankles = joints[[INDEX["left_ankle"], INDEX["right_ankle"]], 1]
            assert joints[INDEX["hip"], 1] < ankles.max()  # y points down


@thorough
def test_the_current_and_the_target_of_a_pair_stand_in_one_room(pairs: list[RenderedPair]) -> None:
    """Both feet planted keep their place in camera coordinates: nobody slides and the camera stays."""
    still = [
        np.linalg.norm(pair.joints[1][INDEX[f"{side}_ankle"]] - pair.joints[0][INDEX[f"{side}_ankle"]])
        for pair in pairs
        for side in ("left", "right")
        if pair.capture.current.performance == pair.capture.target.performance
        and {"left": "L", "right": "R"}[side]
        in pair.capture.current.performance.take().planted(pair.capture.current.frame)
    ]
    assert np.median(still) < 0.03


@thorough
def test_the_person_is_in_the_picture_where_the_joints_say(shoot: RenderJob, pairs: list[RenderedPair]) -> None:
    capture = pairs[0].capture
    pair = shoot.take(capture)
    before, after = (np.asarray(Image.open(io.BytesIO(file)).convert("RGB"), dtype=float) for file in pair.pictures)
    assert before.shape == (224, 448, 3)
    changed = np.argwhere(np.abs(after - before).max(axis=2) > 40)
    moved = np.concatenate([shoot.pixels(shoot.place(moment)) for moment in (capture.current, capture.target)])
    assert (changed.min(axis=0)[::-1] > moved.min(axis=0) - 40).all()
    assert (changed.max(axis=0)[::-1] < moved.max(axis=0) + 40).all()


def test_every_clause_that_is_read_back_from_a_text_is_true_of_the_joints(told: list[Told]) -> None:
    verdicts = {code: [] for code in LANGUAGES}
    for pair, descriptions in nonempty(told):
        for code, description in descriptions.items():
            assert all(agrees(clause, pair.poses) for clause in description.clauses)
            verdicts[code] += [agrees(clause, pair.poses) for clause in read_plan(description.text, grammar(code))]
            assert broken_rules(description.text) == ()
    for code, agreements in nonempty(verdicts.items()):
        print(f"\n{code}: {np.mean([v is True for v in agreements]):.1%} of {len(agreements)} clauses agree")  # noqa: T201
        assert np.mean([verdict is True for verdict in agreements]) >= 0.98


def test_things_named_as_directions_lie_there(shoot: RenderJob, told: list[Told]) -> None:
    named = 0
    for pair, descriptions in told:
        for description in descriptions.values():
            for elaboration in description.elaborations:
                if elaboration.kind is ElaborationKind.LANDMARK:
                    named += 1
                    assert landmark_agrees(elaboration, pair.poses, shoot.landmarks)
    assert named > 0.2 * len(told)


def test_only_things_that_are_seen_and_alone_of_their_kind_are_named(shoot: RenderJob) -> None:
    kinds = [landmark.kind for landmark in shoot.landmarks]
    assert len(kinds) >= 4
    assert len(set(kinds)) == len(kinds)


@thorough
def test_the_same_capture_gives_the_same_files(shoot: RenderJob, pairs: list[RenderedPair]) -> None:
    again = RenderJob(shoot.unit)
    assert again.take(pairs[0].capture).pictures == shoot.take(pairs[0].capture).pictures


SOFA = PlacedObject("sofa", (), (0.0, 0.0, 0.4), ((-1.0, -0.5), (1.0, -0.5), (1.0, 0.5), (-1.0, 0.5)), 0.0, 0.8)


@pytest.mark.parametrize(
    ("place", "inside"),
    [
        ((0, 0, 0.4), True),
        ((0.9, 0.4, 0.2), True),
        ((0, 0, 0.02), True),
        ((1.2, 0, 0.4), False),
        ((0, 0, 1.2), False),
        ((0, -0.7, 0.3), False),
    ],
)
def test_a_joint_in_furniture_is_noticed(place: tuple[float, float, float], inside: bool) -> None:  # noqa: FBT001
    joints = np.tile([5.0, 5.0, 1.0], (20, 1))
    joints[3] = place
    assert within(SOFA, joints) is inside
    turned_round = replace(SOFA, corners=tuple(reversed(SOFA.corners)))
    assert within(turned_round, joints) is inside


def test_one_may_stand_on_a_rug() -> None:
    rug = replace(SOFA, kind="rug", low=0.0, high=0.01)
    assert not within(rug, np.zeros((20, 3)))
