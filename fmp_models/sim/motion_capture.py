"""Motion captures that users supply as BVH files, and the repertoire of the catalogue and these.

A file is a HIERARCHY of joints with offsets and channels, then a MOTION with a row of numbers for every frame. Its
joints are mapped to ours. For the simulator, planted feet are kept in place.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from fmp_models.errors import BadInputError
from fmp_models.files import read_bounded
from fmp_models.pose import JOINTS, Array
from fmp_models.sim.motions import FRAMES_PER_CAPTURE, FRAMES_PER_SECOND, MOTIONS, mirror_pose
from fmp_models.sim.posing import SIDES, Arm, BodyPose, Leg, Triple, Turn, bendable, frame_of, within_reach

# The joint names of Mixamo, CMU, Poser and others, without prefix, case and underscores; {side} is left or l.
NEEDED: dict[str, tuple[str, ...]] = {
    "hip": ("{side}upleg", "{side}thigh", "{side}hip"),
    "knee": ("{side}leg", "{side}lowleg", "{side}shin", "{side}knee"),
    "ankle": ("{side}ankle", "{side}foot"),
    "shoulder": ("{side}arm", "{side}uparm", "{side}upperarm", "{side}shoulder", "{side}shldr"),
    "elbow": ("{side}forearm", "{side}lowarm", "{side}lowerarm", "{side}elbow"),
    "wrist": ("{side}wrist", "{side}hand"),
}
WELCOME: dict[str, tuple[str, ...]] = {"foot": ("{side}toebase", "{side}toe", "{side}toes", "{side}ball")}
MIDDLE: dict[str, tuple[str, ...]] = {
    "spine": ("spine1", "spine", "chest", "abdomen", "lowerback"),
    "neck": ("neck", "neck1"),
    "head": ("head",),
}
POSER = "shldr"  # a shoulder name that only Poser uses
SIDE_WORDS = {"left": ("left", "l"), "right": ("right", "r")}
_CHAINS = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))
_BONES = [
    ("spine", "neck"),
    ("left_hip", "right_hip"),
    ("left_shoulder", "right_shoulder"),
    *((f"{word}_{a}", f"{word}_{b}") for word in SIDE_WORDS for a, b in _CHAINS),
]
SIDE_OF = {"left": "L", "right": "R"}
TO_WORLD = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # y up, looking along z -> z up, along -y
SLOW, LOW = 0.35, 0.07  # leg lengths a second, and leg lengths above the floor: a foot below both limits stands
FLOOR_SHARE = 0.03  # share of frames in which the lower ankle may be below the estimated floor
LEAP = 4.0  # body sizes a second: faster than any movement except the jump from a T pose put before a capture
MIN_STANDING_SECONDS, FADE = 0.12, 0.15  # minimum seconds that a foot stands, and seconds that it takes to leave
STRAIGHT = 12.0  # degrees of bend below which a limb does not define its bend direction
ROUNDING = 1e-3  # frames: files give their frame time with six or seven digits
LEG = 0.84  # metres of both bones of a leg, for files without a unit
SHORT = 0.02  # leg lengths: an end site nearer to its joint shows no direction
_ENDS = (("hand", "wrist"), ("foot", "ankle"))
NATURAL_CREASE = np.array([-0.1, 0.3, 1.0])


@dataclass(frozen=True)
class CapturedTake:
    """A capture at :data:`FRAMES_PER_SECOND`: joints are leg lengths from the floor below the first mid-hip, z up.

    ``poser``: its joints have Poser's names, as in the conversions of CMU's database, which asks for an
    acknowledgement.
    """

    frames: int
    joints: dict[str, Array]
    feet: dict[str, Array]
    standing: dict[str, NDArray[np.bool_]]
    head: Slerp
    rate: float
    poser: bool = False

    def planted(self, frame: float) -> frozenset[str]:
        """Return the feet, ``L`` and ``R``, that stand on the floor."""
        i = int(np.clip(round(self._source(frame)), 0, len(self.joints["neck"]) - 1))
        return frozenset(side for side, stands in self.standing.items() if stands[i])

    def pose(self, frame: float) -> BodyPose:
        """Return the whole body at a frame, within its limits."""
        now = {name: self._between(track, frame) for name, track in self.joints.items()}
        hips = (now["left_hip"] + now["right_hip"]) / 2
        line = now["left_hip"] - now["right_hip"]
        heading = float(np.degrees(np.arctan2(line[1], line[0])))
        straight = Rotation.from_euler("Z", -heading, degrees=True).as_matrix()
        now = {name: straight @ place for name, place in now.items()}
        middle = straight @ hips
        pelvis = _axes(now["left_hip"] - now["right_hip"], now["spine"] - middle)
        chest = _axes(now["left_shoulder"] - now["right_shoulder"], now["neck"] - now["spine"])
        head = straight @ self.head(np.clip(self._source(frame), *self.head.times[[0, -1]])).as_matrix()
        planted = self.planted(frame)
        pose = BodyPose(
            float(middle[2]),
            {SIDE_OF[word]: _arm(now, word, chest) for word in SIDE_WORDS},
            {
                SIDE_OF[word]: _leg(now, word, straight @ self._between(self.feet[word], frame), planted)
                for word in SIDE_WORDS
            },
            _turn(pelvis),
            _turn(chest),
            _turn(head),
            (float(middle[0]), float(-middle[1])),
            heading,
        )
        return within_reach(pose, planted)

    def _source(self, frame: float) -> float:
        """Return the frame of the file, which may lie between whole frames."""
        return frame * self.rate

    def _between(self, track: Array, frame: float) -> Array:
        now = float(np.clip(self._source(frame), 0.0, len(track) - 1))
        i = min(int(now), max(len(track) - 2, 0))
        return np.asarray(track[i] + (now - i) * (track[min(i + 1, len(track) - 1)] - track[i]))


def perform(names: Sequence[str], rotations: Array, places: Array, seconds: float) -> CapturedTake:
    """Return the take of joints: rotations (F, N, 3, 3) and positions (F, N, 3), y up, ``seconds`` apart.

    Lengths are measured in the person's own legs, so the unit of the file does not matter. Raises ``BadInputError``
    when a joint is missing or the body has no size.
    """
    columns = joint_columns(names)
    if _leaps(places, seconds):
        rotations, places = rotations[1:], places[1:]
    joints = {name: places[:, column] @ TO_WORLD.T for name, column in columns.items()}
    leg = max(_leg_length(joints, word) for word in SIDE_WORDS)
    if not leg > 0 or any(np.linalg.norm(joints[a] - joints[b], axis=1).min() == 0 for a, b in _BONES):
        raise BadInputError("bvh_no_size")
    first = {name: track[0] for name, track in joints.items()}
    line = first["left_hip"] - first["right_hip"]
    straight = Rotation.from_euler("Z", -np.arctan2(line[1], line[0])).as_matrix()
    origin = (first["left_hip"] + first["right_hip"]) / 2
    ankles = np.minimum(*(joints[f"{word}_ankle"][:, 2] for word in SIDE_WORDS))
    origin[2] = np.quantile(ankles, FLOOR_SHARE)
    joints = {name: (track - origin) @ straight.T / leg for name, track in joints.items()}
    feet = {
        word: joints[f"{word}_foot"] - joints[f"{word}_ankle"] if f"{word}_foot" in joints else _ahead(joints)
        for word in SIDE_WORDS
    }
    standing = {}
    for word in SIDE_WORDS:
        stands = _stands(joints[f"{word}_ankle"], seconds)
        joints[f"{word}_ankle"] = _kept_still(joints[f"{word}_ankle"], stands, seconds)
        standing[SIDE_OF[word]] = stands
        feet[word] = _level(feet[word], stands)
    turned = straight @ TO_WORLD @ rotations[:, columns["head"]] @ TO_WORLD.T @ straight.T
    heads = Rotation.from_matrix(np.concatenate([turned, turned[-1:]]))
    rate = 1.0 / (seconds * FRAMES_PER_SECOND)
    frames = int((len(places) - 1) / rate + ROUNDING) + 1
    poser = any(name.lower().endswith(POSER) for name in names)
    return CapturedTake(frames, joints, feet, standing, Slerp(np.arange(len(places) + 1.0), heads), rate, poser)


def joint_columns(names: Sequence[str]) -> dict[str, int]:
    """Return the file's joint index of each of our joints; raise ``BadInputError`` for the first that is missing."""
    short = {
        re.sub(r"^.*:|^mixamorig\d*|[\s_\-.]", "", name.replace("mixamorig_", "")).lower(): i
        for i, name in reversed(list(enumerate(names)))
    }
    columns = {}
    for word, prefixes in SIDE_WORDS.items():
        for name, patterns in (NEEDED | WELCOME).items():
            wanted = [pattern.format(side=prefix) for pattern in patterns for prefix in prefixes]
            column = next((short[key] for key in wanted if key in short), None)
            if column is not None:
                columns[f"{word}_{name}"] = column
            elif name in NEEDED:
                raise BadInputError("bvh_joint_missing", joint=f"{word} {name}")
    for name, keys in MIDDLE.items():
        column = next((short[key] for key in keys if key in short), None)
        if column is None:
            raise BadInputError("bvh_joint_missing", joint=name)
        columns[name] = column
    return columns


