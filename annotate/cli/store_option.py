"""The option for the store that a command works on; the default is the app's store."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from platformdirs import user_data_path

from annotate.errors import RefusedError
from annotate.files.disks import at_home
from annotate.storage.store import Store, open_store, store_path


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add ``--store`` to a command."""
    parser.add_argument(
        "--store",
        metavar="URL_OR_PATH",
        help="a PostgreSQL address, an SQLite file or its folder (default: FMP_DATABASE_URL, else the app's)",
    )


def data_dir() -> Path:
    """Return the app's data folder: FMP_DATA_DIR, or the user's."""
    folder = os.environ.get("FMP_DATA_DIR")
    return at_home(Path(folder)) if folder else user_data_path("fixmypose")


def open_existing(option: str | None) -> Store:
    """Open the store of ``--store``; raise :class:`RefusedError` instead of creating a missing one."""
    address = option or os.environ.get("FMP_DATABASE_URL") or str(data_dir())
    if "://" in address:
        return open_store(address)
    path = at_home(Path(address))
    if path.is_dir():
        path = store_path(path)
    if not path.is_file():
        raise RefusedError("store_missing", path=str(path))
    return open_store(path)
