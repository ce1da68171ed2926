from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from fmp_models.networks.transforms import mirrored_joints
from fmp_models.training.dataset_samples import NO_PICTURE, Dataset, Samples
from fmp_models.training.estimated_joints import EstimatedJoints
from fmp_models.training.model_inputs import SampleInputs, Variation, Views
from fmp_models.training.pictures import Features
from fmp_models.training.recombination import recombined
from fmp_models.training.texts import swapped

MANY = 400


@pytest.fixture(scope="module")
def pairs(captioning: Dataset) -> Samples:
    return captioning.splits["train"]


def found_in(dataset: Dataset, unseen: tuple[int, ...] = ()) -> EstimatedJoints:
    """Joints that name their picture: no two pictures have the same."""
    count = len(dataset.pictures)
    joints = np.random.default_rng(0).normal(size=(count, 20, 3)).astype(np.float32)
    joints -= joints[:, :1]
    known = ~np.isin(np.arange(count), unseen)
    joints[~known] = 0
    return EstimatedJoints(joints, np.full((count, 20, 2), np.nan, np.float32), known)


def varied_joints(
    sample_inputs: SampleInputs, variation: Variation, *, mirrorable: bool = False
) -> tuple[torch.Tensor, ...]:
    """Joints, which are known, rows, and which are mirrored, of many samples."""
    rows = [row % len(sample_inputs.samples) for row in range(MANY)]
    varied, mirrored = sample_inputs.varied(
        rows, torch.full((MANY,), mirrorable), variation, torch.Generator().manual_seed(3)
    )
    return varied.joints, varied.joints_known, torch.tensor(rows), mirrored


def are_estimated(sample_inputs: SampleInputs, joints: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    assert sample_inputs.estimated is not None
    estimated_joints, _ = sample_inputs.estimated.at(sample_inputs.samples.pictures[rows.numpy()])
    return (joints - torch.from_numpy(estimated_joints)).abs().amax(dim=(1, 2, 3)) < 1e-6


def test_shares_of_samples_have_estimated_noisy_and_true_joints(captioning: Dataset, pairs: Samples) -> None:
    sample_inputs = SampleInputs(pairs, Views(), estimated=found_in(captioning))
    joints, known, rows, _ = varied_joints(sample_inputs, Variation(noisy=0.2, estimated=0.5))
    true, *_ = varied_joints(sample_inputs, Variation())
    estimated = are_estimated(sample_inputs, joints, rows)
    exact = (joints - true).abs().amax(dim=(1, 2, 3)) == 0
    assert 0.42 < estimated.float().mean() < 0.58
    assert 0.22 < exact.float().mean() < 0.38
    assert not (estimated & exact).any()
    assert known.all()


@pytest.mark.parametrize(("share", "expected"), [(0.0, False), (1.0, True)])
def test_none_or_all_are_estimated(captioning: Dataset, pairs: Samples, share: float, expected: bool) -> None:  # noqa: FBT001
    sample_inputs = SampleInputs(pairs, Views(), estimated=found_in(captioning))
    joints, _, rows, _ = varied_joints(sample_inputs, Variation(estimated=share))
    assert (are_estimated(sample_inputs, joints, rows) == expected).all()


def test_estimated_joints_of_mirrored_samples_are_mirrored_exactly(captioning: Dataset, pairs: Samples) -> None:
    sample_inputs = SampleInputs(pairs, Views(), estimated=found_in(captioning))
    straight, *_ = varied_joints(sample_inputs, Variation(estimated=1.0))
    joints, _, _, mirrored = varied_joints(sample_inputs, Variation(estimated=1.0, mirror=1.0), mirrorable=True)
    assert mirrored.all()
    assert torch.equal(joints, mirrored_joints(straight))


def test_true_joints_are_shown_where_nobody_was_found(captioning: Dataset, pairs: Samples) -> None:
    blind = int(pairs.pictures[0, 1])
    sample_inputs = SampleInputs(pairs, Views(), estimated=found_in(captioning, (blind,)))
    joints, known, rows, _ = varied_joints(sample_inputs, Variation(estimated=1.0))
    true, *_ = varied_joints(sample_inputs, Variation())
    lacking = torch.from_numpy((pairs.pictures == blind).any(axis=1))[rows]
    assert lacking.any()
    assert torch.equal(joints[lacking], true[lacking])
    assert are_estimated(sample_inputs, joints, rows)[~lacking].all()
    assert known.all()


def test_partly_who_was_not_found_has_no_joints_unless_it_is_the_current_pose(
    captioning: Dataset, pairs: Samples
) -> None:
    current, target = int(pairs.pictures[0, 0]), int(pairs.pictures[1, 1])
    sample_inputs = SampleInputs(pairs, Views(), estimated=found_in(captioning, (current, target)), partly=True)
    joints, known, rows, _ = varied_joints(sample_inputs, Variation(estimated=1.0))
    numbers = torch.from_numpy(pairs.pictures)[rows]
    whole = numbers[:, 0] == current
    assert known[whole].all()
    unseen = (numbers[:, 1] == target) & (numbers[:, 0] != current)
    assert unseen.any()
    assert known[unseen].tolist() == [[True, False]] * int(unseen.sum())
    assert not joints[unseen][:, 1].any()


def test_samples_without_pictures_have_errors_of_our_own_where_others_have_an_estimators(
    captioning: Dataset, pairs: Samples
) -> None:
    without = replace(pairs, pictures=np.full_like(pairs.pictures, NO_PICTURE))
    joints, known, *_ = varied_joints(
        SampleInputs(without, Views(), estimated=found_in(captioning)), Variation(estimated=0.5)
    )
    true, *_ = varied_joints(SampleInputs(without, Views()), Variation())
    errors = (joints - true).norm(dim=-1).mean(dim=(1, 2))
    assert 0.42 < (errors == 0).float().mean() < 0.58
    assert 0.01 < errors[errors > 0].mean() < 0.15
    assert known.all()


def test_swapped_and_recombined_pairs_carry_the_joints_of_their_pictures(
    captioning: Dataset, pairs: Samples, tmp_path: Path
) -> None:
    estimated_joints = found_in(captioning)
    straight, *_ = varied_joints(
        SampleInputs(pairs.subset([0, 1]), Views(), estimated=estimated_joints), Variation(estimated=1.0)
    )
    back, *_ = varied_joints(
        SampleInputs(swapped(pairs.subset([0, 1]), 1), Views(), estimated=estimated_joints), Variation(estimated=1.0)
    )
    assert torch.equal(back[:2], straight[:2].flip(1))
    scene = replace(pairs, uids=tuple(f"{row % 2}_0_0_{row}_0" for row in range(len(pairs))))
    new = recombined(scene, 3, 3, tmp_path)
    assert len(new) == 3
    sample_inputs = SampleInputs(new, Views(), estimated=estimated_joints)
    joints, _, rows, _ = varied_joints(sample_inputs, Variation(estimated=1.0))
    assert are_estimated(sample_inputs, joints, rows).all()


def test_more_than_all_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 1"):
        Variation(noisy=0.6, estimated=0.5)


def test_mirrored_samples_see_the_features_of_mirrored_pictures() -> None:
    plain, other = (Features(np.full((3, 4, 2), value, np.float16)) for value in (1, 2))
    numbers = np.array([[0, 1], [2, NO_PICTURE], [1, 1]])
    pixels, features = Views(features=(plain, other)).at(numbers, torch.tensor([True, False, False]))
    assert pixels is None
    assert features is not None
    assert features.shape == (3, 2, 4, 2)
    assert features[:, :, 0, 0].tolist() == [[2, 2], [1, 0], [1, 1]]
