"""The estimator on real photographs and on frames of the public release: who is found, and that the axes are as said.

What the pictures show was written down by looking at them: both photographs and the man in black face the camera, the
warrior's bent leg is the one at the picture's left, which is his right.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageOps

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.pose import INDEX, angle, in_pelvis_frame, mirror, yaw
from fmp_models.preprocessing import Photograph
from tests.thoroughness import one_of, some, thorough

pytestmark = pytest.mark.real

PHOTOS = ["photos/standing.jpg", "photos/warrior2.jpg"]
PAIR = ["fixmypose_pair/current.png", "fixmypose_pair/target.png"]
RETRIEVAL = ["fixmypose_retrieval/current.png", *(f"fixmypose_retrieval/candidate_{i}.png" for i in range(10))]
FACING = [f"fixmypose_retrieval/candidate_{i}.png" for i in (1, 4, 6, 7, 8)]
HANDS_BEFORE_CHEST = ["fixmypose_retrieval/current.png", *(f"fixmypose_retrieval/candidate_{i}.png" for i in (2, 9))]
EVERY = PHOTOS + PAIR + RETRIEVAL

ReadPhotograph = Callable[[str], Photograph]


@pytest.fixture(scope="module")
def estimate_of(estimator: MediaPipeEstimator, read_shared_photograph: ReadPhotograph) -> Callable[[str], PoseEstimate]:
    known: dict[str, PoseEstimate] = {}

    def look(name: str) -> PoseEstimate:
        if name not in known:
            known[name] = estimator.estimate(read_shared_photograph(name))
        return known[name]

    return look


def joint(estimate: PoseEstimate, name: str) -> np.ndarray:
    return estimate.pose.joints[INDEX[name]]


def bend(estimate: PoseEstimate, side: str, parts: tuple[str, str, str]) -> float:
    """Degrees between the two bones that meet in the middle joint; 180 is straight."""
    upper, middle, lower = (joint(estimate, f"{side}_{part}") for part in parts)
    return float(angle(upper - middle, lower - middle))


def side_by_side(*images: Image.Image) -> Image.Image:
    height = min(image.height for image in images)
    scaled = [image.resize((image.width * height // image.height, height)) for image in images]
    wide_picture = Image.new("RGB", (sum(image.width for image in scaled), height))
    for image, left in zip(scaled, np.cumsum([0, *(image.width for image in scaled)]), strict=False):
        wide_picture.paste(image, (int(left), 0))
    return wide_picture


@pytest.mark.parametrize("name", some(EVERY, 3))
def test_the_one_person_is_found(
    estimate_of: Callable[[str], PoseEstimate], read_shared_photograph: ReadPhotograph, name: str
) -> None:
    estimate, image = estimate_of(name), read_shared_photograph(name).image
    assert estimate.people == 1
    left, top, right, bottom = estimate.box
    assert 0 <= left < right <= image.width
    assert 0 <= top < bottom <= image.height
    inside = (estimate.image_joints >= (left, top)) & (estimate.image_joints <= (right, bottom))
    assert inside.all()
    assert not estimate.pose.placed


@pytest.mark.parametrize("name", some(EVERY, 3))
def test_the_body_has_the_size_of_a_person(estimate_of: Callable[[str], PoseEstimate], name: str) -> None:
    estimate = estimate_of(name)
    trunk = np.linalg.norm(joint(estimate, "neck") - joint(estimate, "hip"))
    thighs = [np.linalg.norm(joint(estimate, f"{s}_knee") - joint(estimate, f"{s}_hip")) for s in ("left", "right")]
    assert 0.35 < trunk < 0.7
    assert all(0.25 < thigh < 0.6 for thigh in thighs)
    assert joint(estimate, "hip") == pytest.approx((0, 0, 0), abs=0.02)


@pytest.mark.parametrize("name", some(EVERY, 3))
def test_x_runs_right_and_y_down_as_in_the_picture(estimate_of: Callable[[str], PoseEstimate], name: str) -> None:
    estimate = estimate_of(name)
    metres, pixels = estimate.pose.joints[:, :2], estimate.image_joints
    centred_metres, centred_pixels = metres - metres[0], pixels - pixels[0]
    # One number of pixels per metre explains both axes, up to perspective and MediaPipe's own idea of the body.
    scale = (centred_metres * centred_pixels).sum() / (centred_metres**2).sum()
    left_over = np.linalg.norm(centred_pixels - scale * centred_metres) / np.linalg.norm(centred_pixels)
    assert scale > 0
    assert left_over < 0.25


@pytest.mark.parametrize("name", HANDS_BEFORE_CHEST)
def test_z_runs_away_from_the_camera(estimate_of: Callable[[str], PoseEstimate], name: str) -> None:
    estimate = estimate_of(name)
    for side in ("left", "right"):
        assert joint(estimate, f"{side}_hand")[2] < joint(estimate, "spine")[2] - 0.1
        assert in_pelvis_frame(estimate.pose.joints)[INDEX[f"{side}_hand"], 2] > 0.1


@pytest.mark.parametrize("name", some([*PHOTOS, *FACING, *HANDS_BEFORE_CHEST], 3))
def test_left_is_the_persons_own_left(estimate_of: Callable[[str], PoseEstimate], name: str) -> None:
    estimate = estimate_of(name)
    for part in ("shoulder", "hip"):
        assert joint(estimate, f"left_{part}")[0] > joint(estimate, f"right_{part}")[0]
    assert abs(float(yaw(estimate.pose.joints))) < 45


def test_the_warrior_stands_as_the_picture_shows(estimate_of: Callable[[str], PoseEstimate]) -> None:
    warrior = estimate_of("photos/warrior2.jpg")
    leg, arm = ("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist")
    assert 80 < bend(warrior, "right", leg) < 130
    assert bend(warrior, "left", leg) > 140
    for side in ("left", "right"):
        assert bend(warrior, side, arm) > 150
        assert abs(joint(warrior, f"{side}_wrist")[1] - joint(warrior, f"{side}_shoulder")[1]) < 0.12
    assert joint(warrior, "left_wrist")[0] - joint(warrior, "right_wrist")[0] > 1.05
    assert joint(warrior, "left_ankle")[0] - joint(warrior, "right_ankle")[0] > 0.7
    assert warrior.pose.visibility.min() > 0.8


def test_the_man_stands_upright_with_folded_arms(estimate_of: Callable[[str], PoseEstimate]) -> None:
    standing = estimate_of("photos/standing.jpg")
    heights = [joint(standing, name)[1] for name in ("head", "neck", "spine", "hip", "left_knee", "left_ankle")]
    assert heights == sorted(heights)
    for side in ("left", "right"):
        assert bend(standing, side, ("hip", "knee", "ankle")) > 155
        assert bend(standing, side, ("shoulder", "elbow", "wrist")) < 130


def test_image_joints_lie_on_the_body(estimate_of: Callable[[str], PoseEstimate]) -> None:
    # Read off the picture, in pixels.
    marked = {
        "right_wrist": (290, 305),
        "left_wrist": (707, 315),
        "right_knee": (352, 490),
        "left_knee": (605, 548),
        "right_ankle": (350, 608),
        "left_ankle": (703, 613),
        "head": (485, 272),
    }
    warrior = estimate_of("photos/warrior2.jpg")
    for name, place in marked.items():
        assert warrior.image_joints[INDEX[name]] == pytest.approx(place, abs=22), name


@pytest.mark.parametrize("name", some(EVERY, 2))
def test_a_mirrored_photograph_gives_the_mirrored_pose(
    estimator: MediaPipeEstimator,
    estimate_of: Callable[[str], PoseEstimate],
    read_shared_photograph: ReadPhotograph,
    name: str,
) -> None:
    image = read_shared_photograph(name).image
    mirrored = estimator.estimate(Photograph(ImageOps.mirror(image)))
    apart = np.linalg.norm(mirror(mirrored.pose).joints - estimate_of(name).pose.joints, axis=1)
    assert apart.mean() < (0.03 if name in PHOTOS else 0.10)
    left, _, right, _ = mirrored.box
    assert (image.width - right, image.width - left) == pytest.approx(
        (estimate_of(name).box[0], estimate_of(name).box[2]), abs=25
    )


@thorough
@pytest.mark.parametrize("name", some(EVERY, 2))
def test_cutting_a_little_off_the_edges_hardly_moves_the_joints(
    estimator: MediaPipeEstimator,
    estimate_of: Callable[[str], PoseEstimate],
    read_shared_photograph: ReadPhotograph,
    name: str,
) -> None:
    image = read_shared_photograph(name).image
    for left, top, right, bottom in ((0.06, 0, 0, 0), (0, 0.05, 0, 0), (0, 0, 0.07, 0), (0.03, 0.02, 0.05, 0.02)):
        edges = (left * image.width, top * image.height, (1 - right) * image.width, (1 - bottom) * image.height)
        cut = estimator.estimate(Photograph(image.crop(tuple(int(edge) for edge in edges))))
        apart = np.linalg.norm(cut.pose.joints - estimate_of(name).pose.joints, axis=1)
        # A person in the retrieval pictures is 50 pixels tall: a pixel there is three centimetres.
        assert apart.mean() < (0.06 if name in PHOTOS else 0.15)


@pytest.mark.parametrize("degrees", one_of([60, 90, 180, -45]))
def test_a_tilted_photograph_gives_the_tilted_pose(
    estimator: MediaPipeEstimator, read_shared_photograph: ReadPhotograph, degrees: int
) -> None:
    image = read_shared_photograph("photos/warrior2.jpg").image
    tilted = estimator.estimate(Photograph(image.rotate(degrees, expand=True, fillcolor="white")))
    turn = np.radians(degrees)
    back = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    upright = estimator.estimate(Photograph(image)).pose.joints
    assert np.linalg.norm(tilted.pose.joints @ back.T - upright, axis=1).mean() < 0.12


@pytest.mark.parametrize("first", one_of([0, 1]))
def test_of_several_people_the_largest_is_measured_or_who_is_at_a_place(
    estimator: MediaPipeEstimator,
    estimate_of: Callable[[str], PoseEstimate],
    read_shared_photograph: ReadPhotograph,
    first: int,
) -> None:
    standing, warrior = (read_shared_photograph(name).image for name in PHOTOS)
    # Cut closer, or the sky beside the warrior leaves both so small that not every detector finds the second.
    images = [standing, warrior.crop((200, 150, 800, warrior.height))]
    order = [images[first], images[1 - first]]
    both = side_by_side(*order)
    estimate = estimator.estimate(Photograph(both))
    assert estimate.people == 2
    border = order[0].width * both.height / order[0].height
    left, _, right, _ = estimate.box
    assert (left > border) if first == 0 else (right < border)
    apart = np.linalg.norm(estimate.pose.joints - estimate_of("photos/warrior2.jpg").pose.joints, axis=1)
    assert apart.mean() < 0.15

    ((left, top, right, bottom),) = estimate.others
    assert (right < border) if first == 0 else (left > border)
    there = (left + right) / 2 / both.width, (top + bottom) / 2 / both.height
    other = estimator.estimate_near(Photograph(both), there)
    assert (other.box[2] < border) if first == 0 else (other.box[0] > border)
    assert other.people == 2
    apart = np.linalg.norm(other.pose.joints - estimate_of("photos/standing.jpg").pose.joints, axis=1)
    assert apart.mean() < 0.15


@pytest.mark.parametrize("bottom", one_of([150, 200]))
def test_a_head_and_shoulders_are_too_little_of_a_body(
    estimator: MediaPipeEstimator, read_shared_photograph: ReadPhotograph, bottom: int
) -> None:
    image = read_shared_photograph("photos/standing.jpg").image.crop((0, 0, 399, bottom))
    with pytest.raises(BadInputError) as refused:
        estimator.estimate(Photograph(image))
    assert refused.value.code == "body_hidden"


def test_joints_outside_the_picture_are_not_seen(
    estimator: MediaPipeEstimator, read_shared_photograph: ReadPhotograph
) -> None:
    image = read_shared_photograph("photos/warrior2.jpg").image.crop((0, 0, 1000, 540))
    visibility = estimator.estimate(Photograph(image)).pose.visibility
    below = [INDEX[name] for name in ("left_foot", "right_foot", "left_ankle", "right_ankle")]
    assert visibility[below].max() < 0.6
    assert visibility[below].mean() < 0.4
    assert visibility[[INDEX["left_wrist"], INDEX["right_wrist"], INDEX["hip"]]].min() > 0.8


@pytest.mark.parametrize(
    ("name", "box"),
    some(
        [
            ("fixmypose_pair/current.png", (330, 0, 578, 295)),
            ("fixmypose_pair/current.png", (0, 0, 240, 295)),
            ("fixmypose_retrieval/current.png", (190, 0, 385, 197)),
            ("fixmypose_retrieval/current.png", (0, 0, 110, 197)),
            ("photos/warrior2.jpg", (0, 0, 1000, 230)),
        ],
        2,
    ),
)
def test_a_room_or_sky_without_a_person_has_none(
    estimator: MediaPipeEstimator, read_shared_photograph: ReadPhotograph, name: str, box: tuple[int, int, int, int]
) -> None:
    with pytest.raises(BadInputError) as refused:
        estimator.estimate(Photograph(read_shared_photograph(name).image.crop(box)))
    assert refused.value.code == "no_person"


@pytest.mark.parametrize("mirrored", [(False,), (True,), (False, True)])
@pytest.mark.parametrize("name", some([*PHOTOS, *PAIR], 2))
def test_few_looks_where_the_person_is_known_to_be_find_nearly_the_same(
    estimator: MediaPipeEstimator,
    read_shared_photograph: ReadPhotograph,
    estimate_of: Callable[[str], PoseEstimate],
    name: str,
    mirrored: tuple[bool, ...],
) -> None:
    whole_estimate = estimate_of(name)
    few = estimator.estimate_at(read_shared_photograph(name), box_of(whole_estimate), mirrored)
    apart = np.linalg.norm(few.pose.joints - whole_estimate.pose.joints, axis=1)
    assert apart.mean() < (0.05 if len(mirrored) > 1 else 0.12)


@pytest.mark.parametrize("name", PHOTOS)
def test_two_looks_at_a_mirrored_picture_give_the_mirrored_pose(
    estimator: MediaPipeEstimator,
    read_shared_photograph: ReadPhotograph,
    estimate_of: Callable[[str], PoseEstimate],
    name: str,
) -> None:
    image = read_shared_photograph(name).image
    left, top, right, bottom = (float(round(edge / 2) * 2) for edge in box_of(estimate_of(name)))
    other = estimator.estimate_at(
        Photograph(ImageOps.mirror(image)), (image.width - right, top, image.width - left, bottom)
    )
    straight = estimator.estimate_at(Photograph(image), (left, top, right, bottom))
    assert np.linalg.norm(mirror(other.pose).joints - straight.pose.joints, axis=1).mean() < 0.02


def test_who_is_not_where_the_box_says_is_searched_for_nowhere_else(
    estimator: MediaPipeEstimator, read_shared_photograph: ReadPhotograph
) -> None:
    with pytest.raises(BadInputError) as refused:
        estimator.estimate_at(read_shared_photograph(PHOTOS[0]), (0.0, 0.0, 8.0, 8.0))
    assert refused.value.code == "no_person"


def box_of(estimate: PoseEstimate) -> tuple[float, float, float, float]:
    (left, top), (right, bottom) = estimate.image_joints.min(axis=0), estimate.image_joints.max(axis=0)
    return float(left), float(top), float(right), float(bottom)
