from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from demo.i18n import interface_texts, text
from demo.views.ranking import empty_ranking_html, ranking_fault_html, ranking_html, ranking_refusal_html
from fmp_models.describe.descriptions import CheckedClause
from fmp_models.errors import BadInputError
from fmp_models.inference.retrievers import Retrievers, SeenCandidates
from fmp_models.inference.target_finder import (
    RankedCandidate,
    RankedShape,
    Ranking,
    TargetFinder,
    WeighedPart,
    WeighedWord,
)
from fmp_models.pose import BODY_PARTS
from tests.named_clauses import named_clause
from tests.retrievers import TEXTS, ColourEstimator, picture, save_retriever

CANDIDATES = [picture(200, 30, 40), picture(0, 0, 0), picture(20, 60, 220)]


@pytest.fixture(scope="module")
def ranked_candidates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ranking, SeenCandidates]:
    folder = save_retriever(tmp_path_factory.mktemp("answer") / "tiny", "en", missing=True)
    return TargetFinder(ColourEstimator(), Retrievers(str(folder))).find(picture(90, 60, 30), TEXTS["en"], CANDIDATES)


def with_scores(ranking: Ranking, *scores: float) -> Ranking:
    ranked = tuple(RankedCandidate(candidate, score) for candidate, score in enumerate(scores))
    return replace(ranking, ranking=ranked, margin=scores[0] - scores[1])


def test_a_ranking_shows_every_candidate_best_first(ranked_candidates: tuple[Ranking, SeenCandidates]) -> None:
    html = ranking_html(*ranked_candidates)

    assert 'data-outcome="ranking"' in html
    assert re.findall(r'data-place="(\d)"', html) == ["1", "2", "3"]
    assert html.count("data:image/jpeg;base64,") == 4  # the current one with the question
    assert html.count('class="fmp-badge"') == 1
    numbers = [int(number) for number in re.findall(r">Picture (\d)</strong>", html)]
    assert numbers == [one.candidate + 1 for one in ranked_candidates[0].ranking]


def test_a_picture_without_a_person_is_named(ranked_candidates: tuple[Ranking, SeenCandidates]) -> None:
    html = ranking_html(*ranked_candidates)

    assert interface_texts()["en"]["ranking.nobody"].format(numbers="2") in html
    assert html.count(f">{interface_texts()['en']['ranking.nobody_here']}<") == 1


@pytest.mark.parametrize(
    ("agreed", "key", "counts"),
    [
        ((True, None, True), "agreed", {"of": 3, "yes": 2}),
        ((True, False, None, False), "agreed_denied", {"of": 4, "yes": 1, "no": 2}),
    ],
)
def test_of_every_candidate_it_is_said_what_the_joints_agree_with(
    ranked_candidates: tuple[Ranking, SeenCandidates],
    agreed: tuple[bool | None, ...],
    key: str,
    counts: dict[str, int],
) -> None:
    ranking, candidates = ranked_candidates
    last_seen = [number for number, one in enumerate(ranking.ranking) if candidates.candidates[one.candidate].people][
        -1
    ]
    verdicts = tuple(agreed if place == last_seen else () for place in range(3))

    html = ranking_html(replace(ranking, agreed=verdicts), candidates)

    for language in ("en", "hi"):
        assert interface_texts()[language][f"ranking.{key}"].format(**counts) in unescape(html)


@pytest.mark.parametrize(
    ("scores", "chances"),
    [((0.9, 0.06, 0.04), ["likely", "unlikely", "unlikely"]), ((0.7, 0.29, 0.01), ["likely", "possible", "hardly"])],
)
def test_each_probability_is_said_in_words_beside_its_place(
    ranked_candidates: tuple[Ranking, SeenCandidates], scores: tuple[float, ...], chances: list[str]
) -> None:
    html = ranking_html(with_scores(ranked_candidates[0], *scores), ranked_candidates[1])
    words = interface_texts()["en"]

    said = re.findall(r"</b> <span[^>]*>([^<]*)</span>", html)
    assert said == [words[f"ranking.chance_{chance}"] for chance in chances]
    places = [words["ranking.rank"].format(rank=rank, of=3) for rank in (1, 2, 3)]
    assert [place for place in places if f">{place}<" in html] == places


