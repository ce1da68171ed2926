"""Joints that were measured in the last minutes are not measured again, and no photograph is kept for that."""

from __future__ import annotations

import gc
import time
import weakref

from PIL import Image

from fmp_models.estimators.base import PersonPoint, PoseEstimate
from fmp_models.inference.corrector import Corrector, load_correction_model
from fmp_models.inference.recent_cache import RecentEstimates
from fmp_models.preprocessing import Photograph
from tests.retrievers import ColourEstimator, picture


class CountingEstimator(ColourEstimator):
    """Counts its measurements, and can measure a chosen person."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[PersonPoint | None] = []

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        self.places.append(None)
        return super().estimate(photograph)

    def estimate_near(self, photograph: Photograph, place: PersonPoint) -> PoseEstimate:
        estimate = self.estimate(photograph)
        self.places[-1] = place
        return estimate


def photograph(red: int = 90) -> Photograph:
    return Photograph(Image.new("RGB", (80, 96), (red, 60, 30)))


def test_a_photograph_is_measured_once_and_only_its_joints_are_kept() -> None:
    counting, given = CountingEstimator(), photograph()
    recent = RecentEstimates(counting)
    gone = weakref.ref(given.image)

    measured = recent.estimate(given)
    del given
    gc.collect()

    assert gone() is None
    assert recent.estimate(photograph()) is measured
    assert counting.places == [None]


def test_another_picture_and_another_person_are_measured() -> None:
    counting = CountingEstimator()
    recent = RecentEstimates(counting)

    for place in (None, (0.2, 0.5), (0.7, 0.5), (0.2, 0.5)):
        recent.estimate(photograph()) if place is None else recent.estimate_near(photograph(), place)
    recent.estimate(photograph(red=20))

    assert counting.places == [None, (0.2, 0.5), (0.7, 0.5), None]


def test_joints_leave_the_memory_though_nobody_asks_again() -> None:
    recent = RecentEstimates(CountingEstimator(), seconds=0.05)
    gone = weakref.ref(recent.estimate(photograph()))
    end = time.monotonic() + 10

    while gone() is not None and time.monotonic() < end:
        time.sleep(0.01)
        gc.collect()

    assert gone() is None


def test_a_corrector_keeps_joints_only_if_it_is_told_to() -> None:
    calls = []
    for keeps in (False, True):
        counting = CountingEstimator()
        corrector = Corrector(counting, [load_correction_model("geometry")], keeps_joints=keeps)
        answers = [corrector.correct(picture(90, 60, 30), picture(20, 90, 200))[0].as_json() for _ in range(2)]
        calls.append(len(counting.places))
        for answer in answers:
            del answer["milliseconds"]
        assert answers[0] == answers[1]

    assert calls == [4, 2]
