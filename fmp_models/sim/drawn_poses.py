"""Randomly drawn poses: training pairs beyond the motions, as rotations and as joints seen by cameras.

``drawn_poses`` and ``drawn_pairs`` give whole bodies in their own world: z up, the floor at 0, looking along -y. A pose
is of one of ``FAMILIES``, functions from rows of numbers to whole bodies in which every number is a degree of freedom,
or of a performed motion (:class:`Library`). It keeps within the joint limits and lies or stands on the floor, and no
limb passes through trunk or head; poses that break this are redrawn. ``shape_pairs`` changes poses until they hold a
named shape.

``seen_pairs`` gives the joints without pictures, hundreds of pairs a second, as metres in the *levelled* camera frame:
the origin is the camera, x goes to the right of the picture, y down along gravity and z away from the camera along the
floor, however the camera is tilted. The geometry of ``fmp_models.describe`` and ``pose.body_axes`` takes y as the
vertical, so its texts are true of these joints and not of tilted ones. :func:`fmp_models.data.pictures.tilted_joints`
converts them with the ``pitch`` and ``roll`` of each picture into the joints in the tilted camera's own frame, which an
estimator without knowledge of gravity measures.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from fmp_models.data import Uid, retrieval_split
from fmp_models.geometry import Shape, distance_from_shape
from fmp_models.pose import INDEX, Array
from fmp_models.sim.body import at_rest
from fmp_models.sim.characters import CHARACTERS
from fmp_models.sim.frames import (
    AT,
    BONE_OF,
    FURTHER_BUILDS,
    SEGMENTS,
    BodyModel,
    PoseNumbers,
    Segments,
    about,
    body_model,
    changed_a_little,
    changed_limbs,
    drawn,
    shares_of_turn,
)
from fmp_models.sim.motion_capture import MotionSample, MotionSource, repertoire
from fmp_models.sim.motions import FRAMES_PER_CAPTURE
from fmp_models.sim.placement import BodyPlan, put_down
from fmp_models.sim.posing import NECK, SIDES, SPINE, UP, BodyPose, Skeleton, half_twist
from fmp_models.sim.seated_lying import chair_sitting, floor_sitting, kneeling, on_side, prone, supine
from fmp_models.sim.upright_supported import all_fours, folded, one_leg, plank, side_plank, standing

Family = Callable[[PoseNumbers, BodyModel], BodyPlan]

# Each family with its relative frequency.
FAMILIES: Mapping[str, tuple[Family, float]] = MappingProxyType(
    {
        "standing": (standing, 0.26),
        "one leg": (one_leg, 0.08),
        "folded": (folded, 0.06),
        "supine": (supine, 0.10),
        "prone": (prone, 0.06),
        "on the side": (on_side, 0.05),
        "plank": (plank, 0.06),
        "side plank": (side_plank, 0.03),
        "all fours": (all_fours, 0.06),
        "floor": (floor_sitting, 0.09),
        "chair": (chair_sitting, 0.07),
        "kneeling": (kneeling, 0.08),
    }
)


_TAKES = 12  # performances of each motion
_EVERY = 3  # frames between poses: nearer ones hardly differ
_REFERENCE = 4  # the character whose skeleton is posed; its rotations fit every body
_OFF = 0.03  # metres above the floor; a higher body counts as jumping


@functools.cache
def _reference() -> Skeleton:
    return at_rest(CHARACTERS[_REFERENCE].build).skeleton


@functools.cache
def _bones() -> NDArray[np.intp]:
    names = list(_reference().names)
    wanted = ((name, *name.partition(".")) for name in SEGMENTS)
    return np.array([names.index(BONE_OF[base] + (f".{side}" if side else "")) for _, base, _, side in wanted])


def segments_of(pose: BodyPose) -> Array:
    """Return the rotations (17, 3, 3) of the segments of a pose."""
    return np.asarray(_reference().pose(pose)[_bones()])


class Library:
    """The poses of all training motions, addressed by three numbers between 0 and 1 and computed on first use."""

    def __init__(self, recordings: Sequence[Path] = ()) -> None:
        motions = repertoire(recordings)
        self._motions: list[MotionSource] = [
            motion for motion in motions if retrieval_split(Uid(motion.number, 0, 0, 0, 0)) == "train"
        ]
        self._takes: dict[tuple[int, int], MotionSample] = {}
        self._poses: dict[tuple[int, int, int], tuple[Array, float]] = {}

    def number(self, of_motion: Array) -> NDArray[np.int64]:
        """Return the animation numbers (n,) of the motions that ``of_motion`` (n,) selects."""
        return np.array([self._motions[int(x * len(self._motions))].number for x in of_motion], dtype=np.int64)

    def posed(self, of_motion: Array, of_take: Array, of_frame: Array, body: BodyModel) -> Segments:
        """Return the bodies (n) that the numbers (n,) select, on the floor, or above it in a jump."""
        poses = [
            self._pose(int(a * len(self._motions)), int(b * _TAKES), c)
            for a, b, c in zip(of_motion, of_take, of_frame, strict=True)
        ]
        turns = np.stack([turn for turn, _ in poses])
        made = Segments(turns, np.zeros((len(poses), 3)))
        made.roots[:, 2] = np.array([flies for _, flies in poses]) - body.lowest(made)
        return made

    def _pose(self, which: int, take: int, share: float) -> tuple[Array, float]:
        motion = self._motions[which]
        at = int(share * motion.captures * FRAMES_PER_CAPTURE / _EVERY)
        key = (which, take, at)
        if key not in self._poses:
            if (which, take) not in self._takes:
                self._takes[which, take] = motion.take(7919 * take + which, mirrored=bool(take % 2))
            try:
                pose = self._takes[which, take].pose(float(at * _EVERY))
                turns = segments_of(pose)
            except ValueError:  # a recording of another body may be out of reach; use its first frame then
                return self._pose(which, take, 0.0) if at else (np.tile(np.eye(3), (len(SEGMENTS), 1, 1)), 0.0)
            self._poses[key] = turns, _flies(pose, turns)
        return self._poses[key]


def _flies(pose: BodyPose, turns: Array) -> float:
    """Return the height in metres of a body above the floor."""
    body = body_model(_REFERENCE)
    made = Segments(turns[None], np.zeros((1, 3)))
    places = body.skeleton(made)
    hips = float(places["thigh.L"][0, 2] + places["thigh.R"][0, 2]) / 2
    standing = turns[None].copy()
    standing[:] = np.eye(3)
    height = pose.hip_height * sum(body.leg) + float(body.under("foot.L", np.eye(3)[None])[0]) - hips
    lowest = float(body.lowest(made)[0]) + height
    return lowest if lowest > _OFF else 0.0


@functools.cache
def library(recordings: tuple[Path, ...] = ()) -> Library:
    """Return the library of the catalogue and these recordings, made once in a process."""
    return Library(recordings)


MOTIONS_SHARE = 0.2  # share of poses from performed motions
NAMES = ("motions", *FAMILIES)
CHANGES = {"little": 0.5, "limbs": 0.25, "other": 0.25}  # how a target differs from its current pose
_SIZES = (0.08, 0.3)  # standard deviation of the numbers of a slightly changed pose
_SUNK = -0.03  # metres: tolerated depth of skin below the floor
_TIP = -0.01  # metres: tolerated depth of joints below the floor
_FLOATS = 0.05  # metres above the floor; a higher pose counts as floating
_TRUNK, _HEAD, _LIMB = 0.075, 0.075, 0.04  # minimum distance in metres of an arm's joints from the middle of these
_TRIES = 12
_ONE = 1 - 1e-9
Change = Callable[[NDArray[np.intp]], tuple[Array, NDArray[np.int64]]]


@dataclass(frozen=True)
class DrawnPoses:
    """Poses (n): their bodies, the numbers that made them, and the family (n,) of each, an index of :data:`NAMES`."""

    bodies: Segments
    numbers: Array
    families: NDArray[np.int64]


def drawn_poses(random: np.random.Generator, count: int, body: BodyModel, library: Library) -> DrawnPoses:
    """Draw ``count`` poses of one body; the same generator state gives the same poses."""
    families = _families(random, count)

    def again(rows: NDArray[np.intp]) -> tuple[Array, NDArray[np.int64]]:
        return drawn(random, len(rows)), families[rows]

    return _drawn(drawn(random, count), families, again, body, library)


def drawn_pairs(
    random: np.random.Generator, count: int, body: BodyModel, library: Library
) -> tuple[DrawnPoses, DrawnPoses, NDArray[np.str_]]:
    """Draw current and target poses; return also how (n,) they differ, a key of :data:`CHANGES`.

    "little" changes the numbers slightly, "limbs" redraws some limbs, "other" takes another family.
    """
    current = drawn_poses(random, count, body, library)
    kinds = random.choice(list(CHANGES), count, p=list(CHANGES.values()))
    size = random.uniform(*_SIZES, (count, 1))
    others = _families(random, count)

    def change(rows: NDArray[np.intp]) -> tuple[Array, NDArray[np.int64]]:
        of, kind = current.numbers[rows], kinds[rows]
        numbers = np.select(
            [(kind == "little")[:, None], (kind == "limbs")[:, None]],
            [changed_a_little(random, of, size[rows]), changed_limbs(random, of)],
            drawn(random, len(rows)),
        )
        return numbers, np.where(kind == "other", others[rows], current.families[rows])

    def afresh(rows: NDArray[np.intp]) -> tuple[Array, NDArray[np.int64]]:
        # An invalid target is drawn again from the current pose, with smaller changes each time.
        size[rows] *= 0.7
        return change(rows)

    target = _drawn(*change(np.arange(count)), afresh, body, library)
    return current, target, kinds


def _families(random: np.random.Generator, count: int) -> NDArray[np.int64]:
    shares = np.array([share for _, share in FAMILIES.values()])
    shares = np.concatenate([[MOTIONS_SHARE], shares / shares.sum() * (1 - MOTIONS_SHARE)])
    return random.choice(len(NAMES), count, p=shares)


def made_of(
    numbers: Array, families: NDArray[np.int64], body: BodyModel, library: Library
) -> tuple[Segments, NDArray[np.bool_]]:
    """Return the bodies of rows of numbers, and which (n,) of them are valid poses."""
    count = len(numbers)
    made = Segments(np.tile(np.eye(3), (count, len(SEGMENTS), 1, 1)), np.zeros((count, 3)))
    good = np.zeros(count, dtype=bool)
    for which, name in enumerate(NAMES):
        here = np.flatnonzero(families == which)
        if not len(here):
            continue
        read = PoseNumbers(numbers[here])
        if name == "motions":
            some = library.posed(read.raw("whole", 0), read.raw("whole", 1), read.raw("whole", 2), body)
            able = np.ones(len(here), dtype=bool)
        else:
            some, able = put_down(FAMILIES[name][0](read, body), read, body)
            able &= _grounded(some, body) & _clear(some, body)
        made.turns[here], made.roots[here], good[here] = some.turns, some.roots, able
    return made, good


def _drawn(numbers: Array, families: NDArray[np.int64], again: Change, body: BodyModel, library: Library) -> DrawnPoses:
    """Return the poses of these numbers; ``again`` redraws the rows whose pose is invalid."""
    numbers, families = numbers.copy(), families.copy()
    made, good = made_of(numbers, families, body, library)
    for _ in range(_TRIES):
        bad = np.flatnonzero(~good)
        if not len(bad):
            break
        numbers[bad], families[bad] = again(bad)
        some, able = made_of(numbers[bad], families[bad], body, library)
        made.turns[bad], made.roots[bad], good[bad] = some.turns, some.roots, able
    bad = np.flatnonzero(~good)
    if len(bad):  # a performed motion is always valid
        numbers[bad], families[bad] = np.clip(numbers[bad], 0, _ONE), NAMES.index("motions")
        made.turns[bad], made.roots[bad] = (
            getattr(made_of(numbers[bad], families[bad], body, library)[0], name) for name in ("turns", "roots")
        )
    return DrawnPoses(made, numbers, families)


def _grounded(made: Segments, body: BodyModel) -> NDArray[np.bool_]:
    """Return which bodies are neither below nor entirely above the floor."""
    lowest = body.lowest(made)
    joints = body.joints(made)[:, :, 2].min(axis=1)
    return np.asarray((lowest > _SUNK) & (lowest < _FLOATS) & (joints > _TIP))


def _clear(made: Segments, body: BodyModel) -> NDArray[np.bool_]:
    """Return which bodies have arms clear of trunk, head and thighs, and legs clear of each other and the trunk."""
    places = body.skeleton(made)
    hips = (places["thigh.L"] + places["thigh.R"]) / 2
    shoulders = (places["upperarm.L"] + places["upperarm.R"]) / 2
    good = np.ones(len(hips), dtype=bool)
    for side in "LR":
        for joint in (f"forearm.{side}", f"hand.{side}", f"knuckles.{side}"):
            good &= _away(places[joint], hips, shoulders) > _TRUNK
            good &= np.linalg.norm(places[joint] - places["ears"], axis=1) > _HEAD
            for leg in "LR":
                good &= _away(places[joint], places[f"thigh.{leg}"], places[f"shank.{leg}"]) > _LIMB
        middle = (places[f"forearm.{side}"] + places[f"hand.{side}"]) / 2
        good &= _away(middle, hips, shoulders) > _TRUNK
        good &= np.linalg.norm(middle - places["ears"], axis=1) > _HEAD
        other = "R" if side == "L" else "L"
        for joint, upper, lower in (("foot", "thigh", "shank"), ("foot", "shank", "foot"), ("shank", "thigh", "shank")):
            good &= _away(places[f"{joint}.{side}"], places[f"{upper}.{other}"], places[f"{lower}.{other}"]) > 0.05
        good &= _away(places[f"shank.{side}"], hips, shoulders) > 0.1
    return good


def _away(point: Array, start: Array, end: Array) -> Array:
    """Return the distances (n,) in metres from points to line segments."""
    bone = end - start
    along = ((point - start) * bone).sum(axis=1) / np.maximum((bone * bone).sum(axis=1), 1e-9)
    return np.asarray(np.linalg.norm(point - start - np.clip(along, 0, 1)[:, None] * bone, axis=1))


MAX_EXCESS = 1.0  # slacks by which a body that holds a shape may miss a range at most
_WANTED = 0.5  # slacks: a pose is changed until it misses no range by more than this
_ROUNDS = 60
_SHAPE_CHANGES = (0.2, 0.06)  # standard deviations of the changes of a pose's numbers, used in turn
_NEAREST = 16  # poses of each shape and side
_POOL = 1536


def shape_pairs(
    random: np.random.Generator, body: BodyModel, library: Library, shapes: Sequence[Shape]
) -> tuple[DrawnPoses, DrawnPoses]:
    """Return current poses of one body, and targets that hold each of the shapes about equally often.

    A current pose is any drawn pose, or one that holds another shape. A shape that no pose reaches is left out.
    """
    pool = drawn_poses(random, _POOL, body, library)
    wanted = [(shape, side) for shape in shapes for side in shape.sides for _ in range(_NEAREST)]
    excess = [
        distance_from_shape(shape.ranges, _upright(body, pool.bodies), side) for shape, side in wanted[::_NEAREST]
    ]
    nearest = np.argsort(excess, axis=1, kind="stable")[:, :_NEAREST]
    away = np.take_along_axis(np.array(excess), nearest, axis=1).ravel()
    numbers, families = pool.numbers[nearest.ravel()], pool.families[nearest.ravel()]
    for number in range(_ROUNDS):
        due = np.flatnonzero(away > _WANTED)
        if not len(due):
            break
        turn = number % (1 + len(_SHAPE_CHANGES))
        changed = (
            changed_a_little(random, numbers[due], _SHAPE_CHANGES[turn - 1])
            if turn
            else changed_limbs(random, numbers[due])
        )
        made, able = made_of(changed, families[due], body, library)
        poses = zip(due.tolist(), _upright(body, made), strict=True)
        new = np.array([float(distance_from_shape(wanted[row][0].ranges, pose, wanted[row][1])) for row, pose in poses])
        better = able & (new < away[due])
        numbers[due[better]], away[due[better]] = changed[better], new[better]
    held = random.permutation(np.flatnonzero(away <= MAX_EXCESS))
    every = np.concatenate([pool.numbers, numbers[held]]), np.concatenate([pool.families, families[held]])
    others = random.integers(0, len(every[0]), len(held))

    def posed(rows: NDArray[np.intp]) -> DrawnPoses:
        chosen, of = every[0][rows], every[1][rows]
        return DrawnPoses(made_of(chosen, of, body, library)[0], chosen, of)

    return posed(others), posed(_POOL + np.arange(len(held)))


def _upright(body: BodyModel, made: Segments) -> Array:
    """Return joints (n, 20, 3) in the frame of a level camera in front, with y down and z away from it."""
    joints = body.joints(made)
    return np.stack([joints[..., 0], -joints[..., 2], joints[..., 1]], axis=-1)


BODIES = len(CHARACTERS) + FURTHER_BUILDS
ONE_CAMERA = 0.8  # share of pairs taken by one camera; two cameras take the others
PITCHES = (-35.0, 60.0)  # degrees that a camera looks down
_ROLL = 4.0  # degrees, one standard deviation
_DISTANCES = (1.6, 6.0)  # metres
_LOTS = 512  # number of pairs of one body drawn together
_TURNED = 0.15  # share of targets with a random heading; the others keep theirs nearly
_TURN = 9.0  # degrees, one standard deviation
_STEPPED, _STEP = 0.2, 0.3  # share of targets that move, and metres of the move
_UPRIGHT = frozenset({"motions", "standing", "one leg", "folded"})  # families whose feet stay in place


@dataclass(frozen=True)
class SeenPairs:
    """Pairs (n) of known joints: ``joints`` (n, 2, 20, 3) in the levelled camera frame, current and target.

    ``pitch`` and ``roll`` (n, 2) are the degrees that each camera looks down and is turned clockwise. ``placed`` (n,)
    marks pairs taken by one camera, whose joints can be compared in space. ``families`` (n, 2) are the families of the
    poses as indices of :data:`fmp_models.sim.drawn_poses.NAMES`; ``changes`` (n,) tells how the poses differ.
    """

    joints: NDArray[np.float32]
    pitch: NDArray[np.float32]
    roll: NDArray[np.float32]
    placed: NDArray[np.bool_]
    families: NDArray[np.int64]
    changes: NDArray[np.str_]


def seen_pairs(seed: Sequence[int] | int, count: int, recordings: Sequence[Path] = ()) -> SeenPairs:
    """Return ``count`` pairs of drawn poses of various builds, from all sides; the same for the same seed and count."""
    random = np.random.default_rng(seed)
    lots = []
    for first in range(0, count, _LOTS):
        body = body_model(int(random.integers(BODIES)))
        size = min(_LOTS, count - first)
        current, target, changes = drawn_pairs(random, size, body, library(tuple(recordings)))
        lots.append(_as_seen(random, current, target, changes, body))
    return SeenPairs(*(np.concatenate(parts) for parts in zip(*lots, strict=True)))


def seen_shape_pairs(seed: Sequence[int] | int, count: int, shapes: Sequence[Shape]) -> SeenPairs:
    """Return ``count`` pairs whose target holds one of the shapes, seen as in :func:`seen_pairs`."""
    random = np.random.default_rng(seed)
    lots, made = [], 0
    while made < count:
        body = body_model(int(random.integers(BODIES)))
        current, target = shape_pairs(random, body, library(), shapes)
        changes = np.full(len(target.families), "shape")
        lots.append(_as_seen(random, current, target, changes, body))
        made += len(changes)
    return SeenPairs(*(np.concatenate(parts)[:count] for parts in zip(*lots, strict=True)))


def drawn_pair(seed: Sequence[int] | int, recordings: Sequence[Path] = ()) -> SeenPairs:
    """Return one pair (n = 1) of :func:`seen_pairs`."""
    return seen_pairs(seed, 1, recordings)


def anchors(families: NDArray[np.int64], joints: Array) -> Array:
    """Return floor points (n, 2) that stay fixed between poses: between the feet if upright, else below the hips."""
    feet = (joints[:, INDEX["left_ankle"], :2] + joints[:, INDEX["right_ankle"], :2]) / 2
    upright = np.isin(families, [NAMES.index(name) for name in _UPRIGHT])
    return np.where(upright[:, None], feet, joints[:, INDEX["hip"], :2])


def turned_and_moved(random: np.random.Generator, count: int) -> tuple[Array, Array]:
    """Draw the degrees (n,) and metres (n, 2) by which targets differ in heading and place."""
    turn = np.where(random.random(count) < _TURNED, random.uniform(-180, 180, count), random.normal(0, _TURN, count))
    step = np.where(random.random(count) < _STEPPED, _STEP, 0.02)[:, None]
    return turn, step * random.normal(0, 1, (count, 2))


def _as_seen(
    random: np.random.Generator, current: DrawnPoses, target: DrawnPoses, changes: NDArray[np.str_], body: BodyModel
) -> tuple[NDArray[np.generic], ...]:
    count = len(changes)
    heading = random.uniform(-180, 180, count)
    turn, step = turned_and_moved(random, count)
    one_camera = random.random(count) < ONE_CAMERA
    target_heading = np.where(one_camera, heading, random.uniform(-180, 180, count))
    pitch = random.triangular(PITCHES[0], 8.0, PITCHES[1], (count, 2))
    distance = random.uniform(*_DISTANCES, (count, 2))
    aside = random.normal(0, 0.25, (count, 2))
    middle = random.uniform(0.5, 1.0, (count, 2))
    for values in (pitch, distance, aside, middle):
        values[one_camera, 1] = values[one_camera, 0]
    roll = random.normal(0, _ROLL, (count, 2))
    roll[one_camera, 1] = roll[one_camera, 0]
    joints_of_poses = []
    for which, poses, yaw, moved in ((0, current, heading, 0 * step), (1, target, target_heading + turn, step)):
        joints = body.joints(poses.bodies)
        joints[:, :, :2] -= anchors(poses.families, joints)[:, None]
        joints = joints @ np.swapaxes(about(UP, yaw), -1, -2)
        joints[:, :, :2] += moved[:, None]
        high = middle[:, which] + distance[:, which] * np.tan(np.radians(np.clip(pitch[:, which], -25, 55)))
        high = np.clip(high, 0.05, 2.8)
        joints_of_poses.append(
            np.stack(
                [
                    joints[:, :, 0] + aside[:, which, None],
                    high[:, None] - joints[:, :, 2],
                    joints[:, :, 1] + distance[:, which, None],
                ],
                axis=-1,
            )
        )
    return (
        np.stack(joints_of_poses, axis=1).astype(np.float32),
        pitch.astype(np.float32),
        roll.astype(np.float32),
        one_camera,
        np.stack([current.families, target.families], axis=1),
        changes,
    )


def bone_turns(skeleton: Skeleton, turns: Array) -> Array:
    """Return world rotations (bones, 3, 3) from rest, given those of the segments (17, 3, 3).

    The twist of a limb is spread over two bones, as in :mod:`fmp_models.sim.posing`.
    """
    rotations: dict[str, Array] = {"root": turns[AT["pelvis"]]}
    for names, first, last in ((SPINE, "pelvis", "chest"), (NECK, "chest", "head")):
        steps = shares_of_turn(turns[None, AT[first]], turns[None, AT[last]], len(names))
        rotations |= {name: steps[i, 0] for i, name in enumerate(names)}
    for side in SIDES:
        upper, fore, hand, thigh, shank, foot = (
            turns[AT[f"{name}.{side}"]] for name in ("upperarm", "forearm", "hand", "thigh", "shank", "foot")
        )
        girdle = turns[AT[f"girdle.{side}"]]
        arm, forearm, leg, lower = (
            _along(skeleton, turn, f"{start}.{side}", f"{end}.{side}")
            for turn, start, end in (
                (upper, "upperarm01", "lowerarm01"),
                (fore, "lowerarm01", "wrist"),
                (thigh, "upperleg01", "lowerleg01"),
                (shank, "lowerleg01", "foot"),
            )
        )
        rotations |= {
            f"clavicle.{side}": girdle,
            f"shoulder01.{side}": girdle,
            f"upperarm01.{side}": half_twist(girdle, upper, arm),
            f"upperarm02.{side}": upper,
            f"lowerarm01.{side}": fore,
            f"lowerarm02.{side}": half_twist(hand, fore, forearm),
            f"wrist.{side}": hand,
            f"upperleg01.{side}": half_twist(turns[AT["pelvis"]], thigh, leg),
            f"upperleg02.{side}": thigh,
            f"lowerleg01.{side}": shank,
            f"lowerleg02.{side}": half_twist(foot, shank, lower),
            f"foot.{side}": foot,
        }
    every: list[Array] = []
    for name, parent in zip(skeleton.names, skeleton.parents, strict=True):
        every.append(rotations.get(name, every[parent] if parent >= 0 else rotations["root"]))
    return np.stack(every)


def _along(skeleton: Skeleton, turn: Array, start: str, end: str) -> Array:
    way = turn @ (skeleton.at(end) - skeleton.at(start))
    return np.asarray(way / np.linalg.norm(way))
