"""Edit operations: their rounds, their replay, and the number of editing steps (ES).

A text is edited in rounds. Words are deleted in the first; every round then adds at most one word in each gap, so a gap
of n words takes n rounds. Kept words have round 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fmp_models.common import ADD, DELETE, KEEP, Edit, Operation, fewest_edits

Reason = Literal["false", "missing", "wording"]


@dataclass(frozen=True)
class EditOperation:
    """One operation on one ``token``, the ``round`` it happens in, and why.

    A token is deleted because its clause is ``false`` by the joints, added because a certain change is ``missing``; all
    else is ``wording``. Kept tokens have no reason.
    """

    op: Operation
    token: str
    round: int = 0
    reason: Reason | None = None


def in_rounds(edits: Iterable[Edit]) -> tuple[EditOperation, ...]:
    """Return the edits with their rounds; the words of a gap are added from left to right."""
    operations = []
    added = 0
    for op, token in edits:
        added = added + 1 if op == ADD else added * (op == DELETE)
        operations.append(EditOperation(op, token, {KEEP: 0, DELETE: 1, ADD: added}[op]))
    return tuple(operations)


def oracle(given: Sequence[str], wanted: Sequence[str]) -> tuple[EditOperation, ...]:
    """Return the operations, as few as possible, that turn the tokens of one text into those of another."""
    return in_rounds(fewest_edits(given, wanted))


def count_rounds(operations: Iterable[EditOperation]) -> int:
    """Return the number of rounds; 0 if nothing is edited."""
    return max((operation.round for operation in operations), default=0)


def replay(operations: Iterable[EditOperation], rounds: int | None = None) -> tuple[str, ...]:
    """Return the tokens after a number of rounds, by default all; 0 gives the tokens of the given text."""
    return tuple(token for op, token in replay_edits(operations, rounds) if op != DELETE)


def replay_edits(operations: Iterable[EditOperation], rounds: int | None = None) -> Iterator[Edit]:
    """Yield the edits as far as they are done after that many rounds; a word that is still there is kept."""
    for operation in operations:
        done = rounds is None or operation.round <= rounds
        if done:
            yield operation.op, operation.token
        elif operation.op == DELETE:
            yield KEEP, operation.token


def marked_edits(operations: Iterable[EditOperation]) -> str:
    """Return one line with all words: deleted ones as ``[-word-]``, added ones as ``{+word+}``."""
    marks = {KEEP: "{}", DELETE: "[-{}-]", ADD: "{{+{}+}}"}
    return " ".join(marks[one.op].format(one.token) for one in operations if not one.token.isspace())


TokenOp = Literal["KEEP", "DELETE", "REPLACE", "REORDER", "ADD"]
_STEPS: Mapping[TokenOp, int] = {"KEEP": 0, "DELETE": 1, "REPLACE": 1, "REORDER": 1, "ADD": 1}


@dataclass(frozen=True)
class TokenOperation:
    """A combined operation on one token: ``op``, and the ``words`` that are added beside it or replace it.

    An empty ``token`` is the begin or end mark of the text, beside which words can be added.
    """

    op: TokenOp
    token: str
    words: tuple[str, ...] = ()


def editing_steps(operations: Iterable[TokenOperation | EditOperation]) -> int:
    """Return the number of editing steps: DELETE and ADD are one each, and combined operations are taken apart.

    (DELETE | n words) is n + 1, (KEEP | n) is n, REPLACE by a word is 2 and a pure reordering is 1.
    """
    return sum(_STEPS[operation.op] + len(getattr(operation, "words", ())) for operation in operations)


def combined(operations: Iterable[EditOperation], side: Literal["before", "after"] = "after") -> list[TokenOperation]:
    """Return one operation for each token of the given text, with the words added before or after it.

    The begin mark takes the words before the first token, or the end mark those after the last one.
    """
    mark = TokenOperation("KEEP", "")
    if side == "before":
        reversed_back = combined(reversed(tuple(operations)))[::-1]
        return [replace(operation, words=operation.words[::-1]) for operation in reversed_back]
    merged = [mark]
    for operation in operations:
        if operation.op == ADD:
            merged[-1] = replace(merged[-1], words=(*merged[-1].words, operation.token))
        else:
            merged.append(TokenOperation(operation.op, operation.token))
    return merged


def taken_apart(
    operations: Iterable[TokenOperation], side: Literal["before", "after"] = "after"
) -> Iterator[EditOperation]:
    """Yield KEEP, DELETE and ADD for combined operations without reordering, with their rounds."""
    edits: list[Edit] = []
    for operation in operations:
        added: list[Edit] = [(ADD, word) for word in operation.words]
        own: list[Edit] = [(KEEP if operation.op == KEEP else DELETE, operation.token)] if operation.token else []
        edits += [*own, *added] if side == "after" else [*added, *own]
    yield from in_rounds(edits)
