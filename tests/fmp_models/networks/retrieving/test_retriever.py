import json
from dataclasses import asdict, replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from fmp_models.networks.attention import CrossAttentionStack, fuse
from fmp_models.networks.backbones.backbone import BackboneConfig
from fmp_models.networks.retrieving.retriever import RetrievalBatch, Retriever, TextEncoder
from fmp_models.networks.retrieving.retriever_config import RetrieverConfig
from fmp_models.preprocessing.person_crop import PicturesConfig
from tests.nonempty import nonempty
from tests.thoroughness import examples, one_of

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
        monkeypatch.setattr("fmp_models.networks.retrieving.retriever._AT_ONCE", size)
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
