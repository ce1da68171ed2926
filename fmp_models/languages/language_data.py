"""Languages as data: the words, templates and patterns of each language, read from its folder.

``<code>/grammar.toml`` holds a language's words, templates, reading patterns and linguistic properties,
``<code>/speech.toml`` the phrases of a trainer for movements, end states and shapes. To add a language, add a folder
with such files; this module names no language.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, TypeAdapter, ValidationError

from fmp_models.common import LANGUAGES as LANGUAGES  # noqa: PLC0414  this room gives it to others
from fmp_models.errors import BadInputError

_HERE = Path(__file__).parent

Phrases = dict[str, list[str]]
Pattern = re.Pattern[str]
KindPattern = tuple[str, str, Pattern]  # kind, value, expression
T = TypeVar("T")
# Marks of all scripts: a text is split before its language is known.
SENTENCE_ENDS = ".!?।"
MARKS = f"{SENTENCE_ENDS},;:"
_TOGETHER = 24  # patterns in a batch


@dataclass(frozen=True)
class PatternBatch:
    """A batch of patterns with one combined expression that matches where any pattern of the batch does.

    Few of the hundreds of patterns match at a given word; testing a whole batch first makes reading five times
    faster.
    """

    any_of_them: Pattern
    patterns: tuple[KindPattern, ...]


_MARKS = str.maketrans({"\u093c": "", "\u0901": "\u0902", "\u200c": "", "\u200d": "", "’": "'"})
# Spelling variants of the script Devanagari, whatever the language.
_GLIDES = (("यें", "एं"), ("यीं", "ईं"), ("ायी", "ाई"), ("ाये", "ाए"), ("िये", "िए"), ("इये", "इए"))


def normalised(text: str) -> str:
    """Return the text in lower case and, for Devanagari, with spelling variants unified: no nukta, no chandrabindu."""
    text = unicodedata.normalize("NFD", text.lower()).translate(_MARKS)
    for written, read in _GLIDES:
        text = text.replace(written, read)
    return text


def _normalised_if_text(value: object) -> object:
    return normalised(value) if isinstance(value, str) else value


def _among_words(phrases: list[str]) -> Pattern:
    """Return one expression that matches any of the phrases as whole words."""
    if not isinstance(phrases, list) or not all(isinstance(phrase, str) for phrase in phrases):
        raise ValueError("must be a list of phrases")
    return re.compile(f"(?<![^ ])({normalised('|'.join(phrases))})(?![^ ])")


Word = Annotated[str, AfterValidator(normalised)]
Words = frozenset[Word]
Expression = Annotated[Pattern, BeforeValidator(_normalised_if_text)]
_NEVER = re.compile("$.")
AnyOf = Annotated[Pattern, BeforeValidator(_among_words)]


@dataclass(frozen=True)
class SceneWords:
    """The words that scene texts add to clauses: objects, implied movements, analogies and their introductions."""

    objects: Phrases
    object_goes: Pattern  # position of "towards the sofa" in a clause
    doing_goes: Literal["before", "after"]  # position relative to its clause
    statement: Pattern  # a clause that is not a command
    bearings: Phrases
    bearings_alone: Phrases
    sides: dict[str, dict[str, str]]
    leads: Phrases
    no_lead_before: list[str]  # words before which a lead word means something else: "पहले की तरह"
    implied: dict[str, Phrases]
    doing: Phrases
    analogies: Phrases
    say: dict[str, Phrases]  # additional clause templates, with the layout of Grammar.say


@dataclass(frozen=True)
class Grammar:
    """One language: its wording (``say``, ``parts``, ...) and its reading patterns (``batches``).

    A field is a key of ``grammar.toml`` or of its table ``read``. Keys of ``read`` in :data:`KINDS` make ``batches``.
    """

    code: str
    name: str  # in the language itself
    english_name: str
    script: str  # its Unicode name
    verb_comes: Literal["first", "last"]
    bend_sideways_is_turn: bool
    stop: str
    unchanged: str
    unchanged_elsewhere: str  # used when some parts could not be seen
    pictures_alone: str  # introduces a text about pictures in which no joints could be measured
    all_clear: AnyOf  # normalised sentence without punctuation: nothing (else) has to change
    asides: AnyOf  # whole sentence or piece, normalised likewise: a remark that asks for no movement
    joiners: tuple[str, ...]
    degrees: Phrases  # modify a verb: "bend it a lot"
    distances: Phrases  # modify a direction: "far to the left"
    parts: dict[str, Phrases]
    sided: dict[str, Phrases]
    relations: dict[str, Phrases]
    say: dict[str, Phrases]
    unseen: dict[str, Phrases]  # whole sentences by part and side
    scene: SceneWords
    plural: Expression  # matches a part in the plural
    bare_plural: Expression  # matches a part and the rest of its piece: a singular that means both
    several_of_one: Expression  # matches a part that one limb has several of: "toes"
    negations: AnyOf
    negates_ahead: Words  # negations that do not apply to the verb before them
    forbids: Words  # negations of a verb that ask to keep its part still
    holds_still: Expression  # matches such a verb if it applies whatever else the part does
    lets: Expression  # matches such a verb if another verb completes it: "don't let ... drop"
    beyond: Expression  # starts a limit of a forbidden movement: "below your hip"
    names_nothing: Words  # words between a negated verb and its replacement: "बल्कि"
    alternatives: Words  # words that extend a negation to the next verb: "or"
    without: Words  # before or after a participle; negates it
    rather: Words  # after a verb; negates it: "instead of"
    participle: Expression  # matches a verb that is a participle
    like_participle: Expression  # matches forms often written instead of a participle
    unmoving: Words  # verbs that ask for no movement of a part: "relax"
    stopped: Words  # negations of a current action; ask for the opposite: "stop leaning"
    returns: Expression  # matches a whole piece that reverses a stated fact without a direction: "come back"
    alone: Expression  # matches a verb that needs no part: "lean forward"
    alone_without_a_way: Words  # actions that need no direction either
    shares_its_object: Expression  # matches a verb that can share the previous verb's part: "and bent at the elbow"
    ands: Words  # "and"
    cases: Words  # words after a side used as a part: "बाएं को अंदर लाएं"
    from_before: Word  # word before an origin: "from above your head"; "" if the language has none
    from_after: Word  # word after an origin: "सिर के ऊपर से"
    than: Words  # words next to the object of a comparison
    facts: Words  # verbs that state how something is, not how it should be
    ones: Words  # words for the previously named part on another side
    side_alone: Expression  # matches a side used as a part: "दूसरा"
    after_objects: Words  # words after the object that is moved
    strayed: Expression  # matches a verb that states an error of a part: "झुक गया है"
    relative: Words  # introduces a relative clause that identifies a part: "जो घुटना आगे है"
    has: Words  # auxiliaries after a `strayed` verb: "गया"
    corrects: Words  # introduces a correction of the side: "no, the left one"
    beside_a_side: Words  # words allowed next to a side that stands alone: "the left one"
    of_things: Expression  # matches the place of a thing named before it: "the wall behind you"
    spoken_to: tuple[Word, ...]  # person, verb of facts about them, verb it is read as; or empty
    mended: Words  # words that misspellings are corrected to
    not_mended: Words  # words that are not misspellings of those
    batches: tuple[PatternBatch, ...]  # all patterns, in order
    properties: dict[str, Pattern]  # patterns of linguistic properties of a text, by property
    # Keys that a language may lack; the first three are read if the verb comes first, the next five if it comes last.
    modals: Words = frozenset()  # before a verb that has a subject: "your hand should come up"
    enough: Words = frozenset()  # after a direction of which a negation asks for more: "not high enough"
    genitive: Expression = _NEVER  # matches a possessive before which a side is a place: "to the left of your knee"
    persons: Words = frozenset()  # words for people, which are no objects: "तुम"
    instrument: Words = frozenset()  # after the hands that move a thing: "दोनों हाथों से गेंद उठाएं"
    moves_no_part: Expression = _NEVER  # matches a verb that moves no part: "नीचे रहने दो", "मुड़ो"
    chained: Expression = _NEVER  # matches a verb that a verb about the same part follows: "मोड़कर रखें"
    without_a_thing: Expression = _NEVER  # matches the end of "without" and a noun: "बिना चिंता के"
    relations_across: dict[str, Phrases] = field(default_factory=dict)  # after a movement other than up or down
    relations_of: dict[str, dict[str, Phrases]] = field(default_factory=dict)
    polite: tuple[tuple[Expression, Word], ...] = ()  # polite verb endings and the plain endings they are read as


@cache
def grammar(code: str) -> Grammar:
    """Return the grammar of one language; raise :class:`BadInputError` (``unknown_language``) for an unknown code."""
    if code not in LANGUAGES:
        raise BadInputError("unknown_language", known=", ".join(LANGUAGES))
    return _read(code, "grammar.toml", Grammar, _grammar_values)


def _read(code: str, name: str, as_type: type[T], values: Callable[[dict[str, Any]], dict[str, Any]]) -> T:
    """Return a file of a language as ``as_type``; raise ``ValueError`` with one sentence if it cannot be used."""
    text = (_HERE / code / name).read_text(encoding="utf-8")
    try:
        data = tomllib.loads(text.replace("{do}", tomllib.loads(text).get("imperative", "")))
        return TypeAdapter(as_type).validate_python(values(data), extra="forbid")
    except KeyError as error:
        raise ValueError(f"{code}/{name}: the key {error} is missing") from None
    except (re.error, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{code}/{name}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{code}/{name}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _grammar_values(data: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a :class:`Grammar`: the keys of the file, and what is computed from them."""
    read, scene = data["read"], data["scene"]
    return {
        **{key: value for key, value in data.items() if key not in {"read", "imperative"}},
        **{key: value for key, value in read.items() if key not in KINDS},
        "distances": data.get("distances", data["degrees"]),
        "negations": read["negations"],
        "not_mended": {*read["not_mended"], *_plain_words(read["parts"]), *_plain_words(scene["objects"])},
        "batches": tuple(_batches([*_patterns(read), *_scene_patterns(scene)])),
        "properties": _properties(data),
    }


