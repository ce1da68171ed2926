"""The start from an earlier model: its words stay what they were, and new ones begin as the unknown word."""

from __future__ import annotations

from dataclasses import replace

import torch

from fmp_models.hub.models import load_retriever
from fmp_models.languages.vocabulary import UNK
from fmp_models.networks.retriever import PoseSpace
from fmp_models.training.preparation import grown, load_weights

SPACE = "retriever-space"


def test_new_words_stand_behind_the_old_ones_and_begin_as_the_unknown_word() -> None:
    bundled = load_retriever(SPACE)
    texts = {
        "en": [("raise your flibber",), ("your flibber and your gumbo",)],
        "hi": [("हाथ कमर पर रखिए",), ("पैर पास रखिए",)],
    }
    words = grown(bundled.vocabularies, texts, 2)

    assert words["en"].words == (*bundled.vocabularies["en"].words, "flibber")
    assert "रखिए" not in bundled.vocabularies["hi"].words
    assert words["hi"] == bundled.vocabularies["hi"], "a polite form means a word that is known"

    network = bundled.network.network
    model = replace(bundled.network.network.config, vocabulary_sizes={code: len(one) for code, one in words.items()})
    space = torch.nn.ModuleDict({"network": PoseSpace(model)})
    load_weights(space, SPACE, new_words=True)

    old, new = (one.get_parameter("texts.en.embedding.weight") for one in (network, space["network"]))
    assert torch.equal(new[:-1], old)
    assert torch.equal(new[-1], old[UNK])
