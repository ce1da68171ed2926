from __future__ import annotations

import numpy as np
import pytest

from annotate.analysis.frames import frames
from annotate.analysis.target_accuracy import accuracies
from tests.annotate.votes import campaign, choice


def test_accuracy_of_each_mode_stands_beside_the_papers() -> None:
    answers = [
        *(choice(f"p{n % 4}", f"item{n}", 0 if n else 3) for n in range(25)),
        *(choice(f"p{n % 4}", f"item{n}", 0 if n < 10 else 5, "language") for n in range(25)),
        *(choice(f"p{n % 4}", f"item{n}", 0 if n < 5 else 5, "picture") for n in range(25)),
        choice("p0", "item0", 0, language="hi"),
    ]
    own_campaign = campaign(items=25)
    table = accuracies(frames(answers, own_campaign).choices, own_campaign.languages)
    assert table[["language", "mode", "value"]].to_numpy().tolist() == [
        ["en", "everything", 0.96],
        ["en", "language", 0.4],
        ["en", "picture", 0.2],
        ["hi", "everything", 1],
    ]
    assert table["paper"].tolist() == [0.96, 0.38, 0.22, 0.96]
    assert table[["choices", "annotators"]].to_numpy().tolist() == [[25, 4], [25, 4], [25, 4], [1, 1]]
    first, *_, last = table.itertuples()
    assert first.low <= 0.96 <= first.high
    assert np.isnan(last.low)
    assert first.chance == pytest.approx(0.1)


def test_nothing_is_said_of_modes_and_languages_in_which_nobody_chose() -> None:
    own_campaign = campaign()
    assert accuracies(frames([], own_campaign).choices, own_campaign.languages).empty
    answers = frames([choice("p", "item0", 3, language="fr")], own_campaign).choices
    assert accuracies(answers, own_campaign.languages).empty
