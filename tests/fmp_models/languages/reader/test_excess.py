"""What is too much, or must not be so: the reverse of it is meant, in every language."""

import pytest

from tests.clauses_in_short import as_read


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Your knees are too straight.", "both, knee, bend"),
        ("en", "Knees too bent.", "both, knee, straighten"),
        ("en", "Your left foot is too far to the left.", "left, foot, in"),
        ("en", "Bring your left arm forward, but not too far.", "left, arm, forward"),
        ("en", "Raise your right arm, not too high.", "right, arm, up"),
        ("en", "Not so far forward with your left foot.", "left, foot, backward"),
        ("en", "Don't lean too far forward.", ""),
        ("en", "Bend your right knee too and raise your left arm.", "right, knee, bend; left, arm, up"),
        ("hi", "घुटने बहुत मुड़े हुए हैं।", "both, knee, straighten"),
        ("hi", "घुटने बहुत सीधे हैं।", "both, knee, bend"),
        ("hi", "आपके पैर बहुत दूर-दूर हैं।", "both, foot, together"),
        ("hi", "दायां हाथ ज़रूरत से ज़्यादा ऊपर है।", "right, hand, down"),
        ("hi", "दायां हाथ बहुत ऊपर उठाना है।", "right, hand, up"),
        ("hi", "दायां हाथ बहुत ऊपर उठाओ।", "right, hand, up"),
    ],
)
def test_of_what_is_too_much_the_reverse_is_meant(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected
