from __future__ import annotations

import pytest

from annotate.analysis.target_accuracy import accuracies
from tests.annotate.votes import campaign, choice


def test_accuracy_of_each_mode_stands_beside_the_papers() -> None:
    given = [
        *(choice(f"p{n % 4}", f"item{n}", 0 if n else 3) for n in range(25)),
        *(choice(f"p{n % 4}", f"item{n}", 0 if n < 10 else 5, "language") for n in range(25)),
        *(choice(f"p{n % 4}", f"item{n}", 0 if n < 5 else 5, "picture") for n in range(25)),
        choice("p0", "item0", 0, language="hi"),
    ]
    found = accuracies(given, campaign(items=25))
    assert [(one.language, one.mode, one.right.value, one.paper) for one in found] == [
        ("en", "everything", 0.96, 0.96),
        ("en", "language", 0.4, 0.38),
        ("en", "picture", 0.2, 0.22),
        ("hi", "everything", 1, 0.96),
    ]
    assert [(one.choices, one.annotators) for one in found] == [(25, 4), (25, 4), (25, 4), (1, 1)]
    assert found[0].right.interval is not None
    assert found[0].right.interval[0] <= 0.96 <= found[0].right.interval[1]
    assert found[-1].right.interval is None
    assert found[0].chance == pytest.approx(0.1)


def test_gold_items_and_unknown_ones_are_left_out() -> None:
    assert accuracies([choice("p", "gold", 0), choice("p", "gone", 0)], campaign(gold=True)) == []
