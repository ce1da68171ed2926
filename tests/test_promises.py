"""What the page promises is borne out by tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROMISES = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[^`]+)`", PROMISES)))


@pytest.mark.parametrize("named", NAMED)
def test_what_bears_a_promise_out_is_there(named: str) -> None:
    path, _, name = named.partition("::")
    file = ROOT / path
    assert file.is_file()
    functions = {one.name for one in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(one, ast.FunctionDef)}
    assert not name or name in functions


def test_every_promise_names_a_test() -> None:
    rows = [row for row in PROMISES.splitlines() if row.startswith("| ") and not row.startswith("| promise |")]
    assert rows
    assert [row for row in rows if "`tests/" not in row] == []
