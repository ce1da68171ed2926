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
from fmp_models.framing import GREY, Square
from fmp_models.training.pictures import (
    EncodedPictures,
    as_images,
    encoded_pictures,
    joint_places,
    person_frames,
    square_pictures,
)
from fmp_models.training.samples import NO_PICTURE, Dataset


def files() -> dict[str, bytes]:
    rows = [row for config in FEATURES for split in SPLITS for row in sample_rows(config, split)]
    images = [image for row in rows for image in [row["current"], row["target"], *row.get("candidates", [])]]
    return {Path(image["path"]).stem: image["bytes"] for image in images}


@pytest.mark.parametrize("task", ["captioning", "retrieval"])
def test_every_picture_is_the_one_of_its_name(task: str, request: pytest.FixtureRequest, cache: Path) -> None:
    dataset: Dataset = request.getfixturevalue(task)
    found, of_name = encoded_pictures(dataset, cache), files()
    assert len(found) == len(dataset.pictures)
    for number, name in enumerate(dataset.pictures.names):
        expected = Image.open(io.BytesIO(of_name[name])).convert("RGB")
        assert found.image(number).tobytes() == expected.tobytes()


def test_letterboxed_pictures_are_whole_and_read_back_from_the_cache(encoded: EncodedPictures, cache: Path) -> None:
    found = square_pictures(encoded, 56, cache, None)
    assert found.pixels.shape == (len(encoded), 56, 56, 3)
    assert (found.pixels[:, :14] == GREY).all()
    assert (found.pixels[:, 42:] == GREY).all()
    for number in (0, len(encoded) - 1):
        small = np.asarray(encoded.image(number).resize((56, 28), Image.Resampling.BILINEAR))
        assert (found.pixels[number, 14:42] == small).all()
    again = square_pictures(replace(encoded, data=encoded.data[:0]), 56, cache, None)  # no file is read for it
    assert (again.pixels == found.pixels).all()
    assert again.key == found.key


def test_another_size_or_frame_has_another_cache(encoded: EncodedPictures, captioning: Dataset, cache: Path) -> None:
    frames = person_frames(joint_places(captioning.pictures))
    made = [(24, None), (28, None), (24, frames), (24, frames + 1.0)]
    assert len({square_pictures(encoded, size, cache, frame).key for size, frame in made}) == len(made)


def test_a_person_fills_their_frame_and_the_rest_is_letterboxed(
    encoded: EncodedPictures, captioning: Dataset, cache: Path
) -> None:
    pictures = captioning.pictures
    known = pictures.known.copy()
    known[1] = False
    places = joint_places(replace(pictures, known=known))
    frames = person_frames(places)
    assert np.isnan(frames[1]).all()
    found = square_pictures(encoded, 64, cache, frames)
    assert (found.pixels[1] == square_pictures(encoded, 64, cache, None).pixels[1]).all()
    for number in (0, 2):
        inside = Square(*frames[number]).places(places[number])
        assert inside.min() > 0.1
        assert inside.max() < 0.9
        assert np.ptp(inside, axis=0).max() > 0.6


def test_pictures_are_taken_by_number_and_missing_ones_are_grey(encoded: EncodedPictures, cache: Path) -> None:
    squares = square_pictures(encoded, 24, cache, None)
    found = squares.taken(np.array([[2, NO_PICTURE], [0, 1]]))
    assert found.shape == (2, 2, 24, 24, 3)
    assert (found[0, 1] == torch.tensor(GREY)).all()
    assert (found[1, 0].numpy() == squares.pixels[0]).all()
    images = as_images(found)
    assert images.shape == (2, 2, 3, 24, 24)
    assert images[0, 0, :, 12, 5].tolist() == pytest.approx((squares.pixels[2, 12, 5] / 255).tolist())


def test_a_damaged_picture_is_named(encoded: EncodedPictures, tmp_path: Path) -> None:
    damaged = replace(encoded, data=np.zeros_like(encoded.data), key="damaged")
    with pytest.raises(BadInputError, match=f"“{encoded.names[0]}” of the dataset cannot be read"):
        square_pictures(damaged, 24, tmp_path, None)
    assert not list(tmp_path.glob("squares-*.npy"))
