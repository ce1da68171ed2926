from __future__ import annotations

import json
import logging
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

import fmp_models.training
from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.hub.models import load_captioner, load_editor, load_lifter, load_retriever
from fmp_models.networks import backbone as backbones
from fmp_models.networks.backbone import BackboneConfig
from fmp_models.networks.captioner import CaptionerConfig
from fmp_models.networks.editor import EditorConfig
from fmp_models.networks.efficientnet_lite import lite_stages
from fmp_models.networks.retriever import RetrieverConfig
from fmp_models.preprocessing import PicturesConfig
from fmp_models.training.captioner import CaptionerRecipe
from fmp_models.training.config import built, read_config, read_tables
from fmp_models.training.editor import EditorRecipe
from fmp_models.training.estimated_joints import MeasuringEstimator, estimated_fingerprint, measure_dataset
from fmp_models.training.estimator import EstimatorRecipe
from fmp_models.training.lifter import LifterRecipe
from fmp_models.training.preparation import TrainingOrder
from fmp_models.training.recipes import deciding, train
from fmp_models.training.retriever import RetrieverRecipe
from fmp_models.workers import Workers
from tests.knowing_estimators import Knowing
from tests.thoroughness import one_of, thorough

CONFIGS = sorted((Path(fmp_models.training.__file__).parent / "configs").glob("*.toml"))
RECIPES = {
    "captioner": CaptionerRecipe,
    "retriever": RetrieverRecipe,
    "editor": EditorRecipe,
    "estimator": EstimatorRecipe,
    "lifter": LifterRecipe,
}
NETWORKS = {"captioner": CaptionerConfig, "retriever": RetrieverConfig, "editor": EditorConfig}

BACKBONE = '[network.backbone]\nname = "narrow18"\nwidth = 8\n'
PICTURES = '[network.pictures]\nsize = 64\nframing = "person"'
ENGINE = "[engine]\nsteps = 4\nrate = 1e-3\nlog_every = 2\n[sizes.small]\n"
ESTIMATOR = f'kind = "estimator"\n[network]\nside = 64\nhead = 8\ndepths = 4\n{BACKBONE}[data]\nbatch = 8\n{ENGINE}'
LIFTER = f'kind = "lifter"\n[network]\nsize = 16\nblocks = 1\n[data]\nbatch = 8\n{ENGINE}'
EDITOR = f"""
kind = "editor"
[network]
hidden = 16
layers = 1
heads = 2
[data]
batch = 4
drawn = 3
least_seen = 1
[sizes.once.data]
order = "once"
[sizes.once.network]
most_at_once = 20
{ENGINE}
"""
CAPTIONER = f"""
kind = "captioner"
[network]
hidden = 32
embedding = 16
{PICTURES}
{BACKBONE}frozen = true
[data]
languages = ["en", "hi"]
batch = 4
longest = 20
least_seen = 1
wide = true
swap = true
[variation]
mirror = 0.5
{ENGINE}
[sizes.looking.network.backbone]
frozen = false
[sizes.looking.variation.light]
[sizes.words.data]
trained = "words"
[sizes.critical.data]
objective = "self_critical"
[sizes.wider.network]
hidden = 64
[sizes.lonely.data]
languages = ["en"]
[sizes.photographs.network]
frames = "both"
missing = true
[sizes.photographs.data]
drawn = 5
[sizes.photographs.variation]
estimated = 0.5
"""
RETRIEVER = f"""
kind = "retriever"
[network]
hidden = 32
embedding = 16
{PICTURES}
{BACKBONE}frozen = true
[data]
batch = 4
least_seen = 1
{ENGINE}
[sizes.vision.network]
text = false
[sizes.space.network]
space = true
images = false
[sizes.space.data]
wide = true
drawn = 5
[sizes.space.contrast]
estimated = 0.5
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with three configurations and a trained estimator."""
    folder = tmp_path_factory.mktemp("recipes")
    for kind, text in (("estimator", ESTIMATOR), ("captioner", CAPTIONER), ("retriever", RETRIEVER)):
        (folder / f"{kind}.toml").write_text(text)
    train("estimator", order(folder, "estimator"))
    return folder


def order(place: Path, kind: str, size: str = "small", *, start: Path | None = None, out: str = "") -> TrainingOrder:
    backbone = None if kind in ("estimator", "lifter") or start is not None else str(place / "estimator-small" / "best")
    return TrainingOrder(
        place / f"{kind}.toml",
        FOLDER,
        place / (out or f"{kind}-{size}"),
        size,
        start=None if start is None else str(start),
        backbone=backbone,
        cache=place / "cache",
    )


