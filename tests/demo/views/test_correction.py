"""The view of a correction, and the choices of models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from demo.i18n import text
from demo.views.correction import answer_refusal_html, correction_html, speakers
from demo.views.figures import Difference, difference
from fmp_models.describe.descriptions import CheckedClause
from fmp_models.errors import BadInputError
from fmp_models.inference.correction import (
    GEOMETRY,
    AttentionMap,
    Correction,
    MeasuredPhotographs,
    ModelName,
    Word,
)
from fmp_models.inference.demonstration import demonstrate
from fmp_models.pose import INDEX
from fmp_models.preprocessing import PersonCrop
from tests.demo.views.test_figures import arm_out, seen, seen_at, standing
from tests.demo.views.test_steps import TOLD, told
from tests.named_clauses import named_clause
from tests.nonempty import nonempty

TEXT = "Raise your arm. The sofa is nice."
CLAUSE = CheckedClause("Raise your arm.", named_clause("left arm", "up"), True, 0.9, (0, 3))  # noqa: FBT003  the verdict
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


@pytest.fixture(scope="module", autouse=True)
def _difference_drawn_once() -> Iterator[None]:
    """Draw the difference of the same photographs once: it takes longer than all the rest, and no test is about it."""
    drawn: dict[tuple[int, int], tuple[MeasuredPhotographs, Difference]] = {}

    def remembered(measurements: MeasuredPhotographs) -> Difference:
        key = id(measurements.photographs), id(measurements.estimates)
        if key not in drawn:
            drawn[key] = measurements, difference(measurements)  # whoever is kept keeps its number
        return drawn[key][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("demo.views.correction.difference", remembered)
        yield


@cache
def photographed() -> MeasuredPhotographs:
    return seen(*(seen_at(joints, (640, 480), 150, (300, 220)) for joints in (standing(), arm_out())))


def looking(correction: Correction, look: AttentionMap | None) -> Correction:
    if look is None:
        return correction
    square = PersonCrop(0, -80, 640)
    return replace(correction, looks=(look,) * len(correction.words), squares=(square, square))


GRID = np.full((7, 7), 1 / 49)
EYES = AttentionMap(GRID, GRID, np.full(20, 1 / 20), None)


def html_of(correction: Correction, look: AttentionMap | None = EYES) -> str:
    return correction_html(looking(correction, look), photographed(), same_picture=False)


def test_a_trained_model_is_named_shortly_and_its_words_can_be_looked_at_when_asked() -> None:
    html = html_of(TRAINED)

    assert re.findall(r"<span[^>]*fmp-word[^>]*data-current[^>]*>([^<]+)</span>", html) == TEXT.split()
    assert html.count('data-action="words"') == 1
    assert html.count('<canvas class="fmp-heat"') == 2
    assert html.count('class="fmp-aside"') == 1
    assert "trained captioner (./captioner 0123456789ab)" in html
    assert text("answer.trained_caution").default in html


def test_only_words_of_which_a_model_was_unsure_are_marked() -> None:
    words = (*TRAINED.words[:4], Word("sofa", 0.2), *TRAINED.words[5:])
    html = html_of(replace(TRAINED, words=words), None)

    assert re.findall(r"<span[^>]*fmp-word fmp-low[^>]*>([^<]+)</span>", html) == ["sofa"]
    assert html.count("fmp-word fmp") == 1
    assert text("confidence.legend").default in html
    assert text("confidence.legend").default not in html_of(TRAINED, None)
    assert 'data-action="words"' not in html
    assert "<canvas" not in html
    assert text("looks.how").default not in html


def test_dots_have_a_legend_only_where_joints_were_looked_at() -> None:
    legend = text("looks.legend_joints").default

    assert legend in html_of(TRAINED)
    assert legend not in html_of(TRAINED, replace(EYES, joints=None))


def test_looks_of_a_long_text_are_a_few_kilobytes() -> None:
    growth = len(html_of(TRAINED)) - len(html_of(TRAINED, None))

    assert growth / len(TRAINED.words) < 650  # characters a word, with those of the button that asks for them


def test_the_geometry_needs_no_caution_and_no_legend_of_words() -> None:
    html = html_of(replace(TRAINED, model=GEOMETRY), None)

    assert "fmp-word " not in html
    assert text("answer.trained_caution").default not in html
    assert text("source.model_geometry").default in html


@pytest.mark.parametrize(
    ("correction", "words_key", "absent_key"),
    [
        (replace(TRAINED, clauses=()), "answer.nothing_to_check", "answer.no_change"),
        (replace(TRAINED, text="", words=(), clauses=()), "answer.nothing_said", "answer.trained_caution"),
        (replace(TRAINED, model=GEOMETRY, clauses=()), "answer.no_change", "answer.nothing_to_check"),
    ],
)
def test_an_answer_without_steps_says_what_that_means(correction: Correction, words_key: str, absent_key: str) -> None:
    html = html_of(correction, None)

    assert text(words_key).default in html
    assert text(absent_key).default not in html


def test_what_a_model_says_is_never_markup() -> None:
    words = tuple(Word(word, 0.9) for word in ("<b>raise", "\"arm'</b>"))

    html = html_of(replace(TRAINED, text="<b>raise \"arm'</b>", words=words, clauses=()), None)

    assert "<b>" not in html


UNSEEN = CheckedClause("I could not see your left arm.", named_clause("left arm", "unseen"), None, 0.5, (0, 7))
BLIND = replace(
    TRAINED,
    model=GEOMETRY,
    text=f"{UNSEEN.text} Nothing else moved.",
    words=tuple(Word(word, 0.5) for word in f"{UNSEEN.text} Nothing else moved.".split()),
    clauses=(UNSEEN,),
)


def test_what_was_not_seen_is_no_step_that_the_joints_bear_out() -> None:
    text_of_both = f"{CLAUSE.text} {UNSEEN.text}"
    clauses = replace(CLAUSE, agrees=None), replace(UNSEEN, words=(3, 10))
    html = html_of(told(replace(BLIND, text=text_of_both, clauses=clauses)), None)

    assert html.count("fmp-agrees-") == 1  # of the movement
    _, _, after = html.partition('class="fmp-aside fmp-unseen"')
    assert after.index(text("unseen.mark").default) < after.index(UNSEEN.text)
    assert "fmp-low" not in html


def test_nobody_is_told_that_nothing_has_to_change_where_something_was_not_seen() -> None:
    html = html_of(told(BLIND), None)

    assert text("answer.no_change").default not in html
    assert html.index(UNSEEN.text) < html.rindex('lang="en">Nothing else moved.')


def test_what_to_do_about_it_is_said_once_and_only_where_something_was_not_seen() -> None:
    advice = f">{text('unseen.advice').default}<"
    legs = replace(UNSEEN, text="I could not see your legs.", clause=named_clause("both legs", "unseen"))

    both = replace(UNSEEN, words=(0, 3)), replace(legs, words=(3, 9))
    assert html_of(told(replace(BLIND, clauses=both)), None).count(advice) == 1
    assert (
        html_of(replace(TRAINED, clauses=(replace(UNSEEN, words=(0, 3)), replace(legs, words=(3, 7))))).count(advice)
        == 1
    )
    assert advice not in html_of(TRAINED)


def test_a_trained_text_that_only_tells_what_was_not_seen_cannot_be_relied_on() -> None:
    html = html_of(replace(BLIND, model=TRAINED.model), None)

    assert text("answer.nothing_to_check").default in html


def alternative(html: str) -> str:
    """Return the text alternative of the first figure."""
    (alternative_text, *_) = re.findall(r'<img src="[^"]*"[^>]* alt="([^"]+)"', html)
    return str(alternative_text)


def test_ways_of_a_limb_that_was_not_seen_are_guesses_in_the_figure_the_chart_and_in_words() -> None:
    moved, blind = html_of(replace(BLIND, clauses=(CLAUSE,)), None), html_of(BLIND, None)

    def guessed(html: str) -> set[str]:
        return {
            part
            for mark, part in re.findall(r"<tr data-part=\"\w+\"( class=\"fmp-guessed\")?><th[^>]*>([^<]+)</th>", html)
            if mark
        }

    assert guessed(moved) == set()
    assert "stroke-dasharray" not in moved
    assert "left hand" in alternative(moved)
    assert guessed(blind) == {"left hand", "left elbow"}
    assert blind.count("stroke-dasharray") == 2 * 2 * 3  # three bones and their halos, in both figures
    assert alternative(blind).endswith(text("figures.no_moves_seen", limit=5).default)


ADDED = CheckedClause("Bend both knees.", named_clause("both knees", "bend"), True, 0.95, (7, 10), "geometry")  # noqa: FBT003
MIXED = replace(
    TRAINED,
    text=f"{TEXT} Bend both knees.",
    words=tuple(Word(word, 0.6) for word in f"{TEXT} Bend both knees.".split()),
    clauses=(replace(CLAUSE, by="./captioner"), ADDED),
)


def test_what_the_geometry_added_is_marked_in_words_and_explained() -> None:
    html = unescape(html_of(MIXED, None))

    assert html.count('<span class="fmp-added"') == 1
    assert html.index("Bend both knees.</span>") < html.index('<span class="fmp-added"')
    assert text("added.title").default in html
    assert text("added.legend", mark=text("added.mark")).default in html
    assert text("added.mark").default not in html_of(TRAINED)
    assert "fmp-added" not in html_of(replace(MIXED, model=GEOMETRY), None)


@pytest.mark.parametrize(("count", "key"), [(1, "answer.dropped_one"), (3, "answer.dropped")])
def test_it_is_said_how_many_steps_were_left_out(count: int, key: str) -> None:
    assert text(key, count=count).default in unescape(html_of(replace(TRAINED, dropped=count)))
    assert "left out, because" not in html_of(TRAINED)


def test_an_answer_from_pictures_alone_has_no_joints_to_show_and_says_so() -> None:
    alone = replace(photographed(), estimates=(photographed().estimates[0], None))
    seen_alone = looking(replace(TRAINED, people=(1, 0)), replace(EYES, joints=None))
    html = correction_html(seen_alone, alone, same_picture=False)

    assert text("answer.pictures_alone").default in html
    assert text("answer.trained_caution").default not in html
    assert html.count("<img ") == 2
    assert html.count('<canvas class="fmp-heat"') == 2
    for key in ("figures.chart_heading", "figures.difference_heading", "figures.legend", "figures.joints_heading"):
        assert f">{text(key).default}<" not in html


def test_of_a_step_only_what_is_doubtful_or_denied_is_marked() -> None:
    def marks(*clauses: CheckedClause) -> list[str]:
        html = html_of(told(replace(TRAINED, model=GEOMETRY, clauses=clauses)), None)
        return re.findall(r'class="fmp-mark ([\w-]+)"', html)

    assert marks(CLAUSE) == []
    assert marks(replace(CLAUSE, confidence=0.6)) == ["fmp-middle"]
    assert marks(replace(CLAUSE, agrees=False)) == ["fmp-agrees-no"]
    assert marks(replace(CLAUSE, agrees=None, confidence=0.2)) == ["fmp-low", "fmp-agrees-unknown"]


def test_a_step_and_its_mark_are_one_paragraph() -> None:
    html = html_of(told(replace(TRAINED, model=GEOMETRY, clauses=(replace(CLAUSE, agrees=False),))), None)

    (line,) = re.findall(r'<p class="fmp-line">(.*?)</p>', html, re.DOTALL)[:1]
    assert CLAUSE.text in line
    assert f">{text('agrees.no').default}<" in line


def test_a_step_knows_its_joints_and_its_rows_of_the_chart() -> None:
    html = html_of(told(replace(TRAINED, model=GEOMETRY)), None)

    joints = " ".join(str(INDEX[f"left_{name}"]) for name in ("shoulder", "elbow", "wrist", "hand"))
    assert f'data-joints="{joints}" data-rows="trunk left_elbow left_hand"' in html
    assert html.count('data-joint="') == 2 * (2 * 19 + 20)


def test_the_figure_plays_the_text_where_joints_are_known_of_two_pictures() -> None:
    sentence, both = "Raise your left arm.", photographed()
    words = tuple(Word(word, 0.9) for word in sentence.split())
    clause = replace(CLAUSE, text=sentence, words=(0, 4))
    correction = replace(TRAINED, model=GEOMETRY, text=sentence, words=words, clauses=(clause,))
    assert both.pair is not None
    shown_too = replace(both, demonstration=demonstrate(sentence, "en", both.pair.current, both.pair.target))

    html = correction_html(told(correction), shown_too, same_picture=False)

    (data,) = re.findall(r'data-played="([^"]+)"', html)
    played = json.loads(unescape(data))
    assert [step["text"] for step in played["steps"]] == [sentence]
    assert played["visibility"] == [1.0] * 20
    assert 'data-words="0 4"' in html  # where the list of steps says it
    assert len(data) < 6000
    assert "data-played" not in correction_html(correction, shown_too, same_picture=True)
    assert "data-played" not in correction_html(correction, both, same_picture=False)


@pytest.mark.parametrize("model", [GEOMETRY, TRAINED.model], ids=["geometry", "captioner"])
def test_of_a_step_that_can_be_judged_the_words_the_verdict_and_the_joints_are_sealed_and_no_picture(
    model: ModelName,
) -> None:
    answers: list[Mapping[str, Any]] = []

    def seal(answer: Mapping[str, Any]) -> str:
        answers.append(answer)
        return "sealed"

    answer = replace(TOLD, model=model)
    html = correction_html(answer, photographed(), same_picture=False, seal=seal)

    assert answers[0]["model"] == model.id
    assert {place: step["text"] for place, step in answers[0]["steps"].items()} == {
        "0 3": "Raise your arm.",
        "3 7": "Fine tuning: bend it.",
    }
    assert re.findall(r'<li[^>]* data-words="([^"]+)"', html) == list(answers[0]["steps"])
    assert (answers[0]["steps"]["3 7"]["verdict"], answers[0]["steps"]["3 7"]["confidence"]) == ("unknown", 0.6)
    assert [len(answers[0]["joints_m"][which]) for which in ("current", "target")] == [20, 20]
    assert len(json.dumps(answers[0])) < 5000
    assert 'data-sealed="sealed"' in html
    assert html.count('data-action="judge"') == 2 * 2


def test_nothing_is_asked_about_steps_of_which_nothing_is_kept() -> None:
    html = html_of(TOLD, None)

    assert "data-sealed" not in html
    assert 'data-action="judge"' not in html


def test_what_is_said_in_other_languages_waits_in_templates_and_costs_little() -> None:
    hindi = "अपना बायाँ हाथ उठाइए।"
    words = tuple(Word(word, 0.9) for word in hindi.split())
    clause = replace(CLAUSE, text=hindi, words=(0, len(words)))
    other = replace(TRAINED, model=GEOMETRY, language="hi", text=hindi, words=words, clauses=(clause,))
    correction, both = told(replace(TRAINED, model=GEOMETRY)), photographed()

    alone = correction_html(correction, both, same_picture=False)
    html = correction_html(correction, both, same_picture=False, translated=[(told(other), both)])

    (waiting,) = re.findall(r"<template[^>]*>(.*?)</template>", html, re.DOTALL)
    assert 'data-code="hi"' in waiting
    assert f'data-text="{hindi}"' in waiting
    assert "<img" not in waiting
    assert hindi not in html.replace(waiting, "")
    assert len(html) - len(alone) < 5000


def listed(html: str) -> list[str]:
    """Return the items of the list of steps, as markup."""
    (steps_html,) = re.findall(r'<ol class="fmp-steps".*?</ol>', html, re.DOTALL)
    return re.findall(r"<li.*?</li>", steps_html, re.DOTALL)


def test_steps_alone_are_numbered_and_fine_tuning_lights_its_joints_as_well() -> None:
    step, fine, *others = listed(html_of(TOLD, None))

    assert [re.findall(r">([^<]+)</button>", item) for item in (step, fine)] == [["1"], ["+"]]
    assert "fmp-aside" not in step  # what is copied and saved numbers the others
    assert "fmp-aside fmp-fine" in fine
    assert not any("fmp-number" in item for item in others)
    assert text("answer.light_fine").default in fine


def test_general_advice_says_that_nobody_measured_it_and_what_was_not_seen_comes_after() -> None:
    *measured, watch, unseen, _ = listed(html_of(TOLD, None))

    assert "Keep in mind: shoulders low." in watch
    assert text("answer.general").default in watch
    assert not any(text("answer.general").default in item for item in (*measured, unseen))
    assert "fmp-mark" not in watch
    assert "I could not see your legs." in unseen


def test_of_several_people_each_has_a_box_in_shares_of_the_picture() -> None:
    what = photographed()
    current = what.estimates[0]
    assert current is not None
    two = replace(current, people=2, box=(320, 0, 640, 480), others=((0, 120, 160, 480),))
    html = correction_html(TRAINED, replace(what, estimates=(two, what.estimates[1])), same_picture=False)

    (people,) = re.findall(r'data-people="([^"]+)"', html)
    assert json.loads(unescape(people)) == {"current": [[0, 0.25, 0.25, 1, 0], [0.5, 0, 1, 1, 1]], "target": []}


def test_a_refusal_of_one_photograph_is_said_in_its_place_and_any_other_here() -> None:
    about = answer_refusal_html(BadInputError("no_person", which="target"))
    assert 'data-about="target"' in about
    assert "<h2" in about
    assert text("answer.empty_heading").default in about
    assert 'role="alert"' not in about

    other = answer_refusal_html(BadInputError("photo_missing"))
    assert "data-about" not in other
    assert 'role="alert"' in other


@pytest.mark.parametrize("turned", [(), ("current",), ("target",), ("current", "target")])
def test_of_each_photograph_that_seems_upside_down_it_is_said_how_to_turn_it(turned: tuple[str, ...]) -> None:
    both = photographed()
    estimates = [
        replace(estimate, turned_by=180 if which in turned else 0)
        for which, estimate in zip(("current", "target"), both.estimates, strict=True)
        if estimate is not None
    ]

    html = correction_html(
        replace(TRAINED, model=GEOMETRY), replace(both, estimates=(estimates[0], estimates[1])), same_picture=False
    )

    for which in ("current", "target"):
        notice = text(f"answer.upside_down_{which}", turn=text("form.turn"))
        for sentence in nonempty(notice.by_language.values()):
            assert (sentence in unescape(html)) == (which in turned)


def measured(folder: Path, name: str, results: object) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "config.json").write_text("{}")
    (folder / name / "real_pairs.json").write_text(json.dumps(results), encoding="utf-8")


def result(model: str, language: str, right: float, pose: str = "full", judged: int = 100) -> dict[str, Any]:
    shares = {"right": right, "opposite": 0.0, "must": 0.5, "pairs": 12, "judged": judged}
    return {"model": model, "pose": pose, "language": language, **shares}


MEASURED = {
    "results": [
        result("geometry", "en", 0.914),
        result("geometry", "hi", 0.885),
        result("captioner", "en", 0.511),
        result("captioner", "hi", 0.423),
        result("geometry", "en", 0.1, pose="lite"),
        result("captioner", "en", 0.2, pose="lite"),
    ]
}


def test_the_default_says_how_it_and_the_other_did_before_real_photographs(tmp_path: Path) -> None:
    measured(tmp_path, "captioner", MEASURED)

    trained, geometry = speakers(("captioner", "geometry"), tmp_path)

    assert geometry.reason is None
    assert trained.reason is not None
    english, hindi = (trained.reason.by_language[code] for code in ("en", "hi"))
    assert "12 pairs" in english
    assert (
        "judged by eye: 51 of 100 in English, 42 of 100 in Hindi. Geometry: 91 of 100 in English, 88 of 100 in Hindi"
        in english
    )
    assert hindi.index("अंग्रेज़ी में 100 में से 51") < hindi.index("अंग्रेज़ी में 100 में से 91")


def test_the_geometry_as_default_names_its_own_figures_first(tmp_path: Path) -> None:
    measured(tmp_path, "captioner", MEASURED)

    geometry, trained = speakers(("geometry", "captioner"), tmp_path)

    assert trained.reason is None
    assert geometry.reason is not None
    assert geometry.reason.default.index("91 of") < geometry.reason.default.index("51 of")


def test_a_folder_of_the_same_name_is_not_told_by_the_figures_of_the_bundled_one(tmp_path: Path) -> None:
    measured(tmp_path, "captioner", MEASURED)

    trained, *_ = speakers(("./captioner", "geometry", "captioner"), tmp_path)

    assert trained.reason == text("models.trained_first")
    assert trained.name.default == text("models.trained_named", name="./captioner").default


def test_the_bundled_models_of_the_paper_say_what_they_do_not_see() -> None:
    listed = speakers(("geometry", "captioner", "captioner-language", "captioner-vision"))
    named = [choice.name.default for choice in listed]
    assert named == ["Geometry", "Trained captioner", "Language only, for comparison", "Vision only, for comparison"]
    assert "neither picture" in listed[2].about.default


def test_one_captioner_alone_needs_no_name_of_its_own() -> None:
    geometry, trained = speakers(("geometry", "captioner"))

    assert geometry.name == text("models.geometry")
    assert trained.name == text("models.trained")


@pytest.mark.parametrize(
    "results",
    [
        {},
        [],
        {"results": []},
        {"results": [result("captioner", "en", 0.9)]},
        {"results": [result("captioner", "en", 0.9), result("geometry", "en", 0.0, judged=0)]},
        {"results": [{**result("captioner", "en", 0.9), "right": "much"}, result("geometry", "en", 0.9)]},
        {"results": [{**result("captioner", "en", 0.9), "right": None}, result("geometry", "en", 0.9)]},
    ],
)
def test_no_number_is_told_that_nobody_measured(tmp_path: Path, results: object) -> None:
    measured(tmp_path, "captioner", results)

    speakers_listed = [*speakers(("captioner", "geometry"), tmp_path), *speakers(("other", "geometry"), tmp_path)]

    assert [speaker.reason for speaker in speakers_listed if speaker.id != "geometry"] == [
        text("models.trained_first")
    ] * 2


def test_one_model_is_no_choice() -> None:
    assert speakers(("geometry",)) == ()
