from __future__ import annotations

import io
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from fmp_models.data.pairs import parse_uid
from fmp_models.data.pictures import focal_length, in_picture
from fmp_models.data.sample import sample_rows
from fmp_models.errors import BadInputError
from fmp_models.estimators import learned
from fmp_models.estimators.base import PoseEstimate
from fmp_models.estimators.learned import LearnedEstimator
from fmp_models.hub.models import LoadedModel, load_estimator
from fmp_models.hub.references import ModelFolder
from fmp_models.networks.pose_network import PoseNetwork
from fmp_models.pose import JOINTS, mirror
from fmp_models.preprocessing import Photograph
from tests.estimators import pose_network, save_estimator
from tests.nonempty import nonempty
from tests.thoroughness import one_of, some, thorough

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = sorted((ROOT / "demo" / "examples").glob("*.jpg"))
HELD_OUT = ("val_unseen", "test_unseen")  # rooms that no model was trained in


@pytest.fixture
def everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever an untrained network sees is taken for a person, and clearly seen."""
    monkeypatch.setattr(learned, "_SPREADS", (np.inf,) * 3)
    monkeypatch.setattr(learned, "_SPREAD_OF_BOTH", np.inf)
    monkeypatch.setattr(learned, "_UNSTEADY", 1e3)


@pytest.fixture
def untrained() -> LearnedEstimator:
    return LearnedEstimator(loaded(pose_network()))


@pytest.fixture(scope="module")
def bundled() -> LearnedEstimator:
    return LearnedEstimator("estimator")


def loaded(network: PoseNetwork) -> LoadedModel[PoseNetwork]:
    return LoadedModel(network, {}, ModelFolder(Path(), "tiny", "0123456789abcdef"))


def picture(seed: int = 0, size: tuple[int, int] = (230, 170)) -> Image.Image:
    """Smooth spots of colour."""
    dice = np.random.default_rng(seed)
    spots = dice.integers(0, 256, (6, 8, 3), dtype=np.uint8)
    return Image.fromarray(spots).resize(size, Image.Resampling.BICUBIC)


def refusal(estimator: LearnedEstimator, image: Image.Image) -> str:
    with pytest.raises(BadInputError) as refused:
        estimator.estimate(Photograph(image))
    return refused.value.code


def apart(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.linalg.norm(one - other, axis=-1).mean())


def test_the_name_tells_the_model_and_its_revision(untrained: LearnedEstimator, tmp_path: Path) -> None:
    assert untrained.name == "learned/tiny@01234567"
    save_estimator(tmp_path / "mine")
    named = LearnedEstimator(str(tmp_path / "mine"))
    assert named.name.startswith(f"learned/{tmp_path / 'mine'}@")


def test_what_is_no_model_is_refused_before_anything_is_read() -> None:
    with pytest.raises(BadInputError) as refused:
        LearnedEstimator("no such estimator")
    assert refused.value.code == "model_name_unknown"


def test_a_damaged_model_is_told_when_it_is_read(tmp_path: Path) -> None:
    save_estimator(tmp_path / "mine")
    (tmp_path / "mine" / "model.safetensors").write_bytes(b"no weights")
    assert refusal(LearnedEstimator(str(tmp_path / "mine")), picture()) == "model_damaged"


def test_torch_waits_for_the_first_photograph(tmp_path: Path) -> None:
    save_estimator(tmp_path / "mine")
    script = (
        "import sys; from fmp_models.estimators.learned import LearnedEstimator\n"
        "LearnedEstimator(sys.argv[1]); print('torch' in sys.modules, 'mediapipe' in sys.modules)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "mine")], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout == "False False\n"


@given(st.integers(64, 1280), st.integers(64, 1280))
def test_searched_squares_cover_every_photograph_and_are_the_same_in_a_mirror(width: int, height: int) -> None:
    lots = list(learned._searched((width, height)))
    whole = lots[0][0]
    assert (whole.side, whole.left + whole.side / 2) == (max(width, height), width / 2)
    for squares in (lots[0][1:], *lots[1:]):
        places = np.array([(square.left, square.top) for square in squares])
        side = squares[0].side
        assert all(square.side == side for square in squares)
        assert places.min(axis=0) == pytest.approx((0, 0))
        assert places.max(axis=0) == pytest.approx((width - side, height - side))
        mirrored = np.array([(width - side - left, top) for left, top in places])
        nearest = np.abs(places[:, None] - mirrored[None]).max(axis=-1).min(axis=0)
        assert nearest.max() < 1e-6


@given(st.integers(64, 1280), st.integers(64, 1280))
def test_searched_squares_of_a_photograph_that_is_no_strip_overlap_by_half(width: int, height: int) -> None:
    assume(max(width, height) <= 2 * min(width, height))
    lots = list(learned._searched((width, height)))
    for squares in nonempty([lots[0][1:], *lots[1:]]):
        places = np.array([(square.left, square.top) for square in squares])
        steps = [np.diff(np.unique(places[:, axis])) for axis in (0, 1)]
        assert all((step <= squares[0].side / 2 + 1e-6).all() for step in steps)


@pytest.mark.usefixtures("everybody")
@pytest.mark.parametrize("size", [(230, 170), (170, 230), (200, 200), (301, 90)])
def test_a_mirrored_photograph_gives_the_mirrored_pose(untrained: LearnedEstimator, size: tuple[int, int]) -> None:
    image = picture(1, size)
    plain, turned = (untrained.estimate(Photograph(one)) for one in (image, ImageOps.mirror(image)))
    assert mirror(turned.pose).joints == pytest.approx(plain.pose.joints, abs=0.02)
    assert mirror(turned.pose).visibility == pytest.approx(plain.pose.visibility, abs=0.02)
    left, _, right, _ = turned.box
    assert (size[0] - right, size[0] - left) == pytest.approx((plain.box[0], plain.box[2]), abs=2)


@pytest.mark.usefixtures("everybody")
def test_a_larger_copy_gives_the_same_pose_at_larger_places(untrained: LearnedEstimator) -> None:
    image = picture(2, (256, 192))
    larger = image.resize((512, 384), Image.Resampling.BICUBIC)
    one, other = (untrained.estimate(Photograph(each)) for each in (image, larger))
    assert other.pose.joints == pytest.approx(one.pose.joints, abs=0.03)
    assert other.image_joints == pytest.approx(2 * one.image_joints, abs=6)


@pytest.mark.usefixtures("everybody")
def test_an_estimate_has_one_person_with_the_hip_as_origin_and_a_box_in_the_picture(
    untrained: LearnedEstimator,
) -> None:
    estimate = untrained.estimate(Photograph(picture(3)))
    assert estimate.people == 1
    assert not estimate.pose.placed
    assert estimate.pose.joints[JOINTS.index("hip")] == pytest.approx((0, 0, 0), abs=1e-6)
    left, top, right, bottom = estimate.box
    assert 0 <= left < right <= 230
    assert 0 <= top < bottom <= 170


def test_joints_that_looks_place_apart_are_hardly_seen() -> None:
    metres = np.zeros((4, 20, 3))
    metres[:, 5, 1] = (-0.2, 0.2, -0.2, 0.2)
    look = learned._agreed(np.zeros((4, 20, 2)), metres, np.full((4, 20), 0.1))
    assert look.visibility[5] < 0.5
    assert np.delete(look.visibility, 5) == pytest.approx(1)
    assert look.metres[5] == pytest.approx((0, 0, 0))


@pytest.mark.usefixtures("everybody")
def test_many_threads_share_one_estimator_that_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_estimator(tmp_path / "mine")
    photographs = [Photograph(picture(seed)) for seed in range(8)]
    alone = LearnedEstimator(str(tmp_path / "mine"))
    expected = [alone.estimate(photograph).pose.joints for photograph in photographs]
    read: list[ModelFolder | str] = []

    def reading(model: ModelFolder | str) -> LoadedModel[PoseNetwork]:
        read.append(model)
        return load_estimator(model)

    monkeypatch.setattr("fmp_models.hub.load_estimator", reading)
    shared = LearnedEstimator(str(tmp_path / "mine"))
    start = threading.Barrier(4)

    def measure(part: int) -> list[np.ndarray]:
        start.wait()
        return [shared.estimate(photograph).pose.joints for photograph in photographs[part::4]]

    with ThreadPoolExecutor(4) as threads:
        parts = list(threads.map(measure, range(4)))
    assert len(read) == 1
    for part, joints in enumerate(parts):
        assert np.allclose(joints, expected[part::4], atol=1e-5)


def held_out() -> list[tuple[Image.Image, np.ndarray, np.ndarray]]:
    """Pictures of the sample, their joints from the hip, and where those lie in the picture."""
    examples = []
    for split in HELD_OUT:
        for row in sample_rows("captioning", split):
            focal = np.array(focal_length(parse_uid(row["uid"])))
            for moment in ("current", "target"):
                image = Image.open(io.BytesIO(row[moment]["bytes"])).convert("RGB")
                joints = np.array(row[f"{moment}_joints"], dtype=np.float64)
                examples.append((image, joints - joints[:1], in_picture(joints, focal)))
    return examples


@thorough
def test_people_in_rooms_never_trained_in_are_found_and_measured(bundled: LearnedEstimator) -> None:
    off, places, seen = [], [], []
    for image, joints, pixels in held_out():
        estimate = bundled.estimate(Photograph(image))
        off.append(np.linalg.norm(estimate.pose.joints - joints, axis=-1))
        places.append(apart(estimate.image_joints, pixels) / np.ptp(pixels, axis=0).max())
        seen.append(estimate.pose.visibility >= 0.5)
    assert np.mean(off) < 0.12
    assert np.max(np.mean(off, axis=1)) < 0.3
    assert np.mean(places) < 0.06
    # What is called seen is nearly always right.
    assert (np.array(off)[np.array(seen)] < 0.15).mean() > 0.85


@thorough
def test_in_most_rooms_without_a_person_nobody_is_found(bundled: LearnedEstimator) -> None:
    rooms = []
    for image, _, pixels in held_out()[::2]:
        left, right = pixels[:, 0].min(), pixels[:, 0].max()
        edge = int(left - 0.25 * (right - left) - 8)  # clear of hands and feet
        rooms.append(image.crop((0, 0, edge, image.height)))
    refused = 0
    for room in rooms:
        try:
            bundled.estimate(Photograph(room))
        except BadInputError:
            refused += 1
    # Some furniture is taken for a person: a hint to the visitor, not a promise.
    assert refused >= 0.8 * len(rooms)


@pytest.mark.parametrize(
    ("width", "height"), one_of([(300, 500), (500, 300), (300, 300), (1280, 1), (1, 1280), (1280, 64)], 4)
)
def test_an_empty_picture_of_any_shape_has_no_person(bundled: LearnedEstimator, width: int, height: int) -> None:
    dice = np.random.default_rng(0)
    noise = Image.fromarray(dice.integers(0, 256, (height, width, 3), dtype=np.uint8))
    for image in (Image.new("RGB", (width, height)), Image.new("RGB", (width, height), "white"), noise):
        assert refusal(bundled, image) == "no_person"


@pytest.mark.parametrize("path", some(EXAMPLES, 2), ids=lambda path: path.stem)
def test_the_examples_show_people_in_a_mirror_too(bundled: LearnedEstimator, path: Path) -> None:
    with Image.open(path) as opened:
        image = opened.convert("RGB")
    plain, turned = (estimate(bundled, one) for one in (image, ImageOps.mirror(image)))
    assert apart(mirror(turned.pose).joints, plain.pose.joints) < 0.05


def estimate(estimator: LearnedEstimator, image: Image.Image) -> PoseEstimate:
    return estimator.estimate(Photograph(image))
