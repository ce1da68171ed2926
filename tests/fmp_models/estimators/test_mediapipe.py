"""MediaPipe's estimator, its looks, its landmarkers and their notices."""

from __future__ import annotations

import gc
import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mediapipe.tasks.python.vision.pose_landmarker import PoseLandmark
from PIL import Image

from demo.examples.catalogue import FOLDER as EXAMPLES
from fmp_models.errors import BadInputError
from fmp_models.estimators import landmarks as landmarks_module
from fmp_models.estimators import mediapipe
from fmp_models.estimators.base import TRUNK, box_within
from fmp_models.estimators.camera_tilt import tilt_evidence
from fmp_models.estimators.landmarks import (
    JOINT_SOURCES,
    LANDMARK_MIRROR,
    FoundPerson,
    bundled_lifter,
    looks_at_one,
)
from fmp_models.estimators.mediapipe import (
    LIGHTS,
    NOTICES_HELD,
    SEARCHED,
    HeldNotices,
    MediaPipeEstimator,
    lights_for,
    relit,
    squares_over,
)
from fmp_models.estimators.pair_alignment import face_opposite_ways
from fmp_models.pose import INDEX, JOINTS, MIRROR
from fmp_models.preprocessing import Photograph, read_photograph
from tests.bodies import Body
from tests.commands import ROOT, run_command
from tests.nonempty import nonempty
from tests.thoroughness import one_of, thorough

ReadPhotograph = Callable[[str], Photograph]


def refusal(estimator: MediaPipeEstimator, image: Image.Image) -> str:
    with pytest.raises(BadInputError) as refused:
        estimator.estimate(Photograph(image))
    return refused.value.code


