"""The import statements of modules, read once however many tests look at them."""

from __future__ import annotations

import ast
from functools import cache

Import = ast.Import | ast.ImportFrom


@cache
def imports(source: str) -> tuple[Import, ...]:
    """Return the import statements anywhere in a module; only statements are searched."""
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
