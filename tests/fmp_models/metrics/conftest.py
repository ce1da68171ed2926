"""The released scripts' own scores of human descriptions, from FMP_SHARED."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(params=["en", "hi"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def oracle(shared: Path, language: str) -> dict[str, Any]:
    """``corpus`` (name -> score) and ``instances`` (uid -> prediction, references, scores, direction_pairs)."""
    oracle_values: dict[str, Any] = json.loads(
        (shared / "data" / "metric_oracle" / f"val_seen.{language}.json").read_bytes()
    )
    return oracle_values
