"""Capture of one unit: a character performs in front of a camera; each capture has joints, two pictures and texts."""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from fmp_models.data.camera import SIZE
from fmp_models.data.distractors import mean_distance
from fmp_models.data.uids import Uid
from fmp_models.data.writing_rules import broken_rules
from fmp_models.describe.descriptions import SceneDescription, describe_in_scene
from fmp_models.geometry.landmarks import Landmark, unmistakable_kinds
from fmp_models.pose import JOINTS, Array, PosePair, pose_pair
from fmp_models.sim.capture.schedule import Capture, Moment, Unit
from fmp_models.sim.motions import MOTIONS, MotionSource
from fmp_models.sim.people.characters import CHARACTERS
from fmp_models.sim.people.dressing import DressedBody, PlacedBody, dress
from fmp_models.sim.rendering.perspective import project, to_camera
from fmp_models.sim.rendering.stage import Stage
from fmp_models.sim.rooms import PlacedObject, Room, make_room

JPEG_QUALITY = 85
STILLEST = 0.03  # metres of mean joint movement; below it people tick "no clear difference"
_MARGIN = 3.0  # minimum distance in pixels of every joint from the edge of the picture
_BERTH = 0.05  # minimum distance in metres of joints from furniture
LANDMARK_SHARE = 0.006  # share of the picture that a thing must fill to be named


@dataclass(frozen=True)
class RenderedPair:
    """A rendered capture: JPEG pictures, joints (20, 3) in the camera frame, and its flaw (``None`` if usable)."""

    capture: Capture
    joints: tuple[Array, Array]
    flaw: str | None
    pictures: tuple[bytes, bytes] = (b"", b"")

    @property
    def poses(self) -> PosePair:
        """Both poses, placed in the same room."""
        return pose_pair(*self.joints)


def describe_pair(
    poses: PosePair, landmarks: Sequence[Landmark], uid: Uid, which: int, seed: int
) -> dict[str, SceneDescription]:
    """Return description number ``which`` of a pair in every language; the same for the same seed."""
    return describe_in_scene(
        poses, landmarks, int(np.random.default_rng([seed, 4, *astuple(uid), which]).integers(2**31))
    )


@functools.cache
def dressed(character: int) -> DressedBody:
    """Return the body of a character, dressed once in a process."""
    return dress(CHARACTERS[character])


class RenderJob:
    """A unit's room, camera and character; the backdrop is rendered on the first request for a picture or landmark."""

    def __init__(self, unit: Unit, motions: Sequence[MotionSource] = MOTIONS) -> None:
        """Furnish the room and dress the character; takes seconds the first time in a process."""
        self.unit = unit
        self._room: Room = make_room(unit.room)
        self._spot = self._room.spots[unit.spot]
        self._body = dressed(unit.character)
        self._take_of = functools.lru_cache(maxsize=64)(lambda performance: performance.take(motions))

    @functools.cached_property
    def stage(self) -> Stage:
        """The room in front of the camera."""
        return Stage(self._room.shell, self._room.items, self._spot.camera)

    @functools.cached_property
    def landmarks(self) -> list[Landmark]:
        """Visible things of the room whose name means no other thing of the room."""
        visible_items = [
            item for i, item in enumerate(self._room.items) if self.stage.visible.get(i, 0.0) >= LANDMARK_SHARE
        ]
        kinds = unmistakable_kinds([item.kind for item in self._room.items])
        return [
            Landmark(item.kind, self._seen_from_camera(item), level_radius(item))
            for item in visible_items
            if item.kind in kinds
        ]

    def place(self, moment: Moment) -> PlacedBody:
        """Return the character at a moment of a performance, in the room."""
        performance = moment.performance
        pose = self._take_of(performance).pose(moment.frame)
        heading = pose.heading + self._spot.heading + performance.turn
        return self._body.place(replace(pose, heading=heading), self._spot.at)

    def take(self, capture: Capture, *, pictures: bool = True) -> RenderedPair:
        """Return one pair; pictures are left out if the pair has a flaw."""
        try:
            placed = self.place(capture.current), self.place(capture.target)
        except ValueError:  # a recording of another body may need a pose that this one cannot reach
            nowhere = np.zeros((len(JOINTS), 3))
            return RenderedPair(capture, (nowhere, nowhere), "out of reach")
        joints = self.joints(placed[0]), self.joints(placed[1])
        flaw = self._flaw(placed, joints)
        if flaw or not pictures:
            return RenderedPair(capture, joints, flaw)
        return RenderedPair(capture, joints, None, (self.photograph(placed[0]), self.photograph(placed[1])))

    def joints(self, placed: PlacedBody) -> Array:
        """Return camera-frame joints (20, 3) rounded as they are stored: texts are true of the stored values."""
        joints = to_camera(placed.joints, self._spot.camera)
        return np.asarray(joints.astype(np.float32), dtype=np.float64)

    def pixels(self, placed: PlacedBody) -> Array:
        """Return the pixel positions (20, 2) of the joints, from the left and upper edge of the picture."""
        return np.asarray(project(placed.joints, self._spot.camera), dtype=np.float64)

    def photograph(self, placed: PlacedBody) -> bytes:
        """Return the JPEG file of one picture."""
        file = io.BytesIO()
        self.stage.photograph(self._body, placed).save(file, "JPEG", quality=JPEG_QUALITY)
        return file.getvalue()

    def _seen_from_camera(self, item: PlacedObject) -> tuple[float, float, float]:
        x, y, z = to_camera(np.asarray(item.centre), self._spot.camera).tolist()
        return x, y, z

    def _flaw(self, placed: tuple[PlacedBody, PlacedBody], joints: tuple[Array, Array]) -> str | None:
        """Return the flaw: no clear difference, a body out of the picture or in furniture; ``None`` if usable."""
        if mean_distance(*joints) < STILLEST:
            return "no clear difference"
        for person in placed:
            pixels = self.pixels(person)
            if (pixels < _MARGIN).any() or (pixels > np.subtract(SIZE, _MARGIN)).any():
                return "out of the picture"
            if any(within(item, np.asarray(person.joints)) for item in self._room.items):
                return "through an object"
        return None


def flawed_text(description: dict[str, SceneDescription]) -> bool:
    """Return whether a text breaks a writing rule (paper, Appendix B.3)."""
    return any(broken_rules(of_language.text) for of_language in description.values())


def level_radius(item: PlacedObject) -> float:
    """Return half the diagonal of an item's outline on the floor, metres."""
    corners = np.asarray(item.corners)
    return float(np.linalg.norm(corners - corners.mean(axis=0), axis=1).max())


def within(item: PlacedObject, joints: Array) -> bool:
    """Return whether a joint lies in the box of an item, or nearer to its sides than ``_BERTH``."""
    corners = np.asarray(item.corners)
    edges = np.roll(corners, -1, axis=0) - corners
    inward = np.stack([-edges[:, 1], edges[:, 0]], axis=1) / np.linalg.norm(edges, axis=1, keepdims=True)
    turn = np.sign(edges[0, 0] * edges[1, 1] - edges[0, 1] * edges[1, 0])
    depth = np.einsum("jek,ek->je", joints[:, None, :2] - corners[None], inward * turn)
    beside = (joints[:, 2] > item.low - _BERTH) & (joints[:, 2] < item.high + _BERTH)
    flat = item.high - item.low < _BERTH  # people may stand on a rug
    return bool((beside & (depth > -_BERTH).all(axis=1)).any()) and not flat
