"""Rendering of one unit's wide pairs: drawn poses are put into its room, photographed by its cameras and described.

Joints are stored in the levelled frame of the camera that took the picture (see :class:`CameraView`), so that texts are
true of them. Their positions in the picture are stored too, since no focal length gives them.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fmp_models.data.distractors import mean_distance
from fmp_models.data.uids import WIDE_FROM, Uid
from fmp_models.describe.descriptions import describe_in_scene
from fmp_models.geometry.landmarks import Landmark, unmistakable_kinds
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.pose import INDEX, Array, pose_pair
from fmp_models.sim.capture.render_job import LANDMARK_SHARE, STILLEST, dressed, flawed_text, level_radius, within
from fmp_models.sim.capture.schedule import Unit
from fmp_models.sim.drawing.bones import bone_turns
from fmp_models.sim.drawing.drawn_poses import NAMES, DrawnPoses, drawn_pairs
from fmp_models.sim.drawing.library import Library, library
from fmp_models.sim.drawing.views import ONE_CAMERA, anchors, turned_and_moved
from fmp_models.sim.people.dressing import PlacedBody
from fmp_models.sim.people.posing import UP
from fmp_models.sim.poses.frames import Frame, Segments, frame
from fmp_models.sim.poses.turning import about
from fmp_models.sim.rendering.perspective import project
from fmp_models.sim.rendering.stage import Stage
from fmp_models.sim.rooms import Room, make_room
from fmp_models.sim.rooms.plans import read_plan
from fmp_models.sim.wide.cameras import SIZE, seen_whole, views_of
from fmp_models.sim.wide.film import PictureCrop, developed, film_for, part_for
from fmp_models.sim.wide.seats import SeatedPose, seated

FAMILIES_FROM = 100  # the animation of a uid whose target is no performed motion is this plus the number of its family
_SPARE = 3  # pairs of poses drawn for each pair needed: some poses find no free place
_PLACES = 8  # places and headings tried for each pair
_AROUND = 0.45  # metres from the unit's own spot, one standard deviation
_OFF_WALL = 0.12  # minimum distance in metres of joints from walls
_EDGE = 6.0  # minimum distance in pixels of joints from the edge of the rendered picture
_SAME_PART = 0.7  # share of the pairs of one camera that use the same crop
_STOOLS = 6
_PAIRS_PER_CAMERA = 12  # minimum, except that two cameras are always used; so small units render few empty rooms


@dataclass(frozen=True)
class WidePair:
    """A stored pair: two JPEG files, joints (2, 20, 3) and their positions (2, 20, 2), texts by language.

    ``tilts`` are the degrees that each camera looks down and is turned clockwise. ``placed``: one camera took both
    pictures, so that joints can be compared in space.
    """

    uid: Uid
    pictures: tuple[bytes, bytes]
    joints: NDArray[np.float32]
    places: NDArray[np.float32]
    tilts: tuple[tuple[float, float], tuple[float, float]]
    placed: bool
    texts: dict[str, list[str]]


@dataclass(frozen=True)
class _Put:
    """A pose in the room: rotated segments, the position of its root, joints (20, 3) in the world."""

    turns: Array
    root: Array
    lowest: float
    joints: Array
    sits: float  # height of the seat, 0 for none


class WideRenderJob:
    """A unit's room, character and cameras; an empty room is rendered when its first picture is taken."""

    def __init__(self, unit: Unit, seed: int, stream: int, recordings: Sequence[Path] = ()) -> None:
        """Set up the unit; ``stream`` separates the random numbers of training and evaluation poses."""
        self.unit, self._seed = unit, [seed, stream, unit.room, unit.character]
        self._room: Room = make_room(unit.room)
        self._at = self._room.spots[unit.spot].at
        self._frame: Frame = frame(unit.character)
        self._body = dressed(unit.character)
        self._library: Library = library(tuple(recordings))
        self._views = views_of(np.random.default_rng([*self._seed, 1]), self._room, self._at)
        self._half = np.array(read_plan(unit.room).size[:2]) / 2 - _OFF_WALL
        self._stage = functools.cache(self._drawn_empty)
        self._seats: dict[int, SeatedPose] = {}
        self._used = len(self._views)
        self.flaws: Counter[str] = Counter()

    def pairs(self, count: int, texts: int) -> Iterator[WidePair]:
        """Yield up to ``count`` pairs with ``texts`` texts each; ``flaws`` counts the discarded ones by reason."""
        random = np.random.default_rng([*self._seed, 2])
        current, target, _ = drawn_pairs(random, count * _SPARE, self._frame, self._library)
        turn, step = turned_and_moved(random, count * _SPARE)
        self._used = min(max(-(-count // _PAIRS_PER_CAMERA), 2), len(self._views))
        made = 0
        for number in range(count * _SPARE):
            if made == count:
                return
            chance = np.random.default_rng([*self._seed, 3, number])
            pair = self._pair(chance, made, number, (current, target), (float(turn[number]), step[number]), texts)
            if isinstance(pair, WidePair):
                made += 1
                yield pair
            else:
                self.flaws[pair] += 1

    def _pair(  # noqa: PLR0913, PLR0917
        self,
        random: np.random.Generator,
        serial: int,
        number: int,
        drawn: tuple[DrawnPoses, DrawnPoses],
        moved: tuple[float, Array],
        texts: int,
    ) -> WidePair | str:
        """Return a pair, or the name of its flaw."""
        which = [serial % self._used] * 2
        if random.random() >= ONE_CAMERA:
            which[1] = (serial + 1 + int(random.integers(self._used - 1))) % self._used
        placed = which[0] == which[1]
        puts = self._put(random, number, drawn, moved, which)
        if puts is None:
            return "no room"
        bodies = [self._dressed(put) for put in puts]
        joints = np.stack(
            [self._views[view].joints(body.joints) for view, body in zip(which, bodies, strict=True)]
        ).astype(np.float32)
        if mean_distance(*joints.astype(np.float64)) < STILLEST:
            return "no clear difference"
        spots: Array = np.array(
            [project(body.joints, self._views[view].camera) for view, body in zip(which, bodies, strict=True)]
        )
        parts = self._parts(random, spots, placed=placed)
        if parts is None:
            return "out of the picture"
        descriptions = self._texts(random, joints.astype(np.float64), parts, which, texts, placed=placed)
        if descriptions is None:
            return "text"
        films = [film_for(random)] * 2 if placed else [film_for(random), film_for(random)]
        stool = int(random.integers(_STOOLS))
        pictures = [
            developed(self._photograph(put, body, view, stool), part, film, random)
            for put, body, view, part, film in zip(puts, bodies, which, parts, films, strict=True)
        ]
        return WidePair(
            self._uid(drawn[1], number, serial),
            (pictures[0], pictures[1]),
            joints,
            np.stack([part.places(spot) for part, spot in zip(parts, spots, strict=True)]).astype(np.float32),
            ((self._views[which[0]].pitch, parts[0].roll), (self._views[which[1]].pitch, parts[1].roll)),
            placed,
            descriptions,
        )

    def _uid(self, target: DrawnPoses, number: int, serial: int) -> Uid:
        family = int(target.families[number])
        if NAMES[family] == "motions":
            animation = int(self._library.number(target.numbers[number : number + 1, 0])[0])
        else:
            animation = FAMILIES_FROM + family
        return self.unit.uid(animation, WIDE_FROM + serial)

    def _put(
        self,
        random: np.random.Generator,
        number: int,
        drawn: tuple[DrawnPoses, DrawnPoses],
        moved: tuple[float, Array],
        which: list[int],
    ) -> tuple[_Put, _Put] | None:
        """Return both poses at a place and heading where they are free and visible; ``None`` if no try finds one."""
        turn, step = moved
        rows = [Segments(poses.bodies.turns[[number]], poses.bodies.roots[[number]]) for poses in drawn]
        joints = [self._frame.joints(row)[0] for row in rows]
        anchored = [
            anchors(poses.families[[number]], person_joints[None])[0]
            for poses, person_joints in zip(drawn, joints, strict=True)
        ]
        chairs = [NAMES[int(poses.families[number])] == "chair" for poses in drawn]
        seats = [
            float(self._frame.lowest(row, ("pelvis", "thigh.L", "thigh.R"))[0]) if sits else 0.0
            for row, sits in zip(rows, chairs, strict=True)
        ]
        for _ in range(_PLACES):
            heading = float(random.uniform(-180, 180))
            at = np.array(self._at) + random.normal(0, _AROUND, 2)
            puts = []
            for row, person_joints, anchor, way, off, seat in zip(
                rows, joints, anchored, (heading, heading + turn), (0 * step, step), seats, strict=True
            ):
                rotation = about(UP, np.array([way]))[0]
                root = row.roots[0].copy()
                root[:2] -= anchor
                root = rotation @ root + [*(at + off), 0.0]
                world = (person_joints - [*anchor, 0.0]) @ rotation.T + [*(at + off), 0.0]
                lowest = max(float(self._frame.lowest(row)[0]), 0.0)
                puts.append(_Put(rotation @ row.turns[0], root, lowest, world, seat))
            if all(self._free(put) for put in puts) and all(
                seen_whole(put.joints, self._views[view].camera, _EDGE) for put, view in zip(puts, which, strict=True)
            ):
                return puts[0], puts[1]
        return None

    def _free(self, put: _Put) -> bool:
        """Return whether a body is in the room and not in its furniture."""
        if (np.abs(put.joints[:, :2]) > self._half).any():
            return False
        return not any(within(item, put.joints) for item in self._room.items)

    def _dressed(self, put: _Put) -> PlacedBody:
        rotations = bone_turns(self._body.skeleton, put.turns)
        return self._body.rest(rotations, (float(put.root[0]), float(put.root[1])), put.lowest)

    def _photograph(self, put: _Put, body: PlacedBody, view: int, stool: int) -> Image.Image:
        stage = self._stage(view)
        if not put.sits:
            return stage.photograph(self._body, body)
        if stool not in self._seats:
            self._seats[stool] = seated(self._body, stool)
        under = body.joints[INDEX["hip"], :2]
        seat = self._seats[stool]
        return stage.photograph(seat, seat.at_height(body, (float(under[0]), float(under[1])), put.sits))

    def _drawn_empty(self, view: int) -> Stage:
        return Stage(self._room.shell, self._room.items, self._views[view].camera, self._views[view].lamps)

    @staticmethod
    def _parts(random: np.random.Generator, spots: Array, *, placed: bool) -> tuple[PictureCrop, PictureCrop] | None:
        if placed and random.random() < _SAME_PART:
            both = part_for(random, spots, SIZE)
            if both is not None:
                return both, both
        first, second = (part_for(random, spot, SIZE) for spot in spots)
        return None if first is None or second is None else (first, second)

    def _texts(  # noqa: PLR0913
        self,
        random: np.random.Generator,
        joints: Array,
        parts: tuple[PictureCrop, PictureCrop],
        which: list[int],
        count: int,
        *,
        placed: bool,
    ) -> dict[str, list[str]] | None:
        """Return texts by language, true of the joints; ``None`` if one breaks a writing rule."""
        landmarks = self._landmarks(which[0], parts) if placed else []
        pair = pose_pair(*joints, placed=placed)
        texts: dict[str, list[str]] = {code: [] for code in LANGUAGES}
        for _ in range(count):
            description = describe_in_scene(pair, landmarks, int(random.integers(2**31)))
            if flawed_text(description):
                return None
            for code in LANGUAGES:
                texts[code].append(description[code].text)
        return texts

    def _landmarks(self, view: int, parts: tuple[PictureCrop, PictureCrop]) -> list[Landmark]:
        """Return things that both pictures show and whose name means no other thing of the room."""
        stage, camera = self._stage(view), self._views[view]
        kinds = unmistakable_kinds([item.kind for item in self._room.items])
        landmarks = []
        for number, item in enumerate(self._room.items):
            if stage.visible.get(number, 0.0) < LANDMARK_SHARE or item.kind not in kinds:
                continue
            middle = np.array(project(np.asarray(item.centre)[None], camera.camera), dtype=np.float64)
            if all(part.holds(middle) for part in parts):
                x, y, z = camera.joints(np.asarray(item.centre)).tolist()
                landmarks.append(Landmark(item.kind, (x, y, z), level_radius(item)))
        return landmarks