@cache
def grammar_of_scenes(code: str) -> Grammar:
    """Return the same grammar with the additional templates for texts of scenes."""
    words = grammar(code)
    say = {
        part: {way: phrases + words.scene.say.get(part, {}).get(way, []) for way, phrases in ways.items()}
        for part, ways in words.say.items()
    }
    return replace(words, say=say)


# If two matches have the same length, the earlier kind wins.
KINDS = (
    "ignored",
    "whole",
    "relations",
    "hidden",
    "palms",
    "parts",
    "directions",
    "actions",
    "states",
    "excess",
    "degrees",
    "limits",
    "sides",
    "stops",
    "analogies",
    "negations",
    "fillers",
    "possessives",
    "closers",
    "pronouns",
    "with",
    "towards",
    "landmark_before",
    "landmark_after",
)


def _batches(patterns: list[KindPattern]) -> Iterator[PatternBatch]:
    for first in range(0, len(patterns), _TOGETHER):
        some = tuple(patterns[first : first + _TOGETHER])
        yield PatternBatch(re.compile("|".join(f"(?:{pattern.pattern})" for _, _, pattern in some)), some)


def _patterns(read: dict[str, Any]) -> list[KindPattern]:
    patterns: list[KindPattern] = []
    for kind in KINDS:
        entries = read.get(kind, {})
        if isinstance(entries, list):
            entries = {"": entries}
        for value, expressions in entries.items():
            patterns.extend((kind, value, _compiled(expression)) for expression in expressions)
    return patterns


