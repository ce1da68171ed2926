"""Services that the page hands the annotation tab: how words and pictures get onto it, and how texts are checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from annotate.photos.person_crop import SeenPerson


class PageWords(Protocol):
    """One text in every language of the page."""

    @property
    def by_language(self) -> dict[str, str]:
        """``{"en": ..., "hi": ...}``."""


class Render(Protocol):
    """A template by its name, filled; everything but markup is escaped."""

    def __call__(self, template: str, **values: object) -> str:
        """The markup."""


class Say(Protocol):
    """A text of the page by its key, its places filled."""

    def __call__(self, key: str, **places: str | float) -> PageWords:
        """The text in every language."""


class LentText(Protocol):
    """A text that stands in no copy of the page, such as a campaign's title, by language; one that lacks is lent."""

    def __call__(self, by_language: Mapping[str, str]) -> PageWords:
        """The text in every language."""


class Script(Protocol):
    """Files of the page's scripts, one after the other."""

    def __call__(self, *names: str) -> str:
        """The source."""


class PictureUri(Protocol):
    """A JPEG file as a data URI, which travels with the markup."""

    def __call__(self, file: bytes) -> str:
        """The address."""


class DifferencePicture(Protocol):
    """The paper's Figure 9: the current picture with the target's person over it in red."""

    def __call__(self, current: bytes, target: bytes) -> bytes | None:
        """A JPEG file; None for pictures of two sizes, which cannot lie on each other."""


class FindPerson(Protocol):
    """Where the largest person of a campaign's picture is; asked of the same picture again and again."""

    def __call__(self, picture: bytes, /) -> SeenPerson | None:
        """None where nobody is seen."""


def find_nobody(_: bytes) -> SeenPerson | None:
    """Where nothing can look at pictures, they are shown whole."""
    return None


@dataclass(frozen=True)
class WritingRules:
    """The numbers behind the paper's writing rules, so that the page can check them while one types."""

    least_words: int
    least_unique: float
    symbols: str


@dataclass(frozen=True)
class PageServices:
    """``refusal`` says a code of ``annotate.errors``.

    ``scripts`` is the Unicode script of each language, by which a translation is told from its original.
    """

    render: Render
    text: Say
    refusal: Say
    lent_text: LentText
    script: Script
    picture_uri: PictureUri
    difference: DifferencePicture
    rules: WritingRules
    scripts: Mapping[str, str]
    person: FindPerson = find_nobody
