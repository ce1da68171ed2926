"""Files that an owner gives to ``campaign new``: pictures, guidelines, own questions and own items."""

from __future__ import annotations

import io
import json
import tomllib
import warnings
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

from PIL import Image
from pydantic import Field, TypeAdapter, ValidationError

from annotate.campaigns.campaign import Guidelines, first_reason
from annotate.campaigns.study import Study
from annotate.errors import RefusedError
from annotate.kinds import SOURCE_LANGUAGE, Id, Language, OwnQuestions, Strict, Words
from fmp_models.common import one_line, read_plain

MAX_SIDE_PX = 4096  # pixels
STORED_SIDE_PX = 1600  # pixels; sharp on a full screen, and small enough to send the eleven pictures of a task
MAX_TOML_BYTES = 1_000_000  # bytes
MAX_LINES_BYTES = 64_000_000
MAX_OWN_PICTURE_BYTES = 30_000_000
MAX_OWN_ITEMS = 10_000

_QUALITY = 90
_END = b"\xff\xd9"  # end marker of a JPEG


def plain_jpeg(data: bytes) -> bytes:
    """Return the picture as a JPEG without metadata, with at most :data:`STORED_SIDE_PX` pixels per side.

    A file that is already such a JPEG is returned unchanged. Raise what Pillow raises, or ``ValueError`` for a
    side above ``MAX_SIDE_PX`` pixels.
    """
    with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as opened:
        if max(opened.size) > MAX_SIDE_PX:
            raise ValueError("too many pixels")
        plain = opened.convert("RGB")
        if max(opened.size) <= STORED_SIDE_PX and _is_plain(opened, data):
            return data
    plain.info.clear()
    plain.thumbnail((STORED_SIDE_PX, STORED_SIDE_PX), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    plain.save(buffer, "JPEG", quality=_QUALITY, subsampling="4:4:4", optimize=True)
    return buffer.getvalue()


def _is_plain(picture: Image.Image, data: bytes) -> bool:
    """Return whether a file is an RGB JPEG without metadata, which can be used byte for byte."""
    markers = {name for name, _ in getattr(picture, "applist", [("none", b"")])}
    ends_once = data.endswith(_END) and data.count(_END) == 1
    return (picture.format, picture.mode) == ("JPEG", "RGB") and markers <= {"APP0"} and ends_once


class _QuestionFile(Strict):
    question: Annotated[OwnQuestions, Field(min_length=1)]


_FILES: Mapping[str, TypeAdapter[Any]] = {
    "guidelines": TypeAdapter(Guidelines),
    "questions": TypeAdapter(_QuestionFile),
    "study": TypeAdapter(Study),
}


def read_toml(path: Path | None, what: Literal["guidelines", "questions", "study"]) -> dict[str, Any]:
    """Return the contents of an owner's TOML file as a campaign file holds them; nothing for no file.

    Raise :class:`RefusedError` ``guidelines_unusable``, ``questions_unusable`` or ``study_unusable``.
    """
    if path is None:
        return {}

    def refuse(reason: str) -> NoReturn:
        raise RefusedError(f"{what}_unusable", path=str(path), reason=reason) from None

    try:
        data = read_plain(path, MAX_TOML_BYTES)
        if len(data) > MAX_TOML_BYTES:
            refuse(f"the file is larger than {MAX_TOML_BYTES // 1_000_000} MB")
        contents = tomllib.loads(data.decode("utf-8-sig"))
        text = json.dumps(contents, default=str)
    except OSError:
        refuse("it cannot be read")
    except (ValueError, RecursionError):  # RecursionError for lists nested too deeply
        refuse("it is not valid TOML")
    try:
        _FILES[what].validate_json(text)
    except ValidationError as error:
        refuse(first_reason(error))
    return contents


class OwnItem(Strict):
    """A line of an owner's items: pictures by path from the file's folder, two are a pair, and texts by source.

    A text is in ``language``, or has several versions by language.
    """

    id: Id
    pictures: Annotated[tuple[str, ...], Field(min_length=1, max_length=10)]
    language: Language = SOURCE_LANGUAGE
    texts: Annotated[dict[Id, Words | dict[Language, Words]], Field(max_length=20)] = Field(default_factory=dict)

    @property
    def is_pair(self) -> bool:
        """Whether it has two pictures, current and target."""
        return len(self.pictures) == 2  # noqa: PLR2004

    def words(self) -> Iterator[tuple[str, str, str]]:
        """Yield the source, the language and the words of each text."""
        for source, text in self.texts.items():
            for language, words in text.items() if isinstance(text, Mapping) else [(self.language, text)]:
                yield source, language, words


def read_items(path: Path, keep: Callable[[bytes], str]) -> dict[str, tuple[OwnItem, list[str]]]:
    """Return an owner's items by id with the names of their pictures, from a file with one JSON object in each line.

    ``keep`` stores a picture and returns its name. Raise :class:`RefusedError` ``items_unusable``, with the number of
    the line.
    """
    items: dict[str, tuple[OwnItem, list[str]]] = {}
    place = ""
    try:
        data = read_plain(path, MAX_LINES_BYTES)
        rows = data.removeprefix(BOM_UTF8).split(b"\n")
        lines = [(number, line) for number, line in enumerate(rows, 1) if line.strip()]
        _demand(lines, "it has no lines")
        _demand(len(data) <= MAX_LINES_BYTES and len(lines) <= MAX_OWN_ITEMS, f"it has more than {MAX_OWN_ITEMS} lines")
        for number, line in lines:
            place = f"line {number}: "
            item = OwnItem.model_validate_json(line)
            _demand(item.id not in items, f"“{item.id}” occurs twice")
            items[item.id] = item, [keep(_own_picture(path.parent, name)) for name in item.pictures]
    except OSError:
        raise RefusedError("items_unusable", path=str(path), reason=f"{place}it cannot be read") from None
    except ValueError as error:
        reason = first_reason(error) if isinstance(error, ValidationError) else one_line(error)
        raise RefusedError("items_unusable", path=str(path), reason=f"{place}{reason}") from None
    return items


def _demand(fact: object, reason: str) -> None:
    if not fact:
        raise ValueError(reason)


def _own_picture(folder: Path, name: str) -> bytes:
    """Return a picture below a folder as a JPEG without metadata; raise ``ValueError`` if it cannot be read."""
    with suppress(OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        picture = (folder / name).resolve()
        data = read_plain(picture, MAX_OWN_PICTURE_BYTES) if picture.is_relative_to(folder.resolve()) else b""
        return plain_jpeg(data[:MAX_OWN_PICTURE_BYTES])
    raise ValueError(f"“{name[:80]}” is not a picture below the folder of the file, or a very large one")
