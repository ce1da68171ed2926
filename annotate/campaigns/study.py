"""A study: what a lab adds to a campaign: consent, contact, questions about people, debriefing, limits and codes."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Self
from urllib.parse import quote

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from annotate.kinds import Asked, Id, OwnQuestion, Sentence, Strict

PLACEHOLDERS = ("code", "participant", "study", "session")  # of the address that a participant goes to at the end
DECLINED = "prefer_not_to_say"

_ADDRESS = re.compile(
    r"https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:[0-9]{1,5})?"
    rf"/([A-Za-z0-9._~:/?#@!$&'()*+,;=%-]|\{{({'|'.join(PLACEHOLDERS)})\}}){{0,1000}}"
)


def _checked_address(address: str) -> str:
    if not _ADDRESS.fullmatch(address):
        names = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise ValueError(f"it should be an https address, with no placeholders but {names}, after the host")
    return address


Sentences = Annotated[tuple[Sentence, ...], Field(max_length=50)]


class StudyConsent(Strict):
    """The lab's terms, after or instead of the built-in ones; people agree again after a change."""

    version: Id
    terms: Annotated[Sentences, Field(min_length=1)]
    replaces: bool = False

    @property
    def wording(self) -> str:
        """The version with a hash of the terms."""
        return f"{self.version} {hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]}"


class PersonQuestion(OwnQuestion):
    """A question about the person, who may decline to answer, unless it ``excludes`` people with some answers."""

    optional: bool = True
    excludes: tuple[Id, ...] = ()

    @model_validator(mode="after")
    def _is_about_the_person(self) -> Self:
        if "about" in self.model_fields_set or (self.optional and self.excludes):
            raise ValueError(f"question “{self.id}” is not about items, and needs optional = false if it excludes")
        if DECLINED in self.choosable:
            raise ValueError(f"question “{self.id}” has a choice {DECLINED}, which the page adds itself")
        if self.excludes and not set(self.excludes) < set(self.choosable):
            raise ValueError(f"question “{self.id}” should exclude some of its choices, not all")
        return self


class Ending(Strict):
    """What participants of a payment service get at an end: a ``code``, an address to go to, or both."""

    message: Sentence | None = None
    code: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")] = ""
    redirect: Annotated[str, AfterValidator(_checked_address)] = ""

    def link(self, **places: str) -> str:
        """Return the address with its placeholders filled, or an empty text without an address."""
        return self.redirect.format(**{name: quote(place, safe="") for name, place in places.items()})


class Study(Strict):
    """The study of a campaign: people end after ``answers`` each, and not more than ``people`` are admitted."""

    answers: Annotated[int, Field(ge=1, le=100_000)] | None = None
    people: Annotated[int, Field(ge=1, le=100_000)] | None = None
    contact: Sentence | None = None
    consent: StudyConsent | None = None
    demographics: Asked[PersonQuestion] = ()
    debriefing: Sentences = ()
    completion: Ending = Ending()
    screened_out: Ending | None = None
    full: Ending = Ending()
