"""Ghost overlay: the target pose on the person's own bones, drawn at their place in the picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmp_models.estimators.tracking import TrackedPerson
from fmp_models.geometry.changes import VISIBLE
from fmp_models.pose import BONES, INDEX, PARENTS, Array, bone_lengths, with_bones

_FAST = 0.12  # weight of a new frame: bones do not change, and depth is noisy
_HIP, _LOW = INDEX["hip"], [INDEX[f"{side}_{name}"] for side in ("left", "right") for name in ("ankle", "foot")]


class Ghost:
    """Smoothed body size of one person over time, so that the ghost neither jitters nor changes its size."""

    def __init__(self) -> None:
        self._lengths: Array | None = None
        self._scale: float | None = None

    def body(self, person: TrackedPerson, target: Array, wanted: NDArray[np.bool_]) -> Array:
        """Return the target (20, 3) in metres on the person's own bones; hidden bones keep their last length.

        Bones to joints that are not ``wanted`` (20,) follow the person.
        """
        body, own = with_bones(target, self._measures(person)), self.own(person)
        for parent, joint in BONES:
            if not wanted[joint]:
                body[joint] = body[parent] + own[joint] - own[parent]
        return body

    def own(self, person: TrackedPerson) -> Array:
        """Return the person (20, 3) on the same bones, so that distances measure the pose only."""
        return with_bones(person.pose.joints, self._measures(person))

    def follow(self, person: TrackedPerson) -> None:
        """Update the bone lengths from the next frame."""
        lengths = bone_lengths(person.pose.joints)
        if self._lengths is None:
            self._lengths = lengths
        visible = person.pose.visibility >= VISIBLE
        share = np.where(visible & visible[list(PARENTS)], _FAST, 0.0)
        self._lengths = self._lengths + share * (lengths - self._lengths)

    def _measures(self, person: TrackedPerson) -> Array:
        return bone_lengths(person.pose.joints) if self._lengths is None else self._lengths

    def places(self, person: TrackedPerson, body: Array) -> Array:
        """Return the places of the ``body`` joints, (20, 2) in shares of the frame, at the person's hips and floor."""
        pixels = person.places * np.array(person.size)
        flat = person.tilt.tilted(person.pose.joints)[:, :2]  # as seen in the picture
        body = person.tilt.tilted(body)
        visible = person.pose.visibility >= VISIBLE
        if visible.sum() < 4:  # noqa: PLR2004  too few to tell how large the person is
            visible = np.ones(len(flat), dtype=bool)
        spread = flat[visible] - flat[visible].mean(axis=0)
        apart = pixels[visible] - pixels[visible].mean(axis=0)
        scale = float((spread * apart).sum() / max(float((spread * spread).sum()), 1e-9))
        self._scale = scale if self._scale is None else self._scale + _FAST * (scale - self._scale)
        across = pixels[_HIP, 0] - self._scale * body[_HIP, 0]
        floor = pixels[_LOW, 1].max() - self._scale * body[:, 1].max()
        return np.asarray((self._scale * body[:, :2] + (across, floor)) / np.array(person.size))
