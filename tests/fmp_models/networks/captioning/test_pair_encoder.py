from dataclasses import replace

import pytest
import torch

from fmp_models.networks.captioning.pair_encoder import EncodedPair, PairBatch
from tests.captioners import captioner, half_known, pairs, part


def same(one: EncodedPair, other: EncodedPair) -> bool:
    return all(
        torch.allclose(getattr(one, name), getattr(other, name), atol=1e-5)
        for name in ("first", "second", "differences")
    )


def test_a_batch_of_nothing_has_no_rows() -> None:
    with pytest.raises(ValueError, match="pictures or joints"):
        PairBatch().rows  # noqa: B018  reading it is the test


@pytest.mark.parametrize("rows", [[0], [1], [2], [3], [4, 1, 5]])
def test_a_pair_is_encoded_the_same_in_any_batch(rows: list[int]) -> None:
    model, pair = captioner(missing=True), half_known(6)
    whole = model.encode(pair)
    alone = model.encode(part(pair, rows))
    assert alone.rows == len(rows)
    assert whole.first is not None
    assert whole.second is not None
    assert whole.differences is not None
    assert same(
        replace(whole, first=whole.first[rows], second=whole.second[rows], differences=whole.differences[rows]), alone
    )


def test_no_pictures_at_all_are_as_unknown_ones() -> None:
    model, pair = captioner(missing=True), pairs(2)
    never = model.encode(replace(pair, image_known=torch.tensor([False, False])))
    nothing = model.encode(replace(pair, current_image=None, target_image=None))
    assert never.first is not None
    assert nothing.first is not None
    # Every unknown position is the same, so one stands for all.
    assert torch.allclose(never.first[:, :1], nothing.first, atol=1e-5)
    assert same(replace(never, first=never.first[:, :1]), nothing)


def test_no_joints_at_all_are_as_unknown_ones() -> None:
    model, pair = captioner(missing=True), pairs(2)
    never = model.encode(replace(pair, joints_known=torch.tensor([False, False])))
    assert same(never, model.encode(replace(pair, current_joints=None, target_joints=None)))
    assert not same(never, model.encode(pair))


@pytest.mark.parametrize("switches", [{}, {"joints": False}])
def test_pictures_that_are_needed_and_missing_are_named(switches: dict[str, bool]) -> None:
    model, pair = captioner(**switches), pairs(2)
    for lacking in (
        replace(pair, current_image=None, target_image=None),
        replace(pair, image_known=torch.tensor([True, False])),
    ):
        with pytest.raises(ValueError, match="needs pictures of every pair"):
            model.encode(lacking)


def test_joints_that_are_needed_and_missing_are_named() -> None:
    model, pair = captioner(), pairs(2)
    for lacking in (replace(pair, target_joints=None), replace(pair, joints_known=torch.tensor([True, False]))):
        with pytest.raises(ValueError, match="needs joints of every pair"):
            model.encode(lacking)


def test_predicted_joints_stand_in_for_unknown_ones() -> None:
    model, pair = captioner(joint_prediction=True), pairs(2)
    blind = model.encode(replace(pair, current_joints=None, target_joints=None))
    predicted = blind.predicted_joints
    assert predicted is not None
    assert predicted.shape == (2, 2, 20, 3)
    encoded_with_joints = model.encode(replace(pair, current_joints=predicted[:, 0], target_joints=predicted[:, 1]))
    assert same(blind, encoded_with_joints)
    assert not same(blind, model.encode(pair))


def test_without_a_picture_joints_are_not_predicted_but_stood_in_for() -> None:
    model = captioner(missing=True, joint_prediction=True)
    pair = replace(pairs(2), image_known=torch.tensor([False, False]), joints_known=torch.tensor([False, False]))
    encoded = model.encode(pair)
    model.pair_encoder.stand_ins["joints"].vector.data += 1
    assert not same(encoded, model.encode(pair))


def test_words_do_not_bend_the_predicted_joints() -> None:
    model, pair = captioner(joint_prediction=True), pairs(2)
    encoded = model.encode(replace(pair, current_joints=None, target_joints=None))
    assert encoded.second is not None
    encoded.second.sum().backward()
    assert all(parameter.grad is None for parameter in model.pair_encoder.joint_head.parameters())


def test_what_is_unknown_does_no_harm_while_learning_even_when_it_is_no_number() -> None:
    model = captioner(missing=True)
    encoded = model.encode(half_known(6))
    assert encoded.first is not None
    assert encoded.second is not None
    assert encoded.differences is not None
    (encoded.first.sum() + encoded.second.sum() + encoded.differences.sum()).backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters() if parameter.grad is not None)


def test_kept_positions_may_be_half_precision() -> None:
    model, pair = captioner(), pairs(2)
    assert pair.current_image is not None
    assert pair.target_image is not None
    half = replace(pair, current_image=pair.current_image.half(), target_image=pair.target_image.half())
    whole, rounded = model.encode(pair).first, model.encode(half).first
    assert whole is not None
    assert rounded is not None
    assert torch.allclose(whole, rounded, atol=0.01)


def test_dropout_falls_on_what_cross_attention_gives_and_only_while_training() -> None:
    model, pair = captioner(), pairs(2)
    assert same(model.encode(pair), model.encode(pair))
    model.train()
    one, other = model.encode(pair), model.encode(pair)
    assert not same(one, other)
    assert one.differences is not None
    assert other.differences is not None
    assert torch.equal(one.differences, other.differences)


def test_from_the_body_a_pair_is_encoded_the_same_however_both_are_turned_before_the_camera() -> None:
    pair = pairs(3)
    assert pair.current_joints is not None
    assert pair.target_joints is not None
    turn = torch.tensor([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    both = replace(pair, current_joints=pair.current_joints @ turn, target_joints=pair.target_joints @ turn)
    alone = replace(pair, target_joints=pair.target_joints @ turn)
    model = captioner(frames="body")
    assert same(model.encode(pair), model.encode(both))
    assert not same(model.encode(pair), model.encode(alone))
    assert not same(captioner(frames="both").encode(pair), captioner(frames="both").encode(both))


def test_a_model_of_both_frames_takes_six_numbers_of_each_joint() -> None:
    model = captioner(frames="both", missing=True, joint_prediction=True)
    (weight,) = (value for name, value in model.state_dict().items() if name.endswith("joints.w_j.weight"))
    assert weight.shape[1] == 6
    model.encode(replace(pairs(2), current_joints=None, target_joints=None))
