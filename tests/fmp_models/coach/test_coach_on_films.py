"""The coach before what MediaPipe measures, frame after frame, in films of a person who moves into the target."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from fmp_models.coach.coaching import Advice, Coach, Phase, SpokenCue
from fmp_models.coach.instruction_choice import HELD, TURNING, are_opposites
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.geometry.lexicon import Part
from fmp_models.preprocessing import read_photograph
from tests.films import HOLDS, MOVES, PARTS, STANDS, film, recorded
from tests.fmp_models.coach.test_instruction_choice import shown
from tests.thoroughness import thorough

pytestmark = pytest.mark.real


@pytest.fixture(params=list(PARTS))
def advised(
    request: pytest.FixtureRequest, pose_model: Path, estimator: MediaPipeEstimator
) -> list[tuple[float, Advice]]:
    """Return the coach's output at each moment of a film, whose end is the goal."""
    goal = estimator.estimate(read_photograph(film(request.param).target)).pose
    seen = recorded(request.param, pose_model)
    coach = Coach([goal])
    return [(at, coach.update(at, person)) for at, person in zip(seen.times.tolist(), seen.people, strict=True)]


@thorough
def test_who_moves_into_the_pose_is_told_to_then_to_hold_it_then_that_it_is_done(
    advised: list[tuple[float, Advice]],
) -> None:
    sayings = [saying for _, advice in advised for saying in advice.sayings]
    assert sayings[0] is SpokenCue.MOVE
    assert sayings[-2:] == [SpokenCue.HOLD, SpokenCue.DONE]
    done = next(at for at, advice in advised if advice.phase is Phase.DONE)
    assert STANDS + MOVES < done < STANDS + MOVES + HOLDS


@thorough
def test_what_plainly_moves_is_asked_for_first_and_steadily(advised: list[tuple[float, Advice]]) -> None:
    instructions = shown(advised)
    assert instructions[0][2].part is Part.ARM
    for (began, ended, clause), (then, _, following) in pairwise(instructions):
        assert then - began >= HELD - 1e-9
        assert then - ended >= TURNING or not are_opposites(clause, following)
