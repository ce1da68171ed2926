"""Tiny untrained models of every kind, saved as folders, and a cache of the sample's pose estimates."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from fmp_models.data.sample import FOLDER
from fmp_models.hub.models import save_model, save_speaking
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.languages.vocabulary import Vocabulary
from fmp_models.networks.backbone import Backbone, BackboneConfig, VisionModel
from fmp_models.networks.captioner import Captioner, CaptionerConfig
from fmp_models.networks.lifting_network import LiftingConfig, LiftingNetwork
from fmp_models.networks.pose_network import PoseNetwork, PoseNetworkConfig
from fmp_models.networks.retriever import Retriever, RetrieverConfig
from fmp_models.preprocessing import PicturesConfig
from fmp_models.training.dataset_samples import read_dataset

BACKBONE = BackboneConfig("narrow18", width=8, frozen=True)
PICTURES = PicturesConfig(64, "person")


@pytest.fixture(scope="session")
def vocabularies() -> dict[str, Vocabulary]:
    """Give the words of the sample's training texts."""
    texts = read_dataset(FOLDER, "captioning", ["train"]).splits["train"].texts
    return {
        code: Vocabulary.of((text for texts_of_pair in texts[code] for text in texts_of_pair), code, 1)
        for code in LANGUAGES
    }


@pytest.fixture(scope="session")
def models(vocabularies: dict[str, Vocabulary], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder of models: of every kind one, and whole, which cannot do without joints, and looking."""
    torch.manual_seed(1)
    folder = tmp_path_factory.mktemp("models")
    sizes = {code: len(vocabulary) for code, vocabulary in vocabularies.items()}
    seen = {"backbone": BACKBONE, "pictures": PICTURES, "image_channels": Backbone(BACKBONE).channels}
    for name, missing in (("captioner", True), ("whole", False)):
        captioner = CaptionerConfig(sizes, hidden=32, embedding=16, missing=missing, **seen)
        save_speaking(folder / name, VisionModel(Captioner(captioner), Backbone(BACKBONE)), vocabularies, "# Tiny\n")
    for name, words in (("retriever", vocabularies), ("looking", {})):
        of_words = {code: len(vocabulary) for code, vocabulary in words.items()}
        retriever = RetrieverConfig(of_words, hidden=32, embedding=16, images=False, text=bool(words))
        save_speaking(folder / name, VisionModel(Retriever(retriever), None), words, "# Tiny\n")
    estimator = PoseNetworkConfig(BackboneConfig("narrow18", width=8), side=64, head=8, depths=4)
    save_model(folder / "estimator", "estimator", asdict(estimator), PoseNetwork(estimator), {}, "# Tiny\n")
    lifter = LiftingConfig(size=8, blocks=1)
    save_model(folder / "lifter", "lifter", asdict(lifter), LiftingNetwork(lifter), {}, "# Tiny\n")
    return folder


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder for what is computed of the pictures once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide Java: METEOR takes a minute for texts that repeat a word, as those of untrained models do."""
    monkeypatch.setenv("PATH", str(tmp_path))
