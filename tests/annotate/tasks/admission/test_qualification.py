from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from annotate.errors import RefusedError
from annotate.records.kinds import Qualification
from tests.annotate.asking import Asked, campaign_json, collect, colour, item


def question(name: str, right: int, language: str = "en") -> dict[str, Any]:
    return {
        "id": name,
        "language": language,
        "text": f"Which is {name}?",
        "choices": ["This.", "That.", "Neither."],
        "right": right,
        "why": f"Because of {name}.",
        "current": colour(0, 0),
    }


QUESTIONS = [question(name, right) for name, right in (("left", 1), ("right", 0), ("up", 2))]
TEST = {
    "kinds": ["write", "verify"],
    "pass_mark": 2,
    "tries": 2,
    "questions": [*QUESTIONS, question("left", 1, "hi"), question("up", 0, "hi")],
}


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    made = collect(tmp_path, campaign_json([item(0), item(1)], qualification=TEST))
    yield made
    made.store.close()


def test_a_test_comes_before_some_kinds_alone(asked: Asked) -> None:
    person = asked.person("ann")
    with pytest.raises(RefusedError) as refusal:
        asked.collection.next_task(person, "write", "en")
    assert refusal.value.code == "not_qualified"

    assert asked.collection.next_task(person, "vote", "en") is not None
    assert asked.collection.test(person, "vote", "en") is None


def test_a_test_shows_questions_and_no_answers(asked: Asked) -> None:
    test = asked.collection.test(asked.person("ann"), "write", "en")

    assert test is not None
    assert (test.pass_mark, test.tries_left) == (2, 2)
    assert [question.id for question in test.questions] == ["left", "right", "up"]
    assert test.questions[0].current is not None
    assert test.questions[0].current.startswith(b"\xff\xd8\xff")
    assert "Because" not in repr(asdict(test))
    assert set(asdict(test.questions[0])) == {"id", "text", "choices", "current", "target"}


def test_whoever_passes_is_asked_and_told_what_was_wrong(asked: Asked) -> None:
    person = asked.person("ann")

    result = asked.collection.take_test(person, "en", {"left": 1, "right": 0, "up": 0})

    assert (result.passed, result.right, result.total) == (True, 2, 3)
    assert result.explanations == ("Because of up.",)
    assert asked.collection.test(person, "verify", "en") is None
    assert asked.collection.next_task(person, "write", "en") is not None
    (event,) = asked.store.live(kind="qualification")
    assert event.payload == Qualification(("left=1", "right=0", "up=0"), passed=True)


def test_each_language_has_its_own_test(asked: Asked) -> None:
    person = asked.person("ann")
    asked.collection.take_test(person, "en", {"left": 1, "right": 0, "up": 2})

    assert asked.collection.test(person, "write", "hi") is not None
    assert asked.collection.take_test(person, "hi", {"left": 1, "up": 0}).passed


def test_tries_come_to_an_end(asked: Asked) -> None:
    person, wrong = asked.person("ann"), {"left": 0, "right": 1, "up": 0}

    assert [asked.collection.take_test(person, "en", wrong).tries_left for _ in range(2)] == [1, 0]

    test = asked.collection.test(person, "write", "en")
    assert test is not None
    assert test.tries_left == 0
    with pytest.raises(RefusedError) as refusal:
        asked.collection.take_test(person, "en", {"left": 1, "right": 0, "up": 2})
    assert refusal.value.code == "no_tries_left"
    assert len(asked.store.events(kind="qualification")) == 2
    assert asked.collection.take_test(asked.person("ben"), "en", {"left": 1, "right": 0, "up": 2}).passed


def test_a_second_try_counts(asked: Asked) -> None:
    person = asked.person("ann")
    asked.collection.take_test(person, "en", {"left": 0, "right": 1, "up": 0})

    assert asked.collection.take_test(person, "en", {"left": 1, "right": 0, "up": 2}).passed
    assert len(asked.store.live(kind="qualification")) == 1
    with pytest.raises(RefusedError):
        asked.collection.take_test(person, "en", {"left": 1, "right": 0, "up": 2})


def test_an_attempt_sent_again_is_one_try_and_gets_the_same_result(asked: Asked) -> None:
    person, attempts = asked.person("ann"), ["1" * 32, "2" * 32]
    wrong, right = {"left": 0, "right": 1, "up": 0}, {"left": 1, "right": 0, "up": 0}

    failed = asked.collection.take_test(person, "en", wrong, attempts[0])
    assert asked.collection.take_test(person, "en", wrong, attempts[0]) == failed
    passed = asked.collection.take_test(person, "en", right, attempts[1])
    assert asked.collection.take_test(person, "en", right, attempts[1]) == passed
    assert asked.collection.take_test(person, "en", right, attempts[0]) == failed

    assert (failed.passed, failed.tries_left) == (False, 1)
    assert (passed.passed, passed.tries_left, passed.explanations) == (True, 0, ("Because of up.",))
    assert len(asked.store.events(kind="qualification")) == 2


def test_no_page_chooses_the_id_of_a_record(asked: Asked) -> None:
    chosen, answers = "a" * 32, {"left": 1, "right": 0, "up": 2}
    for name in ("ann", "ben"):
        assert asked.collection.take_test(asked.person(name), "en", answers, chosen).passed
        assert asked.collection.tested(asked.person(name), "en", chosen) is not None

    kept = asked.store.events(kind="qualification")
    assert len({event.id for event in kept} - {chosen}) == 2
    assert asked.collection.tested(asked.person("carl"), "en", chosen) is None


@pytest.mark.parametrize(
    "choices",
    [
        {},
        None,
        {"left": 1, "right": 0},
        {"left": 1, "right": 0, "up": 3},
        {"left": 1, "right": 0, "up": -1},
        {"left": 1, "right": 0, "up": True},
        {"left": 1, "right": 0, "up": "2"},
        {"left": 1, "right": 0, "up": 2, "more": 0},
    ],
)
def test_answers_that_cannot_be_cost_no_try(asked: Asked, choices: object) -> None:
    with pytest.raises(RefusedError) as refusal:
        asked.collection.take_test(asked.person("ann"), "en", choices)

    assert refusal.value.code == "answer_malformed"
    assert asked.store.events() == []


def test_a_language_without_questions_has_no_test_to_take(asked: Asked) -> None:
    with pytest.raises(RefusedError):
        asked.collection.take_test(asked.person("ann"), "fr", {})
