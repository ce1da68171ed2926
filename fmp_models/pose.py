"""The 20 joints of FixMyPose: names, bones, mirror image, body frames, distances, and JSON.

Axes. Joints are metres in the *camera frame*: x to the right of the picture, y down, z away from the camera. Down
follows gravity where gravity is known, so a tilted camera does not make a person lean. A person who faces the
camera therefore has their left at +x and looks towards -z. A *body frame* has the axes (left, up, forward) of the
person: only the turn about the vertical (yaw) is removed, so a person who leans still leans in it. Both triples are
right-handed. Every function takes ``(..., 20, 3)`` arrays unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, wraps
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
INDEX: dict[str, int] = {name: i for i, name in enumerate(JOINTS)}
BEFORE_FACE = len(JOINTS)  # index in ``Pose.faces`` of the point in front of the face

# Parent of each joint; the centre hip is the root and its own parent.
PARENTS: tuple[int, ...] = (0, 0, 1, 2, 2, 4, 5, 6, 2, 8, 9, 10, 0, 12, 13, 14, 0, 16, 17, 18)
BONES: tuple[tuple[int, int], ...] = tuple((parent, child) for child, parent in enumerate(PARENTS) if parent != child)
MIRROR: tuple[int, ...] = tuple(
    INDEX[name.replace("left", "RIGHT").replace("right", "left").replace("RIGHT", "right")] for name in JOINTS
)

# Body parts as people name them, and their joints; each joint occurs once.
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
_BOTH_DOWN = 0.10  # metres, summed over both poses: the ankle that is higher by more than this is the free one
_ALIKE = 1e-6  # metres: equal apart from rounding
_REMEMBERED, _LARGE = 16, 2**19  # cached arrays per measure, and the bytes above which an array is not cached
_SHORT = 0.03  # metres: a hip or shoulder line seen end-on, too short to give a direction
_WIDTH, _TRUNK = 0.25, 0.5  # metres across the hips and along the trunk, used where they are not seen
# Joints that are placed in line with the trunk: joint, parent, and metres up from the parent.
_IN_LINE = (
    ("head", "neck", 0.2),
    *((f"{side}_elbow", f"{side}_shoulder", -0.28) for side in BODY_SIDES),
    *((f"{side}_wrist", f"{side}_elbow", -0.25) for side in BODY_SIDES),
    *((f"{side}_hand", f"{side}_wrist", -0.08) for side in BODY_SIDES),
    *((f"{side}_knee", f"{side}_hip", -0.42) for side in BODY_SIDES),
    *((f"{side}_ankle", f"{side}_knee", -0.42) for side in BODY_SIDES),
    *((f"{side}_foot", f"{side}_ankle", -0.1) for side in BODY_SIDES),
)


@dataclass(frozen=True)
class Pose:
    """One body: ``joints`` (20, 3) metres in the camera frame, ``visibility`` (20,) between 0 and 1.

    ``placed`` is true when the origin is the camera, so that two poses of one scene can be compared in space;
    an estimator that centres the body on its hips sets it to false. ``pose_samples`` (m, 20, 3) are bodies that
    fit the photograph as well as ``joints`` does, all equally likely; without them the joints are exact, as a
    simulator's are. A joint of a photograph with visibility 0 is not seen. ``left_out`` names the joints to
    ignore. ``gazes`` (1 + m, 3) are unit vectors in the direction of the face, for ``joints`` and for each
    plausible body; ``None`` means that no face was measured. ``own_camera`` is true when a different camera
    took the other photograph of the pair: the difference in yaw then depends on the cameras.
    """

    joints: Array
    visibility: Array
    placed: bool = False
    pose_samples: Array | None = None
    left_out: frozenset[str] = frozenset()
    gazes: Array | None = None
    own_camera: bool = False

    def __post_init__(self) -> None:
        """Check shapes and finiteness, and keep private read-only copies."""
        shapes: dict[str, tuple[int, ...]] = {"joints": (len(JOINTS), 3), "visibility": (len(JOINTS),)}
        if self.pose_samples is not None:
            shapes["pose_samples"] = (max(len(self.pose_samples), 1), len(JOINTS), 3)
        if self.gazes is not None:
            shapes["gazes"] = (1 + (0 if self.pose_samples is None else len(self.pose_samples)), 3)
        for name, shape in shapes.items():
            values = np.array(getattr(self, name), dtype=np.float64)
            if values.shape != shape or not np.isfinite(values).all():
                raise ValueError(f"{name} must be {shape} finite numbers, not {values.shape}")
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    def __str__(self) -> str:
        """Return how much of the body is seen; the arrays are in ``repr``."""
        return f"Pose with {np.count_nonzero(self.visibility)} of {len(JOINTS)} joints seen"

    def without(self, names: Iterable[str]) -> Pose:
        """Return the pose without these joints: they count as not seen and no text mentions them."""
        left_out = self.left_out | frozenset(names)
        visibility = [0.0 if name in left_out else seen for name, seen in zip(JOINTS, self.visibility, strict=True)]
        return replace(self, visibility=np.array(visibility), left_out=left_out)

    @property
    def faces(self) -> Array | None:
        """The body and its plausible bodies (1 + m, 21, 3); the last point lies one metre in front of the face.

        ``None`` means that no face was measured.
        """
        if self.gazes is None:
            return None
        bodies = (
            self.joints[None] if self.pose_samples is None else np.concatenate([self.joints[None], self.pose_samples])
        )
        return np.concatenate([bodies, (bodies[:, INDEX["head"]] + self.gazes)[:, None]], axis=1)


@dataclass(frozen=True)
class PosePair:
    """The pose a person has (``current``) and the one they want (``target``).

    If a joint is not seen in one of two photographs, it is moved to a neutral place in both poses, so that
    measured changes depend on seen joints only.
    """

    current: Pose
    target: Pose

    def __post_init__(self) -> None:
        """Move unseen joints in line with the body."""
        unseen = self.unseen
        if unseen.any():
            object.__setattr__(self, "current", _in_line(self.current, unseen))
            object.__setattr__(self, "target", _in_line(self.target, unseen))

    @property
    def swapped(self) -> PosePair:
        """The reverse pair, with current and target exchanged."""
        return PosePair(self.target, self.current)

    @property
    def mirrored(self) -> PosePair:
        """The mirror image of the pair."""
        return PosePair(mirror(self.current), mirror(self.target))

    @property
    def placed(self) -> bool:
        """True if both poses share one system of room coordinates."""
        return self.current.placed and self.target.placed

    @property
    def of_one_camera(self) -> bool:
        """True if, as far as is known, one camera took both photographs."""
        return not (self.current.own_camera or self.target.own_camera)

    @property
    def uncertain(self) -> bool:
        """True if at least one pose was measured in a photograph and is therefore uncertain."""
        return self.current.pose_samples is not None or self.target.pose_samples is not None

    @property
    def pose_samples(self) -> tuple[Array, Array]:
        """Bodies of both poses, (m, 1, 20, 3) and (1, n, 20, 3); all combinations are equally likely."""
        bodies = (
            pose.joints[None] if pose.pose_samples is None else pose.pose_samples
            for pose in (self.current, self.target)
        )
        current, target = bodies
        return current[:, None], target[None]

    @cached_property
    def of_one_build(self) -> PosePair:
        """The pair with equal bone lengths in both bodies if either was measured in a photograph, else the pair itself.

        Bone lengths differ between two people and between two measurements of one person; such a difference is
        not a change of pose. Each bone gets its mean length over both bodies and both sides, and keeps its
        direction.
        """
        if not self.uncertain:
            return self
        lengths = np.mean([bone_lengths(pose.joints) for pose in (self.current, self.target)], axis=0)
        lengths = (lengths + lengths[list(MIRROR)]) / 2
        return PosePair(*(_with_bones(pose, lengths) for pose in (self.current, self.target)))

    @property
    def visibility(self) -> Array:
        """Per joint (20,), the lower of the two visibilities."""
        return np.minimum(self.current.visibility, self.target.visibility)

    @property
    def unseen(self) -> NDArray[np.bool_]:
        """Mask (20,) of the joints that at least one of two photographs does not show; all false for exact joints."""
        return np.asarray(self.visibility <= 0) & self.uncertain

    @property
    def unseen_names(self) -> frozenset[str]:
        """The names of the ``unseen`` joints."""
        return frozenset(name for name, hidden in zip(JOINTS, self.unseen, strict=True) if hidden)

    @property
    def left_out(self) -> frozenset[str]:
        """The joints that either pose leaves out."""
        return self.current.left_out | self.target.left_out


def pose_pair(current: ArrayLike, target: ArrayLike, *, placed: bool = True) -> PosePair:
    """Build a pair of fully visible poses from the joints (20, 3) of two bodies."""
    visible = np.ones(len(JOINTS))
    poses = (Pose(np.asarray(joints, dtype=np.float64), visible, placed) for joints in (current, target))
    return PosePair(*poses)


def mirrored_joints(joints: NDArray[Any]) -> NDArray[Any]:
    """Exchange left and right: negate x and swap the two sides."""
    return np.asarray(joints[..., list(MIRROR), :] * np.array([-1, 1, 1], dtype=joints.dtype))


def mirror(pose: Pose) -> Pose:
    """Return the mirror image of a pose, its plausible bodies included."""
    pose_samples = None if pose.pose_samples is None else mirrored_joints(pose.pose_samples)
    gazes = None if pose.gazes is None else pose.gazes * np.array([-1, 1, 1])
    left_out = frozenset(JOINTS[MIRROR[INDEX[name]]] for name in pose.left_out)
    visibility = pose.visibility[list(MIRROR)]
    joints = mirrored_joints(pose.joints)
    return Pose(joints, visibility, pose.placed, pose_samples, left_out, gazes, pose.own_camera)


def _in_line(pose: Pose, unseen: NDArray[np.bool_]) -> Pose:
    """Return the pose with its ``unseen`` joints (20,) in line with the seen ones."""
    pose_samples = None if pose.pose_samples is None else _bodies_in_line(pose.pose_samples, unseen)
    return replace(pose, joints=_bodies_in_line(pose.joints, unseen), pose_samples=pose_samples)


def _bodies_in_line(joints: Array, unseen: NDArray[np.bool_]) -> Array:
    """Return bodies whose ``unseen`` limbs point down along the trunk, as in relaxed standing."""
    body = np.array(joints)
    lines = [[INDEX[f"{side}_{part}"] for side in BODY_SIDES] for part in ("hip", "shoulder")]
    whole_lines = [body[..., left, :] - body[..., right, :] for left, right in lines if not unseen[[left, right]].any()]
    across = whole_lines[0] if whole_lines else np.array([_WIDTH, 0.0, 0.0])
    corners = {
        corner: sign * across / 2 + CAMERA_UP * height
        for line, height in zip(lines, (0.0, _TRUNK), strict=True)
        for corner, sign in zip(line, (1.0, -1.0), strict=True)
    }
    seen = [body[..., corner, :] - offset for corner, offset in corners.items() if not unseen[corner]]
    for corner, offset in corners.items():
        if unseen[corner]:
            body[..., corner, :] = offset + (np.mean(seen, axis=0) if seen else 0.0)
    hips, shoulders = (body[..., line, :].mean(axis=-2) for line in lines)
    for name, share in (("hip", 0.0), ("spine", 0.5), ("neck", 1.0)):
        if unseen[INDEX[name]]:
            body[..., INDEX[name], :] = hips + share * (shoulders - hips)
    up = (shoulders - hips) / np.maximum(_length(shoulders - hips), _SHORT)
    for name, parent, length in _IN_LINE:
        if unseen[INDEX[name]]:
            body[..., INDEX[name], :] = body[..., INDEX[parent], :] + up * length
    return body


def of_bodies(measure: Callable[[Array], NDArray[Any]]) -> Callable[[Array], NDArray[Any]]:
    """Cache the results of ``measure`` for the last bodies.

    A description measures the same two bodies hundreds of times. Cached results are read-only arrays.
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
    """Return the rows (left, up, forward) of the yaw-free body frame, (..., 3, 3), as unit vectors in the camera frame.

    Left follows the horizontal part of the hip line. Where that is too short to trust (a person lying on
    their side) the shoulder line is added; where both are too short, left is the x axis of the picture.
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
    """Return the degrees (...,), in (-180, 180], that the person is turned to their own left from facing the camera."""
    left = body_axes(joints)[..., 0, :]
    # Facing the camera, left is +x; a turn to one's left carries that axis away from the camera, to +z.
    return np.asarray(np.degrees(np.arctan2(left[..., 2], left[..., 0])))


@of_bodies
def in_pelvis_frame(joints: Array) -> Array:
    """Return joints as (left, up, forward) metres from the centre hip."""
    return _in_frame(joints, joints[..., INDEX["hip"], :])


def support_side(pair: PosePair) -> BodySide | None:
    """Return the side of the standing foot: the ankle that is lower over both poses.

    If both feet carry the body, it is the foot that moves less relative to the hips; if both move alike, the
    one further back. Swapping the pair does not change the answer, and mirroring the pair changes its side.
    If the feet exactly exchange their places, no answer satisfies both rules, and the result is ``None``.
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
    """Return the metres (20,) that each joint moves, with both bodies in the pelvis frame."""
    moved = in_pelvis_frame(pair.target.joints) - in_pelvis_frame(pair.current.joints)
    return np.asarray(np.linalg.norm(moved, axis=-1))


