"""Models are saved completely or not at all, and load as they were saved."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from fmp_models.errors import BadInputError
from fmp_models.hub import models
from fmp_models.hub.models import (
    load_captioner,
    load_editor,
    load_estimator,
    load_lifter,
    load_model,
    load_retriever,
    save_model,
    save_speaking,
)
from fmp_models.hub.publishing import push_files
from fmp_models.hub.references import ModelFolder, resolve_model
from fmp_models.languages.vocabulary import SPECIALS, Vocabulary
from fmp_models.networks.backbone import Backbone, BackboneConfig, VisionModel
from fmp_models.networks.captioner import Captioner, CaptionerConfig, PairBatch
from fmp_models.networks.editor import Editor, EditorConfig
from fmp_models.networks.lifting_network import LiftingConfig, LiftingNetwork
from fmp_models.networks.pose_network import PoseNetwork, PoseNetworkConfig
from fmp_models.networks.retriever import Retriever, RetrieverConfig
from fmp_models.preprocessing import PicturesConfig
from tests.hub_server import HubServer, api_of

VOCABULARIES = {
    "en": Vocabulary("en", (*SPECIALS, "left", "arm", ".")),
    "hi": Vocabulary("hi", (*SPECIALS, "बाएँ", "हाथ")),
}
SIZES: dict[str, Any] = {"vocabulary_sizes": {"en": 7, "hi": 6}, "hidden": 8, "embedding": 4}
NARROW = BackboneConfig("narrow18", width=2)
PICTURES = PicturesConfig(64, "person")


def captioner(backbone: BackboneConfig | None = NARROW) -> VisionModel[Captioner]:
    torch.manual_seed(0)
    config = CaptionerConfig(**SIZES, image_channels=16, backbone=backbone, pictures=PICTURES, missing=True)
    return VisionModel(Captioner(config), backbone and Backbone(backbone))


def retriever(backbone: BackboneConfig | None = NARROW) -> VisionModel[Retriever]:
    torch.manual_seed(0)
    config = RetrieverConfig(**SIZES, image_channels=16, backbone=backbone, pictures=PICTURES)
    return VisionModel(Retriever(config), backbone and Backbone(backbone))


def rewrite_config(folder: Path, change: dict[str, Any]) -> None:
    """Change the network's part of a folder's config."""
    path = folder / "config.json"
    described = json.loads(path.read_bytes())
    described["network"] |= change
    path.write_text(json.dumps(described))


BOTH = pytest.mark.parametrize(("made", "load"), [(captioner, load_captioner), (retriever, load_retriever)])


def halved(model: nn.Module) -> dict[str, torch.Tensor]:
    parameters = dict(model.named_parameters())
    return {name: v.half().float() if name in parameters else v for name, v in model.state_dict().items()}


@BOTH
@pytest.mark.parametrize("backbone", [None, NARROW])
def test_a_model_comes_back_with_its_backbone_and_vocabularies(
    tmp_path: Path, made: Callable[..., Any], load: Callable[..., Any], backbone: BackboneConfig | None
) -> None:
    model = made(backbone)
    save_speaking(tmp_path / "model", model, VOCABULARIES, "# Card\n")
    loaded = load(str(tmp_path / "model"))
    assert loaded.network.network.config == model.network.config
    assert loaded.network.network.config.pictures == PICTURES
    assert loaded.vocabularies == VOCABULARIES
    assert loaded.folder == resolve_model(str(tmp_path / "model"))
    weights = loaded.network.state_dict()
    assert all(torch.equal(value, weights[name]) for name, value in halved(model).items())
    save_speaking(tmp_path / "again", loaded.network, loaded.vocabularies, "# Card\n")
    assert resolve_model(str(tmp_path / "again")).revision == loaded.folder.revision


@BOTH
def test_a_model_comes_back_from_the_hub(
    tmp_path: Path, made: Callable[..., Any], load: Callable[..., Any], hub: HubServer
) -> None:
    save_speaking(tmp_path / "model", made(), VOCABULARIES, "# Card\n")
    push_files(tmp_path / "model", "org/name", api=api_of(hub))
    there = load(resolve_model("org/name", api=api_of(hub), cache=tmp_path / "cache"))
    here = load(str(tmp_path / "model"))
    assert there.folder.revision == hub.repos["model", "org/name"].head.sha
    assert all(
        torch.equal(value, here.network.state_dict()[name]) for name, value in there.network.state_dict().items()
    )


def test_a_model_begun_from_imagenet_loads_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = BackboneConfig("resnet18", pretrained=True)
    monkeypatch.setattr("torchvision.models.get_model_weights", lambda _: pytest.fail("was fetched"))
    backbone = Backbone(BackboneConfig("resnet18"))
    backbone.config = config
    model = VisionModel(Captioner(CaptionerConfig(**SIZES, image_channels=512, backbone=config)), backbone)
    save_speaking(tmp_path / "model", model, VOCABULARIES, "# Card\n")
    assert load_captioner(str(tmp_path / "model")).network.network.config.backbone == config


def test_a_captioner_is_no_retriever(tmp_path: Path) -> None:
    save_speaking(tmp_path / "model", captioner(), VOCABULARIES, "# Card\n")
    with pytest.raises(BadInputError) as error:
        load_retriever(str(tmp_path / "model"))
    assert error.value.code == "model_wrong_kind"


@pytest.mark.parametrize(
    "change",
    [
        {"hidden": 7},
        {"hidden": "eight"},
        {"hidden": 16},
        {"layers": 2},
        {"pictures": {"framing": "head"}},
        {"pictures": None},
        {"vocabulary_sizes": {"en": 7}},
        {"vocabulary_sizes": {"en": 7, "hi": 7}},
        {"backbone": None},
        {"backbone": {"name": "vgg16"}},
        {"backbone": {"name": "narrow18", "width": 4}},
    ],
)
def test_a_config_that_does_not_fit_is_damaged(tmp_path: Path, change: dict[str, Any]) -> None:
    save_speaking(tmp_path / "model", captioner(), VOCABULARIES, "# Card\n")
    rewrite_config(tmp_path / "model", change)
    with pytest.raises(BadInputError) as error:
        load_captioner(str(tmp_path / "model"))
    assert error.value.code == "model_damaged"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hidden": 10**6}, "sizes must be at most 2048"),
        ({"image_channels": 10**12}, "sizes must be at most 2048"),
        ({"vocabulary_sizes": {"en": 10**12, "hi": 6}}, "at most 50000 words"),
        ({"vocabulary_sizes": {"en": 7, "hi": 6, "fr": 6}}, "languages must be among en, hi"),
        ({"backbone": {"name": "narrow18", "width": 10**6}}, "width must be from 1 to 256"),
        ({"pictures": {"size": 10**6}}, "size of pictures must be from 32 to 2048"),
    ],
)
@BOTH
def test_a_network_that_no_machine_could_hold_is_refused_before_it_is_built(
    tmp_path: Path, made: Callable[..., Any], load: Callable[..., Any], change: dict[str, Any], message: str
) -> None:
    save_speaking(tmp_path / "model", made(), VOCABULARIES, "# Card\n")
    rewrite_config(tmp_path / "model", change)
    with pytest.raises(BadInputError, match=message) as error:
        load(str(tmp_path / "model"))
    assert error.value.code == "model_damaged"


@pytest.mark.parametrize("change", [{"side": 10**6}, {"head": 10**9}, {"depths": 10**9}])
def test_an_estimator_that_no_machine_could_hold_is_refused_before_it_is_built(
    tmp_path: Path, change: dict[str, int]
) -> None:
    network = PoseNetwork(PoseNetworkConfig(NARROW, side=32, head=4, depths=2))
    save_model(tmp_path / "model", "estimator", asdict(network.config), network, {}, "# Card\n")
    rewrite_config(tmp_path / "model", change)
    with pytest.raises(BadInputError, match=f"{next(iter(change))} must be from") as error:
        load_estimator(str(tmp_path / "model"))
    assert error.value.code == "model_damaged"


@pytest.mark.parametrize(
    "change", [{"features": 10**9}, {"features": 100}, {"size": 10**9}, {"blocks": 10**9}, {"dropout": 1.5}]
)
def test_a_lifter_that_no_machine_could_hold_is_refused_before_it_is_built(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    network = LiftingNetwork(LiftingConfig(size=8, blocks=1))
    save_model(tmp_path / "model", "lifter", asdict(network.config), network, {}, "# Card\n")
    rewrite_config(tmp_path / "model", change)
    with pytest.raises(BadInputError, match=f"{next(iter(change))} must be") as error:
        load_lifter(str(tmp_path / "model"))
    assert error.value.code == "model_damaged"


def editor() -> VisionModel[Editor]:
    torch.manual_seed(0)
    return VisionModel(Editor(EditorConfig({"en": 7, "hi": 6}, hidden=8, layers=1, heads=2)), None)


@pytest.mark.parametrize(
    "change",
    [{"layers": 10**9}, {"layers": 0}, {"layers": 8, "hidden": 1024}, {"heads": 3}, {"most_at_once": 10**9}],
)
def test_an_editor_that_no_machine_could_hold_is_refused_before_it_is_built(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    save_speaking(tmp_path / "model", editor(), VOCABULARIES, "# Card\n")
    rewrite_config(tmp_path / "model", change)
    with pytest.raises(BadInputError, match="must be") as error:
        load_editor(str(tmp_path / "model"))
    assert error.value.code == "model_damaged"


def test_an_editor_comes_back_with_its_threshold_and_is_no_captioner(tmp_path: Path) -> None:
    model = editor().eval()
    model.network.threshold.fill_(0.875)
    save_speaking(tmp_path / "model", model, VOCABULARIES, "# Card\n", half=False)
    loaded = load_editor(str(tmp_path / "model"))
    assert float(loaded.network.network.threshold) == 0.875
    joints = torch.randn(2, 20, 3)
    pair = PairBatch(current_joints=joints, target_joints=-joints)
    with torch.inference_mode():
        assert torch.equal(loaded.network.network.encode(pair), model.network.encode(pair))
    with pytest.raises(BadInputError) as refused:
        load_captioner(str(tmp_path / "model"))
    assert refused.value.code == "model_wrong_kind"


def test_a_network_with_vocabularies_that_are_not_its_own_is_refused(tmp_path: Path) -> None:
    save_speaking(tmp_path / "model", retriever(), VOCABULARIES, "# Card\n")
    vocabularies = WITH_DANDA
    with pytest.raises(ValueError, match="vocabularies"):
        save_speaking(tmp_path / "other", retriever(), vocabularies, "# Card\n")
    vocabularies["hi"].save(tmp_path / "model")
    path = tmp_path / "model" / "config.json"
    described = json.loads(path.read_bytes())
    path.write_text(json.dumps({**described, "vocabularies": {"en": 7, "hi": 7}}))
    with pytest.raises(BadInputError, match="other vocabularies"):
        load_retriever(str(tmp_path / "model"))


def test_a_backbone_that_is_not_the_networks_own_is_not_saved(tmp_path: Path) -> None:
    model = captioner()
    model.backbone = None
    with pytest.raises(ValueError, match="backbone"):
        save_speaking(tmp_path / "model", model, VOCABULARIES, "# Card\n")


def test_an_estimator_comes_back_and_sees_the_same(tmp_path: Path) -> None:
    torch.manual_seed(0)
    config = PoseNetworkConfig(backbone=replace(NARROW, width=8), side=64, head=8, depths=4)
    network = PoseNetwork(config).eval()
    save_model(tmp_path / "model", "estimator", asdict(config), network, {}, "# Card\n", half=False)
    loaded = load_estimator(str(tmp_path / "model"))
    crops = torch.rand(2, 3, 64, 64)
    with torch.inference_mode():
        assert torch.equal(loaded.network(crops).metres, network(crops).metres)
    with pytest.raises(BadInputError) as refused:
        load_captioner(str(tmp_path / "model"))
    assert refused.value.code == "model_wrong_kind"


def test_a_lifter_comes_back_and_lifts_as_far(tmp_path: Path) -> None:
    torch.manual_seed(0)
    config = LiftingConfig(size=16, blocks=2)
    network = LiftingNetwork(config).eval()
    torch.nn.init.normal_(network.leave.weight)
    save_model(tmp_path / "model", "lifter", asdict(config), network, {}, "# Card\n", half=False)
    loaded = load_lifter(str(tmp_path / "model"))
    features = torch.randn(3, config.features)
    with torch.inference_mode():
        assert torch.equal(loaded.network(features), network(features))
    assert loaded.vocabularies == {}
    with pytest.raises(BadInputError) as refused:
        load_estimator(str(tmp_path / "model"))
    assert refused.value.code == "model_wrong_kind"


WITH_DANDA = {
    "en": Vocabulary("en", (*SPECIALS, "left", "arm", ".")),
    "hi": Vocabulary("hi", (*SPECIALS, "बाएँ", "हाथ", "।")),
}
CARD = "---\nlicense: mit\n---\n# A small network — हिन्दी\n"


class Small(nn.Module):
    """One of everything that a network of ours may hold."""

    def __init__(self, size: int = 6) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(3, size, 3)
        self.norm = nn.BatchNorm2d(size)
        self.words = nn.Embedding(9, size, padding_idx=0)
        self.lstm = nn.LSTM(size, size, batch_first=True)
        self.again = self.words  # one tensor under two names
        self.register_buffer("order", torch.arange(40_000))
        self.register_buffer("positions", torch.linspace(0, 1, size), persistent=False)

    def forward(self, pictures: Tensor, words: Tensor) -> Tensor:
        seen = self.norm(self.convolution(pictures)).relu().mean((2, 3)) + self.positions
        states, _ = self.lstm(self.words(words))
        return states + seen[:, None]


def make(config: dict[str, Any]) -> Small:
    return Small(**config)


def trained() -> Small:
    torch.manual_seed(0)
    model = Small()
    for _ in range(3):
        model(torch.rand(4, 3, 8, 8), torch.randint(1, 9, (4, 5)))
    return model


def saved(folder: Path, model: nn.Module | None = None, **options: bool) -> ModelFolder:
    save_model(folder, "captioner", {"size": 6}, model or trained(), WITH_DANDA, CARD, **options)
    return resolve_model(str(folder))


def refused(folder: Path, wanted: models.Kind = "captioner") -> BadInputError:
    with pytest.raises(BadInputError) as error:
        load_model(resolve_model(str(folder)), wanted, make)
    assert str(folder) in error.value.sentence
    assert "\n" not in error.value.sentence
    return error.value


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def rewrite_tensors(folder: Path, change: Callable[[dict[str, Tensor]], object]) -> None:
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


# There and back


def test_a_model_comes_back_as_its_half_precision_and_no_further_loss(tmp_path: Path) -> None:
    model = trained()
    network, vocabularies = load_model(saved(tmp_path / "first", model), "captioner", make)
    halved = trained()
    for parameter in halved.parameters():
        parameter.data = parameter.data.half().float()
    pictures, words = torch.rand(2, 3, 8, 8), torch.randint(1, 9, (2, 5))
    assert not network.training
    assert vocabularies == WITH_DANDA
    assert torch.equal(network(pictures, words), halved.eval()(pictures, words))
    saved(tmp_path / "second", network)
    assert contents(tmp_path / "second") == contents(tmp_path / "first")


def test_in_full_precision_nothing_is_lost(tmp_path: Path) -> None:
    model = trained()
    network, _ = load_model(saved(tmp_path / "model", model, half=False), "captioner", make)
    assert all(torch.equal(value, model.state_dict()[name]) for name, value in network.state_dict().items())


def test_what_half_precision_would_spoil_is_kept_whole(tmp_path: Path) -> None:
    model = trained()
    model.norm.running_var = torch.tensor([1e-9, 1e9, 1.0, 2.0, 3.0, 1 / 3])
    model.norm.num_batches_tracked = torch.tensor(16_777_217)  # no float32 counts so far
    model.lstm.weight_hh_l0.data[0, 0] = 70_000.0  # more than half precision holds
    network, _ = load_model(saved(tmp_path / "model", model), "captioner", make)
    for name in ("norm.running_var", "norm.num_batches_tracked", "order", "lstm.weight_hh_l0"):
        assert torch.equal(network.state_dict()[name], model.state_dict()[name])


def test_the_folder_is_laid_out_as_a_repo_of_the_hub(tmp_path: Path) -> None:
    folder = saved(tmp_path / "model")
    names = {"config.json", "model.safetensors", "vocabulary.en.txt", "vocabulary.hi.txt", "README.md"}
    assert set(contents(folder.path)) == names
    assert (folder.path / "README.md").read_text(encoding="utf-8") == CARD
    assert json.loads((folder.path / "config.json").read_bytes()) == {
        "kind": "captioner",
        "format": 1,
        "vocabularies": {"en": 7, "hi": 7},
        "network": {"size": 6},
    }


def test_a_large_model_lies_in_shards_below_15_mb(tmp_path: Path) -> None:
    def layers() -> nn.Module:
        return nn.Sequential(*(nn.Linear(1500, 1500) for _ in range(4)))

    torch.manual_seed(0)
    model = layers()
    save_model(tmp_path / "model", "retriever", {}, model, {}, CARD)
    shards = sorted((tmp_path / "model").glob("*.safetensors"))
    assert [shard.name for shard in shards] == ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    assert max(shard.stat().st_size for shard in shards) <= 15_000_000
    index = json.loads((tmp_path / "model" / "model.safetensors.index.json").read_bytes())
    assert set(index["weight_map"]) == set(model.state_dict())
    network, _ = load_model(resolve_model(str(tmp_path / "model")), "retriever", lambda _: layers())
    assert all(
        torch.equal(value, model.state_dict()[name].half()) for name, value in network.half().state_dict().items()
    )
    shards[1].unlink()
    with pytest.raises(BadInputError) as error:
        load_model(resolve_model(str(tmp_path / "model")), "retriever", lambda _: layers())
    assert (error.value.code, error.value.details["file"]) == ("model_incomplete", shards[1].name)


# Saving in place of another


def test_a_model_is_replaced_whole(tmp_path: Path) -> None:
    folder = saved(tmp_path / "model").path
    (folder / "results.json").write_text("of the older weights")
    (folder / "model-00001-of-00002.safetensors").write_bytes(b"a shard of older weights")
    saved(folder)
    assert "results.json" not in contents(folder)
    load_model(resolve_model(str(folder)), "captioner", make)
    assert list(tmp_path.iterdir()) == [folder]


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("mine")
    with pytest.raises(BadInputError) as error:
        saved(tmp_path)
    assert error.value.code == "folder_not_empty"
    assert contents(tmp_path) == {"letters.txt": b"mine"}


def test_a_model_that_cannot_be_written_leaves_the_one_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = saved(tmp_path / "model").path
    before = contents(folder)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(models, "save_torch_state_dict", full)
    with pytest.raises(BadInputError) as error:
        saved(folder)
    assert error.value.code == "folder_unusable"
    assert contents(folder) == before
    assert list(tmp_path.iterdir()) == [folder]


def test_a_model_that_cannot_be_moved_into_place_leaves_the_one_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = saved(tmp_path / "model").path
    before = contents(folder)
    rename = Path.rename

    def stuck(path: Path, to: Path) -> Path:
        if path.suffix == ".new":
            raise OSError(5, "Input/output error")
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", stuck)
    with pytest.raises(BadInputError):
        saved(folder)
    assert contents(folder) == before
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_model_that_diverged_is_not_saved(tmp_path: Path, value: float) -> None:
    model = trained()
    model.convolution.weight.data[0, 0, 0, 0] = value
    with pytest.raises(ValueError, match=r"convolution\.weight is not finite"):
        saved(tmp_path / "model", model)
    assert list(tmp_path.iterdir()) == []


# What is no model, or no longer


def edited(folder: Path, **changes: object) -> None:
    described = json.loads((folder / "config.json").read_bytes())
    (folder / "config.json").write_text(json.dumps({**described, **changes}), encoding="utf-8")


def test_another_kind_of_model_is_named(tmp_path: Path) -> None:
    error = refused(saved(tmp_path / "model").path, wanted="retriever")
    assert (error.code, error.details["wanted"], error.details["found"]) == (
        "model_wrong_kind",
        "retriever",
        "captioner",
    )


@pytest.mark.parametrize(("config", "other_kind"), [({"model_type": "bert"}, "bert"), ({}, "nothing known")])
def test_a_model_of_another_project_is_named(tmp_path: Path, config: dict[str, str], other_kind: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    error = refused(tmp_path)
    assert (error.code, error.details["found"]) == ("model_wrong_kind", other_kind)


@pytest.mark.parametrize("version", [2, "1", None])
def test_an_unknown_format_is_refused(tmp_path: Path, version: object) -> None:
    folder = saved(tmp_path / "model").path
    edited(folder, format=version)
    assert refused(folder).code == "model_format"


@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "vocabulary.hi.txt"])
def test_a_file_that_lacks_is_named(tmp_path: Path, file: str) -> None:
    folder = saved(tmp_path / "model").path
    (folder / file).unlink()
    error = refused(folder)
    assert (error.code, error.details["file"]) == ("model_incomplete", file)


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("config.json", b"{"),
        ("config.json", b"\xff"),
        ("config.json", b"[]"),
        ("config.json", b"[" * 100_000),
        ("config.json", b'{"kind": "captioner"}' + b" " * 1_000_000),
        ("model.safetensors", b""),
        ("model.safetensors", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"),
        ("vocabulary.en.txt", b"left\narm\n.\n"),
        ("vocabulary.en.txt", "".join(f"{word}\n" for word in (*SPECIALS, "left")).encode()),
        ("vocabulary.hi.txt", b"\xff\xfe"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, file: str, data: bytes) -> None:
    folder = saved(tmp_path / "model").path
    (folder / file).write_bytes(data)
    error = refused(folder)
    assert (error.code, error.details["file"]) == ("model_damaged", file)


@pytest.mark.parametrize(
    "changes",
    [
        {"network": {"width": 6}},
        {"network": {"size": "six"}},
        {"network": {"size": -1}},
        {"network": None},
        {"vocabularies": {"../../en": 7}},
        {"vocabularies": {"fr": 7}},
        {"vocabularies": ["en"]},
        {"vocabularies": None},
    ],
)
def test_a_config_that_makes_no_network_is_damaged(tmp_path: Path, changes: dict[str, object]) -> None:
    folder = saved(tmp_path / "model").path
    edited(folder, **changes)
    error = refused(folder)
    assert (error.code, error.details["file"]) == ("model_damaged", "config.json")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda tensors: tensors.pop("norm.bias"), "1 tensors are missing, such as norm.bias"),
        (lambda tensors: tensors.update(more=torch.ones(1)), "1 unexpected tensors, such as more"),
        (lambda tensors: tensors.update({"norm.bias": torch.ones(7)}), "norm.bias has the shape (7,)"),
        (lambda tensors: tensors.update({"norm.bias": torch.full((6,), torch.nan)}), "norm.bias is not finite"),
        (
            lambda tensors: tensors.update({"norm.bias": torch.full((6,), 1e300, dtype=torch.float64)}),
            "norm.bias is not finite",
        ),
        (lambda tensors: tensors.update(order=torch.ones(40_000)), "order holds torch.float32"),
        (lambda tensors: tensors.update({"norm.bias": torch.ones(6, dtype=torch.int8)}), "norm.bias holds torch.int8"),
        (
            lambda tensors: tensors.update({"norm.bias": torch.ones(6).to(torch.float8_e4m3fn)}),
            "norm.bias holds torch.float8",
        ),
    ],
)
def test_weights_that_are_not_those_of_the_network_are_damaged(
    tmp_path: Path, change: Callable[[dict[str, Tensor]], object], reason: str
) -> None:
    folder = saved(tmp_path / "model").path
    rewrite_tensors(folder, change)
    error = refused(folder)
    assert error.code == "model_damaged"
    assert str(error.details["reason"]).startswith(reason)


def test_two_files_with_the_same_tensor_are_damaged(tmp_path: Path) -> None:
    folder = saved(tmp_path / "model").path
    save_file({"norm.bias": torch.ones(6)}, folder / "model-00001-of-00001.safetensors")
    assert refused(folder).code == "model_damaged"


def test_an_index_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = saved(tmp_path / "model").path
    save_file({"norm.bias": torch.full((6,), 9.0)}, tmp_path / "outside.safetensors")
    index = {"weight_map": dict.fromkeys(trained().state_dict(), "../outside.safetensors")}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    network, _ = load_model(resolve_model(str(folder)), "captioner", make)
    assert not torch.any(network.norm.bias == 9.0)


class Bomb:
    """Unpickled, it leaves a file behind."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[Path], object], tuple[Path]]:
        """Return the call that a pickle runs."""
        return Path.touch, (self.mark,)


@pytest.mark.parametrize(
    ("name", "code"), [("model.safetensors", "model_damaged"), ("pytorch_model.bin", "model_incomplete")]
)
def test_a_pickle_is_never_opened(tmp_path: Path, name: str, code: str) -> None:
    folder = saved(tmp_path / "model").path
    (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(pickle.dumps(Bomb(tmp_path / "mark")))
    assert refused(folder).code == code
    assert not (tmp_path / "mark").exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_weights_are_refused_or_finite_and_never_a_fault_of_ours(tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / "model"
    if not folder.exists():
        saved(folder)
        (tmp_path / "whole").write_bytes((folder / "model.safetensors").read_bytes())
    whole = (tmp_path / "whole").read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    changed = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, header + 200))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.none(), st.integers(0, len(whole) - 1)))
    (folder / "model.safetensors").write_bytes(bytes(changed[:cut]))
    try:
        network, _ = load_model(resolve_model(str(folder)), "captioner", make)
    except BadInputError as error:
        assert error.code == "model_damaged"  # noqa: PT017  either way is right
    else:
        assert cut is None
        assert all(torch.isfinite(value).all() for value in network.state_dict().values())
