"""Tiny models of every kind as folders with results, and a small Hub for every test that asks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

from fmp_models.hub.models import save_model, save_speaking
from fmp_models.hub.references import resolve_model
from fmp_models.languages.vocabulary import SPECIALS, Vocabulary
from fmp_models.networks.backbone import Backbone, BackboneConfig, VisionModel
from fmp_models.networks.captioner import Captioner, CaptionerConfig
from fmp_models.networks.editor import Editor, EditorConfig
from fmp_models.networks.lifting_network import LiftingConfig, LiftingNetwork
from fmp_models.networks.pose_network import PoseNetwork, PoseNetworkConfig
from fmp_models.networks.retriever import Retriever, RetrieverConfig
from hub_cards.cards import render
from tests.hub_server import HubServer, reach_from_here, running_hub

VOCABULARIES = {
    "en": Vocabulary("en", (*SPECIALS, "left", "arm", ".")),
    "hi": Vocabulary("hi", (*SPECIALS, "बाएँ", "हाथ")),
}
NARROW = BackboneConfig("narrow18", width=2)
SWITCHES: dict[str, dict[str, bool]] = {
    "captioner": {"missing": True},
    "captioner-vision": {"previous_words": False},
    "captioner-language": {"vision": False, "joints": False},
}
SPEAKING = {"cider": 1.234567, "bleu4": 0.25, "object_match": 0.5, "meteor": None, "clause_agreement": 0.912}
MEASURED: dict[str, dict[str, Any]] = {
    "captioner": {"val_seen": {"en": {"n": 562, **SPEAKING}, "hi": {"n": 562, **SPEAKING, "cider": 0.75}}},
    "retriever": {"test_unseen": {"en": {"n": 1369, "accuracy": 0.7654, "recall_3": 0.95, "mean_rank": 1.5}}},
    "editor": {"test_unseen": {"en": {"n": 657, **SPEAKING}, "hi": {"n": 657, **SPEAKING}}},
    "estimator": {"test_unseen": {"n": 1186, "error": 0.0812, "places": 0.012, "joints": {"hip": 0.0}}},
    "lifter": {
        "test_unseen": {"n": 2201, "error": 0.0712, "error_unlifted": 0.0956, "elbow": 9.5, "elbow_unlifted": 14.25}
    },
}
TRAINED = {
    "commands": ["python -m fmp_models train it.toml --dataset DATA --out RUN"],
    "size": "bundled",
    "dataset": "ab" * 32,
    "validation": {"step": 1200, "cider": 1.1},
    "recipe": {"engine": {"seed": 9595}},
}


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def save_tiny(folder: Path) -> None:
    """Save a random model of the kind that the folder's name says."""
    torch.manual_seed(0)
    name = folder.name
    if name.startswith("estimator"):
        network = PoseNetwork(PoseNetworkConfig(NARROW, side=32, head=4, depths=2))
        save_model(folder, "estimator", asdict(network.config), network, {}, "# Card\n")
        return
    if name.startswith("lifter"):
        lifter = LiftingNetwork(LiftingConfig(size=8, blocks=1))
        save_model(folder, "lifter", asdict(lifter.config), lifter, {}, "# Card\n")
        return
    chosen = {"en": VOCABULARIES["en"]} if name.startswith("retriever") else VOCABULARIES
    sizes: dict[str, Any] = {"vocabulary_sizes": {code: len(words) for code, words in chosen.items()}}
    sizes |= {"hidden": 8, "embedding": 4, "image_channels": 16}
    model: VisionModel[Any]
    if name.startswith("editor"):
        model = VisionModel(Editor(EditorConfig(sizes["vocabulary_sizes"], hidden=8, heads=2, layers=1)), None)
    elif name.startswith("retriever"):
        model = VisionModel(Retriever(RetrieverConfig(**sizes, backbone=NARROW)), Backbone(NARROW))
    else:
        switches = SWITCHES[name]
        backbone = NARROW if switches.get("vision", True) else None
        model = VisionModel(
            Captioner(CaptionerConfig(**sizes, **switches, backbone=backbone)), backbone and Backbone(backbone)
        )
    save_speaking(folder, model, chosen, "# Card\n")


def save_results(folder: Path, kind: str, **changed: object) -> None:
    """Write an evaluation of the folder's own weights, and a note of training."""
    evaluation = {
        "model": folder.name,
        "revision": resolve_model(str(folder)).revision,
        "kind": kind,
        "dataset": {"name": "sim", "fingerprint": "cd" * 32},
        "command": f"python -m fmp_models evaluate {folder.name} DATA",
        "splits": MEASURED[kind],
    }
    write_json(folder / "evaluation.json", {**evaluation, **changed})
    write_json(folder / "training.json", TRAINED)


@pytest.fixture
def tiny(tmp_path: Path) -> Callable[..., Path]:
    """Make a model with results and its card: ``tiny("captioner")``, bare with ``results=False``."""

    def make(name: str, *, results: bool = True, card: bool = True) -> Path:
        folder = tmp_path / "checkpoints" / name
        save_tiny(folder)
        if results:
            save_results(folder, name.split("-", maxsplit=1)[0])
        if card:
            render([folder])
        return folder

    return make


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    reach_from_here(monkeypatch)
    with running_hub() as server:
        yield server