def angle(a: Array, b: Array) -> Array:
    """Return the degrees (...,) between vectors (..., 3); 0 if either has no length."""
    # Kahan's form: as exact near 0 and 180 degrees as the one with a cross product, and several times faster here.
    u, v = a * _length(b), b * _length(a)
    return np.asarray(np.degrees(2 * np.arctan2(_length(u - v)[..., 0], _length(u + v)[..., 0])))


def wrap_degrees(value: Array) -> Array:
    """Wrap an angle to (-180, 180]."""
    return np.asarray(180.0 - (180.0 - value) % 360.0)


def with_bones(joints: Array, lengths: Array) -> Array:
    """Return joints (..., 20, 3) with bones of these ``lengths`` (20,), each from its parent to the joint.

    Directions do not change; the root keeps its place.
    """
    bones = joints - joints[..., PARENTS, :]
    bones = bones / np.maximum(_length(bones), _ALIKE) * lengths[:, None]
    moved = np.array(joints)
    for parent, child in BONES:  # a parent comes before its children
        moved[..., child, :] = moved[..., parent, :] + bones[..., child, :]
    return moved


def _with_bones(pose: Pose, lengths: Array) -> Pose:
    pose_samples = None if pose.pose_samples is None else with_bones(pose.pose_samples, lengths)
    return replace(pose, joints=with_bones(pose.joints, lengths), pose_samples=pose_samples)


