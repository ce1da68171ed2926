"""Configuration ``counterfactual`` of a dataset folder: four-choice questions about imagined changes, as in CoSIm.

Each response is an instruction with a reason. After the change either the answer stays and its reason turns, or the
answer turns and its reason stays. Distractors are responses that are true of other poses and false of the edited one,
not edits of the right response; of many draws, those are taken that keep the audits of the set nearest to chance.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from fmp_models.counterfactual.edits import MAX_EDITS, Edit, change_text, draw_edits
from fmp_models.data import COUNTERFACTUAL, ShardWriter, dataset_contents, demand_card, write_counterfactual_card
from fmp_models.dialogue import Attribute, Node, SceneGraph, node_words, value_words
from fmp_models.editing import read_pairs
from fmp_models.errors import BadInputError
from fmp_models.geometry import Clause, Direction, Part, Side
from fmp_models.languages import LANGUAGES, as_sentence, counterfactual_words, grammar, realise, sayable
from fmp_models.metrics import BIASES, CHOICES, ChoiceQuestion, audit_choices, choice_points
from fmp_models.pose import Pose, PosePair

MAX_OFF = 5.0  # points by which an audit may be off chance
_AGAIN = 5  # times that choices are drawn until all audits are near chance
_TRIED = 60  # draws of three distractors for each question
_APART = 25  # degrees from which an angle is another one
_KINDS = ("answer stays", "reason stays")
_RIGHT = 1000  # weight of a response that is right of an edited pose, so that distractors are as often asked for
_STILL = ""  # the direction of a part that stays


class Response(NamedTuple):
    """What a part should do, and the reason: where it is now, or where it should end (a place, or degrees)."""

    direction: str
    value: str


_Topic = tuple[str, bool, Attribute]  # a part, whether it means both, and whether reasons are starts or ends


@dataclass(frozen=True)
class Imagined:
    """A question in no language yet: a pair with its edits, the part asked about, and responses before and after."""

    uid: str
    edits: tuple[Edit, ...]
    target: Pose
    after: SceneGraph
    node: Node
    kind: str
    responses: tuple[Response, Response]

    @property
    def when(self) -> Attribute:
        """Whether reasons are about ends or starts."""
        return Attribute.END if self.kind == _KINDS[0] else Attribute.START

    @property
    def topic(self) -> _Topic:
        """What responses of other pairs must be about to be distractors."""
        return _topic(self.node, self.when)

    def row(self, question: ChoiceQuestion, language: str) -> dict[str, Any]:
        """Return the row of a question."""
        edit = next(edit for edit in self.edits if _covers(edit, self.node))
        return {
            "sample_id": f"{self.uid}-{language}",
            "uid": self.uid,
            "language": language,
            "question": question.question,
            "response": question.response,
            "change": question.change,
            "choices": [*question.choices],
            "answer": question.answer,
            "kind": self.kind,
            "type": edit.group.value,
            "changes": len(self.edits),
            "edited_joints": self.target.joints.astype(np.float32).tolist(),
        }


def write_counterfactual(dataset: Path, seed: int = 0, split: str | None = None) -> dict[str, dict[str, Any]]:
    """Add the configuration to a dataset folder, or make it again; return the audits by split and language.

    Raise :class:`BadInputError`: ``dataset_missing``, ``dataset_without``, ``pairs_without_joints``,
    ``dataset_damaged``.
    """
    demand_card(dataset)
    splits = [one for one in dataset_contents(dataset).get("captioning", ()) if split in {None, one}]
    if not splits:
        raise BadInputError("dataset_without", path=str(dataset), split=f"captioning/{split or 'train'}")
    audits: dict[str, dict[str, Any]] = {}
    for name in splits:
        pairs = {one.uid: one.pair for one in read_pairs(dataset, name) if one.pair is not None}
        if not pairs:
            continue
        found, seen = imagine_questions(pairs, np.random.default_rng([seed, splits.index(name)]))
        with ShardWriter(dataset, COUNTERFACTUAL, name) as writer:
            for language in LANGUAGES:
                questions = choose_choices(found, seen, language, seed)
                for one, question in questions:
                    writer.add(one.row(question, language))
                if questions:
                    audits[f"{name}, {language}"] = audit_choices([question for _, question in questions])
    if not audits:
        raise BadInputError("pairs_without_joints", path=str(dataset), split=split or ", ".join(splits))
    write_counterfactual_card(dataset, audits)
    return audits


def imagine_questions(
    pairs: Mapping[str, PosePair], generator: np.random.Generator
) -> tuple[list[Imagined], dict[_Topic, Counter[Response]]]:
    """Return at most one question for each pair, and the responses that are true of any pose, by topic."""
    found: list[Imagined] = []
    seen: defaultdict[_Topic, Counter[Response]] = defaultdict(Counter)
    used: Counter[str] = Counter()
    for number, (uid, pair) in enumerate(tqdm(pairs.items(), desc="imagined changes", unit=" pairs")):
        drawn = draw_edits(pair, 1 + number % MAX_EDITS, generator)
        if drawn is None:
            continue
        before, after = (SceneGraph.of_pair(one) for one in (pair, replace(pair, target=drawn[1])))
        for graph in (before, after):
            for node in graph.nodes:
                for when in (Attribute.START, Attribute.END):
                    seen[_topic(node, when)].update(_true_responses(graph, node, when))
        possible = [
            Imagined(uid, *drawn, after, node, kind, responses)
            for node in after.nodes
            if any(_covers(edit, node) for edit in drawn[0])
            for kind, responses in _turned(before, after, node)
        ]
        for one in possible:
            seen[one.topic][one.responses[1]] += _RIGHT
        if possible:
            kind = min({one.kind for one in possible}, key=lambda kind: (used[kind], kind))
            of_kind = [one for one in possible if one.kind == kind]
            used[kind] += 1
            found.append(of_kind[generator.integers(len(of_kind))])
    return found, seen


def _topic(node: Node, when: Attribute) -> _Topic:
    return (node.part.value if node.part else "", node.side is Side.BOTH, when)


def _covers(edit: Edit, node: Node) -> bool:
    return node.part not in {None, Part.BODY} and edit.covers(Clause(node.side, node.part, edit.clause.direction))


def _turned(before: SceneGraph, after: SceneGraph, node: Node) -> Iterator[tuple[str, tuple[Response, Response]]]:
    """Yield the kinds of questions that a change makes possible about a part, with the responses before and after."""
    for kind, when in zip(_KINDS, (Attribute.END, Attribute.START), strict=True):
        for old, new in product(*(_true_responses(graph, node, when) for graph in (before, after))):
            stays = old.direction == new.direction != _STILL
            turned = stays is not (old.value == new.value) and _holds(after, node, when, old) is False
            if turned and stays is (when is Attribute.END):
                yield kind, (old, new)


def _true_responses(graph: SceneGraph, node: Node, when: Attribute) -> list[Response]:
    """Return the responses about a part that are true; none if no reason is known."""
    angles = graph.angles.get(node.name)
    values = [str(angles[when is Attribute.END])] if angles else graph.values(node.name, when) or ()
    moves = graph.values(node.name, Attribute.DIRECTION) or ((_STILL,) if graph.moves.get(node.name) is False else ())
    return [Response(move, value) for move in moves for value in values]


def _holds(graph: SceneGraph, node: Node, when: Attribute, response: Response) -> bool | None:
    """Return whether a response is true; ``None`` if the joints cannot tell."""
    angles = graph.angles.get(node.name)
    asked = (Attribute.MOVES, "no") if response.direction == _STILL else (Attribute.DIRECTION, response.direction)
    truths = [graph.has(node.name, *asked)]
    if angles:
        truths.append(abs(int(response.value) - angles[when is Attribute.END]) < _APART)
    else:
        truths.append(graph.has(node.name, when, response.value))
    return False if False in truths else None if None in truths else True


def response_text(response: Response, node: Node, when: Attribute, language: str) -> str | None:
    """Return a response in words; ``None`` if the language cannot say it."""
    words, said = grammar(language), counterfactual_words(language)["responses"]
    part, part_object = node_words(node.name, language)
    for named, own in said["own"].items():
        part_object = part_object.replace(named, own)
    instruction = said["stays"].format(part=part_object)
    if response.direction != _STILL and node.part is not None:
        clause = Clause(node.side, node.part, Direction(response.direction))
        if not sayable(clause, words):
            return None
        instruction = realise((clause,), words)[0]
    value = said["places"].get(response.value) or value_words(when, response.value, language)
    value = said["degrees"].format(degrees=value) if value.isdigit() else value
    reason = said["many" if node.side is Side.BOTH else "one"][when.value].format(part=part, value=value)
    return as_sentence(said["response"].format(do=instruction, reason=reason), words)


def choose_choices(
    found: Sequence[Imagined], seen: Mapping[_Topic, Counter[Response]], language: str, seed: int
) -> list[tuple[Imagined, ChoiceQuestion]]:
    """Return the questions of one language, with choices that are drawn again until every audit is near chance."""
    best: tuple[float, list[tuple[Imagined, ChoiceQuestion]]] = (np.inf, [])
    for again in range(_AGAIN):
        generator = np.random.default_rng([seed, again])
        totals = np.zeros(len(BIASES) + 1)
        chosen: list[tuple[Imagined, ChoiceQuestion]] = []
        for one in found:
            drawn = _drawn(one, seen[one.topic], language, generator)
            if drawn:
                aim = (len(chosen) + 1) / CHOICES
                points = [_points(question) for question in drawn]
                nearest = int(np.argmin([np.abs(totals + of_one - aim).sum() for of_one in points]))
                totals += points[nearest]
                chosen.append((one, drawn[nearest]))
        off = float(np.abs(100 * totals / max(len(chosen), 1) - 100 / CHOICES).max())
        best = min(best, (off, chosen), key=lambda tried: tried[0])
        if off <= MAX_OFF:
            break
    return best[1]


def _points(question: ChoiceQuestion) -> np.ndarray:
    """Return what the right choice earns under each bias, and by its overlap with the initial response."""
    overlap = list(BIASES).index("change_overlap")
    repeated = choice_points(replace(question, change=question.response))[overlap]
    return np.array([*choice_points(question), repeated])


def _drawn(
    one: Imagined, seen: Counter[Response], language: str, generator: np.random.Generator
) -> list[ChoiceQuestion]:
    """Return some draws of the choices of a question; none if too few responses are false."""
    texts = {response: response_text(response, one.node, one.when, language) for response in {*one.responses, *seen}}
    response, right = (texts[each] for each in one.responses)
    weights = {
        texts[each]: seen[each] or 1
        for each in sorted(texts)
        if texts[each] not in {None, right} and _holds(one.after, one.node, one.when, each) is False
    }
    if response is None or right is None or len(weights) < CHOICES - 1:
        return []
    shares = np.array([*weights.values()]) / sum(weights.values())
    words = counterfactual_words(language)
    drawn = []
    for _ in range(_TRIED):
        places = generator.choice(len(weights), CHOICES - 1, replace=False, p=shares)
        choices = [text for text in (list(weights)[place] for place in places) if text is not None]
        answer = int(generator.integers(CHOICES))
        choices.insert(answer, right)
        change = change_text(one.edits, language)
        drawn.append(ChoiceQuestion(words["responses"]["question"], response, change, tuple(choices), answer))
    return drawn
