"""The committed sample as the training reads it, a tiny task, and what keeps runs in one process apart."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from accelerate.state import AcceleratorState

from fmp_models.data.sample import FOLDER
from fmp_models.training.dataset_samples import Dataset, read_dataset
from fmp_models.training.pictures import EncodedPictures, encoded_pictures
from tests.undrawn_curves import drawn_curves, undrawn_curves

__all__ = ["drawn_curves", "undrawn_curves"]  # pytest looks for them here


@pytest.fixture(scope="session")
def captioning() -> Dataset:
    """Give the captioning splits of the sample, wide pairs among those of training."""
    return read_dataset(FOLDER, "captioning", ["train", "val_seen"], wide=True)


@pytest.fixture(scope="session")
def retrieval() -> Dataset:
    """Give the retrieval splits of the sample."""
    return read_dataset(FOLDER, "retrieval", ["train", "val_unseen"])


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder for what is built once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def encoded(captioning: Dataset, cache: Path) -> EncodedPictures:
    """Give the pictures of the captioning splits."""
    return encoded_pictures(captioning, cache)


@pytest.fixture(autouse=True)
def _fresh_accelerate() -> Iterator[None]:
    """Forget the precision of the last run, which accelerate keeps for the whole process."""
    yield
    AcceleratorState._reset_state(reset_partial_state=True)


@pytest.fixture(scope="session")
def tiny() -> ModuleType:
    """Give the module of the tiny task, which is a program too."""
    spec = importlib.util.spec_from_file_location("tiny_task", Path(__file__).parent / "tiny_task.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tiny_task"] = module  # data classes look their module up
    spec.loader.exec_module(module)
    return module