def bone_lengths(joints: Array) -> Array:
    """Return the metres (20,) from each joint to its parent; 0 for the root."""
    return _length(joints - joints[PARENTS, :])[..., 0]


def _in_frame(joints: Array, origin: Array) -> Array:
    return np.asarray((joints - origin[..., None, :]) @ np.swapaxes(body_axes(joints), -1, -2))


def _length(vector: Array) -> Array:
    return np.asarray(np.sqrt((vector * vector).sum(axis=-1, keepdims=True)))


CROSS_PRODUCT: Array = np.zeros((3, 3, 3))  # (a x b)_i = sum over j, k of CROSS_PRODUCT[i, j, k] a_j b_k
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    CROSS_PRODUCT[_i, _j, _k], CROSS_PRODUCT[_i, _k, _j] = 1.0, -1.0


def rotations(vectors: Array) -> Array:
    """Return the rotation matrices (n, 3, 3) of rotation vectors (n, 3) in radians, by Rodrigues' formula.

    The results equal SciPy's; importing SciPy would add a tenth to the start time.
    """
    angles = np.linalg.norm(vectors, axis=-1)[:, None, None]
    skew = np.einsum("ijk,nj->nik", CROSS_PRODUCT, vectors)
    first = np.sinc(angles / np.pi)
    second = np.sinc(angles / (2 * np.pi)) ** 2 / 2
    return np.asarray(np.eye(3) + first * skew + second * (skew @ skew))


