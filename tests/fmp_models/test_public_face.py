from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fmp_models

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", fmp_models.__all__)
def test_every_public_name_is_there_and_is_called_so_where_it_lies(name: str) -> None:
    assert getattr(fmp_models, name).__name__ == name


def test_a_name_that_is_not_public_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="module 'fmp_models' has no attribute 'Correcter'"):
        _ = fmp_models.Correcter


def test_importing_the_package_loads_neither_torch_nor_mediapipe() -> None:
    asked = "import sys, fmp_models; print(sorted({'torch', 'mediapipe', 'numpy'} & {*sys.modules}))"
    done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
