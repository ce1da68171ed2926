"""Texts that name shapes: each has names in both languages, and a name alone means a shape that the target holds."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fmp_models.geometry.lexicon import Side
from fmp_models.geometry.shapes import SHAPES_BY_NAME
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.languages.mirroring import mirrored_text
from fmp_models.training.recombination import DrawnPairs, described_shape_pairs
from fmp_models.training.shape_texts import NAMED, holds, name_of, shape_texts

COUNT, SEED = 60, 2


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def told(cache: Path) -> tuple[DrawnPairs, NDArray[np.bool_]]:
    return described_shape_pairs(COUNT, SEED, cache)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("shape", NAMED, ids=lambda shape: shape.name)
def test_every_shape_has_names_that_may_mean_it(shape: object, code: str) -> None:
    names = [name_of(shape, Side.LEFT, code, random.Random(seed)) for seed in range(20)]  # type: ignore[arg-type]
    assert len({phrase for phrase, _ in names}) > 2
    assert all(shape.name in meant and "{" not in phrase for phrase, meant in names)  # type: ignore[attr-defined]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_name_of_one_side_is_that_of_the_other_in_a_mirror(code: str) -> None:
    names = [
        [name_of(SHAPES_BY_NAME["tree"], side, code, random.Random(seed))[0] for side in (Side.LEFT, Side.RIGHT)]
        for seed in range(20)
    ]
    assert [mirrored_text(left, code) for left, _ in names] == [right for _, right in names]
    assert any(left != right for left, right in names)


def test_a_name_alone_means_a_shape_that_the_target_holds(
    told: tuple[DrawnPairs, NDArray[np.bool_]],
) -> None:
    pairs, meant = told
    named = meant.any(axis=1)
    assert 0.2 * COUNT < named.sum() < 0.8 * COUNT
    assert (meant & holds(pairs.joints[:, 1]))[named].any(axis=1).all()


def test_texts_of_shapes_are_kept_and_the_same_again(cache: Path, told: tuple[DrawnPairs, NDArray[np.bool_]]) -> None:
    pairs, meant = told
    (kept,) = cache.glob("*.npz")
    written = kept.stat().st_mtime_ns

    again, meant_again = described_shape_pairs(COUNT, SEED, cache)

    assert kept.stat().st_mtime_ns == written
    assert (again.joints == pairs.joints).all()
    assert again.texts == pairs.texts == shape_texts(pairs.joints, SEED).texts
    assert (meant_again == meant).all()
