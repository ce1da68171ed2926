"""Generation of dialogues from a scene graph: question kinds and their wording as data, and a beam of dialogues.

The kinds are in ``kinds*.toml``, their phrasings in ``languages/CODE/dialogue*.toml``. The rules are those of
CLEVR-Dialog (Kottur et al., NAACL 2019): a question uses what earlier answers revealed and asks for what they did not;
dialogues with many references are preferred; the number of questions of each family is limited by round.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from random import Random
from typing import NamedTuple

from fmp_models.dialogue.history import Knowledge, dependence, round_of, rounds_since
from fmp_models.dialogue.programs import Answer, Program, Round, execute, parse_program
from fmp_models.dialogue.scene_graph import SceneGraph
from fmp_models.dialogue.wording import node_words, number_words, value_text
from fmp_models.languages import dialogue_words

ROUNDS, DIALOGUES, BEAM = 10, 5, 100
_TRIES, _WANTED = 12, 5  # programs drawn for one question, and how many of them must be askable
_SUGGESTED, _AGAIN = 3, 10  # suggested questions, and how many more programs are drawn for a second of a kind
_DISTANCE = 4  # rounds: references as far as this leave the rank of a dialogue as it is
_CHANCE = 1.0  # rounds: the standard deviation of what is added to the reach of dialogues of equal score
_MAX_NAMED = 8  # parts that the first questions find, which later ones can refer to
_MAX_EARLY, _MAX_WHOLE = 4, 3  # early references, and questions about all others, that add to the score
# By the last round: the most independent questions, the least and most of seek, the most of exist, count, and of both.
_LIMITS = {
    3: (1, 1, 4, 1, 1, 2),
    4: (1, 2, 4, 1, 1, 2),
    **dict.fromkeys((5, 6), (1, 2, 5, 2, 2, 3)),
    7: (2, 3, 5, 2, 2, 3),
    8: (2, 3, 6, 3, 3, 3),
    9: (2, 3, 6, 3, 3, 4),
}
FAMILIES = ("count", "exist", "seek", "compare")
_KINDS = Path(__file__).parent
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class QuestionKind:
    """A question kind, or a caption: a program with slots, and what it needs of the rounds before."""

    name: str
    program: str
    family: str = "caption"
    needs: str = ""
    often: float = 1.0
    suggest: int = 0


class KindTable(NamedTuple):
    """All kinds and captions, and the values of each slot; ``nodes`` are the slots of nodes."""

    kinds: tuple[QuestionKind, ...]
    captions: tuple[QuestionKind, ...]
    slots: Mapping[str, Sequence[str]]
    nodes: frozenset[str]


@cache
def kind_table() -> KindTable:
    """Return what the files of the folder say."""
    files = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(_KINDS.glob("kinds*.toml"))]
    kinds, captions = (
        tuple(QuestionKind(**entry) for one in files for entry in one.get(key, ())) for key in ("kinds", "captions")
    )
    values, nodes = (
        {slot: options for one in files for slot, options in one.get(key, {}).items()} for key in ("values", "nodes")
    )
    return KindTable(kinds, captions, values | nodes, frozenset(nodes))


@lru_cache(maxsize=100_000)
def slots_of(template: str, text: str) -> Mapping[str, str] | None:
    """Return what stands in the slots of a program; ``None`` if it is not of this template."""
    pieces = _SLOT.split(template)
    pattern = "".join(f"(?P<{piece}>.+?)" if i % 2 else re.escape(piece) for i, piece in enumerate(pieces))
    match = re.fullmatch(pattern, text)
    found = match.groupdict() if match else {}
    fits = all(
        any(slots_of(option, value) is not None for option in kind_table().slots[slot]) for slot, value in found.items()
    )
    return found if match and fits else None


@lru_cache(maxsize=50_000)
def phrasings(kind: QuestionKind, program: str, language: str) -> tuple[str, ...]:
    """Return all questions of a kind that a program can be put as."""
    slots = slots_of(kind.program, program)
    says = [
        phrase
        for entry in dialogue_words(language)["questions"]
        if slots is not None
        and kind.name in entry["kinds"]
        and all(slots.get(slot) == value for slot, value in entry.get("where", {}).items())
        for phrase in entry["say"]
    ]
    return _filled(says, slots or {}, language)


def captions(kind: QuestionKind, program: Program, answer: Answer, language: str) -> tuple[str, ...]:
    """Return all statements of what the program of a caption finds."""
    counts = program.op == "count"
    said = {"answer": number_words(int(answer.value), language) if counts else value_text(answer, program, language)}
    said["answer_object"] = node_words(answer.value, language)[1] if answer.nodes == (answer.value,) else said["answer"]
    said["Answer"] = _capital(said["answer"])
    says = [
        phrase
        for entry in dialogue_words(language)["captions"]
        if entry["kind"] == kind.name
        for phrase in entry["say"]
    ]
    slots = slots_of(kind.program, str(program))
    return () if slots is None else _filled(says, slots, language, said)


def _filled(
    phrases: Sequence[str], slots: Mapping[str, str], language: str, said: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Return phrases with the words of their slots as sentences; without those that need other slots."""
    found: dict[str, None] = {}
    for words in product(*(_slot_words(slot, value, language) for slot, value in slots.items())):
        known = {**(said or {}), **{key: text for each in words for key, text in each.items()}}
        for phrase in phrases:
            if all(slot in known for slot in _SLOT.findall(phrase)):
                lead = known.get("lead", "")
                text = lead + (phrase[:1].lower() + phrase[1:] if lead else phrase).format_map(known)
                found[_capital(text)] = None
    return tuple(found)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@lru_cache(maxsize=50_000)
