from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from demo.answer import correction_html
from demo.interface_texts import text
from fmp_models.framing import Square
from fmp_models.pipelines import CheckedClause, Correction, Look, ModelName, Seen, Word
from fmp_models.speakers import GEOMETRY
from tests.demo.test_figures import arm_out, seen, seen_at, standing

TEXT = "Raise your arm. The sofa is nice."
CLAUSE = CheckedClause("Raise your arm.", "left arm", "up", True, 0.9, (0, 3))  # noqa: FBT003  the verdict
TRAINED = Correction(
    text=TEXT,
    language="en",
    words=tuple(Word(word, 0.6) for word in TEXT.split()),
    clauses=(CLAUSE,),
    model=ModelName("./captioner", "0123456789abcdef"),
    estimator="estimator",
    people=(1, 1),
    milliseconds={"total": 1.0},
)


def looking(look: Look | None) -> Seen:
    both = seen(*(seen_at(joints, (640, 480), 150, (300, 220)) for joints in (standing(), arm_out())))
    if look is None:
        return both
    return replace(both, looks=(look,) * len(TRAINED.words), squares=(Square(0, -80, 640), Square(0, -80, 640)))


GRID = np.full((7, 7), 1 / 49)
EYES = Look(GRID, GRID, np.full(20, 1 / 20), None)


def shown(correction: Correction, look: Look | None = EYES) -> str:
    return correction_html(correction, looking(look), same_picture=False)


def test_a_trained_model_is_named_shortly_and_its_words_can_be_chosen() -> None:
    html = shown(TRAINED)

    assert re.findall(r"<button[^>]*fmp-word[^>]*>([^<]+)</button>", html) == TEXT.split()
    assert html.count('<canvas class="fmp-heat"') == 2
    assert html.count('class="fmp-aside"') == 1
    assert "trained captioner (./captioner 0123456789ab)" in html
    assert text("answer.trained_caution").default in html


def test_words_of_a_model_without_eyes_are_marked_but_cannot_be_chosen() -> None:
    html = shown(TRAINED, None)

    assert re.findall(r"<span[^>]*fmp-word fmp-middle[^>]*>([^<]+)</span>", html)[: len(TEXT.split())] == TEXT.split()
    assert '<button type="button" class="fmp-word' not in html
    assert "<canvas" not in html
    assert text("looks.how").default not in html


def test_dots_have_a_legend_only_where_joints_were_looked_at() -> None:
    legend = text("looks.legend_joints").default

    assert legend in shown(TRAINED)
    assert legend not in shown(TRAINED, replace(EYES, joints=None))


def test_looks_of_a_long_text_are_a_few_kilobytes() -> None:
    growth = len(shown(TRAINED)) - len(shown(TRAINED, None))

    assert growth / len(TRAINED.words) < 600  # characters a word


def test_the_geometry_needs_no_caution_and_no_legend_of_words() -> None:
    html = shown(replace(TRAINED, model=GEOMETRY), None)

    assert "fmp-word " not in html
    assert text("answer.trained_caution").default not in html
    assert text("source.model_geometry").default in html


@pytest.mark.parametrize(
    ("correction", "said", "unsaid"),
    [
        (replace(TRAINED, clauses=()), "answer.nothing_to_check", "answer.no_change"),
        (replace(TRAINED, text="", words=(), clauses=()), "answer.nothing_said", "answer.trained_caution"),
        (replace(TRAINED, model=GEOMETRY, clauses=()), "answer.no_change", "answer.nothing_to_check"),
    ],
)
def test_an_answer_without_steps_says_what_that_means(correction: Correction, said: str, unsaid: str) -> None:
    html = shown(correction, None)

    assert text(said).default in html
    assert text(unsaid).default not in html


def test_what_a_model_says_is_never_markup() -> None:
    words = tuple(Word(word, 0.9) for word in ("<b>raise", "\"arm'</b>"))

    html = shown(replace(TRAINED, text="<b>raise \"arm'</b>", words=words, clauses=()), None)

    assert "<b>" not in html
