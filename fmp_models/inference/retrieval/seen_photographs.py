"""Measured photographs of a retrieval request, each with its estimated pose, if any."""

from __future__ import annotations

from dataclasses import dataclass

from fmp_models.estimators.base import PoseEstimate
from fmp_models.geometry.candidate_evidence import Candidate
from fmp_models.pose import PosePair
from fmp_models.preprocessing import Photograph


@dataclass(frozen=True)
class SeenPhotograph:
    """A photograph and the person measured in it.

    ``estimate`` is ``None`` if no person could be measured; ``refusal`` is then the error code of the reason.
    """

    photograph: Photograph
    estimate: PoseEstimate | None
    refusal: str = ""

    @property
    def key(self) -> str:
        """A hash of the pixels, equal for the same picture in different files."""
        return self.photograph.key

    @property
    def people(self) -> int:
        """The number of people, 0 if no person could be measured."""
        return 0 if self.estimate is None else self.estimate.people


@dataclass(frozen=True)
class SeenCandidates:
    """Intermediate measurements for the page, with the candidates in the given order."""

    current: SeenPhotograph
    candidates: tuple[SeenPhotograph, ...]

    def candidate(self, target: SeenPhotograph) -> Candidate | None:
        """Return the current pose with the target's pose; None if either photograph has no measured person."""
        if self.current.estimate is None or target.estimate is None:
            return None
        return Candidate(PosePair(self.current.estimate.pose, target.estimate.pose), target.estimate.pose)
