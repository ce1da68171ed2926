"""Services that the page provides to the annotation tab: templates, texts, pictures and the rules for texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from annotate.kinds.text_checks import WritingRules
from annotate.photos.person_crop import SeenPerson


class PageWords(Protocol):
    """A text in every language of the page."""

    @property
    def by_language(self) -> dict[str, str]:
        """The text by language: ``{"en": ..., "hi": ...}``."""


class Render(Protocol):
    """A renderer of templates by name; all values except markup are escaped."""

    def __call__(self, template: str, **values: object) -> str:
        """Return the markup."""


class Say(Protocol):
    """A lookup of page texts by key, with their placeholders filled."""

    def __call__(self, key: str, **places: str | float) -> PageWords:
        """Return the text in every language."""


class LentText(Protocol):
    """A converter of other texts, such as a campaign's title; a missing language gets the text of another one."""

    def __call__(self, by_language: Mapping[str, str]) -> PageWords:
        """Return the text in every language."""


class Script(Protocol):
    """A reader of the page's script files."""

    def __call__(self, *names: str) -> str:
        """Return the source of the files, concatenated."""


class PictureUri(Protocol):
    """A converter of JPEG files to data URIs, which are sent within the markup."""

    def __call__(self, file: bytes) -> str:
        """Return the data URI."""


class DifferencePicture(Protocol):
    """The paper's Figure 9: the current picture with the target's person over it in red."""

    def __call__(self, current: bytes, target: bytes) -> bytes | None:
        """Return a JPEG file; None if the pictures differ in size and cannot be overlaid."""


class FindPerson(Protocol):
    """A detector of the largest person in a campaign's picture; it is called repeatedly for the same picture."""

    def __call__(self, picture: bytes, /) -> SeenPerson | None:
        """Return the person; None if there is none."""


def find_nobody(_: bytes) -> SeenPerson | None:
    """Return None: without a detector, pictures are shown whole."""
    return None


@dataclass(frozen=True)
class PageServices:
    """The services of the page; ``refusal`` returns the text of a code of ``annotate.errors``.

    ``scripts`` is the Unicode script of each language, which distinguishes a translation from its original.
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
