"""The ``wide`` pairs of a unit: drawn poses in its room, seen by cameras on all sides, and described.

The cameras stand on every side of the person, low and high, near and far; a seated person has a stool that is rendered
and casts its shadow together with them. Joints are stored in the levelled frame of the camera that took the picture
(see :class:`CameraView`), so that texts are true of them. Their positions in the picture are stored too, since no focal
length gives them.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fmp_models.data import WIDE_FROM, Uid, mean_distance
from fmp_models.describe import describe_in_scene
from fmp_models.geometry import Landmark, unmistakable_kinds
from fmp_models.languages import LANGUAGES
from fmp_models.pose import INDEX, Array, pose_pair
from fmp_models.sim.capture import LANDMARK_SHARE, STILLEST, Unit, dressed, flawed_text, level_radius, within
from fmp_models.sim.drawn_poses import (
    NAMES,
    ONE_CAMERA,
    DrawnPoses,
    Library,
    anchors,
    bone_turns,
    drawn_pairs,
    library,
    turned_and_moved,
)
from fmp_models.sim.dressing import DressedBody, PlacedBody
from fmp_models.sim.film import PictureCrop, developed, film_for, part_for
from fmp_models.sim.frames import Segments, about, body_model
from fmp_models.sim.furniture import build_piece
from fmp_models.sim.furniture.palette import PALETTES
from fmp_models.sim.light import Camera, Lamps, project, to_camera
from fmp_models.sim.posing import UP
from fmp_models.sim.rooms import PlacedObject, Room, make_room, read_plan
from fmp_models.sim.stage import ROOM_LAMPS, Stage

SIZE = (420, 360)  # pixels that are rendered; a picture is a part of them
CAMERAS = 4  # of each unit: an empty room takes longer to render than fifty people
_HEIGHTS = ((0.15, 0.7), (0.8, 1.7), (0.9, 1.8), (1.9, 2.9))  # metres: low, at the chest twice, near the ceiling
_DISTANCES = (1.9, 4.4)  # metres from the person, along the floor
_SHOWN = (2.2, 3.9)  # metres of height that the picture shows at the person's distance
_AIM = (0.45, 1.0)  # height in metres that the camera looks at
_UNDER_CEILING = 0.2  # metres
_OUTSIDE = 0.9  # metres that a camera may stand behind a wall and look through its back
_STEEPEST = 58.0  # degrees
_TRIES = 60
_BLOCKED = 0.12  # share of the lines of sight that furniture may cut
_NEAR = 0.25  # minimum distance in metres of a camera from furniture


@dataclass(frozen=True)
class CameraView:
    """A camera and the lamps that light the room for it."""

    camera: Camera
    lamps: Lamps

    @property
    def level(self) -> Array:
        """Rows right, down along gravity and away along the floor: the levelled frame that joints are stored in."""
        right, _, forward = self.camera.axes
        away = np.array([forward[0], forward[1], 0.0])
        return np.stack([right, [0.0, 0.0, -1.0], away / np.linalg.norm(away)])

    @property
    def pitch(self) -> float:
        """Degrees that the camera looks down."""
        return float(np.degrees(np.arcsin(-self.camera.axes[2][2])))

    def joints(self, world: Array) -> Array:
        """Return world points (..., 3) in metres in the levelled frame, with the camera at the origin."""
        return np.asarray((world - self.camera.place) @ self.level.T)


def views_of(
    random: np.random.Generator, room: Room, at: tuple[float, float], count: int = CAMERAS
) -> list[CameraView]:
    """Return ``count`` cameras around a place, each in its own sector, where furniture blocks few lines of sight."""
    width, depth, height = read_plan(room.number).size
    first = random.uniform(0, 360)
    views = []
    for number in range(count):
        best: tuple[float, Camera] | None = None
        for attempt in range(_TRIES):
            spread = 45 + attempt  # degrees to either side; the sector widens with every attempt
            angle = np.radians(first + 360 * number / count + random.uniform(-spread, spread))
            far = random.uniform(*_DISTANCES)
            x, y = at[0] + far * float(np.sin(angle)), at[1] - far * float(np.cos(angle))
            high = min(float(random.uniform(*_HEIGHTS[number % len(_HEIGHTS)])), height - _UNDER_CEILING)
            aim = float(random.uniform(*_AIM))
            camera = Camera((x, y, high), (*at, aim), float(random.uniform(*_SHOWN)), SIZE)
            if max(abs(x) - width / 2, abs(y) - depth / 2) > _OUTSIDE or _pitch(camera) > _STEEPEST:
                continue
            share = _blocked(camera, room.items, at)
            if best is None or share < best[0]:
                best = share, camera
            if share <= _BLOCKED:
                break
        camera = best[1] if best is not None and best[0] < 0.5 else _own(room, at, random)  # noqa: PLR2004
        views.append(CameraView(camera, _lamps(random)))
    return views


def _own(room: Room, at: tuple[float, float], random: np.random.Generator) -> Camera:
    """Return the plan's camera of the nearest spot, which nothing hides."""
    spot = min(room.spots, key=lambda spot: np.hypot(spot.at[0] - at[0], spot.at[1] - at[1]))
    return Camera(spot.camera.place, (*at, float(random.uniform(*_AIM))), float(random.uniform(*_SHOWN)), SIZE)


