"""Lifted joints: alike in a mirror, whatever the size; legs and hips untouched; and nearer to the truth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.estimators.landmarks import lifting
from fmp_models.estimators.landmarks.lifting import LandmarkLifter, bundled_lifter, lifted, mirrored_landmarks
from fmp_models.estimators.landmarks.mixtures import LANDMARK, LANDMARKS
from fmp_models.geometry.pose_values import elbow_angle
from fmp_models.networks.lifting_network import FEATURES, LiftingConfig, LiftingNetwork
from fmp_models.pose import BODY_SIDES, INDEX, JOINTS, MIRROR
from fmp_models.training.dataset_samples import WIDE_TEST, read_dataset
from fmp_models.training.landmarks import landmark_looks

UPPER = [INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("shoulder", "elbow", "wrist", "hand")]
LOWER = [INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("hip", "knee", "ankle", "foot")]


def network(seed: int = 0, **sizes: int) -> LiftingNetwork:
    """Offsets that are none of nothing."""
    torch.manual_seed(seed)
    made = LiftingNetwork(LiftingConfig(**{"size": 16, "blocks": 2, **sizes}))  # type: ignore[arg-type]
    torch.nn.init.normal_(made.leave.weight, std=0.1)
    return made.eval()


def lifter(seed: int = 0, **sizes: int) -> LandmarkLifter:
    made = network(seed, **sizes)
    return LandmarkLifter({name: values.numpy() for name, values in made.state_dict().items()}, made.config.blocks, "")


def landmarks(seed: int) -> np.ndarray:
    """33 landmarks: pixels, metres and visibility; the shoulders are above the hips."""
    dice = np.random.default_rng(seed)
    pixels, metres = dice.normal(300, 60, (len(LANDMARKS), 2)), dice.normal(0, 0.4, (len(LANDMARKS), 3))
    metres[[LANDMARK["left_shoulder"], LANDMARK["right_shoulder"]], 1] -= 5
    return np.column_stack([pixels, metres, dice.uniform(0, 1, len(LANDMARKS))])


def test_without_offsets_joints_are_those_of_the_landmarks() -> None:
    seen = landmarks(1)[None].astype(np.float32)
    joints, rough = lifted(seen, lambda features: np.zeros((len(features), len(JOINTS), 3), dtype=np.float32))
    assert np.allclose(joints, rough, atol=1e-6)


@given(st.integers(0, 2**16), st.integers(0, 9))
def test_in_a_mirror_joints_are_lifted_to_their_mirror_image(seed: int, weights: int) -> None:
    seen = landmarks(seed)
    plain = lifter(weights).joints(seen)
    mirrored = lifter(weights).joints(mirrored_landmarks(seen))
    assert np.allclose(mirrored, plain[list(MIRROR)] * [-1, 1, 1], atol=1e-4)


@given(st.integers(0, 2**16), st.floats(0.2, 4), st.floats(0.2, 4))
def test_a_person_elsewhere_in_a_larger_picture_or_of_another_height_is_lifted_alike(
    seed: int, larger: float, taller: float
) -> None:
    seen = landmarks(seed)
    resized = seen * np.array([larger, larger, taller, taller, taller, 1])
    resized[:, :2] += [100, -200]
    joints, other = lifter().joints(seen), lifter().joints(resized)
    assert np.allclose(other, joints * taller, atol=1e-3 * taller)


@pytest.mark.parametrize("blocks", [1, 3])
def test_what_is_computed_without_torch_is_what_torch_computes(blocks: int) -> None:
    features = np.random.default_rng(3).normal(size=(5, lifting.FEATURES)).astype(np.float32)
    with torch.inference_mode():
        expected = network(4, blocks=blocks)(torch.from_numpy(features)).numpy()
    assert np.allclose(lifter(4, blocks=blocks)._offsets(features), expected, atol=1e-5)


def test_both_networks_know_how_many_numbers_a_look_has() -> None:
    assert lifting.FEATURES == FEATURES


def test_hips_and_legs_stay_where_the_landmarks_have_them() -> None:
    seen = landmarks(5)
    _, (rough,) = lifted(seen[None].astype(np.float32), lambda features: np.zeros((len(features), len(JOINTS), 3)))
    joints = lifter().joints(seen)
    assert np.allclose(joints[LOWER], rough[LOWER], atol=1e-5)
    assert not np.allclose(joints[UPPER], rough[UPPER], atol=1e-3)


def test_a_person_who_hangs_head_down_stays_as_the_landmarks_have_them() -> None:
    seen = landmarks(5) * np.array([1, -1, 1, -1, 1, 1])
    _, (rough,) = lifted(seen[None].astype(np.float32), lambda features: np.zeros((len(features), len(JOINTS), 3)))
    assert np.allclose(lifter().joints(seen), rough, atol=1e-5)


@pytest.mark.parametrize(
    ("damage", "code", "file"),
    [
        ("no config", "model_incomplete", "config.json"),
        ("no weights", "model_incomplete", "model.safetensors"),
        ("no JSON", "model_damaged", "config.json"),
        ("another kind", "model_wrong_kind", None),
        ("cut", "model_damaged", "model.safetensors"),
        ("another shape", "model_damaged", "model.safetensors"),
        ("not finite", "model_damaged", "model.safetensors"),
        ("no last block", "model_damaged", "model.safetensors"),
    ],
)
def test_a_damaged_lifter_is_told_by_name(tmp_path: Path, damage: str, code: str, file: str | None) -> None:
    folder = tmp_path / "lifter"
    folder.mkdir()
    config, weights = folder / "config.json", folder / "model.safetensors"
    tensors = network(size=8).state_dict()
    kind = "estimator" if damage == "another kind" else "lifter"
    config.write_text("{" if damage == "no JSON" else json.dumps({"kind": kind, "network": {"blocks": 2}}))
    if damage == "another shape":
        tensors["enter.weight"] = tensors["enter.weight"][:, 1:].contiguous()
    if damage == "not finite":
        tensors["leave.bias"][0] = torch.nan
    if damage == "no last block":
        tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith("blocks.1")}
    save_file(tensors, weights)
    if damage == "cut":
        weights.write_bytes(weights.read_bytes()[:-100])
    if code == "model_incomplete":
        (folder / str(file)).unlink()
    with pytest.raises(BadInputError) as refused:
        bundled_lifter(folder)
    assert (refused.value.code, refused.value.details["model"]) == (code, "lifter")
    assert refused.value.details.get("file") == file
    assert str(tmp_path) not in str(refused.value)


def test_the_bundled_lifter_brings_simulated_arms_nearer_to_where_they_are(tmp_path: Path, pose_model: Path) -> None:
    dataset = read_dataset(FOLDER, "captioning", [WIDE_TEST, "test_unseen"])
    looks = landmark_looks(dataset, tmp_path, pose_model)
    picture, look = np.nonzero(looks.seen)
    assert len(picture) >= 10
    joints, rough = lifted(looks.landmarks[picture, look], bundled_lifter()._offsets)

    def off(bodies: np.ndarray) -> float:
        return float(np.mean([abs(elbow_angle(bodies, side) - elbow_angle(truth, side)) for side in BODY_SIDES]))

    truth = looks.truth[picture]
    assert off(joints) < off(rough)
