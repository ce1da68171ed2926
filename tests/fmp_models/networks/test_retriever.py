"""The retriever, its attention over candidates, and the joint embedding space."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from fmp_models.geometry.measured_changes import FEATURE_PARTS, FEATURE_SIZES, pose_changes
from fmp_models.languages import PAD
from fmp_models.networks.backbone import BackboneConfig
from fmp_models.networks.layers import CrossAttention, CrossAttentionStack, fuse
from fmp_models.networks.retriever import (
    CandidateCrossAttention,
    PoseSpace,
    RetrievalBatch,
    Retriever,
    RetrieverConfig,
    TextEncoder,
    make_retriever,
)
from fmp_models.pose import JOINTS
from fmp_models.preprocessing import PicturesConfig
from tests.bodies import random_pairs
from tests.nonempty import nonempty
from tests.thoroughness import examples, one_of


@pytest.mark.parametrize(("f_shared", "g_shared"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("padded", [False, True])
def test_every_candidate_is_crossed_as_it_is_alone(f_shared: bool, g_shared: bool, padded: bool) -> None:  # noqa: FBT001
    torch.manual_seed(0)
    one_by_one = CrossAttention(8)
    together = CandidateCrossAttention(8)
    together.load_state_dict(one_by_one.state_dict())
    f, g = torch.randn(2, 1 if f_shared else 3, 5, 8), torch.randn(2, 1 if g_shared else 3, 4, 8)
    padding = torch.tensor([[False] * 4, [False, False, True, True]]) if padded else None
    crossed = together(f, g, None if padding is None else padding[:, None])
    for i in range(crossed.f.shape[1]):
        expected = one_by_one(f[:, 0 if f_shared else i], g[:, 0 if g_shared else i], padding)
        assert torch.allclose(crossed.f[:, i], expected[0], atol=1e-5)
        assert torch.allclose(crossed.g[:, i], expected[1], atol=1e-5)
    assert crossed.looks.shape == (2, crossed.f.shape[1], 4, 5)
    assert torch.allclose(crossed.looks.sum(-1), torch.ones(()))


WORDS = 20
SMALL = RetrieverConfig({"en": WORDS}, hidden=16, embedding=8, image_channels=6)
VARIANTS = {
    "whole": SMALL,
    "without joints": replace(SMALL, joints=False),
    "without images": replace(SMALL, images=False),
    "vision only": replace(SMALL, text=False),
    "language only": replace(SMALL, current=False),
    "language and pictures": replace(SMALL, current=False, joints=False),
    "missing": replace(SMALL, missing=True),
    "as the formula has it": replace(SMALL, joint_places=False),
    "both frames": replace(SMALL, frames="both"),
    "language only, from the body": replace(SMALL, current=False, frames="body"),
}


def made(config: RetrieverConfig = SMALL) -> Retriever:
    torch.manual_seed(0)
    return Retriever(config).eval()


def questions(count: int = 2, candidates: int = 3, positions: int = 5, seed: int = 0) -> RetrievalBatch:
    """Texts of 4 to 7 words, the first the longest."""
    generator = torch.Generator().manual_seed(seed)
    words = torch.randint(4, WORDS, (count, 7), generator=generator)
    lengths = torch.randint(4, 8, (count, 1), generator=generator)
    lengths[0] = 7
    return RetrievalBatch(
        torch.where(torch.arange(7) < lengths, words, 0),
        torch.randn(count, 1 + candidates, positions, 6, generator=generator),
        0.3 * torch.randn(count, 1 + candidates, 20, 3, generator=generator),
    )


def chosen(batch: RetrievalBatch, rows: list[int]) -> RetrievalBatch:
    return RetrievalBatch(**{name: value if value is None else value[rows] for name, value in vars(batch).items()})


def parameters(config: RetrieverConfig) -> int:
    return sum(value.numel() for value in Retriever(config).parameters())


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_large_batch_in_parts_is_the_same_as_whole(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config, batch = VARIANTS[variant], questions(5)
    if config.missing:
        known = torch.rand(5, 4, generator=torch.Generator().manual_seed(1)) < 0.7
        batch = replace(batch, images=None, joints_known=known, present=known[:, 1:] | (torch.arange(3) == 0))
    results = []
    for size in (1, 2, 5):
        monkeypatch.setattr("fmp_models.networks.retriever._AT_ONCE", size)
        model = made(config)
        match = model.match(batch)
        cross_entropy(match.scores, torch.zeros(5, dtype=torch.long)).backward()
        gradients = [value.grad for value in model.parameters() if value.grad is not None]
        reasons = [part for of in (match.images, match.joints) if of for part in of if part is not None]
        results.append([match.scores, *reasons, *gradients])
    whole = results.pop()
    assert len(whole[0]) == 5
    for parts in results:
        assert len(parts) == len(whole)
        for part, same in zip(parts, whole, strict=True):
            torch.testing.assert_close(part, same, atol=1e-5, rtol=1e-4)


def test_parameters_are_as_many_as_the_paper_s() -> None:
    assert parameters(RetrieverConfig({"en": 1271})) == pytest.approx(10.8e6, rel=0.01)


@pytest.mark.parametrize(("language", "words", "released"), [("en", 1271, 8_465_666), ("hi", 1691, 8_573_186)])
def test_without_joints_parameters_are_as_many_as_the_released_code_s(language: str, words: int, released: int) -> None:
    assert parameters(RetrieverConfig({language: words}, joints=False)) == released


def test_vision_only_has_as_many_parameters_as_the_paper_s() -> None:
    assert parameters(RetrieverConfig(text=False, joints=False)) == pytest.approx(4.46e6, rel=0.01)


def by_the_paper(model: Retriever, words: Tensor, first: Tensor, second: Tensor, name: str) -> Tensor:
    """Eq. 6-9 (or 10) of one candidate, with the modules of the model in the paper's order."""
    stack = CrossAttentionStack(model.config.hidden)
    stack.attention.load_state_dict(model.attention.state_dict())
    f_current, c_current, f_target, c_target = stack(first, words, second, words)
    k, _ = model.gate(fuse(c_current, c_target))
    g, _ = model.gate(fuse(f_target, f_current))
    layers = model.comparisons[name]
    return layers.w(fuse(layers.k_fc(k), layers.g_fc(g)))


