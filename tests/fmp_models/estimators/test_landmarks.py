"""Landmarks become joints, lifted joints, agreed looks and tracked people."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from mediapipe.tasks.python.vision.pose_landmarker import PoseLandmark
from PIL import Image
from safetensors.torch import save_file

from demo.examples.catalogue import EXAMPLES
from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.estimators import landmarks as landmarks_module
from fmp_models.estimators import mediapipe
from fmp_models.estimators.camera_tilt import TILT_COUNT, CameraTilt
from fmp_models.estimators.landmarks import (
    JOINT_SHARES,
    LANDMARK,
    LANDMARK_MIRROR,
    LANDMARKS,
    FoundPerson,
    FrameLandmarks,
    LandmarkLifter,
    LandmarkTracker,
    TrackedPerson,
    TrackingEstimator,
    agreed,
    bundled_lifter,
    disputed_joints,
    joints_of,
    lifted_joints,
    mirrored_landmarks,
    same_body,
)
from fmp_models.estimators.mediapipe import MediaPipeEstimator, MediaPipeTracker
from fmp_models.geometry.pose_values import elbow_angle
from fmp_models.networks.lifting_network import FEATURES, LiftingConfig, LiftingNetwork
from fmp_models.pose import BODY_SIDES, INDEX, JOINTS, MIRROR, in_pelvis_frame, mirrored_joints
from fmp_models.preprocessing import Photograph
from fmp_models.training.dataset_samples import WIDE_TEST, read_dataset
from fmp_models.training.landmarks import landmark_looks
from tests.bodies import Body, Leg, bodies


def test_landmarks_have_the_names_and_the_order_of_mediapipe() -> None:
    assert [mark.name.lower() for mark in PoseLandmark] == list(LANDMARKS)


def test_the_mirror_exchanges_sides_and_its_mirror_is_the_landmarks_themselves() -> None:
    assert [LANDMARK_MIRROR[number] for number in LANDMARK_MIRROR] == list(range(len(LANDMARKS)))
    assert LANDMARKS[LANDMARK_MIRROR[LANDMARKS.index("left_foot_index")]] == "right_foot_index"
    assert LANDMARKS[LANDMARK_MIRROR[0]] == "nose"


def test_joints_are_mixtures_and_those_of_mirrored_landmarks_are_mirrored() -> None:
    points = np.random.default_rng(1).normal(size=(2, len(LANDMARKS), 3))
    assert np.allclose(JOINT_SHARES.sum(axis=1), 1)
    assert np.allclose(joints_of(points[:, LANDMARK_MIRROR]), joints_of(points)[:, list(MIRROR)])


UPPER = [INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("shoulder", "elbow", "wrist", "hand")]
LOWER = [INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("hip", "knee", "ankle", "foot")]


def network(seed: int = 0, **sizes: int) -> LiftingNetwork:
    """Offsets that are none of nothing."""
    torch.manual_seed(seed)
    made = LiftingNetwork(LiftingConfig(**{"size": 16, "blocks": 2, **sizes}))  # type: ignore[arg-type]
    torch.nn.init.normal_(made.leave.weight, std=0.1)
    return made.eval()


def lifter(seed: int = 0, **sizes: int) -> LandmarkLifter:
    made = network(seed, **sizes)
    return LandmarkLifter({name: values.numpy() for name, values in made.state_dict().items()}, made.config.blocks, "")


def landmarks(seed: int) -> np.ndarray:
    """33 landmarks: pixels, metres and visibility; the shoulders are above the hips."""
    dice = np.random.default_rng(seed)
    pixels, metres = dice.normal(300, 60, (len(LANDMARKS), 2)), dice.normal(0, 0.4, (len(LANDMARKS), 3))
    metres[[LANDMARK["left_shoulder"], LANDMARK["right_shoulder"]], 1] -= 5
    return np.column_stack([pixels, metres, dice.uniform(0, 1, len(LANDMARKS))])


def test_without_offsets_joints_are_those_of_the_landmarks() -> None:
    seen = landmarks(1)[None].astype(np.float32)
    joints, rough = lifted_joints(seen, lambda features: np.zeros((len(features), len(JOINTS), 3), dtype=np.float32))
    assert np.allclose(joints, rough, atol=1e-6)


@given(st.integers(0, 2**16), st.integers(0, 9))
def test_in_a_mirror_joints_are_lifted_to_their_mirror_image(seed: int, weights: int) -> None:
    seen = landmarks(seed)
    plain = lifter(weights).joints(seen)
    mirrored = lifter(weights).joints(mirrored_landmarks(seen))
    assert np.allclose(mirrored, plain[list(MIRROR)] * [-1, 1, 1], atol=1e-4)


@given(st.integers(0, 2**16), st.floats(0.2, 4), st.floats(0.2, 4))
def test_a_person_elsewhere_in_a_larger_picture_or_of_another_height_is_lifted_alike(
    seed: int, larger: float, taller: float
) -> None:
    seen = landmarks(seed)
    resized = seen * np.array([larger, larger, taller, taller, taller, 1])
    resized[:, :2] += [100, -200]
    joints, other = lifter().joints(seen), lifter().joints(resized)
    assert np.allclose(other, joints * taller, atol=1e-3 * taller)


@pytest.mark.parametrize("blocks", [1, 3])
def test_what_is_computed_without_torch_is_what_torch_computes(blocks: int) -> None:
    features = np.random.default_rng(3).normal(size=(5, landmarks_module.FEATURES)).astype(np.float32)
    with torch.inference_mode():
        expected = network(4, blocks=blocks)(torch.from_numpy(features)).numpy()
    assert np.allclose(lifter(4, blocks=blocks)._offsets(features), expected, atol=1e-5)


def test_both_networks_know_how_many_numbers_a_look_has() -> None:
    assert landmarks_module.FEATURES == FEATURES


def test_hips_and_legs_stay_where_the_landmarks_have_them() -> None:
    seen = landmarks(5)
    _, (rough,) = lifted_joints(
        seen[None].astype(np.float32), lambda features: np.zeros((len(features), len(JOINTS), 3))
    )
    joints = lifter().joints(seen)
    assert np.allclose(joints[LOWER], rough[LOWER], atol=1e-5)
    assert not np.allclose(joints[UPPER], rough[UPPER], atol=1e-3)


def test_a_person_who_hangs_head_down_stays_as_the_landmarks_have_them() -> None:
    seen = landmarks(5) * np.array([1, -1, 1, -1, 1, 1])
    _, (rough,) = lifted_joints(
        seen[None].astype(np.float32), lambda features: np.zeros((len(features), len(JOINTS), 3))
    )
    assert np.allclose(lifter().joints(seen), rough, atol=1e-5)


@pytest.mark.parametrize(
    ("damage", "code", "file"),
    [
        ("no config", "model_incomplete", "config.json"),
        ("no weights", "model_incomplete", "model.safetensors"),
        ("no JSON", "model_damaged", "config.json"),
        ("another kind", "model_wrong_kind", None),
        ("cut", "model_damaged", "model.safetensors"),
        ("another shape", "model_damaged", "model.safetensors"),
        ("not finite", "model_damaged", "model.safetensors"),
        ("no last block", "model_damaged", "model.safetensors"),
    ],
)
def test_a_damaged_lifter_is_told_by_name(tmp_path: Path, damage: str, code: str, file: str | None) -> None:
    folder = tmp_path / "lifter"
    folder.mkdir()
    config, weights = folder / "config.json", folder / "model.safetensors"
    tensors = network(size=8).state_dict()
    kind = "estimator" if damage == "another kind" else "lifter"
    config.write_text("{" if damage == "no JSON" else json.dumps({"kind": kind, "network": {"blocks": 2}}))
    if damage == "another shape":
        tensors["enter.weight"] = tensors["enter.weight"][:, 1:].contiguous()
    if damage == "not finite":
        tensors["leave.bias"][0] = torch.nan
    if damage == "no last block":
        tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith("blocks.1")}
    save_file(tensors, weights)
    if damage == "cut":
        weights.write_bytes(weights.read_bytes()[:-100])
    if code == "model_incomplete":
        (folder / str(file)).unlink()
    with pytest.raises(BadInputError) as refused:
        bundled_lifter(folder)
    assert (refused.value.code, refused.value.details["model"]) == (code, "lifter")
    assert refused.value.details.get("file") == file
    assert str(tmp_path) not in str(refused.value)


def test_the_bundled_lifter_brings_simulated_arms_nearer_to_where_they_are(tmp_path: Path, pose_model: Path) -> None:
    dataset = read_dataset(FOLDER, "captioning", [WIDE_TEST, "test_unseen"])
    looks = landmark_looks(dataset, tmp_path, pose_model)
    picture, look = np.nonzero(looks.seen)
    assert len(picture) >= 10
    joints, rough = lifted_joints(looks.landmarks[picture, look], bundled_lifter()._offsets)

    def off(bodies: np.ndarray) -> float:
        return float(np.mean([abs(elbow_angle(bodies, side) - elbow_angle(truth, side)) for side in BODY_SIDES]))

    truth = looks.truth[picture]
    assert off(joints) < off(rough)


LEGS = [INDEX[f"{side}_{part}"] for side in ("left", "right") for part in ("knee", "ankle", "foot")]
LEFT_LIFTED = Body(left_leg=Leg(lift=80)).pose().joints
RIGHT_LIFTED = Body(right_leg=Leg(lift=80)).pose().joints


def look_at(joints: np.ndarray, visibility: float = 0.9) -> FoundPerson:
    return FoundPerson(joints[:, :2] * 100 + 200, joints, np.full(len(JOINTS), visibility), (100.0, 50.0, 300.0, 350.0))


def mirrored(look: FoundPerson) -> FoundPerson:
    left, top, right, bottom = look.box
    return replace(
        look,
        pixels=(look.pixels * (-1, 1) + (400, 0))[list(MIRROR)],
        metres=mirrored_joints(look.metres),
        box=(400 - right, top, 400 - left, bottom),
    )


def moved(joints: np.ndarray, name: str, metres: float) -> np.ndarray:
    result = joints.copy()
    result[INDEX[name]] += (0, metres, 0)
    return result


def test_looks_that_agree_are_averaged_and_a_strange_one_is_dropped() -> None:
    joints = Body().pose().joints
    assert agreed([look_at(joints), look_at(joints + 0.02)]).metres == pytest.approx(joints + 0.01)
    strange = look_at(joints[::-1], 0.5)
    assert np.array_equal(agreed([strange, look_at(joints)]).metres, joints)


@pytest.mark.parametrize("metres", [0.1, 0.3, 0.45])
def test_looks_that_err_to_either_side_are_of_one_mode(metres: float) -> None:
    joints = Body().pose().joints
    looks = [look_at(joints), look_at(moved(joints, "left_wrist", metres))]
    assert agreed(looks).metres == pytest.approx(moved(joints, "left_wrist", metres / 2))
    assert not disputed_joints(looks).any()


def test_a_body_that_most_looks_see_counts_more_than_one_clear_look() -> None:
    joints = Body().pose().joints
    looks = [look_at(joints, 0.4), look_at(joints, 0.4), look_at(joints[::-1], 0.95)]
    assert agreed(looks).metres == pytest.approx(joints)


@given(bodies, st.sampled_from(["left_wrist", "right_wrist", "left_ankle", "right_ankle"]), st.floats(0.5, 1.0))
def test_a_limb_that_changed_its_place_is_where_most_looks_see_it(body: Body, name: str, metres: float) -> None:
    joints = body.pose().joints
    looks = [look_at(joints)] * 5 + [look_at(moved(joints, name, metres))] * 3
    assert agreed(looks).metres == pytest.approx(joints)
    assert agreed(looks[::-1]).metres == pytest.approx(joints)


@given(st.lists(st.sampled_from([LEFT_LIFTED, RIGHT_LIFTED]), min_size=1, max_size=9))
def test_no_body_is_between_two_legs_that_looks_call_the_lifted_one(seen: list[np.ndarray]) -> None:
    body = agreed([look_at(joints) for joints in seen]).metres
    assert min(np.abs(body - LEFT_LIFTED).max(), np.abs(body - RIGHT_LIFTED).max()) < 1e-9


@given(st.lists(st.tuples(bodies, st.floats(0.1, 1)), min_size=1, max_size=5))
def test_mirrored_looks_agree_on_the_mirrored_body_and_differ_about_the_mirrored_limbs(
    seen: list[tuple[Body, float]],
) -> None:
    looks = [look_at(body.pose().joints, visibility) for body, visibility in seen]
    other = [mirrored(look) for look in looks]
    assert agreed(other).metres == pytest.approx(mirrored(agreed(looks)).metres)
    assert np.array_equal(disputed_joints(other), disputed_joints(looks)[list(MIRROR)])


@pytest.mark.parametrize(("left", "right", "disputed"), [(4, 4, True), (5, 4, True), (7, 1, False), (8, 0, False)])
def test_legs_are_disputed_where_looks_cannot_tell_left_from_right(left: int, right: int, *, disputed: bool) -> None:
    looks = [look_at(LEFT_LIFTED)] * left + [look_at(RIGHT_LIFTED)] * right
    found = disputed_joints(looks)
    assert found[LEGS].all() if disputed else not found.any()
    assert not found[[joint for joint in range(len(JOINTS)) if joint not in LEGS]].any()


def test_what_hangs_on_a_disputed_joint_is_disputed_too() -> None:
    joints = Body().pose().joints
    looks = [look_at(joints)] * 4 + [look_at(moved(joints, "left_elbow", 0.5))] * 4
    assert [JOINTS[joint] for joint in np.flatnonzero(disputed_joints(looks))] == [
        "left_elbow",
        "left_wrist",
        "left_hand",
    ]


def test_looks_that_call_another_leg_the_lifted_one_still_see_one_body() -> None:
    looks = [look_at(LEFT_LIFTED)] * 4 + [look_at(RIGHT_LIFTED)] * 4
    assert len(same_body(looks)) == len(looks)
    assert len(same_body([*looks, look_at(LEFT_LIFTED[::-1])])) == len(looks)


WARRIOR = next(pair for pair in EXAMPLES if pair.name == "warrior")


def picture(data: bytes = WARRIOR.target) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def followed(tracker: MediaPipeTracker, frame: Image.Image, frames: int = 5) -> TrackedPerson | None:
    """Return the result at the last of several equal frames."""
    tracked = [tracker.track(frame, number / 15) for number in range(frames)]
    return tracked[-1]


def test_joints_of_frames_are_those_of_a_photograph(estimator: MediaPipeEstimator) -> None:
    person = followed(estimator.new_tracker(), picture())
    assert person is not None
    measured = estimator.estimate(Photograph(picture()))
    apart = np.linalg.norm(in_pelvis_frame(person.pose.joints) - in_pelvis_frame(measured.pose.joints), axis=1)
    assert apart.mean() < 0.06
    off = np.linalg.norm(person.places * picture().size - measured.image_joints, axis=1)
    assert off.max() < 0.05 * picture().height
    assert person.pose.pose_samples is not None


@pytest.mark.parametrize("size", [(480, 360), (270, 480), (64, 64)])
def test_nobody_is_seen_in_an_empty_frame_of_any_shape(estimator: MediaPipeEstimator, size: tuple[int, int]) -> None:
    assert followed(estimator.new_tracker(), Image.new("RGB", size, (90, 120, 100))) is None


def test_a_person_who_comes_back_is_seen_again(estimator: MediaPipeEstimator) -> None:
    tracker = estimator.new_tracker()
    assert followed(tracker, picture()) is not None
    empty = Image.new("RGB", picture().size, (90, 120, 100))
    assert [tracker.track(empty, 1 + number / 15) for number in range(10)][-1] is None
    assert [tracker.track(picture(), 2 + number / 15) for number in range(5)][-1] is not None


def test_a_moment_that_goes_back_is_taken_as_the_next_one(estimator: MediaPipeEstimator) -> None:
    tracker = estimator.new_tracker()
    tracker.track(picture(), 5.0)
    assert tracker.track(picture(), 1.0) is not None


def test_joints_outside_the_frame_are_not_visible(estimator: MediaPipeEstimator) -> None:
    whole = picture()
    person = followed(estimator.new_tracker(), whole.crop((0, 0, whole.width, round(whole.height * 0.6))))
    assert person is not None
    feet = [INDEX[f"{side}_{name}"] for side in ("left", "right") for name in ("ankle", "foot")]
    assert person.pose.visibility[feet].max() == 0
    assert person.pose.visibility[INDEX["left_shoulder"]] > 0.5


def test_an_estimator_of_mediapipe_follows_people(estimator: MediaPipeEstimator) -> None:
    assert isinstance(estimator, TrackingEstimator)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pose_landmarker_full.task").write_bytes(b"nothing")
    with pytest.raises(BadInputError) as caught:
        MediaPipeTracker(tmp_path / "pose_landmarker_full.task", None)
    assert caught.value.code == "pose_model_unreadable"


def test_a_camera_that_is_held_askew_leans_nobody(estimator: MediaPipeEstimator) -> None:
    askew = picture().rotate(12, expand=False, fillcolor=(128, 128, 128))
    person = followed(estimator.new_tracker(), askew)
    assert person is not None
    # The bodies agree with what was measured only if they are seen through the same camera.
    flat = person.tilt.tilted(person.pose.joints)[:, :2]
    places = person.places * askew.size
    scale = np.ptp(places[:, 1]) / np.ptp(flat[:, 1])
    assert np.abs((flat - flat[0]) * scale - (places - places[0])).mean() < 0.05 * np.ptp(places[:, 1])


def test_the_tilt_is_looked_at_now_and_then_and_forgotten_when_the_camera_is_moved(
    estimator: MediaPipeEstimator, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[CameraTilt] = []

    def tilt_of(*_: object) -> CameraTilt:
        looks.append(CameraTilt(10.0 if len(looks) < 3 else -20.0, 0.0, 1.0, 1.0))
        return looks[-1]

    monkeypatch.setattr(mediapipe, "camera_tilt", tilt_of)
    tracker = estimator.new_tracker()
    people = [tracker.track(picture(), float(number)) for number in range(45)]
    assert 10 <= len(looks) <= 13
    assert people[0] is not None
    assert people[-1] is not None
    assert people[0].tilt.pitch == pytest.approx(10.0)
    assert people[-1].tilt.pitch == pytest.approx(-20.0)


def test_lines_of_the_room_tilt_landmarks_that_balance_alone_leaves_nearly_level() -> None:
    standing = FrameLandmarks(np.zeros((33, 2)) + 240.0, np.zeros((33, 3)), np.ones(33), (480, 640))
    pitch, roll = np.meshgrid(np.linspace(-40, 40, 21), np.linspace(-30, 30, TILT_COUNT // 21), indexing="ij")
    lines = -((pitch - 20) ** 2 + roll**2).ravel() / 2
    tracked = [LandmarkTracker(None).track(replace(standing, lines=told), 0.0) for told in (None, lines)]
    level, tilted = [person.tilt.pitch for person in tracked if person is not None]
    assert abs(level) < 1
    assert tilted == pytest.approx(20, abs=1)


def test_nobody_is_followed_where_nobody_was_found_or_the_trunk_cannot_be_seen() -> None:
    hidden = FrameLandmarks(np.zeros((33, 2)) + 240.0, np.zeros((33, 3)), np.full(33, 0.1), (480, 640))
    assert LandmarkTracker(None).track(None, 0.0) is None
    assert LandmarkTracker(None).track(hidden, 0.1) is None
