from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from annotate.kinds.task_kind import CampaignText, Item, Question, QuestionView
from annotate.tasks.policy import GOLD_EVERY, Standing, TaskScope, gold_is_due, golds_ahead, in_order, open_to
from tests.annotate.asking import KEY, MODELS, SENTENCES

TEXTS = tuple(
    CampaignText(id=model, language="en", source=model, text=words, kinds=("vote",))
    for model, words in zip(MODELS, SENTENCES, strict=True)
)
ASKED = TaskScope("ann", "vote", "en")
PEOPLE = ("ann", "ben", "cem", "dee", "eva")


def question(number: int, voices: int = 3, author: str = "") -> Question:
    item = Item(uid=str(number), current="a.jpg", target="b.jpg", texts=TEXTS)
    return Question("vote", item, "en", voices, TEXTS, author=author)


QUESTIONS = [question(number) for number in range(6)]


def standing(
    taken: set[tuple[tuple[str, str], str]], person: str, passed: frozenset[tuple[str, str]] = frozenset()
) -> Standing:
    """Return the known answers after these people claimed these places, and this person asks."""
    mine = frozenset(place for place, annotator in taken if annotator == person)
    return Standing(Counter(place for place, _ in taken), mine, passed)


takings = st.sets(st.tuples(st.sampled_from([one.place for one in QUESTIONS]), st.sampled_from(PEOPLE)))


@given(takings, st.sets(st.sampled_from([one.place for one in QUESTIONS])), st.sampled_from(PEOPLE))
def test_who_is_asked_has_not_been_asked_before_and_fewest_voices_come_first(
    taken: set[tuple[tuple[str, str], str]], passed: set[tuple[str, str]], person: str
) -> None:
    order = list(in_order(TaskScope(person, "vote", "en"), QUESTIONS, standing(taken, person, frozenset(passed)), KEY))

    voices = Counter(place for place, _ in taken)
    assert [voices[one.place] for one in order] == sorted(voices[one.place] for one in order)
    assert {one.place for one in order} == {
        one.place
        for one in QUESTIONS
        if voices[one.place] < 3 and (one.place, person) not in taken and one.place not in passed
    }


@given(st.lists(st.sampled_from(PEOPLE), min_size=60, max_size=60))
def test_every_question_gets_its_answers_from_different_people_in_any_order(turns: list[str]) -> None:
    taken: set[tuple[tuple[str, str], str]] = set()
    for person in [*turns, *(person for person in PEOPLE for _ in QUESTIONS)]:
        first = next(in_order(TaskScope(person, "vote", "en"), QUESTIONS, standing(taken, person), KEY), None)
        if first is not None:
            taken.add((first.place, person))

    assert Counter(place for place, _ in taken) == {one.place: 3 for one in QUESTIONS}


def test_people_who_begin_together_do_not_all_meet_at_one_question() -> None:
    firsts = {
        next(in_order(TaskScope(str(name), "vote", "en"), QUESTIONS, Standing(), KEY)).place for name in range(30)
    }

    assert len(firsts) == len(QUESTIONS)


def test_nobody_is_asked_about_a_text_of_their_own() -> None:
    assert open_to(ASKED, [question(0, author="ann")], Standing()) == []
    assert open_to(ASKED, [question(0, author="ben")], Standing()) != []


def test_what_a_person_knows_the_answer_of_is_not_asked() -> None:
    assert open_to(ASKED, QUESTIONS, Standing(known=frozenset({QUESTIONS[0].place}))) == QUESTIONS[1:]


def test_each_model_stands_in_each_place_equally_often() -> None:
    people = 1500
    places = Counter(
        (texts[0].id, place)
        for number in range(people)
        for place, texts in enumerate(QuestionView(QUESTIONS[0], f"person{number}", KEY).texts)
    )

    # Four standard deviations of a binomial with a chance of one in three.
    assert len(places) == 9
    assert all(abs(count - people / 3) < 4 * (people * 2 / 9) ** 0.5 for count in places.values())


def test_every_order_of_texts_is_as_frequent_over_the_items_of_one_person() -> None:
    orders = Counter(
        tuple(texts[0].id for texts in QuestionView(question(number), "ann", KEY).texts) for number in range(1200)
    )

    assert len(orders) == 6
    assert all(abs(count - 200) < 4 * (1200 * 5 / 36) ** 0.5 for count in orders.values())


def test_an_order_is_the_same_again_and_another_with_another_key() -> None:
    orders = [
        [texts[0].id for number in range(20) for texts in QuestionView(question(number), "ann", key).texts]
        for key in (KEY, KEY, bytes(32))
    ]

    assert orders[0] == orders[1] != orders[2]


@given(st.text(alphabet="abcdef", min_size=1, max_size=4))
def test_one_of_each_ten_questions_is_a_gold_one(name: str) -> None:
    due = [gold_is_due(TaskScope(name, "vote", "en"), number, KEY) for number in range(50)]

    assert [sum(due[start : start + GOLD_EVERY]) for start in range(0, 50, GOLD_EVERY)] == [1] * 5


def test_where_the_gold_ones_stand_differs_between_people_and_blocks() -> None:
    places = [
        tuple(number for number in range(40) if gold_is_due(TaskScope(str(name), "vote", "en"), number, KEY))
        for name in range(20)
    ]

    assert len(set(places)) == 20
    assert any(len({number % GOLD_EVERY for number in one}) > 1 for one in places)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 8))
def test_gold_items_ahead_are_those_that_will_come(number: int, questions: int, golds: int) -> None:
    come = 0
    position, left = number, questions
    while left:
        if come < golds and gold_is_due(ASKED, position, KEY):
            come += 1
        else:
            left -= 1
        position += 1

    assert golds_ahead(ASKED, number, questions, golds, KEY) == come
    assert come <= golds