def test_scores_are_the_paper_s_equations_candidate_by_candidate() -> None:
    model, batch = made(), questions(count=1)
    c = model.texts["en"](batch.words)
    scores = model(batch)
    for i in range(3):
        images = [torch.tanh(model.image.img_fc(batch.images[:, j])) for j in (0, 1 + i)]
        step = batch.joints[:, 1 + i] - batch.joints[:, 0]
        p = by_the_paper(model, c, *images, "images")
        q = by_the_paper(model, c, model.joints(-step), model.joints(step), "joints")
        assert torch.allclose(scores[:, i], model.w_s(fuse(p, q))[:, 0], atol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_batch_scores_as_its_questions_do_alone(variant: str) -> None:
    model, batch = made(VARIANTS[variant]), questions(count=3)
    together = model(batch)
    for row in range(3):
        alone = chosen(batch, [row])
        length = int((alone.words != 0).sum())
        alone = replace(alone, words=alone.words[:, :length])  # padding changes nothing
        assert torch.allclose(model(alone)[0], together[row], atol=1e-5)


@examples(20)
@given(st.permutations(range(4)), st.sampled_from(sorted(VARIANTS)))
def test_candidates_in_another_order_have_their_scores_in_that_order(order: list[int], variant: str) -> None:
    model, batch = made(VARIANTS[variant]), questions(candidates=4)
    poses = [0, *(1 + i for i in order)]
    moved = replace(batch, images=batch.images[:, poses], joints=batch.joints[:, poses])
    assert torch.allclose(model(moved), model(batch)[:, order], atol=1e-5)


def test_fewer_candidates_score_as_without_the_absent_ones() -> None:
    model, batch = made(), questions()
    present = torch.tensor([[True, True, True], [True, False, True]])
    scores = model(replace(batch, present=present))
    assert torch.equal(scores[present], model(batch)[present])
    assert scores[1, 1] == -torch.inf
    loss = cross_entropy(scores, torch.tensor([0, 2]))
    loss.backward()
    assert torch.isfinite(loss)
    assert all(torch.isfinite(value.grad).all() for value in model.parameters())


def test_from_the_body_a_question_scores_the_same_however_all_are_turned_before_the_camera() -> None:
    batch = questions()
    assert batch.joints is not None
    turn = torch.tensor([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    for frames, same in (("body", True), ("camera", False)):
        model = made(replace(SMALL, frames=frames))  # type: ignore[arg-type]
        scores, turned = model(batch), model(replace(batch, joints=batch.joints @ turn))
        assert torch.allclose(scores, turned, atol=1e-5) == same


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_parameter_learns(variant: str) -> None:
    model, batch = made(VARIANTS[variant]).train(), questions()
    if model.config.missing:
        known = torch.tensor([[True, True, True, False], [True, True, False, True]])
        batch = replace(batch, image_known=known, joints_known=known.flip(0))
    cross_entropy(model(batch), torch.tensor([0, 1])).backward()
    for name, value in nonempty(model.named_parameters()):
        assert value.grad is not None, name
        # What is added to every score, or to every place of a gate, changes no softmax.
        assert value.grad.abs().max() > 0 or name in ("w_s.bias", "gate.gate.bias"), name


def test_the_vision_only_model_reads_no_text() -> None:
    model, batch = made(VARIANTS["vision only"]), questions()
    assert torch.equal(model(batch), model(replace(batch, words=None)))


def test_the_language_only_model_does_not_see_the_current_pose() -> None:
    model, batch = made(VARIANTS["language only"]), questions()
    images, joints = batch.images.clone(), batch.joints.clone()
    images[:, 0] += 1
    joints[:, 0] += torch.randn(2, 20, 3)
    joints[:, 1:] += torch.tensor([1.0, 0, 2])  # and not how far from it a candidate stands
    assert torch.allclose(model(batch), model(replace(batch, images=images, joints=joints)), atol=1e-5)


@pytest.mark.parametrize("part", ["words", "images", "joints"])
@pytest.mark.parametrize("pose", [0, 1])
def test_the_whole_model_heeds_everything(part: str, pose: int) -> None:
    model, batch = made(), questions()
    changed = getattr(batch, part).clone()
    if part == "words":
        changed[:, pose] = 4 + (changed[:, pose] - 3) % (WORDS - 4)
    else:
        changed[:, pose] += torch.randn_like(changed[:, pose])
    assert not torch.allclose(model(batch), model(replace(batch, **{part: changed})), atol=1e-6)


@pytest.mark.parametrize(("variant", "alike"), [("whole", False), ("as the formula has it", True)])
def test_only_with_places_does_it_matter_which_joint_moves(variant: str, alike: bool) -> None:  # noqa: FBT001
    model, batch = made(VARIANTS[variant]), questions()
    moved = replace(batch, joints=batch.joints.roll(1, 2))
    assert torch.allclose(model(batch), model(moved), atol=1e-6) is alike


def test_what_is_not_known_does_not_matter_even_if_it_is_no_number() -> None:
    model, batch = made(VARIANTS["missing"]), questions()
    known = torch.tensor([[True, True, False, True], [True, False, True, True]])
    batch = replace(batch, image_known=known, joints_known=~known | torch.tensor([True, False, False, False]))
    images, joints = batch.images.clone(), batch.joints.clone()
    images[~known] = torch.nan
    joints[~batch.joints_known] = torch.nan
    scores = model(batch)
    assert torch.isfinite(scores).all()
    assert torch.equal(model(replace(batch, images=images, joints=joints)), scores)


@pytest.mark.parametrize("part", ["images", "joints"])
def test_a_whole_side_may_be_missing(part: str) -> None:
    model, batch = made(VARIANTS["missing"]), questions()
    known = {f"{'image' if part == 'images' else 'joints'}_known": torch.zeros(2, 4, dtype=torch.bool)}
    assert torch.allclose(model(replace(batch, **{part: None})), model(replace(batch, **known)), atol=1e-5)


@pytest.mark.parametrize("part", ["words", "images", "joints", "images and joints"])
def test_what_the_model_needs_and_does_not_get_is_an_error(part: str) -> None:
    with pytest.raises(ValueError, match="needs"):
        made()(replace(questions(), **dict.fromkeys(part.split(" and "))))


@pytest.mark.parametrize("part", ["image_known", "joints_known"])
def test_a_model_without_stand_ins_refuses_unknown_poses(part: str) -> None:
    known = torch.ones(2, 4, dtype=torch.bool)
    batch = replace(questions(), **{part: known})
    assert torch.equal(made()(batch), made()(questions()))
    known[1, 2] = False
    with pytest.raises(ValueError, match="needs"):
        made()(batch)


def test_words_are_read_as_by_torch_s_packed_lstm_with_the_same_gradients() -> None:
    torch.manual_seed(0)
    encoder = TextEncoder(30, 6, 8, 0.0)
    lengths = [1, 7, 4, 7, 2]
    words = torch.zeros(len(lengths), 9, dtype=torch.long)
    for row, length in enumerate(lengths):
        words[row, :length] = torch.randint(4, 30, (length,))
    packed = pack_padded_sequence(encoder.embedding(words), torch.tensor(lengths), True, enforce_sorted=False)  # noqa: FBT003
    states, _ = pad_packed_sequence(encoder.lstm(packed)[0], batch_first=True, total_length=9)
    expected, read = torch.tanh(encoder.text_fc(states)), encoder(words)
    assert torch.allclose(read, expected, atol=1e-6)
    parameters = list(encoder.parameters())
    weight = torch.randn_like(expected)
    for ours, torchs in zip(
        torch.autograd.grad((read * weight).sum(), parameters),
        torch.autograd.grad((expected * weight).sum(), parameters),
        strict=True,
    ):
        assert torch.allclose(ours, torchs, atol=1e-5)


def test_a_text_without_words_is_an_error() -> None:
    batch = questions()
    with pytest.raises(ValueError, match="no words"):
        made()(replace(batch, words=torch.zeros_like(batch.words)))


def test_reasons_are_shares_of_words_places_and_joints() -> None:
    batch = questions()
    match = made().match(batch)
    assert torch.equal(match.scores, made()(batch))
    for reasons, places in ((match.images, 5), (match.joints, 20)):
        assert reasons.words.shape == (2, 3, 7)
        assert reasons.places.shape == (2, 3, places)
        assert reasons.looks.shape == (2, 3, 7, places)
        for weights in reasons:
            assert torch.allclose(weights.sum(-1), torch.ones(()), atol=1e-5)
        assert not reasons.words[(batch.words == 0)[:, None].expand(-1, 3, -1)].any()


def test_a_retriever_of_two_languages_shares_all_but_the_texts() -> None:
    model = made(replace(SMALL, vocabulary_sizes={"en": WORDS, "hi": WORDS}))
    batch = questions()
    assert not torch.allclose(model(batch, "en"), model(batch, "hi"))
    assert {name.split(".")[0] for name, _ in model.named_parameters() if ".hi." in name} == {"texts"}
    with pytest.raises(ValueError, match="language"):
        model(batch)


def test_dropout_is_only_in_training() -> None:
    model, batch = made(), questions()
    assert torch.equal(model(batch), model(batch))
    model.train()
    assert not torch.equal(model(batch), model(batch))


def test_half_precision_is_close() -> None:
    model, batch = made(), questions()
    exact = model(batch)
    with torch.autocast("cpu", torch.bfloat16):
        rough = model(batch)
    assert (rough - exact).abs().max() < 0.05 * (1 + exact.abs().max())


def test_a_config_comes_back_from_json() -> None:
    config = replace(SMALL, backbone=BackboneConfig("narrow18", 3, width=32), pictures=PicturesConfig(64, "person"))
    read = json.loads(json.dumps(asdict(config)))
    parts = {"backbone": BackboneConfig(**read["backbone"]), "pictures": PicturesConfig(**read["pictures"])}
    assert RetrieverConfig(**{**read, **parts}) == config


@pytest.mark.parametrize(
    "flaw",
    [
        {"vocabulary_sizes": {}},
        {"vocabulary_sizes": {"en": 4}},
        {"hidden": 15},
        {"image_channels": 0},
        {"hidden": 4096},
        {"embedding": 10**9},
        {"image_channels": 10**30},
        {"vocabulary_sizes": {"en": 10**9}},
        {"vocabulary_sizes": {"xx": 9}},
        {"text": False, "vocabulary_sizes": {"en": 4}},
        {"dropout": 1.0},
        {"text": False, "current": False},
        {"images": False, "joints": False},
    ],
)
def test_what_is_no_retriever_is_refused(flaw: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"needs|must"):
        replace(SMALL, **flaw)


@pytest.mark.parametrize("variant", one_of(["without joints", "without images", "whole"], 1))
def test_it_learns_which_of_four_a_text_means(variant: str) -> None:
    model = made(replace(VARIANTS[variant], dropout=0.0)).train()
    batch = questions(count=8, candidates=4)
    answers = torch.arange(8) % 4
    learning = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(120):
        learning.zero_grad()
        loss = cross_entropy(model(batch), answers)
        loss.backward()
        learning.step()
    assert torch.equal(model.eval()(batch).argmax(1), answers)


CONFIG = RetrieverConfig({"en": 30, "hi": 40}, hidden=16, embedding=8, images=False, space=True)
BODIES = np.stack([pose.joints for pair in random_pairs(4, seed=2) for pose in (pair.current, pair.target)])
SPACE_WORDS = torch.tensor([[5, 6, 7, 0], [8, 9, 10, 11]])
JOINTS_OF_TWO = torch.from_numpy(np.stack([BODIES[:4], BODIES[4:]]).astype(np.float32))


@pytest.fixture(scope="module")
def space() -> PoseSpace:
    torch.manual_seed(1)
    return PoseSpace(CONFIG).eval().requires_grad_(requires_grad=False)


def test_a_configuration_says_which_network_it_describes() -> None:
    assert isinstance(make_retriever(CONFIG), PoseSpace)
    assert isinstance(make_retriever(RetrieverConfig({"en": 30}, hidden=16, embedding=8, images=False)), Retriever)


@pytest.mark.parametrize("wrong", [{"images": True}, {"joints": False, "images": True}, {"missing": True}], ids=str)
def test_a_space_sees_joints_and_nothing_else(wrong: dict[str, bool]) -> None:
    with pytest.raises(ValueError, match="space of texts"):
        RetrieverConfig({"en": 30}, hidden=16, embedding=8, space=True, **{"images": False, **wrong})


def test_every_word_and_joint_says_what_it_gave(space: PoseSpace) -> None:
    match = space.match(RetrievalBatch(words=SPACE_WORDS, joints=JOINTS_OF_TWO), "en")

    reasons = match.joints
    assert match.scores.shape == (2, 3)
    assert reasons is not None
    assert reasons.words is not None
    assert reasons.looks is not None
    for shares in (reasons.words, reasons.places, reasons.looks):
        assert shares.sum(dim=-1) == pytest.approx(torch.ones(shares.shape[:-1]), abs=1e-4)
    assert reasons.words[0, :, 3].abs().max() < 1e-6  # padding
    assert reasons.looks.shape == (2, 3, 4, len(JOINTS))


def test_texts_and_changes_encoded_apart_have_the_same_scores(space: PoseSpace) -> None:
    words = torch.tensor([[4, 5, 6, 7], [8, 9, PAD, PAD]])
    joints = torch.randn(2, 4, 20, 3, generator=torch.Generator().manual_seed(3))
    scores = space(RetrievalBatch(words=words, joints=joints), "en")
    for text, (row, poses) in enumerate(zip(scores, joints, strict=True)):
        changes = space.change_vectors(torch.stack([poses[:1].expand(3, -1, -1), poses[1:]], dim=1))
        torch.testing.assert_close(changes @ space.text_vectors(words, "en")[text], row)


def test_who_is_not_known_has_the_least_score_and_who_is_not_there_none(space: PoseSpace) -> None:
    known = torch.tensor([[True, True, False, True], [False, True, True, True]])
    present = torch.tensor([[True, True, False], [True, True, True]])
    asked = RetrievalBatch(words=SPACE_WORDS, joints=JOINTS_OF_TWO, joints_known=known, present=present)

    first, second = space.match(asked, "en").scores

    assert first[1] == min(first[:2])
    assert first[2] == -torch.inf
    assert second.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("lacking", ["words", "joints", "language"])
def test_what_it_cannot_do_without_is_refused(space: PoseSpace, lacking: str) -> None:
    given_parts = {"words": SPACE_WORDS, "joints": JOINTS_OF_TWO}
    batch = RetrievalBatch(**{name: value for name, value in given_parts.items() if name != lacking})

    with pytest.raises(ValueError, match="needs a text, its language and joints"):
        space.match(batch, None if lacking == "language" else "en")


@examples(20)
@given(st.floats(-180, 180))
def test_where_the_camera_stands_changes_no_score(space: PoseSpace, degrees: float) -> None:
    turn = np.radians(degrees)
    about = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]])
    turned = torch.from_numpy((JOINTS_OF_TWO.numpy() @ about.T).astype(np.float32))

    plain, seen = (space(RetrievalBatch(words=SPACE_WORDS, joints=joints), "hi") for joints in (JOINTS_OF_TWO, turned))

    assert seen == pytest.approx(plain, abs=2e-3)


def test_the_numbers_of_a_change_are_those_of_its_parts() -> None:
    changes = pose_changes(BODIES[:4], BODIES[4:])

    assert changes.shape == (4, sum(FEATURE_SIZES.values()))
    assert np.isfinite(changes).all()
    assert {joint for joints, _ in FEATURE_PARTS.values() for joint in joints} == set(JOINTS)
    begin = 0
    still = pose_changes(BODIES, BODIES)
    for part, (_, measures) in FEATURE_PARTS.items():
        assert (still[:, begin : begin + len(measures)] == 0).all()
        begin += FEATURE_SIZES[part]


def test_a_body_without_any_size_still_gives_numbers() -> None:
    assert np.isfinite(pose_changes(np.zeros((20, 3)), np.zeros((20, 3)))).all()
    assert pose_changes(BODIES[:1, None], BODIES[None, :3]).shape == (1, 3, sum(FEATURE_SIZES.values()))
