"""Everyday wording in both languages, and the clauses that the reader parses from it.

The tables in wordings/ have a file a language, to which translators add lines: the text (Hindi in Latin letters too),
its clauses, each as side, part, direction and end states, and what the line is about. A text that asks for nothing
measurable has no clause.
"""

import pytest

from fmp_models.geometry.lexicon import Direction, Part, Side
from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_plan
from fmp_models.languages.scripts import transliterated
from tests.fmp_models.languages.tables import table_lines


@pytest.mark.parametrize(("code", "text", "clauses"), table_lines("wordings", "text", "clauses"))
def test_everyday_wording_is_parsed_as_meant(code: str, text: str, clauses: str) -> None:
    written = (transliterated(text) if code == "hi" else None) or (code, text)
    plan = read_plan(written[1], grammar(code))
    parsed = [", ".join([one.side.value, one.part.value, one.direction.value, *one.relations]) for one in plan]
    assert "; ".join(parsed) == clauses


@pytest.mark.parametrize(
    ("code", "text", "meant"),
    [
        ("en", "Bring both arms down from above your head.", "Lower both arms."),
        ("en", "Lower your arms from shoulder height.", "Lower both arms."),
        ("en", "Bring your left hand forward from behind your head.", "Bring your left hand forward."),
        ("hi", "दोनों बांहों को सिर के ऊपर से नीचे लाएं।", "दोनों बांहों को नीचे लाएं।"),
        ("hi", "दोनों बांहों को कंधे के बराबर से नीचे लाएं।", "दोनों बांहों को नीचे लाएं।"),
    ],
)
def test_where_a_limb_comes_from_is_no_end(code: str, text: str, meant: str) -> None:
    assert read_plan(text, grammar(code)) == read_plan(meant, grammar(code))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Raise your left hand.", "Raise your left hand. Lower your right arm and bend it."),
        ("Bend the elbow.", "Raise your right arm. Bend the elbow."),
    ],
)
def test_a_pronoun_or_a_bare_part_means_what_was_named_before(text: str, meant: str) -> None:
    alone, told = (read_plan(one, grammar("en")) for one in (text, meant))
    assert told != alone
    assert all(clause.side is not Side.NONE for clause in told)


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("Turn your body to face the door.", Direction.TURN),
        ("Turn your body left to face the door.", Direction.TURN_LEFT),
    ],
)
def test_a_turn_towards_a_thing_has_its_way_only_where_it_is_told(text: str, way: Direction) -> None:
    assert [(one.part, one.direction) for one in read_plan(text, grammar("en"))] == [(Part.BODY, way)]
