"""Photographs as model input; a defective file raises BadInputError."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from PIL import Image, ImageOps

from fmp_models.common.decoding_budget import DecodingBudget
from fmp_models.common.hostile_photograph import MAX_BYTES, file_of, read_pixels
from fmp_models.common.plain_files import read_plain
from fmp_models.common.refusals import PhotographError
from fmp_models.errors import BadInputError, UnreadableImageError

Picture = str | os.PathLike[str] | bytes | Image.Image  # a path, the bytes of a file, or an opened picture

# Transposes that undo a clockwise turn by these degrees; Pillow turns counterclockwise.
_BACK = {
    0: None,
    90: Image.Transpose.ROTATE_90,
    180: Image.Transpose.ROTATE_180,
    270: Image.Transpose.ROTATE_270,
}
TURNS = tuple(_BACK)


@dataclass(frozen=True)
class Photograph:
    """An upright RGB ``image`` without metadata, longest side at most ``MAX_SIDE`` pixels."""

    image: Image.Image

    @cached_property
    def key(self) -> str:
        """A hash of the pixels, equal for the same pixels in different files."""
        return hashlib.sha256(f"{self.image.size}".encode() + self.image.tobytes()).hexdigest()


@dataclass(frozen=True)
class Orientation:
    """The orientation that the uploader declares: ``turned_by`` degrees clockwise, and ``mirrored`` like a selfie."""

    turned_by: int = 0
    mirrored: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError unless ``turned_by`` is 0, 90, 180 or 270."""
        if self.turned_by not in TURNS:
            raise ValueError(f"turned_by must be one of {list(TURNS)} degrees, not {self.turned_by}")


AS_TAKEN = Orientation()


def upright(photograph: Photograph, orientation: Orientation) -> Photograph:
    """Return the photograph turned back and mirrored back, so that its left and right are those of the room."""
    if orientation == AS_TAKEN:
        return photograph
    back = _BACK[orientation.turned_by]
    image = photograph.image if back is None else photograph.image.transpose(back)
    return Photograph(ImageOps.mirror(image) if orientation.mirrored else image)


def read_photograph(data: bytes, budget: DecodingBudget | None = None) -> Photograph:
    """Check and decode one uploaded file; the photographs of one request share a ``budget``.

    Raise :class:`BadInputError` with the codes of :func:`fmp_models.common.hostile_photograph.read_pixels`.
    """
    try:
        return Photograph(read_pixels(data, budget or DecodingBudget()))
    except PhotographError as error:
        raise BadInputError(error.code, **error.details) from None


def picture_bytes(picture: Picture) -> bytes:
    """Return the file of a picture, at most one byte longer than a file may be; raise :class:`UnreadableImageError`."""
    try:
        if isinstance(picture, Image.Image):
            return file_of(picture)
        if isinstance(picture, str | os.PathLike):
            return read_plain(Path(os.fsdecode(picture)), MAX_BYTES)
        if isinstance(picture, bytes | bytearray | memoryview):
            return bytes(picture)
    except PhotographError as error:
        raise BadInputError(error.code, **error.details) from None
    except (OSError, ValueError):
        raise UnreadableImageError("file_unreadable", path=str(picture)) from None
    raise BadInputError("photo_wrong_type", found=type(picture).__name__)
