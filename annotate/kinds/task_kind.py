"""A kind of task: its record, its questions, the reading of an answer, its form, and the checks of its texts.

Each kind has a module of its own, which fills in a :class:`TaskKind`; ``registry`` lists them. The page's
script knows no kinds: it sends the fields of a form as they are, stores them as a draft, and restores them.
The page knows places in an order that the server made; records contain texts and candidates.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, StringConstraints, model_validator

from annotate.errors import RefusedError
from annotate.identity import keyed
from annotate.ports import BrokenRules, Ports
from annotate.records import FLAGS, Name, Payload, task_of
from fmp_models.common import script_of

if TYPE_CHECKING:
    from annotate.kinds.questions import OwnQuestion

# Types between page and server: tasks, receipts, progress; none of them tells who wrote a text.
#
# A :class:`Task` is all that may reach a browser. Texts and candidates stand in an order that only the
# server can reverse, gold items look like all others, and ``token`` is a random word that only names the
# claim.

Kind = str  # the key of a kind of task; ``annotate.kinds.registry`` lists them
Mode = Literal["everything", "language", "picture"]

MODES: tuple[Mode, ...] = ("everything", "language", "picture")


@dataclass(frozen=True)
class Task:
    """A task for one annotator; pictures are whole JPEG files.

    ``write``: both pictures. ``verify``: both pictures and one text. ``translate``: both pictures and the
    English text; ``language`` is the one to write in. ``vote``: both pictures and two or more texts. ``find``:
    ``candidates``, and by ``mode`` the ``current`` picture, the text or both, but never ``target``.
    ``real_pair``: both pictures and the text to rewrite. ``questions``: what is ``asked`` about one picture or more,
    the ``further`` ones after ``target``, and perhaps about a text. ``repair``: both pictures and the text to mend.
    ``compare``: both pictures and two texts. ``judge``: both pictures and an answer in a ``dialogue``. ``fool``: both
    pictures, and the other ``candidates``. ``answer`` is the answer that an undo withdrew, in the format of the page;
    see ``give`` in ``annotate.tasks.service``.
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
    further: tuple[bytes, ...] = field(default=(), repr=False)
    asked: tuple[OwnQuestion, ...] = ()
    dialogue: DialogueRound | None = None


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


# Text checks: the rules that a text must follow before it is judged.
#
# The rules of the paper's Appendix B.3 are passed in (``Ports.broken_rules``). This module adds the script
# of the language, and the length of a translation relative to its original.

# Codes of rules; the paper's first, in its order.
WRITING = ("too_short", "symbols", "repetitive", "term_image", "term_i", "term_target", "term_difference", "script")
TRANSLATING = ("script", "too_much_shorter", "too_much_longer")

MIN_SCRIPT_SHARE = 0.7  # of the letters; names and words such as TV may be in another script
MIN_LENGTH_RATIO, MAX_LENGTH_RATIO = 0.5, 2.0  # words of a translation for each word of the original


@dataclass(frozen=True)
class WritingRules:
    """The numbers of the paper's writing rules, with which the page checks a text during typing."""

    least_words: int
    least_unique: float
    symbols: str


@dataclass(frozen=True)
class Rules:
    """Rules for the list of ticks on the page, by code and in order, with the placeholder values of their texts.

    ``numbers`` are thresholds. The page checks by them during typing, and the server checks again.
    """

    places: dict[str, dict[str, str | int]]
    numbers: dict[str, object]


@dataclass(frozen=True)
class Check:
    """The result of one rule: whether the text follows it."""

    rule: str
    is_kept: bool


def writing_checks(
    text: str, language: str, broken_rules: BrokenRules, *, no_clear_difference: bool = False
) -> tuple[Check, ...]:
    """Return the checks of a description, in order; an empty text fails every rule that requires something."""
    broken = set(broken_rules(text, no_clear_difference=no_clear_difference))
    if not _in_script(text, language):
        broken.add("script")
    return tuple(Check(rule, rule not in broken) for rule in (*WRITING, *sorted(broken - set(WRITING))))


