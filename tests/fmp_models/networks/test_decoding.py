import itertools
from collections import Counter
from dataclasses import fields

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.languages.vocabulary import BOS, EOS, PAD, UNK
from fmp_models.networks.captioner import Captioner
from fmp_models.networks.decoding import Sequences, beam, greedy, log_probabilities, sample
from tests.captioners import POSITIONS, SIZES, VARIANTS, captioner, pairs, part
from tests.nonempty import nonempty
from tests.thoroughness import examples

LIMIT = 6
seeds = st.integers(0, 10_000)
variants = st.sampled_from(sorted(VARIANTS))


def ready_to_end(seed: int, variant: str = "full") -> Captioner:
    """Return a captioner whose texts sometimes end before the limit."""
    model = captioner(seed, **VARIANTS[variant])
    for language in SIZES:
        model.words[language].w_s.bias.data[EOS] += 1.0
    return model


def texts_of(sequences: Sequences) -> list[list[tuple[int, ...]]]:
    return [[hypothesis.words for hypothesis in row] for row in sequences.hypotheses()]


@given(seeds, variants)
@examples(25)
def test_a_beam_of_one_text_is_greedy(seed: int, variant: str) -> None:
    model = ready_to_end(seed, variant)
    encoded = model.encode(pairs(3, seed))
    one, other = greedy(model, encoded, "hi", LIMIT), beam(model, encoded, "hi", LIMIT, width=1)
    assert torch.equal(one.words, other.words)
    assert torch.allclose(one.log_probabilities, other.log_probabilities, atol=1e-6)


@given(seeds, variants)
@examples(15)
def test_many_pairs_at_once_are_decoded_as_each_alone(seed: int, variant: str) -> None:
    model, pair = ready_to_end(seed, variant), pairs(4, seed)
    together = {search: texts_of(search(model, model.encode(pair), "en", LIMIT)) for search in (greedy, beam)}
    for search, row in itertools.product((greedy, beam), range(4)):
        assert texts_of(search(model, model.encode(part(pair, [row])), "en", LIMIT)) == [together[search][row]]


