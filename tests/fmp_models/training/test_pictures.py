"""Pictures by number: files, square crops, features of a frozen backbone, and arrays that survive a killed build."""

import io
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn

from fmp_models.data.features import FEATURES
from fmp_models.data.folder import SPLITS
from fmp_models.data.sample import sample_rows
from fmp_models.errors import BadInputError
from fmp_models.networks.backbone import as_images
from fmp_models.preprocessing import GREY, PicturesConfig, cut
from fmp_models.training import pictures as module
from fmp_models.training.dataset_samples import NO_PICTURE, Dataset
from fmp_models.training.pictures import (
    CroppedPictures,
    EncodedPictures,
    backbone_features,
    cropped_pictures,
    encoded_pictures,
    joint_places,
    stored,
)

NOWHERE = np.full((20, 2), np.nan, np.float32)


def files() -> dict[str, bytes]:
    rows = [row for config in FEATURES for split in SPLITS for row in sample_rows(config, split)]
    images = [image for row in rows for image in [row["current"], row["target"], *row.get("candidates", [])]]
    return {Path(image["path"]).stem: image["bytes"] for image in images}


def letterboxed(encoded: EncodedPictures, size: int, cache: Path) -> CroppedPictures:
    return cropped_pictures(encoded, PicturesConfig(size), np.repeat(NOWHERE[None], len(encoded), axis=0), cache)


@pytest.mark.parametrize("task", ["captioning", "retrieval"])
def test_every_picture_is_the_one_of_its_name(task: str, request: pytest.FixtureRequest, cache: Path) -> None:
    dataset: Dataset = request.getfixturevalue(task)
    encoded, of_name = encoded_pictures(dataset, cache), files()
    assert len(encoded) == len(dataset.pictures)
    for number, name in enumerate(dataset.pictures.names):
        expected = Image.open(io.BytesIO(of_name[name])).convert("RGB")
        assert encoded.image(number).tobytes() == expected.tobytes()


def test_letterboxed_pictures_are_whole_and_read_back_from_the_cache(encoded: EncodedPictures, cache: Path) -> None:
    squares = letterboxed(encoded, 56, cache)
    assert squares.pixels.shape == (len(encoded), 56, 56, 3)
    wide = [number for number in range(len(encoded)) if encoded.image(number).size == (448, 224)]
    assert len(wide) > len(encoded) / 2  # the others are of any shape
    assert (squares.pixels[wide, :14] == GREY).all()
    assert (squares.pixels[wide, 42:] == GREY).all()
    for number in (wide[0], wide[-1]):
        small = np.asarray(encoded.image(number).resize((56, 28), Image.Resampling.BILINEAR))
        assert (squares.pixels[number, 14:42] == small).all()
    again = letterboxed(replace(encoded, data=encoded.data[:0]), 56, cache)  # no file is read for it
    assert (again.pixels == squares.pixels).all()
    assert again.key == squares.key


def test_another_size_or_frame_has_another_cache(encoded: EncodedPictures, captioning: Dataset, cache: Path) -> None:
    places = joint_places(captioning.pictures)
    small, person = PicturesConfig(32), PicturesConfig(32, "person")
    made = [(small, places), (PicturesConfig(40), places), (person, places), (person, places + 1)]
    assert len({cropped_pictures(encoded, config, at, cache).key for config, at in made}) == len(made)


def test_where_joints_are_changes_no_letterbox(encoded: EncodedPictures, captioning: Dataset, cache: Path) -> None:
    squares = cropped_pictures(encoded, PicturesConfig(32), joint_places(captioning.pictures), cache)
    assert squares.key == letterboxed(encoded, 32, cache).key


def test_a_person_fills_their_frame_and_the_rest_is_letterboxed(
    encoded: EncodedPictures, captioning: Dataset, cache: Path
) -> None:
    pictures = captioning.pictures
    known = pictures.known.copy()
    known[1] = False
    places = joint_places(replace(pictures, known=known))
    assert np.isnan(places[1]).all()
    config = PicturesConfig(64, "person")
    squares = cropped_pictures(encoded, config, places, cache)
    assert (squares.pixels[1] == letterboxed(encoded, 64, cache).pixels[1]).all()
    for number in (0, 2):
        image = encoded.image(number)
        square = config.square(*image.size, places[number])
        assert (squares.pixels[number] == cut(image, square, 64)).all()
        inside = square.places(places[number])
        assert inside.min() > 0.1
        assert inside.max() < 0.9
        assert np.ptp(inside, axis=0).max() > 0.6