def _plain_words(patterns: dict[str, list[str]]) -> frozenset[str]:
    """Return the single words among the patterns; these are never treated as misspellings of another word."""
    return frozenset(
        normalised(phrase)
        for phrases in patterns.values()
        for phrase in phrases
        if phrase.isalpha() or _DEVANAGARI(phrase)
    )


def _scene_patterns(scene: dict[str, Any]) -> Iterator[KindPattern]:
    """Yield the patterns for scene phrases, which are not instructions.

    A phrase that leads towards an object is skipped; every other scene phrase ends the clause before it.
    """
    objects = "|".join(re.escape(name) for names in scene["objects"].values() for name in names)
    slots = re.compile(r"\\\{(\w+)\\\}")

    def expression(phrase: str) -> str:
        return slots.sub(lambda slot: f"({objects})" if slot[1] == "object" else "[^ ]+", re.escape(phrase))

    inside = ("towards", "away")
    implied = [phrase for numbers in scene["implied"].values() for phrases in numbers.values() for phrase in phrases]
    after = [phrase for name, phrases in scene["bearings"].items() if name not in inside for phrase in phrases]
    tables = [scene["bearings_alone"], scene["doing"], scene["analogies"]]
    after += implied + [phrase for table in tables for phrases in table.values() for phrase in phrases]
    for kind, phrases in (("towards", [p for name in inside for p in scene["bearings"][name]]), ("stops", after)):
        yield from ((kind, OF_SCENES, _compiled(expression(phrase))) for phrase in phrases)


def _properties(data: dict[str, Any]) -> dict[str, Pattern]:
    """Return one expression per property, to be searched for in the normalised text between spaces."""
    table = data["properties"]
    names = (re.escape(name) for names in data["scene"]["objects"].values() for name in names)
    things = f"({'|'.join([*names, *table['things']])})"
    return {
        kind: _among_words([phrase.replace("{things}", things) for phrase in phrases])
        for kind, phrases in table.items()
        if kind != "things"
    }