def _slot_words(slot: str, value: str, language: str) -> tuple[Mapping[str, str], ...]:
    """Return all ways to word the value of a slot: its forms by name, and those of the slots in it."""
    words = dialogue_words(language)["words"]
    said = words.get(slot, {}).get(value)
    if slot == "name":
        return ({slot: said, "yours": node_words(value, language)[1]},)
    if said is not None:
        return (said if isinstance(said, dict) else {slot: said},)
    found: list[Mapping[str, str]] = []
    for option in kind_table().slots[slot]:
        inner = slots_of(option, value)
        for parts in product(*(_slot_words(*each, language) for each in (inner or {}).items())):
            known = {key: text for each in parts for key, text in each.items()}
            if inner is None:
                continue
            if slot in kind_table().nodes:
                known = {
                    key: text for key, text in known.items() if key not in {"node", "lead", *words.get("cases", {})}
                }
                for forms in words["node"][option]:
                    node = {key: form.format_map(known) for key, form in forms.items()}
                    cases = {key: form.format_map(node) for key, form in words.get("cases", {}).items()}
                    found.append({**known, slot: node["node"], **cases, **node})
            else:
                found.append({**known, slot: next(iter(known.values()), value)})
    return tuple(found)


parsed = lru_cache(maxsize=50_000)(parse_program)


def _drawn(template: str, fixed: Mapping[str, Sequence[str]], lot: Random) -> str | None:
    """Return a program with values drawn for its slots; ``None`` if one of the ``fixed`` slots has no value."""
    while slot := _SLOT.search(template):
        values = fixed.get(slot[1], kind_table().slots[slot[1]])
        if not values:
            return None
        template = f"{template[: slot.start()]}{lot.choice(values)}{template[slot.end() :]}"
    return template


def _askable(program: Program, answer: Answer, known: Knowledge, history: Sequence[Round]) -> bool:
    """Return whether a question has an answer that is not known yet, and refers to nothing but what is known."""
    return (
        answer.outcome == "answer" and not known.knows(program, history) and known.uses_only_revealed(program, history)
    )


class Turn(NamedTuple):
    """One question of a dialogue with its answer, and how it depends on the rounds before."""

    kind: QuestionKind
    program: Program
    answer: Answer
    dependence: str
    distance: int


class Dialogue(NamedTuple):
    """A caption, the questions after it, and what is known in the end."""

    caption: Turn
    turns: tuple[Turn, ...]
    history: tuple[Round, ...]
    known: Knowledge

    def after(self, turn: Turn, graph: SceneGraph) -> Dialogue:
        """Return the dialogue with one more question."""
        known = self.known.copy()
        known.learn(turn.program, turn.answer, self.history)
        of_turn = round_of(turn.program, turn.answer, graph, self.history)
        return Dialogue(self.caption, (*self.turns, turn), (*self.history, of_turn), known)


