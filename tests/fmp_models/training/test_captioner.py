from __future__ import annotations

import numpy as np
import pytest

from fmp_models.languages.vocabulary import Vocabulary
from fmp_models.training.captioner import ClauseReward

REFERENCES = {
    "en": (
        ["Raise your left arm and bend your right knee.", "Lift your left arm."],
        ["Keep both arms where they are."],
    ),
    "hi": (
        ["अपनी बाईं बांह को ऊपर उठाएं और अपने दाहिने घुटने को मोड़ें।", "अपनी बाईं बांह को ऊपर उठाएं।"],
        ["अपनी दोनों बांहों को वैसे ही रखें।"],
    ),
}
SAID = {
    "en": {
        "all": "Bend your right knee, and lift your left arm.",
        "half": "Raise your left arm.",
        "wrong": "Lean forward.",
        "opposite": "Lower your left arm.",
        "still": "Keep both arms where they are.",
        "nothing": "and your.",
    },
    "hi": {
        "all": "अपने दाहिने घुटने को मोड़ें और अपनी बाईं बांह को ऊपर उठाएं।",
        "half": "अपनी बाईं बांह को ऊपर उठाएं।",
        "wrong": "आगे झुकें।",
        "opposite": "अपनी बाईं बांह को नीचे करें।",
        "still": "अपनी दोनों बांहों को वैसे ही रखें।",
        "nothing": "और अपने।",
    },
}


@pytest.fixture(params=["en", "hi"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def rewards(language: str, pair: int, *names: str) -> list[float]:
    texts = [SAID[language][name] for name in names]
    vocabulary = Vocabulary.of([*texts, *(text for each in REFERENCES[language] for text in each)], language, 1)
    reward = ClauseReward(
        [[tuple(vocabulary.encode(text)) for text in each] for each in REFERENCES[language]], vocabulary
    )
    scores = reward.scores([vocabulary.encode(text) for text in texts], [pair] * len(texts))
    assert isinstance(scores, np.ndarray)
    return scores.tolist()


def test_a_text_of_all_that_moves_is_worth_one_and_of_half_of_it_less(language: str) -> None:
    assert rewards(language, 0, "all", "half") == pytest.approx([1, 2 / 3])


def test_what_does_not_move_is_worth_nothing_and_the_opposite_less_than_nothing(language: str) -> None:
    assert rewards(language, 0, "wrong", "opposite", "nothing") == [0, -1, 0]


def test_who_says_that_nothing_moves_is_right_where_nothing_does(language: str) -> None:
    assert rewards(language, 1, "still", "nothing", "half") == [1, 1, 0]