def translation_checks(text: str, original: str, language: str) -> tuple[Check, ...]:
    """Return the checks of a translation of ``original`` into ``language``."""
    share = len(text.split()) / max(len(original.split()), 1)
    results = (_in_script(text, language), share >= MIN_LENGTH_RATIO, share <= MAX_LENGTH_RATIO)
    return tuple(Check(rule, keeps) for rule, keeps in zip(TRANSLATING, results, strict=True))


def writing_rules(numbers: WritingRules | None, script: str) -> Rules:
    """Return the rules of a correction, without ``numbers`` its script alone, the Unicode script of its language."""
    if numbers is None:
        return Rules({"script": {}}, {"script": script, "least_share": MIN_SCRIPT_SHARE})
    places: dict[str, str | int] = {
        "least": numbers.least_words,
        "symbols": " ".join(numbers.symbols),
        "percent": round(100 * numbers.least_unique),
    }
    thresholds = {**asdict(numbers), "script": script, "least_share": MIN_SCRIPT_SHARE}
    return Rules(dict.fromkeys(WRITING, places), thresholds)


def translating_rules(script: str, original: str) -> Rules:
    """Return the rules of a translation of ``original``."""
    lengths = {"original": len(original.split()), "shortest": MIN_LENGTH_RATIO, "longest": MAX_LENGTH_RATIO}
    return Rules({code: {} for code in TRANSLATING}, {**lengths, "script": script, "least_share": MIN_SCRIPT_SHARE})


def demand(checks: Iterable[Check]) -> None:
    """Raise :class:`RefusedError` ``rules_broken`` unless all checks pass.

    ``rules`` of the error are the codes of the broken rules, separated by spaces.
    """
    broken = [check.rule for check in checks if not check.is_kept]
    if broken:
        raise RefusedError("rules_broken", rules=" ".join(broken))


def _in_script(text: str, language: str) -> bool:
    script = script_of(language)
    if script is None:
        return True
    letters = [letter for letter in text if unicodedata.category(letter)[0] in "LM"]
    in_script = sum(unicodedata.name(letter, "").startswith(script.upper()) for letter in letters)
    return bool(letters) and in_script >= MIN_SCRIPT_SHARE * len(letters)


# Kinds of task: items of campaign files, questions, forms, and what other code asks about a kind.

SOURCE_LANGUAGE = "en"  # the language of texts to translate
MAX_ITEM_CHARS = 4000  # of a campaign's text; an answer may have more, since a translation may have twice the words

PICTURE = re.compile(r"[A-Za-z0-9_-]{1,80}\.jpg")
Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$")]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$")]
Words = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ITEM_CHARS, strip_whitespace=True)]
PictureName = Annotated[str, StringConstraints(pattern=rf"^{PICTURE.pattern}$")]
Place = tuple[str, str]  # item and aspect, which identify a question within its kind and language

Points = Annotated[tuple[tuple[float, float, float], ...], Field(max_length=200)]  # joints, metres in the camera frame

Answer = Mapping[str, Any]
Fields = Mapping[str, str | list[str]]

TIED = "tied"

_OPTIONAL = frozenset({"flags", "comment", "checks"})


