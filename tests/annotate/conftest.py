"""Stores to try things with: SQLite in a temporary folder and a real PostgreSQL server of the tests' own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub.utils._http as hub_http
import pytest

from annotate.storage.database import FILE_NAME
from annotate.storage.store import Store, open_store
from tests.annotate.asking import MakeRig, ServiceRig, campaign_json, collect
from tests.hub_server import HubServer, reach_from_here, running_hub
from tests.postgresql_server import OWNER, new_database, owner, programs, running_postgresql


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Path]:
    """Start a server that listens on a socket in its own folder alone, and give that folder."""
    if programs() is None:
        pytest.skip("PostgreSQL: there is no server program; please install the package postgresql")
    if owner() is None:
        pytest.skip(f"PostgreSQL: there is no user {OWNER} to run its server")
    with running_postgresql(synced=False) as folder:
        yield folder


@pytest.fixture
def postgresql(postgresql_server: Path) -> str:
    """Give the address of a new, empty database."""
    return new_database(postgresql_server)


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Return the place of a store: both kinds of database, one after the other."""
    if request.param == "sqlite":
        return tmp_path / "data" / FILE_NAME
    address: str = request.getfixturevalue("postgresql")
    return address


@pytest.fixture
def open_here() -> Iterator[Callable[..., Store]]:
    """Open stores that are closed after the test."""
    opened: list[Store] = []

    def make(place: str | Path, **options: object) -> Store:
        opened.append(open_store(place, **options))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(where: str | Path, open_here: Callable[..., Store]) -> Store:
    return open_here(where)


@pytest.fixture
def sqlite_store(tmp_path: Path, open_here: Callable[..., Store]) -> Store:
    return open_here(tmp_path / "data" / FILE_NAME)


@pytest.fixture
def make_rig(tmp_path: Path) -> Iterator[MakeRig]:
    """Yield a function that makes a service over a campaign of these items; its store is closed after the test."""
    made: list[ServiceRig] = []

    def make(
        items: list[dict[str, Any]], where: str | Path | None = None, *, terms: str | None = None, **campaign: object
    ) -> ServiceRig:
        made.append(collect(tmp_path, campaign_json(items, **campaign), where))
        if terms is not None:
            made[-1].service.consents = dict.fromkeys(made[-1].service.campaign.kinds, terms)
        return made[-1]

    yield make
    for rig in made:
        rig.store.close()


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """Yield a Hub whose client does not wait before it retries."""
    reach_from_here(monkeypatch)
    monkeypatch.setattr(hub_http, "time", SimpleNamespace(sleep=lambda _: None, time=hub_http.time.time))
    with running_hub() as server:
        yield server
