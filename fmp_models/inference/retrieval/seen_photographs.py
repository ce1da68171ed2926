"""Measured photographs of a retrieval question: each with the pose estimated in it, or none."""

from __future__ import annotations

from dataclasses import dataclass

from fmp_models.estimators.base import PoseEstimate
from fmp_models.geometry.verdicts.clause_evidence import Candidate
from fmp_models.pose import PosePair
from fmp_models.preprocessing.photograph import Photograph


@dataclass(frozen=True)
class SeenPhotograph:
    """A photograph and who was found in it.

    ``estimate`` is ``None`` where there was nobody to measure, and ``refusal`` is then the code that says why.
    """

    photograph: Photograph
    estimate: PoseEstimate | None
    refusal: str = ""

    @property
    def key(self) -> str:
        """The same for the same picture, whatever its file."""
        return self.photograph.key

    @property
    def people(self) -> int:
        """How many people were seen, 0 where nobody could be measured."""
        return 0 if self.estimate is None else self.estimate.people


@dataclass(frozen=True)
class SeenCandidates:
    """What was measured on the way, for the page: candidates in the order they were given in."""

    current: SeenPhotograph
    candidates: tuple[SeenPhotograph, ...]

    def candidate(self, target: SeenPhotograph) -> Candidate | None:
        """The current pose and this one, where somebody was found in both."""
        if self.current.estimate is None or target.estimate is None:
            return None
        return Candidate(PosePair(self.current.estimate.pose, target.estimate.pose), target.estimate.pose)
