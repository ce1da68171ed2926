"""The import statements of modules, read once however many tests look at them."""

from __future__ import annotations

import ast
from functools import cache

Import = ast.Import | ast.ImportFrom


@cache
def imports(source: str) -> tuple[Import, ...]:
    """The import statements, wherever in a module they stand; of the rest statements alone are looked into."""
    found: list[Import] = []
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Import):
            found.append(node)
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, part, ())
            waiting += inner if isinstance(inner, list) else ()
    return tuple(found)