def trained_backbone(place: Path) -> dict[str, torch.Tensor]:
    tensors = load_file(place / "estimator-small" / "best" / "model.safetensors")
    return {name.removeprefix("backbone."): tensor for name, tensor in tensors.items()}


def sizes() -> list[tuple[Path, str]]:
    return [(path, size) for path in CONFIGS for size in read_tables(path)["sizes"]]


@pytest.mark.parametrize(("path", "size"), sizes(), ids=[f"{path.stem}-{size}" for path, size in sizes()])
def test_every_recipe_of_the_repository_can_be_read_at_every_size(path: Path, size: str) -> None:
    kind = read_tables(path)["kind"]
    recipe = built(RECIPES[kind], read_config(path, kind, size), path)
    assert recipe.engine.clip == 5.0
    assert size in ("paper", "gpu") or 0 < recipe.engine.minutes < 120
    if kind in NETWORKS:
        built(NETWORKS[kind], {**recipe.network, "vocabulary_sizes": {"en": 5}}, path)  # type: ignore[type-var, attr-defined]


@pytest.mark.parametrize("path", [path for path, size in sizes() if size == "paper"], ids=lambda path: path.stem)
def test_recipes_of_the_paper_have_its_sizes(path: Path) -> None:
    kind = read_tables(path)["kind"]
    recipe = built(RECIPES[kind], read_config(path, kind, "paper"), path)
    network = built(NETWORKS[kind], {**recipe.network, "vocabulary_sizes": {"en": 5}}, path)  # type: ignore[type-var, attr-defined]
    assert (network.hidden, recipe.data.batch) == (512, {"captioner": 45, "retriever": 15}[kind])  # type: ignore[attr-defined]


def test_there_is_a_recipe_for_every_model_of_the_paper_our_editor_our_estimator_and_its_lifter() -> None:
    captioners = "en multilingual multilingual_words vision language no_joints joint_prediction self_critical execution"
    others = ("self_critical_hi", "pairs", "changes", "pairs_language")
    named = {f"captioner_{variant}" for variant in [*captioners.split(), *others]}
    named |= {f"retriever_{variant}" for variant in ("en", "hi", "vision", "language", "space")}
    named |= {"editor", "estimator", "lifter"}
    assert {path.stem for path in CONFIGS} == named
    assert all({"small"} < set(read_tables(path)["sizes"]) for path in CONFIGS)


def test_an_estimator_and_a_captioner_on_its_backbone_load_as_from_the_hub(place: Path) -> None:
    train("captioner", order(place, "captioner"))
    captioner = load_captioner(str(place / "captioner-small" / "best"))
    assert captioner.network.backbone is not None
    for name, value in captioner.network.backbone.state_dict().items():
        assert torch.equal(value, trained_backbone(place)[name]), name
    assert captioner.network.network.config.pictures == PicturesConfig(64, "person")
    assert set(captioner.vocabularies) == {"en", "hi"}
    scores = json.loads((place / "captioner-small" / "best" / "scores.json").read_text())
    assert {"step", "cider", "cider_en", "cider_hi", "agreement", "agreement_en", "agreement_hi"} == set(scores)


@pytest.mark.parametrize("size", one_of(["small", "once"]))
def test_an_editor_is_trained_goes_on_and_loads(place: Path, size: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "fmp_models")
    (place / "editor.toml").write_text(EDITOR)
    asked = replace(order(place, "editor", size), backbone=None)
    train("editor", asked)
    loaded = load_editor(str(place / f"editor-{size}" / "best"))
    assert set(loaded.vocabularies) == {"en", "hi"}
    assert loaded.network.network.config.most_at_once == {"small": 1, "once": 20}[size]
    scores = json.loads((place / f"editor-{size}" / "best" / "scores.json").read_text())
    assert float(loaded.network.network.threshold) == pytest.approx(scores["threshold"])
    train("editor", asked)
    assert caplog.messages[-1].startswith("done at step 4")
    assert deciding("editor", asked)["network"]["hidden"] == 16