def _leaps(places: Array, seconds: float) -> bool:
    """Return whether positions (F, N, 3) start with a separate pose, as CMU's do, followed by a sudden jump."""
    if len(places) < 3:  # noqa: PLR2004 - a jump stands out from the other steps
        return False
    steps = np.linalg.norm(np.diff(places[:, 1:] - places[:, :1], axis=0), axis=2).max(axis=1) / seconds
    size = float(np.ptp(places[0], axis=0).max())
    return bool(size > 0 and steps[0] > LEAP * size and steps[0] > 10 * np.median(steps))


def _axes(left: Array, up: Array) -> Array:
    """Return the rotation (3, 3) of a part of the trunk with this left and, as near as possible, this up direction."""
    frame = frame_of(left, up)
    return np.stack([frame[:, 0], -frame[:, 2], frame[:, 1]], axis=-1)


def _turn(rotation: Array) -> Turn:
    around, side, forward = Rotation.from_matrix(rotation).as_euler("ZYX", degrees=True)
    return Turn(float(forward), float(side), float(around))


def _arm(now: dict[str, Array], word: str, chest: Array) -> Arm:
    sign = SIDES[SIDE_OF[word]]
    upper, fore = (
        np.array(_triple(chest.T @ (now[f"{word}_{end}"] - now[f"{word}_{start}"]), sign))
        for start, end in (("shoulder", "elbow"), ("elbow", "wrist"))
    )
    upper, fore = upper / np.linalg.norm(upper), fore / np.linalg.norm(fore)
    bend = float(np.degrees(np.arccos(np.clip(upper @ fore, -1.0, 1.0))))
    share = min(bend / STRAIGHT, 1.0)
    wanted = share * fore / max(np.sin(np.radians(bend)), 1e-3) + (1 - share) * NATURAL_CREASE
    crease = frame_of(upper, wanted)[:, 1]
    palm = np.cross(upper, crease)  # the palm of a hanging arm whose elbow bends forward faces the body
    return bendable(Arm(_floats(upper), bend, _floats(crease), _floats(palm)))


