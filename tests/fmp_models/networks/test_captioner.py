"""The captioner: its encoder of pairs, joint prediction, words and variants."""

import json
from dataclasses import asdict, replace

import pytest
import torch
from pydantic import TypeAdapter
from torch import nn

from fmp_models.geometry.measured_changes import FEATURE_PARTS
from fmp_models.languages.vocabulary import BOS, EOS
from fmp_models.networks.backbone import BackboneConfig
from fmp_models.networks.captioner import Captioner, CaptionerConfig, EncodedPair, JointHead, PairBatch
from fmp_models.networks.decoding import greedy
from tests.captioners import (
    SIZES,
    VARIANTS,
    begun,
    captioner,
    half_known,
    padded,
    pairs,
    part,
    texts,
)
from tests.nonempty import nonempty
from tests.thoroughness import thorough


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


def test_a_map_that_is_no_square_is_refused() -> None:
    with pytest.raises(ValueError, match="12 positions"):
        JointHead(4)(torch.rand(1, 12, 4))


def test_it_learns_where_the_one_bright_position_is() -> None:
    torch.manual_seed(0)
    head = JointHead(4)
    number = torch.arange(16)
    maps = torch.zeros(16, 16, 4)
    maps[number, number, 0] = 3.0
    truth = torch.stack([number % 4, number // 4, torch.zeros(16)], dim=-1)[:, None].expand(-1, 20, -1) / 4
    optimiser = torch.optim.Adam(head.parameters(), 0.01)
    for _ in range(300):
        optimiser.zero_grad()
        nn.functional.mse_loss(head(maps), truth).backward()
        optimiser.step()
    assert (head(maps) - truth).norm(dim=-1).mean() < 0.1


every_variant = pytest.mark.parametrize("variant", VARIANTS)


@pytest.mark.parametrize(
    ("config", "parameters"),
    [
        (CaptionerConfig({"en": 1592}), 9.13e6),
        (CaptionerConfig({"en": 1592, "hi": 1962}), 13.22e6),
        (CaptionerConfig({"en": 1592}, vision=False, joints=False), 2.80e6),
        (CaptionerConfig({"en": 1592}, joints=False), 6_735_416),
    ],
    ids=["English", "both languages", "language-only", "the released code's"],
)
def test_it_has_as_many_parameters_as_the_paper_says(config: CaptionerConfig, parameters: float) -> None:
    with torch.device("meta"):
        ours = sum(parameter.numel() for parameter in Captioner(config).parameters() if parameter.requires_grad)
    assert ours == pytest.approx(parameters, rel=0.01)


def test_the_config_is_json() -> None:
    config = CaptionerConfig(SIZES, backbone=BackboneConfig("narrow18", width=32), missing=True)
    config_json = json.loads(json.dumps(asdict(config)))
    assert TypeAdapter(CaptionerConfig).validate_python(config_json) == config


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"vocabulary_sizes": {}}, "needs words"),
        ({"vocabulary_sizes": {"en": 4}}, "needs words"),
        ({"hidden": 7}, "hidden even"),
        ({"embedding": 0}, "positive"),
        ({"hidden": 4096}, "at most 2048"),
        ({"embedding": 10**9}, "at most 2048"),
        ({"image_channels": 10**30}, "at most 2048"),
        ({"vocabulary_sizes": {"en": 30_000, "hi": 30_000}}, "at most 50000 words"),
        ({"vocabulary_sizes": {"en": 9, "xx": 9}}, "languages must be among"),
        ({"dropout": 1.0}, "dropout"),
        ({"vision": False, "joints": False, "previous_words": False}, "vision or previous_words"),
        ({"vision": False}, "joints need vision"),
        ({"joints": False, "missing": True}, "need joints"),
        ({"joints": False, "joint_prediction": True}, "need joints"),
        ({"joints": False, "measures": True}, "need joints"),
        ({"compare": True}, "compare needs vision without joints"),
        ({"compare": True, "joints": False, "vision": False}, "compare needs vision without joints"),
    ],
)
def test_a_config_that_is_no_captioner_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CaptionerConfig(**({"vocabulary_sizes": SIZES} | wrong))  # type: ignore[arg-type]


@every_variant
@pytest.mark.parametrize("language", ["en", "hi"])
def test_known_words_give_the_same_logits_at_once_as_one_by_one(variant: str, language: str) -> None:
    model, pair, words = captioner(**VARIANTS[variant]), pairs(3), begun(texts(3, 7, language))
    with torch.no_grad():
        at_once = model(pair, words, language)
        encoded = model.encode(pair)
        state = model.start(encoded, language)
        for i in nonempty(range(words.shape[1])):
            logits, state, _ = model.step(encoded, state, words[:, i : i + 1], language)
            assert torch.allclose(logits[:, 0], at_once[:, i], atol=1e-5)


@every_variant
def test_a_pair_s_words_do_not_depend_on_the_pairs_beside_it(variant: str) -> None:
    model, pair, words = captioner(**VARIANTS[variant]), pairs(4), begun(texts(4, 6))
    with torch.no_grad():
        together = model(pair, words, "en")
        for row in range(4):
            assert torch.allclose(model(part(pair, [row]), words[row : row + 1], "en")[0], together[row], atol=1e-5)


def test_several_texts_of_a_pair_are_read_as_each_alone() -> None:
    model, pair = captioner(), pairs(3)
    words = torch.stack([begun(texts(3, 6, seed=seed)) for seed in (2, 3)], dim=1)
    with torch.no_grad():
        both = model.logits(model.encode(pair), words, "en")
        for i in (0, 1):
            assert torch.allclose(both[:, i], model(pair, words[:, i], "en"), atol=1e-5)


