"""Bodies given as 3-D joints: the point sets of other programs -> our 20 joints, and corrections from them.

A body is ``{"format", "units", "axes", "joints"}`` as in JSON, or the list of its points alone. A missing point is null
or NaN. Axes are three letters, the directions of the positive axes as a viewer sees them: R or L, U or D, F (away from
the viewer) or B. RDF is the camera frame of :mod:`fmp_models.pose`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter, ValidationError

from fmp_models.errors import BadInputError
from fmp_models.estimators import JOINT_SOURCES, LANDMARKS
from fmp_models.files import read_json
from fmp_models.geometry import joints_left_out
from fmp_models.inference.correction import Correction
from fmp_models.inference.corrector import correct_pair
from fmp_models.languages import grammar
from fmp_models.metrics import text_progress
from fmp_models.pose import BODY_SIDES, BONES, INDEX, JOINTS, Array, Pose, PosePair

if TYPE_CHECKING:
    from fmp_models.sim import Recording

UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001}  # in metres
AXES = {"y-down": "RDF", "y-up": "RUB", "z-up": "RFU"}  # names of the usual ones
_DIRECTIONS = dict(zip("RDFLUB", np.concatenate([np.eye(3), -np.eye(3)]), strict=True))  # in the camera frame


@dataclass(frozen=True)
class JointFormat:
    """The ``points`` in order; a joint that ``sources`` does not list is the point of the same name.

    ``units`` and ``axes`` are those that the format itself fixes.
    """

    points: tuple[str, ...]
    sources: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    units: str | None = None
    axes: str | None = None

    def shares(self) -> tuple[Array, frozenset[str]]:
        """Return the share of each point in each joint (20, n), and the joints that the format does not have."""
        sources = [self.sources.get(name, {name: 1.0}) for name in JOINTS]
        absent = frozenset(name for name, each in zip(JOINTS, sources, strict=True) if not set(each) <= {*self.points})
        return np.array([[each.get(point, 0.0) for point in self.points] for each in sources]), absent


def _sides(*parts: str) -> tuple[str, ...]:
    """Return each part of the left and of the right side."""
    return tuple(f"{side}_{part}" for part in parts for side in BODY_SIDES)


_CHAIN = ("shoulder", "elbow", "wrist")
_LEG = ("hip", "knee", "ankle")
FORMATS: dict[str, JointFormat] = {
    "fixmypose-20": JointFormat(JOINTS, {}, "m", "y-down"),
    "mediapipe-33": JointFormat(LANDMARKS, JOINT_SOURCES, "m", "y-down"),
    "coco-17": JointFormat(("nose", *_sides("eye", "ear", *_CHAIN, *_LEG)), JOINT_SOURCES),
    "h36m-17": JointFormat(
        (
            "hip",
            *(f"{side}_{part}" for side in ("right", "left") for part in _LEG),
            *("spine", "neck", "nose", "crown"),
            *(f"{side}_{part}" for side in ("left", "right") for part in _CHAIN),
        ),
        {"head": {"nose": 0.5, "crown": 0.5}},
    ),
    "smpl-24": JointFormat(
        (
            *("hip", *_sides("hip"), "spine1", *_sides("knee"), "spine2", *_sides("ankle"), "spine3", *_sides("foot")),
            *("neck", *_sides("collar"), "head", *_sides(*_CHAIN, "hand")),
        ),
        {"spine": {"spine2": 1.0}},
    ),
}
EXAMPLE = '{"format": "coco-17", "units": "m", "axes": "y-up", "joints": [[0.1, 1.6, 0.2], null, ...]}'

_MAX_BYTES = 1_000_000
_AXES = 3
_MAX_COORDINATE = 1e9  # in any unit
_POINTS = TypeAdapter(list[Annotated[list[float | None], Field(min_length=2, max_length=_AXES)] | None])
_MAX_DISTANCE_M = 100.0  # metres from the origin
_MIN_BODY_M, _MAX_BODY_M = 0.2, 5.0  # metres: limits of the largest extent of a body, vertical or horizontal
_PLAINLY_METRES = (0.5, 2.6)  # extent of a body whose units are metres, though nobody declared them
_MIN_BONE_M = 0.001  # metres: minimum length of a bone
_FLAT = 0.01  # share of the extent below which the third coordinate is no depth but a confidence, or nothing
_TRUNK = [INDEX[name] for name in _sides("hip", "shoulder")]


def read_joints(  # noqa: PLR0913  a body and what it may declare
    given: object,
    which: str = "current",
    *,
    joint_format: str | None = None,
    units: str | None = None,
    axes: str | None = None,
    frame: int = 0,
) -> Pose:
    """Return the body ``given`` as JSON values, an array, or the path of a JSON file; the options fill in its keys.

    The path of a BVH file, or ``{"format": "bvh", "text": "HIERARCHY …", "frame": 0}``, gives one ``frame`` of it, with
    legs of usual length and, by default, the y axis up.
    Joints that a format does not have are left out, and missing ones are not seen. Raise :class:`BadInputError`:
    ``joints_malformed``, ``joints_unknown_format``, ``joints_count``, ``joints_flat``, ``joints_units``,
    ``joints_axes``, ``joints_few``, and the errors of :func:`check_body` and of captures.
    """
    if (recording := _recording(given)) is not None:
        wanted, name = frame, f"--frame-{which}"
        if isinstance(given, Mapping):
            wanted, name, axes = given.get("frame", frame), f"{which}_joints.frame", given.get("axes", axes)
        if type(wanted) is not int or not 0 <= wanted < len(recording.values):
            raise BadInputError("number_out_of_range", name=name, least=0, most=len(recording.values) - 1)
        camera_axes(axes or AXES["y-up"], which)  # an error about them names this body
        return captured_poses(recording, [wanted], axes)[0]
    if isinstance(given, Path):
        given = read_json(given, _MAX_BYTES, EXAMPLE)
    body = given if isinstance(given, Mapping) else {"joints": given}
    declared = {"format": joint_format, "units": units, "axes": axes} | {
        key: value for key, value in body.items() if value is not None
    }
    points = _points(declared.get("joints"), which)
    fitting = [name for name, known in FORMATS.items() if len(known.points) == len(points)]
    name = str(fitting[0] if len(fitting) == 1 and declared["format"] is None else declared["format"])
    if (known := FORMATS.get(name)) is None:
        raise BadInputError("joints_unknown_format", which=which, known=", ".join(FORMATS))
    if name not in fitting:
        raise BadInputError("joints_count", which=which, format=name, wanted=len(known.points), found=len(points))
    shares, absent = known.shares()
    seen = (shares @ np.isnan(points[:, 0]) == 0) & ~np.isin(JOINTS, [*absent])
    if not seen[_TRUNK].all():
        raise BadInputError("joints_few", which=which)
    extent = np.nanmax(points, axis=0) - np.nanmin(points, axis=0)
    if extent[2] <= _FLAT * extent.max():
        raise BadInputError("joints_flat", which=which)
    scale = _scale(declared["units"] or known.units, float(extent.max()), which)
    joints = shares @ np.nan_to_num(points) * scale @ camera_axes(declared["axes"] or known.axes, which)
    joints[~seen] = 0.0
    return given_pose(check_body(joints, which, seen), seen, absent)


def _recording(given: object) -> Recording | None:
    """Return the capture in a .bvh file or in a body of the format "bvh"; None for any other body."""
    if isinstance(given, Path) and given.suffix.lower() == ".bvh":
        from fmp_models.sim import read_recording  # noqa: PLC0415  it loads scipy

        return read_recording(given)
    if not isinstance(given, Mapping) or given.get("format") != "bvh":
        return None
    from fmp_models.sim import parse_bvh  # noqa: PLC0415  it loads scipy

    content = str(given.get("text") or "").encode("utf-8", "replace")
    if len(content) > _MAX_BYTES:
        raise BadInputError("bvh_too_large", limit_mb=_MAX_BYTES // 1_000_000)
    return parse_bvh(content)


def captured_poses(
    recording: Recording, frames: Sequence[int], axes: str | None = None, *, placed: bool = False
) -> list[Pose]:
    """Return the poses at these frames of a capture; raise the errors of ``Recording.bodies`` and ``joints_axes``."""
    joints, seen = recording.bodies(frames)
    bodies = joints @ camera_axes(axes or AXES["y-up"], "captured")
    absent = [name for name, known in zip(JOINTS, seen, strict=True) if not known]
    return [given_pose(body, seen, absent, placed=placed) for body in bodies]


def given_pose(joints: Array, seen: NDArray[np.bool_], absent: Iterable[str] = (), *, placed: bool = False) -> Pose:
    """Return the exact body, or one with joints that are not ``seen`` (20,) or that its format does not have."""
    if seen.all():
        return Pose(joints, np.ones(len(JOINTS)), placed)
    return Pose(joints, seen.astype(float), placed, joints[None]).without(absent)


def correct_joints(
    current: Pose | object,
    target: Pose | object,
    *,
    language: str = "en",
    seed: int | None = None,
    leave_out: Iterable[object] = (),
    **declared: Any,  # noqa: ANN401  the options of read_joints
) -> Correction:
    """Return how to get from one body to another, given as poses or as in :func:`read_joints`, by their geometry."""
    grammar(language)
    left_out = joints_left_out(leave_out)
    poses = [
        body if isinstance(body, Pose) else read_joints(body, which, **declared)
        for body, which in ((current, "current"), (target, "target"))
    ]
    if left_out:
        poses = [replace(pose.without(left_out), pose_samples=pose.joints[None]) for pose in poses]
    pair = PosePair(*poses)
    correction = correct_pair(pair, language, seed)
    progress = text_progress(correction.text, language, pair)
    return replace(
        correction,
        estimator="given joints",
        people=(1, 1),
        goal_progress=None if progress is None else round(progress, 3),
        poses=pair,
    )


def check_body(joints: Array, which: str, seen: NDArray[np.bool_] | None = None) -> Array:
    """Return joints (20, 3) in metres; raise ``joints_far``, ``joints_no_size`` or ``joints_together``."""
    seen = np.ones(len(JOINTS), dtype=bool) if seen is None else seen
    if np.abs(joints).max() > _MAX_DISTANCE_M:
        raise BadInputError("joints_far", which=which, limit_m=f"{_MAX_DISTANCE_M:.0f}")
    size = float(np.ptp(joints[seen], axis=0).max())
    if not _MIN_BODY_M <= size <= _MAX_BODY_M:
        span = {"found_m": f"{size:.2f}", "least_m": f"{_MIN_BODY_M}", "most_m": f"{_MAX_BODY_M:.0f}"}
        raise BadInputError("joints_no_size", which=which, **span)
    bones = np.array([joints[child] - joints[parent] for parent, child in BONES if seen[parent] and seen[child]])
    if np.linalg.norm(bones, axis=1).min() < _MIN_BONE_M:
        raise BadInputError("joints_together", which=which)
    return joints


def camera_axes(axes: object, which: str) -> Array:
    """Return the directions (3, 3) of the axes in the camera frame; raise ``joints_axes`` unless they are declared."""
    letters = AXES.get(axes, axes) if isinstance(axes, str) else ""
    rows = np.array([_DIRECTIONS.get(letter, np.zeros(3)) for letter in letters])
    if len(letters) != _AXES or not np.linalg.det(rows):
        raise BadInputError("joints_axes", which=which, known=", ".join(AXES))
    return rows


def _scale(units: object, extent: float, which: str) -> float:
    """Return the metres of one unit; raise ``joints_units`` unless it is declared or plain."""
    if units is None and _PLAINLY_METRES[0] <= extent <= _PLAINLY_METRES[1]:
        return 1.0
    if not isinstance(units, str) or units not in UNITS:
        raise BadInputError("joints_units", which=which, found=f"{extent:.4g}", known=", ".join(UNITS))
    return UNITS[units]


def _points(given: object, which: str) -> Array:
    """Return points (n, 3), NaN where they are missing; raise ``joints_malformed`` or ``joints_flat``."""
    try:
        rows = _POINTS.validate_python(given.tolist() if isinstance(given, np.ndarray) else given, strict=True)
    except ValidationError:
        rows = []
    if not rows:
        raise BadInputError("joints_malformed", which=which, example=EXAMPLE)
    if any(row is not None and len(row) < _AXES for row in rows):
        raise BadInputError("joints_flat", which=which)
    points = np.array([row or [None] * _AXES for row in rows], dtype=np.float64)
    points[np.isnan(points).any(axis=1)] = np.nan
    if not np.nanmax(np.abs(points), initial=0.0) <= _MAX_COORDINATE:
        raise BadInputError("joints_malformed", which=which, example=EXAMPLE)
    return points