def test_a_lifter_learns_from_what_mediapipe_sees_goes_on_and_loads(
    place: Path, pose_model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fmp_models")
    (place / "lifter.toml").write_text(LIFTER)
    asked = replace(order(place, "lifter"), pose_model=pose_model)
    train("lifter", asked)
    folder = place / "lifter-small" / "best"
    scores = json.loads((folder / "scores.json").read_text())
    assert scores["error"] != scores["unlifted"]
    network = load_lifter(str(folder)).network
    train("lifter", asked)
    assert caplog.messages[-1].startswith("done at step 4")
    other = place / "other.task"
    other.write_bytes(pose_model.read_bytes() + b" ")
    with pytest.raises(BadInputError) as refused:
        train("lifter", replace(asked, pose_model=other))
    assert refused.value.code == "folder_other_order"
    started = replace(asked, start=str(folder), out=place / "lifter-on")
    train("lifter", started)
    assert network.config == load_lifter(str(place / "lifter-on" / "best")).network.config


def test_a_lifter_needs_a_pose_model(place: Path) -> None:
    (place / "lifter.toml").write_text(LIFTER)
    with pytest.raises(BadInputError) as refused:
        train("lifter", order(place, "lifter", out="lifter-blind"))
    assert refused.value.code == "pose_model_unnamed"


@pytest.mark.usefixtures("drawn_curves")
@pytest.mark.parametrize("size", one_of(["small", "vision"]))
def test_a_retriever_is_trained_and_loads(place: Path, size: str) -> None:
    train("retriever", order(place, "retriever", size))
    loaded = load_retriever(str(place / f"retriever-{size}" / "best"))
    assert loaded.network.network.config.pictures == PicturesConfig(64, "person")
    assert set(loaded.vocabularies) == (set() if size == "vision" else {"en"})
    scores = json.loads((place / f"retriever-{size}" / "best" / "scores.json").read_text())
    assert 0 <= scores["accuracy"] <= scores["recall_at_3"] <= 1 <= scores["mean_rank"] <= 10


@thorough
def test_joints_that_were_measured_are_learned_from_and_decide_the_run(place: Path, tmp_path: Path) -> None:
    ordered = order(place, "captioner", "photographs")
    with pytest.raises(BadInputError, match="measure-joints first"):
        train("captioner", ordered)
    dataset = shutil.copytree(FOLDER, tmp_path / "dataset")
    measure_dataset(dataset, MeasuringEstimator(partial(Knowing, tmp_path / "log", blind=120.0), "knowing"), Workers(2))
    ordered = replace(ordered, dataset=dataset)
    train("captioner", ordered)
    loaded = load_captioner(str(ordered.out / "best"))
    assert loaded.network.network.config.frames == "both"
    begun = json.loads((ordered.out / "config.json").read_text())
    assert begun["estimated_joints"] == estimated_fingerprint(dataset)
    assert "estimated_joints" not in deciding("captioner", order(place, "captioner"))
    measure_dataset(dataset, MeasuringEstimator(partial(Knowing, tmp_path / "log"), "knowing", "all"), Workers(2))
    with pytest.raises(BadInputError, match="other options"):
        train("captioner", ordered)


@thorough
def test_a_space_learns_from_measured_and_drawn_poses(place: Path, tmp_path: Path) -> None:
    dataset = shutil.copytree(FOLDER, tmp_path / "dataset")
    ordered = replace(order(place, "retriever", "space"), dataset=dataset)
    with pytest.raises(BadInputError, match="measure-joints first"):
        train("retriever", ordered)
    measure_dataset(dataset, MeasuringEstimator(partial(Knowing, tmp_path / "log", blind=120.0), "knowing"), Workers(2))
    train("retriever", ordered)
    assert load_retriever(str(ordered.out / "best")).network.network.config.space
    begun = json.loads((ordered.out / "config.json").read_text())
    assert begun["estimated_joints"] == estimated_fingerprint(dataset)


def test_a_pretrained_backbone_needs_no_model_to_take_it_from(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lite.toml"
    network = '[network.backbone]\nname = "efficientnet_lite0"\npretrained = true\nstage = 3\n'
    path.write_text(CAPTIONER.replace(BACKBONE, network).replace("wide = true", ""))
    stages = lite_stages("efficientnet_lite0")
    monkeypatch.setattr(backbones, "pretrained_stages", lambda _: stages)
    ordered = TrainingOrder(path, FOLDER, tmp_path / "run", cache=place / "cache")
    train("captioner", ordered)
    backbone = load_captioner(str(tmp_path / "run" / "best")).network.backbone
    assert backbone is not None
    assert backbone.config == BackboneConfig("efficientnet_lite0", 3, pretrained=True, frozen=True)
    assert all(
        torch.equal(a, b) for a, b in zip(backbone.parameters(), nn.Sequential(*stages[:4]).parameters(), strict=True)
    )


@thorough
def test_a_captioner_can_train_its_backbone_too(place: Path) -> None:
    train("captioner", order(place, "captioner", "looking"))
    before = trained_backbone(place)
    after = load_captioner(str(place / "captioner-looking" / "best")).network.backbone
    assert after is not None
    assert any(not torch.equal(value, before[name]) for name, value in after.state_dict().items())


@pytest.mark.parametrize("size", one_of(["words", "critical"], 1))
def test_a_run_goes_on_from_an_earlier_model_in_its_words(place: Path, size: str) -> None:
    earlier = place / "captioner-small" / "best"
    if not earlier.exists():
        train("captioner", order(place, "captioner"))
    train("captioner", order(place, "captioner", size, start=earlier))
    old, new = (load_captioner(str(path)) for path in (earlier, place / f"captioner-{size}" / "best"))
    assert old.vocabularies == new.vocabularies
    changed = {
        name.split(".")[1]
        for name, value in new.network.state_dict().items()
        if not torch.equal(value, old.network.state_dict()[name])
    }
    assert changed == ({"words"} if size == "words" else {"words", "pair_encoder", "w_k"})


@thorough
def test_measures_can_be_added_to_a_captioner_that_was_trained_without(place: Path) -> None:
    earlier = place / "captioner-small" / "best"
    if not earlier.exists():
        train("captioner", order(place, "captioner"))
    added = {"network": {"measures": True}}
    for start, out in ((earlier, "measures"), (place / "measures" / "best", "measures-again")):
        train("captioner", replace(order(place, "captioner", start=start, out=out), changes=added))
        assert load_captioner(str(place / out / "best")).network.network.config.measures
    with pytest.raises(BadInputError, match="Training cannot start from"):
        train("captioner", order(place, "captioner", start=place / "measures" / "best", out="taken-away"))


def test_another_seed_is_another_run(place: Path) -> None:
    first = order(place, "captioner", out="seeds")
    train("captioner", first)
    with pytest.raises(BadInputError, match="other options"):
        train("captioner", replace(first, seed=2020))


@pytest.mark.parametrize(
    ("size", "start", "message"),
    [("wider", "captioner-small/best", "cannot start from"), ("small", "nowhere/best", "not a model|no folder")],
)
def test_a_model_that_does_not_fit_is_no_start(place: Path, size: str, start: str, message: str) -> None:
    if not (place / "captioner-small" / "best").exists():
        train("captioner", order(place, "captioner"))
    with pytest.raises(BadInputError, match=message):
        train("captioner", order(place, "captioner", size, start=place / start, out="unfit"))


def test_a_frozen_backbone_that_nobody_trained_is_refused(place: Path) -> None:
    with pytest.raises(BadInputError, match="--backbone"):
        train("captioner", replace(order(place, "captioner", out="untrained"), backbone=None))


def test_a_folder_without_the_split_is_refused(place: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="captioning/train"):
        train("captioner", replace(order(place, "captioner", out="none"), dataset=tmp_path))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[variation.missing]\npictures = 0.6\njoints = 0.4", "variation.missing.*together less than 1"),
        ("[network]\nhidden = 100000", "network.*at most 2048"),
        ("[network]\nhiden = 3", "network.hiden"),
        ("[network]\nhidden = 33", "network.*hidden even"),
        ("[network]\nframes = 'mine'", "network.frames"),
        ("[variation]\nnoisy = 0.6\nestimated = 0.5", "variation.*at most 1"),
        ("[network.pictures]\nsize = 16", "network.pictures.*from 32 to 2048"),
        ("[network.pictures]\nframing = 'head'", "network.pictures.framing"),
        ("[data]\nlanguages = 'en'", "data.languages"),
        ("[dada]", "“dada”"),
    ],
)
def test_a_mistake_in_a_recipe_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f'kind = "captioner"\n{line}\n[sizes.small]\n')
    with pytest.raises(BadInputError, match=message):
        train("captioner", TrainingOrder(path, FOLDER, tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_fewer_other_candidates_than_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('kind = "retriever"\n[data]\nothers = -1\n[sizes.small]\n')
    with pytest.raises(BadInputError, match=r"data\.others"):
        train("retriever", TrainingOrder(path, FOLDER, tmp_path / "out"))


def test_a_language_that_is_not_spoken_here_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('kind = "captioner"\n[data]\nlanguages = ["fr"]\n[sizes.small]\n')
    with pytest.raises(BadInputError, match="language"):
        train("captioner", TrainingOrder(path, FOLDER, tmp_path / "out"))
