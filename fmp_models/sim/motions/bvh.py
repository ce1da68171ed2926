"""Reader of BVH motion captures: the text format, and the positions of its joints in every frame.

A file is a HIERARCHY of joints with offsets and channels, then a MOTION with a row of numbers for every frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from fmp_models.errors import BadInputError
from fmp_models.files.bounded import read_bounded
from fmp_models.pose import Array
from fmp_models.sim.motions.captured import CapturedTake, perform

MAX_BYTES = 64 * 2**20
MAX_JOINTS, MAX_DEPTH = 1000, 200
AXES = "XYZ"
MOVES, TURNS = tuple(f"{axis}position" for axis in AXES), tuple(f"{axis}rotation" for axis in AXES)


@dataclass(frozen=True)
class Joint:
    """One joint: its offset from its parent (-1: none), and its channels in file order."""

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


def read_bvh(path: str | Path) -> CapturedTake:
    """Read a capture as a take of the simulator; raise ``BadInputError`` that names the fault of the file."""
    path = Path(path)
    content = read_bounded(path, MAX_BYTES)
    if len(content) > MAX_BYTES:
        raise BadInputError("bvh_too_large", limit_mb=MAX_BYTES // 2**20)
    recording = parse_bvh(content)
    rotations, places = recording.placed()
    return perform([joint.name for joint in recording.joints], rotations, places, recording.seconds)


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
    if len(joints) >= MAX_JOINTS or depth > MAX_DEPTH:
        raise BadInputError("bvh_too_many_joints", limit=MAX_JOINTS)
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
            for _ in AXES:
                words.number()
            words.expect("}")
        else:
            raise BadInputError("bvh_unexpected", line=words.line, wanted="JOINT")


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