def test_a_current_photograph_without_a_person_is_told(ranked_candidates: tuple[Ranking, SeenCandidates]) -> None:
    ranking, candidates = ranked_candidates
    notice = interface_texts()["en"]["ranking.nobody_now"]

    assert notice not in ranking_html(ranking, candidates)
    assert notice in ranking_html(replace(ranking, people=(0, *ranking.people[1:])), candidates)


@pytest.mark.parametrize(
    ("scores", "key"),
    [((0.9, 0.06, 0.04), "far"), ((0.5, 0.3, 0.2), "ahead"), ((0.36, 0.33, 0.31), "near"), ((0.4, 0.4, 0.2), "tie")],
)
def test_the_margin_is_said_in_words(
    ranked_candidates: tuple[Ranking, SeenCandidates], scores: tuple[float, ...], key: str
) -> None:
    html = ranking_html(with_scores(ranked_candidates[0], *scores), ranked_candidates[1])

    points = max(round(100 * (scores[0] - scores[1])), 1)
    sentence = interface_texts()["en"][f"margin.{key}"].format(first=1, second=2, points=points)
    assert f">{sentence}<" in html
    assert html.count('class="fmp-badge"') == (2 if key == "tie" else 1)


def test_a_share_that_rounds_to_nothing_is_not_called_nothing(
    ranked_candidates: tuple[Ranking, SeenCandidates],
) -> None:
    html = ranking_html(with_scores(ranked_candidates[0], 0.999, 0.0008, 0.0002), ranked_candidates[1])

    assert ">100 %<" in html
    assert html.count(">under 1 %<") >= 2


def test_words_are_marked_by_weight_and_unknown_ones_are_named(
    ranked_candidates: tuple[Ranking, SeenCandidates],
) -> None:
    words = (
        WeighedWord("Raise", 0.1, "left_hand", known=True),
        WeighedWord("<b>oboe</b>,", 0.1, "head", known=False),
        WeighedWord("arm.", 0.8, "right_elbow", known=True),
    )

    html = ranking_html(replace(ranked_candidates[0], words=words, clauses=()), ranked_candidates[1])

    assert '<span class="fmp-weight-2">arm.</span>' in html
    assert '<span class="fmp-weight-0 fmp-unlearned">&lt;b&gt;oboe&lt;/b&gt;,</span>' in html
    assert re.search(r'<li><span lang="en">arm</span>.*right elbow', html)
    assert ">oboe" not in html.split("fmp-heaviest")[1]
    assert interface_texts()["en"]["ranking.unlearned"] in html


def test_what_was_written_stands_with_what_the_joints_say_of_it(
    ranked_candidates: tuple[Ranking, SeenCandidates],
) -> None:
    description = TEXTS["en"].replace("arm, then", "arm/hand, then") + " What a nice sofa."
    (*_, plain), candidates = ranked_candidates[0].words, ranked_candidates[1]
    words = tuple(replace(plain, word=word) for word in description.split())
    clauses = (
        CheckedClause(
            "Raise your left arm.", named_clause("left arm", "up"), agrees=True, confidence=0.9, words=(0, 4)
        ),
        CheckedClause(
            "Bend both knees.", named_clause("both knees", "bend"), agrees=False, confidence=0.9, words=(5, 8)
        ),
        CheckedClause(
            "Turn the right hand.", named_clause("right hand", "left"), agrees=None, confidence=0.9, words=(10, 16)
        ),
    )

    html = ranking_html(replace(ranked_candidates[0], words=words, clauses=clauses, deciding=(0,)), candidates)
    clause_marks = re.findall(
        r'<li[^>]*><span lang="en">([^<]*)</span>\s*(?:<span class="fmp-mark fmp-agrees-(\w+)">)?', html
    )

    assert clause_marks[:4] == [
        ("Raise your left arm/hand,", "yes"),
        ("then bend both knees a little.", "no"),
        ("Turn the right hand to the left.", "unknown"),
        ("What a nice sofa.", ""),
    ]
    assert "fmp-checks" not in ranking_html(replace(ranked_candidates[0], clauses=()), candidates)


