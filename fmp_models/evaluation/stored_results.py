"""Stored results: tables and results on real photographs, as they are printed, stored and read.

They lie beside a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from fmp_models.errors import BadInputError
from fmp_models.files import read_within

_MAX_BYTES = 10_000_000
_Read = TypeVar("_Read")


@dataclass(frozen=True)
class TableRow:
    """One model in one language: a value of every column for each seed, and the paper's values if it has any."""

    name: str
    values: Mapping[str, Sequence[float | None]]
    language: str | None = None
    split: str | None = None
    seeds: Sequence[int] = ()
    paper: Mapping[str, float | None] | None = None


@dataclass(frozen=True)
class KeptTable:
    """A table of the paper as in ``tables/table<n>.json``, measured by ``command`` on ``dataset``."""

    table: str
    title: str
    command: str
    columns: Sequence[str]
    rows: Sequence[TableRow]
    dataset: Mapping[str, str | None]
    size: str
    split: str | None = None
    notes: Sequence[str] = ()


def read_results(kind: type[_Read], path: Path) -> _Read:
    """Read a JSON file; raises ``BadInputError``: ``results_damaged``, ``file_unreadable``, ``file_too_large``."""
    data = read_within(path, _MAX_BYTES)
    try:
        return TypeAdapter(kind).validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        reason = f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg'][:1].lower()}{first['msg'][1:]}"
        raise BadInputError("results_damaged", path=str(path), reason=reason) from None


REAL_RESULTS_FILE, QUESTION_RESULTS_FILE = "real_pairs.json", "real_questions.json"  # file names beside a model

Interval = tuple[float, float]
Key = tuple[str, str, str]  # model, pose, language


@dataclass(frozen=True)
class Bin:
    """Judged clauses with a confidence ``above`` one number and up to another: the mean and the share that is right.

    Both are None if there is no such clause.
    """

    above: float
    to: float
    clauses: int
    confidence: float | None
    right: float | None


@dataclass(frozen=True)
class Calibration:
    """Calibration of the confidence: ``error`` is the expected calibration error over the bins."""

    error: float | None = None
    bins: Sequence[Bin] = ()


@dataclass(frozen=True)
class Ends:
    """Counts of named end states that are labelled, once for each limb."""

    right: int = 0
    wrong: int = 0


@dataclass(frozen=True)
class GroupShares:
    """Results of a group of pairs: shares from 0 to 1 (0 of nothing), and their 95 % intervals by name.

    ``right`` and ``opposite`` are shares of the ``judged`` clauses, ``must`` of the slots that had to be
    mentioned.
    """

    right: float
    opposite: float
    must: float
    pairs: int = 0
    judged: int = 0
    intervals: Mapping[str, Interval | None] = field(default_factory=dict)


@dataclass(frozen=True)
class RealResult(GroupShares):
    """Results of one correction model with one pose model in one language; lists hold the ids of pairs.

    ``wrong`` is a share of the ``judged`` clauses too. ``must_unseen`` and ``must_said_or_unseen`` are shares of
    the ``must_slots``. ``refusals`` has the error code of each refused pair. Times are of whole corrections, in
    milliseconds.
    """

    model: str = field(kw_only=True)
    pose: str = field(kw_only=True)
    language: str = field(kw_only=True)
    revision: str = ""
    estimator: str = ""
    not_judged: int = 0
    wrong: float = 0.0
    must_slots: int = 0
    must_unseen: float = 0.0
    must_said_or_unseen: float = 0.0
    false_all_clear: Sequence[str] = ()
    contradictory: Sequence[str] = ()
    broken: Sequence[str] = ()
    refused: Sequence[str] = ()
    refusals: Mapping[str, str] = field(default_factory=dict)
    end: Ends = field(default_factory=Ends)
    calibration: Calibration = field(default_factory=Calibration)
    ms_median: float | None = None
    ms_p95: float | None = None
    views: Mapping[str, GroupShares] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """The correction model, the pose model and the language."""
        return self.model, self.pose, self.language


@dataclass(frozen=True)
class Pictures:
    """The judged pairs: the folder's ``name``, their number, and a hash of all pictures and labels."""

    name: str
    pairs: int
    fingerprint: str


@dataclass(frozen=True)
class RealResults:
    """The output of ``evaluate-real --json``; ``data`` is None if it is not known."""

    results: Sequence[RealResult]
    command: str = ""
    data: Pictures | None = None


@dataclass(frozen=True)
class QuestionsResult:
    """One target finder in one language: the share of ``questions`` with the answer first, and among the first three.

    ``ranks`` are by question, from 1, None after an error. ``intervals`` are 95 %. ``kinds`` has for each kind of
    question the number of answers that came first, the number among the first three, and the number of questions.
    """

    model: str
    estimator: str
    language: str
    questions: int
    first: float
    in_three: float
    refused: Sequence[str]
    ranks: Mapping[str, int | None]
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    ms_median: float | None = None
    kinds: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class QuestionsResults:
    """The output of ``evaluate-questions --json``; ``fingerprint`` changes with any picture or word."""

    results: Sequence[QuestionsResult]
    command: str = ""
    fingerprint: str = ""
