"""The schedule of units, and a unit at work: where joints lie, what is left out, whether texts are true of a room."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fmp_models.data.pairs import MAX_PAIRS, PAPER_PAIRS, WIDE_FROM, scaled_sizes
from fmp_models.data.statistics import broken_rules
from fmp_models.describe.descriptions import SceneDescription
from fmp_models.errors import BadInputError
from fmp_models.geometry.content_selection import ElaborationKind, landmark_agrees
from fmp_models.geometry.verdicts import agrees
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_plan
from fmp_models.pose import INDEX
from fmp_models.sim.capture import (
    OFFSET,
    CaptureOrder,
    RenderedPair,
    RenderJob,
    Unit,
    all_units,
    begin,
    captures_of,
    describe_pair,
    share_for,
    units_for,
    wide_counts,
    within,
)
from fmp_models.sim.motions import MOTIONS
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
    for joints in nonempty(joints for pair in pairs for joints in pair.joints):
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
    named = [
        (elaboration, pair)
        for pair, descriptions in told
        for description in descriptions.values()
        for elaboration in description.elaborations
        if elaboration.kind is ElaborationKind.LANDMARK
    ]
    assert len(named) > 0.2 * len(told)
    for elaboration, pair in named:
        assert landmark_agrees(elaboration, pair.poses, shoot.landmarks)


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


KITCHEN = Unit(0, 1)


def test_every_room_is_visited_by_three_characters_at_a_spot_each_as_in_the_release() -> None:
    units = all_units()
    assert len(units) == 75
    assert Counter(unit.character for unit in units) == {0: 13, 1: 13, 2: 13, 3: 12, 4: 12, 5: 12}
    for room in range(25):
        assert {unit.spot for unit in units if unit.room == room} == {0, 1, 2}


def test_a_pair_is_captured_every_twenty_frames_ten_frames_apart_in_one_take() -> None:
    captures = captures_of(KITCHEN, seed=0)
    assert len(captures) == sum(motion.captures for motion in MOTIONS)
    for capture in captures:
        assert capture.current.performance == capture.target.performance
        assert capture.target.frame - capture.current.frame == OFFSET
        assert capture.current.frame == 20 * capture.uid.capture


def test_the_planned_captures_are_enough_for_the_papers_sizes_with_some_to_spare() -> None:
    units = units_for(PAPER_PAIRS, seed=0)
    share = share_for(PAPER_PAIRS, units)
    assert share <= 1  # nothing is performed twice
    assert sum(len(captures_of(unit, 0, share)) for unit in units) > 1.05 * PAPER_PAIRS


@given(st.integers(4, 2 * PAPER_PAIRS), st.integers(0, 5))
def test_any_number_of_pairs_has_units_of_every_split_and_captures_enough(pairs: int, seed: int) -> None:
    units = units_for(pairs, seed)
    assert {unit.split for unit in units} == {"train", "val_unseen", "test_unseen"}
    each = len(captures_of(units[0], seed, share_for(pairs, units)))
    sizes = scaled_sizes(pairs)
    wanted = {**sizes, "train": sizes["train"] + sizes["val_seen"]}
    for split, number in Counter(unit.split for unit in units).items():
        assert each * number >= 1.04 * wanted[split]
    characters = Counter(unit.character for unit in units if unit.split == "train")
    assert max(characters.values()) - min(characters.get(i, 0) for i in range(6)) <= 3


@given(st.integers(4, MAX_PAIRS))
def test_no_uid_is_given_twice(pairs: int) -> None:
    share = share_for(pairs, all_units())
    captures = captures_of(KITCHEN, 0, share)
    uids = [capture.uid for capture in captures]
    assert len(set(uids)) == len(uids)
    assert max(uid.capture for uid in uids) < WIDE_FROM


def test_a_long_recording_keeps_plain_and_wide_uids_apart() -> None:
    class Long:
        number, captures = 20, 200

    motions = (*MOTIONS, Long())
    share = share_for(MAX_PAIRS, all_units(), motions)  # type: ignore[arg-type]
    most = max(capture.uid.capture for capture in captures_of(KITCHEN, 0, share, motions))  # type: ignore[arg-type]
    assert most < WIDE_FROM


def test_more_pairs_than_the_paper_has_are_further_performances_not_the_same_again() -> None:
    once, twice = captures_of(KITCHEN, 0, 1.0), captures_of(KITCHEN, 0, 2.0)
    assert len(twice) == 2 * len(once)
    performances = {(c.current.performance, c.current.frame) for c in twice}
    assert len(performances) == len(twice)


def test_wide_pairs_train_in_training_rooms_and_are_evaluated_on_in_test_rooms_alone() -> None:
    counts = wide_counts(all_units(), PAPER_PAIRS)
    assert {unit.split for unit in counts["train"]} == {"train"}
    assert {unit.split for unit in counts["test_unseen"]} == {"test_unseen"}
    assert sum(counts["train"].values()) == round(0.65 * PAPER_PAIRS)
    assert sum(counts["test_unseen"].values()) == 300
    for of_units in counts.values():
        assert max(of_units.values()) - min(of_units.values()) <= 1
    least = wide_counts(units_for(4, 0), 4)
    assert all(sum(of_units.values()) for of_units in least.values())


@pytest.mark.parametrize("seed", [0, 7])
def test_the_schedule_depends_on_nothing_but_the_seed(seed: int) -> None:
    assert captures_of(KITCHEN, seed) == captures_of(KITCHEN, seed)
    assert captures_of(KITCHEN, seed) != captures_of(KITCHEN, seed + 1)


def test_a_folder_of_an_older_version_is_told_apart_from_this_one(tmp_path: Path) -> None:
    order = CaptureOrder(8, 0, [])
    begin(tmp_path, replace(order, version=1))
    with pytest.raises(BadInputError, match="by another version"):
        begin(tmp_path, order)
