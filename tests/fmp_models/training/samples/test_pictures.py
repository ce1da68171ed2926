"""Pictures by number: as their files have them, and cut to squares with the person where the joints are."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from fmp_models.data.features import FEATURES
from fmp_models.data.folder import SPLITS
from fmp_models.data.sample import sample_rows
from fmp_models.errors import BadInputError
from fmp_models.networks.backbones.backbone import as_images
from fmp_models.preprocessing.person_crop import GREY, PicturesConfig, cut
from fmp_models.training.samples.dataset_samples import NO_PICTURE, Dataset
from fmp_models.training.samples.pictures import (
    CroppedPictures,
    EncodedPictures,
    cropped_pictures,
    encoded_pictures,
    joint_places,
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
