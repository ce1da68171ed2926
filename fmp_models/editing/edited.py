"""Edited texts: what was given, what it became, every operation between, and the interface of their editors."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from fmp_models.common import text_after
from fmp_models.describe import CheckedClause
from fmp_models.editing.operations import EditOperation, count_rounds, editing_steps, replay_edits
from fmp_models.inference import MeasuredPhotographs, ModelName


@dataclass(frozen=True)
class EditedText:
    """A ``given`` text and its edited ``text``; ``operations`` replay to both to the letter.

    ``clauses`` are those of the edited text and ``removed`` the clauses of the given one that contradict the joints,
    with their words in the given text.
    """

    given: str
    text: str
    language: str
    operations: tuple[EditOperation, ...]
    clauses: tuple[CheckedClause, ...]
    removed: tuple[CheckedClause, ...]
    model: ModelName
    milliseconds: dict[str, float] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        """The number of rounds; 0 if the given text was right."""
        return count_rounds(self.operations)

    @property
    def editing_steps(self) -> int:
        """The number of words deleted and added."""
        return editing_steps(self.operations)

    def after(self, rounds: int) -> str:
        """Return the text after that many rounds; 0 gives the given text."""
        return text_after(replay_edits(self.operations, rounds))

    def as_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries for ``json.dumps``."""
        return {
            "text": self.text,
            "given": self.given,
            "language": self.language,
            "operations": [asdict(operation) for operation in self.operations],
            "rounds": self.rounds,
            "editing_steps": self.editing_steps,
            "clauses": [clause.as_json() for clause in self.clauses],
            "removed": [clause.as_json() for clause in self.removed],
            "model": asdict(self.model),
            "milliseconds": self.milliseconds,
        }


class TextEditor(Protocol):
    """An editor of texts about two poses; one instance serves concurrent requests."""

    @property
    def name(self) -> ModelName:
        """The name of the editor."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """The language codes of the editor."""
        ...

    def edit(self, text: str, language: str, measurements: MeasuredPhotographs) -> EditedText:
        """Return the text with the edits that make it right for measured photographs.

        Raise :class:`BadInputError` for an empty or too long text, and for photographs without joints.
        """
        ...