def test_pictures_are_taken_by_number_and_missing_ones_are_grey(encoded: EncodedPictures, cache: Path) -> None:
    squares = letterboxed(encoded, 32, cache)
    pixels = squares.at(np.array([[2, NO_PICTURE], [0, 1]]))
    assert pixels.shape == (2, 2, 32, 32, 3)
    assert (pixels[0, 1] == torch.tensor(GREY)).all()
    assert (pixels[1, 0].numpy() == squares.pixels[0]).all()
    images = as_images(pixels)
    assert images.shape == (2, 2, 3, 32, 32)
    assert images[0, 0, :, 16, 5].tolist() == pytest.approx((squares.pixels[2, 16, 5] / 255).tolist())


def test_a_damaged_picture_is_named(encoded: EncodedPictures, tmp_path: Path) -> None:
    damaged = replace(encoded, data=np.zeros_like(encoded.data), key="damaged")
    with pytest.raises(BadInputError, match=f"“{encoded.names[0]}” of the dataset cannot be read"):
        letterboxed(damaged, 32, tmp_path)
    assert not list(tmp_path.glob("squares-*.npy"))


class TinyBackbone(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 5, 8, stride=8), nn.BatchNorm2d(5), nn.Dropout(0.5))
        self.calls = 0

    def forward(self, images: Tensor) -> Tensor:
        self.calls += 1
        positions: Tensor = self.layers(images).flatten(2).transpose(1, 2)
        return positions


@pytest.fixture
def backbone() -> TinyBackbone:
    torch.manual_seed(0)
    return TinyBackbone()


@pytest.fixture
def squares(encoded: EncodedPictures, captioning: Dataset, cache: Path) -> CroppedPictures:
    return cropped_pictures(encoded, PicturesConfig(32), joint_places(captioning.pictures), cache)


def test_maps_are_what_the_backbone_sees(backbone: TinyBackbone, squares: CroppedPictures, tmp_path: Path) -> None:
    plain = backbone_features(backbone, squares, tmp_path)
    mirrored = backbone_features(backbone, squares, tmp_path, mirrored=True)
    numbers = np.array([[3, 1], [0, 2]])
    pixels = squares.at(numbers).flatten(0, 1)
    backbone.eval()
    for features, seen in ((plain, pixels), (mirrored, pixels.flip(-2))):
        expected = backbone(as_images(seen)).reshape(2, 2, 16, 5)
        assert torch.allclose(features.at(numbers), expected, atol=1e-2)  # of bfloat16
    assert not np.allclose(plain.maps, mirrored.maps, atol=2e-3)


def test_the_backbone_keeps_its_mode_and_its_statistics(
    backbone: TinyBackbone, squares: CroppedPictures, tmp_path: Path
) -> None:
    before = {name: values.clone() for name, values in backbone.state_dict().items()}
    backbone_features(backbone.train(), squares, tmp_path)
    assert backbone.training
    assert all(torch.equal(values, before[name]) for name, values in backbone.state_dict().items())


def test_maps_are_computed_once_for_the_same_weights_alone(
    backbone: TinyBackbone, squares: CroppedPictures, tmp_path: Path
) -> None:
    first = backbone_features(backbone, squares, tmp_path)
    backbone.calls = 0
    backbone_features(backbone, squares, tmp_path)
    assert backbone.calls == 1  # to learn the shape
    with torch.no_grad():
        backbone.layers[0].bias[0] += 0.5
    other = backbone_features(backbone, squares, tmp_path)
    assert not np.array_equal(first.maps, other.maps)
    assert len(list(tmp_path.glob("features-*.npy"))) == 2


def test_a_missing_picture_has_an_empty_map(backbone: TinyBackbone, squares: CroppedPictures, tmp_path: Path) -> None:
    maps = backbone_features(backbone, squares, tmp_path).at(np.array([NO_PICTURE, 1]))
    assert maps.dtype == torch.float32
    assert not maps[0].any()
    assert maps[1].any()


def counting(array: NDArray[Any], first: int) -> Iterator[int]:
    for row in range(first, len(array)):
        array[row] = row
        yield row + 1