class Strict(BaseModel):
    """The base of everything in a campaign file: no unknown fields, no conversions."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class DialogueRound(Strict):
    """A question about a pair and its answer, after a ``caption`` and the questions and answers of ``earlier`` rounds.

    The question depends on ``none`` or ``all`` of them, or by ``coref`` on the round that many, ``distance``, before.
    """

    dialogue_id: Name
    round: Annotated[int, Field(ge=1, le=1000)]
    caption: Words
    earlier: Annotated[tuple[tuple[Words, Words], ...], Field(max_length=100)] = ()
    question: Words
    answer: Words
    program: Words
    question_kind: Name
    dependence: Name
    distance: Annotated[int, Field(ge=0, le=1000)] = 0


class CampaignText(Strict):
    """A text about a pair, and the ``kinds`` of task that use it; ``source`` is a model's name or another source.

    ``id`` is unique within item and language. That of a text to vote on reveals nothing about its model; in campaigns
    of earlier versions it is the model's name. An answer to judge comes with its ``dialogue``.
    """

    id: Id
    language: Language
    source: Id
    text: Words
    kinds: Annotated[tuple[Id, ...], Field(max_length=20)]
    dialogue: DialogueRound | None = None


Texts = tuple[CampaignText, ...]


@dataclass(frozen=True)
class SubmittedText:
    """A text that an annotator wrote about an item, for others to judge or translate; its id is its event's.

    ``draft`` is the id of the text that it mends, empty if it mends none.
    """

    item: str
    text: CampaignText
    author: str
    draft: str = ""
    voices: int = 0  # the answers wanted, if they differ from the campaign's

    def texts(self, item: Item) -> Texts:
        """Return the text, followed by the draft that it mends if the item still has it."""
        about = self.draft, self.text.language
        return (self.text, *(text for text in item.texts if (text.id, text.language) == about))


class Gold(Strict):
    """The right answer of a gold item: for a vote the ``relevant`` ids, for a rating its ``least`` and ``most``.

    For an answer in a dialogue it is the ``verdict``.
    """

    kind: Id
    relevant: Annotated[tuple[Id, ...], Field(max_length=50)] = ()
    least: Annotated[int, Field(ge=1, le=4)] = 1
    most: Annotated[int, Field(ge=1, le=4)] = 4
    verdict: Literal["right", "wrong"] | None = None


class Item(Strict):
    """A pair of pictures with its texts; ``candidates`` and ``answer`` (from 0) are set if its target is to be found.

    ``split`` and ``joints``, of the current and the target pose, are those of the dataset that the pair comes from.

    An owner's own item may have one picture, as both ``current`` and ``target``, or ``further`` ones.
    ``to_describe`` tells whether annotators write about it, and ``to_fool`` whether they write against a model. A
    ``gold`` item is asked only in its kind, and its answers do not count towards the answers wanted.
    """

    uid: Id
    current: PictureName
    target: PictureName
    texts: Annotated[tuple[CampaignText, ...], Field(max_length=100)] = ()
    candidates: Annotated[tuple[PictureName, ...], Field(max_length=20)] = ()
    answer: Annotated[int, Field(ge=0)] | None = None
    to_describe: bool = True
    to_fool: bool = False
    gold: Gold | None = None
    split: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]{0,40}$")] = ""
    joints: tuple[Points, Points] | None = None
    further: Annotated[tuple[PictureName, ...], Field(max_length=8)] = ()

    _asked: tuple[Any, ...] = PrivateAttr(default=())

    @property
    def asked(self) -> tuple[OwnQuestion, ...]:
        """The campaign's own questions, which are asked about each of its items."""
        return self._asked

    @property
    def pictures(self) -> tuple[str, ...]:
        """The names of its pictures but the candidates: one if its target is its current picture."""
        return tuple(dict.fromkeys((self.current, self.target, *self.further)))

    def texts_for(self, kind: Kind, language: str) -> tuple[CampaignText, ...]:
        """Return the texts that a kind uses in one language, in order."""
        return tuple(text for text in self.texts if text.language == language and kind in text.kinds)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        check_once(f"{text.language}/{text.id}" for text in self.texts)
        if bool(self.candidates) != (self.answer is not None) or (self.answer or 0) >= max(len(self.candidates), 1):
            raise ValueError("its answer is not one of its candidates")
        if self.candidates and (len(self.candidates) == 1 or self.candidates[self.answer or 0] != self.target):
            raise ValueError("its answer is not its target, or there is only one candidate")
        if self.to_fool and not self.candidates:
            raise ValueError("a model cannot be fooled without candidates")
        return self


def check_once(names: Iterable[str]) -> None:
    """Raise ``ValueError`` if a name occurs twice."""
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"“{name}” occurs twice")


