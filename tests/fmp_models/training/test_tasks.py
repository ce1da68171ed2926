from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from fmp_models.data.sample import FOLDER
from fmp_models.languages.vocabulary import PAD, Vocabulary
from fmp_models.metrics.ngrams import Cider
from fmp_models.networks.backbone import VisionModel
from fmp_models.networks.captioner import Captioner, CaptionerConfig
from fmp_models.networks.decoding import greedy
from fmp_models.networks.retriever import Retriever, RetrieverConfig
from fmp_models.training.augmentation import InputDropout
from fmp_models.training.captioner import (
    CaptionerValidation,
    CaptioningConfig,
    MaximumLikelihood,
    SelfCritical,
    SelfCriticalConfig,
    agreement,
)
from fmp_models.training.config import EngineConfig
from fmp_models.training.dataset_samples import Samples, read_dataset
from fmp_models.training.engine import fit
from fmp_models.training.model_inputs import SampleInputs, Variation, Views
from fmp_models.training.retriever import Retrieval, RetrievalConfig, scored
from fmp_models.training.texts import spoken, swapped
from tests.thoroughness import thorough

BOTH = ("en", "hi")
SEED = torch.Generator


@pytest.fixture(scope="module")
def pairs() -> Samples:
    return read_dataset(FOLDER, "captioning", ["train"], wide=True).splits["train"]


@pytest.fixture(scope="module")
def held_out() -> Samples:
    return read_dataset(FOLDER, "captioning", ["val_seen"]).splits["val_seen"]


@pytest.fixture(scope="module")
def questions() -> Samples:
    return read_dataset(FOLDER, "retrieval", ["train"]).splits["train"]


def vocabularies(samples: Samples, languages: tuple[str, ...]) -> dict[str, Vocabulary]:
    return {
        language: Vocabulary.of((text for texts in samples.texts[language] for text in texts), language, 1)
        for language in languages
    }


