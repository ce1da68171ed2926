"""A text is freed of what contradicts the rest, of an unfinished end and of an all-clear, in every language."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fmp_models.describe.descriptions import describe_in_scene
from fmp_models.geometry.lexicon import Plan
from fmp_models.geometry.verdicts import contradictions, without_contradictions
from fmp_models.languages.drafts import Draft, in_order, mend_text
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import ReadClause, read_plan
from fmp_models.languages.realiser import as_sentence, compose_text, realise
from tests.bodies import random_pairs
from tests.plans import keeps, mirror_plan, plans, seeds
from tests.thoroughness import some

EN, HI = grammar("en"), grammar("hi")


def text_of(plan: Plan, code: str, seed: int | None) -> str:
    return compose_text(realise(plan, grammar(code), seed), grammar(code), seed)


def later(clause: ReadClause) -> float:
    """Return a weight that is largest for the last clause."""
    return clause.start


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Raise your left arm. Lower your left arm.", "Raise your left arm.", "Lower your left arm."),
        (
            "Raise your left arm, and bend your right knee, then lower your left arm a bit.",
            "Raise your left arm. Bend your right knee.",
            "Bend your right knee. Lower your left arm slightly.",
        ),
        (
            "Keep your arms as they are. Then bend your left elbow, and lean your trunk forward. Raise one leg.",
            "Keep your arms as they are. Lean your upper body forward. Raise one leg.",
            "Bend your left elbow, and lean your trunk forward. Raise one leg.",
        ),
        (
            "Raise your left hand. Make sure that your left hand is above your head. Lower your left hand to the hip!",
            "Raise your left hand. Make sure that your left hand is above your head.",
            "Lower your left hand to the hip!",
        ),
        (  # which elbow is meant cannot be said in a plan's words, so that the sentence goes
            "Straighten your arms. Bend your left arm and turn the hand.",
            "Straighten your arms.",
            "Bend your left arm and turn the hand.",
        ),
    ],
)
def test_of_an_english_contradiction_the_better_stays(text: str, first: str, last: str) -> None:
    assert mend_text(text, EN) == first
    assert mend_text(text, EN, later) == last


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        (
            "अपनी बाईं बांह को ऊपर उठाएं। अपनी बाईं बांह को नीचे लाएं।",
            "अपनी बाईं बांह को ऊपर उठाएं।",
            "अपनी बाईं बांह को नीचे लाएं।",
        ),
        (
            "अपने दोनों घुटनों को मोड़ें और अपने सिर को बाईं ओर झुकाएं, फिर अपने दाहिने घुटने को पूरी तरह सीधा करें।",
            "अपने दोनों घुटनों को मोड़ें। अपने सिर को बाईं ओर झुकाएं।",
            "अपने सिर को बाईं ओर झुकाएं। अपने दाहिने घुटने को पूरी तरह सीधा करें।",
        ),
        (
            "अपनी बांहों को वैसे ही रखें। अपने बाएं हाथ को सिर के पास तक ऊपर उठाएं।",
            "अपनी बांहों को वैसे ही रखें।",
            "अपने बाएं हाथ को सिर के पास तक ऊपर उठाएं।",
        ),
    ],
)
def test_of_a_hindi_contradiction_the_better_stays(text: str, first: str, last: str) -> None:
    assert mend_text(text, HI) == first
    assert mend_text(text, HI, later) == last


@pytest.mark.parametrize(
    "text",
    [
        "Raise your left arm. Lower your right arm. Well done.",
        "Raise your left arm! Lower your left hand; bend the knee by 0.5 of what you can.",
        "raise your left arm",
        "",
    ],
)
def test_what_does_not_contradict_itself_stays_word_for_word(text: str) -> None:
    assert mend_text(text, EN) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Raise your left arm. Lower your right", "Raise your left arm."),
        ("Raise your left arm. Well", "Raise your left arm."),
        ("Lower your left arm. Raise your left arm and", "Lower your left arm."),
        ("Raise your left arm.", "Raise your left arm."),
        ("   ", ""),
    ],
)
def test_an_unfinished_end_goes(text: str, left: str) -> None:
    assert mend_text(text, EN, later, cut=True) == mend_text(text, EN, later) == left


def test_a_text_that_was_cut_off_in_its_only_sentence_goes() -> None:
    assert mend_text("Raise your left arm and lower", EN, later, cut=True) == ""


def test_an_unfinished_end_decides_nothing() -> None:
    assert mend_text("बाईं बांह को ऊपर उठाएं। बाईं बांह को नीचे लाएं और", HI, later) == "बाईं बांह को ऊपर उठाएं।"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        *((code, one) for code in LANGUAGES for one in grammar(code).scene.leads["ending"]),
        *((code, grammar(code).unchanged[: -len(grammar(code).stop)]) for code in LANGUAGES),
        ("en", "there is nothing more to do"),
        ("en", "everything else stays the same"),
        ("hi", "कुछ और बदलने की ज़रूरत नहीं है"),
        ("hi", "बाक़ी सब वैसा ही रखें"),
    ],
)
def test_an_all_clear_goes_unless_it_is_known_to_be_true(code: str, said: str) -> None:
    words = grammar(code)
    step = text_of(read_plan("Raise your left arm.", EN), code, None)
    text = f"{step} {as_sentence(said, words)}"

    assert mend_text(text, words) == step
    assert mend_text(text, words, complete=True) == text
    assert mend_text(as_sentence(said, words), words) == ""


def test_the_steps_of_a_sentence_with_an_all_clear_stay() -> None:
    assert mend_text("Raise your left arm, and there is nothing else to change.", EN) == "Raise your left arm."


@pytest.mark.parametrize("code", LANGUAGES)
@given(plan=st.lists(keeps, min_size=1, max_size=3, unique=True).map(tuple), seed=seeds)
def test_keeping_parts_is_no_all_clear(code: str, plan: Plan, seed: int | None) -> None:
    text = text_of(plan, code, seed)
    assert mend_text(text, grammar(code)) == text


@pytest.mark.parametrize("code", LANGUAGES)
@given(plan=plans, seed=seeds, data=st.data())
def test_what_is_left_of_any_plan_is_what_does_not_contradict_itself(
    code: str, plan: Plan, seed: int | None, data: st.DataObject
) -> None:
    words, text = grammar(code), text_of(plan, code, seed)
    said = read_plan(text, words)
    assume({*plan} <= {*said})  # of two degrees of one movement a text may tell the second with the first
    worth = {clause: data.draw(st.integers(0, 3)) for clause in said}

    left = mend_text(text, words, lambda entry: worth[entry.goal])

    assert contradictions(read_plan(left, words)) == ()
    best = without_contradictions(plan, worth.__getitem__)
    assert Counter(clause.part_name for clause in read_plan(left, words)) == Counter(one.part_name for one in best)
    assert {(one.part_name, one.direction, one.relations) for one in read_plan(left, words)} == {
        (one.part_name, one.direction, one.relations) for one in best
    }
    assert mend_text(left, words, lambda entry: worth.get(entry.goal, 0)) == left
    assert left == text or best != plan


@pytest.mark.parametrize("code", LANGUAGES)
@given(plan=plans, seed=seeds)
def test_a_mirror_changes_nothing_but_the_sides(code: str, plan: Plan, seed: int | None) -> None:
    words = grammar(code)
    left, mirrored = (read_plan(mend_text(text_of(one, code, seed), words), words) for one in (plan, mirror_plan(plan)))
    assert mirrored == mirror_plan(left)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("number", some(range(20), 6))
def test_a_training_text_with_all_its_elaborations_stays_word_for_word(code: str, number: int) -> None:
    told = describe_in_scene(random_pairs(20, 11, 0.05)[number], (), number)[code]
    assert mend_text(told.text, grammar(code), complete=True) == told.text


@pytest.mark.parametrize("code", LANGUAGES)
@given(plan=plans, seed=seeds, share=st.floats(0, 1))
def test_a_text_cut_anywhere_ends_with_a_whole_sentence_of_it(
    code: str, plan: Plan, seed: int | None, share: float
) -> None:
    words, text = grammar(code), text_of(without_contradictions(plan, lambda _: 0.0), code, seed)
    cut = text[: round(len(text) * share)]

    left = mend_text(cut, words, cut=True)

    assert cut.startswith(left)
    assert not left or left.endswith(words.stop)
    assert words.stop not in cut[len(left) :].rstrip()


@pytest.mark.parametrize(
    ("code", "text", "left"),
    [
        (
            "en",
            "Bring your torso back in the direction of the window until you are upright.",
            "Bring your torso back until you are upright.",
        ),
        (
            "en",
            "Your torso should lean a bit back, bringing your chest over your left thigh.",
            "Your torso should lean a bit back.",
        ),
        (
            "en",
            "Drop your right arm slightly, then bend your left knee.",
            "Drop your right arm slightly, then bend your left knee.",
        ),
        ("en", "Make sure that you breathe. Raise your left arm.", "Make sure that you breathe. Raise your left arm."),
        (
            "hi",
            "अपने दाहिने घुटने को लगभग 90 डिग्री तक मोड़कर रखें ताकि आपका संतुलन बाएं पैर पर हो।",
            "अपने दाहिने घुटने को लगभग 90 डिग्री तक मोड़कर रखें।",
        ),
        ("hi", "अपने दाहिने हाथ को थोड़ा आगे आईने से दूर लाएं।", "अपने दाहिने हाथ को थोड़ा आगे लाएं।"),
        ("hi", "अपना सिर झुकाएं।", "अपना सिर झुकाएं।"),
    ],
)
def test_a_bare_text_speaks_of_no_scene(code: str, text: str, left: str) -> None:
    draft = Draft(text, grammar(code))

    assert draft.text(range(len(draft.clauses)), complete=False, bare=True) == left
    assert draft.text(range(len(draft.clauses)), complete=False) == text


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("number", range(12))
def test_a_bare_text_says_the_same_steps(code: str, number: int) -> None:
    (pair,) = random_pairs(1, seed=number)
    text = describe_in_scene(pair, (), number)[code].text
    draft = Draft(text, grammar(code))

    bare = draft.text(range(len(draft.clauses)), complete=False, bare=True)

    assert set(read_plan(bare, grammar(code))) == set(draft.plan)


SENTENCES = {
    "en": ["Raise your left arm.", "Bend your right knee.", "Lower your head.", "Lean forward."],
    "hi": ["अपनी बाईं बांह उठाएं।", "अपने दाहिने घुटने को मोड़ें।", "अपना सिर झुकाएं।", "आगे झुकें।"],
}


@pytest.mark.parametrize(
    ("code", "said", "left"),
    [
        ("en", ["Then raise your arm.", "Lower it."], ["Raise your arm.", "Lower it."]),
        ("en", ["First, raise your arm."], ["Raise your arm."]),
        ("en", ["First, raise your arm.", "Then lower it."], ["First, raise your arm.", "Then lower it."]),
        ("en", ["Bend.", "Finally, raise it.", "First, lower it."], ["Bend.", "Raise it.", "Lower it."]),
        ("en", ["Bend.", "Finally, raise it."], ["Bend.", "Finally, raise it."]),
        ("hi", ["इसके बाद हाथ उठाएं।", "सबसे पहले सिर झुकाएं।"], ["हाथ उठाएं।", "सिर झुकाएं।"]),
        ("hi", ["पहले की तरह सिर झुकाएं।"], ["पहले की तरह सिर झुकाएं।"]),
        ("hi", ["अब आप हाथ उठाएं।"], ["हाथ उठाएं।"]),
    ],
)
def test_a_lead_stays_only_where_it_belongs(code: str, said: list[str], left: list[str]) -> None:
    assert list(in_order(said, grammar(code))) == left


def test_what_more_follows_is_no_end_and_the_first_of_it_still_begins() -> None:
    words = grammar("en")
    assert list(in_order(["First, bend.", "Finally, rise."], words, ends=False)) == ["First, bend.", "Rise."]
    assert list(in_order(["First, bend."], words, ends=False)) == ["First, bend."]


@given(st.sampled_from(LANGUAGES), st.data())
def test_clauses_are_read_as_before_and_nothing_is_left_to_change(code: str, data: st.DataObject) -> None:
    words = grammar(code)
    leads = [lead for kind in ("first", "next", "last") for lead in words.scene.leads[kind]]
    plain = data.draw(st.lists(st.sampled_from(SENTENCES[code]), min_size=1, max_size=4, unique=True))
    said = [
        lead[:1].upper() + lead[1:] + text[:1].lower() + text[1:] if lead else text
        for text in plain
        for lead in [data.draw(st.sampled_from(leads))]
    ]
    left = list(in_order(said, words))
    assert list(in_order(left, words)) == left
    assert read_plan(" ".join(left), words) == read_plan(" ".join(plain), words)


def test_a_text_that_lost_its_beginning_does_not_go_on() -> None:
    text = "Raise your left arm. Then lower your left arm. Finally, bend your right knee."
    words = grammar("en")
    assert (
        mend_text(text, words, lambda entry: float(entry.start))
        == "Lower your left arm. Finally, bend your right knee."
    )
