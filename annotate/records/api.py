"""Types between page and server: tasks, receipts, progress; none of them tells who wrote a text.

A :class:`Task` is all that may reach a browser. Texts and candidates stand in an order that only the
server can reverse, gold items look like all others, and ``token`` is a random word that only names the
claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = str  # the key of a kind of task; ``annotate.kinds.registry`` lists them
Mode = Literal["everything", "language", "picture"]

MODES: tuple[Mode, ...] = ("everything", "language", "picture")
FLAGS = ("no_clear_difference", "through_object")  # what an annotator may tick about a pair when writing or verifying
# Flags set by the server: the question was dropped or changed after it was shown; a target to find was shown in
# another task after its candidates were shown; a voter had been told which model wrote which text.
NO_LONGER_ASKED, TARGET_SEEN, MODELS_SEEN = "no_longer_asked", "target_seen", "models_seen"
SKIP_REASONS = ("unclear", "picture_missing", "language", "other")


@dataclass(frozen=True)
class Task:
    """A task for one annotator; pictures are whole JPEG files.

    ``write``: both pictures. ``verify``: both pictures and one text. ``translate``: both pictures and the
    English text; ``language`` is the one to write in. ``vote``: both pictures and two or more texts. ``find``:
    ``candidates``, and by ``mode`` the ``current`` picture, the text or both, but never ``target``.
    ``real_pair``: both pictures and the text to rewrite. ``answer`` is the answer that an undo withdrew, in
    the format of the page; see ``give`` in ``annotate.tasks.service``.
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
    """The progress of one annotator in one kind and language: live answers ``given``, and questions ``left``.

    Both count gold items like all others, since a number that stood still would give them away. ``kept_back``
    is the part of ``left`` that would show a target that the annotator has yet to find. ``left`` can shrink at
    any moment as others answer, so annotators are told whether anything is left but not how much.
    """

    given: int
    left: int
    kept_back: int = 0


@dataclass(frozen=True)
class Coverage:
    """The progress of the campaign in one kind and language: answers given and wanted, without gold items."""

    kind: Kind
    language: str
    answered: int
    wanted: int


@dataclass(frozen=True)
class Receipt:
    """The receipt of a stored answer: the id of its event, and the annotator's progress.

    ``repeated`` means that the same answer was stored before and nothing was added.
    """

    event: str
    progress: Progress
    repeated: bool = False


@dataclass(frozen=True)
class Offer:
    """A pair that an annotator may choose; its ``id`` is valid for this annotator only."""

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

    __test__ = False  # or pytest would collect the class


@dataclass(frozen=True)
class QualificationTest:
    """The test before the first task of some kinds; at least ``pass_mark`` answers must be right."""

    language: str
    questions: tuple[TestQuestion, ...]
    pass_mark: int
    tries_left: int


@dataclass(frozen=True)
class TestResult:
    """The result of the test, with one of the ``explanations`` for each wrong answer."""

    passed: bool
    right: int
    total: int
    tries_left: int
    explanations: tuple[str, ...]

    __test__ = False
