"""Searches for the photograph that a description means."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.common.picture_files import MAX_CANDIDATES, MAX_DESCRIPTION_CHARS
from fmp_models.data.sample import sample_rows
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.inference import clause_check, demonstration
from fmp_models.inference.retrievers import Retrievers
from fmp_models.inference.target_finder import RankedShape, TargetFinder
from fmp_models.pose import BODY_PARTS, MIRROR
from fmp_models.preprocessing import Photograph
from tests.bodies import Arm, Body, Leg
from tests.retrievers import RANKING_KEYS, TEXTS, ColourEstimator, picture, save_retriever
from tests.thoroughness import thorough

CURRENT, BLACK = picture(90, 60, 30), picture(0, 0, 0)
COLOURS = [(200, 30, 40), (30, 180, 60), (20, 60, 220), (120, 120, 10), (250, 240, 230)]
CANDIDATES = [picture(*colour) for colour in COLOURS]


def made(folder: Path, *languages: str, **switches: bool) -> TargetFinder:
    save_retriever(folder / "tiny", *(languages or ("en", "hi")), **switches)
    return TargetFinder(ColourEstimator(), Retrievers(str(folder / "tiny")))


@pytest.fixture(scope="module")
def finder(tmp_path_factory: pytest.TempPathFactory) -> TargetFinder:
    return made(tmp_path_factory.mktemp("finder"))


def scores(finder: TargetFinder, candidates: list[bytes], text: str = TEXTS["en"]) -> list[float]:
    ranking, _ = finder.find(CURRENT, text, candidates)
    return [score for _, score in sorted((one.candidate, one.score) for one in ranking.ranking)]


@pytest.mark.parametrize("language", ["en", "hi"])
def test_every_candidate_is_ranked_with_its_probability_and_the_reasons(finder: TargetFinder, language: str) -> None:
    ranking, seen = finder.find(CURRENT, TEXTS[language], CANDIDATES)

    answer = json.loads(json.dumps(ranking.as_json()))
    assert set(answer) == RANKING_KEYS
    assert answer["language"] == language
    assert sorted(one["candidate"] for one in answer["ranking"]) == list(range(5))
    given_scores = [one["score"] for one in answer["ranking"]]
    assert given_scores == sorted(given_scores, reverse=True)
    assert sum(given_scores) == pytest.approx(1)
    assert answer["margin"] == pytest.approx(given_scores[0] - given_scores[1])
    assert " ".join(word["word"] for word in answer["words"]) == TEXTS[language]
    assert sum(word["weight"] for word in answer["words"]) == pytest.approx(1, abs=1e-5)
    assert all(word["known"] and word["part"] in BODY_PARTS for word in answer["words"])
    assert {part["part"] for part in answer["parts"]} == set(BODY_PARTS)
    assert sum(part["weight"] for part in answer["parts"]) == pytest.approx(1, abs=1e-5)
    assert {clause["part"] for clause in answer["clauses"]} >= {"left arm", "both knees"}
    assert answer["model"]["id"].endswith("tiny")
    assert len(answer["model"]["revision"]) == 64
    assert answer["people"] == [1] * 6
    assert set(answer["milliseconds"]) == {"photographs", "estimator", "retriever", "check", "total"}
    assert [one.people for one in seen.candidates] == [1] * 5


@given(st.permutations(range(5)))
def test_the_order_of_the_candidates_changes_no_score(finder: TargetFinder, order: list[int]) -> None:
    moved = scores(finder, [CANDIDATES[i] for i in order])

    assert moved == [scores(finder, CANDIDATES)[i] for i in order]


@given(st.lists(st.integers(0, 4), min_size=2, max_size=MAX_CANDIDATES))
def test_equal_candidates_tie_and_all_probabilities_sum_to_one(finder: TargetFinder, chosen: list[int]) -> None:
    probabilities = scores(finder, [CANDIDATES[i] for i in chosen])

    assert sum(probabilities) == pytest.approx(1)
    assert len({(number, score) for number, score in zip(chosen, probabilities, strict=True)}) == len(set(chosen))


def test_a_picture_is_measured_once_however_often_it_is_given(tmp_path: Path) -> None:
    finder = made(tmp_path)

    finder.find(CURRENT, TEXTS["en"], [CURRENT, *CANDIDATES, CANDIDATES[0], CURRENT])

    assert finder.estimator.asked == 6  # type: ignore[attr-defined]


def test_another_question_about_the_same_pictures_measures_nothing_again(tmp_path: Path) -> None:
    finder, fresh = made(tmp_path), made(tmp_path)
    finder.find(CURRENT, TEXTS["hi"], CANDIDATES)

    again, _ = finder.find(CURRENT, TEXTS["en"], [CANDIDATES[1], *CANDIDATES, BLACK])

    assert finder.estimator.asked == 7  # type: ignore[attr-defined]
    once, _ = fresh.find(CURRENT, TEXTS["en"], [CANDIDATES[1], *CANDIDATES, BLACK])
    assert replace(again, milliseconds={}) == replace(once, milliseconds={})


def test_a_refusal_of_the_current_photograph_is_remembered_too(tmp_path: Path) -> None:
    finder, refusals = made(tmp_path), []
    for _ in range(2):
        with pytest.raises(BadInputError) as refusal:
            finder.find(BLACK, TEXTS["en"], CANDIDATES)
        refusals.append((refusal.value.code, refusal.value.details))

    assert refusals == [("no_person", {"which": "current"})] * 2
    assert finder.estimator.asked == 1  # type: ignore[attr-defined]


def test_a_description_is_read_once(finder: TargetFinder, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Counter[str]()
    for module, name in ((demonstration, "tokenise"), (demonstration, "read_text"), (clause_check, "read_clauses")):
        real = getattr(module, name)

        def counted(*given: Any, real: Callable[..., Any] = real, name: str = name) -> Any:  # noqa: ANN401
            calls[name] += 1
            return real(*given)

        monkeypatch.setattr(module, name, counted)

    finder.find(CURRENT, TEXTS["en"], CANDIDATES)

    assert calls == {"tokenise": 1, "read_text": 1}


def test_a_person_who_waits_hears_of_each_picture_before_it_is_measured(finder: TargetFinder) -> None:
    heard: list[tuple[int, int]] = []

    finder.find(CURRENT, TEXTS["en"], CANDIDATES, measuring=lambda *place: heard.append(place))

    assert heard == [(number, len(CANDIDATES)) for number in range(1, len(CANDIDATES) + 1)]


def test_the_current_photograph_may_be_among_the_candidates(finder: TargetFinder) -> None:
    assert len(scores(finder, [CURRENT, CANDIDATES[0]])) == 2


def test_another_description_gives_other_scores(finder: TargetFinder) -> None:
    assert scores(finder, CANDIDATES) != scores(finder, CANDIDATES, "Bend the right hand.")


class PosedEstimator(ColourEstimator):
    """Red is a raised left arm, blue a raised right one, and all else hangs."""

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Give the pose that the colour stands for."""
        red, _, blue = np.asarray(photograph.image).reshape(-1, 3).mean(axis=0)
        up, hanging = Arm(lift=90, bend=0), Arm()
        body = Body(left_arm=up if red > 100 else hanging, right_arm=up if blue > 100 else hanging)
        return replace(super().estimate(photograph), pose=body.pose())


