"""Corrections: their types, and the interface and names of the models that write them.

This module imports no model.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

from fmp_models.describe import GEOMETRY_ID, CheckedClause
from fmp_models.estimators import PoseEstimate
from fmp_models.geometry import Plan
from fmp_models.inference.demonstration import Demonstration
from fmp_models.pose import Array, PosePair, pair_as_json
from fmp_models.preprocessing import PersonCrop, Photograph

if TYPE_CHECKING:
    from fmp_models.hub import ModelFolder


@dataclass(frozen=True)
class ModelName:
    """The model of a correction: its id and pinned revision."""

    id: str
    revision: str

    @classmethod
    def of(cls, folder: ModelFolder, *, repairs: bool = True) -> Self:
        """Return the name of the model in a folder; a captioner that ``repairs`` nothing has a name of its own."""
        return cls(folder.shown_id if repairs else folder.shown_id + UNREPAIRED, folder.revision)


GEOMETRY = ModelName(GEOMETRY_ID, "1")
CAPTIONER = "captioner"  # the bundled captioner of photographs, for every language
# The model if none is chosen: the one with most correct clauses on real photographs, then most salient changes, by the
# results stored beside the captioner; tests/fmp_models/test_default_model.py checks this.
DEFAULT_MODEL = GEOMETRY.id
UNREPAIRED = ", unrepaired"  # suffix of the name of a captioner that returns its drafts as they are


class Stopwatch:
    """Milliseconds of each named lap and of the whole."""

    def __init__(self) -> None:
        self.times: dict[str, float] = {}
        self._start = self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Add the time since the previous lap under this name; laps of one name are summed."""
        now = time.perf_counter()
        self.times[name] = round(self.times.get(name, 0.0) + (now - self._last) * 1000, 1)
        self._last = now

    def add(self, times: Mapping[str, float]) -> None:
        """Add laps that were timed elsewhere since the previous lap."""
        self.times |= times
        self._last = time.perf_counter()

    def laps(self) -> dict[str, float]:
        """Return all laps so far and their ``total``."""
        return {**self.times, "total": round((self._last - self._start) * 1000, 1)}


PersonCrops = tuple[PersonCrop, PersonCrop]


@dataclass(frozen=True)
class Word:
    """One word of the text; ``confidence`` (0 to 1) is the captioner's own, or that of the geometry's clause."""

    word: str
    confidence: float


@dataclass(frozen=True)
class CorrectionStep:
    """One sentence of the text: a ``step``, ``fine`` tuning, general advice (``watch``) or a note on ``unseen`` parts.

    ``clauses`` are the indices of its clauses. ``words`` are the first and last (exclusive) words of the text.
    ``confidence`` is that of its least certain clause; ``None`` for general advice, which is not measured. ``by``
    is the id of the captioner that wrote the sentence, ``None`` for the project's own wording.
    """

    text: str
    kind: str
    clauses: tuple[int, ...]
    words: tuple[int, int]
    confidence: float | None
    by: str | None = None


@dataclass(frozen=True)
class AttentionMap:
    """The attention of a word, weights that sum to 1: (g, g) over the crop of each photograph, (20,) over the joints.

    ``joints`` is attention to the joints of both poses, ``differences`` to the changes between them. A field is
    ``None`` if the captioner does not attend to that input.
    """

    current: Array | None
    target: Array | None
    joints: Array | None
    differences: Array | None


@dataclass(frozen=True)
class Correction:
    """The result of ``correct --json``.

    ``clauses`` are the measured changes, ``steps`` the sentences of the text. ``dropped`` is the number of steps
    of the ``model`` that were removed because they contradict the joints. ``people`` is 0 if no joints could be
    measured. ``goal_progress`` is the share of the way to the target that a person reaches by following the text
    alone (1: target reached, below 0: further away). It is ``None`` if not requested, without joints, or if
    nothing moves. A :class:`CorrectionModel` leaves ``estimator``, ``people``, ``goal_progress`` and ``poses`` to the
    corrector.

    The other fields are not part of the JSON. ``poses`` are both bodies, ``None`` without joints. ``plans`` has the
    clauses of each step, for one side if another step covers the other side. ``looks`` has one attention map for each
    word, and is empty without attention; ``squares`` are the crops that the captioner saw. ``gpu_refused`` tells that
    the captioner ran on the processor, because no GPU was lent.
    """

    text: str
    language: str
    words: tuple[Word, ...]
    clauses: tuple[CheckedClause, ...]
    model: ModelName
    estimator: str = ""
    people: tuple[int, int] = (0, 0)
    milliseconds: dict[str, float] = field(default_factory=dict)
    dropped: int = 0
    goal_progress: float | None = None
    steps: tuple[CorrectionStep, ...] = ()
    poses: PosePair | None = field(default=None, repr=False, compare=False)
    plans: tuple[Plan, ...] = field(default=(), repr=False, compare=False)
    looks: tuple[AttentionMap, ...] = field(default=(), repr=False, compare=False)
    squares: PersonCrops | None = field(default=None, repr=False, compare=False)
    gpu_refused: bool = field(default=False, repr=False, compare=False)

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    @property
    def joints(self) -> dict[str, Any] | None:
        """The joints of both poses as in :meth:`as_json`; ``None`` if they could not be measured."""
        joints: dict[str, Any] | None = pair_as_json(self.poses)["joints"]
        return joints

    def as_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries for ``json.dumps``: the fields, ``joints`` and ``distances``."""
        plain = asdict(replace(self, clauses=(), poses=None, plans=(), looks=(), squares=None))
        plain["clauses"] = tuple(clause.as_json() for clause in self.clauses)
        shown = {one.name: plain[one.name] for one in fields(self) if one.repr}
        return {**shown, **pair_as_json(self.poses), "carried_out": self.goal_progress}  # its old name, for one version


@dataclass(frozen=True)
class MeasuredPhotographs:
    """Intermediate measurements for the page's figures.

    An estimate is ``None`` if no joints could be measured; a captioner then used the pictures alone, and there is no
    demonstration. ``languages`` are those of the model.
    """

    photographs: tuple[Photograph, Photograph]
    estimates: tuple[PoseEstimate | None, PoseEstimate | None]
    demonstration: Demonstration | None = None
    languages: tuple[str, ...] = ()

    @property
    def pair(self) -> PosePair | None:
        """The two poses; ``None`` if the joints of either could not be measured."""
        current, target = self.estimates
        return None if current is None or target is None else PosePair(current.pose, target.pose)


class CorrectionModel(Protocol):
    """A model that describes how to get from one pose to another; one instance serves concurrent requests."""

    @property
    def name(self) -> ModelName:
        """The name of the model."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """The language codes of the model."""
        ...

    @property
    def needs_joints(self) -> bool:
        """Whether the model cannot describe photographs without measured joints."""
        ...

    def load(self) -> None:
        """Load now instead of at the first text; raise :class:`BadInputError` if the model is unusable."""
        ...

    def generate(self, measurements: MeasuredPhotographs, language: str, seed: int | None = None) -> Correction:
        """Return the correction in one of ``languages``; the same seed always gives the same text."""
        ...
