"""The models that come with the project keep to the rules of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from safetensors import safe_open

from fmp_models.hub.models import kind_of, load_captioner, load_editor, load_estimator, load_lifter, load_retriever
from fmp_models.hub.references import CHECKPOINTS, resolve_model
from hub_cards.cards import bundled_folders, render

MAX_FILE_BYTES, MAX_BYTES = 15_000_000, 100_000_000
FOLDERS = bundled_folders()
LOADED_BY = {
    "captioner": load_captioner,
    "retriever": load_retriever,
    "editor": load_editor,
    "estimator": load_estimator,
    "lifter": load_lifter,
}

none_yet = pytest.mark.skipif(not FOLDERS, reason="no model is bundled yet")
each = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


@none_yet
def test_no_file_is_too_large_and_all_together_neither() -> None:
    sizes = {path: path.stat().st_size for path in CHECKPOINTS.rglob("*") if path.is_file()}
    assert {str(path): size for path, size in sizes.items() if size > MAX_FILE_BYTES} == {}
    assert sum(sizes.values()) <= MAX_BYTES


@none_yet
def test_every_card_is_current() -> None:
    assert render(FOLDERS, check=True) == []


@each
def test_a_bundled_model_loads(folder: Path) -> None:
    model_folder = resolve_model(folder.name)
    assert LOADED_BY[kind_of(model_folder)](model_folder).folder.revision == model_folder.revision


@each
def test_weights_of_a_bundled_model_are_in_16_bits_and_never_pickled(folder: Path) -> None:
    kept = {".jpg", ".json", ".md", ".safetensors", ".txt"}
    assert {path.name for path in folder.rglob("*") if path.is_file() and path.suffix not in kept} == set()
    bits: dict[str, int] = {}
    for file in folder.glob("*.safetensors"):
        with safe_open(file, framework="numpy") as tensors:
            for name in tensors.keys():  # noqa: SIM118  no dict
                part = tensors.get_slice(name)
                count = 1
                for size in part.get_shape():
                    count *= size
                bits[part.get_dtype()] = bits.get(part.get_dtype(), 0) + count
    # Statistics of normalisation and what does not fit stay in 32 bits.
    assert bits["F16"] > 0.9 * sum(bits.values())