@pytest.mark.parametrize(
    ("share", "deciding", "key"), [(0.8, True, "held"), (0.8, False, "held_shared"), (0.274, True, "held_share")]
)
def test_how_surely_the_best_picture_holds_a_named_pose_is_shown(
    ranked_candidates: tuple[Ranking, SeenCandidates],
    share: float,
    deciding: bool,  # noqa: FBT001
    key: str,
) -> None:
    words = tuple(replace(ranked_candidates[0].words[0], word=word) for word in ("Warrior", "pose."))
    shape = RankedShape("warrior_two", "none", (0, 2), share, deciding)
    ranking = replace(ranked_candidates[0], words=words, clauses=(), deciding=(), shapes=(shape,))

    html = ranking_html(ranking, ranked_candidates[1])
    (step,) = re.findall(r'<li><span lang="en">Warrior pose.</span>(.*)</li>', html)

    for language in ("en", "hi"):
        assert interface_texts()[language][f"agrees.{key}"].format(percent=27) in unescape(step)


@pytest.mark.parametrize("heaviest", [0.12, 0.3])
def test_an_explanation_that_is_flat_is_not_shown_as_a_reason(
    ranked_candidates: tuple[Ranking, SeenCandidates], heaviest: float
) -> None:
    has_reasons = heaviest > 0.15  # of ten
    rest = (1 - heaviest) / 9
    weights = (heaviest, *[rest] * 9)
    parts = tuple(WeighedPart(part, weight) for part, weight in zip(BODY_PARTS, weights, strict=True))
    words = tuple(
        WeighedWord(f"lift{letter}", weight, None, known=True)
        for letter, weight in zip("abcdefghij", weights, strict=True)
    )

    html = ranking_html(replace(ranked_candidates[0], parts=parts, words=words, clauses=()), ranked_candidates[1])

    assert ("fmp-chart" in html) == has_reasons
    assert ("fmp-heaviest" in html) == has_reasons
    assert bool(re.search("fmp-weight-[123]", html)) == has_reasons
    for key in ("ranking.parts_flat", "ranking.words_flat"):
        assert (text(key).default in html) == (not has_reasons)


def test_how_a_description_in_latin_letters_was_read_is_told(ranked_candidates: tuple[Ranking, SeenCandidates]) -> None:
    html = unescape(ranking_html(replace(ranked_candidates[0], read_as="अपना बायां हाथ ऊपर उठाओ"), ranked_candidates[1]))

    assert text("ranking.read_as", text="अपना बायां हाथ ऊपर उठाओ").default in html
    assert "Read as" not in ranking_html(*ranked_candidates)


def test_without_joints_no_part_is_named(ranked_candidates: tuple[Ranking, SeenCandidates]) -> None:
    words = tuple(replace(word, part=None) for word in ranked_candidates[0].words)

    html = ranking_html(replace(ranked_candidates[0], words=words, parts=()), ranked_candidates[1])

    assert "fmp-chart" not in html
    assert "→" not in html.split("<details")[1].split("</details>")[0]


def test_a_refusal_names_the_picture_and_the_other_outcomes_have_their_own_words() -> None:
    html = ranking_refusal_html(BadInputError("photo_broken").about("candidate", number=2, of=3))

    words = interface_texts()["en"]
    assert f"{words['form.candidate'].format(number=2, of=3)}: {words['errors.photo_broken']}" in html
    assert 'data-about="candidate" data-place="2"' in html
    assert all('class="fmp-ranking"' in one for one in (html, empty_ranking_html(), ranking_fault_html()))
    assert words["faults.ours"] in ranking_fault_html()


def test_every_text_of_a_ranking_is_there_in_every_language(ranked_candidates: tuple[Ranking, SeenCandidates]) -> None:
    html = ranking_html(*ranked_candidates)

    number = ranked_candidates[0].ranking[0].candidate + 1
    assert interface_texts()["hi"]["ranking.heading"].format(number=number) in html
