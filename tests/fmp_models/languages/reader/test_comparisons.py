"""A limb that is said to be further some way than another one is at fault: the way back is asked for."""

import pytest

from fmp_models.geometry.clauses import Clause
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reader.reader import read_plan


def in_short(clause: Clause) -> str:
    return ", ".join([clause.side.value, clause.part.value, clause.direction.value, *clause.relations])


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Your left arm is higher than your right.", "left, arm, down"),
        ("en", "Your right shoulder is slightly lower than the left one.", "right, shoulder, up"),
        ("en", "Your left foot is further forward than your right foot.", "left, foot, backward"),
        ("en", "Your right knee is more bent than your left.", "right, knee, straighten"),
        ("en", "Your elbows are lower than your shoulders.", "both, arm, up"),
        ("en", "Your left arm should be higher than your right.", "left, arm, up"),
        ("en", "Raise your left arm so that it is higher than your right.", "left, arm, up; left, arm, up"),
        ("en", "Your right hand should be as high as the left.", "right, hand, up"),
        ("hi", "बायां कंधा दाएं से ऊंचा है।", "left, shoulder, down"),
        ("hi", "आपका दायां हाथ बाएं हाथ से नीचे है।", "right, hand, up"),
        ("hi", "बायां घुटना दूसरे से ज़्यादा मुड़ा हुआ है।", "left, knee, straighten"),
        ("hi", "बायां हाथ दाएं से ऊपर होना चाहिए।", "left, hand, up"),
        ("hi", "बायां हाथ उठाओ ताकि वह दाएं से ऊंचा हो।", "left, hand, up"),
    ],
)
def test_what_is_further_than_the_other_goes_back(code: str, text: str, expected: str) -> None:
    assert "; ".join(map(in_short, read_plan(text, grammar(code)))) == expected
