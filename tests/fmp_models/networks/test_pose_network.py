from pathlib import Path

import numpy as np
import pytest
import torch

from fmp_models import pose
from fmp_models.data.sample import FOLDER
from fmp_models.networks.backbone import BackboneConfig, as_images
from fmp_models.networks.pose_network import (
    JointPrediction,
    JointTruth,
    PoseNetwork,
    PoseNetworkConfig,
    joint_errors,
    pose_losses,
)
from fmp_models.training.dataset_samples import read_dataset
from fmp_models.training.estimator import PersonCropSampler
from fmp_models.training.pictures import encoded_pictures
from tests.nonempty import nonempty
from tests.thoroughness import thorough

SMALL = PoseNetworkConfig(BackboneConfig("narrow18", width=8), side=64, head=16, depths=8)


def made(config: PoseNetworkConfig = SMALL) -> PoseNetwork:
    torch.manual_seed(0)
    return PoseNetwork(config).eval()


def prediction(count: int = 2) -> JointPrediction:
    torch.manual_seed(1)
    metres = torch.randn(count, 20, 3)
    return JointPrediction(
        torch.rand(count, 20, 2), metres - metres[:, :1], torch.randn(count, 20), torch.rand(count, 20)
    )


def truth_of(predicted: JointPrediction) -> JointTruth:
    return JointTruth(predicted.places.clone(), predicted.metres.clone(), predicted.inside > 0)


def test_joints_of_each_crop() -> None:
    with torch.no_grad():
        predicted = made()(torch.rand(2, 3, 64, 64))
    assert predicted.places.shape == (2, 20, 2)
    assert predicted.metres.shape == (2, 20, 3)
    assert predicted.inside.shape == (2, 20)
    assert ((predicted.places > 0) & (predicted.places < 1)).all()
    assert not predicted.metres[:, pose.INDEX["hip"]].any()


def test_the_bundled_size_is_below_eight_megabytes_in_half_precision() -> None:
    assert sum(value.numel() for value in PoseNetwork(PoseNetworkConfig()).state_dict().values()) * 2 < 8e6


def test_a_batch_is_seen_as_its_crops_are_alone() -> None:
    model, crops = made(), torch.rand(3, 3, 64, 64)
    with torch.no_grad():
        together, alone = model(crops), model(crops[1:2])
    assert torch.allclose(together.metres[1], alone.metres[0], atol=1e-5)
    assert torch.allclose(together.places[1], alone.places[0], atol=1e-5)


def test_every_parameter_learns() -> None:
    model, crops = made().train(), torch.rand(2, 3, 64, 64)
    sum(pose_losses(model(crops), truth_of(prediction())).values()).backward()
    for name, value in nonempty(model.named_parameters()):
        # What is added to a whole heat map changes no softmax over it, but each depth has its own.
        assert value.grad is not None, name
        assert value.grad.any(), name


def test_a_mirrored_prediction_is_the_mirrored_pose() -> None:
    predicted = prediction(1)
    mirrored = pose.mirror(pose.Pose(predicted.metres[0].double().numpy(), np.ones(20)))
    assert np.allclose(predicted.mirrored.metres[0], mirrored.joints)
    left, right = pose.INDEX["left_hand"], pose.INDEX["right_hand"]
    assert predicted.mirrored.places[0, left, 0] == 1 - predicted.places[0, right, 0]
    assert predicted.mirrored.places[0, left, 1] == predicted.places[0, right, 1]
    assert predicted.mirrored.inside[0, left] == predicted.inside[0, right]


def test_two_mirrors_give_the_same_back() -> None:
    predicted = prediction()
    again = predicted.mirrored.mirrored
    assert torch.allclose(again.places, predicted.places)
    assert torch.equal(again.metres, predicted.metres)
    assert torch.equal(again.inside, predicted.inside)


def test_with_two_looks_a_mirrored_crop_gives_the_mirrored_pose() -> None:
    model, crops = made(), torch.rand(2, 3, 64, 64)
    with torch.no_grad():
        plain, turned, once = model.look(crops), model.look(crops.flip(3)), model(crops)
    assert torch.allclose(turned.mirrored.metres, plain.metres, atol=1e-6)
    assert torch.allclose(turned.mirrored.places, plain.places, atol=1e-6)
    assert torch.allclose(turned.mirrored.inside, plain.inside, atol=1e-6)
    assert torch.allclose(turned.mirrored.spread, plain.spread, atol=1e-6)
    assert not torch.allclose(once.metres, plain.metres, atol=1e-6)


def test_without_two_looks_there_is_one() -> None:
    model, crops = made(PoseNetworkConfig(SMALL.backbone, 64, 16, 8, flip_test=False)), torch.rand(1, 3, 64, 64)
    with torch.no_grad():
        assert torch.equal(model.look(crops).metres, model(crops).metres)


