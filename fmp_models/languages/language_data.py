"""Languages as data: the words, templates and patterns of each language, read from its folder.

``<code>/grammar.toml`` holds a language's words, templates, reading patterns and linguistic properties,
``<code>/speech.toml`` the phrases of a trainer for movements, end states and shapes. To add a language, add a folder
with such files; no code in this module names a language.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Literal

from fmp_models.errors import BadInputError

_HERE = Path(__file__).parent
LANGUAGES: tuple[str, ...] = tuple(sorted(path.parent.name for path in _HERE.glob("*/grammar.toml")))

Phrases = dict[str, list[str]]
Pattern = re.Pattern[str]
KindPattern = tuple[str, str, Pattern]  # kind, value, expression
_TOGETHER = 24  # patterns in a batch


@dataclass(frozen=True)
class PatternBatch:
    """A batch of patterns with one combined expression that matches where any pattern of the batch does.

    Few of the hundreds of patterns match at a given word; testing a whole batch first makes reading five times
    faster.
    """

    any_of_them: Pattern
    patterns: tuple[KindPattern, ...]


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
    """One language: its wording (``say``, ``parts``, ...) and its reading patterns (``batches``)."""

    code: str
    name: str
    script: str  # its Unicode name
    verb_comes: Literal["first", "last"]
    bend_sideways_is_turn: bool
    stop: str
    unchanged: str
    unchanged_elsewhere: str  # used when some parts could not be seen
    pictures_alone: str  # introduces a text about pictures in which no joints could be measured
    all_clear: Pattern  # normalised sentence without punctuation: nothing (else) has to change
    asides: Pattern  # whole sentence or piece, normalised likewise: a remark that asks for no movement
    joiners: tuple[str, ...]
    degrees: Phrases  # modify a verb: "bend it a lot"
    distances: Phrases  # modify a direction: "far to the left"
    parts: dict[str, Phrases]
    sided: dict[str, Phrases]
    relations: dict[str, Phrases]
    relations_across: dict[str, Phrases]  # after a movement other than up or down, if worded differently
    relations_of: dict[str, dict[str, Phrases]]
    say: dict[str, Phrases]
    unseen: dict[str, Phrases]  # whole sentences by part and side
    scene: SceneWords
    plural: Pattern  # matches a part in the plural
    bare_plural: Pattern  # matches a part and the rest of its piece: a singular that means both
    several_of_one: Pattern  # matches a part that one limb has several of: "toes"
    negations: Pattern
    negates_ahead: frozenset[str]  # negations that do not apply to the verb before them
    forbids: frozenset[str]  # negations of a verb that ask to keep its part still
    holds_still: Pattern  # matches such a verb if it applies whatever else the part does
    lets: Pattern  # matches such a verb if another verb completes it: "don't let ... drop"
    beyond: Pattern  # starts a limit of a forbidden movement: "below your hip"
    names_nothing: frozenset[str]  # words between a negated verb and its replacement: "बल्कि"
    alternatives: frozenset[str]  # words that extend a negation to the next verb: "or"
    without: frozenset[str]  # before or after a participle; negates it
    rather: frozenset[str]  # after a verb; negates it: "instead of"
    participle: Pattern  # matches a verb that is a participle
    like_participle: Pattern  # matches forms often written instead of a participle
    unmoving: frozenset[str]  # verbs that ask for no movement of a part: "relax"
    stopped: frozenset[str]  # negations of a current action; ask for the opposite: "stop leaning"
    returns: Pattern  # matches a whole piece that reverses a stated fact without a direction: "come back"
    alone: Pattern  # matches a verb that needs no part: "lean forward"
    alone_without_a_way: frozenset[str]  # actions that need no direction either
    shares_its_object: Pattern  # matches a verb that can share the previous verb's part: "and bent at the elbow"
    from_before: str  # word before an origin: "from above your head"; "" if the language has none
    from_after: str  # word after an origin: "सिर के ऊपर से"
    than: frozenset[str]  # words next to the object of a comparison
    facts: frozenset[str]  # verbs that state how something is, not how it should be
    ones: frozenset[str]  # words for the previously named part on another side
    side_alone: Pattern  # matches a side used as a part: "दूसरा"
    after_objects: frozenset[str]  # words after the object that is moved
    strayed: Pattern  # matches a verb that states an error of a part: "झुक गया है"
    relative: frozenset[str]  # introduces a relative clause that identifies a part: "जो घुटना आगे है"
    has: frozenset[str]  # auxiliaries after a `strayed` verb: "गया"
    corrects: frozenset[str]  # introduces a correction of the side: "no, the left one"
    beside_a_side: frozenset[str]  # words allowed next to a side that stands alone: "the left one"
    of_things: Pattern  # matches the place of a thing named before it: "the wall behind you"
    spoken_to: tuple[str, ...]  # person, verb of facts about them, verb it is read as; or empty
    polite: tuple[tuple[Pattern, str], ...]  # polite verb endings and the plain endings they are read as
    mended: frozenset[str]  # words that misspellings are corrected to
    not_mended: frozenset[str]  # words that are not misspellings of those
    batches: tuple[PatternBatch, ...]  # all patterns, in order
    properties: dict[str, Pattern]  # patterns of linguistic properties of a text, by property


@cache
def grammar(code: str) -> Grammar:
    """Return the grammar of one language; raise :class:`BadInputError` (``unknown_language``) for an unknown code."""
    if code not in LANGUAGES:
        raise BadInputError("unknown_language", known=", ".join(LANGUAGES))
    written = (_HERE / code / "grammar.toml").read_text(encoding="utf-8")
    data = tomllib.loads(written.replace("{do}", tomllib.loads(written).get("imperative", "")))
    scene = data["scene"]
    return Grammar(
        code=data["code"],
        name=data["name"],
        script=data["script"],
        verb_comes=data["verb_comes"],
        bend_sideways_is_turn=data["bend_sideways_is_turn"],
        stop=data["stop"],
        unchanged=data["unchanged"],
        unchanged_elsewhere=data["unchanged_elsewhere"],
        pictures_alone=data["pictures_alone"],
        all_clear=_among_words(data["all_clear"]),
        asides=_among_words(data["asides"]),
        joiners=tuple(data["joiners"]),
        degrees=data["degrees"],
        distances=data.get("distances", data["degrees"]),
        parts=data["parts"],
        sided=data["sided"],
        relations=data["relations"],
        relations_across=data.get("relations_across", {}),
        relations_of=data.get("relations_of", {}),
        say=data["say"],
        unseen=data["unseen"],
        scene=SceneWords(**{**scene, **{name: re.compile(scene[name]) for name in ("object_goes", "statement")}}),
        plural=re.compile(data["read"]["plural"]),
        bare_plural=re.compile(normalised(data["read"]["bare_plural"])),
        several_of_one=re.compile(data["read"]["several_of_one"]),
        negations=_among_words(data["read"]["negations"]),
        negates_ahead=frozenset(data["read"]["negates_ahead"]),
        forbids=frozenset(data["read"]["forbids"]),
        holds_still=re.compile(data["read"]["holds_still"]),
        lets=re.compile(data["read"]["lets"]),
        beyond=re.compile(data["read"]["beyond"]),
        names_nothing=frozenset(map(normalised, data["read"]["names_nothing"])),
        alternatives=frozenset(data["read"]["alternatives"]),
        without=frozenset(map(normalised, data["read"]["without"])),
        rather=frozenset(map(normalised, data["read"]["rather"])),
        participle=re.compile(data["read"]["participle"]),
        like_participle=re.compile(data["read"]["like_participle"]),
        unmoving=frozenset(data["read"]["unmoving"]),
        stopped=frozenset(map(normalised, data["read"]["stopped"])),
        returns=re.compile(normalised(data["read"]["returns"])),
        alone=re.compile(data["read"]["alone"]),
        shares_its_object=re.compile(data["read"]["shares_its_object"]),
        from_before=data["read"]["from_before"],
        from_after=data["read"]["from_after"],
        than=frozenset(map(normalised, data["read"]["than"])),
        facts=frozenset(map(normalised, data["read"]["facts"])),
        ones=frozenset(map(normalised, data["read"]["ones"])),
        side_alone=re.compile(data["read"]["side_alone"]),
        after_objects=frozenset(data["read"]["after_objects"]),
        strayed=re.compile(normalised(data["read"]["strayed"])),
        relative=frozenset(data["read"]["relative"]),
        has=frozenset(map(normalised, data["read"]["has"])),
        corrects=frozenset(map(normalised, data["read"]["corrects"])),
        beside_a_side=frozenset(map(normalised, data["read"]["beside_a_side"])),
        of_things=re.compile(data["read"]["of_things"]),
        alone_without_a_way=frozenset(data["read"]["alone_without_a_way"]),
        spoken_to=tuple(map(normalised, data["read"]["spoken_to"])),
        polite=tuple(
            (re.compile(normalised(polite)), normalised(plain)) for polite, plain in data["read"].get("polite", [])
        ),
        mended=frozenset(map(normalised, data["read"]["mended"])),
        not_mended=frozenset(map(normalised, data["read"]["not_mended"]))
        | _plain_words(data["read"]["parts"])
        | _plain_words(scene["objects"]),
        batches=tuple(_batches([*_patterns(data["read"]), *_scene_patterns(scene)])),
        properties=_properties(data),
    )


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


def _among_words(phrases: list[str]) -> Pattern:
    """Return one expression that matches any of the phrases as whole words."""
    return re.compile(f"(?<![^ ])({normalised('|'.join(phrases))})(?![^ ])")


def _compiled(expression: str) -> Pattern:
    """Compile an expression that must end at a word boundary; ``~`` matches any ending (letters and vowel signs)."""
    return re.compile(f"(?:{normalised(expression).replace('~', r'[^ ]*')})(?= |$)")


OF_SCENES = "object"  # the value of patterns for phrases that a scene adds to a movement
_DEVANAGARI = re.compile("[\u0900-\u0963]+").fullmatch
_MARKS = str.maketrans({"\u093c": "", "\u0901": "\u0902", "\u200c": "", "\u200d": "", "’": "'"})
_GLIDES = (("यें", "एं"), ("यीं", "ईं"), ("ायी", "ाई"), ("ाये", "ाए"), ("िये", "िए"), ("इये", "इए"))


def normalised(text: str) -> str:
    """Return the text in lower case and, for Devanagari, with spelling variants unified: no nukta, no chandrabindu."""
    text = unicodedata.normalize("NFD", text.lower()).translate(_MARKS)
    for written, read in _GLIDES:
        text = text.replace(written, read)
    return text


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
    return SpeechWords(**tomllib.loads((_HERE / code / "speech.toml").read_text(encoding="utf-8")))


def fill_blanks(phrase: str, **blanks: str) -> str:
    """Return a phrase with its blanks filled and single spaces; an empty blank leaves no double space."""
    return re.sub(r"\s+([,.;:])", r"\1", re.sub(r" {2,}", " ", phrase.format(**blanks))).strip()


_ENDS = re.compile(r"[.!?।]+")
_NOT_WORDS = re.compile(r"[\s.,;:!?।()\"“”]+")


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
