"""Training of an editor: samples of instances, and an editor that has learned a handful of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.data.sample import FOLDER
from fmp_models.geometry import Findings
from fmp_models.languages import UNK, Vocabulary, tokenise
from fmp_models.networks.editor import WordState
from fmp_models.training.dataset_samples import Samples, read_dataset
from fmp_models.training.editor import (
    Instance,
    Order,
    UnrolledInstance,
    kept_instances,
    similar_texts,
    turned_false,
    unrolled,
)
from tests.learned_editors import Learned

SAID = "raise your left right arm leg . until it is up"
WORDS = st.lists(st.sampled_from(SAID.split()), min_size=1, max_size=12)
VOCABULARY = Vocabulary.of([SAID], "en", 1)


def instance(ref: list[str], gt: list[str]) -> Instance:
    given, wanted = " ".join(ref), " ".join(gt)
    return Instance(0, "en", "similar", given, wanted, (0,) * len(tokenise(given, "en")), ())


def words(one: UnrolledInstance, rounds: int) -> list[str]:
    """Return the words before a round: from the last step of the text's samples."""
    return [VOCABULARY.words[slot.word] for slot in one.adding(rounds).text[1:] if slot.state != WordState.DELETED]


@given(WORDS, WORDS, st.sampled_from(["middle", "left", "once"]))
def test_the_samples_of_an_instance_replay_to_both_texts(ref: list[str], gt: list[str], order: Order) -> None:
    one = unrolled(instance(ref, gt), VOCABULARY, 0, order)
    assert one is not None
    given, wanted = instance(ref, gt).given, instance(ref, gt).wanted
    assert [VOCABULARY.words[slot.word] for slot in one.deleting().text[1:]] == tokenise(given, "en")
    assert words(one, one.rounds + 1) == tokenise(wanted, "en")
    assert set(one.adding(one.rounds + 1).added) == {0}
    assert len(one.steps()) == 2 + 2 * one.rounds
    rounds = range(1, one.rounds + 1)
    filled = [
        [
            slot._replace(word=word, state=WordState.ADDED) if word >= 0 else slot
            for slot, word in zip(gaps.text, gaps.inserted, strict=True)
        ]
        for gaps in map(one.inserting, rounds)
    ]
    assert filled == [one.adding(number + 1).text for number in rounds]
    gaps = [sum(slot.state == WordState.GAP for slot in one.inserting(number).text) for number in rounds]
    assert gaps == [sum(one.adding(number).added) for number in rounds]


def test_words_from_the_middle_need_few_rounds() -> None:
    wanted = ["raise", "your", "left", "arm", "up", ".", "raise", "your", "right", "arm", "until", "it", "is", "up"]
    rounds = {order: unrolled(instance(["."], wanted), VOCABULARY, 0, order).rounds for order in ("middle", "left")}  # type: ignore[union-attr, arg-type]
    assert rounds == {"middle": 4, "left": 8}


def test_an_unknown_word_is_no_target() -> None:
    one = unrolled(instance(["raise", "it"], ["raise", "zebras"]), VOCABULARY, 0, "middle")
    assert one is not None
    assert set(one.inserting(1).inserted) == {-1}
    assert UNK in {slot.word for slot in one.slots}


def test_texts_that_share_most_words_are_similar() -> None:
    texts = ["Raise your left arm.", "Raise your right arm.", "Step back with the foot that is behind you.", ""]
    assert similar_texts(texts, "en", 0) == [texts[1], texts[0], None, None]


@pytest.fixture(scope="module")
def samples() -> Samples:
    return read_dataset(FOLDER, "captioning", ["train"]).splits["train"]


@pytest.fixture(scope="module")
def instances(samples: Samples, tmp_path_factory: pytest.TempPathFactory) -> list[Instance]:
    cache = tmp_path_factory.mktemp("cache")
    made = [one for code in ("en", "hi") for one in kept_instances(samples, code, 1, 0, cache)]
    assert made == [one for code in ("en", "hi") for one in kept_instances(samples, code, 1, 0, cache)]
    return made


@pytest.mark.parametrize("language", ["en", "hi"])
def test_a_text_is_turned_false_in_one_clause_or_more(samples: Samples, language: str) -> None:
    pair = samples.pose_pairs()[0]
    assert pair is not None
    text = samples.texts[language][0][0]
    turned = turned_false(text, language, Findings(pair), np.random.default_rng(0))
    assert turned != text


@pytest.fixture(scope="module")
def learned(samples: Samples, instances: list[Instance]) -> Learned:
    few = [one for one in instances if one.kind != "similar"]
    return Learned(samples, few)


def test_an_editor_reproduces_what_it_has_learned(learned: Learned) -> None:
    assert learned.scores["exact_unchanged"] == 1.0
    assert learned.scores["exact_contradiction"] >= 0.75
    assert learned.scores["cider"] > learned.scores["cider_given"]


def test_an_implicit_editor_writes_what_it_has_learned(samples: Samples, instances: list[Instance]) -> None:
    scores = Learned(samples, [one for one in instances if one.kind != "similar"], implicit=True).scores
    assert scores["exact_unchanged"] >= 0.75
    assert scores["cider"] > scores["cider_given"]