def test_one_hot_place_of_the_heat_map_is_where_the_joint_lies() -> None:
    model, joint = made(), pose.INDEX["left_hand"]
    rows = columns = 4  # of a crop of 64 pixels
    heat = torch.zeros(1, 20, 8, rows, columns)
    heat[0, joint, 6, 2, 1] = 100
    model.heat.register_forward_hook(lambda *_: heat.flatten(1, 2))
    with torch.no_grad():
        model.whole.weight.zero_()
        predicted = model(torch.rand(1, 3, 64, 64))
    assert torch.allclose(predicted.places[0, joint], torch.tensor([1.5 / columns, 2.5 / rows]))
    # The hip, of which nothing is known, lies in the middle of everything.
    assert predicted.metres[0, joint, 0] < 0 < predicted.metres[0, joint, 1]
    assert predicted.metres[0, joint, 2] == pytest.approx((2 * 6.5 / 8 - 1) * 1.2)
    # Cells at 1, 3, 5 and 7 eighths of the crop, each as likely, in both directions.
    assert predicted.spread[0, pose.INDEX["hip"]] == pytest.approx(np.sqrt(2 * np.var([1, 3, 5, 7])) / 8)
    assert predicted.spread[0, joint] < 1e-3


def test_a_right_answer_has_no_loss_but_doubt() -> None:
    predicted = prediction()
    sure = JointPrediction(predicted.places, predicted.metres, 50 * predicted.inside.sign(), predicted.spread)
    assert all(loss < 1e-6 for loss in pose_losses(sure, truth_of(predicted)).values())


def test_losses_are_mean_errors() -> None:
    predicted = prediction()
    truth = truth_of(predicted)
    truth.metres[:, :, 2] += 0.25
    truth.places[:, :, 0] += 0.125
    losses = pose_losses(predicted, truth)
    assert losses["metres"] == pytest.approx(0.25, abs=1e-6)
    assert losses["places"] == pytest.approx(0.125, abs=1e-6)


def test_what_is_not_known_and_places_outside_do_not_count() -> None:
    predicted = prediction()
    truth = truth_of(predicted)
    truth.places[~truth.inside] = 17
    known = torch.rand(2, 20) < 0.5
    truth.metres[~known] = torch.nan
    truth.places[~known] = torch.nan
    predicted.metres.requires_grad_()
    losses = pose_losses(predicted, truth, known)
    assert losses["places"] == 0
    assert losses["metres"] == 0
    losses["metres"].backward()
    assert torch.isfinite(predicted.metres.grad).all()


def test_where_nothing_is_known_there_is_no_loss() -> None:
    predicted = prediction()
    assert not any(pose_losses(predicted, truth_of(predicted), torch.zeros(2, 20, dtype=torch.bool)).values())


def test_errors_are_distances_from_the_hip() -> None:
    truth = prediction().metres
    assert torch.allclose(joint_errors(truth + torch.tensor([1.0, 2.0, 3.0]), truth), torch.zeros(2, 20), atol=1e-5)
    moved = truth.clone()
    moved[0, 5] += torch.tensor([0.0, 0.3, 0.4])
    assert joint_errors(moved, truth)[0, 5] == pytest.approx(0.5, abs=1e-5)


@pytest.mark.parametrize(
    "flaw", [{"side": 16}, {"head": 0}, {"depths": 1}, {"side": 10**6}, {"head": 4096}, {"depths": 10**9}]
)
def test_sizes_that_are_none_are_refused(flaw: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be"):
        PoseNetworkConfig(**flaw)


@thorough
def test_eight_pictures_are_learned_by_heart(tmp_path: Path) -> None:
    dataset = read_dataset(FOLDER, "captioning", ["train"])
    cutting = PersonCropSampler(encoded_pictures(dataset, tmp_path), dataset.pictures, 96)
    crops = cutting.cut(range(8), None, torch.Generator())
    truth = JointTruth(crops.places, crops.metres, crops.inside)
    model = made(PoseNetworkConfig(BackboneConfig("narrow18", width=16), side=96, head=32, depths=8)).train()
    images = as_images(crops.pixels)
    before = joint_errors(model(images).metres, truth.metres).mean()
    steps = 120
    learning = torch.optim.Adam(model.parameters(), 3e-3)
    slower = torch.optim.lr_scheduler.OneCycleLR(learning, 3e-3, steps)
    for _ in range(steps):
        learning.zero_grad()
        sum(pose_losses(model(images), truth).values()).backward()
        learning.step()
        slower.step()
    predicted = model(images)
    assert before > 0.2
    assert joint_errors(predicted.metres, truth.metres).mean() < 0.06
    assert (predicted.places - truth.places)[truth.inside].abs().mean() < 0.03
