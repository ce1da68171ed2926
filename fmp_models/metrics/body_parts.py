"""Body-part-match (section 7 of the paper): moving body parts that the prediction and each reference both name.

A group of joints moves if its joints are on average more than 10 cm away from their previous positions. The released
script computes this from the release's joint files; our own joints give the same result, except for the head. Joints
and poses of pairs are read from those files or from a dataset.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmp_models.common import one_line
from fmp_models.data import JOINT_LINES, MOMENTS, Uid, dataset_contents, parse_uid, read_joints, read_points, read_rows
from fmp_models.errors import BadInputError
from fmp_models.files import read_bounded
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.word_lists import (
    Phrase,
    phrases_in,
    plain_words,
    released_entries,
    with_first_references,
    word_lists,
)
from fmp_models.pose import INDEX, JOINTS, Array, PosePair, pose_pair

_MAX_BYTES = 1_000_000  # per joint file; the release's have 65 short lines
_COLUMNS = ("uid", *(f"{moment}_joints" for moment in MOMENTS))


def find_poses(folder: Path, uids: Sequence[str]) -> list[PosePair | None]:
    """Return the poses of the pairs ``uids``, both in one camera's frame; ``None`` for one that the folder lacks.

    The folder has the formats that :func:`find_moved` accepts. Raises ``BadInputError``
    (``joints_unreadable``) for a damaged file.
    """
    pairs = dict(_poses_from_files(folder, uids)) or dict(_poses_from_dataset(folder, set(uids)))
    return [pairs.get(uid) for uid in uids]


def _poses_from_files(folder: Path, uids: Sequence[str]) -> Iterator[tuple[str, PosePair]]:
    for uid in uids:
        paths = [folder / f"{moment}_{uid}.txt" for moment in MOMENTS]
        if uid == Path(uid).name and all(path.is_file() for path in paths):
            yield uid, pose_pair(*map(_read, paths))


def _read(path: Path) -> np.ndarray:
    try:
        return read_joints(read_bounded(path, _MAX_BYTES).decode("utf-8-sig"))
    except ValueError as error:
        raise BadInputError("joints_unreadable", path=str(path), reason=one_line(error)) from None


def _poses_from_dataset(folder: Path, uids: Collection[str]) -> Iterator[tuple[str, PosePair]]:
    for uid, joints in joints_of_pairs(folder, uids):
        yield uid, pose_pair(*(np.array(points, dtype=np.float64) for points in joints))


def joints_of_pairs(folder: Path, uids: Collection[str]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the stored joints of both pictures for those pairs ``uids`` that the dataset in ``folder`` has.

    Raises ``KeyError`` if the dataset has no such column.
    """
    for config, splits in dataset_contents(folder).items():
        for split in splits:
            for row in read_rows(folder, config, split, _COLUMNS):
                joints = [row[column] for column in _COLUMNS[1:]]
                if str(row["uid"]) in uids and None not in joints:
                    yield str(row["uid"]), joints


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
    groups_by_uid = _groups_from_files(folder, parsed_uids) or _groups_from_dataset(folder, parsed_uids)
    nothing = np.zeros((2, len(GROUPS)), dtype=np.bool_)
    groups = np.array([groups_by_uid.get(uid, nothing) for uid in parsed_uids], dtype=np.bool_).reshape(
        -1, *nothing.shape
    )
    known = np.array([uid in groups_by_uid for uid in parsed_uids], dtype=np.bool_)
    return MovedGroups(known, groups[:, 0], groups[:, 1])


_Found = dict[Uid | None, NDArray[np.bool_]]  # (2, 22): as released and as intended


def _groups_from_files(folder: Path, uids: Sequence[Uid | None]) -> _Found:
    groups_by_uid: _Found = {}
    for uid in uids:
        current, target = (folder / f"{moment}_{uid}.txt" for moment in MOMENTS)
        if uid is not None and current.is_file() and target.is_file():
            groups_by_uid[uid] = np.stack(
                [read_moved_groups(current, target, intended=intended) for intended in (False, True)]
            )
    return groups_by_uid


