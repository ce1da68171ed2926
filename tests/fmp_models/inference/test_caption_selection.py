from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.inference.caption_selection import ChosenText, Decoding, Votes, choose_texts
from fmp_models.languages.vocabulary import EOS, Vocabulary
from fmp_models.networks.captioner import Captioner, PairBatch
from fmp_models.pose import PosePair
from tests.bodies import Arm, Body
from tests.captioners import SIZES, VARIANTS, captioner, pairs
from tests.taught_captioners import taught
from tests.thoroughness import examples

LEFT_UP = PosePair(Body().pose(), Body(left_arm=Arm(lift=90, bend=0)).pose())
RIGHT_UP = PosePair(Body().pose(), Body(right_arm=Arm(lift=90, bend=0)).pose())
LEFT, RIGHT, NEITHER = "Raise your left arm.", "Raise your right arm.", "Very good."
LIMIT = 12


@pytest.fixture(scope="module")
def either() -> tuple[Captioner, Vocabulary]:
    """Return a captioner that says any of the three sentences, the false one more often than the true one."""
    model, vocabularies = taught({"en": [LEFT, RIGHT, RIGHT, NEITHER]}, vision=False, joints=False)
    return model.network, vocabularies["en"]


def spoken(
    model: tuple[Captioner, Vocabulary],
    poses: list[PosePair | None],
    decoding: Decoding,
    limit: int = LIMIT,
    votes: Votes | None = None,
) -> list[ChosenText]:
    network, vocabulary = model
    with torch.no_grad():
        encoded = network.encode(PairBatch(current_joints=torch.zeros(len(poses), 20, 3)))
        return choose_texts(network, encoded, vocabulary, poses, decoding, limit, votes)


@pytest.mark.parametrize("method", ["beam", "sample"])
def test_of_several_texts_the_one_that_the_joints_bear_out_is_chosen(
    either: tuple[Captioner, Vocabulary], method: str
) -> None:
    chosen = spoken(either, [LEFT_UP, RIGHT_UP], Decoding(method, texts=12, rerank=True))
    assert [one.text for one in chosen] == [LEFT, RIGHT]


def test_without_reranking_the_likeliest_text_is_chosen(either: tuple[Captioner, Vocabulary]) -> None:
    for decoding in (Decoding(), Decoding("beam"), Decoding("sample", texts=40)):
        assert {one.text for one in spoken(either, [LEFT_UP, RIGHT_UP], decoding)} == {RIGHT}


def test_without_joints_there_is_nothing_to_rerank_by(either: tuple[Captioner, Vocabulary]) -> None:
    chosen = spoken(either, [LEFT_UP, None], Decoding("beam", texts=12, rerank=True))
    assert [one.text for one in chosen] == [LEFT, RIGHT]


def for_left(texts: Sequence[Sequence[str]]) -> list[list[float]]:
    """Vote for the text of the left arm, whatever the pair."""
    return [[float(text == LEFT) for text in several] for several in texts]


def test_votes_choose_before_the_captioner_and_after_the_joints(either: tuple[Captioner, Vocabulary]) -> None:
    poses = [LEFT_UP, RIGHT_UP]
    voted = spoken(either, poses, Decoding("beam", texts=12), votes=for_left)
    assert [one.text for one in voted] == [LEFT, LEFT]
    judged = spoken(either, poses, Decoding("beam", texts=12, rerank=True), votes=for_left)
    assert [one.text for one in judged] == [LEFT, RIGHT]


def test_a_text_that_nobody_can_judge_comes_last() -> None:
    model, vocabularies = taught({"en": [LEFT, NEITHER, NEITHER, NEITHER]}, vision=False, joints=False)
    either = model.network, vocabularies["en"]
    assert [one.text for one in spoken(either, [RIGHT_UP], Decoding("beam"))] == [NEITHER]
    assert [one.text for one in spoken(either, [RIGHT_UP], Decoding("beam", rerank=True))] == [LEFT]


def test_a_text_that_broke_off_gives_way_to_one_that_ended() -> None:
    model, vocabularies = taught({"en": [f"{LEFT} {LEFT} {LEFT}", RIGHT]}, vision=False, joints=False)
    either = model.network, vocabularies["en"]
    decoding = Decoding("sample", texts=12, rerank=True)
    (cut,) = spoken(either, [LEFT_UP], decoding, limit=12)
    (whole,) = spoken(either, [LEFT_UP], decoding, limit=20)
    assert (cut.text, whole.text) == (RIGHT, f"{LEFT} {LEFT} {LEFT}")


def test_samples_are_repeated_by_their_seed(either: tuple[Captioner, Vocabulary]) -> None:
    texts = [spoken(either, [LEFT_UP] * 8, Decoding("sample", texts=1, seed=seed)) for seed in (1, 1, 2, 3)]
    said_by_seed = [tuple(one.text for one in row) for row in texts]
    assert said_by_seed[0] == said_by_seed[1]
    assert len(set(said_by_seed)) > 1


@given(st.integers(0, 1000), st.sampled_from(sorted(VARIANTS)), st.sampled_from(["greedy", "beam", "sample"]))
@examples(15)
def test_every_pair_gets_one_text_of_the_words_that_were_said(seed: int, variant: str, method: str) -> None:
    network = captioner(seed, **VARIANTS[variant])
    vocabulary = Vocabulary("hi", ("<pad>", "<bos>", "<eos>", "<unk>", *"कखगघचछज"[: SIZES["hi"] - 4]))
    with torch.no_grad():
        encoded = network.encode(pairs(3, seed))
        chosen = choose_texts(
            network, encoded, vocabulary, [LEFT_UP] * 3, Decoding(method, texts=3, rerank=True), limit=5
        )
    assert len(chosen) == 3
    for one in chosen:
        assert one.text == vocabulary.decode(one.hypothesis.words)
        assert len(one.hypothesis.words) == len(one.hypothesis.probabilities) <= 5
        assert EOS not in one.hypothesis.words


@pytest.mark.parametrize(("method", "texts"), [("beam", 0), ("sample", -1), ("dance", 5)])
def test_what_is_no_decoding_is_refused(method: str, texts: int) -> None:
    with pytest.raises(ValueError, match="no decoding"):
        Decoding(method, texts)
