"""A campaign: a folder with ``campaign.json`` and ``pictures/``, validated strictly, with one sentence per error.

Campaign data is not trusted. The file has a maximum size and no unknown fields, every text and list a
maximum length, and a picture is a JPEG directly in ``pictures/``.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self

from PIL import Image
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, StringConstraints, ValidationError, model_validator

from annotate.errors import RefusedError
from annotate.files.disks import at_home
from annotate.records.api import Kind
from fmp_models.common.plain_files import read_plain
from fmp_models.common.refusals import one_line

FILE = "campaign.json"
PICTURES = "pictures"
SOURCE_LANGUAGE = "en"  # the language of texts to translate
MAX_FILE_BYTES = 64_000_000  # bytes; the paper's whole dataset with five texts per pair has 30 MB
MAX_PICTURE_BYTES = 2_000_000
MAX_SIDE_PX = 4096  # pixels
MAX_TEXT_CHARS = 4000  # characters; less than an answer may have, since a translation may have twice the words

READY = Path(__file__).with_name("ready_campaigns")  # bundled campaigns

_PICTURE = re.compile(r"[A-Za-z0-9_-]{1,80}\.jpg")
Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$")]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]
Words = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT_CHARS, strip_whitespace=True)]
PictureName = Annotated[str, StringConstraints(pattern=rf"^{_PICTURE.pattern}$")]
Guidelines = Annotated[
    dict[
        Kind,
        Annotated[
            tuple[Annotated[dict[Language, Words], Field(min_length=1, max_length=20)], ...], Field(max_length=20)
        ],
    ],
    Field(max_length=6),
]
Voices = Annotated[int, Field(ge=1, le=100)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class CampaignText(_Strict):
    """A text about a pair, and the ``kinds`` of task that use it; ``source`` is a model's name or another source.

    ``id`` is unique within item and language. The id of a text to vote on is its model's name, so votes can be
    counted without the campaign.
    """

    id: Id
    language: Language
    source: Id
    text: Words
    kinds: Annotated[tuple[Literal["verify", "translate", "vote", "find", "real_pair"], ...], Field(max_length=5)]


class Gold(_Strict):
    """The right answer of a gold item: for a vote the ``relevant`` ids, for a rating its ``least`` and ``most``."""

    kind: Literal["verify", "vote", "find"]
    relevant: Annotated[tuple[Id, ...], Field(max_length=50)] = ()
    least: Annotated[int, Field(ge=1, le=4)] = 1
    most: Annotated[int, Field(ge=1, le=4)] = 4


class Item(_Strict):
    """A pair of pictures with its texts; ``candidates`` and ``answer`` (from 0) are set if its target is to be found.

    ``to_describe`` tells whether annotators write about it. A ``gold`` item is asked only in its kind, and its
    answers do not count towards the answers wanted.
    """

    uid: Id
    current: PictureName
    target: PictureName
    texts: Annotated[tuple[CampaignText, ...], Field(max_length=100)] = ()
    candidates: Annotated[tuple[PictureName, ...], Field(max_length=20)] = ()
    answer: Annotated[int, Field(ge=0)] | None = None
    to_describe: bool = True
    gold: Gold | None = None

    def texts_for(self, kind: Kind, language: str) -> tuple[CampaignText, ...]:
        """Return the texts that a kind uses in one language, in order."""
        return tuple(text for text in self.texts if text.language == language and kind in text.kinds)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        _once(f"{text.language}/{text.id}" for text in self.texts)
        if bool(self.candidates) != (self.answer is not None) or (self.answer or 0) >= max(len(self.candidates), 1):
            raise ValueError("its answer is not one of its candidates")
        if self.candidates and (len(self.candidates) == 1 or self.candidates[self.answer or 0] != self.target):
            raise ValueError("its answer is not its target, or there is only one candidate")
        if self.gold is not None:
            self._has_a_right_answer(self.gold)
        return self

    def _has_a_right_answer(self, gold: Gold) -> None:
        ids = {text.id for text in self.texts}
        fits = {
            "vote": bool(gold.relevant) and set(gold.relevant) < ids,
            "verify": gold.least <= gold.most and (gold.least, gold.most) != (1, 4),
            "find": bool(self.candidates),
        }
        if not fits[gold.kind]:
            raise ValueError("its gold has no right answer")


class TestItem(_Strict):
    """A question of the qualification test; ``right`` is an index of ``choices`` from 0, ``why`` explains it."""

    __test__ = False  # or pytest would collect the class

    id: Id
    language: Language
    text: Words
    choices: Annotated[tuple[Words, ...], Field(min_length=2, max_length=8)]
    right: Annotated[int, Field(ge=0)]
    why: Words
    current: PictureName | None = None
    target: PictureName | None = None

    @model_validator(mode="after")
    def _has_a_right_answer(self) -> Self:
        if self.right >= len(self.choices):
            raise ValueError("its right answer is not one of its choices")
        return self


class QualificationRules(_Strict):
    """The test before the first task of ``kinds``: at least ``pass_mark`` answers in a language must be right."""

    kinds: Annotated[tuple[Kind, ...], Field(min_length=1, max_length=6)]
    pass_mark: Annotated[int, Field(ge=1)]
    tries: Annotated[int, Field(ge=1, le=20)] = 3
    questions: Annotated[tuple[TestItem, ...], Field(min_length=1, max_length=100)]


class Campaign(_Strict):
    """Everything that is asked; ``name`` identifies the campaign and is stored in every answer.

    ``voices`` is the number of annotators wanted per question of a kind. ``guidelines`` replace the
    instructions of a kind's task form, which are the paper's, each sentence by page language; every form
    states whose left is meant in any case. If it ``reveals_models``, annotators may see after their last vote
    which model wrote which text, and then vote no more.
    """

    version: Literal[1]
    name: Id
    title: Annotated[dict[Language, Words], Field(min_length=1, max_length=20)]
    kinds: Annotated[tuple[Kind, ...], Field(min_length=1, max_length=6)]
    languages: Annotated[tuple[Language, ...], Field(min_length=1, max_length=20)]
    voices: dict[Kind, Voices]
    items: Annotated[tuple[Item, ...], Field(min_length=1, max_length=50_000)]
    qualification: QualificationRules | None = None
    guidelines: Guidelines = Field(default_factory=dict)
    reveals_models: bool = False
    seed: Annotated[int, Field(ge=0)] = 0

    _folder: Path = PrivateAttr(default=Path())

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Return the campaign of a folder, after checking that its pictures exist.

        Raise :class:`RefusedError`: ``campaign_missing``, ``campaign_too_large``, ``campaign_malformed``,
        ``campaign_picture``.
        """
        path = folder / FILE
        try:
            data = read_plain(path, MAX_FILE_BYTES)
        except (OSError, ValueError):
            raise RefusedError("campaign_missing", path=str(path)) from None
        if len(data) > MAX_FILE_BYTES:
            raise RefusedError("campaign_too_large", path=str(path), limit_mb=MAX_FILE_BYTES // 1_000_000)
        try:
            campaign = cls.model_validate_json(data)
        except ValidationError as error:
            raise RefusedError("campaign_malformed", path=str(path), reason=first_reason(error)) from None
        campaign._folder = folder  # noqa: SLF001  its own
        for name in campaign.picture_names():
            _check_picture(folder, name)
        return campaign

    def voices_for(self, kind: Kind) -> int:
        """Return the number of different annotators wanted for each question of a kind."""
        return self.voices.get(kind, 1)

    def models_compared(self) -> frozenset[str]:
        """Return the names of the models whose texts are voted on."""
        items = (item for item in self.items if item.gold is None and "vote" in self.kinds)
        return frozenset(text.source for item in items for text in item.texts if "vote" in text.kinds)

    def picture_names(self) -> set[str]:
        """Return the names of all pictures."""
        tests = self.qualification.questions if self.qualification else ()
        pictures = [name for item in self.items for name in (item.current, item.target, *item.candidates)]
        return {*pictures, *(name for test in tests for name in (test.current, test.target) if name)}

    def picture(self, name: str) -> bytes:
        """Return the JPEG file of a picture."""
        return _read_picture(self._folder, name)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        _once(item.uid for item in self.items)
        _once(self.kinds)
        _once(self.languages)
        test = self.qualification
        if test is not None:
            _once(f"{question.language}/{question.id}" for question in test.questions)
            counts = Counter(question.language for question in test.questions)
            if any(counts[language] < test.pass_mark for language in self.languages):
                raise ValueError("its test has fewer questions in a language than must be right")
        return self


def ready_campaigns(folder: Path = READY) -> list[str]:
    """Return the names of the bundled campaigns."""
    return sorted(path.parent.name for path in folder.glob(f"*/{FILE}"))


def find_campaign(name: str) -> Path:
    """Return the folder of a campaign, given the name of a bundled one or a path."""
    return READY / name if name in ready_campaigns() else at_home(Path(name))


def picture_name(data: bytes) -> str:
    """Return a file name made from a picture's content, so that the name reveals nothing."""
    return f"{hashlib.sha256(data).hexdigest()[:20]}.jpg"


def _once(names: Iterable[str]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"“{name}” occurs twice")


def first_reason(error: ValidationError) -> str:
    """Return the first error, its location and reason, without the invalid value."""
    first_error = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(step) for step in first_error["loc"])
    message = first_error["msg"].removeprefix("Value error, ")
    return one_line(f"{place}: {message[:1].lower()}{message[1:]}" if place else message)


def _check_picture(folder: Path, name: str) -> None:
    """Raise :class:`RefusedError` unless a picture is a JPEG of allowed size in its folder; it is not decoded."""
    path = folder / PICTURES / name
    try:
        if path.resolve().parent != (folder / PICTURES).resolve() or path.stat().st_size > MAX_PICTURE_BYTES:
            raise RefusedError("campaign_picture", path=str(path))
        with warnings.catch_warnings(action="ignore"), Image.open(path, formats=["JPEG"]) as picture:
            if max(picture.size) > MAX_SIDE_PX:
                raise RefusedError("campaign_picture", path=str(path))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise RefusedError("campaign_picture", path=str(path)) from None


@lru_cache(maxsize=1024)
def _read_picture(folder: Path, name: str) -> bytes:
    if not _PICTURE.fullmatch(name):
        raise RefusedError("campaign_picture", path=name)
    try:
        return (folder / PICTURES / name).read_bytes()
    except OSError:
        raise RefusedError("campaign_picture", path=str(folder / PICTURES / name)) from None
