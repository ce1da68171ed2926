"""Samples vary as asked, in every way by the generator alone, and nothing else changes."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.pose import INDEX, Pose
from fmp_models.training.augmentation import (
    InputDropout,
    JointNoise,
    LightJitter,
    dropped,
    noisy,
    relit,
)


def drawn(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def errors(noise: JointNoise, count: int = 4000) -> torch.Tensor:
    return noisy(torch.zeros(count, 20, 3), noise, drawn())


QUIET = JointNoise(joint=0, limb=0, depth=1, hidden=0, guess=0)
DARK = LightJitter(brightness=0, contrast=0, colour=0, blur=0, noise=0, boxes=0, box=0)


def test_no_noise_changes_no_joint() -> None:
    assert not errors(QUIET, 5).any()


def test_each_joint_has_an_error_of_its_own_that_is_larger_away_from_the_camera() -> None:
    joint_errors = errors(JointNoise(joint=0.03, limb=0, depth=2, hidden=0, guess=0))
    spread = joint_errors.std(dim=0)
    assert spread.numpy() == pytest.approx(np.tile([0.03, 0.03, 0.06], (20, 1)), rel=0.08)
    assert abs(float((joint_errors[:, 5, 0] * joint_errors[:, 6, 0]).mean())) < 1e-4


def test_the_joints_of_a_limb_share_an_error_and_the_trunk_has_none() -> None:
    joint_errors = errors(JointNoise(joint=0, limb=0.1, depth=1, hidden=0, guess=0))
    elbow, wrist = joint_errors[:, INDEX["left_elbow"]], joint_errors[:, INDEX["left_wrist"]]
    assert torch.allclose(elbow * 2, wrist)
    assert float(wrist.std()) == pytest.approx(0.1, rel=0.05)
    assert not joint_errors[:, [INDEX[name] for name in ("hip", "spine", "head", "left_shoulder", "right_hip")]].any()
    assert not torch.allclose(wrist, joint_errors[:, INDEX["right_wrist"]])


def test_a_share_of_limbs_is_guessed() -> None:
    joint_errors = errors(JointNoise(joint=0, limb=0, depth=1, hidden=0.25, guess=0.2))
    moved = joint_errors[:, INDEX["right_ankle"]].abs().sum(dim=-1) > 0
    assert float(moved.float().mean()) == pytest.approx(0.25, abs=0.03)
    assert float(joint_errors[:, INDEX["right_ankle"]][moved].std()) == pytest.approx(0.2, rel=0.1)


@pytest.mark.parametrize("shape", [(20, 3), (2, 20, 3), (3, 11, 20, 3)])
def test_noise_takes_any_number_of_poses_and_repeats_with_its_generator(shape: tuple[int, ...]) -> None:
    noisy_joints = noisy(torch.zeros(shape), JointNoise(), drawn(1))
    assert noisy_joints.shape == shape
    assert torch.equal(noisy_joints, noisy(torch.zeros(shape), JointNoise(), drawn(1)))
    assert not torch.equal(noisy_joints, noisy(torch.zeros(shape), JointNoise(), drawn(2)))


known = st.lists(st.booleans(), min_size=1, max_size=50).map(torch.tensor)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (1.0, 0.0), (-0.1, 0.2), (0.0, float("nan"))])
def test_shares_that_would_leave_nothing_to_show_are_refused(shares: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="together less than 1"):
        InputDropout(*shares)


@given(known, st.floats(0, 0.49), st.floats(0, 0.5), st.integers(0, 1000))
def test_something_is_always_shown_and_nothing_unknown_appears(
    image: torch.Tensor, pictures: float, joints: float, seed: int
) -> None:
    bodies = image.flip(0)
    shown, posed = dropped(image, bodies, InputDropout(pictures, joints), drawn(seed))
    assert not (shown & ~image).any()
    assert not (posed & ~bodies).any()
    assert torch.equal(shown | posed, image | bodies)


def test_pictures_and_joints_are_dropped_in_the_shares_asked_for() -> None:
    everything = torch.ones(20_000, dtype=torch.bool)
    shown, posed = dropped(everything, everything, InputDropout(0.1, 0.3), drawn())
    assert float(shown.float().mean()) == pytest.approx(0.9, abs=0.01)
    assert float(posed.float().mean()) == pytest.approx(0.7, abs=0.01)


def scene(count: int = 6, size: int = 32) -> torch.Tensor:
    return torch.randint(40, 200, (count, size, size, 3), generator=drawn(9), dtype=torch.uint8)


def test_without_light_pictures_stay_as_they_are() -> None:
    pixels = scene()
    assert torch.equal(relit(pixels, DARK, drawn()), pixels)


@pytest.mark.parametrize(
    "light",
    [
        LightJitter(0.5, 0, 0, 0, 0, 0, 0),
        LightJitter(0, 0.5, 0, 0, 0, 0, 0),
        LightJitter(0, 0, 0.5, 0, 0, 0, 0),
        LightJitter(0, 0, 0, 0.5, 0, 0, 0),
        LightJitter(0, 0, 0, 0, 20, 0, 0),
        LightJitter(0, 0, 0, 0, 0, 6, 0.9),
        LightJitter(),
    ],
    ids=["brightness", "contrast", "colour", "blur", "noise", "boxes", "all"],
)
def test_each_kind_of_light_changes_pictures_repeatably_and_not_the_originals(light: LightJitter) -> None:
    pixels = scene()
    relit_pixels = relit(pixels, light, drawn(3))
    assert relit_pixels.dtype == torch.uint8
    assert relit_pixels.shape == pixels.shape
    assert not torch.equal(relit_pixels, pixels)
    assert torch.equal(pixels, scene())
    assert torch.equal(relit_pixels, relit(pixels, light, drawn(3)))
    assert not torch.equal(relit_pixels, relit(pixels, light, drawn(4)))


def test_brightness_multiplies_and_colour_does_so_for_each_channel() -> None:
    pixels = torch.full((40, 4, 4, 3), 100, dtype=torch.uint8)
    bright = relit(pixels, LightJitter(0.3, 0, 0, 0, 0, 0, 0), drawn()).float()
    assert (bright.amax(dim=(1, 2, 3)) == bright.amin(dim=(1, 2, 3))).all()
    assert 69 <= bright.min() < 80
    assert 120 < bright.max() <= 131
    coloured = relit(pixels, LightJitter(0, 0, 0.3, 0, 0, 0, 0), drawn()).float()
    assert float(coloured[:, 0, 0].std(dim=-1).max()) > 10


def test_a_blur_keeps_the_mean_and_spreads_a_point_evenly() -> None:
    pixels = torch.zeros(1, 9, 9, 3, dtype=torch.uint8)
    pixels[0, 4, 4] = 255
    relit_pixels = relit(pixels, LightJitter(0, 0, 0, 1, 0, 0, 0), drawn())[0, ..., 0].int()
    assert torch.equal(relit_pixels, relit_pixels.T)
    assert torch.equal(relit_pixels, relit_pixels.flip(0))
    assert int(relit_pixels.sum()) == pytest.approx(255, abs=12)
    assert int(relit_pixels[4, 4]) < 60


def test_rectangles_are_of_one_colour_and_no_larger_than_asked() -> None:
    pixels = torch.zeros(30, 40, 40, 3, dtype=torch.uint8)
    relit_pixels = relit(pixels, LightJitter(0, 0, 0, 0, 0, 1, 0.5), drawn())
    covered = (relit_pixels != 0).any(dim=-1)
    assert 0 < covered.flatten(1).any(dim=1).float().mean() < 1
    for picture, mask in zip(relit_pixels, covered, strict=True):
        rows, columns = mask.any(dim=1).sum(), mask.any(dim=0).sum()
        assert rows <= 20
        assert columns <= 20
        assert int(mask.sum()) == int(rows * columns)
        assert len(picture[mask].unique(dim=0)) <= 1


def test_light_takes_no_other_randomness() -> None:
    torch.manual_seed(0)
    before = torch.random.get_rng_state()
    relit(scene(), LightJitter(), drawn())
    noisy(torch.zeros(2, 20, 3), JointNoise(), drawn())
    assert torch.equal(before, torch.random.get_rng_state())


def test_noise_keeps_the_kind_of_numbers() -> None:
    pose = Pose(np.zeros((20, 3)), np.ones(20))
    assert noisy(torch.tensor(pose.joints), JointNoise(), drawn()).dtype == torch.float64
