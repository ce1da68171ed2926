"""Small runs of training without ``curves.png``: to draw it after each validation takes longer than to train."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fmp_models.training.engine import draw_curves

_PLACE = "fmp_models.training.engine.draw_curves"


@pytest.fixture(scope="module", autouse=True)
def undrawn_curves() -> Iterator[None]:
    """Leave the curves of every run of a module undrawn."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_PLACE, lambda *_: None)
        yield


@pytest.fixture
def drawn_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw them in one test all the same."""
    monkeypatch.setattr(_PLACE, draw_curves)
