"""An estimator for other processes: what it says follows from the picture alone."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import Box, PoseEstimate
from fmp_models.pose import JOINTS, Pose
from fmp_models.preprocessing import Photograph


@dataclass(frozen=True)
class Knowing:
    """Notes every look in the file ``log``; refuses with ``code`` what is darker than ``blind`` or after ``most``."""

    log: Path
    blind: float = 0.0
    code: str = "no_person"
    most: int | None = None
    name: str = "knowing"

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        return self._seen(photograph, "all")

    def estimate_at(self, photograph: Photograph, box: Box, mirrored: tuple[bool, ...] = (False, True)) -> PoseEstimate:
        width, height = photograph.image.size
        assert 0 < box[2] - box[0] < 2 * width
        assert 0 < box[3] - box[1] < 2 * height
        return self._seen(photograph, "".join("mirrored " if way else "plain " for way in mirrored).strip())

    def _seen(self, photograph: Photograph, how: str) -> PoseEstimate:
        with self.log.open("a") as file:
            file.write(f"{how}\n")
        if self.most is not None and len(self.log.read_text().splitlines()) > self.most:
            os._exit(1)
        light = float(np.asarray(photograph.image).mean())
        if light < self.blind:
            raise BadInputError(self.code, which="given")
        joints = np.linspace(0, light, len(JOINTS) * 3).reshape(-1, 3)
        return PoseEstimate(Pose(joints, np.linspace(0, 1, len(JOINTS))), joints[:, :2] * 10, (0, 0, 1, 1), 1)


@dataclass(frozen=True)
class Told(Knowing):
    """Notes also where it was told that the person is."""

    def estimate_at(self, photograph: Photograph, box: Box, mirrored: tuple[bool, ...] = (False, True)) -> PoseEstimate:
        with self.log.with_suffix(".boxes").open("a") as file:
            file.write(json.dumps([float(edge) for edge in box]) + "\n")
        return super().estimate_at(photograph, box, mirrored)