def _rank(turns: Sequence[Turn]) -> tuple[int, int]:
    """Return the score of the questions of a dialogue, and what chooses among dialogues of equal score.

    The score is the number of questions that depend on the conversation; of early references, and of questions about
    all others, some count, and so does one of the first questions that does not depend on it. Among equal ones long
    distances, many kinds, and first questions that count or find many parts are preferred.
    """
    similar = sum(turn.kind.needs == "similar" for turn in turns)
    recent = sum(turn.distance == 1 for turn in turns)
    early = sum(turn.distance > 1 and turn.kind.needs != "similar" for turn in turns)
    whole = sum(turn.dependence == "all" for turn in turns)
    distances = sum(turn.distance - _DISTANCE for turn in turns if turn.dependence == "coref")
    first, numbers = turns[: min(_LIMITS) + 1], {"count", "exist"}
    begun = sum(turn.kind.family in numbers for turn in first)
    named = {name for turn in first if turn.kind.family not in numbers for name in turn.answer.nodes}
    alone = any(turn.dependence == "none" for turn in first)
    score = recent + similar + min(_MAX_EARLY, early) + min(_MAX_WHOLE, whole) + alone
    return score, 4 * distances + 3 * begun + 4 * min(len(named), _MAX_NAMED) + len({turn.kind.name for turn in turns})


def keeps_limits(asked: Sequence[tuple[str, str]]) -> bool:
    """Return whether questions, each with its family and dependence, keep the numbers allowed by their last round."""
    families = Counter("none" if dependence == "none" else family for family, dependence in asked)
    last = len(asked) - 1
    most_alone, least_sought, most_sought, most_exist, most_count, most_both = _LIMITS[max(last, min(_LIMITS))]
    sought = families["seek"] + families["compare"]
    return (
        families["none"] <= most_alone
        and (last not in _LIMITS or least_sought <= sought)
        and sought <= most_sought
        and families["exist"] <= most_exist
        and families["count"] <= most_count
        and families["exist"] + families["count"] <= most_both
    )


def generate(graph: SceneGraph, seed: object) -> list[Dialogue]:
    """Return the best dialogue of each of five captions; fewer where the pair has too little to talk about."""
    return _Generation(graph, Random(str(seed)), Counter()).dialogues()


