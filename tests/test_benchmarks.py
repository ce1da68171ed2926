"""What the benchmarks compare is the same thing done in two ways."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor

from fmp_models.networks.decoding import Sequences
from fmp_models.networks.retriever import Retriever, RetrieverConfig
from tests.benchmarks import models, retrieval


def test_the_released_way_says_the_words_of_the_captioner_without_joints() -> None:
    torch.manual_seed(1)
    pair = models.pairs(2)
    ours = cast("Sequences", models.caption(models.captioner(joints=False), pair)())
    theirs = cast("Tensor", models.caption_as_released(pair)())
    assert theirs.shape == (2, models.WORDS)
    assert torch.equal(ours.words[:, 0], theirs)


def test_the_released_way_learns_from_the_logits_of_the_captioner_without_joints() -> None:
    torch.manual_seed(1)
    pair, model = models.pairs(2), models.captioner(joints=False)
    before = torch.randint(4, models.VOCABULARY, (2, 5))
    with torch.no_grad():
        torch.testing.assert_close(models.Released(model).learn(pair, before), model(pair, before, "en"))


def test_the_released_way_scores_as_the_retriever_without_joints() -> None:
    torch.manual_seed(1)
    batch = retrieval.questions(1)
    model = Retriever(RetrieverConfig({"en": retrieval.VOCABULARY}, joints=False)).eval()
    with torch.no_grad():
        torch.testing.assert_close(retrieval.released(model)(batch), model(batch), atol=1e-4, rtol=1e-4)
