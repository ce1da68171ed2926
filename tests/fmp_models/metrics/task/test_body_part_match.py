from typing import Any

import numpy as np
import pytest

from fmp_models.metrics.task.body_part_match import body_part_match
from fmp_models.metrics.task.moved_joints import GROUPS

ALL = tuple(GROUPS)


def score(prediction: str, reference: str, moved: tuple[str, ...], language: str = "en", *, intended: bool) -> float:
    groups = np.array([[group in moved for group in GROUPS]])
    return body_part_match([prediction], [[reference]], groups, language, intended=intended).value


def test_every_instance_scores_as_in_the_release_when_all_moved(oracle: dict[str, Any], language: str) -> None:
    instances = oracle["instances"].values()
    scores = body_part_match(
        [instance["prediction"] for instance in instances],
        [instance["references"] for instance in instances],
        np.ones((len(instances), len(GROUPS)), dtype=np.bool_),
        language,
    )
    released_scores = [instance["scores"]["body_part_match_all_moved"] for instance in instances]
    np.testing.assert_allclose(scores.instances, released_scores, atol=1e-6)
    assert scores.value == pytest.approx(oracle["corpus"]["body_part_match_all_moved"], abs=1e-6)


@pytest.mark.parametrize(
    ("prediction", "reference", "moved", "as_released", "as_intended"),
    [
        ("bend your elbows", "bend both elbows", ("left elbow",), 2, 1),  # "elbow" and "elbows"
        ("bend your left knee", "bend your right knee", ("left knee", "right knee"), 0, 0),
        ("bend your left knee", "bend your right knee", ("right knee",), 1, 0),  # "knee", of either side
        ("bend your left knee", "bend your left knee", ("left knee",), 1, 1),  # the phrase blocks "knee" in the release
        ("bend your left knee", "bend your left knee", ("right knee",), 1, 0),  # the side that does not move
        ("bend your left knee", "bend your knee", ("left knee", "right knee"), 0, 1),  # a side against none
        ("bend your knees", "bend both knees", ("left knee", "right knee"), 2, 2),
        ("lower your shoulders", "lower the shoulders", ("right shoulder",), 1, 1),  # the list lacks "shoulders"
        ("look ahead", "turn around", ALL, 0, 0),
        ("a charming smile", "stand on the farm", ALL, 1, 0),  # "arm" in "charming" and "farm"
        ("Raise your hand", "raise a hand.", ("left hand",), 1, 1),
        ("tilt your head", "tilt your head", (), 0, 0),
        ("raise your leg", "raise your thigh", ("left leg",), 0, 1),  # two words of a group
        ("raise left and right hands", "raise your left hand", ("left hand", "right hand"), 1, 1),
        ("raise left and right hands", "raise both hands", ("left hand", "right hand"), 2, 2),
    ],
)
def test_a_moved_body_part_scores_if_both_name_it(
    prediction: str, reference: str, moved: tuple[str, ...], as_released: int, as_intended: int
) -> None:
    assert score(prediction, reference, moved, intended=False) == as_released
    assert score(prediction, reference, moved, intended=True) == as_intended


@pytest.mark.parametrize(
    ("prediction", "reference", "moved", "as_released", "as_intended"),
    [
        ("अपनी एड़ी उठाएं", "अपनी एड़ी उठाएं।", ("right foot",), 0, 1),  # the typing error of the list
        ("बाएं घुटने को मोड़ें", "दाहिने घुटने को मोड़ें", ("left knee", "right knee"), 0, 0),
        ("बाएं घुटने को मोड़ें", "बाईं ओर घुटने को मोड़ें", ("left knee", "right knee"), 0, 1),
        ("दाएं और बाएं हाथ", "बाएं हाथ", ("left hand", "right hand"), 1, 1),
        ("पैर की अंगुली", "पैर की अंगुली", ("left leg", "left toe"), 2, 1),  # a toe is no leg
    ],
)
def test_hindi_is_read_alike(
    prediction: str, reference: str, moved: tuple[str, ...], as_released: int, as_intended: int
) -> None:
    assert score(prediction, reference, moved, "hi", intended=False) == as_released
    assert score(prediction, reference, moved, "hi", intended=True) == as_intended


def test_the_mean_is_over_the_first_three_references() -> None:
    moved = np.ones((1, len(GROUPS)), dtype=np.bool_)
    assert body_part_match(["neck"], [["neck", "neck", "head", "neck"]], moved, "en").value == pytest.approx(2 / 3)


@pytest.mark.parametrize("shape", [(2, 22), (1, 21), (22,)])
def test_groups_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="moved groups"):
        body_part_match(["neck"], [["neck"]], np.ones(shape, dtype=np.bool_), "en")


def test_a_language_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="“de”"):
        body_part_match(["neck"], [["neck"]], np.ones((1, 22), dtype=np.bool_), "de")


@pytest.mark.parametrize("side", ["बाएं", "बाएँ", "बायां", "बायीं"])
def test_a_side_is_told_however_it_is_spelt(side: str) -> None:
    """The release's lists lack most of these."""
    moved = np.ones((1, 22), dtype=np.bool_)
    for other, expected in (("दाहिने", 0), ("बाईं", 1)):
        texts = [f"{side} घुटने को मोड़ें"], [[f"{other} घुटने को मोड़ें"]]
        assert body_part_match(*texts, moved, "hi", intended=True).value == expected
