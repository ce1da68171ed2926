from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from demo.serving.uploads.json_limits import MAX_DEPTH, MAX_VALUES, fault

JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, some.booleans())
def test_whatever_is_written_of_whole_characters_may_be_parsed(value: object, escaped: bool) -> None:  # noqa: FBT001
    assert fault(json.dumps(value, ensure_ascii=escaped).encode()) is None


@given(some.text(some.characters(categories=["Cs", "L"]), max_size=8))
def test_half_a_character_is_found_exactly_where_the_parser_makes_one(text: str) -> None:
    data = json.dumps([text, "\\ud800"]).encode()
    parsed = json.loads(data)[0]

    assert (fault(data) is not None) == any("\ud800" <= sign <= "\udfff" for sign in parsed)


@pytest.mark.parametrize(
    ("data", "good"),
    [
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, True),
        (b"[" * (MAX_DEPTH + 1), False),
        (b'"' + b"[{," * MAX_VALUES + b'"', True),
        (b"[" + b"0," * (MAX_VALUES - 1) + b"0]", True),
        (b"[" + b"0," * MAX_VALUES + b"0]", False),
        (b"[" + b"[]," * MAX_VALUES, False),
        (b'"' + b"x" * 900_000, True),  # what is no JSON at all, the parser finds out
        (b'"\xed\xa0\x80"', False),
        ('"x"'.encode("utf-16-le"), False),
        (b"", True),
    ],
)
def test_depth_and_number_of_values_are_bounded_outside_of_texts(data: bytes, good: bool) -> None:  # noqa: FBT001
    assert (fault(data) is None) == good