@dataclass(frozen=True)
class Question:
    """A question in ``language``, whose answer becomes a record of the kind ``record`` with this ``aspect``.

    Item and aspect identify it within its kind and language. With a ``mode``, the target is to be found.
    ``author`` is the annotator who wrote its text, empty if none did; nor is it asked of those who are ``unblinded``.
    ``asked`` are an owner's own questions.
    """

    kind: Kind
    item: Item
    language: str
    voices: int
    texts: tuple[CampaignText, ...] = ()
    mode: Mode | None = None
    author: str = ""
    record: str = ""
    aspect: str = ""
    asked: tuple[OwnQuestion, ...] = ()
    unblinded: frozenset[str] = frozenset()
    shows_candidates: bool = False

    @cached_property  # read for every question in every request
    def place(self) -> Place:
        """The item and the aspect, which identify the question."""
        return self.item.uid, self.aspect

    @property
    def skipped_as(self) -> str:
        """The ``task`` of a record that the question was skipped."""
        return task_of(self.record, self.aspect)


def alike(texts: Sequence[CampaignText]) -> list[tuple[CampaignText, ...]]:
    """Return groups of texts that read the same, in the order of their first text."""
    groups: dict[str, list[CampaignText]] = {}
    for text in texts:
        groups.setdefault(" ".join(unicodedata.normalize("NFC", text.text).split()), []).append(text)
    return [tuple(group) for group in groups.values()]


@dataclass(frozen=True)
class QuestionView:
    """A question as one annotator sees it, with the order of its texts and candidates."""

    question: Question
    annotator: str
    key: bytes = field(repr=False)

    @property
    def texts(self) -> list[tuple[CampaignText, ...]]:
        """The groups of texts in the order shown; texts that read alike form one group, unless all do."""
        groups = alike(self.question.texts)
        shown = groups if len(groups) > 1 else [(text,) for text in self.question.texts]
        return sorted(shown, key=lambda group: self._rank(group[0].id))

    @property
    def candidates(self) -> list[int]:
        """The candidates' numbers in the order shown, without the target if that is shown apart."""
        item, question = self.question.item, self.question
        numbers = range(len(item.candidates)) if question.shows_candidates else ()
        shown = (number for number in numbers if question.mode or number != item.answer)
        return sorted(shown, key=lambda number: self._rank(str(number)))

    def task(self, token: str, picture: Callable[[str], bytes], answer: Mapping[str, Any] | None) -> Task:
        """Return the task, which holds everything that the page may see.

        ``picture`` reads a picture by name; ``answer`` is the answer that an undo withdrew, if any.
        """
        question = self.question
        item, mode = question.item, question.mode
        return Task(
            token=token,
            kind=question.kind,
            language=question.language,
            current=None if mode == "language" else picture(item.current),
            target=None if mode or (question.asked and item.target == item.current) else picture(item.target),
            further=tuple(picture(name) for name in item.further),
            asked=question.asked,
            dialogue=question.texts[0].dialogue if question.texts else None,
            texts=() if mode == "picture" else tuple(group[0].text for group in self.texts),
            candidates=tuple(picture(item.candidates[number]) for number in self.candidates),
            mode=mode,
            answer=answer,
        )

    def _rank(self, name: str) -> str:
        question = self.question
        return keyed(self.key, "order", self.annotator, question.kind, question.item.uid, question.language, name)


class Care(NamedTuple):
    """What an answer tells about the care of its annotator.

    ``typed`` is the text that they typed, and ``read`` are the ids of the texts that they had to read. ``side`` is
    the place or score on which the answer falls, if there are any. ``luck`` is the probability that a careful answer
    falls on the same side as the previous one; None for sides that are often equally good.
    """

    typed: str = ""
    read: Collection[str] = ()
    side: str | None = None
    luck: float | None = None


