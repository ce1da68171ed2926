"""Cases that are tried on both kinds of database: PostgreSQL takes several times as long."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.thoroughness import parameter, thorough


def on_databases(cases: Iterable[Any]) -> list[Any]:
    """Parameters with the database ahead of each case: every case on SQLite, and the first of them on PostgreSQL too.

    The others on PostgreSQL are marked thorough, as are those that were. The first parameter, ``where``, is indirect.
    """
    every = [case if hasattr(case, "marks") else parameter(case) for case in cases]
    return [
        pytest.param(kind, *case.values, marks=[*case.marks, *([thorough] if kind == "postgresql" and number else [])])
        for kind in ("sqlite", "postgresql")
        for number, case in enumerate(every)
    ]
