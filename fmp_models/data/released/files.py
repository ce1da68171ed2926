"""The pictures and joint files of the release, found by name below a folder and read one at a time.

Each file is checked and noted once, even if several rows show it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fmp_models.common.hostile_photograph import MAX_BYTES
from fmp_models.data.features import Joints, Shot
from fmp_models.data.released.joints import read_joints, toes_ahead
from fmp_models.data.uids import PictureName, parse_picture
from fmp_models.errors import BadInputError
from fmp_models.files.bounded import read_bounded, read_within
from fmp_models.preprocessing import read_photograph

Note = Callable[[str, str], None]  # kind of finding, where it was found

PICTURE_ENDINGS = (".jpeg", ".jpg", ".png")
JOINT_ENDINGS = (".txt",)
_MAX_JOINT_BYTES = 1_000_000  # a released file has 65 short lines


class ReleasedFiles:
    """Reader of the released pictures and joints; a folder that is ``None`` gives ``None`` for every picture."""

    def __init__(self, images: Path | None, joints: Path | None, note: Note) -> None:
        """Raise :class:`BadInputError` for a folder that is missing or holds no file of the release."""
        self._images = _by_picture(images, PICTURE_ENDINGS)
        self._joints = _by_picture(joints, JOINT_ENDINGS)
        self._note = note
        self._sound: dict[PictureName, bool] = {}
        self._poses: dict[PictureName, Joints | None] = {}

    def shot(self, picture: PictureName) -> Shot:
        """Return the bytes as released and the joints in our camera frame, ``None`` if missing or damaged."""
        path = (self._images or {}).get(picture)
        return Shot(
            picture, self._picture(picture, path), self._pose(picture), path.suffix[1:].lower() if path else "png"
        )

    def _picture(self, picture: PictureName, path: Path | None) -> bytes | None:
        if self._images is None or not self._sound.get(picture, True):
            return None
        data = None if path is None else read_bounded(path, MAX_BYTES)
        if picture not in self._sound:
            self._sound[picture] = self._is_sound(picture, data)
        return data if self._sound[picture] else None

    def _is_sound(self, picture: PictureName, data: bytes | None) -> bool:
        if data is None:
            self._note("missing_picture", str(picture))
            return False
        try:
            read_photograph(data)
        except BadInputError as error:
            self._note("damaged_picture", f"{picture} ({error})")
            return False
        return True

    def _pose(self, picture: PictureName) -> Joints | None:
        if self._joints is None:
            return None
        if picture not in self._poses:
            self._poses[picture] = self._read_pose(picture, self._joints.get(picture))
        return self._poses[picture]

    def _read_pose(self, picture: PictureName, path: Path | None) -> Joints | None:
        if path is None:
            self._note("missing_joints", str(picture))
            return None
        try:
            joints = read_joints(read_within(path, _MAX_JOINT_BYTES).decode("utf-8"))
        except (ValueError, BadInputError) as error:
            self._note("damaged_joints", f"{picture} ({error})")
            return None
        if not toes_ahead(joints):
            self._note("toes_behind", str(picture))
        return joints


def _by_picture(folder: Path | None, endings: tuple[str, ...]) -> dict[PictureName, Path] | None:
    if folder is None:
        return None
    if not folder.is_dir():
        raise BadInputError("folder_missing", path=str(folder))
    paths = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in endings and path.is_file():
            try:
                paths[parse_picture(path.name)] = path
            except BadInputError:  # not a file of the release
                continue
    if not paths:
        example = f"current_13_19_4_13_1{endings[-1]}"
        raise BadInputError("folder_without", path=str(folder), example=example)
    return paths