def _groups_from_dataset(folder: Path, uids: Sequence[Uid | None]) -> _Found:
    uids_by_text = {str(uid): uid for uid in uids if uid is not None}
    groups_by_uid: _Found = {}
    try:
        for uid, joints in joints_of_pairs(folder, uids_by_text):
            groups_by_uid[uids_by_text[uid]] = _of_joints(uid, joints)
    except KeyError as error:
        raise BadInputError("joints_unreadable", path=str(folder), reason=f"it has no column {error}") from None
    except (TypeError, ValueError) as error:
        raise BadInputError("joints_unreadable", path=str(folder), reason=one_line(error)) from None
    if not dataset_contents(folder) and not any(folder.glob(f"{MOMENTS[0]}_*.txt")):
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
    first, second = (points[line] for line in JOINT_LINES["head"])
    head = (first + second) / 2 if intended else second + first / 2
    return np.array([head if joint == "head" else points[JOINT_LINES[joint][0]] for joint in JOINTS])


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


def body_part_match(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    moved: NDArray[np.bool_],
    language: str,
    *,
    intended: bool = False,
) -> Measurement:
    """Count words for moved body parts in n predictions that a reference has too; the mean over each one's references.

    ``moved`` (n, 22) marks the groups of :data:`GROUPS` that move. The released script counts each word of
    their lists that occurs anywhere in both texts: "elbows" scores twice, as "elbow" and "elbows", and "knee" scores
    for the other knee. With ``intended``, a moved group counts once for each reference if both texts name it by a
    whole word of either side's list (which fixes gaps and typing errors of the lists). A word preceded by a side
    names the group of that side; a word without a side names both. Raises ``ValueError`` for a language without word
    lists, for lengths that differ and for an instance without references.
    """
    groups, parts = word_lists(language).body_part_groups, _parts(language)
    if moved.shape != (len(predictions), len(groups)):
        raise ValueError(f"moved groups must be {(len(predictions), len(groups))}, not {moved.shape}")
    scores = []
    for (prediction, texts), moves in zip(with_first_references(predictions, references), moved, strict=True):
        if intended:
            total = _intended(prediction, texts, set(compress(groups, moves)), parts)
        else:
            total = _released(prediction, texts, [word for group in compress(groups.values(), moves) for word in group])
        scores.append(total / len(texts))
    return Measurement.mean(scores)


def _released(prediction: str, references: Sequence[str], words: Sequence[str]) -> int:
    return sum(word in reference for word in released_entries(prediction, words) for reference in references)


def _intended(prediction: str, references: Sequence[str], moved: set[str], parts: _Parts) -> int:
    named_groups = moved & _named_groups(prediction, parts)
    return sum(len(named_groups & _named_groups(reference, parts)) for reference in references)


@dataclass(frozen=True)
class _Parts:
    """``sides`` (word -> "left" or "right"), and for each word of a body part, without a side, the groups it names.

    ``joiners`` are the words between two sides: "your left and right knees".
    """

    sides: dict[str, str]
    groups: dict[Phrase, set[str]]
    joiners: tuple[str, ...]


@cache
def _parts(language: str) -> _Parts:
    lists = word_lists(language)
    sides = dict.fromkeys(lists.lefts + lists.more_lefts, "left")
    sides |= dict.fromkeys(lists.rights + lists.more_rights, "right")
    groups: dict[Phrase, set[str]] = {}
    for group, words in lists.body_part_groups.items():
        part = group.removeprefix("left ").removeprefix("right ")
        of_both_sides = {part, f"left {part}", f"right {part}"} & lists.body_part_groups.keys()
        for word in words:
            phrase = tuple(plain_words(word))
            groups.setdefault(phrase[1:] if phrase[0] in sides else phrase, set()).update(of_both_sides)
    return _Parts(sides, groups, lists.joiners)


def _named_groups(text: str, parts: _Parts) -> set[str]:
    words = plain_words(text)
    groups: set[str] = set()
    for start, phrase in phrases_in(words, parts.groups):
        sides = _sides_before(words, start, parts)
        other_sides = {"left", "right"} - sides if sides else set()
        groups.update(group for group in parts.groups[phrase] if group.split()[0] not in other_sides)
    return groups


def _sides_before(words: Sequence[str], start: int, parts: _Parts) -> set[str]:
    """Return the sides named right before a body part: one for "left knee", both for "left and right knees"."""
    before = words[max(start - 3, 0) : start]
    if len(before) == 3 and before[1] in parts.joiners and before[0] in parts.sides and before[2] in parts.sides:  # noqa: PLR2004  side, joiner, side
        return {parts.sides[before[0]], parts.sides[before[2]]}
    return {parts.sides[word] for word in before[-1:] if word in parts.sides}
