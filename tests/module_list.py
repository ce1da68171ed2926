"""The list of modules in ``docs/architecture.md``, made from their first lines; ``make docs`` writes it anew."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.test_rooms import ORDER, ROOT, modules, room_of

PAGE = ROOT / "docs" / "architecture.md"
MARK = "<!-- `make docs` writes all that follows. -->\n"


@cache
def first_line(source: str) -> str:
    """The first line of a module's docstring; empty where it has none."""
    return (ast.get_docstring(ast.parse(source)) or "").split("\n", 1)[0]


def module_list() -> str:
    """Every room in the order of rooms with its own line, and below it a line for each of its modules."""
    rooms: dict[str, list[str]] = {room: [] for room in ("demo", "annotate", "fmp_models", *ORDER)}
    for path, source in sorted(modules().items()):
        room, name = room_of(path), Path(path).stem
        itself = name == "__init__" or path == f"{room.replace('.', '/')}.py"
        entry = f"**`{room}`** {first_line(source)}\n" if itself else f"- `{name}`: {first_line(source)}"
        rooms[room].insert(0 if itself else len(rooms[room]), entry)
    shown = sorted(rooms, key=_package)
    return "\n\n".join("\n".join(rooms[room]).rstrip() for room in shown) + "\n"


def _package(room: str) -> int:
    """Packages one after the other, as they stand in the order; within one nothing changes places."""
    packages = list(dict.fromkeys(name.split(".")[0] for name in ORDER))
    return packages.index(room.split(".", maxsplit=1)[0])


def renewed(page: str) -> str:
    """The page with the list as it is now; ``ValueError`` where the mark is not on it."""
    before, mark, _ = page.partition(MARK)
    if not mark:
        message = f"{PAGE} lacks the line {MARK}"
        raise ValueError(message)
    return f"{before}{mark}\n{module_list()}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