_MICROMETRES = 6  # decimal digits of metres

# Body parts with the joints that show their movement. Poses are aligned at the hips, so hips show none.
MOVING_JOINTS = {part: tuple(name for name in names if not name.endswith("hip")) for part, names in BODY_PARTS.items()}


@dataclass(frozen=True)
class PartMovement:
    """The distance that one body part moves between the poses, with hips aligned, and its joint that moves furthest."""

    part: str
    centimetres: float
    joint: str


def part_movements(pair: PosePair) -> tuple[PartMovement, ...]:
    """Return every part with the movement of its furthest-moving joint, largest first."""
    distances = joint_distances(pair) * 100
    moved = [
        PartMovement(part, *max((float(distances[INDEX[name]]), name) for name in names))
        for part, names in MOVING_JOINTS.items()
    ]
    return tuple(sorted(moved, key=lambda movement: -movement.centimetres))


def pair_as_json(pair: PosePair | None) -> dict[str, Any]:
    """Return ``joints`` to the micrometre and ``distances`` to the millimetre for ``json.dumps``; null without joints.

    ``joints`` holds the ``names`` of the 20 joints and, in this order, the joints of the ``current`` and the
    ``target`` pose in metres of the camera frame (x to the right of the picture, y down along gravity, z away from
    the camera), with the ``visibility`` (0 to 1) of each. ``distances`` are the centimetres that each body part
    moves, largest first.
    """
    if pair is None:
        return {"joints": None, "distances": None}
    poses = {"current": pair.current, "target": pair.target}
    return {
        "joints": {
            "names": list(JOINTS),
            **{which: joints_as_json(pose.joints) for which, pose in poses.items()},
            "visibility": {
                which: [round(float(visibility), 2) for visibility in pose.visibility] for which, pose in poses.items()
            },
        },
        "distances": {movement.part: round(movement.centimetres, 1) for movement in part_movements(pair)},
    }


def joints_as_json(joints: Array) -> list[list[float]]:
    """Return joints (20, 3) as plain lists, to the micrometre.

    Coarser values are not enough: half a millimetre can change the result of the search for the pose that a text
    leads to.
    """
    # Adding 0 turns negative zero into zero, since some programs print its sign.
    return [[round(float(metres), _MICROMETRES) + 0.0 for metres in joint] for joint in joints]
