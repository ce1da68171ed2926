"""The module-level tables of a source tree whose keys or members name members of `Part`, `Direction` or `Relation`."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

_ENUMS = {"Part", "Direction", "Relation"}


def body_tables(path: Path) -> list[str]:
    """Return the names of the tables in one module: assignments of a literal with at least two such entries."""
    names = []
    for statement in ast.parse(path.read_text()).body:
        match statement:
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                if any(_is_table(node) for node in ast.walk(value)):
                    names.append(ast.unparse(target))
    return names


def _is_table(node: ast.AST) -> bool:
    match node:
        case ast.Dict(keys=entries) | ast.Set(elts=entries) | ast.Tuple(elts=entries) | ast.List(elts=entries):
            return sum(entry is not None and _names_a_member(entry) for entry in entries) > 1
        case ast.DictComp(key=key, generators=generators):
            return any(_names_a_member(part) for part in (key, *(each.iter for each in generators)))
    return False


def _names_a_member(entry: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in _ENUMS
        for node in ast.walk(entry)
    )


if __name__ == "__main__":
    for root in map(Path, sys.argv[1:]):
        found = {path: names for path in sorted(root.rglob("*.py")) if (names := body_tables(path))}
        for path, names in found.items():
            print(path, *names)  # noqa: T201  the result of a script
        print(sum(map(len, found.values())), "tables in", len(found), "modules of", root)  # noqa: T201