@pytest.mark.parametrize("length_power", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_wide_beam_finds_what_trying_every_text_finds(seed: int, length_power: float) -> None:
    model = captioner(seed, sizes={"en": 7})
    encoded = model.encode(pairs(2, seed))
    limit = 4
    open_words = range(UNK + 1, 7)
    every = [
        (*text_words, *([EOS] if len(text_words) < limit else []))
        for length in range(limit + 1)
        for text_words in itertools.product(open_words, repeat=length)
    ]
    words = torch.tensor([[*text, *[PAD] * (limit - len(text))] for text in every])
    likely = log_probabilities(model, encoded, words.expand(2, -1, -1), "en").sum(-1)
    scores = likely / (words != PAD).sum(-1) ** length_power
    sequences = beam(model, encoded, "en", limit, width=len(every), length_power=length_power)
    assert torch.allclose(likely.exp().sum(-1), torch.ones(2), atol=1e-5)
    for row in range(2):
        order = scores[row].argsort(descending=True)
        hypotheses = sequences.hypotheses()[row]
        assert len(hypotheses) == len(every)
        assert [h.score for h in hypotheses] == pytest.approx(scores[row][order].tolist(), abs=1e-5)
        best = every[int(order[0])]
        assert hypotheses[0].words == tuple(word for word in best if word != EOS)


def test_a_beam_s_best_text_scores_at_least_as_greedy_s_nearly_always() -> None:
    better, cases = 0, 0
    for seed in range(8):
        model = ready_to_end(seed)
        encoded = model.encode(pairs(4, seed))
        plain = greedy(model, encoded, "en", LIMIT).scores[:, 0]
        wide = beam(model, encoded, "en", LIMIT, width=5, length_power=0).scores[:, 0]
        better += int((wide >= plain - 1e-5).sum())
        cases += 4
    assert better >= 0.9 * cases


def test_a_beam_gives_different_texts_the_best_first() -> None:
    model = ready_to_end(3)
    for row in nonempty(beam(model, model.encode(pairs(4)), "en", LIMIT, width=5).hypotheses()):
        assert len({(hypothesis.words, hypothesis.ended) for hypothesis in row}) == len(row) == 5
        assert [hypothesis.score for hypothesis in row] == sorted(
            (hypothesis.score for hypothesis in row), reverse=True
        )


def test_a_longer_text_is_preferred_the_more_length_is_forgiven() -> None:
    model = ready_to_end(0)
    encoded = model.encode(pairs(6))

    def mean_length(power: float) -> float:
        best = [row[0] for row in beam(model, encoded, "en", 12, width=5, length_power=power).hypotheses()]
        return sum(len(hypothesis.words) for hypothesis in best) / len(best)

    assert mean_length(0.0) < mean_length(2.0)


@given(seeds, variants, st.sampled_from(["greedy", "beam", "sample"]))
@examples(30)
def test_words_are_said_as_they_are_meant_to_be(seed: int, variant: str, way: str) -> None:
    model = ready_to_end(seed, variant)
    with torch.no_grad():
        model.words["en"].w_s.bias[[PAD, BOS, UNK]] += 5.0  # what may not be said is what it would like to say
        encoded = model.encode(pairs(3, seed))
        search = {"greedy": greedy, "beam": beam, "sample": sample}[way]
        sequences = search(model, encoded, "en", LIMIT)
        assert sequences.words.shape[-1] <= LIMIT
        assert torch.equal(
            log_probabilities(model, encoded, sequences.words, "en").isfinite(), torch.ones_like(sequences.words).bool()
        )
        expected = log_probabilities(model, encoded, sequences.words, "en")
    assert torch.allclose(sequences.log_probabilities, expected, atol=1e-5)
    for row in nonempty(sequences.hypotheses()):
        for text in nonempty(row):
            assert not {PAD, BOS, EOS, UNK} & set(text.words)
            assert text.ended or len(text.words) == LIMIT
            assert len(text.probabilities) == len(text.words)
            assert all(0 < probability <= 1 for probability in text.probabilities)
            maps = [getattr(text.attention, field.name) for field in fields(text.attention)]
            for weights in [one for one in maps if one is not None]:
                assert len(weights) == len(text.words)
                assert torch.allclose(weights.sum(-1), torch.ones(len(text.words)), atol=1e-5)


def test_attention_covers_what_the_captioner_sees() -> None:
    pair = pairs(2)
    seen = {}
    for variant, switches in VARIANTS.items():
        model = captioner(**switches)
        attention = greedy(model, model.encode(pair), "en", LIMIT).hypotheses()[0][0].attention
        weights = {field.name: getattr(attention, field.name) for field in fields(attention)}
        seen[variant] = {name: value.shape[-1] for name, value in weights.items() if value is not None}
    whole = {"current": POSITIONS, "target": POSITIONS, "joints": 20, "differences": 20}
    assert seen["full"] == seen["vision-only"] == seen["missing"] == whole
    assert seen["no joints"] == {"current": POSITIONS, "target": POSITIONS}
    assert seen["language-only"] == {}


def test_a_beam_s_attention_is_that_of_its_own_words() -> None:
    model = ready_to_end(1)
    encoded = model.encode(pairs(1))
    texts = beam(model, encoded, "en", LIMIT, width=4).hypotheses()[0]
    for text in nonempty(text for text in texts if text.words):
        state = model.start(encoded, "en")
        for word, weights in nonempty(zip((BOS, *text.words), text.attention.joints, strict=False)):
            _, state, attention = model.step(encoded, state, torch.tensor([[word]]), "en")
            assert torch.allclose(attention.joints[0, 0], weights, atol=1e-5)


def test_decoding_is_the_same_each_time() -> None:
    model, pair = captioner(), pairs(3)
    for search in (greedy, beam):
        one, other = (search(model, model.encode(pair), "en", LIMIT) for _ in range(2))
        assert torch.equal(one.words, other.words)
        assert torch.equal(one.log_probabilities, other.log_probabilities)


def test_a_seed_draws_the_same_texts_again() -> None:
    model = captioner()
    encoded = model.encode(pairs(3))
    one, again, other = (
        sample(model, encoded, "en", 20, count=3, generator=torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
    )
    assert one.words.shape[:2] == (3, 3)
    assert torch.equal(one.words, again.words)
    assert not torch.equal(one.words, other.words)


def first_words(**how: float) -> Counter[int]:
    model = captioner(sizes={"en": 7})
    encoded = model.encode(pairs(1))
    drawn = sample(model, encoded, "en", 1, count=4000, generator=torch.Generator().manual_seed(0), **how)
    return Counter(drawn.words[0, :, 0].tolist())


def first_probabilities() -> dict[int, float]:
    model = captioner(sizes={"en": 7})
    every = torch.tensor([[[word] for word in (EOS, 4, 5, 6)]])
    likely = log_probabilities(model, model.encode(pairs(1)), every, "en").exp().flatten()
    return dict(zip((EOS, 4, 5, 6), likely.tolist(), strict=True))


def test_words_are_drawn_as_often_as_they_are_likely() -> None:
    drawn = first_words()
    for word, likely in nonempty(first_probabilities().items()):
        assert drawn[word] / 4000 == pytest.approx(likely, abs=0.04)


def test_a_cold_draw_is_greedy() -> None:
    assert first_words(temperature=0.001).keys() == {max(first_probabilities().items(), key=lambda item: item[1])[0]}


def test_top_p_draws_from_the_fewest_words_that_hold_it() -> None:
    likely = sorted(first_probabilities().items(), key=lambda item: -item[1])
    enough = likely[0][1] + likely[1][1]
    assert set(first_words(top_p=enough - 0.01)) == {word for word, _ in likely[:2]}
    assert set(first_words(top_p=0.001)) == {likely[0][0]}


@pytest.mark.parametrize("how", [{"temperature": 0.0}, {"temperature": -1.0}, {"top_p": 0.0}, {"top_p": 1.1}])
def test_a_draw_from_nothing_is_refused(how: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="temperature must be positive"):
        first_words(**how)


def test_drawn_texts_carry_gradients_and_the_probabilities_they_were_drawn_with_dropout_included() -> None:
    model = ready_to_end(0).train()
    encoded = model.encode(pairs(3))
    drawn = sample(model, encoded, "en", 10, count=4)
    likely = log_probabilities(model, encoded, drawn.words, "en")
    assert torch.allclose(likely, drawn.log_probabilities, atol=1e-5)
    likely.sum().backward()
    for name in ("pair_encoder.image.img_fc.weight", "pair_encoder.joints.w_j.weight", "words.en.embedding.weight"):
        gradient = model.get_parameter(name).grad
        assert gradient is not None
        assert gradient.isfinite().all()
        assert gradient.abs().max() > 0


def test_a_rewarded_text_becomes_likelier() -> None:
    model, pair = captioner(), pairs(2)
    optimiser = torch.optim.SGD(model.parameters(), 0.002)
    drawn = sample(model, model.encode(pair), "en", 8)
    likely = []
    for _ in range(5):
        optimiser.zero_grad()
        likelihood = log_probabilities(model, model.encode(pair), drawn.words, "en").sum()
        likely.append(likelihood.item())
        (-likelihood).backward()
        optimiser.step()
    assert likely == sorted(likely)
    assert likely[-1] > likely[0]
