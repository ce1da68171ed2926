"""Squares around people carry their joints with them."""

import numpy as np
import pytest
import torch

from fmp_models.data.pairs import parse_picture
from fmp_models.data.pictures import focal_length, in_picture
from fmp_models.pose import INDEX
from fmp_models.preprocessing import PersonCrop
from fmp_models.training.dataset_samples import Dataset
from fmp_models.training.estimator import Crops, Jitter, PersonCropSampler
from fmp_models.training.pictures import EncodedPictures
from tests.nonempty import nonempty

NUMBERS = [0, 3, 5]


def taken(captioning: Dataset, encoded: EncodedPictures, seed: int, jitter: Jitter | None = Jitter()) -> Crops:  # noqa: B008
    crops = PersonCropSampler(encoded, captioning.pictures, 96)
    return crops.cut(NUMBERS, jitter, torch.Generator().manual_seed(seed))


def test_without_jitter_the_whole_person_is_in_the_middle(captioning: Dataset, encoded: EncodedPictures) -> None:
    batch = taken(captioning, encoded, 0, None)
    assert batch.pixels.shape == (3, 96, 96, 3)
    assert batch.inside.all()
    middle = (batch.places.amin(dim=1) + batch.places.amax(dim=1)) / 2
    assert middle.numpy() == pytest.approx(np.full((3, 2), 0.5), abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_joints_lie_on_the_same_pixels_as_in_the_picture(
    captioning: Dataset, encoded: EncodedPictures, seed: int
) -> None:
    batch = taken(captioning, encoded, seed)
    for row, number in enumerate(NUMBERS):
        focal = focal_length(parse_picture(captioning.pictures.names[number]).uid)
        points = in_picture(captioning.pictures.joints[number].astype(np.float64), focal)
        # Two joints say where the square lies; every joint must then be where it is in the picture.
        places = batch.places[row].numpy().astype(np.float64)
        a, b = points[:, 1].argmin(), points[:, 1].argmax()
        side = (points[b, 1] - points[a, 1]) / (places[b, 1] - places[a, 1])
        square = PersonCrop(*(points[a] - places[a] * side), side)
        assert square.pixels(places) == pytest.approx(points, abs=0.05)
        image = np.asarray(encoded.image(number), dtype=float)
        cells = (places * 96).astype(int)
        inside = ((cells >= 2) & (cells < 94)).all(axis=1) & batch.inside[row].numpy()
        for (x, y), (u, v) in nonempty(zip(cells[inside], points[inside].astype(int), strict=True)):
            there = batch.pixels[row, y - 1 : y + 2, x - 1 : x + 2].float().mean(dim=(0, 1)).numpy()
            reach = max(int(side / 96 * 2), 2)
            here = image[max(v - reach, 0) : v + reach + 1, max(u - reach, 0) : u + reach + 1].reshape(-1, 3)
            assert (there >= here.min(axis=0) - 12).all()
            assert (there <= here.max(axis=0) + 12).all()


def test_metres_are_from_the_hip_and_are_not_changed_by_the_square(
    captioning: Dataset, encoded: EncodedPictures
) -> None:
    batch, other = taken(captioning, encoded, 1), taken(captioning, encoded, 2)
    joints = captioning.pictures.joints[NUMBERS]
    assert batch.metres.numpy() == pytest.approx(joints - joints[:, None, INDEX["hip"]])
    assert torch.equal(batch.metres, other.metres)
    assert not torch.equal(batch.places, other.places)


def test_the_same_generator_gives_the_same_squares(captioning: Dataset, encoded: EncodedPictures) -> None:
    batch, again = taken(captioning, encoded, 4), taken(captioning, encoded, 4)
    assert torch.equal(batch.pixels, again.pixels)
    assert torch.equal(batch.places, again.places)


def test_a_joint_beyond_the_square_is_said_to_be(captioning: Dataset, encoded: EncodedPictures) -> None:
    batch = taken(captioning, encoded, 0, Jitter(zooms=(0.5, 0.5), shift=0.0))
    outside = (batch.places < 0).any(dim=-1) | (batch.places > 1).any(dim=-1)
    assert torch.equal(batch.inside, ~outside)
    assert outside.any()
