"""The realiser, plan -> text: the first wording of the grammar, or a repeatable random choice with a seed."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from fmp_models.geometry.lexicon import Clause, Degree, Direction, Plan, Relation, Side
from fmp_models.languages.grammar import Grammar, Phrases

_JOIN_SHARE = 0.35  # share of neighbouring clauses that a seeded text joins in one sentence


def realise(plan: Plan, words: Grammar, seed: int | None = None) -> tuple[str, ...]:
    """Return one fragment per clause, without a capital or a full stop, in the order of the plan."""
    return tuple(_fragment(clause, words, _choice(seed, words.code, i)) for i, clause in enumerate(plan))


def sentence(fragment: str, words: Grammar) -> str:
    """Return a fragment as a separate sentence."""
    return fragment[:1].upper() + fragment[1:] + words.stop


def compose(fragments: Sequence[str], words: Grammar, seed: int | None = None) -> str:
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
    return " ".join(sentence(text, words) for text in sentences)


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
