"""The trained editor: texts that stay to the letter, texts that are mended, and how edited words are written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fmp_models.common.edits import text_after, text_before, word_edits
from fmp_models.data.sample import FOLDER
from fmp_models.editing.neural_editor import MAX_ROUNDS, GivenText, Slot, _through, begin, read_given, written
from fmp_models.editing.operations import replay_edits
from fmp_models.errors import BadInputError
from fmp_models.estimators import PoseEstimate
from fmp_models.geometry import Findings
from fmp_models.inference import MeasuredPhotographs
from fmp_models.languages import Vocabulary, token_spans
from fmp_models.networks.editor import Verdict, WordState
from fmp_models.pose import PosePair
from fmp_models.preprocessing import Photograph
from fmp_models.training.dataset_samples import read_dataset
from fmp_models.training.editor import Instance, made_instances
from tests.learned_editors import Learned

VOCABULARY = Vocabulary.of(["lift lower your left arm, slightly. then the other (both)"], "en", 1)


def read(text: str, language: str = "en") -> GivenText:
    spans = tuple(token_spans(text, language))
    return GivenText(text, language, spans, (Verdict.NONE,) * len(spans), ())


@given(st.text(max_size=80), st.sampled_from(["en", "hi"]))
def test_a_text_without_edits_is_written_to_the_letter(text: str, language: str) -> None:
    given_text = read(text, language)
    again, rounds = written(given_text, begin(given_text, VOCABULARY), VOCABULARY)
    assert again == text or not given_text.tokens
    assert set(rounds) <= {0}


@given(st.lists(st.sampled_from(["Lift", "your", "left", "arm,", "(both)", "Then", "\n", "LOWER", "it."])), st.data())
def test_written_words_are_those_that_stand(pieces: list[str], data: st.DataObject) -> None:
    given_text = read(" ".join(pieces))
    slots = []
    for slot in begin(given_text, VOCABULARY):
        gone = slot.place >= 0 and data.draw(st.booleans())
        slots.append(slot._replace(state=WordState.DELETED, round=1) if gone else slot)
        number = data.draw(st.integers(0, len(VOCABULARY) - 1))
        if number >= 4 and VOCABULARY.words[number].isalpha():
            slots.append(Slot(number, WordState.ADDED, round=data.draw(st.integers(1, MAX_ROUNDS))))
    rounds = data.draw(st.integers(0, MAX_ROUNDS))
    text, changed = written(given_text, slots, VOCABULARY, rounds)
    shown = [
        given_text.tokens[slot.place][0] if slot.place >= 0 else VOCABULARY.words[slot.word]
        for slot in slots
        if slot.stands(rounds)
    ]
    wanted = [token for before, token in zip(["", *shown], shown, strict=False) if (before, token) != (".", ".")]
    assert [token for token, *_ in token_spans(text, "en")] == wanted
    assert len(changed) == len(text.split())


def test_capitals_and_marks_follow_the_sentence() -> None:
    given_text = read("Lift your left arm, slightly.  Then LOWER it!")
    slots = begin(given_text, VOCABULARY)
    lower, the = (VOCABULARY.words.index(word) for word in ("lower", "the"))
    edited = [
        slots[0],
        slots[1]._replace(state=WordState.DELETED, round=1),
        Slot(lower, WordState.ADDED, round=1),
        *slots[2:5],
        slots[5]._replace(state=WordState.DELETED, round=1),
        slots[6]._replace(state=WordState.DELETED, round=1),
        slots[7],
        Slot(the, WordState.ADDED, round=2),
        *slots[8:],
    ]
    text, rounds = written(given_text, edited, VOCABULARY)
    assert (text, rounds) == ("Lower your left arm. The  then LOWER it!", [1, 0, 0, 0, 2, 1, 0, 0])


@pytest.fixture(scope="module")
def learned() -> tuple[Learned, list[tuple[Instance, PosePair]]]:
    samples = read_dataset(FOLDER, "captioning", ["train"]).splits["train"]
    instances = [one for one in made_instances(samples, "en", 1, 0) if one.kind != "similar"]
    pairs = samples.pose_pairs()
    known = [(one, pair) for one in instances if (pair := pairs[one.row]) is not None]
    return Learned(samples, instances), known


def measured(pair: PosePair) -> MeasuredPhotographs:
    photograph = Photograph(Image.new("RGB", (120, 160)))
    current, target = (PoseEstimate(pose, np.zeros((20, 2)), (0, 0, 9, 9), 1) for pose in (pair.current, pair.target))
    return MeasuredPhotographs((photograph, photograph), (current, target))


def test_a_right_text_stays_and_a_false_one_is_mended_within_five_rounds(
    learned: tuple[Learned, list[tuple[Instance, PosePair]]],
) -> None:
    edits = [learned[0].editor.edit(one.given, "en", measured(pair)) for one, pair in learned[1]]
    replayed = [[*replay_edits(edit.operations)] for edit in edits]
    assert [(text_before(one), text_after(one)) for one in replayed] == [(edit.given, edit.text) for edit in edits]
    assert min(edit.rounds for edit in edits if edit.text != edit.given) > 0
    assert max(edit.rounds for edit in edits) <= MAX_ROUNDS
    right = [edit for edit, (one, _) in zip(edits, learned[1], strict=True) if one.kind == "unchanged"]
    assert {(edit.text == edit.given, edit.rounds, edit.editing_steps) for edit in right} == {(True, 0, 0)}
    assert np.mean([edit.text == one.wanted for edit, (one, _) in zip(edits, learned[1], strict=True)]) >= 0.8


def test_texts_after_rounds_end_with_the_edited_text(learned: tuple[Learned, list[tuple[Instance, PosePair]]]) -> None:
    texts = [(one.given, pair) for one, pair in learned[1]]
    rounds = learned[0].editor.texts_after_rounds(texts, "en")
    edits = [learned[0].editor.edit(text, "en", measured(pair)) for text, pair in texts]
    assert [(after[0], after[-1]) for after in rounds] == [(edit.given, edit.text) for edit in edits]


def test_a_text_that_stays_false_is_edited_again(
    learned: tuple[Learned, list[tuple[Instance, PosePair]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = read_dataset(FOLDER, "captioning", ["train"]).splits["train"]
    pairs = samples.pose_pairs()
    unseen = [(one.given, pairs[one.row]) for one in made_instances(samples, "en", 2, 7) if one.kind == "contradiction"]
    texts = [(text, pair) for text, pair in unseen if pair is not None]

    def false() -> int:
        edited = learned[0].editor.texts_after_rounds(texts, "en")
        return sum(
            read_given(after[-1], "en", Findings(pair)).false for after, (_, pair) in zip(edited, texts, strict=True)
        )

    again = false()
    monkeypatch.setattr("fmp_models.editing.neural_editor._SHARES", ())
    assert again < false()


def test_the_rounds_of_a_later_pass_follow_those_before() -> None:
    edits = word_edits("Bend your arm now, then rest.", "Bend your left arm, then stand tall.")
    assert [*_through(edits, [0, 2, 0, 1, 0, 0], [0, 0, 1, 0, 0, 2, 1])] == [0, 2, 3, 3, 0, 4, 3]


@pytest.mark.parametrize(("text", "code"), [("", "description_empty"), ("arm " * 400, "description_too_long")])
def test_an_unusable_text_is_refused(
    learned: tuple[Learned, list[tuple[Instance, PosePair]]], text: str, code: str
) -> None:
    with pytest.raises(BadInputError) as refused:
        learned[0].editor.edit(text, "en", measured(learned[1][0][1]))
    assert refused.value.code == code


def test_photographs_without_a_person_are_refused(learned: tuple[Learned, list[tuple[Instance, PosePair]]]) -> None:
    measurements = measured(learned[1][0][1])
    empty = MeasuredPhotographs(measurements.photographs, (measurements.estimates[0], None))
    with pytest.raises(BadInputError) as refused:
        learned[0].editor.edit("Lift your arm.", "en", empty)
    assert refused.value.code == "no_person"
