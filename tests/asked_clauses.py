"""Clauses that a description asks for, as a person wrote them down, and what of them a reader found or got wrong.

Written as "both, arm|hand, up|forward, at shoulder height; ? left, foot, any": side, part, ways, and the end states
that may be read with them, alternatives between bars. What follows "?" may be read and need not be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fmp_models.geometry.lexicon import Clause, Direction, Part, Relation, Side

_ARM = frozenset({Part.ARM, Part.FOREARM, Part.HAND})
_LEG = frozenset({Part.LEG, Part.FOOT, Part.KNEE})
_JOINT = frozenset({Direction.BEND, Direction.STRAIGHTEN})
_SOMEWHERE = frozenset({Direction.MOVE, Direction.TURN})
_EVENED = {Direction.APART: Direction.OUT, Direction.TOGETHER: Direction.IN}
# Ways that an end state tells as well.
_LEADS_THERE = {
    Relation.STRAIGHT: Direction.STRAIGHTEN,
    Relation.IN_FRONT: Direction.FORWARD,
    Relation.SIDEWAYS: Direction.OUT,
    Relation.OVERHEAD: Direction.UP,
    Relation.ABOVE_HEAD: Direction.UP,
    Relation.HANGING: Direction.DOWN,
    Relation.ON_GROUND: Direction.DOWN,
    Relation.CLOSE: Direction.IN,
    Relation.WIDE: Direction.OUT,
    Relation.SHOULDER_WIDTH: Direction.OUT,
}
_BOTH = frozenset({"left", "right"})


class Verdict(StrEnum):
    """What a read clause is worth."""

    RIGHT = "right"
    OPPOSITE = "opposite"  # the way back from where the description leads
    WRONG = "wrong"  # of another part or side, or asked for by nobody


@dataclass(frozen=True)
class Asked:
    """One clause that a description asks for; no ``ways`` for any."""

    side: Side
    parts: frozenset[Part]
    ways: frozenset[Direction]
    ends: frozenset[Relation]
    needed: bool

    def allows(self, read: Clause) -> bool:
        """Return whether the clause says this, or only that the part moves or turns."""
        return self.tells(read) or (self._is_about(read) and self._tells_vaguely(read))

    def tells(self, read: Clause) -> bool:
        """Return whether the clause says the direction or, if it only has an end state, one of the ends."""
        if not self._is_about(read):
            return False
        if read.direction is Direction.REACH:
            led = {_LEADS_THERE[end] for end in read.relations if end in _LEADS_THERE}
            return not self.ways or bool(led & self._evened) or bool(self.ends & {*read.relations})
        return not self.ways or _evened(read.direction) in self._evened

    def ends_so(self, read: Clause) -> bool:
        """Return whether the clause names one of the ends."""
        return self._is_about(read) and bool(self.ends & {*read.relations})

    def is_reversed(self, read: Clause) -> bool:
        """Return whether the clause says the reverse direction for a required side."""
        back = {_evened(way.reverse) for way in self.ways if way.reverse is not way}
        return self._is_about(read) and bool(_sides(read) & self.sides) and _evened(read.direction) in back

    def names_another_end(self, read: Clause) -> bool:
        """Return whether ends are required and the clause names only other ends."""
        ends = {end for end in read.relations if _LEADS_THERE.get(end) not in self._evened}
        return self._is_about(read) and bool(self.ends) and bool(ends) and not self.ends & ends

    @property
    def sides(self) -> frozenset[str]:
        """Return the sides of the body."""
        return frozenset(self.side.of_body) if any(part.sided for part in self.parts) else _BOTH

    @property
    def _evened(self) -> set[Direction]:
        return {_evened(way) for way in self.ways}

    def _tells_vaguely(self, read: Clause) -> bool:
        turns = read.direction is Direction.TURN
        asked = {way for way in self.ways if way is not Direction.KEEP}
        return read.direction in _SOMEWHERE and any(
            way in _SOMEWHERE or turns is way.value.startswith("turn") for way in asked
        )

    def _is_about(self, read: Clause) -> bool:
        groups = {_group(part, way) for part in self.parts for way in self.ways or {read.direction}}
        if _group(read.part, read.direction) in groups:
            return True
        if read.direction is not Direction.REACH:
            return False
        reached = {_group(part, Direction.REACH) for part in self.parts}
        trunk = Relation.UPRIGHT in read.relations and Part.BODY in self.parts
        knee = Relation.STRAIGHT in read.relations and bool(self.parts & _LEG)
        return trunk or knee or read.part in self.parts or _group(read.part, Direction.REACH) in reached


def asked(text: str) -> list[Asked]:
    """Return the clauses that a person wrote down."""
    return [_asked(one.strip()) for one in text.split(";") if one.strip()]


def verdicts(read: Sequence[Clause], wanted: Sequence[Asked]) -> Iterator[Verdict]:
    """Yield the score of each parsed clause; a clause that is parsed twice counts once."""
    for clause in dict.fromkeys(read):
        allowed: set[str] = set()
        for one in wanted:
            if one.allows(clause):
                together = clause.direction in _EVENED and one.tells(clause)  # of two against each other
                allowed |= _BOTH if together else one.sides
        unsaid = clause.side is Side.NONE and bool(allowed)
        if (_sides(clause) <= allowed or unsaid) and not _elsewhere(clause, wanted):
            yield Verdict.RIGHT
        elif any(one.is_reversed(clause) for one in wanted):
            yield Verdict.OPPOSITE
        else:
            yield Verdict.WRONG


def found(read: Sequence[Clause], wanted: Sequence[Asked]) -> Iterator[bool]:
    """Return whether each required clause was parsed, for all its sides."""
    for one in wanted:
        if one.needed:
            sides_told = (_sides(clause) for clause in read if one.tells(clause) or one.ends_so(clause))
            yield one.sides <= frozenset().union(*sides_told)


@dataclass
class Tally:
    """How many of the read clauses are right, and of the asked ones found."""

    read: Counter[Verdict]
    asked: Counter[bool]

    @classmethod
    def of(cls, answers: Sequence[tuple[Sequence[Clause], str]]) -> Tally:
        """Score the parsed clauses of several descriptions against their required clauses."""
        pairs = [(read, asked(text)) for read, text in answers]
        return cls(
            Counter(verdict for pair in pairs for verdict in verdicts(*pair)),
            Counter(was_found for pair in pairs for was_found in found(*pair)),
        )

    @property
    def precision(self) -> float:
        """Return the share of parsed clauses that are right."""
        return self.read[Verdict.RIGHT] / max(self.read.total(), 1)

    @property
    def opposite(self) -> float:
        """Return the share of parsed clauses that say the reverse direction."""
        return self.read[Verdict.OPPOSITE] / max(self.read.total(), 1)

    @property
    def recall(self) -> float:
        """Return the share of required clauses that are found."""
        return self.asked[True] / max(self.asked.total(), 1)

    def __str__(self) -> str:
        """Return all scores in one line."""
        return (
            f"{self.read.total()} clauses read, {self.precision:.1%} right, {self.opposite:.1%} opposite; "
            f"{self.asked[True]} of {self.asked.total()} asked ones found, {self.recall:.1%}"
        )


def _asked(text: str) -> Asked:
    side, parts, ways, *ends = (one.strip() for one in text.removeprefix("?").strip().split(","))
    return Asked(
        Side(side),
        frozenset(map(Part, parts.split("|"))),
        frozenset() if ways == "any" else frozenset(map(Direction, ways.split("|"))),
        frozenset(map(Relation, ends)),
        needed=not text.startswith("?"),
    )


def _elsewhere(clause: Clause, wanted: Sequence[Asked]) -> bool:
    if clause.direction is Direction.REACH:
        return False
    named = any(one.ends_so(clause) for one in wanted)
    return not named and any(one.names_another_end(clause) for one in wanted)


def _group(part: Part, way: Direction) -> str:
    if part in _ARM or (part is Part.ELBOW and way not in _JOINT and way is not Direction.REACH):
        return "arm"
    return "leg" if part in _LEG and not (part is Part.KNEE and way in _JOINT) else part.value


def _sides(clause: Clause) -> frozenset[str]:
    return frozenset(clause.side.of_body) if clause.part.sided else _BOTH


def _evened(way: Direction) -> Direction:
    return _EVENED.get(way, way)