@dataclass(frozen=True)
class FormField:
    """A field of a form: ``read`` returns its value in an answer, ``shown`` turns the value back."""

    read: Callable[[Fields, str], object]
    shown: Callable[[Any], object]


def one(fields: Fields, name: str) -> str:
    """Return the value of a field; empty if it is missing or has several."""
    value = fields.get(name, "")
    return value if isinstance(value, str) else ""


def several(fields: Fields, name: str) -> list[str]:
    """Return the ticked boxes of a field."""
    value = fields.get(name, [])
    return [value] if isinstance(value, str) else list(value)


def number(fields: Fields, name: str) -> int:
    """Return the number in a field, up to 999; raise :class:`RefusedError` ``answer_malformed`` otherwise."""
    value = one(fields, name)
    if not value.isascii() or not value.isdigit() or len(value) > len("999"):
        raise RefusedError("answer_malformed", field=name)
    return int(value)


def _number_or_tied(fields: Fields, name: str) -> int | None:
    return None if one(fields, name) == TIED else number(fields, name)


TEXT = FormField(one, str)
TICKS = FormField(several, list)
NUMBER = FormField(number, str)
NUMBER_OR_TIED = FormField(_number_or_tied, lambda value: TIED if value is None else str(value))


@dataclass(frozen=True)
class TaskKind:
    """A kind of task.

    ``name`` is that of its module, its template and the section of its texts. ``stored`` is its name in campaign
    files, addresses and messages of the page if that is another one. A task takes about ``seconds``;
    ``min_seconds`` is less than the fastest careful annotator needs on average.

    ``asks`` returns the texts and the mode of each question about an item, given the item's texts for this kind.
    ``read`` returns the records of an answer that took some seconds, the answer's own first. ``show`` returns a
    record as the answer that the page sent, given the flags stored with it, or None if the question now shows
    something else. ``care`` is None if answers tell nothing about it. ``fields`` are those of the form; an answer
    contains ``answer_fields`` if they differ. ``values`` are constants of the template, and ``rules`` those of the
    text to write. ``has_right_answer`` checks a gold item; without it there are none. ``is_right`` returns whether a
    record answers a gold item rightly, or None if even a careful annotator may be wrong.

    What else other code asks:

    - ``on_form``: the owner's own questions about an item and one of its texts, if any.
    - ``per_text``: each text is a question of its own, as it is if ``written``.
    - ``shows_text``: a question needs a text of the campaign.
    - ``written``: which texts written by annotators are asked about too; then each text is a question of its own.
      A text that was ``mended`` comes with its draft, one that was ``fooling`` a model with everything else.
    - ``from_source``: the text is in the source language and the answer in another one.
    - ``shows_candidates``: all candidates are shown.
    - ``hides_target``: the target is to be found, so its annotator must not have seen it before.
    - ``compares_models``: nobody may answer who knows which model wrote a text.
    - ``re_enacts``: the annotator chooses a pair and takes photographs.
    - ``several_voices``, ``reads_reference``, ``is_tested``: a campaign made from a dataset wants several answers
      to each question, has a description of the dataset for it, and has a qualification test before it.
    """

    name: str
    record: type[Payload]
    seconds: int
    min_seconds: float
    asks: Callable[[Item, Texts], Iterable[tuple[Texts, Mode | None]]]
    read: Callable[[Answer, QuestionView, Ports, float], list[Payload]]
    fields: Mapping[str, FormField]
    show: Callable[[Any, QuestionView, Sequence[str]], Answer | None] = lambda record, _, __: {"text": record.text}
    care: Callable[[Any], Care] | None = None
    answer_fields: Collection[str] = ()
    values: Mapping[str, object] = field(default_factory=dict)
    rules: Callable[[WritingRules | None, str, str], Rules] | None = None
    has_right_answer: Callable[[Item, Gold], bool] | None = None
    is_right: Callable[[Any, Gold], bool | None] = lambda _, __: None
    stored: str = ""
    on_form: Callable[[Item, Texts], tuple[OwnQuestion, ...]] = lambda _, __: ()
    per_text: bool = False
    shows_text: bool = True
    written: Literal["all", "accepted", "mended", "fooling"] | None = None
    from_source: bool = False
    shows_candidates: bool = False
    hides_target: bool = False
    compares_models: bool = False
    re_enacts: bool = False
    several_voices: bool = False
    reads_reference: bool = False
    is_tested: bool = False

    @property
    def key(self) -> Kind:
        """The name in campaign files, addresses and messages of the page."""
        return self.stored or self.name

    @property
    def template(self) -> str:
        """The template of the form."""
        return f"form_{self.name}.html"

    def is_asked_in(self, language: str) -> bool:
        """Return whether there can be questions in a language."""
        return not self.from_source or language != SOURCE_LANGUAGE

    def text_language(self, language: str) -> str:
        """Return the language of the text that a question in ``language`` shows."""
        return SOURCE_LANGUAGE if self.from_source else language

    def questions(self, item: Item, language: str, voices: int) -> Iterator[Question]:
        """Yield the questions about an item."""
        if self.is_asked_in(language):
            for texts, mode in self.asks(item, item.texts_for(self.key, self.text_language(language))):
                yield self.question(item, language, voices, texts, mode)

    def question(  # noqa: PLR0913  each is a field of the question
        self, item: Item, language: str, voices: int, texts: Texts, mode: Mode | None = None, *, author: str = ""
    ) -> Question:
        """Return a question of this kind."""
        own = texts[0].id if texts and (self.written or self.per_text) else ""
        mode, aspect = (MODES[0], own) if author and self.hides_target else (mode, mode or own)
        about = Question(self.key, item, language, voices, texts, mode, author, self.record.kind, aspect)
        return replace(about, asked=self.on_form(item, texts), shows_candidates=self.shows_candidates)

    def read_answer(self, answer: Answer, view: QuestionView, ports: Ports, seconds: float) -> list[Payload]:
        """Return the records of an answer that took ``seconds``; the first is the answer itself.

        Unknown fields are rejected. Raise :class:`RefusedError`: ``answer_malformed``, ``text_missing``,
        ``text_too_long``, ``rules_broken``.
        """
        if not isinstance(answer, Mapping):
            raise RefusedError("answer_malformed", field="answer")
        fields = frozenset(self.answer_fields or self.fields)
        if not fields - _OPTIONAL <= answer.keys() <= fields:
            wrong = sorted(map(str, answer.keys() ^ fields - _OPTIONAL))
            raise RefusedError("answer_malformed", field=wrong[0][:40])
        return self.read(answer, view, ports, seconds)

    def answer(self, fields: Fields) -> Answer:
        """Return the answer in the fields of the form."""
        return {name: form_field.read(fields, name) for name, form_field in self.fields.items()}

    def shown_fields(self, answer: Answer) -> dict[str, object]:
        """Return the fields of the form that hold an answer."""
        values = [(name, form_field.shown(answer[name])) for name, form_field in self.fields.items() if name in answer]
        own = [value if isinstance(value, dict) else {name: value} for name, value in values]
        return {name: value for shown in own for name, value in shown.items()}


def each_text(_: Item, texts: Texts) -> Iterator[tuple[Texts, None]]:
    """Yield each text as a question of its own."""
    return (((text,), None) for text in texts)


def read_place(answer: Answer, name: str, among: Sequence[object]) -> int:
    """Return the place in a field of an answer; raise :class:`RefusedError` ``answer_malformed`` if it is none."""
    place = answer[name]
    if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(among):
        raise RefusedError("answer_malformed", field=name)
    return place


def read_flags(answer: Answer) -> tuple[str, ...]:
    """Return the ticked flags of an answer, in their usual order."""
    flags = answer.get("flags", ())
    if not isinstance(flags, list | tuple) or not all(isinstance(flag, str) and flag in FLAGS for flag in flags):
        raise RefusedError("answer_malformed", field="flags")
    return tuple(flag for flag in FLAGS if flag in flags)
