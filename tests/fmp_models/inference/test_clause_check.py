from __future__ import annotations

import pytest

from fmp_models.geometry.lexicon import Clause, Side
from fmp_models.geometry.verdicts import confidence
from fmp_models.inference.clause_check import checked_clauses
from fmp_models.inference.corrector import CheckedClause
from fmp_models.pose import PosePair
from tests.bodies import Arm, Body
from tests.named_clauses import named_clause

STANDING = Body().pose()
LEFT_UP, RIGHT_UP = (Body(**{f"{side}_arm": Arm(lift=90, bend=0)}).pose() for side in ("left", "right"))
TO = {name: PosePair(STANDING, pose) for name, pose in (("left", LEFT_UP), ("right", RIGHT_UP), ("none", STANDING))}


def test_an_end_state_without_a_movement_is_an_even_chance() -> None:
    (checked,) = checked_clauses(
        "Your left arm should be at shoulder height.", "en", TO["left"], lambda one, _: confidence(one, TO["left"])
    )

    assert (checked.agrees, checked.direction, checked.confidence) == (True, "reach", 0.5)


@pytest.mark.parametrize(
    ("text", "language"),
    [("Stand well. Raise your left arm.", "en"), ("अच्छे से खड़े रहें। अपनी बाईं बांह उठाएं।", "hi")],
)
def test_each_clause_is_told_with_its_place_its_verdict_and_how_sure_it_is(text: str, language: str) -> None:
    places = []

    def sureness(clause: Clause, place: tuple[int, int]) -> float:
        places.append(place)
        return 0.12345 if clause.side is Side.LEFT else 0.0

    (checked,) = checked_clauses(text, language, TO["left"], sureness)
    (denied,) = checked_clauses(text, language, TO["right"], sureness)

    assert (checked.agrees, denied.agrees) == (True, False)
    assert checked.confidence == 0.123
    assert places == [checked.words] * 2
    assert text.split()[slice(*checked.words)] == text.split()[-4:]


def test_a_clause_is_written_with_the_names_of_its_part_and_direction() -> None:
    checked = CheckedClause("Bend your knees.", named_clause("both knees", "bend"), True, 0.5, (0, 3), "m")  # noqa: FBT003

    assert list(checked.as_json().items()) == [
        ("text", "Bend your knees."),
        ("part", "both knees"),
        ("direction", "bend"),
        ("agrees", True),
        ("confidence", 0.5),
        ("words", (0, 3)),
        ("by", "m"),
    ]
