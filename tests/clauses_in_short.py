"""Clauses in short, text -> text: what is read of it, each clause as its side, part, direction and end states."""

from __future__ import annotations

from fmp_models.geometry.clauses import Clause
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reader.parse import read_plan


def as_read(code: str, text: str) -> str:
    """The clauses read of a text in this language: "left, arm, up; none, head, forward"."""
    return "; ".join(map(_in_short, read_plan(text, grammar(code))))


def _in_short(clause: Clause) -> str:
    return ", ".join([clause.side.value, clause.part.value, clause.direction.value, *clause.relations])
