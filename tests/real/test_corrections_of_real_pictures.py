"""What is said of real pictures, against what the pictures show."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from demo.examples.catalogue import EXAMPLES
from fmp_models.describe.trainer_steps import StepKind
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.geometry.execution import ARRIVED
from fmp_models.geometry.lexicon import Clause, Direction, Part, Relation, Side
from fmp_models.geometry.planner import make_plan
from fmp_models.geometry.verdicts import agrees
from fmp_models.inference.correction import Correction
from fmp_models.inference.corrector import Corrector, GeometryModel
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_plan
from fmp_models.languages.realiser import compose_text, realise
from fmp_models.pose import Pose, PosePair
from fmp_models.preprocessing import read_photograph
from tests.bodies import distance_left
from tests.nonempty import nonempty
from tests.plans import mirror_plan
from tests.thoroughness import one_of, thorough

pytestmark = pytest.mark.real

SHARED_PAIRS = 10


@pytest.fixture(scope="module")
def corrector(estimator: MediaPipeEstimator) -> Corrector:
    return Corrector(estimator, [GeometryModel()])


@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_the_figure_of_every_example_and_of_shared_pairs_ends_on_the_goal(
    language: str, corrector: Corrector, shared: Path
) -> None:
    folder = shared / "data" / "realbench"
    labels = json.loads((folder / "truth.json").read_text(encoding="utf-8"))[:SHARED_PAIRS]
    pictures = [(example.current, example.target) for example in EXAMPLES]
    pictures += [tuple((folder / label[which]).read_bytes() for which in ("current", "target")) for label in labels]
    left = {}
    for number, (current, target) in enumerate(pictures):
        correction, seen = corrector.correct(current, target, language=language)
        figure = seen.demonstration
        assert figure is not None
        left[number] = float(np.linalg.norm(figure.poses[-1] - figure.target, axis=-1).max())
        told = [step.words for step in correction.steps if step.kind in {StepKind.STEP, StepKind.FINE}]
        assert [step.words for step in figure.steps if step.words is not None] == told
    assert len(left) == len(EXAMPLES) + SHARED_PAIRS
    assert max(left.values()) < ARRIVED


def measured_plan(correction: Correction, language: str) -> tuple[Clause, ...]:
    """Return the measured changes, parsed from the clauses before they are grouped into steps."""
    return read_plan(" ".join(clause.text for clause in correction.clauses), grammar(language))


@pytest.fixture(scope="module")
def real_poses(shared: Path, estimator: MediaPipeEstimator) -> list[Pose]:
    """Every person of the real pictures: two photographs, the rendered pair, the retrieval case."""
    pictures = sorted(path for path in (shared / "data" / "real").rglob("*") if path.suffix in {".jpg", ".png"})
    return [estimator.estimate(read_photograph(path.read_bytes())).pose for path in pictures]


@pytest.fixture(scope="module")
def real_pairs(real_poses: list[Pose]) -> list[PosePair]:
    return [PosePair(a, b) for a, b in permutations(real_poses, 2)]


@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_standing_to_warrior_two(
    language: str, corrector: Corrector, shared_photograph_bytes: Callable[[str], bytes]
) -> None:
    """Seen in the pictures: arms out at shoulder height, feet wide apart, the right knee bent and the left one not."""
    standing, warrior = (shared_photograph_bytes(f"photos/{name}.jpg") for name in ("standing", "warrior2"))
    correction, _ = corrector.correct(standing, warrior, language=language)
    clauses = {(c.side, c.part, c.direction): c for c in measured_plan(correction, language)}
    arms = clauses[Side.BOTH, Part.ARM, Direction.UP]
    assert {Relation.SIDEWAYS, Relation.SHOULDER_HEIGHT} <= set(arms.relations)
    assert Relation.WIDE in clauses[Side.BOTH, Part.FOOT, Direction.APART].relations
    assert (Side.RIGHT, Part.KNEE, Direction.BEND) in clauses
    assert (Side.LEFT, Part.KNEE, Direction.BEND) not in clauses
    assert all(clause.agrees for clause in correction.clauses if clause.direction != Direction.UNSEEN)
    assert correction.people == (1, 1)


@pytest.mark.parametrize("language", one_of(LANGUAGES, 1))
def test_the_rendered_fixmypose_pair(
    language: str, corrector: Corrector, shared_photograph_bytes: Callable[[str], bytes]
) -> None:
    """The annotator wrote "rotate your torso to the right".

    The person is drawn 170 pixels high with a far arm that single looks see in several places, so hardly anything is
    sure. What is said must be seen, but for the left arm, which comes out to the side and seems to come forward.
    """
    current, target = (shared_photograph_bytes(f"fixmypose_pair/{name}.png") for name in ("current", "target"))
    correction, _ = corrector.correct(current, target, language=language)
    plan = measured_plan(correction, language)
    moving = [clause for clause in plan if clause.direction not in {Direction.KEEP, Direction.UNSEEN}]
    movements = {(side, c.part, c.direction) for c in moving for side in c.side.each}
    assert plan
    shown = {  # what a person sees change between the two pictures
        (Side.NONE, Part.BODY, Direction.TURN_RIGHT),
        (Side.NONE, Part.TRUNK, Direction.TURN_RIGHT),
        (Side.LEFT, Part.HAND, Direction.UP),
        (Side.LEFT, Part.FOREARM, Direction.UP),
        (Side.LEFT, Part.ELBOW, Direction.BEND),
        (Side.RIGHT, Part.ARM, Direction.DOWN),
        (Side.RIGHT, Part.HAND, Direction.DOWN),
        (Side.RIGHT, Part.ELBOW, Direction.BEND),
        (Side.LEFT, Part.ARM, Direction.FORWARD),
        (Side.LEFT, Part.HAND, Direction.FORWARD),
    }
    assert movements <= shown
    assert not any(clause.agrees is False for clause in correction.clauses)


def test_the_same_picture_twice_is_called_so(
    corrector: Corrector, shared_photograph_bytes: Callable[[str], bytes]
) -> None:
    picture = shared_photograph_bytes("photos/warrior2.jpg")
    correction, _ = corrector.correct(picture, picture)
    assert correction.clauses == ()
    assert "no clear difference" in correction.text


@thorough
def test_plans_of_real_pairs_mirror_and_reverse(real_pairs: list[PosePair]) -> None:
    def spoken(plan: tuple[Clause, ...]) -> set[tuple[Side, Part, Direction]]:
        return {(c.side, c.part, c.direction) for c in plan if c.direction is not Direction.KEEP}

    for pair in nonempty(real_pairs):
        plan = make_plan(pair)
        assert make_plan(pair.mirrored) == mirror_plan(plan)
        back = make_plan(pair.swapped)
        assert {(side, part, way.reverse) for side, part, way in spoken(back)} == spoken(plan)
        assert not any(agrees(clause, pair) is False for clause in plan)


@pytest.mark.parametrize("code", LANGUAGES)
@thorough
def test_texts_of_real_pairs_read_back(code: str, real_pairs: list[PosePair]) -> None:
    words = grammar(code)
    for seed, pair in enumerate(nonempty(real_pairs)):
        plan = make_plan(pair)
        for chosen in (None, seed):
            text = compose_text(realise(plan, words, chosen), words, chosen)
            assert [_feet(clause) for clause in read_plan(text, words)] == [_feet(clause) for clause in plan]


def _feet(clause: Clause) -> Clause:
    """Both feet that go in come together, and out they go apart: one thing in other words."""
    ways = {Direction.IN: Direction.TOGETHER, Direction.OUT: Direction.APART}
    both = clause.side is Side.BOTH and clause.part is Part.FOOT
    return replace(clause, direction=ways.get(clause.direction, clause.direction)) if both else clause


@thorough
def test_doing_what_is_said_comes_closer_on_real_pairs(real_pairs: list[PosePair]) -> None:
    left = [distance_left(pair) for pair in real_pairs[::4]]
    print(f"\nreal pairs: {np.mean(np.array(left) < 1):.1%} of {len(left)} closer, {np.mean(left):.2f} of the way left")  # noqa: T201
    assert len(left) >= 40
    assert np.mean(np.array(left) < 1) >= 0.95