def captioning(  # noqa: PLR0913  a task with some of its parts changed
    samples: Samples,
    *,
    languages: tuple[str, ...] = ("en",),
    variation: Variation = Variation(),  # noqa: B008  it cannot change
    kind: type[MaximumLikelihood] = MaximumLikelihood,
    dropout: float = 0.0,
    longest: int = 60,
    **more: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Return a captioner that uses joints alone, which is fast."""
    torch.manual_seed(3)
    words = vocabularies(samples, languages)
    sizes = {language: len(vocabulary) for language, vocabulary in words.items()}
    network = CaptionerConfig(sizes, hidden=32, embedding=16, image_channels=4, dropout=dropout, missing=True)
    sample_inputs = SampleInputs(samples, Views())
    return kind(
        VisionModel(Captioner(network), None),
        CaptioningConfig(languages=languages, batch=4, longest=longest),
        sample_inputs,
        spoken(samples, words, ends=True, longest=longest),
        variation,
        CaptionerValidation(sample_inputs, words, longest),
        keep,
        **more,
    )


def retrieval(samples: Samples, *, others: int = 0, variation: Variation = Variation()) -> Retrieval:  # noqa: B008
    torch.manual_seed(3)
    words = vocabularies(samples, BOTH)
    sizes = {language: len(vocabulary) for language, vocabulary in words.items()}
    network = RetrieverConfig(sizes, hidden=32, embedding=16, dropout=0.0, images=False)
    sample_inputs = SampleInputs(samples, Views())
    texts = spoken(samples, words, ends=False, longest=100)
    config = RetrievalConfig(languages=BOTH, batch=4, others=others)
    return Retrieval(
        VisionModel(Retriever(network), None), config, sample_inputs, texts, variation, sample_inputs, texts, keep
    )


def keep(folder: Path, model: nn.Module) -> None:
    folder.mkdir()
    torch.save(model.state_dict(), folder / "weights")


def first_batch(task: Any, seed: int = 0) -> Any:  # noqa: ANN401
    return task.batch(task.order(SEED().manual_seed(seed))[0], SEED().manual_seed(seed))


def trained(task: Any, out: Path, steps: int, rate: float = 0.02) -> None:  # noqa: ANN401
    config = EngineConfig(steps=steps, rate=rate, log_every=steps, validate_every=steps)
    fit(task, config, out, {"kind": "test"})


def test_maximum_likelihood_learns_the_texts_of_a_few_pairs_in_both_languages(pairs: Samples, tmp_path: Path) -> None:
    task = captioning(pairs.subset(range(4)), languages=BOTH)
    before = task.validate()
    trained(task, tmp_path, 120)
    after = task.validate()
    for language in BOTH:
        assert after[f"cider_{language}"] > before[f"cider_{language}"] + 2
        assert after[f"agreement_{language}"] > 0.9
    assert after["cider"] == pytest.approx((after["cider_en"] + after["cider_hi"]) / 2)


def test_the_loss_is_the_mean_over_words_whatever_the_padding(pairs: Samples) -> None:
    task = captioning(pairs)
    task.model.eval()
    batch = first_batch(task)
    longer = replace(batch, words={"en": torch.nn.functional.pad(batch.words["en"], (0, 7), value=PAD)})
    loss, parts = task.loss(batch)
    torch.testing.assert_close(loss, task.loss(longer)[0])
    assert parts.keys() == {"words_en"}


def test_mirrored_pairs_come_with_mirrored_texts_and_joints(pairs: Samples) -> None:
    task = captioning(pairs, variation=Variation(mirror=1.0))
    plain = captioning(pairs)
    rows = [row for row in range(len(pairs)) if task.spoken["en"].mirrored[row]]
    assert rows
    turned, straight = (each.batch(rows, SEED().manual_seed(5)) for each in (task, plain))
    assert not torch.equal(turned.words["en"], straight.words["en"])
    assert turned.instances.tolist() == [row + len(pairs) for row in rows]
    vocabulary = task.validation.vocabularies["en"]
    assert vocabulary.decode(turned.words["en"][0].tolist()) in [
        vocabulary.decode(text) for text in task.spoken["en"].mirrored[rows[0]]
    ]
    torch.testing.assert_close(
        turned.inputs.joints[:, :, 0, 0], -straight.inputs.joints[:, :, 0, 0], rtol=0.0, atol=1e-5
    )


def test_a_share_of_samples_lacks_joints_is_noisy_or_unplaced(pairs: Samples) -> None:
    sample_inputs = SampleInputs(pairs, Views())
    rows = list(range(len(pairs))) * 20
    allowed = torch.zeros(len(rows), dtype=torch.bool)
    plain, _ = sample_inputs.varied(rows, allowed, Variation(), SEED().manual_seed(1))
    noisy, _ = sample_inputs.varied(rows, allowed, Variation(noisy=0.5), SEED().manual_seed(1))
    rough = (noisy.joints - plain.joints).flatten(1).abs().amax(dim=1) > 0
    assert 0.3 < rough.float().mean() < 0.7
    torch.testing.assert_close(noisy.bodies, plain.bodies)
    unplaced, _ = sample_inputs.varied(rows, allowed, Variation(unplaced=1.0), SEED().manual_seed(1))
    assert unplaced.joints[:, :, 0].abs().max() == 0
    missing = Variation(missing=InputDropout(joints=0.5))
    without = replace(pairs, pictures=np.zeros_like(pairs.pictures))
    dropped, _ = SampleInputs(without, Views()).varied(rows, allowed, missing, SEED().manual_seed(1))
    assert 0.3 < dropped.joints_known.float().mean() < 0.7


def test_validation_scores_the_references_themselves_best_and_other_peoples_texts_low(
    held_out: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [references[0] for references in held_out.texts["en"]]
    task = captioning(held_out)

    def spoken_by(saying: list[str]) -> dict[str, float]:
        monkeypatch.setattr(CaptionerValidation, "_texts", lambda *_: {"en": saying})
        return task.validate()

    right, wrong = spoken_by(texts), spoken_by(texts[1:] + texts[:1])
    assert right["agreement"] == 1.0
    assert right["cider"] > 3 * wrong["cider"]
    assert spoken_by([""] * len(texts)) == {"cider": 0.0, "agreement": 0.0}


def test_texts_agree_with_their_own_pairs_and_not_with_the_way_back(pairs: Samples) -> None:
    texts = [references[0] for references in pairs.texts["en"]]
    back = replace(pairs, joints=pairs.joints[:, ::-1].copy())
    assert agreement(texts, "en", pairs) == 1.0
    assert agreement(texts, "en", back) < 0.3
    swapped_pairs = swapped(pairs, 0)
    assert agreement([references[0] for references in swapped_pairs.texts["en"]], "en", swapped_pairs) == 1.0


def test_a_reward_is_the_cider_of_the_text_and_its_end_counts(pairs: Samples) -> None:
    task = captioning(pairs, kind=SelfCritical)
    texts = [numbers[0][1:] for numbers in task.spoken["en"].plain]
    rows = torch.arange(len(texts))
    longest = max(map(len, texts))
    whole = torch.tensor([[[*text, *[PAD] * (longest - len(text))]] for text in texts])
    references = [[text[1:] for text in of_pair] for of_pair in task.spoken["en"].plain]
    rewards = task._reward(whole, rows, "en")
    assert rewards[:, 0].tolist() == pytest.approx(Cider(references).scores(texts).tolist(), rel=1e-5)
    ended = whole == 2
    assert (task._reward(whole.masked_fill(ended, PAD), rows, "en") < rewards).all()
    both = torch.cat([whole, whole.masked_fill(ended, PAD)], dim=1)
    torch.testing.assert_close(task._reward(both, rows, "en")[:, 0], rewards[:, 0])


@thorough
def test_self_critical_training_raises_the_reward_of_greedy_texts(pairs: Samples, tmp_path: Path) -> None:
    few = pairs.subset(range(4))
    begun = captioning(few)
    trained(begun, tmp_path / "ml", 35)
    task = captioning(few, kind=SelfCritical, weights=SelfCriticalConfig(likelihood=0.0, samples=4))
    task.model.load_state_dict(begun.model.state_dict())
    before = greedy_reward(task)
    assert before < 8
    trained(task, tmp_path / "rl", 30, rate=0.0005)
    assert greedy_reward(task) > before + 0.5


@pytest.mark.parametrize("language", BOTH)
def test_clauses_are_rewarded_beside_words(pairs: Samples, language: str) -> None:
    weights = SelfCriticalConfig(clauses=2.0)
    task, plain = (
        captioning(pairs, languages=BOTH, kind=SelfCritical, weights=w) for w in (weights, SelfCriticalConfig())
    )
    rows = torch.arange(len(pairs))
    own = [texts[0][1:] for texts in task.spoken[language].plain]
    longest = max(map(len, own))
    words = torch.tensor([[[*text, *[PAD] * (longest - len(text))]] for text in own])
    more = task._reward(words, rows, language) - plain._reward(words, rows, language)
    assert more.max() <= 2
    assert (more > 1).float().mean() > 0.9
    turned = torch.roll(words, 1, dims=0)  # each pair is told the text of another
    other = task._reward(turned, rows, language) - plain._reward(turned, rows, language)
    assert other.mean() < more.mean() / 2


def test_the_way_that_a_text_leads_is_rewarded_beside_words_mirrored_pairs_too(pairs: Samples) -> None:
    weights = SelfCriticalConfig(execution=2.0)
    task, plain = (captioning(pairs, kind=SelfCritical, weights=w) for w in (weights, SelfCriticalConfig()))
    texts = task.spoken["en"]
    row = next(at for at, mirrored in enumerate(texts.mirrored) if mirrored and mirrored != texts.plain[at])
    own, turned = texts.plain[row][0][1:], texts.mirrored[row][0][1:]
    decode = task.spoken["en"].vocabulary.decode
    progress = task._progress(decode(own), "en", row)
    assert 0.1 < progress <= 1
    assert task._progress(decode(turned), "en", row + len(pairs)) == pytest.approx(progress, abs=0.1)
    assert task._progress(decode(turned), "en", row) < progress
    words, rows = torch.tensor([[[*own]]]), torch.tensor([row])
    more = task._reward(words, rows, "en") - plain._reward(words, rows, "en")
    assert more.item() == pytest.approx(2 * progress, abs=1e-4)


def greedy_reward(task: SelfCritical) -> float:
    batch = first_batch(task)
    task.model.eval()
    words = greedy(task.model.network, task.encode(batch.inputs), "en", 59).words
    return float(task._reward(words, batch.instances, "en").mean())


def test_self_critical_gradients_come_from_what_was_drawn_and_vanish_where_nothing_is_gained(
    pairs: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = captioning(pairs, kind=SelfCritical, weights=SelfCriticalConfig(likelihood=0.0), dropout=0.3)
    batch = first_batch(task)
    torch.manual_seed(0)
    task.loss(batch)[0].backward()
    assert any(p.grad is not None and p.grad.abs().sum() > 0 for p in task.model.parameters())
    assert task.model.training
    task.model.zero_grad()
    monkeypatch.setattr(SelfCritical, "_reward", lambda _, words, *__: torch.ones(words.shape[:2]))
    task.loss(batch)[0].backward()
    assert all(p.grad is None or p.grad.abs().sum() == 0 for p in task.model.parameters())


@thorough
def test_the_retriever_learns_which_candidate_is_meant(questions: Samples, tmp_path: Path) -> None:
    task = retrieval(questions)
    trained(task, tmp_path, 80, rate=0.005)
    scores = task.validate()
    assert scores["accuracy"] == scores["accuracy_en"] == scores["accuracy_hi"] == 1.0
    assert scores["mean_rank"] == 1.0


def test_the_answers_of_other_questions_become_candidates(questions: Samples) -> None:
    plain, more = retrieval(questions), retrieval(questions, others=2)
    plain.model.eval()
    more.model.eval()
    batch = first_batch(plain)
    few, many = scored(plain.model, batch, 0)["en"], scored(more.model, batch, 2)["en"]
    assert few.shape[1] == 10
    assert many.shape[1] == 12
    torch.testing.assert_close(many[:, :10], few)


@thorough
@pytest.mark.parametrize("kind", ["likelihood", "critical", "retrieval"])
def test_a_task_broken_off_and_begun_again_ends_with_the_same_weights(
    pairs: Samples, questions: Samples, tmp_path: Path, kind: str
) -> None:
    variation = Variation(mirror=0.5, noisy=0.5, unplaced=0.3, missing=InputDropout(joints=0.2))

    def make() -> Any:  # noqa: ANN401
        if kind == "retrieval":
            return retrieval(questions, others=1, variation=replace(variation, missing=InputDropout()))
        of = SelfCritical if kind == "critical" else MaximumLikelihood
        return captioning(pairs, kind=of, dropout=0.3, variation=variation, longest=20)

    config = EngineConfig(steps=5, log_every=2, validate_every=5, save_minutes=0.0)
    whole, broken, again = make(), make(), make()
    fit(whole, config, tmp_path / "whole", {})
    batches = iter([False, False, False, True])
    original = type(broken).loss

    class Broken(type(broken)):  # type: ignore[misc]
        def loss(self, batch: Any) -> Any:  # noqa: ANN401
            if next(batches):
                raise KeyboardInterrupt
            return original(self, batch)

    broken.__class__ = Broken
    with pytest.raises(KeyboardInterrupt):
        fit(broken, config, tmp_path / "run", {})
    fit(again, config, tmp_path / "run", {})
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, again.model.state_dict()[name]), name
