"""Figures of an answer, uncertain joints and attention maps."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from demo.views import figures
from demo.views.figures import AROUND, NOWHERE, Mask, WordLook, place, skeletons, uncertain_joints, word_looks
from fmp_models.describe.descriptions import CheckedClause
from fmp_models.estimators.base import PoseEstimate, sampled_joints
from fmp_models.geometry.measured_changes import VISIBLE
from fmp_models.inference.correction import AttentionMap, MeasuredPhotographs
from fmp_models.pose import INDEX, JOINTS, Array, Pose, PosePair
from fmp_models.preprocessing import PersonCrop, Photograph
from tests.named_clauses import named_clause

# Someone who stands facing the camera, in metres from the hips: right of the picture is the person's left.
STANDING = {
    "hip": (0, 0), "spine": (0, -0.25), "neck": (0, -0.5), "head": (0, -0.68),
    "right_shoulder": (-0.18, -0.48), "right_elbow": (-0.22, -0.2),
    "right_wrist": (-0.24, 0.05), "right_hand": (-0.24, 0.12),
    "left_shoulder": (0.18, -0.48), "left_elbow": (0.22, -0.2), "left_wrist": (0.24, 0.05), "left_hand": (0.24, 0.12),
    "right_hip": (-0.1, 0), "right_knee": (-0.11, 0.42), "right_ankle": (-0.12, 0.82), "right_foot": (-0.14, 0.88),
    "left_hip": (0.1, 0), "left_knee": (0.11, 0.42), "left_ankle": (0.12, 0.82), "left_foot": (0.14, 0.88),
}  # fmt: skip


def standing() -> Array:
    return np.array([[*STANDING[name], 0.0] for name in JOINTS])


def arm_out() -> Array:
    joints = standing()
    for name, x in (("left_elbow", 0.45), ("left_wrist", 0.7), ("left_hand", 0.78)):
        joints[INDEX[name]] = (x, -0.48, 0.0)
    return joints


def seen_at(
    joints: Array, size: tuple[int, int], scale: float, hip: tuple[float, float]
) -> tuple[Photograph, PoseEstimate]:
    """Return a photograph in which the person is painted white on grey, and its estimate."""
    at = joints[:, :2] * scale + np.array(hip)
    image = Image.new("RGB", size, (90, 110, 120))
    draw = ImageDraw.Draw(image)
    for parent, child in figures.BONES:
        draw.line([tuple(at[parent]), tuple(at[child])], fill="white", width=max(round(0.08 * scale), 1))
    low, high = at.min(axis=0), at.max(axis=0)
    return Photograph(image), PoseEstimate(Pose(joints, np.ones(20)), at, (*low, *high), 1)


def seen(first: tuple[Photograph, PoseEstimate], second: tuple[Photograph, PoseEstimate]) -> MeasuredPhotographs:
    return MeasuredPhotographs((first[0], second[0]), (first[1], second[1]))


def decoded(uri: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2])))


def test_ramp_can_be_told_apart_without_red_green_vision() -> None:
    # Deuteranopia after Machado, Oliveira and Fernandes (2009), on linear light.
    machado = np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]])
    colours = (np.array(figures.RAMP) / 255) ** 2.2
    seen_colours = np.clip(colours @ machado.T, 0, 1) ** (1 / 2.2)

    assert min(np.linalg.norm(one - other) for one, other in combinations(seen_colours, 2)) > 0.3


def test_ramp_runs_from_still_to_far_and_stays_there() -> None:
    assert figures.ramp_colour(0) == "#56b4e9"
    assert figures.ramp_colour(figures.FAR_CM) == figures.ramp_colour(500) == "#d55e00"


def test_skeleton_lies_on_the_body_of_the_picture_it_covers() -> None:
    both = seen(seen_at(standing(), (900, 900), 220, (300, 420)), seen_at(arm_out(), (900, 900), 220, (300, 420)))
    skeleton, _ = figures.skeletons(both, uncertain_joints(both.pair, ()))

    picture = np.asarray(decoded(skeleton.picture).convert("L"), float)
    assert picture.shape == (skeleton.size[1], skeleton.size[0])
    dots = [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', skeleton.drawing)]
    assert len(dots) == 20
    assert all(picture[round(y) - 4 : round(y) + 5, round(x) - 4 : round(x) + 5].max() > 220 for x, y in dots)


def test_moved_joints_are_drawn_larger_and_hidden_bones_dashed() -> None:
    photograph, estimate = seen_at(standing(), (600, 600), 200, (300, 300))
    visibility = np.ones(20)
    visibility[INDEX["right_hand"]] = 0.1
    hidden = PoseEstimate(Pose(standing(), visibility), estimate.image_joints, estimate.box, 1)
    both = seen((photograph, hidden), seen_at(arm_out(), (600, 600), 200, (300, 300)))
    skeleton, goal = figures.skeletons(both, uncertain_joints(both.pair, ()))

    radii = [float(r) for r in re.findall(r' r="([\d.]+)"', skeleton.drawing)]
    assert radii[INDEX["left_hand"]] > 1.5 * radii[INDEX["right_foot"]]
    assert skeleton.drawing.count("stroke-dasharray") == 2  # the one bone that ends in the hidden hand, and its halo
    assert "stroke-dasharray" not in goal.drawing  # where the same hand is seen


def test_one_camera_leaves_the_goal_where_it_was() -> None:
    first = seen_at(standing(), (640, 480), 150, (300, 220))
    second = seen_at(arm_out(), (640, 480), 150, (330, 220))

    picture = figures.difference(seen(first, second))

    assert not picture.aligned
    start, red = decoded(picture.start), decoded(picture.goal)
    assert start.size == red.size == picture.size
    alpha = np.asarray(red.getchannel("A"), float)
    assert alpha.max() > 240
    assert alpha[:, :3].max() == alpha[:3].max() == 0  # nothing at the border: only the person is red
    rgb = np.asarray(red.convert("RGB"), float)[alpha > 200]
    assert rgb[:, 0].mean() > 2 * rgb[:, 1].mean()


def test_other_framing_is_brought_hip_on_hip_and_to_one_size() -> None:
    first = seen_at(standing(), (400, 640), 200, (200, 300))
    second = seen_at(arm_out(), (1000, 700), 80, (700, 350))

    picture = figures.difference(seen(first, second))

    assert picture.aligned
    start = np.asarray(decoded(picture.start).convert("L"), float) > 225  # white, not the grey beyond the picture
    goal = np.asarray(decoded(picture.goal).getchannel("A"), float) > 200
    rows_start, rows_goal = np.flatnonzero(start.any(axis=1)), np.flatnonzero(goal.any(axis=1))
    height = rows_start[-1] - rows_start[0]
    assert abs(rows_goal[-1] - rows_start[-1]) < 0.1 * height
    assert abs(rows_goal[0] - rows_start[0]) < 0.1 * height


def test_a_moved_camera_is_noticed_though_the_sizes_are_equal() -> None:
    first = seen_at(standing(), (640, 480), 150, (300, 220))
    photograph, estimate = seen_at(arm_out(), (640, 480), 150, (330, 220))
    painted = np.asarray(photograph.image).copy()
    painted[:, 480:] = np.random.default_rng(0).integers(0, 255, (480, 160, 3))
    painted[:, :160] = 255
    second = (Photograph(Image.fromarray(painted)), estimate)

    assert figures.difference(seen(first, second)).aligned


def test_figures_carry_no_metadata() -> None:
    image = Image.new("RGB", (80, 80))
    exif = image.getexif()
    exif[0x010F] = "Maker"
    image.info["exif"] = exif.tobytes()

    assert not decoded(figures.data_uri(image, "JPEG")).getexif()
    assert b"Exif" not in base64.b64decode(figures.data_uri(image, "JPEG").partition(",")[2])


def test_heads_of_others_are_told_where_the_cut_shows_them() -> None:
    photograph, estimate = seen_at(standing(), (900, 600), 200, (450, 300))
    beside, away = (510.0, 160.0, 30.0), (850.0, 160.0, 30.0)
    pair = seen((photograph, replace(estimate, heads=(beside, away))), (photograph, estimate))

    current, target = figures.skeletons(pair, (np.zeros(20, bool), np.zeros(20, bool)))

    ((x, y, radius),) = current.heads
    assert (x / current.zoom + current.origin[0], y / current.zoom + current.origin[1]) == pytest.approx(
        beside[:2], abs=0.2
    )
    assert radius / current.zoom == pytest.approx(beside[2], abs=0.2)
    assert target.heads == ()


def photographed(joints: Array, visibility: Array, inside: Array | None = None, *looks: Array) -> Pose:
    """Return a pose as an estimator gives it."""
    inside = np.ones(20, dtype=bool) if inside is None else inside
    bodies = sampled_joints(np.stack([joints, *looks]), visibility, inside)
    return Pose(joints, np.where(inside, visibility, 0.0), pose_samples=bodies)


def without(*names: str) -> Array:
    return np.array([name not in names for name in JOINTS])


def named(mask: Mask) -> set[str]:
    return {JOINTS[number] for number in np.flatnonzero(mask)}


def unseen(part: str) -> CheckedClause:
    return CheckedClause("I could not see it.", named_clause(part, "unseen"), None, 0.5, (0, 5))


SEEN = photographed(standing(), np.ones(20))
ARM = {"left_elbow", "left_wrist", "left_hand"}


def test_what_lies_outside_the_picture_is_unsure_there_and_only_there() -> None:
    cut = photographed(arm_out(), np.ones(20), without("left_hand", "left_wrist"))

    current, target = uncertain_joints(PosePair(SEEN, cut), ())

    assert named(current) == set()
    assert named(target) == {"left_hand", "left_wrist"}


def test_joints_that_looks_find_at_different_places_are_unsure() -> None:
    elsewhere = standing()
    elsewhere[INDEX["right_knee"]] += (0.4, 0.0, 0.0)

    current, _ = uncertain_joints(PosePair(photographed(standing(), np.ones(20), None, elsewhere), SEEN), ())

    assert named(current) == {"right_knee"}


def test_a_hidden_joint_whose_place_is_known_is_drawn_as_the_text_speaks_of_it() -> None:
    visibility = np.ones(20)
    visibility[[INDEX[name] for name in ARM]] = VISIBLE - 0.3
    moved = CheckedClause("Raise your left arm.", named_clause("left arm", "up"), True, 0.97, (0, 4))  # noqa: FBT003  the verdict

    current, target = uncertain_joints(PosePair(photographed(standing(), visibility), SEEN), [moved])

    assert named(current) == named(target) == set()


@pytest.mark.parametrize(
    ("part", "joints"),
    [
        ("left arm", ARM),
        ("left forearm", ARM - {"left_elbow"}),
        ("both legs", {f"{side}_{name}" for side in ("left", "right") for name in ("knee", "ankle", "foot")}),
        ("both forearms", {f"{side}_{name}" for side in ("left", "right") for name in ("wrist", "hand")}),
    ],
)
def test_a_limb_that_the_text_could_not_judge_is_unsure_where_it_is_seen_less(part: str, joints: set[str]) -> None:
    visibility = np.full(20, 0.2)

    current, target = uncertain_joints(PosePair(SEEN, photographed(standing(), visibility)), [unseen(part)])

    assert named(current) == set()
    assert named(target) == joints
    back, there = uncertain_joints(PosePair(photographed(standing(), visibility), SEEN), [unseen(part)])
    assert (named(back), named(there)) == (joints, set())


def test_a_limb_that_is_doubted_alike_in_both_photographs_is_unsure_in_both() -> None:
    current, target = uncertain_joints(PosePair(SEEN, photographed(standing(), np.ones(20))), [unseen("left arm")])

    assert named(current) == named(target) == ARM


def test_joints_of_which_nobody_says_what_else_is_plausible_are_unsure_where_they_are_hidden() -> None:
    visibility = np.full(20, VISIBLE)
    visibility[INDEX["head"]] -= 0.01
    known = Pose(standing(), visibility)

    current, target = uncertain_joints(PosePair(known, replace(known, visibility=np.ones(20))), ())

    assert named(current) == {"head"}
    assert named(target) == set()


GRID = 7
WHOLE = PersonCrop(0, 0, 700)


def pair() -> MeasuredPhotographs:
    """Someone at 100 pixels a metre in the middle of 700 pixels, then with the left arm out."""
    estimates = [seen_at(joints, (700, 700), 300, (350, 350)) for joints in (standing(), arm_out())]
    return seen(estimates[0], estimates[1])


def grid_at(name: str, joints: Array) -> Array:
    """All of the weight on the cell in which a joint lies."""
    across, down = (joints[INDEX[name], :2] * 300 + 350) / 700 * GRID
    grid = np.zeros((GRID, GRID))
    grid[int(down), int(across)] = 1
    return grid


def at_joint(name: str) -> Array:
    weights = np.zeros(20)
    weights[INDEX[name]] = 1
    return weights


def looks_of(*looks: AttentionMap) -> tuple[WordLook, ...]:
    return word_looks(looks, (WHOLE, WHOLE), pair())


def only(look: AttentionMap) -> WordLook:
    (look_of_word,) = looks_of(look)
    return look_of_word


def test_levels_are_where_the_weights_are() -> None:
    grid = grid_at("left_hand", arm_out())

    look = only(AttentionMap(grid, None, at_joint("left_hand"), None))

    assert look.current == "".join("z" if weight else "0" for weight in grid.ravel())
    assert look.target == ""
    assert look.joints == "".join("z" if number == INDEX["left_hand"] else "0" for number in range(20))


def test_a_word_that_looks_nowhere_in_particular_says_so() -> None:
    even = np.full((GRID, GRID), 1 / GRID**2)

    look = only(AttentionMap(even, even, np.full(20, 1 / 20), np.full(20, 1 / 20)))

    assert set(look.current + look.target + look.joints) == {"0"}
    assert look.at_pictures == look.at_joints == (NOWHERE,)


def test_a_slight_preference_is_drawn_faintly() -> None:
    grid = np.full((GRID, GRID), 1.0)
    grid[3, 3] = 1.2

    (strongest,) = sorted(set(only(AttentionMap(grid / grid.sum(), None, None, None)).current))[1:]

    assert "0" < strongest < "5"


def test_what_lies_where_the_photograph_is_looked_at_is_named() -> None:
    look = only(AttentionMap(None, grid_at("left_hand", arm_out()), None, None))

    assert look.at_pictures[0] == "parts.left_hand"
    assert not any("right" in part for part in look.at_pictures)
    assert look.at_joints == ()


def test_a_look_beside_the_body_says_so() -> None:
    corner = np.zeros((GRID, GRID))
    corner[0, 0] = 1

    assert only(AttentionMap(corner, corner, None, None)).at_pictures == (AROUND,)


@pytest.mark.parametrize(
    ("joint", "part"), [("hip", "trunk"), ("left_hip", "trunk"), ("neck", "trunk"), ("right_ankle", "right_foot")]
)
def test_every_joint_speaks_for_a_part(joint: str, part: str) -> None:
    assert only(AttentionMap(None, None, at_joint(joint), None)).at_joints == (f"parts.{part}",)


def test_joints_and_their_differences_count_alike() -> None:
    look = only(AttentionMap(None, None, at_joint("head"), at_joint("left_foot")))

    assert set(look.at_joints) == {"parts.head", "parts.left_foot"}
    assert look.joints[INDEX["head"]] == look.joints[INDEX["left_foot"]] != "0"


def test_a_model_without_eyes_has_no_looks() -> None:
    assert looks_of() == ()
    assert looks_of(AttentionMap(None, None, None, None)) == ()


def test_the_square_lies_over_the_figure_as_over_the_photograph() -> None:
    measured_pair = pair()
    skeleton, _ = skeletons(measured_pair, uncertain_joints(measured_pair.pair, ()))
    square = PersonCrop(200, 100, 300)

    left, top, width, height = (float(share) / 100 for share in re.findall(r"([-\d.]+)%", place(square, skeleton)))

    hip = measured_pair.estimates[0].image_joints[INDEX["hip"]]
    dot = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', skeleton.drawing)[INDEX["hip"]]
    inside = (hip - (square.left, square.top)) / square.side
    drawn = np.array([float(value) for value in dot]) / skeleton.size
    assert np.allclose((left, top) + inside * (width, height), drawn, atol=2e-3)