def _pitch(camera: Camera) -> float:
    return float(np.degrees(np.arcsin(-camera.axes[2][2])))


def _blocked(camera: Camera, items: Sequence[PlacedObject], at: tuple[float, float]) -> float:
    """Return the share of lines from camera to person that furniture cuts; 1 if the camera is in furniture."""
    place = np.array(camera.place)
    spread = np.array([-0.6, 0.0, 0.6])
    targets = np.array([(at[0] + a, at[1] + b, z) for a in spread for b in spread for z in (0.15, 0.7, 1.4)])
    share = np.linspace(0.0, 0.9, 24)[:, None, None]
    lines = place + share * (targets - place)  # (24, targets, 3)
    cut = np.zeros(len(targets), dtype=bool)
    for item in items:
        low = np.array([*np.min(item.corners, axis=0), item.low])
        high = np.array([*np.max(item.corners, axis=0), item.high])
        if (place > low - _NEAR).all() and (place < high + _NEAR).all():
            return 1.0
        cut |= ((lines > low) & (lines < high)).all(axis=2).any(axis=0)
    return float(cut.mean())


def _lamps(random: np.random.Generator) -> Lamps:
    """Return random lamps: daylight from some side, lamplight in the evening, or a dull day."""
    usual = ROOM_LAMPS
    side, front, high = random.uniform(-1.1, 1.1), random.uniform(-1.0, 0.1), random.uniform(0.5, 1.3)
    warm = float(random.normal(0.0, 0.06))
    bright = float(random.uniform(0.75, 1.2))
    share = float(random.uniform(0.3, 1.15))
    red, green, blue = usual.key_tint
    return Lamps(
        key=(float(side), float(front), float(high)),
        key_strength=usual.key_strength * bright * share,
        key_tint=(min(red * (1 + warm), 1.0), green, float(np.clip(blue * (1 - warm), 0, 1))),
        sky_strength=usual.sky_strength * bright * (1.6 - 0.6 * share),
        bounce=usual.bounce * bright,
        bounce_tint=usual.bounce_tint,
        spread=usual.spread,
    )


def seen_whole(points: Array, camera: Camera, margin: float) -> bool:
    """Return whether all world points (..., 3) are in front of the camera and ``margin`` pixels within the picture."""
    local = to_camera(points, camera)
    if (local[..., 2] < 0.3).any():  # noqa: PLR2004 - metres
        return False
    scale = camera.size[1] / 2 / camera.slope
    places = local[..., :2] / local[..., 2:] * scale + np.array(camera.size) / 2
    return bool((places > margin).all() and (places < np.array(camera.size) - margin).all())


_VARIANTS = 2


@dataclass(frozen=True, eq=False)
class SeatedPose:
    """A dressed body and a stool as one mesh; ``at_height`` puts the stool below the person."""

    triangles: NDArray[np.int64]
    colours: Array
    gloss: Array
    points: Array  # of the stool, its height one metre
    normals: Array

    def at_height(self, placed: PlacedBody, under: tuple[float, float], seat: float) -> PlacedBody:
        """Return the person and the stool, ``seat`` metres high, at a place on the floor."""
        points = self.points * [1.0, 1.0, seat] + [*under, 0.0]
        return replace(
            placed,
            points=np.concatenate([placed.points, points.astype(np.float32)]),
            normals=np.concatenate([placed.normals, self.normals.astype(np.float32)]),
        )


def seated(body: DressedBody, variant: int) -> SeatedPose:
    """Return the body with a stool; ``variant`` counts the stool's variants within each palette."""
    piece = build_piece("stool", variant % _VARIANTS, PALETTES[variant // _VARIANTS % len(PALETTES)])
    height = piece.size[2]
    triangles, colours, gloss = [body.triangles], [body.colours], [body.gloss]
    points: list[Array] = []
    normals: list[Array] = []
    first = len(body.colours)
    for surface in piece.surfaces:
        own = np.asarray(surface.mesh.points, dtype=np.float64)
        triangles.append(np.asarray(surface.mesh.regular_faces) + first)
        first += len(own)
        points.append(own * [1.0, 1.0, 1 / height])
        normals.append(np.asarray(surface.mesh.point_data["Normals"], dtype=np.float64))
        colour = surface.colour(own) if callable(surface.colour) else surface.colour
        colours.append(np.broadcast_to(np.asarray(colour, dtype=np.float64), (len(own), 3)))
        gloss.append(np.full(len(own), surface.gloss))
    return SeatedPose(
        np.concatenate(triangles),
        np.concatenate(colours),
        np.concatenate(gloss),
        np.concatenate(points),
        np.concatenate(normals),
    )


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
        self._body_model = body_model(unit.character)
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
        current, target, _ = drawn_pairs(random, count * _SPARE, self._body_model, self._library)
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
        joints = [self._body_model.joints(row)[0] for row in rows]
        anchored = [
            anchors(poses.families[[number]], person_joints[None])[0]
            for poses, person_joints in zip(drawn, joints, strict=True)
        ]
        chairs = [NAMES[int(poses.families[number])] == "chair" for poses in drawn]
        seats = [
            float(self._body_model.lowest(row, ("pelvis", "thigh.L", "thigh.R"))[0]) if sits else 0.0
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
                lowest = max(float(self._body_model.lowest(row)[0]), 0.0)
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