def _leg(now: dict[str, Array], word: str, toes: Array, planted: frozenset[str]) -> Leg:
    sign = SIDES[SIDE_OF[word]]
    hip, knee, ankle = (now[f"{word}_{name}"] for name in ("hip", "knee", "ankle"))
    thigh, shank = knee - hip, ankle - knee
    cosine = thigh @ shank / (np.linalg.norm(thigh) * np.linalg.norm(shank))
    share = min(float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))) / STRAIGHT, 1.0)
    level = np.array([toes[0], toes[1], 0.0]) / max(float(np.linalg.norm(toes[:2])), 1e-6)
    aside = knee - hip - (ankle - hip) * ((knee - hip) @ (ankle - hip)) / ((ankle - hip) @ (ankle - hip))
    pole = share * aside / max(float(np.linalg.norm(aside)), 1e-6) + (1 - share) * level
    # The sole faces down, or backwards if the toes point down.
    sole = np.array([0.0, 0.0, -1.0]) + np.cross([0.5, 0.0, 0.0], toes / np.linalg.norm(toes))
    place = ankle if SIDE_OF[word] not in planted else ankle * np.array([1.0, 1.0, 0.0])
    return Leg(_triple(place, sign), _triple(pole, sign), _triple(toes, sign), _triple(sole, sign))


def _triple(vector: Array, sign: float) -> Triple:
    x, y, z = vector
    return float(sign * x), float(z), float(-y)


def _floats(vector: Array) -> Triple:
    x, y, z = vector
    return float(x), float(y), float(z)


def _leg_length(joints: dict[str, Array], word: str) -> float:
    hip, knee, ankle = (joints[f"{word}_{name}"][0] for name in ("hip", "knee", "ankle"))
    return float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))


def _ahead(joints: dict[str, Array]) -> Array:
    """Return the direction of the hips (F, 3) for toes that were not captured."""
    line = joints["left_hip"] - joints["right_hip"]
    return np.stack([line[:, 1], -line[:, 0], np.zeros(len(line))], axis=-1)


