"""Rows of the schema and the candidates of retrieval."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fmp_models.data.features import Joints, acceptable, choose_candidates, mean_distance
from fmp_models.data.pairs import MOMENTS, PictureName, Uid
from fmp_models.geometry import Clause, Direction, Part, Relation, Side, states_held

Pool = dict[PictureName, Joints]


def pool_of(seed: int, captures: int, spread: float) -> Pool:
    """Pictures of two characters at two spots, each pose moved ``spread`` metres or so from one body."""
    lots = np.random.default_rng(seed)
    body = lots.normal((0, 0, 4), 0.4, (20, 3))
    return {
        PictureName(Uid(animation, 3, character, capture, spot), moment): (
            body + lots.normal(0, spread, 3) + lots.normal(0, 0.05, (20, 3))
        ).astype(np.float32)
        for animation in (1, 2)
        for character in (3, 4)
        for spot in (0, 1)
        for capture in range(captures)
        for moment in MOMENTS
    }


def standing_at(x: float, z: float = 0.0) -> Joints:
    """Return a body shrunk to a point, so that the distances of two are those of their places."""
    return np.tile(np.array([x, 0.0, z]), (20, 1))


def pair_of(capture: int) -> tuple[PictureName, PictureName]:
    uid = Uid(1, 3, 3, capture, 0)
    return PictureName(uid, "current"), PictureName(uid, "target")


@given(st.integers(0, 10_000), st.integers(3, 12), st.sampled_from((0.03, 0.1, 0.3, 0.6, 1.2)), st.integers(0, 3))
def test_all_five_rules_hold_for_whatever_is_chosen(seed: int, captures: int, spread: float, choice: int) -> None:
    pool = pool_of(seed, captures, spread)
    current, target = pair_of(choice % captures)
    chosen = choose_candidates(current, target, pool, seed)
    assume(chosen is not None)
    distractors = [picture for picture in chosen.pictures if picture != target]
    assert len(set(chosen.pictures)) == 10
    assert len(distractors) == 9
    assert chosen.pictures[chosen.answer] == target
    assert mean_distance(pool[target], pool[current]) > 0.10
    for picture in distractors:
        assert 0.10 <= mean_distance(pool[picture], pool[target]) <= 1.0
        assert mean_distance(pool[picture], pool[current]) < 2.0
    assert current in distractors
    assert len({(p.uid.room, p.uid.character, p.uid.spot) for p in chosen.pictures}) == 1


def test_a_usual_pool_gives_candidates_for_its_pairs() -> None:
    pool = pool_of(seed=1, captures=12, spread=0.2)
    assert sum(choose_candidates(*pair_of(capture), pool, seed=1) is not None for capture in range(12)) >= 9


@pytest.mark.parametrize(
    ("away_from_target", "accepted"), [(0.0, False), (0.09, False), (0.11, True), (0.99, True), (1.01, False)]
)
def test_a_distractor_is_neither_too_near_to_the_target_nor_too_far(away_from_target: float, accepted: bool) -> None:  # noqa: FBT001
    others = standing_at(0, away_from_target)[None]
    assert acceptable(standing_at(0.5), standing_at(0), others)[0] == accepted


def test_a_distractor_is_nearer_than_two_metres_to_the_current_pose() -> None:
    others = np.stack([standing_at(-0.79), standing_at(-0.81)])
    assert acceptable(standing_at(1.2), standing_at(0), others).tolist() == [True, False]


def test_a_pair_that_hardly_moves_has_no_distractors() -> None:
    others = standing_at(0.5)[None]
    assert not acceptable(standing_at(0), standing_at(0.099), others).any()
    assert acceptable(standing_at(0), standing_at(0.101), others).all()


def test_a_distance_is_the_mean_over_the_joints_where_they_stand() -> None:
    still = np.zeros((20, 3))
    moved = still.copy()
    moved[:5] = [3, 0, 4]
    assert mean_distance(still, moved) == pytest.approx(5 * 5 / 20)
    assert mean_distance(still[None], np.stack([still, moved])).shape == (2,)


def test_too_small_a_pool_gives_none() -> None:
    pool = pool_of(seed=1, captures=12, spread=0.2)
    pair = pair_of(0)
    few = {picture: pool[picture] for picture in [*pair, *[p for p in sorted(pool) if p.uid.spot == 1]]}
    assert choose_candidates(*pair, few, seed=1) is None


def test_a_current_pose_too_far_from_its_target_gives_none() -> None:
    pool = pool_of(seed=1, captures=12, spread=0.2)
    current, target = pair_of(0)
    pool[current] = pool[target] + np.float32(1.0)
    assert choose_candidates(current, target, pool, seed=1) is None


def test_the_right_answer_stands_at_every_place_alike() -> None:
    pool = pool_of(seed=2, captures=12, spread=0.2)
    pair = pair_of(0)
    answers = Counter(chosen.answer for seed in range(2000) if (chosen := choose_candidates(*pair, pool, seed)))
    assert set(answers) == set(range(10))
    assert max(answers.values()) < 260
    assert min(answers.values()) > 140


def test_distractors_in_which_the_end_states_of_the_text_hold_come_first() -> None:
    pool = pool_of(seed=2, captures=30, spread=0.2)
    current, target = pair_of(0)
    plan = (Clause(Side.LEFT, Part.HAND, Direction.UP, relations=(Relation.SHOULDER_HEIGHT,)),)
    others = [picture for picture in pool if picture not in {current, target} and picture.uid.spot == 0]
    places = [picture for picture in others if picture.uid.character == 3]
    held = dict(zip(places, states_held(plan, np.stack([pool[picture] for picture in places])).tolist(), strict=True))
    assert set(held.values()) == {1, -1}
    chosen = choose_candidates(current, target, pool, 1, plan)
    unread = choose_candidates(current, target, pool, 1)
    assert chosen is not None
    assert unread is not None
    fitting = {picture for picture in places if acceptable(pool[current], pool[target], pool[picture][None])[0]}
    drawn = set(chosen.pictures) - {current, target}
    assert sum(held[picture] == 1 for picture in drawn) == min(8, sum(held[picture] == 1 for picture in fitting))
    assert sum(held[picture] == 1 for picture in drawn) > sum(
        held[p] == 1 for p in {*unread.pictures} - {current, target}
    )
    assert {*unread.pictures} - {current, target} <= fitting


def test_the_choice_depends_on_the_seed_and_not_on_the_order_of_the_pool() -> None:
    pool = pool_of(seed=3, captures=12, spread=0.2)
    pair = pair_of(0)
    backwards = dict(reversed(pool.items()))
    assert choose_candidates(*pair, pool, seed=5) == choose_candidates(*pair, backwards, seed=5)
    assert choose_candidates(*pair, pool, seed=5) != choose_candidates(*pair, pool, seed=6)
