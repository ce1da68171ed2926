"""Moved joint groups: which of the body's 22 groups move between a pair's pictures, for body-part-match.

A group moves if its joints are on average more than 10 cm away from their previous positions. The released script
computes this from the release's joint files; our own joints give the same result, except for the head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmp_models.common.refusals import one_line
from fmp_models.data.folder import contents
from fmp_models.data.released.joints import LINES, read_points
from fmp_models.data.uids import MOMENTS, Uid, parse_uid
from fmp_models.errors import BadInputError
from fmp_models.files.bounded import read_bounded
from fmp_models.metrics.task.known_poses import joints_of_pairs
from fmp_models.pose import INDEX, JOINTS, Array

# The groups in the order of the released script; each is named by the script's first word for it.
GROUPS: dict[str, tuple[str, ...]] = {
    "waist": ("hip", "left_hip", "right_hip", "spine"),
    "left leg": ("left_hip", "left_knee", "left_ankle"),
    "left knee": ("left_knee",),
    "left foot": ("left_ankle", "left_foot"),
    "left toe": ("left_foot",),
    "right leg": ("right_hip", "right_knee", "right_ankle"),
    "right knee": ("right_knee",),
    "right foot": ("right_ankle", "right_foot"),
    "right toe": ("right_foot",),
    "left arm": ("left_shoulder", "left_elbow", "left_wrist"),
    "left shoulder": ("left_shoulder",),
    "left hand": ("left_wrist", "left_hand"),
    "left finger": ("left_hand",),
    "left elbow": ("left_elbow",),
    "right arm": ("right_shoulder", "right_elbow", "right_wrist"),
    "right shoulder": ("right_shoulder",),
    "right hand": ("right_wrist", "right_hand"),
    "right finger": ("right_hand",),
    "right elbow": ("right_elbow",),
    "head": ("neck", "head"),
    "torso": ("neck", "spine"),
    "neck": ("neck",),
}

_MEMBERS = [[INDEX[joint] for joint in joints] for joints in GROUPS.values()]
_MIN_DISTANCE = 0.10  # metres; a group that moves exactly this far does not count
# The script lacks brackets: it uses p40 + p39 / 2 as the mean of the head's two points. If both move equally,
# as on a head that does not turn, this equals 1.5 times the movement of the mean.
_HEAD = 1.5
_FARTHEST = 1e6  # metres from the camera
_MAX_BYTES = 1_000_000  # per joint file; the release's have 65 short lines


@dataclass(frozen=True)
class MovedGroups:
    """Movement in n pairs: ``known`` (n,) marks pairs with joints, ``groups`` (n, 22) is as released.

    ``intended_groups`` (n, 22) is as intended. Both are false where the joints are not known.
    """

    known: NDArray[np.bool_]
    groups: NDArray[np.bool_]
    intended_groups: NDArray[np.bool_]


def moved_groups(current: ArrayLike, target: ArrayLike, *, intended: bool = False) -> NDArray[np.bool_]:
    """Return the groups (..., 22) that move between our joints (..., 20, 3), in metres in one camera's frame.

    ``intended`` uses the head's true distance instead of the released script's. Raises ``ValueError`` for other
    shapes and for coordinates of a million metres or more, or not finite.
    """
    joints = [np.asarray(pose, dtype=np.float64) for pose in (current, target)]
    for array in joints:
        if array.shape != joints[0].shape or array.shape[-2:] != (len(JOINTS), 3):
            raise ValueError(f"joints must be twice (..., {len(JOINTS)}, 3) numbers, not {array.shape}")
        _refuse_far(array)
    distances = _distances(*joints)
    if not intended:
        distances[..., INDEX["head"]] *= _HEAD
    return _far_groups(distances)


def read_moved_groups(current: Path, target: Path, *, intended: bool = False) -> NDArray[np.bool_]:
    """Return the groups (22,) that move between two joint files of the release, from the points that its script uses.

    ``intended`` uses the mean of the head's two points. Raises ``BadInputError``: ``joints_unreadable`` for a damaged
    file, ``file_unreadable`` for a missing one.
    """
    return _far_groups(_distances(_read_points(current, intended=intended), _read_points(target, intended=intended)))


def find_moved(folder: Path, uids: Sequence[str]) -> MovedGroups:
    """Return the movement in the pairs ``uids``, from the release's joint files or the dataset in ``folder``.

    A pair is not known if the folder lacks it, if it has no joints or if its uid is invalid. Raises
    ``BadInputError``: ``folder_missing``, ``joints_missing`` for a folder with neither files nor a dataset,
    ``joints_unreadable`` for a damaged file.
    """
    if not folder.is_dir():
        raise BadInputError("folder_missing", path=str(folder))
    parsed_uids = [_uid(text) for text in uids]
    groups_by_uid = _from_files(folder, parsed_uids) or _from_dataset(folder, parsed_uids)
    nothing = np.zeros((2, len(GROUPS)), dtype=np.bool_)
    groups = np.array([groups_by_uid.get(uid, nothing) for uid in parsed_uids], dtype=np.bool_).reshape(
        -1, *nothing.shape
    )
    known = np.array([uid in groups_by_uid for uid in parsed_uids], dtype=np.bool_)
    return MovedGroups(known, groups[:, 0], groups[:, 1])


_Found = dict[Uid | None, NDArray[np.bool_]]  # (2, 22): as released and as intended


def _from_files(folder: Path, uids: Sequence[Uid | None]) -> _Found:
    groups_by_uid: _Found = {}
    for uid in uids:
        current, target = (folder / f"{moment}_{uid}.txt" for moment in MOMENTS)
        if uid is not None and current.is_file() and target.is_file():
            groups_by_uid[uid] = np.stack(
                [read_moved_groups(current, target, intended=intended) for intended in (False, True)]
            )
    return groups_by_uid


def _from_dataset(folder: Path, uids: Sequence[Uid | None]) -> _Found:
    uids_by_text = {str(uid): uid for uid in uids if uid is not None}
    groups_by_uid: _Found = {}
    try:
        for uid, joints in joints_of_pairs(folder, uids_by_text):
            groups_by_uid[uids_by_text[uid]] = _of_joints(uid, joints)
    except KeyError as error:
        raise BadInputError("joints_unreadable", path=str(folder), reason=f"it has no column {error}") from None
    except (TypeError, ValueError) as error:
        raise BadInputError("joints_unreadable", path=str(folder), reason=one_line(error)) from None
    if not contents(folder) and not any(folder.glob(f"{MOMENTS[0]}_*.txt")):
        raise BadInputError("joints_missing", path=str(folder))
    return groups_by_uid


def _of_joints(uid: str, joints: Sequence[Any]) -> NDArray[np.bool_]:
    try:
        groups = np.stack([moved_groups(*joints, intended=intended) for intended in (False, True)])
        return groups.reshape(2, len(GROUPS))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{uid}: {error}") from None


def _read_points(path: Path, *, intended: bool) -> Array:
    """Return the points (20, 3) of a joint file in our joint order, in the file's own axes."""
    data = read_bounded(path, _MAX_BYTES)
    if len(data) > _MAX_BYTES:
        raise BadInputError("joints_unreadable", path=str(path), reason="it is longer than 1 MB")
    try:
        points = read_points(data.decode("utf-8-sig"))
        _refuse_far(np.array(list(points.values())))
    except ValueError as error:
        raise BadInputError("joints_unreadable", path=str(path), reason=one_line(error)) from None
    first, second = (points[line] for line in LINES["head"])
    head = (first + second) / 2 if intended else second + first / 2
    return np.array([head if joint == "head" else points[LINES[joint][0]] for joint in JOINTS])


def _refuse_far(points: Array) -> None:
    if not (np.abs(points) < _FARTHEST).all():
        raise ValueError(f"joints must be numbers of metres below {_FARTHEST:.0f}")


def _uid(text: str) -> Uid | None:
    try:
        return parse_uid(text)
    except BadInputError:
        return None


def _distances(current: Array, target: Array) -> Array:
    return np.asarray(np.linalg.norm(target - current, axis=-1))


def _far_groups(distances: Array) -> NDArray[np.bool_]:
    return np.stack([distances[..., members].mean(axis=-1) > _MIN_DISTANCE for members in _MEMBERS], axis=-1)
