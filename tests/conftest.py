"""Fixtures for all tests: the shared folder, the pose model, one loaded estimator, real photographs.

Before anything of the project is imported, every setting and every folder that a run writes to is moved to a temporary
place, so that a test neither reads nor leaves anything of the developer's own.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.run_summary import (
    pytest_collection_finish,
    pytest_deselected,
    pytest_sessionfinish,
    pytest_terminal_summary,
    pytest_testnodedown,
)
from tests.scheduling import pytest_handlecrashitem, pytest_xdist_make_scheduler

if TYPE_CHECKING:
    from fmp_models.estimators.mediapipe import MediaPipeEstimator
    from fmp_models.preprocessing import Photograph

__all__ = [  # pytest looks for them here
    "pytest_collection_finish",
    "pytest_deselected",
    "pytest_handlecrashitem",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
    "pytest_testnodedown",
    "pytest_xdist_make_scheduler",
]

ROOT = Path(__file__).resolve().parents[1]

_GIVEN = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("FMP_")}
# The workers of pytest-xdist come later than this, and find what was given under another name.
_POSE_MODEL = _GIVEN.get("FMP_POSE_MODEL", os.environ.get("TESTS_POSE_MODEL", ""))
_SHARED = (ROOT / _GIVEN.get("FMP_SHARED", "../shared")).resolve()
_SCRATCH = Path(tempfile.mkdtemp(prefix="fixmypose-tests-"))
atexit.register(shutil.rmtree, _SCRATCH, ignore_errors=True)

os.environ.update(
    FMP_DATA_DIR=str(_SCRATCH / "data"),
    FMP_SHARED=str(_SHARED),
    TESTS_POSE_MODEL=_POSE_MODEL,
    GRADIO_ANALYTICS_ENABLED="False",
    GRADIO_TEMP_DIR=str(_SCRATCH / "gradio"),
    HF_HOME=str(_SCRATCH / "hub"),
    HF_HUB_OFFLINE="1",
    MPLCONFIGDIR=str(_SCRATCH / "matplotlib"),
    # Tests run side by side. Threads of one would only spin against those of another: a small decomposition took four
    # times the work, and drawing hardly gains.
    OMP_NUM_THREADS="1",
    LP_NUM_THREADS="1",
    OMP_WAIT_POLICY="PASSIVE",
)


# What takes a worker longest, longest first; the rest follows in its own order. What begins late is short, so that the
# workers end together. By processor seconds of a whole run.
_LONG_FILES = (
    "tests/browser/test_annotation_forms.py",
    "tests/fmp_models/sim/test_builder.py",
    "tests/browser/",
    "tests/fmp_models/metrics/test_java.py",
    "tests/fmp_models/training/test_engine.py",
    "tests/real/",
    "tests/fmp_models/sim/",
    "tests/fmp_models/metrics/",
    "tests/annotate/publishing/test_publisher.py",
    "tests/annotate/storage/test_crashes.py",
)

# How long an example takes says nothing on a busy machine; timings belong to `make bench`.
settings.register_profile("quick", deadline=None, max_examples=10)
settings.register_profile("full", deadline=None, max_examples=30)  # of `make test-all`
settings.load_profile("quick")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the folder of real data and models, FMP_SHARED; skip where it is missing."""
    if not _SHARED.is_dir():
        pytest.skip(f"FMP_SHARED: there is no folder {_SHARED}")
    return _SHARED


@pytest.fixture(scope="session")
def pose_model() -> Path:
    """Give MediaPipe's pose landmarker: FMP_POSE_MODEL, else what ``make venv`` built, else the shared one."""
    from tests.pose_models import pose_model_here  # noqa: PLC0415  of the project

    path = pose_model_here(_POSE_MODEL, _SHARED)
    if path is None:
        pytest.skip("FMP_POSE_MODEL: there is no pose model, neither there nor in the environment nor in FMP_SHARED")
    return path


@pytest.fixture(scope="session")
def estimator(pose_model: Path) -> MediaPipeEstimator:
    """Load the estimator once for all tests of a process; tests of words alone never pay for MediaPipe."""
    from fmp_models.estimators.mediapipe import MediaPipeEstimator  # noqa: PLC0415  heavy

    return MediaPipeEstimator(pose_model)


@pytest.fixture(scope="session")
def shared_photograph_bytes(shared: Path) -> Callable[[str], bytes]:
    """Read one file below data/real as it was uploaded, such as ``photos/standing.jpg``."""

    def read(name: str) -> bytes:
        path = shared / "data" / "real" / name
        if not path.is_file():
            pytest.skip(f"FMP_SHARED: there is no photograph {path}")
        return path.read_bytes()

    return read


@pytest.fixture(scope="session")
def read_shared_photograph(shared_photograph_bytes: Callable[[str], bytes]) -> Callable[[str], Photograph]:
    """Read and check one photograph below data/real, such as ``fixmypose_pair/current.png``."""
    from fmp_models.preprocessing import read_photograph  # noqa: PLC0415  heavy

    return lambda name: read_photograph(shared_photograph_bytes(name))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long files."""
    items.sort(
        key=lambda item: next(
            (at for at, start in enumerate(_LONG_FILES) if item.nodeid.startswith(start)), len(_LONG_FILES)
        )
    )
