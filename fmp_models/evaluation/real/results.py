"""Results on real photographs, as they are printed, kept beside the model and read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

KEPT, KEPT_QUESTIONS = "real_pairs.json", "real_questions.json"  # beside a model

Interval = tuple[float, float]
Key = tuple[str, str, str]  # model, pose, language


@dataclass(frozen=True)
class Bin:
    """Judged clauses of a confidence ``above`` one number and up to another: their mean, and the share that is right.

    Both are None where there is no such clause.
    """

    above: float
    to: float
    clauses: int
    confidence: float | None
    right: float | None


@dataclass(frozen=True)
class Calibration:
    """How far confidence can be relied on: ``error`` is the expected calibration error over the bins."""

    error: float | None = None
    bins: Sequence[Bin] = ()


@dataclass(frozen=True)
class Ends:
    """End states that were named and are labelled, once for each limb."""

    right: int = 0
    wrong: int = 0


@dataclass(frozen=True)
class GroupShares:
    """What every group of pairs is told by: shares from 0 to 1 (0 of nothing), and their 95 % intervals by name.

    ``right`` and ``opposite`` are of the ``judged`` clauses, ``must`` of what anybody would say first.
    """

    right: float
    opposite: float
    must: float
    pairs: int = 0
    judged: int = 0
    intervals: Mapping[str, Interval | None] = field(default_factory=dict)


@dataclass(frozen=True)
class RealResult(GroupShares):
    """One speaker with one pose model in one language; lists are of pairs, by id.

    ``wrong`` is a share of the ``judged`` clauses as well, ``must_unseen`` and ``must_said_or_unseen`` are of the
    ``must_slots``; ``refusals`` have the code of each refused pair. Times are of whole corrections, in milliseconds.
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
        """Who was asked, with which joints, in which language."""
        return self.model, self.pose, self.language


@dataclass(frozen=True)
class Pictures:
    """The pairs that were judged: the folder's ``name``, how many, and what changes with any picture or label."""

    name: str
    pairs: int
    fingerprint: str


@dataclass(frozen=True)
class RealResults:
    """What ``evaluate-real --json`` prints: the results of a ``command``; ``data`` is None where it is not known."""

    results: Sequence[RealResult]
    command: str = ""
    data: Pictures | None = None


@dataclass(frozen=True)
class QuestionsResult:
    """One finder in one language: how often the answer came first, and among the first three, of ``questions``.

    ``ranks`` are by question, counted from 1, None where it was refused; ``intervals`` are of 95 %. ``kinds`` has for
    each kind of question how many answers came first, how many among the first three, and how many were asked.
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
    """What ``evaluate-questions --json`` prints; ``fingerprint`` changes with any picture or word."""

    results: Sequence[QuestionsResult]
    command: str = ""
    fingerprint: str = ""
