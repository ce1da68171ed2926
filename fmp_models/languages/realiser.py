"""The realiser, plan -> text: the first wording of the grammar, or a repeatable random choice with a seed.

A scene text adds objects, implied movements and analogies to the plan.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from fmp_models.geometry import Bearing, Clause, Degree, Direction, Elaboration, ElaborationKind, Plan, Relation, Side
from fmp_models.languages.language_data import Grammar, Phrases

_JOIN_SHARE = 0.35  # share of neighbouring clauses that a seeded text joins in one sentence


def realise(plan: Plan, words: Grammar, seed: int | None = None) -> tuple[str, ...]:
    """Return one fragment per clause, without a capital or a full stop, in the order of the plan."""
    return tuple(_fragment(clause, words, _choice(seed, words.code, i)) for i, clause in enumerate(plan))


def as_sentence(fragment: str, words: Grammar) -> str:
    """Return a fragment as a separate sentence."""
    return fragment[:1].upper() + fragment[1:] + words.stop


def compose_text(fragments: Sequence[str], words: Grammar, seed: int | None = None) -> str:
    """Join the fragments to a text; with a seed some share a sentence. An empty plan has its own sentence."""
    if not fragments:
        return words.unchanged
    choice = _choice(seed, words.code, -1)
    sentences = [fragments[0]]
    for fragment in fragments[1:]:
        if choice is not None and choice.random() < _JOIN_SHARE:
            sentences[-1] += choice.choice(words.joiners) + fragment
        else:
            sentences.append(fragment)
    return " ".join(as_sentence(text, words) for text in sentences)


def _choice(seed: int | None, code: str, index: int) -> random.Random | None:
    return None if seed is None else random.Random(f"{seed} {code} {index}")


def _fragment(clause: Clause, words: Grammar, choice: random.Random | None) -> str:
    def pick(phrases: Sequence[str]) -> str:
        return choice.choice(phrases) if choice else phrases[0]

    part, side = clause.part.value, clause.side.value
    if clause.direction is Direction.UNSEEN:
        return pick(words.unseen[part][side])
    fields = {kind: pick(by_side[side]) for kind, by_side in words.sided.items() if side in by_side}
    fields["part"] = pick(words.parts[part][side])
    for kind, degrees in (("degree", words.degrees), ("distance", words.distances)):
        fields[kind] = "" if clause.degree is Degree.PLAIN else pick(degrees[clause.degree.value])
    for kind, across in (("relations", {}), ("relations_across", words.relations_across)):
        reached = (_reached(clause, relation, {**words.relations, **across}, words) for relation in clause.relations)
        fields[kind] = " ".join(pick(phrases) for phrases in reached)
    templates = words.say[part]
    text = pick(templates[_movement(clause, templates)]).format(**fields)
    return re.sub(r" {2,}", " ", text).strip()


def _movement(clause: Clause, templates: Phrases) -> str:
    """Return the key of the templates; some movements have other templates if their end state is given too."""
    reached = f"{clause.direction.value}, reached"
    return reached if clause.relations and reached in templates else clause.direction.value


def _reached(clause: Clause, relation: Relation, general: dict[str, Phrases], words: Grammar) -> list[str]:
    part_phrases: dict[str, Phrases] = words.relations_of.get(clause.part.value, {})
    by_number = part_phrases.get(relation.value) or general[relation.value]
    return by_number["both" if clause.side is Side.BOTH else "one"]


_JOINED = 0.3  # share of neighbouring plain clauses that are joined in one sentence
_ALONE = 0.25  # share of implied movements and analogies that get their own sentence
_DOING = 0.5  # share of suitable implied movements that are phrased as simultaneous with the clause


@dataclass(frozen=True)
class _Sentence:
    """A planned sentence: ``open`` if another clause can join it, ``leads`` if a word like *then* can introduce it."""

    text: str
    open: bool = False
    leads: bool = True


def scene_text(
    plan: Plan, elaborations: Sequence[Elaboration], words: Grammar, seed: str, *, ends: bool = False
) -> str:
    """Return the text; ``ends`` adds a closing sentence. The same seed gives the same text in every process."""
    choice = random.Random(f"{words.code} {seed}")
    variant = random.Random(seed).random()  # the same in every language, since variants of an analogy differ in meaning
    sentences: list[_Sentence] = []
    for clause, fragment in zip(plan, realise(plan, words, choice.getrandbits(32)), strict=True):
        entries = [entry for entry in elaborations if entry.clause == clause]
        worded, after = _elaborated(fragment, entries, variant, words, choice)
        last = sentences[-1] if sentences else None
        if last and last.open and not entries and _alike(last.text, worded, words) and choice.random() < _JOINED:
            sentences[-1] = _Sentence(last.text + choice.choice(words.joiners) + worded)
        else:
            sentences.append(_Sentence(worded, open=not entries))
        sentences += [_Sentence(text, leads=False) for text in after]
    texts = _led(sentences, words, choice)
    texts += [_bearing("", entry, words, choice) for entry in elaborations if entry.clause is None]
    if ends:
        texts.append(choice.choice(words.scene.leads["ending"]))
    return " ".join(as_sentence(text, words) for text in texts)


def _alike(first: str, second: str, words: Grammar) -> bool:
    """Return whether both clauses are commands or both statements, so that one sentence can hold them."""
    return bool(words.scene.statement.search(first)) == bool(words.scene.statement.search(second))


def _led(sentences: Sequence[_Sentence], words: Grammar, choice: random.Random) -> list[str]:
    """Add lead words such as first, next and finally to some sentences."""
    leads = words.scene.leads
    last = len(sentences) - 1
    led: list[str] = []
    before = ""
    for i, planned in enumerate(sentences):
        place = "next" if 0 < i < last or not last else "last" if i else "first"
        before = choice.choice([lead for lead in leads[place] if not lead or lead != before]) if planned.leads else ""
        led.append(before + planned.text)
    return led


def _elaborated(
    fragment: str, entries: Sequence[Elaboration], variant: float, words: Grammar, choice: random.Random
) -> tuple[str, list[str]]:
    """Return the clause with its elaborations, and the sentences that follow it."""
    after: list[str] = []
    scene = words.scene
    for entry in entries:
        if entry.kind is ElaborationKind.LANDMARK:
            phrase = _bearing(fragment, entry, words, choice)
            if entry.name in {Bearing.TOWARDS, Bearing.AWAY}:
                fragment = _inserted(fragment, phrase, words)
            else:
                fragment = f"{fragment} {phrase}"
        elif entry.kind is ElaborationKind.IMPLIED:
            slots = scene.sides.get(entry.side.value, {})
            if entry.name in scene.doing and choice.random() < _DOING:
                doing = choice.choice(scene.doing[entry.name]).format(**slots)
                fragment = f"{doing} {fragment}" if scene.doing_goes == "before" else f"{fragment}, {doing}"
                continue
            number = "both" if entry.side is Side.BOTH else "one"
            phrase = choice.choice(scene.implied[entry.name][number]).format(**slots)
            if choice.random() < _ALONE:
                after.append(choice.choice(scene.leads["implied_alone"]).format(implied=phrase))
            else:
                leads = scene.leads["implied"]
                # Avoid repetitions such as "until it is upright until".
                fresh = [lead for lead in leads if lead.split()[0] not in fragment.split()] or leads
                fragment += " " + choice.choice(fresh).format(implied=phrase)
        elif entry.kind is ElaborationKind.ANALOGY:
            variants = scene.analogies[entry.name]
            phrase = variants[int(variant * len(variants))]
            if choice.random() < _ALONE:
                after.append(choice.choice(scene.leads["likeness_alone"]).format(likeness=phrase))
            else:
                fragment += choice.choice(scene.leads["likeness"]).format(likeness=phrase)
        else:
            assert_never(entry.kind)
    return fragment, after


def _inserted(fragment: str, phrase: str, words: Grammar) -> str:
    """Insert a phrase into the clause where the language places its direction."""
    place = words.scene.object_goes.search(fragment)
    cut = place.start() if place else len(fragment)
    return " ".join(part for part in (fragment[:cut].strip(), phrase, fragment[cut:].strip()) if part)


def _bearing(fragment: str, entry: Elaboration, words: Grammar, choice: random.Random) -> str:
    """Return the phrase for an object, with other words than the clause uses for its direction."""
    phrases = (words.scene.bearings_alone if entry.clause is None else words.scene.bearings)[entry.name]
    used = set(fragment.split())
    fresh = [phrase for phrase in phrases if phrase.split()[-1] not in used] or phrases
    return choice.choice(fresh).format(object=choice.choice(words.scene.objects[str(entry.landmark)]))
