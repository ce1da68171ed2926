import json
from dataclasses import asdict, replace

import pytest
import torch
from pydantic import TypeAdapter
from torch import nn

from fmp_models.geometry.measured_changes import FEATURE_PARTS
from fmp_models.languages.vocabulary import BOS, EOS
from fmp_models.networks.backbones.backbone import BackboneConfig
from fmp_models.networks.captioning.captioner import Captioner
from fmp_models.networks.captioning.captioner_config import CaptionerConfig
from fmp_models.networks.captioning.decoding import greedy
from fmp_models.networks.captioning.pair_encoder import PairBatch
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
@pytest.mark.parametrize("switches", [{}, {"joints": False}])
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
