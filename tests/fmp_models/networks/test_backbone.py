import subprocess
import sys
from urllib.error import URLError

import pytest
import torch
from torchvision.models import ResNet101_Weights, resnet18
from torchvision.models._api import WeightsEnum

from fmp_models.errors import BadInputError
from fmp_models.networks.backbone import BACKBONES, NARROW, Backbone, BackboneConfig
from tests.commands import ROOT
from tests.thoroughness import thorough


@pytest.mark.parametrize(
    ("name", "stage", "width", "positions", "channels"),
    [
        ("resnet18", 4, 64, 4, 512),
        pytest.param("resnet34", 3, 64, 16, 256, marks=thorough),
        ("resnet50", 3, 64, 16, 1024),
        pytest.param("resnet101", 4, 64, 4, 2048, marks=thorough),
        (NARROW, 4, 32, 4, 256),
        (NARROW, 3, 32, 16, 128),
    ],
)
def test_positions_and_channels(name: str, stage: int, width: int, positions: int, channels: int) -> None:
    backbone = Backbone(BackboneConfig(name, stage, width=width)).eval()
    with torch.no_grad():
        feature_map = backbone(torch.rand(2, 3, 64, 64))
    assert feature_map.shape == (2, positions, channels)
    assert backbone.channels == channels


def test_positions_are_the_map_row_by_row() -> None:
    backbone = Backbone(BackboneConfig(NARROW, 3, width=8)).eval()
    images = torch.rand(2, 3, 64, 96)
    with torch.no_grad():
        rows, maps = backbone(images), backbone.maps(images)
    assert maps.shape == (2, 32, 4, 6)
    assert torch.equal(rows[1, 6 + 2], maps[1, :, 1, 2])


def test_pictures_are_made_normal_as_imagenet_s_were() -> None:
    torch.manual_seed(0)
    backbone, whole = Backbone(BackboneConfig("resnet18", 4)), resnet18()
    whole.fc = torch.nn.Identity()
    names = ["conv1", "bn1", "relu", "maxpool"]
    for name, layer in zip(names, backbone.stages[0], strict=True):
        setattr(whole, name, layer)
    whole.layer1, whole.layer2, whole.layer3, whole.layer4 = backbone.stages[1:]
    image = torch.rand(1, 3, 64, 64)
    normal = ResNet101_Weights.IMAGENET1K_V1.transforms()
    expected = (image - torch.tensor(normal.mean)[:, None, None]) / torch.tensor(normal.std)[:, None, None]
    with torch.no_grad():
        assert torch.allclose(backbone.eval()(image).mean(dim=1), whole.eval()(expected), atol=1e-5)


def test_a_narrow_one_of_full_width_is_resnet18() -> None:
    torch.manual_seed(0)
    whole, narrow = Backbone(BackboneConfig("resnet18")).eval(), Backbone(BackboneConfig(NARROW)).eval()
    narrow.load_state_dict(whole.state_dict())
    image = torch.rand(1, 3, 64, 64)
    with torch.no_grad():
        assert torch.equal(narrow(image), whole(image))


@thorough
def test_an_app_with_bundled_models_does_not_wait_for_torchvision() -> None:
    script = "import sys, fmp_models.hub.models; sys.exit(bool({'torchvision', 'torch._dynamo'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", script], check=False, cwd=ROOT).returncode == 0


def test_a_narrow_one_of_half_width_has_under_three_million_parameters() -> None:
    assert sum(value.numel() for value in Backbone(BackboneConfig(NARROW, width=32)).parameters()) < 3_000_000


def test_a_frozen_one_is_never_trained() -> None:
    model = torch.nn.Sequential(Backbone(BackboneConfig(NARROW, width=8, frozen=True)), torch.nn.Linear(64, 1)).train()
    before = {name: value.clone() for name, value in model[0].state_dict().items()}
    model(torch.rand(2, 3, 64, 64)).sum().backward()
    assert not any(module.training for module in model[0].modules())
    assert all(torch.equal(value, before[name]) for name, value in model[0].state_dict().items())
    assert all(value.grad is None for value in model[0].parameters())
    assert model[1].weight.grad is not None


def test_one_that_is_not_frozen_is_trained() -> None:
    backbone = Backbone(BackboneConfig(NARROW, width=8)).train()
    backbone(torch.rand(2, 3, 64, 64)).square().sum().backward()
    assert all(value.grad is not None and value.grad.any() for value in backbone.parameters())


def test_half_precision_is_close() -> None:
    torch.manual_seed(0)
    backbone = Backbone(BackboneConfig(NARROW, width=8)).eval()
    image = torch.rand(1, 3, 64, 64)
    with torch.no_grad():
        exact = backbone(image)
        with torch.autocast("cpu", torch.bfloat16):
            rough = backbone(image)
    assert rough.dtype == torch.bfloat16
    assert (rough - exact).abs().max() < 0.05 * exact.abs().max()


def test_pretrained_weights_are_torchvision_s(monkeypatch: pytest.MonkeyPatch) -> None:
    published = resnet18().state_dict()
    monkeypatch.setattr(WeightsEnum, "get_state_dict", lambda *_, **__: published)
    backbone = Backbone(BackboneConfig("resnet18", pretrained=True))
    assert torch.equal(backbone.state_dict()["stages.4.1.conv2.weight"], published["layer4.1.conv2.weight"])


@pytest.mark.parametrize("failure", [URLError("no route"), TimeoutError(), RuntimeError("invalid hash value")])
def test_pretrained_weights_that_cannot_be_had_are_bad_input(
    failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(WeightsEnum, "get_state_dict", fail)
    with pytest.raises(BadInputError, match="ImageNet weights of resnet101") as raised:
        Backbone(BackboneConfig("resnet101", pretrained=True))
    assert raised.value.code == "backbone_unreachable"


@pytest.mark.parametrize(
    "flaw",
    [
        {"name": "vgg16"},
        {"stage": 5},
        {"name": NARROW, "pretrained": True},
        {"name": NARROW, "width": 0},
        {"name": NARROW, "width": 257},
        {"name": "resnet18", "width": 32},
    ],
)
def test_what_is_no_backbone_is_refused(flaw: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"backbone|weights|width"):
        BackboneConfig(**flaw)  # type: ignore[arg-type]


def test_every_name_is_a_backbone() -> None:
    assert all(BackboneConfig(name).name == name for name in BACKBONES)