def _stands(ankle: Array, seconds: float) -> NDArray[np.bool_]:
    speed = np.linalg.norm(np.gradient(ankle, axis=0), axis=1) / seconds if len(ankle) > 1 else np.zeros(1)
    stands = (speed < SLOW) & (ankle[:, 2] < LOW)
    for first, last in _runs(stands):
        if len(ankle) > 1 and (last - first) * seconds < MIN_STANDING_SECONDS:
            stands[first:last] = False
    return stands


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the first and past-the-last index of every run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]


def _kept_still(ankle: Array, stands: NDArray[np.bool_], seconds: float) -> Array:
    """Return the path of an ankle that stays in place while the foot stands, with soft transitions before and after."""
    moved = np.zeros_like(ankle)
    frames = np.arange(len(ankle))
    for first, last in _runs(stands):
        place = np.append(ankle[first:last, :2].mean(axis=0), 0.0)
        moved[first:last] = place - ankle[first:last]
        for edge, away in ((first, first - frames), (last - 1, frames - last + 1)):
            share = np.clip(1 - away * seconds / FADE, 0.0, 1.0) * (~stands & (away > 0))
            moved += share[:, None] * (place - ankle[edge])
    return ankle + moved


def _level(feet: Array, stands: NDArray[np.bool_]) -> Array:
    """Return directions of feet (F, 3), level while they stand: a foot joint lies higher than the joint of its toes."""
    along = np.maximum(np.linalg.norm(feet[:, :2], axis=1), 1e-6)
    pitch = np.arctan2(feet[:, 2], along)
    pitch = np.where(stands, 0.0, pitch - np.median(pitch[stands] if stands.any() else pitch))
    return np.concatenate([feet[:, :2] / along[:, None] * np.cos(pitch)[:, None], np.sin(pitch)[:, None]], axis=1)


MAX_BYTES = 64 * 2**20
MAX_JOINTS, MAX_DEPTH = 1000, 200
MAX_SAMPLES = 3000  # frames of one description
AXES = "XYZ"
MOVES, TURNS = tuple(f"{axis}position" for axis in AXES), tuple(f"{axis}rotation" for axis in AXES)
_OVERFLOWING = np.errstate(over="ignore", invalid="ignore")  # values are checked afterwards


@dataclass(frozen=True)
class Joint:
    """One joint or end site: its offset from its parent (-1: none), and its channels in file order."""

    name: str
    parent: int
    offset: tuple[float, float, float]
    channels: tuple[str, ...]


@dataclass(frozen=True)
class Recording:
    """A parsed file: joints, parents first, and the channels' values (frames, channels), ``seconds`` apart."""

    joints: tuple[Joint, ...]
    values: Array
    seconds: float

    def placed(self) -> tuple[Array, Array]:
        """Return world rotations (frames, joints, 3, 3) and positions (frames, joints, 3), y up, in the file's unit."""
        frames = len(self.values)
        rotations, places = np.empty((frames, len(self.joints), 3, 3)), np.empty((frames, len(self.joints), 3))
        first = 0
        for i, joint in enumerate(self.joints):
            own = self.values[:, first : first + len(joint.channels)]
            first += len(joint.channels)
            turned, moved = _local(joint, own)
            if joint.parent < 0:
                rotations[:, i], places[:, i] = turned, moved
            else:
                above = rotations[:, joint.parent]
                rotations[:, i] = above @ turned
                places[:, i] = places[:, joint.parent] + np.einsum("fij,fj->fi", above, moved)
        return rotations, places

    @property
    @_OVERFLOWING
    def first(self) -> int:
        """The first frame that belongs to the movement, 1 if a separate pose precedes it."""
        return int(_leaps(replace(self, values=self.values[:MAX_SAMPLES]).placed()[1], self.seconds))

    @_OVERFLOWING
    def bodies(self, frames: Sequence[int]) -> tuple[Array, NDArray[np.bool_]]:
        """Return our joints (n, 20, 3) at ``frames``, and which of them (20,) the file has.

        Axes are the file's, and the legs have the length ``LEG``. Hands and feet are the middle of the joints that
        follow the wrist or the ankle, the head that of its joint and those that follow it. Raise ``BadInputError``:
        ``motion_too_long``, ``bvh_joint_missing``, ``bvh_no_size``.
        """
        if len(frames) > MAX_SAMPLES:
            raise BadInputError("motion_too_long", limit=MAX_SAMPLES)
        columns = joint_columns([joint.name for joint in self.joints])
        _, places = replace(self, values=self.values[list(frames)]).placed()
        own = {name: places[:, column] for name, column in columns.items()}
        leg = max(_leg_length(own, word) for word in SIDE_WORDS)
        if not leg > 0 or not np.isfinite(places).all():
            raise BadInputError("bvh_no_size")
        own["hip"] = (own["left_hip"] + own["right_hip"]) / 2
        ends = {f"{word}_{end}": f"{word}_{start}" for word in SIDE_WORDS for end, start in _ENDS}
        for end, start in {**ends, "head": "head"}.items():
            after = [places[:, i] for i, joint in enumerate(self.joints) if joint.parent == columns[start]]
            after = [place for place in after if np.linalg.norm(place[0] - own[start][0]) > SHORT * leg]
            if after and (end == "head" or end not in own):
                own[end] = np.mean([*after, own["head"]] if end == "head" else after, axis=0)
        joints = np.stack([own.get(name, np.zeros_like(own["hip"])) for name in JOINTS], axis=1)
        return joints * (LEG / leg), np.isin(JOINTS, [*own])