@dataclass(frozen=True)
class _Generation:
    """The generation of the dialogues of one pair; ``used`` counts the answers of each kind."""

    graph: SceneGraph
    lot: Random
    used: Counter[tuple[str, str]]

    def dialogues(self) -> list[Dialogue]:
        """Return the best dialogues."""
        beams = [[one] for one in self.begun()]
        for _ in range(ROUNDS):
            for i, beam in enumerate(beams):
                grown = [(one, turn) for one in beam for turn in self.next_turns(one)]
                ranks = [_rank((*one.turns, turn)) for one, turn in grown]
                ranked = [(score, reach + self.lot.gauss(0, _CHANCE), at) for at, (score, reach) in enumerate(ranks)]
                best = [grown[at] for *_, at in sorted(ranked, reverse=True)[: BEAM // DIALOGUES]]
                beams[i] = [one.after(turn, self.graph) for one, turn in best]
        return [beam[0] for beam in beams if beam]

    def begun(self) -> list[Dialogue]:
        """Return five dialogues without questions, with captions of all kinds where the pair allows them."""
        begun: dict[str, Dialogue] = {}
        kinds = kind_table().captions
        for n in range(DIALOGUES * _TRIES):
            kind = kinds[n % len(kinds)]
            program = parsed(str(_drawn(kind.program, {}, self.lot)))
            answer = execute(program, self.graph)
            said = len(answer.nodes) > 1 if kind.name == "count" else len(answer.nodes) == 1
            if said and len(begun) < DIALOGUES:
                known = Knowledge(self.graph)
                known.learn(program, answer)
                caption = Turn(kind, program, answer, "none", 0)
                begun.setdefault(str(program), Dialogue(caption, (), (round_of(program, answer, self.graph),), known))
        found = [*begun.values()]
        return (found * DIALOGUES)[:DIALOGUES]

    def next_turns(self, dialogue: Dialogue) -> Iterator[Turn]:
        """Yield the next question of each group of kinds, where one can be asked."""
        groups: dict[tuple[str, str], list[QuestionKind]] = {}
        asked = [(turn.kind.family, turn.dependence) for turn in dialogue.turns]
        allowed = {family for family in FAMILIES if keeps_limits([*asked, (family, "coref")])}
        for kind in kind_table().kinds:
            if kind.family in allowed and _offers(kind.needs, dialogue.history):
                group = kind.needs if kind.needs in {"early", "similar"} else ""
                groups.setdefault((kind.family, group), []).append(kind)
        early = _early(dialogue.known, dialogue.history)
        for kinds in groups.values():
            turn = self.asked(self.lot.choices(kinds, [kind.often for kind in kinds])[0], dialogue, early)
            if turn is not None and keeps_limits([*asked, (turn.kind.family, turn.dependence)]):
                yield turn

    def asked(self, kind: QuestionKind, dialogue: Dialogue, early: Mapping[str, Sequence[str]]) -> Turn | None:
        """Return a question of a kind with the answer that is wanted: the one that was used least often so far."""
        history, known = dialogue.history, dialogue.known
        last = history[-1].program
        fixed: dict[str, Sequence[str]] = {
            "same": [str(last.args[0])] if last and last.op == "seek" else [],
            "early": [],
        }
        names = [*early]
        ages = [rounds_since(name, history) ** 8 for name in names]
        yes_or_no = kind.family == "exist"
        wanted = min(("yes", "no"), key=lambda answer: (self.used[kind.name, answer], self.lot.random()))
        found: dict[str, list[Turn]] = {}
        for _ in range(_TRIES):
            if names:
                fixed["early"] = early[self.lot.choices(names, ages)[0]]
            text = _drawn(kind.program, fixed, self.lot)
            if text is None:
                break
            program = parsed(text)
            answer = execute(program, self.graph, history)
            if (not yes_or_no or answer.value == wanted) and _askable(program, answer, known, history):
                turn = Turn(kind, program, answer, *dependence(program, self.graph, history))
                found.setdefault(answer.value, []).append(turn)
                if sum(map(len, found.values())) == _WANTED:
                    break
        if not found:
            return None
        wanted = min(found, key=lambda answer: (self.used[kind.name, answer], self.lot.random()))
        self.used[kind.name, wanted] += 1
        turns = [turn for same in found.values() for turn in same] if kind.family == "seek" else found[wanted]
        return max(turns, key=lambda turn: (turn.distance, self.lot.random()))


def _offers(needs: str, history: Sequence[Round]) -> bool:
    """Return whether the rounds before offer what a kind needs."""
    last = history[-1] if history else Round()
    op = last.program.op if last.program else ""
    about_one = last.focus is not None and last.told == (last.focus,)
    offers = {
        "": True,
        "early": len(history) > 1,
        "it": about_one,
        "them": len(last.nodes) > 1,
        "some": op in {"count", "exist"} and last.nodes not in {(), (last.focus,)},
        "seek": op == "seek",
        "similar": op == "seek" and len(history) > 1,
        "same": op == "seek",
    }
    return offers[needs]


@cache
def _early_programs() -> tuple[Program, ...]:
    """Return all descriptions of something mentioned early."""
    table = kind_table()
    texts = [
        _SLOT.sub(value, option)
        for option in table.slots["early"]
        for value in (table.slots[_SLOT.findall(option)[0]] if "{" in option else ("",))
    ]
    return tuple(parsed(f"name({text})") for text in texts)


def _early(known: Knowledge, history: Sequence[Round]) -> dict[str, list[str]]:
    """Return the descriptions, by node, that what is known gives a meaning, with those of the longest ago first."""
    found: dict[str, list[str]] = {}
    for program in _early_programs():
        answer = execute(program, known, history, partial=True)
        if answer.outcome == "answer" and answer.value not in history[-1].told:
            found.setdefault(answer.value, []).append(str(program.args[0]))
    return found


def next_questions(
    graph: SceneGraph, language: str, history: Sequence[Round], known: Knowledge, asked: str = ""
) -> tuple[str, ...]:
    """Return three questions to ask next, of different kinds if possible, with answers not known yet; not ``asked``."""
    last = history[-1].program if history else None
    fixed = {"same": [str(last.args[0])] if last and last.op == "seek" else []}
    ranked = sorted((kind for kind in kind_table().kinds if kind.suggest), key=lambda kind: kind.suggest)
    found: dict[str, None] = {}
    for again, kind in product(range(_SUGGESTED), ranked):
        for n in range(again * _TRIES, (again * _AGAIN + 1) * _TRIES):
            text = _drawn(kind.program, fixed, Random(f"{len(history)} {n}")) if _offers(kind.needs, history) else None
            program = parsed(text) if text else None
            if program is None:
                break
            stands = history or dependence(program, graph, history)[0] == "none"
            if stands and _askable(program, execute(program, graph, history), known, history):
                question = phrasings(kind, str(program), language)[0]
                if question not in {*found, asked}:
                    found[question] = None
                    break
        if len(found) == _SUGGESTED:
            break
    return tuple(found)
