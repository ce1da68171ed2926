"""The 20 joints of FixMyPose: their names, bones and mirror image, the frames a body is measured in, and distances.

Axes. Joints are metres in the *camera frame*: x to the right of the picture, y down, z away from the camera; down as
far as anybody knows along gravity, so that a camera that is held askew leans nobody. A person who faces the camera
therefore has their left at +x and looks towards -z. A *body frame* has the axes (left, up, forward) of the person: only
the turn about the vertical (yaw) is removed, so a person who leans still leans in it. Both triples are right-handed.
Every function takes ``(..., 20, 3)`` arrays unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
BodySide = Literal["left", "right"]
BODY_SIDES: tuple[BodySide, BodySide] = ("left", "right")

JOINTS: tuple[str, ...] = (
    "hip",
    "spine",
    "neck",
    "head",
    "right_shoulder",
    "right_elbow",
    "right_wrist",
    "right_hand",
    "left_shoulder",
    "left_elbow",
    "left_wrist",
    "left_hand",
    "right_hip",
    "right_knee",
    "right_ankle",
    "right_foot",
    "left_hip",
    "left_knee",
    "left_ankle",
    "left_foot",
)
_MICROMETRES = 6  # digits of metres
INDEX: dict[str, int] = {name: i for i, name in enumerate(JOINTS)}

# Parent of each joint; the centre hip is the root and its own parent.
PARENTS: tuple[int, ...] = (0, 0, 1, 2, 2, 4, 5, 6, 2, 8, 9, 10, 0, 12, 13, 14, 0, 16, 17, 18)
BONES: tuple[tuple[int, int], ...] = tuple((parent, child) for child, parent in enumerate(PARENTS) if parent != child)
MIRROR: tuple[int, ...] = tuple(
    INDEX[name.replace("left", "RIGHT").replace("right", "left").replace("RIGHT", "right")] for name in JOINTS
)

# What a person would name, and the joints that speak for it: every joint once.
BODY_PARTS: dict[str, tuple[str, ...]] = {
    "head": ("head",),
    "trunk": ("hip", "spine", "neck", "left_shoulder", "right_shoulder", "left_hip", "right_hip"),
    "left_elbow": ("left_elbow",),
    "left_hand": ("left_wrist", "left_hand"),
    "right_elbow": ("right_elbow",),
    "right_hand": ("right_wrist", "right_hand"),
    "left_knee": ("left_knee",),
    "left_foot": ("left_ankle", "left_foot"),
    "right_knee": ("right_knee",),
    "right_foot": ("right_ankle", "right_foot"),
}

CAMERA_UP = np.array([0.0, -1.0, 0.0])
_LEVEL = np.array([1.0, 0.0, 1.0])  # keeps the horizontal part of a camera-frame vector
_BOTH_DOWN = 0.10  # metres over two poses by which one ankle must be higher to be the free one
_ALIKE = 1e-6  # metres: the same but for rounding
_REMEMBERED, _LARGE = 16, 2**19  # sets of bodies, and the bytes of one beyond which they take too much room
_SHORT = 0.03  # metres: a hip or shoulder line seen end-on, too short to give a direction
CROSS_PRODUCT: Array = np.zeros((3, 3, 3))  # (a x b)_i = sum over j, k of CROSS_PRODUCT[i, j, k] a_j b_k
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    CROSS_PRODUCT[_i, _j, _k], CROSS_PRODUCT[_i, _k, _j] = 1.0, -1.0


@dataclass(frozen=True)
class Pose:
    """One body: ``joints`` (20, 3) metres in the camera frame, ``visibility`` (20,) between 0 and 1.

    ``placed`` is true when the origin is the camera, so that two poses of one scene can be compared in space; an
    estimator that centres the body on its hips sets it to false. ``plausible`` (m, 20, 3) are bodies that the
    photograph bears as well as ``joints``, all equally likely; without them the joints are known, as a simulator's are.
    """

    joints: Array
    visibility: Array
    placed: bool = False
    plausible: Array | None = None

    def __post_init__(self) -> None:
        """Check shapes and finiteness, and keep private copies that nobody can change."""
        shapes: dict[str, tuple[int, ...]] = {"joints": (len(JOINTS), 3), "visibility": (len(JOINTS),)}
        if self.plausible is not None:
            shapes["plausible"] = (max(len(self.plausible), 1), len(JOINTS), 3)
        for name, shape in shapes.items():
            values = np.array(getattr(self, name), dtype=np.float64)
            if values.shape != shape or not np.isfinite(values).all():
                message = f"{name} must be {shape} finite numbers, not {values.shape}"
                raise ValueError(message)
            values.setflags(write=False)
            object.__setattr__(self, name, values)


@dataclass(frozen=True)
class PosePair:
    """The pose a person has (``current``) and the one they want (``target``)."""

    current: Pose
    target: Pose

    @property
    def swapped(self) -> PosePair:
        """The way back: target first."""
        return PosePair(self.target, self.current)

    @property
    def mirrored(self) -> PosePair:
        """The same pair seen in a mirror."""
        return PosePair(mirror(self.current), mirror(self.target))

    @property
    def placed(self) -> bool:
        """Whether both poses stand in the same room coordinates."""
        return self.current.placed and self.target.placed

    @property
    def doubtful(self) -> bool:
        """Whether either pose was measured in a photograph, so that other bodies are plausible as well."""
        return self.current.plausible is not None or self.target.plausible is not None

    @property
    def plausible(self) -> tuple[Array, Array]:
        """Bodies of both poses, (m, 1, 20, 3) and (1, n, 20, 3): every pair of them is as likely as another."""
        bodies = (
            pose.joints[None] if pose.plausible is None else pose.plausible for pose in (self.current, self.target)
        )
        current, target = bodies
        return current[:, None], target[None]

    @property
    def visibility(self) -> Array:
        """Per joint (20,), the lower of the two visibilities."""
        return np.minimum(self.current.visibility, self.target.visibility)


def pose_pair(current: ArrayLike, target: ArrayLike, *, placed: bool = True) -> PosePair:
    """Joints (20, 3) of two bodies as poses that are wholly visible."""
    visible = np.ones(len(JOINTS))
    poses = (Pose(np.asarray(joints, dtype=np.float64), visible, placed) for joints in (current, target))
    return PosePair(*poses)


def mirrored_joints(joints: NDArray[Any]) -> NDArray[Any]:
    """Exchange left and right: x changes sign and the sides change places."""
    return np.asarray(joints[..., list(MIRROR), :] * np.array([-1, 1, 1], dtype=joints.dtype))


def mirror(pose: Pose) -> Pose:
    """The pose of the person in a mirror, its plausible bodies too."""
    plausible = None if pose.plausible is None else mirrored_joints(pose.plausible)
    return Pose(mirrored_joints(pose.joints), pose.visibility[list(MIRROR)], pose.placed, plausible)


def of_bodies(measure: Callable[[Array], NDArray[Any]]) -> Callable[[Array], NDArray[Any]]:
    """Remember what ``measure`` finds of the last bodies: a pair is described by hundreds of looks at the same two.

    What is found can be read and not written.
    """

    @lru_cache(maxsize=_REMEMBERED)
    def known(joints: bytes, shape: tuple[int, ...]) -> NDArray[Any]:
        measured = measure(np.frombuffer(joints).reshape(shape))
        measured.setflags(write=False)
        return measured

    @wraps(measure)
    def found(joints: Array) -> NDArray[Any]:
        if joints.dtype != np.float64 or joints.nbytes > _LARGE:
            return measure(joints)
        return known(joints.tobytes(), joints.shape)

    return found


def body_axes(joints: Array) -> Array:
    """Rows (left, up, forward) of the yaw-free body frame, (..., 3, 3), as camera-frame unit vectors.

    Left runs along the level part of the hip line; where that is too short to trust (a person lying on their side) the
    shoulder line helps, and where both are, the picture's own x axis.
    """
    hips = (joints[..., INDEX["left_hip"], :] - joints[..., INDEX["right_hip"], :]) * _LEVEL
    shoulders = (joints[..., INDEX["left_shoulder"], :] - joints[..., INDEX["right_shoulder"], :]) * _LEVEL
    left = np.where(_length(hips) < _SHORT, hips + shoulders, hips)
    left = np.where(_length(left) < _SHORT, np.array([1.0, 0.0, 0.0]), left)
    left = left / _length(left)
    axes = np.empty((*left.shape[:-1], 3, 3))
    axes[..., 0, :] = left
    axes[..., 1, :] = CAMERA_UP
    axes[..., 2, 0], axes[..., 2, 1], axes[..., 2, 2] = left[..., 2], 0.0, -left[..., 0]  # left x up, left being level
    return axes


def yaw(joints: Array) -> Array:
    """Degrees (...,) that the person is turned to their own left from facing the camera, in (-180, 180]."""
    left = body_axes(joints)[..., 0, :]
    # Facing the camera, left is +x; a turn to one's left carries that axis away from the camera, to +z.
    return np.asarray(np.degrees(np.arctan2(left[..., 2], left[..., 0])))


@of_bodies
def in_pelvis_frame(joints: Array) -> Array:
    """Joints as (left, up, forward) metres from the centre hip."""
    return _in_frame(joints, joints[..., INDEX["hip"], :])


def support_side(pair: PosePair) -> BodySide | None:
    """The foot that stays down: the ankle that is lower over both poses.

    When both feet carry the body, it is the foot that moves less against the hips, and when both move alike, the one
    further back. The choice does not change when the pair is swapped, and changes side when it is mirrored; where the
    feet exactly exchange their places no choice could do both, and there is none.
    """
    frames = np.stack([in_pelvis_frame(pair.current.joints), in_pelvis_frame(pair.target.joints)])
    left, right = frames[:, INDEX["left_ankle"]], frames[:, INDEX["right_ankle"]]
    _, height, ahead = (left - right).sum(axis=0)
    moved = np.linalg.norm(left[1] - left[0]) - np.linalg.norm(right[1] - right[0])
    for excess_of_left, least in ((height, _BOTH_DOWN), (moved, _ALIKE), (ahead, _ALIKE)):
        if abs(excess_of_left) > least:
            return "right" if excess_of_left > 0 else "left"
    return None


def joint_distances(pair: PosePair) -> Array:
    """Metres (20,) that each joint moves, body against body: both in the pelvis frame."""
    moved = in_pelvis_frame(pair.target.joints) - in_pelvis_frame(pair.current.joints)
    return np.asarray(np.linalg.norm(moved, axis=-1))


def joints_as_json(joints: Array) -> list[list[float]]:
    """Joints (20, 3) as plain lists, to the micrometre.

    Coarser is not enough: from joints half a millimetre off, the search for the pose a text leads to may end elsewhere.
    """
    # Adding 0 turns a negative zero, which some programs print, into a plain one.
    return [[round(float(metres), _MICROMETRES) + 0.0 for metres in joint] for joint in joints]


def angle(a: Array, b: Array) -> Array:
    """Degrees (...,) between vectors (..., 3); 0 where one of them has no length."""
    # Kahan's form: as exact near 0 and 180 degrees as the one with a cross product, and several times faster here.
    u, v = a * _length(b), b * _length(a)
    return np.asarray(np.degrees(2 * np.arctan2(_length(u - v)[..., 0], _length(u + v)[..., 0])))


def rotations(vectors: Array) -> Array:
    """Rotation matrices (n, 3, 3) of rotation vectors (n, 3) in radians, by Rodrigues' formula.

    As SciPy's, whose import would take a tenth of the time of a start.
    """
    angles = np.linalg.norm(vectors, axis=-1)[:, None, None]
    skew = np.einsum("ijk,nj->nik", CROSS_PRODUCT, vectors)
    first = np.sinc(angles / np.pi)
    second = np.sinc(angles / (2 * np.pi)) ** 2 / 2
    return np.asarray(np.eye(3) + first * skew + second * (skew @ skew))


def wrap_degrees(value: Array) -> Array:
    """The same angle in (-180, 180]."""
    return np.asarray(180.0 - (180.0 - value) % 360.0)


def _in_frame(joints: Array, origin: Array) -> Array:
    return np.asarray((joints - origin[..., None, :]) @ np.swapaxes(body_axes(joints), -1, -2))


def _length(vector: Array) -> Array:
    return np.asarray(np.sqrt((vector * vector).sum(axis=-1, keepdims=True)))
