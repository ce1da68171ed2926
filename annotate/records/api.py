"""Types between page and server: tasks, receipts, progress; nothing in them tells who wrote which text.

A :class:`Task` is all that may reach a browser. Texts and candidates stand in an order that only the server can undo,
gold items look like all others, and ``token`` is a random word that names the claim and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["write", "verify", "translate", "vote", "find", "real_pair"]
Mode = Literal["everything", "language", "picture"]

KINDS: tuple[Kind, ...] = ("write", "verify", "translate", "vote", "find", "real_pair")
MODES: tuple[Mode, ...] = ("everything", "language", "picture")
FLAGS = ("no_clear_difference", "through_object")  # what a writer or a verifier may tick about a pair
# What is flagged of itself: that the question was dropped or changed after it was shown, that a target to find was
# shown in another task after its candidates were, and that a voter had been told which model is which.
NO_LONGER_ASKED, TARGET_SEEN, MODELS_SEEN = "no_longer_asked", "target_seen", "models_seen"
SKIP_REASONS = ("unclear", "picture_missing", "language", "other")


@dataclass(frozen=True)
class Task:
    """A task for one annotator; pictures are whole JPEG files.

    ``write``: both pictures. ``verify``: both and one text. ``translate``: both and the English text; ``language`` is
    the one to write in. ``vote``: both and two or more texts. ``find``: ``candidates``, with them by ``mode`` the
    ``current`` picture, the text or both, and never ``target``. ``real_pair``: both and the text to rewrite.
    ``answer`` is the one that an undo took back, in the words of :meth:`annotate.tasks.service.Collection.give`.
    """

    token: str
    kind: Kind
    language: str
    current: bytes | None = field(repr=False)
    target: bytes | None = field(repr=False)
    texts: tuple[str, ...] = ()
    candidates: tuple[bytes, ...] = field(default=(), repr=False)
    mode: Mode | None = None
    answer: Mapping[str, object] | None = None


@dataclass(frozen=True)
class Progress:
    """The progress of one annotator in one kind and language: answers ``given`` that stand, and what is ``left``.

    Gold items count in both like all others, since a number that stood still would give them away. Of what is left,
    ``kept_back`` shows pairs whose target this person has yet to find, and would give it away. Others make what is left
    fewer at any moment, so that people are told whether there is anything, and never how much.
    """

    given: int
    left: int
    kept_back: int = 0


@dataclass(frozen=True)
class Coverage:
    """The progress of the campaign in one kind and language, in voices; nobody's answer to a gold item counts."""

    kind: Kind
    language: str
    answered: int
    wanted: int


@dataclass(frozen=True)
class Receipt:
    """The receipt of an answer kept for good: the id of its event, and where the annotator stands now.

    ``repeated`` when the same answer had been kept before, so that nothing was added.
    """

    event: str
    progress: Progress
    repeated: bool = False


@dataclass(frozen=True)
class Offer:
    """A pair that a person may choose to do, under an ``id`` that holds for this person alone."""

    id: str
    current: bytes = field(repr=False)
    target: bytes = field(repr=False)
    text: str


@dataclass(frozen=True)
class TestQuestion:
    """One question of the qualification test, without its answer."""

    id: str
    text: str
    choices: tuple[str, ...]
    current: bytes | None = field(default=None, repr=False)
    target: bytes | None = field(default=None, repr=False)

    __test__ = False  # for pytest, which takes the name for its own


@dataclass(frozen=True)
class QualificationTest:
    """The test that comes before the first task of some kinds; ``pass_mark`` of the questions must be right."""

    language: str
    questions: tuple[TestQuestion, ...]
    pass_mark: int
    tries_left: int


@dataclass(frozen=True)
class TestResult:
    """The result of the test; ``explanations`` say why, one for each question that was answered wrongly."""

    passed: bool
    right: int
    total: int
    tries_left: int
    explanations: tuple[str, ...]

    __test__ = False