@pytest.mark.parametrize(
    ("text", "winner"),
    [
        ("Raise your left arm.", 0),
        ("Raise your right arm.", 1),
        ("अपनी बाईं भुजा उठाएं।", 0),
        ("अपनी दाहिनी भुजा उठाएं।", 1),
    ],
)
def test_what_the_joints_say_of_the_description_decides_beside_a_retriever_that_knows_nothing(
    tmp_path: Path, text: str, winner: int
) -> None:
    save_retriever(tmp_path / "tiny", "en", "hi")
    finder = TargetFinder(PosedEstimator(), Retrievers(str(tmp_path / "tiny")))

    ranking, _ = finder.find(CURRENT, text, [picture(200, 0, 10), picture(10, 0, 200), picture(10, 90, 10)])

    assert ranking.ranking[0].candidate == winner
    (clause,) = ranking.clauses
    assert (clause.agrees, clause.direction) == (True, "up")
    assert clause.part == ("left arm", "right arm")[winner]
    assert clause.confidence > 0.9
    assert ranking.deciding == (0,)


class ReachingEstimator(ColourEstimator):
    """Red is arms raised as far as they go, blue to the shoulders, and all else hangs."""

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Give the pose that the colour stands for."""
        red, _, blue = np.asarray(photograph.image).reshape(-1, 3).mean(axis=0)
        arm = Arm(lift=175 if red > 100 else 90 if blue > 100 else 0, bend=0)
        return replace(super().estimate(photograph), pose=Body(left_arm=arm, right_arm=arm).pose())


@pytest.mark.parametrize("text", ["Raise your arms.", "Raise your arms overhead."])
def test_of_candidates_that_all_do_what_a_text_says_the_one_who_does_it_as_people_mean_it_wins(
    tmp_path: Path, text: str
) -> None:
    save_retriever(tmp_path / "tiny", "en")
    finder = TargetFinder(ReachingEstimator(), Retrievers(str(tmp_path / "tiny")))

    ranking, _ = finder.find(CURRENT, text, [picture(10, 0, 200), picture(200, 0, 10), picture(10, 90, 10)])

    assert [ranked.candidate for ranked in ranking.ranking] == [1, 0, 2]


class SquattingEstimator(ColourEstimator):
    """Red is a squat, and all else stands."""

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Give the pose that the colour stands for."""
        red = np.asarray(photograph.image).reshape(-1, 3).mean(axis=0)[0]
        leg = Leg(lift=80, swing=88, bend=105) if red > 100 else Leg()
        body = Body(pitch=40 if red > 100 else 0, left_leg=leg, right_leg=leg)
        return replace(super().estimate(photograph), pose=body.pose())


