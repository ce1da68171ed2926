"""Maps of a frozen backbone are those it would give anew, and belong to its weights."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from fmp_models.networks.backbones.backbone import as_images
from fmp_models.preprocessing.person_crop import PicturesConfig
from fmp_models.training.samples.backbone_features import backbone_features
from fmp_models.training.samples.dataset_samples import NO_PICTURE, Dataset
from fmp_models.training.samples.pictures import CroppedPictures, EncodedPictures, cropped_pictures, joint_places


class TinyBackbone(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 5, 8, stride=8), nn.BatchNorm2d(5), nn.Dropout(0.5))
        self.calls = 0

    def forward(self, images: Tensor) -> Tensor:
        self.calls += 1
        positions: Tensor = self.layers(images).flatten(2).transpose(1, 2)
        return positions


@pytest.fixture
def backbone() -> TinyBackbone:
    torch.manual_seed(0)
    return TinyBackbone()


@pytest.fixture
def squares(encoded: EncodedPictures, captioning: Dataset, cache: Path) -> CroppedPictures:
    return cropped_pictures(encoded, PicturesConfig(32), joint_places(captioning.pictures), cache)


def test_maps_are_what_the_backbone_sees(backbone: TinyBackbone, squares: CroppedPictures, tmp_path: Path) -> None:
    plain = backbone_features(backbone, squares, tmp_path)
    mirrored = backbone_features(backbone, squares, tmp_path, mirrored=True)
    numbers = np.array([[3, 1], [0, 2]])
    pixels = squares.at(numbers).flatten(0, 1)
    backbone.eval()
    for features, seen in ((plain, pixels), (mirrored, pixels.flip(-2))):
        expected = backbone(as_images(seen)).reshape(2, 2, 16, 5)
        assert torch.allclose(features.at(numbers), expected, atol=1e-2)  # of bfloat16
    assert not np.allclose(plain.maps, mirrored.maps, atol=2e-3)


def test_the_backbone_keeps_its_mode_and_its_statistics(
    backbone: TinyBackbone, squares: CroppedPictures, tmp_path: Path
) -> None:
    before = {name: values.clone() for name, values in backbone.state_dict().items()}
    backbone_features(backbone.train(), squares, tmp_path)
    assert backbone.training
    assert all(torch.equal(values, before[name]) for name, values in backbone.state_dict().items())


def test_maps_are_computed_once_for_the_same_weights_alone(
    backbone: TinyBackbone, squares: CroppedPictures, tmp_path: Path
) -> None:
    first = backbone_features(backbone, squares, tmp_path)
    backbone.calls = 0
    backbone_features(backbone, squares, tmp_path)
    assert backbone.calls == 1  # to learn the shape
    with torch.no_grad():
        backbone.layers[0].bias[0] += 0.5
    other = backbone_features(backbone, squares, tmp_path)
    assert not np.array_equal(first.maps, other.maps)
    assert len(list(tmp_path.glob("features-*.npy"))) == 2


def test_a_missing_picture_has_an_empty_map(backbone: TinyBackbone, squares: CroppedPictures, tmp_path: Path) -> None:
    maps = backbone_features(backbone, squares, tmp_path).at(np.array([NO_PICTURE, 1]))
    assert maps.dtype == torch.float32
    assert not maps[0].any()
    assert maps[1].any()
