"""Hard pictures, made of easy ones: dark, overexposed, small, turned, with others beside; looks are few."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fmp_models.estimators.base import LIMBS, PoseEstimate
from fmp_models.estimators.mediapipe import MAX_LOOKS, MediaPipeEstimator
from fmp_models.pose import INDEX
from fmp_models.preprocessing import Photograph
from tests.thoroughness import one_of, some

pytestmark = pytest.mark.real

PHOTOS = ["real/photos/standing.jpg", "real/photos/warrior2.jpg"]
EXERCISES = [f"exercises/{name}_0.jpg" for name in ("Barbell_Squat", "Log_Lift", "Bent_Over_Barbell_Row")]
UNCLEAR = 0.2  # metres on average by which joints of a dark or a small picture may lie elsewhere


def picture(shared: Path, name: str) -> Image.Image:
    path = shared / "data" / name
    if not path.is_file():
        pytest.skip(f"FMP_SHARED: there is no photograph {path}")
    return Image.open(path).convert("RGB")


def dark(image: Image.Image) -> Image.Image:
    noise = np.random.default_rng(0).normal(0, 2, (image.height, image.width, 3))
    return Image.fromarray(np.clip(np.asarray(image) * 0.12 + noise, 0, 255).astype(np.uint8))


def overexposed(image: Image.Image) -> Image.Image:
    return image.point([round(min(255, 15 + 255 * (value / 255) ** 0.25)) for value in range(256)] * 3)


def small(image: Image.Image, share: float = 0.25) -> Image.Image:
    """Return the picture, small on an even grey one."""
    wide = Image.new("RGB", image.size, (120, 120, 120))
    wide.paste(image.resize((int(image.width * share), int(image.height * share))), (image.width // 3, 0))
    return wide


@pytest.fixture
def looks_taken(estimator: MediaPipeEstimator, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[None]]:
    """Yield a list that gets an entry for every estimate of a picture."""
    taken: list[None] = []
    look = estimator._look

    def counted(*args: object, **options: object) -> object:
        taken.append(None)
        return look(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(estimator, "_look", counted)
    yield taken
    assert len(taken) <= MAX_LOOKS


def apart(first: PoseEstimate, second: PoseEstimate) -> float:
    hip = INDEX["hip"]
    bodies = [estimate.pose.joints - estimate.pose.joints[hip] for estimate in (first, second)]
    return float(np.linalg.norm(bodies[0] - bodies[1], axis=1)[LIMBS].mean())


@pytest.mark.usefixtures("looks_taken")
@pytest.mark.parametrize("change", [dark, overexposed, small], ids=["dark", "overexposed", "small"])
@pytest.mark.parametrize("name", some([*EXERCISES, *PHOTOS], 2))
def test_a_body_in_a_hard_picture_is_nearly_that_of_the_easy_one(
    estimator: MediaPipeEstimator, shared: Path, name: str, change: Callable[[Image.Image], Image.Image]
) -> None:
    image = picture(shared, name)
    easy, hard = (estimator.estimate(Photograph(each)) for each in (image, change(image)))
    assert apart(easy, hard) < UNCLEAR


@pytest.mark.parametrize("degrees", one_of([90, 180, 270]))
def test_a_turned_picture_takes_no_more_looks_than_an_upright_one(
    estimator: MediaPipeEstimator, shared: Path, looks_taken: list[None], degrees: int
) -> None:
    estimator.estimate(Photograph(picture(shared, PHOTOS[1]).rotate(degrees, expand=True)))
    assert len(looks_taken) < MAX_LOOKS / 2


@pytest.mark.parametrize("name", PHOTOS)
@pytest.mark.parametrize("degrees", [0, 180])
def test_a_picture_that_is_upside_down_is_noticed(
    estimator: MediaPipeEstimator, shared: Path, name: str, degrees: int
) -> None:
    image = picture(shared, name).rotate(degrees)
    assert estimator.estimate(Photograph(image)).turned_by == degrees


def beside(first: Image.Image, second: Image.Image, share: float, seen: float = 1.0) -> Image.Image:
    """Two pictures side by side, the second smaller and only its upper part, standing on one floor."""
    height = int(first.height * share)
    other = second.resize((second.width * height // second.height, height))
    other = other.crop((0, 0, other.width, int(height * seen)))
    wide = Image.new("RGB", (first.width + other.width, first.height), (130, 125, 120))
    wide.paste(first, (0, 0))
    wide.paste(other, (first.width, first.height - other.height))
    return wide


def two_people(shared: Path, share: float, seen: float = 1.0) -> Image.Image:
    """Return a picture of somebody who stands and, next to them, somebody who lifts a weight."""
    lifting = picture(shared, EXERCISES[0]).crop((200, 0, 700, 567)).resize((565, 640))
    return beside(picture(shared, PHOTOS[0]), lifting, share, seen)


@pytest.mark.parametrize(("share", "seen"), [(1.0, 1.0), (0.6, 1.0), (1.0, 0.55)], ids=["alike", "smaller", "covered"])
def test_a_second_person_is_counted(estimator: MediaPipeEstimator, shared: Path, share: float, seen: float) -> None:
    assert estimator.estimate(Photograph(two_people(shared, share, seen))).people == 2


@pytest.mark.parametrize("share", [1.0, 0.6], ids=["alike", "smaller"])
def test_a_second_person_can_be_tapped(estimator: MediaPipeEstimator, shared: Path, share: float) -> None:
    both = two_people(shared, share)
    estimate = estimator.estimate(Photograph(both))

    (left, top, right, bottom), *_ = estimate.others
    tapped = (left + right) / 2 / both.width, (top + bottom) / 2 / both.height
    near = estimator.estimate_near(Photograph(both), tapped)
    assert np.allclose(near.box, (left, top, right, bottom), atol=0.1 * both.height)


@pytest.mark.parametrize("name", some([*EXERCISES, *PHOTOS], 2))
def test_furniture_and_weights_are_no_people(estimator: MediaPipeEstimator, shared: Path, name: str) -> None:
    assert estimator.estimate(Photograph(picture(shared, name))).people == 1
