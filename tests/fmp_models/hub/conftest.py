"""A small Hub of its own for every test that asks, with the real client pointed at it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hub_server import HubServer, reach_from_here, running_hub


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    reach_from_here(monkeypatch)
    with running_hub() as server:
        yield server
