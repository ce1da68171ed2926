"""Questions: an owner's own questions about an item, such as a scale from 1 to 5, all on one form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal, NamedTuple, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic.dataclasses import dataclass

from annotate.errors import RefusedError
from annotate.kinds.task_kind import (
    Answer,
    Care,
    Fields,
    FormField,
    Id,
    Item,
    Language,
    QuestionView,
    Strict,
    TaskKind,
    Texts,
    Words,
    check_once,
    one,
)
from annotate.records import MaybeName, MaybeWords, Name, Payload, Seconds, listed

# The schema of a question, as in TOML files and campaigns.

ValueKind = Literal["scale", "yes_no", "choice", "text", "number"]

_FIXED = {"scale": ("1", "2", "3", "4", "5"), "yes_no": ("yes", "no")}
_NUMBER = re.compile(r"[+-]?[0-9]{1,12}(\.[0-9]{1,6})?")

Sentence = Annotated[dict[Language, Words], Field(min_length=1, max_length=20)]  # a missing language gets another one
Bound = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]


class OwnQuestion(Strict):
    """A question: a ``scale`` from 1 to 5, ``yes_no``, a ``choice``, a ``text`` or a ``number``.

    A scale may have two ends, a number two bounds. It is asked about the pictures of an item, or also about its
    ``first_text`` or ``each_text`` in the language.
    """

    id: Id
    kind: ValueKind
    text: Sentence
    about: Literal["pictures", "first_text", "each_text"] = "pictures"
    low: Sentence | None = None
    high: Sentence | None = None
    choices: Annotated[dict[Id, Sentence], Field(max_length=100)] = Field(default_factory=dict)
    between: tuple[Bound, Bound] | None = None
    optional: bool = False

    @property
    def choosable(self) -> tuple[str, ...]:
        """The values to choose from; empty for a text or a number."""
        return _FIXED.get(self.kind, tuple(self.choices))

    def read(self, given: str) -> OwnAnswer | None:
        """Return the answer in a field of a form, None if it is empty.

        Raise :class:`RefusedError`: ``number_outside``, or ``answer_malformed`` for other values.
        """
        value = given.strip()
        is_number = self.kind == "number" and _NUMBER.fullmatch(value)
        if not value:
            return None
        if self.between and not (is_number and self.between[0] <= float(value) <= self.between[1]):
            raise RefusedError("number_outside", least=self.between[0], most=self.between[1])
        if (value not in self.choosable) if self.choosable else (self.kind == "number" and not is_number):
            raise RefusedError("answer_malformed", field=self.id)
        number = float(value) if is_number or self.kind == "scale" else None
        return OwnAnswer(self.id, self.kind, value, float(value == "yes") if self.kind == "yes_no" else number)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if len(self.choices) == 1 or bool(self.choices) != (self.kind == "choice"):
            raise ValueError(f"question “{self.id}” needs 2 to 100 choices if it is a choice, else none")
        if bool(self.low) != bool(self.high) or (self.low and self.kind != "scale"):
            raise ValueError(f"question “{self.id}” needs both ends, low and high, and only for a scale")
        if self.between and (self.between[0] > self.between[1] or self.kind != "number"):
            raise ValueError(f"question “{self.id}” needs bounds in order, and only for a number")
        return self


AnyQuestion = TypeVar("AnyQuestion", bound=OwnQuestion)


def _once(questions: tuple[AnyQuestion, ...]) -> tuple[AnyQuestion, ...]:
    check_once(question.id for question in questions)
    return questions


Asked = Annotated[tuple[AnyQuestion, ...], Field(max_length=50), AfterValidator(_once)]
OwnQuestions = Asked[OwnQuestion]


class OwnAnswer(NamedTuple):
    """The answer to one question: its ``value``, and a ``number`` for a scale, a number, yes (1) or no (0)."""

    question: Name
    question_kind: ValueKind
    value: MaybeWords
    number: Annotated[float, Field(allow_inf_nan=False)] | None


OwnAnswers = Annotated[tuple[OwnAnswer, ...], BeforeValidator(listed), Field(max_length=50)]


def read_answers(asked: Sequence[OwnQuestion], given: Mapping[str, str]) -> tuple[OwnAnswer, ...]:
    """Return the answers to the questions of a form, by id, without optional ones that were left empty.

    Raise :class:`RefusedError`: ``answer_malformed``, or ``question_open`` if a required answer is missing.
    """
    if not given.keys() <= {question.id for question in asked}:
        raise RefusedError("answer_malformed", field="answers")
    answers = [question.read(given.get(question.id, "")) for question in asked]
    if any(answer is None and not question.optional for question, answer in zip(asked, answers, strict=True)):
        raise RefusedError("question_open")
    return tuple(answer for answer in answers if answer is not None)


# The task: one form with all questions about the pictures of an item, or about one of its texts.


@dataclass(frozen=True)
class Questions(Payload):
    """The answers on one form; ``text`` is the id of the text that was shown, empty for none."""

    kind: ClassVar[str] = "questions"
    answers: Annotated[OwnAnswers, Field(min_length=1)]
    text: MaybeName = ""
    seconds: Seconds = 0.0

    @property
    def aspect(self) -> str:
        """The text: each has a form of its own."""
        return self.text


def _asks(item: Item, texts: Texts) -> Iterator[tuple[Texts, None]]:
    # The pictures of a pair that is only to be found would give it away.
    forms = [] if item.candidates and not item.to_describe else [()]
    yield from ((form, None) for form in (*forms, *((text,) for text in texts)) if _on_form(item, form))


def _on_form(item: Item, texts: Texts) -> OwnQuestions:
    """Return the questions about the pictures of an item, or about one of its texts."""
    is_first = bool(texts) and item.texts_for(QUESTIONS.key, texts[0].language)[:1] == texts
    abouts = {"pictures"} if not texts else {"each_text", "first_text"} if is_first else {"each_text"}
    return tuple(question for question in item.asked if question.about in abouts)


def _read(answer: Answer, view: QuestionView, _: object, seconds: float) -> list[Payload]:
    answers = read_answers(view.question.asked, answer["answers"])
    if not answers:
        raise RefusedError("question_open")
    return [Questions(answers, "".join(text.id for text in view.question.texts), seconds)]


def _show(record: Questions, view: QuestionView, _: object) -> Answer:
    asked = {question.id for question in view.question.asked}
    return {"answers": {answer.question: answer.value for answer in record.answers if answer.question in asked}}


def _fields(fields: Fields, name: str) -> dict[str, str]:
    """Return the fields whose names begin with ``name`` and a dot, by the rest of their names."""
    return {key.removeprefix(f"{name}."): one(fields, key) for key in fields if key.startswith(f"{name}.")}


QUESTIONS = TaskKind(
    "questions",
    Questions,
    seconds=40,
    min_seconds=2,
    asks=_asks,
    read=_read,
    show=_show,
    care=lambda record: Care(read=(record.text,)),
    fields={"answers": FormField(_fields, lambda shown: {f"answers.{id_}": value for id_, value in shown.items()})},
    on_form=_on_form,
    per_text=True,
    several_voices=True,
)
