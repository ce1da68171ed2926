"""The project as on Windows: its modules lack what Windows lacks, while libraries keep it.

``python -m tests.without_unix MODULE ARGUMENTS...`` runs a module so, and ``-c STATEMENTS`` what a test writes. The
names that are taken away are those that mypy's stubs give to other systems than Windows. Three things behave as there:
folders cannot be opened, nothing is synced through a file that is open for reading alone, and locks are ``msvcrt``'s.
On Windows itself nothing is changed.
"""

from __future__ import annotations

import ast
import builtins
import errno
import os
import runpy
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import mypy
import pytest

PRODUCT = frozenset({"annotate", "app", "demo", "fmp_models", "hub_cards"})
STUBS = Path(mypy.__file__).parent / "typeshed" / "stdlib"
PARTLY_THERE = ("os", "signal", "socket", "time")
NOT_THERE = frozenset({"fcntl", "grp", "posix", "pwd", "resource", "termios"})
# Of tests of pipes with names, rights of files, shell scripts and the like.
unix_alone = pytest.mark.skipif(sys.platform == "win32", reason="Windows has nothing of the kind")


def names_on(system: str, module: str) -> set[str]:
    """Return the names of a standard-library module on a system, as ``sys.platform`` calls it."""
    stub = next(path for path in (STUBS / module / "__init__.pyi", STUBS / f"{module}.pyi") if path.is_file())
    known = SimpleNamespace(platform=system, version_info=sys.version_info)
    return set(_names(ast.parse(stub.read_text(encoding="utf-8")).body, known))


def _names(statements: Sequence[ast.stmt], known: SimpleNamespace) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, ast.If):
            holds = eval(compile(ast.Expression(statement.test), "stub", "eval"), {"sys": known})  # noqa: S307  mypy's
            yield from _names(statement.body if holds else statement.orelse, known)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id
        elif isinstance(statement, ast.Assign):
            yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in statement.names)


def windows_locks() -> ModuleType:
    """Return a module with the part of ``msvcrt`` that locks files, built on this system's locks."""
    if sys.platform == "win32":
        return import_module("msvcrt")
    import fcntl  # noqa: PLC0415  Windows has none

    def locking(file: int, mode: int, count: int) -> None:
        assert count > 0
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if mode == locks.LK_LOCK else fcntl.LOCK_NB))
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "Permission denied") from None

    locks: Any = ModuleType("msvcrt")
    locks.LK_LOCK, locks.LK_NBLCK, locks.locking = 1, 2, locking
    return locks


def take_away() -> None:
    """Let modules of the project that are imported from now on find what Windows has."""
    if sys.platform == "win32":
        return
    stand_ins = {name: _less(import_module(name)) for name in PARTLY_THERE}
    stand_ins |= {"os": windows_os(), "msvcrt": windows_locks()}
    real_import = builtins.__import__

    def import_as_there(
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002  as Python calls it
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        if not level and _is_ours(globals or {}):
            if name in NOT_THERE:
                raise ModuleNotFoundError(name=name)
            if name in stand_ins:
                return stand_ins[name]
        return real_import(name, globals, locals, fromlist, level)

    builtins.__import__ = import_as_there
    sys.addaudithook(_without_proc)


def _less(module: ModuleType) -> Any:  # noqa: ANN401  a module of which the checker knows nothing
    lacking = set(vars(module)) & (names_on("linux", module.__name__) - names_on("win32", module.__name__))
    assert lacking
    stand_in = ModuleType(module.__name__)
    vars(stand_in).update({name: value for name, value in vars(module).items() if name not in lacking})
    return stand_in


def windows_os() -> Any:  # noqa: ANN401
    """Return a module ``os`` as Windows has it."""
    if sys.platform == "win32":
        return os
    import fcntl  # noqa: PLC0415  Windows has none

    stand_in = _less(os)

    def fsync(file: int) -> None:
        if fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        os.fsync(file)

    def open_file(path: str, flags: int, mode: int = 0o777) -> int:
        if Path(path).is_dir():
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return os.open(path, flags, mode)

    stand_in.name, stand_in.fsync, stand_in.open = "nt", fsync, open_file
    return stand_in


def _is_ours(place: Mapping[str, object]) -> bool:
    name = getattr(place.get("__spec__"), "name", None) or place.get("__name__")
    return str(name).split(".")[0] in PRODUCT


def _without_proc(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and str(arguments[0]).startswith("/proc/"):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), arguments[0])


if __name__ == "__main__":
    take_away()
    what, *sys.argv[1:] = sys.argv[1:]
    if what == "-c":
        exec(sys.argv[1], {"__name__": "__main__"})  # noqa: S102  of a test
    else:
        runpy.run_module(what, run_name="__main__", alter_sys=True)