def landmarks(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """33 landmarks: pixels, metres, visibility."""
    dice = np.random.default_rng(seed)
    count = len(PoseLandmark)
    return dice.uniform(0, 500, (count, 2)), dice.normal(0, 1, (count, 3)), dice.uniform(0, 1, count)


def person_from(seed: int, *, mirrored: bool = False) -> FoundPerson:
    points, metres, seen = landmarks(seed)
    return landmarks_module.person_from(points, metres, seen, mirrored=mirrored)


def test_joints_that_mediapipe_names_are_its_own() -> None:
    points, metres, seen = landmarks(1)
    person = person_from(1)
    for joint in nonempty(set(JOINTS) - set(JOINT_SOURCES)):
        mark = PoseLandmark[joint.upper()]
        assert np.array_equal(person.metres[INDEX[joint]], metres[mark])
        assert np.array_equal(person.pixels[INDEX[joint]], points[mark])
        assert person.visibility[INDEX[joint]] == seen[mark]


def test_derived_joints_follow_their_formulas() -> None:
    _, metres, seen = landmarks(2)
    person = person_from(2)
    of = {mark.name.lower(): metres[mark] for mark in PoseLandmark}
    hips = (of["left_hip"] + of["right_hip"]) / 2
    shoulders = (of["left_shoulder"] + of["right_shoulder"]) / 2
    ears = (of["left_ear"] + of["right_ear"]) / 2
    expected = {
        "hip": hips,
        "spine": (hips + shoulders) / 2,
        "neck": shoulders + 0.2 * (ears - shoulders),
        "head": ears,
        "left_hand": (of["left_index"] + of["left_pinky"]) / 2,
        "right_hand": (of["right_index"] + of["right_pinky"]) / 2,
        "left_foot": of["left_foot_index"],
        "right_foot": of["right_foot_index"],
    }
    assert set(expected) == set(JOINT_SOURCES)
    for joint, place in expected.items():
        assert person.metres[INDEX[joint]] == pytest.approx(place), joint
        sources = [seen[PoseLandmark[name.upper()]] for name in JOINT_SOURCES[joint]]
        assert person.visibility[INDEX[joint]] == min(sources), joint


@given(st.integers(0, 2**32 - 1))
def test_a_mirrored_look_gives_each_joint_to_the_other_side(seed: int) -> None:
    plain, mirrored = person_from(seed), person_from(seed, mirrored=True)
    assert np.array_equal(mirrored.metres, plain.metres[list(MIRROR)])
    assert np.array_equal(mirrored.visibility, plain.visibility[list(MIRROR)])
    assert mirrored.box == plain.box


def test_a_mirrored_look_is_lifted_as_the_look_that_it_mirrors() -> None:
    points, metres, seen = landmarks(7)
    lift, order = bundled_lifter().joints, LANDMARK_MIRROR
    plain = landmarks_module.person_from(points, metres, seen, mirrored=False, lift=lift)
    # What is seen in a mirrored square and put back into the picture has the names of the other side.
    mirrored = landmarks_module.person_from(points[order], metres[order], seen[order], mirrored=True, lift=lift)
    assert np.allclose(mirrored.metres, plain.metres, atol=1e-4)
    assert np.array_equal(mirrored.landmarks, plain.landmarks)


def moved(person: FoundPerson, pixels: float, clarity: float) -> FoundPerson:
    box = tuple(edge + pixels for edge in person.box)
    return FoundPerson(person.pixels + pixels, person.metres, np.full(20, clarity), box)  # type: ignore[arg-type]


def test_one_person_found_twice_is_one_and_the_clearest_is_kept() -> None:
    person = person_from(3)
    found = [moved(person, 0, 0.8), moved(person, 10, 0.95), moved(person, 5000, 0.9)]
    assert [one.clarity for one in mediapipe._distinct(found)] == pytest.approx([0.95, 0.9])


def test_doubtful_finds_beside_a_clear_person_are_left_out() -> None:
    person = person_from(3)
    assert len(mediapipe._distinct([moved(person, 0, 0.95), moved(person, 5000, 0.6)])) == 1
    assert len(mediapipe._distinct([moved(person, 0, 0.6)])) == 1
    assert mediapipe._distinct([]) == []


def test_where_the_first_look_was_wrong_the_one_counts_whom_most_looks_see_there() -> None:
    shirt, person = body_in((60, 60, 90, 90)), body_in((20, 20, 220, 390))
    aside = body_in((300, 20, 390, 390))
    assert looks_at_one(shirt, [[person, aside], [person], [shirt]]) == [person, person]
    assert looks_at_one(shirt, [[aside], [aside]]) == []


def test_the_name_tells_library_version_model_and_lifter(estimator: MediaPipeEstimator, pose_model: Path) -> None:
    library, model = estimator.name.split("/")
    assert library.startswith("mediapipe-1.")
    assert model == f"{pose_model.stem}+lifter-{bundled_lifter().revision}"
    assert MediaPipeEstimator(pose_model, lifts=False).name == f"{library}/{pose_model.stem}"


@pytest.mark.parametrize("by_bytes", [False, True], ids=["by path", "by bytes"])
@pytest.mark.parametrize("damage", ["empty", "text", "half", "hole", "absent"])
def test_a_damaged_model_file_is_told(
    tmp_path: Path,
    pose_model: Path,
    monkeypatch: pytest.MonkeyPatch,
    damage: str,
    by_bytes: bool,  # noqa: FBT001
) -> None:
    monkeypatch.setattr(mediapipe, "_GIVES_BYTES", by_bytes)
    data = pose_model.read_bytes()
    broken = {
        "empty": b"",
        "text": b"no model",
        "half": data[: len(data) // 2],
        "hole": data[:100] + bytes(9000) + data[9100:],
    }
    path = tmp_path / "pose.task"
    if damage in broken:
        path.write_bytes(broken[damage])
    assert refusal(MediaPipeEstimator(path), Image.new("RGB", (200, 200))) == "pose_model_unreadable"


def test_a_model_that_is_handed_over_measures_as_one_that_mediapipe_reads(
    pose_model: Path, estimator: MediaPipeEstimator, monkeypatch: pytest.MonkeyPatch
) -> None:
    photograph = read_photograph((EXAMPLES / "warrior_target.jpg").read_bytes())
    read = estimator.estimate(photograph)
    monkeypatch.setattr(mediapipe, "_GIVES_BYTES", True)
    given = MediaPipeEstimator(pose_model).estimate(photograph)
    assert np.array_equal(given.pose.joints, read.pose.joints)


@pytest.mark.parametrize(
    ("width", "height"), one_of([(300, 500), (500, 300), (300, 300), (1280, 1), (1, 1280), (1280, 64)], 4)
)
def test_an_empty_picture_of_any_shape_has_no_person(estimator: MediaPipeEstimator, width: int, height: int) -> None:
    dice = np.random.default_rng(0)
    noise = Image.fromarray(dice.integers(0, 256, (height, width, 3), dtype=np.uint8))
    for image in (Image.new("RGB", (width, height)), Image.new("RGB", (width, height), "white"), noise):
        assert refusal(estimator, image) == "no_person"


@thorough
def test_many_threads_share_one_estimator(pose_model: Path, read_shared_photograph: ReadPhotograph) -> None:
    names = ["photos/warrior2.jpg", "fixmypose_retrieval/candidate_7.png", "fixmypose_retrieval/candidate_8.png"] * 4
    photographs = [read_shared_photograph(name) for name in names]
    alone = MediaPipeEstimator(pose_model)
    expected = [alone.estimate(photograph).pose.joints for photograph in photographs]
    shared = MediaPipeEstimator(pose_model)
    start = threading.Barrier(4)

    def measure(part: int) -> list[np.ndarray]:
        start.wait()
        return [shared.estimate(photograph).pose.joints for photograph in photographs[part::4]]

    with ThreadPoolExecutor(4) as threads:
        parts = list(threads.map(measure, range(4)))
    for part, joints in nonempty(enumerate(parts)):
        assert np.allclose(joints, expected[part::4], atol=1e-6)


def test_a_program_ends_quietly_and_prints_only_its_own(pose_model: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from PIL import Image\n"
        "from fmp_models.errors import BadInputError; from fmp_models.estimators.mediapipe import MediaPipeEstimator\n"
        "from fmp_models.preprocessing import Photograph\n"
        "estimator = MediaPipeEstimator(Path(sys.argv[1]))\n"
        "try: estimator.estimate(Photograph(Image.new('RGB', (200, 300))))\n"
        "except BadInputError as error: print(error.code)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(pose_model)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (0, "no_person\n")
    assert "Traceback" not in run.stderr


def body_in(box: tuple[float, float, float, float]) -> FoundPerson:
    left, top, right, bottom = box
    pixels = np.stack([np.linspace(left, right, len(JOINTS)), np.linspace(top, bottom, len(JOINTS))], axis=1)
    return FoundPerson(pixels, np.zeros((len(JOINTS), 3)), np.ones(len(JOINTS)), box)


def test_who_was_tapped_is_known_by_the_box_that_was_shown_though_the_body_goes_on_below_the_picture() -> None:
    size = (400, 400)
    adult, child = body_in((100, 20, 200, 900)), body_in((90, 230, 180, 390))
    left, top, right, bottom = box_within(adult.box, size)
    tapped = (left + right) / 2, (top + bottom) / 2

    assert mediapipe._person_at([child, adult], tapped, size) is adult


class Onlookers:
    """Everybody in a picture, as looks show them: all of them, where the square holds their trunk and is not empty."""

    def __init__(self, *people: FoundPerson, widest: float = 1e9) -> None:
        self.people, self.widest, self.count = people, widest, 0

    def look(self, _: object, square: mediapipe.Square, *, mirrored: bool = False) -> list[FoundPerson]:
        assert mirrored in {False, True}
        self.count += 1
        left, top, right, bottom = square
        middles = [(person, person.pixels[TRUNK].mean(axis=0)) for person in self.people]
        return [
            person
            for person, (x, y) in middles
            if left <= x <= right and top <= y <= bottom and right - left <= self.widest * person.length
        ]


def measured(
    estimator: MediaPipeEstimator,
    *people: FoundPerson,
    widest: float = 1e9,
    person_point: tuple[float, float] | None = None,
) -> mediapipe.MeasuredPeople:
    """Return the measurements of a picture of 800 by 400 pixels."""
    onlookers = Onlookers(*people, widest=widest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(estimator, "_look", onlookers.look)
        return estimator._measured(Image.new("RGB", (800, 400)), person_point)


def test_somebody_small_whom_the_first_look_does_not_show_is_counted_and_can_be_tapped(
    estimator: MediaPipeEstimator,
) -> None:
    large, small = body_in((20, 20, 120, 350)), body_in((550, 200, 600, 300))
    found = measured(estimator, large, small, widest=5)
    assert [person.box for person in found.people] == [large.box, small.box]

    tapped = measured(estimator, large, small, widest=5, person_point=(575.0, 250.0))
    assert {look.box for look in tapped.looks} == {small.box}
    assert len(tapped.people) == 2


def test_somebody_half_covered_is_counted_and_a_thing_hardly_visible_is_not(estimator: MediaPipeEstimator) -> None:
    large, other = body_in((20, 20, 120, 380)), body_in((250, 60, 350, 380))
    covered = replace(other, visibility=np.where(np.arange(len(JOINTS)) >= INDEX["right_knee"], 0.05, 0.9))
    thing = replace(other, visibility=np.full(len(JOINTS), 0.3))
    assert len(measured(estimator, large, covered).people) == 2
    assert len(measured(estimator, large, thing).people) == 1


@pytest.mark.parametrize(("clarity", "people"), [(0.5, 1), (0.9, 2)])
def test_a_part_of_a_body_that_is_taken_for_a_person_must_be_clear(
    estimator: MediaPipeEstimator, clarity: float, people: int
) -> None:
    large, part = body_in((20, 20, 220, 380)), replace(body_in((30, 30, 60, 90)), visibility=np.full(20, clarity))
    assert len(measured(estimator, large, part).people) == people


@given(
    st.lists(st.tuples(st.integers(0, 350), st.integers(0, 300), st.integers(10, 200), st.floats(0.1, 1)), max_size=9),
    st.floats(0.5, 5),
)
def test_looks_at_a_picture_are_bounded_whatever_they_show(
    estimator: MediaPipeEstimator, places: list[tuple[int, int, int, float]], widest: float
) -> None:
    people = [
        replace(body_in((x, y, x + side / 2, y + side)), visibility=np.full(len(JOINTS), clarity))
        for x, y, side, clarity in places
    ]
    onlookers = Onlookers(*people, widest=widest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(estimator, "_look", onlookers.look)
        try:
            estimator._measured(Image.new("RGB", (400, 400)))
        except BadInputError as error:
            assert error.code == "no_person"  # noqa: PT017  nobody may be there
    assert onlookers.count <= mediapipe.MAX_LOOKS


def test_the_head_of_everybody_else_is_told_who_may_be_there_though_nobody_is_sure_of_them() -> None:
    person, clear = body_in((20, 20, 120, 380)), body_in((250, 20, 350, 380))
    doubtful = replace(body_in((140, 60, 190, 300)), visibility=np.full(len(JOINTS), 0.2))
    embraced = replace(body_in((25, 25, 125, 385)), pixels=body_in((25, 25, 125, 385)).pixels[::-1])  # one trunk
    again = body_in((252, 22, 352, 382))

    evidence = tilt_evidence(Image.new("RGB", (400, 400)), person.metres, person.pixels)
    told = mediapipe._pose_estimate(
        [person], (400, 400), evidence, [person, clear], [person, clear, again, doubtful, embraced]
    )

    assert told.people == 2
    assert sorted(told.heads) == sorted(one.head for one in (clear, doubtful, embraced))


def test_a_head_is_never_thought_too_small_though_it_is_seen_from_above() -> None:
    flat = replace(body_in((20, 20, 120, 380)), pixels=np.full((len(JOINTS), 2), 70.0))
    assert flat.head[2] > 360 / 20


def look_at(body: np.ndarray, visibility: float) -> FoundPerson:
    """Return the estimate of a body in a picture of 400 pixels."""
    return FoundPerson(body[:, :2] * 100 + 200, body, np.full(len(JOINTS), visibility), (100.0, 50.0, 300.0, 350.0))


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(("visibility", "kept"), [(0.8, True), (0.2, False)])
def test_looks_that_see_a_back_where_others_see_a_front_are_kept_beside_unless_they_see_too_little(
    estimator: MediaPipeEstimator, monkeypatch: pytest.MonkeyPatch, visibility: float, count: int, *, kept: bool
) -> None:
    front = Body().pose().joints
    back = front[list(MIRROR)] * np.array([1.0, 1.0, -1.0])
    looks = [look_at(front, 0.9)] * (8 - count) + [look_at(back, visibility)] * count
    monkeypatch.setattr(estimator, "_measured", lambda *_: mediapipe.MeasuredPeople(looks[:1], looks, looks))

    estimate = estimator.estimate(Photograph(Image.new("RGB", (400, 400), "white")))

    assert not face_opposite_ways(estimate.pose.joints, front)
    turned = [] if estimate.turned is None else [estimate.turned]
    assert [face_opposite_ways(one.pose.joints, front) for one in turned] == [True] * kept
    assert estimate.turned_share == kept * count / 8


@pytest.mark.parametrize("strange", [1, 2, 3, 4])
def test_both_places_of_a_limb_are_plausible_in_the_share_of_looks_that_see_them(strange: int) -> None:
    joints = Body().pose().joints
    raised = joints.copy()
    raised[INDEX["left_wrist"]] -= (0, 0.8, 0)
    looks = [look_at(joints, 0.9)] * (8 - strange) + [look_at(raised, 0.9)] * strange
    evidence = tilt_evidence(Image.new("RGB", (400, 400)), joints, looks[0].pixels)

    pose = mediapipe._pose_estimate(looks, (400, 400), evidence).pose

    wrist, shoulder = INDEX["left_wrist"], INDEX["left_shoulder"]
    assert pose.pose_samples is not None
    assert (pose.joints[wrist, 1] > pose.joints[shoulder, 1]).all()
    shares = (pose.pose_samples[:, wrist, 1] < pose.pose_samples[:, shoulder, 1]).mean()
    assert shares == pytest.approx(strange / 8, abs=0.05)
    assert (pose.visibility[wrist] == 0) == (strange > 3)


@given(st.integers(1, 1280), st.integers(1, 1280), st.sampled_from(SEARCHED))
def test_searched_squares_cover_a_picture_and_stay_inside(width: int, height: int, share: float) -> None:
    squares = squares_over((width, height), share)
    side = max(1, round(share * min(width, height)))
    assert all((right - left, bottom - top) == (side, side) for left, top, right, bottom in squares)
    searched = [(length, sorted({square[axis] for square in squares})) for axis, length in enumerate((width, height))]
    for length, places in searched:
        assert (places[0], places[-1] + side) == (0, length)
    for _, places in nonempty(one for one in searched if one[0] <= 3 * side):  # long strips are searched wider apart
        assert all(after - before <= side / 2 + 1 for before, after in itertools.pairwise(places))


@pytest.mark.parametrize("power", LIGHTS)
def test_a_relit_picture_keeps_black_white_and_the_order_of_its_greys(power: float) -> None:
    greys = Image.fromarray(np.arange(256, dtype=np.uint8).reshape(1, -1).repeat(3, axis=0)).convert("RGB")
    lit = np.asarray(relit(greys, power))[0, :, 0]
    assert (lit[0], lit[-1]) == (0, 255)
    assert (np.diff(lit.astype(int)) >= 0).all()
    assert (lit[128] > 128) == (power < 1) or power == 1


@pytest.mark.parametrize(("grey", "first", "second"), [(10, 0.5, 1), (90, 1, 0.5), (170, 1, 2), (240, 2, 1)])
def test_dark_pictures_are_searched_lighter_and_overexposed_ones_darker(grey: int, first: float, second: float) -> None:
    lights = lights_for(Image.new("RGB", (20, 20), (grey, grey, grey)))
    assert tuple(lights[:2]) == (first, second)
    assert sorted(lights) == sorted(LIGHTS)


# In the middle of a thread pool's locks, as where garbage is collected while one starts a thread.
COLLECTED_THERE = """
import gc, sys, time
from concurrent.futures.thread import _global_shutdown_lock
from pathlib import Path
from PIL import Image
from fmp_models.errors import BadInputError
from fmp_models.estimators import mediapipe
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.preprocessing import Photograph

estimator = MediaPipeEstimator(Path(sys.argv[1]))
try:
    estimator.estimate(Photograph(Image.new("RGB", (128, 128))))
except BadInputError as error:
    print(error.code)
assert mediapipe._open
with _global_shutdown_lock:
    del estimator
    gc.collect()
    print("went on")
while mediapipe._open:
    time.sleep(0.05)
print("closed")
"""


def test_an_estimator_that_is_collected_within_the_locks_of_a_pool_keeps_nobody_waiting(
    pose_model: Path,
) -> None:
    command = [sys.executable, "-c", COLLECTED_THERE, str(pose_model)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split("\n") == ["no_person", "went on", "closed", ""]


@thorough
def test_a_process_that_ends_with_an_open_landmarker_says_nothing_of_it(pose_model: Path) -> None:
    ending = COLLECTED_THERE.split("assert", maxsplit=1)[0]
    command = [sys.executable, "-c", ending, str(pose_model)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert "Traceback" not in done.stderr


NOTICES = [
    "INFO: Created TensorFlow Lite XNNPACK delegate for CPU.",
    "INFO: [environment.cc:36] Creating LiteRT environment with options",
    "WARNING: [model_load.cc:402] Sparsity tensors may not yet be fully supported.",
    "WARNING: Logging before InitGoogle() is written to STDERR",
    "W0000 00:00:1795737609.787171     734 inference_runner_litert.cc:1433] Input tensor memory is not aligned",
    "I0000 00:00:1795737609.787171     734 gl_context.cc:344] GL version: 2.1",
    "INFO: INFO: [cpu_registry.cc:75] XNNPACK CPU accelerator registered.",
    "",
]
OTHERS = [
    "Traceback (most recent call last):",
    "E0000 00:00:1795737609.787171     734 graph.cc:81] the graph broke",
    "F0000 00:00:1795737609.787171     734 graph.cc:81] Check failed",
    "ERROR: [model_load.cc:402] no model",
    "WARNING: the disk is full",
    "INFO: a correction was asked for",
]


@pytest.fixture
def _nothing_is_being_closed() -> None:
    """Wait for the landmarkers of earlier tests, whose closing holds notices back too."""
    gc.collect()
    until = time.monotonic() + 60
    while not mediapipe._gone.empty() or NOTICES_HELD._threads:
        assert time.monotonic() < until
        time.sleep(0.01)


def write(text: str) -> None:
    os.write(2, text.encode())


@pytest.mark.usefixtures("_nothing_is_being_closed")
@pytest.mark.parametrize("notice", NOTICES)
def test_a_notice_is_dropped(notice: str, capfd: pytest.CaptureFixture[str]) -> None:
    with HeldNotices():
        write(f"{notice}\n")
    write("after\n")
    assert capfd.readouterr().err == "after\n"


@pytest.mark.usefixtures("_nothing_is_being_closed")
@pytest.mark.parametrize("other", OTHERS)
def test_all_else_is_written_at_the_end(other: str, capfd: pytest.CaptureFixture[str]) -> None:
    with HeldNotices():
        write(f"{NOTICES[0]}\n{other}\n")
        assert capfd.readouterr().err == ""
    assert capfd.readouterr().err == f"{other}\n"


@pytest.mark.usefixtures("_nothing_is_being_closed")
def test_what_is_written_before_an_error_is_written_and_the_error_goes_on(capfd: pytest.CaptureFixture[str]) -> None:
    def break_down() -> None:
        with HeldNotices():
            write("lost?\n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_down()
    assert capfd.readouterr().err == "lost?\n"


@pytest.mark.usefixtures("_nothing_is_being_closed")
def test_threads_hold_together_and_the_last_one_ends_it(capfd: pytest.CaptureFixture[str]) -> None:
    held, inside, leave = HeldNotices(), threading.Event(), threading.Event()

    def other() -> None:
        with held:
            inside.set()
            leave.wait(60)

    thread = threading.Thread(target=other)
    with held:
        thread.start()
        assert inside.wait(60)
    write(f"{NOTICES[0]}\nkept\n")
    before = capfd.readouterr().err
    leave.set()
    thread.join(60)
    assert (before, capfd.readouterr().err) == ("", "kept\n")
    with held:  # and again
        write(f"{NOTICES[0]}\n")
    assert capfd.readouterr().err == ""


@pytest.mark.usefixtures("_nothing_is_being_closed")
def test_without_standard_error_nothing_is_held() -> None:
    saved = os.dup(2)
    os.close(2)
    try:
        with HeldNotices(), HeldNotices():
            pass
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(2)
    finally:
        os.dup2(saved, 2)
        os.close(saved)


@pytest.mark.usefixtures("_nothing_is_being_closed")
def test_a_command_writes_nothing_but_its_answer(pose_model: Path) -> None:
    pair = [EXAMPLES / f"tree_{which}.jpg" for which in ("current", "target")]
    done = run_command("correct", *pair, FMP_POSE_MODEL=pose_model)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1. ")