def _compiled(expression: str) -> Pattern:
    """Compile an expression that must end at a word boundary; ``~`` matches any ending (letters and vowel signs)."""
    return re.compile(f"(?:{normalised(expression).replace('~', r'[^ ]*')})(?= |$)")


OF_SCENES = "object"  # the value of patterns for phrases that a scene adds to a movement
_DEVANAGARI = re.compile("[\u0900-\u0963]+").fullmatch
Table = Mapping[str, Mapping[str, str]]
Choices = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True)
class SpeechWords:
    """One language: phrases for movements (``say``) and ``shapes``, and values of their blanks by side or number."""

    say: Choices
    shapes: Choices
    parts: Table
    unseen_parts: Table
    ends: Table
    tails: Table
    them: Mapping[str, str]
    sides: Table
    degrees: Mapping[str, str]
    joined_ends: str
    tail: str
    fine: str
    between_fine: str
    watch: str
    unseen: str
    ease: str  # the last step towards a figure; it moves the parts that no step names
    stiff: str  # pattern of phrases that no trainer says: passives and comparisons

    def is_stiff(self, text: str) -> bool:
        """Return whether a captioner's sentence is one that a trainer would not say."""
        return re.search(self.stiff, text.lower()) is not None

    def side_blanks(self, side: str, opposite: str) -> dict[str, str]:
        """Return the values of ``{side}`` and ``{other}`` in each of their forms; empty without a side."""
        here, there = self.sides.get(side, {}), self.sides.get(opposite, {})
        return {**here, **{blank.replace("side", "other", 1): form for blank, form in there.items()}}


@cache
def speech_words(code: str) -> SpeechWords:
    """Return the phrases of one language; raise :class:`BadInputError` (``unknown_language``) for an unknown code."""
    if code not in LANGUAGES:
        raise BadInputError("unknown_language", known=", ".join(LANGUAGES))
    return _read(code, "speech.toml", SpeechWords, dict)


@cache
def dialogue_words(code: str) -> Mapping[str, Any]:
    """Return the words of a language for dialogues, of all its files ``dialogue*.toml``.

    Raise :class:`BadInputError` (``unknown_language``).
    """
    words: dict[str, Any] = {}
    for path in sorted((_HERE / grammar(code).code).glob("dialogue*.toml")):
        for key, value in tomllib.loads(path.read_text(encoding="utf-8")).items():
            words[key] = {**words.get(key, {}), **value} if isinstance(value, dict) else [*words.get(key, []), *value]
    return words


@cache
def counterfactual_words(code: str) -> Mapping[str, Any]:
    """Return the words of a language for imagined changes; raise :class:`BadInputError` (``unknown_language``)."""
    return tomllib.loads((_HERE / grammar(code).code / "counterfactual.toml").read_text(encoding="utf-8"))


@cache
def change_words(code: str) -> Mapping[str, Any]:
    """Return the words of a language for changes of a room; raise :class:`BadInputError` (``unknown_language``)."""
    return tomllib.loads((_HERE / grammar(code).code / "changes.toml").read_text(encoding="utf-8"))


def fill_blanks(phrase: str, **blanks: str) -> str:
    """Return a phrase with its blanks filled and single spaces; an empty blank leaves no double space."""
    return re.sub(r"\s+([,.;:])", r"\1", re.sub(r" {2,}", " ", phrase.format(**blanks))).strip()


_ENDS = re.compile(f"[{SENTENCE_ENDS}]+")
_NOT_WORDS = re.compile(rf"[\s{MARKS}()\"“”]+")


class Property(StrEnum):
    """The linguistic properties that are rows of the paper's Tables 1 and 8."""

    EGOCENTRIC = "egocentric"
    ENVIRONMENTAL = "environmental"
    IMPLIED = "implied"
    ANALOGOUS = "analogous"


def text_properties(text: str, words: Grammar) -> frozenset[Property]:
    """Return the properties that the text shows.

    The paper's authors counted the properties by hand. Words alone cannot show all of that, so these are *signs*:
    forms of address, objects of the room, results and weights that imply a movement, and comparisons.
    """
    lines = [_NOT_WORDS.sub(" ", sentence).strip() for sentence in _ENDS.split(normalised(text))]
    # An object inside a comparison ("as if hugging a tree") is not in the room.
    comparison = words.properties[Property.ANALOGOUS.value]
    plain = [line[: match.start()] if (match := comparison.search(line)) else line for line in lines]
    property_lines = {Property.ENVIRONMENTAL: plain}
    return frozenset(
        kind for kind in Property if words.properties[kind.value].search(" ".join(property_lines.get(kind, lines)))
    )
