"""Assertions of tests that may never run: those in loops over nothing, and those under a condition."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

import pytest

from tests.test_rooms import ROOT

# Calls that assert: of pytest, and `expect` of Playwright.
ASSERTING = frozenset({"raises", "warns", "expect"})
# Calls that loop over all that they are given, or over each of several things at once.
WHOLE = frozenset({"enumerate", "items", "keys", "list", "product", "reversed", "sorted", "tuple", "values", "zip"})
APART = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
LEAVES = (ast.Continue, ast.Break, ast.Return)


def called(node: ast.AST) -> str:
    """Return the last name of the function that a call calls, else an empty text."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)


def bindings(*bodies: list[ast.stmt]) -> dict[str, ast.expr]:
    """Return the values that the statements of these blocks give to names, those within them left out."""
    assigned = [statement for body in bodies for statement in body if isinstance(statement, ast.Assign | ast.AnnAssign)]
    return {
        target.id: node.value
        for node in assigned
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and node.value is not None
    }


def full(node: ast.expr, bound: Mapping[str, ast.expr]) -> bool:
    """Return whether an expression shows that there is something to loop over."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.Dict(values=parts):
            return bool(parts) and not any(isinstance(part, ast.Starred) for part in parts)
        case ast.Name(id=name):
            return name in bound and full(bound[name], {})
        case ast.ListComp(generators=parts) | ast.DictComp(generators=parts) | ast.GeneratorExp(generators=parts):
            return all(not part.ifs and full(part.iter, bound) for part in parts)
        case ast.Call(func=function, args=args) if called(node) in WHOLE:
            return all(full(arg, bound) for arg in args or [function.value])
        case ast.Call(args=args) if called(node) == "range":
            return all(isinstance(arg, ast.Constant) for arg in args) and len(range(*map(ast.literal_eval, args))) > 0
    return called(node) == "nonempty"


def doubt_of(node: ast.AST, bound: Mapping[str, ast.expr]) -> str:
    """Return why what stands within a statement may not run: "loop", "if" or an empty text."""
    match node:
        case ast.For(iter=source) if not full(source, bound):
            return "loop"
        case ast.While():
            return "loop"
        case ast.match_case():
            return "if"
        case ast.If(body=yes, orelse=no):
            sides = [assertions(ast.Module(side, []), bound) for side in (yes, no)]
            return "" if all(any(doubt == "" for _, doubt in side) for side in sides) else "if"
    return ""


def assertions(node: ast.AST, bound: Mapping[str, ast.expr], doubt: str = "") -> Iterator[tuple[int, str]]:
    """Yield the line of each assertion, and why it may not run: "loop", "if" or an empty text."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, APART):
            continue
        if isinstance(inner, ast.Assert) or called(inner) in ASSERTING:
            yield inner.lineno, doubt
        doubts = {doubt, doubt_of(inner, bound)} - {""}
        yield from assertions(inner, bound, min(doubts, default=""))
        if isinstance(inner, ast.If) and isinstance(inner.body[-1], LEAVES):
            doubt = "if"


def doubtful(source: str) -> list[str]:
    """Name the tests of a module that assert only in loops over what may be nothing, and assertions under an ``if``."""
    tree = ast.parse(source)
    found = []
    for test in ast.walk(tree):
        if isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef) and test.name.startswith("test_"):
            made = list(assertions(test, bindings(tree.body, test.body)))
            found += [f"{test.name}: if in line {line}" for line, doubt in made if doubt == "if"]
            if made and all(doubt == "loop" for _, doubt in made):
                found.append(f"{test.name}: loop in line {made[0][0]}")
    return found


def test_every_assertion_runs() -> None:
    tests = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "tests").rglob("test_*.py")}
    assert "tests/test_assertions.py" in tests
    found = {path: doubtful(file.read_text(encoding="utf-8")) for path, file in tests.items()}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "body",
    [
        "for box in boxes(): assert box",
        "for box in []: assert box",
        "for side in range(sides): assert side",
        "for box in nonempty(boxes()):\n  for side in box: assert side",
        "for box in [box for box in BOXES if box]: assert box",
        "while boxes(): assert box",
        "if boxes(): assert box",
        "if boxes(): assert box\n else: print()",
        "if not boxes(): return\n assert box",
        "assert BOXES\n for box in BOXES:\n  if box: assert box",
        "for box in boxes():\n  with pytest.raises(ValueError): box()",
        "for box in boxes(): expect(box).to_be_visible()",
    ],
)
def test_an_assertion_that_may_not_run_is_found(body: str) -> None:
    assert len(doubtful(f"BOXES = [1, 2]\ndef test_box():\n {body}")) == 1


@pytest.mark.parametrize(
    "body",
    [
        "assert box\n for box in boxes(): assert box",
        "for box in nonempty(boxes()): assert box",
        "for number, box in enumerate(BOXES): assert box",
        "for number in range(2): assert number",
        "for box in [box for box in BOXES]: assert box",
        "for box, side in zip(BOXES, range(1, 3), strict=True): assert box",
        "boxes = {1: 2}\n for side, box in boxes.items(): assert box",
        "for box in BOXES:\n  if box: assert box\n  else: assert not box",
        "with box:\n  assert box",
    ],
)
def test_an_assertion_that_runs_is_not_reported(body: str) -> None:
    assert doubtful(f"BOXES = [1, 2]\ndef test_box():\n {body}") == []