def read_bvh(path: str | Path) -> CapturedTake:
    """Read a capture as a take of the simulator; raise ``BadInputError`` that names the fault of the file."""
    recording = read_recording(Path(path))
    rotations, places = recording.placed()
    return perform([joint.name for joint in recording.joints], rotations, places, recording.seconds)


def read_recording(path: Path) -> Recording:
    """Read and parse a file; raise ``BadInputError`` that names its fault."""
    content = read_bounded(path, MAX_BYTES)
    if len(content) > MAX_BYTES:
        raise BadInputError("bvh_too_large", limit_mb=MAX_BYTES // 2**20)
    return parse_bvh(content)


def parse_bvh(content: bytes) -> Recording:
    """Parse the bytes of a file; raise ``BadInputError`` if they are malformed."""
    if not content.strip():
        raise BadInputError("bvh_empty")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError("bvh_not_text") from error
    if "\0" in text:
        raise BadInputError("bvh_not_text")
    words = _Words(text)
    words.expect("HIERARCHY")
    words.expect("ROOT")
    joints: list[Joint] = []
    _read_joint(words, joints, -1, 0)
    words.expect("MOTION")
    words.expect("Frames:")
    frames = words.number()
    words.expect("Frame")
    words.expect("Time:")
    seconds = words.number()
    if frames < 1 or frames != int(frames) or seconds <= 0:
        raise BadInputError("bvh_timing")
    width = sum(len(joint.channels) for joint in joints)
    rest = words.rest()
    if not width or len(rest) != int(frames) * width:
        raise BadInputError("bvh_frame_count", frames=int(frames), width=width, found=len(rest))
    values = np.array([words.as_number(word) for word in rest]).reshape(int(frames), width)
    return Recording(tuple(joints), values, seconds)


class _Words:
    """Tokens of a file with the current line number for error messages."""

    def __init__(self, text: str) -> None:
        self._text: Iterator[tuple[int, str]] = (
            (number, word) for number, line in enumerate(text.splitlines(), start=1) for word in line.split()
        )
        self.line = 1

    def next(self) -> str:
        """Return the next token; raise ``BadInputError`` if the file ends too early."""
        try:
            self.line, word = next(self._text)
        except StopIteration:
            raise BadInputError("bvh_truncated") from None
        return word

    def expect(self, wanted: str) -> None:
        """Consume a required token."""
        if self.next().lower() != wanted.lower():
            raise BadInputError("bvh_unexpected", line=self.line, wanted=wanted)

    def number(self) -> float:
        """Return the next token as a finite number."""
        return self.as_number(self.next())

    def as_number(self, word: str) -> float:
        """Return a token as a finite number."""
        try:
            value = float(word)
        except ValueError:
            value = np.nan
        if not np.isfinite(value):
            raise BadInputError("bvh_not_number", line=self.line, word=word[:20])
        return value

    def rest(self) -> list[str]:
        """Return all remaining tokens."""
        return [word for _, word in self._text]

    def name(self) -> str:
        """Return a joint's name, which may contain spaces, and consume the brace after it."""
        words = [self.next()]
        while (word := self.next()) != "{":
            words.append(word)
        return " ".join(words)


def _read_joint(words: _Words, joints: list[Joint], parent: int, depth: int) -> None:
    """Read one joint after the word ROOT or JOINT, and all joints below it."""
    _demand_few(joints, depth)
    name = words.name()
    words.expect("OFFSET")
    offset = (words.number(), words.number(), words.number())
    words.expect("CHANNELS")
    channels = tuple(_channel(words) for _ in range(_count(words)))
    own = len(joints)
    joints.append(Joint(name, parent, offset, channels))
    while (word := words.next()) != "}":
        if word.lower() == "joint":
            _read_joint(words, joints, own, depth + 1)
        elif word.lower() == "end":
            words.name()
            words.expect("OFFSET")
            _demand_few(joints, depth)
            joints.append(Joint(f"{name} end", own, (words.number(), words.number(), words.number()), ()))
            words.expect("}")
        else:
            raise BadInputError("bvh_unexpected", line=words.line, wanted="JOINT")


def _demand_few(joints: Sequence[Joint], depth: int) -> None:
    if len(joints) >= MAX_JOINTS or depth > MAX_DEPTH:
        raise BadInputError("bvh_too_many_joints", limit=MAX_JOINTS)


def _count(words: _Words) -> int:
    count = words.number()
    if count not in range(len(MOVES + TURNS) + 1):
        raise BadInputError("bvh_unexpected", line=words.line, wanted="a number of channels from 0 to 6")
    return int(count)


def _channel(words: _Words) -> str:
    word = words.next()
    for known in MOVES + TURNS:
        if word.lower() == known.lower():
            return known
    raise BadInputError("bvh_unexpected", line=words.line, wanted="a channel such as Xrotation")


def _local(joint: Joint, values: Array) -> tuple[Array, Array]:
    """Return a joint's own rotations (frames, 3, 3) and positions (frames, 3) relative to its parent."""
    moved = np.tile(np.array(joint.offset), (len(values), 1))
    turned = np.tile(np.eye(3), (len(values), 1, 1))
    for name, column in zip(joint.channels, values.T, strict=True):
        if name in MOVES:
            # A position channel replaces the offset and is not added to it, as exporters write it.
            moved[:, MOVES.index(name)] = column
        else:
            turned = turned @ Rotation.from_euler(name[0], column[:, None], degrees=True).as_matrix()
    return turned, moved


class MotionSample(Protocol):
    """A source of poses by frame."""

    def pose(self, frame: float) -> BodyPose:
        """Return the whole body at a frame."""
        ...


class MotionSource(Protocol):
    """A motion of the catalogue or a recorded one."""

    @property
    def number(self) -> int:
        """The animation number of its uids."""
        ...

    @property
    def captures(self) -> int:
        """The number of pairs it gives: pair k at frames 20 k and 20 k + 10."""
        ...

    def take(self, seed: int, *, mirrored: bool) -> MotionSample:
        """Return one performance."""
        ...


@dataclass(frozen=True)
class RecordedTake:
    """A recording from frame ``start`` on, mirrored or not."""

    recording: CapturedTake
    start: int
    mirrored: bool

    def pose(self, frame: float) -> BodyPose:
        """Return the whole body at a frame, within its limits."""
        pose = self.recording.pose(self.start + frame)
        return mirror_pose(pose) if self.mirrored else pose


@dataclass(frozen=True)
class RecordedMotion:
    """A motion capture; its takes differ only in their start and in being mirrored."""

    number: int
    recording: CapturedTake

    @property
    def captures(self) -> int:
        """The number of pairs that fit into it."""
        return self.recording.frames // FRAMES_PER_CAPTURE

    def take(self, seed: int, *, mirrored: bool) -> RecordedTake:
        """Return one performance."""
        spare = self.recording.frames - self.captures * FRAMES_PER_CAPTURE
        return RecordedTake(self.recording, seed % (spare + 1), mirrored)


def repertoire(recordings: Sequence[Path]) -> tuple[MotionSource, ...]:
    """Return the catalogue and the BVH files of ``recordings``, numbered consecutively.

    A file is read once in a process. Raises :class:`BadInputError` if a file is malformed or too short for one pair.
    """
    return _read(tuple(recordings))


@functools.cache
def _read(recordings: tuple[Path, ...]) -> tuple[MotionSource, ...]:
    motions: list[MotionSource] = list(MOTIONS)
    for path in recordings:
        motion = RecordedMotion(len(motions), read_bvh(path))
        if not motion.captures:
            raise BadInputError("bvh_too_short", path=str(path))
        motions.append(motion)
    return tuple(motions)