def test_padding_after_a_text_changes_nothing_before_it() -> None:
    model, pair, words = captioner(), pairs(3), begun(texts(3, 6))
    assert torch.allclose(model(pair, padded(words, 3), "en")[:, :6], model(pair, words, "en"), atol=1e-6)


@every_variant
def test_every_parameter_learns(variant: str) -> None:
    model = captioner(**VARIANTS[variant]).train()
    pair = half_known(6) if "missing" in variant else pairs(6)
    encoded = model.encode(pair)
    loss = torch.zeros(())
    for language in SIZES:
        words = texts(6, 6, language)
        logits = model.logits(encoded, begun(words)[:, None], language)
        loss = loss + nn.functional.cross_entropy(logits.flatten(0, 2), words.flatten())
    if encoded.predicted_joints is not None:
        loss = loss + encoded.predicted_joints.square().mean()
    loss.backward()
    still = [
        name for name, values in model.named_parameters() if values.grad is None or not values.grad.abs().max() > 0
    ]
    assert not still
    assert all(values.grad.isfinite().all() for values in model.parameters())


def test_a_vision_only_captioner_does_not_hear_the_words_before() -> None:
    model, pair = captioner(previous_words=False), pairs(3)
    one, other = (begun(texts(3, 6, seed=seed)) for seed in (2, 3))
    assert not torch.equal(one, other)
    assert torch.equal(model(pair, one, "en"), model(pair, other, "en"))
    hearing = captioner()
    assert not torch.allclose(hearing(pair, one, "en"), hearing(pair, other, "en"))


def test_a_language_only_captioner_does_not_see_the_pair() -> None:
    model, words = captioner(vision=False, joints=False), begun(texts(3, 6))
    assert torch.equal(model(pairs(3, seed=1), words, "en"), model(pairs(3, seed=2), words, "en"))


def test_a_captioner_without_joints_does_not_look_at_them() -> None:
    model, pair, words = captioner(joints=False), pairs(3), begun(texts(3, 6))
    without = PairBatch(pair.current_image, pair.target_image)
    assert torch.equal(model(pair, words, "en"), model(without, words, "en"))


def test_languages_share_all_but_their_words() -> None:
    model = captioner()
    own = {language: {id(values) for values in model.words[language].parameters()} for language in SIZES}
    assert not own["en"] & own["hi"]
    shared = {id(values) for values in model.parameters()} - own["en"] - own["hi"]
    model(pairs(2), begun(texts(2, 4, "hi")), "hi").sum().backward()
    learned = {id(values) for values in model.parameters() if values.grad is not None}
    assert learned == shared | own["hi"]


def test_a_language_it_was_not_made_for_is_refused() -> None:
    model = captioner(sizes={"en": 9})
    with pytest.raises(KeyError):
        model(pairs(1), begun(texts(1, 3)), "hi")


def test_half_the_precision_says_nearly_the_same() -> None:
    model, pair, words = captioner(), pairs(3), begun(texts(3, 6))
    with torch.no_grad():
        whole = model(pair, words, "en").softmax(-1)
        rounded = model.bfloat16()(pair, words, "en").float().softmax(-1)
    assert torch.allclose(whole, rounded, atol=0.05)


@thorough
@pytest.mark.parametrize("switches", [{}, {"joints": False}, {"joints": False, "compare": True}])
def test_a_tiny_captioner_learns_four_pairs_by_heart(switches: dict[str, bool]) -> None:
    torch.manual_seed(0)
    model = Captioner(CaptionerConfig(SIZES, hidden=32, embedding=16, image_channels=6, dropout=0.1, **switches))
    pair, words = pairs(4), {language: texts(4, 8, language) for language in SIZES}
    optimiser = torch.optim.Adam(model.parameters(), 0.003)

    def losses() -> list[torch.Tensor]:
        logits = {language: model(pair, begun(target), language) for language, target in words.items()}
        return [nn.functional.cross_entropy(logits[code].flatten(0, 1), words[code].flatten()) for code in words]

    # Adam forgets for a moment now and then, so training ends at a loss and not at a step.
    for step in range(1000):
        model.eval()
        with torch.no_grad():
            if step % 20 == 0 and max(losses()) < 0.003:
                break
        model.train()
        optimiser.zero_grad()
        sum(losses()).backward()
        optimiser.step()
    model.eval()
    for precision in (torch.float32, torch.bfloat16):
        model.to(precision)
        for language, target in words.items():
            assert torch.equal(greedy(model, model.encode(pair), language).words[:, 0], target)
    assert (words["en"][:, -1] == EOS).all()
    assert BOS not in words["en"]


def test_a_captioner_to_which_measures_are_added_first_says_what_it_said() -> None:
    before, pair, words = captioner(), pairs(3), begun(texts(3, 7))
    after = Captioner(CaptionerConfig(**{**vars(before.config), "measures": True})).eval()
    after.load_state_dict({**after.state_dict(), **before.state_dict()})
    with torch.no_grad():
        assert torch.equal(after(pair, words, "en"), before(pair, words, "en"))
    after(pair, words, "en").logsumexp(dim=-1).sum().backward()
    assert after.w_measures is not None
    assert after.w_measures.weight.grad is not None
    assert after.w_measures.weight.grad.any()


def test_what_the_geometry_measures_reaches_the_words() -> None:
    model, words = captioner(measures=True), begun(texts(2, 5))
    pair = pairs(2)
    still = replace(pair, target_joints=pair.current_joints)
    for encoded in (model.encode(pair), model.encode(still)):
        assert encoded.measures is not None
        assert encoded.measures.shape == (2, len(FEATURE_PARTS), model.config.hidden)
    with torch.no_grad():
        moved = replace(model.encode(pair), measures=model.encode(still).measures)
        assert not torch.allclose(model.logits(moved, words[:, None], "en"), model(pair, words, "en")[:, None])