def refuses(array: NDArray[Any], first: int) -> Iterator[int]:
    message = f"{array.shape} from {first}"
    raise AssertionError(message)
    yield 0


class KilledError(Exception):
    pass


def fails_at(row: int, starts: list[int]) -> module.Fill:
    def fill(array: NDArray[Any], first: int) -> Iterator[int]:
        starts.append(first)
        for done in counting(array, first):
            if done > row:
                raise KilledError
            yield done

    return fill


def test_it_is_built_once_and_read_only(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "rows.npy"
    array = stored(path, (5, 2), np.int16, counting)
    assert array.tolist() == [[row, row] for row in range(5)]
    assert (stored(path, (5, 2), np.int16, refuses) == array).all()
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux tells what is mapped")
def test_a_file_is_renamed_when_nothing_maps_it_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped, rename = list[bool](), Path.replace

    def watched(path: Path, target: Path) -> Path:
        mapped.append(str(path) in Path("/proc/self/maps").read_text(encoding="utf-8"))
        return rename(path, target)

    monkeypatch.setattr(Path, "replace", watched)
    stored(tmp_path / "array.npy", (5, 2), np.int16, counting)
    assert mapped == [False]


def test_a_build_that_ended_early_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.0)
    path, starts = tmp_path / "rows.npy", list[int]()
    with pytest.raises(KilledError):
        stored(path, (9,), np.int64, fails_at(6, starts))
    assert not path.exists()
    assert stored(path, (9,), np.int64, fails_at(9, starts)).tolist() == list(range(9))
    assert starts == [0, 6]
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".lock", ".npy"]


@pytest.mark.parametrize("left", [b"", b"nonsense", b"-1", b"99"])
def test_a_damaged_note_begins_anew(left: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.0)
    path, starts = tmp_path / "rows.npy", list[int]()
    with pytest.raises(KilledError):
        stored(path, (9,), np.int64, fails_at(6, starts))
    (tmp_path / "rows.npy.done").write_bytes(left)
    assert stored(path, (9,), np.int64, fails_at(9, starts)).tolist() == list(range(9))
    assert starts == [0, 0]


def test_what_was_left_of_another_shape_is_not_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.0)
    path, starts = tmp_path / "rows.npy", list[int]()
    with pytest.raises(KilledError):
        stored(path, (9,), np.int64, fails_at(6, starts))
    assert stored(path, (4, 2), np.int64, fails_at(9, starts)).shape == (4, 2)
    assert starts == [0, 0]


def test_a_process_killed_at_work_leaves_what_another_finishes(tmp_path: Path) -> None:
    path, root = tmp_path / "rows.npy", Path(__file__).resolve().parents[3]
    script = f"""
        import time
        from pathlib import Path
        from fmp_models.training import pictures as module
        module._SECONDS = 0.0
        def slow(array, first):
            for row in range(first, len(array)):
                array[row] = row
                yield row + 1
                time.sleep(0.01)
        module.stored(Path({str(path)!r}), (100_000,), "int64", slow)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    worker = subprocess.Popen(command, cwd=root, env={**os.environ, "PYTHONPATH": str(root)})
    note = tmp_path / "rows.npy.done"
    until = time.monotonic() + 60
    while not (note.is_file() and int(note.read_text() or 0) > 3) and time.monotonic() < until:
        assert worker.poll() is None, "the building process ended by itself"
        time.sleep(0.01)
    worker.kill()
    worker.wait()
    assert not path.exists()
    starts: list[int] = []
    array = stored(path, (100_000,), np.int64, fails_at(100_000, starts))
    assert starts[0] > 3
    assert (array == np.arange(100_000)).all()


def test_of_two_at_once_one_builds_and_both_read(tmp_path: Path) -> None:
    starts: list[int] = []

    def slow(array: NDArray[Any], first: int) -> Iterator[int]:
        starts.append(first)
        for done in counting(array, first):
            time.sleep(0.01)
            yield done

    with ThreadPoolExecutor(2) as pool:
        arrays = list(pool.map(lambda _: stored(tmp_path / "rows.npy", (8,), np.int64, slow).tolist(), range(2)))
    assert arrays == [list(range(8))] * 2
    assert starts == [0]


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="cannot be written"):
        stored(tmp_path / "file" / "rows.npy", (2,), np.int64, counting)
