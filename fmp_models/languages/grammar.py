"""A language as data: ``<code>/grammar.toml`` holds its words, templates and reading patterns.

A new language is a new folder with such a file; nothing here or beside it names one.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from fmp_models.errors import BadInputError

_HERE = Path(__file__).parent
LANGUAGES: tuple[str, ...] = tuple(sorted(path.parent.name for path in _HERE.glob("*/grammar.toml")))

Phrases = dict[str, list[str]]
Pattern = re.Pattern[str]
Reading = tuple[str, str, Pattern]  # kind, value, expression
_TOGETHER = 24  # patterns in a sheaf


@dataclass(frozen=True)
class PatternBatch:
    """Some patterns, and one expression that matches where any of them does.

    Hardly any of the hundreds of patterns matches at a word; asking for many at once makes reading five times faster.
    """

    any_of_them: Pattern
    patterns: tuple[Reading, ...]


@dataclass(frozen=True)
class SceneWords:
    """What a text in a room adds to its clauses: objects, implied movements, analogies, and words that lead to them."""

    objects: Phrases
    object_goes: Pattern  # where in a clause "towards the sofa" stands
    doing_goes: Literal["before", "after"]  # its clause
    statement: Pattern  # a clause that is no command
    bearings: Phrases
    bearings_alone: Phrases
    sides: dict[str, dict[str, str]]
    leads: Phrases
    no_lead_before: list[str]  # words after which a lead means something else: "पहले की तरह"
    implied: dict[str, Phrases]
    doing: Phrases
    analogies: Phrases
    say: dict[str, Phrases]  # further templates of the clauses, as in Grammar.say


@dataclass(frozen=True)
class Grammar:
    """One language: what is said (``say``, ``parts``, ...) and how it is read (``batches``)."""

    code: str
    name: str
    script: str  # as Unicode names it
    verb_comes: Literal["first", "last"]
    bend_sideways_is_turn: bool
    stop: str
    unchanged: str
    unchanged_elsewhere: str  # beside what could not be seen
    pictures_alone: str  # what leads a text of pictures in which nobody's joints could be measured
    all_clear: Pattern  # of a sentence, normalised and without marks: that nothing, or nothing else, has to change
    asides: Pattern  # a whole sentence or piece, likewise: what is said beside instructions and asks for no movement
    joiners: tuple[str, ...]
    degrees: Phrases  # said of a verb: "bend it a lot"
    distances: Phrases  # said of a way: "far to the left"
    parts: dict[str, Phrases]
    sided: dict[str, Phrases]
    relations: dict[str, Phrases]
    relations_across: dict[str, Phrases]  # after a movement that is not up or down, where that is worded otherwise
    relations_of: dict[str, dict[str, Phrases]]
    say: dict[str, Phrases]
    unseen: dict[str, Phrases]  # by part and side, whole sentences
    scene: SceneWords
    plural: Pattern  # of a part
    bare_plural: Pattern  # of a part before the rest of its piece: both are meant, though it is spelt as one is
    several_of_one: Pattern  # of a part that one limb has several of: "toes"
    negations: Pattern
    negates_ahead: frozenset[str]  # negations that say nothing of a verb before them
    forbids: frozenset[str]  # negations of a verb that ask for its part to stay as it is
    holds_still: Pattern  # of such a verb that asks it whatever else the part does
    lets: Pattern  # of such a verb after whose part another one says what must not happen to it: "don't let ... drop"
    beyond: Pattern  # what begins an end that a forbidden movement is not to pass: "below your hip"
    names_nothing: frozenset[str]  # words between a denied verb and what is done instead: "बल्कि"
    alternatives: frozenset[str]  # words after which a negation goes on: "or"
    without: frozenset[str]  # before or behind a participle, which is not done then
    rather: frozenset[str]  # behind a verb, which is not done then: "instead of"
    participle: Pattern  # of a verb
    like_participle: Pattern  # of what is often written in its place
    unmoving: frozenset[str]  # verbs that ask a part for no movement: "relax"
    stopped: frozenset[str]  # negations of what is being done, of which the reverse is meant: "stop leaning"
    returns: Pattern  # of a whole piece that takes a fact back, with no way of its own: "come back"
    alone: Pattern  # of a verb that needs no part: "lean forward"
    alone_without_a_way: frozenset[str]  # actions that need no way either
    shares_its_object: Pattern  # of a verb that may be about the part of the one before it: "and bent at the elbow"
    from_before: str  # word that leads to where something comes from: "from above your head"; "" for none
    from_after: str  # the same after it: "सिर के ऊपर से"
    than: frozenset[str]  # what stands beside that which something is compared with
    facts: frozenset[str]  # verbs that say how something is, and not how it should be
    ones: frozenset[str]  # words that stand for the part named before, of another side
    side_alone: Pattern  # of a side that is a part by itself: "दूसरा"
    after_objects: frozenset[str]  # stand behind what is moved
    strayed: Pattern  # of a verb that, done by a part, is a fault: "झुक गया है"
    relative: frozenset[str]  # leads what only says which part is meant: "जो घुटना आगे है"
    has: frozenset[str]  # after such a verb: "गया"
    corrects: frozenset[str]  # leads what is meant instead of the side before: "no, the left one"
    beside_a_side: frozenset[str]  # what may stand beside a side that is told alone: "the left one"
    of_things: Pattern  # of a place that a thing named before it is in: "the wall behind you"
    spoken_to: tuple[str, ...]  # who is, the verb of facts about them, and the one that it is read as; or none
    polite: tuple[tuple[Pattern, str], ...]  # endings of a verb that are read as other ones
    mended: frozenset[str]  # words that slips of the pen are mended to
    not_mended: frozenset[str]  # words that are no slips of them
    batches: tuple[PatternBatch, ...]  # every pattern, in its order
    properties: dict[str, Pattern]  # of a text; by what shows them


@cache
def grammar(code: str) -> Grammar:
    """Load one language; raise :class:`BadInputError` (``unknown_language``) for a code that has no folder."""
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
    """The same language with the further templates that texts of scenes draw from."""
    words = grammar(code)
    say = {
        part: {way: phrases + words.scene.say.get(part, {}).get(way, []) for way, phrases in ways.items()}
        for part, ways in words.say.items()
    }
    return replace(words, say=say)


# Where two readings of the same length compete, the earlier kind wins.
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


def _batches(patterns: list[Reading]) -> Iterator[PatternBatch]:
    for first in range(0, len(patterns), _TOGETHER):
        some = tuple(patterns[first : first + _TOGETHER])
        yield PatternBatch(re.compile("|".join(f"(?:{pattern.pattern})" for _, _, pattern in some)), some)


def _patterns(read: dict[str, Any]) -> list[Reading]:
    patterns: list[Reading] = []
    for kind in KINDS:
        entries = read.get(kind, {})
        if isinstance(entries, list):
            entries = {"": entries}
        for value, expressions in entries.items():
            patterns.extend((kind, value, _compiled(expression)) for expression in expressions)
    return patterns


def _plain_words(patterns: dict[str, list[str]]) -> frozenset[str]:
    """The single words that patterns know as they stand: none of them is a slip of another."""
    return frozenset(
        normalised(phrase)
        for phrases in patterns.values()
        for phrase in phrases
        if phrase.isalpha() or _DEVANAGARI(phrase)
    )


def _scene_patterns(scene: dict[str, Any]) -> Iterator[Reading]:
    """What a scene adds is no instruction: what goes towards an object is passed over, all else ends what was said."""
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
    """One expression for each property of a text, to be searched for in the normalised text between spaces."""
    table = data["properties"]
    names = (re.escape(name) for names in data["scene"]["objects"].values() for name in names)
    things = f"({'|'.join([*names, *table['things']])})"
    return {
        kind: _among_words([phrase.replace("{things}", things) for phrase in phrases])
        for kind, phrases in table.items()
        if kind != "things"
    }


def _among_words(phrases: list[str]) -> Pattern:
    """One expression for any of some phrases, from the beginning of a word to the end of one."""
    return re.compile(f"(?<![^ ])({normalised('|'.join(phrases))})(?![^ ])")


def _compiled(expression: str) -> Pattern:
    """An expression that ends where a word ends; ``~`` stands for any ending, letters and vowel signs alike."""
    return re.compile(f"(?:{normalised(expression).replace('~', r'[^ ]*')})(?= |$)")


OF_SCENES = "object"  # the value of a pattern for what a scene adds to a movement
_DEVANAGARI = re.compile("[\u0900-\u0963]+").fullmatch
_MARKS = str.maketrans({"\u093c": "", "\u0901": "\u0902", "\u200c": "", "\u200d": "", "’": "'"})
_GLIDES = (("यें", "एं"), ("यीं", "ईं"), ("ायी", "ाई"), ("ाये", "ाए"), ("िये", "िए"), ("इये", "इए"))


def normalised(text: str) -> str:
    """Lower case and, for Devanagari, one spelling of what people spell in several ways: no nukta, no chandrabindu."""
    text = unicodedata.normalize("NFD", text.lower()).translate(_MARKS)
    for written, read in _GLIDES:
        text = text.replace(written, read)
    return text