def test_a_shape_decides_in_the_place_of_the_clauses_of_its_words(tmp_path: Path) -> None:
    save_retriever(tmp_path / "tiny", "en")
    finder = TargetFinder(SquattingEstimator(), Retrievers(str(tmp_path / "tiny")))

    ranking, _ = finder.find(
        picture(200, 90, 10), "Squat down. Raise your left arm.", [picture(10, 9, 90), picture(210, 0, 90)]
    )

    assert ranking.ranking[0].candidate == 1
    assert ranking.shapes == (RankedShape("squat", "both", (0, 2), 1.0, deciding=True),)
    assert [(clause.part, clause.direction) for clause in ranking.clauses] == [("left arm", "up")]


def test_a_shape_is_looked_for_though_the_retriever_has_learned_none_of_its_words(tmp_path: Path) -> None:
    save_retriever(tmp_path / "tiny", "en")
    finder = TargetFinder(SquattingEstimator(), Retrievers(str(tmp_path / "tiny")))

    ranking, _ = finder.find(picture(10, 90, 10), "Squat!", [picture(10, 9, 90), picture(210, 0, 90)])

    assert ranking.ranking[0].candidate == 1
    assert [(shape.name, shape.deciding) for shape in ranking.shapes] == [("squat", True)]


class TurnedEstimator(PosedEstimator):
    """Whoever is green is seen from behind, and in some looks from the front."""

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Give the pose that the colour stands for, of what is green the wrong way round first."""
        front = super().estimate(photograph)
        if np.asarray(photograph.image).reshape(-1, 3).mean(axis=0)[1] < 50:
            return front
        behind = front.pose.joints[list(MIRROR)] * np.array([1.0, 1.0, -1.0])
        return replace(front, pose=replace(front.pose, joints=behind), turned=front, turned_share=0.4)


def test_a_candidate_who_may_be_seen_from_either_side_faces_as_in_the_current_photograph(tmp_path: Path) -> None:
    save_retriever(tmp_path / "tiny", "en")
    finder = TargetFinder(TurnedEstimator(), Retrievers(str(tmp_path / "tiny")))

    ranking, _ = finder.find(picture(10, 0, 10), "Raise your left arm.", [picture(10, 90, 200), picture(200, 90, 10)])

    assert ranking.ranking[0].candidate == 1


def test_a_candidate_that_was_measured_before_still_faces_as_in_the_current_photograph(tmp_path: Path) -> None:
    save_retriever(tmp_path / "tiny", "en")
    finder = TargetFinder(TurnedEstimator(), Retrievers(str(tmp_path / "tiny")))
    candidates = [picture(10, 90, 200), picture(200, 90, 10)]
    behind = picture(10, 95, 10)

    ways = [
        finder.find(current, "Raise your left arm.", candidates)[1].candidates[0].estimate
        for current in (behind, picture(10, 0, 10), behind)
    ]

    assert [estimate is not None and estimate.turned is not None for estimate in ways] == [True, False, True]


def test_a_clause_is_told_with_its_words_however_they_were_written(finder: TargetFinder) -> None:
    ranking, _ = finder.find(CURRENT, "Turn the right hand/knee to the left, (well)  bend  both knees.", CANDIDATES)

    words = [word.word for word in ranking.words]
    assert [" ".join(words[slice(*clause.words)]) for clause in ranking.clauses][-1].startswith("bend both knees")


def test_each_line_is_a_sentence_of_its_own(finder: TargetFinder) -> None:
    lines = ("Raise your left arm", "  Left knee forward,", "", "Turn the right hand to the left.")

    (by_lines, _), (by_stops, _) = (
        finder.find(CURRENT, text, CANDIDATES)
        for text in ("\n".join(lines), "Raise your left arm. Left knee forward, Turn the right hand to the left.")
    )

    assert [(one.part, one.direction) for one in by_lines.clauses] == [
        ("left arm", "up"),
        ("left knee", "forward"),
        ("right hand", "turn left"),
    ]
    assert (by_lines.ranking, by_lines.clauses) == (by_stops.ranking, by_stops.clauses)


def test_a_description_without_a_clause_is_ranked_by_the_retriever_alone(finder: TargetFinder) -> None:
    ranking, _ = finder.find(CURRENT, "The left knees and the arm.", CANDIDATES)

    assert ranking.clauses == ()
    assert len({one.score for one in ranking.ranking}) == len(CANDIDATES)


def test_without_joints_for_a_candidate_it_is_ranked_by_its_picture_alone(tmp_path: Path) -> None:
    finder = made(tmp_path, "en", missing=True)

    ranking, seen = finder.find(CURRENT, TEXTS["en"], [BLACK, *CANDIDATES[:2]])

    assert all(one.score > 0 for one in ranking.ranking)
    assert ranking.people == (1, 0, 1, 1)
    assert seen.candidates[0].estimate is None


def test_a_winner_without_joints_has_words_but_no_parts(tmp_path: Path) -> None:
    finder = made(tmp_path, "en", missing=True)

    ranking, _ = finder.find(CURRENT, TEXTS["en"], [BLACK, BLACK])

    assert ranking.parts == ranking.clauses == ()
    assert {word.part for word in ranking.words} == {None}
    assert sum(word.weight for word in ranking.words) == pytest.approx(1, abs=1e-5)


def test_a_retriever_that_needs_joints_ranks_a_candidate_without_them_last(finder: TargetFinder) -> None:
    ranking, _ = finder.find(CURRENT, TEXTS["en"], [BLACK, *CANDIDATES])

    assert ranking.ranking[-1] == replace(ranking.ranking[-1], candidate=0, score=0.0)
    assert scores(finder, [BLACK, *CANDIDATES])[1:] == scores(finder, CANDIDATES)
    with pytest.raises(BadInputError) as refusal:
        finder.find(CURRENT, TEXTS["en"], [BLACK, BLACK])
    assert refusal.value.code == "candidates_without_people"


@pytest.mark.parametrize(
    "switches",
    [{"images": False}, {"joints": False}, {"current": False}, {"joints": False, "current": False}],
    ids=str,
)
def test_a_retriever_that_lacks_a_side_ranks_by_the_other(tmp_path: Path, switches: dict[str, bool]) -> None:
    probabilities = scores(made(tmp_path, "en", **switches), CANDIDATES)

    assert len(set(probabilities)) == 5
    assert sum(probabilities) == pytest.approx(1)


def test_a_retriever_of_pictures_alone_needs_nobody_in_the_candidates(tmp_path: Path) -> None:
    probabilities = scores(made(tmp_path, "en", joints=False), [BLACK, CANDIDATES[0]])

    assert all(score > 0 for score in probabilities)


def test_a_word_the_retriever_never_learned_is_marked(finder: TargetFinder) -> None:
    ranking, _ = finder.find(CURRENT, "Raise your sousaphone a little.", CANDIDATES)

    assert [(word.word, word.known) for word in ranking.words] == [
        *(("Raise", True), ("your", True), ("sousaphone", False), ("a", True), ("little.", True)),
    ]


@pytest.mark.parametrize(
    ("text", "language", "code"),
    [
        ("", None, "description_empty"),
        (" \n…! 12", None, "description_empty"),
        ("raise " * (MAX_DESCRIPTION_CHARS // 6 + 1), None, "description_too_long"),
        ("Подними левую руку", None, "description_foreign"),
        ("左腕を上げてください", None, "description_foreign"),
        (TEXTS["hi"], "en", "description_other_language"),
        (TEXTS["en"], "fr", "unknown_language"),
        ("Sousaphone, xylophone!", None, "description_unknown"),
    ],
)
def test_a_description_that_cannot_be_read_is_one_sentence(
    finder: TargetFinder, text: str, language: str | None, code: str
) -> None:
    with pytest.raises(BadInputError) as refusal:
        finder.find(CURRENT, text, CANDIDATES, language=language)

    assert refusal.value.code == code
    assert refusal.value.sentence.count("\n") == 0


@pytest.mark.parametrize("count", [0, 1, MAX_CANDIDATES + 1])
def test_too_few_or_too_many_candidates_are_refused_unseen(finder: TargetFinder, count: int) -> None:
    with pytest.raises(BadInputError) as refusal:
        finder.find(b"", TEXTS["en"], [b""] * count)

    assert refusal.value.code == "candidates_count"
    assert f"{count} were received" in refusal.value.sentence


def test_a_broken_candidate_is_named_as_people_count(finder: TargetFinder) -> None:
    with pytest.raises(BadInputError) as refusal:
        finder.find(CURRENT, TEXTS["en"], [*CANDIDATES[:2], b"no picture", CANDIDATES[3]])

    assert refusal.value.sentence.startswith("Candidate photograph 3 of 4: This file is not a JPEG")


def test_where_the_current_photograph_shows_nobody_pictures_are_compared(tmp_path: Path) -> None:
    finder = made(tmp_path, "en", missing=True)

    ranking, seen = finder.find(BLACK, TEXTS["en"], CANDIDATES)

    assert sum(one.score for one in ranking.ranking) == pytest.approx(1)
    assert (ranking.people, ranking.clauses, ranking.parts) == ((0, *[1] * 5), (), ())
    assert seen.candidate(seen.candidates[0]) is None
    with pytest.raises(BadInputError) as refusal:
        finder.find(BLACK, TEXTS["en"], [BLACK, BLACK])
    assert (refusal.value.code, refusal.value.details["which"]) == ("no_person", "current")


@pytest.mark.parametrize(("current", "code"), [(b"", "photo_empty"), (BLACK, "no_person")])
def test_a_current_photograph_that_cannot_be_used_is_named(finder: TargetFinder, current: bytes, code: str) -> None:
    with pytest.raises(BadInputError) as refusal:
        finder.find(current, TEXTS["en"], CANDIDATES)

    assert (refusal.value.code, refusal.value.details["which"]) == (code, "current")


def test_each_language_has_its_bundled_retriever(tmp_path: Path) -> None:
    save_retriever(tmp_path / "retriever-en", "en")
    save_retriever(tmp_path / "retriever-hi", "hi", seed=1)
    finder = TargetFinder(ColourEstimator(), Retrievers(bundled=tmp_path))

    names = [finder.find(CURRENT, TEXTS[language], CANDIDATES)[0].model.id for language in ("en", "hi")]

    assert names == ["retriever-en", "retriever-hi"]
    assert finder.retrievers.installed


def test_the_space_ranks_bodies_and_the_papers_retriever_pictures_without_them(tmp_path: Path) -> None:
    save_retriever(tmp_path / "retriever-en", "en", missing=True)
    save_retriever(tmp_path / "retriever-space", "en", "hi", images=False, space=True)
    finder = TargetFinder(ColourEstimator(), Retrievers(bundled=tmp_path))

    by_joints, _ = finder.find(CURRENT, TEXTS["en"], [*CANDIDATES, BLACK])
    by_pictures, _ = finder.find(BLACK, TEXTS["en"], CANDIDATES)

    assert (by_joints.model.id, by_pictures.model.id) == ("retriever-space", "retriever-en")
    assert by_joints.ranking[-1].candidate == len(CANDIDATES)
    assert {part.part for part in by_joints.parts} == set(BODY_PARTS)
    assert sum(word.weight for word in by_joints.words) == pytest.approx(1, abs=1e-4)
    with pytest.raises(BadInputError) as refusal:  # no retriever of Hindi sees pictures here
        finder.find(BLACK, TEXTS["hi"], CANDIDATES)
    assert (refusal.value.code, refusal.value.details["which"]) == ("no_person", "current")


class DoubtfulEstimator(ColourEstimator):
    """The same poses, with many bodies that are as plausible."""

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        estimated = super().estimate(photograph)
        errors = np.random.default_rng(0).normal(scale=0.05, size=(64, 20, 3))
        return replace(estimated, pose=replace(estimated.pose, pose_samples=estimated.pose.joints + errors))


def test_the_space_is_asked_about_the_bodies_that_photographs_bear(tmp_path: Path) -> None:
    save_retriever(tmp_path / "tiny", "en", images=False, space=True)
    retrievers = Retrievers(str(tmp_path / "tiny"))

    sure, doubtful = (
        TargetFinder(one, retrievers).find(CURRENT, TEXTS["en"], CANDIDATES)[0]
        for one in (ColourEstimator(), DoubtfulEstimator())
    )

    assert sum(one.score for one in doubtful.ranking) == pytest.approx(1)
    assert [one.score for one in doubtful.ranking] != [one.score for one in sure.ranking]
    assert scores(TargetFinder(DoubtfulEstimator(), retrievers), CANDIDATES) == scores(
        TargetFinder(DoubtfulEstimator(), retrievers), CANDIDATES
    )


def test_without_any_retriever_that_is_said(tmp_path: Path) -> None:
    retrievers = Retrievers(bundled=tmp_path)

    assert not retrievers.installed
    with pytest.raises(BadInputError) as refusal:
        TargetFinder(ColourEstimator(), retrievers).find(CURRENT, TEXTS["en"], CANDIDATES)
    assert refusal.value.code == "retriever_missing"


@pytest.mark.parametrize("switches", [{}, {"text": False}], ids=["of English", "of no text"])
def test_a_language_that_the_retriever_does_not_read_is_refused(tmp_path: Path, switches: dict[str, bool]) -> None:
    languages = ("en",) if switches.get("text", True) else ()
    finder = TargetFinder(ColourEstimator(), Retrievers(str(save_retriever(tmp_path / "one", *languages, **switches))))

    with pytest.raises(BadInputError) as refusal:
        finder.find(CURRENT, TEXTS["hi"], CANDIDATES)

    assert refusal.value.code == "retriever_other_language"


def test_a_named_retriever_that_does_not_exist_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadInputError) as refusal:
        Retrievers("oracle", bundled=tmp_path)

    assert refusal.value.code == "model_name_unknown"


def test_visitors_at_once_get_their_own_rankings_from_one_loaded_retriever(tmp_path: Path) -> None:
    finder = made(tmp_path)
    texts = [TEXTS["en"], TEXTS["hi"]] * 4

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: scores(finder, CANDIDATES, text), texts))

    assert together == [scores(finder, CANDIDATES, text) for text in texts]
    assert finder.retrievers.reading("en") is finder.retrievers.reading("hi")


@thorough
def test_pictures_of_the_simulator_are_ranked_with_the_real_estimator(
    estimator: MediaPipeEstimator, tmp_path: Path
) -> None:
    row = sample_rows("retrieval", "test_unseen")[0]
    finder = TargetFinder(estimator, Retrievers(str(save_retriever(tmp_path / "tiny", "en", missing=True))))

    ranking, _ = finder.find(
        row["current"]["bytes"], row["descriptions_en"][0], [one["bytes"] for one in row["candidates"][:3]]
    )

    assert sum(one.score for one in ranking.ranking) == pytest.approx(1)
    assert ranking.people[0] >= 1


def test_hindi_in_latin_letters_is_ranked_as_in_its_own(finder: TargetFinder) -> None:
    typed, written = "apni baayin bhuja uthaen", "अपनी बाईं भुजा उठाएं"

    ranking, _ = finder.find(CURRENT, typed, CANDIDATES)
    own, _ = finder.find(CURRENT, written, CANDIDATES)

    assert (ranking.language, ranking.read_as, own.read_as) == ("hi", written, None)
    assert [word.word for word in ranking.words] == written.split()
    assert ranking.ranking == own.ranking
    assert finder.find(CURRENT, typed, CANDIDATES, language="hi")[0].read_as == written


def test_english_is_read_as_english(finder: TargetFinder) -> None:
    assert finder.find(CURRENT, TEXTS["en"], CANDIDATES)[0].read_as is None
    with pytest.raises(BadInputError) as refusal:
        finder.find(CURRENT, "apni baayin bhuja uthaen", CANDIDATES, language="en")
    assert refusal.value.code == "description_unknown"
