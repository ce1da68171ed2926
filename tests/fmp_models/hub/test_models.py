from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from fmp_models.errors import BadInputError
from fmp_models.hub.folders import save_model
from fmp_models.hub.models import load_captioner, load_estimator, load_lifter, load_retriever, save_speaking
from fmp_models.hub.pushing import push
from fmp_models.hub.references import resolve
from fmp_models.languages.vocabulary import SPECIALS, Vocabulary
from fmp_models.networks.backbones.backbone import Backbone, BackboneConfig
from fmp_models.networks.backbones.vision_model import VisionModel
from fmp_models.networks.captioning.captioner import Captioner
from fmp_models.networks.captioning.captioner_config import CaptionerConfig
from fmp_models.networks.estimating.lifting_network import LiftingConfig, LiftingNetwork
from fmp_models.networks.estimating.pose_network import PoseNetwork, PoseNetworkConfig
from fmp_models.networks.retrieving.retriever import Retriever
from fmp_models.networks.retrieving.retriever_config import RetrieverConfig
from fmp_models.preprocessing.person_crop import PicturesConfig
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


def rewrite(folder: Path, change: dict[str, Any]) -> None:
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
    assert loaded.folder == resolve(str(tmp_path / "model"))
    weights = loaded.network.state_dict()
    assert all(torch.equal(value, weights[name]) for name, value in halved(model).items())
    save_speaking(tmp_path / "again", loaded.network, loaded.vocabularies, "# Card\n")
    assert resolve(str(tmp_path / "again")).revision == loaded.folder.revision


@BOTH
def test_a_model_comes_back_from_the_hub(
    tmp_path: Path, made: Callable[..., Any], load: Callable[..., Any], hub: HubServer
) -> None:
    save_speaking(tmp_path / "model", made(), VOCABULARIES, "# Card\n")
    push(tmp_path / "model", "org/name", api=api_of(hub))
    there = load(resolve("org/name", api=api_of(hub), cache=tmp_path / "cache"))
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
    rewrite(tmp_path / "model", change)
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
    rewrite(tmp_path / "model", change)
    with pytest.raises(BadInputError, match=message) as error:
        load(str(tmp_path / "model"))
    assert error.value.code == "model_damaged"


@pytest.mark.parametrize("change", [{"side": 10**6}, {"head": 10**9}, {"depths": 10**9}])
def test_an_estimator_that_no_machine_could_hold_is_refused_before_it_is_built(
    tmp_path: Path, change: dict[str, int]
) -> None:
    network = PoseNetwork(PoseNetworkConfig(NARROW, side=32, head=4, depths=2))
    save_model(tmp_path / "model", "estimator", asdict(network.config), network, {}, "# Card\n")
    rewrite(tmp_path / "model", change)
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
    rewrite(tmp_path / "model", change)
    with pytest.raises(BadInputError, match=f"{next(iter(change))} must be") as error:
        load_lifter(str(tmp_path / "model"))
    assert error.value.code == "model_damaged"


def test_a_network_with_vocabularies_that_are_not_its_own_is_refused(tmp_path: Path) -> None:
    save_speaking(tmp_path / "model", retriever(), VOCABULARIES, "# Card\n")
    vocabularies = {**VOCABULARIES, "hi": Vocabulary("hi", (*SPECIALS, "बाएँ", "हाथ", "।"))}
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
